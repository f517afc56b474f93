/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of totals of all threads as one. */
#include "tau.h"

#include <portolan/control.h>

#include <string.h>

/* Copies: a thread's rows go with its arena. */
static void copy_row(struct portolan_tau_rows *out, const struct portolan_tau_row *row)
{
    struct portolan_tau_row *to = &out->rows[out->n];
    size_t size = out->n_metrics * sizeof *to->inclusive;

    *to = *row;
    to->name = portolan_arena_strdup(&out->arena, row->name);
    to->group = portolan_arena_strdup(&out->arena, row->group);
    to->inclusive = portolan_arena_alloc(&out->arena, 2, size);
    if (out->arena.failed)
        return;
    to->exclusive = to->inclusive + out->n_metrics;
    memcpy(to->inclusive, row->inclusive, size);
    memcpy(to->exclusive, row->exclusive, size);
    out->n++;
}

static void add_row(struct portolan_tau_rows *out, const struct portolan_tau_row *row)
{
    size_t i = 0;

    while (i < out->n && strcmp(out->rows[i].name, row->name))
        i++;
    if (i == out->n) {
        copy_row(out, row);
        return;
    }
    out->rows[i].calls += row->calls;
    out->rows[i].subroutines += row->subroutines;
    for (unsigned m = 0; m < out->n_metrics; m++) {
        out->rows[i].inclusive[m] += row->inclusive[m];
        out->rows[i].exclusive[m] += row->exclusive[m];
    }
}

static enum portolan_status add_thread(struct portolan_tau_rows *out,
                                       const struct tau_source *source, uint32_t thread,
                                       struct portolan_error *err)
{
    struct tau_nodes nodes = {0};
    struct portolan_tau_rows rows = {0};
    enum portolan_status status = tau_nodes_make(&nodes, source, thread, err);

    if (status == PORTOLAN_OK)
        status = portolan_tau_make_rows(&rows, nodes.nodes, nodes.n, nodes.n_metrics, err);
    out->n_metrics = nodes.n_metrics;
    for (size_t i = 0; status == PORTOLAN_OK && i < rows.n && !out->arena.failed; i++)
        if (rows.rows[i].kind == PORTOLAN_TAU_FLAT)
            add_row(out, &rows.rows[i]);
    if (status == PORTOLAN_OK && out->arena.failed)
        status = portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    portolan_arena_clear(&rows.arena);
    portolan_arena_clear(&nodes.arena);
    return status;
}

enum portolan_status portolan_probe_total_tau(struct portolan_tau_rows *rows,
                                              struct portolan_error *err)
{
    struct tau_source source = {0};
    enum portolan_status status = tau_source_take(&source, err);

    rows->n = 0;
    rows->n_metrics = 1 + (unsigned)portolan_probe_counter_slots();
    rows->rows = portolan_arena_alloc(&rows->arena, source.snapshot.count + 1, sizeof *rows->rows);
    if (status == PORTOLAN_OK && !rows->rows)
        status = portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    for (uint32_t t = 0; status == PORTOLAN_OK && t < source.snapshot.threads; t++)
        status = add_thread(rows, &source, t, err);
    tau_source_clear(&source);
    return status;
}
