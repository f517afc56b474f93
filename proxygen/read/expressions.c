/* SPDX-License-Identifier: BSD-3-Clause */
/* A call's context: arguments that are numbers, and expressions over arguments from the side file.
 */
#include "read.h"

#include <ctype.h>
#include <string.h>

#include <portolan/probe.h>

/* ------------------------------------------------------------------ names */

/* A_content_n for "A->content.n"; NULL if TEXT is no such path. */
static const char *name_of_path(struct run *run, const char *text)
{
    const char *name = "", *between = "";

    for (;;) {
        size_t n = proxygen_name_length(text);

        if (!n)
            return NULL;
        name = proxygen_print(&run->arena, "%s%s%.*s", name, between, (int)n, text);
        text += n;
        if (!*text)
            return name;
        if (*text != '.' && strncmp(text, "->", 2) != 0)
            return NULL;
        text += *text == '.' ? 1 : 2;
        between = "_";
    }
}

/* The name of an expression that got none: m for "*m", s for "strlen(s)"; NULL: it needs one. */
static const char *name_of(struct run *run, const char *text)
{
    struct portolan_arena *arena = &run->arena;
    size_t length = strlen(text);
    const char *inner = NULL;

    if (strcmp(text, "return") == 0)
        return "result";
    if (*text == '*')
        inner = text + 1 + strspn(text + 1, " ");
    else if (strncmp(text, "strlen(", 7) == 0)
        inner = proxygen_print(arena, "%.*s", (int)length - 8, text + 7);
    if (inner)
        return proxygen_is_name(inner) ? inner : NULL;
    return name_of_path(run, text);
}

/* ------------------------------------------------------------------ from the side file */

/* The '=' after a name, or of an assignment, but not of a comparison. */
static char *find_equals(char *text)
{
    for (char *c = text; (c = strchr(c, '=')); c++) {
        if (c[1] == '=')
            c++;
        else if (c == text || !strchr("=!<>", c[-1]))
            return c;
    }
    return NULL;
}

static bool is_balanced(const char *text)
{
    int depth = 0;

    for (; *text && depth >= 0; text++)
        depth += (*text == '(' || *text == '[') - (*text == ')' || *text == ']');
    return depth == 0;
}

static const char *fault_of(struct run *run, const struct method *m, const struct expression *e)
{
    struct portolan_arena *arena = &run->arena;
    struct context list[PORTOLAN_PROBE_CONTEXTS];
    size_t n = proxygen_contexts(m, list);

    if (run->port->shape == SHAPE_SIDL)
        return proxygen_print(arena,
                              "'%s': expressions are for ports from headers; in SIDL, numbers and "
                              "extents of arrays are contexts",
                              e->text);
    if (e->is_result && (run->port->shape == SHAPE_CLASS || m->no_return))
        return proxygen_print(arena, "'%s' has no results that could be told: %s", m->name,
                              m->no_return ? "it never returns" : "'results' is for ports in C");
    if (!e->name)
        return proxygen_print(arena, "'%s' needs a name in front: 'name = %s'", e->text, e->text);
    if (!proxygen_is_name(e->name))
        return proxygen_print(arena, "'%s' is no name for a context: letters, digits and '_'",
                              e->name);
    if (!*e->text || !is_balanced(e->text))
        return proxygen_print(arena, "'%s = %s' lacks %s", e->name, e->text,
                              *e->text ? "a parenthesis" : "its value");
    if (strstr(e->text, "++") || strstr(e->text, "--") || strchr(e->text, ';') ||
        find_equals((char *)e->text))
        return proxygen_print(arena, "'%s' would change something; a context only looks", e->text);
    for (size_t i = 0; i < n && i < PORTOLAN_PROBE_CONTEXTS; i++)
        if (strcmp(list[i].name, e->name) == 0)
            return proxygen_print(arena, "'%s' has two contexts called '%s'", m->name, e->name);
    return NULL;
}

static enum portolan_status add_expression(struct run *run, struct method *m,
                                           const struct expression *e)
{
    PROXYGEN_APPEND(&run->arena, m->expressions, m->n_expressions, *e);
    return run->arena.failed ? PORTOLAN_ENOMEM : PORTOLAN_OK;
}

enum portolan_status proxygen_read_expression(struct run *run, struct method *m, char *word,
                                              bool is_result, const struct place *place)
{
    char *equals = find_equals(word), *end = equals;
    struct expression e = {.is_result = is_result, .place = *place};
    const char *fault;

    while (end && end > word && isspace((unsigned char)end[-1]))
        end--;
    if (equals)
        equals += 1 + strspn(equals + 1, " \t");
    e.text = portolan_arena_strdup(&run->arena, equals ? equals : word);
    if (!e.text)
        return PORTOLAN_ENOMEM;
    e.name =
        end ? proxygen_print(&run->arena, "%.*s", (int)(end - word), word) : name_of(run, e.text);
    fault = fault_of(run, m, &e);
    return fault ? proxygen_fail(run, PORTOLAN_ESYNTAX, place, "%s", fault)
                 : add_expression(run, m, &e);
}
