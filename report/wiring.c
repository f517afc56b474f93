/* SPDX-License-Identifier: BSD-3-Clause */
/* The assembly as a graph, with time and calls of each connection. */
#include "internal.h"

#include <portolan/list.h>
#include <portolan/palette.h>

#include <math.h>
#include <string.h>

/* The time of a connection or an instance in the trial that is shown: means over ranks; NaN: it was
 * not measured. */
struct load {
    double calls, ns;
};

struct wire {
    const char *user, *uses, *provider, *provides, *type;
    const char *mark; /* how its proxy measures; "": none */
};

struct wiring {
    const struct report *r;
    struct portolan_arena pool;
    size_t n_names, n_wires;
    const char **names; /* of instances */
    struct wire *wires;
    struct report_layout layout;
};

/* ------------------------------------------------------------------ what is wired */

static size_t find_name(struct wiring *w, const char *name)
{
    for (size_t i = 0; i < w->n_names; i++)
        if (!strcmp(w->names[i], name))
            return i;
    portolan_arena_append(&w->pool, &w->names, &w->n_names, &name, sizeof name);
    return w->n_names - 1;
}

static void add_wire(struct wiring *w, const struct wire *wire)
{
    for (size_t i = 0; i < w->n_wires; i++)
        if (!strcmp(w->wires[i].user, wire->user) && !strcmp(w->wires[i].uses, wire->uses) &&
            !strcmp(w->wires[i].provider, wire->provider))
            return;
    find_name(w, wire->user);
    find_name(w, wire->provider);
    portolan_arena_append(&w->pool, &w->wires, &w->n_wires, wire, sizeof *wire);
}

static const char *type_of(const struct wiring *w, const struct portolan_assembly_connection *c)
{
    const struct portolan_assembly_instance *i =
        portolan_assembly_peek_instance(w->r->from->assembly, c->provider);
    const struct portolan_class_description *d =
        i && w->r->from->palette
            ? portolan_palette_find(w->r->from->palette, i->alternatives[i->selected].class_name)
            : NULL;
    const struct portolan_port_description *p = d ? portolan_class_provides(d, c->provides) : NULL;

    return p ? p->type : "";
}

static void take_assembly(struct wiring *w, const struct portolan_assembly *a)
{
    for (size_t i = 0; i < a->n_instances; i++)
        find_name(w, a->instances[i].name);
    for (size_t i = 0; i < a->n_connections; i++) {
        const struct portolan_assembly_connection *c = &a->connections[i];

        add_wire(w, &(struct wire){c->user, c->uses, c->provider, c->provides, type_of(w, c),
                                   c->variant     ? c->variant
                                   : c->monitored ? "monitored"
                                                  : ""});
    }
}

/* Adds connections that were called, whatever the assembly says. */
static void take_profile(struct wiring *w, const struct portolan_profile *p)
{
    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct portolan_profile_node *n = &p->nodes[i];

        if (*n->user)
            add_wire(w, &(struct wire){n->user, n->uses, n->instance, n->port, n->port_type,
                                       "monitored"});
        else
            find_name(w, n->instance);
    }
}

/* ------------------------------------------------------------------ what it took */

static struct load load_of_wire(const struct wiring *w, const struct wire *wire)
{
    const struct portolan_profile *p = w->r->profile;
    double unmeasured = p && *wire->mark ? 0 : NAN;
    struct load sum = {unmeasured, unmeasured};

    for (size_t i = 0; p && i < p->n_nodes; i++) {
        const struct portolan_profile_node *n = &p->nodes[i];

        if (strcmp(n->user, wire->user) || strcmp(n->uses, wire->uses) ||
            strcmp(n->instance, wire->provider))
            continue;
        sum.calls += n->calls.sum / p->ranks;
        sum.ns += n->inclusive.value / p->ranks;
    }
    return sum;
}

static struct load load_of_instance(const struct wiring *w, const char *name)
{
    const struct portolan_profile *p = w->r->profile;
    struct load sum = {0, 0};
    bool any = false;

    for (size_t i = 0; p && i < p->n_nodes; i++)
        if (!strcmp(p->nodes[i].instance, name)) {
            sum.calls += p->nodes[i].calls.sum / p->ranks;
            sum.ns += p->nodes[i].exclusive.value / p->ranks;
            any = true;
        }
    return any ? sum : (struct load){NAN, NAN};
}

/* ------------------------------------------------------------------ layout */

enum { BOX_LEAST = 150, BOX_MOST = 240, BOX_HEIGHT = 56, CHARACTER = 7, STACKED = 8 };

static const char *class_of(const struct wiring *w, const char *instance)
{
    const struct portolan_assembly_instance *i =
        w->r->from->assembly ? portolan_assembly_peek_instance(w->r->from->assembly, instance)
                             : NULL;
    const struct portolan_trial *t = w->r->shown;

    for (size_t k = 0; t && k < t->n_implementations; k++)
        if (!strcmp(t->implementations[k].name, instance))
            return t->implementations[k].value;
    return i ? i->alternatives[i->selected].class_name : "";
}

static size_t n_alternatives(const struct wiring *w, const char *instance)
{
    const struct portolan_assembly_instance *i =
        w->r->from->assembly ? portolan_assembly_peek_instance(w->r->from->assembly, instance)
                             : NULL;

    return i ? i->n_alternatives : 1;
}

static enum portolan_status lay_out(struct wiring *w, struct portolan_error *err)
{
    struct report_layout *l = &w->layout;

    l->pool = &w->pool;
    l->n_boxes = w->n_names;
    l->n_arrows = w->n_wires;
    l->boxes = portolan_arena_alloc(&w->pool, l->n_boxes, sizeof *l->boxes);
    l->arrows = portolan_arena_alloc(&w->pool, l->n_arrows, sizeof *l->arrows);
    if (w->pool.failed)
        return portolan_no_memory(err);
    for (size_t i = 0; i < w->n_names; i++) {
        size_t words = strlen(w->names[i]), most = strlen(class_of(w, w->names[i]));
        size_t stacked = n_alternatives(w, w->names[i]) - 1;

        most = words > most ? words : most;
        l->boxes[i].width = fmin(BOX_MOST, fmax(BOX_LEAST, (double)(most + 3) * CHARACTER)) +
                            (double)(STACKED * (stacked < 4 ? stacked : 4));
        l->boxes[i].height = BOX_HEIGHT + (double)(STACKED * (stacked < 4 ? stacked : 4));
    }
    for (size_t i = 0; i < w->n_wires; i++) {
        l->arrows[i].from = find_name(w, w->wires[i].user);
        l->arrows[i].to = find_name(w, w->wires[i].provider);
    }
    return report_lay_out(l, err);
}

/* ------------------------------------------------------------------ data */

static void write_alternatives(const struct wiring *w, const char *instance,
                               struct portolan_json *j)
{
    const struct portolan_assembly_instance *i =
        w->r->from->assembly ? portolan_assembly_peek_instance(w->r->from->assembly, instance)
                             : NULL;

    portolan_json_open(j, "alternatives", '[');
    for (size_t k = 0; i && k < i->n_alternatives; k++)
        portolan_json_text(j, NULL, i->alternatives[k].class_name);
    portolan_json_close(j, ']');
}

static void write_instances(const struct wiring *w, struct portolan_json *j)
{
    portolan_json_open(j, "instances", '[');
    for (size_t i = 0; i < w->n_names; i++) {
        const struct report_box *b = &w->layout.boxes[i];
        struct load load = load_of_instance(w, w->names[i]);

        portolan_json_open(j, NULL, '{');
        report_write_link(j, "wiring", &w->names[i], 1);
        portolan_json_text(j, "name", w->names[i]);
        portolan_json_text(j, "implementation", class_of(w, w->names[i]));
        write_alternatives(w, w->names[i], j);
        portolan_json_number(j, "calls", load.calls);
        portolan_json_number(j, "exclusive_ns", load.ns);
        portolan_json_numbers(j, "box", (const char *const[]){"x", "y", "width", "height"},
                              (const double[]){b->x, b->y, b->width, b->height}, 4);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
}

static void write_connections(const struct wiring *w, struct portolan_json *j)
{
    portolan_json_open(j, "connections", '[');
    for (size_t i = 0; i < w->n_wires; i++) {
        const struct wire *x = &w->wires[i];
        const struct report_arrow *a = &w->layout.arrows[i];
        struct load load = load_of_wire(w, x);

        portolan_json_open(j, NULL, '{');
        portolan_json_text(j, "user", x->user);
        portolan_json_text(j, "uses", x->uses);
        portolan_json_text(j, "provider", x->provider);
        portolan_json_text(j, "provides", x->provides);
        portolan_json_text(j, "type", x->type);
        portolan_json_text(j, "proxy", x->mark);
        portolan_json_number(j, "calls", load.calls);
        portolan_json_number(j, "inclusive_ns", load.ns);
        portolan_json_open(j, "points", '[');
        for (size_t k = 0; k < 2 * a->n; k++)
            portolan_json_number(j, NULL, round(10 * a->at[k / 2][k % 2]) / 10);
        portolan_json_close(j, ']');
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
}

static enum portolan_status write_wiring(struct report *r, struct portolan_json *j,
                                         struct portolan_error *err)
{
    struct wiring w = {.r = r};
    struct portolan_error no_layout = {0};
    bool failed;

    if (r->from->assembly)
        take_assembly(&w, r->from->assembly);
    if (r->profile)
        take_profile(&w, r->profile);
    if (w.n_names)
        lay_out(&w, &no_layout);
    if (!(failed = w.pool.failed)) {
        portolan_json_text(j, "no_picture", no_layout.status ? no_layout.text : "");
        portolan_json_number(j, "width", w.layout.width);
        portolan_json_number(j, "height", w.layout.height);
        write_instances(&w, j);
        write_connections(&w, j);
    }
    portolan_arena_clear(&w.pool);
    return failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

/* ------------------------------------------------------------------ picture */

/* The share of the heaviest, as a colour's strength from 0 to 5. */
static int strength(double ns, double most)
{
    return ns > 0 && most > 0 ? 1 + (int)fmin(4, 5 * sqrt(ns / most)) : 0;
}

static double most_of(const json_t *all, const char *member)
{
    double most = 0;

    for (size_t i = 0; i < json_array_size(all); i++)
        most = fmax(most, report_number(json_array_get(all, i), member));
    return most;
}

static void draw_text(struct portolan_text *out, double x, double y, const char *kind,
                      const char *text, size_t characters)
{
    portolan_text_add(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, kind);
    report_add_cut(out, text, characters);
    portolan_text_add(out, "</text>");
}

static void draw_title(struct portolan_text *out, const char *const *texts, size_t n)
{
    portolan_text_add(out, "<title>");
    for (size_t i = 0; i < n; i++)
        report_add_cut(out, texts[i], 2000);
    portolan_text_add(out, "</title>");
}

/* Draws an instance, with its alternatives as a stack under the box, the chosen one on top. */
static void draw_instance(struct portolan_text *out, const json_t *i, double most)
{
    const json_t *box = json_object_get(i, "box"), *all = json_object_get(i, "alternatives");
    size_t stacked = json_array_size(all) > 1 ? json_array_size(all) - 1 : 0;
    double extra = (double)(STACKED * (stacked < 4 ? stacked : 4));
    double width = report_number(box, "width") - extra, height = BOX_HEIGHT;
    double x = report_number(box, "x") - report_number(box, "width") / 2;
    double y = report_number(box, "y") - report_number(box, "height") / 2 + extra;
    size_t room = (size_t)(width / CHARACTER) - 1;
    struct portolan_text load = {0};

    portolan_text_add(out, "<a href=\"#");
    portolan_text_add_xml(out, report_text(i, "link"));
    portolan_text_add(out, "\" class=\"instance\" data-name=\"");
    portolan_text_add_xml(out, report_text(i, "name"));
    portolan_text_add(out, "\">");
    draw_title(
        out,
        (const char *const[]){report_text(i, "name"), " is ", report_text(i, "implementation")}, 3);
    for (size_t k = stacked < 4 ? stacked : 4; k > 0; k--)
        portolan_text_add(out,
                          "<rect class=\"stacked\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                          "height=\"%.1f\" rx=\"4\"/>",
                          x + (double)(k * STACKED), y - (double)(k * STACKED), width, height);
    portolan_text_add(out,
                      "<rect class=\"front heat%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                      "height=\"%.1f\" rx=\"4\"/>",
                      strength(report_number(i, "exclusive_ns"), most), x, y, width, height);
    draw_text(out, x + 8, y + 18, "name", report_text(i, "name"), room - room / 6);
    draw_text(out, x + 8, y + 34, "class", report_text(i, "implementation"), room);
    if (report_number(i, "calls") > 0)
        report_add_value(json_object_get(i, "exclusive_ns"), REPORT_TIME, &load);
    draw_text(out, x + 8, y + 49, "load", load.bytes ? load.bytes : "", room);
    out->failed |= load.failed;
    portolan_text_clear(&load);
    portolan_text_add(out, "</a>\n");
}

static void draw_load(struct portolan_text *out, const json_t *c, double x, double y)
{
    if (!(report_number(c, "calls") > 0))
        return;
    portolan_text_add(out, "<text class=\"load\" x=\"%.1f\" y=\"%.1f\">", x, y);
    report_add_value(json_object_get(c, "calls"), REPORT_NUMBER, out);
    portolan_text_add(out, " calls, ");
    report_add_value(json_object_get(c, "inclusive_ns"), REPORT_TIME, out);
    portolan_text_add(out, "</text>");
}

/* The middle of the middle one of a spline's cubic curves. */
static void find_middle(const json_t *points, size_t n, double at[static 2])
{
    static const double weights[] = {1, 3, 3, 1};
    size_t first = 3 * ((n - 1) / 6);

    for (size_t k = 0; k < 2; k++) {
        at[k] = 0;
        for (size_t i = 0; i < 4; i++)
            at[k] +=
                weights[i] / 8 * json_number_value(json_array_get(points, 2 * (first + i) + k));
    }
}

static void draw_connection(struct portolan_text *out, const json_t *c, double most)
{
    const json_t *points = json_object_get(c, "points");
    size_t n = json_array_size(points) / 2;
    double at[2];

    if (n < 4)
        return;
    portolan_text_add(out, "<g class=\"connection\" data-user=\"");
    portolan_text_add_xml(out, report_text(c, "user"));
    portolan_text_add(out, "\" data-provider=\"");
    portolan_text_add_xml(out, report_text(c, "provider"));
    portolan_text_add(out, "\">");
    draw_title(out,
               (const char *const[]){report_text(c, "user"), ".", report_text(c, "uses"), " -> ",
                                     report_text(c, "provider"), ".", report_text(c, "provides"),
                                     " ", report_text(c, "type")},
               9);
    portolan_text_add(out, "<path class=\"arrow heat%d\" marker-end=\"url(#head)\" d=\"",
                      strength(report_number(c, "inclusive_ns"), most));
    for (size_t i = 0; i < n; i++)
        portolan_text_add(out, "%s%.1f %.1f",
                          i == 0   ? "M"
                          : i == 1 ? "C"
                                   : " ",
                          json_number_value(json_array_get(points, 2 * i)),
                          json_number_value(json_array_get(points, 2 * i + 1)));
    portolan_text_add(out, "\"/>");
    find_middle(points, n, at);
    if (*report_text(c, "proxy"))
        portolan_text_add(out, "<circle class=\"proxy\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>", at[0],
                          at[1]);
    draw_load(out, c, at[0], at[1] - 7);
    portolan_text_add(out, "</g>\n");
}

static void draw_wiring(const json_t *part, struct portolan_text *out)
{
    const json_t *instances = json_object_get(part, "instances");
    const json_t *connections = json_object_get(part, "connections");

    if (*report_text(part, "no_picture") || !(report_number(part, "width") > 0)) {
        portolan_text_add(out, "<p class=\"note\">There is no picture of the wiring: %s</p>\n",
                          json_array_size(instances)
                              ? "Graphviz is not installed (Debian: graphviz)"
                              : "nothing is wired");
        return;
    }
    portolan_text_add(
        out,
        "<figure class=\"wiring\" tabindex=\"0\" aria-label=\"Wiring, a picture that "
        "scrolls\"><svg viewBox=\"-8 -16 %.0f %.0f\" width=\"%.0f\" role=\"group\" "
        "aria-label=\"Wiring: instances and their connections\"><defs>"
        "<marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"1\" refY=\"4\" "
        "markerWidth=\"9\" markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
        "<path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n",
        report_number(part, "width") + 16, report_number(part, "height") + 32,
        report_number(part, "width") + 16);
    for (size_t i = 0; i < json_array_size(connections); i++)
        draw_connection(out, json_array_get(connections, i), most_of(connections, "inclusive_ns"));
    for (size_t i = 0; i < json_array_size(instances); i++)
        draw_instance(out, json_array_get(instances, i), most_of(instances, "exclusive_ns"));
    portolan_text_add(out, "</svg><figcaption>Boxes behind a box are its other implementations; a "
                           "dot is a proxy that measures; darker takes more time.</figcaption>"
                           "</figure>\n");
}

static const struct report_table tables[] = {
    {"instances",
     "Instances",
     {{"name", "instance", REPORT_TEXT},
      {"implementation", "implementation", REPORT_TEXT},
      {"alternatives", "of", REPORT_TEXT},
      {"calls", "calls", REPORT_NUMBER},
      {"exclusive_ns", "its own time", REPORT_TIME}}},
    {"connections",
     "Connections",
     {{"user", "user", REPORT_TEXT},
      {"uses", "uses port", REPORT_TEXT},
      {"provider", "provider", REPORT_TEXT},
      {"provides", "provides port", REPORT_TEXT},
      {"type", "type", REPORT_TEXT},
      {"proxy", "proxy", REPORT_TEXT},
      {"calls", "calls", REPORT_NUMBER},
      {"inclusive_ns", "time with calls below", REPORT_TIME}}},
    {0},
};

const struct report_part report_wiring = {
    .name = "wiring",
    .title = "Wiring",
    .about = "The assembly: who calls whom, how often, and for how long (means over ranks).",
    .write = write_wiring,
    .draw = draw_wiring,
    .tables = tables,
    .drawn = " instances connections ",
};
