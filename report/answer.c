/* SPDX-License-Identifier: BSD-3-Clause */
/* Answer first: what was chosen, what that gains, and how far it can be trusted, in sentences. */
#include "internal.h"

#include <portolan/mastermind.h>

#include <math.h>
#include <string.h>

const struct portolan_plan_answer *report_choose(const struct report *r, struct portolan_error *why)
{
    const struct portolan_plan_answer *a = NULL;

    if (!r->from->plan)
        portolan_error_set(why, PORTOLAN_ENOTFOUND, "%s",
                           r->from->no_plan ? r->from->no_plan : "no assembly was named");
    else
        portolan_plan_choose(r->from->plan, &a, why);
    return a;
}

/* Adds what ran, which is known even if no plan can be made. */
static void add_what_ran(const struct report *r, const char *why, struct portolan_text *t)
{
    if (r->runs.decision)
        portolan_text_add(t, "The run chose %s.", r->runs.decision->choice);
    else
        portolan_text_add(t, "There is no choice: %s.", why);
}

/* ------------------------------------------------------------------ what was measured */

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

void report_add_off(double measured_ns, double predicted_ns, struct portolan_text *out)
{
    double off = measured_ns / predicted_ns - 1;

    if (fabs(off) < 5e-4)
        portolan_text_add(out, "like the prediction");
    else
        portolan_text_add(out, "%.3g %% %s the prediction", fabs(100 * off),
                          off < 0 ? "below" : "above");
}

/* A wrapped program whose libraries took turns. A run that explored now and then is still a run. */
static bool is_rotated(const struct report *r)
{
    return r->shown && portolan_trial_peek_fact(r->shown, PORTOLAN_STORE_IN_TURN);
}

static void add_measured(const struct report *r, struct portolan_text *t)
{
    const struct report_runs *x = &r->runs;
    struct portolan_text unlike = {0};

    if (is_rotated(r)) {
        portolan_text_add(t,
                          "Trial %lld is a measurement in which alternatives took turns; it took ",
                          (long long)r->shown->id);
        portolan_answer_add_time(t, r->shown->elapsed_ns, NAN, NAN);
        portolan_text_add(t, ", which is the time of no single choice.");
        return;
    }
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
    portolan_text_add(t, " took ");
    portolan_answer_add_time(t, x->run->elapsed_ns, NAN, NAN);
    if (x->decision && x->decision->predicted_ns > 0) {
        portolan_text_add(t, ", ");
        report_add_off(x->run->elapsed_ns, x->decision->predicted_ns, t);
        portolan_text_add(t, " that it began with");
    }
    if (x->n_like)
        portolan_text_add(t, "; the best fixed assembly took %.3g times as long, the worst %.3g",
                          x->fixed[0]->elapsed_ns / x->run->elapsed_ns,
                          x->fixed[x->n_like - 1]->elapsed_ns / x->run->elapsed_ns);
    if (x->run->n_partial)
        portolan_text_add(t, "; %zu of its steps %s not completely measured", x->run->n_partial,
                          x->run->n_partial == 1 ? "was" : "were");
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

/* ------------------------------------------------------------------ data */

static void write_sentence(struct portolan_json *j, struct portolan_text *t)
{
    portolan_json_text(j, NULL, t->bytes);
    j->out->failed |= t->failed;
    portolan_text_clear(t);
}

/* Writes each fact of the answer as a sentence. */
static void write_facts(const struct portolan_plan_answer *a, struct portolan_json *j)
{
    for (int i = 0; i < PORTOLAN_ANSWER_N_FACTS; i++) {
        struct portolan_text fact = {0}, t = {0};
        const char *what = portolan_answer_add(a, i, &fact);

        if (what) {
            portolan_text_add(&t, "%c%s: %s.", what[0] - 'a' + 'A', what + 1, fact.bytes);
            write_sentence(j, &t);
        }
        j->out->failed |= fact.failed;
        portolan_text_clear(&fact);
    }
}

static void write_sentences(const struct report *r, const struct portolan_plan_answer *a,
                            const char *why, struct portolan_json *j)
{
    struct portolan_text t = {0};

    portolan_json_open(j, "sentences", '[');
    if (!r->shown) {
        portolan_json_text(j, NULL, "The store has no trial yet.");
        portolan_json_close(j, ']');
        return;
    }
    if (a) {
        write_facts(a, j);
    } else {
        add_what_ran(r, why, &t);
        write_sentence(j, &t);
    }
    if (!r->from->assembly || !r->from->assembly->program) { /* its trials are no runs */
        add_measured(r, &t);
        write_sentence(j, &t);
    }
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

/* A run whose alternatives took turns is of no single choice: next to it stand those that it
 * predicts. */
static void write_single(const struct report *r, const struct portolan_plan_answer *c,
                         struct portolan_json *j)
{
    const struct portolan_answer_variable *v = c->variables;

    if (!is_rotated(r) || c->n_variables != 1)
        return;
    for (size_t i = 0; i < v->n_options; i++) {
        struct portolan_text name = {0};

        portolan_text_add(&name, "predicted with %s alone", v->options[i].implementation);
        write_number(j, name.bytes, v->options[i].total_ns, "");
        j->out->failed |= name.failed;
        portolan_text_clear(&name);
    }
}

/* Predicted and measured, by name. */
static void write_times(const struct report *r, const struct portolan_plan_answer *c,
                        struct portolan_json *j)
{
    portolan_json_open(j, "times", '[');
    if (c) {
        write_number(j, "predicted for the choice", c->prediction.total_ns, "");
        write_number(j, "at least (95 %)", c->prediction.low_ns, "");
        write_number(j, "at most (95 %)", c->prediction.high_ns, "");
        write_number(j, "predicted as written", c->as_written.total_ns, "");
        write_single(r, c, j);
    }
    if (r->runs.run)
        write_run(r, j);
    else if (is_rotated(r))
        write_number(j, "measured", r->shown->elapsed_ns, "alternatives took turns");
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
    const struct portolan_plan_answer *a = report_choose(r, &why);

    (void)err;
    write_sentences(r, a, why.text, j);
    if (a) {
        portolan_answer_write_gain(a, j);
        portolan_answer_write(a, j, "choice");
    }
    write_times(r, a, j);
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
    .drawn = " times ",
};
