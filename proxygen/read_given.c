/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects that methods hand out. Only the side file says which structs they are, and only here the
 * header can be read: so the side file is looked through for them before it is applied.
 */
#include "read_header.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum portolan_status read_type(struct header *h, const char *word, const struct place *place)
{
    struct run *run = h->run;
    const struct port *main_port = &run->port;
    enum portolan_status status;
    struct port *port, **given;

    if (proxygen_find_port(run, word))
        return PORTOLAN_OK;
    port = portolan_arena_alloc(&run->arena, 1, sizeof *port);
    given = portolan_arena_grow(&run->arena, run->given, run->n_given, sizeof *run->given);
    if (!port || !given)
        return PORTOLAN_ENOMEM;
    run->given = given;
    *port = (struct port){.type = portolan_arena_strdup(&run->arena, word),
                          .include = main_port->include,
                          .names_taken = main_port->names_taken,
                          .n_names_taken = main_port->n_names_taken};
    if (!port->type)
        return PORTOLAN_ENOMEM;
    port->c_type = port->type;
    proxygen_swap_port(run, port);
    status = proxygen_read_object(h, run->port.type, place);
    proxygen_swap_port(run, port);
    run->given[run->n_given++] = port;
    return status;
}

/* "method.gives: argument TYPE, return TYPE"; what is wrong with such a line is said later. */
static enum portolan_status read_line(struct header *h, char *line, const struct place *place)
{
    enum portolan_status status = PORTOLAN_OK;
    char *colon, *dot, *words;

    line[strcspn(line, "#")] = '\0';
    colon = strchr(line, ':');
    if (!colon)
        return PORTOLAN_OK;
    *colon = '\0';
    words = colon + 1;
    dot = strrchr(line, '.');
    if (!dot || strcspn(dot + 1 + strspn(dot + 1, " \t"), " \t") != 5 ||
        strncmp(dot + 1 + strspn(dot + 1, " \t"), "gives", 5) != 0)
        return PORTOLAN_OK;
    for (char *word; status == PORTOLAN_OK && (word = strsep(&words, ","));) {
        char *save = NULL, *type;

        strtok_r(word, " \t\r\n", &save);
        type = strtok_r(NULL, " \t\r\n", &save);
        if (type)
            status = read_type(h, type, place);
    }
    return status;
}

enum portolan_status proxygen_read_given(struct header *h)
{
    struct place place = {.file = h->run->options->context};
    enum portolan_status status = PORTOLAN_OK;
    char *line = NULL;
    size_t capacity = 0;
    FILE *file;

    if (!place.file)
        return PORTOLAN_OK;
    file = fopen(place.file, "r");
    if (!file)
        return portolan_error_set(h->run->err, PORTOLAN_EIO, "%s: %s", place.file, strerror(errno));
    while (status == PORTOLAN_OK && getline(&line, &capacity, file) >= 0) {
        place.line++;
        status = read_line(h, line, &place);
    }
    free(line);
    fclose(file);
    return status;
}
