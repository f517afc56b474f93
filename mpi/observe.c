/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports single calls to one observer: <portolan/observer.h>. */
#include "note.h"

/*
 * Of this many calls of a thread, the last ones measure the cost of observing: successive ones,
 * since the processor then predicts branches as it does in all other calls. The number is a prime,
 * because loops often have a power of two of calls, so that the same ones would be measured each
 * time.
 */
#define COST_EVERY 1021
#define COST_CALLS 16

const struct portolan_mpi_observer *mpi_observer;
bool mpi_is_observable;

enum portolan_status portolan_mpi_observe(const struct portolan_mpi_observer *observer,
                                          struct portolan_error *err)
{
    if (observer && !mpi_is_observable && portolan_mpi_is_running())
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "MPI began without an observer on all ranks, so its "
                                  "communicators have no numbers");
    __atomic_store_n(&mpi_observer, observer, __ATOMIC_RELEASE);
    if (!observer && portolan_mpi_is_running())
        mpi_is_observable = false;
    return PORTOLAN_OK;
}

/* Returns the time of an event: posts happen at the begin of the call, completions at its end. */
static uint64_t time_of(const struct mpi_call *call, enum portolan_mpi_event_kind kind)
{
    if (call->began == PORTOLAN_PROBE_INSIDE_MPI)
        return 0;
    switch (kind) {
    case PORTOLAN_MPI_STARTED:
    case PORTOLAN_MPI_BEGIN:
    case PORTOLAN_MPI_SEND:
    case PORTOLAN_MPI_RECV_POST:
    case PORTOLAN_MPI_COLLECTIVE:
    case PORTOLAN_MPI_TRANSFER:
        return call->began;
    default:
        return call->began + call->ticks;
    }
}

void mpi_report(const struct mpi_call *call, struct portolan_mpi_event *event)
{
    const struct portolan_mpi_observer *observer = __atomic_load_n(&mpi_observer, __ATOMIC_ACQUIRE);

    if (!observer)
        return;
    event->routine = call->routine;
    event->name = mpi_routine_names[call->routine];
    event->ticks = time_of(call, event->kind);
    observer->tell(event);
}

static bool is_cost_due(void)
{
    static __thread unsigned calls __attribute__((tls_model("initial-exec")));

    return calls++ % COST_EVERY >= COST_EVERY - COST_CALLS;
}

void mpi_observe_begin(struct mpi_call *call, uint64_t began)
{
    /* Read once: another thread may end the observation meanwhile. */
    const struct portolan_mpi_observer *observer = __atomic_load_n(&mpi_observer, __ATOMIC_ACQUIRE);

    call->began = began;
    if (began == PORTOLAN_PROBE_INSIDE_MPI && mpi_has_next) /* the program sees the outer call */
        return;
    if (!observer || !mpi_is_observable || !__atomic_load_n(&observer->is_on, __ATOMIC_RELAXED))
        return;
    call->is_observed = true;
    call->begin_cost = NO_COST;
    if (call->began == PORTOLAN_PROBE_INSIDE_MPI)
        return;
    mpi_report(
        call, &(struct portolan_mpi_event){.kind = PORTOLAN_MPI_BEGIN, .tag = call->found != NULL});
    if (is_cost_due())
        call->begin_cost = portolan_probe_now() - call->began;
}

static MPI_OUT_OF_LINE void report_cost(const struct mpi_call *call)
{
    uint64_t after = portolan_probe_now() - call->began - call->ticks;

    mpi_report(call, &(struct portolan_mpi_event){.kind = PORTOLAN_MPI_COST,
                                                  .bytes = call->begin_cost,
                                                  .request = (uint32_t)after});
}

static bool is_in_vain(const struct mpi_call *call)
{
    return call->result == MPI_SUCCESS && !*call->found;
}

void mpi_observe_end(struct mpi_call *call)
{
    if (call->began == PORTOLAN_PROBE_INSIDE_MPI)
        return;
    mpi_report(call, &(struct portolan_mpi_event){.kind = PORTOLAN_MPI_END,
                                                  .tag = call->found && is_in_vain(call)});
    if (call->begin_cost != NO_COST)
        report_cost(call);
}

/* The user's mark of a phase; MPICH itself does nothing here. */
PORTOLAN_API int MPI_Pcontrol(const int level, ...)
{
    struct mpi_call call = {.began = PORTOLAN_PROBE_INSIDE_MPI};

    if (mpi_is_observable) {
        call.began = portolan_probe_now();
        mpi_report(&call, &(struct portolan_mpi_event){.kind = PORTOLAN_MPI_MARK, .tag = level});
    }
    return PMPI_Pcontrol(level);
}

bool portolan_mpi_is_running(void)
{
    int begun = 0, ended = 0;

    PMPI_Initialized(&begun);
    PMPI_Finalized(&ended);
    return begun && !ended;
}
