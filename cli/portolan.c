/* SPDX-License-Identifier: BSD-3-Clause */
/* Entry of the `portolan` command: finds the subcommand and hands the arguments over. */
#include "cli.h"

#include <portolan/progress.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The table's macro that names the wing of a command: wings that this build leaves out
 * (./configure --without-NAME) have none.
 */
#ifdef PORTOLAN_CALL
#define CALL(command) command
#else
#define CALL(command) left_out
#endif
#ifdef PORTOLAN_HERCULE
#define HERCULE(command) command
#else
#define HERCULE(command) left_out
#endif
#ifdef PORTOLAN_CLUE
#define CLUE(command) command
#else
#define CLUE(command) left_out
#endif

static int left_out(int argc, char **argv)
{
    (void)argc;
    fprintf(stderr,
            "%s: error: this Portolan was built without it; ./configure --help has what can be "
            "left out\n",
            argv[0]);
    return EXIT_BAD_INPUT;
}

/* Or, without a function to run, the name of a group and the question that its commands answer. */
struct command {
    const char *name;
    command_fn *run;
    const char *summary;
};

static const struct command commands[] = {
    {"Write", NULL, "How are components and assemblies made, and are they right?"},
    {"new", command_new, "create a project of components, or extend it"},
    {"sidl", command_sidl, "compile SIDL to C in Babel's binding"},
    {"proxygen", command_proxygen, "generate a timing proxy for a port"},
    {"check", command_check, "check an assembly against the available components"},
    {"draw", command_draw, "draw an assembly as a Graphviz graph"},
    {"convert", command_convert, "convert a Ccaffeine script to an assembly, or back"},
    {"link", command_link, "link an assembly and all that it needs into one program"},
    {"doctor", command_doctor, "report what this machine lacks, what that costs, and the remedy"},
    {"Measure", NULL, "How long does each part take?"},
    {"run", command_run, "run an assembly or a Ccaffeine script, on one rank or under mpiexec"},
    {"control", command_control,
     "change what a running program measures and which alternatives it runs"},
    {"measure", command_measure, "run the alternatives of an assembly over its sweep"},
    {"tune", command_tune, "choose the options of a program by trials of its command line"},
    {"wrap", command_wrap, "measure an unmodified program, and exchange its libraries"},
    {"call", CALL(command_call),
     "translate C with CALL's pragmas into a program that measures itself"},
    {"trace", HERCULE(command_trace), "record each MPI call of a program, and show traces"},
    {"profile", command_profile, "show what a trial measured, in one of several views"},
    {"trials", command_trials, "list, label and delete the trials of a store"},
    {"export", command_export, "write a stored trial in the format of another tool"},
    {"import", command_import, "store TAU profiles as a trial"},
    {"Choose", NULL, "Which implementations are the best, and how long will they take?"},
    {"optimize", command_optimize, "choose the best assembly from the stored trials"},
    {"predict", command_predict, "predict the time of an assembly as written"},
    {"model", command_model, "show the models of the implementations"},
    {"llac", CALL(command_llac), "analyze tables of measurements: fit, predict, compare, plot"},
    {"veto", command_veto,
     "list the alternatives that are excluded because they failed, or lift a veto"},
    {"Explain", NULL, "Why was that chosen, why does it take so long, and what has changed?"},
    {"explain", command_explain, "show what a run decided, and why"},
    {"diagnose", HERCULE(command_diagnose),
     "say why a parallel program is slow, in terms of its design"},
    {"compare", command_compare, "compare repeated trials, and test for regressions"},
    {"obsp", CALL(command_obsp), "compare a run of the BSP library with the models OBSP* and BSP"},
    {"report", command_report, "compare predictions with measurements; write a page about a study"},
    {"watch", command_watch, "serve a page that follows a run"},
    {"Cluster", NULL, "How long would it take on another machine, and which one should be bought?"},
    {"clue", CLUE(command_clue),
     "run a program in the virtual time of another machine; study clusters"},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

/* What a newcomer meets in the first minutes. */
static const char words[] =
    "\nWords:\n"
    "An assembly is an XML file with the parts of a program (instances), the interfaces by which "
    "they\ncall each other (ports), and the alternatives of each; the classes that are found are "
    "the palette.\n"
    "A proxy measures the calls of a port, with the numbers on which their time depends "
    "(context).\n"
    "The Mastermind keeps them in a store, where each run is a trial. Between steps, at a swap "
    "point,\none implementation may replace another.\n";

static void print_usage(FILE *to)
{
    fprintf(to, "Usage: portolan COMMAND [OPTION]... [FILE]...\n");
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (commands[i].run != left_out)
            fprintf(to, commands[i].run ? "  %-10s %s\n" : "\n%s: %s\n", commands[i].name,
                    commands[i].summary);
    fprintf(to, "%s", words);
    fprintf(to, "\n`portolan COMMAND --help` lists the options of a command; `portolan --version` "
                "prints the version.\n");
}

static int unknown_command(const char *word)
{
    const char *names[N_COMMANDS];
    size_t n = 0;

    for (size_t i = 0; i < N_COMMANDS; i++)
        if (commands[i].run)
            names[n++] = commands[i].name;
    if (*word == '-')
        fprintf(stderr,
                "portolan: error: '%s' is no command; options come after it, as in: portolan "
                "run %s\n",
                word, word);
    else
        fprintf(stderr, "portolan: error: unknown command '%s'%s\n", word,
                portolan_did_you_mean(portolan_nearest_word(word, names, n)).text);
    fprintf(stderr, "`portolan --help` lists the commands.\n");
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
    if (argc == 3 && !strcmp(argv[1], "help")) { /* of a command */
        argv[1] = argv[2];
        argv[2] = "--help";
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_usage(stdout);
        return 0;
    }
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (commands[i].run && !strcmp(argv[1], commands[i].name)) {
            snprintf(name, sizeof name, "portolan %s", commands[i].name);
            argv[1] = name;
            return close_output(commands[i].run(argc - 1, argv + 1));
        }
    return unknown_command(argv[1]);
}
