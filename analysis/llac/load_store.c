/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials of an experiment store: a table per method of an instance and implementation. */
#include "internal.h"

#include <portolan/profile.h>

#include <math.h>
#include <string.h>

/* The first is an experiment's, the others are a call path's. */
static const char *const times[] = {"CLOCK", "TIME", "INCLUSIVE", "MPI"};

/* Whether it is an experiment of an annotated program, which reports tell of as well. */
static bool is_experiment(const struct portolan_sample *sample)
{
    return !strcmp(sample->port_type, "CALL");
}

/* The experiment, or "solver_solve_Cholmod": who was called, what, the last part of the class. */
static const char *table_name(struct statement *s, const struct portolan_sample *sample)
{
    const char *dot = strrchr(sample->implementation, '.');
    const char *class_name = dot ? dot + 1 : sample->implementation;

    if (is_experiment(sample))
        return llac_name_of(s, sample->method);
    return llac_name_of(s, portolan_arena_printf(&s->arena, "%s%s%s%s%s", sample->instance,
                                                 *sample->instance ? "_" : "", sample->method,
                                                 *class_name ? "_" : "", class_name));
}

/* An experiment's formula is a fact of its trial. */
static void add_formula(struct table *t, const struct portolan_trial *trial,
                        const struct portolan_sample *sample)
{
    static const char prefix[] = "formula ";

    t->file = llac_table_keep(t, sample->implementation);
    t->program = llac_table_keep(t, trial->assembly);
    for (size_t i = 0; i < trial->n_metadata; i++)
        if (!strncmp(trial->metadata[i].name, prefix, strlen(prefix)) &&
            !strcmp(trial->metadata[i].name + strlen(prefix), sample->method))
            t->formula = llac_table_keep(t, trial->metadata[i].value);
}

static struct table *find_table(const struct loaded *l, size_t first, const char *name)
{
    for (size_t i = first; i < l->n_tables; i++)
        if (!strcmp(l->tables[i]->experiment, name))
            return l->tables[i];
    return NULL;
}

static const struct portolan_trial *trial_of(const struct portolan_sample_set *set, int64_t id)
{
    for (size_t i = 0; i < set->n_trials; i++)
        if (set->trials[i].id == id)
            return &set->trials[i];
    return NULL;
}

/* The columns that a sample of TRIAL needs: labels, its contexts, the trial's numeric parameters,
 * times in s per call, counters per call. */
static void add_columns(struct table *t, const struct portolan_trial *trial,
                        const struct portolan_sample *sample)
{
    static const char *const labels[] = {"STEP", "CPU", "NCPUS"};
    double number;

    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        llac_loaded_column(t, labels[i], COLUMN_LABEL, NULL);
    for (int i = 0; i < sample->n_context; i++)
        llac_loaded_column(t, sample->context_name[i], COLUMN_IDENTIFIER, NULL);
    for (size_t i = 0; trial && i < trial->n_parameters; i++)
        if (portolan_read_double(trial->parameters[i].value, &number))
            llac_loaded_column(t, trial->parameters[i].name, COLUMN_IDENTIFIER, NULL);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (!is_experiment(sample) == (i > 0))
            llac_loaded_column(t, times[i], COLUMN_OBSERVABLE, "s");
    llac_loaded_column(t, "CALLS", COLUMN_OBSERVABLE, NULL);
    if (!isnan(sample->quality))
        llac_loaded_column(t, "QUALITY", COLUMN_OBSERVABLE, NULL);
    for (int i = 0; i < sample->n_counters; i++)
        llac_loaded_column(t, sample->counter_name[i], COLUMN_OBSERVABLE, NULL);
}

static void put_cell(const struct table *t, double *row, const char *name, double value)
{
    size_t column = llac_table_find(t, name);

    if (column != NONE)
        row[column] = value;
}

static void add_row(struct table *t, const struct portolan_trial *trial,
                    const struct portolan_sample *sample)
{
    double *row = llac_table_add_row(t), calls = (double)sample->timed_calls, number;

    for (size_t i = 0; trial && i < trial->n_parameters; i++)
        if (portolan_read_double(trial->parameters[i].value, &number))
            put_cell(t, row, trial->parameters[i].name, number);
    for (int i = 0; i < sample->n_context; i++)
        put_cell(t, row, sample->context_name[i], sample->context[i]);
    row[0] = (double)sample->trial;
    put_cell(t, row, "STEP", sample->step);
    put_cell(t, row, "CPU", sample->rank);
    put_cell(t, row, "NCPUS", trial ? trial->ranks : NAN);
    put_cell(t, row, "CLOCK", sample->inclusive_ns * 1e-9 / calls);
    put_cell(t, row, "TIME", sample->exclusive_ns * 1e-9 / calls);
    put_cell(t, row, "INCLUSIVE", sample->inclusive_ns * 1e-9 / calls);
    put_cell(t, row, "MPI", sample->mpi_ns * 1e-9 / calls);
    put_cell(t, row, "CALLS", (double)sample->calls);
    if (!isnan(sample->quality))
        put_cell(t, row, "QUALITY", sample->quality);
    for (int i = 0; i < sample->n_counters; i++)
        put_cell(t, row, sample->counter_name[i], sample->counter[i] / calls);
}

static bool is_chosen(const struct portolan_trial_list *chosen, int64_t trial)
{
    for (size_t k = 0; k < chosen->n; k++)
        if (chosen->trials[k]->id == trial)
            return true;
    return false;
}

/* Twice over the samples: columns first, for rows fix them. */
static void take_samples(struct statement *s, const struct portolan_sample_set *set,
                         const struct portolan_trial_list *chosen, struct loaded *l)
{
    size_t first = l->n_tables;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < set->n_samples; i++) {
            const struct portolan_sample *sample = &set->samples[i];
            const struct portolan_trial *trial = trial_of(set, sample->trial);
            const char *name = table_name(s, sample);
            struct table *t = find_table(l, first, name);

            if (!is_chosen(chosen, sample->trial) || sample->timed_calls < 1)
                continue;
            if (!t) {
                t = llac_loaded_add(s, l, name);
                if (trial && is_experiment(sample))
                    add_formula(t, trial, sample);
            }
            if (pass)
                add_row(t, trial, sample);
            else
                add_columns(t, trial, sample);
        }
}

void llac_load_store(struct statement *s, const struct token *at, const char *path,
                     const char *trials, struct loaded *l)
{
    struct portolan_trial_list *chosen = llac_alloc(s, 1, sizeof *chosen);
    struct portolan_store *store = NULL;
    struct portolan_sample_set *set = NULL;
    size_t first = l->n_tables;
    enum portolan_status status;

    llac_own(s, OWNED_TRIALS, chosen);
    status = portolan_store_open(path, PORTOLAN_STORE_READ, &store, &s->err);
    if (status == PORTOLAN_OK)
        status = portolan_trials_select(store, trials, chosen, &s->err);
    if (status == PORTOLAN_OK)
        status = portolan_store_read(store, NULL, true, &set, &s->err);
    portolan_store_close(store);
    llac_check(s, at, status);
    llac_own(s, OWNED_SAMPLES, set);
    take_samples(s, set, chosen, l);
    if (l->n_tables == first)
        llac_fail(s, at, "nothing was measured in the trials of '%s'", path);
}
