/* SPDX-License-Identifier: BSD-3-Clause */
/* Laws of computing, --compute=model: of bursts by the call that ends them, and of functions. */
#ifndef PORTOLAN_CLUE_LAW_H
#define PORTOLAN_CLUE_LAW_H

#include "internal.h"

#include <portolan/command_line.h>
#include <portolan/models.h>
#include <portolan/store.h>

enum { MOST_LAWS = 64, MOST_LAW_FACTS = 2 * MOST_LAWS + 1, LAW_ARGUMENTS = 6, ARGUMENT_KINDS = 3 };

/* What a parameter of a law is: a number, or a call's argument, the N-th integer register. */
struct law_input {
    enum law_input_kind {
        LAW_INT,  /* a1 … a6: its lower half, an int */
        LAW_LONG, /* l1 … l6: all of it, a long */
        LAW_AT,   /* p1 … p6: the int at this address, as of Fortran */
        LAW_NUMBER,
        LAW_RANK,
        LAW_RANKS
    } kind;
    int argument;
    double number;
};

struct burst_law {
    char *fact;         /* of the trial: "law NAME" */
    const char *name;   /* in it: "file.c:12", "function", "*" */
    const char *source; /* file, or formula in seconds */
    struct clue_routine routine;
    struct portolan_model *model; /* or */
    struct portolan_formula *formula;
    double unit_ns;
    struct law_input inputs[PORTOLAN_FORMULA_MAX_NAMES];
    size_t n_inputs;
    const char *argument; /* a parameter that is a call's argument; or NULL */
    bool is_front;        /* a function that the program calls: no law of bursts */
    uint64_t n;           /* used */
};

struct clue_laws {
    struct burst_law laws[MOST_LAWS];
    size_t n;
    struct law_value {
        char *fact;       /* of the trial: "set NAME" */
        const char *name; /* in it */
        const char *text;
        double value;
    } values[MOST_LAWS];
    size_t n_values;
    bool skips; /* functions are not called */
};

/* law_read.c: options, which fill a struct clue_laws, and their files. */
extern const struct cli_option law_options[];
/* Problems go to D, each with its place. ESYNTAX, ENOTFOUND, ENOMEM. */
enum portolan_status clue_laws_read(struct clue_laws *laws, struct portolan_diagnostics *d,
                                    struct portolan_error *err);
/* Facts of the trial: N of at most MOST_LAW_FACTS. */
size_t clue_laws_facts(const struct clue_laws *laws, struct portolan_name_value *facts);
void clue_laws_clear(struct clue_laws *laws);

#endif
