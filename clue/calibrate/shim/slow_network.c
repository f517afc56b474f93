/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes this machine one with a slow network, for tests: preloaded into ranks of MPICH it holds up
 * every message that UCX sends, those of collectives too, by k m + d: the sender is blocked so
 * long, as by the send delay of section 3 of *Cluster Configuration by Simulation* (2000).
 *
 *     LD_PRELOAD=libportolan-slow.so PORTOLAN_SLOW="d k" mpiexec -n 2 program
 *
 * d in nanoseconds, k in nanoseconds per byte. Long delays are slept, but for their end: ranks that
 * share a core do not take it from each other.
 */
#include <ucp/api/ucp.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

enum { POLL_NS = 80000 };

static double constant_ns, ns_per_byte;

__attribute__((constructor)) static void read_setting(void)
{
    const char *text = getenv("PORTOLAN_SLOW");
    char *end;

    if (!text)
        return;
    constant_ns = strtod(text, &end);
    ns_per_byte = strtod(end, NULL);
}

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void hold_up(int64_t start, size_t bytes)
{
    int64_t end = start + (int64_t)(constant_ns + ns_per_byte * (double)bytes);
    int64_t polled = end - POLL_NS;
    struct timespec t = {polled / 1000000000, polled % 1000000000};

    if (start < polled)
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
            ;
    while (now_ns() < end)
        ;
}

/* Of a message: elements of a contiguous type have their size in it. */
static size_t bytes_of(size_t count, const ucp_request_param_t *param)
{
    if (!(param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE))
        return count;
    return (param->datatype & UCP_DATATYPE_CLASS_MASK) == UCP_DATATYPE_CONTIG
               ? count * (size_t)(param->datatype >> UCP_DATATYPE_SHIFT)
               : count;
}

typedef ucs_status_ptr_t send_fn(ucp_ep_h ep, const void *buffer, size_t count, ucp_tag_t tag,
                                 const ucp_request_param_t *param);

static ucs_status_ptr_t send_late(const char *name, send_fn **real, ucp_ep_h ep, const void *buffer,
                                  size_t count, ucp_tag_t tag, const ucp_request_param_t *param)
{
    int64_t start = now_ns();

    if (!*real)
        *(void **)real = dlsym(RTLD_NEXT, name);
    hold_up(start, bytes_of(count, param));
    return (*real)(ep, buffer, count, tag, param);
}

EXPORT ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h ep, const void *buffer, size_t count,
                                         ucp_tag_t tag, const ucp_request_param_t *param)
{
    static send_fn *real;

    return send_late("ucp_tag_send_nbx", &real, ep, buffer, count, tag, param);
}

EXPORT ucs_status_ptr_t ucp_tag_send_sync_nbx(ucp_ep_h ep, const void *buffer, size_t count,
                                              ucp_tag_t tag, const ucp_request_param_t *param)
{
    static send_fn *real;

    return send_late("ucp_tag_send_sync_nbx", &real, ep, buffer, count, tag, param);
}
