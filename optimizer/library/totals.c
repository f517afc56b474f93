/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Predicts the time of a whole selection: the sum over call paths of calls per step times exclusive
 * time per call, times the steps, plus what is paid once and conversions of data. A call path is
 * called as often per step as the product of the calls per call along its chain of callers.
 *
 * The interval is that of a product along each path (relative errors of independent factors), and
 * of a sum over the paths: half of the variance is common to all, since the machine's state is, the
 * rest independent. The same loop adds up the accuracy, and remembers the call path farthest
 * outside the measured range, for the report.
 */
#include "plan_internal.h"

#include <stdio.h>

static double relative(double value, double end)
{
    return value > 0 ? (end - value) / value : 0;
}

double plan_calls_of(const struct plan_view *v, long path, const size_t *selection)
{
    double calls = 1;

    for (; path >= 0; path = v->p->s.nodes[path].parent) {
        size_t tuple = plan_tuple_of(v->p, &v->p->paths[path].scope, selection);

        if (tuple == NONE || !v->costs[path][tuple].allowed)
            return 0; /* forbidden by that path's own table */
        calls *= v->costs[path][tuple].calls.value;
    }
    return calls;
}

/* Returns what a path pays once: in a whole run its set-up; within a run the return to the instance
 * if that is swapped. NULL: nothing. */
static const struct estimate *once_of(const struct plan_view *v, size_t path,
                                      const size_t *selection, const struct plan_cost *c)
{
    size_t own = v->p->s.nodes[path].variable;

    if (!v->current)
        return &c->setup;
    return own != NONE && selection[own] != v->current[own] ? &c->again : NULL;
}

struct path_cost {
    double step, setup; /* per step; once */
    double low, high;   /* half widths of the interval, over all steps */
};

/* Finds the cost of a path without its interval; false: forbidden. */
static bool path_cost(const struct plan_view *v, size_t path, const size_t *selection,
                      struct path_cost *out)
{
    size_t tuple = plan_tuple_of(v->p, &v->p->paths[path].scope, selection);
    double calls = plan_calls_of(v, v->p->s.nodes[path].parent, selection);
    const struct estimate *once;
    const struct plan_cost *c;

    *out = (struct path_cost){0};
    if (calls == 0)
        return true; /* the caller is not called, or is forbidden */
    if (tuple == NONE || !v->costs[path][tuple].allowed)
        return false;
    c = &v->costs[path][tuple];
    out->step = calls * c->calls.value * c->exclusive.value;
    once = once_of(v, path, selection, c);
    out->setup = once ? once->value : 0;
    return true;
}

static void add_squares(const struct estimate *e, double *low2, double *high2)
{
    *low2 += pow(relative(e->value, e->low), 2);
    *high2 += pow(relative(e->value, e->high), 2);
}

/* Adds the interval to the cost of a path: relative errors of independent factors. */
static void add_interval(const struct plan_view *v, size_t path, const size_t *selection,
                         struct path_cost *out)
{
    const struct portolan_plan *p = v->p;
    const struct plan_cost *c = &v->costs[path][plan_tuple_of(p, &p->paths[path].scope, selection)];
    double low2 = 0, high2 = 0, whole = out->step * v->steps;
    const struct estimate *once;

    add_squares(&c->exclusive, &low2, &high2);
    for (long at = (long)path; at >= 0; at = p->s.nodes[at].parent)
        add_squares(&v->costs[at][plan_tuple_of(p, &p->paths[at].scope, selection)].calls, &low2,
                    &high2);
    out->low = whole * sqrt(low2);
    out->high = whole * sqrt(high2);
    once = once_of(v, path, selection, c);
    if (once) {
        out->low = hypot(out->low, once->value - once->low);
        out->high = hypot(out->high, once->high - once->value);
    }
}

double plan_path_ns(const struct plan_view *v, size_t path, const size_t *selection)
{
    struct path_cost cost;

    return path_cost(v, path, selection, &cost) ? cost.step * v->steps + cost.setup : INFINITY;
}

/* Call paths that a prediction names: the one farthest outside the measured range, and the least
 * accurate one. */
struct named {
    size_t farthest, accuracy_of;
    double octaves;
    bool composed;
};

/* Adds the accuracy of call path NODE to that of the whole. */
static void note_accuracy(const struct portolan_plan *p, size_t node, const struct plan_cost *c,
                          struct portolan_plan_prediction *out, struct named *named)
{
    const struct estimate *e = &c->accuracy;
    bool sums = p->s.a->composition == PORTOLAN_COMPOSE_SUM;
    bool replaces = isnan(out->accuracy) || !plan_composes(p);
    double *const all[] = {&out->accuracy, &out->accuracy_low, &out->accuracy_high};
    const double own[] = {e->value, e->low, e->high};

    if (!(e->value >= 0) || (!plan_composes(p) && e->value <= out->accuracy))
        return;
    for (int i = 0; i < 3; i++)
        *all[i] = replaces ? own[i] : sums ? *all[i] + own[i] : *all[i] * own[i];
    out->accuracy_extrapolates = c->accuracy_outside || (!replaces && out->accuracy_extrapolates);
    named->accuracy_of = node;
    named->composed = !replaces;
}

static void write_names(const struct portolan_plan *p, const struct named *named,
                        struct portolan_plan_prediction *out)
{
    const struct survey_node *far = &p->s.nodes[named->farthest];
    const struct survey_node *least = &p->s.nodes[named->accuracy_of];

    if (named->octaves > -1)
        snprintf(out->extrapolating, sizeof out->extrapolating,
                 isinf(named->octaves) ? "%.60s.%.50s, whose contexts are not known"
                                       : "%.60s.%.50s a factor %.3g outside",
                 far->instance, far->method, exp2(named->octaves));
    if (named->composed)
        snprintf(out->accuracy_of, sizeof out->accuracy_of, "the %s over all calls",
                 p->s.a->composition == PORTOLAN_COMPOSE_SUM ? "sum" : "product");
    else if (!isnan(out->accuracy))
        snprintf(out->accuracy_of, sizeof out->accuracy_of, "%.60s.%.50s", least->instance,
                 least->method);
}

/* A prediction is unusable if the total may be this many times as long. */
static const double unusable = 5;
/* A choice within the measured range with this chance is certain, even if its time is not. */
static const double no_doubt = 0.99;

/* Returns whether there is memory for SELECTION, whatever is known of its time. */
static bool fits(const struct portolan_plan *p, const size_t *selection,
                 struct portolan_plan_prediction *out, struct plan_forbidden *why)
{
    out->memory_bytes = plan_memory_of(p, selection);
    if (!(p->s.a->memory > 0) || out->memory_bytes <= p->s.a->memory * (1 + 1e-9))
        return true;
    *why = (struct plan_forbidden){.tuple = NONE, .by = PLAN_BY_MEMORY, .value = out->memory_bytes};
    return false;
}

/* Adds the conversions of data, and checks the accuracy of the whole; false: not allowed. */
static bool is_within_bounds(const struct plan_view *v, const size_t *selection,
                             struct portolan_plan_prediction *out, struct plan_forbidden *why)
{
    const struct portolan_plan *p = v->p;
    const struct plan_data *lacking = NULL;

    out->step_ns += plan_convert_all(v, selection, &lacking);
    if (lacking)
        *why = (struct plan_forbidden){.tuple = NONE, .by = PLAN_BY_CONVERSION, .data = lacking};
    else if (p->s.a->accuracy > 0 && plan_composes(p) &&
             out->accuracy > p->s.a->accuracy * (1 + 1e-9))
        *why =
            (struct plan_forbidden){.tuple = NONE, .by = PLAN_BY_ACCURACY, .value = out->accuracy};
    else
        return true;
    return false;
}

/* The error of a sum: half of the variance, that of the machine's state, is common to all paths. */
static double together(double sum, double squares)
{
    return sqrt((sum * sum + squares) / 2);
}

static bool add_up(const struct plan_view *v, const size_t *selection,
                   struct portolan_plan_prediction *out, struct plan_forbidden *why,
                   struct named *named)
{
    const struct portolan_plan *p = v->p;
    double low = 0, high = 0, low2 = 0, high2 = 0;

    *named = (struct named){.octaves = -1};
    *out = (struct portolan_plan_prediction){
        .steps = (int)v->steps, .accuracy = NAN, .accuracy_low = NAN, .accuracy_high = NAN};
    if (!fits(p, selection, out, why))
        return false;
    for (size_t i = 0; i < p->s.n_nodes; i++) {
        struct path_cost cost;
        const struct plan_cost *c;

        if (!path_cost(v, i, selection, &cost)) {
            *why = (struct plan_forbidden){
                .path = i, .tuple = plan_tuple_of(p, &p->paths[i].scope, selection)};
            return false;
        }
        if (cost.step * v->steps + cost.setup <= 0)
            continue;
        add_interval(v, i, selection, &cost);
        out->step_ns += cost.step;
        out->setup_ns += cost.setup;
        low2 += cost.low * cost.low;
        high2 += cost.high * cost.high;
        low += cost.low;
        high += cost.high;
        c = &v->costs[i][plan_tuple_of(p, &p->paths[i].scope, selection)];
        note_accuracy(p, i, c, out, named);
        out->n_extrapolating += c->extrapolating;
        out->is_assumed = out->is_assumed || c->assumed;
        if (c->extrapolating && c->octaves > named->octaves) {
            named->octaves = c->octaves;
            named->farthest = i;
        }
    }
    if (!is_within_bounds(v, selection, out, why))
        return false;
    out->total_ns = out->step_ns * v->steps + out->setup_ns;
    out->low_ns = fmax(0, out->total_ns - together(low, low2));
    out->high_ns = out->total_ns + together(high, high2);
    out->is_unusable = !(out->total_ns > 0) || !(out->high_ns < unusable * out->total_ns);
    return true;
}

bool plan_total(const struct plan_view *v, const size_t *selection,
                struct portolan_plan_prediction *out, struct plan_forbidden *why)
{
    struct plan_forbidden ignored;
    struct named named;

    if (!add_up(v, selection, out, why ? why : &ignored, &named))
        return false;
    write_names(v->p, &named, out);
    return true;
}

bool plan_is_doubted(const struct portolan_plan_prediction *x, double chance)
{
    return x->is_unusable && (chance < no_doubt || x->n_extrapolating);
}

bool plan_calls(const struct plan_view *v, size_t variable, const size_t *selection)
{
    const struct portolan_plan *p = v->p;

    for (size_t i = 0; i < p->s.n_nodes; i++) {
        size_t tuple = plan_tuple_of(p, &p->paths[i].scope, selection);

        if (p->s.nodes[i].variable == variable && tuple != NONE &&
            (plan_calls_of(v, (long)i, selection) > 0 || v->costs[i][tuple].setup.value > 0))
            return true;
    }
    return false;
}

double plan_makings(const struct plan_view *v, const struct plan_data *d, const size_t *selection)
{
    double sum = 0;

    if (!d->from->method)
        return 1;
    for (size_t i = 0; i < v->p->s.n_nodes; i++)
        if (plan_makes(v->p, d, i))
            sum += plan_calls_of(v, (long)i, selection);
    return sum;
}

double plan_convert_all(const struct plan_view *v, const size_t *selection,
                        const struct plan_data **lacking)
{
    double sum = 0;

    for (size_t i = 0; i < v->p->n_data; i++) {
        const struct plan_data *d = &v->p->data[i];
        double each = d->from->is_shared ? plan_convert(v, d, NULL, selection) : 0, makings;

        for (size_t k = 1; !d->from->is_shared && k < d->n_ends; k++)
            each += plan_convert(v, d, &d->ends[k], selection);
        makings = each > 0 ? plan_makings(v, d, selection) : 0;
        if (isinf(each) && makings > 0)
            *lacking = d;
        sum += makings > 0 ? makings * each : 0;
    }
    return sum;
}

/* Returns whether T ran with values that are all at least the present ones, or the same texts. */
static bool ran_so_large(const struct survey *s, const struct survey_trial *t)
{
    bool so_large = t->n_rows > 0;

    for (size_t d = 0; so_large && d < s->n_dims; d++) {
        double own, wanted;

        if (s->dims[d].instance && portolan_read_double(t->texts[d], &own) &&
            portolan_read_double(s->dims[d].target, &wanted))
            so_large = own >= wanted;
        else if (s->dims[d].instance)
            so_large = survey_same_value(t->texts[d], s->dims[d].target);
    }
    return so_large;
}

bool plan_is_accuracy_guessed(const struct portolan_plan *p, const size_t *values)
{
    const struct portolan_assembly *a = p->s.a;
    size_t combination;

    if (!a->program || !(portolan_plan_wanted_accuracy(a, a->program->name) > 0))
        return false;
    combination = p->number[0] == NONE ? 0 : values[p->number[0]];
    for (size_t i = 0; !p->choice.prediction.n_extrapolating && i < p->s.n_trials; i++)
        if (p->s.trials[i].selection[0] == combination && ran_so_large(&p->s, &p->s.trials[i]))
            return false;
    return true;
}
