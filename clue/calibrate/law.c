/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits laws of sizes, with as few points as the measurements allow. */
#include <portolan/clue_calibrate.h>

#include <portolan/models.h>
#include <portolan/stats.h>

#include <math.h>
#include <string.h>

/* Number of parts of the rounds. models/ takes their quartiles as repetitions, to find the
 * noise. */
enum { PARTS = 5 };

/* A law may miss a sample by the greater of these two. */
static const double may_miss = 0.02, std_errors = 2;

/* Makes the rows of the fit; false: no memory. */
static bool make_rows(const struct clue_sample *samples, size_t n, struct portolan_arena *arena,
                      double **x, double **y, size_t *n_rows)
{
    *x = portolan_arena_alloc(arena, n * PARTS, sizeof **x);
    *y = portolan_arena_alloc(arena, n * PARTS, sizeof **y);
    *n_rows = 0;
    for (size_t i = 0; *x && *y && i < n; i++) {
        const struct clue_sample *s = &samples[i];
        size_t parts = s->n < PARTS ? s->n : PARTS;
        double *room = portolan_arena_alloc(arena, s->n, sizeof *room);

        if (!room)
            return false;
        memcpy(room, s->ns, s->n * sizeof *room);
        for (size_t k = 0; k < parts; k++) {
            size_t from = k * s->n / parts, to = (k + 1) * s->n / parts;

            portolan_sort_numbers(to - from, room + from);
            (*x)[*n_rows] = (double)s->bytes;
            (*y)[(*n_rows)++] = room[from + (to - from) / 4];
        }
    }
    return *x && *y;
}

/* Takes both ends of each interval of MODEL, at measured sizes. */
static size_t take_ends(const struct portolan_model *model, const struct clue_sample *samples,
                        size_t n, struct clue_law_point *points)
{
    size_t n_points = 0, before = SIZE_MAX;

    for (size_t i = 0; i < n; i++) {
        struct portolan_prediction here = {0}, next = {0};
        double x = (double)samples[i].bytes;

        if (portolan_model_predict(model, &x, &here))
            continue;
        if (i + 1 < n) {
            x = (double)samples[i + 1].bytes;
            portolan_model_predict(model, &x, &next);
        }
        if (before != here.piece || i + 1 == n || next.piece != here.piece)
            points[n_points++] =
                (struct clue_law_point){.bytes = samples[i].bytes, .ns = here.value};
        before = here.piece;
    }
    return n_points;
}

/* Puts S among the points; it replaces a point of the same size. */
static size_t put_sample(struct clue_law_point *points, size_t n, const struct clue_sample *s)
{
    size_t i = n;

    while (i && points[i - 1].bytes > s->bytes)
        i--;
    if (i && points[i - 1].bytes == s->bytes) {
        points[i - 1].ns = s->value;
        return n;
    }
    memmove(&points[i + 1], &points[i], (n - i) * sizeof *points);
    points[i] = (struct clue_law_point){.bytes = s->bytes, .ns = s->value};
    return n + 1;
}

/* Returns by how much the law misses S, relative to what is allowed. */
static double miss_of(const struct clue_law *law, const struct clue_sample *s)
{
    double allowed = fmax(may_miss * s->value, std_errors * s->std_error);
    double miss = fabs(clue_law_value(law, s->bytes) - s->value);

    return allowed > 0 ? miss / allowed : miss > 0 ? INFINITY : 0;
}

/* Adds the sample that is missed most as a point, until none is missed by more than is allowed. */
static void refine(struct clue_law *law, struct clue_law_point *points,
                   const struct clue_sample *samples, size_t n)
{
    for (size_t round = 0; round < n; round++) {
        size_t worst = 0;

        for (size_t i = 1; i < n; i++)
            if (miss_of(law, &samples[i]) > miss_of(law, &samples[worst]))
                worst = i;
        if (miss_of(law, &samples[worst]) <= 1)
            return;
        law->n_points = put_sample(points, law->n_points, &samples[worst]);
    }
}

static enum portolan_status fit(const struct clue_sample *samples, size_t n,
                                struct portolan_arena *arena, struct portolan_model **model,
                                struct portolan_error *err)
{
    static const char *const params[] = {"bytes"};
    static const struct portolan_model_shape shapes[] = {{{0}, {0}, NULL}, {{1}, {0}, NULL}};
    const struct portolan_model_options options = {.statistic = PORTOLAN_MODEL_MEDIAN};
    struct portolan_model_data data = {.n_params = 1, .params = params};
    double *x, *y;

    if (!make_rows(samples, n, arena, &x, &y, &data.n_rows))
        return portolan_no_memory(err);
    data.x = x;
    data.y = y;
    return n < 3 ? portolan_model_fit_terms(&data, shapes, 1, &options, model, err)
                 : portolan_model_fit_pieces(&data, shapes, 2, &options, model, err);
}

enum portolan_status clue_law_of(const struct clue_samples *samples, const char *kind,
                                 struct portolan_arena *arena, struct clue_law *law,
                                 struct portolan_error *err)
{
    struct portolan_model *model = NULL;
    struct clue_law_point *points;
    enum portolan_status status;
    size_t n;
    const struct clue_sample *of = clue_samples_of(samples, kind, &n);

    *law = (struct clue_law){0};
    if (!of)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "'%s' was not measured", kind);
    if (!(points = portolan_arena_alloc(arena, 3 * n, sizeof *points)))
        return portolan_no_memory(err);
    law->points = points;
    status = fit(of, n, arena, &model, err);
    if (!status) {
        law->n_points = take_ends(model, of, n, points);
        refine(law, points, of, n);
        if (law->n_points == 1) /* all samples have one size */
            *law = (struct clue_law){.constant_ns = points->ns};
    }
    portolan_model_destroy(model);
    return status;
}
