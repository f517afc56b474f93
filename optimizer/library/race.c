/* SPDX-License-Identifier: BSD-3-Clause */
/* The race of implementations while a program runs: what is seen, and what follows from it. */
#include "race_internal.h"

#include <math.h>
#include <portolan/list.h>
#include <stdlib.h>
#include <string.h>

/* An alternative whose first step takes so many times as long as usual gets no second one. */
static const double hopeless = 8;
/* After one or two steps more it must be at least so much worse to lose. */
static const double surely_worse = 0.1;
/* The incumbent's steps that are known before others are tried; of a first visit, of the longest.
 */
enum { KNOWN_STEPS = 3, FIRST_BLOCK = 4, LONGEST_BLOCK = 32 };
/* Steps until a hopeless alternative gets its second step, and until what drift drove out is looked
 * at again. */
enum { DOUBT_WAIT = 25, RETURN_WAIT = 10 };
/* For so many steps a drift is the reason of a change. */
enum { DRIFT_COUNTS = 64 };
static const double same_data = 0.1;

/* ---- arms ---- */

static size_t n_instances(const struct portolan_race *r)
{
    return r->o.n_instances;
}

/* Whether WHOLE has the arm's implementations. */
static bool has(const struct portolan_race *r, const struct arm *a, const int32_t *whole)
{
    for (size_t i = 0; i < n_instances(r); i++)
        if (a->selection[i] >= 0 && a->selection[i] != whole[i])
            return false;
    return true;
}

static struct arm *find_in_group(const struct portolan_race *r, size_t group, const int32_t *whole)
{
    for (size_t i = 0; i < r->n_arms; i++)
        if (r->arms[i]->group == group && has(r, r->arms[i], whole))
            return r->arms[i];
    return NULL;
}

static void put_move(const struct portolan_race *r, const struct move *m, int32_t *whole)
{
    memcpy(whole, r->incumbent, n_instances(r) * sizeof *whole);
    for (size_t i = 0; i < m->n; i++)
        whole[m->instance[i]] = m->alternative[i];
}

struct arm *race_find_arm(const struct portolan_race *r, const struct move *move)
{
    put_move(r, move, r->scratch);
    return find_in_group(r, r->group[move->instance[0]], r->scratch);
}

/* The arm of a group in WHOLE; NULL without memory. */
static struct arm *make_arm(struct portolan_race *r, size_t group, const int32_t *whole)
{
    struct arm *a = find_in_group(r, group, whole);

    if (a)
        return a;
    a = portolan_arena_alloc(&r->pool, 1, sizeof *a);
    if (!a || !(a->selection = portolan_arena_alloc(&r->pool, n_instances(r), sizeof(int32_t))) ||
        !(a->called = portolan_arena_alloc(&r->pool, n_instances(r), sizeof(bool))))
        return NULL;
    for (size_t i = 0; i < n_instances(r); i++)
        a->selection[i] = r->group[i] == group ? whole[i] : -1;
    a->group = group;
    a->block = FIRST_BLOCK;
    return portolan_arena_append(&r->pool, &r->arms, &r->n_arms, &a, sizeof a) ? a : NULL;
}

/* ---- comparing ---- */

/* By how much the long steps of A and of the incumbent change the difference: at best, at worst. */
static void add_extra(const struct portolan_race *r, const struct arm *a, struct difference *d)
{
    double extra = r->record.extra_ns;
    bool watched = a->record.n >= 2 * (size_t)r->record.period;

    if (a->record.period)
        extra = a->record.extra_ns;
    else if (r->record.period && watched)
        extra = fmin(record_extra(&a->record, r->record.period), extra);
    /* not watched long enough: at worst it has the same, at best nothing */
    d->low += (r->record.period && !watched && !a->record.period ? 0 : extra) - r->record.extra_ns;
    d->point += extra - r->record.extra_ns;
    d->high += extra - r->record.extra_ns;
}

struct difference race_compare(const struct portolan_race *r, const struct arm *a)
{
    double noise = r->record.noise, usual = r->record.usual_ns;
    double theirs = a->record.usual_ns, width;
    struct difference d;

    if (a->record.n < KNOWN_STEPS && a->record.first_ns > 0)
        theirs = fmin(theirs, a->record.first_ns); /* one of them may be a spike */
    width = usual * hypot(record_width(&r->record, noise), record_width(&a->record, noise));
    d.point = theirs - usual;
    d.low = d.point - width;
    d.high = d.point + width;
    add_extra(r, a, &d);
    return d;
}

/* ---- a new incumbent ---- */

/* Ratios are to the incumbent's implementation: now to the new one's, whose ratio is Q. */
static void rebase_ratios(struct portolan_race *r, const struct move *m, double q)
{
    if (m->n > 1)
        q = sqrt(q);
    for (size_t i = 0; i < m->n; i++) {
        size_t at = m->instance[i];

        for (size_t k = 0; k < r->o.n_alternatives[at]; k++)
            r->ratio[at][k] /= q;
        r->ratio[at][r->incumbent[at]] = 1 / q;
        r->ratio[at][m->alternative[i]] = 1;
    }
}

/* The incumbent runs again, or what was tried is the incumbent. */
static void close_visit(struct portolan_race *r)
{
    r->told.cost_ns = race_cost(r);
    r->visit_ns = 0;
    r->visited = NULL;
}

/* Keeps the incumbent's record in the arm that it was, until it is looked at again. */
static void retire(struct portolan_race *r, struct arm *old, double new_usual_ns)
{
    bool drifted = r->drifted_at && r->now - r->drifted_at < DRIFT_COUNTS;

    old->record = r->record;
    old->state = ARM_LOST;
    old->ratio = new_usual_ns > 0 ? record_mean(&r->record) / new_usual_ns : 1;
    old->looked_at = r->now;
    old->before_ns = drifted ? r->before_drift_ns : 0;
    old->doubt_ns = 0;
}

static void adopt(struct portolan_race *r, struct arm *new)
{
    double before = record_mean(&r->record), after = record_mean(&new->record);
    struct arm *old = make_arm(r, new->group, r->incumbent);
    bool is_sure = race_compare(r, new).high < 0;

    for (size_t i = 0; i < r->n_arms; i++)
        if (r->arms[i]->group != new->group)
            record_shift(&r->arms[i]->record, after - before);
    if (old)
        retire(r, old, after);
    r->drifted_at = 0;
    r->record = new->record;
    new->record = (struct record){0};
    rebase_ratios(r, &r->move, after / before);
    put_move(r, &r->move, r->scratch);
    memcpy(r->incumbent, r->scratch, n_instances(r) * sizeof *r->incumbent);
    if (old && !is_sure && new->block < LONGEST_BLOCK) {
        old->state = ARM_OPEN;
        old->wait = 0;
        old->block = 2 * new->block;
    } else if (old) {
        old->wait = old->before_ns > 0 ? RETURN_WAIT : race_wait(r, old);
    }
    r->told.changes++;
    close_visit(r);
}

/* Others changed what runs: it is the incumbent. */
static void take_over(struct portolan_race *r, const int32_t *selection)
{
    struct move m = {0};
    size_t n = 0;

    for (size_t i = 0; i < n_instances(r); i++)
        if (selection[i] != r->incumbent[i] && n++ < 1)
            m = (struct move){1, {i}, {selection[i]}};
    close_visit(r);
    if (n == 1) {
        struct arm *old = make_arm(r, r->group[m.instance[0]], r->incumbent);

        rebase_ratios(r, &m, r->ratio[m.instance[0]][m.alternative[0]]);
        if (old && r->record.n) {
            retire(r, old, 0);
            old->before_ns = r->drifted_at ? old->before_ns : record_mean(&r->record);
            old->wait = RETURN_WAIT;
        }
    }
    memcpy(r->incumbent, selection, n_instances(r) * sizeof *r->incumbent);
    r->record = (struct record){0};
}

/* ---- drift ---- */

/* What was measured of the arms may hold no longer; IS_SLOWER: the incumbent takes longer now. */
static void make_stale(struct portolan_race *r, bool is_slower)
{
    for (size_t i = 0; i < r->n_arms; i++) {
        struct arm *a = r->arms[i];

        if (a->state == ARM_UNTRIED)
            continue;
        if (a->record.n)
            a->before_ns = is_slower ? record_mean(&a->record) : 0;
        a->record = (struct record){0};
        a->state = ARM_STALE;
        a->doubt_ns = 0;
        a->block = FIRST_BLOCK;
        a->looked_at = r->now;
        a->wait = 0;
    }
}

static void notice_drift(struct portolan_race *r)
{
    size_t n;
    int drift = record_drift(&r->record, &n);

    if (!drift)
        return;
    if (drift > 0 && !(r->drifted_at && r->now - r->drifted_at < DRIFT_COUNTS))
        r->before_drift_ns = record_mean(&r->record);
    r->drifted_at = drift > 0 ? r->now : 0;
    record_keep(&r->record, n);
    make_stale(r, drift > 0);
}

/* Long steps come at a period: what lost may be better, if it is watched for whole periods. */
static void notice_period(struct portolan_race *r)
{
    if (!record_find_period(&r->record))
        return;
    for (size_t i = 0; i < r->n_arms; i++) {
        struct arm *a = r->arms[i];

        if (a->state != ARM_LOST || !a->record.n || race_compare(r, a).low >= 0)
            continue;
        a->state = ARM_OPEN;
        a->wait = 0;
        a->block = 2 * (size_t)r->record.period + 1;
    }
}

/* ---- what is seen ---- */

static void see_incumbent(struct portolan_race *r, const struct portolan_race_step *s)
{
    double usual = record_mean(&r->record);

    memcpy(r->inclusive_ns, s->inclusive_ns, n_instances(r) * sizeof *r->inclusive_ns);
    if (s->is_first) {
        record_add_first(&r->record, s->ns);
        if (s->ns > usual && r->told.visits)
            r->told.cost_ns += s->ns - usual;
        return;
    }
    record_add(&r->record, r->now, s->ns);
    notice_period(r);
    notice_drift(r);
    if (record_size(&r->record) >= KNOWN_STEPS)
        r->least_ns =
            r->least_ns > 0 ? fmin(r->least_ns, record_mean(&r->record)) : record_mean(&r->record);
}

static void see_visited(struct portolan_race *r, const struct portolan_race_step *s)
{
    struct arm *a = r->visited;

    for (size_t i = 0; i < n_instances(r); i++)
        a->called[i] = s->inclusive_ns[i] > 0;
    r->told.steps++;
    r->visit_ns += s->ns - record_mean(&r->record);
    if (s->is_first) {
        r->n_first++;
        record_add_first(&a->record, s->ns);
    } else {
        record_add(&a->record, r->now, s->ns);
        record_find_period(&a->record);
    }
}

void portolan_race_see(struct portolan_race *r, const struct portolan_race_step *s)
{
    size_t n = n_instances(r);

    r->now++;
    r->told.elapsed_ns += s->ns;
    if (!(fabs(s->data - r->data) < same_data)) {
        record_keep(&r->record, 0);
        r->least_ns = 0;
        make_stale(r, false);
        close_visit(r);
        r->data = s->data;
    }
    if (r->visited)
        put_move(r, &r->move, r->scratch);
    if (memcmp(s->selection, r->incumbent, n * sizeof *s->selection) == 0) {
        if (s->ns > 0)
            see_incumbent(r, s);
    } else if (r->visited && memcmp(s->selection, r->scratch, n * sizeof *s->selection) == 0) {
        if (s->ns > 0)
            see_visited(r, s);
    } else {
        take_over(r, s->selection);
    }
}

/* ---- what follows ---- */

enum verdict { GO_ON, ADOPT, LOSE, DOUBT, LEAVE_OPEN };

/* Whether the next step may exceed the budget, if it is as long as the shortest seen. */
static bool is_too_costly(const struct portolan_race *r, double excess_ns)
{
    return excess_ns > 0 && race_cost(r) - r->excused_ns + excess_ns > race_budget(r);
}

static enum verdict judge_first(const struct portolan_race *r)
{
    const struct arm *a = r->visited;
    double usual = record_mean(&r->record), excess = a->record.first_ns - usual;

    if (!r->n_first)
        return GO_ON; /* it has not run yet */
    if (!(a->record.first_ns > hopeless * usual) && !is_too_costly(r, excess))
        return GO_ON;
    return a->state == ARM_DOUBTED ? LOSE : DOUBT;
}

/* The decision about the alternative that is tried. */
static enum verdict judge(const struct portolan_race *r)
{
    const struct arm *a = r->visited;
    double usual = record_mean(&r->record), leaving = (double)r->move.n * r->swap_ns;
    double least = fmax(r->o.hysteresis * usual, leaving / fmax(r->remaining, 1));
    struct difference d;

    if (!a->record.n)
        return judge_first(r);
    d = race_compare(r, a);
    if (d.low > (a->record.n < KNOWN_STEPS ? surely_worse * usual : -least))
        return LOSE;
    if (a->record.n >= KNOWN_STEPS && d.high < 0)
        return ADOPT;
    if (a->record.n < a->block && !is_too_costly(r, d.point))
        return GO_ON;
    if (d.point < 0)
        return ADOPT;
    return a->block < LONGEST_BLOCK ? LEAVE_OPEN : LOSE;
}

/* Notes the result of a visit. */
static void leave(struct portolan_race *r, enum verdict verdict)
{
    struct arm *a = r->visited;
    double usual = record_mean(&r->record), excess = a->record.first_ns - usual;

    a->looked_at = r->now;
    if (verdict != DOUBT) {
        r->excused_ns += a->record.first_ns < hopeless * usual ? a->doubt_ns : 0;
        a->doubt_ns = 0;
    }
    a->ratio = (usual + (a->record.n ? race_compare(r, a).point : excess)) / usual;
    if (r->move.n == 1)
        r->ratio[r->move.instance[0]][r->move.alternative[0]] = a->ratio;
    if (verdict == DOUBT) {
        a->state = ARM_DOUBTED;
        a->doubt_ns = excess;
        a->wait = DOUBT_WAIT;
    } else if (verdict == LEAVE_OPEN) {
        a->state = ARM_OPEN;
        a->block *= 2;
        a->wait = 0;
    } else {
        int wait = a->before_ns > 0 ? RETURN_WAIT : race_wait(r, a);

        a->state = ARM_LOST;
        a->wait = a->wait * 2 > wait ? a->wait * 2 : wait;
    }
    close_visit(r);
}

static bool is_allowed(const struct portolan_race *r, const int32_t *whole)
{
    for (size_t i = 0; i < n_instances(r); i++)
        if (!r->allowed[i][whole[i]])
            return false;
    return true;
}

/* Ends the visit if it is decided. */
static void end_visit(struct portolan_race *r)
{
    enum verdict verdict;

    if (!r->visited)
        return;
    put_move(r, &r->move, r->scratch);
    verdict = !is_allowed(r, r->scratch) ? LOSE : r->o.share > 0 ? judge(r) : LEAVE_OPEN;
    if (verdict == GO_ON)
        return;
    if (verdict == ADOPT) {
        r->excused_ns += r->visited->doubt_ns;
        adopt(r, r->visited);
        r->told.reason = "measured to be faster";
        return;
    }
    r->told.cost_ns += (double)r->move.n * r->swap_ns;
    r->told.reason = verdict == LEAVE_OPEN ? "too close to tell" : "not better";
    leave(r, verdict);
}

static bool begin_visit(struct portolan_race *r, const struct move *move)
{
    static const char *const why[] = {"not tried yet", "too close to tell", "looked at again",
                                      "one step may have been a spike", "things have changed"};
    struct arm *a;

    put_move(r, move, r->scratch);
    a = make_arm(r, r->group[move->instance[0]], r->scratch);
    if (!a)
        return false;
    r->told.reason = why[a->state];
    r->told.n_tried += !a->is_counted;
    a->is_counted = true;
    r->told.visits++;
    r->told.cost_ns += (double)move->n * r->swap_ns;
    if (a->state != ARM_OPEN && a->state != ARM_UNTRIED)
        a->record = (struct record){.period = a->record.period, /* else it may have changed */
                                    .extra_ns = a->record.extra_ns};
    if (a->state != ARM_DOUBTED && a->state != ARM_OPEN)
        a->state = ARM_UNTRIED;
    r->visited = a;
    r->move = *move;
    r->n_first = 0;
    return true;
}

bool portolan_race_next(struct portolan_race *r, int remaining_steps, double swap_ns,
                        int32_t *selection)
{
    bool was_visiting = r->visited != NULL;
    struct move move;

    r->remaining = remaining_steps;
    r->swap_ns = swap_ns;
    r->told.reason = "";
    r->told.is_over = false;
    end_visit(r);
    if (!r->visited && r->o.share > 0 && record_size(&r->record) >= KNOWN_STEPS &&
        is_allowed(r, r->incumbent) && !(race_pick(r, &move) && begin_visit(r, &move)))
        r->told.is_over = true;
    if (r->visited)
        put_move(r, &r->move, selection);
    else if (was_visiting)
        memcpy(selection, r->incumbent, n_instances(r) * sizeof *selection);
    return r->visited || (was_visiting && is_allowed(r, r->incumbent));
}

/* The arm of SELECTION; NULL: there is none, or it is the incumbent (then *IS_INCUMBENT), or
 * differs from it in several groups. */
static const struct arm *arm_of(const struct portolan_race *r, const int32_t *selection,
                                bool *is_incumbent)
{
    size_t n = n_instances(r), group = SIZE_MAX;

    for (size_t i = 0; i < n; i++) {
        if (selection[i] == r->incumbent[i])
            continue;
        if (group != SIZE_MAX && group != r->group[i])
            return NULL;
        group = r->group[i];
    }
    *is_incumbent = group == SIZE_MAX;
    return *is_incumbent ? NULL : find_in_group(r, group, selection);
}

bool portolan_race_objects(const struct portolan_race *r, const int32_t *selection)
{
    bool same = false;
    const struct arm *a = is_allowed(r, r->incumbent) ? arm_of(r, selection, &same) : NULL;

    return a && a->record.n && r->record.n && race_compare(r, a).point >= 0;
}

size_t portolan_race_measured(const struct portolan_race *r, const int32_t *selection,
                              double *usual_ns, double *half_ns)
{
    bool same = false;
    const struct arm *a = arm_of(r, selection, &same);
    const struct record *seen = same ? &r->record : a ? &a->record : NULL;

    if (!seen || !seen->n)
        return 0;
    *usual_ns = record_mean(seen);
    *half_ns = *usual_ns * record_width(seen, seen->noise);
    return seen->n;
}

struct portolan_race_summary portolan_race_peek(const struct portolan_race *r)
{
    struct portolan_race_summary s = r->told;

    s.incumbent = r->incumbent;
    s.cost_ns = race_cost(r);
    s.usual_ns = record_mean(&r->record);
    s.budget_ns = race_budget(r);
    return s;
}

/* ---- life ---- */

/* Instances that pairs connect, even by others, get the same group. */
static void make_groups(struct portolan_race *r)
{
    for (size_t i = 0; i < n_instances(r); i++)
        r->group[i] = i;
    for (size_t p = 0; p < r->o.n_pairs; p++) {
        size_t from = r->group[r->o.pairs[p][0]], to = r->group[r->o.pairs[p][1]];

        for (size_t i = 0; i < n_instances(r); i++)
            if (r->group[i] == from)
                r->group[i] = to;
    }
}

static bool make_tables(struct portolan_race *r, const struct portolan_race_options *o,
                        const int32_t *selection)
{
    size_t n = o->n_instances, *counts = portolan_arena_alloc(&r->pool, n, sizeof *counts);
    size_t(*pairs)[2] = portolan_arena_alloc(&r->pool, o->n_pairs, sizeof *pairs);

    r->group = portolan_arena_alloc(&r->pool, n, sizeof *r->group);
    r->incumbent = portolan_arena_alloc(&r->pool, n, sizeof *r->incumbent);
    r->scratch = portolan_arena_alloc(&r->pool, n, sizeof *r->scratch);
    r->inclusive_ns = portolan_arena_alloc(&r->pool, n, sizeof *r->inclusive_ns);
    r->ratio = portolan_arena_alloc(&r->pool, n, sizeof *r->ratio);
    r->allowed = portolan_arena_alloc(&r->pool, n, sizeof *r->allowed);
    r->sure = portolan_arena_alloc(&r->pool, n, sizeof *r->sure);
    for (size_t i = 0; !r->pool.failed && i < n; i++) {
        size_t k = counts[i] = o->n_alternatives[i];

        r->incumbent[i] = selection[i];
        r->ratio[i] = portolan_arena_alloc(&r->pool, k, sizeof **r->ratio);
        r->allowed[i] = portolan_arena_alloc(&r->pool, k, sizeof **r->allowed);
        r->sure[i] = portolan_arena_alloc(&r->pool, k, sizeof **r->sure);
        for (size_t j = 0; !r->pool.failed && j < k; j++) {
            r->ratio[i][j] = (int32_t)j == selection[i] ? 1 : NAN;
            r->allowed[i][j] = true;
        }
    }
    if (r->pool.failed)
        return false;
    if (o->n_pairs)
        memcpy(pairs, o->pairs, o->n_pairs * sizeof *pairs);
    r->o = *o;
    r->o.n_alternatives = counts;
    r->o.pairs = (const size_t(*)[2])pairs;
    return true;
}

enum portolan_status portolan_race_create(const struct portolan_race_options *options,
                                          const int32_t *selection, struct portolan_race **race,
                                          struct portolan_error *err)
{
    struct portolan_race *r = portolan_calloc(1, sizeof *r);

    if (!r || !make_tables(r, options, selection)) {
        portolan_race_destroy(r);
        return portolan_no_memory(err);
    }
    make_groups(r);
    r->told.reason = "";
    r->data = NAN;
    *race = r;
    return PORTOLAN_OK;
}

void portolan_race_destroy(struct portolan_race *r)
{
    if (!r)
        return;
    portolan_arena_clear(&r->pool);
    free(r);
}
