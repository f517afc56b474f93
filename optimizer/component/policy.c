/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks a user's own policy to decide, on rank 0: gives it the options and their times, and checks
 * its answer. */
#include "component.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The question to the policy, by option. */
struct question {
    struct sidl_string__array *instances, *classes;
    struct sidl_int__array *running, *allowed, *steps;
    struct sidl_double__array *times;
};

void optimizer_get_policy(struct optimizer *o, sidl_BaseInterface *_ex)
{
    gov_cca_Port port = gov_cca_Services_getPortNonblocking(o->services, "policy", _ex);
    sidl_BaseInterface ignored = NULL;

    if (*_ex || !port)
        return;
    o->policy = portolan_ports_Policy__cast(port, _ex);
    gov_cca_Port_deleteRef(port, &ignored);
    if (!*_ex && !o->policy)
        portolan_throw(_ex, PORTOLAN_EBADPORTTYPE,
                       "the port connected to 'policy' is not a portolan.ports.Policy");
}

/* ------------------------------------------------- measured times */

/* Adds the finished steps to what is known of the options, once; returns the whole time of one. */
static double take_step(struct optimizer *o, int step)
{
    for (size_t k = 0; step != o->tallied_step && k < o->n_options; k++) {
        struct optimizer_option *x = &o->options[k];
        bool ran =
            (size_t)o->current[x->instance] == x->alternative && o->spent_ns[x->instance] > 0;

        x->total_ns += ran ? o->spent_ns[x->instance] : 0;
        x->steps += ran ? o->n_ended : 0;
    }
    o->tallied_step = step;
    return o->ended_ns / o->n_ended;
}

/* ------------------------------------------------- question and answer */

static void fill_question(const struct optimizer *o, struct question *q)
{
    for (int32_t n = 0; n < (int32_t)o->n_options; n++) {
        const struct optimizer_option *x = &o->options[n];
        size_t i = x->instance, k = x->alternative;

        sidl_string__array_set1(q->instances, n, o->assembly->instances[i].name);
        sidl_string__array_set1(q->classes, n, optimizer_class(o, i, k));
        sidl_int__array_set1(q->running, n, k == (size_t)o->current[i]);
        sidl_int__array_set1(q->allowed, n, optimizer_may_run(o, i, k));
        sidl_int__array_set1(q->steps, n, x->steps);
        sidl_double__array_set1(q->times, n, x->steps ? x->total_ns / x->steps : 0);
    }
}

/* The policy's answer, the caller's reference; NULL with an error, or when all is to stay. */
static struct sidl_int__array *ask(struct optimizer *o, int step, double step_ns,
                                   struct portolan_error *err)
{
    int32_t n = (int32_t)o->n_options;
    struct question q = {sidl_string__array_create1d(n), sidl_string__array_create1d(n),
                         sidl_int__array_create1d(n),    sidl_int__array_create1d(n),
                         sidl_int__array_create1d(n),    sidl_double__array_create1d(n)};
    struct sidl_int__array *answer = NULL;
    sidl_BaseInterface ex = NULL;

    if (q.instances && q.classes && q.running && q.allowed && q.steps && q.times) {
        fill_question(o, &q);
        answer = portolan_ports_Policy_choose(o->policy, step, step_ns, q.instances, q.classes,
                                              q.running, q.allowed, q.steps, q.times, &ex);
        portolan_catch(&ex, err);
    } else {
        portolan_no_memory(err);
    }
    sidl_string__array_deleteRef(q.instances);
    sidl_string__array_deleteRef(q.classes);
    sidl_int__array_deleteRef(q.running);
    sidl_int__array_deleteRef(q.allowed);
    sidl_int__array_deleteRef(q.steps);
    sidl_double__array_deleteRef(q.times);
    if (!err->status && answer &&
        (sidl_int__array_dimen(answer) != 1 || sidl_int__array_length(answer, 0) != n))
        portolan_error_set(err, PORTOLAN_EINVAL, "its answer does not have the %d options", (int)n);
    if (!err->status)
        return answer;
    sidl_int__array_deleteRef(answer);
    return NULL;
}

/* Wants what the answer says: one option of each instance, which may run; else what runs now. */
static void read_answer(struct optimizer *o, int step, const struct sidl_int__array *answer)
{
    size_t refused = SIZE_MAX, answered = SIZE_MAX; /* instances */

    for (size_t n = 0; n < o->n_options; n++) {
        size_t i = o->options[n].instance, k = o->options[n].alternative;
        const char *fault = NULL;

        if (i == refused ||
            !sidl_int__array_get1(answer, sidl_int__array_lower(answer, 0) + (int32_t)n))
            continue;
        if (!optimizer_may_run(o, i, k))
            fault = "which is not allowed";
        else if (i == answered)
            fault = "and another one as well";
        answered = i;
        refused = fault ? i : refused;
        o->wanted[i] = fault ? o->current[i] : (int32_t)k;
        if (fault)
            portolan_log(PORTOLAN_LOG_WARNING, "optimizer",
                         "step %d: the policy wants %s for %s, %s: %s stays", step,
                         optimizer_class(o, i, k), o->assembly->instances[i].name, fault,
                         optimizer_class(o, i, (size_t)o->current[i]));
    }
}

/* Makes ANSWER the decision. NULL: nothing changes, even if a stored decision wanted it. */
static void take_answer(struct optimizer *o, int step, const struct sidl_int__array *answer)
{
    char *change;

    optimizer_want_current(o);
    if (answer)
        read_answer(o, step, answer);
    o->mind.from_store = false;
    if (!optimizer_has_to_swap(o))
        return;
    change = optimizer_change_text(o);
    snprintf(o->mind.reason, sizeof o->mind.reason, "the policy wants %s", change ? change : "");
    free(change);
    optimizer_record(o, step, OPTIMIZER_POLICY, NULL, NULL);
}

bool optimizer_ask_policy(struct optimizer *o, int step)
{
    struct portolan_error err = {0};
    struct sidl_int__array *answer;

    if (!o->policy)
        return false;
    answer = ask(o, step, take_step(o, step), &err);
    if (err.status)
        portolan_log(PORTOLAN_LOG_WARNING, "optimizer", "step %d: the policy does not decide: %s",
                     step, err.text);
    else
        take_answer(o, step, answer);
    sidl_int__array_deleteRef(answer);
    return !err.status;
}
