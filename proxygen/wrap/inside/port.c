/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The port: the implementations that the front may forward to, and commands from outside, which
 * exchange them, turn measuring off and on, and ask for snapshots. The measuring process watches
 * the control file and signals, and passes commands on in the shared file. So nothing here needs a
 * descriptor, or a signal handler that would replace one of the program.
 */
#include "inside.h"

#include <portolan/control.h>
#include <portolan/record.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Made by the generator together with the functions. */
extern struct portolan_functions_front *portolan_front(void);

static struct portolan_control_port port;
static struct portolan_functions_library **libraries; /* NULL: the program's own */
static const char **names;                            /* of the libraries, in records */
static size_t n_libraries, used;

/* The port's name: its type without the package. */
static const char *port_name(void)
{
    const char *type = portolan_front()->description->type, *dot = strrchr(type, '.');

    return dot ? dot + 1 : type;
}

static enum portolan_status use_library(size_t number, struct portolan_error *err)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    enum portolan_status status;
    const struct portolan_probe_connection connection = {
        .user = inside_order(WRAP_ORDER_USER),
        .uses = port_name(),
        .provider = port_name(), /* one instance, whose class changes */
        .provides = port_name(),
        .provider_class = names[number],
        .port_type = portolan_front()->description->type,
    };

    pthread_mutex_lock(&one_at_a_time);
    status = portolan_functions_front_bind_table(
        portolan_front(),
        libraries[number] ? portolan_functions_library_table(libraries[number]) : NULL, &connection,
        err);
    if (status == PORTOLAN_OK)
        used = number;
    pthread_mutex_unlock(&one_at_a_time);
    return status;
}

struct portolan_probe_port *inside_port(void)
{
    return &portolan_front()->port;
}

enum portolan_status inside_use_next(struct portolan_error *err)
{
    return use_library((used + 1) % n_libraries, err);
}

static void note_missing(const struct portolan_functions_library *library, const char *name)
{
    struct portolan_text text = {0};
    size_t n;
    const char *const *missing = portolan_functions_library_missing(library, &n);

    for (size_t i = 0; i < n && i < 4; i++)
        portolan_text_add(&text, "%s%s", i ? ", " : "", missing[i]);
    if (n > 4)
        portolan_text_add(&text, " and %zu more", n - 4);
    if (n)
        inside_note("%s lacks %s: these stay the program's own", name, text.bytes);
    portolan_text_clear(&text);
}

static bool open_libraries(void)
{
    size_t n = inside_orders->n_libraries;
    struct portolan_error err = {0};

    libraries = portolan_calloc(n, sizeof *libraries);
    names = portolan_calloc(n, sizeof *names);
    if (!libraries || !names)
        portolan_no_memory(&err);
    for (; n_libraries < n && !err.status; n_libraries++) {
        const char *file = inside_order(WRAP_ORDER_LIBRARIES + 2 * (unsigned)n_libraries + 1);

        names[n_libraries] = inside_order(WRAP_ORDER_LIBRARIES + 2 * (unsigned)n_libraries);
        if (*file && portolan_functions_library_open(portolan_front()->description, file,
                                                     &libraries[n_libraries], &err) == PORTOLAN_OK)
            note_missing(libraries[n_libraries], names[n_libraries]);
    }
    if (!err.status)
        use_library(0, &err);
    if (err.status)
        inside_note("%s", err.text);
    return !err.status;
}

/* ------------------------------------------------- commands */

/* A command chose a library: it stays, without further turns. */
static enum portolan_status use_named(void *self, const char *name, struct portolan_error *err)
{
    const char *texts[4] = {port_name(), names[used], name, "done"};
    enum portolan_status status;

    (void)self;
    for (size_t i = 0; i < n_libraries; i++)
        if (!strcmp(names[i], name)) {
            inside_end_turns();
            status = use_library(i, err);
            if (status == PORTOLAN_OK) {
                inside_log(WRAP_SWITCH, texts, 4);
                port.selected = name;
            }
            return status;
        }
    return portolan_error_set(err, PORTOLAN_ENOTFOUND, "no library is called '%s'", name);
}

static enum portolan_status flush(void *unused, struct portolan_error *err)
{
    (void)unused, (void)err;
    inside_publish();
    return PORTOLAN_OK;
}

/* ------------------------------------------------- traces */

/* A function of libportolan-trace.so, if that is preloaded as well. */
#pragma weak portolan_record_peek_folder
#pragma weak portolan_record_region
#pragma weak portolan_record_enter
#pragma weak portolan_record_leave

/* Regions by the handles of methods, + 1; 0: not known yet. */
static uint32_t regions[1 << 16];

static uint32_t find_region(uint32_t method)
{
    const struct portolan_probe_method_info *info = portolan_probe_method_peek(method);
    uint32_t region = portolan_record_region(
        &(struct portolan_trace_region){.kind = PORTOLAN_TRACE_FUNCTION,
                                        .name = info ? info->method.name : "?",
                                        .provider = info ? info->connection.provider_class : ""});

    __atomic_store_n(&regions[method], region + 1, __ATOMIC_RELAXED);
    return region;
}

static void record_call(uint32_t method, bool begins)
{
    uint32_t region;

    if (method >= sizeof regions / sizeof *regions)
        return;
    region = __atomic_load_n(&regions[method], __ATOMIC_RELAXED) - 1;
    if (region == UINT32_MAX)
        region = find_region(method);
    (begins ? portolan_record_enter : portolan_record_leave)(region);
}

/* In a program that is recorded, its wrapped functions are regions. */
static void begin_recording(void)
{
    if (portolan_record_peek_folder && portolan_record_peek_folder())
        portolan_probe_port_observe(inside_port(), record_call);
}

/* ------------------------------------------------- counters */

/* Calls read the counters that the orders name; false: a note says why they cannot. */
static bool begin_counting(void)
{
    const char *events = inside_order(WRAP_ORDER_COUNTERS);
    struct portolan_probe_port *probe_port = inside_port();
    struct portolan_error err = {0};

    if (!*events)
        return true;
    if (portolan_probe_counters_load(inside_order(WRAP_ORDER_PAPI), &err) ||
        portolan_probe_counter_sets_define(events, &err)) {
        inside_note("%s", err.text);
        return false;
    }
    portolan_probe_port_set_flags(probe_port,
                                  portolan_probe_port_flags(probe_port) | PORTOLAN_PROBE_COUNTERS);
    return true;
}

bool inside_add_port(void)
{
    if (!open_libraries() || !begin_counting())
        return false;
    port = (struct portolan_control_port){
        .name = port_name(),
        .type = portolan_front()->description->type,
        .port = &portolan_front()->port,
        .variant = inside_orders->profile ? PORTOLAN_VARIANT_PROFILE : PORTOLAN_VARIANT_MASTERMIND,
        .has_mastermind = !inside_orders->profile,
        .one_in = inside_orders->one_in,
        .select = use_named,
        .implementations = names,
        .n_implementations = n_libraries,
        .selected = names[0],
    };
    begin_recording();
    portolan_control_set_flush(flush, NULL);
    portolan_control_add(&port);
    return true;
}

/* A copy of command NUMBER; NULL if a newer one overwrote it meanwhile. */
static char *copy_command(uint32_t number)
{
    char *copy = portolan_calloc(1, sizeof inside_orders->command);

    if (!copy)
        return NULL;
    memcpy(copy, inside_orders->command, sizeof inside_orders->command - 1);
    if (__atomic_load_n(&inside_orders->command_number, __ATOMIC_ACQUIRE) == number)
        return copy;
    free(copy);
    return NULL;
}

static void answer(uint32_t number, enum portolan_status status, const char *text)
{
    struct wrap_area *a = inside_area;

    strncpy(a->answer, text, sizeof a->answer - 1);
    a->answer_status = status;
    __atomic_store_n(&a->answer_number, number, __ATOMIC_RELEASE);
}

void inside_obey(void)
{
    uint32_t number = __atomic_load_n(&inside_orders->command_number, __ATOMIC_ACQUIRE);
    struct portolan_text reply = {0};
    struct portolan_error err = {0};
    enum portolan_status status;
    char *command;

    if (number == inside_area->answer_number || !(command = copy_command(number)))
        return;
    status = portolan_control_execute(command, inside_order(WRAP_ORDER_CONTROL), &reply, &err);
    if (status != PORTOLAN_OK)
        portolan_text_add(&reply, "%s\n", err.text);
    answer(number, status, reply.bytes ? reply.bytes : "");
    portolan_text_clear(&reply);
    free(command);
}

static void note_gap(void *unused, const char *name, unsigned count, double away_ns)
{
    (void)unused;
    inside_note("measuring of %s was off %u time%s, %.3g s in all", name, count,
                count == 1 ? "" : "s", away_ns * 1e-9);
}

void inside_note_gaps(void)
{
    if (inside_is_measured())
        portolan_control_visit_gaps(port.variant == PORTOLAN_VARIANT_PROFILE
                                        ? PORTOLAN_VARIANT_PROFILE
                                        : PORTOLAN_VARIANT_MASTERMIND,
                                    note_gap, NULL);
}
