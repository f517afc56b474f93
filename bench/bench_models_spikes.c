/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spikes: 2 in 100 rows take 10 to 100 times as long. Is the form that is chosen the one chosen
 * without those rows, or with what they should have been?
 */
#include "bench_models.h"

#include <stdio.h>

static bool form_of(size_t n_rows, const double *x, const double *y, struct sum *form)
{
    static const char *const name = "n";
    struct portolan_model_data data = {
        .n_params = 1, .params = &name, .n_rows = n_rows, .x = x, .y = y};
    struct portolan_model *model = NULL;
    const struct portolan_model_term *terms;

    if (portolan_model_fit(&data, NULL, &model, NULL))
        return false;
    form->n_params = 1;
    terms = portolan_model_peek_terms(model, &form->n);
    for (size_t j = 0; j < form->n; j++)
        form->terms[j] = terms[j];
    portolan_model_destroy(model);
    return true;
}

struct verdict {
    size_t n, spikes, as_without, as_clean;
};

static bool judge(const struct series *s, struct verdict *verdict, uint64_t *state)
{
    double x[MAX_ROWS], y[MAX_ROWS], spiked[MAX_ROWS];
    struct sum clean, hit, without;
    size_t kept = 0;

    for (size_t i = 0; i < s->n_rows; i++) {
        bool spike = draw(state) < 0.02;

        spiked[i] = s->y[i] * (spike ? 10 + 90 * draw(state) : 1);
        verdict->spikes += spike;
        if (spike)
            continue;
        x[kept] = s->x[i];
        y[kept++] = s->y[i];
    }
    if (!form_of(s->n_rows, s->x, s->y, &clean) || !form_of(s->n_rows, s->x, spiked, &hit) ||
        !form_of(kept, x, y, &without))
        return false;
    verdict->n++;
    verdict->as_without += sum_same_form(&hit, &without);
    verdict->as_clean += sum_same_form(&hit, &clean);
    return true;
}

bool spikes_run(size_t n_series, uint64_t state)
{
    static const double noise[] = {0, 0.001, 0.01, 0.05};

    printf("\n2 %% of rows 10 to 100 times too long, %zu series of 5 and of 9 points of Extra-P's "
           "classes each: forms\nthat are those chosen without these rows, and with them as they "
           "should have been\n",
           n_series);
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++) {
        struct verdict verdict = {0};

        for (size_t j = 0; j < 2 * n_series; j++) {
            struct series s;

            series_draw(&s, 1, j % 2 ? 9 : 5, noise[i], &state);
            if (!judge(&s, &verdict, &state))
                return false;
        }
        printf("noise %4.1f %%: %5.1f %%  %5.1f %%  (%.1f spikes per series)\n", 100 * noise[i],
               100 * (double)verdict.as_without / (double)verdict.n,
               100 * (double)verdict.as_clean / (double)verdict.n,
               (double)verdict.spikes / (double)verdict.n);
    }
    return true;
}
