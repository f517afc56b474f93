/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers and relates instances, and evaluates their attributes. */
#include "recognise.h"

#include <portolan/list.h>

#include <math.h>
#include <string.h>

/* ------------------------------------------------- quantities */

/* The messages of tokens, counted only when asked for, since every third event may be a token. */
struct traffic {
    uint64_t bytes, sends, receives, remote;
    int64_t to, from; /* sums of the ranks that messages went to and came from */
};

static void add_traffic(const struct recognition *r, const struct token_row *row,
                        const struct token *t, struct traffic *x)
{
    for (uint32_t i = t->first_event; i < t->first_event + t->n_events; i++) {
        const struct portolan_trace_event *e = &r->trace->events[i];
        bool is_send = e->kind == PORTOLAN_TRACE_SEND;

        if ((!is_send && e->kind != PORTOLAN_TRACE_RECV) || e->peer < 0)
            continue; /* MPI_PROC_NULL is no rank */
        x->sends += is_send;
        x->receives += !is_send;
        *(is_send ? &x->to : &x->from) += e->peer;
        x->bytes += e->bytes;
        x->remote += e->peer != row->rank;
    }
}

static double traffic_quantity(const struct traffic *x, enum quantity quantity)
{
    switch (quantity) {
    case QUANTITY_BYTES:
        return (double)x->bytes;
    case QUANTITY_MESSAGES:
        return (double)(x->sends + x->receives);
    case QUANTITY_REMOTE:
        return (double)x->remote / (double)(x->sends + x->receives); /* NaN: there are none */
    case QUANTITY_SENDS:
        return (double)x->sends;
    case QUANTITY_TO:
        return (double)x->to;
    case QUANTITY_RECEIVES:
        return (double)x->receives;
    case QUANTITY_FROM:
        return (double)x->from;
    default:
        return NAN;
    }
}

double token_quantity(const struct recognition *r, const struct token_row *row,
                      const struct token *t, enum quantity quantity)
{
    struct traffic traffic = {0};

    switch (quantity) {
    case QUANTITY_TIME:
        return (double)(t->end - t->begin);
    case QUANTITY_WAIT:
        return (double)t->wait;
    case QUANTITY_MPI:
        return (double)t->mpi;
    case QUANTITY_COLLECTIVE:
        return (double)t->collective;
    case QUANTITY_COUNT:
        return 1;
    case QUANTITY_BEGIN:
        return (double)t->begin;
    case QUANTITY_END:
        return (double)t->end;
    case QUANTITY_DELAY:
        return (double)t->delay;
    case QUANTITY_DELEGATED:
        return 0; /* computed by delays_delegate(), only for woven paradigms */
    default:
        add_traffic(r, row, t, &traffic);
        return traffic_quantity(&traffic, quantity);
    }
}

/* Returns the sum of what the program reports under NAME during T; NaN: nothing. */
static double reported_value(const struct recognition *r, const struct token *t, const char *name)
{
    double sum = NAN;

    for (uint32_t e = t->first_event; e < t->first_event + t->n_events; e++) {
        const struct portolan_trace_event *x = &r->trace->events[e];

        if (x->kind == PORTOLAN_TRACE_VALUE && !strcmp(r->trace->names[x->what], name))
            sum = (isnan(sum) ? 0 : sum) + portolan_trace_value(x);
    }
    return sum;
}

/* Collects the tokens FIRST to END of ROW that are COMPONENT. */
static bool collect_tokens(const struct recognition *r, const struct token_row *row, size_t first,
                           size_t end, const struct reference *ref, struct value_list *l)
{
    const struct component *c = &r->paradigm->components[ref->index];
    size_t ordinal = 0;

    for (size_t i = first; i < end; i++) {
        const struct token *t = &row->tokens[i];
        enum quantity q = ref->quantity;

        if (t->component != ref->index)
            continue;
        if (!value_list_add(l,
                            q == QUANTITY_RANK      ? (double)row->rank
                            : q == QUANTITY_ORDINAL ? (double)ordinal
                            : q == QUANTITY_VALUE ? reported_value(r, t, c->values[ref->attribute])
                                                  : token_quantity(r, row, t, q),
                            (size_t)row->rank, ordinal))
            return false;
        ordinal++;
    }
    return true;
}

/* Returns the aggregate of a quantity for which none is named. */
static enum aggregate usual_aggregate(enum quantity quantity)
{
    switch (quantity) {
    case QUANTITY_BEGIN:
        return AGGREGATE_MIN;
    case QUANTITY_END:
        return AGGREGATE_MAX;
    case QUANTITY_RANK:
    case QUANTITY_ORDINAL:
    case QUANTITY_REMOTE:
        return AGGREGATE_MEAN;
    default:
        return AGGREGATE_SUM;
    }
}

/* Returns how many ranks the tokens from FIRST to END have messages with. */
static size_t count_partners(struct recognition *r, const struct token_row *row, size_t first,
                             size_t end)
{
    struct value_list met = {0};

    for (size_t t = first; t < end; t += 1 + row->tokens[t].n_inside)
        for (uint32_t k = 0; k < row->tokens[t].n_events; k++) {
            const struct portolan_trace_event *e =
                &r->trace->events[row->tokens[t].first_event + k];
            size_t i = 0;

            if ((e->kind != PORTOLAN_TRACE_SEND && e->kind != PORTOLAN_TRACE_RECV) || e->peer < 0)
                continue;
            while (i < met.n && met.values[i].value != e->peer)
                i++;
            if (i == met.n)
                value_list_add(&met, e->peer, 0, 0);
        }
    first = met.n;
    value_list_clear(&met, r);
    return first;
}

static double instance_quantity(struct recognition *r, const struct instance *i,
                                enum quantity quantity)
{
    const struct token_row *row = &r->rows[i->row];
    struct traffic traffic = {0};
    double sum = 0;

    switch (quantity) {
    case QUANTITY_TIME:
        return (double)(i->end_ns - i->begin_ns);
    case QUANTITY_BEGIN:
        return (double)i->begin_ns;
    case QUANTITY_END:
        return (double)i->end_ns;
    case QUANTITY_ORDINAL:
        return (double)i->ordinal;
    case QUANTITY_RANK:
        return (double)row->rank;
    case QUANTITY_COUNT:
        return 1;
    case QUANTITY_PARTNERS:
        return (double)count_partners(r, row, i->first, i->end);
    case QUANTITY_REMOTE:
        for (size_t t = i->first; t < i->end; t += 1 + row->tokens[t].n_inside)
            add_traffic(r, row, &row->tokens[t], &traffic);
        return traffic_quantity(&traffic, quantity);
    default:
        for (size_t t = i->first; t < i->end; t += 1 + row->tokens[t].n_inside)
            sum += token_quantity(r, row, &row->tokens[t], quantity);
        return sum;
    }
}

/* ------------------------------------------------- order and relations */

bool instances_order(struct recognition *r)
{
    const struct paradigm *p = r->paradigm;
    struct portolan_arena *a = &r->of_instances;
    size_t *n;

    portolan_arena_clear(a);
    r->of_event = portolan_arena_alloc(a, p->n_events, sizeof *r->of_event);
    r->values = portolan_arena_alloc(a, p->n_attributes, sizeof *r->values);
    r->related = portolan_arena_alloc(a, p->n_related, sizeof *r->related);
    n = r->n_of_event = portolan_arena_alloc(a, p->n_events, sizeof *n);
    for (size_t i = 0; n && i < r->n_instances; i++)
        n[r->instances[i].event]++;
    for (size_t e = 0; !a->failed && e < p->n_events; n[e++] = 0)
        r->of_event[e] = portolan_arena_alloc(a, n[e], sizeof(size_t));
    if (a->failed)
        return false;
    for (size_t i = 0; i < r->n_instances; i++) {
        struct instance *x = &r->instances[i];
        struct token *tokens = r->rows[x->row].tokens;
        size_t before = n[x->event] ? r->of_event[x->event][n[x->event] - 1] : HERCULE_NONE;
        bool is_first = before == HERCULE_NONE || r->instances[before].row != x->row;

        x->ordinal = is_first ? 0 : r->instances[before].ordinal + 1;
        x->begin_ns = tokens[x->first].begin;
        x->end_ns = x->begin_ns;
        for (size_t t = x->first; t < x->end; t += 1 + tokens[t].n_inside)
            x->end_ns = tokens[t].end;
        x->of_event = (uint32_t)n[x->event]++;
        r->of_event[x->event][x->of_event] = i;
    }
    return true;
}

/* Returns the instance of EVENT that contains token TOKEN of a row; HERCULE_NONE: none. */
static size_t instance_at(const struct recognition *r, size_t event, size_t row, size_t token)
{
    const size_t *of_event = r->of_event[event];
    const struct instance *all = r->instances;
    size_t low = 0, high = r->n_of_event[event];

    PORTOLAN_BISECT(low, high,
                    all[of_event[middle]].row < row ||
                        (all[of_event[middle]].row == row && all[of_event[middle]].end <= token));
    return low < r->n_of_event[event] && all[of_event[low]].row == row &&
                   all[of_event[low]].first <= token
               ? of_event[low]
               : HERCULE_NONE;
}

/* Returns the instance on the other side of the first message of token T; HERCULE_NONE: none. */
static size_t follow_messages(const struct recognition *r, const struct related *x,
                              const struct token *t)
{
    const struct portolan_matching *m = r->waits->matching;

    for (uint32_t e = t->first_event; e < t->first_event + t->n_events; e++) {
        uint32_t kind = r->trace->events[e].kind, partner = m->partner[e];
        struct token *other;
        size_t location, found;

        if ((kind != PORTOLAN_TRACE_SEND && kind != PORTOLAN_TRACE_RECV) ||
            partner == PORTOLAN_NO_EVENT)
            continue;
        location = portolan_trace_location_of(r->trace, partner);
        other = tokens_find(r, location, partner);
        if (!other || other->component != x->receiver)
            continue;
        found = instance_at(r, x->to, location, (size_t)(other - r->rows[location].tokens));
        if (found != HERCULE_NONE)
            return found;
    }
    return HERCULE_NONE;
}

static size_t relate(const struct recognition *r, const struct related *x, size_t of_event)
{
    const struct instance *i = &r->instances[r->of_event[x->event][of_event]];

    if (x->sender == HERCULE_NONE && x->n_by) {                       /* "before" or "after" */
        size_t at = x->by[0][0] == 'b' ? of_event - 1 : of_event + 1; /* below 0: too large */

        return at < r->n_of_event[x->event] && r->instances[r->of_event[x->event][at]].row == i->row
                   ? r->of_event[x->event][at]
                   : HERCULE_NONE;
    }
    for (size_t t = i->first; t < i->end; t++) {
        const struct token *token = &r->rows[i->row].tokens[t];
        size_t found = token->component == x->sender ? follow_messages(r, x, token) : HERCULE_NONE;

        if (found != HERCULE_NONE)
            return found;
    }
    return HERCULE_NONE;
}

static bool is_by_ordinal(const struct related *x)
{
    return x->n_by == 1 && !strcmp(x->by[0], "ordinal");
}

/* ------------------------------------------------- attributes */

static double value_of(struct recognition *r, size_t instance, const struct reference *ref)
{
    const struct instance *x = &r->instances[instance];

    return ref->attribute != HERCULE_NONE ? r->values[ref->attribute][x->of_event]
                                          : instance_quantity(r, x, ref->quantity);
}

static size_t event_of(const struct recognition *r, const struct reference *ref)
{
    return ref->kind == REFERENCE_ATTRIBUTE ? r->paradigm->attributes[ref->attribute].event
                                            : ref->index;
}

bool values_collect(struct recognition *r, const struct reference *ref,
                    const struct instance *within, struct value_list *l)
{
    size_t event = event_of(r, ref), first_row = within ? within->row : 0,
           end_row = within ? within->row + 1 : r->n_rows;
    size_t first = within ? (size_t)(within - r->instances) + 1 : 0,
           end = within ? first + within->n_inside : r->n_instances;
    bool is_good = ref->kind == REFERENCE_COMPONENT || ref->attribute == HERCULE_NONE ||
                   attribute_values(r, ref->attribute);

    if (ref->kind == REFERENCE_COMPONENT)
        for (size_t i = first_row; is_good && i < end_row; i++)
            is_good = collect_tokens(r, &r->rows[i], within ? within->first : 0,
                                     within ? within->end : r->rows[i].n, ref, l);
    else
        for (size_t i = first; is_good && i < end; i++) {
            const struct instance *x = &r->instances[i];

            if (x->event == event)
                is_good = value_list_add(l, value_of(r, i, ref), (size_t)r->rows[x->row].rank,
                                         within ? l->n : x->ordinal);
        }
    return is_good;
}

static double aggregate(struct value_list *l, const struct reference *ref)
{
    return value_list_aggregate(l, ref->aggregate != N_AGGREGATES ? ref->aggregate
                                                                  : usual_aggregate(ref->quantity));
}

/* Returns the value of the event around instance I, else of components or events within. */
static double value_within(struct recognition *r, size_t i, const struct reference *ref)
{
    struct value_list l = {0};
    double value = NAN;

    if (ref->kind != REFERENCE_COMPONENT)
        for (size_t up = i; up != NO_INSTANCE; up = r->instances[up].parent)
            if (r->instances[up].event == event_of(r, ref))
                return value_of(r, up, ref);
    if (values_collect(r, ref, &r->instances[i], &l))
        value = aggregate(&l, ref);
    value_list_clear(&l, r);
    return value;
}

/* Returns the number of ordinals of EVENT's instances. */
static size_t count_ordinals(const struct recognition *r, size_t event)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n_of_event[event]; i++)
        if (r->instances[r->of_event[event][i]].ordinal >= n)
            n = r->instances[r->of_event[event][i]].ordinal + 1;
    return n;
}

/* Computes for each ordinal the aggregate over the ranks, for attributes that are related by
 * ordinal. NULL: no memory. */
static double *values_by_ordinal(struct recognition *r, const struct related *x,
                                 const struct reference *ref)
{
    size_t n = r->n_of_event[x->to], *of_event = r->of_event[x->to], n_first = 0;
    size_t n_asked = count_ordinals(r, x->event);
    double *values = portolan_arena_alloc(&r->of_instances, n_asked, sizeof *values);
    /* The first instance of each row that has some. */
    size_t *first = portolan_arena_alloc(&r->of_instances, r->n_rows, sizeof *first);
    struct value_list l = {0};

    for (size_t i = 0; first && i < n; i++)
        if (!r->instances[of_event[i]].ordinal)
            first[n_first++] = i;
    for (size_t o = 0; first && values && o < n_asked; o++) {
        l.n = 0;
        for (size_t k = 0; k < n_first; k++)
            if (first[k] + o < n && r->instances[of_event[first[k] + o]].ordinal == o)
                value_list_add(&l, value_of(r, of_event[first[k] + o], ref), l.n, 0);
        values[o] = aggregate(&l, ref);
    }
    value_list_clear(&l, r);
    return first ? values : NULL;
}

static bool prepare(struct recognition *r, const struct reference *ref, double **by_ordinal)
{
    const struct related *x =
        ref->kind == REFERENCE_RELATED ? &r->paradigm->related[ref->index] : NULL;
    size_t **related = x ? &r->related[ref->index] : NULL;

    if (ref->kind != REFERENCE_COMPONENT && ref->attribute != HERCULE_NONE &&
        !attribute_values(r, ref->attribute))
        return false;
    if (x && is_by_ordinal(x))
        return (*by_ordinal = values_by_ordinal(r, x, ref)) != NULL;
    if (!x || *related)
        return true;
    *related = portolan_arena_alloc(&r->of_instances, r->n_of_event[x->event], sizeof(size_t));
    if (!*related)
        return false;
    for (size_t i = 0; i < r->n_of_event[x->event]; i++)
        (*related)[i] = relate(r, x, i);
    return true;
}

static double look_up(struct recognition *r, size_t i, const struct reference *ref,
                      const double *by_ordinal)
{
    const struct instance *x = &r->instances[i];
    size_t other;

    switch (ref->kind) {
    case REFERENCE_GLOBAL:
        return r->globals[ref->index];
    case REFERENCE_COMPONENT:
    case REFERENCE_EVENT:
    case REFERENCE_ATTRIBUTE:
        return value_within(r, i, ref);
    case REFERENCE_RELATED:
        if (by_ordinal)
            return by_ordinal[x->ordinal];
        other = r->related[ref->index][x->of_event];
        return other == HERCULE_NONE ? (double)NAN : value_of(r, other, ref);
    default:
        return NAN;
    }
}

const double *attribute_values(struct recognition *r, size_t attribute)
{
    const struct attribute *a = &r->paradigm->attributes[attribute];
    size_t n = r->n_of_event[a->event], n_names = a->formula.n_references;
    double x[PORTOLAN_FORMULA_MAX_NAMES], *by_ordinal[PORTOLAN_FORMULA_MAX_NAMES] = {NULL};
    double *values = r->values[attribute];
    bool is_good;

    if (values)
        return values;
    values = r->values[attribute] = portolan_arena_alloc(&r->of_instances, n, sizeof *values);
    is_good = values;
    for (size_t i = 0; is_good && i < n; i++)
        values[i] = NAN; /* an attribute that depends on itself sees this, too */
    for (size_t k = 0; is_good && k < n_names; k++)
        is_good = prepare(r, &a->formula.references[k], &by_ordinal[k]);
    for (size_t i = 0; is_good && a->formula.formula && i < n; i++) {
        for (size_t k = 0; k < n_names; k++)
            x[k] = look_up(r, r->of_event[a->event][i], &a->formula.references[k], by_ordinal[k]);
        values[i] = portolan_formula_value(a->formula.formula, x);
    }
    r->failed |= !is_good;
    return is_good ? values : NULL;
}
