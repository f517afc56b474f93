/* SPDX-License-Identifier: BSD-3-Clause */
/* A model as a function of C and C++ that needs nothing but <math.h>. */
#include "formula_internal.h"
#include "models_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Names that C, C++, <math.h> or a compiler have already, sorted. */
static const char *const taken[] = {
    "DOMAIN",
    "HUGE",
    "INFINITY",
    "MATH_ERREXCEPT",
    "MATH_ERRNO",
    "MAXFLOAT",
    "NAN",
    "NULL",
    "OVERFLOW",
    "PLOSS",
    "SING",
    "TLOSS",
    "UNDERFLOW",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "cbrt",
    "ceil",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "exp",
    "explicit",
    "export",
    "extern",
    "fabs",
    "false",
    "float",
    "floor",
    "fmax",
    "fmin",
    "for",
    "friend",
    "goto",
    "i386",
    "if",
    "inline",
    "int",
    "linux",
    "log",
    "log10",
    "log2",
    "long",
    "math_errhandling",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "pow",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "sqrt",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
};

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_taken(const char *name)
{
    static const char *const prefixes[] = {"M_", "FP_", "HUGE_", "is", "__"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return bsearch(&name, taken, sizeof taken / sizeof *taken, sizeof *taken, compare_words);
}

/* Functions of the C library that models are likely to be called like, sorted: no parameters'
   trouble, but a second time() is that of all. */
static const char *const functions[] = {
    "abort",   "abs",    "accept",    "access",    "acos",        "asin",    "atan",   "atan2",
    "bind",    "brk",    "calloc",    "clock",     "close",       "connect", "cos",    "cosh",
    "div",     "dup",    "erf",       "erfc",      "exit",        "exp2",    "expm1",  "fdim",
    "fma",     "fmod",   "fork",      "free",      "frexp",       "fsync",   "gamma",  "getc",
    "hypot",   "ilogb",  "index",     "ioctl",     "j0",          "j1",      "jn",     "kill",
    "labs",    "ldexp",  "ldiv",      "lgamma",    "link",        "listen",  "llrint", "llround",
    "log1p",   "logb",   "lrint",     "lround",    "lseek",       "main",    "malloc", "memcpy",
    "mmap",    "modf",   "nan",       "nearbyint", "open",        "pause",   "pipe",   "poll",
    "printf",  "putc",   "puts",      "qsort",     "raise",       "rand",    "random", "read",
    "realloc", "recv",   "remainder", "remove",    "rename",      "rint",    "round",  "scalb",
    "scanf",   "select", "send",      "signal",    "significand", "sin",     "sinh",   "sleep",
    "stat",    "step",   "sync",      "system",    "tan",         "tanh",    "tgamma", "time",
    "times",   "trunc",  "unlink",    "wait",      "write",       "y0",      "y1",     "yn",
};

static bool is_taken_by_a_function(const char *name)
{
    return is_taken(name) || bsearch(&name, functions, sizeof functions / sizeof *functions,
                                     sizeof *functions, compare_words);
}

static bool is_identifier(const char *name)
{
    if (isdigit((unsigned char)*name) || !*name)
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

enum portolan_status portolan_model_name_c(const char *wish, char **name,
                                           struct portolan_error *err)
{
    char **list = formula_identifiers(1, &wish, false, NULL), *made = NULL;

    if (list && (!*wish || is_taken_by_a_function(list[0])))
        made = portolan_asprintf("%s%smodel", list[0], *wish ? "_" : "");
    else if (list)
        made = portolan_strdup(list[0]);
    if (made && is_taken(made)) { /* by how it begins */
        free(made);
        made = portolan_asprintf("model_%s", list[0]);
    }
    formula_identifiers_destroy(list, 1);
    if (!made)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory to name a function");
    *name = made;
    return PORTOLAN_OK;
}

static enum portolan_status choose_name(const struct portolan_model *m, const char *function,
                                        char **name, struct portolan_error *err)
{
    const char *wish = function ? function : m->envelope.name;

    if (function && (!is_identifier(function) || is_taken_by_a_function(function)))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "\"%s\" is no name for a C function; letters, digits and _ are, "
                                  "if C, C++ and their libraries have no such word",
                                  function);
    return portolan_model_name_c(wish ? wish : "", name, err);
}

/* ---- the body ---- */

struct writer {
    const struct portolan_model *m;
    const char *const *params;
    struct portolan_text out;
};

static const struct emit_style style = {.expand = true};

/* What PUSH makes, in C. */
static void add_tree(struct writer *w, const struct portolan_model *m, const struct piece *piece,
                     size_t term)
{
    struct portolan_formula *f = NULL;
    struct formula_builder b;

    if (!emit_begin(&b, w->m)) {
        if (piece)
            emit_push_conditions(&b, w->m, piece, &style);
        else
            emit_push_term(&b, m, &m->terms[term].shape,
                           term ? fabs(m->terms[term].constant) : m->terms[0].constant, &style);
    }
    if (formula_end(&b, &f)) {
        w->out.failed = true;
        return;
    }
    formula_write_c(f, w->params, piece != NULL, &w->out);
    portolan_formula_destroy(f);
}

static void add_return(struct writer *w, const struct portolan_model *m, const char *indent)
{
    portolan_text_add(&w->out, "%sreturn ", indent);
    for (size_t j = 0; j < m->n_terms; j++) {
        if (j)
            portolan_text_add(&w->out, "\n%s       %c ", indent,
                              m->terms[j].constant < 0 ? '-' : '+');
        add_tree(w, m, NULL, j);
    }
    portolan_text_add(&w->out, m->n_terms ? ";\n" : "0.0;\n");
}

static bool is_used_by(const struct portolan_model_shape *shape, size_t p)
{
    const struct portolan_formula *f = shape->expression;

    for (size_t i = 0; f && i < f->n_nodes; i++)
        if (f->nodes[i].op == OP_NAME && f->nodes[i].name == p)
            return true;
    return shape->exponents[p] != 0 || shape->logs[p];
}

static bool is_used(const struct portolan_model *m, size_t p)
{
    for (size_t j = 0; j < m->n_terms; j++)
        if (is_used_by(&m->terms[j].shape, p))
            return true;
    for (size_t i = 0; i < m->n_pieces; i++) {
        if (is_used(m->pieces[i].model, p))
            return true;
        for (size_t j = 0; j < m->pieces[i].n_conditions; j++)
            if (m->pieces[i].conditions[j].param == p || m->pieces[i].conditions[j].divisor == p)
                return true;
    }
    return false;
}

static void add_body(struct writer *w)
{
    const struct portolan_model *m = w->m;

    for (size_t p = 0; p < m->n_params; p++)
        if (!is_used(m, p))
            portolan_text_add(&w->out, "    (void)%s;\n", w->params[p]);
    for (size_t i = 0; i < m->n_pieces; i++) {
        portolan_text_add(&w->out, "    if (");
        add_tree(w, NULL, &m->pieces[i], 0);
        portolan_text_add(&w->out, ")\n");
        add_return(w, m->pieces[i].model, "        ");
    }
    if (m->n_pieces)
        portolan_text_add(&w->out, "    return NAN;\n");
    else
        add_return(w, m, "    ");
}

static void add_head(struct writer *w, const char *name)
{
    portolan_text_add(&w->out, "double %s(", name);
    for (size_t p = 0; p < w->m->n_params; p++)
        portolan_text_add(&w->out, "%sdouble %s", p ? ", " : "", w->params[p]);
    portolan_text_add(&w->out, w->m->n_params ? ")" : "void)");
}

enum portolan_status portolan_model_write_c(const struct portolan_model *m, const char *function,
                                            char **text, struct portolan_error *err)
{
    char *name = NULL, **params;
    enum portolan_status status = choose_name(m, function, &name, err);
    struct writer w = {.m = m};

    if (status)
        return status;
    params = formula_identifiers(m->n_params, (const char *const *)m->params, false, is_taken);
    w.params = (const char *const *)params;
    if (params) {
        portolan_text_add(&w.out, "/*\n");
        emit_about(&w.out, m, " * ");
        portolan_text_add(&w.out, " */\n#include <math.h>\n\n#ifdef __cplusplus\nextern \"C\"\n"
                                  "#endif\n");
        add_head(&w, name);
        portolan_text_add(&w.out, ";\n\n");
        add_head(&w, name);
        portolan_text_add(&w.out, "\n{\n");
        add_body(&w);
        portolan_text_add(&w.out, "}\n");
    } else {
        w.out.failed = true;
    }
    formula_identifiers_destroy(params, m->n_params);
    free(name);
    return portolan_text_take(&w.out, text, err);
}
