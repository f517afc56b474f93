/* SPDX-License-Identifier: BSD-3-Clause */
#include "internal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

int portolan_probe_clock_is_slow = 1;

static int clock_kind = PORTOLAN_PROBE_CLOCK_MONOTONIC;
static uint64_t manual_ns;
static uint64_t manual_tick_ns; /* that a look at it takes */
static bool tsc_invariant;

struct clock_pair {
    uint64_t ticks, wall_ns;
};

static struct clock_pair at_start;
static double ns_per_tick = 1.0;
static pthread_once_t calibrated = PTHREAD_ONCE_INIT;

uint64_t probe_wall_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000U + (uint64_t)ts.tv_nsec;
}

/* Reads both clocks: the try with the least time between the two counter reads. */
static struct clock_pair read_pair(void)
{
    struct clock_pair best = {0, 0};
    uint64_t width = UINT64_MAX;

    for (int i = 0; i < 8; i++) {
        uint64_t before = portolan_probe_counter();
        uint64_t wall = probe_wall_ns();
        uint64_t after = portolan_probe_counter();

        if (after - before < width) {
            width = after - before;
            best.ticks = before + (after - before) / 2;
            best.wall_ns = wall;
        }
    }
    return best;
}

#if defined(__x86_64__)
/* Returns whether the processor says so or the kernel trusts it: some virtual machines hide the
 * flag. */
static bool is_tsc_invariant(void)
{
    unsigned a, b, c, d;
    char source[16] = "";
    FILE *f;

    if (__get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1U << 8)))
        return true;
    f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    if (!f)
        return false;
    if (!fgets(source, sizeof source, f))
        source[0] = '\0';
    fclose(f);
    return strcmp(source, "tsc\n") == 0;
}
#else
static bool is_tsc_invariant(void)
{
#ifdef __aarch64__
    return true; /* by its architecture */
#else
    return false;
#endif
}
#endif

/* Returns whether the program runs in virtual time, where the processor's counter means nothing,
 * and the C library's clock is read. */
bool probe_is_in_virtual_time(void)
{
    return getenv("PORTOLAN_VIRTUAL_MACHINE");
}

__attribute__((constructor)) static void clock_start(void)
{
    tsc_invariant = !probe_is_in_virtual_time() && is_tsc_invariant();
    if (tsc_invariant) {
        at_start = read_pair();
        clock_kind = PORTOLAN_PROBE_CLOCK_TSC;
        probe_threads_set_clock(false);
    }
    probe_begin_now();
}

/* Over at least 20 ms, so that the scale is good to a few parts in a million. */
static void calibrate(void)
{
    struct clock_pair now = read_pair();

    while (now.wall_ns - at_start.wall_ns < 20000000U) {
        struct timespec rest = {0, (long)(20000000U - (now.wall_ns - at_start.wall_ns))};

        nanosleep(&rest, NULL);
        now = read_pair();
    }
    ns_per_tick = (double)(now.wall_ns - at_start.wall_ns) / (double)(now.ticks - at_start.ticks);
}

uint64_t portolan_probe_slow_now(void)
{
    if (__atomic_load_n(&clock_kind, __ATOMIC_RELAXED) != PORTOLAN_PROBE_CLOCK_MANUAL)
        return probe_wall_ns();
    return manual_tick_ns ? __atomic_add_fetch(&manual_ns, manual_tick_ns, __ATOMIC_RELAXED)
                          : __atomic_load_n(&manual_ns, __ATOMIC_RELAXED);
}

double portolan_probe_ticks_to_ns(uint64_t ticks)
{
    if (portolan_probe_clock_get() != PORTOLAN_PROBE_CLOCK_TSC)
        return (double)ticks;
    pthread_once(&calibrated, calibrate);
    return (double)ticks * ns_per_tick;
}

enum portolan_probe_clock portolan_probe_clock_get(void)
{
    return (enum portolan_probe_clock)__atomic_load_n(&clock_kind, __ATOMIC_RELAXED);
}

enum portolan_status portolan_probe_clock_set(enum portolan_probe_clock clock,
                                              struct portolan_error *err)
{
    enum portolan_status status;

    if (clock == PORTOLAN_PROBE_CLOCK_TSC && !tsc_invariant)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "the time stamp counter of this machine is not invariant");
    if ((unsigned)clock > PORTOLAN_PROBE_CLOCK_MANUAL)
        return portolan_error_set(err, PORTOLAN_EINVAL, "there is no clock number %d", (int)clock);
    status = probe_reset(false, true, err);
    if (status != PORTOLAN_OK)
        return status;
    __atomic_store_n(&manual_ns, 0, __ATOMIC_RELAXED);
    manual_tick_ns = 0;
    __atomic_store_n(&clock_kind, (int)clock, __ATOMIC_RELAXED);
    probe_threads_set_clock(clock != PORTOLAN_PROBE_CLOCK_TSC);
    probe_begin_now();
    return PORTOLAN_OK;
}

enum portolan_status portolan_probe_clock_advance(uint64_t elapsed_ns)
{
    if (portolan_probe_clock_get() != PORTOLAN_PROBE_CLOCK_MANUAL)
        return PORTOLAN_EINVAL;
    __atomic_fetch_add(&manual_ns, elapsed_ns, __ATOMIC_RELAXED);
    return PORTOLAN_OK;
}

uint64_t portolan_probe_clock_tick(uint64_t tick_ns)
{
    uint64_t before = manual_tick_ns;

    manual_tick_ns = tick_ns;
    return before;
}
