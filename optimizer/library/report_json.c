/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan's reports as JSON; portolan-report(1) has the form. */
#include "plan_internal.h"

#include <portolan/json.h>

#include <stdlib.h>

static void begin(struct portolan_json *j, struct portolan_text *out, const char *form,
                  const struct portolan_plan *p)
{
    *j = (struct portolan_json){.out = out};
    portolan_json_open(j, NULL, '{');
    portolan_json_text(j, "portolan", form);
    portolan_json_number(j, "version", 1);
    portolan_json_text(j, "assembly", p->s.a->name);
}

/* ------------------------------------------------------------------ call graph */

static void write_mark(struct portolan_json *j, const char *key,
                       const struct portolan_prune_mark *m)
{
    char text[160];

    portolan_callgraph_explain(m, text, sizeof text);
    portolan_json_open(j, key, '{');
    portolan_json_bool(j, "kept", m->rule == PORTOLAN_KEPT);
    portolan_json_number(j, "part_ns", m->part_ns);
    portolan_json_number(j, "whole_ns", m->whole_ns);
    portolan_json_number(j, "threshold", m->threshold);
    portolan_json_text(j, "text", text);
    portolan_json_close(j, '}');
}

enum portolan_status portolan_plan_report_callgraph_json(const struct portolan_plan *p, char **text,
                                                         struct portolan_error *err)
{
    struct portolan_text out = {0};
    struct portolan_json j;

    begin(&j, &out, "call graph", p);
    portolan_json_open(&j, "nodes", '[');
    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct portolan_plan_node *n = &p->graph[i];

        portolan_json_open(&j, NULL, '{');
        portolan_json_number(&j, "parent", (double)n->parent);
        portolan_json_text(&j, "instance", n->instance);
        portolan_json_text(&j, "method", n->method);
        portolan_json_text(&j, "implementation", n->implementation);
        portolan_json_text(&j, "seen_with", n->seen_with);
        portolan_json_number(&j, "calls", n->calls);
        portolan_json_number(&j, "inclusive_ns", n->inclusive_ns);
        portolan_json_number(&j, "exclusive_ns", n->exclusive_ns);
        portolan_json_number(&j, "mpi_ns", n->mpi_ns);
        portolan_json_number(&j, "share", n->share);
        write_mark(&j, "mark", &n->mark);
        write_mark(&j, "other_mark", &n->other_mark);
        portolan_json_close(&j, '}');
    }
    portolan_json_close(&j, ']');
    portolan_json_close(&j, '}');
    return portolan_text_take(&out, text, err);
}

/* ------------------------------------------------------------------ models */

static void write_range(struct portolan_json *j, const struct portolan_model *m)
{
    portolan_json_open(j, "parameters", '[');
    for (size_t k = 0; k < portolan_model_n_params(m); k++) {
        const struct portolan_model_range *range = portolan_model_peek_range(m, k);

        portolan_json_open(j, NULL, '{');
        portolan_json_text(j, "name", portolan_model_peek_param(m, k));
        portolan_json_number(j, "min", range->min);
        portolan_json_number(j, "max", range->max);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
}

static void write_breaks(struct portolan_json *j, const struct portolan_model *m)
{
    static const char *const names[] = {"at", "low", "high"};
    size_t n;
    const struct portolan_model_break *breaks = portolan_model_peek_breaks(m, &n);

    portolan_json_open(j, "breaks", '[');
    for (size_t i = 0; i < n; i++) {
        portolan_json_open(j, NULL, '{');
        portolan_json_text(j, "parameter", portolan_model_peek_param(m, breaks[i].param));
        portolan_json_text(
            j, "divisor",
            breaks[i].divisor == SIZE_MAX ? NULL : portolan_model_peek_param(m, breaks[i].divisor));
        portolan_json_numbers(j, "value", names,
                              (const double[]){breaks[i].at, breaks[i].low, breaks[i].high}, 3);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
}

static void write_model(struct portolan_json *j, const struct portolan_plan_model *m)
{
    const struct portolan_model_summary *s = portolan_model_peek_summary(m->model);

    portolan_json_open(j, NULL, '{');
    portolan_json_text(j, "path", m->path);
    portolan_json_text(j, "instance", m->instance);
    portolan_json_text(j, "method", m->method);
    portolan_json_text(j, "implementation", m->implementation);
    portolan_json_text(j, "scope", m->scope);
    portolan_json_text(j, "file", m->file);
    portolan_json_text(j, "quantity", m->quantity);
    portolan_json_bool(j, "core", m->core);
    portolan_json_text(j, "formula", portolan_model_peek_formula(m->model));
    portolan_json_number(j, "rows", (double)m->n_rows);
    portolan_json_number(j, "points", (double)s->n_points);
    portolan_json_number(j, "rms", s->rms);
    portolan_json_bool(j, "relative", s->weighting == PORTOLAN_MODEL_RELATIVE);
    write_range(j, m->model);
    write_breaks(j, m->model);
    portolan_json_close(j, '}');
}

void portolan_plan_write_models(const struct portolan_plan *p, struct portolan_json *j,
                                const char *key)
{
    portolan_json_open(j, key, '[');
    for (size_t i = 0; i < p->n_models; i++)
        write_model(j, &p->models[i]);
    portolan_json_close(j, ']');
}

enum portolan_status portolan_plan_report_models_json(const struct portolan_plan *p, char **text,
                                                      struct portolan_error *err)
{
    struct portolan_text out = {0};
    struct portolan_json j;

    begin(&j, &out, "models", p);
    portolan_plan_write_models(p, &j, "models");
    portolan_json_close(&j, '}');
    return portolan_text_take(&out, text, err);
}
