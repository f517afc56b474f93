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
    {"new", command_new, "create a project of components, or extend it"},
    {"check", command_check, "check an assembly against the available components"},
    {"draw", command_draw, "draw an assembly as a Graphviz graph"},
    {"convert", command_convert, "convert a Ccaffeine script to an assembly, or back"},
    {"run", command_run, "run an assembly or a Ccaffeine script, on one rank or under mpiexec"},
    {"control", command_control,
     "change what a running program measures and which alternatives it runs"},
    {"link", command_link, "link an assembly and all that it needs into one program"},
    {"measure", command_measure, "run the alternatives of an assembly over its sweep"},
    {"profile", command_profile, "show what a trial measured, in one of several views"},
    {"trials", command_trials, "list, label and delete the trials of a store"},
    {"compare", command_compare, "compare repeated trials, and test for regressions"},
    {"explain", command_explain, "show what a run decided, and why"},
    {"export", command_export, "write a stored trial in the format of another tool"},
    {"import", command_import, "store TAU profiles as a trial"},
    {"model", command_model, "show the models of the implementations"},
    {"optimize", command_optimize, "choose the best assembly from the stored trials"},
    {"veto", command_veto,
     "list the alternatives that are excluded because they failed, or lift a veto"},
    {"llac", command_llac, "analyze tables of measurements: fit, predict, compare, plot"},
    {"predict", command_predict, "predict the time of an assembly as written"},
    {"diagnose", command_diagnose, "say why a parallel program is slow, in terms of its design"},
    {"obsp", command_obsp, "compare a run of the BSP library with the models OBSP* and BSP"},
    {"report", command_report, "compare predictions with measurements; write a page about a study"},
    {"watch", command_watch, "serve a page that follows a run"},
    {"sidl", command_sidl, "compile SIDL to C in Babel's binding"},
    {"proxygen", command_proxygen, "generate a timing proxy for a port"},
    {"call", command_call, "translate C with CALL's pragmas into a program that measures itself"},
    {"trace", command_trace, "record each MPI call of a program, and show traces"},
    {"clue", command_clue, "run a program in the virtual time of another machine; study clusters"},
    {"wrap", command_wrap, "measure an unmodified program, and exchange its libraries"},
    {"doctor", command_doctor, "report what this machine lacks, what that costs, and the remedy"},
    {NULL, NULL, NULL},
};

static void print_usage(FILE *to)
{
    fprintf(to, "Usage: portolan COMMAND [OPTION]... [FILE]...\n\n");
    for (const struct command *c = commands; c->name; c++)
        fprintf(to, "  %-10s %s\n", c->name, c->summary);
    fprintf(to, "\n`portolan COMMAND --help` lists the options of a command; `portolan --version` "
                "prints the version.\n");
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
