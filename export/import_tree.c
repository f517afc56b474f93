/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the rows of a TAU profile to call paths. Flat totals and paths stand side by side in the
 * file: what a flat row has beyond its paths was called from outside all of them. Paths that are
 * cut at a depth begin in the middle; they are hung below the one path that ends as they begin, and
 * where there are several they stand by themselves, under the name of who called.
 */
#include "import.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ARROW        " => "
#define ARROW_LENGTH 4

/* A row as a call path. */
struct path {
    const struct import_line *line;
    const char *leaf; /* the last step */
    size_t steps;
    int64_t above;      /* path, or -1 */
    const char *caller; /* of those without: the steps in front, in the arena */
    bool is_parameter, is_used;
    bool is_rest;   /* the part of a flat row that no path has */
    bool has_parts; /* parameters' rows */
    double calls, subroutines, *exclusive, *inclusive;
    size_t depth;
    int64_t sample; /* the first of its samples */
};

/* A run of steps at the end of a path. */
struct ending {
    const char *text;
    size_t path;
};

struct maker {
    struct import_rank *out;
    const struct import_table *table;
    struct portolan_arena *arena;
    int rank, thread;
    struct path *paths;
    size_t n;
    size_t *by_name; /* sorted */
    size_t longest;
    struct ending *leaves; /* of paths of several steps, sorted */
    size_t n_leaves;
    struct ending *endings; /* of the lengths that cut paths need, sorted */
    size_t n_endings;
};

/* ------------------------------------------------- names */

static const char *parameters_in(const char *name)
{
    return strstr(name, " [ <");
}

static void split(struct path *p)
{
    p->steps = 1;
    p->leaf = p->line->name;
    for (const char *at; (at = strstr(p->leaf, ARROW)); p->steps++)
        p->leaf = at + ARROW_LENGTH;
    p->is_parameter = parameters_in(p->leaf) != NULL;
}

static int compare_names(const void *a, const void *b, void *arg)
{
    const struct path *paths = arg;

    return strcmp(paths[*(const size_t *)a].line->name, paths[*(const size_t *)b].line->name);
}

static int compare_endings(const void *a, const void *b)
{
    const struct ending *x = a, *y = b;
    int by_text = strcmp(x->text, y->text);

    return by_text ? by_text : (x->path > y->path) - (x->path < y->path);
}

/* The path of this name, of LENGTH bytes; -1 when there is none. */
static int64_t find_path(const struct maker *k, const char *name, size_t length)
{
    size_t low = 0, high = k->n;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *other = k->paths[k->by_name[middle]].line->name;
        int order = strncmp(other, name, length);

        if (order == 0 && other[length])
            order = 1;
        if (order == 0)
            return (int64_t)k->by_name[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

/* The first of ENDINGS that reads NAME, of LENGTH bytes; *COUNT of them stand together. */
static const struct ending *find_endings(const struct ending *endings, size_t n, const char *name,
                                         size_t length, size_t *count)
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

/* ------------------------------------------------- what a flat row has of its own */

static bool occurs_before(const struct path *p)
{
    size_t length = strlen(p->leaf);

    for (const char *step = p->line->name; step < p->leaf;
         step = strstr(step, ARROW) + ARROW_LENGTH)
        if (!strncmp(step, p->leaf, length) && !strncmp(step + length, ARROW, ARROW_LENGTH))
            return true;
    return false;
}

/* Inclusive time of a name is that of its outermost calls. */
static void subtract(const struct maker *k, struct path *flat, const struct path *p)
{
    bool outermost = !occurs_before(p);

    flat->calls -= p->calls;
    flat->subroutines -= p->subroutines;
    for (size_t m = 0; m < k->table->n_metrics; m++) {
        flat->exclusive[m] -= p->exclusive[m];
        flat->inclusive[m] -= outermost ? p->inclusive[m] : 0;
    }
}

static bool settle_flat(struct maker *k, struct path *flat)
{
    size_t count, m = k->table->n_metrics;
    const struct ending *first =
        find_endings(k->leaves, k->n_leaves, flat->leaf, strlen(flat->leaf), &count);

    if (count == 0)
        return flat->is_used = true;
    flat->exclusive = portolan_arena_alloc(k->arena, m, 2 * sizeof(double));
    if (!flat->exclusive)
        return false;
    flat->inclusive = flat->exclusive + m;
    memcpy(flat->exclusive, flat->line->exclusive, m * sizeof(double));
    memcpy(flat->inclusive, flat->line->inclusive, m * sizeof(double));
    for (size_t i = 0; i < count; i++)
        subtract(k, flat, &k->paths[first[i].path]);
    flat->is_rest = true;
    flat->is_used = flat->calls >= 0.5;
    for (size_t i = 0; i < m; i++) /* what rounding left is no time */
        flat->inclusive[i] = fmax(flat->inclusive[i], flat->exclusive[i]);
    return true;
}

/* ------------------------------------------------- who is above whom */

static size_t prefix_length(const struct path *p)
{
    return (size_t)(p->leaf - p->line->name) - ARROW_LENGTH;
}

/* How many paths besides I end as NAME, of LENGTH bytes; *ONE is one of them. */
static size_t count_endings(const struct maker *k, const char *name, size_t length, size_t i,
                            int64_t *one)
{
    size_t count, others = 0;
    const struct ending *first = find_endings(k->endings, k->n_endings, name, length, &count);

    for (size_t e = 0; e < count && others < 2; e++)
        if (first[e].path != i) {
            *one = (int64_t)first[e].path;
            others++;
        }
    return others;
}

/* Paths shorter than the longest are not cut: their first step is the outermost. */
static int64_t find_above(const struct maker *k, size_t i)
{
    const struct path *p = &k->paths[i];
    size_t length = prefix_length(p), others;
    int64_t above = find_path(k, p->line->name, length), other = -1;
    bool is_there =
        above >= 0 && (p->steps > 2 ? !k->paths[above].is_parameter : k->paths[above].is_used);

    if (is_there && (p->steps > 2 || !k->paths[above].is_rest || p->steps < k->longest))
        return above;
    others = count_endings(k, p->line->name, length, i, &other);
    if (is_there)
        return others == 0 ? above : -1;
    return others == 1 ? other : -1;
}

static bool add_endings(struct maker *k)
{
    size_t room = 0, wanted = k->longest - 1;

    if (k->longest < 2)
        return true;
    for (size_t i = 0; i < k->n; i++)
        room += k->paths[i].steps >= wanted && k->paths[i].steps > 1;
    k->endings = portolan_arena_alloc(k->arena, room + 1, sizeof *k->endings);
    for (size_t i = 0; k->endings && i < k->n; i++) {
        const struct path *p = &k->paths[i];
        const char *text = p->line->name;

        if (p->steps < wanted || p->steps < 2 || p->is_parameter)
            continue;
        for (size_t skip = p->steps - wanted; skip > 0; skip--)
            text = strstr(text, ARROW) + ARROW_LENGTH;
        k->endings[k->n_endings++] = (struct ending){text, i};
    }
    if (k->endings)
        qsort(k->endings, k->n_endings, sizeof *k->endings, compare_endings);
    return k->endings != NULL;
}

static bool cut_off(struct maker *k, size_t i)
{
    struct path *p = &k->paths[i];

    p->above = -1;
    p->caller = portolan_arena_strndup(k->arena, p->line->name, prefix_length(p));
    k->out->cut_paths++;
    return p->caller != NULL;
}

/* Depths from the top; a ring of paths that seem to be each other's callers is opened. */
static bool count_depth(struct maker *k, size_t i)
{
    size_t steps = 0;
    int64_t at = (int64_t)i;

    for (; at >= 0 && k->paths[at].depth == 0; at = k->paths[at].above)
        if (steps++ > k->n && !cut_off(k, (size_t)at))
            return false;
    steps = at < 0 ? 0 : k->paths[at].depth;
    for (int64_t b = (int64_t)i; b >= 0 && k->paths[b].depth == 0; b = k->paths[b].above)
        steps++;
    for (at = (int64_t)i; at >= 0 && k->paths[at].depth == 0; at = k->paths[at].above)
        k->paths[at].depth = steps--;
    return true;
}

static bool hang(struct maker *k)
{
    if (!add_endings(k))
        return false;
    for (size_t i = 0; i < k->n; i++) {
        struct path *p = &k->paths[i];

        p->above = -1;
        if (p->steps == 1 || p->is_parameter)
            continue;
        p->is_used = true;
        p->above = find_above(k, i);
        if (p->above < 0 && !cut_off(k, i))
            return false;
    }
    for (size_t i = 0; i < k->n; i++)
        if (k->paths[i].is_used && !count_depth(k, i))
            return false;
    return true;
}

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
    size_t length = (size_t)(parameters_in(part->leaf) - name), count;
    int64_t exact = find_path(k, name, length);
    const struct ending *first;

    if (exact >= 0 && k->paths[exact].is_used && !k->paths[exact].is_rest)
        return exact;
    first = find_endings(k->leaves, k->n_leaves, name, length, &count);
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

    if (whole < 0 || !take_parameters(k, parameters_in(part->leaf), &given) ||
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
        int64_t path = find_path(k, colon + 3, strlen(colon + 3));

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

static bool read_lines(struct maker *k)
{
    k->paths = portolan_arena_alloc(k->arena, k->n + 1, sizeof *k->paths);
    k->by_name = portolan_arena_alloc(k->arena, k->n + 1, sizeof *k->by_name);
    k->leaves = portolan_arena_alloc(k->arena, k->n + 1, sizeof *k->leaves);
    for (size_t i = 0; !k->arena->failed && i < k->n; i++) {
        struct path *p = &k->paths[i];
        const struct import_line *line = &k->table->lines[i];

        *p = (struct path){.line = line,
                           .calls = line->calls,
                           .subroutines = line->subroutines,
                           .exclusive = line->exclusive,
                           .inclusive = line->inclusive};
        split(p);
        k->by_name[i] = i;
        if (p->is_parameter)
            continue;
        k->longest = p->steps > k->longest ? p->steps : k->longest;
        if (p->steps > 1)
            k->leaves[k->n_leaves++] = (struct ending){p->leaf, i};
    }
    if (k->arena->failed)
        return false;
    qsort_r(k->by_name, k->n, sizeof *k->by_name, compare_names, k->paths);
    qsort(k->leaves, k->n_leaves, sizeof *k->leaves, compare_endings);
    return true;
}

bool import_add_thread(struct import_rank *out, const struct import_table *table, int rank,
                       int thread)
{
    struct maker k = {.out = out,
                      .table = table,
                      .arena = table->arena,
                      .rank = rank,
                      .thread = thread,
                      .n = table->n_lines};

    if (!read_lines(&k))
        return false;
    for (size_t i = 0; i < k.n; i++)
        if (k.paths[i].steps == 1 && !k.paths[i].is_parameter && !settle_flat(&k, &k.paths[i]))
            return false;
    if (!hang(&k) || !add_paths(&k))
        return false;
    for (size_t i = 0; i < k.n; i++)
        if (k.paths[i].is_parameter && !add_parameters(&k, &k.paths[i]))
            return false;
    tidy_wholes(&k);
    return add_events(&k);
}
