/* SPDX-License-Identifier: BSD-3-Clause */
/* `portolan explain`: finds the run, and prints what explains it (<portolan/explain.h>). */
#include "trial_words.h"

#include <portolan/explain.h>
#include <portolan/tune.h>

#include <stdlib.h>
#include <string.h>

struct options {
    struct trial_store_options store;
    const char *trial, *why_not;
    bool steps, json;
};

static const struct cli_option options[] = {
    {"trial", 'n', "TRIAL", "explain this trial (default: the newest run)",
     INTO(struct options, trial)},
    {"why-not", 'w', "INSTANCE=CLASS",
     "show what this alternative would have cost, how sure that is, and what would change the "
     "choice",
     INTO(struct options, why_not), .take = need_equals},
    {"steps", 't', NULL, "show the expected and the measured time of each step",
     INTO(struct options, steps)},
    {"json", 0, NULL, "print JSON", INTO(struct options, json)},
    TABLE_OF(trial_store_table, struct options, store),
    TRIAL_WORDS("decision", struct options, store),
    {0},
};

/* ------------------------------------------------------------------ finding */

/* The newest of the trials that TEXT names; without it the newest run. */
static enum portolan_status find_run(struct portolan_trial_list *list, const struct trial_store *t,
                                     const char *text, struct portolan_error *err)
{
    char *named = text ? NULL
                       : portolan_asprintf("purpose:run%s%s", t->assembly ? "&name:" : "",
                                           t->assembly ? t->assembly : "");
    enum portolan_status status;

    if (!text && !named)
        return portolan_no_memory(err);
    status = trial_store_select(t, text ? text : named, list, err);
    free(named);
    return status;
}

static void write_text_of(struct portolan_explained *x, const struct options *o,
                          const struct portolan_reason *only,
                          const struct portolan_alternative *not_chosen)
{
    if (not_chosen)
        portolan_explain_why_not(x, not_chosen);
    else if (only)
        portolan_explain_decision(x, only);
    else
        portolan_explain_run(x);
    if (o->steps)
        portolan_explain_steps(x);
}

static enum portolan_status explain(struct portolan_explained *x, const struct options *o,
                                    struct portolan_error *err)
{
    const struct portolan_alternative *not_chosen = NULL;
    const struct portolan_reason *only = NULL;

    if (o->why_not && !(not_chosen = portolan_explain_find_alternative(x, o->why_not, err)))
        return err->status;
    if (o->store.trials && !(only = portolan_explain_find(x, o->store.trials, err)))
        return err->status;
    if (o->json)
        portolan_explain_write_json(x, only, not_chosen);
    else
        write_text_of(x, o, only, not_chosen);
    return x->out->failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

static enum portolan_status explain_stored(const struct trial_store *t, const struct options *o,
                                           struct portolan_text *out, struct portolan_error *err)
{
    struct portolan_trial_list list = {0};
    struct portolan_reason_set *set = NULL;
    enum portolan_status status = find_run(&list, t, o->trial, err);
    const struct portolan_trial *run = status ? NULL : list.trials[list.n - 1];

    if (!status)
        status = portolan_store_read_reasons(t->store, run->id, &set, err);
    if (!status)
        status = explain(&(struct portolan_explained){run, set, out}, o, err);
    portolan_reason_set_destroy(set);
    portolan_trials_clear(&list);
    return status;
}

/* Of a program with options: each of its combinations. */
static enum portolan_status explain_program(const struct trial_store *t, const struct options *o,
                                            struct portolan_text *out, struct portolan_error *err)
{
    struct portolan_store_query query = {.assembly = t->assembly};
    struct portolan_sample_set *set = NULL;
    enum portolan_status status = portolan_store_read(t->store, &query, true, &set, err);

    (void)o;
    if (!status)
        status = tune_explain(t->bench.assembly, set, out, err);
    portolan_sample_set_destroy(set);
    return status;
}

/* A program's combinations, also if only the store describes it; else the newest run. */
static enum portolan_status explain_any(struct trial_store *t, const struct options *o,
                                        struct portolan_text *out, struct portolan_error *err)
{
    struct assembly_options of = {.file = t->path};
    struct portolan_error none = {0}, no_program = {0};

    if (!t->bench.assembly) {
        if (explain_stored(t, o, out, &none) == PORTOLAN_ENOTFOUND && !o->trial)
            workbench_open_store(&t->bench, &of, &no_program);
        if (t->bench.assembly && t->bench.assembly->program)
            t->assembly = t->bench.assembly->name;
    }
    if (t->bench.assembly && t->bench.assembly->program)
        return explain_program(t, o, out, err);
    if (t->bench.assembly && !none.status)
        return explain_stored(t, o, out, err);
    *err = none;
    return none.status;
}

int command_explain(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "[STORE|ASSEMBLY.xml] [DECISION]",
        .doc = "Explain what a run decided, why, and how long it was expected to take: `portolan "
               "explain` lists the decisions of the newest run, `portolan explain 3` shows one.",
        .options = options,
    };
    struct options o = {0};
    struct portolan_text out = {0};
    struct portolan_error err = {0};
    struct trial_store t;
    int result;

    parse_line(&line, argc, argv, 0, &o);
    if (!trial_store_open(&t, &o.store, print_diagnostic, PORTOLAN_STORE_READ, &err))
        explain_any(&t, &o, &out, &err);
    result = err.status == PORTOLAN_OK ? write_text(NULL, out.bytes ? out.bytes : "")
                                       : print_error(&err);
    portolan_text_clear(&out);
    trial_store_close(&t);
    return result;
}
