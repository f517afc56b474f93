/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time that ranks compute between two calls, as it would be if each had a processor. What
 * others did to the caches since a rank ran last is no part of it: before its clock starts its data
 * are fetched into the cache. For short bursts that would take longer than they do, and all of it
 * may take a tenth of the run's wall time; so only some bursts are measured so, and the others are
 * scaled by what it makes out between the same two calls.
 * Of bursts during which another process had the processor, the time of the processor counts, or
 * the median of their kind where that is about the same. What nothing at all between two calls
 * takes is no part of a burst: the machine file's delays contain what calling takes.
 */
#include "apart.h"
#include "record.h"

#include <portolan/stats.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    PARTS = 8,            /* classes of times in each power of two */
    CLASSES = 40 * PARTS, /* of ticks */
    STARTS = 1 << 12,     /* table of starts, a power of two */
    MOST_HEAP = 1 << 19,  /* bytes that are fetched whole, without asking which pages there are */
    MOST_DATA = 1 << 14,  /* the same of the program's own data */
    LONG_NS = 3000, /* bursts that are always measured with data fetched, or if they take longer */
    CHECKED_NS = 20000, /* that may have been interrupted: asking takes a third of a microsecond */
    READ_NS = 100000,   /* the processor's time is read anew after so long */
    LEAST_TOUCHED = 1 << 14, /* bytes of a message whose pages may be new: asking, as above */
    SAMPLED = 16,            /* one in so many of the others, and so many at first */
    FETCH_PART = 10,         /* of the run's wall time, one in so many parts may be fetching */
    ENOUGH = 8               /* bursts for a median */
};

/* How a burst was measured. */
enum burst_kind { BURST_WARM, BURST_COLD, BURST_FETCHED, BURST_KINDS };

/* Code from a call to the next. */
struct segment {
    struct segment *next; /* from the same call */
    uint64_t to;
    uint64_t n[BURST_KINDS];
    double scale;                         /* of cold bursts, as of late */
    uint32_t count[BURST_KINDS][CLASSES]; /* bursts by their ticks */
};

/* A call after which bursts begin. */
struct burst_start {
    uint64_t site; /* distance from the begin of a rank's images */
    struct segment *segments;
    double expected;       /* ticks, of those whose data were not fetched since others ran */
    uint32_t turns;        /* after others ran */
    struct burst_law *law; /* of bursts that end here */
    bool is_known;         /* whether there is one */
};

static struct {
    double ns_per_tick, ticks_checked, ticks_long, ticks_read;
    double touch_ns, give_back_ns; /* of a page that nobody has touched before, and at its end */
    double empty[2], clock_ns;     /* ticks of nothing, and after a switch; reading a clock */
    struct burst_start starts[STARTS];
    uint64_t began_ticks, fetched_ticks; /* when the run began; what fetching took since then */
    uint64_t read_ticks;                 /* when the processor's time was read last, */
    int64_t read_cpu;                    /* and what it was */
    struct clue_bursts sums;
} bursts;

bool clue_is_measured(const struct clue_run *run)
{
    return run->compute == CLUE_COMPUTE_MEASURED || run->compute == CLUE_COMPUTE_MODEL;
}

/* Ticks of the counter against the clock, for 2 ms. */
static void calibrate(void)
{
    int64_t began = clue_real_ns(CLOCK_MONOTONIC), now;
    uint64_t ticks = processor_ticks();

    do
        now = clue_real_ns(CLOCK_MONOTONIC);
    while (now - began < 2000000);
    bursts.ns_per_tick = (double)(now - began) / (double)(processor_ticks() - ticks);
    bursts.ticks_checked = CHECKED_NS / bursts.ns_per_tick;
    bursts.ticks_long = LONG_NS / bursts.ns_per_tick;
    bursts.ticks_read = READ_NS / bursts.ns_per_tick;
}

/* What pages take that are touched first, more than again, and then given back. */
static void measure_pages(void)
{
    enum { PAGES = 64, ROUNDS = 9 };
    size_t bytes = PAGES * PAGE;
    double touch_ns[ROUNDS], give_back_ns[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        int64_t at[4];

        for (int k = 0; k < 4; k++) {
            at[k] = clue_real_ns(CLOCK_MONOTONIC);
            for (size_t p = 0; k < 2 && pages != MAP_FAILED && p < PAGES; p++)
                ((volatile char *)pages)[p * PAGE] = 1;
            if (k == 2 && pages != MAP_FAILED)
                munmap(pages, bytes);
        }
        touch_ns[i] = fmax(0, (double)(2 * at[1] - at[0] - at[2]) / PAGES);
        give_back_ns[i] = (double)(at[3] - at[2]) / PAGES;
    }
    bursts.touch_ns = portolan_sort_to_median(ROUNDS, touch_ns);
    bursts.give_back_ns = portolan_sort_to_median(ROUNDS, give_back_ns);
}

/* A task that calls, and another that runs during its calls. */
static struct {
    struct context caller, other;
    uint64_t began, took;
    _Alignas(16) uint8_t stack[16384];
} nothing;

static void __attribute__((noinline)) nothing_begins(void)
{
    nothing.began = processor_ticks();
}

static int __attribute__((noinline)) call_nothing(bool is_switched)
{
    nothing.took = processor_ticks() - nothing.began;
    if (is_switched)
        clue_switch(&nothing.caller, &nothing.other);
    nothing_begins();
    return is_switched;
}

/* Returns from as many functions as a task may between its calls: the processor expects it to
 * return elsewhere than it does after a switch. */
static int __attribute__((noinline)) run_other(int depth)
{
    if (depth)
        return 1 + run_other(depth - 1);
    clue_switch(&nothing.other, &nothing.caller);
    return 1;
}

static void begin_other(void)
{
    for (volatile int n = 0;; n += run_other(4))
        ;
}

/* Ticks between the end of a call and the begin of the next. */
static double empty_ticks(bool is_switched)
{
    enum { ROUNDS = 301 };
    double ticks[ROUNDS];
    volatile int n = 0;

    nothing.caller.thread = __builtin_thread_pointer();
    clue_context_make(&nothing.other, nothing.stack + sizeof nothing.stack, nothing.caller.thread,
                      begin_other);
    call_nothing(is_switched);
    for (int i = 0; i < ROUNDS; i++) {
        n += call_nothing(is_switched);
        ticks[i] = (double)nothing.took;
    }
    return portolan_sort_to_median(ROUNDS, ticks);
}

static double now_ns(void)
{
    return (double)clue_real_ns(CLOCK_MONOTONIC);
}

static double clock_ns(void)
{
    enum { ROUNDS = 301 };
    double ns[ROUNDS], last = now_ns();

    for (int i = 0; i < ROUNDS; i++) {
        double now = now_ns();

        ns[i] = now - last;
        last = now;
    }
    return portolan_sort_to_median(ROUNDS, ns);
}

void clue_burst_clock(struct rank *rank)
{
    rank->clocks_ns += bursts.clock_ns;
}

void clue_bursts_start(struct carrier *c)
{
    if (!clue_is_measured(c->run))
        return;
    calibrate();
    measure_pages();
    bursts.empty[false] = empty_ticks(false);
    bursts.empty[true] = empty_ticks(true);
    bursts.clock_ns = clock_ns();
    bursts.began_ticks = processor_ticks();
}

static long page_faults(void)
{
    struct rusage use = {0};

    syscall(SYS_getrusage, RUSAGE_THREAD, &use);
    return use.ru_minflt;
}

/* Whether new pages of RANK count: they are the kernel's work in a real run. */
static bool is_touching(const struct rank *rank, uint64_t bytes)
{
    return bytes >= LEAST_TOUCHED && clue_is_measured(clue_carrier.run) && !rank->apart;
}

static void add_touched(struct rank *rank, double pages, double ns)
{
    rank->fronts_ns += llround(pages * ns);
}

void clue_burst_deliver(int task, const struct clue_receive *receive,
                        const struct clue_message *message)
{
    struct rank *rank = clue_carrier.ranks[task];
    bool is_counted = is_touching(rank, message->bytes);
    long before = is_counted ? page_faults() : 0;

    receive->deliver(receive->arg, message);
    if (is_counted)
        add_touched(rank, (double)(page_faults() - before), bursts.touch_ns);
}

void clue_touch(void *at, uint64_t bytes)
{
    struct rank *rank = clue_carrier.current;
    volatile char *page = at;
    long before;

    if (!is_touching(rank, bytes))
        return;
    if (!at) {
        add_touched(rank, (double)bytes / (double)PAGE, bursts.touch_ns + bursts.give_back_ns);
        return;
    }
    before = page_faults();
    for (uint64_t i = 0; i < bytes; i += PAGE)
        page[i] = page[i];
    add_touched(rank, (double)(page_faults() - before), bursts.touch_ns);
}

/* ------------------------------------------------- segments */

/* Outside the rank's memory: the place in a library that all ranks share, wherever it is loaded. */
static uint64_t shared_site(const void *call)
{
    static struct {
        const void *call;
        uint64_t key;
    } known[1024];
    size_t i = (uintptr_t)call * UINT64_C(0x9E3779B97F4A7C15) >> 54;
    Dl_info info;
    uint64_t key = 1;

    if (known[i].call == call)
        return known[i].key;
    if (dladdr(call, &info) && info.dli_fname)
        key = link_library_key(info.dli_fname,
                               (uint64_t)((const char *)call - (const char *)info.dli_fbase));
    known[i].call = call;
    known[i].key = key;
    return key;
}

/* In a library of which the rank has its own data: the same in whatever place it lies. */
static uint64_t own_site(const struct image_set *set, uint64_t at)
{
    size_t i = set->n - 1;

    while (i && at < set->images[i].offset)
        i--;
    return link_library_key(set->images[i].file, at - set->images[i].offset);
}

static uint64_t folded_site(const struct rank *rank, const void *call)
{
    uint64_t at = (uint64_t)((const uint8_t *)call - rank->base);

    return at < rank->program->set.images[0].span ? at
           : at < rank->program->stride - rank->program->images_at
               ? own_site(&rank->program->set, at)
               : shared_site(call);
}

uint64_t clue_site_key(const struct rank *rank, const void *call)
{
    return !call ? 1 : rank->apart ? apart_place_of(rank, call)->key : folded_site(rank, call);
}

static struct burst_start *start_of(const struct rank *rank, const void *call)
{
    uint64_t site = clue_site_key(rank, call);
    size_t i = site * UINT64_C(0x9E3779B97F4A7C15) >> 52;

    for (size_t tries = 0; tries < STARTS; tries++, i = (i + 1) % STARTS) {
        struct burst_start *start = &bursts.starts[i];

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

/* The middle of a class. */
static double ticks_of(unsigned class)
{
    unsigned power = class < 2 * PARTS ? 0 : class / PARTS - 1;

    return (double)((uint64_t)(class - power * PARTS) << power) + 0.5 * (double)(1ULL << power);
}

/* Ticks that a share of the bursts do not exceed. */
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

static void fetch_rank(struct rank *rank)
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
    bursts.fetched_ticks += took;
}

/* Whether fetching has taken less than its part of the run. */
static bool may_fetch(void)
{
    return FETCH_PART * bursts.fetched_ticks <= processor_ticks() - bursts.began_ticks;
}

/* Time that this process has had a processor at TICKS, which are now, without asking each time: who
 * lost the processor since it was read last has lost it for longer than READ_NS. */
static int64_t cpu_at(uint64_t ticks)
{
    if ((double)(ticks - bursts.read_ticks) > bursts.ticks_read) {
        bursts.read_cpu = clue_real_ns(CLOCK_THREAD_CPUTIME_ID);
        bursts.read_ticks = ticks;
    }
    return bursts.read_cpu + (int64_t)((double)(ticks - bursts.read_ticks) * bursts.ns_per_tick);
}

void clue_burst_begin(struct rank *rank)
{
    struct burst_start *start = rank->start;

    if (!clue_is_measured(clue_carrier.run) || rank->apart)
        return;
    rank->kind = rank->was_switched ? BURST_COLD : BURST_WARM;
    rank->is_cold |= rank->was_switched;
    if (rank->is_cold && start && (rank->was_switched || start->expected >= bursts.ticks_long)) {
        bool is_fetched = start->expected >= fmax(bursts.ticks_long, rank->fetch_ticks) ||
                          start->turns < SAMPLED || start->turns % SAMPLED == 0;

        start->turns++;
        is_fetched = is_fetched && may_fetch();
        if (is_fetched)
            fetch_rank(rank);
        rank->kind = is_fetched ? BURST_FETCHED : BURST_COLD;
    }
    rank->began_cpu = cpu_at(processor_ticks());
    rank->began_ticks = processor_ticks();
}

/* ------------------------------------------------- what a burst took */

/* By how much bursts take less if data are fetched; found anew now and then. */
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

/* What a burst took of TICKS in which others had the processor, too: the processor's time is some
 * microseconds off. */
static double without_others(const struct segment *s, const struct rank *rank, double ticks)
{
    int64_t cpu_ns = clue_real_ns(CLOCK_THREAD_CPUTIME_ID) - rank->began_cpu;
    double cpu = (double)cpu_ns / bursts.ns_per_tick, usual;

    if (ticks - cpu < bursts.ticks_checked / 4)
        return ticks;
    bursts.sums.n_preempted++;
    cpu = fmax(0, cpu);
    usual = s && s->n[rank->kind] >= ENOUGH ? quantile(s, rank->kind, 0.5) : cpu;
    return fabs(usual - cpu) < bursts.ticks_checked ? usual : cpu;
}

/* TICKS of a burst as if it had been alone. */
static double alone(struct segment *s, const struct rank *rank, double ticks)
{
    double own = ticks > bursts.ticks_checked ? without_others(s, rank, ticks) : ticks;

    if (!s || own != ticks)
        return own;
    s->n[rank->kind]++;
    s->count[rank->kind][class_of((uint64_t)ticks)]++;
    return rank->kind == BURST_COLD ? ticks * scale_of(s) : ticks;
}

/* The law of bursts that end at SITE. Looking for it is no part of the next burst. */
static struct burst_law *law_of(struct burst_start *end, const struct rank *rank, const void *site)
{
    if (!end || clue_carrier.run->compute != CLUE_COMPUTE_MODEL)
        return NULL;
    if (!end->is_known) {
        end->law = clue_law_at(rank, site);
        end->is_known = true;
    }
    return end->law;
}

int64_t clue_burst_end(struct rank *rank, const void *site)
{
    struct burst_start *start = rank->start;
    struct burst_law *law;
    struct segment *s;
    double ticks, clocks_ns = rank->clocks_ns;

    rank->clocks_ns = 0;
    if (clue_carrier.run->compute == CLUE_COMPUTE_TABLE)
        return clue_table_ns(clue_carrier.table, rank->task, clue_site_key(rank, site));
    if (!clue_is_measured(clue_carrier.run))
        return 0;
    ticks = (double)(processor_ticks() - rank->began_ticks);
    bursts.sums.n++;
    rank->start = start_of(rank, site);
    if ((law = law_of(rank->start, rank, site)))
        return clue_law_time(law, rank, NULL);
    if (rank->apart)
        return rank->apart->burst_ns;
    s = segment_of(start, rank->start ? rank->start->site : 0);
    ticks = alone(s, rank, ticks);
    if (s && rank->is_cold)
        start->expected += (ticks - start->expected) / (start->turns < SAMPLED ? 2 : SAMPLED);
    rank->is_cold &= rank->kind != BURST_FETCHED;
    ticks = fmax(0, ticks - bursts.empty[rank->kind != BURST_WARM]);
    return (int64_t)(ticks * bursts.ns_per_tick + clocks_ns + 0.5);
}

/*
 * What folding is thought to have left: bursts after others ran, against a tenth of those of their
 * segment, the fastest that were measured with data fetched. What varies by itself counts too.
 */
void clue_bursts_end(struct clue_bursts *sums)
{
    static const double most_added = 1; /* more is what varies by itself */
    double all = 0, least = 0;

    for (size_t i = 0; i < STARTS; i++)
        for (struct segment *s = bursts.starts[i].segments, *next; s; s = next) {
            double n = (double)(s->n[BURST_FETCHED] + s->n[BURST_COLD]);

            next = s->next;
            if (s->n[BURST_FETCHED] >= ENOUGH) {
                all += n * quantile(s, BURST_FETCHED, 0.5);
                least += n * quantile(s, BURST_FETCHED, 0.1);
            }
            free(s);
        }
    *sums = bursts.sums;
    sums->added = least > 0 ? all / least - 1 : 0;
    if (sums->added > most_added)
        sums->added = NAN;
    memset(&bursts, 0, sizeof bursts);
}
