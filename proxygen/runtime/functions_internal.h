/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUNCTIONS_INTERNAL_H
#define FUNCTIONS_INTERNAL_H

#include <portolan/functions.h>
#include <portolan/shared_object.h>

struct portolan_functions_library {
    const struct portolan_functions_description *description;
    char *file, *name;
    void *handle;
    void **table;         /* one per symbol */
    const char **missing; /* borrowed from the description */
    size_t n_missing;
};

/* ------------------------------------------------------------------ MPI */

/* Refuses a closure that calls MPI. */
enum portolan_status functions_closure_check(const struct shared_closure *closure,
                                             struct portolan_error *err);

/* ------------------------------------------------------------------ opening */

/* Whether FILE is loaded for the sake of functions_open_privately alone. */
bool functions_is_private(const char *file);

/* A handle for FILE, whose closure is known. */
enum portolan_status functions_open_privately(const char *file,
                                              const struct shared_closure *closure, void **handle,
                                              struct portolan_error *err);

#endif
