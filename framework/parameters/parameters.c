/* SPDX-License-Identifier: BSD-3-Clause */
/* The facts about a map's parameters (group, texts, default, bounds, choices), after a check. */
#include "parameters.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum portolan_status parameters_find(struct parameters *list, gov_cca_TypeMap data,
                                     struct parameters **found, struct portolan_error *err)
{
    LL_FOREACH(list, *found)
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

static void parameter_free(struct parameter *x)
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
             : portolan_no_memory(err);

    if (status != PORTOLAN_OK) {
        free(copy);
        return status;
    }
    free(p->port_name);
    p->port_name = copy;
    return PORTOLAN_OK;
}

enum portolan_status parameters_begin(struct parameters **list, struct services *s,
                                      gov_cca_TypeMap data, const char *port_name,
                                      struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    struct parameters *p, *there = NULL;
    enum portolan_status status;

    if (!port_name || !*port_name)
        return portolan_error_set(err, PORTOLAN_EBADPORTNAME, "a parameter port needs a name");
    if (parameters_find(*list, data, &there, NULL) == PORTOLAN_OK) {
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
    LL_APPEND(*list, p);
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
        return portolan_no_memory(err);
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
        return portolan_no_memory(err);
    sidl_reference_add(l->get = get, NULL);
    sidl_reference_add(l->set = set, NULL);
    LL_APPEND(p->listeners, l);
    return PORTOLAN_OK;
}

void parameters_retire(struct parameters **list)
{
    struct parameter_listener *l, *l_next;
    struct parameters *p, *next;

    LL_FOREACH_SAFE(*list, p, next)
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
    *list = NULL;
}

/* -- Requested parameters: their facts are checked before they are kept. -- */

/* -- checking values against bounds and choices -- */

static bool is_among(enum gov_cca_Type__enum element, const union typemap_value *e,
                     const struct typemap_values *choices)
{
    for (size_t i = 0; i < choices->count && element == typemap_element(choices->type); i++)
        if (typemap_is_equal(element, e, &choices->all[i]))
            return true;
    return false;
}

static enum portolan_status check_values(const struct typemap_values *v,
                                         const struct typemap_values *low,
                                         const struct typemap_values *high,
                                         const struct typemap_values *choices, const char *key,
                                         struct portolan_error *err)
{
    enum gov_cca_Type__enum element = typemap_element(v->type);

    for (size_t i = 0; i < v->count; i++) {
        if (choices->count && !is_among(element, &v->all[i], choices))
            return portolan_error_set(err, PORTOLAN_EBADPROPERTIES,
                                      "parameter '%s': the value is none of the choices", key);
        if (low->count && high->count &&
            (low->type != element || !typemap_is_within(element, &v->all[i], low->all, high->all)))
            return portolan_error_set(err, PORTOLAN_EBADPROPERTIES,
                                      "parameter '%s': the value is out of its bounds", key);
    }
    return PORTOLAN_OK;
}

enum portolan_status parameter_check(gov_cca_TypeMap map, const char *map_key,
                                     gov_cca_TypeMap facts, const char *key,
                                     struct portolan_error *err)
{
    struct typemap_values v = {0}, low = {0}, high = {0}, choices = {0};
    enum portolan_status status = typemap_get(map, map_key, &v, err);

    if (status == PORTOLAN_OK)
        status = typemap_get(facts, "low", &low, err);
    if (status == PORTOLAN_OK)
        status = typemap_get(facts, "high", &high, err);
    if (status == PORTOLAN_OK)
        status = typemap_get(facts, "choices", &choices, err);
    if (status == PORTOLAN_OK)
        status = check_values(&v, &low, &high, &choices, key, err);
    typemap_clear(&v);
    typemap_clear(&low);
    typemap_clear(&high);
    typemap_clear(&choices);
    return status;
}

enum portolan_status parameter_compare(gov_cca_TypeMap a, gov_cca_TypeMap b, const char *key,
                                       bool *same, struct portolan_error *err)
{
    struct typemap_values x = {0}, y = {0};
    enum portolan_status status = typemap_get(a, key, &x, err);

    *same = false;
    if (status == PORTOLAN_OK)
        status = typemap_get(b, key, &y, err);
    if (status == PORTOLAN_OK) {
        *same = x.type == y.type && x.count == y.count;
        for (size_t i = 0; *same && i < x.count; i++)
            *same = typemap_is_equal(typemap_element(x.type), &x.all[i], &y.all[i]);
    }
    typemap_clear(&x);
    typemap_clear(&y);
    return status;
}

/* -- requests -- */

static bool has_bounds_by_nature(enum gov_cca_Type__enum element)
{
    return element == gov_cca_Type_Int || element == gov_cca_Type_Long ||
           element == gov_cca_Type_Float || element == gov_cca_Type_Double;
}

static enum portolan_status check_type(gov_cca_TypeMap facts, const char *fact, const char *key,
                                       enum gov_cca_Type__enum wanted, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    enum gov_cca_Type__enum type = gov_cca_TypeMap_typeOf(facts, fact, &ex);
    enum portolan_status status = portolan_catch(&ex, err);

    if (status != PORTOLAN_OK || type == gov_cca_Type_NoType || type == wanted)
        return status;
    return portolan_error_set(err, PORTOLAN_EBADPROPERTIES,
                              "parameter '%s': %s is of type %s, not %s", key, fact,
                              portolan_typemap_type_word(type), portolan_typemap_type_word(wanted));
}

/* Checks types, low <= high, and that the default is within its bounds. */
static enum portolan_status check_facts(const struct parameter *x, struct portolan_error *err)
{
    enum gov_cca_Type__enum element = typemap_element(x->type);
    enum portolan_status status;

    status = check_type(x->facts, "choices", x->key, typemap_array_of(element), err);
    if (status == PORTOLAN_OK)
        status = check_type(x->facts, "low", x->key, element, err);
    if (status == PORTOLAN_OK)
        status = check_type(x->facts, "high", x->key, element, err);
    if (status == PORTOLAN_OK)
        status = parameter_check(x->facts, "low", x->facts, x->key, err);
    return status == PORTOLAN_OK ? parameter_check(x->facts, "default", x->facts, x->key, err)
                                 : status;
}

static enum portolan_status complete_facts(struct parameter *x, struct portolan_error *err)
{
    enum gov_cca_Type__enum element;
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;
    bool low, high, choices;

    x->type = gov_cca_TypeMap_typeOf(x->facts, "default", &ex);
    low = gov_cca_TypeMap_hasKey(x->facts, "low", &ex);
    high = gov_cca_TypeMap_hasKey(x->facts, "high", &ex);
    choices = gov_cca_TypeMap_hasKey(x->facts, "choices", &ex);
    if ((status = portolan_catch(&ex, err)) != PORTOLAN_OK)
        return status;
    element = typemap_element(x->type);
    if (element == gov_cca_Type_NoType)
        return portolan_error_set(err, PORTOLAN_EBADPROPERTIES, "parameter '%s' needs a default",
                                  x->key);
    if (low != high || (low && (choices || !has_bounds_by_nature(element))))
        return portolan_error_set(err, PORTOLAN_EBADPROPERTIES,
                                  "parameter '%s': bounds are two numbers, low and high, and "
                                  "exclude choices",
                                  x->key);
    return check_facts(x, err);
}

/* Keeps the map's value if it is valid, else sets the default. The caller has checked its type. */
static enum portolan_status settle_value(struct parameters *p, const struct parameter *x,
                                         struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    enum gov_cca_Type__enum there = gov_cca_TypeMap_typeOf(p->data, x->key, &ex);
    enum portolan_status status = portolan_catch(&ex, err);

    if (status != PORTOLAN_OK)
        return status;
    if (there != gov_cca_Type_NoType &&
        parameter_check(p->data, x->key, x->facts, x->key, NULL) == PORTOLAN_OK)
        return PORTOLAN_OK;
    return typemap_copy_entry(x->facts, "default", p->data, x->key, err);
}

static enum portolan_status make_parameter(struct parameters *p, const char *key, const char *help,
                                           const char *prompt, gov_cca_TypeMap facts,
                                           struct parameter **out, struct portolan_error *err)
{
    struct parameter *x = portolan_calloc(1, sizeof *x);
    enum portolan_status status;

    if (!x)
        return portolan_no_memory(err);
    x->key = portolan_strdup(key);
    x->help = portolan_strdup(help ? help : "");
    x->prompt = portolan_strdup(prompt ? prompt : "");
    x->facts = typemap_copy(facts, err);
    status = x->key && x->help && x->prompt && x->facts ? PORTOLAN_OK : portolan_no_memory(err);
    if (status == PORTOLAN_OK)
        status = complete_facts(x, err);
    if (status == PORTOLAN_OK && !p->current)
        status = parameters_set_group(p, "Main", NULL, err);
    if (status == PORTOLAN_OK)
        status = settle_value(p, x, err);
    if (status != PORTOLAN_OK) {
        parameter_free(x);
        return status;
    }
    x->group = p->current;
    *out = x;
    return PORTOLAN_OK;
}

enum portolan_status parameters_add(struct parameters *p, const char *key, const char *help,
                                    const char *prompt, gov_cca_TypeMap facts,
                                    struct portolan_error *err)
{
    struct parameter *there, *x;
    enum portolan_status status;

    if (!key || !*key || !strncmp(key, PARAMETER_RESERVED, strlen(PARAMETER_RESERVED)))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "a parameter needs a name that does not begin with '%s'",
                                  PARAMETER_RESERVED);
    if ((status = make_parameter(p, key, help, prompt, facts, &x, err)) != PORTOLAN_OK)
        return status;
    if ((there = parameters_get(p, key))) { /* requested again: replace what is known */
        LL_DELETE(p->first, there);
        parameter_free(there);
    }
    LL_APPEND(p->first, x);
    return PORTOLAN_OK;
}

/* Puts the strings of both lists under "choices" of TO. */
static enum portolan_status join_strings(gov_cca_TypeMap to, gov_cca_TypeMap more,
                                         struct portolan_error *err)
{
    struct typemap_values old, new = {0}, all = {.type = gov_cca_Type_StringArray};
    enum portolan_status status = typemap_get(to, "choices", &old, err);

    if (status == PORTOLAN_OK)
        status = typemap_get(more, "choices", &new, err);
    if (status == PORTOLAN_OK && !typemap_make_room(&all, old.count + new.count))
        status = portolan_no_memory(err);
    if (status == PORTOLAN_OK) {
        for (size_t i = 0; i < all.count; i++)
            all.all[i] = i < old.count ? old.all[i] : new.all[i - old.count];
        status = typemap_put(to, "choices", &all, err);
    }
    free(all.all); /* the strings belong to the other lists */
    typemap_clear(&old);
    typemap_clear(&new);
    return status;
}

enum portolan_status parameters_set_choices(struct parameters *p, const char *key,
                                            gov_cca_TypeMap choices, bool append,
                                            struct portolan_error *err)
{
    struct parameter *x = parameters_get(p, key);
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;
    gov_cca_TypeMap facts;

    if (!x)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no parameter '%s'",
                                  key ? key : "");
    status = check_type(choices, "choices", key, typemap_array_of(typemap_element(x->type)), err);
    if (status != PORTOLAN_OK)
        return status;
    if (!(facts = typemap_copy(x->facts, err)))
        return PORTOLAN_ENOMEM;
    status = append ? join_strings(facts, choices, err)
                    : typemap_copy_entry(choices, "choices", facts, "choices", err);
    gov_cca_TypeMap_remove(facts, "low", &ex);
    gov_cca_TypeMap_remove(facts, "high", &ex);
    if (status == PORTOLAN_OK)
        status = portolan_catch(&ex, err);
    if (status != PORTOLAN_OK) {
        sidl_reference_delete(facts, NULL);
        return status;
    }
    sidl_reference_delete(x->facts, NULL);
    x->facts = facts;
    return PORTOLAN_OK;
}

enum portolan_status parameters_settle(struct parameters *p, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    struct parameter *x;

    LL_FOREACH(p->first, x)
    {
        if (status == PORTOLAN_OK)
            status = parameter_check(x->facts, "default", x->facts, x->key, err);
        if (status == PORTOLAN_OK)
            status = settle_value(p, x, err);
    }
    return status;
}
