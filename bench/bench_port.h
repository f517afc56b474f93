/* SPDX-License-Identifier: BSD-3-Clause */
/* The callee's side of bench_probe, in a shared object of its own as plug-ins are. */
#ifndef BENCH_PORT_H
#define BENCH_PORT_H

#include <portolan/probe.h>

#include "bench_Port.h"

/* Shape 2: a table of operations that take the object first. */
struct bench_object;
struct bench_ops {
    int64_t (*work)(struct bench_object *self, int64_t n);
};
struct bench_object {
    const struct bench_ops *ops;
};

PORTOLAN_API struct bench_object *bench_plain(void);   /* the implementation itself */
PORTOLAN_API struct bench_object *bench_floor(void);   /* hand-written timing in front of it */
PORTOLAN_API struct bench_object *bench_forward(void); /* proxy, not monitored; bound by … */
PORTOLAN_API struct portolan_probe_port *bench_forward_port(void);
PORTOLAN_API struct bench_object *bench_monitored(void); /* proxy, one integer context */
PORTOLAN_API struct bench_object *bench_rows(void);      /* the same, noting rows */
PORTOLAN_API struct bench_object *bench_sampled(void);   /* the same, timing 1 call in 16 */
PORTOLAN_API struct bench_object *bench_pathonly(void);  /* proxy, no context */
PORTOLAN_API struct bench_object *bench_busy(void);      /* plain instructions, some hundred */
PORTOLAN_API struct bench_object *bench_floor_busy(void);
PORTOLAN_API struct bench_object *bench_monitored_busy(void);
PORTOLAN_API bench_Port bench_sidl(void); /* the implementation as a SIDL port */

#endif
