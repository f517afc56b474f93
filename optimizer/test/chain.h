/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A driver that calls each of four parts once per step, whose times are exact: the truth, and what
 * is measured of it. Include cmocka.h before.
 */
#ifndef PORTOLAN_TEST_CHAIN_H
#define PORTOLAN_TEST_CHAIN_H

#include <math.h>
#include <portolan/optimizer.h>

#include "random_choice.h"

enum { PARTS = 4, MOST = 3, STEPS = 10, TRIALS = 100, SAMPLES = 8000 };

static const char *const part_names[PARTS] = {"maker", "first", "second", "third"};
static const char *const class_names[PARTS][MOST] = {
    {"c.M0", "c.M1"}, {"c.A0", "c.A1", "c.A2"}, {"c.B0", "c.B1", "c.B2"}, {"c.C0", "c.C1", "c.C2"}};
static const size_t domains[PARTS] = {2, 3, 3, 3};
static const char *const layout_names[] = {"csc", "csr", "band"};

struct chain {
    struct portolan_assembly a;
    struct portolan_assembly_parameter parameters[2];
    struct portolan_assembly_alternative driver, classes[PARTS][MOST];
    struct portolan_assembly_instance instances[1 + PARTS];
    struct portolan_assembly_layout layouts[PARTS][MOST];
    struct portolan_assembly_conversion conversions[6];
    struct portolan_assembly_data data;
    char texts[6][40], memory[PARTS][MOST][40];

    /* the truth */
    double ms[PARTS][MOST], accuracy[PARTS][MOST], setup_ms[PARTS][MOST], bytes[PARTS][MOST];
    int layout[PARTS][MOST]; /* -1: any */
    double convert_ms[3][3]; /* INFINITY: none */
    bool spreads;            /* the calls of `first` have two contexts */

    struct portolan_sample_set set;
    struct portolan_trial trials[TRIALS];
    struct portolan_name_value given[TRIALS][PARTS], steps[TRIALS][2];
    struct portolan_sample samples[SAMPLES];
    struct portolan_plan *plan;
};

static struct chain *chain_create(void)
{
    struct chain *c = calloc(1, sizeof *c);

    c->parameters[0] =
        (struct portolan_assembly_parameter){"steps", PORTOLAN_VALUE_INT, "10", false, 1};
    c->parameters[1] =
        (struct portolan_assembly_parameter){"n", PORTOLAN_VALUE_INT, "100", false, 1};
    c->driver = (struct portolan_assembly_alternative){
        .class_name = "c.Driver", .n_parameters = 2, .parameters = c->parameters};
    c->instances[0] = (struct portolan_assembly_instance){
        .name = "driver", .n_alternatives = 1, .alternatives = &c->driver};
    for (int i = 0; i < PARTS; i++) {
        c->instances[1 + i] = (struct portolan_assembly_instance){
            .name = part_names[i], .n_alternatives = domains[i], .alternatives = c->classes[i]};
        for (size_t k = 0; k < domains[i]; k++) {
            c->classes[i][k].class_name = class_names[i][k];
            c->ms[i][k] = 10;
            c->layout[i][k] = -1;
        }
    }
    c->a = (struct portolan_assembly){.file = "chain.xml",
                                      .name = "chain",
                                      .n_instances = 1 + PARTS,
                                      .instances = c->instances,
                                      .steps_instance = "driver",
                                      .steps_parameter = "steps"};
    c->set.trials = c->trials;
    c->set.samples = c->samples;
    return c;
}

static void chain_destroy(struct chain *c)
{
    portolan_plan_destroy(c->plan);
    free(c);
}

/* States the layouts and conversions of the truth; an eighth of each is paid per sweep parameter.
 */
static void state_data(struct chain *c, bool is_shared)
{
    size_t n = 0;

    for (int i = 0; i < PARTS; i++)
        for (size_t k = 0; k < domains[i]; k++)
            if (c->layout[i][k] >= 0) {
                c->layouts[i][k] =
                    (struct portolan_assembly_layout){"matrix", layout_names[c->layout[i][k]], 1};
                c->classes[i][k].n_layouts = 1;
                c->classes[i][k].layouts = &c->layouts[i][k];
            }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (i != k && !isinf(c->convert_ms[i][k])) {
                snprintf(c->texts[n], sizeof c->texts[n], "%.17g * driver.n",
                         c->convert_ms[i][k] * 1e-3 / 100);
                c->conversions[n] = (struct portolan_assembly_conversion){
                    .from = layout_names[i], .to = layout_names[k], .seconds = c->texts[n]};
                n++;
            }
    c->data = (struct portolan_assembly_data){.name = "matrix",
                                              .made_by = "maker",
                                              .method = "work",
                                              .is_shared = is_shared,
                                              .n_conversions = n,
                                              .conversions = c->conversions};
    c->a.data = &c->data;
    c->a.n_data = 1;
}

/* ---- the truth ---- */

/* The least sum of conversions by which all layouts of NEEDED come from FROM: every set of them. */
static double truth_shared(const struct chain *c, int from, unsigned needed)
{
    double least = INFINITY;

    for (unsigned edges = 0; edges < 512; edges++) {
        unsigned have = 1u << from;
        double sum = 0;

        for (int round = 0; round < 3; round++)
            for (int e = 0; e < 9; e++)
                if (edges >> e & 1 && have >> (e / 3) & 1)
                    have |= 1u << e % 3;
        for (int e = 0; e < 9; e++)
            sum += edges >> e & 1 ? (e / 3 == e % 3 ? 0 : c->convert_ms[e / 3][e % 3]) : 0;
        if ((have & needed) == needed)
            least = fmin(least, sum);
    }
    return least;
}

static double truth_conversions(const struct chain *c, const size_t *x)
{
    int from = c->layout[0][x[0]];
    unsigned needed = 0;
    double sum = 0;

    for (int i = 1; i < PARTS; i++)
        if (c->layout[i][x[i]] >= 0) {
            needed |= 1u << c->layout[i][x[i]];
            sum += truth_shared(c, from, 1u << c->layout[i][x[i]]);
        }
    return from < 0 || !c->a.n_data ? 0 : c->data.is_shared ? truth_shared(c, from, needed) : sum;
}

static double truth_ns(const struct chain *c, const size_t *x)
{
    double ms = 0.01 + truth_conversions(c, x), once = 0;

    for (int i = 0; i < PARTS; i++) {
        ms += c->ms[i][x[i]];
        once += c->setup_ms[i][x[i]];
    }
    return 1e6 * (STEPS * ms + once);
}

static bool truth_allows(const struct chain *c, const size_t *x)
{
    double bytes = 0, sum = 0, product = 1;

    for (int i = 0; i < PARTS; i++) {
        double a = c->accuracy[i][x[i]];

        bytes += c->bytes[i][x[i]];
        sum += a;
        product *= a > 0 ? a : 1;
        if (c->instances[1 + i].accuracy > 0 && a > c->instances[1 + i].accuracy)
            return false;
    }
    if (c->a.memory > 0 && bytes > c->a.memory)
        return false;
    return !(c->a.accuracy > 0) ||
           (c->a.composition == PORTOLAN_COMPOSE_SUM ? sum : product) <= c->a.accuracy;
}

/* The least cost, and with each part's implementation forced to each: LEAST may be NULL. */
static double truth_best(const struct chain *c, double (*least)[MOST])
{
    double best = INFINITY;

    for (size_t i = 0; least && i < PARTS * MOST; i++)
        least[i / MOST][i % MOST] = INFINITY;
    for (size_t i = 0; i < 54; i++) {
        size_t x[] = {i / 27, i / 9 % 3, i / 3 % 3, i % 3};
        double cost = truth_allows(c, x) ? truth_ns(c, x) : INFINITY;

        best = fmin(best, cost);
        for (size_t k = 0; least && k < PARTS; k++)
            least[k][x[k]] = fmin(least[k][x[k]], cost);
    }
    return best;
}

/* ---- measurements ---- */

static struct portolan_sample *put_call(struct chain *c, int step, int64_t parent, const char *name,
                                        const char *class_name, double ms)
{
    struct portolan_sample *s = &c->samples[c->set.n_samples++];

    *s = (struct portolan_sample){.trial = (int64_t)c->set.n_trials,
                                  .step = step,
                                  .parent = parent,
                                  .user = parent < 0 ? "" : "driver",
                                  .uses = parent < 0 ? "" : name,
                                  .instance = name,
                                  .port = name,
                                  .implementation = class_name,
                                  .port_type = "c.Port",
                                  .method = parent < 0 ? "go" : "work",
                                  .calls = 1,
                                  .inclusive_ns = 1e6 * ms,
                                  .exclusive_ns = 1e6 * ms,
                                  .quality = NAN};
    return s;
}

/* Makes of a call nine with n = 10 and one with n = 1000: 1 ms each, or 0.05 us times n squared. */
static void spread_calls(struct chain *c, struct portolan_sample *s, bool squares)
{
    struct portolan_sample *big = &c->samples[c->set.n_samples++];

    s->n_context = 1;
    s->context_name[0] = "n";
    *big = *s;
    s->calls = 9;
    s->context[0] = 10;
    big->context[0] = 1000;
    s->exclusive_ns = s->inclusive_ns = 9 * (squares ? 50. * 100 : 1e6);
    big->exclusive_ns = big->inclusive_ns = squares ? 50. * 1e6 : 1e6;
    c->samples[s->parent].inclusive_ns += s->inclusive_ns + big->inclusive_ns;
}

/* A trial of an assembly, without conversions. */
static void measure(struct chain *c, const size_t *x)
{
    size_t i = c->set.n_trials++;

    for (int k = 0; k < PARTS; k++)
        c->given[i][k] = (struct portolan_name_value){part_names[k], class_names[k][x[k]]};
    c->steps[i][0] = (struct portolan_name_value){"driver.steps", "10"};
    c->steps[i][1] = (struct portolan_name_value){"driver.n", "100"};
    c->trials[i] = (struct portolan_trial){.id = (int64_t)i + 1,
                                           .assembly = "chain",
                                           .purpose = "explore",
                                           .ranks = 1,
                                           .started = "2026-11-21T09:00:00Z",
                                           .outcome = "finished",
                                           .n_parameters = 2,
                                           .parameters = c->steps[i],
                                           .n_implementations = PARTS,
                                           .implementations = c->given[i]};
    for (int step = 0; step < STEPS; step++) {
        int64_t root = (int64_t)c->set.n_samples;

        put_call(c, step, -1, "driver", "c.Driver", 0.01);
        for (int k = 0; k < PARTS; k++) {
            double ms = c->ms[k][x[k]] + (step ? 0 : c->setup_ms[k][x[k]]);
            struct portolan_sample *s =
                put_call(c, step, root, part_names[k], class_names[k][x[k]], ms);
            s->quality = c->accuracy[k][x[k]] > 0 ? c->accuracy[k][x[k]] : NAN;
            if (k == 1 && c->spreads)
                spread_calls(c, s, x[k] == 1);
            else
                c->samples[root].inclusive_ns += s->inclusive_ns;
        }
    }
}

/* As written, and each alternative alone. */
static void measure_alone(struct chain *c)
{
    measure(c, (size_t[PARTS]){0});
    for (int i = 0; i < PARTS; i++)
        for (size_t k = 1; k < domains[i]; k++) {
            size_t x[PARTS] = {0};

            x[i] = k;
            measure(c, x);
        }
}

static enum portolan_status choose(struct chain *c, const struct portolan_plan_answer **choice,
                                   struct portolan_error *err)
{
    enum portolan_status status;

    portolan_plan_destroy(c->plan);
    c->plan = NULL;
    status = portolan_plan_create(&c->a, &c->set, &(struct portolan_plan_options){.ranks = 1},
                                  &c->plan, err);
    return status ? status : portolan_plan_choose(c->plan, choice, err);
}

#endif
