/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of the document as tables of HTML: exact numbers in data-value, rounded ones to read. */
#include "internal.h"

#include <portolan/grid.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Lengths of texts: the most that is shown, and the longest that stands in one line. */
enum { MOST_SHOWN = 2000, WORD = 36 };
/* A table with more rows is folded. */
enum { FOLDED = 12 };

/* The value of "choice.prediction" in a row. */
static const json_t *find_member(const json_t *row, const char *member)
{
    char name[64];

    while (row && *member) {
        size_t n = strcspn(member, ".");

        snprintf(name, sizeof name, "%.*s", (int)n, member);
        row = json_object_get(row, name);
        member += n + (member[n] == '.');
    }
    return row;
}

const char *report_text(const json_t *object, const char *member)
{
    const char *text = json_string_value(json_object_get(object, member));

    return text ? text : "";
}

double report_number(const json_t *object, const char *member)
{
    const json_t *x = json_object_get(object, member);

    return json_is_number(x) ? json_number_value(x) : NAN;
}

void report_add_cut(struct portolan_text *out, const char *text, size_t characters)
{
    struct portolan_text cut = {0};
    size_t length = 0;

    while (text[length] && characters--) {
        size_t n = portolan_utf8_length(text + length);

        length += n ? n : 1;
    }
    portolan_text_add_bytes(&cut, text, length);
    portolan_text_add(&cut, "%s", text[length] ? "…" : "");
    portolan_text_add_xml(out, cut.bytes);
    out->failed |= cut.failed;
    portolan_text_clear(&cut);
}

static void add_bytes(struct portolan_text *out, double bytes)
{
    double factor;
    const char *unit = unit_of_bytes(fabs(bytes), &factor);

    portolan_text_add(out, "%.4g %s", bytes / factor, unit);
}

static void add_number(struct portolan_text *out, double x, enum report_unit unit)
{
    char text[40];

    if (unit == REPORT_TIME)
        portolan_text_add(out, "%s", portolan_format_time(x, 4, text, sizeof text));
    else if (unit == REPORT_SHARE)
        portolan_text_add(out, "%.3g %%", 100 * x);
    else if (unit == REPORT_BYTES)
        add_bytes(out, x);
    else if (fabs(x) < 1e7 && x == round(x))
        portolan_text_add(out, "%.0f", x);
    else
        portolan_text_add(out, "%.4g", x);
}

/* Numbers by name, as counters. */
static void add_members(const json_t *x, struct portolan_text *out)
{
    const char *name, *comma = "";
    json_t *value;

    json_object_foreach((json_t *)x, name, value)
    {
        portolan_text_add(out, "%s", comma);
        report_add_cut(out, name, 60);
        portolan_text_add(out, " ");
        add_number(out, json_number_value(value), REPORT_NUMBER);
        comma = ", ";
    }
}

/* Small objects in a cell: a choice, a range, a break, the values of sliders. */
static void add_object(const json_t *x, struct portolan_text *out)
{
    const char *name = report_text(x, "name");

    if (json_object_get(x, "chosen")) {
        report_add_cut(out, report_text(x, "instance"), 60);
        portolan_text_add(out, "=");
        report_add_cut(out, report_text(x, "chosen"), 60);
        return;
    }
    if (!*name && !*report_text(x, "parameter")) {
        add_members(x, out);
        return;
    }
    if (!*name)
        name = report_text(x, "parameter");
    report_add_cut(out, name, 60);
    if (json_object_get(x, "value"))
        portolan_text_add(out, " at %.4g", report_number(json_object_get(x, "value"), "at"));
    else
        portolan_text_add(out, " %.4g to %.4g", report_number(x, "min"), report_number(x, "max"));
}

void report_add_value(const json_t *x, enum report_unit unit, struct portolan_text *out)
{
    if (json_is_number(x)) {
        add_number(out, json_number_value(x), unit);
    } else if (json_is_string(x)) {
        report_add_cut(out, json_string_value(x), MOST_SHOWN);
    } else if (json_is_boolean(x)) {
        portolan_text_add(out, "%s", json_is_true(x) ? "yes" : "");
    } else if (json_is_object(x)) {
        add_object(x, out);
    } else if (json_is_array(x)) {
        for (size_t i = 0; i < json_array_size(x); i++) {
            portolan_text_add(out, "%s", i ? ", " : "");
            report_add_value(json_array_get(x, i), unit, out);
        }
    } else if (unit != REPORT_TEXT && x) {
        portolan_text_add(out, "–");
    }
}

/* A table that is being made: first its rows and filled columns are counted, then it is written. */
struct making {
    const struct report_part *part;
    const struct report_table *table;
    const json_t *links; /* of the first table's rows, in their order; or NULL */
    struct portolan_text *out;
    size_t n_rows;
    unsigned filled; /* bit i: column i has something in some row */
};

static const json_t *peek_cell(const json_t *row, const json_t *outer,
                               const struct report_column *c)
{
    const json_t *own = find_member(row, c->member);

    return own ? own : find_member(outer, c->member);
}

static bool is_filled(const json_t *x)
{
    return json_is_true(x) || json_is_number(x) || json_string_length(x) || json_array_size(x) ||
           json_object_size(x);
}

static void count_row(struct making *m, const json_t *row, const json_t *outer)
{
    const struct report_column *columns = m->table->columns;

    m->n_rows++;
    for (unsigned k = 0; columns[k].member; k++)
        if (!k || is_filled(peek_cell(row, outer, &columns[k])))
            m->filled |= 1u << k;
}

/* A column that is empty in all rows is not shown. */
static bool is_shown(const struct making *m, const struct report_column *c)
{
    return m->filled >> (c - m->table->columns) & 1;
}

static void add_cell(const struct making *m, const json_t *row, const json_t *outer,
                     const struct report_column *c)
{
    const json_t *x = peek_cell(row, outer, c);
    const char *kind = c == m->table->columns ? "th scope=\"row\"" : "td";
    size_t length = json_is_string(x) ? json_string_length(x) : 0;

    portolan_text_add(m->out, "<%s", kind);
    if (json_is_number(x)) {
        portolan_text_add(m->out, " class=\"number\" data-value=\"");
        portolan_text_add_number(m->out, json_number_value(x));
        portolan_text_add(m->out, "\"");
    } else if (c->unit != REPORT_TEXT && c->unit != REPORT_TREE) {
        portolan_text_add(m->out, " class=\"number\"");
    } else if (length) {
        portolan_text_add(m->out, length > WORD ? " class=\"long\"" : " class=\"word\"");
    }
    if (c->unit == REPORT_TREE)
        portolan_text_add(m->out, " data-depth=\"%d\"", (int)fmin(9, report_number(row, "depth")));
    portolan_text_add(m->out, ">");
    report_add_value(x, c->unit, m->out);
    portolan_text_add(m->out, "</%.2s>", kind);
}

/* With its anchor: its link, or its part with its number. */
static void add_row(struct making *m, const json_t *row, const json_t *outer, const json_t *link)
{
    double number = report_number(row, json_object_get(row, "id") ? "id" : "number");

    if (!m->out) {
        count_row(m, row, outer);
        return;
    }
    portolan_text_add(m->out, "<tr");
    if (json_is_string(link)) {
        portolan_text_add(m->out, " id=\"");
        portolan_text_add_xml(m->out, json_string_value(link));
        portolan_text_add(m->out, "\"");
    } else if (number > 0) {
        portolan_text_add(m->out, " id=\"%s/%.0f\"", m->part->name, number);
    }
    portolan_text_add(m->out, "%s>",
                      json_is_true(json_object_get(row, "pruned")) ? " class=\"pruned\"" : "");
    for (const struct report_column *c = m->table->columns; c->member; c++)
        if (is_shown(m, c))
            add_cell(m, row, outer, c);
    portolan_text_add(m->out, "</tr>\n");
}

/* The rows of MEMBER in X, through arrays on the way; OUTER is what a row is in. */
static void add_rows(struct making *m, const json_t *x, const json_t *outer, const char *member)
{
    char name[64];
    size_t n = strcspn(member, ".");

    for (size_t i = 0; i < json_array_size(x); i++) {
        const json_t *row = json_array_get(x, i), *link = json_object_get(row, "link");

        if (*member)
            add_rows(m, row, row, member);
        else if (!link && json_array_size(m->links) == json_array_size(x))
            add_row(m, row, outer, json_object_get(json_array_get(m->links, i), "link"));
        else
            add_row(m, row, outer, link);
    }
    if (!json_is_object(x))
        return;
    if (!*member)
        add_row(m, x, outer, NULL);
    snprintf(name, sizeof name, "%.*s", (int)n, member);
    if (*member)
        add_rows(m, json_object_get(x, name), outer, member + n + (member[n] == '.'));
}

static void add_head(const struct making *m, struct portolan_text *out)
{
    for (const struct report_column *c = m->table->columns; c->member; c++)
        if (is_shown(m, c))
            portolan_text_add(
                out,
                *c->label ? "<th scope=\"col\" data-column=\"%s\"%s>%s</th>"
                          : "<td data-column=\"%s\"%s>%s</td>",
                c->member,
                c->unit == REPORT_TEXT || c->unit == REPORT_TREE ? "" : " class=\"number\"",
                c->label);
}

static bool is_drawn(const struct report_part *part, const struct report_table *t)
{
    char word[64];

    snprintf(word, sizeof word, " %s ", t->member);
    return part->drawn && strstr(part->drawn, word);
}

/* Long tables, and those that repeat a picture, are folded; the summary says how long they are. */
static void add_table(const json_t *part, const struct report_part *of,
                      const struct report_table *t, struct portolan_text *out)
{
    struct making m = {
        .part = of, .table = t, .links = t == of->tables ? json_object_get(part, "links") : NULL};

    add_rows(&m, part, NULL, t->member);
    if (!m.n_rows)
        return;
    m.out = out;
    portolan_text_add(out, "<details class=\"table\"%s><summary>%s (%zu row%s)</summary>",
                      is_drawn(of, t) || m.n_rows > FOLDED ? "" : " open", t->caption, m.n_rows,
                      m.n_rows == 1 ? "" : "s");
    portolan_text_add(out,
                      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">"
                      "<table data-part=\"%s\" data-member=\"%s\">"
                      "<caption class=\"hidden\">%s</caption><thead><tr>",
                      t->caption, of->name, t->member, t->caption);
    add_head(&m, out);
    portolan_text_add(out, "</tr></thead><tbody>\n");
    add_rows(&m, part, NULL, t->member);
    portolan_text_add(out, "</tbody></table></div></details>\n");
}

void report_add_sentences(const json_t *part, struct portolan_text *out)
{
    const json_t *all = json_object_get(part, "sentences");

    for (size_t i = 0; i < json_array_size(all); i++) {
        portolan_text_add(out, "<p class=\"sentence\">");
        report_add_cut(out, json_string_value(json_array_get(all, i)), MOST_SHOWN);
        portolan_text_add(out, "</p>\n");
    }
}

/* Adds what is not in the document, by its members "…_left_out". */
static void add_left_out(const json_t *part, struct portolan_text *out)
{
    static const char ending[] = "_left_out";
    const char *name;
    json_t *x;

    json_object_foreach((json_t *)part, name, x)
    {
        size_t n = strlen(name), end = sizeof ending - 1;

        if (n <= end || strcmp(name + n - end, ending) != 0 || !(json_number_value(x) > 0) ||
            !strcmp(name, "share_left_out"))
            continue;
        portolan_text_add(out, "<p class=\"note\">Left out: %.0f %.*s", json_number_value(x),
                          (int)(n - end), name);
        if (!strcmp(name, "paths_left_out"))
            portolan_text_add(out, ", the shortest, with %.3g %% of the time",
                              100 * report_number(part, "share_left_out"));
        portolan_text_add(out, ". <code>portolan %s</code> shows all.</p>\n",
                          !strncmp(name, "trials", 6)         ? "trials"
                          : !strncmp(name, "expectation", 11) ? "explain --steps"
                                                              : "profile");
    }
}

void report_add_tables(const struct report_part *part, const json_t *data,
                       struct portolan_text *out)
{
    add_left_out(data, out);
    for (const struct report_table *t = part->tables; t && t->member; t++)
        add_table(data, part, t, out);
}
