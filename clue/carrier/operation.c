/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations among <portolan/clue_task.h>'s functions, for folded ranks and for processes. */
#include "operation.h"

clue_request clue_send(const struct clue_send *send)
{
    struct operation o = {.kind = OPERATION_SEND, .send = *send};

    operation_do(&o);
    return o.request;
}

clue_request clue_receive(const struct clue_receive *receive)
{
    struct operation o = {.kind = OPERATION_RECEIVE, .receive = *receive};

    operation_do(&o);
    return o.request;
}

void clue_receive_taken(clue_request taken, const struct clue_receive *receive)
{
    struct operation o = {.kind = OPERATION_TAKEN, .request = taken, .receive = *receive};

    operation_do(&o);
}

clue_request clue_timer(int64_t ns)
{
    struct operation o = {.kind = OPERATION_TIMER, .ns = ns};

    operation_do(&o);
    return o.request;
}

size_t clue_wait(const clue_request *requests, size_t n, bool is_all)
{
    struct operation o = {.kind = OPERATION_WAIT, .wait = {requests, n, is_all}, .index = n};

    operation_do(&o);
    return o.index;
}

size_t clue_test_any(const clue_request *requests, size_t n)
{
    struct operation o = {.kind = OPERATION_TEST, .wait = {requests, n, false}, .index = n};

    operation_do(&o);
    return o.index;
}

bool clue_test(clue_request request)
{
    return clue_test_any(&request, 1) == 0;
}

bool clue_is_complete(clue_request request)
{
    struct operation o = {.kind = OPERATION_IS_COMPLETE, .request = request};

    operation_do(&o);
    return o.is_true;
}

void clue_free(clue_request request)
{
    struct operation o = {.kind = OPERATION_FREE, .request = request};

    operation_do(&o);
}

bool clue_cancel(clue_request request)
{
    struct operation o = {.kind = OPERATION_CANCEL, .request = request};

    operation_do(&o);
    return o.is_true;
}

bool clue_probe(int from, uint64_t context, int tag, bool is_waiting, struct clue_message *message,
                clue_request *taken)
{
    struct operation o = {.kind = OPERATION_PROBE,
                          .receive = {.from = from, .context = context, .tag = tag},
                          .is_waiting = is_waiting,
                          .takes = taken != NULL,
                          .message = message};

    operation_do(&o);
    if (taken)
        *taken = o.request;
    return o.is_true;
}

void clue_meet(const struct clue_meeting *meeting)
{
    struct operation o = {.kind = OPERATION_MEET, .meeting = *meeting};

    operation_do(&o);
}

void clue_in_order(void)
{
    struct operation o = {.kind = OPERATION_ORDER};

    operation_do(&o);
}

void clue_sleep(int64_t ns)
{
    struct operation o = {.kind = OPERATION_SLEEP, .ns = ns};

    operation_do(&o);
}

void clue_spend(int64_t ns)
{
    struct operation o = {.kind = OPERATION_SPEND, .ns = ns};

    operation_do(&o);
}

void clue_pack(uint64_t bytes, bool is_message)
{
    struct operation o = {.kind = OPERATION_PACK, .pack = {bytes, is_message}};

    operation_do(&o);
}
