/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses expressions into trees. */
#include "event_expression.h"

#include <ctype.h>
#include <string.h>

enum { DEEPEST = 100 };

struct reader {
    const char *at;
    struct place place;
    int depth;
    struct portolan_arena *arena;
    struct portolan_diagnostics *d;
};

#define COMPLAIN(r, ...) (REPORT_AT((r)->d, (r)->place, __VA_ARGS__), NULL)

static void advance(struct reader *r)
{
    r->place.column++;
    if (*r->at++ == '\n') {
        r->place.line++;
        r->place.column = 1;
    }
}

static void skip_blanks(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        advance(r);
}

static bool take(struct reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return false;
    advance(r);
    return true;
}

static struct event_expression *new_part(struct reader *r, enum event_expression_kind kind)
{
    struct event_expression *e = portolan_arena_alloc(r->arena, 1, sizeof *e);

    if (e)
        *e = (struct event_expression){
            .kind = kind, .component = HERCULE_NONE, .event = HERCULE_NONE, .place = r->place};
    return e;
}

static bool is_in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

static struct event_expression *read_name(struct reader *r)
{
    struct event_expression *e = new_part(r, EXPRESSION_NAME);
    const char *start = r->at;

    while (is_in_name(*r->at))
        advance(r);
    if (e)
        e->name = portolan_arena_strndup(r->arena, start, (size_t)(r->at - start));
    return e && e->name ? e : NULL;
}

static struct event_expression *read_choice(struct reader *r);

static struct event_expression *read_bracketed(struct reader *r, char close)
{
    struct event_expression *e;
    struct place open = r->place;

    if (++r->depth > DEEPEST)
        return COMPLAIN(r, "parentheses are nested more than %d deep", (int)DEEPEST);
    advance(r);
    e = read_choice(r);
    r->depth--;
    if (e && !take(r, close)) {
        if (*r->at)
            return COMPLAIN(r,
                            "unexpected '%c'; write , or | between two names; '%c' closes the "
                            "bracket in column %d",
                            *r->at, close, open.column);
        r->place = open;
        return COMPLAIN(r, "this bracket is never closed; '%c' is missing", close);
    }
    return e;
}

static struct event_expression *read_item(struct reader *r)
{
    struct event_expression *e;

    skip_blanks(r);
    if (*r->at == '(' || *r->at == '[') {
        bool is_optional = *r->at == '[';

        e = read_bracketed(r, is_optional ? ']' : ')');
        if (e && is_optional)
            e->is_optional = true;
    } else if (is_in_name(*r->at)) {
        e = read_name(r);
    } else {
        return *r->at ? COMPLAIN(r, "unexpected '%c'; expected the name of a component or event",
                                 *r->at)
                      : COMPLAIN(r, "the name of a component or event is missing at the end");
    }
    for (skip_blanks(r); e && (*r->at == '+' || *r->at == '*'); skip_blanks(r)) {
        e->is_repeated = true;
        e->is_optional |= *r->at == '*';
        advance(r);
    }
    return e;
}

/* Reads parts with SEPARATOR between them; a single part is returned as it is. */
static struct event_expression *read_list(struct reader *r, char separator,
                                          enum event_expression_kind kind,
                                          struct event_expression *(*read_part)(struct reader *r))
{
    struct event_expression *list = new_part(r, kind), **end;

    if (!list)
        return NULL;
    end = &list->parts;
    do {
        if (!(*end = read_part(r)))
            return NULL;
        end = &(*end)->next;
    } while (take(r, separator));
    return list->parts->next ? list : list->parts;
}

static struct event_expression *read_sequence(struct reader *r)
{
    return read_list(r, ',', EXPRESSION_SEQUENCE, read_item);
}

static struct event_expression *read_choice(struct reader *r)
{
    return read_list(r, '|', EXPRESSION_CHOICE, read_sequence);
}

struct event_expression *event_expression_parse(const char *text, struct place place,
                                                struct portolan_arena *arena,
                                                struct portolan_diagnostics *d)
{
    struct reader r = {text, place, 0, arena, d};
    struct event_expression *e = read_choice(&r);

    skip_blanks(&r);
    return e && *r.at ? COMPLAIN(&r, "unexpected '%c'; write , or | between two names", *r.at) : e;
}
