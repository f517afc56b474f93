/* SPDX-License-Identifier: BSD-3-Clause */
/* Answer first: what was chosen, what that gains, and how far it can be trusted, in sentences. */
#include "internal.h"

#include <portolan/mastermind.h>

#include <math.h>
#include <string.h>

/* The choice of the plan for the assembly as it is; NULL: there is none. */
static const struct portolan_plan_choice *choose(const struct report *r, struct portolan_error *why)
{
    const struct portolan_plan_choice *c = NULL;

    if (!r->from->plan)
        portolan_error_set(why, PORTOLAN_ENOTFOUND, "%s",
                           r->from->no_plan ? r->from->no_plan : "no assembly was named");
    else
        portolan_plan_choose(r->from->plan, &c, why);
    return c;
}

static void add_time(struct portolan_text *t, const char *before, double ns)
{
    char text[32];

    portolan_text_add(t, "%s%s", before, portolan_format_time(ns, 3, text, sizeof text));
}

/* ------------------------------------------------------------------ what was chosen */

static void add_chosen(const struct portolan_plan_choice *c, struct portolan_text *t)
{
    const char *comma = "Chosen: ";
    size_t kept = 0;

    for (size_t i = 0; i < c->n_variables; i++) {
        const struct portolan_plan_variable *v = &c->variables[i];

        if (v->chosen == v->written) {
            kept++;
            continue;
        }
        portolan_text_add(t, "%s%s as %s instead of %s", comma,
                          v->options[v->chosen].implementation, v->instance,
                          v->options[v->written].implementation);
        comma = ", ";
    }
    if (kept == c->n_variables)
        portolan_text_add(t, "The assembly as written is the choice");
    else if (kept)
        portolan_text_add(t, "; %zu other%s stay%s as written", kept, kept == 1 ? "" : "s",
                          kept == 1 ? "s" : "");
    if (c->verdict == PORTOLAN_PLAN_CANNOT_TELL)
        portolan_text_add(t, ", but too little is known to be sure");
    portolan_text_add(t, " (best of all with a chance of %.0f %%).", 100 * c->chance);
}

/* Adds what ran, which is known even if no plan can be made. */
static void add_what_ran(const struct report *r, const char *why, struct portolan_text *t)
{
    if (r->runs.decision)
        portolan_text_add(t, "The run chose %s.", r->runs.decision->choice);
    else
        portolan_text_add(t, "There is no choice: %s.", why);
}

/* ------------------------------------------------------------------ what it gains */

static void add_predicted(const struct portolan_plan_choice *c, struct portolan_text *t)
{
    char gain[80];

    if (c->prediction.is_unusable) {
        portolan_text_add(t, "Too few measurements near these parameters to predict its time");
        return;
    }
    add_time(t, "It is predicted to take ", c->prediction.total_ns);
    add_time(t, " (95 %: ", c->prediction.low_ns);
    add_time(t, " to ", c->prediction.high_ns);
    portolan_text_add(t, ")");
    if (isinf(c->as_written.total_ns) || c->as_written.is_unusable)
        return;
    add_time(t, "; as written it would take ", c->as_written.total_ns);
    if (c->gain.low != 0 || c->gain.high != 0) /* else the choice is as written */
        portolan_text_add(t, ": %s", portolan_format_gain(&c->gain, gain, sizeof gain));
}

/* The run next to what the plan predicts: the plan has ranks and a machine, but no trial. */
static void add_unlike_plan(const struct report *r, struct portolan_text *t)
{
    const struct portolan_plan_options *o = r->from->options;

    if (o && o->ranks > 0 && r->from->plan && r->runs.run)
        portolan_trial_add_unlike(r->runs.run,
                                  &(const struct portolan_trial){.ranks = o->ranks,
                                                                 .metadata = o->facts,
                                                                 .n_metadata = o->n_facts},
                                  false, t);
}

static void add_measured(const struct report *r, struct portolan_text *t)
{
    const struct report_runs *x = &r->runs;
    struct portolan_text unlike = {0};

    if (!x->run) {
        portolan_text_add(t, "No finished run with these parameters is stored.");
        return;
    }
    portolan_text_add(t, "The newest run");
    add_unlike_plan(r, &unlike);
    if (unlike.length)
        portolan_text_add(t, ", with %s,", unlike.bytes);
    t->failed |= unlike.failed;
    portolan_text_clear(&unlike);
    add_time(t, " took ", x->run->elapsed_ns);
    if (x->decision && x->decision->predicted_ns > 0) {
        double off = x->run->elapsed_ns / x->decision->predicted_ns - 1;

        portolan_text_add(t, ", %.3g %% %s the prediction that it began with", fabs(100 * off),
                          off < 0 ? "below" : "above");
    }
    if (x->n_like)
        portolan_text_add(t, "; the best fixed assembly took %.3g times as long, the worst %.3g",
                          x->fixed[0]->elapsed_ns / x->run->elapsed_ns,
                          x->fixed[x->n_like - 1]->elapsed_ns / x->run->elapsed_ns);
    portolan_text_add(t, ".");
}

/* Adds the cost of the whole trial, and Portolan's part of it. */
static void add_spent(const struct report *r, struct portolan_text *t)
{
    struct portolan_spent spent;

    if (!portolan_trial_read_spent(r->shown, &spent))
        return;
    portolan_text_add(t, "Trial %lld: ", (long long)r->shown->id);
    portolan_spent_add(&spent, t);
    portolan_text_add(t, ".");
}

/* ------------------------------------------------------------------ what is not known */

static void add_gaps(const struct report *r, const struct portolan_plan_choice *c,
                     struct portolan_text *t)
{
    const char *comma = "Not measured: ";
    bool said = false;

    for (size_t i = 0; c && i < c->n_variables; i++)
        for (size_t k = 0; k < c->variables[i].n_options; k++)
            if (c->variables[i].options[k].is_unknown) {
                portolan_text_add(t, "%s%s as %s", comma, c->variables[i].options[k].implementation,
                                  c->variables[i].instance);
                comma = ", ";
                said = true;
            }
    if (c && c->prediction.n_extrapolating) {
        portolan_text_add(t, "%sutside what was measured: %zu model%s, farthest %s",
                          said ? "; o" : "O", c->prediction.n_extrapolating,
                          c->prediction.n_extrapolating == 1 ? "" : "s",
                          c->prediction.extrapolating);
        said = true;
    }
    if (r->runs.run && r->runs.run->n_partial) {
        portolan_text_add(t, "%sot completely measured: %zu step%s of the run", said ? "; n" : "N",
                          r->runs.run->n_partial, r->runs.run->n_partial == 1 ? "" : "s");
        said = true;
    }
    if (said)
        portolan_text_add(t, ".");
    else
        portolan_text_add(t,
                          c ? "The choice rests on measurements alone, within the measured range."
                            : "No model is available to say what lies outside the measured range.");
}

/* ------------------------------------------------------------------ data */

static void write_sentence(struct portolan_json *j, struct portolan_text *t)
{
    portolan_json_text(j, NULL, t->bytes);
    j->out->failed |= t->failed;
    portolan_text_clear(t);
}

static void write_sentences(const struct report *r, const struct portolan_plan_choice *c,
                            const char *why, struct portolan_json *j)
{
    struct portolan_text t = {0};

    portolan_json_open(j, "sentences", '[');
    if (!r->shown) {
        portolan_json_text(j, NULL, "The store has no trial yet.");
        portolan_json_close(j, ']');
        return;
    }
    if (c)
        add_chosen(c, &t);
    else
        add_what_ran(r, why, &t);
    write_sentence(j, &t);
    if (c) {
        add_predicted(c, &t);
        portolan_text_add(&t, ". ");
    }
    add_measured(r, &t);
    write_sentence(j, &t);
    add_gaps(r, c, &t);
    write_sentence(j, &t);
    add_spent(r, &t);
    if (t.length)
        write_sentence(j, &t);
    portolan_json_close(j, ']');
}

/* A time that is no measure of the run's has no ratio to it. */
static void write_ratios(const struct report *r, size_t i, struct portolan_json *j)
{
    const struct report_runs *x = &r->runs;
    double ns = i < x->n_like ? x->fixed[i]->elapsed_ns : NAN;

    portolan_json_number(j, "to_run", x->run ? ns / x->run->elapsed_ns : NAN);
    portolan_json_number(j, "to_total", x->run ? ns / (x->run->elapsed_ns + x->explored_ns) : NAN);
}

static void write_text(struct portolan_json *j, const char *key, struct portolan_text *t)
{
    portolan_json_text(j, key, t->length ? t->bytes : "");
    j->out->failed |= t->failed;
    portolan_text_clear(t);
}

static void write_fixed(const struct report *r, struct portolan_json *j)
{
    const struct report_runs *x = &r->runs;
    struct portolan_text t = {0};

    portolan_json_open(j, "fixed", '[');
    for (size_t i = 0; i < x->n_fixed; i++) {
        portolan_json_open(j, NULL, '{');
        report_add_choice(r->from->assembly, x->fixed[i], &t);
        write_text(j, "choice", &t);
        portolan_json_number(j, "trial", (double)x->fixed[i]->id);
        portolan_json_number(j, "elapsed_ns", x->fixed[i]->elapsed_ns);
        write_ratios(r, i, j);
        report_add_unlike(x, x->fixed[i], &t);
        write_text(j, "unlike", &t);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
}

static void write_number(struct portolan_json *j, const char *name, double value,
                         const char *unlike)
{
    portolan_json_open(j, NULL, '{');
    portolan_json_text(j, "name", name);
    portolan_json_number(j, "ns", value);
    portolan_json_text(j, "unlike", unlike);
    portolan_json_close(j, '}');
}

/* Times of the run, next to a plan that may be for other ranks or another machine. */
static void write_run(const struct report *r, struct portolan_json *j)
{
    const struct report_runs *x = &r->runs;
    struct portolan_text t = {0};
    const char *unlike;

    add_unlike_plan(r, &t);
    unlike = t.length ? t.bytes : "";
    if (x->decision && x->decision->predicted_ns > 0)
        write_number(j, "predicted when the run began", x->decision->predicted_ns, unlike);
    write_number(j, "measured", x->run->elapsed_ns, unlike);
    if (report_fact_ns(x->run, PORTOLAN_FACT_FORETOLD) > 0)
        write_number(j, "predicted step by step", report_fact_ns(x->run, PORTOLAN_FACT_FORETOLD),
                     unlike);
    if (x->n_explored)
        write_number(j, "exploration", x->explored_ns, unlike);
    j->out->failed |= t.failed;
    portolan_text_clear(&t);
}

/* Predicted and measured, by name. */
static void write_times(const struct report *r, const struct portolan_plan_choice *c,
                        struct portolan_json *j)
{
    portolan_json_open(j, "times", '[');
    if (c) {
        write_number(j, "predicted for the choice", c->prediction.total_ns, "");
        write_number(j, "at least (95 %)", c->prediction.low_ns, "");
        write_number(j, "at most (95 %)", c->prediction.high_ns, "");
        write_number(j, "predicted as written", c->as_written.total_ns, "");
    }
    if (r->runs.run)
        write_run(r, j);
    portolan_json_close(j, ']');
}

static void write_part(struct portolan_json *j, const char *kind, const char *name, double ns,
                       const struct portolan_spent *s)
{
    portolan_json_open(j, NULL, '{');
    portolan_json_text(j, "kind", kind);
    portolan_json_text(j, "name", name);
    portolan_json_number(j, "ns", ns);
    portolan_json_number(j, "share", ns / s->wall_ns);
    portolan_json_close(j, '}');
}

static void write_spent(const struct report *r, struct portolan_json *j)
{
    struct portolan_spent s;

    portolan_json_open(j, "spent", '[');
    if (r->shown && portolan_trial_read_spent(r->shown, &s)) {
        for (size_t i = 0; i < sizeof s.parts / sizeof *s.parts; i++)
            write_part(j, "", s.parts[i].name, s.parts[i].ns, &s);
        write_part(j, "sum", "wall time", s.wall_ns, &s);
        for (size_t i = 0; i < sizeof s.contains / sizeof *s.contains; i++)
            write_part(j, "in measured calls", s.contains[i].name, s.contains[i].ns, &s);
        write_part(j, "what Portolan cost", "overhead", s.overhead_ns, &s);
        write_part(j, "all threads", "processor time", s.processor_ns, &s);
    }
    portolan_json_close(j, ']');
}

static enum portolan_status write_answer(struct report *r, struct portolan_json *j,
                                         struct portolan_error *err)
{
    struct portolan_error why = {0};
    const struct portolan_plan_choice *c = choose(r, &why);

    (void)err;
    write_sentences(r, c, why.text, j);
    if (c && !isnan(c->gain.share)) {
        static const char *const names[] = {"value", "low", "high"};

        portolan_json_numbers(j, "gain", names,
                              (const double[]){c->gain.share, c->gain.low, c->gain.high}, 3);
    }
    if (c)
        portolan_plan_write_choice(r->from->plan, j, "choice", &why);
    write_times(r, c, j);
    write_spent(r, j);
    write_fixed(r, j);
    return PORTOLAN_OK;
}

static const struct report_table tables[] = {
    {"choice.variables.options",
     "Implementations, and the least time of the run with each",
     {{"instance", "instance", REPORT_TEXT},
      {"implementation", "implementation", REPORT_TEXT},
      {"is_chosen", "chosen", REPORT_TEXT},
      {"is_written", "as written", REPORT_TEXT},
      {"total_ns", "run with it", REPORT_TIME},
      {"reason", "not allowed", REPORT_TEXT},
      {"extrapolates", "outside the measured range", REPORT_TEXT},
      {"unusable", "cannot tell", REPORT_TEXT},
      {"core", "counts", REPORT_TEXT},
      {"called", "called", REPORT_TEXT}}},
    {"times",
     "Predicted and measured times of the run",
     {{"name", "time", REPORT_TEXT},
      {"ns", "value", REPORT_TIME},
      {"unlike", "unlike the prediction", REPORT_TEXT}}},
    {"spent",
     "Where rank 0 spent the time of the trial shown",
     {{"name", "time", REPORT_TEXT},
      {"ns", "value", REPORT_TIME},
      {"share", "of wall time", REPORT_SHARE},
      {"kind", "", REPORT_TEXT}}},
    {"fixed",
     "Fixed assemblies, measured",
     {{"choice", "implementations", REPORT_TEXT},
      {"trial", "trial", REPORT_NUMBER},
      {"elapsed_ns", "time", REPORT_TIME},
      {"to_run", "of the run", REPORT_NUMBER},
      {"to_total", "of run and exploration", REPORT_NUMBER},
      {"unlike", "unlike the run", REPORT_TEXT}}},
    {"choice.reasons", "Why", {{"", "reason", REPORT_TEXT}}},
    {0},
};

const struct report_part report_answer = {
    .name = "answer",
    .title = "Answer",
    .about = "The choice, its gain, and what is not known.",
    .write = write_answer,
    .tables = tables,
};
