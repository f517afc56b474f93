/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/machine.h>
#include <portolan/recorder.h>
#include <portolan/settle.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The variable is stored with the trial, since its name begins with PORTOLAN_. */
#define MARK "PORTOLAN_EXPERIMENT"

enum portolan_status portolan_trial_expect(const char *file, struct portolan_store **store,
                                           struct portolan_error *err)
{
    static unsigned n;
    char text[80];

    snprintf(text, sizeof text, "%ld-%.0f-%u", (long)getpid(), 1e6 * portolan_now_s(), n++);
    *store = NULL;
    return setenv(MARK, text, 1) ? portolan_no_memory(err)
                                 : portolan_store_open(file, PORTOLAN_STORE_WRITE, store, err);
}

/* The trials of the assembly, and which of them has the mark; *MARKED is NULL if nothing of it is
 * stored. The caller destroys *SET. */
static enum portolan_status find_marked(struct portolan_store *store,
                                        const struct portolan_assembly *a,
                                        struct portolan_sample_set **set,
                                        const struct portolan_trial **marked,
                                        struct portolan_error *err)
{
    const struct portolan_store_query query = {.assembly = a->name};
    enum portolan_status status = portolan_store_read(store, &query, false, set, err);
    const char *mark = getenv(MARK);

    *marked = NULL;
    for (size_t i = status || !mark ? 0 : (*set)->n_trials; i > 0 && !*marked; i--) {
        const char *its = portolan_trial_peek_fact(&(*set)->trials[i - 1], "environment " MARK);

        if (its && !strcmp(its, mark))
            *marked = &(*set)->trials[i - 1];
    }
    return status;
}

/* ------------------------------------------------------------------ who is to blame */

static bool is_blamed(const struct portolan_trial *t)
{
    for (size_t i = 0; i < t->n_metadata; i++)
        if (!strncmp(t->metadata[i].name, PORTOLAN_STORE_BLAMED, strlen(PORTOLAN_STORE_BLAMED)))
            return true;
    return false;
}

/* Returns whether a trial whose assembly did not change ended well with the instance as it is now.
 */
static bool has_worked(const struct portolan_sample_set *set,
                       const struct portolan_assembly_instance *x)
{
    const char *class_name = x->alternatives[x->selected].class_name;

    for (size_t i = 0; i < set->n_trials; i++) {
        const struct portolan_trial *t = &set->trials[i];
        const char *ran = portolan_peek_value(t->implementations, t->n_implementations, x->name);

        if (!strcmp(t->outcome, "finished") && strcmp(t->purpose, "run") != 0 && ran &&
            !strcmp(ran, class_name))
            return true;
    }
    return false;
}

/* Returns the only instance that is not as written, or the only one of these that never worked. */
static const struct portolan_assembly_instance *find_suspect(const struct portolan_sample_set *set,
                                                             const struct portolan_assembly *a)
{
    const struct portolan_assembly_instance *changed = NULL, *unproven = NULL;
    int n_changed = 0, n_unproven = 0;

    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_assembly_instance *x = &a->instances[i];

        if (x->selected == 0)
            continue;
        n_changed++;
        changed = x;
        if (has_worked(set, x))
            continue;
        n_unproven++;
        unproven = x;
    }
    return n_unproven == 1 ? unproven : n_changed == 1 ? changed : NULL;
}

static enum portolan_status blame(struct portolan_store *store,
                                  const struct portolan_expected_trial *expected,
                                  const struct portolan_sample_set *set, int64_t trial,
                                  struct portolan_error *err)
{
    const struct portolan_assembly_instance *x = find_suspect(set, expected->assembly);
    const struct portolan_class_description *class;
    struct portolan_running r;

    if (!x)
        return PORTOLAN_OK;
    r = (struct portolan_running){.instance = x->name,
                                  .class_name = x->alternatives[x->selected].class_name};
    class = portolan_palette_find(expected->palette, r.class_name);
    r.library = class ? class->library : NULL;
    return portolan_store_blame(store, trial, &r, err);
}

/* ------------------------------------------------------------------ the trial */

/* Begins the trial of a run that stored nothing, with the implementations that would have run. */
static enum portolan_status begin_trial(struct portolan_store *store,
                                        const struct portolan_expected_trial *x, int64_t *id,
                                        struct portolan_error *err)
{
    struct portolan_facts facts = {0}, parameters = {0}, implementations = {0};
    enum portolan_status status = PORTOLAN_OK;

    portolan_facts_put_machine(&facts);
    if (x->machine) {
        portolan_facts_put(&facts, "host", x->machine);
        portolan_facts_put(&facts, PORTOLAN_STORE_VIRTUAL, x->machine);
    }
    portolan_facts_put_choices(x->assembly, &parameters, &implementations);
    if (facts.failed || parameters.failed || implementations.failed)
        status = portolan_no_memory(err);
    if (!status)
        status = portolan_store_begin_trial(
            store,
            &(struct portolan_trial){.assembly = x->assembly->name,
                                     .purpose = x->assembly->purpose,
                                     .ranks = x->ranks,
                                     .n_parameters = parameters.n,
                                     .parameters = parameters.pairs,
                                     .n_implementations = implementations.n,
                                     .implementations = implementations.pairs,
                                     .n_metadata = facts.n,
                                     .metadata = facts.pairs},
            id, err);
    portolan_facts_clear(&facts);
    portolan_facts_clear(&parameters);
    portolan_facts_clear(&implementations);
    return status;
}

static bool is_as_written(const struct portolan_assembly *a)
{
    for (size_t i = 0; i < a->n_instances; i++)
        if (a->instances[i].selected != 0)
            return false;
    return true;
}

/* The trial, which its processes left as OUTCOME ("": they stored nothing), has failed. */
static enum portolan_status fail(struct portolan_store *store,
                                 const struct portolan_expected_trial *x, int64_t id,
                                 const char *outcome, const char *why, struct portolan_error *err)
{
    struct portolan_sample_set *set = NULL;
    const struct portolan_trial *t = NULL;
    bool was_cut = strcmp(outcome, "failed") != 0, is_settled, has_culprit;
    enum portolan_status status = portolan_store_settle(store, why, err);

    if (!status)
        status = find_marked(store, x->assembly, &set, &t, err);
    is_settled = t && was_cut && !strcmp(t->outcome, "failed"); /* by the note, with the reason */
    has_culprit = t && is_blamed(t);
    if (!status && !is_settled)
        status = portolan_store_put_metadata(store, id,
                                             &(struct portolan_name_value){"failure", why}, 1, err);
    if (!status && was_cut && !is_settled)
        status = portolan_store_end_trial(store, id, "failed", 0, err);
    if (!status && was_cut && !has_culprit)
        status = blame(store, x, set, id, err);
    portolan_sample_set_destroy(set);
    return status ? status : portolan_error_set(err, PORTOLAN_ECOMPONENT, "%s", why);
}

enum portolan_status portolan_trial_settle(struct portolan_store *store,
                                           const struct portolan_expected_trial *x, const char *why,
                                           struct portolan_error *err)
{
    struct portolan_sample_set *set = NULL;
    const struct portolan_trial *t;
    enum portolan_status status = find_marked(store, x->assembly, &set, &t, err);
    char outcome[16] = "";
    int64_t id = !status && t ? t->id : 0;

    if (!status && t)
        snprintf(outcome, sizeof outcome, "%s", t->outcome);
    portolan_sample_set_destroy(set);
    if (!status && !why && strcmp(outcome, "finished") != 0)
        why = "its processes ended, with status 0, before the run was over";
    if (status || !why)
        return status;
    if (!id && is_as_written(x->assembly)) /* it is no alternative, and nothing can be compared */
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "the assembly as written does not begin: %s", why);
    if (!id)
        status = begin_trial(store, x, &id, err);
    return status ? status : fail(store, x, id, outcome, why, err);
}

enum portolan_status portolan_trial_discard(struct portolan_store *store,
                                            const struct portolan_assembly *a,
                                            struct portolan_error *err)
{
    struct portolan_sample_set *set = NULL;
    const struct portolan_trial *t;
    enum portolan_status status = find_marked(store, a, &set, &t, err);

    if (!status && t)
        status = portolan_store_delete_trial(store, t->id, err);
    portolan_sample_set_destroy(set);
    return status;
}
