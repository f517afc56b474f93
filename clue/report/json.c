/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the report as JSON. */
#include "internal.h"

#include <portolan/json.h>

static void add_times(struct portolan_json *j, const char *key, const struct clue_times *t)
{
    static const char *const names[] = {"computing_ns", "sending_ns", "waiting_ns", "receiving_ns",
                                        "other_ns",     "network_ns", "queueing_ns"};
    const double values[] = {(double)t->computing_ns, (double)t->sending_ns,  (double)t->waiting_ns,
                             (double)t->receiving_ns, (double)t->spending_ns, (double)t->network_ns,
                             (double)t->queueing_ns};

    portolan_json_numbers(j, key, names, values, sizeof values / sizeof *values);
}

static void add_ranks(struct portolan_json *j, const struct clue_report *r)
{
    const struct clue_machine *m = r->run->machine;

    portolan_json_open(j, "by_rank", '[');
    for (int i = 0; i < r->outcome->n_tasks; i++) {
        struct clue_task_sums s;

        clue_engine_sums(r->outcome->engine, i, &s);
        portolan_json_open(j, NULL, '{');
        portolan_json_number(j, "rank", i);
        portolan_json_text(j, "host", m->hosts[clue_engine_host(r->outcome->engine, i)].name);
        portolan_json_number(j, "end_ns", (double)clue_engine_now(r->outcome->engine, i));
        add_times(j, "time", &s.times);
        portolan_json_number(j, "messages_sent", (double)s.n_sent);
        portolan_json_number(j, "bytes_sent", (double)s.bytes_sent);
        portolan_json_number(j, "messages_received", (double)s.n_received);
        portolan_json_number(j, "bytes_received", (double)s.bytes_received);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
}

static void add_use(struct portolan_json *j, const char *name, const char *direction,
                    const struct clue_use *u)
{
    if (!u->n)
        return;
    portolan_json_open(j, NULL, '{');
    portolan_json_text(j, "name", name);
    if (direction)
        portolan_json_text(j, "direction", direction);
    portolan_json_number(j, "busy_ns", (double)u->busy_ns);
    portolan_json_number(j, "queueing_ns", (double)u->queueing_ns);
    portolan_json_number(j, "messages", (double)u->n);
    portolan_json_number(j, "bytes", (double)u->bytes);
    portolan_json_close(j, '}');
}

static void add_uses(struct portolan_json *j, const struct clue_report *r)
{
    const struct clue_machine *m = r->run->machine;
    struct clue_use use;

    portolan_json_open(j, "by_link", '[');
    for (size_t i = 0; i < m->network.n_links; i++) {
        clue_engine_link_use(r->outcome->engine, i, &use);
        add_use(j, m->network.links[i].name, NULL, &use);
    }
    portolan_json_close(j, ']');
    portolan_json_open(j, "by_host", '[');
    for (size_t i = 0; i < 2 * m->n_hosts; i++) {
        clue_engine_card_use(r->outcome->engine, (int)(i / 2), i % 2, &use);
        add_use(j, m->hosts[i / 2].name, i % 2 ? "in" : "out", &use);
    }
    portolan_json_close(j, ']');
}

static void add_sizes(struct portolan_json *j, const struct clue_run_sums *sums)
{
    portolan_json_open(j, "by_size", '[');
    for (int i = 0; i < CLUE_SIZE_CLASSES; i++) {
        const struct clue_size_sums *s = &sums->sizes[i];

        if (!s->n)
            continue;
        portolan_json_open(j, NULL, '{');
        portolan_json_number(j, "least_bytes", i ? (double)(UINT64_C(1) << (i - 1)) : 0);
        portolan_json_number(j, "messages", (double)s->n);
        portolan_json_number(j, "bytes", (double)s->bytes);
        portolan_json_number(j, "network_ns", (double)s->network_ns);
        portolan_json_number(j, "queueing_ns", (double)s->queueing_ns);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
}

static void add_remarks(struct portolan_json *j, const struct clue_outcome *o)
{
    portolan_json_open(j, "remarks", '[');
    for (size_t i = 0; i < o->n_remarks; i++) {
        const struct clue_remark *m = &o->remarks[i];

        portolan_json_open(j, NULL, '{');
        portolan_json_text(j, "kind", m->is_mistake ? "mistake" : "assumed");
        portolan_json_text(j, "text", m->text);
        portolan_json_text(j, "where", m->where);
        portolan_json_number(j, "times", (double)m->n);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
}

static void add_run(struct portolan_json *j, const struct clue_report *r,
                    const struct report_facts *f)
{
    portolan_json_number(j, "virtual_ns", (double)f->run.end_ns);
    if (r->n_repeats > 1) {
        portolan_json_number(j, "median_ns", r->median_ns);
        portolan_json_number(j, "low_ns", r->low_ns);
        portolan_json_number(j, "high_ns", r->high_ns);
        portolan_json_number(j, "repeats", r->n_repeats);
        portolan_json_number(j, "measured_runs", r->n_measured);
        portolan_json_number(j, "program_repeated", r->is_rerun);
    }
    portolan_json_text(j, "machine", report_machine(r));
    portolan_json_number(j, "ranks", f->n);
    portolan_json_number(j, "hosts", f->n_hosts_used);
    portolan_json_numbers(j, "share", report_part_names, f->parts, REPORT_PARTS);
    portolan_json_number(j, "imbalance", f->imbalance);
    if (r->repeated_share > 0)
        portolan_json_number(j, "waiting_from_repeated_bursts", r->repeated_share);
    add_times(j, "critical_path", &f->path);
    portolan_json_number(j, "messages", (double)f->run.n_messages);
    portolan_json_number(j, "wildcards", (double)f->run.n_wildcards);
    portolan_json_number(j, "polls", (double)f->run.n_polls);
    portolan_json_number(j, "choices", (double)f->run.n_choices);
    portolan_json_number(j, "never_received", (double)f->run.n_left);
    portolan_json_number(j, "unready", (double)f->run.n_unready);
    portolan_json_number(j, "bursts", (double)r->outcome->bursts.n);
    portolan_json_number(j, "bursts_by_laws", (double)r->outcome->bursts.n_laws);
    portolan_json_number(j, "calls_by_laws", (double)r->outcome->bursts.n_fronts);
    portolan_json_number(j, "results_void", r->outcome->bursts.is_void);
    portolan_json_number(j, "bursts_replaced", (double)r->outcome->bursts.n_preempted);
    portolan_json_number(j, "added_by_folding", r->outcome->bursts.added);
}

void clue_report_json(const struct clue_report *report, struct portolan_text *text)
{
    struct portolan_json j = {.out = text};
    struct report_facts f;

    report_gather(report, &f);
    portolan_json_open(&j, NULL, '{');
    add_run(&j, report, &f);
    add_sizes(&j, &f.run);
    add_uses(&j, report);
    add_ranks(&j, report);
    add_remarks(&j, report->outcome);
    portolan_json_close(&j, '}');
    portolan_text_add(text, "\n");
}
