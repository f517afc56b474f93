/* SPDX-License-Identifier: BSD-3-Clause */
/* Several files, where required packages are found, and memory that runs out meanwhile. */
#include <portolan/sidl.h>
#include <unistd.h>
#include <unit_test.h>

static void fail_on_problem(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg;
    fail_msg("%s:%d:%d: %s", file, line, column, text);
}

/* portolan_sidl_find, of what must be there */
static const struct portolan_sidl_symbol *find(const struct portolan_sidl_model *model,
                                               const char *name)
{
    const struct portolan_sidl_symbol *symbol = portolan_sidl_find(model, name);

    assert_non_null(symbol);
    return symbol;
}

/* Files on disk. */
struct folder {
    char dir[40];
    char *paths[8];
    size_t n_paths;
};

static const char *add_file(struct folder *f, const char *name, const char *text)
{
    char *path;
    FILE *out;

    if (!*f->dir) {
        strcpy(f->dir, "/tmp/sidl_language_XXXXXX");
        assert_non_null(mkdtemp(f->dir));
    }
    path = f->paths[f->n_paths++] = portolan_asprintf("%s/%s", f->dir, name);
    assert_non_null(out = fopen(path, "w"));
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
    return path;
}

static void remove_folder(struct folder *f)
{
    while (f->n_paths) {
        unlink(f->paths[--f->n_paths]);
        free(f->paths[f->n_paths]);
    }
    assert_int_equal(rmdir(f->dir), 0);
}

static void several_files_are_one_model(void **state)
{
    struct folder f = {0};
    const char *const files[] = {
        add_file(&f, "a.sidl", "package p version 1.0 { interface A extends B {} }"),
        add_file(&f, "b.sidl", "package p version 1.0 { interface B { A twin(); } }")};
    struct portolan_sidl_options options = {.files = files, .n_files = 2};
    struct portolan_diagnostics d = {.report = fail_on_problem};
    struct portolan_sidl_model *model = NULL;

    assert_int_equal(portolan_sidl_read(&options, &d, &model, NULL), PORTOLAN_OK);
    assert_true(find(model, "p.A")->is_requested && find(model, "p.B")->is_requested);
    portolan_sidl_destroy(model);
    remove_folder(&f);
}

static void required_packages_are_found_beside_the_file_and_in_the_path(void **state)
{
    struct folder here = {0}, there = {0};
    const char *const files[] = {
        add_file(&here, "main.sidl",
                 "require beside version 1.0; require far.away version 2; import deep.down.under;\n"
                 "package p version 1.0 { interface I extends beside.B, far.away.F, D {} }")};
    const char *dirs[1];
    struct portolan_sidl_options options = {
        .files = files, .n_files = 1, .include_dirs = dirs, .n_include_dirs = 1};
    struct portolan_diagnostics d = {.report = fail_on_problem};
    struct portolan_sidl_model *model = NULL;

    add_file(&here, "beside.sidl", "package beside version 1.0 { interface B {} }");
    add_file(&there, "away.sidl", "package far { package away version 2 { interface F {} } }");
    add_file(&there, "deep.sidl",
             "package deep { package down { package under version 3 { interface D {} } } }");
    dirs[0] = there.dir;
    assert_int_equal(portolan_sidl_read(&options, &d, &model, NULL), PORTOLAN_OK);
    assert_false(find(model, "far.away.F")->is_requested);
    assert_true(find(model, "p.I")->is_requested);
    portolan_sidl_destroy(model);
    remove_folder(&here);
    remove_folder(&there);
}

static void count_problem(void *arg, const char *file, int line, int column, const char *text)
{
    char *all = arg;

    (void)column;
    sprintf(all + strlen(all), "%s:%d %s\n", strrchr(file, '/') + 1, line, text);
}

/* Problems come in the order of the files, then of the lines. */
static void problems_name_their_file(void **state)
{
    struct folder f = {0};
    const char *const files[] = {
        add_file(&f, "b.sidl", "package p version 1.0 { enum E { a } enum E { b } }"),
        add_file(&f, "a.sidl", "package p version 1.0 {\ninterface E { } }"), f.dir};
    struct portolan_sidl_options options = {.files = files, .n_files = 3};
    char all[500] = "";
    struct portolan_diagnostics d = {.report = count_problem, .arg = all};
    struct portolan_sidl_model *model = NULL;
    const char *second;

    assert_int_equal(portolan_sidl_read(&options, &d, &model, NULL), PORTOLAN_ESYNTAX);
    assert_int_equal(d.count, 3);
    assert_non_null(strstr(all, "b.sidl:1 p.E is already an enum"));
    assert_non_null(second = strstr(all, "a.sidl:2 p.E is already an enum"));
    assert_true(second > strstr(all, "b.sidl:1"));
    assert_non_null(strstr(all, "Is a directory"));
    remove_folder(&f);
}

static void files_may_require_each_other(void **state)
{
    struct folder f = {0};
    const char *const files[] = {
        add_file(&f, "one.sidl",
                 "require two version 1; package one version 1 { interface A extends two.B {} }")};
    struct portolan_sidl_options options = {.files = files, .n_files = 1};
    struct portolan_diagnostics d = {.report = fail_on_problem};
    struct portolan_sidl_model *model = NULL;

    add_file(&f, "two.sidl",
             "import one; package two version 1 { interface B { A twin(); void f(in C c); } }\n"
             "package one { interface C {} }");
    assert_int_equal(portolan_sidl_read(&options, &d, &model, NULL), PORTOLAN_OK);
    assert_ptr_equal(find(model, "two.B")->slots[0]->result->symbol, find(model, "one.A"));
    assert_false(find(model, "one.C")->is_requested);
    portolan_sidl_destroy(model);
    remove_folder(&f);
}

/* Every construct at least once; the specification of gov.cca is left out, it makes the loop long.
 */
static const char construct[] =
    "require sidl version 0.9.17; import sidl; import other;\n"
    "/** Doc. */ final package outer { package all version 2.0.1 {\n"
    "  enum Color { red = 0x10, green, /** x */ blue = -3, };\n"
    "  struct Inner { int a; array<double,2,row-major> b; };\n"
    "  struct Pair { Inner first; rarray<float> xs(n+1); int n; };\n"
    "  %attrib{serial, owner=\"me\"} interface Base extends Other {\n"
    "    invariant x: size() > 0;\n"
    "    nonblocking int size[X](in long t); int size(); ensure is pure;\n"
    "    oneway void ping(in int a); local void here() throws SIDLException;\n"
    "    void generic(in array<> any, inout array<Color> c, %attrib{context} in int n);\n"
    "  }\n"
    "  abstract class Abstract implements Base { static int count(); abstract void later(); }\n"
    "  class Whole extends Abstract implements-all Base {\n"
    "    final void later(); Inner pass(inout Pair p, in Inner i);\n"
    "    double norm(in rarray<double,2> m(r, 2*r - 1), in int r, in string s, in .outer.all.Base "
    "x)\n"
    "      throws PreViolation;\n"
    "    require positive: r > 0 or not (r == 5); s != \"a\\\"b\"; all(m > 0) xor x != null;\n"
    "    ensure result >= -1.5e-3 implies result != 2.0f or 'c' == 'd';\n"
    "    void renamed() from Other.other;\n"
    "  }\n"
    "} }\n";

/* Whatever allocation fails, the answer is ENOMEM, and nothing leaks (the sanitizers look). */
static void reading_survives_any_failing_allocation(void **state)
{
    struct folder f = {0};
    const char *const files[] = {add_file(&f, "construct.sidl", construct)};
    struct portolan_sidl_options options = {.files = files, .n_files = 1};
    enum portolan_status status;
    unsigned long n = 0;

    add_file(&f, "other.sidl", "package other version 1 { interface Other { void other(); } }");
    do {
        struct portolan_diagnostics d = {.report = fail_on_problem};
        struct portolan_sidl_model *model = NULL;

        portolan_alloc_fail_at(++n);
        status = portolan_sidl_read(&options, &d, &model, NULL);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || status == PORTOLAN_ENOMEM);
        assert_true((status == PORTOLAN_OK) == (model != NULL));
        portolan_sidl_destroy(model);
    } while (status);
    assert_true(n > 1000);
    remove_folder(&f);
}

/* The same while mistakes are told. */
static void telling_mistakes_survives_any_failing_allocation(void **state)
{
    static const char text[] =
        "package p version 1.0 { interface I extends J { void f(int a, in strng s) local; }\n"
        "interfce K {} enum E { a b, c = 1, c } struct S { S s; rarray<int> x(n); }\n"
        "class C { void g() from I.f; bool h(); require a = 1; unknown(); $ ";
    struct portolan_sidl_options options = {0};
    enum portolan_status status;
    unsigned long n = 0;

    do {
        struct portolan_diagnostics d = {0};
        struct portolan_sidl_model *model = NULL;

        portolan_alloc_fail_at(++n);
        status =
            portolan_sidl_read_text(&options, "bad.sidl", text, sizeof text - 1, &d, &model, NULL);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_ESYNTAX || status == PORTOLAN_ENOMEM);
        assert_null(model);
        assert_true((status == PORTOLAN_ENOMEM) == (d.count == 0));
    } while (status == PORTOLAN_ENOMEM);
    assert_true(n > 500);
}

UNIT_TESTS(cmocka_unit_test(several_files_are_one_model),
           cmocka_unit_test(required_packages_are_found_beside_the_file_and_in_the_path),
           cmocka_unit_test(problems_name_their_file),
           cmocka_unit_test(files_may_require_each_other),
           cmocka_unit_test(reading_survives_any_failing_allocation),
           cmocka_unit_test(telling_mistakes_survives_any_failing_allocation))
