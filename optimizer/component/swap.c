/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Swaps the implementations in o->wanted on all ranks, or none.
 *
 * apply() replaces one instance after the other, each on all ranks (portolan_cohort_agree() makes
 * them agree that it worked). If one fails, put_back() restores those that were swapped before it,
 * the last one first, and the failure is banned: the new implementation, or, if the old one could
 * not give its state, all that would replace it. If restoring fails, too, the ranks may differ, and
 * the run ends with ECOMPONENT.
 *
 * optimizer_undo() restores the implementations after a step in which a new one failed. The second
 * half of the file finds failed calls and missed accuracies in the samples of a step, and bans what
 * caused them.
 */
#include "component.h"

#include <math.h>
#include <portolan/probe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum portolan_status replace(struct optimizer *o, size_t instance, size_t alternative,
                                    gov_cca_TypeMap properties, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;

    portolan_ports_Builder_replace(o->builder, o->assembly->instances[instance].name,
                                   optimizer_class(o, instance, alternative), properties, &ex);
    return portolan_catch(&ex, err);
}

/* Collective: puts the old implementation back. The new one failed in its first call, so it may
 * lose its state. */
static enum portolan_status replace_back(struct optimizer *o, const struct optimizer_swap *x,
                                         struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap properties = portolan_typemap_create(&ex);
    enum portolan_status status;

    if (!ex)
        gov_cca_TypeMap_putBool(properties, "portolan.loseState", TRUE, &ex);
    status = portolan_cohort_agree(o->cohort, portolan_catch(&ex, err), err);
    if (status == PORTOLAN_OK)
        status = portolan_cohort_agree(o->cohort, replace(o, x->instance, x->from, properties, err),
                                       err);
    sidl_reference_delete(properties, NULL);
    return status;
}

/* Collective: replaces one instance. The measured time includes waiting for the slowest rank. */
static enum portolan_status replace_everywhere(struct optimizer *o, const struct optimizer_swap *x,
                                               struct portolan_error *err)
{
    uint64_t begin = portolan_probe_now();
    enum portolan_status status =
        portolan_cohort_agree(o->cohort, replace(o, x->instance, x->to, NULL, err), err);

    if (!status)
        o->mind.swap_ns =
            fmax(o->mind.swap_ns, portolan_probe_ticks_to_ns(portolan_probe_now() - begin));
    return status;
}

char *optimizer_get_obstacle(const struct optimizer *o, size_t instance, size_t alternative)
{
    sidl_BaseInterface ex = NULL;
    char *why = NULL;

    if (alternative == (size_t)o->current[instance])
        return NULL;
    if (optimizer_option(o, instance, (size_t)o->current[instance])->keeps_state)
        why = sidl_String_strdup("what runs could not give its state");
    else
        why = portolan_ports_Builder_getObstacle(o->builder, o->assembly->instances[instance].name,
                                                 optimizer_class(o, instance, alternative), &ex);
    SIDL_CLEAR(ex); /* an unknown class: the swap will report it */
    if (why && *why)
        return why;
    sidl_String_free(why);
    return NULL;
}

bool optimizer_is_banned(const struct optimizer *o, size_t instance, size_t alternative,
                         struct portolan_error *why)
{
    bool failed = optimizer_option(o, instance, alternative)->failed;
    char *obstacle = failed ? NULL : optimizer_get_obstacle(o, instance, alternative);
    bool is_banned = failed || obstacle;

    if (is_banned)
        portolan_error_set(why, PORTOLAN_EINFEASIBLE, "%s",
                           obstacle ? obstacle
                                    : "it failed to start, failed or missed the accuracy in this "
                                      "run, or ended an earlier one");
    sidl_String_free(obstacle);
    return is_banned;
}

/* Rank 0: stores the outcome of a swap. If that fails, the simulation goes on. */
static void put_swap(struct optimizer *o, int step, const struct optimizer_swap *x,
                     const char *outcome)
{
    struct portolan_error err = {0};
    struct portolan_swap s = {.step = step,
                              .instance = o->assembly->instances[x->instance].name,
                              .from = optimizer_class(o, x->instance, x->from),
                              .to = optimizer_class(o, x->instance, x->to),
                              .reason = o->mind.reason,
                              .outcome = outcome};

    optimizer_record_outcome(o, outcome);
    if (o->cohort->rank == 0 && o->records->ops->put_swap(o->records, &s, &err))
        portolan_log(PORTOLAN_LOG_WARNING, "optimizer", "step %d: the swap is not stored: %s", step,
                     err.text);
}

/* Undoes the first N swaps, the last one first. */
static enum portolan_status put_back(struct optimizer *o, size_t n, struct portolan_error *err)
{
    while (n > 0) {
        const struct optimizer_swap *x = &o->swapped[--n];
        enum portolan_status status = replace_back(o, x, err);

        if (status) {
            portolan_error_prefix(err, "putting %s back in the place of '%s'",
                                  optimizer_class(o, x->instance, x->from),
                                  o->assembly->instances[x->instance].name);
            return PORTOLAN_ECOMPONENT;
        }
        o->current[x->instance] = (int32_t)x->from;
    }
    return PORTOLAN_OK;
}

/* Collective: returns whether the old implementation is to blame, because its exportState failed on
 * some rank: then the framework reports an obstacle that was not there before. */
static bool gave_no_state(struct optimizer *o, const struct optimizer_swap *x)
{
    char *obstacle = optimizer_get_obstacle(o, x->instance, x->to);
    double keeps = obstacle != NULL;

    sidl_String_free(obstacle);
    return !o->cohort->max(o->cohort, &keeps, 1) && keeps > 0;
}

/* Bans the implementation that made the swap fail. */
static void ban(struct optimizer *o, int step, const struct optimizer_swap *failed, const char *why)
{
    const char *name = o->assembly->instances[failed->instance].name;
    const char *from = optimizer_class(o, failed->instance, failed->from);
    const char *to = optimizer_class(o, failed->instance, failed->to);
    bool keeps = gave_no_state(o, failed);

    if (keeps)
        optimizer_option(o, failed->instance, failed->from)->keeps_state = true;
    else
        optimizer_option(o, failed->instance, failed->to)->failed = true;
    if (o->cohort->rank == 0 && keeps)
        portolan_log(PORTOLAN_LOG_WARNING, "optimizer",
                     "step %d: %s stays %s, which could not give its state: %s", step, name, from,
                     why);
    else if (o->cohort->rank == 0)
        portolan_log(PORTOLAN_LOG_WARNING, "optimizer",
                     "step %d: %s keeps %s, %s did not start: %s", step, name, from, to, why);
}

static enum portolan_status keep_old(struct optimizer *o, int step,
                                     const struct optimizer_swap *failed,
                                     struct portolan_error *err)
{
    struct portolan_error back = {0};
    enum portolan_status status = put_back(o, o->n_swapped, &back);
    char outcome[1100];

    o->n_swapped = 0;
    if (status) {
        *err = back;
        return status;
    }
    snprintf(outcome, sizeof outcome, "kept: %s", err->text);
    put_swap(o, step, failed, outcome);
    ban(o, step, failed, err->text);
    return PORTOLAN_EBUSY;
}

/* Collective: lets the Mastermind store what follows apart from what was before. */
static void announce_change(struct optimizer *o)
{
    const struct portolan_records_ops *ops = o->records->ops;

    if (ops->size > offsetof(struct portolan_records_ops, change) && ops->change)
        ops->change(o->records);
}

static enum portolan_status apply(struct optimizer *o, int step, struct portolan_error *err)
{
    if (optimizer_has_to_swap(o))
        announce_change(o);
    o->n_swapped = 0;
    o->swap_step = -2;
    for (size_t i = 0; i < o->assembly->n_instances; i++) {
        struct optimizer_swap x = {i, (size_t)o->current[i], (size_t)o->wanted[i]};
        enum portolan_status status;

        if (x.from == x.to)
            continue;
        status = replace_everywhere(o, &x, err);
        if (status)
            return keep_old(o, step, &x, err);
        o->swapped[o->n_swapped++] = x;
        o->current[i] = (int32_t)x.to;
    }
    if (o->n_swapped == 0)
        return PORTOLAN_OK;
    o->swap_step = o->began_step = step;
    for (size_t k = 0; k < o->n_swapped; k++)
        put_swap(o, step, &o->swapped[k], "done");
    if (o->cohort->rank == 0)
        portolan_log(PORTOLAN_LOG_NOTICE, "optimizer", "step %d: %s", step, o->mind.reason);
    return PORTOLAN_OK;
}

enum portolan_status optimizer_apply(struct optimizer *o, int step, struct portolan_error *err)
{
    enum portolan_status status;

    optimizer_note_running(o, step);
    if ((status = apply(o, step, err)) != PORTOLAN_OK) {
        optimizer_want_current(o);
        optimizer_note_running(o, step);
    }
    return status;
}

enum portolan_status optimizer_undo(struct optimizer *o, int step, const char *why,
                                    struct portolan_error *err)
{
    enum portolan_status status;
    char outcome[1100];

    announce_change(o);
    status = put_back(o, o->n_swapped, err);
    for (size_t k = 0; !status && k < o->n_swapped; k++) {
        const struct optimizer_swap *x = &o->swapped[k];

        snprintf(outcome, sizeof outcome, "undone: %s", why);
        put_swap(o, step, x, outcome);
        if (o->cohort->rank == 0)
            portolan_log(PORTOLAN_LOG_WARNING, "optimizer",
                         "step %d failed with %s (%s): %s is back", step,
                         optimizer_class(o, x->instance, x->to), why,
                         optimizer_class(o, x->instance, x->from));
        optimizer_option(o, x->instance, x->to)->failed = true;
    }
    o->n_swapped = 0;
    o->swap_step = -2;
    o->began_step = step;
    return status;
}

/* ------------------------------------------------- banning what failed */

/*
 * Returns what was seen of instance NAME if it has alternatives and runs CLASS_NAME now; or NULL.
 */
static struct optimizer_seen *find_seen(struct optimizer *o, const char *name,
                                        const char *class_name)
{
    const struct optimizer_option *x = optimizer_find(o, name, class_name);

    return x && x->alternative == (size_t)o->current[x->instance] ? &o->seen[x->instance] : NULL;
}

static void see_nothing(struct optimizer *o)
{
    for (size_t i = 0; i < o->assembly->n_instances; i++)
        o->seen[i] = (struct optimizer_seen){0, -1};
}

static bool is_inaccurate(const struct optimizer *o, size_t instance)
{
    double wanted =
        portolan_plan_wanted_accuracy(o->assembly, o->assembly->instances[instance].name);

    return wanted > 0 && o->seen[instance].accuracy > wanted;
}

static bool is_to_be_banned(const struct optimizer *o, size_t instance)
{
    return (o->seen[instance].failed > 0 || is_inaccurate(o, instance)) &&
           !optimizer_option(o, instance, (size_t)o->current[instance])->failed;
}

static void report_ban(const struct optimizer *o, int step, const char *why, size_t instance)
{
    const char *name = o->assembly->instances[instance].name;
    const char *class_name = optimizer_class(o, instance, (size_t)o->current[instance]);

    if (o->seen[instance].failed > 0)
        portolan_log(
            PORTOLAN_LOG_WARNING, "optimizer",
            "step %d: calls of %s [%s] failed%s%s: it is not used for the rest of this run", step,
            name, class_name, why[0] ? ": " : "", why);
    else
        portolan_log(PORTOLAN_LOG_WARNING, "optimizer",
                     "step %d: accuracy %.3g of %s [%s] is worse than the required %.3g: it is not "
                     "used for the rest of this run",
                     step, o->seen[instance].accuracy, name, class_name,
                     portolan_plan_wanted_accuracy(o->assembly, name));
}

bool optimizer_ban_seen(struct optimizer *o, int step, const char *why)
{
    bool any = false;

    for (size_t i = 0; i < o->assembly->n_instances; i++) {
        if (!is_to_be_banned(o, i))
            continue;
        if (o->cohort->rank == 0)
            report_ban(o, step, why, i);
        optimizer_option(o, i, (size_t)o->current[i])->failed = true;
        any = true;
    }
    return any;
}

bool optimizer_see(struct optimizer *o, const struct portolan_sample *s, size_t n)
{
    /* failed calls that failures of calls below explain */
    int64_t *excused = portolan_calloc(n + 1, sizeof *excused);
    struct optimizer_seen *at;
    bool any = false;

    see_nothing(o);
    for (size_t i = 0; excused && i < n; i++)
        if (s[i].parent >= 0 && (size_t)s[i].parent < i)
            excused[s[i].parent] += s[i].failed_calls;
    for (size_t i = 0; excused && i < n; i++) {
        if (!(at = find_seen(o, s[i].instance, s[i].implementation)))
            continue;
        at->failed = fmax(at->failed, (double)(s[i].failed_calls - excused[i]));
        at->accuracy = fmax(at->accuracy, s[i].quality);
    }
    free(excused);
    for (size_t i = 0; i < o->assembly->n_instances; i++)
        any = any || is_to_be_banned(o, i);
    return any;
}

bool optimizer_ban_in_step(struct optimizer *o, int step, const char *why)
{
    struct portolan_probe_snapshot now = {0};
    struct optimizer_seen *at;
    int64_t *failed = NULL; /* failed calls that no failed call below explains */

    see_nothing(o);
    if (!portolan_probe_snapshot_take(&now, NULL))
        failed = portolan_calloc(now.count + 1, sizeof *failed);
    for (size_t i = 0; failed && i < now.count; i++) {
        failed[i] += (int64_t)now.records[i].failed_calls;
        if (now.records[i].parent >= 0)
            failed[now.records[i].parent] -= (int64_t)now.records[i].failed_calls;
    }
    for (size_t i = 0; failed && i < now.count; i++) {
        const struct portolan_probe_method_info *m =
            failed[i] > 0 ? portolan_probe_method_peek(now.records[i].handle) : NULL;

        if (m && (at = find_seen(o, m->connection.provider, m->connection.provider_class)))
            at->failed = 1;
    }
    portolan_probe_snapshot_clear(&now);
    free(failed);
    return !o->cohort->max(o->cohort, (double *)o->seen,
                           o->assembly->n_instances * sizeof *o->seen / sizeof(double)) &&
           optimizer_ban_seen(o, step, why);
}
