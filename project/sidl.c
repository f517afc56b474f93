/* SPDX-License-Identifier: BSD-3-Clause */
/* The project's SIDL files: each package is in a file of its name. */
#include "project.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>

static bool is_word(const char *text, size_t length)
{
    char word[64];

    if (!length || length >= sizeof word || isdigit((unsigned char)*text))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]))
            return false;
    memcpy(word, text, length);
    word[length] = '\0';
    return !portolan_is_c_word(word);
}

enum portolan_status sidl_check_name(struct change *c, const char *type, const char *what)
{
    const char *dot = strchr(type, '.');

    if (dot && is_word(type, (size_t)(dot - type)) && is_word(dot + 1, strlen(dot + 1)))
        return PORTOLAN_OK;
    return portolan_error_set(c->err, PORTOLAN_EINVAL,
                              "'%s' cannot name %s: write PACKAGE.NAME, two words of letters and "
                              "digits that C does not reserve, as in my.Smoother",
                              type, what);
}

static const char *package_of(struct change *c, const char *type)
{
    return portolan_arena_strndup(&c->arena, type, strcspn(type, "."));
}

static const char *file_of(struct change *c, const char *package)
{
    return CHANGE_PRINT(c, "%s.sidl", package);
}

/* The package's file as it will be. */
static const char *text_of(struct change *c, const char *package)
{
    const char *file = file_of(c, package), *path = file ? change_path(c, file) : NULL, *text;

    for (size_t i = 0; path && i < c->n_files; i++)
        if (!strcmp(c->files[i].path, path))
            return c->files[i].bytes;
    text = file ? change_read(c, file) : NULL;
    if (!text && c->err->status == PORTOLAN_OK)
        text = CHANGE_PRINT(c,
                            "// Ports and components, in SIDL: portolan-sidl(5).\n"
                            "require gov.cca version 0.8.5;\n\npackage %s version 1.0 {\n}\n",
                            package);
    return text;
}

static enum portolan_status read_text(struct change *c, const char *name, const char *text,
                                      struct portolan_sidl_model **model)
{
    const struct portolan_sidl_options options = {.include_dirs = &c->project->folder,
                                                  .n_include_dirs = 1};

    return portolan_sidl_read_text(&options, name, text, strlen(text), c->project->d, model,
                                   c->err);
}

enum portolan_status sidl_declare(struct change *c, const char *type, const char *declaration,
                                  struct portolan_sidl_model **model)
{
    const char *package = package_of(c, type), *file = package ? file_of(c, package) : NULL;
    const char *old = file ? text_of(c, package) : NULL, *end = old ? strrchr(old, '}') : NULL;
    const char *text;
    enum portolan_status status;

    *model = NULL;
    if (!old)
        return portolan_error_set(c->err, PORTOLAN_ENOMEM, "out of memory");
    if (!end)
        return portolan_error_set(c->err, PORTOLAN_ESYNTAX,
                                  "%s: has no '}', in front of which %s "
                                  "could be declared",
                                  file, type);
    text = CHANGE_PRINT(c, "%.*s%s%s%s", (int)(end - old), old,
                        end - old >= 2 && end[-2] == '{' ? "" : "\n", declaration, end);
    if (!text)
        return portolan_no_memory(c->err);
    status = read_text(c, file, text, model);
    if (status == PORTOLAN_OK && !portolan_sidl_find(*model, type))
        status = portolan_error_set(c->err, PORTOLAN_ESYNTAX,
                                    "%s: the last '}' is not the end of package %s; put package %s "
                                    "at the end of the file",
                                    file, package, package);
    if (status != PORTOLAN_OK)
        return status;
    change_say(c, "%s %s: %s", change_read(c, file) ? "extended" : "made    ", file, type);
    change_extend(c, file, text);
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ types of ports */

/* All packages of the folder, and those that come with Portolan. */
static enum portolan_status read_all(struct change *c, struct portolan_sidl_model **model)
{
    struct portolan_text text = {.arena = &c->arena};
    DIR *folder = opendir(c->project->folder);
    struct dirent *entry;

    portolan_text_add(&text, "require gov.cca version 0.8.5;\nrequire portolan version 0.1;\n");
    while (folder && (entry = readdir(folder))) {
        const size_t length = strlen(entry->d_name);

        if (length > 5 && !strcmp(entry->d_name + length - 5, ".sidl") &&
            is_word(entry->d_name, length - 5))
            portolan_text_add(&text, "import %.*s;\n", (int)length - 5, entry->d_name);
    }
    if (folder)
        closedir(folder);
    return text.failed ? portolan_no_memory(c->err)
                       : read_text(c, "this project", text.bytes, model);
}

static bool is_port(const struct portolan_sidl_symbol *s)
{
    for (size_t i = 0; s && s->kind == PORTOLAN_SIDL_INTERFACE && i < s->n_extends; i++)
        if (!strcmp(s->extends[i]->symbol->full_name, "gov.cca.Port") ||
            is_port(s->extends[i]->symbol))
            return true;
    return false;
}

/* The known port type that is nearest to TYPE, among those in SIDL and those of headers. */
static const char *nearest_port(struct change *c, const struct portolan_sidl_model *model,
                                const char *type)
{
    const char *known[2] = {portolan_sidl_nearest(model, type)}, *near = NULL;
    struct header_port h;

    for (size_t i = 0; i < c->ports.n; i++) {
        const char *of_header =
            portolan_arena_strndup(&c->arena, c->ports.word[i], strcspn(c->ports.word[i], "="));

        if (of_header && header_known(c, of_header, &h)) {
            known[1] = of_header;
            near = portolan_nearest_word(type, &known[1], 1);
        }
    }
    return near ? near : known[0];
}

enum portolan_status sidl_find_port(struct change *c, const char *type, bool *is_in_c)
{
    struct portolan_sidl_model *model = NULL;
    struct header_port h;
    enum portolan_status status = PORTOLAN_OK;

    *is_in_c = header_known(c, type, &h);
    if (!*is_in_c)
        status = read_all(c, &model);
    if (!*is_in_c && status == PORTOLAN_OK && !is_port(portolan_sidl_find(model, type))) {
        if (portolan_sidl_find(model, type))
            portolan_error_set(c->err, PORTOLAN_ENOTFOUND,
                               "%s is no port type: a port is an "
                               "interface that extends gov.cca.Port",
                               type);
        status = portolan_error_set(c->err, PORTOLAN_ENOTFOUND,
                                    "there is no port type '%s'%s (portolan new port makes one)",
                                    type, portolan_did_you_mean(nearest_port(c, model, type)).text);
    }
    portolan_sidl_destroy(model);
    return status;
}

enum portolan_status sidl_require(struct change *c, const char *package, const char *type)
{
    const char *needed = package_of(c, type), *old, *line;
    const struct portolan_sidl_symbol *found;
    struct portolan_sidl_model *model = NULL;
    enum portolan_status status;

    if (!needed || !strcmp(needed, package) || !strcmp(needed, "gov"))
        return PORTOLAN_OK;
    status = read_all(c, &model);
    found = status == PORTOLAN_OK ? portolan_sidl_find(model, needed) : NULL;
    line = found ? CHANGE_PRINT(c, "require %s version %s;\n", needed, found->version) : NULL;
    portolan_sidl_destroy(model);
    old = text_of(c, package);
    if (status == PORTOLAN_OK && line && old &&
        !strstr(old, CHANGE_PRINT(c, "require %s", needed))) {
        const char *place = strstr(old, "require ");

        place = place ? place : old;
        change_extend(c, file_of(c, package),
                      CHANGE_PRINT(c, "%.*s%s%s", (int)(place - old), old, line, place));
    }
    return status;
}

/* ------------------------------------------------------------------ Impl files */

static enum portolan_status take_impl(struct change *c, const char *c_name, const char *ending)
{
    const char *name = CHANGE_PRINT(c, "%s_Impl.%s", c_name, ending), *text;
    size_t size;
    enum portolan_status status = portolan_file_read(
        &c->arena, CHANGE_PRINT(c, "%s/%s", c->scratch, name), &text, &size, c->err);

    return status == PORTOLAN_OK
               ? change_make(c, name, text, "remove it, or take another name for the class")
               : status;
}

enum portolan_status sidl_implement(struct change *c, const struct portolan_sidl_model *model,
                                    const char *class_name, const char *blocks)
{
    const struct portolan_sidl_symbol *class = portolan_sidl_find(model, class_name);
    const struct portolan_sidl_attribute *language =
        class ? portolan_sidl_attribute(class->attributes, class->n_attributes, "language") : NULL;
    enum portolan_sidl_language code = PORTOLAN_SIDL_C;
    const char *const *endings, *scratch = change_scratch(c);
    struct portolan_sidl_options options = {.server = true, .impl_dir = scratch};
    enum portolan_status status;

    if (!scratch || !class)
        return c->err->status ? c->err->status : PORTOLAN_ENOMEM;
    if (language)
        portolan_sidl_language_find(language->value, &code);
    endings = language_get(code)->endings;
    if (blocks)
        portolan_replace_file(CHANGE_PRINT(c, "%s/%s_Impl.%s", scratch, class->c_name, endings[0]),
                              blocks, strlen(blocks), c->err);
    options.output_dir = CHANGE_PRINT(c, "%s/build", scratch);
    status = portolan_sidl_emit(model, &options, c->project->d, c->err);
    for (size_t i = 0; i < 2 && endings[i] && status == PORTOLAN_OK; i++)
        status = take_impl(c, class->c_name, endings[i]);
    return status;
}
