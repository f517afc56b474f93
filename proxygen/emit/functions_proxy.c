/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The proxy for a list of functions. They get no object by which the proxy could be found, so each
 * proxy of a process needs functions of its own: small ones, which add the proxy to the arguments.
 * The generated file includes itself once for each.
 */
#include "emit.h"

enum { PROXIES = 8, PROXIES_MOST = 16 };

static void emit_preamble(const struct functions *f, struct portolan_text *out)
{
    const struct port *p = f->port;

    portolan_text_add(out, "#ifndef PORTOLAN_FUNCTIONS_SLOT\n");
    proxygen_emit_prologue(
        p, "the timing proxy",
        proxygen_has_callbacks(p)
            ? "#include <portolan/callback.h>\n#include <portolan/proxy.h>\n#include <stdarg.h>\n"
            : "#include <portolan/proxy.h>\n#include <stdarg.h>\n",
        out);
    portolan_text_add(out, "#include \"%s_functions.h\"\n\n", p->c_type);
    functions_emit_undefines(f, out);
    proxygen_emit_freed_names(f->run, out);
    proxygen_emit_quiet(out);
    portolan_text_add(out, "\n");
    portolan_text_add(
        out,
        "/*\n * Most proxies there can be in a process, up to %d: the functions get no object that "
        "would tell one\n * from another, so each has its own, for which this file includes "
        "itself.\n */\n"
        "#ifndef PORTOLAN_FUNCTIONS_PROXIES\n#define PORTOLAN_FUNCTIONS_PROXIES %d\n#endif\n\n",
        PROXIES_MOST, PROXIES);
    proxygen_emit_methods(p, p->prefix, out);
    proxygen_emit_port(p, out,
                       "\nstruct $ {\n    struct portolan_proxy common;\n"
                       "    struct @_functions face; /* what users hold */\n"
                       "    int slot; /* from 1; 0: none */\n};\n"
                       "\nstatic struct portolan_proxy *$_slots[PORTOLAN_FUNCTIONS_PROXIES];\n");
}

static void emit_function(const struct functions *f, const struct method *m, bool is_short,
                          struct portolan_text *out)
{
    struct portolan_arena *arena = &f->run->arena;
    const char *prefix = f->port->prefix, *names = proxygen_argument_names(f->run, m);
    const struct locals l = proxygen_locals(f->run, m);
    const struct functions_body body = {
        .list_given = true,
        .again = is_short ? proxygen_print(arena, "%s(%s%s%s)",
                                           proxygen_function_name(f->run, prefix, m, false), names,
                                           *names ? ", " : "", l.proxy)
                          : NULL};
    const char *name =
        proxygen_print(arena, "%s(%s)", proxygen_function_name(f->run, prefix, m, is_short),
                       proxygen_slot_parameters(f->run, m, &l));

    portolan_text_add(out, "\nstatic %s%s\n", proxygen_function_attribute(m, is_short),
                      proxygen_replace(arena, m->returning, name));
    functions_emit_body(f, m, &body, out);
}

static void emit_measured(const struct functions *f, const struct method *m,
                          struct portolan_text *out)
{
    emit_function(f, m, false, out);
    if (proxygen_has_short_way(m))
        emit_function(f, m, true, out);
}

/* The function that users call: it passes on its arguments and the proxy. */
static void emit_entry(const struct functions *f, const struct method *m, struct portolan_text *out)
{
    struct portolan_arena *arena = &f->run->arena;
    const char *prefix = f->port->prefix;
    const char *name = proxygen_print(arena, "PORTOLAN_FUNCTIONS_NAME(%s_%s)", prefix, m->name);

    proxygen_emit_slot_entry(
        f->run, m, proxygen_print(arena, "\nstatic %s", proxygen_replace(arena, m->head, name)),
        proxygen_print(arena, "%s_slots[PORTOLAN_FUNCTIONS_SLOT]", prefix), out);
}

/* The functions of one proxy, which SLOT selects. */
static void emit_copy(const struct functions *f, struct portolan_text *out)
{
    const struct port *p = f->port;

    for (size_t i = 0; i < f->n_measured; i++)
        emit_entry(f, f->members[i], out);
    proxygen_emit_port(
        p, out,
        "\n/* Puts them over those of the implementation; what it lacks stays NULL. */\n"
        "static void PORTOLAN_FUNCTIONS_NAME($_cover)(struct @_functions *face)\n{\n");
    for (size_t i = 0; i < f->n_measured; i++) {
        const struct method *m = f->members[i];

        portolan_text_add(out, "    if (face->%s", m->name);
        if (m->twin)
            portolan_text_add(out, " && face->%s", m->twin);
        portolan_text_add(out, ")\n        face->%s = ", m->name);
        if (m->declared)
            portolan_text_add(out, "(__typeof__(face->%s))(portolan_functions_fn)", m->name);
        portolan_text_add(out, "PORTOLAN_FUNCTIONS_NAME(%s_%s);\n", p->prefix, m->name);
    }
    portolan_text_add(out, "}\n");
}

static void emit_copies(const struct port *p, struct portolan_text *out)
{
    portolan_text_add(out, "\n#define PORTOLAN_FUNCTIONS_PASTE(NAME, SLOT) NAME##_##SLOT\n"
                           "#define PORTOLAN_FUNCTIONS_EXPAND(NAME, SLOT) "
                           "PORTOLAN_FUNCTIONS_PASTE(NAME, SLOT)\n"
                           "#define PORTOLAN_FUNCTIONS_NAME(NAME) "
                           "PORTOLAN_FUNCTIONS_EXPAND(NAME, PORTOLAN_FUNCTIONS_SLOT)\n\n");
    for (int slot = 0; slot < PROXIES_MOST; slot++) {
        if (slot > 0)
            portolan_text_add(out, "#if PORTOLAN_FUNCTIONS_PROXIES > %d\n", slot);
        portolan_text_add(out,
                          "#define PORTOLAN_FUNCTIONS_SLOT %d\n#include \"%s_proxy.c\"\n"
                          "#undef PORTOLAN_FUNCTIONS_SLOT\n",
                          slot, p->c_type);
        if (slot > 0)
            portolan_text_add(out, "#endif\n");
    }
    proxygen_emit_port(p, out,
                       "\nstatic void (*const $_covers[])(struct @_functions *) = {\n"
                       "    $_cover_0,\n");
    for (int slot = 1; slot < PROXIES_MOST; slot++)
        portolan_text_add(out, "#if PORTOLAN_FUNCTIONS_PROXIES > %d\n    %s_cover_%d,\n#endif\n",
                          slot, p->prefix, slot);
    portolan_text_add(out, "};\n");
}

/* The run time's view: what a user holds is a table, and its entries are the slots. */
static void emit_table(const struct functions *f, struct portolan_text *out)
{
    const struct port *p = f->port;

    proxygen_emit_port(
        p, out,
        "\nstatic void $_fill(void *table, const void *target)\n{\n"
        "    memcpy(table, target, sizeof(struct @_functions));\n}\n"
        "\nstatic void $_show(struct portolan_proxy *common, void *table, const void *target)\n{\n"
        "    struct $ *proxy = (struct $ *)common;\n"
        "    struct @_functions face;\n\n"
        "    (void)target;\n"
        "    memcpy(&face, table, sizeof face);\n"
        "    $_covers[proxy->slot - 1](&face);\n"
        "    portolan_proxy_show_functions(&proxy->face, &face, sizeof face);\n}\n"
        "\nstatic const size_t $_entries[] = {\n");
    for (size_t i = 0; i < f->n_measured; i++)
        portolan_text_add(out, "    offsetof(struct %s_functions, %s),\n", p->c_type,
                          f->members[i]->name);
    proxygen_emit_port(p, out,
                       "};\n\nstatic const struct portolan_proxy_table $_table = {\n"
                       "    .entries = $_entries,\n    .fill = $_fill,\n    .show = $_show,\n"
                       "    .face_offset = offsetof(struct $, face),\n"
                       "    .size_bytes = sizeof(struct @_functions),\n};\n");
}

void functions_emit_proxy(const struct functions *f, struct portolan_text *out)
{
    const struct port *p = f->port;

    emit_preamble(f, out);
    proxygen_emit_callbacks(f->run, out);
    for (size_t i = 0; i < f->n_measured; i++)
        emit_measured(f, f->members[i], out);
    emit_copies(p, out);
    emit_table(f, out);
    proxygen_emit_port_description(p, out);
    proxygen_emit_port(p, out,
                       "\nstatic void $_destroy(void *self)\n{\n"
                       "    portolan_proxy_leave_slot($_slots, ((struct $ *)self)->slot);\n"
                       "    portolan_proxy_destroy(self);\n}\n");
    proxygen_emit_class(p, proxygen_print(&f->run->arena, "%s_destroy", p->prefix), out);
    proxygen_emit_port(
        p, out,
        "\nstatic gov_cca_Component $_create(sidl_BaseInterface *_ex)\n{\n"
        "    return portolan_proxy_create_in_slot(&$_class, &$_description, $_slots,\n"
        "                                         PORTOLAN_FUNCTIONS_PROXIES,\n"
        "                                         offsetof(struct $, slot), _ex);\n}\n");
    proxygen_emit_component(p, out);
    portolan_text_add(out, "\n#else /* one proxy's functions */\n");
    emit_copy(f, out);
    portolan_text_add(out, "\n#endif\n");
}
