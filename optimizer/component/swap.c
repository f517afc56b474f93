/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanging implementations on all ranks alike, and putting them back. */
#include "component.h"

#include <math.h>
#include <portolan/probe.h>
#include <stdio.h>
#include <string.h>

static enum portolan_status replace(struct optimizer *o, size_t instance, size_t alternative,
                                    struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    uint64_t begin = portolan_probe_now();
    enum portolan_status status;

    portolan_ports_Builder_replace(o->builder, o->assembly->instances[instance].name,
                                   optimizer_class(o, instance, alternative), NULL, &ex);
    status = portolan_catch(&ex, err);
    if (!status)
        o->mind.swap_ns =
            fmax(o->mind.swap_ns, portolan_probe_ticks_to_ns(portolan_probe_now() - begin));
    return status;
}

enum portolan_status optimizer_ban(struct optimizer *o, size_t instance, size_t alternative)
{
    if (o->n_banned == o->banned_capacity) {
        size_t capacity = o->banned_capacity ? 2 * o->banned_capacity : 8;
        struct optimizer_pick *more = portolan_reallocarray(o->banned, capacity, sizeof *more);

        if (!more)
            return PORTOLAN_ENOMEM;
        o->banned = more;
        o->banned_capacity = capacity;
    }
    o->banned[o->n_banned++] = (struct optimizer_pick){instance, alternative};
    return PORTOLAN_OK;
}

/* Rank 0: what became of an exchange, into the store. A store that fails stops no simulation. */
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

    if (o->cohort->rank == 0 && o->records->ops->put_swap(o->records, &s, &err))
        portolan_log(PORTOLAN_LOG_WARNING, "optimizer", "step %d: the swap is not stored: %s", step,
                     err.text);
}

/* Puts the first N exchanges back, the last one first. */
static enum portolan_status put_back(struct optimizer *o, size_t n, struct portolan_error *err)
{
    while (n > 0) {
        const struct optimizer_swap *x = &o->swapped[--n];
        enum portolan_status status = replace(o, x->instance, x->from, err);

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
    if (o->cohort->rank == 0)
        portolan_log(PORTOLAN_LOG_WARNING, "optimizer",
                     "step %d: %s keeps %s, %s did not start: %s", step,
                     o->assembly->instances[failed->instance].name,
                     optimizer_class(o, failed->instance, failed->from),
                     optimizer_class(o, failed->instance, failed->to), err->text);
    return optimizer_ban(o, failed->instance, failed->to) ? PORTOLAN_ENOMEM : PORTOLAN_EBUSY;
}

enum portolan_status optimizer_apply(struct optimizer *o, int step, struct portolan_error *err)
{
    o->n_swapped = 0;
    o->swap_step = -2;
    for (size_t i = 0; i < o->assembly->n_instances; i++) {
        struct optimizer_swap x = {i, (size_t)o->current[i], (size_t)o->wanted[i]};
        enum portolan_status status;

        if (x.from == x.to)
            continue;
        status = portolan_cohort_agree(o->cohort, replace(o, i, x.to, err), err);
        if (status)
            return keep_old(o, step, &x, err);
        o->swapped[o->n_swapped++] = x;
        o->current[i] = (int32_t)x.to;
    }
    if (o->n_swapped == 0)
        return PORTOLAN_OK;
    o->swap_step = step;
    for (size_t k = 0; k < o->n_swapped; k++)
        put_swap(o, step, &o->swapped[k], "done");
    if (o->cohort->rank == 0)
        portolan_log(PORTOLAN_LOG_NOTICE, "optimizer", "step %d: %s", step, o->mind.reason);
    return PORTOLAN_OK;
}

enum portolan_status optimizer_undo(struct optimizer *o, int step, const char *why,
                                    struct portolan_error *err)
{
    enum portolan_status status = put_back(o, o->n_swapped, err);
    char outcome[1100];

    for (size_t k = 0; !status && k < o->n_swapped; k++) {
        const struct optimizer_swap *x = &o->swapped[k];

        snprintf(outcome, sizeof outcome, "undone: %s", why);
        put_swap(o, step, x, outcome);
        if (o->cohort->rank == 0)
            portolan_log(PORTOLAN_LOG_WARNING, "optimizer",
                         "step %d failed with %s (%s): %s is back", step,
                         optimizer_class(o, x->instance, x->to), why,
                         optimizer_class(o, x->instance, x->from));
        status = optimizer_ban(o, x->instance, x->to);
    }
    o->n_swapped = 0;
    o->swap_step = -2;
    return status;
}
