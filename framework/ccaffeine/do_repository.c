/* SPDX-License-Identifier: BSD-3-Clause */
/* path, repository, pallet. */
#include "interpreter.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* -------------------------------------------------------------------------------------- path */

static enum portolan_status add_folder(struct portolan_interpreter *in, const char *folder,
                                       bool in_front, struct portolan_error *err)
{
    struct portolan_words *path = &in->path;
    struct stat about;
    enum portolan_status status;

    if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode))
        interpreter_warn(in, "path: there is no folder '%s'", folder);
    else if ((status = classes_add(in, folder, err)) != PORTOLAN_OK)
        return status;
    if (!(folder = portolan_arena_strdup(&in->arena, folder)) ||
        !portolan_words_add(&in->arena, path, folder))
        return portolan_no_memory(err);
    if (in_front) {
        memmove(path->word + 1, path->word, (path->n - 1) * sizeof *path->word);
        path->word[0] = folder;
    }
    return PORTOLAN_OK;
}

static enum portolan_status set_path(struct command *c, const char *list)
{
    struct portolan_words folders = {0};
    enum portolan_status status = PORTOLAN_OK;

    if (!script_split_path(c->arena, list, &folders))
        return portolan_no_memory(c->err);
    c->in->path.n = 0;
    for (size_t i = 0; status == PORTOLAN_OK && i < folders.n; i++)
        status = add_folder(c->in, folders.word[i], false, c->err);
    return status;
}

static enum portolan_status init_path(struct command *c)
{
    const char *list = getenv("CCA_COMPONENT_PATH");

    if (!list || !*list)
        return portolan_error_set(c->err, PORTOLAN_ENOTFOUND,
                                  "path init: CCA_COMPONENT_PATH is not set; it holds folders with "
                                  "colons between");
    return set_path(c, list);
}

static enum portolan_status show_path(struct portolan_interpreter *in)
{
    interpreter_print(in, "pathBegin\n");
    for (size_t i = 0; i < in->path.n; i++)
        interpreter_print(in, "pathElement %s\n", in->path.word[i]);
    interpreter_print(in, in->path.n ? "pathEnd\n" : "pathEnd! empty path.\n");
    return PORTOLAN_OK;
}

enum portolan_status verb_unknown_word(struct command *c, const char *word)
{
    struct portolan_text text = {0};

    for (const char *const *s = c->form->subcommands; *s; s++)
        portolan_text_add(&text, "%s%s", text.length ? ", " : "", *s);
    portolan_error_set(c->err, PORTOLAN_EINVAL, "%s: '%s' is none of: %s", c->form->names[0], word,
                       text.bytes ? text.bytes : "");
    portolan_text_clear(&text);
    return PORTOLAN_EINVAL;
}

static enum portolan_status check_count(struct command *c, const char *word, bool has, bool wanted)
{
    if (has == wanted)
        return PORTOLAN_OK;
    return portolan_error_set(c->err, PORTOLAN_EINVAL, "%s %s: it takes %s", c->form->names[0],
                              word, wanted ? "one more argument" : "no further argument");
}

enum portolan_status verb_path(struct command *c)
{
    const char *word = verb_argument(c, 0), *folder = verb_argument(c, 1);
    bool is_init;
    enum portolan_status status;

    if (!word)
        return show_path(c->in);
    is_init = !strcmp(word, "init");
    if (!is_init && strcmp(word, "append") && strcmp(word, "prepend") && strcmp(word, "set"))
        return verb_unknown_word(c, word);
    if ((status = check_count(c, word, folder, !is_init)) != PORTOLAN_OK)
        return status;
    if (is_init)
        return init_path(c);
    if (!strcmp(word, "set"))
        return set_path(c, folder);
    return add_folder(c->in, folder, !strcmp(word, "prepend"), c->err);
}

/* -------------------------------------------------------------------------------- repository */

static enum portolan_status list_repository(struct command *c)
{
    struct portolan_words names;
    enum portolan_status status = classes_list(c, false, &names);
    size_t shown = 0;

    for (size_t i = 0; status == PORTOLAN_OK && i < names.n; i++) {
        const struct portolan_class_description *class =
            portolan_palette_find(c->in->palette, names.word[i]);

        if (match_is_among(class->class_name, &c->in->got))
            continue;
        interpreter_print(c->in, "RepositoryClass %s {%s}\n", class->class_name,
                          class->library ? class->library : "built in");
        shown++;
    }
    if (status == PORTOLAN_OK && !shown)
        interpreter_print(c->in, "Empty repository.\n");
    return status;
}

static enum portolan_status
get_class(struct command *c, const struct portolan_class_description *class, const char *how)
{
    bool is_global = strstr(how, "-global"), is_lazy = strstr(how, "-lazy");
    enum portolan_status status = classes_get(c, class, is_global, is_lazy);

    if (status == PORTOLAN_OK)
        interpreter_say(c->in, "Loaded %s%s%s.\n", class->class_name, is_lazy ? " LAZY " : " NOW ",
                        is_global ? " GLOBAL " : " PRIVATE ");
    return status;
}

static enum portolan_status get_all(struct command *c, const char *how)
{
    struct portolan_words names;
    enum portolan_status status = classes_list(c, false, &names);

    for (size_t i = 0; status == PORTOLAN_OK && i < names.n; i++)
        status = get_class(c, portolan_palette_find(c->in->palette, names.word[i]), how);
    return status;
}

static enum portolan_status get_ports(struct command *c, const char *library)
{
    if (!dlopen(library, RTLD_NOW | RTLD_GLOBAL)) {
        const char *why = dlerror();

        return portolan_error_set(c->err, PORTOLAN_ENOTFOUND, "'%s' cannot be loaded: %s", library,
                                  why ? why : "no cause known");
    }
    interpreter_say(c->in, "PortsLoaded %s\n", library);
    return PORTOLAN_OK;
}

enum portolan_status verb_repository(struct command *c)
{
    const char *word = verb_argument(c, 0), *name = verb_argument(c, 1);
    const struct portolan_class_description *class;
    const char *const *known = c->form->subcommands;
    enum portolan_status status;
    bool is_get = !strncmp(word, "get", 3);

    if (!strncmp("list", word, strlen(word)))
        word = "list";
    while (*known && strcmp(*known, word))
        known++;
    if (!*known)
        return verb_unknown_word(c, word);
    if ((status = check_count(c, word, name, is_get)) != PORTOLAN_OK)
        return status;
    if (!is_get)
        return strcmp(word, "list") ? get_all(c, word) : list_repository(c);
    if (!strcmp(word, "get-ports"))
        return get_ports(c, name);
    status = classes_find(c, name, false, &class);
    return status == PORTOLAN_OK ? get_class(c, class, word) : status;
}

enum portolan_status verb_pallet(struct command *c)
{
    struct portolan_words names;
    enum portolan_status status = classes_list(c, true, &names);

    if (status != PORTOLAN_OK)
        return status;
    interpreter_print(c->in, "Components available:\n");
    for (size_t i = 0; i < names.n; i++)
        interpreter_print(c->in, "%s\n", names.word[i]);
    return PORTOLAN_OK;
}
