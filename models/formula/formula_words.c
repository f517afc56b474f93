/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of the formula language, and where complaints go. */
#include "formula_parse.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- complaints ---- */

enum portolan_status formula_complain(const struct formula_place *place, unsigned line,
                                      unsigned column, const char *format, ...)
{
    long long at_line = (long long)place->line + line;
    long long at_column = (line ? 1LL : (long long)place->column) + column;
    const char *file = place->file ? place->file : "formula";
    char text[600];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    at_line = at_line > INT_MAX ? INT_MAX : at_line;
    at_column = at_column > INT_MAX ? INT_MAX : at_column;
    portolan_diagnose(place->diagnostics, file, (int)at_line, (int)at_column, "%s", text);
    return portolan_error_set(place->err, PORTOLAN_ESYNTAX, "%s:%lld:%lld: %s", file, at_line,
                              at_column, text);
}

bool formula_stop(struct parser *p, enum portolan_status status)
{
    if (!p->status)
        p->status = status;
    p->now.kind = END;
    p->at = p->end;
    return false;
}

bool formula_is_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

bool formula_is_inside(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

char formula_peek(const struct parser *p, size_t ahead)
{
    return ahead < (size_t)(p->end - p->at) ? p->at[ahead] : '\0';
}

/* Over blanks, line ends, and a backslash that hides a line end. */
void formula_skip(struct parser *p)
{
    for (; p->at < p->end; p->at++) {
        bool hides = *p->at == '\\' && (formula_peek(p, 1) == '\n' ||
                                        (formula_peek(p, 1) == '\r' && formula_peek(p, 2) == '\n'));

        if (*p->at == '\n') {
            p->line++;
            p->line_start = p->at + 1;
        } else if (!hides && !isspace((unsigned char)*p->at)) {
            return;
        }
    }
}

static size_t digits_behind(const char *s, size_t n, size_t from)
{
    while (from < n && isdigit((unsigned char)s[from]))
        from++;
    return from;
}

/* C's suffixes change nothing in double arithmetic. */
static bool is_number(const char *s, size_t n, double *number)
{
    char text[64];
    size_t end = digits_behind(s, n, 0);

    if (end < n && s[end] == '.')
        end = digits_behind(s, n, end + 1);
    if (end + 1 < n && (s[end] == 'e' || s[end] == 'E'))
        end = digits_behind(s, n, end + 1 + (s[end + 1] == '-' || s[end + 1] == '+'));
    if (end >= sizeof text)
        return false;
    for (size_t i = end; i < n; i++)
        if (i >= end + 3 || !strchr("fFlLuU", s[i]))
            return false;
    memcpy(text, s, end);
    text[end] = '\0';
    return portolan_read_double(text, number);
}

static void take_number(struct parser *p)
{
    const char *s = p->at;
    size_t n = 0, octal = 0;
    int shown;

    while (formula_is_inside(formula_peek(p, n)) || formula_peek(p, n) == '.' ||
           (n && (s[n - 1] == 'e' || s[n - 1] == 'E') &&
            (formula_peek(p, n) == '+' || formula_peek(p, n) == '-')))
        n++;
    p->now.kind = NUMBER;
    p->now.length = n;
    shown = n < 40 ? (int)n : 40;
    p->at += n;
    while (octal < n && s[octal] >= '0' && s[octal] <= '7')
        octal++;
    if (n > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
        COMPLAIN(p, "\"%.*s\" is hexadecimal; write the number in decimal", shown, s);
    else if (n > 1 && s[0] == '0' && octal == n)
        COMPLAIN(p, "\"%.*s\" is octal in C; write the number in decimal, without the 0 in front",
                 shown, s);
    else if (!is_number(s, n, &p->now.number))
        COMPLAIN(p, "\"%.*s\" is not a number; between two factors stands a *", shown, s);
}

static bool name_add(struct parser *p, size_t *length, const char *bytes, size_t n)
{
    if (*length + n > LONGEST_NAME)
        return COMPLAIN(p, "this name is too long; at most %d bytes are read", (int)LONGEST_NAME);
    memcpy(p->now.name + *length, bytes, n);
    p->now.name[ *length += n] = '\0';
    return true;
}

static bool take_word(struct parser *p, size_t *length)
{
    size_t n = 1;

    while (formula_is_inside(formula_peek(p, n)))
        n++;
    if (!name_add(p, length, p->at, n))
        return false;
    p->at += n;
    return true;
}

/* name, name.member, name->member, and so on. */
static void take_name(struct parser *p)
{
    size_t length = 0;

    p->now.kind = NAME;
    p->now.is_word = true;
    if (!take_word(p, &length))
        return;
    for (;;) {
        const char *at = p->at, *line_start = p->line_start;
        unsigned line = p->line;
        size_t n;

        formula_skip(p);
        n = formula_peek(p, 0) == '.'                                ? 1
            : formula_peek(p, 0) == '-' && formula_peek(p, 1) == '>' ? 2
                                                                     : 0;
        if (!n) {
            p->at = at;
            p->line = line;
            p->line_start = line_start;
            return;
        }
        if (!name_add(p, &length, p->at, n))
            return;
        p->at += n;
        p->now.is_word = false;
        formula_skip(p);
        if (!formula_is_start(formula_peek(p, 0))) {
            COMPLAIN(p, "a member's name is missing behind \"%s\"", p->now.name);
            return;
        }
        if (!take_word(p, &length))
            return;
    }
}

static size_t character_length(const struct parser *p)
{
    char text[5] = {formula_peek(p, 0), formula_peek(p, 1), formula_peek(p, 2), formula_peek(p, 3),
                    '\0'};

    return portolan_utf8_length(text);
}

/* Whatever stands between backquotes; a doubled one is meant as such. */
static void take_quoted(struct parser *p)
{
    size_t length = 0, n;

    p->now.kind = NAME;
    p->now.is_word = false;
    for (p->at++; p->at < p->end; p->at += n) {
        if (*p->at == '`' && formula_peek(p, 1) != '`')
            break;
        n = *p->at == '`' ? 2 : character_length(p);
        if (!n || (unsigned char)*p->at <= ' ')
            break;
        if (!name_add(p, &length, p->at, *p->at == '`' ? 1 : n))
            return;
    }
    if (formula_peek(p, 0) != '`' || !length) {
        COMPLAIN(p, "a name between backquotes is UTF-8 text without blanks, on one line");
        return;
    }
    p->at++;
}

static void take_symbol(struct parser *p)
{
    static const char *const pairs[] = {"==", "!=", "<=", ">=", "&&", "||"};
    static const struct {
        const char *text, *remedy;
    } wrong[] = {
        {"**", "a power is written a ^ b, or pow(a, b)"},
        {"->", "a member's name stands directly behind a name"},
        {"%", "there is no remainder; write a - b * floor(a / b)"},
        {"&", "\"and\" is written &&"},
        {"|", "\"or\" is written ||"},
        {"=", "\"equal\" is written =="},
        {"{", "parentheses are ( and )"},
        {"}", "parentheses are ( and )"},
        {"\"", "a formula holds numbers and names only"},
        {"'", "a formula holds numbers and names only"},
        {";", "a formula ends without a semicolon"},
        {"~", "\"not\" is written !"},
    };
    char text[3] = {formula_peek(p, 0), formula_peek(p, 1), '\0'};

    p->now.kind = SYMBOL;
    p->now.length = 1;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(text, pairs[i]) == 0)
            p->now.length = 2;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong && p->now.length == 1; i++)
        if (strncmp(text, wrong[i].text, strlen(wrong[i].text)) == 0) {
            COMPLAIN(p, "\"%s\" has no meaning here; %s", wrong[i].text, wrong[i].remedy);
            return;
        }
    if (!strchr("+-*/^()?:,!<>=&|[]", text[0]) || !text[0]) {
        COMPLAIN(p, "a formula has no such character; names that do stand between backquotes");
        return;
    }
    p->at += p->now.length;
}

void formula_next(struct parser *p)
{
    if (p->status)
        return;
    formula_skip(p);
    p->now.line = p->line;
    p->now.column = (unsigned)(p->at - p->line_start);
    p->now.text = p->at;
    p->now.length = 0;
    if (p->at == p->end)
        p->now.kind = END;
    else if (isdigit((unsigned char)*p->at) ||
             (*p->at == '.' && isdigit((unsigned char)formula_peek(p, 1))))
        take_number(p);
    else if (formula_is_start(*p->at))
        take_name(p);
    else if (*p->at == '`')
        take_quoted(p);
    else
        take_symbol(p);
}
