/* SPDX-License-Identifier: BSD-3-Clause */
/* configure and go: the commands that call ports of components. */
#include "interpreter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char rule[] = "------------------------------------";

/* ------------------------------------------------------------------------- parameters, shown */

/* The state while a parameter port is shown; PARAMETERS is NULL for a basic one. */
struct view {
    struct command *c;
    gov_cca_TypeMap map;
    gov_cca_ports_ParameterPort parameters;
};

/* "INT", "ARRAY_DOUBLE": Ccaffeine's words on its screen. */
static const char *type_label(struct command *c, enum gov_cca_Type__enum type)
{
    const char *word = portolan_typemap_type_word(type);
    size_t length = strlen(word);
    bool is_array = length > 5 && !strcmp(word + length - 5, "Array");
    char *label = portolan_arena_printf(c->arena, "%s%.*s", is_array ? "ARRAY_" : "",
                                        (int)(is_array ? length - 5 : length), word);

    for (char *at = label; at && *at; at++)
        *at = (char)toupper((unsigned char)*at);
    return label ? label : "";
}

static enum portolan_status show_field(const struct view *v, const char *field)
{
    sidl_BaseInterface ex = NULL;
    enum gov_cca_Type__enum type;
    char *text = NULL, *prompt = NULL;
    enum portolan_status status = portolan_typemap_get_text(v->map, field, &type, &text, v->c->err);

    if (status == PORTOLAN_OK && type == gov_cca_Type_NoType)
        status = portolan_error_set(v->c->err, PORTOLAN_ENOTFOUND, "there is no field '%s'", field);
    if (status == PORTOLAN_OK && v->parameters) {
        prompt = gov_cca_ports_ParameterPort_readPrompt(v->parameters, field, &ex);
        status = portolan_catch(&ex, v->c->err);
    }
    if (status == PORTOLAN_OK)
        interpreter_print(v->c->in, "%s(%s) : %s = %s\n", field, type_label(v->c, type),
                          prompt ? prompt : field, text);
    sidl_String_free(prompt);
    free(text);
    return status;
}

static enum portolan_status show_fields(const struct view *v, struct sidl_string__array *fields)
{
    struct portolan_words names;
    enum portolan_status status = names_take(v->c, fields, &names);

    for (size_t i = 0; status == PORTOLAN_OK && i < names.n; i++)
        status = show_field(v, names.word[i]);
    return status;
}

static enum portolan_status show_groups(const struct view *v)
{
    sidl_BaseInterface ex = NULL;
    char *title = gov_cca_ports_ParameterPort_readTitle(v->parameters, &ex);
    struct sidl_string__array *texts =
        ex ? NULL : gov_cca_ports_ParameterPort_readGroupNames(v->parameters, &ex);
    enum portolan_status status = portolan_catch(&ex, v->c->err);
    struct portolan_words groups = {0};

    if (status == PORTOLAN_OK) {
        interpreter_print(v->c->in, "%s:\n", title ? title : "");
        status = names_take(v->c, texts, &groups);
    }
    sidl_String_free(title);
    for (size_t i = 0; status == PORTOLAN_OK && i < groups.n; i++) {
        interpreter_print(v->c->in, "Group %s:\n", groups.word[i]);
        texts = gov_cca_ports_ParameterPort_readGroupKeys(v->parameters, groups.word[i], &ex);
        if ((status = portolan_catch(&ex, v->c->err)) == PORTOLAN_OK)
            status = show_fields(v, texts);
    }
    return status;
}

static enum portolan_status show_all(const struct view *v, gov_cca_ports_BasicParameterPort basic)
{
    sidl_BaseInterface ex = NULL;
    struct sidl_string__array *keys;
    enum portolan_status status;

    if (v->parameters)
        return show_groups(v);
    interpreter_print(v->c->in, "Parameters:\nGroup All:\n");
    keys = gov_cca_ports_BasicParameterPort_readConfigurationKeys(basic, &ex);
    status = portolan_catch(&ex, v->c->err);
    return status == PORTOLAN_OK ? show_fields(v, keys) : status;
}

/* All fields, or the one that FIELD names. */
static enum portolan_status show_parameters(struct command *c, const char *instance,
                                            gov_cca_Port port, const char *field)
{
    sidl_BaseInterface ex = NULL;
    struct view v = {.c = c};
    gov_cca_ports_BasicParameterPort basic = gov_cca_ports_BasicParameterPort__cast(port, &ex);
    enum portolan_status status = PORTOLAN_OK;

    if (!ex && basic) {
        v.parameters = gov_cca_ports_ParameterPort__cast(port, &ex);
        if (!ex)
            v.map = gov_cca_ports_BasicParameterPort_readConfigurationMap(basic, &ex);
    }
    if (ex)
        status = portolan_catch(&ex, c->err);
    else if (!basic)
        status = portolan_error_set(c->err, PORTOLAN_EBADPORTTYPE,
                                    "this is no parameter port "
                                    "(gov.cca.ports.BasicParameterPort)");
    if (status == PORTOLAN_OK) {
        interpreter_print(c->in, "Instance name: %s\nPort name: %s\n%s\n", instance,
                          verb_argument(c, 1), rule);
        status = field && strcmp(field, "ALL") != 0 ? show_field(&v, field) : show_all(&v, basic);
        interpreter_print(c->in, "%s\n", rule);
    }
    gov_cca_TypeMap_deleteRef(v.map, NULL);
    gov_cca_ports_ParameterPort_deleteRef(v.parameters, NULL);
    gov_cca_ports_BasicParameterPort_deleteRef(basic, NULL);
    return status;
}

enum portolan_status verb_configure(struct command *c)
{
    const char *port = verb_argument(c, 1), *field = verb_argument(c, 2), *instance;
    const char *text = verb_argument(c, 3) ? verb_rest(c->arena, c->words, 3) : NULL;
    struct console_use use;
    enum portolan_status status = arena_find(c, verb_argument(c, 0), &instance);
    enum portolan_status closed;

    if (status == PORTOLAN_OK && text && !strcmp(field, "ALL"))
        status = portolan_error_set(c->err, PORTOLAN_EINVAL,
                                    "'ALL' cannot be used to set a parameter value");
    if (status != PORTOLAN_OK || (status = console_open(c, instance, port, &use)) != PORTOLAN_OK)
        return status;
    status = text ? portolan_parameters_write(use.port, field, text, c->err)
                  : show_parameters(c, instance, use.port, field);
    closed = console_close(c, &use);
    if (status == PORTOLAN_OK)
        status = closed;
    else
        portolan_error_prefix(c->err, "port '%s' of '%s'", port, instance);
    if (status == PORTOLAN_OK && text)
        interpreter_say(c->in,
                        "%s\nInstance name: %s\nPort name: %s\n%s\nNew parameters:\n%s\n%s\n"
                        "updated parameter %s %s %s\n",
                        rule, instance, port, rule, text, rule, instance, port, field);
    return status;
}

/* ---------------------------------------------------------------------------------------- go */

/* A port that starts a component. */
struct start {
    const char *instance, *port;
};

/* Counts the go ports of an instance (only PORT if given) into *N; *START is the last of them. */
static enum portolan_status count_starts(struct command *c, const char *instance,
                                         struct portolan_text *list, struct start *start, size_t *n)
{
    struct portolan_words ports;
    const char *type;
    enum portolan_status status = arena_ports(c, instance, true, &ports);

    for (size_t i = 0; status == PORTOLAN_OK && i < ports.n; i++) {
        status = arena_port_type(c, instance, ports.word[i], &type);
        if (status != PORTOLAN_OK || strcmp(type, "gov.cca.ports.GoPort") != 0)
            continue;
        *start = (struct start){instance, ports.word[i]};
        portolan_text_add(list, "%s%s %s", *n ? ", " : "", instance, ports.word[i]);
        ++*n;
    }
    return status;
}

/* The only go port of INSTANCE or, if that is NULL, of all instances. */
static enum portolan_status only_start(struct command *c, const char *instance, struct start *start)
{
    struct portolan_text list = {.arena = c->arena};
    struct portolan_words names = {1, &instance};
    enum portolan_status status = PORTOLAN_OK;
    size_t n = 0;

    if (!instance)
        status = arena_instances(c, &names);
    for (size_t i = 0; status == PORTOLAN_OK && i < names.n; i++)
        status = count_starts(c, names.word[i], &list, start, &n);
    if (status != PORTOLAN_OK || n == 1)
        return status;
    if (n)
        return portolan_error_set(c->err, PORTOLAN_EINVAL,
                                  "go: name instance and port, for there are several: %s",
                                  list.bytes ? list.bytes : "");
    return portolan_error_set(c->err, PORTOLAN_ENOTFOUND, "go: %s%s%s port of type %s",
                              instance ? "'" : "no instance has a", instance ? instance : "",
                              instance ? "' has no" : "", "gov.cca.ports.GoPort");
}

static enum portolan_status call_go(struct command *c, const struct start *start, gov_cca_Port port)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ports_GoPort go = gov_cca_ports_GoPort__cast(port, &ex);
    enum portolan_status status;
    int32_t result = 0;

    if (go)
        result = gov_cca_ports_GoPort_go(go, &ex);
    status = portolan_catch(&ex, c->err);
    if (status == PORTOLAN_OK && !go)
        status = portolan_error_set(c->err, PORTOLAN_EBADPORTTYPE,
                                    "port '%s' of '%s' is no gov.cca.ports.GoPort", start->port,
                                    start->instance);
    else if (status != PORTOLAN_OK)
        portolan_error_prefix(c->err, "go of '%s' failed", start->instance);
    else if (result)
        status = portolan_error_set(c->err, PORTOLAN_ECOMPONENT, "go of '%s' returned %d",
                                    start->instance, (int)result);
    if (status != PORTOLAN_OK)
        portolan_framework_fail(c->in->framework, c->err ? c->err->text : "go failed");
    gov_cca_ports_GoPort_deleteRef(go, NULL);
    return status;
}

enum portolan_status verb_go(struct command *c)
{
    struct start start = {NULL, verb_argument(c, 1)};
    struct console_use use;
    enum portolan_status status = PORTOLAN_OK, closed;

    if (verb_argument(c, 0))
        status = arena_find(c, verb_argument(c, 0), &start.instance);
    if (status == PORTOLAN_OK && !start.port)
        status = only_start(c, start.instance, &start);
    if (status != PORTOLAN_OK ||
        (status = console_open(c, start.instance, start.port, &use)) != PORTOLAN_OK)
        return status;
    status = call_go(c, &start, use.port);
    closed = console_close(c, &use);
    status = status == PORTOLAN_OK ? closed : status;
    if (status == PORTOLAN_OK)
        interpreter_say(c->in, "##specific go command successful\n");
    return status;
}
