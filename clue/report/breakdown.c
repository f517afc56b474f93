/* SPDX-License-Identifier: BSD-3-Clause */
/* Breaks a run down by host, link, and size of messages. */
#include "internal.h"

#include <portolan/grid.h>

#include <stdlib.h>

static double share(double part, double all)
{
    return all > 0 ? part / all : 0;
}

static void add_sizes(const struct clue_run_sums *run, struct grid *t)
{
    static const struct grid_column columns[] = {{"at least B", GRID_COUNT},
                                                 {"messages", GRID_COUNT},
                                                 {"bytes", GRID_BYTES},
                                                 {"mean under way", GRID_EACH},
                                                 {"mean queueing", GRID_EACH}};

    *t = (struct grid){.columns = columns, .n_columns = sizeof columns / sizeof *columns};
    for (int i = 0; i < CLUE_SIZE_CLASSES; i++) {
        const struct clue_size_sums *s = &run->sizes[i];
        double n = (double)s->n;

        if (s->n)
            grid_numbers(t, i ? (double)(UINT64_C(1) << (i - 1)) : 0, n, (double)s->bytes,
                         (double)s->network_ns / n, (double)s->queueing_ns / n);
    }
}

static void add_links(const struct clue_report *r, const struct clue_run_sums *run, struct grid *t)
{
    static const struct grid_column columns[] = {{"link", GRID_NAME},
                                                 {"busy", GRID_PERCENT},
                                                 {"messages", GRID_COUNT},
                                                 {"bytes", GRID_BYTES},
                                                 {"mean queueing", GRID_EACH}};
    const struct clue_network *network = &r->run->machine->network;

    *t = (struct grid){.columns = columns, .n_columns = sizeof columns / sizeof *columns};
    for (size_t i = 0; i < network->n_links; i++) {
        struct clue_use use;

        clue_engine_link_use(r->outcome->engine, i, &use);
        if (!use.n)
            continue;
        grid_text(t, network->links[i].name);
        grid_numbers(t, share((double)use.busy_ns, (double)run->end_ns), (double)use.n,
                     (double)use.bytes, (double)use.queueing_ns / (double)use.n);
    }
}

static void add_hosts(const struct clue_report *r, const struct clue_run_sums *run, struct grid *t)
{
    static const struct grid_column columns[] = {
        {"host", GRID_NAME},       {"ranks", GRID_COUNT},     {"computing", GRID_PERCENT},
        {"sending", GRID_PERCENT}, {"waiting", GRID_PERCENT}, {"receiving", GRID_PERCENT},
        {"sent", GRID_COUNT},      {"bytes", GRID_BYTES},     {"card out", GRID_PERCENT},
        {"card in", GRID_PERCENT}};
    double end = (double)run->end_ns;
    struct report_host *hosts = report_sum_hosts(r, run->end_ns);

    *t = (struct grid){.columns = columns, .n_columns = sizeof columns / sizeof *columns};
    for (size_t i = 0; hosts && i < r->run->machine->n_hosts; i++) {
        const struct report_host *h = &hosts[i];
        struct clue_use out, in;

        clue_engine_card_use(r->outcome->engine, (int)i, false, &out);
        clue_engine_card_use(r->outcome->engine, (int)i, true, &in);
        if (h->ranks == 0)
            continue;
        grid_text(t, r->run->machine->hosts[i].name);
        grid_numbers(t, h->ranks, share(h->parts[PART_COMPUTING], end * h->ranks),
                     share(h->parts[PART_SENDING], end * h->ranks),
                     share(h->parts[PART_WAITING], end * h->ranks),
                     share(h->parts[PART_RECEIVING], end * h->ranks), h->n_sent, h->bytes_sent,
                     share((double)out.busy_ns, end), share((double)in.busy_ns, end));
    }
    free(hosts);
}

void clue_report_by(const struct clue_report *report, enum clue_report_part by,
                    struct portolan_text *text)
{
    struct clue_run_sums run;
    struct grid t;

    clue_engine_run_sums(report->outcome->engine, &run);
    if (by == CLUE_BY_SIZE)
        add_sizes(&run, &t);
    else if (by == CLUE_BY_LINK)
        add_links(report, &run, &t);
    else
        add_hosts(report, &run, &t);
    portolan_text_add(text, "\n");
    grid_write(&t, text);
}
