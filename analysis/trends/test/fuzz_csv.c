/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target of the reader of tables. With libFuzzer it stands alone; see fuzz_corpus.c else. */
#include <portolan/trend.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted has rows with finite numbers; what is not is told. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct portolan_error err = {0};
    struct portolan_trends *t = NULL;

    if (portolan_trends_read_csv((const char *)data, size, "fuzz.csv", NULL, NULL, &t, &err)) {
        if (!err.text[0])
            abort();
        return 0;
    }
    for (size_t i = 0; i < t->n; i++) {
        const struct portolan_trend *one = &t->items[i];

        if (!one->n_rows || one->n_params > PORTOLAN_MODEL_MAX_PARAMS)
            abort();
        for (size_t k = 0; k < one->n_rows; k++)
            if (one->in_time[k] >= one->n_rows || !(one->y[k] - one->y[k] == 0))
                abort();
    }
    portolan_trends_destroy(t);
    return 0;
}
