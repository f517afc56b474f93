/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial_words.h"

#include <portolan/profile.h>

#include <string.h>

enum { TOP = 50 }; /* lines, unless --top is given */

struct options {
    struct trial_store_options store;
    int rank; /* -1: all */
    struct portolan_profile_report report;
};

#define SETS(member, number)                                                                       \
    .kind = CLI_VALUE, .offset = offsetof(struct options, report.member), .value = (number)

static const struct cli_option options[] = {
    {.doc = "Views:"},
    {"tree", 0, NULL, "the call paths (default)", SETS(view, PORTOLAN_PROFILE_TREE)},
    {"flat", 0, NULL, "one line per method", SETS(view, PORTOLAN_PROFILE_FLAT)},
    {"ranks", 0, NULL, "one line per rank; with --method, what each did in the methods",
     SETS(view, PORTOLAN_PROFILE_RANKS)},
    {"contexts", 0, NULL, "methods by the values of their parameters",
     SETS(view, PORTOLAN_PROFILE_CONTEXTS)},
    {"mpi", 0, NULL, "time in MPI by routine", SETS(view, PORTOLAN_PROFILE_MPI)},
    {"matrix", 0, NULL, "how much each rank sent to each other rank",
     SETS(view, PORTOLAN_PROFILE_MATRIX)},
    {"events", 0, NULL, "named values that the program reported",
     SETS(view, PORTOLAN_PROFILE_EVENTS)},
    {"rows", 0, NULL, "single calls, the longest with --sort=inclusive",
     SETS(view, PORTOLAN_PROFILE_ROWS)},
    {"pruned", 0, NULL, "the call graph of all trials of the assembly: what is pruned, and why",
     .kind = CLI_NOTHING},
    {.doc = "Selection:"},
    {"trial", 'n', "TRIAL",
     "the newest of these trials (see portolan trials); same as the second argument",
     INTO(struct options, store.trials)},
    {"rank", 0, "N", "only this rank", INTO(struct options, rank)},
    {"method", 0, "PATTERN", "only methods that match: 'solver.*'",
     INTO(struct options, report.method)},
    {"metric", 0, "NAME", "TIME (default), MPI TIME or a counter",
     INTO(struct options, report.metric)},
    {"sort", 0, "KEY", "inclusive, exclusive, mpi, calls, imbalance, metric, name or called",
     INTO(struct options, report.sort)},
    {"top", 0, "N", "show at most N lines; 0: all (default: 50)", INTO(struct options, report.top)},
    {"raw", 0, NULL, "show stored values, without estimates", SETS(values, PORTOLAN_PROFILE_RAW)},
    {"compensated", 0, NULL, "subtract the cost of measuring; show the interval that results",
     SETS(values, PORTOLAN_PROFILE_COMPENSATED)},
    {"wide", 0, NULL, "print long names in full", INTO(struct options, report.wide)},
    {"json", 0, NULL, "print all numbers as JSON", INTO(struct options, report.as_json)},
    {.doc = "Input:"},
    TABLE_OF(trial_store_table, struct options, store),
    TRIAL_WORDS("trial", struct options, store),
    {0},
};

static const struct cli_line line = {
    .words = "[STORE|ASSEMBLY.xml] [TRIAL]",
    .doc = "Show what a trial measured (default: the newest).",
    .options = options,
};

/* "--pruned", or an abbreviation that no other option has. */
static bool is_pruned(const char *word)
{
    size_t length = strlen(word);

    return length >= strlen("--pr") && !strncmp("--pruned", word, length);
}

/* --pruned selects the old view, which has its own options. */
static bool take_pruned(int *argc, char **argv)
{
    for (int i = 1; i < *argc && strcmp(argv[i], "--") != 0; i++)
        if (is_pruned(argv[i])) {
            memmove(&argv[i], &argv[i + 1], (size_t)(*argc - i) * sizeof *argv);
            --*argc;
            return true;
        }
    return false;
}

int command_profile(int argc, char **argv)
{
    struct options o = {.rank = -1, .report.top = TOP};
    struct portolan_trial_list list = {0};
    struct portolan_text out = {0};
    struct portolan_error err = {0};
    struct trial_store t;
    char *text = NULL;
    int result;

    if (take_pruned(&argc, argv))
        return study_report(
            argc, argv, "ASSEMBLY.xml|STORE",
            "Show the call graph that was measured by call path, and what is pruned and why.",
            portolan_plan_report_callgraph, portolan_plan_report_callgraph_json);
    parse_line(&line, argc, argv, 0, &o);
    if (trial_store_open(&t, &o.store, print_diagnostic, PORTOLAN_STORE_READ, &err) ==
            PORTOLAN_OK &&
        trial_store_select(&t, o.store.trials, &list, &err) == PORTOLAN_OK && list.n == 0)
        portolan_error_set(&err, PORTOLAN_ENOTFOUND, "store '%s' has no trial", t.path);
    if (err.status == PORTOLAN_OK) {
        o.report.trial = list.trials[list.n - 1]->id;
        o.report.rank = o.rank < 0 ? NULL : &o.rank;
        portolan_profile_write(t.store, &o.report, &out, &err);
    }
    if (err.status == PORTOLAN_OK)
        portolan_text_take(&out, &text, &err);
    result = print_made(text, &err);
    portolan_text_clear(&out);
    portolan_trials_clear(&list);
    trial_store_close(&t);
    return result;
}
