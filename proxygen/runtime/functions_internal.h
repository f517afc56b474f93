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

/* Returns whether calls may be using a library to which FRONT could not be bound, because it was
 * published for a moment. */
bool functions_front_is_in_doubt(const struct portolan_functions_front *front);
/* Returns whether FILE was loaded only as an implementation. */
bool functions_is_private(const char *file);

#endif
