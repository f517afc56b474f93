/* SPDX-License-Identifier: BSD-3-Clause */
/* Assemblies around lists of functions: users that hold the struct and call through it. */
#ifndef TEST_LISTS_H
#define TEST_LISTS_H

#include "records.h"

struct lists {
    struct portolan_palette *palette;
    struct portolan_framework *fw;
    struct portolan_assembly *assembly;
    struct portolan_error err;
};

/*
 * Reads and builds an assembly of this text, with plug-ins from PATH and class "test.User", which
 * has uses port "list" of TYPE and, with the same name, of the user "watch" a Monitor.
 */
enum portolan_status lists_build(struct lists *l, const char *path, const char *type,
                                 const char *xml);
void lists_destroy(struct lists *l);

/* The struct that test.User INSTANCE gets, and gives back at once, though it keeps it. */
const void *lists_get(struct lists *l, const char *instance);

/* Replaces an instance; what portolan.ports.Builder says. */
enum portolan_status lists_replace(struct lists *l, const char *instance, const char *class_name);

#endif
