/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks that ranks read, and sleeping, in virtual time. Each is a call, so that the burst before
 * it is counted first. While no rank runs, and within libraries of messages, time is real.
 */
#include "internal.h"

#include <errno.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

enum { SECOND = 1000000000 };
enum { UPTIME = 1000 };

int clue_real_clock(clockid_t clock, struct timespec *now)
{
    return REAL(clock_gettime)(clock, now);
}

int64_t clue_real_ns(clockid_t clock)
{
    struct timespec now;

    clue_real_clock(clock, &now);
    return now.tv_sec * (int64_t)SECOND + now.tv_nsec;
}

/* Returns the virtual time, which includes the burst that ends here. */
static int64_t read_clock(const struct clue_routine *routine, const void *site)
{
    int64_t now;

    clue_call_begin(routine, site);
    now = clue_read_clock();
    clue_call_end();
    return now;
}

static int64_t date_of(int64_t now)
{
    static int64_t epoch;

    if (!epoch)
        epoch = clue_epoch_ns();
    return epoch + now;
}

/* Reads CLOCK, which shows virtual time to ranks. */
static int read_any(const struct clue_routine *routine, const void *site, clockid_t clock,
                    struct timespec *to)
{
    int64_t now;

    if (!clue_is_virtual())
        return clue_real_clock(clock, to);
    now = read_clock(routine, site);
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI)
        now = date_of(now);
    else if (clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID)
        now += UPTIME * (int64_t)SECOND;
    *to = (struct timespec){now / SECOND, now % SECOND};
    return 0;
}

PORTOLAN_API int clock_gettime(clockid_t clock, struct timespec *to)
{
    static const struct clue_routine routine = {"clock_gettime", CLUE_NO_NUMBER};
    const void *site = __builtin_return_address(0);

    return read_any(&routine, site, clock, to);
}

PORTOLAN_API int gettimeofday(struct timeval *restrict to, void *restrict zone)
{
    static const struct clue_routine routine = {"gettimeofday", CLUE_NO_NUMBER};
    const void *site = __builtin_return_address(0);
    struct timespec now;

    (void)zone;
    read_any(&routine, site, CLOCK_REALTIME, &now);
    *to = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

PORTOLAN_API time_t time(time_t *to)
{
    static const struct clue_routine routine = {"time", CLUE_NO_NUMBER};
    const void *site = __builtin_return_address(0);
    struct timespec now;

    read_any(&routine, site, CLOCK_REALTIME, &now);
    if (to)
        *to = now.tv_sec;
    return now.tv_sec;
}

PORTOLAN_API int timespec_get(struct timespec *to, int base)
{
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, to) == 0 ? base : 0;
}

/* Returns real time within a real MPI library too, whose ranks poll while they wait. */
PORTOLAN_API clock_t clock(void)
{
    static const struct clue_routine routine = {"clock", CLUE_NO_NUMBER};
    const void *site = __builtin_return_address(0);
    struct timespec now;

    read_any(&routine, site, CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (SECOND / CLOCKS_PER_SEC);
}

PORTOLAN_API clock_t times(struct tms *to)
{
    static const struct clue_routine routine = {"times", CLUE_NO_NUMBER};
    const void *site = __builtin_return_address(0);
    clock_t ticks;

    if (!clue_is_virtual())
        return REAL(times)(to);
    ticks = read_clock(&routine, site) / (SECOND / sysconf(_SC_CLK_TCK));
    if (to)
        *to = (struct tms){.tms_utime = ticks};
    return ticks;
}

PORTOLAN_API int getrusage(__rusage_who_t who, struct rusage *to)
{
    static const struct clue_routine routine = {"getrusage", CLUE_NO_NUMBER};
    const void *site = __builtin_return_address(0);
    int result = REAL(getrusage)(who, to);

    if (clue_is_virtual() && result == 0) {
        int64_t now = read_clock(&routine, site);

        to->ru_utime = (struct timeval){now / SECOND, now % SECOND / 1000};
        to->ru_stime = (struct timeval){0};
    }
    return result;
}

/* ------------------------------------------------- sleeping */

static void sleep_virtually(const struct clue_routine *routine, const void *site, int64_t ns)
{
    clue_call_begin(routine, site);
    if (ns > 0)
        clue_sleep(ns);
    clue_call_end();
}

static int64_t ns_of(const struct timespec *t)
{
    return t->tv_sec * (int64_t)SECOND + t->tv_nsec;
}

PORTOLAN_API int nanosleep(const struct timespec *time, struct timespec *left)
{
    static const struct clue_routine routine = {"nanosleep", CLUE_NO_NUMBER};
    const void *site = __builtin_return_address(0);

    if (clue_is_virtual()) {
        if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= SECOND) {
            errno = EINVAL;
            return -1;
        }
        sleep_virtually(&routine, site, ns_of(time));
        return 0;
    }
    return REAL(nanosleep)(time, left);
}

PORTOLAN_API int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                                 struct timespec *left)
{
    static const struct clue_routine routine = {"clock_nanosleep", CLUE_NO_NUMBER};
    const void *site = __builtin_return_address(0);

    if (clue_is_virtual()) {
        struct timespec now = {0};

        if (flags & TIMER_ABSTIME)
            clock_gettime(clock, &now);
        sleep_virtually(&routine, site, ns_of(time) - ns_of(&now));
        return 0;
    }
    return REAL(clock_nanosleep)(clock, flags, time, left);
}

PORTOLAN_API int usleep(useconds_t us)
{
    static const struct clue_routine routine = {"usleep", CLUE_NO_NUMBER};
    const void *site = __builtin_return_address(0);

    if (!clue_is_virtual())
        return nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
    sleep_virtually(&routine, site, (int64_t)us * 1000);
    return 0;
}

PORTOLAN_API unsigned sleep(unsigned s)
{
    static const struct clue_routine routine = {"sleep", CLUE_NO_NUMBER};
    const void *site = __builtin_return_address(0);

    if (!clue_is_virtual())
        return nanosleep(&(struct timespec){.tv_sec = s}, NULL) ? s : 0;
    sleep_virtually(&routine, site, (int64_t)s * SECOND);
    return 0;
}

/* Sleeps in virtual time if there are no files to wait for. */
PORTOLAN_API int poll(struct pollfd *files, nfds_t n, int ms)
{
    static const struct clue_routine routine = {"poll", CLUE_NO_NUMBER};
    const void *site = __builtin_return_address(0);
    if (clue_is_virtual() && n == 0 && ms >= 0) {
        sleep_virtually(&routine, site, (int64_t)ms * 1000000);
        return 0;
    }
    return REAL(poll)(files, n, ms);
}

PORTOLAN_API int select(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
                        struct timeval *restrict time)
{
    static const struct clue_routine routine = {"select", CLUE_NO_NUMBER};
    const void *site = __builtin_return_address(0);
    if (clue_is_virtual() && n == 0 && time) {
        sleep_virtually(&routine, site,
                        time->tv_sec * (int64_t)SECOND + time->tv_usec * INT64_C(1000));
        return 0;
    }
    return REAL(select)(n, in, out, other, time);
}
