/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages. Usually a receive is one of the engine's. If the program compares messages itself
 * (pvm_recvf()) or has handlers for some, all messages of the context are pulled and looked at.
 */
#include "internal.h"

#include <sys/time.h>

static uint64_t context_of(int context)
{
    return (uint64_t)(unsigned)context;
}

int pvm_send_to(struct pvm_task *t, int task, int context, int tag, int id)
{
    struct pvm_buffer *b = pvm_buffer_of(t, id);
    struct clue_send send = {
        .to = task, .context = context_of(context), .tag = tag, .flags = CLUE_BUFFERED};

    if (!pvm_buffer_gather(b))
        return PvmNoMem;
    send.data = b->bytes;
    send.bytes = b->n;
    send.packed = b->packed;
    send.label = (uint8_t)b->encoding;
    b->packed = 0;
    clue_free(clue_send(&send));
    return PvmOk;
}

void pvm_signal(int task, uint64_t context, int tag, bool is_free)
{
    clue_free(clue_send(&(struct clue_send){.to = task,
                                            .context = context,
                                            .tag = tag,
                                            .flags = CLUE_BUFFERED | (is_free ? CLUE_FREE : 0)}));
}

/* ------------------------------------------------- receiving */

/* The destination of a message: a new buffer of the task. */
struct arrival {
    struct pvm_task *task;
    int context, id, from;
};

static void take(void *arg, const struct clue_message *m)
{
    struct arrival *a = arg;
    struct pvm_buffer *b = pvm_buffer_of_bytes(a->task, m->label, m->data, m->bytes);

    a->id = b ? b->id : PvmNoMem;
    if (!b)
        return;
    b->tag = m->tag;
    a->from = m->from;
    b->context = a->context;
}

/* Returns the buffer of a message that has arrived. */
static int received(const struct arrival *a)
{
    struct pvm_buffer *b = pvm_buffer_of(a->task, a->id);

    if (b)
        b->source = pvm_tid_of(a->from);
    return a->id;
}

void pvm_await(int task, uint64_t context, int tag, bool is_free)
{
    clue_request request = clue_receive(&(struct clue_receive){
        .from = task, .context = context, .tag = tag, .flags = is_free ? CLUE_FREE : 0});

    clue_wait(&request, 1, true);
    clue_free(request);
}

/* Begins the receive of a message that has come; 0: none has. */
static clue_request receive_now(const struct clue_receive *r)
{
    struct clue_message m;
    clue_request taken;

    if (!clue_probe(r->from, r->context, r->tag, false, &m, &taken))
        return 0;
    clue_receive_taken(taken, r);
    return taken;
}

int pvm_receive_from(struct pvm_task *t, int task, int context, int tag, int64_t ns)
{
    struct arrival a = {t, context, 0, 0};
    struct clue_receive r = {
        .from = task, .context = context_of(context), .tag = tag, .deliver = take, .arg = &a};
    clue_request both[2] = {ns == 0 ? receive_now(&r) : clue_receive(&r),
                            ns > 0 ? clue_timer(ns) : 0};

    if (!both[0])
        return 0;
    if (ns <= 0 || clue_wait(both, 2, false) == 0 || !clue_cancel(both[0]))
        clue_wait(both, 1, true);
    clue_free(both[0]);
    if (both[1])
        clue_free(both[1]);
    return received(&a);
}

/* ------------------------------------------------- looking at all messages */

static bool is_looking(const struct pvm_task *t)
{
    return t->match || t->n_handlers || t->n_pulled;
}

/* Waits at most NS (< 0: for ever) for the next message of the context. False: none has come. */
static bool pull(struct pvm_task *t, int context, int64_t ns)
{
    int id = pvm_receive_from(t, CLUE_ANY, context, CLUE_ANY, ns);

    return id > 0 && portolan_append(&t->pulled, &t->n_pulled, &id, sizeof id);
}

static int unpull(struct pvm_task *t, size_t i)
{
    int id = t->pulled[i];

    memmove(&t->pulled[i], &t->pulled[i + 1], (--t->n_pulled - i) * sizeof *t->pulled);
    return id;
}

static bool is_for(const struct pvm_handler *h, const struct pvm_buffer *b)
{
    return h->context == b->context && (h->source == -1 || h->source == b->source) &&
           (h->tag == -1 || h->tag == b->tag);
}

/* Runs the handler of the I-th message that was pulled, if it has one. */
static bool handle(struct pvm_task *t, size_t i)
{
    int id = t->pulled[i], active = t->receive_buffer;

    for (size_t k = 0; k < t->n_handlers; k++)
        if (is_for(&t->handlers[k], pvm_buffer_of(t, id))) {
            unpull(t, i);
            t->receive_buffer = id;
            t->handlers[k].run(id);
            pvm_buffer_free(t, id);
            t->receive_buffer = active;
            return true;
        }
    return false;
}

/* Returns how well a message fits: 0 not at all; 1 it is taken; more: the best one is taken. */
static int fit(struct pvm_task *t, int id, int context, int tid, int tag)
{
    const struct pvm_buffer *b = pvm_buffer_of(t, id);

    if (b->context != context)
        return 0;
    if (t->match)
        return t->match(id, tid, tag);
    return (tid == -1 || tid == b->source) && (tag == -1 || tag == b->tag);
}

/* Picks one of the messages pulled; 0: none; or a code. */
static int pick(struct pvm_task *t, int context, int tid, int tag)
{
    size_t best = 0;
    int best_fit = 0;

    for (size_t i = 0; i < t->n_pulled && best_fit != 1; i++) {
        int f = fit(t, t->pulled[i], context, tid, tag);

        if (f < 0)
            return f;
        if (f == 1 || f > best_fit) {
            best = i;
            best_fit = f;
        }
    }
    return best_fit ? unpull(t, best) : 0;
}

static int look(struct pvm_task *t, int tid, int context, int tag, int64_t ns)
{
    int64_t end = clue_now() + ns;

    for (;;) {
        int id;

        while (pull(t, context, 0))
            ;
        for (size_t i = 0; i < t->n_pulled;)
            i += !handle(t, i);
        id = pick(t, context, tid, tag);
        if (id)
            return id;
        if ((ns >= 0 && clue_now() >= end) || !pull(t, context, ns < 0 ? ns : end - clue_now()))
            return 0;
    }
}

/* Receives a message. NS: 0 does not wait, < 0 waits for ever. Returns the buffer's id; 0: none. */
static int receive(struct pvm_task *t, int tid, int tag, int64_t ns)
{
    int task = tid == -1 ? CLUE_ANY : pvm_task_number(tid), id;

    if (tid < -1 || tag < -1)
        return PvmBadParam;
    if (is_looking(t))
        id = look(t, tid, t->context, tag, ns);
    else if (task == -1 && tid != -1)
        return ns == 0 ? 0 : PvmBadParam;
    else
        id = pvm_receive_from(t, task, t->context, tag, ns);
    return id > 0 ? pvm_buffer_receive(t, id) : id;
}

PVM_CALL(pvm_recv, (int tid, int tag), receive(pvm_self(), tid, tag, -1))
PVM_CALL(pvm_nrecv, (int tid, int tag), receive(pvm_self(), tid, tag, 0))
PVM_CALL(pvm_trecv, (int tid, int tag, struct timeval *limit),
         receive(pvm_self(), tid, tag,
                 limit ? limit->tv_sec *INT64_C(1000000000) + limit->tv_usec * 1000 : -1))

/* Returns a buffer that describes a message and has none of its bytes. */
static int found(struct pvm_task *t, const struct clue_message *m)
{
    struct pvm_buffer *b;

    pvm_buffer_free(t, t->probe_buffer);
    b = pvm_buffer_new(t, PvmDataRaw);
    if (!b)
        return PvmNoMem;
    b->n = m->bytes;
    b->tag = m->tag;
    b->source = pvm_tid_of(m->from);
    b->context = t->context;
    return t->probe_buffer = b->id;
}

static int probe(struct pvm_task *t, int tid, int tag)
{
    struct clue_message m;

    if (is_looking(t)) {
        while (pull(t, t->context, 0))
            ;
        for (size_t i = 0; i < t->n_pulled; i++)
            if (fit(t, t->pulled[i], t->context, tid, tag) > 0)
                return t->pulled[i];
        return 0;
    }
    if (tid != -1 && pvm_task_number(tid) < 0)
        return 0;
    return clue_probe(tid == -1 ? CLUE_ANY : pvm_task_number(tid), context_of(t->context), tag,
                      false, &m, NULL)
               ? found(t, &m)
               : 0;
}

PVM_CALL(pvm_probe, (int tid, int tag),
         tid < -1 || tag < -1 ? PvmBadParam : probe(pvm_self(), tid, tag))

/* pvm3.h declares the result otherwise than it is used. */
PORTOLAN_API int (*pvm_recvf(int (*match)(int, int, int)))(int (*)(int, int, int))
{
    struct pvm_task *t = pvm_self();
    int (*old)(int, int, int) = t->match;

    t->match = match;
    return (int (*)(int (*)(int, int, int)))(void (*)(void))old;
}

PORTOLAN_API int pvm_addmhf(int source, int tag, int context, int (*run)(int))
{
    struct pvm_task *t = pvm_self();
    static int last;
    const struct pvm_handler handler = {last + 1, source, tag, context, run};

    PVM_ENTER();
    if (!run)
        return pvm_leave(PvmBadParam);
    for (size_t i = 0; i < t->n_handlers; i++)
        if (t->handlers[i].source == source && t->handlers[i].tag == tag &&
            t->handlers[i].context == context)
            return pvm_leave(PvmExists);
    if (!portolan_append(&t->handlers, &t->n_handlers, &handler, sizeof handler))
        return pvm_leave(PvmNoMem);
    return pvm_leave(++last);
}

PORTOLAN_API int pvm_delmhf(int id)
{
    struct pvm_task *t = pvm_self();

    PVM_ENTER();
    for (size_t i = 0; i < t->n_handlers; i++)
        if (t->handlers[i].id == id) {
            t->handlers[i] = t->handlers[--t->n_handlers];
            return pvm_leave(PvmOk);
        }
    return pvm_leave(PvmNotFound);
}

/* pvm3.h does not declare it, but programs with handlers call it to show them. */
PORTOLAN_API void pvmdisplaymhfinfo(const char *who, const char *message, int tid);
void pvmdisplaymhfinfo(const char *who, const char *message, int tid)
{
    const struct pvm_task *t = pvm_self();

    printf("%s t%x: %s: %zu message handlers\n", who, (unsigned)tid, message, t->n_handlers);
    for (size_t i = 0; i < t->n_handlers; i++)
        printf("%s t%x: handler %d: source t%x, tag %d, context %d\n", who, (unsigned)tid,
               t->handlers[i].id, (unsigned)t->handlers[i].source, t->handlers[i].tag,
               t->handlers[i].context);
}

/* ------------------------------------------------- sending */

static int send_buffer(struct pvm_task *t, int tid, int tag, int id)
{
    int task = pvm_task_number(tid);

    if (!id)
        return PvmNoBuf;
    /* A message to a task that does not exist is lost without an error, as in a real PVM. */
    return task < 0 || !clue_is_alive(task) ? PvmOk : pvm_send_to(t, task, t->context, tag, id);
}

PVM_CALL(pvm_send, (int tid, int tag),
         tid <= 0 || tag < 0 ? PvmBadParam
                             : send_buffer(pvm_self(), tid, tag, pvm_self()->send_buffer))

PORTOLAN_API int pvm_mcast(int *tids, int n, int tag)
{
    struct pvm_task *t = pvm_self();
    int code = PvmOk;

    PVM_ENTER();
    if (tag < 0 || n < 0)
        return pvm_leave(PvmBadParam);
    for (int i = 0; i < n && code == PvmOk; i++)
        if (tids[i] != t->tid)
            code = send_buffer(t, tids[i], tag, t->send_buffer);
    return pvm_leave(code);
}

static bool is_type(int type)
{
    return type >= PVM_STR && type <= PVM_ULONG;
}

static int pack_and_send(struct pvm_task *t, int tid, int tag, const void *data, int n, int type)
{
    int id =
        pvm_buffer_with(t, PvmDataRaw, data, type, type == PVM_STR ? (int)strlen(data) + 1 : n);
    int code = id < 0 ? id : send_buffer(t, tid, tag, id);

    pvm_buffer_free(t, id);
    return code;
}

PVM_CALL(pvm_psend, (int tid, int tag, void *data, int n, int type),
         tid <= 0 || tag < 0 || n < 0 || !is_type(type)
             ? PvmBadParam
             : pack_and_send(pvm_self(), tid, tag, data, n, type))

static int receive_and_unpack(struct pvm_task *t, int tid, int tag, void *data, size_t room,
                              int *source, int *got_tag, int *length)
{
    int active = t->receive_buffer, id;
    struct pvm_buffer *b;

    t->receive_buffer = 0;
    id = receive(t, tid, tag, -1);
    t->receive_buffer = active;
    if (id < 0)
        return id;
    b = pvm_buffer_of(t, id);
    if (data && b->n)
        memcpy(data, b->bytes, b->n < room ? b->n : room);
    pvm_buffer_describe(b, length, got_tag, source);
    pvm_buffer_free(t, id);
    return PvmOk;
}

PVM_CALL(pvm_precv,
         (int tid, int tag, void *data, int n, int type, int *source, int *got_tag, int *length),
         n < 0 || !is_type(type) ? PvmBadParam
                                 : receive_and_unpack(pvm_self(), tid, tag, data,
                                                      pvm_bytes(type, n), source, got_tag, length))

/* ------------------------------------------------- contexts */

PVM_VALUE(pvm_getcontext, (void), pvm_self()->context)

PORTOLAN_API int pvm_setcontext(int context)
{
    struct pvm_task *t = pvm_self();
    int old = t->context;

    PVM_ENTER();
    if (context < 0)
        return pvm_leave(PvmBadParam);
    t->context = context;
    return pvm_leave(old);
}

/* PVM's contexts are numbers of the virtual machine, with the host's number in the upper bits. */
PVM_CALL(pvm_newcontext, (void),
         (clue_in_order(), pvm_host_tid(clue_host_of(clue_self())) | ++pvm_machine()->last_context))
PVM_CALL(pvm_freecontext, (int context), context > 0 ? PvmOk : PvmBadParam)
