/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance.MemoryTracker and Performance.MemoryHeadroomTracker; one of each per component. */
#include "measurement.h"
#include "tracker.h"

#define SECOND UINT64_C(1000000000)

static struct tracker heap = {
    .event_name = PORTOLAN_PROBE_EVENT_HEAP,
    .look = portolan_probe_heap_kb,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .interval_ns = 10 * SECOND,
};
static struct tracker headroom = {
    .event_name = PORTOLAN_PROBE_EVENT_HEADROOM,
    .with_context = true,
    .look = portolan_probe_headroom_mb,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .interval_ns = 10 * SECOND,
};

/* An object for one of the two trackers. */
struct face {
    struct sidl_object object;
    struct tracker *tracker;
};

static struct tracker *of(void *self)
{
    return ((struct face *)self)->tracker;
}

static void track_here(void *self, sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};

    if (tracker_here(of(self), &err))
        portolan_throw(_ex, err.status, "%s", err.text);
}

static void enable_interrupts(void *self, sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};

    if (tracker_begin(of(self), &err))
        portolan_throw(_ex, err.status, "%s", err.text);
}

static void set_interval(void *self, int32_t seconds, sidl_BaseInterface *_ex)
{
    if (seconds < 1)
        portolan_throw(_ex, PORTOLAN_EINVAL, "the interval is %d s; it must be at least 1 s",
                       (int)seconds);
    else
        tracker_set_interval(of(self), (uint64_t)seconds * SECOND);
}

static void enable(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    tracker_switch(of(self), true);
}

static void disable(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    tracker_switch(of(self), false);
}

#define SLOTS                                                                                      \
    {                                                                                              \
        .f_trackHere = track_here, .f_enableInterruptTracking = enable_interrupts,                 \
        .f_setInterruptInterval = set_interval, .f_enable = enable, .f_disable = disable           \
    }

static const struct Performance_MemoryTracker__epv heap_epv = SLOTS;
static const struct Performance_MemoryHeadroomTracker__epv headroom_epv = SLOTS;
static const struct sidl_class heap_class =
    MEASUREMENT_CLASS("portolan.MemoryTracker", face, Performance_MemoryTracker, heap_epv, NULL);
static const struct sidl_class headroom_class = MEASUREMENT_CLASS(
    "portolan.MemoryHeadroomTracker", face, Performance_MemoryHeadroomTracker, headroom_epv, NULL);

static struct face *create(const struct sidl_class *class, struct tracker *tracker,
                           sidl_BaseInterface *_ex)
{
    struct face *f = sidl_object_create(class, _ex);

    if (f)
        f->tracker = tracker;
    portolan_control_want_profile();
    return f;
}

Performance_MemoryTracker performance_memory_tracker(sidl_BaseInterface *_ex)
{
    struct face *f = create(&heap_class, &heap, _ex);

    return f ? sidl_object_facet(f, "Performance.MemoryTracker") : NULL;
}

Performance_MemoryHeadroomTracker performance_headroom_tracker(sidl_BaseInterface *_ex)
{
    struct face *f = create(&headroom_class, &headroom, _ex);

    return f ? sidl_object_facet(f, "Performance.MemoryHeadroomTracker") : NULL;
}

void measurement_end_trackers(void)
{
    tracker_end(&heap);
    tracker_end(&headroom);
}
