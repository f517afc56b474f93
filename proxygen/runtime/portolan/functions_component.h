/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * functions_component: components around lists of functions. Only code that `portolan proxygen`
 * made includes this header.
 *
 * A provider opens one shared object when it is created and provides its functions as port
 * "functions", a portolan.ForeignPort that points to the port's C type. Its parameter "library"
 * (string) names another file than the one it was made for; a relative path with a slash starts at
 * the assembly's folder.
 *
 * A front component uses port "functions" and makes its front forward there, so that code which
 * calls the functions by name goes through the assembly. If it is not connected, the front forwards
 * to the functions that the program would call without it.
 *
 * Threads: as for <portolan/framework.h>. Functions that create return the caller's reference, or
 * NULL with a gov.cca.CCAException in *_ex.
 */
#ifndef PORTOLAN_FUNCTIONS_COMPONENT_H
#define PORTOLAN_FUNCTIONS_COMPONENT_H

#include <portolan/framework.h>
#include <portolan/functions.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A provider's implementation. */
struct portolan_functions_provider {
    struct sidl_object object;
    const struct portolan_functions_description *description;
    const char *file; /**< by default */
    struct portolan_functions_library *library;
};

/** A front component's. */
struct portolan_functions_front_component {
    struct sidl_object object;
    struct portolan_functions_front *front;
    void *reference; /**< to the provider, or NULL */
};

extern PORTOLAN_API const struct gov_cca_Component__epv portolan_functions_provider_component;
extern PORTOLAN_API const struct gov_cca_Component__epv portolan_functions_front_component;
extern PORTOLAN_API const struct gov_cca_ComponentRelease__epv portolan_functions_front_release;
extern PORTOLAN_API const struct portolan_Suspendable__epv portolan_functions_front_suspendable;

/** A provider of class CLS for FILE; all arguments must outlive it. */
PORTOLAN_API gov_cca_Component portolan_functions_provider_create(
    const struct sidl_class *cls, const struct portolan_functions_description *description,
    const char *file, sidl_BaseInterface *_ex);
PORTOLAN_API void portolan_functions_provider_destroy(void *self);

/** The component for FRONT, of which there can be one at a time. */
PORTOLAN_API gov_cca_Component portolan_functions_front_component_create(
    const struct sidl_class *cls, struct portolan_functions_front *front, sidl_BaseInterface *_ex);
PORTOLAN_API void portolan_functions_front_component_destroy(void *self);

/** The class of a provider, and the symbols that the framework looks up. */
#define PORTOLAN_FUNCTIONS_PROVIDER(SYMBOL, CLASS, DESCRIPTION, FILE)                              \
    static const struct sidl_implements SYMBOL##_implements[] = {                                  \
        {&gov_cca_Component__type, &portolan_functions_provider_component}};                       \
    static const struct sidl_class SYMBOL##_class = {                                              \
        .name = CLASS,                                                                             \
        .version = "1.0",                                                                          \
        .size = sizeof(struct portolan_functions_provider),                                        \
        .implements = SYMBOL##_implements,                                                         \
        .n_implements = 1,                                                                         \
        .destroy = portolan_functions_provider_destroy,                                            \
    };                                                                                             \
    static gov_cca_Component SYMBOL##_create(sidl_BaseInterface *_ex)                              \
    {                                                                                              \
        return portolan_functions_provider_create(&SYMBOL##_class, DESCRIPTION, FILE, _ex);        \
    }                                                                                              \
    PORTOLAN_COMPONENT(SYMBOL, CLASS, SYMBOL##_create)

/** The same for a front component; FRONT is a function that returns the front. */
#define PORTOLAN_FUNCTIONS_FRONT(SYMBOL, CLASS, FRONT)                                             \
    static const struct sidl_implements SYMBOL##_implements[] = {                                  \
        {&gov_cca_Component__type, &portolan_functions_front_component},                           \
        {&gov_cca_ComponentRelease__type, &portolan_functions_front_release},                      \
        {&portolan_Suspendable__type, &portolan_functions_front_suspendable}};                     \
    static const struct sidl_class SYMBOL##_class = {                                              \
        .name = CLASS,                                                                             \
        .version = "1.0",                                                                          \
        .size = sizeof(struct portolan_functions_front_component),                                 \
        .implements = SYMBOL##_implements,                                                         \
        .n_implements = 3,                                                                         \
        .destroy = portolan_functions_front_component_destroy,                                     \
    };                                                                                             \
    static gov_cca_Component SYMBOL##_create(sidl_BaseInterface *_ex)                              \
    {                                                                                              \
        return portolan_functions_front_component_create(&SYMBOL##_class, FRONT(), _ex);           \
    }                                                                                              \
    PORTOLAN_COMPONENT(SYMBOL, CLASS, SYMBOL##_create)

#ifdef __cplusplus
}
#endif
#endif
