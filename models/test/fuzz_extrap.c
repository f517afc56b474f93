/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target of the reader of Extra-P's forms. */
#include <portolan/extrap.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted is written in each form that can carry it, and read and written again the same.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct portolan_measurements *m, *again;
    char *text, *second;

    if (portolan_measurements_read((const char *)data, size, "fuzz", NULL, &m, NULL))
        return 0;
    for (int f = PORTOLAN_MEASUREMENTS_TEXT; f <= PORTOLAN_MEASUREMENTS_JSON; f++) {
        if (portolan_measurements_write(m, (enum portolan_measurements_format)f, &text, NULL))
            continue;
        if (portolan_measurements_read(text, strlen(text), "again", NULL, &again, NULL) ||
            portolan_measurements_write(again, (enum portolan_measurements_format)f, &second,
                                        NULL) ||
            strcmp(text, second) != 0)
            abort();
        free(text);
        free(second);
        portolan_measurements_destroy(again);
    }
    portolan_measurements_destroy(m);
    return 0;
}
