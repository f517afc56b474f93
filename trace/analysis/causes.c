/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Root causes by delay analysis (Boehme et al. 2010; Scalasca).
 *
 * Rank q waits W for rank p. Since the two met last, p spent more time than q on some paths: these
 * delays d, and the time w that p itself waited, made q wait. Each has its share of W. A delay is a
 * cause; the share of w is passed on to the waits of p, and so to the ranks that made p wait.
 *
 * The first step goes forwards: it finds in which order waits depend on each other, and when ranks
 * met last. The second goes backwards: when it comes to a wait, it knows already how much later
 * waiting that has caused. What is passed on is not added to each earlier wait, of which there may
 * be thousands, but kept as a rate of cost per nanosecond of waiting that applies to a range of
 * waits of a location, and becomes active when that range is reached.
 */
#include "internal.h"

#include <portolan/index.h>
#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The waiting of one state in one path. */
struct wait_class {
    enum portolan_wait_state state;
    uint32_t path;
};

/* A rate: each nanosecond of waits FIRST to some other of a location caused so much of a class. */
struct passed_cost {
    uint32_t class, next_begin, next_end;
    double rate;
};

struct active_class {
    uint32_t class, n;
    double rate;
};
struct active_classes {
    struct active_class *classes;
    size_t n, room;
};

struct delay_cell {
    uint32_t class, location, path;
    double direct, indirect;
};

struct cause_finder {
    struct portolan_waits *w;
    const struct portolan_trace *t;
    struct portolan_arena arena;
    struct path_profile profile;
    struct path_times times;
    uint32_t *order; /* waits, each after those that it depends on */
    int64_t *summed; /* total waiting of the waits before each */
    size_t *left;    /* by location: the first wait that has been charged */
    struct wait_interval *intervals;

    struct wait_class *classes;
    size_t n_classes;
    uint32_t *class_of; /* [path * states + state]: index of the class + 1 */
    struct passed_cost *costs;
    size_t n_costs, costs_room;
    uint32_t free_cost;
    uint32_t *begins, *ends;       /* by wait: index + 1 of the rates that begin and end here */
    struct active_classes *active; /* by location */

    struct delay_cell *cells;
    size_t n_cells, cells_room;
    struct portolan_index cell_index;
    bool no_memory;
};

/* ------------------------------------------------- charging */

static void charge(struct cause_finder *f, uint32_t class, size_t location, uint32_t path,
                   double direct, double indirect)
{
    const uint32_t key[] = {class, (uint32_t)location, path};
    struct delay_cell *cell = portolan_index_item(&f->cell_index, &f->cells, &f->n_cells,
                                                  &f->cells_room, sizeof *cell, key, sizeof key);

    if (cell) {
        cell->direct += direct;
        cell->indirect += indirect;
    }
    f->no_memory |= !cell;
}

/* Charges SHARE of NS of waiting, and of the waiting which that has caused. */
static void charge_all_of(struct cause_finder *f, const struct active_classes *active,
                          uint32_t class, size_t location, uint32_t path, int64_t ns, double share)
{
    charge(f, class, location, path, (double)ns * share, 0);
    for (size_t c = 0; c < active->n; c++)
        charge(f, active->classes[c].class, location, path, 0,
               (double)ns * active->classes[c].rate * share);
}

static uint32_t class_of_wait(struct cause_finder *f, const struct portolan_wait *wait)
{
    uint32_t path = f->w->path[wait->call];
    uint32_t *class = &f->class_of[(size_t)path * PORTOLAN_WAIT_STATES + wait->state];

    if (!*class) {
        struct wait_class new = {(enum portolan_wait_state)wait->state, path};

        portolan_arena_append(&f->arena, &f->classes, &f->n_classes, &new, sizeof new);
        *class = (uint32_t)f->n_classes;
        if (f->arena.failed)
            return 0;
    }
    return *class - 1;
}

/* Adds N times RATE of a class to the active classes; a class with no ranges left is removed. */
static void activate(struct cause_finder *f, struct active_classes *a, uint32_t class, int n,
                     double rate)
{
    size_t i = 0;

    while (i < a->n && a->classes[i].class != class)
        i++;
    if (i == a->n) {
        if (!portolan_reserve(&a->classes, &a->room, a->n + 1, sizeof *a->classes)) {
            f->no_memory = true;
            return;
        }
        a->classes[a->n++] = (struct active_class){.class = class};
    }
    a->classes[i].rate += n * rate;
    if (!(a->classes[i].n += (uint32_t)n))
        a->classes[i] = a->classes[--a->n];
}

/* Passes on a rate: waits FIRST to END of a location caused RATE of CLASS for each nanosecond. */
static void pass_on(struct cause_finder *f, size_t first, size_t end, uint32_t class, double rate)
{
    uint32_t at = f->free_cost;

    if (at) {
        f->free_cost = f->costs[at - 1].next_end;
    } else {
        if (!portolan_reserve(&f->costs, &f->costs_room, f->n_costs + 1, sizeof *f->costs)) {
            f->no_memory = true;
            return;
        }
        at = (uint32_t)++f->n_costs;
    }
    f->costs[at - 1] = (struct passed_cost){class, f->begins[end - 1], f->ends[first], rate};
    f->begins[end - 1] = f->ends[first] = at;
}

/* Activates rates whose range begins at wait K, going backwards; removes those that end. */
static void begin_passed_costs(struct cause_finder *f, struct active_classes *a, size_t k)
{
    for (uint32_t at = f->begins[k]; at; at = f->costs[at - 1].next_begin)
        activate(f, a, f->costs[at - 1].class, 1, f->costs[at - 1].rate);
}

static void end_handed(struct cause_finder *f, struct active_classes *a, size_t k)
{
    uint32_t next;

    for (uint32_t at = f->ends[k]; at; at = next) {
        next = f->costs[at - 1].next_end;
        activate(f, a, f->costs[at - 1].class, -1, f->costs[at - 1].rate);
        f->costs[at - 1].next_end = f->free_cost;
        f->free_cost = at;
    }
}

/* ------------------------------------------------- shares */

/* Waits of a location between two moments: those that end by the later one. */
struct wait_range {
    size_t first, end;
    int64_t ns;
};

static struct wait_range waits_between(const struct cause_finder *f, size_t p, struct moment from,
                                       struct moment to)
{
    const struct portolan_waits *w = f->w;
    struct wait_range r = {.end = w->first_wait[p + 1]};

    r.first = first_wait_from(w, w->first_wait[p], r.end, from.at);
    while (r.first < r.end && w->waits[r.first].call <= to.at &&
           w->waits[r.first].begin_ns < from.ns)
        r.first++;
    r.end = first_wait_from(w, r.first, r.end, to.at);
    while (r.end < w->first_wait[p + 1] && w->waits[r.end].call == to.at &&
           w->waits[r.end].begin_ns + w->waits[r.end].ns <= to.ns)
        r.end++;
    /* If clocks make waits depend on each other in a circle, none is charged twice. */
    if (r.end > f->left[p])
        r.end = f->left[p];
    if (r.first > r.end)
        r.first = r.end;
    r.ns = f->summed[r.end] - f->summed[r.first];
    return r;
}

/* Finds the delays d of location P in the interval of wait K, in `times`; returns their sum. */
static int64_t find_delays(struct cause_finder *f, size_t i, size_t p, size_t k,
                           struct wait_range *r)
{
    const struct portolan_wait *wait = &f->w->waits[k];
    const struct wait_interval *interval = &f->intervals[k];
    struct moment from = {interval->by_from, interval->from_ns};
    struct moment to = {wait->by, wait->begin_ns + wait->ns};
    struct moment own_from = {interval->own_from, interval->from_ns};
    struct moment own_to = {wait->from, wait->begin_ns};
    int64_t sum = 0;

    path_times_empty(&f->times);
    profile_add(&f->profile, p, from, to, 1, &f->times);
    *r = waits_between(f, p, from, to);
    profile_subtract_waits(&f->profile, p, r->first, r->end, &f->times);
    profile_add(&f->profile, i, own_from, own_to, -1, &f->times);
    for (size_t n = 0; n < f->times.n_paths; n++)
        if (f->times.ns[f->times.paths[n]] > 0)
            sum += f->times.ns[f->times.paths[n]];
    return sum;
}

/* Charges each delay its share of what wait K has caused, and passes on the rest. */
static void share_wait(struct cause_finder *f, size_t i, size_t k, uint32_t class)
{
    const struct portolan_wait *wait = &f->w->waits[k];
    struct active_classes *active = &f->active[i];
    size_t p = portolan_trace_location_of(f->t, wait->by);
    struct wait_range r;
    int64_t delays = find_delays(f, i, p, k, &r);
    double all = (double)(delays + r.ns > wait->ns ? delays + r.ns : wait->ns);
    double rest = (all - (double)(delays + r.ns)) / all;

    for (size_t n = 0; n < f->times.n_paths; n++) {
        uint32_t path = f->times.paths[n];
        double share = (double)f->times.ns[path] / all;

        if (share > 0)
            charge_all_of(f, active, class, p, path, wait->ns, share);
    }
    if (rest > 0)
        charge_all_of(f, active, class, UINT32_MAX, UINT32_MAX, wait->ns, rest);
    if (!r.ns)
        return;
    pass_on(f, r.first, r.end, class, (double)wait->ns / all);
    for (size_t c = 0; c < active->n; c++)
        pass_on(f, r.first, r.end, active->classes[c].class,
                (double)wait->ns * active->classes[c].rate / all);
}

static void charge_all(struct cause_finder *f)
{
    for (size_t n = f->w->n_waits; n-- > 0 && !f->no_memory && !f->arena.failed;) {
        size_t k = f->order[n];
        size_t i = portolan_trace_location_of(f->t, f->w->waits[k].call);
        uint32_t class = class_of_wait(f, &f->w->waits[k]);

        f->left[i] = k;
        begin_passed_costs(f, &f->active[i], k);
        share_wait(f, i, k, class);
        end_handed(f, &f->active[i], k);
    }
}

/* ------------------------------------------------- whole nanoseconds */

static int by_class(const void *a, const void *b)
{
    const struct delay_cell *x = a, *y = b;
    int order = PORTOLAN_ORDER(x->class, y->class);

    order = order ? order : PORTOLAN_ORDER(x->location, y->location);
    return order ? order : PORTOLAN_ORDER(x->path, y->path);
}

static int by_size(const void *a, const void *b)
{
    const struct portolan_delay *x = a, *y = b;
    int order = PORTOLAN_ORDER(y->direct_ns + y->indirect_ns, x->direct_ns + x->indirect_ns);

    order = order ? order : PORTOLAN_ORDER(x->state, y->state);
    order = order ? order : PORTOLAN_ORDER(x->waiting_path, y->waiting_path);
    order = order ? order : PORTOLAN_ORDER(x->location, y->location);
    return order ? order : PORTOLAN_ORDER(x->path, y->path);
}

/* Rounds to whole nanoseconds, such that the sum of each class is that of its waits. */
static int64_t round_on(double *sum, int64_t *taken, double ns)
{
    int64_t before = *taken;

    *sum += ns;
    *taken = llround(*sum);
    return *taken - before;
}

static bool write_delays(struct cause_finder *f)
{
    double sum = 0;
    int64_t taken = 0;

    if (!(f->w->delays = portolan_arena_alloc(&f->w->arena, f->n_cells, sizeof *f->w->delays)))
        return false;
    if (f->n_cells)
        qsort(f->cells, f->n_cells, sizeof *f->cells, by_class);
    for (size_t i = 0; i < f->n_cells; i++) {
        const struct delay_cell *cell = &f->cells[i];
        const struct wait_class *class = &f->classes[cell->class];
        struct portolan_delay delay = {class->state, class->path, cell->location, cell->path, 0, 0};

        if (i && f->cells[i - 1].class != cell->class) {
            sum = 0;
            taken = 0;
        }
        delay.direct_ns = round_on(&sum, &taken, cell->direct);
        delay.indirect_ns = round_on(&sum, &taken, cell->indirect);
        if (delay.direct_ns || delay.indirect_ns)
            f->w->delays[f->w->n_delays++] = delay;
    }
    if (f->w->n_delays)
        qsort(f->w->delays, f->w->n_delays, sizeof *f->w->delays, by_size);
    return true;
}

bool find_causes(struct portolan_waits *w)
{
    struct cause_finder f = {.w = w, .t = w->trace};
    size_t n = w->n_waits, n_locations = w->trace->n_locations;
    struct portolan_arena *a = &f.arena;
    bool ok;

    f.class_of = portolan_arena_alloc(a, w->n_paths * PORTOLAN_WAIT_STATES, sizeof *f.class_of);
    f.begins = portolan_arena_alloc(a, n + 1, sizeof *f.begins);
    f.ends = portolan_arena_alloc(a, n + 1, sizeof *f.ends);
    f.summed = portolan_arena_alloc(a, n + 1, sizeof *f.summed);
    f.left = portolan_arena_alloc(a, n_locations + 1, sizeof *f.left);
    f.active = portolan_arena_alloc(a, n_locations + 1, sizeof *f.active);
    path_times_prepare(&f.times, a, w->n_paths);
    profile_prepare(&f.profile, a, w);
    ok = !a->failed && find_intervals(w, a, &f.order, &f.intervals);
    for (size_t i = 0; ok && i < n; i++)
        f.summed[i + 1] = f.summed[i] + w->waits[i].ns;
    if (ok) {
        memcpy(f.left, w->first_wait + 1, n_locations * sizeof *f.left);
        charge_all(&f);
    }
    ok = ok && !f.no_memory && !a->failed && write_delays(&f);
    for (size_t i = 0; f.active && i < n_locations; i++)
        free(f.active[i].classes);
    free(f.costs);
    free(f.cells);
    portolan_index_clear(&f.cell_index);
    portolan_arena_clear(a);
    return ok;
}
