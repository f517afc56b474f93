/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target of studies. With libFuzzer it stands alone; see fuzz_corpus.c else. */
#include <stdlib.h>

#include <portolan/clue_study.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum portolan_status run(void *arg, const struct clue_study_run *run,
                                struct clue_study_value *value, struct portolan_error *err)
{
    (void)arg, (void)err;
    value->value = value->low = value->high = 1.0 / run->ranks;
    return PORTOLAN_OK;
}

/* Any accepted study can be reported. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct clue_study *s;
    char *text = NULL;

    if (!clue_study_read_text((const char *)data, size, "fuzz.xml", NULL, &s, NULL) &&
        !clue_study_evaluate(s, run, NULL, NULL)) {
        if (clue_study_report(s, false, &text, NULL))
            abort();
        free(text);
        if (clue_study_report(s, true, &text, NULL))
            abort();
        free(text);
    }
    clue_study_destroy(s);
    return 0;
}
