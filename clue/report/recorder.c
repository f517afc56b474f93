/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums the calls that libraries report and, on request, keeps them. */
#include "internal.h"

#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>

/* Observers are functions without an argument, so there is only one recorder. */
static struct clue_recorder *recorder;

_Static_assert((int)PORTOLAN_MPI_BEGIN == (int)PORTOLAN_TRACE_BEGIN &&
                   (int)PORTOLAN_MPI_MARK == (int)PORTOLAN_TRACE_MARK,
               "kinds of observer.h and trace.h");

/* ------------------------------------------------- sums */

static struct recorder_row *find_row(int rank, uint32_t routine, int partner, bool is_received)
{
    const struct recorder_key key = {rank, routine, partner, is_received};

    return portolan_index_item(&recorder->index, &recorder->rows, &recorder->n_rows,
                               &recorder->room_rows, sizeof *recorder->rows, &key, sizeof key);
}

static void add_bytes(int rank, const struct portolan_mpi_event *e, int partner, bool is_received)
{
    struct recorder_row *row = find_row(rank, e->routine, partner, is_received);

    if (row)
        row->bytes += (double)e->bytes;
    else
        recorder->has_failed = true;
}

/* Attributes a call to the partner that it sends to; if it sends nothing and receives one message,
 * to its sender; else to no partner. */
static void add_call(int rank, const struct portolan_mpi_event *e)
{
    const struct recorder_call *call = &recorder->calls[rank];
    bool is_received = call->sent_to < 0 && call->n_received == 1;
    struct recorder_row *row =
        find_row(rank, e->routine, is_received ? call->received_from : call->sent_to, is_received);

    if (!row) {
        recorder->has_failed = true;
        return;
    }
    row->calls++;
    row->time_ns += (double)((int64_t)e->ticks - call->began_ns);
}

static void name_routine(const struct portolan_mpi_event *e)
{
    size_t old = recorder->n_routines;

    if (e->routine < old && recorder->routines[e->routine])
        return;
    if (!portolan_reserve(&recorder->routines, &recorder->room_routines, e->routine + 1,
                          sizeof *recorder->routines)) {
        recorder->has_failed = true;
        return;
    }
    for (; recorder->n_routines <= e->routine; recorder->n_routines++)
        recorder->routines[recorder->n_routines] = NULL;
    recorder->routines[e->routine] = e->name;
}

/* Notes ends of MPI_Init and begins of MPI_Finalize. Events have the numbers of routines, and these
 * two are rare, so names are compared. */
static void note_span(const struct portolan_mpi_event *e)
{
    int64_t now = (int64_t)e->ticks;

    if (e->kind == PORTOLAN_MPI_END && strncmp(e->name, "MPI_Init", 8) == 0 &&
        (e->name[8] == 0 || strcmp(e->name + 8, "_thread") == 0))
        recorder->inited_ns = now > recorder->inited_ns ? now : recorder->inited_ns;
    if (e->kind == PORTOLAN_MPI_BEGIN && strcmp(e->name, "MPI_Finalize") == 0)
        recorder->finalized_ns = now > recorder->finalized_ns ? now : recorder->finalized_ns;
}

static void sum_up(int rank, const struct portolan_mpi_event *e)
{
    struct recorder_call *call = &recorder->calls[rank];

    call->last_ns = (int64_t)e->ticks;
    switch (e->kind) {
    case PORTOLAN_MPI_BEGIN:
        name_routine(e);
        if (e->name[4] == 'F')
            note_span(e);
        *call = (struct recorder_call){(int64_t)e->ticks, call->last_ns, -1, -1, 0};
        break;
    case PORTOLAN_MPI_SEND:
        add_bytes(rank, e, e->peer < 0 ? -1 : e->peer, false);
        if (call->sent_to < 0)
            call->sent_to = e->peer;
        break;
    case PORTOLAN_MPI_RECV:
        add_bytes(rank, e, e->peer, true);
        call->received_from = e->peer;
        call->n_received++;
        break;
    case PORTOLAN_MPI_COLLECTIVE:
    case PORTOLAN_MPI_TRANSFER:
        add_bytes(rank, e, -1, false);
        break;
    case PORTOLAN_MPI_END:
        add_call(rank, e);
        if (e->name[4] == 'I')
            note_span(e);
        break;
    default:
        break;
    }
}

/* ------------------------------------------------- events */

size_t clue_trace_comm(struct portolan_trace *trace, const struct portolan_mpi_comm *comm)
{
    const struct portolan_trace_comm c = {.id = comm->id,
                                          .n_members = (size_t)comm->n_members,
                                          .n_remote = (size_t)comm->n_remote,
                                          .members = comm->members,
                                          .remote = comm->remote};

    return comm->is_window ? portolan_trace_window(trace, &c) : portolan_trace_comm(trace, &c);
}

static size_t what_of(const struct portolan_mpi_event *e)
{
    if (e->kind == PORTOLAN_MPI_BEGIN || e->kind == PORTOLAN_MPI_END)
        return portolan_trace_routine(recorder->trace, e->name);
    return e->comm ? clue_trace_comm(recorder->trace, e->comm) : 0;
}

/* Notes from which ranks RANK receives in neighbourhood collectives. */
static bool note_neighbours(int rank, const struct portolan_mpi_event *e, size_t what)
{
    return e->kind != PORTOLAN_MPI_COLLECTIVE || !e->comm->n_neighbours ||
           portolan_trace_neighbours(recorder->trace, what, rank, e->comm->neighbours,
                                     (size_t)e->comm->n_neighbours);
}

static void keep(int rank, const struct portolan_mpi_event *e)
{
    size_t what;

    if (e->kind < PORTOLAN_MPI_BEGIN || recorder->has_failed)
        return;
    what = what_of(e);
    if (what == SIZE_MAX || !note_neighbours(rank, e, what) ||
        !portolan_trace_add(recorder->trace, rank, 0,
                            &(struct portolan_trace_event){.ns = (int64_t)e->ticks,
                                                           .bytes = e->bytes,
                                                           .request = e->request,
                                                           .peer = e->peer,
                                                           .tag = e->tag,
                                                           .kind = e->kind,
                                                           .what = (uint32_t)what}))
        recorder->has_failed = true;
}

static void record_event(const struct portolan_mpi_event *event)
{
    int rank = clue_self();

    if (rank >= recorder->n) /* a task that was spawned */
        return;
    sum_up(rank, event);
    if (recorder->trace)
        keep(rank, event);
}

/* ------------------------------------------------- its life */

/* Puts all of a rank's time into one region, so that the trace begins at 0. */
static bool put_region(struct clue_recorder *r, int rank, unsigned kind, int64_t ns)
{
    const struct portolan_trace_region whole = {PORTOLAN_TRACE_FUNCTION, "program", "", "", ""};
    size_t what = portolan_trace_region(r->trace, &whole);

    return what != SIZE_MAX &&
           portolan_trace_add(
               r->trace, rank, 0,
               &(struct portolan_trace_event){.ns = ns, .kind = kind, .what = (uint32_t)what});
}

static bool make_trace(struct clue_recorder *r, const int *hosts)
{
    char *clock = portolan_asprintf("virtual time of %s", r->machine->name);
    bool has_memory = clock && (r->trace = portolan_trace_create(r->n, r->machine->name));

    for (int i = 0; has_memory && i < r->n; i++) {
        struct portolan_trace_location *at =
            portolan_trace_locate(r->trace, i, 0, r->machine->hosts[hosts[i]].name);

        has_memory = at && portolan_trace_set_clock(r->trace, at, clock) &&
                     put_region(r, i, PORTOLAN_TRACE_ENTER, 0);
    }
    free(clock);
    return has_memory;
}

struct clue_recorder *clue_recorder_new(const struct clue_machine *machine, int n, const int *hosts,
                                        bool keeps_events)
{
    struct clue_recorder *r = portolan_calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->observer = (struct portolan_mpi_observer){.tell = record_event, .is_on = true};
    r->machine = machine;
    r->n = n;
    r->calls = portolan_calloc((size_t)n, sizeof *r->calls);
    if (!r->calls || (keeps_events && !make_trace(r, hosts))) {
        clue_recorder_free(r);
        return NULL;
    }
    return recorder = r;
}

const struct portolan_mpi_observer *clue_recorder_observer(const struct clue_recorder *r)
{
    return &r->observer;
}

double clue_recorder_span_ns(const struct clue_recorder *r)
{
    return (double)(r->finalized_ns - r->inited_ns);
}

void clue_recorder_free(struct clue_recorder *r)
{
    if (!r)
        return;
    portolan_trace_destroy(r->trace);
    portolan_index_clear(&r->index);
    free(r->rows);
    free(r->routines);
    free(r->calls);
    free(r);
    recorder = NULL;
}

const struct portolan_trace *clue_recorder_trace(struct clue_recorder *r,
                                                 struct portolan_error *err)
{
    if (!r || !r->trace) {
        portolan_error_set(err, PORTOLAN_EINVAL, "the calls of this run were not kept");
        return NULL;
    }
    for (int i = 0; i < r->n && !r->is_finished; i++)
        if (!put_region(r, i, PORTOLAN_TRACE_LEAVE, r->calls[i].last_ns))
            r->has_failed = true;
    if (r->has_failed) {
        portolan_no_memory(err);
        return NULL;
    }
    if (!r->is_finished && portolan_trace_finish(r->trace, err))
        return NULL;
    r->is_finished = true;
    return r->trace;
}
