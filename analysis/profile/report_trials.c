/* SPDX-License-Identifier: BSD-3-Clause */
/* Which trials there are. */
#include "report.h"

#include <math.h>
#include <string.h>

static const char *outcome_of(const struct portolan_trial *t)
{
    return !strcmp(t->outcome, "running") ? "cut off" : t->outcome;
}

static void add_trial(const struct portolan_trial *t, bool rows, struct table *table)
{
    const char *label = portolan_profile_peek_fact(t, PORTOLAN_STORE_LABEL);
    const char *host = portolan_profile_peek_fact(t, "host");

    table_number(table, (double)t->id);
    table_text(table, t->assembly);
    table_text(table, t->purpose);
    table_number(table, t->ranks);
    table_text(table, t->started);
    table_text(table, outcome_of(t));
    table_number(table, t->elapsed_ns > 0 ? t->elapsed_ns : NAN);
    table_text(table, rows ? "rows" : "");
    table_text(table, host ? host : "");
    table_text(table, label ? label : "");
}

static void add_failures(const struct portolan_trial_list *list, struct portolan_text *out)
{
    for (size_t i = 0; i < list->n; i++) {
        const char *why = portolan_profile_peek_fact(list->trials[i], "failure");

        if (why)
            portolan_text_add(out, "trial %lld failed: %s\n", (long long)list->trials[i]->id, why);
    }
}

enum portolan_status portolan_trials_write(struct portolan_store *store,
                                           const struct portolan_trial_list *list, bool wide,
                                           struct portolan_text *out, struct portolan_error *err)
{
    static const struct column columns[] = {
        {"trial", COLUMN_COUNT}, {"name", COLUMN_NAME},    {"purpose", COLUMN_NAME},
        {"ranks", COLUMN_COUNT}, {"started", COLUMN_NAME}, {"outcome", COLUMN_NAME},
        {"time", COLUMN_TIME},   {"has", COLUMN_NAME},     {"host", COLUMN_NAME},
        {"label", COLUMN_NAME},
    };
    struct table t = {
        .columns = columns, .n_columns = sizeof columns / sizeof *columns, .wide = wide};
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; status == PORTOLAN_OK && i < list->n; i++) {
        bool rows;

        status = portolan_profile_has_rows(store, list->trials[i]->id, NULL, &rows, err);
        add_trial(list->trials[i], rows, &t);
    }
    if (status == PORTOLAN_OK && list->n == 0)
        portolan_text_add(out, "no trial is stored\n");
    else if (status == PORTOLAN_OK)
        table_write(&t, out);
    if (status == PORTOLAN_OK)
        add_failures(list, out);
    table_clear(&t);
    return status == PORTOLAN_OK && out->failed ? portolan_no_memory(err) : status;
}

static void write_pairs(const char *kind, const struct portolan_name_value *pairs, size_t n,
                        struct portolan_text *out)
{
    for (size_t i = 0; i < n; i++)
        portolan_text_add(out, "%s%s = %s\n", kind, pairs[i].name, pairs[i].value);
}

void portolan_trials_write_facts(const struct portolan_trial_list *list, struct portolan_text *out)
{
    char time[32];

    for (size_t i = 0; i < list->n; i++) {
        const struct portolan_trial *t = list->trials[i];

        portolan_text_add(
            out, "%strial %lld of '%s' (%s), %d rank%s, %s, %s%s%s\n", i ? "\n" : "",
            (long long)t->id, t->assembly, t->purpose, t->ranks, t->ranks == 1 ? "" : "s",
            t->started, outcome_of(t), t->elapsed_ns > 0 ? " after " : "",
            t->elapsed_ns > 0 ? portolan_format_time(t->elapsed_ns, 4, time, sizeof time) : "");
        write_pairs("parameter ", t->parameters, t->n_parameters, out);
        write_pairs("implementation ", t->implementations, t->n_implementations, out);
        write_pairs("", t->metadata, t->n_metadata, out);
    }
}

enum portolan_status portolan_trials_write_json(const struct portolan_trial_list *list,
                                                struct portolan_text *out,
                                                struct portolan_error *err)
{
    struct portolan_json j = {.out = out};

    profile_json_begin(&j, "trials", NULL);
    portolan_json_open(&j, "trials", '[');
    for (size_t i = 0; i < list->n; i++)
        profile_json_trial(&j, NULL, list->trials[i]);
    portolan_json_close(&j, ']');
    return profile_json_end(&j, err);
}
