/* SPDX-License-Identifier: BSD-3-Clause */
/* What was different between two sets of trials, besides their times. */
#include "compare.h"
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* A name with its value in one trial. */
struct fact {
    const char *name, *value;
    bool in_b;
};

/* What differs from run to run by itself, or is told elsewhere. */
static bool is_noise(const char *name)
{
    static const char *const prefixes[] = {"label",
                                           "cost.",
                                           "call cost",
                                           "partial step",
                                           "not always measured",
                                           "environment SLURM_JOB_ID",
                                           "rows lost"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}

static void take(struct fact *facts, size_t *n, const struct portolan_name_value *pairs,
                 size_t n_pairs, bool in_b)
{
    for (size_t i = 0; i < n_pairs; i++)
        if (!is_noise(pairs[i].name))
            facts[(*n)++] = (struct fact){pairs[i].name, pairs[i].value, in_b};
}

static int by_name(const void *a, const void *b)
{
    const struct fact *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    if (!order)
        order = (int)x->in_b - (int)y->in_b;
    return order ? order : strcmp(x->value, y->value);
}

/* Distinct values of one side with "; " between, "-" where a trial has none. */
static const char *join(struct portolan_arena *arena, const struct fact *facts, size_t n, bool in_b,
                        size_t trials)
{
    struct portolan_text text = {.arena = arena};
    const char *last = NULL;
    size_t with = 0;

    for (size_t i = 0; i < n; i++) {
        if (facts[i].in_b != in_b)
            continue;
        with++;
        if (!last || strcmp(last, facts[i].value) != 0)
            portolan_text_add(&text, "%s%s", last ? "; " : "", facts[i].value);
        last = facts[i].value;
    }
    if (with < trials)
        portolan_text_add(&text, "%s-", with ? "; " : "");
    return text.failed ? NULL : text.bytes;
}

static bool add_fact(struct portolan_comparison *c, const struct fact *facts, size_t n)
{
    struct portolan_comparison_fact *grown, fact = {
                                                .name = facts->name,
                                                .in_a = join(c->impl, facts, n, false, c->n_a),
                                                .in_b = join(c->impl, facts, n, true, c->n_b),
                                            };

    if (!fact.in_a || !fact.in_b)
        return false;
    if (!strcmp(fact.in_a, fact.in_b))
        return true;
    if (!(grown = portolan_reallocarray(c->facts, c->n_facts + 1, sizeof *grown)))
        return false;
    c->facts = grown;
    grown[c->n_facts++] = fact;
    return true;
}

static size_t count_pairs(const struct portolan_comparison *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n_a + c->n_b; i++)
        n += c->a[i]->n_metadata + c->a[i]->n_parameters + c->a[i]->n_implementations + 3;
    return n;
}

enum portolan_status comparison_find_facts(struct portolan_comparison *c,
                                           struct portolan_error *err)
{
    struct fact *facts = portolan_calloc(count_pairs(c), sizeof *facts);
    size_t n = 0;
    bool good = facts != NULL;

    for (size_t i = 0; good && i < c->n_a + c->n_b; i++) {
        const struct portolan_trial *t = c->a[i];
        bool in_b = i >= c->n_a;
        const char *ranks = portolan_arena_printf(c->impl, "%d", t->ranks);

        take(facts, &n, t->metadata, t->n_metadata, in_b);
        take(facts, &n, t->parameters, t->n_parameters, in_b);
        take(facts, &n, t->implementations, t->n_implementations, in_b);
        facts[n++] = (struct fact){"assembly", t->assembly, in_b};
        facts[n++] = (struct fact){"ranks", ranks, in_b};
        facts[n++] = (struct fact){"purpose", t->purpose, in_b};
        good = ranks != NULL;
    }
    if (good)
        qsort(facts, n, sizeof *facts, by_name);
    for (size_t i = 0, end; good && i < n; i = end) {
        for (end = i; end < n && !strcmp(facts[end].name, facts[i].name); end++)
            ;
        good = add_fact(c, &facts[i], end - i);
    }
    free(facts);
    return good ? PORTOLAN_OK : portolan_no_memory(err);
}
