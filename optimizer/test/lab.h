/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A driver that calls solver.solve(n, symmetric) once per step; the solver is Lu, Chol or Cg. What
 * each trial took, and what came of it, is said trial by trial.
 */
#ifndef PORTOLAN_TEST_LAB_H
#define PORTOLAN_TEST_LAB_H

#include <math.h>
#include <portolan/optimizer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan_check.h"
#include "positions.h"

enum { LU, CHOL, CG, N_SOLVERS };
enum { LAB_TRIALS = 400, LAB_SAMPLES = 20000, LAB_CASES = 40 };

/* Of one trial, all of whose steps are alike but for FACTOR. */
struct run {
    int solver;
    double n, symmetric, ms;
    bool fails;
    double quality;          /* 0: none is reported */
    int ranks, steps;        /* 0: 1 */
    const char *file, *host; /* NULL: "a" and "here" */
    const char *purpose;     /* NULL: "explore" */
    double (*factor)(int step);
};

struct lab {
    struct portolan_assembly a;
    struct portolan_assembly_parameter parameters[3];
    struct portolan_assembly_alternative driver, solvers[N_SOLVERS];
    struct portolan_assembly_instance instances[2];
    struct portolan_assembly_sweep sweep;
    struct portolan_assembly_case_column columns[3];
    struct portolan_assembly_case cases[LAB_CASES];
    const char *values[LAB_CASES][3];
    char texts[LAB_CASES][3][24], n[24], steps[24];

    struct portolan_sample_set set;
    struct portolan_trial trials[LAB_TRIALS];
    struct portolan_name_value given[LAB_TRIALS][5]; /* 3 parameters, the solver, the host */
    char numbers[LAB_TRIALS][2][24];
    struct portolan_sample samples[LAB_SAMPLES];

    struct portolan_plan_options options;
    const char *known_names[2];
    double known[2];
    struct portolan_plan *plan;
    const struct portolan_plan_answer *choice;
};

static const char *const lab_classes[] = {"s.Lu", "s.Chol", "s.Cg"};

static inline struct lab *lab_create(void)
{
    static const char *sizes[] = {"1", "2"};
    struct lab *l = calloc(1, sizeof *l);

    l->parameters[0] =
        (struct portolan_assembly_parameter){"file", PORTOLAN_VALUE_STRING, "a", false, 1};
    l->parameters[1] =
        (struct portolan_assembly_parameter){"steps", PORTOLAN_VALUE_INT, l->steps, false, 1};
    l->parameters[2] =
        (struct portolan_assembly_parameter){"n", PORTOLAN_VALUE_INT, l->n, false, 1};
    l->driver = (struct portolan_assembly_alternative){
        .class_name = "s.Driver", .n_parameters = 3, .parameters = l->parameters};
    for (int k = 0; k < N_SOLVERS; k++)
        l->solvers[k].class_name = lab_classes[k];
    l->instances[0] = (struct portolan_assembly_instance){
        .name = "driver", .n_alternatives = 1, .alternatives = &l->driver};
    l->instances[1] = (struct portolan_assembly_instance){
        .name = "solver", .n_alternatives = N_SOLVERS, .alternatives = l->solvers};
    l->sweep = (struct portolan_assembly_sweep){"driver", "n", 2, sizes, true, 1};
    l->a = (struct portolan_assembly){.file = "lab.xml",
                                      .name = "lab",
                                      .n_instances = 2,
                                      .instances = l->instances,
                                      .n_sweeps = 1,
                                      .sweeps = &l->sweep,
                                      .alpha = 0.1,
                                      .beta = 0.1,
                                      .steps_instance = "driver",
                                      .steps_parameter = "steps"};
    strcpy(l->steps, "1");
    l->set.trials = l->trials;
    l->set.samples = l->samples;
    l->options.ranks = 1;
    return l;
}

static inline void lab_destroy(struct lab *l)
{
    portolan_plan_destroy(l->plan);
    free(l);
}

static inline struct portolan_sample *lab_call(struct lab *l, int step, int64_t parent,
                                               const char *instance, const char *class_name,
                                               const char *method, double ns)
{
    struct portolan_sample *x = &l->samples[l->set.n_samples++];

    *x = (struct portolan_sample){.trial = (int64_t)l->set.n_trials,
                                  .step = step,
                                  .parent = parent,
                                  .user = parent < 0 ? "" : "driver",
                                  .uses = parent < 0 ? "" : instance,
                                  .instance = instance,
                                  .port = instance,
                                  .implementation = class_name,
                                  .port_type = "s.Port",
                                  .method = method,
                                  .calls = 1,
                                  .inclusive_ns = ns,
                                  .exclusive_ns = ns,
                                  .quality = NAN};
    return x;
}

static inline void lab_step(struct lab *l, const struct run *r, int step)
{
    double ns = 1e6 * r->ms * (r->factor ? r->factor(step) : 1);
    struct portolan_sample *x = lab_call(l, step, -1, "driver", "s.Driver", "go", 1e3);

    x->inclusive_ns += r->fails ? 0 : ns;
    x = lab_call(l, step, (int64_t)l->set.n_samples - 1, "solver", lab_classes[r->solver], "solve",
                 r->fails ? 0 : ns);
    x->calls = !r->fails;
    x->failed_calls = r->fails;
    x->quality = r->quality > 0 ? r->quality : NAN;
    x->n_context = 2;
    x->context_name[0] = "n";
    x->context_name[1] = "symmetric";
    x->context[0] = r->n;
    x->context[1] = r->symmetric;
}

static inline void lab_run(struct lab *l, struct run r)
{
    size_t i = l->set.n_trials++;
    struct portolan_name_value *given = l->given[i];
    int steps = r.steps ? r.steps : 1;

    snprintf(l->numbers[i][0], 24, "%.17g", r.n);
    snprintf(l->numbers[i][1], 24, "%d", steps);
    given[0] = (struct portolan_name_value){"driver.n", l->numbers[i][0]};
    given[1] = (struct portolan_name_value){"driver.steps", l->numbers[i][1]};
    given[2] = (struct portolan_name_value){"driver.file", r.file ? r.file : "a"};
    given[3] = (struct portolan_name_value){"solver", lab_classes[r.solver]};
    given[4] = (struct portolan_name_value){"host", r.host ? r.host : "here"};
    l->trials[i] = (struct portolan_trial){.id = (int64_t)i + 1,
                                           .assembly = "lab",
                                           .purpose = r.purpose ? r.purpose : "explore",
                                           .ranks = r.ranks ? r.ranks : 1,
                                           .started = "2026-11-21T09:00:00Z",
                                           .outcome = r.fails ? "failed" : "finished",
                                           .n_parameters = 3,
                                           .parameters = given,
                                           .n_implementations = 1,
                                           .implementations = given + 3,
                                           .n_metadata = 1,
                                           .metadata = given + 4};
    for (int step = 0; step < steps; step++)
        lab_step(l, &r, step);
}

/* A case: its file, and the contexts n and symmetric that are known of it; no parameter says n. */
static inline void lab_case(struct lab *l, const char *file, double n, double symmetric)
{
    size_t i = l->a.n_cases++;

    snprintf(l->texts[i][0], 24, "%s", file);
    snprintf(l->texts[i][1], 24, "%.17g", n);
    snprintf(l->texts[i][2], 24, "%g", symmetric);
    for (int k = 0; k < 3; k++)
        l->values[i][k] = l->texts[i][k];
    l->columns[0] = (struct portolan_assembly_case_column){"driver", "file"};
    l->columns[1] = (struct portolan_assembly_case_column){NULL, "n"};
    l->columns[2] = (struct portolan_assembly_case_column){NULL, "symmetric"};
    l->cases[i].values = l->values[i];
    l->a.cases = l->cases;
    l->a.case_columns = l->columns;
    l->a.n_case_columns = 3;
    l->a.n_sweeps = 0;
    l->driver.n_parameters = 2;
}

/* Plans for driver.n = N, where calls will be with that and, unless it is NaN, with SYMMETRIC. */
static inline enum portolan_status lab_plan(struct lab *l, double n, double symmetric,
                                            struct portolan_error *err)
{
    snprintf(l->n, sizeof l->n, "%.17g", n);
    l->known_names[0] = "n";
    l->known_names[1] = "symmetric";
    l->known[0] = n;
    l->known[1] = symmetric;
    l->options.n_known = isnan(symmetric) ? 1 : 2;
    l->options.known_names = l->known_names;
    l->options.known_values = l->known;
    portolan_plan_destroy(l->plan);
    l->plan = NULL;
    return portolan_plan_create(&l->a, &l->set, &l->options, &l->plan, err);
}

/* The same, and chooses; fails the test where that is not possible. */
static inline const struct portolan_plan_answer *lab_choose(struct lab *l, double n,
                                                            double symmetric)
{
    struct portolan_error err = {0};

    if (lab_plan(l, n, symmetric, &err) || portolan_plan_choose(l->plan, &l->choice, &err))
        fail_msg("%s", err.text);
    return l->choice;
}

/* Of one solver, by the last choice. */
static inline const struct portolan_answer_option *lab_option(const struct lab *l, int solver)
{
    return &l->choice->variables[0].options[solver];
}

static inline struct portolan_plan_prediction lab_predict(const struct lab *l, int solver)
{
    const struct portolan_name_value x = {"solver", lab_classes[solver]};
    struct portolan_plan_prediction t;
    struct portolan_error err = {0};

    if (portolan_plan_predict(l->plan, positions(&l->a, &x, 1), &t, &err))
        fail_msg("%s", err.text);
    return t;
}

/* Returns whether the report of the last choice has TEXT in one line. */
static inline bool lab_says(const struct lab *l, const char *text)
{
    struct portolan_text out = {0};
    bool says;

    portolan_answer_write_text(l->choice, &out);
    says = strstr(out.bytes, text) != NULL;
    portolan_text_clear(&out);
    return says;
}

static inline void assert_reason(const struct lab *l, int solver, const char *text)
{
    const char *reason = lab_option(l, solver)->reason;

    if (!strstr(reason, text))
        fail_msg("'%s' does not say '%s'", reason, text);
}

/* Lu works everywhere, and is slow. */
static inline struct lab *lab_with_lu(void)
{
    struct lab *l = lab_create();

    for (double n = 25; n <= 800; n *= 2)
        for (int symmetric = 0; symmetric < 2; symmetric++)
            lab_run(l,
                    (struct run){
                        .solver = LU, .n = n, .symmetric = symmetric, .ms = n, .quality = 1e-12});
    return l;
}

#endif
