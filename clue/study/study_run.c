/* SPDX-License-Identifier: BSD-3-Clause */
/* The runs of a study: each is a `portolan clue run` of its own, whose report says how long. */
#include <portolan/clue_study.h>
#include <portolan/command.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number(const json_t *report, const char *key, double otherwise)
{
    const json_t *j = json_object_get(report, key);

    return json_is_number(j) ? json_number_value(j) : otherwise;
}

/* Times and the network's part of the critical path from the report of a run. */
static enum portolan_status read_run(const char *file, struct clue_study_value *value,
                                     struct portolan_error *err)
{
    json_t *report = json_load_file(file, 0, NULL), *path;
    double ns = number(report, "virtual_ns", 0);

    value->value = ns * 1e-9;
    value->low = number(report, "low_ns", ns) * 1e-9;
    value->high = number(report, "high_ns", ns) * 1e-9;
    path = json_object_get(report, "critical_path");
    if (ns > 0)
        value->communication = fmin(1, number(path, "network_ns", 0) / ns);
    json_decref(report);
    return ns > 0 ? PORTOLAN_OK
                  : portolan_error_set(err, PORTOLAN_EFOREIGN, "the run reported no virtual time");
}

static bool add_words(struct portolan_arena *a, struct portolan_words *command,
                      const struct clue_study_runner *o, const struct clue_study_run *run,
                      const char *report)
{
    bool good =
        portolan_words_append(a, command,
                              PORTOLAN_WORDS(o->command, "clue", "run", "-m", run->machine, "-n",
                                             portolan_arena_printf(a, "%d", run->ranks),
                                             "--no-trial", "--quiet", "--json", report));

    for (size_t i = 0; i < o->n_options; i++)
        good = good &&
               portolan_words_add(a, command,
                                  portolan_arena_printf(
                                      a, "%s%s", *o->options[i] == '-' ? "" : "--", o->options[i]));
    if (!run->is_record)
        good = good && portolan_words_add(a, command, "--");
    for (size_t i = 0; i < run->n_words; i++)
        good = good && portolan_words_add(a, command, run->words[i]);
    return good;
}

/* The last line that a command wrote to FILE, for an error. */
static void add_last_line(struct portolan_arena *a, const char *file, struct portolan_error *err)
{
    const char *text = NULL;
    size_t size = 0, start;

    if (portolan_file_read(a, file, &text, &size, NULL) != PORTOLAN_OK)
        return;
    while (size && text[size - 1] == '\n')
        size--;
    for (start = size; start && text[start - 1] != '\n'; start--)
        ;
    if (size > start)
        portolan_error_prefix(err, "%.*s", (int)(size - start), text + start);
}

enum portolan_status clue_study_run_virtually(void *arg, const struct clue_study_run *run,
                                              struct clue_study_value *value,
                                              struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    struct portolan_words command = {0};
    const char *folder = portolan_temporary_folder(&arena, err);
    const char *report = folder ? portolan_arena_printf(&arena, "%s/report.json", folder) : NULL;
    const char *log = folder ? portolan_arena_printf(&arena, "%s/log", folder) : NULL;
    enum portolan_status status = report && log ? PORTOLAN_OK : portolan_no_memory(err);

    if (status == PORTOLAN_OK && !add_words(&arena, &command, arg, run, report))
        status = portolan_no_memory(err);
    if (status == PORTOLAN_OK &&
        (status = portolan_command_run(&arena, &command, log, err)) != PORTOLAN_OK)
        add_last_line(&arena, log, err);
    if (status == PORTOLAN_OK)
        status = read_run(report, value, err);
    if (folder)
        portolan_folder_remove(folder);
    portolan_arena_clear(&arena);
    return status;
}
