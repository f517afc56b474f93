/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replays a trace without the time that something takes.
 *
 * The trace is run twice by the engine, as it is and with the removals; the gain is the relative
 * difference of the two, so that errors of the engine cancel. How far the first run differs from
 * the trace is the error of the replay; a replay with a greater error than most_error is refused.
 * The costs of messages are needed for what did not happen in the trace, as joined messages; they
 * are estimated as the line below the times of all messages that were awaited when they were sent,
 * since a mean would contain waiting.
 *
 * If others used the processors, a first run finds the least time of each routine beyond waiting,
 * and the second one allows no call more than that.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <portolan/list.h>

#include "engine.h"

/* A replay with a greater error does not represent the run. */
static const double most_error = 0.05;

/* The removals of one run of the engine, and what was found in the run as it was. */
struct replay_run {
    const struct portolan_waits *w;
    const struct portolan_removal *removals;
    size_t n;
    struct portolan_costs costs;
    bool use_cpu, finds_least;
    const struct recording_cost *recording;
    int64_t *least_excess; /* by routine */
    int64_t *event_ns;
};

static void set_changes(struct engine *x, const struct replay_changes *c)
{
    x->following_ns = c->following_ns;
    x->changes = c->changes;
    x->partner = c->partner;
    x->joined = c->joined;
    x->n_joined = c->n_joined;
}

static enum portolan_status run_engine(const struct replay_run *r, int64_t *run_ns,
                                       struct portolan_error *err)
{
    const struct portolan_trace *t = r->w->trace;
    struct replay_changes changes;
    struct engine x = {.trace = t,
                       .matching = r->w->matching,
                       .waits = r->w,
                       .costs = r->costs,
                       .removals = r->removals,
                       .least_excess = r->least_excess,
                       .finds_least = r->finds_least,
                       .recording_ns = r->recording ? r->recording->begin_ns : 0};
    enum portolan_status status =
        changes_prepare(&changes, r->w, r->removals, r->n, r->use_cpu, r->recording, err);

    set_changes(&x, &changes);
    x.costs.latency_ns -= x.recording_ns < x.costs.latency_ns ? x.recording_ns : x.costs.latency_ns;
    x.costs_was = x.costs;
    for (size_t i = 0; i < r->n; i++)
        if (r->removals[i].kind == PORTOLAN_REMOVE_NETWORK) {
            x.is_ideal = true;
            x.costs = (struct portolan_costs){0};
        }
    if (!status)
        status = engine_prepare_and_run(&x, r->n ? " without what was removed" : "", err);
    *run_ns = 0;
    for (size_t i = 0; !status && i < t->n_locations; i++)
        if (x.locations[i].clock > *run_ns)
            *run_ns = x.locations[i].clock;
    if (!status && r->event_ns)
        memcpy(r->event_ns, x.ns, t->n_events * sizeof *r->event_ns);
    portolan_arena_clear(&x.arena);
    portolan_arena_clear(&changes.arena);
    return status;
}

/* Finds how long a call of each routine takes at least beyond waiting. */
static enum portolan_status find_least(struct replay_run *r, struct portolan_arena *arena,
                                       struct portolan_error *err)
{
    struct replay_run plain = {.w = r->w, .costs = r->costs, .finds_least = true};
    size_t n = r->w->trace->n_routines;
    int64_t run_ns;

    if (!(r->least_excess = portolan_arena_alloc(arena, n, sizeof *r->least_excess)))
        return portolan_no_memory(err);
    for (size_t i = 0; i < n; i++)
        r->least_excess[i] = INT64_MAX;
    plain.least_excess = r->least_excess;
    return run_engine(&plain, &run_ns, err);
}

static enum portolan_status estimate_costs(const struct portolan_waits *waits, bool share_cores,
                                           struct portolan_costs *costs,
                                           struct portolan_error *err);

enum portolan_status portolan_replay(const struct portolan_waits *waits,
                                     const struct portolan_removal *removals, size_t n,
                                     const struct portolan_replay_options *options,
                                     struct portolan_replay *replay, struct portolan_error *err)
{
    struct portolan_replay_options none = {0};
    struct replay_run r = {.w = waits};
    struct portolan_arena arena = {0};
    struct recording_cost recording;
    enum portolan_status status = PORTOLAN_OK;

    options = options ? options : &none;
    if (options->costs)
        r.costs = *options->costs;
    else if ((status = estimate_costs(waits, options->use_cpu, &r.costs, err)))
        return status;
    r.use_cpu = options->use_cpu;
    *replay = (struct portolan_replay){
        .measured_ns = waits->run_ns, .as_is_ns = options->as_is_ns, .costs = r.costs};
    if (r.use_cpu)
        status = find_least(&r, &arena, err);
    if (!status && options->without_recording) {
        r.recording = &recording;
        if (!recording_cost_find(waits->trace, waits->matching, &arena, &recording))
            status = portolan_no_memory(err);
    }
    if (!status && n && !replay->as_is_ns)
        status = run_engine(&r, &replay->as_is_ns, err);
    r.removals = removals;
    r.n = n;
    r.event_ns = options->event_ns;
    if (!status)
        status = run_engine(&r, &replay->run_ns, err);
    portolan_arena_clear(&arena);
    if (status)
        return status;
    if (!n)
        replay->as_is_ns = replay->run_ns;
    if (replay->measured_ns)
        replay->error =
            fabs((double)(replay->as_is_ns - replay->measured_ns)) / (double)replay->measured_ns;
    replay->is_refused = !options->use_cpu && replay->error > most_error;
    if (!replay->is_refused && replay->as_is_ns)
        replay->gain = (double)(replay->as_is_ns - replay->run_ns) / (double)replay->as_is_ns;
    return PORTOLAN_OK;
}

/* ------------------------------------------------- costs of messages */

struct message_point {
    double bytes, ns;
};

static int by_bytes(const void *a, const void *b)
{
    const struct message_point *x = a, *y = b;
    int order = PORTOLAN_ORDER(x->bytes, y->bytes);

    return order ? order : PORTOLAN_ORDER(x->ns, y->ns);
}

/* Finds the longest time that the message of RECV may have taken: from the begin of its send to the
 * end of the call that received it. Only a message that was sent while it was waited for shows
 * this; others lay ready. If ranks SHARE_CORES, a rank that waits may have no core when the message
 * comes. Then messages that lay ready for a call which asked later count as well: the time of that
 * call, and of the one that sent it if that had ended. */
static bool measure_message(const struct portolan_waits *w, uint32_t recv, bool share_cores,
                            struct message_point *p)
{
    const struct portolan_matching *m = w->matching;
    const struct portolan_trace_event *events = w->trace->events;
    uint32_t send = m->partner[recv], call = m->call[recv], from;
    int64_t begin, sent;

    if (events[recv].kind != PORTOLAN_TRACE_RECV || send == PORTOLAN_NO_EVENT ||
        call == PORTOLAN_NO_EVENT || (from = m->call[send]) == PORTOLAN_NO_EVENT)
        return false;
    begin = events[from].ns;
    if (begin < events[call].ns) {
        if (!share_cores || events[recv].request || events[send].request)
            return false;
        sent = events[m->call[from]].ns;
        begin = events[call].ns - (sent < events[call].ns ? sent - begin : 0);
    }
    *p = (struct message_point){(double)events[recv].bytes,
                                (double)(events[m->call[call]].ns - begin)};
    return p->ns >= 0;
}

/* Collects *POINTS, which the caller frees; NULL: no memory. */
static size_t collect_points(const struct portolan_waits *w, bool share_cores,
                             struct message_point **points)
{
    size_t n_received = 0, n = 0;

    for (size_t e = 0; e < w->trace->n_events; e++)
        n_received += w->trace->events[e].kind == PORTOLAN_TRACE_RECV;
    *points = portolan_calloc(n_received + 1, sizeof **points);
    for (uint32_t e = 0; *points && e < w->trace->n_events; e++)
        n += measure_message(w, e, share_cores, &(*points)[n]);
    return n;
}

/* Returns whether B is above the line from A to C, or on it. */
static bool is_above(const struct message_point *a, const struct message_point *b,
                     const struct message_point *c)
{
    return (b->ns - a->ns) * (c->bytes - a->bytes) >= (c->ns - a->ns) * (b->bytes - a->bytes);
}

/* Leaves the lower convex hull of N sorted points, the least of each size; returns its size. */
static size_t lower_hull(struct message_point *points, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (kept && points[kept - 1].bytes == points[i].bytes)
            continue;
        while (kept > 1 && is_above(&points[kept - 2], &points[kept - 1], &points[i]))
            kept--;
        points[kept++] = points[i];
    }
    return kept;
}

/* Fits the line below all points that has the least distance to them: the hull's at their mean. */
static void fit_line(struct message_point *points, size_t n, struct portolan_costs *costs)
{
    double mean = 0, slope = 0, latency;
    size_t at = 0;

    for (size_t i = 0; i < n; i++)
        mean += points[i].bytes / (double)n;
    qsort(points, n, sizeof *points, by_bytes);
    n = lower_hull(points, n);
    while (at + 2 < n && points[at + 1].bytes < mean)
        at++;
    if (n > 1)
        slope = (points[at + 1].ns - points[at].ns) / (points[at + 1].bytes - points[at].bytes);
    latency = points[at].ns - slope * points[at].bytes;
    if (slope < 0) { /* larger messages are not faster, so this is noise */
        slope = 0;
        latency = points[n - 1].ns;
    }
    if (latency < 0) {
        latency = 0;
        slope = INFINITY;
        for (size_t i = 0; i < n; i++)
            if (points[i].bytes > 0)
                slope = fmin(slope, points[i].ns / points[i].bytes);
        slope = isfinite(slope) ? slope : 0;
    }
    costs->latency_ns = llround(latency);
    costs->ns_per_byte = slope;
}

/* Returns the send of a completion in a call; none: it completes no send, or one by MPI_Ssend. */
static uint32_t completed_send(const struct portolan_waits *w, uint32_t e)
{
    uint32_t send = portolan_completed_send(w->matching, e);
    uint32_t call = send == PORTOLAN_NO_EVENT ? send : w->matching->call[send];

    return call != PORTOLAN_NO_EVENT &&
                   !engine_synchronous(w->trace->routines[w->trace->events[call].what])
               ? send
               : PORTOLAN_NO_EVENT;
}

/*
 * Estimates the eager limit. A send that ended before the receive was posted did not wait for it,
 * nor do smaller ones. Among larger ones, the least that ended later did, if one waited at all;
 * that alone proves little.
 */
static uint64_t estimate_eager(const struct portolan_waits *w)
{
    const struct portolan_trace_event *events = w->trace->events;
    uint64_t eager = 0, waited = UINT64_MAX;
    bool is_known = false;

    for (uint32_t e = 0; e < w->trace->n_events; e++) {
        uint32_t send = completed_send(w, e), call = w->matching->call[e], posted;

        if (send == PORTOLAN_NO_EVENT || call == PORTOLAN_NO_EVENT ||
            (posted = portolan_posting_call(w->matching, w->matching->partner[send])) ==
                PORTOLAN_NO_EVENT ||
            events[w->matching->call[call]].ns >= events[posted].ns)
            continue;
        is_known = true;
        eager = events[send].bytes > eager ? events[send].bytes : eager;
    }
    for (size_t i = 0; i < w->n_waits; i++)
        for (uint32_t e = w->waits[i].call; w->waits[i].state == PORTOLAN_WAIT_LATE_RECEIVER &&
                                            e < w->matching->call[w->waits[i].call];
             e++) {
            uint32_t send = completed_send(w, e);

            if (send != PORTOLAN_NO_EVENT && (!is_known || events[send].bytes > eager) &&
                events[send].bytes < waited)
                waited = events[send].bytes;
        }
    return waited == UINT64_MAX ? waited : waited ? waited - 1 : 0;
}

static enum portolan_status estimate_costs(const struct portolan_waits *waits, bool share_cores,
                                           struct portolan_costs *costs, struct portolan_error *err)
{
    struct message_point *points;
    size_t n = collect_points(waits, share_cores, &points);

    *costs = (struct portolan_costs){0};
    if (!points)
        return portolan_no_memory(err);
    if (n)
        fit_line(points, n, costs);
    free(points);
    costs->eager_bytes = estimate_eager(waits);
    return PORTOLAN_OK;
}

enum portolan_status portolan_costs_estimate(const struct portolan_waits *waits,
                                             struct portolan_costs *costs,
                                             struct portolan_error *err)
{
    return estimate_costs(waits, false, costs, err);
}

/* ------------------------------------------------- efficiencies */

/* Returns the time of starting and ending on the critical path, which no program can save. */
static int64_t start_and_end_ns(const struct portolan_waits *w)
{
    int64_t ns = 0;

    for (size_t i = 0; i < w->n_paths; i++)
        if (portolan_path_starts_or_ends(w, i))
            ns += w->paths[i].critical_ns;
    return ns;
}

static double ratio(double a, double b)
{
    return b > 0 ? fmin(a / b, 1) : 1;
}

enum portolan_status portolan_efficiencies(const struct portolan_waits *waits,
                                           struct portolan_efficiencies *efficiencies,
                                           struct portolan_error *err)
{
    struct portolan_removal network = {.kind = PORTOLAN_REMOVE_NETWORK};
    struct portolan_replay replay;
    enum portolan_status status = portolan_replay(waits, &network, 1, NULL, &replay, err);
    size_t n = waits->trace->n_locations;
    double greatest = 0, sum = 0, run, ideal;

    if (status)
        return status;
    for (size_t i = 0; i < n; i++) {
        double useful = 0;

        for (size_t p = 0; p < waits->n_paths; p++)
            if (waits->paths[p].kind == PORTOLAN_PATH_PROGRAM ||
                waits->paths[p].kind == PORTOLAN_PATH_REGION)
                useful += (double)(waits->path_ns[p * n + i] - waits->path_waiting_ns[p * n + i]);
        greatest = fmax(greatest, useful);
        sum += useful;
    }
    efficiencies->load_balance = ratio(sum / (double)(n ? n : 1), greatest);
    efficiencies->start_and_end_ns = start_and_end_ns(waits);
    run = (double)(waits->run_ns - efficiencies->start_and_end_ns);
    ideal = fmax((double)(replay.run_ns - efficiencies->start_and_end_ns), greatest);
    efficiencies->serialisation = ratio(greatest, ideal);
    efficiencies->transfer = ratio(ideal, run);
    efficiencies->communication = efficiencies->serialisation * efficiencies->transfer;
    efficiencies->parallel = efficiencies->load_balance * efficiencies->communication;
    return PORTOLAN_OK;
}
