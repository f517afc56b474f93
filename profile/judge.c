/* SPDX-License-Identifier: BSD-3-Clause */
/* What the values of two sets of trials say of each call path. */
#include "compare.h"
#include "internal.h"

#include <math.h>
#include <stdlib.h>

static double sum(const double *values, size_t n)
{
    double s = 0;

    for (size_t i = 0; i < n; i++)
        s += values[i];
    return s;
}

/* All that needs no knowledge of other rows. */
static enum portolan_status test_row(const struct portolan_comparison *c,
                                     struct portolan_comparison_row *r)
{
    double t, freedom;
    enum portolan_status status = portolan_median(r->values_a, c->n_a, &r->median_a);

    if (status == PORTOLAN_OK)
        status = portolan_median(r->values_b, c->n_b, &r->median_b);
    if (status == PORTOLAN_OK)
        status =
            portolan_ratio(r->values_a, c->n_a, r->values_b, c->n_b, c->query.level, &r->ratio);
    if (status == PORTOLAN_OK)
        status = portolan_mann_whitney(r->values_a, c->n_a, r->values_b, c->n_b, &r->p);
    r->p_welch = portolan_welch(r->values_a, c->n_a, r->values_b, c->n_b, &t, &freedom);
    return status;
}

static enum portolan_verdict judge(const struct portolan_comparison *c,
                                   const struct portolan_comparison_row *r, bool is_member,
                                   bool can_tell)
{
    double most = 1 + c->query.threshold;

    if (sum(r->values_a, c->n_a) == 0 && sum(r->values_b, c->n_b) != 0)
        return PORTOLAN_VERDICT_NEW;
    if (sum(r->values_b, c->n_b) == 0 && sum(r->values_a, c->n_a) != 0)
        return PORTOLAN_VERDICT_GONE;
    if (!is_member)
        return PORTOLAN_VERDICT_NOT_TESTED;
    if (!can_tell)
        return PORTOLAN_VERDICT_CANNOT_TELL;
    if (r->p_holm <= c->query.level)
        return r->ratio.value > most       ? PORTOLAN_VERDICT_SLOWER
               : r->ratio.value < 1 / most ? PORTOLAN_VERDICT_FASTER
                                           : PORTOLAN_VERDICT_SMALL;
    return r->ratio.low >= 1 / most && r->ratio.high <= most ? PORTOLAN_VERDICT_SAME
                                                             : PORTOLAN_VERDICT_UNCLEAR;
}

/* Trials of each side with which one difference among MEMBERS could be significant. */
static size_t enough(double level, size_t members)
{
    size_t n = 1;

    while (n < 1000 && portolan_mann_whitney_least(n, n) * (double)members > level)
        n++;
    return n;
}

static enum portolan_status test_family(struct portolan_comparison *c, struct portolan_error *err)
{
    double *p = portolan_calloc(c->n_rows + 1, sizeof *p);
    enum portolan_status status = p ? PORTOLAN_OK : portolan_no_memory(err);
    bool can_tell;

    for (size_t i = 0; status == PORTOLAN_OK && i < c->n_rows; i++) {
        bool is_member = c->rows[i].share >= c->query.share;

        p[i] = is_member ? c->rows[i].p : NAN;
        c->n_tested += is_member;
    }
    if (status == PORTOLAN_OK)
        status = portolan_holm(p, c->n_rows);
    can_tell = portolan_mann_whitney_least(c->n_a, c->n_b) * (double)c->n_tested <= c->query.level;
    for (size_t i = 0; status == PORTOLAN_OK && i < c->n_rows; i++) {
        struct portolan_comparison_row *r = &c->rows[i];

        r->p_holm = p[i];
        r->verdict = judge(c, r, r->share >= c->query.share, can_tell);
        c->is_regression |= r->verdict == PORTOLAN_VERDICT_SLOWER;
    }
    free(p);
    return status;
}

enum portolan_status comparison_judge(struct portolan_comparison *c, struct portolan_error *err)
{
    struct portolan_comparison_row *total = &c->total;
    double all = sum(total->values_a, c->n_a) + sum(total->values_b, c->n_b);
    enum portolan_status status = test_row(c, total);

    total->share = 1;
    total->p_holm = total->p;
    for (size_t i = 0; status == PORTOLAN_OK && i < c->n_rows; i++) {
        struct portolan_comparison_row *r = &c->rows[i];

        r->share = all != 0 ? (sum(r->values_a, c->n_a) + sum(r->values_b, c->n_b)) / all : 0;
        status = test_row(c, r);
    }
    if (status != PORTOLAN_OK)
        return portolan_no_memory(err);
    total->verdict =
        judge(c, total, true, portolan_mann_whitney_least(c->n_a, c->n_b) <= c->query.level);
    c->is_regression = total->verdict == PORTOLAN_VERDICT_SLOWER;
    status = test_family(c, err);
    c->enough_for_total = enough(c->query.level, 1);
    c->enough_for_paths = enough(c->query.level, c->n_tested ? c->n_tested : 1);
    return status;
}

const char *portolan_verdict_text(enum portolan_verdict verdict)
{
    static const char *const texts[] = {"cannot tell", "SLOWER", "faster", "small", "same",
                                        "unclear",     "new",    "gone",   "-"};

    return texts[verdict];
}
