/* SPDX-License-Identifier: BSD-3-Clause */
/* The shared objects that implement a list of functions: their names as components. */
#include "proxygen_internal.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* "NAME=FILE" says how the component is called; a '=' further on belongs to a path. */
static const char *given_name(struct run *run, const char *library, const char **file)
{
    const char *equals = strchr(library, '=');

    *file = library;
    if (!equals || memchr(library, '/', (size_t)(equals - library)))
        return NULL;
    *file = equals + 1;
    return proxygen_print(&run->arena, "%.*s", (int)(equals - library), library);
}

static bool is_word(const char *text)
{
    const char *c = text;

    while (isalnum((unsigned char)*c) || *c == '_')
        c++;
    return c > text && !*c;
}

/* The last DEPTH parts of the path as a word, without what stands behind ".so". */
static const char *name_of_file(struct run *run, const char *file, int depth)
{
    const char *begin = file + strlen(file), *last = strrchr(file, '/');
    const char *end = strstr(last ? last : file, ".so");
    char *word;

    while (begin > file && (begin[-1] != '/' || --depth > 0))
        begin--;
    begin += *begin == '/';
    if (!end || end <= begin)
        end = begin + strlen(begin);
    word = portolan_arena_strndup(&run->arena, begin, (size_t)(end - begin));
    for (char *c = word; c && *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return word ? word : "";
}

static bool is_unique(const struct port *p, size_t i)
{
    for (size_t k = 0; k < p->n_providers; k++)
        if (k != i && strcmp(p->providers[k].name, p->providers[i].name) == 0)
            return false;
    return true;
}

/* Files of one name in different folders take in the names of these. */
static void tell_apart(struct run *run)
{
    struct port *p = &run->port;

    for (int depth = 2; depth < 16; depth++) {
        for (size_t i = 0; i < p->n_providers; i++)
            p->providers[i].clashes = !p->providers[i].is_given && !is_unique(p, i);
        for (size_t i = 0; i < p->n_providers; i++)
            if (p->providers[i].clashes)
                p->providers[i].name = name_of_file(run, p->providers[i].file, depth);
    }
}

static enum portolan_status read_library(struct run *run, const char *library,
                                         struct provider *provider)
{
    const char *file;
    const char *name = given_name(run, library, &file);
    char folder[PATH_MAX];

    if (!*file)
        return portolan_error_set(run->err, PORTOLAN_EINVAL,
                                  "--lib '%s' names no file; it reads FILE or NAME=FILE", library);
    if (name && !is_word(name))
        return portolan_error_set(run->err, PORTOLAN_EINVAL,
                                  "--lib '%s': '%s' becomes part of a class's name, so it can have "
                                  "letters, digits and '_' only",
                                  library, name);
    /* A component is not used where it was made: what is no name becomes a whole path. */
    if (*file != '/' && strchr(file, '/') && getcwd(folder, sizeof folder))
        file = proxygen_print(&run->arena, "%s/%s", folder, file);
    *provider = (struct provider){
        .name = name ? name : name_of_file(run, file, 1), .file = file, .is_given = name != NULL};
    return PORTOLAN_OK;
}

enum portolan_status proxygen_read_libraries(struct run *run)
{
    const struct portolan_proxygen_options *o = run->options;
    struct port *p = &run->port;
    enum portolan_status status = PORTOLAN_OK;

    p->providers = portolan_arena_alloc(&run->arena, o->n_libraries + 1, sizeof *p->providers);
    if (!p->providers)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < o->n_libraries && status == PORTOLAN_OK; i++) {
        status = read_library(run, o->libraries[i], &p->providers[i]);
        p->n_providers++;
    }
    if (status != PORTOLAN_OK)
        return status;
    tell_apart(run);
    for (size_t i = 0; i < p->n_providers; i++)
        if (!is_unique(p, i))
            return portolan_error_set(run->err, PORTOLAN_EINVAL,
                                      "two libraries would be component '%s_%s'; name one by --lib "
                                      "NAME=%s",
                                      p->type, p->providers[i].name, p->providers[i].file);
    return PORTOLAN_OK;
}
