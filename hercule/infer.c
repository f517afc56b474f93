/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "clips.h"
#include "diagnosis.h"
#include "vocabulary.h"

static const char *symbol_or_none(const char *text)
{
    return *text ? text : "none";
}

static bool assert_measures(struct clips *clips, const struct paradigm *p,
                            const struct judged *metrics)
{
    for (size_t i = 0; i < p->n_metrics; i++) {
        const struct item *item = &p->metrics[i].item;
        const struct judged *m = &metrics[i];
        const struct clips_slot slots[] = {
            {"id", item->name, NULL, 0, false},
            {"name", item->local, NULL, 0, false},
            {"context", symbol_or_none(item->context), NULL, 0, false},
            {"value", NULL, NULL, m->measured.value, false},
            {"share", NULL, NULL, isfinite(m->share) ? m->share : 0, false},
            {"of-run", NULL, NULL, isfinite(m->of_run) ? m->of_run : 0, false},
            {"spread", NULL, NULL, isfinite(m->of_run_spread) ? m->of_run_spread : 0, false},
            {"samples", NULL, NULL, (double)m->measured.samples, true},
            {"trust", m->measured.is_trusted ? "yes" : "no", NULL, 0, false},
            {"why", NULL, m->measured.why ? m->measured.why : "", 0, false},
        };

        if (m->measured.samples && isfinite(m->measured.value) &&
            !clips_assert(clips, "measure", slots, sizeof slots / sizeof *slots))
            return false;
    }
    return true;
}

static bool assert_branch(struct clips *clips, const char *from, const char *to)
{
    const struct clips_slot slots[] = {{"from", from, NULL, 0, false}, {"to", to, NULL, 0, false}};

    return clips_assert(clips, "branch", slots, 2);
}

static bool assert_tree(struct clips *clips, const struct paradigm *p,
                        const struct conclusion *conclusions)
{
    static const char *const conditions[] = {"no", "yes", "unknown"};

    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct node *node = &p->nodes[i];
        const struct metric *metric = &p->metrics[node->metric];
        const struct clips_slot slots[] = {
            {"id", node->item.name, NULL, 0, false},
            {"name", node->item.local, NULL, 0, false},
            {"context", symbol_or_none(node->item.context), NULL, 0, false},
            {"kind", node_words[node->kind], NULL, 0, false},
            {"metric", metric->item.name, NULL, 0, false},
            {"threshold", NULL, NULL, conclusions[i].threshold, false},
            {"condition", conditions[conclusions[i].condition], NULL, 0, false},
            {"most", NULL, NULL, isnan(conclusions[i].most) ? 1 : conclusions[i].most, false},
            {"experiment",
             experiment_words[isnan(conclusions[i].most) ? EXPERIMENT_PROFILE : metric->experiment],
             NULL, 0, false},
        };

        if (!clips_assert(clips, "tree", slots, sizeof slots / sizeof *slots) ||
            (!node->n_under && !assert_branch(clips, "root", node->item.name)))
            return false;
        for (size_t u = 0; u < node->n_under; u++)
            if (!assert_branch(clips, p->nodes[node->parents[u]].item.name, node->item.name))
                return false;
    }
    return true;
}

/* Returns the next fact of TEMPLATE that is about a node, and that node. Rules of a composition may
 * be about nodes that have another name there, or were dropped. */
static void *next_conclusion(struct clips *clips, const struct paradigm *p,
                             const char *template_name, void *fact, size_t *node,
                             struct portolan_error *err)
{
    while ((fact = clips_next_fact(clips, template_name, fact))) {
        const char *name = clips_text(clips, fact, "node");

        if ((*node = paradigm_item(p, "node", name)) != HERCULE_NONE)
            return fact;
        if (!p->n_nests && !p->n_weaves)
            portolan_error_set(err, PORTOLAN_EINVAL,
                               "a rule concludes '%s' of a node that there is not: '%s'",
                               template_name, name);
    }
    return NULL;
}

/* Keeps the least text. Several rules may conclude the same, and their order must not show. */
static void keep_least(struct portolan_arena *arena, const char **kept, const char *text)
{
    if (!*kept || strcmp(text, *kept) < 0)
        *kept = portolan_arena_strdup(arena, text);
}

static void collect(struct clips *clips, const struct paradigm *p, struct conclusion *conclusions,
                    struct portolan_arena *arena, struct portolan_error *err)
{
    void *fact = NULL;
    size_t i;

    while ((fact = next_conclusion(clips, p, "reached", fact, &i, err)))
        conclusions[i].is_reached = true;
    while ((fact = next_conclusion(clips, p, "holds", fact, &i, err))) {
        conclusions[i].holds = true;
        keep_least(arena, &conclusions[i].rule, clips_text(clips, fact, "rule"));
    }
    while ((fact = next_conclusion(clips, p, "cannot-tell", fact, &i, err)))
        keep_least(arena, &conclusions[i].why, clips_text(clips, fact, "why"));
    while ((fact = next_conclusion(clips, p, "request", fact, &i, err)))
        for (int e = N_EXPERIMENTS - 1; e >= 0; e--)
            if (strcmp(clips_text(clips, fact, "experiment"), experiment_words[e]) == 0 &&
                (enum experiment)e < conclusions[i].request)
                conclusions[i].request = (enum experiment)e;
}

/* Loads the rules of a paradigm; one that is nested twice brings its rules once. */
static void load_rules(struct clips *clips, const struct paradigm *p,
                       struct portolan_diagnostics *d)
{
    clips_load_builtin(clips, "inference.clp", d);
    for (size_t i = 0; i < p->n_rules; i++) {
        bool is_new = true;

        for (size_t k = 0; k < i && is_new; k++)
            is_new = strcmp(p->rules[k].source, p->rules[i].source) != 0;
        if (is_new)
            clips_load(clips, p->rules[i].item.place.file, p->rules[i].item.place.line,
                       p->rules[i].source, d);
    }
}

/* Returns the first rule of an author that TEXT of CLIPS names; HERCULE_NONE: there is none. */
static size_t find_rule(const struct paradigm *p, const char *text)
{
    for (size_t n; text && *text; text += n + (text[n] != 0)) {
        n = strcspn(text, " '\n");
        for (size_t i = 0; i < p->n_rules; i++)
            if (!strncmp(text, p->rules[i].name, n) && !p->rules[i].name[n])
                return i;
    }
    return HERCULE_NONE;
}

enum portolan_status infer_blame(const struct paradigm *p, size_t rule, struct portolan_error *err)
{
    struct portolan_error first = *err;

    if (rule >= p->n_rules)
        return err->status;
    *err = (struct portolan_error){0};
    return portolan_error_set(err, first.status, "%s:%d: %s", p->rules[rule].item.place.file,
                              p->rules[rule].item.place.line, first.text);
}

/* State that infer_end(), a handler of signals, reads. */
static const struct paradigm *running_paradigm;
static struct clips *running;

void infer_end(int signal)
{
    size_t i = running ? find_rule(running_paradigm, clips_busiest_rule(running)) : HERCULE_NONE;

    (void)signal;
    _exit(i < 255 ? (int)i + 1 : 0);
}

enum portolan_status infer_here(const struct paradigm *p, const struct judged *metrics,
                                struct conclusion *conclusions, struct portolan_arena *arena,
                                struct portolan_error *err)
{
    struct clips *clips = clips_create();
    struct portolan_diagnostics_relay relay = {NULL, err};
    struct portolan_diagnostics d = {portolan_diagnostics_relay, &relay, 0};
    enum portolan_status status = PORTOLAN_ENOMEM;

    for (size_t i = 0; i < p->n_nodes; i++) {
        conclusions[i].is_reached = conclusions[i].holds = false;
        conclusions[i].rule = conclusions[i].why = NULL;
        conclusions[i].request = N_EXPERIMENTS;
    }
    if (!clips)
        return portolan_no_memory(err);
    clips_end_without_memory(clips, infer_end);
    running_paradigm = p;
    running = clips;
    load_rules(clips, p, &d);
    clips_reset(clips);
    if (d.count)
        status = PORTOLAN_ESYNTAX;
    else if (assert_measures(clips, p, metrics) && assert_tree(clips, p, conclusions))
        status = clips_run(clips, err);
    else
        portolan_no_memory(err);
    if (!status) {
        collect(clips, p, conclusions, arena, err);
        status = err->status;
    } else if (status == PORTOLAN_EINVAL)
        infer_blame(p, find_rule(p, err->text), err);
    running = NULL;
    clips_destroy(clips);
    return status;
}
