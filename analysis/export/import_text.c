/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a TAU profile, as TAU and other programs write it. */
#include "import.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <portolan/xml.h>

struct reader {
    struct portolan_arena *arena;
    struct portolan_diagnostics *d;
    const char *file;
    char *next; /* NUL-terminated */
    int line;   /* number of the last line read */
    struct import_text *out;
    size_t metric, n_metrics;
    bool has_squares; /* a sixth number after a name */
};

static bool wrong(struct reader *r, const char *format, const char *what)
{
    portolan_diagnose(r->d, r->file, r->line, 0, format, what);
    return false;
}

/* The next line that is not empty, without its end; NULL at the end. */
static char *take_line(struct reader *r)
{
    while (*r->next) {
        char *line = r->next, *end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) : strlen(line);

        r->next = line + length + (end != NULL);
        r->line++;
        while (length > 0 && isspace((unsigned char)line[length - 1]))
            length--;
        line[length] = '\0';
        if (length > 0)
            return line;
    }
    return NULL;
}

static char *tidy(char *name)
{
    char *to = name;

    for (const char *c = name; *c; c++) {
        bool blank = isspace((unsigned char)*c);

        if (!blank || (to > name && to[-1] != ' '))
            *to++ = blank ? ' ' : *c;
    }
    if (to > name && to[-1] == ' ')
        to--;
    *to = '\0';
    return name;
}

/* Reads up to N numbers at *TEXT, which it moves after them, and returns how many there were; the
 * text before them ends there. */
static size_t take_numbers(char **text, double *numbers, size_t n)
{
    size_t count = 0;

    for (char *word; count < n; count++) {
        *text += strspn(*text, " \t");
        word = strsep(text, " \t");
        if (!*text)
            *text = word + strlen(word);
        if (!portolan_read_double(word, &numbers[count]) || !isfinite(numbers[count]))
            break;
    }
    return count;
}

/* Reads "NAME" at the beginning of a line; *REST is the text after it. The name may contain quotes.
 */
static char *take_name(char *line, char *group, char **rest)
{
    char *end = group ? group : line + strlen(line);

    if (*line != '"')
        return NULL;
    while (--end > line && *end != '"')
        ;
    if (end == line)
        return NULL;
    *end = '\0';
    *rest = end + 1;
    return tidy(line + 1);
}

/* Finds GROUP="A | B" at the end of a line, and cuts it off. */
static char *find_group(char *line)
{
    char *last = NULL;

    for (char *at = line; (at = strstr(at, "GROUP=\"")); at++)
        last = at;
    return last;
}

/* Adds a row: V has CALLS, SUBRS, EXCL and INCL of NAME. */
static bool add_row(struct reader *r, const char *name, const char *group, const double *v)
{
    struct import_path *row = &r->out->rows[r->out->n_rows++];

    *row = (struct import_path){
        .name = name,
        .group = group,
        .metric = r->metric,
        .calls = v[0],
        .subroutines = v[1],
        .exclusive = portolan_arena_alloc(r->arena, r->n_metrics, 2 * sizeof(double)),
    };
    if (!row->exclusive)
        return false;
    row->inclusive = row->exclusive + r->n_metrics;
    row->exclusive[r->metric] = v[2];
    row->inclusive[r->metric] = v[3];
    return true;
}

static bool read_row(struct reader *r, char *line)
{
    char *group = find_group(line), *rest = NULL, *name = take_name(line, group, &rest);
    size_t columns = r->has_squares ? 6 : 5;
    double v[6];
    char *at = rest;

    if (!name)
        return wrong(r, "'%s' is no row; right is: \"NAME\" CALLS SUBRS EXCL INCL 0 GROUP=\"…\"",
                     line);
    if (group && rest <= group) {
        char *end = strrchr(group + 7, '"');

        *group = '\0';
        group += 7;
        if (!end)
            return wrong(r, "the group of '%s' has no closing quote", name);
        *end = '\0';
    } else {
        group = NULL;
    }
    if (take_numbers(&at, v, columns) < columns || at[strspn(at, " \t")])
        return wrong(r,
                     r->has_squares
                         ? "six numbers are to stand behind '%s': calls, subroutine calls, "
                           "exclusive, inclusive, sum of squares, profile calls"
                         : "five numbers are to stand behind '%s': calls, subroutine calls, "
                           "exclusive, inclusive, profile calls",
                     name);
    if (v[0] < 0 || v[1] < 0 || v[0] > 1e18 || v[1] > 1e18)
        return wrong(r, "the calls of '%s' are no count", name);
    return add_row(r, name, group ? group : "", v);
}

/* ------------------------------------------------- the lines around the rows */

/* Reads "COUNT WORD…"; returns the text after WORD, or NULL. */
static char *after_count(char *line, const char *word, size_t *count)
{
    char *end;
    unsigned long long n = strtoull(line, &end, 10);

    if (!isdigit((unsigned char)*line))
        return NULL;
    *count = (size_t)n;
    end += strspn(end, " \t");
    return strncmp(end, word, strlen(word)) == 0 ? end + strlen(word) : NULL;
}

static bool read_first(struct reader *r, size_t *count)
{
    static const char multi[] = "_MULTI_";
    char *line = take_line(r), *end = line ? after_count(line, "templated_functions", count) : NULL;

    if (!line)
        return wrong(r, "the file is %s; the first line of a TAU profile says how many rows it has",
                     "empty");
    if (!end)
        return wrong(r,
                     "'%.60s' is not how a TAU profile begins; right is: "
                     "COUNT templated_functions_MULTI_METRIC",
                     line);
    if (!strncmp(end, multi, sizeof multi - 1))
        r->out->metric = tidy(end + sizeof multi - 1);
    else if (!*end)
        r->out->metric = "Time"; /* in old files, which have only one metric */
    else
        return wrong(r, "'%.60s' is no metric; right is: templated_functions_MULTI_METRIC", end);
    if (!*r->out->metric)
        return wrong(r, "the %s has no name behind templated_functions_MULTI_", "metric");
    return true;
}

/* ------------------------------------------------- metadata: names and values in XML */

static const char *text_of(const struct xml_element *parent, const char *name)
{
    const struct xml_element *e = xml_next(parent, NULL, name);

    return e ? e->text : "";
}

static bool has_fact(const struct import_text *out, const char *name)
{
    for (size_t i = 0; i < out->n_facts; i++)
        if (!strcmp(out->facts[i].name, name))
            return true;
    return false;
}

/* Adds a fact, or sets the name of the metric, which is not a fact; the first of several values
 * counts. */
static bool add_fact(struct portolan_arena *a, const struct xml_element *attribute,
                     struct import_text *out)
{
    struct portolan_name_value *grown;
    const char *name = text_of(attribute, "name"), *value = text_of(attribute, "value");

    if (!strcmp(name, "Metric Name")) {
        if (*value)
            out->metric = value;
        return true;
    }
    if (!*name || has_fact(out, name) || xml_next(attribute, NULL, "timer_context"))
        return true;
    if (!(grown = portolan_arena_grow(a, out->facts, out->n_facts, sizeof *grown)))
        return false;
    out->facts = grown;
    grown[out->n_facts++] = (struct portolan_name_value){name, value};
    return true;
}

/* Reads the <metadata> element of LENGTH bytes, which begins in LINE. */
static bool read_facts(struct reader *r, const char *xml, size_t length, int line)
{
    struct portolan_diagnostics nobody = {0};
    struct xml_element *root;
    enum portolan_status status =
        xml_read_text(r->arena, xml, length, r->file, XML_FOREIGN, &nobody, &root, NULL);

    if (status == PORTOLAN_ENOMEM)
        return false;
    if (status == PORTOLAN_OK) {
        for (const struct xml_element *e = NULL; (e = xml_next(root, e, "attribute"));)
            if (!add_fact(r->arena, e, r->out))
                return false;
        return true;
    }
    r->line = line;
    return wrong(r, "the metadata is not well-formed XML; right is: %s",
                 "<metadata><attribute><name>…</name><value>…</value></attribute>…</metadata>");
}

static bool read_metadata(struct reader *r, char *start)
{
    static const char closing[] = "</metadata>";
    char *end = strstr(start, closing);
    int first = r->line;

    if (!end && *r->next) { /* continued in the next lines, which are not split yet */
        start[strlen(start)] = ' ';
        if ((end = strstr(start, closing))) {
            for (char *c = r->next; c < end; c++)
                r->line += *c == '\n';
            r->line++;
            r->next = end + strcspn(end, "\n");
            r->next += *r->next != '\0';
        }
    }
    if (!end)
        return wrong(r, "the metadata has no end; right is: %s", closing);
    return read_facts(r, start, (size_t)(end - start) + sizeof closing - 1, first);
}

static bool read_header(struct reader *r)
{
    static const char right[] = "# Name Calls Subrs Excl Incl ProfileCalls";
    char *line = take_line(r), *metadata = line ? strstr(line, "<metadata") : NULL;
    char words[200];

    if (!line || *line != '#')
        return wrong(r, "the second line is to be: %s", right);
    snprintf(words, sizeof words, "%.*s", metadata ? (int)(metadata - line) : 199, line);
    tidy(words);
    r->has_squares = strstr(words, " SumExclSqr") != NULL;
    if (strncmp(words, "# Name Calls Subrs Excl Incl", 28) != 0 || !strstr(words, " ProfileCalls"))
        return wrong(r,
                     "'%.80s' is not the second line of a TAU profile; right is: "
                     "# Name Calls Subrs Excl Incl ProfileCalls",
                     words);
    return !metadata || read_metadata(r, metadata);
}

static bool read_event(struct reader *r, char *line)
{
    char *rest = NULL, *name = take_name(line, NULL, &rest);
    double v[5];
    char *at = rest;

    if (!name || take_numbers(&at, v, 5) < 5)
        return wrong(r, "'%.80s' is no user event; right is: \"NAME\" COUNT MAX MIN MEAN SUMSQR",
                     line);
    r->out->events[r->out->n_events++] = (struct portolan_event){.name = name,
                                                                 .count = llround(v[0]),
                                                                 .max = v[1],
                                                                 .min = v[2],
                                                                 .mean = v[3],
                                                                 .sum_squares = v[4]};
    return true;
}

/* Returns whether the rest of the text has room for COUNT lines, of 4 bytes at least. */
static bool is_possible(const struct reader *r, size_t count)
{
    return count <= strlen(r->next) / 4 + 1;
}

static bool read_events(struct reader *r, size_t count)
{
    r->out->events = is_possible(r, count)
                         ? portolan_arena_alloc(r->arena, count + 1, sizeof *r->out->events)
                         : NULL;
    if (!r->out->events)
        return r->arena->failed ? false
                                : wrong(r, "there are fewer user events than %s", "the line says");
    while (r->out->n_events < count) {
        char *line = take_line(r);

        if (!line)
            return wrong(r, "there are fewer user events than %s", "their first line says");
        if (*line != '#' && !read_event(r, line))
            return false;
    }
    return true;
}

static bool read_end(struct reader *r)
{
    char *line = take_line(r);
    size_t count = 0;

    if (line && after_count(line, "aggregates", &count)) {
        while (count-- > 0)
            if (!take_line(r))
                return wrong(r, "there are fewer aggregates than %s", "their first line says");
        line = take_line(r);
    }
    if (line && after_count(line, "userevents", &count)) {
        if (!read_events(r, count))
            return false;
        line = take_line(r);
    }
    return !line || wrong(r,
                          "'%.80s' stands behind the rows that the first line announces; right is: "
                          "0 aggregates",
                          line);
}

bool import_read_text(struct portolan_arena *a, char *text, const char *file, size_t m,
                      size_t n_metrics, struct import_text *out, struct portolan_diagnostics *d)
{
    struct reader r = {.arena = a,
                       .d = d,
                       .file = file,
                       .next = text,
                       .out = out,
                       .metric = m,
                       .n_metrics = n_metrics};
    size_t count;

    *out = (struct import_text){0};
    if (!read_first(&r, &count) || !read_header(&r))
        return false;
    out->rows =
        is_possible(&r, count) ? portolan_arena_alloc(a, count + 1, sizeof *out->rows) : NULL;
    if (!out->rows)
        return a->failed ? false : wrong(&r, "there are fewer rows than the %s line says", "first");
    while (out->n_rows < count) {
        char *line = take_line(&r);

        if (!line)
            return wrong(&r, "the file ends before the last row that the %s line announces",
                         "first");
        if (!read_row(&r, line))
            return false;
    }
    return read_end(&r);
}
