/* SPDX-License-Identifier: BSD-3-Clause */
/* What was measured of an assembly, with the plan made from it: for commands that only look. */
#include "cli.h"

#include <portolan/machine.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

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
                                    "mpiexec." PORTOLAN_MPI " -n RANKS portolan measure %s",
                                    file, s->w.assembly->name, s->w.assembly->file);
    if (status == PORTOLAN_OK && s->w.store)
        accept_ended_by_signal(s->data);
    if (status == PORTOLAN_OK)
        *ranks = ranks_of(s->data);
    return status;
}

/* Behind why nothing is known: what would help. */
static void add_advice(const struct study *s, struct portolan_error *err)
{
    struct portolan_error why = *err;

    *err = (struct portolan_error){0};
    portolan_error_set(err, why.status,
                       "%s; measure it with: mpiexec." PORTOLAN_MPI " -n %d portolan measure %s",
                       why.text, s->options.ranks, s->w.assembly->file);
}

/* A component compiled anew is another build: those of the newest trial are today's. */
static enum portolan_status list_facts(struct study *s, struct portolan_error *err)
{
    const struct portolan_trial *newest = &s->data->trials[s->data->n_trials - 1];
    struct utsname u;
    size_t n = 0;

    if (!(s->facts = portolan_calloc(newest->n_metadata + 3, sizeof *s->facts)))
        return portolan_no_memory(err);
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
        if (!strncmp(newest->metadata[i].name, "compiled ", 9))
            s->facts[n++] = newest->metadata[i];
    s->options.n_facts = n;
    s->options.facts = s->facts;
    return PORTOLAN_OK;
}

enum portolan_status study_open(struct study *s, struct study_options *o, bool here,
                                struct portolan_error *err)
{
    enum portolan_status status;

    *s = (struct study){0};
    status = portolan_store_is_one(o->assembly.file)
                 ? workbench_open_store(&s->w, &o->assembly, err)
                 : workbench_open(&s->w, &o->assembly, true, err);
    if (status == PORTOLAN_ENOTFOUND) /* a name that is wrong: nothing that a trial would tell */
        err->status = status = PORTOLAN_EINVAL;
    if (status == PORTOLAN_OK)
        status = read_data(s, &s->options.ranks, err);
    if (status == PORTOLAN_OK && o->ranks)
        s->options.ranks = o->ranks;
    s->options.n_known = o->assembly.n_contexts;
    s->options.known_names = o->assembly.context_names;
    s->options.known_values = o->assembly.contexts;
    if (status == PORTOLAN_OK && here && !o->any_machine)
        status = list_facts(s, err);
    if (status == PORTOLAN_OK)
        status = portolan_plan_create(s->w.assembly, s->data, &s->options, &s->plan, err);
    if (status == PORTOLAN_ENOTFOUND && s->data && s->data->n_trials)
        add_advice(s, err);
    if (status != PORTOLAN_OK) {
        bool was_read = s->data;

        study_close(s);
        s->was_read = was_read;
    }
    return status;
}

int study_cannot_tell(const struct study *s, const struct portolan_error *err)
{
    if (!(s->data || s->was_read) ||
        (err->status != PORTOLAN_ENOTFOUND && err->status != PORTOLAN_EINFEASIBLE))
        return print_error(err);
    fprintf(stderr, "portolan: cannot tell: %s\n", err->text);
    return EXIT_CANNOT_TELL;
}

enum { OPTION_ANY_MACHINE = 500, OPTION_RANKS, OPTION_CONTEXT };

static const struct argp_option options[] = {
    {"any-machine", OPTION_ANY_MACHINE, NULL, 0, "use trials of other machines and builds as well",
     0},
    {"ranks", OPTION_RANKS, "N", 0, "on so many ranks; as were explored last unless said", 0},
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

static error_t parse_context(struct assembly_options *o, char *arg, struct argp_state *state)
{
    char *equals = strchr(arg, '=');
    double value;

    if (!equals || equals == arg || !portolan_read_double(equals + 1, &value)) {
        argp_error(state, "--context wants NAME=NUMBER, not '%s'", arg);
        return EINVAL;
    }
    *equals = '\0';
    return add_context(o, arg, value);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct study_options *o = state->input;
    int64_t n;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->assembly;
        return 0;
    case OPTION_CONTEXT:
        return parse_context(&o->assembly, arg, state);
    case OPTION_ANY_MACHINE:
        o->any_machine = true;
        return 0;
    case OPTION_RANKS:
        if (!portolan_read_int64(arg, &n) || n < 1 || n > INT32_MAX)
            argp_error(state, "--ranks wants a number of ranks, not '%s'", arg);
        o->ranks = (int)n;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child assembly_children[] = {{&assembly_argp, 0, NULL, 0}, {0}};
const struct argp study_argp = {
    .options = options, .parser = parse_option, .children = assembly_children};

void study_close(struct study *s)
{
    portolan_plan_destroy(s->plan);
    portolan_sample_set_destroy(s->data);
    workbench_close(&s->w);
    free(s->facts);
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
    struct study_options o = {0};
    struct portolan_error err = {0};
    struct study s;
    char *text = NULL;
    int result;

    argp_parse(&argp, argc, argv, 0, NULL, &o.assembly);
    if (study_open(&s, &o, false, &err) == PORTOLAN_OK &&
        report(s.plan, &text, &err) == PORTOLAN_OK)
        result = write_text(NULL, text);
    else
        result = print_error(&err);
    free(text);
    study_close(&s);
    return result;
}
