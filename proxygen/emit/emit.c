/* SPDX-License-Identifier: BSD-3-Clause */
/* Output common to all shapes: function heads, the method table, the description. */
#include "emit.h"

#include <string.h>

#include <portolan/probe.h>

/* ------------------------------------------------------------------ files and templates */

struct portolan_text *proxygen_add_output(struct run *run, const char *format, ...)
{
    static struct portolan_text lost; /* returned when memory is out; stays empty */
    struct output *output = portolan_arena_alloc(&run->arena, 1, sizeof *output);
    va_list args;

    if (!output)
        return &lost;
    va_start(args, format);
    output->name = portolan_arena_vprintf(&run->arena, format, args);
    va_end(args);
    output->text.arena = &run->arena;
    *run->last_output = output;
    run->last_output = &output->next;
    return &output->text;
}

void proxygen_emit_port(const struct port *p, struct portolan_text *out, const char *template)
{
    const struct {
        const char *word, *text;
    } names[] = {{"$", p->prefix},
                 {"@", p->c_type},
                 {"OBJECT", p->object},
                 {"TABLE", p->table},
                 {"MEMBER", p->table_member}};

    while (*template) {
        size_t length = proxygen_name_length(template), i = 0;

        length = length ? length : 1;
        while (i < sizeof names / sizeof *names &&
               (strlen(names[i].word) != length || memcmp(names[i].word, template, length) != 0))
            i++;
        if (i < sizeof names / sizeof *names && names[i].text)
            portolan_text_add(out, "%s", names[i].text);
        else
            portolan_text_add_bytes(out, template, length);
        template += length;
    }
}

void proxygen_add_template(struct portolan_text *text, const char *name, const char *template)
{
    const struct port p = {.prefix = name};

    proxygen_emit_port(&p, text, template);
}

/* ------------------------------------------------------------------ forwarding functions */

static void add_context(const struct context *c, struct portolan_text *out)
{
    if (c->kind == VALUE_REAL)
        portolan_text_add(out, "portolan_probe_context_real((double)%s)", c->value);
    else
        portolan_text_add(out, "portolan_probe_context_whole(%s)", c->value);
}

void proxygen_emit_context(const struct method *m, const struct locals *l,
                           struct portolan_text *out)
{
    struct context list[PORTOLAN_PROBE_CONTEXTS];
    size_t n = proxygen_contexts(m, list) - proxygen_count_results(m);

    if (n == 0)
        return;
    portolan_text_add(out, "    const struct portolan_probe_context %s[%zu] = {", l->context, n);
    for (size_t i = 0; i < n; i++) {
        portolan_text_add(out, "%s\n        ", i ? "," : "");
        add_context(&list[i], out);
    }
    portolan_text_add(out, "};\n");
}

void proxygen_emit_head(const struct method *m, const struct locals *l, struct portolan_text *out)
{
    portolan_text_add(out, "{\n    PORTOLAN_PROBE_CALL(%s);\n", l->call);
    proxygen_emit_context(m, l, out);
}

void proxygen_emit_enter_call(const struct method *m, const struct locals *l, size_t number,
                              struct portolan_text *out)
{
    struct context list[PORTOLAN_PROBE_CONTEXTS];
    size_t n = proxygen_contexts(m, list) - proxygen_count_results(m);

    portolan_text_add(out, "portolan_probe_enter(&%s, &%s->port, %zu, %s, %zu)", l->call, l->proxy,
                      number, n ? l->context : "NULL", n);
}

void proxygen_emit_enter(const struct method *m, const struct locals *l, size_t number,
                         struct portolan_text *out)
{
    portolan_text_add(out, "    %s = ", l->to);
    proxygen_emit_enter_call(m, l, number, out);
    portolan_text_add(out, "->target;\n");
}

bool proxygen_has_short_way(const struct method *m)
{
    bool gives = m->gift;

    for (size_t i = 0; i < m->n_arguments; i++)
        gives |= m->arguments[i].gift != NULL;
    return !m->no_return && !m->destroys && !m->twin && !gives;
}

const char *proxygen_function_name(struct run *run, const char *prefix, const struct method *m,
                                   bool is_short)
{
    return proxygen_print(&run->arena, "%s_%s_%s", prefix,
                          is_short || !proxygen_has_short_way(m) ? "do" : "measure", m->name);
}

const char *proxygen_function_attribute(const struct method *m, bool is_short)
{
    if (m->no_return)
        return "__attribute__((noreturn, noinline)) ";
    return is_short ? "PORTOLAN_PROBE_FORWARDING " : "PORTOLAN_PROBE_MEASURING ";
}

void proxygen_emit_pass(const struct method *m, const struct locals *l, const char *again,
                        struct portolan_text *out)
{
    portolan_text_add(out, "    PORTOLAN_PROBE_PASS(%s, &%s->port,\n                        ",
                      l->call, l->proxy);
    portolan_text_add(out, m->returns ? "return %s);\n" : "{ %s; return; });\n", again);
}

/* Notes the contexts that are known only after the call. */
static void emit_results(const struct method *m, const struct locals *l, struct portolan_text *out)
{
    struct context list[PORTOLAN_PROBE_CONTEXTS];
    size_t n = proxygen_contexts(m, list);

    for (size_t i = n - proxygen_count_results(m); i < n; i++)
        portolan_text_add(out, "    portolan_probe_note_context(&%s, %zu, (double)%s);\n", l->call,
                          i, list[i].value);
}

void proxygen_emit_accuracy(const struct method *m, const struct locals *l, const char *condition,
                            struct portolan_text *out)
{
    if (m->accuracy)
        portolan_text_add(out, "    %s%sportolan_probe_note_accuracy(&%s, (double)%s);\n",
                          condition ? condition : "", condition ? "\n        " : "", l->call,
                          l->result);
    for (size_t i = 0; i < m->n_arguments; i++) {
        const char *name = m->arguments[i].name;

        if (m->arguments[i].accuracy && condition)
            portolan_text_add(out,
                              "    %s\n        portolan_probe_note_accuracy(&%s, (double)*%s);\n",
                              condition, l->call, name);
        else if (m->arguments[i].accuracy)
            portolan_text_add(
                out, "    if (%s)\n        portolan_probe_note_accuracy(&%s, (double)*%s);\n", name,
                l->call, name);
    }
    emit_results(m, l, out);
}

/* "*_ex || result != 0" */
static const char *failure_of(struct run *run, const struct method *m, const struct locals *l)
{
    const char *thrown = run->port->shape == SHAPE_SIDL ? "*_ex" : NULL;
    const char *status = m->status ? proxygen_print(&run->arena, "%s != 0", l->result) : NULL;

    return thrown && status ? proxygen_print(&run->arena, "%s || %s", thrown, status)
           : thrown         ? thrown
                            : status;
}

void proxygen_emit_leave(struct run *run, const struct method *m, const struct locals *l,
                         struct portolan_text *out)
{
    const char *failure = failure_of(run, m, l);

    if (failure)
        portolan_text_add(out,
                          "    if (%s)\n        portolan_probe_leave_failed(&%s);\n    else\n    ",
                          failure, l->call);
    portolan_text_add(out, "    portolan_probe_leave(&%s);\n", l->call);
}

/* ------------------------------------------------------------------ variable arguments, slots */

void proxygen_emit_list(const struct method *m, const struct locals *l, struct portolan_text *out)
{
    if (m->twin)
        portolan_text_add(out, "    va_list %s;\n", l->list);
}

void proxygen_emit_list_start(const struct method *m, const struct locals *l,
                              struct portolan_text *out)
{
    if (m->twin)
        portolan_text_add(out, "    va_start(%s, %s);\n", l->list,
                          m->arguments[m->n_arguments - 1].name);
}

void proxygen_emit_list_end(const struct method *m, const struct locals *l,
                            struct portolan_text *out)
{
    if (m->twin)
        portolan_text_add(out, "    va_end(%s);\n", l->list);
}

const char *proxygen_slot_parameters(struct run *run, const struct method *m,
                                     const struct locals *l)
{
    return proxygen_print(&run->arena, "%s%s%s%s%sstruct portolan_proxy *%s", m->parameters,
                          *m->parameters ? ", " : "", m->twin ? "va_list " : "",
                          m->twin ? l->list : "", m->twin ? ", " : "", l->proxy);
}

void proxygen_emit_slot_entry(struct run *run, const struct method *m, const char *head,
                              const char *slot, struct portolan_text *out)
{
    const struct locals l = proxygen_locals(run, m);
    const char *names = proxygen_argument_names(run, m);
    bool keep = m->returns && m->twin;

    portolan_text_add(out, "%s\n{\n", head);
    proxygen_emit_list(m, &l, out);
    if (keep)
        portolan_text_add(out, "    %s;\n", proxygen_replace(&run->arena, m->result, l.result));
    portolan_text_add(out, m->twin ? "\n" : "");
    proxygen_emit_list_start(m, &l, out);
    portolan_text_add(out, "    %s%s%s_do_%s(%s%s%s%s%s);\n",
                      keep         ? l.result
                      : m->returns ? "return "
                                   : "",
                      keep ? " = " : "", run->port->prefix, m->name, names, *names ? ", " : "",
                      m->twin ? l.list : "", m->twin ? ", " : "", slot);
    proxygen_emit_list_end(m, &l, out);
    if (keep)
        portolan_text_add(out, "    return %s;\n", l.result);
    portolan_text_add(out, "}\n");
}

/* ------------------------------------------------------------------ the file */

static void emit_method(const struct method *m, struct portolan_text *out)
{
    struct context list[PORTOLAN_PROBE_CONTEXTS];
    size_t n = proxygen_contexts(m, list);
    unsigned real = 0;

    portolan_text_add(out, "    {.name = \"%s\"", m->name);
    if (n)
        portolan_text_add(out, ", .n_context = %zu, .context = {", n);
    for (size_t i = 0; i < n; i++) {
        portolan_text_add(out, "%s\"%s\"", i ? ", " : "", list[i].name);
        if (list[i].kind == VALUE_REAL || i >= n - proxygen_count_results(m))
            real |= 1U << i; /* results are stored as means */
    }
    if (n)
        portolan_text_add(out, "}");
    if (real)
        portolan_text_add(out, ", .real_contexts = %u", real);
    portolan_text_add(out, "},\n");
}

void proxygen_emit_methods(const struct port *port, const char *prefix, struct portolan_text *out)
{
    proxygen_add_template(out, prefix,
                          "static const struct portolan_probe_method $_methods[] = {\n");
    for (size_t i = 0; i < port->n_methods; i++)
        if (!port->methods[i].skip)
            emit_method(&port->methods[i], out);
    portolan_text_add(out, "};\n");
}

void proxygen_emit_port_description(const struct port *port, struct portolan_text *out)
{
    proxygen_emit_port(port, out,
                       "\nstatic const struct portolan_proxy_description $_description = {\n"
                       "    .size = sizeof(struct portolan_proxy_description),\n");
    portolan_text_add(out, "    .type = \"%s\",\n", port->type);
    proxygen_emit_port(port, out,
                       "    .methods = $_methods,\n"
                       "    .n_methods = sizeof $_methods / sizeof *$_methods,\n");
    if (port->shape != SHAPE_SIDL)
        proxygen_emit_port(port, out, "    .table = &$_table,\n");
    portolan_text_add(out, "};\n");
}

void proxygen_emit_class(const struct port *port, const char *destroy, struct portolan_text *out)
{
    proxygen_emit_port(port, out, "\nstatic const struct sidl_implements $_implements[] = {\n");
    proxygen_emit_port(port, out,
                       port->shape != SHAPE_SIDL
                           ? "    {&portolan_ForeignPort__type, &portolan_proxy_foreign},\n"
                           : "    {&@__type, &$_forward},\n");
    proxygen_emit_port(port, out,
                       "    PORTOLAN_PROXY_IMPLEMENTS,\n};\n"
                       "\nstatic const struct sidl_class $_class = {\n");
    portolan_text_add(out, "    .name = \"%sProxy\",\n", port->type);
    proxygen_emit_port(
        port, out,
        "    .version = \"1.0\",\n    .size = sizeof(struct $),\n    .implements = $_implements,\n"
        "    .n_implements = sizeof $_implements / sizeof *$_implements,\n");
    portolan_text_add(out, "    .destroy = %s,\n    .cast = portolan_proxy_cast,\n};\n", destroy);
}

void proxygen_emit_component(const struct port *port, struct portolan_text *out)
{
    portolan_text_add(out, "\nPORTOLAN_COMPONENT(%s, \"%sProxy\", %s_create);\n", port->prefix,
                      port->type, port->prefix);
}

void proxygen_emit_quiet(struct portolan_text *out)
{
    static const char *const warnings[] = {"-Wdeprecated-declarations", "-Wignored-qualifiers",
                                           "-Wpedantic", "-Wpsabi"};

    for (size_t i = 0; i < sizeof warnings / sizeof *warnings; i++)
        portolan_text_add(out, "#pragma GCC diagnostic ignored \"%s\"\n", warnings[i]);
}

void proxygen_emit_prologue(const struct port *port, const char *what, const char *includes,
                            struct portolan_text *out)
{
    portolan_text_add(out, "/* Generated by portolan proxygen: %s for %s. Do not edit. */\n", what,
                      port->type);
    if (port->flags && *port->flags)
        portolan_text_add(out, "/* The header was read with%s. */\n", port->flags);
    if (port->only_clang)
        portolan_text_add(out,
                          "#ifndef __clang__\n#error \"gcc lacks a calling convention that the "
                          "header asks for: compile this with clang\"\n#endif\n");
    if (port->defines)
        portolan_text_add(out, "%s", port->defines);
    portolan_text_add(out, "%s%s\n", includes,
                      port->has_expressions ? PROXYGEN_EXPRESSION_INCLUDES : "");
}

void proxygen_emit_include(const struct port *port, struct portolan_text *out)
{
    portolan_text_add(out, "#include %s\n\n", port->include);
}

void proxygen_emit_freed_names(const struct run *run, struct portolan_text *out)
{
    static const char *const used[] = {
        "a",      "b",        "base",          "binding", "bound",     "bytes",
        "common", "context",  "count",         "destroy", "entries",   "extra",
        "face",   "fill",     "flags",         "follow",  "forwards",  "found",
        "from",   "function", "functions",     "given",   "i",         "implements",
        "index",  "length",   "links",         "methods", "n_methods", "name",
        "next",   "number",   "object",        "ops",     "other",     "own",
        "port",   "proxy",    "real_contexts", "record",  "seen",      "self",
        "show",   "size",     "slot",          "slots",   "stand_ins", "state",
        "symbol", "symbols",  "table",         "target",  "to",        "type",
        "user",   "uses",     "value",         "version"};
    bool any = false;

    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        if (proxygen_is_macro(run->port, used[i])) {
            portolan_text_add(out, "#undef %s\n", used[i]);
            any = true;
        }
    portolan_text_add(out, any ? "\n" : "");
}

void proxygen_emit_description(const struct run *run, struct portolan_text *out)
{
    const char *type = run->port->type;

    portolan_text_add(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<component class=\"%sProxy\" library=\"%s_proxy.so\" proxy-for=\"%s\">\n"
        "  <summary>Times every call of a %s port</summary>\n"
        "  <provides port=\"provide\" type=\"%s\"/>\n"
        "  <uses port=\"use\" type=\"%s\"/>\n"
        "  <uses port=\"monitor\" type=\"portolan.ports.Monitor\" optional=\"true\"/>\n"
        "</component>\n",
        type, run->port->c_type, type, type, type, type);
}
