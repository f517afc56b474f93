/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports in memory. */
#include "internal.h"

#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>

size_t portolan_cll_sample_columns(const struct portolan_cll_sample *s)
{
    return PORTOLAN_CLL_FIXED_COLUMNS + s->n_identifiers + s->n_observables;
}

struct portolan_cll_report *portolan_cll_report_create(void)
{
    return portolan_calloc(1, sizeof(struct portolan_cll_report));
}

void report_free_words(char **words, size_t n)
{
    for (size_t i = 0; words && i < n; i++)
        free(words[i]);
    free(words);
}

void report_sample_clear(struct portolan_cll_sample *s)
{
    free(s->name);
    free(s->file);
    free(s->formula);
    free(s->begin_lines);
    free(s->end_lines);
    report_free_words(s->identifiers, s->n_identifiers);
    report_free_words(s->observables, s->n_observables);
    free(s->rows);
    *s = (struct portolan_cll_sample){0};
}

void portolan_cll_report_destroy(struct portolan_cll_report *report)
{
    if (!report)
        return;
    for (size_t i = 0; i < report->n_headers; i++) {
        free(report->headers[i].name);
        free(report->headers[i].value);
    }
    free(report->headers);
    for (size_t i = 0; i < report->n_experiments; i++)
        report_sample_clear(&report->experiments[i]);
    free(report->experiments);
    free(report);
}

const char *portolan_cll_report_peek_header(const struct portolan_cll_report *report,
                                            const char *name)
{
    for (size_t i = 0; i < report->n_headers; i++)
        if (!strcmp(report->headers[i].name, name))
            return report->headers[i].value;
    return NULL;
}

enum portolan_status portolan_cll_report_add_header(struct portolan_cll_report *report,
                                                    const char *name, const char *value)
{
    struct portolan_cll_header added = {portolan_strdup(name), portolan_strdup(value)};

    if (added.name && added.value &&
        portolan_append(&report->headers, &report->n_headers, &added, sizeof added))
        return PORTOLAN_OK;
    free(added.name);
    free(added.value);
    return PORTOLAN_ENOMEM;
}

/* ------------------------------------------------------------------ experiments */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_words(char *const *a, size_t n_a, char *const *b, size_t n_b)
{
    if (n_a != n_b)
        return false;
    for (size_t i = 0; i < n_a; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

static bool is_like(const struct portolan_cll_sample *a, const struct portolan_cll_sample *b)
{
    return same_text(a->name, b->name) && same_text(a->file, b->file) &&
           same_text(a->formula, b->formula) &&
           same_words(a->identifiers, a->n_identifiers, b->identifiers, b->n_identifiers) &&
           same_words(a->observables, a->n_observables, b->observables, b->n_observables);
}

static bool copy_words(char ***to, size_t *n_to, char *const *from, size_t n)
{
    *to = portolan_calloc(n + 1, sizeof **to);
    if (!*to)
        return false;
    for (*n_to = 0; *n_to < n; ++*n_to)
        if (!((*to)[*n_to] = portolan_strdup(from[*n_to])))
            return false;
    return true;
}

static bool copy_description(struct portolan_cll_sample *to, const struct portolan_cll_sample *from)
{
    to->n_constants = from->n_constants;
    return (to->name = portolan_strdup(from->name)) &&
           (!from->file || (to->file = portolan_strdup(from->file))) &&
           (!from->formula || (to->formula = portolan_strdup(from->formula))) &&
           copy_words(&to->identifiers, &to->n_identifiers, from->identifiers,
                      from->n_identifiers) &&
           copy_words(&to->observables, &to->n_observables, from->observables, from->n_observables);
}

static struct portolan_cll_sample *add_experiment(struct portolan_cll_report *report,
                                                  const struct portolan_cll_sample *like)
{
    struct portolan_cll_sample copy = {0}, *added = NULL;

    if (copy_description(&copy, like))
        added = portolan_append(&report->experiments, &report->n_experiments, &copy, sizeof copy);
    if (!added)
        report_sample_clear(&copy);
    return added;
}

/* Adds to the *N lines those of MORE that are missing; false when memory is out. */
static bool join_lines(unsigned **lines, size_t *n, const unsigned *more, size_t n_more)
{
    for (size_t i = 0; i < n_more; i++) {
        size_t k = 0;

        while (k < *n && (*lines)[k] != more[i])
            k++;
        if (k == *n && !portolan_append(lines, n, &more[i], sizeof *more))
            return false;
    }
    return true;
}

enum portolan_status portolan_cll_report_join(struct portolan_cll_report *report,
                                              const struct portolan_cll_sample *like,
                                              struct portolan_cll_sample **sample)
{
    struct portolan_cll_sample *s = NULL;

    for (size_t i = 0; i < report->n_experiments && !s; i++)
        if (is_like(&report->experiments[i], like))
            s = &report->experiments[i];
    if (!s && !(s = add_experiment(report, like)))
        return PORTOLAN_ENOMEM;
    if (!join_lines(&s->begin_lines, &s->n_begin, like->begin_lines, like->n_begin) ||
        !join_lines(&s->end_lines, &s->n_end, like->end_lines, like->n_end))
        return PORTOLAN_ENOMEM;
    if (like->n_constants > s->n_constants)
        s->n_constants = like->n_constants;
    *sample = s;
    return PORTOLAN_OK;
}

double *portolan_cll_sample_add_rows(struct portolan_cll_sample *s, size_t n)
{
    size_t columns = portolan_cll_sample_columns(s), needed;
    double *added;

    if (__builtin_add_overflow(s->n_rows, n, &needed))
        return NULL;
    if (needed > s->rows_room) {
        size_t room = needed < 16 ? 16 : needed + needed / 2, bytes;
        double *more = NULL;

        if (!__builtin_mul_overflow(columns, sizeof *more, &bytes))
            more = portolan_reallocarray(s->rows, room, bytes);
        if (!more)
            return NULL;
        s->rows = more;
        s->rows_room = room;
    }
    added = s->rows + s->n_rows * columns;
    s->n_rows = needed;
    return added;
}
