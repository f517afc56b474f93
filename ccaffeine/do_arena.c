/* SPDX-License-Identifier: BSD-3-Clause */
/* instantiate, connect, disconnect, remove, nuke, go. */
#include "interpreter.h"

#include <stdlib.h>
#include <string.h>

#include <utlist.h>

/* ------------------------------------------------------------------------------- instantiate */

/* The last word of the class's name with the first free number behind it, as Ccaffeine does. */
static const char *choose_name(struct command *c, const char *class_name)
{
    const char *dot = strrchr(class_name, '.');
    struct names names;

    if (arena_instances(c->in, c->arena, &names, c->err) != PORTOLAN_OK)
        return NULL;
    for (unsigned number = 0;; number++) {
        const char *name =
            portolan_arena_printf(c->arena, "%s%u", dot ? dot + 1 : class_name, number);
        size_t i = 0;

        while (name && i < names.n && strcmp(names.names[i], name))
            i++;
        if (!name || i == names.n)
            return name;
    }
}

static enum gov_cca_Type__enum type_of(const struct portolan_parameter_description *p)
{
    static const enum gov_cca_Type__enum types[] = {
        [PORTOLAN_VALUE_BOOL] = gov_cca_Type_Bool,
        [PORTOLAN_VALUE_INT] = gov_cca_Type_Int,
        [PORTOLAN_VALUE_LONG] = gov_cca_Type_Long,
        [PORTOLAN_VALUE_DOUBLE] = gov_cca_Type_Double,
        [PORTOLAN_VALUE_STRING] = gov_cca_Type_String,
    };

    return (enum gov_cca_Type__enum)(types[p->type] +
                                     (p->is_array ? gov_cca_Type_IntArray - gov_cca_Type_Int : 0));
}

/* What `property` said of the instance before it was there; NULL with an error. */
static gov_cca_TypeMap pending_properties(struct command *c, const char *instance,
                                          const struct portolan_class_description *class)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap map = portolan_typemap_create(&ex);
    enum portolan_status status = portolan_catch(&ex, c->err);
    struct pending *p;

    LL_FOREACH(c->in->pending, p)
    {
        const struct portolan_parameter_description *d = portolan_class_parameter(class, p->key);

        if (status != PORTOLAN_OK || strcmp(p->instance, instance))
            continue;
        gov_cca_TypeMap_remove(map, p->key, &ex);
        SIDL_CLEAR(ex);
        status = portolan_typemap_put_text(map, p->key, d ? type_of(d) : gov_cca_Type_String,
                                           p->text, c->err);
        if (status != PORTOLAN_OK)
            portolan_error_prefix(c->err, "property '%s' of '%s'", p->key, instance);
    }
    if (status == PORTOLAN_OK)
        return map;
    if (map)
        gov_cca_TypeMap_deleteRef(map, NULL);
    return NULL;
}

static void forget_pending(struct portolan_interpreter *in, const char *instance)
{
    struct pending *p, *next;

    LL_FOREACH_SAFE(in->pending, p, next)
    if (!strcmp(p->instance, instance)) {
        LL_DELETE(in->pending, p);
        free(p->instance);
        free(p->key);
        free(p->text);
        free(p);
    }
}

enum portolan_status verb_instantiate(struct command *c)
{
    const struct portolan_class_description *class;
    const char *name = verb_argument(c, 1);
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap properties;
    gov_cca_ComponentID id;
    enum portolan_status status =
        classes_find(c->in, c->arena, verb_argument(c, 0), true, &class, c->err);

    if (status != PORTOLAN_OK)
        return status;
    if (!name && !(name = choose_name(c, class->class_name)))
        return portolan_no_memory(c->err);
    if (!(properties = pending_properties(c, name, class)))
        return c->err->status;
    id = gov_cca_ports_BuilderService_createInstance(c->in->builder, name, class->class_name,
                                                     properties, &ex);
    gov_cca_TypeMap_deleteRef(properties, NULL);
    if (id)
        gov_cca_ComponentID_deleteRef(id, NULL);
    if ((status = portolan_catch(&ex, c->err)) != PORTOLAN_OK)
        return status;
    forget_pending(c->in, name);
    if (!text_list_has(&c->in->got, class->class_name))
        status = text_list_add(&c->in->got, class->class_name, false, c->err);
    interpreter_say(c->in, "%s of type %s \nsuccessfully instantiated\n", name, class->class_name);
    return status;
}

/* ------------------------------------------------------------------------------- connections */

/* The two ends that a command names. */
struct ends {
    const char *user, *uses, *provider, *provides;
    gov_cca_ComponentID user_id, provider_id;
};

static void close_ends(struct ends *e)
{
    if (e->user_id)
        gov_cca_ComponentID_deleteRef(e->user_id, NULL);
    if (e->provider_id)
        gov_cca_ComponentID_deleteRef(e->provider_id, NULL);
}

static enum portolan_status open_ends(struct command *c, struct ends *e)
{
    enum portolan_status status;

    *e = (struct ends){.uses = verb_argument(c, 1), .provides = verb_argument(c, 3)};
    status = arena_find(c->in, c->arena, verb_argument(c, 0), &e->user, c->err);
    if (status == PORTOLAN_OK)
        status = arena_find(c->in, c->arena, verb_argument(c, 2), &e->provider, c->err);
    if (status != PORTOLAN_OK)
        return status;
    e->user_id = arena_id(c->in, e->user, c->err);
    e->provider_id = e->user_id ? arena_id(c->in, e->provider, c->err) : NULL;
    if (e->provider_id)
        return PORTOLAN_OK;
    close_ends(e);
    return c->err->status;
}

enum portolan_status verb_connect(struct command *c)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ConnectionID connection;
    struct ends e;
    enum portolan_status status = open_ends(c, &e);

    if (status != PORTOLAN_OK)
        return status;
    connection = gov_cca_ports_BuilderService_connect(c->in->builder, e.user_id, e.uses,
                                                      e.provider_id, e.provides, &ex);
    if (connection)
        gov_cca_ConnectionID_deleteRef(connection, NULL);
    close_ends(&e);
    if ((status = portolan_catch(&ex, c->err)) == PORTOLAN_OK)
        interpreter_say(c->in, "%s))))%s---->%s((((%s\nconnection made successfully\n", e.user,
                        e.uses, e.provides, e.provider);
    return status;
}

/* Whether a connection is the one between those ends. */
static bool joins(gov_cca_ConnectionID connection, const struct ends *e, sidl_BaseInterface *ex)
{
    gov_cca_ComponentID user = gov_cca_ConnectionID_getUser(connection, ex);
    gov_cca_ComponentID provider = *ex ? NULL : gov_cca_ConnectionID_getProvider(connection, ex);
    char *texts[4] = {NULL};
    bool same;

    if (!*ex)
        texts[0] = gov_cca_ComponentID_getInstanceName(user, ex);
    if (!*ex)
        texts[1] = gov_cca_ConnectionID_getUserPortName(connection, ex);
    if (!*ex)
        texts[2] = gov_cca_ComponentID_getInstanceName(provider, ex);
    if (!*ex)
        texts[3] = gov_cca_ConnectionID_getProviderPortName(connection, ex);
    same = !*ex && !strcmp(texts[0], e->user) && !strcmp(texts[1], e->uses) &&
           !strcmp(texts[2], e->provider) && !strcmp(texts[3], e->provides);
    for (int i = 0; i < 4; i++)
        sidl_String_free(texts[i]);
    if (user)
        gov_cca_ComponentID_deleteRef(user, NULL);
    if (provider)
        gov_cca_ComponentID_deleteRef(provider, NULL);
    return same;
}

static gov_cca_ConnectionID find_connection(struct command *c, const struct ends *e,
                                            sidl_BaseInterface *ex)
{
    struct gov_cca_ConnectionID__array *all =
        gov_cca_ports_BuilderService_getConnectionIDs(c->in->builder, NULL, ex);
    int32_t n = !*ex && all ? gov_cca_ConnectionID__array_length(all, 0) : 0;
    gov_cca_ConnectionID found = NULL;

    for (int32_t i = 0; !found && !*ex && i < n; i++) {
        gov_cca_ConnectionID id =
            gov_cca_ConnectionID__array_get1(all, gov_cca_ConnectionID__array_lower(all, 0) + i);

        if (joins(id, e, ex))
            found = id;
        else
            gov_cca_ConnectionID_deleteRef(id, NULL);
    }
    if (all)
        gov_cca_ConnectionID__array_deleteRef(all);
    return found;
}

enum portolan_status verb_disconnect(struct command *c)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ConnectionID connection;
    struct ends e;
    enum portolan_status status = open_ends(c, &e);

    if (status != PORTOLAN_OK)
        return status;
    connection = find_connection(c, &e, &ex);
    if (connection) {
        gov_cca_ports_BuilderService_disconnect(c->in->builder, connection, 0, &ex);
        gov_cca_ConnectionID_deleteRef(connection, NULL);
        status = portolan_catch(&ex, c->err);
    } else if ((status = portolan_catch(&ex, c->err)) == PORTOLAN_OK) {
        status = portolan_error_set(c->err, PORTOLAN_ENOTFOUND,
                                    "uses port '%s' of '%s' is not connected to '%s' of '%s'; "
                                    "'links' shows what is",
                                    e.uses, e.user, e.provides, e.provider);
    }
    close_ends(&e);
    if (status == PORTOLAN_OK)
        interpreter_say(c->in, "%s))))%s-\\ \\-%s((((%s\nconnection broken successfully\n", e.user,
                        e.uses, e.provides, e.provider);
    return status;
}

/* ------------------------------------------------------------------------------- remove, nuke */

static enum portolan_status destroy(struct command *c, const char *name)
{
    gov_cca_ComponentID id = arena_id(c->in, name, c->err);
    sidl_BaseInterface ex = NULL;

    if (!id)
        return c->err->status;
    gov_cca_ports_BuilderService_destroyInstance(c->in->builder, id, 0, &ex);
    gov_cca_ComponentID_deleteRef(id, NULL);
    return portolan_catch(&ex, c->err);
}

enum portolan_status verb_remove(struct command *c)
{
    const char *name;
    enum portolan_status status = arena_find(c->in, c->arena, verb_argument(c, 0), &name, c->err);

    if (status == PORTOLAN_OK)
        status = destroy(c, name);
    if (status == PORTOLAN_OK)
        interpreter_say(c->in, "remove %s\n", name);
    return status;
}

enum portolan_status verb_nuke(struct command *c)
{
    const char *word = verb_argument(c, 0);
    enum portolan_status status;
    struct names names;

    if (strcmp(word, "all") != 0)
        return portolan_error_set(c->err, PORTOLAN_EINVAL,
                                  "nuke: its argument must be 'all', not '%s'; nothing was removed",
                                  word);
    status = arena_instances(c->in, c->arena, &names, c->err);
    /* Users were mostly made after their providers. */
    for (size_t i = names.n; status == PORTOLAN_OK && i > 0; i--)
        status = destroy(c, names.names[i - 1]);
    if (status == PORTOLAN_OK)
        interpreter_say(c->in, "Nuked all components\n");
    return status;
}
