/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of functions: the port's C type, what all generated files share, the front, which exports
 * the functions under their own names, and the components around them.
 */
#include "emit.h"

#include <string.h>

/* ------------------------------------------------------------------ shared */

void functions_emit_undefines(const struct functions *f, struct portolan_text *out)
{
    for (size_t i = 0; i < f->n; i++)
        if (proxygen_is_macro(f->run->port, f->members[i]->name))
            portolan_text_add(out, "#undef %s\n", f->members[i]->name);
}

void functions_emit_symbols(const struct functions *f, const char *prefix,
                            struct portolan_text *out)
{
    proxygen_add_template(out, prefix, "\nstatic const char *const $_symbols[] = {\n");
    for (size_t i = 0; i < f->n; i++)
        portolan_text_add(out, "    \"%s\",\n", f->members[i]->symbol);
    portolan_text_add(out, "};\n");
}

/* The function that M forwards to: M itself, or its twin, which takes a va_list. */
static const struct method *target_of(const struct functions *f, const struct method *m)
{
    for (size_t i = 0; m->twin && i < f->n; i++)
        if (strcmp(f->members[i]->name, m->twin) == 0)
            return f->members[i];
    return m;
}

const char *functions_with_lengths(const struct functions *f, const struct method *m)
{
    return proxygen_print(&f->run->arena, "%s_%s_with_lengths", f->port->c_type, m->name);
}

/* "    [result = ]CALLEE(…)(…);" */
static void emit_call(const struct functions *f, const struct method *m, const struct locals *l,
                      const char *callee, const char *pass, struct portolan_text *out)
{
    const struct method *target = target_of(f, m);

    portolan_text_add(out, "    %s%s", m->returns ? l->result : "", m->returns ? " = " : "");
    if (m->declared)
        portolan_text_add(out, "((%s)(portolan_functions_fn)", functions_with_lengths(f, m));
    if (callee)
        portolan_text_add(out, "%s(%s, %s, %s, %zu)", callee, l->proxy, l->to, target->name,
                          target->position);
    else
        portolan_text_add(out, "%s->%s", l->to, target->name);
    portolan_text_add(out, "%s(%s%s%s);\n", m->declared ? ")" : "", pass, m->twin ? ", " : "",
                      m->twin ? l->list : "");
}

static void emit_return(const struct method *m, const struct locals *l, const char *indent,
                        struct portolan_text *out)
{
    if (m->no_return)
        portolan_text_add(out, "%s__builtin_unreachable();\n", indent);
    else if (m->returns)
        portolan_text_add(out, "%sreturn %s;\n", indent, l->result);
}

static void emit_early(const struct functions *f, const struct method *m, const struct locals *l,
                       const char *early, struct portolan_text *out)
{
    portolan_text_add(out, "    if (PORTOLAN_FUNCTIONS_UNBOUND(%s)) {\n    ", l->proxy);
    emit_call(f, m, l, early, proxygen_argument_names(f->run, m), out);
    if (m->twin) {
        portolan_text_add(out, "    ");
        proxygen_emit_list_end(m, l, out);
    }
    emit_return(m, l, "        ", out);
    if (!m->returns && !m->no_return)
        portolan_text_add(out, "        return;\n");
    portolan_text_add(out, "    }\n");
}

static void emit_locals(const struct functions *f, const struct method *m, const struct locals *l,
                        const struct functions_body *body, struct portolan_text *out)
{
    struct portolan_arena *arena = &f->run->arena;

    if (body->again)
        portolan_text_add(out, "{\n");
    else
        proxygen_emit_head(m, l, out);
    if (body->proxy)
        portolan_text_add(out, "    %s;\n", proxygen_replace(arena, body->proxy, l->proxy));
    portolan_text_add(out, "    const struct %s_functions *%s;\n", f->port->c_type, l->to);
    if (!body->list_given)
        proxygen_emit_list(m, l, out);
    if (m->returns)
        portolan_text_add(out, "    %s;\n", proxygen_replace(arena, m->result, l->result));
    portolan_text_add(out, "\n");
}

void functions_emit_body(const struct functions *f, const struct method *m,
                         const struct functions_body *body, struct portolan_text *out)
{
    const struct locals l = proxygen_locals(f->run, m);

    emit_locals(f, m, &l, body, out);
    if (!body->list_given)
        proxygen_emit_list_start(m, &l, out);
    if (body->early && !body->again)
        emit_early(f, m, &l, body->early, out);
    if (body->again) {
        proxygen_emit_pass(m, &l, body->again, out);
        portolan_text_add(out, "    %s = %s.binding->target;\n", l.to, l.call);
    } else {
        proxygen_emit_enter(m, &l, m->position, out);
    }
    if (m->no_return)
        portolan_text_add(out, "    portolan_probe_leave(&%s); /* it never comes back */\n",
                          l.call);
    emit_call(f, m, &l, body->callee, m->pass, out);
    if (!m->no_return && !body->again) {
        proxygen_emit_accuracy(m, &l, NULL, out);
        proxygen_emit_leave(f->run, m, &l, out);
        if (!body->list_given)
            proxygen_emit_list_end(m, &l, out);
    }
    emit_return(m, &l, "    ", out);
    portolan_text_add(out, "}\n");
}

/* ------------------------------------------------------------------ the port's C type */

/* Replaces C keywords by words that C++ accepts, too. */
static const char *for_both(struct portolan_arena *arena, const char *text)
{
    text = proxygen_replace_word(arena, text, "restrict", "__restrict");
    return proxygen_replace_word(arena, text, "_Bool", "bool");
}

static void emit_members(const struct functions *f, struct portolan_text *out)
{
    struct portolan_arena *arena = &f->run->arena;

    for (size_t i = 0; i < f->n; i++) {
        const struct method *m = f->members[i];
        const char *name = proxygen_print(arena, "(*%s)", m->name);

        portolan_text_add(
            out, "    %s;\n",
            for_both(arena, proxygen_replace(arena, m->declared ? m->declared : m->head, name)));
    }
}

/* The types that functions have for callers in Fortran. */
static void emit_types_with_lengths(const struct functions *f, struct portolan_text *out)
{
    struct portolan_arena *arena = &f->run->arena;

    for (size_t i = 0; i < f->n_measured; i++) {
        const struct method *m = f->members[i];
        const char *name = proxygen_print(arena, "(*%s)", functions_with_lengths(f, m));

        if (m->declared)
            portolan_text_add(
                out,
                "/** %s with the lengths of texts, which Fortran passes last. */\ntypedef %s;\n",
                m->name, for_both(arena, proxygen_replace(arena, m->head, name)));
    }
}

static void emit_macros(const struct functions *f, const char *pragma, struct portolan_text *out)
{
    for (size_t i = 0; i < f->n; i++)
        if (proxygen_is_macro(f->run->port, f->members[i]->name))
            portolan_text_add(out, "#pragma %s(\"%s\")\n", pragma, f->members[i]->name);
}

static void emit_header(const struct functions *f, struct portolan_text *out)
{
    const struct port *p = f->port;

    proxygen_emit_prologue(
        p, "the port's C type",
        proxygen_print(&f->run->arena,
                       "#ifndef PORTOLAN_%s_FUNCTIONS_H\n#define PORTOLAN_%s_FUNCTIONS_H\n\n"
                       "#include <portolan/functions.h>\n\n#pragma GCC diagnostic push\n",
                       p->c_type, p->c_type),
        out);
    proxygen_emit_include(p, out);
    proxygen_emit_quiet(out);
    emit_macros(f, "push_macro", out);
    functions_emit_undefines(f, out);
    portolan_text_add(out,
                      "/**\n * What a portolan.ForeignPort of type %s points to. An entry is NULL "
                      "where the provider\n * lacks the function.\n */\n"
                      "struct %s_functions {\n",
                      p->type, p->c_type);
    emit_members(f, out);
    portolan_text_add(out, "};\n");
    emit_types_with_lengths(f, out);
    emit_macros(f, "pop_macro", out);
    portolan_text_add(out, "#pragma GCC diagnostic pop\n\n#endif\n");
}

/* ------------------------------------------------------------------ the front */

/* The description of the list for the run time, with its methods if they are measured. */
static void emit_description(const struct functions *f, const char *prefix, bool has_methods,
                             struct portolan_text *out)
{
    functions_emit_symbols(f, prefix, out);
    proxygen_add_template(out, prefix,
                          "\nstatic const struct portolan_functions_description $_description = {\n"
                          "    .size = sizeof(struct portolan_functions_description),\n");
    if (has_methods)
        proxygen_add_template(out, prefix,
                              "    .methods = $_methods,\n"
                              "    .n_methods = sizeof $_methods / sizeof *$_methods,\n");
    proxygen_add_template(out, prefix,
                          "    .symbols = $_symbols,\n"
                          "    .n_symbols = sizeof $_symbols / sizeof *$_symbols,\n");
    portolan_text_add(out, "    .type = \"%s\",\n};\n", f->port->type);
}

static void emit_state(const struct functions *f, const char *prefix, struct portolan_text *out)
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

/* Declares the function that is exported as M, and returns its name: the header's, if it has the
 * header's parameters. */
static const char *declare_exported(const struct functions *f, const struct method *m,
                                    const char *prefix, struct portolan_text *out)
{
    struct portolan_arena *arena = &f->run->arena;
    const char *name = m->declared ? proxygen_print(arena, "%s_%s", prefix, m->name) : m->name;

    if (m->declared)
        portolan_text_add(out, "\nPORTOLAN_API %s __asm__(\"%s\");",
                          proxygen_replace(arena, m->head, name), m->symbol);
    return name;
}

/* The exported function, and if it has a short way, the function that measures. */
static void emit_function(const struct functions *f, const struct method *m, const char *prefix,
                          const char *proxy, struct portolan_text *out)
{
    struct portolan_arena *arena = &f->run->arena;
    bool has_short = proxygen_has_short_way(m);
    const char *exported = declare_exported(f, m, prefix, out);
    const char *measures = has_short ? proxygen_function_name(f->run, prefix, m, false) : exported;
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
                      proxygen_replace(arena, m->head, exported));
    functions_emit_body(f, m, &body, out);
}

static void emit_front(const struct functions *f, struct portolan_text *out)
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
    proxygen_emit_methods(p, prefix, out);
    emit_description(f, prefix, true, out);
    emit_state(f, prefix, out);
    proxygen_emit_callbacks(f->run, out);
    for (size_t i = 0; i < f->n_measured; i++)
        emit_function(f, f->members[i], prefix, proxy, out);
}

/* ------------------------------------------------------------------ components */

/* TEXT escaped for a C string. */
static const char *quoted(struct run *run, const char *text)
{
    struct portolan_text out = {.arena = &run->arena};

    portolan_text_add(&out, "\"");
    portolan_text_add_escaped(&out, text);
    portolan_text_add(&out, "\"");
    return out.bytes ? out.bytes : "";
}

static void emit_provider(const struct functions *f, const struct provider *provider,
                          const char *symbol, struct portolan_text *out)
{
    const struct port *p = f->port;

    portolan_text_add(out,
                      "/* Generated by portolan proxygen: %s of a shared object. Do not edit. */\n"
                      "#include <portolan/functions_component.h>\n",
                      p->type);
    emit_description(f, symbol, false, out);
    portolan_text_add(out,
                      "\nPORTOLAN_FUNCTIONS_PROVIDER(%s, \"%s_%s\", &%s_description,\n"
                      "                            %s);\n",
                      symbol, p->type, provider->name, symbol, quoted(f->run, provider->file));
}

static void emit_palette(const struct functions *f, const struct provider *provider,
                         const char *symbol, struct portolan_text *out)
{
    const char *type = f->port->type;

    portolan_text_add(out,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<component class=\"%s_%s\" library=\"%s.so\">\n"
                      "  <summary>The functions of %s from the shared object ",
                      type, provider->name, symbol, type);
    portolan_text_add_xml(out, provider->file);
    portolan_text_add(out,
                      "</summary>\n"
                      "  <provides port=\"functions\" type=\"%s\"/>\n"
                      "  <parameter name=\"library\" type=\"string\" default=\"",
                      type);
    portolan_text_add_xml(out, provider->file);
    portolan_text_add(out, "\">the shared object to open</parameter>\n</component>\n");
}

static void emit_providers(const struct functions *f)
{
    struct run *run = f->run;

    for (size_t i = 0; i < f->port->n_providers; i++) {
        const struct provider *p = &f->port->providers[i];
        const char *symbol = proxygen_print(&run->arena, "%s_%s", f->port->c_type, p->name);

        emit_provider(f, p, symbol, proxygen_add_output(run, "%s.c", symbol));
        emit_palette(f, p, symbol, proxygen_add_output(run, "%s.xml", symbol));
    }
}

static void emit_front_component(const struct functions *f)
{
    struct run *run = f->run;
    const struct port *p = f->port;
    struct portolan_text *source = proxygen_add_output(run, "%s_front_component.c", p->c_type);
    struct portolan_text *description = proxygen_add_output(run, "%sFront.xml", p->c_type);

    portolan_text_add(
        source,
        "/* Generated by portolan proxygen: the front for %s as a component. Do not edit. */\n"
        "#include <portolan/functions_component.h>\n\n"
        "extern struct portolan_functions_front *%s_front(void);\n\n"
        "PORTOLAN_FUNCTIONS_FRONT(%sFront, \"%sFront\", %s_front);\n",
        p->type, p->c_type, p->c_type, p->type, p->c_type);
    portolan_text_add(
        description,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<component class=\"%sFront\" library=\"%s_front.so\">\n"
        "  <summary>Code that calls the functions of %s by name calls this port</summary>\n"
        "  <uses port=\"functions\" type=\"%s\" optional=\"true\"/>\n"
        "</component>\n",
        p->type, p->c_type, p->type, p->type);
}

/* ------------------------------------------------------------------ all files */

static void collect(struct functions *f)
{
    struct run *run = f->run;
    struct port *p = run->port;

    f->members = portolan_arena_alloc(&run->arena, p->n_methods + 1, sizeof *f->members);
    for (int passed = 0; f->members && passed < 2; passed++) {
        for (size_t i = 0; i < p->n_methods; i++) {
            struct method *m = &p->methods[i];

            if (!m->present || !m->skip != !passed)
                continue;
            m->position = f->n;
            f->members[f->n++] = m;
        }
        if (!passed)
            f->n_measured = f->n;
    }
}

void proxygen_emit_functions(struct run *run)
{
    struct functions f = {.run = run, .port = run->port};
    const char *c_type = run->port->c_type;

    collect(&f);
    functions_emit_proxy(&f, proxygen_add_output(run, "%s_proxy.c", c_type));
    proxygen_emit_description(run, proxygen_add_output(run, "%sProxy.xml", c_type));
    emit_header(&f, proxygen_add_output(run, "%s_functions.h", c_type));
    if (run->options->front) {
        emit_front(&f, proxygen_add_output(run, "%s_front.c", c_type));
        emit_front_component(&f);
    }
    emit_providers(&f);
}
