/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what the benchmark printed, by kind and size. */
#include <portolan/clue_calibrate.h>

#include <portolan/command.h>
#include <portolan/list.h>
#include <portolan/stats.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct line {
    const char *kind;
    uint64_t bytes;
    double ns;
    size_t number; /* position in the file, so that sorting keeps rounds in order */
};

static int compare_lines(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int by_kind = strcmp(x->kind, y->kind);

    if (by_kind)
        return by_kind;
    return x->bytes != y->bytes ? PORTOLAN_ORDER(x->bytes, y->bytes)
                                : PORTOLAN_ORDER(x->number, y->number);
}

/* Returns the next word of *TEXT, and ends it there. */
static char *take_word(char **text)
{
    char *word = strsep(text, " ");

    return word && *word ? word : NULL;
}

static bool read_line(char *text, struct line *line)
{
    const char *kind = take_word(&text), *bytes = take_word(&text), *ns = take_word(&text);
    int64_t whole;

    if (text || !portolan_read_int64(bytes, &whole) || whole < 0 ||
        !portolan_read_double(ns, &line->ns) || !isfinite(line->ns))
        return false;
    line->kind = kind;
    line->bytes = (uint64_t)whole;
    return true;
}

static void read_fact(struct clue_samples *s, char *text)
{
    char *name = take_word(&text);

    if (!strcmp(name, "hosts") && text) {
        s->hosts[0] = take_word(&text);
        s->hosts[1] = text;
    } else if (!strcmp(name, "library") && text) {
        s->library = text;
    }
}

/* Returns the error of the lower quartile of N values, as if they were normal. */
static double error_of_quartile(size_t n, double quartile, double median)
{
    return 1.36 / 0.6745 * (median - quartile) / sqrt((double)n);
}

/* Computes value and error of a sample; ROOM has space for its numbers. */
static void summarize(struct clue_sample *one, double *room)
{
    memcpy(room, one->ns, one->n * sizeof *room);
    portolan_sort_numbers(one->n, room);
    one->value = room[one->n / 4];
    one->std_error = error_of_quartile(one->n, one->value, portolan_median_of_sorted(one->n, room));
}

static bool add_sample(struct clue_samples *s, const struct line *lines, size_t n, double *room)
{
    struct clue_sample *all = portolan_arena_grow(&s->arena, s->sample, s->n, sizeof *s->sample);
    struct clue_sample *one;

    if (!all)
        return false;
    s->sample = all;
    one = &all[s->n];
    *one = (struct clue_sample){.kind = lines->kind, .bytes = lines->bytes, .n = n};
    if (!(one->ns = portolan_arena_alloc(&s->arena, n, sizeof *one->ns)))
        return false;
    s->n++;
    for (size_t i = 0; i < n; i++)
        one->ns[i] = lines[i].ns;
    summarize(one, room);
    return true;
}

static bool group(struct clue_samples *s, struct line *lines, size_t n)
{
    double *room = portolan_calloc(n + 1, sizeof *room);
    bool has_memory = room;

    if (n)
        qsort(lines, n, sizeof *lines, compare_lines);
    for (size_t i = 0, end; i < n && has_memory; i = end) {
        for (end = i + 1; end < n && !strcmp(lines[end].kind, lines[i].kind) &&
                          lines[end].bytes == lines[i].bytes;
             end++)
            ;
        has_memory = add_sample(s, &lines[i], end - i, room);
    }
    free(room);
    return has_memory;
}

static enum portolan_status read_lines(struct clue_samples *s, const char *path, char *text,
                                       struct portolan_error *err)
{
    struct line *lines = NULL, one = {0};
    size_t n = 0;
    int number = 0;

    for (char *next; text && *text; text = next) {
        next = strchr(text, '\n');
        if (next)
            *next++ = 0;
        number++;
        if (text[0] == '#' && text[1] == ' ' && text[2]) {
            read_fact(s, text + 2);
            continue;
        }
        one.number = n;
        if (!read_line(text, &one))
            return portolan_error_set(
                err, PORTOLAN_ESYNTAX,
                "%s:%d: error: not a sample; a line of the benchmark is 'KIND BYTES NANOSECONDS'",
                path, number);
        if (!(lines = portolan_arena_grow(&s->arena, lines, n, sizeof *lines)))
            return portolan_no_memory(err);
        lines[n++] = one;
    }
    return group(s, lines, n) ? PORTOLAN_OK : portolan_no_memory(err);
}

enum portolan_status clue_samples_read(const char *path, struct clue_samples **samples,
                                       struct portolan_error *err)
{
    struct clue_samples *s = *samples = portolan_calloc(1, sizeof *s);
    enum portolan_status status;
    const char *bytes;
    size_t size;

    if (!s)
        return portolan_no_memory(err);
    status = portolan_file_read(&s->arena, path, &bytes, &size, err);
    if (!status) {
        char *text = portolan_arena_strndup(&s->arena, bytes, size);

        status = text ? read_lines(s, path, text, err) : portolan_no_memory(err);
    }
    if (status) {
        clue_samples_destroy(s);
        *samples = NULL;
    }
    return status;
}

void clue_samples_destroy(struct clue_samples *samples)
{
    if (samples)
        portolan_arena_clear(&samples->arena);
    free(samples);
}

const struct clue_sample *clue_samples_of(const struct clue_samples *samples, const char *kind,
                                          size_t *n)
{
    const struct clue_sample *first = NULL;

    *n = 0;
    for (size_t i = 0; i < samples->n; i++)
        if (!strcmp(samples->sample[i].kind, kind)) {
            first = first ? first : &samples->sample[i];
            (*n)++;
        }
    return first;
}

const struct clue_sample *clue_sample_at(const struct clue_samples *samples, const char *kind,
                                         uint64_t bytes)
{
    size_t n;
    const struct clue_sample *of = clue_samples_of(samples, kind, &n);

    for (size_t i = 0; i < n; i++)
        if (of[i].bytes == bytes)
            return &of[i];
    return NULL;
}

void clue_samples_combine(struct clue_samples *const *all, size_t n)
{
    double values[CLUE_MOST_COMBINED];

    for (size_t i = 0; i < all[0]->n; i++) {
        struct clue_sample *first = &all[0]->sample[i];
        size_t counted = 0;

        for (size_t k = 0; k < n && k < CLUE_MOST_COMBINED; k++) {
            const struct clue_sample *s = clue_sample_at(all[k], first->kind, first->bytes);

            if (s)
                values[counted++] = s->value;
        }
        first->value = portolan_sort_to_median(counted, values);
    }
}
