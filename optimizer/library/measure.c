/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop of a session: one trial after the other, until there are no more orders. */
#include "measure_internal.h"

#include <portolan/machine.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A trial may take this many times as long as the best of its case, but at least so many seconds.
 */
static const double limit_of_best = 10, least_limit_s = 10;
/* The trial of a program may take at least so many seconds, since a start takes some. */
static const double least_of_program_s = 1;
/* One that is drawn at random matters only if it is about as fast as the best, with its start. */
static const double limit_of_drawn = 1.5, more_for_drawn_s = 0.005;

/* What is fast and wrong is no measure for the others. */
static bool is_accurate(const struct session *s, const struct portolan_sample_set *set,
                        int64_t trial)
{
    for (size_t i = 0; i < set->n_samples; i++) {
        const struct portolan_sample *x = &set->samples[i];
        double wanted = x->trial == trial ? portolan_plan_wanted_accuracy(s->a, x->instance) : 0;

        if (wanted > 0 && x->quality > wanted)
            return false;
    }
    return true;
}

/*
 * Finds how long the next trial may take, in seconds: as the sweep says; else ten times the best
 * with these parameters, plus the start of its processes; 0, no limit, if there is none.
 */
static enum portolan_status find_limit(struct session *s, double *limit_s,
                                       struct portolan_error *err)
{
    const struct portolan_sample_set *set = NULL;
    enum portolan_status status = PORTOLAN_OK;
    /* What a program says of its time does not limit that of its process. */
    double best_s = INFINITY,
           factor = s->a->program && s->a->program->time.regex ? 0 : s->o->factor;

    *limit_s = s->a->sweep_timeout_s;
    if (s->o->factor > 0 && s->a->program->timeout_s > 0)
        *limit_s = s->a->program->timeout_s;
    if ((*limit_s > 0 && !(factor > 0)) ||
        (status = s->r->read(s->r->arg, s->o->factor > 0, &set, err)))
        return status;
    for (size_t i = 0; i < set->n_trials; i++)
        if (!strcmp(set->trials[i].outcome, "finished") &&
            s->r->has_parameters(s->r->arg, &set->trials[i]) &&
            is_accurate(s, set, set->trials[i].id))
            best_s = fmin(best_s, 1e-9 * set->trials[i].elapsed_ns);
    if (isfinite(best_s) && s->is_drawn && factor > 0)
        *limit_s = fmin(*limit_s > 0 ? *limit_s : INFINITY,
                        fmax(limit_of_drawn * best_s, best_s + more_for_drawn_s));
    else if (isfinite(best_s) && factor > 0)
        *limit_s = fmin(*limit_s > 0 ? *limit_s : INFINITY,
                        fmax(least_of_program_s, s->o->factor * best_s));
    else if (isfinite(best_s))
        *limit_s = fmax(least_limit_s, limit_of_best * best_s) + s->overhead_s;
    return PORTOLAN_OK;
}

/* Returns whether there are trials of the assembly, and none ended well. */
static bool has_failed(struct session *s)
{
    const struct portolan_sample_set *set;

    if (s->r->read(s->r->arg, false, &set, NULL) || !set->n_trials)
        return false;
    for (size_t i = 0; i < set->n_trials; i++)
        if (!strcmp(set->trials[i].outcome, "finished"))
            return false;
    return true;
}

/* Collective: the orders of the next trial, which the assembly has got; NULL: the end. */
static enum portolan_status next_orders(struct session *s, const char *failed, char **orders,
                                        struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    size_t size;

    *orders = NULL;
    if (s->o->cohort->rank == 0)
        status = (s->o->all_fixed ? measure_next_fixed : measure_next_explored)(s, orders, err);
    size = *orders ? strlen(*orders) : 0;
    status = portolan_cohort_share(s->o->cohort, orders, &size, status, err);
    if (!status && *orders && failed && !strcmp(failed, *orders))
        status = portolan_error_set(err, PORTOLAN_ECOMPONENT, "a trial failed twice");
    if (!status && *orders)
        status = s->r->apply(s->r->arg, *orders, err);
    return status;
}

/* Collective. PORTOLAN_ECOMPONENT: it failed, with the reason, and is stored as failed. */
static enum portolan_status run_trial(struct session *s, const char *orders,
                                      struct portolan_error *err)
{
    struct portolan_measure_trial trial = {.orders = orders, .number = s->n_trials};
    enum portolan_status status = PORTOLAN_OK;

    if (s->o->cohort->rank == 0)
        status = find_limit(s, &trial.limit_s, err);
    status = portolan_cohort_agree(s->o->cohort, status, err);
    if (status)
        return status;
    s->n_trials++;
    return portolan_cohort_agree(s->o->cohort, s->r->run(s->r->arg, &trial, err), err);
}

static enum portolan_status run_all(struct session *s, struct portolan_error *err)
{
    char *failed = NULL, *orders = NULL; /* FAILED: of the last trial, if it failed */
    char text[1100];
    enum portolan_status status;

    while (!(status = next_orders(s, failed, &orders, err)) && orders) {
        free(failed);
        failed = NULL;
        status = run_trial(s, orders, err);
        if (status == PORTOLAN_ECOMPONENT) { /* the plan leaves it out */
            snprintf(text, sizeof text, "failed: %s", err->text);
            s->r->say(s->r->arg, text);
            *err = (struct portolan_error){0};
            status = PORTOLAN_OK;
            failed = orders;
            orders = NULL;
        }
        if (status)
            break;
        free(orders);
        orders = NULL;
    }
    free(orders);
    free(failed);
    return status;
}

enum portolan_status portolan_measure(struct portolan_assembly *a,
                                      const struct portolan_measure_options *options,
                                      const struct portolan_measure_runner *runner, int *n_trials,
                                      struct portolan_error *err)
{
    struct session s = {.a = a, .o = options, .r = runner};
    enum portolan_status status = run_all(&s, err);

    *n_trials = s.n_trials;
    if (status == PORTOLAN_OK && options->cohort->rank == 0 && has_failed(&s))
        status = portolan_error_set(err, PORTOLAN_ECOMPONENT, "every trial failed");
    return portolan_cohort_agree(options->cohort, status, err);
}
