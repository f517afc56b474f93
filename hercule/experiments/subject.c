/* SPDX-License-Identifier: BSD-3-Clause */
/* What is diagnosed: its paradigm, and a trace that is read and made ready. */
#include "internal.h"

#include <portolan/replay.h>

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void subject_report(const struct portolan_subject *s, const char *kind, const char *format, ...)
{
    struct portolan_error text = {0}; /* cuts what is too long */
    va_list args;

    va_start(args, format);
    vsnprintf(text.text, sizeof text.text, format, args);
    va_end(args);
    if (s->report)
        s->report(s->arg, kind, text.text);
}

void subject_forget_trace(struct portolan_subject *s)
{
    portolan_waits_destroy(s->waits);
    portolan_matching_destroy(s->matching);
    portolan_trace_destroy(s->trace);
    s->waits = NULL;
    s->matching = NULL;
    s->trace = NULL;
}

void portolan_subject_clear(struct portolan_subject *s)
{
    subject_forget_trace(s);
    portolan_assembly_destroy(s->declaration);
    portolan_knowledge_destroy(s->knowledge);
    portolan_arena_clear(&s->arena);
}

/* ------------------------------------------------- traces */

/* A folder of streams, a stream or an OTF2 anchor; anything else is a scenario. Which ranks a
   window of Portolan's own left out is known; what another tool lost is not. */
static enum portolan_status read_events(struct portolan_subject *s, const char *file,
                                        struct portolan_error *err)
{
    bool is_archive = !fnmatch("*.otf2", file, 0);
    enum portolan_status status;
    struct stat info;
    int missing, first;

    if (!is_archive && fnmatch("*.trace", file, 0) != 0 &&
        (stat(file, &info) != 0 || !S_ISDIR(info.st_mode)))
        return portolan_scenario_read(file, NULL, &s->d, &s->trace, NULL, err);
    status = portolan_trace_read(file, &s->d, &s->trace, err);
    missing = is_archive && !status ? portolan_trace_missing_ranks(s->trace, &first) : 0;
    return !missing ? status
                    : portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                         "%s: nothing is known of %d of %d ranks, among them rank "
                                         "%d; who waited for whom takes the records of all ranks",
                                         file, missing, s->trace->n_ranks, first);
}

static void report_clocks(const struct portolan_subject *s, const struct portolan_clocks *c)
{
    if (c->most_moved_ns > 0)
        subject_report(s, "note",
                       "%zu clocks were adjusted to each other, within %.1f us; "
                       "messages that arrived before they were sent: %llu before, %llu now",
                       c->n_clocks, c->uncertainty_ns * 1e-3,
                       (unsigned long long)c->n_reversed_before,
                       (unsigned long long)c->n_reversed_after);
    else if (c->uncertainty_ns > 0)
        subject_report(s, "note", "%zu clocks may agree, within %.1f us, and were not adjusted",
                       c->n_clocks, c->uncertainty_ns * 1e-3);
    if (c->n_unrelated)
        subject_report(s, "warning",
                       "no messages go both ways between %zu of %zu hosts and the "
                       "others: their clocks cannot be compared",
                       c->n_unrelated, c->n_clocks);
}

/* Warns of what matching shows to be wrong with a trace. */
static void warn_of_trace(struct portolan_subject *s)
{
    const struct portolan_matching *m = s->matching;
    const char *next = portolan_arena_printf(&s->arena, "%s/2", s->trace->source);
    size_t n_cut = 0;

    for (size_t i = 0; i < s->trace->n_locations; i++)
        n_cut += s->trace->locations[i].is_cut || s->trace->locations[i].lost;
    if (next && !access(next, F_OK))
        subject_report(s, "warning",
                       "one program ran after the other: this is the first; the "
                       "trace of the next is in the folder 2 in its folder");
    if (n_cut)
        subject_report(s, "warning", "part of the trace is missing for %zu of %zu threads", n_cut,
                       s->trace->n_locations);
    if (m->n_unmatched_sends || m->n_unmatched_recvs)
        subject_report(
            s, "warning",
            "%llu sends and %llu receives of %llu messages have no "
            "partner",
            (unsigned long long)m->n_unmatched_sends, (unsigned long long)m->n_unmatched_recvs,
            (unsigned long long)(m->n_messages + m->n_unmatched_sends + m->n_unmatched_recvs));
    if (m->n_reversed)
        subject_report(s, "warning",
                       "%llu messages were received before they were sent: clocks "
                       "disagree",
                       (unsigned long long)m->n_reversed);
    if (m->is_uncertain)
        subject_report(s, "warning",
                       "threads of a rank share partners and tags: which messages "
                       "belong together is not certain");
}

enum portolan_status subject_analyse(struct portolan_subject *s, struct portolan_error *err)
{
    struct portolan_clocks clocks;
    enum portolan_status status = portolan_clocks_correct(s->trace, &clocks, &s->matching, err);

    if (!status)
        report_clocks(s, &clocks);
    if (!status)
        warn_of_trace(s);
    return status ? status : portolan_waits_create(s->matching, &s->waits, err);
}

enum portolan_status subject_settle_trace(struct portolan_subject *s, struct portolan_error *err)
{
    if (s->trace->is_virtual) { /* clocks that nothing disturbs */
        s->shares_cores = false;
        s->machine = (struct portolan_machine_verdict){0};
    }
    return portolan_trace_undisturb(s->trace, s->shares_cores, &s->matching, &s->waits,
                                    &s->recording, err);
}

enum portolan_status portolan_subject_read_trace(struct portolan_subject *s, const char *file,
                                                 struct portolan_error *err)
{
    enum portolan_status status = read_events(s, file, err);

    if (!status)
        status = subject_analyse(s, err);
    return status ? status : subject_settle_trace(s, err);
}

/* ------------------------------------------------- the paradigm */

static enum portolan_status declare(struct portolan_subject *s, const struct portolan_assembly *a,
                                    struct portolan_error *err)
{
    s->paradigm = a->paradigm->name;
    return portolan_paradigm_declare(s->knowledge, a, &s->arena, &s->parts, &s->n_parts, &s->d,
                                     err);
}

enum portolan_status portolan_subject_see_as(struct portolan_subject *s, const char *name,
                                             const char *const *folders, size_t n,
                                             struct portolan_error *err)
{
    enum portolan_status status = portolan_knowledge_read(folders, n, &s->d, &s->knowledge, err);

    if (!status && !name && s->assembly && s->assembly->paradigm)
        return declare(s, s->assembly, err);
    if (status || !name)
        return status;
    if (!strchr(name, '/') && (!portolan_parts_check(s->knowledge, name, NULL, 0, NULL, NULL) ||
                               access(name, R_OK) != 0)) {
        s->paradigm = name;
        return PORTOLAN_OK;
    }
    status = portolan_paradigm_read(name, &s->d, &s->declaration, err);
    return status ? status : declare(s, s->declaration, err);
}
