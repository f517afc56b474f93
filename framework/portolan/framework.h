/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * framework: a CCA framework (package gov.cca 0.8.5) for one process of an SPMD program. Every rank
 * creates one in the same way.
 *
 * Life of a program: create a palette and a framework on it, build an assembly, go, destroy.
 * Components meet the framework through the SIDL interface gov.cca.Services and through service
 * ports; portolan-cca(7) has them, and what they refuse. The helpers at the end of this file are
 * for components.
 *
 * Threads: functions and builder ports are called by one thread at a time. getPort,
 * getPortNonblocking and releasePort may be called by any thread while no builder call concerns the
 * instance, and while one waits for its time-out. Calls through ports cost one indirect call; the
 * framework is not involved.
 *
 * Plug-ins are loaded with dlopen(RTLD_NOW | RTLD_LOCAL) and are never unloaded: objects, threads
 * and exceptions of theirs may live on.
 */
#ifndef PORTOLAN_FRAMEWORK_H
#define PORTOLAN_FRAMEWORK_H

#include <portolan/assembly.h>
#include <portolan/base.h>
#include <portolan/palette.h>

#include "gov_cca.h"
#include "gov_cca_ports.h"
#include "portolan.h"
#include "portolan_ports.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PORTOLAN_COMPONENT_ABI 2

/**
 * The descriptor that a component class exports, from a shared object or from the program itself,
 * as `const struct portolan_component portolan_component_heat_Cholmod` for class heat.Cholmod.
 */
struct portolan_component {
    size_t size;            /**< sizeof (struct portolan_component) where it was compiled */
    uint32_t abi;           /**< PORTOLAN_COMPONENT_ABI */
    const char *class_name; /**< "heat.Cholmod" */
    /** REQUIRED. A new instance, the caller's reference; NULL with an exception in *_ex. */
    gov_cca_Component (*create)(sidl_BaseInterface *_ex);
    /** OPTIONAL. Asked where the class's description has <applies query="true"/>. */
    portolan_applies_fn applies;
};

/** Declares the descriptor of a class: PORTOLAN_COMPONENT(heat_Cholmod, "heat.Cholmod", make). */
#define PORTOLAN_COMPONENT(SYMBOL, CLASS, CREATE)                                                  \
    PORTOLAN_COMPONENT_ASKED(SYMBOL, CLASS, CREATE, NULL)

/** The same for a class that decides itself where it applies. */
#define PORTOLAN_COMPONENT_ASKED(SYMBOL, CLASS, CREATE, APPLIES)                                   \
    PORTOLAN_API extern const struct portolan_component portolan_component_##SYMBOL;               \
    const struct portolan_component portolan_component_##SYMBOL = {                                \
        sizeof(struct portolan_component), PORTOLAN_COMPONENT_ABI, CLASS, CREATE, APPLIES}

/**
 * Defines a class in C, with its descriptor. Its objects are of type TYPE, whose first member is a
 * struct sidl_object; SET_SERVICES is the method of gov.cca.Component, DESTROY that of struct
 * sidl_class (or NULL). Then follow rows of struct sidl_implements for the other types that the
 * class implements.
 */
#define PORTOLAN_COMPONENT_CLASS(SYMBOL, CLASS, TYPE, SET_SERVICES, DESTROY, ...)                  \
    static const struct gov_cca_Component__epv SYMBOL##_epv = {.f_setServices = SET_SERVICES};     \
    static const struct sidl_implements SYMBOL##_implements[] = {                                  \
        {&gov_cca_Component__type, &SYMBOL##_epv}, __VA_ARGS__};                                   \
    static const struct sidl_class SYMBOL##_class = {                                              \
        .name = CLASS,                                                                             \
        .version = "0.1",                                                                          \
        .size = sizeof(TYPE),                                                                      \
        .implements = SYMBOL##_implements,                                                         \
        .n_implements = sizeof SYMBOL##_implements / sizeof *SYMBOL##_implements,                  \
        .destroy = DESTROY,                                                                        \
    };                                                                                             \
    static gov_cca_Component SYMBOL##_create(sidl_BaseInterface *_ex)                              \
    {                                                                                              \
        return sidl_object_facet(sidl_object_create(&SYMBOL##_class, _ex), "gov.cca.Component");   \
    }                                                                                              \
    PORTOLAN_COMPONENT(SYMBOL, CLASS, SYMBOL##_create)

struct portolan_framework;

/**
 * PALETTE and COHORT stay the caller's and must outlive the framework; a NULL cohort means one
 * process. Errors: ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_framework_create(const struct portolan_palette *palette,
                                                            struct portolan_cohort *cohort,
                                                            struct portolan_framework **fw,
                                                            struct portolan_error *err);

/**
 * Releases all instances in reverse order of creation (proxies first) and frees the framework.
 * Ports that a component got and never released are reported to the log. NULL is legal.
 */
PORTOLAN_API void portolan_framework_destroy(struct portolan_framework *fw);

/**
 * Offers any C object as a framework service: uses ports of this TYPE ("portolan.Cohort") are
 * connected to it as soon as a component registers them, and get a portolan.ForeignPort. POINTER
 * must outlive the framework. The framework itself offers portolan.Cohort (struct portolan_cohort),
 * portolan.Failure (const struct portolan_error, status 0 as long as nothing failed) and, while one
 * is built or runs, portolan.Assembly (const struct portolan_assembly).
 * Errors: EEXISTS, ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_framework_provide(struct portolan_framework *fw,
                                                             const char *type, void *pointer,
                                                             struct portolan_error *err);

/** A service of the program: each uses port of its type gets a port of its own. */
struct portolan_service {
    const char *type; /**< "gov.cca.ports.MPIService" */
    void *arg;
    /**
     * REQUIRED. Makes the port for one uses port of the component that SERVICES belongs to; a new
     * reference. Called while the uses port is being registered. NULL with an exception: the
     * registration fails with it.
     */
    gov_cca_Port (*create)(void *arg, gov_cca_Services services, sidl_BaseInterface *_ex);
    /** OPTIONAL. The uses port is being removed; the framework drops its reference afterwards. */
    void (*destroy)(void *arg, gov_cca_Port port);
    /** OPTIONAL. The service ends, with the framework or before; all its ports are gone. */
    void (*end)(void *arg);
};

/** Copies SERVICE; `arg` must live until `end`. Errors: EEXISTS (`end` is not called), ENOMEM. */
PORTOLAN_API enum portolan_status portolan_framework_serve(struct portolan_framework *fw,
                                                           const struct portolan_service *service,
                                                           struct portolan_error *err);

/** Ends a service and disconnects the uses ports that were connected to it. Errors: ENOTFOUND. */
PORTOLAN_API enum portolan_status portolan_framework_unserve(struct portolan_framework *fw,
                                                             const char *type,
                                                             struct portolan_error *err);

/**
 * Collective. Makes the instances of A in their order, then the connections, then the proxies of
 * monitored connections and of connections to instances with alternatives. The ranks first make
 * sure that they have the same assembly, and agree after every instance and connection; so if one
 * rank fails, all fail with the same text. For this, setServices must not communicate. A must
 * outlive the framework. On failure everything is undone. Errors: EMISMATCH when the ranks'
 * assemblies differ, EEXISTS when one is built already, ENOMEM, and those of loading, creating and
 * connecting components.
 */
PORTOLAN_API enum portolan_status portolan_framework_build(struct portolan_framework *fw,
                                                           const struct portolan_assembly *a,
                                                           struct portolan_error *err);

/**
 * Calls the assembly's go port, through its proxy when it is monitored. *RESULT is what go()
 * returned (0 good, -1 failed but usable, -2 unusable). Not collective: a rank that fails returns
 * at once, and its caller must see to the others. Errors: ENOTFOUND when the assembly has no <go>,
 * EPORTNOTCONNECTED when its port is gone, EBADPORTTYPE when it is not a GoPort, else what go()
 * threw.
 */
PORTOLAN_API enum portolan_status portolan_framework_go(struct portolan_framework *fw, int *result,
                                                        struct portolan_error *err);

/**
 * Notes on this rank that the program failed; only the first WHY is kept. Components read it
 * through the service port "portolan.Failure", the Mastermind when it ends its trial.
 * portolan_framework_go() notes what go() threw, or that it returned another status than 0. Call
 * this function if you call a go port yourself, or learn of another rank's failure.
 */
PORTOLAN_API void portolan_framework_fail(struct portolan_framework *fw, const char *why);

/**
 * How long portolan.ports.Builder's `replace` waits for calls that are inside the instance, in
 * seconds of wall time; 5 at first. When one is still inside then, the old instance stays, and the
 * error names the thread and the call.
 */
PORTOLAN_API void portolan_framework_set_swap_wait(struct portolan_framework *fw, double seconds);

/** The framework's service ports, borrowed; valid until destroy. */
PORTOLAN_API gov_cca_ports_BuilderService
portolan_framework_peek_builder(struct portolan_framework *fw);
/**
 * portolan.ports.Builder. Its `replace` is collective over the cohort: all ranks call it alike;
 * when it fails on one, all restore the old instance. If the properties are null and the assembly
 * lists the class as an alternative of the instance, that alternative's parameters are used. The
 * other methods concern the calling rank.
 */
PORTOLAN_API portolan_ports_Builder
portolan_framework_peek_extension(struct portolan_framework *fw);

/* -- a framework inside a program's own main -------------------------------------------------- */

/**
 * gov.cca.AbstractFramework over a new framework: the program gets Services from it and from then
 * on looks like a component (examples/embed). PALETTE and COHORT are as for create and must outlive
 * it. A NULL palette: it makes its own with portolan_palette_add_defaults. A new reference; the
 * framework ends with shutdownFramework or, if that was not called, with the last reference.
 * createEmptyFramework makes another one on the same palette and cohort. NULL with an exception:
 * gov.cca.CCAException.
 */
PORTOLAN_API gov_cca_AbstractFramework
portolan_framework_abstract(const struct portolan_palette *palette, struct portolan_cohort *cohort,
                            sidl_BaseInterface *_ex);

/** Returns the framework of the interface, for the functions above; NULL once shut down, or if the
 * interface belongs to another implementation. */
PORTOLAN_API struct portolan_framework *
portolan_framework_peek(gov_cca_AbstractFramework framework);

/**
 * AbstractFramework's getServices and releaseServices for a caller that has the framework itself:
 * the caller looks like a component INSTANCE (NULL or "": the framework chooses a name) of class
 * CLASS_NAME. A new reference, which the caller drops in addition to releasing the services.
 * Releasing undoes its connections, even if ports are held; BuilderService does not destroy such an
 * instance.
 */
PORTOLAN_API gov_cca_Services portolan_framework_get_services(struct portolan_framework *fw,
                                                              const char *instance,
                                                              const char *class_name,
                                                              gov_cca_TypeMap properties,
                                                              sidl_BaseInterface *_ex);
PORTOLAN_API void portolan_framework_release_services(struct portolan_framework *fw,
                                                      gov_cca_Services services,
                                                      sidl_BaseInterface *_ex);

/* -- for component writers ---------------------------------------------------------------- */

/**
 * The TypeMap given to createInstance, with the defaults of the class's palette description filled
 * in, and "portolan.assemblyDir" (string), the folder of the assembly file. A new reference.
 */
PORTOLAN_API gov_cca_TypeMap portolan_component_properties(gov_cca_Services services,
                                                           sidl_BaseInterface *_ex);

/**
 * Calls getPort on a uses port and returns the pointer of the ForeignPort that it is connected to,
 * whose type name must be TYPE. NULL with an exception on failure. The caller releases the port
 * (gov_cca_Services_releasePort) when done.
 */
PORTOLAN_API void *portolan_foreign_get(gov_cca_Services services, const char *uses_port,
                                        const char *type, sidl_BaseInterface *_ex);

/**
 * Returns the port to which a uses port is connected, as its SIDL TYPE ("heat.LinearSolver"): a new
 * reference, NULL with an exception on failure. portolan_port_release() drops it and releases the
 * port; a NULL PORT is legal there, and so is an exception that is on its way.
 */
PORTOLAN_API void *portolan_port_get(gov_cca_Services services, const char *uses_port,
                                     const char *type, sidl_BaseInterface *_ex);
PORTOLAN_API void portolan_port_release(gov_cca_Services services, const char *uses_port,
                                        void *port);

/** A new ForeignPort, to be given to addProvidesPort. POINTER stays the caller's. */
PORTOLAN_API gov_cca_Port portolan_foreign_create(void *pointer, const char *type,
                                                  sidl_BaseInterface *_ex);

/** A new, empty TypeMap. */
PORTOLAN_API gov_cca_TypeMap portolan_typemap_create(sidl_BaseInterface *_ex);

/**
 * Puts the value that TEXT states into MAP: numbers in the C locale's form, "true" and "false",
 * complex numbers as "(re,im)", arrays as a list separated by blanks. ESYNTAX when TEXT is not of
 * the type, EINVAL for NoType, else what the map throws (an existing key with another type).
 */
PORTOLAN_API enum portolan_status portolan_typemap_put_text(gov_cca_TypeMap map, const char *key,
                                                            enum gov_cca_Type__enum type,
                                                            const char *text,
                                                            struct portolan_error *err);

/**
 * A value as text that portolan_typemap_put_text() reads back as the same value, and its type
 * (NoType and "" if the key is missing). The caller frees *TEXT. Errors: ENOMEM, or what the map
 * throws.
 */
PORTOLAN_API enum portolan_status portolan_typemap_get_text(gov_cca_TypeMap map, const char *key,
                                                            enum gov_cca_Type__enum *type,
                                                            char **text,
                                                            struct portolan_error *err);

/** The specification's word for a type ("DoubleArray"); and its type, in any case, or NoType. */
PORTOLAN_API const char *portolan_typemap_type_word(enum gov_cca_Type__enum type);
PORTOLAN_API enum gov_cca_Type__enum portolan_typemap_type_read(const char *word);
/** The TypeMap type for TYPE (IS_ARRAY: a list of it) in an assembly or a description. */
PORTOLAN_API enum gov_cca_Type__enum portolan_typemap_type_of(enum portolan_value_type type,
                                                              bool is_array);

/**
 * Sets a field of a gov.cca.ports.BasicParameterPort (or ParameterPort) from text, whatever the
 * field's type is. Errors: EBADPORTTYPE, ENOTFOUND with the nearest field, ESYNTAX, or what the
 * port throws.
 */
PORTOLAN_API enum portolan_status portolan_parameters_write(gov_cca_Port port, const char *field,
                                                            const char *text,
                                                            struct portolan_error *err);

/**
 * Throws a gov.cca.CCAException of the CCAExceptionType that belongs to STATUS, with that text as
 * its note, unless *_ex holds an exception already.
 */
PORTOLAN_API void portolan_throw(sidl_BaseInterface *_ex, enum portolan_status status,
                                 const char *format, ...) PORTOLAN_PRINTF(3, 4);

/**
 * Turns the exception in *_ex into a status and a text in ERR (which may be NULL) and clears it; OK
 * when there is none. Out of memory becomes ENOMEM, any other exception that is not a
 * gov.cca.CCAException ECOMPONENT.
 */
PORTOLAN_API enum portolan_status portolan_catch(sidl_BaseInterface *_ex,
                                                 struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
