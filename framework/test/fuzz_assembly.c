/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target of the assembly reader; fuzz_corpus.c runs it, or libFuzzer (-fsanitize=fuzzer). */
#include <stdlib.h>
#include <string.h>

#include "../assembly/assembly.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct portolan_diagnostics d = {0};
    struct portolan_assembly *a, *b;
    char *text = NULL;

    if (portolan_assembly_read_text((const char *)data, size, "fuzz.xml", &d, &a, NULL) !=
        PORTOLAN_OK)
        return 0;
    /* What was accepted must be written so that it is accepted again. */
    if (portolan_assembly_write(a, NULL, &text, NULL) != PORTOLAN_OK ||
        portolan_assembly_read_text(text, strlen(text), "written.xml", NULL, &b, NULL) !=
            PORTOLAN_OK)
        abort();
    free(text);
    portolan_assembly_destroy(a);
    portolan_assembly_destroy(b);
    return 0;
}
