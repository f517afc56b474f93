/* SPDX-License-Identifier: BSD-3-Clause */
/* The model of a SIDL port, from the compiler's own model of the language. */
#include "model.h"

#include <string.h>

#include <portolan/sidl.h>

static struct place place_of(struct run *run, const struct portolan_sidl_place *p)
{
    struct place place = {p->file ? proxygen_print(&run->arena, "%s", p->file) : NULL, p->line,
                          p->column};

    return place;
}

static enum value_kind kind_of(const struct portolan_sidl_argument *a)
{
    switch (a->type->kind) {
    case PORTOLAN_SIDL_BOOL:
    case PORTOLAN_SIDL_CHAR:
    case PORTOLAN_SIDL_INT:
    case PORTOLAN_SIDL_LONG:
    case PORTOLAN_SIDL_ENUM:
        return a->mode == PORTOLAN_SIDL_IN ? VALUE_INTEGER : VALUE_OTHER;
    case PORTOLAN_SIDL_FLOAT:
    case PORTOLAN_SIDL_DOUBLE:
        return a->mode == PORTOLAN_SIDL_IN ? VALUE_REAL : VALUE_REAL_POINTER;
    default:
        return VALUE_OTHER;
    }
}

/* TEXT is NULL without memory, which the arena remembers. */
static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/*
 * An extent is read from an array that has it: "sidlLength(b, 0)". A null array breaks SIDL's
 * rules, but the proxy must not crash because of it.
 */
static const char *value_of(struct run *run, const struct portolan_sidl_argument *argument,
                            const char *text)
{
    int name = argument->is_extent ? (int)strcspn(text, ",") - (int)strlen("sidlLength(") : 0;

    return name > 0 ? proxygen_print(&run->arena, "(%.*s ? %s : 0)", name,
                                     text + strlen("sidlLength("), text)
                    : text;
}

static void read_argument(struct run *run, const struct portolan_sidl_method *from,
                          const struct portolan_sidl_argument *argument, struct argument *a)
{
    a->name = proxygen_print(&run->arena, "%s", argument->name);
    a->value =
        value_of(run, argument, or_empty(portolan_sidl_epv_value(&run->arena, from, argument)));
    a->kind = kind_of(argument);
    a->input = argument->mode == PORTOLAN_SIDL_IN;
    a->place = place_of(run, &argument->place);
    a->context =
        portolan_sidl_attribute(argument->attributes, argument->n_attributes, "context") != NULL;
    a->accuracy =
        portolan_sidl_attribute(argument->attributes, argument->n_attributes, "accuracy") != NULL;
}

static enum portolan_status read_method(struct run *run, const struct portolan_sidl_method *from,
                                        struct method *m)
{
    m->name = proxygen_print(&run->arena, "%s", from->slot_name);
    m->member = proxygen_print(&run->arena, "f_%s", from->slot_name);
    m->result =
        proxygen_print(&run->arena, "%s @", or_empty(portolan_sidl_c_result(&run->arena, from)));
    m->head = or_empty(portolan_sidl_c_slot(&run->arena, from, "@"));
    m->pass = or_empty(portolan_sidl_c_slot_arguments(&run->arena, from));
    m->returns = from->result->kind != PORTOLAN_SIDL_VOID;
    m->result_kind =
        from->result->kind == PORTOLAN_SIDL_DOUBLE || from->result->kind == PORTOLAN_SIDL_FLOAT
            ? VALUE_REAL
        : from->result->kind == PORTOLAN_SIDL_INT ? VALUE_INTEGER
                                                  : VALUE_OTHER;
    m->accuracy = portolan_sidl_attribute(from->attributes, from->n_attributes, "accuracy");
    m->status = portolan_sidl_attribute(from->attributes, from->n_attributes, "status");
    m->place = place_of(run, &from->place);
    m->arguments = portolan_arena_alloc(&run->arena, from->n_arguments + 1, sizeof *m->arguments);
    if (!m->arguments)
        return PORTOLAN_ENOMEM;
    m->n_arguments = from->n_arguments;
    for (size_t i = 0; i < from->n_arguments; i++)
        read_argument(run, from, &from->arguments[i], &m->arguments[i]);
    return PORTOLAN_OK;
}

static enum portolan_status read_interface(struct run *run,
                                           const struct portolan_sidl_symbol *symbol)
{
    struct port *port = run->port;

    port->shape = SHAPE_SIDL;
    port->type = proxygen_print(&run->arena, "%s", symbol->full_name);
    port->include = proxygen_print(&run->arena, "\"%s.h\"", symbol->c_name);
    port->place = place_of(run, &symbol->place);
    port->methods = portolan_arena_alloc(&run->arena, symbol->n_slots + 1, sizeof *port->methods);
    if (!port->methods)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < symbol->n_slots; i++) {
        enum portolan_status status = read_method(run, symbol->slots[i], &port->methods[i]);

        port->n_methods++;
        if (status != PORTOLAN_OK)
            return status;
    }
    return PORTOLAN_OK;
}

static bool is_port(const struct portolan_sidl_symbol *symbol)
{
    if (strcmp(symbol->full_name, "gov.cca.Port") == 0)
        return true;
    for (size_t i = 0; i < symbol->n_extends; i++)
        if (symbol->extends[i]->symbol && is_port(symbol->extends[i]->symbol))
            return true;
    return false;
}

static enum portolan_status find_interface(struct run *run, const struct portolan_sidl_model *model,
                                           const struct portolan_sidl_symbol **symbol)
{
    const char *name = run->options->port, *nearest;
    struct place place;

    *symbol = portolan_sidl_find(model, name);
    if (!*symbol) {
        nearest = portolan_sidl_nearest(model, name);
        return proxygen_fail(run, PORTOLAN_ENOTFOUND, &run->whole, "there is no interface '%s'%s",
                             name, portolan_did_you_mean(nearest).text);
    }
    place = place_of(run, &(*symbol)->place);
    if ((*symbol)->kind != PORTOLAN_SIDL_INTERFACE)
        return proxygen_fail(run, PORTOLAN_EUNSUPPORTED, &place,
                             "'%s' is no interface, and only interfaces are port types", name);
    if (!is_port(*symbol))
        return proxygen_fail(run, PORTOLAN_EUNSUPPORTED, &place,
                             "'%s' does not extend gov.cca.Port, so it is no port type", name);
    return PORTOLAN_OK;
}

/* For SIDL the flags only say where required packages may lie. */
static enum portolan_status read_flags(struct run *run, struct portolan_sidl_options *options)
{
    const struct portolan_proxygen_options *o = run->options;
    const char **dirs = portolan_arena_alloc(&run->arena, o->n_flags + 1, sizeof *dirs);

    if (!dirs)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < o->n_flags; i++) {
        bool apart = strcmp(o->flags[i], "-I") == 0 && i + 1 < o->n_flags;

        if (!apart && (strncmp(o->flags[i], "-I", 2) != 0 || !o->flags[i][2]))
            return portolan_error_set(run->err, PORTOLAN_EINVAL,
                                      "flag '%s' means nothing for SIDL, which knows only -IDIR",
                                      o->flags[i]);
        dirs[options->n_include_dirs++] = apart ? o->flags[++i] : o->flags[i] + 2;
    }
    options->include_dirs = dirs;
    return PORTOLAN_OK;
}

enum portolan_status proxygen_read_sidl(struct run *run)
{
    const struct portolan_proxygen_options *o = run->options;
    struct portolan_sidl_options options = {.files = o->files, .n_files = o->n_files};
    const struct portolan_sidl_symbol *symbol;
    struct portolan_sidl_model *model = NULL;
    enum portolan_status status = read_flags(run, &options);

    if (status == PORTOLAN_OK)
        status = portolan_sidl_read(&options, run->diagnostics, &model, run->err);
    if (status != PORTOLAN_OK)
        return status;
    status = find_interface(run, model, &symbol);
    if (status == PORTOLAN_OK)
        status = read_interface(run, symbol);
    portolan_sidl_destroy(model);
    return status;
}
