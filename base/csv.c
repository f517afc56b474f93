/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads lines of values that are separated by commas or another character. */
#include <portolan/base.h>

#include <string.h>

/* A blank around a field is dropped; tabs count, unless they separate fields. */
static bool is_blank(const struct portolan_csv *c, char x)
{
    return x == ' ' || x == '\r' || (x == '\t' && c->separator != '\t');
}

static bool ends_field(const struct portolan_csv *c, char x)
{
    return c->separator == ' ' ? is_blank(c, x) : x == c->separator;
}

static const char *skip_blanks(const struct portolan_csv *c, const char *at, const char *stop)
{
    while (at < stop && is_blank(c, *at))
        at++;
    return at;
}

/* Both set *TEXT and return where the field at AT ends; NULL: no memory, or a quote stays open. */
static const char *read_plain(struct portolan_csv *c, const char *at, const char *stop, char **text)
{
    const char *end = at, *last;

    while (end < stop && !ends_field(c, *end))
        end++;
    for (last = end; last > at && is_blank(c, last[-1]);)
        last--;
    *text = portolan_arena_strndup(c->arena, at, (size_t)(last - at));
    return *text ? end : NULL;
}

static const char *read_quoted(struct portolan_csv *c, const char *at, const char *stop,
                               char **text)
{
    const char *end = ++at;
    size_t length = 0;

    for (; end < stop && (*end != '"' || (end + 1 < stop && end[1] == '"')); end++, length++)
        end += *end == '"';
    if (end == stop || !(*text = portolan_arena_alloc(c->arena, length + 1, 1)))
        return NULL;
    for (size_t i = 0; i < length; i++, at++) {
        (*text)[i] = *at;
        at += *at == '"';
    }
    end++;
    return c->separator == ' ' ? end : skip_blanks(c, end, stop);
}

static bool add_field(struct portolan_csv *c, char *text, int column)
{
    char **fields;
    int *columns;

    if (c->n_fields == c->room) {
        c->room = c->room ? 2 * c->room : 16;
        fields = portolan_arena_alloc(c->arena, c->room, sizeof *fields);
        columns = portolan_arena_alloc(c->arena, c->room, sizeof *columns);
        if (!fields || !columns)
            return false;
        if (c->n_fields) {
            memcpy(fields, c->fields, c->n_fields * sizeof *fields);
            memcpy(columns, c->columns, c->n_fields * sizeof *columns);
        }
        c->fields = fields;
        c->columns = columns;
    }
    c->fields[c->n_fields] = text;
    c->columns[c->n_fields++] = column;
    return true;
}

/* False when memory is out, or after reporting what is wrong. */
static bool split(struct portolan_csv *c, const char *line, const char *stop)
{
    c->n_fields = 0;
    for (const char *at = line;; at++) {
        const char *start = skip_blanks(c, at, stop);
        bool quoted = start < stop && *start == '"';
        char *text;

        if (c->separator == ' ' && start == stop)
            return true;
        at = quoted ? read_quoted(c, start, stop, &text) : read_plain(c, start, stop, &text);
        if (c->arena->failed || (at && !add_field(c, text, (int)(start - line) + 1)))
            return false;
        if (!at || (at < stop && !ends_field(c, *at))) {
            portolan_diagnose(c->d, c->file, c->line, 0,
                              "a quote is not closed, or text follows it");
            return false;
        }
        if (at == stop)
            return true;
    }
}

static char guess_separator(const char *line, const char *stop)
{
    static const char known[] = ",;\t";

    for (const char *s = known; *s; s++)
        if (memchr(line, *s, (size_t)(stop - line)))
            return *s;
    return ' ';
}

void portolan_csv_begin(struct portolan_csv *c, const char *text, size_t size)
{
    bool has_mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;

    c->at = text + (has_mark ? 3 : 0); /* spreadsheets begin a file with it */
    c->end = text + size;
    c->n_fields = 0;
}

bool portolan_csv_next(struct portolan_csv *c)
{
    while (c->at < c->end && !c->arena->failed) {
        const char *line = c->at, *end = memchr(line, '\n', (size_t)(c->end - line));
        const char *stop = end ? end : c->end, *first = skip_blanks(c, line, stop);

        c->at = end ? end + 1 : c->end;
        c->line++;
        if (first == stop || (c->comment && *first == c->comment))
            continue;
        if (!c->separator)
            c->separator = guess_separator(first, stop);
        if (split(c, line, stop))
            return true;
    }
    return false;
}
