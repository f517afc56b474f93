/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of functions: the port's C type, what all generated files share, and the report's end. */
#include "emit_functions.h"

#include <ctype.h>
#include <string.h>

/* ------------------------------------------------------------------ shared */

void functions_emit_undefines(const struct functions *f, struct portolan_text *out)
{
    for (size_t i = 0; i < f->n; i++)
        if (proxygen_is_macro(&f->run->port, f->members[i]->name))
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

/* What M forwards to: itself, or the function that takes a va_list in its place. */
static const struct method *target_of(const struct functions *f, const struct method *m)
{
    for (size_t i = 0; m->twin && i < f->n; i++)
        if (strcmp(f->members[i]->name, m->twin) == 0)
            return f->members[i];
    return m;
}

void functions_emit_list(const struct method *m, const struct locals *l, struct portolan_text *out)
{
    if (m->twin)
        portolan_text_add(out, "    va_list %s;\n", l->list);
}

void functions_emit_start(const struct method *m, const struct locals *l, struct portolan_text *out)
{
    if (m->twin)
        portolan_text_add(out, "    va_start(%s, %s);\n", l->list,
                          m->arguments[m->n_arguments - 1].name);
}

void functions_emit_end(const struct method *m, const struct locals *l, struct portolan_text *out)
{
    if (m->twin)
        portolan_text_add(out, "    va_end(%s);\n", l->list);
}

/* "    [result = ]CALLEE(…)(…);" */
static void emit_call(const struct functions *f, const struct method *m, const struct locals *l,
                      const char *callee, const char *pass, struct portolan_text *out)
{
    const struct method *target = target_of(f, m);

    portolan_text_add(out, "    %s%s", m->returns ? l->result : "", m->returns ? " = " : "");
    if (callee)
        portolan_text_add(out, "%s(%s, %s, %s, %zu)", callee, l->proxy, l->to, target->name,
                          target->position);
    else
        portolan_text_add(out, "%s->%s", l->to, target->name);
    portolan_text_add(out, "(%s%s%s);\n", pass, m->twin ? ", " : "", m->twin ? l->list : "");
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
        functions_emit_end(m, l, out);
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
        functions_emit_list(m, l, out);
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
        functions_emit_start(m, &l, out);
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
            functions_emit_end(m, &l, out);
    }
    emit_return(m, &l, "    ", out);
    portolan_text_add(out, "}\n");
}

/* ------------------------------------------------------------------ the port's C type */

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* C's own words where C++ has others. */
static const char *for_both(struct run *run, const char *text)
{
    static const char *const words[][2] = {{"restrict", "__restrict"}, {"_Bool", "bool"}};
    struct portolan_text out = {.arena = &run->arena};

    while (*text) {
        size_t length = 0;
        const char *word = NULL;

        while (is_word_byte(text[length]))
            length++;
        for (size_t i = 0; i < 2 && !word; i++)
            if (length == strlen(words[i][0]) && strncmp(text, words[i][0], length) == 0)
                word = words[i][1];
        if (length == 0)
            length = 1;
        portolan_text_add_bytes(&out, word ? word : text, word ? strlen(word) : length);
        text += length;
    }
    return out.bytes ? out.bytes : "";
}

static void emit_members(const struct functions *f, struct portolan_text *out)
{
    struct portolan_arena *arena = &f->run->arena;

    for (size_t i = 0; i < f->n; i++) {
        const struct method *m = f->members[i];
        const char *name = proxygen_print(arena, "(*%s)", m->name);

        portolan_text_add(out, "    %s;\n",
                          for_both(f->run, proxygen_replace(arena, m->head, name)));
    }
}

static void emit_macros(const struct functions *f, const char *pragma, struct portolan_text *out)
{
    for (size_t i = 0; i < f->n; i++)
        if (proxygen_is_macro(&f->run->port, f->members[i]->name))
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
    emit_macros(f, "pop_macro", out);
    portolan_text_add(out, "#pragma GCC diagnostic pop\n\n#endif\n");
}

/* ------------------------------------------------------------------ all files */

static void collect(struct functions *f)
{
    struct run *run = f->run;
    struct port *p = &run->port;

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
    struct functions f = {.run = run, .port = &run->port};
    struct portolan_arena *arena = &run->arena;
    const char *c_type = run->port.c_type;

    collect(&f);
    functions_emit_proxy(&f, proxygen_add_output(run, proxygen_print(arena, "%s_proxy.c", c_type)));
    proxygen_emit_description(
        run, proxygen_add_output(run, proxygen_print(arena, "%sProxy.xml", c_type)));
    emit_header(&f, proxygen_add_output(run, proxygen_print(arena, "%s_functions.h", c_type)));
    if (run->options->front) {
        functions_emit_front(&f,
                             proxygen_add_output(run, proxygen_print(arena, "%s_front.c", c_type)));
        functions_emit_front_component(&f);
    }
    functions_emit_providers(&f);
}

void proxygen_report_functions(const struct run *run, struct portolan_text *out)
{
    const struct port *p = &run->port;

    for (size_t i = 0; i < p->n_providers; i++)
        portolan_text_add(out, "Class %s_%s provides them from %s.\n", p->type,
                          p->providers[i].name, p->providers[i].file);
    if (run->options->front)
        portolan_text_add(
            out, "The front exports what is intercepted; class %sFront connects it.\n", p->type);
    portolan_text_add(out, "Calls between functions of one shared object are not seen.\n");
}
