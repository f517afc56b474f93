/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target of TAU profiles; framework/test/fuzz_corpus.c runs it, or libFuzzer
 * (-fsanitize=fuzzer). What is accepted becomes call paths whose callers stand before them; what is
 * not is explained.
 */
#include "../import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct import_rank *r)
{
    for (size_t i = 0; i < r->n_samples; i++)
        if (r->samples[i].parent >= (int64_t)i || r->samples[i].parent < -1 ||
            r->samples[i].calls < 0 || !r->samples[i].method || !r->samples[i].port_type ||
            !r->samples[i].user)
            abort();
    for (size_t i = 0; i < r->n_events; i++)
        if (r->events[i].path >= (int64_t)r->n_samples)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct import_rank rank = {.n_metrics = 1};
    struct portolan_diagnostics d = {0};
    struct import_text text;
    char *copy = portolan_arena_strndup(&rank.arena, (const char *)data, size);

    if (import_read_text(&rank.arena, copy, "fuzz", 0, 1, &text, &d)) {
        struct import_thread t = {.rank = &rank,
                                  .paths = text.rows,
                                  .n = text.n_rows,
                                  .events = text.events,
                                  .n_events = text.n_events};

        if (!import_add_thread(&t))
            abort();
        check(&rank);
    } else if (d.count == 0) {
        abort();
    }
    portolan_arena_clear(&rank.arena);
    return 0;
}
