/* SPDX-License-Identifier: BSD-3-Clause */
/* Files about contracts: statistics, traces, and estimates of times. */
#include "policy.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_file(const char *name, const char *mode, sidl_BaseInterface *_ex)
{
    FILE *f = name ? fopen(name, mode) : NULL;

    if (!f)
        sidl_exception_throw_text(_ex, "cannot open %s: %s", name ? name : "a file without a name",
                                  name ? strerror(errno) : "give one");
    return f;
}

static void close_file(FILE *f, const char *name, sidl_BaseInterface *_ex)
{
    const bool failed = ferror(f);

    if (fclose(f) || failed)
        sidl_exception_throw_text(_ex, "cannot write %s", name);
}

void report_dump(const struct sidl_guard *guard, const char *file, const char *prefix,
                 sidl_BaseInterface *_ex)
{
    FILE *f = open_file(file, "a", _ex);

    if (!f)
        return;
    for (size_t i = 0; guard && i < guard->n_links; i++) {
        const struct sidl_check_link *link = &guard->links[i];
        const int64_t tries = __atomic_load_n(&link->tries, __ATOMIC_RELAXED);
        const int64_t failures = __atomic_load_n(&link->failures, __ATOMIC_RELAXED);

        fprintf(f, "%s; %s; %s.%s; checked %lld; kept %lld; violated %lld; exceptions %lld\n",
                prefix ? prefix : "", guard->class_name, link->check->type->name,
                link->check->method, (long long)tries, (long long)(tries - failures),
                (long long)failures,
                (long long)__atomic_load_n(&link->exceptions, __ATOMIC_RELAXED));
    }
    close_file(f, file, _ex);
}

static void set_estimates(struct sidl_guard *guard, const char *method, const double us[4])
{
    double part_us[3];

    part_us[SIDL_PRECONDITION] = us[1];
    part_us[SIDL_POSTCONDITION] = us[2];
    part_us[SIDL_INVARIANT] = us[3];
    for (size_t i = 0; i < guard->n_links; i++)
        if (strcmp(guard->links[i].check->method, method) == 0)
            policy_set_estimates(&guard->links[i], us[0], part_us);
}

void report_read_estimates(struct sidl_guard *guard, const char *file, sidl_BaseInterface *_ex)
{
    FILE *f = open_file(file, "r", _ex);
    char line[512], method[256];
    double us[4];
    int number = 0;

    while (f && !*_ex && fgets(line, sizeof line, f)) {
        number++;
        if (line[0] == '#' || strspn(line, " \t\r\n") == strlen(line))
            continue;
        if (sscanf(line, "%255s %lf %lf %lf %lf", method, &us[0], &us[1], &us[2], &us[3]) == 5)
            set_estimates(guard, method, us);
        else
            sidl_exception_throw_text(_ex,
                                      "%s:%d: expected a method's name and four times in "
                                      "microseconds: its own, of preconditions, postconditions, "
                                      "invariants",
                                      file, number);
    }
    if (f)
        fclose(f);
}

static void write_fields(FILE *f, const struct policy *p, const char *prefix, const char *name,
                         bool header)
{
    if (header)
        fprintf(f,
                "Prefix; Policy; Interval; AnnealLimit; OHLimit; procPerCall; RandSkip; CD; "
                "methTime; clauseTime; TotalRequested; TotalAllowed%s\n",
                trace_wants_overhead() ? "; DecisionOH; Decisions" : "");
    fprintf(f, "%s; %s; %d; %.2f; %.2f; %.3f; %d; %d; %.0f; %.0f; %lld; %lld", prefix, name,
            (int)p->interval, p->anneal_limit, p->overhead_limit, p->app_avg_us,
            (int)p->random_skip, (int)p->countdown, p->methods_us, p->checks_us,
            (long long)p->requests, (long long)p->granted);
    if (trace_wants_overhead())
        fprintf(f, "; %f; %lld", p->decisions_us, (long long)p->decisions);
    fprintf(f, "\n");
}

static void write_long(FILE *f, const struct policy *p, const char *prefix, const char *name)
{
    fprintf(f, "contract enforcement (%s)\n", prefix);
    fprintf(f, "policy                     %s\n", name);
    fprintf(f, "period or random window    %d\n", (int)p->interval);
    fprintf(f, "limit of overhead          %f\n", p->overhead_limit);
    fprintf(f, "annealing limit            %f\n", p->anneal_limit);
    fprintf(f, "time of methods, us        %f\n", p->methods_us);
    fprintf(f, "time of checks, us         %f\n", p->checks_us);
    fprintf(f, "requests                   %lld\n", (long long)p->requests);
    fprintf(f, "granted                    %lld\n", (long long)p->granted);
    if (trace_wants_overhead())
        fprintf(f, "decisions                  %lld, %f us\n", (long long)p->decisions,
                p->decisions_us);
}

void report_policy(const char *file, bool header, const char *prefix, bool is_compressed,
                   sidl_BaseInterface *_ex)
{
    const struct policy policy = policy_read();
    FILE *f = open_file(file, "a", _ex);
    char *name = f ? policy_name(&policy, is_compressed) : NULL;

    if (f && !name)
        sidl_exception_throw_no_memory(_ex);
    else if (f && is_compressed)
        write_fields(f, &policy, prefix ? prefix : "", name, header);
    else if (f)
        write_long(f, &policy, prefix ? prefix : "", name);
    free(name);
    if (f)
        close_file(f, file, _ex);
}

/* The trace: LEVEL is atomic, the rest guarded. */
static struct {
    pthread_mutex_t lock;
    enum sidl_EnfTraceLevel__enum level;
    FILE *file;
    char *name;
    double begun_us;
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char default_name[] = "ContractTrace.out";

enum sidl_EnfTraceLevel__enum trace_level(void)
{
    return __atomic_load_n(&trace.level, __ATOMIC_RELAXED);
}

bool trace_wants_times(void)
{
    return trace_level() >= sidl_EnfTraceLevel_BASIC;
}

bool trace_wants_overhead(void)
{
    return trace_level() >= sidl_EnfTraceLevel_OVERHEAD;
}

char *trace_file_name(void)
{
    char *name;

    pthread_mutex_lock(&trace.lock);
    name = sidl_String_strdup(trace.name ? trace.name : default_name);
    pthread_mutex_unlock(&trace.lock);
    return name;
}

void trace_end(void)
{
    pthread_mutex_lock(&trace.lock);
    __atomic_store_n(&trace.level, sidl_EnfTraceLevel_NONE, __ATOMIC_RELAXED);
    if (trace.file) {
        fprintf(trace.file, "end; %.3f us\n", policy_now_us() - trace.begun_us);
        fclose(trace.file);
    }
    trace.file = NULL;
    pthread_mutex_unlock(&trace.lock);
}

void trace_start(const char *file, enum sidl_EnfTraceLevel__enum level, sidl_BaseInterface *_ex)
{
    char *name = portolan_strdup(file && *file ? file : default_name);
    FILE *f = NULL;

    trace_end();
    if (!name)
        sidl_exception_throw_no_memory(_ex);
    else if (level > sidl_EnfTraceLevel_NONE)
        f = open_file(name, "w", _ex);
    if (*_ex) {
        free(name);
        return;
    }
    pthread_mutex_lock(&trace.lock);
    free(trace.name);
    trace.name = name;
    trace.file = f;
    trace.begun_us = policy_now_us();
    if (f) {
        fprintf(f, "begin\n");
        __atomic_store_n(&trace.level, level, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&trace.lock);
}

/* -1: not measured in this call. */
void trace_call(const struct sidl_check_link *link, double method_us, const double part_us[3])
{
    if (!trace_wants_times())
        return;
    pthread_mutex_lock(&trace.lock);
    if (trace.file)
        fprintf(trace.file, "%s; %s.%s; method %.3f; pre %.3f; post %.3f; inv %.3f\n",
                link->guard->class_name, link->check->type->name, link->check->method, method_us,
                part_us[SIDL_PRECONDITION], part_us[SIDL_POSTCONDITION], part_us[SIDL_INVARIANT]);
    pthread_mutex_unlock(&trace.lock);
}
