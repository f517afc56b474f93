/* SPDX-License-Identifier: BSD-3-Clause */
/* Explains a run: its decisions, their alternatives, and where the models were wrong. */
#include "explain.h"
#include "trial_store.h"

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
static enum portolan_status find_run(struct explained *x, const struct trial_store *t,
                                     const char *text, struct portolan_error *err)
{
    char *named = text ? NULL
                       : portolan_asprintf("purpose:run%s%s", t->assembly ? "&name:" : "",
                                           t->assembly ? t->assembly : "");
    enum portolan_status status;

    if (!text && !named)
        return portolan_no_memory(err);
    status = trial_store_select(t, text ? text : named, &x->list, err);
    free(named);
    if (status == PORTOLAN_OK)
        x->run = x->list.trials[x->list.n - 1];
    return status;
}

static const struct portolan_reason *find_decision(const struct explained *x, const char *number,
                                                   struct portolan_error *err)
{
    int64_t wanted;

    if (!portolan_read_int64(number, &wanted))
        portolan_error_set(err, PORTOLAN_EINVAL, "'%s' is not the number of a decision", number);
    for (size_t i = 0; !err->status && i < x->set->n_reasons; i++)
        if (x->set->reasons[i].number == wanted)
            return &x->set->reasons[i];
    if (!err->status)
        portolan_error_set(err, PORTOLAN_ENOTFOUND, "run %lld has no decision %s, it has %zu",
                           (long long)x->run->id, number, x->set->n_reasons);
    return NULL;
}

/*
 * The row of the alternative "solver=heat.Umfpack" at the latest decision that did not choose it;
 * if all chose it, at the latest.
 */
static const struct portolan_alternative *
find_alternative(const struct explained *x, const char *text, struct portolan_error *err)
{
    size_t length = strcspn(text, "=");
    const struct portolan_alternative *found = NULL;
    struct portolan_text known = {0};

    for (size_t i = 0; i < x->set->n_alternatives; i++) {
        const struct portolan_alternative *a = &x->set->alternatives[i];

        if (a->number == x->set->alternatives[0].number)
            portolan_text_add(&known, " %s=%s", a->instance, a->implementation);
        if (strlen(a->instance) == length && !strncmp(a->instance, text, length) &&
            !strcmp(a->implementation, text + length + 1) &&
            (!found || !a->chosen || found->chosen))
            found = a;
    }
    if (!found)
        portolan_error_set(err, PORTOLAN_ENOTFOUND,
                           "no decision of run %lld considered '%s'; the alternatives are:%s",
                           (long long)x->run->id, text, known.bytes ? known.bytes : " none");
    portolan_text_clear(&known);
    return found;
}

/* ------------------------------------------------------------------ the command */

static void write_text_of(struct explained *x, const struct options *o,
                          const struct portolan_reason *only,
                          const struct portolan_alternative *not_chosen)
{
    if (not_chosen) {
        explain_why_not(x, not_chosen);
    } else if (only) {
        explain_decision(x, only);
    } else {
        explain_run(x);
    }
    if (o->steps)
        explain_steps(x);
}

static enum portolan_status explain(struct explained *x, const struct options *o,
                                    const struct trial_store *t, struct portolan_error *err)
{
    const struct portolan_alternative *not_chosen = NULL;
    const struct portolan_reason *only = NULL;
    enum portolan_status status = find_run(x, t, o->trial, err);

    if (status == PORTOLAN_OK)
        status = portolan_store_read_reasons(t->store, x->run->id, &x->set, err);
    if (status != PORTOLAN_OK)
        return status;
    if (o->why_not && !(not_chosen = find_alternative(x, o->why_not, err)))
        return err->status;
    if (o->store.trials && !(only = find_decision(x, o->store.trials, err)))
        return err->status;
    if (not_chosen)
        only = explain_find_decision(x, not_chosen);
    if (o->json)
        explain_as_json(x, only, not_chosen);
    else
        write_text_of(x, o, only, not_chosen);
    return x->out->failed ? portolan_no_memory(err) : PORTOLAN_OK;
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
    struct explained x = {.out = &out};
    struct trial_store t;
    int result;

    parse_line(&line, argc, argv, 0, &o);
    if (trial_store_open(&t, &o.store, PORTOLAN_STORE_READ, &err) == PORTOLAN_OK)
        explain(&x, &o, &t, &err);
    result = err.status == PORTOLAN_OK ? write_text(NULL, out.bytes ? out.bytes : "")
                                       : print_error(&err);
    portolan_text_clear(&out);
    portolan_reason_set_destroy(x.set);
    portolan_trials_clear(&x.list);
    trial_store_close(&t);
    return result;
}
