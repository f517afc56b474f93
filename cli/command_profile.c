/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial_store.h"

#include <stdlib.h>
#include <string.h>

enum view { TREE, FLAT, RANKS, CONTEXTS, MPI, MATRIX, EVENTS, ROWS };

enum {
    OPTION_TREE = 256,
    OPTION_FLAT,
    OPTION_RANKS,
    OPTION_CONTEXTS,
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

enum {
    TOP = 50,             /* lines, unless --top */
    EXACT_CELLS = 1 << 16 /* as many values of single ranks are read to make flat views exact */
};

struct options {
    struct trial_store_options store;
    const char *trial;
    enum view view;
    bool json;
    int rank;
    bool has_rank;
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

static error_t parse_report(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case OPTION_METRIC:
        o->report.metric = arg;
        return 0;
    case OPTION_SORT:
        o->report.sort = arg;
        return 0;
    case OPTION_TOP:
        o->report.top = (size_t)read_natural(state, "--top", arg);
        return 0;
    case OPTION_METHOD:
        o->report.method = arg;
        return 0;
    case OPTION_RAW:
        o->report.values = PORTOLAN_PROFILE_RAW;
        return 0;
    case OPTION_COMPENSATED:
        o->report.values = PORTOLAN_PROFILE_COMPENSATED;
        return 0;
    case OPTION_WIDE:
        o->report.wide = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->store;
        return 0;
    case OPTION_TREE:
    case OPTION_FLAT:
    case OPTION_RANKS:
    case OPTION_CONTEXTS:
    case OPTION_MPI:
    case OPTION_MATRIX:
    case OPTION_EVENTS:
    case OPTION_ROWS:
        o->view = (enum view)(key - OPTION_TREE);
        return 0;
    case OPTION_RANK:
        o->rank = read_natural(state, "--rank", arg);
        o->has_rank = true;
        return 0;
    case OPTION_JSON:
        o->json = true;
        return 0;
    case 'n':
        o->trial = arg;
        return 0;
    case ARGP_KEY_ARG:
        trial_store_take_argument(&o->store, &o->trial, "trial", arg, state);
        return 0;
    default:
        return parse_report(key, arg, state);
    }
}

static const struct argp_child children[] = {{&trial_store_argp, 0, NULL, 3}, {0}};
static const struct argp argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "[STORE|ASSEMBLY.xml] [TRIAL]",
    .doc = "Show what one trial measured, of the newest unless another is named.",
    .children = children,
};

static double all_calls(const struct portolan_profile *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->n_nodes; i++)
        sum += p->nodes[i].is_context ? 0 : p->nodes[i].calls.sum;
    return sum;
}

/*
 * Of a summary, a flat view knows less than of the ranks' own values: these are read if they are
 * few, and all there (a trial may keep the first rank's alone).
 */
static enum portolan_status read_exactly(struct portolan_store *store,
                                         struct portolan_profile_query *q,
                                         struct portolan_profile **p, struct portolan_error *err)
{
    struct portolan_profile *exact = NULL, *worse;
    enum portolan_status status;

    q->cells = true;
    status = portolan_profile_read(store, q, &exact, err);
    if (status != PORTOLAN_OK)
        return status;
    worse = all_calls(exact) < all_calls(*p) ? exact : *p;
    *p = worse == exact ? *p : exact;
    portolan_profile_destroy(worse);
    return PORTOLAN_OK;
}

static enum portolan_status read_profile(const struct options *o, struct portolan_store *store,
                                         int64_t trial, struct portolan_profile **p,
                                         struct portolan_error *err)
{
    struct portolan_profile_query q = {.trial = trial,
                                       .rank = o->has_rank ? &o->rank : NULL,
                                       .contexts = o->view == CONTEXTS,
                                       .cells = o->view == RANKS};
    enum portolan_status status = portolan_profile_read(store, &q, p, err);

    if (status == PORTOLAN_OK && o->view == FLAT && !(*p)->n_cells &&
        (*p)->n_nodes * (size_t)(*p)->ranks <= EXACT_CELLS)
        status = read_exactly(store, &q, p, err);
    return status;
}

static enum portolan_status write_nodes(const struct options *o, const struct portolan_profile *p,
                                        struct portolan_text *out, struct portolan_error *err)
{
    if (o->json)
        return portolan_profile_write_json(p, out, err);
    portolan_profile_write_head(p, out);
    portolan_text_add(out, "\n");
    return o->view == RANKS ? portolan_profile_write_ranks(p, &o->report, out, err)
                            : portolan_profile_write_nodes(p, &o->report, out, err);
}

static enum portolan_status write_traffic(const struct options *o, struct portolan_store *store,
                                          const struct portolan_profile *p,
                                          struct portolan_text *out, struct portolan_error *err)
{
    struct portolan_traffic_set *set = NULL;
    enum portolan_status status = portolan_store_read_traffic(store, p->trial->id, &set, err);

    if (status == PORTOLAN_OK && o->json)
        status = portolan_profile_write_traffic_json(p->trial, set, out, err);
    else if (status == PORTOLAN_OK && o->view == MPI)
        status = portolan_profile_write_mpi(p, set, &o->report, out, err);
    else if (status == PORTOLAN_OK)
        status = portolan_profile_write_matrix(p->trial->ranks, set, &o->report, out, err);
    portolan_traffic_set_destroy(set);
    return status;
}

static enum portolan_status write_events(const struct options *o, struct portolan_store *store,
                                         const struct portolan_trial *t, struct portolan_text *out,
                                         struct portolan_error *err)
{
    struct portolan_event_set *set = NULL;
    enum portolan_status status =
        portolan_store_read_events(store, t->id, o->has_rank ? &o->rank : NULL, &set, err);

    if (status == PORTOLAN_OK)
        status = o->json ? portolan_profile_write_events_json(t, set, out, err)
                         : portolan_profile_write_events(set, &o->report, out, err);
    portolan_event_set_destroy(set);
    return status;
}

/* Views of what is stored beside the call paths. */
static enum portolan_status write_others(const struct options *o, struct portolan_store *store,
                                         const struct portolan_profile *p,
                                         struct portolan_text *out, struct portolan_error *err)
{
    if (!o->json) {
        portolan_profile_write_head(p, out);
        portolan_text_add(out, "\n");
    }
    switch (o->view) {
    case EVENTS:
        return write_events(o, store, p->trial, out, err);
    case ROWS:
        return portolan_profile_write_rows(store, p->trial, o->has_rank ? &o->rank : NULL,
                                           &o->report, o->json, out, err);
    default:
        return write_traffic(o, store, p, out, err);
    }
}

static enum portolan_status show(const struct options *o, struct portolan_store *store,
                                 int64_t trial, struct portolan_text *out,
                                 struct portolan_error *err)
{
    struct portolan_profile *p = NULL, *flat = NULL;
    enum portolan_status status = read_profile(o, store, trial, &p, err);

    if (status == PORTOLAN_OK && o->view > CONTEXTS)
        status = write_others(o, store, p, out, err);
    else if (status == PORTOLAN_OK && o->view != TREE)
        status = portolan_profile_flatten(p, &flat, err);
    if (status == PORTOLAN_OK && o->view <= CONTEXTS)
        status = write_nodes(o, flat ? flat : p, out, err);
    portolan_profile_destroy(flat);
    portolan_profile_destroy(p);
    return status;
}

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
    struct options o = {.report.top = TOP};
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
    if (err.status == PORTOLAN_OK)
        show(&o, t.store, list.trials[list.n - 1]->id, &out, &err);
    if (err.status == PORTOLAN_OK)
        portolan_text_take(&out, &text, &err);
    result = text ? write_text(NULL, text) : print_error(&err);
    portolan_text_clear(&out);
    free(text);
    portolan_trials_clear(&list);
    trial_store_close(&t);
    return result;
}
