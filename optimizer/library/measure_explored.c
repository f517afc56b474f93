/* SPDX-License-Identifier: BSD-3-Clause */
/* The trials of exploration: the next that the plan wants, and at the end the models. */
#include "measure_internal.h"

#include <portolan/machine.h>
#include <portolan/progress.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The part of the budget that is not spent on drawn combinations. */
static const double kept_for_repetitions = 0.2;

static void say_end(struct session *s, const struct portolan_next_trial *next)
{
    double spent = measure_spent_s(s);
    char text[512];

    portolan_progress_done("trials");
    for (size_t i = 0; i < next->n_notes; i++)
        s->r->say(s->r->arg, next->notes[i]);
    if (next->summary[0])
        s->r->say(s->r->arg, next->summary);
    if (s->n_trials && spent > s->o->budget_s) {
        snprintf(text, sizeof text, "the budget of %.3g s is exceeded by %.2g s: %s",
                 s->o->budget_s, spent - s->o->budget_s,
                 s->n_trials == 1 ? "the duration of the first trial was not known"
                                  : "trials took longer than expected");
        s->r->say(s->r->arg, text);
    }
    snprintf(text, sizeof text,
             s->n_trials || next->unaffordable
                 ? "done: %d trials in %.1f s"
                 : "nothing to do: the stored trials suffice (%d new trials, %.1f s)",
             s->n_trials, spent);
    s->r->say(s->r->arg, text);
}

static enum portolan_status keep_model(struct session *s, const struct portolan_plan_model *m,
                                       struct portolan_error *err)
{
    struct portolan_stored_model stored = {.assembly = s->a->name,
                                           .instance = m->instance,
                                           .implementation = m->implementation,
                                           .method = m->method,
                                           .scope = m->scope,
                                           .quantity = m->quantity};
    char *xml = NULL;
    enum portolan_status status = portolan_model_write_xml(m->model, &xml, err);

    stored.xml = xml;
    if (!status)
        status = s->r->keep(s->r->arg, &stored, err);
    free(xml);
    return status;
}

/* Fits the measurements and stores the core's models for other readers of the store. */
static enum portolan_status keep_models(struct session *s, const struct portolan_sample_set *set,
                                        struct portolan_error *err)
{
    const struct portolan_plan_model *models;
    struct portolan_plan *plan = NULL;
    enum portolan_status status = portolan_plan_create(s->a, set, &s->o->plan, &plan, err);
    size_t n = status ? 0 : portolan_plan_peek_models(plan, &models);

    if (status == PORTOLAN_ENOTFOUND) { /* if nothing works there are no models */
        *err = (struct portolan_error){0};
        status = PORTOLAN_OK;
    }
    for (size_t i = 0; !status && i < n; i++)
        if (models[i].core && !models[i].file)
            status = keep_model(s, &models[i], err);
    portolan_plan_destroy(plan);
    return status;
}

/* Notes the cost of a trial beyond its own time: building, storing, reading, finding the next. */
static void note_overhead(struct session *s, const struct portolan_sample_set *set)
{
    double now = portolan_now_s();

    if (s->n_trials && set->n_trials && !s->r->wait)
        s->overhead_s = fmax(s->overhead_s,
                             now - s->ordered_s - 1e-9 * set->trials[set->n_trials - 1].elapsed_ns);
    s->ordered_s = now;
}

static void say_next(struct session *s, const struct portolan_next_trial *next)
{
    char text[512];

    snprintf(text, sizeof text, "%3zu of %zu  %s", next->done + 1, next->done + next->left,
             next->purpose);
    s->r->say(s->r->arg, text);
    portolan_progress("trials", next->done, next->done + next->left, true);
}

static enum portolan_status write_orders(const struct portolan_next_trial *next, char **orders,
                                         struct portolan_error *err)
{
    struct portolan_text t = {0};

    for (size_t i = 0; i < next->n_selection; i++)
        portolan_text_add(&t, "select %s %s\n", next->selection[i].name, next->selection[i].value);
    for (size_t i = 0; i < next->n_parameters; i++)
        portolan_text_add(&t, "set %s %s %s\n", next->parameters[i].instance,
                          next->parameters[i].parameter, next->parameters[i].value);
    return portolan_text_take(&t, orders, err);
}

/*
 * What is left of a stated budget, but for a part with which trials are repeated, goes to
 * combinations at the largest size that the race left behind or never looked at, in an order that
 * is as good as random: small sizes and neighbours may be misleading.
 */
static enum portolan_status next_drawn(struct session *s, const struct portolan_sample_set *set,
                                       struct portolan_plan_options options, double budget_s,
                                       struct portolan_next_trial **next,
                                       struct portolan_error *err)
{
    bool grew = true;
    double stored_s = 0;
    enum portolan_status status = PORTOLAN_OK;

    /* Earlier sessions count: the same command once more repeats, which is what settles. */
    for (size_t i = 0; i < set->n_trials; i++)
        stored_s += 1e-9 * set->trials[i].elapsed_ns;
    budget_s = fmin(budget_s, s->o->budget_s - stored_s) - kept_for_repetitions * s->o->budget_s;
    if (!isfinite(budget_s) || budget_s <= 0 || s->a->n_cases)
        return PORTOLAN_OK;
    options.at_largest = true;
    while (!status && grew) {
        status = portolan_plan_next_trial(s->a, set, &options, budget_s, next, err);
        if (status || !(*next)->finished)
            break;
        grew = !(*next)->unaffordable;
        portolan_next_trial_destroy(*next);
        *next = NULL;
        if (grew)
            status = s->r->draw(s->r->arg, &grew, err);
    }
    s->is_drawn = *next != NULL;
    return status;
}

/*
 * Of a program whose combinations are in a race: first each that is offered has one trial, then
 * those next to the best are offered, until the best has no new neighbour; then others are drawn,
 * and last trials are repeated. All follows from the stored trials, so that a session goes on where
 * one was stopped.
 */
static enum portolan_status next_combination(struct session *s,
                                             const struct portolan_sample_set *set, double budget_s,
                                             struct portolan_next_trial **next,
                                             struct portolan_error *err)
{
    struct portolan_plan_options options = s->o->plan;
    bool grew = true;
    enum portolan_status status = s->r->offer(s->r->arg, NULL, &options.is_race, &grew, err);

    s->is_drawn = false;
    options.are_combinations = true;
    options.most_trials = 1;
    for (grew = options.is_race; !status && grew;) {
        char *best;

        status = portolan_plan_next_trial(s->a, set, &options, budget_s, next, err);
        if (status || !(*next)->finished || !*(*next)->best)
            break;
        if (!(best = portolan_strdup((*next)->best)))
            status = portolan_no_memory(err);
        portolan_next_trial_destroy(*next);
        *next = NULL;
        if (!status)
            status = s->r->offer(s->r->arg, best, &options.is_race, &grew, err);
        free(best);
    }
    if (status || (*next && !(*next)->finished))
        return status;
    portolan_next_trial_destroy(*next);
    *next = NULL;
    if (options.is_race && ((status = next_drawn(s, set, options, budget_s, next, err)) || *next))
        return status;
    options.most_trials = s->o->plan.most_trials;
    return portolan_plan_next_trial(s->a, set, &options, budget_s, next, err);
}

enum portolan_status measure_next_explored(struct session *s, char **orders,
                                           struct portolan_error *err)
{
    const struct portolan_sample_set *set = NULL;
    struct portolan_next_trial *next = NULL;
    double budget_s;
    enum portolan_status status = s->r->read(s->r->arg, true, &set, err);

    if (!status) {
        note_overhead(s, set);
        budget_s = s->o->budget_s - measure_spent_s(s) - s->overhead_s;
        status = s->r->offer
                     ? next_combination(s, set, budget_s, &next, err)
                     : portolan_plan_next_trial(s->a, set, &s->o->plan, budget_s, &next, err);
    }
    if (!status && !next->finished) {
        say_next(s, next);
        status = write_orders(next, orders, err);
    } else if (!status && s->r->wait && s->r->wait(s->r->arg)) {
        status = measure_next_explored(s, orders, err); /* with what has ended */
    } else if (!status) {
        if (s->n_trials > 0 && s->r->keep)
            status = keep_models(s, set, err);
        say_end(s, next);
    }
    portolan_next_trial_destroy(next);
    return status;
}
