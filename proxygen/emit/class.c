/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proxies for classes of C++. Users hold the face, which is derived from the port's class and
 * overrides its virtual methods. Methods that are not public are called through member pointers
 * from an explicit instantiation, the one place where C++ lets private members be named.
 */
#include "emit.h"

#include <string.h>

#include <portolan/probe.h>

/* The context of a call of M; empty on trial, when contexts are not known yet. */
static size_t contexts(const struct port *p, const struct method *m, struct context *list)
{
    return p->on_trial ? 0 : proxygen_contexts(m, list);
}

/* ------------------------------------------------------------------ methods that are not public */

static void emit_grants(struct run *run, struct portolan_text *out)
{
    const struct port *p = run->port;

    for (size_t i = 0; i < p->n_methods; i++) {
        const struct method *m = &p->methods[i];

        if (m->skip || m->cxx->is_open)
            continue;
        portolan_text_add(out,
                          "\n"
                          "namespace portolan {\n"
                          "struct %s_tag_%zu {\n"
                          "    using type = %s;\n"
                          "    friend constexpr type proxy_member(%s_tag_%zu);\n"
                          "};\n"
                          "template struct proxy_grant<%s_tag_%zu, &::%s::%s>;\n"
                          "}\n",
                          p->prefix, i, proxygen_replace(&run->arena, m->cxx->pointer, ""),
                          p->prefix, i, p->prefix, i,
                          m->cxx->owner + (m->cxx->owner[0] == ':' ? 2 : 0), m->member);
    }
}

/* ------------------------------------------------------------------ forwarding methods */

static const char *parameters(struct run *run, const struct method *m)
{
    const char *list = proxygen_parameters(run, m);

    return m->variadic ? proxygen_print(&run->arena, "%s%s...", list, *list ? ", " : "") : list;
}

static const char *pass_item(struct run *run, const struct method *m, const struct argument *a)
{
    (void)m;
    if (a->role == ROLE_PEER)
        return proxygen_print(&run->arena, "portolan::proxy_behind<%s_face>(%s)", run->port->prefix,
                              a->name);
    return a->is_moved ? proxygen_print(&run->arena, "std::move(%s)", a->name) : a->name;
}

static const char *handed_on(struct run *run, const struct method *m)
{
    return proxygen_list(run, m, pass_item);
}

/* A call of method number I with ARGUMENTS on the object that the expression OBJECT names. */
static const char *forward(struct run *run, size_t i, const char *object, const char *arguments)
{
    const struct method *m = &run->port->methods[i];
    struct portolan_arena *arena = &run->arena;
    const struct cxx_method *x = m->cxx;
    const char *to = proxygen_replace(arena, x->path, object), *pointer;

    if (x->is_rvalue)
        to = proxygen_print(arena, "static_cast<%s &&>(%s)", x->owner, to);
    else if (to[0] == '*')
        to = proxygen_print(arena, "(%s)", to);
    if (x->is_direct)
        return proxygen_print(arena, "%s.%s(%s)", to, m->member, arguments);
    pointer =
        x->is_open
            ? proxygen_print(arena, "static_cast<%s>(&%s::%s)",
                             proxygen_replace(arena, x->pointer, ""), x->owner, m->member)
            : proxygen_print(arena, "proxy_member(portolan::%s_tag_%zu())", run->port->prefix, i);
    return proxygen_print(arena, "(%s.*%s)(%s)", to, pointer, arguments);
}

static void emit_context(const struct port *p, const struct method *m, const struct locals *l,
                         struct portolan_text *out)
{
    struct context list[PORTOLAN_PROBE_CONTEXTS];
    size_t n = contexts(p, m, list);

    if (!n)
        return;
    portolan_text_add(out, "        const struct portolan_probe_context %s[%zu] = {", l->context,
                      n);
    for (size_t i = 0; i < n; i++)
        portolan_text_add(out,
                          list[i].kind == VALUE_REAL
                              ? "%s\n            portolan_probe_context_real("
                                "static_cast<double>(%s))"
                              : "%s\n            portolan::proxy_whole(%s)",
                          i ? "," : "", list[i].value);
    portolan_text_add(out, "};\n");
}

/* Returns whether the proxy reads a status or an accuracy after the call. */
static bool has_outcome(const struct port *p, const struct method *m)
{
    if (p->on_trial)
        return false;
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].accuracy)
            return true;
    return m->accuracy || m->status;
}

static void emit_outcome(const struct method *m, const struct locals *l, struct portolan_text *out)
{
    if (m->status)
        portolan_text_add(out, "        %s.failed(%s != 0);\n", l->call, l->result);
    if (m->accuracy)
        portolan_text_add(out, "        %s.accuracy(%s);\n", l->call, l->result);
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].accuracy)
            portolan_text_add(out, "        %s.accuracy(%s);\n", l->call, m->arguments[i].name);
}

/* Emits CALL and returns its result; a result that is the target itself becomes the proxy. */
static void emit_result(struct run *run, const struct method *m, const struct locals *l,
                        const char *to, bool measured, const char *call, struct portolan_text *out)
{
    const char *object = run->port->object;
    bool outcome = measured && has_outcome(run->port, m);

    if (m->cxx->self == CXX_SELF_NONE && !outcome) {
        portolan_text_add(out, "\n        %s%s;\n", m->returns ? "return " : "", call);
        return;
    }
    if (m->returns)
        portolan_text_add(out, "        %s = %s;\n",
                          strcmp(m->result, "@") == 0
                              ? proxygen_print(&run->arena, "auto %s", l->result)
                              : proxygen_replace(&run->arena, m->result, l->result),
                          call);
    else
        portolan_text_add(out, "\n        %s;\n", call);
    if (outcome)
        emit_outcome(m, l, out);
    if (m->cxx->self == CXX_SELF_REFERENCE)
        portolan_text_add(out,
                          "\n        if (&%s == %s)\n"
                          "            return const_cast<%s &>(static_cast<const %s &>(*this));\n",
                          l->result, to, object, object);
    if (m->cxx->self == CXX_SELF_POINTER)
        portolan_text_add(out,
                          "\n        if (%s == %s)\n"
                          "            return const_cast<%s *>(static_cast<const %s *>(this));\n",
                          l->result, to, object, object);
    if (m->returns)
        portolan_text_add(out, "        return %s;\n", l->result);
}

/* A result type that surrounds the name (arrays, functions) is written after the parameters. */
static const char *full_head(struct run *run, const struct method *m, const char *name,
                             const char *qualifiers)
{
    struct portolan_arena *arena = &run->arena;
    const char *head = proxygen_print(arena, "%s(%s)%s", name, parameters(run, m), qualifiers);
    bool surrounds = m->head[strlen(m->head) - 1] != '@';

    return surrounds
               ? proxygen_print(arena, "auto %s -> %s", head, proxygen_replace(arena, m->head, ""))
               : proxygen_replace(arena, m->head, head);
}

/* Forwards a variadic method to its twin, which takes a va_list. */
static void emit_variadic(struct run *run, const struct method *m, const struct locals *l,
                          struct portolan_text *out)
{
    struct portolan_arena *arena = &run->arena;
    const char *arguments = proxygen_print(arena, "%s, %s", handed_on(run, m), l->list);
    size_t twin = 0;

    while (strcmp(run->port->methods[twin].name, m->twin) != 0)
        twin++;
    portolan_text_add(out, "        va_list %s;\n\n        va_start(%s, %s);\n", l->list, l->list,
                      m->arguments[m->n_arguments - 1].name);
    portolan_text_add(
        out, "        %s%s;\n        va_end(%s);\n",
        m->returns ? proxygen_print(arena, "%s = ", proxygen_replace(arena, m->result, l->result))
                   : "",
        forward(run, twin, proxygen_print(arena, "*%s", l->call), arguments), l->list);
    if (m->returns)
        portolan_text_add(out, "        return %s;\n", l->result);
}

/* Emits BODY so that an exception marks the call as failed. */
static void emit_tried(const struct port *p, const struct method *m, const struct locals *l,
                       const char *body, struct portolan_text *out)
{
    if (p->on_trial || strstr(m->cxx->qualifiers, "noexcept")) { /* no exception */
        portolan_text_add(out, "%s", body);
        return;
    }
    body += *body == '\n';
    portolan_text_add(out, "\n        try {\n");
    for (const char *end; *body; body = end + 1) {
        end = strchr(body, '\n');
        portolan_text_add(out, "%s%.*s\n", end > body ? "    " : "", (int)(end - body), body);
    }
    portolan_text_add(out,
                      "        } catch (...) {\n            %s.failed(true);\n"
                      "            throw;\n        }\n",
                      l->call);
}

static void emit_body(struct run *run, size_t i, size_t number, struct portolan_text *out)
{
    struct portolan_text body = {.arena = &run->arena};
    struct portolan_arena *arena = &run->arena;
    const struct method *m = &run->port->methods[i];
    struct locals l = proxygen_locals(run, m);
    struct context list[PORTOLAN_PROBE_CONTEXTS];
    size_t n = contexts(run->port, m, list);
    const char *construct = proxygen_print(arena, "(this->portolan_, %zu, %s, %zu)", number,
                                           n ? l.context : "nullptr", n);
    const char *object = run->port->object;

    emit_context(run->port, m, &l, out);
    if (m->no_return) {
        portolan_text_add(out,
                          "        %s *%s = portolan::proxy_call<%s>%s.object();\n"
                          "\n"
                          "        %s%s; /* it never comes back */\n",
                          object, l.to, object, construct, m->returns ? "return " : "",
                          forward(run, i, proxygen_print(arena, "*%s", l.to), handed_on(run, m)));
        return;
    }
    portolan_text_add(out, "        portolan::proxy_call<%s> %s%s;\n", object, l.call, construct);
    if (m->twin)
        emit_variadic(run, m, &l, &body);
    else
        emit_result(run, m, &l, proxygen_print(arena, "%s.object()", l.call), true,
                    forward(run, i, proxygen_print(arena, "*%s", l.call), handed_on(run, m)),
                    &body);
    emit_tried(run->port, m, &l, body.bytes ? body.bytes : "", out);
}

/* The argument A as passed to the proxy's own measuring method, which has the same parameters. */
static const char *repeated_item(struct run *run, const struct method *m, const struct argument *a)
{
    (void)m;
    return a->is_moved ? proxygen_print(&run->arena, "std::move(%s)", a->name) : a->name;
}

/* QUALIFIERS without & or &&, since the method that measures is called as this->NAME(). */
static const char *without_reference(struct run *run, const char *qualifiers)
{
    const char *at = strstr(qualifiers, " &");

    return at ? proxygen_print(&run->arena, "%.*s%s", (int)(at - qualifiers), qualifiers,
                               at + (at[2] == '&' ? 3 : 2))
              : qualifiers;
}

/* The body for a call that is not measured, in a function of its own so that it costs little. */
static void emit_pass(struct run *run, size_t i, size_t number, const char *again,
                      struct portolan_text *out)
{
    struct portolan_arena *arena = &run->arena;
    const struct method *m = &run->port->methods[i];
    struct locals l = proxygen_locals(run, m);

    portolan_text_add(out,
                      "        PORTOLAN_PROBE_PASS(%s, &this->portolan_->port,\n"
                      "                            return this->%s(%s));\n"
                      "        %s *%s = portolan::proxy_target<%s>(this->portolan_, %zu, %s);\n",
                      l.call, again, proxygen_list(run, m, repeated_item), run->port->object, l.to,
                      run->port->object, number, l.call);
    emit_result(run, m, &l, l.to, false,
                forward(run, i, proxygen_print(arena, "*%s", l.to), handed_on(run, m)), out);
}

static void emit_method(struct run *run, size_t i, size_t number, struct portolan_text *out)
{
    const struct method *m = &run->port->methods[i];
    const char *qualifiers = m->cxx->qualifiers;
    bool is_short = !m->no_return && !m->variadic && !run->port->on_trial;
    bool conversion = strcmp(m->head, "@") == 0;
    const char *again = proxygen_print(&run->arena, "portolan_measure_%zu", number);

    if (is_short && !conversion)
        portolan_text_add(out, "\n    PORTOLAN_PROBE_MEASURING %s\n    {\n",
                          full_head(run, m, again, without_reference(run, qualifiers)));
    else
        portolan_text_add(out, "\n    %s override\n    {\n",
                          full_head(run, m, m->member, qualifiers));
    if (m->variadic && run->port->on_trial)
        portolan_text_add(out, "        throw 0;\n");
    else
        emit_body(run, i, number, out);
    portolan_text_add(out, "    }\n");
    if (!is_short || conversion)
        return;
    portolan_text_add(out, "\n    PORTOLAN_PROBE_FORWARDING %s override\n    {\n",
                      full_head(run, m, m->member, qualifiers));
    emit_pass(run, i, number, again, out);
    portolan_text_add(out, "    }\n");
}

static void emit_face(struct run *run, struct portolan_text *out)
{
    const struct port *p = run->port;
    size_t number = 0;

    proxygen_emit_port(p, out,
                       "\n"
                       "namespace {\n"
                       "\n"
                       "/* What users hold. */\n"
                       "class $_face final : public OBJECT {\n"
                       "public:\n"
                       "    using portolan_port = OBJECT;\n"
                       "    struct portolan_proxy *portolan_;\n"
                       "\n"
                       "    explicit $_face(struct portolan_proxy *proxy) : portolan_(proxy) {}\n"
                       "    $_face(const $_face &) = delete;\n"
                       "    $_face &operator=(const $_face &) = delete;\n");
    for (size_t i = 0; i < p->n_methods; i++)
        if (!p->methods[i].skip || (p->on_trial && p->methods[i].is_pure))
            emit_method(run, i, number++, out);
    portolan_text_add(out, "};\n\n}\n");
}

/* ------------------------------------------------------------------ the file */

static void emit_pragmas(const struct port *p, struct portolan_text *out)
{
    bool hides = false;

    for (size_t i = 0; i < p->n_methods; i++)
        hides |= p->methods[i].skip && p->methods[i].cxx;
    if (hides)
        portolan_text_add(out, "\n"
                               "/* Some virtual methods stay as they are, and hide. */\n"
                               "#pragma GCC diagnostic ignored \"-Woverloaded-virtual\"\n");
    if (p->has_deprecated)
        portolan_text_add(out, "\n"
                               "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n");
}

static void emit_methods(const struct port *p, struct portolan_text *out)
{
    portolan_text_add(out, "\nnamespace {\n\nconst struct portolan_probe_method %s_methods[] = {\n",
                      p->prefix);
    for (size_t i = 0; i < p->n_methods; i++) {
        const struct method *m = &p->methods[i];
        struct context list[PORTOLAN_PROBE_CONTEXTS];
        size_t n = proxygen_contexts(m, list);
        unsigned real = 0;

        if (m->skip)
            continue;
        portolan_text_add(out, "    {\"%s\", %zu, {", m->name, n);
        for (size_t k = 0; k < n; k++) {
            portolan_text_add(out, "%s\"%s\"", k ? ", " : "", list[k].name);
            real |= (unsigned)(list[k].kind == VALUE_REAL) << k;
        }
        portolan_text_add(out, "}, %u, PORTOLAN_PROBE_CALL_OF_PORT},\n", real);
    }
    portolan_text_add(out, "};\n\n}\n");
}

void proxygen_emit_cxx(struct run *run, struct portolan_text *out)
{
    const struct port *p = run->port;

    portolan_text_add(
        out,
        "/* Generated by portolan proxygen: the timing proxy for %s. Do not edit. */\n"
        "#include <portolan/proxy.hpp>\n\n#include %s\n",
        p->type, p->include);
    emit_pragmas(p, out);
    emit_methods(p, out);
    emit_grants(run, out);
    emit_face(run, out);
    portolan_text_add(out, "\nPORTOLAN_PROXY_COMPONENT(%s, \"%sProxy\", \"%s\");\n", p->prefix,
                      p->type, p->type);
}

/* The part of <portolan/proxy.hpp> that a face needs in order to compile on trial. */
static const char stand_in[] =
    "struct portolan_proxy;\n"
    "struct portolan_probe_context {};\n"
    "portolan_probe_context portolan_probe_context_real(double);\n"
    "#include <cstdint>\n"
    "#include <utility>\n"
    "namespace portolan {\n"
    "template <typename Port> struct proxy_call {\n"
    "    proxy_call(portolan_proxy *, unsigned, const portolan_probe_context *, unsigned);\n"
    "    ~proxy_call();\n"
    "    Port *object() const;\n"
    "    Port *operator->() const;\n"
    "    Port &operator*() const;\n"
    "    template <typename Number> void accuracy(const Number &);\n"
    "    void failed(bool);\n"
    "};\n"
    "template <typename Tag, typename Tag::type Member> struct proxy_grant {\n"
    "    friend constexpr typename Tag::type proxy_member(Tag) { return Member; }\n"
    "};\n"
    "template <typename Number> portolan_probe_context proxy_whole(Number);\n"
    "template <typename Face, typename Port> Port *proxy_behind(Port *);\n"
    "template <typename Face, typename Port> Port &proxy_behind(Port &);\n"
    "}\n";

void proxygen_emit_cxx_trial(struct run *run, struct portolan_text *out)
{
    portolan_text_add(out, "%s", stand_in);
    run->port->on_trial = true;
    emit_grants(run, out);
    emit_face(run, out);
    run->port->on_trial = false;
    /* Compilers check constructors and destructors only where they are used. */
    portolan_text_add(out, "\nvoid portolan_try(portolan_proxy *p) { delete new %s_face(p); }\n",
                      run->port->prefix);
}
