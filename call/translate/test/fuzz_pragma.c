/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target of pragmas, formulas included: a source as text, before libclang looks at it.
 * framework/test/fuzz_corpus.c runs it, or libFuzzer (-fsanitize=fuzzer). What is wrong must be
 * explained at a place in the text; what is good has all that is written of it.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_problems(const struct translation *t)
{
    for (size_t i = 0; i < t->n_problems; i++) {
        const struct problem *p = &t->problems[i];

        if (!*p->text || p->place.line < 1 || (size_t)p->place.line > t->source.n_lines ||
            p->place.column < 1)
            abort();
    }
}

static void check_good(const struct translation *t)
{
    for (size_t i = 0; i < t->n_directives; i++) {
        const struct directive *d = &t->directives[i];
        bool begins = d->kind == DIRECTIVE_BEGIN || d->kind == DIRECTIVE_FOR;
        bool ends = d->kind == DIRECTIVE_END || d->kind == DIRECTIVE_END_FOR;

        if (d->kind == DIRECTIVE_BAD || d->is_bad || d->end <= d->start || d->end > t->source.size)
            abort();
        if ((begins || ends) && (!d->partner || d->partner->partner != d))
            abort();
        if (d->kind == DIRECTIVE_BEGIN && d->experiment->first->formula.text &&
            (!d->experiment->formula || !d->experiment->n_constants))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct portolan_translate_options options = {.file = "fuzz.c"};
    struct portolan_error err = {0};
    struct translation t = {.options = &options, .err = &err};
    struct portolan_text header = {0};
    char *text = malloc(size + 1);

    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (source_scan(&t, text, size) == PORTOLAN_OK) {
        for (size_t i = 0; i < t.n_directives; i++)
            pragma_read(&t, &t.directives[i]);
        driver_choose(&t);
        pair_directives(&t);
        experiments_make(&t);
        check_problems(&t);
        if (!t.n_problems) {
            check_good(&t);
            emit_header(&t, &header);
            if (!header.length)
                abort();
        }
    }
    portolan_text_clear(&header);
    experiments_clear(&t);
    portolan_arena_clear(&t.arena);
    free(text);
    return 0;
}
