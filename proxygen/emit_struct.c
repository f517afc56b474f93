/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Structs that hold their functions themselves. A function that is called on such a struct cannot
 * tell whose it is, as users may copy the struct or not hand it over at all: so each of a small
 * number of proxies (slots) has functions of its own, which know it.
 */
#include "emit_table.h"

/* "self, n, b" */
static const char *argument_names(struct run *run, const struct method *m)
{
    const char *names = "";

    for (size_t i = 0; i < m->n_arguments; i++)
        names = proxygen_print(&run->arena, "%s%s, ", names, m->arguments[i].name);
    return names;
}

static void emit_slot_function(struct run *run, const struct port *p, const struct method *m,
                               struct portolan_text *out)
{
    const char *name = proxygen_print(&run->arena, "%s_##portolan_slot##_%s(%s)", p->prefix,
                                      m->name, *m->parameters ? m->parameters : "void");

    portolan_text_add(out, "    static %s%s \\\n    { \\\n        %s",
                      m->no_return ? "__attribute__((noreturn)) " : "",
                      proxygen_replace(&run->arena, m->returning, name),
                      m->returns ? "return " : "");
    portolan_text_add(out,
                      "%s_do_%s(%s\\\n            __atomic_load_n(&%s_slots[portolan_slot], "
                      "__ATOMIC_RELAXED)); \\\n    }",
                      p->prefix, m->name, argument_names(run, m), p->prefix);
}

void proxygen_emit_slots(struct run *run, const struct port *p, struct portolan_text *out)
{
    const char *between = "";

    proxygen_emit_port(p, out, "\n#define $_SLOT(portolan_slot) \\\n");
    for (size_t i = 0; i < p->n_methods; i++) {
        if (p->methods[i].skip)
            continue;
        portolan_text_add(out, "%s", between);
        emit_slot_function(run, p, &p->methods[i], out);
        between = " \\\n";
    }
    proxygen_emit_port(p, out, "\nPORTOLAN_PROXY_EACH_SLOT($_SLOT)\n\n");
    proxygen_emit_port(p, out, "#define $_SLOT_SET(portolan_slot) \\\n    { \\\n");
    for (size_t i = 0; i < p->n_methods; i++)
        if (!p->methods[i].skip)
            portolan_text_add(out, "        .%s = %s_##portolan_slot##_%s, \\\n",
                              p->methods[i].member, p->prefix, p->methods[i].name);
    proxygen_emit_port(p, out,
                       "    },\n"
                       "static const OBJECT $_functions[PORTOLAN_PROXY_SLOTS] = {\n"
                       "    PORTOLAN_PROXY_EACH_SLOT($_SLOT_SET)};\n");
}
