/* SPDX-License-Identifier: BSD-3-Clause */
/* Instances and their ports, asked of the builder service. */
#include "interpreter.h"

#include <string.h>

enum portolan_status names_take(struct portolan_arena *arena, struct sidl_string__array *texts,
                                struct names *names, struct portolan_error *err)
{
    int32_t n = texts ? sidl_string__array_length(texts, 0) : 0;
    bool good;

    names->n = (size_t)n;
    names->names = portolan_arena_alloc(arena, (size_t)n, sizeof *names->names);
    good = names->names != NULL;
    for (int32_t i = 0; good && i < n; i++) {
        const char *text = sidlArrayElem1(texts, sidl_string__array_lower(texts, 0) + i);

        names->names[i] = portolan_arena_strdup(arena, text ? text : "");
        good = names->names[i] != NULL;
    }
    if (texts)
        sidl_string__array_deleteRef(texts);
    return good ? PORTOLAN_OK : portolan_no_memory(err);
}

/* A copy in the arena of a text that the run time gave us. */
static const char *take_text(struct portolan_arena *arena, char *text)
{
    const char *copy = portolan_arena_strdup(arena, text ? text : "");

    sidl_String_free(text);
    return copy;
}

enum portolan_status arena_instances(struct portolan_interpreter *in, struct portolan_arena *arena,
                                     struct names *names, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    struct gov_cca_ComponentID__array *ids =
        gov_cca_ports_BuilderService_getComponentIDs(in->builder, &ex);
    int32_t n = !ex && ids ? gov_cca_ComponentID__array_length(ids, 0) : 0;

    names->n = 0;
    names->names = portolan_arena_alloc(arena, (size_t)n, sizeof *names->names);
    for (int32_t i = 0; names->names && !ex && i < n; i++) {
        gov_cca_ComponentID id =
            gov_cca_ComponentID__array_get1(ids, gov_cca_ComponentID__array_lower(ids, 0) + i);
        const char *name = take_text(arena, gov_cca_ComponentID_getInstanceName(id, &ex));

        gov_cca_ComponentID_deleteRef(id, NULL);
        if (name && !console_is(name))
            names->names[names->n++] = name;
    }
    if (ids)
        gov_cca_ComponentID__array_deleteRef(ids);
    if (arena->failed)
        return portolan_no_memory(err);
    return portolan_catch(&ex, err);
}

enum portolan_status arena_find(struct portolan_interpreter *in, struct portolan_arena *arena,
                                const char *word, const char **name, struct portolan_error *err)
{
    struct names names;
    enum portolan_status status = arena_instances(in, arena, &names, err);

    *name = NULL;
    return status == PORTOLAN_OK ? match_name(word, names.names, names.n, "instance", name, err)
                                 : status;
}

gov_cca_ComponentID arena_id(struct portolan_interpreter *in, const char *name,
                             struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID id = gov_cca_ports_BuilderService_getComponentID(in->builder, name, &ex);

    return portolan_catch(&ex, err) == PORTOLAN_OK ? id : NULL;
}

enum portolan_status arena_class(struct portolan_interpreter *in, struct portolan_arena *arena,
                                 const char *name, const char **class_name,
                                 struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    char *text = portolan_ports_Builder_getClassName(
        portolan_framework_peek_extension(in->framework), name, &ex);
    enum portolan_status status = portolan_catch(&ex, err);

    *class_name = take_text(arena, text);
    if (!*class_name)
        return portolan_no_memory(err);
    return status;
}

enum portolan_status arena_ports(struct portolan_interpreter *in, struct portolan_arena *arena,
                                 const char *instance, bool provides, struct names *names,
                                 struct portolan_error *err)
{
    gov_cca_ComponentID id = arena_id(in, instance, err);
    struct sidl_string__array *texts;
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;

    *names = (struct names){0};
    if (!id)
        return PORTOLAN_ENOTFOUND;
    texts = provides ? gov_cca_ports_BuilderService_getProvidedPortNames(in->builder, id, &ex)
                     : gov_cca_ports_BuilderService_getUsedPortNames(in->builder, id, &ex);
    status = portolan_catch(&ex, err);
    gov_cca_ComponentID_deleteRef(id, NULL);
    return status == PORTOLAN_OK ? names_take(arena, texts, names, err) : status;
}

enum portolan_status arena_port_type(struct portolan_interpreter *in, struct portolan_arena *arena,
                                     const char *instance, const char *port, const char **type,
                                     struct portolan_error *err)
{
    gov_cca_ComponentID id = arena_id(in, instance, err);
    gov_cca_TypeMap map;
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;
    char *text = NULL;

    *type = "";
    if (!id)
        return PORTOLAN_ENOTFOUND;
    map = gov_cca_ports_BuilderService_getPortProperties(in->builder, id, port, &ex);
    if (!ex && map)
        text = gov_cca_TypeMap_getString(map, "cca.portType", "", &ex);
    status = portolan_catch(&ex, err);
    if (map)
        gov_cca_TypeMap_deleteRef(map, NULL);
    gov_cca_ComponentID_deleteRef(id, NULL);
    *type = take_text(arena, text);
    if (!*type)
        return portolan_no_memory(err);
    return status;
}
