/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares two sets of trials call path by call path: values, their tests, and differing facts. */
#include "internal.h"

#include <portolan/compare.h>
#include <portolan/index.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum quantity { EXCLUSIVE, INCLUSIVE, MPI, CALLS, COUNTER };

struct comparing {
    struct portolan_comparison *c;
    const struct portolan_profile *const *profiles; /* A's, then B's */
    enum quantity quantity;
    struct portolan_index index;
    const struct portolan_profile_node **nodes; /* the first node of each row */
    struct portolan_error *err;
};

/* ------------------------------------------------- rows */

struct wanted_row {
    const struct comparing *x;
    const struct portolan_profile_node *node;
    int64_t parent;
};

static bool same_row(const void *wanted, size_t i)
{
    const struct wanted_row *w = wanted;
    const struct portolan_profile_node *a = w->x->nodes[i], *b = w->node;

    return w->x->c->rows[i].parent == w->parent && !strcmp(a->method, b->method) &&
           !strcmp(a->instance, b->instance) && !strcmp(a->port, b->port) &&
           !strcmp(a->user, b->user) && !strcmp(a->uses, b->uses);
}

static const char *make_label(struct comparing *x, const struct portolan_profile_node *n)
{
    struct portolan_text text = {.arena = &x->c->arena};
    struct portolan_profile_node plain = *n;

    plain.implementation = "";
    portolan_profile_add_label(&plain, false, &text);
    return text.bytes;
}

/* The row of a node, which is added if it is missing; NULL without memory. */
static struct portolan_comparison_row *
find_row(struct comparing *x, const struct portolan_profile_node *n, int64_t parent)
{
    struct portolan_comparison *c = x->c;
    struct portolan_arena *arena = &c->arena;
    uint64_t hash = profile_hash_method(n, portolan_hash(&parent, sizeof parent, 0));
    const struct wanted_row wanted = {x, n, parent};
    size_t last = c->n_rows, at = portolan_index_find(&x->index, hash, same_row, &wanted);
    double *values;

    if (at != SIZE_MAX)
        return &c->rows[at];
    c->rows = portolan_arena_grow(arena, c->rows, last, sizeof *c->rows);
    x->nodes = portolan_arena_grow(arena, x->nodes, last, sizeof *x->nodes);
    values = portolan_arena_alloc(arena, c->n_a + c->n_b, sizeof *values);
    if (!c->rows || !x->nodes || !values || !portolan_index_add(&x->index, hash, last))
        return NULL;
    x->nodes[last] = n;
    c->rows[last] = (struct portolan_comparison_row){
        .parent = parent,
        .depth = n->depth,
        .label = make_label(x, n),
        .in_a = "",
        .in_b = "",
        .values_a = values,
        .values_b = values + c->n_a,
    };
    c->n_rows++;
    return c->rows[last].label ? &c->rows[last] : NULL;
}

/* The mean over ranks; 0 where nothing was measured. */
static double value_of(const struct comparing *x, const struct portolan_profile *p,
                       const struct portolan_profile_node *n)
{
    double max, sum = portolan_profile_sum(p, n, x->c->query.metric, &max);

    return isnan(sum) ? 0 : sum / p->ranks;
}

static const char *join_names(struct comparing *x, const char *had, const char *more)
{
    if (!*more || !strcmp(had, more))
        return had;
    return *had ? portolan_arena_printf(&x->c->arena, "%s, %s", had, more)
                : portolan_arena_strdup(&x->c->arena, more);
}

static bool is_in(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ','))
            return true;
    return false;
}

static bool add_profile(struct comparing *x, size_t trial)
{
    const struct portolan_profile *p = x->profiles[trial];
    int64_t *row_of = portolan_calloc(p->n_nodes + 1, sizeof *row_of);
    bool good = row_of != NULL;

    for (size_t i = 0; good && i < p->n_nodes; i++) {
        const struct portolan_profile_node *n = &p->nodes[i];
        struct portolan_comparison_row *row;
        const char **names;

        if (n->is_context)
            continue;
        if (!(row = find_row(x, n, n->parent < 0 ? -1 : row_of[n->parent]))) {
            good = false;
            break;
        }
        row_of[i] = row - x->c->rows;
        ((double *)row->values_a)[trial] += value_of(x, p, n); /* B's values follow A's */
        row->is_marked |= n->is_marked;
        names = trial < x->c->n_a ? &row->in_a : &row->in_b;
        if (!is_in(*names, n->implementation))
            *names = join_names(x, *names, n->implementation);
        good = *names != NULL;
    }
    free(row_of);
    return good;
}

/* The total of a trial: of time, from begin to end, or the longest root of a trial that was cut
 * off.
 */
static double total_of(const struct comparing *x, const struct portolan_profile *p)
{
    double total = 0;

    if ((x->quantity == EXCLUSIVE || x->quantity == INCLUSIVE) && p->trial->elapsed_ns > 0)
        return p->trial->elapsed_ns;
    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct portolan_profile_node *n = &p->nodes[i];

        if (n->is_context)
            continue;
        if (x->quantity == EXCLUSIVE || x->quantity == INCLUSIVE)
            total = n->parent < 0 ? fmax(total, n->inclusive_ns.max) : total;
        else if (x->quantity != COUNTER || n->parent < 0)
            total += value_of(x, p, n);
    }
    return total;
}

static enum portolan_status set_quantity(struct comparing *x)
{
    static const char *const names[] = {"exclusive", "inclusive", "mpi", "calls"};
    struct portolan_text known = {0};
    const char *metric = x->c->query.metric ? x->c->query.metric : names[0];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(metric, names[i])) {
            x->quantity = (enum quantity)i;
            x->c->query.metric = names[i];
            return PORTOLAN_OK;
        }
    x->quantity = COUNTER;
    for (size_t i = 0; i < x->c->n_a + x->c->n_b; i++)
        if (portolan_profile_find_counter(x->profiles[i], metric) < x->profiles[i]->n_counters)
            return PORTOLAN_OK;
    for (size_t k = 0; k < x->profiles[0]->n_counters; k++)
        portolan_text_add(&known, ", %s", x->profiles[0]->counter_names[k]);
    portolan_error_set(
        x->err, PORTOLAN_EINVAL,
        "no trial has a metric '%s'; the metrics are: exclusive, inclusive, mpi, calls%s", metric,
        known.bytes ? known.bytes : "");
    portolan_text_clear(&known);
    return PORTOLAN_EINVAL;
}

/* ------------------------------------------------- verdicts */

static double sum_of(const double *values, size_t n)
{
    double s = 0;

    for (size_t i = 0; i < n; i++)
        s += values[i];
    return s;
}

/* Sets all results of a row that do not depend on other rows. */
static enum portolan_status test_row(const struct portolan_comparison *c,
                                     struct portolan_comparison_row *r)
{
    double t, freedom;
    enum portolan_status status = portolan_median(r->values_a, c->n_a, &r->median_a);

    if (status == PORTOLAN_OK)
        status = portolan_median(r->values_b, c->n_b, &r->median_b);
    if (status == PORTOLAN_OK)
        status =
            portolan_ratio(r->values_a, c->n_a, r->values_b, c->n_b, c->query.level, &r->ratio);
    if (status == PORTOLAN_OK)
        status = portolan_mann_whitney(r->values_a, c->n_a, r->values_b, c->n_b, &r->p);
    r->p_welch = portolan_welch(r->values_a, c->n_a, r->values_b, c->n_b, &t, &freedom);
    return status;
}

static enum portolan_verdict judge_row(const struct portolan_comparison *c,
                                       const struct portolan_comparison_row *r, bool is_member,
                                       bool can_tell)
{
    double most = 1 + c->query.threshold;

    if (sum_of(r->values_a, c->n_a) == 0 && sum_of(r->values_b, c->n_b) != 0)
        return PORTOLAN_VERDICT_NEW;
    if (sum_of(r->values_b, c->n_b) == 0 && sum_of(r->values_a, c->n_a) != 0)
        return PORTOLAN_VERDICT_GONE;
    if (!is_member)
        return PORTOLAN_VERDICT_NOT_TESTED;
    if (!can_tell)
        return PORTOLAN_VERDICT_CANNOT_TELL;
    if (r->p_holm <= c->query.level)
        return r->ratio.value > most       ? PORTOLAN_VERDICT_SLOWER
               : r->ratio.value < 1 / most ? PORTOLAN_VERDICT_FASTER
                                           : PORTOLAN_VERDICT_SMALL;
    return r->ratio.low >= 1 / most && r->ratio.high <= most ? PORTOLAN_VERDICT_SAME
                                                             : PORTOLAN_VERDICT_UNCLEAR;
}

/* The number of trials on each side that could make one difference among MEMBERS significant. */
static size_t enough(double level, size_t members)
{
    size_t n = 1;

    while (n < 1000 && portolan_mann_whitney_least(n, n) * (double)members > level)
        n++;
    return n;
}

static enum portolan_status test_family(struct portolan_comparison *c, struct portolan_error *err)
{
    double *p = portolan_calloc(c->n_rows + 1, sizeof *p);
    enum portolan_status status = p ? PORTOLAN_OK : portolan_no_memory(err);
    bool can_tell;

    for (size_t i = 0; status == PORTOLAN_OK && i < c->n_rows; i++) {
        bool is_member = c->rows[i].share >= c->query.share;

        p[i] = is_member ? c->rows[i].p : NAN;
        c->n_tested += is_member;
    }
    if (status == PORTOLAN_OK)
        status = portolan_holm(p, c->n_rows);
    can_tell = portolan_mann_whitney_least(c->n_a, c->n_b) * (double)c->n_tested <= c->query.level;
    for (size_t i = 0; status == PORTOLAN_OK && i < c->n_rows; i++) {
        struct portolan_comparison_row *r = &c->rows[i];

        r->p_holm = p[i];
        r->verdict = judge_row(c, r, r->share >= c->query.share, can_tell);
        c->is_regression |= r->verdict == PORTOLAN_VERDICT_SLOWER;
    }
    free(p);
    return status;
}

static enum portolan_status judge_rows(struct portolan_comparison *c, struct portolan_error *err)
{
    struct portolan_comparison_row *total = &c->total;
    double all = sum_of(total->values_a, c->n_a) + sum_of(total->values_b, c->n_b);
    enum portolan_status status = test_row(c, total);

    total->share = 1;
    total->p_holm = total->p;
    for (size_t i = 0; status == PORTOLAN_OK && i < c->n_rows; i++) {
        struct portolan_comparison_row *r = &c->rows[i];

        r->share = all != 0 ? (sum_of(r->values_a, c->n_a) + sum_of(r->values_b, c->n_b)) / all : 0;
        status = test_row(c, r);
    }
    if (status != PORTOLAN_OK)
        return portolan_no_memory(err);
    total->verdict =
        judge_row(c, total, true, portolan_mann_whitney_least(c->n_a, c->n_b) <= c->query.level);
    c->is_regression = total->verdict == PORTOLAN_VERDICT_SLOWER;
    status = test_family(c, err);
    c->enough_for_total = enough(c->query.level, 1);
    c->enough_for_paths = enough(c->query.level, c->n_tested ? c->n_tested : 1);
    return status;
}

const char *portolan_verdict_text(enum portolan_verdict verdict)
{
    static const char *const texts[] = {"cannot tell", "SLOWER", "faster", "small", "same",
                                        "unclear",     "new",    "gone",   "-"};

    return texts[verdict];
}

/* ------------------------------------------------- facts that differ */

/* A name with its value in one trial. */
struct fact {
    const char *name, *value;
    bool in_b;
};

/* Returns whether a fact differs from run to run anyway, or is reported elsewhere. */
static bool is_noise(const char *name)
{
    static const char *const prefixes[] = {"label",
                                           "cost.",
                                           "call cost",
                                           "partial step",
                                           "not always measured",
                                           "environment SLURM_JOB_ID",
                                           PORTOLAN_FACT_LOST_ROWS,
                                           PORTOLAN_FACT_WALL,
                                           PORTOLAN_FACT_PROCESSOR,
                                           PORTOLAN_FACT_CALLS,
                                           PORTOLAN_FACT_MEASURING,
                                           PORTOLAN_FACT_DECIDING,
                                           PORTOLAN_FACT_STORING,
                                           PORTOLAN_FACT_WAITING,
                                           PORTOLAN_FACT_EXPLORING};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}

static void take_facts(struct fact *facts, size_t *n, const struct portolan_name_value *pairs,
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

/* Joins the distinct values of one side by "; "; "-" if a trial has none. */
static const char *join_values(struct portolan_arena *arena, const struct fact *facts, size_t n,
                               bool in_b, size_t trials)
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
    struct portolan_comparison_fact *grown,
        fact = {
            .name = facts->name,
            .in_a = join_values(&c->arena, facts, n, false, c->n_a),
            .in_b = join_values(&c->arena, facts, n, true, c->n_b),
        };

    if (!fact.in_a || !fact.in_b)
        return false;
    if (!strcmp(fact.in_a, fact.in_b))
        return true;
    if (!(grown = portolan_arena_grow(&c->arena, c->facts, c->n_facts, sizeof *grown)))
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

static enum portolan_status find_facts(struct portolan_comparison *c, struct portolan_error *err)
{
    struct fact *facts = portolan_calloc(count_pairs(c), sizeof *facts);
    size_t n = 0;
    bool good = facts != NULL;

    for (size_t i = 0; good && i < c->n_a + c->n_b; i++) {
        const struct portolan_trial *t = c->a[i];
        bool in_b = i >= c->n_a;
        const char *ranks = portolan_arena_printf(&c->arena, "%d", t->ranks);

        take_facts(facts, &n, t->metadata, t->n_metadata, in_b);
        take_facts(facts, &n, t->parameters, t->n_parameters, in_b);
        take_facts(facts, &n, t->implementations, t->n_implementations, in_b);
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

/* The first trial that is unlike the others speaks for all. */
static enum portolan_status find_unlike(struct portolan_comparison *c, struct portolan_error *err)
{
    struct portolan_text text = {.arena = &c->arena};

    for (size_t i = 1; !text.length && i < c->n_a + c->n_b; i++)
        portolan_trial_add_unlike(c->a[i], c->a[0], true, &text);
    c->unlike = text.length ? text.bytes : "";
    return text.failed ? portolan_no_memory(err) : find_facts(c, err);
}

/* ------------------------------------------------- the comparison */

static enum portolan_status fill_rows(struct comparing *x)
{
    struct portolan_comparison *c = x->c;
    size_t trials = c->n_a + c->n_b;
    double *totals = portolan_arena_alloc(&c->arena, trials, sizeof *totals);
    enum portolan_status status = set_quantity(x);
    bool good = totals != NULL;

    if (status != PORTOLAN_OK)
        return status;
    for (size_t i = 0; good && i < trials; i++) {
        totals[i] = total_of(x, x->profiles[i]);
        good = add_profile(x, i);
    }
    if (!good)
        return portolan_no_memory(x->err);
    c->total = (struct portolan_comparison_row){
        .parent = -1,
        .label = "total",
        .in_a = "",
        .in_b = "",
        .values_a = totals,
        .values_b = totals + c->n_a,
    };
    status = judge_rows(c, x->err);
    return status == PORTOLAN_OK ? find_unlike(c, x->err) : status;
}

static enum portolan_status begin_comparing(struct comparing *x,
                                            const struct portolan_profile *const *a, size_t n_a,
                                            const struct portolan_profile *const *b, size_t n_b)
{
    struct portolan_comparison *c = portolan_calloc(1, sizeof *c);
    const struct portolan_profile **all;

    x->c = c;
    if (!c)
        return portolan_no_memory(x->err);
    c->n_a = n_a;
    c->n_b = n_b;
    c->a = portolan_arena_alloc(&c->arena, n_a + n_b, sizeof *c->a);
    all = portolan_arena_alloc(&c->arena, n_a + n_b, sizeof *all);
    if (!c->a || !all)
        return portolan_no_memory(x->err);
    for (size_t i = 0; i < n_a + n_b; i++) {
        all[i] = i < n_a ? a[i] : b[i - n_a];
        c->a[i] = all[i]->trial;
    }
    c->b = c->a + n_a;
    x->profiles = all;
    return PORTOLAN_OK;
}

enum portolan_status portolan_compare(const struct portolan_profile *const *a, size_t n_a,
                                      const struct portolan_profile *const *b, size_t n_b,
                                      const struct portolan_comparison_query *query,
                                      struct portolan_comparison **comparison,
                                      struct portolan_error *err)
{
    struct comparing x = {.err = err};
    enum portolan_status status;

    *comparison = NULL;
    if (n_a == 0 || n_b == 0)
        return portolan_error_set(err, PORTOLAN_EINVAL, "a set of trials to compare is empty");
    status = begin_comparing(&x, a, n_a, b, n_b);
    if (status == PORTOLAN_OK) {
        x.c->query = *query;
        status = fill_rows(&x);
    }
    portolan_index_clear(&x.index);
    if (status != PORTOLAN_OK) {
        portolan_comparison_destroy(x.c);
        return status;
    }
    *comparison = x.c;
    return PORTOLAN_OK;
}

void portolan_comparison_destroy(struct portolan_comparison *c)
{
    if (!c)
        return;
    portolan_arena_clear(&c->arena);
    free(c);
}
