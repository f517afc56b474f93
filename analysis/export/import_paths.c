/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes call paths of the rows of a TAU profile, and samples and events of these. The file has both
 * flat totals and paths: the calls that a flat row has in addition to its paths came from outside
 * all paths. Paths that were cut at a depth lack their first steps; such a path is put below the
 * only path that ends with the steps it begins with. If there are several, it becomes a root, under
 * the name of its caller.
 */
#include "import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run of steps at the end of a path. */
struct import_ending {
    const char *text;
    size_t path;
};

static const char arrow[] = " => ";
enum { ARROW_LENGTH = sizeof arrow - 1 };

/* ------------------------------------------------- rows by name */

static int compare_rows(const void *a, const void *b)
{
    const struct import_path *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : (x->metric > y->metric) - (x->metric < y->metric);
}

static void join_rows(struct import_thread *t)
{
    size_t kept = 0;

    if (t->n)
        qsort(t->paths, t->n, sizeof *t->paths, compare_rows);
    for (size_t i = 0; i < t->n; i++) {
        struct import_path *first = kept ? &t->paths[kept - 1] : NULL, *row = &t->paths[i];

        if (!first || strcmp(first->name, row->name) != 0) {
            t->paths[kept++] = *row;
            continue;
        }
        if (row->metric == first->metric) {
            first->calls += row->calls;
            first->subroutines += row->subroutines;
        }
        for (size_t m = 0; m < t->rank->n_metrics; m++) {
            first->exclusive[m] += row->exclusive[m];
            first->inclusive[m] += row->inclusive[m];
        }
    }
    t->n = kept;
}

static int64_t find_path(const struct import_thread *t, const char *name, size_t length)
{
    size_t low = 0, high = t->n;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *other = t->paths[middle].name;
        int order = strncmp(other, name, length);

        if (order == 0 && !other[length])
            return (int64_t)middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

/* ------------------------------------------------- endings of names */

static const char *parameters_in(const char *name)
{
    return strstr(name, " [ <");
}

static int compare_endings(const void *a, const void *b)
{
    const struct import_ending *x = a, *y = b;
    int by_text = strcmp(x->text, y->text);

    return by_text ? by_text : (x->path > y->path) - (x->path < y->path);
}

static const struct import_ending *find_endings(const struct import_ending *endings, size_t n,
                                                const char *name, size_t length, size_t *count)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (strncmp(endings[middle].text, name, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (low + *count < n && !strncmp(endings[low + *count].text, name, length) &&
           !endings[low + *count].text[length])
        ++*count;
    return &endings[low];
}

static void split_name(struct import_path *p)
{
    p->steps = 1;
    p->leaf = p->name;
    for (const char *at; (at = strstr(p->leaf, arrow)); p->steps++)
        p->leaf = at + ARROW_LENGTH;
    p->is_parameter = parameters_in(p->leaf) != NULL;
    p->above = -1;
}

/* Adds the last step of a path and, if it has so many, its last LONGEST - 1 steps: a cut path has
 * LONGEST steps, and all but the last of these are the end of its caller's path. */
static void add_ending(struct import_thread *t, size_t i)
{
    const struct import_path *p = &t->paths[i];
    const char *text = p->name;

    if (p->is_parameter || p->steps < 2)
        return;
    t->leaves[t->n_leaves++] = (struct import_ending){p->leaf, i};
    if (p->steps + 1 < t->longest)
        return;
    for (size_t skip = p->steps + 1 - t->longest; skip > 0; skip--)
        text = strstr(text, arrow) + ARROW_LENGTH;
    t->endings[t->n_endings++] = (struct import_ending){text, i};
}

static bool collect_endings(struct import_thread *t)
{
    t->leaves = portolan_arena_alloc(&t->rank->arena, t->n + 1, sizeof *t->leaves);
    t->endings = portolan_arena_alloc(&t->rank->arena, t->n + 1, sizeof *t->endings);
    if (!t->leaves || !t->endings)
        return false;
    for (size_t i = 0; i < t->n; i++) {
        struct import_path *p = &t->paths[i];

        split_name(p);
        if (!p->is_parameter && p->steps > t->longest)
            t->longest = p->steps;
    }
    for (size_t i = 0; i < t->n; i++)
        add_ending(t, i);
    qsort(t->leaves, t->n_leaves, sizeof *t->leaves, compare_endings);
    qsort(t->endings, t->n_endings, sizeof *t->endings, compare_endings);
    return true;
}

/* ------------------------------------------------- flat rows without their paths */

static bool occurs_before(const struct import_path *p)
{
    size_t length = strlen(p->leaf);

    for (const char *step = p->name; step < p->leaf; step = strstr(step, arrow) + ARROW_LENGTH)
        if (!strncmp(step, p->leaf, length) && !strncmp(step + length, arrow, ARROW_LENGTH))
            return true;
    return false;
}

/* Subtracts a path from its flat row, whose inclusive time is that of outermost calls only. */
static void subtract_path(struct import_path *flat, const struct import_path *p, size_t n_metrics)
{
    bool outermost = !occurs_before(p);

    flat->calls -= p->calls;
    flat->subroutines -= p->subroutines;
    for (size_t m = 0; m < n_metrics; m++) {
        flat->exclusive[m] -= p->exclusive[m];
        flat->inclusive[m] -= outermost ? p->inclusive[m] : 0;
    }
}

static void settle_flat(struct import_thread *t, struct import_path *flat)
{
    size_t count, n_metrics = t->rank->n_metrics;
    const struct import_ending *first =
        find_endings(t->leaves, t->n_leaves, flat->leaf, strlen(flat->leaf), &count);

    for (size_t i = 0; i < count; i++)
        subtract_path(flat, &t->paths[first[i].path], n_metrics);
    flat->is_rest = count > 0;
    flat->is_used = count == 0 || flat->calls >= 0.5;
    for (size_t m = 0; count > 0 && m < n_metrics; m++) /* corrects rounding */
        flat->inclusive[m] = fmax(flat->inclusive[m], flat->exclusive[m]);
}

/* ------------------------------------------------- callers */

static size_t prefix_length(const struct import_path *p)
{
    return (size_t)(p->leaf - p->name) - ARROW_LENGTH;
}

/* How many paths other than I end with NAME, of LENGTH bytes (2: or more); *ONE is one of them. */
static size_t count_endings(const struct import_thread *t, const char *name, size_t length,
                            size_t i, int64_t *one)
{
    size_t count, others = 0;
    const struct import_ending *first =
        find_endings(t->endings, t->n_endings, name, length, &count);

    for (size_t e = 0; e < count && others < 2; e++)
        if (first[e].path != i) {
            *one = (int64_t)first[e].path;
            others++;
        }
    return others;
}

/* The path of the caller, or -1. Paths shorter than the longest are not cut: their first step is
 * the outermost. */
static int64_t find_above(const struct import_thread *t, size_t i)
{
    const struct import_path *p = &t->paths[i];
    size_t length = prefix_length(p), others;
    int64_t above = find_path(t, p->name, length), other = -1;
    bool is_there =
        above >= 0 && (p->steps > 2 ? !t->paths[above].is_parameter : t->paths[above].is_used);

    if (is_there && (p->steps > 2 || !t->paths[above].is_rest || p->steps < t->longest))
        return above;
    others = count_endings(t, p->name, length, i, &other);
    if (is_there)
        return others == 0 ? above : -1;
    return others == 1 ? other : -1;
}

static bool cut_off(struct import_thread *t, struct import_path *p)
{
    p->above = -1;
    p->caller = portolan_arena_strndup(&t->rank->arena, p->name, prefix_length(p));
    t->rank->cut_paths++;
    return p->caller != NULL;
}

/* Sets the depths of a path and its callers; breaks a cycle of paths that call each other. */
static bool count_depth(struct import_thread *t, size_t i)
{
    size_t steps = 0;
    int64_t at = (int64_t)i;

    for (; at >= 0 && t->paths[at].depth == 0; at = t->paths[at].above)
        if (steps++ > t->n && !cut_off(t, &t->paths[at]))
            return false;
    steps = at < 0 ? 0 : t->paths[at].depth;
    for (int64_t b = (int64_t)i; b >= 0 && t->paths[b].depth == 0; b = t->paths[b].above)
        steps++;
    for (at = (int64_t)i; at >= 0 && t->paths[at].depth == 0; at = t->paths[at].above)
        t->paths[at].depth = steps--;
    return true;
}

static bool make_paths(struct import_thread *t)
{
    if (!collect_endings(t))
        return false;
    for (size_t i = 0; i < t->n; i++)
        if (t->paths[i].steps == 1 && !t->paths[i].is_parameter)
            settle_flat(t, &t->paths[i]);
    for (size_t i = 0; i < t->n; i++) {
        struct import_path *p = &t->paths[i];

        if (p->steps == 1 || p->is_parameter)
            continue;
        p->is_used = true;
        p->above = find_above(t, i);
        if (p->above < 0 && !cut_off(t, p))
            return false;
    }
    for (size_t i = 0; i < t->n; i++)
        if (t->paths[i].is_used && !count_depth(t, i))
            return false;
    return true;
}

/* ------------------------------------------------- samples */

/* The primary group; but TAU_PHASE if that is among the groups. */
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

/* Sets the times of a sample; minimum and maximum are the mean, since single calls are not known.
 */
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

/* Adds the metrics other than the time as the row of the newest sample: inclusive values of all,
 * then as many exclusive ones as there is room for. */
static bool add_counters(struct import_rank *out, const double *inclusive, const double *exclusive)
{
    size_t n = 0;

    if (out->n_counters == 0)
        return true;
    out->counters = portolan_arena_grow(&out->arena, out->counters, out->n_samples,
                                        out->n_counters * sizeof(double));
    for (size_t i = 0; out->counters && i < 2 * out->n_metrics && n < out->n_counters; i++) {
        size_t m = i % out->n_metrics;

        if ((int64_t)m != out->time && m < out->n_known)
            out->counters[out->n_samples * out->n_counters + n++] =
                i < out->n_metrics ? inclusive[m] : exclusive[m];
    }
    return out->counters != NULL;
}

/* Adds a sample with the numbers of P, the method METHOD and the type GROUP; NULL without memory.
 */
static struct portolan_sample *add_sample(struct import_thread *t, const struct import_path *p,
                                          const char *method, const char *group)
{
    struct import_rank *out = t->rank;
    struct portolan_sample *grown =
        portolan_arena_grow(&out->arena, out->samples, out->n_samples, sizeof *grown);

    if (!grown || !group || !add_counters(out, p->inclusive, p->exclusive))
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

/* Reads <NAME> = <VALUE>: a number, "~1.5" (a mean) or "1..2" (a range). Moves *AT after it. */
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
    const char *at = text + 3; /* after " [ " */

    while (take_parameter(a, &at, s)) {
        if (!strncmp(at, ", ", 2))
            at += 2;
        else
            return !strcmp(at, " ]");
    }
    return false;
}

/* The only path that a row with parameters can belong to; NULL when there is none, or several. */
static struct import_path *find_whole(const struct import_thread *t, const struct import_path *part)
{
    size_t length = (size_t)(parameters_in(part->leaf) - part->name), count;
    int64_t exact = find_path(t, part->name, length);
    const struct import_ending *first;

    if (exact >= 0 && t->paths[exact].is_used && !t->paths[exact].is_rest)
        return &t->paths[exact];
    first = find_endings(t->leaves, t->n_leaves, part->name, length, &count);
    return part->steps == 1 && count == 1 && !(exact >= 0 && t->paths[exact].is_used)
               ? &t->paths[first->path]
               : NULL;
}

/* Subtracts the newest sample, of a context, from sample FROM of the whole path. */
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

    if (!whole || !take_parameters(&out->arena, parameters_in(part->leaf), &given) ||
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

/* If all calls went to its contexts, the sample stays, without time, as the caller of those below.
 */
static void tidy_whole(const struct import_path *p, struct portolan_sample *s)
{
    if (p->has_parts && s->calls == 0) {
        s->inclusive_ns = s->exclusive_ns = s->mpi_ns = s->sum_squares_ns2 = 0;
        s->min_ns = s->max_ns = 0;
        s->subroutines = 0;
    }
}

/* ------------------------------------------------- events */

/* Adds an event; "NAME : PATH" belongs to the path of that name, if there is one. */
static bool add_event(struct import_thread *t, struct portolan_event e)
{
    struct import_rank *out = t->rank;
    struct portolan_event *grown =
        portolan_arena_grow(&out->arena, out->events, out->n_events, sizeof *grown);

    e.rank = out->rank;
    e.thread = t->thread;
    e.path = -1;
    for (const char *colon = e.name; e.path < 0 && (colon = strstr(colon, " : ")); colon++) {
        int64_t path = find_path(t, colon + 3, strlen(colon + 3));

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
    bool good;

    join_rows(t);
    good = make_paths(t) && add_paths(t);

    for (size_t i = 0; good && i < t->n; i++)
        if (t->paths[i].is_parameter)
            good = add_part(t, &t->paths[i]);
    for (size_t i = 0; good && i < t->n; i++)
        tidy_whole(&t->paths[i], &t->rank->samples[t->paths[i].sample]);
    for (size_t i = 0; good && i < t->n_events; i++)
        good = add_event(t, t->events[i]);
    return good;
}
