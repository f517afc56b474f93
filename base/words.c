/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of texts as others want them. */
#include <portolan/command.h>

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum portolan_status portolan_words_take(struct portolan_words *w, char ***words, size_t *n,
                                         struct portolan_error *err)
{
    size_t size = 0, kept = 0;
    char *at;

    *n = 0;
    if (w->n)
        qsort(w->word, w->n, sizeof *w->word, compare);
    for (size_t i = 0; i < w->n; i++)
        if (!kept || strcmp(w->word[kept - 1], w->word[i]) != 0) {
            w->word[kept++] = w->word[i];
            size += strlen(w->word[i]) + 1;
        }
    w->n = kept;
    *words = portolan_calloc(1, (kept + 1) * sizeof **words + size);
    if (!*words)
        return portolan_no_memory(err);
    at = (char *)(*words + kept + 1);
    for (size_t i = 0; i < kept; i++) {
        (*words)[i] = at;
        at = stpcpy(at, w->word[i]) + 1;
    }
    *n = kept;
    return PORTOLAN_OK;
}
