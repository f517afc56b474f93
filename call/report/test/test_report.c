/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports: what is written, what is read, and what is said of what cannot be. */
#include <float.h>
#include <math.h>
#include <portolan/cll_report.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unit_test.h>

static const enum portolan_cll_form forms[] = {PORTOLAN_CLL_TEXT, PORTOLAN_CLL_JSON};
enum { N_FORMS = sizeof forms / sizeof *forms };

static char *identifiers[] = {(char *)"N", (char *)"P"};
static char *clock_alone[] = {(char *)"CLOCK"};
static unsigned begin_lines[] = {16, 30}, end_lines[] = {19, 33};

/* The experiment of the paper's Figure 3, begun at two places. */
static const struct portolan_cll_sample fft = {
    .name = (char *)"fft",
    .file = (char *)"fft.c",
    .formula = (char *)"fft[0]+fft[1]*log(P)+fft[2]*(N/P)*log(N/P)+fft[3]*N*(P-1)/P",
    .n_constants = 4,
    .n_begin = 2,
    .n_end = 2,
    .begin_lines = begin_lines,
    .end_lines = end_lines,
    .n_identifiers = 2,
    .n_observables = 1,
    .identifiers = identifiers,
    .observables = clock_alone,
};

static struct portolan_cll_report *make_report(const double *rows, size_t n)
{
    struct portolan_cll_report *report = portolan_cll_report_create();
    struct portolan_cll_sample *s;
    double *to;

    assert_non_null(report);
    assert_int_equal(portolan_cll_report_add_header(report, "PROGRAM", "fft"), PORTOLAN_OK);
    assert_int_equal(portolan_cll_report_join(report, &fft, &s), PORTOLAN_OK);
    to = portolan_cll_sample_add_rows(s, n);
    assert_non_null(to);
    memcpy(to, rows, n * 5 * sizeof *rows);
    return report;
}

static struct portolan_cll_report *read_good(const char *text)
{
    struct portolan_cll_report *report;
    struct portolan_error err = {0};
    enum portolan_status status =
        portolan_cll_report_parse(text, strlen(text), "it", NULL, &report, &err);

    if (status != PORTOLAN_OK)
        fail_msg("%s in\n%s", err.text, text);
    return report;
}

static char *write_good(const struct portolan_cll_report *report, enum portolan_cll_form form)
{
    char *text;

    assert_int_equal(portolan_cll_report_write(report, form, &text, NULL), PORTOLAN_OK);
    return text;
}

/* ------------------------------------------------------------------ forms */

static void the_text_form_is_as_it_is_documented(void **state)
{
    static const double rows[] = {0, 2, 1024, 2, 0.5, 1, 2, 1024, 2, NAN};
    struct portolan_cll_report *report = make_report(rows, 2);
    char *text = write_good(report, PORTOLAN_CLL_TEXT);

    assert_string_equal(
        text, "PROGRAM: fft\n"
              "\n"
              "EXPERIMENT: fft\n"
              "FILE: fft.c\n"
              "BEGIN_LINE: 16 30\n"
              "END_LINE: 19 33\n"
              "FORMULA: fft[0] fft[1] P log * + fft[2] N P / * N P / log * + fft[3] N * P 1 - * P "
              "/ +\n"
              "INFORMULA: fft[0]+fft[1]*log(P)+fft[2]*(N/P)*log(N/P)+fft[3]*N*(P-1)/P\n"
              "MAXTESTS: 2\n"
              "DIMENSION: 4\n"
              "COMPONENTS: 1; log(P); N / P * log(N / P); N * (P - 1) / P\n"
              "POSTFIX_COMPONENT_0: 1\n"
              "POSTFIX_COMPONENT_1: P log\n"
              "POSTFIX_COMPONENT_2: N P / N P / log *\n"
              "POSTFIX_COMPONENT_3: N P 1 - * P /\n"
              "NUMIDENTS: 2\n"
              "IDENTS: N P\n"
              "OBSERVABLES: CLOCK\n"
              "NUMTESTS: 1 1\n"
              "SAMPLE:\n"
              "CPU NCPUS N P CLOCK\n"
              "0 2 1024 2 0.5\n"
              "1 2 1024 2 nan\n");
    free(text);
    portolan_cll_report_destroy(report);
}

static void numbers_read_back_as_they_were(void **state)
{
    static const double values[] = {0.1,
                                    1.0 / 3,
                                    5e-324,
                                    DBL_MIN,
                                    DBL_MAX,
                                    -0.0,
                                    9007199254740993.0,
                                    123456789012345678.0,
                                    1e22,
                                    1e23,
                                    2.2250738585072011e-308,
                                    INFINITY,
                                    -INFINITY,
                                    NAN};
    enum { N = sizeof values / sizeof *values };
    double rows[N][5];

    for (size_t i = 0; i < N; i++)
        memcpy(rows[i], (double[]){3, 4, (double)i, -values[i], values[i]}, sizeof rows[i]);
    for (size_t f = 0; f < N_FORMS; f++) {
        struct portolan_cll_report *report = make_report(&rows[0][0], N), *again;
        char *text = write_good(report, forms[f]);
        const struct portolan_cll_sample *s;

        again = read_good(text);
        assert_int_equal(again->n_experiments, 1);
        s = again->experiments;
        assert_int_equal(s->n_rows, N);
        for (size_t i = 0; i < N; i++)
            for (size_t k = 0; k < 5; k++) {
                double was = rows[i][k], is = s->rows[5 * i + k];

                if (isnan(was))
                    assert_true(isnan(is));
                else
                    assert_memory_equal(&was, &is, sizeof was);
            }
        free(text);
        portolan_cll_report_destroy(report);
        portolan_cll_report_destroy(again);
    }
}

static void a_report_reads_back_from_each_form(void **state)
{
    static const double rows[] = {0, 1, 8, 1, 0.25};
    struct portolan_cll_sample loop = {.name = (char *)"loop",
                                       .n_observables = 1,
                                       .observables = clock_alone},
                               *s;

    for (size_t f = 0; f < N_FORMS; f++) {
        struct portolan_cll_report *report = make_report(rows, 1), *again;
        char *text, *second;

        portolan_cll_report_add_header(report, "VERSION", "#1 SMP \"<&> \xc3\xa4");
        portolan_cll_report_add_header(report, "LOST", "fft 3");
        portolan_cll_report_add_header(report, "LOST", "loop 1");
        assert_int_equal(portolan_cll_report_join(report, &loop, &s), PORTOLAN_OK);
        text = write_good(report, forms[f]);
        again = read_good(text);
        assert_string_equal(portolan_cll_report_peek_header(again, "VERSION"),
                            "#1 SMP \"<&> \xc3\xa4");
        assert_int_equal(again->n_headers, 4);
        assert_int_equal(again->n_experiments, 2);
        s = again->experiments;
        assert_string_equal(s->formula, fft.formula);
        assert_string_equal(s->file, "fft.c");
        assert_int_equal(s->n_constants, 4);
        assert_int_equal(s->n_begin, 2);
        assert_int_equal(s->end_lines[1], 33);
        assert_string_equal(s->identifiers[1], "P");
        assert_null(again->experiments[1].formula);
        assert_null(again->experiments[1].file);
        assert_int_equal(again->experiments[1].n_rows, 0);
        second = write_good(again, forms[f]);
        assert_string_equal(second, text);
        free(text);
        free(second);
        portolan_cll_report_destroy(report);
        portolan_cll_report_destroy(again);
    }
}

/* The shape of the files in CALL's own repository: one experiment as an object, lines and counts as
 * arrays, whole numbers, no FILE. */
static void a_report_of_call_itself_is_read(void **state)
{
    struct portolan_cll_report *report = read_good(
        "{ \"CALL_VERSION\": \"1.0\", \"PROGRAM\": \"mm\", \"NODE_NAME\": \"verode\",\n"
        "\"cll_experiment\": { \"EXPERIMENT\": \"mm\", \"BEGIN_LINE\": [ 67 ],\n"
        "\"END_LINE\": [ 79 ], \"FORMULA\": \"mm0 mm1 N * +\", \"INFORMULA\": "
        "\"mm[0]+mm[1]*N\",\n"
        "\"MAXTESTS\": 131072, \"DIMENSION\": 2, \"NUMIDENTS\": 1, \"IDENTS\": [ \"N\" ],\n"
        "\"OBSERVABLES\": [ \"PAPI_REAL_USEC\" ], \"COMPONENTS\": [ \"1\", \"N\" ],\n"
        "\"NUMTESTS\": [ 2 ], \"headers\": [ \"CPU\", \"NCPUS\", \"N\", "
        "\"PAPI_REAL_USEC\" ],\n"
        "\"sample\": [ [ 0, 1, 100, 3251 ], [ 0, 1, 200, 25873 ] ] } }\n");
    const struct portolan_cll_sample *s = report->experiments;

    assert_int_equal(report->n_experiments, 1);
    assert_int_equal(s->begin_lines[0], 67);
    assert_string_equal(s->observables[0], "PAPI_REAL_USEC");
    assert_int_equal(s->n_rows, 2);
    assert_true(s->rows[7] == 25873);
    portolan_cll_report_destroy(report);
}

static void quotes_and_lines_of_other_systems_are_read(void **state)
{
    struct portolan_cll_report *report =
        read_good("PROGRAM: \"my fft\"\r\nEXPERIMENT: \"fft\"\r\nIDENTS: N, P\r\nSAMPLE:\r\n"
                  "CPU  NCPUS\tN P CLOCK\r\n  0 1 8 1 2.5\r\n");

    assert_string_equal(portolan_cll_report_peek_header(report, "PROGRAM"), "my fft");
    assert_string_equal(report->experiments->name, "fft");
    assert_int_equal(report->experiments->n_identifiers, 2);
    assert_true(report->experiments->rows[4] == 2.5);
    portolan_cll_report_destroy(report);
}

static void experiments_that_are_alike_become_one(void **state)
{
    static const char part[] = "EXPERIMENT: C\nBEGIN_LINE: 16\nSAMPLE:\nCPU NCPUS CLOCK\n0 2 1\n"
                               "EXPERIMENT: C\nBEGIN_LINE: 30 16\nSAMPLE:\nCPU NCPUS CLOCK\n1 2 2\n"
                               "EXPERIMENT: C\nFILE: b.c\nSAMPLE:\nCPU NCPUS CLOCK\n1 2 2\n";
    struct portolan_cll_report *report = read_good(part);

    assert_int_equal(report->n_experiments, 2);
    assert_int_equal(report->experiments->n_rows, 2);
    assert_int_equal(report->experiments->n_begin, 2);
    assert_int_equal(report->experiments->begin_lines[1], 30);
    portolan_cll_report_destroy(report);
}

/* ------------------------------------------------------------------ bad input */

#define TABLE "EXPERIMENT: a\nIDENTS: N\nSAMPLE:\nCPU NCPUS N CLOCK\n"
#define JSON                                                                                       \
    "{\"PROGRAM\": \"a\",\n \"cll_experiment\": [\n {\"EXPERIMENT\": \"a\",\n  \"IDENTS\": "       \
    "[\"N\"],\n  \"headers\": [\"CPU\", \"NCPUS\", \"N\", \"CLOCK\"],\n  \"sample\": [\n   "

static void what_is_wrong_is_told_with_its_line(void **state)
{
    static const struct {
        const char *text;
        int line;
        const char *says;
    } bad[] = {
        {"", 0, "empty"},
        {"hello\n", 1, "NAME: value"},
        {"PROGRAM: a\n1 2 3\n", 2, "NAME: value"},
        {"EXPERIMENT: a b\n", 1, "no name"},
        {"EXPERIMENT: a\nEXPERIMENT: b\n", 2, "no SAMPLE:"},
        {"EXPERIMENT: a\nDIMENSION: 2\n", 2, "ends before"},
        {"EXPERIMENT: a\nDIMENSION: x\n", 2, "no number"},
        {"EXPERIMENT: a\nDIMENSION: 1e9\n", 2, "up to 1000"},
        {"EXPERIMENT: a\nBEGIN_LINE: 3 -4\n", 2, "numbers of lines"},
        {"EXPERIMENT: a\nEND_LINE: 3.5\n", 2, "numbers of lines"},
        {"SAMPLE:\nCPU NCPUS CLOCK\n", 2, "before any EXPERIMENT"},
        {"EXPERIMENT: a\nSAMPLE:\n", 2, "names of columns"},
        {"EXPERIMENT: a\nSAMPLE:\nN CLOCK\n", 3, "CPU and NCPUS"},
        {"EXPERIMENT: a\nSAMPLE:\nCPU NCPUS\n", 3, "no column for an observable"},
        {"EXPERIMENT: a\nIDENTS: N\nSAMPLE:\nCPU NCPUS P CLOCK\n", 4, "by IDENTS it is 'N'"},
        {TABLE "0 1 2 3\n0 1 2\n", 6, "3 numbers; it has 4 columns"},
        {TABLE "0 1 2 3\n0 1 2 3 4\n", 6, "5 numbers; it has 4 columns"},
        {TABLE "0 1 2 3\n\n0 1 x 3\n", 7, "'x' is no number"},
        {"EXPERIMENT: a\nNUMTESTS: 2 1\nSAMPLE:\nCPU NCPUS CLOCK\n0 2 1\n0 2 1\n", 6,
         "after 2 of 3 rows"},
        {TABLE "2 2 1 1\n", 5, "process 2 of 2"},
        {TABLE "0.5 2 1 1\n", 5, "process 0.5 of 2"},
        {TABLE "nan 2 1 1\n", 5, "process nan of 2"},
        {"{\n\"a\": 1,\n}", 3, "string or '}' expected"},
        {"{\"PROGRAM\": \"a\"}", 1, "no \"cll_experiment\""},
        {"{\"a b\": \"c\", \"cll_experiment\": []}", 0, "'a b' is no name of a header"},
        {"{\"a\": 3, \"cll_experiment\": []}", 0, "a is neither a string"},
        {JSON "[0, 1, 2, 3],\n   [0, 1, 2]]}]}", 8, "row 2 of 'a' has not as many numbers"},
        {JSON "[0, 1, 2, 3],\n   [0, 1, 2, \"x\"]]}]}", 8, "item that is no number"},
        {JSON "[1, 1, 2, 3]]}]}", 7, "row 1 of 'a' is of no process"},
        {JSON "[0, 1, 2, 3]]},\n {\"EXPERIMENT\": \"b\",\n\"IDENTS\": 3}]}", 9,
         "IDENTS is no array"},
        {JSON "[0, 1, 2, 3]]},\n {\"headers\": []}]}", 8, "before any EXPERIMENT"},
        {JSON "[0, 1, 2, 3]]},\n 17]}", 8, "no object"},
        {"<cll_data/>", 0, "use CLL_FORMAT=json"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct heard heard = {0};
        struct portolan_diagnostics d = {hear, &heard, 0};
        struct portolan_error err = {0};
        struct portolan_cll_report *report;

        assert_int_equal(portolan_cll_report_parse(bad[i].text, strlen(bad[i].text), "bad.dat", &d,
                                                   &report, &err),
                         PORTOLAN_ESYNTAX);
        assert_null(report);
        if (heard.line != bad[i].line || !strstr(heard.first, bad[i].says) || d.count != 1 ||
            !strstr(err.text, bad[i].says))
            fail_msg("case %zu: line %d '%s', error '%s'; wanted line %d '%s'", i, heard.line,
                     heard.first, err.text, bad[i].line, bad[i].says);
    }
}

static void a_file_that_is_not_there_is_told(void **state)
{
    struct portolan_cll_report *report;
    struct portolan_error err = {0};

    assert_int_equal(portolan_cll_report_read("/nowhere/fft.dat", NULL, &report, &err),
                     PORTOLAN_EIO);
    assert_non_null(strstr(err.text, "/nowhere/fft.dat"));
    assert_int_equal(portolan_cll_report_read("/", NULL, &report, &err), PORTOLAN_EIO);
}

/* ------------------------------------------------------------------ files */

static char folder[] = "/tmp/portolan-report-XXXXXX";

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    return rmdir(folder);
}

static char *path_of(const char *name)
{
    char *path = portolan_asprintf("%s/%s", folder, name);

    assert_non_null(path);
    return path;
}

static void save(const struct portolan_cll_report *report, const char *name, bool overwrite,
                 const char *expected)
{
    char *path = path_of(name), *wanted = path_of(expected);

    assert_int_equal(access(wanted, F_OK) == 0, overwrite);
    assert_int_equal(portolan_cll_report_save(report, PORTOLAN_CLL_TEXT, path, overwrite, NULL),
                     PORTOLAN_OK);
    assert_int_equal(access(wanted, F_OK), 0);
    free(path);
    free(wanted);
}

static void remove_file(const char *name)
{
    char *path = path_of(name);

    assert_int_equal(unlink(path), 0);
    free(path);
}

static void what_is_there_is_not_overwritten_unless_asked(void **state)
{
    static const double rows[] = {0, 1, 8, 1, 0.25};
    struct portolan_cll_report *report = make_report(rows, 1);
    struct portolan_error err = {0};

    save(report, "fft.cll.dat", false, "fft.cll.dat");
    save(report, "fft.cll.dat", false, "fft.cll.1.dat");
    save(report, "fft.cll.dat", false, "fft.cll.2.dat");
    save(report, "fft.cll.dat", true, "fft.cll.dat");
    save(report, "plain", false, "plain");
    save(report, "plain", false, "plain.1");
    save(report, ".hidden", false, ".hidden");
    save(report, ".hidden", false, ".hidden.1");
    /* A folder has no number put into its name. */
    assert_int_equal(portolan_cll_report_save(report, PORTOLAN_CLL_TEXT, "./", false, &err),
                     PORTOLAN_EIO);
    assert_non_null(strstr(err.text, "directory"));
    remove_file("fft.cll.dat");
    remove_file("fft.cll.1.dat");
    remove_file("fft.cll.2.dat");
    remove_file("plain");
    remove_file("plain.1");
    remove_file(".hidden");
    remove_file(".hidden.1");
    portolan_cll_report_destroy(report); /* and the folder is empty, or its removal fails */
}

static void a_file_that_cannot_be_written_is_not_there(void **state)
{
    static const double rows[] = {0, 1, 8, 1, 0.25};
    struct portolan_cll_report *report = make_report(rows, 1);
    static const char *const paths[] = {"/dev/full", "/nowhere/fft.dat", "/proc/fft.dat"};

    for (size_t i = 0; i < 3; i++) {
        struct portolan_error err = {0};

        assert_int_equal(portolan_cll_report_save(report, PORTOLAN_CLL_JSON, paths[i], true, &err),
                         PORTOLAN_EIO);
        assert_non_null(strstr(err.text, paths[i]));
    }
    portolan_cll_report_destroy(report);
}

static void a_long_report_is_written_in_pieces(void **state)
{
    enum { N = 20000 };
    double *rows = portolan_calloc(N, 5 * sizeof *rows);
    struct portolan_cll_report *report, *again;
    char *path = path_of("long");

    for (size_t i = 0; i < N; i++)
        memcpy(rows + 5 * i, (double[]){0, 1, (double)i, 1, (double)i / 7}, 5 * sizeof *rows);
    report = make_report(rows, N);
    for (size_t f = 0; f < N_FORMS; f++) {
        assert_int_equal(portolan_cll_report_save(report, forms[f], path, true, NULL), PORTOLAN_OK);
        assert_int_equal(portolan_cll_report_read(path, NULL, &again, NULL), PORTOLAN_OK);
        assert_int_equal(again->experiments->n_rows, N);
        assert_memory_equal(again->experiments->rows, rows, N * 5 * sizeof *rows);
        portolan_cll_report_destroy(again);
    }
    remove_file("long");
    free(path);
    free(rows);
    portolan_cll_report_destroy(report);
}

/* ------------------------------------------------------------------ memory */

static void each_allocation_may_fail(void **state)
{
    static const double rows[] = {0, 1, 8, 1, 0.25};

    for (size_t f = 0; f < N_FORMS; f++) {
        struct portolan_cll_report *report = make_report(rows, 1), *again = NULL;
        char *text = NULL;
        enum portolan_status status;

        for (unsigned long n = 1;; n++) {
            portolan_alloc_fail_at(n);
            status = portolan_cll_report_write(report, forms[f], &text, NULL);
            portolan_alloc_fail_at(0);
            if (status == PORTOLAN_OK)
                break;
            assert_int_equal(status, PORTOLAN_ENOMEM);
            assert_null(text);
        }
        for (unsigned long n = 1;; n++) {
            portolan_alloc_fail_at(n);
            status = portolan_cll_report_parse(text, strlen(text), "it", NULL, &again, NULL);
            portolan_alloc_fail_at(0);
            if (status == PORTOLAN_OK)
                break;
            assert_int_equal(status, PORTOLAN_ENOMEM);
            assert_null(again);
        }
        free(text);
        portolan_cll_report_destroy(report);
        portolan_cll_report_destroy(again);
    }
    portolan_cll_report_destroy(NULL);
}

UNIT_TESTS_BETWEEN(make_folder, remove_folder,
                   cmocka_unit_test(the_text_form_is_as_it_is_documented),
                   cmocka_unit_test(numbers_read_back_as_they_were),
                   cmocka_unit_test(a_report_reads_back_from_each_form),
                   cmocka_unit_test(a_report_of_call_itself_is_read),
                   cmocka_unit_test(quotes_and_lines_of_other_systems_are_read),
                   cmocka_unit_test(experiments_that_are_alike_become_one),
                   cmocka_unit_test(what_is_wrong_is_told_with_its_line),
                   cmocka_unit_test(a_file_that_is_not_there_is_told),
                   cmocka_unit_test(what_is_there_is_not_overwritten_unless_asked),
                   cmocka_unit_test(a_file_that_cannot_be_written_is_not_there),
                   cmocka_unit_test(a_long_report_is_written_in_pieces),
                   cmocka_unit_test(each_allocation_may_fail))
