/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial_store.h"

#include <portolan/compare.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_REGRESSION = 3, TOP = 50 };

enum {
    OPTION_METRIC = 256,
    OPTION_LEVEL,
    OPTION_SHARE,
    OPTION_TOP,
    OPTION_WIDE,
    OPTION_JSON,
    OPTION_STRICT
};

struct options {
    struct trial_store_options store;
    const char *sets[2];
    size_t n_sets, top;
    bool wide, json, strict;
    struct portolan_comparison_query query;
};

static const struct argp_option options[] = {
    {"threshold", 't', "PERCENT", 0, "how much slower is a regression (default: 5)", 0},
    {"metric", OPTION_METRIC, "NAME", 0, "exclusive (default), inclusive, mpi, calls, or a counter",
     0},
    {"level", OPTION_LEVEL, "P", 0, "of significance (default: 0.05)", 0},
    {"share", OPTION_SHARE, "PERCENT", 0,
     "test call paths that have at least this share of the total (default: 1)", 0},
    {"strict", OPTION_STRICT, NULL, 0, "too few trials to tell are a failure (exit status 1)", 0},
    {"top", OPTION_TOP, "N", 0, "so many call paths; 0: all (default: 50)", 0},
    {"wide", OPTION_WIDE, NULL, 0, "long names whole", 0},
    {"json", OPTION_JSON, NULL, 0, "all numbers as JSON", 0},
    {0},
};

static const struct option_target targets[] = {
    {OPTION_METRIC, OPTION_TEXT, offsetof(struct options, query.metric), NULL},
    {OPTION_STRICT, OPTION_FLAG, offsetof(struct options, strict), NULL},
    {OPTION_TOP, OPTION_SIZE, offsetof(struct options, top), "--top"},
    {OPTION_WIDE, OPTION_FLAG, offsetof(struct options, wide), NULL},
    {OPTION_JSON, OPTION_FLAG, offsetof(struct options, json), NULL},
    {0},
};

static double read_number(struct argp_state *state, const char *option, const char *text,
                          double most)
{
    double x;

    if (!portolan_read_double(text, &x) || !(x >= 0) || x > most)
        argp_error(state, "%s wants a number from 0 to %g, not '%s'", option, most, text);
    return x;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->store;
        return 0;
    case 't':
        o->query.threshold = read_number(state, "--threshold", arg, 1e6) / 100;
        return 0;
    case OPTION_LEVEL:
        o->query.level = read_number(state, "--level", arg, 1);
        return 0;
    case OPTION_SHARE:
        o->query.share = read_number(state, "--share", arg, 100) / 100;
        return 0;
    case ARGP_KEY_ARG:
        if (o->n_sets == 2)
            argp_error(state, "two sets of trials are compared: '%s' is one too many", arg);
        o->sets[o->n_sets++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->n_sets < 2)
            argp_error(state, "which trials? name two sets, as: 1-5 6-10");
        return 0;
    default:
        return take_option(targets, key, arg, state);
    }
}

/* The profiles of one set, and where they are from. */
struct side {
    struct trial_store store;
    struct portolan_trial_list trials;
    struct portolan_profile **profiles;
    char *file; /* of FILE@SET */
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

/* Trials that were cut off tell nothing of the whole: they count only when named by number. */
static enum portolan_status leave_out_unfinished(struct portolan_trial_list *l, const char *set,
                                                 struct portolan_error *err)
{
    size_t kept = 0;

    if (isdigit((unsigned char)*set))
        return PORTOLAN_OK;
    for (size_t i = 0; i < l->n; i++) {
        if (!strcmp(l->trials[i]->outcome, "finished"))
            l->trials[kept++] = l->trials[i];
        else
            fprintf(stderr, "portolan: note: trial %lld did not finish and is left out\n",
                    (long long)l->trials[i]->id);
    }
    l->n = kept;
    return kept ? PORTOLAN_OK
                : portolan_error_set(err, PORTOLAN_ENOTFOUND, "no trial of '%s' finished", set);
}

/* Meant as a store, be it there or not. */
static bool is_database(const char *file)
{
    size_t length = strlen(file);

    return length > 3 && !strcmp(file + length - 3, ".db");
}

/* FILE@SET names its own store; elsewhere `@` may be in names. */
static enum portolan_status open_side(struct side *s, const struct trial_store_options *options,
                                      const char *set, struct portolan_error *err)
{
    struct trial_store_options o = *options;
    const char *at = strrchr(set, '@');
    enum portolan_status status;

    if (at && at > set) {
        s->file = strndup(set, (size_t)(at - set));
        if (!s->file)
            return portolan_no_memory(err);
        if (trial_store_is_one(s->file) || is_database(s->file)) {
            o = (struct trial_store_options){.file = s->file, .path = options->path};
            set = at + 1;
        }
    }
    status = trial_store_open(&s->store, &o, PORTOLAN_STORE_READ, err);
    if (status == PORTOLAN_OK)
        status = trial_store_select(&s->store, *set ? set : NULL, &s->trials, err);
    if (status == PORTOLAN_OK)
        status = leave_out_unfinished(&s->trials, set, err);
    if (status == PORTOLAN_OK)
        status = read_profiles(s, err);
    return status;
}

static void close_side(struct side *s)
{
    for (size_t i = 0; s->profiles && i < s->trials.n; i++)
        portolan_profile_destroy(s->profiles[i]);
    free(s->profiles);
    portolan_trials_clear(&s->trials);
    trial_store_close(&s->store);
    free(s->file);
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
    result = text ? write_text(NULL, text) : print_error(err);
    free(text);
    if (result)
        return result;
    if (c->is_regression)
        return EXIT_REGRESSION;
    return o->strict && c->total.verdict == PORTOLAN_VERDICT_CANNOT_TELL ? EXIT_BAD_INPUT : 0;
}

int command_compare(int argc, char **argv)
{
    static const struct argp_child children[] = {{&trial_store_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "A B",
        .doc = "Compare two sets of repeated trials, call path by call path.\vA set is 12 or "
               "10-15 or name:plate or label:base or KEY=VALUE, or FILE@SET of another store. The "
               "exit status is 3 when something is slower by more than the threshold.",
        .children = children,
    };
    struct options o = {.top = TOP, .query = {.threshold = 0.05, .level = 0.05, .share = 0.01}};
    struct portolan_error err = {0};
    struct portolan_comparison *c = NULL;
    struct side a = {0}, b = {0};
    int result;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (open_side(&a, &o.store, o.sets[0], &err) == PORTOLAN_OK &&
        open_side(&b, &o.store, o.sets[1], &err) == PORTOLAN_OK)
        portolan_compare((const struct portolan_profile *const *)a.profiles, a.trials.n,
                         (const struct portolan_profile *const *)b.profiles, b.trials.n, &o.query,
                         &c, &err);
    result = c ? report(&o, c, &err) : print_error(&err);
    portolan_comparison_destroy(c);
    close_side(&b);
    close_side(&a);
    return result;
}
