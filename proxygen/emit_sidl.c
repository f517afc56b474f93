/* SPDX-License-Identifier: BSD-3-Clause */
/* Proxies for SIDL interfaces: an entry-point vector of forwarding functions. */
#include "proxygen_internal.h"

static void emit_function(struct run *run, const struct method *m, size_t number, bool is_short,
                          struct portolan_text *out)
{
    const char *type = run->port.c_type, *prefix = run->port.prefix;
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

void proxygen_emit_sidl(struct run *run, struct portolan_text *out)
{
    const struct port *p = &run->port;

    proxygen_add_template(out, p->prefix, "\nstruct $ {\n    struct portolan_proxy common;\n};\n");
    for (size_t i = 0; i < p->n_methods; i++) {
        emit_function(run, &p->methods[i], i, false, out);
        emit_function(run, &p->methods[i], i, true, out);
    }
    portolan_text_add(out, "\nstatic const struct %s__epv %s_forward = {\n", p->c_type, p->prefix);
    for (size_t i = 0; i < p->n_methods; i++)
        portolan_text_add(out, "    .%s = %s_do_%s,\n", p->methods[i].member, p->prefix,
                          p->methods[i].name);
    portolan_text_add(out, "};\n");
}
