/* SPDX-License-Identifier: BSD-3-Clause */
/* What the plug-in of bench_proxies offers: in each shape an object, and the proxy in front. */
#ifndef BENCH_PLUGIN_H
#define BENCH_PLUGIN_H

#include "bench_shapes.h"

#include "benchcall_First.h"

#include <portolan/probe.h>

typedef int64_t (*bench_list_fn)(int64_t n);

/* [0]: the object itself, [1]: the proxy; PORTS are the proxies'. */
struct bench_plugin {
    benchcall_First sidl[2];
    struct bench_table *table[2];
    struct bench_struct *own[2];
    bench_list_fn list[2];
    void *cxx[2]; /* bench::Worker *; NULL without C++ */
    struct portolan_probe_port *sidl_port, *list_port, *cxx_port;
    /* Those of wrapped objects are switched by name: "table", "own". */
};

/* The plug-in's one export; NULL on failure. */
PORTOLAN_API const struct bench_plugin *bench_plugin(void);

/* bench_cxx.cc */
void bench_plugin_add_cxx(struct bench_plugin *plugin);
/* COMPONENT's port, forwarding to TARGET; it is bound here, by hand. */
struct portolan_probe_port *bench_plugin_bind(void *component, void *target,
                                              struct portolan_probe_binding *binding);
int64_t bench_plain_work(int64_t n);

#endif
