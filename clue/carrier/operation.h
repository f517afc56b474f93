/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operations of a task, each a line of one table. Functions of <portolan/clue_task.h> fill a
 * struct operation and have it done (operation.c). A folded rank does it on the engine (turn.c). A
 * rank that is a process sends it to portolan-clue (apart/ask.c), which does the same for it
 * (serve.c). Records are written (record.c) and replayed (replay.c) by the table's lists of fields.
 */
#ifndef PORTOLAN_CLUE_OPERATION_H
#define PORTOLAN_CLUE_OPERATION_H

#include <portolan/clue_engine.h>

#include <stddef.h>

/* Numbers are those of records. */
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
    OPERATION_TELL,
    OPERATIONS_RECORDED,
    OPERATION_IS_COMPLETE = OPERATIONS_RECORDED,
    OPERATION_TAKEN,
    OPERATIONS
};

struct operation {
    enum operation_kind kind;
    clue_request request; /* the result of what makes one; else what it is about */
    union {
        struct {
            const struct clue_routine *routine;
            uint64_t site; /* clue_site_key() */
            int64_t ns;    /* computed before */
        } call;
        struct clue_send send;
        struct clue_receive receive; /* also of a probe, and of the receive of a taken message */
        struct clue_meeting meeting;
        struct {
            const clue_request *requests;
            size_t n;
            bool is_all;
        } wait; /* also of a test */
        struct {
            uint64_t bytes;
            bool is_message;
        } pack;
        int64_t ns;
    };
    bool is_waiting, takes; /* of a probe: waits for a message; takes it out of the queue */
    /* Results. */
    bool is_true;                 /* of a cancel, probe, or whether it is complete */
    size_t index;                 /* of a wait or test */
    struct clue_message *message; /* of a probe, the caller's */
};

/* What a number of a record is. */
enum operation_field_kind {
    FIELD_INT,
    FIELD_INT_OR_ANY, /* an int from CLUE_ANY on, plus 1 */
    FIELD_TASK,       /* a rank of the run */
    FIELD_UNSIGNED,
    FIELD_BYTE,
    FIELD_LONG,
    FIELD_CONTEXT,     /* the place of a context in the record's table */
    FIELD_ROUTINE,     /* of a routine in the record's table */
    FIELD_REQUEST,     /* the number of a request, which the rank (or schedule) has used before */
    FIELD_NEW_REQUEST, /* of one that the operation makes */
    FIELD_FREED,       /* of one whose number is free from then on */
    FIELD_TAKEN,    /* of one that a probe makes, plus 1; 0: it found nothing, or takes nothing */
    FIELD_REQUESTS, /* how many, and each: 0, or its number plus 1 */
    FIELD_AWAITED,  /* how many, and each: 2 (request + 1), or 2 (schedule) + 1; 0: neither */
    FIELD_TOLD      /* how many bytes, and these: see tell() in record.c */
};
struct operation_field {
    uint8_t kind, offset; /* in struct operation */
};
enum { OPERATION_FIELDS = 8 };

struct operation_form {
    const char *name;
    /* Does it on the engine, for TASK; WAITS: it must be called again. NULL: nothing is to do. */
    enum clue_progress (*step)(struct clue_engine *engine, int task, struct operation *o);
    /* Whether its result may depend on the order in time: then a record cannot be replayed. NULL:
     * it does not. */
    bool (*depends)(const struct operation *o);
    enum operation_polling {
        POLLING_GOES_ON, /* it does not matter */
        POLLING_ENDS,    /* the program does something else with messages */
        POLLS            /* it is a poll, in vain if it has no result */
    } polling;
    bool is_recorded_first; /* before it is done */
    bool lets_write;        /* afterwards others have written into the memory of the task */
    uint8_t n_fields;
    struct operation_field fields[OPERATION_FIELDS];
};
static inline void *operation_at(const struct operation *o, struct operation_field field)
{
    return (char *)(uintptr_t)o + field.offset;
}

/* Does O for the calling task, as turn.c or apart/ask.c can. */
void operation_do(struct operation *o);

#endif
