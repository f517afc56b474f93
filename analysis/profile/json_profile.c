/* SPDX-License-Identifier: BSD-3-Clause */
/* A profile in JSON; portolan-profile(1) describes the form. */
#include "report.h"

static void write_pairs(struct portolan_json *j, const char *key,
                        const struct portolan_name_value *pairs, size_t n)
{
    portolan_json_open(j, key, '{');
    for (size_t i = 0; i < n; i++)
        portolan_json_text(j, pairs[i].name, pairs[i].value);
    portolan_json_close(j, '}');
}

void profile_json_trial(struct portolan_json *j, const char *key, const struct portolan_trial *t)
{
    portolan_json_open(j, key, '{');
    portolan_json_number(j, "id", (double)t->id);
    portolan_json_text(j, "assembly", t->assembly);
    portolan_json_text(j, "purpose", t->purpose);
    portolan_json_number(j, "ranks", t->ranks);
    portolan_json_text(j, "started", t->started);
    portolan_json_text(j, "outcome", t->outcome);
    portolan_json_number(j, "elapsed_ns", t->elapsed_ns);
    portolan_json_number(j, "partial_steps", (double)t->n_partial);
    write_pairs(j, "parameters", t->parameters, t->n_parameters);
    write_pairs(j, "implementations", t->implementations, t->n_implementations);
    write_pairs(j, "metadata", t->metadata, t->n_metadata);
    portolan_json_close(j, '}');
}

void profile_json_begin(struct portolan_json *j, const char *form,
                        const struct portolan_trial *trial)
{
    portolan_json_open(j, NULL, '{');
    portolan_json_text(j, "portolan", form);
    portolan_json_number(j, "version", 1);
    if (trial)
        profile_json_trial(j, "trial", trial);
}

enum portolan_status profile_json_end(struct portolan_json *j, struct portolan_error *err)
{
    portolan_json_close(j, '}');
    return j->out->failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

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

enum portolan_status report_json(const struct view *v)
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
