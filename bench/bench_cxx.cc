// SPDX-License-Identifier: BSD-3-Clause
// The C++ shape of bench_plugin.c, and the caller's side of it.
#include "bench_cxx.h"

#include <portolan/proxy.h>

extern "C" const struct portolan_component portolan_component_bench_WorkerProxy;

namespace
{
class Plain final : public bench::Worker
{
  public:
    int64_t work(int64_t n) override
    {
        __asm__ volatile("" : "+r"(n));
        return n;
    }
};
} // namespace

extern "C" void bench_plugin_add_cxx(struct bench_plugin *plugin)
{
    static struct portolan_probe_binding binding;
    static Plain plain;
    bench::Worker *worker = &plain;
    sidl_BaseInterface ex = nullptr;
    gov_cca_Component proxy = portolan_component_bench_WorkerProxy.create(&ex);
    portolan_ForeignPort foreign = ex ? nullptr : portolan_ForeignPort__cast(proxy, &ex);

    if (!foreign)
        return;
    plugin->cxx[0] = worker;
    plugin->cxx[1] = portolan_ForeignPort_getPointer(foreign, &ex);
    plugin->cxx_port = bench_plugin_bind(proxy, worker, &binding);
}
