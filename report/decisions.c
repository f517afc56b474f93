/* SPDX-License-Identifier: BSD-3-Clause */
/* Decisions of the run that is shown, what became of them, and its steps against their predictions.
 */
#include "internal.h"

#include <portolan/chart.h>

#include <stdlib.h>
#include <string.h>

static void write_alternative(struct portolan_json *j, const struct portolan_alternative *a)
{
    portolan_json_open(j, NULL, '{');
    portolan_json_text(j, "instance", a->instance);
    portolan_json_text(j, "implementation", a->implementation);
    portolan_json_bool(j, "chosen", a->chosen);
    portolan_json_number(j, "rows", a->rows);
    portolan_json_number(j, "step_ns", a->step_ns);
    portolan_json_number(j, "low_ns", a->low_ns);
    portolan_json_number(j, "high_ns", a->high_ns);
    portolan_json_number(j, "forced_ns", a->forced_ns);
    portolan_json_number(j, "chance", a->chance);
    portolan_json_text(j, "binding", a->binding);
    portolan_json_text(j, "text", a->text);
    portolan_json_close(j, '}');
}

static void write_decision(struct portolan_json *j, const struct portolan_reason_set *set,
                           const struct portolan_reason *r)
{
    portolan_json_open(j, NULL, '{');
    portolan_json_number(j, "number", r->number);
    portolan_json_number(j, "step", r->step);
    portolan_json_text(j, "asked_by", r->asked_by);
    portolan_json_text(j, "change", r->change);
    portolan_json_text(j, "choice", r->choice);
    portolan_json_text(j, "binding", r->binding);
    portolan_json_number(j, "steps", r->steps);
    portolan_json_number(j, "trials", r->trials);
    portolan_json_number(j, "now_ns", r->now_ns);
    portolan_json_number(j, "step_ns", r->step_ns);
    portolan_json_number(j, "low_ns", r->low_ns);
    portolan_json_number(j, "high_ns", r->high_ns);
    portolan_json_number(j, "cost_ns", r->cost_ns);
    portolan_json_number(j, "chance", r->chance);
    portolan_json_text(j, "reason", r->text);
    portolan_json_text(j, "outcome", r->outcome);
    portolan_json_open(j, "alternatives", '[');
    for (size_t i = 0; i < set->n_alternatives; i++)
        if (set->alternatives[i].number == r->number)
            write_alternative(j, &set->alternatives[i]);
    portolan_json_close(j, ']');
    portolan_json_close(j, '}');
}

static void write_expectation(struct portolan_json *j, const struct portolan_expectation *e)
{
    portolan_json_open(j, NULL, '{');
    portolan_json_number(j, "step", e->step);
    portolan_json_text(j, "path", e->path);
    portolan_json_text(j, "cause", e->cause);
    portolan_json_number(j, "expected_ns", e->expected_ns);
    portolan_json_number(j, "low_ns", e->low_ns);
    portolan_json_number(j, "high_ns", e->high_ns);
    portolan_json_number(j, "measured_ns", e->measured_ns);
    portolan_json_close(j, '}');
}

void portolan_report_write_decisions(struct portolan_json *j, const struct portolan_reason_set *set,
                                     const struct portolan_reason *only)
{
    portolan_json_open(j, "decisions", '[');
    for (size_t i = 0; set && i < set->n_reasons; i++)
        if (!only || &set->reasons[i] == only)
            write_decision(j, set, &set->reasons[i]);
    portolan_json_close(j, ']');
    portolan_json_open(j, "expectations", '[');
    for (size_t i = 0; set && !only && i < set->n_expectations; i++)
        write_expectation(j, &set->expectations[i]);
    portolan_json_close(j, ']');
}

static enum portolan_status write_decisions(struct report *r, struct portolan_json *j,
                                            struct portolan_error *err)
{
    (void)err;
    portolan_report_write_decisions(j, r->reasons, NULL);
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ picture */

/* Steps as a chart: what they were expected to take, and took. */
static void draw_steps(const json_t *part, struct portolan_text *out)
{
    const json_t *all = json_object_get(part, "expectations");
    size_t n = json_array_size(all), k = 0;
    double *x = portolan_calloc(5 * n + 1, sizeof *x), *expected = x + n, *low = x + 2 * n,
           *high = x + 3 * n, *measured = x + 4 * n;
    struct portolan_chart_series series[] = {
        {.kind = PORTOLAN_CHART_BAND, .x = x, .low = low, .high = high},
        {.name = "expected", .kind = PORTOLAN_CHART_LINE, .x = x, .y = expected},
        {.name = "measured", .kind = PORTOLAN_CHART_LINE, .x = x, .y = measured}};
    struct portolan_chart chart = {.title = "Time of each step",
                                   .x_label = "step",
                                   .y_label = "s",
                                   .id = "steps",
                                   .n_series = 3,
                                   .series = series};
    static const double s_per_ns = 1e-9;
    char *svg = NULL;

    for (size_t i = 0; x && i < n; i++) {
        const json_t *e = json_array_get(all, i);

        if (*report_text(e, "path"))
            continue;
        x[k] = report_number(e, "step");
        expected[k] = report_number(e, "expected_ns") * s_per_ns;
        low[k] = report_number(e, "low_ns") * s_per_ns;
        high[k] = report_number(e, "high_ns") * s_per_ns;
        measured[k++] = report_number(e, "measured_ns") * s_per_ns;
    }
    for (size_t i = 0; i < 3; i++)
        series[i].n = k;
    if (x && k)
        portolan_chart_write(&chart, "steps.svg", &svg, NULL);
    if (svg)
        portolan_text_add(out, "<figure class=\"steps\">%s</figure>\n", svg);
    free(svg);
    free(x);
}

static const struct report_table tables[] = {
    {"decisions",
     "What was decided, step by step",
     {{"number", "decision", REPORT_NUMBER},
      {"step", "at step", REPORT_NUMBER},
      {"asked_by", "asked by", REPORT_TEXT},
      {"change", "change", REPORT_TEXT},
      {"step_ns", "per step", REPORT_TIME},
      {"low_ns", "at least", REPORT_TIME},
      {"high_ns", "at most", REPORT_TIME},
      {"cost_ns", "change costs", REPORT_TIME},
      {"chance", "best", REPORT_SHARE},
      {"outcome", "outcome", REPORT_TEXT},
      {"reason", "why", REPORT_TEXT}}},
    {"decisions.alternatives",
     "Alternatives at each decision",
     {{"number", "decision", REPORT_NUMBER},
      {"instance", "instance", REPORT_TEXT},
      {"implementation", "implementation", REPORT_TEXT},
      {"chosen", "chosen", REPORT_TEXT},
      {"step_ns", "per step", REPORT_TIME},
      {"low_ns", "at least", REPORT_TIME},
      {"high_ns", "at most", REPORT_TIME},
      {"forced_ns", "rest, if forced", REPORT_TIME},
      {"chance", "best", REPORT_SHARE},
      {"rows", "measurements", REPORT_NUMBER},
      {"binding", "excluded by", REPORT_TEXT},
      {"text", "why", REPORT_TEXT}}},
    {"expectations",
     "Steps, and call paths that were not as expected",
     {{"step", "step", REPORT_NUMBER},
      {"path", "call path", REPORT_TEXT},
      {"expected_ns", "expected", REPORT_TIME},
      {"low_ns", "at least", REPORT_TIME},
      {"high_ns", "at most", REPORT_TIME},
      {"measured_ns", "measured", REPORT_TIME},
      {"cause", "cause", REPORT_TEXT}}},
    {0},
};

const struct report_part report_decisions = {
    .name = "decisions",
    .title = "Decisions",
    .about = "The decisions of the run, the costs of the alternatives, and the results.",
    .write = write_decisions,
    .draw = draw_steps,
    .tables = tables,
};
