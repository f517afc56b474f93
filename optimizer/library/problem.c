/* SPDX-License-Identifier: BSD-3-Clause */
/* The problem of choice: a table of costs for each call path, and for each conversion of data;
 * variables that say in which layouts shared data exist; memory and accuracy as budgets. */
#include "plan_internal.h"

#include <stdlib.h>
#include <string.h>

static bool calls_vary(const struct portolan_plan *p, const struct plan_view *v, size_t path)
{
    const struct plan_cost *costs = v->costs[path];

    for (size_t k = 1; k < p->paths[path].scope.n_tuples; k++)
        if (costs[k].allowed != costs[0].allowed || costs[k].calls.value != costs[0].calls.value)
            return true;
    return false;
}

struct problem {
    const struct portolan_plan *p;
    const struct plan_view *v;
    const struct plan_horizon *h;
    struct portolan_choice *c;
    struct portolan_error *err;
};

/* ---- tables over variables of the core ---- */

struct table {
    const struct portolan_plan *p;
    struct portolan_arena pool;
    size_t n, size, *variables, *numbers, *selection;
    double *costs;
};

/* An empty table; whatever it will not depend on is as in H, or as written. */
static enum portolan_status table_init(const struct portolan_plan *p, const struct plan_horizon *h,
                                       struct table *t)
{
    *t = (struct table){.p = p, .size = 1};
    t->variables = portolan_arena_alloc(&t->pool, p->s.n_variables + 1, sizeof *t->variables);
    t->numbers = portolan_arena_alloc(&t->pool, p->s.n_variables + 1, sizeof *t->numbers);
    t->selection = portolan_arena_alloc(&t->pool, p->s.n_variables, sizeof *t->selection);
    if (t->pool.failed)
        return PORTOLAN_ENOMEM;
    if (h->current)
        memcpy(t->selection, h->current, p->s.n_variables * sizeof *t->selection);
    return PORTOLAN_OK;
}

/* Adds a variable if it is in the core; NONE adds nothing. */
static void table_add(struct table *t, size_t variable)
{
    if (variable == NONE || t->p->number[variable] == NONE)
        return;
    for (size_t k = 0; k < t->n; k++)
        if (t->variables[k] == variable)
            return;
    t->variables[t->n++] = variable;
}

/* Adds the variables on which a path's cost depends: its own scope and that of its call count. */
static void table_add_path(struct table *t, const struct plan_view *v, size_t path)
{
    for (long at = (long)path; at >= 0; at = t->p->s.nodes[at].parent) {
        const struct plan_scope *scope = &t->p->paths[at].scope;

        if (at == (long)path || calls_vary(t->p, v, (size_t)at))
            for (size_t i = 0; i < scope->n; i++)
                table_add(t, scope->variables[i]);
    }
}

/* Adds the variables on which the layout that is made, and how often, depend. */
static void table_add_making(struct table *t, const struct plan_view *v, const struct plan_data *d)
{
    table_add(t, d->ends[0].variable);
    for (size_t i = 0; i < t->p->s.n_nodes; i++)
        if (plan_makes(t->p, d, i))
            table_add_path(t, v, i);
}

/* Makes room for the costs, with LAST values of one more variable, NUMBER, behind the others. */
static enum portolan_status table_open(struct table *t, size_t last, size_t number)
{
    for (size_t i = 0; i < t->n; i++) {
        t->numbers[i] = t->p->number[t->variables[i]];
        t->size *= t->p->s.variables[t->variables[i]].n;
        if (t->size > 256 * (size_t)MAX_TUPLES)
            return PORTOLAN_EUNSUPPORTED;
    }
    if (number != NONE)
        t->numbers[t->n] = number;
    t->costs = portolan_arena_alloc(&t->pool, t->size * last, sizeof *t->costs);
    return t->costs ? PORTOLAN_OK : PORTOLAN_ENOMEM;
}

/* Sets the table's selection to that of row K. */
static void table_select(struct table *t, size_t k)
{
    for (size_t i = t->n; i-- > 0;) {
        size_t n = t->p->s.variables[t->variables[i]].n;

        t->selection[t->variables[i]] = k % n;
        k /= n;
    }
}

/* What a table is of: a call path; or data, with one taker, or TAKER NULL for what all share. */
struct subject {
    size_t path; /* NONE: data */
    const struct plan_data *data;
    const struct plan_end *taker;
};

/* The entry of one row; SET: the layouts in which shared data exist. */
typedef double entry_fn(const struct portolan_plan *p, const struct plan_view *v,
                        const struct plan_horizon *h, const struct subject *of,
                        const size_t *selection, size_t set);

/* Adds a table of what ENTRY says; of shared data, its last variable is the set of layouts.
 * BUDGET NONE: costs. */
static enum portolan_status add_table(struct problem *x, const struct subject *of, entry_fn *entry,
                                      size_t budget)
{
    const struct portolan_plan *p = x->p;
    size_t sets = of->data && of->data->from->is_shared ? (size_t)1 << of->data->n_layouts : 1;
    struct table t;
    enum portolan_status status = table_init(p, x->h, &t);

    if (!status) {
        if (of->path != NONE)
            table_add_path(&t, x->v, of->path);
        if (of->data && (!of->data->from->is_shared || !of->taker))
            table_add_making(&t, x->v, of->data);
        if (of->taker)
            table_add(&t, of->taker->variable);
        status = table_open(&t, sets, sets > 1 ? of->data->number : NONE);
    }
    for (size_t k = 0; !status && k < t.size * sets; k++) {
        table_select(&t, k / sets);
        t.costs[k] = entry(p, x->v, x->h, of, t.selection, k % sets);
    }
    if (status == PORTOLAN_EUNSUPPORTED)
        portolan_error_set(x->err, status, "the calls of %s depend on too many instances",
                           of->data ? of->data->from->made_by : p->s.nodes[of->path].instance);
    if (!status)
        status =
            budget == NONE
                ? portolan_choice_add_factor(x->c, t.n + (sets > 1), t.numbers, t.costs, x->err)
                : portolan_choice_add_use(x->c, budget, t.n, t.numbers, t.costs, x->err);
    portolan_arena_clear(&t.pool);
    return status;
}

/* ---- entries ---- */

static double path_entry(const struct portolan_plan *p, const struct plan_view *v,
                         const struct plan_horizon *h, const struct subject *of,
                         const size_t *selection, size_t set)
{
    (void)set;
    return plan_path_ns(p, v, h, of->path, selection);
}

static double accuracy_entry(const struct portolan_plan *p, const struct plan_view *v,
                             const struct plan_horizon *h, const struct subject *of,
                             const size_t *selection, size_t set)
{
    size_t tuple = plan_tuple_of(p, &p->paths[of->path].scope, selection);

    (void)h, (void)set;
    return tuple == NONE || !(plan_calls_of(p, v, (long)of->path, selection) > 0)
               ? 0
               : plan_accuracy_use(p, v->costs[of->path][tuple].accuracy.value);
}

static double conversion_entry(const struct portolan_plan *p, const struct plan_view *v,
                               const struct plan_horizon *h, const struct subject *of,
                               const size_t *selection, size_t set)
{
    size_t from = plan_layout_of(&of->data->ends[0], selection);
    double makings = h->steps * plan_makings(p, v, of->data, selection);
    double each = of->taker      ? plan_convert_one(p, v, of->data, of->taker, selection)
                  : from == NONE ? 0
                                 : v->conversions[of->data - p->data].all_ns[from][set];

    return makings > 0 && each > 0 ? makings * each : 0;
}

/* Forbids a taker without its layout among those that exist. */
static double need_entry(const struct portolan_plan *p, const struct plan_view *v,
                         const struct plan_horizon *h, const struct subject *of,
                         const size_t *selection, size_t set)
{
    size_t layout = plan_layout_of(of->taker, selection);

    (void)p, (void)v, (void)h;
    return layout == NONE || set >> layout & 1 ? 0 : INFINITY;
}

/* ---- parts of the problem ---- */

static enum portolan_status add_data(struct problem *x, const struct plan_data *d)
{
    bool is_shared = d->from->is_shared;
    enum portolan_status status = PORTOLAN_OK;

    if (is_shared)
        status = add_table(x, &(struct subject){NONE, d, NULL}, conversion_entry, NONE);
    for (size_t k = 1; !status && k < d->n_ends; k++)
        status = add_table(x, &(struct subject){NONE, d, &d->ends[k]},
                           is_shared ? need_entry : conversion_entry, NONE);
    return status;
}

static enum portolan_status add_memory(struct problem *x)
{
    const struct portolan_plan *p = x->p;
    double left = p->s.a->memory - p->memory_fixed;
    enum portolan_status status;
    size_t budget;

    for (size_t v = 0; v < p->s.n_variables; v++)
        if (p->number[v] == NONE)
            left -= p->memory[v][x->h->current ? x->h->current[v] : 0];
    status = portolan_choice_add_budget(x->c, left, &budget, x->err);
    for (size_t v = 0; !status && v < p->s.n_variables; v++)
        if (p->number[v] != NONE)
            status = portolan_choice_add_use(x->c, budget, 1, &p->number[v], p->memory[v], x->err);
    return status;
}

static enum portolan_status add_accuracies(struct problem *x)
{
    size_t budget;
    enum portolan_status status = portolan_choice_add_budget(
        x->c, plan_accuracy_use(x->p, x->p->s.a->accuracy), &budget, x->err);

    for (size_t i = 0; !status && i < x->p->s.n_nodes; i++)
        status = add_table(x, &(struct subject){i, NULL, NULL}, accuracy_entry, budget);
    return status;
}

static enum portolan_status add_variables(struct problem *x)
{
    const struct portolan_plan *p = x->p;
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; !status && i < p->s.n_variables; i++)
        if (p->number[i] != NONE)
            status = portolan_choice_add_variable(
                x->c, p->s.variables[i].n, x->h->current ? x->h->current[i] : 0, NULL, x->err);
    for (size_t i = 0; !status && i < p->n_data; i++)
        if (p->data[i].number != NONE)
            status = portolan_choice_add_variable(x->c, (size_t)1 << p->data[i].n_layouts,
                                                  PORTOLAN_CHOICE_ANY, NULL, x->err);
    return status;
}

/* Forbids what the assembly excludes. */
static enum portolan_status add_exclusions(struct problem *x, size_t variable)
{
    const struct portolan_plan *p = x->p;
    const struct portolan_assembly_instance *instance = p->s.variables[variable].instance;
    double *costs = portolan_calloc(instance->n_alternatives, sizeof *costs);
    enum portolan_status status = costs ? PORTOLAN_OK : PORTOLAN_ENOMEM;
    bool any = false;

    for (size_t k = 0; costs && k < instance->n_alternatives; k++) {
        costs[k] = portolan_assembly_may_run(instance, k) ? 0 : INFINITY;
        any = any || costs[k] > 0;
    }
    if (any)
        status = portolan_choice_add_factor(x->c, 1, &p->number[variable], costs, x->err);
    free(costs);
    return status;
}

enum portolan_status plan_make_problem(const struct portolan_plan *p, const struct plan_view *v,
                                       const struct plan_horizon *h, struct portolan_choice **out,
                                       struct portolan_error *err)
{
    struct problem x = {.p = p, .v = v, .h = h, .err = err};
    enum portolan_status status = portolan_choice_create(&x.c, err);

    if (!status)
        status = add_variables(&x);
    for (size_t i = 0; !status && i < p->s.n_nodes; i++)
        status = add_table(&x, &(struct subject){i, NULL, NULL}, path_entry, NONE);
    for (size_t i = 0; !status && i < p->n_data; i++)
        status = add_data(&x, &p->data[i]);
    /* A running assembly knows what is excluded meanwhile (struct portolan_plan_now). */
    for (size_t i = 0; !status && !h->current && i < p->s.n_variables; i++)
        if (p->number[i] != NONE)
            status = add_exclusions(&x, i);
    if (!status && p->s.a->memory > 0)
        status = add_memory(&x);
    if (!status && p->s.a->accuracy > 0 && plan_composes(p))
        status = add_accuracies(&x);
    if (status == PORTOLAN_ENOMEM)
        portolan_no_memory(err);
    if (status)
        portolan_choice_destroy(x.c);
    else
        *out = x.c;
    return status;
}

void plan_put_values(const struct portolan_plan *p, const struct plan_view *v,
                     const size_t *selection, size_t *values)
{
    for (size_t i = 0; i < p->s.n_variables; i++)
        if (p->number[i] != NONE)
            values[p->number[i]] = selection[i];
    for (size_t i = 0; i < p->n_data; i++)
        if (p->data[i].number != NONE)
            values[p->data[i].number] = plan_made_layouts(p, v, &p->data[i], selection);
}
