/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target of the analyzer's language, and of its reader of tables; framework/test/fuzz_corpus.c
 * runs it, or libFuzzer (-fsanitize=fuzzer). No file is touched.
 */
#include "../internal.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void drop(void *arg, const char *text)
{
    (void)arg;
    (void)text;
}

/* The table that the commands may name: t with N, P, CPU and CLOCK. */
static bool put_table(struct portolan_llac *llac)
{
    static const char *const names[] = {"CPU", "N", "P", "CLOCK"};
    static const enum column_kind kinds[] = {COLUMN_LABEL, COLUMN_IDENTIFIER, COLUMN_IDENTIFIER,
                                             COLUMN_OBSERVABLE};
    struct table *t = llac_table_create("t");
    struct object o = {.kind = OBJECT_TABLE, .table = t};

    for (int i = 0; t && i < 4; i++)
        if (!llac_table_add_column(t, names[i], kinds[i], i == 3 ? "s" : NULL))
            return false;
    for (int i = 0; t && i < 16; i++) {
        double *row = llac_table_add_row(t);

        if (!row)
            return false;
        row[0] = i % 2;
        row[1] = 1 << (i / 4);
        row[2] = 1 + i / 2 % 2;
        row[3] = 0.5 + row[1] / row[2] + 0.01 * i;
    }
    return t && llac_put(llac, "t", &o) == PORTOLAN_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct portolan_llac_options options = {
        .print = drop, .warn = drop, .keeps_going = true, .without_files = true};
    struct portolan_arena arena = {0};
    struct portolan_diagnostics d = {0};
    struct portolan_llac *llac;
    struct loaded l = {0};
    struct statement s = {.d = &d, .arena = &arena, .file = "fuzz"};
    char *text = portolan_arena_strndup(&arena, (const char *)data, size), **words;
    size_t n;

    if (!text || portolan_llac_create(&options, &llac, NULL) != PORTOLAN_OK || !put_table(llac))
        abort();
    portolan_llac_run(llac, (const char *)data, size, "fuzz", 1, NULL, NULL);
    if (portolan_llac_complete(llac, text, &words, &n, NULL) != PORTOLAN_OK)
        abort();
    free(words);
    s.in = llac;
    llac_begin(&s, text, text, 1, 1);
    llac_load_csv(&s, &s.now, text, size, "fuzz.csv", &l);
    for (size_t i = 0; i < l.n_tables; i++)
        llac_table_destroy(l.tables[i]);
    portolan_llac_destroy(llac);
    portolan_arena_clear(&arena);
    return 0;
}
