/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes how the time was spent: call paths, ranks, messages, events. Large trials are shown in
 * part. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So much is shown at most; the rest is counted. */
enum { MOST_PATHS = 600, MOST_RANKS = 64, MOST_CELLS = 20000, SOME_RANKS = 24, MOST_PAIRS = 400 };
enum { MOST_EVENTS = 300 };

struct shown_paths {
    const struct report *r;
    const struct portolan_profile *p;
    size_t n;
    size_t *nodes;  /* positions in the profile, parents first */
    int64_t *place; /* of each node among them; -1: left out */
    const struct portolan_plan_node *plan;
    long *planned; /* of each node of the profile: position in the plan's graph; -1 */
    size_t n_plan;
};

/* ------------------------------------------------------------------ which paths */

static const struct portolan_profile *sorting;

static int by_inclusive(const void *a, const void *b)
{
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    double x = sorting->nodes[i].inclusive.value, y = sorting->nodes[k].inclusive.value;

    return x < y ? 1 : x > y ? -1 : (i > k) - (i < k);
}

/* Notes the node and those above it. */
static void choose_path(struct shown_paths *s, size_t node)
{
    for (int64_t i = (int64_t)node; i >= 0 && s->place[i] < 0; i = s->p->nodes[i].parent) {
        s->place[i] = 0;
        s->n++;
    }
}

/* A path has more inclusive time than those below it, so that the heaviest are a tree. */
static void choose_paths(struct shown_paths *s)
{
    size_t k = 0;

    for (size_t i = 0; i < s->p->n_nodes; i++) {
        s->nodes[i] = i;
        s->place[i] = -1;
    }
    sorting = s->p;
    qsort(s->nodes, s->p->n_nodes, sizeof *s->nodes, by_inclusive);
    for (size_t i = 0; i < s->p->n_nodes && s->n < MOST_PATHS; i++)
        choose_path(s, s->nodes[i]);
    for (size_t i = 0; i < s->p->n_nodes; i++)
        if (s->place[i] == 0) {
            s->place[i] = (int64_t)k;
            s->nodes[k++] = i;
        }
}

/* The plan's graph has the same call paths, without ports. */
static void find_planned(struct shown_paths *s)
{
    s->n_plan = s->r->from->plan ? portolan_plan_peek_callgraph(s->r->from->plan, &s->plan) : 0;
    for (size_t i = 0; i < s->p->n_nodes; i++) {
        const struct portolan_profile_node *n = &s->p->nodes[i];
        long parent = n->parent < 0 ? -1 : s->planned[n->parent];

        s->planned[i] = -1;
        for (size_t k = 0; k < s->n_plan && s->planned[i] < 0 && (n->parent < 0 || parent >= 0);
             k++)
            if (s->plan[k].parent == parent && !strcmp(s->plan[k].instance, n->instance) &&
                !strcmp(s->plan[k].method, n->method))
                s->planned[i] = (long)k;
    }
}

static enum portolan_status open_paths(struct shown_paths *s, struct portolan_error *err)
{
    s->nodes = portolan_calloc(s->p->n_nodes + 1, sizeof *s->nodes);
    s->place = portolan_calloc(s->p->n_nodes + 1, sizeof *s->place);
    s->planned = portolan_calloc(s->p->n_nodes + 1, sizeof *s->planned);
    if (!s->nodes || !s->place || !s->planned)
        return portolan_no_memory(err);
    choose_paths(s);
    find_planned(s);
    return PORTOLAN_OK;
}

static void close_paths(struct shown_paths *s)
{
    free(s->nodes);
    free(s->place);
    free(s->planned);
}

/* ------------------------------------------------------------------ paths */

double report_total(const struct portolan_profile *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->n_nodes; i++)
        sum += p->nodes[i].parent < 0 && isfinite(p->nodes[i].inclusive.value)
                   ? p->nodes[i].inclusive.value
                   : 0;
    return sum;
}

static void write_label(const struct portolan_profile_node *n, struct portolan_json *j)
{
    struct portolan_text label = {0};

    portolan_profile_add_label(n, false, &label);
    portolan_json_text(j, "label", label.bytes);
    j->out->failed |= label.failed;
    portolan_text_clear(&label);
}

static void write_mark(const struct shown_paths *s, size_t node, struct portolan_json *j)
{
    char text[160] = "";
    const struct portolan_prune_mark *m =
        s->planned[node] < 0 ? NULL : &s->plan[s->planned[node]].mark;

    if (m)
        portolan_callgraph_explain(m, text, sizeof text);
    portolan_json_bool(j, "pruned", m && m->rule != PORTOLAN_KEPT);
    portolan_json_text(j, "rule", text);
}

/* "time/solver.solve/heat.Cholmod", and the node's number if others are called so, too. */
static void write_path_link(const struct shown_paths *s, size_t node, struct portolan_json *j)
{
    const struct portolan_profile_node *n = &s->p->nodes[node];
    char called[200], number[24] = "";

    snprintf(called, sizeof called, "%s.%s", n->instance, n->method);
    for (size_t i = 0; i < s->n && s->nodes[i] < node && !*number; i++) {
        const struct portolan_profile_node *other = &s->p->nodes[s->nodes[i]];

        if (!strcmp(other->instance, n->instance) && !strcmp(other->method, n->method) &&
            !strcmp(other->implementation, n->implementation))
            snprintf(number, sizeof number, "%zu", node);
    }
    report_write_link(j, "time", (const char *const[]){called, n->implementation, number}, 3);
}

static void write_path(const struct shown_paths *s, size_t node, double total,
                       struct portolan_json *j)
{
    const struct portolan_profile_node *n = &s->p->nodes[node];
    double ranks = s->p->ranks;

    portolan_json_open(j, NULL, '{');
    write_path_link(s, node, j);
    portolan_json_number(j, "node", (double)node);
    portolan_json_number(j, "parent", n->parent < 0 ? -1 : (double)s->place[n->parent]);
    portolan_json_number(j, "depth", n->depth);
    write_label(n, j);
    portolan_json_text(j, "instance", n->instance);
    portolan_json_text(j, "method", n->method);
    portolan_json_text(j, "implementation", n->implementation);
    portolan_json_number(j, "calls", n->calls.sum / ranks);
    portolan_json_number(j, "inclusive_ns", n->inclusive.value / ranks);
    portolan_json_number(j, "exclusive_ns", n->exclusive.value / ranks);
    portolan_json_number(j, "mpi_ns", n->mpi.value / ranks);
    portolan_json_number(j, "slowest_ns", n->inclusive_ns.max);
    portolan_json_number(j, "slowest_rank", n->inclusive_ns.max_rank);
    portolan_json_number(j, "imbalance", portolan_imbalance(&n->exclusive_ns));
    portolan_json_number(j, "share", total > 0 ? n->exclusive.value / total : NAN);
    portolan_json_bool(j, "sampled", n->is_sampled);
    portolan_json_bool(j, "too_short", n->is_marked);
    write_mark(s, node, j);
    portolan_json_open(j, "counters", '{');
    for (size_t k = 0; k < s->p->n_counters; k++)
        if (n->counted >> k & 1)
            portolan_json_number(j, s->p->counter_names[k], n->counters[k].mean);
    portolan_json_close(j, '}');
    portolan_json_close(j, '}');
}

static void write_paths(const struct shown_paths *s, struct portolan_json *j)
{
    double total = report_total(s->p), left_out = 0;

    portolan_json_open(j, "paths", '[');
    for (size_t i = 0; i < s->n; i++)
        write_path(s, s->nodes[i], total, j);
    portolan_json_close(j, ']');
    for (size_t i = 0; i < s->p->n_nodes; i++)
        left_out += s->place[i] < 0 && isfinite(s->p->nodes[i].exclusive.value)
                        ? s->p->nodes[i].exclusive.value
                        : 0;
    portolan_json_number(j, "paths_left_out", (double)(s->p->n_nodes - s->n));
    portolan_json_number(j, "share_left_out", total > 0 ? left_out / total : 0);
    portolan_json_open(j, "counters", '[');
    for (size_t k = 0; k < s->p->n_counters; k++)
        portolan_json_text(j, NULL, s->p->counter_names[k]);
    portolan_json_close(j, ']');
}

/* ------------------------------------------------------------------ ranks */

static void write_row(const struct shown_paths *s, const double *values, const char *key,
                      struct portolan_json *j)
{
    portolan_json_open(j, key, '[');
    for (size_t i = 0; i < s->n; i++)
        portolan_json_number(j, NULL, round(values[s->nodes[i]]));
    portolan_json_close(j, ']');
}

/* The values of a rank, from cells of its threads. */
static void write_rank(const struct shown_paths *s, const struct portolan_profile *cells, int rank,
                       double *inclusive, double *exclusive, struct portolan_json *j)
{
    memset(inclusive, 0, s->p->n_nodes * sizeof *inclusive);
    memset(exclusive, 0, s->p->n_nodes * sizeof *exclusive);
    for (size_t i = 0; i < cells->n_cells; i++) {
        const struct portolan_profile_cell *c = &cells->cells[i];

        if (c->rank != rank || c->node >= s->p->n_nodes)
            continue;
        inclusive[c->node] += isfinite(c->all_inclusive_ns) ? c->all_inclusive_ns : 0;
        exclusive[c->node] += isfinite(c->all_exclusive_ns) ? c->all_exclusive_ns : 0;
    }
    portolan_json_open(j, NULL, '{');
    portolan_json_number(j, "rank", rank);
    write_row(s, inclusive, "inclusive_ns", j);
    write_row(s, exclusive, "exclusive_ns", j);
    portolan_json_close(j, '}');
}

static bool same_path(const struct portolan_profile_node *a, const struct portolan_profile_node *b)
{
    return !strcmp(a->method, b->method) && !strcmp(a->instance, b->instance) &&
           !strcmp(a->uses, b->uses) && !strcmp(a->user, b->user) &&
           !strcmp(a->implementation, b->implementation);
}

/* One rank's profile has call paths of its own, by other numbers: those of the whole are put in. */
static bool renumber(const struct portolan_profile *whole, struct portolan_profile *rank)
{
    int64_t *to = portolan_calloc(rank->n_nodes + 1, sizeof *to);
    size_t next = 0;

    for (size_t i = 0; to && i < rank->n_nodes; i++) {
        int64_t parent = rank->nodes[i].parent < 0 ? -1 : to[rank->nodes[i].parent];

        to[i] = (int64_t)whole->n_nodes; /* of none */
        for (size_t k = 0; k < whole->n_nodes; k++) {
            size_t at = (next + k) % whole->n_nodes; /* mostly in the same order */

            if (whole->nodes[at].parent == parent &&
                same_path(&whole->nodes[at], &rank->nodes[i])) {
                to[i] = (int64_t)at;
                next = at + 1;
                break;
            }
        }
    }
    for (size_t i = 0; to && i < rank->n_cells; i++)
        rank->cells[i].node = (size_t)to[rank->cells[i].node];
    free(to);
    return to != NULL;
}

static int slowest_rank(const struct portolan_profile *p)
{
    double most = -1;
    int rank = 0;

    for (size_t i = 0; i < p->n_nodes; i++)
        if (p->nodes[i].compute_ns.max > most && p->nodes[i].compute_ns.max_rank >= 0) {
            most = p->nodes[i].compute_ns.max;
            rank = p->nodes[i].compute_ns.max_rank;
        }
    return rank;
}

/* All ranks, or some evenly from the first to the last with the slowest in their order. */
static size_t list_ranks(const struct portolan_profile *p, int ranks[static MOST_RANKS + 1])
{
    int all = p->ranks, slowest = slowest_rank(p);
    size_t n = (size_t)all <= MOST_RANKS && (size_t)all * p->n_nodes <= MOST_CELLS ? (size_t)all
               : all < SOME_RANKS                                                  ? (size_t)all
                                                                                   : SOME_RANKS;
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        int rank = n > 1 ? (int)((long long)i * (all - 1) / (long long)(n - 1)) : slowest;

        if (k && slowest > ranks[k - 1] && slowest < rank)
            ranks[k++] = slowest;
        if (!k || rank > ranks[k - 1])
            ranks[k++] = rank;
    }
    return k;
}

/* The values of *RANK, or of all; *CELLS stays NULL if there are no samples of it. */
static enum portolan_status read_cells(const struct shown_paths *s, const int *rank,
                                       struct portolan_profile **cells, struct portolan_error *err)
{
    const struct portolan_profile_query q = {
        .trial = s->r->shown->id, .cells = true, .rank = rank, .like = s->p};
    struct portolan_error why = {0};
    enum portolan_status status = portolan_profile_read(s->r->from->store, &q, cells, &why);

    if (status == PORTOLAN_ENOTFOUND) /* only the first rank's samples are stored, say */
        return PORTOLAN_OK;
    if (status)
        *err = why;
    return status || renumber(s->p, *cells) ? status : portolan_no_memory(err);
}

static enum portolan_status write_some_ranks(const struct shown_paths *s, const int *ranks,
                                             size_t n, double *scratch, struct portolan_json *j,
                                             struct portolan_error *err)
{
    bool at_once = n == (size_t)s->p->ranks;
    struct portolan_profile *cells = NULL;
    enum portolan_status status = at_once ? read_cells(s, NULL, &cells, err) : PORTOLAN_OK;

    for (size_t i = 0; !status && i < n; i++) {
        if (!at_once) {
            portolan_profile_destroy(cells);
            cells = NULL;
            status = read_cells(s, &ranks[i], &cells, err);
        }
        if (cells)
            write_rank(s, cells, ranks[i], scratch, scratch + s->p->n_nodes, j);
    }
    portolan_profile_destroy(cells);
    return status;
}

static enum portolan_status write_ranks(const struct shown_paths *s, struct portolan_json *j,
                                        struct portolan_error *err)
{
    int ranks[MOST_RANKS + 1];
    size_t n = list_ranks(s->p, ranks);
    double *scratch = portolan_calloc(2 * s->p->n_nodes + 1, sizeof *scratch);
    enum portolan_status status = scratch ? PORTOLAN_OK : portolan_no_memory(err);

    portolan_json_number(j, "slowest_rank", slowest_rank(s->p));
    portolan_json_number(j, "ranks_left_out", s->p->ranks - (double)n);
    portolan_json_open(j, "ranks", '[');
    if (!status)
        status = write_some_ranks(s, ranks, n, scratch, j, err);
    portolan_json_close(j, ']');
    free(scratch);
    return status;
}

/* ------------------------------------------------------------------ messages */

static enum portolan_status write_messages(const struct report *r, struct portolan_json *j,
                                           struct portolan_error *err)
{
    static const char *const names[] = {"from", "to", "messages", "bytes"};
    struct portolan_traffic_set *t = NULL;
    enum portolan_status status =
        portolan_store_read_traffic(r->from->store, r->shown->id, &t, err);
    size_t n = 0;
    struct portolan_profile_pair *pairs = status ? NULL : portolan_profile_sum_pairs(t, &n);

    portolan_profile_sort_pairs(pairs, n);
    portolan_json_open(j, "messages", '[');
    for (size_t i = 0; i < n && i < MOST_PAIRS; i++)
        portolan_json_numbers(j, NULL, names,
                              (const double[]){pairs[i].from, pairs[i].to, pairs[i].calls,
                                               fmax(pairs[i].sent, pairs[i].received)},
                              4);
    portolan_json_close(j, ']');
    portolan_json_number(j, "messages_left_out", n > MOST_PAIRS ? (double)(n - MOST_PAIRS) : 0);
    if (!status && !pairs)
        status = portolan_no_memory(err);
    free(pairs);
    portolan_traffic_set_destroy(t);
    return status;
}

/* ------------------------------------------------------------------ events */

static enum portolan_status write_events(const struct report *r, struct portolan_json *j,
                                         struct portolan_error *err)
{
    static const char *const names[] = {"rank", "count", "min", "mean", "max"};
    struct portolan_event_set *e = NULL;
    enum portolan_status status =
        portolan_store_read_events(r->from->store, r->shown->id, NULL, &e, err);
    size_t n = status ? 0 : e->n_events;

    portolan_json_open(j, "events", '[');
    for (size_t i = 0; i < n && i < MOST_EVENTS; i++) {
        const struct portolan_event *x = &e->events[i];
        const double values[] = {x->rank, (double)x->count, x->min, x->mean, x->max};

        portolan_json_open(j, NULL, '{');
        portolan_json_text(j, "name", x->name);
        for (size_t k = 0; k < 5; k++)
            portolan_json_number(j, names[k], values[k]);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
    portolan_json_number(j, "events_left_out", n > MOST_EVENTS ? (double)(n - MOST_EVENTS) : 0);
    portolan_event_set_destroy(e);
    return status;
}

static enum portolan_status write_time(struct report *r, struct portolan_json *j,
                                       struct portolan_error *err)
{
    struct shown_paths s = {.r = r, .p = r->profile};
    enum portolan_status status;

    if (!r->profile)
        return PORTOLAN_OK;
    portolan_json_number(j, "of_ranks", r->profile->ranks);
    status = open_paths(&s, err);
    if (!status) {
        write_paths(&s, j);
        status = report_write_functions(s.p, report_total(s.p), j, err);
    }
    if (!status)
        status = write_ranks(&s, j, err);
    if (!status)
        status = write_messages(r, j, err);
    if (!status)
        status = write_events(r, j, err);
    close_paths(&s);
    return status;
}

static const struct report_table tables[] = {
    {"paths",
     "Call paths, means over ranks",
     {{"label", "call path", REPORT_TREE},
      {"calls", "calls", REPORT_NUMBER},
      {"inclusive_ns", "inclusive", REPORT_TIME},
      {"exclusive_ns", "exclusive", REPORT_TIME},
      {"mpi_ns", "in MPI", REPORT_TIME},
      {"share", "share", REPORT_SHARE},
      {"slowest_ns", "slowest rank", REPORT_TIME},
      {"slowest_rank", "which", REPORT_NUMBER},
      {"imbalance", "imbalance", REPORT_SHARE},
      {"rule", "pruning", REPORT_TEXT},
      {"counters", "counters", REPORT_TEXT}}},
    {"functions",
     "Functions, whatever the call path: own time, who calls them, and what they call",
     {{"label", "function", REPORT_TEXT},
      {"exclusive_ns", "own time", REPORT_TIME},
      {"share", "share", REPORT_SHARE},
      {"inclusive_ns", "with calls below", REPORT_TIME},
      {"calls", "calls", REPORT_NUMBER},
      {"callers", "called by", REPORT_TEXT},
      {"callees", "calls to", REPORT_TEXT}}},
    {"messages",
     "Messages from rank to rank, the heaviest first",
     {{"from", "from", REPORT_NUMBER},
      {"to", "to", REPORT_NUMBER},
      {"messages", "messages", REPORT_NUMBER},
      {"bytes", "bytes", REPORT_BYTES}}},
    {"events",
     "Events: named values that the program reported",
     {{"name", "event", REPORT_TEXT},
      {"rank", "rank", REPORT_NUMBER},
      {"count", "count", REPORT_NUMBER},
      {"min", "least", REPORT_NUMBER},
      {"mean", "mean", REPORT_NUMBER},
      {"max", "most", REPORT_NUMBER}}},
    {0},
};

const struct report_part report_time = {
    .name = "time",
    .title = "Where the time goes",
    .about = "Call paths, their balance over ranks, and messages between ranks.",
    .write = write_time,
    .draw = report_draw_time,
    .tables = tables,
    .drawn = " paths messages ",
};
