/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * functions: a flat list of C functions as a port, and the shared objects that implement it.
 *
 * `portolan proxygen HEADER --functions GLOB --port TYPE` makes the port's C type, a struct with
 * one pointer per function, and a description of it. Here are: opening a shared object as one
 * implementation, privately, so that several with the same symbol names live in one process; and
 * the front, generated code that exports the functions under their own names, so that programs
 * that know nothing of Portolan call whatever is bound to it, measured.
 *
 * Uses base and probe only. A process that is measured from outside (`portolan wrap`) loads this
 * much and no more.
 */
#ifndef PORTOLAN_FUNCTIONS_H
#define PORTOLAN_FUNCTIONS_H

#include <portolan/probe.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Any function; cast to the type that the header gives it. */
typedef void (*portolan_functions_fn)(void);

/** A list, described by proxygen. The port's C type is one pointer per symbol, in this order. */
struct portolan_functions_description {
    size_t size;      /**< sizeof this struct where the code was compiled */
    const char *type; /**< the port's type name */
    const struct portolan_probe_method *methods;
    size_t n_methods;
    const char *const *symbols; /**< names in shared objects: those of the methods come first */
    size_t n_symbols;           /**< the others (variadic functions) are passed on unmeasured */
};

/* -------------------------------------------------------------- libraries */

/** One opened implementation. */
struct portolan_functions_library;

/**
 * The file that the dynamic linker would open for NAME: NAME itself made absolute when it has a
 * slash, else what is found by LD_LIBRARY_PATH, the linker's cache and the default folders, files
 * for other machines passed over. Nothing is loaded, and what is loaded already under that name
 * does not count: implementations often share one name. *FILE is the caller's to free.
 * PORTOLAN_ENOTFOUND, PORTOLAN_EINVAL for an empty name, PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_functions_library_find(const char *name, char **file,
                                                                  struct portolan_error *err);

/**
 * Reads FILE and all that it depends on, without loading anything, and refuses what cannot be
 * opened as an implementation: PORTOLAN_EUNSUPPORTED for files that are no shared object for this
 * machine, and for libraries that call MPI, which would bypass the MPI that measures or bring a
 * second, uninitialised one; PORTOLAN_EIO for files that cannot be read.
 */
PORTOLAN_API enum portolan_status portolan_functions_library_check(const char *file,
                                                                   struct portolan_error *err);

/**
 * Finds (see above), checks and opens NAME, so that other objects do not see its symbols, and it
 * prefers its own to equal ones of the program: RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND. Where a
 * sanitizer forbids RTLD_DEEPBIND, or an allocator that replaces malloc would be bypassed by it,
 * the library is opened without when no symbol of the program can get in its way, else in a linker
 * namespace of its own (there are about eleven).
 *
 * A library that lacks all functions is refused with PORTOLAN_ENOTFOUND; for some missing ones see
 * portolan_functions_library_missing(). The object stays loaded until the process ends. DESCRIPTION
 * is borrowed and must outlive *LIBRARY, which the caller closes. Errors: also those of find and
 * check, ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_functions_library_open(const struct portolan_functions_description *description,
                                const char *name, struct portolan_functions_library **library,
                                struct portolan_error *err);

/** Frees LIBRARY (NULL is legal), which must not be in use; the shared object stays loaded. */
PORTOLAN_API void portolan_functions_library_close(struct portolan_functions_library *library);

/** The functions in the layout of the port's C type, NULL where the library lacks one. */
PORTOLAN_API void *const *
portolan_functions_library_table(const struct portolan_functions_library *library);

/** Names of the functions that the library lacks, borrowed; *COUNT of them. */
PORTOLAN_API const char *const *
portolan_functions_library_missing(const struct portolan_functions_library *library, size_t *count);

/* ------------------------------------------------------------------ fronts */

struct portolan_functions_state;

/**
 * The state of a generated front. Before anything is bound, calls go unmeasured to the functions
 * that the program would have called without the front.
 */
struct portolan_functions_front {
    struct portolan_probe_port port;       /**< monitored when its flags say so; off at first */
    struct portolan_probe_binding unbound; /**< what it is bound to at first: `own` */
    const struct portolan_functions_description *description;
    struct portolan_functions_state *state;
    /** The next definition of SYMBOL after the front's own, in the dynamic linker's order. */
    void *(*next)(const char *symbol);
    portolan_functions_fn *own; /**< the functions that `next` found: one per symbol */
    const char *user;           /**< the calling instance in records; NULL: the program's name */
    const char *uses;           /**< its uses port; NULL: the port type's last word */
    void *owner;                /**< the component that binds it; NULL: none */
};

/**
 * Makes FRONT forward to LIBRARY and waits until no thread is inside the former one, which may then
 * be closed; errors are those of portolan_probe_retarget(). NULL stands for the functions that the
 * program would have called without the front, measured as an implementation named "own"; they also
 * replace functions that LIBRARY lacks. Records name the implementation that a call ran in. One
 * bind of a front at a time.
 */
PORTOLAN_API enum portolan_status
portolan_functions_front_bind(struct portolan_functions_front *front,
                              const struct portolan_functions_library *library,
                              struct portolan_error *err);

/**
 * The same for functions that did not come from a library: TABLE has the layout of the port's C
 * type and must stay until something else is bound; CONNECTION names the provider.
 */
PORTOLAN_API enum portolan_status
portolan_functions_front_bind_table(struct portolan_functions_front *front, const void *table,
                                    const struct portolan_probe_connection *connection,
                                    struct portolan_error *err);

/** The library in force; NULL: none, or the program's own functions. Borrowed. */
PORTOLAN_API const struct portolan_functions_library *
portolan_functions_front_peek_library(const struct portolan_functions_front *front);

/**
 * For generated fronts: function NUMBER that the program would call without the front. If there is
 * none, this prints a message on standard error and ends the process with status 127, as the
 * dynamic linker does when a symbol is missing.
 */
PORTOLAN_API portolan_functions_fn portolan_functions_next(
    const struct portolan_functions_front *front, size_t number) __attribute__((cold));

/**
 * Exported by every generated front, also as TYPE_front() with underscores for dots. If a program
 * has several fronts, this returns the first.
 */
PORTOLAN_API struct portolan_functions_front *portolan_front(void);

/** For generated code: the bound function, or, if the library lacks it, the program's own. */
#define PORTOLAN_FUNCTIONS_OF(FRONT, TO, MEMBER, NUMBER)                                           \
    (__extension__({                                                                               \
        __typeof__((TO)->MEMBER) portolan_fn = __atomic_load_n(&(TO)->MEMBER, __ATOMIC_RELAXED);   \
        __builtin_expect(portolan_fn != NULL, 1)                                                   \
            ? portolan_fn                                                                          \
            : PORTOLAN_FUNCTIONS_NEXT(FRONT, TO, MEMBER, NUMBER);                                  \
    }))

/** For generated code: the program's own function. */
#define PORTOLAN_FUNCTIONS_NEXT(FRONT, TO, MEMBER, NUMBER)                                         \
    ((__typeof__((TO)->MEMBER))portolan_functions_next(FRONT, NUMBER))

/** For generated fronts: nothing was bound yet, so the call is not measured. */
#define PORTOLAN_FUNCTIONS_UNBOUND(FRONT)                                                          \
    PORTOLAN_PROBE_UNLIKELY(__atomic_load_n(&(FRONT)->port.binding, __ATOMIC_RELAXED) ==           \
                            &(FRONT)->unbound)

#ifdef __cplusplus
}
#endif
#endif
