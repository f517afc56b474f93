/* SPDX-License-Identifier: BSD-3-Clause */
/* What is enforced, how often, and what that costs: decisions after those of Babel's Enforcer. */
#include "policy.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Guards all of POLICY but its class, frequency, is_set, requests and granted, which are atomic. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct policy policy = {.cls = sidl_ContractClass_ALLCLASSES,
                               .freq = sidl_EnforceFreq_ALWAYS};

const double policy_anneal_most = 2.72;

static enum sidl_EnforceFreq__enum frequency(void)
{
    return __atomic_load_n(&policy.freq, __ATOMIC_RELAXED);
}

bool policy_was_set(void)
{
    return __atomic_load_n(&policy.is_set, __ATOMIC_RELAXED);
}

bool policy_is_never(void)
{
    return frequency() == sidl_EnforceFreq_NEVER;
}

double policy_now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

bool policy_is_timed(void)
{
    const enum sidl_EnforceFreq__enum freq = frequency();

    return freq == sidl_EnforceFreq_ADAPTFIT || freq == sidl_EnforceFreq_ADAPTTIMING ||
           freq == sidl_EnforceFreq_SIMANNEAL || trace_wants_times();
}

bool policy_takes(const struct sidl_clause *clause)
{
    const bool pre = clause->kind == SIDL_PRECONDITION, post = clause->kind == SIDL_POSTCONDITION;

    switch (__atomic_load_n(&policy.cls, __ATOMIC_RELAXED)) {
    case sidl_ContractClass_PRECONDS:
        return pre;
    case sidl_ContractClass_POSTCONDS:
        return post;
    case sidl_ContractClass_INVARIANTS:
        return !pre && !post;
    case sidl_ContractClass_PREPOST:
        return pre || post;
    case sidl_ContractClass_INVPRE:
        return !post;
    case sidl_ContractClass_INVPOST:
        return !pre;
    case sidl_ContractClass_RESULTS:
        return post && clause->flags & SIDL_CLAUSE_RESULTS;
    case sidl_ContractClass_METHODCALLS:
        return clause->flags & SIDL_CLAUSE_CALLS;
    case sidl_ContractClass_SIMPLEEXPRS:
        return clause->complexity == 0 && !(clause->flags & SIDL_CLAUSE_CALLS);
    case sidl_ContractClass_CONSTANT:
        return clause->complexity == 0;
    case sidl_ContractClass_LINEAR:
        return clause->complexity == 1;
    case sidl_ContractClass_QUADRATIC:
        return clause->complexity == 2;
    case sidl_ContractClass_CUBIC:
        return clause->complexity == 3;
    case sidl_ContractClass_QUARTIC:
        return clause->complexity == 4;
    case sidl_ContractClass_QUINTIC:
        return clause->complexity == 5;
    case sidl_ContractClass_SEXTIC:
        return clause->complexity == 6;
    case sidl_ContractClass_SEPTIC:
        return clause->complexity == 7;
    default:
        return true;
    }
}

/* Uniform in [0, 1); the same sequence in every run. */
static double random_number(void)
{
    policy.random ^= policy.random << 13;
    policy.random ^= policy.random >> 7;
    policy.random ^= policy.random << 17;
    return (double)(policy.random >> 11) / 9007199254740992.0;
}

/* A random time within each interval: what is left of one comes before the next. */
static void wind_up(void)
{
    policy.countdown = policy.random_skip = 0;
    if (policy.freq == sidl_EnforceFreq_PERIODIC)
        policy.countdown = policy.interval;
}

static void wind_on(void)
{
    const int32_t skip = policy.random_skip;
    int32_t wait;

    if (policy.freq == sidl_EnforceFreq_PERIODIC) {
        policy.countdown = policy.interval;
        return;
    }
    wait = (int32_t)(random_number() * policy.interval) + 1;
    policy.countdown = skip + wait;
    policy.random_skip = policy.interval - wait;
}

static bool count_down(void)
{
    if (policy.countdown > 1) {
        policy.countdown--;
        return false;
    }
    wind_on();
    return true;
}

static bool fits_all(double part_us)
{
    return policy.checks_us + part_us <= policy.methods_us * policy.overhead_limit;
}

/* A check that is no longer than the clock's tick may use what others left over. */
static bool fits_method(double method_us, double part_us)
{
    return part_us <= method_us * policy.overhead_limit ||
           (part_us <= 1 && policy.checks_us < policy.methods_us * policy.overhead_limit);
}

static bool anneals(double part_us)
{
    const double methods = policy.methods_us > 0 ? policy.methods_us : 1;

    return exp((policy.checks_us + part_us) / methods) / sqrt(methods) >= policy.anneal_limit &&
           random_number() < 0.5;
}

static bool decide(double method_us, double part_us)
{
    switch (policy.freq) {
    case sidl_EnforceFreq_NEVER:
        return false;
    case sidl_EnforceFreq_ADAPTFIT:
        return fits_all(part_us);
    case sidl_EnforceFreq_ADAPTTIMING:
        return fits_method(method_us, part_us);
    case sidl_EnforceFreq_PERIODIC:
    case sidl_EnforceFreq_RANDOM:
        return count_down();
    case sidl_EnforceFreq_SIMANNEAL:
        return fits_all(part_us) || anneals(part_us);
    default:
        return true;
    }
}

bool policy_is_due(struct sidl_check_link *link, enum sidl_clause_kind part, bool is_first)
{
    const double begun = trace_wants_overhead() ? policy_now_us() : 0;
    bool due;

    __atomic_add_fetch(&policy.requests, 1, __ATOMIC_RELAXED);
    if (frequency() == sidl_EnforceFreq_ALWAYS && begun == 0) {
        __atomic_add_fetch(&policy.granted, 1, __ATOMIC_RELAXED);
        return true;
    }
    pthread_mutex_lock(&lock);
    if (is_first)
        policy.methods_us += link->method_us + policy.app_avg_us;
    due = decide(link->method_us, link->part_us[part]);
    if (due) {
        __atomic_add_fetch(&policy.granted, 1, __ATOMIC_RELAXED);
        policy.checks_us += link->part_us[part];
    }
    if (begun > 0) {
        policy.decisions_us += policy_now_us() - begun;
        policy.decisions++;
    }
    pthread_mutex_unlock(&lock);
    return due;
}

/* Estimates that were given (n negative) stay. */
static void add_to_mean(double *mean, int64_t *n, double value)
{
    if (value >= 0 && *n >= 0)
        *mean += (value - *mean) / (double)++*n;
}

void policy_note(struct sidl_check_link *link, double method_us, const double part_us[3])
{
    pthread_mutex_lock(&lock);
    add_to_mean(&link->method_us, &link->n_method, method_us);
    for (int i = 0; i < 3; i++)
        add_to_mean(&link->part_us[i], &link->n_part[i], part_us[i]);
    pthread_mutex_unlock(&lock);
    trace_call(link, method_us, part_us);
}

void policy_set_estimates(struct sidl_check_link *link, double method_us, const double part_us[3])
{
    pthread_mutex_lock(&lock);
    link->method_us = method_us;
    link->n_method = -1;
    for (int i = 0; i < 3; i++) {
        link->part_us[i] = part_us[i];
        link->n_part[i] = -1;
    }
    pthread_mutex_unlock(&lock);
}

struct policy policy_read(void)
{
    struct policy copy;

    pthread_mutex_lock(&lock);
    copy = policy;
    pthread_mutex_unlock(&lock);
    return copy;
}

static void clear_statistics(void)
{
    wind_up();
    policy.random = 0x9E3779B97F4A7C15;
    __atomic_store_n(&policy.requests, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&policy.granted, 0, __ATOMIC_RELAXED);
    policy.decisions = 0;
    policy.methods_us = policy.checks_us = policy.decisions_us = 0;
    if (policy.freq == sidl_EnforceFreq_RANDOM)
        wind_on();
}

void policy_write(const struct policy *wanted, bool clear_stats)
{
    pthread_mutex_lock(&lock);
    __atomic_store_n(&policy.cls, wanted->cls, __ATOMIC_RELAXED);
    __atomic_store_n(&policy.freq, wanted->freq, __ATOMIC_RELAXED);
    __atomic_store_n(&policy.is_set, true, __ATOMIC_RELAXED);
    policy.interval = wanted->interval > 0 ? wanted->interval : 0;
    policy.overhead_limit = wanted->overhead_limit > 0 ? wanted->overhead_limit : 0;
    policy.app_avg_us = wanted->app_avg_us > 0 ? wanted->app_avg_us : 0;
    policy.anneal_limit = wanted->anneal_limit > 0 && wanted->anneal_limit < policy_anneal_most
                              ? wanted->anneal_limit
                              : policy_anneal_most;
    if (clear_stats || policy.random == 0)
        clear_statistics();
    pthread_mutex_unlock(&lock);
    if (clear_stats)
        guard_clear_all_counters();
    guard_set_all();
}
