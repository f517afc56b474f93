/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening a shared object so that its symbols reach nobody and nobody's reach it. RTLD_LOCAL alone
 * is no isolation: what a library looks up by name, its own functions included, the program's
 * equal names take over (docs/decisions/0014-functions-as-ports.md has what was measured).
 */
#include "functions_internal.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool same_file(const char *a, const char *b)
{
    struct stat one, other;

    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static bool is_loaded(const char *file)
{
    void *handle = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);

    if (handle)
        dlclose(handle);
    return handle != NULL;
}

/* Sanitizers end the program at RTLD_DEEPBIND. */
static bool forbids_deepbind(void)
{
    return dlsym(RTLD_DEFAULT, "__asan_init") || dlsym(RTLD_DEFAULT, "__tsan_init") ||
           dlsym(RTLD_DEFAULT, "__msan_init");
}

/* An allocator that took malloc's place: a library bound deeply would use the C library's. */
static bool has_own_malloc(void)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    bool own = libc && dlsym(RTLD_DEFAULT, "malloc") != dlsym(libc, "malloc");

    if (libc)
        dlclose(libc);
    return own;
}

/* Would the program's own symbols be taken for some of the library's? */
static const char *find_trap(const struct functions_closure *closure)
{
    for (size_t i = 0; i < closure->n; i++) {
        const struct functions_object *o = &closure->objects[i];

        if (i > 0 && is_loaded(o->file))
            continue; /* bound long ago, or the same for all: the C library */
        for (size_t k = 0; o->defined[k]; k++) {
            void *there = dlsym(RTLD_DEFAULT, o->defined[k]);
            Dl_info info;

            if (there && dladdr(there, &info) && !same_file(info.dli_fname, o->file))
                return o->defined[k];
        }
    }
    return NULL;
}

/* What it needs by name is loaded already, from another file: the linker would take that one. */
static const char *find_other(const struct functions_closure *closure)
{
    for (size_t i = 0; i < closure->n; i++)
        for (size_t k = 0; closure->objects[i].needed[k]; k++) {
            const char *name = closure->objects[i].needed[k];
            void *handle = strchr(name, '/') ? NULL : dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
            struct link_map *map = NULL;
            bool known = !handle;

            if (handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0)
                for (size_t j = 0; j < closure->n && !known; j++)
                    known = same_file(map->l_name, closure->objects[j].file);
            if (handle)
                dlclose(handle);
            if (!known)
                return name;
        }
    return NULL;
}

enum portolan_status functions_open_privately(const char *file,
                                              const struct functions_closure *closure,
                                              void **handle, struct portolan_error *err)
{
    const char *other = find_other(closure);
    const char *trap = NULL;
    int flags = RTLD_NOW | RTLD_LOCAL;

    if (forbids_deepbind())
        trap = find_trap(closure);
    else if (!has_own_malloc() || find_trap(closure))
        flags |= RTLD_DEEPBIND;
    *handle =
        other || trap ? dlmopen(LM_ID_NEWLM, file, RTLD_NOW | RTLD_LOCAL) : dlopen(file, flags);
    if (*handle)
        return PORTOLAN_OK;
    portolan_error_set(err, PORTOLAN_EUNSUPPORTED, "%s", dlerror());
    if (other)
        portolan_error_prefix(
            err,
            "another %s is loaded than this library's, so it was to have a linker "
            "namespace of its own",
            other);
    else if (trap)
        portolan_error_prefix(err,
                              "'%s' of the program is in the way of the library's, so it was to "
                              "have a linker namespace of its own",
                              trap);
    return PORTOLAN_EUNSUPPORTED;
}

/* ------------------------------------------------------------------ libraries */

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
    struct functions_closure closure = {0};
    struct functions_search s;

    if (status != PORTOLAN_OK)
        return status;
    functions_search_begin(&s);
    status = functions_closure_read(&s, l->file, &closure, err);
    if (status == PORTOLAN_OK)
        status = functions_closure_check(&closure, err);
    if (status == PORTOLAN_OK)
        status = functions_open_privately(l->file, &closure, &l->handle, err);
    functions_search_end(&s);
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
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
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
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    l->description = description;
    status = open_file(name, l, err);
    if (status == PORTOLAN_OK)
        status = look_up(l, err);
    if (status == PORTOLAN_OK) {
        *library = l;
        return PORTOLAN_OK;
    }
    if (l->handle)
        dlclose(l->handle); /* nobody has called it yet */
    portolan_functions_library_close(l);
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
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    free(library->name);
    library->name = copy;
    return PORTOLAN_OK;
}
