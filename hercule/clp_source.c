/* SPDX-License-Identifier: BSD-3-Clause */
#include "clp_source.h"

#include <string.h>

struct place place_after(struct place place, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        place.column++;
        if (text[i] == '\n') {
            place.line++;
            place.column = 1;
        }
    }
    return place;
}

struct place clp_place(const struct source *source, size_t at)
{
    return place_after((struct place){source->file, source->first_line, 1}, source->text,
                       at < source->size ? at : source->size);
}

size_t clp_next(const struct source *s, size_t at)
{
    while (at < s->size) {
        if (s->text[at] == ';')
            while (at < s->size && s->text[at] != '\n')
                at++;
        else if (strchr(" \t\r\n\f", s->text[at]))
            at++;
        else
            break;
    }
    return at;
}

size_t clp_token_end(const struct source *s, size_t at)
{
    if (at >= s->size)
        return at;
    if (s->text[at] == '"') {
        for (at++; at < s->size && s->text[at] != '"'; at++)
            at += s->text[at] == '\\' && at + 1 < s->size;
        return at < s->size ? at + 1 : at;
    }
    if (strchr("()", s->text[at]))
        return at + 1;
    while (at < s->size && !strchr(" \t\r\n\f()\";", s->text[at]))
        at++;
    return at;
}

size_t clp_form_end(const struct source *s, size_t at)
{
    int depth = 0;

    while (at < s->size) {
        depth += s->text[at] == '(';
        depth -= s->text[at] == ')';
        at = clp_token_end(s, at);
        if (!depth)
            return at;
        at = clp_next(s, at);
    }
    return 0;
}

char *clp_token(const struct source *s, size_t at)
{
    char *text = portolan_arena_strndup(s->arena, s->text + at, clp_token_end(s, at) - at);

    return text ? text : "";
}

char *clp_value(const struct source *s, size_t at)
{
    char *text = clp_token(s, at), *to = text;
    size_t n = strlen(text);

    if (*text != '"')
        return text;
    for (size_t i = 1; i + 1 < n; i++) {
        i += text[i] == '\\' && i + 2 < n;
        *to++ = text[i];
    }
    *to = 0;
    return text;
}

char *clp_head(const struct source *s, size_t at, size_t *next)
{
    bool is_word;

    if (at < s->size && s->text[at] == '(')
        at = clp_next(s, at + 1);
    is_word = at < s->size && !strchr("()\"", s->text[at]);
    *next = clp_next(s, is_word ? clp_token_end(s, at) : at);
    return is_word ? clp_token(s, at) : "";
}
