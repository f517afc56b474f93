/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a fuzz target over files, those of folders too, and over mutations of each: $FUZZ_CHANGES,
 * from $FUZZ_SEED, which is printed.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 1 << 16 };

static unsigned long changes = 300;

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void mutate(uint8_t *data, size_t *size, uint64_t *random)
{
    static const char pieces[] = "<>\"'&/=![]-#; x\n\0\xff{}(),.%*0azAZ_";

    for (uint64_t n = next_random(random) % 6 + 1; n && *size; n--) {
        size_t at = next_random(random) % *size, length = next_random(random) % (*size - at) % 40;

        switch (next_random(random) % 5) {
        case 0:
            data[at] = (uint8_t)pieces[next_random(random) % (sizeof pieces - 1)];
            break;
        case 1:
            data[at] = (uint8_t)next_random(random);
            break;
        case 2:
            memmove(data + at, data + at + length, *size - at - length);
            *size -= length;
            break;
        case 3:
            if (*size + length <= INPUT_MAX) {
                memmove(data + at + length, data + at, *size - at);
                *size += length;
            }
            break;
        default:
            *size = at;
        }
    }
}

static int run_file(const char *path, uint64_t *random)
{
    static uint8_t original[INPUT_MAX], data[INPUT_MAX];
    FILE *f = fopen(path, "rbe");
    size_t size;

    if (!f)
        return 1;
    size = fread(original, 1, sizeof original, f);
    fclose(f);
    LLVMFuzzerTestOneInput(original, size);
    for (unsigned long i = 0; i < changes; i++) {
        size_t mutated = size;
        uint8_t *exact;

        memcpy(data, original, size);
        mutate(data, &mutated, random);
        /* exactly as large as it is, so that reading over the end is seen */
        exact = malloc(mutated ? mutated : 1);
        if (!exact)
            return 1;
        memcpy(exact, data, mutated);
        LLVMFuzzerTestOneInput(exact, mutated);
        free(exact);
    }
    return 0;
}

/* Adds the files run to *FILES. */
static int run_path(const char *path, uint64_t *random, int *files)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    int failed = 0;

    if (!dir) {
        ++*files;
        return run_file(path, random);
    }
    while (!failed && (entry = readdir(dir))) {
        char file[2000];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        failed = run_file(file, random);
        ++*files;
    }
    closedir(dir);
    return failed;
}

int main(int argc, char **argv)
{
    const char *seed = getenv("FUZZ_SEED"), *count = getenv("FUZZ_CHANGES");
    uint64_t random = seed ? strtoull(seed, NULL, 0) : UINT64_C(0x9e3779b97f4a7c15);
    int files = 0;

    if (count)
        changes = strtoul(count, NULL, 0);
    printf("seed 0x%" PRIx64 "\n", random);
    for (int i = 1; i < argc; i++)
        if (run_path(argv[i], &random, &files)) {
            perror(argv[i]);
            return 1;
        }
    printf("%d files, %lu mutations of each\n", files, changes);
    return files ? 0 : 1;
}
