/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/callback.h>

#include <pthread.h>
#include <stdlib.h>

/* Very small or large values, such as SIG_IGN, are constants cast to a function type. */
static bool is_function(void (*function)(void))
{
    const uintptr_t page = 4096;
    uintptr_t address = (uintptr_t)function;

    return address >= page && address <= UINTPTR_MAX - page;
}

/* Registers the callback as a method of the reverse connection: the provider calls the user. */
static bool name_callback(struct portolan_callback *slot, uint32_t method, const char *argument)
{
    const struct portolan_probe_method_info *info = portolan_probe_method_peek(method);
    char *name = info ? portolan_asprintf("%s.%s", info->method.name, argument) : NULL;
    struct portolan_probe_method own = {.name = name};
    struct portolan_probe_connection c;
    bool good;

    if (!name)
        return false;
    c = (struct portolan_probe_connection){.user = info->connection.provider,
                                           .uses = info->connection.provides,
                                           .provider = info->connection.user,
                                           .provides = info->connection.uses,
                                           .provider_class = info->connection.user,
                                           .port_type = info->connection.port_type};
    good = portolan_probe_methods_register(&c, &own, 1, &slot->handle, NULL) == PORTOLAN_OK;
    free(name);
    return good;
}

static int take_slot(struct portolan_callback *slots, uint32_t method, const char *argument,
                     void (*function)(void))
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int found = -1;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < PORTOLAN_CALLBACKS && found < 0; i++) {
        if (slots[i].function && (slots[i].function != function || slots[i].method != method))
            continue;
        if (!slots[i].function) {
            if (!name_callback(&slots[i], method, argument))
                break;
            slots[i].method = method;
            __atomic_store_n(&slots[i].function, function, __ATOMIC_RELEASE);
        }
        found = i;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

int portolan_callback_find(struct portolan_callback *slots, const struct portolan_probe_port *port,
                           size_t method, const char *argument, void (*function)(void))
{
    uint32_t handle;
    int i;

    if (!is_function(function) || !(portolan_probe_port_flags(port) & PORTOLAN_PROBE_MONITORED))
        return -1;
    handle = portolan_probe_port_peek_binding(port)->first_method_handle + (uint32_t)method;
    for (i = 0; i < PORTOLAN_CALLBACKS; i++) {
        void (*known)(void) = __atomic_load_n(&slots[i].function, __ATOMIC_ACQUIRE);

        if (!known)
            break;
        if (known == function && slots[i].method == handle)
            return i;
    }
    return i == PORTOLAN_CALLBACKS ? -1 : take_slot(slots, handle, argument, function);
}
