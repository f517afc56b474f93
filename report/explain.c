/* SPDX-License-Identifier: BSD-3-Clause */
/* Explains a run, as text and JSON. */
#include <portolan/answer.h>
#include <portolan/explain.h>
#include <portolan/json.h>
#include <portolan/profile.h>
#include <portolan/report.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ finding */

const struct portolan_reason *portolan_explain_find(const struct portolan_explained *x,
                                                    const char *number, struct portolan_error *err)
{
    int64_t wanted;

    if (!portolan_read_int64(number, &wanted))
        portolan_error_set(err, PORTOLAN_EINVAL, "'%s' is not the number of a decision", number);
    for (size_t i = 0; !err->status && i < x->set->n_reasons; i++)
        if (x->set->reasons[i].number == wanted)
            return &x->set->reasons[i];
    if (!err->status)
        portolan_error_set(err, PORTOLAN_ENOTFOUND, "run %lld has no decision %s, it has %zu",
                           (long long)x->run->id, number, x->set->n_reasons);
    return NULL;
}

const struct portolan_alternative *
portolan_explain_find_alternative(const struct portolan_explained *x, const char *text,
                                  struct portolan_error *err)
{
    size_t length = strcspn(text, "=");
    const struct portolan_alternative *found = NULL;
    struct portolan_text known = {0};

    for (size_t i = 0; i < x->set->n_alternatives; i++) {
        const struct portolan_alternative *a = &x->set->alternatives[i];

        if (a->number == x->set->alternatives[0].number)
            portolan_text_add(&known, " %s=%s", a->instance, a->implementation);
        if (strlen(a->instance) == length && !strncmp(a->instance, text, length) &&
            !strcmp(a->implementation, text + length + 1) &&
            (!found || !a->chosen || found->chosen))
            found = a;
    }
    if (!found)
        portolan_error_set(err, PORTOLAN_ENOTFOUND,
                           "no decision of run %lld considered '%s'; the alternatives are:%s",
                           (long long)x->run->id, text, known.bytes ? known.bytes : " none");
    portolan_text_clear(&known);
    return found;
}

/* The decision at which A was an alternative. */
static const struct portolan_reason *decision_of(const struct portolan_explained *x,
                                                 const struct portolan_alternative *a)
{
    size_t i = 0;

    while (x->set->reasons[i].number != a->number)
        i++;
    return &x->set->reasons[i];
}

/* Returns the alternative that was chosen for the instance of A. */
static const struct portolan_alternative *chosen_beside(const struct portolan_explained *x,
                                                        const struct portolan_alternative *a)
{
    for (size_t i = 0; i < x->set->n_alternatives; i++) {
        const struct portolan_alternative *b = &x->set->alternatives[i];

        if (b->number == a->number && b->chosen && !strcmp(b->instance, a->instance))
            return b;
    }
    return a;
}

/* ------------------------------------------------------------------ text */

/* Adds a time, or that it is not known, after TEXT. */
static void put_time(struct portolan_explained *x, const char *text, double ns)
{
    portolan_text_add(x->out, "%s", text);
    portolan_answer_add_time(x->out, ns, NAN, NAN);
}

static void put_run(struct portolan_explained *x)
{
    portolan_text_add(x->out, "run %lld of '%s' on %d rank%s, %s, %s\n", (long long)x->run->id,
                      x->run->assembly, x->run->ranks, x->run->ranks == 1 ? "" : "s",
                      x->run->started, x->run->outcome);
}

/* A decision in a line. The text of most begins with the change already. */
static void put_line(struct portolan_explained *x, const struct portolan_reason *r)
{
    bool said = strstr(r->text, r->change) != NULL;

    portolan_text_add(x->out, "%3d  step %-5d %-11s  %s%s%s%s%s%s\n", r->number, r->step,
                      r->asked_by, said ? "" : r->change, said || !*r->change ? "" : ": ", r->text,
                      strcmp(r->outcome, "stays") ? " [" : "",
                      strcmp(r->outcome, "stays") ? r->outcome : "",
                      strcmp(r->outcome, "stays") ? "]" : "");
}

void portolan_explain_decision(struct portolan_explained *x, const struct portolan_reason *r)
{
    struct portolan_arena pool = {0};
    struct portolan_plan_answer a =
        portolan_answer_of_decision(r, x->set->alternatives, x->set->n_alternatives, &pool);

    if (!pool.failed)
        portolan_answer_write_text(&a, x->out);
    x->out->failed |= pool.failed;
    portolan_arena_clear(&pool);
}

/* ------------------------------------------------------------------ expected against measured */

/* How often a call path, or a step as a whole, was wrong for one cause. */
struct tally {
    const struct portolan_expectation *worst;
    size_t n;
};

static double error_of(const struct portolan_expectation *e)
{
    return e->expected_ns > 0 ? e->measured_ns / e->expected_ns - 1 : 0;
}

static bool is_whole(const struct portolan_expectation *e)
{
    return !*e->path;
}

/* The causes, one entry per path and cause; the caller frees it. */
static struct tally *count_causes(const struct portolan_explained *x, size_t *n)
{
    struct tally *all = portolan_calloc(x->set->n_expectations + 1, sizeof *all);

    *n = 0;
    for (size_t i = 0; all && i < x->set->n_expectations; i++) {
        const struct portolan_expectation *e = &x->set->expectations[i];
        size_t k = 0;

        if (!*e->cause)
            continue;
        while (k < *n &&
               (strcmp(all[k].worst->path, e->path) || strcmp(all[k].worst->cause, e->cause)))
            k++;
        if (k == *n)
            all[(*n)++].worst = e;
        all[k].n++;
        if (fabs(error_of(e)) > fabs(error_of(all[k].worst)))
            all[k].worst = e;
    }
    return all;
}

static void put_causes(struct portolan_explained *x)
{
    size_t n, steps = 0, wrong = 0;
    struct tally *all = count_causes(x, &n);

    for (size_t i = 0; i < x->set->n_expectations; i++) {
        const struct portolan_expectation *e = &x->set->expectations[i];

        steps += is_whole(e) && !isnan(e->measured_ns);
        wrong += is_whole(e) && *e->cause;
    }
    if (!steps)
        portolan_text_add(x->out, "no step was predicted: there was no model\n");
    else
        portolan_text_add(x->out, "%zu of %zu predicted steps took as long as expected%s\n",
                          steps - wrong, steps, n ? "; the others:" : "");
    for (size_t i = 0; all && i < n; i++) {
        const struct portolan_expectation *e = all[i].worst;

        portolan_text_add(x->out, "  %-40s %-16s %zu time%s, worst at step %d: ",
                          is_whole(e) ? "the step" : e->path, e->cause, all[i].n,
                          all[i].n == 1 ? "" : "s", e->step);
        put_time(x, "", e->measured_ns);
        put_time(x, " instead of ", e->expected_ns);
        portolan_text_add(x->out, "\n");
    }
    free(all);
}

void portolan_explain_run(struct portolan_explained *x)
{
    put_run(x);
    for (size_t i = 0; i < x->set->n_reasons; i++)
        put_line(x, &x->set->reasons[i]);
    if (!x->set->n_reasons)
        portolan_text_add(x->out, "no decision was made\n");
    put_causes(x);
}

void portolan_explain_steps(struct portolan_explained *x)
{
    portolan_text_add(x->out, "%6s%12s%12s%9s  %s\n", "step", "expected", "measured", "off",
                      "cause, and where it was wrong");
    for (size_t i = 0; i < x->set->n_expectations; i++) {
        const struct portolan_expectation *e = &x->set->expectations[i];
        char expected[32], measured[32] = "?", step[16] = "";

        portolan_format_time(e->expected_ns, 3, expected, sizeof expected);
        if (!isnan(e->measured_ns))
            portolan_format_time(e->measured_ns, 3, measured, sizeof measured);
        if (is_whole(e))
            snprintf(step, sizeof step, "%d", e->step);
        portolan_text_add(x->out, "%6s%12s%12s", step, expected, measured);
        if (isnan(e->measured_ns))
            portolan_text_add(x->out, "%9s", "");
        else
            portolan_text_add(x->out, "%+7.1f %%", 100 * error_of(e));
        portolan_text_add(x->out, "  %s%s%s\n", e->cause, is_whole(e) ? "" : ": ", e->path);
    }
}

/* ------------------------------------------------------------------ why not? */

/* Returns whether an instance of the run is one of Portolan's own, or has alternatives. */
static bool is_fixed_by_user(const struct portolan_explained *x, const char *name, size_t length)
{
    for (size_t i = 0; i < x->run->n_implementations; i++) {
        const struct portolan_name_value *c = &x->run->implementations[i];

        if (strlen(c->name) == length && !strncmp(c->name, name, length) &&
            !strncmp(c->value, "portolan.", 9))
            return false;
    }
    for (size_t i = 0; i < x->set->n_alternatives; i++)
        if (strlen(x->set->alternatives[i].instance) == length &&
            !strncmp(x->set->alternatives[i].instance, name, length))
            return false;
    return true;
}

/* The trial that measures the alternative as the run was. */
static void put_command(struct portolan_explained *x, const struct portolan_alternative *a)
{
    const char *file = portolan_trial_peek_fact(x->run, "assembly file");

    portolan_text_add(x->out, "mpiexec." PORTOLAN_MPI " -n %d portolan run --fixed --select %s=%s",
                      x->run->ranks, a->instance, portolan_shell_word(a->implementation).text);
    for (size_t i = 0; i < x->run->n_parameters; i++) {
        const struct portolan_name_value *p = &x->run->parameters[i];

        if (is_fixed_by_user(x, p->name, strcspn(p->name, ".")))
            portolan_text_add(x->out, " --set %s=%s", portolan_shell_word(p->name).text,
                              portolan_shell_word(p->value).text);
    }
    portolan_text_add(x->out, " %s", portolan_shell_word(file ? file : "ASSEMBLY.xml").text);
}

/* Below which time per step the alternative would have been chosen; NaN: not known. */
static double turning_point(const struct portolan_reason *r, const struct portolan_alternative *a,
                            const struct portolan_alternative *chosen)
{
    return r->steps > 0 ? a->step_ns - (a->forced_ns - chosen->forced_ns) / r->steps : NAN;
}

/* Returns what would change the choice, other than another time; NULL: nothing excludes A. */
static const char *peek_remedy(const struct portolan_alternative *a)
{
    static const char *const remedies[][2] = {
        {"pin", "releasing the pin of another one (portolan control, or the assembly)"},
        {"forbid", "releasing it (portolan control, or the assembly)"},
        {"failure", "repairing it; then lift the veto with `portolan veto --lift`"},
        {"accuracy", "a less strict accuracy in the assembly"},
        {"memory", "more memory in the assembly"},
        {"stateful",
         "a port that takes over the state of the running one (portolan.ports.Stateful)"},
        {"condition", "a case for which its condition holds"},
        {"", NULL}};
    size_t i = 0;

    while (*remedies[i][0] && strcmp(remedies[i][0], a->binding) != 0)
        i++;
    return *a->binding && !remedies[i][1] ? "a measurement, since its time is not known"
                                          : remedies[i][1];
}

static void put_turning_point(struct portolan_explained *x, const struct portolan_reason *r,
                              const struct portolan_alternative *a,
                              const struct portolan_alternative *chosen)
{
    double below = turning_point(r, a, chosen);

    portolan_text_add(x->out, "  would change  ");
    if (peek_remedy(a)) {
        portolan_text_add(x->out, "%s\n", peek_remedy(a));
    } else if (!(below < a->step_ns)) {
        portolan_text_add(x->out,
                          "not its time alone, which is expected to be better or cannot be "
                          "compared: see `portolan explain %d`\n",
                          r->number);
    } else {
        put_time(x, "a step below ", below);
        portolan_text_add(x->out, " with it: %s\n",
                          below < a->low_ns ? "a time below its interval, so this choice is certain"
                                            : "its interval includes such times");
    }
    portolan_text_add(x->out, "  to find out, measure:\n    ");
    put_command(x, a);
    portolan_text_add(x->out, "\n");
}

void portolan_explain_why_not(struct portolan_explained *x, const struct portolan_alternative *a)
{
    const struct portolan_reason *r = decision_of(x, a);
    const struct portolan_alternative *chosen = chosen_beside(x, a);

    if (a->chosen) {
        portolan_text_add(x->out, "%s=%s was chosen, by decision %d at step %d: %s\n", a->instance,
                          a->implementation, r->number, r->step, r->text);
        return;
    }
    portolan_text_add(x->out, "%s=%s: at step %d (decision %d) %s was chosen, asked by: %s\n",
                      a->instance, a->implementation, r->step, r->number, chosen->implementation,
                      r->asked_by);
    portolan_text_add(x->out, "  a step takes  ");
    portolan_answer_add_time(x->out, a->step_ns, a->low_ns, a->high_ns);
    put_time(x, ", chosen ", chosen->step_ns);
    if (!isnan(a->forced_ns)) {
        portolan_text_add(x->out, "\n                ");
        put_time(x, "the remaining steps take at least ", a->forced_ns);
        put_time(x, " with it, ", chosen->forced_ns);
        portolan_text_add(x->out, " with %s", chosen->implementation);
    }
    portolan_text_add(x->out, "\n  how sure      best ");
    portolan_answer_add_chance(x->out, a->chance);
    portolan_text_add(x->out, "; %d measurement%s\n", a->rows, a->rows == 1 ? "" : "s");
    if (*a->binding)
        portolan_text_add(x->out, "  excluded      %s: %s\n", a->binding, a->text);
    put_turning_point(x, r, a, chosen);
}

/* ------------------------------------------------------------------ JSON */

void portolan_explain_write_json(struct portolan_explained *x, const struct portolan_reason *only,
                                 const struct portolan_alternative *not_chosen)
{
    struct portolan_json j = {.out = x->out};

    if (not_chosen)
        only = decision_of(x, not_chosen);
    portolan_json_open(&j, NULL, '{');
    portolan_json_number(&j, "trial", (double)x->run->id);
    portolan_json_text(&j, "assembly", x->run->assembly);
    portolan_json_number(&j, "ranks", x->run->ranks);
    portolan_json_text(&j, "outcome", x->run->outcome);
    if (not_chosen) {
        struct portolan_text command = {0}, *out = x->out;

        x->out = &command;
        put_command(x, not_chosen);
        x->out = out;
        out->failed = out->failed || command.failed;
        portolan_json_text(&j, "why_not", not_chosen->implementation);
        portolan_json_number(&j, "chosen_below_ns",
                             turning_point(only, not_chosen, chosen_beside(x, not_chosen)));
        portolan_json_text(&j, "measure", command.bytes);
        portolan_text_clear(&command);
    }
    portolan_report_write_decisions(&j, x->set, only);
    portolan_json_close(&j, '}');
    portolan_text_add(x->out, "\n");
}
