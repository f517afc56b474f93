/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings in the store: put there, and compared between two trials. */
#include "internal.h"

#include <portolan/list.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum portolan_status portolan_subject_store(struct portolan_subject *s,
                                            const struct portolan_diagnosis *d,
                                            struct portolan_error *err)
{
    struct portolan_stored_diagnosis whole = {
        .trial = s->trial, .number = 1, .first_step = -1, .last_step = -1};
    struct portolan_stored_finding *findings =
        portolan_arena_alloc(&s->arena, d->n_causes, sizeof *findings);
    struct portolan_store *store = NULL;
    enum portolan_status status =
        findings ? portolan_store_open(s->store, PORTOLAN_STORE_WRITE, &store, err)
                 : portolan_no_memory(err);

    if (!status) {
        portolan_diagnosis_to_store(d, &whole, findings);
        status = portolan_store_put_diagnosis(store, &whole, findings, d->n_causes, err);
    }
    portolan_store_close(store);
    return status;
}

/* ------------------------------------------------- two trials */

struct side {
    struct portolan_sample_set *trials;
    struct portolan_diagnosis_set *set;
    const struct portolan_stored_diagnosis *whole;  /* the latest */
    const struct portolan_stored_finding *findings; /* of it */
    size_t n;
};

struct pair {
    const struct portolan_stored_finding *of[2]; /* NULL: this trial was not looked at for it */
    double change, spread; /* of the share; SPREAD: half of its interval of 95 %; NaN: not known */
};

static enum portolan_status read_side(struct portolan_store *store, int64_t trial,
                                      struct side *side, struct portolan_error *err)
{
    const struct portolan_store_query query = {.trial = trial};
    enum portolan_status status = portolan_store_read(store, &query, false, &side->trials, err);

    if (!status && !side->trials->n_trials)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no trial %lld",
                                  (long long)trial);
    if (!status)
        status = portolan_store_read_diagnoses(store, trial, &side->set, err);
    if (!status && !side->set->n_diagnoses)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "trial %lld has no diagnosis; 'portolan diagnose -p' stores one",
                                  (long long)trial);
    if (status)
        return status;
    side->whole = &side->set->diagnoses[side->set->n_diagnoses - 1];
    side->findings = side->set->findings + side->set->n_findings; /* by diagnosis */
    while (side->findings > side->set->findings &&
           side->findings[-1].diagnosis == side->whole->number) {
        side->findings--;
        side->n++;
    }
    return PORTOLAN_OK;
}

/* Not known of a cause that was looked for in one of the trials only. */
static void find_change(struct pair *p)
{
    const struct portolan_stored_finding *a = p->of[0], *b = p->of[1];

    p->change = a && b ? b->share - a->share : NAN;
    p->spread = a && b ? hypot(fmax(a->spread, 0), fmax(b->spread, 0)) : NAN;
}

/* The largest changes first, what is not known last. */
static int compare_pairs(const void *a, const void *b)
{
    double x = fabs(((const struct pair *)a)->change), y = fabs(((const struct pair *)b)->change);

    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x < y) - (x > y);
}

static struct pair *make_pairs(struct portolan_arena *arena, const struct side sides[2], size_t *n)
{
    struct pair *pairs = NULL;

    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < sides[side].n; i++) {
            const struct portolan_stored_finding *f = &sides[side].findings[i];
            struct pair new = {{0}, NAN, NAN};
            size_t k = 0;

            while (k < *n && strcmp(pairs[k].of[pairs[k].of[0] ? 0 : 1]->cause, f->cause) != 0)
                k++;
            if (k == *n && !portolan_arena_append(arena, &pairs, n, &new, sizeof new))
                return NULL;
            pairs[k].of[side] = f;
        }
    for (size_t i = 0; i < *n; i++)
        find_change(&pairs[i]);
    if (*n)
        qsort(pairs, *n, sizeof *pairs, compare_pairs);
    return pairs;
}

static void add_share(struct portolan_text *out, double share, int digits)
{
    if (isfinite(share))
        portolan_text_add(out, " %9.*f %%", digits, 100 * share);
    else
        portolan_text_add(out, " %11s", "-");
}

static void add_pair(struct portolan_text *out, const struct pair *p, int digits)
{
    const struct portolan_stored_finding *f = p->of[1] ? p->of[1] : p->of[0];

    portolan_text_add(out, "  %-24.24s %-40.40s", f->factor, f->title);
    for (int side = 0; side < 2; side++)
        add_share(out, p->of[side] ? p->of[side]->share : NAN, digits);
    add_share(out, p->change, digits);
    portolan_text_add(out, "%s\n",
                      isnan(p->change) ? "  only one of the two looked for it"
                      : p->change != 0 && fabs(p->change) <= p->spread
                          ? "  not more than the difference between repetitions"
                          : "");
}

static void add_head(struct portolan_text *out, const struct side sides[2])
{
    for (int side = 0; side < 2; side++) {
        const struct portolan_trial *t = &sides[side].trials->trials[0];
        char time[32];

        portolan_text_add(out, "trial %lld: %s, paradigm %s, %d rank%s, %s: %s%s%s\n",
                          (long long)t->id, t->assembly, sides[side].whole->paradigm, t->ranks,
                          t->ranks == 1 ? "" : "s",
                          portolan_format_time(sides[side].whole->run_ns, 3, time, sizeof time),
                          sides[side].whole->verdict, *sides[side].whole->why ? ", " : "",
                          sides[side].whole->why);
    }
    if (strcmp(sides[0].whole->paradigm, sides[1].whole->paradigm) != 0)
        portolan_text_add(out,
                          "their paradigms differ: only causes of the same name are compared\n");
}

/* Rank-seconds: so that runs on different numbers of ranks can be compared. */
static void add_time(struct portolan_text *out, const struct side sides[2], int digits)
{
    double seconds[2];

    for (int side = 0; side < 2; side++)
        seconds[side] = 1e-9 * sides[side].whole->run_ns * sides[side].trials->trials[0].ranks;
    portolan_text_add(out, "rank-seconds: %.4g and %.4g (%+.*f %%)\n", seconds[0], seconds[1],
                      digits, 100 * (seconds[1] / seconds[0] - 1));
}

static bool add_changes(struct portolan_text *out, const struct side sides[2],
                        const struct pair *pairs, size_t n, int digits)
{
    char names[2][32];
    bool is_worse = false;

    add_head(out, sides);
    add_time(out, sides, digits);
    for (int side = 0; side < 2; side++)
        snprintf(names[side], sizeof names[side], "trial %lld",
                 (long long)sides[side].trials->trials[0].id);
    portolan_text_add(out, "%-67s %11s %11s %11s\n", "factor and cause, shares of rank-seconds",
                      names[0], names[1], "change");
    for (size_t i = 0; i < n; i++) {
        add_pair(out, &pairs[i], digits);
        is_worse |= pairs[i].change > pairs[i].spread &&
                    !strcmp(pairs[i].of[1]->verdict, portolan_verdict_word(PORTOLAN_PROBLEM));
    }
    portolan_text_add(out, "  %-65s", "unexplained");
    add_share(out, sides[0].whole->unexplained, digits);
    add_share(out, sides[1].whole->unexplained, digits);
    add_share(out, sides[1].whole->unexplained - sides[0].whole->unexplained, digits);
    portolan_text_add(out, "\n");
    return is_worse;
}

static void close_side(struct side *side)
{
    portolan_diagnosis_set_destroy(side->set);
    portolan_sample_set_destroy(side->trials);
}

enum portolan_status portolan_findings_check(const char *store, int64_t trial,
                                             struct portolan_error *err)
{
    struct side side = {0};
    struct portolan_store *s = NULL;
    enum portolan_status status = portolan_store_open(store, PORTOLAN_STORE_READ, &s, err);

    if (!status)
        status = read_side(s, trial, &side, err);
    portolan_store_close(s);
    close_side(&side);
    return status;
}

enum portolan_status portolan_findings_compare(const char *store, int64_t a, int64_t b, int digits,
                                               char **text, bool *is_worse,
                                               struct portolan_error *err)
{
    struct side sides[2] = {{0}, {0}};
    struct portolan_arena arena = {0};
    struct portolan_text out = {0};
    struct portolan_store *s = NULL;
    size_t n = 0;
    enum portolan_status status = portolan_store_open(store, PORTOLAN_STORE_READ, &s, err);

    *text = NULL;
    if (!status)
        status = read_side(s, a, &sides[0], err);
    if (!status)
        status = read_side(s, b, &sides[1], err);
    portolan_store_close(s);
    if (!status) {
        struct pair *pairs = make_pairs(&arena, sides, &n);

        if (arena.failed)
            status = portolan_no_memory(err);
        else
            *is_worse = add_changes(&out, sides, pairs, n, digits);
    }
    if (!status)
        status = portolan_text_take(&out, text, err);
    portolan_text_clear(&out);
    portolan_arena_clear(&arena);
    close_side(&sides[0]);
    close_side(&sides[1]);
    return status;
}
