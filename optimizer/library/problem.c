/* SPDX-License-Identifier: BSD-3-Clause */
/* The problem of choice: a table of costs for each call path, and for each conversion of data;
 * memory and accuracy as budgets. */
#include "plan_internal.h"

#include <stdlib.h>

static bool calls_vary(const struct plan_view *v, size_t path)
{
    const struct plan_cost *costs = v->costs[path];

    for (size_t k = 1; k < v->p->paths[path].scope.n_tuples; k++)
        if (costs[k].allowed != costs[0].allowed || costs[k].calls.value != costs[0].calls.value)
            return true;
    return false;
}

struct problem {
    const struct portolan_plan *p;
    const struct plan_view *v;
    struct portolan_choice *c;
    struct portolan_error *err;
    struct portolan_arena pool;
    /* The table that is being made: its variables, and their numbers in C. */
    size_t n, size, *variables, *numbers;
    size_t *selection; /* the selection of the entry that is being computed */
};

/* ---- tables over variables of the core ---- */

/* The most entries of a table. */
enum { MOST = 256 * MAX_TUPLES };

/* Adds a variable if it is in the core; NONE adds nothing. */
static void table_add(struct problem *x, size_t variable)
{
    if (variable == NONE || x->p->number[variable] == NONE)
        return;
    for (size_t k = 0; k < x->n; k++)
        if (x->variables[k] == variable)
            return;
    x->variables[x->n] = variable;
    x->numbers[x->n++] = x->p->number[variable];
    if (x->size <= MOST)
        x->size *= x->p->s.variables[variable].n;
}

/* Adds the variables on which a path's cost depends: its own scope and that of its call count. */
static void table_add_path(struct problem *x, size_t path)
{
    for (long at = (long)path; at >= 0; at = x->p->s.nodes[at].parent) {
        const struct plan_scope *scope = &x->p->paths[at].scope;

        if (at == (long)path || calls_vary(x->v, (size_t)at))
            for (size_t i = 0; i < scope->n; i++)
                table_add(x, scope->variables[i]);
    }
}

/* Adds the variables on which the layout that is made, and how often, depend. */
static void table_add_making(struct problem *x, const struct plan_data *d)
{
    table_add(x, d->ends[0].variable);
    for (size_t i = 0; i < x->p->s.n_nodes; i++)
        if (plan_makes(x->p, d, i))
            table_add_path(x, i);
}

/* Sets the selection to that of row K. */
static void table_select(struct problem *x, size_t k)
{
    for (size_t i = x->n; i-- > 0;) {
        size_t n = x->p->s.variables[x->variables[i]].n;

        x->selection[x->variables[i]] = k % n;
        k /= n;
    }
}

/* The subject of a table: a call path; or data, with one taker, or with TAKER NULL for conversions
 * that all share. */
struct subject {
    size_t path; /* or NONE */
    const struct plan_data *data;
    const struct plan_end *taker;
};

typedef double entry_fn(const struct problem *x, const struct subject *of);

/* Lists the variables of a table. All others are as they run now, or as written. */
static void table_begin(struct problem *x, const struct subject *of)
{
    x->n = 0;
    x->size = 1;
    for (size_t v = 0; v < x->p->s.n_variables; v++)
        x->selection[v] = x->v->current ? x->v->current[v] : 0;
    if (of->path != NONE)
        table_add_path(x, of->path);
    if (of->data)
        table_add_making(x, of->data);
    for (size_t k = 0; of->data && k < of->data->n_ends; k++)
        if (!of->taker || of->taker == &of->data->ends[k])
            table_add(x, of->data->ends[k].variable);
}

/* Adds a table of what ENTRY says. BUDGET NONE: costs. */
static enum portolan_status add_table(struct problem *x, const struct subject *of, entry_fn *entry,
                                      size_t budget)
{
    enum portolan_status status;
    double *costs;

    table_begin(x, of);
    if (x->size > MOST)
        return portolan_error_set(
            x->err, PORTOLAN_EUNSUPPORTED, "the calls of %s depend on too many instances",
            of->data ? of->data->from->made_by : x->p->s.nodes[of->path].instance);
    if (!(costs = portolan_calloc(x->size, sizeof *costs)))
        return PORTOLAN_ENOMEM;
    for (size_t k = 0; k < x->size; k++) {
        table_select(x, k);
        costs[k] = entry(x, of);
    }
    status = budget == NONE
                 ? portolan_choice_add_factor(x->c, x->n, x->numbers, costs, x->err)
                 : portolan_choice_add_use(x->c, budget, x->n, x->numbers, costs, x->err);
    free(costs);
    return status;
}

/* ---- entries ---- */

static double path_entry(const struct problem *x, const struct subject *of)
{
    return plan_path_ns(x->v, of->path, x->selection);
}

static double accuracy_entry(const struct problem *x, const struct subject *of)
{
    size_t tuple = plan_tuple_of(x->p, &x->p->paths[of->path].scope, x->selection);

    return tuple == NONE || !(plan_calls_of(x->v, (long)of->path, x->selection) > 0)
               ? 0
               : plan_accuracy_use(x->p, x->v->costs[of->path][tuple].accuracy.value);
}

static double conversion_entry(const struct problem *x, const struct subject *of)
{
    double makings = x->v->steps * plan_makings(x->v, of->data, x->selection);
    double each = plan_convert(x->v, of->data, of->taker, x->selection);

    return makings > 0 && each > 0 ? makings * each : 0;
}

/* ---- parts of the problem ---- */

static enum portolan_status add_data(struct problem *x, const struct plan_data *d)
{
    enum portolan_status status = PORTOLAN_OK;

    if (d->from->is_shared)
        return add_table(x, &(struct subject){NONE, d, NULL}, conversion_entry, NONE);
    for (size_t k = 1; !status && k < d->n_ends; k++)
        status = add_table(x, &(struct subject){NONE, d, &d->ends[k]}, conversion_entry, NONE);
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
            left -= p->memory[v][x->v->current ? x->v->current[v] : 0];
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
        status = add_table(x, &(struct subject){.path = i}, accuracy_entry, budget);
    return status;
}

static enum portolan_status add_variables(struct problem *x)
{
    const struct portolan_plan *p = x->p;
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; !status && i < p->s.n_variables; i++)
        if (p->number[i] != NONE)
            status = portolan_choice_add_variable(
                x->c, p->s.variables[i].n, x->v->current ? x->v->current[i] : 0, NULL, x->err);
    return status;
}

static enum portolan_status problem_init(struct problem *x)
{
    size_t n = x->p->s.n_variables;

    x->variables = portolan_arena_alloc(&x->pool, n, sizeof *x->variables);
    x->numbers = portolan_arena_alloc(&x->pool, n, sizeof *x->numbers);
    x->selection = portolan_arena_alloc(&x->pool, n, sizeof *x->selection);
    return x->pool.failed ? PORTOLAN_ENOMEM : portolan_choice_create(&x->c, x->err);
}

enum portolan_status plan_make_problem(const struct plan_view *v, struct portolan_choice **out,
                                       struct portolan_error *err)
{
    const struct portolan_plan *p = v->p;
    struct problem x = {.p = p, .v = v, .err = err};
    enum portolan_status status = problem_init(&x);

    if (!status)
        status = add_variables(&x);
    for (size_t i = 0; !status && i < p->s.n_nodes; i++)
        status = add_table(&x, &(struct subject){.path = i}, path_entry, NONE);
    for (size_t i = 0; !status && i < p->n_data; i++)
        status = add_data(&x, &p->data[i]);
    for (size_t i = 0; !status && i < p->s.n_variables; i++)
        if (p->number[i] != NONE)
            status = portolan_choice_add_factor(x.c, 1, &p->number[i], v->once[i], err);
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
    portolan_arena_clear(&x.pool);
    return status;
}

void plan_put_values(const struct plan_view *v, const size_t *selection, size_t *values)
{
    const struct portolan_plan *p = v->p;

    for (size_t i = 0; i < p->s.n_variables; i++)
        if (p->number[i] != NONE)
            values[p->number[i]] = selection[i];
}
