/* SPDX-License-Identifier: BSD-3-Clause */
/* The model against the paper's figure 1 and equation (11), and traces that are wrong. */
#include <math.h>
#include <portolan/cll_report.h>
#include <portolan/obsp.h>
#include <unit_test.h>

/* Events of processors, with ' for " and a comma behind each; ends of supersteps take no time. */
#define RUN(from, to, experiment, values)                                                          \
    "{'at':" #from ",'until':" #to ",'run':" #experiment ",'values':[" values "]},"
#define SEND(at, to, bytes) "{'at':" #at ",'send':" #to ",'bytes':" #bytes "},"
#define SYNC(at)            "{'at':" #at ",'until':" #at ",'sync':true},"
/* The last one, which is in no run that ends there. */
#define LAST_SYNC(at)         "{'at':" #at ",'until':99,'sync':true},"
#define OBLSYNC(at, n)        "{'at':" #at ",'until':" #at ",'oblsync':" #n "},"
#define PARTITION(at, bounds) "{'at':" #at ",'partition':[" bounds "]},"
#define DONE(at)              "{'at':" #at ",'done':true},"
#define EXPERIMENT(name, formula, identifiers)                                                     \
    "{'name':'" name "','formula':'" formula "','identifiers':[" identifiers "]},"
#define PROCESSOR(end, experiments, events)                                                        \
    "{'end':" #end ",'experiments':[" experiments "],'events':[" events "]},"
#define TRACE(processors) "{'portolan obsp trace':1,'processors':[" processors "]}"

/* Such a text as JSON, which the caller frees. */
static char *json_of(const char *text)
{
    char *json = strdup(text), *to = json;

    assert_non_null(json);
    for (const char *at = json; *at; at++)
        if (*at != ',' || at[1] != ']')
            *to++ = *at == '\'' ? '"' : *at;
    *to = '\0';
    return json;
}

static struct portolan_obsp_trace *read_trace(const char *text)
{
    struct portolan_obsp_trace *t = NULL;
    struct portolan_error err = {0};
    char *json = json_of(text);

    if (portolan_obsp_read(json, strlen(json), "trace.json", NULL, &t, &err) != PORTOLAN_OK)
        fail_msg("%s", err.text);
    free(json);
    return t;
}

static void set_constants(struct portolan_obsp_trace *t, const char *name, size_t n,
                          const double *constants)
{
    assert_int_equal(portolan_obsp_set_constants(t, name, n, constants, NULL), PORTOLAN_OK);
}

static struct portolan_obsp_result evaluate(const struct portolan_obsp_trace *t,
                                            struct portolan_obsp_options o)
{
    struct portolan_obsp_result r;
    struct portolan_error err = {0};

    if (portolan_obsp_evaluate(t, &o, &r, &err) != PORTOLAN_OK)
        fail_msg("%s", err.text);
    return r;
}

/* The total, by OBSP* or BSP; MACHINE may be NULL. */
static double total(const char *text, enum portolan_obsp_model model,
                    const struct portolan_obsp_machine *machine)
{
    struct portolan_obsp_trace *t = read_trace(text);
    struct portolan_obsp_result r =
        evaluate(t, (struct portolan_obsp_options){.model = model, .machine = machine});
    double sum = r.total;

    portolan_obsp_result_clear(&r);
    portolan_obsp_destroy(t);
    return sum;
}

static void assert_near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g is not %.17g", got, expected);
}

static char *read_file(const char *path)
{
    FILE *in = fopen(path, "r");
    char *text = calloc(1, 10000);

    assert_non_null(in);
    assert_non_null(text);
    assert_true(fread(text, 1, 9999, in) > 0);
    fclose(in);
    return text;
}

static void figure_1_takes_10_seconds_where_bsp_says_12(void **state)
{
    char *text = read_file(FIGURE_1);

    assert_near(total(text, PORTOLAN_OBSP, NULL), 10);
    assert_near(total(text, PORTOLAN_BSP, NULL), 12);
    free(text);
}

/* By equation (2), who has to wait for a message gains nothing by waiting for nobody else. */
static void two_processors_that_await_each_other_gain_nothing(void **state)
{
    static const char both_ways[] =
        TRACE(PROCESSOR(6, "", SEND(2, 1, 1) OBLSYNC(2, 1) SEND(6, 1, 1) OBLSYNC(6, 1))
                  PROCESSOR(6, "", SEND(4, 0, 1) OBLSYNC(4, 1) SEND(6, 0, 1) OBLSYNC(6, 1)));
    const struct portolan_obsp_machine machine = {.latency = 2};

    assert_near(total(both_ways, PORTOLAN_OBSP, &machine), 12);
    assert_near(total(both_ways, PORTOLAN_BSP, &machine), 12);
}

static void rows_tell_each_superstep(void **state)
{
    struct portolan_obsp_trace *t =
        read_trace(TRACE(PROCESSOR(4, "", SEND(3, 1, 4) OBLSYNC(3, 0) SYNC(4)) PROCESSOR(
            3, "", OBLSYNC(1, 1) SYNC(1)) PROCESSOR(7, "", OBLSYNC(2, 0) SEND(7, 2, 2) SYNC(7))));
    const struct portolan_obsp_machine machine = {.g = 0.5, .latency = 1};
    struct portolan_obsp_result r =
        evaluate(t, (struct portolan_obsp_options){.machine = &machine});

    assert_int_equal(r.n_rows, 6);
    assert_near(r.rows[0].end, 3 + 0.5 * 4 + 1); /* h of what goes out, too */
    assert_int_equal(r.rows[0].partners, 0);
    assert_near(r.rows[2].end, 3 + 2 + 1); /* waits for 0 alone */
    assert_int_equal(r.rows[2].partners, 1);
    assert_near(r.rows[4].end, 2 + 1);
    assert_near(r.rows[4].work, 2);
    for (int i = 1; i < 6; i += 2) {
        assert_near(r.rows[i].end, 8 + 0.5 * 2 + 1);
        assert_near(r.rows[i].bytes, 2);
        assert_int_equal(r.rows[i].superstep, 2);
        assert_int_equal(r.rows[i].partners, 2);
    }
    assert_near(r.ends[0], 10);
    assert_near(r.ends[1], 12);
    assert_near(r.total, 12);
    portolan_obsp_result_clear(&r);
    /* In and out together. */
    r = evaluate(t,
                 (struct portolan_obsp_options){.machine = &machine, .combine = PORTOLAN_OBSP_SUM});
    assert_near(r.rows[5].bytes, 4); /* to itself: in and out */
    assert_near(r.rows[5].end, 8 + 0.5 * 4 + 1);
    portolan_obsp_result_clear(&r);
    portolan_obsp_destroy(t);
}

/* What a group does between partition and done is computation of its processors (6). */
static void groups_go_their_own_way(void **state)
{
#define PAIR PROCESSOR(3, "", PARTITION(1, "1,4") SYNC(1) SYNC(2) DONE(2) SYNC(3))
    struct portolan_obsp_trace *t =
        read_trace(TRACE(PROCESSOR(12, "", PARTITION(1, "1,4") DONE(11) SYNC(12)) PROCESSOR(
            7, "", PARTITION(1, "1,4") SYNC(3) SYNC(6) DONE(6) SYNC(7)) PAIR PAIR));
    const struct portolan_obsp_machine machine = {.latency = 1};
    struct portolan_obsp_result r =
        evaluate(t, (struct portolan_obsp_options){.machine = &machine});

    assert_near(r.rows[1].end, 1 + 2 + 1);
    assert_int_equal(r.rows[1].depth, 1);
    assert_near(r.rows[2].end, 4 + 3 + 1);
    assert_near(r.total, 1 + 10 + 1 + 1);
    portolan_obsp_result_clear(&r);
    /* Plain: barriers of all behind 2 and 3 s of processor 1, then 10 + 2 of processor 0. */
    r = evaluate(t, (struct portolan_obsp_options){.model = PORTOLAN_BSP, .machine = &machine});
    assert_near(r.rows[1].end, 3 + 1);
    assert_near(r.rows[2].end, 4 + 3 + 1);
    assert_near(r.total, 8 + 12 + 1);
    portolan_obsp_result_clear(&r);
    portolan_obsp_destroy(t);
}

/* -- the parallel transform: the recursion (7) to (10) against the closed form (11) -- */

#define A0 0.011
#define B0 0.023
#define C0 0.031
#define D0 0.17
#define D1 3e-5
#define E0 0.043
#define F0 0.059
#define F1 7e-4
#define G0 0.67
#define G1 1.3e-3
enum { COMPLEX = 16 };

/* A processor of the transform as it is written; its runs take as long as the constants say. */
struct writer {
    struct portolan_text *text;
    double now;
};

/* A run of experiment NUMBER with the identifier's value X, which is not there when negative. */
static void add_run(struct writer *w, int number, int x, double seconds)
{
    portolan_text_add(w->text, "{'at':%.17g,'until':%.17g,'run':%d,'values':[", w->now,
                      w->now + seconds, number);
    if (x >= 0)
        portolan_text_add(w->text, "%d", x);
    portolan_text_add(w->text, "]},");
    w->now += seconds;
}

/* What processor PID of the P does, as figure 4 has it; D is an experiment around the exchange. */
static void write_transform(struct writer *w, int pid, int p, int n)
{
    int half = n / 2, lower = p / 2, size = half * COMPLEX;
    double start;

    if (p == 1) {
        add_run(w, 6, n, G0 + G1 * n * log(n));
        return;
    }
    add_run(w, 0, -1, A0);
    add_run(w, 1, -1, B0);
    portolan_text_add(w->text, "{'at':%.17g,'partition':[%d,%d]},", w->now, lower, p);
    write_transform(w, pid % lower, lower, half);
    add_run(w, 2, -1, C0);
    portolan_text_add(w->text, "{'at':%.17g,'done':true},", w->now);
    start = w->now;
    add_run(w, 3, size, D0 + D1 * size);
    portolan_text_add(w->text,
                      "{'at':%.17g,'send':%d,'bytes':%d},{'at':%.17g,'until':%.17g,'oblsync':1},",
                      start, pid < lower ? pid + lower : pid - lower, size, start, w->now);
    add_run(w, 4, -1, E0);
    add_run(w, 5, half, F0 + F1 * half);
}

static struct portolan_obsp_trace *transform(int p, int n)
{
    static const struct {
        const char *name;
        size_t n;
        double constants[2];
    } known[] = {{"A", 1, {A0}}, {"B", 1, {B0}},     {"C", 1, {C0}},    {"D", 2, {D0, D1}},
                 {"E", 1, {E0}}, {"F", 2, {F0, F1}}, {"G", 2, {G0, G1}}};
    struct portolan_text text = {0};
    struct portolan_obsp_trace *trace;

    portolan_text_add(&text, "{'portolan obsp trace':1,'processors':[");
    for (int i = 0; i < p; i++) {
        struct writer w = {.text = &text};

        portolan_text_add(
            &text, "{'experiments':[" EXPERIMENT("A", "A[0]", "") EXPERIMENT("B", "B[0]", "")
                       EXPERIMENT("C", "C[0]", "") EXPERIMENT("D", "D[0]+D[1]*size", "'size'")
                           EXPERIMENT("E", "E[0]", "") EXPERIMENT("F", "F[0]+F[1]*n", "'n'")
                               EXPERIMENT("G", "G[0]+G[1]*N*log(N)", "'N'") "],'events':[");
        write_transform(&w, i, p, n);
        portolan_text_add(&text, "],'end':%.17g},", w.now);
    }
    portolan_text_add(&text, "]}");
    assert_false(text.failed);
    trace = read_trace(text.bytes);
    portolan_text_clear(&text);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        set_constants(trace, known[i].name, known[i].n, known[i].constants);
    return trace;
}

static void the_recursion_equals_the_closed_form(void **state)
{
    enum { N = 4096 };

    for (int p = 1; p <= 16; p *= 2) {
        struct portolan_obsp_trace *t = transform(p, N);
        struct portolan_obsp_result r =
            evaluate(t, (struct portolan_obsp_options){.predict = true});
        double levels = log2(p), share = (double)(p - 1) / p, n = (double)N / p;
        double expected = levels * (A0 + B0 + C0 + E0) + G0 + G1 * n * log(n) + levels * F0 +
                          F1 * share * N + D1 * share * N * COMPLEX + levels * D0;

        assert_near(r.total, expected);
        for (int i = 0; i < p; i++) /* nobody is earlier or later */
            assert_near(r.ends[i], expected);
        assert_int_equal(r.n_rows, (size_t)(p * levels));
        portolan_obsp_result_clear(&r);
        portolan_obsp_destroy(t);
    }
}

static void g_and_latency_stand_for_an_experiment_that_holds_the_exchange(void **state)
{
    enum { N = 1024, P = 8 };
    struct portolan_obsp_trace *t = transform(P, N);
    const struct portolan_obsp_machine machine = {.g = D1, .latency = D0, .speed = 1};
    struct portolan_obsp_result a = evaluate(t, (struct portolan_obsp_options){.predict = true});
    struct portolan_obsp_result b =
        evaluate(t, (struct portolan_obsp_options){.machine = &machine});

    assert_near(a.total, b.total);
    portolan_obsp_result_clear(&b);
    /* Equation (7): as a sum of what comes and goes, h is twice as much. */
    b = evaluate(t,
                 (struct portolan_obsp_options){.machine = &machine, .combine = PORTOLAN_OBSP_SUM});
    assert_near(b.total - a.total, D1 * (P - 1.0) / P * N * COMPLEX);
    portolan_obsp_result_clear(&a);
    portolan_obsp_result_clear(&b);
    portolan_obsp_destroy(t);
}

static void plain_bsp_counts_operations_at_one_speed(void **state)
{
    struct portolan_obsp_trace *t = read_trace(TRACE(
        PROCESSOR(1, EXPERIMENT("X", "X[0]*n + X[1]*n^2", "'n'"), RUN(0, 1, 0, "3") LAST_SYNC(1))
            PROCESSOR(2.5, EXPERIMENT("Y", "Y[0]", ""),
                      RUN(0, 1, 0, "") RUN(1, 2, 0, "") LAST_SYNC(2.5))));
    const struct portolan_obsp_machine machine = {.latency = 1, .speed = 0.1};
    struct portolan_obsp_options o = {.model = PORTOLAN_BSP, .predict = true, .machine = &machine};
    struct portolan_obsp_result r = evaluate(t, o);

    assert_near(r.total, 0.1 * (3 + 9) + 1);
    portolan_obsp_result_clear(&r);
    set_constants(t, "X", 2, (double[]){5, 7});
    set_constants(t, "Y", 1, (double[]){100});
    o.model = PORTOLAN_OBSP;
    r = evaluate(t, o);
    assert_near(r.total, 200.5 + 1);
    portolan_obsp_result_clear(&r);
    portolan_obsp_destroy(t);
}

/* -- what a run measured -- */

/* 1 comes to its first exchange 1.5 s after 0 and both end it 0.5 s later; and so on. */
static const char measured[] =
    "{\"portolan obsp trace\":1,\"program\":\"x\",\"clock\":\"shared\",\"processors\":[\n"
    "{\"end\":9,\"experiments\":[{\"name\":\"W\",\"file\":\"x.c\",\"formula\":\"W[0]*n\","
    "\"identifiers\":[\"n\"]},{\"name\":\"D\",\"formula\":\"D[0]+D[1]*size\","
    "\"identifiers\":[\"size\"]}],\n\"events\":[\n"
    "{\"at\":1.4,\"until\":3,\"oblsync\":1},{\"at\":1.2,\"send\":1,\"bytes\":100},\n"
    "{\"at\":1,\"until\":3.25,\"run\":1,\"values\":[100]},\n"
    "{\"at\":0,\"until\":1,\"run\":0,\"values\":[2]},\n"
    "{\"at\":4,\"send\":1,\"bytes\":300},{\"at\":4,\"until\":5,\"oblsync\":1},\n"
    "{\"at\":5,\"until\":9,\"run\":0,\"values\":[8]}]},\n"
    "{\"end\":9,\"experiments\":[],\"events\":[\n"
    "{\"at\":2.5,\"send\":0,\"bytes\":100},{\"at\":2.5,\"until\":3,\"oblsync\":1},\n"
    "{\"at\":4,\"send\":0,\"bytes\":300},{\"at\":4,\"until\":5,\"oblsync\":1}]}]}\n";

static void the_machine_is_fitted_to_what_came_after_the_last(void **state)
{
    struct portolan_obsp_trace *t = read_trace(measured);
    struct portolan_obsp_machine m;
    struct portolan_error err = {0};

    assert_int_equal(portolan_obsp_machine(t, PORTOLAN_OBSP_MAX, &m, &err), PORTOLAN_OK);
    assert_int_equal(m.n_rows, 4);
    /* 0.5 s for 100 bytes, 1 s for 300 */
    assert_true(fabs(m.g - 0.0025) < 1e-9);
    assert_true(fabs(m.latency - 0.25) < 1e-9);
    assert_near(m.speed, (1 + 4) / (2.0 + 8.0));
    portolan_obsp_destroy(t);
}

static void measured_work_gives_back_what_was_measured(void **state)
{
    struct portolan_obsp_trace *t = read_trace(measured);
    struct portolan_obsp_result r = evaluate(t, (struct portolan_obsp_options){0});

    assert_int_equal(r.n_rows, 4);
    for (size_t i = 0; i < r.n_rows; i++)
        assert_true(fabs(r.rows[i].end - r.rows[i].measured) < 1e-6);
    assert_true(fabs(r.rows[0].work - 1.4) < 1e-9);
    assert_true(fabs(r.rows[1].work - 1) < 1e-9);
    assert_true(fabs(r.total - 9) < 1e-6);
    assert_near(r.measured_total, 9);
    portolan_obsp_result_clear(&r);
    portolan_obsp_destroy(t);
}

static void constants_are_fitted_to_the_runs_without_their_waits(void **state)
{
    struct portolan_obsp_trace *t = read_trace(measured);
    const struct portolan_obsp_experiment *e;
    struct portolan_error err = {0};
    size_t n;

    assert_int_equal(portolan_obsp_fit(t, NULL, &err), PORTOLAN_OK);
    e = portolan_obsp_peek_experiments(t, &n);
    assert_int_equal(n, 2);
    assert_string_equal(e[0].name, "W");
    assert_true(fabs(e[0].constants[0] - 0.5) < 1e-9);
    assert_false(e[0].is_communication);
    assert_true(e[1].is_communication);
    assert_int_equal(e[1].n_runs, 1);
    /* 0.4 before the end of the superstep, 0.25 behind it, and 0.5 from when the other had come */
    assert_true(fabs(e[1].constants[0] + e[1].constants[1] * 100 - 1.15) < 1e-9);
    portolan_obsp_destroy(t);
}

static void constants_come_from_a_report(void **state)
{
    static char *identifiers[] = {"n"}, *observables[] = {"CLOCK"};
    double rows[] = {0, 2, 1, 3, 1, 2, 10, 30};
    struct portolan_cll_sample sample = {.name = "W",
                                         .n_constants = 1,
                                         .n_identifiers = 1,
                                         .n_observables = 1,
                                         .identifiers = identifiers,
                                         .observables = observables,
                                         .n_rows = 2,
                                         .rows = rows};
    const struct portolan_cll_report report = {.n_experiments = 1, .experiments = &sample};
    struct portolan_obsp_trace *t = read_trace(measured);
    const struct portolan_obsp_experiment *e;
    struct portolan_error err = {0};
    size_t n;

    assert_int_equal(portolan_obsp_fit(t, &report, &err), PORTOLAN_OK);
    e = portolan_obsp_peek_experiments(t, &n);
    assert_true(fabs(e[0].constants[0] - 3) < 1e-9);
    assert_null(e[1].constants);
    portolan_obsp_destroy(t);
}

/* Nanoseconds an operation: 2 in one cache, 6 behind it, and slowly from one to the other. */
static double between_caches(double n)
{
    return n * log(n) * 1e-9 * (2 + 4 / (1 + 131072 / n));
}

/* No sum of the formula's terms has that bend: neighbours know better, outside the law speaks. */
static void what_no_formula_tells_neighbours_do(void **state)
{
    static char *identifiers[] = {"n"}, *observables[] = {"CLOCK"};
    double rows[10 * 4] = {0};
    struct portolan_cll_sample sample = {.name = "W",
                                         .n_constants = 2,
                                         .n_identifiers = 1,
                                         .n_observables = 1,
                                         .identifiers = identifiers,
                                         .observables = observables,
                                         .n_rows = 10,
                                         .rows = rows};
    const struct portolan_cll_report report = {.n_experiments = 1, .experiments = &sample};
    const struct portolan_obsp_machine machine = {0};
    const struct portolan_obsp_experiment *e;
    struct portolan_error err = {0};
    size_t n;

    for (int left_out = 13; left_out <= 22; left_out++) {
        char text[400];
        struct portolan_obsp_trace *t;
        struct portolan_obsp_result r;

        for (int k = 0; k < 10; k++) {
            double size = exp2(12 + k + (12 + k >= left_out));

            rows[k * 4 + 2] = size;
            rows[k * 4 + 3] = between_caches(size);
        }
        snprintf(text, sizeof text,
                 TRACE(PROCESSOR(1, EXPERIMENT("W", "W[0]+W[1]*n*log(n)", "'n'"),
                                 RUN(0, 1, 0, "%.0f") LAST_SYNC(1))),
                 exp2(left_out));
        t = read_trace(text);
        assert_int_equal(portolan_obsp_fit(t, &report, &err), PORTOLAN_OK);
        e = portolan_obsp_peek_experiments(t, &n);
        assert_true(e[0].is_local);
        r = evaluate(t, (struct portolan_obsp_options){.predict = true, .machine = &machine});
        if (!(fabs(r.total / between_caches(exp2(left_out)) - 1) < 0.1))
            fail_msg("n = 2^%d: %g for %g", left_out, r.total, between_caches(exp2(left_out)));
        portolan_obsp_result_clear(&r);
        portolan_obsp_destroy(t);
    }
}

/* Processors take 1.1 and 0.9, then 1.8 and 2.2: the later of two is later than both on average. */
static void processors_that_differ_wait_for_each_other(void **state)
{
#define LAW EXPERIMENT("W", "W[0]*n", "'n'")
    struct portolan_obsp_trace *from =
        read_trace(TRACE(PROCESSOR(5, LAW, RUN(0, 1.1, 0, "1") RUN(2, 3.8, 0, "2"))
                             PROCESSOR(5, LAW, RUN(0, 0.9, 0, "1") RUN(2, 4.2, 0, "2"))));
    struct portolan_obsp_trace *t =
        read_trace(TRACE(PROCESSOR(1, LAW, RUN(0, 1, 0, "10") SEND(1, 1, 1) LAST_SYNC(1))
                             PROCESSOR(1, LAW, RUN(0, 1, 0, "10") SEND(1, 0, 1) LAST_SYNC(1))));
    const struct portolan_obsp_machine machine = {0};
    struct portolan_error err = {0};
    struct portolan_obsp_result r;

    assert_int_equal(portolan_obsp_fit(from, NULL, &err), PORTOLAN_OK);
    assert_int_equal(portolan_obsp_take_constants(t, from, &err), PORTOLAN_OK);
    r = evaluate(t, (struct portolan_obsp_options){.predict = true, .machine = &machine});
    /* deviations are log(11 / 9) / sqrt(2) each; the mean of the larger of two is 1/sqrt(pi) up */
    assert_true(fabs(r.total / (10 * (1 + log(11. / 9) / sqrt(2 * M_PI))) - 1) < 1e-9);
    portolan_obsp_result_clear(&r);
    portolan_obsp_destroy(t);
    portolan_obsp_destroy(from);
}

/* -- what is wrong -- */

static void is_refused(const char *text, const char *expected)
{
    struct portolan_obsp_trace *t = NULL;
    struct portolan_error err = {0};
    char *json = json_of(text);

    assert_int_equal(portolan_obsp_read(json, strlen(json), "bad.json", NULL, &t, &err),
                     PORTOLAN_ESYNTAX);
    assert_null(t);
    if (!strstr(err.text, expected))
        fail_msg("'%s' lacks '%s'", err.text, expected);
    free(json);
}

static void mistakes_are_told_with_their_processor(void **state)
{
#define ONE(events) PROCESSOR(1, EXPERIMENT("X", "X[0]*n", "'n'"), events)
    is_refused("", "a trace is JSON");
    is_refused("processors 2\n", "bad.json:1: error: '[' or '{' expected near 'processors'");
    is_refused("{'processors':[]}", "no trace");
    is_refused("{'processors':[", "bad.json:1:");
    is_refused(TRACE(ONE(SYNC(0)) ONE("")), "bad.json:1: error: processor 0 comes to the barrier");
    is_refused(TRACE(ONE(OBLSYNC(0, 1)) ONE(OBLSYNC(0, 0))), "awaits 1 messages in superstep 1");
    is_refused(TRACE(ONE(SEND(0, 1, 8) OBLSYNC(0, 0)) ONE(OBLSYNC(0, 0))), "1 are sent to it");
    is_refused(TRACE(ONE(SEND(0, 2, 8) OBLSYNC(0, 0)) ONE(OBLSYNC(0, 0))), "names processor 2");
    is_refused(TRACE(ONE(PARTITION(0, "1,1"))), "do not increase");
    is_refused(TRACE(ONE(PARTITION(0, "1")) ONE("")), "do not increase up to its size");
    is_refused(TRACE(ONE(PARTITION(0, "1,2")) ONE(PARTITION(0, "2"))), "at other bounds");
    is_refused(TRACE(ONE(DONE(0))), "no partition made");
    is_refused(TRACE(PROCESSOR(1, EXPERIMENT("X", "X[0]*X[1]", ""), "")), "bad.json:1:");
    is_refused(TRACE(ONE(RUN(0, 1, 0, ""))), "event 0 has not the values");
    is_refused(TRACE(ONE(RUN(0, 1, 1, "1"))), "of an experiment that there is not");
    is_refused(TRACE(ONE("{'at':0,'dup':true},")), "bsp_dup()");
}

static void what_is_not_known_is_told(void **state)
{
    struct portolan_obsp_trace *t = read_trace(TRACE(ONE(RUN(0, 1, 0, "1") LAST_SYNC(1))));
    const struct portolan_obsp_machine unknown = {.g = NAN, .latency = NAN, .speed = NAN};
    struct portolan_obsp_options o = {.machine = &unknown};
    struct portolan_obsp_result r = {0};
    struct portolan_error err = {0};

    assert_int_equal(portolan_obsp_evaluate(t, &o, &r, &err), PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "give g and latency"));
    assert_null(r.rows);
    o = (struct portolan_obsp_options){.model = PORTOLAN_BSP, .predict = true, .machine = &unknown};
    err = (struct portolan_error){0};
    assert_int_equal(portolan_obsp_evaluate(t, &o, &r, &err), PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "the time of an operation"));
    err = (struct portolan_error){0};
    assert_int_equal(portolan_obsp_set_constants(t, "X", 2, (double[]){1, 2}, &err),
                     PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "whose formula has 1"));
    portolan_obsp_destroy(t);
}

static void memory_that_is_out_fails_without_leaks(void **state)
{
    for (unsigned long at = 1; at < 200; at++) {
        struct portolan_obsp_trace *t = NULL;
        struct portolan_obsp_result r = {0};
        enum portolan_status status;

        portolan_alloc_fail_at(at);
        status = portolan_obsp_read(measured, strlen(measured), "x", NULL, &t, NULL);
        if (status == PORTOLAN_OK)
            status = portolan_obsp_evaluate(t, NULL, &r, NULL);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || status == PORTOLAN_ENOMEM);
        if (status != PORTOLAN_OK)
            assert_null(r.rows);
        portolan_obsp_result_clear(&r);
        portolan_obsp_destroy(t);
    }
}

UNIT_TESTS(cmocka_unit_test(figure_1_takes_10_seconds_where_bsp_says_12),
           cmocka_unit_test(two_processors_that_await_each_other_gain_nothing),
           cmocka_unit_test(rows_tell_each_superstep), cmocka_unit_test(groups_go_their_own_way),
           cmocka_unit_test(the_recursion_equals_the_closed_form),
           cmocka_unit_test(g_and_latency_stand_for_an_experiment_that_holds_the_exchange),
           cmocka_unit_test(plain_bsp_counts_operations_at_one_speed),
           cmocka_unit_test(the_machine_is_fitted_to_what_came_after_the_last),
           cmocka_unit_test(measured_work_gives_back_what_was_measured),
           cmocka_unit_test(constants_are_fitted_to_the_runs_without_their_waits),
           cmocka_unit_test(constants_come_from_a_report),
           cmocka_unit_test(what_no_formula_tells_neighbours_do),
           cmocka_unit_test(processors_that_differ_wait_for_each_other),
           cmocka_unit_test(mistakes_are_told_with_their_processor),
           cmocka_unit_test(what_is_not_known_is_told),
           cmocka_unit_test(memory_that_is_out_fails_without_leaks))
