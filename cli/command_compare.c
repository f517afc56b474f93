/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial_words.h"

#include <portolan/compare.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_REGRESSION = 3, TOP = 50 };

struct options {
    struct trial_store_options store;
    const char **sets;
    size_t n_sets, top;
    bool wide, json, strict;
    double threshold, share; /* in percent */
    struct portolan_comparison_query query;
};

static error_t check_set(void *to, char *arg, const struct cli_option *option,
                         struct argp_state *state)
{
    (void)option;
    if (((const struct options *)to)->n_sets == 2)
        argp_error(state, "compare takes two sets of trials, but '%s' was also given", arg);
    return 0;
}

static error_t check_sets(void *to, char *arg, const struct cli_option *option,
                          struct argp_state *state)
{
    (void)arg, (void)option;
    if (((const struct options *)to)->n_sets < 2)
        argp_error(state, "which trials? name two sets, for instance: 1-5 6-10");
    return 0;
}

static const struct cli_option options[] = {
    {"threshold", 't', "PERCENT", "the slowdown that counts as a regression (default: 5)",
     INTO(struct options, threshold), .most = 1e6, .wanted = "a number from 0 to 1e+06"},
    {"metric", 0, "NAME", "exclusive (default), inclusive, mpi, calls, or a counter",
     INTO(struct options, query.metric)},
    {"level", 0, "P", "significance level (default: 0.05)", INTO(struct options, query.level),
     .most = 1, .wanted = "a number from 0 to 1"},
    {"share", 0, "PERCENT",
     "test call paths that have at least this share of the total (default: 1)",
     INTO(struct options, share), .most = 100, .wanted = "a number from 0 to 100"},
    {"strict", 0, NULL, "exit with status 1 if there are too few trials for a conclusion",
     INTO(struct options, strict)},
    {"top", 0, "N", "show at most N call paths; 0: all (default: 50)", INTO(struct options, top)},
    {"wide", 0, NULL, "print long names in full", INTO(struct options, wide)},
    {"json", 0, NULL, "print all numbers as JSON", INTO(struct options, json)},
    TABLE_OF(trial_store_table, struct options, store),
    {.key = CLI_WORD, INTO_LIST(struct options, sets, n_sets), .take = check_set},
    {.key = CLI_END, .take = check_sets},
    {0},
};

/* The profiles of one set, and their source. */
struct side {
    struct trial_store store;
    struct portolan_trial_list trials;
    struct portolan_profile **profiles;
};

static enum portolan_status read_profiles(struct side *s, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    s->profiles = portolan_calloc(s->trials.n + 1, sizeof(void *));
    if (!s->profiles)
        return portolan_no_memory(err);
    for (size_t i = 0; status == PORTOLAN_OK && i < s->trials.n; i++) {
        const struct portolan_profile_query q = {.trial = s->trials.trials[i]->id};

        status = portolan_profile_read(s->store.store, &q, &s->profiles[i], err);
    }
    return status;
}

/* What is left out is said. */
static enum portolan_status open_side(struct side *s, const struct trial_store_options *options,
                                      const char *set, struct portolan_error *err)
{
    struct portolan_text notes = {0};
    enum portolan_status status =
        trial_store_open_set(&s->store, options, set, print_diagnostic, &s->trials, &notes, err);

    print_lines("note", &notes);
    return status ? status : read_profiles(s, err);
}

static void close_side(struct side *s)
{
    for (size_t i = 0; s->profiles && i < s->trials.n; i++)
        portolan_profile_destroy(s->profiles[i]);
    free(s->profiles);
    portolan_trials_clear(&s->trials);
    trial_store_close(&s->store);
}

static int report(const struct options *o, const struct portolan_comparison *c,
                  struct portolan_error *err)
{
    struct portolan_text out = {0};
    char *text = NULL;
    enum portolan_status status = o->json
                                      ? portolan_comparison_write_json(c, &out, err)
                                      : portolan_comparison_write(c, o->top, o->wide, &out, err);
    int result;

    if (status == PORTOLAN_OK)
        portolan_text_take(&out, &text, err);
    portolan_text_clear(&out);
    result = print_made(text, err);
    if (result)
        return result;
    if (c->is_regression)
        return EXIT_REGRESSION;
    return o->strict && c->total.verdict == PORTOLAN_VERDICT_CANNOT_TELL ? EXIT_BAD_INPUT : 0;
}

int command_compare(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "A B",
        .doc = "Compare two sets of repeated trials, call path by call path.\vA set of trials is "
               "12, 10-15, name:plate, label:base or KEY=VALUE; FILE@SET is a set in another "
               "store. The exit status is 3 if something is slower by more than the threshold.",
        .options = options,
    };
    struct options o = {.top = TOP, .threshold = 5, .share = 1, .query.level = 0.05};
    struct portolan_error err = {0};
    struct portolan_comparison *c = NULL;
    struct side a = {0}, b = {0};
    int result;

    parse_line(&line, argc, argv, 0, &o);
    o.query.threshold = o.threshold / 100;
    o.query.share = o.share / 100;
    if (open_side(&a, &o.store, o.sets[0], &err) == PORTOLAN_OK &&
        open_side(&b, &o.store, o.sets[1], &err) == PORTOLAN_OK)
        portolan_compare((const struct portolan_profile *const *)a.profiles, a.trials.n,
                         (const struct portolan_profile *const *)b.profiles, b.trials.n, &o.query,
                         &c, &err);
    result = c ? report(&o, c, &err) : print_error(&err);
    portolan_comparison_destroy(c);
    close_side(&b);
    close_side(&a);
    free(o.sets);
    return result;
}
