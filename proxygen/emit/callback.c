/* SPDX-License-Identifier: BSD-3-Clause */
/* Stand-ins for functions that callers pass to a method, if the side file asks for them. */
#include "emit.h"

static bool is_wrapped(const struct method *m, const struct argument *a)
{
    return !m->skip && a->callback && a->callee;
}

bool proxygen_has_callbacks(const struct port *port)
{
    for (size_t i = 0; i < port->n_methods; i++)
        for (size_t k = 0; k < port->methods[i].n_arguments; k++)
            if (is_wrapped(&port->methods[i], &port->methods[i].arguments[k]))
                return true;
    return false;
}

static const char *parameters(struct run *run, const struct method *callee)
{
    const char *list = proxygen_parameters(run, callee);

    return *list ? list : "void";
}

/* Emits a macro that defines the stand-in of each number. */
static void emit_stand_in(struct run *run, const char *name, const struct method *callee,
                          struct portolan_text *out)
{
    struct portolan_arena *arena = &run->arena;
    struct locals l = proxygen_locals(run, callee);
    const char *head =
        proxygen_replace(arena, callee->head,
                         proxygen_print(arena, "$_##portolan_number(%s)", parameters(run, callee)));

    portolan_text_add(out, "#define %s_STAND_IN(portolan_number) \\\n    static ", name);
    proxygen_add_template(out, name, head);
    proxygen_add_template(out, name, " \\\n    { \\\n");
    if (callee->returns)
        portolan_text_add(out, "        %s; \\\n",
                          proxygen_replace(arena, callee->result, l.result));
    portolan_text_add(
        out,
        "        const struct portolan_callback *%s = &%s_slots[portolan_number]; \\\n"
        " \\\n"
        "        portolan_probe_timer_start(%s->handle); \\\n",
        l.call, name, l.call);
    portolan_text_add(out, "        %s%s((%s_type)%s->function)(%s); \\\n",
                      callee->returns ? l.result : "", callee->returns ? " = " : "", name, l.call,
                      proxygen_argument_names(run, callee));
    portolan_text_add(out, "        portolan_probe_timer_stop(%s->handle); \\\n", l.call);
    if (callee->returns)
        portolan_text_add(out, "        return %s; \\\n", l.result);
    portolan_text_add(out, "    }\n");
}

static void emit_callback(struct run *run, const struct method *m, const struct argument *a,
                          size_t number, struct portolan_text *out)
{
    struct portolan_arena *arena = &run->arena;
    const char *name = proxygen_callback_name(run, m, a);
    const char *pointer = proxygen_print(arena, "(*%s_type)(%s)", name, parameters(run, a->callee));

    portolan_text_add(out, "\n/* Stand-ins for the function that %s is given as %s. */\n", m->name,
                      a->name);
    portolan_text_add(out, "typedef %s;\n", proxygen_replace(arena, a->callee->head, pointer));
    proxygen_add_template(out, name,
                          "static struct portolan_callback $_slots[PORTOLAN_CALLBACKS];\n");
    emit_stand_in(run, name, a->callee, out);
    proxygen_add_template(
        out, name,
        "PORTOLAN_CALLBACK_EACH($_STAND_IN)\n"
        "#define $_NAME(portolan_number) $_##portolan_number\n"
        "static $_type $_wrap(const struct portolan_probe_port *port, $_type function)\n"
        "{\n"
        "    static const $_type stand_ins[] = {PORTOLAN_CALLBACK_COMMAS($_NAME)};\n"
        "    int number = portolan_callback_find(");
    portolan_text_add(out, "%s_slots, port, %zu, \"%s\",\n", name, number, a->name);
    portolan_text_add(out, "                                        (void (*)(void))function);\n"
                           "\n"
                           "    return number < 0 ? function : stand_ins[number];\n"
                           "}\n");
}

void proxygen_emit_callbacks(struct run *run, struct portolan_text *out)
{
    const struct port *port = run->port;
    size_t number = 0;

    for (size_t i = 0; i < port->n_methods; i++) {
        const struct method *m = &port->methods[i];

        for (size_t k = 0; k < m->n_arguments; k++)
            if (is_wrapped(m, &m->arguments[k]))
                emit_callback(run, m, &m->arguments[k], number, out);
        number += !m->skip;
    }
}
