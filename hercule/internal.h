/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Knowledge in memory: what files say of a paradigm, after inheritance and composition.
 *
 * hercule/ reads files (read.c), composes (compose.c, weave.c), finds what names mean (resolve.c),
 * evaluates metrics (evaluate.c) and infers (infer.c); recognise/ makes of a trace the quantities
 * that formulas name. Everything here lives in the arena of a struct knowledge. Indices are
 * positions in the arrays of the same struct paradigm; SIZE_MAX is none. Strings are never NULL.
 */
#ifndef HERCULE_INTERNAL_H
#define HERCULE_INTERNAL_H

#include <portolan/base.h>
#include <portolan/formula.h>

#define HERCULE_NONE SIZE_MAX

/* Position in a file. */
struct place {
    const char *file;
    int line, column;
};
#define REPORT_AT(d, place, ...)                                                                   \
    portolan_diagnose(d, (place).file, (place).line, (place).column, __VA_ARGS__)

/* A formula as written, and the meanings of its names. */
struct expression {
    const char *text; /* "": there is none */
    struct place place;
    struct portolan_formula *formula; /* NULL: there is none */
    struct reference *references;     /* one for each name of the formula, in its order */
    size_t n_references;
};

/* Quantities that a formula may name of a component or of an event: of one instance if the formula
 * is an attribute's, else of all, followed by an aggregate. Times are ns. */
#define HERCULE_QUANTITIES(X)                                                                      \
    X(TIME, time)             /* from the begin to the end */                                      \
    X(WAIT, wait)             /* waiting in MPI, as <portolan/waits.h> defines it */               \
    X(MPI, mpi)               /* time in MPI */                                                    \
    X(COLLECTIVE, collective) /* time in collective operations */                                  \
    X(BYTES, bytes)                                                                                \
    X(MESSAGES, messages)                                                                          \
    X(COUNT, count) /* number of calls, or of instances */                                         \
    X(BEGIN, begin) /* since the run's begin */                                                    \
    X(END, end)                                                                                    \
    X(ORDINAL, ordinal) /* index on its rank, from 0 */                                            \
    X(RANK, rank)                                                                                  \
    X(DELAY, delay)         /* waiting of others that it caused, direct and indirect */            \
    X(DELEGATED, delegated) /* waiting caused in a component of another woven paradigm */          \
    X(REMOTE, remote)       /* share of its messages' partners that are on other ranks */          \
    X(PARTNERS, partners)   /* different ranks that an instance has messages with */               \
    X(SENDS, sends) /* messages that it sent, and the sum of the ranks that they went to … */    \
    X(TO, to)                                                                                      \
    X(RECEIVES, receives) /* … or that it received, and came from */                             \
    X(FROM, from)

enum quantity {
#define HERCULE_QUANTITY(name, word) QUANTITY_##name,
    HERCULE_QUANTITIES(HERCULE_QUANTITY)
#undef HERCULE_QUANTITY
        QUANTITY_VALUE, /* of an attribute: its own value; of a component: one that is reported */
    N_QUANTITIES
};

/* Aggregates: how the values of all instances on all ranks become one number. The k-th instances of
 * all ranks have the same ordinal. */
#define HERCULE_AGGREGATES(X)                                                                      \
    X(SUM, sum)                                                                                    \
    X(MEAN, mean)                                                                                  \
    X(MAX, max)                                                                                    \
    X(MIN, min)                                                                                    \
    X(N, n) /* number of values */                                                                 \
    X(DEVIATION, deviation)                                                                        \
    X(EXCESS, excess) /* sum over ordinals and ranks of (max - own) */                             \
    X(STATIC, static) /* sum over ranks of (max - own), where each rank's sum is one value */      \
    X(IMBALANCE, imbalance) /* max / mean - 1 of the ranks' sums */                                \
    X(LEAD, lead)           /* share of ordinals in which the rank leads that leads most often */  \
    X(FIRST, first)         /* sum over ranks of each rank's first value */                        \
    X(LAST, last)           /* sum over ranks of each rank's last value */

enum aggregate {
#define HERCULE_AGGREGATE(name, word) AGGREGATE_##name,
    HERCULE_AGGREGATES(HERCULE_AGGREGATE)
#undef HERCULE_AGGREGATE
        N_AGGREGATES
};

/* Names without a dot that every formula knows. */
#define HERCULE_GLOBALS(X)                                                                         \
    X(P, P)                         /* number of ranks */                                          \
    X(T, T)                         /* run time */                                                 \
    X(RUN, run)                     /* P * T */                                                    \
    X(MPI_TIME, mpi)                /* time in MPI, of all ranks */                                \
    X(MPI_WAIT, wait)               /* waiting in MPI, of all ranks */                             \
    X(MPI_COLLECTIVE, collective)   /* time in collective operations, of all ranks */              \
    X(OUTSIDE, outside)             /* time in no component, beyond STARTING */                    \
    X(OUTSIDE_DELAY, outside_delay) /* waiting of others meanwhile */                              \
    X(OUTSIDE_WAIT, outside_wait)   /* waiting in MPI in no component */                           \
    X(STARTING, starting)           /* P * least time in MPI_Init and MPI_Finalize; foreign */     \
    X(ENDING, ending)               /* P * least time of a rank in MPI_Finalize */                 \
    X(LATENCY, latency)             /* time of a message without bytes, from the lower envelope */ \
    X(PER_BYTE, per_byte)

enum global {
#define HERCULE_GLOBAL(name, word) GLOBAL_##name,
    HERCULE_GLOBALS(HERCULE_GLOBAL)
#undef HERCULE_GLOBAL
        N_GLOBALS
};

enum reference_kind {
    REFERENCE_GLOBAL,
    REFERENCE_METRIC,
    REFERENCE_COMPONENT, /* component.quantity[.aggregate] */
    REFERENCE_EVENT,     /* event.quantity[.aggregate] */
    REFERENCE_ATTRIBUTE, /* event.attribute[.aggregate], or an attribute of the same event */
    REFERENCE_RELATED    /* as.quantity or as.attribute, in attributes only */
};

struct reference {
    enum reference_kind kind;
    size_t index; /* index of the metric, component, event or relation; or the enum global */
    /* for ATTRIBUTE, and for RELATED if that names one; for QUANTITY_VALUE of a COMPONENT, the
     * index in its `values`; else HERCULE_NONE */
    size_t attribute;
    enum quantity quantity;
    enum aggregate aggregate; /* N_AGGREGATES: none, in attributes */
};

/* The begin of all named things. */
struct item {
    const char *name;    /* unique in the paradigm: the file's name, after the context and a dot */
    const char *local;   /* the file's name, which follows the context */
    const char *text;    /* for people: the local name with blanks, unless the file has a text */
    const char *context; /* "", or the component in which it is nested, or a guest's prefix */
    const char *origin;  /* the paradigm whose file contains it */
    struct place place;
};

enum component_kind { COMPONENT_COMMUNICATION, COMPONENT_COMPUTATION };
struct component {
    struct item item;
    enum component_kind kind;
    const char *within_name; /* name of a component, or "" */
    size_t within;           /* the component that it is a part of, by the file or by nesting */
    /* The binding for programs that declare no parts. */
    const char **mpi; /* routines ("MPI_Send") or classes of them (send recv wait collective …) */
    size_t n_mpi;
    int64_t tag; /* -1: any tag */
    const char *to, *phase;
    const char **values; /* names of values that the program reports in its regions */
    size_t n_values;
};

/* A constraint: the attribute of the event that must not be 0; or, if SAME, an event within, a
 * change of which ends the instance. */
struct constraint {
    size_t attribute;
    bool is_same;
};

struct event {
    struct item item;
    const char *expression, *constraints;             /* CONSTRAINTS: NAME, or same(NAME), with
                                                       * commas */
    struct place expression_place, constraints_place; /* places of their first characters */
    struct event_expression *parsed;                  /* of recognise/event_expression.h */
    struct automaton *automaton;                      /* NULL: it occurs within others only */
    struct constraint *keeps;
    size_t n_keeps;
};

struct attribute {
    struct item item; /* named EVENT.NAME */
    const char *event_name;
    size_t event;
    struct expression formula;
};

/* A relation. BY has two names: a component of EVENT and one of TO, between which a message went.
 * Or it is one word: `ordinal`, the instances of the same ordinal on all ranks (including the own
 * one; use an aggregate); `before` or `after`, the neighbour in time on the same rank. */
struct related {
    struct item item; /* named EVENT.AS */
    const char *event_name, *to_name;
    size_t event, to;
    const char **by; /* the component that sends, and the component that receives */
    size_t n_by;
    size_t sender, receiver; /* components of EVENT and of TO; HERCULE_NONE if BY is one word */
};

struct composed {
    struct item item; /* named WHOLE, or WHOLE/VIEW */
    const char *event_name, *metric_name;
    size_t event, metric; /* both HERCULE_NONE: the run */
    const char *view, *rest;
    const char **of;
    size_t n_of;
    size_t *parts; /* attributes or metrics */
};

enum unit { UNIT_TIME, UNIT_RATIO, UNIT_COUNT, UNIT_BYTES };
enum experiment { EXPERIMENT_PROFILE, EXPERIMENT_OPERATIONS, EXPERIMENT_TRACE, N_EXPERIMENTS };
extern const char *const experiment_words[];
struct metric {
    struct item item;
    struct expression formula; /* unit time: ns, summed over ranks */
    const char *base_name;
    size_t base; /* HERCULE_NONE: run */
    enum unit unit;
    enum experiment experiment; /* the first experiment that measures it */
};

enum node_kind { NODE_SYMPTOM, NODE_OBSERVATION, NODE_CAUSE };
extern const char *const node_words[];
struct node {
    struct item item;
    enum node_kind kind;
    const char **under; /* names of nodes; if there are none, it is a root */
    size_t n_under;
    size_t *parents;
    const char *metric_name, *factor_name, *threshold_name;
    size_t metric, factor;
    struct expression condition;
    struct expression most; /* an upper bound of its metric; may be empty */
};

struct factor {
    struct item item;
    int removal; /* 0: none, else 1 + enum portolan_removal_kind of <portolan/replay.h> */
    const char **of;
    size_t n_of;
    size_t *components;
    struct expression by;
    const char **evidence, *remedy; /* {NAME} stands for the value of a metric */
    size_t n_evidence;
    struct place remedy_place;
};

struct threshold {
    struct item item;
    double value;
};

/* A construct for CLIPS. item.name is the rule's own name, NAME the one in SOURCE. */
struct rule {
    struct item item;
    const char *name, *source;
};

struct nest {
    struct item item; /* named after the component */
    const char *paradigm_name;
};
struct weave {
    struct item item; /* named by the guest's prefix */
    const char *paradigm_name, *expression;
    struct place expression_place;
};

/* Links nodes of a woven tree: a delay or wait that shows in another paradigm than its cause. */
struct link {
    size_t from, to; /* nodes: deputy and delegator, or a part and the composite */
    bool is_composite;
};

struct paradigm {
    struct item item; /* name as the user writes it */
    const char **is_a;
    size_t n_is_a;
    bool is_incomplete; /* a paradigm of which it is made is missing: other problems follow */
#define HERCULE_PARTS(X)                                                                           \
    X(component, components)                                                                       \
    X(event, events)                                                                               \
    X(attribute, attributes)                                                                       \
    X(related, related)                                                                            \
    X(composed, composed)                                                                          \
    X(metric, metrics)                                                                             \
    X(node, nodes)                                                                                 \
    X(factor, factors)                                                                             \
    X(threshold, thresholds)                                                                       \
    X(rule, rules)                                                                                 \
    X(nest, nests)                                                                                 \
    X(weave, weaves)
#define HERCULE_PART(type, list)                                                                   \
    struct type *list;                                                                             \
    size_t n_##list;
    HERCULE_PARTS(HERCULE_PART)
#undef HERCULE_PART
    struct link *links;
    size_t n_links;
    int rule_seconds, rule_mib; /* limits of the process that runs its rules; 0: the default */
};

/* All paradigms that were read, after inheritance, composition and checks. */
struct knowledge {
    struct portolan_arena arena;
    struct paradigm **paradigms; /* sorted by name */
    struct paradigm **raw;       /* the same as in their files, before inheritance */
    size_t n_paradigms;
    struct portolan_formula **formulas; /* destroyed with it */
    size_t n_formulas;
};

/* Returns the paradigm; NULL: there is none. */
struct paradigm *knowledge_find(const struct knowledge *knowledge, const char *name);

/* Binds a component to a program, by a row of <part>. The first row that fits an event holds.
 * Without rows the components' own bindings hold. */
struct binding {
    size_t component;
    const struct portolan_part *part; /* borrowed; see <portolan/hercule.h> */
};

/* A value that was measured. */
struct measured {
    double value;    /* NaN: it is not known */
    double spread;   /* half of its interval of 95 %, over repetitions; 0 for one */
    size_t samples;  /* number of instances, calls or rows from which it was computed */
    bool is_trusted; /* if false, WHY says the reason */
    const char *why; /* borrowed; NULL if it is trusted */
};

#endif
