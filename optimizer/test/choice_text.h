/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice problem in the formats of other solvers, which check ours. Include cmocka.h before. */
#ifndef PORTOLAN_TEST_CHOICE_TEXT_H
#define PORTOLAN_TEST_CHOICE_TEXT_H

#include "choice_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double least_of(const struct choice_factor *f)
{
    double least = INFINITY;

    for (size_t k = 0; k < f->size; k++)
        least = fmin(least, f->costs[k]);
    return isinf(least) ? 0 : least;
}

/* The value of factor F's J-th variable at entry K. */
static size_t digit(const struct portolan_choice *c, const struct choice_factor *f, size_t j,
                    size_t k)
{
    return k / f->strides[j] % c->domain[f->variables[j]];
}

static int64_t wcsp_top(const struct portolan_choice *c)
{
    double sum = 1;

    for (size_t i = 0; i < c->n_factors; i++) {
        double most = 0, least = least_of(&c->factors[i]);

        for (size_t k = 0; k < c->factors[i].size; k++)
            if (!isinf(c->factors[i].costs[k]))
                most = fmax(most, c->factors[i].costs[k] - least);
        sum += most + 1;
    }
    return (int64_t)sum;
}

static void wcsp_factor(FILE *out, const struct portolan_choice *c, const struct choice_factor *f,
                        int64_t top)
{
    double least = least_of(f);

    fprintf(out, "%zu", f->n);
    for (size_t j = 0; j < f->n; j++)
        fprintf(out, " %zu", f->variables[j]);
    fprintf(out, " 0 %zu\n", f->size);
    for (size_t k = 0; k < f->size; k++) {
        for (size_t j = 0; j < f->n; j++)
            fprintf(out, "%zu ", digit(c, f, j, k));
        fprintf(out, "%" PRId64 "\n",
                isinf(f->costs[k]) ? top : (int64_t)llround(f->costs[k] - least));
    }
}

/*
 * Writes the .wcsp format of toulbar2, costs rounded to integers and shifted so that each table's
 * least is 0; returns what was taken away.
 */
static double write_wcsp(FILE *out, const struct portolan_choice *c)
{
    int64_t top = wcsp_top(c);
    size_t widest = 0, factors = 0;
    double taken = 0;

    for (size_t v = 0; v < c->n; v++)
        widest = c->domain[v] > widest ? c->domain[v] : widest;
    for (size_t i = 0; i < c->n_factors; i++) {
        taken += least_of(&c->factors[i]);
        factors += c->factors[i].n > 0;
    }
    fprintf(out, "portolan %zu %zu %zu %" PRId64 "\n", c->n, widest, factors, top);
    for (size_t v = 0; v < c->n; v++)
        fprintf(out, "%zu%s", c->domain[v], v + 1 < c->n ? " " : "\n");
    for (size_t i = 0; i < c->n_factors; i++)
        if (c->factors[i].n > 0)
            wcsp_factor(out, c, &c->factors[i], top);
    return taken;
}

/* x_V_A: variable V has value A; y_F_K: factor F is at entry K, which ties it to its x. */
static void lp_rows(FILE *out, const struct portolan_choice *c)
{
    for (size_t v = 0; v < c->n; v++) {
        for (size_t a = 0; a < c->domain[v]; a++)
            fprintf(out, " + x_%zu_%zu", v, a);
        fprintf(out, " = 1\n");
    }
    for (size_t i = 0; i < c->n_factors; i++) {
        const struct choice_factor *f = &c->factors[i];

        for (size_t j = 0; j < f->n; j++)
            for (size_t a = 0; a < c->domain[f->variables[j]]; a++) {
                for (size_t k = 0; k < f->size; k++)
                    if (digit(c, f, j, k) == a)
                        fprintf(out, " + y_%zu_%zu", i, k);
                fprintf(out, " - x_%zu_%zu = 0\n", f->variables[j], a);
            }
    }
}

/* An integer linear program in CPLEX LP format (glpsol --lp). */
static double write_lp(FILE *out, const struct portolan_choice *c)
{
    fprintf(out, "Minimize\n cost:");
    for (size_t i = 0; i < c->n_factors; i++)
        for (size_t k = 0; c->factors[i].n > 0 && !c->factors[i].layer && k < c->factors[i].size;
             k++)
            if (!isinf(c->factors[i].costs[k]))
                fprintf(out, " + %.17g y_%zu_%zu\n", c->factors[i].costs[k], i, k);
    fprintf(out, "Subject To\n");
    lp_rows(out, c);
    for (size_t b = 0; b < c->n_budgets; b++) {
        for (size_t i = 0; i < c->n_factors; i++)
            for (size_t k = 0; c->factors[i].layer == 1 + b && k < c->factors[i].size; k++)
                fprintf(out, " %+.17g y_%zu_%zu\n", c->factors[i].costs[k], i, k);
        fprintf(out, " <= %.17g\n", c->limits[b]);
    }
    for (size_t i = 0; i < c->n_factors; i++)
        for (size_t k = 0; c->factors[i].n > 0 && k < c->factors[i].size; k++)
            if (isinf(c->factors[i].costs[k]))
                fprintf(out, " y_%zu_%zu = 0\n", i, k);
    fprintf(out, "Binary\n");
    for (size_t v = 0; v < c->n; v++)
        for (size_t a = 0; a < c->domain[v]; a++)
            fprintf(out, " x_%zu_%zu\n", v, a);
    fprintf(out, "End\n");
    return 0; /* nothing was taken away */
}

/* Skips the test if there is no such solver. */
static inline void need_solver(const char *name)
{
    char command[100];

    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    if (system(command))
        skip();
}

/* Has COMMAND (with a %s for the file) solve what WRITE wrote; the number after the last MARK, NaN:
 * there is none. */
static inline double ask(const char *ending, const char *command, const char *mark,
                         const struct portolan_choice *c,
                         double (*write)(FILE *, const struct portolan_choice *))
{
    char path[] = "/tmp/portolan-XXXXXX.wcsp", line[1000], *at;
    double answer = NAN, offset;
    FILE *io;
    int file;

    snprintf(strrchr(path, '.'), 6, "%s", ending);
    file = mkstemps(path, (int)strlen(ending));
    assert_true(file >= 0);
    assert_non_null(io = fdopen(file, "w"));
    offset = write(io, c);
    assert_int_equal(fclose(io), 0);
    snprintf(line, sizeof line, command, path);
    assert_non_null(io = popen(line, "r"));
    while (fgets(line, sizeof line, io))
        if ((at = strstr(line, mark)))
            answer = strtod(at + strlen(mark), NULL);
    pclose(io);
    unlink(path);
    return answer + offset;
}

/* The least cost; NaN: there is no solution. */
static inline double ask_toulbar2(const struct portolan_choice *c)
{
    return ask(".wcsp", "toulbar2 %s 2>&1", "Optimum: ", c, write_wcsp);
}

/* The least cost to ten digits; 0: there is no solution. */
static inline double ask_glpsol(const struct portolan_choice *c)
{
    return ask(".lp", "glpsol --lp %s -o /dev/stdout 2>&1", "Objective:  cost = ", c, write_lp);
}

/*
 * The same problem without budgets: a chain of variables counts what is used of each budget, whose
 * uses must be whole numbers, not negative, each of one variable. For solvers without budgets.
 */
static inline struct portolan_choice *count_budgets(const struct portolan_choice *c)
{
    struct portolan_choice *out;

    portolan_choice_create(&out, NULL);
    for (size_t v = 0; v < c->n; v++)
        portolan_choice_add_variable(out, c->domain[v], c->written[v], NULL, NULL);
    for (size_t i = 0; i < c->n_factors; i++)
        if (!c->factors[i].layer)
            portolan_choice_add_factor(out, c->factors[i].n, c->factors[i].variables,
                                       c->factors[i].costs, NULL);
    for (size_t b = 0; b < c->n_budgets; b++) {
        size_t most = (size_t)c->limits[b] + 1, before, now;
        double start[1000];

        portolan_choice_add_variable(out, most, 0, &before, NULL);
        for (size_t k = 0; k < most; k++)
            start[k] = k ? INFINITY : 0;
        portolan_choice_add_factor(out, 1, &before, start, NULL);
        for (size_t i = 0; i < c->n_factors; i++) {
            const struct choice_factor *f = &c->factors[i];
            double *costs;

            if (f->layer != 1 + b)
                continue;
            costs = malloc(most * f->size * most * sizeof *costs);
            for (size_t k = 0; k < most * f->size * most; k++)
                costs[k] = k / most / f->size + (size_t)f->costs[k / most % f->size] == k % most
                               ? 0
                               : INFINITY;
            portolan_choice_add_variable(out, most, 0, &now, NULL);
            portolan_choice_add_factor(out, 3, (size_t[]){before, f->variables[0], now}, costs,
                                       NULL);
            free(costs);
            before = now;
        }
    }
    return out;
}

#endif
