/* SPDX-License-Identifier: BSD-3-Clause */
/** The component portolan.Diagnosis: shared by its files. */
#ifndef PORTOLAN_DIAGNOSIS_COMPONENT_H
#define PORTOLAN_DIAGNOSIS_COMPONENT_H

#include <portolan/framework.h>
#include <portolan/hercule_assembly.h>
#include <portolan/machine.h>
#include <portolan/mastermind.h>

/* Steps that are recorded. */
struct diagnosis_window {
    bool is_open;
    int first, end; /* END: the step after the last */
    struct portolan_machine_reading machine;
    uint64_t lost; /* events that the recorder had lost before */
    char *before;  /* commands that make ports measure again what they measured before */
};

/* What is known of the paradigm; of the knowledge only rank 0 has something. */
struct diagnosis_knowledge {
    struct portolan_knowledge *base;
    struct portolan_arena arena;
    struct portolan_part *parts;
    size_t n_parts;
};

struct diagnosis_component {
    struct sidl_object object; /* first */
    gov_cca_Services services;

    /* parameters */
    int steps, first_step, repeat;
    char *knowledge_folder, *trace;

    /* uses ports, held from the first swap point on */
    struct portolan_cohort *cohort;
    const struct portolan_assembly *assembly;
    struct portolan_records *records;
    portolan_ports_Control control;

    /* alike on all ranks */
    bool is_ready;
    struct portolan_error obstacle; /* why nothing is diagnosed in this run; status 0: nothing */
    int step;                       /* of the last swap point; -1: there was none */
    struct diagnosis_window window;
    char *folder; /* of what is recorded; NULL: none was yet */
    struct diagnosis_knowledge knowledge;

    /* the last diagnosis; its number goes on though that one may not be known any more */
    struct portolan_stored_diagnosis last;
    size_t n_findings;
    struct portolan_stored_finding *findings;
    char *bytes; /* that hold its texts; NULL: there is none */
};

/*
 * window.c, collective. Opens a window of N steps from the present one on; on failure nothing is
 * recorded on any rank.
 */
enum portolan_status diagnosis_open_window(struct diagnosis_component *d, int n,
                                           struct portolan_error *err);
/* The same for its end: what was recorded can be read. *MACHINE: on rank 0 what happened to the
 * ranks' hosts meanwhile, malloc'ed. */
enum portolan_status diagnosis_close_window(struct diagnosis_component *d,
                                            struct portolan_machine_reading **machine,
                                            struct portolan_error *err);
/* Not collective: ends recording, if there is any. */
void diagnosis_drop_window(struct diagnosis_component *d);

/* conclude.c. Collective: reads the knowledge, and finds what the assembly lacks. */
enum portolan_status diagnosis_prepare(struct diagnosis_component *d, struct portolan_error *err);
/*
 * Collective: diagnoses what was recorded, on rank 0, stores it and tells all ranks. STATUS and ERR
 * say whether it was recorded; if it was not, the verdict is "cannot tell".
 */
void diagnosis_conclude(struct diagnosis_component *d, enum portolan_status status,
                        const struct portolan_machine_reading *machine, struct portolan_error *err);
void diagnosis_forget(struct diagnosis_component *d);

#endif
