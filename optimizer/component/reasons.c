/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0: stores each decision with its reasons, and what each step was expected to take and took;
 * finds where the models were wrong, and why.
 */
#include "component.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A step is as expected within its interval, or within this share of the expected time. */
static const double close_enough = 0.05;

/* ------------------------------------------------- decisions */

static const char *const askers[] = {
    [OPTIMIZER_MODELS] = "models",           [OPTIMIZER_STORE] = "store",
    [OPTIMIZER_EXPLORATION] = "exploration", [OPTIMIZER_USER] = "user",
    [OPTIMIZER_ASSEMBLY] = "assembly",       [OPTIMIZER_CONTROL] = "control",
    [OPTIMIZER_POLICY] = "policy",           [OPTIMIZER_FAILURE] = "failure",
};

char *optimizer_change_text(const struct optimizer *o)
{
    struct portolan_text text = {0};
    char *out = NULL;

    for (size_t i = 0; i < o->assembly->n_instances; i++)
        if (o->wanted[i] != o->current[i])
            portolan_text_add(&text, "%s%s %s -> %s", text.length ? ", " : "",
                              o->assembly->instances[i].name,
                              optimizer_class(o, i, (size_t)o->current[i]),
                              optimizer_class(o, i, (size_t)o->wanted[i]));
    return portolan_text_take(&text, &out, NULL) ? NULL : out;
}

/* Lists all alternatives, without any numbers yet. */
static struct portolan_alternative *list_alternatives(const struct optimizer *o,
                                                      struct portolan_arena *pool)
{
    struct portolan_alternative *rows = portolan_arena_alloc(pool, o->n_options, sizeof *rows);

    for (size_t k = 0; rows && k < o->n_options; k++) {
        const struct optimizer_option *x = &o->options[k];

        rows[k] = (struct portolan_alternative){
            .instance = o->assembly->instances[x->instance].name,
            .implementation = optimizer_class(o, x->instance, x->alternative),
            .chosen = (size_t)o->wanted[x->instance] == x->alternative,
            .step_ns = NAN,
            .low_ns = NAN,
            .high_ns = NAN,
            .forced_ns = NAN,
            .chance = NAN,
            .binding = "unmeasured",
            .text = "nothing is known of it"};
    }
    return rows;
}

/* Fills numbers that no model gives from what this run has measured; WHOLE: with the wanted
 * alternatives of other instances. */
static void fill_measured(const struct optimizer *o, const struct optimizer_option *x,
                          int32_t *whole, struct portolan_alternative *row)
{
    double half_ns;

    if (!o->mind.race || !isnan(row->step_ns))
        return;
    whole[x->instance] = (int32_t)x->alternative;
    row->rows = (int)portolan_race_measured(o->mind.race, whole, &row->step_ns, &half_ns);
    whole[x->instance] = o->wanted[x->instance];
    if (!row->rows)
        return;
    row->low_ns = row->step_ns - half_ns;
    row->high_ns = row->step_ns + half_ns;
    row->binding = "";
    row->text = "measured in this run";
}

/* Marks alternatives that are excluded in this run, whatever the models say. */
static void mark_excluded(const struct optimizer *o, const struct optimizer_option *x,
                          struct portolan_arena *pool, struct portolan_alternative *row)
{
    const struct optimizer_option *held = optimizer_peek_hold(o, x->instance, x->alternative);
    char *obstacle = x->failed ? NULL : optimizer_get_obstacle(o, x->instance, x->alternative);

    if (obstacle) {
        row->binding = "stateful";
        row->text = portolan_arena_strdup(pool, obstacle);
    } else if (x->failed) {
        row->binding = "failure";
        row->text = "failed in this run";
    } else if (held) {
        row->binding = optimizer_hold_word(held);
        row->text = held->hold == OPTIMIZER_PINNED ? "another one is pinned" : "it is forbidden";
    }
    sidl_String_free(obstacle);
}

/* Lists the constraints that excluded alternatives, "accuracy, failure"; lack of measurements is
 * none. */
static void bindings_of(const struct portolan_alternative *rows, size_t n, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < n && used < size; i++)
        if (*rows[i].binding && strcmp(rows[i].binding, "unmeasured") != 0 &&
            strcmp(rows[i].binding, "unproven") != 0 && !strstr(text, rows[i].binding))
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     rows[i].binding);
}

enum portolan_status optimizer_weigh(struct optimizer *o, const struct portolan_plan_now *now,
                                     struct portolan_reason *r, struct portolan_alternative **rows,
                                     struct portolan_arena *pool, struct portolan_error *err)
{
    const struct portolan_plan *plan = o->mind.plan;
    size_t n = o->assembly->n_instances;
    int32_t *whole = portolan_arena_alloc(pool, n, sizeof *whole);

    *rows = list_alternatives(o, pool);
    if (!*rows || !whole)
        return portolan_no_memory(err);
    if (plan && now && now->remaining_steps > 0 &&
        portolan_plan_weigh(plan, now, o->wanted, r, *rows, o->n_options, pool, err))
        return err->status;
    memcpy(whole, o->wanted, n * sizeof *whole);
    for (size_t k = 0; k < o->n_options; k++) {
        fill_measured(o, &o->options[k], whole, &(*rows)[k]);
        mark_excluded(o, &o->options[k], pool, &(*rows)[k]);
    }
    return pool->failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

/* Completes R, and stores it with its alternatives. */
static enum portolan_status put_reason(struct optimizer *o, struct portolan_reason *r,
                                       struct portolan_error *err)
{
    struct portolan_arena pool = {0};
    struct portolan_alternative *rows;
    char *choice = NULL, bindings[100];
    enum portolan_status status = optimizer_weigh(o, o->mind.now, r, &rows, &pool, err);

    if (!status)
        status = portolan_plan_write_selection(o->assembly, o->wanted, &choice, err);
    if (!status) {
        bindings_of(rows, o->n_options, bindings, sizeof bindings);
        r->choice = choice;
        r->trials += o->mind.n_tried;
        r->binding = r->binding ? r->binding : bindings;
        status = o->records->ops->put_reason(o->records, r, rows, o->n_options, err);
    }
    portolan_arena_clear(&pool);
    free(choice);
    return status;
}

void optimizer_record(struct optimizer *o, int step, enum optimizer_asker asked_by,
                      const char *binding, const char *why)
{
    struct optimizer_mind *m = &o->mind;
    char *change = o->cohort->rank == 0 ? optimizer_change_text(o) : NULL;
    struct portolan_reason r = {.step = step,
                                .number = m->n_decisions + 1,
                                .asked_by = askers[asked_by],
                                .change = change,
                                .steps = m->now ? m->now->remaining_steps : 0,
                                .binding = binding,
                                .now_ns = NAN,
                                .step_ns = NAN,
                                .low_ns = NAN,
                                .high_ns = NAN,
                                .cost_ns = NAN,
                                .chance = NAN,
                                .text = why ? why : m->reason,
                                .outcome = change && *change ? "asked" : "stays"};
    struct portolan_error err = {0};

    if (!change || !o->records->ops->trial(o->records)) {
        free(change);
        return;
    }
    m->n_tried += asked_by == OPTIMIZER_EXPLORATION;
    if (!put_reason(o, &r, &err)) {
        m->n_decisions++;
        if (m->decided_at != step || !m->first_open)
            m->first_open = m->n_decisions;
        m->decided_at = step;
    } else {
        portolan_log(PORTOLAN_LOG_WARNING, "optimizer", "step %d: the reasons are not stored: %s",
                     step, err.text);
    }
    free(change);
}

void optimizer_record_outcome(struct optimizer *o, const char *outcome)
{
    struct portolan_reason r = {
        .asked_by = "", .change = "", .choice = "", .binding = "", .text = "", .outcome = outcome};
    struct portolan_error err = {0};

    for (r.number = o->mind.first_open; r.number && r.number <= o->mind.n_decisions; r.number++)
        if (o->records->ops->put_reason(o->records, &r, NULL, 0, &err))
            portolan_log(PORTOLAN_LOG_WARNING, "optimizer", "an outcome is not stored: %s",
                         err.text);
    if (strcmp(outcome, "done") != 0)
        o->mind.first_open = 0;
}

/* ------------------------------------------------- expected against actual */

static void put_expectation(struct optimizer *o, int step, const char *path, const char *cause,
                            const double ns[3], double measured_ns)
{
    o->records->ops->put_expectation(o->records,
                                     &(struct portolan_expectation){.step = step,
                                                                    .path = path,
                                                                    .cause = cause,
                                                                    .expected_ns = ns[0],
                                                                    .low_ns = ns[1],
                                                                    .high_ns = ns[2],
                                                                    .measured_ns = measured_ns});
}

void optimizer_expect(struct optimizer *o, int step, const struct portolan_plan_advice *advice)
{
    struct optimizer_mind *m = &o->mind;
    const struct portolan_plan_prediction *t = &advice->remaining;
    int steps = t->steps > 0 ? t->steps : 1;
    double setup_ns =
        advice->n_changes ? advice->cost_ns - (double)advice->n_changes * m->swap_ns : 0;

    if (!isfinite(advice->then_step_ns) || !(advice->then_step_ns > 0))
        return;
    if (o->delay > 0 && advice->n_changes) /* the next step is not the one that was predicted */
        return;
    m->expected_ns[0] = advice->then_step_ns + setup_ns;
    m->expected_ns[1] = fmax(0, m->expected_ns[0] - (t->total_ns - t->low_ns) / steps);
    m->expected_ns[2] = m->expected_ns[0] + (t->high_ns - t->total_ns) / steps;
    put_expectation(o, step, "", "", m->expected_ns, NAN);
}

/* Counts how many steps in a row each call path was wrong; *LASTING: the first that lasts. */
static void count_misses(struct optimizer_mind *m, struct portolan_plan_miss *misses, size_t n,
                         const struct portolan_plan_miss **lasting)
{
    int in_a_row[OPTIMIZER_MISSES] = {0};

    for (size_t i = 0; i < n; i++) {
        in_a_row[i] = 1;
        for (size_t k = 0; k < m->n_misses; k++)
            if (!strcmp(m->misses[k].path, misses[i].path) &&
                (m->misses[k].measured_ns > m->misses[k].expected_ns) ==
                    (misses[i].measured_ns > misses[i].expected_ns))
                in_a_row[i] = m->in_a_row[k] + 1;
        if (!*lasting && in_a_row[i] == OPTIMIZER_LASTING)
            *lasting = &misses[i];
    }
    memcpy(m->misses, misses, n * sizeof *misses);
    memcpy(m->in_a_row, in_a_row, n * sizeof *in_a_row);
    m->n_misses = n;
}

static const char *cause_of(const struct portolan_plan_miss *miss, int in_a_row)
{
    return miss->outside                   ? "context outside"
           : in_a_row >= OPTIMIZER_LASTING ? "drift"
                                           : "interference";
}

/* Finds the call paths that were not as the models predict; returns the cause of the worst. */
static const char *find_cause(struct optimizer *o, int step, const struct portolan_plan_now *now)
{
    struct optimizer_mind *m = &o->mind;
    struct portolan_plan_miss misses[OPTIMIZER_MISSES];
    const struct portolan_plan_miss *lasting = NULL;
    struct portolan_plan_now then = *now;
    size_t n;

    then.n_announced = 0; /* announced contexts are of the next step */
    if (!m->plan || portolan_plan_compare(m->plan, &then, misses, OPTIMIZER_MISSES, &n, NULL))
        return "context";
    count_misses(m, misses, n, &lasting);
    for (size_t i = 0; i < n; i++) {
        const struct portolan_plan_miss *x = &misses[i];

        put_expectation(o, step, x->path, cause_of(x, m->in_a_row[i]),
                        (double[]){x->expected_ns, x->low_ns, x->high_ns}, x->measured_ns);
    }
    if (lasting)
        snprintf(m->lasting, sizeof m->lasting,
                 "%s took %.3g s instead of %.3g s, %d steps in a row", lasting->path,
                 lasting->measured_ns * 1e-9, lasting->expected_ns * 1e-9, OPTIMIZER_LASTING);
    return n ? cause_of(&misses[0], m->in_a_row[0]) : "context";
}

void optimizer_compare(struct optimizer *o, int step, const struct portolan_plan_now *now)
{
    struct optimizer_mind *m = &o->mind;
    double measured = o->ended_ns / o->n_ended, off;
    const char *cause = "";

    if (!(m->expected_ns[0] > 0) || !(measured > 0))
        return;
    off = fabs(measured - m->expected_ns[0]);
    if (off > close_enough * m->expected_ns[0] &&
        (measured < m->expected_ns[1] || measured > m->expected_ns[2]))
        cause = optimizer_is_warming(o, step) ? "start" : find_cause(o, step, now);
    if (!*cause || !strcmp(cause, "start"))
        m->n_misses = 0;
    put_expectation(o, step, "", cause, m->expected_ns, measured);
}
