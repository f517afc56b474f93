/* SPDX-License-Identifier: BSD-3-Clause */
/* Values, search path, classes and start of a script that is followed. */
#include "convert.h"

#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------- the values */

void follow_configure(const struct step *s)
{
    struct portolan_assembly_instance *i = step_instance(s, 0);
    struct portolan_assembly_alternative *x = i ? i->alternatives : NULL;

    if (!i)
        return;
    if (!step_argument(s, 3)) {
        step_only_shows(s);
        return;
    }
    if (!strcmp(step_argument(s, 2), "ALL"))
        STEP_FAULT(s, "'ALL' cannot be used to set a parameter value");
    else if (GROW(s->f, x->configures, x->n_configures))
        x->configures[x->n_configures++] =
            (struct portolan_assembly_configure){.port = step_argument(s, 1),
                                                 .field = step_argument(s, 2),
                                                 .text = verb_rest(s->f->arena, s->words, 3),
                                                 .line = s->line};
}

void follow_property(const struct step *s)
{
    struct follower *f = s->f;
    struct portolan_error err = {0};
    struct portolan_assembly_instance *i = step_find(s, step_argument(s, 0), &err);

    if (!i && err.status != PORTOLAN_ENOTFOUND)
        STEP_FAULT(s, "%s", err.text);
    else if (!step_argument(s, 2) && i)
        step_only_shows(s);
    else if (!step_argument(s, 2))
        STEP_FAULT(s, "%s", err.text);
    else if (i)
        STEP_LOSS(s,
                  "an assembly gives properties before setServices only; put this line before that "
                  "which makes '%s'",
                  i->name);
    else if (GROW(f, f->promises, f->n_promises))
        f->promises[f->n_promises++] = (struct promise){.instance = step_argument(s, 0),
                                                        .key = step_argument(s, 1),
                                                        .text = verb_rest(f->arena, s->words, 2),
                                                        .line = s->line};
}

/* ------------------------------------------------------------------------- path and repository */

static void add_path(struct follower *f, const char *folder, bool in_front)
{
    const char **paths = f->a.paths;

    if (!folder || !GROW(f, paths, f->a.n_paths))
        return;
    f->a.paths = paths;
    if (in_front)
        memmove(paths + 1, paths, f->a.n_paths * sizeof *paths);
    /* Resolve paths as the reader of assemblies does. */
    paths[in_front ? 0 : f->a.n_paths] =
        *folder == '/' ? folder : portolan_arena_printf(f->arena, "./%s", folder);
    f->a.n_paths++;
}

static void set_paths(struct follower *f, const char *list)
{
    struct portolan_words folders = {0};

    f->a.n_paths = 0;
    f->a.paths = NULL;
    script_split_path(f->arena, list, &folders);
    for (size_t i = 0; i < folders.n; i++)
        add_path(f, folders.word[i], false);
}

void follow_path(const struct step *s)
{
    const char *word = step_argument(s, 0), *folder = step_argument(s, 1);
    const char *list;

    if (!word) {
        step_only_shows(s);
    } else if (!strcmp(word, "init") && !folder) {
        list = getenv("CCA_COMPONENT_PATH");
        STEP_NOTE(s, "the folders are those that CCA_COMPONENT_PATH holds at present");
        set_paths(s->f, list ? list : "");
    } else if (!strcmp(word, "set") && folder) {
        set_paths(s->f, folder);
    } else if ((!strcmp(word, "append") || !strcmp(word, "prepend")) && folder) {
        add_path(s->f, folder, *word == 'p');
    } else {
        STEP_FAULT(s, "path: wants init, or append, prepend or set with a folder");
    }
}

void follow_repository(const struct step *s)
{
    struct follower *f = s->f;
    const char *word = step_argument(s, 0), *name = step_argument(s, 1), *class_name;

    if (!strncmp("list", word, strlen(word)) && !name) {
        step_only_shows(s);
    } else if (!strcmp(word, "get-ports") && name) {
        STEP_LOSS(s, "an assembly does not load shared objects that are no components");
    } else if (!strncmp(word, "init", 4) && !name) {
        STEP_NOTE(s, "an assembly loads what it uses");
    } else if (!strncmp(word, "get", 3) && name) {
        if (strcmp(word, "get") != 0)
            STEP_NOTE(
                s, "an assembly loads every class as `repository get` does, private and at once");
        class_name = step_class(s, name, true);
        portolan_words_add(f->arena, &f->got, class_name);
    } else {
        STEP_FAULT(s, "repository: wants list, init, or get with a class");
    }
}

/* ------------------------------------------------------------------------------------- the go */

/* The only go port of a class according to its description, or NULL. */
static const char *only_go_port(const struct follower *f, const char *class_name)
{
    const struct portolan_class_description *class =
        f->palette ? portolan_palette_find(f->palette, class_name) : NULL;
    const char *port = NULL;

    for (size_t i = 0; class && i < class->n_provides; i++)
        if (portolan_port_is(&class->provides[i], "gov.cca.ports.GoPort")) {
            if (port)
                return NULL;
            port = class->provides[i].name;
        }
    return port;
}

void follow_go(const struct step *s)
{
    struct portolan_assembly *a = &s->f->a;
    const char *port = step_argument(s, 1);
    struct portolan_assembly_instance *i = step_argument(s, 0) ? step_instance(s, 0) : NULL;

    if (step_argument(s, 0) && !i)
        return;
    for (size_t k = 0; !step_argument(s, 0) && k < a->n_instances; k++)
        if (only_go_port(s->f, a->instances[k].alternatives->class_name)) {
            if (i) {
                i = NULL;
                break;
            }
            i = &a->instances[k];
        }
    if (i && !port)
        port = only_go_port(s->f, i->alternatives->class_name);
    if (!i || !port) {
        STEP_FAULT(s, "name instance and port of this go: what is meant cannot be told "
                      "without running the script");
        return;
    }
    a->go = (struct portolan_assembly_connection){
        .user = "", .uses = "go", .provider = i->name, .provides = port, .line = s->line};
}
