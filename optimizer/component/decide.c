/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0's decisions: reads the measurements, asks the plan, and chooses what runs from now on. */
#include "component.h"

#include <portolan/json.h>
#include <portolan/trials.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* After FIRST_LOOK steps with a call that has no model, the store is read again; then after twice
 * as many. */
enum { MOST_FACTS = 64, FIRST_LOOK = 4 };

void optimizer_mind_clear(struct optimizer_mind *m)
{
    portolan_plan_destroy(m->plan);
    portolan_sample_set_destroy(m->data);
    portolan_race_destroy(m->race);
    portolan_arena_clear(&m->findings);
    portolan_arena_clear(&m->one_step);
    m->plan = NULL;
    m->data = NULL;
    m->race = NULL;
}

/* Lists the machine and build of this run, as the Mastermind noted them. */
static size_t list_facts(const struct optimizer *o, struct portolan_name_value *facts, size_t most)
{
    const struct portolan_sample_set *data = o->mind.data;
    int64_t own = o->records->ops->trial(o->records);

    for (size_t i = 0; i < data->n_trials; i++)
        if (data->trials[i].id == own)
            return portolan_trial_list_facts(&data->trials[i], facts, most);
    return 0;
}

void optimizer_make_plan(struct optimizer *o)
{
    struct portolan_store_query query = {.assembly = o->assembly->name};
    struct portolan_name_value facts[MOST_FACTS];
    struct portolan_plan_options options = {.ranks = o->cohort->size, .facts = facts};
    struct optimizer_mind *m = &o->mind;
    struct portolan_error err = {0};
    enum portolan_status status;

    portolan_plan_destroy(m->plan);
    portolan_sample_set_destroy(m->data);
    m->plan = NULL;
    m->data = NULL;
    status = o->records->ops->read(o->records, &query, &m->data, &err);
    if (!status && !o->any_machine)
        options.n_facts = list_facts(o, facts, MOST_FACTS);
    if (!status)
        status = portolan_plan_create(o->assembly, m->data, &options, &m->plan, &err);
    if (status)
        snprintf(m->reason, sizeof m->reason, "runs as written, because nothing is known: %.420s",
                 err.text);
    if (status == PORTOLAN_ENOTFOUND && !m->race)
        portolan_log(
            PORTOLAN_LOG_NOTICE, "optimizer",
            "%s%s; to find out, run: mpiexec." PORTOLAN_MPI " -n %d portolan measure %s", m->reason,
            o->explores ? "; explores while it runs" : "", o->cohort->size,
            portolan_shell_word(o->assembly->file ? o->assembly->file : "ASSEMBLY.xml").text);
    else if (status && status != PORTOLAN_ENOTFOUND)
        portolan_log(PORTOLAN_LOG_WARNING, "optimizer", "no plan, %s", m->reason);
}

struct optimizer_option *optimizer_find(const struct optimizer *o, const char *instance,
                                        const char *class_name)
{
    for (size_t i = 0; i < o->n_options; i++) {
        struct optimizer_option *x = &o->options[i];

        if (!strcmp(o->assembly->instances[x->instance].name, instance) &&
            !strcmp(optimizer_class(o, x->instance, x->alternative), class_name))
            return x;
    }
    return NULL;
}

/* "assembler=heat.Band solver=heat.Cholmod"; false when the assembly lacks or forbids one. */
static bool read_choice(struct optimizer *o, const char *choice)
{
    char *copy = portolan_strdup(choice), *rest = copy, *word;
    const struct optimizer_option *x;
    bool known = copy;

    while ((word = strsep(&rest, " "))) {
        char *value = word;

        strsep(&value, "=");
        if (!*word)
            continue;
        if (value && (x = optimizer_find(o, word, value)) &&
            !optimizer_peek_hold(o, x->instance, x->alternative))
            o->wanted[x->instance] = (int32_t)x->alternative;
        else
            known = false;
    }
    free(copy);
    return known;
}

static void use_stored(struct optimizer *o, const struct portolan_decision *d)
{
    char origin[40] = "off line";

    if (!read_choice(o, d->choice)) {
        portolan_log(PORTOLAN_LOG_NOTICE, "optimizer",
                     "the decision of %s (%s) does not fit this assembly and is not used",
                     d->decided ? d->decided : "an unknown time", d->choice);
        optimizer_want_current(o);
        return;
    }
    o->mind.from_store = true;
    if (d->trial)
        snprintf(origin, sizeof origin, "in trial %lld", (long long)d->trial);
    snprintf(o->mind.reason, sizeof o->mind.reason, "starts with %.200s, decided %s %.30s: %.200s",
             d->choice, origin, d->decided ? d->decided : "", d->reason ? d->reason : "");
    if (!optimizer_has_to_swap(o))
        portolan_log(PORTOLAN_LOG_NOTICE, "optimizer", "%s", o->mind.reason);
}

static void host_name(char *name, size_t size_bytes)
{
    struct utsname u;

    snprintf(name, size_bytes, "%s", uname(&u) ? "" : u.nodename);
}

static void look_for_stored(struct optimizer *o)
{
    struct portolan_decision *d = NULL;
    struct portolan_error err = {0};
    char *parameters = NULL, host[256];
    enum portolan_status status = portolan_plan_write_parameters(o->assembly, &parameters, &err);

    host_name(host, sizeof host);
    if (!status)
        status = o->records->ops->find_decision(o->records, o->assembly->name, parameters, host,
                                                o->cohort->size, &d, &err);
    if (status)
        portolan_log(PORTOLAN_LOG_WARNING, "optimizer", "no stored decision can be read: %s",
                     err.text);
    else if (d)
        use_stored(o, d);
    portolan_decision_destroy(d);
    free(parameters);
}

bool optimizer_is_warming(const struct optimizer *o, int step)
{
    int first = o->mind.plan ? portolan_plan_first_steps(o->mind.plan, o->current) : 0;

    return step - o->began_step < (first > 0 ? 2 * first : 1); /* this time they may be more */
}

/* Adds the step's rows to the models, unless its calls may be first ones; if a call has none, reads
 * the store again from time to time. */
static void take_in(struct optimizer *o, int step, const struct portolan_plan_now *now)
{
    struct optimizer_mind *m = &o->mind;
    struct portolan_plan_news news;
    struct portolan_error err = {0};

    if (!m->plan || o->ended <= 0 || o->is_new_data || optimizer_is_warming(o, o->ended))
        return;
    if (portolan_plan_learn(m->plan, now->samples, now->n_samples, now->current, &news, &err)) {
        portolan_log(PORTOLAN_LOG_WARNING, "optimizer", "step %d: learns nothing: %s", step,
                     err.text);
        return;
    }
    if (news.n_failed)
        portolan_log(PORTOLAN_LOG_INFO, "optimizer", "step %d: %s: fits it again", step,
                     news.reason);
    if (news.n_unknown && (news.n_stated || ++m->unknown_steps >= m->next_look)) {
        m->next_look *= news.n_stated ? 1 : 2;
        portolan_log(PORTOLAN_LOG_INFO, "optimizer",
                     "step %d: an implementation without a model runs: reads the store again",
                     step);
        optimizer_make_plan(o);
    }
}

/* Records a decision of the models: a change, the beginning, or a new one after a lasting error. */
static void record_advice(struct optimizer *o, int step, const struct portolan_plan_advice *advice)
{
    struct optimizer_mind *m = &o->mind;
    char why[900];

    optimizer_expect(o, step, advice);
    if (!advice->n_changes && step > 0 && !m->lasting[0])
        return;
    snprintf(why, sizeof why, "%s%s%s", m->lasting, m->lasting[0] ? ": " : "", m->reason);
    optimizer_record(o, step, m->from_store && step == 0 ? OPTIMIZER_STORE : OPTIMIZER_MODELS, NULL,
                     why);
    m->lasting[0] = '\0';
}

void optimizer_want(struct optimizer *o, const struct portolan_plan_advice *advice)
{
    for (size_t i = 0; i < advice->n_changes; i++)
        o->wanted[advice->changes[i].position] = (int32_t)advice->changes[i].alternative;
}

/* Drops a change that this run has measured to be worse: direct comparison overrules the models. */
static void drop_if_known_worse(struct optimizer *o, struct portolan_plan_advice *advice)
{
    bool is_worse;

    optimizer_want(o, advice);
    is_worse = advice->n_changes && optimizer_knows_better(o);
    optimizer_want_current(o);
    if (!is_worse)
        return;
    advice->n_changes = 0;
    advice->then_step_ns = advice->now_step_ns;
    snprintf(advice->reason, sizeof advice->reason, "stays: in this run %s %s was not better",
             advice->changes[0].instance, advice->changes[0].to);
}

/* Adds to the reason, at the first step, that the run will measure what the models do not know. */
static void announce_exploring(const struct optimizer *o, struct portolan_plan_advice *advice)
{
    size_t used = strlen(advice->reason);

    if (advice->is_ignorant && o->mind.race)
        snprintf(advice->reason + used, sizeof advice->reason - used,
                 "; explores while it runs, within %g %% of its time", 100 * o->explore_share);
}

double optimizer_foretell(const struct optimizer *o, int step)
{
    const struct optimizer_mind *m = &o->mind;

    return m->predicted_ns + (step - m->predicted_step) * m->predicted_step_ns;
}

static void take_advice(struct optimizer *o, int step, const struct portolan_plan_advice *advice)
{
    struct optimizer_mind *m = &o->mind;
    bool overruled = m->from_store && step == 0 && advice->n_changes > 0;

    m->predicted_ns = optimizer_foretell(o, step) + (advice->n_changes ? advice->cost_ns : 0);
    m->predicted_step_ns = advice->then_step_ns;
    m->predicted_step = step;
    portolan_log(step == 0 && advice->is_ignorant ? PORTOLAN_LOG_NOTICE : PORTOLAN_LOG_DEBUG,
                 "optimizer", "step %d: %s", step, advice->reason);
    if (overruled)
        m->from_store = false;
    optimizer_want(o, advice);
    if (advice->n_changes || !m->from_store || step > 0)
        snprintf(m->reason, sizeof m->reason, "%s%.400s",
                 overruled ? "newer than the stored decision: " : "", advice->reason);
    record_advice(o, step, advice);
}

/* A run that goes on beyond its steps is assumed to do as many again. */
int optimizer_remaining(struct optimizer *o, int step)
{
    int steps = portolan_assembly_steps(o->assembly);

    if (steps == 0)
        return step;
    if (step <= steps)
        return steps - step;
    return steps - step % steps;
}

/* Replaces what is forbidden, and without a plan what is banned, by the first one that may run. */
static void leave_what_may_not_run(struct optimizer *o, int step)
{
    for (size_t i = 0; i < o->assembly->n_instances; i++) {
        size_t n = o->assembly->instances[i].n_alternatives, now = (size_t)o->wanted[i], k = 0;
        const struct optimizer_option *held;

        if (optimizer_may_run(o, i, now) ||
            (!(held = optimizer_peek_hold(o, i, now)) && o->mind.plan))
            continue;
        while (k < n && !optimizer_may_run(o, i, k))
            k++;
        if (k == n)
            continue;
        snprintf(o->mind.reason, sizeof o->mind.reason,
                 "%.60s %.100s -> %.100s, of which nothing is known, because the first %s",
                 o->assembly->instances[i].name, optimizer_class(o, i, now),
                 optimizer_class(o, i, k), held ? "is forbidden" : "does not work");
        o->wanted[i] = (int32_t)k;
        optimizer_record(o, step, held ? held->held_by : OPTIMIZER_FAILURE,
                         held ? optimizer_hold_word(held) : "failure", NULL);
    }
}

/*
 * Withdraws swaps that would lose the state of a running implementation, whatever asked for them.
 */
static void keep_state(struct optimizer *o, int step)
{
    for (size_t i = 0; i < o->assembly->n_instances; i++) {
        char *why = optimizer_get_obstacle(o, i, (size_t)o->wanted[i]);

        if (why) {
            portolan_log(PORTOLAN_LOG_INFO, "optimizer", "step %d: %s stays %s: %s", step,
                         o->assembly->instances[i].name,
                         optimizer_class(o, i, (size_t)o->current[i]), why);
            o->wanted[i] = o->current[i];
        }
        sidl_String_free(why);
    }
}

struct portolan_plan_now optimizer_get_now(struct optimizer *o, int step)
{
    memcpy(o->assumed, o->wanted, o->assembly->n_instances * sizeof *o->assumed);
    return (struct portolan_plan_now){
        .samples = o->step_samples,
        .n_samples = o->n_step_samples,
        .announced_names = o->announced.names,
        .announced_values = o->announced.values,
        .n_announced = o->announced.n,
        .current = o->assumed,
        .may_run = optimizer_may_run,
        .arg = o,
        .remaining_steps = portolan_assembly_steps(o->assembly) ? optimizer_remaining(o, step) : 1,
        .hysteresis = o->hysteresis,
        .swap_ns = o->mind.swap_ns};
}

static void ask_plan(struct optimizer *o, int step, const struct portolan_plan_now *now)
{
    struct portolan_plan_advice *advice = NULL;
    struct portolan_error err = {0};

    if (!portolan_plan_advise(o->mind.plan, now, &advice, &err)) {
        if (step > 0)
            drop_if_known_worse(o, advice);
        else
            announce_exploring(o, advice);
        take_advice(o, step, advice);
    } else {
        portolan_log(PORTOLAN_LOG_WARNING, "optimizer", "step %d: stays: %s", step, err.text);
    }
    portolan_plan_advice_destroy(advice);
}

static void consider(struct optimizer *o, int step)
{
    struct portolan_plan_now now = optimizer_get_now(o, step);

    if (step > 0 && step != o->mind.learned_step) {
        o->mind.learned_step = step;
        optimizer_compare(o, o->ended, &now);
        take_in(o, step, &now);
    } else if (step > 0) {
        o->mind.predicted_ns = NAN; /* the sum of predictions would count the step twice */
    }
    o->mind.now = &now;
    o->mind.expected_ns[0] = 0;
    if (!optimizer_ask_policy(o, step) && now.remaining_steps > 0 && !optimizer_explore(o, step) &&
        o->mind.plan)
        ask_plan(o, step, &now);
    leave_what_may_not_run(o, step);
    if (!o->mind.plan && step == 0 && !o->mind.n_decisions)
        optimizer_record(o, step, o->mind.from_store ? OPTIMIZER_STORE : OPTIMIZER_MODELS, NULL,
                         NULL);
    o->mind.now = NULL;
}

void optimizer_decide(struct optimizer *o, int step)
{
    optimizer_want_current(o);
    optimizer_take_wishes(o, step);
    if (!o->mind.looked) {
        o->mind.looked = true;
        o->mind.next_look = FIRST_LOOK;
        if (o->start_stored)
            look_for_stored(o);
        optimizer_make_plan(o);
        optimizer_leave_blamed(o);
    }
    if (optimizer_obey(o, step))
        o->mind.expected_ns[0] = 0; /* no prediction was made for a request */
    else
        consider(o, step);
    if (!(o->mind.expected_ns[0] > 0) &&
        (!portolan_assembly_steps(o->assembly) || optimizer_remaining(o, step) > 0))
        o->mind.predicted_ns = NAN;
    keep_state(o, step);
}

void optimizer_store_decision(struct optimizer *o)
{
    struct portolan_plan_prediction t = {0}; /* all 0: no prediction */
    struct portolan_error err = {0}, why = {0};
    char *parameters = NULL, *choice = NULL, host[256];

    /* A decision shaped by wishes or a policy is of no use to runs without them. */
    if (o->cohort->rank != 0 || o->mind.from_store || o->n_holds || o->policy)
        return;
    optimizer_want_current(o);
    host_name(host, sizeof host);
    if (o->mind.plan && portolan_plan_predict(o->mind.plan, o->current, &t, &why))
        t = (struct portolan_plan_prediction){0};
    if (!portolan_plan_write_parameters(o->assembly, &parameters, &err) &&
        !portolan_plan_write_selection(o->assembly, o->current, &choice, &err)) {
        struct portolan_decision d = {.trial = o->records->ops->trial(o->records),
                                      .assembly = o->assembly->name,
                                      .parameters = parameters,
                                      .host = host,
                                      .ranks = o->cohort->size,
                                      .choice = choice,
                                      .predicted_ns = t.total_ns,
                                      .low_ns = t.low_ns,
                                      .high_ns = t.high_ns,
                                      .reason = o->mind.reason};

        o->records->ops->put_decision(o->records, &d, NULL, &err);
    }
    if (why.status == PORTOLAN_EINFEASIBLE && o->assembly->accuracy > 0 && !o->mind.race)
        portolan_log(PORTOLAN_LOG_WARNING, "optimizer",
                     "runs as written, because the models support no decision: %s", why.text);
    if (err.status)
        portolan_log(PORTOLAN_LOG_WARNING, "optimizer", "the decision is not stored: %s", err.text);
    free(parameters);
    free(choice);
}
