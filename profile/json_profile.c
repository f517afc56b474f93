/* SPDX-License-Identifier: BSD-3-Clause */
/* A profile in JSON; portolan-profile(1) describes the form. */
#include "internal.h"
#include "json.h"

void profile_json_trial(struct json *j, const char *key, const struct portolan_trial *t)
{
    json_open(j, key, '{');
    json_number(j, "id", (double)t->id);
    json_text(j, "assembly", t->assembly);
    json_text(j, "purpose", t->purpose);
    json_number(j, "ranks", t->ranks);
    json_text(j, "started", t->started);
    json_text(j, "outcome", t->outcome);
    json_number(j, "elapsed_ns", t->elapsed_ns);
    json_number(j, "partial_steps", (double)t->n_partial);
    json_pairs(j, "parameters", t->parameters, t->n_parameters);
    json_pairs(j, "implementations", t->implementations, t->n_implementations);
    json_pairs(j, "metadata", t->metadata, t->n_metadata);
    json_close(j, '}');
}

void profile_json_begin(struct json *j, const char *form)
{
    json_open(j, NULL, '{');
    json_text(j, "portolan", form);
    json_number(j, "version", 1);
}

static void write_cost(struct json *j, const struct portolan_profile_cost *c)
{
    json_open(j, "cost", '{');
    json_number(j, "call_ns", c->call_ns);
    json_number(j, "spread_ns", c->spread_ns);
    json_number(j, "inside_ns", c->inside_ns);
    json_number(j, "forward_ns", c->forward_ns);
    json_number(j, "rows_ns", c->rows_ns);
    json_number(j, "counters_ns", c->counters_ns);
    json_close(j, '}');
}

static void write_statistics(struct json *j, const char *key,
                             const struct portolan_profile_statistics *s)
{
    json_open(j, key, '{');
    json_number(j, "sum", s->sum);
    json_number(j, "mean", s->mean);
    json_number(j, "min", s->min);
    json_number(j, "max", s->max);
    json_number(j, "stddev", s->stddev);
    json_number(j, "imbalance", s->imbalance);
    json_number(j, "max_rank", s->max_rank);
    json_close(j, '}');
}

static void write_estimate(struct json *j, const char *key,
                           const struct portolan_profile_estimate *e)
{
    json_open(j, key, '{');
    json_number(j, "value", e->value);
    json_number(j, "low", e->low);
    json_number(j, "high", e->high);
    json_close(j, '}');
}

static void write_names(struct json *j, const struct portolan_profile_node *n)
{
    json_text(j, "user", n->user);
    json_text(j, "uses", n->uses);
    json_text(j, "instance", n->instance);
    json_text(j, "port", n->port);
    json_text(j, "implementation", n->implementation);
    json_text(j, "port_type", n->port_type);
    json_text(j, "method", n->method);
    if (!n->is_context)
        return;
    json_open(j, "context", '{');
    for (int k = 0; k < n->n_context; k++)
        json_number(j, n->context_name[k], n->context[k]);
    json_close(j, '}');
    json_bool(j, "binned", n->binned);
}

static void write_node(struct json *j, const struct portolan_profile *p, size_t i)
{
    const struct portolan_profile_node *n = &p->nodes[i];

    json_open(j, NULL, '{');
    json_number(j, "node", (double)i);
    json_number(j, "parent", (double)n->parent);
    write_names(j, n);
    json_number(j, "ranks", n->n_ranks);
    json_number(j, "threads", n->n_threads);
    json_number(j, "timed_calls", n->timed_calls);
    json_number(j, "subroutines", n->subroutines);
    json_number(j, "descendants", n->descendants);
    json_number(j, "single_min_ns", n->one_min_ns);
    json_number(j, "single_mean_ns", n->one_mean_ns);
    json_number(j, "single_max_ns", n->one_max_ns);
    json_number(j, "sum_squares_ns2", n->sum_squares_ns2);
    json_bool(j, "sampled", n->is_sampled);
    json_bool(j, "marked", n->is_marked);
    write_statistics(j, "calls", &n->calls);
    write_statistics(j, "inclusive_ns", &n->inclusive_ns);
    write_statistics(j, "exclusive_ns", &n->exclusive_ns);
    write_statistics(j, "mpi_ns", &n->mpi_ns);
    write_statistics(j, "compute_ns", &n->compute_ns);
    json_open(j, "estimated", '{');
    write_estimate(j, "inclusive_ns", &n->inclusive);
    write_estimate(j, "exclusive_ns", &n->exclusive);
    write_estimate(j, "mpi_ns", &n->mpi);
    json_close(j, '}');
    json_open(j, "compensated", '{');
    write_estimate(j, "inclusive_ns", &n->inclusive_compensated);
    write_estimate(j, "exclusive_ns", &n->exclusive_compensated);
    json_close(j, '}');
    json_open(j, "counters", '{');
    for (size_t k = 0; k < p->n_counters; k++)
        if (n->counted >> k & 1)
            write_statistics(j, p->counter_names[k], &n->counters[k]);
    json_close(j, '}');
    json_close(j, '}');
}

static void write_cell(struct json *j, const struct portolan_profile *p,
                       const struct portolan_profile_cell *c)
{
    json_open(j, NULL, '{');
    json_number(j, "node", (double)c->node);
    json_number(j, "rank", c->rank);
    json_number(j, "thread", c->thread);
    json_number(j, "calls", c->calls);
    json_number(j, "timed_calls", c->timed_calls);
    json_number(j, "subroutines", c->subroutines);
    json_number(j, "inclusive_ns", c->inclusive_ns);
    json_number(j, "exclusive_ns", c->exclusive_ns);
    json_number(j, "mpi_ns", c->mpi_ns);
    json_number(j, "single_min_ns", c->min_ns);
    json_number(j, "single_max_ns", c->max_ns);
    json_number(j, "sum_squares_ns2", c->sum_squares_ns2);
    json_open(j, "counters", '{');
    for (size_t k = 0; k < p->n_counters; k++)
        if (p->nodes[c->node].counted >> k & 1)
            json_number(j, p->counter_names[k], c->counters[k]);
    json_close(j, '}');
    json_close(j, '}');
}

static void write_violations(struct json *j, const struct portolan_profile *p)
{
    json_open(j, "violations", '[');
    for (size_t i = 0; i < p->n_violations; i++) {
        json_open(j, NULL, '{');
        json_number(j, "node", (double)p->violations[i].node);
        json_number(j, "inclusive_ns", p->violations[i].inclusive_ns);
        json_number(j, "children_ns", p->violations[i].children_ns);
        json_close(j, '}');
    }
    json_close(j, ']');
}

enum portolan_status portolan_profile_write_json(const struct portolan_profile *p,
                                                 struct portolan_text *out,
                                                 struct portolan_error *err)
{
    struct json j = {.out = out};

    profile_json_begin(&j, p->is_flat ? "flat profile" : "profile");
    profile_json_trial(&j, "trial", p->trial);
    json_number(&j, "ranks", p->ranks);
    write_cost(&j, &p->cost);
    json_open(&j, "nodes", '[');
    for (size_t i = 0; i < p->n_nodes; i++)
        write_node(&j, p, i);
    json_close(&j, ']');
    json_open(&j, "locations", '[');
    for (size_t i = 0; i < p->n_cells; i++)
        write_cell(&j, p, &p->cells[i]);
    json_close(&j, ']');
    write_violations(&j, p);
    json_close(&j, '}');
    return out->failed ? profile_no_memory(err) : PORTOLAN_OK;
}
