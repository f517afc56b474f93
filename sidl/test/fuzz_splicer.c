/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target of the reader of Impl files: the input is the Impl file of a class before its SIDL is
 * compiled again. Either that is refused and the file stays as it is, or the new file is one that a
 * third run leaves alone. For libFuzzer, build with clang -fsanitize=fuzzer,address,undefined.
 */
#include <portolan/sidl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct content {
    size_t size;
    char *bytes;
};

static char folder[] = "/tmp/fuzz_splicer.XXXXXX";
static char source[sizeof folder + sizeof "/p_C_Impl.c"];

static void remove_folder(void)
{
    static const char *const names[] = {"babel.make", "meson.build", "p.c",       "p.h",
                                        "p.pc",       "p.scl",       "p_C.h",     "p_C_Impl.c",
                                        "p_C_Impl.h", "p_C_Skel.c",  "p__types.h"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[sizeof folder + 32];

        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    rmdir(folder);
}

static void write_source(const void *bytes, size_t size)
{
    FILE *f = fopen(source, "wb");

    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f))
        abort();
}

static struct content read_source(void)
{
    struct content c = {0};
    FILE *f = fopen(source, "rb");

    if (!f || fseek(f, 0, SEEK_END))
        abort();
    c.size = (size_t)ftell(f);
    c.bytes = malloc(c.size + 1);
    rewind(f);
    if (!c.bytes || fread(c.bytes, 1, c.size, f) != c.size)
        abort();
    fclose(f);
    return c;
}

static enum portolan_status compile(void)
{
    static const char text[] = "package p version 1.0 { class C { void f(); int g(in int a); } }";
    struct portolan_sidl_options options = {.output_dir = folder, .server = true};
    struct portolan_diagnostics d = {0};
    struct portolan_sidl_model *model;
    enum portolan_status status;

    if (portolan_sidl_read_text(&options, "p.sidl", text, sizeof text - 1, &d, &model, NULL))
        abort();
    status = portolan_sidl_emit(model, &options, &d, NULL);
    portolan_sidl_destroy(model);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct content first, second;

    if (!*source) {
        if (!mkdtemp(folder) || atexit(remove_folder))
            abort();
        snprintf(source, sizeof source, "%s/p_C_Impl.c", folder);
    }
    write_source(data, size);
    if (compile() == PORTOLAN_OK) {
        first = read_source();
        if (compile() != PORTOLAN_OK)
            abort();
    } else {
        first = (struct content){size, malloc(size + 1)};
        memcpy(first.bytes, data, size);
    }
    second = read_source();
    if (first.size != second.size || memcmp(first.bytes, second.bytes, first.size) != 0)
        abort();
    free(first.bytes);
    free(second.bytes);
    return 0;
}
