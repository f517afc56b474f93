/* SPDX-License-Identifier: BSD-3-Clause */
/* TAU profiles as text: names, metadata, rows, events, and the folders of their files. */
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* pprof reads the first line's word into 64 bytes. */
#define METRIC_LENGTH 37

/* ------------------------------------------------- metadata */

void portolan_tau_fact(struct portolan_text *t, const char *name, const char *value)
{
    portolan_text_add(t, "<attribute><name>");
    portolan_text_add_xml(t, name);
    portolan_text_add(t, "</name><value>");
    portolan_text_add_xml(t, value);
    portolan_text_add(t, "</value></attribute>");
}

/* ------------------------------------------------- names */

char *portolan_tau_name(struct portolan_arena *a, const char *text)
{
    char *name = portolan_arena_strdup(a, text), *to = name;

    for (const char *c = name, *end; c && *c; c = end) {
        size_t n = portolan_utf8_length(c);
        char x = n == 0 ? '?' : (unsigned char)*c < ' ' || *c == 127 ? ' ' : *c == '"' ? '\'' : *c;

        end = c + (n ? n : 1);
        if (n > 1) {
            memmove(to, c, n);
            to += n;
            continue;
        }
        if (x == '>' && to > name && to[-1] == '=')
            to[-1] = '-'; /* "=>" is between the steps of a path */
        if (x != ' ' || (to > name && to[-1] != ' '))
            *to++ = x;
    }
    if (name && to > name && to[-1] == ' ')
        to--;
    if (name)
        *to = '\0';
    return name;
}

char *portolan_tau_method_name(struct portolan_arena *a, const char *instance,
                               const char *class_name, const char *method)
{
    char *name;

    if (*instance && *class_name && strcmp(instance, class_name) != 0)
        name = portolan_arena_printf(a, "%s (%s)::%s()", instance, class_name, method);
    else if (*instance || *class_name)
        name = portolan_arena_printf(a, "%s::%s()", *instance ? instance : class_name, method);
    else
        name = portolan_arena_printf(a, "%s()", method);
    return name ? portolan_tau_name(a, name) : NULL;
}

char *portolan_tau_group(struct portolan_arena *a, const char *text)
{
    char *name = portolan_arena_strdup(a, *text ? text : "TAU_USER");

    for (char *c = name; c && *c; c++)
        if (*c == '|' || *c == '"' || (unsigned char)*c <= ' ')
            *c = '_';
    return name;
}

void portolan_tau_parameter(struct portolan_text *t, const char *name, const char *value)
{
    portolan_text_add(t, "%s<%s> = <%s>", t->length ? ", " : "", name, value);
}

/* ------------------------------------------------- a file */

static void add_header(struct portolan_text *t, const char *metric, const char *facts,
                       size_t n_rows)
{
    char word[METRIC_LENGTH + 1];

    snprintf(word, sizeof word, "%s", metric);
    for (char *c = word; *c; c++)
        if (*c == ' ')
            *c = '_';
    portolan_text_add(t, "%zu templated_functions_MULTI_%s\n", n_rows, word);
    portolan_text_add(t, "# Name Calls Subrs Excl Incl ProfileCalls # <metadata>");
    portolan_tau_fact(t, "Metric Name", metric);
    portolan_text_add(t, "%s</metadata>\n", facts ? facts : "");
}

static void add_events(struct portolan_text *t, const struct portolan_tau_event *events, size_t n)
{
    portolan_text_add(t, "%zu userevents\n# eventname numevents max min mean sumsqr\n", n);
    for (size_t i = 0; i < n; i++)
        portolan_text_add(t, "\"%s\" %" PRIu64 " %.16G %.16G %.16G %.16G\n", events[i].name,
                          events[i].count, events[i].max, events[i].min, events[i].mean,
                          events[i].sum_squares);
}

void portolan_tau_write(struct portolan_text *t, const struct portolan_tau_rows *rows, unsigned m,
                        const char *metric, const char *facts,
                        const struct portolan_tau_event *events, size_t n_events)
{
    static const char *const leading[] = {[PORTOLAN_TAU_FLAT] = "",
                                          [PORTOLAN_TAU_PARAMETERS] = "TAU_PARAM | ",
                                          [PORTOLAN_TAU_PATH] = "TAU_CALLPATH | "};

    add_header(t, metric, facts, rows->n);
    for (size_t i = 0; i < rows->n; i++) {
        const struct portolan_tau_row *r = &rows->rows[i];

        portolan_text_add(t, "\"%s\" %" PRIu64 " %" PRIu64 " %.16G %.16G 0 GROUP=\"%s%s%s\" \n",
                          r->name, r->calls, r->subroutines, r->exclusive[m], r->inclusive[m],
                          leading[r->kind], r->group, r->is_phase ? " | TAU_PHASE" : "");
    }
    portolan_text_add(t, "0 aggregates\n");
    if (m == 0 && n_events > 0)
        add_events(t, events, n_events);
}

char *portolan_tau_metric_folder(const char *folder, const char *metric)
{
    char *path = portolan_asprintf("%s/MULTI__%s", folder, metric);

    for (char *c = path ? path + strlen(folder) + 1 : NULL; c && *c; c++)
        if (strchr("/\\?%*:|\"<>= ", *c))
            *c = '_';
    return path;
}

/* ------------------------------------------------- folders */

const char *tau_folder(const char *folder)
{
    if (!folder || !*folder)
        folder = getenv("PORTOLAN_PROFILE_DIR");
    if (!folder || !*folder)
        folder = getenv("PROFILEDIR");
    return folder && *folder ? folder : ".";
}

enum portolan_status tau_make_folder(const char *folder, struct portolan_error *err)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return portolan_error_set(err, PORTOLAN_EIO, "cannot make folder '%s': %s", folder,
                                  strerror(errno));
    return PORTOLAN_OK;
}
