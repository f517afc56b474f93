/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What binds components together: data that are converted, memory, accuracies that add up; and what
 * spreads: contexts, set-up. A driver calls each of four parts once per step; their times are
 * exact, and the choice must be that of an enumeration of all 54 assemblies.
 */
#include <math.h>
#include <portolan/optimizer.h>
#include <unit_test.h>

#include "positions.h"
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

/* Each implementation costs at least what it costs in the truth. The choice itself may be another
 * that is as good within what the measurements tell. */
static void assert_best(struct chain *c, uint64_t seed)
{
    const struct portolan_plan_answer *choice;
    struct portolan_error err = {0};
    double least[PARTS][MOST], best = truth_best(c, least);
    enum portolan_status status = choose(c, &choice, &err);

    if (isinf(best)) {
        assert_int_equal(status, PORTOLAN_EINFEASIBLE);
        return;
    }
    if (status)
        fail_msg("seed %ju: %s", (uintmax_t)seed, err.text);
    assert_true(choice->prediction.total_ns >= best * (1 - 1e-9) &&
                choice->prediction.total_ns <= best * 1.01);
    for (size_t i = 0; i < PARTS; i++)
        for (size_t k = 0; k < domains[i]; k++) {
            double told = choice->variables[i].options[k].total_ns;

            assert_true(choice->variables[i].core);
            if (isinf(least[i][k]) ? !isinf(told)
                                   : !(fabs(told - least[i][k]) <= 1e-9 * least[i][k]))
                fail_msg("seed %ju: %s %.9g, not %.9g", (uintmax_t)seed, class_names[i][k], told,
                         least[i][k]);
        }
}

static bool says(const struct portolan_plan_answer *choice, const char *text)
{
    for (size_t i = 0; i < choice->n_reasons; i++)
        if (strcmp(choice->reasons[i], text) == 0)
            return true;
    return false;
}

static void draw_times(struct chain *c, uint64_t *seed)
{
    for (int i = 0; i < PARTS; i++)
        for (size_t k = 0; k < domains[i]; k++)
            c->ms[i][k] = 10 + 10 * random_unit(seed);
}

/* ---- data ---- */

static void draw_data(struct chain *c, uint64_t *seed)
{
    for (int i = 0; i < PARTS; i++)
        for (size_t k = 0; k < domains[i]; k++)
            c->layout[i][k] = (int)(3 * random_unit(seed));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            c->convert_ms[i][k] = i == k                     ? 0
                                  : random_unit(seed) < 0.15 ? INFINITY
                                                             : 8 * random_unit(seed);
}

/* Best paths by way of other layouts count, too: that is what the truth's sets of edges allow. */
static void conversions_are_chosen_as_in_the_enumeration(void **state)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct chain *c = chain_create();
        uint64_t draw = seed * UINT64_C(0x9e3779b97f4a7c15);

        draw_times(c, &draw);
        draw_data(c, &draw);
        state_data(c, seed % 2);
        measure_alone(c);
        assert_best(c, seed);
        chain_destroy(c);
    }
}

/* Two take band, one csr: one conversion for both pays, one for each does not. */
static void a_shared_conversion_pays_where_one_for_each_does_not(void **state)
{
    for (int is_shared = 0; is_shared < 2; is_shared++) {
        struct chain *c = chain_create();
        const struct portolan_plan_answer *choice;

        for (int i = 1; i < PARTS; i++)
            for (size_t k = 0; k < domains[i]; k++)
                c->layout[i][k] = k == 1 ? 2 : 0;
        c->layout[0][0] = c->layout[0][1] = 0;
        c->ms[0][1] = 20;
        c->ms[1][1] = c->ms[2][1] = c->ms[3][1] = 8; /* 2 less each; converting takes 4 */
        for (int i = 0; i < 9; i++)
            c->convert_ms[i / 3][i % 3] = i / 3 == i % 3 ? 0 : 4;
        state_data(c, is_shared);
        measure_alone(c);
        assert_best(c, 0);
        assert_int_equal(choose(c, &choice, NULL), 0);
        for (int i = 1; i < PARTS; i++)
            assert_int_equal(choice->variables[i].chosen, is_shared);
        assert_int_equal(says(choice, "matrix: converted from csc to band for second, 1 times a "
                                      "step, 4 ms each, shared with others"),
                         is_shared);
        chain_destroy(c);
    }
}

static void where_nothing_leads_is_told(void **state)
{
    struct chain *c = chain_create();
    const struct portolan_plan_answer *choice;
    struct portolan_error err = {0};

    c->layout[0][0] = c->layout[0][1] = 0;
    for (size_t k = 0; k < 3; k++)
        c->layout[1][k] = k ? 0 : 1;
    for (int i = 0; i < 9; i++)
        c->convert_ms[i / 3][i % 3] = i / 3 == i % 3 ? 0 : INFINITY;
    state_data(c, false);
    measure_alone(c);
    assert_int_equal(choose(c, &choice, &err), 0);
    assert_int_not_equal(choice->variables[1].chosen, 0);
    assert_non_null(strstr(choice->variables[1].options[0].reason, "converting 'matrix'"));
    chain_destroy(c);
}

static void bad_declarations_are_told_by_line(void **state)
{
    static const char *const wrong[] = {"1 +", "no.such * 2", "c[0]", "-1"};
    struct chain *c = chain_create();
    const struct portolan_plan_answer *choice;

    measure_alone(c);
    c->classes[1][2].line = 17;
    for (size_t k = 0; k < 4; k++) {
        struct portolan_error err = {0};

        c->classes[1][2].memory = wrong[k];
        assert_int_not_equal(choose(c, &choice, &err), 0);
        assert_non_null(strstr(err.text, "chain.xml:17:"));
    }
    chain_destroy(c);
}

/* ---- bounds ---- */

static void memory_is_kept_as_in_the_enumeration(void **state)
{
    size_t infeasible = 0;

    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct chain *c = chain_create();
        uint64_t draw = seed * UINT64_C(0x9e3779b97f4a7c15);

        draw_times(c, &draw);
        for (int i = 0; i < PARTS; i++)
            for (size_t k = 0; k < domains[i]; k++) {
                c->bytes[i][k] = 100 * floor(100 * random_unit(&draw));
                snprintf(c->memory[i][k], 40, "%g * driver.n", c->bytes[i][k] / 100);
                c->classes[i][k].memory = c->memory[i][k];
            }
        c->a.memory = 5000 + 20000 * random_unit(&draw);
        infeasible += isinf(truth_best(c, NULL));
        measure_alone(c);
        assert_best(c, seed);
        chain_destroy(c);
    }
    assert_true(infeasible > 0 && infeasible < 20);
}

static void accuracies_compose_as_in_the_enumeration(void **state)
{
    size_t infeasible = 0;

    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct chain *c = chain_create();
        uint64_t draw = seed * UINT64_C(0x9e3779b97f4a7c15);

        draw_times(c, &draw);
        for (int i = 0; i < PARTS; i++)
            for (size_t k = 0; k < domains[i]; k++)
                c->accuracy[i][k] = pow(10, -6 * random_unit(&draw));
        c->a.composition = seed % 2 ? PORTOLAN_COMPOSE_SUM : PORTOLAN_COMPOSE_PRODUCT;
        c->a.accuracy =
            seed % 2 ? pow(10, -2.5 * random_unit(&draw)) : pow(10, -10 - 8 * random_unit(&draw));
        if (seed % 3 == 0)
            c->instances[2].accuracy = 1e-3;
        infeasible += isinf(truth_best(c, NULL));
        measure_alone(c);
        assert_best(c, seed);
        chain_destroy(c);
    }
    assert_true(infeasible > 0 && infeasible < 40);
}

/* As of a solver that diverged. */
static void an_infinite_accuracy_excludes_what_reported_it(void **state)
{
    struct chain *c = chain_create();

    for (int i = 0; i < PARTS; i++)
        for (size_t k = 0; k < domains[i]; k++)
            c->accuracy[i][k] = 1e-2;
    c->accuracy[1][1] = INFINITY;
    c->ms[1][1] = 1;
    c->a.composition = PORTOLAN_COMPOSE_PRODUCT;
    c->a.accuracy = 1e-6;
    measure_alone(c);
    assert_best(c, 0);
    chain_destroy(c);
}

static void a_report_tells_what_binds(void **state)
{
    struct chain *c = chain_create();
    const struct portolan_plan_answer *choice;
    char *text;

    c->classes[1][0].memory = "2e9";
    c->classes[1][1].memory = "1e9";
    c->ms[1][0] = 10;
    c->ms[1][1] = 20;
    c->ms[1][2] = 30;
    c->accuracy[1][0] = c->accuracy[1][1] = c->accuracy[2][0] = 1e-4;
    c->a.composition = PORTOLAN_COMPOSE_SUM;
    c->a.accuracy = 1e-3;
    c->a.memory = 1.5e9;
    measure_alone(c);
    assert_int_equal(choose(c, &choice, NULL), 0);
    assert_true(choice->prediction.memory_bytes <= 1.5e9);
    assert_non_null(strstr(choice->variables[1].options[0].reason, "2e+09 bytes"));
    assert_non_null(text = choice_text(c->plan));
    assert_non_null(strstr(text, "of 1.5e+09 allowed"));
    assert_non_null(strstr(text, "the sum over all calls"));
    free(text);
    chain_destroy(c);
}

/* ---- set-up, contexts ---- */

/* As transforms that plan first: 50 ms more once, 2 ms less each time. */
static void set_up_pays_only_over_enough_steps(void **state)
{
    static const char *const steps[] = {"10", "24", "26", "1000"};

    for (size_t i = 0; i < 4; i++) {
        struct chain *c = chain_create();
        const struct portolan_plan_answer *choice;

        c->ms[1][0] = 10;
        c->ms[1][1] = 8;
        c->setup_ms[1][1] = 50;
        c->ms[1][2] = 30;
        measure_alone(c);
        c->parameters[0].text = steps[i];
        assert_int_equal(choose(c, &choice, NULL), 0);
        assert_int_equal(choice->variables[1].chosen, i > 1);
        chain_destroy(c);
    }
}

/* Nine calls with n = 10 and one with 1000: the mean of the costs decides, not the cost of the
 * mean n, at which the other one is quicker. */
static void the_mean_over_contexts_decides(void **state)
{
    struct chain *c = chain_create();
    const struct portolan_plan_answer *choice;

    c->spreads = true;
    measure_alone(c);
    assert_int_equal(choose(c, &choice, NULL), 0);
    assert_int_not_equal(choice->variables[1].chosen, 1); /* 50 ms per step instead of 10 */
    chain_destroy(c);
}

/* Before anything is measured, as exploring asks. */
static void memory_follows_an_alternative_s_own_parameters(void **state)
{
    static struct portolan_assembly_parameter blocks[] = {
        {"block", PORTOLAN_VALUE_INT, "1", false, 1}, {"block", PORTOLAN_VALUE_INT, "5", false, 1}};
    static const int32_t written[1 + PARTS];
    struct chain *c = chain_create();

    for (size_t k = 0; k < 2; k++) {
        c->classes[1][k].n_parameters = 1;
        c->classes[1][k].parameters = &blocks[k];
        c->classes[1][k].memory = "8 * first.block * ranks";
    }
    assert_float_equal(portolan_plan_memory(&c->a, 2, written, 2, 0), 16, 0);
    assert_float_equal(portolan_plan_memory(&c->a, 2, written, 2, 1), 80, 0);
    chain_destroy(c);
}

static enum portolan_status bind_all(void)
{
    struct chain *c = chain_create();
    const struct portolan_plan_answer *choice;
    enum portolan_status status;

    for (int i = 0; i < PARTS; i++)
        c->layout[i][0] = i % 3;
    state_data(c, true);
    c->classes[1][1].memory = "8 * driver.n";
    c->a.memory = 1e6;
    measure(c, (size_t[PARTS]){0});
    status = choose(c, &choice, NULL);
    chain_destroy(c);
    return status;
}

static void every_failing_allocation_is_reported(void **state)
{
    enum portolan_status status = PORTOLAN_ENOMEM;
    unsigned long n = 0;

    while (status) {
        assert_int_equal(status, PORTOLAN_ENOMEM);
        portolan_alloc_fail_at(n += 1 + n / 10);
        status = bind_all();
        portolan_alloc_fail_at(0);
    }
    assert_true(n > 100);
}

UNIT_TESTS(cmocka_unit_test(conversions_are_chosen_as_in_the_enumeration),
           cmocka_unit_test(a_shared_conversion_pays_where_one_for_each_does_not),
           cmocka_unit_test(where_nothing_leads_is_told),
           cmocka_unit_test(bad_declarations_are_told_by_line),
           cmocka_unit_test(memory_is_kept_as_in_the_enumeration),
           cmocka_unit_test(memory_follows_an_alternative_s_own_parameters),
           cmocka_unit_test(accuracies_compose_as_in_the_enumeration),
           cmocka_unit_test(an_infinite_accuracy_excludes_what_reported_it),
           cmocka_unit_test(a_report_tells_what_binds),
           cmocka_unit_test(set_up_pays_only_over_enough_steps),
           cmocka_unit_test(the_mean_over_contexts_decides),
           cmocka_unit_test(every_failing_allocation_is_reported))
