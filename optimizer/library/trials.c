/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Begins the survey: lists the dimensions in which trials differ, and decides which trials count.
 */
#include "survey.h"

#include <math.h>
#include <string.h>

static enum portolan_status add_dim(struct survey *s, const struct survey_dim *from)
{
    struct survey_dim *d = &s->dims[s->n_dims++];

    *d = *from;
    d->name = d->instance ? portolan_arena_printf(&s->pool, "%s.%s", d->instance, d->parameter)
                          : d->parameter;
    d->value = NAN;
    if (d->target && !portolan_read_double(d->target, &d->value))
        d->numeric = false;
    return d->name ? PORTOLAN_OK : PORTOLAN_ENOMEM;
}

static bool all_numbers(const char *const *values, size_t n)
{
    double ignored;

    for (size_t i = 0; i < n; i++)
        if (!portolan_read_double(values[i], &ignored))
            return false;
    return true;
}

static enum portolan_status add_sweep(struct survey *s, const struct portolan_assembly_sweep *sweep,
                                      struct portolan_error *err)
{
    const char *target = survey_set_text(s->a, sweep->instance, sweep->parameter);

    if (!target)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "the sweep varies %s.%s; the assembly must give it a value",
                                  sweep->instance, sweep->parameter);
    return add_dim(s, &(struct survey_dim){.sweep = sweep,
                                           .column = NONE,
                                           .instance = sweep->instance,
                                           .parameter = sweep->parameter,
                                           .target = target,
                                           .numeric = all_numbers(sweep->values, sweep->n_values)});
}

bool survey_is_case(const struct survey *s, const struct portolan_trial *t, size_t index)
{
    for (size_t k = 0; s->a->n_cases && k < s->a->n_case_columns; k++) {
        const struct portolan_assembly_case_column *c = &s->a->case_columns[k];

        if (c->instance &&
            !survey_same_value(t ? survey_trial_parameter(t, c->instance, c->parameter)
                                 : survey_set_text(s->a, c->instance, c->parameter),
                               s->a->cases[index].values[k]))
            return false;
    }
    return true;
}

/* The case with the parameters of T, or of the assembly now if T is NULL; NONE. */
static size_t case_of(const struct survey *s, const struct portolan_trial *t)
{
    for (size_t i = 0; i < s->a->n_cases; i++)
        if (survey_is_case(s, t, i))
            return i;
    return NONE;
}

bool survey_is_lifted(const struct survey *s, int64_t trial, const char *instance,
                      const char *implementation)
{
    for (size_t i = 0; i < s->data->n_lifted; i++) {
        const struct portolan_lifted_veto *x = &s->data->lifted[i];

        if (trial <= x->trial && strcmp(x->assembly, s->a->name) == 0 &&
            strcmp(x->instance, instance) == 0 && strcmp(x->implementation, implementation) == 0)
            return true;
    }
    return false;
}

/* The value of a context that is known beforehand: from the options, or by the present case. */
static enum portolan_status known_text(struct survey *s, size_t column, const char **text)
{
    const struct portolan_plan_options *o = s->options;
    size_t now = case_of(s, NULL);

    *text = now == NONE ? NULL : s->a->cases[now].values[column];
    for (size_t i = 0; i < o->n_known; i++)
        if (!strcmp(o->known_names[i], s->a->case_columns[column].parameter) &&
            !(*text = portolan_arena_printf(&s->pool, "%.17g", o->known_values[i])))
            return PORTOLAN_ENOMEM;
    return PORTOLAN_OK;
}

static enum portolan_status add_column(struct survey *s, size_t column)
{
    const struct portolan_assembly *a = s->a;
    const struct portolan_assembly_case_column *c = &a->case_columns[column];
    struct survey_dim d = {
        .column = column, .instance = c->instance, .parameter = c->parameter, .numeric = true};
    enum portolan_status status = PORTOLAN_OK;
    double ignored;

    for (size_t i = 0; i < a->n_cases; i++)
        d.numeric = d.numeric && portolan_read_double(a->cases[i].values[column], &ignored);
    if (c->instance)
        d.target = survey_set_text(s->a, c->instance, c->parameter);
    else
        status = known_text(s, column, &d.target);
    return status ? status : add_dim(s, &d);
}

static enum portolan_status add_ranks(struct survey *s)
{
    return add_dim(s,
                   &(struct survey_dim){.column = NONE,
                                        .parameter = "ranks",
                                        .target = portolan_arena_printf(&s->pool, "%d", s->ranks),
                                        .numeric = true});
}

static enum portolan_status list_dims(struct survey *s, bool with_cases, struct portolan_error *err)
{
    const struct portolan_assembly *a = s->a;
    enum portolan_status status = PORTOLAN_OK;

    s->dims = portolan_arena_alloc(&s->pool, a->n_sweeps + a->n_case_columns + 1, sizeof *s->dims);
    if (!s->dims)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; !status && i < a->n_sweeps; i++)
        if (a->sweeps[i].varies)
            status = add_sweep(s, &a->sweeps[i], err);
    for (size_t k = 0; !status && with_cases && k < a->n_case_columns; k++)
        status = add_column(s, k);
    return status;
}

static bool is_steps(const struct portolan_assembly *a, const char *instance, const char *parameter)
{
    return a->steps_instance && strcmp(a->steps_instance, instance) == 0 &&
           strcmp(a->steps_parameter, parameter) == 0;
}

static bool is_swept(const struct portolan_assembly *a, const char *instance, const char *parameter)
{
    for (size_t i = 0; i < a->n_sweeps; i++)
        if (strcmp(a->sweeps[i].instance, instance) == 0 &&
            strcmp(a->sweeps[i].parameter, parameter) == 0)
            return true;
    for (size_t k = 0; k < a->n_case_columns; k++)
        if (a->case_columns[k].instance && !strcmp(a->case_columns[k].instance, instance) &&
            !strcmp(a->case_columns[k].parameter, parameter))
            return true;
    return is_steps(a, instance, parameter);
}

/* The name of a parameter whose value in this trial is neither the sweep's nor the present one;
 * NULL: there is none. */
static const char *unlike_sweep(struct survey *s, const struct portolan_trial *t)
{
    const struct portolan_assembly *a = s->a;

    for (size_t i = 0; i < a->n_sweeps; i++) {
        const struct portolan_assembly_sweep *x = &a->sweeps[i];
        const char *text = survey_trial_parameter(t, x->instance, x->parameter);

        if (!x->varies && !is_steps(a, x->instance, x->parameter) &&
            !survey_same_value(text, x->values[0]) &&
            !survey_same_value(text, survey_set_text(s->a, x->instance, x->parameter)))
            return portolan_arena_printf(&s->pool, "%s.%s", x->instance, x->parameter);
    }
    return NULL;
}

const struct portolan_assembly_sweep *survey_unmeasured_setting(const struct survey *s)
{
    for (size_t i = 0; i < s->a->n_sweeps; i++) {
        const struct portolan_assembly_sweep *x = &s->a->sweeps[i];
        const char *now = survey_set_text(s->a, x->instance, x->parameter);
        size_t k = 0;

        if (x->varies || is_steps(s->a, x->instance, x->parameter))
            continue;
        while (k < s->n_trials &&
               !survey_same_value(
                   survey_trial_parameter(s->trials[k].trial, x->instance, x->parameter), now))
            k++;
        if (k == s->n_trials)
            return x;
    }
    return NULL;
}

/* The name of a parameter (not a swept one) or instance in which this trial differs from the
 * assembly now; or NULL. */
static const char *difference(struct survey *s, const struct portolan_trial *t)
{
    const char *unlike = unlike_sweep(s, t);

    if (unlike)
        return unlike;
    for (size_t i = 0; i < s->a->n_instances; i++) {
        const struct portolan_assembly_instance *instance = &s->a->instances[i];
        const struct portolan_assembly_alternative *now =
            &instance->alternatives[instance->selected];
        const char *class_name =
            portolan_peek_value(t->implementations, t->n_implementations, instance->name);
        size_t v = survey_variable_of(s, instance->name);

        if (v != NONE && class_name) {
            size_t k = survey_alternative_of(s, v, class_name);

            if (k == NONE)
                return instance->name;
            now = &instance->alternatives[k];
        }
        /* Portolan's own components measure and decide, but are not measured. */
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

static bool is_usable(struct survey *s, bool explored, const struct portolan_trial *t)
{
    const struct portolan_plan_options *o = s->options;
    const struct portolan_name_value *fact;
    const char *apart;

    if (explored && strcmp(t->purpose, "explore") != 0)
        return false;
    if (strcmp(t->assembly, s->a->name) != 0)
        return false;
    if ((apart = difference(s, t))) {
        s->unusable =
            portolan_arena_printf(&s->pool, "trial %lld differs in %s", (long long)t->id, apart);
        return false;
    }
    if ((fact = portolan_trial_elsewhere(t, o->facts, o->n_facts))) {
        s->n_elsewhere++;
        s->elsewhere = apart = portolan_arena_printf(&s->pool, "%s %s", fact->name, fact->value);
        s->unusable =
            portolan_arena_printf(&s->pool, "trial %lld is one of %s", (long long)t->id, apart);
    }
    return !fact;
}

static const char *dim_text(struct survey *s, const struct survey_dim *d,
                            const struct portolan_trial *t, size_t its_case)
{
    if (d->instance)
        return survey_trial_parameter(t, d->instance, d->parameter);
    if (d->column == NONE)
        return portolan_arena_printf(&s->pool, "%d", t->ranks);
    return its_case == NONE ? NULL : s->a->cases[its_case].values[d->column];
}

/* Fills in the dims of a trial; false: a parameter is missing, or is not a number. */
static bool fill_point(struct survey *s, struct survey_trial *u)
{
    size_t its_case = s->a->n_cases ? case_of(s, u->trial) : NONE;

    for (size_t d = 0; d < s->n_dims; d++) {
        const struct survey_dim *dim = &s->dims[d];
        const char *text = dim_text(s, dim, u->trial, its_case);

        u->x[d] = NAN;
        u->texts[d] = text ? text : "?";
        if (dim->instance && (!text || (dim->numeric && !portolan_read_double(text, &u->x[d])))) {
            s->unusable =
                portolan_arena_printf(&s->pool, "trial %lld has %s = %s", (long long)u->trial->id,
                                      dim->name, text ? text : "(unset)");
            return false;
        }
        if (!dim->instance && text)
            portolan_read_double(text, &u->x[d]);
    }
    return true;
}

static enum portolan_status add_trial(struct survey *s, const struct portolan_trial *t)
{
    struct survey_trial *u = &s->trials[s->n_trials];

    *u = (struct survey_trial){.trial = t,
                               .x = portolan_arena_alloc(&s->pool, s->n_dims, sizeof *u->x),
                               .texts = portolan_arena_alloc(&s->pool, s->n_dims, sizeof *u->texts),
                               .failed = !portolan_trial_counts(t)};
    if (!strcmp(t->outcome, "stopped"))
        u->stopped_s = 1e-9 * t->elapsed_ns;
    if (s->a->steps_instance)
        u->steps = survey_read_steps(
            survey_trial_parameter(t, s->a->steps_instance, s->a->steps_parameter));
    u->selection = portolan_arena_alloc(&s->pool, s->n_variables, sizeof *u->selection);
    if (!u->x || !u->texts || !u->selection)
        return PORTOLAN_ENOMEM;
    for (size_t v = 0; v < s->n_variables; v++) {
        const char *name = portolan_peek_value(t->implementations, t->n_implementations,
                                               s->variables[v].instance->name);

        u->selection[v] = name ? survey_alternative_of(s, v, name) : 0;
    }
    if (s->a->steps_instance && !u->steps)
        s->unusable = portolan_arena_printf(&s->pool, "trial %lld does not say its number of steps",
                                            (long long)t->id);
    else if (fill_point(s, u))
        s->n_trials++;
    if (u->failed)
        s->unusable = portolan_arena_printf(&s->pool, "trial %lld failed", (long long)t->id);
    return PORTOLAN_OK;
}

static enum portolan_status take_trials(struct survey *s, bool explored, bool any_ranks)
{
    enum portolan_status status = PORTOLAN_OK;

    s->n_trials = 0;
    s->n_elsewhere = 0;
    for (size_t i = 0; !status && i < s->data->n_trials; i++) {
        const struct portolan_trial *t = &s->data->trials[i];

        if (t->ranks != s->ranks && !any_ranks) {
            if (!strcmp(t->assembly, s->a->name))
                s->unusable = portolan_arena_printf(&s->pool, "trial %lld ran on %d rank%s, not %d",
                                                    (long long)t->id, t->ranks,
                                                    t->ranks == 1 ? "" : "s", s->ranks);
        } else if (is_usable(s, explored, t)) {
            status = add_trial(s, t);
        }
    }
    return status;
}

bool survey_has_times(const struct survey *s)
{
    for (size_t i = 0; i < s->n_trials; i++)
        if (!s->trials[i].failed)
            return true;
    return false;
}

/* Returns whether trials whose times count had several numbers of ranks. */
static bool ranks_vary(const struct survey *s)
{
    int first = 0;

    for (size_t i = 0; i < s->n_trials; i++) {
        if (s->trials[i].failed)
            continue;
        if (first && s->trials[i].trial->ranks != first)
            return true;
        first = s->trials[i].trial->ranks;
    }
    return false;
}

bool survey_ranks_vary(const struct survey *s)
{
    const struct survey_dim *last = s->n_dims ? &s->dims[s->n_dims - 1] : NULL;

    return last && !last->instance && last->column == NONE;
}

static bool same_point(const struct survey *s, const struct survey_trial *a,
                       const struct survey_trial *b)
{
    for (size_t d = 0; d < s->n_dims; d++)
        if (s->dims[d].numeric ? a->x[d] != b->x[d] && !(isnan(a->x[d]) && isnan(b->x[d]))
                               : !survey_same_value(a->texts[d], b->texts[d]))
            return false;
    return true;
}

static bool at_target(const struct survey *s, const struct survey_trial *t)
{
    for (size_t d = 0; d < s->n_dims; d++)
        if (s->dims[d].instance || s->dims[d].column == NONE)
            if (!survey_same_value(t->texts[d], s->dims[d].target))
                return false;
    return true;
}

static void number_points(struct survey *s)
{
    s->target_point = NONE;
    for (size_t i = 0; i < s->n_trials; i++) {
        size_t k = 0;

        while (k < i && !same_point(s, &s->trials[i], &s->trials[k]))
            k++;
        s->trials[i].point = k < i ? s->trials[k].point : i;
        if (s->target_point == NONE && at_target(s, &s->trials[i]))
            s->target_point = s->trials[i].point;
    }
}

bool survey_move(struct survey *s)
{
    for (size_t d = 0; d < s->n_dims; d++) {
        struct survey_dim *x = &s->dims[d];

        if (x->sweep)
            x->target = survey_set_text(s->a, x->instance, x->parameter);
        if (x->sweep && x->numeric)
            portolan_read_double(x->target, &x->value);
    }
    number_points(s);
    return s->target_point == NONE;
}

/* The number of points that have the present value of dim D. */
static size_t points_alike(const struct survey *s, size_t d)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_trials; i++)
        n += s->trials[i].point == i && !s->trials[i].failed &&
             survey_same_value(s->trials[i].texts[d], s->dims[d].target);
    return n;
}

/* Drops trials with other values of a swept text, if there are enough with the present one: such a
 * text selects a way to compute, about which other ways say nothing. */
static void drop_other_words(struct survey *s)
{
    for (size_t d = 0; d < s->n_dims; d++) {
        size_t kept = 0;

        if (s->dims[d].numeric || !s->dims[d].sweep || points_alike(s, d) < 2)
            continue;
        for (size_t i = 0; i < s->n_trials; i++)
            if (survey_same_value(s->trials[i].texts[d], s->dims[d].target))
                s->trials[kept++] = s->trials[i];
        s->n_trials = kept;
        number_points(s);
    }
}

enum portolan_status survey_list_trials(struct survey *s, bool explored, struct portolan_error *err)
{
    enum portolan_status status = list_dims(s, !explored, err);

    s->trials =
        status ? NULL : portolan_arena_alloc(&s->pool, s->data->n_trials, sizeof *s->trials);
    if (!s->trials)
        return status ? status : PORTOLAN_ENOMEM;
    status = take_trials(s, explored, false);
    if (!status && !explored && !survey_has_times(s)) {
        const char *why = s->unusable;

        status = take_trials(s, explored, true);
        if (!status && ranks_vary(s) && !(status = add_ranks(s)))
            status = take_trials(s, explored, true);
        else if (!status)
            status = take_trials(s, explored, false);
        s->unusable = why ? why : s->unusable;
    }
    number_points(s);
    if (!explored)
        drop_other_words(s);
    return status;
}
