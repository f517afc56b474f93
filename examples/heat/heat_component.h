/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The kernels of this example as components: what the plug-ins share. A plug-in describes what is
 * its own in a `…_kind` and exports a descriptor; the rest is here.
 *
 * Exceptions: every function with an _ex throws heat.SolverException with the kernel's text, or
 * what the framework threw.
 */
#ifndef HEAT_COMPONENT_H
#define HEAT_COMPONENT_H

#include <portolan/framework.h>

#include "heat.h"
#include "heat_assemble.h"
#include "heat_solver.h"

/** Throws a heat.SolverException with the text of ERR. */
void heat_throw(sidl_BaseInterface *_ex, const struct portolan_error *err);

/** The matrix behind the interface, borrowed; NULL with an exception when there is none. */
const struct heat_matrix *heat_matrix_peek(heat_Matrix a, sidl_BaseInterface *_ex);

/** Offers SELF (an object of the run time, see sidl_object_create) as a port of TYPE. */
void heat_provide(gov_cca_Services services, void *self, const char *port, const char *type,
                  sidl_BaseInterface *_ex);

/* -- assemblers --------------------------------------------------------------------------- */

struct heat_assembler_kind {
    struct sidl_class cls;
    enum portolan_status (*assemble)(const struct heat_box *box, struct heat_matrix *m,
                                     struct portolan_error *err);
};

struct heat_assembler_component {
    struct sidl_object object;
    const struct heat_assembler_kind *kind;
    struct heat_matrix_object *matrix; /* what assemble() returns, again and again */
};

extern const struct sidl_implements heat_assembler_implements[2];
void heat_assembler_component_destroy(void *self);
gov_cca_Component heat_assembler_component_create(const struct heat_assembler_kind *kind,
                                                  sidl_BaseInterface *_ex);

#define HEAT_ASSEMBLER_CLASS(NAME)                                                                 \
    {                                                                                              \
        .name = (NAME), .version = "1.0", .size = sizeof(struct heat_assembler_component),         \
        .implements = heat_assembler_implements, .n_implements = 2,                                \
        .destroy = heat_assembler_component_destroy,                                               \
    }

/* -- solvers ------------------------------------------------------------------------------ */

struct heat_solver_kind {
    struct sidl_class cls;
    bool uses_blas; /**< has the uses port "monitor", to tell which BLAS serves it */
    bool uses_preconditioner;
    /** Makes the kernel from the component's parameters. PRECONDITIONER is NULL unless used. */
    enum portolan_status (*create)(gov_cca_TypeMap properties,
                                   struct heat_preconditioner *preconditioner,
                                   struct heat_solver **solver, struct portolan_error *err);
};

/* The port "preconditioner" as a kernel; PORT is held during setup and solve only. */
struct heat_port_preconditioner {
    struct heat_preconditioner preconditioner;
    heat_Preconditioner port;
    heat_Matrix matrix; /* that of the setup going on; borrowed */
    int order;
};

struct heat_solver_component {
    struct sidl_object object;
    const struct heat_solver_kind *kind;
    gov_cca_Services services;
    struct heat_solver *solver;
    struct heat_port_preconditioner preconditioner;
    int order; /* of the last matrix set up; 0 = none */
    bool blas_told;
};

extern const struct sidl_implements heat_solver_implements[3];
void heat_solver_component_destroy(void *self);
gov_cca_Component heat_solver_component_create(const struct heat_solver_kind *kind,
                                               sidl_BaseInterface *_ex);

#define HEAT_SOLVER_CLASS(NAME)                                                                    \
    {                                                                                              \
        .name = (NAME), .version = "1.0", .size = sizeof(struct heat_solver_component),            \
        .implements = heat_solver_implements, .n_implements = 3,                                   \
        .destroy = heat_solver_component_destroy,                                                  \
    }

/* -- preconditioners ---------------------------------------------------------------------- */

struct heat_preconditioner_kind {
    struct sidl_class cls;
    enum portolan_status (*create)(gov_cca_TypeMap properties,
                                   struct heat_preconditioner **preconditioner,
                                   struct portolan_error *err);
};

struct heat_preconditioner_component {
    struct sidl_object object;
    const struct heat_preconditioner_kind *kind;
    struct heat_preconditioner *preconditioner;
    int order;
};

extern const struct sidl_implements heat_preconditioner_implements[2];
void heat_preconditioner_component_destroy(void *self);
gov_cca_Component heat_preconditioner_component_create(const struct heat_preconditioner_kind *kind,
                                                       sidl_BaseInterface *_ex);

#define HEAT_PRECONDITIONER_CLASS(NAME)                                                            \
    {                                                                                              \
        .name = (NAME), .version = "1.0", .size = sizeof(struct heat_preconditioner_component),    \
        .implements = heat_preconditioner_implements, .n_implements = 2,                           \
        .destroy = heat_preconditioner_component_destroy,                                          \
    }

/* -- BLAS --------------------------------------------------------------------------------- */

/**
 * One thread per rank in the OpenBLAS and OpenMP that serve the calling plug-in, where they do: the
 * ranks have all the cores already.
 */
void heat_use_one_thread(void);

/**
 * The file of the library whose dgemm the calling plug-in gets, links resolved; NULL when it gets
 * none. The caller frees it.
 */
char *heat_blas_library(void);

#endif
