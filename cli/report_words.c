/* SPDX-License-Identifier: BSD-3-Clause */
/* The words and options of `report` and `watch`. */
#include "report_words.h"

#include "trial_words.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

/* The first word is the store or assembly, unless it can only be a set of trials. */
static error_t take_word(void *to, char *arg, const struct cli_option *option,
                         struct argp_state *state)
{
    struct report_request *r = to;
    struct assembly_options *o = &r->study.assembly;
    bool is_set = (strpbrk(arg, ":=") || isdigit((unsigned char)*arg)) && access(arg, F_OK) &&
                  !portolan_store_is_server(arg);

    (void)option;
    if (!o->file && !r->n_sets && (trial_store_is_one(arg) || !is_set))
        o->file = arg;
    else if (r->n_sets < 2)
        r->sets[r->n_sets++] = arg;
    else
        argp_error(state, "one store and two sets of trials at most, but '%s' was also given", arg);
    return 0;
}

static error_t check_words(void *to, char *arg, const struct cli_option *option,
                           struct argp_state *state)
{
    struct report_request *r = to;
    const char *file = r->study.assembly.file;

    (void)arg, (void)option;
    if (!file && r->n_sets)
        r->study.assembly.file = TRIAL_STORE_DEFAULT;
    if (r->study.machine && file && portolan_store_is_one(file))
        argp_error(state,
                   "--machine goes with an assembly: '%s' is a store, whose trials are of real "
                   "machines",
                   file);
    return 0;
}

const struct cli_option report_request_table[] = {
    {.key = CLI_WORD, .take = take_word},
    {.key = CLI_END, .take = check_words},
    {"trial", 0, "NAME", "for a store: use the trials of this name (default: that of the newest)",
     INTO(struct report_request, study.assembly.trial)},
    TABLE_OF(study_table, struct report_request, study),
    {0},
};
