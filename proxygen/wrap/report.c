/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary of a run that has ended. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { ROWS = 12, PROCESSES = 12 };

/* A function in one library, over all threads, callers and contexts. */
struct row {
    const struct portolan_probe_method_info *info;
    uint64_t calls, timed;
    double exclusive_ns; /* of all calls, estimated from those that were timed */
};

static int by_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    return (x->exclusive_ns < y->exclusive_ns) - (x->exclusive_ns > y->exclusive_ns);
}

/* Rows by handle, then those with calls, longest first; *N of them. */
static struct row *make_rows(struct wrap_run *run, const struct wrap_process *p, size_t *n)
{
    struct row *rows = portolan_arena_alloc(&run->arena, p->n_methods + 1, sizeof *rows);
    size_t used = 0;

    for (size_t i = 0; rows && i < p->latest.count; i++) {
        const struct portolan_probe_record *r = &p->latest.records[i];
        size_t at = r->handle - (PORTOLAN_PROBE_HANDLE_OWN + 1);

        if (r->handle <= PORTOLAN_PROBE_HANDLE_OWN || at >= p->n_methods)
            continue;
        rows[at].info = &p->methods[at];
        rows[at].calls += r->calls;
        rows[at].timed += r->timed_calls;
        rows[at].exclusive_ns += r->exclusive_ns;
    }
    for (size_t i = 0; rows && i < p->n_methods; i++)
        if (rows[i].calls) {
            rows[i].exclusive_ns = portolan_estimate_all(
                rows[i].exclusive_ns, (double)rows[i].calls, (double)rows[i].timed);
            rows[used++] = rows[i];
        }
    if (rows)
        qsort(rows, used, sizeof *rows, by_time);
    *n = used;
    return rows;
}

/* This process has the same code and processor as the program. */
static void add_cost(struct portolan_text *t)
{
    const struct portolan_probe_cost cost = portolan_probe_cost();

    portolan_text_add(t, "  one measured call costs %.3g +- %.2g ns\n", cost.mean_ns,
                      cost.spread_ns);
}

static void add_rows(struct wrap_run *run, const struct wrap_process *p, struct portolan_text *t)
{
    size_t n = 0;
    const struct row *rows = make_rows(run, p, &n);
    char total[32], each[32];
    double all_ns = 0;

    for (size_t i = 0; i < n; i++)
        all_ns += rows[i].exclusive_ns;
    portolan_format_time(all_ns, 3, total, sizeof total);
    portolan_format_time(p->elapsed_ns, 3, each, sizeof each);
    portolan_text_add(t, "portolan: %llu calls took %s of %s", (unsigned long long)p->calls, total,
                      each);
    if (p->recorder.trial)
        portolan_text_add(t, "; trial %lld of '%s' in %s", (long long)p->recorder.trial, run->trial,
                          run->options->store ? run->options->store : "portolan.db");
    portolan_text_add(t, "%s\n", p->area->has_profiles ? "; in its TAU profiles" : "");
    for (size_t i = 0; i < n && i < ROWS; i++) {
        portolan_format_time(rows[i].exclusive_ns, 3, total, sizeof total);
        portolan_format_time(rows[i].exclusive_ns / (double)rows[i].calls, 3, each, sizeof each);
        portolan_text_add(t, "  %-24s %-16s %10llu calls  %9s  %9s each\n",
                          rows[i].info->method.name, rows[i].info->connection.provider_class,
                          (unsigned long long)rows[i].calls, total, each);
    }
    if (n > ROWS)
        portolan_text_add(t, "  and %zu more\n", n - ROWS);
    add_cost(t);
}

/* Adds what may be missing, and why. */
static void add_losses(const struct wrap_process *p, struct portolan_text *t)
{
    unsigned state = __atomic_load_n(&p->area->state, __ATOMIC_ACQUIRE);
    bool is_first = p->area == &p->run->shared->areas[0];

    if (p->is_cut || p->area->log_is_full)
        portolan_text_add(t, "portolan: warning: too many call paths: the last ones are missing\n");
    if (is_first && WIFSIGNALED(p->run->wait_status))
        portolan_text_add(t,
                          "portolan: the program was ended by signal %d (%s): calls since the last "
                          "snapshot, if there were any, are missing\n",
                          WTERMSIG(p->run->wait_status),
                          sigdescr_np(WTERMSIG(p->run->wait_status)));
    else if (is_first && state == WRAP_REPLACED && !p->run->options->children)
        portolan_text_add(t, "portolan: the program called exec, and the new program was not "
                             "measured; add --children\n");
    else if (is_first && state == WRAP_STARTED)
        portolan_text_add(t, "portolan: the program left without running its exit handlers: calls "
                             "since the last snapshot are missing\n");
}

static void add_process(struct wrap_run *run, const struct wrap_process *p, struct portolan_text *t)
{
    for (size_t i = 0; i < p->n_notes; i++)
        portolan_text_add(t, "portolan: %s\n", p->notes[i]);
    if (p->calls)
        add_rows(run, p, t);
    add_losses(p, t);
}

/* Adds the sum of the processes that are not listed, and warnings about several processes. */
static void add_others(struct wrap_run *run, size_t n, uint64_t calls, struct portolan_text *t)
{
    uint32_t missing = __atomic_load_n(&run->shared->orders.n_without_area, __ATOMIC_RELAXED);
    size_t profiles = 0;

    if (n)
        portolan_text_add(t, "portolan: and %zu more processes: %llu calls\n", n,
                          (unsigned long long)calls);
    for (size_t i = 0; i < WRAP_AREAS; i++)
        profiles +=
            run->processes[i] && run->processes[i]->calls && run->processes[i]->area->has_profiles;
    if (profiles > 1)
        portolan_text_add(
            t,
            "portolan: warning: %zu processes wrote TAU profiles: of processes with the same "
            "folder and rank, only the profiles of the last one remain; use a store to keep all\n",
            profiles);
    if (missing && run->options->children)
        portolan_text_add(t,
                          "portolan: warning: %u processes were not measured: there is room for "
                          "%d\n",
                          missing, WRAP_AREAS);
}

/* Why no call was measured. */
static void add_why(struct wrap_run *run, struct portolan_text *t)
{
    const struct wrap_process *p = run->processes[0];
    bool is_broken = WIFSIGNALED(run->wait_status) ||
                     (p && __atomic_load_n(&p->area->state, __ATOMIC_ACQUIRE) == WRAP_STARTED);

    if (run->shared->orders.command_number)
        portolan_text_add(
            t,
            "portolan: no call was measured, perhaps because a command switched measuring off\n");
    else if (p && is_broken)
        portolan_text_add(t, "portolan: warning: no call was stored before the program ended; try "
                             "a shorter --interval SECONDS\n");
    else if (!wrap_was_refused(run))
        portolan_text_add(t, "portolan: warning: none of the %zu functions was called: %s\n",
                          run->front.functions.n, wrap_why(run));
}

const char *wrap_report(struct wrap_run *run)
{
    struct portolan_text t = {.arena = &run->arena};
    uint64_t calls = 0, calls_of_others = 0;
    size_t shown = 0, others = 0;

    for (size_t i = 0; i < WRAP_AREAS; i++) {
        const struct wrap_process *p = run->processes[i];

        if (!p)
            continue;
        calls += p->calls;
        if (i == 0 || (p->calls && shown < PROCESSES)) {
            add_process(run, p, &t);
            shown++;
        } else if (p->calls) {
            add_losses(p, &t);
            others++;
            calls_of_others += p->calls;
        }
    }
    add_others(run, others, calls_of_others, &t);
    if (!calls)
        add_why(run, &t);
    return t.failed ? "portolan: out of memory\n" : t.bytes ? t.bytes : "";
}
