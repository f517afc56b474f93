/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares libraries, side by side, for each function with each context. */
#include "internal.h"

#include <portolan/stats.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIBRARIES_MAX = 8, WIDTH = 16 };

/* Samples that agree in all but step, thread, caller and trial. */
struct cell {
    const struct portolan_sample *like;
    double calls, timed_calls, exclusive_ns; /* times are of timed calls */
    double inclusive_ns, sum_squares_ns2;    /* the latter of inclusive times */
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
    to->inclusive_ns += from->inclusive_ns;
    to->sum_squares_ns2 += from->sum_squares_ns2;
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
        c->cells[c->n++] = (struct cell){.like = s,
                                         .calls = (double)s->calls,
                                         .timed_calls = portolan_sample_timed(s),
                                         .exclusive_ns = s->exclusive_ns,
                                         .inclusive_ns = s->inclusive_ns,
                                         .sum_squares_ns2 = s->sum_squares_ns2,
                                         .command = command_of(&set->trials[trial])};
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
static void add_call(struct portolan_text *to, const struct portolan_sample *s)
{
    portolan_text_add(to, "%s", s->method);
    for (int i = 0; i < s->n_context; i++)
        portolan_text_add(to, " %s%s%.6g", s->context_name[i], s->binned ? "~" : "=",
                          s->context[i]);
}

static void add_label(struct comparison *c, const struct portolan_sample *s, bool unlike)
{
    struct portolan_text label = {0};

    add_call(&label, s);
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

/* The variance of the mean; calls differ by their inclusive times. NaN: too few calls tell it. */
static double variance_of(const struct cell *c)
{
    double n = c->timed_calls, each = c->inclusive_ns / n;

    return n > 1 && c->sum_squares_ns2 > 0 ? fmax(0, c->sum_squares_ns2 / n - each * each) / (n - 1)
                                           : NAN;
}

/* Whether A takes less time per call than B with a confidence of 95 %, and so much that neither
 * drift nor the cost of measuring is likely to be the cause. */
static bool is_faster(const struct cell *a, const struct cell *b)
{
    const double matters = 0.03; /* of the time */
    double less_ns = each_ns(b) - each_ns(a);
    double dof = fmin(a->timed_calls, b->timed_calls) - 1;
    double error = sqrt(variance_of(a) + variance_of(b));

    return dof >= 1 && less_ns > matters * each_ns(b) &&
           less_ns > error * portolan_student_quantile(0.95, dof);
}

/* The library that is faster than each other in the cells [BEGIN, END); "" if there is none. */
static const char *find_fastest(const struct comparison *c, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        bool best = true;

        for (size_t k = begin; k < end; k++)
            best = best && (k == i || is_faster(&c->cells[i], &c->cells[k]));
        if (best)
            return c->cells[i].like->implementation;
    }
    return "";
}

static size_t row_end(const struct comparison *c, size_t begin)
{
    size_t end = begin + 1;

    while (end < c->n && !by_method(c->cells[begin].like, c->cells[end].like))
        end++;
    return end;
}

/* Adds the calls in which LIBRARY is the fastest; "": no library is. */
static void add_fastest(struct comparison *c, const char *library, const char **before)
{
    const char *comma = NULL;

    for (size_t begin = 0, end; begin < c->n; begin = end) {
        end = row_end(c, begin);
        if (end - begin < 2 || strcmp(find_fastest(c, begin, end), library) != 0)
            continue;
        if (comma)
            portolan_text_add(c->text, ", ");
        else
            portolan_text_add(c->text, "%s%s in ", *before,
                              *library ? library : "no clear difference");
        *before = "; ", comma = ", ";
        add_call(c->text, c->cells[begin].like);
    }
}

/* Where libraries took turns, each made other calls: sums over them compare nothing. */
static void add_ranking(struct comparison *c)
{
    const char *before = "fastest per call: ";

    for (size_t k = 0; k < c->n_libraries; k++)
        add_fastest(c, c->libraries[k], &before);
    add_fastest(c, "", &before);
    if (*before == ';')
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
        end = row_end(c, begin);
        add_row(c, begin, end);
    }
    if (portolan_trial_takes_turns(&c->set->trials[c->like])) {
        add_ranking(c);
    } else {
        add_totals(c, false);
        add_totals(c, true);
    }
}

/* Says in what the trials of the table are not like the first trial. */
static void add_unlike(struct comparison *c)
{
    const struct portolan_trial *t = &c->set->trials[c->like], *first = c->set->trials;
    const bool turns = portolan_trial_takes_turns(t);
    struct portolan_text text = {0};

    if (!portolan_trial_add_unlike(t, first, false, &text))
        portolan_text_add(c->text, "\nTrial %lld, unlike trial %lld, ran with %s\n",
                          (long long)t->id, (long long)first->id, text.length ? text.bytes : "");
    else
        portolan_text_add(c->text,
                          turns ? "\nTrial %lld took alternatives in turn; trial %lld ran one "
                                  "choice throughout\n"
                                : "\nTrial %lld ran one choice throughout; trial %lld took "
                                  "alternatives in turn\n",
                          (long long)t->id, (long long)first->id);
    c->text->failed |= text.failed;
    portolan_text_clear(&text);
}

static void add_tables(struct comparison *c)
{
    sort_trials(c);
    for (c->like = 0; c->like < c->set->n_trials; c->like++) {
        if (c->likes[c->like] != c->like)
            continue;
        if (c->like)
            add_unlike(c);
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
