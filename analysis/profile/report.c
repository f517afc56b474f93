/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes one view of a trial, as text or JSON: reads the profile, writes the head, which says how
 * far the numbers can be trusted, and calls the writer of the view.
 */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------- the head */

/* The number of threads per rank; if the trial has none stored, at least that of a single path. */
static int most_threads(const struct portolan_profile *p)
{
    double most = p->trial->threads;

    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct portolan_profile_node *n = &p->nodes[i];

        if (n->n_ranks)
            most = fmax(most, ceil((double)n->n_threads / n->n_ranks));
    }
    return most < 1 ? 1 : (int)most;
}

static void add_pairs(const char *words, const struct portolan_name_value *pairs, size_t n,
                      struct portolan_text *out)
{
    if (n == 0)
        return;
    portolan_text_add(out, "%s", words);
    for (size_t i = 0; i < n; i++)
        portolan_text_add(out, " %s=%s", pairs[i].name, pairs[i].value);
    portolan_text_add(out, "\n");
}

static void add_outcome(const struct portolan_trial *t, struct portolan_text *out)
{
    char time[32];

    if (!strcmp(t->outcome, "finished"))
        portolan_text_add(
            out, "finished%s%s\n", t->elapsed_ns > 0 ? " in " : "",
            t->elapsed_ns > 0 ? portolan_format_time(t->elapsed_ns, 4, time, sizeof time) : "");
    else if (!strcmp(t->outcome, "running"))
        portolan_text_add(out, "cut off, or still running: these are its measurements so far\n");
    else
        portolan_text_add(
            out, "%s%s%s\n", t->outcome, t->elapsed_ns > 0 ? " after " : "",
            t->elapsed_ns > 0 ? portolan_format_time(t->elapsed_ns, 4, time, sizeof time) : "");
}

/* Returns whether calls went to another implementation of an instance than the trial began with. */
static bool has_swapped(const struct portolan_profile *p)
{
    const struct portolan_trial *t = p->trial;

    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct portolan_profile_node *n = &p->nodes[i];
        const char *first =
            portolan_peek_value(t->implementations, t->n_implementations, n->instance);

        if (first && *n->implementation && strcmp(first, n->implementation) != 0)
            return true;
    }
    return false;
}

static void add_trial(const struct portolan_profile *p, struct portolan_text *out)
{
    const struct portolan_trial *t = p->trial;
    const char *host = portolan_trial_peek_fact(t, "host");
    const char *label = portolan_trial_peek_fact(t, "label");
    int threads = most_threads(p);

    portolan_text_add(out, "trial %lld of '%s' (%s%s%s), %s, %d rank%s x %d thread%s%s%s\n",
                      (long long)t->id, t->assembly, t->purpose, label ? ", label " : "",
                      label ? label : "", t->started, t->ranks, t->ranks == 1 ? "" : "s", threads,
                      threads == 1 ? "" : "s", host ? ", on " : "", host ? host : "");
    add_outcome(t, out);
    add_pairs("parameters", t->parameters, t->n_parameters, out);
    add_pairs(has_swapped(p) ? "began with" : "implementations", t->implementations,
              t->n_implementations, out);
}

/* Returns whether metadata of that name say that data are missing or incomplete. */
static bool is_warning(const char *name)
{
    static const char *const words[] = {"lost", "not stored", "sampling", "multiplex",
                                        "not always measured"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

static void add_facts(const struct portolan_trial *t, struct portolan_text *out)
{
    for (size_t i = 0; i < t->n_metadata; i++)
        if (is_warning(t->metadata[i].name) && strcmp(t->metadata[i].value, "0") != 0)
            portolan_text_add(out, "note: %s: %s\n", t->metadata[i].name, t->metadata[i].value);
    if (t->n_partial)
        portolan_text_add(out, "note: not everything was measured in %zu step%s\n", t->n_partial,
                          t->n_partial == 1 ? "" : "s");
}

/* Notes missing ranks: a trial may have a summary of all ranks, but samples of few. */
static void add_missing_ranks(const struct portolan_profile *p, struct portolan_text *out)
{
    bool *is_there = portolan_calloc((size_t)p->trial->ranks, sizeof *is_there);
    int n = 0;

    out->failed |= !is_there;
    for (size_t i = 0; is_there && i < p->n_cells; i++)
        if (p->cells[i].rank < p->trial->ranks && !is_there[p->cells[i].rank]) {
            is_there[p->cells[i].rank] = true;
            n++;
        }
    if (p->n_cells && p->ranks > 1 && n < p->ranks)
        portolan_text_add(
            out, "note: of %d ranks the samples of %d are stored, the others count as 0 here\n",
            p->ranks, n);
    free(is_there);
}

static void add_sampling(const struct portolan_profile *p, struct portolan_text *out)
{
    double calls = 0, timed = 0;

    for (size_t i = 0; i < p->n_nodes; i++)
        if (p->nodes[i].is_sampled && !p->nodes[i].is_context) {
            calls += p->nodes[i].calls.sum;
            timed += p->nodes[i].timed_calls;
        }
    if (calls > 0)
        portolan_text_add(out,
                          "note: of %.0f calls that were sampled %.0f were timed; times are "
                          "estimates, +- is 2 standard errors\n",
                          calls, timed);
}

static void add_violations(const struct portolan_profile *p, struct portolan_text *out)
{
    const struct portolan_profile_violation *v = p->violations;
    char parent[32], children[32];

    if (p->n_violations == 0)
        return;
    portolan_text_add(out, "note: the stored times contradict each other at %zu call path%s: ",
                      p->n_violations, p->n_violations == 1 ? "" : "s");
    portolan_profile_add_label(&p->nodes[v->node], false, out);
    portolan_text_add(out, " has %s, the calls below it %s\n",
                      portolan_format_time(v->inclusive_ns, 4, parent, sizeof parent),
                      portolan_format_time(v->children_ns, 4, children, sizeof children));
}

static void write_head(const struct view *v)
{
    const struct portolan_profile *p = v->p;
    struct portolan_text *out = v->out;

    add_trial(p, out);
    portolan_profile_add_cost(p->trial, out);
    portolan_text_add(out, isnan(p->cost.call_ns)
                               ? "\n"
                               : "; methods with ! take less than 20 of these per call\n");
    add_facts(p->trial, out);
    add_missing_ranks(p, out);
    add_sampling(p, out);
    add_violations(p, out);
    portolan_text_add(out, "\n");
}

/* ------------------------------------------------- JSON; portolan-profile(1) has the form */

static void write_cost(struct portolan_json *j, const struct portolan_profile_cost *c)
{
    static const char *const names[] = {"call_ns",    "spread_ns", "inside_ns",
                                        "forward_ns", "rows_ns",   "counters_ns"};
    const double values[] = {c->call_ns,    c->spread_ns, c->inside_ns,
                             c->forward_ns, c->rows_ns,   c->counters_ns};

    portolan_json_numbers(j, "cost", names, values, 6);
}

static void write_statistics(struct portolan_json *j, const char *key,
                             const struct portolan_statistics *s)
{
    static const char *const names[] = {"sum",    "mean",      "min",     "max",
                                        "stddev", "imbalance", "max_rank"};
    const double values[] = {s->sum,     s->mean, s->min, s->max, s->stddev, portolan_imbalance(s),
                             s->max_rank};

    portolan_json_numbers(j, key, names, values, 7);
}

static void write_estimate(struct portolan_json *j, const char *key,
                           const struct portolan_profile_estimate *e)
{
    static const char *const names[] = {"value", "low", "high"};

    portolan_json_numbers(j, key, names, (const double[]){e->value, e->low, e->high}, 3);
}

static void write_node(struct portolan_json *j, const struct portolan_profile *p, size_t i)
{
    const struct portolan_profile_node *n = &p->nodes[i];

    portolan_json_open(j, NULL, '{');
    portolan_json_number(j, "node", (double)i);
    portolan_json_number(j, "parent", (double)n->parent);
    portolan_profile_write_names(j, n);
    if (n->is_context) {
        portolan_json_numbers(j, "context", n->context_name, n->context, (size_t)n->n_context);
        portolan_json_bool(j, "binned", n->binned);
    }
    portolan_json_number(j, "ranks", n->n_ranks);
    portolan_json_number(j, "threads", n->n_threads);
    portolan_json_number(j, "timed_calls", n->timed_calls);
    portolan_json_number(j, "subroutines", n->subroutines);
    portolan_json_number(j, "descendants", n->descendants);
    portolan_json_number(j, "single_min_ns", n->one_min_ns);
    portolan_json_number(j, "single_mean_ns", n->one_mean_ns);
    portolan_json_number(j, "single_max_ns", n->one_max_ns);
    portolan_json_number(j, "sum_squares_ns2", n->sum_squares_ns2);
    portolan_json_bool(j, "sampled", n->is_sampled);
    portolan_json_bool(j, "marked", n->is_marked);
    write_statistics(j, "calls", &n->calls);
    write_statistics(j, "inclusive_ns", &n->inclusive_ns);
    write_statistics(j, "exclusive_ns", &n->exclusive_ns);
    write_statistics(j, "mpi_ns", &n->mpi_ns);
    write_statistics(j, "compute_ns", &n->compute_ns);
    portolan_json_open(j, "estimated", '{');
    write_estimate(j, "inclusive_ns", &n->inclusive);
    write_estimate(j, "exclusive_ns", &n->exclusive);
    write_estimate(j, "mpi_ns", &n->mpi);
    portolan_json_close(j, '}');
    portolan_json_open(j, "compensated", '{');
    write_estimate(j, "inclusive_ns", &n->inclusive_compensated);
    write_estimate(j, "exclusive_ns", &n->exclusive_compensated);
    portolan_json_close(j, '}');
    portolan_json_open(j, "counters", '{');
    for (size_t k = 0; k < p->n_counters; k++)
        if (n->counted >> k & 1)
            write_statistics(j, p->counter_names[k], &n->counters[k]);
    portolan_json_close(j, '}');
    portolan_json_close(j, '}');
}

static void write_cell(struct portolan_json *j, const struct portolan_profile *p,
                       const struct portolan_profile_cell *c)
{
    portolan_json_open(j, NULL, '{');
    portolan_json_number(j, "node", (double)c->node);
    portolan_json_number(j, "rank", c->rank);
    portolan_json_number(j, "thread", c->thread);
    portolan_json_number(j, "calls", c->calls);
    portolan_json_number(j, "timed_calls", c->timed_calls);
    portolan_json_number(j, "subroutines", c->subroutines);
    portolan_json_number(j, "inclusive_ns", c->inclusive_ns);
    portolan_json_number(j, "exclusive_ns", c->exclusive_ns);
    portolan_json_number(j, "mpi_ns", c->mpi_ns);
    portolan_json_number(j, "single_min_ns", c->min_ns);
    portolan_json_number(j, "single_max_ns", c->max_ns);
    portolan_json_number(j, "sum_squares_ns2", c->sum_squares_ns2);
    portolan_json_open(j, "counters", '{');
    for (size_t k = 0; k < p->n_counters; k++)
        if (p->nodes[c->node].counted >> k & 1)
            portolan_json_number(j, p->counter_names[k], c->counters[k]);
    portolan_json_close(j, '}');
    portolan_json_close(j, '}');
}

static void write_violations(struct portolan_json *j, const struct portolan_profile *p)
{
    static const char *const names[] = {"node", "inclusive_ns", "children_ns"};

    portolan_json_open(j, "violations", '[');
    for (size_t i = 0; i < p->n_violations; i++) {
        const struct portolan_profile_violation *v = &p->violations[i];
        const double values[] = {(double)v->node, v->inclusive_ns, v->children_ns};

        portolan_json_numbers(j, NULL, names, values, 3);
    }
    portolan_json_close(j, ']');
}

static enum portolan_status write_profile_json(const struct view *v)
{
    const struct portolan_profile *p = v->p;
    struct portolan_json j = {.out = v->out};

    profile_json_begin(&j, p->is_flat ? "flat profile" : "profile", p->trial);
    portolan_json_number(&j, "ranks", p->ranks);
    write_cost(&j, &p->cost);
    portolan_json_open(&j, "nodes", '[');
    for (size_t i = 0; i < p->n_nodes; i++)
        write_node(&j, p, i);
    portolan_json_close(&j, ']');
    portolan_json_open(&j, "locations", '[');
    for (size_t i = 0; i < p->n_cells; i++)
        write_cell(&j, p, &p->cells[i]);
    portolan_json_close(&j, ']');
    write_violations(&j, p);
    return profile_json_end(&j, v->err);
}

/* ------------------------------------------------- a view */

/* At most this many values of single ranks are read to make flat views exact. */
enum { EXACT_CELLS = 1 << 16 };

static double all_calls(const struct portolan_profile *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->n_nodes; i++)
        sum += p->nodes[i].is_context ? 0 : p->nodes[i].calls.sum;
    return sum;
}

/*
 * A flat view is exact only with the values of single ranks, not with a summary. Reads these, but
 * keeps the profile *P if some are missing (a trial may keep only those of the first rank).
 */
static enum portolan_status read_exactly(struct portolan_store *store,
                                         struct portolan_profile_query *q,
                                         struct portolan_profile **p, struct portolan_error *err)
{
    struct portolan_profile *exact = NULL, *worse;
    enum portolan_status status;

    q->cells = true;
    status = portolan_profile_read(store, q, &exact, err);
    if (status != PORTOLAN_OK)
        return status;
    worse = all_calls(exact) < all_calls(*p) ? exact : *p;
    *p = worse == exact ? *p : exact;
    portolan_profile_destroy(worse);
    return PORTOLAN_OK;
}

static enum portolan_status read_profile(const struct view *v, struct portolan_profile **p)
{
    const struct portolan_profile_report *r = v->r;
    struct portolan_profile_query q = {.trial = r->trial,
                                       .rank = r->rank,
                                       .contexts = r->view == PORTOLAN_PROFILE_CONTEXTS,
                                       .cells = r->view == PORTOLAN_PROFILE_RANKS};
    enum portolan_status status = portolan_profile_read(v->store, &q, p, v->err);

    if (status == PORTOLAN_OK && r->view == PORTOLAN_PROFILE_FLAT && !(*p)->n_cells &&
        (*p)->n_nodes * (size_t)(*p)->ranks <= EXACT_CELLS)
        status = read_exactly(v->store, &q, p, v->err);
    return status;
}

static enum portolan_status write_nodes(struct view *v)
{
    struct portolan_profile *flat = NULL;
    enum portolan_status status = PORTOLAN_OK;

    if (v->r->view != PORTOLAN_PROFILE_TREE)
        status = portolan_profile_flatten(v->p, &flat, v->err);
    v->p = flat ? flat : v->p;
    if (status == PORTOLAN_OK)
        status = v->r->as_json                          ? write_profile_json(v)
                 : v->r->view == PORTOLAN_PROFILE_RANKS ? report_ranks(v)
                                                        : report_nodes(v);
    portolan_profile_destroy(flat);
    return status;
}

static enum portolan_status write_view(struct view *v)
{
    switch (v->r->view) {
    case PORTOLAN_PROFILE_ROWS:
        return report_rows(v);
    case PORTOLAN_PROFILE_EVENTS:
        return report_events(v);
    case PORTOLAN_PROFILE_MPI:
    case PORTOLAN_PROFILE_MATRIX:
        return report_traffic(v);
    default:
        return write_nodes(v);
    }
}

enum portolan_status portolan_profile_write(struct portolan_store *store,
                                            const struct portolan_profile_report *r,
                                            struct portolan_text *out, struct portolan_error *err)
{
    struct view v = {.store = store, .r = r, .out = out, .err = err};
    struct portolan_profile *p = NULL;
    enum portolan_status status = read_profile(&v, &p);
    size_t before = out->length;

    v.p = p;
    if (status == PORTOLAN_OK && !r->as_json)
        write_head(&v);
    if (status == PORTOLAN_OK)
        status = write_view(&v);
    if (!r->as_json && out->bytes)
        portolan_clean_text(out->bytes + before, "\n");
    portolan_profile_destroy(p);
    return status == PORTOLAN_OK && out->failed ? portolan_no_memory(err) : status;
}
