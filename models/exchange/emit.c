/* SPDX-License-Identifier: BSD-3-Clause */
/* A model as a formula, and as a function of C. */
#include "formula_internal.h"
#include "models_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void push_param(struct formula_builder *b, const struct portolan_model *m, size_t p,
                       bool log)
{
    formula_push_name(b, m->params[p], strlen(m->params[p]));
    if (log)
        formula_push(b, OP_LOG2, 1);
}

/* x^SQUARE, SQUARE a power of two, as products of products. */
static void push_square(struct formula_builder *b, const struct portolan_model *m, size_t p,
                        bool log, int square)
{
    if (square == 1) {
        push_param(b, m, p, log);
        return;
    }
    push_square(b, m, p, log, square / 2);
    push_square(b, m, p, log, square / 2);
    formula_push(b, OP_MULTIPLY, 2);
}

/* EXPAND: multiplies in the same order as shape_value(); otherwise writes a power. */
static void push_power(struct formula_builder *b, const struct portolan_model *m, size_t p,
                       bool log, double exponent, bool expand)
{
    int whole = (int)exponent, n = 0;

    if (!expand || exponent != whole || whole < 0 || whole > 8) {
        push_param(b, m, p, log);
        if (exponent == 1)
            return;
        formula_push_number(b, exponent);
        formula_push(b, OP_POWER, 2);
        return;
    }
    for (int square = 1; square <= whole; square *= 2)
        if (whole & square) {
            push_square(b, m, p, log, square);
            if (n++)
                formula_push(b, OP_MULTIPLY, 2);
        }
}

/* Multiplies the product of the N factors so far by those of SHAPE; returns the new number. */
static int push_shape(struct formula_builder *b, const struct portolan_model *m,
                      const struct portolan_model_shape *shape, bool expand, int n)
{
    if (shape->expression) {
        formula_push_tree(b, shape->expression, shape->expression->n_nodes - 1);
        if (!b->status)
            b->f->nodes[b->f->n_nodes - 1].is_kept = true;
        if (n++)
            formula_push(b, OP_MULTIPLY, 2);
    }
    for (size_t p = 0; p < m->n_params; p++) {
        if (shape->exponents[p] != 0) {
            push_power(b, m, p, false, shape->exponents[p], expand);
            if (n++)
                formula_push(b, OP_MULTIPLY, 2);
        }
        if (shape->logs[p]) {
            push_power(b, m, p, true, shape->logs[p], expand);
            if (n++)
                formula_push(b, OP_MULTIPLY, 2);
        }
    }
    return n;
}

void emit_push_term(struct formula_builder *b, const struct portolan_model *m,
                    const struct portolan_model_shape *shape, double constant, bool expand)
{
    formula_push_number(b, constant);
    if (!expand)
        push_shape(b, m, shape, false, 1);
    else if (push_shape(b, m, shape, true, 0))
        formula_push(b, OP_MULTIPLY, 2);
}

void emit_push_conditions(struct formula_builder *b, const struct portolan_model *m,
                          const struct piece *piece)
{
    int n = 0;

    for (size_t i = 0; i < piece->n_conditions; i++) {
        const struct portolan_model_condition *c = &piece->conditions[i];

        for (int high = 0; high < 2; high++) {
            double bound = high ? c->high : c->low;

            if (isinf(bound))
                continue;
            push_param(b, m, c->param, false);
            if (c->divisor != SIZE_MAX) {
                push_param(b, m, c->divisor, false);
                formula_push(b, OP_DIVIDE, 2);
            }
            formula_push_number(b, bound);
            formula_push(b, high ? OP_LESS : OP_GREATER_EQUAL, 2);
            if (n++)
                formula_push(b, OP_AND, 2);
        }
    }
    if (!n)
        formula_push_number(b, 1);
}

enum portolan_status emit_begin(struct formula_builder *b, const struct portolan_model *m)
{
    enum portolan_status status = formula_begin(b);

    if (!status)
        formula_add_names(b, m->n_params, (const char *const *)m->params);
    return status;
}

/* ---- the comment above the code: unit, ranges, error, provenance ---- */

/* Significant digits of numbers in comments. */
enum { DIGITS = 6 };

/*
 * Adds a user's text to a comment, without line ends, the beginning or end of a C comment,
 * trigraphs, or characters that change the direction of the text (U+202A…E, U+2066…9).
 */
static void add_safe(struct portolan_text *out, const char *text)
{
    for (; *text; text++) {
        const unsigned char *s = (const unsigned char *)text;
        bool turns = s[0] == 0xe2 && ((s[1] == 0x80 && s[2] >= 0xaa && s[2] <= 0xae) ||
                                      (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));

        if (turns) {
            portolan_text_add(out, "?");
            text += 2;
        } else if (iscntrl(*s)) {
            portolan_text_add(out, " ");
        } else if ((s[0] == '*' && s[1] == '/') || (s[0] == '/' && s[1] == '*') ||
                   (s[0] == '?' && s[1] == '?')) {
            portolan_text_add(out, "%c ", *text);
        } else {
            portolan_text_add_bytes(out, text, 1);
        }
    }
}

static void add_line(struct portolan_text *out, const char *what, const char *text)
{
    if (!text)
        return;
    portolan_text_add(out, " * %s", what);
    add_safe(out, text);
    portolan_text_add(out, "\n");
}

static void add_ranges(struct portolan_text *out, const struct portolan_model *m)
{
    for (size_t p = 0; p < m->n_params; p++) {
        const struct portolan_model_range *r = &m->range[p];

        portolan_text_add(out, " * ");
        add_safe(out, m->params[p]);
        if (m->envelope.param_units[p]) {
            portolan_text_add(out, " [");
            add_safe(out, m->envelope.param_units[p]);
            portolan_text_add(out, "]");
        }
        if (isinf(r->min) && isinf(r->max)) {
            portolan_text_add(out, ": any value\n");
            continue;
        }
        text_add_rounded(out, ": valid from ", r->min, DIGITS);
        text_add_rounded(out, " to ", r->max, DIGITS);
        portolan_text_add(out, "; predictions outside are extrapolated\n");
    }
}

static void add_error(struct portolan_text *out, const struct portolan_model *m)
{
    const struct portolan_model_summary *s = &m->summary;
    bool relative = s->weighting == PORTOLAN_MODEL_RELATIVE;

    if (!s->n_rows) {
        portolan_text_add(out, " * Not fitted to rows; the formula was given.\n");
        return;
    }
    portolan_text_add(out, " * Fitted to %zu row%s at %zu point%s; standard deviation of a row",
                      s->n_rows, s->n_rows == 1 ? "" : "s", s->n_points,
                      s->n_points == 1 ? "" : "s");
    text_add_rounded(out, " ", s->sigma * (relative ? 100 : 1), DIGITS);
    portolan_text_add(out, "%s%s.\n", relative ? " %" : "",
                      s->sigma_is_assumed ? " (assumed)" : "");
}

static void add_about(struct portolan_text *out, const struct portolan_model *m)
{
    const struct portolan_model_envelope *e = &m->envelope;

    add_line(out, "", e->name ? e->name : "A performance model.");
    add_line(out, "Quality: ", e->quality);
    add_line(out, "Unit of the value: ", e->unit ? e->unit : "the unit of the rows");
    if (m->summary.statistic == PORTOLAN_MODEL_DEVIATION)
        add_line(out, "", "The value is the standard deviation of repetitions.");
    if (m->summary.kind != PORTOLAN_MODEL_AMOUNT)
        add_line(out, "",
                 m->summary.kind == PORTOLAN_MODEL_COUNT ? "The value is a count; round it."
                                                         : "The value is a share, from 0 to 1.");
    if (m->summary.bounded)
        add_line(out, "",
                 "Portolan keeps predictions outside the rows above 0; this formula does not.");
    add_line(out, "", m->formula);
    add_ranges(out, m);
    add_error(out, m);
    add_line(out, "Machine: ", e->machine);
    add_line(out, "Program: ", e->program);
    add_line(out, "Rows: ", e->source);
    add_line(out, "Made: ", e->created);
}

/* ---- a function of C and C++ that needs nothing but <math.h>: its name ---- */

/* Names that C++20, <math.h> or a compiler define, in addition to the keywords of C and C++. */
static const char reserved[] =
    " DOMAIN HUGE INFINITY MATH_ERREXCEPT MATH_ERRNO MAXFLOAT NAN NULL OVERFLOW PLOSS SING "
    "TLOSS UNDERFLOW cbrt ceil char16_t char32_t char8_t co_await co_return co_yield "
    "concept consteval constinit exp fabs floor fmax fmin i386 linux log log10 log2 "
    "math_errhandling pow requires sqrt typeof unix ";

/* Functions of the C library whose names a model may well have. Parameters may have them, but a
 * model called time would replace the library's time() in the whole program. */
static const char functions[] =
    " abort abs accept access acos asin atan atan2 bind brk calloc clock close connect cos "
    "cosh div dup erf erfc exit exp2 expm1 fdim fma fmod fork free frexp fsync gamma getc "
    "hypot ilogb index ioctl j0 j1 jn kill labs ldexp ldiv lgamma link listen llrint llround "
    "log1p logb lrint lround lseek main malloc memcpy mmap modf nan nearbyint open pause "
    "pipe poll printf putc puts qsort raise rand random read realloc recv remainder remove "
    "rename rint round scalb scanf select send signal significand sin sinh sleep stat step "
    "sync system tan tanh tgamma time times trunc unlink wait write y0 y1 yn ";

static bool is_reserved(const char *name)
{
    static const char *const prefixes[] = {"M_", "FP_", "HUGE_", "is", "__"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return portolan_is_c_word(name) || portolan_has_word(reserved, name);
}

static bool is_function(const char *name)
{
    return is_reserved(name) || portolan_has_word(functions, name);
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
    struct portolan_arena memory = {0};
    const char *const *list = formula_identifiers(&memory, 1, &wish, false, NULL);
    char *made = NULL;

    if (list && (!*wish || is_function(list[0])))
        made = portolan_asprintf("%s%smodel", list[0], *wish ? "_" : "");
    else if (list)
        made = portolan_strdup(list[0]);
    if (made && is_reserved(made)) { /* its beginning is reserved */
        free(made);
        made = portolan_asprintf("model_%s", list[0]);
    }
    portolan_arena_clear(&memory);
    if (!made)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory to name a function");
    *name = made;
    return PORTOLAN_OK;
}

static enum portolan_status choose_name(const struct portolan_model *m, const char *function,
                                        char **name, struct portolan_error *err)
{
    const char *wish = function ? function : m->envelope.name;

    if (function && (!is_identifier(function) || is_function(function)))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "\"%s\" cannot name a C function; use letters, digits and _, and "
                                  "no word of C, C++ or their libraries",
                                  function);
    return portolan_model_name_c(wish ? wish : "", name, err);
}

/* ---- the body ---- */

struct writer {
    const struct portolan_model *m;
    const char *const *params;
    struct portolan_text out;
};

/* Writes the conditions of PIECE in C or, if that is NULL, term TERM of M. */
static void add_tree(struct writer *w, const struct portolan_model *m, const struct piece *piece,
                     size_t term)
{
    struct portolan_formula *f = NULL;
    struct formula_builder b;

    if (!emit_begin(&b, w->m)) {
        if (piece)
            emit_push_conditions(&b, w->m, piece);
        else
            emit_push_term(&b, m, &m->terms[term].shape,
                           term ? fabs(m->terms[term].constant) : m->terms[0].constant, true);
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
    struct portolan_arena memory = {0};
    char *name = NULL;
    enum portolan_status status = choose_name(m, function, &name, err);
    struct writer w = {.m = m};

    if (status)
        return status;
    w.params = formula_identifiers(&memory, m->n_params, (const char *const *)m->params, false,
                                   is_reserved);
    if (w.params) {
        portolan_text_add(&w.out, "/*\n");
        add_about(&w.out, m);
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
    portolan_arena_clear(&memory);
    free(name);
    return portolan_text_take(&w.out, text, err);
}
