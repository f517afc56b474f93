/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths as a tree, methods as a list. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 16 };

/* One column: what it is called and where its value comes from. */
struct source {
    struct column column;
    void (*add)(const struct view *v, size_t node, struct table *t);
};

static double per_rank(const struct view *v, double total)
{
    return total / v->p->ranks;
}

static double half_width(const struct view *v, struct portolan_profile_estimate e)
{
    return per_rank(v, (e.high - e.low) / 2);
}

static void add_name(const struct view *v, size_t i, struct table *t)
{
    const struct portolan_profile_node *n = &v->p->nodes[i];
    struct portolan_text text = {.arena = &t->texts};

    portolan_text_add(&text, "%*s", 2 * n->depth, "");
    if (n->is_context) /* stands below what it is a context of */
        portolan_text_add(&text, "with");
    if (n->is_context)
        profile_add_context(n, &text);
    else
        portolan_profile_add_label(n, v->p->is_flat && profile_is_ambiguous(v->p, i), &text);
    t->failed |= text.failed;
    table_text(t, text.bytes ? text.bytes : "");
}

static void add_mark(const struct view *v, size_t i, struct table *t)
{
    table_text(t, v->p->nodes[i].is_marked ? "!" : "");
}

static void add_calls(const struct view *v, size_t i, struct table *t)
{
    table_number(t, v->p->nodes[i].calls.sum);
}

static void add_timed(const struct view *v, size_t i, struct table *t)
{
    const struct portolan_profile_node *n = &v->p->nodes[i];

    table_number(t, n->calls.sum > 0 ? n->timed_calls / n->calls.sum : NAN);
}

static void add_inclusive(const struct view *v, size_t i, struct table *t)
{
    table_number(t, per_rank(v, view_inclusive(v, i).value));
}

static void add_inclusive_error(const struct view *v, size_t i, struct table *t)
{
    table_number(t, half_width(v, view_inclusive(v, i)));
}

static void add_exclusive(const struct view *v, size_t i, struct table *t)
{
    table_number(t, per_rank(v, view_exclusive(v, i).value));
}

static void add_exclusive_error(const struct view *v, size_t i, struct table *t)
{
    table_number(t, half_width(v, view_exclusive(v, i)));
}

static void add_mpi(const struct view *v, size_t i, struct table *t)
{
    table_number(t, per_rank(v, view_mpi(v, i).value));
}

static double total_exclusive(const struct view *v)
{
    double sum = 0;

    for (size_t i = 0; i < v->p->n_nodes; i++)
        if (!v->p->nodes[i].is_context && !isnan(view_exclusive(v, i).value))
            sum += view_exclusive(v, i).value;
    return sum;
}

static void add_share(const struct view *v, size_t i, struct table *t)
{
    table_number(t, v->total != 0 ? view_exclusive(v, i).value / v->total : NAN);
}

static void add_per_call(const struct view *v, size_t i, struct table *t)
{
    const struct portolan_profile_node *n = &v->p->nodes[i];

    table_number(t, n->timed_calls > 0 ? n->one_mean_ns : NAN);
}

static void add_longest(const struct view *v, size_t i, struct table *t)
{
    const struct portolan_profile_node *n = &v->p->nodes[i];

    /* Of a call that lasted over several steps only a piece is stored. */
    table_number(t, n->one_max_ns * (1 + 1e-9) >= n->one_mean_ns ? n->one_max_ns : NAN);
}

/* The statistics that min, max, deviation and imbalance are of. */
static const struct portolan_profile_statistics *statistics(const struct view *v, size_t i)
{
    const struct portolan_profile_node *n = &v->p->nodes[i];

    return v->metric == METRIC_COUNTER ? &n->counters[v->counter]
           : v->metric == METRIC_MPI   ? &n->mpi_ns
                                       : &n->compute_ns;
}

/* What statistics over ranks of timed calls are multiplied by. */
static double statistics_ratio(const struct view *v, size_t i)
{
    const struct portolan_profile_node *n = &v->p->nodes[i];

    if (v->metric != METRIC_TIME || v->r->values == PORTOLAN_PROFILE_RAW)
        return view_ratio(v, i);
    return n->compute_ns.sum != 0 ? (n->exclusive.value - n->mpi.value) / n->compute_ns.sum : 1;
}

static void add_min(const struct view *v, size_t i, struct table *t)
{
    table_number(t, statistics(v, i)->min * statistics_ratio(v, i));
}

static void add_max(const struct view *v, size_t i, struct table *t)
{
    table_number(t, statistics(v, i)->max * statistics_ratio(v, i));
}

static void add_deviation(const struct view *v, size_t i, struct table *t)
{
    table_number(t, statistics(v, i)->stddev * statistics_ratio(v, i));
}

static void add_imbalance(const struct view *v, size_t i, struct table *t)
{
    table_number(t, statistics(v, i)->imbalance);
}

static void add_max_rank(const struct view *v, size_t i, struct table *t)
{
    int rank = statistics(v, i)->max_rank;

    table_number(t, rank < 0 ? NAN : rank);
}

static void add_ranks(const struct view *v, size_t i, struct table *t)
{
    table_number(t, v->p->nodes[i].n_ranks);
}

static void add_count(const struct view *v, size_t i, struct table *t)
{
    table_number(t, statistics(v, i)->mean * view_ratio(v, i));
}

static void add_own_count(const struct view *v, size_t i, struct table *t)
{
    table_number(t, per_rank(v, v->own[i]));
}

static void add_count_per_call(const struct view *v, size_t i, struct table *t)
{
    const struct portolan_profile_node *n = &v->p->nodes[i];

    table_number(t, n->timed_calls > 0 ? statistics(v, i)->sum / n->timed_calls : NAN);
}

struct columns {
    const struct source *sources[COLUMNS_MAX];
    struct column columns[COLUMNS_MAX];
    size_t n;
};

static void add_column(struct columns *c, const struct source *s, bool when)
{
    if (!when)
        return;
    c->sources[c->n] = s;
    c->columns[c->n++] = s->column;
}

static bool any(const struct view *v, bool (*is)(const struct portolan_profile_node *))
{
    for (size_t i = 0; i < v->p->n_nodes; i++)
        if (is(&v->p->nodes[i]))
            return true;
    return false;
}

static bool is_sampled(const struct portolan_profile_node *n)
{
    return n->is_sampled;
}

static bool is_marked(const struct portolan_profile_node *n)
{
    return n->is_marked;
}

static const struct source name = {{"method", COLUMN_NAME}, add_name};
static const struct source mark = {{"", COLUMN_TEXT}, add_mark};
static const struct source calls = {{"calls", COLUMN_COUNT}, add_calls};
static const struct source timed = {{"timed", COLUMN_PERCENT}, add_timed};
static const struct source imbalance = {{"imbalance", COLUMN_PERCENT}, add_imbalance};
static const struct source max_rank = {{"max rank", COLUMN_COUNT}, add_max_rank};
static const struct source on_ranks = {{"on ranks", COLUMN_COUNT}, add_ranks};

static void choose_time(const struct view *v, struct columns *c)
{
    static const struct source inclusive = {{"inclusive", COLUMN_TIME}, add_inclusive};
    static const struct source inclusive_error = {{"+-", COLUMN_TIME}, add_inclusive_error};
    static const struct source exclusive = {{"exclusive", COLUMN_TIME}, add_exclusive};
    static const struct source exclusive_error = {{"+-", COLUMN_TIME}, add_exclusive_error};
    static const struct source mpi = {{"mpi", COLUMN_TIME}, add_mpi};
    static const struct source share = {{"share", COLUMN_PERCENT}, add_share};
    static const struct source per_call = {{"per call", COLUMN_EACH}, add_per_call};
    static const struct source longest = {{"longest", COLUMN_EACH}, add_longest};
    bool sampled = v->r->values != PORTOLAN_PROFILE_RAW && any(v, is_sampled);
    bool errors = sampled || v->r->values == PORTOLAN_PROFILE_COMPENSATED;

    add_column(c, &timed, any(v, is_sampled));
    add_column(c, &inclusive, true);
    add_column(c, &inclusive_error, errors);
    add_column(c, &exclusive, true);
    add_column(c, &exclusive_error, errors);
    add_column(c, &mpi, true);
    add_column(c, &share, true);
    add_column(c, &per_call, v->p->is_flat);
    add_column(c, &longest, v->p->is_flat);
}

static void choose_metric(const struct view *v, struct columns *c)
{
    static const struct source time_columns[] = {{{"mpi", COLUMN_TIME}, add_count},
                                                 {{"per call", COLUMN_EACH}, add_count_per_call},
                                                 {{"min", COLUMN_TIME}, add_min},
                                                 {{"max", COLUMN_TIME}, add_max},
                                                 {{"stddev", COLUMN_TIME}, add_deviation}};
    static const struct source count_columns[] = {{{"inclusive", COLUMN_NUMBER}, add_count},
                                                  {{"per call", COLUMN_NUMBER}, add_count_per_call},
                                                  {{"min", COLUMN_NUMBER}, add_min},
                                                  {{"max", COLUMN_NUMBER}, add_max},
                                                  {{"stddev", COLUMN_NUMBER}, add_deviation}};
    static const struct source own = {{"exclusive", COLUMN_NUMBER}, add_own_count};
    const struct source *s = v->metric == METRIC_COUNTER ? count_columns : time_columns;

    for (size_t i = 0; i < 5; i++) {
        add_column(c, &s[i], i < 2 || v->p->ranks > 1);
        add_column(c, &own, i == 0 && v->metric == METRIC_COUNTER && !v->p->is_flat);
    }
}

static bool is_partly_there(const struct portolan_profile *p)
{
    for (size_t i = 0; i < p->n_nodes; i++)
        if (p->nodes[i].n_ranks < p->ranks)
            return true;
    return false;
}

static void choose_columns(const struct view *v, struct columns *c)
{
    add_column(c, &name, true);
    add_column(c, &mark, any(v, is_marked));
    add_column(c, &calls, true);
    if (v->metric == METRIC_TIME)
        choose_time(v, c);
    else
        choose_metric(v, c);
    add_column(c, &imbalance, v->p->ranks > 1);
    add_column(c, &max_rank, v->p->ranks > 1);
    add_column(c, &on_ranks, is_partly_there(v->p));
}

static void write_rest(const struct view *v, size_t shown, struct portolan_text *out)
{
    size_t all = 0;

    for (size_t i = 0; i < v->p->n_nodes; i++)
        all += !v->r->method || view_matches(v, i);
    if (shown < all)
        portolan_text_add(out, "... and %zu more (--top)\n", all - shown);
    if (all == 0 && v->p->n_nodes > 0)
        portolan_text_add(out, "no method is like '%s'\n", v->r->method);
    else if (all == 0)
        portolan_text_add(out, "nothing is stored%s\n",
                          v->p->ranks < v->p->trial->ranks ? " of this rank" : "");
}

static void write_meaning(const struct view *v, struct portolan_text *out)
{
    static const char *const words[] = {"", "raw ", "compensated "};
    const char *metric = v->metric == METRIC_TIME ? "times" : v->r->metric;

    portolan_text_add(out, "%s%s", words[v->r->values], metric);
    if (v->p->trial->ranks > 1 && v->p->ranks == 1)
        portolan_text_add(out, " of one rank");
    else if (v->p->ranks > 1)
        portolan_text_add(out, ": mean over %d ranks; imbalance: max / mean - 1 of %s", v->p->ranks,
                          v->metric == METRIC_COUNTER ? "the inclusive count"
                          : v->metric == METRIC_MPI   ? "MPI time"
                                                      : "exclusive time less MPI");
    if (v->r->values == PORTOLAN_PROFILE_COMPENSATED)
        portolan_text_add(out, "; +- is what the cost of measuring leaves open");
    portolan_text_add(out, "\n");
}

/* Of contexts the exclusive time is not always known. */
static bool has_contexts(const struct portolan_profile *p)
{
    for (size_t i = 0; i < p->n_nodes; i++)
        if (p->nodes[i].is_context)
            return true;
    return false;
}

enum portolan_status portolan_profile_write_nodes(const struct portolan_profile *p,
                                                  const struct portolan_profile_report *r,
                                                  struct portolan_text *out,
                                                  struct portolan_error *err)
{
    struct columns c = {.n = 0};
    struct table t = {.wide = r->wide};
    struct view v;
    size_t *order = NULL, n = 0;
    enum portolan_status status =
        view_open(&v, p, r, p->is_flat && !has_contexts(p) ? "exclusive" : "inclusive", err);

    if (status == PORTOLAN_OK)
        status = view_order(&v, &order, &n, err);
    if (status == PORTOLAN_OK) {
        v.total = total_exclusive(&v);
        choose_columns(&v, &c);
        t.columns = c.columns;
        t.n_columns = c.n;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < c.n; k++)
                c.sources[k]->add(&v, order[i], &t);
        write_meaning(&v, out);
        table_write(&t, out);
        write_rest(&v, n, out);
    }
    free(order);
    view_close(&v);
    return status;
}
