/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns a scenario into a trace: first come the events of each rank, with the times of computing
 * alone; then the engine finds who waits for whom.
 */
#include "engine.h"
#include "scenario.h"

#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MISTAKES = 10 };

struct open_request {
    int name;
    struct portolan_trace_event done; /* the event that completes it */
};

struct scenario_runner {
    struct scenario *s;
    struct portolan_trace *trace;
    struct scenario_values values;
    int rank;
    int64_t clock;
    struct open_request *open;
    size_t n_open, open_room;
    uint32_t *free_numbers; /* free numbers of requests */
    size_t n_free, free_room;
    uint32_t n_numbers;
    bool in_until, no_memory;
    uint64_t n_statements;
};

#define RUN_MISTAKE(scenario, line, ...)                                                           \
    ((scenario)->reader.n_mistakes++ < MOST_MISTAKES                                               \
         ? portolan_diagnose((scenario)->reader.d, (scenario)->reader.file, line, 0, __VA_ARGS__)  \
         : (void)0)

static bool is_over(const struct scenario_runner *x)
{
    return x->no_memory || x->s->reader.n_mistakes > 0;
}

static void add_event(struct scenario_runner *x, unsigned kind, struct portolan_trace_event e)
{
    e.kind = kind & 0xff;
    e.ns = x->clock;
    x->no_memory |= !portolan_trace_add(x->trace, x->rank, 0, &e);
}

/* Adds an event that only refers to an entry; SIZE_MAX: there was no memory for that. */
static void add_what(struct scenario_runner *x, unsigned kind, size_t what, uint64_t bytes)
{
    x->no_memory |= what == SIZE_MAX;
    add_event(x, kind, (struct portolan_trace_event){.what = what & 0xffffff, .bytes = bytes});
}

/* Adds a BEGIN or END. A BEGIN keeps the line, for messages, until the engine has run. */
static void add_call(struct scenario_runner *x, unsigned kind, const struct statement *to)
{
    add_what(x, kind, portolan_trace_routine(x->trace, to->row->routine), (unsigned)to->line);
}

static double value_of(struct scenario_runner *x, const struct expression *e, double otherwise)
{
    return e ? expression_value(e, &x->values) : otherwise;
}

/* Returns a whole number between 0 and MOST, or reports a mistake. */
static int64_t whole(struct scenario_runner *x, const struct statement *to,
                     const struct expression *e, double most, const char *what)
{
    double value = value_of(x, e, 0);

    if (value >= 0 && value <= most)
        return (int64_t)llround(value);
    if (isnan(value))
        RUN_MISTAKE(x->s, to->line, "rank %d: the %s is not a number: division by 0", x->rank,
                    what);
    else
        RUN_MISTAKE(x->s, to->line, "rank %d: the %s is %g; it should be between 0 and %g", x->rank,
                    what, value, most);
    return 0;
}

static int partner(struct scenario_runner *x, const struct statement *to,
                   const struct expression *e, const char *what)
{
    return (int)whole(x, to, e, x->s->n_ranks - 1, what);
}

static uint64_t bytes_of(struct scenario_runner *x, const struct statement *to)
{
    return (uint64_t)whole(x, to, to->bytes, 1e15, "number of bytes");
}

static int tag_of(struct scenario_runner *x, const struct statement *to, const struct expression *e)
{
    return (int)whole(x, to, e, 1 << 30, "tag");
}

/* Returns whether the rank is in RANGES. */
static bool ranks_have(const struct rank_range *ranges, struct scenario_values *values)
{
    double rank = values->variables[0];

    for (; ranges; ranges = ranges->next) {
        double first = expression_value(ranges->first, values);
        double last = ranges->last ? expression_value(ranges->last, values) : first;

        if (expression_is_condition(ranges->first) ? first != 0 : rank >= first && rank <= last)
            return true;
    }
    return false;
}

/* ------------------------------------------------- requests */

static uint32_t open_request(struct scenario_runner *x, const struct statement *to, unsigned done,
                             struct portolan_trace_event e)
{
    if (to->request < 0)
        return 0;
    if (!portolan_reserve(&x->open, &x->open_room, x->n_open + 1, sizeof *x->open)) {
        x->no_memory = true;
        return 0;
    }
    e.request = x->n_free ? x->free_numbers[--x->n_free] : ++x->n_numbers;
    e.kind = done & 0xff;
    x->open[x->n_open++] = (struct open_request){to->request, e};
    return e.request;
}

/* Waits for the requests of a name; -1: for all. */
static void wait_for(struct scenario_runner *x, const struct statement *to)
{
    size_t kept = 0;

    for (size_t i = 0; i < x->n_open; i++) {
        const struct open_request *open = &x->open[i];

        if (to->request >= 0 && open->name != to->request) {
            x->open[kept++] = *open;
            continue;
        }
        add_event(x, open->done.kind, open->done);
        if (!portolan_reserve(&x->free_numbers, &x->free_room, x->n_free + 1,
                              sizeof *x->free_numbers))
            x->no_memory = true;
        else
            x->free_numbers[x->n_free++] = open->done.request;
    }
    if (to->request >= 0 && kept == x->n_open)
        RUN_MISTAKE(x->s, to->line, "rank %d: no request '%s' is open", x->rank,
                    x->s->requests[to->request]);
    x->n_open = kept;
}

/* ------------------------------------------------- calls */

static void run_send(struct scenario_runner *x, const struct statement *to)
{
    struct portolan_trace_event e = {
        .what = (unsigned)to->what & 0xffffff,
        .peer = to->is_sender ? PEER_SENDER : partner(x, to, to->value, "destination"),
        .tag = tag_of(x, to, to->tag),
        .bytes = bytes_of(x, to),
    };

    e.request = open_request(x, to, PORTOLAN_TRACE_SEND_DONE, (struct portolan_trace_event){0});
    add_event(x, PORTOLAN_TRACE_SEND, e);
}

static void run_recv(struct scenario_runner *x, const struct statement *to)
{
    struct portolan_trace_event e = {
        .what = (unsigned)to->what & 0xffffff,
        .peer = to->from ? partner(x, to, to->from, "source") : PORTOLAN_TRACE_ANY,
        .tag = to->is_any_tag ? PORTOLAN_TRACE_ANY : tag_of(x, to, to->tag),
    };

    e.request = open_request(x, to, PORTOLAN_TRACE_RECV, e);
    add_event(x, e.request ? PORTOLAN_TRACE_RECV_POST : PORTOLAN_TRACE_RECV, e);
}

static void run_sendrecv(struct scenario_runner *x, const struct statement *to)
{
    run_send(x, to);
    run_recv(x, to);
}

static void refuse_until(struct scenario_runner *x, const struct statement *to)
{
    if (x->in_until)
        RUN_MISTAKE(x->s, to->line, "a loop with 'until' must not contain collective operations");
}

/* Returns the time of a collective, whose messages go up and down a tree. */
static int64_t collective_ns(const struct scenario_runner *x, size_t n_members, uint64_t bytes)
{
    int64_t steps = 0;

    for (size_t n = 1; n < n_members; n *= 2)
        steps++;
    return steps ? (steps - 1) * x->s->costs.latency_ns + message_ns(&x->s->costs, bytes) : 0;
}

static void run_collective(struct scenario_runner *x, const struct statement *to)
{
    const struct portolan_trace_comm *comm = &x->trace->comms[to->what];
    struct portolan_trace_event e = {
        .what = (unsigned)to->what & 0xffffff,
        .peer = to->root ? partner(x, to, to->root, "root") : PORTOLAN_TRACE_NONE,
        .bytes = bytes_of(x, to),
    };
    struct scenario_values of_rank = x->values;

    refuse_until(x, to);
    if (x->s->comms[to->what].ranks && !ranks_have(x->s->comms[to->what].ranks, &of_rank))
        RUN_MISTAKE(x->s, to->line, "rank %d is not in communicator '%s'", x->rank,
                    x->s->comms[to->what].name);
    e.request =
        open_request(x, to, PORTOLAN_TRACE_COLLECTIVE_DONE, (struct portolan_trace_event){0});
    add_event(x, PORTOLAN_TRACE_COLLECTIVE, e);
    if (!e.request)
        x->clock += collective_ns(x, comm->n_members, e.bytes);
}

static void run_close(struct scenario_runner *x, const struct statement *to)
{
    add_what(x, PORTOLAN_TRACE_EPOCH, (size_t)to->what, 0);
}

static void run_fence(struct scenario_runner *x, const struct statement *to)
{
    refuse_until(x, to);
    run_close(x, to);
}

static void run_open(struct scenario_runner *x, const struct statement *to)
{
    for (const struct rank_range *range = to->ranks; range; range = range->next) {
        int first = partner(x, to, range->first, "rank");
        int last = range->last ? partner(x, to, range->last, "rank") : first;

        for (int peer = first; peer <= last; peer++)
            add_event(
                x, PORTOLAN_TRACE_ACCESS,
                (struct portolan_trace_event){.what = (unsigned)to->what & 0xffffff, .peer = peer});
    }
    run_close(x, to);
}

static void pass_time(struct scenario_runner *x, const struct statement *to)
{
    x->clock += whole(x, to, to->value, (double)PORTOLAN_TRACE_MOST_NS, "time");
    if (x->clock > PORTOLAN_TRACE_MOST_NS)
        RUN_MISTAKE(x->s, to->line, "rank %d: this takes more than 104 days", x->rank);
}

static void run_transfer(struct scenario_runner *x, const struct statement *to)
{
    struct portolan_trace_event e = {.what = (unsigned)to->what & 0xffffff,
                                     .peer = partner(x, to, to->value, "target"),
                                     .bytes = bytes_of(x, to)};

    add_event(x, PORTOLAN_TRACE_TRANSFER, e);
}

/* ------------------------------------------------- statements */

static void run_block(struct scenario_runner *x, const struct statement *to);

static void run_repeat(struct scenario_runner *x, const struct statement *to)
{
    int64_t times = whole(x, to, to->value, 1e12, "number of times");
    struct portolan_trace_event loop = {.tag = to->until ? tag_of(x, to, to->until) : 0};

    if (to->until) {
        if (x->in_until)
            RUN_MISTAKE(x->s, to->line, "a loop 'until' is in another");
        x->in_until = true;
        add_event(x, LOOP_BEGIN, loop);
    }
    for (int64_t i = 0; i < times && !is_over(x); i++) {
        if (to->variable >= 0)
            x->values.variables[to->variable] = (double)i;
        run_block(x, to->body);
        x->n_statements += !to->body;
        if (x->n_statements > x->s->most_statements)
            break;
    }
    if (to->until) {
        add_event(x, LOOP_END, loop);
        x->in_until = false;
    }
}

static void run_region(struct scenario_runner *x, const struct statement *to)
{
    size_t what = portolan_trace_region(x->trace, &to->region);

    add_what(x, PORTOLAN_TRACE_ENTER, what, 0);
    run_block(x, to->body);
    add_what(x, PORTOLAN_TRACE_LEAVE, what, 0);
}

static void run_value(struct scenario_runner *x, const struct statement *to)
{
    union {
        double value;
        uint64_t bytes;
    } u = {.value = value_of(x, to->value, 0)};

    add_what(x, PORTOLAN_TRACE_VALUE, portolan_trace_name(x->trace, to->name), u.bytes);
}

static void run_let(struct scenario_runner *x, const struct statement *to)
{
    x->values.variables[to->variable] = value_of(x, to->value, 0);
}

static void run_on(struct scenario_runner *x, const struct statement *to)
{
    run_block(x, ranks_have(to->ranks, &x->values) ? to->body : to->otherwise);
}

static void run_mark(struct scenario_runner *x, const struct statement *to)
{
    add_event(x, PORTOLAN_TRACE_MARK,
              (struct portolan_trace_event){.tag = tag_of(x, to, to->value)});
}

const struct statement_row statement_rows[] = {
    {"compute", "v", NULL, pass_time},
    {"mark", "v", NULL, run_mark},
    {"value", "nv", NULL, run_value},
    {"init", "", "MPI_Init", NULL},
    {"finalize", "", "MPI_Finalize", NULL},
    {"send", "dtbc", "MPI_Send", run_send},
    {"ssend", "dtbc", "MPI_Ssend", run_send},
    {"bsend", "dtbc", "MPI_Bsend", run_send},
    {"isend", "dtbQc", "MPI_Isend", run_send},
    {"issend", "dtbQc", "MPI_Issend", run_send},
    {"recv", "sTc", "MPI_Recv", run_recv},
    {"irecv", "sTQc", "MPI_Irecv", run_recv},
    {"poll", "v", "MPI_Iprobe", pass_time},
    {"sendrecv", "dftbc", "MPI_Sendrecv", run_sendrecv},
    {"wait", "R", "MPI_Wait", wait_for},
    {"waitall", "", "MPI_Waitall", wait_for},
    {"barrier", "c", "MPI_Barrier", run_collective},
    {"allreduce", "bc", "MPI_Allreduce", run_collective},
    {"allgather", "bc", "MPI_Allgather", run_collective},
    {"alltoall", "bc", "MPI_Alltoall", run_collective},
    {"reduce_scatter", "bc", "MPI_Reduce_scatter", run_collective},
    {"bcast", "rbc", "MPI_Bcast", run_collective},
    {"scatter", "rbc", "MPI_Scatter", run_collective},
    {"reduce", "rbc", "MPI_Reduce", run_collective},
    {"gather", "rbc", "MPI_Gather", run_collective},
    {"scan", "bc", "MPI_Scan", run_collective},
    {"exscan", "bc", "MPI_Exscan", run_collective},
    {"dup", "c", "MPI_Comm_dup", run_collective},
    {"ibarrier", "Qc", "MPI_Ibarrier", run_collective},
    {"iallreduce", "bQc", "MPI_Iallreduce", run_collective},
    {"ialltoall", "bQc", "MPI_Ialltoall", run_collective},
    {"ibcast", "rbQc", "MPI_Ibcast", run_collective},
    {"ireduce", "rbQc", "MPI_Ireduce", run_collective},
    {"fence", "w", "MPI_Win_fence", run_fence},
    {"free", "w", "MPI_Win_free", run_fence},
    {"post", "wg", "MPI_Win_post", run_open},
    {"start", "wg", "MPI_Win_start", run_open},
    {"complete", "w", "MPI_Win_complete", run_close},
    {"await", "w", "MPI_Win_wait", run_close},
    {"put", "wvb", "MPI_Put", run_transfer},
    {"get", "wvb", "MPI_Get", run_transfer},
    {"let", "V=v", NULL, run_let},
    {"repeat", "vul{", NULL, run_repeat},
    {"on", "g{", NULL, run_on},
    {"port", "0{", NULL, run_region},
    {"timer", "1{", NULL, run_region},
    {"phase", "2{", NULL, run_region},
    {"experiment", "3{", NULL, run_region},
    {"region", "4{", NULL, run_region},
};
const size_t n_statement_rows = sizeof statement_rows / sizeof *statement_rows;

static void run_statement(struct scenario_runner *x, const struct statement *to)
{
    if (to->row->routine)
        add_call(x, PORTOLAN_TRACE_BEGIN, to);
    if (to->row->run)
        to->row->run(x, to);
    if (to->row->routine)
        add_call(x, PORTOLAN_TRACE_END, to);
}

static void run_block(struct scenario_runner *x, const struct statement *to)
{
    for (; to && !is_over(x); to = to->next) {
        run_statement(x, to);
        if (++x->n_statements == x->s->most_statements)
            RUN_MISTAKE(x->s, to->line, "the scenario has more than %llu statements",
                        (unsigned long long)x->n_statements);
    }
}

static void run_rank(struct scenario_runner *x, int rank)
{
    const struct statement program = {.region = {.kind = PORTOLAN_TRACE_FUNCTION, .name = "main"},
                                      .body = x->s->body};

    x->rank = rank;
    x->clock = 0;
    x->n_open = x->n_free = 0;
    x->n_numbers = 0;
    x->values = (struct scenario_values){.variables = {rank, x->s->n_ranks}};
    x->values.random = portolan_hash(&rank, sizeof rank, x->s->seed + 1);
    run_region(x, &program);
    if (++x->n_statements > x->s->most_statements && !is_over(x))
        RUN_MISTAKE(x->s, 1, "the scenario has too many ranks: %d", x->s->n_ranks);
    if (x->n_open && !is_over(x))
        RUN_MISTAKE(x->s, x->s->reader.line, "rank %d: nothing waits for request '%s'", rank,
                    x->s->requests[x->open[0].name]);
}

static bool add_comm(struct scenario_runner *x, const struct scenario_comm *comm, size_t id,
                     bool is_window)
{
    struct portolan_trace_comm c = {.id = id};
    int *members = portolan_calloc((size_t)x->s->n_ranks, sizeof *members);
    const struct rank_range *ranks = is_window ? x->s->comms[comm->comm].ranks : comm->ranks;
    struct scenario_values values = {.variables = {0, x->s->n_ranks}};
    bool ok = members;

    for (int i = 0; ok && i < x->s->n_ranks; i++) {
        values.variables[0] = i;
        if (!ranks || ranks_have(ranks, &values))
            members[c.n_members++] = i;
    }
    c.members = members;
    ok = ok && (is_window ? portolan_trace_window(x->trace, &c)
                          : portolan_trace_comm(x->trace, &c)) != SIZE_MAX;
    if (ok && !c.n_members)
        RUN_MISTAKE(x->s, comm->line, "no rank is in '%s'", comm->name);
    free(members);
    return ok;
}

/* Writes out what each rank does, without waiting. */
static enum portolan_status spell_out(struct scenario *s, struct portolan_trace **trace,
                                      struct portolan_error *err)
{
    struct scenario_runner x = {.s = s};
    bool ok = (x.trace = portolan_trace_create(s->n_ranks, s->reader.file));

    for (size_t i = 1; ok && i < s->n_comms; i++)
        ok = add_comm(&x, &s->comms[i], i, false);
    for (size_t i = 0; ok && i < s->n_windows; i++)
        ok = add_comm(&x, &s->windows[i], i, true);
    for (int rank = 0; ok && rank < s->n_ranks && !is_over(&x); rank++)
        run_rank(&x, rank);
    free(x.open);
    free(x.free_numbers);
    *trace = x.trace;
    if (!ok || x.no_memory)
        return portolan_no_memory(err);
    return s->reader.n_mistakes ? PORTOLAN_ESYNTAX : portolan_trace_finish(x.trace, err);
}

/* ------------------------------------------------- time */

static int line_of(const struct engine *x, uint32_t e)
{
    uint32_t call = x->trace->events[e].kind == PORTOLAN_TRACE_BEGIN ? e : x->matching->call[e];

    return call == PORTOLAN_NO_EVENT ? 0 : (int)x->trace->events[call].bytes;
}

static void report_incomplete(struct scenario *s, const struct engine *x)
{
    for (size_t i = 0; i < x->matching->n_collectives; i++) {
        const struct portolan_collective *c = &x->matching->collectives[i];
        uint32_t e = x->matching->members[c->first];

        if (!c->is_complete)
            RUN_MISTAKE(s, line_of(x, e),
                        "rank %d takes part here, but not all ranks of its group do",
                        x->trace->locations[portolan_trace_location_of(x->trace, e)].rank);
    }
}

static void report_stuck(struct scenario *s, const struct engine *x)
{
    for (size_t i = 0; i < x->trace->n_locations; i++) {
        const struct engine_location *l = &x->locations[i];

        if (l->at < l->end)
            RUN_MISTAKE(s, (int)x->trace->events[l->call].bytes, "rank %d waits here for ever",
                        x->trace->locations[i].rank);
    }
}

/* Gives events their times, and drops those that a loop left out. */
static void take_times(struct portolan_trace *t, const int64_t *ns)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n_locations; i++) {
        size_t first = t->locations[i].first, end = first + t->locations[i].n;

        t->locations[i].first = n;
        for (size_t e = first; e < end; e++) {
            if (ns[e] < 0)
                continue;
            t->events[n] = t->events[e];
            t->events[n].ns = ns[e];
            if (t->events[n].kind == PORTOLAN_TRACE_BEGIN ||
                t->events[n].kind == PORTOLAN_TRACE_END)
                t->events[n].bytes = 0;
            n++;
        }
        t->locations[i].n = n - t->locations[i].first;
    }
    t->n_events = n;
    t->is_virtual = true;
}

/* Removes the matching, since messages are matched as they come, not in order of posting. */
static void forget_messages(const struct portolan_trace *t, struct portolan_matching *m)
{
    for (size_t e = 0; e < t->n_events; e++)
        if (t->events[e].kind == PORTOLAN_TRACE_SEND || t->events[e].kind == PORTOLAN_TRACE_RECV ||
            t->events[e].kind == PORTOLAN_TRACE_RECV_POST)
            m->partner[e] = PORTOLAN_NO_EVENT;
}

enum portolan_status scenario_run(struct scenario *s, struct portolan_trace **trace,
                                  struct portolan_error *err)
{
    enum portolan_status status = spell_out(s, trace, err);
    struct portolan_matching *m = NULL;
    struct message_queues queues = {0};
    struct engine x = {
        .trace = *trace, .queues = &queues, .costs = s->costs, .costs_was = s->costs};

    if (!status)
        status = portolan_matching_create(*trace, &m, err);
    if (!status) {
        forget_messages(*trace, m);
        x.changed_events = (*trace)->events;
        x.matching = m;
        report_incomplete(s, &x);
        if (!message_queues_prepare(&x) || !engine_prepare(&x))
            status = portolan_no_memory(err);
        else if (engine_run(&x))
            take_times(*trace, x.ns);
        else
            report_stuck(s, &x);
    }
    portolan_arena_clear(&x.arena);
    portolan_matching_destroy(m);
    return !status && s->reader.n_mistakes ? PORTOLAN_ESYNTAX : status;
}
