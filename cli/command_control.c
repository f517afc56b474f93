/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan control: sends commands to a running program, and prints what its ranks answer. */
#include "cli.h"

#include <portolan/control_client.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *target;
    struct portolan_text commands; /* lines */
    bool in_line;                  /* the last line is not empty */
    double timeout_s;
};

/* Joins words to lines; semicolons separate lines. */
static void add_word(struct options *o, const char *word)
{
    while (*word) {
        size_t length = strcspn(word, ";");

        if (length)
            portolan_text_add(&o->commands, "%s%.*s", o->in_line ? " " : "", (int)length, word);
        o->in_line = o->in_line || length;
        word += length;
        if (*word == ';') {
            portolan_text_add(&o->commands, "\n");
            o->in_line = false;
            word++;
        }
    }
}

static error_t take_word(void *to, char *arg, const struct cli_option *option,
                         struct argp_state *state)
{
    struct options *o = to;

    (void)option, (void)state;
    if (o->target)
        add_word(o, arg);
    else
        o->target = arg;
    return 0;
}

static const struct cli_option options[] = {
    {"timeout", 't', "SECONDS", "how long to wait for the reply (default: 10)",
     INTO(struct options, timeout_s), .wanted = "a number of seconds"},
    {.key = CLI_WORD, .take = take_word},
    {.key = CLI_END,
     .doc = "which program? name its control file, or its process id",
     INTO(struct options, target)},
    {0},
};

static const char *words_of(const struct options *o)
{
    return o->commands.length ? o->commands.bytes : "list";
}

static int talk(const char *file, const struct options *o)
{
    struct portolan_error err = {0};
    struct portolan_control_answers answers;
    struct portolan_text good = {0}, bad = {0};
    int result = 0;

    if (portolan_control_send(file, words_of(o), o->timeout_s, &answers, &err) == PORTOLAN_OK) {
        if (!portolan_control_answers_write(&answers, &good, &bad))
            result = EXIT_BAD_INPUT;
        fputs(good.bytes ? good.bytes : "", stdout);
        fputs(bad.bytes ? bad.bytes : "", stderr);
    } else {
        result = print_error(&err);
    }
    portolan_text_clear(&good);
    portolan_text_clear(&bad);
    portolan_control_answers_clear(&answers);
    return result;
}

static int control_process(const struct options *o)
{
    struct portolan_error err = {0};
    char *card = portolan_control_card(o->target),
         *file = card ? portolan_control_card_line(card, "file ") : NULL;
    int result;

    if (!card) {
        portolan_error_set(&err, PORTOLAN_ENOTFOUND,
                           "process %s accepts no commands; start it with `portolan run --control "
                           "FILE` or with PORTOLAN_CONTROL=FILE (a file of that name is ./%s)",
                           o->target, o->target);
        return print_error(&err);
    }
    if (file) /* a process without one obeys only commands that are assigned to signals */
        result = talk(file, o);
    else
        result =
            portolan_control_signal(o->target, card, words_of(o), &err) ? print_error(&err) : 0;
    free(card);
    free(file);
    return result;
}

int command_control(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "FILE|PID [COMMAND...]",
        .doc = "Change what a running program measures and runs: portolan control FILE profile "
               "'solver.*'\vCommands: forward, profile, mastermind, off, on GLOB; use GLOB "
               "IMPLEMENTATION; toggle; counters [SET]; dump [FOLDER]; flush; list (the default). "
               "For the Optimizer: pin, forbid INSTANCE=CLASS; release [INSTANCE[=CLASS]]; undo; "
               "explore on|off|SHARE. Separate several commands by semicolons.",
        .options = options,
    };
    struct options o = {.timeout_s = 10};
    struct portolan_error err = {0};
    int64_t pid;
    int result;

    parse_line(&line, argc, argv, ARGP_IN_ORDER, &o);
    if (o.commands.failed) {
        portolan_no_memory(&err);
        result = print_error(&err);
    } else if (portolan_read_int64(o.target, &pid) && pid > 0) {
        result = control_process(&o);
    } else {
        result = talk(o.target, &o);
    }
    portolan_text_clear(&o.commands);
    return result;
}
