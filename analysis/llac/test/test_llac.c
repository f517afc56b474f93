/* SPDX-License-Identifier: BSD-3-Clause */
/* The analyzer's language, held against arithmetic done by hand. */
#include "session.h"

#include <math.h>
#include <portolan/store.h>
#include <unistd.h>
#include <unit_test.h>

/* A file of its own for each test, in a folder that is taken away. */
static char folder[] = "/tmp/llac-testXXXXXX";

static int enter_folder(void **state)
{
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "we");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void good(struct session *s, const char *commands)
{
    if (session_run(s, commands) != PORTOLAN_OK)
        fail_msg("%s: %s", commands, s->failures.bytes);
}

static void shows(struct session *s, const char *commands, const char *text)
{
    good(s, commands);
    if (!strstr(s->out.bytes, text))
        fail_msg("'%s' misses '%s' in:\n%s", commands, text, s->out.bytes);
}

static void fails(struct session *s, const char *commands, const char *text)
{
    assert_int_not_equal(session_run(s, commands), PORTOLAN_OK);
    if (!strstr(s->failures.bytes, text))
        fail_msg("'%s' misses '%s' in:\n%s", commands, text, s->failures.bytes);
}

/* -------------------------------------------------------------------------------------- words */

static void numbers_are_as_in_c(void **state)
{
    struct session s;

    session_begin(&s, NULL);
    shows(&s, "2^3^2", "512\n");
    shows(&s, "-2^2", "-4\n");
    shows(&s, "N = 1024; log2(N) > 9 && N/3 > 341", "1\n");
    shows(&s, "let M = N/2; set K = M \\\n - 12; print \"K is\", K, M", "K is 500 512\n");
    shows(&s, "# nothing\n\n  ; ;\n 7 # and the rest", "7\n");
    shows(&s, "print 'a;b#c', \"d\"", "a;b#c d\n");
    session_end(&s);
}

static void failures_have_places_and_change_nothing(void **state)
{
    struct session s;

    session_begin(&s, NULL);
    fails(&s, "x = 1\n  y = x + \\\n  z\nw = 2", "test:3:3: there is no variable 'z'");
    shows(&s, "show", "x  number  1\n");
    assert_null(strstr(s.out.bytes, "w"));
    fails(&s, "x = 5 6", "test:1:7: ");
    shows(&s, "x", "1\n");
    fails(&s, "where = 3", "word of the language");
    fails(&s, "fit = show x", "gives nothing");
    fails(&s, "forget x nonesuch", "nothing has the name 'nonesuch'");
    shows(&s, "x", "1\n");
    fails(&s, "quit 256", "0 to 255");
    assert_false(portolan_llac_has_ended(s.llac, NULL));
    fails(&s, "print \"abc", "test:1:7: this text has no end");
    session_end(&s);
}

static void what_goes_on_tells_all_failures(void **state)
{
    struct session s;
    int code = 0;

    session_begin(&s, &(struct portolan_llac_options){.keeps_going = true});
    fails(&s, "a\nb\nquit 5\nc", "test:2:1: ");
    assert_null(strstr(s.failures.bytes, "test:4"));
    assert_true(portolan_llac_has_ended(s.llac, &code));
    assert_int_equal(code, 5);
    session_end(&s);
}

static void strangers_reach_no_files(void **state)
{
    struct session s;

    session_begin(&s, &(struct portolan_llac_options){.without_files = true});
    fails(&s, "load x", "would touch files");
    fails(&s, "a = load x", "would touch files");
    fails(&s, "source x", "would touch files");
    fails(&s, "save session to x", "would touch files");
    fails(&s, "plot x", "would touch files");
    fails(&s, "obsp x", "would touch files");
    assert_int_not_equal(access("x", F_OK), 0);
    session_end(&s);
}

/* ------------------------------------------------------------------------------------- tables */

static const char two_processors[] = "CPU,NCPUS,N,CLOCK\n"
                                     "0,2,10,1\n0,2,10,5\n0,2,20,3\n"
                                     "1,2,10,2\n1,2,10,4\n1,2,20,7\n";

static void the_slowest_processor_is_found_execution_by_execution(void **state)
{
    struct session s;

    write_file("t.csv", two_processors);
    session_begin(&s, NULL);
    shows(&s, "load t.csv; rows t max over CPU",
          "NCPUS   N  CLOCK\n"
          "    2  10      2\n"
          "    2  10      5\n"
          "    2  20      7\n");
    shows(&s, "rows t max over CPU, repetitions keep N, CLOCK",
          " N  CLOCK\n10      5\n20      7\n");
    shows(&s, "rows t mean over CPU keep N, CLOCK", " N  CLOCK\n10    1.5\n10    4.5\n20      5\n");
    shows(&s, "rows t min over CPU keep CLOCK", "CLOCK\n    1\n    4\n    3\n");
    shows(&s, "rows t sum over CPU, N keep CLOCK", "CLOCK\n");
    shows(&s, "rows t median over repetitions where N == 10 keep CLOCK", "CLOCK\n    3\n    3\n");
    fails(&s, "rows t max over CLOCK", "what was measured");
    session_end(&s);
    unlink("t.csv");
}

static void clauses_work_from_left_to_right(void **state)
{
    struct session s;

    write_file("t.csv", two_processors);
    session_begin(&s, NULL);
    shows(&s, "load t.csv; rows t where CLOCK < 5 max over CPU keep N, CLOCK",
          " N  CLOCK\n10      2\n10      4\n20      3\n");
    shows(&s, "rows t max over CPU where CLOCK < 5 keep N, CLOCK", " N  CLOCK\n10      2\n");
    shows(&s, "rows t with M = 2*N, R = M/CLOCK where CPU == 0 || 0 keep M, R where R == 20",
          " M   R\n20  20\n");
    fails(&s, "rows t keep N where CPU == 0", "'t' has no column 'CPU'");
    shows(&s, "rows t sort CLOCK, N keep CLOCK",
          "CLOCK\n    1\n    2\n    3\n    4\n    5\n    7\n");
    shows(&s, "show t rename CLOCK TIME observing N", "  N             observable");
    fails(&s, "rows t rename CLOCK N", "already");
    fails(&s, "rows t drop RUN, CPU, NCPUS, N, CLOCK", "no column would be left");
    shows(&s, "u = t where N > 1000; rows u", "CPU  NCPUS  N  CLOCK\n");
    session_end(&s);
    unlink("t.csv");
}

static void units_are_converted_where_they_are_known(void **state)
{
    struct session s;

    write_file("t.csv", "size [KiB];TIME (s)\n2;0.5\n");
    session_begin(&s, NULL);
    shows(&s, "load t.csv; rows t unit TIME ms unit size B",
          "size (B)  TIME (ms)\n    2048        500\n");
    fails(&s, "rows t unit TIME MiB", "s cannot be turned into MiB");
    shows(&s, "rows t with TIME = TIME*2 unit TIME min", "TIME (min)\n         2           1\n");
    fails(&s, "u = t unit TIME ms; v = t + u", "`unit TIME s` converts it");
    session_end(&s);
    unlink("t.csv");
}

static void tables_join_where_their_columns_are_the_same(void **state)
{
    struct session s;

    write_file("a.csv", "N,TIME\n1,2\n");
    write_file("b.csv", "TIME N\n5 3\n# a comment\n\n6 4\n");
    session_begin(&s, NULL);
    shows(&s, "load a.csv b.csv; rows a + b where RUN >= 1 drop RUN",
          "N  TIME\n1     2\n3     5\n4     6\n");
    shows(&s, "load a.csv; rows a", "RUN  N  TIME\n  1  1     2\n  3  1     2\n");
    fails(&s, "x = a + (b with M = 1)", "a table is wanted");
    fails(&s, "c = b with M = 1; x = a + c", "only one side has the column 'M'");
    shows(&s, "a = 3; a + 1", "4\n");
    fails(&s, "load a.csv", "'a' is a number already");
    shows(&s, "z = load a.csv; show z", "table z: 1 row of a, from a.csv");
    session_end(&s);
    unlink("a.csv");
    unlink("b.csv");
}

static void experiments_are_called_as_they_like(void **state)
{
    struct session s;

    write_file("sort.csv", "N,TIME\n1,2\n2,5\n");
    write_file("load.csv", "N,TIME\n1,2\n");
    session_begin(&s, NULL);
    shows(&s, "load sort.csv load.csv; rows sort sort N where TIME > 2 keep TIME", "TIME\n   5\n");
    shows(&s, "sort", "table sort: 2 rows");
    shows(&s, "x = sort + sort; show x", "table x: 4 rows of sort");
    shows(&s, "rows load keep N; load load.csv; rows load keep N", "N\n1\n1\n");
    fails(&s, "max = fit sort on N", "word of the language");
    shows(&s, "forget sort load; show", "x  table");
    session_end(&s);
    unlink("sort.csv");
    unlink("load.csv");
}

static void experiments_of_several_sources_stay_apart(void **state)
{
    static const char table[] = "SAMPLE:\nCPU NCPUS CLOCK\n0 1 2\n";
    struct portolan_text text = {0};
    struct session s;

    portolan_text_add(&text, "EXPERIMENT: w\nFILE: src/a.c\n%sEXPERIMENT: w\nFILE: b.c\n%s0 1 3\n",
                      table, table);
    portolan_text_add(&text, "EXPERIMENT: v\nFILE: b.c\n%s", table);
    write_file("p.dat", text.bytes);
    session_begin(&s, NULL);
    shows(&s, "load p.dat", "w_src_a: 1 row\nw_b: 2 rows\nv: 1 row\n");
    shows(&s, "load p.dat", "w_src_a: 2 rows\nw_b: 4 rows\nv: 2 rows\n");
    assert_string_equal(s.warnings.bytes, "");
    portolan_text_clear(&text);
    portolan_text_add(&text, "LOST: v 3\nLOST: v 40\nEXPERIMENT: v\n%s", table);
    write_file("p.dat", text.bytes);
    shows(&s, "forget all; load p.dat", "v: 1 row\n");
    assert_non_null(strstr(s.warnings.bytes, "p.dat: 43 samples were lost"));
    session_end(&s);
    portolan_text_clear(&text);
    unlink("p.dat");
}

static void bad_tables_are_told_by_line_and_column(void **state)
{
    static const struct {
        const char *text, *failure;
    } cases[] = {
        {"N,TIME\n1,2\n3\n", "t.csv:3:0: 1 fields, the head has 2"},
        {"N,TIME\n1,two\n", "t.csv:2:3: 'two' is not a number"},
        {"1,2\n", "t.csv:1:1: the first line names the columns"},
        {"N,,T\n", "t.csv:1:3: the first line names the columns"},
        {"N,N\n", "t.csv:1:3: there are two columns 'N'"},
        {"# nothing\n", "holds nothing that could be read"},
    };
    struct session s;

    session_begin(&s, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file("t.csv", cases[i].text);
        fails(&s, "load t.csv", cases[i].failure);
    }
    shows(&s, "show", "nothing is loaded yet");
    session_end(&s);
    unlink("t.csv");
}

/* ------------------------------------------------------------------------------------- models */

/* TIME = 3 + 0.5 N log(N): found to nine digits by the formula that made it. */
static void constants_that_made_the_rows_are_found(void **state)
{
    struct portolan_text text = {0};
    struct session s;
    double value;
    char expected[40];

    portolan_text_add(&text, "N,TIME (s)\n");
    for (int n = 2; n <= 64; n *= 2)
        portolan_text_add(&text, "%d,%.17g\n", n, 3 + 0.5 * n * log(n));
    write_file("t.csv", text.bytes);
    session_begin(&s, NULL);
    shows(&s, "load t.csv; m = fit t as c[1]*N*log(N) + c[0]", "c[0]          3");
    assert_non_null(strstr(s.out.bytes, "c[1]          0.5"));
    value = 3 + 0.5 * 48 * log(48);
    snprintf(expected, sizeof expected, "%.6g", value);
    shows(&s, "predict m at N = 48", expected);
    assert_null(strstr(s.out.bytes, "!"));
    shows(&s, "predict m at N = {128, 3}",
          "! outside: N was measured up to 64, here it is 2 times that");
    shows(&s, "N = 48; predict m", expected);
    shows(&s, "p = predict m on t where N > 20; rows p keep N", "N\n32\n64\n");
    shows(&s, "compare m", "mean of absolute errors 0.00 %");
    shows(&s, "rows t where N == 2 with R = floor(TIME/m + 0.5), O = m keep R", "R\n1\n");
    shows(&s, "2*m - 1 > 190", "1\n"); /* at N = 48 */
    shows(&s, "show t with O = m", "  O             observable");
    fails(&s, "rows t rename N M with R = m where N == N2", "no column 'N2'");
    fails(&s, "forget N; x = 2*m", "test:1:17: the model depends on 'N', which is not set");
    fails(&s, "fit t as c[0] + c[1]*M", "the formula needs 'M'");
    fails(&s, "fit t as c[0] + c[1]*c[2]*N", "test:1:");
    fails(&s, "predict m at Q = 1", "no parameter 'Q'");
    fails(&s, "predict m at N = 1, N = 2", "test:1:21: 'N' is said twice");
    fails(&s, "predict t", "'t' is a table, and a model is wanted here");
    fails(&s, "m2 = fit t where N > 1000", "no row to be fitted");
    fails(&s, "fit t confidence 95", "between 0 and 1");
    session_end(&s);
    portolan_text_clear(&text);
    unlink("t.csv");
}

/* 1, 2, 6 and 2, 4, 12: mean 3 and 6, least 1 and 2, standard deviation sqrt(7) and twice that. */
static void a_model_is_of_what_was_asked_for(void **state)
{
    struct session s;

    write_file("t.csv", "N,TIME\n1,1\n1,2\n1,6\n2,2\n2,4\n2,12\n");
    session_begin(&s, NULL);
    shows(&s, "load t.csv; fit t as c[0]*N mean; compare model",
          "N  TIME  OBSP*  ERROR %\n1     3      3     0.00\n2     6      6     0.00\n");
    shows(&s, "fit t as c[0]*N minimum; compare model", "1     1      1     0.00\n");
    shows(&s, "fit t as c[0]*N maximum; compare model", "2    12     12     0.00\n");
    shows(&s, "fit t as c[0]*N median; compare model", "2     4      4     0.00\n");
    shows(&s, "d = fit t as c[0]*N deviation", "model d of the standard deviation of TIME");
    shows(&s, "compare d", "1  2.646  2.646     0.00\n2  5.292  5.292     0.00\n");
    /* What a result takes the name of may be what it was made of. */
    shows(&s, "t = fit t as c[0]*N mean", "model t of the mean of TIME");
    session_end(&s);
    unlink("t.csv");
}

/* TIME = 1 + 2 n n + 3 n n n, which a fit keeps as powers: the constants keep their names. */
static void constants_keep_the_names_of_the_formula(void **state)
{
    struct portolan_text text = {0};
    struct session s;

    portolan_text_add(&text, "n,TIME (s)\n");
    for (int n = 1; n <= 32; n *= 2)
        portolan_text_add(&text, "%d,%d\n", n, 1 + 2 * n * n + 3 * n * n * n);
    write_file("t.csv", text.bytes);
    session_begin(&s, NULL);
    shows(&s, "load t.csv; fit t as mm[0]+mm[1]*n*n+mm[2]*n*n*n", "\n  mm[0] ");
    assert_non_null(strstr(s.out.bytes, "model of TIME (s)\n"));
    assert_null(strstr(s.out.bytes, "model model"));
    assert_non_null(strstr(s.out.bytes, "\n  mm[1] "));
    assert_non_null(strstr(s.out.bytes, " of n * n\n"));
    assert_non_null(strstr(s.out.bytes, "\n  mm[2] "));
    /* What was searched for has no names. */
    shows(&s, "fit t search", "\n  constants     ");
    assert_null(strstr(s.out.bytes, "mm["));
    /* One of two that are the same is told, the other dropped. */
    shows(&s, "fit t as a[0]*n*n*n+a[1]*n^3", "\n  a[0] ");
    assert_non_null(strstr(s.out.bytes, "\n  a[1] "));
    session_end(&s);
    portolan_text_clear(&text);
    unlink("t.csv");
}

static void processors_that_stand_side_by_side_are_told(void **state)
{
    struct session s;

    write_file("t.csv", two_processors);
    session_begin(&s, NULL);
    good(&s, "load t.csv; fit t");
    assert_non_null(strstr(s.warnings.bytes, "fit t max over CPU"));
    good(&s, "fit t max over CPU");
    assert_string_equal(s.warnings.bytes, "");
    session_end(&s);
    unlink("t.csv");
}

/* The paper's numbers: (real - predicted) / real. */
static void errors_are_those_of_the_paper(void **state)
{
    struct session s;

    write_file("t.csv", "P,TIME,OBSP\n2,6.0036,5.8943\n32,0.9664,0.8919\n");
    session_begin(&s, NULL);
    shows(&s, "load t.csv; compare OBSP with TIME of t",
          "PROCS    TIME    OBSP  ERROR %\n    2  6.0036  5.8943     1.82\n"
          "   32  0.9664  0.8919     7.71\nmean of absolute errors 4.76 %\n");
    fails(&s, "compare OBSP with TIMES of t", "test:1:19: 't' has no column 'TIMES'");
    session_end(&s);
    unlink("t.csv");
}

/* Twenty rows around 1, one of them 30 times as long; two rows of another point. */
static void what_speaks_against_repetitions_is_told(void **state)
{
    struct portolan_text text = {0};
    struct session s;

    portolan_text_add(&text, "N,TIME\n");
    for (int i = 0; i < 20; i++)
        portolan_text_add(&text, "10,%g\n", (i == 7 ? 30 : 1) * (1 + 0.001 * (i * 7 % 11)));
    portolan_text_add(&text, "20,2\n20,2\n");
    write_file("t.csv", text.bytes);
    session_begin(&s, NULL);
    shows(&s, "load t.csv; inspect t",
          "1 spike, some 30 times as large, at most 30 times (row 8 of 20 in time)\n");
    assert_non_null(strstr(s.out.bytes, "1 point with fewer than 5 rows is not inspected"));
    shows(&s, "m = fit t; inspect m", "1 spike, some ");
    shows(&s, "inspect t where TIME < 20", "nothing\n");
    fails(&s, "inspect t with TIME = 0", "test:1:9: ");
    session_end(&s);
    portolan_text_clear(&text);
    unlink("t.csv");
}

/* -------------------------------------------------------------------------------------- stores */

static void trials_of_a_store_become_tables(void **state)
{
    const struct portolan_name_value parameters[] = {{"driver.n", "64"}, {"driver.kind", "dense"}};
    struct portolan_trial trial = {.assembly = "heat",
                                   .purpose = "explore",
                                   .ranks = 2,
                                   .n_parameters = 2,
                                   .parameters = parameters};
    struct portolan_sample samples[2];
    struct portolan_store *store;
    struct session s;
    int64_t id;

    for (int rank = 0; rank < 2; rank++)
        samples[rank] = (struct portolan_sample){.rank = rank,
                                                 .parent = -1,
                                                 .user = "",
                                                 .uses = "",
                                                 .instance = "solver",
                                                 .port = "port",
                                                 .implementation = "heat.Cholmod",
                                                 .port_type = "heat.LinearSolver",
                                                 .method = "solve",
                                                 .n_context = 1,
                                                 .context_name = {"n"},
                                                 .context = {4096},
                                                 .calls = 4,
                                                 .inclusive_ns = 8e9,
                                                 .exclusive_ns = 2e9 * (rank + 1),
                                                 .quality = NAN};
    assert_int_equal(portolan_store_open("t.db", PORTOLAN_STORE_WRITE, &store, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_begin_trial(store, &trial, &id, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_put_step(store, id, 0, samples, 2, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_end_trial(store, id, "finished", 1e9, NULL), PORTOLAN_OK);
    portolan_store_close(store);
    session_begin(&s, NULL);
    shows(&s,
          "load t.db; rows solver_solve_Cholmod max over CPU keep NCPUS, n, driver.n, TIME, "
          "INCLUSIVE",
          "NCPUS     n  driver.n  TIME (s)  INCLUSIVE (s)\n    2  4096        64         1         "
          "     2\n");
    fails(&s, "load t.db trial 77", "77");
    session_end(&s);
    unlink("t.db");
    unlink("t.db-wal");
    unlink("t.db-shm");
}

/* ---------------------------------------------------------------------------------- completion */

static void completes(struct session *s, const char *line, const char *expected)
{
    struct portolan_text all = {0};
    char **words;
    size_t n;

    assert_int_equal(portolan_llac_complete(s->llac, line, &words, &n, NULL), PORTOLAN_OK);
    portolan_text_add(&all, "%s", "");
    for (size_t i = 0; i < n; i++)
        portolan_text_add(&all, "%s%s", i ? " " : "", words[i]);
    assert_null(words[n]);
    assert_string_equal(all.bytes, expected);
    portolan_text_clear(&all);
    free(words);
}

static void words_are_completed_by_their_position(void **state)
{
    struct session s;

    write_file("fft.csv", "P,TIME\n1,2\n2,1\n");
    session_begin(&s, NULL);
    completes(&s, "lo", "load");
    completes(&s, "load f", "fft.csv");
    good(&s, "load fft.csv; few = fit fft search");
    completes(&s, "f", "few fft fit forget");
    completes(&s, "fit f", "fft");
    completes(&s, "predict f", "few");
    completes(&s, "rows fft where T", "TIME");
    completes(&s, "predict few at P", "P");
    completes(&s, "rows fft wh", "where");
    completes(&s, "x = lo", "load");
    completes(&s, "help pre", "predict");
    completes(&s, "save few to f", "fft.csv");
    completes(&s, "quit ", "");
    completes(&s, "nonsense", "");
    session_end(&s);
    unlink("fft.csv");
}

/* ------------------------------------------------------------------------------------- memory */

/* However little there is, a command fails or works; nothing is lost (the sanitizer looks). */
static void memory_that_is_out_is_said(void **state)
{
    static const char commands[] =
        "u = t where N > 10 with M = N/2 unit CLOCK s max over CPU sort N\nv = u + u\nshow\nshow "
        "u\n"
        "rows v\nsummary t\nm = fit u as c[0] + c[1]*N\ncompare m\np = predict m at N = {1, 2}\n"
        "show m\nfit t\nN = 2\nhelp fit\nx = nonsense\n";
    enum portolan_status status = PORTOLAN_ENOMEM;
    struct session s;

    write_file("t.csv", two_processors);
    session_begin(&s, &(struct portolan_llac_options){.keeps_going = true});
    good(&s, "load t.csv");
    for (unsigned long n = 1; n < 3000; n += 1 + n / 20) {
        portolan_alloc_fail_at(n);
        status = session_run(&s, commands);
        portolan_alloc_fail_at(0);
        assert_int_not_equal(status, PORTOLAN_OK);
        good(&s, "forget all; load t.csv");
    }
    assert_int_equal(session_run(&s, commands), PORTOLAN_ESYNTAX);
    session_end(&s);
    unlink("t.csv");
}

UNIT_TESTS_BETWEEN(enter_folder, leave_folder, cmocka_unit_test(numbers_are_as_in_c),
                   cmocka_unit_test(failures_have_places_and_change_nothing),
                   cmocka_unit_test(what_goes_on_tells_all_failures),
                   cmocka_unit_test(strangers_reach_no_files),
                   cmocka_unit_test(the_slowest_processor_is_found_execution_by_execution),
                   cmocka_unit_test(clauses_work_from_left_to_right),
                   cmocka_unit_test(units_are_converted_where_they_are_known),
                   cmocka_unit_test(tables_join_where_their_columns_are_the_same),
                   cmocka_unit_test(experiments_are_called_as_they_like),
                   cmocka_unit_test(experiments_of_several_sources_stay_apart),
                   cmocka_unit_test(bad_tables_are_told_by_line_and_column),
                   cmocka_unit_test(constants_that_made_the_rows_are_found),
                   cmocka_unit_test(a_model_is_of_what_was_asked_for),
                   cmocka_unit_test(constants_keep_the_names_of_the_formula),
                   cmocka_unit_test(processors_that_stand_side_by_side_are_told),
                   cmocka_unit_test(errors_are_those_of_the_paper),
                   cmocka_unit_test(what_speaks_against_repetitions_is_told),
                   cmocka_unit_test(trials_of_a_store_become_tables),
                   cmocka_unit_test(words_are_completed_by_their_position),
                   cmocka_unit_test(memory_that_is_out_is_said))
