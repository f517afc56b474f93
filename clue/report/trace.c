/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the kept events as traces, and as text with a line for each call. */
#include "internal.h"

#include <inttypes.h>
#include <string.h>

enum portolan_status clue_report_trace(const struct clue_report *report, const char *path,
                                       struct portolan_error *err)
{
    const struct portolan_trace *trace = clue_recorder_trace(report->recorder, err);
    const char *facts[] = {"PORTOLAN::VIRTUAL_MACHINE", report_machine(report), NULL};
    size_t length = strlen(path);

    if (!trace)
        return err->status;
    return length > 5 && !strcmp(path + length - 5, ".otf2")
               ? portolan_trace_write_otf2(trace, path, facts, err)
               : portolan_trace_write(trace, path, err);
}

/* Adds parts such as " to 3 800 B tag 7", if they apply. */
static void add_part(const struct portolan_trace *trace, const struct portolan_trace_event *e,
                     struct portolan_text *text)
{
    switch (e->kind) {
    case PORTOLAN_TRACE_SEND:
        portolan_text_add(text, " to %d %" PRIu64 " B tag %d", e->peer, e->bytes, e->tag);
        break;
    case PORTOLAN_TRACE_RECV:
        portolan_text_add(text, " from %d %" PRIu64 " B tag %d", e->peer, e->bytes, e->tag);
        break;
    case PORTOLAN_TRACE_RECV_POST:
        if (e->request && e->peer == PORTOLAN_TRACE_ANY)
            portolan_text_add(text, " for any");
        else if (e->request)
            portolan_text_add(text, " for %d", e->peer);
        break;
    case PORTOLAN_TRACE_COLLECTIVE:
        portolan_text_add(text, " of %zu %" PRIu64 " B", trace->comms[e->what].n_members, e->bytes);
        if (e->peer >= 0)
            portolan_text_add(text, " root %d", e->peer);
        break;
    case PORTOLAN_TRACE_TRANSFER:
        portolan_text_add(text, " at %d %" PRIu64 " B", e->peer, e->bytes);
        break;
    default:
        break;
    }
}

/* Adds the call that begins at event I of a location; returns the index after its end. */
static size_t add_call(const struct portolan_trace *trace, const struct portolan_trace_location *at,
                       size_t i, struct portolan_text *text)
{
    const struct portolan_trace_event *begin = &trace->events[at->first + i];
    size_t end = i + 1;

    while (end < at->n && trace->events[at->first + end].kind != PORTOLAN_TRACE_END)
        end++;
    portolan_text_add(text, "%.3f %.3f rank %d on %s %s", 1e-3 * (double)begin->ns,
                      1e-3 * (double)trace->events[at->first + end - (end == at->n)].ns, at->rank,
                      at->host, trace->routines[begin->what]);
    for (size_t k = i + 1; k < end; k++)
        add_part(trace, &trace->events[at->first + k], text);
    portolan_text_add(text, "\n");
    return end;
}

enum portolan_status clue_report_calls(const struct clue_report *report, struct portolan_text *text,
                                       struct portolan_error *err)
{
    const struct portolan_trace *trace = clue_recorder_trace(report->recorder, err);

    if (!trace)
        return err->status;
    portolan_text_add(text, "# begin and end in microseconds of virtual time on '%s'\n",
                      report_machine(report));
    for (size_t l = 0; l < trace->n_locations; l++) {
        const struct portolan_trace_location *at = &trace->locations[l];

        for (size_t i = 0; i < at->n; i++)
            if (trace->events[at->first + i].kind == PORTOLAN_TRACE_BEGIN)
                i = add_call(trace, at, i, text);
    }
    return text->failed ? portolan_no_memory(err) : PORTOLAN_OK;
}
