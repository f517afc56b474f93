/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of totals of all threads as one. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

static void add_row(struct portolan_tau_rows *out, const struct portolan_tau_row *row)
{
    size_t i = 0;

    while (i < out->n && strcmp(out->rows[i].name, row->name))
        i++;
    if (i == out->n)
        out->rows[out->n++] = *row;
    else
        tau_add_row(&out->rows[i], row, out->n_metrics);
}

/* All of a thread's rows stay in the one arena, so that those that are kept need no copies. */
static enum portolan_status add_thread(struct portolan_tau_rows *out,
                                       const struct tau_source *source, uint32_t thread,
                                       struct portolan_error *err)
{
    struct tau_nodes nodes = {.arena = out->arena};
    struct portolan_tau_rows rows = {0};
    enum portolan_status status = tau_nodes_make(&nodes, source, thread, err);

    rows.arena = nodes.arena;
    if (status == PORTOLAN_OK)
        status = portolan_tau_make_rows(&rows, nodes.nodes, nodes.n, nodes.n_metrics, err);
    out->arena = rows.arena;
    for (size_t i = 0; status == PORTOLAN_OK && i < rows.n; i++)
        if (rows.rows[i].kind == PORTOLAN_TAU_FLAT)
            add_row(out, &rows.rows[i]);
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
        status = portolan_no_memory(err);
    for (uint32_t t = 0; status == PORTOLAN_OK && t < source.snapshot.threads; t++)
        status = add_thread(rows, &source, t, err);
    tau_source_clear(&source);
    return status;
}

/* ------------------------------------------------- names */

struct names {
    struct portolan_arena *arena;
    const char **list;
    size_t n;
};

static void add_name(struct names *names, const char *name)
{
    const char **more;

    for (size_t i = 0; i < names->n; i++)
        if (!name || !strcmp(names->list[i], name))
            return;
    more = portolan_arena_grow(names->arena, names->list, names->n, sizeof *more);
    if (!more)
        return;
    names->list = more;
    more[names->n++] = name;
}

static bool add_timer(void *arg, const struct portolan_probe_method_info *info)
{
    struct names *names = arg;

    if (info->method.kind != PORTOLAN_PROBE_CALL_OF_PORT)
        add_name(names, tau_name_of(names->arena, info));
    return !names->arena->failed;
}

enum portolan_status portolan_probe_name_tau(struct portolan_arena *a, const char ***list,
                                             size_t *n, struct portolan_error *err)
{
    struct names names = {.arena = a};
    struct portolan_tau_rows rows = {0};
    enum portolan_status status = portolan_probe_total_tau(&rows, err);

    for (size_t i = 0; status == PORTOLAN_OK && i < rows.n && !a->failed; i++)
        add_name(&names, portolan_arena_strdup(a, rows.rows[i].name));
    portolan_arena_clear(&rows.arena);
    if (status == PORTOLAN_OK)
        portolan_probe_methods_visit(add_timer, &names);
    if (status == PORTOLAN_OK && a->failed)
        status = portolan_no_memory(err);
    *list = names.list;
    *n = names.n;
    return status;
}

enum portolan_status portolan_probe_dump_tau_names(const char *file, struct portolan_error *err)
{
    struct portolan_arena a = {0};
    struct portolan_text t = {0};
    const char **names, *folder = tau_folder(NULL);
    size_t n;
    char *path = portolan_asprintf("%s/%s", folder, file);
    enum portolan_status status = portolan_probe_name_tau(&a, &names, &n, err);

    portolan_text_add(&t, "number of functions %zu\n", status ? 0 : n);
    for (size_t i = 0; status == PORTOLAN_OK && i < n; i++)
        portolan_text_add(&t, "%s\n", names[i]);
    if (status == PORTOLAN_OK && (!path || t.failed))
        status = portolan_no_memory(err);
    if (status == PORTOLAN_OK)
        status = tau_make_folder(folder, err);
    if (status == PORTOLAN_OK)
        status = portolan_replace_file(path, t.bytes, t.length, err);
    portolan_text_clear(&t);
    portolan_arena_clear(&a);
    free(path);
    return status;
}
