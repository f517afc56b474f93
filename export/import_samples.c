/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples and events from the call paths of a TAU profile. */
#include "import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------- samples */

/* The primary group, but that of a phase says more. */
static const char *group_of(struct maker *k, const struct import_line *line)
{
    const char *phase = strstr(line->group, "TAU_PHASE"), *at = line->group;

    if (phase)
        return "TAU_PHASE";
    for (;;) {
        size_t length;

        at += strspn(at, " |");
        length = strcspn(at, "|");
        while (length > 0 && at[length - 1] == ' ')
            length--;
        if (length == 0)
            return "";
        if (strncmp(at, "TAU_CALLPATH", length) != 0 && strncmp(at, "TAU_PARAM", length) != 0)
            return portolan_arena_strndup(k->arena, at, length);
        at += length;
    }
}

/* Of the single calls nothing is known but their mean. */
static void set_time(struct portolan_sample *s, double exclusive, double inclusive)
{
    const double ns_per_us = 1e3;

    s->inclusive_ns = inclusive * ns_per_us;
    s->exclusive_ns = exclusive * ns_per_us;
    s->mpi_ns = !strcmp(s->port_type, "MPI") ? s->exclusive_ns : 0;
    if (s->calls > 0) {
        s->min_ns = s->max_ns = s->inclusive_ns / (double)s->calls;
        s->sum_squares_ns2 = s->inclusive_ns * s->min_ns;
    }
}

static struct portolan_sample *add_sample(struct maker *k, const struct path *p)
{
    struct import_rank *out = k->out;
    struct portolan_sample *grown =
        portolan_arena_grow(k->arena, out->samples, out->n_samples, sizeof *grown);
    const char *group = group_of(k, p->line);

    if (!grown || !group)
        return NULL;
    out->samples = grown;
    grown[out->n_samples] = (struct portolan_sample){
        .rank = k->rank,
        .thread = k->thread,
        .parent = p->above < 0 ? -1 : k->paths[p->above].sample,
        .user = p->above < 0 && p->caller ? p->caller : "",
        .uses = "",
        .instance = "",
        .port = "",
        .implementation = "",
        .port_type = group,
        .method = p->leaf,
        .calls = llround(p->calls),
        .subroutines = llround(p->subroutines),
        .quality = NAN,
    };
    return &grown[out->n_samples++];
}

/* The metrics besides the time, in a row of the sample's number. */
static bool set_counters(struct maker *k, const double *inclusive)
{
    struct import_rank *out = k->out;
    size_t n = 0;

    if (out->n_counters == 0)
        return true;
    out->counters = portolan_arena_grow(k->arena, out->counters, out->n_samples - 1,
                                        out->n_counters * sizeof(double));
    if (!out->counters)
        return false;
    for (size_t m = 0; m < k->table->n_metrics && n < out->n_counters; m++)
        if ((int64_t)m != k->table->time)
            out->counters[(out->n_samples - 1) * out->n_counters + n++] = inclusive[m];
    return true;
}

static bool add_path(struct maker *k, struct path *p)
{
    struct portolan_sample *s = add_sample(k, p);
    int64_t time = k->table->time;

    if (!s)
        return false;
    p->sample = (int64_t)k->out->n_samples - 1;
    if (time >= 0)
        set_time(s, p->exclusive[time], p->inclusive[time]);
    if (s->parent < 0)
        k->out->elapsed_ns = fmax(k->out->elapsed_ns, s->inclusive_ns);
    return set_counters(k, p->inclusive);
}

static int by_depth(const void *a, const void *b, void *arg)
{
    const struct path *paths = arg;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    if (paths[x].depth != paths[y].depth)
        return paths[x].depth < paths[y].depth ? -1 : 1;
    return (x > y) - (x < y);
}

static bool add_paths(struct maker *k)
{
    size_t *order = portolan_arena_alloc(k->arena, k->n + 1, sizeof *order), n = 0;

    for (size_t i = 0; order && i < k->n; i++)
        if (k->paths[i].is_used)
            order[n++] = i;
    if (!order)
        return false;
    qsort_r(order, n, sizeof *order, by_depth, k->paths);
    for (size_t i = 0; i < n; i++)
        if (!add_path(k, &k->paths[order[i]]))
            return false;
    return true;
}

/* ------------------------------------------------- parameters */

/* <NAME> = <VALUE>: a number, "~1.5" (a mean) or "1..2" (a range). Moves *AT behind it. */
static bool take_parameter(struct maker *k, const char **at, struct portolan_sample *s)
{
    const char *name = *at + 1, *middle = strstr(*at, "> = <");
    const char *value = middle ? middle + 5 : NULL, *end = value ? strchr(value, '>') : NULL;
    char text[64];
    char *dots;
    double low, high;

    if (**at != '<' || !end || (size_t)(end - value) >= sizeof text ||
        s->n_context >= PORTOLAN_CONTEXT_MAX)
        return false;
    memcpy(text, value, (size_t)(end - value));
    text[end - value] = '\0';
    if ((dots = strstr(text, "..")))
        *dots = '\0';
    if (!portolan_read_double(text + (*text == '~'), &low) || !isfinite(low))
        return false;
    high = low;
    if (dots && (!portolan_read_double(dots + 2, &high) || !isfinite(high)))
        return false;
    s->binned = s->binned || dots || *text == '~';
    s->context_name[s->n_context] = portolan_arena_strndup(k->arena, name, (size_t)(middle - name));
    if (!s->context_name[s->n_context])
        return false;
    s->context[s->n_context++] = (low + high) / 2;
    *at = end + 1;
    return true;
}

static bool take_parameters(struct maker *k, const char *text, struct portolan_sample *s)
{
    const char *at = text + 3; /* behind " [ " */

    while (take_parameter(k, &at, s)) {
        if (!strncmp(at, ", ", 2))
            at += 2;
        else
            return !strcmp(at, " ]");
    }
    return false;
}

/* The one path that a row with parameters is a part of; -1 when there are several. */
static int64_t find_whole(const struct maker *k, const struct path *part)
{
    const char *name = part->line->name;
    size_t length = (size_t)(import_parameters_in(part->leaf) - name), count;
    int64_t exact = import_find_path(k, name, length);
    const struct ending *first;

    if (exact >= 0 && k->paths[exact].is_used && !k->paths[exact].is_rest)
        return exact;
    first = import_find_endings(k->leaves, k->n_leaves, name, length, &count);
    return part->steps == 1 && count == 1 && !(exact >= 0 && k->paths[exact].is_used)
               ? (int64_t)first->path
               : -1;
}

/* What becomes a context's is the plain sample's no more. */
static void move_part(struct maker *k, int64_t from, const struct portolan_sample *part,
                      const double *counters)
{
    struct portolan_sample *s = &k->out->samples[from];
    size_t n = k->out->n_counters;

    s->calls -= part->calls;
    s->subroutines -= part->subroutines;
    s->inclusive_ns -= part->inclusive_ns;
    s->exclusive_ns -= part->exclusive_ns;
    s->mpi_ns -= part->mpi_ns;
    s->sum_squares_ns2 -= part->sum_squares_ns2;
    for (size_t i = 0; i < n; i++)
        k->out->counters[(size_t)from * n + i] -= counters[i];
}

static bool add_parameters(struct maker *k, struct path *part)
{
    int64_t whole = find_whole(k, part), time = k->table->time;
    struct portolan_sample given = {0};
    struct portolan_sample *s;
    struct import_rank *out = k->out;

    if (whole < 0 || !take_parameters(k, import_parameters_in(part->leaf), &given) ||
        llround(part->calls) > out->samples[k->paths[whole].sample].calls) {
        out->parameters_left_out++;
        return !k->arena->failed;
    }
    part->above = k->paths[whole].above;
    part->caller = k->paths[whole].caller;
    k->paths[whole].has_parts = true;
    s = add_sample(k, part);
    if (!s)
        return false;
    s->method = k->paths[whole].leaf;
    s->port_type = out->samples[k->paths[whole].sample].port_type;
    s->n_context = given.n_context;
    s->binned = given.binned;
    memcpy(s->context, given.context, sizeof s->context);
    memcpy(s->context_name, given.context_name, sizeof s->context_name);
    if (time >= 0)
        set_time(s, part->exclusive[time], part->inclusive[time]);
    if (!set_counters(k, part->inclusive))
        return false;
    move_part(k, k->paths[whole].sample, s,
              out->n_counters ? &out->counters[(out->n_samples - 1) * out->n_counters] : NULL);
    return true;
}

/* A sample whose calls all went to its contexts still is the caller of those below it. */
static void tidy_wholes(struct maker *k)
{
    for (size_t i = 0; i < k->n; i++) {
        struct portolan_sample *s = &k->out->samples[k->paths[i].sample];

        if (k->paths[i].has_parts && s->calls == 0) {
            s->inclusive_ns = s->exclusive_ns = s->mpi_ns = s->sum_squares_ns2 = 0;
            s->min_ns = s->max_ns = 0;
            s->subroutines = 0;
        }
    }
}

/* ------------------------------------------------- events */

/* NAME : PATH belongs to a path, if there is one of that name; LENGTH is NAME's. */
static int64_t find_place(const struct maker *k, const char *name, size_t *length)
{
    for (const char *colon = name; (colon = strstr(colon, " : ")); colon++) {
        int64_t path = import_find_path(k, colon + 3, strlen(colon + 3));

        if (path >= 0 && k->paths[path].is_used && !k->paths[path].is_parameter) {
            *length = (size_t)(colon - name);
            return k->paths[path].sample;
        }
    }
    *length = strlen(name);
    return -1;
}

static bool add_events(struct maker *k)
{
    for (size_t i = 0; i < k->table->n_events; i++) {
        const struct import_event *e = &k->table->events[i];
        struct import_rank *out = k->out;
        struct portolan_event *grown =
            portolan_arena_grow(k->arena, out->events, out->n_events, sizeof *grown);
        size_t length;
        int64_t place = find_place(k, e->name, &length);

        if (!grown)
            return false;
        out->events = grown;
        grown[out->n_events++] = (struct portolan_event){
            .rank = k->rank,
            .thread = k->thread,
            .path = place,
            .name = portolan_arena_strndup(k->arena, e->name, length),
            .count = llround(e->count),
            .max = e->max,
            .min = e->min,
            .mean = e->mean,
            .sum_squares = e->sum_squares,
        };
        if (!grown[out->n_events - 1].name)
            return false;
    }
    return true;
}

/* ------------------------------------------------- a thread */

bool import_add_thread(struct import_rank *out, const struct import_table *table, int rank,
                       int thread)
{
    struct maker k = {.out = out,
                      .table = table,
                      .arena = table->arena,
                      .rank = rank,
                      .thread = thread,
                      .n = table->n_lines};

    if (!import_make_paths(&k) || !add_paths(&k))
        return false;
    for (size_t i = 0; i < k.n; i++)
        if (k.paths[i].is_parameter && !add_parameters(&k, &k.paths[i]))
            return false;
    tidy_wholes(&k);
    return add_events(&k);
}
