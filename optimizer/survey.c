/* SPDX-License-Identifier: BSD-3-Clause */
#include "survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t survey_variable_of(const struct survey *s, const char *instance)
{
    for (size_t v = 0; v < s->n_variables; v++)
        if (strcmp(s->variables[v].instance->name, instance) == 0)
            return v;
    return NONE;
}

size_t survey_alternative_of(const struct survey *s, size_t variable, const char *class_name)
{
    for (size_t a = 0; a < s->variables[variable].n; a++)
        if (strcmp(s->variables[variable].instance->alternatives[a].class_name, class_name) == 0)
            return a;
    return NONE;
}

const struct portolan_assembly_parameter *
survey_parameter(const struct portolan_assembly_alternative *a, const char *name)
{
    for (size_t i = 0; i < a->n_parameters; i++)
        if (strcmp(a->parameters[i].name, name) == 0)
            return &a->parameters[i];
    return NULL;
}

const char *survey_trial_parameter(const struct portolan_trial *t, const char *instance,
                                   const char *parameter)
{
    size_t length = strlen(instance);

    for (size_t i = 0; i < t->n_parameters; i++) {
        const char *name = t->parameters[i].name;

        if (strncmp(name, instance, length) == 0 && name[length] == '.' &&
            strcmp(name + length + 1, parameter) == 0)
            return t->parameters[i].value;
    }
    return NULL;
}

bool survey_same_value(const char *a, const char *b)
{
    double x, y;

    if (!a || !b)
        return a == b;
    if (portolan_read_double(a, &x) && portolan_read_double(b, &y))
        return x == y;
    return strcmp(a, b) == 0;
}

static const struct portolan_assembly_instance *find_instance(const struct portolan_assembly *a,
                                                              const char *name)
{
    for (size_t i = 0; i < a->n_instances; i++)
        if (strcmp(a->instances[i].name, name) == 0)
            return &a->instances[i];
    return NULL;
}

static enum portolan_status list_variables(struct survey *s)
{
    const struct portolan_assembly *a = s->a;

    s->variables = portolan_arena_alloc(&s->pool, a->n_instances, sizeof *s->variables);
    if (!s->variables)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < a->n_instances; i++)
        if (a->instances[i].n_alternatives > 1)
            s->variables[s->n_variables++] =
                (struct survey_variable){&a->instances[i], a->instances[i].n_alternatives};
    return PORTOLAN_OK;
}

static enum portolan_status list_dims(struct survey *s, struct portolan_error *err)
{
    s->dims = portolan_arena_alloc(&s->pool, s->a->n_sweeps, sizeof *s->dims);
    if (!s->dims)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < s->a->n_sweeps; i++) {
        const struct portolan_assembly_sweep *sweep = &s->a->sweeps[i];
        const struct portolan_assembly_instance *instance = find_instance(s->a, sweep->instance);
        const struct portolan_assembly_parameter *p;
        struct survey_dim *d = &s->dims[s->n_dims];
        double ignored;

        if (!sweep->varies)
            continue;
        p = instance
                ? survey_parameter(&instance->alternatives[instance->selected], sweep->parameter)
                : NULL;
        if (!p)
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "the sweep varies %s.%s, which the assembly does not set",
                                      sweep->instance, sweep->parameter);
        d->sweep = sweep;
        d->target = p->text;
        d->name = portolan_arena_printf(&s->pool, "%s.%s", sweep->instance, sweep->parameter);
        if (!d->name)
            return PORTOLAN_ENOMEM;
        d->numeric = portolan_read_double(p->text, &d->value);
        for (size_t k = 0; k < sweep->n_values; k++)
            d->numeric = d->numeric && portolan_read_double(sweep->values[k], &ignored);
        s->n_dims++;
    }
    return PORTOLAN_OK;
}

static bool is_swept(const struct portolan_assembly *a, const char *instance, const char *parameter)
{
    for (size_t i = 0; i < a->n_sweeps; i++)
        if (strcmp(a->sweeps[i].instance, instance) == 0 &&
            strcmp(a->sweeps[i].parameter, parameter) == 0)
            return true;
    for (size_t i = 0; i < a->n_case_columns; i++)
        if (a->case_columns[i].instance && strcmp(a->case_columns[i].instance, instance) == 0 &&
            strcmp(a->case_columns[i].parameter, parameter) == 0)
            return true;
    return a->steps_instance && strcmp(a->steps_instance, instance) == 0 &&
           strcmp(a->steps_parameter, parameter) == 0;
}

static const char *trial_class(const struct portolan_trial *t, const char *instance)
{
    for (size_t i = 0; i < t->n_implementations; i++)
        if (strcmp(t->implementations[i].name, instance) == 0)
            return t->implementations[i].value;
    return NULL;
}

/* Exploration says under which settings its rows hold; without any, each trial speaks for itself.
 */
static bool was_explored(const struct survey *s)
{
    for (size_t i = 0; i < s->data->n_trials; i++)
        if (strcmp(s->data->trials[i].purpose, "explore") == 0 &&
            strcmp(s->data->trials[i].outcome, "finished") == 0)
            return true;
    return false;
}

/* The name of a parameter that the sweep sets, but not as this trial had it; NULL if there is none.
 */
static const char *unlike_sweep(struct survey *s, const struct portolan_trial *t)
{
    const struct portolan_assembly *a = s->a;

    for (size_t i = 0; i < a->n_sweeps; i++) {
        const struct portolan_assembly_sweep *x = &a->sweeps[i];
        bool is_steps = a->steps_instance && strcmp(a->steps_instance, x->instance) == 0 &&
                        strcmp(a->steps_parameter, x->parameter) == 0;

        if (!x->varies && !is_steps &&
            !survey_same_value(survey_trial_parameter(t, x->instance, x->parameter), x->values[0]))
            return portolan_arena_printf(&s->pool, "%s.%s", x->instance, x->parameter);
    }
    return NULL;
}

/* The name of a parameter that sets this trial apart from the assembly as it is now, or NULL. */
static const char *difference(struct survey *s, const struct portolan_trial *t)
{
    const char *unlike = was_explored(s) ? unlike_sweep(s, t) : NULL;

    if (unlike)
        return unlike;
    for (size_t i = 0; i < s->a->n_instances; i++) {
        const struct portolan_assembly_instance *instance = &s->a->instances[i];
        const struct portolan_assembly_alternative *now =
            &instance->alternatives[instance->selected];
        const char *class_name = trial_class(t, instance->name);
        size_t v = survey_variable_of(s, instance->name);

        if (v != NONE && class_name) {
            size_t k = survey_alternative_of(s, v, class_name);

            if (k == NONE)
                return instance->name;
            now = &instance->alternatives[k];
        }
        /* Portolan's own parts measure and decide; they are not what is measured. */
        if (strncmp(now->class_name, "portolan.", 9) == 0)
            continue;
        for (size_t k = 0; k < now->n_parameters; k++) {
            const struct portolan_assembly_parameter *p = &now->parameters[k];

            if (!is_swept(s->a, instance->name, p->name) &&
                !survey_same_value(survey_trial_parameter(t, instance->name, p->name), p->text))
                return portolan_arena_printf(&s->pool, "%s.%s", instance->name, p->name);
        }
    }
    return NULL;
}

static bool fill_point(struct survey *s, const struct survey_filter *filter, struct survey_trial *u)
{
    for (size_t d = 0; d < s->n_dims; d++) {
        const struct survey_dim *dim = &s->dims[d];
        const char *text =
            survey_trial_parameter(u->trial, dim->sweep->instance, dim->sweep->parameter);

        if (!text || (dim->numeric && !portolan_read_double(text, &u->x[d])) ||
            (!dim->numeric && !filter->any_point && !survey_same_value(text, dim->target))) {
            s->unusable =
                portolan_arena_printf(&s->pool, "trial %lld has %s = %s", (long long)u->trial->id,
                                      dim->name, text ? text : "(unset)");
            return false;
        }
        u->texts[d] = text;
    }
    return true;
}

static bool usable(struct survey *s, const struct survey_filter *filter,
                   const struct portolan_trial *t)
{
    const char *apart;

    if (filter->purpose && strcmp(t->purpose, filter->purpose) != 0)
        return false;
    if (strcmp(t->assembly, s->a->name) != 0)
        return false;
    if (t->ranks != s->ranks) {
        s->unusable = portolan_arena_printf(&s->pool, "trial %lld ran on %d ranks, not %d",
                                            (long long)t->id, t->ranks, s->ranks);
        return false;
    }
    if (strcmp(t->outcome, "failed") == 0 && !filter->any_point) {
        s->unusable = portolan_arena_printf(&s->pool, "trial %lld failed", (long long)t->id);
        return false;
    }
    if ((apart = difference(s, t)))
        s->unusable =
            portolan_arena_printf(&s->pool, "trial %lld differs in %s", (long long)t->id, apart);
    return !apart;
}

static int steps_of(const struct survey *s, const struct portolan_trial *t)
{
    int64_t steps;
    const char *text = s->a->steps_instance
                           ? survey_trial_parameter(t, s->a->steps_instance, s->a->steps_parameter)
                           : NULL;

    return text && portolan_read_int64(text, &steps) && steps > 0 && steps < INT32_MAX ? (int)steps
                                                                                       : 0;
}

static enum portolan_status list_trials(struct survey *s, const struct survey_filter *filter)
{
    s->trials = portolan_arena_alloc(&s->pool, s->data->n_trials, sizeof *s->trials);
    if (!s->trials)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < s->data->n_trials; i++) {
        struct survey_trial *u = &s->trials[s->n_trials];

        u->trial = &s->data->trials[i];
        if (!usable(s, filter, u->trial))
            continue;
        u->x = portolan_arena_alloc(&s->pool, s->n_dims, sizeof *u->x);
        u->texts = portolan_arena_alloc(&s->pool, s->n_dims, sizeof *u->texts);
        if (!u->x || !u->texts)
            return PORTOLAN_ENOMEM;
        u->steps = steps_of(s, u->trial);
        if (s->a->steps_instance && !u->steps)
            s->unusable = portolan_arena_printf(
                &s->pool, "trial %lld does not say its number of steps", (long long)u->trial->id);
        else if (fill_point(s, filter, u))
            s->n_trials++;
    }
    return PORTOLAN_OK;
}

static size_t trial_index(const struct survey *s, int64_t id)
{
    for (size_t i = 0; i < s->n_trials; i++)
        if (s->trials[i].trial->id == id)
            return i;
    return NONE;
}

/* The rank with most time outside MPI: the one the others wait for. */
static int slowest_rank(const struct survey *s, size_t begin, size_t end, double *work)
{
    int slowest = 0;

    memset(work, 0, (size_t)s->ranks * sizeof *work);
    for (size_t i = begin; i < end; i++) {
        const struct portolan_sample *x = &s->data->samples[i];

        if (x->rank >= 0 && x->rank < s->ranks)
            work[x->rank] += x->exclusive_ns - x->mpi_ns;
    }
    for (int r = 1; r < s->ranks; r++)
        if (work[r] > work[slowest])
            slowest = r;
    return slowest;
}

static struct survey_row *add_row(struct survey *s, size_t trial, int step)
{
    struct survey_row *rows = portolan_arena_grow(&s->pool, s->rows, s->n_rows, sizeof *s->rows);
    struct survey_row *row;

    if (!rows)
        return NULL;
    s->rows = rows;
    row = &rows[s->n_rows];
    *row = (struct survey_row){.trial = trial, .step = step, .segment = NONE};
    row->selection = portolan_arena_alloc(&s->pool, s->n_variables, sizeof *row->selection);
    if (!row->selection)
        return NULL;
    s->n_rows++;
    return row;
}

/* One row per step of the trial whose samples are [BEGIN, END); all in one when steps are unknown.
 */
static enum portolan_status trial_rows(struct survey *s, size_t trial, size_t begin, size_t end,
                                       size_t *row_of_sample)
{
    struct survey_trial *t = &s->trials[trial];
    bool only_before = true;

    t->first_row = s->n_rows;
    for (size_t i = begin; i < end; i++) {
        int step = t->steps ? s->data->samples[i].step : 0;
        bool fresh = s->n_rows == t->first_row || s->rows[s->n_rows - 1].step != step;
        struct survey_row *row = fresh ? add_row(s, trial, step) : NULL;

        if (fresh && !row)
            return PORTOLAN_ENOMEM;
        if (fresh) {
            row->once = t->steps && (step < 0 || step >= t->steps);
            row->steps = row->once ? 0 : 1;
        }
        only_before = only_before && step < 0;
        row_of_sample[i] = s->n_rows - 1;
    }
    t->n_rows = s->n_rows - t->first_row;
    if (t->steps && only_before && t->n_rows == 1 &&
        strcmp(t->trial->outcome, "finished") == 0) { /* no swap point: all steps in one piece */
        s->rows[t->first_row].once = false;
        s->rows[t->first_row].steps = t->steps;
    }
    return PORTOLAN_OK;
}

static enum portolan_status list_rows(struct survey *s, size_t *row_of_sample)
{
    double *work = portolan_calloc((size_t)s->ranks + 1, sizeof *work);
    size_t n = s->data->n_samples;
    enum portolan_status status = work ? PORTOLAN_OK : PORTOLAN_ENOMEM;

    for (size_t begin = 0, end; !status && begin < n; begin = end) {
        size_t trial = trial_index(s, s->data->samples[begin].trial);

        for (end = begin; end < n && s->data->samples[end].trial == s->data->samples[begin].trial;)
            row_of_sample[end++] = NONE;
        if (trial == NONE)
            continue;
        s->trials[trial].rank = slowest_rank(s, begin, end, work);
        status = trial_rows(s, trial, begin, end, row_of_sample);
    }
    free(work);
    return status;
}

enum portolan_status survey_init(struct survey *s, const struct portolan_assembly *a,
                                 const struct portolan_sample_set *data, int ranks,
                                 const struct survey_filter *filter, struct portolan_error *err)
{
    size_t *row_of_sample;
    enum portolan_status status;

    *s = (struct survey){.a = a, .data = data, .ranks = ranks};
    if (ranks < 1)
        return portolan_error_set(err, PORTOLAN_EINVAL, "%d ranks", ranks);
    status = list_variables(s);
    if (!status)
        status = list_dims(s, err);
    if (!status)
        status = list_trials(s, filter);
    if (status)
        return portolan_error_set(err, status, "surveying the measurements");
    row_of_sample = portolan_calloc(data->n_samples + 1, sizeof *row_of_sample);
    status = row_of_sample ? list_rows(s, row_of_sample) : PORTOLAN_ENOMEM;
    if (!status)
        status = survey_collect(s, row_of_sample);
    free(row_of_sample);
    return status ? portolan_error_set(err, status, "surveying the measurements") : PORTOLAN_OK;
}

void survey_clear(struct survey *s)
{
    portolan_arena_clear(&s->pool);
}
