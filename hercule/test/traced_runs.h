/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: diagnoses a scenario. */
#ifndef TEST_TRACED_RUNS_H
#define TEST_TRACED_RUNS_H

#include "knowledge_files.h"

#include <portolan/replay.h>

#include <math.h>

static struct portolan_knowledge *knowledge;

struct run {
    struct portolan_trace *trace;
    struct portolan_matching *matching;
    struct portolan_waits *waits;
    struct portolan_diagnosis *diagnosis;
};

static inline void fail_problem(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg;
    fail_msg("%s:%d:%d: %s", file, line, column, text);
}

static inline void read_run(struct run *run, const char *scenario)
{
    struct portolan_diagnostics d = {fail_problem, NULL, 0};
    struct portolan_error err = {0};

    if (portolan_scenario_read("scenario", scenario, &d, &run->trace, NULL, &err))
        fail_msg("%s", err.text);
}

static inline void diagnose_run(struct run *run, const char *paradigm,
                                const struct portolan_part *parts, size_t n_parts)
{
    const struct portolan_diagnosis_options options = {.parts = parts, .n_parts = n_parts};
    struct portolan_diagnostics d = {fail_problem, NULL, 0};
    struct portolan_error err = {0};

    if (portolan_matching_create(run->trace, &run->matching, &err) ||
        portolan_waits_create(run->matching, &run->waits, &err) ||
        portolan_diagnosis_create(knowledge, paradigm, run->waits, &options, &d, &run->diagnosis,
                                  &err))
        fail_msg("%s", err.text);
}

static inline void diagnose(struct run *run, const char *scenario, const char *paradigm,
                            const struct portolan_part *parts, size_t n_parts)
{
    read_run(run, scenario);
    diagnose_run(run, paradigm, parts, n_parts);
}

static inline void end(struct run *run)
{
    portolan_diagnosis_destroy(run->diagnosis);
    portolan_waits_destroy(run->waits);
    portolan_matching_destroy(run->matching);
    portolan_trace_destroy(run->trace);
}

#endif
