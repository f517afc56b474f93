/* SPDX-License-Identifier: BSD-3-Clause */
#include "choice_internal.h"

#include <portolan/list.h>
#include <stdlib.h>
#include <string.h>

enum portolan_status portolan_choice_create(struct portolan_choice **c, struct portolan_error *err)
{
    *c = portolan_calloc(1, sizeof **c);
    return *c ? PORTOLAN_OK : portolan_no_memory(err);
}

void portolan_choice_destroy(struct portolan_choice *c)
{
    if (c)
        portolan_arena_clear(&c->pool);
    free(c);
}

enum portolan_status portolan_choice_add_variable(struct portolan_choice *c, size_t values,
                                                  size_t as_written, size_t *variable,
                                                  struct portolan_error *err)
{
    size_t n = c->n;

    if (values == 0 || as_written >= values)
        return portolan_error_set(err, PORTOLAN_EINVAL, "variable with %zu values, %zu as written",
                                  values, as_written);
    if (!portolan_arena_append(&c->pool, &c->written, &n, &as_written, sizeof as_written) ||
        !portolan_arena_append(&c->pool, &c->domain, &c->n, &values, sizeof values))
        return portolan_no_memory(err);
    if (variable)
        *variable = n - 1;
    return PORTOLAN_OK;
}

/* The size of a table over VARIABLES; 0 if these are not valid. */
static size_t table_size(const struct portolan_choice *c, size_t n, const size_t *variables)
{
    size_t size = 1;

    for (size_t i = 0; i < n; i++) {
        if (variables[i] >= c->n || __builtin_mul_overflow(size, c->domain[variables[i]], &size))
            return 0;
        for (size_t j = 0; j < i; j++)
            if (variables[j] == variables[i])
                return 0;
    }
    return size;
}

static enum portolan_status add_table(struct portolan_choice *c, size_t layer, size_t n,
                                      const size_t *variables, const double *costs,
                                      struct portolan_error *err)
{
    struct choice_factor f = {.layer = layer, .n = n, .size = table_size(c, n, variables)};
    size_t stride = 1;

    if (f.size == 0)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "cost table over unknown, repeated or too many variables");
    for (size_t i = 0; i < f.size; i++)
        if (isnan(costs[i]) || costs[i] == -INFINITY || (layer && isinf(costs[i])))
            return portolan_error_set(err, PORTOLAN_EINVAL, "cost %g is no cost", costs[i]);
    f.variables = portolan_arena_alloc(&c->pool, n, sizeof *f.variables);
    f.strides = portolan_arena_alloc(&c->pool, n, sizeof *f.strides);
    f.costs = portolan_arena_alloc(&c->pool, f.size, sizeof *f.costs);
    if (!f.variables || !f.strides || !f.costs)
        return portolan_no_memory(err);
    memcpy(f.costs, costs, f.size * sizeof *costs);
    for (size_t i = n; i-- > 0;) {
        f.variables[i] = variables[i];
        f.strides[i] = stride;
        stride *= c->domain[variables[i]];
    }
    return portolan_arena_append(&c->pool, &c->factors, &c->n_factors, &f, sizeof f)
               ? PORTOLAN_OK
               : portolan_no_memory(err);
}

enum portolan_status portolan_choice_add_factor(struct portolan_choice *c, size_t n,
                                                const size_t *variables, const double *costs,
                                                struct portolan_error *err)
{
    return add_table(c, 0, n, variables, costs, err);
}

enum portolan_status portolan_choice_add_budget(struct portolan_choice *c, double limit,
                                                size_t *budget, struct portolan_error *err)
{
    *budget = c->n_budgets;
    if (!isfinite(limit))
        return portolan_error_set(err, PORTOLAN_EINVAL, "budget %g is not finite", limit);
    return portolan_arena_append(&c->pool, &c->limits, &c->n_budgets, &limit, sizeof limit)
               ? PORTOLAN_OK
               : portolan_no_memory(err);
}

enum portolan_status portolan_choice_add_use(struct portolan_choice *c, size_t budget, size_t n,
                                             const size_t *variables, const double *uses,
                                             struct portolan_error *err)
{
    if (budget >= c->n_budgets)
        return portolan_error_set(err, PORTOLAN_EINVAL, "no budget %zu", budget);
    return add_table(c, 1 + budget, n, variables, uses, err);
}

double choice_sum(const struct portolan_choice *c, size_t layer, const size_t *values)
{
    double sum = 0;

    for (size_t i = 0; i < c->n_factors; i++)
        if (c->factors[i].layer == layer)
            sum += choice_entry(&c->factors[i], values);
    return sum;
}

bool choice_is_within(const struct portolan_choice *c, const size_t *values)
{
    for (size_t b = 0; b < c->n_budgets; b++)
        if (choice_sum(c, 1 + b, values) > c->limits[b] + choice_tolerance(c->limits[b], 0))
            return false;
    return true;
}

double choice_beyond(const struct portolan_choice *c, size_t b)
{
    double most = fabs(c->limits[b]);

    for (size_t i = 0; i < c->n_factors; i++)
        for (size_t k = 0; c->factors[i].layer == 1 + b && k < c->factors[i].size; k++)
            most = fmax(most, fabs(c->factors[i].costs[k]));
    return c->limits[b] + 1e-9 * most;
}

double portolan_choice_cost(const struct portolan_choice *c, const size_t *values)
{
    return choice_is_within(c, values) ? choice_sum(c, 0, values) : INFINITY;
}
