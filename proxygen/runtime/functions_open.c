/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening a shared object so that its symbols reach nobody and nobody's reach it. RTLD_LOCAL alone
 * is no isolation: what a library looks up by name, its own functions included, the program's
 * equal names take over (docs/decisions/0014-functions-from-shared-objects.md has what was measured).
 */
#include "functions_internal.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
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

/* Built with a sanitizer itself: its run time can be in a process only once. */
static bool is_sanitized(const struct functions_object *o)
{
    for (size_t k = 0; o->undefined[k]; k++)
        if (strcmp(o->undefined[k], "__asan_init") == 0 ||
            strcmp(o->undefined[k], "__tsan_init") == 0 ||
            strcmp(o->undefined[k], "__msan_init") == 0)
            return true;
    return false;
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

/* Files that have a namespace: as elsewhere, a file that is opened again is the same object. */
struct namespaced {
    dev_t device;
    ino_t inode;
    void *handle;
    struct namespaced *next;
};

static void *open_in_namespace(const char *file)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct namespaced *all;
    struct namespaced *n = portolan_calloc(1, sizeof *n), *known = NULL;
    struct stat info;
    void *handle = NULL;

    if (!n || stat(file, &info) != 0) {
        free(n);
        return dlmopen(LM_ID_NEWLM, file, RTLD_NOW | RTLD_LOCAL);
    }
    pthread_mutex_lock(&lock);
    for (known = all; known; known = known->next)
        if (known->device == info.st_dev && known->inode == info.st_ino)
            break;
    handle = known ? known->handle : dlmopen(LM_ID_NEWLM, file, RTLD_NOW | RTLD_LOCAL);
    if (handle && !known) {
        *n = (struct namespaced){info.st_dev, info.st_ino, handle, all};
        all = n;
        n = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(n);
    return handle;
}

enum portolan_status functions_open_privately(const char *file,
                                              const struct functions_closure *closure,
                                              void **handle, struct portolan_error *err)
{
    bool loaded = is_loaded(file); /* by the program itself: it is bound as it is */
    const char *other = loaded ? NULL : find_other(closure);
    const char *trap = NULL;
    int flags = RTLD_NOW | RTLD_LOCAL;

    if (loaded)
        flags |= RTLD_NOLOAD;
    else if (forbids_deepbind())
        trap = find_trap(closure);
    else if (!has_own_malloc() || find_trap(closure))
        flags |= RTLD_DEEPBIND;
    if (trap && is_sanitized(&closure->objects[0]))
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "%s: '%s' of the program would be taken for the library's, and "
                                  "the sanitizer that both are built with allows no remedy; build "
                                  "the library without it",
                                  file, trap);
    *handle = other || trap ? open_in_namespace(file) : dlopen(file, flags);
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
