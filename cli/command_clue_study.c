/* SPDX-License-Identifier: BSD-3-Clause */
/* `portolan clue study`: which cluster to buy. */
#include "clue.h"

#include <portolan/clue_study.h>
#include <portolan/command.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct study_command_options {
    const char *file, *picture;
    size_t n_run_words;
    const char **run_words;
    bool json;
};

static const struct cli_option study_command_table[] = {
    {"output", 'o', "FILE", "draw time over price, with the Pareto front (.svg or .gp)",
     INTO(struct study_command_options, picture)},
    {"json", 'j', NULL, "print everything as JSON", INTO(struct study_command_options, json)},
    {"run", 'r', "OPTION",
     "pass this option to `portolan clue run`, for instance compute=none; may be repeated",
     INTO_LIST(struct study_command_options, run_words, n_run_words)},
    {NULL, CLI_WORD, NULL, "only one study can be made", INTO(struct study_command_options, file)},
    {NULL, CLI_END, NULL, "the file of a study is missing",
     INTO(struct study_command_options, file)},
    {0},
};

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
                      const struct study_command_options *o, const struct clue_study_run *run,
                      const char *report)
{
    char program[4096];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    bool good;

    program[n > 0 ? n : 0] = '\0';
    good =
        n > 0 && portolan_words_append(a, command,
                                       PORTOLAN_WORDS(portolan_arena_strdup(a, program), "clue",
                                                      "run", "-m", run->machine, "-n",
                                                      portolan_arena_printf(a, "%d", run->ranks),
                                                      "--no-trial", "--quiet", "--json", report));
    for (size_t i = 0; i < o->n_run_words; i++)
        good = good && portolan_words_add(a, command,
                                          portolan_arena_printf(a, "%s%s",
                                                                *o->run_words[i] == '-' ? "" : "--",
                                                                o->run_words[i]));
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

static enum portolan_status run_program(void *arg, const struct clue_study_run *run,
                                        struct clue_study_value *value, struct portolan_error *err)
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

static int print_study(const struct clue_study *study, const struct study_command_options *o)
{
    struct portolan_error err = {0};
    char *text = NULL;
    int result = 0;

    if (o->picture) {
        if (clue_study_draw(study, o->picture, &text, &err) != PORTOLAN_OK)
            return print_error(&err);
        result = write_text(o->picture, text);
        free(text);
        if (result)
            return result;
    }
    clue_study_report(study, o->json, &text, &err);
    return print_made(text, &err);
}

int command_clue_study(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "STUDY.xml",
        .doc = "Compare the clusters that a budget buys by the times of workloads on them, "
               "portolan-study(5).",
        .options = study_command_table,
    };
    struct study_command_options o = {0};
    struct portolan_diagnostics d = {print_diagnostic, NULL, 0};
    struct portolan_error err = {0};
    struct clue_study *study;
    int result;

    parse_line(&line, argc, argv, 0, &o);
    if (clue_study_read(o.file, &d, &study, &err) != PORTOLAN_OK && d.count)
        snprintf(err.text, sizeof err.text, "%d error%s in %s", d.count, d.count == 1 ? "" : "s",
                 o.file);
    if (!study || clue_study_evaluate(study, run_program, &o, &err) != PORTOLAN_OK)
        result = print_error(&err);
    else
        result = print_study(study, &o);
    clue_study_destroy(study);
    free(o.run_words);
    return result;
}
