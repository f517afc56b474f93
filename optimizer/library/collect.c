/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completes the survey: finds the call path of each sample and the selection of each step, and adds
 * up the samples by call path. Times are those of the slowest rank, failures and accuracies those
 * of all ranks.
 */
#include "survey.h"

#include <math.h>
#include <portolan/list.h>
#include <stdlib.h>
#include <string.h>

bool survey_same_call(const struct survey_node *n, const struct portolan_sample *x)
{
    return strcmp(n->method, x->method) == 0 && strcmp(n->instance, x->instance) == 0 &&
           strcmp(n->port, x->port) == 0 && strcmp(n->user, x->user) == 0 &&
           strcmp(n->uses, x->uses) == 0;
}

static size_t add_node(struct survey *s, size_t parent, const struct portolan_sample *x)
{
    size_t k = s->n_nodes;
    struct survey_node n = {
        .parent = parent == NONE ? -1 : (long)parent,
        .next_sibling = NONE,
        .first_child = NONE,
        .user = x->user,
        .uses = x->uses,
        .instance = x->instance,
        .port = x->port,
        .method = x->method,
        .variable = survey_variable_of(s, x->instance),
        .caller = survey_variable_of(s, x->user),
        .n_context = x->n_context < PORTOLAN_CONTEXT_MAX ? x->n_context : PORTOLAN_CONTEXT_MAX,
    };

    memcpy(n.context_name, x->context_name, sizeof n.context_name);
    return portolan_arena_append(&s->pool, &s->nodes, &s->n_nodes, &n, sizeof n) ? k : NONE;
}

/* The call path of sample X below PARENT (NONE: a root); NONE when memory is out. */
static size_t find_node(struct survey *s, size_t *first_root, size_t parent,
                        const struct portolan_sample *x)
{
    size_t *link = parent == NONE ? first_root : &s->nodes[parent].first_child;

    while (*link != NONE) {
        if (survey_same_call(&s->nodes[*link], x))
            return *link;
        link = &s->nodes[*link].next_sibling;
    }
    *link = s->n_nodes;
    return add_node(s, parent, x);
}

/* FAILED: the number of failed calls that no failed call below them explains. */
static void add_quality(struct survey *s, size_t node, size_t row, size_t own,
                        const struct portolan_sample *x, int64_t failed)
{
    struct survey_quality q = {.node = node,
                               .row = row,
                               .own = own,
                               .value = x->quality,
                               .failed = failed > 0 ? failed : 0};

    if (isnan(x->quality) && failed <= 0 && !(s->nodes[node].fails && x->calls))
        return;
    for (int k = 0; k < s->nodes[node].n_context && k < x->n_context; k++)
        q.context[k] = x->context[k];
    portolan_arena_append(&s->pool, &s->qualities, &s->n_qualities, &q, sizeof q);
}

static void add_entry(struct survey *s, size_t node, size_t row, size_t own,
                      const struct portolan_sample *x, const struct portolan_sample_estimate *e)
{
    struct survey_entry p = {.node = node,
                             .row = row,
                             .own = own,
                             .calls = (double)x->calls,
                             .inclusive = e->inclusive_ns,
                             .exclusive = fmax(e->exclusive_ns, 0),
                             .mpi = e->mpi_ns};

    for (int k = 0; k < s->nodes[node].n_context && k < x->n_context; k++)
        p.context[k] = x->context[k];
    portolan_arena_append(&s->pool, &s->entries, &s->n_entries, &p, sizeof p);
}

/* *SEEN: the alternative + 1, or 0 before one is seen; fill_selections() subtracts the 1 again. */
static void note_selection(size_t *seen, size_t own)
{
    size_t now = own == NONE ? NONE : own + 1;

    *seen = *seen == 0 || *seen == now ? now : NONE;
}

/*
 * Finds trials that failed without a failed call, or were cut off. A trial that is stored as still
 * running counts as cut off only if it explored, since other runs may have been stopped by their
 * user.
 */
static void find_blind_ends(struct survey *s)
{
    for (size_t i = 0; i < s->n_trials; i++) {
        struct survey_trial *t = &s->trials[i];
        bool cut_off =
            !strcmp(t->trial->outcome, "running") && !strcmp(t->trial->purpose, "explore");

        bool is_known = survey_blames(t->trial, NULL, NULL);

        t->ended_blindly = (t->failed || cut_off) && !t->had_failures && !is_known;
        s->ended_blindly = s->ended_blindly || t->ended_blindly || is_known;
    }
    for (size_t n = 0; s->ended_blindly && n < s->n_nodes; n++)
        s->nodes[n].fails = true; /* so that calls that worked are listed, too */
}

/* Assigns a call path to every sample; notes selections and failed calls. */
static enum portolan_status find_nodes(struct survey *s, const size_t *row_of_sample,
                                       size_t *node_of)
{
    size_t first_root = NONE;

    for (size_t i = 0; i < s->data->n_samples; i++) {
        const struct portolan_sample *x = &s->data->samples[i];
        size_t row = row_of_sample[i], parent = NONE, v;

        if (row == NONE)
            continue;
        if (x->parent >= 0 && (size_t)x->parent < i)
            parent = node_of[x->parent];
        node_of[i] = find_node(s, &first_root, parent, x);
        if (node_of[i] == NONE)
            return PORTOLAN_ENOMEM;
        v = s->nodes[node_of[i]].variable;
        if (v != NONE)
            note_selection(&s->rows[row].selection[v],
                           survey_alternative_of(s, v, x->implementation));
        s->nodes[node_of[i]].fails |= x->failed_calls > 0;
        s->trials[s->rows[row].trial].had_failures |= x->failed_calls > 0;
    }
    find_blind_ends(s);
    return PORTOLAN_OK;
}

/* Takes the times of the slowest ranks, and the failures and accuracies of all ranks. */
static enum portolan_status gather_samples(struct survey *s, const size_t *row_of_sample)
{
    size_t n = s->data->n_samples;
    struct portolan_arena pool = {0};
    size_t *node_of = portolan_arena_alloc(&pool, n, sizeof *node_of);
    int64_t *excused = portolan_arena_alloc(&pool, n, sizeof *excused); /* failed calls below */
    struct portolan_sample_estimate *estimates = portolan_arena_alloc(&pool, n, sizeof *estimates);
    enum portolan_status status = pool.failed ? PORTOLAN_ENOMEM : PORTOLAN_OK;

    if (!status)
        portolan_samples_estimate(s->data->samples, n, estimates);
    for (size_t i = 0; !status && i < n; i++)
        if (s->data->samples[i].parent >= 0 && (size_t)s->data->samples[i].parent < i)
            excused[s->data->samples[i].parent] += s->data->samples[i].failed_calls;
    if (!status)
        status = find_nodes(s, row_of_sample, node_of);
    for (size_t i = 0; !status && i < n; i++) {
        const struct portolan_sample *x = &s->data->samples[i];
        size_t row = row_of_sample[i], v, own;
        const struct survey_trial *t;

        if (row == NONE)
            continue;
        v = s->nodes[node_of[i]].variable;
        own = v == NONE ? NONE : survey_alternative_of(s, v, x->implementation);
        t = &s->trials[s->rows[row].trial];
        add_quality(s, node_of[i], row, own, x, x->failed_calls - excused[i]);
        /* If no call was timed, only the number of calls is known. */
        if (!t->failed && x->rank == t->rank && !(x->failed_calls && !x->calls) &&
            estimates[i].known)
            add_entry(s, node_of[i], row, own, x, &estimates[i]);
        status = s->pool.failed ? PORTOLAN_ENOMEM : PORTOLAN_OK;
    }
    portolan_arena_clear(&pool);
    return status;
}

/* Completes the selections: an instance that was not called in a step has the class that it had
 * before. */
static void fill_selections(struct survey *s, size_t trial, size_t *current)
{
    const struct survey_trial *t = &s->trials[trial];

    for (size_t v = 0; v < s->n_variables; v++)
        current[v] = t->selection[v];
    for (size_t r = t->first_row; r < t->first_row + t->n_rows; r++)
        for (size_t v = 0; v < s->n_variables; v++) {
            size_t *seen = &s->rows[r].selection[v];

            if (*seen != 0)
                current[v] = *seen == NONE ? NONE : *seen - 1;
            *seen = current[v];
        }
}

static int entry_order(const void *left, const void *right)
{
    const struct survey_entry *a = left, *b = right;

    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->own != b->own)
        return a->own < b->own ? -1 : 1;
    for (int k = 0; k < PORTOLAN_CONTEXT_MAX; k++)
        if (a->context[k] != b->context[k])
            return a->context[k] < b->context[k] ? -1 : 1;
    return 0;
}

/* Merges entries that differ only in the thread, or in the context of the caller. */
static void merge_entries(struct survey *s)
{
    size_t kept = 0;

    if (s->n_entries)
        qsort(s->entries, s->n_entries, sizeof *s->entries, entry_order);
    for (size_t i = 0; i < s->n_entries; i++) {
        struct survey_entry *p = &s->entries[i], *last = kept ? &s->entries[kept - 1] : NULL;

        if (last && entry_order(last, p) == 0) {
            last->calls += p->calls;
            last->inclusive += p->inclusive;
            last->exclusive += p->exclusive;
            last->mpi += p->mpi;
        } else {
            s->entries[kept++] = *p;
        }
    }
    s->n_entries = kept;
}

static enum portolan_status sum_entries(struct survey *s)
{
    size_t size;

    if (__builtin_mul_overflow(s->n_nodes, s->n_rows, &size))
        return PORTOLAN_ENOMEM;
    if (!(s->sums = portolan_arena_alloc(&s->pool, size, sizeof *s->sums)))
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < s->n_entries; i++) {
        const struct survey_entry *p = &s->entries[i];
        struct survey_node *n = &s->nodes[p->node];
        struct survey_sum *sum = &s->sums[p->node * s->n_rows + p->row];

        if (n->n_entries++ == 0)
            n->first_entry = i;
        sum->present = true;
        sum->calls += p->calls;
        sum->inclusive += p->inclusive;
        sum->exclusive += p->exclusive;
        sum->mpi += p->mpi;
    }
    return PORTOLAN_OK;
}

static int quality_order(const void *left, const void *right)
{
    const struct survey_quality *a = left, *b = right;

    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static void sort_qualities(struct survey *s)
{
    if (s->n_qualities)
        qsort(s->qualities, s->n_qualities, sizeof *s->qualities, quality_order);
    for (size_t i = 0; i < s->n_qualities; i++) {
        struct survey_node *n = &s->nodes[s->qualities[i].node];

        if (n->n_qualities++ == 0)
            n->first_quality = i;
    }
}

double survey_time_of(const struct survey *s, size_t first_row, size_t n_rows, double *steps)
{
    double inclusive = 0;

    *steps = 0;
    for (size_t r = first_row; r < first_row + n_rows; r++) {
        for (size_t n = 0; n < s->n_nodes; n++)
            if (s->nodes[n].parent < 0)
                inclusive += survey_sum_of(s, n, r)->inclusive;
        *steps += s->rows[r].steps;
    }
    return inclusive;
}

/* Finds or adds the segment of a row in MINUTE of its trial, whose segments begin at FIRST. */
static struct survey_segment *segment_of(struct survey *s, struct survey_row *row, size_t first,
                                         size_t minute)
{
    size_t g = s->n_segments;

    while (g > first && s->segments[g - 1].minute == minute) {
        g--;
        if (memcmp(s->segments[g].selection, row->selection,
                   s->n_variables * sizeof *row->selection) == 0) {
            row->segment = g;
            return &s->segments[g];
        }
    }
    row->segment = s->n_segments;
    s->segments[s->n_segments] =
        (struct survey_segment){.trial = row->trial, .minute = minute, .selection = row->selection};
    return &s->segments[s->n_segments++];
}

static enum portolan_status make_segments(struct survey *s)
{
    static const double minute_ns = 60e9;

    s->segments = portolan_arena_alloc(&s->pool, s->n_rows, sizeof *s->segments);
    if (!s->segments)
        return PORTOLAN_ENOMEM;
    for (size_t t = 0; t < s->n_trials; t++) {
        const struct survey_trial *trial = &s->trials[t];
        size_t first = s->n_segments;
        double at = 0;

        for (size_t r = trial->first_row; r < trial->first_row + trial->n_rows; r++) {
            double steps, ns = survey_time_of(s, r, 1, &steps);
            struct survey_segment *g;

            if (s->rows[r].once)
                continue;
            g = segment_of(s, &s->rows[r], first, (size_t)fmin(at / minute_ns, 1e9));
            g->step_ns = (g->step_ns * g->steps + ns) / (g->steps + steps);
            g->steps += steps;
            g->n_rows++;
            at += ns;
        }
    }
    return PORTOLAN_OK;
}

bool survey_is_called(const struct survey *s, const struct survey_trial *t, size_t node)
{
    for (size_t r = t->first_row; r < t->first_row + t->n_rows; r++)
        if (survey_sum_of(s, node, r)->present)
            return true;
    return false;
}

enum portolan_status survey_collect(struct survey *s, const size_t *row_of_sample)
{
    size_t *current = portolan_calloc(s->n_variables + 1, sizeof *current);
    enum portolan_status status = current ? gather_samples(s, row_of_sample) : PORTOLAN_ENOMEM;

    for (size_t t = 0; !status && t < s->n_trials; t++)
        fill_selections(s, t, current);
    free(current);
    if (status)
        return status;
    merge_entries(s);
    sort_qualities(s);
    status = sum_entries(s);
    return status ? status : make_segments(s);
}
