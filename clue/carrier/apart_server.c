/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performs here, in a context of its own, what a rank that is a process asks for. It calls the same
 * functions that folded ranks call, so all that follows from calls is the same, and ranks compute
 * one after the other as folded ones do.
 */
#include "apart.h"

#include <portolan/list.h>

#include <string.h>
#include <unistd.h>

/* Copies the text; it is never freed. */
static const char *keep(const char *text)
{
    const char *kept = link_keep(text);

    if (!kept)
        clue_fail("out of memory");
    return kept;
}

/* ------------------------------------------------- frames */

/* Reads the bytes of a frame, one part after the other. */
struct parts {
    char *at, *end;
};

static void *take(struct parts *p, size_t size)
{
    char *at = p->at;

    if (size > (size_t)(p->end - p->at))
        clue_fail("its process violates the protocol; is its Portolan of the same version?");
    p->at += size;
    return at;
}

static const char *take_text(struct parts *p)
{
    return take(p, strnlen(p->at, (size_t)(p->end - p->at)) + 1);
}

static void answer_with(struct rank *rank, const int64_t words[LINK_WORDS], const void *bytes,
                        size_t size)
{
    struct link_frame f = {.operation = LINK_ANSWER};
    const struct iovec part = link_part(bytes, size);

    memcpy(f.words, words, sizeof f.words);
    if (!apart_write(rank, &f, &part, 1))
        apart_report_gone(rank);
}

static void answer(struct rank *rank, int64_t value)
{
    answer_with(rank, (const int64_t[LINK_WORDS]){value}, NULL, 0);
}

static void answer_text(struct rank *rank, const char *text)
{
    answer_with(rank, (const int64_t[LINK_WORDS]){0}, text, text ? strlen(text) + 1 : 0);
}

/* ------------------------------------------------- calls */

/* Returns the rank's place with this address; without a file, if the rank has not reported it
 * yet. */
static struct apart_place *place_at(struct apart *a, uint64_t site)
{
    struct apart_place *place = portolan_index_item(
        &a->index, &a->places, &a->n_places, &a->room_places, sizeof *place, &site, sizeof site);

    if (!place)
        clue_fail("out of memory");
    return place;
}

static void note_place(struct apart *a, const int64_t *words, const char *file)
{
    struct apart_place *place = place_at(a, (uint64_t)words[LINK_SITE]);

    if (place->file)
        return;
    place->file = keep(file);
    place->address = (uint64_t)words[LINK_ADDRESS];
    place->key = (uint64_t)words[LINK_KEY];
    place->is_program = words[LINK_IS_PROGRAM];
}

const struct apart_place *apart_place_of(const struct rank *rank, const void *site)
{
    return place_at(rank->apart, (uint64_t)(uintptr_t)site);
}

/* Returns a routine, one for each function, since observers and records know them by address. */
static const struct clue_routine *routine_of(const char *name, uint32_t number)
{
    static struct clue_routine **all;
    static size_t n;
    struct clue_routine *made;

    for (size_t i = 0; i < n; i++)
        if (all[i]->number == number && strcmp(all[i]->name, name) == 0)
            return all[i];
    made = portolan_calloc(1, sizeof *made);
    if (!made || !portolan_append(&all, &n, &made, sizeof made))
        clue_fail("out of memory");
    *made = (struct clue_routine){keep(name), number};
    return made;
}

static void begin_call(struct rank *rank, struct parts *p)
{
    const int64_t *words = rank->apart->frame.words;
    const char *name = take_text(p);

    note_place(rank->apart, words, take_text(p));
    rank->apart->burst_ns = words[LINK_NS];
    clue_call_begin(routine_of(name, (uint32_t)words[LINK_ROUTINE]),
                    (const void *)(uintptr_t)words[LINK_SITE]);
}

static void report_event(struct parts *p)
{
    struct portolan_mpi_event event;
    struct portolan_mpi_comm comm;

    memcpy(&event, take(p, sizeof event), sizeof event);
    if (event.comm) {
        memcpy(&comm, take(p, sizeof comm), sizeof comm);
        comm.members = take(p, (size_t)comm.n_members * sizeof *comm.members);
        comm.remote = take(p, (size_t)comm.n_remote * sizeof *comm.remote);
        comm.neighbours = take(p, (size_t)comm.n_neighbours * sizeof *comm.neighbours);
        event.comm = &comm;
    }
    event.name = keep(take_text(p));
    clue_observer()->tell(&event);
}

/* ------------------------------------------------- messages */

/* Data of messages above the eager limit, which are kept until they are delivered. */
struct payload {
    struct payload *next;
    clue_request request;
    const void *data;
    char *bytes;
};

static void free_payload(struct carrier *c, const void *data, clue_request request)
{
    for (struct payload **link = &c->payloads, *p; (p = *link); link = &p->next)
        if (data ? p->data == data : p->request == request) {
            *link = p->next;
            free(p->bytes);
            free(p);
            return;
        }
}

static void forget_receive(struct apart_receive *r)
{
    *r->link = r->next;
    if (r->next)
        r->next->link = r->link;
    free(r);
}

/* Waits until the rank has carried out a request; F names what another rank is to call. */
static void await_done(struct rank *rank, struct link_frame *f)
{
    static struct link_room room;

    if (!apart_read(rank, f, &room))
        f->words[LINK_FUNCTION] = 0;
}

/* Waits until a standing receive of the rank has taken its message. No rank goes on before that,
 * since it changes what others see. */
static void await_standing(struct rank *rank)
{
    struct link_frame f = {0};

    await_done(rank, &f);
    if (!f.words[LINK_FUNCTION] || !clue_is_known((int)f.words[LINK_RUNNER]))
        return;
    rank = clue_carrier.ranks[f.words[LINK_RUNNER]];
    f.operation = LINK_RUN;
    if (apart_write(rank, &f, NULL, 0))
        await_done(rank, &f);
}

/* Delivers a message to a rank that waits for an answer; called within the engine. If its process
 * is gone, the rank reports this when it is its turn. */
static void deliver(void *arg, const struct clue_message *message)
{
    struct apart_receive *r = arg;
    struct link_frame f = {.operation = LINK_DELIVER,
                           .words = {r->function, r->argument, r->is_standing}};
    const struct iovec parts[] = {link_part(message, sizeof *message),
                                  link_part(message->data, message->data ? message->bytes : 0)};

    if (apart_write(r->rank, &f, parts, 2) && r->is_standing)
        await_standing(r->rank);
    clue_carrier.last_delivered = message->data;
    if (message->data)
        free_payload(&clue_carrier, message->data, 0);
    if (!r->is_standing)
        forget_receive(r);
}

/* Sends a message, and keeps its data if they are not sent at once. */
static void send_message(struct rank *rank, struct operation *o, struct parts *p)
{
    struct carrier *c = &clue_carrier;
    struct apart *a = rank->apart;
    const struct clue_send *send = &o->send;
    struct payload *kept;

    o->send.data = send->data ? take(p, send->bytes) : NULL;
    c->last_delivered = NULL;
    operation_do(o);
    if (!send->data || c->last_delivered == send->data ||
        (!(send->flags & CLUE_SYNCHRONOUS) && (send->bytes <= c->run->machine->eager_bytes ||
                                               send->flags & (CLUE_BUFFERED | CLUE_FREE))))
        return;
    kept = portolan_calloc(1, sizeof *kept);
    if (!kept)
        clue_fail("out of memory");
    *kept = (struct payload){c->payloads, o->request, send->data, a->room.bytes};
    c->payloads = kept;
    a->room = (struct link_room){0};
}

/* Receives a message, also one that a probe has taken. */
static void receive_message(struct rank *rank, struct operation *o)
{
    struct apart_receive *r = portolan_calloc(1, sizeof *r);

    if (!r)
        clue_fail("out of memory");
    *r = (struct apart_receive){.next = rank->apart->receives,
                                .link = &rank->apart->receives,
                                .rank = rank,
                                .function = (int64_t)(uintptr_t)o->receive.deliver,
                                .argument = (int64_t)(uintptr_t)o->receive.arg,
                                .is_standing = o->receive.flags & CLUE_STANDING};
    if (r->next)
        r->next->link = &r->next;
    rank->apart->receives = r;
    o->receive.deliver = deliver;
    o->receive.arg = r;
    operation_do(o);
    /* The receive may have been delivered, and so be freed. */
    if (rank->apart->receives == r)
        r->request = o->request;
}

static void forget_cancelled(struct rank *rank, clue_request request)
{
    free_payload(&clue_carrier, NULL, request);
    for (struct apart_receive *r = rank->apart->receives; r; r = r->next)
        if (r->request == request) {
            forget_receive(r);
            return;
        }
}

static void do_operation(struct rank *rank, struct parts *p)
{
    struct clue_message message = {0};
    struct operation o;

    memcpy(&o, take(p, sizeof o), sizeof o);
    o.message = &message;
    if (o.kind >= OPERATIONS)
        take(p, SIZE_MAX);
    if (o.kind == OPERATION_WAIT || o.kind == OPERATION_TEST)
        o.wait.requests = take(p, o.wait.n * sizeof *o.wait.requests);
    if (o.kind == OPERATION_SEND)
        send_message(rank, &o, p);
    else if (o.kind == OPERATION_RECEIVE || o.kind == OPERATION_TAKEN)
        receive_message(rank, &o);
    else
        operation_do(&o);
    if (o.kind == OPERATION_CANCEL && o.is_true)
        forget_cancelled(rank, o.request);
    answer_with(rank,
                (const int64_t[LINK_WORDS]){[LINK_REQUEST] = o.request,
                                            [LINK_INDEX] = (int64_t)o.index,
                                            [LINK_IS_TRUE] = o.is_true},
                &message, sizeof message);
}

/* ------------------------------------------------- tasks, ends */

static void spawn(struct rank *rank, struct parts *p, int n)
{
    const int *hosts = take(p, (size_t)n * sizeof *hosts);
    const char *program = take_text(p);
    char **words = NULL, *word, *end = NULL;
    int *tasks = portolan_calloc((size_t)n, sizeof *tasks), started;
    size_t n_words = 0;

    while (p->at < p->end) {
        word = (char *)(uintptr_t)take_text(p);
        if (!portolan_append(&words, &n_words, &word, sizeof word))
            clue_fail("out of memory");
    }
    if (!tasks || !portolan_append(&words, &n_words, &end, sizeof end))
        clue_fail("out of memory");
    started = clue_spawn(program, words, hosts, n, tasks);
    answer_with(rank, (const int64_t[LINK_WORDS]){started}, tasks, (size_t)started * sizeof *tasks);
    free(words);
    free(tasks);
}

static int change_machine(struct parts *p, const int64_t *words)
{
    const char *parameter = take_text(p), *from = take_text(p), *to = take_text(p);
    double value;

    memcpy(&value, words, sizeof value);
    return clue_change_machine(parameter, words[1] ? from : NULL, words[2] ? to : NULL, value);
}

static void report_fault(struct rank *rank, struct parts *p)
{
    const int64_t *words = rank->apart->frame.words;

    note_place(rank->apart, words, take_text(p));
    clue_fault((int)words[LINK_NS], clue_where(rank, (const void *)(uintptr_t)words[LINK_SITE]));
}

/* ------------------------------------------------- serving */

/* Wrappers that call a function with a frame's words; T: it returns a text. */
#define VALUE0(type, name)                                                                         \
    static int64_t serve_##name(const int64_t *words)                                              \
    {                                                                                              \
        (void)words;                                                                               \
        return (int64_t)name();                                                                    \
    }
#define VALUE1(type, name, first)                                                                  \
    static int64_t serve_##name(const int64_t *words)                                              \
    {                                                                                              \
        return (int64_t)name((first)words[0]);                                                     \
    }
#define VALUE2(type, name, first, second)                                                          \
    static int64_t serve_##name(const int64_t *words)                                              \
    {                                                                                              \
        return (int64_t)name((first)words[0], (second)words[1]);                                   \
    }
#define NOTHING1(name, first)                                                                      \
    static int64_t serve_##name(const int64_t *words)                                              \
    {                                                                                              \
        name((first)words[0]);                                                                     \
        return 0;                                                                                  \
    }
#define TEXT0(name)                                                                                \
    static const char *serve_##name(const int64_t *words)                                          \
    {                                                                                              \
        (void)words;                                                                               \
        return name();                                                                             \
    }
#define TEXT1(name, first)                                                                         \
    static const char *serve_##name(const int64_t *words)                                          \
    {                                                                                              \
        return name((first)words[0]);                                                              \
    }
LINK_FUNCTIONS(VALUE0, VALUE1, VALUE2, NOTHING1, TEXT0, TEXT1)

#define OF_VALUE(type, name, ...) [LINK_##name] = {.value = serve_##name},
#define OF_NOTHING(name, ...)     [LINK_##name] = {.value = serve_##name},
#define OF_TEXT(name, ...)        [LINK_##name] = {.text = serve_##name},
static const struct {
    int64_t (*value)(const int64_t *words);
    const char *(*text)(const int64_t *words);
} functions[LINK_HELLO] = {
    LINK_FUNCTIONS(OF_VALUE, OF_VALUE, OF_VALUE, OF_NOTHING, OF_TEXT, OF_TEXT)};

static void serve_function(struct rank *rank, const int64_t *words)
{
    uint64_t operation = rank->apart->frame.operation;

    if (operation >= LINK_HELLO)
        clue_fail("its process sent an unknown request; is its Portolan of the same version?");
    if (functions[operation].text)
        answer_text(rank, functions[operation].text(words));
    else
        answer(rank, functions[operation].value(words));
}

static void serve_message(struct rank *rank, struct parts *p, const int64_t *words)
{
    size_t n = (size_t)(p->end - p->at) / sizeof(struct clue_awaited);

    switch (rank->apart->frame.operation) {
    case LINK_DO:
        do_operation(rank, p);
        break;
    case LINK_AWAIT:
        clue_record_await(take(p, n * sizeof(struct clue_awaited)), n, words[0]);
        answer(rank, 0);
        break;
    default:
        serve_function(rank, words);
    }
}

static void serve_end(struct rank *rank, struct parts *p, const int64_t *words)
{
    switch (rank->apart->frame.operation) {
    case LINK_FAIL:
        clue_fail("%s", take_text(p));
    case LINK_ABORT:
        clue_abort((int)words[0]);
    case LINK_FAULT:
        report_fault(rank, p);
        break;
    case LINK_EXIT:
        close(rank->apart->fd);
        rank->apart->fd = -1;
        rank->apart->has_exited = true;
        clue_rank_over((int)words[0] & 0xff);
    default:
        serve_message(rank, p, words);
    }
}

static void serve(struct rank *rank, struct parts *p, const int64_t *words)
{
    switch (rank->apart->frame.operation) {
    case LINK_BEGIN:
        begin_call(rank, p);
        break;
    case LINK_END:
        clue_call_end();
        break;
    case LINK_EVENT:
        report_event(p);
        break;
    case LINK_ASSUME:
        clue_assume(keep(take_text(p)));
        break;
    case LINK_MISTAKE:
        clue_mistake("%s", take_text(p));
        break;
    case LINK_CHANGE:
        answer(rank, change_machine(p, words));
        return;
    case LINK_SITE_TEXT:
        answer_text(rank, clue_site_text((int)words[0], (const void *)(uintptr_t)words[1]));
        return;
    case LINK_SPAWN:
        spawn(rank, p, (int)words[0]);
        return;
    default:
        serve_end(rank, p, words);
        return;
    }
    answer(rank, 0);
}

static void read_request(struct rank *rank)
{
    struct apart *a = rank->apart;

    apart_await(rank);
    if (!apart_read(rank, &a->frame, &a->room))
        apart_report_gone(rank);
}

static void greet(struct rank *rank)
{
    struct link_frame f = {.operation = LINK_ANSWER};

    if (rank->apart->frame.operation != LINK_HELLO)
        read_request(rank);
    f.words[LINK_TASK] = rank->task;
    f.words[LINK_TASKS] = clue_n_tasks();
    f.words[LINK_IS_MEASURED] = clue_is_measured(clue_carrier.run);
    f.words[LINK_IS_OBSERVED] = clue_observer() && clue_observer()->is_on;
    if (!apart_write(rank, &f, NULL, 0))
        apart_report_gone(rank);
}

void apart_serve(void)
{
    struct rank *rank = clue_carrier.current;
    struct apart *a = rank->apart;

    greet(rank);
    for (;;) {
        read_request(rank);
        serve(rank, &(struct parts){a->room.bytes, a->room.bytes + a->frame.bytes}, a->frame.words);
    }
}

void apart_serve_end(struct carrier *c)
{
    while (c->payloads)
        free_payload(c, c->payloads->data, 0);
}
