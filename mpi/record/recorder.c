/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes events that mpi/ and the owners of regions report into the thread's stream. */
#include "internal.h"

#include <portolan/probe.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void receive_event(const struct portolan_mpi_event *event);
struct portolan_mpi_observer record_observer = {.tell = receive_event};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n_threads;
static uint64_t lost_before; /* by threads that have ended; under the lock */
static pthread_key_t key;
static bool have_key;
static __thread struct stream *mine __attribute__((tls_model("initial-exec")));
static __thread int number_of_thread __attribute__((tls_model("initial-exec"))); /* from 1 */
/* Regions that the thread is in, also while recording is off: a window may begin inside them. */
static __thread struct region_stack open_regions __attribute__((tls_model("initial-exec")));

static void end_polls(struct stream *s);

/* -- streams of threads -- */

void portolan_record_close(void)
{
    struct stream *s = mine;

    if (!s)
        return;
    end_polls(s);
    mine = NULL;
    pthread_mutex_lock(&lock);
    lost_before += s->lost;
    pthread_mutex_unlock(&lock);
    stream_close(s);
}

static void end_thread(void *regions)
{
    struct region_stack *r = regions;

    portolan_record_close();
    free(r->at);
    *r = (struct region_stack){0};
}

/* A child shares its parent's files: it must not even end them when its thread does. */
static void forget_files(void)
{
    mine = NULL;
    record_process.has_ended = true;
    record_observer.is_on = false;
}

__attribute__((constructor)) static void make_key(void)
{
    have_key = pthread_key_create(&key, end_thread) == 0;
    pthread_atfork(NULL, NULL, forget_files);
}

static bool is_in_step; /* of portolan_record_step() */

__attribute__((destructor)) static void end_recording(void)
{
    portolan_record_end();
}

/* The calling thread's, which is made if recording is on; then its first event is at TICKS. */
static struct stream *stream_here(uint64_t ticks)
{
    struct stream *s = mine;

    if (s || !have_key || record_process.has_ended ||
        !__atomic_load_n(&record_observer.is_on, __ATOMIC_ACQUIRE))
        return s;
    if (!number_of_thread)
        number_of_thread = __atomic_add_fetch(&n_threads, 1, __ATOMIC_RELAXED);
    s = stream_open(number_of_thread - 1, ticks, &open_regions);
    if (s && pthread_setspecific(key, &open_regions) != 0) {
        stream_close(s);
        s = NULL;
    }
    if (s)
        s->folder = __atomic_load_n(&record_process.folder_number, __ATOMIC_RELAXED);
    return mine = s;
}

static bool is_virtual_now(void)
{
    return portolan_probe_clock_get() == PORTOLAN_PROBE_CLOCK_MANUAL;
}

/*
 * ManualClock was chosen while the thread was recorded. Times of two clocks do not go together, so
 * the file begins again; what comes after ManualClock is not recorded.
 */
static void follow_clock(void)
{
    if (!mine || mine->is_virtual || !is_virtual_now())
        return;
    portolan_record_close();
    stream_here(portolan_probe_now());
}

/* The same if an event is to be recorded now, after a gap where recording was off. */
static __attribute__((noinline)) struct stream *stream_at(uint64_t ticks)
{
    struct stream *s = mine ? mine : stream_here(ticks);
    unsigned window = __atomic_load_n(&record_window_number, __ATOMIC_RELAXED);

    if (s)
        end_polls(s);
    if (!s || window == RECORD_OFF || s->is_virtual != is_virtual_now())
        return NULL;
    if (s->window != window &&
        s->folder != __atomic_load_n(&record_process.folder_number, __ATOMIC_RELAXED)) {
        portolan_record_close();
        if (!(s = stream_here(ticks)))
            return NULL;
    }
    if (!stream_is_ready(s))
        stream_make_room(s, ticks);
    if (s->window != window) {
        stream_put_gap(s, ticks ? ticks : s->last, 0);
        s->window = window;
    }
    return s;
}

/* Returns whether an event goes into S without more ado; then there is room for it. */
static inline bool is_plain(const struct stream *s)
{
    return __builtin_expect(
        s && s->window == __atomic_load_n(&record_window_number, __ATOMIC_RELAXED) &&
            s->at <= s->plain_end && !portolan_probe_clock_is_slow,
        1);
}

/* -- processor time -- */

static inline bool is_cpu_due(const struct stream *s, uint64_t ticks)
{
    return ticks >= s->cpu_next;
}

static uint64_t cpu_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static void put_cpu(struct stream *s, uint64_t ticks, uint64_t ns)
{
    if (record_cpu == CPU_NEVER || (record_cpu == CPU_AUTO && !record_process.shares_cores))
        s->cpu_next = ticks + record_process.cpu_every;
    if (record_cpu == CPU_NEVER)
        return;
    stream_put(s, &(struct portolan_stream_event){
                      .kind = PORTOLAN_TRACE_CPU, .ticks = ticks, .bytes = ns});
}

/* -- calls that look in vain -- */

/* One has ended, the first of them. */
static void begin_polls(struct stream *s, uint64_t ticks)
{
    uint64_t cpu_ns = cpu_now_ns();

    s->polls = (struct record_polls){.are_open = true,
                                     .n = 1,
                                     .first = s->last,
                                     .end = ticks,
                                     .cpu_first_ns = cpu_ns,
                                     .cpu_ns = cpu_ns,
                                     .plain_end = s->plain_end};
    s->plain_end = NULL; /* whatever comes goes by way of stream_at() */
}

static void put_begin(struct stream *s, uint64_t ticks, uint32_t routine, const char *name)
{
    s->in_call = true;
    if (!stream_knows(s, KNOWN_ROUTINE, routine))
        define_routine(s, routine, name);
    stream_put(s, &(struct portolan_stream_event){
                      .kind = PORTOLAN_TRACE_BEGIN, .ticks = ticks, .what = routine});
}

static void put_end(struct stream *s, uint64_t ticks)
{
    s->in_call = false;
    stream_put(s, &(struct portolan_stream_event){.kind = PORTOLAN_TRACE_END, .ticks = ticks});
}

/* Ends a series of polls, because the next call is none. */
static void end_polls(struct stream *s)
{
    const struct record_polls p = s->polls;
    struct portolan_stream_event event = {
        .kind = PORTOLAN_TRACE_VALUE, .ticks = p.end, .what = record_process.polls_name};
    double n = p.n;

    if (!p.are_open)
        return;
    s->polls = (struct record_polls){0};
    s->plain_end = p.plain_end;
    if (is_cpu_due(s, p.end))
        put_cpu(s, p.end, p.cpu_ns);
    put_end(s, p.end);
    memcpy(&event.bytes, &n, sizeof n);
    if (p.n > 1 && record_process.polls_name != UINT32_MAX) {
        define_name(s, record_process.polls_name);
        stream_put(s, &event);
    }
    if (p.has_next)
        put_begin(s, p.next, p.routine, p.name);
}

/*
 * Returns whether the thread only waited from the last one to TICKS, where the next begins: it
 * began at once, or the thread had no processor, as if it slept. A tenth may be for something else.
 */
static bool is_next_poll(struct record_polls *p, uint64_t ticks)
{
    uint64_t gap = ticks - p->end, all = ticks - p->first;

    if (ticks < p->end || gap > record_process.gap_most)
        return false;
    if (gap <= record_process.gap_short)
        return true;
    p->apart += gap;
    return (double)(cpu_now_ns() - p->cpu_first_ns) <=
           portolan_probe_ticks_to_ns(all - p->apart) + portolan_probe_ticks_to_ns(all) / 10;
}

/* Returns whether E belongs to the open ones of S. */
static bool is_polling(struct stream *s, const struct portolan_mpi_event *e)
{
    struct record_polls *p = &s->polls;

    if (!p->are_open || s->window != __atomic_load_n(&record_window_number, __ATOMIC_RELAXED))
        return false;
    if (e->kind == PORTOLAN_MPI_COST)
        return true;
    if (e->kind == PORTOLAN_MPI_BEGIN && e->tag && !p->has_next && is_next_poll(p, e->ticks)) {
        p->has_next = true;
        p->next = e->ticks;
        p->routine = e->routine;
        p->name = e->name;
        return true;
    }
    if (e->kind != PORTOLAN_MPI_END || !e->tag || !p->has_next)
        return false;
    p->has_next = false;
    p->end = e->ticks;
    p->n++;
    if (is_cpu_due(s, p->end))
        p->cpu_ns = cpu_now_ns();
    return true;
}

/* -- beginning and end -- */

void portolan_record_end(void)
{
    if (!record_process.has_begun || record_process.has_ended)
        return;
    if (is_in_step) /* the last one ends with the run */
        portolan_record_step(-1);
    record_process.has_ended = true;
    window_change(WINDOW_BEGUN, false);
    portolan_record_close();
}

/* -- events from mpi/ -- */

static void begin_call(struct stream *s, const struct portolan_mpi_event *e)
{
    if (s->in_call) /* an error handler left that call by longjmp */
        put_end(s, e->ticks);
    put_begin(s, e->ticks, e->routine, e->name);
    if (is_cpu_due(s, e->ticks))
        put_cpu(s, e->ticks, cpu_now_ns());
}

static void end_call(struct stream *s, const struct portolan_mpi_event *e)
{
    if (!s->in_call) /* recording began inside it */
        return;
    if (e->tag && !s->is_virtual) {
        begin_polls(s, e->ticks);
        return;
    }
    if (is_cpu_due(s, e->ticks))
        put_cpu(s, e->ticks, cpu_now_ns());
    put_end(s, e->ticks);
}

/* From BEGIN on, kinds of reported events have the numbers of the trace. */
_Static_assert((int)PORTOLAN_MPI_BEGIN == (int)PORTOLAN_TRACE_BEGIN &&
                   (int)PORTOLAN_MPI_MARK == (int)PORTOLAN_TRACE_MARK,
               "kinds of observer.h and trace.h");

/* KIND is a constant where it is frequent. */
static inline __attribute__((always_inline)) struct portolan_stream_event
transfer(unsigned kind, const struct portolan_mpi_event *e)
{
    return (struct portolan_stream_event){
        .kind = kind,
        .ticks = e->ticks,
        .what = e->comm ? e->comm->number : 0,
        .peer = e->comm && e->comm->id == PORTOLAN_MPI_NO_ID ? PORTOLAN_TRACE_NONE : e->peer,
        .tag = e->tag,
        .bytes = e->bytes,
        .request = e->request,
    };
}

static void record_mpi(const struct portolan_mpi_event *e)
{
    struct portolan_stream_event event;
    struct stream *s = stream_at(e->ticks);

    if (!s)
        return;
    if (e->kind == PORTOLAN_MPI_BEGIN) {
        begin_call(s, e);
    } else if (e->kind == PORTOLAN_MPI_END) {
        end_call(s, e);
    } else {
        if (e->comm && !stream_knows(s, KNOWN_COMM, e->comm->number))
            define_comm(s, e->comm);
        event = transfer(e->kind, e);
        stream_put(s, &event);
    }
}

static void put_value(uint64_t ticks, uint32_t name, double value)
{
    struct stream *s = stream_at(ticks);
    struct portolan_stream_event event = {
        .kind = PORTOLAN_TRACE_VALUE, .ticks = ticks, .what = name};

    if (!s || name == UINT32_MAX)
        return;
    define_name(s, name);
    memcpy(&event.bytes, &value, sizeof value);
    stream_put(s, &event);
}

static __attribute__((noinline)) void report_others(const struct portolan_mpi_event *event)
{
    if (mine && is_polling(mine, event))
        return;
    switch (event->kind) {
    case PORTOLAN_MPI_STARTED:
        record_run_as(event->peer, event->comm->n_members,
                      event->tag & PORTOLAN_MPI_HAS_THREADS ? PORTOLAN_STREAM_HAS_THREADS : 0,
                      event->tag & PORTOLAN_MPI_SHARES_CORES);
        break;
    case PORTOLAN_MPI_ENDED:
        portolan_record_end();
        break;
    case PORTOLAN_MPI_COST:
        put_value(event->ticks, record_process.cost_names[0],
                  portolan_probe_ticks_to_ns(event->bytes));
        put_value(event->ticks, record_process.cost_names[1],
                  portolan_probe_ticks_to_ns(event->request));
        break;
    default:
        record_mpi(event);
    }
}

/* The most frequent events are written at once where they can be; else report_others() does it. */

static void report_begin(struct stream *s, const struct portolan_mpi_event *e)
{
    if (s->in_call || is_cpu_due(s, e->ticks) || !stream_knows(s, KNOWN_ROUTINE, e->routine)) {
        report_others(e);
        return;
    }
    s->in_call = true;
    stream_write(s, &(struct portolan_stream_event){
                        .kind = PORTOLAN_TRACE_BEGIN, .ticks = e->ticks, .what = e->routine});
}

static void report_end(struct stream *s, const struct portolan_mpi_event *e)
{
    if (!s->in_call || e->tag || is_cpu_due(s, e->ticks)) {
        report_others(e);
        return;
    }
    s->in_call = false;
    stream_write(s, &(struct portolan_stream_event){.kind = PORTOLAN_TRACE_END, .ticks = e->ticks});
}

/* KIND is a constant. */
static inline __attribute__((always_inline)) void
report_transfer(struct stream *s, unsigned kind, const struct portolan_mpi_event *e)
{
    struct portolan_stream_event event;

    if (!e->comm || !stream_knows(s, KNOWN_COMM, e->comm->number)) {
        report_others(e);
        return;
    }
    event = transfer(kind, e);
    stream_write(s, &event);
}

static __attribute__((noinline)) void report_send(struct stream *s,
                                                  const struct portolan_mpi_event *e)
{
    report_transfer(s, PORTOLAN_TRACE_SEND, e);
}

static __attribute__((noinline)) void report_receive(struct stream *s,
                                                     const struct portolan_mpi_event *e)
{
    report_transfer(s, PORTOLAN_TRACE_RECV, e);
}

static __attribute__((noinline)) void report_post(struct stream *s,
                                                  const struct portolan_mpi_event *e)
{
    report_transfer(s, PORTOLAN_TRACE_RECV_POST, e);
}

static void receive_event(const struct portolan_mpi_event *event)
{
    struct stream *s = mine;

    if (!is_plain(s))
        report_others(event);
    else if (event->kind == PORTOLAN_MPI_BEGIN)
        report_begin(s, event);
    else if (event->kind == PORTOLAN_MPI_END)
        report_end(s, event);
    else if (event->kind == PORTOLAN_MPI_SEND)
        report_send(s, event);
    else if (event->kind == PORTOLAN_MPI_RECV)
        report_receive(s, event);
    else if (event->kind == PORTOLAN_MPI_RECV_POST)
        report_post(s, event);
    else
        report_others(event);
}

const struct portolan_mpi_observer *portolan_record_observer(void)
{
    return &record_observer;
}

/* -- regions -- */

bool portolan_record_is_on(void)
{
    return __atomic_load_n(&record_observer.is_on, __ATOMIC_RELAXED);
}

static struct stream *put_region(enum portolan_trace_kind kind, uint32_t region)
{
    uint64_t ticks;
    struct stream *s;

    if (!record_process.folder)
        return NULL;
    ticks = portolan_probe_now();
    follow_clock();
    if (!(s = stream_at(ticks)))
        return NULL;
    define_region(s, region);
    stream_put(s, &(struct portolan_stream_event){.kind = kind, .ticks = ticks, .what = region});
    return s->end > s->at ? s : NULL;
}

void portolan_record_enter(uint32_t region)
{
    const char *name = record_region_name(region);
    struct stream *s;

    if (!name || record_process.has_ended)
        return;
    if (window_wants(name))
        window_change(WINDOW_DEPTH, 1);
    if ((s = put_region(PORTOLAN_TRACE_ENTER, region)))
        stack_push(&s->written, region);
    if (!open_regions.at && have_key) /* frees it when the thread ends */
        pthread_setspecific(key, &open_regions);
    stack_push(&open_regions, region);
}

void portolan_record_leave(uint32_t region)
{
    const char *name = record_region_name(region);
    struct stream *s;

    if (!name || record_process.has_ended)
        return;
    if ((s = put_region(PORTOLAN_TRACE_LEAVE, region)))
        stack_pop(&s->written);
    stack_pop(&open_regions);
    if (window_wants(name))
        window_change(WINDOW_DEPTH, -1);
}

void portolan_record_value(uint32_t name, double value)
{
    put_value(portolan_probe_now(), name, value);
}

void portolan_record_age(uint32_t name, double since_ns)
{
    uint64_t ticks = portolan_probe_now();

    put_value(ticks, name, portolan_probe_ticks_to_ns(ticks) - since_ns);
}

void portolan_record_step(int number)
{
    static uint32_t region = UINT32_MAX;

    if (region == UINT32_MAX)
        region = portolan_record_region(
            &(struct portolan_trace_region){.kind = PORTOLAN_TRACE_PHASE, .name = "step"});
    if (is_in_step)
        portolan_record_leave(region);
    window_change(WINDOW_STEP, number < 0 ? -1 : number);
    is_in_step = number >= 0;
    if (is_in_step)
        portolan_record_enter(region);
}

uint64_t portolan_record_lost(void)
{
    uint64_t lost = mine ? mine->lost : 0;

    pthread_mutex_lock(&lock);
    lost += lost_before;
    pthread_mutex_unlock(&lock);
    return lost;
}
