/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicted compared with measured, also for each fixed assembly. */
#include "virtual_trials.h"

#include <portolan/mastermind.h>
#include <portolan/profile.h>
#include <portolan/wrap.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static const double s_per_ns = 1e-9;

struct report {
    const struct portolan_assembly *assembly;
    char *machine; /* a virtual one's name, or NULL */
    struct portolan_store *store;
    struct portolan_sample_set *runs, *fixed, *explored; /* without samples */
};

static enum portolan_status read_trials(struct report *r, const char *purpose,
                                        struct portolan_sample_set **set,
                                        struct portolan_error *err)
{
    struct portolan_store_query query = {.assembly = r->assembly->name, .purpose = purpose};

    enum portolan_status status = portolan_store_read(r->store, &query, false, set, err);

    if (!status)
        trials_keep_those_of(*set, r->machine);
    return status;
}

static bool counts(const struct report *r, const struct portolan_trial *t)
{
    return !strcmp(t->outcome, "finished") && trial_has_parameters(t, r->assembly);
}

static double explored_s(const struct report *r)
{
    double ns = 0;

    for (size_t i = 0; i < r->explored->n_trials; i++)
        ns += r->explored->trials[i].elapsed_ns;
    return ns * s_per_ns;
}

static const char *peek_class(const struct portolan_trial *t, const char *instance)
{
    for (size_t i = 0; i < t->n_implementations; i++)
        if (!strcmp(t->implementations[i].name, instance))
            return t->implementations[i].value;
    return "?";
}

static void print_choice(const struct portolan_assembly *a, const struct portolan_trial *t)
{
    for (size_t i = 0; i < a->n_instances; i++)
        if (a->instances[i].n_alternatives > 1)
            printf(" %s=%s", a->instances[i].name, peek_class(t, a->instances[i].name));
    printf("\n");
}

/* The newest run with the assembly's present parameters. */
static const struct portolan_trial *peek_run(const struct report *r)
{
    for (size_t i = r->runs->n_trials; i-- > 0;)
        if (counts(r, &r->runs->trials[i]))
            return &r->runs->trials[i];
    return NULL;
}

/* On a virtual machine only fixed assemblies run: the fastest. */
static const struct portolan_trial *peek_fastest(const struct report *r)
{
    const struct portolan_trial *best = NULL;

    for (size_t i = 0; i < r->fixed->n_trials; i++)
        if (counts(r, &r->fixed->trials[i]) &&
            (!best || r->fixed->trials[i].elapsed_ns < best->elapsed_ns))
            best = &r->fixed->trials[i];
    return best;
}

/* The decision of the run, or else an earlier one for these parameters on this machine. */
static enum portolan_status find_decision(const struct report *r, const struct portolan_trial *run,
                                          struct portolan_decision **d, struct portolan_error *err)
{
    enum portolan_status status = portolan_store_find_trial_decision(r->store, run->id, d, err);
    struct utsname host;
    char *parameters = NULL;

    if (status != PORTOLAN_OK || *d || uname(&host))
        return status;
    status = portolan_plan_write_parameters(r->assembly, &parameters, err);
    if (status == PORTOLAN_OK)
        status = portolan_store_find_decision(r->store, r->assembly->name, parameters,
                                              host.nodename, run->ranks, d, err);
    free(parameters);
    return status;
}

/* A time that the run's Optimizer noted, in seconds; 0: none. */
static double fact_s(const struct portolan_trial *run, const char *name)
{
    double ns = 0;

    portolan_read_double(portolan_profile_peek_fact(run, name), &ns);
    return ns * s_per_ns;
}

static void print_facts(const struct portolan_trial *run)
{
    double foretold = fact_s(run, PORTOLAN_FACT_FORETOLD);
    double deciding = fact_s(run, PORTOLAN_FACT_DECIDING);

    if (foretold > 0)
        printf(
            "            %8.3f s  predicted step by step, with what the run announced (%+.1f %%)\n",
            foretold, 100 * (run->elapsed_ns * s_per_ns / foretold - 1));
    if (deciding > 0)
        printf("deciding    %8.3f s  at swap points, in addition to the run's time\n", deciding);
}

static enum portolan_status print_prediction(const struct report *r,
                                             const struct portolan_trial *run,
                                             struct portolan_error *err)
{
    struct portolan_decision *d = NULL;
    enum portolan_status status = find_decision(r, run, &d, err);

    if (status != PORTOLAN_OK || !d || !(d->predicted_ns > 0)) {
        if (status == PORTOLAN_OK)
            printf("predicted   nothing: %s\n",
                   d && d->reason && *d->reason ? d->reason : "no decision was made");
        portolan_decision_destroy(d);
        return status;
    }
    printf("predicted   %8.3f s  (%.3f ... %.3f s) with %s\n", d->predicted_ns * s_per_ns,
           d->low_ns * s_per_ns, d->high_ns * s_per_ns, d->choice);
    if (d->trial != run->id)
        printf("                        decided in run %lld, %s\n", (long long)d->trial,
               d->decided);
    printf("measured    %8.3f s  (%+.1f %% against the prediction)\n", run->elapsed_ns * s_per_ns,
           100 * (run->elapsed_ns / d->predicted_ns - 1));
    portolan_decision_destroy(d);
    return PORTOLAN_OK;
}

/* Reports steps with partly disabled measurement, which must not pass for complete. */
static void print_partial(const struct report *r, const struct portolan_trial *run)
{
    static const char gap[] = "not always measured: ";
    size_t explored = 0;

    for (size_t i = 0; i < r->explored->n_trials; i++)
        explored += r->explored->trials[i].n_partial;
    if (run->n_partial)
        printf("in part     %8zu steps of the run were not measured whole: no model is of them\n",
               run->n_partial);
    for (size_t i = 0; i < run->n_metadata; i++)
        if (!strncmp(run->metadata[i].name, gap, sizeof gap - 1))
            printf("            %s: %s\n", run->metadata[i].name + sizeof gap - 1,
                   run->metadata[i].value);
    if (explored)
        printf("in part     %8zu steps of the exploration\n", explored);
}

static void print_cost(const struct portolan_trial *run)
{
    struct portolan_text text = {0};

    portolan_profile_add_cost(run, &text);
    printf("%s\n", text.bytes ? text.bytes : "");
    portolan_text_clear(&text);
}

static int by_elapsed(const void *a, const void *b)
{
    const struct portolan_trial *const *ta = a, *const *tb = b;

    return ((*ta)->elapsed_ns > (*tb)->elapsed_ns) - ((*ta)->elapsed_ns < (*tb)->elapsed_ns);
}

static void print_fixed(const struct report *r, const struct portolan_trial *run)
{
    const struct portolan_trial **sorted = portolan_calloc(r->fixed->n_trials + 1, sizeof *sorted);
    double total_s = run->elapsed_ns * s_per_ns + explored_s(r);
    size_t n = 0;

    for (size_t i = 0; sorted && i < r->fixed->n_trials; i++)
        if (counts(r, &r->fixed->trials[i]) && !r->fixed->trials[i].n_partial)
            sorted[n++] = &r->fixed->trials[i];
    if (n == 0) {
        printf("no fixed assembly was run; do so with: portolan measure --all-fixed\n");
        free(sorted);
        return;
    }
    qsort(sorted, n, sizeof *sorted, by_elapsed);
    printf("\nfixed assemblies, measured   ratio to run ratio to total\n");
    for (size_t i = 0; i < n; i++) {
        double s = sorted[i]->elapsed_ns * s_per_ns;

        printf("  %12.3f s              %6.2f x       %6.2f x  ", s,
               s / (run->elapsed_ns * s_per_ns), s / total_s);
        print_choice(r->assembly, sorted[i]);
    }
    free(sorted);
}

static enum portolan_status print_report(struct report *r, struct portolan_error *err)
{
    const struct portolan_trial *run;
    enum portolan_status status = read_trials(r, "run", &r->runs, err);

    if (status == PORTOLAN_OK)
        status = read_trials(r, "fixed", &r->fixed, err);
    if (status == PORTOLAN_OK)
        status = read_trials(r, "explore", &r->explored, err);
    if (status != PORTOLAN_OK)
        return status;
    run = r->machine ? peek_fastest(r) : peek_run(r);
    if (!run && r->machine)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "no fixed assembly of '%s' ran on '%s'; run them with: portolan "
                                  "measure --machine FILE -n RANKS --all-fixed %s",
                                  r->assembly->name, r->machine, r->assembly->file);
    if (!run)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "no finished run of '%s' with these parameters is stored; run it "
                                  "with: mpiexec." PORTOLAN_MPI " -n RANKS portolan run %s",
                                  r->assembly->name, r->assembly->file);
    printf("run %lld of assembly '%s' on %d ranks, %s\n", (long long)run->id, r->assembly->name,
           run->ranks, run->started);
    print_cost(run);
    status = print_prediction(r, run, err);
    if (status != PORTOLAN_OK)
        return status;
    print_facts(run);
    printf("exploration %8.3f s  in %zu trials\n", explored_s(r), r->explored->n_trials);
    printf("total       %8.3f s  exploration and run\n",
           explored_s(r) + run->elapsed_ns * s_per_ns);
    print_partial(r, run);
    print_fixed(r, run);
    return PORTOLAN_OK;
}

/* For a wrapped program: compares its libraries. */
static int report_store(const struct assembly_options *o)
{
    struct portolan_sample_set *data = NULL;
    struct portolan_store *store = NULL;
    struct portolan_error err = {0};
    struct workbench w;
    char *text = NULL;
    int result;

    if (workbench_open_store(&w, o, &err) != PORTOLAN_OK)
        return print_error(&err);
    if (portolan_store_open(o->file, PORTOLAN_STORE_READ, &store, &err) == PORTOLAN_OK) {
        struct portolan_store_query query = {.assembly = w.assembly->name};

        if (portolan_store_read(store, &query, true, &data, &err) == PORTOLAN_OK)
            portolan_wrap_compare(data, &text, &err);
    }
    result = text ? write_text(NULL, text) : print_error(&err);
    if (text && data->n_trials)
        print_cost(&data->trials[data->n_trials - 1]);
    free(text);
    portolan_sample_set_destroy(data);
    portolan_store_close(store);
    workbench_close(&w);
    return result;
}

struct report_options {
    struct assembly_options assembly;
    const char *machine;
};

static error_t check_machine(void *to, char *arg, const struct cli_option *option,
                             struct argp_state *state)
{
    const struct report_options *o = to;

    (void)arg, (void)option;
    if (o->machine && o->assembly.file && portolan_store_is_one(o->assembly.file))
        argp_error(state,
                   "--machine goes with an assembly: '%s' is the store of a wrapped program, whose "
                   "trials are of real machines",
                   o->assembly.file);
    return 0;
}

static const struct cli_option report_table[] = {
    {"machine", 'm', "FILE", "of the virtual machine of this file, portolan-machine(5)",
     INTO(struct report_options, machine)},
    {.key = CLI_END, .take = check_machine},
    TABLE_OF(of_trials_table, struct report_options, assembly),
    {0},
};

int command_report(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "ASSEMBLY.xml|STORE",
        .doc = "Compare the newest run with what was predicted and with each fixed assembly; of a "
               "wrapped program's store, libraries with each other.",
        .options = report_table,
    };
    struct report_options all = {0};
    struct assembly_options o;
    struct portolan_error err = {0};
    struct workbench w;
    struct report r = {0};
    const char *file;

    parse_line(&line, argc, argv, 0, &all);
    o = all.assembly;
    if (all.machine && virtual_machine_name(all.machine, &r.machine, &err))
        return print_error(&err);
    if (portolan_store_is_one(o.file))
        return report_store(&o);
    if (workbench_open(&w, &o, true, &err) != PORTOLAN_OK)
        return print_error(&err);
    r.assembly = w.assembly;
    file = workbench_peek_store(&w);
    if (!file)
        portolan_error_set(&err, PORTOLAN_ENOTFOUND, "'%s' has no Mastermind: nothing is stored",
                           o.file);
    else if (portolan_store_open(file, PORTOLAN_STORE_READ, &r.store, &err) == PORTOLAN_OK)
        print_report(&r, &err);
    portolan_sample_set_destroy(r.runs);
    portolan_sample_set_destroy(r.fixed);
    portolan_sample_set_destroy(r.explored);
    portolan_store_close(r.store);
    workbench_close(&w);
    free(r.machine);
    return err.status == PORTOLAN_OK ? 0 : print_error(&err);
}
