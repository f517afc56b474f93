/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads the program and all libraries that it needs, found as the dynamic linker would find them.
 * Libraries of the system that do not communicate are loaded once, for all ranks; the program and
 * the others become images, of which each rank gets its own data.
 */
#include "fortran_site.h"
#include "internal.h"

#include <portolan/command.h>
#include <portolan/list.h>
#include <portolan/shared_object.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_in(const char *const *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

static bool is_in_system(const char *file)
{
    static const char *const folders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", NULL};

    for (const char *const *folder = folders; *folder; folder++)
        if (strncmp(file, *folder, strlen(*folder)) == 0)
            return true;
    return false;
}

/* Returns whether the library is one of Fortran's, which know their program's MPI_IN_PLACE or its
 * units of input and output. */
static bool is_of_fortran(const char *name)
{
    return caller_names_bindings(name) || strncmp(name, "libgfortran", 11) == 0;
}

bool clue_is_own(const char *file)
{
    const char *name = portolan_file_name(file);

    return !is_in_system(file) || strncmp(name, "libportolan", 11) == 0 || is_of_fortran(name);
}

static const char *name_of(const struct shared_object *object)
{
    return object->name ? object->name : portolan_file_name(object->file);
}

static bool needs_messages(const struct shared_closure *all, const struct shared_object *object,
                           const bool *communicates)
{
    for (const char **name = object->needed; name && *name; name++) {
        if (strncmp(*name, "libmpich", 8) == 0 || strncmp(*name, "libpvm3", 7) == 0)
            return true;
        for (size_t i = 0; i < all->n; i++)
            if (communicates[i] && strcmp(name_of(&all->objects[i]), *name) == 0)
                return true;
    }
    return false;
}

/* Marks libraries that communicate, directly or through others: their data, communicators for
 * instance, are a rank's own. */
static void find_communicating(const struct shared_closure *all, bool *communicates)
{
    bool is_new;

    do {
        is_new = false;
        for (size_t i = 0; i < all->n; i++)
            if (!communicates[i] && needs_messages(all, &all->objects[i], communicates))
                is_new = communicates[i] = true;
    } while (is_new);
}

static bool is_private(const struct carrier *c, const struct shared_object *object,
                       bool communicates)
{
    const struct clue_run *run = c->run;
    const char *name = name_of(object);

    if (is_in(run->shared, run->n_shared, name))
        return false;
    return communicates || is_in(run->private, run->n_private, name) || clue_is_own(object->file);
}

/* Returns the program's file. */
static char *find_program(const char *name, struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    char *found = portolan_strdup(portolan_program_find(&arena, name));

    portolan_arena_clear(&arena);
    if (!found)
        portolan_error_set(err, PORTOLAN_ENOTFOUND,
                           "there is no program '%s'; give its path, as './%s'", name, name);
    else if (access(found, R_OK | X_OK) != 0) {
        portolan_error_set(err, PORTOLAN_EIO, "cannot run '%s': %s", found, strerror(errno));
        free(found);
        found = NULL;
    }
    return found;
}

/* Rejects an object that is made for Open MPI. */
static enum portolan_status check_needs(const struct shared_object *object,
                                        struct portolan_error *err)
{
    for (const char **name = object->needed; name && *name; name++)
        if (strncmp(*name, "libmpi.so.", 10) == 0 || strncmp(*name, "libopen-rte", 11) == 0)
            return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                      "'%s' is made for Open MPI (it needs %s); compile it with "
                                      "mpicc.mpich",
                                      object->file, *name);
    return PORTOLAN_OK;
}

/* Returns whether a library of that name is loaded already, or the carrier replaces it. */
static bool is_there(const char *name)
{
    return shared_object_is_loaded(name) || strncmp(name, "ld-linux", 8) == 0;
}

static enum portolan_status take_object(struct carrier *c, struct image_set *set,
                                        const struct shared_object *object, bool is_program,
                                        bool communicates, struct portolan_error *err)
{
    const char *name = name_of(object);
    enum portolan_status status;
    struct image image;

    if (!is_program && !is_of_fortran(name) && is_there(name)) /* one may have loaded others */
        return PORTOLAN_OK;
    if (!is_program && !is_private(c, object, communicates))
        return dlopen(object->file, RTLD_NOW | RTLD_GLOBAL)
                   ? PORTOLAN_OK
                   : portolan_error_set(err, PORTOLAN_EINVAL, "%s", dlerror());
    status = clue_image_open(&image, object->file, err);
    image.is_binding = caller_names_bindings(name);
    clue_has_bindings |= image.is_binding;
    if (!portolan_append(&set->images, &set->n, &image, sizeof image)) {
        clue_image_close(&image);
        return portolan_no_memory(err);
    }
    return status;
}

/* Checks that all needed libraries were found: the search leaves others out. */
static enum portolan_status check_all(const struct shared_closure *all, struct portolan_error *err)
{
    for (size_t i = 0; i < all->n; i++) {
        if (check_needs(&all->objects[i], err))
            return err->status;
        for (const char **name = all->objects[i].needed; name && *name; name++) {
            bool is_found = is_there(*name);

            for (size_t k = 0; k < all->n && !is_found; k++)
                is_found = strcmp(*name, portolan_file_name(all->objects[k].file)) == 0 ||
                           (all->objects[k].name && strcmp(*name, all->objects[k].name) == 0);
            if (!is_found)
                return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                          "'%s' needs %s, which is not found (LD_LIBRARY_PATH?)",
                                          all->objects[i].file, *name);
        }
    }
    return PORTOLAN_OK;
}

/* Returns whether the file mentions NAME, as a needed symbol or by chance, which does no harm. */
static bool has_name(const char *file, const char *name)
{
    struct portolan_arena arena = {0};
    const char *text;
    size_t size;
    bool has = !portolan_file_read(&arena, file, &text, &size, NULL) &&
               memmem(text, size, name, strlen(name)) != NULL;

    portolan_arena_clear(&arena);
    return has;
}

char *clue_check_program(const char *name, bool *changes, struct portolan_error *err)
{
    struct shared_search search;
    struct shared_closure all = {0};
    char *path = find_program(name, err);
    enum portolan_status status = path ? PORTOLAN_OK : err->status;

    shared_search_begin(&search);
    if (!status)
        status = shared_closure_read(&search, path, &all, err);
    if (!status && (!all.objects[0].needed || !*all.objects[0].needed))
        status = portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                    "'%s' is linked statically; link it dynamically", path);
    if (!status)
        status = check_all(&all, err);
    shared_search_end(&search);
    if (status) {
        free(path);
        return NULL;
    }
    *changes |= has_name(path, "portolan_clue_change");
    return path;
}

static enum portolan_status load_program(struct carrier *c, struct program *p,
                                         struct portolan_error *err)
{
    static struct shared_search search; /* images keep names that the search found */
    struct shared_closure all = {.without_loaded = true};
    struct image image;
    enum portolan_status status = clue_image_open(&image, p->path, err);
    bool *communicates = NULL;

    clue_image_close(&image); /* This error is more precise than the search's. */
    if (!search.cache)
        shared_search_begin(&search);
    if (!status)
        status = shared_closure_read(&search, p->path, &all, err);
    if (!status)
        status = check_all(&all, err);
    if (!status && !(communicates = portolan_calloc(all.n, sizeof *communicates)))
        status = portolan_no_memory(err);
    if (!status)
        find_communicating(&all, communicates);
    for (size_t i = 0; i < all.n && !status; i++)
        status = take_object(c, &p->set, &all.objects[i], i == 0, communicates[i], err);
    free(communicates);
    clue_cxx_begin();
    return status ? status : clue_images_link(&p->set, clue_override, clue_front, err);
}

static void free_program(struct program *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->set.n; i++)
        clue_image_close(&p->set.images[i]);
    free(p->set.images);
    free(p->path);
    free(p->real);
    free(p);
}

enum portolan_status clue_load(struct carrier *c, const char *name, const struct program **program,
                               struct portolan_error *err)
{
    char *path = find_program(name, err);
    struct program *p = NULL;
    enum portolan_status status;

    for (size_t i = 0; path && i < c->n_programs && !p; i++)
        if (strcmp(c->programs[i]->path, path) == 0)
            p = c->programs[i];
    *program = p;
    if (!path || p) {
        free(path);
        return p ? PORTOLAN_OK : err->status;
    }
    p = portolan_calloc(1, sizeof *p);
    if (!p) {
        free(path);
        return portolan_no_memory(err);
    }
    p->path = path;
    p->real = realpath(path, NULL);
    status = load_program(c, p, err);
    if (!status && !portolan_append(&c->programs, &c->n_programs, &p, sizeof p))
        status = portolan_no_memory(err);
    if (status)
        free_program(p);
    *program = p;
    return status;
}

void clue_programs_free(struct carrier *c)
{
    for (size_t i = 0; i < c->n_programs; i++)
        free_program(c->programs[i]);
    free(c->programs);
    c->programs = NULL;
    c->n_programs = 0;
}
