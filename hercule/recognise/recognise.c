/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recognises a paradigm in a trace, and looks up what metrics ask of it.
 *
 * The order is: bind calls and regions to components, make tokens, find instances in them, number
 * and relate these, and apply constraints. A call of something else in the middle of an iteration
 * makes the iteration break its constraints; therefore such calls are set apart, and instances are
 * found again without them, as long as that keeps more than it loses. Then waiting is charged to
 * tokens. Values of attributes are computed only when a metric asks for them.
 */
#include "recognise.h"

#include <portolan/replay.h>

#include <math.h>
#include <stdlib.h>

static void count_fit(struct fit *fit, const struct token *t)
{
    fit->all_ns += t->end - t->begin;
    fit->fitted_ns += t->component != TOKEN_NO_COMPONENT ? t->end - t->begin : 0;
    fit->n++;
}

bool token_is_ordinary(const struct recognition *r, const struct token *t)
{
    enum portolan_trace_routine_class class;

    if (!t->n_events)
        return t->components != 0; /* it is computing, no gap and no waiting for the end */
    if (r->trace->events[t->first_event].kind != PORTOLAN_TRACE_BEGIN)
        return true;
    class = r->waits->matching->classes[r->trace->events[t->first_event].what];
    return class != PORTOLAN_ROUTINE_INIT && class != PORTOLAN_ROUTINE_FINALIZE &&
           class != PORTOLAN_ROUTINE_CREATE;
}

/* Marks the stretches of ROW that fit no event; returns how many there are. */
static size_t mark_foreign(struct token_row *row, bool is_foreign)
{
    size_t n = 0;
    bool is_outside = false;

    for (size_t i = 0; i < row->n; i += 1 + row->tokens[i].n_inside) {
        struct token *t = &row->tokens[i];

        if (!t->components)
            continue;
        n += !is_outside && t->component == TOKEN_NO_COMPONENT;
        is_outside = t->component == TOKEN_NO_COMPONENT;
        t->is_foreign = is_foreign && is_outside;
    }
    return n;
}

/* Finds foreign stretches. What is done now and then in addition to the paradigm, such as set-up
 * and output, does not mean that the paradigm fits badly. */
static void find_foreign(struct recognition *r)
{
    enum { RARE = 10 };

    for (size_t l = 0, i = 0; l < r->n_rows; l++) {
        size_t n = 0;

        for (; i < r->n_instances && r->instances[i].row == l; i++)
            n++;
        mark_foreign(&r->rows[l], RARE * mark_foreign(&r->rows[l], false) <= n);
    }
}

static void measure_fit(struct recognition *r)
{
    for (size_t l = 0; l < r->n_rows; l++)
        for (size_t i = 0; i < r->rows[l].n; i++) {
            const struct token *t = &r->rows[l].tokens[i];

            if (t->is_foreign) {
                r->globals[GLOBAL_STARTING] += fmax(0, (double)(t->end - t->begin - t->wait));
                continue;
            }
            for (uint64_t bits = t->components; bits; bits &= bits - 1)
                count_fit(&r->fits[__builtin_ctzll(bits)], t);
            /* Start, finish, and waiting for the others at a rank's end belong to no component. */
            if ((t->components || (!t->n_inside && t->wait < t->end - t->begin)) &&
                (!t->n_events || token_is_ordinary(r, t)))
                count_fit(&r->whole, t);
        }
}

/* Sums a quantity, at most MOST of each token, over the tokens that are not inside others: over
 * those of no component, or over all. */
static double sum_tokens(const struct recognition *r, enum quantity quantity, enum quantity most,
                         bool of_no_component)
{
    double sum = 0;

    for (size_t l = 0; l < r->n_rows; l++) {
        const struct token_row *row = &r->rows[l];

        for (size_t i = 0; i < row->n; i += 1 + row->tokens[i].n_inside)
            if (!of_no_component || row->tokens[i].component == TOKEN_NO_COMPONENT)
                sum += fmin(token_quantity(r, row, &row->tokens[i], quantity),
                            token_quantity(r, row, &row->tokens[i], most));
    }
    return sum;
}

/* Returns the time of LOCATION in calls of a CLASS, without waiting there. */
static double time_in_class(const struct portolan_waits *waits,
                            const struct portolan_trace_location *location,
                            enum portolan_trace_routine_class class)
{
    const struct portolan_trace_event *events = waits->trace->events;
    double sum = 0;

    for (size_t i = location->first; i < location->first + location->n; i++) {
        const struct portolan_wait *wait;
        size_t n;

        if (events[i].kind != PORTOLAN_TRACE_END ||
            waits->matching->classes[events[i].what] != class)
            continue;
        wait = portolan_waits_of(waits, waits->matching->call[i], &n);
        sum += (double)(events[i].ns - events[waits->matching->call[i]].ns);
        for (size_t k = 0; k < n; k++)
            sum -= (double)wait[k].ns;
    }
    return sum;
}

/* Returns the time that each rank needs at least for starting or ending MPI, which is part of no
 * design. If a rank needs more, others wait for it. */
static double least_in_class(const struct portolan_waits *waits,
                             enum portolan_trace_routine_class class)
{
    const struct portolan_trace *t = waits->trace;
    double least = INFINITY;

    for (size_t l = 0; l < t->n_locations; l++)
        if (t->locations[l].thread == 0)
            least = fmin(least, time_in_class(waits, &t->locations[l], class));
    return isfinite(least) ? fmax(0, least) * t->n_ranks : 0;
}

/* Measures what needs no instances; attributes may name it. */
static bool measure_run(struct recognition *r)
{
    double *g = r->globals;
    struct portolan_costs costs;

    if (portolan_costs_estimate(r->waits, &costs, NULL))
        return false;
    g[GLOBAL_P] = r->trace->n_ranks;
    g[GLOBAL_T] = (double)r->run_ns;
    g[GLOBAL_RUN] = (double)r->waits->all_ns;
    g[GLOBAL_MPI_TIME] = sum_tokens(r, QUANTITY_MPI, QUANTITY_MPI, false);
    g[GLOBAL_MPI_WAIT] = sum_tokens(r, QUANTITY_WAIT, QUANTITY_WAIT, false);
    g[GLOBAL_MPI_COLLECTIVE] = sum_tokens(r, QUANTITY_COLLECTIVE, QUANTITY_COLLECTIVE, false);
    g[GLOBAL_OUTSIDE] = g[GLOBAL_OUTSIDE_DELAY] = g[GLOBAL_OUTSIDE_WAIT] = NAN;
    g[GLOBAL_ENDING] = least_in_class(r->waits, PORTOLAN_ROUTINE_FINALIZE);
    g[GLOBAL_STARTING] = least_in_class(r->waits, PORTOLAN_ROUTINE_INIT) + g[GLOBAL_ENDING];
    g[GLOBAL_LATENCY] = (double)costs.latency_ns;
    g[GLOBAL_PER_BYTE] = costs.ns_per_byte;
    return true;
}

static void forget_instances(struct recognition *r)
{
    for (size_t l = 0; l < r->n_rows; l++)
        for (size_t i = 0; i < r->rows[l].n; i++)
            r->rows[l].tokens[i].component = TOKEN_NO_COMPONENT;
    r->n_instances = 0;
}

/* Finds instances. A call of something else must not cost an iteration: what breaks constraints is
 * matched again without such a call, as long as more is kept than breaks them. */
static bool find_instances(struct recognition *r)
{
    enum { ROUNDS = 5 };

    for (int round = 0; round < ROUNDS; round++) {
        size_t before = r->n_apart;

        forget_instances(r);
        if (!instances_find(r) || !instances_order(r) || !constraints_apply(r))
            return false;
        if (r->n_apart == before || r->n_apart - before > r->n_instances)
            break;
    }
    return true;
}

static bool recognise_instances(struct recognition *r, const struct bound *b)
{
    if (!b || !tokens_make(r, b) || !measure_run(r) || !find_instances(r) || !delays_charge(r))
        return false;
    find_foreign(r);
    measure_fit(r);
    r->globals[GLOBAL_OUTSIDE] = fmax(0, sum_tokens(r, QUANTITY_TIME, QUANTITY_TIME, true) -
                                             sum_tokens(r, QUANTITY_WAIT, QUANTITY_WAIT, true) -
                                             r->globals[GLOBAL_STARTING]);
    r->globals[GLOBAL_OUTSIDE_DELAY] = sum_tokens(r, QUANTITY_DELAY, QUANTITY_DELAY, true);
    /* Waiting for the others by a rank that has ended is not in MPI. */
    r->globals[GLOBAL_OUTSIDE_WAIT] = sum_tokens(r, QUANTITY_WAIT, QUANTITY_MPI, true);
    return delays_delegate(r);
}

enum portolan_status recognise(const struct paradigm *paradigm, const struct portolan_waits *waits,
                               const struct binding *bindings, size_t n_bindings,
                               struct recognition **recognition, struct portolan_error *err)
{
    struct recognition *r;

    *recognition = NULL;
    if (paradigm->n_components > AUTOMATON_COMPONENTS)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "paradigm '%s' has %zu components; at most %d can be told apart",
                                  paradigm->item.name, paradigm->n_components,
                                  (int)AUTOMATON_COMPONENTS);
    if (!(r = portolan_calloc(1, sizeof *r)))
        return portolan_no_memory(err);
    *r = (struct recognition){
        .paradigm = paradigm, .trace = waits->trace, .waits = waits, .run_ns = waits->run_ns};
    r->fits = portolan_arena_alloc(&r->arena, paradigm->n_components, sizeof *r->fits);
    if (!recognise_instances(
            r, bind_components(paradigm, r->trace, bindings, n_bindings, &r->arena))) {
        recognition_destroy(r);
        return portolan_no_memory(err);
    }
    *recognition = r;
    return PORTOLAN_OK;
}

void recognition_destroy(struct recognition *r)
{
    if (!r)
        return;
    for (size_t l = 0; r->rows && l < r->n_rows; l++)
        free(r->rows[l].tokens);
    free(r->rows);
    free(r->instances);
    portolan_arena_clear(&r->of_instances);
    portolan_arena_clear(&r->arena);
    free(r);
}

/* ------------------------------------------------- quantities for metrics */

bool recognition_lookup(void *recognition, const struct paradigm *paradigm,
                        const struct reference *reference, struct measured *value)
{
    struct recognition *r = recognition;
    struct value_list l = {0};
    bool is_good = true;

    (void)paradigm;
    *value = (struct measured){.is_trusted = true, .samples = 1};
    if (reference->kind == REFERENCE_GLOBAL) {
        value->value = r->globals[reference->index];
        return !isnan(value->value);
    }
    if (reference->kind == REFERENCE_METRIC || reference->kind == REFERENCE_RELATED)
        return false;
    if (r->caused && reference->kind == REFERENCE_COMPONENT &&
        reference->aggregate == AGGREGATE_SUM &&
        (reference->quantity == QUANTITY_DELAY || reference->quantity == QUANTITY_DELEGATED))
        value->value =
            (double)(reference->quantity == QUANTITY_DELAY ? r->caused
                                                           : r->delegated)[reference->index];
    else if ((is_good = values_collect(r, reference, NULL, &l))) {
        value->value = value_list_aggregate(&l, reference->aggregate);
        value->samples = l.n;
    }
    value_list_clear(&l, r);
    return is_good;
}

/* Marks computing: the time that follows the event before it, with calls to MPI_PROC_NULL. */
static void mark_computing(const struct recognition *r, size_t location, const struct token *t,
                           uint8_t *events)
{
    for (size_t e = t->first_event; e-- > r->trace->locations[location].first;) {
        events[e] = 1;
        if (r->trace->events[e].ns <= t->begin)
            return;
    }
}

void recognition_mark(const struct recognition *r, size_t component, uint8_t *events)
{
    for (size_t l = 0; l < r->n_rows; l++)
        for (size_t i = 0; i < r->rows[l].n; i++) {
            const struct token *t = &r->rows[l].tokens[i];

            if (t->component != component)
                continue;
            if (!t->n_events)
                mark_computing(r, l, t, events);
            for (uint32_t e = 0; e < t->n_events; e++)
                events[t->first_event + e] = 1;
        }
}
