/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target for the SIDL compiler: reads, checks, and emits what callers and implementations need
 * (to nowhere). Alone it runs the files of the folders that are named, each as it is and with
 * random changes from a fixed seed; with -DPORTOLAN_LIBFUZZER libFuzzer brings the main, from the
 * source's root after a build:
 *
 *   clang -std=gnu17 -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined \
 *     -DPORTOLAN_LIBFUZZER -Ibase -Isidl -Ibuild/base -Ibuild/sidl/compiler \
 *     sidl/test/fuzz_sidl.c base/[!_]*.c sidl/compiler/[!_]*.c -lm -o fuzz_sidl
 *   ./fuzz_sidl -dict=sidl/test/sidl.dict CORPUS tests/fuzz/sidl
 */
#include <portolan/sidl.h>

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* nothing can be made below a device, so everything is emitted, and nothing written */
    struct portolan_sidl_options options = {.output_dir = "/dev/null/no"};
    struct portolan_diagnostics d = {0};
    struct portolan_sidl_model *model;

    if (portolan_sidl_read_text(&options, "fuzz.sidl", (const char *)data, size, &d, &model, NULL))
        return 0;
    portolan_sidl_emit(model, &options, &d, NULL);
    options.server = true;
    options.hooks = true;
    portolan_sidl_emit(model, &options, &d, NULL);
    portolan_sidl_destroy(model);
    return 0;
}

#ifndef PORTOLAN_LIBFUZZER

enum { MAX_SIZE = 1 << 16, PIECE = 64 };

static uint64_t random_state;

static uint64_t next_random(void) /* xorshift64 */
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* One change: another byte, a piece left out, a piece doubled, the end cut off. */
static size_t change(uint8_t *data, size_t size)
{
    const size_t at = next_random() % size, left = size - at;
    const size_t piece = 1 + next_random() % (left < PIECE ? left : PIECE);

    switch (next_random() % 5) {
    case 0:
        data[at] = (uint8_t)next_random();
        return size;
    case 1:
        data[at] = (uint8_t) "{}()<>[];,.%=\"'/*0azAZ_-"[next_random() % 24];
        return size;
    case 2:
        memmove(data + at, data + at + piece, left - piece);
        return size - piece;
    case 3:
        if (size + piece > MAX_SIZE)
            return size;
        memmove(data + at + piece, data + at, left);
        return size + piece;
    default:
        return next_random() % 8 ? size : at;
    }
}

static int run_file(const char *path, unsigned changes)
{
    static uint8_t original[MAX_SIZE], data[MAX_SIZE];
    FILE *f = fopen(path, "rb");
    size_t size;

    if (!f) {
        perror(path);
        return 1;
    }
    size = fread(original, 1, sizeof original, f);
    fclose(f);
    LLVMFuzzerTestOneInput(original, size);
    for (unsigned i = 0; i < changes && size; i++) {
        size_t now = size;

        memcpy(data, original, size);
        for (uint64_t n = 1 + next_random() % 6; n > 0 && now > 0; n--)
            now = change(data, now);
        /* exactly as large as it is, so that reading over the end is seen */
        uint8_t *exact = malloc(now ? now : 1);
        if (!exact)
            return 1;
        memcpy(exact, data, now);
        LLVMFuzzerTestOneInput(exact, now);
        free(exact);
    }
    return 0;
}

int main(int argc, char **argv)
{
    const unsigned changes = getenv("FUZZ_CHANGES") ? (unsigned)atoi(getenv("FUZZ_CHANGES")) : 40;
    unsigned files = 0;
    int failed = 0;

    random_state = getenv("FUZZ_SEED") ? strtoull(getenv("FUZZ_SEED"), NULL, 0) : 20060101;
    if (random_state == 0)
        random_state = 1;
    printf("seed %" PRIu64 ", %u changes of each file\n", random_state, changes);
    for (int i = 1; i < argc; i++) {
        DIR *dir = opendir(argv[i]);
        struct dirent *entry;

        while (dir && (entry = readdir(dir))) {
            char path[4096];

            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            failed |= run_file(path, changes);
            files++;
        }
        if (dir)
            closedir(dir);
    }
    printf("%u files\n", files);
    return failed || files == 0;
}
#endif
