/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion: the words that may follow at the end of a line. */
#include "interpreter.h"

#include <string.h>

/* The line as typed so far. */
struct completion {
    struct command command;               /* its errors are ignored */
    struct portolan_script_command words; /* the words before the one being typed */
    const char *begun;
    struct portolan_words found;
};

static void add_word(struct completion *c, const char *word)
{
    if (!strncmp(word, c->begun, strlen(c->begun)))
        portolan_words_add(c->command.arena, &c->found, word);
}

static void add_all(struct completion *c, const struct portolan_words *names)
{
    for (size_t i = 0; i < names->n; i++)
        add_word(c, names->word[i]);
}

static void add_list(struct completion *c, const char *const *list)
{
    for (; list && *list; list++)
        add_word(c, *list);
}

static void add_commands(struct completion *c)
{
    for (size_t i = 0; i < n_command_forms; i++)
        if (!command_forms[i].is_gui)
            add_list(c, command_forms[i].names);
}

static void add_types(struct completion *c)
{
    for (int type = gov_cca_Type_Int; type <= gov_cca_Type_BoolArray; type++)
        add_word(c, portolan_typemap_type_word((enum gov_cca_Type__enum)type));
}

/* The instance named by the nearest argument of that kind before INDEX, or NULL. */
static const char *instance_before(struct completion *c, const struct command_form *form,
                                   size_t index)
{
    const char *name = NULL;

    while (index-- > 0)
        if (form->arguments[index] == ARGUMENT_INSTANCE) {
            arena_find(&c->command, c->words.words[index + 1], &name);
            return name;
        }
    return NULL;
}

static bool fits_argument(struct completion *c, enum argument kind, const char *instance,
                          const char *port)
{
    const char *type;

    if (kind != ARGUMENT_GO && kind != ARGUMENT_PARAMETERS)
        return true;
    if (arena_port_type(&c->command, instance, port, &type) != PORTOLAN_OK)
        return false;
    if (kind == ARGUMENT_GO)
        return !strcmp(type, "gov.cca.ports.GoPort");
    return !strcmp(type, "gov.cca.ports.ParameterPort") ||
           !strcmp(type, "gov.cca.ports.BasicParameterPort");
}

static void add_ports(struct completion *c, enum argument kind, const char *instance)
{
    struct portolan_words names;

    for (int provides = 0; provides < 2; provides++) {
        if ((provides && kind == ARGUMENT_USES) ||
            (!provides && kind != ARGUMENT_USES && kind != ARGUMENT_PORT))
            continue;
        if (arena_ports(&c->command, instance, provides, &names) != PORTOLAN_OK)
            continue;
        for (size_t i = 0; i < names.n; i++)
            if (fits_argument(c, kind, instance, names.word[i]))
                add_word(c, names.word[i]);
    }
}

/* The fields of the parameter port that an earlier word of the line names. */
static void add_fields(struct completion *c, const char *instance, const char *port)
{
    gov_cca_ports_BasicParameterPort basic;
    struct sidl_string__array *keys = NULL;
    sidl_BaseInterface ex = NULL;
    struct console_use use;
    struct portolan_words names;

    if (console_open(&c->command, instance, port, &use) != PORTOLAN_OK)
        return;
    basic = gov_cca_ports_BasicParameterPort__cast(use.port, &ex);
    if (!ex && basic)
        keys = gov_cca_ports_BasicParameterPort_readConfigurationKeys(basic, &ex);
    SIDL_CLEAR(ex);
    gov_cca_ports_BasicParameterPort_deleteRef(basic, NULL);
    console_close(&c->command, &use);
    if (keys && names_take(&c->command, keys, &names) == PORTOLAN_OK) {
        add_word(c, "ALL");
        add_all(c, &names);
    }
}

/* The keys of a component's properties or, when PORT is given, of that port's properties. */
static void add_keys(struct completion *c, const char *instance, const char *port)
{
    gov_cca_ComponentID id = arena_id(&c->command, instance);
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap map = NULL;
    struct portolan_words names;

    if (id && port)
        map = gov_cca_ports_BuilderService_getPortProperties(c->command.in->builder, id, port, &ex);
    else if (id)
        map = gov_cca_ports_BuilderService_getComponentProperties(c->command.in->builder, id, &ex);
    if (!ex && map &&
        names_take(&c->command, gov_cca_TypeMap_getAllKeys(map, gov_cca_Type_NoType, &ex),
                   &names) == PORTOLAN_OK)
        add_all(c, &names);
    SIDL_CLEAR(ex);
    gov_cca_TypeMap_deleteRef(map, NULL);
    gov_cca_ComponentID_deleteRef(id, NULL);
}

/* Whether the subcommand, if there is one, takes this argument. */
static bool is_wanted(struct completion *c, const struct command_form *form, size_t index)
{
    const char *word =
        index == 1 && form->arguments[0] == ARGUMENT_SUBCOMMAND ? c->words.words[1] : NULL;

    if (!word)
        return true;
    if (form->run == verb_display)
        return !strncmp("component", word, strlen(word)) || !strncmp("chain", word, strlen(word));
    if (form->run == verb_repository)
        return !strncmp(word, "get", 3) && strcmp(word, "get-ports") != 0;
    return true;
}

static void add_argument(struct completion *c, const struct command_form *form, size_t index)
{
    enum argument kind = form->arguments[index];
    const char *instance = instance_before(c, form, index);
    struct portolan_words names = {0};

    if (kind == ARGUMENT_CLASS && classes_list(&c->command, false, &names) == PORTOLAN_OK)
        add_all(c, &names);
    else if (kind == ARGUMENT_INSTANCE && arena_instances(&c->command, &names) == PORTOLAN_OK)
        add_all(c, &names);
    else if (kind == ARGUMENT_COMMAND)
        add_commands(c);
    else if (kind == ARGUMENT_SUBCOMMAND)
        add_list(c, form->subcommands);
    else if (kind == ARGUMENT_TYPE)
        add_types(c);
    else if (!instance)
        return;
    else if (kind == ARGUMENT_FIELD)
        add_fields(c, instance, c->words.words[index]);
    else if (kind == ARGUMENT_KEY)
        add_keys(c, instance, index > 1 ? c->words.words[index] : NULL);
    else if (kind == ARGUMENT_USES || kind == ARGUMENT_PROVIDES || kind == ARGUMENT_PORT ||
             kind == ARGUMENT_GO || kind == ARGUMENT_PARAMETERS)
        add_ports(c, kind, instance);
}

enum portolan_status portolan_interpreter_complete(struct portolan_interpreter *in,
                                                   const char *line, char ***words, size_t *n,
                                                   struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    struct completion c = {.command = {.in = in, .arena = &arena}, .begun = ""};
    const struct command_form *form;
    size_t length = strlen(line);
    enum portolan_status status;

    *words = NULL;
    *n = 0;
    if (script_split(&arena, line, &c.words) && c.words.n_words && !strchr(" \t", line[length - 1]))
        c.begun = c.words.words[--c.words.n_words];
    if (!c.words.n_words)
        add_commands(&c);
    else if (verb_find(c.words.words[0], &form, NULL) == PORTOLAN_OK &&
             c.words.n_words - 1 < verb_count_arguments(form) &&
             is_wanted(&c, form, c.words.n_words - 1))
        add_argument(&c, form, c.words.n_words - 1);
    status = arena.failed ? portolan_no_memory(err) : portolan_words_take(&c.found, words, n, err);
    portolan_arena_clear(&arena);
    return status;
}
