/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of runs: writing while a run goes on, and reading. */
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
#include <sys/mman.h>
#include <unistd.h>

/* What is recorded of a rank itself, or of a schedule of it. */
struct track {
    struct portolan_text bytes;
    clue_request *requests; /* by their number; 0: free */
    size_t n_requests, room, last;
};
struct recorded {
    struct track own, *schedules;
    size_t n_schedules, n_open;
};

static struct {
    struct recorded *ranks;
    size_t n, room;
    const struct clue_routine **routines;
    size_t n_routines;
    struct portolan_index index; /* of contexts */
    uint64_t *contexts;
    size_t n_contexts, room_contexts;
    struct portolan_trace *known; /* its communicators and windows */
    struct portolan_text told;    /* of an event */
    uint64_t n_depends;
} recording;

/* Of the current rank. */
static struct recorded *recorded_now(void)
{
    size_t rank = (size_t)clue_carrier.current->task, before = recording.n;

    if (rank >= before) {
        if (!portolan_reserve(&recording.ranks, &recording.room, rank + 1, sizeof *recording.ranks))
            clue_fail("out of memory for the record");
        memset(recording.ranks + before, 0, (rank + 1 - before) * sizeof *recording.ranks);
        recording.n = rank + 1;
    }
    return &recording.ranks[rank];
}

static struct track *track_now(void)
{
    uint32_t schedule = clue_carrier.current->recorded_as;
    struct recorded *r = recorded_now();

    return schedule ? &r->schedules[schedule - 1] : &r->own;
}

static void add_number(struct portolan_text *to, uint64_t value)
{
    uint8_t bytes[10];

    portolan_text_add_bytes(to, (const char *)bytes,
                            (size_t)(portolan_stream_unsigned(bytes, value) - bytes));
}

/* The rank's own number of a request; a new one gets a number. Requests are mostly used in the
 * order in which they were made. */
static uint64_t request_number(clue_request request, bool is_new)
{
    struct track *track = track_now();
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

static uint64_t routine_number(const struct clue_routine *routine)
{
    for (size_t i = 0; i < recording.n_routines; i++)
        if (recording.routines[i] == routine)
            return i;
    if (!portolan_append(&recording.routines, &recording.n_routines, &routine, sizeof routine))
        clue_fail("out of memory for the record");
    return recording.n_routines - 1;
}

static uint64_t context_number(uint64_t context)
{
    uint64_t *at =
        portolan_index_item(&recording.index, &recording.contexts, &recording.n_contexts,
                            &recording.room_contexts, sizeof context, &context, sizeof context);

    if (!at)
        clue_fail("out of memory for the record");
    return (uint64_t)(at - recording.contexts);
}

/* ------------------------------------------------- operations */

static void add_requests(struct portolan_text *to, const clue_request *requests, size_t n)
{
    add_number(to, n);
    for (size_t i = 0; i < n; i++)
        add_number(to, requests[i] ? request_number(requests[i], false) + 1 : 0);
}

static void free_number(struct track *track, clue_request request)
{
    uint64_t number = request_number(request, false);

    add_number(&track->bytes, number);
    track->requests[number] = 0;
}

static void add_field(struct track *track, const struct operation *o, struct operation_field field)
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
        add_number(to, context_number(*(const uint64_t *)at));
        break;
    case FIELD_ROUTINE:
        add_number(to, routine_number(o->call.routine));
        break;
    case FIELD_REQUEST:
    case FIELD_NEW_REQUEST:
        add_number(to, request_number(o->request, field.kind == FIELD_NEW_REQUEST));
        break;
    case FIELD_FREED:
        free_number(track, o->request);
        break;
    case FIELD_TAKEN:
        add_number(to, o->is_true && o->takes ? request_number(o->request, true) + 1 : 0);
        break;
    case FIELD_REQUESTS:
        add_requests(to, o->wait.requests, o->wait.n);
        break;
    case FIELD_AWAITED: /* clue_record_await() and tell() write these */
    case FIELD_TOLD:
        break;
    }
}

void record_operation(const struct operation *o)
{
    const struct operation_form *form = &operation_forms[o->kind];
    struct track *track = track_now();

    recording.n_depends += form->depends && form->depends(o);
    add_number(&track->bytes, o->kind);
    for (int i = 0; i < form->n_fields; i++)
        add_field(track, o, form->fields[i]);
}

uint64_t record_skip(struct record_reader *r, uint64_t kind)
{
    const struct operation_form *form = &operation_forms[kind < OPERATIONS_RECORDED ? kind : 0];
    uint64_t bytes = 0;

    for (int i = 0; i < form->n_fields; i++) {
        uint64_t value = record_number(r), left = (uint64_t)(r->end - r->at);

        if (kind == OPERATION_SEND &&
            form->fields[i].offset == offsetof(struct operation, send.bytes))
            bytes = value;
        if (form->fields[i].kind == FIELD_TOLD)
            r->at += value < left ? value : left;
        if (form->fields[i].kind == FIELD_REQUESTS || form->fields[i].kind == FIELD_AWAITED)
            for (; value && r->at < r->end; value--)
                record_number(r);
    }
    return bytes;
}

/* ------------------------------------------------- schedules */

uint32_t clue_schedule_begin(void)
{
    struct recorded *r;

    if (!clue_carrier.run->record)
        return 0;
    r = recorded_now();
    if (!portolan_append(&r->schedules, &r->n_schedules, &(struct track){0}, sizeof(struct track)))
        clue_fail("out of memory for the record");
    r->n_open++;
    record_operation(&(struct operation){.kind = OPERATION_SCHEDULE});
    return (uint32_t)r->n_schedules;
}

void clue_schedule_end(uint32_t schedule)
{
    struct recorded *r;
    struct track *track;

    if (!schedule)
        return;
    r = recorded_now();
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
    struct portolan_text *to;

    if (!clue_carrier.run->record)
        return;
    to = &track_now()->bytes;
    recording.n_depends += !is_all;
    add_number(to, OPERATION_AWAIT);
    add_number(to, n);
    for (size_t i = 0; i < n; i++)
        add_number(to, awaited[i].schedule  ? 2 * (uint64_t)awaited[i].schedule + 1
                       : awaited[i].request ? 2 * (request_number(awaited[i].request, false) + 1)
                                            : 0);
}

/* ------------------------------------------------- what observers are told */

/* Kind, communicator (0: none, or its place times 2, and 1, or 2 of a window), peer + 2, tag + 2,
 * bytes, request; the rank's neighbours, if the communicator has some and this is a collective: how
 * many, and each. */
static uint64_t known_comm(const struct portolan_mpi_comm *comm)
{
    size_t at = SIZE_MAX;

    if (!recording.known)
        recording.known = portolan_trace_create(clue_n_tasks(), "");
    if (recording.known)
        at = clue_trace_comm(recording.known, comm);
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

/* Calls are recorded anyway. */
static void tell(const struct portolan_mpi_event *e)
{
    const struct portolan_mpi_observer *other = clue_carrier.run->observer;

    if (e->kind != PORTOLAN_MPI_BEGIN && e->kind != PORTOLAN_MPI_END) {
        const uint64_t numbers[] = {e->kind,
                                    e->comm ? known_comm(e->comm) : 0,
                                    (uint64_t)(e->peer + 2),
                                    (uint64_t)(e->tag + 2),
                                    e->bytes,
                                    e->request};
        struct portolan_text *told = &recording.told, *to = &track_now()->bytes;

        told->length = 0;
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            add_number(told, numbers[i]);
        if (e->kind == PORTOLAN_MPI_COLLECTIVE && e->comm->n_neighbours)
            add_members(told, e->comm->neighbours, (size_t)e->comm->n_neighbours);
        add_number(to, OPERATION_TELL);
        add_number(to, told->length);
        portolan_text_add_bytes(to, told->bytes, told->length);
    }
    if (other && (other->is_on || e->kind < PORTOLAN_MPI_BEGIN))
        other->tell(e);
}

const struct portolan_mpi_observer *record_observer(void)
{
    static const struct portolan_mpi_observer observer = {tell, true};

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

/* Operations of schedules that have not come to their end are not all known: counts them, too. */
static uint64_t count_depends(const struct clue_run *run)
{
    uint64_t n = recording.n_depends + (recording.n != (size_t)run->n) + clue_carrier.may_change;

    for (size_t i = 0; i < recording.n; i++)
        n += recording.ranks[i].n_open;
    return n;
}

static void add_track(struct portolan_text *to, const struct track *track)
{
    to->failed |= track->bytes.failed;
    add_number(to, track->bytes.length);
    portolan_text_add_bytes(to, track->bytes.bytes ? track->bytes.bytes : "", track->bytes.length);
}

enum portolan_status record_write(const struct clue_run *run, struct portolan_error *err)
{
    const struct portolan_trace *known = recording.known;
    struct portolan_text file = {0};
    uint64_t n_words = 0;
    enum portolan_status status;

    while (run->program[n_words])
        n_words++;
    portolan_text_add_bytes(&file, RECORD_MAGIC, strlen(RECORD_MAGIC));
    add_number(&file, recording.n);
    add_number(&file, count_depends(run));
    add_number(&file, n_words);
    for (uint64_t i = 0; i < n_words; i++)
        add_word(&file, run->program[i]);
    add_number(&file, recording.n_routines);
    for (size_t i = 0; i < recording.n_routines; i++) {
        add_number(&file, recording.routines[i]->number == CLUE_NO_NUMBER);
        add_word(&file, recording.routines[i]->name);
    }
    add_number(&file, recording.n_contexts);
    for (size_t i = 0; i < recording.n_contexts; i++)
        add_number(&file, recording.contexts[i]);
    add_comms(&file, known ? known->comms : NULL, known ? known->n_comms : 0);
    add_comms(&file, known ? known->windows : NULL, known ? known->n_windows : 0);
    for (size_t i = 0; i < recording.n; i++) {
        const struct recorded *r = &recording.ranks[i];

        add_track(&file, &r->own);
        add_number(&file, r->n_schedules);
        for (size_t k = 0; k < r->n_schedules; k++)
            add_track(&file, &r->schedules[k]);
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

void record_end(void)
{
    for (size_t i = 0; i < recording.n; i++) {
        clear_track(&recording.ranks[i].own);
        for (size_t k = 0; k < recording.ranks[i].n_schedules; k++)
            clear_track(&recording.ranks[i].schedules[k]);
        free(recording.ranks[i].schedules);
    }
    free(recording.ranks);
    free(recording.routines);
    portolan_index_clear(&recording.index);
    free(recording.contexts);
    portolan_text_clear(&recording.told);
    portolan_trace_destroy(recording.known);
    memset(&recording, 0, sizeof recording);
}

/* ------------------------------------------------- reading */

uint64_t record_long_number(struct record_reader *r)
{
    uint64_t value = 0;

    for (unsigned shift = 0; r->at < r->end && shift < 64; shift += 7) {
        value |= (uint64_t)(*r->at & 0x7f) << shift;
        if (!(*r->at++ & 0x80))
            return value;
    }
    r->at = r->end;
    return value;
}

static char *read_word(struct record_reader *r, struct record *record)
{
    uint64_t length = record_number(r);
    const char *begin = (const char *)r->at;

    if (length > (uint64_t)(r->end - r->at))
        return NULL;
    r->at += length;
    return portolan_arena_strndup(&record->arena, begin, length);
}

/* Room for *N items, the number that comes next, and a last one of zeros. Each item is a byte of
 * the file at least. NULL: it is damaged. */
static void *read_array(struct record_reader *r, struct record *record, size_t size, size_t *n)
{
    *n = record_number(r);
    return *n <= (size_t)(r->end - r->at) ? portolan_arena_alloc(&record->arena, *n + 1, size)
                                          : NULL;
}

static bool read_members(struct record_reader *r, struct record *record, int *n,
                         const int **members)
{
    size_t count;
    int *to = read_array(r, record, sizeof *to, &count);

    *members = to;
    *n = (int)count;
    for (size_t i = 0; to && i < count; i++)
        to[i] = (int)record_number(r);
    return to != NULL;
}

/* Communicators or (IS_WINDOW) windows. */
static bool read_comms(struct record_reader *r, struct record *record, bool is_window)
{
    size_t n;
    struct portolan_mpi_comm *comm = read_array(r, record, sizeof *comm, &n);

    record->comms[is_window] = comm;
    record->n_comms[is_window] = n;
    for (size_t i = 0; comm && i < n; i++, comm++) {
        *comm = (struct portolan_mpi_comm){.id = record_number(r), .is_window = is_window};
        if (!read_members(r, record, &comm->n_members, &comm->members) ||
            !read_members(r, record, &comm->n_remote, &comm->remote))
            return false;
    }
    return comm != NULL;
}

static bool read_operations(struct record_reader *r, struct record_reader *to)
{
    uint64_t length = record_number(r);

    if (length > (uint64_t)(r->end - r->at))
        return false;
    *to = (struct record_reader){r->at, r->at + length};
    r->at += length;
    return true;
}

static bool read_rank(struct record_reader *r, struct record *record, struct record_rank *rank)
{
    if (!read_operations(r, &rank->own))
        return false;
    rank->schedules = read_array(r, record, sizeof *rank->schedules, &rank->n_schedules);
    for (size_t i = 0; rank->schedules && i < rank->n_schedules; i++)
        if (!read_operations(r, &rank->schedules[i]))
            return false;
    return rank->schedules != NULL;
}

static bool read_record(struct record_reader *r, struct record *record)
{
    uint64_t n = record_number(r);
    size_t n_words;

    record->n_depends = record_number(r);
    record->words = read_array(r, record, sizeof *record->words, &n_words);
    if (!record->words || n < 1 || n > (uint64_t)(r->end - r->at) || n_words < 1)
        return false;
    record->n = (int)n;
    for (size_t i = 0; i < n_words; i++)
        if (!(record->words[i] = read_word(r, record)))
            return false;
    record->routines = read_array(r, record, sizeof *record->routines, &record->n_routines);
    for (size_t i = 0; record->routines && i < record->n_routines; i++) {
        record->routines[i].number = record_number(r) ? CLUE_NO_NUMBER : (uint32_t)i;
        if (!(record->routines[i].name = read_word(r, record)))
            return false;
    }
    record->contexts = read_array(r, record, sizeof *record->contexts, &record->n_contexts);
    for (size_t i = 0; record->contexts && i < record->n_contexts; i++)
        record->contexts[i] = record_number(r);
    if (!record->routines || !record->contexts || !read_comms(r, record, false) ||
        !read_comms(r, record, true))
        return false;
    record->ranks = portolan_arena_alloc(&record->arena, n, sizeof *record->ranks);
    for (uint64_t i = 0; record->ranks && i < n; i++)
        if (!read_rank(r, record, &record->ranks[i]))
            return false;
    return record->ranks != NULL;
}

bool record_is_at(const char *path)
{
    char begin[sizeof RECORD_MAGIC] = "";
    FILE *file = fopen(path, "rbe");
    bool is_record = file && fread(begin, 1, sizeof begin - 1, file) == sizeof begin - 1 &&
                     strcmp(begin, RECORD_MAGIC) == 0;

    if (file)
        fclose(file);
    return is_record;
}

enum portolan_status record_read(const char *path, struct record *record,
                                 struct portolan_error *err)
{
    struct record_reader reader;

    *record = (struct record){0};
    record->bytes = portolan_file_map(path, &record->n_bytes);
    if (!record->bytes)
        return portolan_error_set(err, PORTOLAN_EIO, "'%s' cannot be read", path);
    madvise((void *)record->bytes, record->n_bytes, MADV_POPULATE_READ); /* most is used soon */
    reader = (struct record_reader){record->bytes, record->bytes + record->n_bytes};
    if (!record_is_at(path))
        return portolan_error_set(err, PORTOLAN_ESYNTAX,
                                  "'%s' is not a record; make one with portolan clue run --record",
                                  path);
    reader.at += strlen(RECORD_MAGIC);
    return read_record(&reader, record)
               ? PORTOLAN_OK
               : portolan_error_set(err, PORTOLAN_ESYNTAX, "'%s' is damaged; record it again",
                                    path);
}

void record_clear(struct record *record)
{
    portolan_arena_clear(&record->arena);
    munmap((void *)record->bytes, record->n_bytes);
    *record = (struct record){0};
}
