/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target of the reader of component descriptions; see fuzz_assembly.c. */
#include <portolan/palette.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct portolan_palette *p;

    if (!text || portolan_palette_create(&p, NULL) != PORTOLAN_OK)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    /* What was accepted can be found. */
    if (portolan_palette_add_builtin(p, NULL, text, NULL) == PORTOLAN_OK &&
        !portolan_palette_next(p, NULL))
        abort();
    portolan_palette_destroy(p);
    free(text);
    return 0;
}
