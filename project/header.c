/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports that are structs of functions in C headers. */
#include "project.h"

#include <portolan/proxygen.h>

#include <regex.h>
#include <string.h>

bool header_known(struct change *c, const char *type, struct header_port *h)
{
    for (size_t i = 0; i < c->ports.n; i++) {
        const char *port = c->ports.word[i], *is = strchr(port, '='), *colon;

        if (!is || strncmp(port, type, (size_t)(is - port)) || type[is - port] ||
            !(colon = strchr(is, ':')))
            continue;
        *h = (struct header_port){
            .file = portolan_arena_strndup(&c->arena, is + 1, (size_t)(colon - is - 1)),
            .name = colon + 1,
            .type = type};
        return true;
    }
    return false;
}

/* The port of the build files that is this struct; NULL: none. */
static const char *find_type(struct change *c, const char *file, const char *name)
{
    for (size_t i = 0; i < c->ports.n; i++) {
        const char *port = c->ports.word[i], *is = strchr(port, '=');

        if (is && !strcmp(is + 1, CHANGE_PRINT(c, "%s:%s", file, name)))
            return portolan_arena_strndup(&c->arena, port, (size_t)(is - port));
    }
    return NULL;
}

/* Makes the struct's proxy in the scratch folder: whoever can, knows that it is a port. */
static enum portolan_status try_proxy(struct change *c, const struct header_port *h)
{
    const char *file = change_path(c, h->file), *scratch = change_scratch(c);
    const struct portolan_proxygen_options options = {
        .files = &file,
        .n_files = 1,
        .port = CHANGE_PRINT(c, "%s=%s", h->name, h->type),
        .folder = scratch};

    if (!scratch)
        return c->err->status;
    return portolan_proxygen_generate(&options, NULL, c->project->d, c->err);
}

enum portolan_status header_find(struct change *c, const char *text, const char *type,
                                 const char *package, struct header_port *h)
{
    const char *colon = strrchr(text, ':');
    const char *known;

    if (!colon || colon == text || !colon[1])
        return portolan_error_set(c->err, PORTOLAN_EINVAL,
                                  "'%s' names no struct of a header, write FILE:STRUCT, as in "
                                  "solver.h:solver_ops",
                                  text);
    h->file = portolan_arena_strndup(&c->arena, text, (size_t)(colon - text));
    h->name = colon + 1;
    if (!h->file || !change_read(c, h->file))
        return portolan_error_set(c->err, PORTOLAN_ENOTFOUND,
                                  "there is no header '%s'; write FILE:STRUCT with a file of this "
                                  "folder",
                                  h->file ? h->file : text);
    known = find_type(c, h->file, h->name);
    h->is_new = !known;
    h->type = type ? type : known ? known : CHANGE_PRINT(c, "%s.%s", package, h->name);
    if (type && known && strcmp(type, known))
        return portolan_error_set(c->err, PORTOLAN_EEXISTS,
                                  "%s:%s is port type %s already, use that", h->file, h->name,
                                  known);
    return try_proxy(c, h);
}

bool header_is_tag(struct change *c, const struct header_port *h)
{
    const char *text = change_read(c, h->file);
    regex_t regex;
    bool found;

    if (!text || regcomp(&regex, CHANGE_PRINT(c, "struct[ \t]+%s([^A-Za-z_0-9]|$)", h->name),
                         REG_EXTENDED | REG_NOSUB))
        return true;
    found = !regexec(&regex, text, 0, NULL, 0);
    regfree(&regex);
    return found;
}

/* Adds to FOUND the names, separated by commas, that PATTERN finds in TEXT, as in FORMAT. */
static void add_matches(struct change *c, const char *text, const char *pattern, const char *format,
                        struct portolan_words *found)
{
    regmatch_t match[2];
    regex_t regex;

    if (!pattern || regcomp(&regex, pattern, REG_EXTENDED))
        return;
    for (; !regexec(&regex, text, 2, match, 0); text += match[0].rm_eo)
        for (const char *at = text + match[1].rm_so, *end = text + match[1].rm_eo; at < end;) {
            const size_t length = strcspn(at, ", \t\n;)(");

            if (length)
                portolan_words_add(
                    &c->arena, found,
                    change_fill(c, format, portolan_arena_strndup(&c->arena, at, length)));
            at += length + 1;
        }
    regfree(&regex);
}

enum portolan_status header_find_object(struct change *c, const struct header_port *h,
                                        const char **expression)
{
    const char *text = change_read(c, h->file), *word = "([A-Za-z_][A-Za-z_0-9]*)",
               *words = "([A-Za-z_][A-Za-z_0-9, \t]*)";
    struct portolan_words found = {0};
    struct portolan_text list = {.arena = &c->arena};

    if (!text)
        return c->err->status;
    add_matches(c, text, CHANGE_PRINT(c, "extern[^;()]*[ \t]%s[ \t]+%s;", h->name, words), "&@",
                &found);
    add_matches(c, text, CHANGE_PRINT(c, "extern[^;()]*[ \t]%s[ \t]*[*][ \t]*%s;", h->name, words),
                "@", &found);
    add_matches(c, text,
                CHANGE_PRINT(c, "[ \t\n]%s[ \t]*[*][ \t]*%s[ \t]*[(][ \t]*(void)?[ \t]*[)][ \t]*;",
                             h->name, word),
                "@()", &found);
    if (found.n == 1) {
        *expression = found.word[0];
        return PORTOLAN_OK;
    }
    for (size_t i = 0; i < found.n; i++)
        portolan_text_add(&list, "%s%s", i ? ", " : "", found.word[i]);
    if (found.n)
        return portolan_error_set(c->err, PORTOLAN_EINVAL,
                                  "%s declares several objects of type %s (%s), say which one: "
                                  "--object '%s'",
                                  h->file, h->name, list.bytes, found.word[0]);
    return portolan_error_set(c->err, PORTOLAN_EINVAL,
                              "%s declares no object of type %s, neither 'extern … %s NAME;' nor a "
                              "function that returns one; say how to get its address: --object "
                              "'&NAME'",
                              h->file, h->name, h->name);
}
