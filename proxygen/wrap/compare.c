/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares libraries, side by side, for each function with each context. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIBRARIES_MAX = 8, WIDTH = 16 };

/* Samples that agree in all but step, thread, caller and trial. */
struct cell {
    const struct portolan_sample *like;
    double calls, timed_calls, exclusive_ns; /* times are of timed calls */
    const char *command;                     /* of its trials; "": they differ or it is unknown */
};

struct comparison {
    struct portolan_text *text;
    const struct portolan_sample_set *set;
    size_t *likes; /* of each trial: the first one that it is like */
    size_t like;   /* whose table is made */
    struct cell *cells;
    size_t n;
    const char *libraries[LIBRARIES_MAX];
    size_t n_libraries;
    bool has_unlike; /* some row is marked as not comparable */
};

static int by_method(const struct portolan_sample *a, const struct portolan_sample *b)
{
    int order = strcmp(a->method, b->method);

    if (!order)
        order = (a->n_context > b->n_context) - (a->n_context < b->n_context);
    for (int i = 0; !order && i < a->n_context; i++)
        order = (a->context[i] > b->context[i]) - (a->context[i] < b->context[i]);
    return order;
}

static int by_cell(const void *left, const void *right)
{
    const struct cell *a = left, *b = right;
    int order = by_method(a->like, b->like);

    return order ? order : strcmp(a->like->implementation, b->like->implementation);
}

static bool is_measured(const struct portolan_sample *s)
{
    return *s->user && s->calls > 0;
}

static void add_library(struct comparison *c, const char *name)
{
    for (size_t i = 0; i < c->n_libraries; i++)
        if (!strcmp(c->libraries[i], name))
            return;
    if (c->n_libraries < LIBRARIES_MAX)
        c->libraries[c->n_libraries++] = name;
}

/* The position of the trial of S, of which the set has the facts. */
static size_t trial_of(const struct portolan_sample_set *set, const struct portolan_sample *s)
{
    size_t i = 0;

    while (i < set->n_trials && set->trials[i].id != s->trial)
        i++;
    return i;
}

/* The command line of a trial; "" if it is not known. */
static const char *command_of(const struct portolan_trial *t)
{
    const char *command = portolan_trial_peek_fact(t, "command");

    return command ? command : "";
}

static void add_cell(struct cell *to, const struct cell *from)
{
    to->calls += from->calls;
    to->timed_calls += from->timed_calls;
    to->exclusive_ns += from->exclusive_ns;
    if (strcmp(to->command, from->command) != 0)
        to->command = "";
}

static void take_cells(struct comparison *c)
{
    const struct portolan_sample_set *set = c->set;

    c->n = c->n_libraries = 0;
    for (size_t i = 0; i < set->n_samples; i++) {
        const struct portolan_sample *s = &set->samples[i];
        size_t trial = is_measured(s) ? trial_of(set, s) : set->n_trials;

        if (trial == set->n_trials || c->likes[trial] != c->like)
            continue;
        c->cells[c->n++] = (struct cell){s, (double)s->calls, portolan_sample_timed(s),
                                         s->exclusive_ns, command_of(&set->trials[trial])};
        add_library(c, s->implementation);
    }
}

/* Sorts the samples of like trials and adds up those that agree. */
static void gather(struct comparison *c)
{
    size_t to = 0;

    take_cells(c);
    if (c->n)
        qsort(c->cells, c->n, sizeof *c->cells, by_cell);
    for (size_t i = 0; i < c->n; i++) {
        if (to && by_cell(&c->cells[to - 1], &c->cells[i]) == 0)
            add_cell(&c->cells[to - 1], &c->cells[i]);
        else
            c->cells[to++] = c->cells[i];
    }
    c->n = to;
}

/*
 * Without a context, the sizes of calls are unknown, so means of two libraries are comparable only
 * if the program ran with the same command line.
 */
static bool is_unlike(const struct cell *cells, size_t n)
{
    for (size_t i = 1; i < n && cells[0].like->n_context == 0; i++)
        if (!*cells[i].command || strcmp(cells[0].command, cells[i].command) != 0)
            return true;
    return false;
}

/* "calc_sum n=100", binned contexts with "~". */
static void add_label(struct comparison *c, const struct portolan_sample *s, bool unlike)
{
    struct portolan_text label = {0};

    portolan_text_add(&label, "%s", s->method);
    for (int i = 0; i < s->n_context; i++)
        portolan_text_add(&label, " %s%s%.6g", s->context_name[i], s->binned ? "~" : "=",
                          s->context[i]);
    if (unlike)
        portolan_text_add(&label, " ?");
    portolan_text_add(c->text, "%-36s", label.bytes ? label.bytes : "?");
    portolan_text_clear(&label);
}

/* Mean time of the timed calls. */
static double each_ns(const struct cell *c)
{
    return c->exclusive_ns / c->timed_calls;
}

/* One function with one context: cells [BEGIN, END). */
static void add_row(struct comparison *c, size_t begin, size_t end)
{
    bool unlike = is_unlike(&c->cells[begin], end - begin);
    char text[32];

    c->has_unlike |= unlike;
    add_label(c, c->cells[begin].like, unlike);
    for (size_t k = 0; k < c->n_libraries; k++) {
        size_t i = begin;

        while (i < end && strcmp(c->cells[i].like->implementation, c->libraries[k]))
            i++;
        if (i < end && c->cells[i].timed_calls > 0)
            portolan_format_time(each_ns(&c->cells[i]), 3, text, sizeof text);
        else
            strcpy(text, "-");
        portolan_text_add(c->text, " %*s", WIDTH, text);
    }
    portolan_text_add(c->text, "\n");
}

static void add_totals(struct comparison *c, bool times)
{
    char text[32];

    portolan_text_add(c->text, "%-36s", times ? "all, time" : "all, calls");
    for (size_t k = 0; k < c->n_libraries; k++) {
        double calls = 0, ns = 0;

        for (size_t i = 0; i < c->n; i++)
            if (!strcmp(c->cells[i].like->implementation, c->libraries[k])) {
                calls += c->cells[i].calls;
                ns += c->cells[i].timed_calls > 0 ? c->cells[i].calls * each_ns(&c->cells[i]) : 0;
            }
        if (times)
            portolan_format_time(ns, 3, text, sizeof text);
        else
            snprintf(text, sizeof text, "%.0f", calls);
        portolan_text_add(c->text, " %*s", WIDTH, text);
    }
    portolan_text_add(c->text, "\n");
}

static void add_trials(struct comparison *c)
{
    char text[32];

    for (size_t i = 0; i < c->set->n_trials; i++) {
        const struct portolan_trial *t = &c->set->trials[i];

        if (c->likes[i] != c->like)
            continue;
        portolan_format_time(t->elapsed_ns, 3, text, sizeof text);
        portolan_text_add(c->text, "trial %lld of '%s', %s, %s, %s\n", (long long)t->id,
                          t->assembly, t->started, t->outcome, text);
    }
}

/* Trials on other ranks or machines, of other builds, or with turns have a table of their own. */
static void sort_trials(struct comparison *c)
{
    for (size_t i = 0; i < c->set->n_trials; i++) {
        size_t k = 0;

        for (struct portolan_text text = {0}; k < i; k++, portolan_text_clear(&text))
            if (c->likes[k] == k &&
                portolan_trial_add_unlike(&c->set->trials[i], &c->set->trials[k], false, &text) &&
                !text.length)
                break;
        c->likes[i] = k;
    }
}

static void add_table(struct comparison *c)
{
    gather(c);
    add_trials(c);
    portolan_text_add(c->text, "\n%-36s", "time per call");
    for (size_t k = 0; k < c->n_libraries; k++)
        portolan_text_add(c->text, " %*.*s", WIDTH, WIDTH, c->libraries[k]);
    portolan_text_add(c->text, "\n");
    for (size_t begin = 0, end; begin < c->n; begin = end) {
        for (end = begin + 1; end < c->n && !by_method(c->cells[begin].like, c->cells[end].like);)
            end++;
        add_row(c, begin, end);
    }
    add_totals(c, false);
    add_totals(c, true);
}

static void add_tables(struct comparison *c)
{
    sort_trials(c);
    for (c->like = 0; c->like < c->set->n_trials; c->like++) {
        if (c->likes[c->like] != c->like)
            continue;
        if (c->like) {
            portolan_text_add(c->text, "\nnot like the first trial: ");
            portolan_trial_add_unlike(&c->set->trials[c->like], c->set->trials, false, c->text);
            portolan_text_add(c->text, "\n");
        }
        add_table(c);
    }
}

enum portolan_status portolan_wrap_compare(const struct portolan_sample_set *set, char **text,
                                           struct portolan_error *err)
{
    struct portolan_text out = {0};
    struct comparison c = {.text = &out,
                           .set = set,
                           .cells = portolan_calloc(set->n_samples + 1, sizeof *c.cells),
                           .likes = portolan_calloc(set->n_trials + 1, sizeof *c.likes)};

    *text = NULL;
    if (c.cells && c.likes)
        add_tables(&c);
    else
        out.failed = true;
    if (c.has_unlike)
        portolan_text_add(&out,
                          "? no comparison: means over calls of unknown sizes, from different "
                          "command lines; name the sizes in a side file (--context)\n");
    free(c.cells);
    free(c.likes);
    return portolan_text_take(&out, text, err);
}
