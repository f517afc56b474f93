/* SPDX-License-Identifier: BSD-3-Clause */
/* Interned texts, and arrays that grow. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct texts {
    struct portolan_index index;
    size_t capacity;
    char **list;
};

struct texts *texts_create(void)
{
    return portolan_calloc(1, sizeof(struct texts));
}

void texts_destroy(struct texts *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->index.n; ++i)
        free(t->list[i]);
    free(t->list);
    portolan_index_clear(&t->index);
    free(t);
}

struct wanted {
    const struct texts *in;
    const char *text;
};

static bool same_text(const void *wanted, size_t i)
{
    const struct wanted *w = wanted;

    return !strcmp(w->in->list[i], w->text);
}

const char *texts_intern(struct texts *t, const char *text)
{
    const struct wanted wanted = {t, text ? text : ""};
    uint64_t hash = portolan_hash(wanted.text, strlen(wanted.text), 0);
    size_t at = portolan_index_find(&t->index, hash, same_text, &wanted), n = t->index.n;
    char *copy;

    if (at != SIZE_MAX)
        return t->list[at];
    if (!store_reserve(&t->list, &t->capacity, n, sizeof *t->list) ||
        !portolan_index_reserve(&t->index, n + 1) || !(copy = portolan_strdup(wanted.text)))
        return NULL;
    portolan_index_add(&t->index, hash, n);
    return t->list[n] = copy;
}

bool texts_take(struct texts *t, struct backend *b, enum statement which, int column,
                const char **text)
{
    *text = texts_intern(t, backend_text(b, which, column));
    return *text != NULL;
}

bool store_reserve(void *array, size_t *capacity, size_t count, size_t size)
{
    void **p = array, *grown;
    size_t wanted = *capacity ? 2 * *capacity : 16;

    if (count < *capacity)
        return true;
    if (!(grown = portolan_reallocarray(*p, wanted, size)))
        return false;
    *p = grown;
    *capacity = wanted;
    return true;
}
