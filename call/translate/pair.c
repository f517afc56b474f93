/* SPDX-License-Identifier: BSD-3-Clause */
/* Begins and ends: of experiments, and of sweeps. */
#include "internal.h"

#include <string.h>

struct open {
    struct translation *t;
    struct directive **list; /* the innermost last */
    size_t n;
};

static bool is_closed_by(const struct directive *begin, const struct directive *end)
{
    if (begin->kind == DIRECTIVE_FOR)
        return end->kind == DIRECTIVE_END_FOR;
    return end->kind == DIRECTIVE_END && strcmp(begin->name.text, end->name.text) == 0;
}

static const char *name_of(struct translation *t, const struct directive *d)
{
    return d->kind == DIRECTIVE_FOR
               ? "the sweep"
               : portolan_libclang_print(&t->arena, "experiment '%s'", d->name.text);
}

static bool ends_later(const struct translation *t, const struct directive *begin,
                       const struct directive *from)
{
    for (const struct directive *d = from; d < t->directives + t->n_directives; d++)
        if (is_closed_by(begin, d))
            return true;
    return false;
}

/* An end of what nobody began. */
static void tell_stray(struct open *open, const struct directive *end)
{
    struct translation *t = open->t;
    const char **names = portolan_arena_alloc(&t->arena, open->n + 1, sizeof *names);
    const char *near = NULL;
    size_t n = 0;

    if (end->kind == DIRECTIVE_END_FOR) {
        problem_at(t, end->body,
                   "no sweep is open here: it begins with 'cll for (init; condition; "
                   "step)'");
        return;
    }
    for (size_t i = 0; names && i < open->n; i++)
        if (open->list[i]->kind == DIRECTIVE_BEGIN)
            names[n++] = open->list[i]->name.text;
    if (names)
        near = portolan_nearest_word(end->name.text, names, n);
    if (near)
        problem_at(t, end->name.at, "no experiment '%s' is open here%s", end->name.text,
                   portolan_did_you_mean(near).text);
    else
        problem_at(t, end->name.at,
                   "no experiment '%s' is open here: it begins with '#pragma cll %s'",
                   end->name.text, end->name.text);
}

static void close_one(struct open *open, struct directive *end)
{
    struct translation *t = open->t;
    size_t i = open->n;
    struct directive *inner;

    while (i && !is_closed_by(open->list[i - 1], end))
        i--;
    if (!i) {
        tell_stray(open, end);
        return;
    }
    inner = open->list[open->n - 1];
    if (i < open->n && ends_later(t, inner, end))
        problem_at(t, end->body, "%s, begun in line %d, must end before %s of line %d does",
                   name_of(t, inner), line_of(t, inner), name_of(t, open->list[i - 1]),
                   line_of(t, open->list[i - 1]));
    open->list[i - 1]->partner = end;
    end->partner = open->list[i - 1];
    open->n--;
    memmove(&open->list[i - 1], &open->list[i], (open->n - (i - 1)) * sizeof *open->list);
}

static void tell_open(struct translation *t, const struct directive *d)
{
    const char *near = d->kind == DIRECTIVE_BEGIN ? pragma_nearest(d->name.text) : NULL;

    if (d->kind == DIRECTIVE_FOR)
        problem_at(t, d->body, "this sweep never ends: put '#pragma cll end for' behind its body");
    else if (near)
        problem_at(t, d->name.at,
                   "'%s' is no word of the pragmas%s (an experiment of this name would need "
                   "'#pragma cll end %s')",
                   d->name.text, portolan_did_you_mean(near).text, d->name.text);
    else
        problem_at(t, d->name.at,
                   "experiment '%s' never ends: put '#pragma cll end %s' behind what it times",
                   d->name.text, d->name.text);
}

void pair_directives(struct translation *t)
{
    struct open open = {
        .t = t, .list = portolan_arena_alloc(&t->arena, t->n_directives + 1, sizeof *open.list)};

    for (size_t i = 0; i < t->n_directives; i++)
        t->directives[i].partner = NULL;
    for (size_t i = 0; open.list && i < t->n_directives; i++) {
        struct directive *d = &t->directives[i];

        if (d->kind == DIRECTIVE_BEGIN || d->kind == DIRECTIVE_FOR)
            open.list[open.n++] = d;
        else if (d->kind == DIRECTIVE_END || d->kind == DIRECTIVE_END_FOR)
            close_one(&open, d);
    }
    for (size_t i = 0; i < open.n; i++)
        tell_open(t, open.list[i]);
}
