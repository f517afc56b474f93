/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison as text and as JSON. */
#include "report.h"

#include <portolan/compare.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_WIDTH = 48 };

static void write_trials(const char *name, const struct portolan_trial *const *trials, size_t n,
                         struct portolan_text *out)
{
    size_t cut = 0;

    portolan_text_add(out, "%s: trial%s", name, n == 1 ? "" : "s");
    for (size_t i = 0; i < n; i++) {
        portolan_text_add(out, "%s %lld", i ? "," : "", (long long)trials[i]->id);
        cut += strcmp(trials[i]->outcome, "finished") != 0;
    }
    portolan_text_add(out, " of '%s', %d rank%s, %s%s%s\n", trials[0]->assembly, trials[0]->ranks,
                      trials[0]->ranks == 1 ? "" : "s", trials[0]->started, n > 1 ? " to " : "",
                      n > 1 ? trials[n - 1]->started : "");
    if (cut)
        portolan_text_add(out, "note: %zu of the trials of %s did not finish\n", cut, name);
}

static void write_facts(const struct portolan_comparison *c, bool wide, struct portolan_text *out)
{
    static const struct grid_column columns[] = {
        {"differs", GRID_NAME}, {"A", GRID_NAME}, {"B", GRID_NAME}};
    struct grid t = {.columns = columns, .n_columns = 3, .wide = wide};

    if (c->n_facts == 0) {
        portolan_text_add(out, "\nA and B have the same parameters and metadata\n\n");
        return;
    }
    portolan_text_add(out, "\n");
    for (size_t i = 0; i < c->n_facts; i++) {
        grid_text(&t, c->facts[i].name);
        grid_text(&t, c->facts[i].in_a);
        grid_text(&t, c->facts[i].in_b);
    }
    grid_write(&t, out);
    portolan_text_add(out, "\n");
}

static void add_label(const struct portolan_comparison_row *r, struct grid *t)
{
    int indent = 2 * r->depth;

    if (!*r->in_a && !*r->in_b)
        grid_format(t, "%*s%s", indent, "", r->label);
    else if (!strcmp(r->in_a, r->in_b) || !*r->in_a || !*r->in_b)
        grid_format(t, "%*s%s [%s]", indent, "", r->label, *r->in_a ? r->in_a : r->in_b);
    else
        grid_format(t, "%*s%s [%s -> %s]", indent, "", r->label, r->in_a, r->in_b);
}

static void add_row(const struct portolan_comparison *c, const struct portolan_comparison_row *r,
                    bool marks, struct grid *t)
{
    bool is_total = r == &c->total;

    add_label(r, t);
    if (marks)
        grid_text(t, r->is_marked ? "!" : "");
    grid_numbers(t, r->median_a, r->median_b, r->share);
    grid_format(t, "%.3f", r->ratio.value);
    if (isinf(r->ratio.high))
        grid_text(t, "-");
    else
        grid_format(t, "%.3f ... %.3f", r->ratio.low, r->ratio.high);
    grid_format(t, "%.2g", r->p);
    if (is_total || isnan(r->p_holm))
        grid_text(t, "");
    else
        grid_format(t, "%.2g", r->p_holm);
    if (isnan(r->p_welch))
        grid_text(t, "-");
    else
        grid_format(t, "%.2g", r->p_welch);
    grid_format(t, "%s%s%s", portolan_verdict_text(r->verdict),
                is_total && *c->unlike ? ", with " : "", is_total ? c->unlike : "");
}

/* The rows whose medians differ most, with their callers; rows with a verdict come first. */
static size_t *order_rows(const struct portolan_comparison *c, size_t top, size_t *shown)
{
    struct grid_row *rows = portolan_calloc(c->n_rows + 1, sizeof *rows);
    size_t *order;

    for (size_t i = 0; rows && i < c->n_rows; i++) {
        const struct portolan_comparison_row *r = &c->rows[i];
        bool is_verdict =
            r->verdict == PORTOLAN_VERDICT_SLOWER || r->verdict == PORTOLAN_VERDICT_FASTER;

        rows[i] =
            (struct grid_row){.parent = r->parent,
                              .place = (double)i,
                              .weight = is_verdict ? INFINITY : fabs(r->median_b - r->median_a),
                              .matches = true};
    }
    order = rows ? grid_order(rows, c->n_rows, top, shown) : NULL;
    free(rows);
    return order;
}

static bool any_marked(const struct portolan_comparison *c)
{
    for (size_t i = 0; i < c->n_rows; i++)
        if (c->rows[i].is_marked)
            return true;
    return false;
}

static enum portolan_status write_rows(const struct portolan_comparison *c, size_t top, bool wide,
                                       struct portolan_text *out, struct portolan_error *err)
{
    bool is_time = !strcmp(c->query.metric, "exclusive") || !strcmp(c->query.metric, "inclusive") ||
                   !strcmp(c->query.metric, "mpi");
    enum grid_kind kind = is_time ? GRID_EACH : GRID_PLAIN;
    bool marks = any_marked(c);
    struct grid_column columns[] = {{c->query.metric, GRID_NAME},
                                    {"", GRID_TEXT},
                                    {"A", kind},
                                    {"B", kind},
                                    {"share", GRID_PERCENT},
                                    {"ratio", GRID_TEXT},
                                    {"interval", GRID_TEXT},
                                    {"p", GRID_TEXT},
                                    {"p Holm", GRID_TEXT},
                                    {"p Welch", GRID_TEXT},
                                    {"verdict", GRID_NAME}};
    /* In what A and B differ is never cut. */
    struct grid t = {.columns = columns, .n_columns = 11, .wide = wide || *c->unlike};
    size_t shown = 0, *order = order_rows(c, top, &shown);

    if (!order)
        return portolan_no_memory(err);
    if (!marks) {
        memmove(&columns[1], &columns[2], 9 * sizeof *columns);
        t.n_columns = 10;
    }
    add_row(c, &c->total, marks, &t);
    for (size_t i = 0; i < shown; i++)
        add_row(c, &c->rows[order[i]], marks, &t);
    grid_write(&t, out);
    if (shown < c->n_rows)
        portolan_text_add(out, "... and %zu more call paths (--top)\n", c->n_rows - shown);
    free(order);
    return PORTOLAN_OK;
}

static const char *many(size_t n)
{
    return n == 1 ? "" : "s";
}

static void write_changes(const struct portolan_comparison *c, enum portolan_verdict verdict,
                          const char *words, struct portolan_text *out)
{
    for (size_t i = 0; i <= c->n_rows; i++) {
        const struct portolan_comparison_row *r = i ? &c->rows[i - 1] : &c->total;

        if (r->verdict == verdict)
            portolan_text_add(out, "%s: %s takes %.3f times as much (%.3f ... %.3f)%s%s\n", words,
                              r->label, r->ratio.value, r->ratio.low, r->ratio.high,
                              *c->unlike ? ", with " : "", c->unlike);
    }
}

static void write_paths_verdict(const struct portolan_comparison *c, struct portolan_text *out)
{
    size_t slower = 0, unclear = 0;

    for (size_t i = 0; i < c->n_rows; i++) {
        slower += c->rows[i].verdict == PORTOLAN_VERDICT_SLOWER;
        unclear += c->rows[i].verdict == PORTOLAN_VERDICT_UNCLEAR;
    }
    if (c->enough_for_paths > c->n_a && c->enough_for_paths > c->n_b)
        portolan_text_add(out,
                          "call paths: cannot tell which changed: %zu are tested together; give "
                          "at least %zu and %zu trials\n",
                          c->n_tested, c->enough_for_paths, c->enough_for_paths);
    else if (!slower)
        portolan_text_add(out, "call paths: none of %zu tested is shown to be slower%s\n",
                          c->n_tested,
                          unclear ? ", but of some the interval reaches beyond the threshold" : "");
}

static void write_verdict(const struct portolan_comparison *c, struct portolan_text *out)
{
    double percent = 100 * c->query.threshold;

    portolan_text_add(out, "\n");
    write_changes(c, PORTOLAN_VERDICT_SLOWER, "REGRESSION", out);
    write_changes(c, PORTOLAN_VERDICT_FASTER, "improvement", out);
    switch (c->total.verdict) {
    case PORTOLAN_VERDICT_CANNOT_TELL:
        portolan_text_add(out, "cannot tell: %zu trial%s against %zu; give at least %zu and %zu\n",
                          c->n_a, many(c->n_a), c->n_b, c->enough_for_total, c->enough_for_total);
        return;
    case PORTOLAN_VERDICT_SAME:
    case PORTOLAN_VERDICT_SMALL:
        portolan_text_add(out, "total: no regression of more than %g %%\n", percent);
        break;
    case PORTOLAN_VERDICT_UNCLEAR:
        portolan_text_add(out,
                          "total: no significant change, but the interval reaches to %.3f: a "
                          "regression of %g %% is not excluded; measure more trials\n",
                          c->total.ratio.high, percent);
        break;
    default:
        break;
    }
    write_paths_verdict(c, out);
}

enum portolan_status portolan_comparison_write(const struct portolan_comparison *c, size_t top,
                                               bool wide, struct portolan_text *out,
                                               struct portolan_error *err)
{
    enum portolan_status status;

    write_trials("A", c->a, c->n_a, out);
    write_trials("B", c->b, c->n_b, out);
    write_facts(c, wide, out);
    status = write_rows(c, top, wide, out, err);
    if (status == PORTOLAN_OK)
        write_verdict(c, out);
    return status;
}

static void write_values(struct portolan_json *j, const char *key, const double *values, size_t n)
{
    portolan_json_open(j, key, '[');
    for (size_t i = 0; i < n; i++)
        portolan_json_number(j, NULL, values[i]);
    portolan_json_close(j, ']');
}

static void write_json_row(struct portolan_json *j, const char *key,
                           const struct portolan_comparison *c,
                           const struct portolan_comparison_row *r)
{
    portolan_json_open(j, key, '{');
    if (!key) {
        portolan_json_number(j, "path", (double)(r - c->rows));
        portolan_json_number(j, "parent", (double)r->parent);
        portolan_json_text(j, "method", r->label);
        portolan_json_text(j, "implementation_a", r->in_a);
        portolan_json_text(j, "implementation_b", r->in_b);
        portolan_json_bool(j, "marked", r->is_marked);
        portolan_json_number(j, "share", r->share);
    }
    write_values(j, "a", r->values_a, c->n_a);
    write_values(j, "b", r->values_b, c->n_b);
    portolan_json_number(j, "median_a", r->median_a);
    portolan_json_number(j, "median_b", r->median_b);
    portolan_json_number(j, "ratio", r->ratio.value);
    portolan_json_number(j, "ratio_low", r->ratio.low);
    portolan_json_number(j, "ratio_high", r->ratio.high);
    portolan_json_number(j, "p", r->p);
    portolan_json_number(j, "p_holm", r->p_holm);
    portolan_json_number(j, "p_welch", r->p_welch);
    portolan_json_text(j, "verdict",
                       r->verdict == PORTOLAN_VERDICT_NOT_TESTED ? "not tested"
                       : r->verdict == PORTOLAN_VERDICT_SLOWER   ? "slower"
                                                               : portolan_verdict_text(r->verdict));
    if (*c->unlike)
        portolan_json_text(j, "unlike", c->unlike);
    portolan_json_close(j, '}');
}

static void write_json_trials(struct portolan_json *j, const char *key,
                              const struct portolan_trial *const *trials, size_t n)
{
    portolan_json_open(j, key, '[');
    for (size_t i = 0; i < n; i++)
        profile_json_trial(j, NULL, trials[i]);
    portolan_json_close(j, ']');
}

void portolan_comparison_write_members(const struct portolan_comparison *c, size_t top,
                                       struct portolan_json *j)
{
    portolan_json_text(j, "metric", c->query.metric);
    portolan_json_number(j, "threshold", c->query.threshold);
    portolan_json_number(j, "level", c->query.level);
    portolan_json_bool(j, "regression", c->is_regression);
    portolan_json_number(j, "trials_for_total", (double)c->enough_for_total);
    portolan_json_number(j, "trials_for_paths", (double)c->enough_for_paths);
    portolan_json_number(j, "paths_tested", (double)c->n_tested);
    write_json_trials(j, "a", c->a, c->n_a);
    write_json_trials(j, "b", c->b, c->n_b);
    portolan_json_open(j, "differences", '[');
    for (size_t i = 0; i < c->n_facts; i++) {
        portolan_json_open(j, NULL, '{');
        portolan_json_text(j, "name", c->facts[i].name);
        portolan_json_text(j, "a", c->facts[i].in_a);
        portolan_json_text(j, "b", c->facts[i].in_b);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
    write_json_row(j, "total", c, &c->total);
    portolan_json_open(j, "paths", '[');
    for (size_t i = 0; i < c->n_rows && (top == 0 || i < top); i++)
        write_json_row(j, NULL, c, &c->rows[i]);
    portolan_json_close(j, ']');
}

enum portolan_status portolan_comparison_write_json(const struct portolan_comparison *c,
                                                    struct portolan_text *out,
                                                    struct portolan_error *err)
{
    struct portolan_json j = {.out = out};

    profile_json_begin(&j, "comparison", NULL);
    portolan_comparison_write_members(c, 0, &j);
    return profile_json_end(&j, err);
}
