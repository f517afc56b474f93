/* SPDX-License-Identifier: BSD-3-Clause */
#include "lexer.h"

#include <ctype.h>
#include <string.h>

struct lexer {
    struct portolan_arena *arena;
    struct portolan_diagnostics *d;
    const char *at, *end;
    const char *comment;
    struct portolan_sidl_place place;
    struct tokens tokens;
    bool is_broken; /* what comes behind would only be misread */
};

static const char *const reserved[] = {
    "abstract",     "and",     "array",      "bool",           "char",      "class",
    "column-major", "copy",    "dcomplex",   "double",         "else",      "ensure",
    "enum",         "extends", "false",      "fcomplex",       "final",     "float",
    "from",         "iff",     "implements", "implements-all", "implies",   "import",
    "in",           "inout",   "int",        "interface",      "invariant", "is",
    "local",        "long",    "mod",        "nonblocking",    "not",       "null",
    "oneway",       "opaque",  "or",         "order",          "out",       "package",
    "pure",         "rarray",  "rem",        "require",        "result",    "row-major",
    "static",       "string",  "struct",     "then",           "throws",    "true",
    "version",      "void",    "xor",
};

const char *const *lexer_reserved_words(size_t *count)
{
    *count = sizeof reserved / sizeof *reserved;
    return reserved;
}

bool lexer_is_reserved(const char *word)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(word, reserved[i]) == 0)
            return true;
    return false;
}

static char peek(const struct lexer *l, size_t ahead)
{
    return (size_t)(l->end - l->at) > ahead ? l->at[ahead] : '\0';
}

static bool starts(const struct lexer *l, const char *text)
{
    const size_t length = strlen(text);

    return (size_t)(l->end - l->at) >= length && memcmp(l->at, text, length) == 0;
}

static void skip(struct lexer *l, size_t count)
{
    for (; count > 0 && l->at < l->end; count--) {
        l->place.column++;
        if (*l->at++ == '\n') {
            l->place.line++;
            l->place.column = 1;
        }
    }
}

/* TEXT points into what is read. */
static void push(struct lexer *l, enum token_kind kind, const char *text, size_t length,
                 struct portolan_sidl_place place)
{
    const bool is_quoted = kind == TOKEN_STRING || kind == TOKEN_CHARACTER;
    struct token token = {
        .kind = kind, .place = place, .comment = l->comment, .source = text - is_quoted};

    token.text = portolan_arena_strndup(l->arena, text, length);
    token.is_reserved = kind == TOKEN_WORD && lexer_is_reserved(token.text);
    l->comment = NULL;
    ARENA_PUSH(l->arena, l->tokens.list, l->tokens.count, token);
}

/* The text of a doc comment: stars and indentation at line starts taken off, ends trimmed. */
static const char *tidy_comment(struct portolan_arena *a, const char *text, size_t length)
{
    struct portolan_text out = {.arena = a};
    const char *end = text + length;

    while (text < end) {
        const char *eol = memchr(text, '\n', (size_t)(end - text));
        const char *line = text, *stop = eol ? eol : end;

        while (line < stop && isspace((unsigned char)*line))
            line++;
        while (line < stop && *line == '*')
            line++;
        if (line < stop && *line == ' ')
            line++;
        text = stop + (eol != NULL);
        while (stop > line && (isspace((unsigned char)stop[-1]) || (!eol && stop[-1] == '*')))
            stop--;
        if (stop > line || out.length) {
            portolan_text_add_bytes(&out, line, (size_t)(stop - line));
            portolan_text_add_bytes(&out, "\n", 1);
        }
    }
    while (out.length && out.bytes[out.length - 1] == '\n')
        out.bytes[--out.length] = '\0';
    return out.length ? out.bytes : NULL;
}

static void read_comment(struct lexer *l)
{
    const struct portolan_sidl_place start = l->place;
    const bool is_doc = starts(l, "/**") && !starts(l, "/**/");
    const char *body = l->at + (is_doc ? 3 : 2);

    skip(l, 2);
    while (l->at < l->end && !starts(l, "*/"))
        skip(l, 1);
    if (l->at == l->end) {
        portolan_diagnose(l->d, start.file, start.line, start.column,
                          "this comment has no end, close it with */");
        l->is_broken = true;
        return;
    }
    if (is_doc)
        l->comment = tidy_comment(l->arena, body, l->at > body ? (size_t)(l->at - body) : 0);
    skip(l, 2);
}

static void skip_blanks(struct lexer *l)
{
    while (l->at < l->end) {
        if (strchr(" \t\n\r\f\v", *l->at) && *l->at) {
            skip(l, 1);
        } else if (starts(l, "//")) {
            while (l->at < l->end && *l->at != '\n')
                skip(l, 1);
        } else if (starts(l, "/*")) {
            read_comment(l);
        } else {
            return;
        }
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void read_word(struct lexer *l)
{
    static const char *const hyphened[] = {"implements-all", "column-major", "row-major"};
    const struct portolan_sidl_place place = l->place;
    const char *start = l->at;
    size_t length = 0;

    while (is_word(peek(l, length)))
        length++;
    for (size_t i = 0; i < sizeof hyphened / sizeof *hyphened; i++) {
        const size_t whole = strlen(hyphened[i]);

        if (starts(l, hyphened[i]) && hyphened[i][length] == '-' && !is_word(peek(l, whole)))
            length = whole;
    }
    skip(l, length);
    push(l, TOKEN_WORD, start, length, place);
}

/* Integers (decimal, hex, octal, l behind), reals (exponent, f or d behind), versions. */
static void read_number(struct lexer *l)
{
    const struct portolan_sidl_place place = l->place;
    const char *start = l->at;
    int dots = 0;
    bool is_real = false;
    size_t n = 0;

    if (peek(l, 0) == '0' && (peek(l, 1) == 'x' || peek(l, 1) == 'X')) {
        n = 2;
        while (isxdigit((unsigned char)peek(l, n)))
            n++;
    } else {
        while (isdigit((unsigned char)peek(l, n)) ||
               (peek(l, n) == '.' && (isdigit((unsigned char)peek(l, n + 1)) || dots == 0)))
            dots += peek(l, n++) == '.';
        if (dots < 2 && (peek(l, n) == 'e' || peek(l, n) == 'E')) {
            const size_t sign = peek(l, n + 1) == '+' || peek(l, n + 1) == '-';

            if (isdigit((unsigned char)peek(l, n + 1 + sign))) {
                is_real = true;
                n += 1 + sign;
                while (isdigit((unsigned char)peek(l, n)))
                    n++;
            }
        }
    }
    skip(l, n);
    push(l,
         dots > 1          ? TOKEN_VERSION
         : dots || is_real ? TOKEN_REAL
                           : TOKEN_INTEGER,
         start, n, place);
    if (peek(l, 0) && strchr(dots || is_real ? "fFdD" : "lL", peek(l, 0)) && !is_word(peek(l, 1)))
        skip(l, 1);
}

static void read_quoted(struct lexer *l)
{
    const struct portolan_sidl_place place = l->place;
    const char quote = *l->at;
    const char *start;

    skip(l, 1);
    start = l->at;
    while (l->at < l->end && *l->at != quote && *l->at != '\n')
        skip(l, *l->at == '\\' && l->end - l->at > 1 && l->at[1] != '\n' ? 2 : 1);
    push(l, quote == '"' ? TOKEN_STRING : TOKEN_CHARACTER, start, (size_t)(l->at - start), place);
    if (l->at < l->end && *l->at == quote) {
        skip(l, 1);
        return;
    }
    portolan_diagnose(l->d, place.file, place.line, place.column,
                      "this text has no end, close it with %c on the same line", quote);
    l->is_broken = true;
}

static bool read_extension(struct lexer *l)
{
    const struct portolan_sidl_place place = l->place;
    size_t n = 1;

    while (is_word(peek(l, n)))
        n++;
    if (n == 1 || peek(l, n) != ']')
        return false;
    push(l, TOKEN_EXTENSION, l->at + 1, n - 1, place);
    skip(l, n + 1);
    return true;
}

static bool read_symbol(struct lexer *l)
{
    /* longest first */
    static const char *const symbols[] = {"<<<", ">>>", "==", ">=", "<=", "!=", "**", "{", "}",
                                          "(",   ")",   "<",  ">",  ",",  ";",  ".",  "=", "&",
                                          "^",   ":",   "-",  "|",  "+",  "/",  "*",  "~", "%"};

    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (starts(l, symbols[i])) {
            push(l, TOKEN_SYMBOL, l->at, strlen(symbols[i]), l->place);
            skip(l, strlen(symbols[i]));
            return true;
        }
    return false;
}

static void read_one(struct lexer *l)
{
    const char c = *l->at;

    if (isalpha((unsigned char)c)) {
        read_word(l);
    } else if (isdigit((unsigned char)c)) {
        read_number(l);
    } else if (c == '"' || c == '\'') {
        read_quoted(l);
    } else if (!(c == '[' && read_extension(l)) && !read_symbol(l)) {
        if (isprint((unsigned char)c))
            portolan_diagnose(l->d, l->place.file, l->place.line, l->place.column,
                              "'%c' has no meaning here, remove it", c);
        else
            portolan_diagnose(l->d, l->place.file, l->place.line, l->place.column,
                              "a byte 0x%02x has no meaning here, SIDL is written in ASCII",
                              (unsigned)(unsigned char)c);
        /* once for a run of them */
        while (l->at < l->end && (*l->at == c || !isascii((unsigned char)*l->at)))
            skip(l, 1);
    }
}

struct tokens lexer_read(struct portolan_arena *a, const char *file, const char *text, size_t size,
                         struct portolan_diagnostics *d)
{
    struct lexer l = {.arena = a, .d = d, .at = text, .end = text + size, .place = {file, 1, 1}};

    skip_blanks(&l);
    while (l.at < l.end) {
        read_one(&l);
        skip_blanks(&l);
    }
    if (l.is_broken)
        l.tokens.count = 0;
    push(&l, TOKEN_END, l.at, 0, l.place);
    return l.tokens;
}
