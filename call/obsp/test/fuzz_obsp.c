/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target of the readers of traces. With -fsanitize=fuzzer and -DPORTOLAN_FUZZER it is
 * libFuzzer's; else main() runs it over a corpus.
 */
#include <portolan/obsp.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted is fitted and evaluated, or it is told why not. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct portolan_obsp_options plain = {.model = PORTOLAN_BSP, .predict = true};
    struct portolan_obsp_result r = {0};
    struct portolan_obsp_trace *t;
    struct portolan_error err = {0};

    if (portolan_obsp_read((const char *)data, size, "fuzz", NULL, &t, NULL) != PORTOLAN_OK)
        return 0;
    if (portolan_obsp_evaluate(t, NULL, &r, &err) != PORTOLAN_OK && !err.text[0])
        abort();
    portolan_obsp_result_clear(&r);
    portolan_obsp_fit(t, NULL, NULL);
    portolan_obsp_evaluate(t, &plain, &r, NULL);
    portolan_obsp_result_clear(&r);
    portolan_obsp_destroy(t);
    return 0;
}

#ifndef PORTOLAN_FUZZER
/* A copy of its own, exactly as long as the file: reading beyond it is found. */
static bool run_file(const char *folder, const char *name)
{
    char path[2000];
    uint8_t *data;
    FILE *f;
    size_t size;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!(f = fopen(path, "rbe")))
        return false;
    fseek(f, 0, SEEK_END);
    size = (size_t)ftell(f);
    rewind(f);
    data = malloc(size ? size : 1);
    if (data && fread(data, 1, size, f) == size)
        LLVMFuzzerTestOneInput(data, size);
    free(data);
    fclose(f);
    return true;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    struct dirent *entry;
    int files = 0;

    if (!folder) {
        fprintf(stderr, "usage: fuzz_obsp CORPUS\n");
        return 2;
    }
    while ((entry = readdir(folder)))
        files += entry->d_name[0] != '.' && run_file(argv[1], entry->d_name);
    closedir(folder);
    printf("%d files\n", files);
    return files ? 0 : 1;
}
#endif
