/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan.BusyWork: burns processor time of a given amount. */
#include <math.h>
#include <portolan/framework.h>
#include <time.h>

#include "portolan.h"

struct busy_work {
    struct sidl_object object;
    double rounds_per_s;
};

static double cpu_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A chain of dependent additions: the compiler cannot shorten nor the processor overlap it. */
static void burn(double rounds)
{
    double x = 1;

    for (uint64_t n = (uint64_t)rounds; n; --n) {
        x = x + 1e-9;
        __asm__ volatile("" : "+x"(x));
    }
}

/* The fastest of some tries: interruptions only make it slower. */
static double calibrate(void)
{
    const double rounds = 1e6;
    double best = 0;

    for (int i = 0; i < 5; ++i) {
        double begin = cpu_s();

        burn(rounds);
        best = fmax(best, rounds / fmax(cpu_s() - begin, 1e-9));
    }
    return best;
}

/* Burns half of what is missing each time, so that changes of the processor's speed even out. */
static void consume(void *self, double seconds, sidl_BaseInterface *_ex)
{
    enum { ENOUGH_NS = 5000 };
    struct busy_work *b = self;
    double end, missing = seconds;

    if (!(seconds >= 0 && seconds < 1e6)) {
        portolan_throw(_ex, PORTOLAN_EINVAL,
                       "cannot compute for %g s; the time must be from 0 to 1e6 s", seconds);
        return;
    }
    end = cpu_s() + seconds;
    while (missing > ENOUGH_NS * 1e-9) {
        burn(0.5 * missing * b->rounds_per_s);
        missing = end - cpu_s();
    }
    if (missing > 0)
        burn(missing * b->rounds_per_s);
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct busy_work *b = self;

    b->rounds_per_s = calibrate();
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "portolan.ports.Work"),
                                     "work", "portolan.ports.Work", NULL, _ex);
}

static const struct portolan_ports_Work__epv work_epv = {.f_consume = consume};

PORTOLAN_COMPONENT_CLASS(portolan_BusyWork, "portolan.BusyWork", struct busy_work, set_services,
                         NULL, {&portolan_ports_Work__type, &work_epv});
