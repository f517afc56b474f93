/* SPDX-License-Identifier: BSD-3-Clause */
/* help, display, arena, links: in the words of Ccaffeine's command line. */
#include "interpreter.h"

#include <string.h>

/* -------------------------------------------------------------------------------------- help */

static void show_help(const struct portolan_interpreter *in, const struct command_form *form)
{
    struct portolan_text text = {0};

    for (const char *const *name = form->names; *name; name++)
        portolan_text_add(&text, "%s -- \n", *name);
    if (form->arguments[0]) {
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
            if (!command_forms[i].is_gui)
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
    struct portolan_words names;
    enum portolan_status status = arena_instances(c, &names);
    const char *class_name;

    for (size_t i = 0; status == PORTOLAN_OK && i < names.n; i++) {
        status = arena_class(c, names.word[i], &class_name);
        if (status == PORTOLAN_OK)
            interpreter_print(c->in, "%s of type %s\n", names.word[i], class_name);
    }
    if (status == PORTOLAN_OK && !names.n)
        interpreter_print(c->in, "!no instantiated components available\n");
    return status;
}

static enum portolan_status show_ports(struct command *c, const char *instance, bool provides)
{
    struct portolan_words names;
    enum portolan_status status = arena_ports(c, instance, provides, &names);
    const char *type;

    if (status != PORTOLAN_OK)
        return status;
    interpreter_print(c->in, "------------------------------------\n%s registered for %s\n\n",
                      provides ? "ProvidesPorts" : "UsesPorts", instance);
    for (size_t i = 0; status == PORTOLAN_OK && i < names.n; i++) {
        status = arena_port_type(c, instance, names.word[i], &type);
        if (status == PORTOLAN_OK && provides)
            interpreter_print(c->in, "Instance Name: %s Class Name: %s\n", names.word[i], type);
        else if (status == PORTOLAN_OK)
            interpreter_print(c->in, "%zu. Instance Name: %s Class Name: %s\n", i, names.word[i],
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
    enum portolan_status status = arena_class(c, instance, &class_name);

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

/* Returns whether the connection's properties say that it is in use. */
static bool is_in_use(struct command *c, gov_cca_ConnectionID id)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap map =
        gov_cca_ports_BuilderService_getConnectionProperties(c->in->builder, id, &ex);
    bool result = !ex && map && gov_cca_TypeMap_getBool(map, "cca.isInUse", FALSE, &ex);

    gov_cca_TypeMap_deleteRef(map, NULL);
    SIDL_CLEAR(ex);
    return result;
}

static enum portolan_status show_links_of(struct command *c, const struct links *links,
                                          const char *instance)
{
    const char *class_name;
    enum portolan_status status = arena_class(c, instance, &class_name);

    if (status != PORTOLAN_OK)
        return status;
    interpreter_print(c->in, "Component %s of type %s\n", instance, class_name);
    for (size_t i = 0; i < links->n; i++) {
        const struct link *l = &links->all[i];

        if (!strcmp(l->user, instance))
            interpreter_print(
                c->in, " is using %s connected to Port: %s provided by component %s%s\n", l->uses,
                l->provides, l->provider, is_in_use(c, l->id) ? " ACTIVE" : "");
    }
    return PORTOLAN_OK;
}

/* Shows the links of all instances, or those of ONLY. */
static enum portolan_status show_links(struct command *c, const char *only)
{
    struct portolan_words names = {1, &only};
    struct links links;
    enum portolan_status status = links_list(c, &links);

    if (status == PORTOLAN_OK && !only)
        status = arena_instances(c, &names);
    for (size_t i = 0; status == PORTOLAN_OK && i < names.n; i++)
        status = show_links_of(c, &links, names.word[i]);
    if (status == PORTOLAN_OK && !names.n)
        interpreter_print(c->in, "No instantiated components available\n");
    gov_cca_ConnectionID__array_deleteRef(links.ids);
    return status;
}

enum portolan_status verb_links(struct command *c)
{
    return show_links(c, NULL);
}

/* ----------------------------------------------------------------------------------- display */

static enum portolan_status show_state(struct command *c)
{
    struct portolan_words names;
    enum portolan_status status = verb_arena(c);

    if (status == PORTOLAN_OK)
        status = arena_instances(c, &names);
    for (size_t i = 0; status == PORTOLAN_OK && i < names.n; i++)
        status = show_properties(c, names.word[i]);
    return status == PORTOLAN_OK ? show_links(c, NULL) : status;
}

enum portolan_status verb_display(struct command *c)
{
    const char *word = verb_argument(c, 0), *name = verb_argument(c, 1);
    const char *found = NULL, *instance = NULL;
    enum portolan_status status = PORTOLAN_OK;

    /* The beginning of a word is enough; the first match in Ccaffeine's order: `c` is chain. */
    for (const char *const *s = c->form->subcommands; *s && !found; s++)
        if (!strncmp(*s, word, strlen(word)))
            found = *s;
    if (!found)
        return verb_unknown_word(c, word);
    if (name)
        status = arena_find(c, name, &instance);
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
