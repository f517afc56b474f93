/* SPDX-License-Identifier: BSD-3-Clause */
/** The component portolan.Diagnosis: shared by its files. */
#ifndef PORTOLAN_DIAGNOSIS_COMPONENT_H
#define PORTOLAN_DIAGNOSIS_COMPONENT_H

#include <portolan/framework.h>
#include <portolan/hercule_assembly.h>
#include <portolan/machine.h>
#include <portolan/mastermind.h>

/* A window of steps that are recorded. */
struct diagnosis_window {
    bool is_open;
    int first, end; /* END: the step after the last one */
    struct portolan_machine_reading machine;
    uint64_t lost; /* events that the recorder had lost before */
    char *before;  /* commands that restore what the ports measured before */
};

/* The paradigm and its parts; only rank 0 has the knowledge. */
struct diagnosis_knowledge {
    struct portolan_knowledge *base;
    struct portolan_arena arena;
    struct portolan_part *parts;
    size_t n_parts;
};

struct diagnosis_component {
    struct sidl_object object; /* must be the first member */
    gov_cca_Services services;

    /* parameters */
    int steps, first_step, repeat;
    char *knowledge_folder, *trace;

    /* uses ports, which are held from the first swap point on */
    struct portolan_cohort *cohort;
    const struct portolan_assembly *assembly;
    struct portolan_records *records;
    portolan_ports_Control control;

    /* the same on all ranks */
    bool is_ready;
    struct portolan_error obstacle; /* why there will be no diagnosis; status 0: no obstacle */
    int step;                       /* number of the last swap point; -1: there was none */
    struct diagnosis_window window;
    char *folder; /* folder of what is recorded; NULL: nothing was yet */
    struct diagnosis_knowledge knowledge;

    /* the last diagnosis; numbers go on, also after it was dropped */
    struct portolan_stored_diagnosis last;
    size_t n_findings;
    struct portolan_stored_finding *findings;
    char *bytes; /* hold its texts; NULL: there is no diagnosis */
};

/*
 * window.c, collective: opens a window of N steps from the present one on; on failure nothing is
 * recorded on any rank.
 */
enum portolan_status diagnosis_open_window(struct diagnosis_component *d, int n,
                                           struct portolan_error *err);
/* Closes the window, so that what was recorded can be read; collective. *MACHINE: on rank 0 what
 * happened to the ranks' hosts meanwhile, malloc'ed. */
enum portolan_status diagnosis_close_window(struct diagnosis_component *d,
                                            struct portolan_machine_reading **machine,
                                            struct portolan_error *err);
/* Ends recording, if it is on; not collective. */
void diagnosis_drop_window(struct diagnosis_component *d);

/* conclude.c, collective: reads the knowledge, and finds what the assembly lacks. */
enum portolan_status diagnosis_prepare(struct diagnosis_component *d, struct portolan_error *err);
/*
 * Diagnoses on rank 0 what was recorded, stores the diagnosis and sends it to all ranks;
 * collective. STATUS and ERR say whether it was recorded; if it was not, the verdict is "cannot
 * tell".
 */
void diagnosis_conclude(struct diagnosis_component *d, enum portolan_status status,
                        const struct portolan_machine_reading *machine, struct portolan_error *err);
void diagnosis_forget(struct diagnosis_component *d);

#endif
