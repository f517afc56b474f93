/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what workloads reach on configurations. */
#include "study.h"

#include <portolan/list.h>
#include <portolan/progress.h>

#include <math.h>
#include <string.h>

const char *const study_formula_names[FORMULA_NAMES] = {
    "nodes", "cpus", "processors", "memory", "price", "bandwidth", "latency", "high", "low"};

void study_formula_values(const struct clue_study *s, const struct configuration *c, int nodes,
                          const struct variant *v, double *x)
{
    const struct network *n = &s->networks[c->network];
    const double values[FORMULA_NAMES] = {nodes,
                                          c->cpus,
                                          (double)nodes * c->cpus,
                                          c->memory,
                                          nodes * study_node_price(s, c, &as_it_is),
                                          n->bandwidth,
                                          n->latency,
                                          v->high,
                                          v->low};

    memcpy(x, values, sizeof values);
}

struct variant *study_variant(struct clue_study *s, struct configuration *c, int high, int low)
{
    struct variant new = {.high = high, .low = low};

    for (size_t i = 0; i < c->n_variants; i++)
        if (c->variants[i].high == high && c->variants[i].low == low)
            return &c->variants[i];
    return portolan_arena_append(&s->arena, &c->variants, &c->n_variants, &new, sizeof new);
}

/* Returns the largest number up to N of processors in a grid of at least 2 x 2; 0: there is
 * none. */
static int largest_grid(int n)
{
    for (; n >= 4; n--)
        for (int i = 2; i * i <= n; i++)
            if (n % i == 0)
                return n;
    return 0;
}

/* Makes variants if none are given: 1, 2, … instances at once, on all or on the largest grid. */
static void make_variants(struct clue_study *s, struct configuration *c)
{
    int most = 1, processors = c->cpus * study_nodes(s, c, &as_it_is);

    if (c->n_variants)
        return;
    for (size_t i = 0; i < s->n_workloads; i++)
        most = s->workloads[i].most_high > most ? s->workloads[i].most_high : most;
    for (int high = 1; high <= most && high <= processors; high++) {
        study_variant(s, c, high, processors / high);
        if (most > 1 && largest_grid(processors / high))
            study_variant(s, c, high, largest_grid(processors / high));
    }
}

static bool has_room(struct clue_study *s, struct variant *v)
{
    v->values = portolan_arena_alloc(&s->arena, s->n_workloads, sizeof *v->values);
    v->is_too_large = portolan_arena_alloc(&s->arena, s->n_workloads, sizeof *v->is_too_large);
    for (size_t w = 0; v->values && w < s->n_workloads; w++)
        v->values[w].value = NAN;
    return v->values && v->is_too_large;
}

static enum portolan_status no_value(const struct workload *w, const char *what,
                                     const struct configuration *c, struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_EINVAL, "%s of '%s' has no value above 0 for '%s'",
                              what, w->name, c->name);
}

/* Divides the time by HIGH, since so many instances end at once. */
static void share_time(struct clue_study_value *v, int high)
{
    v->value /= high;
    v->low /= high;
    v->high /= high;
}

struct evaluation {
    struct clue_study *s;
    clue_study_run_fn *run;
    void *arg;
    const char *machine; /* path of the machine file that is written for each run */
    struct portolan_error *err;
};

static enum portolan_status run_program(struct evaluation *e, const struct configuration *c,
                                        const struct workload *w, const struct variant *v,
                                        struct clue_study_value *value)
{
    struct clue_study_run run = {.machine = e->machine,
                                 .ranks = v->low,
                                 .n_words = w->words.n,
                                 .words = w->words.word,
                                 .is_record = w->kind == WORKLOAD_RECORD};
    enum portolan_status status = study_write_machine(e->s, c, e->machine, e->err);

    if (status == PORTOLAN_OK)
        status = e->run(e->arg, &run, value, e->err);
    if (status != PORTOLAN_OK)
        portolan_error_prefix(e->err, "'%s' on '%s'", w->name, c->name);
    share_time(value, v->high);
    return status;
}

static enum portolan_status evaluate_workload(struct evaluation *e, size_t configuration,
                                              size_t workload, struct variant *v)
{
    const struct configuration *c = &e->s->configurations[configuration];
    const struct workload *w = &e->s->workloads[workload];
    struct clue_study_value *value = &v->values[workload];
    enum portolan_status status = PORTOLAN_OK;
    double x[FORMULA_NAMES], memory = 0;

    study_formula_values(e->s, c, study_nodes(e->s, c, &as_it_is), v, x);
    if (w->memory && !((memory = portolan_formula_value(w->memory, x)) >= 0))
        return no_value(w, "the memory", c, e->err);
    v->is_too_large[workload] = memory > c->memory;
    for (size_t i = 0; i < w->n_results; i++)
        if (w->results[i].configuration == configuration && w->results[i].high == v->high &&
            w->results[i].low == v->low)
            *value = w->results[i].value;
    if (w->kind == WORKLOAD_FORMULA) {
        value->value = value->low = value->high = portolan_formula_value(w->formula, x);
        value->communication = w->communication;
        if (!(value->value > 0) || !isfinite(value->value))
            return no_value(w, "the formula", c, e->err);
    } else if (w->kind != WORKLOAD_RESULTS && !v->is_too_large[workload]) {
        status = run_program(e, c, w, v, value);
    }
    v->is_too_large[workload] |= value->memory > c->memory;
    return status;
}

static bool runs_programs(const struct clue_study *s)
{
    for (size_t i = 0; i < s->n_workloads; i++)
        if (s->workloads[i].kind != WORKLOAD_FORMULA && s->workloads[i].kind != WORKLOAD_RESULTS)
            return true;
    return false;
}

enum portolan_status clue_study_evaluate(struct clue_study *s, clue_study_run_fn *run, void *arg,
                                         struct portolan_error *err)
{
    struct portolan_error own = {0};
    struct evaluation e = {s, run, arg, NULL, err ? err : &own};
    const char *folder = portolan_temporary_folder(&s->arena, e.err);
    enum portolan_status status = folder ? PORTOLAN_OK : e.err->status;

    if (folder && !(e.machine = portolan_arena_printf(&s->arena, "%s/machine.xml", folder)))
        status = portolan_no_memory(err);
    for (size_t i = 0; status == PORTOLAN_OK && i < s->n_configurations; i++) {
        struct configuration *c = &s->configurations[i];

        portolan_progress("clusters", i, s->n_configurations, runs_programs(s));
        make_variants(s, c);
        for (size_t k = 0; status == PORTOLAN_OK && k < c->n_variants; k++)
            for (size_t w = 0; status == PORTOLAN_OK && w < s->n_workloads; w++)
                status = !w && !has_room(s, &c->variants[k])
                             ? portolan_no_memory(err)
                             : evaluate_workload(&e, i, w, &c->variants[k]);
    }
    portolan_progress_done("clusters");
    if (folder)
        portolan_folder_remove(folder);
    return status == PORTOLAN_OK && s->arena.failed ? portolan_no_memory(err) : status;
}
