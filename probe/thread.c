/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of threads, and what a fork does to them. */
#include "internal.h"

#include <sys/mman.h>

/*
 * The frame that threads have before their first call. It looks as if a longjmp had left it, so
 * that calls recognise it by a test that they make anyway. It is never written.
 */
static struct portolan_probe_frame left_behind;
static struct portolan_probe_thread nobody = {&left_behind + 1, &left_behind + 1, &left_behind,
                                              &left_behind, &left_behind + 1};

__thread struct portolan_probe_thread *portolan_probe_thread
    __attribute__((tls_model("initial-exec"))) = &nobody;

#define PROBE_THREAD_SIZE                                                                          \
    (sizeof(struct probe_thread) + PROBE_FRAMES * sizeof(struct portolan_probe_frame))

pthread_mutex_t probe_registry_lock = PTHREAD_MUTEX_INITIALIZER;
static struct probe_thread *registry_first, *registry_last;
static pthread_key_t thread_key;
static bool have_key;

/* Exists only under the leak sanitizer, which must know mappings with pointers. */
void __lsan_register_root_region(const void *p, size_t size) __attribute__((weak));
void __lsan_unregister_root_region(const void *p, size_t size) __attribute__((weak));

/* With another clock than that of the inline code, no call begins there. */
static void set_fast_limit(struct probe_thread *t)
{
    __atomic_store_n(&t->hot.fast_limit,
                     PORTOLAN_PROBE_TSC_ALONE && portolan_probe_clock_is_slow ? t->hot.frames
                                                                              : t->hot.limit,
                     __ATOMIC_RELAXED);
}

void probe_threads_set_clock(bool is_slow)
{
    pthread_mutex_lock(&probe_registry_lock);
    __atomic_store_n(&portolan_probe_clock_is_slow, is_slow, __ATOMIC_RELAXED);
    for (struct probe_thread *t = registry_first; t; t = t->next)
        set_fast_limit(t);
    pthread_mutex_unlock(&probe_registry_lock);
}

void *probe_map(size_t size)
{
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return map == MAP_FAILED ? NULL : map;
}

struct probe_thread *probe_thread_create(void)
{
    struct probe_thread *t;

    /* its own pages: no other thread may share a cache line that it writes at each call */
    if (!(t = probe_map(PROBE_THREAD_SIZE)))
        return NULL;
    if (__lsan_register_root_region)
        __lsan_register_root_region(t, sizeof *t);
    t->hot.frames = (struct portolan_probe_frame *)(t + 1);
    t->hot.limit = t->hot.frames + PROBE_FRAMES;
    set_fast_limit(t);
    t->hot.top = t->hot.frames + 1;
    if (probe_tree_init(t) != PORTOLAN_OK) {
        probe_thread_destroy(t);
        return NULL;
    }
    t->hot.frames[0].sp = PROBE_SP_NONE;
    t->hot.frames[0].mark = PORTOLAN_PROBE_MEASURED;
    t->hot.frames[0].below = t->hot.charged = &t->hot.frames[0];
    t->hot.frames[0].node = t->root;
    return t;
}

void probe_thread_destroy(struct probe_thread *t)
{
    if (!t)
        return;
    probe_tree_free(t);
    probe_events_free(t->events);
    if (t->activations)
        munmap(t->activations, PROBE_FRAMES * sizeof *t->activations);
    if (t->spans)
        munmap(t->spans, PROBE_FRAMES * sizeof *t->spans);
    probe_counters_free(t);
    if (__lsan_unregister_root_region)
        __lsan_unregister_root_region(t, sizeof *t);
    munmap(t, PROBE_THREAD_SIZE);
}

static void note_stack(struct probe_thread *t)
{
    pthread_attr_t attr;
    void *low;
    size_t size;

    t->stack_low = t->stack_high = 0;
    if (pthread_getattr_np(pthread_self(), &attr) != 0)
        return;
    if (pthread_attr_getstack(&attr, &low, &size) == 0) {
        t->stack_low = (uintptr_t)low;
        t->stack_high = (uintptr_t)low + size;
    }
    pthread_attr_destroy(&attr);
}

static void append(struct probe_thread *t)
{
    if (registry_last) {
        t->index = registry_last->index + 1;
        __atomic_store_n(&registry_last->next, t, __ATOMIC_RELEASE);
    } else {
        __atomic_store_n(&registry_first, t, __ATOMIC_RELEASE);
    }
    registry_last = t;
}

static struct probe_thread *attach(void)
{
    struct probe_thread *t;

    if (!have_key)
        return NULL;
    pthread_mutex_lock(&probe_registry_lock);
    for (t = registry_first; t && t->in_use; t = t->next)
        ;
    if (!t && (t = probe_thread_create()))
        append(t);
    if (t && pthread_setspecific(thread_key, t) == 0)
        t->in_use = true;
    else
        t = NULL;
    pthread_mutex_unlock(&probe_registry_lock);
    if (!t)
        return NULL;
    note_stack(t);
    portolan_probe_thread = &t->hot;
    return t;
}

/* Ends everything that T was inside of. */
static void leave_all(struct probe_thread *t)
{
    t->mpi_depth = 0;
    t->pause = NULL;
    t->hot.charged = t->hot.frames;
    __atomic_store_n(&t->hot.top, t->hot.frames + 1, __ATOMIC_RELEASE);
}

/* The thread ends, perhaps inside calls (pthread_exit): its frames are gone with its stack. */
static void detach(void *record)
{
    struct probe_thread *t = record;

    probe_counters_detach(t);
    leave_all(t);
    portolan_probe_thread = &nobody;
    pthread_mutex_lock(&probe_registry_lock);
    t->in_use = false;
    pthread_mutex_unlock(&probe_registry_lock);
}

struct probe_thread *probe_thread_first(void)
{
    return __atomic_load_n(&registry_first, __ATOMIC_ACQUIRE);
}

struct probe_thread *probe_thread_next(struct probe_thread *t)
{
    return __atomic_load_n(&t->next, __ATOMIC_ACQUIRE);
}

struct probe_thread *probe_thread_known(void)
{
    return portolan_probe_thread == &nobody ? NULL : (struct probe_thread *)portolan_probe_thread;
}

struct probe_thread *probe_thread_self(void)
{
    struct probe_thread *t = probe_thread_known();

    return t ? t : attach();
}

bool probe_thread_is_idle(const struct probe_thread *t)
{
    return __atomic_load_n(&t->hot.top, __ATOMIC_ACQUIRE) == t->hot.frames + 1;
}

/* Both addresses must lie in the thread's own stack to say anything about each other. */
void probe_thread_heal(struct probe_thread *t, uintptr_t sp)
{
    struct portolan_probe_frame *f = t->hot.top;

    if (sp < t->stack_low || sp >= t->stack_high)
        return;
    while (f[-1].sp <= sp && f[-1].sp >= t->stack_low && f[-1].sp < t->stack_high)
        f--;
    __atomic_store_n(&t->hot.top, f, __ATOMIC_RELEASE);
}

/* ------------------------------------------------- forks */

/*
 * A process forks: its child starts with empty records and measures on. It is alone there, so what
 * the other threads were inside is over; rows and their file stay the parent's.
 */

static pthread_mutex_t *const locks[] = {&probe_cost_lock,    &probe_rows_lock,
                                         &probe_events_lock,  &probe_parameters_lock,
                                         &probe_methods_lock, &probe_registry_lock};
enum { N_LOCKS = sizeof locks / sizeof *locks };

static void lock_all(void)
{
    for (size_t i = 0; i < N_LOCKS; i++)
        pthread_mutex_lock(locks[i]);
}

static void unlock_all(void)
{
    for (size_t i = N_LOCKS; i-- > 0;)
        pthread_mutex_unlock(locks[i]);
}

static void stay_alone(void)
{
    struct probe_thread *self = probe_thread_known();

    for (struct probe_thread *t = registry_first; t; t = t->next)
        if (t != self) {
            leave_all(t);
            t->in_use = false;
        }
    probe_unmarked_forget();
}

static void in_child(void)
{
    stay_alone();
    probe_rows_abandon();
    unlock_all();
    probe_reset(true, true, NULL); /* the only thread can neither be refused nor disturbed */
}

/* Early: those who watch forks later then take their locks before these, as elsewhere. */
__attribute__((constructor(101))) static void make_key(void)
{
    pthread_atfork(lock_all, unlock_all, in_child);
    have_key = pthread_key_create(&thread_key, detach) == 0;
}
