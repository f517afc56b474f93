/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A time line of ranks: what each does when, and messages as lines from sender to receiver; below
 * it how many processors compute, and how many messages are on their way. As SVG without scripts
 * and fonts. Of many ranks and messages evenly chosen ones are drawn.
 */
#include "internal.h"

#include <portolan/list.h>
#include <portolan/waits.h>

#include <stdlib.h>
#include <string.h>

enum {
    LEFT = 90,
    WIDTH = 800,
    TOP = 48,
    ROW = 14,
    MOST_ROWS = 64,
    MOST_LINES = 1500,
    BINS = 200,
    CURVE = 70,
    GAP = 34
};

struct picture_message {
    int from, to;
    int64_t begin, end;
};

struct picture {
    const struct portolan_trace *trace;
    struct portolan_text *text;
    int64_t end_ns;
    size_t rank_step; /* every so many ranks are drawn */
    size_t n, room;
    struct picture_message *messages;
    double computing[BINS], under_way[BINS]; /* mean numbers */
};

/* Okabe and Ito's colours, as in charts. */
static const struct {
    const char *name, *colour;
} states[] = {{"computing", "#009e73"},
              {"sending", "#0072b2"},
              {"receiving, waiting", "#d55e00"},
              {"collective", "#cc79a7"},
              {"other", "#999999"}};

static size_t state_of(const char *routine)
{
    bool is_nonblocking;

    switch (portolan_trace_classify(routine, &is_nonblocking)) {
    case PORTOLAN_ROUTINE_SEND:
    case PORTOLAN_ROUTINE_SYNCHRONOUS_SEND:
    case PORTOLAN_ROUTINE_BUFFERED_SEND:
    case PORTOLAN_ROUTINE_POST:
        return 1;
    case PORTOLAN_ROUTINE_RECV:
    case PORTOLAN_ROUTINE_SENDRECV:
    case PORTOLAN_ROUTINE_WAIT:
    case PORTOLAN_ROUTINE_TEST:
    case PORTOLAN_ROUTINE_PROBE:
    case PORTOLAN_ROUTINE_POLL:
        return 2;
    case PORTOLAN_ROUTINE_BARRIER:
    case PORTOLAN_ROUTINE_N_TO_N:
    case PORTOLAN_ROUTINE_ONE_TO_N:
    case PORTOLAN_ROUTINE_N_TO_ONE:
    case PORTOLAN_ROUTINE_SCAN:
    case PORTOLAN_ROUTINE_NEIGHBOUR:
        return 3;
    default:
        return 4;
    }
}

static double place(const struct picture *p, int64_t ns)
{
    return LEFT + (double)WIDTH * (double)ns / (double)p->end_ns;
}

/* ------------------------------------------------- messages */

/* Adds that something was so from BEGIN to END. */
static void fill(const struct picture *p, double *bins, int64_t begin, int64_t end)
{
    double width = (double)p->end_ns / BINS;
    double from = (double)begin / width, to = (double)end / width;

    for (int i = (int)from; i < BINS && i < to; i++)
        bins[i] += (to < i + 1 ? to : i + 1) - (from > i ? from : i);
}

/* Those that were received. */
static bool take_messages(struct picture *p, const struct portolan_matching *matching)
{
    for (size_t l = 0; l < p->trace->n_locations; l++) {
        const struct portolan_trace_location *at = &p->trace->locations[l];

        for (size_t i = at->first; i < at->first + at->n; i++) {
            const struct portolan_trace_event *e = &p->trace->events[i], *end;

            if (e->kind != PORTOLAN_TRACE_SEND || matching->partner[i] == PORTOLAN_NO_EVENT)
                continue;
            end = &p->trace->events[matching->partner[i]];
            if (end->kind != PORTOLAN_TRACE_RECV)
                continue;
            if (!portolan_reserve(&p->messages, &p->room, p->n + 1, sizeof *p->messages))
                return false;
            p->messages[p->n++] = (struct picture_message){at->rank, e->peer, e->ns, end->ns};
            fill(p, p->under_way, e->ns, end->ns);
        }
    }
    return true;
}

/* ------------------------------------------------- drawing */

static double row_top(const struct picture *p, size_t rank)
{
    return TOP + ROW * (double)(rank / p->rank_step);
}

static void add_bar(const struct picture *p, size_t rank, int64_t begin, int64_t end, size_t state)
{
    if (rank % p->rank_step == 0 && end > begin)
        portolan_text_add(
            p->text, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>\n",
            place(p, begin), row_top(p, rank) + 2, place(p, end) - place(p, begin), ROW - 4,
            states[state].colour);
}

static void draw_rank(struct picture *p, const struct portolan_trace_location *at)
{
    size_t rank = (size_t)at->rank;
    int64_t since = 0;

    if (rank % p->rank_step == 0)
        portolan_text_add(p->text, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">rank %d</text>\n",
                          LEFT - 6, row_top(p, rank) + ROW - 4, at->rank);
    for (size_t i = at->first; i < at->first + at->n; i++) {
        const struct portolan_trace_event *e = &p->trace->events[i];
        size_t state = 0;

        if (e->kind != PORTOLAN_TRACE_BEGIN && e->kind != PORTOLAN_TRACE_END &&
            e->kind != PORTOLAN_TRACE_LEAVE)
            continue;
        if (e->kind == PORTOLAN_TRACE_END)
            state = state_of(p->trace->routines[e->what]);
        else
            fill(p, p->computing, since, e->ns);
        add_bar(p, rank, since, e->ns, state);
        since = e->ns;
    }
}

static void draw_messages(const struct picture *p)
{
    size_t step = p->n / MOST_LINES + 1;

    portolan_text_add(p->text, "<g stroke=\"#000000\" stroke-width=\"0.5\" opacity=\"0.5\">\n");
    for (size_t i = 0; i < p->n; i += step) {
        const struct picture_message *m = &p->messages[i];
        size_t from = (size_t)m->from, to = (size_t)m->to;

        if (from % p->rank_step == 0 && to % p->rank_step == 0)
            portolan_text_add(p->text, "<line x1=\"%.2f\" y1=\"%.1f\" x2=\"%.2f\" y2=\"%.1f\"/>\n",
                              place(p, m->begin), row_top(p, from) + ROW / 2., place(p, m->end),
                              row_top(p, to) + ROW / 2.);
    }
    portolan_text_add(p->text, "</g>\n");
}

static void draw_curve(const struct picture *p, double top, const char *title, const double *bins,
                       const char *colour)
{
    double most = 1;

    for (int i = 0; i < BINS; i++)
        most = bins[i] > most ? bins[i] : most;
    portolan_text_add(p->text, "<text x=\"%d\" y=\"%.1f\">%s, up to %.4g</text>\n", LEFT, top - 4,
                      title, most);
    portolan_text_add(p->text, "<polygon fill=\"%s\" points=\"%d,%.1f", colour, LEFT, top + CURVE);
    for (int i = 0; i < BINS; i++)
        portolan_text_add(p->text, " %.2f,%.2f %.2f,%.2f", LEFT + (double)WIDTH * i / BINS,
                          top + CURVE * (1 - bins[i] / most), LEFT + (double)WIDTH * (i + 1) / BINS,
                          top + CURVE * (1 - bins[i] / most));
    portolan_text_add(p->text, " %d,%.1f\"/>\n", LEFT + WIDTH, top + CURVE);
}

static void draw_head(const struct picture *p, const struct clue_report *report, double height)
{
    char time[32];
    double x = LEFT;

    portolan_text_add(p->text,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
                      "font-family=\"sans-serif\" font-size=\"11\">\n"
                      "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
                      "<text x=\"%d\" y=\"16\" font-size=\"13\">",
                      LEFT + WIDTH + 20, height, LEFT);
    portolan_text_add_xml(p->text, report_machine(report));
    portolan_text_add(p->text, ", %d ranks, %s</text>\n", p->trace->n_ranks,
                      portolan_format_time((double)p->end_ns, 4, time, sizeof time));
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        portolan_text_add(p->text,
                          "<rect x=\"%.0f\" y=\"26\" width=\"10\" height=\"10\" fill=\"%s\"/>"
                          "<text x=\"%.0f\" y=\"35\">%s</text>\n",
                          x, states[i].colour, x + 14, states[i].name);
        x += 30 + 7 * (double)strlen(states[i].name);
    }
}

static void draw(struct picture *p, const struct clue_report *report)
{
    size_t n_rows = ((size_t)p->trace->n_ranks + p->rank_step - 1) / p->rank_step;
    double below = TOP + ROW * (double)n_rows + GAP;

    draw_head(p, report, below + 2 * CURVE + GAP + 10);
    for (size_t l = 0; l < p->trace->n_locations; l++)
        draw_rank(p, &p->trace->locations[l]);
    draw_messages(p);
    draw_curve(p, below, "hosts: processors that compute", p->computing, "#009e73");
    draw_curve(p, below + CURVE + GAP, "network: messages on their way", p->under_way, "#0072b2");
    portolan_text_add(p->text, "</svg>\n");
}

enum portolan_status clue_report_picture(const struct clue_report *report,
                                         struct portolan_text *text, struct portolan_error *err)
{
    struct picture p = {.trace = clue_recorder_trace(report->recorder, err), .text = text};
    struct portolan_matching *matching;
    struct clue_run_sums sums;
    enum portolan_status status;

    if (!p.trace || portolan_matching_create(p.trace, &matching, err))
        return err->status;
    clue_engine_run_sums(report->outcome->engine, &sums);
    p.end_ns = sums.end_ns > 0 ? sums.end_ns : 1;
    p.rank_step = ((size_t)p.trace->n_ranks + MOST_ROWS - 1) / MOST_ROWS;
    if (take_messages(&p, matching))
        draw(&p, report);
    else
        text->failed = true;
    status = text->failed ? portolan_no_memory(err) : PORTOLAN_OK;
    portolan_matching_destroy(matching);
    free(p.messages);
    return status;
}
