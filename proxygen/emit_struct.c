/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Structs that hold their functions themselves. A function that is called on such a struct cannot
 * tell whose it is, as users may copy the struct or not hand it over at all: so each of a small
 * number of proxies (slots) has functions of its own, which know it.
 */
#include "emit_table.h"

static void emit_slot_function(struct run *run, const struct port *p, const struct method *m,
                               struct portolan_text *out)
{
    struct portolan_arena *arena = &run->arena;
    struct locals l = proxygen_locals(run, m);
    const char *names = proxygen_argument_names(run, m);
    const char *name =
        proxygen_print(arena, "%s_##portolan_slot##_%s(%s%s)", p->prefix, m->name,
                       *m->parameters ? m->parameters : "void", m->twin ? ", ..." : "");
    const char *call =
        proxygen_print(arena,
                       "%s_do_%s(%s%s%s%s\\\n            __atomic_load_n(&%s_slots[portolan_slot], "
                       "__ATOMIC_RELAXED))",
                       p->prefix, m->name, names, *names ? ", " : "", m->twin ? l.list : "",
                       m->twin ? ", " : "", p->prefix);

    portolan_text_add(out, "    static %s%s \\\n    { \\\n",
                      m->no_return ? "__attribute__((noreturn)) " : "",
                      proxygen_replace(arena, m->returning, name));
    if (!m->twin) {
        portolan_text_add(out, "        %s%s; \\\n    }", m->returns ? "return " : "", call);
        return;
    }
    portolan_text_add(out, "        va_list %s; \\\n", l.list);
    if (m->returns)
        portolan_text_add(out, "        %s; \\\n", proxygen_replace(arena, m->result, l.result));
    portolan_text_add(out, " \\\n        va_start(%s, %s); \\\n        %s%s%s; \\\n", l.list,
                      m->arguments[m->n_arguments - 1].name, m->returns ? l.result : "",
                      m->returns ? " = " : "", call);
    portolan_text_add(out, "        va_end(%s); \\\n", l.list);
    if (m->returns)
        portolan_text_add(out, "        return %s; \\\n", l.result);
    portolan_text_add(out, "    }");
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
