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
static void put_table(struct statement *s)
{
    static const char *const names[] = {"CPU", "N", "P", "CLOCK"};
    static const enum column_kind kinds[] = {COLUMN_LABEL, COLUMN_IDENTIFIER, COLUMN_IDENTIFIER,
                                             COLUMN_OBSERVABLE};
    struct table *t = table_create(&s->arena, "t");

    for (int i = 0; i < 4; i++)
        table_add_column(t, names[i], kinds[i], i == 3 ? "s" : NULL);
    for (int i = 0; i < 16; i++) {
        double *row = table_add_row(t);

        row[0] = i % 2;
        row[1] = 1 << (i / 4);
        row[2] = 1 + i / 2 % 2;
        row[3] = 0.5 + row[1] / row[2] + 0.01 * i;
    }
    llac_put_table(s, "t", t);
}

static void load_csv(struct statement *s)
{
    struct loaded l = {0};

    llac_load_csv(s, &s->now, s->now.at, (size_t)(s->end - s->now.at), "fuzz.csv", &l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct portolan_llac_options options = {
        .print = drop, .warn = drop, .keeps_going = true, .without_files = true};
    struct portolan_arena arena = {0};
    struct portolan_diagnostics d = {0};
    struct portolan_llac *llac;
    char *text = portolan_arena_strndup(&arena, (const char *)data, size), **words;
    size_t n;

    if (!text || portolan_llac_create(&options, &llac, NULL) != PORTOLAN_OK ||
        statement_attempt(&(struct statement){.in = llac, .d = &d, .file = "fuzz"}, put_table))
        abort();
    portolan_llac_run(llac, (const char *)data, size, "fuzz", 1, NULL, NULL);
    if (portolan_llac_complete(llac, text, &words, &n, NULL) != PORTOLAN_OK)
        abort();
    free(words);
    statement_attempt(&(struct statement){.in = llac,
                                          .d = &d,
                                          .file = "fuzz",
                                          .end = text + size,
                                          .now = {.at = text, .line = 1, .column = 1}},
                      load_csv);
    portolan_llac_destroy(llac);
    portolan_arena_clear(&arena);
    return 0;
}
