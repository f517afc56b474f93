/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * base: shared objects as files (ELF), before any of them is loaded: which file a name stands for,
 * by the rules of ld.so(8), what an object declares, and everything that it needs. Any thread, one
 * at a time for each search and arena; nothing is kept.
 */
#ifndef PORTOLAN_SHARED_OBJECT_H
#define PORTOLAN_SHARED_OBJECT_H

#include <portolan/base.h>

/* ------------------------------------------------------------------ searching */

/* A search for shared objects by name; its arena holds the results until shared_search_end(). */
struct shared_search {
    struct portolan_arena arena;
    /* The dynamic linker's cache, or NULL. */
    const char *cache;
    size_t cache_bytes;
};

void shared_search_begin(struct shared_search *s);
void shared_search_end(struct shared_search *s);

/*
 * The file for NAME (no slash in it), which the object ORIGIN (a folder, for $ORIGIN) with search
 * paths RPATH and RUNPATH (either may be NULL) needs; NULL when there is none.
 */
const char *shared_search_find(struct shared_search *s, const char *name, const char *rpath,
                               const char *runpath, const char *origin);

/* ------------------------------------------------------------------ reading */

/* What an ELF file declares; lists end in NULL. All of it is in the arena. */
struct shared_object {
    const char *file;
    const char *name;            /* by which another object of the closure needs it, or NULL */
    const char *rpath, *runpath; /* or NULL */
    const char **needed;
    const char **defined;   /* dynamic symbols that others may see */
    const char **undefined; /* needed from other objects, without weak ones */
};

/* True for a shared object for this machine, judged by its first bytes. */
bool shared_object_fits(const char *file);

/* True when the process has loaded the object that NAME, a path or a bare name, stands for. */
bool shared_object_is_loaded(const char *name);

/* True when both names lead to one file. */
bool shared_object_is_same(const char *a, const char *b);

/* Reads FILE, which may also be a program at fixed addresses. PORTOLAN_EIO, PORTOLAN_EUNSUPPORTED
 * (not ELF for this machine), PORTOLAN_ENOMEM. */
enum portolan_status shared_object_read(struct portolan_arena *arena, const char *file,
                                        struct shared_object *object, struct portolan_error *err);

/* FILE and what it needs, found as the dynamic linker would. */
struct shared_closure {
    bool without_loaded; /* leaves out loaded objects and what they need */
    struct shared_object *objects;
    size_t n;
};

/* Fills CLOSURE, in the arena of S. Objects that are not found are left out. Errors as above. */
enum portolan_status shared_closure_read(struct shared_search *s, const char *file,
                                         struct shared_closure *closure,
                                         struct portolan_error *err);

#endif
