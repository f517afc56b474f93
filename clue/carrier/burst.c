/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures how long a rank computes between two calls (a burst), as if it had its own processor.
 *
 * The folded ranks share one processor and its caches. After another rank has run, a rank's data
 * are no longer in the cache, and its burst would appear longer than in a real run. So its data are
 * fetched into the cache before the clock starts. Fetching for a short burst takes longer than the
 * burst, and fetching in total is limited to a tenth of the run's wall time. Therefore the carrier
 * fetches for long bursts, for the first bursts after each call, and for one in SAMPLED of the
 * others. It keeps histograms of the times between each two calls (a segment), with data fetched
 * and without (cold), and multiplies a cold burst by the ratio of the two medians.
 *
 * If another process had the processor during a burst, the rank's processor time counts instead of
 * the elapsed time, or, as that is some microseconds off, the segment's median if it is about the
 * same. The time of an empty burst is subtracted: the machine file's delays contain the cost of
 * calling.
 */
#include "burst.h"
#include "record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PARTS = 8,            /* classes of times in each power of two ticks */
    CLASSES = 40 * PARTS, /* number of classes */
    STARTS = 1 << 12,     /* size of the table of starts, a power of two */
    MOST_HEAP = 1 << 19,  /* so many bytes of a heap are fetched without asking for resident
                           * pages */
    MOST_DATA = 1 << 14,  /* the program's own data: so many bytes are fetched without asking */
    LONG_NS = 3000,       /* longer bursts are always measured with data fetched */
    CHECKED_NS = 20000,   /* longer ones may have been interrupted; checking takes 0.3 us */
    READ_NS = 100000,     /* interval after which the processor's time is read anew */
    SAMPLED = 16,         /* fetched for: so many short bursts at first, then one in so many */
    FETCH_PART = 10,      /* fetching may take one such part of the run's wall time */
    ENOUGH = 8            /* bursts that a median needs */
};

/* Ways to measure a burst: without others having run, after others ran, or with data fetched. */
enum burst_kind { BURST_WARM, BURST_COLD, BURST_FETCHED, BURST_KINDS };

/* The code from one call to the next, and the times that it took. */
struct segment {
    struct segment *next; /* another one that begins with the same call */
    uint64_t to;
    uint64_t n[BURST_KINDS];
    double scale;                         /* fetched median / cold median, found lately */
    uint32_t count[BURST_KINDS][CLASSES]; /* histogram of ticks */
};

/* A call after which bursts begin. */
struct burst_start {
    uint64_t site; /* distance from the begin of a rank's images */
    struct segment *segments;
    double expected;       /* smoothed ticks of bursts that began with cold data */
    uint32_t turns;        /* how often a burst began here with cold data */
    struct burst_law *law; /* law of the bursts that end at this call; NULL: none */
    bool is_known;         /* the law has been looked up */
};

struct bursts {
    struct burst_costs costs;
    double ticks_checked, ticks_long, ticks_read;
    struct burst_start starts[STARTS];
    uint64_t began_ticks, fetched_ticks; /* start of the run; time spent fetching since */
    uint64_t read_ticks;                 /* when the processor's time was read last */
    int64_t read_cpu;                    /* the value then */
    struct clue_bursts sums;
};

bool clue_is_measured(const struct clue_run *run)
{
    return run->compute == CLUE_COMPUTE_MEASURED || run->compute == CLUE_COMPUTE_MODEL;
}

const struct burst_costs *clue_burst_costs(const struct carrier *c)
{
    return &c->bursts->costs;
}

void clue_burst_clock(const struct carrier *c)
{
    c->current->clocks_ns += c->bursts ? c->bursts->costs.clock_ns : 0;
}

enum portolan_status clue_bursts_start(struct carrier *c, struct portolan_error *err)
{
    struct bursts *b;

    if (!clue_is_measured(c->run))
        return PORTOLAN_OK;
    if (!(b = c->bursts = portolan_calloc(1, sizeof *b)))
        return portolan_no_memory(err);
    burst_costs_measure(&b->costs);
    b->ticks_checked = CHECKED_NS / b->costs.ns_per_tick;
    b->ticks_long = LONG_NS / b->costs.ns_per_tick;
    b->ticks_read = READ_NS / b->costs.ns_per_tick;
    b->began_ticks = processor_ticks();
    return PORTOLAN_OK;
}

/* ------------------------------------------------- segments */

static struct burst_start *start_of(struct bursts *b, const struct rank *rank, const void *call)
{
    uint64_t site = clue_site_key(rank, call);
    size_t i = site * UINT64_C(0x9E3779B97F4A7C15) >> 52;

    for (size_t tries = 0; tries < STARTS; tries++, i = (i + 1) % STARTS) {
        struct burst_start *start = &b->starts[i];

        if (start->site == site)
            return start;
        if (!start->site) {
            start->site = site;
            return start;
        }
    }
    return NULL;
}

static struct segment *segment_of(struct burst_start *start, uint64_t to)
{
    struct segment *s;

    if (!start)
        return NULL;
    for (s = start->segments; s; s = s->next)
        if (s->to == to)
            return s;
    s = portolan_calloc(1, sizeof *s);
    if (s) {
        s->to = to;
        s->next = start->segments;
        start->segments = s;
    }
    return s;
}

static unsigned class_of(uint64_t ticks)
{
    unsigned power = ticks < PARTS ? 0 : 60 - (unsigned)__builtin_clzll(ticks);
    uint64_t at = power * PARTS + (ticks >> power);

    return at < CLASSES ? (unsigned)at : CLASSES - 1;
}

/* Returns the ticks in the middle of a class. */
static double ticks_of(unsigned class)
{
    unsigned power = class < 2 * PARTS ? 0 : class / PARTS - 1;

    return (double)((uint64_t)(class - power * PARTS) << power) + 0.5 * (double)(1ULL << power);
}

/* Returns the ticks that SHARE of the bursts do not exceed. */
static double quantile(const struct segment *s, enum burst_kind kind, double share)
{
    uint64_t before = 0;

    for (unsigned i = 0; i < CLASSES; i++) {
        before += s->count[kind][i];
        if ((double)before > share * (double)s->n[kind])
            return ticks_of(i);
    }
    return 0;
}

/* ------------------------------------------------- fetching */

static void fetch_small(const struct rank *rank, size_t data, bool has_small_heap)
{
    const struct image *program = &rank->program->set.images[0];

    clue_fetch(rank->base + program->offset + program->data, data < MOST_DATA ? data : MOST_DATA);
    if (has_small_heap)
        clue_fetch((const uint8_t *)rank->heap, rank->heap->bytes);
}

static void fetch_rank(struct bursts *b, struct rank *rank)
{
    const struct image *program = &rank->program->set.images[0];
    size_t data = program->stored - program->data;
    bool has_small_heap = rank->heap && rank->heap->bytes <= MOST_HEAP, is_large;
    uint64_t began = processor_ticks(), took;

    clue_fetch(rank->context.stack, 1024);
    is_large = (rank->n_blocks || data > MOST_DATA || !has_small_heap) && clue_memory_fetch(rank);
    if (!is_large)
        fetch_small(rank, data, has_small_heap);
    took = processor_ticks() - began;
    rank->fetch_ticks = is_large ? (double)took : 0;
    b->fetched_ticks += took;
}

/* Returns whether fetching has taken less than its part of the run's time. */
static bool may_fetch(const struct bursts *b)
{
    return FETCH_PART * b->fetched_ticks <= processor_ticks() - b->began_ticks;
}

/* Returns the processor time of this process at TICKS, which is now. It reads the clock only every
 * READ_NS and extrapolates in between: preemption would take longer than that. */
static int64_t cpu_at(struct bursts *b, uint64_t ticks)
{
    if ((double)(ticks - b->read_ticks) > b->ticks_read) {
        b->read_cpu = clue_real_ns(CLOCK_THREAD_CPUTIME_ID);
        b->read_ticks = ticks;
    }
    return b->read_cpu + (int64_t)((double)(ticks - b->read_ticks) * b->costs.ns_per_tick);
}

void clue_burst_begin(struct carrier *c)
{
    struct bursts *b = c->bursts;
    struct rank *rank = c->current;
    struct burst_start *start = rank->start;

    if (!b || rank->apart)
        return;
    rank->kind = rank->was_switched ? BURST_COLD : BURST_WARM;
    rank->is_cold |= rank->was_switched;
    if (rank->is_cold && start && (rank->was_switched || start->expected >= b->ticks_long)) {
        bool is_fetched = start->expected >= fmax(b->ticks_long, rank->fetch_ticks) ||
                          start->turns < SAMPLED || start->turns % SAMPLED == 0;

        start->turns++;
        is_fetched = is_fetched && may_fetch(b);
        if (is_fetched)
            fetch_rank(b, rank);
        rank->kind = is_fetched ? BURST_FETCHED : BURST_COLD;
    }
    rank->began_cpu = cpu_at(b, processor_ticks());
    rank->began_ticks = processor_ticks();
}

/* ------------------------------------------------- what a burst took */

/* Returns the ratio of fetched to cold medians; computed anew now and then. */
static double scale_of(struct segment *s)
{
    double cold, fetched;

    if (s->n[BURST_FETCHED] < ENOUGH || s->n[BURST_COLD] < ENOUGH)
        return 1;
    if (!s->scale || s->n[BURST_COLD] % (SAMPLED * SAMPLED) == 0) {
        cold = quantile(s, BURST_COLD, 0.5);
        fetched = quantile(s, BURST_FETCHED, 0.5);
        s->scale = fetched < cold ? fetched / cold : 1;
    }
    return s->scale;
}

/* Returns the time without that of other processes, if these had the processor during TICKS. The
 * processor's time is some microseconds off, so the median counts if it is about the same. */
static double without_others(struct bursts *b, const struct segment *s, const struct rank *rank,
                             double ticks)
{
    int64_t cpu_ns = clue_real_ns(CLOCK_THREAD_CPUTIME_ID) - rank->began_cpu;
    double cpu = (double)cpu_ns / b->costs.ns_per_tick, usual;

    if (ticks - cpu < b->ticks_checked / 4)
        return ticks;
    b->sums.n_preempted++;
    cpu = fmax(0, cpu);
    usual = s && s->n[rank->kind] >= ENOUGH ? quantile(s, rank->kind, 0.5) : cpu;
    return fabs(usual - cpu) < b->ticks_checked ? usual : cpu;
}

/* Returns the TICKS that the burst would have taken alone, and counts them. */
static double alone(struct bursts *b, struct segment *s, const struct rank *rank, double ticks)
{
    double own = ticks > b->ticks_checked ? without_others(b, s, rank, ticks) : ticks;

    if (!s || own != ticks)
        return own;
    s->n[rank->kind]++;
    s->count[rank->kind][class_of((uint64_t)ticks)]++;
    return rank->kind == BURST_COLD ? ticks * scale_of(s) : ticks;
}

/* Returns the law of bursts that end at SITE. The look-up happens before the next burst begins. */
static struct burst_law *law_of(const struct carrier *c, struct burst_start *end, const void *site)
{
    if (!end || c->run->compute != CLUE_COMPUTE_MODEL)
        return NULL;
    if (!end->is_known) {
        end->law = clue_law_at(c->current, site);
        end->is_known = true;
    }
    return end->law;
}

int64_t clue_burst_end(struct carrier *c, const void *site)
{
    struct bursts *b = c->bursts;
    struct rank *rank = c->current;
    struct burst_start *start = rank->start;
    struct burst_law *law;
    struct segment *s;
    double ticks, clocks_ns = rank->clocks_ns;

    rank->clocks_ns = 0;
    if (c->run->compute == CLUE_COMPUTE_TABLE)
        return clue_table_ns(c->table, rank->task, clue_site_key(rank, site));
    if (!b)
        return 0;
    ticks = (double)(processor_ticks() - rank->began_ticks);
    b->sums.n++;
    rank->start = start_of(b, rank, site);
    if ((law = law_of(c, rank->start, site)))
        return clue_law_time(law, rank, NULL);
    if (rank->apart)
        return rank->apart->burst_ns;
    s = segment_of(start, rank->start ? rank->start->site : 0);
    ticks = alone(b, s, rank, ticks);
    if (s && rank->is_cold)
        start->expected += (ticks - start->expected) / (start->turns < SAMPLED ? 2 : SAMPLED);
    rank->is_cold &= rank->kind != BURST_FETCHED;
    ticks = fmax(0, ticks - b->costs.empty[rank->kind != BURST_WARM]);
    return (int64_t)(ticks * b->costs.ns_per_tick + clocks_ns + 0.5);
}

/*
 * Estimates by how much folding still prolongs bursts: the median of bursts with data fetched
 * compared with their fastest tenth. The estimate includes what varies by itself.
 */
void clue_bursts_end(struct carrier *c, struct clue_bursts *sums)
{
    static const double most_added = 1; /* above this the bursts themselves vary */
    struct bursts *b = c->bursts;
    double all = 0, least = 0;

    for (size_t i = 0; b && i < STARTS; i++)
        for (struct segment *s = b->starts[i].segments, *next; s; s = next) {
            double n = (double)(s->n[BURST_FETCHED] + s->n[BURST_COLD]);

            next = s->next;
            if (s->n[BURST_FETCHED] >= ENOUGH) {
                all += n * quantile(s, BURST_FETCHED, 0.5);
                least += n * quantile(s, BURST_FETCHED, 0.1);
            }
            free(s);
        }
    *sums = b ? b->sums : (struct clue_bursts){0};
    sums->added = least > 0 ? all / least - 1 : 0;
    if (sums->added > most_added)
        sums->added = NAN;
    free(b);
    c->bursts = NULL;
}
