/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a study, which is read, then evaluated, then reported. */
#ifndef CLUE_STUDY_INTERNAL_H
#define CLUE_STUDY_INTERNAL_H

#include <portolan/clue_study.h>
#include <portolan/command.h>
#include <portolan/formula.h>
#include <portolan/xml.h>

/* The names in formulas, in the order of formula_values(). */
enum { FORMULA_NAMES = 9 };
extern const char *const study_formula_names[FORMULA_NAMES];

struct network {
    const char *name, *machine; /* MACHINE: a machine file, or NULL */
    double price;               /* price for each node */
    double bandwidth, latency;  /* bytes/s, s; used by formulas */
    int line;
};

/* A way to share the processors: HIGH instances at once, each on LOW processors. */
struct variant {
    int high, low;
    struct clue_study_value *values; /* by workload; value NAN: there is none */
    bool *is_too_large;              /* by workload: it needs more memory than a node has */
};

struct configuration {
    const char *name;
    int nodes, cpus; /* NODES 0: as many as the budget buys */
    int line;
    double memory; /* memory of a node */
    size_t network;
    size_t n_variants;
    struct variant *variants;
};

struct result {
    size_t configuration;
    int high, low;
    struct clue_study_value value;
};

enum workload_kind { WORKLOAD_FORMULA, WORKLOAD_RESULTS, WORKLOAD_PROGRAM, WORKLOAD_RECORD };
struct workload {
    const char *name, *of; /* OF: workloads of the same case share their variant */
    enum workload_kind kind;
    double weight;
    bool is_time;   /* less is better */
    bool is_varied; /* its values differ by variant */
    double communication;
    int most_high;                             /* programs: instances that may run at once */
    struct portolan_formula *formula, *memory; /* MEMORY: bytes that it needs of a node, or NULL */
    size_t n_results;
    struct result *results;
    struct portolan_words words;
};

/* Factors of a supposition about other prices or speeds. */
struct supposition {
    double processors;                                               /* speed of processors */
    size_t network;                                                  /* network of the other
                                                                      * factors */
    double network_speed;                                            /* its speed */
    double node_price, memory_price, processor_price, network_price; /* of NETWORK, or of all */
};

struct clue_study {
    struct portolan_arena arena;
    const char *path, *name, *currency;
    double budget;
    double node_price, processor_price, memory_price; /* of a node, and of parts added to it */
    double node_memory, memory_step;                  /* what a node has; what memory_price buys */
    size_t n_networks, n_configurations, n_workloads;
    struct network *networks;
    struct configuration *configurations;
    struct workload *workloads;
};

/* The result under a supposition; arrays are by configuration, points also by workload. */
struct outcome {
    int *nodes;
    double *prices;          /* price of all nodes */
    double *points, *errors; /* ERRORS: half an interval */
    size_t *chosen;          /* the chosen variants */
    double *sums, *sum_errors;
    size_t *order; /* configurations, the best first */
};
extern const struct supposition as_it_is;

double study_node_price(const struct clue_study *s, const struct configuration *c,
                        const struct supposition *with);
int study_nodes(const struct clue_study *s, const struct configuration *c,
                const struct supposition *with);
/* Computes the outcome in the ARENA; it is incomplete if `failed` is set. */
struct outcome study_outcome(const struct clue_study *s, const struct supposition *with,
                             struct portolan_arena *arena);
void study_formula_values(const struct clue_study *s, const struct configuration *c, int nodes,
                          const struct variant *v, double *x);
/* Returns the variant of a configuration, which is added if it is missing; NULL: no memory. */
struct variant *study_variant(struct clue_study *s, struct configuration *c, int high, int low);

/* Writes the network's machine file with the nodes of C to FILE. */
enum portolan_status study_write_machine(const struct clue_study *s, const struct configuration *c,
                                         const char *file, struct portolan_error *err);
#endif
