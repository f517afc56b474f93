/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns fitted quantities into costs: for each call path and combination of implementations the
 * calls per call of the caller, the exclusive time per call, set-up, and the verdict whether it may
 * be used.
 *
 * The difficulty is which contexts to expect: expect() takes them from the surest source that there
 * is. The time is then the mean over these contexts, each with its share of the calls. All laws are
 * evaluated by plan_quantity_value(), and predictions outside the measured range are counted.
 *
 * A view keeps the costs of one question, such as a whole run, or the rest of one. It is filled at
 * every swap point; a cost is computed again only if its contexts changed or rows arrived.
 */
#include "plan_internal.h"

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

/* The question: the cost of one combination of implementations on one path. */
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
 * Returns the contexts to expect, from the surest source that there is: seen in the last step;
 * announced; measured at these parameters with these implementations; known beforehand; modelled as
 * functions of the parameters; measured at these parameters with other implementations.
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
    for (size_t k = 0; k < at->scope.n_tuples; k++) /* tuples that differ only in the caller */
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

/* Finds the costs that are paid once, at the beginning of a run and on a return within it. If one
 * was never seen, the other is used for it. */
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

/* Gives unmeasured implementations on an insignificant path the costs of a measured one. */
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

/* Hashes the contexts on which a path's costs depend. */
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

/* Counts the rows that have arrived, on which a tuple's costs depend, too. */
static uint64_t count_arrived(const struct plan_tuple *t)
{
    const struct plan_rows *exclusive = t->exclusive.rows, *overall = t->overall.rows;

    return (exclusive ? exclusive->n_arrived : 0) + (overall ? overall->n_arrived : 0);
}

/* Computes a cost again only if its inputs have changed, because this is done at every step. */
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
