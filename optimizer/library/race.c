/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The race decides which implementations a running program tries: successive halving on the times
 * of whole steps.
 *
 * One selection is the incumbent, the best so far. An arm is a selection that differs from it in
 * one group of instances. Trying an arm is a visit: race_pick() chooses the arm that promises most
 * for the rest of the run and fits into the budget, and the arm runs for a block of steps, after
 * each of which race_judge() compares its times with the incumbent's. At the end the arm is adopted
 * as the incumbent, has lost, or stays open, and its next visit is twice as long; after one bad
 * step it is in doubt.
 *
 * The times are not clean, and most of the code deals with that. The first steps after a swap
 * contain set-up, and are counted apart. Long steps that come again are part of the mean; a single
 * one may be a spike, and does not count. If the incumbent drifts, the arms are assumed to have
 * drifted likewise; but if only its own calls became longer, the arms may be as they were, and are
 * tried again. If the data change, all that was measured is forgotten.
 *
 * portolan_race_see() takes the times of a step, portolan_race_next() says what runs next.
 */
#include "race_internal.h"

#include <string.h>

/* Steps before an implementation dropped because of drift is retried; steps of drift before others
 * are tried because of it. */
enum { RETURN_WAIT = 10, DRIFT_WAIT = 5 };
/* For this many steps after a drift, the drift counts as the reason of a change. */
enum { DRIFT_COUNTS = 64 };
/*
 * If the time outside the tried instances falls by this share of a step, the workload has changed.
 */
static const double matters = 0.1;
/* If a visit's steps became shorter, it begins anew only if it has cost less than this share of
 * what is left of the budget. */
static const double small_share = 0.25;

/* Sets the state of an arm, which is not tried again for WAIT steps. */
static void schedule_retry(const struct portolan_race *r, struct arm *a, enum arm_state state,
                           int wait)
{
    a->state = state;
    a->wait = wait;
    a->retry_at = r->now + wait;
}

static bool has_drifted(const struct portolan_race *r)
{
    return r->drifted_at && r->now - r->drifted_at < DRIFT_COUNTS;
}

/* ---- a new incumbent ---- */

/* Forgets what diagnoses said: they were of another incumbent. */
static void forget_remedies(struct portolan_race *r)
{
    for (size_t i = 0; i < r->o.n_instances; i++)
        for (size_t k = 0; k < r->o.n_alternatives[i]; k++)
            r->beliefs[i][k].is_remedy = false;
}

/* Makes ratios relative to the new incumbent, which takes Q times as long as the old one. */
static void rebase_ratios(struct portolan_race *r, const struct move *m, double q)
{
    if (m->n > 1)
        q = sqrt(q);
    for (size_t i = 0; i < m->n; i++) {
        struct belief *beliefs = r->beliefs[m->instance[i]];

        for (size_t k = 0; k < r->o.n_alternatives[m->instance[i]]; k++) {
            beliefs[k].ratio /= q;
            beliefs[k].first /= q;
        }
        beliefs[r->incumbent[m->instance[i]]].ratio = 1 / q;
        beliefs[m->alternative[i]].ratio = 1;
    }
}

/* Ends a visit: the incumbent runs again, or the tried arm has become the incumbent. */
static void close_visit(struct portolan_race *r)
{
    r->summary.cost_ns = race_cost(r);
    r->visit_ns = r->visit_longs = r->visit_long_ns = 0;
    r->n_visit = 0;
    r->is_patient = false;
    r->visited = NULL;
}

/* Makes WHOLE the incumbent, and an arm of the old one, with its history. NULL without memory. */
static struct arm *replace_incumbent(struct portolan_race *r, const int32_t *whole, double ratio)
{
    bool drifted = has_drifted(r);
    struct arm *old;

    race_copy(r, r->scratch, r->incumbent);
    race_copy(r, r->incumbent, whole);
    old = race_make_arm(r, r->scratch);
    if (!old)
        return NULL;
    old->history = r->history;
    old->is_beginning = r->is_beginning;
    old->longest_stay = fmax(r->longest_stay, r->history.stay);
    old->ratio = ratio;
    old->before_ns = drifted ? r->before_drift_ns : 0;
    return old;
}

static void adopt(struct portolan_race *r, struct arm *new)
{
    double before = history_mean(&r->history), after = history_mean(&new->history);
    const struct belief *b = &r->beliefs[r->move.instance[0]][r->move.alternative[0]];
    /* a predicted gain that was measured needs no further proof */
    bool is_predicted = r->move.n == 1 && b->is_remedy && b->gain > 0;
    bool is_sure = is_predicted || race_compare(r, new).high < 0;
    struct arm *old;
    double noise;

    for (size_t i = 0; i < r->n_arms; i++)
        if (r->arms[i]->group != new->group)
            history_shift(&r->arms[i]->history, after - before);
    rebase_ratios(r, &r->move, after / before);
    old = replace_incumbent(r, r->tried, before / after);
    if (old)
        old->judged_ns = after;
    r->drifted_at = 0;
    r->spike_ns = 0;
    noise = r->history.noise;
    r->history = new->history;
    r->history.guess = noise;
    r->longest_stay = new->longest_stay;
    r->is_beginning = new->is_beginning;
    new->history = (struct history){0};
    new->vain = 0;
    new->fell = false;
    if (old && !is_sure && new->block < LONGEST_BLOCK) {
        schedule_retry(r, old, ARM_OPEN, 0);
        old->block = 2 * new->block;
    } else if (old) {
        schedule_retry(r, old, ARM_LOST, old->before_ns > 0 ? RETURN_WAIT : race_wait(r, old));
    }
    forget_remedies(r);
    r->summary.changes++;
    close_visit(r);
}

/* Forgets what was measured of the arms, except for those of group EXCEPT. */
static void forget(struct portolan_race *r, size_t except)
{
    for (size_t i = 0; i < r->n_arms; i++) {
        struct arm *a = r->arms[i];

        if (a->state == ARM_UNTRIED || a->group == except)
            continue;
        a->history = (struct history){0};
        a->before_ns = 0;
        a->block = FIRST_BLOCK;
        schedule_retry(r, a, ARM_STALE, 0);
    }
}

/* Something else than the race changed the selection: makes it the incumbent. */
static void take_over(struct portolan_race *r, const int32_t *selection)
{
    struct move m = {0};
    struct arm *old;
    size_t n = 0;

    for (size_t i = 0; i < r->o.n_instances; i++)
        if (selection[i] != r->incumbent[i] && n++ < 1)
            m = (struct move){1, {i}, {selection[i]}};
    close_visit(r);
    forget_remedies(r);
    forget(r, n == 1 ? r->group[m.instance[0]] : SIZE_MAX);
    if (n == 1) {
        rebase_ratios(r, &m, r->beliefs[m.instance[0]][m.alternative[0]].ratio);
        old = replace_incumbent(r, selection, 1);
        if (old && r->history.n) {
            double most = 1 + history_width(&r->history, r->history.noise);

            if (!(old->before_ns > 0))
                old->before_ns = most * r->history.usual_ns;
            schedule_retry(r, old, ARM_LOST, RETURN_WAIT);
        }
    }
    race_copy(r, r->incumbent, selection);
    r->history = (struct history){0};
    r->longest_stay = 0;
    r->is_beginning = false;
}

/* ---- what is seen ---- */

/* Updates the instances' shares of a step: over the last few steps, and over more. */
static void see_shares(struct portolan_race *r, double ns)
{
    for (size_t i = 0; i < r->o.n_instances; i++) {
        double now = r->inclusive_ns[i] / ns;

        if (r->history.n < KNOWN_STEPS)
            r->share[i] = r->usual_share[i] = now;
        r->share[i] += (now - r->share[i]) / 2;
        r->usual_share[i] += (r->share[i] - r->usual_share[i]) / 16;
    }
}

/* If the incumbent's steps became shorter soon after a swap, in its own calls, the ones before the
 * last N groups were first ones. Then the other arms have not drifted, and it returns true. */
static bool has_warmed_up(struct portolan_race *r, size_t n)
{
    struct history after = r->history;
    double before = history_mean(&r->history);
    bool is_own = false;

    history_warm_up(&after, n);
    for (size_t i = 0; i < r->o.n_instances; i++)
        is_own = is_own || race_is_own_drift(r, r->group[i], history_mean(&after) / before);
    if (after.warm > FIRST_STEPS_MOST || !is_own)
        return false;
    r->history = after;
    return true;
}

/* If the incumbent has drifted, assumes that the arms have drifted likewise. If it became slower in
 * its own calls, the arms may be as they were, and are tried again. */
static void notice_drift(struct portolan_race *r)
{
    double before = history_mean(&r->history), now;
    size_t n;
    int drift = history_drift(&r->history, &n);

    if (!drift)
        return;
    if (drift < 0 && has_warmed_up(r, n))
        return;
    if (drift > 0 && !has_drifted(r))
        r->before_drift_ns = before;
    r->calm = r->now - r->changed_at;
    r->changed_at = r->now;
    r->drifted_at = drift > 0 ? r->now : 0;
    history_keep(&r->history, n);
    now = history_mean(&r->history);
    for (size_t i = 0; i < r->n_arms; i++) {
        struct arm *a = r->arms[i];
        bool is_own = drift > 0 && race_is_own_drift(r, a->group, now / before);

        if (!a->history.n)
            continue;
        if (is_own) {
            a->before_ns = a->before_ns > 0 ? a->before_ns : history_mean(&a->history);
            schedule_retry(r, a, ARM_STALE, DRIFT_WAIT);
        } else if (drift < 0 && a->state == ARM_STALE) {
            a->before_ns = 0;
            schedule_retry(r, a, ARM_LOST, race_wait(r, a));
        }
        history_shift(&a->history, now - before);
    }
}

/* After a long step of the incumbent, an arm that lost may be better: opens it again. */
static void reopen(struct portolan_race *r)
{
    for (size_t i = 0; i < r->n_arms; i++) {
        struct arm *a = r->arms[i];

        if (a->state != ARM_LOST || !a->history.n || r->history.longs < 1.5 * a->reopened ||
            race_compare(r, a).low >= 0)
            continue;
        a->reopened = r->history.longs;
        schedule_retry(r, a, ARM_OPEN, 0);
    }
}

static void see_incumbent(struct portolan_race *r, const struct portolan_race_step *s)
{
    double usual = history_mean(&r->history);

    memcpy(r->inclusive_ns, s->inclusive_ns, r->o.n_instances * sizeof *r->inclusive_ns);
    if (history_add(&r->history, s->ns, s->steps, s->is_first))
        reopen(r);
    if (history_is_warming(&r->history)) {
        if (s->ns > usual && r->summary.visits)
            r->summary.cost_ns += (s->ns - usual) * s->steps;
        return;
    }
    if (s->ns > hopeless * usual)
        r->spike_ns = fmax(r->spike_ns, s->ns - usual);
    see_shares(r, s->ns);
    notice_drift(r);
    usual = history_mean(&r->history);
    if (r->history.n >= KNOWN_STEPS)
        r->least_ns = r->least_ns > 0 ? fmin(r->least_ns, usual) : usual;
}

/* Forgets all measurements, because steps do other work now. */
static void begin_anew(struct portolan_race *r)
{
    history_keep(&r->history, 0);
    r->history.longs = r->history.old_longs = r->history.gaps = 0;
    r->least_ns = 0;
    for (size_t i = 0; i < r->o.n_instances; i++)
        for (size_t k = 0; k < r->o.n_alternatives[i]; k++)
            r->beliefs[i][k].first_ns = 0;
    forget(r, SIZE_MAX);
}

/* Returns whether a step took less than usual outside the calls of the tried instances, which is no
 * gain of these. */
static bool rest_falls(const struct portolan_race *r, const struct portolan_race_step *s)
{
    double usual = history_mean(&r->history), before = usual, now = s->ns;

    for (size_t i = 0; i < r->o.n_instances; i++) {
        bool is_tried = r->group[i] == r->visited->group;

        before -= is_tried ? usual * r->share[i] : 0;
        now -= is_tried ? s->inclusive_ns[i] : 0;
    }
    return now > 0 && before - now > fmax(matters * usual, before * history_far(r->history.noise));
}

/* Returns whether the time of the visit's first step was known before. */
static bool knows_first(const struct portolan_race *r)
{
    return r->move.n == 1 && !isnan(r->beliefs[r->move.instance[0]][r->move.alternative[0]].first);
}

/* Charges the excess over the incumbent's mean to the budget. A long first step of an arm that was
 * never tried is free, since nothing could predict it. */
static void charge(struct portolan_race *r, const struct portolan_race_step *s, bool is_long)
{
    double usual = history_mean(&r->history), excess = (s->ns - usual) * s->steps;
    struct arm *a = r->visited;

    if (is_long) {
        r->visit_longs++;
        r->visit_long_ns += excess;
    } else {
        r->visit_ns += excess;
    }
    if (r->is_patient && race_is_free(r, a))
        r->free_ns += excess;
    else if (s->is_first && a->state == ARM_UNTRIED && s->ns > hopeless * usual && !knows_first(r))
        r->free_ns += excess;
}

/*
 * Returns how many of the visit's last groups came after its steps became shorter; 0: they did not.
 */
static size_t find_fall(const struct portolan_race *r, const struct arm *a)
{
    size_t n = r->n_visit < HISTORY_MOST ? r->n_visit : HISTORY_MOST;
    size_t after = history_falls(&a->history, n, r->history.noise);

    return !after && history_drift(&a->history, &n) < 0 ? n : after;
}

static void see_visited(struct portolan_race *r, const struct portolan_race_step *s)
{
    struct arm *a = r->visited;
    bool is_long = history_add(&a->history, s->ns, s->steps, s->is_first);
    size_t after;

    for (size_t i = 0; i < r->o.n_instances; i++)
        a->called[i] = s->inclusive_ns[i] > 0;
    r->summary.steps += (int)s->steps;
    charge(r, s, is_long);
    if (history_is_warming(&a->history))
        return;
    r->n_visit++;
    after = find_fall(r, a);
    /* Less work would look like a gain. Once per arm, if it costs little, the comparison begins
     * anew. */
    if (!a->fell && (rest_falls(r, s) || (after && r->visit_ns < race_left(r) * small_share))) {
        begin_anew(r);
        a->fell = true;
    } else if (after) {
        history_warm_up(&a->history, after);
        r->n_visit = after;
    }
}

/* The mean step of a group. */
static struct portolan_race_step mean_of(struct portolan_race *r,
                                         const struct portolan_race_step *group)
{
    struct portolan_race_step s = *group;

    s.steps = s.steps > 0 ? s.steps : 1;
    s.ns /= s.steps;
    s.inclusive_ns = r->mean_inclusive_ns;
    for (size_t i = 0; i < r->o.n_instances; i++)
        r->mean_inclusive_ns[i] = group->inclusive_ns[i] / s.steps;
    return s;
}

void portolan_race_see(struct portolan_race *r, const struct portolan_race_step *group)
{
    struct portolan_race_step mean = mean_of(r, group), *s = &mean;

    r->now += (int)s->steps;
    r->summary.elapsed_ns += group->ns;
    if (s->data != r->data && !(fabs(s->data - r->data) < PORTOLAN_RACE_OTHER_DATA)) {
        begin_anew(r);
        r->data = s->data;
    }
    if (race_is_same(r, s->selection, r->incumbent)) {
        if (s->ns > 0)
            see_incumbent(r, s);
    } else if (r->visited && race_is_same(r, s->selection, r->tried)) {
        if (s->ns > 0 && r->history.n)
            see_visited(r, s);
    } else {
        take_over(r, s->selection);
    }
}

/* ---- what follows ---- */

/* Returns whether the arm and the incumbent are equal, within the hysteresis. */
static bool is_equal(const struct portolan_race *r, const struct arm *a)
{
    return fabs(a->ratio - 1) < r->o.hysteresis;
}

static bool is_allowed(const struct portolan_race *r, const int32_t *whole)
{
    for (size_t i = 0; i < r->o.n_instances; i++)
        if (!r->o.may_run(r->o.arg, i, (size_t)whole[i]))
            return false;
    return true;
}

/* Forgets a visit that ended in first steps, which took FIRST times as long as the incumbent's:
 * they do not show how long later ones take. */
static void forget_visit(struct portolan_race *r, struct arm *a, double first)
{
    struct belief *b = &r->beliefs[r->move.instance[0]][r->move.alternative[0]];

    b->first = fmax(first, 1);
    b->first_ns = first * history_mean(&r->history);
    b->ratio = NAN;
    a->history = (struct history){0};
    a->state = ARM_UNTRIED;
}

/* Notes the result of a visit that goes back to the incumbent. */
static void leave(struct portolan_race *r, enum verdict verdict)
{
    struct arm *a = r->visited;
    double usual = history_mean(&r->history), excess = a->history.first_ns - usual;
    int wait;

    r->summary.reason = verdict == LEAVE_OPEN ? "too close to tell" : "not better";
    r->summary.cost_ns += (double)r->move.n * r->limits.swap_ns;
    if (!r->history.n || !(a->history.n || a->history.first_ns > 0)) {
        r->summary.reason = "nothing to compare";
        a->state = ARM_UNTRIED;
        a->history = (struct history){0};
        if (r->move.n == 1 && a->fell)
            r->beliefs[r->move.instance[0]][r->move.alternative[0]].ratio = NAN;
        close_visit(r);
        return;
    }
    if (!a->history.n && r->move.n == 1 && is_allowed(r, r->tried) && !race_is_spike(r, excess)) {
        forget_visit(r, a, excess / usual + 1);
        close_visit(r);
        return;
    }
    a->fell = false;
    a->longest_stay = r->is_patient ? PATIENT_STEPS : fmax(a->longest_stay, a->history.stay);
    a->judged_ns = usual;
    a->ratio = (usual + (a->history.n ? race_compare(r, a).point : excess)) / usual;
    if (r->move.n == 1)
        r->beliefs[r->move.instance[0]][r->move.alternative[0]].ratio = a->ratio;
    if (verdict == DOUBT) {
        a->doubt_ns = excess;
        schedule_retry(r, a, ARM_DOUBTED, 0);
    } else if (verdict == LEAVE_OPEN) { /* while the incumbent drifts, the two take turns */
        schedule_retry(r, a, ARM_OPEN, r->is_moving ? (int)a->history.stay : 0);
        a->block *= 2;
    } else {
        wait = a->before_ns > 0 && a->state != ARM_STALE ? RETURN_WAIT
               : is_equal(r, a)                          ? NEVER
                                                         : race_wait(r, a);
        a->vain += a->state == ARM_STALE;
        a->block = FIRST_BLOCK;
        if (a->state == ARM_STALE)
            a->before_ns = 0;
        if (a->wait < NEVER && a->wait * 2 > wait && (wait == RETURN_WAIT || !a->is_beginning))
            wait = a->wait * 2;
        schedule_retry(r, a, ARM_LOST, wait);
    }
    close_visit(r);
}

/* Ends the visit if a decision is possible. */
static void end_visit(struct portolan_race *r)
{
    enum verdict verdict = LEAVE_OPEN;

    if (!r->history.n || !is_allowed(r, r->tried))
        verdict = LOSE;
    else if (r->limits.share > 0)
        verdict = race_judge(r);
    if (verdict == ADOPT) {
        adopt(r, r->visited);
        r->summary.reason = "measured to be faster";
    } else if (verdict != GO_ON) {
        leave(r, verdict);
    }
}

static bool begin_visit(struct portolan_race *r, const struct move *move)
{
    static const char *const why[] = {"not tried yet", "too close to tell", "looked at again",
                                      "one step may have been a spike", "things have changed"};
    size_t n_arms = r->n_arms;
    struct arm *a;

    race_put_move(r, move, r->tried);
    a = race_make_arm(r, r->tried);
    if (!a)
        return false;
    r->summary.reason = why[a->state];
    r->summary.n_tried += r->n_arms - n_arms;
    r->summary.visits++;
    r->summary.cost_ns += (double)move->n * r->limits.swap_ns;
    if (a->state != ARM_OPEN) /* its usual time may have changed; long steps still count */
        history_keep(&a->history, 0);
    r->is_moving = has_drifted(r) && history_moves(&r->history, FIRST_BLOCK);
    if (r->is_moving)
        history_keep(&r->history, FIRST_BLOCK);
    r->is_patient = r->is_patient || a->fell;
    r->patience_ns = race_patience(r, a);
    r->visited = a;
    r->move = *move;
    return true;
}

bool portolan_race_next(struct portolan_race *r, const struct portolan_race_limits *limits,
                        int32_t *selection)
{
    bool was_visiting = r->visited, may_stay = is_allowed(r, r->incumbent);
    int changes = r->summary.changes;
    struct move move;

    r->limits = *limits;
    r->summary.reason = "";
    if (was_visiting)
        end_visit(r);
    r->summary.is_over = !r->visited && limits->share > 0 && r->history.n >= FIRST_STEPS &&
                         may_stay && !(limits->rests && r->summary.changes > changes) &&
                         !(race_pick(r, &move) && begin_visit(r, &move));
    if (r->visited)
        race_copy(r, selection, r->tried);
    else if (was_visiting)
        race_copy(r, selection, r->incumbent);
    return r->visited || (was_visiting && may_stay);
}

bool portolan_race_objects(const struct portolan_race *r, const int32_t *selection)
{
    const struct arm *a = race_arm_of(r, selection);
    /* An arm that lost in direct comparison has lost, even if the incumbent became slower since. */
    bool lost = a && a->state == ARM_LOST && !(a->before_ns > 0);

    return a && a->history.n && r->history.n && is_allowed(r, r->incumbent) &&
           (lost || race_compare(r, a).high >= 0);
}

size_t portolan_race_measured(const struct portolan_race *r, const int32_t *selection,
                              double *usual_ns, double *half_ns)
{
    const struct arm *a = race_arm_of(r, selection);
    const struct history *seen = a ? &a->history : &r->history;

    if (!seen->n || !(a || race_is_same(r, selection, r->incumbent)))
        return 0;
    *usual_ns = history_mean(seen);
    *half_ns = *usual_ns * history_width(seen, seen->noise);
    return seen->n;
}
