/* SPDX-License-Identifier: BSD-3-Clause */
/* The report for people: method by method what is intercepted, what is not and why. */
#include "model.h"

#include <string.h>

static void report_contexts(const struct method *m, struct portolan_text *out)
{
    const char *between = ", context ";

    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct argument *a = &m->arguments[i];

        if (!a->context)
            continue;
        portolan_text_add(out, "%s%s", between, a->name);
        if (a->size_of)
            portolan_text_add(out, " (%sextent of %s)", a->size_guessed ? "guessed: " : "",
                              a->size_of);
        between = ", ";
    }
    for (size_t i = 0; i < m->n_expressions; i++) {
        const struct expression *e = &m->expressions[i];

        portolan_text_add(out, "%s%s (%s%s%s)", between, e->name, e->guessed ? "guessed: " : "",
                          e->text, e->is_result ? ", after the call" : "");
        between = ", ";
    }
}

/* Reports arguments of M with a special treatment. */
static void report_arguments(const struct method *m, struct portolan_text *out)
{
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct argument *a = &m->arguments[i];

        if (a->role == ROLE_HOLDER)
            portolan_text_add(out, "; finds its object in %s->%s", a->name, a->holder);
        if (a->callback)
            portolan_text_add(out, "; time in %s is the caller's", a->name);
        if (a->accuracy)
            portolan_text_add(out, "; accuracy %s", a->name);
        if (a->gives)
            portolan_text_add(out, "; gives a %s through %s", a->gives, a->name);
    }
}

static void report_method(const struct method *m, int width, struct portolan_text *out)
{
    if (m->skip) {
        portolan_text_add(out, "  %-*s  not intercepted (%s:%d): %s\n", width, m->name,
                          m->place.file ? m->place.file : "", m->place.line, m->skip);
        return;
    }
    portolan_text_add(out, "  %-*s  intercepted", width, m->name);
    report_contexts(m, out);
    if (m->twin)
        portolan_text_add(out, "; forwarded to %s", m->twin);
    report_arguments(m, out);
    if (m->accuracy)
        portolan_text_add(out, "; accuracy is the result");
    if (m->status)
        portolan_text_add(out, "; a result other than 0 is a failure");
    if (m->declared)
        portolan_text_add(out, "; hidden lengths of texts are passed on");
    if (m->no_return)
        portolan_text_add(out, "; never returns, so only the call is counted");
    if (m->gives)
        portolan_text_add(out, "; gives a %s", m->gives);
    if (m->destroys)
        portolan_text_add(out, "; ends the object behind the proxy");
    portolan_text_add(out, "\n");
}

static void report_version(const struct port *port, struct portolan_text *out)
{
    bool since = port->version_kind == VERSION_SIZE;

    for (size_t i = 0; i < port->n_methods; i++)
        since |= port->methods[i].since > 0;
    if (port->version_kind == VERSION_NONE)
        return;
    portolan_text_add(out, "  %s says %s%s%s\n", port->version_member,
                      port->version_kind == VERSION_SIZE ? "how long the table is in bytes"
                                                         : "which version the table has",
                      port->version_guessed ? " (guessed from its name)" : "",
                      since ? "" : "; no method has a 'since', so the table is read to its end");
}

/* Counts PORT's methods; *WIDTH: the length of the longest name. */
static size_t count_methods(const struct port *port, int *width)
{
    size_t intercepted = 0;

    for (size_t i = 0; i < port->n_methods; i++) {
        int length = (int)strlen(port->methods[i].name);

        *width = length > *width ? length : *width;
        intercepted += !port->methods[i].skip;
    }
    return intercepted;
}

static void report_port(const struct run *run, const struct port *port, struct portolan_text *out)
{
    int width = 0;
    size_t intercepted = count_methods(port, &width);
    bool is_main = port == &run->main_port;

    portolan_text_add(out, "%s (%s:%d)%s: %zu of %zu methods intercepted", port->type,
                      port->place.file ? port->place.file : "", port->place.line,
                      is_main ? "" : ", handed out by calls", intercepted, port->n_methods);
    if (is_main)
        portolan_text_add(out, " by class %sProxy", port->type);
    portolan_text_add(out, "\n");
    if (port->flags_from)
        portolan_text_add(out, "  compiler flags from %s\n", port->flags_from);
    for (size_t i = 0; i < port->n_methods; i++)
        report_method(&port->methods[i], width, out);
    for (size_t i = 0; is_main && i < port->n_unseen; i++)
        portolan_text_add(out,
                          "  %s  not intercepted (%s:%d): %s, compiled into its callers; what it "
                          "calls through the table is\n",
                          port->unseen[i].name, port->unseen[i].place.file,
                          port->unseen[i].place.line,
                          port->unseen[i].is_macro ? "a macro" : "an inline function");
    report_version(port, out);
}

/* The end of the report for lists of functions. */
static void report_functions(const struct run *run, struct portolan_text *out)
{
    const struct port *p = run->port;

    for (size_t i = 0; i < p->n_providers; i++)
        portolan_text_add(out, "Class %s_%s provides them from %s.\n", p->type,
                          p->providers[i].name, p->providers[i].file);
    if (run->options->front)
        portolan_text_add(
            out, "The front exports what is intercepted; class %sFront connects it.\n", p->type);
    portolan_text_add(out, "Calls between functions of one shared object are not seen.\n");
}

void proxygen_emit_report(const struct run *run, struct portolan_text *out)
{
    const struct port *port = run->port;

    report_port(run, port, out);
    for (size_t i = 0; i < run->n_given; i++)
        report_port(run, run->given[i], out);
    if (port->shape == SHAPE_TABLE)
        portolan_text_add(out,
                          "Entries that are NULL stay NULL; other members of the table are copied. "
                          "Calls that bypass the table (macros, inline functions) are not seen.\n");
    if (port->shape == SHAPE_FUNCTIONS)
        report_functions(run, out);
}
