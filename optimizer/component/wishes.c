/* SPDX-License-Identifier: BSD-3-Clause */
/* Obeys requests of users, the assembly and other components: pins, forbids, releases, undos, and
 * exploring. Only those of rank 0 count; they reach the other ranks as its decisions. */
#include "component.h"

#include <portolan/control.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------- what may run */

const struct optimizer_option *optimizer_peek_hold(const struct optimizer *o, size_t instance,
                                                   size_t alternative)
{
    for (size_t k = 0; k < o->assembly->instances[instance].n_alternatives; k++) {
        const struct optimizer_option *x = optimizer_option(o, instance, k);

        if (x->hold == (k == alternative ? OPTIMIZER_FORBIDDEN : OPTIMIZER_PINNED))
            return x;
    }
    return NULL;
}

bool optimizer_may_run(const void *optimizer, size_t instance, size_t alternative)
{
    const struct optimizer *o = optimizer;

    return !optimizer_has_choice(o, instance) ||
           (!optimizer_peek_hold(o, instance, alternative) &&
            !optimizer_is_banned(o, instance, alternative, NULL));
}

static void set_hold(struct optimizer *o, struct optimizer_option *x, enum optimizer_hold hold,
                     enum optimizer_asker by)
{
    o->n_holds += (hold != OPTIMIZER_FREE) - (size_t)(x->hold != OPTIMIZER_FREE);
    x->hold = hold;
    x->held_by = by;
}

/* Ends the pins and forbids of an alternative, of all of an instance, or all. */
static void lift(struct optimizer *o, size_t instance, size_t alternative)
{
    for (size_t k = 0; k < o->n_options; k++) {
        struct optimizer_option *x = &o->options[k];

        if ((instance == OPTIMIZER_ALL || x->instance == instance) &&
            (alternative == OPTIMIZER_ALL || x->alternative == alternative))
            set_hold(o, x, OPTIMIZER_FREE, x->held_by);
    }
}

/* An instance has one pin at most. */
static void hold(struct optimizer *o, size_t instance, size_t alternative, bool is_pin,
                 enum optimizer_asker by)
{
    for (size_t k = 0; is_pin && k < o->assembly->instances[instance].n_alternatives; k++)
        if (optimizer_option(o, instance, k)->hold == OPTIMIZER_PINNED)
            lift(o, instance, k);
    set_hold(o, optimizer_option(o, instance, alternative),
             is_pin ? OPTIMIZER_PINNED : OPTIMIZER_FORBIDDEN, by);
}

void optimizer_hold_assembly(struct optimizer *o)
{
    for (size_t k = 0; k < o->n_options; k++) {
        size_t i = o->options[k].instance, own = o->options[k].alternative;
        const struct portolan_assembly_alternative *x =
            &o->assembly->instances[i].alternatives[own];

        if (x->is_pinned || x->is_forbidden)
            hold(o, i, own, x->is_pinned, OPTIMIZER_ASSEMBLY);
    }
}

/* ------------------------------------------------- reading a wish */

enum portolan_status optimizer_wish_target(const struct portolan_assembly *a, const char *instance,
                                           const char *class_name, struct optimizer_wish *w,
                                           struct portolan_error *err)
{
    const struct portolan_assembly_instance *x = portolan_assembly_peek_instance(a, instance);
    bool known = x && x->n_alternatives > 1;
    struct portolan_text all = {0};

    w->instance = known ? (size_t)(x - a->instances) : OPTIMIZER_ALL;
    w->alternative = OPTIMIZER_ALL;
    for (size_t k = 0; known && class_name && k < x->n_alternatives; k++) {
        portolan_text_add(&all, "%s%s", k ? ", " : "", x->alternatives[k].class_name);
        if (!strcmp(x->alternatives[k].class_name, class_name))
            w->alternative = k;
    }
    for (size_t i = 0; !known && i < a->n_instances; i++)
        if (a->instances[i].n_alternatives > 1)
            portolan_text_add(&all, "%s%s", all.length ? ", " : "", a->instances[i].name);
    if (!known)
        portolan_error_set(
            err, PORTOLAN_ENOTFOUND,
            "no instance '%s' has alternatives; the instances with alternatives are: %s", instance,
            all.length ? all.bytes : "none");
    else if (class_name && w->alternative == OPTIMIZER_ALL)
        portolan_error_set(err, PORTOLAN_ENOTFOUND,
                           "'%s' is not an alternative of %s; the alternatives are: %s", class_name,
                           instance, all.length ? all.bytes : "not known");
    portolan_text_clear(&all);
    return err->status;
}

/* "solver=heat.Cholmod" or, if no class is needed, "solver". */
static enum portolan_status read_target(const struct portolan_assembly *a, const char *word,
                                        bool needs_class, struct optimizer_wish *w,
                                        struct portolan_error *err)
{
    char *copy = portolan_strdup(word), *class_name = copy;
    enum portolan_status status;

    if (!copy)
        return portolan_no_memory(err);
    strsep(&class_name, "=");
    if (needs_class && !class_name)
        status = portolan_error_set(err, PORTOLAN_ESYNTAX, "'%s' is not INSTANCE=CLASS", word);
    else
        status = optimizer_wish_target(a, copy, class_name, w, err);
    free(copy);
    return status;
}

static enum portolan_status read_share(const char *word, double *share, struct portolan_error *err)
{
    *share = !strcmp(word, "on") ? INFINITY : 0;
    if (!strcmp(word, "on") || !strcmp(word, "off") ||
        (portolan_read_double(word, share) && *share >= 0 && *share <= 1))
        return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_ESYNTAX,
                              "'%s' is neither on nor off nor a share of the time, from 0 to 1",
                              word);
}

/* Reads a request in LINE, as the control file has it. */
static enum portolan_status read_wish(const struct portolan_assembly *a, const char *line,
                                      struct optimizer_wish *w, struct portolan_error *err)
{
    static const char verbs[] = "pfrue"; /* first letters, as enum optimizer_wish_kind */
    size_t length = strcspn(line, " ");
    const char *word = line + length + strspn(line + length, " ");

    *w = (struct optimizer_wish){
        .kind = (enum optimizer_wish_kind)(strchr(verbs, line[0]) - verbs),
        .instance = OPTIMIZER_ALL,
        .alternative = OPTIMIZER_ALL,
    };
    if (w->kind == OPTIMIZER_EXPLORE)
        return read_share(word, &w->share, err);
    return *word ? read_target(a, word, w->kind != OPTIMIZER_RELEASE, w, err) : PORTOLAN_OK;
}

/* Checks a request. Any thread may call it: it reads only what does not change while it is set. */
static enum portolan_status check_wish(void *self, const char *line, struct portolan_error *err)
{
    const struct optimizer *o = self;
    struct optimizer_wish w;

    if (!o->enabled)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "the Optimizer is switched off in this run (enabled=false)");
    if (o->idle)
        return portolan_error_set(
            err, PORTOLAN_EUNSUPPORTED,
            "this run does not swap: it is fixed, or of portolan measure, or has no alternatives");
    return read_wish(o->assembly, line, &w, err);
}

void optimizer_listen(struct optimizer *o, bool on)
{
    if (on != o->listens)
        portolan_control_set_check(on ? check_wish : NULL, o);
    o->listens = on;
}

/* ------------------------------------------------- taking wishes */

static enum portolan_status take_pin(struct optimizer *o, const struct optimizer_wish *w,
                                     enum optimizer_asker by, struct portolan_error *err)
{
    if (!optimizer_is_banned(o, w->instance, w->alternative, err))
        hold(o, w->instance, w->alternative, true, by);
    else
        portolan_error_prefix(err, "%s is not pinned to %s",
                              o->assembly->instances[w->instance].name,
                              optimizer_class(o, w->instance, w->alternative));
    return err->status;
}

static enum portolan_status take_forbid(struct optimizer *o, const struct optimizer_wish *w,
                                        enum optimizer_asker by, struct portolan_error *err)
{
    const struct portolan_assembly_instance *x = &o->assembly->instances[w->instance];

    for (size_t k = 0; k < x->n_alternatives; k++)
        if (k != w->alternative &&
            optimizer_option(o, w->instance, k)->hold != OPTIMIZER_FORBIDDEN &&
            !optimizer_is_banned(o, w->instance, k, NULL)) {
            hold(o, w->instance, w->alternative, false, by);
            return PORTOLAN_OK;
        }
    return portolan_error_set(err, PORTOLAN_EINFEASIBLE,
                              "%s is not forbidden: nothing else may run as '%s'",
                              optimizer_class(o, w->instance, w->alternative), x->name);
}

/* Takes an undo. The alternatives that the last swap left must be allowed, except for pins, which
 * the undo ends. */
static enum portolan_status take_undo(struct optimizer *o, enum optimizer_asker by,
                                      struct portolan_error *err)
{
    bool was_undo = o->undo_step >= 0 &&
                    (o->swap_step == o->undo_step || o->swap_step == o->undo_step + o->delay);

    if (!o->n_swapped || was_undo)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is nothing to undo: %s",
                                  o->n_swapped ? "the last swap was itself an undo"
                                               : "there was no swap since the last failure");
    for (size_t i = 0; i < o->n_swapped; i++)
        if (optimizer_is_banned(o, o->swapped[i].instance, o->swapped[i].from, err)) {
            portolan_error_prefix(err, "the last swap is not undone: %s",
                                  optimizer_class(o, o->swapped[i].instance, o->swapped[i].from));
            return err->status;
        }
    o->undoes = true;
    o->undo_by = by;
    return PORTOLAN_OK;
}

enum portolan_status optimizer_take_wish(struct optimizer *o, const struct optimizer_wish *w,
                                         enum optimizer_asker by, struct portolan_error *err)
{
    switch (w->kind) {
    case OPTIMIZER_PIN:
        return take_pin(o, w, by, err);
    case OPTIMIZER_FORBID:
        return take_forbid(o, w, by, err);
    case OPTIMIZER_RELEASE:
        lift(o, w->instance, w->alternative);
        return PORTOLAN_OK;
    case OPTIMIZER_UNDO:
        return take_undo(o, by, err);
    case OPTIMIZER_EXPLORE:
        o->explores = w->share > 0;
        if (w->share > 0 && !isinf(w->share))
            o->explore_share = w->share;
        return PORTOLAN_OK;
    }
    return PORTOLAN_EINVAL;
}

void optimizer_take_wishes(struct optimizer *o, int step)
{
    char *line;

    while ((line = portolan_control_take_wish())) {
        struct portolan_error err = {0};
        struct optimizer_wish w;

        if (read_wish(o->assembly, line, &w, &err) ||
            optimizer_take_wish(o, &w, OPTIMIZER_CONTROL, &err))
            portolan_log(PORTOLAN_LOG_WARNING, "optimizer", "step %d: '%s': %s", step, line,
                         err.text);
        else
            portolan_log(PORTOLAN_LOG_NOTICE, "optimizer", "step %d: the control file asks: %s",
                         step, line);
        free(line);
    }
}

/* ------------------------------------------------- making them the decision */

static const char *const asker_names[] = {
    [OPTIMIZER_USER] = "a component",
    [OPTIMIZER_ASSEMBLY] = "the assembly",
    [OPTIMIZER_CONTROL] = "the control file",
};

/* Wants an alternative because of BY, and adds that to WHY. */
static void want(struct optimizer *o, size_t instance, size_t alternative, const char *how,
                 enum optimizer_asker by, struct portolan_text *why)
{
    portolan_text_add(why, "%s%s %s -> %s, %s %s", why->length ? "; " : "",
                      o->assembly->instances[instance].name,
                      optimizer_class(o, instance, (size_t)o->wanted[instance]),
                      optimizer_class(o, instance, alternative), how, asker_names[by]);
    o->wanted[instance] = (int32_t)alternative;
}

/* Undoes the last swap, and forbids what was swapped in, so that it does not come again at the next
 * step. */
static void undo(struct optimizer *o, int step, struct portolan_text *why)
{
    for (size_t i = 0; i < o->n_swapped; i++) {
        const struct optimizer_swap *x = &o->swapped[i];

        lift(o, x->instance, x->from);
        hold(o, x->instance, x->to, false, o->undo_by);
        want(o, x->instance, x->from, "undone by", o->undo_by, why);
    }
    o->undo_step = step;
}

static bool is_dropped(struct optimizer *o, int step, const struct optimizer_option *pin)
{
    struct portolan_error why = {0};

    if (!optimizer_is_banned(o, pin->instance, pin->alternative, &why))
        return false;
    portolan_log(PORTOLAN_LOG_WARNING, "optimizer",
                 "step %d: the pin of %s to %s, which %s asked for, ends: %s", step,
                 o->assembly->instances[pin->instance].name,
                 optimizer_class(o, pin->instance, pin->alternative), asker_names[pin->held_by],
                 why.text);
    lift(o, pin->instance, pin->alternative);
    return true;
}

bool optimizer_obey(struct optimizer *o, int step)
{
    enum optimizer_asker by = o->undo_by;
    const char *binding = NULL;
    struct portolan_text why = {0};
    bool any = o->undoes && o->n_swapped;

    o->undoes = false;
    if (any)
        undo(o, step, &why);
    for (size_t i = 0; i < o->n_options; i++) {
        const struct optimizer_option *x = &o->options[i];

        if (x->hold != OPTIMIZER_PINNED || is_dropped(o, step, x) ||
            (size_t)o->wanted[x->instance] == x->alternative)
            continue;
        want(o, x->instance, x->alternative, "pinned by", x->held_by, &why);
        binding = optimizer_hold_word(x);
        by = x->held_by;
        any = true;
    }
    if (any) {
        snprintf(o->mind.reason, sizeof o->mind.reason, "%s", why.length ? why.bytes : "");
        optimizer_record(o, step, by, binding, NULL);
    }
    portolan_text_clear(&why);
    return any;
}
