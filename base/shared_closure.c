/* SPDX-License-Identifier: BSD-3-Clause */
/* A shared object with all that it needs. */
#include <portolan/shared_object.h>

#include <string.h>

static bool holds(const struct shared_closure *closure, const char *file)
{
    for (size_t i = 0; i < closure->n; i++)
        if (strcmp(closure->objects[i].file, file) == 0)
            return true;
    return false;
}

static enum portolan_status add(struct shared_search *s, const char *file, const char *name,
                                struct shared_closure *closure, struct portolan_error *err)
{
    enum portolan_status status;

    closure->objects =
        portolan_arena_grow(&s->arena, closure->objects, closure->n, sizeof *closure->objects);
    if (!closure->objects)
        return portolan_no_memory(err);
    status = shared_object_read(&s->arena, file, &closure->objects[closure->n], err);
    closure->objects[closure->n++].name = name;
    return status;
}

enum portolan_status shared_closure_read(struct shared_search *s, const char *file,
                                         struct shared_closure *closure, struct portolan_error *err)
{
    enum portolan_status status = add(s, file, NULL, closure, err);

    for (size_t i = 0; status == PORTOLAN_OK && i < closure->n; i++) {
        const struct shared_object object = closure->objects[i];
        const char *slash = strrchr(object.file, '/');
        const char *origin =
            portolan_arena_strndup(&s->arena, object.file, slash ? slash - object.file : 0);

        for (size_t k = 0; status == PORTOLAN_OK && object.needed[k]; k++) {
            const char *name = object.needed[k];
            const char *found;

            if (closure->without_loaded && shared_object_is_loaded(name))
                continue;
            found = strchr(name, '/')
                        ? name
                        : shared_search_find(s, name, object.rpath, object.runpath, origin);
            /* What cannot be found the dynamic linker reports; it may also be loaded already. */
            if (found && !holds(closure, found))
                status = add(s, found, name, closure, err);
        }
    }
    return status;
}
