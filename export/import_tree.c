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

/* ------------------------------------------------- names */

const char *import_parameters_in(const char *name)
{
    return strstr(name, " [ <");
}

static void split(struct path *p)
{
    p->steps = 1;
    p->leaf = p->line->name;
    for (const char *at; (at = strstr(p->leaf, ARROW)); p->steps++)
        p->leaf = at + ARROW_LENGTH;
    p->is_parameter = import_parameters_in(p->leaf) != NULL;
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

int64_t import_find_path(const struct maker *k, const char *name, size_t length)
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

const struct ending *import_find_endings(const struct ending *endings, size_t n, const char *name,
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
        import_find_endings(k->leaves, k->n_leaves, flat->leaf, strlen(flat->leaf), &count);

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
    const struct ending *first =
        import_find_endings(k->endings, k->n_endings, name, length, &count);

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
    int64_t above = import_find_path(k, p->line->name, length), other = -1;
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

/* ------------------------------------------------- all paths */

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

bool import_make_paths(struct maker *k)
{
    if (!read_lines(k))
        return false;
    for (size_t i = 0; i < k->n; i++)
        if (k->paths[i].steps == 1 && !k->paths[i].is_parameter && !settle_flat(k, &k->paths[i]))
            return false;
    return hang(k);
}
