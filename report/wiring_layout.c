/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphviz places boxes and arrows: a graph without names goes out, its "plain" form comes back. */
#include "internal.h"

#include <portolan/command.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double points_per_inch = 72;

static char *write_graph(const struct report_layout *l)
{
    struct portolan_text t = {0};
    char *text;

    portolan_text_add(&t, "digraph { rankdir=LR nodesep=0.45 ranksep=1.9\n");
    for (size_t i = 0; i < l->n_boxes; i++)
        portolan_text_add(&t, "b%zu [shape=box fixedsize=true label=\"\" width=%.3f height=%.3f]\n",
                          i, l->boxes[i].width / points_per_inch,
                          l->boxes[i].height / points_per_inch);
    for (size_t i = 0; i < l->n_arrows; i++)
        portolan_text_add(&t, "b%zu -> b%zu\n", l->arrows[i].from, l->arrows[i].to);
    portolan_text_add(&t, "}\n");
    return portolan_text_take(&t, &text, NULL) ? NULL : text;
}

/* The next number of a line; 0 at its end. */
static double next_number(const char **at)
{
    char *end;
    double x = strtod(*at, &end);

    *at = end;
    return x;
}

static void read_box(struct report_layout *l, const char *line)
{
    size_t i;
    double x, y;

    if (sscanf(line, "node b%zu %lf %lf", &i, &x, &y) == 3 && i < l->n_boxes) {
        l->boxes[i].x = x * points_per_inch;
        l->boxes[i].y = l->height - y * points_per_inch;
    }
}

/* "edge b0 b1 4 x y x y x y x y style color"; several between two boxes are alike. */
static bool read_arrow(struct report_layout *l, const char *line)
{
    size_t from, to, n, i = 0;
    int used = 0;
    double(*at)[2];
    const char *rest;

    if (sscanf(line, "edge b%zu b%zu %zu%n", &from, &to, &n, &used) != 3 || n > 1000)
        return true;
    if (!(at = portolan_arena_alloc(l->pool, n, sizeof *at)))
        return false;
    rest = line + used;
    for (size_t k = 0; k < n; k++) {
        at[k][0] = next_number(&rest) * points_per_inch;
        at[k][1] = l->height - next_number(&rest) * points_per_inch;
    }
    while (i < l->n_arrows &&
           (l->arrows[i].from != from || l->arrows[i].to != to || l->arrows[i].at))
        i++;
    if (i < l->n_arrows) {
        l->arrows[i].n = n;
        l->arrows[i].at = at;
    }
    return true;
}

static enum portolan_status read_plain(struct report_layout *l, const char *text)
{
    double scale, width, height;

    if (sscanf(text, "graph %lf %lf %lf", &scale, &width, &height) != 3)
        return PORTOLAN_EFOREIGN;
    l->width = width * points_per_inch;
    l->height = height * points_per_inch;
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        read_box(l, line);
        if (!read_arrow(l, line))
            return PORTOLAN_ENOMEM;
    }
    return PORTOLAN_OK;
}

static enum portolan_status run_dot(struct report_layout *l, const char *folder, const char *graph,
                                    struct portolan_error *err)
{
    struct portolan_words command = {0};
    char *in = portolan_arena_printf(l->pool, "%s/graph.dot", folder);
    char *out = portolan_arena_printf(l->pool, "%s/graph.plain", folder);
    const char *text;
    size_t size;
    enum portolan_status status;

    if (!in || !out || !portolan_words_split(l->pool, &command, "dot -Tplain") ||
        !portolan_words_add(l->pool, &command, in))
        return portolan_no_memory(err);
    status = portolan_replace_file(in, graph, strlen(graph), err);
    if (!status)
        status = portolan_command_run(l->pool, &command, out, err);
    if (!status)
        status = portolan_file_read(l->pool, out, &text, &size, err);
    return status ? status : read_plain(l, text);
}

enum portolan_status report_lay_out(struct report_layout *l, struct portolan_error *err)
{
    char *graph = write_graph(l), *folder = portolan_temporary_folder(l->pool, err);
    enum portolan_status status = !graph    ? portolan_no_memory(err)
                                  : !folder ? err->status
                                            : run_dot(l, folder, graph, err);

    if (folder)
        portolan_folder_remove(folder);
    free(graph);
    return status;
}
