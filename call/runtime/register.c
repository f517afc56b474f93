/* SPDX-License-Identifier: BSD-3-Clause */
/* Which experiments there are. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

pthread_mutex_t cll_lock = PTHREAD_MUTEX_INITIALIZER;

static struct portolan_cll_state *first, **last = &first;

struct portolan_cll_state *cll_first_state(void)
{
    return first;
}

/* Under the lock. */
static struct portolan_cll_state *add(struct portolan_cll_experiment *e)
{
    struct portolan_cll_state *s = e->state;

    if (s)
        return s;
    cll_exit_watch();
    s = portolan_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->experiment = e;
    s->n_identifiers = e->n_identifiers;
    s->n_observables = e->n_observables ? e->n_observables : 1;
    *last = s;
    last = &s->next;
    __atomic_store_n(&e->state, s, __ATOMIC_RELEASE);
    return s;
}

/* One for which there is no memory now is tried again when it begins. */
void portolan_cll_register(struct portolan_cll_experiment *const *list, size_t n)
{
    pthread_mutex_lock(&cll_lock);
    for (size_t i = 0; i < n; i++)
        add(list[i]);
    pthread_mutex_unlock(&cll_lock);
}

bool cll_is_known(const char *name)
{
    const struct portolan_cll_state *s;

    pthread_mutex_lock(&cll_lock);
    for (s = first; s && strcmp(s->experiment->name, name) != 0;)
        s = s->next;
    pthread_mutex_unlock(&cll_lock);
    return s != NULL;
}

struct portolan_cll_state *cll_prepare(struct portolan_cll_experiment *experiment)
{
    struct portolan_cll_state *s;

    pthread_mutex_lock(&cll_lock);
    s = add(experiment);
    if (s && !s->is_ready) {
        if (cll_gauges_find(s))
            __atomic_store_n(&s->is_ready, 1, __ATOMIC_RELEASE);
        else
            s = NULL;
    }
    pthread_mutex_unlock(&cll_lock);
    return s;
}
