/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic events: names, what a trigger does, and what readers get. */
#include "internal.h"

#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>

/* A row that cannot be found again is not added. */
#define HASH_NONFATAL_OOM           1
#define uthash_malloc(size)         portolan_calloc(1, size)
#define uthash_nonfatal_oom(object) (is_out_of_memory = true)
#include <uthash.h>

#define BLOCK_EVENTS 1024

/* One event on one thread, as a whole or on one call path. One writer; readers only look. */
struct probe_event_sums {
    struct event_key {
        const struct portolan_probe_node *node; /* NULL: as a whole */
        uint64_t event;
    } key;
    uint64_t count;
    double max, min, sum, squares;
    struct probe_event_sums *next; /* in the order they came */
    UT_hash_handle hh;
};

/* The events of one thread: the list is for readers, the table for triggers. */
struct probe_events {
    struct probe_event_sums *first, *last;
    struct probe_event_sums *table;
    size_t paths;
};

struct event {
    char *name;
    uint32_t has_context;
};

/* Blocks stay where they are, so that triggers look without a lock. */
static struct event *blocks[PORTOLAN_PROBE_EVENTS / BLOCK_EVENTS];
static uint32_t n_events;
static struct probe_events apart; /* of threads that are not measured */
pthread_mutex_t probe_events_lock = PTHREAD_MUTEX_INITIALIZER;

/* ------------------------------------------------- names */

static struct event *event_at(uint32_t event)
{
    if (event >= __atomic_load_n(&n_events, __ATOMIC_ACQUIRE))
        return NULL;
    return &blocks[event / BLOCK_EVENTS][event % BLOCK_EVENTS];
}

/* Under the lock. */
static enum portolan_status add_event(const char *name, uint32_t *event)
{
    struct event **block = &blocks[n_events / BLOCK_EVENTS], *e;

    if (n_events == PORTOLAN_PROBE_EVENTS ||
        (!*block && !(*block = portolan_calloc(BLOCK_EVENTS, sizeof **block))))
        return PORTOLAN_ENOMEM;
    e = &(*block)[n_events % BLOCK_EVENTS];
    if (!(e->name = portolan_strdup(name)))
        return PORTOLAN_ENOMEM;
    *event = n_events;
    __atomic_store_n(&n_events, n_events + 1, __ATOMIC_RELEASE);
    return PORTOLAN_OK;
}

enum portolan_status portolan_probe_event_register(const char *name, bool with_context,
                                                   uint32_t *event, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    uint32_t i = 0;

    if (!name || !*name)
        return portolan_error_set(err, PORTOLAN_EINVAL, "an event needs a name");
    pthread_mutex_lock(&probe_events_lock);
    while (i < n_events && strcmp(event_at(i)->name, name))
        i++;
    if (i == n_events)
        status = add_event(name, &i);
    pthread_mutex_unlock(&probe_events_lock);
    if (status)
        return portolan_error_set(err, status, "no memory for event '%s'", name);
    if (with_context)
        portolan_probe_event_set_context(i, true);
    *event = i;
    return PORTOLAN_OK;
}

void portolan_probe_event_set_context(uint32_t event, bool with_context)
{
    struct event *e = event_at(event);

    if (e)
        __atomic_store_n(&e->has_context, with_context, __ATOMIC_RELAXED);
}

const char *portolan_probe_event_peek_name(uint32_t event)
{
    const struct event *e = event_at(event);

    return e ? e->name : NULL;
}

/* ------------------------------------------------- triggers */

static struct probe_event_sums *add_sums(struct probe_events *events, struct event_key key)
{
    struct probe_event_sums *s;
    bool is_out_of_memory = false;

    if ((key.node && events->paths == PORTOLAN_PROBE_EVENT_PATHS) ||
        !(s = portolan_calloc(1, sizeof *s)))
        return NULL;
    s->key = key;
    HASH_ADD(hh, events->table, key, sizeof s->key, s);
    if (is_out_of_memory) {
        free(s);
        return NULL;
    }
    events->paths += key.node != NULL;
    __atomic_store_n(events->last ? &events->last->next : &events->first, s, __ATOMIC_RELEASE);
    events->last = s;
    return s;
}

/* False without memory for a new row. */
static bool add_value(struct probe_events *events, uint32_t event,
                      const struct portolan_probe_node *node, double value)
{
    struct event_key key = {node, event};
    struct probe_event_sums *s;

    HASH_FIND(hh, events->table, &key, sizeof key, s);
    if (!s && !(s = add_sums(events, key)))
        return false;
    if (!s->count || !(value <= s->max))
        probe_store_real(&s->max, value);
    if (!s->count || !(value >= s->min))
        probe_store_real(&s->min, value);
    portolan_probe_add_real(&s->sum, value);
    portolan_probe_add_real(&s->squares, value * value);
    __atomic_store_n(&s->count, s->count + 1, __ATOMIC_RELEASE);
    return true;
}

void portolan_probe_event_trigger(uint32_t event, double value)
{
    const struct event *e = event_at(event);
    struct probe_thread *t = e ? probe_thread_self() : NULL;

    if (!t)
        return;
    if (!t->events)
        __atomic_store_n(&t->events, portolan_calloc(1, sizeof *t->events), __ATOMIC_RELEASE);
    if (!t->events || !add_value(t->events, event, NULL, value))
        return;
    if (__atomic_load_n(&e->has_context, __ATOMIC_RELAXED))
        add_value(t->events, event, portolan_probe_charged(&t->hot, t->hot.top)->node, value);
}

void portolan_probe_event_note(uint32_t event, double value)
{
    if (!event_at(event))
        return;
    pthread_mutex_lock(&probe_events_lock);
    add_value(&apart, event, NULL, value);
    pthread_mutex_unlock(&probe_events_lock);
}

/* ------------------------------------------------- reading */

struct taking {
    struct portolan_probe_event_record *rows;
    size_t n, capacity;
    bool failed;
};

static void take_sums(struct taking *to, const struct probe_event_sums *s, uint32_t thread)
{
    uint64_t count = __atomic_load_n(&s->count, __ATOMIC_ACQUIRE);

    if (!count || to->failed)
        return;
    if (!portolan_reserve(&to->rows, &to->capacity, to->n + 1, sizeof *to->rows)) {
        to->failed = true;
        return;
    }
    to->rows[to->n++] = (struct portolan_probe_event_record){
        .name = portolan_probe_event_peek_name((uint32_t)s->key.event),
        .event = (uint32_t)s->key.event,
        .thread = thread,
        .has_record = s->key.node,
        .record = s->key.node ? (uint64_t)thread << 32 | s->key.node->id : 0,
        .count = count,
        .max = probe_load_real(&s->max),
        .min = probe_load_real(&s->min),
        .mean = probe_load_real(&s->sum) / (double)count,
        .sum_squares = probe_load_real(&s->squares),
    };
}

static void take_all(struct taking *to, const struct probe_events *events, uint32_t thread)
{
    if (!events)
        return;
    for (const struct probe_event_sums *s = __atomic_load_n(&events->first, __ATOMIC_ACQUIRE); s;
         s = __atomic_load_n(&s->next, __ATOMIC_ACQUIRE))
        take_sums(to, s, thread);
}

/* By thread, then event, totals before call paths, these by record. */
static int compare(const void *a, const void *b)
{
    const struct portolan_probe_event_record *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    if (x->has_record != y->has_record)
        return x->has_record ? 1 : -1;
    return (x->record > y->record) - (x->record < y->record);
}

/* Two totals of one thread: its own, and what helpers noted. */
static void add_values(struct portolan_probe_event_record *to,
                       const struct portolan_probe_event_record *more)
{
    double sum = to->mean * (double)to->count + more->mean * (double)more->count;

    to->count += more->count;
    to->mean = sum / (double)to->count;
    to->max = more->max > to->max ? more->max : to->max;
    to->min = more->min < to->min ? more->min : to->min;
    to->sum_squares += more->sum_squares;
}

enum portolan_status portolan_probe_events_take(struct portolan_probe_event_record **rows,
                                                size_t *n, struct portolan_error *err)
{
    struct taking to = {0};
    size_t kept = 0;

    *rows = NULL;
    *n = 0;
    for (struct probe_thread *t = probe_thread_first(); t; t = probe_thread_next(t))
        take_all(&to, __atomic_load_n(&t->events, __ATOMIC_ACQUIRE), t->index);
    pthread_mutex_lock(&probe_events_lock);
    take_all(&to, &apart, 0);
    pthread_mutex_unlock(&probe_events_lock);
    if (to.failed) {
        free(to.rows);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for the events");
    }
    if (to.n)
        qsort(to.rows, to.n, sizeof *to.rows, compare);
    for (size_t i = 0; i < to.n; i++)
        if (kept && !compare(&to.rows[kept - 1], &to.rows[i]))
            add_values(&to.rows[kept - 1], &to.rows[i]);
        else
            to.rows[kept++] = to.rows[i];
    *rows = to.rows;
    *n = kept;
    return PORTOLAN_OK;
}

/* ------------------------------------------------- end */

static void empty(struct probe_events *events)
{
    for (struct probe_event_sums *s = events ? events->first : NULL; s; s = s->next) {
        __atomic_store_n(&s->count, 0, __ATOMIC_RELAXED);
        probe_store_real(&s->sum, 0);
        probe_store_real(&s->squares, 0);
    }
}

void probe_events_reset(void)
{
    for (struct probe_thread *t = probe_thread_first(); t; t = probe_thread_next(t))
        empty(t->events);
    pthread_mutex_lock(&probe_events_lock);
    empty(&apart);
    pthread_mutex_unlock(&probe_events_lock);
}

void probe_events_free(struct probe_events *events)
{
    struct probe_event_sums *next;

    if (!events)
        return;
    HASH_CLEAR(hh, events->table);
    for (struct probe_event_sums *s = events->first; s; s = next) {
        next = s->next;
        free(s);
    }
    free(events);
}
