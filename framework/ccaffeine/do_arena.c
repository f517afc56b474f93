/* SPDX-License-Identifier: BSD-3-Clause */
/* instantiate, connect, disconnect, remove, nuke, go. */
#include "interpreter.h"

#include <string.h>

#include <utlist.h>

/* ------------------------------------------------------------------------------- instantiate */

static const char *choose_name(struct command *c, const char *class_name)
{
    struct portolan_words names;

    if (arena_instances(c, &names) != PORTOLAN_OK)
        return NULL;
    return match_free_name(c->arena, class_name, &names);
}

/* The properties that `property` set before the instance existed; NULL with an error. */
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
        status = portolan_typemap_put_text(
            map, p->key, d ? portolan_typemap_type_of(d->type, d->is_array) : gov_cca_Type_String,
            p->text, c->err);
        if (status != PORTOLAN_OK)
            portolan_error_prefix(c->err, "property '%s' of '%s'", p->key, instance);
    }
    if (status == PORTOLAN_OK)
        return map;
    gov_cca_TypeMap_deleteRef(map, NULL);
    return NULL;
}

static void forget_pending(struct portolan_interpreter *in, const char *instance)
{
    struct pending *p, *next;

    LL_FOREACH_SAFE(in->pending, p, next)
    if (!strcmp(p->instance, instance))
        LL_DELETE(in->pending, p);
}

enum portolan_status verb_instantiate(struct command *c)
{
    const struct portolan_class_description *class;
    const char *name = verb_argument(c, 1);
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap properties;
    gov_cca_ComponentID id;
    enum portolan_status status = classes_find(c, verb_argument(c, 0), true, &class);

    if (status != PORTOLAN_OK)
        return status;
    if (!name && !(name = choose_name(c, class->class_name)))
        return portolan_no_memory(c->err);
    if (!(properties = pending_properties(c, name, class)))
        return c->err->status;
    id = gov_cca_ports_BuilderService_createInstance(c->in->builder, name, class->class_name,
                                                     properties, &ex);
    gov_cca_TypeMap_deleteRef(properties, NULL);
    gov_cca_ComponentID_deleteRef(id, NULL);
    if ((status = portolan_catch(&ex, c->err)) != PORTOLAN_OK)
        return status;
    forget_pending(c->in, name);
    status = classes_note(c, class->class_name);
    interpreter_say(c->in, "%s of type %s \nsuccessfully instantiated\n", name, class->class_name);
    return status;
}

/* ------------------------------------------------------------------------------- connections */

/* The two ends that a command names. */
static enum portolan_status find_ends(struct command *c, struct link *e)
{
    enum portolan_status status;

    *e = (struct link){.uses = verb_argument(c, 1), .provides = verb_argument(c, 3)};
    status = arena_find(c, verb_argument(c, 0), &e->user);
    return status == PORTOLAN_OK ? arena_find(c, verb_argument(c, 2), &e->provider) : status;
}

enum portolan_status verb_connect(struct command *c)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID user, provider;
    struct link e;
    enum portolan_status status = find_ends(c, &e);

    if (status != PORTOLAN_OK)
        return status;
    user = arena_id(c, e.user);
    provider = user ? arena_id(c, e.provider) : NULL;
    if (provider)
        gov_cca_ConnectionID_deleteRef(gov_cca_ports_BuilderService_connect(
                                           c->in->builder, user, e.uses, provider, e.provides, &ex),
                                       NULL);
    status = provider ? portolan_catch(&ex, c->err) : c->err->status;
    gov_cca_ComponentID_deleteRef(user, NULL);
    gov_cca_ComponentID_deleteRef(provider, NULL);
    if (status == PORTOLAN_OK)
        interpreter_say(c->in, "%s))))%s---->%s((((%s\nconnection made successfully\n", e.user,
                        e.uses, e.provides, e.provider);
    return status;
}

static bool is_same_link(const struct link *a, const struct link *b)
{
    return !strcmp(a->user, b->user) && !strcmp(a->uses, b->uses) &&
           !strcmp(a->provider, b->provider) && !strcmp(a->provides, b->provides);
}

enum portolan_status verb_disconnect(struct command *c)
{
    sidl_BaseInterface ex = NULL;
    struct links links = {0};
    struct link e;
    enum portolan_status status = find_ends(c, &e);
    size_t i = 0;

    if (status == PORTOLAN_OK)
        status = links_list(c, &links);
    if (status == PORTOLAN_OK) {
        while (i < links.n && !is_same_link(&links.all[i], &e))
            i++;
        if (i < links.n)
            gov_cca_ports_BuilderService_disconnect(c->in->builder, links.all[i].id, 0, &ex);
        else
            portolan_error_set(c->err, PORTOLAN_ENOTFOUND,
                               "uses port '%s' of '%s' is not connected to '%s' of '%s'; "
                               "'links' shows what is",
                               e.uses, e.user, e.provides, e.provider);
        status = i < links.n ? portolan_catch(&ex, c->err) : PORTOLAN_ENOTFOUND;
    }
    gov_cca_ConnectionID__array_deleteRef(links.ids);
    if (status == PORTOLAN_OK)
        interpreter_say(c->in, "%s))))%s-\\ \\-%s((((%s\nconnection broken successfully\n", e.user,
                        e.uses, e.provides, e.provider);
    return status;
}

/* ------------------------------------------------------------------------------- remove, nuke */

static enum portolan_status destroy_instance(struct command *c, const char *name)
{
    gov_cca_ComponentID id = arena_id(c, name);
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
    enum portolan_status status = arena_find(c, verb_argument(c, 0), &name);

    if (status == PORTOLAN_OK)
        status = destroy_instance(c, name);
    if (status == PORTOLAN_OK)
        interpreter_say(c->in, "remove %s\n", name);
    return status;
}

enum portolan_status verb_nuke(struct command *c)
{
    const char *word = verb_argument(c, 0);
    enum portolan_status status;
    struct portolan_words names;

    if (strcmp(word, "all") != 0)
        return portolan_error_set(c->err, PORTOLAN_EINVAL,
                                  "nuke: its argument must be 'all', not '%s'; nothing was removed",
                                  word);
    status = arena_instances(c, &names);
    /* Most users were created after their providers, so remove in reverse order. */
    for (size_t i = names.n; status == PORTOLAN_OK && i > 0; i--)
        status = destroy_instance(c, names.word[i - 1]);
    if (status == PORTOLAN_OK)
        interpreter_say(c->in, "Nuked all components\n");
    return status;
}
