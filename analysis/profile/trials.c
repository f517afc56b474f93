/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects trials by number, name, label and other facts; writes them as text and JSON. */
#include "report.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool pair_matches(const struct portolan_name_value *pairs, size_t n, const char *key,
                         const char *pattern)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(pairs[i].name, key))
            return !fnmatch(pattern, pairs[i].value, 0);
    return false;
}

static bool fact_matches(const struct portolan_trial *t, const char *key, const char *pattern)
{
    return pair_matches(t->metadata, t->n_metadata, key, pattern) ||
           pair_matches(t->parameters, t->n_parameters, key, pattern) ||
           pair_matches(t->implementations, t->n_implementations, key, pattern);
}

static bool is_in_range(const struct portolan_trial *t, const char *text, bool *matches)
{
    const char *dash = strchr(text, '-');
    char low_text[32] = "";
    int64_t low, high;

    if (dash && (size_t)(dash - text) < sizeof low_text)
        memcpy(low_text, text, (size_t)(dash - text));
    if (dash ? !portolan_read_int64(low_text, &low) || !portolan_read_int64(dash + 1, &high)
             : !portolan_read_int64(text, &low))
        return false;
    *matches = t->id >= low && t->id <= (dash ? high : low);
    return true;
}

static bool has_key(const char *text, const char *key, const char **value)
{
    size_t length = strlen(key);

    if (strncmp(text, key, length) != 0 || text[length] != ':')
        return false;
    *value = text + length + 1;
    return true;
}

/* Whether a trial meets CONDITION, which is cut for a moment. */
static bool condition_holds(const struct portolan_trial *t, char *condition)
{
    const char *value;
    bool matches;
    char *equals;

    if (is_in_range(t, condition, &matches))
        return matches;
    if (has_key(condition, "name", &value))
        return !fnmatch(value, t->assembly, 0);
    if (has_key(condition, "label", &value))
        return fact_matches(t, PORTOLAN_STORE_LABEL, value);
    if (has_key(condition, "purpose", &value))
        return !fnmatch(value, t->purpose, 0);
    if (has_key(condition, "outcome", &value))
        return !fnmatch(value, t->outcome, 0);
    equals = strchr(condition, '=');
    if (!equals)
        return !fnmatch(condition, t->assembly, 0);
    *equals = '\0';
    matches = fact_matches(t, condition, equals + 1);
    *equals = '=';
    return matches;
}

/* The text before the next SEPARATOR, which is cut, as strsep() does; what follows a backslash is
 * no separator, and fnmatch() takes it as it is. */
static char *take_part(char **rest, char separator)
{
    char *part = *rest, *at = part;

    while (at && *at && *at != separator)
        at += at[0] == '\\' && at[1] ? 2 : 1;
    *rest = at && *at ? at + 1 : NULL;
    if (at)
        *at = '\0';
    return part;
}

static bool all_hold(const struct portolan_trial *t, char *alternative)
{
    bool hold = true;

    for (char *condition; hold && (condition = take_part(&alternative, '&'));)
        hold = condition_holds(t, condition);
    return hold;
}

static enum portolan_status add_matching(struct portolan_trial_list *l, const char *alternative,
                                         bool *chosen, struct portolan_error *err)
{
    size_t found = 0;

    for (size_t i = 0; i < l->set->n_trials; i++) {
        char *copy = portolan_strdup(alternative);

        if (!copy)
            return portolan_no_memory(err);
        if (all_hold(&l->set->trials[i], copy)) {
            chosen[i] = true;
            found++;
        }
        free(copy);
    }
    if (!found)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "no trial matches '%s'; portolan trials lists the trials",
                                  alternative);
    return PORTOLAN_OK;
}

static enum portolan_status choose_trials(struct portolan_trial_list *l, const char *text,
                                          bool *chosen, struct portolan_error *err)
{
    char *copy = portolan_strdup(text), *rest = copy;
    enum portolan_status status = copy ? PORTOLAN_OK : portolan_no_memory(err);

    for (char *item; status == PORTOLAN_OK && (item = take_part(&rest, ','));)
        status = *item ? add_matching(l, item, chosen, err)
                       : portolan_error_set(err, PORTOLAN_EINVAL,
                                            "'%s' has an empty part between commas", text);
    free(copy);
    return status;
}

enum portolan_status portolan_trials_select(struct portolan_store *store, const char *text,
                                            struct portolan_trial_list *l,
                                            struct portolan_error *err)
{
    enum portolan_status status;
    bool *chosen = NULL;

    *l = (struct portolan_trial_list){0};
    status = portolan_store_read(store, NULL, false, &l->set, err);
    if (status != PORTOLAN_OK)
        return status;
    chosen = portolan_calloc(l->set->n_trials + 1, sizeof *chosen);
    l->trials = portolan_calloc(l->set->n_trials + 1, sizeof *l->trials);
    if (!chosen || !l->trials)
        status = portolan_no_memory(err);
    else if (text)
        status = choose_trials(l, text, chosen, err);
    for (size_t i = 0; status == PORTOLAN_OK && i < l->set->n_trials; i++)
        if (!text || chosen[i])
            l->trials[l->n++] = &l->set->trials[i];
    free(chosen);
    if (status != PORTOLAN_OK)
        portolan_trials_clear(l);
    return status;
}

/* NULL: the trial ran on a real one. */
static const char *virtual_machine(const struct portolan_trial *t)
{
    return portolan_profile_peek_fact(t, PORTOLAN_STORE_VIRTUAL);
}

void portolan_trials_keep_one_machine(struct portolan_trial_list *l, struct portolan_text *note)
{
    const char *kept = l->n ? virtual_machine(l->trials[l->n - 1]) : NULL, *other = NULL;
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++)
        kept = virtual_machine(l->trials[i]) ? kept : NULL;
    for (size_t i = 0; i < l->n; i++) {
        const char *machine = virtual_machine(l->trials[i]);

        if (!machine == !kept && (!kept || !strcmp(machine, kept)))
            l->trials[n++] = l->trials[i];
        else
            other = machine;
    }
    if (n < l->n)
        portolan_text_add(note,
                          "%zu trial%s left out, whose time is that of a virtual machine (the "
                          "trials '%s=%s' are some)",
                          l->n - n, l->n - n == 1 ? " is" : "s are", PORTOLAN_STORE_VIRTUAL, other);
    l->n = n;
}

void portolan_trials_clear(struct portolan_trial_list *l)
{
    portolan_sample_set_destroy(l->set);
    free(l->trials);
    *l = (struct portolan_trial_list){0};
}

/* ------------------------------------------------- parameters */

static const char ranks[] = "ranks";

bool portolan_trial_number(const struct portolan_trial *t, const char *parameter, double *number)
{
    for (size_t i = 0; i < t->n_parameters; i++)
        if (!strcmp(t->parameters[i].name, parameter))
            return portolan_read_double(t->parameters[i].value, number) && isfinite(*number);
    *number = t->ranks;
    return !strcmp(parameter, ranks);
}

/* Whether a parameter is a number in every trial, and not the same in all. */
static bool parameter_differs(const struct portolan_trial *const *trials, size_t n,
                              const char *parameter)
{
    double first = 0, value;
    bool differs = false;

    for (size_t i = 0; i < n; i++) {
        if (!portolan_trial_number(trials[i], parameter, &value))
            return false;
        first = i ? first : value;
        differs = differs || value != first;
    }
    return differs;
}

size_t portolan_trials_differ_in(const struct portolan_trial *const *trials, size_t n,
                                 const char **names, size_t most)
{
    size_t found = 0;

    for (size_t i = 0; n && i <= trials[0]->n_parameters; i++) {
        bool is_last = i == trials[0]->n_parameters;
        const char *name = is_last ? ranks : trials[0]->parameters[i].name;

        if ((!is_last && !strcmp(name, ranks)) || !parameter_differs(trials, n, name))
            continue;
        if (found < most)
            names[found] = name;
        found++;
    }
    return found;
}

/* ------------------------------------------------- trials as text and JSON */

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
    const char *label = portolan_profile_peek_fact(t, PORTOLAN_STORE_LABEL);
    const char *host = portolan_profile_peek_fact(t, "host");

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
        const char *why = portolan_profile_peek_fact(list->trials[i], "failure");

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
