/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts and names of the model that readers, checks and emitters share. */
#include "model.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <portolan/probe.h>

/* ------------------------------------------------------------------ text */

const char *proxygen_print(struct portolan_arena *arena, const char *format, ...)
{
    va_list args;
    const char *text;

    va_start(args, format);
    text = portolan_arena_vprintf(arena, format, args);
    va_end(args);
    return text ? text : "";
}

const char *proxygen_replace(struct portolan_arena *arena, const char *text, const char *with)
{
    const char *at = strchr(text, '@');

    return at ? proxygen_print(arena, "%.*s%s%s", (int)(at - text), text, with, at + 1) : text;
}

const char *proxygen_c_name(struct portolan_arena *arena, const char *dotted)
{
    char *name = portolan_arena_strdup(arena, dotted);

    for (char *c = name; c && *c; c++)
        if (*c == '.')
            *c = '_';
    return name ? name : "";
}

bool proxygen_is_among(const char *word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

/* ------------------------------------------------------------------ words */

bool proxygen_is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

size_t proxygen_name_length(const char *text)
{
    size_t n = 0;

    if (!isdigit((unsigned char)*text))
        while (proxygen_is_word_byte(text[n]))
            n++;
    return n;
}

bool proxygen_is_name(const char *text)
{
    return *text && !text[proxygen_name_length(text)];
}

const char *proxygen_find_word(const char *text, const char *from, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = from; (at = strstr(at, word)); at += length)
        if ((at == text || !proxygen_is_word_byte(at[-1])) && !proxygen_is_word_byte(at[length]))
            return at;
    return NULL;
}

const char *proxygen_replace_word(struct portolan_arena *arena, const char *text, const char *word,
                                  const char *with)
{
    const char *done = "", *from = text;

    for (const char *at; (at = proxygen_find_word(text, from, word)); from = at + strlen(word))
        done = proxygen_print(arena, "%s%.*s%s", done, (int)(at - from), from, with);
    return proxygen_print(arena, "%s%s", done, from);
}

/* ------------------------------------------------------------------ names in generated code */

static int compare_names(const void *name, const void *taken)
{
    return strcmp(name, *(const char *const *)taken);
}

bool proxygen_is_macro(const struct port *port, const char *name)
{
    return port->n_names_taken && bsearch(name, port->names_taken, port->n_names_taken,
                                          sizeof *port->names_taken, compare_names);
}

static bool is_taken(const struct run *run, const struct method *m, const char *name)
{
    for (size_t i = 0; i < m->n_arguments; i++)
        if (strcmp(m->arguments[i].name, name) == 0)
            return true;
    return proxygen_is_macro(run->port, name);
}

/* Returns whether generated code cannot have a parameter NAME. */
static bool is_unfit(const struct run *run, const char *name)
{
    return !*name || proxygen_is_macro(run->port, name) || strncmp(name, "portolan_", 9) == 0;
}

/* Returns whether a parameter NAME would hide the result's type, so that no variable could have it.
 */
static bool hides_result(const struct method *m, const char *name)
{
    return m->result && proxygen_find_word(m->result, m->result, name);
}

static const char *fresh_name(struct run *run, const struct method *m, const char *name)
{
    while (!run->arena.failed && is_taken(run, m, name))
        name = proxygen_print(&run->arena, "%s_", name);
    return name;
}

struct locals proxygen_locals(struct run *run, const struct method *m)
{
    struct locals l = {fresh_name(run, m, "proxy"),   fresh_name(run, m, "call"),
                       fresh_name(run, m, "context"), fresh_name(run, m, "to"),
                       fresh_name(run, m, "result"),  fresh_name(run, m, "list")};

    return l;
}

void proxygen_name_arguments(struct run *run, struct method *m)
{
    for (size_t i = 0; i < m->n_arguments; i++) {
        struct argument *a = &m->arguments[i];

        a->has_own_name = *a->name != '\0';
        if (is_unfit(run, a->name) || hides_result(m, a->name))
            a->name = fresh_name(
                run, m,
                a->role == ROLE_OBJECT ? "self" : proxygen_print(&run->arena, "argument_%zu", i));
        a->value = a->name;
    }
}

const char *proxygen_callback_name(struct run *run, const struct method *m,
                                   const struct argument *a)
{
    return proxygen_print(&run->arena, "%s_%s_%s", run->port->prefix, m->name, a->name);
}

/* ------------------------------------------------------------------ lists of arguments */

const char *proxygen_list(struct run *run, const struct method *m, proxygen_item_fn *item)
{
    const char *list = "";

    for (size_t i = 0; i < m->n_arguments; i++)
        list = proxygen_print(&run->arena, "%s%s%s", list, i ? ", " : "",
                              item(run, m, &m->arguments[i]));
    return list;
}

static const char *name_item(struct run *run, const struct method *m, const struct argument *a)
{
    (void)run, (void)m;
    return a->name;
}

const char *proxygen_argument_names(struct run *run, const struct method *m)
{
    return proxygen_list(run, m, name_item);
}

static const char *parameter_item(struct run *run, const struct method *m, const struct argument *a)
{
    (void)m;
    return proxygen_replace(&run->arena, a->declaration, a->name);
}

const char *proxygen_parameters(struct run *run, const struct method *m)
{
    return proxygen_list(run, m, parameter_item);
}

/* ------------------------------------------------------------------ contexts */

static size_t add_expressions(const struct method *m, bool results, struct context *list, size_t n)
{
    for (size_t i = 0; i < m->n_expressions; i++) {
        const struct expression *e = &m->expressions[i];

        if (e->is_result == results && n++ < PORTOLAN_PROBE_CONTEXTS)
            list[n - 1] = (struct context){e->name, e->value, e->kind};
    }
    return n;
}

size_t proxygen_count_results(const struct method *m)
{
    size_t n = 0;

    for (size_t i = 0; i < m->n_expressions; i++)
        n += m->expressions[i].is_result;
    return n;
}

size_t proxygen_contexts(const struct method *m, struct context *list)
{
    size_t n = 0;

    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct argument *a = &m->arguments[i];

        if (a->context && n++ < PORTOLAN_PROBE_CONTEXTS)
            list[n - 1] = (struct context){a->name, a->value, a->kind};
    }
    n = add_expressions(m, false, list, n);
    return add_expressions(m, true, list, n);
}

/* ------------------------------------------------------------------ ports and their methods */

struct method *proxygen_add_method(struct run *run)
{
    struct port *port = run->port;
    size_t n = port->n_methods;

    PROXYGEN_APPEND(&run->arena, port->methods, port->n_methods, (struct method){0});
    return port->n_methods > n ? &port->methods[n] : NULL;
}

bool proxygen_use_port(struct run *run, size_t i)
{
    run->port = i < run->n_given ? run->given[i] : &run->main_port;
    return i <= run->n_given;
}

bool proxygen_is_named(const char *type, const char *name)
{
    return type && (strcmp(type, name) == 0 ||
                    (strncmp(type, "struct ", 7) == 0 && strcmp(type + 7, name) == 0));
}

struct port *proxygen_find_port(struct run *run, const char *name)
{
    for (size_t i = 0; i <= run->n_given; i++) {
        struct port *p = i < run->n_given ? run->given[i] : &run->main_port;

        if (strcmp(p->type, name) == 0 || proxygen_is_named(p->object, name) ||
            (p->word && strcmp(p->word, name) == 0))
            return p;
    }
    return NULL;
}

enum portolan_status proxygen_fail(struct run *run, enum portolan_status status,
                                   const struct place *place, const char *format, ...)
{
    char text[1000];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (place->file) {
        portolan_diagnose(run->diagnostics, place->file, place->line, place->column, "%s", text);
        if (run->diagnostics)
            return status; /* the caller reports their number at the end */
        return portolan_error_set(run->err, status, "%s:%d: %s", place->file, place->line, text);
    }
    return portolan_error_set(run->err, status, "%s", text);
}

static bool is_type_name(const char *name)
{
    bool start = true;

    for (; *name; name++) {
        if (*name == '.' ? start
                         : !(isalpha((unsigned char)*name) || *name == '_' ||
                             (!start && isdigit((unsigned char)*name))))
            return false;
        start = *name == '.';
    }
    return !start;
}

enum portolan_status proxygen_name_port(struct run *run)
{
    struct port *port = run->port;

    if (!is_type_name(port->type))
        return portolan_error_set(run->err, PORTOLAN_EINVAL,
                                  "'%s' is no name for a port type: letters, digits, '_', and '.' "
                                  "between words",
                                  port->type);
    port->c_type = proxygen_c_name(&run->arena, port->type);
    port->prefix = proxygen_print(&run->arena, "%sProxy", port->c_type);
    return PORTOLAN_OK;
}
