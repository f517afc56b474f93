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

/* ------------------------------------------------------------------ choice */

static void write_prediction(struct portolan_json *j, const char *key,
                             const struct portolan_plan_prediction *x)
{
    portolan_json_open(j, key, '{');
    portolan_json_number(j, "total_ns", x->total_ns);
    portolan_json_number(j, "low_ns", x->low_ns);
    portolan_json_number(j, "high_ns", x->high_ns);
    portolan_json_number(j, "step_ns", x->step_ns);
    portolan_json_number(j, "setup_ns", x->setup_ns);
    portolan_json_number(j, "steps", x->steps);
    portolan_json_number(j, "extrapolating_models", (double)x->n_extrapolating);
    portolan_json_text(j, "extrapolating", x->extrapolating);
    portolan_json_bool(j, "assumed", x->is_assumed);
    portolan_json_bool(j, "unusable", x->is_unusable);
    portolan_json_number(j, "accuracy", x->accuracy);
    portolan_json_number(j, "memory_bytes", x->memory_bytes);
    portolan_json_close(j, '}');
}

static void write_variable(struct portolan_json *j, const struct portolan_plan_variable *v)
{
    portolan_json_open(j, NULL, '{');
    portolan_json_text(j, "instance", v->instance);
    portolan_json_text(j, "chosen", v->options[v->chosen].implementation);
    portolan_json_text(j, "written", v->options[v->written].implementation);
    portolan_json_bool(j, "core", v->core);
    portolan_json_bool(j, "called", v->called);
    portolan_json_bool(j, "tied", v->tied);
    portolan_json_open(j, "options", '[');
    for (size_t i = 0; i < v->n_options; i++) {
        const struct portolan_plan_option *o = &v->options[i];

        portolan_json_open(j, NULL, '{');
        portolan_json_text(j, "implementation", o->implementation);
        portolan_json_bool(j, "is_chosen", i == v->chosen);
        portolan_json_bool(j, "is_written", i == v->written);
        portolan_json_number(j, "total_ns", o->total_ns);
        portolan_json_text(j, "reason", o->reason);
        portolan_json_bool(j, "unmeasured", o->is_unknown);
        portolan_json_bool(j, "extrapolates", o->extrapolates);
        portolan_json_bool(j, "unusable", o->is_unusable);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
    portolan_json_close(j, '}');
}

enum portolan_status portolan_plan_write_choice(struct portolan_plan *p, struct portolan_json *j,
                                                const char *key, struct portolan_error *err)
{
    static const char *const verdicts[] = {"sure", "close", "cannot tell"};
    const struct portolan_plan_choice *c;
    enum portolan_status status = portolan_plan_choose(p, &c, err);

    if (status)
        return status;
    portolan_json_open(j, key, '{');
    portolan_json_text(j, "verdict", verdicts[c->verdict]);
    portolan_json_number(j, "chance", c->chance);
    portolan_json_number(j, "expected_loss", c->expected_loss);
    portolan_json_text(j, "rival", c->rival);
    portolan_json_text(j, "settle", c->settle);
    portolan_json_open(j, "variables", '[');
    for (size_t i = 0; i < c->n_variables; i++)
        write_variable(j, &c->variables[i]);
    portolan_json_close(j, ']');
    write_prediction(j, "prediction", &c->prediction);
    write_prediction(j, "as_written", &c->as_written);
    portolan_json_open(j, "reasons", '[');
    for (size_t i = 0; i < c->n_reasons; i++)
        portolan_json_text(j, NULL, c->reasons[i]);
    portolan_json_close(j, ']');
    portolan_json_close(j, '}');
    return PORTOLAN_OK;
}

enum portolan_status portolan_plan_report_choice_json(struct portolan_plan *p, char **text,
                                                      struct portolan_error *err)
{
    struct portolan_text out = {0};
    struct portolan_json j;
    char *parameters = NULL;
    enum portolan_status status = portolan_plan_write_parameters(p->s.a, &parameters, err);

    begin(&j, &out, "choice", p);
    portolan_json_text(&j, "parameters", parameters);
    portolan_json_number(&j, "ranks", p->s.ranks);
    if (!status)
        status = portolan_plan_write_choice(p, &j, "choice", err);
    portolan_json_close(&j, '}');
    free(parameters);
    if (!status)
        return portolan_text_take(&out, text, err);
    portolan_text_clear(&out);
    *text = NULL;
    return status;
}
