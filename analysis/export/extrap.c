/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Extra-P's JSON: for each call path and metric, points of the parameters that vary, with the
 * values of the trials at each point. A value is the mean over ranks.
 */
#include "internal.h"

#include <portolan/extrap.h>

#include <stdlib.h>
#include <string.h>

/* The metrics before the counters. */
enum { EXCLUSIVE, INCLUSIVE, MPI, CALLS, FIXED };
enum { MAX_PARAMS = PORTOLAN_MEASUREMENTS_MAX_PARAMS };

struct collection {
    const struct portolan_export_options *o;
    size_t n; /* profiles, one per trial */
    struct portolan_profile **profiles;
    struct portolan_measurements *m;
    size_t *rows; /* per item: its rows from earlier trials */
    size_t n_items;
    double point[MAX_PARAMS];  /* of the trial */
    struct portolan_text path; /* of the node */
};

static enum portolan_status read_profiles(struct collection *c, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    c->profiles = portolan_calloc(c->o->n_trials, sizeof(struct portolan_profile *));
    if (!c->profiles)
        return portolan_no_memory(err);
    for (; status == PORTOLAN_OK && c->n < c->o->n_trials; c->n++) {
        const struct portolan_profile_query query = {.trial = c->o->trials[c->n],
                                                     .rank = c->o->rank};

        status = portolan_profile_read(c->o->store, &query, &c->profiles[c->n], err);
    }
    return status;
}

/* ------------------------------------------------- parameters */

static enum portolan_status find_parameters(struct collection *c, struct portolan_error *err)
{
    const struct portolan_trial **trials = portolan_calloc(c->n, sizeof(struct portolan_trial *));
    const char *names[MAX_PARAMS + 1];
    size_t n;

    if (!trials)
        return portolan_no_memory(err);
    for (size_t i = 0; i < c->n; i++)
        trials[i] = c->profiles[i]->trial;
    n = portolan_trials_differ_in(trials, c->n, names + 1, MAX_PARAMS);
    free(trials);
    if (!n)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "no numeric parameter differs between the trials; name trials of "
                                  "several sizes, or with several numbers of ranks");
    if (n > MAX_PARAMS)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "more than %d parameters differ between the trials", MAX_PARAMS);
    names[0] = names[n]; /* the number of ranks goes first */
    c->m = portolan_measurements_create(n, strcmp(names[n], "ranks") ? names + 1 : names);
    return c->m ? PORTOLAN_OK : portolan_no_memory(err);
}

/* ------------------------------------------------- metrics */

static const char *metric_name(const struct portolan_profile *p, size_t m)
{
    static const char *const fixed[] = {"exclusive_ns", "inclusive_ns", "mpi_ns", "calls"};

    return m < FIXED ? fixed[m] : p->counter_names[m - FIXED];
}

static bool is_wanted(const struct collection *c, const struct portolan_profile *p, size_t m)
{
    const char *wanted = c->o->metric;

    if (!wanted || !strcmp(wanted, metric_name(p, m)))
        return true;
    return (is_time(wanted) && (m == EXCLUSIVE || m == INCLUSIVE)) || (is_mpi(wanted) && m == MPI);
}

static enum portolan_status check_metric(const struct collection *c, struct portolan_error *err)
{
    struct portolan_text known = {0};
    bool any = false;

    for (size_t i = 0; i < c->n; i++)
        for (size_t m = 0; m < FIXED + c->profiles[i]->n_counters; m++) {
            any = any || is_wanted(c, c->profiles[i], m);
            if (i == 0 || m >= FIXED)
                portolan_text_add(&known, ", %s", metric_name(c->profiles[i], m));
        }
    if (!any)
        portolan_error_set(err, PORTOLAN_ENOTFOUND,
                           "the trials have no metric '%s'; the metrics are: time, mpi%s",
                           c->o->metric, known.bytes ? known.bytes : "");
    portolan_text_clear(&known);
    return any ? PORTOLAN_OK : PORTOLAN_ENOTFOUND;
}

/* ------------------------------------------------- values */

/* Adds one step of a path; "->" separates steps, so one in LABEL becomes "- >". */
static void add_step(struct portolan_text *text, const char *label)
{
    for (const char *c = label; *c; c++)
        portolan_text_add(text, c[0] == '-' && c[1] == '>' ? "- " : "%c", *c);
}

static double value_of(const struct tree_node *n, size_t m)
{
    switch (m) {
    case EXCLUSIVE:
        return n->exclusive[TREE_TIME];
    case INCLUSIVE:
        return n->inclusive[TREE_TIME];
    case MPI:
        return n->exclusive[TREE_MPI];
    case CALLS:
        return n->calls;
    default:
        return n->inclusive[TREE_COUNTERS + m - FIXED];
    }
}

/* Adds a value; call paths of one trial that differ only in ports have one name, and are summed. */
static bool add_value(struct collection *c, const char *metric, double value)
{
    struct portolan_measurement *item = portolan_measurements_item(c->m, c->path.bytes, metric);
    size_t i = item ? (size_t)(item - c->m->items) : 0;

    if (item && item->n_rows > (i < c->n_items ? c->rows[i] : 0)) {
        item->y[item->n_rows - 1] += value;
        return true;
    }
    return item && portolan_measurements_add(c->m, item, c->point, value);
}

static bool add_node(struct collection *c, const struct portolan_profile *p, const struct tree *t,
                     const struct tree_node *n)
{
    bool good;

    portolan_text_clear(&c->path);
    tree_add_path(&c->path, t, n, "->", add_step);
    good = c->path.bytes && !c->path.failed;
    for (size_t m = 0; good && m < FIXED + p->n_counters; m++)
        if (is_wanted(c, p, m))
            good = add_value(c, metric_name(p, m), value_of(n, m) / (p->ranks > 0 ? p->ranks : 1));
    return good;
}

static enum portolan_status add_profile(struct collection *c, const struct portolan_profile *p,
                                        struct portolan_error *err)
{
    struct tree t = {0};
    enum portolan_status status = tree_of_sums(&t, p, err);
    bool good = true;

    for (size_t k = 0; k < c->m->n_params; k++)
        portolan_trial_number(p->trial, c->m->params[k], &c->point[k]);
    c->n_items = c->m->n;
    c->rows = portolan_calloc(c->n_items + 1, sizeof *c->rows);
    for (size_t i = 0; c->rows && i < c->n_items; i++)
        c->rows[i] = c->m->items[i].n_rows;
    for (size_t i = 0; good && c->rows && status == PORTOLAN_OK && i < t.n; i++)
        good = add_node(c, p, &t, &t.nodes[i]);
    if (!c->rows || !good)
        status = portolan_no_memory(err);
    free(c->rows);
    portolan_arena_clear(&t.arena);
    return status;
}

enum portolan_status write_extrap(struct job *job, struct portolan_error *err)
{
    struct collection c = {.o = job->options};
    char *text = NULL;
    enum portolan_status status = read_profiles(&c, err);

    if (status == PORTOLAN_OK)
        status = find_parameters(&c, err);
    if (status == PORTOLAN_OK)
        status = check_metric(&c, err);
    for (size_t i = 0; status == PORTOLAN_OK && i < c.n; i++)
        status = add_profile(&c, c.profiles[i], err);
    if (status == PORTOLAN_OK)
        status = portolan_measurements_write(c.m, PORTOLAN_MEASUREMENTS_JSON, &text, err);
    if (status == PORTOLAN_OK)
        portolan_text_add(&job->sink.text, "%s", text);
    free(text);
    for (size_t i = 0; i < c.n; i++)
        portolan_profile_destroy(c.profiles[i]);
    free(c.profiles);
    portolan_measurements_destroy(c.m);
    portolan_text_clear(&c.path);
    return status;
}
