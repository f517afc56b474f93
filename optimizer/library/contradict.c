/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a trial ran what its parameters say. Where the contexts of calls are a clear function of
 * the swept parameters in the trials that explored, a run with other contexts read them from
 * somewhere else, an input file say: its parameters would spoil what is learned from it.
 */
#include "survey.h"

#include <math.h>
#include <portolan/models.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INPUTS = PORTOLAN_MODEL_MAX_PARAMS };

/* A function is clear when it misses no trial by more; a trial contradicts it by more than that. */
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

/* Context K of a call path wherever it was called, by trial. */
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

/* Repetitions whose contexts differ have no function either, though their mean may have one. */
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

/* The function in the exploring trials; NULL: there is no clear one. */
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

/* Row FROM and those behind it of the same trial: how near the nearest comes to VALUE. */
static size_t nearest(const struct contexts *c, size_t from, double value)
{
    size_t best = from;

    for (size_t i = from; i < c->n && c->trial[i] == c->trial[from]; i++)
        if (fabs(c->y[i] - value) < fabs(c->y[best] - value))
            best = i;
    return best;
}

/* A trial in which no call had the context that its parameters lead to. */
static enum portolan_status judge(struct survey *s, size_t node, int k, const struct contexts *c,
                                  bool *bad)
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

enum portolan_status survey_find_contradicting(struct survey *s, bool *bad)
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
            status = judge(s, n, k, &c, bad);
        }
    portolan_arena_clear(&c.pool);
    return status;
}
