/* SPDX-License-Identifier: BSD-3-Clause */
/* What users, the assembly and other components ask for: what must run, what must not, what is
 * taken back. Only rank 0's wishes count; they reach the other ranks as its decisions. */
#include "component.h"

#include <portolan/control.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------- what may run */

/* The wish that excludes an alternative: a forbid of it, or a pin of another one; or NULL. */
static const struct optimizer_hold *find_hold(const struct optimizer *o, size_t instance,
                                              size_t alternative)
{
    for (size_t i = 0; i < o->n_holds; i++)
        if (o->holds[i].instance == instance &&
            (o->holds[i].alternative == alternative) != o->holds[i].is_pin)
            return &o->holds[i];
    return NULL;
}

bool optimizer_may_run(const struct optimizer *o, size_t instance, size_t alternative)
{
    return !optimizer_is_banned(o, instance, alternative) && !find_hold(o, instance, alternative);
}

const struct optimizer_hold *optimizer_peek_hold(const struct optimizer *o, size_t instance,
                                                 size_t alternative)
{
    return optimizer_is_banned(o, instance, alternative) ? NULL
                                                         : find_hold(o, instance, alternative);
}

struct portolan_name_value *optimizer_list_excluded(const struct optimizer *o, size_t *n)
{
    size_t most = 1;
    struct portolan_name_value *list;

    for (size_t i = 0; i < o->assembly->n_instances; i++)
        most += o->assembly->instances[i].n_alternatives;
    list = portolan_calloc(most, sizeof *list);
    *n = 0;
    for (size_t i = 0; list && i < o->assembly->n_instances; i++) {
        const struct portolan_assembly_instance *x = &o->assembly->instances[i];

        for (size_t k = 0; x->n_alternatives > 1 && k < x->n_alternatives; k++)
            if (!optimizer_may_run(o, i, k))
                list[(*n)++] = (struct portolan_name_value){x->name, optimizer_class(o, i, k)};
    }
    return list;
}

/* Ends the pins and forbids of an alternative, of all of an instance, or all. */
static void lift(struct optimizer *o, size_t instance, size_t alternative)
{
    size_t kept = 0;

    for (size_t i = 0; i < o->n_holds; i++) {
        const struct optimizer_hold *h = &o->holds[i];

        if ((instance != OPTIMIZER_ALL && h->instance != instance) ||
            (alternative != OPTIMIZER_ALL && h->alternative != alternative))
            o->holds[kept++] = *h;
    }
    o->n_holds = kept;
}

/* There is room for one per alternative. */
static void hold(struct optimizer *o, size_t instance, size_t alternative, bool is_pin,
                 enum optimizer_asker by)
{
    size_t kept = 0;

    for (size_t i = 0; i < o->n_holds; i++) /* an instance has one pin */
        if (!is_pin || o->holds[i].instance != instance || !o->holds[i].is_pin)
            o->holds[kept++] = o->holds[i];
    o->n_holds = kept;
    lift(o, instance, alternative);
    o->holds[o->n_holds++] = (struct optimizer_hold){instance, alternative, is_pin, by};
}

void optimizer_hold_assembly(struct optimizer *o)
{
    for (size_t i = 0; i < o->assembly->n_instances; i++)
        for (size_t k = 0; k < o->assembly->instances[i].n_alternatives; k++) {
            const struct portolan_assembly_alternative *x =
                &o->assembly->instances[i].alternatives[k];

            if (x->is_pinned || x->is_forbidden)
                hold(o, i, k, x->is_pinned, OPTIMIZER_ASSEMBLY);
        }
}

/* ------------------------------------------------- reading a wish */

static enum portolan_status unknown_instance(const struct portolan_assembly *a, const char *name,
                                             struct portolan_error *err)
{
    struct portolan_text known = {0};

    for (size_t i = 0; i < a->n_instances; i++)
        if (a->instances[i].n_alternatives > 1)
            portolan_text_add(&known, "%s%s", known.length ? ", " : "", a->instances[i].name);
    portolan_error_set(err, PORTOLAN_ENOTFOUND,
                       "no instance '%s' has alternatives; those that have are: %s", name,
                       known.length ? known.bytes : "none");
    portolan_text_clear(&known);
    return PORTOLAN_ENOTFOUND;
}

static enum portolan_status unknown_class(const struct portolan_assembly_instance *x,
                                          const char *name, struct portolan_error *err)
{
    struct portolan_text known = {0};

    for (size_t k = 0; k < x->n_alternatives; k++)
        portolan_text_add(&known, "%s%s", k ? ", " : "", x->alternatives[k].class_name);
    portolan_error_set(err, PORTOLAN_ENOTFOUND, "'%s' is no alternative of %s; these are: %s", name,
                       x->name, known.length ? known.bytes : "none");
    portolan_text_clear(&known);
    return PORTOLAN_ENOTFOUND;
}

enum portolan_status optimizer_wish_target(const struct portolan_assembly *a, const char *instance,
                                           const char *class_name, struct optimizer_wish *w,
                                           struct portolan_error *err)
{
    const struct portolan_assembly_instance *x = portolan_assembly_peek_instance(a, instance);

    if (!x || x->n_alternatives < 2)
        return unknown_instance(a, instance, err);
    w->instance = (size_t)(x - a->instances);
    w->alternative = OPTIMIZER_ALL;
    for (size_t k = 0; class_name && k < x->n_alternatives; k++)
        if (!strcmp(x->alternatives[k].class_name, class_name))
            w->alternative = k;
    if (class_name && w->alternative == OPTIMIZER_ALL)
        return unknown_class(x, class_name, err);
    return PORTOLAN_OK;
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
                              "'%s' is neither on nor off nor a share of the time, 0 to 1", word);
}

static enum portolan_status read_wish(const struct portolan_assembly *a, const char *line,
                                      struct optimizer_wish *w, struct portolan_error *err)
{
    size_t length = strcspn(line, " ");
    const char *word = line + length + strspn(line + length, " ");

    *w = (struct optimizer_wish){.instance = OPTIMIZER_ALL, .alternative = OPTIMIZER_ALL};
    switch (line[0]) {
    case 'p':
        w->kind = OPTIMIZER_PIN;
        return read_target(a, word, true, w, err);
    case 'f':
        w->kind = OPTIMIZER_FORBID;
        return read_target(a, word, true, w, err);
    case 'r':
        w->kind = OPTIMIZER_RELEASE;
        return *word ? read_target(a, word, false, w, err) : PORTOLAN_OK;
    case 'e':
        w->kind = OPTIMIZER_EXPLORE;
        return read_share(word, &w->share, err);
    default:
        w->kind = OPTIMIZER_UNDO;
        return PORTOLAN_OK;
    }
}

/* Any thread: reads only what does not change while it is set. */
static enum portolan_status check_wish(void *self, const char *line, struct portolan_error *err)
{
    const struct optimizer *o = self;
    struct optimizer_wish w;

    if (!o->enabled)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "the Optimizer is switched off in this run (enabled=false)");
    if (o->idle)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "nothing is swapped in this run: it is fixed, measures, or has "
                                  "no alternatives");
    return read_wish(o->assembly, line, &w, err);
}

void optimizer_listen(struct optimizer *o, bool on)
{
    if (on != o->listens)
        portolan_control_set_check(on ? check_wish : NULL, o);
    o->listens = on;
}

/* ------------------------------------------------- taking wishes */

/* Whether an alternative is left when this one is forbidden, too. */
static bool leaves_one(const struct optimizer *o, const struct optimizer_wish *w)
{
    for (size_t k = 0; k < o->assembly->instances[w->instance].n_alternatives; k++)
        if (k != w->alternative && optimizer_may_run(o, w->instance, k))
            return true;
    return false;
}

static enum portolan_status refuse_pin(const struct optimizer *o, const struct optimizer_wish *w,
                                       struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_EINFEASIBLE,
                              "%s is not pinned to %s: that did not start, failed or missed the "
                              "accuracy in this run",
                              o->assembly->instances[w->instance].name,
                              optimizer_class(o, w->instance, w->alternative));
}

static enum portolan_status take_pin(struct optimizer *o, const struct optimizer_wish *w,
                                     enum optimizer_asker by, struct portolan_error *err)
{
    if (optimizer_is_banned(o, w->instance, w->alternative))
        return refuse_pin(o, w, err);
    hold(o, w->instance, w->alternative, true, by);
    return PORTOLAN_OK;
}

static enum portolan_status take_forbid(struct optimizer *o, const struct optimizer_wish *w,
                                        enum optimizer_asker by, struct portolan_error *err)
{
    size_t before = o->n_holds;

    lift(o, w->instance, w->alternative); /* its pin */
    if (leaves_one(o, w)) {
        hold(o, w->instance, w->alternative, false, by);
        return PORTOLAN_OK;
    }
    if (o->n_holds < before)
        hold(o, w->instance, w->alternative, true, by);
    return portolan_error_set(
        err, PORTOLAN_EINFEASIBLE, "%s is not forbidden: nothing else may run as '%s'",
        optimizer_class(o, w->instance, w->alternative), o->assembly->instances[w->instance].name);
}

/* The alternatives that the last swap left must be allowed, except for pins, which the undo ends.
 */
static enum portolan_status take_undo(struct optimizer *o, enum optimizer_asker by,
                                      struct portolan_error *err)
{
    if (!o->n_swapped || o->swap_step == o->undo_step)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is nothing to undo: %s",
                                  o->n_swapped ? "the last swap was itself an undo"
                                               : "nothing was swapped since the last failure");
    for (size_t i = 0; i < o->n_swapped; i++) {
        const struct optimizer_swap *x = &o->swapped[i];

        if (optimizer_is_banned(o, x->instance, x->from))
            return portolan_error_set(err, PORTOLAN_EINFEASIBLE,
                                      "the last swap is not undone: %s failed in this run",
                                      optimizer_class(o, x->instance, x->from));
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

void optimizer_drop_wishes(struct optimizer *o)
{
    char *line;

    while (o->cohort->rank != 0 && (line = portolan_control_take_wish()))
        free(line);
}

/* ------------------------------------------------- making them the decision */

static const char *const asker_names[] = {
    [OPTIMIZER_USER] = "a component",
    [OPTIMIZER_ASSEMBLY] = "the assembly",
    [OPTIMIZER_CONTROL] = "the control file",
};

/* Wants an alternative because of BY, and says so in the reason. */
static void want(struct optimizer *o, size_t instance, size_t alternative, const char *why,
                 enum optimizer_asker by)
{
    size_t used = strlen(o->mind.reason);

    snprintf(o->mind.reason + used, sizeof o->mind.reason - used, "%s%s %s -> %s, %s %s",
             used ? "; " : "", o->assembly->instances[instance].name,
             optimizer_class(o, instance, (size_t)o->wanted[instance]),
             optimizer_class(o, instance, alternative), why, asker_names[by]);
    o->wanted[instance] = (int32_t)alternative;
}

/* What was swapped in is forbidden, so that it does not come again at the next step. */
static void undo(struct optimizer *o, int step)
{
    for (size_t i = 0; i < o->n_swapped; i++) {
        const struct optimizer_swap *x = &o->swapped[i];

        lift(o, x->instance, x->from);
        hold(o, x->instance, x->to, false, o->undo_by);
        want(o, x->instance, x->from, "undone by", o->undo_by);
    }
    o->undo_step = step + o->delay;
    o->undoes = false;
}

static void drop_pin(struct optimizer *o, int step, const struct optimizer_hold *h)
{
    portolan_log(PORTOLAN_LOG_WARNING, "optimizer",
                 "step %d: the pin of %s to %s, which %s asked for, ends: %s did not start, failed "
                 "or missed the accuracy",
                 step, o->assembly->instances[h->instance].name,
                 optimizer_class(o, h->instance, h->alternative), asker_names[h->by],
                 optimizer_class(o, h->instance, h->alternative));
    lift(o, h->instance, h->alternative);
}

bool optimizer_obey(struct optimizer *o, int step)
{
    enum optimizer_asker by = o->undo_by;
    const char *binding = NULL;
    struct portolan_error why = {0};
    char before[sizeof o->mind.reason];

    memcpy(before, o->mind.reason, sizeof before);
    o->mind.reason[0] = '\0';
    if (o->undoes)
        undo(o, step);
    for (size_t i = o->n_holds; i-- > 0;) {
        const struct optimizer_hold *h = &o->holds[i];

        if (h->is_pin && optimizer_is_banned(o, h->instance, h->alternative)) {
            drop_pin(o, step, h);
        } else if (h->is_pin && (size_t)o->wanted[h->instance] != h->alternative) {
            want(o, h->instance, h->alternative, "pinned by", h->by);
            binding = optimizer_hold_word(h);
            by = h->by;
        }
    }
    if (!o->mind.reason[0]) {
        memcpy(o->mind.reason, before, sizeof before);
        return false;
    }
    if (optimizer_is_advised_against(o, &why))
        portolan_log(PORTOLAN_LOG_WARNING, "optimizer",
                     "step %d: %s, though the measurements speak against it: %s", step,
                     o->mind.reason, why.text);
    optimizer_record(o, step, by, binding, NULL);
    return true;
}
