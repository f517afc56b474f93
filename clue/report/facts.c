/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes from the engine's sums what they mean for the whole run. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

const char *const report_part_names[REPORT_PARTS] = {"computing", "sending", "waiting", "receiving",
                                                     "other"};

void report_parts_of(const struct clue_report *report, int rank, int64_t end_ns,
                     double ns[REPORT_PARTS])
{
    struct clue_task_sums sums;
    double known;

    clue_engine_sums(report->outcome->engine, rank, &sums);
    ns[PART_COMPUTING] = (double)sums.times.computing_ns;
    ns[PART_SENDING] = (double)sums.times.sending_ns;
    ns[PART_RECEIVING] = (double)sums.times.receiving_ns;
    ns[PART_OTHER] = (double)sums.times.spending_ns;
    known = ns[PART_COMPUTING] + ns[PART_SENDING] + ns[PART_RECEIVING] + ns[PART_OTHER];
    ns[PART_WAITING] = (double)end_ns > known ? (double)end_ns - known : 0;
}

static void gather_ranks(const struct clue_report *report, struct report_facts *f)
{
    double end = (double)f->run.end_ns, longest = 0, all;

    for (int i = 0; i < f->n; i++) {
        double ns[REPORT_PARTS];

        report_parts_of(report, i, f->run.end_ns, ns);
        longest = ns[PART_COMPUTING] > longest ? ns[PART_COMPUTING] : longest;
        for (int p = 0; p < REPORT_PARTS; p++)
            f->parts[p] += ns[p];
    }
    all = f->parts[PART_COMPUTING];
    f->imbalance = all > 0 ? longest * f->n / all - 1 : 0;
    for (int p = 0; p < REPORT_PARTS; p++)
        f->parts[p] = end > 0 ? f->parts[p] / end / f->n : 0;
}

static void gather_uses(const struct clue_report *report, struct report_facts *f)
{
    const struct clue_machine *m = report->run->machine;
    const struct clue_engine *e = report->outcome->engine;
    struct clue_use use;
    int64_t longest = 0;

    f->busiest_link = SIZE_MAX;
    f->busiest_host = -1;
    for (size_t i = 0; i < m->network.n_links; i++) {
        clue_engine_link_use(e, i, &use);
        if (use.busy_ns > longest) {
            longest = use.busy_ns;
            f->busiest_link = i;
        }
    }
    f->link_use = f->run.end_ns ? (double)longest / (double)f->run.end_ns : 0;
    longest = 0;
    for (size_t i = 0; i < 2 * m->n_hosts; i++) {
        clue_engine_card_use(e, (int)(i / 2), i % 2, &use);
        if (use.busy_ns > longest) {
            longest = use.busy_ns;
            f->busiest_host = (int)(i / 2);
        }
    }
    f->host_use = f->run.end_ns ? (double)longest / (double)f->run.end_ns : 0;
}

struct report_host *report_sum_hosts(const struct clue_report *report, int64_t end_ns)
{
    struct report_host *hosts = portolan_calloc(report->run->machine->n_hosts, sizeof *hosts);

    for (int i = 0; hosts && i < report->outcome->n_tasks; i++) {
        struct report_host *h = &hosts[clue_engine_host(report->outcome->engine, i)];
        double parts[REPORT_PARTS];
        struct clue_task_sums s;

        report_parts_of(report, i, end_ns, parts);
        clue_engine_sums(report->outcome->engine, i, &s);
        h->ranks++;
        h->n_sent += (double)s.n_sent;
        h->bytes_sent += (double)s.bytes_sent;
        for (int p = 0; p < REPORT_PARTS; p++)
            h->parts[p] += parts[p];
    }
    return hosts;
}

static int count_hosts(const struct clue_report *report)
{
    struct report_host *hosts = report_sum_hosts(report, 0);
    int count = 0;

    for (size_t i = 0; hosts && i < report->run->machine->n_hosts; i++)
        count += hosts[i].ranks > 0;
    free(hosts);
    return count;
}

void report_gather(const struct clue_report *report, struct report_facts *f)
{
    struct clue_task_sums last;

    memset(f, 0, sizeof *f);
    f->n = report->outcome->n_tasks;
    clue_engine_run_sums(report->outcome->engine, &f->run);
    gather_ranks(report, f);
    gather_uses(report, f);
    f->n_hosts_used = count_hosts(report);
    clue_engine_sums(report->outcome->engine, f->run.last, &last);
    f->path = last.path;
    for (size_t i = 0; i < report->outcome->n_remarks; i++) {
        const struct clue_remark *r = &report->outcome->remarks[i];

        *(r->is_mistake ? &f->n_mistakes : &f->n_assumed) += r->n;
    }
}

const char *report_machine(const struct clue_report *report)
{
    const char *name = report->run->machine->name;

    return name && *name          ? name
           : report->machine_path ? portolan_file_name(report->machine_path)
                                  : "virtual";
}
