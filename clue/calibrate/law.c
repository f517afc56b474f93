/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes laws of sizes, with as few points as the measurements allow. */
#include <portolan/clue_calibrate.h>

#include <math.h>
#include <string.h>

/* A law may miss a sample by the greater of these two. */
static const double may_miss = 0.02, std_errors = 2;

/* Puts S among the points, in the order of sizes. */
static size_t put_sample(struct clue_law_point *points, size_t n, const struct clue_sample *s)
{
    size_t i = n;

    while (i && points[i - 1].bytes > s->bytes)
        i--;
    memmove(&points[i + 1], &points[i], (n - i) * sizeof *points);
    points[i] = (struct clue_law_point){.bytes = s->bytes, .ns = s->value};
    return n + 1;
}

/* Returns by how much the law misses S, relative to what is allowed. */
static double miss_of(const struct clue_law *law, const struct clue_sample *s)
{
    double allowed = fmax(may_miss * fabs(s->value), std_errors * s->std_error);
    double miss = fabs(clue_law_value(law, s->bytes) - s->value);

    return allowed > 0 ? miss / allowed : miss > 0 ? INFINITY : 0;
}

/* Adds the sample that is missed most as a point, until none is missed by more than is allowed. */
static void refine(struct clue_law *law, struct clue_law_point *points,
                   const struct clue_sample *samples, size_t n)
{
    while (law->n_points < n) {
        size_t worst = 0;

        for (size_t i = 1; i < n; i++)
            if (miss_of(law, &samples[i]) > miss_of(law, &samples[worst]))
                worst = i;
        if (miss_of(law, &samples[worst]) <= 1)
            return;
        law->n_points = put_sample(points, law->n_points, &samples[worst]);
    }
}

enum portolan_status clue_law_of(const struct clue_samples *samples, const char *kind,
                                 struct portolan_arena *arena, struct clue_law *law,
                                 struct portolan_error *err)
{
    struct clue_law_point *points;
    size_t n;
    const struct clue_sample *of = clue_samples_of(samples, kind, &n);

    *law = (struct clue_law){0};
    if (!of)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "'%s' was not measured", kind);
    if (n == 1) {
        law->constant_ns = of->value;
        return PORTOLAN_OK;
    }
    if (!(points = portolan_arena_alloc(arena, n, sizeof *points)))
        return portolan_no_memory(err);
    law->points = points;
    law->n_points = put_sample(points, put_sample(points, 0, &of[0]), &of[n - 1]);
    refine(law, points, of, n);
    return PORTOLAN_OK;
}
