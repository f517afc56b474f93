/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call path's leaf is called; the names of single calls' paths. */
#include "internal.h"

#include <string.h>

void profile_add_context(const struct portolan_profile_node *n, struct portolan_text *text)
{
    portolan_text_add(text, " [");
    for (int k = 0; k < n->n_context; k++)
        portolan_text_add(text, "%s <%s> = <%s%.12g>", k ? "," : "", n->context_name[k],
                          n->binned ? "~" : "", n->context[k]);
    portolan_text_add(text, " ]");
}

void portolan_profile_add_label(const struct portolan_profile_node *n, bool with_port,
                                struct portolan_text *text)
{
    if (*n->instance)
        portolan_text_add(text, "%s.", n->instance);
    if (with_port && *n->port)
        portolan_text_add(text, "%s.", n->port);
    portolan_text_add(text, "%s", n->method);
    if (*n->implementation)
        portolan_text_add(text, " [%s]", n->implementation);
    if (n->is_context)
        profile_add_context(n, text);
}

bool profile_is_ambiguous(const struct portolan_profile *p, size_t node)
{
    const struct portolan_profile_node *n = &p->nodes[node];

    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct portolan_profile_node *m = &p->nodes[i];

        if (i != node && !m->is_context && !strcmp(m->method, n->method) &&
            !strcmp(m->instance, n->instance) && !strcmp(m->implementation, n->implementation))
            return true;
    }
    return false;
}

const struct portolan_sample *portolan_profile_keep_path(struct portolan_kept_paths *k,
                                                         int64_t number,
                                                         const struct portolan_sample *path)
{
    struct portolan_sample *copy;

    while (k->n <= (size_t)number) {
        struct portolan_sample **grown =
            portolan_arena_grow(&k->arena, k->paths, k->n, sizeof(struct portolan_sample *));

        if (!grown)
            return NULL;
        k->paths = grown;
        grown[k->n++] = NULL;
    }
    if (!k->paths[number] && (copy = portolan_arena_alloc(&k->arena, 1, sizeof *copy))) {
        const char **const texts[] = {&copy->user,  &copy->uses,           &copy->instance,
                                      &copy->port,  &copy->implementation, &copy->port_type,
                                      &copy->method};

        *copy = *path;
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            *texts[i] = portolan_arena_strdup(&k->arena, *texts[i]);
        for (int i = 0; i < copy->n_context; i++)
            copy->context_name[i] = portolan_arena_strdup(&k->arena, copy->context_name[i]);
        for (int i = 0; i < copy->n_counters; i++)
            copy->counter_name[i] = portolan_arena_strdup(&k->arena, copy->counter_name[i]);
        k->paths[number] = copy;
    }
    return k->arena.failed ? NULL : k->paths[number];
}

static int stop_at_first(void *any, const struct portolan_sample *path,
                         const struct portolan_invocation *row)
{
    (void)path, (void)row;
    *(bool *)any = true;
    return 1;
}

enum portolan_status portolan_profile_has_rows(struct portolan_store *store, int64_t trial,
                                               const int *rank, bool *any,
                                               struct portolan_error *err)
{
    *any = false;
    return portolan_store_visit_invocations(store, trial, rank, stop_at_first, any, err);
}
