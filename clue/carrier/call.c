/* SPDX-License-Identifier: BSD-3-Clause */
/* Begins and ends calls of a library, which end and begin bursts; and ends a rank. */
#include "record.h"

void clue_notify_call(const struct rank *rank, enum portolan_mpi_event_kind kind)
{
    const struct portolan_mpi_observer *observer = clue_carrier.observer;

    if (observer && observer->is_on && rank->routine->number != CLUE_NO_NUMBER)
        observer->tell(&(struct portolan_mpi_event){.kind = kind,
                                                    .routine = rank->routine->number,
                                                    .name = rank->routine->name,
                                                    .ticks = (uint64_t)clue_now()});
}

/* Lets RANK compute for NS before its call. */
static void compute(const struct rank *rank, int64_t ns)
{
    struct operation o = {.kind = OPERATION_CALL, .call = {.routine = rank->routine, .ns = ns}};

    if (clue_carrier.run->record)
        o.call.site = clue_site_key(rank, rank->site);
    operation_do(&o);
}

void clue_call_begin(const struct clue_routine *routine, const void *site)
{
    struct rank *rank = clue_carrier.current;
    int64_t ns;

    if (rank->depth++)
        return;
    if (clue_carrier.is_forked)
        clue_refuse_child(routine);
    ns = clue_burst_end(&clue_carrier, site) + rank->fronts_ns;
    rank->fronts_ns = 0;
    rank->routine = routine;
    rank->site = site;
    rank->was_switched = false;
    if (ns > 0 || clue_carrier.run->record)
        compute(rank, ns);
    clue_notify_call(rank, PORTOLAN_MPI_BEGIN);
}

void clue_call_end(void)
{
    struct rank *rank = clue_carrier.current;

    if (rank->depth > 1) {
        rank->depth--;
        return;
    }
    if (clue_carrier.run->record)
        operation_do(&(struct operation){.kind = OPERATION_END});
    clue_notify_call(rank, PORTOLAN_MPI_END);
    clue_burst_begin(&clue_carrier);
    rank->depth = 0; /* from here on signals are not held */
    if (rank->held)
        clue_give_held(rank);
}

void clue_at_exit(enum clue_owner owner, void (*run)(void))
{
    struct rank *rank = clue_carrier.current;

    for (int i = 0; i < rank->n_calls; i++)
        if (rank->calls[i].owner == owner)
            return;
    rank->calls[rank->n_calls++] = (struct exit_call){owner, run};
}

void clue_rank_over(int status)
{
    static const struct clue_routine routine = {"exit", CLUE_NO_NUMBER};
    struct carrier *c = &clue_carrier;
    struct rank *rank = c->current;

    clue_call_begin(&routine, NULL);
    while (rank->n_calls)
        rank->calls[--rank->n_calls].run();
    rank->status = status;
    rank->is_over = true;
    if (status && !c->exit_status)
        c->exit_status = status;
    c->n_polls = 0;
    operation_do(&(struct operation){.kind = OPERATION_EXIT});
    clue_engine_exit(c->engine, rank->task);
    turn_end(c);
}
