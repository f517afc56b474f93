/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ccaffeine's repository (classes that were found) and pallet (classes that were got) on top of the
 * palette. A class of the repository may be instantiated without having been got.
 */
#include "interpreter.h"

#include <dlfcn.h>
#include <string.h>

static void warn_of_description(void *arg, const char *file, int line, int column, const char *text)
{
    (void)column;
    interpreter_warn(arg, "%s:%d: %s", file, line, text);
}

/* What is wrong with a description costs its class, and not the session. */
enum portolan_status classes_add(struct portolan_interpreter *in, const char *folder,
                                 struct portolan_error *err)
{
    struct portolan_diagnostics d = {.report = warn_of_description, .arg = in};
    struct portolan_error cause = {0};
    enum portolan_status status = folder
                                      ? portolan_palette_add_path(in->palette, folder, &d, &cause)
                                      : portolan_palette_add_defaults(in->palette, &d, &cause);

    if (status == PORTOLAN_OK || status == PORTOLAN_ESYNTAX)
        return PORTOLAN_OK;
    return portolan_error_set(err, status, "%s", cause.text);
}

/* The default folders come last: whatever `path` named before the first class is asked for. */
static enum portolan_status complete(struct portolan_interpreter *in, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    if (!in->has_defaults)
        status = classes_add(in, NULL, err);
    in->has_defaults = status == PORTOLAN_OK;
    return status;
}

enum portolan_status classes_list(struct portolan_interpreter *in, struct portolan_arena *arena,
                                  bool only_got, struct names *names, struct portolan_error *err)
{
    const struct portolan_class_description *c = NULL;
    enum portolan_status status = complete(in, err);

    *names = (struct names){0};
    while (status == PORTOLAN_OK && (c = portolan_palette_next(in->palette, c))) {
        if (only_got && !text_list_has(&in->got, c->class_name))
            continue;
        names->names = portolan_arena_grow(arena, names->names, names->n, sizeof *names->names);
        if (!names->names)
            return portolan_no_memory(err);
        names->names[names->n++] = c->class_name;
    }
    return status;
}

enum portolan_status classes_find(struct portolan_interpreter *in, struct portolan_arena *arena,
                                  const char *word, bool got_first,
                                  const struct portolan_class_description **class,
                                  struct portolan_error *err)
{
    struct names all, got;
    struct portolan_error cause = {0};
    enum portolan_status status = classes_list(in, arena, false, &all, err);
    const char *name = NULL;

    *class = status == PORTOLAN_OK ? portolan_palette_find(in->palette, word) : NULL;
    if (status != PORTOLAN_OK || *class)
        return status;
    status = PORTOLAN_ENOTFOUND;
    if (got_first && classes_list(in, arena, true, &got, err) == PORTOLAN_OK)
        status = match_name(word, got.names, got.n, "class", &name, &cause);
    if (status == PORTOLAN_ENOTFOUND) {
        cause = (struct portolan_error){0};
        status = match_name(word, all.names, all.n, "class", &name, &cause);
    }
    if (status != PORTOLAN_OK)
        return portolan_error_set(err, status, "%s", cause.text);
    *class = portolan_palette_find(in->palette, name);
    return PORTOLAN_OK;
}

enum portolan_status classes_get(struct portolan_interpreter *in,
                                 const struct portolan_class_description *class, bool is_global,
                                 bool is_lazy, struct portolan_error *err)
{
    int flags = (is_lazy ? RTLD_LAZY : RTLD_NOW) | (is_global ? RTLD_GLOBAL : RTLD_LOCAL);

    /* Never closed: the framework keeps what it loaded, too. */
    if (class->library && !dlopen(class->library, flags)) {
        const char *why = dlerror();

        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "class '%s' cannot be loaded: %s",
                                  class->class_name, why ? why : "no cause known");
    }
    if (text_list_has(&in->got, class->class_name))
        return PORTOLAN_OK;
    return text_list_add(&in->got, class->class_name, false, err);
}
