/* SPDX-License-Identifier: BSD-3-Clause */
/* The statements of the source's functions, with where they begin and end. */
#include "internal.h"

#include <string.h>

struct walk {
    struct translation *t;
    CXFile file;
    size_t parent; /* node */
};

static bool is_statement(enum CXCursorKind kind)
{
    return kind >= CXCursor_FirstStmt && kind <= CXCursor_LastStmt;
}

/* Statements that end where the last one in them does. */
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

static bool offsets(const struct walk *w, CXCursor cursor, size_t *start, size_t *end)
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

    t->nodes = portolan_arena_grow(&t->arena, t->nodes, t->n_nodes, sizeof *t->nodes);
    if (!t->nodes) {
        t->n_nodes = 0;
        return (size_t)NO_NODE;
    }
    t->nodes[t->n_nodes] = (struct node){.kind = t->clang->getCursorKind(cursor),
                                         .cursor = cursor,
                                         .start = start,
                                         .end = end,
                                         .parent = w->parent,
                                         .in_macro = is_in_macro(w, cursor)};
    return t->n_nodes++;
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data);

/* The semicolon belongs to the statement; statements in it may end behind what libclang says. */
static void finish(struct walk *w, size_t node, size_t n_before)
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
        t->clang->visitChildren(cursor, visit, &inner); /* may hold statements all the same */
        return CXChildVisit_Continue;
    }
    if (!offsets(w, cursor, &start, &end))
        return CXChildVisit_Continue;
    inner.parent = add_node(w, cursor, start, end);
    if (inner.parent == (size_t)NO_NODE)
        return CXChildVisit_Break;
    t->clang->visitChildren(cursor, visit, &inner);
    if (t->n_nodes)
        finish(w, inner.parent, inner.parent);
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult visit_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct walk *w = data;
    struct translation *t = w->t;
    size_t first = t->n_nodes, start, end;

    (void)parent;
    if (t->clang->getCursorKind(cursor) != CXCursor_FunctionDecl ||
        !t->clang->isCursorDefinition(cursor) || !offsets(w, cursor, &start, &end))
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

size_t tree_innermost(const struct translation *t, size_t at)
{
    size_t found = (size_t)NO_NODE;

    for (size_t i = 0; i < t->n_nodes; i++)
        if (t->nodes[i].start < at && at < t->nodes[i].end)
            found = i;
    return found;
}
