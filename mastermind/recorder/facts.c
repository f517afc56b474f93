/* SPDX-License-Identifier: BSD-3-Clause */
/* Names with values. */
#include "facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void portolan_facts_clear(struct portolan_facts *f)
{
    for (size_t i = 0; i < f->n; ++i) {
        free((char *)f->pairs[i].name);
        free((char *)f->pairs[i].value);
    }
    free(f->pairs);
    *f = (struct portolan_facts){0};
}

static bool reserve(struct portolan_facts *f)
{
    size_t capacity = f->capacity ? 2 * f->capacity : 32;
    void *pairs;

    if (f->n < f->capacity)
        return true;
    if (!(pairs = portolan_reallocarray(f->pairs, capacity, sizeof *f->pairs)))
        return false;
    f->pairs = pairs;
    f->capacity = capacity;
    return true;
}

static bool replace(struct portolan_facts *f, const char *name, char *value)
{
    for (size_t i = 0; i < f->n; ++i) {
        if (!strcmp(f->pairs[i].name, name)) {
            free((char *)f->pairs[i].value);
            f->pairs[i].value = value;
            return true;
        }
    }
    return false;
}

void portolan_facts_put(struct portolan_facts *f, const char *name, const char *value)
{
    char *n, *v = portolan_strdup(value ? value : "");

    if (v && replace(f, name, v))
        return;
    n = portolan_strdup(name);
    if (!n || !v || !reserve(f)) {
        free(n);
        free(v);
        f->failed = true;
        return;
    }
    f->pairs[f->n++] = (struct portolan_name_value){n, v};
}

void facts_printf(struct portolan_facts *f, const char *name, const char *format, ...)
{
    char line[1000];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    portolan_facts_put(f, name, line);
}

/* "password=secret": where the secret is, and how long. */
static const char *find_word(const char *text, size_t *length)
{
    const char *at = strstr(text, "password=");

    if (!at)
        return NULL;
    at += strlen("password=");
    *length = *at == '\'' ? strcspn(at + 1, "'") + 2 : strcspn(at, " \t\n&\"<");
    return at;
}

/* "postgresql://user:secret@host/x": the same. */
static const char *find_user(const char *text, size_t *length)
{
    while ((text = strstr(text, "://"))) {
        const char *end, *at, *colon;

        text += strlen("://");
        end = text + strcspn(text, "/?# \t\n\"<");
        at = memchr(text, '@', (size_t)(end - text));
        colon = at ? memchr(text, ':', (size_t)(at - text)) : NULL;
        if (colon) {
            *length = (size_t)(at - colon) - 1;
            return colon + 1;
        }
    }
    return NULL;
}

static const char *find_secret(const char *text, size_t *length)
{
    size_t user_length = 0;
    const char *word = find_word(text, length), *user = find_user(text, &user_length);

    if (word && (!user || word < user))
        return word;
    *length = user_length;
    return user;
}

char *facts_without_secrets(const char *text)
{
    char *copy = portolan_strdup(text), *from = copy;
    const char *secret;
    size_t length;

    while (copy && (secret = find_secret(from, &length))) {
        char *to = copy + (secret - copy);

        memset(to, '*', length);
        from = to + length;
    }
    return copy;
}
