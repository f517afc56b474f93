/* SPDX-License-Identifier: BSD-3-Clause */
/* property, port-property: values of components and their ports, as text. */
#include "interpreter.h"

#include <stdlib.h>
#include <string.h>

#include <utlist.h>

/* -------------------------------------------------------------------------------- properties */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The keys of a map, sorted, because the map returns them in no particular order. */
static enum portolan_status keys_of(struct command *c, gov_cca_TypeMap map,
                                    struct portolan_words *keys)
{
    sidl_BaseInterface ex = NULL;
    struct sidl_string__array *texts = gov_cca_TypeMap_getAllKeys(map, gov_cca_Type_NoType, &ex);
    enum portolan_status status = portolan_catch(&ex, c->err);

    if (status == PORTOLAN_OK)
        status = names_take(c, texts, keys);
    if (status == PORTOLAN_OK && keys->n)
        qsort(keys->word, keys->n, sizeof *keys->word, compare_texts);
    return status;
}

/* A value as text in the arena; *TYPE becomes the word for its type. NULL with an error. */
static const char *value_of(struct command *c, gov_cca_TypeMap map, const char *key,
                            enum gov_cca_Type__enum *type)
{
    char *text;
    const char *copy = NULL;

    if (portolan_typemap_get_text(map, key, type, &text, c->err) == PORTOLAN_OK &&
        !(copy = portolan_arena_strdup(c->arena, text)))
        portolan_no_memory(c->err);
    free(text);
    return copy;
}

/* The properties of a component or, where PORT is not NULL, of its port. */
struct properties {
    struct command *c;
    const char *instance, *port;
    gov_cca_ComponentID id;
    gov_cca_TypeMap map;
};

static void close_properties(struct properties *p)
{
    gov_cca_TypeMap_deleteRef(p->map, NULL);
    gov_cca_ComponentID_deleteRef(p->id, NULL);
}

static enum portolan_status open_properties(struct properties *p)
{
    gov_cca_ports_BuilderService builder = p->c->in->builder;
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;

    if (!(p->id = arena_id(p->c, p->instance)))
        return p->c->err->status;
    p->map = p->port ? gov_cca_ports_BuilderService_getPortProperties(builder, p->id, p->port, &ex)
                     : gov_cca_ports_BuilderService_getComponentProperties(builder, p->id, &ex);
    if ((status = portolan_catch(&ex, p->c->err)) == PORTOLAN_OK)
        return status;
    close_properties(p);
    return status;
}

/* Shows all values, or only the one under the key ONLY. */
static enum portolan_status show_values(const struct properties *p, const char *only)
{
    struct portolan_words keys = {1, &only};
    enum gov_cca_Type__enum type;
    enum portolan_status status = only ? PORTOLAN_OK : keys_of(p->c, p->map, &keys);

    for (size_t i = 0; status == PORTOLAN_OK && i < keys.n; i++) {
        const char *key = keys.word[i], *text = value_of(p->c, p->map, key, &type);

        if (!text)
            status = p->c->err->status;
        else if (p->port)
            interpreter_print(p->c->in, "%s %s %s %s %s %s\n",
                              only ? "PortProperty" : "PortPropertyList", p->instance, p->port, key,
                              portolan_typemap_type_word(type), text);
        else if (type == gov_cca_Type_NoType)
            interpreter_print(p->c->in, "!ComponentProperty %s %s does not exist.\n", p->instance,
                              key);
        else
            interpreter_print(p->c->in, "%s %s %s %s\n",
                              only ? "ComponentProperty" : "ComponentPropertyList", p->instance,
                              key, text);
    }
    if (status == PORTOLAN_OK && !only && (p->port || keys.n))
        interpreter_print(p->c->in, "End%sPropertyList\n", p->port ? "Port" : "Component");
    return status;
}

static enum portolan_status set_value(const struct properties *p, const char *key,
                                      enum gov_cca_Type__enum type, const char *text)
{
    gov_cca_ports_BuilderService builder = p->c->in->builder;
    sidl_BaseInterface ex = NULL;
    enum portolan_status status = portolan_typemap_put_text(p->map, key, type, text, p->c->err);

    if (status != PORTOLAN_OK)
        return status;
    if (p->port)
        gov_cca_ports_BuilderService_setPortProperties(builder, p->id, p->port, p->map, &ex);
    else
        gov_cca_ports_BuilderService_setComponentProperties(builder, p->id, p->map, &ex);
    return portolan_catch(&ex, p->c->err);
}

enum portolan_status show_properties(struct command *c, const char *instance)
{
    struct properties p = {.c = c, .instance = instance};
    enum portolan_status status = open_properties(&p);

    if (status != PORTOLAN_OK)
        return status;
    status = show_values(&p, NULL);
    close_properties(&p);
    return status;
}

/* Shows a value or, if TEXT is not NULL, sets it; the value keeps its type. */
static enum portolan_status do_property(struct command *c, const char *instance, const char *key,
                                        const char *text)
{
    struct properties p = {.c = c, .instance = instance};
    sidl_BaseInterface ex = NULL;
    enum gov_cca_Type__enum type;
    enum portolan_status status = open_properties(&p);

    if (status != PORTOLAN_OK)
        return status;
    type = gov_cca_TypeMap_typeOf(p.map, key, &ex);
    if ((status = portolan_catch(&ex, c->err)) == PORTOLAN_OK)
        status = text ? set_value(&p, key, type == gov_cca_Type_NoType ? gov_cca_Type_String : type,
                                  text)
                      : show_values(&p, key);
    close_properties(&p);
    return status;
}

/* Keeps a property for an instance that does not exist yet. */
static enum portolan_status note_property(struct command *c, const char *instance, const char *key,
                                          const char *text)
{
    struct portolan_arena *arena = &c->in->arena;
    struct pending *p = portolan_arena_alloc(arena, 1, sizeof *p);

    if (!p || !(p->instance = portolan_arena_strdup(arena, instance)) ||
        !(p->key = portolan_arena_strdup(arena, key)) ||
        !(p->text = portolan_arena_strdup(arena, text)))
        return portolan_no_memory(c->err);
    LL_APPEND(c->in->pending, p);
    return PORTOLAN_OK;
}

enum portolan_status verb_property(struct command *c)
{
    const char *word = verb_argument(c, 0), *key = verb_argument(c, 1), *instance;
    const char *text = verb_argument(c, 2) ? verb_rest(c->arena, c->words, 2) : NULL;
    struct portolan_error unknown = {0};
    struct command search = *c;
    enum portolan_status status;

    if (verb_argument(c, 2) && !text)
        return portolan_no_memory(c->err);
    if (text)
        search.err = &unknown;
    status = arena_find(&search, word, &instance);
    if (text && status == PORTOLAN_ENOTFOUND) {
        instance = word;
        status = note_property(c, word, key, text);
    } else if (text && status != PORTOLAN_OK) {
        return portolan_error_set(c->err, status, "%s", unknown.text);
    } else if (status == PORTOLAN_OK) {
        if (!key)
            return show_properties(c, instance);
        if (!text)
            return do_property(c, instance, key, NULL);
        status = do_property(c, instance, key, text);
    }
    if (status == PORTOLAN_OK)
        interpreter_say(c->in, "SetComponentProperty %s %s %s\n", instance, key, text);
    return status;
}

/* ---------------------------------------------------------------------------- port properties */

static enum portolan_status set_port_property(const struct properties *p)
{
    struct command *c = p->c;
    const char *key = verb_argument(c, 2), *word = verb_argument(c, 3);
    const char *text = verb_rest(c->arena, c->words, 4);
    enum gov_cca_Type__enum type = portolan_typemap_type_read(word), old;
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;

    if (!text)
        return portolan_no_memory(c->err);
    if (type == gov_cca_Type_NoType)
        return portolan_error_set(c->err, PORTOLAN_EINVAL,
                                  "'%s' is no type of a property; they are Int, Long, Float, "
                                  "Double, Fcomplex, Dcomplex, String, Bool, and with Array behind "
                                  "them",
                                  word);
    old = gov_cca_TypeMap_typeOf(p->map, key, &ex);
    if (!ex && old != gov_cca_Type_NoType && old != type)
        return portolan_error_set(
            c->err, PORTOLAN_EBADPROPERTIES, "property '%s' of port '%s' has type %s, not %s", key,
            p->port, portolan_typemap_type_word(old), portolan_typemap_type_word(type));
    if ((status = portolan_catch(&ex, c->err)) == PORTOLAN_OK)
        status = set_value(p, key, type, text);
    if (status == PORTOLAN_OK)
        interpreter_say(c->in, "SetPortProperty %s %s %s %s %s\n", p->instance, p->port, key,
                        portolan_typemap_type_word(type), text);
    return status;
}

enum portolan_status verb_port_property(struct command *c)
{
    struct properties p = {.c = c, .port = verb_argument(c, 1)};
    enum portolan_status status = arena_find(c, verb_argument(c, 0), &p.instance);

    if (status != PORTOLAN_OK)
        return status;
    if (verb_argument(c, 3) && !verb_argument(c, 4))
        return portolan_error_set(c->err, PORTOLAN_EINVAL,
                                  "port-property: to set one takes instance, port, key, type and "
                                  "value");
    if ((status = open_properties(&p)) != PORTOLAN_OK)
        return status;
    status = verb_argument(c, 4) ? set_port_property(&p) : show_values(&p, verb_argument(c, 2));
    close_properties(&p);
    return status;
}
