/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target of the reader of tables. With libFuzzer it stands alone; see fuzz_corpus.c else. */
#include "trend.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted has rows with finite numbers; what is not is told. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct portolan_trend_query query = {0};
    struct portolan_error err = {0};
    struct portolan_trends *t = NULL;
    char *text = calloc(size + 1, 1);

    if (!text)
        abort();
    memcpy(text, data, size);
    if (portolan_trends_read_text(text, size, "fuzz.csv", &query, NULL, &t, &err) && !err.text[0])
        abort();
    for (size_t i = 0; t && i < t->n; i++) {
        const struct trend *one = &t->items[i];
        size_t n = one->rows->n_rows;

        if (!n || one->key.n_params > PORTOLAN_MODEL_MAX_PARAMS)
            abort();
        for (size_t k = 0; k < n; k++)
            if (one->arrival[k] >= n || !isfinite(table_row(one->rows, k)[one->key.n_params]))
                abort();
    }
    portolan_trends_destroy(t);
    free(text);
    return 0;
}
