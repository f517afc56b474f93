/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decides where an implementation may be used. A place is a combination of contexts and swept
 * parameters; the evidence is the list of places where each combination of implementations ran,
 * good (it worked) or bad (it failed, or missed the accuracy).
 *
 * A bad place excludes itself, and all places that no context distinguishes from it. A combination
 * that was never bad, and reports no accuracy that is bounded, is admitted everywhere; one that was
 * never good, nowhere. For a place between these, three rules ask the evidence. "alike": the most
 * similar places, by the distance in standard deviations, are good. "bracket": the place lies
 * between two good places, and no bad one does. "neighbour": a good place is close, and each bad
 * one is at least twice as far. Few places cannot show which ones are similar; then "bracket" and
 * "neighbour" decide. A rule is not applied where it would have admitted a place that turned out to
 * be bad.
 *
 * What remains is unproven: forbidden, but with a chance ("hope") that says whether a trial there
 * is worth it.
 */
#include "evidence.h"

enum {
    MOST_NEAR = 48,
    MANY_PLACES = 8,
    ALIKE = 2, /* so many similar places must be good for a place to be admitted */
    ASKED = 4  /* so many similar places give the chance of a place */
};

/* The distance, in factors of two, within which a place is close: normally; if all good places are
 * so by far. */
static const double close_by = 1, close_by_good = 2;
/* A place is good by far if its accuracy is at most this share of the wanted one. */
static const double by_far = 1e-5;
/* The distance of values that are not both positive. */
static const double far_apart = 8;
/* The chance at an unproven place whose similar places are all good. */
static const double doubt = 0.5;
/* Similar places are within this many usual distances. */
static const double alike_within = 3;

/* ---- rules ---- */

static double octaves(double a, double b)
{
    if (isnan(a) || isnan(b) || a == b)
        return 0;
    return a > 0 && b > 0 ? fabs(log2(a / b)) : far_apart;
}

/* Returns whether A differs from the place T in kind, or may differ in any way: an unknown context
 * may be anything. */
static bool is_apart(const struct plan_evidence *v, const double *a, const double *t, size_t k)
{
    return (k < v->n_context && isnan(t[k])) || (v->is_kind[k] && a[k] != t[k]);
}

static double distance(const struct plan_evidence *v, const double *a, const double *t)
{
    double most = 0;

    for (size_t k = 0; k < v->n_coordinates; k++)
        most = fmax(most, is_apart(v, a, t, k) ? far_apart : octaves(a[k], t[k]));
    return most;
}

/* The distance in standard deviations of the measured places; infinite between kinds. */
static double scaled_distance(const struct plan_evidence *v, const double *a, const double *t)
{
    double sum = 0;

    for (size_t k = 0; k < v->n_coordinates; k++) {
        double d = is_apart(v, a, t, k) ? INFINITY : octaves(a[k], t[k]) / v->scale[k];

        sum += d * d;
    }
    return sqrt(sum);
}

/* Returns whether T lies in the box of A and B; with an unknown context it does not. */
static bool is_between(const struct plan_evidence *v, const double *a, const double *b,
                       const double *t)
{
    for (size_t k = 0; k < v->n_coordinates; k++)
        if (isnan(t[k]) ? k < v->n_context
                        : !isnan(a[k]) && !isnan(b[k]) &&
                              (!(t[k] >= fmin(a[k], b[k]) && t[k] <= fmax(a[k], b[k])) ||
                               (v->is_kind[k] && a[k] != b[k])))
            return false;
    return true;
}

/* Evidence around a place, the nearest first. */
struct near {
    size_t n;
    const struct evidence *e[MOST_NEAR];
    double at[MOST_NEAR];
};

/* The evidence of one combination around a place; ALIKE: good and bad by scaled distance. */
struct around {
    struct near good, bad, alike;
};

static void insert_near(struct near *list, const struct evidence *e, double d)
{
    size_t k;

    if (list->n == MOST_NEAR && d >= list->at[list->n - 1])
        return;
    for (k = list->n < MOST_NEAR ? list->n++ : list->n - 1; k && list->at[k - 1] > d; k--) {
        list->e[k] = list->e[k - 1];
        list->at[k] = list->at[k - 1];
    }
    list->e[k] = e;
    list->at[k] = d;
}

static void look_around(const struct plan_evidence *v, size_t key, const double *t,
                        const struct evidence *without, struct around *a)
{
    *a = (struct around){0};
    for (size_t i = 0; i < v->n; i++) {
        const struct evidence *e = &v->all[i];
        double d;

        if (e->key != key || e == without)
            continue;
        insert_near(evidence_is_bad(e) ? &a->bad : &a->good, e, distance(v, e->at, t));
        if (!isinf(d = scaled_distance(v, e->at, t)))
            insert_near(&a->alike, e, d);
    }
}

static bool is_bracketed(const struct plan_evidence *v, const struct around *a, const double *t)
{
    for (size_t i = 0; i < a->good.n; i++)
        for (size_t j = i; j < a->good.n; j++) {
            bool clean = is_between(v, a->good.e[i]->at, a->good.e[j]->at, t);

            for (size_t b = 0; clean && b < a->bad.n; b++)
                clean = !is_between(v, a->good.e[i]->at, a->good.e[j]->at, a->bad.e[b]->at);
            if (clean)
                return true;
        }
    return false;
}

static bool is_close(const struct around *a)
{
    bool far_from_bad = !a->bad.n && a->good.n > 2;
    double reach;

    for (size_t i = 0; i < a->good.n; i++)
        far_from_bad = far_from_bad && !(a->good.e[i]->accuracy > by_far * a->good.e[i]->wanted);
    reach = far_from_bad ? close_by_good : close_by;

    return a->good.n && a->good.at[0] <= reach && (!a->bad.n || a->bad.at[0] > 2 * a->good.at[0]);
}

/* ---- similar places ---- */

/* The usual distance to the second nearest place; 0: too few places were tried. */
static double usual_distance(const struct plan_evidence *v, size_t key)
{
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < v->n; i++)
        if (v->all[i].key == key && isfinite(v->all[i].nearby)) {
            sum += v->all[i].nearby;
            n++;
        }
    return n >= MANY_PLACES ? sum / (double)n : 0;
}

static bool works_alike(const struct plan_evidence *v, size_t key, const struct around *a)
{
    const struct near *x = &a->alike;

    return x->n >= ALIKE && !evidence_is_bad(x->e[0]) && !evidence_is_bad(x->e[1]) &&
           x->at[ALIKE - 1] <= alike_within * usual_distance(v, key);
}

/* The chance that an unproven combination works; 0: too few places were tried. */
static double hope_for(const struct plan_evidence *v, size_t key, const struct around *a)
{
    double good = 0, n = 0;

    for (size_t i = 0; i < a->alike.n && i < ASKED; i++, n++)
        good += !evidence_is_bad(a->alike.e[i]);
    return n > 0 && usual_distance(v, key) > 0 ? doubt * good / n : 0;
}

/* ---- which rules hold ---- */

/* Marks bad places that a rule would have admitted if they had not been tried. */
static void try_rules(struct plan_evidence *v)
{
    struct around a;

    for (size_t i = 0; i < v->n; i++) {
        struct evidence *e = &v->all[i];

        look_around(v, e->key, e->at, e, &a);
        e->nearby = a.alike.n >= ALIKE ? a.alike.at[ALIKE - 1] : INFINITY;
    }
    for (size_t i = 0; i < v->n; i++) {
        struct evidence *e = &v->all[i];

        if (!evidence_is_bad(e))
            continue;
        look_around(v, e->key, e->at, e, &a);
        e->misled.alike = works_alike(v, e->key, &a);
        e->misled.bracket = is_bracketed(v, &a, e->at);
        e->misled.neighbour = !e->misled.bracket && is_close(&a);
    }
}

/* The rules that are right at all places of the same kinds as T. */
static struct rules ask_rules(const struct plan_evidence *v, size_t key, const double *t)
{
    struct rules r = {usual_distance(v, key) > 0, true, true};

    for (size_t i = 0; i < v->n; i++) {
        const struct evidence *e = &v->all[i];

        if (e->key != key || distance(v, e->at, t) >= far_apart)
            continue;
        r.alike = r.alike && !e->misled.alike;
        r.bracket = r.bracket && !e->misled.bracket;
        r.neighbour = r.neighbour && !e->misled.neighbour;
    }
    return r;
}

enum portolan_status plan_gather_evidence(struct portolan_plan *p, size_t path)
{
    enum portolan_status status = evidence_gather(p, path, &p->paths[path].evidence);

    if (!status && p->paths[path].evidence)
        try_rules(p->paths[path].evidence);
    return status;
}

/* ---- verdicts ---- */

static struct plan_verdict verdict_on(const struct evidence *e)
{
    return (struct plan_verdict){.kind = !evidence_is_bad(e) ? PLAN_ADMITTED
                                         : e->stopped_s > 0  ? PLAN_STOPPED
                                         : e->failed         ? PLAN_FAILED
                                                             : PLAN_INACCURATE,
                                 .stopped_s = e->stopped_s,
                                 .accuracy = e->accuracy,
                                 .trial = e->trial};
}

/* Returns whether no coordinate distinguishes E from the place T; an unknown one does not. */
static bool is_alike(const struct plan_evidence *v, const struct evidence *e, const double *t)
{
    bool known = false;

    for (size_t k = 0; k < v->n_coordinates; k++) {
        if (isnan(e->at[k]) || isnan(t[k]))
            continue;
        if (e->at[k] != t[k])
            return false;
        known = true;
    }
    return known;
}

/*
 * The verdict of trials at the present parameters; or else of bad ones at places that no coordinate
 * distinguishes from T. False: there are none.
 */
static bool seen_there(const struct portolan_plan *p, const struct plan_evidence *v, size_t key,
                       const double *t, struct plan_verdict *out)
{
    const struct evidence *here = NULL, *alike = NULL;

    for (size_t i = 0; i < v->n; i++) {
        const struct evidence *e = &v->all[i];
        bool bad = evidence_is_bad(e);

        if (e->key != key)
            continue;
        if (e->point == p->s.target_point &&
            (bad || (!here && (is_alike(v, e, t) || !v->n_coordinates))))
            here = here && evidence_is_bad(here) ? here : e;
        else if (bad && is_alike(v, e, t))
            alike = e;
    }
    if (here || alike)
        *out = verdict_on(here ? here : alike);
    return here || alike;
}

static const struct evidence *nearest(const struct around *a)
{
    return a->bad.n && (!a->good.n || a->bad.at[0] <= a->good.at[0]) ? a->bad.e[0]
           : a->good.n                                               ? a->good.e[0]
                                                                     : NULL;
}

/* Returns whether a coordinate of T is outside its range over all places of the combination. */
static bool is_beyond(const struct plan_evidence *v, size_t key, const double *t)
{
    for (size_t k = 0; k < v->n_coordinates; k++) {
        bool below = false, above = false;

        for (size_t i = 0; i < v->n; i++)
            if (v->all[i].key == key) {
                below = below || !(v->all[i].at[k] > t[k]);
                above = above || !(v->all[i].at[k] < t[k]);
            }
        if (!below || !above)
            return true;
    }
    return false;
}

static struct plan_verdict judge_place(const struct plan_evidence *v, size_t key, const double *t,
                                       bool accuracy_rises)
{
    struct plan_verdict out = {.kind = PLAN_UNPROVEN, .accuracy = NAN};
    const struct evidence *e;
    struct rules r;
    struct around a;
    bool works;

    look_around(v, key, t, NULL, &a);
    e = nearest(&a);
    if (!a.bad.n && (!e || isnan(e->accuracy) || !(e->wanted > 0)))
        return (struct plan_verdict){.kind = PLAN_ADMITTED, .accuracy = NAN};
    if (e && !a.good.n)
        return verdict_on(a.bad.e[0]); /* it never worked anywhere */
    r = ask_rules(v, key, t);
    if (r.alike && a.bad.n)
        works = works_alike(v, key, &a) && !(accuracy_rises && is_beyond(v, key, t));
    else
        works = (r.bracket && is_bracketed(v, &a, t)) ||
                (r.neighbour && !accuracy_rises && is_close(&a));
    if (works)
        return verdict_on(a.good.e[0]);
    if (e) {
        out.accuracy = e->accuracy;
        out.trial = e->trial;
        out.near_bad = evidence_is_bad(e);
        out.near_failed = e->failed;
    }
    out.hope = hope_for(v, key, &a);
    for (size_t k = 0; k < v->n_context; k++)
        out.is_blind = out.is_blind || isnan(t[k]);
    return out;
}

struct plan_verdict plan_admit(const struct portolan_plan *p, size_t path, size_t tuple,
                               const double *context, bool accuracy_rises)
{
    const struct plan_evidence *v = p->paths[path].evidence;
    struct plan_verdict out = {.kind = PLAN_ADMITTED, .accuracy = NAN};
    double t[MOST_COORDINATES] = {0};
    size_t key = plan_as_written(p, path, tuple);

    if (!v)
        return out;
    evidence_place(p, path, context, p->dim_target, t);
    return seen_there(p, v, key, t, &out) ? out : judge_place(v, key, t, accuracy_rises);
}
