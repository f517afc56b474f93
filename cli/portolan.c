/* SPDX-License-Identifier: BSD-3-Clause */
/* Entry of the `portolan` command: finds the subcommand and hands the arguments over. */
#include "cli.h"

#include <portolan/progress.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct command {
    const char *name;
    command_fn *run;
    const char *summary;
};

/* Ends with name NULL. */
static const struct command commands[] = {
    {"new", command_new, "make a project of components, and extend it"},
    {"check", command_check, "judge an assembly against the components that there are"},
    {"draw", command_draw, "draw an assembly as a Graphviz graph"},
    {"convert", command_convert, "turn a script of Ccaffeine into an assembly, or back"},
    {"run", command_run, "run an assembly or a script, on as many ranks as mpiexec starts"},
    {"control", command_control, "switch what a running program measures"},
    {"link", command_link, "make one program of an assembly and all that it needs"},
    {"shell", command_shell, "run commands of Ccaffeine as they are typed"},
    {"measure", command_measure, "run the alternatives of an assembly over its sweep"},
    {"profile", command_profile, "show what a trial measured, in one of several views"},
    {"trials", command_trials, "list the trials of a store, label and delete them"},
    {"compare", command_compare, "compare repeated trials; exit status 3 on a regression"},
    {"explain", command_explain, "show what a run decided, and why"},
    {"export", command_export, "write a stored trial for the tools of others"},
    {"import", command_import, "store TAU profiles as a trial"},
    {"model", command_model, "show the models of the implementations"},
    {"optimize", command_optimize, "choose the best assembly from what is stored"},
    {"veto", command_veto, "list what is not chosen because it failed, or lift such a veto"},
    {"llac", command_llac, "analyze reports of measurements: fit, predict, compare, plot"},
    {"predict", command_predict, "predict the time of an assembly"},
    {"diagnose", command_diagnose, "say why a parallel program is slow, in terms of its design"},
    {"obsp", command_obsp, "hold a run of the BSP library against OBSP* and plain BSP"},
    {"report", command_report, "predicted against measured, beside each fixed assembly"},
    {"sidl", command_sidl, "compile SIDL to C in Babel's binding"},
    {"proxygen", command_proxygen, "make a timing proxy for a port"},
    {"call", command_call, "translate C annotated with CALL's pragmas, which then measures itself"},
    {"trace", command_trace, "record a program call by call, and show traces"},
    {"clue", command_clue, "run a program here in the time of a cluster that one does not own"},
    {"wrap", command_wrap, "measure a program as it is, and exchange its libraries"},
    {"doctor", command_doctor, "tell what this machine lacks, what that costs, and what helps"},
    {NULL, NULL, NULL},
};

static void print_usage(FILE *to)
{
    fprintf(to, "Usage: portolan COMMAND [OPTION]... [FILE]...\n\n");
    for (const struct command *c = commands; c->name; c++)
        fprintf(to, "  %-10s %s\n", c->name, c->summary);
    fprintf(to, "\n`portolan COMMAND --help` tells a command's options, `portolan --version` the "
                "version.\n");
}

static int unknown_command(const char *word)
{
    const char *names[sizeof commands / sizeof *commands];
    size_t n = 0;

    for (const struct command *c = commands; c->name; c++)
        names[n++] = c->name;
    fprintf(stderr, "portolan: error: unknown command '%s'%s\n", word,
            portolan_did_you_mean(portolan_nearest_word(word, names, n)).text);
    print_usage(stderr);
    return EXIT_USAGE;
}

/*
 * Signals that our caller ignores stay ignored. Libraries that MPICH brings install a handler for
 * SIGHUP before main() begins; then a program started under nohup would be ended by a hangup. So
 * the ignored signals are noted before any library's constructor runs.
 */
enum { SIGNALS = 64 };

/* The kernel's struct, because the C library's functions may not be ready yet. */
struct disposition {
    void (*handler)(int);
    unsigned long rest[19];
};

static bool was_ignored[SIGNALS + 1];

/* Sanitizers are not ready either. */
__attribute__((no_sanitize("address", "undefined", "thread"))) static void note_ignored(void)
{
    static struct disposition now;

    for (long number = 1; number <= SIGNALS; number++)
        was_ignored[number] = syscall(SYS_rt_sigaction, number, NULL, &now, SIGNALS / 8) == 0 &&
                              now.handler == SIG_IGN;
}

__attribute__((section(".preinit_array"), used)) static void (*const note)(void) = note_ignored;

static void restore_ignored_signals(void)
{
    for (int number = 1; number <= SIGNALS; number++)
        if (was_ignored[number])
            signal(number, SIG_IGN);
}

int main(int argc, char **argv)
{
    char name[64];

    restore_ignored_signals();
    outlive_file_limits();
    portolan_progress_show();
    argp_err_exit_status = EXIT_USAGE;
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        printf("portolan %s\n", portolan_version());
        return 0;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_usage(stdout);
        return 0;
    }
    for (const struct command *c = commands; c->name; c++)
        if (!strcmp(argv[1], c->name)) {
            snprintf(name, sizeof name, "portolan %s", c->name);
            argv[1] = name;
            return close_output(c->run(argc - 1, argv + 1));
        }
    return unknown_command(argv[1]);
}
