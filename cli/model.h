/* SPDX-License-Identifier: BSD-3-Clause */
/* What the verbs of `portolan model` share. */
#ifndef PORTOLAN_CLI_MODEL_H
#define PORTOLAN_CLI_MODEL_H

#include "trial_store.h"

#include <portolan/trend.h>

/* Where the rows are from and how they are fitted; as an argp child, with the arguments. */
struct model_options {
    struct trial_store_options store;
    const char *trials;  /* or NULL */
    const char *sets[2]; /* of `compare`: the arguments behind the first */
    size_t n_sets, most_sets;
    bool file_only;
    const char *value; /* --value, of a table */
    struct portolan_trend_query query;
    struct portolan_trend_fit fit;
    const char *formula; /* --formula, as written */
    bool wide;
    size_t top;
};

extern const struct argp model_argp;

/* Output as `--emit` says it. */
enum model_form {
    MODEL_TEXT,
    MODEL_XML,
    MODEL_C,
    MODEL_LATEX,
    MODEL_EXTRAP, /* from here on the rows, not the models */
    MODEL_EXTRAP_JSON,
    MODEL_EXTRAP_TEXT
};

/* Argp child: --emit, into an enum model_form. */
extern const struct argp model_emit_argp;
enum portolan_status model_emit(const struct portolan_trends *trends, enum model_form form,
                                struct portolan_text *out, struct portolan_error *err);

/* The position of ARG among N words, which OPTION takes. */
size_t model_read_word(struct argp_state *state, const char *option, const char *arg,
                       const char *const *words, size_t n);

/* Opens the source, reads and fits. What is wrong in a file is printed by its line. */
enum portolan_status model_source_open(const struct model_options *o,
                                       struct portolan_trends **trends, struct portolan_error *err);
/* Prints ERR, unless lines of a file were complained about. Returns the exit status. */
int model_source_fail(const struct portolan_error *err);
/* Prints OUT, or ERR when it says so; clears OUT. Returns the exit status. */
int model_source_finish(struct portolan_text *out, const char *file, struct portolan_error *err);

int model_verb_list(int argc, char **argv);
int model_verb_show(int argc, char **argv);
int model_verb_plot(int argc, char **argv);
int model_verb_compare(int argc, char **argv);
int model_verb_fit(int argc, char **argv);

#endif
