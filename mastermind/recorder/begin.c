/* SPDX-License-Identifier: BSD-3-Clause */
/* A trial begins: what the store says of it, when its time begins, and the note of what runs. */
#include "recorder_internal.h"

#include <portolan/ending.h>
#include <portolan/list.h>
#include <portolan/record.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How this process ends goes into the note. */
static void note_ending(void *note, const struct portolan_ending *e)
{
    const char *inside[2 * PORTOLAN_ENDING_CALLS];

    for (size_t i = 0; i < e->n; ++i) {
        inside[2 * i] = e->inside[i].instance;
        inside[2 * i + 1] = e->inside[i].class_name;
    }
    portolan_note_end(note, e->how, e->number, e->step, inside, e->n);
}

/* A trial whose ranks are stored by others has none: they survive the ranks. */
static void begin_note(struct portolan_recorder *r)
{
    struct recorder_state *s = r->state;
    struct portolan_error err = {0};

    if (r->job || r->source != &slice_own_source || s->is_diverted)
        return;
    if (portolan_note_open(s->path, r->trial, r->cohort->rank, &s->note, &err))
        portolan_log(PORTOLAN_LOG_WARNING, "mastermind",
                     "a crash will not be blamed on what it was in: %s", err.text);
    else if (s->note)
        portolan_ending_observe(note_ending, s->note);
    if (s->note && !portolan_ending_is_watched())
        portolan_ending_watch(NULL, NULL, PORTOLAN_ENDING_SLOW_S, 0);
}

void recorder_end_note(struct recorder_state *s)
{
    if (s->note)
        portolan_ending_forget(s->note);
    portolan_note_close(s->note);
    s->note = NULL;
}

void portolan_facts_put_choices(const struct portolan_assembly *a,
                                struct portolan_facts *parameters,
                                struct portolan_facts *implementations)
{
    for (size_t i = 0; i < a->n_instances; ++i) {
        const struct portolan_assembly_instance *instance = &a->instances[i];
        const struct portolan_assembly_alternative *chosen =
            &instance->alternatives[instance->selected];

        portolan_facts_put(implementations, instance->name, chosen->class_name);
        for (size_t k = 0; k < chosen->n_parameters; ++k) {
            char *name = portolan_asprintf("%s.%s", instance->name, chosen->parameters[k].name);
            char *value = facts_without_secrets(chosen->parameters[k].text);

            parameters->failed = parameters->failed || !name || !value;
            if (name && value)
                portolan_facts_put(parameters, name, value);
            free(name);
            free(value);
        }
    }
}

/* The same for the trial and for a part of it in another store. */
static const char *note_start(struct recorder_state *s)
{
    time_t now = time(NULL);
    struct tm utc;

    if (!*s->started && gmtime_r(&now, &utc))
        strftime(s->started, sizeof s->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return s->started;
}

/* Rank 0 only. */
static enum portolan_status begin_trial(struct portolan_recorder *r, struct portolan_error *err)
{
    struct portolan_facts parameters = {0}, implementations = {0};
    enum portolan_status status = PORTOLAN_ENOMEM;

    portolan_facts_put_machine(&r->facts);
    r->source->put_objects(r->source->self, &r->facts);
    if (r->assembly)
        facts_put_assembly(&r->facts, r->assembly);
    if (portolan_record_peek_folder())
        portolan_facts_put(&r->facts, PORTOLAN_STORE_TRACE, portolan_record_peek_folder());
    if (r->assembly)
        portolan_facts_put_choices(r->assembly, &parameters, &implementations);
    if (parameters.failed || implementations.failed || r->facts.failed) {
        portolan_error_set(err, status, "no memory for a trial's facts");
        r->facts.failed = false; /* the next cut puts them again */
    } else {
        const struct portolan_trial trial = {
            .assembly = r->assembly && r->assembly->name ? r->assembly->name : "",
            .purpose = r->assembly && r->assembly->purpose ? r->assembly->purpose : "run",
            .ranks = r->job ? r->job->size : r->cohort->size,
            .started = note_start(r->state),
            .n_parameters = parameters.n,
            .parameters = parameters.pairs,
            .n_implementations = implementations.n,
            .implementations = implementations.pairs,
            .n_metadata = r->facts.n,
            .metadata = r->facts.pairs,
        };

        status = r->job ? portolan_store_join_trial(r->store, &trial, r->job->name, r->job->rank,
                                                    &r->trial, err)
                        : portolan_store_begin_trial(r->store, &trial, &r->trial, err);
    }
    portolan_facts_clear(&parameters);
    portolan_facts_clear(&implementations);
    if (!status)
        portolan_facts_clear(&r->facts);
    return status;
}

enum portolan_status recorder_share_trial(struct portolan_recorder *r, enum portolan_status status,
                                          struct portolan_error *err)
{
    status = portolan_cohort_agree(r->cohort, status, err);
    if (!status && r->cohort->bcast(r->cohort, &r->trial, sizeof r->trial, 0))
        status = portolan_error_set(err, PORTOLAN_EINTERNAL, "the trial's number did not arrive");
    return status;
}

/* A component may have brought another clock since the recorder was opened; it begins at 0. */
static void take_clock(struct portolan_recorder *r)
{
    if (r->source != &slice_own_source || r->state->clock == portolan_probe_clock_get())
        return;
    r->opened_ns = r->cut_ns = 0;
    r->state->paused_ns = portolan_probe_paused_ns();
}

enum portolan_status recorder_agree_on_zero(struct portolan_recorder *r, struct portolan_error *err)
{
    double now_ns = r->source->now_ns ? r->source->now_ns(r->source->self) : 0, age_ns;

    take_clock(r);
    age_ns = now_ns - r->opened_ns;

    if (r->cohort->max(r->cohort, &age_ns, 1))
        return portolan_error_set(err, PORTOLAN_EINTERNAL, "the ranks' clocks were not compared");
    r->began_ns = now_ns - age_ns;
    return PORTOLAN_OK;
}

enum portolan_status recorder_begin(struct portolan_recorder *r, struct portolan_error *err)
{
    enum portolan_status status = facts_put_ranks(r, err);

    if (!status && r->cohort->rank == 0)
        status = begin_trial(r, err);
    status = recorder_share_trial(r, status, err);
    if (!status)
        begin_note(r);
    return status;
}
