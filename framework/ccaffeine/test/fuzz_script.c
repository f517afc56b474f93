/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target of the reader of scripts and of the converters; framework/test/fuzz_corpus.c runs it,
 * or libFuzzer (-fsanitize=fuzzer). No command is run.
 */
#include <portolan/ccaffeine.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* XML as another form; what comes out must be readable, and mean the same. */
static void round_trip(const char *xml, bool as_bld)
{
    struct portolan_conversion c = {0};
    struct portolan_diagnostics d = {0};
    struct portolan_assembly *a, *b;
    struct portolan_script *s;
    char *text, *again = NULL;

    if (portolan_assembly_read_text(xml, strlen(xml), "fuzz.xml", NULL, &a, NULL) != PORTOLAN_OK)
        return; /* what assemblies refuse: a class without a name, an empty port */
    if (portolan_assembly_to_script(a, NULL, as_bld, NULL, &c, &text, NULL) != PORTOLAN_OK ||
        portolan_script_read_text(text, strlen(text), as_bld ? "fuzz.bld" : "fuzz.rc", NULL, &s,
                                  NULL) != PORTOLAN_OK)
        abort();
    if (portolan_script_to_assembly(s, NULL, NULL, &c, &d, &again, NULL) != PORTOLAN_OK)
        abort();
    if (!c.losses) {
        if (portolan_assembly_read_text(again, strlen(again), "fuzz.xml", NULL, &b, NULL) !=
                PORTOLAN_OK ||
            portolan_assembly_hash(a) != portolan_assembly_hash(b))
            abort();
        portolan_assembly_destroy(b);
    }
    portolan_script_destroy(s);
    portolan_assembly_destroy(a);
    free(text);
    free(again);
}

static void convert(const struct portolan_script *s)
{
    struct portolan_conversion c = {0};
    struct portolan_diagnostics d = {0};
    char *xml;

    if (portolan_script_to_assembly(s, NULL, NULL, &c, &d, &xml, NULL) != PORTOLAN_OK)
        return;
    round_trip(xml, false);
    round_trip(xml, true);
    free(xml);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"fuzz.rc", "fuzz.bld"};
    struct portolan_script *s;

    for (int i = 0; i < 2; i++)
        if (portolan_script_read_text((const char *)data, size, names[i], NULL, &s, NULL) ==
            PORTOLAN_OK) {
            convert(s);
            portolan_script_destroy(s);
        }
    return 0;
}
