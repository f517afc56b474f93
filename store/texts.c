/* SPDX-License-Identifier: BSD-3-Clause */
/* Interned texts: an open hash table of owned strings; and arrays that grow. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct texts {
    size_t count, capacity; /* capacity is a power of two, at least a quarter of it empty */
    char **slots;
};

struct texts *texts_create(void)
{
    struct texts *t = portolan_calloc(1, sizeof *t);

    if (!t)
        return NULL;
    t->capacity = 64;
    t->slots = portolan_calloc(t->capacity, sizeof *t->slots);
    if (!t->slots) {
        free(t);
        return NULL;
    }
    return t;
}

void texts_destroy(struct texts *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->capacity; ++i)
        free(t->slots[i]);
    free(t->slots);
    free(t);
}

/* Where TEXT is, or the empty place where it belongs. */
static char **slot_of(char **slots, size_t capacity, const char *text)
{
    size_t i = portolan_hash(text, strlen(text), 0) & (capacity - 1);

    while (slots[i] && strcmp(slots[i], text))
        i = (i + 1) & (capacity - 1);
    return &slots[i];
}

static bool grow(struct texts *t)
{
    size_t capacity = 2 * t->capacity;
    char **slots = portolan_calloc(capacity, sizeof *slots);

    if (!slots)
        return false;
    for (size_t i = 0; i < t->capacity; ++i) {
        if (t->slots[i])
            *slot_of(slots, capacity, t->slots[i]) = t->slots[i];
    }
    free(t->slots);
    t->slots = slots;
    t->capacity = capacity;
    return true;
}

const char *texts_intern(struct texts *t, const char *text)
{
    char **slot;

    text = text ? text : "";
    slot = slot_of(t->slots, t->capacity, text);
    if (*slot)
        return *slot;
    if (4 * (t->count + 1) > 3 * t->capacity) {
        if (!grow(t))
            return NULL;
        slot = slot_of(t->slots, t->capacity, text);
    }
    *slot = portolan_strdup(text);
    t->count += *slot != NULL;
    return *slot;
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
