/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_grid.h"

#include <string.h>

static size_t power(size_t base, int exponent)
{
    size_t result = 1;

    while (exponent-- > 0)
        result *= base;
    return result;
}

enum portolan_status heat_grid_init(struct heat_grid *g, const struct heat_input *in, MPI_Comm comm,
                                    struct portolan_error *err)
{
    int share, rest, least;

    *g = (struct heat_grid){.comm = comm, .dimension = in->dimension, .n = in->grid};
    MPI_Comm_rank(comm, &g->rank);
    MPI_Comm_size(comm, &g->size);
    g->h = 1.0 / (g->n + 1);
    g->overlap = in->overlap;
    g->margin = in->overlap + 1;
    share = g->n / g->size;
    rest = g->n % g->size;
    /* Halos come from the next neighbour alone. */
    least = g->size > 1 ? g->margin : 1;
    if (share < least)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "%d layers are too few for %d ranks with an overlap of %d: take "
                                  "at most %d ranks",
                                  g->n, g->size, g->overlap,
                                  g->n / g->margin > 1 ? g->n / g->margin : 1);
    g->owned = share + (g->rank < rest);
    g->first = g->rank * share + (g->rank < rest ? g->rank : rest);
    g->begin = g->rank > 0 ? g->first - g->overlap : 0;
    g->layers = (g->rank < g->size - 1 ? g->first + g->owned + g->overlap : g->n) - g->begin;
    g->layer = power((size_t)g->n, g->dimension - 1);
    g->padded_line = (size_t)g->n + 2;
    g->padded_layer = power(g->padded_line, g->dimension - 1);
    g->unknowns = (size_t)g->owned * g->layer;
    g->extended = (size_t)g->layers * g->layer;
    g->field_size = (size_t)(g->owned + 2 * g->margin) * g->padded_layer;
    return PORTOLAN_OK;
}

void heat_grid_exchange(const struct heat_grid *g, double *owned, size_t layer, int width)
{
    int below = g->rank > 0 ? g->rank - 1 : MPI_PROC_NULL;
    int above = g->rank < g->size - 1 ? g->rank + 1 : MPI_PROC_NULL;
    int count = (int)((size_t)width * layer);
    double *end = owned + (size_t)g->owned * layer;

    if (g->size == 1)
        return;
    MPI_Sendrecv(owned, count, MPI_DOUBLE, below, 1, end, count, MPI_DOUBLE, above, 1, g->comm,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(end - count, count, MPI_DOUBLE, above, 2,
                 owned - (below == MPI_PROC_NULL ? 0 : count), count, MPI_DOUBLE, below, 2, g->comm,
                 MPI_STATUS_IGNORE);
}

bool heat_grid_point(const struct heat_grid *g, int l, size_t within, double point[3])
{
    int last = g->n + 1, at[3] = {0, 0, 0};
    bool boundary = false;

    at[0] = (int)(within % g->padded_line);
    if (g->dimension == 3)
        at[1] = (int)(within / g->padded_line);
    at[g->dimension - 1] = g->first + l + 1;
    for (int d = 0; d < g->dimension; d++) {
        boundary = boundary || at[d] == 0 || at[d] == last;
        point[d] = at[d] * g->h;
    }
    if (g->dimension == 2)
        point[2] = 0.0;
    return boundary;
}

/* Lines of interior points in a layer, and the first point of line LINE in the padded layer. */
static int lines_of(const struct heat_grid *g)
{
    return g->dimension == 3 ? g->n : 1;
}

static size_t line_start(const struct heat_grid *g, int line)
{
    return g->dimension == 3 ? (size_t)(line + 1) * g->padded_line + 1 : 1;
}

void heat_grid_to_field(const struct heat_grid *g, const double *plain, double *field)
{
    for (int l = 0; l < g->owned; l++)
        for (int line = 0; line < lines_of(g); line++, plain += g->n)
            memcpy(field + heat_grid_node(g, l, line_start(g, line)), plain,
                   (size_t)g->n * sizeof *plain);
}

void heat_grid_add_to_field(const struct heat_grid *g, const double *plain, double *field)
{
    for (int l = 0; l < g->owned; l++)
        for (int line = 0; line < lines_of(g); line++, plain += g->n) {
            double *to = field + heat_grid_node(g, l, line_start(g, line));

            for (int i = 0; i < g->n; i++)
                to[i] += plain[i];
        }
}

/* One line of y = A u: STEP are the distances of the neighbours. */
static void multiply_line(int n, int dimension, const size_t step[3], double scale, const double *k,
                          const double *u, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = u[i];
    for (int d = 0; d < dimension; d++) {
        const double *kb = k - step[d], *ka = k + step[d], *ub = u - step[d], *ua = u + step[d];

        for (int i = 0; i < n; i++)
            y[i] +=
                0.5 * scale * ((k[i] + kb[i]) * (u[i] - ub[i]) + (k[i] + ka[i]) * (u[i] - ua[i]));
    }
}

void heat_grid_multiply(const struct heat_grid *g, double scale, const double *k, const double *u,
                        double *y)
{
    size_t step[3] = {1, g->padded_line, g->padded_layer};

    for (int l = 0; l < g->owned; l++)
        for (int line = 0; line < lines_of(g); line++, y += g->n) {
            size_t at = heat_grid_node(g, l, line_start(g, line));

            multiply_line(g->n, g->dimension, step, scale, k + at, u + at, y);
        }
}

struct heat_box heat_grid_box(const struct heat_grid *g, double scale, const double *k)
{
    int below = g->first - g->begin + 1;

    return (struct heat_box){.dimension = g->dimension,
                             .nx = g->n,
                             .ny = g->dimension == 3 ? g->n : g->layers,
                             .nz = g->dimension == 3 ? g->layers : 1,
                             .scale = scale,
                             .conductivity = k + (size_t)(g->margin - below) * g->padded_layer};
}
