/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a trial: its last step, the facts of the trial as a whole, and its outcome. */
#include "recorder_internal.h"

static void put_last_facts(struct portolan_recorder *r)
{
    r->source->put_objects(r->source->self, &r->facts); /* also those loaded meanwhile */
    if (r->source->put_gaps)
        r->source->put_gaps(r->source->self, &r->facts);
}

/* Collective: whether there is nothing to store at all. */
static bool is_empty(struct portolan_recorder *r)
{
    double calls = 0;

    if (r->trial)
        return false;
    recorder_take_own(r, &r->now, &(bool){false}, NULL);
    calls += r->failed; /* a failure alone is stored, too */
    for (size_t i = 0; i < r->now.count; ++i)
        calls += (double)(r->now.records[i].calls + r->now.records[i].failed_calls);
    return r->cohort->max(r->cohort, &calls, 1) || calls <= 0;
}

/* Collective: stores the facts of the trial as a whole, in a transaction of their own. */
static enum portolan_status store_whole(struct portolan_recorder *r, struct portolan_error *err)
{
    double lost_rows = r->lost_rows;
    enum portolan_status status = r->cohort->sum(r->cohort, &lost_rows, 1);

    if (!status && r->source == &slice_own_source) /* else the load is another process's */
        facts_put_load(r, &r->state->opened);
    if (lost_rows > 0)
        facts_printf(&r->facts, PORTOLAN_FACT_LOST_ROWS, "%.0f", lost_rows);
    if (r->lost_steps.length)
        portolan_facts_put(&r->facts, PORTOLAN_FACT_LOST_STEPS, r->lost_steps.bytes);
    if (!status && r->store)
        status = portolan_store_begin(r->store, err);
    if (!r->job)
        status = step_put_summary(r, status, err);
    if (!status)
        status = step_put_events(r, status, err);
    if (!status)
        status = step_put_traffic(r, status, err);
    facts_put_times(r);
    status = recorder_commit(r, status, err);
    status = portolan_cohort_agree(r->cohort, status, err);
    if (status)
        portolan_error_prefix(err, "statistics over ranks, events and messages are not stored");
    return status;
}

/* Collective. */
static enum portolan_status end_trial(struct portolan_recorder *r, struct portolan_error *err)
{
    double worst[2] = {r->elapsed_ns, r->failed};
    enum portolan_status status = PORTOLAN_OK;
    const char *outcome = NULL;

    if (!r->cohort->max(r->cohort, worst, 2))
        outcome = worst[1] > 0 ? "failed" : "finished";
    if (!outcome)
        status = portolan_error_set(err, PORTOLAN_EINTERNAL, "the ranks' times did not arrive");
    else if (r->store && r->job)
        status =
            portolan_store_leave_trial(r->store, r->trial, r->job->rank, outcome, worst[0], err);
    else if (r->store)
        status = portolan_store_end_trial(r->store, r->trial, outcome, worst[0], err);
    recorder_end_note(r->state);
    return portolan_cohort_agree(r->cohort, status, err);
}

/* Collective: runs a part of the end. Data that the store does not take go into a file. */
static enum portolan_status end_part(struct portolan_recorder *r,
                                     enum portolan_status (*put)(struct portolan_recorder *,
                                                                 struct portolan_error *),
                                     struct portolan_error *err)
{
    struct portolan_error why = {0};
    enum portolan_status status = put(r, &why);

    if (recorder_is_of_store(status) && !recorder_divert(r, &why)) {
        why = (struct portolan_error){0};
        status = put(r, &why);
    }
    if (status)
        portolan_error_set(err, status, "%s", why.text);
    return status;
}

/* Collective: if one rank failed, all did; rank 0, which stores facts, has a reason, too. */
static void share_failure(struct portolan_recorder *r)
{
    double failed = r->failed;

    if (r->cohort->max(r->cohort, &failed, 1) || failed <= r->failed)
        return;
    r->failed = true;
    portolan_facts_put(&r->facts, "failure", "another rank failed");
}

enum portolan_status portolan_recorder_end(struct portolan_recorder *r, struct portolan_error *err)
{
    struct portolan_error later = {0};
    enum portolan_status status, whole, ended;

    share_failure(r);
    r->piggyback = NULL;
    if (!r->job && is_empty(r)) /* nothing ran, nothing to keep */
        return PORTOLAN_OK;
    if (r->cohort->rank == 0)
        put_last_facts(r);
    status = recorder_cut(r, r->step + 1, true, err);
    if (r->n_lost_steps)
        recorder_close_range(r);
    if (!r->trial)
        return r->n_lost_steps ? recorder_report_lost(r, err) : status;
    whole = end_part(r, store_whole, status ? &later : err);
    ended = end_part(r, end_trial, status || whole ? &later : err);
    status = status ? status : whole ? whole : ended;
    rows_drop(r); /* of calls since: they are not the next recorder's */
    if (r->n_lost_steps)
        status = recorder_report_lost(r, err);
    return status;
}
