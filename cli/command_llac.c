/* SPDX-License-Identifier: BSD-3-Clause */
/* The analyzer of CALL's reports: interactive, from a script, or from the command line. */
#include "cli.h"

#include <portolan/llac.h>
#include <portolan/terminal.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char **files, **commands;
    size_t n_files, n_commands;
    bool interactive, keep_going;
};

static const struct cli_option options[] = {
    {"execute", 'e', "COMMANDS", "run these commands after the scripts; may be repeated",
     INTO_LIST(struct options, commands, n_commands)},
    {"interactive", 'i', NULL, "then read commands interactively",
     INTO(struct options, interactive)},
    {"keep-going", 'k', NULL, "continue after a command that failed",
     INTO(struct options, keep_going)},
    {.key = CLI_WORD, INTO_LIST(struct options, files, n_files)},
    {0},
};

static void print_text(void *arg, const char *text)
{
    (void)arg;
    fputs(text, stdout);
    fflush(stdout);
}

static void print_warning(void *arg, const char *text)
{
    (void)arg;
    fprintf(stderr, "portolan: warning: %s\n", text);
}

static char **complete(void *arg, const char *line, size_t *n)
{
    char **words;

    return portolan_llac_complete(arg, line, &words, n, NULL) == PORTOLAN_OK ? words : NULL;
}

/* A terminal goes on after a failure; a pipe is treated like a script. */
static bool converse(struct portolan_llac *llac, const struct options *o, bool at_terminal,
                     struct portolan_diagnostics *d, struct portolan_error *err)
{
    struct lines lines = {.prompt = "llac> ", .more = "    > ", .joint = "\\\n"};
    bool good = true;

    if (at_terminal && terminal_open("portolan", "llac_history", complete, llac, &lines.terminal,
                                     err) != PORTOLAN_OK)
        return false;
    while (!portolan_llac_has_ended(llac, NULL) && lines_read(&lines)) {
        struct portolan_error cause = {0};

        if (portolan_llac_run(llac, lines.text.bytes ? lines.text.bytes : "", lines.text.length,
                              "standard input", lines.number, d, &cause) == PORTOLAN_OK)
            continue;
        good = false;
        if (!lines.terminal && !o->keep_going)
            break;
    }
    terminal_close(lines.terminal);
    portolan_text_clear(&lines.text);
    return good || at_terminal;
}

/* Runs scripts, then commands, then input; stops after a failure unless --keep-going. */
static bool run_all(struct portolan_llac *llac, const struct options *o, bool at_terminal,
                    struct portolan_error *err)
{
    struct portolan_diagnostics d = {.report = print_diagnostic};
    bool good = true;

    for (size_t i = 0; (good || o->keep_going) && i < o->n_files; i++) {
        int before = d.count;

        if (portolan_llac_has_ended(llac, NULL))
            return good;
        if (portolan_llac_run_file(llac, o->files[i], &d, err) == PORTOLAN_OK)
            continue;
        good = false;
        if (d.count == before)
            print_error(err);
    }
    for (size_t i = 0; (good || o->keep_going) && i < o->n_commands; i++)
        if (!portolan_llac_has_ended(llac, NULL))
            good = portolan_llac_run(llac, o->commands[i], strlen(o->commands[i]), "-e", 1, &d,
                                     err) == PORTOLAN_OK &&
                   good;
    if ((good || o->keep_going) && !portolan_llac_has_ended(llac, NULL) &&
        (o->interactive || (!o->n_files && !o->n_commands)))
        good = converse(llac, o, at_terminal, &d, err) && good;
    return good;
}

int command_llac(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "[SCRIPT]...",
        .doc =
            "Analyze tables of measurements: load, merge, select, transform, fit models, predict, "
            "compare, plot and save. Without SCRIPT and -e, commands are read from standard input.",
        .options = options,
    };
    struct portolan_error err = {0};
    struct options o = {0};
    struct portolan_llac *llac = NULL;
    bool at_terminal, good = false;
    int code = 0;

    parse_line(&line, argc, argv, 0, &o);
    at_terminal = terminal_is_there() && (o.interactive || (!o.n_files && !o.n_commands));
    if (portolan_llac_create(
            &(struct portolan_llac_options){
                .print = print_text,
                .warn = print_warning,
                .keeps_going = o.keep_going,
            },
            &llac, &err) == PORTOLAN_OK)
        good = run_all(llac, &o, at_terminal, &err);
    else
        print_error(&err);
    if (llac)
        portolan_llac_has_ended(llac, &code);
    portolan_llac_destroy(llac);
    free(o.files);
    free(o.commands);
    return code || good ? code : EXIT_BAD_INPUT;
}
