/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Folded ranks take turns on one thread: a rank that must wait in an operation switches to the rank
 * that the engine names.
 */
#include "operation_forms.h"
#include "record.h"

#include <stdlib.h>

struct carrier clue_carrier;

static void fetch(const void *from, int lines)
{
    enum { LINE = 64 };

    for (int i = 0; i < lines; i++)
        __builtin_prefetch((const char *)from + i * LINE);
}

/* Prefetches the data of the rank that goes on soon. */
static void fetch_soon(const struct carrier *c)
{
    enum { RANK_LINES = 3, STACK_LINES = 24, LIBRARY_LINES = 4, SAVED = 128 };
    int soon = clue_engine_soon(c->engine);

    if (soon < 0)
        return;
    fetch(c->ranks[soon], RANK_LINES);
    if (!c->stands[soon].stack)
        return;
    fetch((const char *)c->stands[soon].stack - SAVED, STACK_LINES);
    fetch(c->stands[soon].library, LIBRARY_LINES);
}

/* Returns the context of the rank that can go on, or the main context if the run has ended. */
static const struct context *next_context(struct carrier *c)
{
    int next = clue_engine_next(c->engine);
    struct rank *before = c->current;

    c->current = next < 0 ? NULL : c->ranks[next];
    if (c->has_masks && before != c->current)
        clue_switch_masks(before, c->current);
    if (next < 0) {
        c->verdict = next;
        return &c->main;
    }
    fetch_soon(c);
    if (c->has_changed)
        clue_process_of(c->current);
    return &c->current->context;
}

static void let_others(struct carrier *c)
{
    struct rank *rank = c->current;
    const struct context *next = next_context(c);

    if (next != &rank->context) {
        rank->was_switched = true;
        c->stands[rank->task] = (struct stand){__builtin_frame_address(0), rank->own[CLUE_MPI]};
        clue_switch(&rank->context, next);
    }
}

void turn_end(struct carrier *c)
{
    struct rank *rank = c->current;

    clue_switch(&rank->context, next_context(c));
    abort(); /* no rank switches to one that is over */
}

void turn_stop(struct carrier *c)
{
    struct context here;

    c->has_failed = true;
    if (c->has_masks)
        clue_switch_masks(c->current, NULL);
    c->current = NULL;
    clue_switch(&here, &c->main);
    abort();
}

/* Notes a poll. Polls without result are counted since the program last did anything else with
 * messages, or read a clock. */
static void note_poll(struct carrier *c, bool has_found)
{
    struct rank *rank = c->current;
    unsigned most = rank->apart ? 20000 : 200000; /* so many take well less than a second */

    if (has_found) {
        c->n_polls = 0;
        return;
    }
    if (c->n_polls++ == 0)
        c->polls++;
    if (rank->polls != c->polls)
        rank->n_polls = 0;
    rank->polls = c->polls;
    rank->n_polls++;
    if (c->n_polls % most == 0)
        clue_report_polls(c);
}

/* Returns whether an operation is recorded: the run is, and the operation is not part of an await,
 * which is recorded as one. */
static bool is_recorded(const struct carrier *c, enum operation_kind kind)
{
    return c->run->record && kind < OPERATIONS_RECORDED &&
           c->current->recorded_as != CLUE_UNRECORDED;
}

void turn_let_write(struct carrier *c)
{
    if (c->current->is_written)
        clue_in_order();
}

/* Notes that others may write into the memory of a rank with a standing receive. */
static void note_receive(struct carrier *c, const struct operation *o)
{
    if (!o->request)
        clue_fail("out of memory");
    c->current->is_written |= (o->receive.flags & CLUE_STANDING) != 0;
}

void operation_do(struct operation *o)
{
    struct carrier *c = &clue_carrier;
    const struct operation_form *form = &operation_forms[o->kind];
    bool is_kept = is_recorded(c, o->kind);

    if (form->polling == POLLING_ENDS)
        c->n_polls = 0;
    if (is_kept && form->is_recorded_first)
        record_operation(c, o);
    while (form->step && form->step(c->engine, c->current->task, o) == CLUE_WAITS)
        let_others(c);
    if (is_kept && !form->is_recorded_first)
        record_operation(c, o);
    if (o->kind == OPERATION_RECEIVE)
        note_receive(c, o);
    if (form->polling == POLLS)
        note_poll(c, o->is_true);
    if (form->lets_write)
        turn_let_write(c);
}
