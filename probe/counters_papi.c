/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters through PAPI: one list of events per process, one event set per thread from it. */
#include "internal.h"

#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NAME_SIZE 128

static pthread_mutex_t papi_lock = PTHREAD_MUTEX_INITIALIZER;
static bool started;
static int start_failure;
static char description[512];

/* The list in force; its number changes with it, so that threads notice. */
static char names[PORTOLAN_PROBE_COUNTERS_MAX][NAME_SIZE];
static int codes[PORTOLAN_PROBE_COUNTERS_MAX];
static size_t n_names;
static unsigned generation;

static unsigned long thread_number(void)
{
    return (unsigned long)pthread_self();
}

static const char *papi_text(int code)
{
    const char *text = PAPI_strerror(code);

    return text ? text : "unknown PAPI error";
}

/* Words that PAPI has for software events where the kernel offers them. */
static void list_software(char *text, size_t size)
{
    static const char *const known[] = {"perf::TASK-CLOCK",       "perf::PAGE-FAULTS",
                                        "perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS",
                                        "perf::MINOR-FAULTS",     "perf::MAJOR-FAULTS"};
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        int code, set = PAPI_NULL;
        bool works;

        if (PAPI_event_name_to_code(known[i], &code) != PAPI_OK ||
            PAPI_create_eventset(&set) != PAPI_OK)
            continue;
        works = PAPI_add_event(set, code) == PAPI_OK;
        PAPI_cleanup_eventset(set);
        PAPI_destroy_eventset(&set);
        if (works && used + strlen(known[i]) + 3 < size) {
            strcat(text, used ? ", " : "");
            strcat(text, known[i]);
            used = strlen(text);
        }
    }
    if (!used)
        strcpy(text, "none");
}

static void describe(void)
{
    char software[256];
    int set = PAPI_NULL;
    bool cycles;

    if (start_failure) {
        snprintf(description, sizeof description, "no counters: PAPI does not start: %s",
                 papi_text(start_failure));
        return;
    }
    cycles = PAPI_create_eventset(&set) == PAPI_OK && PAPI_add_event(set, PAPI_TOT_CYC) == PAPI_OK;
    if (set != PAPI_NULL) {
        PAPI_cleanup_eventset(set);
        PAPI_destroy_eventset(&set);
    }
    list_software(software, sizeof software);
    snprintf(description, sizeof description,
             cycles ? "hardware counters: available; software events: %s"
                    : "no hardware counters on this machine (virtual machine?); "
                      "software events available: %s",
             software);
}

/* Under papi_lock. */
static void start(void)
{
    int version;

    if (started)
        return;
    started = true;
    version = PAPI_library_init(PAPI_VER_CURRENT);
    if (version != PAPI_VER_CURRENT)
        start_failure = version < 0 ? version : PAPI_EINVAL;
    else
        start_failure = PAPI_thread_init(thread_number);
    describe();
}

static void remove_set(int *set)
{
    long long last[PORTOLAN_PROBE_COUNTERS_MAX];

    if (*set == PAPI_NULL)
        return;
    PAPI_stop(*set, last);
    PAPI_cleanup_eventset(*set);
    PAPI_destroy_eventset(set);
    *set = PAPI_NULL;
}

/* A running set of EVENTS on the calling thread, counting in DOMAIN; FAILED is the event refused.
 */
static int make_set_in(int domain, const int *events, size_t count, size_t *failed, int *out)
{
    int set = PAPI_NULL, result = PAPI_create_eventset(&set);

    *failed = 0;
    if (result == PAPI_OK && PAPI_assign_eventset_component(set, 0) == PAPI_OK) {
        PAPI_option_t option;

        memset(&option, 0, sizeof option);
        option.domain.eventset = set;
        option.domain.domain = domain;
        PAPI_set_opt(PAPI_DOMAIN, &option); /* component 0 is the processor's; others have none */
    }
    for (size_t i = 0; result == PAPI_OK && i < count; i++) {
        *failed = i;
        result = PAPI_add_event(set, events[i]);
    }
    if (result == PAPI_OK)
        result = PAPI_start(set);
    if (result != PAPI_OK)
        remove_set(&set);
    *out = set;
    return result;
}

/* Everywhere, else context switches read 0; where the kernel refuses that, in user mode. */
static int make_set(const int *events, size_t count, size_t *failed, int *out)
{
    if (make_set_in(PAPI_DOM_ALL, events, count, failed, out) == PAPI_OK)
        return PAPI_OK;
    return make_set_in(PAPI_DOM_USER, events, count, failed, out);
}

static enum portolan_status look_up(const char *const *wanted, size_t count, int *events,
                                    struct portolan_error *err)
{
    size_t failed;
    int set, result;

    for (size_t i = 0; i < count; i++) {
        if (strlen(wanted[i]) >= NAME_SIZE ||
            (result = PAPI_event_name_to_code(wanted[i], &events[i])) != PAPI_OK)
            return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                      "counter %s is unknown to PAPI on this machine; %s",
                                      wanted[i], description);
    }
    result = make_set(events, count, &failed, &set);
    remove_set(&set);
    if (result != PAPI_OK)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED, "counter %s: %s; %s", wanted[failed],
                                  papi_text(result), description);
    return PORTOLAN_OK;
}

static enum portolan_status set_names(const char *const *wanted, size_t count,
                                      struct portolan_error *err)
{
    int events[PORTOLAN_PROBE_COUNTERS_MAX];
    enum portolan_status status;

    if (count) {
        start();
        if (start_failure)
            return portolan_error_set(err, PORTOLAN_EUNSUPPORTED, "counter %s: %s", wanted[0],
                                      description);
        status = look_up(wanted, count, events, err);
        if (status != PORTOLAN_OK)
            return status;
    }
    for (size_t i = 0; i < count; i++) {
        strcpy(names[i], wanted[i]);
        codes[i] = events[i];
    }
    n_names = count;
    __atomic_fetch_add(&generation, 1, __ATOMIC_RELEASE);
    return PORTOLAN_OK;
}

/* A thread can run one set at a time; its next counted call makes a new one. */
static void stop_own(void)
{
    struct probe_thread *t = probe_thread_known();

    if (!t || !t->counter_start)
        return;
    remove_set(&t->counter_set);
    t->counter_generation = generation - 1;
}

enum portolan_status portolan_probe_counters_set(const char *const *wanted, size_t count,
                                                 struct portolan_error *err)
{
    enum portolan_status status;

    if (count > PORTOLAN_PROBE_COUNTERS_MAX)
        return portolan_error_set(err, PORTOLAN_EINVAL, "%zu counters are too many; at most %d",
                                  count, PORTOLAN_PROBE_COUNTERS_MAX);
    pthread_mutex_lock(&papi_lock);
    stop_own();
    status = set_names(wanted, count, err);
    pthread_mutex_unlock(&papi_lock);
    if (status != PORTOLAN_OK)
        return status;
    for (struct probe_thread *t = probe_thread_first(); t; t = probe_thread_next(t))
        for (struct portolan_probe_node *node = t->root; node;
             node = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE))
            for (size_t i = 0; i < PORTOLAN_PROBE_COUNTERS_MAX; i++)
                __atomic_store_n(&node->counters[i], 0, __ATOMIC_RELAXED);
    return PORTOLAN_OK;
}

size_t portolan_probe_counters_count(void)
{
    return n_names;
}

const char *portolan_probe_counter_peek_name(size_t index)
{
    return index < n_names ? names[index] : NULL;
}

const char *portolan_probe_counters_describe(void)
{
    pthread_mutex_lock(&papi_lock);
    start();
    pthread_mutex_unlock(&papi_lock);
    return description;
}

/* First counted call on this thread since the list changed. */
static bool thread_start(struct probe_thread *t)
{
    size_t failed;

    if (!t->counter_start) {
        void *starts = mmap(NULL, PROBE_FRAMES * sizeof *t->counter_start, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (starts == MAP_FAILED)
            return false;
        t->counter_start = starts;
        t->counter_set = PAPI_NULL;
    }
    pthread_mutex_lock(&papi_lock);
    remove_set(&t->counter_set);
    t->counter_generation = generation;
    if (n_names)
        make_set(codes, n_names, &failed, &t->counter_set);
    pthread_mutex_unlock(&papi_lock);
    return true;
}

void portolan_probe_slow_counters_start(struct portolan_probe_thread *hot,
                                        struct portolan_probe_frame *f)
{
    struct probe_thread *t = (struct probe_thread *)hot;
    uint64_t *at_start;

    if (t->counter_generation != __atomic_load_n(&generation, __ATOMIC_ACQUIRE) && !thread_start(t))
        return;
    if (!t->counter_start || t->counter_set == PAPI_NULL)
        return;
    at_start = t->counter_start[f - hot->frames];
    PAPI_read(t->counter_set, (long long *)at_start);
}

void portolan_probe_slow_counters_stop(struct portolan_probe_thread *hot,
                                       struct portolan_probe_frame *f)
{
    struct probe_thread *t = (struct probe_thread *)hot;
    uint64_t now[PORTOLAN_PROBE_COUNTERS_MAX];
    const uint64_t *at_start;

    if (!t->counter_start || t->counter_set == PAPI_NULL ||
        t->counter_generation != __atomic_load_n(&generation, __ATOMIC_ACQUIRE) ||
        PAPI_read(t->counter_set, (long long *)now) != PAPI_OK)
        return;
    at_start = t->counter_start[f - hot->frames];
    for (size_t i = 0; i < n_names; i++)
        portolan_probe_add(&f->node->counters[i], now[i] - at_start[i]);
}

void probe_counters_detach(struct probe_thread *t)
{
    if (!t->counter_start)
        return;
    pthread_mutex_lock(&papi_lock);
    remove_set(&t->counter_set);
    PAPI_unregister_thread();
    t->counter_generation = generation - 1; /* the next thread makes its own */
    pthread_mutex_unlock(&papi_lock);
}
