/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects trials by number, name, label and other facts; finds the parameters in which they differ.
 */
#include <portolan/trials.h>

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

/* Returns whether a trial meets CONDITION, which is cut for a moment. */
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

/* Returns whether a parameter is a number in every trial, and not the same in all. */
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
