/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters through PAPI: presets, native and software events of all its components. */
#include "counters.h"

#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define PROCESSOR 0 /* PAPI's first component */

static char description[640];
static bool counts_kernel;
static char **event_names;
static size_t n_event_names;

static unsigned long thread_number(void)
{
    return (unsigned long)pthread_self();
}

/* ------------------------------------------------- starting */

/*
 * Counts in the kernel, too, else context switches read 0. Set as the default of the component: on
 * an event set PAPI tries the domain with a hardware event, which virtual machines do not have.
 */
static void choose_domain(void)
{
    const PAPI_component_info_t *info = PAPI_get_component_info(PROCESSOR);
    int domain = info ? info->available_domains & PAPI_DOM_ALL : 0;

    counts_kernel = domain & PAPI_DOM_KERNEL && PAPI_set_cmp_domain(domain, PROCESSOR) == PAPI_OK;
}

static int start(void)
{
    int version = PAPI_library_init(PAPI_VER_CURRENT), result;

    if (version != PAPI_VER_CURRENT)
        return version < 0 ? version : PAPI_EINVAL;
    result = PAPI_thread_init(thread_number);
    if (result != PAPI_OK)
        return result;
    PAPI_multiplex_init(); /* where it cannot, sets that ask for it are refused */
    choose_domain();
    return 0;
}

/* ------------------------------------------------- events and sets */

static int find_event(const char *name, struct counter_event *event)
{
    int result = PAPI_event_name_to_code(name, &event->code);

    event->component = result == PAPI_OK ? PAPI_get_event_component(event->code) : 0;
    return result == PAPI_OK && event->component < 0 ? event->component : result;
}

static void close_set(int set)
{
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
}

static int open_set(const struct counter_event *events, size_t n, bool multiplexed, int *out)
{
    int set = PAPI_NULL, result = PAPI_create_eventset(&set);

    if (result == PAPI_OK)
        result = PAPI_assign_eventset_component(set, events[0].component);
    if (result == PAPI_OK && multiplexed)
        result = PAPI_set_multiplex(set);
    for (size_t i = 0; result == PAPI_OK && i < n; i++)
        result = PAPI_add_event(set, events[i].code);
    if (result != PAPI_OK && set != PAPI_NULL)
        close_set(set);
    *out = set;
    return result;
}

static void halt(int set)
{
    PAPI_stop(set, NULL);
}

static int read_set(int set, uint64_t *values)
{
    return PAPI_read(set, (long long *)values);
}

static void end_thread(void)
{
    PAPI_unregister_thread();
}

static const char *text(int error)
{
    const char *words = PAPI_strerror(error);

    return words ? words : "unknown PAPI error";
}

/* ------------------------------------------------- what there is */

/* The kernel raises these events itself, so that counting in user mode alone sees none. */
static const char *blind(const char *name)
{
    static const char *const raised[] = {"CONTEXT-SWITCHES", "CONTEXT_SWITCHES", "::CS",
                                         "MIGRATIONS",       "CGROUP-SWITCHES",  "CGROUP_SWITCHES"};

    if (counts_kernel || strncmp(name, "perf::", 6) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++)
        if (strstr(name, raised[i]))
            return "the kernel lets this user count only in user mode, where it never happens (set "
                   "/proc/sys/kernel/perf_event_paranoid to 1)";
    return NULL;
}

static bool is_counts_kernel(void)
{
    return counts_kernel;
}

static bool works(int code)
{
    struct counter_event event = {code, PROCESSOR};
    int set;

    if (open_set(&event, 1, false, &set) != PAPI_OK)
        return false;
    close_set(set);
    return true;
}

/* Words that PAPI has for software events where the kernel offers them. */
static void list_software(char *list, size_t size)
{
    static const char *const known[] = {"perf::TASK-CLOCK",       "perf::PAGE-FAULTS",
                                        "perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS",
                                        "perf::MINOR-FAULTS",     "perf::MAJOR-FAULTS"};
    size_t used = 0;
    int code;

    snprintf(list, size, "none");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!blind(known[i]) && PAPI_event_name_to_code(known[i], &code) == PAPI_OK && works(code))
            used += (size_t)snprintf(list + used, size - used, "%s%s", used ? ", " : "", known[i]);
}

static const char *describe(int failure)
{
    char software[256];

    if (failure) {
        snprintf(description, sizeof description, "no counters: PAPI does not start: %s",
                 text(failure));
        return description;
    }
    list_software(software, sizeof software);
    snprintf(description, sizeof description,
             works(PAPI_TOT_CYC) ? "hardware counters: available; software events: %s%s"
                                 : "no hardware counters on this machine (virtual machine?); "
                                   "software events available: %s%s",
             software,
             counts_kernel ? "" : "; counted only in user mode, because of the kernel's settings");
    return description;
}

static void add_name(int code)
{
    char name[PAPI_MAX_STR_LEN], **more;

    if (PAPI_event_code_to_name(code, name) != PAPI_OK)
        return;
    more = portolan_reallocarray(event_names, n_event_names + 1, sizeof *more);
    if (!more)
        return;
    event_names = more;
    if ((event_names[n_event_names] = portolan_strdup(name)))
        n_event_names++;
}

static void add_names(int first, int component)
{
    int code = first, result = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component);

    for (; result == PAPI_OK; result = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component))
        add_name(code);
}

static const char *const *names(size_t *n)
{
    if (!n_event_names) {
        add_names(0 | (int)PAPI_PRESET_MASK, PROCESSOR);
        for (int i = 0; i < PAPI_num_components(); i++) {
            const PAPI_component_info_t *info = PAPI_get_component_info(i);

            if (info && !info->disabled)
                add_names(0 | PAPI_NATIVE_MASK, i);
        }
    }
    *n = n_event_names;
    return (const char *const *)event_names;
}

static const struct counter_driver papi = {
    .start = start,
    .find = find_event,
    .open = open_set,
    .run = PAPI_start,
    .halt = halt,
    .close = close_set,
    .read = read_set,
    .end_thread = end_thread,
    .text = text,
    .blind = blind,
    .counts_kernel = is_counts_kernel,
    .describe = describe,
    .names = names,
};

#ifdef PORTOLAN_PROBE_PAPI_MODULE
PORTOLAN_API const struct counter_driver *const portolan_probe_papi = &papi;
#else
const struct counter_driver *probe_counter_driver = &papi;

enum portolan_status portolan_probe_counters_load(const char *file, struct portolan_error *err)
{
    (void)file, (void)err; /* it is linked */
    return PORTOLAN_OK;
}
#endif
