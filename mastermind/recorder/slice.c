/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the samples of one step from two snapshots of the probe, and call paths for rows of calls
 * and events from one snapshot.
 */
#include "recorder_internal.h"

#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

void slice_clear(struct portolan_slice *p)
{
    for (size_t i = 0; i < p->n_counters; ++i)
        free(p->counters[i]);
    free(p->samples);
    free(p->handles);
    *p = (struct portolan_slice){0};
}

/* The difference of one record to its snapshot before. */
struct delta {
    const struct portolan_probe_record *before; /* NULL: the record is new */
    int64_t calls, timed, failed, subroutines;
    double inclusive, exclusive, mpi, counters[PORTOLAN_COUNTER_MAX];
    int64_t position; /* of its sample, or one of the marks below */
};

enum { UNWANTED = -2, WANTED = -3 };

static double more(double now, double before)
{
    return fmax(now - before, 0); /* a difference of sums may be a rounding error below 0 */
}

static void delta_of(struct delta *g, const struct portolan_probe_record *r)
{
    static const struct portolan_probe_record nothing;
    const struct portolan_probe_record *b = g->before ? g->before : &nothing;

    g->calls = (int64_t)(r->calls - b->calls);
    g->timed = (int64_t)(r->timed_calls - b->timed_calls);
    g->failed = (int64_t)(r->failed_calls - b->failed_calls);
    g->subroutines = (int64_t)(r->subroutine_calls - b->subroutine_calls);
    if (g->subroutines < 0) /* calls that ended while the snapshot was taken */
        g->subroutines = 0;
    g->inclusive =
        more(r->inclusive_ns + r->open_inclusive_ns, b->inclusive_ns + b->open_inclusive_ns);
    g->exclusive =
        more(r->exclusive_ns + r->open_exclusive_ns, b->exclusive_ns + b->open_exclusive_ns);
    g->mpi = more(r->mpi_ns, b->mpi_ns);
    for (size_t i = 0; i < PORTOLAN_COUNTER_MAX; ++i) {
        size_t slot = portolan_probe_counter_slot(i);

        if (slot < PORTOLAN_PROBE_COUNTERS_ALL)
            g->counters[i] = (double)(r->counters[slot] - b->counters[slot]);
    }
}

/* Threads and nodes keep their order from snapshot to snapshot: one pass finds the earlier ones. */
static void match(const struct portolan_probe_snapshot *before,
                  const struct portolan_probe_snapshot *now, struct delta *deltas)
{
    size_t b = 0;

    for (size_t i = 0; i < now->count; ++i) {
        if (b < before->count && before->records[b].id == now->records[i].id)
            deltas[i].before = &before->records[b++];
        delta_of(&deltas[i], &now->records[i]);
    }
}

static bool is_own(const struct portolan_probe_record *r)
{
    return r->handle == PORTOLAN_PROBE_HANDLE_OWN;
}

/*
 * Marks records on which something happened, and all their callers, except the root and Portolan's
 * own work; returns how many.
 */
static size_t select_wanted(const struct portolan_probe_snapshot *now, struct delta *deltas)
{
    size_t n = 0;

    for (size_t i = 0; i < now->count; ++i) {
        const struct portolan_probe_record *r = &now->records[i];
        bool left_out = r->parent < 0 || is_own(r) || deltas[r->parent].position == UNWANTED;
        bool active = deltas[i].calls || deltas[i].failed || deltas[i].subroutines ||
                      deltas[i].inclusive > 0 || deltas[i].exclusive > 0 || deltas[i].mpi > 0;

        /* The root has no sample, but its children have. */
        deltas[i].position = left_out && r->parent >= 0 ? UNWANTED : active ? WANTED : -1;
    }
    for (size_t i = now->count; i-- > 0;) {
        int64_t parent = now->records[i].parent;

        if (parent < 0 || deltas[i].position != WANTED)
            continue;
        ++n;
        if (now->records[parent].parent >= 0)
            deltas[parent].position = WANTED;
    }
    return n;
}

static void take_contexts(struct portolan_sample *s, const struct delta *g,
                          const struct portolan_probe_record *r)
{
    for (unsigned i = 0; i < r->n_context; ++i) {
        const struct portolan_probe_context_stats *c = &r->context[i];
        double sum = c->sum - (g->before ? g->before->context[i].sum : 0);

        s->binned = s->binned || !c->exact;
        if (c->exact)
            s->context[i] = (double)c->value;
        else if (g->timed)
            s->context[i] = sum / (double)g->timed;
        else if (g->failed)
            s->context[i] = (c->failed_sum - (g->before ? g->before->context[i].failed_sum : 0)) /
                            (double)g->failed;
        else /* a running call's value is not in the sums yet */
            s->context[i] = isfinite(c->lower + c->upper) ? (c->lower + c->upper) / 2 : 0;
    }
}

/* The probe has extremes of totals only: new ones are of this step, else the mean is used. */
static void take_extremes(struct portolan_sample *s, const struct delta *g,
                          const struct portolan_probe_record *r)
{
    const struct portolan_probe_record *b = g->before;
    double mean = g->timed ? more(r->inclusive_ns, b ? b->inclusive_ns : 0) / (double)g->timed : 0;
    bool all = !b || !b->timed_calls;

    s->min_ns = all || r->min_ns < b->min_ns ? r->min_ns : mean;
    s->max_ns = all || r->max_ns > b->max_ns ? r->max_ns : mean;
    s->sum_squares_ns2 = more(r->sum_squares_ns2, b ? b->sum_squares_ns2 : 0);
    s->quality = r->has_quality && g->timed ? r->quality : NAN;
}

/* Notes the names of the counters that SOURCE reads now: copies, since another set of counters may
 * be chosen while the slice is in use. */
static enum portolan_status find_counters(const struct portolan_recorder_source *source,
                                          struct portolan_slice *p)
{
    char *names[PORTOLAN_COUNTER_MAX];
    const char *name;
    size_t n = 0;

    for (; n < PORTOLAN_COUNTER_MAX && (name = source->peek_counter(source->self, n)); ++n) {
        if (!(names[n] = portolan_strdup(name))) {
            while (n > 0)
                free(names[--n]);
            return PORTOLAN_ENOMEM;
        }
    }
    for (size_t i = 0; i < p->n_counters; ++i)
        free(p->counters[i]);
    memcpy(p->counters, names, n * sizeof *names);
    p->n_counters = n;
    return PORTOLAN_OK;
}

/* Makes S a sample of record R with all names, those of SLICE's counters too, and no values. */
static void name_sample(struct portolan_sample *s, const struct portolan_recorder_source *source,
                        const struct portolan_slice *slice, int rank, int64_t parent,
                        const struct portolan_probe_record *r)
{
    const struct portolan_probe_method_info *info = source->peek_method(source->self, r->handle);

    *s = (struct portolan_sample){
        .rank = rank,
        .thread = (int)r->thread,
        .parent = parent,
        .user = info->connection.user,
        .uses = info->connection.uses,
        .instance = info->connection.provider,
        .port = info->connection.provides,
        .implementation = info->connection.provider_class,
        .port_type = info->connection.port_type,
        .method = info->method.name,
        .quality = NAN,
    };
    s->n_context = (int)r->n_context;
    for (unsigned i = 0; i < r->n_context; ++i)
        s->context_name[i] = info->method.context[i];
    s->n_counters = (int)slice->n_counters;
    for (int i = 0; i < s->n_counters; ++i)
        s->counter_name[i] = slice->counters[i];
}

static void fill_sample(struct portolan_sample *s, const struct delta *g,
                        const struct portolan_probe_record *r)
{
    s->calls = g->calls;
    s->failed_calls = g->failed;
    s->timed_calls = g->timed || !g->calls ? g->timed : PORTOLAN_STORE_NONE_TIMED;
    s->subroutines = g->subroutines;
    s->inclusive_ns = g->inclusive;
    s->exclusive_ns = g->exclusive;
    s->mpi_ns = g->mpi;
    if (!g->calls)
        s->n_counters = 0;
    for (int i = 0; i < s->n_counters; ++i)
        s->counter[i] = g->counters[i];
    take_contexts(s, g, r);
    take_extremes(s, g, r);
}

/* Room for N samples in all. */
static bool reserve_samples(struct portolan_slice *p, size_t n)
{
    size_t capacity = p->capacity;

    return portolan_reserve(&p->samples, &capacity, n, sizeof *p->samples) &&
           portolan_reserve(&p->handles, &p->capacity, n, sizeof *p->handles);
}

/* A call that is running and is not timed has no time so far. */
static bool has_untimed(const struct delta *g, const struct portolan_probe_record *r)
{
    return g->timed < g->calls || (r->open_calls && r->open_inclusive_ns <= 0);
}

/* The time of a root, of all its calls if only some were timed. */
static double estimate_root(const struct portolan_sample *x)
{
    double own = strcmp(x->port_type, "gov.cca.ports.GoPort") ? 0 : x->exclusive_ns;
    double timed = portolan_sample_timed(x);

    return (x->inclusive_ns - own) * (timed > 0 ? (double)x->calls / timed : 1);
}

static void sum_roots(struct portolan_slice *p)
{
    double sum = 0, calls = 0;
    int thread = -1;

    p->root_ns = p->calls_ns = p->timed_calls = 0;
    for (size_t i = 0; i < p->n; ++i) {
        const struct portolan_sample *x = &p->samples[i];

        if (x->thread != thread)
            sum = calls = 0;
        thread = x->thread;
        if (x->parent < 0) {
            sum += x->inclusive_ns;
            calls += estimate_root(x);
        }
        p->root_ns = fmax(p->root_ns, sum);
        p->calls_ns = fmax(p->calls_ns, calls);
        p->timed_calls += portolan_sample_timed(x);
    }
}

enum portolan_status slice_difference(const struct portolan_recorder_source *source,
                                      const struct portolan_probe_snapshot *before,
                                      const struct portolan_probe_snapshot *now, int rank,
                                      struct portolan_slice *p, struct portolan_error *err)
{
    struct delta *deltas = portolan_calloc(now->count + 1, sizeof *deltas);
    size_t n;

    if (!deltas)
        return portolan_no_memory(err);
    match(before, now, deltas);
    n = select_wanted(now, deltas);
    if (!reserve_samples(p, n) || find_counters(source, p)) {
        free(deltas);
        return portolan_no_memory(err);
    }
    p->n = 0;
    p->has_untimed_roots = false;
    for (size_t i = 0; i < now->count; ++i) {
        const struct portolan_probe_record *r = &now->records[i];
        bool below_root = r->parent < 0 || now->records[r->parent].parent < 0;

        if (deltas[i].position != WANTED || r->parent < 0)
            continue;
        name_sample(&p->samples[p->n], source, p, rank,
                    below_root ? -1 : deltas[r->parent].position, r);
        fill_sample(&p->samples[p->n], &deltas[i], r);
        p->handles[p->n] = r->handle;
        p->has_untimed_roots |= below_root && has_untimed(&deltas[i], r);
        deltas[i].position = (int64_t)p->n++;
    }
    free(deltas);
    sum_roots(p);
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ to and from other ranks */

static void carry_names(struct portolan_block *b, struct portolan_sample *s)
{
    const char **names[] = {&s->user,           &s->uses,      &s->instance, &s->port,
                            &s->implementation, &s->port_type, &s->method};

    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        portolan_block_carry_text(b, names[i]);
    for (int i = 0; i < s->n_context; ++i)
        portolan_block_carry_text(b, &s->context_name[i]);
    for (int i = 0; i < s->n_counters; ++i)
        portolan_block_carry_text(b, &s->counter_name[i]);
}

static void carry_sample(struct portolan_block *b, struct portolan_sample *s)
{
    int *sizes[] = {&s->rank, &s->thread, &s->n_context, &s->n_counters};
    int64_t *counts[] = {&s->parent, &s->calls, &s->failed_calls, &s->timed_calls, &s->subroutines};
    double *values[] = {&s->inclusive_ns, &s->exclusive_ns,    &s->mpi_ns, &s->min_ns,
                        &s->max_ns,       &s->sum_squares_ns2, &s->quality};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        portolan_block_carry(b, sizes[i], sizeof *sizes[i]);
    if (s->n_context < 0 || s->n_context > PORTOLAN_CONTEXT_MAX || s->n_counters < 0 ||
        s->n_counters > PORTOLAN_COUNTER_MAX) {
        portolan_block_fail(b, PORTOLAN_EINTERNAL);
        s->n_context = s->n_counters = 0;
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        portolan_block_carry(b, counts[i], sizeof *counts[i]);
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
        portolan_block_carry(b, values[i], sizeof *values[i]);
    portolan_block_carry(b, &s->binned, sizeof s->binned);
    portolan_block_carry(b, s->context, (size_t)s->n_context * sizeof *s->context);
    portolan_block_carry(b, s->counter, (size_t)s->n_counters * sizeof *s->counter);
    carry_names(b, s);
}

void slice_carry(struct portolan_block *b, struct portolan_slice *p)
{
    size_t n = p->n;

    portolan_block_carry(b, &p->n_partial, sizeof p->n_partial);
    portolan_block_carry(b, &p->n_waiting, sizeof p->n_waiting);
    portolan_block_carry_count(b, &n, 16 * sizeof(double));
    if (b->is_read && !reserve_samples(p, n)) {
        portolan_block_fail(b, PORTOLAN_ENOMEM);
        n = 0;
    }
    for (p->n = 0; p->n < n; ++p->n) {
        if (b->is_read)
            p->samples[p->n] = (struct portolan_sample){0};
        carry_sample(b, &p->samples[p->n]);
        if (p->samples[p->n].parent >= (int64_t)p->n)
            portolan_block_fail(b, PORTOLAN_EINTERNAL);
    }
}

enum portolan_status slice_pack(const struct portolan_slice *p, void **bytes, size_t *size,
                                struct portolan_error *err)
{
    struct portolan_slice slice = *p;
    struct portolan_block b = {0};

    slice_carry(&b, &slice);
    return portolan_block_take(&b, bytes, size, err);
}

enum portolan_status slice_unpack(struct portolan_slice *p, const void *bytes, size_t size,
                                  struct portolan_error *err)
{
    struct portolan_block b;
    enum portolan_status status;

    portolan_block_open(&b, bytes, size);
    slice_carry(&b, p);
    if ((status = portolan_block_finish(&b, err)))
        p->n = 0;
    return status;
}

/* ------------------------------------------------------------------ call paths by ids of records
 */

struct paths_entry {
    uint64_t id;               /* of the record */
    size_t record;             /* in the snapshot */
    int64_t position;          /* in the slice; -1: not there yet */
    struct paths_entry *below; /* next on the way down to the wanted record */
};

static int by_id(const void *a, const void *b)
{
    const struct paths_entry *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

void paths_close(struct paths *p)
{
    portolan_probe_snapshot_clear(&p->snapshot);
    slice_clear(&p->slice);
    free(p->entries);
    *p = (struct paths){0};
}

enum portolan_status paths_open(struct paths *p, const struct portolan_recorder_source *source,
                                int rank, struct portolan_error *err)
{
    enum portolan_status status;
    struct portolan_probe_snapshot *s = &p->snapshot;

    paths_close(p);
    p->source = source;
    p->rank = rank;
    if ((status = source->take(source->self, s, err)))
        return status;
    portolan_probe_snapshot_select(s, false);
    if (!(p->entries = portolan_calloc(s->count + 1, sizeof *p->entries)) ||
        find_counters(source, &p->slice))
        return portolan_no_memory(err);
    for (size_t i = 0; i < s->count; ++i)
        p->entries[i] = (struct paths_entry){.id = s->records[i].id, .record = i, .position = -1};
    qsort(p->entries, s->count, sizeof *p->entries, by_id);
    return PORTOLAN_OK;
}

void paths_empty(struct paths *p)
{
    p->slice.n = 0;
    for (size_t i = 0; i < p->snapshot.count; ++i)
        p->entries[i].position = -1;
}

static struct paths_entry *find_entry(const struct paths *p, uint64_t id)
{
    const struct paths_entry key = {.id = id};

    return p->entries ? bsearch(&key, p->entries, p->snapshot.count, sizeof key, by_id) : NULL;
}

const struct portolan_probe_record *paths_peek(const struct paths *p, uint64_t id)
{
    const struct paths_entry *e = find_entry(p, id);

    return e ? &p->snapshot.records[e->record] : NULL;
}

static enum portolan_status add_entry(struct paths *p, struct paths_entry *e, int64_t parent)
{
    const struct portolan_probe_record *r = &p->snapshot.records[e->record];

    if (!reserve_samples(&p->slice, p->slice.n + 1))
        return PORTOLAN_ENOMEM;
    e->position = (int64_t)p->slice.n;
    p->slice.handles[p->slice.n] = r->handle;
    name_sample(&p->slice.samples[p->slice.n++], p->source, &p->slice, p->rank, parent, r);
    return PORTOLAN_OK;
}

enum portolan_status paths_find(struct paths *p, uint64_t id, int64_t *position)
{
    struct paths_entry *e = find_entry(p, id), *way = NULL;
    enum portolan_status status = PORTOLAN_OK;

    *position = -1;
    for (; e && e->position < 0;
         e = find_entry(p, p->snapshot.records[p->snapshot.records[e->record].parent].id)) {
        const struct portolan_probe_record *r = &p->snapshot.records[e->record];

        if (r->parent < 0)
            break;
        if (is_own(r))
            return PORTOLAN_OK;
        e->below = way;
        way = e;
    }
    if (e)
        *position = e->position;
    for (; way && !status; way = way->below) {
        status = add_entry(p, way, *position);
        *position = way->position;
    }
    return status;
}
