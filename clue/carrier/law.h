/* SPDX-License-Identifier: BSD-3-Clause */
/* Laws of computing, --compute=model: of bursts, by the call that ends them, and of functions. */
#ifndef PORTOLAN_CLUE_LAW_H
#define PORTOLAN_CLUE_LAW_H

#include "internal.h"

#include <portolan/command_line.h>
#include <portolan/models.h>
#include <portolan/store.h>

enum { MOST_LAWS = 64, MOST_LAW_FACTS = 2 * MOST_LAWS + 1, LAW_ARGUMENTS = 6, ARGUMENT_KINDS = 3 };

/* The source of a law's parameter: a number, or an argument in the N-th integer register. */
struct law_input {
    enum law_input_kind {
        LAW_INT,  /* a1 … a6: the register's lower half, an int */
        LAW_LONG, /* l1 … l6: the whole register, a long */
        LAW_AT,   /* p1 … p6: the int at this address, as Fortran passes it */
        LAW_NUMBER,
        LAW_RANK,
        LAW_RANKS
    } kind;
    int argument;
    double number;
};

struct burst_law {
    char *fact;         /* name of the trial's fact: "law NAME" */
    const char *name;   /* points into it: "file.c:12", "function", "*" */
    const char *source; /* a file, or a formula in seconds */
    struct clue_routine routine;
    struct portolan_model *model; /* read from a file; or */
    struct portolan_formula *formula;
    double unit_ns;
    struct law_input inputs[PORTOLAN_FORMULA_MAX_NAMES];
    size_t n_inputs;
    const char *argument; /* the parameter that is a call's argument; or NULL */
    bool is_front;        /* is a law of a function that the program calls, not of bursts */
    uint64_t n;           /* how often it was used */
};

struct clue_laws {
    struct burst_law laws[MOST_LAWS];
    size_t n;
    struct law_value {
        char *fact;       /* name of the trial's fact: "set NAME" */
        const char *name; /* points into it */
        const char *text;
        double value;
    } values[MOST_LAWS];
    size_t n_values;
    bool skips; /* functions with a law are not run */
};

/* law_read.c: options, which fill a struct clue_laws, and the files that they name. */
extern const struct cli_option law_options[];
/* Reads the laws' files. Problems go to D, each with its place. ESYNTAX, ENOTFOUND, ENOMEM. */
enum portolan_status clue_laws_read(struct clue_laws *laws, struct portolan_diagnostics *d,
                                    struct portolan_error *err);
/* Fills in the facts of the trial, at most MOST_LAW_FACTS, and returns how many. */
size_t clue_laws_facts(const struct clue_laws *laws, struct portolan_name_value *facts);
void clue_laws_clear(struct clue_laws *laws);

#endif
