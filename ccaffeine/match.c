/* SPDX-License-Identifier: BSD-3-Clause */
/* Loose matching of names. */
#include "script.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef bool (*fits_fn)(const char *name, const char *word);

static bool is_same(const char *name, const char *word)
{
    return !strcmp(name, word);
}

static bool is_same_in_any_case(const char *name, const char *word)
{
    return !strcasecmp(name, word);
}

static bool begins(const char *name, const char *word)
{
    return !strncasecmp(name, word, strlen(word));
}

static bool contains(const char *name, const char *word)
{
    return strcasestr(name, word) != NULL;
}

enum portolan_status match_name(const char *word, const char *const *names, size_t n,
                                const char *kind, const char **match, struct portolan_error *err)
{
    static const fits_fn stages[] = {is_same, is_same_in_any_case, begins, contains};
    const char *near;

    *match = NULL;
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++) {
        char text[600] = "";
        size_t count = 0;

        for (size_t i = 0; i < n; i++)
            if (stages[k](names[i], word)) {
                snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", count ? ", " : "",
                         names[i]);
                *match = names[i];
                count++;
            }
        if (count == 1)
            return PORTOLAN_OK;
        if (count) {
            *match = NULL;
            return portolan_error_set(err, PORTOLAN_EINVAL, "%s '%s' is ambiguous: %s", kind, word,
                                      text);
        }
    }
    near = portolan_nearest_word(word, names, n);
    return portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no %s '%s'%s", kind, word,
                              portolan_did_you_mean(near).text);
}
