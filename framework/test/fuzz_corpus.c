/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a fuzz target over a corpus, and over mutations of it from a printed seed. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 1 << 16, MUTATIONS = 300 };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void mutate(uint8_t *data, size_t *size, uint64_t *random)
{
    static const char pieces[] = "<>\"'&/=![]-#; x\n\0\xff";

    for (uint64_t n = next_random(random) % 4 + 1; n && *size; n--) {
        size_t at = next_random(random) % *size, length = next_random(random) % (*size - at) % 40;

        switch (next_random(random) % 4) {
        case 0:
            data[at] = (uint8_t)pieces[next_random(random) % (sizeof pieces - 1)];
            break;
        case 1:
            memmove(data + at, data + at + length, *size - at - length);
            *size -= length;
            break;
        case 2:
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
    for (int i = 0; i < MUTATIONS; i++) {
        size_t mutated = size;

        memcpy(data, original, size);
        mutate(data, &mutated, random);
        LLVMFuzzerTestOneInput(data, mutated);
    }
    return 0;
}

int main(int argc, char **argv)
{
    uint64_t random = argc > 2 ? strtoull(argv[2], NULL, 0) : UINT64_C(0x9e3779b97f4a7c15);
    DIR *dir = argc > 1 ? opendir(argv[1]) : NULL;
    struct dirent *entry;
    int files = 0;

    if (!dir) {
        fprintf(stderr, "usage: fuzz_TARGET CORPUS [SEED]\n");
        return 2;
    }
    printf("seed 0x%" PRIx64 "\n", random);
    while ((entry = readdir(dir))) {
        char path[2000];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        if (run_file(path, &random))
            return 1;
        files++;
    }
    closedir(dir);
    printf("%d files, %d mutations of each\n", files, MUTATIONS);
    return files ? 0 : 1;
}
