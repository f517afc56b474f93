/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of hyperfine (https://github.com/sharkdp/hyperfine) as trials, and trials in its form. */
#include "trial.h"

#include <portolan/json.h>
#include <portolan/options.h>
#include <portolan/store.h>
#include <portolan/trials.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ reading */

/* Offers the combination of RESULT's parameters, or the one with its command, and selects it;
 * false: it is none of A's. */
static bool select_result(struct portolan_assembly *a, const json_t *result)
{
    const json_t *parameters = json_object_get(result, "parameters");
    const char *command = json_string_value(json_object_get(result, "command"));
    struct portolan_arena arena = {0};
    struct portolan_text t = {.arena = &arena};
    struct portolan_assembly_instance *i = a->instances;
    size_t k = 0;

    for (size_t p = 0; p < a->program->n_options; p++) {
        const char *name = a->program->options[p].name;
        const char *value = json_string_value(json_object_get(parameters, name));

        if (value)
            portolan_text_add(&t, "%s%s=%s", t.length ? " " : "", name, value);
    }
    for (size_t p = 0; p + 1 < i->alternatives[0].n_parameters; p++) {
        const char *name = i->alternatives[0].parameters[p].name;
        const char *value = json_string_value(json_object_get(parameters, name));

        if (value)
            portolan_assembly_set(a, i->name, name, value, NULL);
    }
    if (t.length)
        portolan_options_offer(a, t.bytes, NULL);
    while (k < i->n_alternatives && (t.length ? strcmp(i->alternatives[k].class_name, t.bytes)
                                              : strcmp(tune_command_line(a, k, &arena), command)))
        k++;
    portolan_arena_clear(&arena);
    if (k < i->n_alternatives)
        i->selected = k;
    return k < i->n_alternatives;
}

static enum portolan_status keep_result(struct tune_session *s, const json_t *result, size_t *n,
                                        struct portolan_error *err)
{
    const json_t *times = json_object_get(result, "times");
    const json_t *codes = json_object_get(result, "exit_codes");
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; !status && i < json_array_size(times); i++) {
        const json_t *code = json_array_get(codes, i);
        struct portolan_usage usage = {
            .elapsed_s = json_number_value(json_array_get(times, i)),
            .status = code && !json_is_integer(code) ? -1 : (int)json_integer_value(code)};

        if (!(usage.elapsed_s > 0))
            continue;
        status = trial_keep(s, &usage, err);
        *n += !status;
    }
    return status;
}

enum portolan_status tune_read_hyperfine(struct tune_session *s, struct portolan_assembly *a,
                                         const char *file, size_t *n, struct portolan_error *err)
{
    json_error_t where;
    json_t *root = json_load_file(file, 0, &where);
    const json_t *results = json_object_get(root, "results");
    enum portolan_status status = PORTOLAN_OK;
    bool is_race, grew;

    *n = 0;
    if (!root)
        return portolan_error_set(err, PORTOLAN_ESYNTAX, "%s:%d: %s", file,
                                  where.line > 0 ? where.line : 1, where.text);
    if (!json_is_array(results))
        status = portolan_error_set(err, PORTOLAN_ESYNTAX,
                                    "%s:1: there are no \"results\"; write the file by "
                                    "hyperfine --export-json",
                                    file);
    else if (a->program->accuracy.regex || a->program->time.regex || a->program->n_contexts)
        status = portolan_error_set(err, PORTOLAN_EINVAL,
                                    "%s:1: its results have wall times, but not the numbers "
                                    "that are looked for in the output",
                                    file);
    if (!status)
        status = tune_offer(a, NULL, &is_race, &grew, err);
    for (size_t i = 0; !status && i < json_array_size(results); i++)
        if (select_result(a, json_array_get(results, i)))
            status = keep_result(s, json_array_get(results, i), n, err);
    if (!status && !*n)
        status = portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                    "%s:1: no result is of this command line; parameters "
                                    "(-L) have to have the names and values of its options",
                                    file);
    json_decref(root);
    return status;
}

/* ------------------------------------------------------------------ writing */

static bool is_same(const struct portolan_trial *x, const struct portolan_trial *y)
{
    bool same = x->n_parameters == y->n_parameters && x->n_implementations &&
                y->n_implementations &&
                !strcmp(x->implementations[0].value, y->implementations[0].value);

    for (size_t i = 0; same && i < x->n_parameters; i++)
        same = !strcmp(x->parameters[i].value, y->parameters[i].value);
    return same;
}

/* The command of T's combination and parameters, which A gets. */
static const char *command_of(struct portolan_assembly *a, const struct portolan_trial *t,
                              struct portolan_arena *arena)
{
    const struct portolan_assembly_instance *i = a->instances;
    size_t length = strlen(i->name), k = 0;

    for (size_t p = 0; p < t->n_parameters; p++)
        if (!strncmp(t->parameters[p].name, i->name, length) &&
            strcmp(t->parameters[p].name + length, ".command") != 0)
            portolan_assembly_set(a, i->name, t->parameters[p].name + length + 1,
                                  t->parameters[p].value, NULL);
    while (k < i->n_alternatives &&
           strcmp(i->alternatives[k].class_name, t->implementations[0].value) != 0)
        k++;
    return k < i->n_alternatives ? tune_command_line(a, k, arena) : NULL;
}

static void write_parameters(struct portolan_json *j, const struct portolan_assembly *a,
                             const struct portolan_trial *t, struct portolan_arena *arena)
{
    const struct portolan_assembly_alternative *x = a->instances[0].alternatives;
    char *rest = portolan_arena_strdup(arena, t->implementations[0].value), *word;

    portolan_json_open(j, "parameters", '{');
    for (size_t p = 0; p + 1 < x->n_parameters; p++)
        portolan_json_text(j, x->parameters[p].name, x->parameters[p].text);
    while ((word = strsep(&rest, " "))) {
        char *equals = strchr(word, '=');

        if (equals) {
            *equals = '\0';
            portolan_json_text(j, word, equals + 1);
        }
    }
    portolan_json_close(j, '}');
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* One result: the trials that are as FIRST. */
static void write_result(struct portolan_json *j, const struct portolan_sample_set *set,
                         size_t first, double *times)
{
    double sum = 0, squares = 0;
    size_t n = 0;

    portolan_json_open(j, "times", '[');
    for (size_t i = first; i < set->n_trials; i++)
        if (is_same(&set->trials[first], &set->trials[i])) {
            times[n] = 1e-9 * set->trials[i].elapsed_ns;
            portolan_json_number(j, NULL, times[n]);
            sum += times[n++];
        }
    portolan_json_close(j, ']');
    portolan_json_open(j, "exit_codes", '[');
    for (size_t i = first; i < set->n_trials; i++)
        if (is_same(&set->trials[first], &set->trials[i])) {
            const char *code = portolan_trial_peek_fact(&set->trials[i], "exit status");

            portolan_json_number(j, NULL, code && *code != '-' ? strtod(code, NULL) : NAN);
        }
    portolan_json_close(j, ']');
    for (size_t i = 0; i < n; i++)
        squares += (times[i] - sum / (double)n) * (times[i] - sum / (double)n);
    qsort(times, n, sizeof *times, compare_numbers);
    portolan_json_number(j, "mean", sum / (double)n);
    portolan_json_number(j, "stddev", n > 1 ? sqrt(squares / (double)(n - 1)) : NAN);
    portolan_json_number(j, "median", (times[(n - 1) / 2] + times[n / 2]) / 2);
    portolan_json_number(j, "min", times[0]);
    portolan_json_number(j, "max", times[n - 1]);
}

static enum portolan_status write_results(struct portolan_assembly *a,
                                          const struct portolan_sample_set *set,
                                          struct portolan_text *out, struct portolan_error *err)
{
    struct portolan_json j = {.out = out};
    struct portolan_arena arena = {0};
    double *times = portolan_calloc(set->n_trials + 1, sizeof *times);

    portolan_json_open(&j, NULL, '{');
    portolan_json_open(&j, "results", '[');
    for (size_t i = 0; times && i < set->n_trials; i++) {
        const struct portolan_trial *t = &set->trials[i];
        const char *command = t->n_implementations ? command_of(a, t, &arena) : NULL;
        size_t k = 0;

        while (k < i && !is_same(&set->trials[k], t))
            k++;
        if (!command || k < i)
            continue;
        portolan_json_open(&j, NULL, '{');
        portolan_json_text(&j, "command", command);
        write_result(&j, set, i, times);
        write_parameters(&j, a, t, &arena);
        portolan_json_close(&j, '}');
    }
    portolan_json_close(&j, ']');
    portolan_json_close(&j, '}');
    portolan_arena_clear(&arena);
    free(times);
    return times && !out->failed ? PORTOLAN_OK : portolan_no_memory(err);
}

enum portolan_status tune_write_hyperfine(struct portolan_assembly *a, const char *path,
                                          struct portolan_text *out, struct portolan_error *err)
{
    struct portolan_store_query query = {.assembly = a->name};
    struct portolan_sample_set *set = NULL;
    struct portolan_store *store;
    enum portolan_status status = portolan_store_open(path, PORTOLAN_STORE_READ, &store, err);

    if (!status)
        status = portolan_store_read(store, &query, false, &set, err);
    if (!status)
        status = tune_offer_measured(a, set, err);
    if (!status)
        status = write_results(a, set, out, err);
    portolan_sample_set_destroy(set);
    portolan_store_close(store);
    return status;
}
