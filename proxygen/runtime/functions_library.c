/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared objects as implementations of a list of functions: finds the file of a name, checks that
 * it does not need MPI, and opens it isolated: no other object sees its symbols, and it sees no
 * others of the same names. RTLD_LOCAL alone does not isolate: if the program has symbols of the
 * same names, the library uses them, even in place of its own functions
 * (docs/decisions/0014-functions-from-shared-objects.md has measurements).
 */
#include "functions_internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum portolan_status portolan_functions_library_find(const char *name, char **file,
                                                     struct portolan_error *err)
{
    struct shared_search s;
    const char *found = name;

    *file = NULL;
    if (!name || !*name)
        return portolan_error_set(err, PORTOLAN_EINVAL, "a shared object needs a name");
    shared_search_begin(&s);
    if (!strchr(name, '/')) {
        found = shared_search_find(&s, name, NULL, NULL, NULL);
    } else if (access(name, F_OK) != 0) {
        portolan_error_set(err, PORTOLAN_ENOTFOUND, "%s: %s", name, strerror(errno));
        found = NULL;
    }
    if (found && *found != '/') {
        char folder[PATH_MAX];

        *file = portolan_asprintf("%s/%s", getcwd(folder, sizeof folder) ? folder : ".", found);
    } else if (found) {
        *file = portolan_strdup(found);
    }
    if (!found)
        portolan_error_set(err, PORTOLAN_ENOTFOUND,
                           "%s: no shared object of that name where the dynamic linker looks; give "
                           "its path",
                           name);
    else if (!*file)
        portolan_no_memory(err);
    shared_search_end(&s);
    return *file ? PORTOLAN_OK : found ? PORTOLAN_ENOMEM : PORTOLAN_ENOTFOUND;
}

/* ------------------------------------------------------------------ MPI */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Returns whether NAME is a function of MPI in C, or in Fortran: in lower case, ending in '_'. */
static bool is_mpi_function(const char *name)
{
    size_t length = strlen(name);

    if (begins(name, "PMPI_") || begins(name, "pmpi_"))
        name++;
    if (begins(name, "MPI_"))
        return name[4] >= 'A' && name[4] <= 'Z';
    return begins(name, "mpi_") && name[4] && length > 5 && name[strlen(name) - 1] == '_';
}

/* Names under which MPI's own libraries are known: libmpi.so.40, libmpich.so.12, libmpifort… */
static bool is_mpi_library(const char *name)
{
    static const char *const words[] = {"mpi",
                                        "mpich",
                                        "mpicxx",
                                        "mpi_cxx",
                                        "mpifort",
                                        "mpichfort",
                                        "mpichcxx",
                                        "mpi_mpifh",
                                        "pmpi",
                                        "mpi_usempif08",
                                        "mpi_usempi_ignore_tkr"};
    const char *base = strrchr(name, '/');

    base = base ? base + 1 : name;
    if (!begins(base, "lib"))
        return false;
    base += 3;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (begins(base, words[i]) && (base[strlen(words[i])] == '.' || !base[strlen(words[i])]))
            return true;
    return false;
}

static enum portolan_status refuse(const struct shared_closure *closure,
                                   const struct shared_object *by, const char *what,
                                   const char *name, struct portolan_error *err)
{
    const char *file = closure->objects[0].file;
    bool itself = by == &closure->objects[0];

    return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                              "%s calls MPI itself (%s%s%s %s): opened as an implementation it "
                              "would bypass the MPI that the program uses, or bring a second one "
                              "that nobody initialises; link the program with it instead",
                              file, itself ? "it" : "", itself ? "" : by->file, what, name);
}

/* Refuses a closure that calls MPI. */
static enum portolan_status check_closure(const struct shared_closure *closure,
                                          struct portolan_error *err)
{
    for (size_t i = 0; i < closure->n; i++) {
        const struct shared_object *o = &closure->objects[i];

        for (size_t k = 0; o->needed[k]; k++)
            if (is_mpi_library(o->needed[k]))
                return refuse(closure, o, " needs", o->needed[k], err);
        for (size_t k = 0; o->undefined[k]; k++)
            if (is_mpi_function(o->undefined[k]))
                return refuse(closure, o, " calls", o->undefined[k], err);
        for (size_t k = 0; o->defined[k]; k++)
            if (strcmp(o->defined[k], "MPI_Init") == 0 || strcmp(o->defined[k], "PMPI_Init") == 0)
                return refuse(closure, o, " brings", o->defined[k], err);
    }
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ opening */

/* Sanitizers end the program when a library is opened with RTLD_DEEPBIND. */
static bool forbids_deepbind(void)
{
    return dlsym(RTLD_DEFAULT, "__asan_init") || dlsym(RTLD_DEFAULT, "__tsan_init") ||
           dlsym(RTLD_DEFAULT, "__msan_init");
}

/* Returns whether O was built with a sanitizer, whose run time can be in a process only once. */
static bool is_sanitized(const struct shared_object *o)
{
    for (size_t k = 0; o->undefined[k]; k++)
        if (strcmp(o->undefined[k], "__asan_init") == 0 ||
            strcmp(o->undefined[k], "__tsan_init") == 0 ||
            strcmp(o->undefined[k], "__msan_init") == 0)
            return true;
    return false;
}

/* Returns whether another allocator replaces malloc. With RTLD_DEEPBIND, a library would bypass it.
 */
static bool has_own_malloc(void)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    bool own = libc && dlsym(RTLD_DEFAULT, "malloc") != dlsym(libc, "malloc");

    if (libc)
        dlclose(libc);
    return own;
}

/* A symbol of the library in whose place the linker would take the program's own; NULL: none. */
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

/* Returns whether NAME is a run time of a language, which all libraries of a process share. */
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

/* Returns whether NAME is loaded already, but from another file. */
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

/* A library of the closure that is already loaded from another file; the linker would take that. */
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

/* A file that was loaded only because it was opened here. */
struct opened {
    dev_t device;
    ino_t inode;
    void *namespaced; /* its handle, if it has a linker namespace of its own */
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

/* A file that is opened again is the same object, also if it has its own namespace. */
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

/* A handle for FILE, whose closure is known. */
static enum portolan_status open_privately(const char *file, const struct shared_closure *closure,
                                           void **handle, struct portolan_error *err)
{
    bool loaded =
        shared_object_is_loaded(file); /* by the program itself: its symbols are bound already */
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

/* ------------------------------------------------------------------ libraries */

static char *short_name(const char *file)
{
    const char *base = strrchr(file, '/');
    const char *end;

    base = base ? base + 1 : file;
    end = strstr(base, ".so");
    return portolan_asprintf("%.*s", end ? (int)(end - base) : (int)strlen(base), base);
}

/* Reads FILE and what it needs, checks that, and opens FILE, unless HANDLE is NULL. */
static enum portolan_status open_file(const char *file, void **handle, struct portolan_error *err)
{
    struct shared_closure closure = {0};
    struct shared_search s;
    enum portolan_status status;

    shared_search_begin(&s);
    status = shared_closure_read(&s, file, &closure, err);
    if (status == PORTOLAN_OK)
        status = check_closure(&closure, err);
    if (status == PORTOLAN_OK && handle)
        status = open_privately(file, &closure, handle, err);
    shared_search_end(&s);
    return status;
}

enum portolan_status portolan_functions_library_check(const char *file, struct portolan_error *err)
{
    return open_file(file, NULL, err);
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
    status = portolan_functions_library_find(name, &l->file, err);
    if (status == PORTOLAN_OK)
        status = open_file(l->file, &l->handle, err);
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
