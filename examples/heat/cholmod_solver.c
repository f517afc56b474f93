/* SPDX-License-Identifier: BSD-3-Clause */
/* CHOLMOD (parts of which are GPL): sparse Cholesky, simplicial or supernodal. */
#include "heat_solver.h"

#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>

struct cholmod {
    struct heat_solver solver;
    cholmod_common common;
    struct heat_matrix csc;
    struct heat_matrix pattern; /* the pattern that `factor` was analysed for (values unused) */
    cholmod_factor *factor;
    cholmod_dense *x, *y, *e; /* kept from solve to solve */
    double *work;
    size_t work_capacity;
    bool ready;
};

static cholmod_sparse view_of(const struct heat_matrix *m)
{
    return (cholmod_sparse){.nrow = (size_t)m->order,
                            .ncol = (size_t)m->order,
                            .nzmax = (size_t)m->column_start[m->order],
                            .p = m->column_start,
                            .i = m->row,
                            .x = m->value,
                            .stype = -1, /* the lower triangle is stored */
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

static bool same_pattern(const struct heat_matrix *a, const struct heat_matrix *b)
{
    size_t starts = ((size_t)a->order + 1) * sizeof *a->column_start;

    return b->column_start && a->order == b->order &&
           !memcmp(a->column_start, b->column_start, starts) &&
           !memcmp(a->row, b->row, (size_t)a->column_start[a->order] * sizeof *a->row);
}

static enum portolan_status cholmod_status(struct cholmod *c, const char *what,
                                           struct portolan_error *err)
{
    if (c->common.status == CHOLMOD_OUT_OF_MEMORY)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "CHOLMOD: no memory to %s", what);
    if (c->common.status == CHOLMOD_NOT_POSDEF)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "the matrix is not positive definite: CHOLMOD stopped at row %zu "
                                  "of its ordering",
                                  c->factor ? c->factor->minor : (size_t)0);
    return portolan_error_set(err, PORTOLAN_EINTERNAL, "CHOLMOD could not %s (its status %d)", what,
                              c->common.status);
}

static enum portolan_status analyse(struct cholmod *c, struct portolan_error *err)
{
    cholmod_sparse view = view_of(&c->csc);
    enum portolan_status status;

    if (c->factor && same_pattern(&c->csc, &c->pattern))
        return PORTOLAN_OK;
    cholmod_free_factor(&c->factor, &c->common);
    c->factor = cholmod_analyze(&view, &c->common);
    if (!c->factor)
        return cholmod_status(c, "analyse the matrix", err);
    status = heat_matrix_to_csc(&c->csc, &c->pattern, err);
    if (status)
        cholmod_free_factor(&c->factor, &c->common);
    return status;
}

static enum portolan_status cholmod_setup(struct heat_solver *s, const struct heat_matrix *a,
                                          struct portolan_error *err)
{
    struct cholmod *c = (struct cholmod *)s;
    cholmod_sparse view;
    enum portolan_status status = heat_matrix_to_csc(a, &c->csc, err);

    c->ready = false;
    if (!status)
        status = heat_matrix_check_finite(&c->csc, err);
    if (!status)
        status = analyse(c, err);
    if (!status)
        status = heat_vector_reserve(&c->work, &c->work_capacity, (size_t)a->order, err);
    if (status)
        return status;
    view = view_of(&c->csc);
    cholmod_factorize(&view, c->factor, &c->common);
    if (c->common.status != CHOLMOD_OK)
        return cholmod_status(c, "factor the matrix", err);
    c->ready = true;
    return PORTOLAN_OK;
}

static enum portolan_status cholmod_solve_with(struct heat_solver *s, const double *b, double *x,
                                               double *relative_residual,
                                               struct portolan_error *err)
{
    struct cholmod *c = (struct cholmod *)s;
    size_t order = (size_t)c->csc.order;
    cholmod_dense rhs = {.nrow = order,
                         .ncol = 1,
                         .nzmax = order,
                         .d = order,
                         .x = (double *)b, /* CHOLMOD only reads it */
                         .xtype = CHOLMOD_REAL,
                         .dtype = CHOLMOD_DOUBLE};

    if (!c->ready)
        return portolan_error_set(err, PORTOLAN_EINVAL, "solve was called before setup");
    if (!cholmod_solve2(CHOLMOD_A, c->factor, &rhs, NULL, &c->x, NULL, &c->y, &c->e, &c->common))
        return cholmod_status(c, "solve", err);
    memcpy(x, c->x->x, order * sizeof *x);
    return heat_solver_judge(&c->csc, b, x, c->work, relative_residual, err);
}

static void cholmod_destroy(struct heat_solver *s)
{
    struct cholmod *c = (struct cholmod *)s;

    cholmod_free_dense(&c->x, &c->common);
    cholmod_free_dense(&c->y, &c->common);
    cholmod_free_dense(&c->e, &c->common);
    cholmod_free_factor(&c->factor, &c->common);
    cholmod_finish(&c->common);
    heat_matrix_clear(&c->csc);
    heat_matrix_clear(&c->pattern);
    free(c->work);
    free(c);
}

static const struct heat_solver_ops cholmod_ops = {.size = sizeof cholmod_ops,
                                                   .setup = cholmod_setup,
                                                   .solve = cholmod_solve_with,
                                                   .destroy = cholmod_destroy};

enum portolan_status heat_cholmod_create(enum heat_cholmod_method method, struct heat_solver **s,
                                         struct portolan_error *err)
{
    static const int supernodal[] = {[HEAT_CHOLMOD_AUTO] = CHOLMOD_AUTO,
                                     [HEAT_CHOLMOD_SIMPLICIAL] = CHOLMOD_SIMPLICIAL,
                                     [HEAT_CHOLMOD_SUPERNODAL] = CHOLMOD_SUPERNODAL};
    struct cholmod *c = portolan_calloc(1, sizeof *c);

    if (!c || !cholmod_start(&c->common)) {
        free(c);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for CHOLMOD");
    }
    c->common.print = 0; /* a library does not print */
    c->common.supernodal = supernodal[method];
    c->common.quick_return_if_not_posdef = 1;
    c->common.final_ll = 1; /* LDL' would accept indefinite matrices */
    c->solver.ops = &cholmod_ops;
    *s = &c->solver;
    return PORTOLAN_OK;
}
