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
    gov_cca_Component component = portolan_component_bench_WorkerProxy.create(&ex);
    struct portolan_proxy *proxy;

    if (ex)
        return;
    proxy = static_cast<struct portolan_proxy *>(component->d_object);
    plugin->cxx[0] = worker;
    plugin->cxx[1] = proxy->description->face(proxy);
    plugin->cxx_port = bench_plugin_bind(component, worker, &binding);
}
