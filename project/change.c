/* SPDX-License-Identifier: BSD-3-Clause */
/* A change of a project: its files are collected in memory, and written at the end, all or none. */
#include "project.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

const char *change_path(struct change *c, const char *file)
{
    return strcmp(c->project->folder, ".") ? CHANGE_PRINT(c, "%s/%s", c->project->folder, file)
                                           : file;
}

const char *change_read(struct change *c, const char *file)
{
    struct portolan_text text = {.arena = &c->arena};
    const char *path = change_path(c, file);

    if (!path || access(path, F_OK))
        return NULL;
    if (portolan_text_add_file(&text, path, 1 << 20))
        return text.bytes ? text.bytes : "";
    portolan_error_set(c->err, PORTOLAN_EIO, "%s: cannot be read: %s", path, strerror(errno));
    return NULL;
}

/* KIND as that build file spells it: "PORTS", "ports". */
static const char *spell(struct change *c, size_t build, const char *kind)
{
    char *name = portolan_arena_strndup(&c->arena, kind, strlen(kind));

    for (char *at = name; build == PORTOLAN_BUILD_MESON && at && *at; at++)
        *at = (char)tolower((unsigned char)*at);
    return name;
}

/* The words of a line's end, without comments and the quotes and brackets of Meson. */
static void add_words(struct change *c, const char *value, struct portolan_words *words)
{
    char *text = portolan_arena_strndup(&c->arena, value, strcspn(value, "#\n"));

    for (char *at = text; at && (at = strpbrk(at, "'[],"));)
        *at = ' ';
    portolan_words_split(&c->arena, words, text);
}

/* The words of all lines "PORTS += words" or "PORTS = words" of a build file. */
static void read_lines(struct change *c, size_t build, const char *kind,
                       struct portolan_words *words)
{
    const char *variable = spell(c, build, kind);
    const size_t length = strlen(kind);

    for (const char *line = c->builds[build].text; variable && line; line = strchr(line, '\n')) {
        const char *value = line += *line == '\n';

        if (!strncmp(line, variable, length) &&
            strcspn(line + length, "+:?=") == strspn(line + length, " \t")) {
            value += strcspn(line, "=\n");
            value += *value == '=';
            add_words(c, value, words);
        }
        if (!*line)
            break;
    }
}

static enum portolan_status read_build(struct change *c, size_t build)
{
    const char *text = change_read(c, c->builds[build].name);

    if (c->err->status != PORTOLAN_OK)
        return c->err->status;
    if (!text || !strstr(text, "portolan"))
        return PORTOLAN_OK;
    c->builds[build].text = text;
    read_lines(c, build, "PORTS", &c->ports);
    read_lines(c, build, "COMPONENTS", &c->components);
    return PORTOLAN_OK;
}

void change_open(struct change *c, struct portolan_project *p, struct portolan_error *err)
{
    *c = (struct change){.project = p,
                         .err = err,
                         .builds = {[PORTOLAN_BUILD_MAKE] = {.name = "Makefile"},
                                    [PORTOLAN_BUILD_MESON] = {.name = "meson.build"}}};
}

enum portolan_status change_begin(struct change *c, struct portolan_project *p,
                                  struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    change_open(c, p, err);
    for (size_t i = 0; i < PORTOLAN_BUILDS && status == PORTOLAN_OK; i++)
        status = read_build(c, i);
    if (status != PORTOLAN_OK)
        return status;
    if (!c->builds[PORTOLAN_BUILD_MAKE].text && !c->builds[PORTOLAN_BUILD_MESON].text)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "this folder is no project: no Makefile here includes "
                                  "portolan.mk, and no meson.build uses portolan; make a project "
                                  "with: portolan new NAME && cd NAME");
    return c->arena.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

enum portolan_status change_end(struct change *c, enum portolan_status status)
{
    if (status == PORTOLAN_OK && c->arena.failed)
        status = portolan_no_memory(c->err);
    if (status == PORTOLAN_OK)
        status = portolan_files_write(&c->arena, c->project->folder, c->files, c->n_files, c->err);
    if (c->scratch)
        portolan_folder_remove(c->scratch);
    if (status != PORTOLAN_OK)
        portolan_text_clear(&c->project->said);
    portolan_arena_clear(&c->arena);
    return status;
}

const char *change_scratch(struct change *c)
{
    if (!c->scratch)
        c->scratch = portolan_temporary_folder(&c->arena, c->err);
    return c->scratch;
}

void change_extend(struct change *c, const char *file, const char *text)
{
    const char *path = change_path(c, file);
    struct portolan_made_file *grown;

    for (size_t i = 0; path && text && i < c->n_files; i++)
        if (!strcmp(c->files[i].path, path)) {
            c->files[i].bytes = text;
            c->files[i].size = strlen(text);
            return;
        }
    grown = portolan_arena_grow(&c->arena, c->files, c->n_files, sizeof *grown);
    if (!grown || !path || !text)
        return; /* the arena remembers it */
    c->files = grown;
    c->files[c->n_files++] = (struct portolan_made_file){
        .path = path, .bytes = text, .size = strlen(text), .is_script = !strncmp(text, "#!", 2)};
}

enum portolan_status change_make(struct change *c, const char *file, const char *text,
                                 const char *instead)
{
    const char *path = change_path(c, file);

    if (path && !access(path, F_OK))
        return portolan_error_set(c->err, PORTOLAN_EEXISTS,
                                  "%s is there already and stays as it "
                                  "is; %s",
                                  path, instead);
    change_extend(c, file, text);
    change_say(c, "made     %s", file);
    return PORTOLAN_OK;
}

/* Where a line for VARIABLE goes: after the last one of it or of COMPONENTS, else before the rules.
 */
static size_t find_place(const char *text, const char *variable, const char *components)
{
    const char *place = NULL, *line = text;

    for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (!strncmp(line, variable, strlen(variable)) ||
            (strcasecmp(variable, "PORTS") && !strncmp(line, components, strlen(components)))) {
            place = line + strcspn(line, "\n");
            place += *place == '\n';
        } else if (!place && !strncmp(line, "include", 7)) {
            place = line;
        }
    }
    return (size_t)((place ? place : line) - text);
}

/* WORDS as a list in Meson: ['a.c', 'b.c'] */
static const char *list_of(struct change *c, const char *text)
{
    struct portolan_words words = {0};
    struct portolan_text list = {.arena = &c->arena};

    portolan_words_split(&c->arena, &words, text);
    for (size_t i = 0; i < words.n; i++)
        portolan_text_add(&list, "%s'%s'", i ? ", " : "[", words.word[i]);
    portolan_text_add(&list, "]");
    return list.bytes;
}

static void add_line(struct change *c, size_t build, const char *kind, const char *class_name,
                     const char *words)
{
    struct build_file *b = &c->builds[build];
    const char *variable = spell(c, build, kind), *line;
    char *owner = class_name ? CHANGE_PRINT(c, "%s_%s", class_name, kind) : NULL;
    size_t place;

    if (owner && build == PORTOLAN_BUILD_MAKE) {
        owner[strcspn(owner, ".")] = '_';
        variable = owner;
    }
    line = build == PORTOLAN_BUILD_MAKE ? CHANGE_PRINT(c, "%-10s += %s", variable, words)
           : class_name
               ? CHANGE_PRINT(c, "%s += {'%s': %s}", variable, class_name, list_of(c, words))
               : CHANGE_PRINT(c, "%s += '%s'", variable, words);
    if (!line || !variable)
        return; /* the arena remembers it */
    place = find_place(b->text, variable, spell(c, build, "COMPONENTS"));
    b->text = CHANGE_PRINT(c, "%.*s%s%s\n%s", (int)place, b->text,
                           place && b->text[place - 1] != '\n' ? "\n" : "", line, b->text + place);
    change_extend(c, b->name, b->text);
    change_say(c, "extended %s: %s%s", b->name, variable, strchr(line, '+') - 1);
}

void change_add_line(struct change *c, const char *kind, const char *class_name, const char *words)
{
    for (size_t i = 0; i < PORTOLAN_BUILDS; i++)
        if (c->builds[i].text)
            add_line(c, i, kind, class_name, words);
}

void change_say(struct change *c, const char *format, ...)
{
    va_list args;
    char *line;

    va_start(args, format);
    line = portolan_arena_vprintf(&c->arena, format, args);
    va_end(args);
    if (line)
        portolan_text_add(&c->project->said, "%s\n", line);
}

const char *change_fill(struct change *c, const char *text, const char *name)
{
    struct portolan_text filled = {.arena = &c->arena};

    for (; *text; text += *text == '@') {
        const size_t length = strcspn(text, "@");

        portolan_text_add_bytes(&filled, text, length);
        text += length;
        if (*text == '@')
            portolan_text_add(&filled, "%s", name);
    }
    return filled.bytes ? filled.bytes : "";
}
