/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a trace as text: portolan-trace(1). */
#include <portolan/trace.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of events, and the fields that follow: R region, r routine, v value; KEY=FIELD: p peer, t
 * tag (both are left out if there is none), l level, b bytes, w number of what it refers to. */
static const struct {
    const char *name, *fields;
} kinds[PORTOLAN_TRACE_KINDS] = {
    {"ENTER", "R"},
    {"LEAVE", "R"},
    {"BEGIN", "r"},
    {"END", "r"},
    {"SEND", "to=p tag=t bytes=b comm=w"},
    {"SEND_DONE", ""},
    {"RECV_POST", "from=p tag=t comm=w"},
    {"RECV", "from=p tag=t bytes=b comm=w"},
    {"CANCELLED", ""},
    {"COLLECTIVE", "root=p bytes=b comm=w"},
    {"COLLECTIVE_DONE", ""},
    {"TRANSFER", "to=p bytes=b window=w"},
    {"ACCESS", "rank=p window=w"},
    {"EPOCH", "window=w"},
    {"MARK", "level=l"},
    {"VALUE", "v"},
    {"CPU", "ns=b"},
    {"GAP", "lost=b"},
};

static const char *const region_kinds[] = {"port", "timer", "phase", "experiment", "function"};

static void add_region(const struct portolan_trace_region *r, struct portolan_text *text)
{
    if (*r->user || *r->port)
        portolan_text_add(text, "%s.%s -> %s.%s", r->user, r->port, r->provider, r->name);
    else
        portolan_text_add(text, "%s", r->name);
}

/* Adds a field. KEY: "to=p", or a letter alone. */
static void add_field(const struct portolan_trace *t, const struct portolan_trace_event *e,
                      const char *key, struct portolan_text *text)
{
    int length = (int)strcspn(key, "= ");
    char field = key[length] == '=' ? key[length + 1] : *key;
    int number = field == 'p' ? e->peer : e->tag;

    if (strchr("pt", field) && number == PORTOLAN_TRACE_NONE)
        return;
    portolan_text_add(text, " ");
    if (field == 'R')
        add_region(&t->regions[e->what], text);
    else if (field == 'r')
        portolan_text_add(text, "%s", t->routines[e->what]);
    else if (field == 'v')
        portolan_text_add(text, "%s=%.17g", t->names[e->what], portolan_trace_value(e));
    else if (field == 'b')
        portolan_text_add(text, "%.*s=%" PRIu64, length, key, e->bytes);
    else if (field == 'w')
        portolan_text_add(text, "%.*s=%u", length, key, (unsigned)e->what);
    else if (field != 'l' && number == PORTOLAN_TRACE_ANY)
        portolan_text_add(text, "%.*s=any", length, key);
    else
        portolan_text_add(text, "%.*s=%d", length, key, number);
}

void portolan_trace_print_event(const struct portolan_trace *trace,
                                const struct portolan_trace_location *location,
                                const struct portolan_trace_event *event,
                                struct portolan_text *text)
{
    portolan_text_add(text, "%d.%d %" PRId64 ".%09" PRId64 " %s", location->rank, location->thread,
                      event->ns / 1000000000, event->ns % 1000000000, kinds[event->kind].name);
    for (const char *key = kinds[event->kind].fields; *key; key += strcspn(key, " "), key += !!*key)
        add_field(trace, event, key, text);
    if (event->request)
        portolan_text_add(text, " request=%" PRIu32, event->request);
    portolan_text_add(text, "\n");
}

/* -- tables -- */

void portolan_trace_add_ranks(const int *ranks, size_t n, struct portolan_text *text)
{
    for (size_t i = 0, last; i < n; i = last + 1) {
        last = i;
        while (last + 1 < n && ranks[last + 1] == ranks[last] + 1)
            last++;
        portolan_text_add(text, "%s%d", i ? "," : "", ranks[i]);
        if (last > i)
            portolan_text_add(text, "-%d", ranks[last]);
    }
}

static void add_comms(const char *what, const struct portolan_trace_comm *comms, size_t n,
                      struct portolan_text *text)
{
    for (size_t i = 0; i < n; i++) {
        const struct portolan_trace_comm *c = &comms[i];

        portolan_text_add(text, "# %s %zu: %s", what, i,
                          c->n_members ? "ranks " : "of unknown ranks");
        portolan_trace_add_ranks(c->members, c->n_members, text);
        if (c->n_remote)
            portolan_text_add(text, " with ");
        portolan_trace_add_ranks(c->remote, c->n_remote, text);
        for (size_t m = 0; c->neighbours && m < c->n_members; m++) {
            portolan_text_add(text, "; %d has neighbours ", c->members[m]);
            portolan_trace_add_ranks(c->neighbours + c->first_neighbour[m],
                                     c->first_neighbour[m + 1] - c->first_neighbour[m], text);
        }
        portolan_text_add(text, "\n");
    }
}

void portolan_trace_print_tables(const struct portolan_trace *trace, struct portolan_text *text)
{
    portolan_text_add(text, "# %s: %d ranks, %zu events%s%s\n", trace->source, trace->n_ranks,
                      trace->n_events, trace->has_threads ? ", MPI_THREAD_MULTIPLE" : "",
                      trace->is_virtual ? ", virtual times" : "");
    for (size_t i = 0; i < trace->n_locations; i++) {
        const struct portolan_trace_location *l = &trace->locations[i];

        portolan_text_add(text, "# %d.%d: %zu events", l->rank, l->thread, l->n);
        if (*l->host)
            portolan_text_add(text, ", host %s", l->host);
        if (l->lost)
            portolan_text_add(text, ", %" PRIu64 " lost", l->lost);
        portolan_text_add(text, "%s\n", l->is_cut ? ", cut" : "");
    }
    add_comms("comm", trace->comms, trace->n_comms, text);
    add_comms("window", trace->windows, trace->n_windows, text);
    for (size_t i = 0; i < trace->n_regions; i++) {
        portolan_text_add(text, "# %s ", region_kinds[trace->regions[i].kind]);
        add_region(&trace->regions[i], text);
        portolan_text_add(text, "\n");
    }
}

/* -- summary -- */

struct routine_sums {
    uint64_t calls, sent, received, own;
    int64_t ns;
};

static void add_call(struct routine_sums *s, const struct portolan_trace_event *e, int64_t *began)
{
    switch ((enum portolan_trace_kind)e->kind) {
    case PORTOLAN_TRACE_BEGIN:
        s->calls++;
        *began = e->ns;
        break;
    case PORTOLAN_TRACE_END:
        s->ns += e->ns - *began;
        break;
    case PORTOLAN_TRACE_SEND:
        s->sent += e->bytes;
        break;
    case PORTOLAN_TRACE_RECV:
        s->received += e->bytes;
        break;
    case PORTOLAN_TRACE_COLLECTIVE:
    case PORTOLAN_TRACE_TRANSFER:
        s->own += e->bytes;
        break;
    default:
        break;
    }
}

static void add_location(const struct portolan_trace *t, const struct portolan_trace_location *l,
                         struct routine_sums *sums, uint64_t *n_events)
{
    size_t running = t->n_routines; /* for events outside of calls: a sum that is not printed */
    int64_t began = 0;

    for (size_t i = l->first; i < l->first + l->n; i++) {
        const struct portolan_trace_event *e = &t->events[i];

        n_events[e->kind]++;
        if (e->kind == PORTOLAN_TRACE_BEGIN)
            running = e->what;
        add_call(&sums[running], e, &began);
        if (e->kind == PORTOLAN_TRACE_END)
            running = t->n_routines;
    }
}

static void print_sums(const struct portolan_trace *t, const struct routine_sums *sums,
                       struct portolan_text *text)
{
    portolan_text_add(text, "%10s %14s %14s %14s %14s  routine\n", "calls", "seconds", "bytes sent",
                      "received", "in collectives");
    for (size_t i = 0; i < t->n_routines; i++)
        if (sums[i].calls)
            portolan_text_add(
                text, "%10" PRIu64 " %14.6f %14" PRIu64 " %14" PRIu64 " %14" PRIu64 "  %s\n",
                sums[i].calls, (double)sums[i].ns * 1e-9, sums[i].sent, sums[i].received,
                sums[i].own, t->routines[i]);
}

enum portolan_status portolan_trace_print_summary(const struct portolan_trace *trace,
                                                  struct portolan_text *text,
                                                  struct portolan_error *err)
{
    struct routine_sums *sums = portolan_calloc(trace->n_routines + 1, sizeof *sums);
    uint64_t n_events[PORTOLAN_TRACE_KINDS] = {0};

    if (!sums)
        return portolan_no_memory(err);
    for (size_t i = 0; i < trace->n_locations; i++)
        add_location(trace, &trace->locations[i], sums, n_events);
    for (int i = 0; i < PORTOLAN_TRACE_KINDS; i++)
        if (n_events[i])
            portolan_text_add(text, "%10" PRIu64 " %s\n", n_events[i], kinds[i].name);
    if (trace->n_routines)
        print_sums(trace, sums, text);
    free(sums);
    return PORTOLAN_OK;
}
