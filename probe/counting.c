/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters: sets of events, of which one is in force; each thread counts with event sets of its
 * own. A thread takes up another set at its next outermost counted call, so that a call and those
 * it makes are counted by one set; the calls that run on the thread that switches are split at that
 * moment. Each event has a slot in the records, so nothing is mixed and nothing is lost.
 */
#include "counters/counters.h"
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int asked_for = COUNTERS_NONE;
static bool is_asked;
/* A new definition changes both, a switch the second, so that threads notice. Never 0. */
static unsigned definition = 1, generation = 1;
static unsigned forks, forks_seen;
static uint64_t missed;

/* The event sets that a thread has made for one set. */
struct made {
    bool tried, works;
    size_t n_parts;
    int handles[PORTOLAN_PROBE_COUNTERS_MAX];
};

struct counted_call {
    unsigned generation; /* 0: it is not counted */
    const struct portolan_probe_node *node;
    uint64_t values[PORTOLAN_PROBE_COUNTERS_MAX];
};

struct probe_counting {
    unsigned generation, definition, forks;       /* that this thread has taken up */
    const struct portolan_probe_frame *outermost; /* counted call */
    struct made *running;
    struct counter_set set; /* a copy of what is running */
    struct made made[COUNTER_SETS];
    bool has_last;
    uint64_t last[PORTOLAN_PROBE_COUNTERS_MAX]; /* of the call that ended last */
    struct counted_call calls[];                /* per frame */
};

/* ------------------------------------------------- a thread's event sets */

static void close_made(struct made *made)
{
    while (made->n_parts > 0)
        probe_counter_driver->close(made->handles[--made->n_parts]);
    *made = (struct made){0};
}

static void open_made(struct made *made, const struct counter_set *set)
{
    made->tried = made->works = true;
    for (size_t p = 0; p < set->n_parts && made->works; p++) {
        const struct counter_part *part = &set->parts[p];
        struct counter_event events[PORTOLAN_PROBE_COUNTERS_MAX];

        for (size_t i = 0; i < part->n; i++)
            events[i] = set->events[part->at[i]];
        made->works = !probe_counter_driver->open(events, part->n, set->multiplexed && part->n > 1,
                                                  &made->handles[p]);
        made->n_parts += made->works;
    }
}

static void halt_running(struct probe_counting *c)
{
    for (size_t p = 0; c->running && p < c->running->n_parts; p++)
        probe_counter_driver->halt(c->running->handles[p]);
    c->running = NULL;
    c->outermost = NULL;
}

/* Under the lock, by the thread itself. */
static void give_up(struct probe_counting *c)
{
    if (c->forks != forks) { /* these sets count the parent */
        c->running = NULL;
        memset(c->made, 0, sizeof c->made);
    }
    halt_running(c);
    for (size_t i = 0; i < COUNTER_SETS; i++)
        close_made(&c->made[i]);
    c->generation = 0;
}

static void run(struct probe_counting *c, int index)
{
    struct made *made = &c->made[index];
    size_t p = 0;

    c->set = probe_counter_table.sets[index];
    if (!made->tried)
        open_made(made, &c->set);
    while (made->works && p < made->n_parts && !probe_counter_driver->run(made->handles[p]))
        p++;
    if (made->works && p == made->n_parts) {
        c->running = made;
        return;
    }
    while (p > 0)
        probe_counter_driver->halt(made->handles[--p]);
}

/* Takes up what is in force; under the lock, by the thread itself. */
static void take_up(struct probe_counting *c)
{
    if (c->definition != definition || c->forks != forks)
        give_up(c);
    halt_running(c);
    c->definition = definition;
    c->forks = forks;
    c->generation = generation;
    c->set.n = 0;
    if (probe_counters_in_force == COUNTERS_NONE || counter_driver_start(NULL) != PORTOLAN_OK)
        return;
    if (forks_seen != forks)
        counter_table_find_again(&probe_counter_table);
    forks_seen = forks;
    run(c, probe_counters_in_force);
}

#define COUNTING_SIZE (sizeof(struct probe_counting) + PROBE_FRAMES * sizeof(struct counted_call))

void probe_counters_free(struct probe_thread *t)
{
    if (t->counting)
        munmap(t->counting, COUNTING_SIZE);
    t->counting = NULL;
}

void probe_counters_detach(struct probe_thread *t)
{
    if (!t->counting)
        return;
    pthread_mutex_lock(&probe_counters_lock);
    if (probe_counter_driver) {
        give_up(t->counting);
        probe_counter_driver->end_thread();
    }
    pthread_mutex_unlock(&probe_counters_lock);
}

/* ------------------------------------------------- the call path */

static void miss(void)
{
    __atomic_fetch_add(&missed, 1, __ATOMIC_RELAXED);
}

/* Returns whether the call in F is one that C counts now, and not what a longjmp left. */
static bool is_counted(const struct probe_counting *c, const struct portolan_probe_thread *hot,
                       const struct portolan_probe_frame *f)
{
    const struct counted_call *call = &c->calls[f - hot->frames];

    return f < hot->top && probe_frame_is_measured(f) && call->generation &&
           call->generation == c->generation && call->node == f->node;
}

static bool read_values(const struct probe_counting *c, uint64_t *values)
{
    uint64_t part_values[PORTOLAN_PROBE_COUNTERS_MAX];

    if (c->set.n_parts == 1)
        return probe_counter_driver->read(c->running->handles[0], values) == 0;
    for (size_t p = 0; p < c->set.n_parts; p++) {
        const struct counter_part *part = &c->set.parts[p];

        if (probe_counter_driver->read(c->running->handles[p], part_values))
            return false;
        for (size_t i = 0; i < part->n; i++)
            values[part->at[i]] = part_values[i];
    }
    return true;
}

static uint64_t *sums_of(struct portolan_probe_node *node)
{
    if (!node->counters)
        __atomic_store_n(&node->counters,
                         portolan_calloc(PORTOLAN_PROBE_COUNTERS_ALL, sizeof *node->counters),
                         __ATOMIC_RELEASE);
    return node->counters;
}

/* Adds what was counted since CALL began, or was split, to NODE, and keeps it as C's last. */
static bool add_counts(struct probe_counting *c, const struct counted_call *call,
                       struct portolan_probe_node *node)
{
    uint64_t now[PORTOLAN_PROBE_COUNTERS_MAX], *sums = sums_of(node);

    if (!sums || !read_values(c, now))
        return false;
    memset(c->last, 0, sizeof c->last);
    for (size_t i = 0; i < c->set.n; i++) {
        c->last[i] = now[i] - call->values[i];
        portolan_probe_add(&sums[c->set.slots[i]], c->last[i]);
    }
    return true;
}

static bool is_current(struct probe_thread *t, const struct portolan_probe_frame *f)
{
    struct probe_counting *c = t->counting;

    if (c && c->generation == __atomic_load_n(&generation, __ATOMIC_ACQUIRE))
        return true;
    if (!c && !(t->counting = c = probe_map(COUNTING_SIZE)))
        return false;
    pthread_mutex_lock(&probe_counters_lock);
    /* a counted call, with those it makes, goes on with the set that it began with */
    if (!(c->definition == definition && c->forks == forks && c->outermost && c->outermost < f &&
          is_counted(c, &t->hot, c->outermost)))
        take_up(c);
    pthread_mutex_unlock(&probe_counters_lock);
    return true;
}

static void begin(struct probe_counting *c, struct counted_call *call,
                  const struct portolan_probe_frame *f)
{
    call->generation = 0;
    if (!c->running || !read_values(c, call->values))
        return;
    call->generation = c->generation;
    call->node = f->node;
    if (!c->outermost || c->outermost >= f)
        c->outermost = f;
}

void probe_counters_start(struct probe_thread *t, struct portolan_probe_frame *f)
{
    if (is_current(t, f))
        begin(t->counting, &t->counting->calls[f - t->hot.frames], f);
}

void probe_counters_stop(struct probe_thread *t, struct portolan_probe_frame *f)
{
    struct probe_counting *c = t->counting;
    struct counted_call *call = c ? &c->calls[f - t->hot.frames] : NULL;
    bool counted;

    if (!c) {
        miss();
        return;
    }
    counted = call->generation && call->generation == c->generation && c->running &&
              c->forks == forks &&
              c->definition == __atomic_load_n(&definition, __ATOMIC_ACQUIRE) &&
              add_counts(c, call, f->node);
    c->has_last = counted && c->generation == __atomic_load_n(&generation, __ATOMIC_RELAXED);
    if (!counted && (call->generation || (c->set.n && !c->running)))
        miss();
    call->generation = 0;
    if (c->outermost == f)
        c->outermost = NULL;
}

void probe_counters_drop(struct probe_thread *t, const struct portolan_probe_frame *f)
{
    struct probe_counting *c = t->counting;

    if (!c)
        return;
    c->calls[f - t->hot.frames].generation = 0;
    c->has_last = false;
    if (c->outermost == f)
        c->outermost = NULL;
}

bool portolan_probe_counters_read(uint64_t values[PORTOLAN_PROBE_COUNTERS_MAX], unsigned *set)
{
    struct probe_thread *t = probe_thread_self();

    if (!t || !is_current(t, t->hot.top) || !t->counting->running ||
        !read_values(t->counting, values))
        return false;
    *set = t->counting->generation;
    return true;
}

const uint64_t *probe_counters_last(const struct portolan_probe_thread *hot, unsigned *n)
{
    const struct probe_counting *c = ((const struct probe_thread *)hot)->counting;

    *n = c && c->has_last ? (unsigned)c->set.n : 0;
    return *n ? c->last : NULL;
}

void probe_counters_move(struct probe_thread *t, const struct portolan_probe_frame *f)
{
    if (t->counting)
        t->counting->calls[f - t->hot.frames].node = f->node;
}

/* ------------------------------------------------- defining and switching */

static void next_generation(void)
{
    unsigned next = generation + 1;

    __atomic_store_n(&generation, next ? next : 1, __ATOMIC_RELEASE);
}

/* Ends (END) or begins anew the counts of the calls that T, the calling thread, is in. */
static void split_calls(struct probe_thread *t, bool *open, bool end)
{
    struct probe_counting *c = t->counting;

    for (struct portolan_probe_frame *f = t->hot.frames + 1; f < t->hot.top; f++) {
        struct counted_call *call = &c->calls[f - t->hot.frames];

        if (end && is_counted(c, &t->hot, f)) {
            *open = true;
            if (!c->running || !add_counts(c, call, f->node))
                miss();
            call->generation = generation + 1 ? generation + 1 : 1;
        } else if (!end && call->generation == c->generation && call->node == f->node) {
            begin(c, call, f);
        }
    }
    c->has_last = false;
}

/* Under the lock. */
static void switch_to(int index)
{
    struct probe_thread *t = probe_thread_known();
    bool open = false;

    if (index == probe_counters_in_force)
        return;
    if (t && t->counting && t->counting->definition == definition && t->counting->forks == forks)
        split_calls(t, &open, true);
    __atomic_store_n(&probe_counters_in_force, index, __ATOMIC_RELAXED);
    next_generation();
    if (!open)
        return;
    take_up(t->counting);
    split_calls(t, &open, false);
}

static int find_set(const char *name)
{
    for (size_t i = 0; i < probe_counter_table.n_sets; i++)
        if (!strcmp(probe_counter_table.sets[i].name, name))
            return (int)i;
    return COUNTERS_NONE;
}

static enum portolan_status find_wanted(const char *name, int *index, struct portolan_error *err)
{
    const char *names[COUNTER_SETS], *near;

    *index = COUNTERS_NONE;
    if (!name || !strcmp(name, "none"))
        return PORTOLAN_OK;
    *index = find_set(name);
    if (*index != COUNTERS_NONE || !*name)
        return PORTOLAN_OK;
    for (size_t i = 0; i < probe_counter_table.n_sets; i++)
        names[i] = probe_counter_table.sets[i].name;
    near = portolan_nearest_word(name, names, probe_counter_table.n_sets);
    return portolan_error_set(err, PORTOLAN_EINVAL, "there is no set '%s' of counters%s", name,
                              probe_counter_table.n_sets ? portolan_did_you_mean(near).text
                                                         : "; none was defined");
}

enum portolan_status probe_counters_check_set(const char *name, struct portolan_error *err)
{
    enum portolan_status status;
    int index;

    pthread_mutex_lock(&probe_counters_lock);
    status = find_wanted(name, &index, err);
    pthread_mutex_unlock(&probe_counters_lock);
    return status;
}

static void empty_counts(void)
{
    for (struct probe_thread *t = probe_thread_first(); t; t = probe_thread_next(t))
        for (struct portolan_probe_node *node = t->root; node;
             node = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE))
            probe_counters_empty(node);
}

void probe_counters_empty(struct portolan_probe_node *node)
{
    uint64_t *sums = __atomic_load_n(&node->counters, __ATOMIC_ACQUIRE);

    for (size_t i = 0; sums && i < PORTOLAN_PROBE_COUNTERS_ALL; i++)
        __atomic_store_n(&sums[i], 0, __ATOMIC_RELAXED);
}

/* In the child of a fork: event sets count the parent still, and PAPI must be started anew. */
static void fork_prepare(void)
{
    pthread_mutex_lock(&probe_counters_lock);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&probe_counters_lock);
}

static void fork_child(void)
{
    forks++;
    counter_driver_forget();
    next_generation();
    pthread_mutex_unlock(&probe_counters_lock);
}

static void watch_forks(void)
{
    static bool watched;

    if (!watched)
        watched = pthread_atfork(fork_prepare, fork_parent, fork_child) == 0;
}

enum portolan_status portolan_probe_counter_sets_define(const char *text,
                                                        struct portolan_error *err)
{
    struct counter_table *fresh = portolan_calloc(1, sizeof *fresh);
    struct probe_thread *t = probe_thread_known();
    enum portolan_status status;

    if (!fresh)
        return portolan_no_memory(err);
    pthread_mutex_lock(&probe_counters_lock);
    watch_forks();
    if (t && t->counting && probe_counter_driver)
        give_up(t->counting); /* a thread can run one set at a time */
    status = counter_table_read(fresh, text ? text : "", err);
    if (status == PORTOLAN_OK) {
        probe_counter_table = *fresh;
        forks_seen = forks;
        probe_counters_in_force = probe_counter_table.n_sets ? 0 : COUNTERS_NONE;
        is_asked = false;
        __atomic_store_n(&definition, definition + 1, __ATOMIC_RELEASE);
        next_generation();
    } else {
        counter_table_find_again(&probe_counter_table); /* PAPI has other numbers for them now */
    }
    pthread_mutex_unlock(&probe_counters_lock);
    free(fresh);
    if (status == PORTOLAN_OK)
        empty_counts();
    return status;
}

/* The set NAME is in force now, or at the next step (LATER). */
static enum portolan_status choose_set(const char *name, bool later, struct portolan_error *err)
{
    enum portolan_status status;
    int index;

    pthread_mutex_lock(&probe_counters_lock);
    status = find_wanted(name, &index, err);
    if (status == PORTOLAN_OK) {
        is_asked = later;
        asked_for = index;
        if (!later)
            switch_to(index);
    }
    pthread_mutex_unlock(&probe_counters_lock);
    return status;
}

enum portolan_status portolan_probe_counter_set_use(const char *name, struct portolan_error *err)
{
    return choose_set(name, false, err);
}

enum portolan_status portolan_probe_counter_set_request(const char *name,
                                                        struct portolan_error *err)
{
    return choose_set(name, true, err);
}

bool portolan_probe_counter_sets_step(bool rotate)
{
    unsigned before;
    bool switched;

    pthread_mutex_lock(&probe_counters_lock);
    before = generation;
    if (is_asked)
        switch_to(asked_for);
    else if (rotate && probe_counters_in_force != COUNTERS_NONE)
        switch_to((probe_counters_in_force + 1) % (int)probe_counter_table.n_sets);
    is_asked = false;
    switched = generation != before;
    pthread_mutex_unlock(&probe_counters_lock);
    return switched;
}

unsigned probe_counters_generation(void)
{
    return __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
}

uint64_t portolan_probe_counters_missed(void)
{
    return __atomic_load_n(&missed, __ATOMIC_RELAXED);
}

void probe_counters_use_driver(const struct counter_driver *driver)
{
    portolan_probe_counter_sets_define("", NULL);
    pthread_mutex_lock(&probe_counters_lock);
    probe_counter_driver = driver;
    counter_driver_forget();
    pthread_mutex_unlock(&probe_counters_lock);
}
