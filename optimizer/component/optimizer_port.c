/* SPDX-License-Identifier: BSD-3-Clause */
/* The port "optimizer", by which an assembly, a component or a program drives the Optimizer. Rank 0
 * answers for all ranks. */
#include "component.h"

#include <math.h>
#include <stdlib.h>

/*
 * Collective: returns rank 0's TEXT on all ranks, as a string that the caller frees; clears TEXT.
 */
static char *share_text(struct optimizer *o, struct portolan_text *text, struct portolan_error *err,
                        sidl_BaseInterface *_ex)
{
    enum portolan_status status = err->status;
    size_t size = text->length;
    char *all = NULL;

    if (o->cohort->rank == 0 && !status)
        status = portolan_text_take(text, &all, err);
    status = portolan_cohort_share(o->cohort, &all, &size, status, err);
    portolan_text_clear(text);
    if (!status)
        return all;
    portolan_throw(_ex, status, "%s", err->status ? err->text : "no reply from rank 0");
    free(all);
    return NULL;
}

/* ------------------------------------------------- wishes */

/* Collective: takes a request. Texts may be NULL or ""; in a release they mean all. The verdict of
 * rank 0 is that of all ranks. */
static void wish(struct optimizer *o, enum optimizer_wish_kind kind, const char *instance,
                 const char *class_name, double share, sidl_BaseInterface *_ex)
{
    struct optimizer_wish w = {kind, OPTIMIZER_ALL, OPTIMIZER_ALL, share};
    struct portolan_error err = {0};
    const char *name = instance ? instance : "", *class = class_name ? class_name : "";
    bool has_class = kind == OPTIMIZER_PIN || kind == OPTIMIZER_FORBID || *class;
    enum portolan_status status;

    if (!optimizer_is_ready(o, _ex))
        return;
    if (has_class || *name)
        optimizer_wish_target(o->assembly, name, has_class ? class : NULL, &w, &err);
    if (!err.status && !o->idle && o->cohort->rank == 0)
        optimizer_take_wish(o, &w, OPTIMIZER_USER, &err);
    status = o->cohort->bcast(o->cohort, &err, sizeof err, 0);
    if (status)
        portolan_throw(_ex, status, "rank 0 could not reply for all ranks");
    else if (err.status)
        portolan_throw(_ex, err.status, "%s", err.text);
}

static void pin(void *self, const char *instance, const char *class_name, sidl_BaseInterface *_ex)
{
    wish(self, OPTIMIZER_PIN, instance, class_name, 0, _ex);
}

static void forbid(void *self, const char *instance, const char *class_name,
                   sidl_BaseInterface *_ex)
{
    wish(self, OPTIMIZER_FORBID, instance, class_name, 0, _ex);
}

static void release(void *self, const char *instance, const char *class_name,
                    sidl_BaseInterface *_ex)
{
    wish(self, OPTIMIZER_RELEASE, instance, class_name, 0, _ex);
}

static void undo(void *self, sidl_BaseInterface *_ex)
{
    wish(self, OPTIMIZER_UNDO, NULL, NULL, 0, _ex);
}

static void explore(void *self, double share, sidl_BaseInterface *_ex)
{
    if (share >= 0 && share <= 1)
        wish(self, OPTIMIZER_EXPLORE, NULL, NULL, share, _ex);
    else
        portolan_throw(_ex, PORTOLAN_EINVAL, "%g is not a share of the time, from 0 to 1", share);
}

static sidl_bool decide(void *self, sidl_BaseInterface *_ex)
{
    struct optimizer *o = self;

    return optimizer_is_ready(o, _ex) && !o->idle && optimizer_swap_now(o, _ex) && !*_ex;
}

/* Collective: the samples of the last step are those of the slowest rank, or (OFF) not valid. */
static void use_samples(struct optimizer *o, bool on)
{
    o->step_samples = NULL;
    o->n_step_samples = 0;
    if (on && !o->idle && o->step > 0)
        o->records->ops->slowest(o->records, &o->step_samples, &o->n_step_samples);
}

/* ------------------------------------------------- ask */

/* The announced contexts, with the question's values in place of theirs. */
static bool join_contexts(const struct optimizer *o, struct portolan_arena *pool,
                          struct sidl_string__array *names, struct sidl_double__array *values,
                          struct optimizer_contexts *all)
{
    int32_t asked = names ? sidl_string__array_length(names, 0) : 0;
    bool fits = true;

    for (size_t i = 0; fits && i < o->announced.n; i++)
        fits = optimizer_note(pool, all, o->announced.names[i], o->announced.values[i]);
    for (int32_t i = 0; fits && i < asked; i++) {
        char *name = sidl_string__array_get1(names, sidl_string__array_lower(names, 0) + i);

        fits = optimizer_note(
            pool, all, name ? name : "",
            sidl_double__array_get1(values, sidl_double__array_lower(values, 0) + i));
        sidl_String_free(name);
    }
    return fits;
}

/* Rank 0: adds what would run to TEXT; *STEP_NS: the time of a step, NAN where it is not known. */
static void write_best(struct optimizer *o, struct sidl_string__array *names,
                       struct sidl_double__array *values, struct portolan_text *text,
                       double *step_ns, struct portolan_error *err)
{
    struct portolan_plan_now now = optimizer_get_now(o, o->step < 0 ? 0 : o->step);
    struct portolan_plan_advice *advice = NULL;
    struct optimizer_contexts contexts = {0};
    struct portolan_arena pool = {0};
    char *words = NULL;

    optimizer_want_current(o);
    if (!join_contexts(o, &pool, names, values, &contexts))
        portolan_no_memory(err);
    now.announced_names = contexts.names;
    now.announced_values = contexts.values;
    now.n_announced = contexts.n;
    if (!err->status && o->mind.plan && !portolan_plan_advise(o->mind.plan, &now, &advice, err)) {
        optimizer_want(o, advice);
        *step_ns = isinf(advice->then_step_ns) ? NAN : advice->then_step_ns;
    }
    if (!err->status && !portolan_plan_write_selection(o->assembly, o->wanted, &words, err))
        portolan_text_add(text, "%s", words);
    portolan_plan_advice_destroy(advice);
    portolan_arena_clear(&pool);
    free(words);
}

static char *ask(void *self, struct sidl_string__array *names, struct sidl_double__array *values,
                 double *step_time, sidl_BaseInterface *_ex)
{
    struct optimizer *o = self;
    struct portolan_error err = {0};
    struct portolan_text text = {0};

    *step_time = NAN;
    if (!optimizer_is_ready(o, _ex))
        return NULL;
    if (!names != !values ||
        (names && sidl_string__array_length(names, 0) != sidl_double__array_length(values, 0))) {
        portolan_throw(_ex, PORTOLAN_EINVAL, "give as many values as names of contexts");
        return NULL;
    }
    use_samples(o, true);
    if (o->cohort->rank == 0)
        write_best(o, names, values, &text, step_time, &err);
    use_samples(o, false);
    if (o->cohort->bcast(o->cohort, step_time, sizeof *step_time, 0))
        portolan_error_set(&err, PORTOLAN_EIO, "no reply from rank 0");
    return share_text(o, &text, &err, _ex);
}

/* ------------------------------------------------- explain */

/* Rank 0: adds the latest reason, and what is known of all alternatives for the steps that remain.
 */
static void explain_all(struct optimizer *o, struct portolan_text *text, struct portolan_error *err)
{
    struct portolan_plan_now now;
    struct portolan_reason r = {.asked_by = ""};
    struct portolan_alternative *rows;
    struct portolan_arena pool = {0};

    portolan_text_add(text, "%s\n",
                      o->idle             ? "this run does not swap"
                      : o->mind.reason[0] ? o->mind.reason
                                          : "nothing has been decided yet");
    optimizer_want_current(o);
    now = optimizer_get_now(o, o->step < 0 ? 0 : o->step);
    if (!optimizer_weigh(o, &now, &r, &rows, &pool, err)) {
        struct portolan_plan_answer a = portolan_answer_of_decision(&r, rows, o->n_options, &pool);

        portolan_answer_write_options(&a, text);
    }
    portolan_arena_clear(&pool);
}

static char *explain(void *self, sidl_BaseInterface *_ex)
{
    struct optimizer *o = self;
    struct portolan_error err = {0};
    struct portolan_text text = {0};

    if (!optimizer_is_ready(o, _ex))
        return NULL;
    use_samples(o, true);
    if (o->cohort->rank == 0)
        explain_all(o, &text, &err);
    use_samples(o, false);
    return share_text(o, &text, &err, _ex);
}

const struct portolan_ports_Optimizer__epv optimizer_port_epv = {
    .f_ask = ask,
    .f_decide = decide,
    .f_pin = pin,
    .f_forbid = forbid,
    .f_release = release,
    .f_undo = undo,
    .f_explore = explore,
    .f_explain = explain,
    .f_announce = optimizer_announce,
};
