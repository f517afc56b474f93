/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores what runs before it is called, so that the next run knows which implementation a crash
 * ended in, and bans implementations that ended a process before (docs/decisions/0067). Rank 0.
 */
#include "component.h"

#include <string.h>

static const char *host_of_run(const struct optimizer *o)
{
    const struct portolan_sample_set *data = o->mind.data;
    int64_t own = o->records->ops->trial(o->records);

    for (size_t i = 0; !o->any_machine && i < data->n_trials; i++)
        if (data->trials[i].id == own)
            return portolan_trial_peek_fact(&data->trials[i], "host");
    return NULL;
}

static bool gave_no_state(const struct portolan_trial *t, const char *instance)
{
    const char *kept = portolan_trial_peek_fact(t, PORTOLAN_STORE_KEPT);

    return kept && !strcmp(kept, instance);
}

void optimizer_leave_blamed(struct optimizer *o)
{
    for (size_t i = 0; o->mind.data && i < o->n_options; i++) {
        struct optimizer_option *x = &o->options[i];
        const char *instance = o->assembly->instances[x->instance].name;
        const char *class_name = optimizer_class(o, x->instance, x->alternative);
        const struct portolan_trial *t = portolan_plan_peek_blame(
            o->mind.data, o->assembly, host_of_run(o), instance, class_name);

        if (!t)
            continue;
        if (x->alternative == (size_t)o->current[x->instance] && gave_no_state(t, instance)) {
            x->keeps_state = true;
            portolan_log(PORTOLAN_LOG_NOTICE, "optimizer",
                         "%s stays %s, which ended trial %lld when it was to give its state "
                         "(portolan veto shows how)",
                         instance, class_name, (long long)t->id);
            o->wanted[x->instance] = o->current[x->instance];
            o->mind.from_store = false;
            continue;
        }
        x->failed = true;
        portolan_log(PORTOLAN_LOG_NOTICE, "optimizer",
                     "%s does not use %s, which ended trial %lld (portolan veto shows how)",
                     instance, class_name, (long long)t->id);
        if (o->wanted[x->instance] != (int32_t)x->alternative ||
            o->wanted[x->instance] == o->current[x->instance])
            continue;
        o->wanted[x->instance] = o->current[x->instance]; /* a decision made before it failed */
        o->mind.from_store = false;
    }
}

bool optimizer_share_failures(struct optimizer *o)
{
    struct portolan_arena pool = {0};
    double *failed = portolan_arena_alloc(&pool, o->n_options, sizeof *failed);
    bool is_shared;

    for (size_t i = 0; failed && i < o->n_options; i++)
        failed[i] = o->options[i].failed;
    is_shared = !portolan_cohort_agree(o->cohort, failed ? PORTOLAN_OK : PORTOLAN_ENOMEM, NULL) &&
                !o->cohort->max(o->cohort, failed, o->n_options);
    for (size_t i = 0; is_shared && i < o->n_options; i++)
        o->options[i].failed = failed[i] > 0;
    portolan_arena_clear(&pool);
    return is_shared;
}

/*
 * Returns the standing of an option. One as written counts as one that ran well, since the user
 * wants it; so does any in a trial of a sweep, which has a process of its own and fails as a whole.
 */
static enum portolan_standing standing_of(struct optimizer *o, struct optimizer_option *x)
{
    const struct portolan_assembly_instance *i = &o->assembly->instances[x->instance];

    if (!x->is_judged) {
        x->is_judged = true;
        x->ran_well = o->idle || x->alternative == i->selected ||
                      (o->mind.data &&
                       portolan_plan_ran_well(o->mind.data, o->assembly, host_of_run(o), i->name,
                                              optimizer_class(o, x->instance, x->alternative)));
    }
    return x->ran_well ? PORTOLAN_RAN_WELL : x->ran_here ? PORTOLAN_RAN_HERE : PORTOLAN_UNTRIED;
}

static void add(struct optimizer *o, struct portolan_running *running, size_t *n, size_t instance,
                int32_t alternative)
{
    struct optimizer_option *x = optimizer_option(o, instance, (size_t)alternative);
    const struct portolan_assembly_instance *i = &o->assembly->instances[instance];

    running[(*n)++] = (struct portolan_running){
        .instance = i->name,
        .class_name = optimizer_class(o, instance, (size_t)alternative),
        .library = i->alternatives[alternative].library,
        .standing = standing_of(o, x),
    };
}

void optimizer_note_running(struct optimizer *o, int step)
{
    const struct portolan_records_ops *ops = o->records->ops;
    bool changes = false;
    size_t n = 0;

    if (ops->size <= offsetof(struct portolan_records_ops, note_running) || !ops->note_running)
        return;
    for (size_t i = 0; i < o->assembly->n_instances; i++) {
        if (!optimizer_has_choice(o, i))
            continue;
        changes = changes || o->wanted[i] != o->current[i];
        if (o->cohort->rank == 0)
            add(o, o->noted, &n, i, o->wanted[i]);
        if (o->cohort->rank != 0 || o->wanted[i] == o->current[i])
            continue;
        add(o, o->noted, &n, i, o->current[i]);
        o->noted[n - 1].standing = PORTOLAN_RAN_WELL; /* it only has to give its state */
    }
    if (o->cohort->rank == 0 || changes)
        ops->note_running(o->records, step, o->noted, n);
}

/* Returns whether X was called in the step that is stored. */
static bool was_called(const struct optimizer *o, const struct optimizer_option *x)
{
    const char *instance = o->assembly->instances[x->instance].name;
    const char *class_name = optimizer_class(o, x->instance, x->alternative);
    const struct portolan_sample *s = NULL;
    size_t n = 0;

    if (o->records->ops->latest(o->records, &s, &n, NULL))
        return false;
    for (size_t i = 0; i < n; i++)
        if (s[i].calls > 0 && !strcmp(s[i].instance, instance) &&
            !strcmp(s[i].implementation, class_name))
            return true;
    return false;
}

void optimizer_note_step(struct optimizer *o, int step)
{
    bool changed = o->step < 0; /* the first */

    for (size_t i = 0; o->cohort->rank == 0 && i < o->n_options; i++) {
        struct optimizer_option *x = &o->options[i];

        if ((size_t)o->current[x->instance] != x->alternative || !x->is_judged || x->ran_well ||
            x->ran_here || !was_called(o, x))
            continue;
        x->ran_here = true;
        changed = true;
    }
    if (!changed)
        return;
    optimizer_want_current(o);
    optimizer_note_running(o, step);
}
