/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target of scenarios. With libFuzzer it stands alone; see fuzz_corpus.c else. */
#include <stdlib.h>
#include <string.h>

#include "../replay/scenario.h"
#include "fuzz_check.h"

enum { MOST_STATEMENTS = 20000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct portolan_trace *t;

    must(text);
    memcpy(text, data, size);
    text[size] = '\0';
    if (!scenario_read("fuzz", text, MOST_STATEMENTS, NULL, &t, NULL, NULL))
        check_analysis(t, true);
    portolan_trace_destroy(t);
    free(text);
    return 0;
}
