/* SPDX-License-Identifier: BSD-3-Clause */
/* Records a run while it goes on, and writes the record. */
#include "record.h"

#include "operation_forms.h"

#include <portolan/clue_report.h>
#include <portolan/index.h>
#include <portolan/list.h>
#include <portolan/trace.h>
#include <portolan/trace_stream.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The recorded operations of a rank itself, or of one of its schedules. */
struct track {
    struct portolan_text bytes;
    clue_request *requests; /* by the record's numbers; 0: the number is free */
    size_t n_requests, room, last;
};
struct recorded {
    struct track own, *schedules;
    size_t n_schedules, n_open;
};

/* The record of a run while it grows. */
struct recording {
    struct recorded *ranks;
    size_t n, room;
    const struct clue_routine **routines;
    size_t n_routines;
    struct portolan_index index; /* index of contexts */
    uint64_t *contexts;
    size_t n_contexts, room_contexts;
    struct portolan_trace *known; /* its communicators and windows */
    struct portolan_text event;   /* bytes of the last event */
    uint64_t n_depends;
};

bool record_begin(struct carrier *c)
{
    return (c->recording = portolan_calloc(1, sizeof *c->recording)) != NULL;
}

/* Returns the record of the current rank. */
static struct recorded *recorded_now(const struct carrier *c)
{
    struct recording *all = c->recording;
    size_t rank = (size_t)c->current->task, before = all->n;

    if (rank >= before) {
        if (!portolan_reserve(&all->ranks, &all->room, rank + 1, sizeof *all->ranks))
            clue_fail("out of memory for the record");
        memset(all->ranks + before, 0, (rank + 1 - before) * sizeof *all->ranks);
        all->n = rank + 1;
    }
    return &all->ranks[rank];
}

static struct track *track_now(const struct carrier *c)
{
    uint32_t schedule = c->current->recorded_as;
    struct recorded *r = recorded_now(c);

    return schedule ? &r->schedules[schedule - 1] : &r->own;
}

static void add_number(struct portolan_text *to, uint64_t value)
{
    uint8_t bytes[10];

    portolan_text_add_bytes(to, (const char *)bytes,
                            (size_t)(portolan_stream_unsigned(bytes, value) - bytes));
}

/* Returns the record's number of a request; a new one is given a number. Requests are mostly used
 * in the order in which they were made. */
static uint64_t request_number(struct track *track, clue_request request, bool is_new)
{
    clue_request wanted = is_new ? 0 : request;

    for (size_t i = 0; i < track->n_requests; i++) {
        size_t at = (track->last + i) % track->n_requests;

        if (track->requests[at] == wanted) {
            track->requests[at] = request;
            track->last = at + 1;
            return at;
        }
    }
    if (!portolan_reserve(&track->requests, &track->room, track->n_requests + 1, sizeof request))
        clue_fail("out of memory for the record");
    track->requests[track->n_requests] = request;
    return track->n_requests++;
}

static uint64_t routine_number(struct recording *r, const struct clue_routine *routine)
{
    for (size_t i = 0; i < r->n_routines; i++)
        if (r->routines[i] == routine)
            return i;
    if (!portolan_append(&r->routines, &r->n_routines, &routine, sizeof routine))
        clue_fail("out of memory for the record");
    return r->n_routines - 1;
}

static uint64_t context_number(struct recording *r, uint64_t context)
{
    uint64_t *at = portolan_index_item(&r->index, &r->contexts, &r->n_contexts, &r->room_contexts,
                                       sizeof context, &context, sizeof context);

    if (!at)
        clue_fail("out of memory for the record");
    return (uint64_t)(at - r->contexts);
}

/* ------------------------------------------------- operations */

static void add_requests(struct track *track, const clue_request *requests, size_t n)
{
    add_number(&track->bytes, n);
    for (size_t i = 0; i < n; i++)
        add_number(&track->bytes, requests[i] ? request_number(track, requests[i], false) + 1 : 0);
}

static void free_number(struct track *track, clue_request request)
{
    uint64_t number = request_number(track, request, false);

    add_number(&track->bytes, number);
    track->requests[number] = 0;
}

static void add_field(struct recording *r, struct track *track, const struct operation *o,
                      struct operation_field field)
{
    struct portolan_text *to = &track->bytes;
    const void *at = operation_at(o, field);

    switch ((enum operation_field_kind)field.kind) {
    case FIELD_INT:
    case FIELD_TASK:
        add_number(to, (uint64_t) * (const int *)at);
        break;
    case FIELD_INT_OR_ANY:
        add_number(to, (uint64_t)(*(const int *)at + 1));
        break;
    case FIELD_UNSIGNED:
        add_number(to, *(const unsigned *)at);
        break;
    case FIELD_BYTE:
        add_number(to, *(const uint8_t *)at);
        break;
    case FIELD_LONG:
        add_number(to, *(const uint64_t *)at);
        break;
    case FIELD_CONTEXT:
        add_number(to, context_number(r, *(const uint64_t *)at));
        break;
    case FIELD_ROUTINE:
        add_number(to, routine_number(r, o->call.routine));
        break;
    case FIELD_REQUEST:
    case FIELD_NEW_REQUEST:
        add_number(to, request_number(track, o->request, field.kind == FIELD_NEW_REQUEST));
        break;
    case FIELD_FREED:
        free_number(track, o->request);
        break;
    case FIELD_TAKEN:
        add_number(to, o->is_true && o->takes ? request_number(track, o->request, true) + 1 : 0);
        break;
    case FIELD_REQUESTS:
        add_requests(track, o->wait.requests, o->wait.n);
        break;
    case FIELD_AWAITED: /* clue_record_await() and record_event() write these themselves */
    case FIELD_EVENT:
        break;
    }
}

void record_operation(const struct carrier *c, const struct operation *o)
{
    const struct operation_form *form = &operation_forms[o->kind];
    struct track *track = track_now(c);

    c->recording->n_depends += form->depends && form->depends(o);
    add_number(&track->bytes, o->kind);
    for (int i = 0; i < form->n_fields; i++)
        add_field(c->recording, track, o, form->fields[i]);
}

/* ------------------------------------------------- schedules */

uint32_t clue_schedule_begin(void)
{
    const struct carrier *c = &clue_carrier;
    struct recorded *r;

    if (!c->run->record)
        return 0;
    r = recorded_now(c);
    if (!portolan_append(&r->schedules, &r->n_schedules, &(struct track){0}, sizeof(struct track)))
        clue_fail("out of memory for the record");
    r->n_open++;
    record_operation(c, &(struct operation){.kind = OPERATION_SCHEDULE});
    return (uint32_t)r->n_schedules;
}

void clue_schedule_end(uint32_t schedule)
{
    struct recorded *r;
    struct track *track;

    if (!schedule)
        return;
    r = recorded_now(&clue_carrier);
    track = &r->schedules[schedule - 1];
    free(track->requests);
    track->requests = NULL;
    r->n_open--;
}

uint32_t clue_record_as(uint32_t schedule)
{
    uint32_t before = clue_carrier.current->recorded_as;

    clue_carrier.current->recorded_as = schedule;
    return before;
}

void clue_record_await(const struct clue_awaited *awaited, size_t n, bool is_all)
{
    const struct carrier *c = &clue_carrier;
    struct track *track;
    struct portolan_text *to;

    if (!c->run->record)
        return;
    track = track_now(c);
    to = &track->bytes;
    c->recording->n_depends += !is_all;
    add_number(to, OPERATION_AWAIT);
    add_number(to, n);
    for (size_t i = 0; i < n; i++)
        add_number(to, awaited[i].schedule ? 2 * (uint64_t)awaited[i].schedule + 1
                       : awaited[i].request
                           ? 2 * (request_number(track, awaited[i].request, false) + 1)
                           : 0);
}

/* ------------------------------------------------- events for observers */

/*
 * Encodes the communicator of an event.
 *
 * An event is: its kind; its communicator (0: none, else its index times 2 + 1, + 1 for a window);
 * peer + 2, tag + 2, bytes, request; and for a collective on a communicator with neighbours, how
 * many neighbours the rank has, and each.
 */
static uint64_t known_comm(struct recording *r, const struct portolan_mpi_comm *comm)
{
    size_t at = SIZE_MAX;

    if (!r->known)
        r->known = portolan_trace_create(clue_n_tasks(), "");
    if (r->known)
        at = clue_trace_comm(r->known, comm);
    if (at == SIZE_MAX)
        clue_fail("out of memory for the record");
    return 2 * at + 1 + comm->is_window;
}

static void add_members(struct portolan_text *to, const int *members, size_t n)
{
    add_number(to, n);
    for (size_t i = 0; i < n; i++)
        add_number(to, (uint64_t)members[i]);
}

/* Records an event. Begin and end of calls are recorded as operations already. */
static void record_event(const struct portolan_mpi_event *e)
{
    const struct carrier *c = &clue_carrier;
    const struct portolan_mpi_observer *other = c->run->observer;

    if (e->kind != PORTOLAN_MPI_BEGIN && e->kind != PORTOLAN_MPI_END) {
        const uint64_t numbers[] = {e->kind,
                                    e->comm ? known_comm(c->recording, e->comm) : 0,
                                    (uint64_t)(e->peer + 2),
                                    (uint64_t)(e->tag + 2),
                                    e->bytes,
                                    e->request};
        struct portolan_text *event = &c->recording->event, *to = &track_now(c)->bytes;

        event->length = 0;
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            add_number(event, numbers[i]);
        if (e->kind == PORTOLAN_MPI_COLLECTIVE && e->comm->n_neighbours)
            add_members(event, e->comm->neighbours, (size_t)e->comm->n_neighbours);
        add_number(to, OPERATION_EVENT);
        add_number(to, event->length);
        portolan_text_add_bytes(to, event->bytes, event->length);
    }
    if (other && (other->is_on || e->kind < PORTOLAN_MPI_BEGIN))
        other->tell(e);
}

const struct portolan_mpi_observer *record_observer(void)
{
    static const struct portolan_mpi_observer observer = {record_event, true};

    return &observer;
}

static void add_word(struct portolan_text *to, const char *word)
{
    add_number(to, strlen(word));
    portolan_text_add_bytes(to, word, strlen(word));
}

static void add_comms(struct portolan_text *to, const struct portolan_trace_comm *comms, size_t n)
{
    add_number(to, n);
    for (size_t i = 0; i < n; i++) {
        add_number(to, comms[i].id);
        add_members(to, comms[i].members, comms[i].n_members);
        add_members(to, comms[i].remote, comms[i].n_remote);
    }
}

/* Counts operations that depend on time, and those of schedules that have not ended, since not all
 * of their operations are known. */
static uint64_t count_depends(const struct carrier *c)
{
    const struct recording *r = c->recording;
    uint64_t n = r->n_depends + (r->n != (size_t)c->run->n) + c->may_change;

    for (size_t i = 0; i < r->n; i++)
        n += r->ranks[i].n_open;
    return n;
}

static void add_track(struct portolan_text *to, const struct track *track)
{
    to->failed |= track->bytes.failed;
    add_number(to, track->bytes.length);
    portolan_text_add_bytes(to, track->bytes.bytes ? track->bytes.bytes : "", track->bytes.length);
}

enum portolan_status record_write(const struct carrier *c, struct portolan_error *err)
{
    const struct recording *r = c->recording;
    const struct portolan_trace *known = r->known;
    const struct clue_run *run = c->run;
    struct portolan_text file = {0};
    uint64_t n_words = 0;
    enum portolan_status status;

    while (run->program[n_words])
        n_words++;
    portolan_text_add_bytes(&file, RECORD_MAGIC, strlen(RECORD_MAGIC));
    add_number(&file, r->n);
    add_number(&file, count_depends(c));
    add_number(&file, n_words);
    for (uint64_t i = 0; i < n_words; i++)
        add_word(&file, run->program[i]);
    add_number(&file, r->n_routines);
    for (size_t i = 0; i < r->n_routines; i++) {
        add_number(&file, r->routines[i]->number == CLUE_NO_NUMBER);
        add_word(&file, r->routines[i]->name);
    }
    add_number(&file, r->n_contexts);
    for (size_t i = 0; i < r->n_contexts; i++)
        add_number(&file, r->contexts[i]);
    add_comms(&file, known ? known->comms : NULL, known ? known->n_comms : 0);
    add_comms(&file, known ? known->windows : NULL, known ? known->n_windows : 0);
    for (size_t i = 0; i < r->n; i++) {
        const struct recorded *rank = &r->ranks[i];

        add_track(&file, &rank->own);
        add_number(&file, rank->n_schedules);
        for (size_t k = 0; k < rank->n_schedules; k++)
            add_track(&file, &rank->schedules[k]);
    }
    status = file.failed ? portolan_no_memory(err)
                         : portolan_replace_file(run->record, file.bytes, file.length, err);
    portolan_text_clear(&file);
    return status;
}

static void clear_track(struct track *track)
{
    portolan_text_clear(&track->bytes);
    free(track->requests);
}

void record_end(struct carrier *c)
{
    struct recording *r = c->recording;

    for (size_t i = 0; r && i < r->n; i++) {
        clear_track(&r->ranks[i].own);
        for (size_t k = 0; k < r->ranks[i].n_schedules; k++)
            clear_track(&r->ranks[i].schedules[k]);
        free(r->ranks[i].schedules);
    }
    if (r) {
        free(r->ranks);
        free(r->routines);
        portolan_index_clear(&r->index);
        free(r->contexts);
        portolan_text_clear(&r->event);
        portolan_trace_destroy(r->known);
    }
    free(r);
    c->recording = NULL;
}
