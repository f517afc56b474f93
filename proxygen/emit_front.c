/* SPDX-License-Identifier: BSD-3-Clause */
/* The front: exports the functions of a list under their own names and forwards what comes. */
#include "emit_functions.h"

static void emit_description(const struct functions *f, const char *prefix,
                             struct portolan_text *out)
{
    proxygen_emit_methods(f->port, prefix, out);
    functions_emit_symbols(f, prefix, out);
    proxygen_add_template(out, prefix,
                          "\nstatic const struct portolan_functions_description $_description = {\n"
                          "    .size = sizeof(struct portolan_functions_description),\n"
                          "    .methods = $_methods,\n"
                          "    .n_methods = sizeof $_methods / sizeof *$_methods,\n"
                          "    .symbols = $_symbols,\n"
                          "    .n_symbols = sizeof $_symbols / sizeof *$_symbols,\n");
    portolan_text_add(out, "    .type = \"%s\",\n};\n", f->port->type);
}

static void emit_front(const struct functions *f, const char *prefix, struct portolan_text *out)
{
    const char *c_type = f->port->c_type;

    proxygen_add_template(
        out, prefix,
        "\n/* The dynamic linker wants to see who asks: no tail call. */\n"
        "static void *$_next(const char *symbol)\n"
        "{\n"
        "    void *found = dlsym(RTLD_NEXT, symbol);\n"
        "\n"
        "    __asm__ volatile(\"\" : \"+r\"(found));\n"
        "    return found;\n"
        "}\n"
        "\nstatic portolan_functions_fn $_own[sizeof $_symbols / sizeof *$_symbols];\n"
        "static struct portolan_functions_front $_state = {\n"
        "    .port = {.binding = &$_state.unbound}, .unbound = {.target = $_own},\n"
        "    .description = &$_description, .next = $_next, .own = $_own};\n"
        "\n/* For who starts the program; the second is one per program. */\n");
    portolan_text_add(
        out,
        "PORTOLAN_API struct portolan_functions_front *%s_front(void);\n"
        "PORTOLAN_API struct portolan_functions_front *%s_front(void)\n"
        "{\n    return &%s_state;\n}\n\n"
        "__attribute__((weak)) struct portolan_functions_front *portolan_front(void)\n"
        "{\n    return &%s_state;\n}\n",
        c_type, c_type, prefix, prefix);
}

/* The exported function, and where it is short the one that measures. */
static void emit_function(const struct functions *f, const struct method *m, const char *prefix,
                          const char *proxy, struct portolan_text *out)
{
    struct portolan_arena *arena = &f->run->arena;
    bool has_short = proxygen_has_short_way(m);
    const char *measures = has_short ? proxygen_function_name(f->run, prefix, m, false) : m->name;
    struct functions_body body = {
        .proxy = proxy, .callee = "PORTOLAN_FUNCTIONS_OF", .early = "PORTOLAN_FUNCTIONS_NEXT"};

    portolan_text_add(out, "\n%s%s%s\n", has_short ? "static " : "PORTOLAN_API ",
                      proxygen_function_attribute(m, false),
                      proxygen_replace(arena, m->head, measures));
    functions_emit_body(f, m, &body, out);
    if (!has_short)
        return;
    body.again = proxygen_print(arena, "%s(%s)", measures, proxygen_argument_names(f->run, m));
    portolan_text_add(out, "\nPORTOLAN_API %s%s\n", proxygen_function_attribute(m, true),
                      proxygen_replace(arena, m->head, m->name));
    functions_emit_body(f, m, &body, out);
}

void functions_emit_front(const struct functions *f, struct portolan_text *out)
{
    const struct port *p = f->port;
    struct portolan_arena *arena = &f->run->arena;
    const char *prefix = proxygen_print(arena, "%sFront", p->c_type);
    const char *proxy =
        proxygen_print(arena, "struct portolan_functions_front *@ = &%s_state", prefix);

    proxygen_emit_prologue(
        p, "the front",
        proxygen_has_callbacks(p)
            ? "#include <portolan/callback.h>\n#include <dlfcn.h>\n#include <stdarg.h>\n"
            : "#include <dlfcn.h>\n#include <stdarg.h>\n",
        out);
    portolan_text_add(out,
                      "#include \"%s_functions.h\"\n\n"
                      "#ifndef RTLD_NEXT\n#define RTLD_NEXT ((void *)-1L)\n#endif\n\n",
                      p->c_type);
    functions_emit_undefines(f, out);
    proxygen_emit_freed_names(f->run, out);
    proxygen_emit_quiet(out);
    portolan_text_add(out, "\n");
    emit_description(f, prefix, out);
    emit_front(f, prefix, out);
    proxygen_emit_callbacks(f->run, out);
    for (size_t i = 0; i < f->n_measured; i++)
        emit_function(f, f->members[i], prefix, proxy, out);
}
