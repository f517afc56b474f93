/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of operations, and how the engine performs each. It is a header, so that a replay's
 * loop over the fields of an operation compiles to straight code. */
#ifndef PORTOLAN_CLUE_OPERATION_FORMS_H
#define PORTOLAN_CLUE_OPERATION_FORMS_H

#include "operation.h"

/* ------------------------------------------------- on the engine */

static inline enum clue_progress do_call(struct clue_engine *engine, int task, struct operation *o)
{
    return o->call.ns > 0 ? clue_engine_compute(engine, task, o->call.ns) : CLUE_DONE;
}

static inline enum clue_progress do_send(struct clue_engine *engine, int task, struct operation *o)
{
    return clue_engine_send(engine, task, &o->send, &o->request);
}

static inline enum clue_progress do_receive(struct clue_engine *engine, int task,
                                            struct operation *o)
{
    o->request = clue_engine_receive(engine, task, &o->receive);
    return CLUE_DONE;
}

static inline enum clue_progress do_taken(struct clue_engine *engine, int task, struct operation *o)
{
    clue_engine_receive_taken(engine, task, o->request, &o->receive);
    return CLUE_DONE;
}

static inline enum clue_progress do_wait(struct clue_engine *engine, int task, struct operation *o)
{
    return clue_engine_wait(engine, task, o->wait.requests, o->wait.n, o->wait.is_all, &o->index);
}

static inline enum clue_progress do_test(struct clue_engine *engine, int task, struct operation *o)
{
    enum clue_progress progress =
        clue_engine_test(engine, task, o->wait.requests, o->wait.n, &o->index);

    o->is_true = o->index < o->wait.n;
    return progress;
}

static inline enum clue_progress do_is_complete(struct clue_engine *engine, int task,
                                                struct operation *o)
{
    return clue_engine_is_complete(engine, task, o->request, &o->is_true);
}

static inline enum clue_progress do_cancel(struct clue_engine *engine, int task,
                                           struct operation *o)
{
    return clue_engine_cancel(engine, task, o->request, &o->is_true);
}

static inline enum clue_progress do_free(struct clue_engine *engine, int task, struct operation *o)
{
    (void)task;
    if (o->request)
        clue_engine_release(engine, o->request);
    return CLUE_DONE;
}

static inline enum clue_progress do_probe(struct clue_engine *engine, int task, struct operation *o)
{
    return clue_engine_probe(engine, task, &o->receive, o->is_waiting, &o->is_true, o->message,
                             o->takes ? &o->request : NULL);
}

static inline enum clue_progress do_meet(struct clue_engine *engine, int task, struct operation *o)
{
    return clue_engine_meet(engine, task, &o->meeting);
}

static inline enum clue_progress do_spend(struct clue_engine *engine, int task, struct operation *o)
{
    return clue_engine_spend(engine, task, o->ns);
}

static inline enum clue_progress do_pack(struct clue_engine *engine, int task, struct operation *o)
{
    int64_t ns = clue_engine_pack_ns(engine, task, o->pack.bytes, o->pack.is_message);

    return ns > 0 ? clue_engine_spend(engine, task, ns) : CLUE_DONE;
}

static inline enum clue_progress do_timer(struct clue_engine *engine, int task, struct operation *o)
{
    o->request = clue_engine_timer(engine, task, o->ns);
    return CLUE_DONE;
}

static inline enum clue_progress do_order(struct clue_engine *engine, int task, struct operation *o)
{
    (void)o;
    return clue_engine_order(engine, task);
}

/* ------------------------------------------------- what depends on time */

static inline bool always(const struct operation *o)
{
    (void)o;
    return true;
}

static inline bool of_any_source(const struct operation *o)
{
    return o->receive.from == CLUE_ANY;
}

static inline bool of_several(const struct operation *o)
{
    return !o->wait.is_all && o->wait.n > 1;
}

/* ------------------------------------------------- the table */

#define FIELD(kind, member)                                                                        \
    {                                                                                              \
        FIELD_##kind, offsetof(struct operation, member)                                           \
    }
#define FIELDS(n, ...) .n_fields = (n), .fields = {__VA_ARGS__}

static const struct operation_form operation_forms[OPERATIONS] = {
    [OPERATION_CALL] = {do_call, .is_recorded_first = true,
                        FIELDS(3, FIELD(ROUTINE, call.routine), FIELD(LONG, call.site),
                               FIELD(LONG, call.ns))},
    [OPERATION_END] = {.is_recorded_first = true},
    [OPERATION_SEND] = {do_send, .polling = POLLING_ENDS,
                        FIELDS(8, FIELD(NEW_REQUEST, request), FIELD(TASK, send.to),
                               FIELD(CONTEXT, send.context), FIELD(INT, send.tag),
                               FIELD(LONG, send.bytes), FIELD(LONG, send.packed),
                               FIELD(UNSIGNED, send.flags), FIELD(BYTE, send.label))},
    [OPERATION_RECEIVE] = {do_receive, of_any_source,
                           FIELDS(5, FIELD(NEW_REQUEST, request), FIELD(INT_OR_ANY, receive.from),
                                  FIELD(CONTEXT, receive.context), FIELD(INT_OR_ANY, receive.tag),
                                  FIELD(UNSIGNED, receive.flags))},
    [OPERATION_WAIT] = {do_wait, of_several, POLLING_ENDS,
                        FIELDS(2, FIELD(BYTE, wait.is_all), FIELD(REQUESTS, wait.requests))},
    [OPERATION_TEST] = {do_test, always, POLLS, FIELDS(1, FIELD(REQUESTS, wait.requests))},
    [OPERATION_CANCEL] = {do_cancel, always, FIELDS(1, FIELD(REQUEST, request))},
    [OPERATION_FREE] = {do_free, FIELDS(1, FIELD(FREED, request))},
    [OPERATION_PROBE] = {do_probe, always, POLLS,
                         FIELDS(5, FIELD(INT_OR_ANY, receive.from), FIELD(CONTEXT, receive.context),
                                FIELD(INT_OR_ANY, receive.tag), FIELD(BYTE, is_waiting),
                                FIELD(TAKEN, request))},
    [OPERATION_MEET] = {do_meet,
                        FIELDS(7, FIELD(UNSIGNED, meeting.kind), FIELD(CONTEXT, meeting.context),
                               FIELD(LONG, meeting.sequence), FIELD(INT, meeting.n),
                               FIELD(INT, meeting.index), FIELD(INT, meeting.root),
                               FIELD(LONG, meeting.ns))},
    [OPERATION_SLEEP] = {do_spend, .lets_write = true, FIELDS(1, FIELD(LONG, ns))},
    [OPERATION_SPEND] = {do_spend, FIELDS(1, FIELD(LONG, ns))},
    [OPERATION_PACK] = {do_pack, FIELDS(2, FIELD(LONG, pack.bytes), FIELD(BYTE, pack.is_message))},
    [OPERATION_TIMER] = {do_timer, FIELDS(2, FIELD(NEW_REQUEST, request), FIELD(LONG, ns))},
    [OPERATION_ORDER] = {do_order},
    [OPERATION_SCHEDULE] = {0}, /* its end is the begin of the next one */
    [OPERATION_AWAIT] = {FIELDS(1, FIELD(AWAITED, request))},
    [OPERATION_EXIT] = {0},
    [OPERATION_EVENT] = {FIELDS(1, FIELD(EVENT, request))},
    [OPERATION_IS_COMPLETE] = {do_is_complete},
    [OPERATION_TAKEN] = {do_taken},
};

#endif
