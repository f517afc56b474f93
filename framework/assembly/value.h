/* SPDX-License-Identifier: BSD-3-Clause */
/* Types and texts of parameter values, as assemblies and palette descriptions write them. */
#ifndef PORTOLAN_FRAMEWORK_VALUE_H
#define PORTOLAN_FRAMEWORK_VALUE_H

#include <portolan/assembly.h>

/* Reads "double" or "string[]"; false for an unknown word. */
bool value_type_read(const char *word, enum portolan_value_type *type, bool *is_array);
/* The word, with "[]" for arrays. */
const char *value_type_word(enum portolan_value_type type, bool is_array);
/* The known word nearest to an unknown one, or NULL. */
const char *value_type_nearest(const char *word);
/* Returns whether TEXT is a value of that type; every element of the list for an array. */
bool value_fits(enum portolan_value_type type, bool is_array, const char *text);
/* The next blank-separated word from *AT on; moves *AT past it. NULL at the end. */
const char *value_next_word(const char **at, size_t *length);
/* Describes the expected value: "a whole number of 32 bits". */
const char *value_expected(enum portolan_value_type type);

/* -- N structs of SIZE bytes that begin with the pointer to their name -- */

/* The struct with that name, or NULL. */
void *named_find(const void *items, size_t n, size_t size, const char *name);
/* The better suggestion for WORD: NEAR, the best so far or NULL, or OTHER; NULL: none is near. */
const char *nearer_word(const char *word, const char *near, const char *other);
/* The name that is nearest to a misspelt one, or NULL. */
const char *named_nearest(const void *items, size_t n, size_t size, const char *name);

#endif
