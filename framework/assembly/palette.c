/* SPDX-License-Identifier: BSD-3-Clause */
#include "palette.h"
#include "assembly.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "value.h"

enum portolan_status portolan_palette_create(struct portolan_palette **p,
                                             struct portolan_error *err)
{
    *p = portolan_calloc(1, sizeof **p);
    return *p ? PORTOLAN_OK : portolan_no_memory(err);
}

void portolan_palette_destroy(struct portolan_palette *p)
{
    if (!p)
        return;
    portolan_arena_clear(&p->arena);
    free(p);
}

static void append_class(struct portolan_palette *p, struct palette_class *c)
{
    if (p->last)
        p->last->next = c;
    else
        p->first = c;
    p->last = c;
}

/* The file's path as written when it is absolute, else relative to the description's folder. */
static const char *resolve_path(struct portolan_palette *p, const char *file, const char *dir)
{
    return file[0] == '/' ? file : portolan_arena_printf(&p->arena, "%s/%s", dir, file);
}

/* Unless the description names the archive, its name is the library's with .a instead of .so. */
static bool resolve_files(struct portolan_palette *p, struct palette_class *c, const char *dir)
{
    const char *library = c->public.library, *dot = strrchr(library, '.');
    bool is_so = dot && !strcmp(dot, ".so");

    if (!c->public.archive)
        c->public.archive = portolan_arena_printf(
            &p->arena, "%.*s.a", (int)(is_so ? (size_t)(dot - library) : strlen(library)), library);
    if (!c->public.archive)
        return false;
    c->public.library = resolve_path(p, library, dir);
    c->public.archive = resolve_path(p, c->public.archive, dir);
    return c->public.library && c->public.archive;
}

/* Other XML files may be in the directory. A misspelt description is still a description. */
static bool is_description(const struct xml_element *root)
{
    static const char *const known[] = {"component"};

    return portolan_nearest_word(root->name, known, 1) != NULL;
}

/* A broken assembly in the same folder must not make all descriptions useless. */
static enum portolan_status read_file(struct portolan_palette *p, const char *file,
                                      struct portolan_diagnostics *d, struct xml_element **root,
                                      struct portolan_error *err)
{
    struct portolan_diagnostics nobody = {0};
    struct portolan_text text = {.arena = &p->arena};
    enum portolan_status status = xml_read_bytes(file, &text, err);
    const char *bytes = text.bytes ? text.bytes : "";

    *root = NULL;
    if (status != PORTOLAN_OK)
        return status;
    status = xml_read_text(&p->arena, bytes, text.length, file, XML_PLAIN, &nobody, root, NULL);
    if (status == PORTOLAN_OK)
        return status;
    if (status != PORTOLAN_ESYNTAX || strstr(bytes, "<component"))
        return xml_read_text(&p->arena, bytes, text.length, file, XML_PLAIN, d, root, err);
    if (!strstr(bytes, "xmlns=")) /* else it is of another language: a model, for instance */
        portolan_log(PORTOLAN_LOG_WARNING, "palette", "%s is passed over: not well-formed XML",
                     file);
    return PORTOLAN_OK;
}

static enum portolan_status add_file(struct portolan_palette *p, const char *dir, const char *name,
                                     struct portolan_diagnostics *d, struct portolan_error *err)
{
    const char *file = portolan_arena_printf(&p->arena, "%s/%s", dir, name);
    const struct portolan_class_description *there;
    struct xml_element *root;
    struct palette_class *c;
    enum portolan_status status;

    if (!file)
        return portolan_no_memory(err);
    status = read_file(p, file, d, &root, err);
    if (status != PORTOLAN_OK || !root || !is_description(root))
        return status;
    if (!(c = palette_class_read(&p->arena, root, file, d)))
        return p->arena.failed ? portolan_no_memory(err) : PORTOLAN_ESYNTAX;
    if (!c->public.library) {
        xml_complain(d, root, NULL, "<component> lacks the attribute 'library'");
        return PORTOLAN_ESYNTAX;
    }
    there = portolan_palette_find(p, c->public.class_name);
    if (there) {
        portolan_log(PORTOLAN_LOG_DEBUG, "palette", "class '%s' of %s: that of %s is taken",
                     c->public.class_name, file, there->file);
        return PORTOLAN_OK;
    }
    if (!resolve_files(p, c, dir))
        return portolan_no_memory(err);
    append_class(p, c);
    return PORTOLAN_OK;
}

static int is_xml(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return entry->d_name[0] != '.' && length > 4 && !strcmp(entry->d_name + length - 4, ".xml");
}

/* Reads one directory; a bad description does not prevent reading the others. */
static enum portolan_status add_dir(struct portolan_palette *p, const char *dir,
                                    struct portolan_diagnostics *d, struct portolan_error *err)
{
    struct portolan_diagnostics nobody = {0};
    enum portolan_status status = PORTOLAN_OK;
    struct dirent **entries;
    int count = scandir(dir, &entries, is_xml, alphasort);

    if (count < 0 && errno == ENOENT)
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "component directory '%s' does not exist: build the components "
                                  "first (make), or correct its name",
                                  dir);
    if (count < 0)
        return portolan_error_set(err, errno == ENOMEM ? PORTOLAN_ENOMEM : PORTOLAN_EIO,
                                  "component directory '%s' cannot be read: %s", dir,
                                  strerror(errno));
    for (int i = 0; i < count; i++) {
        if (status == PORTOLAN_OK || status == PORTOLAN_ESYNTAX) {
            struct portolan_error later = {0};
            enum portolan_status s = add_file(p, dir, entries[i]->d_name, d ? d : &nobody, &later);

            if (s != PORTOLAN_OK) {
                status = s;
                portolan_error_set(err, s, "%s",
                                   later.status ? later.text : "bad component description");
            }
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

/* Calls add_dir for each part of PATH; LENIENT skips directories that do not exist. */
static enum portolan_status add_dirs(struct portolan_palette *p, const char *path, bool lenient,
                                     struct portolan_diagnostics *d, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK, s;

    for (const char *at = path; *at; at += *at == ':') {
        size_t length = strcspn(at, ":");
        char *dir;

        if (!length)
            continue;
        if (!(dir = portolan_arena_strndup(&p->arena, at, length)))
            return portolan_no_memory(err);
        at += length;
        if (lenient && access(dir, F_OK) != 0) {
            portolan_log(PORTOLAN_LOG_WARNING, "palette",
                         "component directory '%s' of PORTOLAN_PATH does not exist", dir);
            continue;
        }
        s = add_dir(p, dir, d, err);
        if (s == PORTOLAN_ENOMEM)
            return s;
        if (s != PORTOLAN_OK)
            status = s;
    }
    return status;
}

enum portolan_status portolan_palette_add_path(struct portolan_palette *p, const char *path,
                                               struct portolan_diagnostics *d,
                                               struct portolan_error *err)
{
    return add_dirs(p, path, false, d, err);
}

enum portolan_status portolan_palette_add_assembly(struct portolan_palette *p,
                                                   const struct portolan_assembly *a,
                                                   struct portolan_diagnostics *d,
                                                   struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < a->n_paths && status != PORTOLAN_ENOMEM; i++) {
        struct portolan_error e = {0};
        enum portolan_status s = add_dir(p, a->paths[i], d, &e);

        if (s == PORTOLAN_EIO)
            portolan_diagnose(d, a->file, a->path_lines[i], 0, "%s", e.text);
        if (s != PORTOLAN_OK) {
            status = s;
            portolan_error_set(err, s, "%s", e.text);
        }
    }
    return status;
}

/* Adds the folder `portolan` next to the shared object that contains this code. */
static enum portolan_status add_installed(struct portolan_palette *p,
                                          struct portolan_diagnostics *d,
                                          struct portolan_error *err)
{
    const char *slash;
    struct stat st;
    Dl_info info;
    char *dir;

    if (!dladdr((const void *)&palette_component_rule, &info) || !info.dli_fname ||
        !(slash = strrchr(info.dli_fname, '/')))
        return PORTOLAN_OK;
    dir = portolan_arena_printf(&p->arena, "%.*s/portolan", (int)(slash - info.dli_fname),
                                info.dli_fname);
    if (!dir)
        return portolan_no_memory(err);
    if (stat(dir, &st) != 0 || !S_ISDIR(st.st_mode))
        return PORTOLAN_OK;
    return add_dir(p, dir, d, err);
}

enum portolan_status portolan_palette_add_defaults(struct portolan_palette *p,
                                                   struct portolan_diagnostics *d,
                                                   struct portolan_error *err)
{
    const char *path = getenv("PORTOLAN_PATH");
    enum portolan_status status = path ? add_dirs(p, path, true, d, err) : PORTOLAN_OK;
    enum portolan_status installed;

    if (status == PORTOLAN_ENOMEM)
        return status;
    installed = add_installed(p, d, err);
    return installed == PORTOLAN_OK ? status : installed;
}

static void keep_first(void *arg, const char *file, int line, int column, const char *text)
{
    portolan_error_set(arg, PORTOLAN_ESYNTAX, "%s:%d:%d: error: %s", file, line, column, text);
}

enum portolan_status portolan_palette_add_builtin(struct portolan_palette *p,
                                                  const struct portolan_component *component,
                                                  const char *description,
                                                  struct portolan_error *err)
{
    struct portolan_error first = {0};
    struct portolan_diagnostics d = {keep_first, &first, 0};
    struct xml_element *root;
    enum portolan_status status;
    struct palette_class *c;

    status = xml_read_text(&p->arena, description, strlen(description), "(built in)", XML_PLAIN, &d,
                           &root, &first);
    if (status != PORTOLAN_OK)
        return portolan_error_set(err, status, "%s", first.text);
    if (!(c = palette_class_read(&p->arena, root, "(built in)", &d)))
        return p->arena.failed ? portolan_no_memory(err)
                               : portolan_error_set(err, PORTOLAN_ESYNTAX, "%s", first.text);
    c->public.library = c->public.archive = NULL;
    c->public.builtin = component;
    for (struct palette_class **at = &p->first; *at; at = &(*at)->next)
        if (!strcmp((*at)->public.class_name, c->public.class_name)) {
            c->next = (*at)->next;
            if (p->last == *at)
                p->last = c;
            *at = c;
            return PORTOLAN_OK;
        }
    append_class(p, c);
    return PORTOLAN_OK;
}

const struct portolan_class_description *
portolan_palette_next(const struct portolan_palette *p,
                      const struct portolan_class_description *previous)
{
    const struct palette_class *c =
        previous ? ((const struct palette_class *)previous)->next : p->first;

    return c ? &c->public : NULL;
}

const struct portolan_class_description *portolan_palette_find(const struct portolan_palette *p,
                                                               const char *class_name)
{
    const struct portolan_class_description *c = NULL;

    while ((c = portolan_palette_next(p, c)) && strcmp(c->class_name, class_name))
        ;
    return c;
}

const char *portolan_palette_nearest(const struct portolan_palette *p, const char *class_name)
{
    const struct portolan_class_description *c = NULL;
    const char *near = NULL;

    while ((c = portolan_palette_next(p, c)))
        near = nearer_word(class_name, near, c->class_name);
    return near;
}

const struct portolan_class_description *
portolan_palette_next_provider(const struct portolan_palette *p, const char *type,
                               const struct portolan_class_description *previous)
{
    while ((previous = portolan_palette_next(p, previous)))
        for (size_t i = 0; i < previous->n_provides && !previous->proxy_for; i++)
            if (portolan_port_is(&previous->provides[i], type))
                return previous;
    return NULL;
}

const struct portolan_class_description *
portolan_palette_next_proxy(const struct portolan_palette *p, const char *type,
                            const struct portolan_class_description *previous)
{
    while ((previous = portolan_palette_next(p, previous)))
        if (previous->proxy_for && !strcmp(previous->proxy_for, type))
            return previous;
    return NULL;
}

const struct portolan_parameter_description *
portolan_class_parameter(const struct portolan_class_description *c, const char *parameter)
{
    return named_find(c->parameters, c->n_parameters, sizeof *c->parameters, parameter);
}

bool portolan_port_is(const struct portolan_port_description *provides, const char *type)
{
    const char *at = provides->also, *word;
    size_t length;

    if (!strcmp(provides->type, type))
        return true;
    while (at && (word = value_next_word(&at, &length)))
        if (strlen(type) == length && !strncmp(word, type, length))
            return true;
    return false;
}

assembly_query_fn *assembly_find_query;

enum portolan_status portolan_assembly_join_applies(struct portolan_assembly *a,
                                                    const struct portolan_palette *palette,
                                                    struct portolan_error *err)
{
    struct assembly_impl *impl = a->impl;

    for (size_t i = 0; i < a->n_instances; i++)
        for (size_t k = 0; k < a->instances[i].n_alternatives; k++) {
            struct portolan_assembly_alternative *x = &a->instances[i].alternatives[k];
            const struct portolan_class_description *c =
                portolan_palette_find(palette, x->class_name);
            const char *own = c ? c->applies : NULL;

            x->applies = assembly_join_conditions(&impl->arena, x->applies_stated, own);
            x->library = c ? c->library : NULL;
            x->query = c && c->has_query && assembly_find_query ? assembly_find_query(c) : NULL;
            if (!x->applies && (x->applies_stated || own))
                return portolan_no_memory(err);
        }
    return PORTOLAN_OK;
}
