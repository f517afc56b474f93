/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target for the SIDL compiler: reads, checks, and emits what callers and implementations need
 * (to nowhere). For libFuzzer, from the source's root after a build:
 *
 *   clang -std=gnu17 -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined \
 *     -Ibase -Isidl -Ibuild/base -Ibuild/sidl/compiler \
 *     sidl/test/fuzz_sidl.c base/[!_]*.c sidl/compiler/[!_]*.c -lm -o fuzz_sidl
 *   ./fuzz_sidl -dict=sidl/test/sidl.dict CORPUS tests/fuzz/sidl
 */
#include <portolan/sidl.h>

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* nothing can be made below a device, so everything is emitted, and nothing written */
    struct portolan_sidl_options options = {.output_dir = "/dev/null/no"};
    struct portolan_diagnostics d = {0};
    struct portolan_sidl_model *model;

    if (portolan_sidl_read_text(&options, "fuzz.sidl", (const char *)data, size, &d, &model, NULL))
        return 0;
    portolan_sidl_emit(model, &options, &d, NULL);
    options.server = true;
    options.hooks = true;
    portolan_sidl_emit(model, &options, &d, NULL);
    portolan_sidl_destroy(model);
    return 0;
}
