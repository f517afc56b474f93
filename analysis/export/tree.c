/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles as trees of call paths with a value per metric; names by number. */
#include "internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------- nodes */

struct maker {
    struct tree *t;
    const struct portolan_profile *p;
    int64_t *place; /* index in the tree of a profile's node; -1: not called on the thread */
};

/*
 * Derives the values that are not stored from the calls below: inclusive ones of MPI, and exclusive
 * ones of counters, unless these are counters of their own. Counters may be on for some ports only.
 */
static void settle_counters(struct tree *t, const struct portolan_profile *p, struct tree_node *n,
                            struct tree_node *above)
{
    for (size_t m = TREE_COUNTERS; m < t->n_metrics; m++) { /* EXCLUSIVE: sum of all below */
        size_t own = portolan_profile_find_exclusive(p, m - TREE_COUNTERS);

        if (portolan_profile_is_exclusive_counter(p->counter_names[m - TREE_COUNTERS])) {
            n->exclusive[m] = n->inclusive[m];
            continue;
        }
        n->inclusive[m] = fmax(n->inclusive[m], n->exclusive[m]);
        n->exclusive[m] = own < p->n_counters ? n->inclusive[TREE_COUNTERS + own]
                                              : n->inclusive[m] - n->exclusive[m];
        if (above)
            above->exclusive[m] += n->inclusive[m];
    }
}

static void settle(struct tree *t, const struct portolan_profile *p)
{
    for (size_t i = t->n; i-- > 0;) {
        struct tree_node *n = &t->nodes[i], *above = n->above < 0 ? NULL : &t->nodes[n->above];

        n->inclusive[TREE_MPI] += n->exclusive[TREE_MPI];
        settle_counters(t, p, n, above);
        if (above)
            above->inclusive[TREE_MPI] += n->inclusive[TREE_MPI];
    }
}

static const char *make_label(struct tree *t, const struct portolan_profile_node *of)
{
    struct portolan_text text = {.arena = &t->arena};

    portolan_profile_add_label(of, false, &text);
    clean_utf8(text.bytes);
    return text.bytes ? text.bytes : "";
}

/* An unknown value becomes 0, since the formats cannot say that it is unknown. */
static double known(double x)
{
    return isnan(x) ? 0 : x;
}

/* Adds node I of the profile with the values of C, on a thread, or with the sums if C is NULL. */
static bool add_node(struct maker *k, size_t i, const struct portolan_profile_cell *c)
{
    const struct portolan_profile_node *of = &k->p->nodes[i];
    struct tree *t = k->t;
    struct tree_node *n = &t->nodes[t->n];
    double *values = portolan_arena_alloc(&t->arena, t->n_metrics, 2 * sizeof *values), ratio;

    if (!values)
        return false;
    *n = (struct tree_node){
        .above = of->parent < 0 ? -1 : k->place[of->parent],
        .of = of,
        .cell = c,
        .label = make_label(t, of),
        .calls = c ? c->calls : of->calls.sum,
        .subroutines = c ? c->subroutines : of->subroutines,
        .inclusive = values,
        .exclusive = values + t->n_metrics,
    };
    k->place[i] = (int64_t)t->n++;
    n->inclusive[TREE_TIME] = known(c ? c->all_inclusive_ns : of->inclusive.value);
    n->exclusive[TREE_TIME] = known(c ? c->all_exclusive_ns : of->exclusive.value);
    n->exclusive[TREE_MPI] = known(c ? c->all_mpi_ns : of->mpi.value);
    ratio = portolan_timed_ratio(n->calls, c ? c->timed_calls : of->timed_calls);
    for (size_t m = 0; m < k->p->n_counters; m++)
        n->inclusive[TREE_COUNTERS + m] = known(ratio * (c ? c->counters[m] : of->counters[m].sum));
    return true;
}

static bool add_context(struct maker *k, const struct portolan_profile_cell *c)
{
    const struct portolan_profile_node *of = &k->p->nodes[c->node];
    struct tree_node *n = &k->t->nodes[k->place[of->parent]];
    struct tree_context *grown =
        portolan_arena_grow(&k->t->arena, n->contexts, n->n_contexts, sizeof *grown);

    if (!grown)
        return false;
    n->contexts = grown;
    n->contexts[n->n_contexts++] = (struct tree_context){.of = of, .cell = c};
    return true;
}

/* THREAD -1: the sums. */
static enum portolan_status make_tree(struct tree *t, const struct portolan_profile *p, int thread,
                                      struct portolan_error *err)
{
    struct maker k = {.t = t, .p = p, .place = portolan_calloc(p->n_nodes + 1, sizeof *k.place)};
    bool good;

    t->n_metrics = TREE_COUNTERS + p->n_counters;
    t->nodes = portolan_arena_alloc(&t->arena, p->n_nodes + 1, sizeof *t->nodes);
    t->thread = thread;
    good = t->nodes && k.place;
    for (size_t i = 0; good && i < p->n_nodes; i++)
        k.place[i] = -1;
    for (size_t i = 0; good && thread < 0 && i < p->n_nodes; i++)
        good = p->nodes[i].is_context || add_node(&k, i, NULL);
    for (size_t i = 0; good && thread >= 0 && i < p->n_cells; i++) {
        const struct portolan_profile_cell *c = &p->cells[i];

        if (c->thread == thread)
            good = p->nodes[c->node].is_context ? add_context(&k, c) : add_node(&k, c->node, c);
    }
    free(k.place);
    if (!good || t->arena.failed)
        return portolan_no_memory(err);
    settle(t, p);
    return PORTOLAN_OK;
}

enum portolan_status tree_of_sums(struct tree *t, const struct portolan_profile *p,
                                  struct portolan_error *err)
{
    t->rank = -1;
    return make_tree(t, p, -1, err);
}

void tree_add_path(struct portolan_text *text, const struct tree *t, const struct tree_node *n,
                   const char *separator,
                   void (*add_step)(struct portolan_text *text, const char *label))
{
    if (n->above >= 0) {
        tree_add_path(text, t, &t->nodes[n->above], separator, add_step);
        portolan_text_add(text, "%s", separator);
    }
    if (add_step)
        add_step(text, n->label);
    else
        portolan_text_add(text, "%s", n->label);
}

double tree_value(const struct tree_node *n, int metric)
{
    return metric == TREE_CALLS ? n->calls : n->exclusive[metric];
}

/* ------------------------------------------------- a job's profiles */

enum portolan_status job_read_sums(struct job *job, struct portolan_error *err)
{
    const struct portolan_profile_query query = {.trial = job->id, .rank = job->options->rank};

    return job->sums ? PORTOLAN_OK : portolan_profile_read(job->store, &query, &job->sums, err);
}

enum portolan_status job_make_tree(struct job *job, struct portolan_error *err)
{
    enum portolan_status status = job_read_sums(job, err);

    return status == PORTOLAN_OK ? tree_of_sums(&job->tree, job->sums, err) : status;
}

static enum portolan_status visit_rank(const struct portolan_profile *p, int rank,
                                       job_thread_fn visit, void *arg, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    int last = 0, thread = -1; /* a rank without calls still has its thread 0, if it was there */
    bool has_absent = portolan_profile_has_absent_ranks(p->trial);

    for (size_t i = 0; i < p->n_cells; i++)
        last = p->cells[i].thread > last ? p->cells[i].thread : last;
    while (status == PORTOLAN_OK && ++thread <= last) {
        struct tree t = {.rank = rank};

        status = make_tree(&t, p, thread, err);
        if (status == PORTOLAN_OK && (t.n > 0 || (thread == 0 && !has_absent)))
            status = visit(arg, p, &t, err);
        portolan_arena_clear(&t.arena);
    }
    return status;
}

enum portolan_status job_visit_threads(const struct job *job, bool contexts, job_thread_fn visit,
                                       void *arg, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (int i = 0; status == PORTOLAN_OK && i < job->n_ranks; i++) {
        struct portolan_profile *p = NULL;
        int rank = job->first_rank + i;
        const struct portolan_profile_query query = {.trial = job->id,
                                                     .rank = &rank,
                                                     .contexts = contexts,
                                                     .cells = true,
                                                     .like = job->sums};

        status = portolan_profile_read(job->store, &query, &p, err);
        if (status == PORTOLAN_OK)
            status = visit_rank(p, rank, visit, arg, err);
        portolan_profile_destroy(p);
    }
    return status;
}

bool is_time(const char *metric)
{
    return !metric || !strcasecmp(metric, "time");
}

bool is_mpi(const char *metric)
{
    return metric && (!strcasecmp(metric, "mpi") || !strcasecmp(metric, "mpi time"));
}

enum portolan_status job_find_metric(struct job *job, int *metric, struct portolan_error *err)
{
    const char *wanted = job->options->metric;
    struct portolan_text known = {0};
    enum portolan_status status = job_read_sums(job, err);

    *metric = is_mpi(wanted) ? TREE_MPI : TREE_TIME;
    if (status != PORTOLAN_OK || is_time(wanted) || is_mpi(wanted))
        return status;
    *metric = TREE_CALLS;
    if (!strcasecmp(wanted, "calls"))
        return PORTOLAN_OK;
    for (size_t i = 0; i < job->sums->n_counters; i++) {
        *metric = TREE_COUNTERS + (int)i;
        if (!strcmp(wanted, job->sums->counter_names[i]))
            break;
        portolan_text_add(&known, ", %s", job->sums->counter_names[i]);
        *metric = TREE_CALLS;
    }
    if (*metric == TREE_CALLS)
        status = portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                    "trial %" PRId64
                                    " has no metric '%s'; the metrics are: time, mpi, calls%s",
                                    job->id, wanted, known.bytes ? known.bytes : "");
    portolan_text_clear(&known);
    return status;
}

/* ------------------------------------------------- names by number */

struct wanted_frame {
    const struct frames *f;
    const char *name, *file;
};

static bool same_frame(const void *wanted, size_t i)
{
    const struct wanted_frame *w = wanted;

    return !strcmp(w->f->frames[i].name, w->name) && !strcmp(w->f->frames[i].file, w->file);
}

size_t frames_find(struct frames *f, const char *name, const char *file)
{
    uint64_t hash = portolan_hash(name, strlen(name) + 1, portolan_hash(file, strlen(file) + 1, 1));
    const struct wanted_frame wanted = {f, name, file};
    size_t at = portolan_index_find(&f->index, hash, same_frame, &wanted);
    struct frame added;

    if (at != SIZE_MAX)
        return at;
    added = (struct frame){portolan_arena_strdup(&f->arena, name),
                           portolan_arena_strdup(&f->arena, file)};
    if (f->arena.failed || !portolan_index_add(&f->index, hash, f->n) ||
        !portolan_arena_append(&f->arena, &f->frames, &f->n, &added, sizeof added)) {
        f->arena.failed = true;
        return 0;
    }
    return f->n - 1;
}

static const char *file_of(const char *implementation, const char *port_type)
{
    return *implementation ? implementation : port_type;
}

size_t frames_of_node(struct frames *f, const struct tree_node *n)
{
    return frames_find(f, n->label, file_of(n->of->implementation, n->of->port_type));
}

size_t frames_of_path(struct frames *f, const struct portolan_sample *path)
{
    row_label(path, &f->label);
    f->arena.failed = f->arena.failed || f->label.failed;
    return frames_find(f, f->label.bytes ? f->label.bytes : "",
                       file_of(path->implementation, path->port_type));
}

void frames_clear(struct frames *f)
{
    portolan_text_clear(&f->label);
    portolan_arena_clear(&f->arena);
    portolan_index_clear(&f->index);
    *f = (struct frames){0};
}
