/* SPDX-License-Identifier: BSD-3-Clause */
/* The run over its steps: what each took on rank 0, what it was predicted to take, and what ran. Of
 * many steps, neighbours are shown together. */
#include "internal.h"

#include <portolan/chart.h>
#include <portolan/list.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 2000, MOST_BANDS = 300, MOST_CHOICES = 12, MOST_CLASSES = 64 };

/* The class of an instance that was called in some step. */
struct called_class {
    const char *instance, *name;
};

struct run_steps {
    size_t n, capacity;
    struct report_step *steps;
    size_t n_classes;
    struct called_class classes[MOST_CLASSES];
    struct portolan_arena pool;
    bool grouped, failed;
};

/* ------------------------------------------------------------------ reading */

static uint64_t class_bit(struct run_steps *s, const struct portolan_sample *of)
{
    size_t i = 0;

    while (i < s->n_classes && (strcmp(s->classes[i].instance, of->instance) != 0 ||
                                strcmp(s->classes[i].name, of->implementation) != 0))
        i++;
    if (i == MOST_CLASSES)
        return 0;
    if (i == s->n_classes)
        s->classes[s->n_classes++] =
            (struct called_class){portolan_arena_printf(&s->pool, "%s", of->instance),
                                  portolan_arena_printf(&s->pool, "%s", of->implementation)};
    if (s->pool.failed)
        s->n_classes = i;
    return s->pool.failed ? 0 : UINT64_C(1) << i;
}

static void take_step(void *arg, int step, double ns, const struct portolan_sample *samples,
                      size_t n)
{
    struct run_steps *s = arg;
    struct report_step *t;

    s->failed |= !portolan_reserve((void **)&s->steps, &s->capacity, s->n + 1, sizeof *s->steps);
    if (s->failed)
        return;
    t = &s->steps[s->n++];
    *t = (struct report_step){step, 1, ns, 0};
    for (size_t i = 0; i < n; i++)
        if (samples[i].calls > 0)
            t->runs |= class_bit(s, &samples[i]);
}

/* As portolan_visit_steps() all steps of a trial, in slices: the samples of a long run are never
 * all in memory. */
static enum portolan_status visit_steps(struct portolan_store *store, int64_t trial,
                                        portolan_step_fn visit, void *arg,
                                        struct portolan_error *err)
{
    enum { FIRST_SLICE = 1000, LONGEST_SLICE = 64000 };
    int first = 0, slice = FIRST_SLICE;
    size_t n = 1;
    enum portolan_status status = PORTOLAN_OK;

    while (!status && n) {
        status = portolan_visit_steps(store, trial, first, first + slice - 1, visit, arg, &n, err);
        first += slice;
        slice = slice < LONGEST_SLICE ? 2 * slice : slice;
    }
    return status ? status /* a gap is not the end */
                  : portolan_visit_steps(store, trial, first, INT_MAX, visit, arg, &n, err);
}

/* A group lasts until the next one begins, the last until the end; what is stored after the last
 * step is none. Of a run that goes on, the end is not known: the last group is like the one before.
 */
static bool spread_groups(const struct portolan_trial *t, struct run_steps *s)
{
    bool has_end = portolan_trial_peek_fact(t, PORTOLAN_FACT_GROUPS) != NULL, grouped = has_end,
         runs = !strcmp(t->outcome, "running");
    double end = has_end ? report_fact_ns(t, PORTOLAN_FACT_STEPS) : 0;

    if (has_end)
        while (s->n && s->steps[s->n - 1].step >= end)
            s->n--;
    else if (!runs && s->n > 1 && !(s->steps[s->n - 1].ns > 0)) /* opened by the end of the last */
        s->n--;
    for (size_t k = 1; runs && k < s->n; k++)
        grouped |= s->steps[k].step > s->steps[k - 1].step + 1;
    for (size_t k = 0; grouped && k < s->n; k++) {
        struct report_step *x = &s->steps[k];

        x->n = k + 1 < s->n ? x[1].step - x->step : has_end ? (int)end - x->step : k ? x[-1].n : 1;
        x->ns /= x->n;
    }
    return grouped;
}

static enum portolan_status read_steps(struct portolan_store *store, const struct portolan_trial *t,
                                       struct run_steps *s, struct portolan_error *err)
{
    enum portolan_status status = visit_steps(store, t->id, take_step, s, err);

    if (!status)
        s->grouped = spread_groups(t, s);
    return status ? status : s->failed || s->pool.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

enum portolan_status report_read_steps(struct portolan_store *store, const struct portolan_trial *t,
                                       struct report_step **steps, size_t *n, bool *grouped,
                                       struct portolan_error *err)
{
    struct run_steps s = {0};
    enum portolan_status status = read_steps(store, t, &s, err);

    portolan_arena_clear(&s.pool);
    if (status)
        free(s.steps);
    *steps = status ? NULL : s.steps;
    *n = status ? 0 : s.n;
    *grouped = s.grouped;
    return status;
}

/* ------------------------------------------------------------------ what ran */

/* The classes of the instance of class I, if there is a choice: several ran, or may run. */
static uint64_t classes_of(const struct report *r, const struct run_steps *s, size_t i)
{
    const struct portolan_assembly *a = r->from->assembly;
    const struct portolan_assembly_instance *x =
        a ? portolan_assembly_peek_instance(a, s->classes[i].instance) : NULL;
    uint64_t same = 0;

    for (size_t k = 0; k < s->n_classes; k++)
        if (!strcmp(s->classes[k].instance, s->classes[i].instance))
            same |= UINT64_C(1) << k;
    return (same & (same - 1)) || (x && x->n_alternatives > 1) ? same : 0;
}

/* An instance that is not called in a step has the class of the step before. */
static void join_classes(const struct report *r, struct run_steps *s)
{
    uint64_t of[MOST_CLASSES];

    for (size_t i = 0; i < s->n_classes; i++)
        of[i] = classes_of(r, s, i);
    for (size_t k = 0; k < s->n; k++) {
        uint64_t runs = 0;

        for (size_t i = 0; i < s->n_classes; i++)
            runs |= s->steps[k].runs & of[i] ? s->steps[k].runs & of[i]
                    : k                      ? s->steps[k - 1].runs & of[i]
                                             : 0;
        s->steps[k].runs = runs;
    }
}

/* "solver=heat.Cholmod"; two that took turns in a step are "library=own+blas". */
static void write_runs(const struct run_steps *s, uint64_t runs, struct portolan_json *j)
{
    struct portolan_text t = {0};
    uint64_t done = 0;

    for (size_t i = 0; i < s->n_classes; i++) {
        if (!(runs >> i & 1) || done >> i & 1)
            continue;
        portolan_text_add(&t, "%s%s=%s", t.length ? " " : "", s->classes[i].instance,
                          s->classes[i].name);
        for (size_t k = i + 1; k < s->n_classes; k++)
            if (runs >> k & 1 && !strcmp(s->classes[k].instance, s->classes[i].instance)) {
                portolan_text_add(&t, "+%s", s->classes[k].name);
                done |= UINT64_C(1) << k;
            }
    }
    portolan_json_text(j, "runs", t.length ? t.bytes : "all as written");
    j->out->failed |= t.failed;
    portolan_text_clear(&t);
}

/* Steps with the same classes. */
struct step_choice {
    uint64_t runs;
    int first;
    size_t n;
    double sum_ns, least_ns, most_ns;
};

static size_t find_choice(const struct step_choice *c, size_t n, uint64_t runs)
{
    size_t i = 0;

    while (i < n && c[i].runs != runs)
        i++;
    return i;
}

/* Choices in the order of their first steps; those that are too many are in the last one. */
static size_t sum_choices(const struct run_steps *s, struct step_choice *c)
{
    size_t n = 0;

    for (size_t k = 0; k < s->n; k++) {
        const struct report_step *t = &s->steps[k];
        size_t i = find_choice(c, n, t->runs);

        if (i == MOST_CHOICES)
            i--;
        else if (i == n)
            c[n++] = (struct step_choice){t->runs, t->step, 0, 0, INFINITY, 0};
        c[i].n += (size_t)t->n;
        c[i].sum_ns += t->n * t->ns;
        c[i].least_ns = fmin(c[i].least_ns, t->ns);
        c[i].most_ns = fmax(c[i].most_ns, t->ns);
    }
    return n;
}

static void write_choices(const struct run_steps *s, struct portolan_json *j)
{
    struct step_choice c[MOST_CHOICES];
    size_t n = sum_choices(s, c), bands = 0;

    portolan_json_open(j, "choices", '[');
    for (size_t i = 0; i < n; i++) {
        portolan_json_open(j, NULL, '{');
        write_runs(s, c[i].runs, j);
        portolan_json_number(j, "first", c[i].first);
        portolan_json_number(j, "steps", (double)c[i].n);
        portolan_json_number(j, "mean_ns", c[i].sum_ns / (double)c[i].n);
        portolan_json_number(j, "least_ns", c[i].least_ns);
        portolan_json_number(j, "most_ns", c[i].most_ns);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
    portolan_json_open(j, "bands", '[');
    for (size_t k = 0, end; k < s->n; k = end, bands++) {
        static const char *const names[] = {"from", "to", "choice"};
        size_t i = find_choice(c, n, s->steps[k].runs);

        for (end = k + 1; end < s->n && s->steps[end].runs == s->steps[k].runs;)
            end++;
        if (bands < MOST_BANDS)
            portolan_json_numbers(j, NULL, names,
                                  (const double[]){s->steps[k].step,
                                                   s->steps[end - 1].step + s->steps[end - 1].n - 1,
                                                   (double)(i < n ? i : n - 1)},
                                  3);
    }
    portolan_json_close(j, ']');
    portolan_json_number(j, "bands_left_out",
                         bands > MOST_BANDS ? (double)(bands - MOST_BANDS) : 0);
}

/* ------------------------------------------------------------------ points */

enum { FIRST, LAST, MEAN, LEAST, MOST, EXPECTED, LOW, HIGH, N_VALUES };
static const char *const value_names[] = {"first",   "last",        "ns",     "least_ns",
                                          "most_ns", "expected_ns", "low_ns", "high_ns"};

/* Adds the predictions of the steps up to LAST; they are sorted by step. */
static void predict(const struct report *r, size_t *next, int last, double *value)
{
    double sum[3] = {0}, n = 0;

    for (; r->reasons && *next < r->reasons->n_expectations; ++*next) {
        const struct portolan_expectation *e = &r->reasons->expectations[*next];

        if (e->step > last)
            break;
        if (*e->path || !(e->expected_ns > 0) || e->step < value[FIRST])
            continue;
        sum[0] += e->expected_ns;
        sum[1] += e->low_ns;
        sum[2] += e->high_ns;
        n++;
    }
    for (size_t i = 0; i < 3; i++)
        value[EXPECTED + i] = n > 0 ? sum[i] / n : NAN;
}

static double count_steps(const struct run_steps *s, size_t begin, size_t end)
{
    double n = 0;

    for (size_t k = begin; k < end; k++)
        n += s->steps[k].n;
    return n;
}

static void write_points(const struct report *r, const struct run_steps *s, struct portolan_json *j)
{
    size_t each = (s->n + MOST_POINTS - 1) / MOST_POINTS, n = 0, next = 0;
    double *values = portolan_calloc((size_t)N_VALUES * MOST_POINTS, sizeof *values);

    j->out->failed |= !values;
    for (size_t k = 0; values && k < s->n; k += each, n++) {
        size_t end = k + each < s->n ? k + each : s->n;
        double value[N_VALUES] = {[LEAST] = INFINITY};

        value[FIRST] = s->steps[k].step;
        value[LAST] = s->steps[end - 1].step + s->steps[end - 1].n - 1;
        for (size_t i = k; i < end; i++) {
            value[MEAN] += s->steps[i].n * s->steps[i].ns / count_steps(s, k, end);
            value[LEAST] = fmin(value[LEAST], s->steps[i].ns);
            value[MOST] = fmax(value[MOST], s->steps[i].ns);
        }
        predict(r, &next, (int)value[LAST], value);
        for (size_t i = 0; i < N_VALUES; i++)
            values[i * MOST_POINTS + n] = value[i];
    }
    for (size_t i = 0; values && i < N_VALUES; i++)
        report_write_values(j, value_names[i], values + i * MOST_POINTS, n);
    free(values);
}

static enum portolan_status write_steps(struct report *r, struct portolan_json *j,
                                        struct portolan_error *err)
{
    struct run_steps s = {0};
    enum portolan_status status =
        r->shown ? read_steps(r->from->store, r->shown, &s, err) : PORTOLAN_OK;

    if (!status && r->shown &&
        (s.n >= REPORT_LEAST_STEPS || !strcmp(r->shown->outcome, "running"))) {
        join_classes(r, &s);
        portolan_json_number(j, "steps", count_steps(&s, 0, s.n));
        portolan_json_bool(j, "grouped", s.grouped);
        write_points(r, &s, j);
        write_choices(&s, j);
    }
    free(s.steps);
    portolan_arena_clear(&s.pool);
    return status;
}

/* ------------------------------------------------------------------ picture */

static const double s_per_ns = 1e-9;

/* The numbers of a member, in seconds unless it counts steps. */
static double *read_values(const json_t *part, size_t member, struct portolan_arena *pool)
{
    const json_t *all = json_object_get(part, value_names[member]);
    size_t n = json_array_size(all);
    double *values = portolan_arena_alloc(pool, n + 1, sizeof *values);

    for (size_t i = 0; values && i < n; i++) {
        const json_t *x = json_array_get(all, i);

        values[i] =
            json_is_number(x) ? json_number_value(x) * (member <= LAST ? 1 : s_per_ns) : NAN;
    }
    return values;
}

static void draw_steps(const json_t *part, struct portolan_text *out)
{
    size_t n = json_array_size(json_object_get(part, "ns"));
    struct portolan_arena pool = {0};
    double *values[N_VALUES];
    char *svg = NULL;

    for (size_t i = 0; i < N_VALUES; i++)
        values[i] = read_values(part, i, &pool);
    if (!n || pool.failed) {
        out->failed |= pool.failed;
        portolan_arena_clear(&pool);
        return;
    }
    const struct portolan_chart_series series[] = {{.kind = PORTOLAN_CHART_BAND,
                                                    .n = n,
                                                    .x = values[FIRST],
                                                    .low = values[LOW],
                                                    .high = values[HIGH]},
                                                   {.name = "predicted",
                                                    .kind = PORTOLAN_CHART_LINE,
                                                    .n = n,
                                                    .x = values[FIRST],
                                                    .y = values[EXPECTED]},
                                                   {.name = "measured",
                                                    .kind = PORTOLAN_CHART_POINTS,
                                                    .n = n,
                                                    .x = values[FIRST],
                                                    .y = values[MEAN]}};
    const struct portolan_chart chart = {.title = "Time of each step on rank 0",
                                         .x_label = "step",
                                         .y_label = "s",
                                         .id = "steps",
                                         .n_series = 3,
                                         .series = series};

    portolan_chart_write(&chart, "steps.svg", &svg, NULL);
    if (svg)
        portolan_text_add(out, "<figure class=\"steps\">%s</figure>\n", svg);
    free(svg);
    portolan_arena_clear(&pool);
}

static const struct report_table tables[] = {
    {"choices",
     "Steps by what ran in them",
     {{"runs", "implementations", REPORT_TEXT},
      {"first", "first step", REPORT_NUMBER},
      {"steps", "steps", REPORT_NUMBER},
      {"mean_ns", "mean", REPORT_TIME},
      {"least_ns", "least", REPORT_TIME},
      {"most_ns", "most", REPORT_TIME}}},
    {0},
};

const struct report_part report_steps = {
    .name = "steps",
    .title = "The run, step by step",
    .about = "",
    .write = write_steps,
    .draw = draw_steps,
    .tables = tables,
    .drawn = " choices ",
};
