/* SPDX-License-Identifier: BSD-3-Clause */
#include "value.h"

#include <string.h>

enum { WORD_BYTES = 400 };

/* For each type, first the scalar, then the array. */
static const char *const words[] = {"bool",   "bool[]", "int",      "int[]",  "long",
                                    "long[]", "double", "double[]", "string", "string[]"};
static const size_t n_words = sizeof words / sizeof *words;

bool value_type_read(const char *word, enum portolan_value_type *type, bool *is_array)
{
    for (size_t i = 0; i < n_words; i++)
        if (!strcmp(words[i], word)) {
            *type = (enum portolan_value_type)(i / 2);
            *is_array = i % 2;
            return true;
        }
    return false;
}

const char *value_type_word(enum portolan_value_type type, bool is_array)
{
    return words[2 * (size_t)type + is_array];
}

const char *value_type_nearest(const char *word)
{
    return portolan_nearest_word(word, words, n_words);
}

const char *value_next_word(const char **at, size_t *length)
{
    const char *start = *at + strspn(*at, " \t\n\r");

    *length = strcspn(start, " \t\n\r");
    *at = start + *length;
    return *length ? start : NULL;
}

static bool scalar_fits(enum portolan_value_type type, const char *text)
{
    int64_t i;
    double d;

    switch (type) {
    case PORTOLAN_VALUE_BOOL:
        return !strcmp(text, "true") || !strcmp(text, "false");
    case PORTOLAN_VALUE_INT:
        return portolan_read_int64(text, &i) && i >= INT32_MIN && i <= INT32_MAX;
    case PORTOLAN_VALUE_LONG:
        return portolan_read_int64(text, &i);
    case PORTOLAN_VALUE_DOUBLE:
        return portolan_read_double(text, &d);
    case PORTOLAN_VALUE_STRING:
        return true;
    }
    return false;
}

bool value_fits(enum portolan_value_type type, bool is_array, const char *text)
{
    char word[WORD_BYTES];
    const char *w;
    size_t length;

    if (!is_array)
        return scalar_fits(type, text);
    if (type == PORTOLAN_VALUE_STRING)
        return true;
    while ((w = value_next_word(&text, &length))) {
        if (length >= sizeof word)
            return false;
        memcpy(word, w, length);
        word[length] = '\0';
        if (!scalar_fits(type, word))
            return false;
    }
    return true;
}

const char *value_expected(enum portolan_value_type type)
{
    switch (type) {
    case PORTOLAN_VALUE_BOOL:
        return "true or false";
    case PORTOLAN_VALUE_INT:
        return "a whole number of 32 bits";
    case PORTOLAN_VALUE_LONG:
        return "a whole number of 64 bits";
    case PORTOLAN_VALUE_DOUBLE:
        return "a finite number";
    case PORTOLAN_VALUE_STRING:
        return "a text";
    }
    return "a value";
}

static const char *const *name_of(const void *items, size_t i, size_t size)
{
    return (const char *const *)((const char *)items + i * size);
}

void *named_find(const void *items, size_t n, size_t size, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(*name_of(items, i, size), name))
            return (void *)name_of(items, i, size);
    return NULL;
}

const char *nearer_word(const char *word, const char *near, const char *other)
{
    return portolan_nearest_word(word, (const char *const[]){near, other}, 2);
}

const char *named_nearest(const void *items, size_t n, size_t size, const char *name)
{
    const char *near = NULL;

    for (size_t i = 0; i < n; i++)
        near = nearer_word(name, near, *name_of(items, i, size));
    return near;
}
