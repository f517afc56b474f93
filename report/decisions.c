/* SPDX-License-Identifier: BSD-3-Clause */
/* Decisions of the run that is shown, what became of them, and its steps against their predictions.
 */
#include "internal.h"

#include <math.h>

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

static void write_reasons(struct portolan_json *j, const struct portolan_reason_set *set,
                          const struct portolan_reason *only)
{
    portolan_json_open(j, "decisions", '[');
    for (size_t i = 0; set && i < set->n_reasons; i++)
        if (!only || &set->reasons[i] == only)
            write_decision(j, set, &set->reasons[i]);
    portolan_json_close(j, ']');
}

/* Those that were not as expected come first if not all are wanted. */
static size_t write_expectations(struct portolan_json *j, const struct portolan_reason_set *set,
                                 size_t most)
{
    size_t n = set ? set->n_expectations : 0, odd = 0, left_out = 0;

    for (size_t i = 0; i < n; i++)
        odd += *set->expectations[i].cause != '\0';
    portolan_json_open(j, "expectations", '[');
    for (size_t i = 0, plain = most > odd ? most - odd : 0; i < n; i++) {
        const struct portolan_expectation *e = &set->expectations[i];
        size_t *room = *e->cause ? &most : &plain;

        if (n <= most || *room)
            write_expectation(j, e);
        else
            left_out++;
        *room -= n > most && *room;
    }
    portolan_json_close(j, ']');
    return left_out;
}

void portolan_report_write_decisions(struct portolan_json *j, const struct portolan_reason_set *set,
                                     const struct portolan_reason *only)
{
    write_reasons(j, set, only);
    write_expectations(j, only ? NULL : set, SIZE_MAX);
}

static enum portolan_status write_decisions(struct report *r, struct portolan_json *j,
                                            struct portolan_error *err)
{
    enum { MOST_EXPECTATIONS = 600 };

    (void)err;
    write_reasons(j, r->reasons, NULL);
    portolan_json_number(j, "expectations_left_out",
                         (double)write_expectations(j, r->reasons, MOST_EXPECTATIONS));
    return PORTOLAN_OK;
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
    .tables = tables,
};
