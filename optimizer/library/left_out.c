/* SPDX-License-Identifier: BSD-3-Clause */
/* How good choices are where nothing was measured: each case is left out in turn. */
#include "plan_internal.h"

#include <portolan/stats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A choice that costs less than this more than the best is right. */
static const double right = 0.05;

struct left_out {
    const struct portolan_assembly *a;
    const struct portolan_sample_set *data;
    struct portolan_plan_options options;
    struct portolan_text out;
    size_t n, n_right, n_unknown, n_wrong;
    double *losses; /* of choices that work */
    size_t n_losses;
};

/* Each variable's chosen class, for a prediction. */
static size_t list_chosen(const struct portolan_plan_choice *c, struct portolan_name_value *list)
{
    for (size_t v = 0; v < c->n_variables; v++)
        list[v] = (struct portolan_name_value){
            c->variables[v].instance,
            c->variables[v].options[c->variables[v].chosen].implementation};
    return c->n_variables;
}

/* A case is called by its first parameter. */
static const char *case_name(const struct portolan_assembly *a, size_t index)
{
    size_t k = 0;

    while (k < a->n_case_columns && !a->case_columns[k].instance)
        k++;
    return k < a->n_case_columns ? a->cases[index].values[k] : "";
}

static void put_line(struct left_out *l, size_t at, const char *text)
{
    portolan_text_add(&l->out, "  %-32s %s\n", case_name(l->a, at), text);
}

/* Holds the choice of a plan without the case against what was measured of it. */
static enum portolan_status judge(struct left_out *l, size_t at, struct portolan_plan *truth,
                                  double best_ns, const struct portolan_plan_choice *choice,
                                  struct portolan_error *err)
{
    struct portolan_name_value *list = portolan_calloc(choice->n_variables + 1, sizeof *list);
    struct portolan_plan_prediction t;
    size_t n = list ? list_chosen(choice, list) : 0;
    char *chosen = NULL, text[400];
    enum portolan_status status;
    double loss;

    status = list ? portolan_plan_write_selection(list, n, &chosen, err) : PORTOLAN_ENOMEM;
    if (!status)
        status = portolan_plan_predict(truth, list, n, &t, NULL);
    loss = status ? INFINITY : t.total_ns / best_ns - 1;
    if (status == PORTOLAN_EINFEASIBLE) {
        l->n_wrong++;
        snprintf(text, sizeof text, "%.300s: fails, is not accurate, or was never measured",
                 chosen);
        status = PORTOLAN_OK;
    } else if (!status) {
        l->n_right += loss <= right;
        l->losses[l->n_losses++] = 1 + loss;
        snprintf(text, sizeof text, "%.300s: %+.3g %%", chosen, 100 * loss);
    }
    if (!status)
        put_line(l, at, text);
    free(list);
    free(chosen);
    return status;
}

/* The choice without the case; NULL in *CHOICE: it cannot tell. */
static enum portolan_status choose_without(struct left_out *l, size_t at,
                                           struct portolan_plan **plan,
                                           const struct portolan_plan_choice **choice)
{
    struct portolan_plan_options options = l->options;
    enum portolan_status status;

    options.left_out_case = at + 1;
    *choice = NULL;
    status = portolan_plan_create(l->a, l->data, &options, plan, NULL);
    if (!status)
        status = portolan_plan_choose(*plan, choice, NULL);
    if (!status && (*choice)->verdict == PORTOLAN_PLAN_CANNOT_TELL)
        *choice = NULL;
    return status == PORTOLAN_ENOTFOUND || status == PORTOLAN_EINFEASIBLE ? PORTOLAN_OK : status;
}

static enum portolan_status leave_out(struct left_out *l, size_t at, struct portolan_error *err)
{
    struct portolan_plan_options options = l->options;
    struct portolan_plan *truth = NULL, *plan = NULL;
    const struct portolan_plan_choice *best, *choice = NULL;
    enum portolan_status status;

    options.at_case = at + 1;
    status = portolan_plan_create(l->a, l->data, &options, &truth, NULL);
    if (!status && truth->s.target_point == NONE)
        status = PORTOLAN_ENOTFOUND;
    if (!status)
        status = portolan_plan_choose(truth, &best, NULL);
    if (!status) {
        l->n++;
        status = choose_without(l, at, &plan, &choice);
        if (!status && !choice) {
            l->n_unknown++;
            put_line(l, at, "cannot tell");
        } else if (!status) {
            status = judge(l, at, truth, best->prediction.total_ns, choice, err);
        }
    } else if (status == PORTOLAN_ENOTFOUND || status == PORTOLAN_EINFEASIBLE) {
        status = PORTOLAN_OK; /* of a case without anything that works nothing is to be told */
    }
    portolan_plan_destroy(plan);
    portolan_plan_destroy(truth);
    return status;
}

static void sum_up(struct left_out *l)
{
    size_t n = l->n_losses;

    portolan_text_add(&l->out, "on cases left out: right choice %zu of %zu", l->n_right, l->n);
    if (l->n_unknown)
        portolan_text_add(&l->out, ", cannot tell %zu", l->n_unknown);
    if (l->n_wrong)
        portolan_text_add(&l->out, ", not allowed %zu", l->n_wrong);
    if (n) {
        double median = portolan_sort_to_median(n, l->losses);

        portolan_text_add(&l->out, ", median loss %.3g, worst loss %.3g", median, l->losses[n - 1]);
    }
    portolan_text_add(&l->out,
                      "\n(right: at most %g %% more than the best of what was measured there)\n",
                      100 * right);
}

enum portolan_status portolan_plan_report_left_out(const struct portolan_assembly *a,
                                                   const struct portolan_sample_set *data,
                                                   const struct portolan_plan_options *options,
                                                   char **text, struct portolan_error *err)
{
    struct left_out l = {.a = a, .data = data, .options = *options};
    enum portolan_status status = PORTOLAN_OK;

    if (a->n_cases == 0)
        return portolan_error_set(err, PORTOLAN_EINVAL, "assembly '%s' has no <cases> in its sweep",
                                  a->name);
    l.losses = portolan_calloc(a->n_cases, sizeof *l.losses);
    if (!l.losses)
        return portolan_no_memory(err);
    portolan_text_add(&l.out, "Choices for cases of '%s' from all others (%d rank%s)\n", a->name,
                      options->ranks, options->ranks == 1 ? "" : "s");
    for (size_t i = 0; !status && i < a->n_cases; i++)
        status = leave_out(&l, i, err);
    if (!status)
        sum_up(&l);
    free(l.losses);
    if (!status)
        return portolan_text_take(&l.out, text, err);
    portolan_text_clear(&l.out);
    return portolan_error_set(err, status, "leaving cases out");
}
