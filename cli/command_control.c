/* SPDX-License-Identifier: BSD-3-Clause */
#include "control_send.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    const char *target;
    struct portolan_text commands; /* lines */
    bool in_line;                  /* the last line has words */
    double timeout_s;
};

/* Words make a line; semicolons part lines. */
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

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 't':
        if (!portolan_read_double(arg, &o->timeout_s) || !(o->timeout_s >= 0))
            argp_error(state, "'%s' is no number of seconds", arg);
        return 0;
    case ARGP_KEY_ARG:
        if (o->target)
            add_word(o, arg);
        else
            o->target = arg;
        return 0;
    case ARGP_KEY_END:
        if (!o->target)
            argp_error(state, "name the control file of the program, or its process number");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ------------------------------------------------- a process by its number */

/* What a process shows of its listener, in memory that lies among its open files. */
static char *read_card(const char *pid)
{
    static const char name[] = "/memfd:portolan-control";
    char folder[100], path[400], target[400];
    struct dirent *e;
    char *text = NULL;
    DIR *d;

    snprintf(folder, sizeof folder, "/proc/%s/fd", pid);
    if (!(d = opendir(folder)))
        return NULL;
    while (!text && (e = readdir(d))) {
        ssize_t n;
        size_t room = 0;
        FILE *f;

        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        n = readlink(path, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        if (strncmp(target, name, sizeof name - 1) != 0 || !(f = fopen(path, "re")))
            continue;
        if (getdelim(&text, &room, '\0', f) < 0) {
            free(text);
            text = NULL;
        }
        fclose(f);
    }
    closedir(d);
    return text;
}

/* The line of CARD that begins with WORD, behind it; the caller frees. */
static char *card_line(const char *card, const char *word)
{
    size_t length = strlen(word);

    for (const char *line = card; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (!strncmp(line, word, length))
            return portolan_asprintf("%.*s", (int)strcspn(line + length, "\n"), line + length);
    return NULL;
}

/* A process that has no control file obeys the commands that its signals have. */
static int send_signal(const struct options *o, const char *card)
{
    const char *command = o->commands.length ? o->commands.bytes : "list";
    struct portolan_error err = {0};
    int number;
    char word[20];

    for (const char *line = card; line && *line; line = strchr(line, '\n') + 1) {
        if (sscanf(line, "signal %d %19s", &number, word) == 2 && !strcmp(word, command)) {
            if (kill((pid_t)atol(o->target), number) == 0)
                return 0;
            portolan_error_set(&err, PORTOLAN_EIO, "process %s: %s", o->target, strerror(errno));
            return print_error(&err);
        }
        if (!strchr(line, '\n'))
            break;
    }
    portolan_error_set(&err, PORTOLAN_EUNSUPPORTED,
                       "process %s obeys signals only, and none stands for '%s'; start it with a "
                       "control file",
                       o->target, command);
    return print_error(&err);
}

/* ------------------------------------------------- answers */

static void print_field(const char **at, int width)
{
    size_t length = strcspn(*at, "\t\n");

    printf("%-*.*s  ", width, (int)length, *at);
    *at += length + ((*at)[length] == '\t');
}

/* port NAME TYPE VARIANT on|off [mastermind] SELECTED IMPLEMENTATION... */
static void print_port(const char *line)
{
    const char *selected;
    size_t length;

    line += strcspn(line, "\t") + 1;
    print_field(&line, 24);
    print_field(&line, 20);
    print_field(&line, 10);
    length = strcspn(line, "\t");
    printf("%.*s", (int)length, line);
    line += length + 1;
    line += strcspn(line, "\t") + 1; /* whether there is a Mastermind shows in refusals */
    selected = line;
    length = strcspn(line, "\t\n");
    for (line += length; *line == '\t'; line += strcspn(line, "\t\n")) {
        size_t n = strcspn(++line, "\t\n");

        printf("\n    %c %.*s", n == length && !strncmp(line, selected, n) ? '*' : ' ', (int)n,
               line);
    }
    if (length && !strchr(selected, '\t'))
        printf("\n    * %.*s", (int)length, selected);
    printf("\n");
}

static void print_answer(const char *text, bool failed, int rank)
{
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");

        if (!strncmp(line, "port\t", 5))
            print_port(line);
        else if (rank >= 0)
            fprintf(failed ? stderr : stdout, "rank %d: %.*s\n", rank, (int)length, line);
        else
            fprintf(failed ? stderr : stdout, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/* Ranks that say the same say it once. */
static int print_answers(const struct answers *a)
{
    bool alike = true, failed = false;

    for (int i = 0; i < a->n; i++) {
        failed = failed || a->failed[i];
        alike = alike && !strcmp(a->texts[i], a->texts[0]);
    }
    for (int i = 0; i < (alike ? 1 : a->n); i++) {
        if (!alike && a->texts[i][0])
            printf("rank %d:\n", i);
        print_answer(a->texts[i], a->failed[i], alike ? -1 : i);
    }
    return failed ? EXIT_BAD_INPUT : 0;
}

static int exchange(const char *file, const struct options *o)
{
    struct portolan_error err = {0};
    struct answers answers;
    int result;

    if (control_send(file, o->commands.length ? o->commands.bytes : "list", o->timeout_s, &answers,
                     &err) == PORTOLAN_OK)
        result = print_answers(&answers);
    else
        result = print_error(&err);
    answers_clear(&answers);
    return result;
}

static int control_process(const struct options *o)
{
    struct portolan_error err = {0};
    char *card = read_card(o->target), *file = card ? card_line(card, "file ") : NULL;
    int result;

    if (!card) {
        portolan_error_set(&err, PORTOLAN_ENOTFOUND,
                           "process %s obeys no commands; start it with `portolan run --control "
                           "FILE` or with PORTOLAN_CONTROL=FILE (a file of that name is ./%s)",
                           o->target, o->target);
        return print_error(&err);
    }
    result = file ? exchange(file, o) : send_signal(o, card);
    free(card);
    free(file);
    return result;
}

int command_control(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"timeout", 't', "SECONDS", 0, "how long to wait for the answer (10)", 0},
        {0},
    };
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "FILE|PID [COMMAND...]",
        .doc = "Switch what a running program measures: portolan control FILE profile 'solver.*'\v"
               "Commands: forward, profile, mastermind, off, on GLOB; use GLOB IMPLEMENTATION; "
               "toggle; counters [SET]; dump [FOLDER]; flush; list (if none is given). Several are "
               "parted by "
               "semicolons.",
    };
    struct options o = {.timeout_s = 10};
    struct portolan_error err = {0};
    int64_t pid;
    int result;

    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &o);
    if (o.commands.failed) {
        portolan_no_memory(&err);
        result = print_error(&err);
    } else if (portolan_read_int64(o.target, &pid) && pid > 0) {
        result = control_process(&o);
    } else {
        result = exchange(o.target, &o);
    }
    portolan_text_clear(&o.commands);
    return result;
}
