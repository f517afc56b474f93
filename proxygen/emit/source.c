/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files are made of a port, and the sources of SIDL and C ports from their parts. */
#include "emit.h"

static bool is_struct(const struct port *port)
{
    return port->shape == SHAPE_TABLE || port->shape == SHAPE_STRUCT;
}

static bool has_callbacks(const struct run *run)
{
    bool found = proxygen_has_callbacks(&run->main_port);

    for (size_t i = 0; i < run->n_given; i++)
        found |= proxygen_has_callbacks(run->given[i]);
    return found;
}

/* A forwarding function for an entry-point vector. */
static void emit_sidl_function(struct run *run, const struct method *m, size_t number,
                               bool is_short, struct portolan_text *out)
{
    const char *type = run->port->c_type, *prefix = run->port->prefix;
    struct locals l = proxygen_locals(run, m);

    portolan_text_add(
        out, "\nstatic %s%s\n", proxygen_function_attribute(m, is_short),
        proxygen_replace(&run->arena, m->head, proxygen_function_name(run, prefix, m, is_short)));
    if (is_short)
        portolan_text_add(out, "{\n");
    else
        proxygen_emit_head(m, &l, out);
    portolan_text_add(out, "    struct portolan_proxy *%s = self;\n    %s %s;\n", l.proxy, type,
                      l.to);
    if (m->returns)
        portolan_text_add(out, "    %s = {0};\n",
                          proxygen_replace(&run->arena, m->result, l.result));
    portolan_text_add(out, "\n");
    if (is_short) {
        proxygen_emit_pass(m, &l,
                           proxygen_print(&run->arena, "%s(self%s)",
                                          proxygen_function_name(run, prefix, m, false), m->pass),
                           out);
        portolan_text_add(out, "    %s = %s.binding->target;\n", l.to, l.call);
    } else {
        proxygen_emit_enter(m, &l, number, out);
    }
    portolan_text_add(out, "    if (%s)\n        %s%s(*%s->d_epv->%s)(%s->d_object%s);\n", l.to,
                      m->returns ? l.result : "", m->returns ? " = " : "", l.to, m->member, l.to,
                      m->pass);
    portolan_text_add(out, "    else\n        portolan_proxy_throw_unconnected(%s, %zu, _ex);\n",
                      l.proxy, number);
    if (!is_short) {
        proxygen_emit_accuracy(m, &l, "if (!*_ex)", out);
        proxygen_emit_leave(run, m, &l, out);
    }
    if (m->returns)
        portolan_text_add(out, "    return %s;\n", l.result);
    portolan_text_add(out, "}\n");
}

static void emit_sidl(struct run *run, struct portolan_text *out)
{
    const struct port *p = run->port;

    proxygen_emit_port(p, out, "\nstruct $ {\n    struct portolan_proxy common;\n};\n");
    for (size_t i = 0; i < p->n_methods; i++) {
        emit_sidl_function(run, &p->methods[i], i, false, out);
        emit_sidl_function(run, &p->methods[i], i, true, out);
    }
    proxygen_emit_port(p, out, "\nstatic const struct @__epv $_forward = {\n");
    for (size_t i = 0; i < p->n_methods; i++)
        portolan_text_add(out, "    .%s = %s_do_%s,\n", p->methods[i].member, p->prefix,
                          p->methods[i].name);
    portolan_text_add(out, "};\n");
}

static void emit_source(struct run *run, struct portolan_text *out)
{
    const struct port *port = run->port;

    proxygen_emit_prologue(port, "the timing proxy",
                           has_callbacks(run)
                               ? "#include <portolan/callback.h>\n#include <portolan/proxy.h>\n"
                               : "#include <portolan/proxy.h>\n",
                           out);
    proxygen_emit_include(port, out);
    if (is_struct(port))
        portolan_text_add(out, "#include <portolan/candidates.h>\n");
    proxygen_emit_freed_names(run, out);
    if (port->is_cxx)
        portolan_text_add(out, "#pragma GCC diagnostic ignored \"-Wmissing-field-initializers\"\n"
                               "#pragma GCC diagnostic ignored \"-Wpragmas\"\n"
                               "#pragma GCC diagnostic ignored \"-Wc++20-extensions\"\n"
                               "\nextern \"C\" {\n");
    if (is_struct(port)) {
        proxygen_emit_table(run, out);
        proxygen_emit_wrap(port, out);
    } else {
        proxygen_emit_methods(port, port->prefix, out);
        emit_sidl(run, out);
        proxygen_emit_port_description(port, out);
    }
    proxygen_emit_class(port, "portolan_proxy_destroy", out);
    proxygen_emit_port(port, out,
                       "\nstatic gov_cca_Component $_create(sidl_BaseInterface *_ex)\n{\n"
                       "    return portolan_proxy_create(&$_class, &$_description, _ex);\n}\n");
    proxygen_emit_component(port, out);
    if (port->is_cxx)
        portolan_text_add(out, "}\n");
}

void proxygen_emit(struct run *run)
{
    const struct port *port = run->port;

    if (port->shape == SHAPE_FUNCTIONS) {
        proxygen_emit_functions(run);
        return;
    }
    if (port->shape == SHAPE_CLASS)
        proxygen_emit_cxx(run, proxygen_add_output(run, "%s_proxy.cc", port->c_type));
    else
        emit_source(run, proxygen_add_output(run, port->is_cxx ? "%s_proxy.cc" : "%s_proxy.c",
                                             port->c_type));
    proxygen_emit_description(run, proxygen_add_output(run, "%sProxy.xml", port->c_type));
    if (is_struct(port))
        proxygen_emit_wrap_header(run, proxygen_add_output(run, "%s_proxy.h", port->c_type));
}
