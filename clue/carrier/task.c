/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What tasks ask of the virtual cluster, by ranks that are folded: who must wait hands the one
 * thread to the rank that the engine names.
 */
#include "apart.h"
#include "record.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct carrier clue_carrier;

#define RUN clue_carrier
/* If the run is recorded, and this is not part of what the record has as one. */
#define RECORDS (RUN.run->record && RUN.current->recorded_as != CLUE_UNRECORDED)
#define RECORD(...)                                                                                \
    do                                                                                             \
        if (RECORDS)                                                                               \
            record_add(__VA_ARGS__);                                                               \
    while (0)
#define N(value) ((uint64_t)(value))

static void fetch(const void *from, int lines)
{
    enum { LINE = 64 };

    for (int i = 0; i < lines; i++)
        __builtin_prefetch((const char *)from + i * LINE);
}

/* What a rank needs that goes on soon comes into the cache meanwhile. */
static void fetch_soon(void)
{
    enum { RANK_LINES = 3, STACK_LINES = 24, LIBRARY_LINES = 4, SAVED = 128 };
    int soon = clue_engine_soon(RUN.engine);

    if (soon < 0)
        return;
    fetch(RUN.ranks[soon], RANK_LINES);
    if (!RUN.stands[soon].stack)
        return;
    fetch((const char *)RUN.stands[soon].stack - SAVED, STACK_LINES);
    fetch(RUN.stands[soon].library, LIBRARY_LINES);
}

/* The rank that can go on, or the main context if the run has come to its end. */
static const struct context *next_context(void)
{
    int next = clue_engine_next(RUN.engine);
    struct rank *before = RUN.current;

    RUN.current = next < 0 ? NULL : RUN.ranks[next];
    if (RUN.has_masks && before != RUN.current)
        clue_switch_masks(before, RUN.current);
    if (next < 0) {
        RUN.verdict = next;
        return &RUN.main;
    }
    fetch_soon();
    if (RUN.has_changed)
        clue_process_of(RUN.current);
    return &RUN.current->context;
}

/* After a poll. Those in vain count since the program last did anything else with messages, or read
 * a clock. */
static void note_poll(bool has_found)
{
    struct rank *rank = RUN.current;
    unsigned most = rank->apart ? 20000 : 200000; /* well within a second */

    if (has_found) {
        RUN.n_polls = 0;
        return;
    }
    if (RUN.n_polls++ == 0)
        RUN.polls++;
    if (rank->polls != RUN.polls)
        rank->n_polls = 0;
    rank->polls = RUN.polls;
    rank->n_polls++;
    if (RUN.n_polls % most == 0)
        clue_tell_polls(&RUN);
}

static void let_others(void)
{
    struct rank *rank = RUN.current;
    const struct context *next = next_context();

    if (next != &rank->context) {
        rank->was_switched = true;
        RUN.stands[rank->task] = (struct stand){__builtin_frame_address(0), rank->own[CLUE_MPI]};
        clue_switch(&rank->context, next);
    }
}

#define UNTIL_DONE(operation)                                                                      \
    while ((operation) == CLUE_WAITS)                                                              \
    let_others()

void clue_rank_over(int status)
{
    static const struct clue_routine routine = {"exit", CLUE_NO_NUMBER};
    struct rank *rank = RUN.current;

    clue_call_begin(&routine, NULL);
    while (rank->n_calls)
        rank->calls[--rank->n_calls].run();
    rank->status = status;
    rank->is_over = true;
    if (status && !RUN.exit_status)
        RUN.exit_status = status;
    RUN.n_polls = 0;
    RECORD(RECORD_EXIT);
    clue_engine_exit(RUN.engine, rank->task);
    clue_switch(&rank->context, next_context());
    abort(); /* nobody continues a rank that is over */
}

/* Ends the run from within a rank: carrier's `error` says why. */
static void __attribute__((noreturn)) stop(void)
{
    struct context here;

    RUN.has_failed = true;
    if (RUN.has_masks)
        clue_switch_masks(RUN.current, NULL);
    RUN.current = NULL;
    clue_switch(&here, &RUN.main);
    abort();
}

/* ------------------------------------------------- who and when */

int clue_self(void)
{
    return RUN.current->task;
}

int clue_n_tasks(void)
{
    return RUN.run->n;
}

int clue_host_of(int task)
{
    return clue_engine_host(RUN.engine, task);
}

const char *clue_host_name(int host)
{
    return RUN.run->machine->hosts[host].name;
}

int clue_n_hosts(void)
{
    return (int)RUN.run->machine->n_hosts;
}

const char *clue_host_type(int host)
{
    return RUN.run->machine->hosts[host].type;
}

int64_t clue_now(void)
{
    return clue_engine_now(RUN.engine, RUN.current->task);
}

void **clue_own(enum clue_owner owner)
{
    return &RUN.current->own[owner];
}

const struct portolan_mpi_observer *clue_observer(void)
{
    return RUN.observer;
}

/* ------------------------------------------------- calls */

void clue_tell_call(const struct rank *rank, enum portolan_mpi_event_kind kind)
{
    if (RUN.observer && RUN.observer->is_on && rank->routine->number != CLUE_NO_NUMBER)
        RUN.observer->tell(&(struct portolan_mpi_event){.kind = kind,
                                                        .routine = rank->routine->number,
                                                        .name = rank->routine->name,
                                                        .ticks = (uint64_t)clue_now()});
}

void clue_call_begin(const struct clue_routine *routine, const void *site)
{
    struct rank *rank = RUN.current;
    int64_t ns;

    if (rank->depth++)
        return;
    if (RUN.is_forked)
        clue_refuse_child(routine);
    ns = clue_burst_end(rank, site) + rank->fronts_ns;
    rank->fronts_ns = 0;
    rank->routine = routine;
    rank->site = site;
    rank->was_switched = false;
    RECORD(RECORD_CALL, record_routine(routine), clue_site_key(rank, site), N(ns));
    if (ns > 0)
        UNTIL_DONE(clue_engine_compute(RUN.engine, rank->task, ns));
    clue_tell_call(rank, PORTOLAN_MPI_BEGIN);
}

void clue_call_end(void)
{
    struct rank *rank = RUN.current;

    if (rank->depth > 1) {
        rank->depth--;
        return;
    }
    RECORD(RECORD_END);
    clue_tell_call(rank, PORTOLAN_MPI_END);
    clue_burst_begin(rank);
    rank->depth = 0; /* from here on signals are not held */
    if (rank->held)
        clue_give_held(rank);
}

/* ------------------------------------------------- messages */

clue_request clue_send(const struct clue_send *send)
{
    clue_request request = 0;

    RUN.n_polls = 0;
    UNTIL_DONE(clue_engine_send(RUN.engine, RUN.current->task, send, &request));
    RECORD(RECORD_SEND, record_request(request, true), N(send->to), record_context(send->context),
           N(send->tag), send->bytes, send->packed, N(send->flags), N(send->label));
    return request;
}

clue_request clue_timer(int64_t ns)
{
    clue_request request = clue_engine_timer(RUN.engine, RUN.current->task, ns);

    RECORD(RECORD_TIMER, record_request(request, true), N(ns));
    return request;
}

void clue_in_order(void)
{
    UNTIL_DONE(clue_engine_order(RUN.engine, RUN.current->task));
    RECORD(RECORD_ORDER);
}

clue_request clue_receive(const struct clue_receive *receive)
{
    clue_request request = clue_engine_receive(RUN.engine, RUN.current->task, receive);

    if (!request)
        clue_fail("out of memory");
    RECORD(RECORD_RECEIVE, record_request(request, true), N(receive->from + 1),
           record_context(receive->context), N(receive->tag + 1), N(receive->flags));
    RUN.current->is_written |= (receive->flags & CLUE_STANDING) != 0;
    return request;
}

size_t clue_wait(const clue_request *requests, size_t n, bool is_all)
{
    size_t index = n;

    RUN.n_polls = 0;
    UNTIL_DONE(clue_engine_wait(RUN.engine, RUN.current->task, requests, n, is_all, &index));
    if (RECORDS)
        record_add_requests(RECORD_WAIT, is_all, requests, n);
    return index;
}

size_t clue_test_any(const clue_request *requests, size_t n)
{
    size_t index = n;

    UNTIL_DONE(clue_engine_test(RUN.engine, RUN.current->task, requests, n, &index));
    if (RECORDS)
        record_add_requests(RECORD_TEST, false, requests, n);
    note_poll(index < n);
    return index;
}

bool clue_test(clue_request request)
{
    return clue_test_any(&request, 1) == 0;
}

bool clue_is_complete(clue_request request)
{
    bool is_complete = false;

    UNTIL_DONE(clue_engine_is_complete(RUN.engine, RUN.current->task, request, &is_complete));
    return is_complete;
}

void clue_free(clue_request request)
{
    if (RECORDS)
        record_free_request(request);
    clue_engine_release(RUN.engine, request);
}

bool clue_cancel(clue_request request)
{
    bool is_cancelled = false;

    UNTIL_DONE(clue_engine_cancel(RUN.engine, RUN.current->task, request, &is_cancelled));
    RECORD(RECORD_CANCEL, record_request(request, false));
    return is_cancelled;
}

bool clue_probe(int from, uint64_t context, int tag, bool is_waiting, struct clue_message *message,
                clue_request *taken)
{
    struct clue_receive what = {.from = from, .context = context, .tag = tag};
    bool is_found = false;

    UNTIL_DONE(clue_engine_probe(RUN.engine, RUN.current->task, &what, is_waiting, &is_found,
                                 message, taken));
    RECORD(RECORD_PROBE, N(from + 1), record_context(context), N(tag + 1), N(is_waiting),
           is_found && taken ? record_request(*taken, true) + 1 : 0);
    note_poll(is_found);
    return is_found;
}

void clue_receive_taken(clue_request taken, const struct clue_receive *receive)
{
    clue_engine_receive_taken(RUN.engine, RUN.current->task, taken, receive);
}

uint32_t clue_schedule_begin(void)
{
    return RUN.run->record ? record_schedule() : 0;
}

void clue_schedule_end(uint32_t schedule)
{
    if (schedule)
        record_schedule_end(schedule);
}

uint32_t clue_record_as(uint32_t schedule)
{
    uint32_t before = RUN.current->recorded_as;

    RUN.current->recorded_as = schedule;
    return before;
}

void clue_record_await(const struct clue_awaited *awaited, size_t n, bool is_all)
{
    if (RUN.run->record)
        record_await(awaited, n, is_all);
}

void clue_meet(const struct clue_meeting *meeting)
{
    UNTIL_DONE(clue_engine_meet(RUN.engine, RUN.current->task, meeting));
    RECORD(RECORD_MEET, N(meeting->kind), record_context(meeting->context), meeting->sequence,
           N(meeting->n), N(meeting->index), N(meeting->root), N(meeting->ns));
}

int64_t clue_shared_ns(enum clue_shared operation, uint64_t bytes)
{
    const struct clue_machine *m = RUN.run->machine;
    const struct clue_law *laws[] = {[CLUE_SHARED_BCAST] = &m->shared_bcast,
                                     [CLUE_SHARED_REDUCE] = &m->shared_reduce,
                                     [CLUE_SHARED_ALLREDUCE] = &m->shared_allreduce,
                                     [CLUE_SHARED_BARRIER] = &m->shared_barrier,
                                     [CLUE_COLLECTIVE_CALL] = &m->collective_call};
    const struct clue_law *law = laws[operation];

    if (!law->points && law->constant_ns == 0 && law->ns_per_byte == 0)
        return -1;
    return clue_law_ns(law, bytes);
}

const char *clue_collectives_file(void)
{
    return RUN.run->machine->collectives_json;
}

/* ------------------------------------------------- memory of all tasks */

/* Large memory is mapped anew: a program that touches it first takes the time of its pages. What is
 * before it says how much there is to unmap; 0: it is of malloc(). */
void *clue_share(size_t bytes)
{
    enum { ALIGN = 64, LARGE = 64 << 10 };
    size_t whole = (bytes / ALIGN + 2) * ALIGN;
    bool is_large = bytes >= LARGE;
    char *memory =
        is_large ? mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
                 : aligned_alloc(ALIGN, whole);

    if (!memory || memory == MAP_FAILED)
        clue_fail("out of memory");
    if (!is_large)
        memset(memory, 0, whole);
    *(size_t *)memory = is_large ? whole : 0;
    return memory + ALIGN;
}

void clue_unshare(void *memory)
{
    enum { ALIGN = 64 };
    char *whole = memory ? (char *)memory - ALIGN : NULL;
    size_t mapped = whole ? *(size_t *)whole : 0;

    if (mapped)
        munmap(whole, mapped);
    else
        free(whole);
}

void **clue_shared(enum clue_owner owner)
{
    return &RUN.shared[owner];
}

void clue_call_in(int task, void (*run)(void *arg), void *arg)
{
    (void)task;
    run(arg);
}

/* ------------------------------------------------- clocks */

bool clue_is_virtual(void)
{
    return RUN.current != NULL;
}

/* The date where the run is measured, else always the same, so that programs that seed by it do the
 * same again: 2000-01-01, the paper's year. */
int64_t clue_epoch_ns(void)
{
    enum { FIXED_EPOCH = 946684800, SECOND = 1000000000 };
    static int64_t epoch;
    struct timespec real = {.tv_sec = FIXED_EPOCH};

    if (!epoch) {
        if (RUN.run->compute == CLUE_COMPUTE_MEASURED)
            clue_real_clock(CLOCK_REALTIME, &real);
        epoch = real.tv_sec * (int64_t)SECOND + real.tv_nsec;
    }
    return epoch;
}

/* What others write into memory of the rank until now is there: its program may look for it. */
static void let_others_write(void)
{
    if (RUN.current->is_written)
        clue_in_order();
}

/* Where computing takes no time a program that waits for a clock would never end. */
int64_t clue_read_clock(void)
{
    enum { MOST_READINGS = 500000 };
    static int64_t last;
    static int n;
    int64_t now = clue_now();

    let_others_write();
    clue_burst_clock(RUN.current);
    RUN.n_polls = 0;
    n = now == last ? n + 1 : 0;
    last = now;
    if (n > MOST_READINGS)
        clue_fail("the program waits for a clock that does not move: no time passes between its "
                  "calls; let computing take time (--compute measured)");
    return now;
}

/* ------------------------------------------------- time, ends */

void clue_sleep(int64_t ns)
{
    UNTIL_DONE(clue_engine_spend(RUN.engine, RUN.current->task, ns));
    RECORD(RECORD_SLEEP, N(ns));
    let_others_write();
}

/* Of a rank that waits for what others write: as short as what the kernel does then. */
PORTOLAN_API int sched_yield(void)
{
    static const struct clue_routine routine = {"sched_yield", CLUE_NO_NUMBER};
    enum { YIELD_NS = 100 };

    if (!RUN.current || !RUN.current->is_written)
        return REAL(sched_yield)();
    clue_call_begin(&routine, __builtin_return_address(0));
    clue_sleep(YIELD_NS);
    clue_call_end();
    return 0;
}

void clue_pack(uint64_t bytes, bool is_message)
{
    int64_t ns = clue_engine_pack_ns(RUN.engine, RUN.current->task, bytes, is_message);

    if (ns > 0)
        UNTIL_DONE(clue_engine_spend(RUN.engine, RUN.current->task, ns));
    RECORD(RECORD_PACK, bytes, N(is_message));
}

void clue_spend(int64_t ns)
{
    UNTIL_DONE(clue_engine_spend(RUN.engine, RUN.current->task, ns));
    RECORD(RECORD_SPEND, N(ns));
}

/* ------------------------------------------------- tasks */

enum portolan_status clue_ranks_begin(struct carrier *c, const char *name, char *const *words,
                                      const int *hosts, int n, struct portolan_error *err)
{
    const struct program *program;
    enum portolan_status status;

    if (c->run->is_apart)
        return apart_start(c, name, words, hosts, n, err);
    status = clue_load(c, name, &program, err);
    return status ? status : clue_ranks_make(c, program, words, n, err);
}

int clue_spawn(const char *program, char *const argv[], const int *hosts, int n, int *tasks)
{
    struct rank *rank = RUN.current;
    const struct clue_host *host = &RUN.run->machine->hosts[clue_host_of(rank->task)];
    struct portolan_error err = {0};
    int first = (int)RUN.n_ranks;

    for (int i = 0; i < n && !RUN.run->is_apart; i++)
        if (RUN.run->machine->hosts[hosts[i]].real)
            clue_fail("a task on '%s', a real host (factor 0), must be a process; add --apart",
                      clue_host_name(hosts[i]));
    clue_spend(host->init_ns);
    if (clue_ranks_begin(&RUN, program, argv, hosts, n, &err)) {
        clue_remark(true, err.text, rank, rank->site);
        clue_ranks_drop(&RUN, (size_t)first);
        return 0;
    }
    for (int i = 0; i < n; i++) {
        clue_spend(host->spawn_ns);
        tasks[i] = clue_engine_add(RUN.engine, hosts[i], clue_now());
        if (tasks[i] != first + i)
            clue_fail("out of memory");
    }
    return n;
}

bool clue_is_known(int task)
{
    return task >= 0 && (size_t)task < RUN.n_ranks;
}

bool clue_is_alive(int task)
{
    return clue_is_known(task) && !RUN.ranks[task]->is_over;
}

void clue_kill(int task)
{
    if (!clue_is_alive(task))
        return;
    RUN.ranks[task]->is_over = true;
    apart_end(RUN.ranks[task]);
    clue_engine_kill(RUN.engine, RUN.current->task, task);
}

void clue_at_exit(enum clue_owner owner, void (*run)(void))
{
    struct rank *rank = RUN.current;

    for (int i = 0; i < rank->n_calls; i++)
        if (rank->calls[i].owner == owner)
            return;
    rank->calls[rank->n_calls++] = (struct exit_call){owner, run};
}

/* "rank 3 in MPI_Send at ring.c:12 (main), at 1.204 ms: …", of the current rank. */
static const char *describe(struct portolan_text *line, const char *format, va_list args)
{
    const struct rank *rank = RUN.current;
    char *where = clue_where(rank, rank->site), time[32], text[600];

    vsnprintf(text, sizeof text, format, args);
    portolan_text_add(
        line, "rank %d%s%s%s%s, at %s: %s", rank->task,
        !rank->routine ? ""
        : rank->depth  ? " in "
                       : " after ",
        rank->routine ? rank->routine->name : "", where ? " at " : "", where ? where : "",
        portolan_format_time((double)clue_engine_now(RUN.engine, rank->task), 4, time, sizeof time),
        text);
    free(where);
    return line->bytes ? line->bytes : "out of memory";
}

void clue_fail(const char *format, ...)
{
    struct portolan_text line = {0};
    va_list args;

    va_start(args, format);
    portolan_error_set(&RUN.error, PORTOLAN_EINVAL, "%s", describe(&line, format, args));
    va_end(args);
    portolan_text_clear(&line);
    stop();
}

void clue_abort(int status)
{
    RUN.exit_status = status & 0xff ? status & 0xff : 1; /* never that of success */
    clue_fail("the program aborts with status %d", status);
}

const char *clue_site_text(int task, const void *site)
{
    static char *text;

    free(text);
    text = clue_where(RUN.ranks[task], site);
    return text ? text : "an unknown place";
}

void *clue_variable(const char *name)
{
    return clue_copy_of(RUN.current, name);
}

void clue_assume(const char *text)
{
    struct rank *rank = RUN.current;

    clue_remark(false, text, rank, rank->site);
}

void clue_mistake(const char *format, ...)
{
    struct portolan_text line = {0};
    va_list args;

    va_start(args, format);
    clue_remark(true, describe(&line, format, args), RUN.current, NULL);
    va_end(args);
    portolan_text_clear(&line);
}
