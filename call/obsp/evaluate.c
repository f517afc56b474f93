/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The times of the models. Every processor goes through its items as far as it can: to the end of a
 * superstep that waits for processors that have not come yet. This is repeated until all are
 * through.
 */
#include "internal.h"

#include <math.h>
#include <stdlib.h>

struct walker {
    size_t next;     /* item */
    double time;     /* OBSP*: F; BSP: computation since the last end of a superstep */
    double work;     /* computation since then */
    double variance; /* OBSP*: variance of TIME, because processors differ */
    size_t row;
    size_t n_barriers; /* BSP: barriers of all processors that it has passed */
    bool has_come;     /* whether it has come to the end of the superstep of item `next` */
};

struct evaluation {
    const struct portolan_obsp_trace *t;
    const struct portolan_obsp_options *o;
    struct portolan_obsp_machine machine;
    struct portolan_obsp_result *result;
    struct portolan_error *err;
    struct portolan_arena arena; /* holds the arrays below */
    struct walker *walkers;
    double *came;          /* arrival of each member of a superstep; NaN: not yet */
    double *came_variance; /* OBSP*: variance of that */
    size_t *n_came;        /* BSP: members that have come, per superstep */
    size_t *barrier_of;    /* BSP, per row */
    size_t n_barriers;
    double *longest, *most; /* BSP, per barrier: computation, bytes */
};

static bool knows(const struct experiment *e, bool is_plain)
{
    return is_plain ? e->formula != NULL : e->public.constants != NULL;
}

/* Seconds of computation X; sets ERR when they are not finite. */
static double seconds_of(struct evaluation *v, const struct item *x)
{
    bool is_plain = v->o->model == PORTOLAN_BSP;
    const struct experiment *e = x->experiment == NONE ? NULL : &v->t->experiments[x->experiment];
    double s = x->seconds;

    if (e && v->o->predict && knows(e, is_plain)) {
        if (x->is_part) /* the experiment's value stands for all of the communication */
            return 0;
        s = experiment_value(e, v->t->values + x->values, is_plain);
        if (is_plain)
            s *= v->machine.speed;
    }
    if (!isfinite(s))
        portolan_error_set(v->err, PORTOLAN_EINVAL,
                           is_plain && v->o->predict && isnan(v->machine.speed)
                               ? "%s: plain BSP needs the time of an operation: give it, or "
                                 "measure experiments like %s"
                               : "%s: the time of %s is not finite",
                           v->t->file, e ? e->public.name : "some work");
    return s;
}

/* The relative spread among processors of computation X, if it is predicted. */
static double spread_of(const struct evaluation *v, const struct item *x)
{
    const struct experiment *e = x->experiment == NONE ? NULL : &v->t->experiments[x->experiment];

    return e && v->o->predict && e->public.constants && !x->is_part ? e->spread : 0;
}

static double cost_of(struct evaluation *v, const struct item *x, double bytes)
{
    const struct experiment *e = x->experiment == NONE ? NULL : &v->t->experiments[x->experiment];
    double cost;

    if (v->o->model == PORTOLAN_OBSP && e && e->public.constants &&
        (v->o->predict || isnan(v->machine.latency)))
        cost = experiment_value(e, v->t->values + x->values, false);
    else
        cost = (bytes > 0 ? v->machine.g * bytes : 0) + v->machine.latency;
    if (!isfinite(cost))
        portolan_error_set(v->err, PORTOLAN_EINVAL,
                           "%s: the cost of communication is not known: give g and latency, or "
                           "measure",
                           v->t->file);
    return cost;
}

static struct portolan_obsp_row *row_of(struct evaluation *v, size_t p, const struct item *x)
{
    struct walker *w = &v->walkers[p];
    struct portolan_obsp_row *row = &v->result->rows[w->row++];
    const struct superstep *s = &v->t->supersteps[x->superstep];

    *row = (struct portolan_obsp_row){
        .processor = p,
        .depth = s->depth,
        .superstep = s->number,
        .work = w->work,
        .bytes = layout_bytes(s, x->pid, v->o->combine),
        .measured = x->until,
    };
    w->work = 0;
    return row;
}

/* -- OBSP* -- */

struct partners {
    const double *came, *variances; /* of the superstep's members */
    double latest, variance;
    size_t n;
    bool is_missing;
};

/*
 * The expected maximum of two uncertain times is greater than the maximum of their means: C. E.
 * Clark, "The greatest of a finite set of random variables", Operations Research 9 (1961).
 */
static void wait_for(struct partners *p, double came, double variance)
{
    double theta = sqrt(p->variance + variance), share, at, density, mean, square;

    if (!(theta > 0)) {
        p->latest = fmax(p->latest, came);
        return;
    }
    at = (p->latest - came) / theta;
    share = erfc(-at / M_SQRT2) / 2; /* probability that the former is later */
    density = exp(-at * at / 2) / sqrt(2 * M_PI);
    mean = p->latest * share + came * (1 - share) + theta * density;
    square = (p->latest * p->latest + p->variance) * share +
             (came * came + variance) * (1 - share) + (p->latest + came) * theta * density;
    p->latest = mean;
    p->variance = fmax(square - mean * mean, 0);
}

static void see(void *arg, size_t member)
{
    struct partners *p = arg;

    if (isnan(p->came[member]))
        p->is_missing = true;
    else if (p->n++ == 0 || p->is_missing) {
        p->latest = p->came[member];
        p->variance = p->variances[member];
    } else {
        wait_for(p, p->came[member], p->variances[member]);
    }
}

/* Ends the superstep of processor P; false when it must still wait for others. */
static bool end_obsp(struct evaluation *v, size_t p, const struct item *x)
{
    const struct superstep *s = &v->t->supersteps[x->superstep];
    struct partners partners = {.came = v->came + s->first_member,
                                .variances = v->came_variance + s->first_member};
    struct walker *w = &v->walkers[p];
    struct portolan_obsp_row *row;

    v->came[s->first_member + x->pid] = w->time;
    v->came_variance[s->first_member + x->pid] = w->variance;
    layout_visit(s, x->pid, see, &partners);
    if (partners.is_missing)
        return false;
    row = row_of(v, p, x);
    row->partners = partners.n - 1;
    row->communication = cost_of(v, x, row->bytes);
    row->end = w->time = partners.latest + row->communication;
    w->variance = 0; /* all waited for the same, so they do not differ any more */
    return true;
}

/* -- plain BSP -- */

static bool end_bsp(struct evaluation *v, size_t p, const struct item *x)
{
    const struct superstep *s = &v->t->supersteps[x->superstep];
    struct walker *w = &v->walkers[p];
    struct portolan_obsp_row *row;
    double *latest = v->came + s->first_member; /* the latest barrier that any member has passed */
    size_t n_members = 0, barrier;

    if (!w->has_come) {
        w->has_come = true;
        v->n_came[x->superstep]++;
        latest[0] = fmax(isnan(latest[0]) ? 0 : latest[0], (double)w->n_barriers);
    }
    for (size_t i = 0; i < s->n; i++)
        n_members += s->is_there[i];
    if (v->n_came[x->superstep] < n_members)
        return false;
    barrier = (size_t)latest[0];
    w->has_come = false;
    w->n_barriers = barrier + 1;
    if (v->n_barriers < w->n_barriers)
        v->n_barriers = w->n_barriers;
    v->barrier_of[w->row] = barrier;
    row = row_of(v, p, x);
    row->partners = v->t->n_processors - 1;
    v->longest[barrier] = fmax(v->longest[barrier], row->work);
    v->most[barrier] = fmax(v->most[barrier], row->bytes);
    w->time = 0;
    return true;
}

/* All barriers are known: computes when they end. */
static void date_barriers(struct evaluation *v)
{
    double now = 0, *end = v->longest;
    size_t row = 0;

    for (size_t k = 0; k < v->n_barriers; k++) {
        const struct item none = {.experiment = NONE};

        v->most[k] = cost_of(v, &none, v->most[k]);
        now += v->longest[k] + v->most[k];
        end[k] = now;
    }
    for (size_t p = 0; p < v->t->n_processors; p++) {
        struct walker *w = &v->walkers[p];

        for (; row < w->row; row++) {
            v->result->rows[row].communication = v->most[v->barrier_of[row]];
            v->result->rows[row].end = end[v->barrier_of[row]];
        }
        w->time += w->n_barriers ? end[w->n_barriers - 1] : 0;
        v->result->total = fmax(v->result->total, now + w->work);
    }
}

/* -- both -- */

/* Returns whether processor P has made any progress. */
static bool go_on(struct evaluation *v, size_t p)
{
    const struct processor *processor = &v->t->processors[p];
    struct walker *w = &v->walkers[p];
    size_t start = w->next;

    for (; w->next < processor->n_items; w->next++) {
        const struct item *x = &processor->items[w->next];

        if (x->kind == ITEM_WORK) {
            double s = seconds_of(v, x), doubt = s * spread_of(v, x);

            w->time += s;
            w->work += s;
            w->variance = pow(sqrt(w->variance) + doubt, 2); /* a slow one is always slow */
        } else if (x->kind == ITEM_SYNC &&
                   !(v->o->model == PORTOLAN_BSP ? end_bsp : end_obsp)(v, p, x)) {
            break;
        }
    }
    return w->next > start;
}

static enum portolan_status go_through(struct evaluation *v)
{
    struct portolan_error failed = {0}, *err = v->err;
    bool moved = true;

    v->err = &failed;
    while (moved) {
        moved = false;
        for (size_t p = 0; p < v->t->n_processors; p++)
            moved |= go_on(v, p);
    }
    for (size_t p = 0; p < v->t->n_processors; p++)
        if (v->walkers[p].next < v->t->processors[p].n_items)
            portolan_error_set(&failed, PORTOLAN_EINVAL,
                               "%s: processor %zu waits for ever at the end of a superstep",
                               v->t->file, p);
    if (v->o->model == PORTOLAN_BSP)
        date_barriers(v);
    return failed.status == PORTOLAN_OK ? PORTOLAN_OK
                                        : portolan_error_set(err, failed.status, "%s", failed.text);
}

static bool prepare(struct evaluation *v)
{
    struct portolan_obsp_result *r = v->result;
    struct portolan_arena *a = &v->arena;
    size_t n = v->t->n_processors, n_members = v->t->n_members;

    v->walkers = portolan_arena_alloc(a, n, sizeof *v->walkers);
    if (!v->walkers)
        return false;
    for (size_t p = 0; p < n; p++) {
        v->walkers[p].row = r->n_rows;
        for (size_t i = 0; i < v->t->processors[p].n_items; i++)
            r->n_rows += v->t->processors[p].items[i].kind == ITEM_SYNC;
    }
    r->n_processors = n;
    r->ends = portolan_calloc(n, sizeof *r->ends);
    r->measured_ends = portolan_calloc(n, sizeof *r->measured_ends);
    r->rows = portolan_calloc(r->n_rows + 1, sizeof *r->rows);
    v->came = portolan_arena_alloc(a, n_members, sizeof *v->came);
    v->came_variance = portolan_arena_alloc(a, n_members, sizeof *v->came_variance);
    v->n_came = portolan_arena_alloc(a, v->t->n_supersteps, sizeof *v->n_came);
    v->barrier_of = portolan_arena_alloc(a, r->n_rows, sizeof *v->barrier_of);
    v->longest = portolan_arena_alloc(a, r->n_rows, sizeof *v->longest);
    v->most = portolan_arena_alloc(a, r->n_rows, sizeof *v->most);
    for (size_t i = 0; v->came && i < n_members; i++)
        v->came[i] = NAN;
    return r->ends && r->measured_ends && r->rows && !a->failed;
}

static void conclude(struct evaluation *v)
{
    struct portolan_obsp_result *r = v->result;

    for (size_t p = 0; p < r->n_processors; p++) {
        r->ends[p] = v->walkers[p].time;
        r->measured_ends[p] = v->t->processors[p].end;
        r->total = fmax(r->total, r->ends[p]);
        r->measured_total = p ? fmax(r->measured_total, r->measured_ends[p]) : r->measured_ends[p];
    }
}

enum portolan_status portolan_obsp_evaluate(const struct portolan_obsp_trace *trace,
                                            const struct portolan_obsp_options *options,
                                            struct portolan_obsp_result *result,
                                            struct portolan_error *err)
{
    static const struct portolan_obsp_options plain;
    struct portolan_obsp_result fresh = {0};
    struct evaluation v = {
        .t = trace, .o = options ? options : &plain, .result = &fresh, .err = err};
    enum portolan_status status = PORTOLAN_OK;

    if (v.o->machine)
        v.machine = *v.o->machine;
    else
        status = portolan_obsp_machine(trace, v.o->combine, &v.machine, err);
    if (status == PORTOLAN_OK)
        status = prepare(&v) ? go_through(&v) : portolan_no_memory(err);
    if (status == PORTOLAN_OK) {
        conclude(&v);
        *result = fresh;
    } else {
        portolan_obsp_result_clear(&fresh);
    }
    portolan_arena_clear(&v.arena);
    return status;
}

void portolan_obsp_result_clear(struct portolan_obsp_result *result)
{
    free(result->rows);
    free(result->ends);
    free(result->measured_ends);
    *result = (struct portolan_obsp_result){0};
}
