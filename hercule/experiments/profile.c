/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials as profiles: the sums that the first two experiments need, and which stored trial has
 * them already. */
#include "internal.h"

#include <portolan/list.h>
#include <portolan/trials.h>

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

static bool is_or_lacks(const char *wanted, const char *text)
{
    return !wanted || !strcmp(wanted, text);
}

static bool is_part(const struct portolan_part *p, const struct portolan_sample *s)
{
    if (p->mpi || p->phase || p->tag >= 0 || p->to >= 0 || !(p->uses || p->region))
        return false;
    return is_or_lacks(p->user, s->user) && is_or_lacks(p->uses, s->uses) &&
           is_or_lacks(p->method, s->method) && is_or_lacks(p->region, s->method);
}

/* IN[i]: sample i is in a call of part P, and, where that works within another component, in a call
   of this one's part. */
static void find_calls(const struct portolan_subject *s, const struct portolan_part *p,
                       const struct portolan_sample_set *set, bool *in)
{
    const char *dot = strrchr(p->component, '.');
    bool has_context = false;

    for (size_t k = 0; dot && k < s->n_parts; k++)
        if (strlen(s->parts[k].component) == (size_t)(dot - p->component) &&
            !strncmp(s->parts[k].component, p->component, (size_t)(dot - p->component))) {
            find_calls(s, &s->parts[k], set, in);
            has_context = true;
            break;
        }
    for (size_t i = 0; i < set->n_samples; i++) { /* callers stand before what they call */
        const struct portolan_sample *x = &set->samples[i];

        in[i] = (!has_context || in[i]) && (is_part(p, x) || (x->parent >= 0 && in[x->parent]));
    }
}

static double estimate(const struct portolan_sample *x, double sum)
{
    return portolan_estimate_all(sum, (double)x->calls, portolan_sample_timed(x));
}

static bool is_mpi(const struct portolan_sample *x)
{
    return !strncmp(x->method, "MPI_", 4);
}

/* TAU writes "MPI_Barrier()". */
static bool is_collective(const char *method)
{
    char routine[64];

    snprintf(routine, sizeof routine, "%.*s", (int)strcspn(method, "("), method);
    switch (portolan_trace_classify(routine, NULL)) {
    case PORTOLAN_ROUTINE_BARRIER:
    case PORTOLAN_ROUTINE_N_TO_N:
    case PORTOLAN_ROUTINE_ONE_TO_N:
    case PORTOLAN_ROUTINE_N_TO_ONE:
    case PORTOLAN_ROUTINE_SCAN:
    case PORTOLAN_ROUTINE_NEIGHBOUR:
        return true;
    default:
        return false;
    }
}

static void add_quantity(struct portolan_subject *s, struct experiment_profile *p,
                         const char *component, const char *quantity, double value)
{
    const struct portolan_quantity q = {component, quantity, value, 0, 1};

    portolan_arena_append(&s->arena, &p->quantities, &p->n, &q, sizeof q);
}

/* Sums over the samples that are IN; all of them where it is NULL. */
static void add_sums(struct portolan_subject *s, struct experiment_profile *p,
                     const char *component, const struct portolan_sample_set *set, const bool *in)
{
    double mpi = 0, collective = 0, time = 0, count = 0;

    for (size_t i = 0; i < set->n_samples; i++) {
        const struct portolan_sample *x = &set->samples[i];
        double own = estimate(x, is_mpi(x) ? x->exclusive_ns : x->mpi_ns);

        if (in && !in[i])
            continue;
        mpi += own;
        collective += is_mpi(x) && is_collective(x->method) ? own : 0;
        if (x->parent >= 0 && (!in || in[x->parent]))
            continue;
        time += estimate(x, x->inclusive_ns);
        count += (double)x->calls;
    }
    if (in && !count)
        return;
    add_quantity(s, p, component, "mpi", mpi);
    if (collective > 0)
        add_quantity(s, p, component, "collective", collective);
    if (in) {
        add_quantity(s, p, component, "time", time);
        add_quantity(s, p, component, "count", count);
    }
}

static enum portolan_status add_parts(struct portolan_subject *s, struct experiment_profile *p,
                                      const struct portolan_sample_set *set,
                                      struct portolan_error *err)
{
    bool *in = portolan_calloc(set->n_samples + 1, sizeof *in);

    if (!in)
        return portolan_no_memory(err);
    for (size_t k = 0; k < s->n_parts; k++) {
        memset(in, 0, set->n_samples * sizeof *in);
        find_calls(s, &s->parts[k], set, in);
        add_sums(s, p, s->parts[k].component, set, in);
    }
    free(in);
    return s->arena.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

enum portolan_status profile_read(struct portolan_subject *s, int64_t trial,
                                  struct experiment_profile *p, struct portolan_error *err)
{
    const struct portolan_store_query query = {.trial = trial, .with_partial = true};
    struct portolan_sample_set *set;
    enum portolan_status status = trials_read(s, &query, true, &set, err);

    *p = (struct experiment_profile){0};
    if (!status) {
        p->run_ns = set->trials[0].elapsed_ns;
        for (size_t i = 0; i < set->n_samples; i++)
            if (set->samples[i].step > p->n_steps) /* the last is what follows the last step */
                p->n_steps = set->samples[i].step;
        add_quantity(s, p, "", "P", set->trials[0].ranks);
        add_quantity(s, p, "", "T", p->run_ns);
        add_sums(s, p, "", set, NULL);
        p->n_of_run = p->n;
        status = add_parts(s, p, set, err);
    }
    portolan_sample_set_destroy(set);
    return status;
}

/* ------------------------------------------------- trials that need not be repeated */

static bool has_value(const struct portolan_name_value *pairs, size_t n, const char *name,
                      const char *value)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(pairs[i].name, name))
            return !strcmp(pairs[i].value, value);
    return false;
}

/* The same classes with the same parameters, wherever the trial is stored. */
static bool is_same_assembly(struct portolan_subject *s, const struct portolan_trial *t)
{
    const struct portolan_assembly *a = s->assembly;
    size_t n = 0;

    for (size_t i = 0; i < t->n_parameters; i++)
        n += fnmatch("*.store", t->parameters[i].name, 0) != 0;
    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_assembly_instance *x = &a->instances[i];
        const struct portolan_assembly_alternative *chosen = &x->alternatives[x->selected];

        if (!has_value(t->implementations, t->n_implementations, x->name, chosen->class_name))
            return false;
        for (size_t k = 0; k < chosen->n_parameters; k++) {
            const char *name =
                portolan_arena_printf(&s->arena, "%s.%s", x->name, chosen->parameters[k].name);

            if (!name || !fnmatch("*.store", name, 0))
                continue;
            if (!has_value(t->parameters, t->n_parameters, name, chosen->parameters[k].text))
                return false;
            n--;
        }
    }
    return n == 0;
}

/* Nothing that it ran of was built since. */
static bool is_same_build(const struct portolan_trial *t)
{
    struct tm began = {0};
    struct utsname u;

    if (uname(&u) || !has_value(t->metadata, t->n_metadata, "host", u.nodename) ||
        !strptime(t->started, "%Y-%m-%dT%H:%M:%SZ", &began))
        return false;
    for (size_t i = 0; i < t->n_metadata; i++) {
        struct stat status;

        if (!strncmp(t->metadata[i].name, "object ", 7) &&
            (stat(t->metadata[i].value, &status) || status.st_mtime >= timegm(&began)))
            return false;
    }
    return true;
}

bool profile_is_part(const struct portolan_subject *s, const char *component)
{
    for (size_t i = 0; i < s->n_parts; i++)
        if (!strcmp(s->parts[i].component, component))
            return true;
    return false;
}

bool profile_has_components(const struct portolan_subject *s, const struct experiment_run *r,
                            const struct experiment_profile *p)
{
    for (size_t c = 0; c < r->n_components; c++) {
        bool is_there = !profile_is_part(s, r->components[c]);

        for (size_t i = 0; i < p->n && !is_there; i++)
            is_there = !strcmp(p->quantities[i].component, r->components[c]);
        if (!is_there)
            return false;
    }
    return true;
}

enum portolan_status profile_find(struct portolan_subject *s,
                                  const struct portolan_experiment_options *o,
                                  const struct experiment_run *r, int64_t *trial,
                                  struct portolan_error *err)
{
    const struct portolan_store_query query = {.assembly = s->assembly->name,
                                               .ranks = o->ranks,
                                               .purpose = "fixed",
                                               .outcome = "finished"};
    struct portolan_sample_set *set;
    enum portolan_status status = trials_read(s, &query, false, &set, err);

    *trial = 0;
    for (size_t i = status ? 0 : set->n_trials; i-- > 0 && !status && !*trial;) {
        const struct portolan_trial *t = &set->trials[i];
        struct experiment_profile p;

        if (portolan_trial_peek_fact(t, PORTOLAN_STORE_DISTURBED) ||
            portolan_trial_peek_fact(t, PORTOLAN_STORE_TRACE) || !is_same_assembly(s, t) ||
            !is_same_build(t))
            continue;
        status = profile_read(s, t->id, &p, err);
        if (!status && p.n_steps > 0 && profile_has_components(s, r, &p)) /* with the go port */
            *trial = t->id;
    }
    portolan_sample_set_destroy(set);
    return status;
}
