/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An answer in words, as text for a terminal, and as JSON. Each fact is worded here and nowhere
 * else; all reports take it from here.
 */
#include <portolan/answer.h>
#include <portolan/json.h>
#include <portolan/list.h>
#include <portolan/store.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ words */

const char *portolan_answer_word(enum portolan_answer_verdict verdict)
{
    static const char *const words[] = {"sure", "close", "cannot tell"};

    return words[verdict];
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void add_ns(struct portolan_text *out, const char *before, double ns)
{
    char text[32];

    portolan_text_add(out, "%s%s", before, portolan_format_time(ns, 3, text, sizeof text));
}

void portolan_answer_add_time(struct portolan_text *out, double ns, double low_ns, double high_ns)
{
    if (!isfinite(ns)) {
        portolan_text_add(out, "not known");
        return;
    }
    add_ns(out, "", ns);
    if (!isfinite(low_ns) || !isfinite(high_ns))
        return;
    add_ns(out, " (95 %: ", low_ns);
    add_ns(out, " to ", high_ns);
    portolan_text_add(out, ")");
}

void portolan_answer_add_chance(struct portolan_text *out, double chance)
{
    if (isnan(chance))
        portolan_text_add(out, "with a chance that is not known");
    else
        portolan_text_add(out, "with a chance of %.0f %%", 100 * chance);
}

const char *portolan_format_gain(const struct portolan_gain *g, char *text, size_t size_bytes)
{
    const char *what = g->share < 0 ? "lost" : "saved";
    double least = 100 * fmin(fabs(g->low), fabs(g->high)), share = 100 * fabs(g->share);
    double most = 100 * fmax(fabs(g->low), fabs(g->high));

    if (isnan(g->share) || !(g->low * g->high > 0) || !(g->share * g->low > 0))
        snprintf(text, size_bytes, "%s",
                 g->low == 0 && g->high == 0 ? "no time saved"
                                             : "cannot tell whether time is saved");
    else if (most - least < 0.01 * share)
        snprintf(text, size_bytes, "%.3g %% %s", share, what);
    else
        snprintf(text, size_bytes, "at least %.2g %% %s, probably %.3g %%", least, what,
                 fmax(least, share));
    return text;
}

static void add_chosen(const struct portolan_plan_answer *a, struct portolan_text *out)
{
    const char *comma = "";
    size_t kept = 0;

    for (size_t i = 0; i < a->n_variables; i++) {
        const struct portolan_answer_variable *v = &a->variables[i];

        if (v->chosen == v->written) {
            kept++;
            continue;
        }
        portolan_text_add(out, "%s%s as %s instead of %s", comma,
                          v->options[v->chosen].implementation, v->instance,
                          v->options[v->written].implementation);
        comma = ", ";
    }
    if (kept == a->n_variables)
        portolan_text_add(out, "the assembly as written");
    else if (kept)
        portolan_text_add(out, "; %zu other%s stay%s as written", kept, plural(kept),
                          kept == 1 ? "s" : "");
}

static void add_prediction(const struct portolan_plan_prediction *x, struct portolan_text *out)
{
    if (x->is_unusable) {
        portolan_text_add(out, "cannot tell: too few measurements near these parameters");
        if (x->high_ns / x->total_ns < INFINITY)
            portolan_text_add(out, "; the time may be off by a factor of %.2g",
                              x->high_ns / x->total_ns);
        return;
    }
    portolan_answer_add_time(out, x->total_ns, x->low_ns, x->high_ns);
    if (isinf(x->total_ns))
        portolan_text_add(out, ": never measured, or not allowed");
    if (!isfinite(x->total_ns))
        return;
    portolan_text_add(out, ": %d step%s", x->steps, plural((size_t)x->steps));
    add_ns(out, " of ", x->step_ns);
    portolan_text_add(out, "%s", x->steps == 1 ? "" : " each");
    if (x->setup_ns > 0) {
        add_ns(out, ", and ", x->setup_ns);
        portolan_text_add(out, " outside the steps");
    }
    portolan_text_add(out, "%s%s", x->is_assumed ? "; the interval is partly assumed" : "",
                      x->n_extrapolating ? " !" : "");
}

/* Adds the accuracy that is expected, and what the assembly wants. */
static void add_accuracy(const struct portolan_plan_answer *a, struct portolan_text *out)
{
    const struct portolan_plan_prediction *x = &a->prediction;

    portolan_text_add(out, "%.3g of %s", x->accuracy, x->accuracy_of);
    if (x->accuracy_low < x->accuracy_high)
        portolan_text_add(out, " (between %.2g and %.2g)", x->accuracy_low, x->accuracy_high);
    if (a->accuracy > 0)
        portolan_text_add(out, ", wanted %.3g%s", a->accuracy,
                          x->accuracy_high > a->accuracy ? ": it may be missed" : "");
    if (x->accuracy_extrapolates)
        portolan_text_add(out, "; outside the measured range");
}

static void add_chance(const struct portolan_plan_answer *a, struct portolan_text *out)
{
    portolan_text_add(out, "the fastest of all ");
    portolan_answer_add_chance(out, a->chance);
    if (*a->rival)
        portolan_text_add(out, "; next comes %s", a->rival);
    if (a->expected_loss > 0)
        portolan_text_add(out, "; on average %.*g %% slower than the fastest",
                          a->expected_loss < 1 ? 2 : 4, 100 * a->expected_loss);
}

/* Adds what was never measured, and what is outside the measured range; returns whether anything
 * was. */
static bool add_not_known(const struct portolan_plan_answer *a, struct portolan_text *out)
{
    size_t n = a->prediction.n_extrapolating, unknown = 0;

    for (size_t i = 0; i < a->n_variables; i++)
        for (size_t k = 0; k < a->variables[i].n_options; k++)
            if (a->variables[i].options[k].is_unknown)
                portolan_text_add(out, "%s%s as %s", unknown++ ? ", " : "never measured: ",
                                  a->variables[i].options[k].implementation,
                                  a->variables[i].instance);
    if (n)
        portolan_text_add(out,
                          "%sthe prediction is outside the measured range: %zu model%s, the "
                          "farthest %s",
                          unknown ? "; " : "", n, plural(n), a->prediction.extrapolating);
    return unknown || n;
}

const char *portolan_answer_add(const struct portolan_plan_answer *a,
                                enum portolan_answer_fact fact, struct portolan_text *out)
{
    char gain[80];

    switch (fact) {
    case PORTOLAN_ANSWER_CHOSEN:
        if (a->decision)
            portolan_text_add(out, "%s", *a->decision->change ? a->decision->change : "none");
        else
            add_chosen(a, out);
        return a->decision ? "change" : "chosen";
    case PORTOLAN_ANSWER_PREDICTED:
        add_prediction(&a->prediction, out);
        return "predicted";
    case PORTOLAN_ANSWER_AS_WRITTEN:
        if (a->as_written.steps == 0)
            return NULL;
        add_prediction(&a->as_written, out);
        return a->decision ? "as before" : "as written";
    case PORTOLAN_ANSWER_GAIN:
        if (a->gain.low == 0 && a->gain.high == 0) /* it is as written */
            return NULL;
        portolan_text_add(out, "%s", portolan_format_gain(&a->gain, gain, sizeof gain));
        return "gain";
    case PORTOLAN_ANSWER_ACCURACY:
        if (isnan(a->prediction.accuracy))
            return NULL;
        add_accuracy(a, out);
        return "accuracy";
    case PORTOLAN_ANSWER_MEMORY:
        if (!(a->prediction.memory_bytes > 0))
            return NULL;
        portolan_text_add(out, "%.4g bytes on each rank", a->prediction.memory_bytes);
        if (a->memory_bytes > 0)
            portolan_text_add(out, " of %.4g allowed", a->memory_bytes);
        return "memory";
    case PORTOLAN_ANSWER_CHANCE:
        if (isnan(a->chance) && !a->decision)
            return NULL;
        add_chance(a, out);
        return a->verdict == PORTOLAN_ANSWER_CANNOT_TELL ? "cannot tell"
               : a->verdict == PORTOLAN_ANSWER_CLOSE     ? "close call"
                                                         : "choice";
    case PORTOLAN_ANSWER_NOT_KNOWN:
        return add_not_known(a, out) ? "not known" : NULL;
    case PORTOLAN_ANSWER_N_FACTS:
        break;
    }
    return NULL;
}

/* ------------------------------------------------------------------ text */

/* Writes WHAT and TEXT, broken at 100 columns; further lines begin below TEXT. */
static void put_line(struct portolan_text *out, const char *what, const char *text)
{
    enum { INDENT = 12, WIDTH = 100 };
    size_t begin = out->length;

    portolan_text_add(out, "%s:%*s", what, INDENT - 2 - (int)strlen(what), "");
    while (*text) {
        size_t n = strcspn(text, " ");

        if (out->length - begin + 1 + n > WIDTH && out->length - begin > INDENT) {
            portolan_text_add(out, "\n");
            begin = out->length;
            portolan_text_add(out, "%*s", INDENT - 1, "");
        }
        portolan_text_add(out, " %.*s", (int)n, text);
        text += n + strspn(text + n, " ");
    }
    portolan_text_add(out, "\n");
}

/* Writes what a decision while a program ran knows of an option that was not excluded. */
static void put_row(struct portolan_text *out, const struct portolan_alternative *row)
{
    if (!row || *row->binding || (isnan(row->step_ns) && !*row->text))
        return;
    portolan_text_add(out, "%23s", "");
    if (!isnan(row->step_ns)) {
        portolan_text_add(out, "a step takes ");
        portolan_answer_add_time(out, row->step_ns, row->low_ns, row->high_ns);
        portolan_text_add(out, "; best ");
        portolan_answer_add_chance(out, row->chance);
        portolan_text_add(out, "; %d measurement%s%s", row->rows, plural((size_t)row->rows),
                          *row->text ? "; " : "");
    }
    portolan_text_add(out, "%s\n", row->text);
}

/* Writes how much longer NS is than BEST_NS: in percent, or as a factor if that is easier to read.
 */
static void put_more(struct portolan_text *out, double ns, double best_ns)
{
    enum { MANY = 10 };
    double ratio = best_ns > 0 ? ns / best_ns : 1;

    if (ratio >= MANY)
        portolan_text_add(out, "%.3g times", ratio);
    else
        portolan_text_add(out, "%+.3g %%", 100 * (ratio - 1));
}

/* BEST: what was chosen, if it is compared by a step, as a running program does that does not know
 * how many follow; NULL: by the time of all, of which BEST_NS is the least. */
static void put_option(struct portolan_text *out, const struct portolan_answer_option *o,
                       const struct portolan_answer_option *best, double best_ns)
{
    char total[32];
    double ns = o->total_ns;

    if (best && o->row && best->row && o->row->step_ns > 0 && best->row->step_ns > 0) {
        ns = o->row->step_ns;
        best_ns = best->row->step_ns;
    }

    if (o->is_unusable)
        portolan_text_add(out, "%21swith %-28s cannot tell !\n", "", o->implementation);
    else if (isinf(o->total_ns))
        portolan_text_add(out, "%21snot %s: %s\n", "", o->implementation, o->reason);
    else if (isnan(o->total_ns))
        portolan_text_add(out, "%21swith %-28s not compared\n", "", o->implementation);
    else {
        portolan_text_add(out, "%21swith %-28s %10s  ", "", o->implementation,
                          portolan_format_time(ns, 3, total, sizeof total));
        put_more(out, ns, best_ns);
        portolan_text_add(out, "%s\n", o->extrapolates ? " !" : "");
    }
    put_row(out, o->row);
}

static void put_variable(struct portolan_text *out, const struct portolan_plan_answer *a,
                         const struct portolan_answer_variable *v)
{
    const struct portolan_answer_option *chosen = &v->options[v->chosen];

    portolan_text_add(out, "  %-16s %s%s\n", v->instance, chosen->implementation,
                      a->decision               ? ""
                      : !v->core                ? "  (as written; insignificant)"
                      : !v->called              ? "  (as written; not needed)"
                      : v->chosen == v->written ? "  (as written)"
                                                : "");
    put_row(out, chosen->row);
    for (size_t i = 0; v->called && i < v->n_options; i++)
        if (i != v->chosen)
            put_option(out, &v->options[i], a->prediction.steps > 1 ? NULL : chosen,
                       a->decision ? chosen->total_ns : a->prediction.total_ns);
}

/* Writes what is known of a decision while a program ran, besides the answer. */
static void put_decision(struct portolan_text *out, const struct portolan_reason *r)
{
    char trials[40];

    snprintf(trials, sizeof trials, "%d trial%s", r->trials, plural((size_t)r->trials));
    put_line(out, "rests on", trials);
    put_line(out, "binding", *r->binding ? r->binding : "nothing");
    put_line(out, "reason", r->text);
    put_line(out, "outcome", r->outcome);
}

void portolan_answer_write_options(const struct portolan_plan_answer *a, struct portolan_text *out)
{
    for (size_t i = 0; i < a->n_variables; i++)
        put_variable(out, a, &a->variables[i]);
}

void portolan_answer_write_text(const struct portolan_plan_answer *a, struct portolan_text *out)
{
    size_t begin = out->length;

    portolan_text_add(out, "%s\n", a->title);
    portolan_answer_write_options(a, out);
    for (int i = a->decision ? 0 : PORTOLAN_ANSWER_PREDICTED; i < PORTOLAN_ANSWER_N_FACTS; i++) {
        struct portolan_text text = {0};
        const char *what = portolan_answer_add(a, i, &text);

        if (what && text.bytes)
            put_line(out, what, text.bytes);
        out->failed |= text.failed;
        portolan_text_clear(&text);
    }
    if (a->decision)
        put_decision(out, a->decision);
    if (!out->failed && strstr(out->bytes + begin, " !\n"))
        put_line(out, "!", "outside the measured range");
    for (size_t i = 0; i < a->n_reasons; i++)
        portolan_text_add(out, "- %s\n", a->reasons[i]);
    if (*a->settle)
        portolan_text_add(out, "to find out, measure:\n  %s\n", a->settle);
}

/* ------------------------------------------------------------------ JSON */

static void write_prediction(struct portolan_json *j, const char *key,
                             const struct portolan_plan_prediction *x)
{
    portolan_json_open(j, key, '{');
    portolan_json_number(j, "total_ns", x->total_ns);
    portolan_json_number(j, "low_ns", x->low_ns);
    portolan_json_number(j, "high_ns", x->high_ns);
    portolan_json_number(j, "step_ns", x->step_ns);
    portolan_json_number(j, "setup_ns", x->setup_ns);
    portolan_json_number(j, "steps", x->steps);
    portolan_json_number(j, "extrapolating_models", (double)x->n_extrapolating);
    portolan_json_text(j, "extrapolating", x->extrapolating);
    portolan_json_bool(j, "assumed", x->is_assumed);
    portolan_json_bool(j, "unusable", x->is_unusable);
    portolan_json_number(j, "accuracy", x->accuracy);
    portolan_json_number(j, "memory_bytes", x->memory_bytes);
    portolan_json_close(j, '}');
}

static void write_variable(struct portolan_json *j, const struct portolan_answer_variable *v)
{
    portolan_json_open(j, NULL, '{');
    portolan_json_text(j, "instance", v->instance);
    portolan_json_text(j, "chosen", v->options[v->chosen].implementation);
    portolan_json_text(j, "written", v->options[v->written].implementation);
    portolan_json_bool(j, "core", v->core);
    portolan_json_bool(j, "called", v->called);
    portolan_json_bool(j, "tied", v->tied);
    portolan_json_open(j, "options", '[');
    for (size_t i = 0; i < v->n_options; i++) {
        const struct portolan_answer_option *o = &v->options[i];

        portolan_json_open(j, NULL, '{');
        portolan_json_text(j, "implementation", o->implementation);
        portolan_json_bool(j, "is_chosen", i == v->chosen);
        portolan_json_bool(j, "is_written", i == v->written);
        portolan_json_number(j, "total_ns", o->total_ns);
        portolan_json_text(j, "reason", o->reason);
        portolan_json_bool(j, "unmeasured", o->is_unknown);
        portolan_json_bool(j, "extrapolates", o->extrapolates);
        portolan_json_bool(j, "unusable", o->is_unusable);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
    portolan_json_close(j, '}');
}

/* Writes what the text says, for programs that show it to people. */
static void write_facts(struct portolan_json *j, const struct portolan_plan_answer *a)
{
    portolan_json_open(j, "facts", '[');
    for (int i = 0; i < PORTOLAN_ANSWER_N_FACTS; i++) {
        struct portolan_text text = {0};
        const char *what = portolan_answer_add(a, i, &text);

        if (what) {
            portolan_json_open(j, NULL, '{');
            portolan_json_text(j, "name", what);
            portolan_json_text(j, "text", text.bytes);
            portolan_json_close(j, '}');
        }
        j->out->failed |= text.failed;
        portolan_text_clear(&text);
    }
    portolan_json_close(j, ']');
}

void portolan_answer_write_gain(const struct portolan_plan_answer *a, struct portolan_json *j)
{
    static const char *const names[] = {"value", "low", "high"};

    if (!isnan(a->gain.share))
        portolan_json_numbers(j, "gain", names,
                              (const double[]){a->gain.share, a->gain.low, a->gain.high}, 3);
}

void portolan_answer_write(const struct portolan_plan_answer *a, struct portolan_json *j,
                           const char *key)
{
    portolan_json_open(j, key, '{');
    portolan_json_text(j, "verdict", portolan_answer_word(a->verdict));
    portolan_json_number(j, "chance", a->chance);
    portolan_json_number(j, "expected_loss", a->expected_loss);
    portolan_json_text(j, "rival", a->rival);
    portolan_json_text(j, "settle", a->settle);
    portolan_json_open(j, "variables", '[');
    for (size_t i = 0; i < a->n_variables; i++)
        write_variable(j, &a->variables[i]);
    portolan_json_close(j, ']');
    write_prediction(j, "prediction", &a->prediction);
    write_prediction(j, "as_written", &a->as_written);
    portolan_answer_write_gain(a, j);
    write_facts(j, a);
    portolan_json_open(j, "reasons", '[');
    for (size_t i = 0; i < a->n_reasons; i++)
        portolan_json_text(j, NULL, a->reasons[i]);
    portolan_json_close(j, ']');
    portolan_json_close(j, '}');
}

void portolan_answer_write_document(const struct portolan_plan_answer *a, struct portolan_text *out)
{
    struct portolan_json j = {.out = out};

    portolan_json_open(&j, NULL, '{');
    portolan_json_text(&j, "portolan", "choice");
    portolan_json_number(&j, "version", 1);
    portolan_json_text(&j, "assembly", a->assembly);
    portolan_json_text(&j, "parameters", a->parameters);
    portolan_json_number(&j, "ranks", a->ranks);
    portolan_answer_write(a, &j, "choice");
    portolan_json_close(&j, '}');
}

/* ------------------------------------------------------------------ of a decision */

/* Returns the variable of an instance, which is added if it is new; NULL: out of memory. */
static struct portolan_answer_variable *
variable_of(struct portolan_plan_answer *a, const char *instance, struct portolan_arena *pool)
{
    struct portolan_answer_variable new = {.instance = instance, .core = true, .called = true};

    for (size_t i = 0; i < a->n_variables; i++)
        if (!strcmp(a->variables[i].instance, instance))
            return &a->variables[i];
    return portolan_arena_append(pool, &a->variables, &a->n_variables, &new, sizeof new)
               ? &a->variables[a->n_variables - 1]
               : NULL;
}

static void add_row(struct portolan_plan_answer *a, const struct portolan_alternative *row,
                    struct portolan_arena *pool)
{
    struct portolan_answer_variable *v = variable_of(a, row->instance, pool);
    struct portolan_answer_option o = {.implementation = row->implementation,
                                       .total_ns = *row->binding ? INFINITY : row->forced_ns,
                                       .reason = *row->text ? row->text : row->binding,
                                       .is_unknown = !strcmp(row->binding, "unmeasured"),
                                       .row = row};

    if (!v || !portolan_arena_append(pool, &v->options, &v->n_options, &o, sizeof o))
        return;
    if (row->chosen)
        v->chosen = v->written = v->n_options - 1;
}

/* Returns the time of STEPS steps and of the COST of changing. */
static struct portolan_plan_prediction time_of(int steps, double step_ns, double low_ns,
                                               double high_ns, double cost_ns)
{
    return (struct portolan_plan_prediction){.total_ns = steps * step_ns + cost_ns,
                                             .low_ns = steps * low_ns + cost_ns,
                                             .high_ns = steps * high_ns + cost_ns,
                                             .step_ns = step_ns,
                                             .setup_ns = cost_ns,
                                             .steps = steps,
                                             .accuracy = NAN};
}

struct portolan_plan_answer portolan_answer_of_decision(const struct portolan_reason *r,
                                                        const struct portolan_alternative *rows,
                                                        size_t n, struct portolan_arena *pool)
{
    struct portolan_plan_answer a = {
        .title = portolan_arena_printf(
            pool, "decision %d of run %lld, at step %d, %d step%s remain%s; asked by: %s",
            r->number, (long long)r->trial, r->step, r->steps, plural((size_t)r->steps),
            r->steps == 1 ? "s" : "", r->asked_by),
        .chance = r->chance,
        .expected_loss = NAN,
        .rival = "",
        .settle = "",
        .prediction = time_of(r->steps, r->step_ns, r->low_ns, r->high_ns, r->cost_ns),
        .as_written = time_of(r->steps, r->now_ns, NAN, NAN, 0),
        .decision = r};

    for (size_t i = 0; i < n; i++)
        if (rows[i].number == r->number)
            add_row(&a, &rows[i], pool);
    return a;
}
