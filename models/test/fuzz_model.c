/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target of the model reader. With -fsanitize=fuzzer and -DPORTOLAN_FUZZER it is libFuzzer's;
 * else main() runs it over a corpus. (test_xml.c breaks texts at random.)
 */
#include <portolan/models.h>

#include <dirent.h>
#include <stdio.h>
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

#ifndef PORTOLAN_FUZZER
static bool run_file(const char *folder, const char *name)
{
    static uint8_t data[1 << 16];
    char path[2000];
    FILE *f;
    size_t size;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!(f = fopen(path, "rbe")))
        return false;
    size = fread(data, 1, sizeof data, f);
    fclose(f);
    LLVMFuzzerTestOneInput(data, size);
    return true;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    struct dirent *entry;
    int files = 0;

    if (!folder) {
        fprintf(stderr, "usage: fuzz_model CORPUS\n");
        return 2;
    }
    while ((entry = readdir(folder)))
        files += entry->d_name[0] != '.' && run_file(argv[1], entry->d_name);
    closedir(folder);
    printf("%d files\n", files);
    return files ? 0 : 1;
}
#endif
