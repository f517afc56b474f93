/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a trial: cuts a slice at each swap point, stores it, or keeps it while the store is
 * locked. */
#include "recorder_internal.h"

#include <math.h>
#include <portolan/list.h>
#include <portolan/record.h>
#include <stdlib.h>
#include <string.h>

enum { LOST_TEXT_MAX = 1000 };

/* How long to wait for a locked store: for a step, when steps wait already, for the last step. */
enum { PATIENCE_MS = 200, NO_PATIENCE_MS = 0, LAST_PATIENCE_MS = 5000 };

enum portolan_status portolan_recorder_open(struct portolan_recorder *r,
                                            struct portolan_cohort *cohort,
                                            const struct portolan_assembly *assembly,
                                            const char *path, struct portolan_error *err)
{
    r->cohort = cohort;
    r->assembly = assembly;
    r->source = &slice_own_source;
    r->step = -1;
    if (!(r->state = portolan_calloc(1, sizeof *r->state)) ||
        !(r->state->path = recorder_path(path ? path : "")))
        return portolan_no_memory(err);
    portolan_machine_read(&r->state->opened);
    if (r->source->now_ns)
        r->cut_ns = r->opened_ns = r->source->now_ns(r->source->self);
    r->state->clock = portolan_probe_clock_get();
    r->state->paused_ns = portolan_probe_paused_ns();
    step_begin_events(r);
    if (cohort->rank != 0)
        return PORTOLAN_OK;
    return portolan_store_open(path && *path ? path : ":memory:", PORTOLAN_STORE_WRITE, &r->store,
                               err);
}

static void clear_state(struct recorder_state *s)
{
    if (!s)
        return;
    recorder_end_note(s);
    free(s->path);
    slice_clear(&s->slowest);
    slice_clear(&s->whole);
    portolan_probe_snapshot_clear(&s->last);
    free(s->slowest_block);
    totals_clear(&s->totals);
    paths_close(&s->paths);
    rows_clear(&s->rows);
    waiting_clear(&s->waiting);
    free(s->events);
    free(s->traffic);
    free(s);
}

void portolan_recorder_close(struct portolan_recorder *r)
{
    portolan_store_close(r->store);
    portolan_facts_clear(&r->facts);
    portolan_arena_clear(&r->expected_arena);
    portolan_text_clear(&r->lost_steps);
    slice_clear(&r->slice);
    clear_state(r->state);
    portolan_probe_snapshot_clear(&r->before);
    portolan_probe_snapshot_clear(&r->now);
    *r = (struct portolan_recorder){0};
}

/* Returns whether the expectation of STEP is kept: of several groups that are stored as one, that
 * of the first. */
static bool is_expectation_kept(const struct portolan_recorder *r, int step)
{
    return !(r->group_ns > 0) || step == r->step ||
           (r->state->is_storing && step == r->state->pace.step);
}

void portolan_recorder_expect(struct portolan_recorder *r, const struct portolan_expectation *e)
{
    struct portolan_expectation copy = *e;

    if (!r->store || !is_expectation_kept(r, e->step))
        return;
    copy.path = portolan_arena_strdup(&r->expected_arena, e->path);
    copy.cause = portolan_arena_strdup(&r->expected_arena, e->cause);
    if (copy.path && copy.cause)
        portolan_arena_append(&r->expected_arena, &r->expected, &r->n_expected, &copy, sizeof copy);
}

static void forget_expectations(struct portolan_recorder *r)
{
    portolan_arena_clear(&r->expected_arena);
    r->expected = NULL;
    r->n_expected = 0;
}

enum portolan_status recorder_take_own(struct portolan_recorder *r,
                                       struct portolan_probe_snapshot *s, bool *found,
                                       struct portolan_error *err)
{
    enum portolan_status status = r->source->take(r->source->self, s, err);
    size_t all = s->count;

    portolan_probe_snapshot_select(s, false);
    *found = s->count < all;
    return status;
}

static double elapsed_of(const struct portolan_recorder *r)
{
    double roots = r->slice.root_ns;

    if (!r->slice.has_untimed_roots || !r->source->now_ns)
        return roots;
    return fmax(roots, r->now.now_ns - r->cut_ns);
}

static void exchange_snapshots(struct portolan_probe_snapshot *a, struct portolan_probe_snapshot *b)
{
    struct portolan_probe_snapshot keep = *a;

    *a = *b;
    *b = keep;
}

/* Makes the latest slice and, if several are stored as one, the whole. */
static enum portolan_status make_slices(struct portolan_recorder *r, struct portolan_error *err)
{
    struct recorder_state *s = r->state;
    struct portolan_probe_snapshot *since = s->n_pending ? &s->last : &r->before;
    enum portolan_status status =
        slice_difference(r->source, since, &r->now, step_rank(r), &r->slice, err);

    if (!status && s->n_pending && s->is_storing)
        status = slice_difference(r->source, &r->before, &r->now, step_rank(r), &s->whole, err);
    if (status)
        return status;
    r->slice.n_partial =
        r->source->was_partial && r->source->was_partial(r->source->self, &r->mark);
    s->was_partial = s->was_partial || r->slice.n_partial;
    s->whole.n_partial = s->was_partial;
    r->elapsed_ns += elapsed_of(r);
    s->calls_ns += r->slice.calls_ns;
    s->timed_calls += r->slice.timed_calls;
    return PORTOLAN_OK;
}

/* If the probe cannot be emptied (a thread is inside a call), the next slice is a difference; so is
 * a slice that is not stored yet. */
static enum portolan_status take_slice(struct portolan_recorder *r, struct portolan_error *err)
{
    bool others;
    enum portolan_status status = recorder_take_own(r, &r->now, &others, err);

    if (!status)
        status = make_slices(r, err);
    if (status)
        return status;
    if (!r->state->is_storing) {
        exchange_snapshots(&r->state->last, &r->now);
        return PORTOLAN_OK;
    }
    if (r->source->restart && (status = rows_fill(r, err))) /* of threads that went on meanwhile */
        return status;
    if (r->source->restart && !r->source->restart(r->source->self)) {
        r->before.count = 0;
        if ((status = rows_note_restart(&r->state->rows, &r->now)))
            return portolan_error_set(err, status, "out of memory");
        /* records that others need were not emptied, nor what they added to their callers */
        return others ? recorder_take_own(r, &r->before, &others, err) : PORTOLAN_OK;
    }
    exchange_snapshots(&r->before, &r->now);
    return PORTOLAN_OK;
}

void recorder_close_range(struct portolan_recorder *r)
{
    struct portolan_text *t = &r->lost_steps;
    const char *comma = t->length ? ", " : "";

    if (t->length > LOST_TEXT_MAX)
        return;
    if (t->length + 40 > LOST_TEXT_MAX)
        portolan_text_add(t, "%sand more", comma);
    else if (r->lost_last > r->lost_first)
        portolan_text_add(t, "%s%d to %d", comma, r->lost_first, r->lost_last);
    else
        portolan_text_add(t, "%s%d", comma, r->lost_first);
}

/* Collective. N: samples and rows of this rank, which become the sums over all ranks. */
static void note_lost(struct portolan_recorder *r, int step, double n[2])
{
    if (r->n_lost_steps && step == r->lost_last + 1) {
        r->lost_last++;
    } else {
        if (r->n_lost_steps)
            recorder_close_range(r);
        r->lost_first = r->lost_last = step;
    }
    r->n_lost_steps++;
    if (r->cohort->sum(r->cohort, n, 2))
        n[0] = n[1] = 0;
    r->lost_samples += n[0];
    r->lost_step_rows += n[1];
}

/* All ranks fail together; the text says how much is lost. */
static void note_lost_step(struct portolan_recorder *r, struct portolan_error *err)
{
    bool sends = !r->summary_only || r->cohort->rank == 0;
    double n[2] = {sends ? (double)step_slice(r)->n : 0, r->step_rows + rows_drop(r)};

    note_lost(r, r->step, n);
    portolan_error_prefix(
        err, "step %d could not be stored; %.0f samples and %.0f rows of calls are lost", r->step,
        n[0], n[1]);
}

/* Notes that the steps which waited are lost. */
static void note_lost_waiting(struct portolan_recorder *r)
{
    struct waiting *w = &r->state->waiting;

    for (size_t i = 0; i < w->n; ++i)
        note_lost(r, w->steps[i].step, (double[]){w->steps[i].n_samples, w->steps[i].n_rows});
    waiting_clear(w);
}

enum portolan_status recorder_report_lost(struct portolan_recorder *r, struct portolan_error *err)
{
    struct portolan_error lost = {0};

    portolan_error_set(&lost, PORTOLAN_EIO, "%s: %s; %.0f samples and %.0f rows of calls are lost",
                       PORTOLAN_FACT_LOST_STEPS, r->lost_steps.bytes ? r->lost_steps.bytes : "?",
                       r->lost_samples, r->lost_step_rows);
    if (err && err->status)
        portolan_error_prefix(err, "%s", lost.text);
    else if (err)
        *err = lost;
    return PORTOLAN_EIO;
}

enum portolan_status recorder_commit(struct portolan_recorder *r, enum portolan_status status,
                                     struct portolan_error *err)
{
    if (!r->store)
        return status;
    if (!status && r->facts.n)
        status = portolan_store_put_metadata(r->store, r->trial, r->facts.pairs, r->facts.n, err);
    if (!status && r->n_expected)
        status =
            portolan_store_put_expectations(r->store, r->trial, r->expected, r->n_expected, err);
    if (!status)
        status = portolan_store_commit(r->store, err);
    if (!status) {
        portolan_facts_clear(&r->facts);
        forget_expectations(r);
    }
    portolan_store_rollback(r->store);
    return status;
}

/* On rank 0 the transaction is open. STATUS is this rank's result so far. */
static enum portolan_status store_step(struct portolan_recorder *r, enum portolan_status status,
                                       bool is_last, struct portolan_error *err)
{
    status = step_put_samples(r, status, err);
    if (!status)
        step_bring_slowest(r, !r->summary_only && !r->state->n_pending);
    if (!status && is_last) /* else they can go with the next step */
        status = step_put_rows(r, status, err);
    if (!status && r->summary_only)
        status = step_put_summary(r, status, err);
    status = recorder_commit(r, status, err);
    return step_agree(r, status, err);
}

bool recorder_is_of_store(enum portolan_status status)
{
    return status == PORTOLAN_EBUSY || status == PORTOLAN_EIO;
}

static void set_patience(struct portolan_recorder *r, int wait_ms)
{
    if (r->store)
        portolan_store_set_patience(r->store, wait_ms);
}

/*
 * Collective: begins the trial if need be and, on rank 0, a transaction. EBUSY: others are writing.
 */
static enum portolan_status begin_step(struct portolan_recorder *r, bool is_last,
                                       struct portolan_error *err)
{
    enum portolan_status status = r->state->has_zero ? PORTOLAN_OK : recorder_agree_on_zero(r, err);
    bool waits = r->state->waiting.n > 0;

    r->state->has_zero = !status;
    set_patience(r, is_last ? LAST_PATIENCE_MS : waits ? NO_PATIENCE_MS : PATIENCE_MS);
    if (!status && !r->trial)
        status = recorder_begin(r, err);
    if (!status && r->store)
        status = portolan_store_begin(r->store, err);
    status = portolan_cohort_agree(r->cohort, status, err);
    /* decisions, too, do not wait for a lock that steps have waited for */
    set_patience(r, recorder_is_of_store(status) ? NO_PATIENCE_MS : LAST_PATIENCE_MS);
    return status;
}

/* Takes the slice and adds it, if it is to be stored, to the statistics. */
static enum portolan_status take_and_add(struct portolan_recorder *r, struct portolan_error *err)
{
    enum portolan_status status = take_slice(r, err);

    if (status)
        r->slice.n = r->state->whole.n = 0;
    step_fill_piggyback(r);
    return status || !r->state->is_storing ? status
                                           : totals_add(&r->state->totals, step_slice(r), err);
}

/* WHY it cannot be stored: EBUSY, or what else there is. */
static void report_waiting(struct portolan_recorder *r, int step, const struct portolan_error *why)
{
    struct waiting *w = &r->state->waiting;
    bool is_locked = strstr(why->text, "keeps it locked");

    if (!w->is_reported && r->store)
        portolan_log(PORTOLAN_LOG_WARNING, "mastermind",
                     "%s: from step %d on, steps are kept in memory until it %s, up to %zu MiB per "
                     "rank",
                     is_locked ? "another process has locked the store" : why->text, step,
                     is_locked ? "is unlocked" : "can be written", WAITING_BYTES >> 20);
    w->is_reported = true;
}

/* Collective. Keeps the step in memory, WHY being why it cannot be stored. */
static enum portolan_status postpone(struct portolan_recorder *r, const struct portolan_error *why,
                                     struct portolan_error *err)
{
    struct waiting_step s = {0};
    enum portolan_status status = waiting_add_rows(r, &s, err), taken;

    taken = take_and_add(r, status ? NULL : err);
    status = status ? status : taken;
    if (!status)
        status = waiting_add_rows(r, &s, err);
    status = waiting_add(r, &s, status, err);
    if (!status)
        report_waiting(r, r->step, why);
    waiting_step_clear(&s);
    return status;
}

/*
 * Collective. Keeps a step that was sent to a store which did not answer. The next answer shows
 * whether it was stored; the rows of its calls are lost.
 */
static enum portolan_status keep_sent(struct portolan_recorder *r, const struct portolan_error *why,
                                      struct portolan_error *err)
{
    struct waiting_step s = {0};
    enum portolan_status status = waiting_add(r, &s, PORTOLAN_OK, err);

    waiting_step_clear(&s);
    if (status)
        return status;
    report_waiting(r, r->step, why);
    r->lost_rows += r->step_rows;
    r->state->waiting.n_sent = r->state->waiting.n;
    return PORTOLAN_OK;
}

/* Collective, within the transaction. STATUS is whether it was begun. */
static enum portolan_status put_step(struct portolan_recorder *r, enum portolan_status status,
                                     bool is_last, struct portolan_error *err)
{
    enum portolan_status taken;

    status = waiting_put(r, status, err);
    status = step_put_rows(r, status, err);
    taken = take_and_add(r, status ? NULL : err);
    status = store_step(r, status ? status : taken, is_last, err);
    if (!status)
        waiting_clear(&r->state->waiting);
    return status;
}

/* Collective. The last step once more, whose slice was taken: into a file. */
static enum portolan_status put_again(struct portolan_recorder *r, struct portolan_error *err)
{
    enum portolan_status status;

    *err = (struct portolan_error){0};
    r->lost_rows += r->step_rows;
    status = begin_step(r, true, err);
    status = waiting_put(r, status, err);
    status = store_step(r, status, true, err);
    if (!status)
        waiting_clear(&r->state->waiting);
    return status;
}

/*
 * Collective: returns whether a step failed because the store is lost; a full disk does not count.
 */
static bool is_away(struct portolan_recorder *r, enum portolan_status status)
{
    double is = r->store && portolan_store_check(r->store, NULL);

    return recorder_is_of_store(status) && !r->cohort->max(r->cohort, &is, 1) && is > 0;
}

/*
 * Collective. Stores the step, in the transaction that was BEGUN, or is lost for the reason in ERR;
 * what the store then does not take is kept, at the end in a file.
 */
static enum portolan_status put_or_keep(struct portolan_recorder *r, enum portolan_status begun,
                                        bool is_last, struct portolan_error *err)
{
    enum portolan_status status = put_step(r, begun, is_last, err);
    struct portolan_error why = *err;

    if (begun || !status)
        return status;
    if (is_last)
        return recorder_is_of_store(status) && !recorder_divert(r, err) ? put_again(r, err)
                                                                        : status;
    if (!is_away(r, status))
        return status;
    *err = (struct portolan_error){0};
    return keep_sent(r, &why, err);
}

/* The readers of the store must know that slices have several steps. */
static void report_groups(struct portolan_recorder *r)
{
    if (r->store && (r->state->pace.is_grouped || r->state->n_pending)) {
        facts_printf(&r->facts, PORTOLAN_FACT_GROUPS, "%d", r->state->pace.visits);
        facts_printf(&r->facts, PORTOLAN_FACT_STEPS, "%d", portolan_probe_step());
    }
}

/* Collective. Takes a slice that is stored later. */
static enum portolan_status look(struct portolan_recorder *r, struct portolan_error *err)
{
    enum portolan_status status = take_and_add(r, err);

    step_bring_slowest(r, false);
    status = step_agree(r, status, err);
    r->state->n_pending++;
    return status;
}

enum portolan_status recorder_cut(struct portolan_recorder *r, int next_step, bool is_last,
                                  struct portolan_error *err)
{
    struct portolan_error busy = {0};
    enum portolan_status status;

    if (is_last)
        r->state->pace.between_ns = r->state->pace.cost_ns = 0;
    else
        pace_begin(r, next_step);
    r->step_rows = 0;
    step_forget_slowest(r);
    step_begin_piggyback(r, next_step);
    r->state->is_storing = is_last || pace_stores(r);
    if (!r->state->is_storing)
        return look(r, err);
    report_groups(r);
    status = begin_step(r, is_last, &busy);
    if (is_last && recorder_is_of_store(status) && !recorder_divert(r, &busy)) {
        busy = (struct portolan_error){0};
        status = begin_step(r, is_last, &busy);
    }
    if (recorder_is_of_store(status) && !is_last) {
        status = postpone(r, &busy, err);
    } else {
        status = put_or_keep(r, status, is_last, &busy);
        if (status && err)
            *err = busy;
    }
    if (status && is_last)
        note_lost_waiting(r);
    if (status)
        note_lost_step(r, err);
    portolan_note_step(r->state->note);
    r->step = next_step;
    r->state->n_pending = 0;
    r->state->was_partial = false;
    if (r->source->now_ns)
        r->cut_ns = r->source->now_ns(r->source->self);
    return status;
}

/* Collective. Stores the slices that are pending, up to the latest cut. */
static enum portolan_status put_pending(struct portolan_recorder *r)
{
    struct recorder_state *s = r->state;
    enum portolan_status status = begin_step(r, false, NULL);

    if (status)
        return status;
    status = slice_difference(r->source, &r->before, &s->last, step_rank(r), &s->whole, NULL);
    s->whole.n_partial = s->was_partial;
    if (!status)
        status = totals_add(&s->totals, &s->whole, NULL);
    status = step_put_samples(r, status, NULL);
    status = recorder_commit(r, status, NULL);
    return portolan_cohort_agree(r->cohort, status, NULL);
}

void portolan_recorder_change(struct portolan_recorder *r)
{
    struct recorder_state *s = r->state;

    s->pace.fresh = 0;
    if (!s->n_pending || put_pending(r))
        return;
    exchange_snapshots(&r->before, &s->last);
    s->n_pending = 0;
    s->was_partial = false;
    r->step = s->pace.step;
}

/* Gives a trace the duration of the trial so far, because times of the rows of calls begin with the
 * trial. */
static void record_duration(const struct portolan_recorder *r)
{
    if (r->source == &slice_own_source && r->state->has_zero && portolan_record_is_on())
        portolan_record_age(portolan_record_name(PORTOLAN_STORE_TRIAL_NS), r->began_ns);
}

enum portolan_status portolan_recorder_cut(struct portolan_recorder *r, int next_step,
                                           struct portolan_error *err)
{
    enum portolan_status status = recorder_cut(r, next_step, false, err);

    record_duration(r);
    return status;
}
