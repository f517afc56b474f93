/* SPDX-License-Identifier: BSD-3-Clause */
/* A change of a project: its files are collected in memory, and written at the end, all or none. */
#include "project.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
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

/* The words of all lines "VARIABLE += words" or "VARIABLE = words" of the Makefile. */
static void read_variable(struct change *c, const char *variable, struct portolan_words *words)
{
    const size_t length = strlen(variable);

    for (const char *line = c->makefile; line; line = strchr(line, '\n')) {
        const char *value = line += *line == '\n';

        if (!strncmp(line, variable, length) &&
            strcspn(line + length, "+:?=") == strspn(line + length, " \t")) {
            value += strcspn(line, "=\n");
            value += *value == '=';
            portolan_words_split(&c->arena, words,
                                 portolan_arena_strndup(&c->arena, value, strcspn(value, "#\n")));
        }
        if (!*line)
            break;
    }
}

enum portolan_status change_begin(struct change *c, struct portolan_project *p,
                                  struct portolan_error *err)
{
    *c = (struct change){.project = p, .err = err};
    c->makefile = change_read(c, "Makefile");
    if (err->status != PORTOLAN_OK)
        return err->status;
    if (!c->makefile)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "this folder is no project, it has no Makefile; make a project "
                                  "with: portolan new NAME && cd NAME");
    if (!strstr(c->makefile, "portolan"))
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "this folder is no project, its Makefile does not include "
                                  "portolan.mk; add to it: include $(shell pkg-config "
                                  "--variable=makefile portolan)");
    read_variable(c, "PORTS", &c->ports);
    read_variable(c, "COMPONENTS", &c->components);
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
static size_t find_place(const char *makefile, const char *variable)
{
    const char *place = NULL, *line = makefile;

    for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (!strncmp(line, variable, strlen(variable)) ||
            (strcmp(variable, "PORTS") != 0 && !strncmp(line, "COMPONENTS", 10))) {
            place = line + strcspn(line, "\n");
            place += *place == '\n';
        } else if (!place && !strncmp(line, "include", 7)) {
            place = line;
        }
    }
    return (size_t)((place ? place : line) - makefile);
}

void change_add_line(struct change *c, const char *variable, const char *value)
{
    const size_t place = find_place(c->makefile, variable);
    const char *text = CHANGE_PRINT(c, "%.*s%s%-10s += %s\n%s", (int)place, c->makefile,
                                    place && c->makefile[place - 1] != '\n' ? "\n" : "", variable,
                                    value, c->makefile + place);

    if (!text)
        return;
    c->makefile = text;
    change_extend(c, "Makefile", text);
    change_say(c, "extended Makefile: %s += %s", variable, value);
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
