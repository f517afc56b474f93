/* SPDX-License-Identifier: BSD-3-Clause */
/* Which trials count, and which of them make one law together. */
#include <portolan/trials.h>

#include <string.h>

enum { MOST_FACTS = 256 };

bool portolan_trial_counts(const struct portolan_trial *t)
{
    return strcmp(t->outcome, "failed") != 0 && strcmp(t->outcome, "stopped") != 0;
}

bool portolan_fact_is_of_build(const char *name)
{
    return !strncmp(name, "compiled ", 9);
}

size_t portolan_trial_list_facts(const struct portolan_trial *t, struct portolan_name_value *facts,
                                 size_t most)
{
    static const char *const names[] = {PORTOLAN_STORE_VIRTUAL, "host", "processor", "compiler"};
    size_t n = 0;

    for (size_t i = 0; i < t->n_metadata && n < most; i++) {
        bool is_one = portolan_fact_is_of_build(t->metadata[i].name);

        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            is_one = is_one || !strcmp(t->metadata[i].name, names[k]);
        if (is_one)
            facts[n++] = t->metadata[i];
    }
    return n;
}

/* The metadata of T called NAME. */
static const struct portolan_name_value *find_fact(const struct portolan_trial *t, const char *name)
{
    for (size_t i = 0; i < t->n_metadata; i++)
        if (!strcmp(t->metadata[i].name, name))
            return &t->metadata[i];
    return NULL;
}

const struct portolan_name_value *portolan_trial_elsewhere(const struct portolan_trial *t,
                                                           const struct portolan_name_value *facts,
                                                           size_t n)
{
    static const struct portolan_name_value real = {"a", "real machine"};
    const struct portolan_name_value *own = find_fact(t, PORTOLAN_STORE_VIRTUAL);
    const char *wanted = portolan_peek_value(facts, n, PORTOLAN_STORE_VIRTUAL);

    /* Trials of a virtual machine do not count for a real one, unless that virtual machine is asked
     * for. */
    if (!own != !wanted)
        return own ? own : &real;
    if (own && strcmp(own->value, wanted) != 0)
        return own;
    for (size_t i = 0; i < n; i++) {
        own = find_fact(t, facts[i].name);
        if (own && strcmp(own->value, facts[i].value) != 0)
            return own;
    }
    return NULL;
}

static bool is_of_machine(const struct portolan_trial *t, const char *machine)
{
    const struct portolan_name_value fact = {PORTOLAN_STORE_VIRTUAL, machine};

    return !portolan_trial_elsewhere(t, &fact, machine ? 1 : 0);
}

void portolan_trials_keep_of_machine(struct portolan_sample_set *set, const char *machine)
{
    size_t n = 0;

    for (size_t i = 0; i < set->n_trials; i++)
        if (is_of_machine(&set->trials[i], machine))
            set->trials[n++] = set->trials[i];
    set->n_trials = n;
}

void portolan_trials_keep_listed_of_machine(struct portolan_trial_list *l, const char *machine)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++)
        if (is_of_machine(l->trials[i], machine))
            l->trials[n++] = l->trials[i];
    l->n = n;
}

/* Returns whether A rather than B is the trial whose machine and build count; B may be NULL, A is
 * newer. */
static bool is_better(const struct portolan_trial *a, const struct portolan_trial *b)
{
    bool is_real = !portolan_trial_peek_fact(a, PORTOLAN_STORE_VIRTUAL);
    bool was_real = b && !portolan_trial_peek_fact(b, PORTOLAN_STORE_VIRTUAL);
    bool is_built = false, was_built = false;

    if (!b || is_real != was_real)
        return !b || is_real;
    for (size_t i = 0; i < a->n_metadata; i++)
        is_built = is_built || portolan_fact_is_of_build(a->metadata[i].name);
    for (size_t i = 0; i < b->n_metadata; i++)
        was_built = was_built || portolan_fact_is_of_build(b->metadata[i].name);
    return is_built || !was_built; /* a trial that ended early may not say it */
}

/* Returns how many it leaves out. */
static size_t keep(struct portolan_trial_list *l, bool (*is_kept)(const struct portolan_trial *))
{
    size_t n = 0, before = l->n;

    for (size_t i = 0; i < l->n; i++)
        if (is_kept(l->trials[i]))
            l->trials[n++] = l->trials[i];
    l->n = n;
    return before - n;
}

static bool has_finished(const struct portolan_trial *t)
{
    return !strcmp(t->outcome, "finished");
}

void portolan_trials_keep_machine(struct portolan_trial_list *l, struct portolan_text *note)
{
    struct portolan_name_value facts[MOST_FACTS];
    const struct portolan_name_value *apart = NULL;
    const struct portolan_trial *like = NULL;
    size_t n = 0, n_facts;

    for (size_t i = 0; i < l->n; i++)
        like = is_better(l->trials[i], like) ? l->trials[i] : like;
    n_facts = like ? portolan_trial_list_facts(like, facts, MOST_FACTS) : 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct portolan_name_value *own =
            portolan_trial_elsewhere(l->trials[i], facts, n_facts);

        apart = own ? own : apart;
        if (!own)
            l->trials[n++] = l->trials[i];
    }
    if (n < l->n)
        portolan_text_add(note,
                          "%s%zu trial%s left out, of another machine or build than the newest "
                          "(the trials '%s=%s' are some)",
                          note->length ? "; " : "", l->n - n, l->n - n == 1 ? " is" : "s are",
                          apart->name, apart->value);
    l->n = n;
}

void portolan_trials_keep_alike(struct portolan_trial_list *l, struct portolan_text *note)
{
    size_t failed = keep(l, portolan_trial_counts);

    if (failed)
        portolan_text_add(note, "%zu trial%s left out, which failed", failed,
                          failed == 1 ? " is" : "s are");
    portolan_trials_keep_machine(l, note);
}

void portolan_trials_keep_whole(struct portolan_trial_list *l)
{
    bool any = false;

    for (size_t i = 0; i < l->n; i++)
        any = any || has_finished(l->trials[i]);
    if (any)
        keep(l, has_finished);
}
