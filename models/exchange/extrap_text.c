/* SPDX-License-Identifier: BSD-3-Clause */
/* Extra-P's text form: lines that begin with PARAMETER, POINTS, METRIC, REGION or DATA. */
#include "extrap_internal.h"
#include "models_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct collector *c;
    const char *at, *end; /* of the line */
    const char *start;
    size_t line;
    double *points; /* × parameters */
    size_t n_points;
    char *callpath, *metric; /* as last said */
    size_t next;             /* point of the next DATA */
    size_t data_line;        /* of the last one; 0 = none yet */
};

static bool complain(struct reader *r, const char *at, const char *what)
{
    return collector_complain(r->c, r->line, (size_t)(at - r->start) + 1, "%s", what);
}

/* The next word of the line, where SPECIAL characters are words of their own; NULL at its end. */
static const char *word(struct reader *r, const char *special, size_t *length)
{
    const char *from;

    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
    if (r->at == r->end)
        return NULL;
    from = r->at++;
    while (!strchr(special, *from) && r->at < r->end && !isspace((unsigned char)*r->at) &&
           !strchr(special, *r->at))
        r->at++;
    *length = (size_t)(r->at - from);
    return from;
}

static bool take_number(struct reader *r, const char *from, size_t length, double *number)
{
    char text[64];

    if (length < sizeof text) {
        memcpy(text, from, length);
        text[length] = '\0';
        if (portolan_read_double(text, number) && isfinite(*number))
            return true;
    }
    return collector_complain(r->c, r->line, (size_t)(from - r->start) + 1,
                              "\"%.*s\" is not a finite number", length < 40 ? (int)length : 40,
                              from);
}

/* ---- sections ---- */

static bool read_parameters(struct reader *r)
{
    size_t length, n = 0;
    const char *name, *wrong;

    if (r->n_points)
        return complain(r, r->start, "PARAMETER stands in front of the first POINTS");
    for (; (name = word(r, "", &length)); n++)
        if ((wrong = collector_add_param(r->c, name, length)))
            return complain(r, name, wrong);
    return n ? !r->c->status : complain(r, r->at, "a name is missing behind PARAMETER");
}

static bool add_point(struct reader *r, const double *x)
{
    size_t n = r->c->m->n_params;

    double *points = portolan_arena_grow(&r->c->arena, r->points, r->n_points, n * sizeof *points);

    if (!points)
        return false;
    r->points = points;
    memcpy(points + r->n_points++ * n, x, n * sizeof *x);
    return true;
}

static bool end_point(struct reader *r, const char *at, const double *x, size_t n)
{
    if (n == r->c->m->n_params)
        return add_point(r, x);
    return collector_complain(r->c, r->line, (size_t)(at - r->start) + 1,
                              "a point has %zu coordinate%s, one for each parameter, not %zu",
                              r->c->m->n_params, r->c->m->n_params > 1 ? "s" : "", n);
}

/* "(4 8) (4 16)", "((4)(8)) ((4)(16))", or for one parameter "4 8 16". */
static bool read_points(struct reader *r)
{
    size_t length, n = 0, before = r->n_points, depth = 0;
    const char *token, *begin = r->at;
    double x[EXTRAP_PARAMS + 1], number = 0;

    if (!r->c->m->n_params)
        return complain(r, r->start, "PARAMETER must come in front of POINTS");
    if (r->data_line)
        return complain(r, r->start, "all POINTS stand in front of the first DATA");
    while ((token = word(r, "()", &length))) {
        if (*token == '(') {
            if (depth++ == 0) {
                begin = token;
                n = 0;
            }
            if (depth > 2)
                return complain(r, token, "there are too many parentheses; write (4 8) (4 16)");
        } else if (*token == ')') {
            if (depth == 0)
                return complain(r, token, "this ) closes nothing");
            if (--depth == 0 && !end_point(r, begin, x, n))
                return false;
        } else {
            if (!take_number(r, token, length, &number))
                return false;
            x[n < EXTRAP_PARAMS ? n : EXTRAP_PARAMS] = number;
            n = depth ? n + 1 : 1;
            if (!depth && !end_point(r, token, &number, 1))
                return false;
        }
    }
    if (depth)
        return complain(r, r->at, "a ) is missing");
    return r->n_points > before || complain(r, r->at, "a point is missing behind POINTS");
}

/* Every region and metric has as many DATA as there are points. */
static bool end_data(struct reader *r)
{
    size_t next = r->next;

    r->next = 0;
    if (!next || next == r->n_points)
        return true;
    return collector_complain(r->c, r->data_line, 1,
                              "here end %zu DATA lines, but there are %zu points; each has a line",
                              next, r->n_points);
}

/* The rest of the line, blanks as one. */
static bool read_name(struct reader *r, char **name)
{
    struct portolan_text text = {.arena = &r->c->arena};
    const char *from;
    size_t length;

    if (!end_data(r))
        return false;
    while ((from = word(r, "", &length))) {
        portolan_text_add(&text, text.length ? " " : "");
        portolan_text_add_bytes(&text, from, length);
    }
    portolan_text_take(&text, name, NULL);
    return !r->c->status;
}

static bool read_data(struct reader *r)
{
    const char *from;
    size_t item, length, n = 0;
    double y = 0;

    if (r->next == r->n_points)
        return complain(r, r->start,
                        r->n_points ? "there are more DATA lines than points"
                                    : "POINTS must come in front of DATA");
    item = collector_find(r->c, r->callpath ? r->callpath : "", r->metric ? r->metric : "");
    for (; !r->c->status && (from = word(r, "", &length)); n++)
        if (!take_number(r, from, length, &y) ||
            !collector_add_row(r->c, item, r->points + r->next * r->c->m->n_params, y))
            return false;
    r->next++;
    r->data_line = r->line;
    return n ? !r->c->status : complain(r, r->at, "a value is missing behind DATA");
}

static bool read_line(struct reader *r)
{
    static const char *const names[] = {"PARAMETER", "POINTS", "METRIC", "REGION", "DATA"};
    const char *from, *nearest;
    char name[16] = "";
    size_t length;

    if (*r->start == '#' || !(from = word(r, "", &length)))
        return true;
    memcpy(name, from, length < sizeof name ? length : sizeof name - 1);
    if (strcmp(name, "PARAMETER") == 0)
        return read_parameters(r);
    if (strcmp(name, "POINTS") == 0)
        return read_points(r);
    if (strcmp(name, "METRIC") == 0)
        return read_name(r, &r->metric);
    if (strcmp(name, "REGION") == 0)
        return read_name(r, &r->callpath);
    if (strcmp(name, "DATA") == 0)
        return read_data(r);
    nearest = portolan_nearest_word(name, names, 5);
    return collector_complain(r->c, r->line, (size_t)(from - r->start) + 1,
                              "a line begins with PARAMETER, POINTS, METRIC, REGION or DATA, not "
                              "\"%.*s\"%s",
                              length < 40 ? (int)length : 40, from,
                              portolan_did_you_mean(nearest).text);
}

bool extrap_read_text(struct collector *c, const char *text, size_t size)
{
    struct reader r = {.c = c};
    bool good = true;

    for (const char *end = text + size; good && text < end; text = r.end + (r.end < end)) {
        r.line++;
        r.start = r.at = text;
        r.end = memchr(text, '\n', (size_t)(end - text));
        if (!r.end)
            r.end = end;
        good = text_is_utf8(text, (size_t)(r.end - text)) &&
                       !memchr(text, '\0', (size_t)(r.end - text))
                   ? read_line(&r)
                   : complain(&r, text, "this line is not UTF-8 text");
    }
    return good && end_data(&r);
}
