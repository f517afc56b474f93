/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of the parameters of one map: groups, texts, defaults, bounds, choices. */
#include "parameters.h"

#include <stdlib.h>
#include <string.h>

#include <utlist.h>

static enum portolan_status no_memory(struct portolan_error *err)
{
    return portolan_no_memory(err);
}

enum portolan_status parameters_find(struct services *s, gov_cca_TypeMap data,
                                     struct parameters **found, struct portolan_error *err)
{
    LL_FOREACH(s->parameters, *found)
    if (data && sidl_reference_is_same((*found)->data, data, NULL))
        return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_EINVAL,
                              "this TypeMap is no parameter data of this component; call "
                              "initParameterData first");
}

struct parameter *parameters_get(const struct parameters *p, const char *key)
{
    struct parameter *x;

    LL_FOREACH(p->first, x)
    if (key && !strcmp(x->key, key))
        return x;
    return NULL;
}

struct parameter_group *parameters_group(const struct parameters *p, const char *name)
{
    struct parameter_group *g;

    LL_FOREACH(p->groups, g)
    if (name && !strcmp(g->name, name))
        return g;
    return NULL;
}

void parameter_free(struct parameter *x)
{
    if (!x)
        return;
    sidl_reference_delete(x->facts, NULL);
    free(x->key);
    free(x->help);
    free(x->prompt);
    free(x);
}

static void free_group(struct parameter_group *g)
{
    if (!g)
        return;
    free(g->name);
    free(g->title);
    free(g);
}

void parameters_clear(struct parameters *p)
{
    struct parameter *x, *x_next;
    struct parameter_group *g, *g_next;

    LL_FOREACH_SAFE(p->first, x, x_next)
    parameter_free(x);
    LL_FOREACH_SAFE(p->groups, g, g_next)
    free_group(g);
    p->first = NULL;
    p->groups = p->current = NULL;
    free(p->title);
    p->title = NULL;
}

static enum portolan_status put_name(struct parameters *p, const char *port_name,
                                     struct portolan_error *err)
{
    char *copy = portolan_strdup(port_name);
    enum portolan_status status =
        copy ? typemap_put_own(p->data, PARAMETER_RESERVED "portName", port_name, err)
             : no_memory(err);

    if (status != PORTOLAN_OK) {
        free(copy);
        return status;
    }
    free(p->port_name);
    p->port_name = copy;
    return PORTOLAN_OK;
}

enum portolan_status parameters_begin(struct services *s, gov_cca_TypeMap data,
                                      const char *port_name, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    struct parameters *p, *there = NULL;
    enum portolan_status status;

    if (!port_name || !*port_name)
        return portolan_error_set(err, PORTOLAN_EBADPORTNAME, "a parameter port needs a name");
    if (parameters_find(s, data, &there, NULL) == PORTOLAN_OK) {
        if ((status = put_name(there, port_name, err)) == PORTOLAN_OK)
            parameters_clear(there);
        return status;
    }
    p = exception_or_object(&parameters_class, &ex);
    if ((status = portolan_catch(&ex, err)) != PORTOLAN_OK)
        return status;
    p->services = s;
    sidl_reference_add(p->data = data, NULL);
    if ((status = put_name(p, port_name, err)) != PORTOLAN_OK) {
        sidl_object_release(p);
        return status;
    }
    LL_APPEND(s->parameters, p);
    return PORTOLAN_OK;
}

enum portolan_status parameters_set_group(struct parameters *p, const char *name, const char *title,
                                          struct portolan_error *err)
{
    struct parameter_group *g = parameters_group(p, name);
    char *text = portolan_strdup(title ? title : name);

    if (!name || !*name) {
        free(text);
        return portolan_error_set(err, PORTOLAN_EINVAL, "a group of parameters needs a name");
    }
    if (!g && (g = portolan_calloc(1, sizeof *g))) {
        g->name = portolan_strdup(name);
        if (g->name && text)
            LL_APPEND(p->groups, g);
    }
    if (!g || !g->name || !text) {
        if (g && !g->title)
            free_group(g);
        free(text);
        return no_memory(err);
    }
    if (title || !g->title) {
        free(g->title);
        g->title = text;
    } else {
        free(text);
    }
    p->current = g;
    return PORTOLAN_OK;
}

/* -- listeners and the end -- */

enum portolan_status parameters_listen(struct parameters *p, gov_cca_ports_ParameterGetListener get,
                                       gov_cca_ports_ParameterSetListener set,
                                       struct portolan_error *err)
{
    struct parameter_listener *l;

    if (!get && !set)
        return portolan_error_set(err, PORTOLAN_EINVAL, "the parameter listener is null");
    LL_FOREACH(p->listeners, l)
    if ((get && l->get && sidl_reference_is_same(l->get, get, NULL)) ||
        (set && l->set && sidl_reference_is_same(l->set, set, NULL)))
        return PORTOLAN_OK;
    if (!(l = portolan_calloc(1, sizeof *l)))
        return no_memory(err);
    sidl_reference_add(l->get = get, NULL);
    sidl_reference_add(l->set = set, NULL);
    LL_APPEND(p->listeners, l);
    return PORTOLAN_OK;
}

void parameters_retire(struct services *s)
{
    struct parameter_listener *l, *l_next;
    struct parameters *p, *next;

    LL_FOREACH_SAFE(s->parameters, p, next)
    {
        LL_FOREACH_SAFE(p->listeners, l, l_next)
        {
            sidl_reference_delete(l->get, NULL);
            sidl_reference_delete(l->set, NULL);
            free(l);
        }
        p->listeners = NULL;
        p->services = NULL;
        p->next = NULL;
        sidl_object_release(p);
    }
    s->parameters = NULL;
}
