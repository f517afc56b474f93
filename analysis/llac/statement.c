/* SPDX-License-Identifier: BSD-3-Clause */
/* A statement that is read: its tokens, names and files. */
#include "internal.h"

#include <portolan/command.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const llac_reserved[] = {
    "absolute", "as",      "at",       "by",        "confidence", "deviation", "drop", "in",
    "keep",     "loglog",  "logx",     "logy",      "max",        "maximum",   "mean", "median",
    "min",      "minimum", "negative", "observing", "of",         "on",        "over", "pieces",
    "relative", "rename",  "search",   "sort",      "sum",        "title",     "to",   "trial",
    "trimmed",  "typical", "unit",     "using",     "where",      "with",      NULL,
};

static bool is_reserved(const char *word)
{
    for (const char *const *r = llac_reserved; *r; r++)
        if (!strcmp(*r, word))
            return true;
    return false;
}

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The end of a name, including its members: a.b, a->b. */
static const char *end_of_name(const char *at, const char *end)
{
    for (;;) {
        while (at < end && is_name_part(*at))
            at++;
        if (at + 1 < end && *at == '.' && is_name_start(at[1]))
            at++;
        else if (at + 2 < end && at[0] == '-' && at[1] == '>' && is_name_start(at[2]))
            at += 2;
        else
            return at;
    }
}

static const char *end_of_number(const char *at, const char *end)
{
    while (at < end && (is_name_part(*at) || *at == '.' ||
                        ((*at == '+' || *at == '-') && (at[-1] == 'e' || at[-1] == 'E'))))
        at++;
    return at;
}

static void read_token(struct token *t, const char *end)
{
    static const char *const pairs[] = {"<=", ">=", "==", "!=", "&&", "||"};
    const char *at = t->at, *close;

    t->kind = TOKEN_SIGN;
    t->length = 1;
    if (at >= end) {
        t->kind = TOKEN_END;
        t->length = 0;
    } else if (is_name_start(*at)) {
        t->kind = TOKEN_NAME;
        t->length = (size_t)(end_of_name(at, end) - at);
    } else if (isdigit((unsigned char)*at) ||
               (*at == '.' && at + 1 < end && isdigit((unsigned char)at[1]))) {
        t->kind = TOKEN_NUMBER;
        t->length = (size_t)(end_of_number(at + 1, end) - at);
    } else if (strchr("\"'`", *at)) {
        close = memchr(at + 1, *at, (size_t)(end - at - 1));
        t->kind = !close || memchr(at, '\n', (size_t)(close - at)) ? TOKEN_BAD
                  : *at == '`'                                     ? TOKEN_NAME
                                                                   : TOKEN_STRING;
        t->length = close ? (size_t)(close - at + 1) : (size_t)(end - at);
    } else {
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
            if (end - at >= 2 && !strncmp(at, pairs[i], 2))
                t->length = 2;
    }
}

/* Skips blanks and joined lines. */
static void skip_blanks(struct token *t, const char *end)
{
    for (; t->at < end; t->at++) {
        if (*t->at == '\n') {
            t->line++;
            t->column = 1;
        } else if (strchr(" \t\r", *t->at) ||
                   (*t->at == '\\' && t->at + 1 < end && strchr("\r\n", t->at[1]))) {
            t->column++;
        } else {
            return;
        }
    }
}

static struct token token_behind(const struct token *t, const char *end)
{
    struct token next = *t;

    next.at += t->length;
    next.column += (int)t->length;
    skip_blanks(&next, end);
    read_token(&next, end);
    return next;
}

void llac_begin(struct statement *s, const char *at, const char *end, int line, int column)
{
    s->end = end;
    s->last_end = at;
    s->now = (struct token){.at = at, .line = line, .column = column};
    skip_blanks(&s->now, end);
    read_token(&s->now, end);
}

void llac_advance(struct statement *s)
{
    s->last_end = s->now.at + s->now.length;
    s->now = token_behind(&s->now, s->end);
}

static bool is_token(const struct token *t, const char *text)
{
    return (t->kind == TOKEN_NAME || t->kind == TOKEN_SIGN) && strlen(text) == t->length &&
           !strncmp(t->at, text, t->length);
}

bool llac_is(const struct statement *s, const char *text)
{
    return is_token(&s->now, text);
}

bool llac_is_next(const struct statement *s, const char *text)
{
    struct token next = token_behind(&s->now, s->end);

    return is_token(&next, text);
}

bool llac_accept(struct statement *s, const char *text)
{
    if (!llac_is(s, text))
        return false;
    llac_advance(s);
    return true;
}

const char *llac_text(struct statement *s, const struct token *t)
{
    bool quoted = t->length >= 2 && strchr("\"'`", *t->at);

    return portolan_arena_strndup(&s->arena, t->at + quoted, t->length - (quoted ? 2 : 0));
}

/* ------------------------------------------------------------------------------- suggestions */

size_t llac_observable(struct statement *s, const struct token *at, const struct table *t,
                       const char *wanted)
{
    size_t column = table_observable(t, wanted);

    if (column == NONE)
        statement_fail(s, at, "'%s' has no observable; `observing COLUMN` declares one",
                       t->experiment);
    return column;
}

const char *llac_suggest(struct statement *s, const char *name, const char *const *known, size_t n,
                         const char *otherwise)
{
    const char *near = portolan_nearest_word(name, known, n);

    return near ? portolan_arena_strdup(&s->arena, portolan_did_you_mean(near).text) : otherwise;
}

const char *llac_suggest_column(struct statement *s, const char *name, const struct table *t,
                                const char **known, size_t n)
{
    struct portolan_text all = {.arena = &s->arena};

    portolan_text_add(&all, "; its columns are ");
    for (size_t i = 0; i < t->n_columns; i++) {
        known[n++] = t->columns[i].name;
        portolan_text_add(&all, "%s%s", i ? ", " : "", t->columns[i].name);
    }
    return llac_suggest(s, name, known, n, all.bytes);
}

void llac_warn(struct portolan_llac *in, const char *format, ...)
{
    char text[1000];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (in->options.warn)
        in->options.warn(in->options.arg, text);
}

/* ------------------------------------------------------------------------------- small pieces */

const char *llac_parse_name(struct statement *s, const char *what)
{
    const char *name = llac_text(s, &s->now);

    if (s->now.kind != TOKEN_NAME)
        statement_fail(s, &s->now, "%s is wanted here%s%s%s", what, *name ? ", not '" : "", name,
                       *name ? "'" : "");
    if (*s->now.at != '`' && is_reserved(name))
        statement_fail(
            s, &s->now,
            "%s is wanted here, and '%s' is a word of the language; a column of that name "
            "stands between backquotes",
            what, name);
    llac_advance(s);
    return name;
}

const char *llac_parse_file(struct statement *s, const char *what)
{
    const char *name;
    size_t length = 0;

    if (s->now.kind == TOKEN_BAD)
        llac_parse_end(s);
    if (s->now.kind != TOKEN_STRING) {
        while (s->now.at + length < s->end && !strchr(" \t\r\n\\\"'", s->now.at[length]))
            length++;
        s->now.length = length;
    }
    name = s->now.kind == TOKEN_STRING ? llac_text(s, &s->now)
                                       : portolan_arena_strndup(&s->arena, s->now.at, length);
    if (s->now.length)
        llac_advance(s);
    if (!*name)
        statement_fail(s, &s->now, "%s is wanted here", what);
    return name;
}

void llac_parse_end(struct statement *s)
{
    if (s->now.kind == TOKEN_BAD)
        statement_fail(s, &s->now, "this text has no end; it ends with %c on the same line",
                       *s->now.at);
    if (s->now.kind != TOKEN_END)
        statement_fail(s, &s->now, "'%s' does not belong here; a command ends with its line or ';'",
                       llac_text(s, &s->now));
}

bool llac_is_stop(const struct statement *s)
{
    char word[16];

    if (s->now.kind == TOKEN_END || s->now.kind == TOKEN_BAD || s->now.kind == TOKEN_STRING)
        return true;
    if (s->now.kind != TOKEN_NAME || s->now.length >= sizeof word)
        return false;
    snprintf(word, sizeof word, "%.*s", (int)s->now.length, s->now.at);
    return is_reserved(word) && !llac_is_next(s, "(");
}

const char *llac_read_path(struct statement *s, const char *file)
{
    const char *slash = strrchr(s->file, '/');
    const char *beside;

    if (*file == '/' || !slash)
        return file;
    beside = portolan_arena_printf(&s->arena, "%.*s/%s", (int)(slash - s->file), s->file, file);
    return access(beside, R_OK) == 0 ? beside : file;
}

void llac_write_file(struct statement *s, const struct token *at, const char *path,
                     const char *text)
{
    statement_check(s, at, portolan_replace_file(path, text, strlen(text), &s->err));
    portolan_text_add(&s->in->out, "%s\n", path);
}
