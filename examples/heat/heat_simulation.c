/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heat_fgmres.h"

enum { OUTER_RESTART = 40, OUTER_LIMIT = 200 };

struct heat_simulation {
    struct heat_input input;
    struct heat_grid grid;
    int steps_done;
    double scale;                       /* time step / h² */
    double *u, *k, *work;               /* fields; `work` is zero on the boundary */
    double *b, *x;                      /* owned: right-hand side and correction */
    double *domain_b, *domain_x;        /* owned layers and `overlap` more on either side */
    double worst;                       /* residual left by a subdomain solve of this step */
    const struct heat_subdomain *parts; /* during a step */
    struct heat_fgmres *fgmres;
};

static enum portolan_status allocate(struct heat_simulation *s, struct portolan_error *err)
{
    const struct heat_grid *g = &s->grid;
    size_t domain = (size_t)(g->owned + 2 * g->overlap) * g->layer;

    s->u = portolan_calloc(g->field_size, sizeof *s->u);
    s->k = portolan_calloc(g->field_size, sizeof *s->k);
    s->work = portolan_calloc(g->field_size, sizeof *s->work);
    s->b = portolan_calloc(g->unknowns, sizeof *s->b);
    s->x = portolan_calloc(g->unknowns, sizeof *s->x);
    s->domain_b = portolan_calloc(domain, sizeof *s->domain_b);
    s->domain_x = portolan_calloc(domain, sizeof *s->domain_x);
    if (!s->u || !s->k || !s->work || !s->b || !s->x || !s->domain_b || !s->domain_x)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a grid of %zu points",
                                  g->unknowns);
    return heat_fgmres_create(g->comm, g->unknowns, OUTER_RESTART, &s->fgmres, err);
}

/* Layers from which a field has nodes that lie in the square or cube: the domain's and one more. */
static int lowest_layer(const struct heat_grid *g)
{
    return g->begin - g->first - 1;
}

static int highest_layer(const struct heat_grid *g)
{
    return g->begin - g->first + g->layers;
}

/* u on the boundary at TIME; with EVERYWHERE also inside. */
static void set_values(struct heat_simulation *s, double time, bool everywhere)
{
    const struct heat_grid *g = &s->grid;
    double point[3];

    for (int l = lowest_layer(g); l <= highest_layer(g); l++)
        for (size_t i = 0; i < g->padded_layer; i++)
            if (heat_grid_point(g, l, i, point) || everywhere)
                s->u[heat_grid_node(g, l, i)] = heat_value(&s->input, time, point);
}

enum portolan_status heat_simulation_create(const struct heat_input *input, MPI_Comm comm,
                                            struct heat_simulation **s, struct portolan_error *err)
{
    struct heat_grid grid;
    struct heat_simulation *new;
    enum portolan_status status = heat_grid_init(&grid, input, comm, err);

    if (status)
        return status;
    new = portolan_calloc(1, sizeof *new);
    if (new) {
        new->input = *input;
        new->grid = grid;
        new->scale = input->time_step / (grid.h * grid.h);
        status = allocate(new, err);
    } else {
        status = portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a simulation");
    }
    status = heat_agree(comm, status, err);
    if (status) {
        heat_simulation_destroy(new);
        return status;
    }
    set_values(new, 0.0, true);
    *s = new;
    return PORTOLAN_OK;
}

void heat_simulation_destroy(struct heat_simulation *s)
{
    if (!s)
        return;
    free(s->u);
    free(s->k);
    free(s->work);
    free(s->b);
    free(s->x);
    free(s->domain_b);
    free(s->domain_x);
    heat_fgmres_destroy(s->fgmres);
    free(s);
}

const struct heat_grid *heat_simulation_peek_grid(const struct heat_simulation *s)
{
    return &s->grid;
}

static double *owned_layers(const struct heat_grid *g, double *field)
{
    return field + (size_t)g->margin * g->padded_layer;
}

static void set_conductivity(struct heat_simulation *s)
{
    const struct heat_grid *g = &s->grid;
    size_t from = heat_grid_node(g, lowest_layer(g), 0);
    size_t to = heat_grid_node(g, highest_layer(g) + 1, 0);

    for (size_t i = from; i < to; i++)
        s->k[i] = heat_conductivity(&s->input, s->u[i]);
}

/*
 * b = u + dt f − A u, with the boundary's new values in u: the right-hand side of the correction,
 * which is 0 on the boundary.
 */
static void set_right_hand_side(struct heat_simulation *s, double time)
{
    const struct heat_grid *g = &s->grid;
    double dt = s->input.time_step, point[3], *b = s->b;

    heat_grid_multiply(g, s->scale, s->k, s->u, s->b);
    for (int l = 0; l < g->owned; l++)
        for (size_t i = 0; i < g->padded_layer; i++)
            if (!heat_grid_point(g, l, i, point)) {
                *b = s->u[heat_grid_node(g, l, i)] + dt * heat_source(&s->input, time, point) - *b;
                b++;
            }
}

static void multiply(void *arg, const double *x, double *y)
{
    struct heat_simulation *s = arg;
    const struct heat_grid *g = &s->grid;

    heat_grid_to_field(g, x, s->work);
    heat_grid_exchange(g, owned_layers(g, s->work), g->padded_layer, 1);
    heat_grid_multiply(g, s->scale, s->k, s->work, y);
}

/* Restricted additive Schwarz: solve on the overlapping domains, keep the owned layers. */
static enum portolan_status precondition(void *arg, const double *r, double *z,
                                         struct portolan_error *err)
{
    struct heat_simulation *s = arg;
    const struct heat_grid *g = &s->grid;
    size_t to_owned = (size_t)g->overlap * g->layer;
    size_t to_domain = (size_t)(g->overlap - (g->first - g->begin)) * g->layer;
    double residual = 0.0;
    enum portolan_status status;

    memcpy(s->domain_b + to_owned, r, g->unknowns * sizeof *r);
    heat_grid_exchange(g, s->domain_b + to_owned, g->layer, g->overlap);
    memset(s->domain_x, 0, (size_t)(g->owned + 2 * g->overlap) * g->layer * sizeof *s->domain_x);
    status = s->parts->solve(s->parts->arg, s->domain_b + to_domain, s->domain_x + to_domain,
                             (int)g->extended, &residual, err);
    if (status)
        return status;
    /* Written so that a NaN sticks. */
    s->worst = s->worst >= residual ? s->worst : residual;
    memcpy(z, s->domain_x + to_owned, g->unknowns * sizeof *z);
    return PORTOLAN_OK;
}

static enum portolan_status prepare(struct heat_simulation *s, struct portolan_error *err)
{
    const struct heat_grid *g = &s->grid;
    struct heat_box box = heat_grid_box(g, s->scale, s->k);
    enum portolan_status status = s->parts->prepare(s->parts->arg, &box, (int)g->extended, err);

    return heat_agree(g->comm, status, err);
}

enum portolan_status heat_simulation_step(struct heat_simulation *s,
                                          const struct heat_subdomain *subdomain,
                                          struct heat_step *step, struct portolan_error *err)
{
    const struct heat_grid *g = &s->grid;
    struct heat_fgmres_system system = {
        .arg = s, .multiply = multiply, .precondition = precondition};
    double time = (s->steps_done + 1) * s->input.time_step, size, residual, floor;
    enum portolan_status status;
    int iterations = 0;

    s->parts = subdomain;
    s->worst = 0.0;
    set_values(s, time, false);
    heat_grid_exchange(g, owned_layers(g, s->u), g->padded_layer, g->margin);
    set_conductivity(s);
    status = prepare(s, err);
    if (status)
        return status;
    set_right_hand_side(s, time);
    size = heat_fgmres_norm(g->comm, s->b, g->unknowns);
    /* Nothing changes any more when the right-hand side is rounding error of u. */
    floor = 1e-15 * s->scale *
            heat_fgmres_norm(g->comm, owned_layers(g, s->u), (size_t)g->owned * g->padded_layer);
    status =
        heat_fgmres_solve(s->fgmres, &system, s->b, s->x, fmax(s->input.tolerance * size, floor),
                          OUTER_LIMIT, &iterations, &residual, err);
    if (status)
        return status;
    heat_grid_add_to_field(g, s->x, s->u);
    s->steps_done++;
    *step = (struct heat_step){.step = s->steps_done,
                               .time = time,
                               .outer_iterations = iterations,
                               .residual = size > 0.0 ? residual / size : 0.0};
    MPI_Allreduce(&s->worst, &step->solver_residual, 1, MPI_DOUBLE, MPI_MAX, g->comm);
    return PORTOLAN_OK;
}

double heat_simulation_error(const struct heat_simulation *s)
{
    const struct heat_grid *g = &s->grid;
    double time = s->steps_done * s->input.time_step, point[3], local = 0.0, worst = 0.0;

    if (s->input.solution != HEAT_MANUFACTURED)
        return NAN;
    for (int l = 0; l < g->owned; l++)
        for (size_t i = 0; i < g->padded_layer; i++)
            if (!heat_grid_point(g, l, i, point)) {
                double e = s->u[heat_grid_node(g, l, i)] - heat_value(&s->input, time, point);

                local = local >= fabs(e) ? local : fabs(e);
            }
    MPI_Allreduce(&local, &worst, 1, MPI_DOUBLE, MPI_MAX, g->comm);
    return worst;
}

void heat_simulation_values(const struct heat_simulation *s, double *values)
{
    const struct heat_grid *g = &s->grid;
    double point[3];

    for (int l = 0; l < g->owned; l++)
        for (size_t i = 0; i < g->padded_layer; i++)
            if (!heat_grid_point(g, l, i, point))
                *values++ = s->u[heat_grid_node(g, l, i)];
}
