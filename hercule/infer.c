/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "clips.h"
#include "diagnosis.h"
#include "kinds.h"

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

/* The next fact of TEMPLATE that is about a node, and that node. */
static void *next_conclusion(struct clips *clips, const struct paradigm *p,
                             const char *template_name, void *fact, size_t *node)
{
    do
        fact = clips_next_fact(clips, template_name, fact);
    while (fact &&
           (*node = paradigm_item(p, "node", clips_text(clips, fact, "node"))) == HERCULE_NONE);
    return fact;
}

/* Several rules may say the same; the least text is kept, so that their order does not show. */
static void keep_least(struct portolan_arena *arena, const char **kept, const char *text)
{
    if (!*kept || strcmp(text, *kept) < 0)
        *kept = portolan_arena_strdup(arena, text);
}

static void collect(struct clips *clips, const struct paradigm *p, struct conclusion *conclusions,
                    struct portolan_arena *arena)
{
    void *fact = NULL;
    size_t i;

    while ((fact = next_conclusion(clips, p, "reached", fact, &i)))
        conclusions[i].is_reached = true;
    while ((fact = next_conclusion(clips, p, "holds", fact, &i))) {
        conclusions[i].holds = true;
        keep_least(arena, &conclusions[i].rule, clips_text(clips, fact, "rule"));
    }
    while ((fact = next_conclusion(clips, p, "cannot-tell", fact, &i)))
        keep_least(arena, &conclusions[i].why, clips_text(clips, fact, "why"));
    while ((fact = next_conclusion(clips, p, "request", fact, &i)))
        for (int e = N_EXPERIMENTS - 1; e >= 0; e--)
            if (strcmp(clips_text(clips, fact, "experiment"), experiment_words[e]) == 0 &&
                (enum experiment)e < conclusions[i].request)
                conclusions[i].request = (enum experiment)e;
}

/* A paradigm that is nested twice brings its rules once. */
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

enum portolan_status paradigm_infer(const struct paradigm *p, const struct judged *metrics,
                                    struct conclusion *conclusions, int strategy,
                                    struct portolan_arena *arena, struct portolan_error *err)
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
    load_rules(clips, p, &d);
    clips_reset(clips);
    if (d.count)
        status = PORTOLAN_ESYNTAX;
    else if (assert_measures(clips, p, metrics) && assert_tree(clips, p, conclusions))
        status = clips_run(clips, strategy, err);
    else
        portolan_no_memory(err);
    if (!status)
        collect(clips, p, conclusions, arena);
    clips_destroy(clips);
    return status;
}
