/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Experiments of a diagnosis: a profile, a profile of operations, a trace. Which comes next is what
 * the rules of the paradigm ask for.
 */
#include "internal.h"

#include <portolan/list.h>
#include <portolan/progress.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The state of one diagnosis. */
struct work {
    struct portolan_subject *s;
    const struct portolan_experiment_options *o;
    struct portolan_diagnosis_options *how;
    struct portolan_experiments *e;
    struct portolan_error *err;
};

static const struct portolan_diagnosis *latest(const struct portolan_experiments *e)
{
    return e->n ? e->all[e->n - 1] : NULL;
}

static enum portolan_status add_diagnosis(struct work *w, struct portolan_diagnosis *d)
{
    if (portolan_append(&w->e->all, &w->e->n, &d, sizeof d))
        return PORTOLAN_OK;
    portolan_diagnosis_destroy(d);
    return portolan_no_memory(w->err);
}

void portolan_experiments_clear(struct portolan_experiments *e)
{
    for (size_t i = 0; i < e->n; i++)
        portolan_diagnosis_destroy(e->all[i]);
    free(e->all);
    *e = (struct portolan_experiments){0};
}

/* ------------------------------------------------- what comes next */

/* "trace of guard cells, balance" */
static const char *title_of(struct work *w, const struct experiment_run *r,
                            const struct portolan_diagnosis *d)
{
    static const char *const titles[] = {"profile of computation and communication",
                                         "profile of the operations", "trace"};
    struct portolan_text text = {.arena = &w->s->arena};

    portolan_text_add(&text, "%s", titles[r->experiment - 1]);
    for (size_t i = 0, n = 0; d && r->experiment > 1 && i < d->n_wanted; i++)
        if (d->wanted[i].experiment == r->experiment && d->wanted[i].of)
            portolan_text_add(&text, "%s%s", n++ ? ", " : " of ", d->wanted[i].of);
    portolan_text_add(&text, "%s", r->steps ? r->steps : "");
    return text.bytes;
}

/* The components that the experiment measures. */
static void take_components(struct work *w, struct experiment_run *r,
                            const struct portolan_diagnosis *d)
{
    const char **names = NULL;

    for (size_t i = 0; i < d->n_wanted; i++)
        for (size_t k = 0;
             d->wanted[i].experiment == r->experiment && k < d->wanted[i].n_components; k++)
            portolan_arena_append(&w->s->arena, &names, &r->n_components,
                                  &d->wanted[i].components[k], sizeof *names);
    r->components = names;
}

/* Few steps are recorded all. */
static void choose_window(struct work *w, struct experiment_run *r)
{
    int first, last;

    w->s->first_step = 0;
    if (!decide_window(w->e->n_steps, &first, &last))
        return;
    r->window = portolan_arena_printf(&w->s->arena, "steps=%d-%d", first, last);
    w->s->first_step = first;
    r->steps = portolan_arena_printf(&w->s->arena, ", steps %d to %d", first, last);
}

static double expected_s(struct work *w)
{
    return w->e->last_s > 0 ? w->e->last_s : 1e-9 * trial_expect_ns(w->s, w->o);
}

/* Returns whether the budget allows R; else `not_made` says why. IS_STORED: it takes no time. */
static bool may_begin(struct work *w, const struct experiment_run *r, const char *title,
                      bool is_stored)
{
    double needed = is_stored ? 0 : expected_s(w), left = w->o->budget_s - w->e->spent_s;

    if (is_stored || decide_to_begin(w->o, w->e, needed))
        return true;
    w->e->not_made = portolan_arena_printf(
        &w->s->arena,
        "experiment %d (%s): it would take about %.3g s, but %.3g s of %.3g s are left",
        r->experiment, title, needed, left > 0 ? left : 0, w->o->budget_s);
    return false;
}

/* Makes a run. If it fails after earlier ones gave results, the diagnosis ends with these: *IS_MADE
 * is false, `not_made` says why. */
static enum portolan_status run(struct work *w, const struct experiment_run *r, const char *title,
                                bool *is_made)
{
    double begin = portolan_now_s();
    int64_t before = w->s->trial;
    enum portolan_status status;

    portolan_progress("experiments", (size_t)r->experiment - 1, 3, true);
    status = experiment_run(w->s, w->o, r, w->err);

    w->e->last_s = portolan_now_s() - begin;
    w->e->spent_s += w->e->last_s;
    *is_made = !status;
    if (!status || status == PORTOLAN_ENOMEM || !latest(w->e) || !isfinite(latest(w->e)->run_ns))
        return status;
    w->s->trial = before;
    w->e->not_made = portolan_arena_printf(&w->s->arena, "experiment %d (%s): %s", r->experiment,
                                           title, w->err->text);
    *w->err = (struct portolan_error){0};
    return PORTOLAN_OK;
}

static void note(struct work *w, int experiment, const char *title)
{
    struct portolan_experiment *x = &w->e->made[experiment - 1];
    double overhead = decide_overhead(w->e->made, experiment - 1, w->s->trial, w->s->run_ns);

    *x = (struct portolan_experiment){title, latest(w->e), w->s->trial, w->s->run_ns, overhead};
}

/* ------------------------------------------------- profiles */

static enum portolan_status add_quantities(struct work *w, const struct portolan_quantity *q,
                                           size_t n)
{
    struct portolan_diagnosis *d;
    enum portolan_status status = portolan_diagnosis_of_quantities(
        w->s->knowledge, w->s->paradigm, q, n, w->how->settings, w->how->n_settings, &d, w->err);

    return status ? status : add_diagnosis(w, d);
}

/* Adds zeros for wanted components that are no part, or were not called. In a given trial,
 * components without calls may not have been measured. */
static void add_zeros(struct work *w, int experiment, struct experiment_profile *p)
{
    static const char *const quantities[] = {"mpi", "time", "count"};
    const struct portolan_diagnosis *d = latest(w->e);

    for (size_t i = 0; i < d->n_wanted; i++)
        for (size_t c = 0; d->wanted[i].experiment == experiment && c < d->wanted[i].n_components;
             c++) {
            const char *component = d->wanted[i].components[c];
            size_t k = 0, n = p->n;

            if (w->o->trial == w->s->trial && profile_is_part(w->s, component))
                continue;
            while (k < n && strcmp(p->quantities[k].component, component) != 0)
                k++;
            for (int q = 0; k == n && q < 3; q++) {
                const struct portolan_quantity zero = {component, quantities[q], 0, 0, 1};

                portolan_arena_append(&w->s->arena, &p->quantities, &p->n, &zero, sizeof zero);
            }
        }
}

/* Takes the quantities of a trial; the first experiment only those of the run, whatever else the
 * trial has. */
static enum portolan_status take_profile(struct work *w, int experiment, int64_t trial,
                                         const char *title)
{
    struct experiment_profile p;
    enum portolan_status status = profile_read(w->s, trial, &p, w->err);

    w->s->trial = trial;
    if (!status && experiment > 1)
        add_zeros(w, experiment, &p);
    if (!status)
        status = add_quantities(w, p.quantities, experiment == 1 ? p.n_of_run : p.n);
    if (status)
        return status;
    w->e->n_steps = p.n_steps;
    w->s->run_ns = p.run_ns;
    note(w, experiment, title);
    return PORTOLAN_OK;
}

/* *TRIAL: the given one, unless it lacks what can be measured; or what the store has; or 0. */
static enum portolan_status find_trial(struct work *w, const struct experiment_run *r,
                                       int64_t *trial)
{
    struct experiment_profile p;
    enum portolan_status status = PORTOLAN_OK;

    *trial = w->o->trial;
    if (*trial && w->s->assembly) {
        status = profile_read(w->s, *trial, &p, w->err);
        if (!status && !profile_has_components(w->s, r, &p))
            *trial = 0;
    }
    return status || *trial ? status : profile_find(w->s, w->o, r, trial, w->err);
}

/* A trial of the store, or a new one; *IS_MADE: one was found or made. */
static enum portolan_status make_profile(struct work *w, const struct experiment_run *r,
                                         bool *is_made)
{
    const char *title = title_of(w, r, latest(w->e));
    int64_t trial;
    enum portolan_status status = find_trial(w, r, &trial);

    *is_made = false;
    if (status || !title)
        return status ? status : portolan_no_memory(w->err);
    if (!may_begin(w, r, title, trial))
        return PORTOLAN_OK;
    *is_made = trial;
    if (trial)
        title = portolan_arena_printf(&w->s->arena, "%s, of the store", title);
    else if (!(status = run(w, r, title, is_made)))
        trial = w->s->trial;
    return *is_made ? take_profile(w, r->experiment, trial, title) : status;
}

/* ------------------------------------------------- traces */

static enum portolan_status add_trace(struct work *w)
{
    struct portolan_diagnosis *d;
    enum portolan_status status;

    w->how->first_step = w->s->first_step;
    w->how->recording = w->s->recording;
    w->how->knows_processors = w->s->knows_processors;
    w->how->disturbance = w->s->machine.is_disturbed ? w->s->machine.reason : NULL;
    status = portolan_diagnosis_create(w->s->knowledge, w->s->paradigm, w->s->waits, w->how,
                                       &w->s->d, &d, w->err);
    return status ? status : add_diagnosis(w, d);
}

/* Gives the present diagnosis the results of those before. */
static void take_others(struct work *w, size_t n_before)
{
    w->how->repetitions = (const struct portolan_diagnosis *const *)w->e->all + n_before;
    w->how->n_repetitions = w->e->n - n_before;
    w->how->experiments = (const struct portolan_diagnosis *const *)w->e->all;
    w->how->n_experiments = n_before;
    for (int k = 0; k < 2; k++)
        if (w->e->made[k].title)
            w->how->overhead = w->s->run_ns / w->e->made[k].run_ns - 1;
}

/* REPLACES: the run before does not count any more. */
static enum portolan_status make_trace(struct work *w, const struct experiment_run *r,
                                       const char *title, size_t n_before, bool replaces,
                                       bool *is_made)
{
    enum portolan_status status = run(w, r, title, is_made);

    if (status || !*is_made)
        return status;
    if (replaces)
        portolan_diagnosis_destroy(w->e->all[--w->e->n]);
    take_others(w, n_before);
    return add_trace(w);
}

/* The last of the repetitions has the means of all. */
static enum portolan_status make_traces(struct work *w, const struct experiment_run *r)
{
    const char *title = title_of(w, r, latest(w->e)), *text = title, *why = NULL;
    size_t n_before = w->e->n;
    enum portolan_status status = title ? PORTOLAN_OK : portolan_no_memory(w->err);
    bool is_made = true;
    int n =
        w->o->repeat ? w->o->repeat : 1; /* without --repeat one more, if there is a reason WHY */

    for (int i = 0; !status && is_made && i < n; i++) {
        is_made = false;
        if (why || may_begin(w, r, title, false))
            status = make_trace(w, r, title, n_before, why, &is_made);
        if (status || !is_made)
            break;
        text = portolan_arena_printf(&w->s->arena, "%s, %.3g MB%s", title, 1e-6 * w->s->bytes,
                                     why ? ", second run" : "");
        if (!why && (why = decide_to_repeat(w->o, w->e))) {
            subject_report(w->s, "note", "%s: experiment 3 is run again", why);
            n++;
        }
    }
    if (status || w->e->n == n_before)
        return status;
    if (w->e->n > n_before + 1)
        text =
            portolan_arena_printf(&w->s->arena, "%s, mean of %zu runs", text, w->e->n - n_before);
    note(w, 3, text);
    return text ? PORTOLAN_OK : portolan_no_memory(w->err);
}

/* ------------------------------------------------- one after the other */

/* Profiles until a trace is asked for, or nothing; *NEXT: 3 or 0. */
static enum portolan_status make_profiles(struct work *w, int *next)
{
    const struct portolan_quantity ranks = {"", "P", w->o->ranks, 0, 1};
    enum portolan_status status = add_quantities(w, &ranks, 1);
    bool is_made = true;
    int done = 0;

    while (!status && (*next = decide_next(latest(w->e))) > done && *next < 3) {
        struct experiment_run r = {.experiment = *next};

        take_components(w, &r, latest(w->e));
        status = make_profile(w, &r, &is_made);
        if (!is_made) {
            *next = 0;
            return status;
        }
        done = r.experiment;
    }
    if (!status && *next && *next <= done) /* a trace decides what a profile cannot */
        *next = 3;
    return status;
}

/* Returns whether profiles are of use: not with a ManualClock, where MPI takes no time, and not
 * where waiting for a core looks like waiting for a message. */
static bool can_profile(const struct work *w)
{
    struct portolan_machine_reading here;
    bool stands_still;

    portolan_machine_read(&here);
    return (w->o->launcher || w->o->ranks <= here.cores) &&
           !portolan_manual_clock(w->s->assembly, &stands_still);
}

/* In stages, or all at once; a trial of the store has both profiles. */
static enum portolan_status make_experiments(struct work *w)
{
    bool runs = w->o->program || w->s->assembly;
    bool is_staged = w->o->trial || (!w->o->program && !w->o->once && can_profile(w));
    struct experiment_run r = {.experiment = 3};
    int next = 3;
    enum portolan_status status = is_staged ? make_profiles(w, &next) : PORTOLAN_OK;

    if (status || next != 3 || !runs)
        return status;
    if (is_staged)
        choose_window(w, &r);
    return make_traces(w, &r);
}

enum portolan_status portolan_experiments_make(struct portolan_subject *s,
                                               const struct portolan_experiment_options *o,
                                               struct portolan_diagnosis_options *how,
                                               struct portolan_experiments *e,
                                               struct portolan_error *err)
{
    struct work w = {s, o, how, e, err};
    enum portolan_status status;

    if (!s->waits) {
        status = make_experiments(&w);
        portolan_progress_done("experiments");
        return status;
    }
    status = add_trace(&w);
    if (!status && s->trial)
        note(&w, 3, "trace of the store");
    return status;
}
