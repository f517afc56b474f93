/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target of the model reader. With libFuzzer it stands alone; see fuzz_corpus.c else. */
#include <portolan/models.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted predicts, and is written as text that is accepted and written the same. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const double x[PORTOLAN_MODEL_MAX_PARAMS] = {3, 5, 7, 11, 13, 17, 19, 23};
    struct portolan_model *model, *again;
    struct portolan_prediction p;
    char *text = NULL, *second = NULL;

    if (portolan_model_read_xml((const char *)data, size, "fuzz.xml", NULL, &model, NULL))
        return 0;
    portolan_model_predict(model, x, &p);
    if (portolan_model_write_xml(model, &text, NULL) ||
        portolan_model_read_xml(text, strlen(text), "again.xml", NULL, &again, NULL) ||
        portolan_model_write_xml(again, &second, NULL) || strcmp(text, second) != 0)
        abort();
    free(text);
    free(second);
    portolan_model_destroy(model);
    portolan_model_destroy(again);
    return 0;
}
