/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores a report as a trial of the experiment store. Experiments become call paths of one
 * instance, the program; identifiers become contexts; observables other than the clock become
 * counters. The k-th sample of a path with the same identifiers is in step k, so that models have
 * repetitions. If there are more samples than steps, the steps share them evenly.
 */
#include "internal.h"

#include <portolan/list.h>
#include <portolan/store.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 64

/* The samples of a path with one context in one step. */
struct cell {
    int step;
    size_t node;
    const double *row; /* the first row: its identifiers are those of all */
    double calls, inner, inclusive_ns, exclusive_ns, min_ns, max_ns, squares;
    double counters[PORTOLAN_COUNTER_MAX];
    double counted[PORTOLAN_COUNTER_MAX]; /* samples that have the counter */
};

struct storing {
    struct portolan_store *store;
    int64_t trial;
    const struct cll_run *run;
    const struct cll_block *block;
    struct portolan_arena arena; /* for one block */
    struct cell *cells;
    size_t n_cells;
    int64_t *places; /* per node, index of its sample in the current step; -1: none yet */
    struct portolan_sample *samples;
    size_t n_samples;
    double elapsed_ns; /* time of the slowest of all threads */
    struct portolan_error *err;
};

static const struct portolan_cll_sample *like_of(const struct cll_block *block,
                                                 const struct cll_packed_node *node)
{
    return node->experiment == SIZE_MAX ? NULL : &block->experiments[node->experiment].like;
}

static size_t width_of(const struct portolan_cll_sample *like)
{
    return ROW_FIRST + like->n_identifiers + like->n_observables;
}

/*
 * The counter for an observable; NULL for the clock, which is not a counter. Observables in seconds
 * become counters in nanoseconds: *UNIT is the factor.
 */
static const char *counter_of(const char *observable, double *unit)
{
    static const char *const names[][2] = {
        {"CLOCK", NULL}, {"USER", "USER_NS"}, {"SYSTEM", "SYSTEM_NS"}, {"CPUTIME", "CPUTIME_NS"}};

    *unit = 1e9;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(observable, names[i][0]))
            return names[i][1];
    *unit = 1;
    return observable;
}

/* ------------------------------------------------------------------ cells */

static int compare_rows(const void *a, const void *b, void *arg)
{
    const double *x = *(const double *const *)a, *y = *(const double *const *)b;
    size_t n = *(const size_t *)arg;

    for (size_t i = ROW_FIRST; i < ROW_FIRST + n; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return (x > y) - (x < y); /* in order of arrival */
}

static bool same_identifiers(const double *a, const double *b, size_t n)
{
    return !memcmp(a + ROW_FIRST, b + ROW_FIRST, n * sizeof *a);
}

static void add_row(struct cell *c, const struct portolan_cll_sample *like, const double *row)
{
    double t = row[ROW_TICKS] * 1e9, inner = row[ROW_INNER_TICKS] * 1e9;
    const double *observables = row + ROW_FIRST + like->n_identifiers;
    size_t k = 0;

    c->min_ns = c->calls > 0 ? fmin(c->min_ns, t) : t;
    c->max_ns = fmax(c->max_ns, t);
    c->calls++;
    c->inner += row[ROW_INNER];
    c->inclusive_ns += t;
    c->exclusive_ns += fmax(t - inner, 0);
    c->squares += t * t;
    for (size_t i = 0; i < like->n_observables && k < PORTOLAN_COUNTER_MAX; i++) {
        double unit;

        if (!counter_of(like->observables[i], &unit))
            continue;
        if (!isnan(observables[i])) {
            c->counters[k] += observables[i] * unit;
            c->counted[k]++;
        }
        k++;
    }
}

/* ROWS are the N samples of a path with one context, in order of arrival. */
static bool add_context(struct storing *s, size_t node, const double *const *rows, size_t n)
{
    const struct portolan_cll_sample *like = like_of(s->block, &s->block->nodes[node]);
    struct cell *cell = NULL;

    for (size_t i = 0; i < n; i++) {
        int step = n <= STEPS ? (int)i : (int)(i * STEPS / n);

        if (!cell || cell->step != step)
            cell = portolan_arena_append(&s->arena, &s->cells, &s->n_cells,
                                         &(struct cell){.step = step, .node = node, .row = rows[i]},
                                         sizeof *cell);
        if (!cell)
            return false;
        add_row(cell, like, rows[i]);
    }
    return true;
}

static bool add_node(struct storing *s, size_t number)
{
    const struct cll_packed_node *node = &s->block->nodes[number];
    const struct portolan_cll_sample *like = like_of(s->block, node);
    const double **rows = portolan_calloc(node->n_rows + 1, sizeof *rows);
    size_t width = width_of(like), n_identifiers = like->n_identifiers;
    bool good = rows != NULL;

    for (size_t i = 0; good && i < node->n_rows; i++)
        rows[i] = node->rows + i * width;
    if (good)
        qsort_r(rows, node->n_rows, sizeof *rows, compare_rows, &n_identifiers);
    for (size_t i = 0, n; good && i < node->n_rows; i += n) {
        for (n = 1; i + n < node->n_rows && same_identifiers(rows[i], rows[i + n], n_identifiers);)
            n++;
        good = add_context(s, number, rows + i, n);
    }
    free(rows);
    return good;
}

/* Callers come before callees, because nodes are numbered that way. */
static int compare_cells(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;

    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* ------------------------------------------------------------------ samples */

static void name_sample(const struct storing *s, size_t number, struct portolan_sample *sample)
{
    const struct cll_packed_node *node = &s->block->nodes[number];
    const struct portolan_cll_sample *like = like_of(s->block, node);

    *sample = (struct portolan_sample){
        .rank = s->block->rank,
        .thread = (int)node->thread,
        .parent = -1,
        .user = "",
        .uses = "",
        .instance = s->run->program,
        .port = "",
        .implementation = like->file ? like->file : "",
        .port_type = "CALL",
        .method = like->name,
        .quality = NAN,
    };
}

static void count_sample(const struct portolan_cll_sample *like, const struct cell *c,
                         struct portolan_sample *sample)
{
    size_t k = 0;

    for (size_t i = 0; i < like->n_observables && k < PORTOLAN_COUNTER_MAX; i++) {
        double unit;
        const char *name = counter_of(like->observables[i], &unit);

        if (name && c->counted[k] > 0) {
            sample->counter_name[sample->n_counters] = name;
            sample->counter[sample->n_counters++] = c->counters[k];
        }
        k += name != NULL;
    }
}

/* The index of the caller's sample in this step; if there is none, adds one without calls. */
static int64_t place_of(struct storing *s, size_t number)
{
    struct portolan_sample sample;
    int64_t parent;

    if (number == SIZE_MAX || s->block->nodes[number].experiment == SIZE_MAX)
        return -1;
    if (s->places[number] >= 0)
        return s->places[number];
    parent = place_of(s, s->block->nodes[number].parent);
    name_sample(s, number, &sample);
    sample.parent = parent;
    s->samples[s->n_samples] = sample;
    return s->places[number] = (int64_t)s->n_samples++;
}

static void add_sample(struct storing *s, const struct cell *c)
{
    const struct cll_packed_node *node = &s->block->nodes[c->node];
    const struct portolan_cll_sample *like = like_of(s->block, node);
    struct portolan_sample sample;

    name_sample(s, c->node, &sample);
    sample.parent = place_of(s, node->parent);
    for (size_t i = 0; i < like->n_identifiers && i < PORTOLAN_CONTEXT_MAX; i++) {
        sample.context_name[i] = like->identifiers[i];
        sample.context[i] = c->row[ROW_FIRST + i];
        sample.n_context++;
    }
    sample.calls = (int64_t)c->calls;
    sample.subroutines = (int64_t)c->inner;
    sample.inclusive_ns = c->inclusive_ns;
    sample.exclusive_ns = c->exclusive_ns;
    sample.min_ns = c->min_ns;
    sample.max_ns = c->max_ns;
    sample.sum_squares_ns2 = c->squares;
    count_sample(like, c, &sample);
    if (s->places[c->node] < 0)
        s->places[c->node] = (int64_t)s->n_samples;
    s->samples[s->n_samples++] = sample;
}

static enum portolan_status put_step(struct storing *s, size_t from, size_t to)
{
    s->n_samples = 0;
    for (size_t i = 0; i < s->block->n_nodes; i++)
        s->places[i] = -1;
    for (size_t i = from; i < to; i++)
        add_sample(s, &s->cells[i]);
    return portolan_store_put_step(s->store, s->trial, s->cells[from].step, s->samples,
                                   s->n_samples, s->err);
}

/* Adds up the time of a thread from its outermost experiments. */
static void add_elapsed(struct storing *s)
{
    double sum = 0;

    for (size_t i = 0; i < s->n_cells; i++) {
        const struct cll_packed_node *node = &s->block->nodes[s->cells[i].node];

        if (node->parent != SIZE_MAX && s->block->nodes[node->parent].experiment == SIZE_MAX)
            sum += s->cells[i].inclusive_ns;
    }
    s->elapsed_ns = fmax(s->elapsed_ns, sum);
}

static enum portolan_status put_samples(struct storing *s)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < s->block->n_nodes; i++)
        if (s->block->nodes[i].n_rows > 0 && !add_node(s, i))
            return portolan_no_memory(s->err);
    if (s->n_cells > 0)
        qsort(s->cells, s->n_cells, sizeof *s->cells, compare_cells);
    s->places = portolan_arena_alloc(&s->arena, s->block->n_nodes, sizeof *s->places);
    s->samples =
        portolan_arena_alloc(&s->arena, s->n_cells + s->block->n_nodes, sizeof *s->samples);
    if (!s->places || !s->samples)
        return portolan_no_memory(s->err);
    for (size_t i = 0, n; status == PORTOLAN_OK && i < s->n_cells; i += n) {
        for (n = 1; i + n < s->n_cells && s->cells[i + n].step == s->cells[i].step;)
            n++;
        status = put_step(s, i, i + n);
    }
    add_elapsed(s);
    return status;
}

static enum portolan_status put_block(struct storing *s, const struct cll_block *block)
{
    struct portolan_rank_fact host = {block->rank, 0, "host", block->host ? block->host : ""};
    enum portolan_status status;

    s->block = block;
    status = put_samples(s);
    if (status == PORTOLAN_OK)
        status = portolan_store_put_rank_facts(s->store, s->trial, &host, 1, s->err);
    portolan_arena_clear(&s->arena);
    s->cells = NULL;
    s->n_cells = 0;
    return status;
}

/* ------------------------------------------------------------------ the trial */

/* Stores the formulas of the experiments of the first process. */
static enum portolan_status put_formulas(struct storing *s)
{
    const struct cll_block *block = &s->run->blocks[0];
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < block->n_experiments && status == PORTOLAN_OK; i++) {
        const struct portolan_cll_sample *like = &block->experiments[i].like;
        char *name = portolan_asprintf("formula %s", like->name);
        struct portolan_name_value fact = {name, like->formula};

        if (!name)
            status = portolan_no_memory(s->err);
        else if (block->experiments[i].wanted && like->formula)
            status = portolan_store_put_metadata(s->store, s->trial, &fact, 1, s->err);
        free(name);
    }
    return status;
}

/* Stores the facts from the report's head, and the cost of measuring where profiles expect it. */
static enum portolan_status begin_trial(struct storing *s)
{
    const struct portolan_cll_report *facts = s->run->facts;
    struct portolan_trial t = {.assembly = s->run->program, .purpose = "call"};
    struct portolan_name_value *metadata = portolan_calloc(facts->n_headers + 1, sizeof *metadata);
    char cost[40];
    enum portolan_status status;

    if (!metadata)
        return portolan_no_memory(s->err);
    for (size_t i = 0; i < s->run->n_blocks; i++)
        if (s->run->blocks[i].n_ranks > t.ranks)
            t.ranks = s->run->blocks[i].n_ranks;
    for (size_t i = 0; i < facts->n_headers; i++)
        metadata[t.n_metadata++] =
            (struct portolan_name_value){facts->headers[i].name, facts->headers[i].value};
    snprintf(cost, sizeof cost, "%.4g", s->run->cost * 1e9);
    metadata[t.n_metadata++] = (struct portolan_name_value){"cost.call_ns", cost};
    t.metadata = metadata;
    status = portolan_store_begin_trial(s->store, &t, &s->trial, s->err);
    free(metadata);
    return status;
}

static enum portolan_status put_trial(struct storing *s)
{
    enum portolan_status status = begin_trial(s);

    if (status == PORTOLAN_OK)
        status = put_formulas(s);
    for (size_t i = 0; i < s->run->n_blocks && status == PORTOLAN_OK; i++)
        status = put_block(s, &s->run->blocks[i]);
    if (status == PORTOLAN_OK)
        status = portolan_store_end_trial(s->store, s->trial, "finished", s->elapsed_ns, s->err);
    return status;
}

enum portolan_status portolan_cll_store_put(const struct cll_run *run, const char *path,
                                            struct portolan_error *err)
{
    struct storing s = {.run = run, .err = err};
    enum portolan_status status = portolan_store_open(path, PORTOLAN_STORE_WRITE, &s.store, err);

    if (status == PORTOLAN_OK)
        status = portolan_store_begin(s.store, err);
    if (status == PORTOLAN_OK) {
        status = put_trial(&s);
        if (status == PORTOLAN_OK)
            status = portolan_store_commit(s.store, err);
        else
            portolan_store_rollback(s.store);
    }
    if (status == PORTOLAN_OK)
        portolan_store_summarise(s.store, s.trial, NULL); /* optional: makes reading faster */
    portolan_store_close(s.store);
    return status;
}
