/* SPDX-License-Identifier: BSD-3-Clause */
/* Has the compiler find the types and errors of expressions over arguments. */
#include "read.h"

#include <string.h>

typedef void visit_fn(struct run *run, struct method *m, struct expression *e, void *arg);

/* All expressions, always in the same order. */
static void visit_all(struct run *run, visit_fn *visit, void *arg)
{
    for (size_t i = 0; proxygen_use_port(run, i); i++)
        for (size_t k = 0; k < run->port->n_methods; k++) {
            struct method *m = &run->port->methods[k];

            for (size_t n = 0; n < m->n_expressions && !m->skip; n++)
                visit(run, m, &m->expressions[n], arg);
        }
}

struct trials {
    struct portolan_text text;
    struct header header;
    int first_line; /* of the trials */
    int number;     /* of the trial being made; when searching, how many come before it */
    struct expression *found;
    enum portolan_status status;
};

/* Returns whether TEXT has NAME, but not as the name of a member. */
static bool has_name(const char *text, const char *name)
{
    for (const char *at = text; (at = proxygen_find_word(text, at, name)); at++)
        if (at == text || !(at[-1] == '.' || (at > text + 1 && at[-1] == '>' && at[-2] == '-')))
            return true;
    return false;
}

/* Adds a line for expression E: a function whose last parameter has E's type. */
static void add_trial(struct run *run, struct method *m, struct expression *e, void *arg)
{
    struct trials *t = arg;
    struct portolan_text *out = &t->text;

    portolan_text_add(out, "void portolan_trial_%d(", t->number++);
    if (m->n_arguments)
        portolan_text_add(out, "%s, ", proxygen_parameters(run, m));
    if (e->is_result && m->returns)
        portolan_text_add(out, "%s, ", proxygen_replace(&run->arena, m->result, "portolan_result"));
    portolan_text_add(out, "__typeof__(%s) portolan_value);\n",
                      e->is_result && m->returns
                          ? proxygen_replace_word(&run->arena, e->text, "return", "portolan_result")
                          : e->text);
}

/* The value of an expression is 0 if a pointer in it is NULL. */
static void make_value(struct run *run, struct method *m, struct expression *e, void *arg)
{
    struct portolan_arena *arena = &run->arena;
    const char *guard = "", *text;

    (void)arg;
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].form == FORM_POINTER && has_name(e->text, m->arguments[i].name))
            guard =
                proxygen_print(arena, "%s%s%s", guard, *guard ? " && " : "", m->arguments[i].name);
    text = e->is_result
               ? proxygen_replace_word(arena, e->text, "return", proxygen_locals(run, m).result)
               : e->text;
    e->value = *guard ? proxygen_print(arena, "(%s ? (%s) : 0)", guard, text)
                      : proxygen_print(arena, "(%s)", text);
}

static void find_expression(struct run *run, struct method *m, struct expression *e, void *arg)
{
    struct trials *t = arg;

    (void)run;
    (void)m;
    if (t->number-- == 0)
        t->found = e;
}

static struct expression *expression_at(struct trials *t, int line)
{
    t->found = NULL;
    t->number = line - t->first_line;
    visit_all(t->header.run, find_expression, t);
    return t->found;
}

static void read_kinds(struct trials *t)
{
    struct header *h = &t->header;
    const struct portolan_libclang *clang = h->clang;
    struct cursors list =
        proxygen_children_of(h, clang->getTranslationUnitCursor(h->unit), CXCursor_FunctionDecl);

    for (size_t i = 0; i < list.n; i++) {
        CXType type = clang->getCursorType(list.items[i]);
        int n = clang->getNumArgTypes(type);
        struct expression *e;

        if (strncmp(proxygen_header_spelling(h, list.items[i]), "portolan_trial_", 15) != 0)
            continue;
        e = expression_at(t, proxygen_header_cursor_place(h, list.items[i]).line);
        if (e && n > 0)
            e->kind = proxygen_type_value_kind(h, clang->getArgType(type, (unsigned)n - 1));
    }
}

/* Reports the first error of each expression; further ones mostly follow from it. */
static void report_errors(struct trials *t)
{
    int last = 0;
    size_t n;
    const struct message *list = proxygen_header_messages(&t->header, t->header.unit, &n);

    for (const struct message *m = list; m < list + n; m++) {
        struct expression *e =
            m->is_error && m->main_line != last ? expression_at(t, m->main_line) : NULL;

        if (!e)
            continue;
        last = m->main_line;
        t->status = proxygen_fail(t->header.run, PORTOLAN_ESYNTAX, &e->place,
                                  "'%s' cannot be the value of a context: %s", e->text, m->text);
    }
}

static void check_kind(struct run *run, struct method *m, struct expression *e, void *arg)
{
    struct trials *t = arg;

    if (e->kind != VALUE_INTEGER && e->kind != VALUE_REAL)
        t->status =
            proxygen_fail(run, PORTOLAN_ESYNTAX, &e->place,
                          "'%s' of '%s' is no number, so it cannot be a context", e->text, m->name);
}

enum portolan_status proxygen_judge_expressions(struct run *run)
{
    struct trials t = {.text = {.arena = &run->arena}};

    visit_all(run, make_value, NULL);
    visit_all(run, add_trial, &t);
    run->port->has_expressions = t.text.bytes != NULL;
    if (!t.text.bytes)
        return PORTOLAN_OK;
    t.status = proxygen_header_again(
        run, proxygen_print(&run->arena, PROXYGEN_EXPRESSION_INCLUDES "%s", t.text.bytes),
        "-Werror=implicit-function-declaration", &t.header, &t.first_line);
    t.first_line++; /* after the includes */
    if (t.status != PORTOLAN_OK)
        return t.status;
    report_errors(&t);
    read_kinds(&t);
    if (t.status == PORTOLAN_OK)
        visit_all(run, check_kind, &t);
    proxygen_header_close(&t.header);
    return t.status;
}
