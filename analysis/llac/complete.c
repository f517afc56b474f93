/* SPDX-License-Identifier: BSD-3-Clause */
/* What may stand at the end of a line. */
#include "internal.h"

#include <portolan/command.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct begun {
    struct portolan_llac *in;
    struct portolan_arena arena;
    const char *line, *begun;
    struct portolan_words found;
};

static void add_word(struct begun *c, const char *word)
{
    if (word && !strncmp(word, c->begun, strlen(c->begun)))
        portolan_words_add(&c->arena, &c->found, word);
}

static void add_objects(struct begun *c, bool tables, bool models, bool numbers)
{
    for (size_t i = 0; i < c->in->n_objects; i++) {
        const struct object *o = &c->in->objects[i];

        if (o->kind == OBJECT_TABLE ? tables : o->kind == OBJECT_MODEL ? models : numbers)
            add_word(c, o->name);
    }
}

static void add_commands(struct begun *c)
{
    for (const struct command_form *f = llac_commands; f->name; f++)
        add_word(c, f->name);
}

/* Columns and parameters of what the line names already. */
static void add_columns(struct begun *c)
{
    for (size_t i = 0; i < c->in->n_objects; i++) {
        const struct object *o = &c->in->objects[i];
        const struct table *t = o->kind == OBJECT_MODEL ? o->model->points : o->table;

        if (o->kind == OBJECT_NUMBER || !strstr(c->line, o->name))
            continue;
        for (size_t k = 0; t && k < t->n_columns; k++)
            add_word(c, t->columns[k].name);
        for (size_t k = 0; o->kind == OBJECT_MODEL && k < portolan_model_n_params(o->model->model);
             k++)
            add_word(c, portolan_model_peek_param(o->model->model, k));
    }
}

static void add_words(struct begun *c)
{
    for (const char *const *word = llac_reserved; *word; word++)
        add_word(c, *word);
}

/* Files beside what is begun; folders with a slash behind. */
static void add_files(struct begun *c)
{
    const char *slash = strrchr(c->begun, '/');
    size_t length = slash ? (size_t)(slash - c->begun) + 1 : 0;
    const char *folder = length ? portolan_arena_strndup(&c->arena, c->begun, length) : "";
    DIR *dir = folder ? opendir(*folder ? folder : ".") : NULL;
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        char *path = portolan_arena_printf(&c->arena, "%s%s", folder, entry->d_name);
        struct stat about;

        if (!path || (*entry->d_name == '.' && c->begun[length] != '.') || strchr(path, ' '))
            continue;
        if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
            path = portolan_arena_printf(&c->arena, "%s/", path);
        add_word(c, path);
    }
    if (dir)
        closedir(dir);
}

/* The first word behind `NAME =`. */
static const char *command_of(struct begun *c, const char *last)
{
    const char *equals = memchr(c->line, '=', (size_t)(last - c->line));
    const char *at = equals && equals[1] != '=' ? equals + 1 : c->line;

    at += strspn(at, " \t");
    return portolan_arena_strndup(&c->arena, at, strcspn(at, " \t"));
}

static void complete_argument(struct begun *c, const struct command_form *form, const char *before)
{
    enum completion kind = form ? form->completes : COMPLETE_OBJECTS;
    bool is_first = form && !strcmp(before, form->name);

    if (!strcmp(before, "to") || !strcmp(before, "load") || !strcmp(before, "source") ||
        kind == COMPLETE_FILES) {
        add_files(c);
        return;
    }
    if (kind == COMPLETE_COMMANDS)
        add_commands(c);
    if (kind == COMPLETE_NOTHING || kind == COMPLETE_COMMANDS)
        return;
    /* Right behind the command only what it works on; later also columns and words. */
    add_objects(c, kind != COMPLETE_MODELS || !is_first, kind != COMPLETE_TABLES || !is_first,
                kind == COMPLETE_OBJECTS || !is_first);
    if (is_first)
        return;
    add_columns(c);
    add_words(c);
}

/* The word before the begun one. */
static const char *word_before(struct begun *c, const char *last)
{
    const char *end = last, *start;

    while (end > c->line && strchr(" \t", end[-1]))
        end--;
    for (start = end; start > c->line && !strchr(" \t", start[-1]);)
        start--;
    return portolan_arena_strndup(&c->arena, start, (size_t)(end - start));
}

enum portolan_status portolan_llac_complete(struct portolan_llac *in, const char *line,
                                            char ***words, size_t *n, struct portolan_error *err)
{
    const char *last = line + strlen(line), *word, *before;
    struct begun c = {.in = in, .line = line};
    enum portolan_status status;

    *words = NULL;
    *n = 0;
    while (last > line && !strchr(" \t", last[-1]))
        last--;
    c.begun = last;
    c.line += strspn(line, " \t");
    word = command_of(&c, last > c.line ? last : c.line);
    before = word_before(&c, last);
    if (!word || !before) {
        status = PORTOLAN_ENOMEM;
    } else {
        if (last <= c.line || !strcmp(before, "=")) {
            add_commands(&c);
            add_objects(&c, true, true, true);
        } else {
            complete_argument(&c, llac_command(word), before);
        }
        status = c.arena.failed ? PORTOLAN_ENOMEM : portolan_words_take(&c.found, words, n, err);
    }
    if (status == PORTOLAN_ENOMEM)
        portolan_error_set(err, status, "out of memory");
    portolan_arena_clear(&c.arena);
    return status;
}
