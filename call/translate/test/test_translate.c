/* SPDX-License-Identifier: BSD-3-Clause */
/* The translator as a library: what it hands out, what it leaves behind when it fails. */
#include <portolan/translate.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unit_test.h>

static char folder[] = "/tmp/portolan-translate-XXXXXX", file[64];

static int setup(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/tried.c", folder);
    return 0;
}

static int teardown(void **state)
{
    unlink(file);
    return rmdir(folder);
}

static void write_source(const char *text)
{
    FILE *f = fopen(file, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void count_problem(void *arg, const char *name, int line, int column, const char *text)
{
    int *places = arg;

    assert_string_equal(name, file);
    assert_true(line > 0 && column > 0 && *text);
    for (; *places; places++)
        ;
    *places = line;
}

/* Translates TEXT; LINES are those of the problems, in the order in which they are told. */
static enum portolan_status translate(const char *text, struct portolan_translate_result *result,
                                      int *lines)
{
    const struct portolan_translate_options options = {.file = file};
    struct portolan_diagnostics d = {.report = count_problem, .arg = lines};

    write_source(text);
    return portolan_translate(&options, &d, result, NULL);
}

/* The translated text behind the "#line" that leads to the source. */
static const char *body(const struct portolan_translate_result *result)
{
    const char *line = strstr(result->outputs[0].text, "#line 1 ");

    assert_non_null(line);
    return strchr(line, '\n') + 1;
}

static void expect(const char *text, const char *expected)
{
    struct portolan_translate_result result = {0};
    int lines[32] = {0};

    assert_int_equal(translate(text, &result, lines), PORTOLAN_OK);
    assert_int_equal(result.n_outputs, 2);
    assert_string_equal(result.outputs[0].name, "tried.cll.c");
    assert_string_equal(result.outputs[1].name, "tried.cll.h");
    assert_string_equal(body(&result), expected);
    portolan_translate_clear(&result);
}

static void lines_keep_their_numbers(void **state)
{
    expect("void f(void)\n{\n#pragma cll a a[0]\n    f();\n#pragma cll end a\n}\n",
           "void f(void)\n{\n    portolan_cll_begin(&cll_a, NULL);\n    f();\n"
           "    portolan_cll_end(&cll_a);\n}\n");
}

/* Figure 4, lines 47 to 50. */
static void a_statement_without_braces_gets_them(void **state)
{
    expect("void f(int N)\n{\n    if (N)\n        N--;\n    else\n"
           "        #pragma cll G G[0]+G[1]*N*log(N)\n        f(N);\n    #pragma cll end G\n}\n",
           "void f(int N)\n{\n    if (N)\n        N--;\n    else\n"
           "        { portolan_cll_begin(&cll_G, (const double[]){N});\n        f(N);\n"
           "    portolan_cll_end(&cll_G); }\n}\n");
}

static void a_returned_value_is_computed_inside(void **state)
{
    expect("int f(int n)\n{\n#pragma cll a\n#pragma cll b\n    return f(n) + 1;\n"
           "#pragma cll end b\n#pragma cll end a\n}\n",
           "int f(int n)\n{\n    portolan_cll_begin(&cll_a, NULL);\n"
           "    portolan_cll_begin(&cll_b, NULL);\n"
           "    { int cll_result = f(n) + 1; portolan_cll_end(&cll_b); portolan_cll_end(&cll_a); "
           "return cll_result; }\n"
           "    portolan_cll_end(&cll_b);\n    portolan_cll_end(&cll_a);\n}\n");
}

static void names_of_the_source_are_left_alone(void **state)
{
    expect("int cll_a;\nvoid f(void)\n{\n#pragma cll a\n    cll_a++;\n#pragma cll end a\n}\n",
           "int cll_a;\nvoid f(void)\n{\n    portolan_cll_begin(&cll_a_, NULL);\n    cll_a++;\n"
           "    portolan_cll_end(&cll_a_);\n}\n");
}

/* "a" has lists called cll_a_begins and cll_a_ends. */
static void names_of_experiments_do_not_clash(void **state)
{
    expect("void f(void)\n{\n#pragma cll a\n    f();\n#pragma cll end a\n"
           "#pragma cll a_ends\n#pragma cll end a_ends\n"
           "#pragma cll register\n#pragma cll end register\n}\n",
           "void f(void)\n{\n    portolan_cll_begin(&cll_a, NULL);\n    f();\n"
           "    portolan_cll_end(&cll_a);\n    portolan_cll_begin(&cll_a_ends_, NULL);\n"
           "    portolan_cll_end(&cll_a_ends_);\n    portolan_cll_begin(&cll_register, NULL);\n"
           "    portolan_cll_end(&cll_register);\n}\n");
}

static void code_without_pragmas_stays_as_it_is(void **state)
{
    static const char text[] = "int main(void)\n{\n#pragma omp parallel\n    return 0;\n}\n";

    expect(text, text);
    expect("#pragma parallel for\nint x;\n", "#pragma parallel for\nint x;\n");
}

static void several_mistakes_are_told_at_once_in_order(void **state)
{
    struct portolan_translate_result result = {0};
    int lines[32] = {0};

    assert_int_equal(translate("int f(int n)\n{\n#pragma cll a a[0] + a[1]*m\n    n++;\n"
                               "#pragma cll end a\n#pragma cll b b[0] + b[2]\n    n++;\n"
                               "#pragma cll end b\n#pragma cll c c[0]*k\n    return n;\n"
                               "#pragma cll end c\n}\n",
                               &result, lines),
                     PORTOLAN_ESYNTAX);
    assert_int_equal(lines[0], 3);
    assert_int_equal(lines[1], 6);
    assert_int_equal(lines[2], 9);
    assert_int_equal(lines[3], 0);
    assert_null(result.outputs);
    assert_null(result.packages);
}

static void the_driver_says_what_to_link(void **state)
{
    static const char *const cases[][2] = {
        {"int x;\n", "portolan-call"},
        {"#pragma cll parallel SEQ\n", "portolan-call"},
        {"#pragma cll parallel OMP\n", "portolan-call"},
        {"#pragma cll parallel MPI\n", "portolan-call-mpi portolan-call"},
        {"#pragma parallel PUB gbsp\n", "portolan-bsp portolan-call"},
        {"#pragma cll parallel PUB_BSP BSP_MACHINE = \"&bsp\"\n", "portolan-bsp portolan-call"}};
    static const char several[] = "#ifdef OVER_MPI\n#pragma cll parallel MPI\n#else\n"
                                  "#pragma cll parallel PUB gbsp\n#endif\n";
    static const char *const flag = "-DOVER_MPI";
    struct portolan_translate_options options = {.file = file, .flags = &flag};
    char *packages;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_source(cases[i][0]);
        assert_int_equal(portolan_translate_packages(&options, NULL, &packages, NULL), PORTOLAN_OK);
        assert_string_equal(packages, cases[i][1]);
        free(packages);
    }
    write_source(several);
    for (options.n_flags = 0; options.n_flags < 2; options.n_flags++) {
        assert_int_equal(portolan_translate_packages(&options, NULL, &packages, NULL), PORTOLAN_OK);
        assert_string_equal(packages, options.n_flags ? "portolan-call-mpi portolan-call"
                                                      : "portolan-bsp portolan-call");
        free(packages);
    }
    write_source("#pragma cll parallel PVM\n");
    assert_int_equal(portolan_translate_packages(&options, NULL, &packages, NULL),
                     PORTOLAN_ESYNTAX);
    assert_null(packages);
}

static void the_machine_goes_to_reports_and_bare_syncs(void **state)
{
    expect("#pragma parallel PUB gbsp\nvoid f(void *gbsp, void *other)\n{\n"
           "#pragma cll sync a\n#pragma cll end a\n#pragma cll sync(other) b\n#pragma cll end b\n"
           "#pragma cll report all\n}\n",
           "/* parallel PUB gbsp */\nvoid f(void *gbsp, void *other)\n{\n"
           "portolan_cll_sync(&portolan_cll_pub, gbsp, NULL); portolan_cll_begin(&cll_a, NULL);\n"
           "portolan_cll_end(&cll_a);\n"
           "portolan_cll_sync(&portolan_cll_pub, NULL, other); portolan_cll_begin(&cll_b, NULL);\n"
           "portolan_cll_end(&cll_b);\n"
           "portolan_cll_report(&portolan_cll_pub, gbsp, \"tried\", NULL);\n}\n");
}

static void all_files_are_written_or_none(void **state)
{
    struct portolan_translate_result results[2] = {0};
    int lines[32] = {0};
    char path[100];
    struct stat info;

    assert_int_equal(translate("int x;\n", &results[0], lines), PORTOLAN_OK);
    assert_int_equal(translate("int y;\n", &results[1], lines), PORTOLAN_OK);
    assert_int_equal(portolan_translate_write(results, 2, folder, NULL), PORTOLAN_EEXISTS);
    assert_int_equal(portolan_translate_write(results, 1, file, NULL), PORTOLAN_EIO);
    snprintf(path, sizeof path, "%s/tried.cll.c", folder);
    assert_int_not_equal(stat(path, &info), 0);
    assert_int_equal(portolan_translate_write(results, 1, folder, NULL), PORTOLAN_OK);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/tried.cll.h", folder);
    assert_int_equal(unlink(path), 0);
    for (size_t i = 0; i < 2; i++) {
        portolan_translate_clear(&results[i]);
        portolan_translate_clear(&results[i]); /* again is legal */
    }
}

static void no_source_and_no_c_are_said_so(void **state)
{
    struct portolan_translate_options options = {.file = "/nowhere/there.c"};
    struct portolan_translate_result result;

    assert_int_equal(portolan_translate(&options, NULL, &result, NULL), PORTOLAN_EIO);
    options.file = "/nowhere/there.f90";
    assert_int_equal(portolan_translate(&options, NULL, &result, NULL), PORTOLAN_EINVAL);
    assert_null(result.outputs);
}

/* Each N-th allocation fails; the same text at the end, no leak on the way. */
static void without_memory_it_fails_cleanly(void **state)
{
    const struct portolan_translate_options options = {.file = LANGUAGE};
    struct portolan_translate_result result, again;
    enum portolan_status status;
    unsigned long n = 1;

    assert_int_equal(portolan_translate(&options, NULL, &result, NULL), PORTOLAN_OK);
    for (;; n += 7) {
        portolan_alloc_fail_at(n);
        status = portolan_translate(&options, NULL, &again, NULL);
        portolan_alloc_fail_at(0);
        if (status == PORTOLAN_OK)
            break;
        assert_int_equal(status, PORTOLAN_ENOMEM);
        assert_null(again.outputs);
    }
    assert_true(n > 100);
    assert_int_equal(again.n_outputs, result.n_outputs);
    for (size_t i = 0; i < result.n_outputs; i++)
        assert_string_equal(again.outputs[i].text, result.outputs[i].text);
    portolan_translate_clear(&result);
    portolan_translate_clear(&again);
}

UNIT_TESTS_BETWEEN(setup, teardown, cmocka_unit_test(lines_keep_their_numbers),
                   cmocka_unit_test(a_statement_without_braces_gets_them),
                   cmocka_unit_test(a_returned_value_is_computed_inside),
                   cmocka_unit_test(names_of_the_source_are_left_alone),
                   cmocka_unit_test(names_of_experiments_do_not_clash),
                   cmocka_unit_test(code_without_pragmas_stays_as_it_is),
                   cmocka_unit_test(several_mistakes_are_told_at_once_in_order),
                   cmocka_unit_test(the_driver_says_what_to_link),
                   cmocka_unit_test(the_machine_goes_to_reports_and_bare_syncs),
                   cmocka_unit_test(all_files_are_written_or_none),
                   cmocka_unit_test(no_source_and_no_c_are_said_so),
                   cmocka_unit_test(without_memory_it_fails_cleanly))
