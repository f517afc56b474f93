/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that a front forwards to, and how they are exchanged. */
#include "functions_internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long a bind waits for calls that are running. */
static const uint64_t bind_timeout_ns = 5000000000U;

/* A binding and its library. */
struct record {
    struct portolan_probe_binding binding; /* first: the probe hands back its address */
    const struct portolan_functions_library *library;
    struct record *next; /* of those that may still be in use */
};

struct portolan_functions_state {
    struct record *current;
    struct record *in_doubt; /* from failed binds, maybe in use: kept until the port is quiet */
};

/* ------------------------------------------------------------------ the program's own */

struct names {
    char **items;
    size_t n;
};

/* Only notes the name: dlopen() blocks while dl_iterate_phdr() runs. */
static int note_name(struct dl_phdr_info *info, size_t size, void *data)
{
    struct names *names = data;
    char **grown;

    (void)size;
    if (!info->dlpi_name || !*info->dlpi_name)
        return 0;
    grown = portolan_reallocarray(names->items, names->n + 1, sizeof *grown);
    if (!grown)
        return 1;
    names->items = grown;
    names->items[names->n] = portolan_strdup(info->dlpi_name);
    return names->items[names->n] ? (names->n++, 0) : 1;
}

/* Returns the function that OBJECT would call; NULL if it is the front's. PRIVATELY: only if its
 * file was opened as an implementation; else only if it was not. */
static void *search_object(const char *object, const char *symbol, const char *front,
                           bool privately)
{
    void *handle = dlopen(object, RTLD_LAZY | RTLD_NOLOAD);
    void *found = handle ? dlsym(handle, symbol) : NULL;
    Dl_info of;

    if (handle)
        dlclose(handle);
    if (!found || !dladdr(found, &of) || strcmp(of.dli_fname, front) == 0 ||
        functions_is_private(of.dli_fname) != privately)
        return NULL;
    return found;
}

/*
 * Searches each loaded object, since those loaded for a component or a script's module are only in
 * their own scope. Objects opened as implementations come last; the program may use one, too.
 */
static void *search_objects(const char *symbol, const char *front)
{
    struct names names = {0};
    void *found = NULL;

    dl_iterate_phdr(note_name, &names);
    for (int privately = 0; privately < 2; privately++)
        for (size_t i = 0; i < names.n && !found; i++)
            if (strcmp(names.items[i], front) != 0)
                found = search_object(names.items[i], symbol, front, privately);
    for (size_t i = 0; i < names.n; i++)
        free(names.items[i]);
    free(names.items);
    return found;
}

/* The front will call FUNCTION from now on, so its object must not be unloaded. */
static void keep_loaded(const void *function)
{
    Dl_info info;

    if (dladdr(function, &info))
        (void)dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static void *find_own(const struct portolan_functions_front *front, const char *symbol)
{
    void *found = front->next(symbol);
    Dl_info info;

    if (!found && dladdr((const void *)front, &info))
        found = search_objects(symbol, info.dli_fname);
    if (found)
        keep_loaded(found);
    return found;
}

static void complain(const char *symbol)
{
    static const char head[] = "portolan: symbol lookup error: no library of this program has ";
    struct portolan_text text = {0};

    portolan_text_add(&text, "%s%s\n", head, symbol);
    if (text.bytes)
        (void)!write(STDERR_FILENO, text.bytes, text.length);
    _exit(127);
}

portolan_functions_fn portolan_functions_next(const struct portolan_functions_front *front,
                                              size_t number)
{
    portolan_functions_fn fn = __atomic_load_n(&front->own[number], __ATOMIC_ACQUIRE);
    int error = errno;
    void *found;

    if (fn)
        return fn;
    found = find_own(front, front->description->symbols[number]);
    if (!found)
        complain(front->description->symbols[number]);
    memcpy(&fn, &found, sizeof fn);
    __atomic_store_n(&front->own[number], fn, __ATOMIC_RELEASE);
    errno = error;
    return fn;
}

/* ------------------------------------------------------------------ binding */

static const char *last_word(const char *type)
{
    const char *dot = strrchr(type, '.');

    return dot ? dot + 1 : type;
}

/* Frees records that no call can be using. */
static void sweep(struct portolan_functions_front *front)
{
    struct portolan_functions_state *s = front->state;

    if (!s->in_doubt || portolan_probe_port_wait_quiet(&front->port, 0, NULL) != PORTOLAN_OK)
        return;
    while (s->in_doubt) {
        struct record *r = s->in_doubt;

        s->in_doubt = r->next;
        free(r);
    }
}

bool functions_front_is_in_doubt(const struct portolan_functions_front *front)
{
    return front->state && front->state->in_doubt;
}

static enum portolan_status publish(struct portolan_functions_front *front, struct record *r,
                                    struct portolan_error *err)
{
    struct portolan_functions_state *s = front->state;
    struct portolan_probe_binding *old;
    enum portolan_status status;

    sweep(front);
    if (!s->current) {
        /* Calls that began unbound run in code that is never unloaded, so no wait is needed. */
        __atomic_store_n(&front->port.binding, &r->binding, __ATOMIC_RELEASE);
        s->current = r;
        return PORTOLAN_OK;
    }
    status = portolan_probe_retarget(&front->port, &r->binding, bind_timeout_ns, &old, err);
    if (status == PORTOLAN_OK) {
        free(s->current);
        s->current = r;
    } else if (portolan_probe_is_in_doubt(status)) {
        r->next = s->in_doubt;
        s->in_doubt = r;
    } else {
        free(r);
    }
    return status;
}

static enum portolan_status bind(struct portolan_functions_front *front, const void *table,
                                 const struct portolan_functions_library *library,
                                 const struct portolan_probe_connection *connection,
                                 struct portolan_error *err)
{
    const struct portolan_functions_description *d = front->description;
    struct record *r = portolan_calloc(1, sizeof *r);
    enum portolan_status status;

    if (!front->state)
        front->state = portolan_calloc(1, sizeof *front->state);
    if (!r || !front->state) {
        free(r);
        return portolan_no_memory(err);
    }
    r->library = library;
    r->binding.target = (void *)table;
    status = portolan_probe_methods_register(connection, d->methods, d->n_methods,
                                             &r->binding.first_method_handle, err);
    if (status != PORTOLAN_OK) {
        free(r);
        return status;
    }
    return publish(front, r, err);
}

enum portolan_status
portolan_functions_front_bind_table(struct portolan_functions_front *front, const void *table,
                                    const struct portolan_probe_connection *connection,
                                    struct portolan_error *err)
{
    return bind(front, table ? table : front->own, NULL, connection, err);
}

enum portolan_status portolan_functions_front_bind(struct portolan_functions_front *front,
                                                   const struct portolan_functions_library *library,
                                                   struct portolan_error *err)
{
    const char *type = front->description->type;
    const char *name = library ? library->name : "own";
    const struct portolan_probe_connection connection = {
        .user = front->user ? front->user : program_invocation_short_name,
        .uses = front->uses ? front->uses : last_word(type),
        .provider = name,
        .provides = last_word(type),
        .provider_class = name,
        .port_type = type};

    if (library && library->description != front->description &&
        strcmp(library->description->type, type) != 0)
        return portolan_error_set(err, PORTOLAN_EBADPORTTYPE, "%s was opened as a %s, not as a %s",
                                  library->file, library->description->type, type);
    return bind(front, library ? (const void *)library->table : front->own, library, &connection,
                err);
}

const struct portolan_functions_library *
portolan_functions_front_peek_library(const struct portolan_functions_front *front)
{
    return front->state && front->state->current ? front->state->current->library : NULL;
}
