/* SPDX-License-Identifier: BSD-3-Clause */
#include "choice_internal.h"

#include <stdlib.h>
#include <string.h>

/* Table entries up to which elimination is quicker than branch and bound, and at most. */
enum { AUTO_LIMIT = 1 << 14, AUTO_LIMIT_MARGINS = 1 << 18, HARD_LIMIT = 6 << 20 };

enum portolan_status portolan_choice_create(struct portolan_choice **c, struct portolan_error *err)
{
    *c = portolan_calloc(1, sizeof **c);
    return *c ? PORTOLAN_OK : portolan_error_set(err, PORTOLAN_ENOMEM, "choice problem");
}

static void factor_clear(struct choice_factor *f)
{
    free(f->variables);
    free(f->strides);
    free(f->costs);
}

void portolan_choice_destroy(struct portolan_choice *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n_factors; i++)
        factor_clear(&c->factors[i]);
    free(c->factors);
    free(c->domain);
    free(c->written);
    free(c);
}

enum portolan_status portolan_choice_add_variable(struct portolan_choice *c, size_t values,
                                                  size_t as_written, size_t *variable,
                                                  struct portolan_error *err)
{
    if (values == 0 || as_written >= values)
        return portolan_error_set(err, PORTOLAN_EINVAL, "variable with %zu values, %zu as written",
                                  values, as_written);
    if (c->n == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 16;
        size_t *domain = portolan_reallocarray(c->domain, capacity, sizeof *domain);
        size_t *written = NULL;

        if (domain) {
            c->domain = domain;
            written = portolan_reallocarray(c->written, capacity, sizeof *written);
        }
        if (!written)
            return portolan_error_set(err, PORTOLAN_ENOMEM, "choice variable");
        c->written = written;
        c->capacity = capacity;
    }
    c->domain[c->n] = values;
    c->written[c->n] = as_written;
    if (variable)
        *variable = c->n;
    c->n++;
    return PORTOLAN_OK;
}

/* The size of a table over VARIABLES; 0 when they are no good. */
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

static enum portolan_status factor_fill(const struct portolan_choice *c, struct choice_factor *f,
                                        size_t n, const size_t *variables, const double *costs)
{
    size_t stride = 1;

    f->n = n;
    f->variables = portolan_calloc(n + 1, sizeof *f->variables);
    f->strides = portolan_calloc(n + 1, sizeof *f->strides);
    f->costs = portolan_calloc(f->size, sizeof *f->costs);
    if (!f->variables || !f->strides || !f->costs)
        return PORTOLAN_ENOMEM;
    memcpy(f->costs, costs, f->size * sizeof *costs);
    for (size_t i = n; i-- > 0;) {
        f->variables[i] = variables[i];
        f->strides[i] = stride;
        stride *= c->domain[variables[i]];
    }
    return PORTOLAN_OK;
}

enum portolan_status portolan_choice_add_factor(struct portolan_choice *c, size_t n,
                                                const size_t *variables, const double *costs,
                                                struct portolan_error *err)
{
    struct choice_factor f = {.size = table_size(c, n, variables)};

    if (f.size == 0)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "cost table over unknown, repeated or too "
                                  "many variables");
    for (size_t i = 0; i < f.size; i++)
        if (isnan(costs[i]) || costs[i] == -INFINITY)
            return portolan_error_set(err, PORTOLAN_EINVAL, "cost %g is no cost", costs[i]);
    if (c->n_factors == c->factors_capacity) {
        size_t capacity = c->factors_capacity ? 2 * c->factors_capacity : 32;
        struct choice_factor *more = portolan_reallocarray(c->factors, capacity, sizeof *more);

        if (!more)
            return portolan_error_set(err, PORTOLAN_ENOMEM, "cost table");
        c->factors = more;
        c->factors_capacity = capacity;
    }
    if (factor_fill(c, &f, n, variables, costs)) {
        factor_clear(&f);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "cost table of %zu entries", f.size);
    }
    c->factors[c->n_factors++] = f;
    return PORTOLAN_OK;
}

double portolan_choice_cost(const struct portolan_choice *c, const size_t *values)
{
    double sum = 0;

    for (size_t i = 0; i < c->n_factors; i++) {
        const struct choice_factor *f = &c->factors[i];
        size_t at = 0;

        for (size_t j = 0; j < f->n; j++)
            at += f->strides[j] * values[f->variables[j]];
        sum += f->costs[at];
    }
    return sum;
}

enum portolan_status choice_solution_create(const struct portolan_choice *c, bool margins,
                                            struct portolan_choice_solution **out)
{
    struct portolan_choice_solution *s = portolan_calloc(1, sizeof *s);

    if (!s)
        return PORTOLAN_ENOMEM;
    *out = s;
    s->n_variables = c->n;
    if (!(s->values = portolan_calloc(c->n + 1, sizeof *s->values)))
        return PORTOLAN_ENOMEM;
    if (!margins)
        return PORTOLAN_OK;
    s->margins = portolan_calloc(c->n + 1, sizeof *s->margins);
    s->tied = portolan_calloc(c->n + 1, sizeof *s->tied);
    if (!s->margins || !s->tied)
        return PORTOLAN_ENOMEM;
    for (size_t v = 0; v < c->n; v++)
        if (!(s->margins[v] = portolan_calloc(c->domain[v], sizeof **s->margins)))
            return PORTOLAN_ENOMEM;
    return PORTOLAN_OK;
}

void portolan_choice_solution_destroy(struct portolan_choice_solution *s)
{
    if (!s)
        return;
    for (size_t v = 0; s->margins && v < s->n_variables; v++)
        free(s->margins[v]);
    free(s->margins);
    free(s->tied);
    free(s->values);
    free(s);
}

static void mark_ties(const struct portolan_choice *c, struct portolan_choice_solution *s)
{
    for (size_t v = 0; v < c->n; v++) {
        s->margins[v][s->values[v]] = s->cost;
        for (size_t a = 0; a < c->domain[v]; a++)
            if (a != s->values[v] &&
                s->margins[v][a] <= s->cost + 8 * choice_tolerance(s->cost, s->cost))
                s->tied[v] = true;
    }
}

enum portolan_status portolan_choice_solve(const struct portolan_choice *c,
                                           enum portolan_choice_method method, bool margins,
                                           struct portolan_choice_solution **out,
                                           struct portolan_error *err)
{
    struct portolan_choice_solution *s = NULL;
    enum portolan_status status = choice_solution_create(c, margins, &s);

    if (!status) {
        size_t limit = method == PORTOLAN_CHOICE_ELIMINATION ? HARD_LIMIT
                       : margins                             ? AUTO_LIMIT_MARGINS
                                                             : AUTO_LIMIT;

        status = PORTOLAN_EUNSUPPORTED;
        if (method != PORTOLAN_CHOICE_BRANCH_AND_BOUND)
            status = choice_eliminate(c, limit, margins, s);
        if (status == PORTOLAN_EUNSUPPORTED && method != PORTOLAN_CHOICE_ELIMINATION)
            status = choice_branch(c, margins, s);
    }
    if (!status) {
        s->cost = portolan_choice_cost(c, s->values);
        if (margins)
            mark_ties(c, s);
        *out = s;
        return PORTOLAN_OK;
    }
    if (status == PORTOLAN_EINFEASIBLE)
        portolan_error_set(err, status, "every combination of implementations is forbidden");
    else if (status == PORTOLAN_EUNSUPPORTED)
        portolan_error_set(err, status, "elimination of width %zu is too big", s->width);
    else
        portolan_error_set(err, status, "choosing among %zu variables", c->n);
    portolan_choice_solution_destroy(s);
    return status;
}
