/* SPDX-License-Identifier: BSD-3-Clause */
/** Conditions under which implementations apply, and the values of the names in them. */
#ifndef PORTOLAN_OPTIMIZER_CONDITIONS_H
#define PORTOLAN_OPTIMIZER_CONDITIONS_H

#include "survey.h"

/* The verdict on an implementation at a place: it may be used, or the reason why not. */
enum plan_verdict_kind {
    PLAN_ADMITTED,
    PLAN_FAILED,       /* a call failed there, or wherever it was tried */
    PLAN_STOPPED,      /* likewise, it was stopped at a limit of time */
    PLAN_INACCURATE,   /* likewise, it missed the accuracy */
    PLAN_UNPROVEN,     /* it worked elsewhere, which does not prove that it works there */
    PLAN_INAPPLICABLE, /* its own condition excludes the place */
};

struct plan_verdict {
    enum plan_verdict_kind kind;
    bool near_bad;    /* unproven: at the nearest place it did not work … */
    bool near_failed; /* … because calls failed */
    bool is_blind;    /* unproven: contexts are not known */
    double accuracy;  /* in the evidence for the verdict; NaN: none */
    long long trial;  /* trial of that evidence; 0: none */
    double stopped_s; /* stopped: it takes at least so long */
    double hope;      /* unproven: the chance that it works nonetheless */
    const char *why;  /* inapplicable: its condition */
};

/* Contexts that are known beforehand, or announced. */
struct plan_known {
    size_t n;
    const char *const *names;
    const double *values;
};

/* The value of a known context; NaN if it is not among them. */
double plan_known_value(const struct plan_known *known, const char *name);

/* The place at which a condition or formula is evaluated. Names in it stand for contexts of a call,
 * announced and known contexts, "accuracy", "ranks", and parameters. */
struct plan_place {
    const struct portolan_plan *p;
    const struct survey_node *node;
    const double *context;                        /* contexts of the node's call; NULL: not known */
    const struct plan_known *announced;           /* or NULL */
    const struct portolan_assembly_instance *own; /* has ALTERNATIVE; NULL: all as selected */
    size_t alternative;
};
/* A portolan_condition_lookup_fn for a PLACE. */
bool plan_look_up(void *place, const char *name, struct portolan_condition_value *value);
/* The same for an alternative with CONDITION (or NULL), and contexts and parameters from LOOKUP:
 * NULL if it applies, or the condition that fails. */
const char *plan_ask(const struct portolan_assembly_instance *x, size_t alternative,
                     const struct portolan_condition *condition,
                     portolan_condition_lookup_fn lookup, void *arg);

enum portolan_status plan_read_conditions(struct portolan_plan *p, struct portolan_error *err);
void plan_clear_conditions(struct portolan_plan *p);

/* Evaluates the condition of the called implementation, which excludes nothing if a value is not
 * known. */
struct plan_verdict plan_applies(const struct portolan_plan *p, size_t path, size_t tuple,
                                 const double *context);

#endif
