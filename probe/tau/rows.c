/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From call paths to the rows of a TAU profile: flat totals, parameters, paths. Exports link this
 * file too, so it knows nothing of records.
 */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct maker {
    struct portolan_tau_rows *out;
    const struct portolan_tau_node *nodes;
    const char **paths;
    const double *nothing; /* zeros, a metric each */
};

static void add_row(struct maker *k, enum portolan_tau_kind kind, const char *name,
                    const struct portolan_tau_node *n, bool outermost)
{
    struct portolan_tau_rows *out = k->out;
    unsigned m = out->n_metrics;
    struct portolan_tau_row *row = &out->rows[out->n++];

    *row = (struct portolan_tau_row){
        .kind = kind,
        .is_root = n == k->nodes,
        .is_phase = n->is_phase,
        .name = name,
        .group = n->group,
        .calls = n->calls,
        .subroutines = n->subroutines,
        .inclusive = portolan_arena_alloc(&out->arena, m, 2 * sizeof *row->inclusive)};
    if (!row->inclusive || !name)
        return;
    row->exclusive = row->inclusive + m;
    memcpy(row->inclusive, outermost ? n->inclusive : k->nothing, m * sizeof *row->inclusive);
    memcpy(row->exclusive, n->exclusive, m * sizeof *row->exclusive);
}

/* A name's inclusive time is that of its outermost call. */
static bool is_outermost(const struct maker *k, size_t i)
{
    for (int64_t a = k->nodes[i].above; a > 0; a = k->nodes[a].above)
        if (!strcmp(k->nodes[a].name, k->nodes[i].name))
            return false;
    return true;
}

static void add_node(struct maker *k, size_t i)
{
    const struct portolan_tau_node *n = &k->nodes[i];
    struct portolan_arena *a = &k->out->arena;
    bool outermost = is_outermost(k, i);

    k->paths[i] = portolan_arena_printf(a, "%s => %s", k->paths[n->above], n->name);
    if (!n->calls && !(n->inclusive[0] > 0))
        return;
    add_row(k, PORTOLAN_TAU_FLAT, n->name, n, outermost);
    add_row(k, PORTOLAN_TAU_PATH, k->paths[i], n, true);
    if (n->parameters)
        add_row(k, PORTOLAN_TAU_PARAMETERS,
                portolan_arena_printf(a, "%s [ %s ]", n->name, n->parameters), n, outermost);
}

static void add_root(struct maker *k)
{
    struct portolan_tau_row *root;

    k->paths[0] = k->nodes[0].name;
    add_row(k, PORTOLAN_TAU_FLAT, k->nodes[0].name, &k->nodes[0], true);
    root = &k->out->rows[0];
    for (unsigned m = 0; !k->out->arena.failed && m < k->out->n_metrics; m++) {
        root->inclusive[m] = ceil(root->inclusive[m]);
        root->exclusive[m] = floor(root->exclusive[m]);
    }
}

/* The root first. */
static int compare_rows(const void *a, const void *b)
{
    const struct portolan_tau_row *x = a, *y = b;

    if (x->is_root != y->is_root)
        return x->is_root ? -1 : 1;
    return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind)
                              : strcmp(x->name, y->name);
}

/* Drops rows without calls: they were there only to be merged into rows that have some. */
static void drop_uncalled(struct portolan_tau_rows *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < out->n; i++)
        if (out->rows[i].calls)
            out->rows[kept++] = out->rows[i];
    out->n = kept;
}

void tau_add_row(struct portolan_tau_row *to, const struct portolan_tau_row *row,
                 unsigned n_metrics)
{
    to->calls += row->calls;
    to->subroutines += row->subroutines;
    for (unsigned m = 0; m < n_metrics; m++) {
        to->exclusive[m] += row->exclusive[m];
        to->inclusive[m] += row->inclusive[m];
    }
}

/* Rows of one name become one: other contexts, other users, other paths. */
static void merge(struct portolan_tau_rows *out)
{
    size_t kept = 0;

    qsort(out->rows, out->n, sizeof *out->rows, compare_rows);
    for (size_t i = 0; i < out->n; i++) {
        struct portolan_tau_row *last = kept ? &out->rows[kept - 1] : NULL, *row = &out->rows[i];

        if (!last || compare_rows(last, row)) {
            out->rows[kept++] = *row;
            continue;
        }
        tau_add_row(last, row, out->n_metrics);
    }
    out->n = kept;
}

enum portolan_status portolan_tau_make_rows(struct portolan_tau_rows *out,
                                            const struct portolan_tau_node *nodes, size_t n,
                                            unsigned n_metrics, struct portolan_error *err)
{
    struct maker k = {.out = out, .nodes = nodes};

    out->n = 0;
    out->n_metrics = n_metrics;
    out->rows = portolan_arena_alloc(&out->arena, 3 * n + 1, sizeof *out->rows);
    k.paths = portolan_arena_alloc(&out->arena, n + 1, sizeof *k.paths);
    k.nothing = portolan_arena_alloc(&out->arena, n_metrics, sizeof *k.nothing);
    if (n > 0 && !out->arena.failed)
        add_root(&k);
    for (size_t i = 1; i < n && !out->arena.failed; i++)
        add_node(&k, i);
    if (out->arena.failed)
        return portolan_no_memory(err);
    merge(out);
    drop_uncalled(out);
    return PORTOLAN_OK;
}
