/* SPDX-License-Identifier: BSD-3-Clause */
/* What a store says of a program without an assembly file: its options, libraries or candidates. */
#include <portolan/explain.h>
#include <portolan/report_source.h>
#include <portolan/trial_store.h>
#include <portolan/tune.h>
#include <portolan/wrap.h>

#include <stdlib.h>

/* Adds the decisions of the newest trial, if it decided itself. */
static enum portolan_status add_decisions(struct portolan_store *store,
                                          const struct portolan_trial *newest,
                                          struct portolan_text *out, struct portolan_error *err)
{
    struct portolan_reason_set *set = NULL;
    enum portolan_status status = portolan_store_read_reasons(store, newest->id, &set, err);

    if (status == PORTOLAN_OK && set->n_reasons) {
        portolan_text_add(out, "\nchosen: %s\n", set->reasons[set->n_reasons - 1].choice);
        portolan_explain_run(&(struct portolan_explained){newest, set, out});
    }
    portolan_reason_set_destroy(set);
    return status;
}

static enum portolan_status compare_trials(struct portolan_store *store,
                                           struct portolan_assembly *a, int columns,
                                           struct portolan_text *out, struct portolan_error *err)
{
    struct portolan_store_query query = {.assembly = a->name};
    struct portolan_sample_set *data = NULL;
    struct portolan_spent spent;
    enum portolan_status status = portolan_store_read(store, &query, true, &data, err);
    char *table = NULL;

    if (status == PORTOLAN_OK && a->program)
        status = tune_explain(a, data, out, err);
    else if (status == PORTOLAN_OK)
        status = portolan_wrap_compare(data, &table, err);
    if (status == PORTOLAN_OK && data->n_trials && table) {
        const struct portolan_trial *newest = &data->trials[data->n_trials - 1];

        portolan_text_add(out, "%s", table);
        portolan_profile_add_cost(newest, out);
        portolan_text_add(out, "\n");
        if (portolan_trial_read_spent(newest, &spent)) {
            portolan_text_add(out, "trial %lld: ", (long long)newest->id);
            portolan_spent_add(&spent, out);
            portolan_text_add(out, "\n");
        }
        status = add_decisions(store, newest, out, err);
        if (status == PORTOLAN_OK && columns)
            status = portolan_report_add_bars(store, newest->id, columns, out, err);
    }
    free(table);
    portolan_sample_set_destroy(data);
    return status;
}

enum portolan_status report_store_text(struct assembly_options *o, int columns,
                                       struct portolan_text *out, struct portolan_error *err)
{
    struct portolan_store *store = NULL;
    struct workbench w;
    enum portolan_status status = workbench_open_store(&w, o, err);

    if (status)
        return status;
    status = portolan_store_open(o->file, PORTOLAN_STORE_READ, &store, err);
    if (!status)
        status = compare_trials(store, w.assembly, columns, out, err);
    portolan_store_close(store);
    workbench_close(&w);
    return status;
}
