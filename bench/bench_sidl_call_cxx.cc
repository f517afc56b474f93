// SPDX-License-Identifier: BSD-3-Clause
// The caller in C++ of bench_sidl_call.c.
#include "benchcall.hxx"

extern "C" void bench_call_from_cxx(benchcall_First ior, int calls)
{
    sidl_reference_add(ior, nullptr);
    const benchcall::First first(ior);

    for (int i = 0; i < calls; i++)
        first.work(i);
}
