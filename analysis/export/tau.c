/* SPDX-License-Identifier: BSD-3-Clause */
/* TAU profiles: a file per thread and metric (time, then counters), written by <portolan/tau.h>. */
#include "internal.h"

#include <portolan/tau.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct writer {
    const struct job *job;
    struct portolan_text facts;
    struct portolan_event_set *events;
    size_t n_metrics; /* of the files */
    const char **metrics;
    size_t *counters;      /* of the metrics: positions in the profile; of the time none */
    int rank, next_thread; /* readers do not accept gaps in the numbers */
};

/* The nodes of one thread, in ARENA. */
struct nodes {
    struct portolan_arena arena;
    const struct writer *w;
    const struct tree *t;
    const struct portolan_profile *p;
    struct portolan_tau_node *nodes;
    size_t n;
};

/* ------------------------------------------------- names */

bool is_tau_file(const char *name)
{
    return !strncmp(name, "profile.", 8) || !strncmp(name, "MULTI__", 7);
}

/* Imported paths keep their name; methods of components get the name that their proxies use. */
static const char *name_of(struct portolan_arena *a, const struct portolan_profile_node *n)
{
    return *n->instance || *n->implementation
               ? portolan_tau_method_name(a, n->instance, n->implementation, n->method)
               : portolan_tau_name(a, n->method);
}

static const char *parameters_of(struct portolan_arena *a, const struct portolan_profile_node *n)
{
    struct portolan_text t = {.arena = a};

    for (int k = 0; k < n->n_context; k++) {
        struct portolan_text value = {.arena = a};

        portolan_text_add(&value, n->binned ? "~" : "");
        portolan_profile_add_context(n->context[k], n->binned, &value);
        portolan_tau_parameter(&t, n->context_name[k], value.bytes ? value.bytes : "");
    }
    return t.bytes;
}

/* ------------------------------------------------- numbers */

static bool make_values(struct nodes *o, struct portolan_tau_node *n)
{
    n->inclusive = portolan_arena_alloc(&o->arena, o->w->n_metrics, 2 * sizeof(double));
    n->exclusive = n->inclusive ? n->inclusive + o->w->n_metrics : NULL;
    return n->inclusive != NULL;
}

/* The factor to TAU's units: microseconds for time. */
static double scale(size_t m)
{
    return m == 0 ? 1e-3 : 1;
}

/* The index in a tree of metric M of the files, which have time, then counters. */
static size_t column(const struct writer *w, size_t m)
{
    return m == 0 ? TREE_TIME : TREE_COUNTERS + w->counters[m];
}

static void set_values(const struct nodes *o, struct portolan_tau_node *n,
                       const struct tree_node *of)
{
    for (size_t m = 0; m < o->w->n_metrics; m++) {
        n->inclusive[m] = of->inclusive[column(o->w, m)] * scale(m);
        n->exclusive[m] = of->exclusive[column(o->w, m)] * scale(m);
    }
    n->calls = (uint64_t)llround(of->calls);
    n->subroutines = (uint64_t)llround(of->subroutines);
}

static double share_of(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/*
 * Gives a context its share of its call path: of inclusive and of exclusive time the stored share,
 * of counters, inclusive or exclusive, the share of the inclusive count, or of the exclusive one if
 * that is stored. Subtracts it from REST.
 */
static void share(const struct nodes *o, const struct tree_node *of, const struct tree_context *c,
                  struct portolan_tau_node *n, struct portolan_tau_node *rest)
{
    const struct portolan_profile_cell *whole = of->cell, *part = c->cell;

    for (size_t m = 0; m < o->w->n_metrics; m++) {
        double by = 0, by_own = 0;

        if (m == 0) {
            by = share_of(part->inclusive_ns, whole->inclusive_ns);
            by_own = share_of(part->exclusive_ns, whole->exclusive_ns);
        } else {
            size_t k = o->w->counters[m], own = portolan_profile_find_exclusive(o->p, k);

            by = by_own = share_of(part->counters[k], whole->counters[k]);
            if (own < o->p->n_counters)
                by_own = share_of(part->counters[own], whole->counters[own]);
        }
        n->inclusive[m] = of->inclusive[column(o->w, m)] * scale(m) * by;
        n->exclusive[m] = of->exclusive[column(o->w, m)] * scale(m) * by_own;
        rest->inclusive[m] -= n->inclusive[m];
        rest->exclusive[m] -= n->exclusive[m];
    }
    n->calls = (uint64_t)llround(part->calls);
    n->subroutines = (uint64_t)llround(part->subroutines);
    rest->calls -= n->calls < rest->calls ? n->calls : rest->calls;
    rest->subroutines -= n->subroutines < rest->subroutines ? n->subroutines : rest->subroutines;
}

/* ------------------------------------------------- nodes */

static struct portolan_tau_node *add_node(struct nodes *o)
{
    return &o->nodes[o->n++];
}

/* Adds a call path and then its contexts, all with one name; PLACE: the index of each path. */
static void add_path(struct nodes *o, size_t i, int64_t *place)
{
    const struct tree_node *of = &o->t->nodes[i];
    struct portolan_tau_node *n = add_node(o), *rest = n;
    bool is_phase = !strcmp(of->of->port_type, "TAU_PHASE"); /* imported as a phase */

    place[i] = (int64_t)o->n - 1;
    *n = (struct portolan_tau_node){
        .above = of->above < 0 ? 0 : place[of->above],
        .name = name_of(&o->arena, of->of),
        .group = portolan_tau_group(&o->arena, is_phase ? "" : of->of->port_type),
        .is_phase = is_phase,
    };
    if (!make_values(o, n))
        return;
    set_values(o, n, of);
    for (size_t k = 0; k < of->n_contexts && !o->arena.failed; k++) {
        struct portolan_tau_node *c = add_node(o);

        *c = *rest;
        c->parameters = parameters_of(&o->arena, of->contexts[k].of);
        if (make_values(o, c))
            share(o, of, &of->contexts[k], c, rest);
    }
    if (rest->calls == 0) /* all calls belong to contexts */
        rest->subroutines = 0;
}

/* Returns whether all paths are below one root, as in an imported trial, which has TAU's. */
static bool has_root(const struct tree *t)
{
    for (size_t i = 1; i < t->n; i++)
        if (t->nodes[i].above < 0)
            return false;
    return t->n > 0 && !strcmp(t->nodes[0].of->method, PORTOLAN_TAU_ROOT) &&
           !*t->nodes[0].of->instance;
}

/* Makes the root, from the tree's root if GIVEN; or else from the sum of all paths. */
static void make_root(struct nodes *o, bool given)
{
    struct portolan_tau_node *root = add_node(o);

    *root = (struct portolan_tau_node){.name = PORTOLAN_TAU_ROOT, .group = "TAU_USER", .calls = 1};
    if (!make_values(o, root))
        return;
    if (given) {
        set_values(o, root, &o->t->nodes[0]);
        return;
    }
    for (size_t i = 0; i < o->t->n; i++) {
        const struct tree_node *n = &o->t->nodes[i];

        for (size_t m = 0; m < o->w->n_metrics; m++)
            root->inclusive[m] += n->exclusive[column(o->w, m)] * scale(m);
        if (n->above < 0)
            root->subroutines += (uint64_t)llround(n->calls);
    }
    for (size_t m = 0; m < o->w->n_metrics; m++) {
        double below = root->inclusive[m];

        root->inclusive[m] = ceil(below);
        root->exclusive[m] = fmax(root->inclusive[m] - below, 0);
    }
}

static bool make_nodes(struct nodes *o)
{
    bool given = has_root(o->t);
    int64_t *place = portolan_arena_alloc(&o->arena, o->t->n + 1, sizeof *place);
    size_t room = o->t->n + 1;

    for (size_t i = 0; i < o->t->n; i++)
        room += o->t->nodes[i].n_contexts;
    o->nodes = portolan_arena_alloc(&o->arena, room, sizeof *o->nodes);
    if (!place || !o->nodes)
        return false;
    make_root(o, given);
    for (size_t i = given; i < o->t->n && !o->arena.failed; i++)
        add_path(o, i, place);
    return !o->arena.failed;
}

/* ------------------------------------------------- files */

static enum portolan_status put_file(struct writer *w, const struct portolan_tau_rows *rows,
                                     size_t m, const struct portolan_tau_event *events,
                                     size_t n_events, struct portolan_error *err)
{
    char *folder = w->n_metrics > 1
                       ? portolan_tau_metric_folder(w->job->folder.temporary, w->metrics[m])
                       : portolan_strdup(w->job->folder.temporary);
    char *path = folder ? portolan_asprintf("%s/profile.%d.0.%d", folder,
                                            w->job->options->rank ? 0 : w->rank, w->next_thread)
                        : NULL;
    struct portolan_text text = {0};
    enum portolan_status status;

    portolan_tau_write(&text, rows, (unsigned)m, w->metrics[m], w->facts.bytes, events, n_events);
    if (!path || text.failed)
        status = portolan_no_memory(err);
    else if (w->n_metrics > 1 && mkdir(folder, 0777) != 0 && errno != EEXIST)
        status = portolan_error_set(err, PORTOLAN_EIO, "cannot make folder '%s': %s", folder,
                                    strerror(errno));
    else
        status = portolan_replace_file(path, text.bytes, text.length, err);
    portolan_text_clear(&text);
    free(path);
    free(folder);
    return status;
}

/* Collects the events of this thread, except those of call paths. */
static size_t collect_events(const struct writer *w, const struct tree *t, struct portolan_arena *a,
                             struct portolan_tau_event **events)
{
    size_t n = 0;

    *events = portolan_arena_alloc(a, w->events->n_events + 1, sizeof **events);
    for (size_t i = 0; *events && i < w->events->n_events; i++) {
        const struct portolan_event *e = &w->events->events[i];

        if (e->rank == t->rank && e->thread == t->thread && e->path < 0)
            (*events)[n++] = (struct portolan_tau_event){
                .name = portolan_tau_name(a, e->name),
                .count = (uint64_t)e->count,
                .max = e->max,
                .min = e->min,
                .mean = e->mean,
                .sum_squares = e->sum_squares,
            };
    }
    return n;
}

static enum portolan_status put_thread(void *arg, const struct portolan_profile *p,
                                       const struct tree *t, struct portolan_error *err)
{
    struct writer *w = arg;
    struct nodes o = {.w = w, .t = t, .p = p};
    struct portolan_tau_rows rows = {0};
    struct portolan_tau_event *events = NULL;
    size_t n_events;
    enum portolan_status status = PORTOLAN_OK;

    w->next_thread = t->rank == w->rank ? w->next_thread + 1 : 0;
    w->rank = t->rank;
    n_events = collect_events(w, t, &o.arena, &events);
    if (!events || !make_nodes(&o) || o.arena.failed)
        status = portolan_no_memory(err);
    if (status == PORTOLAN_OK)
        status = portolan_tau_make_rows(&rows, o.nodes, o.n, (unsigned)w->n_metrics, err);
    for (size_t m = 0; m < w->n_metrics && status == PORTOLAN_OK; m++)
        status = put_file(w, &rows, m, events, n_events, err);
    portolan_arena_clear(&rows.arena);
    portolan_arena_clear(&o.arena);
    return status;
}

/* ------------------------------------------------- the trial */

/* Returns whether we write a fact of that name ourselves; readers take the first of several. */
static bool is_reserved(const char *name)
{
    static const char *const ours[] = {"Metric Name", "Trial", "Portolan Version", "Assembly",
                                       "Started"};

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (!strcmp(name, ours[i]))
            return true;
    return !strncmp(name, "Parameter ", 10);
}

static void collect_facts(struct writer *w)
{
    const struct portolan_trial *t = w->job->trial;
    char number[40];

    snprintf(number, sizeof number, "%" PRId64, t->id);
    portolan_tau_fact(&w->facts, "Portolan Version", portolan_version());
    portolan_tau_fact(&w->facts, "Trial", number);
    portolan_tau_fact(&w->facts, "Assembly", t->assembly);
    portolan_tau_fact(&w->facts, "Started", t->started);
    for (size_t i = 0; i < t->n_parameters; i++) {
        char name[300];

        snprintf(name, sizeof name, "Parameter %s", t->parameters[i].name);
        portolan_tau_fact(&w->facts, name, t->parameters[i].value);
    }
    for (size_t i = 0; i < t->n_metadata; i++)
        if (!is_reserved(t->metadata[i].name))
            portolan_tau_fact(&w->facts, t->metadata[i].name, t->metadata[i].value);
}

static bool collect_metrics(struct writer *w)
{
    const struct portolan_profile *sums = w->job->sums;

    w->metrics = portolan_calloc(1 + sums->n_counters, sizeof *w->metrics);
    w->counters = portolan_calloc(1 + sums->n_counters, sizeof *w->counters);
    if (!w->metrics || !w->counters)
        return false;
    w->metrics[w->n_metrics++] = "TIME";
    for (size_t i = 0; i < sums->n_counters; i++)
        if (!portolan_profile_is_exclusive_counter(sums->counter_names[i])) {
            w->counters[w->n_metrics] = i;
            w->metrics[w->n_metrics++] = sums->counter_names[i];
        }
    return true;
}

enum portolan_status write_tau(struct job *job, struct portolan_error *err)
{
    struct writer w = {.job = job, .rank = -1};
    enum portolan_status status = job_read_sums(job, err);

    if (status == PORTOLAN_OK)
        status =
            portolan_store_read_events(job->store, job->id, job->options->rank, &w.events, err);
    if (status == PORTOLAN_OK) {
        collect_facts(&w);
        status = !collect_metrics(&w) || w.facts.failed
                     ? portolan_no_memory(err)
                     : job_visit_threads(job, true, put_thread, &w, err);
    }
    portolan_text_clear(&w.facts);
    portolan_event_set_destroy(w.events);
    free(w.metrics);
    free(w.counters);
    return status;
}
