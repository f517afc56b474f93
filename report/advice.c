/* SPDX-License-Identifier: BSD-3-Clause */
/* What to do now: the command to copy, why, what it gains, and what the time shown was spent on. */
#include "internal.h"

#include <portolan/mastermind.h>
#include <portolan/tune.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ADVICE = 4000 }; /* characters */

/* What is advised; texts are in POOL. */
struct advice {
    const char *kind; /* "run", "measure", or "" if there is nothing to do */
    const char *lead; /* a sentence before the command */
    struct portolan_text command;
    struct portolan_arena pool;
};

static bool is_optimized(const struct portolan_assembly *a)
{
    for (size_t i = 0; i < a->n_instances; i++)
        if (!strcmp(a->instances[i].alternatives[0].class_name, "portolan.Optimizer"))
            return true;
    return false;
}

static void add_launcher(int ranks, struct portolan_text *out)
{
    if (ranks > 1)
        portolan_text_add(out, "mpiexec." PORTOLAN_MPI " -n %d ", ranks);
}

/* Where nothing at run time chooses, or with FIXED, the command does. */
static void add_run(const struct report *r, const struct portolan_plan_answer *a, bool fixed,
                    struct portolan_text *out)
{
    bool chooses = fixed || !is_optimized(r->from->assembly);

    add_launcher(a->ranks, out);
    portolan_text_add(out, "portolan run %s", fixed ? "--fixed " : "");
    for (size_t i = 0; i < a->n_variables && chooses; i++) {
        const struct portolan_answer_variable *v = &a->variables[i];

        if (v->chosen != v->written)
            portolan_text_add(out, "--select %s=%s ", v->instance,
                              portolan_shell_word(v->options[v->chosen].implementation).text);
    }
    portolan_text_add(out, "%s", portolan_shell_word(r->from->assembly->file).text);
}

/* ------------------------------------------------------------------ programs that were wrapped */

/* The words of a fact, as they are: nothing says where they had quotes. */
static const char *fact(const struct report *r, const char *name)
{
    const char *value = portolan_trial_peek_fact(r->shown, name);

    return value ? value : "";
}

static bool is_wrapped(const struct report *r)
{
    return *fact(r, "header") && *fact(r, "command");
}

/* The file of a library that any trial of the program had; "" if it is the program's own. */
static const char *peek_library(const struct report *r, const char *library)
{
    char name[200];

    snprintf(name, sizeof name, "library %s", library);
    for (size_t i = r->from->trials->n; i-- > 0 && strcmp(library, "own");) {
        const char *file = portolan_trial_peek_fact(r->from->trials->trials[i], name);

        if (file && *file)
            return file;
    }
    return "";
}

static void add_wrap(const struct report *r, const char *libraries, struct portolan_text *out)
{
    portolan_text_add(out, "portolan wrap -H %s", portolan_shell_word(fact(r, "header")).text);
    portolan_text_add(out, " -f %s", portolan_shell_word(fact(r, "functions")).text);
    portolan_text_add(out, " %s -s %s", libraries, portolan_shell_word(r->from->store_name).text);
    portolan_text_add(out, " -- %s", fact(r, "command"));
}

/* Another choice may be as good as this one, and it is not shown to save time. */
static bool is_tie(const struct portolan_plan_answer *a)
{
    return a->verdict == PORTOLAN_ANSWER_CLOSE && !(a->gain.low * a->gain.high > 0);
}

static void advise_wrapped(const struct report *r, const struct portolan_plan_answer *a,
                           struct advice *x)
{
    const struct portolan_answer_variable *v = a && a->n_variables ? a->variables : NULL;
    const char *chosen = v ? v->options[v->chosen].implementation : "";
    const char *file = peek_library(r, chosen);

    if (!v || v->n_options < 2) {
        x->kind = "measure";
        x->lead = "Only one library was measured. Name another one in place of OTHER.so to "
                  "compare:";
        add_wrap(r, "-l own -l OTHER.so --rotate 1", &x->command);
    } else if (a->verdict == PORTOLAN_ANSWER_CANNOT_TELL) {
        x->kind = "measure";
        x->lead = "Which library is better cannot be told yet. Measure:";
        add_wrap(r,
                 *file ? portolan_arena_printf(&x->pool, "-l %s", portolan_shell_word(file).text)
                       : "-l own",
                 &x->command);
    } else if (is_tie(a)) {
        x->kind = "run";
        x->lead = "Keep what you have: no difference was shown.";
        portolan_text_add(&x->command, "%s", fact(r, "command"));
    } else {
        x->kind = "run";
        x->lead =
            *file ? portolan_arena_printf(&x->pool, "Run the program with its library %s:", chosen)
                  : "Run the program as it is, with its own library:";
        if (*file)
            portolan_text_add(&x->command, "LD_PRELOAD=%s ", portolan_shell_word(file).text);
        portolan_text_add(&x->command, "%s", fact(r, "command"));
    }
}

/* ------------------------------------------------------------------ all others */

static void advise_first(const struct report *r, const char *why, struct advice *x)
{
    const struct portolan_assembly *a = r->from->assembly;
    int ranks = r->shown ? r->shown->ranks : 1;

    if (!a || (r->shown && *fact(r, PORTOLAN_ASSEMBLY_TEXT))) {
        x->lead = r->shown ? portolan_arena_printf(&x->pool, "There is no choice: %s.", why)
                           : "The store has no trial yet.";
        return;
    }
    x->kind = "measure";
    x->lead = r->shown
                  ? portolan_arena_printf(&x->pool, "There is no choice yet: %s. Measure:", why)
                  : "Nothing is measured yet. Begin with:";
    add_launcher(ranks, &x->command);
    portolan_text_add(&x->command, "portolan measure %s", portolan_shell_word(a->file).text);
}

/* Whether Portolan took more of the newest run than the choice saves, and enough to matter. */
static bool is_short(const struct report *r, const struct portolan_plan_answer *a)
{
    enum { MATTERS = 2 }; /* percent */
    double saved_ns = a->as_written.total_ns - a->prediction.total_ns;
    struct portolan_spent s;

    return is_optimized(r->from->assembly) && r->runs.run &&
           portolan_trial_read_spent(r->runs.run, &s) && s.overhead_ns > saved_ns &&
           100 * s.overhead_ns > MATTERS * s.wall_ns;
}

static void advise_run(const struct report *r, const struct portolan_plan_answer *a,
                       struct advice *x)
{
    bool stays = true;

    for (size_t i = 0; i < a->n_variables; i++)
        stays = stays && a->variables[i].chosen == a->variables[i].written;
    x->kind = "run";
    if (*fact(r, PORTOLAN_ASSEMBLY_TEXT)) {
        x->lead = "Run your program again: it begins with what was chosen.";
    } else if (r->from->machine) {
        x->lead = portolan_arena_printf(&x->pool, "On %s, run what was chosen.", r->from->machine);
    } else {
        bool fixed = is_short(r, a);

        x->lead = portolan_arena_printf(
            &x->pool, "%s%s", stays ? "Run the assembly as it is written" : "Run what was chosen",
            fixed ? "; this run is short: deciding while it runs costs more than it saves:" : ":");
        add_run(r, a, fixed, &x->command);
    }
}

/* A program that was tuned: its command line, as portolan tune and portolan optimize print it. */
static void advise_program(const struct report *r, const struct portolan_plan_answer *a,
                           struct advice *x)
{
    const struct portolan_assembly *p = r->from->assembly;
    const struct portolan_assembly_instance *options = &p->instances[0];
    const struct portolan_answer_variable *v = a->n_variables ? a->variables : NULL;
    size_t k = v ? 0 : options->selected;
    const char *line;

    while (v && k + 1 < options->n_alternatives &&
           strcmp(options->alternatives[k].class_name, v->options[v->chosen].implementation) != 0)
        k++;
    line = tune_command_line(p, k, &x->pool);
    x->kind = "run";
    x->lead = "Run the program with the options that were chosen:";
    portolan_text_add(&x->command, "%s", line ? line : "");
}

static void advise(const struct report *r, const struct portolan_plan_answer *a, const char *why,
                   struct advice *x)
{
    if (r->shown && is_wrapped(r)) {
        advise_wrapped(r, a, x);
    } else if (!a || !r->shown) {
        advise_first(r, why, x);
    } else if (a->verdict == PORTOLAN_ANSWER_CANNOT_TELL && *a->settle &&
               (!*fact(r, PORTOLAN_ASSEMBLY_TEXT) || r->from->assembly->program)) {
        x->kind = "measure";
        x->lead = "It cannot be told yet what is best. This measurement tells most:";
        portolan_text_add(&x->command, "%s", a->settle);
    } else if (r->from->assembly->program) {
        advise_program(r, a, x);
    } else {
        advise_run(r, a, x);
    }
}

/* ------------------------------------------------------------------ data */

static void write_text(struct portolan_json *j, const char *key, struct portolan_text *t)
{
    portolan_json_text(j, key, t->length ? t->bytes : "");
    j->out->failed |= t->failed;
    portolan_text_clear(t);
}

/* "Heat.Cholmod as solver …: the fastest of all with a chance of 97 %, …" */
static void write_why(const struct portolan_plan_answer *a, struct portolan_json *j)
{
    struct portolan_text t = {0};

    if (a) {
        const struct portolan_answer_variable *v = a->n_variables == 1 ? a->variables : NULL;

        portolan_text_add(&t, "Chosen: ");
        if (v && v->chosen == v->written)
            portolan_text_add(&t, "%s, which is ", v->options[v->chosen].implementation);
        portolan_answer_add(a, PORTOLAN_ANSWER_CHOSEN, &t);
        if (!isnan(a->chance)) {
            portolan_text_add(&t, "; it is ");
            portolan_answer_add(a, PORTOLAN_ANSWER_CHANCE, &t);
        }
        portolan_text_add(&t, ".");
    }
    write_text(j, "why", &t);
}

/* Choices save time in measured calls, which may be little of the wall time. */
static bool is_of_calls(const struct report *r)
{
    struct portolan_spent s;

    return r->shown && portolan_trial_read_spent(r->shown, &s) && s.parts[0].ns < s.wall_ns / 2;
}

static void write_gain(const struct report *r, const struct portolan_plan_answer *a,
                       struct portolan_json *j)
{
    char gain[120] = "";

    if (a && a->verdict == PORTOLAN_ANSWER_CANNOT_TELL)
        snprintf(gain, sizeof gain, "cannot tell");
    else if (a)
        portolan_format_gain(&a->gain, gain, sizeof gain);
    if (strchr(gain, '%') && is_of_calls(r))
        snprintf(gain + strlen(gain), sizeof gain - strlen(gain), " of the measured calls");
    portolan_json_text(j, "gain", gain);
}

/* Wall time and overhead of the trial shown. */
static void write_time(const struct report *r, struct portolan_json *j)
{
    struct portolan_text t = {0};
    struct portolan_spent s;

    if (r->shown && !strcmp(r->shown->outcome, "running"))
        portolan_text_add(&t, "trial %lld is running", (long long)r->shown->id);
    else if (r->shown && portolan_trial_read_spent(r->shown, &s)) {
        portolan_answer_add_time(&t, s.wall_ns, NAN, NAN);
        portolan_text_add(&t, " in trial %lld, of which Portolan took %.2g %%",
                          (long long)r->shown->id, 100 * s.overhead_ns / s.wall_ns);
    } else if (r->shown && r->shown->elapsed_ns > 0) {
        portolan_answer_add_time(&t, r->shown->elapsed_ns, NAN, NAN);
        portolan_text_add(&t, " in trial %lld", (long long)r->shown->id);
    }
    write_text(j, "time", &t);
}

static enum portolan_status write_advice(struct report *r, struct portolan_json *j,
                                         struct portolan_error *err)
{
    struct advice x = {.kind = "", .lead = ""};
    struct portolan_error why = {0};
    const struct portolan_plan_answer *a = report_choose(r, &why);

    (void)err;
    advise(r, a, why.text, &x);
    if (r->shown && !strcmp(r->shown->outcome, "running") && *x.lead)
        x.lead = portolan_arena_printf(&x.pool, "When trial %lld has ended: %c%s",
                                       (long long)r->shown->id, tolower((unsigned char)*x.lead),
                                       x.lead + 1);
    portolan_json_text(j, "kind", x.kind);
    portolan_json_text(j, "lead", x.lead);
    write_text(j, "command", &x.command);
    write_why(a, j);
    write_gain(r, a, j);
    write_time(r, j);
    j->out->failed |= x.pool.failed;
    portolan_arena_clear(&x.pool);
    return PORTOLAN_OK;
}

static void draw_line(const json_t *part, const char *member, const char *label,
                      struct portolan_text *out)
{
    const char *text = report_text(part, member);

    if (!*text)
        return;
    portolan_text_add(out, "<div class=\"%s\"><dt>%s</dt><dd>", member, label);
    report_add_cut(out, text, MOST_ADVICE);
    portolan_text_add(out, "</dd></div>\n");
}

static void draw_advice(const json_t *part, struct portolan_text *out)
{
    const char *command = report_text(part, "command");

    portolan_text_add(out, "<p class=\"lead\">");
    report_add_cut(out, report_text(part, "lead"), MOST_ADVICE);
    portolan_text_add(out, "</p>\n");
    if (*command) {
        portolan_text_add(out, "<div class=\"command\"><pre tabindex=\"0\" "
                               "aria-label=\"the command\"><code>");
        report_add_cut(out, command, MOST_ADVICE);
        portolan_text_add(out, "</code></pre></div>\n");
    }
    portolan_text_add(out, "<dl>\n");
    draw_line(part, "gain", "Gain", out);
    draw_line(part, "time", "Wall time", out);
    draw_line(part, "why", "Why", out);
    portolan_text_add(out, "</dl>\n");
}

const struct report_part report_advice = {
    .name = "now",
    .title = "What to do now",
    .about = "",
    .write = write_advice,
    .draw = draw_advice,
};
