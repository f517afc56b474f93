/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "First, do no harm": the race in five runs of 4,000 steps on one store, on a manual clock. A run
 * costs at most 1.05 times the better one of what is written and what past runs decided, plus a
 * call of each alternative that was never tried; from the third run on at most 1.02 times the best
 * class that could be told. Here the store says of a class what past runs have seen of it. A row
 * has the class written, and of each run its time over the best class's and the number of swaps.
 */
#include <math.h>
#include <portolan/race.h>
#include <portolan/stats.h>
#include <unit_test.h>

enum { STEPS = 4000, RUNS = 5, MOST_CLASSES = 3, FIRST_CALLS = 50 };

/* The cost of a class's calls: the incumbent's usual call is about 1. */
struct class
{
    double cost;
    int warm;           /* so many calls after a swap … */
    double warm_factor; /* … take so many times as long */
    double first;       /* the first call after a swap takes so many times as long; 0: 1 */
    int period;         /* every so many calls one takes … */
    double period_factor;
    double drift;   /* the last step takes so much more, as a share */
    int changes_at; /* from this step on it costs … */
    double later;
};

struct scenario {
    const char *name;
    struct class classes[MOST_CLASSES];
    double noise;
};

/* What the store has of a class: of calls that are not first ones, and how many in one stay. */
struct known {
    double n, sum, squares, first;
    int longest;
};

static struct {
    double cost[RUNS], fixed[RUNS][MOST_CLASSES], first[MOST_CLASSES];
    int swaps[RUNS], start[RUNS];
    bool tried[MOST_CLASSES];
    struct known known[MOST_CLASSES];
} seen;

static double cost_of(const struct scenario *s, int32_t k, int run, int step, int stay, int call)
{
    const struct class *c = &s->classes[k];
    double cost = c->changes_at && step >= c->changes_at ? c->later : c->cost;

    if (stay < c->warm)
        cost *= c->warm_factor;
    if (stay == 0 && c->first > 0)
        cost *= c->first;
    if (c->period && call % c->period == c->period - 1)
        cost *= c->period_factor;
    cost *= 1 + c->drift * step / STEPS;
    if (s->noise > 0)
        cost *= 1 + s->noise * portolan_draw_normal((uint64_t)(run * STEPS + step), (uint64_t)k);
    return cost;
}

static size_t count_classes(const struct scenario *s)
{
    size_t n = 0;

    while (n < MOST_CLASSES && s->classes[n].cost > 0)
        n++;
    return n;
}

static bool any_may_run(const void *arg, size_t instance, size_t alternative)
{
    (void)arg, (void)instance, (void)alternative;
    return true;
}

/* What past runs say: sure beyond three standard errors and first calls, or if calls confirm that
 * it is much worse, or if a visit would add little to what is known. */
static void expect(struct portolan_race *r, size_t n, int32_t now)
{
    const struct known *a = &seen.known[now];

    for (size_t k = 0; k < n; k++) {
        const struct known *b = &seen.known[k];
        double mean = a->sum / a->n, other = b->sum / b->n, wide;

        if ((int32_t)k == now || a->n < 2 || !b->longest)
            continue;
        if (b->n < 2) {
            portolan_race_expect(r, 0, k, fmax(b->first, b->sum) / mean, false);
            continue;
        }
        wide = 3 * sqrt(fmax(a->squares / a->n - mean * mean, 0) / a->n +
                        fmax(b->squares / b->n - other * other, 0) / b->n);
        portolan_race_expect(r, 0, k, other / mean,
                             (b->longest > FIRST_CALLS && fabs(other - mean) > wide) ||
                                 (b->n >= 20 && other > 1.25 * mean) || b->n >= 200);
    }
}

static void note(struct known *k, int stay, double cost)
{
    if (stay + 1 > k->longest)
        k->longest = stay + 1;
    if (stay == 0) {
        k->first = cost;
        return;
    }
    k->n++;
    k->sum += cost;
    k->squares += cost * cost;
}

static int32_t run_once(const struct scenario *s, int run, int32_t now)
{
    size_t n = count_classes(s);
    struct portolan_race_options o = {
        .n_instances = 1, .n_alternatives = &n, .hysteresis = 0.02, .may_run = any_may_run};
    struct portolan_race_limits limits = {.share = 0.05, .swap_ns = 1e3};
    int calls[MOST_CLASSES] = {0}, stay = 0;
    struct portolan_race *r;
    int32_t next;

    assert_int_equal(portolan_race_create(&o, &now, &r, NULL), 0);
    expect(r, n, now);
    seen.start[run] = now;
    seen.cost[run] = seen.swaps[run] = 0;
    for (int step = 0; step < STEPS; step++) {
        double cost = cost_of(s, now, run, step, stay, calls[now]++), ns = 1e6 * cost;

        seen.cost[run] += cost;
        seen.tried[now] = true;
        note(&seen.known[now], stay, cost);
        portolan_race_see(r, &(struct portolan_race_step){ns, &now, stay == 0, &ns, 0, 1});
        next = now;
        limits.remaining_steps = STEPS - step - 1;
        portolan_race_next(r, &limits, &next);
        stay = next == now ? stay + 1 : 0;
        seen.swaps[run] += next != now;
        now = next;
    }
    now = portolan_race_peek(r).incumbent[0];
    portolan_race_destroy(r);
    return now;
}

static void run_fixed(const struct scenario *s, int run)
{
    for (size_t k = 0; k < count_classes(s); k++) {
        seen.fixed[run][k] = 0;
        for (int step = 0; step < STEPS; step++)
            seen.fixed[run][k] += cost_of(s, (int32_t)k, run, step, step, step);
    }
}

/* What a call of each class that was never tried may cost at most, its first ones or a periodic
 * one. */
static double one_call_each(const struct scenario *s, size_t n)
{
    double sum = 0;

    for (size_t k = 0; k < n; k++) {
        const struct class *c = &s->classes[k];
        double most = c->cost * fmax(1, fmax(c->warm ? c->warm_factor : 1, c->first));

        sum += seen.tried[k] ? 0 : fmax(most, c->period ? c->cost * c->period_factor : 0);
    }
    return sum;
}

/* Whether exploring can tell within half its share of a run that class K is better: to see what
 * comes after its first calls, and two periodic ones, costs no more, nor does the way back. */
static bool can_be_told(const struct scenario *s, size_t k, size_t from)
{
    const struct class *c = &s->classes[k], *back = &s->classes[from];
    double most = 0.025 * STEPS * back->cost;
    double first = fmax(c->first, 1) * c->cost - back->cost;
    double warm = c->warm * (c->warm_factor * c->cost - back->cost);
    double longs = c->period ? 2 * (c->period_factor - 1) * c->cost : 0;

    return first < most && warm < most && longs < most && back->first * back->cost < most;
}

static bool check(const struct scenario *s, int32_t written)
{
    size_t n = count_classes(s), best = 0;
    int32_t now = written;
    bool holds = true;
    char line[200];
    int used;

    memset(&seen, 0, sizeof seen);
    seen.tried[written] = true;
    used = snprintf(line, sizeof line, "%-34s %zu", s->name, (size_t)written);
    for (int run = 0; run < RUNS; run++) {
        double extra = one_call_each(s, n), bound, least;

        run_fixed(s, run);
        best = (size_t)written;
        for (size_t k = 0; k < n; k++)
            if (seen.fixed[run][k] < seen.fixed[run][best] && can_be_told(s, k, (size_t)written))
                best = k;
        least = seen.fixed[run][best];
        bound = 1.05 * fmin(seen.fixed[run][written], seen.fixed[run][now]) + extra;
        if (run >= 2)
            bound = fmin(bound, 1.02 * least);
        now = run_once(s, run, now);
        used +=
            snprintf(line + used, sizeof line - (size_t)used, " %7.4f%c%-3d",
                     seen.cost[run] / least, seen.cost[run] <= bound ? ' ' : '!', seen.swaps[run]);
        holds = holds && seen.cost[run] <= bound;
    }
    print_message("%s  ends on %d, best %zu\n", line, now, best);
    return holds;
}

static const struct scenario fixed[] = {
    {"equal", {{.cost = 1}, {.cost = 1}, {.cost = 1}}, 0},
    {"equal, 5 % noise", {{.cost = 1}, {.cost = 1}, {.cost = 1}}, 0.05},
    {"1 % apart, 5 % noise", {{.cost = 1}, {.cost = 0.99}, {.cost = 1.01}}, 0.05},
    {"10 % better", {{.cost = 1}, {.cost = 0.9}, {.cost = 1.1}}, 0.05},
    {"factor 5", {{.cost = 1}, {.cost = 5}, {.cost = 0.2}}, 0.05},
    {"factor 100", {{.cost = 1}, {.cost = 100}, {.cost = 0.9}}, 0.05},
    {"factor 1,000", {{.cost = 1}, {.cost = 1000}, {.cost = 0.9}}, 0.05},
    {"first call x 8, then better", {{.cost = 1}, {.cost = 0.7, .first = 8}}, 0.05},
    {"first call x 100, then better", {{.cost = 1}, {.cost = 0.7, .first = 100}}, 0.05},
    {"first call x 2,000, then better", {{.cost = 1}, {.cost = 0.5, .first = 2000}}, 0.05},
    {"first call x 2,000, much better", {{.cost = 1}, {.cost = 0.05, .first = 2000}}, 0.05},
    {"written has first call x 2,000", {{.cost = 1, .first = 2000}, {.cost = 1.2}}, 0.05},
    {"all drift by 50 %", {{.cost = 1, .drift = .5}, {.cost = 0.9, .drift = .5}}, 0.05},
    {"written drifts by 100 %", {{.cost = 1, .drift = 1}, {.cost = 1.2}}, 0.05},
    {"becomes fast at 2,000", {{.cost = 1}, {.cost = 1.2, .changes_at = 2000, .later = .2}}, 0.05},
    {"becomes slow at 2,000", {{.cost = 1}, {.cost = 0.8, .changes_at = 2000, .later = 2}}, 0.05},
};

static int check_all(const struct scenario *list, size_t n)
{
    int failed = 0;

    for (size_t i = 0; i < n; i++)
        for (int32_t written = 0; written < (int32_t)count_classes(&list[i]); written++)
            failed += !check(&list[i], written);
    return failed;
}

static void no_run_is_slower(void **state)
{
    assert_int_equal(check_all(fixed, sizeof fixed / sizeof *fixed), 0);
}

static void first_calls_are_no_cost(void **state)
{
    static const int warms[] = {2, 5, 10, 20, 50};
    static const double factors[] = {1.5, 2, 5};
    char name[80];
    int failed = 0;

    for (size_t i = 0; i < sizeof warms / sizeof *warms; i++)
        for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
            struct scenario s = {
                name,
                {{.cost = 1}, {.cost = 0.7, .warm = warms[i], .warm_factor = factors[k]}},
                0.05};

            snprintf(name, sizeof name, "%d calls x %g, then better", warms[i], factors[k]);
            failed += check_all(&s, 1);
        }
    assert_int_equal(failed, 0);
}

static void what_is_long_again_is_cost(void **state)
{
    static const int periods[] = {2, 3, 8, 33, 100};
    static const double factors[] = {5, 50, 1000};
    char name[80];
    int failed = 0;

    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++)
        for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
            struct scenario s = {
                name,
                {{.cost = 1}, {.cost = 0.8, .period = periods[i], .period_factor = factors[k]}},
                0.05};

            snprintf(name, sizeof name, "every %d calls x %g", periods[i], factors[k]);
            failed += check_all(&s, 1);
        }
    assert_int_equal(failed, 0);
}

UNIT_TESTS(cmocka_unit_test(no_run_is_slower), cmocka_unit_test(first_calls_are_no_cost),
           cmocka_unit_test(what_is_long_again_is_cost))
