/* SPDX-License-Identifier: BSD-3-Clause */
/* help, display, arena, links: in the words of Ccaffeine's command line. */
#include "interpreter.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* -------------------------------------------------------------------------------------- help */

static void show_help(const struct portolan_interpreter *in, const struct command_form *form)
{
    struct portolan_text text = {0};

    for (const char *const *name = form->names; *name; name++)
        portolan_text_add(&text, "%s -- \n", *name);
    if (form->n_arguments) {
        portolan_text_add(&text, "    arguments: ");
        verb_add_arguments(form, &text);
        portolan_text_add(&text, "\n");
    }
    portolan_text_add(&text, "    %s\n", form->help);
    interpreter_print(in, "%s", text.bytes ? text.bytes : "");
    portolan_text_clear(&text);
}

enum portolan_status verb_help(struct command *c)
{
    const struct command_form *form;
    enum portolan_status status;

    if (!verb_argument(c, 0)) {
        for (size_t i = 0; i < n_command_forms; i++)
            if (command_forms[i].id < COMMAND_LAYOUT)
                show_help(c->in, &command_forms[i]);
        return PORTOLAN_OK;
    }
    if ((status = verb_find(verb_argument(c, 0), &form, c->err)) == PORTOLAN_OK)
        show_help(c->in, form);
    return status;
}

/* --------------------------------------------------------------------------- arena, component */

enum portolan_status verb_arena(struct command *c)
{
    struct names names;
    enum portolan_status status = arena_instances(c->in, c->arena, &names, c->err);
    const char *class_name;

    for (size_t i = 0; status == PORTOLAN_OK && i < names.n; i++) {
        status = arena_class(c->in, c->arena, names.names[i], &class_name, c->err);
        if (status == PORTOLAN_OK)
            interpreter_print(c->in, "%s of type %s\n", names.names[i], class_name);
    }
    if (status == PORTOLAN_OK && !names.n)
        interpreter_print(c->in, "!no instantiated components available\n");
    return status;
}

static enum portolan_status show_ports(struct command *c, const char *instance, bool provides)
{
    struct names names;
    enum portolan_status status = arena_ports(c->in, c->arena, instance, provides, &names, c->err);
    const char *type;

    if (status != PORTOLAN_OK)
        return status;
    interpreter_print(c->in, "------------------------------------\n%s registered for %s\n\n",
                      provides ? "ProvidesPorts" : "UsesPorts", instance);
    for (size_t i = 0; status == PORTOLAN_OK && i < names.n; i++) {
        status = arena_port_type(c->in, c->arena, instance, names.names[i], &type, c->err);
        if (status == PORTOLAN_OK && provides)
            interpreter_print(c->in, "Instance Name: %s Class Name: %s\n", names.names[i], type);
        else if (status == PORTOLAN_OK)
            interpreter_print(c->in, "%zu. Instance Name: %s Class Name: %s\n", i, names.names[i],
                              type);
    }
    if (!names.n)
        interpreter_print(c->in, "!No %s in %s\n", provides ? "ProvidesPorts" : "UsesPorts",
                          instance);
    return status;
}

static enum portolan_status show_component(struct command *c, const char *instance)
{
    const char *class_name;
    enum portolan_status status = arena_class(c->in, c->arena, instance, &class_name, c->err);

    if (status != PORTOLAN_OK)
        return status;
    interpreter_print(c->in,
                      "------------------------------------\nInstance name: %s\nClass name: %s\n",
                      instance, class_name);
    status = show_ports(c, instance, false);
    if (status == PORTOLAN_OK)
        status = show_ports(c, instance, true);
    interpreter_print(c->in, "------------------------------------\n");
    return status;
}

/* ------------------------------------------------------------------------------------- links */

/* Whether the connection says of itself that it is in use. */
static bool is_in_use(struct command *c, gov_cca_ConnectionID id)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap map =
        gov_cca_ports_BuilderService_getConnectionProperties(c->in->builder, id, &ex);
    enum gov_cca_Type__enum type = gov_cca_Type_NoType;
    bool result = false;
    char *text = NULL;

    if (!ex && map &&
        portolan_typemap_get_text(map, "cca.isInUse", &type, &text, NULL) == PORTOLAN_OK)
        result = !strcasecmp(text, "true");
    free(text);
    if (map)
        gov_cca_TypeMap_deleteRef(map, NULL);
    SIDL_CLEAR(ex);
    return result;
}

static enum portolan_status show_connection(struct command *c, gov_cca_ConnectionID id)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID provider = gov_cca_ConnectionID_getProvider(id, &ex);
    char *name = ex ? NULL : gov_cca_ComponentID_getInstanceName(provider, &ex);
    char *uses = ex ? NULL : gov_cca_ConnectionID_getUserPortName(id, &ex);
    char *provides = ex ? NULL : gov_cca_ConnectionID_getProviderPortName(id, &ex);

    if (!ex)
        interpreter_print(c->in, " is using %s connected to Port: %s provided by component %s%s\n",
                          uses, provides, name, is_in_use(c, id) ? " ACTIVE" : "");
    sidl_String_free(name);
    sidl_String_free(uses);
    sidl_String_free(provides);
    if (provider)
        gov_cca_ComponentID_deleteRef(provider, NULL);
    return portolan_catch(&ex, c->err);
}

/* Whether INSTANCE is the connection's user. */
static bool is_user(gov_cca_ConnectionID id, const char *instance)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID user = gov_cca_ConnectionID_getUser(id, &ex);
    char *name = ex ? NULL : gov_cca_ComponentID_getInstanceName(user, &ex);
    bool result = !ex && name && !strcmp(name, instance);

    sidl_String_free(name);
    if (user)
        gov_cca_ComponentID_deleteRef(user, NULL);
    SIDL_CLEAR(ex);
    return result;
}

static enum portolan_status
show_links_of(struct command *c, struct gov_cca_ConnectionID__array *all, const char *instance)
{
    int32_t n = all ? gov_cca_ConnectionID__array_length(all, 0) : 0;
    const char *class_name;
    enum portolan_status status = arena_class(c->in, c->arena, instance, &class_name, c->err);

    if (status == PORTOLAN_OK)
        interpreter_print(c->in, "Component %s of type %s\n", instance, class_name);
    for (int32_t i = 0; status == PORTOLAN_OK && i < n; i++) {
        gov_cca_ConnectionID id =
            gov_cca_ConnectionID__array_get1(all, gov_cca_ConnectionID__array_lower(all, 0) + i);

        if (is_user(id, instance))
            status = show_connection(c, id);
        gov_cca_ConnectionID_deleteRef(id, NULL);
    }
    return status;
}

/* Of all instances, or of ONLY. */
static enum portolan_status show_links(struct command *c, const char *only)
{
    sidl_BaseInterface ex = NULL;
    struct gov_cca_ConnectionID__array *all =
        gov_cca_ports_BuilderService_getConnectionIDs(c->in->builder, NULL, &ex);
    enum portolan_status status = portolan_catch(&ex, c->err);
    struct names names = {&only, 1};

    if (status == PORTOLAN_OK && !only)
        status = arena_instances(c->in, c->arena, &names, c->err);
    for (size_t i = 0; status == PORTOLAN_OK && i < names.n; i++)
        status = show_links_of(c, all, names.names[i]);
    if (status == PORTOLAN_OK && !names.n)
        interpreter_print(c->in, "No instantiated components available\n");
    if (all)
        gov_cca_ConnectionID__array_deleteRef(all);
    return status;
}

enum portolan_status verb_links(struct command *c)
{
    return show_links(c, NULL);
}

/* ----------------------------------------------------------------------------------- display */

static enum portolan_status show_state(struct command *c)
{
    struct names names;
    enum portolan_status status = verb_arena(c);

    if (status == PORTOLAN_OK)
        status = arena_instances(c->in, c->arena, &names, c->err);
    for (size_t i = 0; status == PORTOLAN_OK && i < names.n; i++)
        status = show_properties(c, names.names[i]);
    return status == PORTOLAN_OK ? show_links(c, NULL) : status;
}

enum portolan_status verb_display(struct command *c)
{
    const char *word = verb_argument(c, 0), *name = verb_argument(c, 1);
    const char *found = NULL, *instance = NULL;
    enum portolan_status status = PORTOLAN_OK;

    /* A beginning will do: the first in Ccaffeine's order, so that `c` is chain. */
    for (const char *const *s = c->form->subcommands; *s && !found; s++)
        if (!strncmp(*s, word, strlen(word)))
            found = *s;
    if (!found)
        return portolan_error_set(c->err, PORTOLAN_EINVAL,
                                  "display: '%s' is none of: arena, chain, component, palette, "
                                  "pallet, state",
                                  word);
    if (name)
        status = arena_find(c->in, c->arena, name, &instance, c->err);
    if (status != PORTOLAN_OK)
        return status;
    if (!strcmp(found, "component") && !instance)
        return portolan_error_set(c->err, PORTOLAN_EINVAL, "display component: name the instance");
    if (!strcmp(found, "component"))
        return show_component(c, instance);
    if (!strcmp(found, "chain"))
        return show_links(c, instance);
    if (!strcmp(found, "state"))
        return show_state(c);
    return strcmp(found, "arena") ? verb_pallet(c) : verb_arena(c);
}
