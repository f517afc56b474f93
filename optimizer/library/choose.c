/* SPDX-License-Identifier: BSD-3-Clause */
/* The best assembly for a whole run: the answer, with margins and reasons. */
#include "confidence.h"
#include "plan_internal.h"

#include <portolan/json.h>
#include <portolan/list.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The verdict is "cannot tell" if the expected loss is above TOO_MUCH, and "close call" if the
 * chance is below FAIR_CHANCE. */
static const double too_much = 0.2, fair_chance = 0.8;

struct choosing {
    struct portolan_plan *p;
    struct portolan_choice *problem;
    struct portolan_choice_solution *s;
    struct plan_confidence sure;
    struct portolan_answer_variable *variables;
    struct plan_notes reasons;
};

/* Sets SELECTION to VALUES for the core, and all else as written. */
static void put_core(const struct choosing *c, const size_t *values, size_t *selection)
{
    for (size_t v = 0; v < c->p->s.n_variables; v++)
        selection[v] = c->p->number[v] == NONE ? 0 : values[c->p->number[v]];
}

/* Returns whether an implementation is known not to work on a call path. */
static bool is_known_bad(const struct portolan_plan *p, size_t path, size_t own)
{
    for (size_t k = 0; k < p->paths[path].scope.n_tuples; k++) {
        enum plan_verdict_kind kind = p->view.costs[path][k].verdict.kind;

        if (plan_own_of(p, path, k) == own &&
            (kind == PLAN_FAILED || kind == PLAN_STOPPED || kind == PLAN_INACCURATE ||
             kind == PLAN_INAPPLICABLE))
            return true;
    }
    return false;
}

/* Returns whether F forbids VARIABLE = VALUE only because it was never measured. */
static bool is_unknown(const struct portolan_plan *p, size_t variable, size_t value,
                       const struct plan_forbidden *f)
{
    if (f->by != PLAN_BY_PATH)
        return false;
    if (f->tuple != NONE && (p->paths[f->path].tuples[f->tuple].seen ||
                             p->view.costs[f->path][f->tuple].verdict.kind != PLAN_ADMITTED))
        return false;
    for (size_t i = 0; i < p->s.n_nodes; i++)
        if (p->s.nodes[i].variable == variable && is_known_bad(p, i, value))
            return false;
    return true;
}

/* The first alternative that the assembly allows: it runs where nothing is chosen. */
static size_t first_allowed(const struct portolan_assembly_instance *x)
{
    size_t k = 0;

    while (k + 1 < x->n_alternatives && !portolan_assembly_may_run(x, k))
        k++;
    return k;
}

/* Notes how well VARIABLE = VALUE is known, all else as chosen, or why it is not allowed. */
static enum portolan_status evaluate_option(struct choosing *c, size_t variable, size_t value,
                                            size_t *selection, struct portolan_answer_option *out)
{
    struct portolan_plan *p = c->p;
    struct portolan_plan_prediction total;
    struct plan_forbidden why;
    char text[300] = "no combination with it is allowed";
    const struct portolan_assembly_instance *x = p->s.variables[variable].instance;

    put_core(c, c->s->values, selection);
    selection[variable] = value;
    if (!portolan_assembly_may_run(x, value)) {
        snprintf(text, sizeof text, "%s",
                 x->alternatives[value].is_forbidden ? "it is forbidden" : "another one is pinned");
    } else if (plan_total(&p->view, selection, &total, &why)) {
        out->extrapolates = total.n_extrapolating > 0;
        out->is_unusable = total.is_unusable;
    } else {
        plan_explain_forbidden(&p->view, &why, text, sizeof text);
        out->is_unknown = isinf(out->total_ns) && is_unknown(p, variable, value, &why);
    }
    if (isinf(out->total_ns))
        out->reason = portolan_arena_strdup(&p->choice_pool, text);
    return out->reason ? PORTOLAN_OK : PORTOLAN_ENOMEM;
}

static enum portolan_status fill_options(struct choosing *c, size_t v)
{
    struct portolan_plan *p = c->p;
    const struct portolan_assembly_instance *instance = p->s.variables[v].instance;
    struct portolan_answer_variable *out = &c->variables[v];
    size_t k = c->p->number[v], n = k == NONE ? 1 : p->s.variables[v].n;
    struct portolan_answer_option *options =
        portolan_arena_alloc(&p->choice_pool, n, sizeof *options);
    size_t *scratch = portolan_arena_alloc(&p->choice_pool, p->s.n_variables, sizeof *scratch);

    if (!options || !scratch)
        return PORTOLAN_ENOMEM;
    *out = (struct portolan_answer_variable){.instance = instance->name,
                                             .core = k != NONE,
                                             .chosen = k == NONE ? 0 : c->s->values[k],
                                             .tied = k != NONE && c->s->tied[k],
                                             .n_options = n,
                                             .options = options};
    for (size_t i = 0; i < n; i++) {
        size_t at = k == NONE ? first_allowed(instance) : i;

        options[i] = (struct portolan_answer_option){
            .implementation = instance->alternatives[at].class_name,
            .total_ns = k == NONE ? c->s->cost : c->s->margins[k][i],
            .reason = ""};
        if (k != NONE && evaluate_option(c, v, i, scratch, &options[i]))
            return PORTOLAN_ENOMEM;
    }
    return PORTOLAN_OK;
}

static void reason_pruned(struct choosing *c, size_t v)
{
    const struct portolan_plan *p = c->p;
    char why[100] = "it was never called";
    size_t i = 0;

    while (i < p->s.n_nodes && p->s.nodes[i].variable != v)
        i++;
    if (i < p->s.n_nodes)
        portolan_callgraph_explain(&p->paths[i].mark, why, sizeof why);
    plan_note(&c->reasons, "%s: keeps %s, insignificant (%s)", c->variables[v].instance,
              c->variables[v].options[0].implementation, why);
}

/* ---- what to measure next ---- */

/* "driver.n=32 driver.file=a": the parameters of the trials at a point. */
static char *point_text(struct choosing *c, size_t point)
{
    const struct survey *s = &c->p->s;
    struct portolan_text text = {.arena = &c->p->choice_pool};

    for (size_t d = 0; point < s->n_trials && d < s->n_dims; d++)
        if (s->dims[d].instance)
            portolan_text_add(&text, "%s%s=%s", text.length ? " " : "", s->dims[d].name,
                              s->trials[point].texts[d]);
    return plan_text(&text);
}

/* Adds the reason that two rows of the path's times differ although their contexts do not. */
static void reason_conflict(struct choosing *c, size_t path, const struct plan_rows *rows)
{
    struct portolan_plan *p = c->p;
    const struct portolan_local_summary *s = portolan_local_peek_summary(rows->local);
    struct portolan_text names = {.arena = &p->choice_pool};

    for (size_t k = 0; k < rows->n_names; k++)
        portolan_text_add(&names, "%s%s", k ? ", " : "", rows->names[k]);
    plan_note(&c->reasons,
              "%s%s distinguish%s these calls: %s.%s took %.3g times as long at %s as at %s; "
              "add a context%s",
              names.length ? names.bytes : "no context",
              rows->n_names > 1 ? " do not"
              : names.length    ? " does not"
                                : "",
              names.length ? "" : "es", p->s.nodes[path].instance, p->s.nodes[path].method,
              s->conflict.ratio, point_text(c, rows->point[s->conflict.row]),
              point_text(c, rows->point[s->conflict.other]),
              p->s.a->program ? ", a number in the output that tells them apart: --context "
                                "NAME=REGEX of portolan-tune(1)"
                              : "");
}

/* Adds that reason for the worst conflict of a path, if it has any. */
static void reason_conflicts(struct choosing *c, size_t path)
{
    const struct plan_path *at = &c->p->paths[path];
    const struct plan_rows *worst = NULL;
    double ratio = 0;

    for (size_t k = 0; k < at->scope.n_tuples; k++) {
        const struct plan_rows *rows = at->tuples[k].exclusive.rows;
        const struct portolan_local_summary *s =
            rows && rows->local ? portolan_local_peek_summary(rows->local) : NULL;

        if (s && s->n_conflicts && s->conflict.ratio > ratio) {
            ratio = s->conflict.ratio;
            worst = rows;
        }
    }
    if (worst)
        reason_conflict(c, path, worst);
}

/* "a=X b=Y" for the core's variables whose VALUES differ from OTHER; NULL: out of memory. */
static char *core_text(struct choosing *c, const size_t *values, const size_t *other)
{
    struct portolan_plan *p = c->p;
    struct portolan_text text = {.arena = &p->choice_pool};

    for (size_t v = 0; v < p->s.n_variables; v++)
        if (c->p->number[v] != NONE && values[c->p->number[v]] != other[c->p->number[v]])
            plan_add_class(&text, p->s.variables[v].instance, values[c->p->number[v]]);
    return plan_text(&text);
}

/* The choice or its rival, whichever is known less well: the one to measure. */
static const size_t *less_known(struct choosing *c)
{
    struct portolan_plan *p = c->p;
    struct portolan_plan_prediction total;
    const size_t *both[] = {c->sure.values, c->sure.rival};
    size_t *selection = portolan_arena_alloc(&p->choice_pool, p->s.n_variables, sizeof *selection);
    double widest = -1;
    size_t at = 0;

    for (size_t i = 0; selection && i < 2; i++) {
        put_core(c, both[i], selection);
        if (!plan_total(&p->view, selection, &total, NULL))
            return both[i]; /* not proven to work */
        if ((total.high_ns - total.low_ns) / total.total_ns > widest) {
            widest = (total.high_ns - total.low_ns) / total.total_ns;
            at = i;
        }
    }
    return both[at];
}

/* Returns the command of the most informative trial, with the sweep's settings and the present
 * parameters. */
static char *settling_command(struct choosing *c)
{
    struct portolan_plan *p = c->p;
    const struct portolan_assembly *a = p->s.a;
    const size_t *values = c->sure.has_rival ? less_known(c) : c->sure.values;
    struct portolan_text text = {.arena = &p->choice_pool};

    if (p->s.again)
        return portolan_arena_strdup(&p->choice_pool, p->s.again);
    if (a->program) /* its combinations are no values of --select */
        portolan_text_add(&text, "portolan measure");
    else
        portolan_text_add(&text, "mpiexec." PORTOLAN_MPI " -n %d portolan run --fixed", p->s.ranks);
    for (size_t v = 0; v < p->s.n_variables && !a->program; v++) {
        const struct portolan_assembly_instance *x = p->s.variables[v].instance;

        if (c->p->number[v] != NONE && values[c->p->number[v]])
            portolan_text_add(&text, " --select %s=%s", x->name,
                              x->alternatives[values[c->p->number[v]]].class_name);
    }
    for (size_t d = 0; d < p->s.n_dims; d++)
        if (p->s.dims[d].instance)
            portolan_text_add(&text, " --set %s=%s", p->s.dims[d].name,
                              portolan_shell_word(p->s.dims[d].target).text);
    for (size_t i = 0; i < a->n_sweeps; i++)
        if (!a->sweeps[i].varies && &a->sweeps[i] != p->other_input)
            portolan_text_add(&text, " --set %s.%s=%s", a->sweeps[i].instance,
                              a->sweeps[i].parameter,
                              portolan_shell_word(a->sweeps[i].values[0]).text);
    portolan_text_add(&text, " %s", portolan_shell_word(a->file).text);
    return plan_text(&text);
}

static void judge_choice(struct choosing *c)
{
    struct portolan_plan_answer *out = &c->p->choice;
    bool guessed = plan_is_accuracy_guessed(c->p, c->sure.values);

    out->chance = c->sure.chance;
    out->expected_loss = c->sure.expected_loss;
    out->rival = c->sure.has_rival ? core_text(c, c->sure.rival, c->sure.values) : "";
    out->settle = "";
    if (guessed)
        plan_note(&c->reasons,
                  "its accuracy is a guess: it never ran with such values or larger ones");
    if (guessed || out->expected_loss > too_much || c->sure.is_risky || c->p->other_input ||
        plan_is_doubted(&out->prediction, out->chance))
        out->verdict = PORTOLAN_ANSWER_CANNOT_TELL;
    else if (out->chance < fair_chance && c->sure.has_rival)
        out->verdict = PORTOLAN_ANSWER_CLOSE;
    if (out->verdict == PORTOLAN_ANSWER_SURE)
        return;
    out->settle = settling_command(c);
}

/* Adds to the reasons what the choice converts, and what that costs. */
static void reason_conversions(struct choosing *c, const size_t *selection)
{
    const struct portolan_plan *p = c->p;

    for (size_t i = 0; i < p->n_data; i++) {
        const struct plan_data *d = &p->data[i];
        size_t made = plan_layout_of(&d->ends[0], selection);
        double makings = plan_makings(&p->view, d, selection);
        char each[32];

        for (size_t k = 1; k < d->n_ends && made != NONE && makings > 0; k++) {
            size_t taken = plan_layout_of(&d->ends[k], selection);

            if (taken == NONE || taken == made)
                continue;
            portolan_format_time(p->view.conversions[i].ns[made][taken], 3, each, sizeof each);
            plan_note(&c->reasons,
                      "%s: converted from %s to %s for %s, %.3g times a step, %s each%s",
                      d->from->name, d->layouts[made], d->layouts[taken], d->ends[k].instance->name,
                      makings, each, d->from->is_shared ? ", shared with others" : "");
        }
    }
}

static void explain_data(struct choosing *c)
{
    for (size_t i = 0; i < c->p->notes.n; i++)
        plan_note(&c->reasons, "%s", c->p->notes.texts[i]);
    for (size_t i = 0; i < c->p->s.n_nodes; i++)
        if (c->p->paths[i].core)
            reason_conflicts(c, i);
}

static void explain_choice(struct choosing *c, const size_t *selection)
{
    judge_choice(c);
    for (size_t v = 0; v < c->p->s.n_variables; v++)
        if (!c->variables[v].core)
            reason_pruned(c, v);
    reason_conversions(c, selection);
    explain_data(c);
}

/* Takes the choice that loses least on average, not the one with the least predicted cost. */
static enum portolan_status take_confident(struct choosing *c)
{
    struct portolan_plan *p = c->p;
    size_t n = c->s->n_variables;
    enum portolan_status status =
        plan_be_confident(&p->view, c->s->values, &p->choice_pool, &c->sure);

    if (!status && n && memcmp(c->s->values, c->sure.values, n * sizeof *c->s->values) != 0) {
        memcpy(c->s->values, c->sure.values, n * sizeof *c->s->values);
        c->s->cost = portolan_choice_cost(c->problem, c->s->values);
    }
    return status;
}

/* Fills the question: which assembly, at which parameters, within which bounds. */
static enum portolan_status fill_question(struct choosing *c)
{
    struct portolan_plan *p = c->p;
    struct portolan_text title = {.arena = &p->choice_pool};
    char *parameters = NULL;
    enum portolan_status status = portolan_plan_write_parameters(p->s.a, &parameters, NULL);

    portolan_text_add(&title, "Choice for '%s' (", p->s.a->name);
    for (size_t d = 0; d < p->s.n_dims; d++)
        portolan_text_add(&title, "%s=%s%s", p->s.dims[d].name, p->s.dims[d].target,
                          d + 1 < p->s.n_dims ? " " : ", ");
    portolan_text_add(&title, "%d step%s, %d rank%s)", p->steps, p->steps == 1 ? "" : "s",
                      p->s.ranks, p->s.ranks == 1 ? "" : "s");
    p->choice.title = plan_text(&title);
    p->choice.assembly = p->s.a->name;
    p->choice.parameters = portolan_arena_strdup(&p->choice_pool, parameters ? parameters : "");
    p->choice.ranks = p->s.ranks;
    p->choice.accuracy = p->s.a->accuracy;
    p->choice.memory_bytes = p->s.a->memory;
    free(parameters);
    return status;
}

static enum portolan_status fill_choice(struct choosing *c)
{
    struct portolan_plan *p = c->p;
    size_t n = p->s.n_variables;
    size_t *selection = portolan_arena_alloc(&p->choice_pool, n, sizeof *selection);
    enum portolan_status status = take_confident(c);

    if (!status)
        status = fill_question(c);
    c->variables = portolan_arena_alloc(&p->choice_pool, n, sizeof *c->variables);
    if (!selection || !c->variables)
        return PORTOLAN_ENOMEM;
    if (!plan_total(&p->view, selection, &p->choice.as_written, NULL))
        p->choice.as_written = (struct portolan_plan_prediction){
            .total_ns = INFINITY, .low_ns = INFINITY, .high_ns = INFINITY, .steps = p->steps};
    for (size_t v = 0; !status && v < n; v++) {
        status = fill_options(c, v);
        selection[v] = c->variables[v].chosen;
    }
    if (status)
        return status;
    plan_total(&p->view, selection, &p->choice.prediction, NULL);
    p->choice.gain = c->sure.gain;
    if (p->choice.prediction.is_unusable || p->choice.as_written.is_unusable ||
        isinf(p->choice.as_written.total_ns))
        p->choice.gain = (struct portolan_gain){.share = NAN, .low = NAN, .high = NAN};
    else
        p->choice.gain.share = 1 - p->choice.prediction.total_ns / p->choice.as_written.total_ns;
    for (size_t v = 0; v < n; v++)
        c->variables[v].called = plan_calls(&p->view, v, selection);
    explain_choice(c, selection);
    p->choice.n_variables = n;
    p->choice.variables = c->variables;
    p->choice.n_reasons = c->reasons.n;
    p->choice.reasons = c->reasons.texts;
    return p->choice_pool.failed ? PORTOLAN_ENOMEM : PORTOLAN_OK;
}

/* Returns whether no implementation is known to reach the accuracy wanted of a call path; then *ERR
 * says so. */
static bool is_never_accurate(const struct portolan_plan *p, size_t path,
                              struct portolan_error *err)
{
    const struct plan_scope *scope = &p->paths[path].scope;
    const struct plan_cost *costs = p->view.costs[path];
    struct portolan_arena scratch = {0};
    struct portolan_text at = {.arena = &scratch};
    double wanted = plan_wanted(p, path);
    const char *with;
    size_t best = NONE;

    for (size_t k = 0; k < scope->n_tuples; k++)
        if (!isnan(costs[k].accuracy.value) &&
            (best == NONE || costs[k].accuracy.value < costs[best].accuracy.value))
            best = k;
    if (!(wanted > 0) || best == NONE || costs[best].accuracy.value <= wanted)
        return false;
    with = plan_tuple_text(p, &scratch, scope, best, NONE);
    for (size_t d = 0; d < p->s.n_dims; d++)
        portolan_text_add(&at, "%s%s=%s", d ? " " : " at ", p->s.dims[d].name, p->s.dims[d].target);
    portolan_error_set(err, PORTOLAN_EINFEASIBLE,
                       "no %s reaches accuracy %.7g%s; the best available is %.7g with %s",
                       p->s.a->program ? "combination" : "assembly", wanted,
                       at.length ? at.bytes : "", costs[best].accuracy.value,
                       with ? with : "(out of memory)");
    portolan_arena_clear(&scratch);
    return true;
}

/* Explains why no assembly is allowed: as written or, where that is excluded, with what is not. */
static enum portolan_status infeasible(const struct portolan_plan *p, struct portolan_error *err)
{
    size_t *written = portolan_calloc(p->s.n_variables + 1, sizeof *written);
    struct portolan_plan_prediction ignored;
    struct plan_forbidden why = {.tuple = NONE};
    const char *how = "as written";
    char text[300];

    if (!written)
        return portolan_no_memory(err);
    for (size_t v = 0; v < p->s.n_variables; v++)
        if ((written[v] = first_allowed(p->s.variables[v].instance)))
            how = "with the present pins and forbids";
    plan_total(&p->view, written, &ignored, &why);
    free(written);
    if (why.by == PLAN_BY_PATH && is_never_accurate(p, why.path, err))
        return PORTOLAN_EINFEASIBLE;
    plan_explain_forbidden(&p->view, &why, text, sizeof text);
    if (why.by == PLAN_BY_MEMORY)
        return portolan_error_set(err, PORTOLAN_EINFEASIBLE,
                                  "no allowed assembly fits into %.4g bytes of memory; %s, %s",
                                  p->s.a->memory, how, text);
    return portolan_error_set(err, PORTOLAN_EINFEASIBLE, "no assembly is allowed: %s, %s", how,
                              text);
}

enum portolan_status portolan_plan_choose(struct portolan_plan *p,
                                          const struct portolan_plan_answer **answer,
                                          struct portolan_error *err)
{
    struct portolan_choice *problem = NULL;
    struct portolan_choice_solution *solution = NULL;
    enum portolan_status status;

    portolan_arena_clear(&p->choice_pool);
    p->choice = (struct portolan_plan_answer){.rival = "", .settle = ""};
    status = plan_make_problem(&p->view, &problem, err);
    if (!status)
        status = portolan_choice_solve(problem, true, &solution, NULL);
    if (!status) {
        struct choosing c = {
            .p = p, .problem = problem, .s = solution, .reasons = {.pool = &p->choice_pool}};

        status = fill_choice(&c);
    }
    if (status == PORTOLAN_EINFEASIBLE)
        status = infeasible(p, err);
    else if (status)
        portolan_error_set(err, status, "choosing an assembly");
    else
        *answer = &p->choice;
    portolan_choice_solution_destroy(solution);
    portolan_choice_destroy(problem);
    return status;
}

static int by_name(const void *left, const void *right)
{
    const struct portolan_name_value *a = left, *b = right;

    return strcmp(a->name, b->name);
}

/* Writes the N of LIST, "name=value" each, sorted by name, and clears POOL. */
static enum portolan_status write_pairs(struct portolan_arena *pool,
                                        struct portolan_name_value *list, size_t n, char **text,
                                        struct portolan_error *err)
{
    struct portolan_text all = {.failed = pool->failed};

    if (n && !pool->failed)
        qsort(list, n, sizeof *list, by_name);
    for (size_t i = 0; i < n && !all.failed; i++)
        portolan_text_add(&all, "%s%s=%s", i ? " " : "", list[i].name, list[i].value);
    portolan_arena_clear(pool);
    return portolan_text_take(&all, text, err);
}

enum portolan_status portolan_plan_write_selection(const struct portolan_assembly *a,
                                                   const int32_t *selection, char **text,
                                                   struct portolan_error *err)
{
    struct portolan_arena pool = {0};
    struct portolan_name_value *list = NULL;
    size_t n = 0;

    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_assembly_instance *from = &a->instances[i];
        struct portolan_name_value x = {from->name, from->alternatives[selection[i]].class_name};

        if (from->n_alternatives > 1)
            portolan_arena_append(&pool, &list, &n, &x, sizeof x);
    }
    return write_pairs(&pool, list, n, text, err);
}

/* Adds the parameters of ONE instance to LIST. */
static void list_parameters(struct portolan_arena *pool,
                            const struct portolan_assembly_instance *one,
                            struct portolan_name_value **list, size_t *n)
{
    const struct portolan_assembly_alternative *now = &one->alternatives[one->selected];

    if (one->n_alternatives > 1 || strncmp(now->class_name, "portolan.", 9) == 0)
        return;
    for (size_t k = 0; k < now->n_parameters; k++) {
        const struct portolan_assembly_parameter *from = &now->parameters[k];
        struct portolan_name_value x = {portolan_arena_printf(pool, "%s.%s", one->name, from->name),
                                        from->text};

        portolan_arena_append(pool, list, n, &x, sizeof x);
    }
}

enum portolan_status portolan_plan_write_parameters(const struct portolan_assembly *a, char **text,
                                                    struct portolan_error *err)
{
    struct portolan_arena pool = {0};
    struct portolan_name_value *list = NULL;
    size_t n = 0;

    *text = NULL;
    for (size_t i = 0; i < a->n_instances; i++)
        list_parameters(&pool, &a->instances[i], &list, &n);
    return write_pairs(&pool, list, n, text, err);
}
