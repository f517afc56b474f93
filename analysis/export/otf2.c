/* SPDX-License-Identifier: BSD-3-Clause */
/* OTF2 archives: the calls that every thread entered and left, with contexts and counters; messages
 * and collectives where they were recorded. */
#include "internal.h"

#include <portolan/waits.h>

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

bool is_otf2_file(const char *name)
{
    return !strcmp(name, "traces") || !strcmp(name, "traces.otf2") || !strcmp(name, "traces.def");
}

/* Names of properties are words in capitals, separated by "::". */
static const char *property_name(struct portolan_arena *arena, const char *name)
{
    char *property = portolan_arena_printf(arena, "PORTOLAN::%s", name);

    for (char *c = property ? property + 10 : NULL; c && *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_';
    return property;
}

static size_t add_properties(struct portolan_arena *arena, const char **facts,
                             const struct portolan_name_value *pairs, size_t n)
{
    for (size_t i = 0; facts && i < n; i++) {
        facts[2 * i] = property_name(arena, pairs[i].name);
        facts[2 * i + 1] = pairs[i].value;
    }
    return 2 * n;
}

/* Names and values by turns, then NULL. */
static const char **facts_of(struct portolan_arena *arena, const struct portolan_trial *t)
{
    char *text =
        portolan_arena_printf(arena, "trial %" PRId64 " of %s, %s", t->id, t->assembly, t->started);
    const char **facts =
        portolan_arena_alloc(arena, 2 * (t->n_parameters + t->n_metadata) + 3, sizeof *facts);
    size_t n = 2;

    if (facts) {
        facts[0] = "PORTOLAN::TRIAL";
        facts[1] = text;
    }
    n += add_properties(arena, facts ? facts + n : NULL, t->parameters, t->n_parameters);
    add_properties(arena, facts ? facts + n : NULL, t->metadata, t->n_metadata);
    return facts;
}

/* One rank alone has no partners. */
static const char *find_recorded(const struct portolan_export_options *o)
{
    if (!o->recorded || o->rank || access(o->recorded, R_OK) == 0)
        return o->rank ? NULL : o->recorded;
    portolan_diagnose(o->diagnostics, o->recorded, 0, 0,
                      "the trial's trace no longer exists; the archive has no messages");
    return NULL;
}

enum portolan_status write_otf2(struct job *job, struct portolan_error *err)
{
    const char *recorded = find_recorded(job->options), **facts;
    enum portolan_status status = recorded ? PORTOLAN_OK : job_needs_rows(job, err);
    struct portolan_trace *trace = NULL;
    struct portolan_clocks clocks;
    struct portolan_arena arena = {0};
    char *path = portolan_arena_printf(&arena, "%s/traces.otf2", job->folder.temporary);

    facts = facts_of(&arena, job->trial);
    if (!status && arena.failed)
        status = portolan_no_memory(err);
    if (!status)
        status = job_make_trace(job, recorded, &trace, err);
    if (!status)
        status = portolan_clocks_correct(trace, &clocks, NULL, err);
    if (!status)
        status = portolan_trace_write_otf2(trace, path, facts, err);
    portolan_trace_destroy(trace);
    portolan_arena_clear(&arena);
    return status;
}
