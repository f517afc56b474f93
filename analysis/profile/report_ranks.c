/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares ranks: which one is the slowest, and in which method. */
#include "report.h"

#include <math.h>
#include <stdlib.h>

/* The method in which a rank exceeds the mean most. */
struct excess {
    double ns;
    size_t node;
};

/* One rank's sums over all methods; work and waiting in MPI are separate. */
struct total {
    int rank;
    size_t threads;
    double calls, exclusive_ns, mpi_ns;
    struct excess compute, mpi;
};

/* The reported times of a cell, or the mean over ranks of a method. */
struct share {
    double inclusive_ns, exclusive_ns, mpi_ns;
};

static struct share share_of(const struct view *v, const struct portolan_profile_cell *c)
{
    if (v->r->values == PORTOLAN_PROFILE_RAW)
        return (struct share){c->inclusive_ns, c->exclusive_ns, c->mpi_ns};
    return (struct share){c->all_inclusive_ns, c->all_exclusive_ns, c->all_mpi_ns};
}

/* The mean over ranks of the cells from I on that belong to one method. */
static struct share mean_share(const struct view *v, size_t i)
{
    size_t node = v->p->cells[i].node;
    struct share mean = {0};

    for (; i < v->p->n_cells && v->p->cells[i].node == node; i++) {
        struct share s = share_of(v, &v->p->cells[i]);

        mean.exclusive_ns += s.exclusive_ns / v->p->ranks;
        mean.mpi_ns += s.mpi_ns / v->p->ranks;
    }
    return mean;
}

static void note_excess(struct excess *e, double ns, double mean_ns, size_t node)
{
    if (ns - mean_ns > e->ns)
        *e = (struct excess){ns - mean_ns, node};
}

/* Adds all threads of a rank on one method to TOTALS; returns the index after their cells. */
static size_t add_rank(const struct view *v, size_t i, const struct share *mean,
                       struct total *totals)
{
    const struct portolan_profile *p = v->p;
    const struct portolan_profile_cell *first = &p->cells[i];
    struct total *t = &totals[first->rank];
    double exclusive = 0, mpi = 0;

    for (; i < p->n_cells && p->cells[i].node == first->node && p->cells[i].rank == first->rank;
         i++) {
        size_t threads = (size_t)p->cells[i].thread + 1;
        struct share s = share_of(v, &p->cells[i]);

        exclusive += s.exclusive_ns;
        mpi += s.mpi_ns;
        t->calls += p->cells[i].calls;
        t->threads = threads > t->threads ? threads : t->threads;
    }
    t->exclusive_ns += exclusive;
    t->mpi_ns += mpi;
    note_excess(&t->compute, exclusive - mpi, mean->exclusive_ns - mean->mpi_ns, first->node);
    note_excess(&t->mpi, mpi, mean->mpi_ns, first->node);
    return i;
}

/* Adds all ranks on one method, likewise. */
static size_t add_method(const struct view *v, size_t i, struct total *totals)
{
    const struct share mean = mean_share(v, i);
    size_t node = v->p->cells[i].node;

    while (i < v->p->n_cells && v->p->cells[i].node == node)
        i = add_rank(v, i, &mean, totals);
    return i;
}

/* The totals of the ranks that have cells, *N of them; the caller frees them. */
static struct total *sum_ranks(const struct view *v, size_t *n)
{
    const struct portolan_profile *p = v->p;
    struct total *totals;
    int most = -1;

    *n = 0;
    for (size_t i = 0; i < p->n_cells; i++)
        most = p->cells[i].rank > most ? p->cells[i].rank : most;
    if (!(totals = portolan_calloc((size_t)most + 2, sizeof *totals)))
        return NULL;
    for (int r = 0; r <= most; r++)
        totals[r] = (struct total){.rank = r, .compute.ns = -INFINITY, .mpi.ns = -INFINITY};
    for (size_t i = 0; i < p->n_cells;)
        i = p->nodes[p->cells[i].node].is_context ? i + 1 : add_method(v, i, totals);
    for (int r = 0; r <= most; r++)
        if (totals[r].threads)
            totals[(*n)++] = totals[r];
    return totals;
}

static int slowest_first(const void *a, const void *b)
{
    const struct total *x = a, *y = b;

    if (x->exclusive_ns - x->mpi_ns != y->exclusive_ns - y->mpi_ns)
        return x->exclusive_ns - x->mpi_ns > y->exclusive_ns - y->mpi_ns ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static void write_excess(const struct view *v, const struct excess *e, struct grid *out)
{
    struct portolan_text label = {.arena = &out->arena};

    if (e->ns > 0) {
        portolan_profile_add_label(&v->p->nodes[e->node], false, &label);
        grid_number(out, e->ns);
    } else {
        grid_text(out, "");
    }
    grid_take(out, &label);
}

static void write_total(const struct view *v, const struct total *t, double mean, struct grid *out)
{
    double compute = t->exclusive_ns - t->mpi_ns;

    grid_numbers(out, t->rank, (double)t->threads, t->calls, t->exclusive_ns, t->mpi_ns, compute,
                 mean != 0 ? compute / mean - 1 : NAN);
    write_excess(v, &t->compute, out);
    write_excess(v, &t->mpi, out);
}

static enum portolan_status write_totals(const struct view *v)
{
    static const struct grid_column columns[] = {
        {"rank", GRID_COUNT},      {"threads", GRID_COUNT},
        {"calls", GRID_COUNT},     {"time", GRID_TIME},
        {"mpi", GRID_TIME},        {"compute", GRID_TIME},
        {"vs mean", GRID_PERCENT}, {"compute above mean", GRID_EACH},
        {"in", GRID_NAME},         {"mpi above mean", GRID_EACH},
        {"in", GRID_NAME},
    };
    struct grid t = {
        .columns = columns, .n_columns = sizeof columns / sizeof *columns, .wide = v->r->wide};
    size_t n, shown;
    struct total *totals = sum_ranks(v, &n);
    double compute = 0;

    if (!totals)
        return portolan_no_memory(v->err);
    for (size_t i = 0; i < n; i++)
        compute += totals[i].exclusive_ns - totals[i].mpi_ns;
    qsort(totals, n, sizeof *totals, slowest_first);
    shown = v->r->top && v->r->top < n ? v->r->top : n;
    for (size_t i = 0; i < shown; i++)
        write_total(v, &totals[i], compute / v->p->ranks, &t);
    portolan_text_add(v->out,
                      "time: all methods' exclusive time; compute = time - mpi, slowest first; "
                      "in: where it is farthest above the mean\n");
    grid_write(&t, v->out);
    if (shown < n)
        portolan_text_add(v->out, "... and %zu more ranks\n", n - shown);
    free(totals);
    return PORTOLAN_OK;
}

static void write_cell(const struct view *v, const struct portolan_profile_cell *c,
                       const struct share *mean, struct grid *out)
{
    const struct portolan_profile_node *n = &v->p->nodes[c->node];
    const struct share s = share_of(v, c);
    double mean_compute = mean->exclusive_ns - mean->mpi_ns;
    struct portolan_text label = {.arena = &out->arena};

    portolan_profile_add_label(n, profile_is_ambiguous(v->p, c->node), &label);
    grid_take(out, &label);
    grid_numbers(out, c->rank, c->thread, c->calls);
    if (v->metric == METRIC_COUNTER) {
        double ratio = v->r->values == PORTOLAN_PROFILE_RAW
                           ? 1
                           : portolan_timed_ratio(c->calls, c->timed_calls);

        grid_number(out, c->counters[v->counter] * ratio);
        grid_number(out, c->timed_calls > 0 ? c->counters[v->counter] / c->timed_calls : NAN);
        return;
    }
    grid_numbers(out, s.inclusive_ns, s.exclusive_ns, s.mpi_ns, s.exclusive_ns - s.mpi_ns,
                 mean_compute != 0 ? (s.exclusive_ns - s.mpi_ns) / mean_compute - 1 : NAN,
                 c->timed_calls > 0 ? c->max_ns : NAN);
}

static void write_cells(const struct view *v)
{
    static const struct grid_column time_columns[] = {
        {"method", GRID_NAME},  {"rank", GRID_COUNT},     {"thread", GRID_COUNT},
        {"calls", GRID_COUNT},  {"inclusive", GRID_TIME}, {"exclusive", GRID_TIME},
        {"mpi", GRID_TIME},     {"compute", GRID_TIME},   {"vs mean", GRID_PERCENT},
        {"longest", GRID_EACH},
    };
    static const struct grid_column count_columns[] = {
        {"method", GRID_NAME}, {"rank", GRID_COUNT},       {"thread", GRID_COUNT},
        {"calls", GRID_COUNT}, {"inclusive", GRID_NUMBER}, {"per call", GRID_NUMBER},
    };
    bool counts = v->metric == METRIC_COUNTER;
    struct grid t = {.columns = counts ? count_columns : time_columns,
                     .n_columns = counts ? 6 : 10,
                     .wide = v->r->wide};
    size_t shown = 0, all = 0;
    struct share mean = {0};

    for (size_t i = 0; i < v->p->n_cells; i++) {
        const struct portolan_profile_cell *c = &v->p->cells[i];

        if (i == 0 || c->node != c[-1].node)
            mean = mean_share(v, i);
        if (v->p->nodes[c->node].is_context || !view_matches(v, c->node))
            continue;
        all++;
        if (v->r->top && shown == v->r->top)
            continue;
        shown++;
        write_cell(v, c, &mean, &t);
    }
    portolan_text_add(v->out, "%s by rank and thread%s\n",
                      counts                                 ? v->r->metric
                      : v->r->values == PORTOLAN_PROFILE_RAW ? "raw times"
                                                             : "times",
                      counts ? "" : "; vs mean: compute against the mean over ranks");
    grid_write(&t, v->out);
    if (shown < all)
        portolan_text_add(v->out, "... and %zu more lines\n", all - shown);
}

enum portolan_status report_ranks(struct view *v)
{
    enum portolan_status status = view_open(v, "called");

    if (status == PORTOLAN_OK && v->r->method)
        write_cells(v);
    else if (status == PORTOLAN_OK)
        status = write_totals(v);
    view_close(v);
    return status;
}
