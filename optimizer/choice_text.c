/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice problem in the formats of other solvers, which check ours. */
#include "choice_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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

static int64_t wcsp_top(const struct portolan_choice *c, double scale)
{
    double sum = 1;

    for (size_t i = 0; i < c->n_factors; i++) {
        double most = 0, least = least_of(&c->factors[i]);

        for (size_t k = 0; k < c->factors[i].size; k++)
            if (!isinf(c->factors[i].costs[k]))
                most = fmax(most, c->factors[i].costs[k] - least);
        sum += most * scale + 1;
    }
    return sum < 4e18 ? (int64_t)sum : 0;
}

static void wcsp_factor(FILE *out, const struct portolan_choice *c, const struct choice_factor *f,
                        double scale, int64_t top)
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
                isinf(f->costs[k]) ? top : (int64_t)llround((f->costs[k] - least) * scale));
    }
}

/* Closes OUT and gives its text, or frees it. */
static enum portolan_status finish(FILE *out, char **buffer, char **text,
                                   struct portolan_error *err)
{
    bool failed = ferror(out);

    if (fclose(out) || failed) {
        free(*buffer);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "writing a choice problem");
    }
    *text = *buffer;
    return PORTOLAN_OK;
}

enum portolan_status portolan_choice_write_wcsp(const struct portolan_choice *c, double scale,
                                                double *offset, char **text,
                                                struct portolan_error *err)
{
    int64_t top = wcsp_top(c, scale);
    size_t size, widest = 0, factors = 0;
    double taken = 0;
    char *buffer = NULL;
    FILE *out;

    if (top <= 0)
        return portolan_error_set(err, PORTOLAN_EINVAL, "scale %g makes costs too big for .wcsp",
                                  scale);
    if (!(out = open_memstream(&buffer, &size)))
        return portolan_error_set(err, PORTOLAN_ENOMEM, "writing a choice problem");
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
            wcsp_factor(out, c, &c->factors[i], scale, top);
    if (offset)
        *offset = taken;
    return finish(out, &buffer, text, err);
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

enum portolan_status portolan_choice_write_lp(const struct portolan_choice *c, char **text,
                                              struct portolan_error *err)
{
    size_t size;
    char *buffer = NULL;
    FILE *out = open_memstream(&buffer, &size);

    if (!out)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "writing a choice problem");
    fprintf(out, "Minimize\n cost:");
    for (size_t i = 0; i < c->n_factors; i++)
        for (size_t k = 0; c->factors[i].n > 0 && k < c->factors[i].size; k++)
            if (!isinf(c->factors[i].costs[k]))
                fprintf(out, " + %.17g y_%zu_%zu\n", c->factors[i].costs[k], i, k);
    fprintf(out, "Subject To\n");
    lp_rows(out, c);
    for (size_t i = 0; i < c->n_factors; i++)
        for (size_t k = 0; c->factors[i].n > 0 && k < c->factors[i].size; k++)
            if (isinf(c->factors[i].costs[k]))
                fprintf(out, " y_%zu_%zu = 0\n", i, k);
    fprintf(out, "Binary\n");
    for (size_t v = 0; v < c->n; v++)
        for (size_t a = 0; a < c->domain[v]; a++)
            fprintf(out, " x_%zu_%zu\n", v, a);
    fprintf(out, "End\n");
    return finish(out, &buffer, text, err);
}
