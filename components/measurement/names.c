/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that there are, for lists of them and for words that are to be among them. */
#include "measurement.h"

#include <fnmatch.h>
#include <string.h>

void names_add(struct names *names, const char *name, bool is_set)
{
    const char **more;

    for (size_t i = 0; is_set && i < names->n; ++i)
        if (!strcmp(names->list[i], name))
            return;
    more = portolan_arena_grow(&names->arena, names->list, names->n, sizeof *more);
    if (!more)
        return;
    names->list = more;
    more[names->n] = portolan_arena_strdup(&names->arena, name);
    names->n += more[names->n] != NULL;
}

struct sidl_string__array *names_take(struct names *names, sidl_BaseInterface *_ex)
{
    struct sidl_string__array *array =
        names->arena.failed || *_ex ? NULL : sidl_string__array_create1d((int32_t)names->n);

    if (!array && !*_ex)
        sidl_exception_throw_no_memory(_ex);
    for (size_t i = 0; array && i < names->n; ++i)
        sidl_string__array_set1(array, (int32_t)i, names->list[i]);
    portolan_arena_clear(&names->arena);
    return array;
}

void names_check(const struct names *names, const char *what, const char *word, bool is_pattern,
                 sidl_BaseInterface *_ex)
{
    bool found = false;

    for (size_t i = 0; word && i < names->n && !found; ++i)
        found = is_pattern ? fnmatch(word, names->list[i], 0) == 0 : !strcmp(word, names->list[i]);
    if (names->arena.failed)
        sidl_exception_throw_no_memory(_ex);
    else if (!found)
        portolan_throw(
            _ex, PORTOLAN_ENOTFOUND, "there is no %s '%s'%s", what, word ? word : "(null)",
            portolan_did_you_mean(word ? portolan_nearest_word(word, names->list, names->n) : NULL)
                .text);
}
