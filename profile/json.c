/* SPDX-License-Identifier: BSD-3-Clause */
#include "json.h"

#include <math.h>

/* One line to each object of a list, so that line-wise tools see something. */
enum { LINES_TO_DEPTH = 2 };

static void begin_value(struct json *j, const char *key)
{
    if (!j->is_first)
        portolan_text_add_bytes(j->out, ",", 1);
    if (j->depth > 0 && j->depth <= LINES_TO_DEPTH)
        portolan_text_add(j->out, "\n%*s", j->depth, "");
    else if (!j->is_first)
        portolan_text_add_bytes(j->out, " ", 1);
    if (key) {
        portolan_text_add_json(j->out, key);
        portolan_text_add_bytes(j->out, ": ", 2);
    }
    j->is_first = false;
}

void json_open(struct json *j, const char *key, char bracket)
{
    if (j->depth == 0)
        j->is_first = true;
    begin_value(j, key);
    portolan_text_add_bytes(j->out, &bracket, 1);
    j->depth++;
    j->is_first = true;
}

void json_close(struct json *j, char bracket)
{
    j->depth--;
    if (!j->is_first && j->depth < LINES_TO_DEPTH)
        portolan_text_add(j->out, "\n%*s", j->depth, "");
    portolan_text_add_bytes(j->out, &bracket, 1);
    j->is_first = false;
    if (j->depth == 0)
        portolan_text_add_bytes(j->out, "\n", 1);
}

void json_text(struct json *j, const char *key, const char *text)
{
    begin_value(j, key);
    if (text)
        portolan_text_add_json(j->out, text);
    else
        portolan_text_add(j->out, "null");
}

void json_number(struct json *j, const char *key, double x)
{
    begin_value(j, key);
    if (!isfinite(x))
        portolan_text_add(j->out, "null");
    else if (x == floor(x) && fabs(x) < 1e15)
        portolan_text_add(j->out, "%.0f", x);
    else
        portolan_text_add(j->out, "%.17g", x);
}

void json_bool(struct json *j, const char *key, bool x)
{
    begin_value(j, key);
    portolan_text_add(j->out, x ? "true" : "false");
}

void json_pairs(struct json *j, const char *key, const struct portolan_name_value *pairs, size_t n)
{
    json_open(j, key, '{');
    for (size_t i = 0; i < n; i++)
        json_text(j, pairs[i].name, pairs[i].value);
    json_close(j, '}');
}
