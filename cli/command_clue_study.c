/* SPDX-License-Identifier: BSD-3-Clause */
/* `portolan clue study`: which cluster to buy. */
#include "clue.h"

#include <portolan/clue_study.h>

#include <stdio.h>
#include <stdlib.h>

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
    struct clue_study_runner runner;
    struct clue_study *study;
    struct portolan_arena arena = {0};
    int result;

    parse_line(&line, argc, argv, 0, &o);
    if (clue_study_read(o.file, &d, &study, &err) != PORTOLAN_OK && d.count)
        snprintf(err.text, sizeof err.text, "%d error%s in %s", d.count, d.count == 1 ? "" : "s",
                 o.file);
    runner.command = portolan_program_file(&arena);
    runner.options = o.run_words;
    runner.n_options = o.n_run_words;
    if (!study || clue_study_evaluate(study, clue_study_run_virtually, &runner, &err))
        result = print_error(&err);
    else
        result = print_study(study, &o);
    clue_study_destroy(study);
    free(o.run_words);
    portolan_arena_clear(&arena);
    return result;
}
