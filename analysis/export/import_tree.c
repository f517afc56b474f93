/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the rows of a TAU profile to call paths. Flat totals and paths stand side by side in the
 * file: what a flat row has beyond its paths was called from outside all of them. Paths that are
 * cut at a depth begin in the middle; they are hung below the one path that ends as they begin, and
 * where there are several they stand by themselves, under the name of who called.
 */
#include "import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char arrow[] = " => ";
enum { ARROW_LENGTH = sizeof arrow - 1 };

/* ------------------------------------------------- rows by name */

static int compare_rows(const void *a, const void *b)
{
    const struct import_path *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : (x->metric > y->metric) - (x->metric < y->metric);
}

void import_join_rows(struct import_thread *t)
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

int64_t import_find_path(const struct import_thread *t, const char *name, size_t length)
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

const char *import_parameters_in(const char *name)
{
    return strstr(name, " [ <");
}

static int compare_endings(const void *a, const void *b)
{
    const struct import_ending *x = a, *y = b;
    int by_text = strcmp(x->text, y->text);

    return by_text ? by_text : (x->path > y->path) - (x->path < y->path);
}

const struct import_ending *import_find_endings(const struct import_ending *endings, size_t n,
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
    p->is_parameter = import_parameters_in(p->leaf) != NULL;
    p->above = -1;
}

/* Of paths one step shorter than the longest, or longer, the last steps that a cut path can have.
 */
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

/* ------------------------------------------------- what a flat row has of its own */

static bool occurs_before(const struct import_path *p)
{
    size_t length = strlen(p->leaf);

    for (const char *step = p->name; step < p->leaf; step = strstr(step, arrow) + ARROW_LENGTH)
        if (!strncmp(step, p->leaf, length) && !strncmp(step + length, arrow, ARROW_LENGTH))
            return true;
    return false;
}

/* Inclusive time of a name is that of its outermost calls. */
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
        import_find_endings(t->leaves, t->n_leaves, flat->leaf, strlen(flat->leaf), &count);

    for (size_t i = 0; i < count; i++)
        subtract_path(flat, &t->paths[first[i].path], n_metrics);
    flat->is_rest = count > 0;
    flat->is_used = count == 0 || flat->calls >= 0.5;
    for (size_t m = 0; count > 0 && m < n_metrics; m++) /* what rounding left is no time */
        flat->inclusive[m] = fmax(flat->inclusive[m], flat->exclusive[m]);
}

/* ------------------------------------------------- who is above whom */

static size_t prefix_length(const struct import_path *p)
{
    return (size_t)(p->leaf - p->name) - ARROW_LENGTH;
}

/* How many paths besides I end as NAME, of LENGTH bytes; *ONE is one of them. */
static size_t count_endings(const struct import_thread *t, const char *name, size_t length,
                            size_t i, int64_t *one)
{
    size_t count, others = 0;
    const struct import_ending *first =
        import_find_endings(t->endings, t->n_endings, name, length, &count);

    for (size_t e = 0; e < count && others < 2; e++)
        if (first[e].path != i) {
            *one = (int64_t)first[e].path;
            others++;
        }
    return others;
}

/* Paths shorter than the longest are not cut: their first step is the outermost. */
static int64_t find_above(const struct import_thread *t, size_t i)
{
    const struct import_path *p = &t->paths[i];
    size_t length = prefix_length(p), others;
    int64_t above = import_find_path(t, p->name, length), other = -1;
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

/* Depths from the top; a ring of paths that seem to be each other's callers is opened. */
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

bool import_make_paths(struct import_thread *t)
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
