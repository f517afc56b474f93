/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan.ports.Control: the process's registry of what can be switched, as a port. */
#include "measurement.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------- names of ports and groups */

static bool add_name(void *arg, const struct portolan_control_port *port)
{
    names_add(arg, port->name, false);
    return true;
}

static bool add_type(void *arg, const struct portolan_control_port *port)
{
    names_add(arg, port->type, true);
    return true;
}

static struct sidl_string__array *array_of_names(bool types, sidl_BaseInterface *_ex)
{
    struct names names = {0};

    portolan_control_visit(types ? add_type : add_name, &names);
    return names_take(&names, _ex);
}

/* Throws unless WORD (a pattern if IS_PATTERN) matches one of the names. */
static void check_name(bool types, const char *what, const char *word, bool is_pattern,
                       sidl_BaseInterface *_ex)
{
    struct names names = {0};

    portolan_control_visit(types ? add_type : add_name, &names);
    names_check(&names, what, word, is_pattern, _ex);
    portolan_arena_clear(&names.arena);
}

/* ------------------------------------------------- commands */

/* Executes TEXT; returns the lines of the answer if ANSWER, else NULL. */
static char *run(const char *text, bool answer, sidl_BaseInterface *_ex)
{
    struct portolan_text reply = {0};
    struct portolan_error err = {0};
    char *copy = NULL;

    if (portolan_control_execute(text, "command", &reply, &err))
        portolan_throw(_ex, err.status, "%s", err.text);
    else if (reply.failed ||
             (answer && !(copy = sidl_String_strdup(reply.bytes ? reply.bytes : ""))))
        sidl_exception_throw_no_memory(_ex);
    portolan_text_clear(&reply);
    return copy;
}

/* Executes the line "VERB BEFORE WORD", the last two joined, where WORD must be one word. */
static void run_line(const char *verb, const char *before, const char *word,
                     sidl_BaseInterface *_ex)
{
    char *line;

    if (strpbrk(word, " \t\r\n#")) {
        portolan_throw(_ex, PORTOLAN_EINVAL, "'%s' is more than one word", word);
        return;
    }
    line = portolan_asprintf("%s %s%s", verb, before, word);
    if (line)
        run(line, false, _ex);
    else
        sidl_exception_throw_no_memory(_ex);
    free(line);
}

/* ------------------------------------------------- groups */

static int64_t get_group_id(void *self, const char *name, sidl_BaseInterface *_ex)
{
    const struct portolan_control_group *group;

    (void)self;
    check_name(true, "group", name, false, _ex);
    if (*_ex)
        return 0;
    group = portolan_control_group_get(name, false);
    if (!group)
        sidl_exception_throw_no_memory(_ex);
    return group ? group->number : 0;
}

static void switch_group(const char *verb, const char *group, sidl_BaseInterface *_ex)
{
    check_name(true, "group", group, false, _ex);
    if (!*_ex)
        run_line(verb, "type:", group, _ex);
}

static void switch_number(const char *verb, int64_t id, sidl_BaseInterface *_ex)
{
    const struct portolan_control_group *group = portolan_control_group_peek(id);

    if (group)
        switch_group(verb, group->name, _ex);
    else
        portolan_throw(_ex, PORTOLAN_ENOTFOUND, "there is no group number %lld; ask getGroupId",
                       (long long)id);
}

#define DEFINE_SWITCHES(NAME, VERB)                                                                \
    static void NAME##_id(void *self, int64_t group, sidl_BaseInterface *_ex)                      \
    {                                                                                              \
        (void)self;                                                                                \
        switch_number(VERB, group, _ex);                                                           \
    }                                                                                              \
    static void NAME##_name(void *self, const char *group, sidl_BaseInterface *_ex)                \
    {                                                                                              \
        (void)self;                                                                                \
        switch_group(VERB, group, _ex);                                                            \
    }                                                                                              \
    static void NAME##_all(void *self, sidl_BaseInterface *_ex)                                    \
    {                                                                                              \
        (void)self;                                                                                \
        run(VERB " *", false, _ex);                                                                \
    }

DEFINE_SWITCHES(enable, "on")
DEFINE_SWITCHES(disable, "off")

static struct sidl_string__array *get_group_names(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    return array_of_names(true, _ex);
}

/* ------------------------------------------------- ports */

static void set_variant(void *self, const char *ports, const char *variant, sidl_BaseInterface *_ex)
{
    static const char type[] = "type:";
    enum portolan_variant wanted;
    bool by_type = ports && !strncmp(ports, type, sizeof type - 1);

    (void)self;
    if (!portolan_variant_read(variant, &wanted)) {
        portolan_throw(_ex, PORTOLAN_EINVAL,
                       "unknown variant '%s'; use forward, profile or mastermind",
                       variant ? variant : "(null)");
        return;
    }
    check_name(by_type, by_type ? "port of type" : "port",
               by_type ? ports + sizeof type - 1 : ports, true, _ex);
    if (!*_ex)
        run_line(variant, "", ports, _ex);
}

struct search {
    const char *name;
    enum portolan_variant variant;
    bool is_measured;
};

static bool look(void *arg, const struct portolan_control_port *port)
{
    struct search *search = arg;

    if (strcmp(port->name, search->name))
        return true;
    search->variant = port->variant;
    search->is_measured = portolan_probe_port_flags(port->port) & PORTOLAN_PROBE_MONITORED;
    return false;
}

static struct search search_port(const char *port, sidl_BaseInterface *_ex)
{
    struct search search = {.name = port};

    check_name(false, "port", port, false, _ex);
    if (!*_ex)
        portolan_control_visit(look, &search);
    return search;
}

static char *get_variant(void *self, const char *port, sidl_BaseInterface *_ex)
{
    struct search search = search_port(port, _ex);
    char *name = NULL;

    (void)self;
    if (!*_ex && !(name = sidl_String_strdup(portolan_variant_name(search.variant))))
        sidl_exception_throw_no_memory(_ex);
    return name;
}

static sidl_bool is_measured(void *self, const char *port, sidl_BaseInterface *_ex)
{
    (void)self;
    return search_port(port, _ex).is_measured;
}

static struct sidl_string__array *get_ports(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    return array_of_names(false, _ex);
}

static char *execute(void *self, const char *commands, sidl_BaseInterface *_ex)
{
    (void)self;
    return run(commands ? commands : "", true, _ex);
}

static void dump(void *self, const char *folder, sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};

    (void)self;
    if (portolan_probe_write_tau(folder, portolan_control_node(), NULL, &err))
        portolan_throw(_ex, err.status, "%s", err.text);
}

const struct portolan_ports_Control__epv control_port_epv = {
    .f_enableGroupId = enable_id,
    .f_enableGroupName = enable_name,
    .f_enableAllGroups = enable_all,
    .f_disableGroupId = disable_id,
    .f_disableGroupName = disable_name,
    .f_disableAllGroups = disable_all,
    .f_getGroupId = get_group_id,
    .f_getGroupNames = get_group_names,
    .f_setVariant = set_variant,
    .f_getVariant = get_variant,
    .f_isMeasured = is_measured,
    .f_getPorts = get_ports,
    .f_execute = execute,
    .f_dump = dump,
};

const struct Performance_Control__epv performance_control_epv = {
    .f_enableGroupId = enable_id,
    .f_disableGroupId = disable_id,
    .f_enableGroupName = enable_name,
    .f_disableGroupName = disable_name,
    .f_enableAllGroups = enable_all,
    .f_disableAllGroups = disable_all,
};
