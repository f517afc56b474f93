/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups: numbers for their names, and timers' groups as ports that commands switch. */
#include <portolan/control.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct group {
    struct portolan_control_group group; /* first */
    struct portolan_control_port control;
    bool is_added;
    struct group *next;
    char text[]; /* "timers.NAME" */
};

static struct portolan_probe_binding no_binding;
static pthread_mutex_t groups_lock = PTHREAD_MUTEX_INITIALIZER;
static struct group *first, *last; /* in the order of their numbers; never freed */

static const char prefix[] = "timers.";

static struct group *create(const char *name)
{
    size_t size = sizeof prefix + strlen(name);
    struct group *g = portolan_calloc(1, sizeof *g + size);

    if (!g)
        return NULL;
    strcpy(g->text, prefix);
    strcat(g->text, name);
    g->group.name = g->text + sizeof prefix - 1;
    g->group.number = last ? last->group.number + 1 : 1;
    portolan_probe_port_init(&g->group.port, &no_binding, 0);
    g->control = (struct portolan_control_port){.name = g->text,
                                                .type = g->group.name,
                                                .port = &g->group.port,
                                                .variant = PORTOLAN_VARIANT_PROFILE};
    if (last)
        last->next = g;
    else
        first = g;
    last = g;
    return g;
}

const struct portolan_control_group *portolan_control_group_get(const char *name, bool of_timers)
{
    struct group *g;

    pthread_mutex_lock(&groups_lock);
    for (g = first; g && strcmp(g->group.name, name); g = g->next)
        ;
    if (!g)
        g = create(name);
    if (g && of_timers && !g->is_added) {
        portolan_control_add(&g->control);
        g->is_added = true;
    }
    pthread_mutex_unlock(&groups_lock);
    return g ? &g->group : NULL;
}

const struct portolan_control_group *portolan_control_group_peek(int64_t number)
{
    const struct group *g;

    pthread_mutex_lock(&groups_lock);
    for (g = first; g && g->group.number != number; g = g->next)
        ;
    pthread_mutex_unlock(&groups_lock);
    return g ? &g->group : NULL;
}
