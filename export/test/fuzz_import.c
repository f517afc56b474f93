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

static void make_table(const struct import_text *text, struct import_table *t)
{
    t->lines = portolan_arena_alloc(t->arena, text->n_rows + 1, sizeof *t->lines);
    for (size_t i = 0; i < text->n_rows; i++) {
        struct import_line *line = &t->lines[t->n_lines++];
        const struct import_row *row = &text->rows[i];

        *line =
            (struct import_line){row->name, row->group, row->calls, row->subroutines, NULL, NULL};
        line->exclusive = portolan_arena_alloc(t->arena, 1, 2 * sizeof(double));
        line->inclusive = line->exclusive + 1;
        *line->exclusive = row->exclusive;
        *line->inclusive = row->inclusive;
    }
    t->events = text->events;
    t->n_events = text->n_events;
}

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
    static const char *const metrics[] = {"TIME"};
    struct portolan_arena a = {0};
    struct portolan_diagnostics d = {0};
    struct import_text text;
    char *copy = portolan_arena_strndup(&a, (const char *)data, size);

    if (import_read_text(&a, copy, "fuzz", &text, &d)) {
        struct import_table t = {.arena = &a, .n_metrics = 1, .metrics = metrics};
        struct import_rank rank = {0};

        make_table(&text, &t);
        if (!import_add_thread(&rank, &t, 0, 0))
            abort();
        check(&rank);
    } else if (d.count == 0) {
        abort();
    }
    portolan_arena_clear(&a);
    return 0;
}
