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
 * UCX packs messages of derived types and asks for their size while it sends: they wait then.
 */
#include <ucp/api/ucp.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

enum { POLL_NS = 80000 };

static double constant_ns, ns_per_byte;
static int64_t packing_since;                   /* of a message of derived type; 0: none */
static size_t (*real_packed_size)(void *state); /* MPICH has one for all of its types */

__attribute__((constructor)) static void read_setting(void)
{
    const char *text = getenv("PORTOLAN_SLOW");
    char *end;

    if (!text)
        return;
    constant_ns = strtod(text, &end);
    ns_per_byte = strtod(end, NULL);
    prctl(PR_SET_TIMERSLACK, 1UL);
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

static size_t packed_size_late(void *state)
{
    size_t bytes = real_packed_size(state);

    if (packing_since)
        hold_up(packing_since, bytes);
    return bytes;
}

EXPORT ucs_status_t ucp_dt_create_generic(const ucp_generic_dt_ops_t *ops, void *context,
                                          ucp_datatype_t *type)
{
    static ucs_status_t (*real)(const ucp_generic_dt_ops_t *, void *, ucp_datatype_t *);
    ucp_generic_dt_ops_t late = *ops;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, __func__);
    real_packed_size = ops->packed_size;
    late.packed_size = packed_size_late;
    return real(&late, context, type);
}

typedef ucs_status_ptr_t send_fn(ucp_ep_h ep, const void *buffer, size_t count, ucp_tag_t tag,
                                 const ucp_request_param_t *param);

static ucs_status_ptr_t send_late(const char *name, send_fn **real, ucp_ep_h ep, const void *buffer,
                                  size_t count, ucp_tag_t tag, const ucp_request_param_t *param)
{
    bool has_type = param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE;
    ucp_datatype_t type = has_type ? param->datatype : ucp_dt_make_contig(1);
    int64_t start = now_ns();
    ucs_status_ptr_t result;

    if (!*real)
        *(void **)real = dlsym(RTLD_NEXT, name);
    if ((type & UCP_DATATYPE_CLASS_MASK) == UCP_DATATYPE_CONTIG)
        hold_up(start, count * (size_t)(type >> UCP_DATATYPE_SHIFT));
    else
        packing_since = start;
    result = (*real)(ep, buffer, count, tag, param);
    packing_since = 0;
    return result;
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
