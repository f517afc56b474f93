/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial_store.h"

#include <stdlib.h>
#include <string.h>

/* Views have the numbers of enum portolan_profile_view from OPTION_TREE on. */
enum {
    OPTION_TREE = 256,
    OPTION_FLAT,
    OPTION_CONTEXTS,
    OPTION_RANKS,
    OPTION_MPI,
    OPTION_MATRIX,
    OPTION_EVENTS,
    OPTION_ROWS,
    OPTION_METRIC,
    OPTION_SORT,
    OPTION_TOP,
    OPTION_RANK,
    OPTION_METHOD,
    OPTION_RAW,
    OPTION_COMPENSATED,
    OPTION_JSON,
    OPTION_WIDE,
    OPTION_PRUNED
};

enum { TOP = 50 }; /* lines, unless --top */

struct options {
    struct trial_store_options store;
    const char *trial;
    int rank; /* -1: all */
    struct portolan_profile_report report;
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Views:", 1},
    {"tree", OPTION_TREE, NULL, 0, "the call paths (default)", 1},
    {"flat", OPTION_FLAT, NULL, 0, "one line per method", 1},
    {"ranks", OPTION_RANKS, NULL, 0, "one line per rank; with --method, what it did in the method",
     1},
    {"contexts", OPTION_CONTEXTS, NULL, 0, "methods by the values of their parameters", 1},
    {"mpi", OPTION_MPI, NULL, 0, "time in MPI by routine", 1},
    {"matrix", OPTION_MATRIX, NULL, 0, "who sent how much to whom", 1},
    {"events", OPTION_EVENTS, NULL, 0, "values that the program gave by name", 1},
    {"rows", OPTION_ROWS, NULL, 0, "single calls, the longest with --sort=inclusive", 1},
    {"pruned", OPTION_PRUNED, NULL, 0,
     "all trials of the assembly: the call graph, what is pruned and why (see portolan(1))", 1},
    {NULL, 0, NULL, 0, "What is shown:", 2},
    {"trial", 'n', "TRIAL", 0, "the newest of these (see portolan trials); as second argument", 2},
    {"rank", OPTION_RANK, "N", 0, "this rank alone", 2},
    {"method", OPTION_METHOD, "PATTERN", 0, "methods like this only: 'solver.*'", 2},
    {"metric", OPTION_METRIC, "NAME", 0, "TIME (default), MPI TIME or a counter", 2},
    {"sort", OPTION_SORT, "KEY", 0,
     "inclusive, exclusive, mpi, calls, imbalance, metric, name or called", 2},
    {"top", OPTION_TOP, "N", 0, "so many lines; 0: all (default: 50)", 2},
    {"raw", OPTION_RAW, NULL, 0, "what was stored, no estimates", 2},
    {"compensated", OPTION_COMPENSATED, NULL, 0, "less what measuring cost, with its interval", 2},
    {"wide", OPTION_WIDE, NULL, 0, "long names whole", 2},
    {"json", OPTION_JSON, NULL, 0, "all numbers as JSON", 2},
    {NULL, 0, NULL, 0, "Where from:", 3},
    {0},
};

static const struct option_target targets[] = {
    {'n', OPTION_TEXT, offsetof(struct options, trial), NULL},
    {OPTION_RANK, OPTION_INT, offsetof(struct options, rank), "--rank"},
    {OPTION_METRIC, OPTION_TEXT, offsetof(struct options, report.metric), NULL},
    {OPTION_SORT, OPTION_TEXT, offsetof(struct options, report.sort), NULL},
    {OPTION_TOP, OPTION_SIZE, offsetof(struct options, report.top), "--top"},
    {OPTION_METHOD, OPTION_TEXT, offsetof(struct options, report.method), NULL},
    {OPTION_WIDE, OPTION_FLAG, offsetof(struct options, report.wide), NULL},
    {OPTION_JSON, OPTION_FLAG, offsetof(struct options, report.as_json), NULL},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    if (key == ARGP_KEY_INIT)
        state->child_inputs[0] = &o->store;
    else if (key >= OPTION_TREE && key <= OPTION_ROWS)
        o->report.view = (enum portolan_profile_view)(key - OPTION_TREE);
    else if (key == OPTION_RAW || key == OPTION_COMPENSATED)
        o->report.values = key == OPTION_RAW ? PORTOLAN_PROFILE_RAW : PORTOLAN_PROFILE_COMPENSATED;
    else if (key == ARGP_KEY_ARG)
        trial_store_take_argument(&o->store, &o->trial, "trial", arg, state);
    else
        return take_option(targets, key, arg, state);
    return 0;
}

static const struct argp_child children[] = {{&trial_store_argp, 0, NULL, 3}, {0}};
static const struct argp argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "[STORE|ASSEMBLY.xml] [TRIAL]",
    .doc = "Show what one trial measured, of the newest unless another is named.",
    .children = children,
};

/* The old view keeps its own options. */
static bool take_pruned(int *argc, char **argv)
{
    for (int i = 1; i < *argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--pruned")) {
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
            argc, argv,
            "Show the call graph that was measured by call path, and what is pruned and why.",
            portolan_plan_report_callgraph);
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (trial_store_open(&t, &o.store, PORTOLAN_STORE_READ, &err) == PORTOLAN_OK &&
        trial_store_select(&t, o.trial, &list, &err) == PORTOLAN_OK && list.n == 0)
        portolan_error_set(&err, PORTOLAN_ENOTFOUND, "store '%s' has no trial", t.path);
    if (err.status == PORTOLAN_OK) {
        o.report.trial = list.trials[list.n - 1]->id;
        o.report.rank = o.rank < 0 ? NULL : &o.rank;
        portolan_profile_write(t.store, &o.report, &out, &err);
    }
    if (err.status == PORTOLAN_OK)
        portolan_text_take(&out, &text, &err);
    result = text ? write_text(NULL, text) : print_error(&err);
    portolan_text_clear(&out);
    free(text);
    portolan_trials_clear(&list);
    trial_store_close(&t);
    return result;
}
