/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target of files of knowledge: mistakes are reported, and accepted knowledge has a tree and
 * can be used for inference. For libFuzzer, build with clang -fsanitize=fuzzer,address,undefined.
 */
#include <stdlib.h>
#include <string.h>

#include "../diagnosis.h"
#include "../knowledge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool look_up(void *arg, const struct paradigm *p, const struct reference *r,
                    struct measured *value)
{
    (void)arg, (void)p;
    *value = (struct measured){r->kind == REFERENCE_GLOBAL ? 4 : 3, 0.1, 2, true, NULL};
    return true;
}

static void use(const struct portolan_knowledge *k, const char *name)
{
    const struct portolan_diagnosis_options none = {0};
    const struct diagnosis_sources sources = {.lookup = look_up, .options = &none};
    struct portolan_diagnosis *d = NULL;
    struct portolan_error err = {0};
    char *text = NULL;

    if (portolan_knowledge_tree(k, name, PORTOLAN_TREE_DOT, &text, &err))
        abort();
    free(text);
    /* A rule of the input may fail, which is reported. */
    if (!diagnosis_make(knowledge_need(k, name, &err), &sources, &d, &err)) {
        if (portolan_diagnosis_text(d, NULL, 1, &text, &err))
            abort();
        free(text);
    } else if (!*err.text)
        abort();
    portolan_diagnosis_destroy(d);
}

static struct portolan_knowledge *knowledge;

static void destroy_knowledge(void)
{
    portolan_knowledge_destroy(knowledge);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct portolan_diagnostics d = {0};
    struct portolan_error err = {0};
    char *text = portolan_calloc(size + 1, 1);

    if (!text)
        abort();
    if (!knowledge &&
        (portolan_knowledge_read(NULL, 0, NULL, &knowledge, &err) || atexit(destroy_knowledge)))
        abort();
    memcpy(text, data, size);
    if (portolan_knowledge_add(knowledge, text, "input", 1, &d, &err) == PORTOLAN_OK) {
        for (size_t i = 0; i < knowledge->inner.n_paradigms; i++)
            if (strcmp(knowledge->inner.paradigms[i]->item.place.file, "input") == 0)
                use(knowledge, knowledge->inner.paradigms[i]->item.name);
    } else if (!*err.text)
        abort();
    free(text);
    return 0;
}
