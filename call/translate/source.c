/* SPDX-License-Identifier: BSD-3-Clause */
/* The source as text: which bytes are code, and where the pragmas are. */
#include "internal.h"

#include <portolan/command.h>

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The length of a backslash and line end at TEXT; 0: there are none. */
static size_t splice(const char *text)
{
    return text[0] != '\\' ? 0 : text[1] == '\n' ? 2 : text[1] == '\r' && text[2] == '\n' ? 3 : 0;
}

/* The end of a comment or quoted text that begins at I; I itself when none begins there. */
static size_t skip_comment(const char *text, size_t size, size_t i)
{
    const char *end;

    if (text[i] != '/')
        return i;
    if (text[i + 1] == '*') {
        end = strstr(text + i + 2, "*/");
        return end ? (size_t)(end - text) + 2 : size;
    }
    if (text[i + 1] != '/')
        return i;
    while (i < size && text[i] != '\n')
        i += splice(text + i) ? splice(text + i) : 1;
    return i;
}

static size_t skip_quoted(const char *text, size_t size, size_t i)
{
    char quote = text[i];

    if (quote != '"' && quote != '\'')
        return i;
    for (i++; i < size && text[i] != quote && text[i] != '\n';)
        i += splice(text + i) ? splice(text + i) : text[i] == '\\' && i + 1 < size ? 2 : 1;
    return i < size && text[i] == quote ? i + 1 : i;
}

/* The end of the directive at I, without its newline. */
static size_t skip_directive(const char *text, size_t size, size_t i)
{
    while (i < size && text[i] != '\n') {
        size_t end = skip_comment(text, size, i);

        if (end == i)
            end = skip_quoted(text, size, i);
        i = end > i ? end : i + (splice(text + i) ? splice(text + i) : 1);
    }
    return i < size ? i : size;
}

static size_t skip_blanks(const char *text, size_t i)
{
    for (;;) {
        if (text[i] == ' ' || text[i] == '\t' || text[i] == '\r')
            i++;
        else if (splice(text + i))
            i += splice(text + i);
        else
            return i;
    }
}

/* The bytes from START to END, with comments replaced by blanks; NUL-terminated. */
static char *without_comments(struct translation *t, size_t start, size_t end)
{
    const char *text = t->source.text;
    char *copy = portolan_arena_strndup(&t->arena, text + start, end - start);

    for (size_t i = start; copy && i < end;) {
        size_t behind = skip_comment(text, end, i);

        if (behind > i) {
            for (; i < behind && i < end; i++)
                if (copy[i - start] != '\n')
                    copy[i - start] = ' ';
        } else {
            behind = skip_quoted(text, end, i);
            i = behind > i ? behind : i + 1;
        }
    }
    return copy;
}

static void add_directive(struct translation *t, struct directive d)
{
    if (d.text)
        portolan_arena_append(&t->arena, &t->directives, &t->n_directives, &d, sizeof d);
}

/* ------------------------------------------------------------------ lines that begin with '#' */

/* A pragma in a macro would be translated only once, at its definition; reports it. */
static void look_into_macro(struct translation *t, size_t start, size_t end)
{
    const char *text = t->source.text;

    for (size_t i = start; i + 7 < end; i++) {
        size_t k;

        if (strncmp(text + i, "_Pragma", 7) != 0)
            continue;
        k = skip_blanks(text, i + 7);
        if (text[k] == '(')
            k = skip_blanks(text, k + 1);
        if (text[k] == '"' && pragma_is_ours(text + k + 1))
            problem_at(t, i,
                       "a pragma of a macro is not translated: write it where the macro is "
                       "used");
    }
}

static size_t take_directive(struct translation *t, size_t i)
{
    const char *text = t->source.text;
    size_t end = skip_directive(text, t->source.size, i), word = skip_blanks(text, i + 1);

    memset(t->source.kind + i, SOURCE_DIRECTIVE, end - i);
    if (strncmp(text + word, "pragma", 6) == 0 && !is_word(text[word + 6])) {
        const char *body = without_comments(t, word + 6, end);

        if (body && pragma_is_ours(body))
            add_directive(
                t, (struct directive){.start = i, .end = end, .body = word + 6, .text = body});
    } else if (strncmp(text + word, "define", 6) == 0) {
        look_into_macro(t, word, end);
    }
    return end;
}

/* ------------------------------------------------------------------ _Pragma */

/* The quoted text from START to END, in the same length: an escaping backslash becomes a blank. */
static char *unquoted(struct translation *t, size_t start, size_t end)
{
    char *copy = portolan_arena_strndup(&t->arena, t->source.text + start, end - start);

    for (size_t i = 0; copy && copy[i]; i++)
        if (copy[i] == '\\' && (copy[i + 1] == '"' || copy[i + 1] == '\\')) {
            copy[i] = ' ';
            i++;
        }
    return copy;
}

/* Reads `_Pragma ( "…" )` at I; returns its end or, if it is not valid, the end of the word. */
static size_t take_operator(struct translation *t, size_t i)
{
    const char *text = t->source.text;
    size_t open = skip_blanks(text, i + 7), quote, end, close;
    const char *body;

    if (text[open] != '(')
        return i + 7;
    quote = skip_blanks(text, open + 1);
    if (text[quote] != '"')
        return i + 7;
    end = skip_quoted(text, t->source.size, quote);
    close = skip_blanks(text, end);
    if (text[close] != ')' || text[end - 1] != '"')
        return i + 7;
    body = unquoted(t, quote + 1, end - 1);
    memset(t->source.kind + i, SOURCE_DIRECTIVE, close + 1 - i);
    if (body && pragma_is_ours(body))
        add_directive(t, (struct directive){.start = i,
                                            .end = close + 1,
                                            .body = quote + 1,
                                            .text = body,
                                            .is_operator = true});
    return close + 1;
}

/* ------------------------------------------------------------------ the whole */

/* Takes one item of the text at I. FRESH: no code precedes it on its line. */
static size_t take_item(struct translation *t, size_t i, bool fresh)
{
    const char *text = t->source.text;
    size_t size = t->source.size, end = skip_comment(text, size, i);

    if (end > i)
        return end;
    end = skip_quoted(text, size, i);
    if (end > i) {
        memset(t->source.kind + i, SOURCE_TEXT, end - i);
        return end;
    }
    if (fresh && text[i] == '#')
        return take_directive(t, i);
    end = i + 1;
    if (is_word(text[i]))
        while (end < size && is_word(text[end]))
            end++;
    if (end - i == 7 && strncmp(text + i, "_Pragma", 7) == 0)
        end = take_operator(t, i);
    if (t->source.kind[i] != SOURCE_DIRECTIVE)
        memset(t->source.kind + i, SOURCE_CODE, end - i);
    return end;
}

static void find_lines(struct translation *t)
{
    struct source *s = &t->source;

    for (size_t i = 0; i <= s->size; i++)
        if (!i || s->text[i - 1] == '\n')
            portolan_arena_append(&t->arena, &s->lines, &s->n_lines, &i, sizeof i);
}

enum portolan_status source_scan(struct translation *t, const char *text, size_t size)
{
    bool fresh = true;

    t->source.file = t->options->file;
    t->source.text = text;
    t->source.size = size;
    t->source.kind = portolan_arena_alloc(&t->arena, size + 1, 1);
    find_lines(t);
    if (t->arena.failed)
        return portolan_no_memory(t->err);
    if (memchr(text, '\0', size))
        return portolan_error_set(t->err, PORTOLAN_ESYNTAX,
                                  "%s: there are bytes 0 in it: this is no C", t->source.file);
    for (size_t i = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; i < size;) {
        size_t end;

        if (text[i] == '\n') {
            fresh = true;
            i++;
            continue;
        }
        end = skip_blanks(text, i);
        if (end > i || text[i] == '\f' || text[i] == '\v') {
            i = end > i ? end : i + 1;
            continue;
        }
        end = take_item(t, i, fresh);
        fresh = fresh && t->source.kind[i] == SOURCE_BLANK;
        i = end;
    }
    return PORTOLAN_OK;
}

enum portolan_status source_read(struct translation *t)
{
    const char *text;
    size_t size;
    enum portolan_status status =
        portolan_file_read(&t->arena, t->options->file, &text, &size, t->err);

    return status == PORTOLAN_OK ? source_scan(t, text, size) : status;
}

struct place source_place(const struct source *s, size_t at)
{
    size_t low = 0, high = s->n_lines;

    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;

        if (s->lines[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return (struct place){(int)low + 1, (int)(at - s->lines[low]) + 1};
}

static bool is_code(const struct source *s, size_t i)
{
    return s->kind[i] == SOURCE_CODE || s->kind[i] == SOURCE_TEXT;
}

size_t source_next(const struct source *s, size_t at)
{
    while (at < s->size && !is_code(s, at))
        at++;
    return at;
}

size_t source_previous(const struct source *s, size_t at)
{
    while (at > 0 && !is_code(s, at - 1))
        at--;
    return at;
}

bool source_has_word(const struct source *s, const char *word)
{
    size_t length = strlen(word);

    for (const char *c = s->text; (c = strstr(c, word)) != NULL; c += length)
        if ((c == s->text || !is_word(c[-1])) && !is_word(c[length]))
            return true;
    return false;
}
