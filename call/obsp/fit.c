/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits the machine and the experiments to a trace's own times, or to a report. */
#include "internal.h"

#include <portolan/cll_report.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The times of a run add up, including disturbed ones. So a prediction of the sum needs their mean,
 * not the robust location that models of single calls use.
 */
static const struct portolan_model_options means = {.statistic = PORTOLAN_MODEL_MEAN};

enum { MOST_FOLDS = 16 };
/* A law whose error on its own few values exceeds this is not used between them. */
static const double misses = 0.05;

/* Rows for the models room. */
struct rows {
    struct portolan_arena arena;
    size_t n, n_x, n_params;
    double *x, *y; /* X has N_PARAMS numbers per row */
};

static void add_row(struct rows *r, const double *x, double y)
{
    const double *values = r->n_params ? x : &y; /* without parameters no bytes are copied */

    portolan_arena_append(&r->arena, &r->x, &r->n_x, values, r->n_params * sizeof *x);
    portolan_arena_append(&r->arena, &r->y, &r->n, &y, sizeof y);
}

/* Merges rows with equal parameters into one with their mean time; false when memory is out. */
static bool merge_rows(struct rows *r)
{
    size_t kept = 0, bytes = r->n_params * sizeof *r->x;
    double *count = portolan_calloc(r->n + 1, sizeof *count);

    for (size_t i = 0; count && i < r->n; i++) {
        double y = r->y[i];
        size_t k = 0;

        while (k < kept && memcmp(&r->x[k * r->n_params], &r->x[i * r->n_params], bytes) != 0)
            k++;
        if (k == kept) {
            memmove(&r->x[k * r->n_params], &r->x[i * r->n_params], bytes);
            r->y[kept++] = 0;
        }
        r->y[k] += (y - r->y[k]) / ++count[k];
    }
    r->n = r->n_x = kept;
    free(count);
    return count;
}

/* -- the time of the end of a superstep, from the arrival of the last processor waited for -- */

struct latest {
    const struct superstep *s;
    double at;
};

static void see(void *arg, size_t member)
{
    struct latest *l = arg;

    l->at = fmax(l->at, l->s->at[member]);
}

static double cost_of(const struct portolan_obsp_trace *t, const struct item *x)
{
    struct latest l = {&t->supersteps[x->superstep], -HUGE_VAL};

    layout_visit(l.s, x->pid, see, &l);
    return fmax(x->until - l.at, 0);
}

/* -- g and L -- */

static enum portolan_status fit_line(const struct rows *r, struct portolan_obsp_machine *m,
                                     struct portolan_error *err)
{
    static const char *const params[] = {"h"};
    const struct portolan_model_shape shapes[] = {{.exponents = {0}}, {.exponents = {1}}};
    const struct portolan_model_data data = {
        .n_params = 1, .params = params, .n_rows = r->n, .x = r->x, .y = r->y};
    const struct portolan_model_term *terms;
    struct portolan_model *model = NULL;
    enum portolan_status status;
    size_t n;

    status = portolan_model_fit_terms(&data, shapes, 2, &means, &model, err);
    if (status != PORTOLAN_OK)
        return status;
    m->g = m->latency = 0;
    terms = portolan_model_peek_terms(model, &n);
    for (size_t i = 0; i < n; i++)
        *(terms[i].shape.exponents[0] > 0 ? &m->g : &m->latency) = terms[i].constant;
    m->n_rows = r->n;
    m->error = portolan_model_peek_summary(model)->rms;
    portolan_model_destroy(model);
    return PORTOLAN_OK;
}

static enum portolan_status fit_network(const struct portolan_obsp_trace *t,
                                        enum portolan_obsp_combine combine,
                                        struct portolan_obsp_machine *m, struct portolan_error *err)
{
    struct rows r = {.n_params = 1};
    enum portolan_status status = PORTOLAN_OK;

    for (size_t p = 0; p < t->n_processors; p++)
        for (size_t i = 0; i < t->processors[p].n_items; i++) {
            const struct item *x = &t->processors[p].items[i];

            if (x->kind == ITEM_SYNC) {
                double h = layout_bytes(&t->supersteps[x->superstep], x->pid, combine);

                add_row(&r, &h, cost_of(t, x));
            }
        }
    if (r.arena.failed)
        status = portolan_no_memory(err);
    else if (r.n)
        status = fit_line(&r, m, err);
    portolan_arena_clear(&r.arena);
    return status;
}

/* -- plain BSP's time per operation: total measured time divided by the total of operations -- */

static void fit_speed(const struct portolan_obsp_trace *t, struct portolan_obsp_machine *m)
{
    double seconds = 0, operations = 0;

    for (size_t p = 0; p < t->n_processors; p++)
        for (size_t i = 0; i < t->processors[p].n_items; i++) {
            const struct item *x = &t->processors[p].items[i];

            if (x->kind != ITEM_WORK || x->experiment == NONE || x->is_part ||
                !t->experiments[x->experiment].formula)
                continue;
            seconds += x->seconds;
            operations +=
                experiment_value(&t->experiments[x->experiment], t->values + x->values, true);
        }
    if (operations > 0)
        m->speed = seconds / operations;
}

enum portolan_status portolan_obsp_machine(const struct portolan_obsp_trace *t,
                                           enum portolan_obsp_combine combine,
                                           struct portolan_obsp_machine *machine,
                                           struct portolan_error *err)
{
    *machine = (struct portolan_obsp_machine){.g = NAN, .latency = NAN, .speed = NAN, .error = NAN};
    fit_speed(t, machine);
    return fit_network(t, combine, machine, err);
}

/* -- constants -- */

/*
 * Keeps neighbours if their error on left-out values is less than the formula's (with too few
 * values: if the formula misses its own). The formula then only extrapolates: between two caches no
 * sum of its terms is right.
 */
static enum portolan_status fit_local(struct experiment *e, const struct portolan_model_data *data,
                                      const struct portolan_model_shape *shapes, size_t n_shapes,
                                      size_t *group, struct portolan_error *err)
{
    const struct portolan_local_data local = {.n_params = data->n_params,
                                              .n_rows = data->n_rows,
                                              .x = data->x,
                                              .y = data->y,
                                              .group = group};
    struct portolan_left_out law;
    const struct portolan_left_out *neighbours;
    enum portolan_status status = portolan_local_create(&local, &e->local, err);

    if (status == PORTOLAN_OK)
        status =
            portolan_model_left_out(data, group, shapes, n_shapes, &means, MOST_FOLDS, &law, err);
    if (status != PORTOLAN_OK)
        return status;
    neighbours = &portolan_local_peek_summary(e->local)->left_out;
    if (law.n && neighbours->n ? neighbours->mean >= law.mean
                               : !(portolan_model_peek_summary(e->law)->rms > misses)) {
        portolan_local_destroy(e->local);
        e->local = NULL;
    }
    return PORTOLAN_OK;
}

/* Fits the formula in several intervals, where a cache ends, for example, or in one. */
static enum portolan_status fit_laws(struct experiment *e, struct rows *r,
                                     struct portolan_model_data *data, struct portolan_error *err)
{
    size_t *group = portolan_calloc(r->n, sizeof *group), n_shapes = 0;
    struct portolan_model_shape *shapes = NULL;
    enum portolan_status status =
        group ? portolan_model_formula_shapes(e->formula, data->n_params, data->params, &shapes,
                                              &n_shapes, err)
              : portolan_no_memory(err);

    if (status == PORTOLAN_OK)
        status = portolan_model_fit_pieces(data, shapes, n_shapes, &means, &e->law, err);
    if (status == PORTOLAN_OK && data->n_params && !merge_rows(r))
        status = portolan_no_memory(err);
    if (status == PORTOLAN_OK && data->n_params) {
        data->n_rows = r->n;
        for (size_t i = 0; i < r->n; i++)
            group[i] = i;
        status = fit_local(e, data, shapes, n_shapes, group, err);
    }
    portolan_model_shapes_destroy(shapes, n_shapes);
    free(group);
    return status;
}

static enum portolan_status fit_constants(struct experiment *e, struct rows *r,
                                          struct portolan_error *err)
{
    struct portolan_model_data data = {.n_params = e->public.n_identifiers,
                                       .params = e->public.identifiers,
                                       .n_rows = r->n,
                                       .x = r->x,
                                       .y = r->y};
    struct portolan_model *model = NULL;
    enum portolan_status status =
        portolan_model_fit_formula(&data, e->formula, &means, &model, err);

    if (status == PORTOLAN_OK)
        status = portolan_model_formula_constants(model, e->formula, e->public.n_constants,
                                                  e->constants, NULL, err);
    experiment_forget(e);
    if (status == PORTOLAN_OK)
        status = fit_laws(e, r, &data, err);
    e->public.n_intervals = e->law ? portolan_model_n_pieces(e->law) : 1;
    e->public.is_local = e->local;
    if (status == PORTOLAN_OK)
        e->public.constants = e->constants;
    else
        portolan_error_prefix(err, "%s", e->public.name);
    portolan_model_destroy(model);
    return status;
}

/* The times of experiment WHICH's runs on one processor; of communication without waits. */
static void rows_of(const struct portolan_obsp_trace *t, size_t which, const struct processor *p,
                    struct rows *r)
{
    double parts = 0;
    size_t part_of = NONE, sync = NONE;

    for (size_t i = 0; i <= p->n_items; i++) {
        const struct item *x = i < p->n_items ? &p->items[i] : NULL;
        bool is_ours = x && x->experiment == which;

        if (part_of != NONE && (!x || (is_ours && x->run != part_of))) {
            if (sync != NONE)
                add_row(r, t->values + p->items[sync].values, parts);
            part_of = sync = NONE;
            parts = 0;
        }
        if (!is_ours)
            continue;
        if (x->kind == ITEM_WORK && !x->is_part) {
            add_row(r, t->values + x->values, x->seconds);
        } else {
            part_of = x->run;
            parts += x->kind == ITEM_SYNC ? cost_of(t, x) : x->seconds;
            if (x->kind == ITEM_SYNC)
                sync = i;
        }
    }
}

/*
 * How much neighbouring processors differ in the same work: the root mean square difference of the
 * logarithms of their mean times, as the standard deviation of one processor.
 */
static enum portolan_status find_spread(const struct portolan_obsp_trace *t, size_t which,
                                        struct experiment *e, struct portolan_error *err)
{
    struct rows last = {.n_params = e->public.n_identifiers};
    double squares = 0, n = 0;
    bool has_failed = false;

    for (size_t p = 0; p < t->n_processors && !has_failed; p++) {
        struct rows r = {.n_params = last.n_params};
        size_t bytes = r.n_params * sizeof *r.x;

        rows_of(t, which, &t->processors[p], &r);
        has_failed = r.arena.failed || !merge_rows(&r);
        for (size_t i = 0; i < r.n && !has_failed; i++)
            for (size_t k = 0; k < last.n; k++)
                if (memcmp(&r.x[i * r.n_params], &last.x[k * r.n_params], bytes) == 0 &&
                    r.y[i] > 0 && last.y[k] > 0) {
                    squares += pow(log(r.y[i] / last.y[k]), 2);
                    n++;
                }
        portolan_arena_clear(&last.arena);
        last = r;
    }
    portolan_arena_clear(&last.arena);
    e->spread = n > 0 ? sqrt(squares / n / 2) : 0;
    return has_failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

static const double *column_of(const struct portolan_cll_sample *s, const char *name, bool observed,
                               const double *row)
{
    char *const *names = observed ? s->observables : s->identifiers;
    size_t n = observed ? s->n_observables : s->n_identifiers;

    for (size_t k = 0; k < n; k++)
        if (!strcmp(names[k], name))
            return row + PORTOLAN_CLL_FIXED_COLUMNS + (observed ? s->n_identifiers : 0) + k;
    return NULL;
}

/* The rows of the report's samples that have the experiment's identifiers, in any order. */
static void rows_of_report(const struct experiment *e, const struct portolan_cll_report *report,
                           struct rows *r)
{
    double x[PORTOLAN_FORMULA_MAX_NAMES];

    for (size_t i = 0; i < report->n_experiments; i++) {
        const struct portolan_cll_sample *s = &report->experiments[i];
        size_t n_columns = portolan_cll_sample_columns(s);

        if (strcmp(s->name, e->public.name) != 0)
            continue;
        for (size_t j = 0; j < s->n_rows; j++) {
            const double *row = s->rows + j * n_columns, *value;
            size_t k = 0;

            for (; k < e->public.n_identifiers; k++) {
                value = column_of(s, e->public.identifiers[k], false, row);
                if (!value)
                    break;
                x[k] = *value;
            }
            value = column_of(s, "CLOCK", true, row);
            if (k == e->public.n_identifiers && value && isfinite(*value))
                add_row(r, x, *value);
        }
    }
}

enum portolan_status portolan_obsp_fit(struct portolan_obsp_trace *t,
                                       const struct portolan_cll_report *report,
                                       struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    size_t n_fitted = 0;

    for (size_t i = 0; status == PORTOLAN_OK && i < t->n_experiments; i++) {
        struct experiment *e = &t->experiments[i];
        struct rows r = {.n_params = e->public.n_identifiers};

        if (!e->formula)
            continue;
        if (report)
            rows_of_report(e, report, &r);
        for (size_t p = 0; !report && p < t->n_processors; p++)
            rows_of(t, i, &t->processors[p], &r);
        if (r.arena.failed)
            status = portolan_no_memory(err);
        else if (r.n)
            status = fit_constants(e, &r, err);
        if (status == PORTOLAN_OK && r.n && !report)
            status = find_spread(t, i, e, err);
        n_fitted += r.n > 0;
        portolan_arena_clear(&r.arena);
    }
    if (status == PORTOLAN_OK && n_fitted == 0)
        status =
            portolan_error_set(err, PORTOLAN_ENOTFOUND,
                               "%s: no experiment has a formula and times to fit it to", t->file);
    return status;
}
