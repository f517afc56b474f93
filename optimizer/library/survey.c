/* SPDX-License-Identifier: BSD-3-Clause */
/* The survey: calls its parts, looks up names, and leaves out trials that contradict themselves. */
#include "survey.h"

#include <math.h>
#include <portolan/list.h>
#include <portolan/models.h>
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

const char *survey_set_text(const struct portolan_assembly *a, const char *instance,
                            const char *parameter)
{
    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_assembly_instance *x = &a->instances[i];
        const struct portolan_assembly_alternative *now = &x->alternatives[x->selected];

        for (size_t k = 0; !strcmp(x->name, instance) && k < now->n_parameters; k++)
            if (strcmp(now->parameters[k].name, parameter) == 0)
                return now->parameters[k].text;
    }
    return NULL;
}

int survey_read_steps(const char *text)
{
    int64_t steps;

    return portolan_read_int64(text, &steps) && steps > 0 && steps < INT32_MAX ? (int)steps : 0;
}

size_t survey_inputs(const struct survey *s, const double *values, double *x)
{
    size_t n = 0;

    for (size_t d = 0; d < s->n_dims && n < MAX_INPUTS; d++)
        if (s->dims[d].numeric)
            x[n++] = values[d];
    return n;
}

bool survey_is_parameter(const char *name, const char *instance, const char *parameter)
{
    size_t length = strlen(instance);

    return strncmp(name, instance, length) == 0 && name[length] == '.' &&
           strcmp(name + length + 1, parameter) == 0;
}

const char *survey_written_text(const struct portolan_assembly *a,
                                const struct portolan_assembly_instance *own, size_t alternative,
                                const char *name)
{
    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_assembly_instance *x = &a->instances[i];
        const struct portolan_assembly_alternative *now =
            &x->alternatives[x == own ? alternative : x->selected];

        for (size_t k = 0; k < now->n_parameters; k++)
            if (survey_is_parameter(name, x->name, now->parameters[k].name))
                return now->parameters[k].text;
    }
    return NULL;
}

const char *survey_value_of(const struct portolan_name_value *pairs, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(pairs[i].name, name) == 0)
            return pairs[i].value;
    return NULL;
}

const char *survey_trial_parameter(const struct portolan_trial *t, const char *instance,
                                   const char *parameter)
{
    for (size_t i = 0; i < t->n_parameters; i++)
        if (survey_is_parameter(t->parameters[i].name, instance, parameter))
            return t->parameters[i].value;
    return NULL;
}

static bool may_be_number(const char *text)
{
    return (text[0] >= '0' && text[0] <= '9') || strchr("+-. \tiInN", text[0]);
}

bool survey_same_value(const char *a, const char *b)
{
    double x, y;

    if (!a || !b)
        return a == b;
    if (strcmp(a, b) == 0)
        return true;
    if (!may_be_number(a) || !may_be_number(b)) /* saves time: reading numbers is slow */
        return false;
    if (portolan_read_double(a, &x) && portolan_read_double(b, &y))
        return x == y;
    return false;
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

static size_t trial_index(const struct survey *s, int64_t id)
{
    for (size_t i = 0; i < s->n_trials; i++)
        if (s->trials[i].trial->id == id)
            return i;
    return NONE;
}

int survey_slowest_rank(const struct portolan_sample *samples, size_t n, int ranks, double *work)
{
    int slowest = 0;

    memset(work, 0, (size_t)ranks * sizeof *work);
    for (size_t i = 0; i < n; i++)
        if (samples[i].rank >= 0 && samples[i].rank < ranks)
            work[samples[i].rank] += samples[i].exclusive_ns - samples[i].mpi_ns;
    for (int r = 1; r < ranks; r++)
        if (work[r] > work[slowest])
            slowest = r;
    return slowest;
}

static struct survey_row *add_row(struct survey *s, size_t trial, int step)
{
    struct survey_row row = {.trial = trial, .step = step, .segment = NONE};

    row.selection = portolan_arena_alloc(&s->pool, s->n_variables, sizeof *row.selection);
    return row.selection ? portolan_arena_append(&s->pool, &s->rows, &s->n_rows, &row, sizeof row)
                         : NULL;
}

/* Makes one row per step of the trial with samples [BEGIN, END); a single row if steps are unknown.
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
            row->once = t->failed || (t->steps && (step < 0 || step >= t->steps));
            row->steps = row->once ? 0 : 1;
        }
        only_before = only_before && step < 0;
        row_of_sample[i] = s->n_rows - 1;
    }
    t->n_rows = s->n_rows - t->first_row;
    if (t->steps && only_before && t->n_rows == 1 &&
        strcmp(t->trial->outcome, "finished") == 0) { /* no swap point: all steps are one row */
        s->rows[t->first_row].once = false;
        s->rows[t->first_row].steps = t->steps;
    }
    return PORTOLAN_OK;
}

static enum portolan_status list_rows(struct survey *s, size_t *row_of_sample)
{
    double *work;
    size_t most = (size_t)s->ranks;
    size_t n = s->data->n_samples;
    enum portolan_status status;

    for (size_t i = 0; i < s->n_trials; i++)
        if (s->trials[i].trial->ranks > (int)most)
            most = (size_t)s->trials[i].trial->ranks;
    work = portolan_calloc(most + 1, sizeof *work);
    status = work ? PORTOLAN_OK : PORTOLAN_ENOMEM;
    for (size_t begin = 0, end; !status && begin < n; begin = end) {
        size_t trial = trial_index(s, s->data->samples[begin].trial);

        for (end = begin; end < n && s->data->samples[end].trial == s->data->samples[begin].trial;)
            row_of_sample[end++] = NONE;
        if (trial == NONE)
            continue;
        s->trials[trial].rank = survey_slowest_rank(&s->data->samples[begin], end - begin,
                                                    s->trials[trial].trial->ranks, work);
        status = trial_rows(s, trial, begin, end, row_of_sample);
    }
    free(work);
    return status;
}

/* ------------------------------------------------- trials that contradict their parameters */

/*
 * The contexts of calls may be a clear function of the swept parameters in the trials that
 * explored. A run with other contexts then took them from elsewhere, such as an input file, and its
 * parameters would spoil the models.
 */
/* A function is CLEAR if it misses no trial by more than this share; a trial that it misses by more
 * than CONTRADICTS contradicts its parameters. */
static const double clear = 0.01, contradicts = 0.25;

struct contexts {
    struct portolan_arena pool;
    size_t n, n_names; /* rows and inputs */
    size_t *trial;     /* of each row */
    double *x, *y;
    const char *names[MAX_INPUTS];
};

static size_t inputs_of(const struct survey *s, size_t trial, double *x, const char **names)
{
    size_t n = 0;

    for (size_t d = 0; d < s->n_dims && n < MAX_INPUTS; d++)
        if (s->dims[d].numeric && !isnan(s->trials[trial].x[d])) {
            names[n] = s->dims[d].name;
            x[n++] = s->trials[trial].x[d];
        }
    return n;
}

/* Lists context K of all calls of a call path, by trial. */
static void list_contexts(const struct survey *s, size_t node, int k, struct contexts *c)
{
    const struct survey_node *at = &s->nodes[node];

    c->n = 0;
    for (size_t i = at->first_piece; i < at->first_piece + at->n_pieces; i++) {
        const char *names[MAX_INPUTS];
        size_t trial = s->rows[s->pieces[i].row].trial;

        if (inputs_of(s, trial, &c->x[c->n * c->n_names], names) != c->n_names)
            continue;
        c->trial[c->n] = trial;
        c->y[c->n++] = s->pieces[i].context[k];
    }
}

static bool explores(const struct survey *s, size_t trial)
{
    return !strcmp(s->trials[trial].trial->purpose, "explore");
}

/* Compares rows, not points: repetitions with different contexts follow no function, even if their
 * mean does. */
static bool is_clear(const struct portolan_model *model, const struct portolan_model_data *d)
{
    const struct portolan_model_summary *m = portolan_model_peek_summary(model);
    bool is = m->n_points > 1;

    for (size_t i = 0; is && i < d->n_rows; i++) {
        double value = portolan_model_value(model, &d->x[i * d->n_params]);

        is = fabs(d->y[i] - value) <= clear * fmax(fabs(value), fabs(d->y[i]));
    }
    return is;
}

/* Fits the function in the exploring trials; NULL: there is no clear one. */
static struct portolan_model *fit_clear(const struct survey *s, const struct contexts *c)
{
    double *x = portolan_calloc(c->n + 1, (c->n_names + 1) * sizeof *x);
    double *y = portolan_calloc(c->n + 1, sizeof *y);
    struct portolan_model_data data = {.n_params = c->n_names, .params = c->names, .x = x, .y = y};
    const struct portolan_model_options options = {.allow_negative = true};
    struct portolan_model *model = NULL;

    for (size_t i = 0; x && y && i < c->n; i++)
        if (explores(s, c->trial[i])) {
            memcpy(&x[data.n_rows * c->n_names], &c->x[i * c->n_names], c->n_names * sizeof *x);
            y[data.n_rows++] = c->y[i];
        }
    if (data.n_rows > 1 && !portolan_model_fit(&data, &options, &model, NULL) &&
        !is_clear(model, &data)) {
        portolan_model_destroy(model);
        model = NULL;
    }
    free(x);
    free(y);
    return model;
}

/* Of row FROM and later rows of the same trial, the one that is nearest to VALUE. */
static size_t nearest(const struct contexts *c, size_t from, double value)
{
    size_t best = from;

    for (size_t i = from; i < c->n && c->trial[i] == c->trial[from]; i++)
        if (fabs(c->y[i] - value) < fabs(c->y[best] - value))
            best = i;
    return best;
}

/* Marks trials in BAD in which no call had the context that follows from the parameters. */
static enum portolan_status judge_context(struct survey *s, size_t node, int k,
                                          const struct contexts *c, bool *bad)
{
    struct portolan_model *model = fit_clear(s, c);
    const struct survey_node *at = &s->nodes[node];

    for (size_t i = 0; model && i < c->n; i++) {
        double value = portolan_model_value(model, &c->x[i * c->n_names]);
        double y = c->y[nearest(c, i, value)];

        if ((i && c->trial[i] == c->trial[i - 1]) || explores(s, c->trial[i]) || bad[c->trial[i]] ||
            !isfinite(value) || fabs(y - value) <= contradicts * fmax(fabs(value), fabs(y)))
            continue;
        bad[c->trial[i]] = true;
        s->n_contradicting++;
        s->contradiction = portolan_arena_printf(
            &s->pool,
            "in trial %lld %s.%s was called with %s = %.6g, where its parameters say %.6g",
            (long long)s->trials[c->trial[i]].trial->id, at->instance, at->method,
            at->context_name[k], y, value);
        if (!s->contradiction) {
            portolan_model_destroy(model);
            return PORTOLAN_ENOMEM;
        }
    }
    portolan_model_destroy(model);
    return PORTOLAN_OK;
}

static enum portolan_status find_contradicting(struct survey *s, bool *bad)
{
    size_t most = s->n_pieces + 1, n_judged = 0;
    struct contexts c = {0};
    enum portolan_status status;
    double ignored[MAX_INPUTS];

    c.trial = portolan_arena_alloc(&c.pool, most, sizeof *c.trial);
    c.x = portolan_arena_alloc(&c.pool, most, (MAX_INPUTS + 1) * sizeof *c.x);
    c.y = portolan_arena_alloc(&c.pool, most, sizeof *c.y);
    status = c.pool.failed ? PORTOLAN_ENOMEM : PORTOLAN_OK;
    for (size_t i = 0; i < s->n_trials; i++)
        n_judged += !explores(s, i);
    if (!status && n_judged)
        c.n_names = inputs_of(s, 0, ignored, c.names);
    for (size_t n = 0; !status && c.n_names && n < s->n_nodes; n++)
        for (int k = 0; !status && k < s->nodes[n].n_context; k++) {
            list_contexts(s, n, k, &c);
            status = judge_context(s, n, k, &c, bad);
        }
    portolan_arena_clear(&c.pool);
    return status;
}

/* ------------------------------------------------- the whole survey */

static enum portolan_status survey_all(struct survey *s, const struct survey_filter *filter,
                                       struct portolan_error *err)
{
    size_t *row_of_sample;
    enum portolan_status status = list_variables(s);

    if (!status)
        status = survey_list_trials(s, filter, err);
    if (status)
        return status;
    row_of_sample = portolan_calloc(s->data->n_samples + 1, sizeof *row_of_sample);
    status = row_of_sample ? list_rows(s, row_of_sample) : PORTOLAN_ENOMEM;
    if (!status)
        status = survey_collect(s, row_of_sample);
    free(row_of_sample);
    return status;
}

/* Surveys once more without the trials that contradict their parameters. */
static enum portolan_status leave_out(struct survey *s, const struct survey_filter *filter,
                                      const bool *bad, struct portolan_error *err)
{
    struct survey first = *s;
    struct survey_filter rest = *filter;
    int64_t *ids = portolan_arena_alloc(&first.pool, first.n_trials, sizeof *ids);
    enum portolan_status status = ids ? PORTOLAN_OK : PORTOLAN_ENOMEM;

    for (size_t i = 0; ids && i < first.n_trials; i++)
        if (bad[i])
            ids[rest.n_left_out++] = first.trials[i].trial->id;
    rest.left_out = ids;
    *s = (struct survey){
        .a = first.a, .data = first.data, .options = first.options, .ranks = first.ranks};
    if (!status)
        status = survey_all(s, &rest, err);
    s->n_contradicting = first.n_contradicting;
    if (!status && !(s->contradiction = portolan_arena_strdup(&s->pool, first.contradiction)))
        status = PORTOLAN_ENOMEM;
    portolan_arena_clear(&first.pool);
    return status;
}

enum portolan_status survey_init(struct survey *s, const struct portolan_assembly *a,
                                 const struct portolan_sample_set *data,
                                 const struct portolan_plan_options *options,
                                 const struct survey_filter *filter, struct portolan_error *err)
{
    enum portolan_status status;
    bool *bad = NULL;

    *s = (struct survey){.a = a, .data = data, .options = options, .ranks = options->ranks};
    if (s->ranks < 1)
        return portolan_error_set(err, PORTOLAN_EINVAL, "%d ranks", s->ranks);
    status = survey_all(s, filter, err);
    if (!status && !filter->exploring) {
        bad = portolan_calloc(s->n_trials + 1, sizeof *bad);
        status = bad ? find_contradicting(s, bad) : PORTOLAN_ENOMEM;
        if (!status && s->n_contradicting)
            status = leave_out(s, filter, bad, err);
    }
    free(bad);
    return status ? portolan_error_set(err, status, "surveying the measurements") : PORTOLAN_OK;
}

void survey_clear(struct survey *s)
{
    portolan_arena_clear(&s->pool);
}
