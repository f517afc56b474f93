/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench_plugin.h"

#include <portolan/functions.h>
#include <portolan/proxy.h>

#include "bench_list_functions.h"
#include "bench_own_proxy.h"
#include "bench_table_proxy.h"
#include "benchcall_Worker_Impl.h"

extern const struct portolan_component portolan_component_benchcall_FirstProxy;
struct portolan_functions_front *bench_list_front(void);

int64_t bench_plain_work(int64_t n)
{
    __asm__ volatile("" : "+r"(n));
    return n;
}

/* ------------------------------------------------------------------ the objects */

static int64_t table_work(struct bench_table *self, int64_t n)
{
    (void)self;
    __asm__ volatile("" : "+r"(n));
    return n;
}

static int64_t struct_work(struct bench_struct *self, int64_t n)
{
    (void)self;
    __asm__ volatile("" : "+r"(n));
    return n;
}

void impl_benchcall_Worker__load(sidl_BaseInterface *_ex)
{
    (void)_ex;
}

void impl_benchcall_Worker__ctor(benchcall_Worker self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
}

void impl_benchcall_Worker__ctor2(benchcall_Worker self, void *private_data,
                                  sidl_BaseInterface *_ex)
{
    (void)self, (void)private_data, (void)_ex;
}

void impl_benchcall_Worker__dtor(benchcall_Worker self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
}

int64_t impl_benchcall_Worker_work(benchcall_Worker self, int64_t n, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    __asm__ volatile("" : "+r"(n));
    return n;
}

int64_t impl_benchcall_Worker_workAgain(benchcall_Worker self, int64_t n, sidl_BaseInterface *_ex)
{
    return impl_benchcall_Worker_work(self, n, _ex);
}

/* ------------------------------------------------------------------ the proxies */

struct portolan_probe_port *bench_plugin_bind(void *component, void *target,
                                              struct portolan_probe_binding *binding)
{
    struct portolan_proxy *proxy = ((gov_cca_Component)component)->d_object;
    const struct portolan_probe_connection connection = {.user = "bench",
                                                         .port_type = proxy->description->type};

    *binding = (struct portolan_probe_binding){.target = target};
    if (portolan_probe_methods_register(&connection, proxy->description->methods,
                                        proxy->description->n_methods,
                                        &binding->first_method_handle, NULL) != PORTOLAN_OK)
        return NULL;
    portolan_probe_port_init(&proxy->port, binding, 0);
    return &proxy->port;
}

static bool add_sidl(struct bench_plugin *p)
{
    static struct portolan_probe_binding binding;
    sidl_BaseInterface _ex = NULL;
    benchcall_Worker worker = benchcall_Worker__create(&_ex);
    gov_cca_Component proxy = portolan_component_benchcall_FirstProxy.create(&_ex);

    if (_ex || !worker || !proxy)
        return false;
    p->sidl[0] = benchcall_First__cast(worker, &_ex);
    p->sidl[1] = benchcall_First__cast(proxy, &_ex);
    p->sidl_port = bench_plugin_bind(proxy, p->sidl[0], &binding);
    return p->sidl[0] && p->sidl[1] && p->sidl_port;
}

static bool add_objects(struct bench_plugin *p)
{
    static const struct bench_table_ops ops = {table_work};
    static struct bench_table table = {&ops};
    static struct bench_struct own = {struct_work};

    p->table[0] = &table;
    p->table[1] = bench_tableProxy_wrap(&table, "table");
    p->own[0] = &own;
    p->own[1] = bench_ownProxy_wrap(&own, "own");
    return p->table[1] && p->own[1];
}

static bool add_list(struct bench_plugin *p)
{
    static const struct bench_list_functions functions = {bench_plain_work};
    static const struct portolan_probe_connection connection = {.user = "bench",
                                                                .port_type = "bench.list"};
    struct portolan_functions_front *front = bench_list_front();

    p->list[0] = bench_plain_work;
    p->list[1] = bench_list_work;
    p->list_port = &front->port;
    return portolan_functions_front_bind_table(front, &functions, &connection, NULL) == PORTOLAN_OK;
}

const struct bench_plugin *bench_plugin(void)
{
    static struct bench_plugin plugin;

    if (!add_sidl(&plugin) || !add_objects(&plugin) || !add_list(&plugin))
        return NULL;
#ifdef BENCH_CXX
    bench_plugin_add_cxx(&plugin);
#endif
    return &plugin;
}
