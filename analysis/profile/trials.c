/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes trials as text and JSON. */
#include "report.h"

#include <math.h>
#include <string.h>

static const char *outcome_of(const struct portolan_trial *t)
{
    return !strcmp(t->outcome, "running") ? "cut off" : t->outcome;
}

static void add_spent(const struct portolan_trial *t, struct grid *table)
{
    struct portolan_spent s;

    if (portolan_trial_read_spent(t, &s)) {
        grid_number(table, s.wall_ns);
        grid_format(table, "%.2g %%", 100 * s.overhead_ns / s.wall_ns);
    } else {
        grid_number(table, NAN);
        grid_text(table, "");
    }
}

static void add_trial(const struct portolan_trial *t, bool rows, struct grid *table)
{
    const char *label = portolan_trial_peek_fact(t, PORTOLAN_STORE_LABEL);
    const char *host = portolan_trial_peek_fact(t, "host");

    grid_number(table, (double)t->id);
    grid_text(table, t->assembly);
    grid_text(table, t->purpose);
    grid_number(table, t->ranks);
    grid_text(table, t->started);
    grid_text(table, outcome_of(t));
    grid_number(table, t->elapsed_ns > 0 ? t->elapsed_ns : NAN);
    add_spent(t, table);
    grid_text(table, rows ? "rows" : "");
    grid_text(table, host ? host : "");
    grid_text(table, label ? label : "");
}

static void add_failures(const struct portolan_trial_list *list, struct portolan_text *out)
{
    for (size_t i = 0; i < list->n; i++) {
        const char *why = portolan_trial_peek_fact(list->trials[i], "failure");

        if (why)
            portolan_text_add(out, "trial %lld failed: %s\n", (long long)list->trials[i]->id, why);
    }
}

enum portolan_status portolan_trials_write(struct portolan_store *store,
                                           const struct portolan_trial_list *list, bool wide,
                                           struct portolan_text *out, struct portolan_error *err)
{
    static const struct grid_column columns[] = {
        {"trial", GRID_COUNT}, {"name", GRID_NAME},    {"purpose", GRID_NAME},
        {"ranks", GRID_COUNT}, {"started", GRID_NAME}, {"outcome", GRID_NAME},
        {"time", GRID_TIME},   {"wall", GRID_TIME},    {"overhead", GRID_TEXT},
        {"has", GRID_NAME},    {"host", GRID_NAME},    {"label", GRID_NAME},
    };
    struct grid t = {
        .columns = columns, .n_columns = sizeof columns / sizeof *columns, .wide = wide};
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; status == PORTOLAN_OK && i < list->n; i++) {
        bool rows;

        status = portolan_profile_has_rows(store, list->trials[i]->id, NULL, &rows, err);
        add_trial(list->trials[i], rows, &t);
    }
    if (status == PORTOLAN_OK && list->n == 0)
        portolan_text_add(out, "the store has no trials\n");
    else if (status == PORTOLAN_OK)
        grid_write(&t, out);
    if (status == PORTOLAN_OK)
        add_failures(list, out);
    grid_clear(&t);
    return status == PORTOLAN_OK && out->failed ? portolan_no_memory(err) : status;
}

static void write_pairs(const char *kind, const struct portolan_name_value *pairs, size_t n,
                        struct portolan_text *out)
{
    for (size_t i = 0; i < n; i++)
        portolan_text_add(out, "%s%s = %s\n", kind, pairs[i].name, pairs[i].value);
}

static void write_spent(const struct portolan_trial *t, struct portolan_text *out)
{
    struct portolan_spent s;

    if (!portolan_trial_read_spent(t, &s))
        return;
    portolan_spent_add(&s, out);
    portolan_text_add(out, "\n");
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
        write_spent(t, out);
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
