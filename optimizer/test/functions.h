/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The paper's components, linked into the test: driver (class test.Driver), a (test.A1 2x, test.A2
 * x^2), b (test.B1 x^3, test.B2 2x^2, test.B3, the quickest, which may fail). Seconds of the manual
 * clock.
 */
#ifndef PORTOLAN_TEST_FUNCTIONS_H
#define PORTOLAN_TEST_FUNCTIONS_H

#include <portolan/framework.h>
#include <portolan/optimizer.h>

enum { MOST_STEPS = 256 };

/* What the driver is to do, and what was seen of it. */
extern struct script {
    const double *course;   /* x of each step; NULL: the parameter x in all */
    bool announces;         /* x, before each step */
    bool b3_fails_to_start; /* setServices throws */
    bool b3_fails;          /* evaluate throws */
    bool ignores_failures;  /* the driver goes on as if B had worked */
    int b1_slow_from;       /* B1 takes three times as long from this step on; 0: never … */
    int b1_slow_until;      /* … until before this one; 0: for good */
    int diverges_at;        /* before this step the driver makes b a DIVERGED by itself; 0: never */
    const char *diverged;

    char ran[MOST_STEPS][3]; /* "A1B2": numbers of the classes in each step, as "12" */
    int steps;
    int repeated; /* steps begun again after failed() said so */
    struct portolan_error error;
} script;

enum portolan_status functions_register(struct portolan_palette *palette,
                                        struct portolan_error *err);

/*
 * The paper's assembly, written to FOLDER, with alternatives MORE_B of b and parameters OPTIMIZER.
 * These functions fail the test on errors; the caller destroys what they return.
 */
struct portolan_assembly *functions_assembly(const struct portolan_palette *palette,
                                             const char *folder, const char *store,
                                             const char *more_b, const char *optimizer);

/* One execution of A; the status of go, whose error is in the script. COHORT may be NULL. */
enum portolan_status functions_execute(const struct portolan_palette *palette,
                                       struct portolan_cohort *cohort,
                                       const struct portolan_assembly *a);

struct portolan_sample_set *functions_read(const char *store);

void functions_copy(const char *from, const char *to);

/* As `portolan measure` does, on all ranks of COHORT (NULL: one); returns the number of trials. */
size_t functions_explore(const struct portolan_palette *palette, struct portolan_cohort *cohort,
                         const char *folder, const char *store, const char *more_b);

#endif
