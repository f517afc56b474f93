/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces as a hand writes them; portolan-obsp(1) has the form. */
#include "internal.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct reader {
    const char *file;
    struct portolan_diagnostics *d;
    struct portolan_obsp_trace *t;
    struct portolan_error *err;
    int line;
    const char *start, *at; /* of the line, which ends with a NUL */
    size_t *open;           /* per processor: the run that `begin` opened, or NONE */
    bool has_failed;        /* but for memory, told already */
    bool is_other;          /* this is no trace */
};

__attribute__((format(printf, 3, 4))) static bool wrong(struct reader *r, const char *where,
                                                        const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    portolan_diagnose(r->d, r->file, r->line, (int)(where - r->start) + 1, "%s", text);
    return false;
}

/* -- words: what stands between blanks and ';' -- */

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t\r");
}

static bool is_at_end(struct reader *r)
{
    skip_blanks(r);
    return !*r->at || *r->at == ';';
}

/* The next word, in the arena; NULL at the end of the item. */
static char *word(struct reader *r)
{
    size_t n;
    char *copy;

    if (is_at_end(r))
        return NULL;
    n = strcspn(r->at, " \t\r;");
    copy = portolan_arena_strndup(&r->t->arena, r->at, n);
    r->at += n;
    return copy;
}

static bool number(struct reader *r, const char *what, double least, double *value)
{
    const char *where;
    char *text;

    skip_blanks(r);
    where = r->at;
    text = word(r);
    if (!text)
        return wrong(r, where, "%s is missing", what);
    if (!portolan_read_double(text, value) || !isfinite(*value) || *value < least)
        return wrong(r, where, "'%s' is no %s", text, what);
    return true;
}

static bool whole(struct reader *r, const char *what, double least, long *value)
{
    const char *where;
    double x;

    skip_blanks(r);
    where = r->at;
    if (!number(r, what, least, &x))
        return false;
    if (x != floor(x) || x > 1e9)
        return wrong(r, where, "%s is a whole number up to 1e9", what);
    *value = (long)x;
    return true;
}

/* -- items -- */

/* NAME identifier=value …, for the experiment of that name, which is made when it is new. */
static bool run_of(struct reader *r, size_t *experiment, size_t *values)
{
    const char *names[PORTOLAN_FORMULA_MAX_NAMES], *where;
    double x[PORTOLAN_FORMULA_MAX_NAMES];
    const struct portolan_obsp_experiment *e;
    char *name, *equals;
    size_t n = 0;

    skip_blanks(r);
    where = r->at;
    name = word(r);
    if (!name)
        return wrong(r, where, "the name of an experiment is missing");
    while (!is_at_end(r) && (equals = strchr(r->at, '=')) &&
           equals < r->at + strcspn(r->at, " \t\r;")) {
        char *text = word(r);

        if (!text || n == PORTOLAN_FORMULA_MAX_NAMES)
            return wrong(r, where, "too many values");
        equals = strchr(text, '=');
        *equals = '\0';
        names[n] = text;
        if (!portolan_read_double(equals + 1, &x[n]) || !isfinite(x[n]))
            return wrong(r, where, "'%s' is no value of %s", equals + 1, text);
        n++;
    }
    *experiment = trace_find_experiment(r->t, name);
    if (*experiment == NONE) {
        *experiment = r->t->n_experiments;
        if (!trace_add_experiment(r->t, name, n, names))
            return false;
    }
    e = &r->t->experiments[*experiment].public;
    *values = r->t->n_values;
    for (size_t i = 0; i < e->n_identifiers; i++) {
        size_t k = 0;

        while (k < n && strcmp(names[k], e->identifiers[i]) != 0)
            k++;
        if (k == n)
            return wrong(r, where, "%s wants a value: %s=…", name, e->identifiers[i]);
        trace_add_value(r->t, x[k]);
    }
    if (n != e->n_identifiers)
        return wrong(r, where, "%s has %zu identifiers, not %zu", name, e->n_identifiers, n);
    return true;
}

static struct item *add(struct reader *r, size_t processor, enum item_kind kind)
{
    return trace_add(r->t, processor, kind, r->line);
}

static bool read_run(struct reader *r, size_t p, bool opens)
{
    size_t experiment = NONE, values = 0;
    struct item *x;

    if (opens && r->open[p] != NONE)
        return wrong(r, r->at, "an experiment is open already: end it first");
    if (!run_of(r, &experiment, &values))
        return false;
    x = add(r, p, ITEM_WORK);
    if (!x)
        return false;
    x->experiment = experiment;
    x->values = values;
    x->run = r->t->n_runs++;
    x->is_part = opens;
    x->seconds = opens ? 0 : NAN;
    if (opens)
        r->open[p] = r->t->processors[p].n_items - 1;
    return opens || is_at_end(r) || number(r, "time", 0, &x->seconds);
}

static bool read_sync(struct reader *r, size_t p, long awaited)
{
    struct item *x = add(r, p, ITEM_SYNC);

    if (!x)
        return false;
    x->awaited = awaited;
    if (r->open[p] != NONE) {
        const struct item *run = &r->t->processors[p].items[r->open[p]];

        x->experiment = run->experiment;
        x->values = run->values;
        x->run = run->run;
    }
    return true;
}

static bool read_partition(struct reader *r, size_t p)
{
    struct item *x = add(r, p, ITEM_PARTITION);

    if (!x)
        return false;
    x->bounds = r->t->n_bounds;
    while (!is_at_end(r)) {
        long bound;

        if (!whole(r, "bound", 1, &bound))
            return false;
        trace_add_bound(r->t, bound);
        x->n_parts++;
    }
    return true;
}

static bool read_work(struct reader *r, size_t p)
{
    struct item *x = add(r, p, ITEM_WORK);

    return x && number(r, "time", 0, &x->seconds);
}

static bool read_send(struct reader *r, size_t p, enum item_kind kind)
{
    struct item *x = add(r, p, kind);
    long other;

    if (!x || !whole(r, "processor", 0, &other) || !number(r, "number of bytes", 0, &x->bytes))
        return false;
    x->other = (size_t)other;
    return true;
}

static bool read_item(struct reader *r, size_t p)
{
    static const char *const known[] = {"work", "run",  "begin",   "end",       "send",
                                        "get",  "sync", "oblsync", "partition", "done"};
    const char *where = r->at, *near;
    char *what = word(r);
    long awaited;

    if (!what)
        return true;
    if (!strcmp(what, "work"))
        return read_work(r, p);
    if (!strcmp(what, "run") || !strcmp(what, "begin"))
        return read_run(r, p, *what == 'b');
    if (!strcmp(what, "send") || !strcmp(what, "get"))
        return read_send(r, p, *what == 's' ? ITEM_SEND : ITEM_GET);
    if (!strcmp(what, "sync"))
        return read_sync(r, p, -1);
    if (!strcmp(what, "oblsync"))
        return whole(r, "number of messages", 0, &awaited) && read_sync(r, p, awaited);
    if (!strcmp(what, "partition"))
        return read_partition(r, p);
    if (!strcmp(what, "done"))
        return add(r, p, ITEM_DONE) != NULL;
    if (!strcmp(what, "end")) {
        if (r->open[p] == NONE)
            return wrong(r, where, "no experiment is open");
        r->open[p] = NONE;
        return true;
    }
    near = portolan_nearest_word(what, known, sizeof known / sizeof *known);
    return wrong(r, where, "'%s' is nothing a processor does%s", what,
                 portolan_did_you_mean(near).text);
}

/* WHO: a number, a-b, or * */
static bool read_who(struct reader *r, const char *colon, size_t *first, size_t *last)
{
    char *text = portolan_arena_strndup(&r->t->arena, r->at, (size_t)(colon - r->at)), *dash;
    int64_t a, b;

    if (!text)
        return false;
    for (size_t n = strlen(text); n > 0 && isspace((unsigned char)text[n - 1]);)
        text[--n] = '\0';
    *first = 0;
    *last = r->t->n_processors - 1;
    if (!strcmp(text, "*"))
        return true;
    dash = strchr(text, '-');
    if (dash)
        *dash = '\0';
    if (!portolan_read_int64(text, &a) || !portolan_read_int64(dash ? dash + 1 : text, &b) ||
        a < 0 || b < a)
        return wrong(r, r->at, "whose items these are is a number, two as 0-3, or *");
    if ((uint64_t)b > *last)
        return wrong(r, r->at, "there is no processor %lld: `processors` says %zu", (long long)b,
                     r->t->n_processors);
    *first = (size_t)a;
    *last = (size_t)b;
    return true;
}

static bool read_items(struct reader *r, const char *colon)
{
    const char *items = colon + 1;
    size_t first, last;

    if (!read_who(r, colon, &first, &last))
        return false;
    for (size_t p = first; p <= last; p++) {
        r->at = items;
        for (;;) {
            skip_blanks(r);
            if (!read_item(r, p))
                return false;
            if (!is_at_end(r))
                return wrong(r, r->at, "';' is missing");
            if (*r->at != ';')
                break;
            r->at++;
        }
    }
    return true;
}

/* -- lines -- */

static bool read_experiment(struct reader *r)
{
    struct portolan_formula *f = NULL;
    const char *names[PORTOLAN_FORMULA_MAX_NAMES];
    struct experiment *e;
    const char *where;
    char *name;
    size_t n;
    bool is_good;

    skip_blanks(r);
    where = r->at;
    name = word(r);
    skip_blanks(r);
    if (!name || !*r->at)
        return wrong(r, where, "what is right: experiment NAME FORMULA");
    if (trace_find_experiment(r->t, name) != NONE)
        return wrong(r, where, "experiment %s stands here a second time, or behind its runs", name);
    if (portolan_formula_parse(r->at, strlen(r->at), r->file, r->line, (int)(r->at - r->start) + 1,
                               r->d, &f, r->err) != PORTOLAN_OK)
        return false;
    n = portolan_formula_n_names(f);
    for (size_t i = 0; i < n; i++)
        names[i] = portolan_formula_peek_name(f, i);
    e = trace_add_experiment(r->t, name, n, names);
    is_good = e && trace_set_formula(r->t, e, r->at, r->line, (int)(r->at - r->start) + 1, r->d,
                                     r->err) == PORTOLAN_OK;
    portolan_formula_destroy(f);
    r->at += strlen(r->at);
    return is_good;
}

static bool read_constants(struct reader *r)
{
    double constants[PORTOLAN_OBSP_MAX_CONSTANTS];
    struct portolan_error err = {0};
    const char *where;
    char *name;
    size_t n = 0;

    skip_blanks(r);
    where = r->at;
    name = word(r);
    if (!name)
        return wrong(r, where, "what is right: constants NAME NUMBER…");
    while (!is_at_end(r)) {
        if (n == PORTOLAN_OBSP_MAX_CONSTANTS)
            return wrong(r, where, "too many constants");
        if (!number(r, "constant", -HUGE_VAL, &constants[n++]))
            return false;
    }
    if (portolan_obsp_set_constants(r->t, name, n, constants, &err) != PORTOLAN_OK)
        return wrong(r, where, "%s", err.text);
    return true;
}

static bool read_processors(struct reader *r)
{
    long n;

    if (!whole(r, "number of processors", 1, &n))
        return false;
    if (n > PORTOLAN_OBSP_MAX_PROCESSORS)
        return wrong(r, r->at, "more than %d processors", PORTOLAN_OBSP_MAX_PROCESSORS);
    portolan_obsp_destroy(r->t);
    r->t = trace_create(r->file, (size_t)n);
    if (!r->t)
        return false;
    r->open = portolan_arena_alloc(&r->t->arena, (size_t)n, sizeof *r->open);
    for (long i = 0; r->open && i < n; i++)
        r->open[i] = NONE;
    return r->open != NULL;
}

/* One line tells of a file that is something else. */
static bool tell_start(struct reader *r, const char *where)
{
    r->is_other = true;
    return wrong(r, where, "a trace begins with `processors N`, one of BSP_TRACE with '{'");
}

static bool read_line(struct reader *r)
{
    const char *colon = strchr(r->at, ':'), *where;
    char *what;

    if (is_at_end(r))
        return true;
    if (r->t->n_processors && colon && (isdigit((unsigned char)*r->at) || *r->at == '*'))
        return read_items(r, colon);
    where = r->at;
    what = word(r);
    if (!what)
        return wrong(r, where, "';' stands between the items of a processor");
    if (!strcmp(what, "processors") && !r->t->n_processors)
        return read_processors(r);
    if (!r->t->n_processors)
        return tell_start(r, where);
    if (!strcmp(what, "g"))
        return number(r, "time per byte", 0, &r->t->given.g);
    if (!strcmp(what, "latency"))
        return number(r, "time", 0, &r->t->given.latency);
    if (!strcmp(what, "speed"))
        return number(r, "time per operation", 0, &r->t->given.speed);
    if (!strcmp(what, "experiment"))
        return read_experiment(r);
    if (!strcmp(what, "constants"))
        return read_constants(r);
    return wrong(r, where,
                 "'%s': a line is one of g, latency, speed, experiment, constants, or what "
                 "processors do: 0-3: work 2; sync",
                 what);
}

enum portolan_status read_text(const char *text, size_t size, const char *file,
                               struct portolan_diagnostics *d, struct portolan_obsp_trace **trace,
                               struct portolan_error *err)
{
    struct reader r = {.file = file, .d = d, .err = err, .t = trace_create(file, 0)};
    const char *end = text + size;

    while (r.t && !r.t->arena.failed && !r.is_other && text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((newline ? newline : end) - text);
        const char *comment = memchr(text, '#', length);
        struct portolan_text line = {0};

        r.line++;
        portolan_text_add_bytes(&line, text, comment ? (size_t)(comment - text) : length);
        r.start = r.at = line.bytes;
        if (line.failed) {
            portolan_obsp_destroy(r.t);
            r.t = NULL;
        } else if (memchr(text, '\0', length)) {
            wrong(&r, r.start, "a NUL byte");
        } else if (line.length && read_line(&r) && !is_at_end(&r)) {
            wrong(&r, r.at, "'%s' is too much here", r.at);
        }
        portolan_text_clear(&line);
        text += length + 1;
    }
    *trace = r.t;
    if (!r.t || r.t->arena.failed)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    if (!r.t->n_processors && d->count == 0)
        portolan_diagnose(d, file, 1, 0, "there is nothing: a trace begins with `processors N`");
    return PORTOLAN_OK;
}
