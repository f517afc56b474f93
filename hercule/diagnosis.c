/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis.h"

#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compose.h"

const char *item_title(struct portolan_arena *arena, const struct paradigm *paradigm,
                       const struct item *item)
{
    size_t within = kind_find_item(fact_kind_find("component"), paradigm, item->context);
    const char *title = item->text;

    if (within != HERCULE_NONE)
        title =
            portolan_arena_printf(arena, "%s in %s", item->text,
                                  item_title(arena, paradigm, &paradigm->components[within].item));
    return title ? title : "";
}

/* ------------------------------------------------- numbers */

double diagnosis_threshold(const struct paradigm *p, const struct portolan_threshold *settings,
                           size_t n, const char *name)
{
    size_t at = kind_find_item(fact_kind_find("threshold"), p, name);

    for (size_t i = n; i-- > 0;)
        if (strcmp(settings[i].name, name) == 0)
            return settings[i].value;
    return at == HERCULE_NONE ? 0 : p->thresholds[at].value;
}

static enum portolan_status check_settings(const struct paradigm *p,
                                           const struct portolan_threshold *settings, size_t n,
                                           struct portolan_error *err)
{
    const char *known[64];
    size_t n_known = 0;

    for (size_t i = 0; i < p->n_thresholds && n_known < 64; i++)
        known[n_known++] = p->thresholds[i].item.name;
    for (size_t i = 0; i < n; i++)
        if (kind_find_item(fact_kind_find("threshold"), p, settings[i].name) == HERCULE_NONE)
            return portolan_error_set(
                err, PORTOLAN_ENOTFOUND, "there is no threshold '%s'%s", settings[i].name,
                portolan_did_you_mean(portolan_nearest_word(settings[i].name, known, n_known))
                    .text);
    return PORTOLAN_OK;
}

static double global(const struct diagnosis *d, const struct diagnosis_sources *s,
                     enum global which)
{
    const struct reference reference = {REFERENCE_GLOBAL, which, HERCULE_NONE, QUANTITY_VALUE,
                                        N_AGGREGATES};
    struct measured value;

    return s->lookup(s->arg, d->paradigm, &reference, &value) ? value.value : NAN;
}

/* A share of a base of 0 is none. */
static double share_of(double value, double base)
{
    return base != 0 ? value / base : NAN;
}

static void judge_metrics(struct diagnosis *d)
{
    for (size_t i = 0; i < d->paradigm->n_metrics; i++) {
        const struct metric *metric = &d->paradigm->metrics[i];
        double base = metric->base == HERCULE_NONE ? d->run_ns : d->measured[metric->base].value;
        struct judged *m = &d->metrics[i];
        double scale = metric->unit == UNIT_TIME ? d->run_ns : 1;

        m->measured = d->measured[i];
        m->share = metric->unit == UNIT_TIME ? share_of(m->measured.value, base) : NAN;
        m->of_run = share_of(m->measured.value, scale);
        m->of_run_spread = share_of(m->measured.spread, scale);
    }
}

bool composed_rest(const struct diagnosis *d, const struct composed *c, double *whole, double *rest)
{
    if (c->event != HERCULE_NONE)
        return false;
    *whole = c->metric == HERCULE_NONE ? d->run_ns : d->measured[c->metric].value;
    *rest = *whole;
    for (size_t i = 0; i < c->n_of; i++) {
        if (!d->measured[c->parts[i]].samples)
            return false;
        *rest -= d->measured[c->parts[i]].value;
    }
    return c->metric == HERCULE_NONE || d->measured[c->metric].samples;
}

/* Unexplained of the run: the rest of each whole in its first view. */
static double unexplained(const struct diagnosis *d)
{
    double sum = 0, whole, rest;

    for (size_t i = 0; i < d->paradigm->n_composed; i++)
        if (!*d->paradigm->composed[i].view &&
            composed_rest(d, &d->paradigm->composed[i], &whole, &rest))
            sum += rest;
    return share_of(sum, d->run_ns);
}

/* Parts that are more than their whole cannot be right: what is measured of the whole is not
 * trusted. */
static void distrust_compositions(struct diagnosis *d)
{
    double whole, rest;

    for (size_t i = 0; i < d->paradigm->n_composed; i++) {
        const struct composed *c = &d->paradigm->composed[i];

        if (c->metric == HERCULE_NONE || !composed_rest(d, c, &whole, &rest) ||
            rest >= -0.005 * whole)
            continue;
        d->measured[c->metric].is_trusted = false;
        d->measured[c->metric].why = "its parts take more time than the whole";
    }
}

/* ------------------------------------------------- findings */

static void prepare_nodes(struct diagnosis *d, const struct diagnosis_sources *s,
                          const struct portolan_threshold *settings, size_t n)
{
    for (size_t i = 0; i < d->paradigm->n_nodes; i++) {
        const struct node *node = &d->paradigm->nodes[i];
        struct conclusion *c = &d->conclusions[i];
        struct measured truth;

        c->threshold = diagnosis_threshold(d->paradigm, settings, n, node->threshold_name);
        c->condition = CONDITION_YES;
        if (!*node->condition.text)
            continue;
        c->condition = CONDITION_UNKNOWN;
        if (expression_evaluate(d->paradigm, &node->condition, s->lookup, s->arg, d->measured,
                                &truth) &&
            !isnan(truth.value))
            c->condition = truth.value != 0 ? CONDITION_YES : CONDITION_NO;
    }
}

/* The remedy's text, with the values of metrics in it. */
static const char *remedy_text(struct diagnosis *d, const struct factor *factor)
{
    struct portolan_text text = {.arena = &d->arena};

    for (const char *at = factor->remedy; *at;) {
        size_t plain = strcspn(at, "{"), length = strcspn(at, "}");
        const char *name;
        size_t metric;

        portolan_text_add_bytes(&text, at, plain);
        if (!at[plain])
            break;
        name = portolan_arena_strndup(&d->arena, at + plain + 1, length - plain - 1);
        metric = name ? paradigm_find(&d->arena, d->paradigm, "metric", factor->item.context, name)
                      : HERCULE_NONE;
        if (metric != HERCULE_NONE && d->measured[metric].samples)
            portolan_text_add(&text, fabs(d->measured[metric].value) < 1e4 ? "%.4g" : "%.0f",
                              d->measured[metric].value);
        else
            portolan_text_add(&text, "(unknown)");
        at += length + (at[length] == '}');
    }
    return text.bytes ? text.bytes : "";
}

static double weight(const struct diagnosis *d, size_t node, const struct gain *gain)
{
    return gain->is_known ? gain->share : d->metrics[d->paradigm->nodes[node].metric].of_run;
}

/* Puts NODE in its place: by gain, then by name. */
static void insert_finding(struct diagnosis *d, size_t node, const struct gain *gain)
{
    size_t at = d->public.n_findings++;

    while (at > 0) {
        double mine = weight(d, node, gain), other = weight(d, d->found[at - 1], &d->gains[at - 1]);

        if (mine < other ||
            (mine == other && strcmp(d->paradigm->nodes[node].item.name,
                                     d->paradigm->nodes[d->found[at - 1]].item.name) > 0))
            break;
        d->found[at] = d->found[at - 1];
        d->gains[at] = d->gains[at - 1];
        at--;
    }
    d->found[at] = node;
    d->gains[at] = *gain;
}

static void describe_finding(struct diagnosis *d, const struct diagnosis_sources *s, size_t i)
{
    const struct node *node = &d->paradigm->nodes[d->found[i]];
    const struct factor *factor = &d->paradigm->factors[node->factor];
    const struct gain *gain = &d->gains[i];
    struct portolan_text where = {.arena = &d->arena};

    if (s->where)
        s->where(s->arg, d->paradigm, d->found[i], &where);
    d->public.findings[i] = (struct portolan_finding){
        .cause = node->item.name,
        .text = item_title(&d->arena, d->paradigm, &node->item),
        .factor = factor->item.name,
        .remedy = remedy_text(d, factor),
        .where = where.bytes ? where.bytes : "",
        .instance = "",
        .port = "",
        .share = d->metrics[node->metric].of_run,
        .without_ns = gain->is_known ? gain->without_ns : NAN,
        .gain = gain->is_known ? gain->share : NAN,
        .low = gain->is_known ? gain->low : NAN,
        .high = gain->is_known ? gain->high : NAN,
    };
}

static void find_causes(struct diagnosis *d, const struct diagnosis_sources *s, double least_gain)
{
    const struct paradigm *p = d->paradigm;

    for (size_t i = 0; i < p->n_nodes; i++) {
        struct gain gain = {0};

        if (p->nodes[i].kind != NODE_CAUSE || !d->conclusions[i].holds)
            continue;
        if (s->gain && !s->gain(s->arg, p, &i, 1, &gain)) {
            gain.is_known = false;
            if (gain.why && !d->conclusions[i].why) {
                d->conclusions[i].why = gain.why;
                continue;
            }
        }
        if (gain.is_known && gain.share < least_gain)
            continue;
        insert_finding(d, i, &gain);
    }
    for (size_t i = 0; i < d->public.n_findings; i++)
        describe_finding(d, s, i);
    if (d->public.n_findings > 1 && s->gain &&
        !s->gain(s->arg, p, d->found, d->public.n_findings, &d->together))
        d->together.is_known = false;
}

/* "trace of restriction": each once. */
static void list_wanted(struct diagnosis *d)
{
    static const char *const words[] = {"profile", "profile of operations", "trace"};
    const struct paradigm *p = d->paradigm;
    const char **wanted = NULL;
    size_t n = 0;

    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct node *node = &p->nodes[i];
        const char *text;
        bool is_new = true;

        if (d->conclusions[i].request == N_EXPERIMENTS)
            continue;
        text = words[d->conclusions[i].request];
        if (node->n_under)
            text =
                portolan_arena_printf(&d->arena, "%s of %s", text,
                                      item_title(&d->arena, p, &p->nodes[node->parents[0]].item));
        for (size_t k = 0; text && k < n; k++)
            is_new &= strcmp(wanted[k], text) != 0;
        if (text && is_new)
            portolan_arena_append(&d->arena, &wanted, &n, &text, sizeof text);
    }
    d->public.wanted = wanted;
    d->public.n_wanted = n;
}

/* A symptom that no cause explains; NULL: there is none that is large. */
static const char *unexplained_symptom(struct diagnosis *d, double least)
{
    for (size_t i = 0; i < d->paradigm->n_nodes; i++) {
        const struct node *node = &d->paradigm->nodes[i];
        double share = d->metrics[node->metric].of_run;

        if (!node->n_under && d->conclusions[i].holds && share >= least)
            return portolan_arena_printf(
                &d->arena, "%s is %.0f %% of run time, but no cause was found",
                item_title(&d->arena, d->paradigm, &node->item), 100 * share);
    }
    return NULL;
}

/* Why there may be a problem although nothing was found; NULL: there is none. */
static const char *doubt(struct diagnosis *d, double least)
{
    for (size_t i = 0; i < d->paradigm->n_nodes; i++)
        if (d->conclusions[i].why)
            return d->conclusions[i].why;
    if (d->public.n_wanted)
        return portolan_arena_printf(&d->arena, "%s was not made", d->public.wanted[0]);
    return unexplained_symptom(d, least);
}

static void conclude(struct diagnosis *d, double least)
{
    const char *why = d->public.n_findings ? NULL : doubt(d, least);

    d->public.verdict = d->public.n_findings ? PORTOLAN_PROBLEM
                        : why                ? PORTOLAN_CANNOT_TELL
                                             : PORTOLAN_NO_PROBLEM;
    d->public.why = why ? why : "";
}

static enum portolan_status diagnose_into(struct diagnosis *d, const struct diagnosis_sources *s,
                                          const struct portolan_threshold *settings, size_t n,
                                          int strategy, struct portolan_error *err)
{
    enum portolan_status status = check_settings(d->paradigm, settings, n, err);

    if (status)
        return status;
    d->run_ns = global(d, s, GLOBAL_RUN);
    d->public.n_ranks = (int)global(d, s, GLOBAL_P);
    d->public.run_ns = global(d, s, GLOBAL_T);
    d->public.paradigm = d->paradigm->item.name;
    if (!metrics_evaluate(d->paradigm, s->lookup, s->arg, d->measured))
        return portolan_no_memory(err);
    distrust_compositions(d);
    judge_metrics(d);
    prepare_nodes(d, s, settings, n);
    status = paradigm_infer(d->paradigm, d->metrics, d->conclusions, strategy, &d->arena, err);
    if (status)
        return status;
    find_causes(d, s, diagnosis_threshold(d->paradigm, settings, n, "gain"));
    list_wanted(d);
    d->run_share = unexplained(d);
    conclude(d, diagnosis_threshold(d->paradigm, settings, n, "unexplained"));
    return d->arena.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

enum portolan_status diagnosis_make(const struct paradigm *paradigm,
                                    const struct diagnosis_sources *sources,
                                    const struct portolan_threshold *settings, size_t n,
                                    int strategy, struct portolan_diagnosis **out,
                                    struct portolan_error *err)
{
    struct diagnosis *d = portolan_calloc(1, sizeof *d);
    size_t n_nodes = paradigm->n_nodes;
    enum portolan_status status;

    *out = NULL;
    if (!d)
        return portolan_no_memory(err);
    d->paradigm = paradigm;
    d->measured = portolan_arena_alloc(&d->arena, paradigm->n_metrics, sizeof *d->measured);
    d->metrics = portolan_arena_alloc(&d->arena, paradigm->n_metrics, sizeof *d->metrics);
    d->conclusions = portolan_arena_alloc(&d->arena, n_nodes, sizeof *d->conclusions);
    d->found = portolan_arena_alloc(&d->arena, n_nodes, sizeof *d->found);
    d->gains = portolan_arena_alloc(&d->arena, n_nodes, sizeof *d->gains);
    d->public.findings = portolan_arena_alloc(&d->arena, n_nodes, sizeof *d->public.findings);
    status = d->arena.failed ? portolan_no_memory(err)
                             : diagnose_into(d, sources, settings, n, strategy, err);
    if (status)
        portolan_diagnosis_destroy(&d->public);
    else
        *out = &d->public;
    return status;
}

void portolan_diagnosis_destroy(struct portolan_diagnosis *diagnosis)
{
    struct diagnosis *d = (struct diagnosis *)diagnosis;

    if (!d)
        return;
    portolan_arena_clear(&d->arena);
    free(d);
}
