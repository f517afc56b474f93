/* SPDX-License-Identifier: BSD-3-Clause */
/* What the verbs of `portolan model` share. */
#ifndef PORTOLAN_CLI_MODEL_H
#define PORTOLAN_CLI_MODEL_H

#include "trial_store.h"

#include <portolan/trend.h>

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

/* Where the rows are from, how they are fitted and what is shown; the input of every argp here. */
struct model_options {
    const struct argp_child *children; /* of the verb */
    struct trial_store_options store;
    const char *trials;  /* or NULL */
    const char *sets[2]; /* of `compare`: the arguments behind the first */
    size_t n_sets, most_sets;
    bool file_only;
    const char *value; /* --value, of a table */
    struct portolan_trend_query query;
    struct portolan_trend_fit fit;
    const char *formula; /* --formula, as written */
    struct portolan_trend_list list;
    struct portolan_name_value *at; /* of the list, the caller's to free */
    struct portolan_trend_plot plot;
    const char *output; /* of a plot */
    enum model_form form;
};

/* Argp child: rows, fit and arguments. */
extern const struct argp model_argp;

/* Opens the source, reads and fits. What is wrong in a file is printed by its line. */
enum portolan_status model_source_open(const struct model_options *o,
                                       struct portolan_trends **trends, struct portolan_error *err);
/* Prints OUT, or ERR unless lines of a file were complained about; clears OUT. Returns the exit
 * status. */
int model_source_finish(struct portolan_text *out, struct portolan_error *err);

/* The position of ARG among N words, which OPTION takes. */
size_t model_read_word(struct argp_state *state, const char *option, const char *arg,
                       const char *const *words, size_t n);

#endif
