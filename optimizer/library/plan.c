/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes, moves and destroys plans, and predicts with them. */
#include "advise.h"

#include <stdlib.h>
#include <string.h>

/* Lists the contexts known beforehand: from the caller's options, and of the present case. */
static enum portolan_status list_known(struct portolan_plan *p, struct portolan_error *err)
{
    const struct portolan_plan_options *o = p->s.options;
    size_t most = o->n_known + p->s.n_dims;

    const char **names = portolan_arena_alloc(&p->s.pool, most, sizeof *names);
    double *values = portolan_arena_alloc(&p->s.pool, most, sizeof *values);

    (void)err;
    if (!names || !values)
        return PORTOLAN_ENOMEM;
    p->known = (struct plan_known){o->n_known, names, values};
    for (size_t i = 0; i < o->n_known; i++) {
        names[i] = portolan_arena_strdup(&p->s.pool, o->known_names[i]);
        values[i] = o->known_values[i];
    }
    for (size_t d = 0; d < p->s.n_dims; d++)
        if (!p->s.dims[d].instance && p->s.dims[d].column != NONE && !isnan(p->s.dims[d].value)) {
            names[p->known.n] = p->s.dims[d].parameter;
            values[p->known.n++] = p->s.dims[d].value;
        }
    return p->s.pool.failed ? PORTOLAN_ENOMEM : PORTOLAN_OK;
}

/* Returns the steps of a run if the assembly does not say it: as many as the newest trial with
 * steps had. */
static int usual_steps(const struct survey *s)
{
    int steps = 1;

    for (size_t t = 0; t < s->n_trials; t++)
        steps = s->trials[t].steps > 0 ? s->trials[t].steps : steps;
    return steps;
}

/* Returns whether a component of a trial gave it a clock that only calls move. */
static bool has_manual_clock(const struct survey *s)
{
    for (size_t i = 0; i < s->n_trials; i++) {
        const struct portolan_trial *t = s->trials[i].trial;

        for (size_t k = 0; k < t->n_implementations; k++)
            if (!strcmp(t->implementations[k].value, "portolan.ManualClock"))
                return true;
    }
    return false;
}

static enum portolan_status read_target(struct portolan_plan *p, struct portolan_error *err)
{
    const struct portolan_assembly *a = p->s.a;

    p->dim_target = portolan_arena_alloc(&p->s.pool, p->s.n_dims, sizeof *p->dim_target);
    if (!p->dim_target)
        return PORTOLAN_ENOMEM;
    for (size_t d = 0; d < p->s.n_dims; d++)
        p->dim_target[d] = p->s.dims[d].value;
    p->is_exact = has_manual_clock(&p->s);
    p->steps = a->steps_instance
                   ? survey_read_steps(survey_set_text(a, a->steps_instance, a->steps_parameter))
                   : usual_steps(&p->s);
    if (p->steps)
        return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_EINVAL,
                              "the number of steps, %s.%s, is not set to a positive number",
                              a->steps_instance, a->steps_parameter);
}

static bool is_called(const struct portolan_plan *p, const struct plan_stated *s)
{
    for (size_t i = 0; i < p->s.n_nodes; i++)
        if (p->s.nodes[i].variable == s->variable &&
            strcmp(p->s.nodes[i].method, s->from->method) == 0)
            return true;
    return false;
}

static void note_stated(struct portolan_plan *p)
{
    const struct plan_stated *last = NULL, *unheard = NULL;
    struct portolan_text list = {.arena = &p->s.pool};

    for (size_t i = 0; i < p->n_stated; i++) {
        const struct plan_stated *s = &p->stated[i];
        const struct portolan_assembly_instance *x = p->s.variables[s->variable].instance;

        if (!unheard && s->from->method && !is_called(p, s))
            unheard = s;
        if (!s->is_used ||
            (last && last->variable == s->variable && last->alternative == s->alternative))
            continue;
        portolan_text_add(&list, "%s%s=%s", last ? ", " : "", x->name,
                          x->alternatives[s->alternative].class_name);
        last = s;
    }
    if (unheard)
        plan_note(&p->notes, "%s:%d: <model> names method '%s', which no trial calls in '%s'",
                  p->s.a->file, unheard->from->line, unheard->from->method,
                  p->s.variables[unheard->variable].instance->name);
    if (last)
        plan_note(&p->notes, "from model files, not measured: %s", plan_text(&list));
}

/* Notes which trials were left out, and what replaces missing measurements. */
static void take_notes(struct portolan_plan *p)
{
    struct survey *s = &p->s;
    const struct portolan_assembly_sweep *set = survey_unmeasured_setting(s);
    double x;

    p->notes.pool = &s->pool;
    p->other_input = set && !portolan_read_double(set->values[0], &x) ? set : NULL;
    if (set)
        plan_note(&p->notes,
                  "%snever measured with the present %s.%s, only with values of the sweep; a run "
                  "shows the difference",
                  p->other_input ? "cannot tell: " : "", set->instance, set->parameter);
    note_stated(p);
    if (s->n_elsewhere)
        plan_note(&p->notes, "%zu trial%s of another machine or build not used (%s)",
                  s->n_elsewhere, s->n_elsewhere == 1 ? " is" : "s are", s->elsewhere);
    if (survey_ranks_vary(s))
        plan_note(&p->notes,
                  "no measurements on %d rank%s: the number of ranks is a parameter of the models",
                  s->ranks, s->ranks == 1 ? "" : "s");
}

static enum portolan_status build_plan(struct portolan_plan *p, const struct portolan_assembly *a,
                                       const struct portolan_sample_set *data,
                                       const struct portolan_plan_options *options,
                                       struct portolan_error *err)
{
    static enum portolan_status (*const steps[])(struct portolan_plan *,
                                                 struct portolan_error *) = {
        list_known,       read_target,     plan_read_conditions, plan_read_data, plan_read_memory,
        plan_make_scopes, plan_make_graph, plan_read_stated,     plan_fit,       plan_list_models};
    enum portolan_status status = survey_init(&p->s, a, data, options, false, err);

    if (!status && (!survey_has_times(&p->s) || p->s.n_nodes == 0))
        return portolan_error_set(
            err, PORTOLAN_ENOTFOUND,
            "no measurements of assembly '%s' on %d rank%s that can be used%s%s", a->name,
            options->ranks, options->ranks == 1 ? "" : "s", p->s.unusable ? ": " : "",
            p->s.unusable ? p->s.unusable : "");
    for (size_t i = 0; !status && i < sizeof steps / sizeof *steps; i++)
        status = steps[i](p, err);
    if (!status)
        status = plan_view_create(p, &p->s.pool, &p->view);
    if (!status)
        status = plan_view_create(p, &p->s.pool, &p->recent);
    if (!status) {
        plan_view_fill(&p->view, NULL, NULL);
        take_notes(p);
    }
    p->s.options = NULL; /* the caller may free them now */
    return !status && p->s.pool.failed ? PORTOLAN_ENOMEM : status;
}

enum portolan_status portolan_plan_create(const struct portolan_assembly *a,
                                          const struct portolan_sample_set *data,
                                          const struct portolan_plan_options *options,
                                          struct portolan_plan **plan, struct portolan_error *err)
{
    struct portolan_plan *p = portolan_calloc(1, sizeof *p);
    enum portolan_status status = p ? build_plan(p, a, data, options, err) : PORTOLAN_ENOMEM;

    if (status) {
        portolan_plan_destroy(p);
        return portolan_error_set(err, status, "planning assembly '%s'", a->name);
    }
    *plan = p;
    return PORTOLAN_OK;
}

/* Nothing was measured at the new place, and no cost was found there yet. */
static void forget_place(struct portolan_plan *p)
{
    for (size_t i = 0; i < p->s.n_nodes; i++) {
        const struct plan_path *at = &p->paths[i];

        memset(p->view.stamps[i], 0, at->scope.n_tuples * sizeof **p->view.stamps);
        for (size_t k = 0; k < at->scope.n_tuples; k++) {
            at->tuples[k].exact.n = 0;
            at->tuples[k].accuracy_here = (struct estimate){NAN, NAN, NAN, NAN};
        }
    }
}

enum portolan_status portolan_plan_move(struct portolan_plan *p, struct portolan_error *err)
{
    enum portolan_status status;

    if (p->s.a->n_cases || !survey_move(&p->s))
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "what was measured at these parameters needs a plan of its own");
    forget_place(p);
    status = read_target(p, err);
    p->memory_fixed = 0;
    if (!status)
        status = plan_read_memory(p, err);
    if (!status) {
        p->view.steps = p->steps;
        plan_view_fill(&p->view, NULL, NULL);
    }
    return status;
}

void portolan_plan_destroy(struct portolan_plan *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n_owned; i++)
        portolan_model_destroy(p->owned[i]);
    plan_rows_clear(p);
    plan_clear_conditions(p);
    plan_clear_data(p);
    portolan_arena_clear(&p->choice_pool);
    survey_clear(&p->s);
    free(p);
}

size_t portolan_plan_peek_callgraph(const struct portolan_plan *p,
                                    const struct portolan_plan_node **nodes)
{
    *nodes = p->graph;
    return p->n_nodes;
}

size_t portolan_plan_peek_models(const struct portolan_plan *p,
                                 const struct portolan_plan_model **models)
{
    for (size_t i = 0; i < p->n_rows; i++)
        plan_rows_catch_up(p->rows[i]);
    *models = p->models;
    return p->n_models;
}

const char *portolan_plan_peek_note(const struct portolan_plan *p, size_t i)
{
    return i < p->notes.n ? p->notes.texts[i] : NULL;
}

enum portolan_status portolan_plan_predict(const struct portolan_plan *p, const int32_t *selection,
                                           struct portolan_plan_prediction *prediction,
                                           struct portolan_error *err)
{
    size_t *chosen = portolan_calloc(p->s.n_variables + 1, sizeof *chosen);
    enum portolan_status status = PORTOLAN_OK;
    struct plan_forbidden why;
    char text[300];

    if (!chosen)
        return portolan_no_memory(err);
    if (selection)
        plan_read_selection(&p->s, selection, chosen);
    if (!plan_total(&p->view, chosen, prediction, &why)) {
        plan_explain_forbidden(&p->view, &why, text, sizeof text);
        status = portolan_error_set(err, PORTOLAN_EINFEASIBLE, "%s", text);
    }
    free(chosen);
    return status;
}
