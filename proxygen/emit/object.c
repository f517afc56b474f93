/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The struct that users of a C port hold, the face. Its data members are kept equal to the
 * target's: changes by the user are copied in before a call, changes by the implementation are
 * copied out after it; `seen` holds the values when both last agreed.
 */
#include "emit.h"

#define add proxygen_emit_port

/* ------------------------------------------------------------------ the struct and its data */

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
        "/* Where a call goes: to the object behind the face, or to what has the face's "
        "functions:\n"
        "   a copy of its struct, an object whose table was replaced where it lies. */\n"
        "struct $_to {\n"
        "    OBJECT *object;\n"
        "    const TABLE *ops;\n"
        "    const struct portolan_probe_binding *binding;\n"
        "};\n");
    if (p->shape == SHAPE_TABLE)
        add(p, out,
            "\n"
            "/* Our tables begin behind a pointer to their proxy. */\n"
            "PORTOLAN_PROXY_INLINE struct portolan_proxy *$_of(const OBJECT *from)\n"
            "{\n"
            "    return ((struct portolan_proxy *const *)(const void *)from->MEMBER)[-1];\n"
            "}\n");
}

static bool is_gated(const struct port *p)
{
    return p->shape == SHAPE_STRUCT && p->version_kind != VERSION_NONE;
}

/* One stretch of data: what lies between the members FROM and TO. */
static void emit_stretch(const struct port *p, const struct member *from, const struct member *to,
                         struct portolan_text *out)
{
    const char *within = is_gated(p) ? "PORTOLAN_PROXY_WITHIN(" : "";
    const char *length = is_gated(p) ? ", length)" : "";

    portolan_text_add(out, "(a, b, ");
    if (from)
        portolan_text_add(out, "%sPORTOLAN_PROXY_BEHIND(%s, %s)%s", within, p->object, from->name,
                          length);
    else
        portolan_text_add(out, "%s(size_t)0%s", within, length);
    if (to)
        portolan_text_add(out, ", %soffsetof(%s, %s)%s)", within, p->object, to->name, length);
    else
        portolan_text_add(out, ", %ssizeof *a%s)", within, length);
}

/* Emits WORD for every stretch of data, with JOINED between them. */
static void emit_stretches(const struct port *p, const char *word, const char *joined,
                           struct portolan_text *out)
{
    const struct member *last = NULL;
    const char *between = "";
    bool data = false;

    for (size_t i = 0; i <= p->n_members; i++) {
        const struct member *m = i < p->n_members ? &p->members[i] : NULL;

        if (m && m->kind == MEMBER_DATA) {
            data = true;
            continue;
        }
        if (data) {
            portolan_text_add(out, "%s%s", between, word);
            emit_stretch(p, last, m, out);
            between = joined;
        }
        last = m;
        data = false;
    }
}

static void emit_data(const struct port *p, struct portolan_text *out)
{
    const char *parameter = is_gated(p) ? ", size_t length" : "";
    const char *length = is_gated(p) ? ", proxy->common.length" : "";
    struct portolan_text t = {.arena = out->arena};

    add(p, out, "\n/* The data: all but functions, links to others of the kind, and names. */\n");
    add(p, out, "PORTOLAN_PROXY_INLINE int $_differ(const OBJECT *a, const OBJECT *b");
    portolan_text_add(out, "%s)\n{\n    return ", parameter);
    emit_stretches(p, "PORTOLAN_PROXY_DIFFER", " ||\n           ", out);
    add(p, out, ";\n}\n\nPORTOLAN_PROXY_INLINE void $_copy(OBJECT *a, const OBJECT *b");
    portolan_text_add(out, "%s)\n{\n    ", parameter);
    emit_stretches(p, "PORTOLAN_PROXY_COPY", ";\n    ", out);
    portolan_text_add(&t,
                      ";\n}\n"
                      "\n"
                      "PORTOLAN_PROXY_INLINE void $_data_in(struct $ *proxy, OBJECT *to)\n"
                      "{\n"
                      "    if ($_differ(&proxy->face, &proxy->seen%s)) {\n"
                      "        $_copy(to, &proxy->face%s);\n"
                      "        $_copy(&proxy->seen, &proxy->face%s);\n"
                      "    }\n"
                      "}\n"
                      "\n"
                      "PORTOLAN_PROXY_INLINE void $_data_out(struct $ *proxy, const OBJECT *to)\n"
                      "{\n"
                      "    if ($_differ(to, &proxy->seen%s)) {\n"
                      "        $_copy(&proxy->face, to%s);\n"
                      "        $_copy(&proxy->seen, to%s);\n"
                      "    }\n"
                      "}\n"
                      "\n"
                      "static void $_follow(struct portolan_proxy *base, const void *target)\n"
                      "{\n"
                      "    $_data_out((struct $ *)base, (const OBJECT *)target);\n"
                      "}\n",
                      length, length, length, length, length, length);
    add(p, out, t.bytes ? t.bytes : "");
}

/* The functions that run before and after a call. */
static void emit_ways(const struct port *p, struct portolan_text *out)
{
    if (p->selfless)
        return;
    add(p, out,
        "\n"
        "PORTOLAN_PROXY_INLINE struct $_to\n"
        "$_in(struct portolan_proxy *base, const OBJECT *self,\n"
        "    const struct portolan_probe_binding *bound)\n"
        "{\n"
        "    struct $ *proxy = (struct $ *)base;\n"
        "    struct $_to to = {(OBJECT *)self, (const TABLE *)bound->extra, bound};\n"
        "\n"
        "    if (__builtin_expect(self == &proxy->face, 1)) {\n"
        "        to.object = (OBJECT *)bound->target;\n");
    if (p->shape == SHAPE_TABLE)
        add(p, out, "        to.ops = to.object->MEMBER;\n");
    if (p->has_data)
        add(p, out, "        $_data_in(proxy, to.object);\n");
    add(p, out, "    }\n    return to;\n}\n");
    if (p->has_data)
        add(p, out,
            "\n"
            "PORTOLAN_PROXY_INLINE void $_out(struct portolan_proxy *base, const OBJECT *self,\n"
            "                                struct $_to to)\n"
            "{\n"
            "    if (__builtin_expect(to.object != self, 1))\n"
            "        $_data_out((struct $ *)base, to.object);\n"
            "}\n");
}

/* ------------------------------------------------------------------ other objects of the type */

static bool has_peers(const struct port *p)
{
    for (size_t i = 0; i < p->n_methods; i++)
        for (size_t k = 0; !p->methods[i].skip && k < p->methods[i].n_arguments; k++)
            if (p->methods[i].arguments[k].role == ROLE_PEER)
                return true;
    return false;
}

void proxygen_emit_behind(const struct port *p, struct portolan_text *out)
{
    if (!has_peers(p))
        return;
    if (p->shape == SHAPE_TABLE)
        add(p, out,
            p->is_cxx ? "\nextern const struct portolan_proxy_table $_table;\n"
                      : "\nstatic const struct portolan_proxy_table $_table;\n");
    if (p->shape == SHAPE_TABLE)
        add(p, out,
            "\n"
            "/* What is behind an object if it is a proxy's face, else the object. */\n"
            "static OBJECT *$_behind(const OBJECT *other)\n"
            "{\n"
            "    if (other && other->MEMBER && portolan_proxy_is_ours(&$_table, other->MEMBER)) "
            "{\n"
            "        struct portolan_proxy *proxy = $_of(other);\n"
            "\n"
            "        if (other == &((struct $ *)proxy)->face)\n"
            "            return (OBJECT *)portolan_probe_port_peek_binding(&proxy->port)->target;\n"
            "    }\n"
            "    return (OBJECT *)other;\n"
            "}\n");
    else
        add(p, out,
            "\n"
            "/* What is behind an object if it is a proxy's face, else the object. */\n"
            "static OBJECT *$_behind(const OBJECT *other)\n"
            "{\n"
            "    for (int i = 0; other && i < PORTOLAN_PROXY_SLOTS; i++) {\n"
            "        struct portolan_proxy *proxy = __atomic_load_n(&$_slots[i], "
            "__ATOMIC_ACQUIRE);\n"
            "\n"
            "        if (proxy && other == &((struct $ *)proxy)->face)\n"
            "            return (OBJECT *)portolan_probe_port_peek_binding(&proxy->port)->target;\n"
            "    }\n"
            "    return (OBJECT *)other;\n"
            "}\n");
}

void proxygen_emit_object(const struct port *p, struct portolan_text *out)
{
    emit_struct(p, out);
    if (p->has_data)
        emit_data(p, out);
    emit_ways(p, out);
}
