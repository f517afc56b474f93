/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * clue_machine: machine files, portolan-machine(5): the hosts of a virtual cluster, the cost of its
 * messages, and other users' load.
 *
 * All strings and arrays belong to the file and live as long as it does. One thread at a time for
 * each file. Nothing here prints or exits.
 */
#ifndef PORTOLAN_CLUE_MACHINE_H
#define PORTOLAN_CLUE_MACHINE_H

#include <portolan/base.h>
#include <portolan/clue_engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A <host>: COUNT equal hosts, numbered from FIRST. */
struct clue_host_type {
    struct clue_host host; /**< the data of each of them; host.name is the type's name */
    int first, count;      /**< count 0: one host with the name of the type */
    int line;
};

/** A <send> or <transmission>: the law between two sets of hosts. */
struct clue_pair_rule {
    bool is_send;
    const char *from, *to; /**< as written: a type, hosts, "*"; TO may be "self" */
    struct clue_law law;
};

/** Names of enum clue_parameter in files, and of enum clue_network_model; they end with NULL. */
extern const char *const clue_parameter_names[], *const clue_network_model_names[];

/** A fact of <provenance>: where the numbers come from. */
struct clue_fact {
    const char *name, *value;
};

/** A machine file. The first member is for clue_engine_new(), the others are further contents.
 */
struct clue_machine_file {
    struct clue_machine machine;
    size_t n_types;
    struct clue_host_type *types;
    size_t n_rules;
    struct clue_pair_rule *rules;
    const char *placement; /**< by-node, by-slot, or a list of hosts */
    size_t n_facts;
    struct clue_fact *facts;
    /** Covariance of the relative errors of parameters; 0: exact, as stated. */
    double covariance[CLUE_PARAMETERS][CLUE_PARAMETERS];
    const char *ignored; /**< a warning: the first law of an older file; NULL: there is none */
    void *impl;
};

/**
 * Reads and checks a file. All problems are reported to D (may be NULL), the first also becomes
 * ERR's text. Free *FILE, NULL on failure, with clue_machine_destroy(). ESYNTAX, EIO, ENOMEM.
 */
enum portolan_status clue_machine_read(const char *path, struct portolan_diagnostics *d,
                                       struct clue_machine_file **file, struct portolan_error *err);
/** Does the same for SIZE bytes of TEXT. Messages contain PATH; files that it names are in PATH's
 * folder. */
enum portolan_status clue_machine_read_text(const char *text, size_t size, const char *path,
                                            struct portolan_diagnostics *d,
                                            struct clue_machine_file **file,
                                            struct portolan_error *err);
/** Frees a file; NULL is legal. */
void clue_machine_destroy(struct clue_machine_file *file);

/**
 * Puts ranks 0 ... N - 1 on hosts: *HOSTS, N numbers for free(). PLACEMENT (NULL: the file's) is
 * "by-node", a rank on each host in turn while it has processors left; "by-slot" (or "by-cpu"),
 * each host's processors first; or a list of hosts with blanks between, by rank. IS_SHARING: hosts
 * may get more ranks than they have processors, in further rounds. EINVAL, with the remedy: too
 * many ranks, an unknown host, or ranks that share a host without delays of a host with itself.
 * ENOMEM.
 */
enum portolan_status clue_machine_place(const struct clue_machine_file *file, int n,
                                        const char *placement, bool is_sharing, int **hosts,
                                        struct portolan_error *err);

/**
 * Multiplies the parameters that are known with errors by draw number DRAW of the log-normal
 * distribution that the file's covariance describes. At most once after a file was read.
 */
void clue_machine_vary(struct clue_machine_file *file, uint64_t draw);

/**
 * Writes the measurable part of a machine as a file, *TEXT, for free(): its name, types, rules,
 * network (model, eager limit, bandwidth and latency if all links are equal, factors), collectives
 * in shared memory, facts, and covariance. ENOMEM.
 */
enum portolan_status clue_machine_write(const struct clue_machine_file *file, char **text,
                                        struct portolan_error *err);

/** Draws a picture in the language of Graphviz, *DOT, for free(). ENOMEM. */
enum portolan_status clue_machine_draw(const struct clue_machine_file *file, char **dot,
                                       struct portolan_error *err);

/** Numbers with units; values are ns, bytes, bytes per ns, ns per byte. */
enum clue_quantity {
    CLUE_NO_QUANTITY = -1,
    CLUE_A_TIME,          /**< "60us"; a bare number is in units of 100 us */
    CLUE_A_SIZE,          /**< "64KB"; a bare number is in bytes */
    CLUE_A_BANDWIDTH,     /**< "125MB/s" */
    CLUE_A_TIME_PER_SIZE, /**< "2ns/B"; a bare number is in units of 100 us per KB */
    CLUE_A_NUMBER
};
/** Reads a quantity; returns false if TEXT is not a QUANTITY, or is negative. */
bool clue_read_quantity(const char *text, enum clue_quantity quantity, double *value);

/** Formats a size as in files, such as "1.5 GB", with three digits and a unit that fits. */
const char *clue_format_size(double bytes, char *text, size_t room);

struct xml_element;
/** Reads an attribute of E. False, with *VALUE as it was: it is missing, or wrong (reported to
 * D). */
bool clue_take_quantity(struct portolan_diagnostics *d, const struct xml_element *e,
                        const char *attribute, enum clue_quantity quantity, double *value);
/** Does the same for TEXT, a part of the attribute. */
bool clue_take_text(struct portolan_diagnostics *d, const struct xml_element *e,
                    const char *attribute, const char *text, enum clue_quantity quantity,
                    double *value);
/** Reads a whole number from LEAST to MOST likewise. */
void clue_take_count(struct portolan_diagnostics *d, const struct xml_element *e,
                     const char *attribute, int64_t least, int64_t most, int64_t *value);

#ifdef __cplusplus
}
#endif
#endif
