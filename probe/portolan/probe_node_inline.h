/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The part of <portolan/probe_inline.h>, which includes it, about records of calls: their layout,
 * the keys of contexts, the search for the record of a call, and how it adds up.
 */
#ifndef PORTOLAN_PROBE_NODE_INLINE_H
#define PORTOLAN_PROBE_NODE_INLINE_H

#ifndef PORTOLAN_PROBE_INLINE_H
#error "include <portolan/probe.h>"
#endif

#define PORTOLAN_PROBE_INLINE      static inline __attribute__((always_inline, unused))
#define PORTOLAN_PROBE_UNLIKELY(x) __builtin_expect(!!(x), 0)

struct portolan_probe_moments {
    double x, xx, xt; /* sums over calls; t in ticks */
};

/*
 * First line: key and what each call updates; second: look-up of children and first context. Whole
 * lines, so that no two threads write to one.
 */
struct portolan_probe_node {
    uint32_t method;      /* handle, with key-space bits for bins and for profiled ports */
    uint32_t has_moments; /* the keys are not the contexts, so sums of these are kept */
    int64_t key0;
    uint64_t calls, inclusive, exclusive, min, max; /* of calls that were timed */
    double squares;

    struct portolan_probe_node **table; /* children, open addressing, load at most 1/4 */
    uint32_t mask, id;
    uint64_t subroutine_calls, mpi;
    double quality; /* not a number until one is reported */
    struct portolan_probe_moments moments[PORTOLAN_PROBE_CONTEXTS];

    uint64_t untimed;                         /* calls that were not timed */
    uint64_t failed;                          /* calls that nothing else here counts */
    double failed_x[PORTOLAN_PROBE_CONTEXTS]; /* sums of their contexts */
    uint32_t skip;                            /* the next call to be timed */
    uint32_t one_in; /* the sampling it was drawn for, also that of the call that runs */
    /* Members of the running call, which is the only one: */
    double row_quality;                /* kept while rows are noted */
    double x[PORTOLAN_PROBE_CONTEXTS]; /* where there are moments, and of special calls */
    uint32_t flags;                    /* of special calls: the port's when it began */
    int64_t key_more[PORTOLAN_PROBE_CONTEXTS - 1];
    uint64_t *counters; /* by slot; NULL until a call was counted */
    struct portolan_probe_node *parent, *next;
    struct portolan_probe_family *families;
    uint32_t children;
    struct portolan_probe_carry *carry; /* of timers and phases: what was emptied */
} __attribute__((aligned(64)));

/** One value of a call's context: the key that distinguishes records, and the value itself. */
struct portolan_probe_context {
    int64_t key;
    double x;
    bool is_key; /* the value is the key, and x not set */
};

PORTOLAN_PROBE_INLINE double portolan_probe_value(struct portolan_probe_context context)
{
    return context.is_key ? (double)context.key : context.x;
}

/** Signed bins, 4 per octave: sign, exponent and two leading bits of the fraction. */
PORTOLAN_PROBE_INLINE int64_t portolan_probe_bin(double x)
{
    union {
        double x;
        int64_t bits;
    } u;

    u.x = x + 0.0; /* -0 becomes 0 */
    return u.bits >> 50;
}

PORTOLAN_PROBE_INLINE struct portolan_probe_context portolan_probe_context_int(int64_t value)
{
    struct portolan_probe_context c = {value, 0.0, true};

    return c;
}

/* The whole number BITS, of which int64_t may lack positive ones: those are its largest. */
PORTOLAN_PROBE_INLINE struct portolan_probe_context portolan_probe_context_bits(uint64_t bits,
                                                                                bool is_positive)
{
    return portolan_probe_context_int(is_positive && bits > INT64_MAX ? INT64_MAX : (int64_t)bits);
}

/* The same for a number of any type, which is evaluated once. */
#define portolan_probe_context_whole(x)                                                            \
    __extension__({                                                                                \
        __typeof__(x) portolan_whole = (x);                                                        \
                                                                                                   \
        portolan_probe_context_bits((uint64_t)portolan_whole, portolan_whole > 0);                 \
    })

PORTOLAN_PROBE_INLINE struct portolan_probe_context portolan_probe_context_real(double value)
{
    struct portolan_probe_context c = {portolan_probe_bin(value), value, false};

    return c;
}

/*
 * Statistics have one writer and readers that only look: plain moves do, but they must not tear. On
 * x86-64 aligned operands of instructions do not tear and are used: compilers make three
 * instructions of an atomic load, a sum and an atomic store, and more for reals. Race detectors
 * must see atomic accesses.
 */
#if defined(__x86_64__) && !defined(PORTOLAN_PROBE_FENCED) && !defined(__SANITIZE_THREAD__)
#define PORTOLAN_PROBE_OPERANDS
#endif

PORTOLAN_PROBE_INLINE void portolan_probe_add(uint64_t *sum, uint64_t value)
{
#ifdef PORTOLAN_PROBE_OPERANDS
    __asm__("addq %1, %0" : "+m"(*sum) : "er"(value) : "cc");
#else
    __atomic_store_n(sum, __atomic_load_n(sum, __ATOMIC_RELAXED) + value, __ATOMIC_RELAXED);
#endif
}

PORTOLAN_PROBE_INLINE void portolan_probe_add_real(double *sum, double value)
{
#ifdef PORTOLAN_PROBE_OPERANDS
    __asm__("addsd %0, %1\n\tmovsd %1, %0" : "+m"(*sum), "+x"(value));
#else
    double s;

    __atomic_load(sum, &s, __ATOMIC_RELAXED);
    s += value;
    __atomic_store(sum, &s, __ATOMIC_RELAXED);
#endif
}

/* Keys in the upper part of a product, methods, which follow each other, as they are. */
PORTOLAN_PROBE_INLINE uint32_t portolan_probe_hash(uint32_t method, const int64_t *keys, unsigned n)
{
    static const uint64_t odd[PORTOLAN_PROBE_CONTEXTS] = {0x9E3779B97F4A7C15U, 0xC2B2AE3D27D4EB4FU,
                                                          0x165667B19E3779F9U, 0xD6E8FEB86659FD93U};
    uint64_t h = 0;

    for (unsigned i = 0; i < n; i++)
        h += (uint64_t)keys[i] * odd[i];
    return (uint32_t)(h >> 40) + method;
}

/* The method of the node that stands in empty places of tables. */
#define PORTOLAN_PROBE_NO_METHOD UINT32_MAX

PORTOLAN_PROBE_INLINE bool portolan_probe_is(const struct portolan_probe_node *node,
                                             uint32_t method, const int64_t *keys, unsigned n)
{
    bool same = node->method == method && (n == 0 || node->key0 == keys[0]);

    for (unsigned k = 1; k < n; k++)
        same = same && node->key_more[k - 1] == keys[k];
    return same;
}

PORTOLAN_PROBE_INLINE struct portolan_probe_node *
portolan_probe_find(const struct portolan_probe_node *parent, uint32_t method, const int64_t *keys,
                    unsigned n)
{
    uint32_t i = portolan_probe_hash(method, keys, n);
    struct portolan_probe_node *node = parent->table[i & parent->mask];

    /* reads again what the first look has read, so that this need not be kept */
    while (PORTOLAN_PROBE_UNLIKELY(!portolan_probe_is(node, method, keys, n))) {
        if (__atomic_load_n(&node->method, __ATOMIC_RELAXED) == PORTOLAN_PROBE_NO_METHOD)
            return NULL;
        node = __atomic_load_n(&parent->table, __ATOMIC_RELAXED)[++i & parent->mask];
    }
    return node;
}

#endif
