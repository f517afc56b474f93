/* SPDX-License-Identifier: BSD-3-Clause */
/* configure, property, port-property: values of components, as text. */
#include "interpreter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <utlist.h>

/* -------------------------------------------------------------------------------- properties */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The keys of a map, sorted: the map gives them in no order. */
static enum portolan_status keys_of(struct command *c, gov_cca_TypeMap map,
                                    struct portolan_words *keys)
{
    sidl_BaseInterface ex = NULL;
    struct sidl_string__array *texts = gov_cca_TypeMap_getAllKeys(map, gov_cca_Type_NoType, &ex);
    enum portolan_status status = portolan_catch(&ex, c->err);

    if (status == PORTOLAN_OK)
        status = names_take(c->arena, texts, keys, c->err);
    if (status == PORTOLAN_OK && keys->n)
        qsort(keys->word, keys->n, sizeof *keys->word, compare_texts);
    return status;
}

/* A value as text in the arena, its type's word in *TYPE; NULL with an error. */
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

/* A component's properties; the caller drops *MAP. */
static enum portolan_status open_properties(struct command *c, const char *instance,
                                            gov_cca_ComponentID *id, gov_cca_TypeMap *map)
{
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;

    *map = NULL;
    if (!(*id = arena_id(c->in, instance, c->err)))
        return c->err->status;
    *map = gov_cca_ports_BuilderService_getComponentProperties(c->in->builder, *id, &ex);
    if ((status = portolan_catch(&ex, c->err)) == PORTOLAN_OK)
        return status;
    gov_cca_ComponentID_deleteRef(*id, NULL);
    return status;
}

static void close_properties(gov_cca_ComponentID id, gov_cca_TypeMap map)
{
    gov_cca_TypeMap_deleteRef(map, NULL);
    gov_cca_ComponentID_deleteRef(id, NULL);
}

enum portolan_status show_properties(struct command *c, const char *instance)
{
    gov_cca_ComponentID id;
    gov_cca_TypeMap map;
    struct portolan_words keys = {0};
    enum gov_cca_Type__enum type;
    enum portolan_status status = open_properties(c, instance, &id, &map);

    if (status != PORTOLAN_OK)
        return status;
    status = keys_of(c, map, &keys);
    for (size_t i = 0; status == PORTOLAN_OK && i < keys.n; i++) {
        const char *text = value_of(c, map, keys.word[i], &type);

        if (!text)
            status = c->err->status;
        else
            interpreter_print(c->in, "ComponentPropertyList %s %s %s\n", instance, keys.word[i],
                              text);
    }
    if (status == PORTOLAN_OK && keys.n)
        interpreter_print(c->in, "EndComponentPropertyList\n");
    close_properties(id, map);
    return status;
}

static enum portolan_status show_property(struct command *c, const char *instance, const char *key)
{
    gov_cca_ComponentID id;
    gov_cca_TypeMap map;
    enum gov_cca_Type__enum type;
    enum portolan_status status = open_properties(c, instance, &id, &map);
    const char *text;

    if (status != PORTOLAN_OK)
        return status;
    if (!(text = value_of(c, map, key, &type)))
        status = c->err->status;
    else if (type == gov_cca_Type_NoType)
        interpreter_print(c->in, "!ComponentProperty %s %s does not exist.\n", instance, key);
    else
        interpreter_print(c->in, "ComponentProperty %s %s %s\n", instance, key, text);
    close_properties(id, map);
    return status;
}

static enum portolan_status set_property(struct command *c, const char *instance, const char *key,
                                         const char *text)
{
    gov_cca_ComponentID id;
    gov_cca_TypeMap map;
    sidl_BaseInterface ex = NULL;
    enum gov_cca_Type__enum type;
    enum portolan_status status = open_properties(c, instance, &id, &map);

    if (status != PORTOLAN_OK)
        return status;
    type = gov_cca_TypeMap_typeOf(map, key, &ex);
    if ((status = portolan_catch(&ex, c->err)) == PORTOLAN_OK)
        status = portolan_typemap_put_text(
            map, key, type == gov_cca_Type_NoType ? gov_cca_Type_String : type, text, c->err);
    if (status == PORTOLAN_OK) {
        gov_cca_ports_BuilderService_setComponentProperties(c->in->builder, id, map, &ex);
        status = portolan_catch(&ex, c->err);
    }
    close_properties(id, map);
    return status;
}

/* For an instance that is not there yet. */
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
    struct portolan_error *err = c->err, quiet = {0};
    enum portolan_status status;

    if (verb_argument(c, 2) && !text)
        return portolan_no_memory(err);
    status = arena_find(c->in, c->arena, word, &instance, text ? &quiet : err);
    if (text && status == PORTOLAN_ENOTFOUND) {
        instance = word;
        status = note_property(c, word, key, text);
    } else if (text && status != PORTOLAN_OK) {
        return portolan_error_set(err, status, "%s", quiet.text);
    } else if (status == PORTOLAN_OK) {
        if (!key)
            return show_properties(c, instance);
        if (!text)
            return show_property(c, instance, key);
        status = set_property(c, instance, key, text);
    }
    if (status == PORTOLAN_OK)
        interpreter_say(c->in, "SetComponentProperty %s %s %s\n", instance, key, text);
    return status;
}

/* ---------------------------------------------------------------------------- port properties */

static enum portolan_status show_port_properties(struct command *c, gov_cca_TypeMap map,
                                                 const char *instance, const char *only)
{
    const char *port = verb_argument(c, 1);
    struct portolan_words keys = {1, &only};
    enum gov_cca_Type__enum type;
    enum portolan_status status = only ? PORTOLAN_OK : keys_of(c, map, &keys);

    for (size_t i = 0; status == PORTOLAN_OK && i < keys.n; i++) {
        const char *text = value_of(c, map, keys.word[i], &type);

        if (!text)
            status = c->err->status;
        else
            interpreter_print(c->in, "%s %s %s %s %s %s\n",
                              only ? "PortProperty" : "PortPropertyList", instance, port,
                              keys.word[i], portolan_typemap_type_word(type), text);
    }
    if (status == PORTOLAN_OK && !only)
        interpreter_print(c->in, "EndPortPropertyList\n");
    return status;
}

static enum portolan_status set_port_property(struct command *c, gov_cca_ComponentID id,
                                              gov_cca_TypeMap map, const char *instance)
{
    const char *port = verb_argument(c, 1), *key = verb_argument(c, 2);
    const char *word = verb_argument(c, 3), *text = verb_rest(c->arena, c->words, 4);
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
    old = gov_cca_TypeMap_typeOf(map, key, &ex);
    if (!ex && old != gov_cca_Type_NoType && old != type)
        return portolan_error_set(
            c->err, PORTOLAN_EBADPROPERTIES, "property '%s' of port '%s' has type %s, not %s", key,
            port, portolan_typemap_type_word(old), portolan_typemap_type_word(type));
    status = portolan_catch(&ex, c->err);
    if (status == PORTOLAN_OK)
        status = portolan_typemap_put_text(map, key, type, text, c->err);
    if (status == PORTOLAN_OK) {
        gov_cca_ports_BuilderService_setPortProperties(c->in->builder, id, port, map, &ex);
        status = portolan_catch(&ex, c->err);
    }
    if (status == PORTOLAN_OK)
        interpreter_say(c->in, "SetPortProperty %s %s %s %s %s\n", instance, port, key,
                        portolan_typemap_type_word(type), text);
    return status;
}

enum portolan_status verb_port_property(struct command *c)
{
    const char *instance;
    gov_cca_ComponentID id;
    gov_cca_TypeMap map;
    sidl_BaseInterface ex = NULL;
    enum portolan_status status =
        arena_find(c->in, c->arena, verb_argument(c, 0), &instance, c->err);

    if (status != PORTOLAN_OK)
        return status;
    if (verb_argument(c, 3) && !verb_argument(c, 4))
        return portolan_error_set(c->err, PORTOLAN_EINVAL,
                                  "port-property: to set one takes instance, port, key, type and "
                                  "value");
    if (!(id = arena_id(c->in, instance, c->err)))
        return c->err->status;
    map = gov_cca_ports_BuilderService_getPortProperties(c->in->builder, id, verb_argument(c, 1),
                                                         &ex);
    status = portolan_catch(&ex, c->err);
    if (status == PORTOLAN_OK && verb_argument(c, 4))
        status = set_port_property(c, id, map, instance);
    else if (status == PORTOLAN_OK)
        status = show_port_properties(c, map, instance, verb_argument(c, 2));
    gov_cca_TypeMap_deleteRef(map, NULL);
    gov_cca_ComponentID_deleteRef(id, NULL);
    return status;
}
