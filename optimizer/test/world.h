/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A simulated plate: an assembly with known costs, and trials of it as the store would hold them.
 *
 * driver -> assembler (Csc, Band), solver (Banded, Cholmod, Cg), output (Text, Binary; cheap).
 * solver.setup converts when the assembler's form is not its own; Cg alone calls preconditioner
 * (Jacobi, Ssor), whose choice decides the number of iterations. Steps cost the same each, but for
 * a spike; the first one also costs set-up.
 */
#ifndef PORTOLAN_TEST_WORLD_H
#define PORTOLAN_TEST_WORLD_H

#include <math.h>
#include <portolan/optimizer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASSEMBLER, SOLVER, PRECONDITIONER, OUTPUT, N_VARIABLES };
enum { WORLD_TRIALS = 200, WORLD_SAMPLES = 60000 };

static char world_n[20] = "96", world_steps[20] = "60";

static struct portolan_assembly_parameter world_driver_parameters[] = {
    {"n", PORTOLAN_VALUE_INT, world_n, false, 1},
    {"steps", PORTOLAN_VALUE_INT, world_steps, false, 1}};
static struct portolan_assembly_alternative world_driver[] = {
    {.class_name = "heat.Driver",
     .n_parameters = 2,
     .parameters = world_driver_parameters,
     .line = 1}};
static struct portolan_assembly_alternative world_assembler[] = {
    {.class_name = "heat.Csc", .line = 2}, {.class_name = "heat.Band", .line = 2}};
static struct portolan_assembly_alternative world_solver[] = {
    {.class_name = "heat.Banded", .line = 3},
    {.class_name = "heat.Cholmod", .line = 3},
    {.class_name = "heat.Cg", .line = 3}};
static struct portolan_assembly_alternative world_preconditioner[] = {
    {.class_name = "heat.Jacobi", .line = 4}, {.class_name = "heat.Ssor", .line = 4}};
static struct portolan_assembly_alternative world_output[] = {
    {.class_name = "heat.Text", .line = 5}, {.class_name = "heat.Binary", .line = 5}};
static struct portolan_assembly_alternative world_mastermind[] = {
    {.class_name = "portolan.Mastermind", .line = 6}};
static struct portolan_assembly_instance world_instances[] = {
    {.name = "driver", .n_alternatives = 1, .alternatives = world_driver, .line = 1},
    {.name = "assembler", .n_alternatives = 2, .alternatives = world_assembler, .line = 2},
    {.name = "solver", .n_alternatives = 3, .alternatives = world_solver, .line = 3},
    {.name = "preconditioner",
     .n_alternatives = 2,
     .alternatives = world_preconditioner,
     .line = 4},
    {.name = "output", .n_alternatives = 2, .alternatives = world_output, .line = 5},
    {.name = "mastermind", .n_alternatives = 1, .alternatives = world_mastermind, .line = 6},
};
static struct portolan_assembly_pair world_pairs[] = {{"solver", "assembler", "setup", 7},
                                                      {"solver", "preconditioner", "solve", 8}};
static const char *world_sizes[] = {"32", "16", "24", "48"}, *world_few_steps[] = {"4"};
static struct portolan_assembly_sweep world_sweeps[] = {
    {"driver", "n", 4, world_sizes, true, 9}, {"driver", "steps", 1, world_few_steps, false, 10}};

static const struct portolan_assembly world_assembly = {
    .file = "plate.xml",
    .name = "plate",
    .n_instances = 6,
    .instances = world_instances,
    .n_pairs = 2,
    .pairs = world_pairs,
    .n_sweeps = 2,
    .sweeps = world_sweeps,
    .alpha = 0.1,
    .beta = 0.1,
    .steps_instance = "driver",
    .steps_parameter = "steps",
    .go = {.user = "", .uses = "go", .provider = "driver", .provides = "go"},
    .purpose = "explore",
};

static const char *const world_names[] = {"assembler", "solver", "preconditioner", "output"};
static const size_t world_domains[] = {2, 3, 2, 2};

static inline const char *world_class(int variable, size_t value)
{
    return world_instances[variable + 1].alternatives[value].class_name;
}

/* What the truth depends on beside the selection. */
struct world {
    struct portolan_sample_set set;
    struct portolan_trial trials[WORLD_TRIALS];
    struct portolan_sample *samples;
    struct portolan_name_value implementations[WORLD_TRIALS][N_VARIABLES];
    struct portolan_name_value parameters[WORLD_TRIALS][2];
    char numbers[WORLD_TRIALS][2][20];
    int ranks;
    double noise; /* relative; each sample has its own */
    double spike; /* factor on step 2's times */
    int steps;    /* of a trial of the exploration */
    double cg_quality;
    uint64_t seed;
};

static inline struct world *world_create(int ranks)
{
    struct world *w = calloc(1, sizeof *w);

    w->samples = calloc(WORLD_SAMPLES, sizeof *w->samples);
    w->set.trials = w->trials;
    w->set.samples = w->samples;
    w->ranks = ranks;
    w->spike = 1;
    w->steps = 4;
    w->cg_quality = 1e-5;
    w->seed = 88172645463325252u;
    return w;
}

static inline void world_destroy(struct world *w)
{
    free(w->samples);
    free(w);
}

/* --- the truth, in nanoseconds --- */

static inline double truth_iterations(const size_t *x)
{
    return x[PRECONDITIONER] ? 8 : 20;
}

static inline double truth_assemble(const size_t *x, double n)
{
    return (x[ASSEMBLER] ? 80 : 100) * n * n;
}

static inline double truth_setup(const size_t *x, double n)
{
    switch (x[SOLVER]) {
    case 0:
        return 3 * n * n * n + (x[ASSEMBLER] == 0 ? 40 * n * n : 0);
    case 1:
        return 150 * n * n + (x[ASSEMBLER] == 1 ? 260 * n * n : 0);
    default:
        return 2 * n * n;
    }
}

static inline double truth_solve(const size_t *x, double dof)
{
    switch (x[SOLVER]) {
    case 0:
        return 2 * pow(dof, 1.5);
    case 1:
        return 40 * dof;
    default:
        return 10 * dof * truth_iterations(x);
    }
}

static inline double truth_apply(const size_t *x, double dof)
{
    return (x[PRECONDITIONER] ? 6 : 2) * dof;
}

static inline double truth_driver(double n)
{
    return 1e4 + 10 * n * n;
}

static inline double truth_analysis(const size_t *x, double n)
{
    return x[SOLVER] == 1 ? 900 * n * n : 0;
}

static const double truth_begin = 2e6, truth_end = 1e5, truth_write = 300;

static inline double truth_step(const size_t *x, double n)
{
    double step = truth_driver(n) + truth_assemble(x, n) + truth_setup(x, n) +
                  truth_solve(x, n * n) + truth_write;

    return x[SOLVER] == 2 ? step + truth_iterations(x) * truth_apply(x, n * n) : step;
}

static inline double truth_total(const size_t *x, double n, int steps)
{
    return truth_begin + truth_end + truth_analysis(x, n) + steps * truth_step(x, n);
}

/* --- trials of it --- */

static inline double world_factor(struct world *w, int step)
{
    w->seed ^= w->seed << 13;
    w->seed ^= w->seed >> 7;
    w->seed ^= w->seed << 17;
    return (1 + w->noise * ((double)(w->seed >> 11) * 0x1p-52 - 1)) * (step == 2 ? w->spike : 1);
}

static inline struct portolan_sample *world_call(struct world *w, int step, int rank,
                                                 int64_t parent, const char *user,
                                                 const char *instance, const char *class_name,
                                                 const char *method, double calls, double time)
{
    struct portolan_sample *x = &w->samples[w->set.n_samples++];

    *x = (struct portolan_sample){.trial = w->trials[w->set.n_trials - 1].id,
                                  .step = step,
                                  .rank = rank,
                                  .parent = parent,
                                  .user = user,
                                  .uses = user[0] ? instance : "",
                                  .instance = instance,
                                  .port = instance,
                                  .implementation = class_name,
                                  .port_type = "heat.Port",
                                  .method = method,
                                  .calls = (int64_t)calls,
                                  .exclusive_ns = time * world_factor(w, step),
                                  .quality = NAN};
    x->inclusive_ns = x->exclusive_ns;
    for (int64_t up = parent; up >= 0; up = w->samples[up].parent)
        w->samples[up].inclusive_ns += x->exclusive_ns;
    return x;
}

static inline int64_t world_last(const struct world *w)
{
    return (int64_t)w->set.n_samples - 1;
}

static inline void world_step(struct world *w, int step, int rank, const size_t *x, double n,
                              double excess, bool last)
{
    struct portolan_sample *s;
    int64_t root, solve;
    double share = rank == w->ranks - 1 ? 1 : 0.5; /* the last rank has the most work */

    world_call(w, step, rank, -1, "", "driver", "heat.Driver", "go", last, truth_driver(n));
    root = world_last(w);
    world_call(w, step, rank, root, "driver", "assembler", world_class(ASSEMBLER, x[ASSEMBLER]),
               "assemble", 1, share * truth_assemble(x, n));
    world_call(w, step, rank, root, "driver", "solver", world_class(SOLVER, x[SOLVER]), "setup", 1,
               share * (truth_setup(x, n) + excess));
    s = world_call(w, step, rank, root, "driver", "solver", world_class(SOLVER, x[SOLVER]), "solve",
                   1, share * truth_solve(x, n * n));
    s->n_context = 1;
    s->context_name[0] = "dof";
    s->context[0] = n * n;
    s->quality = x[SOLVER] == 2 ? w->cg_quality : 1e-12;
    solve = world_last(w);
    if (x[SOLVER] == 2) {
        s = world_call(w, step, rank, solve, "solver", "preconditioner",
                       world_class(PRECONDITIONER, x[PRECONDITIONER]), "apply", truth_iterations(x),
                       share * truth_iterations(x) * truth_apply(x, n * n));
        s->n_context = 1;
        s->context_name[0] = "dof";
        s->context[0] = n * n;
    }
    world_call(w, step, rank, root, "driver", "output", world_class(OUTPUT, x[OUTPUT]), "write", 1,
               truth_write);
    if (rank < w->ranks - 1) { /* the others wait for it, in MPI, in the driver */
        double waits = truth_step(x, n) + excess - w->samples[root].inclusive_ns;

        w->samples[root].exclusive_ns += waits;
        w->samples[root].inclusive_ns += waits;
        w->samples[root].mpi_ns += waits;
    }
}

/* A trial that changes its selection from FIRST to SECOND at step `swap_at` (-1: never). */
static inline struct portolan_trial *world_trial(struct world *w, const char *purpose,
                                                 const size_t *first, int swap_at,
                                                 const size_t *second, double n, int steps)
{
    size_t i = w->set.n_trials++;
    struct portolan_trial *t = &w->trials[i];
    size_t begin = w->set.n_samples;

    snprintf(w->numbers[i][0], 20, "%g", n);
    snprintf(w->numbers[i][1], 20, "%d", steps);
    w->parameters[i][0] = (struct portolan_name_value){"driver.n", w->numbers[i][0]};
    w->parameters[i][1] = (struct portolan_name_value){"driver.steps", w->numbers[i][1]};
    for (int v = 0; v < N_VARIABLES; v++)
        w->implementations[i][v] =
            (struct portolan_name_value){world_names[v], world_class(v, first[v])};
    *t = (struct portolan_trial){.id = (int64_t)i + 1,
                                 .assembly = "plate",
                                 .purpose = purpose,
                                 .ranks = w->ranks,
                                 .started = "2026-11-21T09:00:00Z",
                                 .outcome = "finished",
                                 .n_parameters = 2,
                                 .parameters = w->parameters[i],
                                 .n_implementations = N_VARIABLES,
                                 .implementations = w->implementations[i]};
    for (int step = -1; step <= steps; step++)
        for (int rank = 0; rank < w->ranks; rank++) {
            const size_t *x = swap_at >= 0 && step >= swap_at ? second : first;
            bool fresh =
                step == 0 || (swap_at >= 0 && step == swap_at && first[SOLVER] != second[SOLVER]);

            if (step < 0 || step == steps)
                world_call(w, step, rank, -1, "", "driver", "heat.Driver", "go", step == steps,
                           step < 0 ? truth_begin : truth_end);
            else
                world_step(w, step, rank, x, n, fresh ? truth_analysis(x, n) : 0, false);
        }
    for (size_t k = begin; k < w->set.n_samples; k++)
        if (w->samples[k].rank == w->ranks - 1)
            t->elapsed_ns += w->samples[k].exclusive_ns;
    return t;
}

/* Every selection but the OUTPUT's, at every size of the sweep. */
static inline void world_explore_all(struct world *w)
{
    static const double sizes[] = {16, 24, 32, 48};

    for (size_t i = 0; i < 12 * 4; i++) {
        size_t x[] = {i / 6 % 2, i / 2 % 3, i % 2, 0};

        world_trial(w, "explore", x, -1, x, sizes[i / 12], w->steps);
    }
}

/* Runs what portolan_plan_next_trial() wants. */
static inline struct portolan_trial *world_run_next(struct world *w,
                                                    const struct portolan_next_trial *next)
{
    size_t x[N_VARIABLES];
    double n;

    for (int v = 0; v < N_VARIABLES; v++)
        for (size_t k = 0; k < world_domains[v]; k++)
            if (strcmp(next->selection[v].value, world_class(v, k)) == 0)
                x[v] = k;
    portolan_read_double(next->parameters[0].value, &n);
    return world_trial(w, "explore", x, -1, x, n, 4);
}

/* What it wants is run until it is content; returns the trials run. */
static inline size_t world_follow(struct world *w, const struct portolan_assembly *a,
                                  double budget_s, struct portolan_next_trial **end)
{
    for (size_t n = 0;; n++) {
        struct portolan_next_trial *next;

        if (portolan_plan_next_trial(a, &w->set, &(struct portolan_plan_options){.ranks = w->ranks},
                                     budget_s, &next, NULL))
            return SIZE_MAX;
        if (next->finished) {
            *end = next;
            return n;
        }
        budget_s -= world_run_next(w, next)->elapsed_ns * 1e-9;
        portolan_next_trial_destroy(next);
    }
}

#endif
