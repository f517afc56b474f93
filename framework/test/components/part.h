/* SPDX-License-Identifier: BSD-3-Clause */
/* What all test components share: an implementation with its Services, its log and its name. */
#ifndef PORTOLAN_TEST_PART_H
#define PORTOLAN_TEST_PART_H

#include <portolan/framework.h>

#include "test_log.h"

struct part {
    struct sidl_object object;
    gov_cca_Services services; /* ours */
    struct test_log *log;      /* may be NULL */
    char *name;                /* the instance's */
};

/*
 * Keeps SERVICES, finds name and log (uses port "log"), registers for release. Every test component
 * calls it first in setServices.
 */
void part_begin(struct part *p, gov_cca_Services services, sidl_BaseInterface *_ex);
/* The destroy function of all test components; logs "destroy". */
void part_destroy(void *self);
/* releaseServices of most: logs "release" and releases the log. */
void part_release(void *self, gov_cca_Services services, sidl_BaseInterface *_ex);
/* addProvidesPort of the implementation's own facet. */
void part_provide(struct part *p, const char *port, const char *type, sidl_BaseInterface *_ex);
void part_use(struct part *p, const char *port, const char *type, sidl_BaseInterface *_ex);
/* The uses port as a portolan.ports.Work, new reference; to be given back with part_drop_work. */
portolan_ports_Work part_get_work(struct part *p, const char *port, sidl_BaseInterface *_ex);
void part_drop_work(struct part *p, const char *port, portolan_ports_Work work);

/* Defines the class, its creator and its descriptor. */
#define PART_CLASS(SYMBOL, NAME, STRUCT, ...)                                                      \
    static const struct sidl_implements SYMBOL##_implements[] = {__VA_ARGS__};                     \
    static const struct sidl_class SYMBOL##_class = {                                              \
        .name = NAME,                                                                              \
        .version = "1.0",                                                                          \
        .size = sizeof(STRUCT),                                                                    \
        .implements = SYMBOL##_implements,                                                         \
        .n_implements = sizeof SYMBOL##_implements / sizeof *SYMBOL##_implements,                  \
        .destroy = part_destroy,                                                                   \
    };                                                                                             \
    static gov_cca_Component SYMBOL##_create(sidl_BaseInterface *_ex)                              \
    {                                                                                              \
        return sidl_object_facet(sidl_object_create(&SYMBOL##_class, _ex), "gov.cca.Component");   \
    }                                                                                              \
    PORTOLAN_COMPONENT(SYMBOL, NAME, SYMBOL##_create)

#endif
