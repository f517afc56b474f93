/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target of the reader of .scl files and of search paths: the input is once a file, and once a
 * path (of names that do not exist). For libFuzzer, build with clang
 * -fsanitize=fuzzer,address,undefined.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was found is told whole; what was not found leaves nothing. */
static void search(const char *path)
{
    struct portolan_text story = {0};
    struct scl_library library;
    const enum portolan_status status =
        scl_search(path, "fuzz.Class", "ior/impl", &library, &story);

    if ((status == PORTOLAN_OK) != (library.uri && library.file))
        abort();
    if (status != PORTOLAN_OK && status != PORTOLAN_ENOTFOUND)
        abort();
    scl_library_clear(&library);
    portolan_text_clear(&story);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int fd = memfd_create("fuzz.scl", MFD_CLOEXEC);
    char *path = malloc(size + 2), file[64];

    if (fd < 0 || !path || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(file, sizeof file, "/proc/self/fd/%d", fd);
    search(file);
    close(fd);
    memcpy(path + 1, data, size);
    path[0] = '?'; /* no name starts like this */
    path[size + 1] = '\0';
    for (char *c = path; *c; c++)
        if (*c == '/')
            *c = '?';
    search(path);
    free(path);
    return 0;
}
