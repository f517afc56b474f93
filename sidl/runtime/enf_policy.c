/* SPDX-License-Identifier: BSD-3-Clause */
/* The class sidl.EnfPolicy, which has static methods only. */
#include <stdlib.h>
#include <string.h>

#include "policy.h"
#include "sidl_EnfPolicy.h"

/* In the order of the enumerators, as Babel names them. */
static const char *const class_names[][2] = {
    {"All Classifications", "All"},
    {"Constant-time", "Constant"},
    {"Cubic-time", "Cubic"},
    {"Invariants", "Invariants"},
    {"Invariants+Postconditions", "InvPost"},
    {"Invariants+Preconditions", "InvPre"},
    {"Linear-time", "Linear"},
    {"Method Calls", "MC"},
    {"Postconditions", "Post"},
    {"Preconditions", "Pre"},
    {"Preconditions+Postconditions", "PrePost"},
    {"Quadratic-time", "Quadratic"},
    {"Quartic-time", "Quartic"},
    {"Quintic-time", "Quintic"},
    {"Results", "Results"},
    {"Septic-time", "Septic"},
    {"Sextic-time", "Sextic"},
    {"Simple Expressions", "SE"},
};
enum { N_CLASSES = sizeof class_names / sizeof *class_names };

static const char *const freq_names[][2] = {
    {"Never", "Never"},
    {"Always", "Always"},
    {"Adaptive Fit", "AF"},
    {"Adaptive Timing", "AT"},
    {"Periodic", "Periodic"},
    {"Random", "Random"},
    {"Simulated Annealing", "SA"},
};
enum { N_FREQS = sizeof freq_names / sizeof *freq_names };

char *policy_name(const struct policy *p, bool is_short)
{
    const char *cls = class_names[p->cls][is_short], *freq = freq_names[p->freq][is_short];

    if (p->cls == sidl_ContractClass_ALLCLASSES || p->freq == sidl_EnforceFreq_NEVER)
        return portolan_strdup(freq);
    if (p->freq == sidl_EnforceFreq_ALWAYS)
        return portolan_strdup(cls);
    return portolan_asprintf("%s%s%s", freq, is_short ? "" : "-", cls);
}

/* What is not set for all classes is set for none. */
static struct policy visible(void)
{
    struct policy p = policy_read();

    if (!p.is_set)
        p.freq = sidl_EnforceFreq_NEVER;
    return p;
}

static void set(const struct policy *p, bool clear_stats, sidl_BaseInterface *_ex)
{
    if ((int)p->cls < 0 || (int)p->cls >= N_CLASSES)
        sidl_exception_throw_text(_ex, "%d is no sidl.ContractClass", (int)p->cls);
    else if ((int)p->freq < 0 || (int)p->freq >= N_FREQS)
        sidl_exception_throw_text(_ex, "%d is no sidl.EnforceFreq", (int)p->freq);
    else
        policy_write(p, clear_stats);
}

static void set_policy(enum sidl_ContractClass__enum cls, enum sidl_EnforceFreq__enum freq,
                       int32_t interval, double overhead_limit, double app_avg_us,
                       double anneal_limit, sidl_bool clear_stats, sidl_BaseInterface *_ex)
{
    const struct policy p = {.cls = cls,
                             .freq = freq,
                             .interval = interval,
                             .overhead_limit = overhead_limit,
                             .app_avg_us = app_avg_us,
                             .anneal_limit = anneal_limit};

    set(&p, clear_stats, _ex);
}

static void set_all(enum sidl_ContractClass__enum cls, sidl_bool clear_stats,
                    sidl_BaseInterface *_ex)
{
    set_policy(cls, sidl_EnforceFreq_ALWAYS, 0, 0, 0, 0, clear_stats, _ex);
}

static void set_none(sidl_bool clear_stats, sidl_BaseInterface *_ex)
{
    set_policy(sidl_ContractClass_ALLCLASSES, sidl_EnforceFreq_NEVER, 0, 0, 0, 0, clear_stats, _ex);
}

static sidl_bool are_enforcing(sidl_BaseInterface *_ex)
{
    (void)_ex;
    return visible().freq != sidl_EnforceFreq_NEVER;
}

static enum sidl_ContractClass__enum get_class(sidl_BaseInterface *_ex)
{
    (void)_ex;
    return visible().cls;
}

static enum sidl_EnforceFreq__enum get_freq(sidl_BaseInterface *_ex)
{
    (void)_ex;
    return visible().freq;
}

static int32_t get_interval(sidl_BaseInterface *_ex)
{
    (void)_ex;
    return visible().interval;
}

static double get_overhead_limit(sidl_BaseInterface *_ex)
{
    (void)_ex;
    return visible().overhead_limit;
}

static double get_app_avg(sidl_BaseInterface *_ex)
{
    (void)_ex;
    return visible().app_avg_us;
}

static double get_anneal_limit(sidl_BaseInterface *_ex)
{
    (void)_ex;
    return visible().anneal_limit;
}

static char *get_name(sidl_bool is_short, sidl_BaseInterface *_ex)
{
    const struct policy p = visible();
    char *name = policy_name(&p, is_short != FALSE);

    if (!name)
        sidl_exception_throw_no_memory(_ex);
    return name;
}

static void dump_stats(const char *file, sidl_bool header, const char *prefix,
                       sidl_bool is_compressed, sidl_BaseInterface *_ex)
{
    report_policy(file, header, prefix, is_compressed, _ex);
}

static sidl_bool are_tracing(sidl_BaseInterface *_ex)
{
    (void)_ex;
    return trace_level() != sidl_EnfTraceLevel_NONE;
}

static char *get_trace_name(sidl_BaseInterface *_ex)
{
    char *name = trace_file_name();

    if (!name)
        sidl_exception_throw_no_memory(_ex);
    return name;
}

static enum sidl_EnfTraceLevel__enum get_trace_level(sidl_BaseInterface *_ex)
{
    (void)_ex;
    return trace_level();
}

static void end_trace(sidl_BaseInterface *_ex)
{
    (void)_ex;
    trace_end();
}

static const struct sidl_EnfPolicy__sepv statics = {
    .f_setEnforceAll = set_all,
    .f_setEnforceNone = set_none,
    .f_setPolicy = set_policy,
    .f_areEnforcing = are_enforcing,
    .f_getContractClass = get_class,
    .f_getEnforceFreq = get_freq,
    .f_getSamplingInterval = get_interval,
    .f_getOverheadLimit = get_overhead_limit,
    .f_getAppAvgPerCall = get_app_avg,
    .f_getAnnealLimit = get_anneal_limit,
    .f_getPolicyName = get_name,
    .f_dumpStats = dump_stats,
    .f_startTrace = trace_start,
    .f_areTracing = are_tracing,
    .f_getTraceFilename = get_trace_name,
    .f_getTraceLevel = get_trace_level,
    .f_endTrace = end_trace,
};

static const struct sidl_EnfPolicy__epv no_slots;
static const struct sidl_implements implements[] = {{&sidl_EnfPolicy__type, &no_slots}};
static const struct sidl_class class = {.name = "sidl.EnfPolicy",
                                        .version = SIDL_RUNTIME_VERSION,
                                        .size = sizeof(struct sidl_object),
                                        .implements = implements,
                                        .n_implements = 1,
                                        .statics = &statics};

SIDL_API const struct sidl_class *sidl_EnfPolicy__externals(void);

const struct sidl_class *sidl_EnfPolicy__externals(void)
{
    return &class;
}
