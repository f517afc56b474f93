/* SPDX-License-Identifier: BSD-3-Clause */
/* Trends: rows from tables, from Extra-P's forms and from stores; models; failing allocations. */
#include <unit_test.h>

#include "trend.h"

static const char table[] = "callpath,n,p,t\n"
                            "solve,10,1,100\nsolve,20,1,400\nsolve,40,1,1600\nsolve,80,1,6400\n"
                            "solve,10,2,50\nsolve,20,2,200\nsolve,40,2,800\nsolve,80,2,3200\n"
                            "solve,10,4,25\nsolve,20,4,100\nsolve,40,4,400\nsolve,80,4,1600\n"
                            "\"out, put\",10,1,30\n\"out, put\",20,1,60\n\"out, put\",40,1,120\n";

static const struct portolan_trend_query all = {0};

static struct portolan_trends *read_table(const char *text)
{
    struct portolan_trends *t = NULL;
    struct portolan_error err = {0};

    if (portolan_trends_read_text(text, strlen(text), "t.csv", &all, NULL, &t, &err))
        fail_msg("%s", err.text);
    return t;
}

static double x_of(const struct portolan_trends *t, size_t item, size_t row, size_t param)
{
    return table_row(t->items[item].rows, row)[param];
}

static double y_of(const struct portolan_trends *t, size_t item, size_t row)
{
    return x_of(t, item, row, t->items[item].key.n_params);
}

static void fit(struct portolan_trends *t, struct portolan_trend_fit how)
{
    struct portolan_error err = {0};

    if (portolan_trends_fit(t, &how, NULL, &err))
        fail_msg("%s", err.text);
}

static void assert_close(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.10g is not %.10g", value, expected);
}

static void a_table_gives_a_trend_for_each_call_path(void **state)
{
    struct portolan_trends *t = read_table(table);

    assert_int_equal(t->n, 2);
    assert_string_equal(t->items[0].path, "solve");
    assert_string_equal(t->items[1].path, "out, put");
    assert_int_equal(t->items[0].key.n_params, 2);
    assert_string_equal(t->items[0].key.params[1], "p");
    assert_int_equal(t->items[0].rows->n_rows, 12);
    assert_true(x_of(t, 0, 0, 0) == 10 && x_of(t, 0, 0, 1) == 1 && y_of(t, 0, 0) == 100);
    assert_true(x_of(t, 0, 1, 0) == 10 && x_of(t, 0, 1, 1) == 2 && y_of(t, 0, 1) == 50);
    fit(t, (struct portolan_trend_fit){0});
    assert_close(portolan_model_value(t->items[0].model, (double[]){160, 8}), 160 * 160 / 8.0,
                 1e-6);
    assert_string_equal(portolan_model_peek_envelope(t->items[0].model)->name, "solve");
    portolan_trends_destroy(t);
}

static void a_mark_of_byte_order_is_no_part_of_a_name(void **state)
{
    struct portolan_trends *t = read_table("\xef\xbb\xbfn,t\n1,3\n2,6\n");

    assert_string_equal(t->items[0].key.params[0], "n");
    portolan_trends_destroy(t);
}

static void a_head_may_have_units_but_no_name_twice(void **state)
{
    struct portolan_trends *t = read_table("n [KiB],TIME (ms)\n1,3\n2,6\n");
    struct portolan_error err = {0};

    assert_string_equal(t->items[0].key.params[0], "n");
    assert_string_equal(t->items[0].path, "TIME");
    assert_string_equal(t->unit, "ms");
    portolan_trends_destroy(t);
    assert_int_equal(portolan_trends_read_text("n,n,t\n1,2,3\n", 12, "t.csv", &all, NULL, &t, &err),
                     PORTOLAN_ESYNTAX);
    assert_non_null(strstr(err.text, "t.csv:1: error: there are two columns 'n'"));
}

static void text_behind_a_quoted_field_is_told(void **state)
{
    static const char *const bad[] = {"n,t\n\"1\"0,3\n", "n,t\n\"1\" \"0\",3\n", "n,t\n1,\"3\"0\n",
                                      "n,t\n1,\"3\n"};
    struct portolan_trends *t = read_table("\"n\" ,\"t\"\n\"10\"\t, \"3\"\n");

    assert_true(x_of(t, 0, 0, 0) == 10 && y_of(t, 0, 0) == 3);
    portolan_trends_destroy(t);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct portolan_error err = {0};

        t = NULL;
        assert_int_equal(
            portolan_trends_read_text(bad[i], strlen(bad[i]), "t.csv", &all, NULL, &t, &err),
            PORTOLAN_ESYNTAX);
        assert_non_null(strstr(err.text, "t.csv:2: "));
        assert_null(t);
    }
}

static void rows_up_to_a_limit_are_fitted_and_the_others_predicted(void **state)
{
    struct portolan_trends *t = read_table("n,t\n1,3\n2,6\n4,12\n8,24\n16,100\n");
    struct portolan_text out = {0};
    struct portolan_error err = {0};

    fit(t, (struct portolan_trend_fit){.up_to = "n", .limit = 8});
    assert_close(portolan_model_value(t->items[0].model, (double[]){16}), 48, 1e-6);
    assert_int_equal(
        portolan_trends_write(t, &(struct portolan_trend_view){.form = PORTOLAN_TREND_ERRORS}, &out,
                              &err),
        PORTOLAN_OK);
    assert_non_null(strstr(out.bytes, "52.00  ! outside\n"));
    assert_non_null(strstr(out.bytes, "mean |error| 10.40 %, of the points outside 52.00 %\n"));
    portolan_text_clear(&out);
    assert_int_equal(portolan_trends_fit(t, &(struct portolan_trend_fit){.up_to = "m"}, NULL, &err),
                     PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "'m'"));
    portolan_trends_destroy(t);
}

/* The rows of T written in that form of Extra-P, and read again. */
static struct portolan_trends *round_trip(const struct portolan_trends *t, int form,
                                          const char *metric)
{
    const struct portolan_trend_view view = {.form = (enum portolan_trend_form)form};
    const struct portolan_trend_query query = {.metric = metric};
    struct portolan_trends *again = NULL;
    struct portolan_text text = {0};

    assert_int_equal(portolan_trends_write(t, &view, &text, NULL), PORTOLAN_OK);
    assert_int_equal(
        portolan_trends_read_text(text.bytes, text.length, "x", &query, NULL, &again, NULL),
        PORTOLAN_OK);
    portolan_text_clear(&text);
    return again;
}

static void rows_go_to_extrap_and_come_back(void **state)
{
    struct portolan_trends *t = read_table(table);
    struct portolan_trends *again = round_trip(t, PORTOLAN_TREND_EXTRAP, NULL);

    assert_int_equal(again->n, t->n);
    for (size_t i = 0; i < t->n; i++) {
        const struct table *a = again->items[i].rows, *b = t->items[i].rows;

        assert_string_equal(again->items[i].path, t->items[i].path);
        assert_int_equal(a->n_rows, b->n_rows);
        assert_memory_equal(a->cells, b->cells, b->n_rows * 3 * sizeof(double));
    }
    portolan_trends_destroy(again);
    portolan_trends_destroy(t);
}

/* ---- several call paths times several metrics ---- */

#define DATA_OF(a, b) "DATA " a "\nDATA " b "\n"
#define POINTS_OF(a, b)                                                                            \
    "[{\"point\": [2], \"values\": [" a "]}, {\"point\": [4], \"values\": [" b "]}]"
/* The same in Extra-P's forms. */
static const char *const two_by_two[] = {
    "PARAMETER p\nPOINTS 2 4\nREGION main\nMETRIC time\n" DATA_OF(
        "1", "2") "METRIC bytes\n" DATA_OF("30", "40") "REGION main->solve\nMETRIC "
                                                       "time\n" DATA_OF("5", "6") "METRIC "
                                                                                  "bytes\n" DATA_OF(
                                                                                      "70", "80"),
    "PARAMETER p\nPOINTS 2 4\nMETRIC time\nREGION main\n" DATA_OF(
        "1", "2") "REGION main->solve\n" DATA_OF("5", "6") "METRIC bytes\nREGION "
                                                           "main\n" DATA_OF(
                                                               "30", "40") "REGION "
                                                                           "main->"
                                                                           "solve"
                                                                           "\n" DATA_OF("70", "80"),
    "{\"parameters\": [\"p\"], \"measurements\": {\"main\": {\"time\": " POINTS_OF(
        "1", "2") ", \"bytes\": " POINTS_OF("30", "40") "}, \"main->solve\": "
                                                        "{\"time\": " POINTS_OF(
                                                            "5", "6") ", "
                                                                      "\"bytes\""
                                                                      ":"
                                                                      " " POINTS_OF("70",
                                                                                    "80") "}}}",
};
enum { FORMS = sizeof two_by_two / sizeof *two_by_two };

static struct portolan_trends *read_extrap(const char *text, struct portolan_trend_query query)
{
    struct portolan_trends *t = NULL;
    struct portolan_error err = {0};

    if (portolan_trends_read_text(text, strlen(text), "x", &query, NULL, &t, &err))
        fail_msg("%s", err.text);
    return t;
}

static void assert_two_by_two(const struct portolan_trends *t)
{
    static const struct {
        const char *path, *callpath, *metric;
        double y[2];
    } expected[] = {{"main [time]", "main", "time", {1, 2}},
                    {"main [bytes]", "main", "bytes", {30, 40}},
                    {"main->solve [time]", "main->solve", "time", {5, 6}},
                    {"main->solve [bytes]", "main->solve", "bytes", {70, 80}}};

    assert_int_equal(t->n, 4);
    for (size_t i = 0; i < 4; i++) {
        size_t k = 0;

        while (k < t->n && strcmp(t->items[k].path, expected[i].path) != 0)
            k++;
        if (k == t->n)
            fail_msg("no '%s'", expected[i].path);
        assert_string_equal(t->items[k].rows->experiment, expected[i].callpath);
        assert_string_equal(t->items[k].key.metric, expected[i].metric);
        assert_int_equal(t->items[k].rows->n_rows, 2);
        assert_true(y_of(t, k, 0) == expected[i].y[0] && y_of(t, k, 1) == expected[i].y[1]);
    }
}

static void each_call_path_and_metric_is_a_trend(void **state)
{
    for (size_t f = 0; f < FORMS; f++) {
        struct portolan_trends *t = read_extrap(two_by_two[f], (struct portolan_trend_query){0});

        assert_two_by_two(t);
        portolan_trends_destroy(t);
        t = read_extrap(two_by_two[f], (struct portolan_trend_query){.metric = "bytes"});
        assert_int_equal(t->n, 2);
        assert_string_equal(t->what, "bytes of x");
        assert_string_equal(t->items[1].path, "main->solve");
        portolan_trends_destroy(t);
        t = read_extrap(two_by_two[f], (struct portolan_trend_query){.method = "solve"});
        assert_int_equal(t->n, 2);
        portolan_trends_destroy(t);
        t = read_extrap(two_by_two[f], (struct portolan_trend_query){.method = "*[[]time]"});
        assert_int_equal(t->n, 2);
        assert_string_equal(t->items[1].rows->experiment, "main->solve");
        portolan_trends_destroy(t);
    }
}

static void several_metrics_keep_their_call_paths_when_written(void **state)
{
    static const char csv[] = "callpath,metric,p,v\nmain,time,2,1\nmain,time,4,2\n"
                              "main,bytes,2,30\nmain,bytes,4,40\nmain->solve,time,2,5\n"
                              "main->solve,time,4,6\nmain->solve,bytes,2,70\n"
                              "main->solve,bytes,4,80\n";

    for (size_t f = 0; f <= FORMS; f++)
        for (int to = PORTOLAN_TREND_EXTRAP; to <= PORTOLAN_TREND_EXTRAP_TEXT; to++) {
            struct portolan_trends *t =
                f < FORMS ? read_extrap(two_by_two[f], (struct portolan_trend_query){0})
                          : read_table(csv);
            struct portolan_trends *again;

            assert_two_by_two(t);
            again = round_trip(t, to, NULL);
            assert_two_by_two(again);
            portolan_trends_destroy(again);
            portolan_trends_destroy(t);
        }
}

/* Three trials at n = 2, 4, 8 on 2 ranks: rank r spends (r + 1) 1000 n in work, and once in `end`.
 */
static struct portolan_store *make_store(void)
{
    static const char *const sizes[] = {"2", "4", "8"};
    struct portolan_store *store = NULL;

    assert_int_equal(portolan_store_open(":memory:", PORTOLAN_STORE_WRITE, &store, NULL),
                     PORTOLAN_OK);
    for (int t = 0; t < 3; t++) {
        const struct portolan_name_value parameters[] = {{"driver.n", sizes[t]},
                                                         {"driver.file", "plate"}};
        const struct portolan_trial trial = {.assembly = "a",
                                             .purpose = "run",
                                             .ranks = 2,
                                             .n_parameters = 2,
                                             .parameters = parameters};
        struct portolan_sample s[4];
        int64_t id;

        for (int i = 0; i < 4; i++) {
            bool work = i % 2;
            double time = work ? 1000 * atof(sizes[t]) * (i / 2 + 1) : 500;

            s[i] = (struct portolan_sample){.rank = i / 2,
                                            .parent = work ? i - 1 : -1,
                                            .user = work ? "driver" : "",
                                            .uses = work ? "work" : "",
                                            .instance = work ? "worker" : "driver",
                                            .port = "go",
                                            .implementation = work ? "a.Worker" : "",
                                            .port_type = "a.Port",
                                            .method = work ? "work" : "go",
                                            .n_context = work,
                                            .context_name = {"size"},
                                            .context = {atof(sizes[t])},
                                            .calls = 10,
                                            .exclusive_ns = time,
                                            .inclusive_ns = time,
                                            .quality = work ? 1e-3 / atof(sizes[t]) : NAN};
        }
        s[0].inclusive_ns += s[1].inclusive_ns;
        s[2].inclusive_ns += s[3].inclusive_ns;
        assert_int_equal(portolan_store_begin_trial(store, &trial, &id, NULL), PORTOLAN_OK);
        assert_int_equal(portolan_store_put_step(store, id, 0, s, 4, NULL), PORTOLAN_OK);
        assert_int_equal(portolan_store_summarise(store, id, NULL), PORTOLAN_OK);
        assert_int_equal(portolan_store_end_trial(store, id, "finished", 1, NULL), PORTOLAN_OK);
    }
    return store;
}

static struct portolan_trends *read_store(struct portolan_store *store,
                                          struct portolan_trend_query query)
{
    struct portolan_trial_list list = {0};
    struct portolan_trends *t = NULL;
    struct portolan_error err = {0};

    assert_int_equal(portolan_trials_select(store, NULL, &list, NULL), PORTOLAN_OK);
    if (portolan_trends_read(store, &list, &query, &t, &err))
        fail_msg("%s", err.text);
    portolan_trials_clear(&list);
    fit(t, (struct portolan_trend_fit){0});
    return t;
}

/* A trial of N calls of "work", of which the first three take 100 ms, and each 8th later one 50. */
static void store_calls(struct portolan_store *store, int n)
{
    const struct portolan_trial trial = {.assembly = "a", .purpose = "run", .ranks = 1};
    int64_t id;

    assert_int_equal(portolan_store_begin_trial(store, &trial, &id, NULL), PORTOLAN_OK);
    for (int step = 0; step < n; step++) {
        double ns = 1e6 * (step < 3 ? 100 : step % 8 == 7 ? 50 : 1);
        const struct portolan_sample s = {.parent = -1,
                                          .user = "",
                                          .uses = "",
                                          .instance = "worker",
                                          .port = "go",
                                          .implementation = "a.Worker",
                                          .port_type = "a.Port",
                                          .method = "work",
                                          .calls = 1,
                                          .exclusive_ns = ns,
                                          .inclusive_ns = ns,
                                          .quality = NAN};

        assert_int_equal(portolan_store_put_step(store, id, step, &s, 1, NULL), PORTOLAN_OK);
    }
    assert_int_equal(portolan_store_end_trial(store, id, "finished", 1, NULL), PORTOLAN_OK);
}

/* As the Optimizer's models: first calls are paid once, and what comes again is in the mean. */
static void times_of_calls_are_means_without_first_calls(void **state)
{
    struct portolan_store *store = NULL;
    struct portolan_trends *t;

    assert_int_equal(portolan_store_open(":memory:", PORTOLAN_STORE_WRITE, &store, NULL),
                     PORTOLAN_OK);
    store_calls(store, 1);
    t = read_store(store, (struct portolan_trend_query){0});
    assert_int_equal(t->items[0].rows->n_rows, 1); /* nothing else is known */
    portolan_trends_destroy(t);
    store_calls(store, 83);
    t = read_store(store, (struct portolan_trend_query){0});
    assert_int_equal(t->items[0].rows->n_rows, 80);
    assert_close(portolan_model_value(t->items[0].model, NULL), 1e6 * 570 / 80, 1e-6);
    portolan_trends_destroy(t);
    portolan_store_close(store);
}

static void a_store_gives_one_row_per_trial_over_what_differs(void **state)
{
    struct portolan_store *store = make_store();
    const double at[] = {16};
    struct portolan_trends *t = read_store(store, (struct portolan_trend_query){0});

    assert_int_equal(t->n, 2);
    assert_string_equal(t->items[1].path, "driver.go->worker.work [a.Worker]");
    assert_int_equal(t->items[1].key.n_params, 1);
    assert_string_equal(t->items[1].key.params[0], "driver.n");
    assert_int_equal(t->items[1].rows->n_rows, 3);
    assert_close(portolan_model_value(t->items[1].model, at), 24000, 1e-6); /* the mean */
    assert_close(portolan_model_value(t->items[0].model, at), 500, 1e-6);
    portolan_trends_destroy(t);
    t = read_store(store,
                   (struct portolan_trend_query){.over = PORTOLAN_TREND_MAX, .method = "worker.*"});
    assert_int_equal(t->n, 1);
    assert_close(portolan_model_value(t->items[0].model, at), 32000, 1e-6);
    portolan_trends_destroy(t);
    t = read_store(store,
                   (struct portolan_trend_query){.metric = "calls", .over = PORTOLAN_TREND_SUM});
    assert_close(portolan_model_value(t->items[0].model, at), 20, 1e-6);
    portolan_trends_destroy(t);
    portolan_store_close(store);
}

/* Half of the calls were timed, and counted 100 n: all of them count 200 n. */
static void counters_of_sampled_calls_are_scaled_up(void **state)
{
    static const char *const sizes[] = {"2", "4", "8"};
    struct portolan_store *store = NULL;
    struct portolan_trends *t;

    assert_int_equal(portolan_store_open(":memory:", PORTOLAN_STORE_WRITE, &store, NULL),
                     PORTOLAN_OK);
    for (int i = 0; i < 3; i++) {
        const struct portolan_name_value n = {"n", sizes[i]};
        const struct portolan_trial trial = {
            .assembly = "a", .purpose = "run", .ranks = 1, .n_parameters = 1, .parameters = &n};
        const struct portolan_sample s = {.parent = -1,
                                          .user = "",
                                          .uses = "",
                                          .instance = "driver",
                                          .port = "go",
                                          .implementation = "",
                                          .port_type = "a.Port",
                                          .method = "go",
                                          .calls = 10,
                                          .timed_calls = 5,
                                          .exclusive_ns = 500,
                                          .inclusive_ns = 500,
                                          .quality = NAN,
                                          .n_counters = 1,
                                          .counter_name = {"PAPI_TOT_INS"},
                                          .counter = {100 * atof(sizes[i])}};
        int64_t id;

        assert_int_equal(portolan_store_begin_trial(store, &trial, &id, NULL), PORTOLAN_OK);
        assert_int_equal(portolan_store_put_step(store, id, 0, &s, 1, NULL), PORTOLAN_OK);
        assert_int_equal(portolan_store_summarise(store, id, NULL), PORTOLAN_OK);
        assert_int_equal(portolan_store_end_trial(store, id, "finished", 1, NULL), PORTOLAN_OK);
    }
    for (int over = PORTOLAN_TREND_MEAN; over <= PORTOLAN_TREND_SUM; over++) {
        t = read_store(store,
                       (struct portolan_trend_query){.metric = "PAPI_TOT_INS",
                                                     .over = (enum portolan_trend_over)over});
        assert_close(portolan_model_value(t->items[0].model, (double[]){16}), 3200, 1e-6);
        portolan_trends_destroy(t);
    }
    portolan_store_close(store);
}

static void contexts_give_a_row_for_each_sample_per_call(void **state)
{
    struct portolan_store *store = make_store();
    struct portolan_trends *t = read_store(
        store, (struct portolan_trend_query){.by = PORTOLAN_TREND_CONTEXTS, .method = "*.work"});

    assert_int_equal(t->n, 1);
    assert_int_equal(t->items[0].rows->n_rows, 6);
    assert_int_equal(t->items[0].key.n_params, 1);
    assert_string_equal(t->items[0].key.params[0], "size");
    assert_true(y_of(t, 0, 0) == 200 && y_of(t, 0, 1) == 400);
    portolan_trends_destroy(t);
    t = read_store(store, (struct portolan_trend_query){.metric = "accuracy"});
    assert_int_equal(t->n, 1);
    assert_close(portolan_model_value(t->items[0].model, (double[]){16}), 1e-3 / 16, 1e-3);
    portolan_trends_destroy(t);
    t = read_store(store, (struct portolan_trend_query){.by = PORTOLAN_TREND_BOTH});
    assert_int_equal(t->items[0].key.n_params, 1); /* driver.go has no context */
    assert_int_equal(t->items[1].key.n_params, 2);
    assert_string_equal(t->items[1].key.params[0], "driver.n");
    assert_string_equal(t->items[1].key.params[1], "size");
    portolan_trends_destroy(t);
    portolan_store_close(store);
}

/* Everything on one table, with the N-th allocation failing; ENOMEM or success, and no leak. */
static enum portolan_status all_of_it(void)
{
    struct portolan_trend_view view = {.sort = "growth", .x = "n", .file = "t.svg", .wide = true};
    struct portolan_trend_fit how = {0};
    struct portolan_trends *t = NULL;
    struct portolan_text out = {0};
    enum portolan_status s =
        portolan_trends_read_text(table, sizeof table - 1, "t.csv", &all, NULL, &t, NULL);

    s = s ? s : portolan_trends_fit(t, &how, NULL, NULL);
    how.formula = "c[0] + c[1]*n*n/p";
    s = s ? s : portolan_trends_fit(t, &how, NULL, NULL);
    how.pieces = true;
    s = s ? s : portolan_trends_fit(t, &how, NULL, NULL);
    view.other = t;
    for (int form = PORTOLAN_TREND_C; form <= PORTOLAN_TREND_CHART; form++)
        if (form != PORTOLAN_TREND_EXTRAP_TEXT) { /* the call paths have other points */
            view.form = (enum portolan_trend_form)form;
            s = s ? s : portolan_trends_write(t, &view, &out, NULL);
        }
    portolan_text_clear(&out);
    portolan_trends_destroy(t);
    return s;
}

static void every_failing_allocation_is_reported(void **state)
{
    size_t failed = 0;

    assert_int_equal(all_of_it(), PORTOLAN_OK);
    /* The search may do with less memory; nothing else may happen. */
    for (unsigned long n = 1; n < 700; n++) {
        enum portolan_status status;

        portolan_alloc_fail_at(n);
        status = all_of_it();
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || status == PORTOLAN_ENOMEM);
        failed += status == PORTOLAN_ENOMEM;
    }
    assert_true(failed > 200);
}

UNIT_TESTS(cmocka_unit_test(a_table_gives_a_trend_for_each_call_path),
           cmocka_unit_test(a_mark_of_byte_order_is_no_part_of_a_name),
           cmocka_unit_test(a_head_may_have_units_but_no_name_twice),
           cmocka_unit_test(text_behind_a_quoted_field_is_told),
           cmocka_unit_test(rows_up_to_a_limit_are_fitted_and_the_others_predicted),
           cmocka_unit_test(rows_go_to_extrap_and_come_back),
           cmocka_unit_test(each_call_path_and_metric_is_a_trend),
           cmocka_unit_test(several_metrics_keep_their_call_paths_when_written),
           cmocka_unit_test(a_store_gives_one_row_per_trial_over_what_differs),
           cmocka_unit_test(times_of_calls_are_means_without_first_calls),
           cmocka_unit_test(counters_of_sampled_calls_are_scaled_up),
           cmocka_unit_test(contexts_give_a_row_for_each_sample_per_call),
           cmocka_unit_test(every_failing_allocation_is_reported))
