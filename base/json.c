/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/json.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each object of a list has its own line, for tools that read line by line. */
enum { LINES_TO_DEPTH = 2 };

static void begin_value(struct portolan_json *j, const char *key)
{
    if (j->has_value)
        portolan_text_add_bytes(j->out, ",", 1);
    if (!j->is_compact && j->depth > 0 && j->depth <= LINES_TO_DEPTH)
        portolan_text_add(j->out, "\n%*s", j->depth, "");
    else if (!j->is_compact && j->has_value)
        portolan_text_add_bytes(j->out, " ", 1);
    if (key) {
        portolan_text_add_json(j->out, key);
        portolan_text_add_bytes(j->out, ": ", j->is_compact ? 1 : 2);
    }
    j->has_value = true;
}

void portolan_json_open(struct portolan_json *j, const char *key, char bracket)
{
    begin_value(j, key);
    portolan_text_add_bytes(j->out, &bracket, 1);
    j->depth++;
    j->has_value = false;
}

void portolan_json_close(struct portolan_json *j, char bracket)
{
    j->depth--;
    if (!j->is_compact && j->has_value && j->depth < LINES_TO_DEPTH)
        portolan_text_add(j->out, "\n%*s", j->depth, "");
    portolan_text_add_bytes(j->out, &bracket, 1);
    j->has_value = j->depth > 0;
    if (j->depth == 0)
        portolan_text_add_bytes(j->out, "\n", 1);
}

void portolan_json_text(struct portolan_json *j, const char *key, const char *text)
{
    begin_value(j, key);
    if (text)
        portolan_text_add_json(j->out, text);
    else
        portolan_text_add_bytes(j->out, "null", 4);
}

/* Whole numbers are written quickly: exports have very many of them. */
static void add_whole(struct portolan_text *t, int64_t x)
{
    char digits[24], *end = digits + sizeof digits, *start = end;
    uint64_t left = x < 0 ? -(uint64_t)x : (uint64_t)x;

    do
        *--start = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (x < 0)
        *--start = '-';
    portolan_text_add_bytes(t, start, (size_t)(end - start));
}

void portolan_text_add_number(struct portolan_text *t, double x)
{
    char text[40];

    if (!isfinite(x)) {
        portolan_text_add_bytes(t, "null", 4);
    } else if (fabs(x) <= 0x1p53 && x == (double)(int64_t)x) {
        add_whole(t, (int64_t)x);
    } else {
        snprintf(text, sizeof text, "%.15g", x);
        if (strtod(text, NULL) != x)
            snprintf(text, sizeof text, "%.17g", x);
        portolan_text_add_bytes(t, text, strlen(text));
    }
}

struct portolan_shell_word portolan_shell_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";
    struct portolan_shell_word out = {"WORD"};
    struct portolan_text text = {0};

    if (!word)
        return out;
    if (*word && !word[strspn(word, plain)]) {
        portolan_text_add(&text, "%s", word);
    } else {
        portolan_text_add(&text, "'");
        for (; *word; word++)
            portolan_text_add(&text, *word == '\'' ? "'\\''" : "%c", *word);
        portolan_text_add(&text, "'");
    }
    if (!text.failed && text.length < sizeof out.text)
        memcpy(out.text, text.bytes, text.length + 1);
    portolan_text_clear(&text);
    return out;
}

void portolan_json_number(struct portolan_json *j, const char *key, double x)
{
    begin_value(j, key);
    portolan_text_add_number(j->out, x);
}

void portolan_json_bool(struct portolan_json *j, const char *key, bool x)
{
    begin_value(j, key);
    portolan_text_add(j->out, x ? "true" : "false");
}

void portolan_json_numbers(struct portolan_json *j, const char *key, const char *const *names,
                           const double *values, size_t n)
{
    portolan_json_open(j, key, '{');
    for (size_t i = 0; i < n; i++)
        portolan_json_number(j, names[i], values[i]);
    portolan_json_close(j, '}');
}
