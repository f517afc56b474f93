/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis.h"

#include <portolan/list.h>
#include <portolan/stats.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compose.h"

const char *item_title(struct portolan_arena *arena, const struct paradigm *paradigm,
                       const struct item *item)
{
    size_t within = paradigm_item(paradigm, "component", item->context);
    const char *title = item->text;

    if (within != HERCULE_NONE)
        title =
            portolan_arena_printf(arena, "%s in %s", item->text,
                                  item_title(arena, paradigm, &paradigm->components[within].item));
    return title ? title : "";
}

const char *portolan_verdict_word(enum portolan_verdict verdict)
{
    static const char *const words[] = {"no problem found", "problem", "not the program",
                                        "cannot tell"};

    return words[verdict];
}

/* ------------------------------------------------- numbers */

double diagnosis_threshold(const struct paradigm *p, const struct portolan_diagnosis_options *o,
                           const char *name)
{
    size_t at = paradigm_item(p, "threshold", name);

    for (size_t i = o->n_settings; i-- > 0;)
        if (strcmp(o->settings[i].name, name) == 0)
            return o->settings[i].value;
    return at == HERCULE_NONE ? 0 : p->thresholds[at].value;
}

static double threshold(const struct diagnosis *d, const char *name)
{
    return diagnosis_threshold(d->paradigm, d->sources->options, name);
}

/* Returns the nearest name, or all names if none is near. */
static struct portolan_hint hint_of_thresholds(const struct paradigm *p, const char *name)
{
    const char *near = paradigm_nearest(p, "threshold", name);
    struct portolan_hint hint = portolan_did_you_mean(near);

    for (size_t i = 0, n = 0; !near && i < p->n_thresholds && n < sizeof hint.text; i++)
        n += (size_t)snprintf(hint.text + n, sizeof hint.text - n, "%s%s",
                              i ? ", " : "; there are: ", p->thresholds[i].item.name);
    return hint;
}

static enum portolan_status check_settings(const struct paradigm *p,
                                           const struct portolan_diagnosis_options *o,
                                           struct portolan_error *err)
{
    for (size_t i = 0; i < o->n_settings; i++) {
        const char *name = o->settings[i].name;

        if (paradigm_item(p, "threshold", name) == HERCULE_NONE)
            return portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no threshold '%s'%s", name,
                                      hint_of_thresholds(p, name).text);
    }
    return PORTOLAN_OK;
}

static double global(const struct diagnosis *d, enum global which)
{
    const struct reference reference = {.kind = REFERENCE_GLOBAL, .index = which};
    struct measured value;

    return d->sources->lookup(d->sources->arg, d->paradigm, &reference, &value) ? value.value : NAN;
}

/* Evaluates an expression; false: something that it names is not measured. */
static bool evaluate(const struct diagnosis *d, const struct expression *expression, double *value)
{
    const struct diagnosis_sources *s = d->sources;
    struct measured found;
    bool is_known =
        expression_evaluate(d->paradigm, expression, s->lookup, s->arg, d->measured, &found);

    *value = is_known ? found.value : NAN;
    return is_known;
}

/* Returns the share; a share of a base of 0 is unknown. */
static double share_of(double value, double base)
{
    return base != 0 ? value / base : NAN;
}

/* ------------------------------------------------- other runs */

static const struct diagnosis *other_run(const struct portolan_diagnosis *const *runs, size_t i)
{
    return (const struct diagnosis *)runs[i];
}

/* Returns the mean of N VALUES, and half of its interval of 95 %. */
static double mean_of(const double *values, size_t n, double *half)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++)
        sum += values[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - sum) * (values[i] - sum);
    *half = n < 2 ? 0
                  : portolan_student_quantile(0.95, (double)n - 1) *
                        sqrt(squares / (double)(n - 1) / (double)n);
    return sum;
}

/* Replaces metrics by the means of all repetitions, as shares of the run if they are times. */
static void average_metrics(struct diagnosis *d)
{
    const struct portolan_diagnosis_options *o = d->sources->options;
    size_t n_runs = o->n_repetitions;
    double *values = portolan_arena_alloc(&d->arena, n_runs + 1, sizeof *values), half;

    for (size_t i = 0; n_runs && values && i < d->paradigm->n_metrics; i++) {
        bool is_time = d->paradigm->metrics[i].unit == UNIT_TIME;
        struct measured *m = &d->measured[i];
        size_t n = 0;

        if (!m->samples)
            continue;
        values[n++] = is_time ? m->value / d->run_ns : m->value;
        for (size_t k = 0; k < n_runs; k++) {
            const struct diagnosis *run = other_run(o->repetitions, k);

            if (run->measured[i].samples)
                values[n++] =
                    is_time ? run->measured[i].value / run->run_ns : run->measured[i].value;
        }
        m->value = mean_of(values, n, &half) * (is_time ? d->run_ns : 1);
        m->spread = fmax(m->spread, half * (is_time ? d->run_ns : 1));
        m->samples *= n;
    }
}

/* Returns the share of the run that causes must exceed: the error of removing the cost of
 * recording, or the difference to runs with less recording; 0: neither matters. */
static double disagreement(struct diagnosis *d)
{
    const struct portolan_diagnosis_options *o = d->sources->options;
    double least = threshold(d, "runs"), wrong = o->recording * threshold(d, "recording"), most = 0;

    if (wrong > threshold(d, "gain"))
        d->public.disagreement = portolan_arena_printf(
            &d->arena, "the cost of recording is known within %.1f %% of the run",
            100 * (most = wrong));
    if (isfinite(o->overhead) && o->overhead > fmax(most, least))
        d->public.disagreement =
            portolan_arena_printf(&d->arena, "runs disagree: recording made the run %.1f %% longer",
                                  100 * (most = o->overhead));
    for (size_t k = 0; k < o->n_experiments; k++)
        for (size_t i = 0; i < d->paradigm->n_metrics; i++) {
            const struct diagnosis *run = other_run(o->experiments, k);
            const struct metric *metric = &d->paradigm->metrics[i];
            double here = d->measured[i].value / d->run_ns,
                   there = run->measured[i].value / run->run_ns;

            if (metric->unit != UNIT_TIME || !d->measured[i].samples || !run->measured[i].samples ||
                !(fabs(here - there) > fmax(most, least)))
                continue;
            most = fabs(here - there);
            d->public.disagreement = portolan_arena_printf(
                &d->arena,
                "runs disagree: %s is %.1f %% of run time in one run and %.1f %% in another",
                item_title(&d->arena, d->paradigm, &metric->item), 100 * there, 100 * here);
        }
    d->public.runs_disagree = most > wrong && most > least;
    return most;
}

/* Averages the gain over all repetitions that know it. */
static void average_gain(struct diagnosis *d, size_t node, struct gain *gain)
{
    const struct portolan_diagnosis_options *o = d->sources->options;
    size_t n_runs = o->n_repetitions, n = 0;
    double *values = portolan_arena_alloc(&d->arena, n_runs + 1, sizeof *values), half;

    if (!n_runs || !values || !gain->is_known)
        return;
    values[n++] = gain->share;
    for (size_t k = 0; k < n_runs; k++) {
        const struct diagnosis *run = other_run(o->repetitions, k);

        for (size_t i = 0; i < run->public.n_causes; i++)
            if (run->found[i] == node && run->gains[i].is_known)
                values[n++] = run->gains[i].share;
    }
    gain->share = mean_of(values, n, &half);
    half = fmax(half, (gain->high - gain->low) / 2);
    gain->low = gain->share - half;
    gain->high = gain->share + half;
    gain->without_ns = d->public.run_ns * (1 - gain->share);
    if (half >= gain->share) {
        gain->is_known = false;
        gain->why = "the gains of repeated runs differ by as much as its gain";
    }
}

/* Marks metrics that cost no more than runs differ by as not trusted. */
static void judge_metrics(struct diagnosis *d, double disagreement)
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
        if (metric->unit == UNIT_TIME && disagreement > 0 && m->of_run <= disagreement &&
            m->measured.is_trusted) {
            m->measured.is_trusted = false;
            m->measured.why = d->public.disagreement;
        }
    }
}

bool composed_rest(const struct diagnosis *d, const struct composed *c, double *whole, double *rest)
{
    const struct metric *metrics = d->paradigm->metrics;

    if (c->event != HERCULE_NONE)
        return false;
    *whole = c->metric == HERCULE_NONE ? d->run_ns : d->measured[c->metric].value;
    *rest = *whole;
    for (size_t i = 0; i < c->n_of; i++) {
        if (d->measured[c->parts[i]].samples)
            *rest -= d->measured[c->parts[i]].value;
        else if (metrics[c->parts[i]].experiment <= metrics[c->parts[0]].experiment)
            return false; /* a later experiment separates it from the rest */
    }
    return c->metric == HERCULE_NONE || d->measured[c->metric].samples;
}

/* Returns the unexplained part of the run: the rest of each whole in its first view. */
static double unexplained(const struct diagnosis *d)
{
    double sum = 0, whole, rest;

    for (size_t i = 0; i < d->paradigm->n_composed; i++)
        if (!*d->paradigm->composed[i].view &&
            composed_rest(d, &d->paradigm->composed[i], &whole, &rest))
            sum += rest;
    return share_of(sum, d->run_ns);
}

/* Marks wholes that are less than their parts: what is measured of them is not trusted. */
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

static void prepare_nodes(struct diagnosis *d)
{
    for (size_t i = 0; i < d->paradigm->n_nodes; i++) {
        const struct node *node = &d->paradigm->nodes[i];
        struct conclusion *c = &d->conclusions[i];
        double truth = 1;

        c->threshold = threshold(d, node->threshold_name);
        c->most = 1;
        if (*node->most.text)
            c->most = evaluate(d, &node->most, &c->most) ? share_of(c->most, d->run_ns) : NAN;
        if (*node->condition.text)
            evaluate(d, &node->condition, &truth);
        c->condition = isnan(truth) ? CONDITION_UNKNOWN : truth != 0 ? CONDITION_YES : CONDITION_NO;
    }
}

/* Fills the values of metrics into a text of FACTOR; *IS_KNOWN becomes false if one is unknown. */
static const char *fill_text(struct diagnosis *d, const struct factor *factor, const char *at,
                             bool *is_known)
{
    struct portolan_text text = {.arena = &d->arena};

    while (*at) {
        size_t plain = strcspn(at, "{"), length = strcspn(at, "}");
        const char *name;
        size_t metric;

        portolan_text_add_bytes(&text, at, plain);
        if (!at[plain])
            break;
        name = portolan_arena_strndup(&d->arena, at + plain + 1, length - plain - 1);
        metric = name ? paradigm_find(&d->arena, d->paradigm, "metric", factor->item.context, name)
                      : HERCULE_NONE;
        if (metric != HERCULE_NONE && isfinite(d->measured[metric].value)) {
            portolan_text_add(&text, fabs(d->measured[metric].value) < 1e4 ? "%.4g" : "%.0f",
                              d->measured[metric].value);
        } else {
            portolan_text_add(&text, "(unknown)");
            *is_known = false;
        }
        at += length + (at[length] == '}');
    }
    return text.bytes ? text.bytes : "";
}

static double weight(const struct diagnosis *d, size_t node, const struct gain *gain)
{
    return gain->is_known ? gain->share : d->metrics[d->paradigm->nodes[node].metric].of_run;
}

/* Inserts NODE in the order of gain, then of name. */
static void insert_finding(struct diagnosis *d, size_t node, const struct gain *gain)
{
    const struct node *nodes = d->paradigm->nodes;
    double mine = weight(d, node, gain), other;
    size_t at = d->public.n_findings++;

    d->public.n_causes++;
    for (; at > 0; at--) {
        other = weight(d, d->found[at - 1], &d->gains[at - 1]);
        if (mine < other ||
            (mine == other && strcmp(nodes[node].item.name, nodes[d->found[at - 1]].item.name) > 0))
            break;
        d->found[at] = d->found[at - 1];
        d->gains[at] = d->gains[at - 1];
    }
    d->found[at] = node;
    d->gains[at] = *gain;
}

static void add_evidence(struct diagnosis *d, const struct factor *factor,
                         struct portolan_text *where)
{
    for (size_t i = 0; i < factor->n_evidence; i++) {
        bool is_known = true;
        const char *text = fill_text(d, factor, factor->evidence[i], &is_known);

        if (is_known)
            portolan_text_add(where, "%s%s", where->length ? ", " : "", text);
    }
}

static void describe_finding(struct diagnosis *d, size_t i)
{
    const struct diagnosis_sources *s = d->sources;
    const struct node *node = &d->paradigm->nodes[d->found[i]];
    const struct factor *factor = &d->paradigm->factors[node->factor];
    const struct gain *gain = &d->gains[i];
    struct portolan_text where = {.arena = &d->arena}, place = where;
    bool is_known;

    if (s->where && i < d->public.n_findings) {
        add_evidence(d, factor, &where);
        s->where(s->arg, d->paradigm, d->found[i], d->measured[node->metric].value, &place);
        portolan_text_add(&where, "%s%s", where.length && place.length ? "; " : "",
                          place.length ? place.bytes : "");
    }
    d->public.findings[i] = (struct portolan_finding){
        .verdict = i < d->public.n_findings          ? PORTOLAN_PROBLEM
                   : d->conclusions[d->found[i]].why ? PORTOLAN_CANNOT_TELL
                                                     : PORTOLAN_NO_PROBLEM,
        .cause = node->item.name,
        .text = item_title(&d->arena, d->paradigm, &node->item),
        .factor = factor->item.name,
        .remedy = fill_text(d, factor, factor->remedy, &is_known),
        .where = where.bytes ? where.bytes : "",
        .instance = "",
        .port = "",
        .share = d->metrics[node->metric].of_run,
        .spread = d->metrics[node->metric].of_run_spread,
        .without_ns = gain->is_known ? gain->without_ns : NAN,
        .gain = gain->is_known ? gain->share : NAN,
        .low = gain->is_known ? gain->low : NAN,
        .high = gain->is_known ? gain->high : NAN,
    };
}

/* Lists causes that were measured and are no problem, for comparisons. */
static void list_other_causes(struct diagnosis *d)
{
    for (size_t i = 0; i < d->paradigm->n_nodes; i++) {
        size_t k = 0;

        while (k < d->public.n_findings && d->found[k] != i)
            k++;
        if (d->paradigm->nodes[i].kind == NODE_CAUSE && k == d->public.n_findings &&
            isfinite(d->metrics[d->paradigm->nodes[i].metric].of_run))
            d->found[d->public.n_causes++] = i;
    }
}

static void find_causes(struct diagnosis *d)
{
    const struct paradigm *p = d->paradigm;
    const struct diagnosis_sources *s = d->sources;

    for (size_t i = 0; i < p->n_nodes; i++) {
        struct gain gain = {0};

        if (p->nodes[i].kind != NODE_CAUSE || !d->conclusions[i].holds)
            continue;
        if (s->gain)
            gain.is_known = s->gain(s->arg, p, &i, 1, &gain);
        average_gain(d, i, &gain);
        if (!gain.is_known && gain.why && !d->conclusions[i].why)
            d->conclusions[i].why = gain.why;
        else if (!gain.is_known || gain.share >= threshold(d, "gain"))
            insert_finding(d, i, &gain);
    }
    list_other_causes(d);
    for (size_t i = 0; i < d->public.n_causes; i++)
        describe_finding(d, i);
    if (d->public.n_findings > 1 && s->gain &&
        !s->gain(s->arg, p, d->found, d->public.n_findings, &d->together))
        d->together.is_known = false;
}

void components_of(const struct paradigm *p, const struct expression *formula, int depth,
                   struct named_components *named)
{
    for (size_t i = 0; depth && i < formula->n_references; i++) {
        const struct reference *r = &formula->references[i];
        size_t k = 0;

        if (r->kind == REFERENCE_METRIC)
            components_of(p, &p->metrics[r->index].formula, depth - 1, named);
        else if (r->kind != REFERENCE_COMPONENT && r->attribute != HERCULE_NONE)
            components_of(p, &p->attributes[r->attribute].formula, depth - 1, named);
        if (r->kind != REFERENCE_COMPONENT)
            continue;
        while (k < named->n && named->of[k] != r->index)
            k++;
        if (k == named->n && k < 64)
            named->of[named->n++] = r->index;
    }
}

/* Adds the components that METRIC names. */
static void add_components(struct diagnosis *d, size_t metric, struct portolan_wanted *wanted)
{
    const char **names = (const char **)wanted->components;
    struct named_components named = {0};

    components_of(d->paradigm, &d->paradigm->metrics[metric].formula, 16, &named);
    for (size_t i = 0; i < named.n; i++) {
        const char *name = d->paradigm->components[named.of[i]].item.name;
        size_t k = 0;

        while (k < wanted->n_components && strcmp(names[k], name) != 0)
            k++;
        if (k == wanted->n_components)
            portolan_arena_append(&d->arena, &names, &wanted->n_components, &name, sizeof name);
    }
    wanted->components = names;
}

/* Lists wanted experiments, such as "trace of restriction", each once. */
static void list_wanted(struct diagnosis *d)
{
    static const char *const words[] = {"profile", "profile of operations", "trace"};
    const struct paradigm *p = d->paradigm;
    struct portolan_wanted *wanted = NULL;
    size_t n = 0;

    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct node *node = &p->nodes[i];
        struct portolan_wanted new = {.experiment = (int)d->conclusions[i].request + 1};
        size_t k = 0;

        if (d->conclusions[i].request == N_EXPERIMENTS)
            continue;
        new.text = words[d->conclusions[i].request];
        if (node->n_under) {
            new.of = item_title(&d->arena, p, &p->nodes[node->parents[0]].item);
            new.text = portolan_arena_printf(&d->arena, "%s of %s", new.text, new.of);
        }
        while (new.text && k < n &&strcmp(wanted[k].text, new.text) != 0)
            k++;
        if (new.text && k == n && !portolan_arena_append(&d->arena, &wanted, &n, &new, sizeof new))
            return;
        /* A profile is of the whole run, and shows how large a metric can be at most. */
        if (new.text && d->conclusions[i].request == p->metrics[node->metric].experiment)
            add_components(d, node->metric, &wanted[k]);
    }
    d->public.wanted = wanted;
    d->public.n_wanted = n;
}

static void conclude(struct diagnosis *d)
{
    const char *why = d->public.n_findings ? NULL : diagnosis_doubt(d, threshold(d, "unexplained"));

    d->public.verdict = d->public.n_findings ? PORTOLAN_PROBLEM
                        : why                ? PORTOLAN_CANNOT_TELL
                                             : PORTOLAN_NO_PROBLEM;
    d->public.why = why ? why : "";
}

static enum portolan_status diagnose_into(struct diagnosis *d, struct portolan_error *err)
{
    const struct diagnosis_sources *s = d->sources;
    enum portolan_status status = check_settings(d->paradigm, s->options, err);

    if (status)
        return status;
    d->run_ns = global(d, GLOBAL_RUN);
    d->public.n_ranks = (int)fmax(global(d, GLOBAL_P), 0);
    d->public.run_ns = global(d, GLOBAL_T);
    d->public.paradigm = d->paradigm->item.name;
    if (!metrics_evaluate(d->paradigm, s->lookup, s->arg, d->measured))
        return portolan_no_memory(err);
    average_metrics(d);
    distrust_compositions(d);
    judge_metrics(d, disagreement(d));
    prepare_nodes(d);
    status = paradigm_infer(d->paradigm, d->metrics, d->conclusions, &d->arena, err);
    if (status)
        return status;
    find_causes(d);
    list_wanted(d);
    d->public.unexplained = unexplained(d);
    conclude(d);
    return d->arena.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

enum portolan_status diagnosis_make(const struct paradigm *paradigm,
                                    const struct diagnosis_sources *sources,
                                    struct portolan_diagnosis **out, struct portolan_error *err)
{
    struct diagnosis *d = portolan_calloc(1, sizeof *d);
    size_t n_nodes = paradigm->n_nodes;
    enum portolan_status status;

    *out = NULL;
    if (!d)
        return portolan_no_memory(err);
    d->paradigm = paradigm;
    d->sources = sources;
    d->public.disagreement = d->public.misfit = "";
    d->measured = portolan_arena_alloc(&d->arena, paradigm->n_metrics, sizeof *d->measured);
    d->metrics = portolan_arena_alloc(&d->arena, paradigm->n_metrics, sizeof *d->metrics);
    d->conclusions = portolan_arena_alloc(&d->arena, n_nodes, sizeof *d->conclusions);
    d->found = portolan_arena_alloc(&d->arena, n_nodes, sizeof *d->found);
    d->gains = portolan_arena_alloc(&d->arena, n_nodes, sizeof *d->gains);
    d->public.findings = portolan_arena_alloc(&d->arena, n_nodes, sizeof *d->public.findings);
    status = d->arena.failed ? portolan_no_memory(err) : diagnose_into(d, err);
    d->sources = NULL;
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
