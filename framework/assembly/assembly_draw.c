/* SPDX-License-Identifier: BSD-3-Clause */
/* An assembly as Graphviz DOT: instances as boxes, provides ports left, uses ports right; and as
 * lines. */
#include "assembly.h"

#include <portolan/palette.h>

#include <string.h>

struct drawing {
    struct portolan_text b;
    const struct portolan_assembly *a;
    const struct portolan_palette *palette; /* or NULL */
};

enum side { PROVIDES, USES };

static const char *connection_port(const struct portolan_assembly_connection *c,
                                   const char *instance, enum side side)
{
    if (side == PROVIDES)
        return strcmp(c->provider, instance) ? NULL : c->provides;
    return strcmp(c->user, instance) ? NULL : c->uses;
}

/* A quoted DOT string of PREFIX and TEXT. */
static void add_quoted(struct portolan_text *b, const char *prefix, const char *text)
{
    portolan_text_add(b, "\"%s", prefix);
    portolan_text_add_escaped(b, text);
    portolan_text_add_bytes(b, "\"", 1);
}

static void port_cell(struct drawing *g, enum side side, const char *name)
{
    portolan_text_add(&g->b, "<TR><TD PORT=\"%c_", side == PROVIDES ? 'p' : 'u');
    portolan_text_add_xml(&g->b, name);
    portolan_text_add(&g->b, "\" BGCOLOR=\"%s\">", side == PROVIDES ? "#cfe3cf" : "#dbe4f5");
    portolan_text_add_xml(&g->b, name);
    portolan_text_add(&g->b, "</TD></TR>");
}

/* Draws ports that connections or <go> name but that the class C lacks; C NULL: not known. */
static size_t named_ports(struct drawing *g, const char *instance, enum side side,
                          const struct portolan_class_description *c)
{
    size_t count = 0;

    for (size_t i = 0; i < g->a->n_connections; i++) {
        const char *port = connection_port(&g->a->connections[i], instance, side);
        bool drawn = !port;

        for (size_t j = 0; j < i && !drawn; j++) {
            const char *other = connection_port(&g->a->connections[j], instance, side);

            drawn = other && !strcmp(other, port);
        }
        if (drawn || (c && (side == PROVIDES ? portolan_class_provides(c, port)
                                             : portolan_class_uses(c, port))))
            continue;
        port_cell(g, side, port);
        count++;
    }
    if (side == PROVIDES && !c && g->a->go.provider && !strcmp(g->a->go.provider, instance)) {
        port_cell(g, side, g->a->go.provides);
        count++;
    }
    return count;
}

static void draw_ports(struct drawing *g, const char *instance, enum side side,
                       const struct portolan_class_description *c)
{
    size_t known = !c ? 0 : side == PROVIDES ? c->n_provides : c->n_uses;

    portolan_text_add(&g->b, "<TD><TABLE BORDER=\"0\" CELLBORDER=\"1\" CELLSPACING=\"2\">");
    for (size_t i = 0; i < known; i++)
        port_cell(g, side, (side == PROVIDES ? c->provides : c->uses)[i].name);
    if (!named_ports(g, instance, side, c) && !known)
        portolan_text_add(&g->b, "<TR><TD BORDER=\"0\"></TD></TR>");
    portolan_text_add(&g->b, "</TABLE></TD>");
}

static void draw_instance(struct drawing *g, const struct portolan_assembly_instance *i)
{
    const char *class_name = i->alternatives[i->selected].class_name;
    const struct portolan_class_description *c =
        g->palette ? portolan_palette_find(g->palette, class_name) : NULL;

    portolan_text_add(&g->b, "  ");
    add_quoted(&g->b, "", i->name);
    portolan_text_add(&g->b,
                      " [label=<<TABLE BORDER=\"%d\" CELLBORDER=\"0\" CELLSPACING=\"0\"><TR>",
                      i->n_alternatives > 1 ? 3 : 1);
    draw_ports(g, i->name, PROVIDES, c);
    portolan_text_add(&g->b, "<TD><B>");
    portolan_text_add_xml(&g->b, i->name);
    portolan_text_add(&g->b, "</B><BR/>");
    portolan_text_add_xml(&g->b, class_name);
    for (size_t k = 0; k < i->n_alternatives; k++) {
        if (k == i->selected)
            continue;
        portolan_text_add(&g->b, "<BR/><FONT COLOR=\"#777777\">or ");
        portolan_text_add_xml(&g->b, i->alternatives[k].class_name);
        portolan_text_add(&g->b, "</FONT>");
    }
    portolan_text_add(&g->b, "</TD>");
    draw_ports(g, i->name, USES, c);
    portolan_text_add(&g->b, "</TR></TABLE>>];\n");
}

/* A connection is dormant while the user's present class lacks the port. */
static bool is_dormant(const struct drawing *g, const struct portolan_assembly_connection *c)
{
    const struct portolan_assembly_instance *i = portolan_assembly_peek_instance(g->a, c->user);
    const struct portolan_class_description *user;

    if (!i || !g->palette)
        return false;
    user = portolan_palette_find(g->palette, i->alternatives[i->selected].class_name);
    return user && !portolan_class_uses(user, c->uses);
}

/* How it is measured, and which components of the paradigm its calls are. */
static void draw_label(struct drawing *g, const struct portolan_assembly_connection *c)
{
    const struct portolan_assembly_paradigm *p = g->a->paradigm;

    portolan_text_add(&g->b, "\"%s", c->variant ? c->variant : "monitored");
    for (size_t i = 0; p && i < p->n_parts; i++) {
        const struct portolan_assembly_part *part = &p->parts[i];

        if (!part->uses || strcmp(part->uses, c->uses) != 0 ||
            (part->user && strcmp(part->user, c->user) != 0))
            continue;
        portolan_text_add(&g->b, "\\n");
        portolan_text_add_escaped(&g->b, part->method ? part->method : "");
        portolan_text_add(&g->b, "%s", part->method ? ": " : "");
        portolan_text_add_escaped(&g->b, part->component);
    }
    portolan_text_add(&g->b, "\"");
}

static void draw_connection(struct drawing *g, const struct portolan_assembly_connection *c)
{
    portolan_text_add(&g->b, "  ");
    add_quoted(&g->b, "", c->user);
    portolan_text_add(&g->b, ":");
    add_quoted(&g->b, "u_", c->uses);
    portolan_text_add(&g->b, " -> ");
    add_quoted(&g->b, "", c->provider);
    portolan_text_add(&g->b, ":");
    add_quoted(&g->b, "p_", c->provides);
    portolan_text_add(&g->b, " [");
    if (c->monitored)
        portolan_text_add(&g->b, "color=\"#b03030\", penwidth=2, label=");
    if (c->monitored)
        draw_label(g, c);
    if (is_dormant(g, c))
        portolan_text_add(&g->b, "%sstyle=dashed", c->monitored ? ", " : "");
    portolan_text_add(&g->b, "];\n");
}

enum portolan_status portolan_assembly_draw(const struct portolan_assembly *a,
                                            const struct portolan_palette *palette, char **dot,
                                            struct portolan_error *err)
{
    struct drawing g = {.a = a, .palette = palette};

    portolan_text_add(&g.b, "digraph ");
    add_quoted(&g.b, "", a->name);
    portolan_text_add(&g.b,
                      " {\n  rankdir=LR;\n"
                      "  node [shape=plain, fontname=\"sans-serif\"];\n"
                      "  edge [fontname=\"sans-serif\", fontsize=10, fontcolor=\"#b03030\"];\n");
    for (size_t i = 0; i < a->n_instances; i++)
        draw_instance(&g, &a->instances[i]);
    for (size_t i = 0; i < a->n_connections; i++)
        draw_connection(&g, &a->connections[i]);
    if (a->go.provider) {
        portolan_text_add(&g.b, "  \"(go)\" [shape=circle, label=\"go\"];\n  \"(go)\" -> ");
        add_quoted(&g.b, "", a->go.provider);
        portolan_text_add(&g.b, ":");
        add_quoted(&g.b, "p_", a->go.provides);
        portolan_text_add(&g.b, "%s;\n",
                          a->go.monitored ? " [color=\"#b03030\", penwidth=2, label=\"monitored\"]"
                                          : "");
    }
    portolan_text_add(&g.b, "}\n");
    return portolan_text_take(&g.b, dot, err);
}

/* ------------------------------------------------------------------ as lines */

/* "[proxy]" marks connections with a proxy: monitored, or ready for a swap. */
static void list_connection(struct portolan_text *out, const struct portolan_assembly *a,
                            const struct portolan_assembly_connection *c)
{
    const struct portolan_assembly_instance *provider =
        portolan_assembly_peek_instance(a, c->provider);
    bool swappable = provider && provider->n_alternatives > 1;

    portolan_text_add(out, "  %s.%s --%s--> %s.%s\n", c->user, c->uses,
                      c->monitored ? "[timing proxy]"
                      : swappable  ? "[proxy]"
                                   : "",
                      c->provider, c->provides);
}

enum portolan_status portolan_assembly_list(const struct portolan_assembly *a, char **text,
                                            struct portolan_error *err)
{
    struct portolan_text out = {0};

    portolan_text_add(&out, "assembly '%s' (%s)\n", a->name, a->file);
    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_assembly_instance *instance = &a->instances[i];

        portolan_text_add(&out, "  %-12s %s", instance->name,
                          instance->alternatives[instance->selected].class_name);
        for (size_t k = 0; k < instance->n_alternatives; k++)
            if (k != instance->selected)
                portolan_text_add(&out, " | %s", instance->alternatives[k].class_name);
        portolan_text_add(&out, "\n");
    }
    portolan_text_add(&out, "connections\n");
    for (size_t i = 0; i < a->n_connections; i++)
        list_connection(&out, a, &a->connections[i]);
    return portolan_text_take(&out, text, err);
}
