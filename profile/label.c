/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call path's leaf is called. */
#include "internal.h"

#include <string.h>

void profile_add_context(const struct portolan_profile_node *n, struct portolan_text *text)
{
    portolan_text_add(text, " [");
    for (int k = 0; k < n->n_context; k++)
        portolan_text_add(text, "%s <%s> = <%s%.12g>", k ? "," : "", n->context_name[k],
                          n->binned ? "~" : "", n->context[k]);
    portolan_text_add(text, " ]");
}

void portolan_profile_add_label(const struct portolan_profile_node *n, bool with_port,
                                struct portolan_text *text)
{
    if (*n->instance)
        portolan_text_add(text, "%s.", n->instance);
    if (with_port && *n->port)
        portolan_text_add(text, "%s.", n->port);
    portolan_text_add(text, "%s", n->method);
    if (*n->implementation)
        portolan_text_add(text, " [%s]", n->implementation);
    if (n->is_context)
        profile_add_context(n, text);
}

bool profile_is_ambiguous(const struct portolan_profile *p, size_t node)
{
    const struct portolan_profile_node *n = &p->nodes[node];

    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct portolan_profile_node *m = &p->nodes[i];

        if (i != node && !m->is_context && !strcmp(m->method, n->method) &&
            !strcmp(m->instance, n->instance) && !strcmp(m->implementation, n->implementation))
            return true;
    }
    return false;
}
