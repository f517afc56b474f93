/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * framework: an assembly inside a program that has its own main and is no component. The program
 * opens an assembly file, takes the ports that it wants by name, and calls them; where instances
 * have alternatives, a proxy measures its calls and implementations can be swapped under it
 * (examples/embed). Threads: as <portolan/framework.h>.
 */
#ifndef PORTOLAN_EMBED_H
#define PORTOLAN_EMBED_H

#include <portolan/framework.h>

#ifdef __cplusplus
extern "C" {
#endif

struct portolan_embedded;

/**
 * Reads and checks the assembly, finds its classes as `portolan run` does, and builds it.
 * Collective over COHORT, which must outlive it; NULL means one process. *E is the caller's to
 * close. Errors: ESYNTAX with the first mistake, and those of portolan_framework_build().
 */
PORTOLAN_API enum portolan_status portolan_embedded_open(const char *file,
                                                         struct portolan_cohort *cohort,
                                                         struct portolan_embedded **e,
                                                         struct portolan_error *err);

/**
 * The provides port PORT of an instance, as a reference of the port's own SIDL type: a
 * heat_LinearSolver for a port of type heat.LinearSolver, a portolan_ForeignPort for one of a
 * C header. It is borrowed and valid until portolan_embedded_close(), also when the
 * instance's implementation is swapped. In call paths the caller is the instance "program",
 * with a uses port "INSTANCE_PORT". All ranks must ask for the same ports in the same order,
 * before they first call them. NULL with ERR set: ENOTFOUND, or ENOTFOUND of the proxy's
 * class.
 */
PORTOLAN_API void *portolan_embedded_use(struct portolan_embedded *e, const char *instance,
                                         const char *port, struct portolan_error *err);

/**
 * Calls RUN, in which the program makes its time steps, as the go port of "program": its calls
 * are measured as part of it, so that models know the contexts of calls. *RESULT is what RUN
 * returned, 0 when it went well. Only once for an E. Errors: EEXISTS, and those of
 * portolan_framework_go().
 */
PORTOLAN_API enum portolan_status portolan_embedded_run(struct portolan_embedded *e,
                                                        int (*run)(void *arg), void *arg,
                                                        int *result, struct portolan_error *err);

/** Releases all instances, and stores the measurements. NULL is legal. */
PORTOLAN_API void portolan_embedded_close(struct portolan_embedded *e);

#ifdef __cplusplus
}
#endif
#endif
