/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where pragmas stand: experiments begin and end in the same block, or around one statement that
 * is the body of an if, else or loop without braces.
 */
#include "internal.h"

#include <string.h>

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

/* Is CHILD what a control statement does? Then it stands behind the condition, "else" or "do". */
static bool is_body(const struct translation *t, size_t child)
{
    const char *text = t->source.text;
    size_t before = source_previous(&t->source, t->nodes[child].start);

    return (before && text[before - 1] == ')') ||
           (before >= 4 && strncmp(text + before - 4, "else", 4) == 0) ||
           (before >= 2 && strncmp(text + before - 2, "do", 2) == 0);
}

/*
 * The block that position AT belongs to as a place between statements; with *SINGLE the statement
 * without braces that begins there. NO_NODE: it is none.
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

static void tell_misplaced(struct translation *t, const struct directive *d)
{
    if (tree_innermost(t, d->start) == (size_t)NO_NODE)
        problem_at(t, d->start, "this pragma stands for code: put it into a function");
    else
        problem_at(t, d->start,
                   "this pragma stands within a statement: put it before or behind it");
}

/* The end of an experiment around one statement stands right behind that. */
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
        tell_misplaced(t, d);
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
        tell_misplaced(t, d->partner);
    else
        problem_at(t, d->partner->start,
                   "experiment '%s' ends in another block than it begins in, in line %d: put both "
                   "pragmas into the same { }",
                   d->name.text, line_of(t, d));
}

/* Was the loop made whole, from the brace that was put in to the one at its end? */
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

/* A report is a statement, which the body of an if, else or loop may be only with braces. */
static void place_report(struct translation *t, const struct directive *d)
{
    size_t single, block = block_at(t, d->start, &single);

    if (block == (size_t)NO_NODE)
        tell_misplaced(t, d);
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
