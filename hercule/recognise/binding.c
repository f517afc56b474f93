/* SPDX-License-Identifier: BSD-3-Clause */
/* Binds calls, regions and stretches of computing to components. */
#include "recognise.h"

#include <portolan/hercule.h>

#include <string.h>

/* What a call of MPI does, in the words of bindings; these may also name a routine. */
#define CALL_WORDS(X)                                                                              \
    X(SEND, "send")       /* a message leaves, also when the send is only posted */                \
    X(RECEIVE, "receive") /* a message arrives, also in a wait */                                  \
    X(FIRST, "first")     /* a message arrives, though not right after one from another rank: */   \
    X(FURTHER, "further") /* such a further message */                                             \
    X(POST, "post")       /* a receive is posted */                                                \
    X(SENDRECV, "sendrecv")                                                                        \
    X(WAIT, "wait")                                                                                \
    X(TEST, "test")                                                                                \
    X(PROBE, "probe")                                                                              \
    X(POLL, "poll") /* Iprobe, and Test without success */                                         \
    X(BARRIER, "barrier")                                                                          \
    X(COLLECTIVE, "collective")                                                                    \
    X(NEIGHBOUR, "neighbour")                                                                      \
    X(ONE_SIDED, "one-sided")

enum call_word {
#define CALL_WORD(name, text) WORD_##name,
    CALL_WORDS(CALL_WORD)
#undef CALL_WORD
        N_WORDS
};
static const char *const call_words[N_WORDS] = {
#define CALL_WORD(name, text) text,
    CALL_WORDS(CALL_WORD)
#undef CALL_WORD
};

enum partner { PARTNER_ANY, PARTNER_RANK, PARTNER_HUB, PARTNER_OTHERS };

struct binding_rule {
    size_t component;
    const char *user, *uses, *method, *region, *phase;
    unsigned words;
    bool *routines; /* by routine of the trace; NULL: none is named */
    int64_t tag, rank;
    enum partner partner;
};

struct bound {
    struct portolan_arena *arena;
    const struct paradigm *paradigm;
    const struct portolan_trace *trace;
    struct binding_rule *rules;
    size_t n_own, n_rules;       /* the user's own rules come first, of which one decides */
    bool *is_bound, *is_refined; /* by component: IS_BOUND: bound by a rule of the user's;
                                  * IS_REFINED: has components as parts */
    int hub;                     /* IS_REFINED: has components as parts */
    unsigned words;              /* words of all rules */
};

static const char *text_or_null(const char *text)
{
    return text && *text ? text : NULL;
}

/* Adds the words of the list, and routines. */
static void add_calls(struct bound *b, struct binding_rule *rule, const char *words)
{
    const struct portolan_trace *t = b->trace;
    size_t n;

    for (const char *word = words; word && *(word += strspn(word, " ,")); word += n) {
        n = strcspn(word, " ,");
        if (n == 4 && !strncmp(word, "recv", 4))
            rule->words |= 1u << WORD_RECEIVE;
        for (size_t i = 0; i < N_WORDS; i++)
            if (!strncmp(call_words[i], word, n) && !call_words[i][n])
                rule->words |= 1u << i;
        b->words |= rule->words;
        if (!rule->routines)
            rule->routines = portolan_arena_alloc(b->arena, t->n_routines, sizeof(bool));
        for (size_t i = 0; rule->routines && i < t->n_routines; i++)
            rule->routines[i] |= !strncmp(t->routines[i], word, n) && !t->routines[i][n];
    }
}

static void add_own(struct bound *b, const struct binding *binding)
{
    struct binding_rule *rule = &b->rules[b->n_rules++];
    const struct portolan_part *from = binding->part;

    *rule = (struct binding_rule){
        .component = binding->component,
        .user = text_or_null(from->user),
        .uses = text_or_null(from->uses),
        .method = text_or_null(from->method),
        .region = text_or_null(from->region),
        .phase = text_or_null(from->phase),
        .tag = from->tag,
        .rank = from->to,
        .partner = from->to >= 0 ? PARTNER_RANK : PARTNER_ANY,
    };
    b->is_bound[rule->component] = true;
    add_calls(b, rule, from->mpi);
}

static void add_default(struct bound *b, size_t component)
{
    const struct component *c = &b->paradigm->components[component];
    struct binding_rule *rule = &b->rules[b->n_rules];

    if (b->is_bound[component] || (!c->n_mpi && c->tag < 0 && !*c->phase))
        return;
    b->n_rules++;
    *rule = (struct binding_rule){
        .component = component, .phase = text_or_null(c->phase), .tag = c->tag};
    rule->partner = !strcmp(c->to, "hub")                     ? PARTNER_HUB
                    : !strcmp(c->to, "others")                ? PARTNER_OTHERS
                    : portolan_read_int64(c->to, &rule->rank) ? PARTNER_RANK
                                                              : PARTNER_ANY;
    for (size_t i = 0; i < c->n_mpi; i++)
        add_calls(b, rule, c->mpi[i]);
}

/* Finds the rank with most partners, by messages sent in either direction; the lowest of equals. */
static void find_hub(struct bound *b)
{
    const struct portolan_trace *t = b->trace;
    size_t n = (size_t)t->n_ranks, words = (n + 63) / 64;
    uint64_t *met = portolan_arena_alloc(b->arena, n * words, sizeof *met);
    int most = -1;

    for (size_t l = 0; met && l < t->n_locations; l++)
        for (size_t e = t->locations[l].first; e < t->locations[l].first + t->locations[l].n; e++) {
            size_t own = (size_t)t->locations[l].rank, other = (size_t)t->events[e].peer;

            if (t->events[e].kind != PORTOLAN_TRACE_SEND || other >= n || own >= n || other == own)
                continue;
            met[own * words + other / 64] |= (uint64_t)1 << other % 64;
            met[other * words + own / 64] |= (uint64_t)1 << own % 64;
        }
    for (size_t r = 0; met && r < n; r++) {
        int partners = 0;

        for (size_t w = 0; w < words; w++)
            partners += __builtin_popcountll(met[r * words + w]);
        if (partners > most) {
            most = partners;
            b->hub = (int)r;
        }
    }
}

struct bound *bind_components(const struct paradigm *paradigm, const struct portolan_trace *trace,
                              const struct binding *bindings, size_t n,
                              struct portolan_arena *arena)
{
    size_t n_components = paradigm->n_components;
    struct bound *b = portolan_arena_alloc(arena, 1, sizeof *b);

    if (!b)
        return NULL;
    *b = (struct bound){
        .arena = arena,
        .paradigm = paradigm,
        .trace = trace,
        .rules = portolan_arena_alloc(arena, n + n_components, sizeof *b->rules),
        .is_bound = portolan_arena_alloc(arena, n_components, sizeof(bool)),
        .is_refined = portolan_arena_alloc(arena, n_components, sizeof(bool)),
    };
    if (arena->failed)
        return NULL;
    find_hub(b);
    for (size_t i = 0; i < n; i++)
        add_own(b, &bindings[i]);
    b->n_own = b->n_rules;
    for (size_t i = 0; i < n_components; i++) {
        add_default(b, i);
        if (paradigm->components[i].within != HERCULE_NONE)
            b->is_refined[paradigm->components[i].within] = true;
    }
    return arena->failed ? NULL : b;
}

static bool is_same(const char *wanted, const char *name)
{
    return !wanted || !strcmp(wanted, name);
}

static bool names_port(const struct binding_rule *r)
{
    return r->user || r->uses || r->method;
}

/* Returns whether REGION is the call of a port, or else the region, that the rule names. */
static bool is_named(const struct binding_rule *r, const struct portolan_trace_region *region)
{
    if (names_port(r))
        return region->kind == PORTOLAN_TRACE_PORT && is_same(r->user, region->user) &&
               is_same(r->uses, region->port) && is_same(r->method, region->name);
    return r->region && !strcmp(r->region, region->name);
}

static bool names_calls(const struct binding_rule *r)
{
    return r->words || r->routines || r->tag >= 0 || r->partner != PARTNER_ANY;
}

/* Returns whether the region that the rule names, if it names any, is among the N open regions, and
 * its phase is among them or begun by MARK. */
static bool is_inside(const struct bound *b, const struct binding_rule *r, const char *mark,
                      const uint32_t *open, size_t n)
{
    bool is_there = !names_port(r) && !r->region, is_then = is_same(r->phase, mark);

    for (size_t i = 0; i < n; i++)
        if (open[i] != BOUND_NO_REGION) {
            const struct portolan_trace_region *region = &b->trace->regions[open[i]];

            is_there |= is_named(r, region);
            is_then |= region->kind == PORTOLAN_TRACE_PHASE && is_same(r->phase, region->name);
        }
    return is_there && is_then;
}

/* Adds to FITTING the components of rules that fit; of the user's own rules, only the first. */
#define ADD_FITTING(fitting, b, condition)                                                         \
    for (size_t i = 0; i < (b)->n_rules && !(fitting && i <= (b)->n_own); i++) {                   \
        const struct binding_rule *rule = &(b)->rules[i];                                          \
        fitting |= (uint64_t)(condition) << rule->component;                                       \
    }

/* Returns whether a rule fits. Without a region it binds the phase of its name, or its mark's
 * time. */
static bool fits_region(const struct bound *b, const struct binding_rule *r, const char *mark,
                        const uint32_t *open, size_t n)
{
    const struct portolan_trace_region *region =
        open[n - 1] == BOUND_NO_REGION ? NULL : &b->trace->regions[open[n - 1]];

    if (names_calls(r))
        return false;
    if (names_port(r) || r->region)
        return region && is_named(r, region) && is_inside(b, r, mark, open, n);
    return r->phase && !strcmp(r->phase, region ? region->name : mark);
}

/* Returns the components of a region. A nested paradigm has the same names in each component that
 * it works in, so it matters where the region is. Parts of operations that the program does not
 * distinguish are found without them. */
uint64_t bound_region(const struct bound *b, const char *mark, const uint32_t *open, size_t n_open,
                      size_t within)
{
    const struct component *components = b->paradigm->components;
    uint64_t fitting = 0;

    ADD_FITTING(fitting, b,
                components[rule->component].within == within &&
                    fits_region(b, rule, mark, open, n_open))
    if (!fitting && within == HERCULE_NONE)
        ADD_FITTING(fitting, b,
                    !*components[rule->component].item.context &&
                        fits_region(b, rule, mark, open, n_open))
    return fitting;
}

uint64_t bound_computing(const struct bound *b, size_t within)
{
    uint64_t fitting = 0;

    for (size_t i = 0; i < b->paradigm->n_components; i++) {
        const struct component *c = &b->paradigm->components[i];

        if (c->kind == COMPONENT_COMPUTATION && c->within == within && !b->is_bound[i] &&
            !*c->phase)
            fitting |= (uint64_t)1 << i;
    }
    return fitting;
}

bool bound_is_refined(const struct bound *b, size_t component)
{
    return b->is_refined[component];
}

static unsigned words_of_class(enum portolan_trace_routine_class class)
{
    static const unsigned words[PORTOLAN_ROUTINE_TRANSFER] = {
        [PORTOLAN_ROUTINE_SENDRECV] = 1u << WORD_SENDRECV,
        [PORTOLAN_ROUTINE_WAIT] = 1u << WORD_WAIT,
        [PORTOLAN_ROUTINE_TEST] = 1u << WORD_TEST,
        [PORTOLAN_ROUTINE_PROBE] = 1u << WORD_PROBE,
        [PORTOLAN_ROUTINE_POLL] = 1u << WORD_POLL,
        [PORTOLAN_ROUTINE_BARRIER] = 1u << WORD_BARRIER | 1u << WORD_COLLECTIVE,
        [PORTOLAN_ROUTINE_NEIGHBOUR] = 1u << WORD_NEIGHBOUR | 1u << WORD_COLLECTIVE,
    };

    return class < PORTOLAN_ROUTINE_TRANSFER ? words[class] : 1u << WORD_ONE_SIDED;
}

static unsigned words_of_call(const struct bound *b, const struct portolan_trace_event *events,
                              size_t n)
{
    enum portolan_trace_routine_class class =
        portolan_trace_classify(b->trace->routines[events->what], NULL);
    unsigned words = words_of_class(class), kinds = 0;

    for (size_t i = 0; i < n; i++)
        kinds |= 1u << events[i].kind;
    words |= kinds >> PORTOLAN_TRACE_SEND & 1 ? 1u << WORD_SEND : 0;
    words |= kinds >> PORTOLAN_TRACE_RECV & 1 ? 1u << WORD_RECEIVE : 0;
    words |= kinds & (1u << PORTOLAN_TRACE_COLLECTIVE | 1u << PORTOLAN_TRACE_COLLECTIVE_DONE)
                 ? 1u << WORD_COLLECTIVE
                 : 0;
    if (!(words & (1u << WORD_SEND | 1u << WORD_RECEIVE)) && kinds >> PORTOLAN_TRACE_RECV_POST & 1)
        words |= 1u << WORD_POST;
    if (class == PORTOLAN_ROUTINE_TEST && !(words & 1u << WORD_RECEIVE))
        words |= 1u << WORD_POLL;
    return words;
}

/* Returns whether a message of the call has the partner and the tag that the rule asks for. A call
 * that looks for messages without success looks for those of the other ranks, or of the hub. */
static bool fits_message(const struct bound *b, const struct binding_rule *r,
                         const struct portolan_trace_event *events, size_t n, int rank,
                         bool is_in_vain)
{
    bool is_hub = rank == b->hub;

    if (r->tag < 0 && (r->partner == PARTNER_ANY ||
                       (is_in_vain && r->partner == (is_hub ? PARTNER_OTHERS : PARTNER_HUB))))
        return true;
    for (size_t i = 0; i < n; i++) {
        const struct portolan_trace_event *e = &events[i];
        bool is_message = e->kind == PORTOLAN_TRACE_SEND || e->kind == PORTOLAN_TRACE_RECV ||
                          e->kind == PORTOLAN_TRACE_RECV_POST;

        if (is_message && (r->tag < 0 || e->tag == r->tag) &&
            (r->partner == PARTNER_ANY || (r->partner == PARTNER_RANK && e->peer == r->rank) ||
             (r->partner == PARTNER_HUB && e->peer == b->hub && !is_hub) ||
             (r->partner == PARTNER_OTHERS && is_hub)))
            return true;
    }
    return false;
}

bool bound_knows_further(const struct bound *b)
{
    return b->words & 1u << WORD_FURTHER;
}

uint64_t bound_call(const struct bound *b, const struct portolan_trace_event *events, size_t n,
                    int rank, bool is_further, const char *mark, const uint32_t *open,
                    size_t n_open, size_t within)
{
    unsigned words = words_of_call(b, events, n);
    uint64_t fitting = 0;

    if (words & b->words & 1u << WORD_SENDRECV)
        words = 1u << WORD_SENDRECV;
    else if (words & 1u << WORD_RECEIVE)
        words |= 1u << (is_further ? WORD_FURTHER : WORD_FIRST);
    ADD_FITTING(
        fitting, b,
        b->paradigm->components[rule->component].within == within &&
            (rule->words || rule->routines || rule->tag >= 0) &&
            ((!rule->words && !rule->routines) || rule->words & words ||
             (rule->routines && rule->routines[events->what])) &&
            is_inside(b, rule, mark, open, n_open) &&
            fits_message(b, rule, events, n, rank, words & (1u << WORD_PROBE | 1u << WORD_POLL)))
    return fitting;
}
