/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Brings the clocks of several hosts to one.
 *
 * A message shows that, at that time, its receiver's clock was ahead of the sender's by less than
 * the time between the two events; a message back shows that it was ahead by more. Plotted over
 * time, these are bounds from above and from below, and if the drift is constant, the true
 * difference is a straight line between them. The line that is as far as possible from all bounds
 * is taken (after Duda et al. 1987). Collectives bound in the same way, since no rank can leave
 * before the last has entered.
 *
 * Messages that lay waiting bound only loosely, and a line in the middle of loose bounds would
 * change who waited for whom. Therefore clocks that may agree, as far as the bounds say, are not
 * changed. Pairs of clocks are joined in the order of certainty, until all are related to the
 * first. The logical clock corrects messages that the lines leave reversed (received before they
 * were sent).
 */
#include "internal.h"

#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The drift of quartz is smaller. */
#define MOST_DRIFT     1e-3
#define PRICE_OF_DRIFT 1e-3

enum { LEAST_ENDS = 8 };

enum bound_kind { BOUND_ABOVE, BOUND_BELOW, BOUND_END };

/* A bound: at time AT of clock LOW, clock HIGH was ahead of it by less (ABOVE), by more (BELOW),
 * or, when a collective ended, by about as much. */
struct bound {
    uint32_t low, high;
    enum bound_kind kind;
    int64_t at, ahead;
};

/* The relation that a pair's bounds imply: high = low + ahead + drift * (low - at), up to the
 * margin. */
struct relation {
    uint32_t low, high;
    int64_t at;
    double ahead, drift, margin;
};

/* Converts to the time of the first clock: factor * t + offset. */
struct clock {
    const struct portolan_trace_location *of; /* the first location that has it */
    double factor, offset;
    bool is_related;
};

struct clock_finder {
    const struct portolan_trace *t;
    const struct portolan_matching *m;
    struct portolan_arena arena;
    uint32_t *clock_of; /* by location */
    struct clock *clocks;
    size_t n_clocks;
    struct bound *bounds;
    size_t n_bounds, room;
    struct relation *relations;
    size_t n_relations;
};

/* ------------------------------------------------- clocks */

/* Returns whether two locations have one clock: of a rank, or of a host, unless IS_OF_RANKS. */
static bool is_same_clock(const struct portolan_trace_location *a,
                          const struct portolan_trace_location *b, bool is_of_ranks)
{
    if (*a->clock || *b->clock)
        return !strcmp(a->clock, b->clock);
    return is_of_ranks ? a->rank == b->rank : !strcmp(a->host, b->host);
}

static bool number_clocks(struct clock_finder *f, bool is_of_ranks)
{
    const struct portolan_trace *t = f->t;

    f->n_clocks = 0;
    f->clock_of = portolan_arena_alloc(&f->arena, t->n_locations, sizeof *f->clock_of);
    f->clocks = portolan_arena_alloc(&f->arena, t->n_locations, sizeof *f->clocks);
    for (size_t i = 0; !f->arena.failed && i < t->n_locations; i++) {
        uint32_t k = i ? f->clock_of[i - 1] : 0;

        if (k >= f->n_clocks || !is_same_clock(f->clocks[k].of, &t->locations[i], is_of_ranks))
            for (k = 0; k < f->n_clocks; k++)
                if (is_same_clock(f->clocks[k].of, &t->locations[i], is_of_ranks))
                    break;
        if (k == f->n_clocks)
            f->clocks[f->n_clocks++] = (struct clock){&t->locations[i], 1, 0, k == 0};
        f->clock_of[i] = k;
    }
    return !f->arena.failed;
}

/* ------------------------------------------------- bounds */

/* Adds a bound: a message left clock FROM at SENT, and had arrived when clock TO showed RECEIVED;
 * for an END, the two times are about equal. */
static bool add_bound(struct clock_finder *f, enum bound_kind kind, uint32_t from, int64_t sent,
                      uint32_t to, int64_t received)
{
    struct bound b = {from, to, kind, sent, received - sent};

    if (from == to)
        return true;
    if (from > to)
        b = (struct bound){to, from, kind == BOUND_END ? kind : BOUND_BELOW, received,
                           sent - received};
    if (!portolan_reserve(&f->bounds, &f->room, f->n_bounds + 1, sizeof b))
        return false;
    f->bounds[f->n_bounds++] = b;
    return true;
}

static bool bound_by_messages(struct clock_finder *f)
{
    bool ok = true;

    for (size_t i = 0; i < f->t->n_locations; i++) {
        const struct portolan_trace_location *l = &f->t->locations[i];

        for (size_t e = l->first; ok && e < l->first + l->n; e++) {
            uint32_t send = f->m->partner[e];

            if (f->t->events[e].kind == PORTOLAN_TRACE_RECV && send != no_event)
                ok = add_bound(f, BOUND_ABOVE, f->clock_of[portolan_trace_location_of(f->t, send)],
                               f->t->events[send].ns, f->clock_of[i], f->t->events[e].ns);
        }
    }
    return ok;
}

/* In a collective, no member that receives leaves before all that send have entered. */
enum meeting_kind { MEETING_NONE, MEETING_ALL, MEETING_FROM_ROOT, MEETING_TO_ROOT };

static bool meeting_sends(enum meeting_kind kind, bool is_root)
{
    return kind == MEETING_ALL || (kind == MEETING_FROM_ROOT ? is_root : !is_root);
}

static bool meeting_receives(enum meeting_kind kind, bool is_root)
{
    return kind == MEETING_ALL || (kind == MEETING_TO_ROOT ? is_root : !is_root);
}

/* Return the events by which a member, a COLLECTIVE, enters and leaves; none: not known. */
static uint32_t meeting_enter(const struct portolan_matching *m, uint32_t e)
{
    return m->trace->events[e].request ? e : m->call[e];
}

static uint32_t meeting_leave(const struct portolan_matching *m, uint32_t e)
{
    return m->trace->events[e].request ? m->other[e] : m->call[m->call[e]];
}

/* Returns NONE if the collective is incomplete, or does not surely hold its members up (where
 * amounts differ, some are 0). */
static enum meeting_kind meeting_kind_of(const struct portolan_matching *m,
                                         const struct portolan_collective *c)
{
    const struct portolan_trace *t = m->trace;
    uint32_t first = c->n ? m->members[c->first] : no_event;
    uint32_t call = first == no_event || t->events[first].kind != PORTOLAN_TRACE_COLLECTIVE
                        ? no_event
                        : m->call[first];
    const char *routine = call == no_event ? "?" : t->routines[t->events[call].what];
    char end = routine[strlen(routine) - 1];

    if (!c->is_complete || c->is_window || call == no_event || t->comms[c->what].n_remote)
        return MEETING_NONE;
    if (m->classes[t->events[call].what] == PORTOLAN_ROUTINE_BARRIER)
        return MEETING_ALL;
    if (end == 'v' || end == 'w' || !t->events[first].bytes)
        return MEETING_NONE;
    switch ((enum portolan_trace_routine_class)m->classes[t->events[call].what]) {
    case PORTOLAN_ROUTINE_N_TO_N:
        return MEETING_ALL;
    case PORTOLAN_ROUTINE_ONE_TO_N:
        return t->events[first].peer >= 0 ? MEETING_FROM_ROOT : MEETING_NONE;
    case PORTOLAN_ROUTINE_N_TO_ONE:
        return t->events[first].peer >= 0 ? MEETING_TO_ROOT : MEETING_NONE;
    default:
        return MEETING_NONE;
    }
}

/* When, by each clock, the last awaited rank entered, and the first of those that wait left. */
struct crossing {
    int64_t last_enter, first_leave;
    size_t collective; /* the collective + 1 to which these belong */
};

static void cross(const struct clock_finder *f, const struct portolan_collective *c,
                  enum meeting_kind kind, size_t number, struct crossing *crossings)
{
    for (uint32_t k = c->first; k < c->first + c->n; k++) {
        uint32_t e = f->m->members[k];
        size_t location = portolan_trace_location_of(f->t, e);
        struct crossing *x = &crossings[f->clock_of[location]];
        int64_t enter = f->t->events[meeting_enter(f->m, e)].ns;
        uint32_t leave = meeting_leave(f->m, e);
        int rank = f->t->locations[location].rank;

        if (x->collective != number)
            *x = (struct crossing){INT64_MIN, INT64_MAX, number};
        if (meeting_sends(kind, rank == f->t->events[e].peer) && enter > x->last_enter)
            x->last_enter = enter;
        if (leave != no_event && meeting_receives(kind, rank == f->t->events[e].peer) &&
            f->t->events[leave].ns < x->first_leave)
            x->first_leave = f->t->events[leave].ns;
    }
}

/* Bounds each clock against that of the first member; the other pairs follow from these. */
static bool bound_by_crossings(struct clock_finder *f, const struct crossing *crossings,
                               size_t number, uint32_t first, enum meeting_kind kind)
{
    const struct crossing *a = &crossings[first];
    bool ok = true;

    for (uint32_t k = 0; ok && k < f->n_clocks; k++) {
        const struct crossing *b = &crossings[k];

        if (b->collective != number || k == first)
            continue;
        if (a->last_enter != INT64_MIN && b->first_leave != INT64_MAX)
            ok = add_bound(f, BOUND_ABOVE, first, a->last_enter, k, b->first_leave);
        if (ok && b->last_enter != INT64_MIN && a->first_leave != INT64_MAX)
            ok = add_bound(f, BOUND_ABOVE, k, b->last_enter, first, a->first_leave);
        if (ok && kind == MEETING_ALL && a->first_leave != INT64_MAX && b->first_leave != INT64_MAX)
            ok = add_bound(f, BOUND_END, first, a->first_leave, k, b->first_leave);
    }
    return ok;
}

static bool bound_by_collectives(struct clock_finder *f)
{
    struct crossing *crossings = portolan_arena_alloc(&f->arena, f->n_clocks, sizeof *crossings);
    bool ok = crossings;

    for (size_t i = 0; ok && i < f->m->n_collectives; i++) {
        const struct portolan_collective *c = &f->m->collectives[i];
        enum meeting_kind kind = meeting_kind_of(f->m, c);

        if (kind == MEETING_NONE)
            continue;
        cross(f, c, kind, i + 1, crossings);
        ok = bound_by_crossings(
            f, crossings, i + 1,
            f->clock_of[portolan_trace_location_of(f->t, f->m->members[c->first])], kind);
    }
    return ok;
}

static int compare_bounds(const void *a, const void *b)
{
    const struct bound *x = a, *y = b;
    int order = PORTOLAN_ORDER(x->low, y->low);

    return order ? order : PORTOLAN_ORDER(x->high, y->high);
}

/* ------------------------------------------------- lines between bounds */

/* Returns how far the nearest bounds are from a line of that DRIFT in the middle between them. */
static double margin_of(const struct bound *b, size_t n, double drift, double *middle)
{
    double least = INFINITY, most = -INFINITY;

    for (size_t i = 0; i < n; i++) {
        double ahead = (double)b[i].ahead - drift * (double)(b[i].at - b[0].at);

        if (b[i].kind == BOUND_ABOVE)
            least = fmin(least, ahead);
        else if (b[i].kind == BOUND_BELOW)
            most = fmax(most, ahead);
    }
    *middle = (least + most) / 2;
    return (least - most) / 2;
}

/* Returns whether all bounds allow that the clocks show the same. */
static bool may_agree(const struct bound *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (b[i].kind == BOUND_ABOVE ? b[i].ahead < 0 : b[i].kind == BOUND_BELOW && b[i].ahead > 0)
            return false;
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    return PORTOLAN_ORDER(*(const double *)a, *(const double *)b);
}

/* Follows the ends of collectives, which all members leave at about the same time, whoever came
 * last. If always the same rank comes last, its bounds are loose, and their middle would hide that
 * others wait for it. Takes the median, as far as the bounds allow. Returns false if there are too
 * few, or if the middle half of them may agree. */
static bool follow_ends(struct portolan_arena *arena, const struct bound *b, size_t n,
                        struct relation *r)
{
    double *ends = portolan_arena_alloc(arena, n, sizeof *ends);
    size_t n_ends = 0;

    for (size_t i = 0; ends && i < n; i++)
        if (b[i].kind == BOUND_END)
            ends[n_ends++] = (double)b[i].ahead - r->drift * (double)(b[i].at - b->at);
    if (n_ends < LEAST_ENDS || !(r->margin >= 0))
        return false;
    qsort(ends, n_ends, sizeof *ends, compare_numbers);
    r->ahead = fmin(fmax(ends[n_ends / 2], r->ahead - r->margin), r->ahead + r->margin);
    return ends[n_ends / 4] > 0 || ends[n_ends - 1 - n_ends / 4] < 0;
}

/* Finds the line of a pair. The margin is a concave function of the drift. Since few bounds allow
 * many lines, a drift must widen the margin to be accepted. */
static struct relation relate_pair(struct portolan_arena *arena, const struct bound *b, size_t n)
{
    double low = -MOST_DRIFT, high = MOST_DRIFT, ahead, span = 0;
    struct relation r = {.low = b->low, .high = b->high, .at = b->at};

    for (size_t i = 1; i < n; i++)
        span = fmax(span, fabs((double)(b[i].at - b->at)));
    for (int i = 0; i < 60; i++) {
        double left = low + (high - low) / 3, right = high - (high - low) / 3;

        if (margin_of(b, n, left, &ahead) - PRICE_OF_DRIFT * span * fabs(left) <
            margin_of(b, n, right, &ahead) - PRICE_OF_DRIFT * span * fabs(right))
            low = left;
        else
            high = right;
    }
    r.drift = (low + high) / 2;
    r.margin = margin_of(b, n, r.drift, &r.ahead);
    if (!follow_ends(arena, b, n, &r) && may_agree(b, n))
        r.drift = r.ahead = 0;
    return r;
}

static bool find_relations(struct clock_finder *f)
{
    if (f->n_bounds)
        qsort(f->bounds, f->n_bounds, sizeof *f->bounds, compare_bounds);
    for (size_t i = 0, n; i < f->n_bounds; i += n) {
        struct relation r;

        for (n = 1; i + n < f->n_bounds && !compare_bounds(&f->bounds[i], &f->bounds[i + n]);)
            n++;
        r = relate_pair(&f->arena, &f->bounds[i], n);
        if (isfinite(r.margin))
            portolan_arena_append(&f->arena, &f->relations, &f->n_relations, &r, sizeof r);
    }
    return !f->arena.failed;
}

/* Computes the clock that R relates to one that is known. */
static void follow_relation(struct clock_finder *f, const struct relation *r)
{
    struct clock *low = &f->clocks[r->low], *high = &f->clocks[r->high];
    double factor = 1 + r->drift, offset = r->ahead - r->drift * (double)r->at;

    if (low->is_related) {
        high->factor = low->factor / factor;
        high->offset = low->offset - high->factor * offset;
    } else {
        low->factor = high->factor * factor;
        low->offset = high->offset + high->factor * offset;
    }
    low->is_related = high->is_related = true;
}

/* Joins clocks, the surest relations first. Returns the margin of the least sure one used. */
static double relate_clocks(struct clock_finder *f)
{
    double worst = 0;

    for (;;) {
        const struct relation *best = NULL;

        for (size_t i = 0; i < f->n_relations; i++) {
            const struct relation *r = &f->relations[i];

            if (f->clocks[r->low].is_related != f->clocks[r->high].is_related &&
                (!best || fabs(r->margin) < fabs(best->margin)))
                best = r;
        }
        if (!best)
            return worst;
        follow_relation(f, best);
        worst = fmax(worst, fabs(best->margin));
    }
}

/* ------------------------------------------------- the trace */

static uint64_t count_reversed(const struct portolan_trace *t, const struct portolan_matching *m)
{
    uint64_t n = 0;

    for (size_t e = 0; e < t->n_events; e++)
        n += t->events[e].kind == PORTOLAN_TRACE_RECV && m->partner[e] != no_event &&
             t->events[e].ns < t->events[m->partner[e]].ns;
    return n;
}

static void move_events(struct portolan_trace *t, const struct clock_finder *f, double *most_moved)
{
    int64_t least = INT64_MAX;

    for (size_t i = 0; i < t->n_locations; i++) {
        const struct portolan_trace_location *l = &t->locations[i];
        const struct clock *c = &f->clocks[f->clock_of[i]];

        for (size_t e = l->first; e < l->first + l->n; e++) {
            double moved = (c->factor - 1) * (double)t->events[e].ns + c->offset;

            t->events[e].ns += llround(moved);
            *most_moved = fmax(*most_moved, fabs(moved));
        }
        if (l->n && t->events[l->first].ns < least)
            least = t->events[l->first].ns;
    }
    for (size_t e = 0; e < t->n_events; e++)
        t->events[e].ns -= least;
}

static bool correct(struct portolan_trace *t, struct clock_finder *f,
                    struct portolan_clocks *result)
{
    if (!bound_by_messages(f) || !bound_by_collectives(f) || !find_relations(f))
        return false;
    result->uncertainty_ns = relate_clocks(f);
    for (size_t k = 0; k < f->n_clocks; k++)
        result->n_unrelated += !f->clocks[k].is_related;
    move_events(t, f, &result->most_moved_ns);
    result->n_reversed_by_drift = count_reversed(t, f->m);
    if (result->n_reversed_by_drift && !correct_logically(t, f->m, f->clock_of))
        return false;
    result->n_reversed_after = count_reversed(t, f->m);
    t->n_unrelated_clocks = result->n_unrelated;
    t->has_local_clocks = false;
    return true;
}

enum portolan_status portolan_clocks_correct(struct portolan_trace *trace,
                                             struct portolan_clocks *clocks,
                                             struct portolan_matching **matching,
                                             struct portolan_error *err)
{
    struct clock_finder f = {.t = trace};
    struct portolan_matching *m = NULL;
    enum portolan_status status = PORTOLAN_OK;
    bool is_unnamed, moves;

    *clocks = (struct portolan_clocks){0};
    if (!number_clocks(&f, false))
        status = portolan_no_memory(err);
    is_unnamed = f.n_clocks == 1 && !trace->is_virtual && !*trace->locations[0].clock;
    if (!status && (f.n_clocks > 1 || is_unnamed))
        status = portolan_matching_create(trace, &m, err);
    if (m && is_unnamed && m->n_reversed && !number_clocks(&f, true))
        status = portolan_no_memory(err);
    clocks->n_clocks = f.n_clocks;
    f.m = m;
    clocks->n_reversed_before = m ? m->n_reversed : 0;
    moves = m && !status && (trace->has_local_clocks || m->n_reversed);
    if (moves && !correct(trace, &f, clocks))
        status = portolan_no_memory(err);
    free(f.bounds);
    portolan_arena_clear(&f.arena);
    if (status || moves || !matching) {
        portolan_matching_destroy(m);
        m = NULL;
    }
    if (!status && matching && !m)
        status = portolan_matching_create(trace, &m, err);
    if (matching)
        *matching = m;
    return status;
}
