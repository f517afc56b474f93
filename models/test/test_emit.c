/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas and models in other languages: other tools must find in them what we do. */
#include "check.h"
#include "formula_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/portolan-emit-XXXXXX";

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const files[] = {"f.c", "f.cc", "f", "f.py", "f.gp"};
    char path[100];

    for (size_t i = 0; i < COUNT(files); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    return rmdir(folder);
}

static bool has(const char *command)
{
    char line[100];

    snprintf(line, sizeof line, "command -v %s >/dev/null 2>&1", command);
    return system(line) == 0; /* NOLINT(cert-env33-c): other tools judge here */
}

static void save(const char *name, const char *text)
{
    char path[100];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "we");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* What COMMAND prints, run in the folder: COUNT numbers. */
static void run(const char *command, double *numbers, size_t count)
{
    char line[300];
    FILE *f;

    snprintf(line, sizeof line, "cd %s && %s", folder, command);
    f = popen(line, "re"); /* NOLINT(cert-env33-c) */
    assert_non_null(f);
    for (size_t i = 0; i < count; i++)
        if (fscanf(f, "%lf", &numbers[i]) != 1)
            fail_msg("%s printed %zu numbers of %zu", command, i, count);
    if (pclose(f))
        fail_msg("%s failed", command);
}

/* ---- random formulas, of three names that are 1.5, 2.25 and 7 ---- */

enum { FORMULAS = 120 };
static const double at[] = {1.5, 2.25, 7};
static const char *const names[] = {"n", "m", "k"};

static size_t below(uint64_t *seed, size_t n)
{
    return (size_t)(uniform(seed) * (double)n);
}

/* Arguments stay where logarithms and powers have values. */
static void grow(struct portolan_text *out, uint64_t *seed, int depth, bool logic)
{
    static const char *const compare[] = {"<", "<=", ">", ">=", "==", "!="};
    static const char *const functions[] = {"log(1 + abs(", "log2(1 + abs(", "log10(2 + abs(",
                                            "sqrt(abs(",    "cbrt((",        "floor(3 * (",
                                            "ceil(5 * (",   "fabs((",        "exp(-abs("};
    size_t what = depth ? below(seed, logic ? 12 : 8) : 100;

    if (what < 3) {
        portolan_text_add(out, "(");
        grow(out, seed, depth - 1, logic);
        portolan_text_add(out, what ? " %s " : ") %s (",
                          (const char *[]){"+", "-", "*"}[below(seed, 3)]);
        grow(out, seed, depth - 1, logic);
        portolan_text_add(out, ")");
    } else if (what == 3) {
        grow(out, seed, depth - 1, logic);
        portolan_text_add(out, " / (2 + abs(");
        grow(out, seed, depth - 1, logic);
        portolan_text_add(out, "))");
    } else if (what == 4) {
        portolan_text_add(out, "%s", functions[below(seed, COUNT(functions))]);
        grow(out, seed, depth - 1, logic);
        portolan_text_add(out, "))");
    } else if (what == 5) {
        portolan_text_add(out, "(abs(");
        grow(out, seed, depth - 1, logic);
        portolan_text_add(out, ") + 1)^%s",
                          (const char *[]){"2", "-1", "0.5", "3", "-m"}[below(seed, 5)]);
    } else if (what == 6) {
        portolan_text_add(out, uniform(seed) < 0.5 ? "min(" : "max(");
        grow(out, seed, depth - 1, logic);
        portolan_text_add(out, ", n, ");
        grow(out, seed, depth - 1, logic);
        portolan_text_add(out, ")");
    } else if (what == 7) {
        portolan_text_add(out, "-(");
        grow(out, seed, depth - 1, logic);
        portolan_text_add(out, ")");
    } else if (what < 10) {
        portolan_text_add(out, "(");
        grow(out, seed, depth - 1, logic);
        portolan_text_add(out, " %s ", compare[below(seed, 6)]);
        grow(out, seed, depth - 1, logic);
        portolan_text_add(out, ")");
    } else if (what < 12) {
        portolan_text_add(out, what == 10 ? "(" : "(!(");
        grow(out, seed, depth - 1, logic);
        portolan_text_add(out, what == 10 ? " %s " : ") %s ", uniform(seed) < 0.5 ? "&&" : "||");
        grow(out, seed, depth - 1, logic);
        portolan_text_add(out, " ? ");
        grow(out, seed, depth - 1, logic);
        portolan_text_add(out, " : 3)");
    } else if (uniform(seed) < 0.6) {
        portolan_text_add(out, "%s", names[below(seed, 3)]);
    } else {
        portolan_text_add(out, "%g", floor(uniform(seed) * 40) / 8);
    }
}

/* The next one that has a value. */
static struct portolan_formula *grown(uint64_t *seed, bool logic)
{
    for (;;) {
        struct portolan_text text = {0};
        struct portolan_formula *f = NULL, *bound = NULL;
        struct portolan_error err = {0};

        grow(&text, seed, 4, logic);
        if (portolan_formula_parse(text.bytes, text.length, "it", 1, 1, NULL, &f, &err))
            fail_msg("%s: %s", text.bytes, err.text);
        assert_int_equal(portolan_formula_bind(f, 3, names, &bound, NULL), PORTOLAN_OK);
        portolan_formula_destroy(f);
        portolan_text_clear(&text);
        if (isfinite(portolan_formula_value(bound, at)) &&
            fabs(portolan_formula_value(bound, at)) < 1e12)
            return bound;
        portolan_formula_destroy(bound);
    }
}

/* TOLERANCE in units of the last place; 0: the very same. */
static void compare(struct portolan_formula *const *f, const double *numbers, double tolerance)
{
    for (size_t i = 0; i < FORMULAS; i++) {
        double value = portolan_formula_value(f[i], at);
        char *text = NULL;

        if (fabs(value - numbers[i]) <= tolerance * 0x1p-52 * fmax(fabs(value), 1))
            continue;
        assert_int_equal(portolan_formula_write(f[i], PORTOLAN_NOTATION_INFIX, &text, NULL),
                         PORTOLAN_OK);
        fail_msg("%s is %.17g, not %.17g", text, value, numbers[i]);
    }
}

/* Writes all in NOTATION, between what LANGUAGE needs; %s is the formula. */
static void write_all(struct portolan_formula *const *f, enum portolan_notation notation,
                      const char *before, const char *line, const char *after, const char *file)
{
    struct portolan_text out = {0};

    portolan_text_add(&out, "%s", before);
    for (size_t i = 0; i < FORMULAS; i++) {
        const char *gap = strstr(line, "%s"); /* the last word of LINE that is none of printf's */
        char *text = NULL;

        assert_int_equal(portolan_formula_write(f[i], notation, &text, NULL), PORTOLAN_OK);
        portolan_text_add_bytes(&out, line, (size_t)(gap - line));
        for (const char *s = text; *s; s++)
            /* Python knows no ^. */
            portolan_text_add(&out, notation == PORTOLAN_NOTATION_INFIX && *s == '^' ? "**" : "%c",
                              *s);
        portolan_text_add(&out, "%s", gap + 2);
        free(text);
    }
    portolan_text_add(&out, "%s", after);
    assert_false(out.failed);
    save(file, out.bytes);
    portolan_text_clear(&out);
}

static void grow_all(struct portolan_formula **f, uint64_t seed, bool logic)
{
    for (size_t i = 0; i < FORMULAS; i++)
        f[i] = grown(&seed, logic);
}

static void free_all(struct portolan_formula **f)
{
    for (size_t i = 0; i < FORMULAS; i++)
        portolan_formula_destroy(f[i]);
}

static void infix_is_read_back_as_the_same_tree(void **state)
{
    struct portolan_formula *f[FORMULAS];

    grow_all(f, 7, true);
    for (size_t i = 0; i < FORMULAS; i++) {
        struct portolan_formula *back = NULL;
        char *text = NULL;

        assert_int_equal(portolan_formula_write(f[i], PORTOLAN_NOTATION_INFIX, &text, NULL),
                         PORTOLAN_OK);
        assert_int_equal(portolan_formula_parse(text, strlen(text), "it", 1, 1, NULL, &back, NULL),
                         PORTOLAN_OK);
        if (!formula_equal(f[i], back))
            fail_msg("%s is not what it was", text);
        free(text);
        portolan_formula_destroy(back);
    }
    free_all(f);
}

static const char main_begins[] =
    "#include <math.h>\n#include <stdio.h>\n\nint main(void)\n{\n"
    "    volatile double vn = 1.5, vm = 2.25, vk = 7;\n"
    "    const double n = vn, m = vm, k = vk;\n\n    (void)n, (void)m, (void)k;\n";

static const struct {
    const char *compiler, *command;
} compilers[] = {
    {"gcc", "gcc -x c -std=c11 -Wall -Wextra -Wpedantic -Werror -O0 -o f f.c -lm && ./f"},
    {"gcc", "gcc -x c -std=c11 -Wall -Wextra -Wpedantic -Werror -O2 -o f f.c -lm && ./f"},
    {"clang-14", "clang-14 -x c -std=c11 -Wall -Wextra -Wpedantic -Werror -O1 -o f f.c -lm && ./f"},
    {"g++", "g++ -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -o f f.c -lm && ./f"},
    {"clang++-14",
     "clang++-14 -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -o f f.c -lm && ./f"},
};

/* Two units of the last place of the largest number on the way are for pow(), folded or not. */
static void compilers_find_the_same_values(void **state)
{
    struct portolan_formula *f[FORMULAS];
    double numbers[FORMULAS];

    grow_all(f, 77, true);
    write_all(f, PORTOLAN_NOTATION_C, main_begins, "    printf(\"%.17g\\n\", %s);\n",
              "    return 0;\n}\n", "f.c");
    for (size_t i = 0; i < COUNT(compilers); i++)
        if (has(compilers[i].compiler)) {
            run(compilers[i].command, numbers, FORMULAS);
            compare(f, numbers, 8);
        }
    free_all(f);
}

static void python_finds_the_same_values(void **state)
{
    struct portolan_formula *f[FORMULAS];
    double numbers[FORMULAS];

    if (!has("python3") || system("python3 -c 'import math; math.cbrt' 2>/dev/null") != 0)
        skip();
    grow_all(f, 777, false);
    write_all(f, PORTOLAN_NOTATION_INFIX, "from math import *\nn, m, k = 1.5, 2.25, 7.0\n",
              "print(repr(float(%s)))\n", "", "f.py");
    run("python3 f.py", numbers, FORMULAS);
    compare(f, numbers, 64);
    free_all(f);
}

/* A stack machine, and a reader of content MathML as its specification has it, in Python. */
static const char postfix_machine[] =
    "import sys\nfrom math import *\nvalues = {'n': 1.5, 'm': 2.25, 'k': 7.0}\n"
    "two = {'+': lambda a, b: a + b, '-': lambda a, b: a - b, '*': lambda a, b: a * b,\n"
    "       '/': lambda a, b: a / b, '^': pow, 'logbase': log, 'min': min, 'max': max,\n"
    "       '<': lambda a, b: a < b, '<=': lambda a, b: a <= b, '>': lambda a, b: a > b,\n"
    "       '>=': lambda a, b: a >= b, '==': lambda a, b: a == b, '!=': lambda a, b: a != b,\n"
    "       '&&': lambda a, b: bool(a) and bool(b), '||': lambda a, b: bool(a) or bool(b)}\n"
    "one = {'neg': lambda a: -a, '!': lambda a: not a, 'log': log, 'log2': log2, 'fabs': fabs,\n"
    "       'log10': log10, 'exp': exp, 'sqrt': sqrt, 'cbrt': cbrt, 'floor': floor, 'ceil': ceil}\n"
    "def value(text):\n"
    "    stack = []\n"
    "    for word in text.split():\n"
    "        if word == '?:':\n"
    "            c, a, b = stack[-3:]; stack[-3:] = [a if c else b]\n"
    "        elif '/' in word and word != '/':\n"
    "            name, n = word.split('/'); stack[-int(n):] = [two[name](*stack[-int(n):])]\n"
    "        elif word in two: stack[-2:] = [two[word](*stack[-2:])]\n"
    "        elif word in one: stack[-1:] = [one[word](stack[-1])]\n"
    "        else: stack.append(values[word] if word in values else float(word))\n"
    "    assert len(stack) == 1\n"
    "    return float(stack[0])\n";

static const char mathml_machine[] =
    "import sys\nfrom math import *\nfrom functools import reduce\n"
    "import xml.etree.ElementTree as ET\nvalues = {'n': 1.5, 'm': 2.25, 'k': 7.0}\n"
    "many = {'plus': lambda a, b: a + b, 'times': lambda a, b: a * b, 'divide': lambda a, b: a / "
    "b,\n"
    "        'power': pow, 'min': min, 'max': max, 'lt': lambda a, b: a < b,\n"
    "        'leq': lambda a, b: a <= b, 'gt': lambda a, b: a > b, 'geq': lambda a, b: a >= b,\n"
    "        'eq': lambda a, b: a == b, 'neq': lambda a, b: a != b,\n"
    "        'and': lambda a, b: bool(a) and bool(b), 'or': lambda a, b: bool(a) or bool(b)}\n"
    "one = {'not': lambda a: not a, 'ln': log, 'exp': exp, 'abs': fabs, 'floor': floor,\n"
    "       'ceiling': ceil}\n"
    "def of(e):\n"
    "    if e.tag == 'cn':\n"
    "        if e.get('type') == 'e-notation': return float(e.text + 'e' + e[0].tail)\n"
    "        return float(e.text)\n"
    "    if e.tag == 'ci': return values[e.text]\n"
    "    if e.tag == 'piecewise':\n"
    "        for p in e:\n"
    "            if p.tag == 'otherwise': return of(p[0])\n"
    "            if of(p[1]): return of(p[0])\n"
    "    op, args = e[0].tag, list(e)[1:]\n"
    "    if op == 'root':\n"
    "        if args[0].tag == 'degree':\n"
    "            assert of(args[0][0]) == 3; return cbrt(of(args[1]))\n"
    "        return sqrt(of(args[0]))\n"
    "    if op == 'log':\n"
    "        return log10(of(args[0])) if args[0].tag != 'logbase' else \\\n"
    "               log2(of(args[1])) if of(args[0][0]) == 2 else log(of(args[1]), "
    "of(args[0][0]))\n"
    "    args = [of(a) for a in args]\n"
    "    if op == 'minus': return -args[0] if len(args) == 1 else args[0] - args[1]\n"
    "    return one[op](args[0]) if op in one else reduce(many[op], args)\n"
    "def value(text): return float(of(ET.fromstring(text)))\n";

static void machines_find_the_same_values(void **state)
{
    struct portolan_formula *f[FORMULAS];
    double numbers[FORMULAS];

    if (!has("python3") || system("python3 -c 'import math; math.cbrt' 2>/dev/null") != 0)
        skip();
    grow_all(f, 4711, true);
    write_all(f, PORTOLAN_NOTATION_POSTFIX, postfix_machine, "print(repr(value('%s')))\n", "",
              "f.py");
    run("python3 f.py", numbers, FORMULAS);
    compare(f, numbers, 64);
    write_all(f, PORTOLAN_NOTATION_MATHML, mathml_machine, "print(repr(value('%s')))\n", "",
              "f.py");
    run("python3 f.py", numbers, FORMULAS);
    compare(f, numbers, 64);
    free_all(f);
}

/* ---- models ---- */

static struct portolan_model *hard_model(void)
{
    static const char *const params[] = {"N/P", "double", "n*/", "idle"};
    struct portolan_formula *f = NULL, *bound = NULL;
    struct portolan_model_term terms[] = {
        {.constant = -0.25},
        {.constant = 3e-7, .shape = {.exponents = {1.5, 7}, .logs = {2, 0, 1}}},
        {.constant = -2, .shape = {.exponents = {0, -1, 1.0 / 3}}},
        {.constant = 0.1},
    };
    struct portolan_model_envelope about = {.name = "for */ /* \?\?/ the \xe2\x80\xae test",
                                            .unit = "s",
                                            .machine = "a\nb",
                                            .param_units = {"cells"}};
    struct portolan_model *model = NULL;

    assert_int_equal(portolan_formula_parse("min(`N/P`, double) < 3 ? exp(-`n*/`) : `n*/`^2", 46,
                                            "it", 1, 1, NULL, &f, NULL),
                     PORTOLAN_ESYNTAX);
    assert_int_equal(portolan_formula_parse("min(`N/P`, `double`) < 3 ? exp(-`n*/`) : `n*/`^2", 48,
                                            "it", 1, 1, NULL, &f, NULL),
                     PORTOLAN_OK);
    assert_int_equal(portolan_formula_bind(f, 4, params, &bound, NULL), PORTOLAN_OK);
    terms[3].shape.expression = bound;
    assert_int_equal(portolan_model_create(4, params, terms, 4, &model, NULL), PORTOLAN_OK);
    portolan_formula_destroy(f);
    portolan_formula_destroy(bound);
    assert_int_equal(portolan_model_describe(model, &about, NULL), PORTOLAN_OK);
    return model;
}

static struct portolan_model *half(double constant, double min, double max)
{
    static const char *const params[] = {"N", "P"};
    struct portolan_model_term term = {.constant = constant, .shape = {.exponents = {1}}};
    struct portolan_model *model = NULL;

    assert_int_equal(portolan_model_create(2, params, &term, 1, &model, NULL), PORTOLAN_OK);
    model->range[0] = (struct portolan_model_range){.min = min, .max = max};
    return model;
}

/* 2 N below N/P = 10, 3 N from there on. */
static struct portolan_model *pieces_model(void)
{
    static const char *const params[] = {"N", "P"};
    struct portolan_model *m = NULL;

    assert_int_equal(model_create(2, params, &m, NULL), PORTOLAN_OK);
    assert_int_equal(model_make_pieces(m, NULL), PORTOLAN_OK);
    m->n_pieces = 2;
    m->pieces[0].model = half(2, 1, 9);
    m->pieces[1].model = half(3, 11, 20);
    for (size_t i = 0; i < 2; i++) {
        m->pieces[i].n_conditions = 1;
        m->pieces[i].conditions[0] = (struct portolan_model_condition){
            .param = 0, .divisor = 1, .low = i ? 10 : -INFINITY, .high = i ? INFINITY : 10};
    }
    m->summary.family = PORTOLAN_MODEL_PIECEWISE;
    assert_int_equal(model_finish(m, NULL), PORTOLAN_OK);
    return m;
}

static const double points[][4] = {
    {2, 3, 5, 0}, {100, 7, 2.5, 1}, {3, 3, 3, 3}, {1024, 32, 1.7, 0}, {50, 5, 1, 9}};

/* 1 + 0.1 x + 0.01 x^2 log2(x) + … */
static struct portolan_model *powers_model(void)
{
    static const char *const params[] = {"x"};
    struct portolan_model_term terms[9] = {{.constant = 1}};
    struct portolan_model *model = NULL;

    for (int e = 1; e <= 8; e++)
        terms[e] = (struct portolan_model_term){
            .constant = pow(0.1, e), .shape = {.exponents = {e}, .logs = {(unsigned char)(e % 5)}}};
    assert_int_equal(portolan_model_create(1, params, terms, 9, &model, NULL), PORTOLAN_OK);
    return model;
}

static struct portolan_model *fitted_model(void)
{
    static const double x[] = {16, 1, 24, 1, 32, 1, 48, 1, 16, 2, 24, 2, 32, 2, 48, 2};
    double y[8];

    for (size_t i = 0; i < 8; i++)
        y[i] = 0.1 + 3e-7 * pow(x[2 * i], 2.3) * x[2 * i + 1];
    return fit_rows(2, 8, x, y, NULL);
}

/* The functions of all models, with a main() that calls each at all points. */
static void write_functions(struct portolan_model *const *models, size_t n)
{
    struct portolan_text out = {0};
    char name[20], *text = NULL;

    for (size_t k = 0; k < n; k++) {
        snprintf(name, sizeof name, "predict_%zu", k);
        assert_int_equal(portolan_model_write_c(models[k], name, &text, NULL), PORTOLAN_OK);
        portolan_text_add(&out, "%s\n", text);
        free(text);
    }
    /* What is known to compilers, they compute themselves. */
    portolan_text_add(&out, "#include <stdio.h>\n\nint main(void)\n{\n    volatile double x[] = {");
    for (size_t i = 0; i < COUNT(points) * 4; i++)
        portolan_text_add(&out, "%s%.17g", i ? ", " : "", points[i / 4][i % 4]);
    portolan_text_add(&out, "};\n\n");
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < COUNT(points); i++) {
            portolan_text_add(&out, "    printf(\"%%.17g\\n\", predict_%zu(", k);
            for (size_t p = 0; p < models[k]->n_params; p++)
                portolan_text_add(&out, "%sx[%zu]", p ? ", " : "", i * 4 + p);
            portolan_text_add(&out, "));\n");
        }
    portolan_text_add(&out, "    return 0;\n}\n");
    save("f.c", out.bytes);
    portolan_text_clear(&out);
}

static void models_in_c_predict_the_same(void **state)
{
    enum { N = 4 };
    struct portolan_model *models[N] = {pieces_model(), fitted_model(), powers_model(),
                                        hard_model()};
    double numbers[N * COUNT(points)];

    write_functions(models, N);
    for (size_t c = 0; c < COUNT(compilers); c++) {
        if (!has(compilers[c].compiler))
            continue;
        run(compilers[c].command, numbers, COUNT(numbers));
        for (size_t i = 0; i < COUNT(numbers); i++) {
            const struct portolan_model *m = models[i / COUNT(points)];
            double value = portolan_model_value(m, points[i % COUNT(points)]);
            /* The last one has pow(x, -1), which compilers fold. */
            double tolerance = m == models[N - 1] ? 0x1p-51 * fabs(value) : 0;

            if (!(fabs(numbers[i] - value) <= tolerance))
                fail_msg("%s: %.17g is not %.17g", compilers[c].command, numbers[i], value);
        }
    }
    for (size_t k = 0; k < N; k++)
        portolan_model_destroy(models[k]);
}

static void the_comment_says_unit_ranges_and_validity(void **state)
{
    struct portolan_model *model = hard_model();
    char *text = NULL;

    model->range[0] = (struct portolan_model_range){.min = 4, .max = 64};
    assert_int_equal(portolan_model_write_c(model, NULL, &text, NULL), PORTOLAN_OK);
    assert_non_null(strstr(text, "Unit of the value: s\n"));
    assert_non_null(
        strstr(text, "N/P [cells]: valid from 4 to 64; predictions outside are extrapolated\n"));
    assert_non_null(strstr(text, " * for * / / * ? ?/ the ? test\n"));
    assert_non_null(strstr(text, "(void)idle;"));
    assert_non_null(strstr(text, "double N_P, double double_2, double n__, double idle)"));
    free(text);
    portolan_model_destroy(model);
}

/* C, its headers and compilers have all names that begin like these: a number does not help. */
static void parameters_named_like_reserved_words_get_a_letter(void **state)
{
    static const char *const params[] = {"isize", "\xc3\xa9", "M_N", "x_isize"};
    static const double x[] = {1, 1, 1, 1, 2, 2, 2, 2}, y[] = {1, 2};
    const struct portolan_model_data data = {
        .n_params = COUNT(params), .params = params, .n_rows = 2, .x = x, .y = y};
    struct portolan_model *model = NULL;
    char *text = NULL;

    assert_int_equal(portolan_model_fit(&data, NULL, &model, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_model_write_c(model, "cost", &text, NULL), PORTOLAN_OK);
    assert_non_null(strstr(text, "(double x_isize, double x___, double x_M_N, double x_isize_2)"));
    free(text);
    portolan_model_destroy(model);
}

static void names_that_are_no_functions_are_refused(void **state)
{
    static const char *const bad[] = {"", "2n", "a-b", "log", "double", "class", "isnan", "time"};
    struct portolan_model *model = half(2, 1, 2);

    for (size_t i = 0; i < COUNT(bad); i++) {
        char *text = NULL;

        assert_int_equal(portolan_model_write_c(model, bad[i], &text, NULL), PORTOLAN_EINVAL);
        assert_null(text);
    }
    portolan_model_destroy(model);
}

static void any_text_becomes_a_name_that_is_free(void **state)
{
    static const char *const cases[][2] = {{"heat.Cholmod->solve", "heat_Cholmod__solve"},
                                           {"time", "time_model"},
                                           {"double", "double_model"},
                                           {"2n", "_2n"},
                                           {"isolate", "model_isolate"},
                                           {"__init", "model___init"},
                                           {"", "model"},
                                           {"fft", "fft"}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        char *name = NULL;

        assert_int_equal(portolan_model_name_c(cases[i][0], &name, NULL), PORTOLAN_OK);
        assert_string_equal(name, cases[i][1]);
        free(name);
    }
}

static void memory_may_run_out_anywhere(void **state)
{
    struct portolan_model *models[] = {hard_model(), pieces_model()};

    for (size_t i = 0; i < 2; i++) {
        enum portolan_status status = PORTOLAN_ENOMEM;

        for (unsigned long n = 1; status && n < 500; n++) {
            char *c = NULL;

            portolan_alloc_fail_at(n);
            status = portolan_model_write_c(models[i], NULL, &c, NULL);
            portolan_alloc_fail_at(0);
            assert_true(status == PORTOLAN_OK || status == PORTOLAN_ENOMEM);
            free(c);
        }
        assert_int_equal(status, PORTOLAN_OK);
        portolan_model_destroy(models[i]);
    }
}

UNIT_TESTS_BETWEEN(make_folder, remove_folder,
                   cmocka_unit_test(infix_is_read_back_as_the_same_tree),
                   cmocka_unit_test(compilers_find_the_same_values),
                   cmocka_unit_test(python_finds_the_same_values),
                   cmocka_unit_test(machines_find_the_same_values),
                   cmocka_unit_test(models_in_c_predict_the_same),
                   cmocka_unit_test(the_comment_says_unit_ranges_and_validity),
                   cmocka_unit_test(parameters_named_like_reserved_words_get_a_letter),
                   cmocka_unit_test(names_that_are_no_functions_are_refused),
                   cmocka_unit_test(any_text_becomes_a_name_that_is_free),
                   cmocka_unit_test(memory_may_run_out_anywhere))
