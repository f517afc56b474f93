/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns fitted quantities into costs at given contexts, and totals. */
#include "plan_internal.h"

#include <stdio.h>
#include <string.h>

enum portolan_status plan_view_create(const struct portolan_plan *p, struct portolan_arena *pool,
                                      struct plan_view *v)
{
    *v = (struct plan_view){.p = p, .steps = p->steps};
    v->costs = portolan_arena_alloc(pool, p->s.n_nodes, sizeof *v->costs);
    v->stamps = portolan_arena_alloc(pool, p->s.n_nodes, sizeof *v->stamps);
    v->conversions = portolan_arena_alloc(pool, p->n_data, sizeof *v->conversions);
    v->once = portolan_arena_alloc(pool, p->s.n_variables, sizeof *v->once);
    for (size_t i = 0; !pool->failed && i < p->s.n_nodes; i++) {
        v->costs[i] = portolan_arena_alloc(pool, p->paths[i].scope.n_tuples, sizeof **v->costs);
        v->stamps[i] = portolan_arena_alloc(pool, p->paths[i].scope.n_tuples, sizeof **v->stamps);
    }
    for (size_t i = 0; !pool->failed && i < p->s.n_variables; i++) {
        v->once[i] = portolan_arena_alloc(pool, p->s.variables[i].n, sizeof **v->once);
        for (size_t k = 0; v->once[i] && k < p->s.variables[i].n; k++)
            v->once[i][k] = portolan_assembly_may_run(p->s.variables[i].instance, k) ? 0 : INFINITY;
    }
    return pool->failed ? PORTOLAN_ENOMEM : PORTOLAN_OK;
}

/* The cost of a combination of implementations that is to be found. */
struct costing {
    const struct portolan_plan *p;
    size_t path, tuple;
    const struct survey_node *node;
    const struct plan_tuple *t;
    const struct plan_known *announced;
    const struct profile *profile; /* the contexts to expect; NULL: none are known */
    struct plan_cost *cost;
};

static void note_outside(struct plan_cost *c, const struct portolan_prediction *x)
{
    if (x->extrapolates) {
        c->extrapolating++;
        c->octaves = fmax(c->octaves, x->octaves);
    }
    c->assumed = c->assumed || x->is_assumed;
}

/* Copies CONTEXT with announced values in place of its own, and adds the number of ranks. */
static void put_inputs(const struct costing *c, const double *context, double *inputs)
{
    for (int k = 0; k < c->node->n_context; k++) {
        double announced = plan_known_value(c->announced, c->node->context_name[k]);

        inputs[k] = isnan(announced) ? context[k] : announced;
    }
    inputs[c->node->n_context] = c->p->s.ranks;
}

/* The quantity at the plan's parameter values or, by context, its mean over PROFILE; false when it
 * has no value there. */
static bool estimate_quantity(const struct costing *c, const struct quantity *q,
                              const struct profile *profile, struct estimate *e)
{
    size_t n = !q->known ? 0 : !q->by_context ? 1 : profile ? profile->n : 0;

    *e = (struct estimate){0};
    for (size_t i = 0; i < n; i++) {
        double inputs[MAX_INPUTS] = {0}, share = q->by_context ? profile->share[i] : 1;
        struct portolan_prediction x;

        if (q->by_context)
            put_inputs(c, profile->context[i], inputs);
        else
            survey_inputs(&c->p->s, c->p->dim_target, inputs);
        if (!plan_quantity_value(q, inputs, c->p->s.target_point, &x))
            return false;
        note_outside(c->cost, &x);
        e->value += share * x.value;
        e->low += share * x.low;
        e->high += share * x.high;
        e->se += share * (q->by_context ? x.value : 1) * x.std_error;
    }
    if (q->by_context)
        e->se = e->value > 0 ? e->se / e->value : 0;
    return n > 0;
}

/* The contexts as functions of the swept parameters, evaluated at the plan's. */
static bool slots_profile(const struct costing *c, double (*context)[PORTOLAN_CONTEXT_MAX],
                          struct profile *out)
{
    const struct plan_tuple *t = c->t;
    struct plan_cost ignored = {0};
    struct costing apart = *c;

    apart.cost = &ignored;
    for (size_t i = 0; i < t->n_slots; i++)
        for (int k = 0; k < c->node->n_context; k++) {
            struct estimate e;

            if (!estimate_quantity(&apart, &t->slot_context[i][k], NULL, &e))
                return false;
            context[i][k] = e.value;
        }
    *out = (struct profile){t->n_slots, context, t->slot_share};
    return t->n_slots > 0;
}

static const double whole = 1;

double plan_known_value(const struct plan_known *known, const char *name)
{
    for (size_t j = 0; j < known->n; j++)
        if (strcmp(known->names[j], name) == 0)
            return known->values[j];
    return NAN;
}

/*
 * Fills the contexts with announced or else known values; NaN if there is neither. False when a
 * context that the time needs is not announced.
 */
static bool announce_all(const struct costing *c, const struct plan_known *a, double *context)
{
    const struct quantity *q = &c->t->exclusive;

    for (int k = 0; k < c->node->n_context; k++) {
        context[k] = plan_known_value(a, c->node->context_name[k]);
        if (isnan(context[k]))
            context[k] = plan_known_value(&c->p->known, c->node->context_name[k]);
    }
    for (size_t i = 0; i < q->n_inputs; i++)
        if ((int)q->inputs[i] != c->node->n_context /* the ranks */
            && isnan(plan_known_value(a, c->node->context_name[q->inputs[i]])))
            return false;
    return a->n > 0;
}

/*
 * The contexts to expect, from the surest source that there is: seen now; announced; measured at
 * these parameters with these implementations; known beforehand; modelled; measured at these
 * parameters with other implementations.
 */
static const struct profile *expect(const struct costing *c, const struct profile *seen,
                                    double (*context)[PORTOLAN_CONTEXT_MAX],
                                    struct profile *modelled)
{
    const struct plan_path *at = &c->p->paths[c->path];
    const struct plan_tuple *t = c->t;

    if (seen && seen->n)
        return seen;
    *modelled = (struct profile){1, context, &whole};
    if (announce_all(c, c->announced, context[0]))
        return modelled;
    if (t->exact.n)
        return &t->exact;
    for (size_t k = 0; k < at->scope.n_tuples; k++) /* of tuples that differ only in the caller */
        if (at->tuples[k].exact.n && at->tuples[k].exclusive.rows == t->exclusive.rows)
            return &at->tuples[k].exact;
    if (announce_all(c, &c->p->known, context[0]) || slots_profile(c, context, modelled))
        return modelled;
    for (size_t k = 0; k < at->scope.n_tuples; k++)
        if (at->tuples[k].exact.n)
            return &at->tuples[k].exact;
    return NULL;
}

static bool exclusive_cost(const struct costing *c)
{
    const struct plan_tuple *t = c->t;
    bool is_blind = t->exclusive.by_context && !c->profile;

    return estimate_quantity(c, is_blind ? &t->overall : &t->exclusive, c->profile,
                             &c->cost->exclusive);
}

/* What is paid once: at the beginning of a run, and on a return within it. Each stands for the
 * other where that was not seen. */
static void once_cost(const struct costing *c)
{
    const struct plan_tuple *t = c->t;

    estimate_quantity(c, t->setup.known ? &t->setup : &t->again, c->profile, &c->cost->setup);
    estimate_quantity(c, t->again.known ? &t->again : &t->setup, c->profile, &c->cost->again);
}

/* The accuracy to expect: as reported at these parameters; or else the model's, the worst of all
 * contexts. */
static void expect_accuracy(const struct costing *c)
{
    const struct quantity *q = &c->t->accuracy;
    struct estimate *worst = &c->cost->accuracy, e;
    struct plan_cost asked = {0};
    struct costing apart = *c;
    size_t n = !q->by_context ? 1 : c->profile ? c->profile->n : 0;

    apart.cost = &asked;
    *worst = c->t->accuracy_here;
    if (!isnan(worst->value) && !c->announced->n)
        return;
    *worst = (struct estimate){NAN, NAN, NAN, NAN};
    for (size_t i = 0; i < n; i++) {
        struct profile one = {1, q->by_context ? c->profile->context + i : NULL, &whole};

        if (estimate_quantity(&apart, q, &one, &e) && !(e.value <= worst->value))
            *worst = e;
    }
    if (q->known && isnan(worst->value)) /* the contexts are not known */
        *worst = (struct estimate){q->high, q->low, q->high, 0};
    c->cost->accuracy_outside = asked.extrapolating > 0;
}

/* The worst verdict over the expected contexts. */
static struct plan_verdict admit(const struct costing *c)
{
    struct plan_verdict worst = {.kind = PLAN_ADMITTED, .accuracy = NAN}, v;
    double wanted = plan_wanted(c->p, c->path);
    bool accuracy_rises = wanted > 0 && c->cost->accuracy.value > wanted;
    size_t n = c->profile ? c->profile->n : 1;

    for (size_t i = 0; i < n && worst.kind == PLAN_ADMITTED; i++) {
        double inputs[MAX_INPUTS] = {0}, *known = c->profile ? inputs : NULL;

        if (known)
            put_inputs(c, c->profile->context[i], inputs);
        v = plan_applies(c->p, c->path, c->tuple, known);
        if (v.kind == PLAN_ADMITTED)
            v = plan_admit(c->p, c->path, c->tuple, known, accuracy_rises);
        if (v.kind != PLAN_ADMITTED || !(v.accuracy <= worst.accuracy))
            worst = v;
    }
    if (worst.kind == PLAN_ADMITTED && c->t->exclusive.stated)
        worst = plan_admit_stated(c->p, c->path, c->cost->accuracy.value);
    return worst;
}

static void fill_tuple(const struct portolan_plan *p, size_t path, size_t tuple,
                       const struct profile *seen, const struct plan_known *a,
                       struct plan_cost *cost)
{
    const struct plan_tuple *t = &p->paths[path].tuples[tuple];
    struct costing c = {p, path, tuple, &p->s.nodes[path], t, a, NULL, cost};
    double context[MAX_SLOTS][PORTOLAN_CONTEXT_MAX] = {{0}};
    struct profile modelled;
    bool known;

    *cost = (struct plan_cost){0};
    if (c.node->n_context)
        c.profile = expect(&c, seen, context, &modelled);
    expect_accuracy(&c);
    cost->verdict = admit(&c);
    cost->allowed = cost->verdict.kind == PLAN_ADMITTED;
    cost->hope = cost->verdict.hope;
    if ((!cost->allowed && !(cost->hope > 0)) || t->unneeded)
        return;
    known = t->seen && estimate_quantity(&c, &t->calls, NULL, &cost->calls);
    if (known)
        once_cost(&c);
    if (isinf(cost->octaves)) /* only the prediction of the calls themselves counts as blind */
        cost->octaves = 0;
    if (!known || (cost->calls.value > 0 && !exclusive_cost(&c))) {
        cost->allowed = false;
        cost->hope = 0;
    }
}

/* An insignificant path costs the same with implementations that nobody measured as with measured
 * ones. */
static void guess_pruned(const struct portolan_plan *p, size_t path, struct plan_cost *costs)
{
    const struct plan_path *at = &p->paths[path];
    size_t known = 0;

    while (known < at->scope.n_tuples && !(at->tuples[known].seen && costs[known].allowed))
        known++;
    if (at->core || known == at->scope.n_tuples)
        return;
    for (size_t k = 0; k < at->scope.n_tuples; k++)
        if (!at->tuples[k].seen && costs[k].verdict.kind == PLAN_ADMITTED) {
            costs[k] = costs[known];
            costs[k].guessed = true;
        }
}

/* Of the contexts that a path's costs depend on. */
static uint64_t hash_contexts(const struct profile *seen, const struct plan_known *a)
{
    uint64_t hash = portolan_hash(a->values, a->n * sizeof *a->values, a->n + 1);

    for (size_t i = 0; i < a->n; i++)
        hash = portolan_hash(a->names[i], strlen(a->names[i]), hash);
    if (seen) {
        hash = portolan_hash(seen->context, seen->n * sizeof *seen->context, hash);
        hash = portolan_hash(seen->share, seen->n * sizeof *seen->share, hash);
    }
    return hash;
}

/* Rows that have arrived, on which a tuple's costs depend, too. */
static uint64_t count_arrived(const struct plan_tuple *t)
{
    const struct plan_rows *exclusive = t->exclusive.rows, *overall = t->overall.rows;

    return (exclusive ? exclusive->n_arrived : 0) + (overall ? overall->n_arrived : 0);
}

/* Finds a cost anew only if what it depends on has changed, for this is done at every step. */
void plan_view_fill(struct plan_view *v, const struct profile *profiles,
                    const struct plan_known *announced)
{
    const struct portolan_plan *p = v->p;
    const struct plan_known a = announced ? *announced : (struct plan_known){0};

    for (size_t i = 0; i < p->s.n_nodes; i++) {
        const struct profile *seen = profiles ? &profiles[i] : NULL;
        uint64_t contexts = hash_contexts(seen, &a);

        for (size_t k = 0; k < p->paths[i].scope.n_tuples; k++) {
            uint64_t stamp = contexts + count_arrived(&p->paths[i].tuples[k]);

            if (v->stamps[i][k] != stamp)
                fill_tuple(p, i, k, seen, &a, &v->costs[i][k]);
            v->stamps[i][k] = stamp;
        }
        guess_pruned(p, i, v->costs[i]);
    }
    plan_fill_conversions(v, &a);
}

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

/* What is paid once: everything is set up in a whole run; within one, what is swapped. NULL:
 * nothing. */
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

/* Without the interval. False: forbidden. */
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

/* Adds the interval to what a path costs: relative errors of independent factors. */
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

/* What a prediction names: the call path farthest outside, and the least accurate one or all. */
struct named {
    size_t farthest, accuracy_of;
    double octaves;
    bool composed;
};

/* Takes the accuracy of call path NODE into that of the whole. */
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

/* Whether there is memory for SELECTION, whatever is known of its time. */
static bool fits(const struct portolan_plan *p, const size_t *selection,
                 struct portolan_plan_prediction *out, struct plan_forbidden *why)
{
    out->memory_bytes = plan_memory_of(p, selection);
    if (!(p->s.a->memory > 0) || out->memory_bytes <= p->s.a->memory * (1 + 1e-9))
        return true;
    *why = (struct plan_forbidden){.tuple = NONE, .by = PLAN_BY_MEMORY, .value = out->memory_bytes};
    return false;
}

/* Adds the conversions of data, and holds the whole against its accuracy; false: not allowed. */
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
