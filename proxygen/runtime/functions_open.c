/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening a shared object so that its symbols reach nobody and nobody's reach it. RTLD_LOCAL alone
 * is no isolation: what a library looks up by name, its own functions included, the program's
 * equal names take over (docs/decisions/0014-functions-from-shared-objects.md has what was
 * measured).
 */
#include "functions_internal.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Sanitizers end the program at RTLD_DEEPBIND. */
static bool forbids_deepbind(void)
{
    return dlsym(RTLD_DEFAULT, "__asan_init") || dlsym(RTLD_DEFAULT, "__tsan_init") ||
           dlsym(RTLD_DEFAULT, "__msan_init");
}

/* Built with a sanitizer itself: its run time can be in a process only once. */
static bool is_sanitized(const struct shared_object *o)
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
static const char *find_trap(const struct shared_closure *closure)
{
    for (size_t i = 0; i < closure->n; i++) {
        const struct shared_object *o = &closure->objects[i];

        if (i > 0 && shared_object_is_loaded(o->file))
            continue; /* bound long ago, or the same for all: the C library */
        for (size_t k = 0; o->defined[k]; k++) {
            void *there = dlsym(RTLD_DEFAULT, o->defined[k]);
            Dl_info info;

            if (there && dladdr(there, &info) && !shared_object_is_same(info.dli_fname, o->file))
                return o->defined[k];
        }
    }
    return NULL;
}

/* What all libraries of a process share, whoever brought it: run times of languages. */
static bool is_run_time(const char *name)
{
    static const char *const names[] = {
        "ld-linux",  "libc.",      "libm.",        "libpthread.",  "libdl.",   "librt.",
        "libgcc_s.", "libstdc++.", "libgfortran.", "libquadmath.", "libgomp.", "libatomic.",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The file that is loaded under NAME is not this one. */
static bool is_loaded_from_elsewhere(const char *name, const char *file)
{
    void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    struct link_map *map = NULL;
    bool elsewhere = handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 &&
                     !shared_object_is_same(map->l_name, file);

    if (handle)
        dlclose(handle);
    return elsewhere;
}

/* What it needs by name is loaded already, from another file: the linker would take that one. */
static const char *find_other(const struct shared_closure *closure)
{
    for (size_t i = 0; i < closure->n; i++) {
        const struct shared_object *o = &closure->objects[i];

        if (o->name && !strchr(o->name, '/') && !is_run_time(o->name) &&
            is_loaded_from_elsewhere(o->name, o->file))
            return o->name;
    }
    return NULL;
}

/* What was opened, and would not be there otherwise. */
struct opened {
    dev_t device;
    ino_t inode;
    void *namespaced; /* its handle, where it has a linker namespace of its own */
    struct opened *next;
};
static pthread_mutex_t opened_lock = PTHREAD_MUTEX_INITIALIZER;
static struct opened *opened_first;

static struct opened *find_opened(const char *file)
{
    struct opened *o = opened_first;
    struct stat info;

    if (stat(file, &info) != 0)
        return NULL;
    while (o && (o->device != info.st_dev || o->inode != info.st_ino))
        o = o->next;
    return o;
}

bool functions_is_private(const char *file)
{
    bool found;

    pthread_mutex_lock(&opened_lock);
    found = find_opened(file) != NULL;
    pthread_mutex_unlock(&opened_lock);
    return found;
}

static void note_opened(const char *file, void *namespaced)
{
    struct opened *o = portolan_calloc(1, sizeof *o);
    struct stat info;

    if (!o || stat(file, &info) != 0) {
        free(o);
        return;
    }
    *o = (struct opened){info.st_dev, info.st_ino, namespaced, opened_first};
    opened_first = o;
}

/* In a namespace, too, a file that is opened again is the same object. */
static void *open_once(const char *file, int flags, bool in_namespace)
{
    struct opened *known;
    void *handle;

    pthread_mutex_lock(&opened_lock);
    known = find_opened(file);
    if (in_namespace && known && known->namespaced)
        handle = known->namespaced;
    else if (in_namespace)
        handle = dlmopen(LM_ID_NEWLM, file, RTLD_NOW | RTLD_LOCAL);
    else
        handle = dlopen(file, flags);
    if (handle && !(flags & RTLD_NOLOAD) && (!known || (in_namespace && !known->namespaced)))
        note_opened(file, in_namespace ? handle : NULL);
    pthread_mutex_unlock(&opened_lock);
    return handle;
}

enum portolan_status functions_open_privately(const char *file,
                                              const struct shared_closure *closure, void **handle,
                                              struct portolan_error *err)
{
    bool loaded = shared_object_is_loaded(file); /* by the program itself: it is bound as it is */
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
    *handle = open_once(file, flags, other || trap);
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
