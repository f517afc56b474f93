/* SPDX-License-Identifier: BSD-3-Clause */
/* A port that is a C table: what the proxy generator's tests read, compile and call. */
#ifndef SOLVER_H
#define SOLVER_H

#include <stddef.h>

/* Only the generator sees the annotations; other compilers would warn. */
#ifdef PORTOLAN_PROXYGEN
#define SOLVER_NOTE(text) __attribute__((annotate(text)))
#else
#define SOLVER_NOTE(text)
#endif

struct solver;
enum solver_kind { SOLVER_DIRECT, SOLVER_ITERATIVE };
typedef int (*solver_progress)(void *data, int iteration);
/* A member through a typedef: its parameters' names are here and nowhere else. */
typedef int (*solver_solve)(struct solver *self, int n SOLVER_NOTE("portolan.context"),
                            const double *b, double *x);
struct solver_size {
    long rows, columns;
};

struct solver_ops {
    size_t size;
    unsigned flags; /* data among the functions */
    enum solver_kind (*kind)(const struct solver *self);
    int (*setup)(struct solver *self, int, double tolerance); /* contexts in the side file */
    solver_solve solve;
    double (*residual)(struct solver *) SOLVER_NOTE("portolan.accuracy");
    struct solver_size (*shape)(struct solver *self);
    int (*norms)(struct solver *self, int n, double rows[], double table[static 3],
                 const double matrix[n][n]);
    int (*watch)(struct solver *self, solver_progress progress, void *call)
        SOLVER_NOTE("portolan.status");
    solver_progress (*watcher)(struct solver *self);
    int (*(*raw_watcher)(struct solver *self, int to))(void *, int);
    double (*compare)(const struct solver *a, const struct solver *other);
    void (*log)(struct solver *self, const char *format, ...);
    int (*version)(void);
    int (*restart)(struct solver *self);
    void (*give_up)(struct solver *self, void *where) __attribute__((noreturn));
    void (*free)(struct solver *self);
};

struct solver {
    double tolerance; /* users set it */
    const struct solver_ops *ops;
    int iterations; /* implementations set it */
    void *content;
};

#define result some_macro_that_a_header_may_have
#endif
