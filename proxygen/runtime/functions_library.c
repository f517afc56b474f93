/* SPDX-License-Identifier: BSD-3-Clause */
/* One opened implementation of a list of functions. */
#include "functions_internal.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static char *short_name(const char *file)
{
    const char *base = strrchr(file, '/');
    const char *end;

    base = base ? base + 1 : file;
    end = strstr(base, ".so");
    return portolan_asprintf("%.*s", end ? (int)(end - base) : (int)strlen(base), base);
}

static enum portolan_status open_file(const char *name, struct portolan_functions_library *l,
                                      struct portolan_error *err)
{
    enum portolan_status status = portolan_functions_library_find(name, &l->file, err);
    struct shared_closure closure = {0};
    struct shared_search s;

    if (status != PORTOLAN_OK)
        return status;
    shared_search_begin(&s);
    status = shared_closure_read(&s, l->file, &closure, err);
    if (status == PORTOLAN_OK)
        status = functions_closure_check(&closure, err);
    if (status == PORTOLAN_OK)
        status = functions_open_privately(l->file, &closure, &l->handle, err);
    shared_search_end(&s);
    return status;
}

static enum portolan_status look_up(struct portolan_functions_library *l,
                                    struct portolan_error *err)
{
    const struct portolan_functions_description *d = l->description;

    l->name = short_name(l->file);
    l->table = portolan_calloc(d->n_symbols + 1, sizeof *l->table);
    l->missing = portolan_calloc(d->n_symbols + 1, sizeof *l->missing);
    if (!l->name || !l->table || !l->missing)
        return portolan_no_memory(err);
    for (size_t i = 0; i < d->n_symbols; i++) {
        l->table[i] = dlsym(l->handle, d->symbols[i]);
        if (!l->table[i])
            l->missing[l->n_missing++] = d->symbols[i];
    }
    if (l->n_missing == d->n_symbols)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "%s has none of the %zu functions of %s",
                                  l->file, d->n_symbols, d->type);
    return PORTOLAN_OK;
}

enum portolan_status
portolan_functions_library_open(const struct portolan_functions_description *description,
                                const char *name, struct portolan_functions_library **library,
                                struct portolan_error *err)
{
    struct portolan_functions_library *l = portolan_calloc(1, sizeof *l);
    enum portolan_status status;

    *library = NULL;
    if (!l)
        return portolan_no_memory(err);
    l->description = description;
    status = open_file(name, l, err);
    if (status == PORTOLAN_OK)
        status = look_up(l, err);
    if (status == PORTOLAN_OK) {
        *library = l;
        return PORTOLAN_OK;
    }
    portolan_functions_library_close(l); /* the object stays, as others may have opened it */
    return status;
}

void portolan_functions_library_close(struct portolan_functions_library *library)
{
    if (!library)
        return;
    free(library->file);
    free(library->name);
    free(library->table);
    free(library->missing);
    free(library);
}

void *const *portolan_functions_library_table(const struct portolan_functions_library *library)
{
    return library->table;
}

const char *const *
portolan_functions_library_missing(const struct portolan_functions_library *library, size_t *count)
{
    *count = library->n_missing;
    return library->missing;
}

const char *portolan_functions_library_peek_file(const struct portolan_functions_library *library)
{
    return library->file;
}

const char *portolan_functions_library_peek_name(const struct portolan_functions_library *library)
{
    return library->name;
}

enum portolan_status portolan_functions_library_rename(struct portolan_functions_library *library,
                                                       const char *name, struct portolan_error *err)
{
    char *copy = portolan_strdup(name);

    if (!copy)
        return portolan_no_memory(err);
    free(library->name);
    library->name = copy;
    return PORTOLAN_OK;
}
