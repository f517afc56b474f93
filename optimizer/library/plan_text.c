/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes combinations, notes, and reasons why something is not allowed, for people. */
#include "plan_internal.h"

#include <stdio.h>

void plan_note(struct plan_notes *notes, const char *format, ...)
{
    const char **more = portolan_arena_grow(notes->pool, notes->texts, notes->n, sizeof *more);
    va_list args;

    if (!more)
        return;
    notes->texts = more;
    va_start(args, format);
    more[notes->n] = portolan_arena_vprintf(notes->pool, format, args);
    va_end(args);
    notes->n += more[notes->n] != NULL;
}

char *plan_text(struct portolan_text *text)
{
    char *all;

    portolan_text_take(text, &all, NULL);
    return all;
}

void plan_add_class(struct portolan_text *text, const struct portolan_assembly_instance *x,
                    size_t alternative)
{
    portolan_text_add(text, "%s%s=%s", text->length ? " " : "", x->name,
                      x->alternatives[alternative].class_name);
}

char *plan_tuple_text(const struct portolan_plan *p, struct portolan_arena *pool,
                      const struct plan_scope *scope, size_t tuple, size_t skip)
{
    size_t values[MAX_SCOPE];
    struct portolan_text text = {.arena = pool};

    for (size_t i = scope->n; i-- > 0;) {
        values[i] = tuple % p->s.variables[scope->variables[i]].n;
        tuple /= p->s.variables[scope->variables[i]].n;
    }
    for (size_t i = 0; i < scope->n; i++)
        if (scope->variables[i] != skip &&
            !(scope->dormant && scope->dormant[values[0] * scope->n + i]))
            plan_add_class(&text, p->s.variables[scope->variables[i]].instance, values[i]);
    return plan_text(&text);
}

char *plan_selection_text(const struct survey *s, struct portolan_arena *pool,
                          const size_t *selection)
{
    struct portolan_text text = {.arena = pool};

    for (size_t v = 0; v < s->n_variables; v++)
        if (selection[v] != 0)
            plan_add_class(&text, s->variables[v].instance, selection[v]);
    return plan_text(&text);
}

/* Why a trial of a program did not work, as its executor stored it; NULL: it is not known. */
static const char *reason_of(const struct portolan_plan *p, long long trial)
{
    for (size_t i = 0; p->s.a->program && i < p->s.data->n_trials; i++)
        if (p->s.data->trials[i].id == trial)
            return portolan_trial_peek_fact(&p->s.data->trials[i], "failure");
    return NULL;
}

static void explain_verdict(const struct portolan_plan *p, size_t path,
                            const struct plan_verdict *v, char *text, size_t size_bytes)
{
    const struct survey_node *n = &p->s.nodes[path];
    const char *why = reason_of(p, v->trial);

    switch (v->kind) {
    case PLAN_STOPPED:
        snprintf(text, size_bytes, "stopped in trial %lld: it takes at least %.3g s", v->trial,
                 v->stopped_s);
        break;
    case PLAN_FAILED:
        if (why)
            snprintf(text, size_bytes, "failed in trial %lld: %s", v->trial, why);
        else
            snprintf(
                text, size_bytes,
                "%s.%s failed in trial %lld, and no context distinguishes that place from this one",
                n->instance, n->method, v->trial);
        break;
    case PLAN_INACCURATE:
        snprintf(text, size_bytes,
                 "accuracy %.3g of %s.%s in trial %lld is worse than the required %.3g",
                 v->accuracy, n->instance, n->method, v->trial, plan_wanted(p, path));
        break;
    case PLAN_UNPROVEN:
        if (v->is_blind)
            snprintf(text, size_bytes,
                     "whether %s.%s works here depends on its contexts; state them with --context, "
                     "or run a first step",
                     n->instance, n->method);
        else if (v->near_bad)
            snprintf(text, size_bytes,
                     "%s.%s %s in trial %lld, the most similar one; measure it here", n->instance,
                     n->method, v->near_failed ? "failed" : "missed its accuracy", v->trial);
        else
            snprintf(text, size_bytes,
                     "%s.%s is not known to work near here, only in trial %lld and farther away; "
                     "measure it here",
                     n->instance, n->method, v->trial);
        break;
    case PLAN_INAPPLICABLE:
        snprintf(text, size_bytes,
                 p->s.a->program
                     ? "%s runs so only where %s, as stated or as far as it was measured"
                     : "%s does not apply here: its condition is %s",
                 n->instance, v->why);
        break;
    case PLAN_ADMITTED:
        text[0] = '\0';
    }
}

/* Explains why a selection that is allowed call by call is not allowed as a whole. */
static void explain_bound(const struct portolan_plan *p, const struct plan_forbidden *f, char *text,
                          size_t size_bytes)
{
    if (f->by == PLAN_BY_CONVERSION)
        snprintf(text, size_bytes,
                 "the cost of converting '%s' is not known here: no <convert> leads from its "
                 "layout to one that is taken",
                 f->data->from->name);
    else if (f->by == PLAN_BY_MEMORY)
        snprintf(text, size_bytes, "it needs %.4g bytes of memory on a rank; %.4g are allowed",
                 f->value, p->s.a->memory);
    else
        snprintf(text, size_bytes, "the %s of accuracies is %.3g, worse than the required %.3g",
                 p->s.a->composition == PORTOLAN_COMPOSE_SUM ? "sum" : "product", f->value,
                 p->s.a->accuracy);
}

void plan_explain_forbidden(const struct plan_view *v, const struct plan_forbidden *f, char *text,
                            size_t size_bytes)
{
    const struct portolan_plan *p = v->p;
    const struct survey_node *n = &p->s.nodes[f->path];
    const struct plan_path *path = &p->paths[f->path];
    struct portolan_arena scratch = {0};
    const struct plan_cost *cost;
    const char *with;

    if (f->by != PLAN_BY_PATH) {
        explain_bound(p, f, text, size_bytes);
        return;
    }
    with = f->tuple == NONE ? NULL : plan_tuple_text(p, &scratch, &path->scope, f->tuple, NONE);
    cost = f->tuple == NONE ? NULL : &v->costs[f->path][f->tuple];

    if (cost && cost->verdict.kind == PLAN_UNPROVEN && !cost->verdict.near_bad &&
        cost->accuracy.value > plan_wanted(p, f->path))
        snprintf(text, size_bytes,
                 "accuracy %.3g (between %.2g and %.2g%s) of %s.%s is worse than the required %.3g",
                 cost->accuracy.value, cost->accuracy.low, cost->accuracy.high,
                 cost->accuracy_outside ? ", outside the measured range" : "", n->instance,
                 n->method, plan_wanted(p, f->path));
    else if (cost && cost->verdict.hope > 0 && path->tuples[f->tuple].exclusive.stated)
        snprintf(
            text, size_bytes,
            "the accuracy of %s.%s with %s is neither measured nor stated in a file; measure it",
            n->instance, n->method, with ? with : "this");
    else if (cost && cost->verdict.kind != PLAN_ADMITTED)
        explain_verdict(p, f->path, &cost->verdict, text, size_bytes);
    else if (f->tuple != NONE && path->tuples[f->tuple].seen)
        snprintf(text, size_bytes, "no model of %s.%s has a value here", n->instance, n->method);
    else
        snprintf(text, size_bytes, "%s.%s was never measured%s%s", n->instance, n->method,
                 with && *with ? " with " : "", with ? with : " with this");
    portolan_arena_clear(&scratch);
}
