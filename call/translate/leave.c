/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jumps and experiments: a jump out of open experiments ends them first, after a returned value is
 * computed; no jump may lead into an experiment.
 */
#include "internal.h"

#include <string.h>

static bool is_inside(const struct directive *begin, size_t at)
{
    return begin->kind == DIRECTIVE_BEGIN && begin->partner && begin->end <= at &&
           at < begin->partner->start;
}

static bool is_loop(enum CXCursorKind kind)
{
    return kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt;
}

/* The start of the loop or switch that the jump leaves or continues. */
static size_t frame_of(const struct translation *t, size_t node, bool or_switch)
{
    for (size_t i = t->nodes[node].parent; i != (size_t)NO_NODE; i = t->nodes[i].parent)
        if (is_loop(t->nodes[i].kind) || (or_switch && t->nodes[i].kind == CXCursor_SwitchStmt))
            return t->nodes[i].start;
    return 0;
}

static enum CXChildVisitResult visit_label(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    *(CXCursor *)data = cursor;
    return CXChildVisit_Break;
}

/* The position of the label of a goto. */
static size_t label_of(const struct translation *t, size_t node)
{
    CXCursor label = t->nodes[node].cursor;
    unsigned at = 0;

    t->clang->visitChildren(label, visit_label, &label);
    label = t->clang->getCursorReferenced(label);
    t->clang->getFileLocation(t->clang->getCursorLocation(label), NULL, NULL, NULL, &at);
    return at;
}

/* Calls that end the experiments that the jump at NODE leaves, the innermost first; "": none. */
static const char *ends(struct translation *t, size_t node, size_t target, bool leaves_all)
{
    size_t at = t->nodes[node].start;
    const char *text = "";

    for (size_t i = t->n_directives; i-- > 0;) {
        const struct directive *d = &t->directives[i];

        if (is_inside(d, at) && (leaves_all || !is_inside(d, target)))
            text = portolan_libclang_print(&t->arena, "%sportolan_cll_end(&%s); ", text,
                                           d->experiment->symbol);
    }
    return text;
}

static const struct directive *innermost_experiment(const struct translation *t, size_t at)
{
    const struct directive *found = NULL;

    for (size_t i = 0; i < t->n_directives; i++)
        if (is_inside(&t->directives[i], at))
            found = &t->directives[i];
    return found;
}

/* ------------------------------------------------------------------ leaving */

/* A jump inside a macro cannot be rewritten. */
static bool can_rewrite(struct translation *t, size_t node, const char *word)
{
    const struct node *n = &t->nodes[node];
    const struct directive *d = innermost_experiment(t, n->start);

    if (!n->in_macro && strncmp(t->source.text + n->start, word, strlen(word)) == 0 &&
        t->source.text[n->end - 1] == ';')
        return true;
    problem_at(t, n->start,
               "this macro leaves experiment '%s', begun in line %d, by %s: end the experiment "
               "first, or write out what the macro does",
               d->name.text, line_of(t, d), word);
    return false;
}

/* A declaration of NAME with the type that the function returns. */
static const char *result_declaration(struct translation *t, size_t node, const char *name)
{
    const char *type = portolan_libclang_text(t->clang, &t->arena,
                                              t->clang->getTypeSpelling(t->nodes[node].result));
    size_t length = strlen(type);

    if (strpbrk(type, "(["))
        return portolan_libclang_print(&t->arena, "__typeof__(%s) %s", type, name);
    return portolan_libclang_print(&t->arena, "%s%s%s", type,
                                   length && type[length - 1] == '*' ? "" : " ", name);
}

static void rewrite_return(struct translation *t, size_t node)
{
    const struct node *n = &t->nodes[node];
    const char *text = ends(t, node, 0, true), *name = symbol_of(t, "result");
    size_t value = source_next(&t->source, n->start + 6);
    CXType result = t->clang->getCanonicalType(n->result);

    if (!*text || !can_rewrite(t, node, "return"))
        return;
    if (value == n->end - 1) {
        edit_add(t, n->start, 0, NULL, portolan_libclang_print(&t->arena, "{ %s", text));
        edit_add(t, n->end, 0, NULL, " }");
        return;
    }
    edit_add(t, n->start, 6, NULL,
             result.kind == CXType_Void
                 ? "{"
                 : portolan_libclang_print(&t->arena, "{ %s =", result_declaration(t, node, name)));
    edit_add(t, n->end, 0, NULL,
             portolan_libclang_print(&t->arena, " %sreturn%s%s; }", text,
                                     result.kind == CXType_Void ? "" : " ",
                                     result.kind == CXType_Void ? "" : name));
}

static void rewrite_jump(struct translation *t, size_t node, const char *word, size_t target)
{
    const struct node *n = &t->nodes[node];
    const char *text = ends(t, node, target, false);

    if (!*text || !can_rewrite(t, node, word))
        return;
    edit_add(t, n->start, 0, NULL, portolan_libclang_print(&t->arena, "{ %s", text));
    edit_add(t, n->end, 0, NULL, " }");
}

/* ------------------------------------------------------------------ entering */

/* Reports at AT if control goes from FROM to TO, inside an experiment, without its begin. */
static void check_entry(struct translation *t, size_t at, size_t from, size_t to, const char *what)
{
    for (size_t i = 0; i < t->n_directives; i++) {
        const struct directive *d = &t->directives[i];

        if (is_inside(d, to) && !is_inside(d, from))
            problem_at(t, at,
                       "%s into experiment '%s', which begins in line %d and would not have "
                       "begun",
                       what, d->name.text, line_of(t, d));
    }
}

/* A case is entered from its switch, which may be outside of the experiment around the case. */
static void check_case(struct translation *t, size_t node)
{
    size_t i = t->nodes[node].parent, at = t->nodes[node].start;

    while (i != (size_t)NO_NODE && t->nodes[i].kind != CXCursor_SwitchStmt)
        i = t->nodes[i].parent;
    if (i != (size_t)NO_NODE)
        check_entry(t, at, t->nodes[i].start, at, "this label leads");
}

static void check_goto(struct translation *t, size_t node)
{
    size_t label = label_of(t, node);

    rewrite_jump(t, node, "goto", label);
    check_entry(t, t->nodes[node].start, t->nodes[node].start, label, "this jumps");
}

static void check_computed(struct translation *t, size_t node)
{
    const struct directive *d = innermost_experiment(t, t->nodes[node].start);

    if (d)
        problem_at(t, t->nodes[node].start,
                   "where this jumps to is not known, and so not whether it leaves experiment "
                   "'%s' of line %d: end the experiment first",
                   d->name.text, line_of(t, d));
}

void rewrite_jumps(struct translation *t)
{
    for (size_t i = 0; i < t->n_nodes; i++)
        switch (t->nodes[i].kind) {
        case CXCursor_ReturnStmt:
            rewrite_return(t, i);
            break;
        case CXCursor_BreakStmt:
            rewrite_jump(t, i, "break", frame_of(t, i, true));
            break;
        case CXCursor_ContinueStmt:
            rewrite_jump(t, i, "continue", frame_of(t, i, false));
            break;
        case CXCursor_GotoStmt:
            check_goto(t, i);
            break;
        case CXCursor_IndirectGotoStmt:
            check_computed(t, i);
            break;
        case CXCursor_CaseStmt:
        case CXCursor_DefaultStmt:
            check_case(t, i);
            break;
        default:
            break;
        }
}
