/* SPDX-License-Identifier: BSD-3-Clause */
/** The policy of sidl.EnfPolicy: policy.c decides, policy_report.c writes files, enf_policy.c is
 * the class. */
#ifndef SIDL_POLICY_H
#define SIDL_POLICY_H

#include "contract_internal.h"
#include "sidl_ContractClass.h"
#include "sidl_EnfTraceLevel.h"
#include "sidl_EnforceFreq.h"

struct policy {
    enum sidl_ContractClass__enum cls;
    enum sidl_EnforceFreq__enum freq;
    bool is_set; /* by EnfPolicy: it holds for all classes */
    int32_t interval;
    double overhead_limit, app_avg_us, anneal_limit;
    /* sampling */
    int32_t countdown, random_skip;
    uint64_t random; /* state of the generator */
    /* since the statistics were cleared */
    int64_t requests, granted, decisions;
    double methods_us, checks_us, decisions_us;
};

struct policy policy_read(void);
/* Out of the values of WANTED, those that are out of bounds become Babel's defaults. */
void policy_write(const struct policy *wanted, bool clear_stats);

/* To be freed; NULL when memory is out. */
char *policy_name(const struct policy *policy, bool is_short);

/* policy_report.c */
void report_policy(const char *file, bool header, const char *prefix, bool is_compressed,
                   sidl_BaseInterface *_ex);
void trace_start(const char *file, enum sidl_EnfTraceLevel__enum level, sidl_BaseInterface *_ex);
void trace_end(void);
enum sidl_EnfTraceLevel__enum trace_level(void);
char *trace_file_name(void);
bool trace_wants_times(void);
bool trace_wants_overhead(void);
void trace_call(const struct sidl_check_link *link, double method_us, const double part_us[3]);

#endif
