/* SPDX-License-Identifier: BSD-3-Clause */
/* The race of implementations while a program runs: what is seen, and what follows from it. */
#include "race_internal.h"

#include <string.h>

/* Steps until what drift drove out is looked at again, and until drift is a reason to look. */
enum { RETURN_WAIT = 10, DRIFT_WAIT = 5 };
/* For so many steps a drift is the reason of a change. */
enum { DRIFT_COUNTS = 64 };
/* Time beside what is tried tells of the work if it changes by this share of a step. */
static const double matters = 0.1;
/* What a second look at steps that fell may cost of what is left of the budget. */
static const double small_share = 0.25;

/* It is not looked at again for WAIT steps. */
static void settle(const struct portolan_race *r, struct arm *a, enum arm_state state, int wait)
{
    a->state = state;
    a->wait = wait;
    a->look_at = r->now + wait;
}

static bool has_drifted(const struct portolan_race *r)
{
    return r->drifted_at && r->now - r->drifted_at < DRIFT_COUNTS;
}

/* ---- a new incumbent ---- */

/* Diagnoses were of another one. */
static void forget_remedies(struct portolan_race *r)
{
    for (size_t i = 0; i < r->o.n_instances; i++)
        for (size_t k = 0; k < r->o.n_alternatives[i]; k++)
            r->beliefs[i][k].is_remedy = false;
}

/* Ratios are to the incumbent's implementation: now to the new one's, whose ratio is Q. */
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

/* The incumbent runs again, or what was tried is the incumbent. */
static void close_visit(struct portolan_race *r)
{
    r->told.cost_ns = race_cost(r);
    r->visit_ns = r->visit_longs = r->visit_long_ns = 0;
    r->n_visit = 0;
    r->is_patient = false;
    r->visited = NULL;
}

/* Keeps the incumbent's record in the arm that it was, until it is looked at again. NULL without
 * memory. */
static struct arm *replace_incumbent(struct portolan_race *r, const int32_t *whole, double ratio)
{
    bool drifted = has_drifted(r);
    struct arm *old;

    race_copy(r, r->scratch, r->incumbent);
    race_copy(r, r->incumbent, whole);
    old = race_make_arm(r, r->scratch);
    if (!old)
        return NULL;
    old->record = r->record;
    old->is_beginning = r->is_beginning;
    old->longest_stay = fmax(r->longest_stay, r->record.stay);
    old->ratio = ratio;
    old->before_ns = drifted ? r->before_drift_ns : 0;
    return old;
}

static void adopt(struct portolan_race *r, struct arm *new)
{
    double before = record_mean(&r->record), after = record_mean(&new->record);
    const struct belief *b = &r->beliefs[r->move.instance[0]][r->move.alternative[0]];
    /* what was foretold, and is measured, needs no more */
    bool is_foretold = r->move.n == 1 && b->is_remedy && b->gain > 0;
    bool is_sure = is_foretold || race_compare(r, new).high < 0;
    struct arm *old;
    double noise;

    for (size_t i = 0; i < r->n_arms; i++)
        if (r->arms[i]->group != new->group)
            record_shift(&r->arms[i]->record, after - before);
    rebase_ratios(r, &r->move, after / before);
    old = replace_incumbent(r, r->trial, before / after);
    if (old)
        old->judged_ns = after;
    r->drifted_at = 0;
    r->spike_ns = 0;
    noise = r->record.noise;
    r->record = new->record;
    r->record.guess = noise;
    r->longest_stay = new->longest_stay;
    r->is_beginning = new->is_beginning;
    new->record = (struct record){0};
    new->vain = 0;
    new->fell = false;
    if (old && !is_sure && new->block < LONGEST_BLOCK) {
        settle(r, old, ARM_OPEN, 0);
        old->block = 2 * new->block;
    } else if (old) {
        settle(r, old, ARM_LOST, old->before_ns > 0 ? RETURN_WAIT : race_wait(r, old));
    }
    forget_remedies(r);
    r->told.changes++;
    close_visit(r);
}

/* What was measured of the arms holds no longer, but for those of group EXCEPT. */
static void forget(struct portolan_race *r, size_t except)
{
    for (size_t i = 0; i < r->n_arms; i++) {
        struct arm *a = r->arms[i];

        if (a->state == ARM_UNTRIED || a->group == except)
            continue;
        a->record = (struct record){0};
        a->before_ns = 0;
        a->block = FIRST_BLOCK;
        settle(r, a, ARM_STALE, 0);
    }
}

/* Others changed what runs: it is the incumbent. */
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
        if (old && r->record.n) {
            double most = 1 + record_width(&r->record, r->record.noise);

            if (!(old->before_ns > 0))
                old->before_ns = most * r->record.usual_ns;
            settle(r, old, ARM_LOST, RETURN_WAIT);
        }
    }
    race_copy(r, r->incumbent, selection);
    r->record = (struct record){0};
    r->longest_stay = 0;
    r->is_beginning = false;
}

/* ---- what is seen ---- */

/* The instances' shares of a step, of the last few and of more. */
static void see_shares(struct portolan_race *r, double ns)
{
    for (size_t i = 0; i < r->o.n_instances; i++) {
        double now = r->inclusive_ns[i] / ns;

        if (r->record.n < KNOWN_STEPS)
            r->share[i] = r->usual_share[i] = now;
        r->share[i] += (now - r->share[i]) / 2;
        r->usual_share[i] += (r->share[i] - r->usual_share[i]) / 16;
    }
}

/* If the incumbent's steps fell soon after a swap, in its own calls, those before the last N groups
 * were first ones, which says nothing of the others. */
static bool has_warmed_up(struct portolan_race *r, size_t n)
{
    struct record after = r->record;
    double before = record_mean(&r->record);
    bool is_own = false;

    record_warm_up(&after, n);
    for (size_t i = 0; i < r->o.n_instances; i++)
        is_own = is_own || race_is_own_drift(r, r->group[i], record_mean(&after) / before);
    if (after.warm > FIRST_STEPS_MOST || !is_own)
        return false;
    r->record = after;
    return true;
}

/* As far as is known the others have drifted likewise; if what runs takes longer in its own calls,
 * they may also be as they were. */
static void notice_drift(struct portolan_race *r)
{
    double before = record_mean(&r->record), now;
    size_t n;
    int drift = record_drift(&r->record, &n);

    if (!drift)
        return;
    if (drift < 0 && has_warmed_up(r, n))
        return;
    if (drift > 0 && !has_drifted(r))
        r->before_drift_ns = before;
    r->calm = r->now - r->changed_at;
    r->changed_at = r->now;
    r->drifted_at = drift > 0 ? r->now : 0;
    record_keep(&r->record, n);
    now = record_mean(&r->record);
    for (size_t i = 0; i < r->n_arms; i++) {
        struct arm *a = r->arms[i];
        bool is_own = drift > 0 && race_is_own_drift(r, a->group, now / before);

        if (!a->record.n)
            continue;
        if (is_own) {
            a->before_ns = a->before_ns > 0 ? a->before_ns : record_mean(&a->record);
            settle(r, a, ARM_STALE, DRIFT_WAIT);
        } else if (drift < 0 && a->state == ARM_STALE) {
            a->before_ns = 0;
            settle(r, a, ARM_LOST, race_wait(r, a));
        }
        record_shift(&a->record, now - before);
    }
}

/* A long step came: what lost may be better, if it is watched until it had as many. */
static void reopen(struct portolan_race *r)
{
    for (size_t i = 0; i < r->n_arms; i++) {
        struct arm *a = r->arms[i];

        if (a->state != ARM_LOST || !a->record.n || r->record.longs < 1.5 * a->reopened ||
            race_compare(r, a).low >= 0)
            continue;
        a->reopened = r->record.longs;
        settle(r, a, ARM_OPEN, 0);
    }
}

static void see_incumbent(struct portolan_race *r, const struct portolan_race_step *s)
{
    double usual = record_mean(&r->record);

    memcpy(r->inclusive_ns, s->inclusive_ns, r->o.n_instances * sizeof *r->inclusive_ns);
    if (record_add(&r->record, s->ns, s->steps, s->is_first))
        reopen(r);
    if (record_is_warming(&r->record)) {
        if (s->ns > usual && r->told.visits)
            r->told.cost_ns += (s->ns - usual) * s->steps;
        return;
    }
    if (s->ns > hopeless * usual)
        r->spike_ns = fmax(r->spike_ns, s->ns - usual);
    see_shares(r, s->ns);
    notice_drift(r);
    usual = record_mean(&r->record);
    if (r->record.n >= KNOWN_STEPS)
        r->least_ns = r->least_ns > 0 ? fmin(r->least_ns, usual) : usual;
}

/* The steps are others now: nothing that was measured holds. */
static void begin_anew(struct portolan_race *r)
{
    record_keep(&r->record, 0);
    r->record.longs = r->record.old_longs = r->record.gaps = 0;
    r->least_ns = 0;
    for (size_t i = 0; i < r->o.n_instances; i++)
        for (size_t k = 0; k < r->o.n_alternatives[i]; k++)
            r->beliefs[i][k].first_ns = 0;
    forget(r, SIZE_MAX);
}

/* Whether a step took less than usual beside the calls of what is tried: that is no gain of it. */
static bool rest_falls(const struct portolan_race *r, const struct portolan_race_step *s)
{
    double usual = record_mean(&r->record), before = usual, now = s->ns;

    for (size_t i = 0; i < r->o.n_instances; i++) {
        bool is_tried = r->group[i] == r->visited->group;

        before -= is_tried ? usual * r->share[i] : 0;
        now -= is_tried ? s->inclusive_ns[i] : 0;
    }
    return now > 0 && before - now > fmax(matters * usual, before * record_far(r->record.noise));
}

/* Whether it was known what the first step of the visit would take. */
static bool knows_first(const struct portolan_race *r)
{
    return r->move.n == 1 && !isnan(r->beliefs[r->move.instance[0]][r->move.alternative[0]].first);
}

/* What the steps took longer than the incumbent's. The first step of what was never tried is free
 * if it is long: nothing could tell. */
static void charge(struct portolan_race *r, const struct portolan_race_step *s, bool is_long)
{
    double usual = record_mean(&r->record), excess = (s->ns - usual) * s->steps;
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

/* How many of the last groups of the visit came after its steps fell; 0: they did not. */
static size_t find_fall(const struct portolan_race *r, const struct arm *a)
{
    size_t n = r->n_visit < RECORD_MOST ? r->n_visit : RECORD_MOST;
    size_t after = record_falls(&a->record, n, r->record.noise);

    return !after && record_drift(&a->record, &n) < 0 ? n : after;
}

static void see_visited(struct portolan_race *r, const struct portolan_race_step *s)
{
    struct arm *a = r->visited;
    bool is_long = record_add(&a->record, s->ns, s->steps, s->is_first);
    size_t after;

    for (size_t i = 0; i < r->o.n_instances; i++)
        a->called[i] = s->inclusive_ns[i] > 0;
    r->told.steps += (int)s->steps;
    charge(r, s, is_long);
    if (record_is_warming(&a->record))
        return;
    r->n_visit++;
    after = find_fall(r, a);
    /* Less work would look like a gain: that is looked at once, if it costs little. */
    if (!a->fell && (rest_falls(r, s) || (after && r->visit_ns < race_left(r) * small_share))) {
        begin_anew(r);
        a->fell = true;
    } else if (after) {
        record_warm_up(&a->record, after);
        r->n_visit = after;
    }
}

/* One step of the group, with the means of all of them. */
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
    r->told.elapsed_ns += group->ns;
    if (s->data != r->data && !(fabs(s->data - r->data) < PORTOLAN_RACE_OTHER_DATA)) {
        begin_anew(r);
        r->data = s->data;
    }
    if (race_is_same(r, s->selection, r->incumbent)) {
        if (s->ns > 0)
            see_incumbent(r, s);
    } else if (r->visited && race_is_same(r, s->selection, r->trial)) {
        if (s->ns > 0 && r->record.n)
            see_visited(r, s);
    } else {
        take_over(r, s->selection);
    }
}

/* ---- what follows ---- */

/* Whether a change would gain nothing that counts, either way. */
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

/* Only its first steps, FIRST times as long as the incumbent's, were seen: they do not tell what
 * later ones take. */
static void forget_visit(struct portolan_race *r, struct arm *a, double first)
{
    struct belief *b = &r->beliefs[r->move.instance[0]][r->move.alternative[0]];

    b->first = fmax(first, 1);
    b->first_ns = first * record_mean(&r->record);
    b->ratio = NAN;
    a->record = (struct record){0};
    a->state = ARM_UNTRIED;
}

/* Notes the result of a visit that goes back to the incumbent. */
static void leave(struct portolan_race *r, enum verdict verdict)
{
    struct arm *a = r->visited;
    double usual = record_mean(&r->record), excess = a->record.first_ns - usual;
    int wait;

    r->told.reason = verdict == LEAVE_OPEN ? "too close to tell" : "not better";
    r->told.cost_ns += (double)r->move.n * r->limits.swap_ns;
    if (!r->record.n || !(a->record.n || a->record.first_ns > 0)) {
        r->told.reason = "nothing to compare";
        a->state = ARM_UNTRIED;
        a->record = (struct record){0};
        if (r->move.n == 1 && a->fell)
            r->beliefs[r->move.instance[0]][r->move.alternative[0]].ratio = NAN;
        close_visit(r);
        return;
    }
    if (!a->record.n && r->move.n == 1 && is_allowed(r, r->trial) && !race_is_spike(r, excess)) {
        forget_visit(r, a, excess / usual + 1);
        close_visit(r);
        return;
    }
    a->fell = false;
    a->longest_stay = r->is_patient ? PATIENT_STEPS : fmax(a->longest_stay, a->record.stay);
    a->judged_ns = usual;
    a->ratio = (usual + (a->record.n ? race_compare(r, a).point : excess)) / usual;
    if (r->move.n == 1)
        r->beliefs[r->move.instance[0]][r->move.alternative[0]].ratio = a->ratio;
    if (verdict == DOUBT) {
        a->doubt_ns = excess;
        settle(r, a, ARM_DOUBTED, 0);
    } else if (verdict == LEAVE_OPEN) { /* while steps drift both are seen in turn */
        settle(r, a, ARM_OPEN, r->is_moving ? (int)a->record.stay : 0);
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
        settle(r, a, ARM_LOST, wait);
    }
    close_visit(r);
}

/* Ends the visit if it is decided. */
static void end_visit(struct portolan_race *r)
{
    enum verdict verdict = LEAVE_OPEN;

    if (!r->record.n || !is_allowed(r, r->trial))
        verdict = LOSE;
    else if (r->limits.share > 0)
        verdict = race_judge(r);
    if (verdict == ADOPT) {
        adopt(r, r->visited);
        r->told.reason = "measured to be faster";
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

    race_put_move(r, move, r->trial);
    a = race_make_arm(r, r->trial);
    if (!a)
        return false;
    r->told.reason = why[a->state];
    r->told.n_tried += r->n_arms - n_arms;
    r->told.visits++;
    r->told.cost_ns += (double)move->n * r->limits.swap_ns;
    if (a->state != ARM_OPEN) /* it may have changed, but for its long steps */
        record_keep(&a->record, 0);
    r->is_moving = has_drifted(r) && record_moves(&r->record, FIRST_BLOCK);
    if (r->is_moving)
        record_keep(&r->record, FIRST_BLOCK);
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
    int changes = r->told.changes;
    struct move move;

    r->limits = *limits;
    r->told.reason = "";
    if (was_visiting)
        end_visit(r);
    r->told.is_over = !r->visited && limits->share > 0 && r->record.n >= FIRST_STEPS && may_stay &&
                      !(limits->rests && r->told.changes > changes) &&
                      !(race_pick(r, &move) && begin_visit(r, &move));
    if (r->visited)
        race_copy(r, selection, r->trial);
    else if (was_visiting)
        race_copy(r, selection, r->incumbent);
    return r->visited || (was_visiting && may_stay);
}

bool portolan_race_objects(const struct portolan_race *r, const int32_t *selection)
{
    const struct arm *a = race_arm_of(r, selection);
    /* What lost side by side has lost, though the incumbent's steps may grow slowly since. */
    bool lost = a && a->state == ARM_LOST && !(a->before_ns > 0);

    return a && a->record.n && r->record.n && is_allowed(r, r->incumbent) &&
           (lost || race_compare(r, a).high >= 0);
}

size_t portolan_race_measured(const struct portolan_race *r, const int32_t *selection,
                              double *usual_ns, double *half_ns)
{
    const struct arm *a = race_arm_of(r, selection);
    const struct record *seen = a ? &a->record : &r->record;

    if (!seen->n || !(a || race_is_same(r, selection, r->incumbent)))
        return 0;
    *usual_ns = record_mean(seen);
    *half_ns = *usual_ns * record_width(seen, seen->noise);
    return seen->n;
}
