/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The statements of the source's functions, and the places of pragmas among them. An experiment
 * begins and ends in the same block, or around one statement that is the body of an if, else or
 * loop without braces.
 */
#include "internal.h"

#include <string.h>

/* ----------------------------------------------------------------------------------- statements */

struct walk {
    struct translation *t;
    CXFile file;
    size_t parent; /* node */
};

static bool is_statement(enum CXCursorKind kind)
{
    return kind >= CXCursor_FirstStmt && kind <= CXCursor_LastStmt;
}

/* Statements that end with the last statement inside them. */
static bool is_frame(enum CXCursorKind kind)
{
    switch (kind) {
    case CXCursor_IfStmt:
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_SwitchStmt:
    case CXCursor_LabelStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        return true;
    default:
        return false;
    }
}

static bool find_offsets(const struct walk *w, CXCursor cursor, size_t *start, size_t *end)
{
    const struct portolan_libclang *clang = w->t->clang;
    CXSourceRange range = clang->getCursorExtent(cursor);
    CXFile file = NULL;
    unsigned a, b;

    clang->getFileLocation(clang->getRangeStart(range), &file, NULL, NULL, &a);
    if (!file || !clang->File_isEqual(file, w->file))
        return false;
    clang->getFileLocation(clang->getRangeEnd(range), &file, NULL, NULL, &b);
    if (!file || !clang->File_isEqual(file, w->file) || b < a || b > w->t->source.size)
        return false;
    *start = a;
    *end = b;
    return true;
}

static bool is_in_macro(const struct walk *w, CXCursor cursor)
{
    const struct portolan_libclang *clang = w->t->clang;
    CXSourceLocation location = clang->getRangeStart(clang->getCursorExtent(cursor));
    CXFile file = NULL, spelled = NULL;
    unsigned at, from;

    clang->getFileLocation(location, &file, NULL, NULL, &at);
    clang->getSpellingLocation(location, &spelled, NULL, NULL, &from);
    return !spelled || !clang->File_isEqual(file, spelled) || at != from;
}

static size_t add_node(struct walk *w, CXCursor cursor, size_t start, size_t end)
{
    struct translation *t = w->t;
    const struct node node = {.kind = t->clang->getCursorKind(cursor),
                              .cursor = cursor,
                              .start = start,
                              .end = end,
                              .parent = w->parent,
                              .in_macro = is_in_macro(w, cursor)};

    return portolan_arena_append(&t->arena, &t->nodes, &t->n_nodes, &node, sizeof node)
               ? t->n_nodes - 1
               : (size_t)NO_NODE;
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data);

/* Includes the semicolon; statements inside may end after the position that libclang gives. */
static void finish_node(struct walk *w, size_t node, size_t n_before)
{
    struct translation *t = w->t;
    const struct source *s = &t->source;
    struct node *n = &t->nodes[node];

    if (n->kind == CXCursor_CompoundStmt)
        return;
    if (is_frame(n->kind)) {
        for (size_t i = n_before; i < t->n_nodes; i++)
            if (t->nodes[i].parent == node && t->nodes[i].end > n->end)
                n->end = t->nodes[i].end;
    } else if (n->end > n->start && s->text[n->end - 1] != ';') {
        size_t next = source_next(s, n->end);

        if (next < s->size && s->text[next] == ';')
            n->end = next + 1;
    }
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct walk *w = data, inner = *w;
    struct translation *t = w->t;
    bool is_part = is_statement(t->clang->getCursorKind(parent));
    size_t start, end;

    if (!is_part && !is_statement(t->clang->getCursorKind(cursor))) {
        t->clang->visitChildren(cursor, visit, &inner); /* it may contain statements */
        return CXChildVisit_Continue;
    }
    if (!find_offsets(w, cursor, &start, &end))
        return CXChildVisit_Continue;
    inner.parent = add_node(w, cursor, start, end);
    if (inner.parent == (size_t)NO_NODE)
        return CXChildVisit_Break;
    t->clang->visitChildren(cursor, visit, &inner);
    finish_node(w, inner.parent, inner.parent);
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult visit_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct walk *w = data;
    struct translation *t = w->t;
    size_t first = t->n_nodes, start, end;

    (void)parent;
    if (t->clang->getCursorKind(cursor) != CXCursor_FunctionDecl ||
        !t->clang->isCursorDefinition(cursor) || !find_offsets(w, cursor, &start, &end))
        return CXChildVisit_Continue;
    t->clang->visitChildren(cursor, visit, w);
    for (size_t i = first; i < t->n_nodes; i++)
        t->nodes[i].result = t->clang->getResultType(t->clang->getCursorType(cursor));
    return CXChildVisit_Continue;
}

void tree_make(struct translation *t, CXTranslationUnit unit, CXFile file)
{
    struct walk w = {t, file, (size_t)NO_NODE};

    t->n_nodes = 0;
    t->clang->visitChildren(t->clang->getTranslationUnitCursor(unit), visit_function, &w);
}

/* The innermost node around AT. */
static size_t tree_innermost(const struct translation *t, size_t at)
{
    size_t found = (size_t)NO_NODE;

    for (size_t i = 0; i < t->n_nodes; i++)
        if (t->nodes[i].start < at && at < t->nodes[i].end)
            found = i;
    return found;
}

/* -------------------------------------------------------------------------------------- pragmas */

static bool is_label(enum CXCursorKind kind)
{
    return kind == CXCursor_LabelStmt || kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt;
}

static bool is_control(enum CXCursorKind kind)
{
    return kind == CXCursor_IfStmt || kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt ||
           kind == CXCursor_SwitchStmt || kind == CXCursor_DoStmt;
}

/* The child of NODE that begins at AT, or NO_NODE. */
static size_t child_at(const struct translation *t, size_t node, size_t at)
{
    for (size_t i = node + 1; i < t->n_nodes; i++)
        if (t->nodes[i].parent == node && t->nodes[i].start == at)
            return i;
    return (size_t)NO_NODE;
}

/* Is CHILD the body of a control statement? Then it comes after the condition, "else" or "do". */
static bool is_body(const struct translation *t, size_t child)
{
    const char *text = t->source.text;
    size_t before = source_previous(&t->source, t->nodes[child].start);

    return (before && text[before - 1] == ')') ||
           (before >= 4 && strncmp(text + before - 4, "else", 4) == 0) ||
           (before >= 2 && strncmp(text + before - 2, "do", 2) == 0);
}

/*
 * The block that has position AT between its statements; *SINGLE is the statement without braces
 * that begins there. NO_NODE: AT is not between statements.
 */
static size_t block_at(const struct translation *t, size_t at, size_t *single)
{
    size_t next = source_next(&t->source, at), node = tree_innermost(t, at);

    *single = (size_t)NO_NODE;
    while (node != (size_t)NO_NODE && is_label(t->nodes[node].kind)) {
        size_t child = child_at(t, node, next);

        if (child == (size_t)NO_NODE)
            return (size_t)NO_NODE;
        node = t->nodes[node].parent;
    }
    if (node == (size_t)NO_NODE || t->nodes[node].kind == CXCursor_CompoundStmt)
        return node;
    if (is_control(t->nodes[node].kind)) {
        size_t child = child_at(t, node, next);

        if (child != (size_t)NO_NODE && is_body(t, child)) {
            *single = child;
            return node;
        }
    }
    return (size_t)NO_NODE;
}

static void report_misplaced(struct translation *t, const struct directive *d)
{
    if (tree_innermost(t, d->start) == (size_t)NO_NODE)
        problem_at(t, d->start, "this pragma stands for code: put it into a function");
    else
        problem_at(t, d->start,
                   "this pragma stands within a statement: put it before or behind it");
}

/* An experiment around one statement must end directly after it. */
static void place_single(struct translation *t, struct directive *d, size_t single)
{
    const struct node *n = &t->nodes[single];

    if (source_previous(&t->source, d->partner->start) == n->end) {
        d->is_braced = true;
        return;
    }
    problem_at(t, d->partner->start,
               "experiment '%s' began in line %d before a single statement, behind which it must "
               "end; put { } around all that it times",
               d->name.text, line_of(t, d));
}

static void place_pair(struct translation *t, struct directive *d)
{
    size_t single, end_single, end_block;

    d->block = block_at(t, d->start, &single);
    if (d->block == (size_t)NO_NODE) {
        report_misplaced(t, d);
        return;
    }
    if (!d->partner)
        return;
    if (single != (size_t)NO_NODE) {
        place_single(t, d, single);
        return;
    }
    end_block = block_at(t, d->partner->start, &end_single);
    if (end_block == d->block && end_single == (size_t)NO_NODE)
        return;
    if (end_block == (size_t)NO_NODE)
        report_misplaced(t, d->partner);
    else
        problem_at(t, d->partner->start,
                   "experiment '%s' ends in another block than it begins in, in line %d: put both "
                   "pragmas into the same { }",
                   d->name.text, line_of(t, d));
}

/* Do the brace inserted at the begin and the one at the end of the sweep form one block? */
static void place_sweep(struct translation *t, const struct directive *d)
{
    size_t end = d->partner->start + 1;

    for (size_t i = 0; i < t->n_nodes; i++)
        if (t->nodes[i].kind == CXCursor_CompoundStmt && t->nodes[i].start == d->brace &&
            t->nodes[i].end == end)
            return;
    problem_at(t, d->partner->start,
               "the sweep ends in another block than it begins in, in line %d: put both pragmas "
               "into the same { }",
               line_of(t, d));
}

/* A report becomes a statement. As the body of an if, else or loop it needs braces. */
static void place_report(struct translation *t, const struct directive *d)
{
    size_t single, block = block_at(t, d->start, &single);

    if (block == (size_t)NO_NODE)
        report_misplaced(t, d);
    else if (single != (size_t)NO_NODE)
        problem_at(t, d->start,
                   "a report here comes between a condition and its statement: put "
                   "both into { }");
}

void place_directives(struct translation *t)
{
    for (size_t i = 0; i < t->n_directives; i++) {
        struct directive *d = &t->directives[i];

        if (d->kind == DIRECTIVE_BEGIN)
            place_pair(t, d);
        else if (d->kind == DIRECTIVE_FOR && d->brace && d->partner)
            place_sweep(t, d);
        else if (d->kind == DIRECTIVE_REPORT)
            place_report(t, d);
    }
}
