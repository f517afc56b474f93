/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits text into tokens. */
#include "parser.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_COMPLAINTS = 50 }; /* about one file */

struct lexer {
    struct portolan_arena *arena, *list_arena;
    struct portolan_diagnostics *d;
    const char *at, *end;
    const char *source; /* where the token begins that is read now */
    const char *comment;
    struct portolan_sidl_place place;
    struct tokens tokens;
    bool spoils_next; /* text before the next token was reported and left out */
    int complaints;
};

static const char *const reserved[] = {
    "abstract",     "and",
    "array",        "bool",
    "char",         "class",
    "column-major", "copy",
    "dcomplex",     "double",
    "else",         "ensure",
    "enum",         "extends",
    "false",        "fcomplex",
    "final",        "float",
    "from",         "iff",
    "implements",   "implements-all",
    "implies",      "import",
    "in",           "inout",
    "int",          "interface",
    "invariant",    "is",
    "local",        "long",
    "mod",          "nonblocking",
    "not",          "null",
    "oneway",       "opaque",
    "or",           "order",
    "out",          "package",
    "pure",         "rarray",
    "rem",          "require",
    "result",       "row-major",
    "static",       "string",
    "struct",       "then",
    "throws",       "true",
    "version",      "void",
    "xor",          NULL,
};

bool token_is(const struct token *token, const char *text)
{
    return *token->text == *text && (token->kind == TOKEN_WORD || token->kind == TOKEN_SYMBOL) &&
           strcmp(token->text, text) == 0;
}

static char peek_byte(const struct lexer *l, size_t ahead)
{
    return (size_t)(l->end - l->at) > ahead ? l->at[ahead] : '\0';
}

static bool starts_with(const struct lexer *l, const char *text)
{
    const size_t length = strlen(text);

    return (size_t)(l->end - l->at) >= length && memcmp(l->at, text, length) == 0;
}

static void skip_bytes(struct lexer *l, size_t count)
{
    for (; count > 0 && l->at < l->end; count--) {
        l->place.column++;
        if (*l->at++ == '\n') {
            l->place.line++;
            l->place.column = 1;
        }
    }
}

static void complain(struct lexer *l, struct portolan_sidl_place place, const char *format, ...)
    PORTOLAN_PRINTF(3, 4);

static void complain(struct lexer *l, struct portolan_sidl_place place, const char *format, ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    l->spoils_next = true;
    if (l->tokens.is_cut)
        return;
    portolan_diagnose(l->d, place.file, place.line, place.column, "%s", text);
    if (++l->complaints < MOST_COMPLAINTS)
        return;
    portolan_diagnose(l->d, place.file, place.line, place.column,
                      "too many characters here are not SIDL; the rest is not read");
    l->tokens.is_cut = true;
}

/* The token that began at PLACE and ends here. */
static void push_token(struct lexer *l, enum token_kind kind, const char *text, size_t length,
                       struct portolan_sidl_place place)
{
    const struct token *last = l->tokens.count ? &l->tokens.list[l->tokens.count - 1] : NULL;
    struct token token = {.kind = kind,
                          .place = place,
                          .comment = l->comment,
                          .source = l->source,
                          .is_spoilt = l->spoils_next,
                          .starts_line = !last || last->end_line < place.line,
                          .end_line = l->place.line,
                          .end_column = l->place.column};

    token.text = kind == TOKEN_SYMBOL ? text : portolan_arena_strndup(l->arena, text, length);
    token.is_reserved = kind == TOKEN_WORD && word_is_one_of(token.text, reserved);
    l->comment = NULL;
    l->spoils_next = false;
    ARENA_PUSH(l->list_arena, l->tokens.list, l->tokens.count, token);
}

/* The text of a doc comment without stars and indentation at line starts, trimmed. */
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
    const bool is_doc = starts_with(l, "/**") && !starts_with(l, "/**/");
    const char *body = l->at + (is_doc ? 3 : 2);

    skip_bytes(l, 2);
    while (l->at < l->end && !starts_with(l, "*/"))
        skip_bytes(l, 1);
    if (l->at == l->end) {
        complain(l, start, "this comment has no end; close it with */");
        l->tokens.is_cut = true;
        return;
    }
    if (is_doc)
        l->comment = tidy_comment(l->arena, body, l->at > body ? (size_t)(l->at - body) : 0);
    skip_bytes(l, 2);
}

static void skip_blanks(struct lexer *l)
{
    while (l->at < l->end) {
        if (*l->at && strchr(" \t\n\r\f\v", *l->at)) {
            skip_bytes(l, 1);
        } else if (starts_with(l, "//")) {
            while (l->at < l->end && *l->at != '\n')
                skip_bytes(l, 1);
        } else if (starts_with(l, "/*")) {
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

    while (is_word(peek_byte(l, length)))
        length++;
    for (size_t i = 0; i < sizeof hyphened / sizeof *hyphened; i++) {
        const size_t whole = strlen(hyphened[i]);

        if (starts_with(l, hyphened[i]) && hyphened[i][length] == '-' &&
            !is_word(peek_byte(l, whole)))
            length = whole;
    }
    if (*start == '_')
        complain(l, place,
                 "'%.*s' is no name of yours: those with _ in front are the binding's "
                 "own (_ctor, _load), begin with a letter",
                 (int)length, start);
    skip_bytes(l, length);
    push_token(l, TOKEN_WORD, start, length, place);
}

static size_t count_digits(const struct lexer *l, size_t n)
{
    while (isdigit((unsigned char)peek_byte(l, n)))
        n++;
    return n;
}

/* The length of a number without a suffix; its kind goes to *KIND. */
static size_t measure_number(const struct lexer *l, enum token_kind *kind)
{
    int dots = 0;
    size_t n = 0, sign;

    *kind = TOKEN_INTEGER;
    if (peek_byte(l, 0) == '0' && (peek_byte(l, 1) == 'x' || peek_byte(l, 1) == 'X')) {
        n = 2;
        while (isxdigit((unsigned char)peek_byte(l, n)))
            n++;
        return n;
    }
    n = count_digits(l, 0);
    while (peek_byte(l, n) == '.' && (dots == 0 || isdigit((unsigned char)peek_byte(l, n + 1)))) {
        n = count_digits(l, n + 1);
        *kind = ++dots == 1 ? TOKEN_REAL : TOKEN_VERSION;
    }
    sign = peek_byte(l, n + 1) == '+' || peek_byte(l, n + 1) == '-';
    if (dots < 2 && (peek_byte(l, n) == 'e' || peek_byte(l, n) == 'E') &&
        isdigit((unsigned char)peek_byte(l, n + 1 + sign))) {
        *kind = TOKEN_REAL;
        n = count_digits(l, n + 1 + sign);
    }
    return n;
}

/* Integers (decimal, hex, octal, suffix l), reals (exponent, suffix f or d), versions. */
static void read_number(struct lexer *l)
{
    const struct portolan_sidl_place place = l->place;
    const char *start = l->at;
    enum token_kind kind;
    const size_t length = measure_number(l, &kind);
    const char suffix = peek_byte(l, length);
    const bool is_hex = length > 1 && isalpha((unsigned char)start[1]) && kind == TOKEN_INTEGER;
    size_t whole = length;

    if (suffix && kind != TOKEN_VERSION && strchr("fFdD", suffix) && !is_hex) {
        kind = TOKEN_REAL;
        whole++;
    } else if (kind == TOKEN_INTEGER && (suffix == 'l' || suffix == 'L')) {
        whole++;
    }
    if (is_word(peek_byte(l, whole)) || (is_hex && length == 2)) {
        while (is_word(peek_byte(l, whole)))
            whole++;
        complain(l, place, "'%.*s' is neither a number nor a version like 1.0.3 nor a name",
                 (int)whole, start);
        skip_bytes(l, whole);
        push_token(l, kind == TOKEN_INTEGER ? TOKEN_WORD : kind, start, whole, place);
        return;
    }
    for (size_t i = 1; kind == TOKEN_INTEGER && *start == '0' && !is_hex && i < length; i++)
        if (start[i] > '7') {
            complain(l, place, "%.*s is not a number: a leading 0 means octal, with digits 0 to 7",
                     (int)length, start);
            break;
        }
    skip_bytes(l, whole);
    push_token(l, kind, start, length, place);
}

/* The length of the escape after a backslash, 0 when C has no such escape. */
static size_t escape_length(const char *text, size_t left)
{
    size_t n = 0;

    if (left == 0)
        return 0;
    if (strchr("abfnrtv\\'\"?", *text) && *text)
        return 1;
    while (n < 3 && n < left && text[n] >= '0' && text[n] <= '7')
        n++;
    if (n == 0 && *text == 'x')
        for (n = 1; n < left && isxdigit((unsigned char)text[n]);)
            n++;
    return n == 1 && *text == 'x' ? 0 : n;
}

/* Checks the text between quotes: escapes are those of C, and '…' holds one character. */
static void check_quoted(struct lexer *l, const char *text, size_t length, char quote,
                         struct portolan_sidl_place place)
{
    size_t characters = 0;

    for (size_t i = 0; i < length; i++, characters++) {
        size_t escape;

        if (text[i] != '\\')
            continue;
        escape = escape_length(text + i + 1, length - i - 1);
        if (escape == 0) {
            complain(l, place, "'\\%.1s' is not an escape sequence; write a backslash as '\\\\'",
                     i + 1 < length ? text + i + 1 : "");
            return;
        }
        i += escape;
    }
    if (quote == '\'' && characters != 1)
        complain(l, place, "'%.*s' is not a character: write one between ' and ', strings in \"",
                 (int)length, text);
}

static size_t strcspn_within(const char *text, size_t length, const char *reject)
{
    size_t n = 0;

    while (n < length && !(text[n] && strchr(reject, text[n])))
        n++;
    return n;
}

static void read_quoted(struct lexer *l)
{
    const struct portolan_sidl_place place = l->place;
    const char quote = *l->at;
    const char *start;
    size_t length;

    skip_bytes(l, 1);
    start = l->at;
    while (l->at < l->end && *l->at != quote && *l->at != '\n')
        skip_bytes(l, *l->at == '\\' && l->end - l->at > 1 && l->at[1] != '\n' ? 2 : 1);
    length = (size_t)(l->at - start);
    if (l->at < l->end && *l->at == quote) {
        skip_bytes(l, 1);
        check_quoted(l, start, length, quote, place);
    } else {
        /* the text ends before a character that closes the declaration */
        complain(l, place, "this string has no end; close it with %c on the same line", quote);
        length = strcspn_within(start, length, ",;)}");
        l->place.column -= (int)((size_t)(l->at - start) - length);
        l->at = start + length;
    }
    push_token(l, quote == '"' ? TOKEN_STRING : TOKEN_CHARACTER, start, length, place);
}

/* Reads [word]; reports brackets with several words. */
static bool read_extension(struct lexer *l)
{
    const struct portolan_sidl_place place = l->place;
    const char *word = l->at + 1;
    size_t n = 1, whole = 1;

    while (is_word(peek_byte(l, n)))
        n++;
    if (n == 1 || peek_byte(l, n) != ']') {
        while (is_word(peek_byte(l, whole)) || peek_byte(l, whole) == ' ')
            whole++;
        if (peek_byte(l, whole) != ']')
            return false;
        complain(l, place, "an extension must be one word in brackets, without blanks: name[Word]");
        n = whole;
    }
    skip_bytes(l, n + 1);
    push_token(l, TOKEN_EXTENSION, word, n - 1, place);
    return true;
}

static bool read_symbol(struct lexer *l)
{
    /* longest first */
    static const char *const symbols[] = {"<<<", ">>>", "==", ">=", "<=", "!=", "**", "{", "}",
                                          "(",   ")",   "<",  ">",  ",",  ";",  ".",  "=", "&",
                                          "^",   ":",   "-",  "|",  "+",  "/",  "*",  "~", "%"};
    const struct portolan_sidl_place place = l->place;

    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (*symbols[i] == *l->at && starts_with(l, symbols[i])) {
            l->tokens.braces += (*l->at == '{') - (*l->at == '}');
            skip_bytes(l, strlen(symbols[i]));
            push_token(l, TOKEN_SYMBOL, symbols[i], 0, place);
            return true;
        }
    return false;
}

static void report_character(struct lexer *l)
{
    const char c = *l->at;

    if (starts_with(l, "\xef\xbb\xbf"))
        complain(l, l->place, "a byte order mark is not allowed; save the file without one");
    else if (c == '#')
        complain(l, l->place, "'#' is not allowed, because SIDL has no preprocessor; use require");
    else if (c == '!')
        complain(l, l->place, "'!' is not allowed here; write 'not'");
    else if (isprint((unsigned char)c))
        complain(l, l->place, "'%c' is not allowed here; remove it", c);
    else
        complain(l, l->place, "the byte 0x%02x is not allowed; outside comments SIDL is ASCII",
                 (unsigned)(unsigned char)c);
    if (c == '#')
        while (l->at < l->end && *l->at != '\n')
            skip_bytes(l, 1);
    /* one report for a run of such characters */
    while (l->at < l->end && (*l->at == c || !isascii((unsigned char)*l->at)))
        skip_bytes(l, 1);
}

static void read_one(struct lexer *l)
{
    const char c = *l->at;

    if (is_word(c) && !isdigit((unsigned char)c))
        read_word(l);
    else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)peek_byte(l, 1))))
        read_number(l);
    else if (c == '"' || c == '\'')
        read_quoted(l);
    else if (!(c == '[' && read_extension(l)) && !read_symbol(l))
        report_character(l);
}

struct tokens lexer_read(struct portolan_arena *a, struct portolan_arena *list, const char *file,
                         const char *text, size_t size, struct portolan_diagnostics *d)
{
    struct lexer l = {.arena = a, .list_arena = list, .d = d, .at = text, .end = text + size};

    l.place = (struct portolan_sidl_place){file, 1, 1};
    skip_blanks(&l);
    while (l.at < l.end && !l.tokens.is_cut) {
        l.source = l.at;
        read_one(&l);
        skip_blanks(&l);
    }
    l.source = l.at;
    l.spoils_next |= l.tokens.is_cut;
    push_token(&l, TOKEN_END, "", 0, l.place);
    return l.tokens;
}
