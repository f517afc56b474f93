/* SPDX-License-Identifier: BSD-3-Clause */
/* Which classes a program needs, and the archives that contain them. */
#include "internal.h"

#include <string.h>
#include <unistd.h>

struct search {
    struct portolan_arena *arena;
    const struct portolan_assembly *a;
    const struct portolan_palette *palette;
    const struct portolan_link_options *o;
    struct needed *needed;
    struct portolan_diagnostics *d;
};

static const char *descriptor_symbol(struct portolan_arena *arena, const char *class_name)
{
    char *symbol = portolan_arena_printf(arena, "portolan_component_%s", class_name);

    for (char *dot = symbol; dot && (dot = strchr(dot, '.'));)
        *dot = '_';
    return symbol;
}

/* False when memory is out. */
static bool add_class(struct search *s, const struct portolan_class_description *class)
{
    struct needed *n = s->needed;
    const struct portolan_class_description **classes;
    const char **symbols;

    for (size_t i = 0; i < n->n_classes; i++)
        if (n->classes[i] == class)
            return true;
    classes = portolan_arena_grow(s->arena, n->classes, n->n_classes, sizeof *classes);
    symbols = portolan_arena_grow(s->arena, n->symbols, n->n_classes, sizeof *symbols);
    if (!classes || !symbols)
        return false;
    n->classes = classes;
    n->symbols = symbols;
    n->classes[n->n_classes] = class;
    n->symbols[n->n_classes++] = descriptor_symbol(s->arena, class->class_name);
    return true;
}

/* The proxy that the framework will take for a port type. */
static bool add_proxy(struct search *s, const char *type)
{
    const struct portolan_class_description *proxy =
        portolan_palette_next_proxy(s->palette, type, NULL);

    return !proxy || add_class(s, proxy);
}

static bool add_instances(struct search *s)
{
    for (size_t i = 0; i < s->a->n_instances; i++)
        for (size_t k = 0; k < s->a->instances[i].n_alternatives; k++) {
            const struct portolan_class_description *class =
                portolan_palette_find(s->palette, s->a->instances[i].alternatives[k].class_name);

            if (class && !add_class(s, class))
                return false;
        }
    return true;
}

/* Connections that are monitored, or lead to an instance with alternatives, get a proxy. */
static bool add_proxies(struct search *s)
{
    for (size_t i = 0; i < s->a->n_connections; i++) {
        const struct portolan_assembly_connection *c = &s->a->connections[i];
        const struct portolan_assembly_instance *user =
            portolan_assembly_peek_instance(s->a, c->user);
        const struct portolan_assembly_instance *provider =
            portolan_assembly_peek_instance(s->a, c->provider);

        if (!user || !provider || (!c->monitored && provider->n_alternatives < 2))
            continue;
        for (size_t k = 0; k < user->n_alternatives; k++) {
            const struct portolan_class_description *class =
                portolan_palette_find(s->palette, user->alternatives[k].class_name);
            const struct portolan_port_description *port =
                class ? portolan_class_uses(class, c->uses) : NULL;

            if (port && !add_proxy(s, port->type))
                return false;
        }
    }
    return !s->a->go.monitored || add_proxy(s, "gov.cca.ports.GoPort");
}

static enum portolan_status add_further(struct search *s, struct portolan_error *err)
{
    for (size_t i = 0; i < s->o->n_classes; i++) {
        const char *name = s->o->classes[i];
        const struct portolan_class_description *class = portolan_palette_find(s->palette, name);
        const char *near = class ? NULL : portolan_palette_nearest(s->palette, name);

        if (!class)
            return portolan_error_set(err, PORTOLAN_EINVAL, "there is no class '%s'%s", name,
                                      near
                                          ? portolan_did_you_mean(near).text
                                          : "; its folder of descriptions may be missing (--path)");
        if (!add_class(s, class))
            return portolan_no_memory(err);
    }
    return PORTOLAN_OK;
}

/* The archive of a class: from the options (CLASS=FILE), else from the description. */
static const char *archive_of(const struct search *s,
                              const struct portolan_class_description *class)
{
    size_t length = strlen(class->class_name);

    for (size_t i = s->o->n_archives; i-- > 0;)
        if (!strncmp(s->o->archives[i], class->class_name, length) &&
            s->o->archives[i][length] == '=')
            return s->o->archives[i] + length + 1;
    return class->archive;
}

/* An archive for a class that isn't linked in is a mistake. */
static enum portolan_status check_archives(const struct search *s, struct portolan_error *err)
{
    for (size_t i = 0; i < s->o->n_archives; i++) {
        size_t length = strcspn(s->o->archives[i], "="), k = 0;

        while (k < s->needed->n_classes &&
               (strlen(s->needed->classes[k]->class_name) != length ||
                strncmp(s->needed->classes[k]->class_name, s->o->archives[i], length)))
            k++;
        if (k == s->needed->n_classes)
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "archive '%s': the program needs no class '%.*s'",
                                      s->o->archives[i], (int)length, s->o->archives[i]);
    }
    return PORTOLAN_OK;
}

static struct unit *unit_of(struct search *s, const char *archive)
{
    struct needed *n = s->needed;
    struct unit *grown;

    for (size_t i = 0; i < n->n_units; i++)
        if (!strcmp(n->units[i].archive, archive))
            return &n->units[i];
    if (!(grown = portolan_arena_grow(s->arena, n->units, n->n_units, sizeof *grown)))
        return NULL;
    n->units = grown;
    n->units[n->n_units] = (struct unit){.archive = archive};
    return &n->units[n->n_units++];
}

static bool add_to_unit(struct search *s, size_t i)
{
    const struct portolan_class_description *class = s->needed->classes[i];
    const char *archive = archive_of(s, class);
    struct unit *unit;

    if (class->library && strstr(class->library, ".py")) {
        portolan_diagnose(
            s->d, class->file, class->line, 0,
            "class '%s' is in Python, which is not linked into programs; take it out of "
            "the assembly, or use `portolan run`",
            class->class_name);
        return true;
    }
    if (!archive || access(archive, R_OK) != 0) {
        portolan_diagnose(s->d, class->file, class->line, 0,
                          "class '%s': there is no archive %s; make it of the objects of %s (ar "
                          "rcs), or name it in the attribute 'archive' or with --archive %s=FILE",
                          class->class_name, archive ? archive : "",
                          class->library ? class->library : "the class", class->class_name);
        return true;
    }
    unit = unit_of(s, archive);
    return unit && portolan_words_add(s->arena, &unit->symbols, s->needed->symbols[i]);
}

enum portolan_status needed_find(struct portolan_arena *arena, const struct portolan_assembly *a,
                                 const struct portolan_palette *palette,
                                 const struct portolan_link_options *o, struct needed *needed,
                                 struct portolan_diagnostics *d, struct portolan_error *err)
{
    struct search s = {arena, a, palette, o, needed, d};
    int before = d->count;
    enum portolan_status status;

    *needed = (struct needed){0};
    if (!add_instances(&s) || !add_proxies(&s))
        return portolan_no_memory(err);
    if ((status = add_further(&s, err)) != PORTOLAN_OK ||
        (status = check_archives(&s, err)) != PORTOLAN_OK)
        return status;
    for (size_t i = 0; i < needed->n_classes; i++)
        if (!needed->symbols[i] || !add_to_unit(&s, i))
            return portolan_no_memory(err);
    return d->count == before
               ? PORTOLAN_OK
               : portolan_error_set(err, PORTOLAN_ESYNTAX, "%d class%s without an archive",
                                    d->count - before, d->count - before == 1 ? "" : "es");
}
