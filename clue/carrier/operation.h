/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operations of a task, each a line of one table. Functions of <portolan/clue_task.h> fill a
 * struct operation and have it done (operation.c). A folded rank does it on the engine (turn.c). A
 * rank that is a process sends it to portolan-clue (apart/client.c), which does the same for it
 * (apart_server.c). Records are written (record.c) and replayed (replay.c) by the table's lists of
 * fields.
 */
#ifndef PORTOLAN_CLUE_OPERATION_H
#define PORTOLAN_CLUE_OPERATION_H

#include <portolan/clue_engine.h>

#include <stddef.h>

/* The values are those in records. */
enum operation_kind {
    OPERATION_CALL = 1,
    OPERATION_END,
    OPERATION_SEND,
    OPERATION_RECEIVE,
    OPERATION_WAIT,
    OPERATION_TEST,
    OPERATION_CANCEL,
    OPERATION_FREE,
    OPERATION_PROBE,
    OPERATION_MEET,
    OPERATION_SLEEP,
    OPERATION_SPEND,
    OPERATION_PACK,
    OPERATION_TIMER,
    OPERATION_ORDER,
    OPERATION_SCHEDULE,
    OPERATION_AWAIT,
    OPERATION_EXIT,
    OPERATION_EVENT,
    OPERATIONS_RECORDED,
    OPERATION_IS_COMPLETE = OPERATIONS_RECORDED,
    OPERATION_TAKEN,
    OPERATIONS
};

struct operation {
    enum operation_kind kind;
    clue_request request; /* the request that the operation makes or is about */
    union {
        struct {
            const struct clue_routine *routine;
            uint64_t site; /* clue_site_key() of the call */
            int64_t ns;    /* the burst before the call */
        } call;
        struct clue_send send;
        struct clue_receive receive; /* also of a probe, and of the receive of a taken message */
        struct clue_meeting meeting;
        struct {
            const clue_request *requests;
            size_t n;
            bool is_all;
        } wait; /* also used by a test */
        struct {
            uint64_t bytes;
            bool is_message;
        } pack;
        int64_t ns;
    };
    bool is_waiting, takes; /* of a probe: IS_WAITING for a message; TAKES it out of the queue */
    /* Results. */
    bool is_true;                 /* of a cancel or probe; of a test: whether it is complete */
    size_t index;                 /* result of a wait or test */
    struct clue_message *message; /* result of a probe, given by the caller */
};

/* Ways to encode a member as numbers of a record. */
enum operation_field_kind {
    FIELD_INT,
    FIELD_INT_OR_ANY, /* an int from CLUE_ANY on, plus 1 */
    FIELD_TASK,       /* the number of a rank */
    FIELD_UNSIGNED,
    FIELD_BYTE,
    FIELD_LONG,
    FIELD_CONTEXT,     /* index of a context in the record's table */
    FIELD_ROUTINE,     /* index of a routine in the record's table */
    FIELD_REQUEST,     /* the number of a request that the rank (or schedule) has made before */
    FIELD_NEW_REQUEST, /* the number of a request that the operation makes */
    FIELD_FREED,       /* the number of a request, which is free afterwards */
    FIELD_TAKEN,       /* the number + 1 of a request that a probe makes; 0: it made none */
    FIELD_REQUESTS,    /* a count, and for each request 0, or its number plus 1 */
    FIELD_AWAITED,     /* a count, and each: 2 (request + 1), or 2 (schedule) + 1; 0: neither */
    FIELD_EVENT        /* a count of bytes, and these: see record_event() in record.c */
};
struct operation_field {
    uint8_t kind, offset; /* OFFSET: of the member in struct operation */
};
enum { OPERATION_FIELDS = 8 };

struct operation_form {
    /* Performs it on the engine for TASK; if it returns CLUE_WAITS, it must be called again. NULL:
     * there is nothing to do. */
    enum clue_progress (*step)(struct clue_engine *engine, int task, struct operation *o);
    /* Returns whether the result may depend on the order in time, so that a record cannot be
     * replayed. NULL: it never does. */
    bool (*depends)(const struct operation *o);
    enum operation_polling {
        POLLING_GOES_ON, /* the operation does not count for polling */
        POLLING_ENDS,    /* it does something else with messages, which ends a series of polls */
        POLLS            /* it is a poll, which counts if it has no result */
    } polling;
    bool is_recorded_first; /* it is recorded before it is done */
    bool lets_write;        /* afterwards others have written into the task's memory */
    uint8_t n_fields;
    struct operation_field fields[OPERATION_FIELDS];
};
static inline void *operation_at(const struct operation *o, struct operation_field field)
{
    return (char *)(uintptr_t)o + field.offset;
}

/* Performs O for the calling task; turn.c and apart/client.c each have one. */
void operation_do(struct operation *o);

#endif
