/* SPDX-License-Identifier: BSD-3-Clause */
/* What was measured of an assembly, with the plan made from it: for commands that only look. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As many ranks as the newest exploration had, or else the newest trial that came to its end. */
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
 * The calls of a wrapped program were measured whole however it ended; but where there are runs
 * that came to their end, their numbers of calls are the right ones.
 */
static void accept_ended_by_signal(struct portolan_sample_set *data)
{
    for (size_t i = 0; i < data->n_trials; i++)
        if (strcmp(data->trials[i].outcome, "failed") != 0)
            return;
    for (size_t i = 0; i < data->n_trials; i++)
        data->trials[i].outcome = "running";
}

static enum portolan_status read_data(struct study *s, int *ranks, struct portolan_error *err)
{
    const char *file = workbench_peek_store(&s->w);
    struct portolan_store_query query = {.assembly = s->w.assembly->name};
    struct portolan_store *store = NULL;
    enum portolan_status status;

    if (!file)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "'%s' has no Mastermind, so nothing of it is stored",
                                  s->w.assembly->file);
    status = portolan_store_open(file, PORTOLAN_STORE_READ, &store, err);
    if (status == PORTOLAN_OK)
        status = portolan_store_read(store, &query, true, &s->data, err);
    portolan_store_close(store);
    if (status == PORTOLAN_OK && s->data->n_trials == 0)
        status = portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                    "store '%s' has no trial of assembly '%s'; measure it with: "
                                    "mpiexec.mpich -n RANKS portolan measure %s",
                                    file, s->w.assembly->name, s->w.assembly->file);
    if (status == PORTOLAN_OK && s->w.store)
        accept_ended_by_signal(s->data);
    if (status == PORTOLAN_OK)
        *ranks = ranks_of(s->data);
    return status;
}

enum { OPTION_CONTEXT = 321 };

static const struct argp_option context_options[] = {
    {"context", OPTION_CONTEXT, "NAME=VALUE", 0, "calls will have this context", 0},
    {0},
};

static int add_context(struct assembly_options *o, const char *name, double value)
{
    double *more = portolan_reallocarray(o->contexts, o->n_contexts + 1, sizeof *more);

    if (!more)
        return ENOMEM;
    o->contexts = more;
    more[o->n_contexts] = value;
    return append_text(&o->context_names, &o->n_contexts, name);
}

static error_t parse_context(int key, char *arg, struct argp_state *state)
{
    char *equals = arg ? strchr(arg, '=') : NULL;
    double value;

    if (key == ARGP_KEY_INIT)
        state->child_inputs[0] = state->input;
    if (key != OPTION_CONTEXT)
        return ARGP_ERR_UNKNOWN;
    if (!equals || equals == arg || !portolan_read_double(equals + 1, &value)) {
        argp_error(state, "--context wants NAME=NUMBER, not '%s'", arg);
        return EINVAL;
    }
    *equals = '\0';
    return add_context(state->input, arg, value);
}

static const struct argp_child context_children[] = {{&assembly_argp, 0, NULL, 0}, {0}};
const struct argp study_argp = {
    .options = context_options, .parser = parse_context, .children = context_children};

static enum portolan_status make_plan(struct study *s, struct assembly_options *o, int ranks,
                                      struct portolan_error *err)
{
    const struct portolan_plan_options options = {.ranks = ranks,
                                                  .n_known = o->n_contexts,
                                                  .known_names = o->context_names,
                                                  .known_values = o->contexts};

    return portolan_plan_create(s->w.assembly, s->data, &options, &s->plan, err);
}

enum portolan_status study_open(struct study *s, struct assembly_options *o,
                                struct portolan_error *err)
{
    enum portolan_status status;
    int ranks = 0;

    *s = (struct study){.context_names = o->context_names, .contexts = o->contexts};
    status = is_store(o->file) ? workbench_open_store(&s->w, o, err)
                               : workbench_open(&s->w, o, true, err);
    if (status == PORTOLAN_OK)
        status = read_data(s, &ranks, err);
    if (status == PORTOLAN_OK)
        status = make_plan(s, o, ranks, err);
    if (status != PORTOLAN_OK)
        study_close(s);
    return status;
}

void study_close(struct study *s)
{
    portolan_plan_destroy(s->plan);
    portolan_sample_set_destroy(s->data);
    workbench_close(&s->w);
    free(s->context_names);
    free(s->contexts);
    *s = (struct study){0};
}

/* Both fill the same options. */
static error_t parse_none(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key == ARGP_KEY_INIT)
        state->child_inputs[0] = state->child_inputs[1] = state->input;
    return ARGP_ERR_UNKNOWN;
}

static const struct argp_child study_children[] = {
    {&assembly_argp, 0, NULL, 0}, {&trial_argp, 0, NULL, 0}, {0}};

int study_report(int argc, char **argv, const char *doc,
                 enum portolan_status (*report)(const struct portolan_plan *, char **,
                                                struct portolan_error *))
{
    const struct argp argp = {.args_doc = "ASSEMBLY.xml|STORE",
                              .doc = doc,
                              .parser = parse_none,
                              .children = study_children};
    struct assembly_options o = {0};
    struct portolan_error err = {0};
    struct study s;
    char *text = NULL;
    int result;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (study_open(&s, &o, &err) == PORTOLAN_OK && report(s.plan, &text, &err) == PORTOLAN_OK)
        result = write_text(NULL, text);
    else
        result = print_error(&err);
    free(text);
    study_close(&s);
    return result;
}
