/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proxies for `struct x { const struct x_ops *ops; … }`. Users hold the proxy's own struct x, the
 * face. Its data members follow those of the struct behind: what the user changed goes in before a
 * call, what the implementation changed comes out after it; `seen` is how they last agreed.
 */
#include "proxygen_internal.h"

#include <string.h>

/* A template in which OBJECT and MEMBER stand for the port's struct and its table. */
static void add(const struct port *p, struct portolan_text *out, const char *template)
{
    while (*template) {
        const char *object = strstr(template, "OBJECT"), *member = strstr(template, "MEMBER");
        const char *word = !object || (member && member < object) ? member : object;
        struct portolan_text part = {0};

        portolan_text_add(&part, "%.*s", word ? (int)(word - template) : (int)strlen(template),
                          template);
        if (part.bytes)
            proxygen_add_template(out, p->prefix, part.bytes);
        out->failed |= part.failed;
        portolan_text_clear(&part);
        if (!word)
            break;
        portolan_text_add(out, "%s", word == object ? p->object : p->table_member);
        template = word + strlen("OBJECT");
    }
}

/* The proxy's struct, and the way to it from the face. */
static void emit_struct(const struct port *p, struct portolan_text *out)
{
    add(p, out,
        "\nstruct $ {\n"
        "    struct portolan_proxy common;\n"
        "    OBJECT face; /* what users hold */\n");
    if (p->has_data)
        add(p, out, "    OBJECT seen; /* the data when face and target last agreed */\n");
    add(p, out,
        "};\n"
        "\n"
        "PORTOLAN_PROXY_INLINE struct portolan_proxy *$_of(const OBJECT *face)\n"
        "{\n"
        "    return (struct portolan_proxy *)((char *)face - offsetof(struct $, face));\n"
        "}\n");
}

static void emit_data(const struct port *p, struct portolan_text *out)
{
    add(p, out,
        "\n"
        "/* All members but the table, which divides them. */\n"
        "PORTOLAN_PROXY_INLINE int $_differ(const OBJECT *a, const OBJECT *b)\n"
        "{\n"
        "    const size_t end = offsetof(OBJECT, MEMBER), next = end + sizeof a->MEMBER;\n"
        "\n"
        "    return memcmp(a, b, end) != 0 ||\n"
        "           memcmp((const char *)a + next, (const char *)b + next, sizeof *a - next) != "
        "0;\n"
        "}\n"
        "\n"
        "PORTOLAN_PROXY_INLINE void $_copy(OBJECT *to, const OBJECT *from)\n"
        "{\n"
        "    const size_t end = offsetof(OBJECT, MEMBER), next = end + sizeof to->MEMBER;\n"
        "\n"
        "    memcpy(to, from, end);\n"
        "    memcpy((char *)to + next, (const char *)from + next, sizeof *to - next);\n"
        "}\n");
    add(p, out,
        "\n"
        "PORTOLAN_PROXY_INLINE void $_data_in(struct portolan_proxy *common, OBJECT *to)\n"
        "{\n"
        "    struct $ *proxy = (struct $ *)common;\n"
        "\n"
        "    if ($_differ(&proxy->face, &proxy->seen)) {\n"
        "        $_copy(to, &proxy->face);\n"
        "        $_copy(&proxy->seen, &proxy->face);\n"
        "    }\n"
        "}\n"
        "\n"
        "PORTOLAN_PROXY_INLINE void $_data_out(struct portolan_proxy *common, const OBJECT *to)\n"
        "{\n"
        "    struct $ *proxy = (struct $ *)common;\n"
        "\n"
        "    if ($_differ(to, &proxy->seen)) {\n"
        "        $_copy(&proxy->face, to);\n"
        "        $_copy(&proxy->seen, to);\n"
        "    }\n"
        "}\n");
}

static bool has_peers(const struct port *p)
{
    for (size_t i = 0; i < p->n_methods; i++)
        for (size_t k = 0; !p->methods[i].skip && k < p->methods[i].n_arguments; k++)
            if (p->methods[i].arguments[k].role == ROLE_PEER)
                return true;
    return false;
}

static void emit_prototype(struct run *run, const struct method *m, struct portolan_text *out)
{
    const char *name = proxygen_print(&run->arena, "%s_do_%s", run->port.prefix, m->name);

    portolan_text_add(out, "static %s%s", m->no_return ? "__attribute__((noreturn)) " : "",
                      proxygen_replace(&run->arena, m->head, name));
}

/* Other objects of the same type may be faces of proxies: their table holds our functions. */
static void emit_behind(struct run *run, struct portolan_text *out)
{
    const struct port *p = &run->port;
    const char * or = "";

    if (!has_peers(p))
        return;
    portolan_text_add(out, "\n");
    for (size_t i = 0; i < p->n_methods; i++)
        if (!p->methods[i].skip) {
            emit_prototype(run, &p->methods[i], out);
            portolan_text_add(out, ";\n");
        }
    add(p, out,
        "\n"
        "/* What is behind an object if it is a proxy's face, else the object. */\n"
        "static OBJECT *$_behind(const OBJECT *object)\n"
        "{\n"
        "    if (object && object->MEMBER && (");
    for (size_t i = 0; i < p->n_methods; i++) {
        const char *name = p->methods[i].member;

        if (p->methods[i].skip)
            continue;
        portolan_text_add(out, "%s\n            PORTOLAN_PROXY_SAME(object->%s->%s, %s_do_%s)", or,
                          p->table_member, name, p->prefix, name);
        or = " ||";
    }
    add(p, out,
        "))\n"
        "        return portolan_probe_port_peek_binding(&$_of(object)->port)->target;\n"
        "    return (OBJECT *)object;\n"
        "}\n");
}

static const char *own_object(const struct method *m)
{
    const struct argument *a = m->arguments;

    while (a->role != ROLE_OBJECT)
        a++;
    return a->name;
}

static void emit_body(const struct port *p, const struct method *m, const struct locals *l,
                      struct portolan_text *out)
{
    if (m->no_return)
        portolan_text_add(out, "    portolan_probe_leave(&%s); /* it never comes back */\n",
                          l->call);
    if (p->has_data)
        portolan_text_add(out, "    %s_data_in(%s, %s);\n", p->prefix, l->proxy, l->to);
    portolan_text_add(out, "    %s%s%s->%s->%s(%s);\n", m->returns ? l->result : "",
                      m->returns ? " = " : "", l->to, p->table_member, m->member, m->pass);
    if (m->no_return)
        return;
    if (p->has_data && !m->destroys)
        portolan_text_add(out, "    %s_data_out(%s, %s);\n", p->prefix, l->proxy, l->to);
    proxygen_emit_accuracy(m, l, NULL, out);
    portolan_text_add(out, "    portolan_probe_leave(&%s);\n", l->call);
    if (m->returns)
        portolan_text_add(out, "    return %s;\n", l->result);
}

static void emit_function(struct run *run, const struct method *m, size_t number,
                          struct portolan_text *out)
{
    const struct port *p = &run->port;
    struct locals l = proxygen_locals(run, m);

    portolan_text_add(out, "\n");
    emit_prototype(run, m, out);
    portolan_text_add(out, "\n");
    proxygen_emit_head(m, &l, out);
    portolan_text_add(out, "    struct portolan_proxy *%s = %s_of(%s);\n    %s *%s;\n", l.proxy,
                      p->prefix, own_object(m), p->object, l.to);
    if (m->returns)
        portolan_text_add(out, "    %s;\n", proxygen_replace(&run->arena, m->result, l.result));
    portolan_text_add(out, "\n");
    proxygen_emit_enter(m, &l, number, out);
    emit_body(p, m, &l, out);
    portolan_text_add(out, "}\n");
}

/* The run time's view: how to make a table for what is behind, and how to show it. */
static void emit_fill(const struct port *p, struct portolan_text *out)
{
    add(p, out,
        "\n"
        "static void $_fill(void *bytes, const void *target)\n"
        "{\n"
        "    const OBJECT *to = target;\n");
    portolan_text_add(out, "    %s *table = bytes;\n\n", p->table);
    if (p->version_kind == VERSION_SIZE)
        portolan_text_add(out,
                          "    memcpy(table, to->%s,\n"
                          "           (size_t)to->%s->%s < sizeof *table ? (size_t)to->%s->%s\n"
                          "                                        : sizeof *table);\n",
                          p->table_member, p->table_member, p->version_member, p->table_member,
                          p->version_member);
    else
        add(p, out, "    memcpy(table, to->MEMBER, sizeof *table);\n");
    for (size_t i = 0; i < p->n_methods; i++)
        if (!p->methods[i].skip)
            portolan_text_add(out, "    if (table->%s)\n        table->%s = %s_do_%s;\n",
                              p->methods[i].member, p->methods[i].member, p->prefix,
                              p->methods[i].name);
    portolan_text_add(out, "}\n");
}

static void emit_show(const struct port *p, struct portolan_text *out)
{
    add(p, out,
        "\n"
        "static void $_show(struct portolan_proxy *common, void *table, const void *target)\n"
        "{\n"
        "    struct $ *proxy = (struct $ *)common;\n"
        "\n");
    if (p->has_data)
        add(p, out,
            "    if (target) {\n"
            "        $_copy(&proxy->face, target);\n"
            "        $_copy(&proxy->seen, target);\n"
            "    }\n");
    else
        portolan_text_add(out, "    (void)target;\n");
    add(p, out, "    proxy->face.MEMBER = table;\n}\n");
}

static void emit_slots(const struct port *p, struct portolan_text *out)
{
    add(p, out, "\nstatic const size_t $_slots[] = {\n");
    for (size_t i = 0; i < p->n_methods; i++)
        if (!p->methods[i].skip)
            portolan_text_add(out, "    offsetof(%s, %s),\n", p->table, p->methods[i].member);
    add(p, out,
        "};\n"
        "\n"
        "static const struct portolan_proxy_table $_table = {\n"
        "    .slots = $_slots,\n"
        "    .fill = $_fill,\n"
        "    .show = $_show,\n"
        "    .face_offset = offsetof(struct $, face),\n");
    portolan_text_add(out, "    .size_bytes = sizeof(%s),\n};\n", p->table);
}

void proxygen_emit_table(struct run *run, struct portolan_text *out)
{
    const struct port *p = &run->port;
    size_t number = 0;

    if (p->has_qualified_results)
        portolan_text_add(out,
                          "\n/* The header has functions that return `const int` or the like. */\n"
                          "#pragma GCC diagnostic ignored \"-Wignored-qualifiers\"\n");
    emit_struct(p, out);
    if (p->has_data)
        emit_data(p, out);
    emit_behind(run, out);
    for (size_t i = 0; i < p->n_methods; i++)
        if (!p->methods[i].skip)
            emit_function(run, &p->methods[i], number++, out);
    emit_fill(p, out);
    emit_show(p, out);
    emit_slots(p, out);
}
