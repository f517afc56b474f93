/* SPDX-License-Identifier: BSD-3-Clause */
/* The runs of an assembly with its present parameters, and the decision that they rest on. */
#include "internal.h"

#include <portolan/mastermind.h>
#include <portolan/measure.h>

#include <stdlib.h>
#include <string.h>

static bool counts(const struct portolan_report_source *from, const struct portolan_trial *t,
                   const char *purpose)
{
    return !strcmp(t->purpose, purpose) && !strcmp(t->outcome, "finished") &&
           portolan_trial_has_parameters(t, from->assembly);
}

static const char *peek_class(const struct portolan_trial *t, const char *instance)
{
    for (size_t i = 0; i < t->n_implementations; i++)
        if (!strcmp(t->implementations[i].name, instance))
            return t->implementations[i].value;
    return "?";
}

void report_add_choice(const struct portolan_assembly *a, const struct portolan_trial *t,
                       struct portolan_text *out)
{
    const char *blank = "";

    for (size_t i = 0; i < a->n_instances; i++)
        if (a->instances[i].n_alternatives > 1) {
            portolan_text_add(out, "%s%s=%s", blank, a->instances[i].name,
                              peek_class(t, a->instances[i].name));
            blank = " ";
        }
}

double report_fact_ns(const struct portolan_trial *t, const char *name)
{
    double ns = 0;

    portolan_read_double(portolan_trial_peek_fact(t, name), &ns);
    return ns;
}

bool report_add_unlike(const struct report_runs *r, const struct portolan_trial *t,
                       struct portolan_text *out)
{
    return !r->run || portolan_trial_add_unlike(t, r->run, true, out);
}

static int by_elapsed(const void *a, const void *b)
{
    const struct portolan_trial *const *ta = a, *const *tb = b;

    return ((*ta)->elapsed_ns > (*tb)->elapsed_ns) - ((*ta)->elapsed_ns < (*tb)->elapsed_ns);
}

/* On a virtual machine only fixed assemblies run: the fastest on the newest ranks stands for the
 * run. */
static void take_trial(const struct portolan_report_source *from, struct report_runs *r,
                       const struct portolan_trial *t)
{
    if (!from->machine && counts(from, t, "run"))
        r->run = t;
    if (!counts(from, t, "fixed"))
        return;
    if (from->machine &&
        (!r->run || t->ranks != r->run->ranks || t->elapsed_ns < r->run->elapsed_ns))
        r->run = t;
    if (!t->n_partial)
        r->fixed[r->n_fixed++] = t;
}

/* Adds the exploration to the run's total, if its trials differ from the run only in size. */
static void add_exploration(struct report_runs *r, const struct portolan_trial *t)
{
    struct portolan_text text = {0};

    if (r->run && !portolan_trial_add_unlike(t, r->run, false, &text)) {
        r->n_elsewhere++;
    } else {
        r->n_explored++;
        r->explored_ns += t->elapsed_ns;
        r->explored_partial += t->n_partial;
    }
    portolan_text_clear(&text);
}

/* Moves fixed assemblies that are not like the run to the end. */
static bool sort_fixed(struct report_runs *r)
{
    const struct portolan_trial **unlike = portolan_calloc(r->n_fixed + 1, sizeof *unlike);
    size_t n_unlike = 0;

    for (size_t i = 0; unlike && i < r->n_fixed; i++) {
        struct portolan_text text = {0};

        if (report_add_unlike(r, r->fixed[i], &text))
            r->fixed[r->n_like++] = r->fixed[i];
        else
            unlike[n_unlike++] = r->fixed[i];
        portolan_text_clear(&text);
    }
    if (unlike)
        memcpy(r->fixed + r->n_like, unlike, n_unlike * sizeof *unlike);
    free(unlike);
    return unlike;
}

/* The decision of the run, or else an earlier one for these parameters on its machine. */
static enum portolan_status find_decision(const struct portolan_report_source *from,
                                          struct report_runs *r, struct portolan_error *err)
{
    enum portolan_status status =
        portolan_store_find_trial_decision(from->store, r->run->id, &r->decision, err);
    const char *host = portolan_trial_peek_fact(r->run, "host");
    char *parameters = NULL;

    if (status != PORTOLAN_OK || r->decision || !host)
        return status;
    status = portolan_plan_write_parameters(from->assembly, &parameters, err);
    if (status == PORTOLAN_OK)
        status = portolan_store_find_decision(from->store, from->assembly->name, parameters, host,
                                              r->run->ranks, &r->decision, err);
    free(parameters);
    return status;
}

enum portolan_status report_runs_read(const struct portolan_report_source *from,
                                      struct report_runs *r, struct portolan_error *err)
{
    *r = (struct report_runs){0};
    if (!from->assembly)
        return PORTOLAN_OK;
    if (!(r->fixed = portolan_calloc(from->trials->n + 1, sizeof(void *))))
        return portolan_no_memory(err);
    for (size_t i = 0; i < from->trials->n; i++)
        if (!strcmp(from->trials->trials[i]->assembly, from->assembly->name))
            take_trial(from, r, from->trials->trials[i]);
    for (size_t i = 0; i < from->trials->n; i++)
        if (!strcmp(from->trials->trials[i]->assembly, from->assembly->name) &&
            !strcmp(from->trials->trials[i]->purpose, "explore"))
            add_exploration(r, from->trials->trials[i]);
    qsort(r->fixed, r->n_fixed, sizeof(void *), by_elapsed);
    if (!sort_fixed(r))
        return portolan_no_memory(err);
    return r->run ? find_decision(from, r, err) : PORTOLAN_OK;
}

void report_runs_clear(struct report_runs *r)
{
    portolan_decision_destroy(r->decision);
    free(r->fixed);
    *r = (struct report_runs){0};
}
