/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of one pragma. */
#include "pragma.h"

#include <ctype.h>
#include <string.h>

size_t reader_at(const struct reader *r)
{
    return r->d->body + (size_t)(r->next - r->d->text);
}

void reader_blanks(struct reader *r)
{
    for (;;) {
        if (isspace((unsigned char)*r->next))
            r->next++;
        else if (r->next[0] == '\\' && (r->next[1] == '\n' || r->next[1] == '\r'))
            r->next += 2;
        else
            return;
    }
}

bool reader_ends(struct reader *r)
{
    reader_blanks(r);
    return *r->next == '\0';
}

bool text_begins_word(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

struct words reader_take(struct reader *r, size_t length)
{
    struct words w = {reader_at(r), portolan_arena_strndup(&r->t->arena, r->next, length)};

    r->next += length;
    return w;
}

struct words reader_word(struct reader *r)
{
    size_t length = 0;

    reader_blanks(r);
    if (text_begins_word(*r->next))
        while (text_begins_word(r->next[length]) || isdigit((unsigned char)r->next[length]))
            length++;
    return length ? reader_take(r, length) : (struct words){reader_at(r), NULL};
}

struct words reader_rest(struct reader *r)
{
    size_t length;

    reader_blanks(r);
    length = strlen(r->next);
    while (length && isspace((unsigned char)r->next[length - 1]))
        length--;
    return length ? reader_take(r, length) : (struct words){reader_at(r), NULL};
}

size_t text_item(const char *text)
{
    size_t i = 1;

    if (*text != '"' && *text != '\'')
        return 1;
    while (text[i] && text[i] != *text)
        i += text[i] == '\\' && text[i + 1] ? 2 : 1;
    return text[i] ? i + 1 : i;
}

size_t text_parenthesis(const char *text)
{
    size_t depth = 0;

    for (size_t i = 0; text[i]; i += text_item(text + i)) {
        depth += text[i] == '(';
        if (text[i] == ')' && --depth == 0)
            return i + 1;
    }
    return 0;
}

bool text_is_balanced(const char *text)
{
    char open[64];
    size_t depth = 0;

    for (size_t i = 0; text[i]; i += text_item(text + i)) {
        if (strchr("([{", text[i])) {
            if (depth == sizeof open)
                return false;
            open[depth++] = text[i] == '(' ? ')' : text[i] == '[' ? ']' : '}';
        } else if (strchr(")]};", text[i]) && (!depth || open[--depth] != text[i])) {
            return false;
        }
    }
    return depth == 0;
}

void reader_fail(struct reader *r)
{
    r->d->is_bad = true;
}

struct words reader_string(struct reader *r)
{
    struct words w = {reader_at(r), NULL};
    size_t length = *r->next == '"' ? text_item(r->next) : 0;

    if (length < 2 || r->next[length - 1] != '"')
        return w;
    r->next++;
    w = reader_take(r, length - 2);
    r->next++;
    return w;
}
