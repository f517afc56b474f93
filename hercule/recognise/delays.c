/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Charges waiting to those who were waited for: while a rank waits, the rank that it waits for does
 * something, and that is the cause; where it waits itself, whoever it waits for then is. So each
 * nanosecond of waiting is charged once. (The delays of <portolan/waits.h> are by call path; all
 * computing of a program without regions is on one.)
 */
#include "recognise.h"

#include <stdlib.h>
#include <string.h>

/* Charges the time from BEGIN to END, in which somebody waited for LOCATION. */
static void charge(struct recognition *r, size_t location, int64_t begin, int64_t end, int depth);

/* The first wait of LOCATION that ends after NS. */
static size_t find_wait(const struct portolan_waits *w, size_t location, int64_t ns)
{
    size_t low = w->first_wait[location], high = w->first_wait[location + 1];

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (w->waits[middle].begin_ns + w->waits[middle].ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What LOCATION waited itself between BEGIN and END goes on to others. Returns how much that was.
 */
static int64_t pass_on(struct recognition *r, size_t location, int64_t begin, int64_t end,
                       int depth)
{
    const struct portolan_waits *w = r->waits;
    int64_t passed = 0;

    for (size_t i = find_wait(w, location, begin);
         i < w->first_wait[location + 1] && w->waits[i].begin_ns < end; i++) {
        int64_t from = w->waits[i].begin_ns > begin ? w->waits[i].begin_ns : begin;
        int64_t to = w->waits[i].begin_ns + w->waits[i].ns;

        to = to < end ? to : end;
        if (from >= to || w->waits[i].by == PORTOLAN_NO_EVENT)
            continue;
        charge(r, portolan_trace_location_of(r->trace, w->waits[i].by), from, to, depth - 1);
        passed += to - from;
    }
    return passed;
}

static void charge(struct recognition *r, size_t location, int64_t begin, int64_t end, int depth)
{
    struct token_row *row = &r->rows[location];
    struct token *t = tokens_at(row, begin);

    for (t = t ? t : row->tokens; t < row->tokens + row->n && t->begin < end; t++) {
        int64_t from = t->begin > begin ? t->begin : begin, to = t->end < end ? t->end : end;

        if (from < to && !t->n_inside) /* else what is inside is charged */
            t->delay += to - from - (depth > 0 ? pass_on(r, location, from, to, depth) : 0);
    }
}

/* The location that ends last. */
static size_t last_location(const struct recognition *r)
{
    size_t last = 0;
    int64_t latest = -1;

    for (size_t l = 0; l < r->n_rows; l++) {
        const struct token_row *row = &r->rows[l];

        if (row->n && row->tokens[row->n - 1].end - row->tokens[row->n - 1].wait > latest) {
            latest = row->tokens[row->n - 1].end - row->tokens[row->n - 1].wait;
            last = l;
        }
    }
    return last;
}

void delays_charge(struct recognition *r)
{
    size_t last = last_location(r);
    int deepest = 2 * (int)r->n_rows + 16;

    for (size_t i = 0; i < r->waits->n_waits; i++) {
        const struct portolan_wait *w = &r->waits->waits[i];

        if (w->by != PORTOLAN_NO_EVENT)
            charge(r, portolan_trace_location_of(r->trace, w->by), w->begin_ns, w->begin_ns + w->ns,
                   deepest);
    }
    for (size_t l = 0; l < r->n_rows; l++) {
        const struct token *t = r->rows[l].n ? &r->rows[l].tokens[r->rows[l].n - 1] : NULL;

        if (t && !t->n_events && t->wait && l != last)
            charge(r, last, t->begin, t->end, deepest);
    }
    for (size_t l = 0; l < r->n_rows; l++)
        for (size_t i = r->rows[l].n; i-- > 0;) {
            struct token *t = &r->rows[l].tokens[i];

            for (size_t k = 1; k <= t->n_inside; k += 1 + t[k].n_inside)
                t->delay += t[k].delay;
        }
}

/* ------------------------------------------------- woven paradigms */

/* The component of each call path, by the first event on it. */
static uint8_t *components_of_paths(const struct recognition *r)
{
    const struct portolan_waits *w = r->waits;
    uint8_t *components = portolan_calloc(w->n_paths + 1, 1);
    uint8_t *tries = portolan_calloc(w->n_paths + 1, 1); /* a path outside of all takes time */

    if (!components || !tries) {
        free(components);
        free(tries);
        return NULL;
    }
    memset(components, TOKEN_NO_COMPONENT, w->n_paths);
    for (size_t l = 0; l < r->n_rows; l++)
        for (size_t i = 0; i < r->trace->locations[l].n; i++) {
            size_t event = r->trace->locations[l].first + i;
            const struct token *t =
                components[w->path[event]] == TOKEN_NO_COMPONENT && tries[w->path[event]] < 100
                    ? tokens_find(r, l, event)
                    : NULL;

            tries[w->path[event]] += tries[w->path[event]] < 100;
            if (t)
                components[w->path[event]] = t->component;
        }
    free(tries);
    return components;
}

/*
 * Between two points where ranks meet, components of several paradigms run. What the rank that was
 * waited for did last need not be what it did too long; so delays by call path (waits.h) say who
 * caused the waiting, and waiting in one paradigm that another caused is delegated (Li and Malony,
 * IPDPS 2007, section 2.2).
 */
bool delays_delegate(struct recognition *r)
{
    const struct paradigm *p = r->paradigm;
    uint8_t *components = p->n_weaves ? components_of_paths(r) : NULL;

    if (!p->n_weaves)
        return true;
    r->caused = portolan_calloc(p->n_components + 1, sizeof *r->caused);
    r->delegated = portolan_calloc(p->n_components + 1, sizeof *r->delegated);
    for (size_t i = 0; components && r->caused && r->delegated && i < r->waits->n_delays; i++) {
        const struct portolan_delay *d = &r->waits->delays[i];
        size_t cause = d->path == UINT32_MAX ? TOKEN_NO_COMPONENT : components[d->path];
        size_t victim = components[d->waiting_path];
        int64_t ns = d->direct_ns + d->indirect_ns;

        if (cause == TOKEN_NO_COMPONENT)
            continue;
        r->caused[cause] += ns;
        if (victim != TOKEN_NO_COMPONENT &&
            strcmp(p->components[victim].item.context, p->components[cause].item.context) != 0)
            r->delegated[victim] += ns;
    }
    free(components);
    return components && r->caused && r->delegated;
}
