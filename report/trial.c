/* SPDX-License-Identifier: BSD-3-Clause */
/* The trial that is shown and the others of the store; and two sets of trials compared. */
#include "internal.h"

#include <portolan/compare.h>
#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIALS = 500, MOST_ROWS = 300 };

static void write_fact(struct portolan_json *j, const char *kind, const char *name,
                       const char *value)
{
    portolan_json_open(j, NULL, '{');
    portolan_json_text(j, "kind", kind);
    portolan_json_text(j, "name", name);
    portolan_json_text(j, "value", value);
    portolan_json_close(j, '}');
}

static void write_facts(const struct portolan_trial *t, struct portolan_json *j)
{
    struct portolan_text text = {0};

    portolan_profile_add_cost(t, &text);
    write_fact(j, "measuring", "cost", text.bytes);
    j->out->failed |= text.failed;
    portolan_text_clear(&text);
    for (size_t i = 0; i < t->n_parameters; i++)
        write_fact(j, "parameter", t->parameters[i].name, t->parameters[i].value);
    for (size_t i = 0; i < t->n_implementations; i++)
        write_fact(j, "implementation", t->implementations[i].name, t->implementations[i].value);
    for (size_t i = 0; i < t->n_metadata; i++)
        write_fact(j, "fact", t->metadata[i].name, t->metadata[i].value);
}

static void write_pairs(struct portolan_json *j, const char *key,
                        const struct portolan_name_value *pairs, size_t n)
{
    struct portolan_text text = {0};

    for (size_t i = 0; i < n; i++)
        portolan_text_add(&text, "%s%s=%s", i ? " " : "", pairs[i].name, pairs[i].value);
    portolan_json_text(j, key, text.bytes ? text.bytes : "");
    j->out->failed |= text.failed;
    portolan_text_clear(&text);
}

/* In a trial's own row: wall time and overhead, and in what it is unlike the one that is shown. */
static void write_measures(const struct portolan_trial *t, const struct portolan_trial *shown,
                           struct portolan_json *j)
{
    struct portolan_text unlike = {0};
    struct portolan_spent s;

    if (portolan_trial_read_spent(t, &s)) {
        portolan_json_number(j, "wall_ns", s.wall_ns);
        portolan_json_number(j, "overhead", s.overhead_ns / s.wall_ns);
    }
    if (t != shown)
        portolan_trial_add_unlike(t, shown, true, &unlike);
    if (unlike.length)
        portolan_json_text(j, "unlike", unlike.bytes);
    j->out->failed |= unlike.failed;
    portolan_text_clear(&unlike);
}

static void write_trial(const struct portolan_trial *t, const struct portolan_trial *shown,
                        struct portolan_json *j)
{
    const char *label = portolan_trial_peek_fact(t, PORTOLAN_STORE_LABEL);

    portolan_json_open(j, NULL, '{');
    portolan_json_number(j, "id", (double)t->id);
    portolan_json_text(j, "is", t == shown ? "shown" : "");
    portolan_json_text(j, "assembly", t->assembly);
    portolan_json_text(j, "label", label ? label : "");
    portolan_json_text(j, "purpose", t->purpose);
    portolan_json_number(j, "ranks", t->ranks);
    portolan_json_text(j, "started", t->started);
    portolan_json_text(j, "outcome", t->outcome);
    portolan_json_number(j, "elapsed_ns", t->elapsed_ns);
    write_measures(t, shown, j);
    write_pairs(j, "parameters", t->parameters, t->n_parameters);
    write_pairs(j, "implementations", t->implementations, t->n_implementations);
    portolan_json_close(j, '}');
}

/* Trials that differ from the one shown in the same: on other ranks, machines, or of other sizes.
 */
struct trial_kind {
    const char *unlike; /* "" for those that are like it */
    size_t n;
    double least_ns, most_ns; /* of those that finished */
};

static bool count_trial(struct trial_kind **kinds, size_t *n, const struct portolan_trial *t,
                        const struct portolan_trial *shown, struct portolan_arena *pool)
{
    struct portolan_text unlike = {.arena = pool};
    struct trial_kind new = {"", 0, INFINITY, 0};
    size_t i = 0;

    if (t != shown)
        portolan_trial_add_unlike(t, shown, true, &unlike);
    if (unlike.length)
        new.unlike = unlike.bytes;
    while (i < *n && strcmp((*kinds)[i].unlike, new.unlike) != 0)
        i++;
    if (i == *n && !portolan_arena_append(pool, kinds, n, &new, sizeof new))
        return false;
    (*kinds)[i].n++;
    if (!strcmp(t->outcome, "finished")) {
        (*kinds)[i].least_ns = fmin((*kinds)[i].least_ns, t->elapsed_ns);
        (*kinds)[i].most_ns = fmax((*kinds)[i].most_ns, t->elapsed_ns);
    }
    return true;
}

static void write_kinds(const struct report *r, struct portolan_json *j)
{
    enum { MOST_KINDS = 100 };
    struct portolan_arena pool = {0};
    struct trial_kind *kinds = NULL;
    size_t n = 0, all = r->shown ? r->from->trials->n : 0;

    if (all && !count_trial(&kinds, &n, r->shown, r->shown, &pool))
        j->out->failed = true;
    for (size_t i = all > MOST_TRIALS ? all - MOST_TRIALS : 0; i < all; i++)
        if (r->from->trials->trials[i] != r->shown &&
            !count_trial(&kinds, &n, r->from->trials->trials[i], r->shown, &pool))
            j->out->failed = true;
    portolan_json_open(j, "kinds", '[');
    for (size_t i = 0; i < n && i < MOST_KINDS; i++) {
        portolan_json_open(j, NULL, '{');
        portolan_json_text(j, "unlike", *kinds[i].unlike ? kinds[i].unlike : "like the one shown");
        portolan_json_number(j, "trials", (double)kinds[i].n);
        portolan_json_number(j, "least_ns", kinds[i].least_ns);
        portolan_json_number(j, "most_ns", kinds[i].most_ns > 0 ? kinds[i].most_ns : NAN);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
    portolan_json_number(j, "kinds_left_out", n > MOST_KINDS ? (double)(n - MOST_KINDS) : 0);
    portolan_arena_clear(&pool);
}

static enum portolan_status write_trials(struct report *r, struct portolan_json *j,
                                         struct portolan_error *err)
{
    size_t n = r->from->trials ? r->from->trials->n : 0,
           first = n > MOST_TRIALS ? n - MOST_TRIALS : 0;

    (void)err;
    portolan_json_open(j, "facts", '[');
    if (r->shown)
        write_facts(r->shown, j);
    portolan_json_close(j, ']');
    portolan_json_open(j, "trials", '[');
    for (size_t i = n; i-- > first;)
        write_trial(r->from->trials->trials[i], r->shown, j);
    portolan_json_close(j, ']');
    portolan_json_number(j, "trials_left_out", (double)first);
    write_kinds(r, j);
    return PORTOLAN_OK;
}

static const struct report_table trial_tables[] = {
    {"kinds",
     "Trials by that in which they differ from the one shown",
     {{"unlike", "trials", REPORT_TEXT},
      {"trials", "number", REPORT_NUMBER},
      {"least_ns", "fastest", REPORT_TIME},
      {"most_ns", "slowest", REPORT_TIME}}},
    {"facts",
     "The trial shown: its settings and its machine",
     {{"kind", "kind", REPORT_TEXT},
      {"name", "name", REPORT_TEXT},
      {"value", "value", REPORT_TEXT}}},
    {"trials",
     "Trials, the newest first",
     {{"id", "trial", REPORT_NUMBER},
      {"is", "", REPORT_TEXT},
      {"label", "label", REPORT_TEXT},
      {"purpose", "purpose", REPORT_TEXT},
      {"ranks", "ranks", REPORT_NUMBER},
      {"started", "started", REPORT_TEXT},
      {"outcome", "outcome", REPORT_TEXT},
      {"elapsed_ns", "time", REPORT_TIME},
      {"wall_ns", "wall time", REPORT_TIME},
      {"overhead", "overhead", REPORT_SHARE},
      {"unlike", "unlike the one shown", REPORT_TEXT},
      {"parameters", "parameters", REPORT_TEXT},
      {"implementations", "implementations", REPORT_TEXT}}},
    {0},
};

const struct report_part report_trial = {
    .name = "trial",
    .title = "Trial",
    .about = "Machine, libraries, parameters, the cost of measuring, and what was lost.",
    .write = write_trials,
    .tables = trial_tables,
};

/* ------------------------------------------------------------------ comparison */

static void destroy_profiles(struct portolan_profile **profiles, size_t n)
{
    for (size_t i = 0; profiles && i < n; i++)
        portolan_profile_destroy(profiles[i]);
    free(profiles);
}

/* The profiles of L's finished trials. */
static enum portolan_status read_profiles(const struct report *r,
                                          const struct portolan_trial_list *l,
                                          struct portolan_profile ***profiles, size_t *n,
                                          struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    *n = 0;
    if (!(*profiles = portolan_calloc(l->n + 1, sizeof **profiles)))
        return portolan_no_memory(err);
    for (size_t i = 0; !status && i < l->n; i++) {
        const struct portolan_profile_query q = {.trial = l->trials[i]->id};

        if (strcmp(l->trials[i]->outcome, "finished") != 0)
            continue;
        status = portolan_profile_read(r->from->store, &q, &(*profiles)[*n], err);
        *n += !status;
    }
    return status;
}

static enum portolan_status write_comparison(struct report *r, struct portolan_json *j,
                                             struct portolan_error *err)
{
    const struct portolan_comparison_query query = {
        .metric = "exclusive", .threshold = 0.05, .level = 0.05, .share = 0.01};
    struct portolan_profile **a = NULL, **b = NULL;
    struct portolan_comparison *c = NULL;
    size_t n_a = 0, n_b = 0;
    enum portolan_status status;

    if (!r->from->before)
        return PORTOLAN_OK;
    status = read_profiles(r, r->from->before, &a, &n_a, err);
    if (!status)
        status = read_profiles(r, r->from->trials, &b, &n_b, err);
    if (!status)
        status = portolan_compare((const struct portolan_profile *const *)a, n_a,
                                  (const struct portolan_profile *const *)b, n_b, &query, &c, err);
    if (!status)
        portolan_comparison_write_members(c, MOST_ROWS, j);
    portolan_comparison_destroy(c);
    destroy_profiles(a, n_a);
    destroy_profiles(b, n_b);
    return status;
}

static const struct report_table comparison_tables[] = {
    {"differences",
     "Metadata in which the trials differ",
     {{"name", "fact", REPORT_TEXT}, {"a", "before", REPORT_TEXT}, {"b", "now", REPORT_TEXT}}},
    {"total",
     "The whole run",
     {{"median_a", "before", REPORT_TIME},
      {"median_b", "now", REPORT_TIME},
      {"ratio", "ratio", REPORT_NUMBER},
      {"ratio_low", "at least", REPORT_NUMBER},
      {"ratio_high", "at most", REPORT_NUMBER},
      {"p", "p", REPORT_NUMBER},
      {"verdict", "verdict", REPORT_TEXT},
      {"unlike", "unlike", REPORT_TEXT}}},
    {"paths",
     "Call paths, medians of exclusive time",
     {{"method", "call path", REPORT_TEXT},
      {"implementation_a", "before", REPORT_TEXT},
      {"implementation_b", "now", REPORT_TEXT},
      {"share", "share", REPORT_SHARE},
      {"median_a", "before", REPORT_TIME},
      {"median_b", "now", REPORT_TIME},
      {"ratio", "ratio", REPORT_NUMBER},
      {"ratio_low", "at least", REPORT_NUMBER},
      {"ratio_high", "at most", REPORT_NUMBER},
      {"p_holm", "p (Holm)", REPORT_NUMBER},
      {"verdict", "verdict", REPORT_TEXT},
      {"unlike", "unlike", REPORT_TEXT}}},
    {0},
};

const struct report_part report_comparison = {
    .name = "comparison",
    .title = "Before and now",
    .about = "Two sets of trials, call path by call path, each difference with its test.",
    .write = write_comparison,
    .tables = comparison_tables,
};
