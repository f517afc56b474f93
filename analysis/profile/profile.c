/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates, reads and destroys profiles; labels of call paths. */
#include "internal.h"

#include <portolan/json.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool portolan_profile_has_absent_ranks(const struct portolan_trial *trial)
{
    return portolan_trial_peek_fact(trial, "import.ranks") != NULL;
}

static double fact(const struct portolan_trial *trial, const char *name, double otherwise)
{
    double value;

    return portolan_read_double(portolan_trial_peek_fact(trial, name), &value) ? value : otherwise;
}

/* Returns whether the clock was moved by hand, so that measuring takes no time of it. */
static bool clock_is_manual(const struct portolan_trial *trial)
{
    const char *clock = portolan_trial_peek_fact(trial, "clock");

    return clock && !strcmp(clock, "manual");
}

static struct portolan_profile_cost cost_of(const struct portolan_trial *trial)
{
    double call_ns = fact(trial, "cost.call_ns", fact(trial, "call cost ns", NAN));

    return (struct portolan_profile_cost){
        .call_ns = clock_is_manual(trial) ? NAN : call_ns,
        .spread_ns = fact(trial, "cost.spread_ns", NAN),
        .inside_ns = fact(trial, "cost.inside_ns", NAN),
        .forward_ns = fact(trial, "cost.forward_ns", NAN),
        .rows_ns = fact(trial, "cost.rows_ns", NAN),
        .counters_ns = fact(trial, "cost.counters_ns", NAN),
    };
}

void portolan_profile_add_cost(const struct portolan_trial *trial, struct portolan_text *out)
{
    const struct portolan_profile_cost c = cost_of(trial);
    char cost[32];

    if (isnan(c.call_ns)) {
        portolan_text_add(out, clock_is_manual(trial)
                                   ? "the clock is a manual clock: measuring took none of its time"
                                   : "the cost of a measured call was not stored");
        return;
    }
    portolan_text_add(out, "one measured call costs ");
    if (isnan(c.spread_ns))
        portolan_text_add(out, "%s", portolan_format_time(c.call_ns, 4, cost, sizeof cost));
    else
        portolan_text_add(out, "%.3g +- %.2g ns", c.call_ns, c.spread_ns);
    if (c.counters_ns > 0)
        portolan_text_add(out, ", with counters %s more",
                          portolan_format_time(c.counters_ns, 4, cost, sizeof cost));
}

enum portolan_status profile_create(struct portolan_sample_set *set,
                                    const struct portolan_trial *trial,
                                    struct portolan_profile **profile, struct portolan_error *err)
{
    struct portolan_profile *p = portolan_calloc(1, sizeof *p);

    *profile = p;
    if (!p) {
        portolan_sample_set_destroy(set);
        return portolan_no_memory(err);
    }
    p->set = set;
    p->trial = trial;
    p->ranks = trial->ranks;
    p->is_cut = strcmp(trial->outcome, "finished") != 0;
    p->cost = cost_of(trial);
    return PORTOLAN_OK;
}

double portolan_imbalance(const struct portolan_statistics *s)
{
    return s->mean != 0 ? s->max / s->mean - 1 : 0;
}

void portolan_profile_destroy(struct portolan_profile *p)
{
    if (!p)
        return;
    portolan_arena_clear(&p->arena);
    portolan_sample_set_destroy(p->set);
    portolan_summary_set_destroy(p->summary);
    free(p);
}

size_t profile_find_counter(const struct portolan_profile *p, const char *name)
{
    size_t i = 0;

    while (i < p->n_counters && strcmp(p->counter_names[i], name) != 0)
        i++;
    return i;
}

bool profile_note_counter(struct portolan_profile *p, const char *name)
{
    struct portolan_arena *arena = &p->arena;
    const char **names;

    if (p->n_counters == PROFILE_COUNTERS_MAX || profile_find_counter(p, name) < p->n_counters)
        return true;
    names = portolan_arena_grow(arena, (void *)p->counter_names, p->n_counters, sizeof *names);
    if (!names || !(names[p->n_counters] = portolan_arena_strdup(arena, name)))
        return false;
    p->counter_names = names;
    p->n_counters++;
    return true;
}

bool profile_same_method(const struct portolan_profile_node *a,
                         const struct portolan_profile_node *b)
{
    return !strcmp(a->instance, b->instance) && !strcmp(a->method, b->method) &&
           !strcmp(a->port, b->port) && !strcmp(a->implementation, b->implementation) &&
           !strcmp(a->port_type, b->port_type);
}

static enum portolan_status read_trial(struct portolan_store *store,
                                       const struct portolan_profile_query *query,
                                       struct portolan_sample_set **set, struct portolan_error *err)
{
    const struct portolan_store_query q = {.trial = query->trial, .newest_only = !query->trial};
    enum portolan_status status = portolan_store_read(store, &q, false, set, err);

    if (status == PORTOLAN_OK && (*set)->n_trials == 0) {
        portolan_sample_set_destroy(*set);
        *set = NULL;
        status = query->trial
                     ? portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no trial %lld",
                                          (long long)query->trial)
                     : portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no trial");
    }
    return status;
}

static enum portolan_status check_rank(const struct portolan_trial *t, int rank,
                                       struct portolan_error *err)
{
    if (rank >= 0 && rank < t->ranks)
        return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                              "trial %lld has no rank %d, its ranks are 0 to %d", (long long)t->id,
                              rank, t->ranks - 1);
}

/* ------------------------------------------------- from a summary */

static bool collect_counters(struct portolan_profile *p, const struct portolan_summary_set *set)
{
    for (size_t i = 0; i < set->n; i++)
        for (int k = 0; k < set->rows[i].n_counters; k++)
            if (!profile_note_counter(p, set->rows[i].counter_name[k]))
                return false;
    return true;
}

static bool take_row(struct portolan_profile *p, const struct portolan_path_summary *row)
{
    struct portolan_profile_node *n = &p->nodes[p->n_nodes];
    struct portolan_statistics *counters =
        portolan_arena_alloc(&p->arena, p->n_counters + 1, sizeof *counters);

    if (!counters)
        return false;
    *n = (struct portolan_profile_node){
        .parent = row->parent,
        .original = (int64_t)p->n_nodes,
        .depth = row->parent < 0 ? 0 : p->nodes[row->parent].depth + 1,
        .user = row->user,
        .uses = row->uses,
        .instance = row->instance,
        .port = row->port,
        .implementation = row->implementation,
        .port_type = row->port_type,
        .method = row->method,
        .n_ranks = row->n_ranks,
        .n_threads = row->n_threads,
        .timed_calls = row->timed_calls,
        .subroutines = row->subroutines,
        .one_min_ns = row->one_min_ns,
        .one_max_ns = row->one_max_ns,
        .sum_squares_ns2 = row->sum_squares_ns2,
        .calls = row->calls,
        .inclusive_ns = row->inclusive,
        .exclusive_ns = row->exclusive,
        .mpi_ns = row->mpi,
        .compute_ns = row->compute,
        .counters = counters,
    };
    for (int k = 0; k < row->n_counters; k++) {
        size_t i = profile_find_counter(p, row->counter_name[k]);

        if (i == p->n_counters)
            continue;
        n->counted |= UINT32_C(1) << i;
        counters[i] = row->counter[k];
    }
    profile_forget_uncounted(p, n);
    p->n_nodes++;
    return true;
}

static enum portolan_status read_summary(struct portolan_store *store, struct portolan_profile *p,
                                         struct portolan_error *err)
{
    enum portolan_status status =
        portolan_store_read_summary(store, p->trial->id, &p->summary, NULL, err);
    const struct portolan_summary_set *set = p->summary;
    bool good;

    if (status != PORTOLAN_OK)
        return status;
    p->ranks = set->ranks;
    p->nodes = portolan_arena_alloc(&p->arena, set->n + 1, sizeof *p->nodes);
    good = p->nodes && collect_counters(p, set);
    for (size_t i = 0; good && i < set->n; i++)
        good = take_row(p, &set->rows[i]);
    return good ? PORTOLAN_OK : portolan_no_memory(err);
}

/* ------------------------------------------------- reading */

enum portolan_status portolan_profile_read(struct portolan_store *store,
                                           const struct portolan_profile_query *query,
                                           struct portolan_profile **profile,
                                           struct portolan_error *err)
{
    bool from_samples = query->rank || query->contexts || query->cells;
    struct portolan_sample_set *set = NULL;
    struct portolan_profile *p = NULL;
    enum portolan_status status = read_trial(store, query, &set, err);

    *profile = NULL;
    if (status == PORTOLAN_OK)
        status = profile_create(set, &set->trials[set->n_trials - 1], &p, err);
    from_samples = from_samples || (p && portolan_profile_has_absent_ranks(p->trial));
    if (status == PORTOLAN_OK && query->rank) {
        p->ranks = 1;
        status = check_rank(p->trial, *query->rank, err);
    }
    if (status == PORTOLAN_OK)
        status =
            from_samples ? profile_read_samples(store, p, query, err) : read_summary(store, p, err);
    if (status == PORTOLAN_OK)
        status = profile_estimate(p, err);
    if (status != PORTOLAN_OK) {
        portolan_profile_destroy(p);
        return status;
    }
    *profile = p;
    return PORTOLAN_OK;
}

/* ------------------------------------------------- names */

void profile_add_context(const struct portolan_profile_node *n, struct portolan_text *text)
{
    portolan_text_add(text, " [");
    for (int k = 0; k < n->n_context; k++) {
        portolan_text_add(text, "%s <%s> = <%s", k ? "," : "", n->context_name[k],
                          n->binned ? "~" : "");
        portolan_profile_add_context(n->context[k], n->binned, text);
        portolan_text_add(text, ">");
    }
    portolan_text_add(text, " ]");
}

void portolan_profile_add_label(const struct portolan_profile_node *n, bool with_port,
                                struct portolan_text *text)
{
    if (*n->instance)
        portolan_text_add(text, "%s.", n->instance);
    if (with_port && *n->port)
        portolan_text_add(text, "%s.", n->port);
    portolan_text_add(text, "%s", n->method);
    if (*n->implementation)
        portolan_text_add(text, " [%s]", n->implementation);
    if (n->is_context)
        profile_add_context(n, text);
}

struct portolan_profile_node portolan_profile_node_of(const struct portolan_sample *path)
{
    return (struct portolan_profile_node){.user = path->user,
                                          .uses = path->uses,
                                          .instance = path->instance,
                                          .port = path->port,
                                          .implementation = path->implementation,
                                          .port_type = path->port_type,
                                          .method = path->method};
}

void portolan_profile_write_names(struct portolan_json *j, const struct portolan_profile_node *n)
{
    portolan_json_text(j, "user", n->user);
    portolan_json_text(j, "uses", n->uses);
    portolan_json_text(j, "instance", n->instance);
    portolan_json_text(j, "port", n->port);
    portolan_json_text(j, "implementation", n->implementation);
    portolan_json_text(j, "port_type", n->port_type);
    portolan_json_text(j, "method", n->method);
}

bool profile_is_ambiguous(const struct portolan_profile *p, size_t node)
{
    const struct portolan_profile_node *n = &p->nodes[node];

    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct portolan_profile_node *m = &p->nodes[i];

        if (i != node && !m->is_context && !strcmp(m->method, n->method) &&
            !strcmp(m->instance, n->instance) && !strcmp(m->implementation, n->implementation))
            return true;
    }
    return false;
}

const struct portolan_sample *portolan_profile_keep_path(struct portolan_kept_paths *k,
                                                         int64_t number,
                                                         const struct portolan_sample *path)
{
    struct portolan_sample *copy;

    while (k->n <= (size_t)number) {
        struct portolan_sample **grown =
            portolan_arena_grow(&k->arena, k->paths, k->n, sizeof(struct portolan_sample *));

        if (!grown)
            return NULL;
        k->paths = grown;
        grown[k->n++] = NULL;
    }
    if (!k->paths[number] && (copy = portolan_arena_alloc(&k->arena, 1, sizeof *copy))) {
        const char **const texts[] = {&copy->user,  &copy->uses,           &copy->instance,
                                      &copy->port,  &copy->implementation, &copy->port_type,
                                      &copy->method};

        *copy = *path;
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            *texts[i] = portolan_arena_strdup(&k->arena, *texts[i]);
        for (int i = 0; i < copy->n_context; i++)
            copy->context_name[i] = portolan_arena_strdup(&k->arena, copy->context_name[i]);
        for (int i = 0; i < copy->n_counters; i++)
            copy->counter_name[i] = portolan_arena_strdup(&k->arena, copy->counter_name[i]);
        k->paths[number] = copy;
    }
    return k->arena.failed ? NULL : k->paths[number];
}

static int stop_at_first(void *any, const struct portolan_sample *path,
                         const struct portolan_invocation *row)
{
    (void)path, (void)row;
    *(bool *)any = true;
    return 1;
}

enum portolan_status portolan_profile_has_rows(struct portolan_store *store, int64_t trial,
                                               const int *rank, bool *any,
                                               struct portolan_error *err)
{
    *any = false;
    return portolan_store_visit_invocations(store, trial, rank, stop_at_first, any, err);
}
