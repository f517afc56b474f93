/* SPDX-License-Identifier: BSD-3-Clause */
/* How far what stands in place of pragmas is indented, and what a sweep becomes the loop of. */
#include "internal.h"

#include <string.h>

static size_t line_start(const struct source *s, size_t at)
{
    return s->lines[source_place(s, at).line - 1];
}

static size_t blanks_at(const struct source *s, size_t at)
{
    size_t n = 0;

    while (s->text[at + n] == ' ' || s->text[at + n] == '\t')
        n++;
    return n;
}

/* Does the pragma begin its line? */
static bool begins_line(const struct source *s, const struct directive *d)
{
    size_t line = line_start(s, d->start);

    return line + blanks_at(s, line) == d->start;
}

/*
 * The blanks before the code around the pragma, where it has none itself: an end's are those of its
 * begin.
 */
static const char *code_indent(struct translation *t, const struct directive *d)
{
    const struct source *s = &t->source;
    bool is_end = d->kind == DIRECTIVE_END || d->kind == DIRECTIVE_END_FOR;
    const struct directive *at = is_end && begins_line(s, d->partner) ? d->partner : d;
    size_t before = source_previous(s, at->start), code = source_next(s, at->end), line;

    if (at != d && line_start(s, at->start) != at->start)
        code = at->start;
    else if (before && ((is_end && at == d) || s->text[code] == '}') && s->text[before - 1] != '{')
        code = before - 1;
    line = line_start(s, code);
    return portolan_libclang_print(&t->arena, "%.*s", (int)blanks_at(s, line), s->text + line);
}

/* What stands in front of the pragma in its line, when that is only blanks; else "". */
const char *indent_own(struct translation *t, const struct directive *d)
{
    const struct source *s = &t->source;
    size_t line = line_start(s, d->start);

    if (!begins_line(s, d))
        return "";
    return portolan_libclang_print(&t->arena, "%.*s", (int)(d->start - line), s->text + line);
}

/* Blanks to be put before what replaces the pragma. */
const char *indent_added(struct translation *t, const struct directive *d)
{
    return line_start(&t->source, d->start) == d->start ? code_indent(t, d) : "";
}

/* ------------------------------------------------------------------ bodies of sweeps */

/* By how much the lines of the sweep move; "" where its author indented them. */
static const char *step(struct translation *t, const struct directive *sweep)
{
    const struct source *s = &t->source;
    const char *loop = *indent_own(t, sweep) ? indent_own(t, sweep) : code_indent(t, sweep);
    size_t line = line_start(s, source_next(s, sweep->end));

    if (line > sweep->start && blanks_at(s, line) > strlen(loop))
        return "";
    return strchr(loop, '\t') ? "\t" : "    ";
}

const char *indent_of_sweeps(struct translation *t, size_t at)
{
    const char *text = "";

    for (size_t i = 0; i < t->n_directives; i++) {
        const struct directive *d = &t->directives[i];

        if (d->kind == DIRECTIVE_FOR && d->end <= at && at < d->partner->start)
            text = portolan_libclang_print(&t->arena, "%s%s", text, step(t, d));
    }
    return text;
}

static bool is_ours(const struct translation *t, size_t at)
{
    for (size_t i = 0; i < t->n_directives; i++)
        if (t->directives[i].start == at)
            return true;
    return false;
}

/* Blanks in front change what a line means behind a backslash; directives stay where they are. */
static bool can_move(const struct translation *t, size_t line, size_t first)
{
    const struct source *s = &t->source;
    size_t end = line - 1; /* of the line before */

    if (end && s->text[end - 1] == '\r')
        end--;
    if (strchr("\r\n", s->text[first]) || s->kind[line - 1] == SOURCE_DIRECTIVE ||
        (end && s->text[end - 1] == '\\'))
        return false;
    return s->text[first] != '#' || s->kind[first] != SOURCE_DIRECTIVE || is_ours(t, first);
}

void indent_sweeps(struct translation *t)
{
    const struct source *s = &t->source;

    for (size_t i = 1; i < s->n_lines; i++) {
        size_t first = s->lines[i] + blanks_at(s, s->lines[i]);
        const char *text = can_move(t, s->lines[i], first) ? indent_of_sweeps(t, first) : "";

        if (*text)
            edit_add(t, s->lines[i], 0, "", text);
    }
}
