/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples and events from the call paths of a TAU profile. */
#include "import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------- samples */

/* The primary group, but that of a phase says more. */
static const char *group_of(struct import_thread *t, const char *at)
{
    if (strstr(at, "TAU_PHASE"))
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
            return portolan_arena_strndup(&t->rank->arena, at, length);
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

/* The metrics besides the time, in a row of the sample's number. */
static bool add_counters(struct import_rank *out, const double *inclusive)
{
    size_t n = 0;

    if (out->n_counters == 0)
        return true;
    out->counters = portolan_arena_grow(&out->arena, out->counters, out->n_samples,
                                        out->n_counters * sizeof(double));
    for (size_t m = 0; out->counters && m < out->n_metrics && n < out->n_counters; m++)
        if ((int64_t)m != out->time)
            out->counters[out->n_samples * out->n_counters + n++] = inclusive[m];
    return out->counters != NULL;
}

/* A sample with what P has, called METHOD of type GROUP; NULL without memory. */
static struct portolan_sample *add_sample(struct import_thread *t, const struct import_path *p,
                                          const char *method, const char *group)
{
    struct import_rank *out = t->rank;
    struct portolan_sample *grown =
        portolan_arena_grow(&out->arena, out->samples, out->n_samples, sizeof *grown);

    if (!grown || !group || !add_counters(out, p->inclusive))
        return NULL;
    out->samples = grown;
    grown += out->n_samples++;
    *grown = (struct portolan_sample){
        .rank = out->rank,
        .thread = t->thread,
        .parent = p->above < 0 ? -1 : t->paths[p->above].sample,
        .user = p->above < 0 && p->caller ? p->caller : "",
        .uses = "",
        .instance = "",
        .port = "",
        .implementation = "",
        .port_type = group,
        .method = method,
        .calls = llround(p->calls),
        .subroutines = llround(p->subroutines),
        .quality = NAN,
    };
    if (out->time >= 0)
        set_time(grown, p->exclusive[out->time], p->inclusive[out->time]);
    return grown;
}

static bool add_path(struct import_thread *t, struct import_path *p)
{
    const struct portolan_sample *s = add_sample(t, p, p->leaf, group_of(t, p->group));

    if (!s)
        return false;
    p->sample = s - t->rank->samples;
    if (s->parent < 0)
        t->rank->elapsed_ns = fmax(t->rank->elapsed_ns, s->inclusive_ns);
    return true;
}

static int by_depth(const void *a, const void *b, void *arg)
{
    const struct import_path *paths = arg;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    if (paths[x].depth != paths[y].depth)
        return paths[x].depth < paths[y].depth ? -1 : 1;
    return (x > y) - (x < y);
}

static bool add_paths(struct import_thread *t)
{
    size_t *order = portolan_arena_alloc(&t->rank->arena, t->n + 1, sizeof *order), n = 0;
    bool good = order != NULL;

    for (size_t i = 0; good && i < t->n; i++)
        if (t->paths[i].is_used)
            order[n++] = i;
    if (good)
        qsort_r(order, n, sizeof *order, by_depth, t->paths);
    for (size_t i = 0; good && i < n; i++)
        good = add_path(t, &t->paths[order[i]]);
    return good;
}

/* ------------------------------------------------- parameters */

/* <NAME> = <VALUE>: a number, "~1.5" (a mean) or "1..2" (a range). Moves *AT behind it. */
static bool take_parameter(struct portolan_arena *a, const char **at, struct portolan_sample *s)
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
    s->context_name[s->n_context] = portolan_arena_strndup(a, name, (size_t)(middle - name));
    if (!s->context_name[s->n_context])
        return false;
    s->context[s->n_context++] = (low + high) / 2;
    *at = end + 1;
    return true;
}

static bool take_parameters(struct portolan_arena *a, const char *text, struct portolan_sample *s)
{
    const char *at = text + 3; /* behind " [ " */

    while (take_parameter(a, &at, s)) {
        if (!strncmp(at, ", ", 2))
            at += 2;
        else
            return !strcmp(at, " ]");
    }
    return false;
}

/* The one path that a row with parameters is a part of; NULL when there are several. */
static struct import_path *find_whole(const struct import_thread *t, const struct import_path *part)
{
    size_t length = (size_t)(import_parameters_in(part->leaf) - part->name), count;
    int64_t exact = import_find_path(t, part->name, length);
    const struct import_ending *first;

    if (exact >= 0 && t->paths[exact].is_used && !t->paths[exact].is_rest)
        return &t->paths[exact];
    first = import_find_endings(t->leaves, t->n_leaves, part->name, length, &count);
    return part->steps == 1 && count == 1 && !(exact >= 0 && t->paths[exact].is_used)
               ? &t->paths[first->path]
               : NULL;
}

/* What becomes a context's, the newest sample, is the plain one's no more. */
static void move_part(struct import_rank *out, int64_t from)
{
    struct portolan_sample *s = &out->samples[from], *part = &out->samples[out->n_samples - 1];
    size_t n = out->n_counters;

    s->calls -= part->calls;
    s->subroutines -= part->subroutines;
    s->inclusive_ns -= part->inclusive_ns;
    s->exclusive_ns -= part->exclusive_ns;
    s->mpi_ns -= part->mpi_ns;
    s->sum_squares_ns2 -= part->sum_squares_ns2;
    for (size_t i = 0; i < n; i++)
        out->counters[(size_t)from * n + i] -= out->counters[(out->n_samples - 1) * n + i];
}

static bool add_part(struct import_thread *t, struct import_path *part)
{
    struct import_path *whole = find_whole(t, part);
    struct portolan_sample given = {0}, *s;
    struct import_rank *out = t->rank;

    if (!whole || !take_parameters(&out->arena, import_parameters_in(part->leaf), &given) ||
        llround(part->calls) > out->samples[whole->sample].calls) {
        out->parameters_left_out++;
        return !out->arena.failed;
    }
    part->above = whole->above;
    part->caller = whole->caller;
    whole->has_parts = true;
    s = add_sample(t, part, whole->leaf, out->samples[whole->sample].port_type);
    if (!s)
        return false;
    s->n_context = given.n_context;
    s->binned = given.binned;
    memcpy(s->context, given.context, sizeof s->context);
    memcpy(s->context_name, given.context_name, sizeof s->context_name);
    move_part(out, whole->sample);
    return true;
}

/* A sample whose calls all went to its contexts still is the caller of those below it. */
static void tidy_whole(const struct import_path *p, struct portolan_sample *s)
{
    if (p->has_parts && s->calls == 0) {
        s->inclusive_ns = s->exclusive_ns = s->mpi_ns = s->sum_squares_ns2 = 0;
        s->min_ns = s->max_ns = 0;
        s->subroutines = 0;
    }
}

/* ------------------------------------------------- events */

/* NAME : PATH belongs to a path, if there is one of that name. */
static bool add_event(struct import_thread *t, struct portolan_event e)
{
    struct import_rank *out = t->rank;
    struct portolan_event *grown =
        portolan_arena_grow(&out->arena, out->events, out->n_events, sizeof *grown);

    e.rank = out->rank;
    e.thread = t->thread;
    e.path = -1;
    for (const char *colon = e.name; e.path < 0 && (colon = strstr(colon, " : ")); colon++) {
        int64_t path = import_find_path(t, colon + 3, strlen(colon + 3));

        if (path >= 0 && t->paths[path].is_used && !t->paths[path].is_parameter) {
            e.path = t->paths[path].sample;
            e.name = portolan_arena_strndup(&out->arena, e.name, (size_t)(colon - e.name));
        }
    }
    if (!grown || !e.name)
        return false;
    out->events = grown;
    grown[out->n_events++] = e;
    return true;
}

/* ------------------------------------------------- a thread */

bool import_add_thread(struct import_thread *t)
{
    bool good = import_make_paths(t) && add_paths(t);

    for (size_t i = 0; good && i < t->n; i++)
        if (t->paths[i].is_parameter)
            good = add_part(t, &t->paths[i]);
    for (size_t i = 0; good && i < t->n; i++)
        tidy_whole(&t->paths[i], &t->rank->samples[t->paths[i].sample]);
    for (size_t i = 0; good && i < t->n_events; i++)
        good = add_event(t, t->events[i]);
    return good;
}
