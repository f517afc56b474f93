/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the survey: all stored samples of an assembly, in the order in which the rest of the
 * library reads them. trials.c finds the trials that count and their parameters; this file makes
 * rows, one for each step; collect.c gives each sample its call path and row, notes which
 * implementations ran, and adds up.
 *
 * The result are tables that refer to each other by index. A trial has rows. A row has a selection
 * (an alternative for each variable) and belongs to a segment, the steps of a minute with the same
 * selection. A node is a call path, below its caller. An entry has the calls of one node, row,
 * implementation and context; a sum has those of one node and row.
 */
#include "survey.h"

#include <portolan/list.h>
#include <stdlib.h>
#include <string.h>

static enum portolan_status list_variables(struct survey *s)
{
    const struct portolan_assembly *a = s->a;

    s->variables = portolan_arena_alloc(&s->pool, a->n_instances, sizeof *s->variables);
    if (!s->variables)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_assembly_instance *x = &a->instances[i];

        if (x->n_alternatives > 1)
            s->variables[s->n_variables++] = (struct survey_variable){
                x, x->n_alternatives,
                portolan_arena_alloc(&s->pool, x->n_alternatives, sizeof(double)),
                portolan_arena_alloc(&s->pool, x->n_alternatives, sizeof(struct survey_name))};
    }
    if (s->pool.failed)
        return PORTOLAN_ENOMEM;
    for (size_t v = 0; v < s->n_variables; v++)
        survey_sort_names(&s->variables[v]);
    return PORTOLAN_OK;
}

/* Looks first at *NEXT, where it will be if samples and trials are in the same order. */
static size_t trial_index(const struct survey *s, int64_t id, size_t *next)
{
    for (size_t k = 0; k < s->n_trials; k++) {
        size_t i = (*next + k) % s->n_trials;

        if (s->trials[i].trial->id == id) {
            *next = i + 1;
            return i;
        }
    }
    return NONE;
}

static struct survey_row *add_row(struct survey *s, size_t trial, int step)
{
    struct survey_row row = {.trial = trial, .step = step, .segment = NONE};

    row.selection = portolan_arena_alloc(&s->pool, s->n_variables, sizeof *row.selection);
    return row.selection ? portolan_arena_append(&s->pool, &s->rows, &s->n_rows, &row, sizeof row)
                         : NULL;
}

/* The steps of which the trial knows, where short ones were grouped; 0: none were. */
static int64_t steps_told(const struct survey_trial *t)
{
    const char *text = portolan_trial_peek_fact(t->trial, PORTOLAN_FACT_STEPS);
    int64_t end = 0;

    return text && portolan_read_int64(text, &end) ? end : 0;
}

/* Returns the number of steps that began in samples [BEGIN, END), for assemblies that do not say
 * how many they have. The last group begins before its last step. */
static int steps_seen(const struct survey *s, const struct survey_trial *t, size_t begin,
                      size_t end)
{
    int last = 0;

    for (size_t i = begin; i < end; i++)
        last = s->data->samples[i].step > last ? s->data->samples[i].step : last;
    last = last > 0 ? last + 1 : 0;
    return last && steps_told(t) > last ? (int)steps_told(t) : last;
}

/* Where short steps were grouped, gives a row all steps up to the next row's, or to the last one of
 * which the trial knows. */
static void count_steps(struct survey *s, const struct survey_trial *t)
{
    int64_t end = steps_told(t);

    for (size_t r = t->first_row; end && r < s->n_rows; r++) {
        int64_t next = r + 1 < s->n_rows ? s->rows[r + 1].step : end;

        if (!s->rows[r].once && next > s->rows[r].step)
            s->rows[r].steps = (double)(next - s->rows[r].step);
    }
}

/* Makes one row per step of the trial with samples [BEGIN, END); a single row if steps are unknown.
 */
static enum portolan_status trial_rows(struct survey *s, size_t trial, size_t begin, size_t end,
                                       size_t *row_of_sample)
{
    struct survey_trial *t = &s->trials[trial];
    bool only_before = true;

    t->first_row = s->n_rows;
    if (!s->a->steps_instance)
        t->steps = steps_seen(s, t, begin, end);
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
    count_steps(s, t);
    if (t->steps && only_before && t->n_rows == 1 &&
        strcmp(t->trial->outcome, "finished") ==
            0) { /* without swap points all steps are one row */
        s->rows[t->first_row].once = false;
        s->rows[t->first_row].steps = t->steps;
    }
    return PORTOLAN_OK;
}

static enum portolan_status list_rows(struct survey *s, size_t *row_of_sample)
{
    double *work;
    size_t most = (size_t)s->ranks;
    size_t n = s->data->n_samples, next = 0;
    enum portolan_status status;

    for (size_t i = 0; i < s->n_trials; i++)
        if (s->trials[i].trial->ranks > (int)most)
            most = (size_t)s->trials[i].trial->ranks;
    work = portolan_calloc(most + 1, sizeof *work);
    status = work ? PORTOLAN_OK : PORTOLAN_ENOMEM;
    for (size_t begin = 0, end; !status && begin < n; begin = end) {
        size_t trial = trial_index(s, s->data->samples[begin].trial, &next);

        for (end = begin; end < n && s->data->samples[end].trial == s->data->samples[begin].trial;)
            row_of_sample[end++] = NONE;
        if (trial == NONE)
            continue;
        s->trials[trial].rank = portolan_samples_slowest_rank(&s->data->samples[begin], end - begin,
                                                              s->trials[trial].trial->ranks, work);
        status = trial_rows(s, trial, begin, end, row_of_sample);
    }
    free(work);
    return status;
}

/* ------------------------------------------------- the whole survey */

static enum portolan_status survey_all(struct survey *s, bool explored, struct portolan_error *err)
{
    size_t *row_of_sample;
    enum portolan_status status = list_variables(s);

    if (!status)
        status = survey_list_trials(s, explored, err);
    if (status)
        return status;
    row_of_sample = portolan_calloc(s->data->n_samples + 1, sizeof *row_of_sample);
    status = row_of_sample ? list_rows(s, row_of_sample) : PORTOLAN_ENOMEM;
    if (!status)
        status = survey_collect(s, row_of_sample);
    free(row_of_sample);
    return status;
}

enum portolan_status survey_init(struct survey *s, const struct portolan_assembly *a,
                                 const struct portolan_sample_set *data,
                                 const struct portolan_plan_options *options, bool explored,
                                 struct portolan_error *err)
{
    enum portolan_status status;

    *s = (struct survey){
        .a = a, .data = data, .options = options, .again = options->again, .ranks = options->ranks};
    if (s->ranks < 1)
        return portolan_error_set(err, PORTOLAN_EINVAL, "%d ranks", s->ranks);
    status = survey_all(s, explored, err);
    return status ? portolan_error_set(err, status, "surveying the measurements") : PORTOLAN_OK;
}

void survey_clear(struct survey *s)
{
    portolan_arena_clear(&s->pool);
}
