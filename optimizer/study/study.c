/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the measurements of an assembly and makes the plan, for commands that only read. */
#include <portolan/json.h>
#include <portolan/machine.h>
#include <portolan/study.h>
#include <portolan/trials.h>
#include <portolan/tune.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The ranks of the newest finished exploration or, without one, of the newest finished trial. */
static int ranks_of(const struct portolan_sample_set *data)
{
    int ranks = data->trials[data->n_trials - 1].ranks;
    bool explored = false;

    for (size_t i = 0; i < data->n_trials; i++) {
        const struct portolan_trial *t = &data->trials[i];
        bool explores = !strcmp(t->purpose, "explore");

        if (!strcmp(t->outcome, "finished") && (explores || !explored)) {
            ranks = t->ranks;
            explored = explores;
        }
    }
    return ranks;
}

/*
 * The calls of a wrapped program were measured completely however it ended. But if some runs
 * finished, their numbers of calls are the right ones.
 */
static void accept_ended_by_signal(struct portolan_sample_set *data)
{
    for (size_t i = 0; i < data->n_trials; i++)
        if (strcmp(data->trials[i].outcome, "failed") != 0)
            return;
    for (size_t i = 0; i < data->n_trials; i++)
        data->trials[i].outcome = "running";
}

/* What measures an assembly that is in no file, in words; NULL: a command names its file. */
static const char *peek_again(const struct study *s)
{
    const struct portolan_assembly *a = s->w.assembly;
    const struct portolan_trial *newest =
        s->data && s->data->n_trials ? &s->data->trials[s->data->n_trials - 1] : NULL;

    if (a->program)
        return s->w.store || access(a->file, F_OK) ? "the same `portolan tune` command again, with "
                                                     "a larger --repeat if it says that "
                                                     "there is nothing to do"
                                                   : NULL;
    if (!s->w.store)
        return NULL;
    return newest && portolan_trial_peek_fact(newest, "header")
               ? "the same `portolan wrap` command again, with --rotate 1"
               : "your program again";
}

static enum portolan_status read_data(struct study *s, int *ranks, struct portolan_error *err)
{
    const char *file = workbench_peek_store(&s->w);
    struct portolan_store_query query = {.assembly = s->w.assembly->name};
    struct portolan_store *store = NULL;
    enum portolan_status status;

    if (!file)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "'%s' has no Mastermind, so it has no stored trials",
                                  s->w.assembly->file);
    status = portolan_store_open(file, PORTOLAN_STORE_READ, &store, err);
    if (status == PORTOLAN_OK)
        status = portolan_store_read(store, &query, true, &s->data, err);
    portolan_store_close(store);
    if (status == PORTOLAN_OK)
        portolan_trials_keep_of_machine(s->data, s->machine);
    if (status == PORTOLAN_OK && s->data->n_trials == 0 && s->machine)
        return portolan_error_set(
            err, PORTOLAN_ENOTFOUND,
            "store '%s' has no trial of assembly '%s' on the virtual machine "
            "'%s'; measure it with: portolan measure --machine FILE -n RANKS %s",
            file, s->w.assembly->name, s->machine, portolan_shell_word(s->w.assembly->file).text);
    if (status == PORTOLAN_OK && s->data->n_trials == 0 && peek_again(s))
        status = portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                    "store '%s' has no trial of '%s'; to measure it, run %s", file,
                                    s->w.assembly->name, peek_again(s));
    if (status == PORTOLAN_OK && s->data->n_trials == 0)
        status = portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                    "store '%s' has no trial of assembly '%s'; measure it with: "
                                    "mpiexec." PORTOLAN_MPI " -n RANKS portolan measure %s",
                                    file, s->w.assembly->name,
                                    portolan_shell_word(s->w.assembly->file).text);
    if (status == PORTOLAN_OK && s->w.store && !s->w.assembly->program)
        accept_ended_by_signal(s->data);
    if (status == PORTOLAN_OK && s->w.assembly->program)
        status = tune_offer_known(s->w.assembly, s->data, err);
    if (status == PORTOLAN_OK)
        *ranks = ranks_of(s->data);
    return status;
}

/* Adds advice to the reason why nothing is known. */
static void add_advice(const struct study *s, struct portolan_error *err)
{
    struct portolan_error why = *err;

    *err = (struct portolan_error){0};
    if (s->options.again)
        portolan_error_set(err, why.status, "%s; to measure it, run %s", why.text,
                           s->options.again);
    portolan_error_set(err, why.status,
                       "%s; measure it with: mpiexec." PORTOLAN_MPI " -n %d portolan measure %s",
                       why.text, s->options.ranks, portolan_shell_word(s->w.assembly->file).text);
}

/* The newest trial that got as far as to say how its components were built. */
static const struct portolan_trial *newest_built(const struct portolan_sample_set *data)
{
    for (size_t i = data->n_trials; i-- > 0;)
        for (size_t k = 0; k < data->trials[i].n_metadata; k++)
            if (portolan_fact_is_of_build(data->trials[i].metadata[k].name))
                return &data->trials[i];
    return &data->trials[data->n_trials - 1];
}

/* A recompiled component is another build; the newest trial has the present builds. */
static enum portolan_status list_facts(struct study *s, struct portolan_error *err)
{
    const struct portolan_trial *newest = newest_built(s->data);
    struct utsname u;
    size_t n = 0;

    if (!(s->facts = portolan_calloc(newest->n_metadata + 3, sizeof *s->facts)))
        return portolan_no_memory(err);
    if (s->machine) {
        s->facts[0] = (struct portolan_name_value){PORTOLAN_STORE_VIRTUAL, s->machine};
        s->options.n_facts = 1;
        s->options.facts = s->facts;
        return PORTOLAN_OK;
    }
    snprintf(s->host, sizeof s->host, "%s", uname(&u) ? "" : u.nodename);
    portolan_machine_processor(s->processor, sizeof s->processor);
    if (s->host[0])
        s->facts[n++] = (struct portolan_name_value){"host", s->host};
    if (s->processor[0])
        s->facts[n++] = (struct portolan_name_value){"processor", s->processor};
#ifdef __clang__
    s->facts[n++] = (struct portolan_name_value){"compiler", __VERSION__};
#else
    s->facts[n++] = (struct portolan_name_value){"compiler", "gcc " __VERSION__};
#endif
    for (size_t i = 0; i < newest->n_metadata; i++)
        if (portolan_fact_is_of_build(newest->metadata[i].name))
            s->facts[n++] = newest->metadata[i];
    s->options.n_facts = n;
    s->options.facts = s->facts;
    return PORTOLAN_OK;
}

enum portolan_status study_plan(struct study *s, const struct study_options *o, bool here,
                                struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    if (!s->data)
        status = read_data(s, &s->options.ranks, err);
    if (status == PORTOLAN_OK && o->ranks)
        s->options.ranks = o->ranks;
    s->options.again = peek_again(s);
    s->options.n_known = o->assembly.n_contexts;
    s->options.known_names = o->assembly.context_names;
    s->options.known_values = o->assembly.contexts;
    if (status == PORTOLAN_OK && ((here && !o->any_machine) || s->machine))
        status = list_facts(s, err);
    if (status == PORTOLAN_OK)
        status = portolan_plan_create(s->w.assembly, s->data, &s->options, &s->plan, err);
    if (status == PORTOLAN_ENOTFOUND && s->data && s->data->n_trials)
        add_advice(s, err);
    return status;
}

enum portolan_status study_open_partly(struct study *s, struct study_options *o,
                                       const struct study_means *means, bool here,
                                       struct portolan_error *err)
{
    enum portolan_status status;

    *s = (struct study){0};
    o->assembly.reads_only = true;
    status = portolan_store_is_one(o->assembly.file)
                 ? workbench_open_store(&s->w, &o->assembly, err)
                 : workbench_open(&s->w, &o->assembly, means->report, err);
    if (status == PORTOLAN_ENOTFOUND) /* a wrong name, which no trial would help with */
        err->status = status = PORTOLAN_EINVAL;
    if (status == PORTOLAN_OK && o->machine)
        status = means->name_machine(o->machine, &s->machine, err);
    return status ? status : study_plan(s, o, here, err);
}

enum portolan_status study_open(struct study *s, struct study_options *o,
                                const struct study_means *means, bool here,
                                struct portolan_error *err)
{
    enum portolan_status status = study_open_partly(s, o, means, here, err);

    if (status != PORTOLAN_OK) {
        bool was_read = s->data;

        study_close(s);
        s->was_read = was_read;
    }
    return status;
}

void study_close(struct study *s)
{
    portolan_plan_destroy(s->plan);
    portolan_sample_set_destroy(s->data);
    workbench_close(&s->w);
    free(s->facts);
    free(s->machine);
    *s = (struct study){0};
}
