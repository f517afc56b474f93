/* SPDX-License-Identifier: BSD-3-Clause */
/* The basis of the commands: instances, ports and connections, from the builder service; the
 * palette; the interpreter as a component among the others. */
#include "interpreter.h"

#include <dlfcn.h>
#include <string.h>

#define CONSOLE_INSTANCE "portolan.console"
#define CONSOLE_PORT     "use"

enum portolan_status names_take(struct command *c, struct sidl_string__array *texts,
                                struct portolan_words *names)
{
    int32_t n = texts ? sidl_string__array_length(texts, 0) : 0;

    *names = (struct portolan_words){0};
    for (int32_t i = 0; i < n && !c->arena->failed; i++) {
        const char *text = sidlArrayElem1(texts, sidl_string__array_lower(texts, 0) + i);

        portolan_words_add(c->arena, names, portolan_arena_strdup(c->arena, text ? text : ""));
    }
    sidl_string__array_deleteRef(texts);
    return c->arena->failed ? portolan_no_memory(c->err) : PORTOLAN_OK;
}

/* Copies a text from the run time into the arena. */
static const char *take_text(struct portolan_arena *arena, char *text)
{
    const char *copy = portolan_arena_strdup(arena, text ? text : "");

    sidl_String_free(text);
    return copy;
}

enum portolan_status arena_instances(struct command *c, struct portolan_words *names)
{
    sidl_BaseInterface ex = NULL;
    struct gov_cca_ComponentID__array *ids =
        gov_cca_ports_BuilderService_getComponentIDs(c->in->builder, &ex);
    int32_t n = !ex && ids ? gov_cca_ComponentID__array_length(ids, 0) : 0;

    *names = (struct portolan_words){0};
    for (int32_t i = 0; !c->arena->failed && !ex && i < n; i++) {
        gov_cca_ComponentID id =
            gov_cca_ComponentID__array_get1(ids, gov_cca_ComponentID__array_lower(ids, 0) + i);
        const char *name = take_text(c->arena, gov_cca_ComponentID_getInstanceName(id, &ex));

        gov_cca_ComponentID_deleteRef(id, NULL);
        if (name && strcmp(name, CONSOLE_INSTANCE) != 0)
            portolan_words_add(c->arena, names, name);
    }
    gov_cca_ComponentID__array_deleteRef(ids);
    if (c->arena->failed)
        return portolan_no_memory(c->err);
    return portolan_catch(&ex, c->err);
}

enum portolan_status arena_find(struct command *c, const char *word, const char **name)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID id =
        word ? gov_cca_ports_BuilderService_getComponentID(c->in->builder, word, &ex) : NULL;
    struct portolan_words names;
    enum portolan_status status;

    /* Whole names are usual, and there may be thousands. */
    *name = NULL;
    if (portolan_catch(&ex, NULL) == PORTOLAN_OK && id && strcmp(word, CONSOLE_INSTANCE) != 0)
        *name = portolan_arena_strdup(c->arena, word);
    if (id)
        gov_cca_ComponentID_deleteRef(id, NULL);
    if (*name)
        return PORTOLAN_OK;
    status = arena_instances(c, &names);
    return status == PORTOLAN_OK ? match_name(word, names.word, names.n, "instance", name, c->err)
                                 : status;
}

gov_cca_ComponentID arena_id(struct command *c, const char *name)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID id = gov_cca_ports_BuilderService_getComponentID(c->in->builder, name, &ex);

    return portolan_catch(&ex, c->err) == PORTOLAN_OK ? id : NULL;
}

enum portolan_status arena_class(struct command *c, const char *name, const char **class_name)
{
    sidl_BaseInterface ex = NULL;
    char *text = portolan_ports_Builder_getClassName(
        portolan_framework_peek_extension(c->in->framework), name, &ex);
    enum portolan_status status = portolan_catch(&ex, c->err);

    *class_name = take_text(c->arena, text);
    if (!*class_name)
        return portolan_no_memory(c->err);
    return status;
}

enum portolan_status arena_ports(struct command *c, const char *instance, bool provides,
                                 struct portolan_words *names)
{
    gov_cca_ComponentID id = arena_id(c, instance);
    struct sidl_string__array *texts;
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;

    *names = (struct portolan_words){0};
    if (!id)
        return PORTOLAN_ENOTFOUND;
    texts = provides ? gov_cca_ports_BuilderService_getProvidedPortNames(c->in->builder, id, &ex)
                     : gov_cca_ports_BuilderService_getUsedPortNames(c->in->builder, id, &ex);
    status = portolan_catch(&ex, c->err);
    gov_cca_ComponentID_deleteRef(id, NULL);
    return status == PORTOLAN_OK ? names_take(c, texts, names) : status;
}

enum portolan_status arena_port_type(struct command *c, const char *instance, const char *port,
                                     const char **type)
{
    gov_cca_ComponentID id = arena_id(c, instance);
    gov_cca_TypeMap map;
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;
    char *text = NULL;

    *type = "";
    if (!id)
        return PORTOLAN_ENOTFOUND;
    map = gov_cca_ports_BuilderService_getPortProperties(c->in->builder, id, port, &ex);
    if (!ex && map)
        text = gov_cca_TypeMap_getString(map, "cca.portType", "", &ex);
    status = portolan_catch(&ex, c->err);
    gov_cca_TypeMap_deleteRef(map, NULL);
    gov_cca_ComponentID_deleteRef(id, NULL);
    *type = take_text(c->arena, text);
    if (!*type)
        return portolan_no_memory(c->err);
    return status;
}

/* -- connections -- */

static struct link read_link(struct portolan_arena *arena, gov_cca_ConnectionID id,
                             sidl_BaseInterface *ex)
{
    gov_cca_ComponentID user = gov_cca_ConnectionID_getUser(id, ex);
    gov_cca_ComponentID provider = *ex ? NULL : gov_cca_ConnectionID_getProvider(id, ex);
    struct link l = {.id = id};

    if (!*ex)
        l.user = take_text(arena, gov_cca_ComponentID_getInstanceName(user, ex));
    if (!*ex)
        l.uses = take_text(arena, gov_cca_ConnectionID_getUserPortName(id, ex));
    if (!*ex)
        l.provider = take_text(arena, gov_cca_ComponentID_getInstanceName(provider, ex));
    if (!*ex)
        l.provides = take_text(arena, gov_cca_ConnectionID_getProviderPortName(id, ex));
    gov_cca_ComponentID_deleteRef(user, NULL);
    gov_cca_ComponentID_deleteRef(provider, NULL);
    return l;
}

enum portolan_status links_list(struct command *c, struct links *links)
{
    sidl_BaseInterface ex = NULL;
    int32_t n;

    *links = (struct links){
        .ids = gov_cca_ports_BuilderService_getConnectionIDs(c->in->builder, NULL, &ex)};
    n = !ex && links->ids ? gov_cca_ConnectionID__array_length(links->ids, 0) : 0;
    links->all = portolan_arena_alloc(c->arena, (size_t)n, sizeof *links->all);
    for (int32_t i = 0; !c->arena->failed && !ex && i < n; i++) {
        gov_cca_ConnectionID id = gov_cca_ConnectionID__array_get1(
            links->ids, gov_cca_ConnectionID__array_lower(links->ids, 0) + i);

        links->all[links->n++] = read_link(c->arena, id, &ex);
        gov_cca_ConnectionID_deleteRef(id, NULL);
    }
    return c->arena->failed ? portolan_no_memory(c->err) : portolan_catch(&ex, c->err);
}

/* -- Ccaffeine's repository (classes that were found) and pallet (classes that were got) on top of
 * the palette. A class of the repository may be instantiated without having been got. -- */

static void warn_of_description(void *arg, const char *file, int line, int column, const char *text)
{
    (void)column;
    interpreter_warn(arg, "%s:%d: %s", file, line, text);
}

/* A bad description makes its class unavailable, but does not end the session. */
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

/* Adds the default folders when classes are first needed: after those that `path` has named. */
static enum portolan_status add_default_classes(struct portolan_interpreter *in,
                                                struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    if (!in->has_defaults)
        status = classes_add(in, NULL, err);
    in->has_defaults = status == PORTOLAN_OK;
    return status;
}

enum portolan_status classes_note(struct command *c, const char *class_name)
{
    if (match_is_among(class_name, &c->in->got) ||
        portolan_words_add(&c->in->arena, &c->in->got, class_name)) /* the palette owns the text */
        return PORTOLAN_OK;
    return portolan_no_memory(c->err);
}

enum portolan_status classes_list(struct command *c, bool only_got, struct portolan_words *names)
{
    const struct portolan_class_description *class = NULL;
    enum portolan_status status = add_default_classes(c->in, c->err);

    *names = (struct portolan_words){0};
    while (status == PORTOLAN_OK && (class = portolan_palette_next(c->in->palette, class)))
        if ((!only_got || match_is_among(class->class_name, &c->in->got)) &&
            !portolan_words_add(c->arena, names, class->class_name))
            status = portolan_no_memory(c->err);
    return status;
}

enum portolan_status classes_find(struct command *c, const char *word, bool got_first,
                                  const struct portolan_class_description **class)
{
    struct portolan_words all, got;
    enum portolan_status status = classes_list(c, false, &all);
    const char *name;

    *class = NULL;
    if (status == PORTOLAN_OK && got_first)
        status = classes_list(c, true, &got);
    if (status == PORTOLAN_OK)
        status = match_class(word, got_first ? &got : NULL, &all, &name, c->err);
    if (status == PORTOLAN_OK)
        *class = portolan_palette_find(c->in->palette, name);
    return status;
}

enum portolan_status classes_get(struct command *c, const struct portolan_class_description *class,
                                 bool is_global, bool is_lazy)
{
    int flags = (is_lazy ? RTLD_LAZY : RTLD_NOW) | (is_global ? RTLD_GLOBAL : RTLD_LOCAL);

    /* Never closed, because the framework keeps loaded libraries, too. */
    if (class->library && !dlopen(class->library, flags)) {
        const char *why = dlerror();

        return portolan_error_set(c->err, PORTOLAN_ENOTFOUND, "class '%s' cannot be loaded: %s",
                                  class->class_name, why ? why : "no cause known");
    }
    return classes_note(c, class->class_name);
}

/* -- The interpreter as a component among the others: like any user, it gets a provides port by
 * connecting a uses port of its own, for the time of one command. -- */

static enum portolan_status start_console(struct command *c)
{
    sidl_BaseInterface ex = NULL;

    c->in->services = portolan_framework_get_services(c->in->framework, CONSOLE_INSTANCE,
                                                      "portolan.Console", NULL, &ex);
    return portolan_catch(&ex, c->err);
}

void console_end(struct portolan_interpreter *in)
{
    sidl_BaseInterface ex = NULL;

    if (!in->services)
        return;
    portolan_framework_release_services(in->framework, in->services, &ex);
    SIDL_CLEAR(ex);
    gov_cca_Services_deleteRef(in->services, NULL);
    in->services = NULL;
}

static enum portolan_status connect_console(struct command *c, const char *instance,
                                            const char *port, struct console_use *use)
{
    gov_cca_ComponentID self = arena_id(c, CONSOLE_INSTANCE);
    gov_cca_ComponentID other = self ? arena_id(c, instance) : NULL;
    sidl_BaseInterface ex = NULL;
    enum portolan_status status = other ? PORTOLAN_OK : PORTOLAN_ENOTFOUND;

    if (other) {
        use->connection = gov_cca_ports_BuilderService_connect(c->in->builder, self, CONSOLE_PORT,
                                                               other, port, &ex);
        status = portolan_catch(&ex, c->err);
    }
    if (status == PORTOLAN_OK) {
        use->port = gov_cca_Services_getPort(c->in->services, CONSOLE_PORT, &ex);
        status = portolan_catch(&ex, c->err);
    }
    gov_cca_ComponentID_deleteRef(self, NULL);
    gov_cca_ComponentID_deleteRef(other, NULL);
    return status;
}

enum portolan_status console_open(struct command *c, const char *instance, const char *port,
                                  struct console_use *use)
{
    sidl_BaseInterface ex = NULL;
    enum portolan_status status = PORTOLAN_OK;
    const char *type;

    *use = (struct console_use){0};
    if (!c->in->services)
        status = start_console(c);
    if (status == PORTOLAN_OK)
        status = arena_port_type(c, instance, port, &type);
    if (status == PORTOLAN_OK) {
        gov_cca_Services_registerUsesPort(c->in->services, CONSOLE_PORT, type, NULL, &ex);
        status = portolan_catch(&ex, c->err);
        if (status == PORTOLAN_OK &&
            (status = connect_console(c, instance, port, use)) != PORTOLAN_OK)
            console_close(c, use);
    }
    return status;
}

enum portolan_status console_close(struct command *c, struct console_use *use)
{
    sidl_BaseInterface ex = NULL;
    enum portolan_status status = PORTOLAN_OK;

    if (use->port) {
        gov_cca_Port_deleteRef(use->port, NULL);
        gov_cca_Services_releasePort(c->in->services, CONSOLE_PORT, &ex);
        status = portolan_catch(&ex, c->err);
    }
    if (use->connection) {
        gov_cca_ports_BuilderService_disconnect(c->in->builder, use->connection, 0, &ex);
        status = portolan_catch(&ex, c->err) == PORTOLAN_OK ? status : PORTOLAN_EINTERNAL;
        gov_cca_ConnectionID_deleteRef(use->connection, NULL);
    }
    gov_cca_Services_unregisterUsesPort(c->in->services, CONSOLE_PORT, &ex);
    if (portolan_catch(&ex, c->err) != PORTOLAN_OK)
        status = PORTOLAN_EINTERNAL;
    *use = (struct console_use){0};
    return status;
}
