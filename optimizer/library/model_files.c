/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads models of times and accuracies that files next to the assembly state, for implementations
 * without measurements (the models that are read at run time in Trebon et al. 2006, section 6).
 * Measurements replace them, as far as they reach.
 */
#include "plan_internal.h"

#include <portolan/list.h>
#include <string.h>

static const struct {
    const char *unit, *quantity;
    double ns;
} units[] = {{"ns", "exclusive_ns", 1},
             {"us", "exclusive_us", 1e3},
             {"ms", "exclusive_ms", 1e6},
             {"s", "exclusive_s", 1e9}};

/* The chance that an implementation is accurate enough when no file says so. */
static const double benefit_of_doubt = 0.5;

/* Sets the kind of a model; false unless it is a time, in a unit of time, or an accuracy. */
static bool take_kind(const struct portolan_model_envelope *e, struct plan_stated *out)
{
    if (e->quality && strcmp(e->quality, "accuracy") == 0) {
        *out = (struct plan_stated){.quantity = "accuracy", .kind = QUANTITY_ACCURACY, .factor = 1};
        return true;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        bool is_setup = e->quality && strcmp(e->quality, "setup") == 0;

        if (e->unit && strcmp(e->unit, units[i].unit) == 0 &&
            (!e->quality || is_setup || strcmp(e->quality, "time") == 0)) {
            *out = (struct plan_stated){.quantity = is_setup ? "setup_ns" : units[i].quantity,
                                        .kind = is_setup ? QUANTITY_SETUP : QUANTITY_TIME,
                                        .factor = units[i].ns};
            return true;
        }
    }
    return false;
}

/* Reads a model file; OUT->model is the caller's to destroy. Problems go to D, which is not NULL.
 */
static enum portolan_status read_one(const struct portolan_assembly_model *m,
                                     struct portolan_diagnostics *d, struct plan_stated *out)
{
    const struct portolan_model_envelope *e;
    struct portolan_model *model = NULL;
    enum portolan_status status =
        portolan_model_read_xml(m->text, m->size, m->file, d, &model, NULL);

    if (status)
        return status;
    e = portolan_model_peek_envelope(model);
    if (!take_kind(e, out)) {
        portolan_diagnose(d, m->file, 1, 0,
                          "a model of quality '%s' in '%s' cannot be used; its quality must be "
                          "time or setup (unit s, ms, us or ns) or accuracy",
                          e->quality ? e->quality : "time", e->unit ? e->unit : "no unit");
        portolan_model_destroy(model);
        return PORTOLAN_ESYNTAX;
    }
    out->from = m;
    out->model = model;
    return PORTOLAN_OK;
}

enum portolan_status portolan_plan_check_models(const struct portolan_assembly *a,
                                                struct portolan_diagnostics *d)
{
    enum portolan_status worst = plan_check_formulas(a, d);

    for (size_t i = 0; i < a->n_instances; i++)
        for (size_t k = 0; k < a->instances[i].n_alternatives; k++)
            for (size_t m = 0; m < a->instances[i].alternatives[k].n_models; m++) {
                struct plan_stated s = {0};
                enum portolan_status status =
                    read_one(&a->instances[i].alternatives[k].models[m], d, &s);

                portolan_model_destroy(s.model);
                worst = status ? status : worst;
            }
    return worst;
}

enum portolan_status plan_read_stated(struct portolan_plan *p, struct portolan_error *err)
{
    struct portolan_diagnostics_relay relay = {.err = err};
    struct portolan_diagnostics d = {.report = portolan_diagnostics_relay, .arg = &relay};
    enum portolan_status status = PORTOLAN_OK;

    for (size_t v = 0; v < p->s.n_variables; v++)
        for (size_t k = 0; k < p->s.variables[v].n; k++) {
            const struct portolan_assembly_alternative *x =
                &p->s.variables[v].instance->alternatives[k];

            for (size_t m = 0; !status && m < x->n_models; m++) {
                struct plan_stated s;

                if (!(status = read_one(&x->models[m], &d, &s)))
                    status = plan_own_model(p, s.model);
                s.variable = v;
                s.alternative = k;
                if (!status &&
                    !portolan_arena_append(&p->s.pool, &p->stated, &p->n_stated, &s, sizeof s))
                    status = PORTOLAN_ENOMEM;
            }
        }
    return status;
}

/* The index of NAME among the contexts of the path's calls, or among the swept parameters; NONE. */
static size_t input_of(const struct portolan_plan *p, size_t path, bool by_context,
                       const char *name)
{
    const struct survey_node *node = &p->s.nodes[path];
    size_t n = 0;

    for (int k = 0; by_context && k < node->n_context; k++)
        if (strcmp(node->context_name[k], name) == 0)
            return (size_t)k;
    if (by_context)
        return strcmp(name, "ranks") == 0 ? (size_t)node->n_context : NONE;
    for (size_t d = 0; d < p->s.n_dims && n < MAX_INPUTS; d++) {
        if (p->s.dims[d].numeric && strcmp(p->s.dims[d].name, name) == 0)
            return n;
        n += p->s.dims[d].numeric;
    }
    return NONE;
}

static enum portolan_status quantity_of(const struct portolan_plan *p, size_t path,
                                        const struct plan_stated *s, struct quantity *q,
                                        struct portolan_error *err)
{
    const struct survey_node *node = &p->s.nodes[path];
    size_t n = portolan_model_n_params(s->model), k = 0;

    *q = (struct quantity){.known = true, .kind = s->kind, .model = s->model, .stated = s};
    q->n_inputs = n;
    q->n_rows = portolan_model_peek_summary(s->model)->n_rows;
    for (int by_context = n > 0; by_context >= 0; by_context--) {
        q->by_context = by_context;
        for (k = 0; k < n; k++)
            if ((q->inputs[k] =
                     input_of(p, path, by_context, portolan_model_peek_param(s->model, k))) == NONE)
                break;
        if (k == n)
            return PORTOLAN_OK;
    }
    return portolan_error_set(
        err, PORTOLAN_EINVAL,
        "%s:%d: error: '%s' of '%s' is neither a context of %s.%s nor a parameter of the sweep",
        p->s.a->file, s->from->line, portolan_model_peek_param(s->model, k), s->from->file,
        node->instance, node->method);
}

/* Returns another method of the instance that is called; then a model must name its method. */
static const char *other_method(const struct portolan_plan *p, size_t path)
{
    const struct survey_node *n = p->s.nodes, *mine = &n[path];

    for (size_t i = 0; i < p->s.n_nodes; i++)
        if (strcmp(n[i].instance, mine->instance) == 0 && strcmp(n[i].method, mine->method) != 0)
            return n[i].method;
    return NULL;
}

/* Finds the stated model of the path's method with an alternative; *OUT NULL: there is none. */
static enum portolan_status find_stated(struct portolan_plan *p, size_t path, size_t alternative,
                                        enum quantity_kind kind, struct plan_stated **out,
                                        struct portolan_error *err)
{
    const struct survey_node *node = &p->s.nodes[path];
    const char *other;

    *out = NULL;
    for (size_t i = 0; i < p->n_stated; i++) {
        struct plan_stated *s = &p->stated[i];

        if (s->variable != node->variable || s->alternative != alternative || s->kind != kind ||
            (s->from->method && strcmp(s->from->method, node->method) != 0))
            continue;
        if (!s->from->method && (other = other_method(p, path)))
            return portolan_error_set(
                err, PORTOLAN_EINVAL,
                "%s:%d: error: <model> of '%s' must name its method: at least %s and %s are called",
                p->s.a->file, s->from->line, node->instance, node->method, other);
        if (*out)
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "%s:%d: error: '%s' is a second model of %s.%s; line %d "
                                      "names one",
                                      p->s.a->file, s->from->line, s->from->file, node->instance,
                                      node->method, (*out)->from->line);
        *out = s;
    }
    return PORTOLAN_OK;
}

/* A measured combination with the same caller, if possible with the same partners, which is called
 * as often. */
static const struct plan_tuple *donor_of(const struct portolan_plan *p, size_t path, size_t tuple)
{
    const struct plan_path *at = &p->paths[path];
    size_t others = at->scope.n_tuples / p->s.variables[p->s.nodes[path].variable].n;
    size_t caller = plan_caller_of(p, path, tuple);
    const struct plan_tuple *found = NULL;

    for (size_t k = 0; k < at->scope.n_tuples; k++) {
        if (!at->tuples[k].seen || at->tuples[k].exclusive.stated ||
            plan_caller_of(p, path, k) != caller)
            continue;
        if (k % others == tuple % others)
            return &at->tuples[k];
        found = found ? found : &at->tuples[k];
    }
    return found;
}

static enum portolan_status take_tuple(struct portolan_plan *p, size_t path, size_t tuple,
                                       struct portolan_error *err)
{
    struct plan_tuple *t = &p->paths[path].tuples[tuple];
    const struct plan_tuple *donor = donor_of(p, path, tuple);
    size_t own = plan_own_of(p, path, tuple);
    static const enum quantity_kind kinds[] = {QUANTITY_TIME, QUANTITY_ACCURACY, QUANTITY_SETUP};
    struct quantity *takes[] = {&t->exclusive, &t->accuracy, &t->setup};
    struct plan_stated *found[3];
    enum portolan_status status = PORTOLAN_OK;

    for (int i = 0; !status && i < 3; i++)
        status = find_stated(p, path, own, kinds[i], &found[i], err);
    if (status || !found[0] || !donor)
        return status;
    for (int i = 0; !status && i < 3; i++)
        if (found[i])
            status = quantity_of(p, path, found[i], takes[i], err);
    if (status)
        return status;
    t->seen = found[0]->is_used = true;
    t->calls = donor->calls;
    t->n_slots = donor->n_slots;
    t->slot_context = donor->slot_context;
    t->slot_share = donor->slot_share;
    return PORTOLAN_OK;
}

/* Attaches a file's law to a measured quantity: outside the measured range, the time changes as the
 * law says (plan_quantity_value()). */
static enum portolan_status attach_law(struct portolan_plan *p, size_t path, size_t tuple,
                                       struct portolan_error *err)
{
    struct quantity *q = &p->paths[path].tuples[tuple].exclusive, *law;
    struct plan_stated *time;
    enum portolan_status status =
        find_stated(p, path, plan_own_of(p, path, tuple), QUANTITY_TIME, &time, err);

    if (status || !time || !q->known)
        return status;
    if (!(law = portolan_arena_alloc(&p->s.pool, 1, sizeof *law)))
        return PORTOLAN_ENOMEM;
    status = quantity_of(p, path, time, law, err);
    if (!status && law->by_context == q->by_context)
        q->beyond = law;
    return status;
}

/* Returns whether the caller is an implementation with a stated model, whose time contains its
 * calls. */
static bool is_within_stated(const struct portolan_plan *p, size_t path, size_t tuple)
{
    const struct plan_path *at = &p->paths[path];
    size_t c;

    if (at->caller_at == NONE || at->tuples[tuple].seen)
        return false;
    c = plan_caller_of(p, path, tuple);
    for (size_t i = 0; i < p->n_stated; i++)
        if (p->stated[i].is_used && p->stated[i].alternative == c &&
            p->stated[i].variable == at->scope.variables[at->caller_at])
            return true;
    return false;
}

enum portolan_status plan_take_stated(struct portolan_plan *p, size_t path,
                                      struct portolan_error *err)
{
    struct plan_path *at = &p->paths[path];
    enum portolan_status status = PORTOLAN_OK;

    for (size_t k = 0; p->n_stated && !status && k < at->scope.n_tuples; k++) {
        if (is_within_stated(p, path, k))
            at->tuples[k].unneeded = true;
        else if (p->s.nodes[path].variable != NONE)
            status = at->tuples[k].seen ? attach_law(p, path, k, err) : take_tuple(p, path, k, err);
    }
    return status;
}

struct plan_verdict plan_admit_stated(const struct portolan_plan *p, size_t path, double accuracy)
{
    const struct survey_node *node = &p->s.nodes[path];
    struct plan_verdict out = {.kind = PLAN_ADMITTED, .accuracy = accuracy};
    double wanted = plan_wanted(p, path);
    bool is_asked = false;

    for (size_t i = 0; i < node->n_qualities; i++)
        is_asked = is_asked || !isnan(p->s.qualities[node->first_quality + i].value);
    if (!is_asked || !(wanted > 0) || accuracy <= wanted)
        return out;
    out.kind = PLAN_UNPROVEN;
    out.hope = isnan(accuracy) ? benefit_of_doubt : 0;
    return out;
}
