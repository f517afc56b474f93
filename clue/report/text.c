/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the report as text. */
#include "internal.h"

#include <portolan/number.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

struct thousands {
    char text[32];
};

/* Formats a number as "1,024". */
static struct thousands grouped(uint64_t n)
{
    struct thousands out = {{0}};
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n), at = 0;

    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            out.text[at++] = ',';
        out.text[at++] = digits[i];
    }
    return out;
}

static void add_head(const struct clue_report *r, const struct report_facts *f,
                     struct portolan_text *t)
{
    const struct clue_machine *m = r->run->machine;
    const double(*c)[CLUE_PARAMETERS] = r->file ? r->file->covariance : NULL;
    char time[32], median[32], low[32], high[32];

    portolan_text_add(t, "virtual time  %s",
                      portolan_format_time((double)f->run.end_ns, 4, time, sizeof time));
    if (r->n_repeats > 1)
        portolan_text_add(t, " (median %s, %s ... %s)",
                          portolan_format_time(r->median_ns, 4, median, sizeof median),
                          portolan_format_time(r->low_ns, 4, low, sizeof low),
                          portolan_format_time(r->high_ns, 4, high, sizeof high));
    portolan_text_add(t, ", %s rank%s on %s of %s host%s of '%s'\n", grouped((uint64_t)f->n).text,
                      f->n == 1 ? "" : "s", grouped((uint64_t)f->n_hosts_used).text,
                      grouped(m->n_hosts).text, m->n_hosts == 1 ? "" : "s", report_machine(r));
    if (r->n_measured > 1)
        portolan_text_add(
            t, "              %d measured runs took %s ... %s\n", r->n_measured,
            portolan_format_time(r->measured_ns[0], 4, low, sizeof low),
            portolan_format_time(r->measured_ns[r->n_measured - 1], 4, high, sizeof high));
    if (r->n_repeats > 1 && c && c[CLUE_COMMUNICATION][CLUE_COMMUNICATION] > 0)
        portolan_text_add(t,
                          "              90 %% interval of %sbursts, parameters, and patterns not "
                          "fitted to (communication +- %.2g %%, computing +- %.2g %%)\n",
                          r->n_measured > 1 ? "these, " : "",
                          100 * sqrt(c[CLUE_COMMUNICATION][CLUE_COMMUNICATION]),
                          100 * sqrt(c[CLUE_FACTOR][CLUE_FACTOR]));
    if (r->is_rerun)
        portolan_text_add(t,
                          "              the program ran again %s times, because its course "
                          "depended on time (wildcards, tests and similar calls)\n",
                          grouped((uint64_t)r->n_repeats).text);
}

static void add_ranks(const struct clue_report *r, const struct report_facts *f,
                      struct portolan_text *t)
{
    portolan_text_add(t, "of a rank     ");
    for (int p = 0; p < REPORT_PARTS; p++)
        if (p != PART_OTHER || f->parts[p] >= 0.0005)
            portolan_text_add(t, "%s%s %.1f %%", p ? "  " : "", report_part_names[p],
                              100 * f->parts[p]);
    portolan_text_add(t, "; imbalance %.0f %%\n", 100 * f->imbalance);
    if (r->repeated_share >= 0.005)
        portolan_text_add(t,
                          "              differences between repeated bursts are %.0f %% of the "
                          "waiting%s\n",
                          100 * r->repeated_share,
                          r->run->is_median ? " that was measured, and not of this run" : "");
}

static void add_path(const struct clue_report *r, const struct report_facts *f,
                     struct portolan_text *t)
{
    double end = f->run.end_ns > 0 ? (double)f->run.end_ns / 100 : 1;

    portolan_text_add(t, "critical path computing %.0f %%, network %.0f %% (queueing %.0f %%)",
                      (double)f->path.computing_ns / end, (double)f->path.network_ns / end,
                      (double)f->path.queueing_ns / end);
    portolan_text_add(t, ", sending %.0f %%, receiving %.0f %%", (double)f->path.sending_ns / end,
                      (double)f->path.receiving_ns / end);
    if (f->busiest_link != SIZE_MAX)
        portolan_text_add(t, "; busiest: link %s %.0f %%",
                          r->run->machine->network.links[f->busiest_link].name, 100 * f->link_use);
    if (f->busiest_host >= 0)
        portolan_text_add(t, "%s%s %.0f %%", f->busiest_link != SIZE_MAX ? ", " : "; busiest: ",
                          r->run->machine->hosts[f->busiest_host].name, 100 * f->host_use);
    portolan_text_add(t, "\n");
}

static void add_computing(const struct clue_report *r, struct portolan_text *t)
{
    static const char *const kinds[] = {"measured", "as in a table", "by laws",
                                        "none: ranks compute in no time"};
    const struct clue_bursts *b = &r->outcome->bursts;

    portolan_text_add(t, "computing     %s",
                      r->run->is_median ? "medians of repeated bursts"
                      : r->run->replay  ? "as recorded"
                                        : kinds[r->run->compute]);
    if (r->run->replay) {
        portolan_text_add(t, "\n");
        return;
    }
    if (r->run->compute == CLUE_COMPUTE_MODEL)
        portolan_text_add(t, ": %s bursts, %s calls of functions; measured",
                          grouped(b->n_laws).text, grouped(b->n_fronts).text);
    if (r->run->compute == CLUE_COMPUTE_MEASURED || r->run->compute == CLUE_COMPUTE_MODEL) {
        uint64_t n = b->n - b->n_laws;

        portolan_text_add(t, ": %s bursts, %.1f %% preempted and replaced", grouped(n).text,
                          n ? 100 * (double)b->n_preempted / (double)n : 0);
        if (isnan(b->added) && r->outcome->n_tasks > 1)
            portolan_text_add(t, "; what ranks on one core added cannot be told: bursts differ");
        else if (b->added > 0 && r->outcome->n_tasks > 1)
            portolan_text_add(t, "; %s ranks on one core added about %.0f %%",
                              grouped((uint64_t)r->outcome->n_tasks).text, 100 * b->added);
    }
    portolan_text_add(t, "\n");
}

static void add_assumed(const struct clue_report *r, const struct report_facts *f,
                        struct portolan_text *t)
{
    const struct clue_run_sums *s = &f->run;
    bool is_sure = !s->n_choices && !s->n_polls && !f->n_assumed;

    portolan_text_add(t, "assumed       %s%s wildcard receives", is_sure ? "nothing: " : "",
                      grouped(s->n_wildcards).text);
    if (s->n_choices)
        portolan_text_add(t, " (%s could have taken another message)", grouped(s->n_choices).text);
    portolan_text_add(t, ", %s polls, %s functions without effect on time\n",
                      grouped(s->n_polls).text, grouped(f->n_assumed).text);
    if (r->run->settings.takes_arrived)
        portolan_text_add(
            t, "              receives took the message that arrived first (--receive arrival)\n");
}

static void add_remarks(const struct clue_report *r, const struct report_facts *f,
                        struct portolan_text *t)
{
    for (size_t i = 0; i < r->outcome->n_remarks; i++) {
        const struct clue_remark *m = &r->outcome->remarks[i];

        portolan_text_add(t, "%s%s", m->is_mistake ? "mistake       " : "              ", m->text);
        if (m->where)
            portolan_text_add(t, ", at %s", m->where);
        if (m->n > 1)
            portolan_text_add(t, " (%s times)", grouped(m->n).text);
        portolan_text_add(t, "\n");
    }
    if (f->run.n_left)
        portolan_text_add(t, "mistake       %s message%s never received\n",
                          grouped(f->run.n_left).text, f->run.n_left == 1 ? " was" : "s were");
    if (f->run.n_unready)
        portolan_text_add(t, "mistake       %s ready send%s before the receive\n",
                          grouped(f->run.n_unready).text,
                          f->run.n_unready == 1 ? " came" : "s came");
}

void clue_report_text(const struct clue_report *report, struct portolan_text *text)
{
    struct report_facts f;

    report_gather(report, &f);
    if (report->outcome->bursts.is_void)
        portolan_text_add(text,
                          "VOID          the output of the program is void: %s calls of functions "
                          "were skipped (--skip)\n",
                          grouped(report->outcome->bursts.n_fronts).text);
    add_head(report, &f, text);
    add_ranks(report, &f, text);
    add_path(report, &f, text);
    add_computing(report, text);
    add_assumed(report, &f, text);
    add_remarks(report, &f, text);
}

/* Reports how much memory ranks need, for the host that they fill most; returns its share. */
static double add_memory(const struct clue_report *r, struct portolan_text *t)
{
    const struct clue_machine *m = r->run->machine;
    struct report_host *hosts = report_sum_hosts(r, 0);
    double most = 0;
    size_t fullest = 0;
    char size[32];

    for (size_t i = 0; hosts && i < m->n_hosts; i++) {
        double memory = (double)m->hosts[i].memory;
        double need = memory > 0 ? hosts[i].ranks * r->outcome->rank_bytes / memory : 0;

        fullest = need > most ? i : fullest;
        most = fmax(most, need);
    }
    free(hosts);
    portolan_text_add(t, ", a rank about %s",
                      clue_format_size(r->outcome->rank_bytes, size, sizeof size));
    if (most > 0)
        portolan_text_add(
            t, most < 1 ? " (%.3g %% of the memory of %s)" : " (%.0f %% of the memory of %s)",
            100 * most, m->hosts[fullest].name);
    return most;
}

void clue_report_took(const struct clue_report *report, int64_t trial, const char *store,
                      struct portolan_text *text)
{
    struct clue_run_sums sums;
    struct rusage use;
    double wall = report->outcome->wall_s, share = 0;
    char time[32], rate[PORTOLAN_NUMBER_TEXT];

    clue_engine_run_sums(report->outcome->engine, &sums);
    getrusage(RUSAGE_SELF, &use);
    portolan_number_round(wall > 0 ? (double)sums.n_messages / wall / 1e6 : 0, 3, rate);
    portolan_text_add(text, "took          %s, %s M messages/s, %ld MB",
                      portolan_format_time(1e9 * wall, 3, time, sizeof time), rate,
                      use.ru_maxrss / 1024);
    if (report->outcome->rank_bytes > 0)
        share = add_memory(report, text);
    if (trial)
        portolan_text_add(text, "; trial %" PRId64 " in %s", trial, store);
    portolan_text_add(text, "\n");
    if (share > 1)
        portolan_text_add(
            text,
            "warning       the ranks of a host need more memory than it has: it would swap\n");
    if (use.ru_majflt > 1000)
        portolan_text_add(
            text, "warning       this machine swaps: times may be off by more than 10 %%\n");
}
