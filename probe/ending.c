/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports the end of the process, and steps that take too long. The handlers only read, and call
 * observers. */
#include "internal.h"

#include <portolan/doing.h>
#include <portolan/ending.h>

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MOST_OBSERVERS = 8, STACK_BYTES = 64 << 10 };
/* A step is slow when it takes so many times as long as the others. */
static const double slow_factor = 100;

static struct observer {
    portolan_ending_fn *report;
    void *arg;
    pid_t pid; /* 0: free. A fork's child has another. */
} observers[MOST_OBSERVERS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_installed;
static struct sigaction before[NSIG]; /* the handlers that ours call */

static struct {
    portolan_ending_fn *report;
    void *arg;
    double least_s, limit_s;
    timer_t timer;
    bool is_on, has_timer, is_reported;
    int step;
    double began_s, mean_s; /* of the steps so far */
    double n;
} watch = {.step = -1};

static double now_s(void)
{
    struct timespec t = {0};

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Finds the calls that the calling thread is inside. It takes no lock, since methods are never
 * forgotten. */
static void look_inside(struct portolan_ending *e)
{
    const struct portolan_probe_thread *t = portolan_probe_thread;
    struct portolan_doing doing = portolan_doing_peek();

    if (doing.instance) {
        e->inside[0].instance = doing.instance;
        e->inside[0].class_name = doing.class_name;
        e->inside[0].method = "";
        e->n = 1;
    }
    for (const struct portolan_probe_frame *f = t->top; f-- > t->frames + 1;) {
        const struct portolan_probe_method_info *m = NULL;

        if (e->n < PORTOLAN_ENDING_CALLS && probe_frame_port(f))
            m = f->mark & PORTOLAN_PROBE_MEASURED
                    ? probe_method_read(f->node->method & PROBE_HANDLE_MASK)
                    : probe_method_read(f->binding->first_method_handle);
        if (!m)
            continue;
        e->inside[e->n].instance = m->connection.provider;
        e->inside[e->n].class_name = m->connection.provider_class;
        e->inside[e->n++].method = m->method.name;
    }
}

static void notify_observers(const struct portolan_ending *e)
{
    for (size_t i = 0; i < MOST_OBSERVERS; i++)
        if (__atomic_load_n(&observers[i].pid, __ATOMIC_ACQUIRE) == getpid())
            observers[i].report(observers[i].arg, e);
}

/* Reports a signal, and calls the handler that the signal had before: MPI's transports print where
 * it was, and a program may even survive it. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    struct portolan_ending e = {.how = "signal", .number = number, .step = watch.step};
    const struct sigaction *old = &before[number];

    look_inside(&e);
    notify_observers(&e);
    if (old->sa_flags & SA_SIGINFO) {
        old->sa_sigaction(number, info, context);
    } else if (old->sa_handler != SIG_DFL) {
        old->sa_handler(number);
    } else {
        sigaction(number, old, NULL);
        raise(number); /* takes effect at the return */
    }
}

static void on_end(int status, void *arg)
{
    struct portolan_ending e = {.how = "exit", .number = status, .step = watch.step};

    (void)arg;
    look_inside(&e);
    notify_observers(&e);
}

/* Makes another stack: a thread that has used up its own needs it to report that. */
static void make_stack(void)
{
    stack_t now, own = {.ss_size = STACK_BYTES};

    if (sigaltstack(NULL, &now) || !(now.ss_flags & SS_DISABLE))
        return;
    own.ss_sp = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own.ss_sp != MAP_FAILED)
        sigaltstack(&own, NULL);
}

static void install(void)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

    make_stack();
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
        struct sigaction own, *old = &before[deadly[i]];

        if (sigaction(deadly[i], NULL, old) || old->sa_handler == SIG_IGN)
            continue;
        own = *old;
        own.sa_sigaction = on_signal;
        own.sa_flags |= SA_SIGINFO | SA_ONSTACK;
        sigaction(deadly[i], &own, NULL);
    }
    on_exit(on_end, NULL);
    is_installed = true;
}

bool portolan_ending_observe(portolan_ending_fn *observer, void *arg)
{
    size_t i = 0;

    pthread_mutex_lock(&lock);
    if (!is_installed)
        install();
    while (i < MOST_OBSERVERS && observers[i].pid)
        i++;
    if (i < MOST_OBSERVERS) {
        observers[i].report = observer;
        observers[i].arg = arg;
        __atomic_store_n(&observers[i].pid, getpid(), __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return i < MOST_OBSERVERS;
}

void portolan_ending_forget(const void *arg)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < MOST_OBSERVERS; i++)
        if (observers[i].arg == arg)
            __atomic_store_n(&observers[i].pid, 0, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}

/* ------------------------------------------------- steps */

/* Returns after how many seconds a step is reported to be slow; infinite: it was reported, or the
 * usual time is not known. */
static double slow_after_s(void)
{
    double usual = slow_factor * watch.mean_s;

    return watch.is_reported || watch.n < 1 ? INFINITY
           : usual > watch.least_s          ? usual
                                            : watch.least_s;
}

/* To ring when the step that runs, for SO_FAR_S seconds, is slow or at its limit. */
static void set_timer(double so_far_s)
{
    double at = slow_after_s(), left;
    struct itimerspec next = {0};

    if (watch.limit_s > 0 && watch.limit_s < at)
        at = watch.limit_s;
    left = isinf(at) ? 0 : at - so_far_s > 1e-3 ? at - so_far_s : 1e-3;
    next.it_value.tv_sec = (time_t)left;
    next.it_value.tv_nsec = (long)(1e9 * (left - (double)next.it_value.tv_sec));
    timer_settime(watch.timer, 0, &next, NULL);
}

static void notify_watcher(const struct portolan_ending *e)
{
    if (watch.report)
        watch.report(watch.arg, e);
}

static void on_timer(int number, siginfo_t *info, void *context)
{
    struct portolan_ending e = {.how = "slow", .step = watch.step};
    double so_far = now_s() - watch.began_s;

    (void)number, (void)context;
    if (info->si_value.sival_ptr != &watch || watch.step < 0)
        return;
    e.number = lround(so_far);
    look_inside(&e);
    if (watch.limit_s > 0 && so_far >= watch.limit_s) {
        e.how = "limit";
        notify_observers(&e);
        notify_watcher(&e);
    } else if (so_far >= slow_after_s()) {
        watch.is_reported = true;
        notify_observers(&e); /* it may be killed because of that */
        notify_watcher(&e);
    }
    set_timer(so_far);
}

/* Makes the timer, for the thread that begins the first step, which its signal interrupts. */
static void make_timer(void)
{
    int number = SIGRTMAX - 4;
    struct sigaction own = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_RESTART}, now;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};

    event.sigev_value.sival_ptr = &watch;
    event._sigev_un._tid = gettid();
    if (sigaction(number, NULL, &now) || now.sa_handler != SIG_DFL ||
        sigaction(number, &own, NULL) || timer_create(CLOCK_MONOTONIC, &event, &watch.timer))
        watch.is_on = false; /* the signal is somebody else's */
    else
        watch.has_timer = true;
}

void portolan_ending_watch(portolan_ending_fn *report, void *arg, double least_s, double limit_s)
{
    watch.report = report;
    watch.is_on = least_s > 0 && !probe_is_in_virtual_time(); /* no timer rings there */
    watch.arg = arg;
    watch.least_s = least_s;
    watch.limit_s = limit_s;
}

bool portolan_ending_is_watched(void)
{
    return watch.is_on;
}

void portolan_ending_step(int step)
{
    double now;

    if (!watch.is_on) {
        watch.step = step;
        return;
    }
    now = now_s();
    if (watch.step >= 0)
        watch.mean_s += (now - watch.began_s - watch.mean_s) / ++watch.n;
    watch.step = step;
    watch.began_s = now;
    watch.is_reported = false;
    if (!watch.has_timer)
        make_timer();
    if (watch.has_timer && step >= 0)
        set_timer(0);
}
