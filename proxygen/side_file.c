/* SPDX-License-Identifier: BSD-3-Clause */
/* The side file: contexts, accuracies and ends of methods whose interface cannot be edited. */
#include "proxygen_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct side_line {
    struct run *run;
    struct place place;
    struct method *method;
    const char *aspect; /* "", "accuracy" or "destroys" */
};

static char *strip(char *text)
{
    size_t length;

    text += strspn(text, " \t\r\n");
    length = strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1]))
        text[--length] = '\0';
    return text;
}

static enum portolan_status unknown(struct side_line *l, const char *what, const char *word,
                                    const char *const *known, size_t n_known)
{
    const char *nearest = portolan_nearest_word(word, known, n_known);

    return proxygen_fail(l->run, PORTOLAN_ESYNTAX, &l->place, "%s '%s'%s%s%s", what, word,
                         nearest ? "; did you mean '" : "", nearest ? nearest : "",
                         nearest ? "'?" : "");
}

static enum portolan_status find_method(struct side_line *l, const char *name)
{
    struct port *port = &l->run->port;
    const char **known = portolan_arena_alloc(&l->run->arena, port->n_methods + 1, sizeof *known);

    if (!known)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < port->n_methods; i++) {
        known[i] = port->methods[i].name;
        if (strcmp(known[i], name) == 0) {
            l->method = &port->methods[i];
            return PORTOLAN_OK;
        }
    }
    return unknown(l, "the port has no method", name, known, port->n_methods);
}

static enum portolan_status apply_word(struct side_line *l, const char *word)
{
    struct method *m = l->method;
    bool accuracy = strcmp(l->aspect, "accuracy") == 0;
    const char **known = portolan_arena_alloc(&l->run->arena, m->n_arguments + 1, sizeof *known);

    if (!known)
        return PORTOLAN_ENOMEM;
    if (accuracy && strcmp(word, "return") == 0) {
        m->accuracy = true;
        return PORTOLAN_OK;
    }
    for (size_t i = 0; i < m->n_arguments; i++) {
        struct argument *a = &m->arguments[i];

        known[i] = a->name;
        if (strcmp(a->name, word) != 0)
            continue;
        if (accuracy)
            a->accuracy = true;
        else
            a->context = true;
        a->place = l->place; /* what is wrong with it is this line's matter */
        return PORTOLAN_OK;
    }
    return unknown(l, proxygen_print(&l->run->arena, "method '%s' has no argument", m->name), word,
                   known, m->n_arguments);
}

static enum portolan_status apply_words(struct side_line *l, char *words)
{
    enum portolan_status status = PORTOLAN_OK;
    size_t n = 0;

    if (strcmp(l->aspect, "destroys") == 0) {
        l->method->destroys = true;
        return *strip(words)
                   ? proxygen_fail(l->run, PORTOLAN_ESYNTAX, &l->place,
                                   "nothing stands behind '%s.destroys:'", l->method->name)
                   : PORTOLAN_OK;
    }
    for (char *word; status == PORTOLAN_OK && (word = strsep(&words, ",")); n++) {
        word = strip(word);
        status = *word ? apply_word(l, word)
                       : proxygen_fail(l->run, PORTOLAN_ESYNTAX, &l->place,
                                       "an argument's name is missing behind '%s'", n ? "," : ":");
    }
    return status;
}

static enum portolan_status read_line(struct side_line *l, char *line)
{
    static const char *const aspects[] = {"accuracy", "destroys"};
    char *colon, *dot;
    enum portolan_status status;

    line[strcspn(line, "#")] = '\0';
    line = strip(line);
    if (!*line)
        return PORTOLAN_OK;
    colon = strchr(line, ':');
    if (!colon)
        return proxygen_fail(l->run, PORTOLAN_ESYNTAX, &l->place,
                             "a line reads 'method: argument, argument', and this one has no ':'");
    *colon = '\0';
    dot = strchr(line, '.');
    l->aspect = "";
    if (dot) {
        *dot = '\0';
        l->aspect = strip(dot + 1);
        if (strcmp(l->aspect, aspects[0]) != 0 && strcmp(l->aspect, aspects[1]) != 0)
            return unknown(l, "a method has no aspect", l->aspect, aspects, 2);
    }
    status = find_method(l, strip(line));
    return status == PORTOLAN_OK ? apply_words(l, colon + 1) : status;
}

enum portolan_status proxygen_read_side_file(struct run *run)
{
    struct side_line l = {.run = run, .place = {.file = run->options->context}};
    enum portolan_status first = PORTOLAN_OK;
    char *line = NULL;
    size_t capacity = 0;
    FILE *file;

    if (!run->options->context)
        return PORTOLAN_OK;
    file = fopen(run->options->context, "r");
    if (!file)
        return portolan_error_set(run->err, PORTOLAN_EIO, "%s: %s", run->options->context,
                                  strerror(errno));
    /* All lines are looked at, so that one run shows every mistake. */
    while (getline(&line, &capacity, file) >= 0) {
        enum portolan_status status;

        l.place.line++;
        status = read_line(&l, line);
        if (first == PORTOLAN_OK)
            first = status;
    }
    if (first == PORTOLAN_OK && ferror(file))
        first = portolan_error_set(run->err, PORTOLAN_EIO, "%s: %s", run->options->context,
                                   strerror(errno));
    free(line);
    fclose(file);
    return first;
}
