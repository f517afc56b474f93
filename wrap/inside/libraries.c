/* SPDX-License-Identifier: BSD-3-Clause */
/* The implementations that the front may forward to. */
#include "inside.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Made by the generator together with the functions. */
extern struct portolan_functions_front *portolan_front(void);

struct implementation {
    struct portolan_functions_library *library; /* NULL: the program's own */
    const char *name;
};

static struct implementation *implementations;
static size_t n_implementations, used;

/* The port's name among those of the program: without the package. */
const char *inside_port_name(void)
{
    const char *type = portolan_front()->description->type, *dot = strrchr(type, '.');

    return dot ? dot + 1 : type;
}

enum portolan_status inside_use(size_t number, struct portolan_error *err)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    const struct implementation *to = &implementations[number];
    enum portolan_status status;
    const struct portolan_probe_connection connection = {
        .user = inside_order(WRAP_ORDER_USER),
        .uses = inside_port_name(),
        .provider = inside_port_name(), /* one instance, whose class changes */
        .provides = inside_port_name(),
        .provider_class = to->name,
        .port_type = portolan_front()->description->type,
    };

    pthread_mutex_lock(&one_at_a_time);
    status = portolan_functions_front_bind_table(
        portolan_front(), to->library ? portolan_functions_library_table(to->library) : NULL,
        &connection, err);
    if (status == PORTOLAN_OK)
        used = number;
    pthread_mutex_unlock(&one_at_a_time);
    return status;
}

size_t inside_used(void)
{
    return used;
}

size_t inside_implementations(void)
{
    return n_implementations;
}

const char *inside_implementation(size_t number)
{
    return implementations[number].name;
}

struct portolan_functions_front *inside_front(void)
{
    return portolan_front();
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

/* NAME is what records call it, FILE what is opened. */
static bool open_library(const char *name, const char *file)
{
    struct implementation *i = &implementations[n_implementations];
    struct portolan_error err = {0};

    i->name = name;
    if (*file && portolan_functions_library_open(portolan_front()->description, file, &i->library,
                                                 &err) != PORTOLAN_OK) {
        inside_note("%s", err.text);
        return false;
    }
    if (i->library)
        note_missing(i->library, name);
    n_implementations++;
    return true;
}

bool inside_open_libraries(void)
{
    struct portolan_error err = {0};

    implementations = portolan_calloc(inside_orders->n_libraries, sizeof *implementations);
    if (!implementations) {
        inside_note("out of memory");
        return false;
    }
    for (uint32_t i = 0; i < inside_orders->n_libraries; i++) {
        const char *name = inside_order(WRAP_ORDER_LIBRARIES + 2 * i);

        if (!open_library(name, inside_order(WRAP_ORDER_LIBRARIES + 2 * i + 1)))
            return false;
    }
    if (inside_use(0, &err) == PORTOLAN_OK)
        return true;
    inside_note("%s", err.text);
    return false;
}
