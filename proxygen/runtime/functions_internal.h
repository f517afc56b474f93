/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUNCTIONS_INTERNAL_H
#define FUNCTIONS_INTERNAL_H

#include <portolan/functions.h>

struct portolan_functions_library {
    const struct portolan_functions_description *description;
    char *file, *name;
    void *handle;
    void **table;         /* one per symbol */
    const char **missing; /* borrowed from the description */
    size_t n_missing;
};

/* ------------------------------------------------------------------ searching */

/* Text in the arena, NULL when memory is out: what a shared object of that name resolves to. */
struct functions_search {
    struct portolan_arena arena;
    /* The dynamic linker's cache, or NULL. */
    const char *cache;
    size_t cache_bytes;
};

void functions_search_begin(struct functions_search *s);
void functions_search_end(struct functions_search *s);

/*
 * The file for NAME (no slash in it), which the object ORIGIN (a folder, for $ORIGIN) with search
 * paths RPATH and RUNPATH (either may be NULL) needs; NULL when there is none.
 */
const char *functions_search_find(struct functions_search *s, const char *name, const char *rpath,
                                  const char *runpath, const char *origin);

/* ------------------------------------------------------------------ reading */

/* What an ELF file says of itself; lists end in NULL. All in the arena. */
struct functions_object {
    const char *file;
    const char *name;            /* by which another object of the closure needs it, or NULL */
    const char *rpath, *runpath; /* or NULL */
    const char **needed;
    const char **defined;   /* dynamic symbols that others may see */
    const char **undefined; /* needed of others, weak ones left out */
};

/* True for a shared object for this machine, judged by its first bytes. */
bool functions_object_fits(const char *file);

/* Reads FILE. PORTOLAN_EIO, PORTOLAN_EUNSUPPORTED. */
enum portolan_status functions_object_read(struct portolan_arena *arena, const char *file,
                                           struct functions_object *object,
                                           struct portolan_error *err);

/* FILE and what it needs, found as the dynamic linker would; system libraries are left out. */
struct functions_closure {
    struct functions_object *objects;
    size_t n;
};

enum portolan_status functions_closure_read(struct functions_search *s, const char *file,
                                            struct functions_closure *closure,
                                            struct portolan_error *err);

/* Refuses a closure that calls MPI. */
enum portolan_status functions_closure_check(const struct functions_closure *closure,
                                             struct portolan_error *err);

/* ------------------------------------------------------------------ opening */

/* Whether FILE is loaded for the sake of functions_open_privately alone. */
bool functions_is_private(const char *file);

/* A handle for FILE, whose closure is known. */
enum portolan_status functions_open_privately(const char *file,
                                              const struct functions_closure *closure,
                                              void **handle, struct portolan_error *err);

#endif
