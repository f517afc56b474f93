/* SPDX-License-Identifier: BSD-3-Clause */
/* A diagnosis for people. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diagnosis.h"

static const char *const experiment_titles[] = {"profile of computation and communication",
                                                "profile of operations", "trace"};

struct report {
    const struct diagnosis *d;
    struct portolan_text *out;
    struct portolan_arena arena; /* titles */
    int digits;
};

static void add_percent(const struct report *r, double share)
{
    if (isfinite(share))
        portolan_text_add(r->out, "%.*f %%", r->digits, fabs(share) < 1e-12 ? 0 : share * 100);
    else
        portolan_text_add(r->out, "- %%");
}

static void add_time(const struct report *r, double ns)
{
    char text[32];

    portolan_text_add(r->out, "%s", portolan_format_time(ns, 3, text, sizeof text));
}

static const char *title_of(struct report *r, const struct item *item)
{
    return item_title(&r->arena, r->d->paradigm, item);
}

/* ------------------------------------------------- what experiments showed */

static void add_symptoms(struct report *r, enum experiment experiment)
{
    const struct paradigm *p = r->d->paradigm;

    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct node *node = &p->nodes[i];
        const struct judged *m = &r->d->metrics[node->metric];
        const struct conclusion *c = &r->d->conclusions[i];

        if (node->n_under || p->metrics[node->metric].experiment != experiment ||
            !m->measured.samples)
            continue;
        if (!isfinite(m->of_run)) {
            portolan_text_add(r->out, "  %s is not known\n", title_of(r, &node->item));
            continue;
        }
        portolan_text_add(r->out, "  %s is ", title_of(r, &node->item));
        add_percent(r, m->of_run);
        portolan_text_add(r->out, " of run time: %s (threshold %g %%)\n",
                          c->holds ? "a symptom"
                          : c->why ? "cannot tell whether that is a symptom"
                                   : "no symptom",
                          c->threshold * 100);
    }
}

/* Whether something that the whole is measured for was looked into. */
static bool is_followed(const struct diagnosis *d, const struct composed *c)
{
    for (size_t i = 0; i < d->paradigm->n_nodes; i++)
        if (d->paradigm->nodes[i].metric == c->metric && d->conclusions[i].holds)
            return true;
    return c->metric == HERCULE_NONE;
}

static void add_parts(struct report *r, const struct composed *c, double whole, double rest)
{
    const struct paradigm *p = r->d->paradigm;

    for (size_t i = 0; i < c->n_of; i++) {
        if (!r->d->measured[c->parts[i]].samples)
            continue;
        portolan_text_add(r->out, "%s%s ", i ? ", " : "", p->metrics[c->parts[i]].item.text);
        add_percent(r, r->d->measured[c->parts[i]].value / whole);
    }
    if (fabs(rest) > 0.5 * pow(10, -2 - r->digits) * whole) {
        portolan_text_add(r->out, "; %s ", c->rest);
        add_percent(r, rest / whole);
    }
}

static void add_composition(struct report *r, const struct composed *c, enum experiment experiment)
{
    const struct paradigm *p = r->d->paradigm;
    const char *title =
        c->metric == HERCULE_NONE ? "run time" : title_of(r, &p->metrics[c->metric].item);
    double whole, rest;

    if (!c->n_of || !composed_rest(r->d, c, &whole, &rest) || whole <= 0 || !is_followed(r->d, c) ||
        p->metrics[c->parts[0]].experiment != experiment)
        return;
    if (*c->view) {
        portolan_text_add(r->out, "  (the same time of %s %s: ", title, c->view);
        add_parts(r, c, whole, rest);
        portolan_text_add(r->out, ")\n");
        return;
    }
    portolan_text_add(r->out, "  of %s", title);
    if (c->metric != HERCULE_NONE) {
        portolan_text_add(r->out, " (");
        add_percent(r, whole / r->d->run_ns);
        portolan_text_add(r->out, " of run time)");
    }
    portolan_text_add(r->out, ": ");
    add_parts(r, c, whole, rest);
    portolan_text_add(r->out, "\n");
}

static bool has_parts(const struct paradigm *p, size_t metric)
{
    for (size_t i = 0; i < p->n_composed; i++)
        if (p->composed[i].metric == metric && p->composed[i].event == HERCULE_NONE &&
            !*p->composed[i].view)
            return true;
    return false;
}

/* The parts of each whole, then other views of the same time. */
static void add_compositions(struct report *r, enum experiment experiment)
{
    const struct paradigm *p = r->d->paradigm;

    for (size_t i = 0; i < p->n_composed; i++) {
        const struct composed *c = &p->composed[i];

        if (c->event != HERCULE_NONE || (*c->view && has_parts(p, c->metric)))
            continue;
        add_composition(r, c, experiment);
        for (size_t k = 0; !*c->view && k < p->n_composed; k++)
            if (p->composed[k].event == HERCULE_NONE && *p->composed[k].view &&
                p->composed[k].metric == c->metric)
                add_composition(r, &p->composed[k], experiment);
    }
}

static bool was_made(const struct diagnosis *d, enum experiment experiment)
{
    for (size_t i = 0; i < d->paradigm->n_metrics; i++)
        if (d->paradigm->metrics[i].experiment == experiment && d->measured[i].samples)
            return true;
    return false;
}

/* ------------------------------------------------- causes */

enum { TEXT_WIDTH = 52, SHARE_WIDTH = 11, TIME_WIDTH = 13, GAIN_WIDTH = 11 };

/* TEXT to the right of a column. */
static void add_column(const struct report *r, int width, const char *text)
{
    portolan_text_add(r->out, "%*s", width, text);
}

static void add_gain(struct report *r, double share, double without_ns, double gain, double low,
                     double high)
{
    char text[48], time[32];

    snprintf(text, sizeof text, "%.*f %%", r->digits, share * 100);
    add_column(r, SHARE_WIDTH, isfinite(share) ? text : "-");
    if (!isfinite(gain)) {
        portolan_text_add(r->out, "%*s%*s\n", TIME_WIDTH, "-", GAIN_WIDTH, "not known");
        return;
    }
    add_column(r, TIME_WIDTH, portolan_format_time(without_ns, 3, time, sizeof time));
    snprintf(text, sizeof text, "%.*f %%", r->digits, gain * 100);
    add_column(r, GAIN_WIDTH, text);
    if (low < high)
        portolan_text_add(r->out, " (%.*f ... %.*f)", r->digits, low * 100, r->digits, high * 100);
    portolan_text_add(r->out, "\n");
}

static void add_together(struct report *r)
{
    const struct gain *gain = &r->d->together;
    size_t n = r->d->public.n_findings;
    double share = 0;

    if (!gain->is_known)
        return;
    for (size_t i = 0; i < n; i++)
        share += r->d->public.findings[i].share;
    if (n == 2)
        portolan_text_add(r->out, "  %-*s", TEXT_WIDTH, "1 and 2 together");
    else
        portolan_text_add(r->out, "  1 to %zu %-*s", n, TEXT_WIDTH - (n < 10 ? 7 : 8), "together");
    /* More than there is: they share some of their time, and nobody knows how much. */
    add_gain(r, share <= 1 ? share : NAN, gain->without_ns, gain->share, gain->low, gain->high);
}

static void add_causes(struct report *r)
{
    const struct portolan_diagnosis *d = &r->d->public;
    double share = 0;

    if (!d->n_findings)
        return;
    for (size_t i = 0; i < d->n_findings; i++)
        share += d->findings[i].share;
    portolan_text_add(r->out, "%-*s%*s%*s%*s\n", TEXT_WIDTH + 2, "causes", SHARE_WIDTH,
                      "of run time", TIME_WIDTH, "without it", GAIN_WIDTH, "gain");
    for (size_t i = 0; i < d->n_findings; i++) {
        const struct portolan_finding *f = &d->findings[i];

        portolan_text_add(r->out, "  %zu %-*s", i + 1, TEXT_WIDTH - 2 - (i > 8), f->text);
        add_gain(r, f->share, f->without_ns, f->gain, f->low, f->high);
        if (f->spread > 0) {
            portolan_text_add(r->out, "      of run time: +- ");
            add_percent(r, f->spread);
            portolan_text_add(r->out, "\n");
        }
        if (*f->where)
            portolan_text_add(r->out, "      %s\n", f->where);
        portolan_text_add(r->out, "      remedy: %s\n", f->remedy);
    }
    add_together(r);
    if (share > 1)
        portolan_text_add(r->out, "  they overlap: their shares add up to %.*f %% of run time\n",
                          r->digits, 100 * share);
}

/* ------------------------------------------------- the end */

/* Leaves and branches that were looked at and found to be small. */
static void add_no_problems(struct report *r)
{
    const struct paradigm *p = r->d->paradigm;
    size_t n = 0;

    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct conclusion *c = &r->d->conclusions[i];
        const struct judged *m = &r->d->metrics[p->nodes[i].metric];

        bool is_measured = m->measured.samples;

        if (!c->is_reached || c->holds || c->why ||
            !((is_measured ? m->of_run : c->most) < c->threshold))
            continue;
        portolan_text_add(r->out, "%s%s %s",
                          n++ ? ", " : "; no problem: ", title_of(r, &p->nodes[i].item),
                          is_measured ? "" : "at most ");
        add_percent(r, is_measured ? m->of_run : c->most);
    }
}

static void add_cannot_tell(struct report *r)
{
    const struct paradigm *p = r->d->paradigm;
    size_t n = 0;

    for (size_t i = 0; i < p->n_nodes; i++)
        if (r->d->conclusions[i].why)
            portolan_text_add(r->out, "%s%s (%s)",
                              n++ ? ", " : "; cannot tell: ", title_of(r, &p->nodes[i].item),
                              r->d->conclusions[i].why);
    for (size_t i = 0; i < r->d->public.n_wanted; i++)
        portolan_text_add(r->out, "%s%s was not made",
                          n++ ? ", " : "; cannot tell: ", r->d->public.wanted[i].text);
    portolan_text_add(r->out, "\n");
}

/* "experiment 2: profile of operations (6.10 s, 0.3 % of overhead, trial 11)" */
static void add_title(struct report *r, int number, const struct portolan_experiment *x)
{
    char text[32];

    portolan_text_add(r->out, "experiment %d: %s", number + 1,
                      x && x->title ? x->title : experiment_titles[number]);
    if (x && x->title && isfinite(x->run_ns)) {
        portolan_text_add(r->out, " (%s", portolan_format_time(x->run_ns, 3, text, sizeof text));
        if (isfinite(x->overhead) && x->overhead > 0) {
            portolan_text_add(r->out, ", ");
            add_percent(r, x->overhead);
            portolan_text_add(r->out, " of overhead");
        }
        if (x->trial)
            portolan_text_add(r->out, ", trial %lld", (long long)x->trial);
        portolan_text_add(r->out, ")");
    }
    portolan_text_add(r->out, "\n");
}

enum portolan_status portolan_diagnosis_text(const struct portolan_diagnosis *diagnosis,
                                             const struct portolan_experiment experiments[3],
                                             int digits, char **text, struct portolan_error *err)
{
    struct portolan_text out = {0};
    struct report r = {(const struct diagnosis *)diagnosis, &out, {0}, digits};

    for (int e = 0; e < N_EXPERIMENTS; e++) {
        const struct portolan_experiment *x = experiments ? &experiments[e] : NULL;
        const struct portolan_diagnosis *of = x && x->of ? x->of : diagnosis;

        r.d = (const struct diagnosis *)of;
        if (was_made(r.d, e)) {
            add_title(&r, e, x);
            add_symptoms(&r, e);
            add_compositions(&r, e);
        }
    }
    r.d = (const struct diagnosis *)diagnosis;
    if (*diagnosis->disagreement)
        portolan_text_add(&out, "%s: causes that cost less than that cannot be judged\n",
                          diagnosis->disagreement);
    add_causes(&r);
    portolan_text_add(&out, "unexplained ");
    if (isfinite(diagnosis->unexplained)) {
        add_percent(&r, diagnosis->unexplained);
        portolan_text_add(&out, " of run time");
    } else {
        portolan_text_add(&out, "is not known");
    }
    add_no_problems(&r);
    add_cannot_tell(&r);
    portolan_text_add(&out, "%s", diagnosis->misfit);
    if (diagnosis->verdict != PORTOLAN_PROBLEM)
        portolan_text_add(&out, "%s%s%s\n", portolan_verdict_word(diagnosis->verdict),
                          *diagnosis->why ? ": " : "", diagnosis->why);
    out.failed |= r.arena.failed;
    portolan_arena_clear(&r.arena);
    return portolan_text_take(&out, text, err);
}

/* ------------------------------------------------- why */

/* Value, share and base, formula, samples and experiment of the metric; the rule of the node. */
static void add_step(struct report *r, size_t i)
{
    const struct paradigm *p = r->d->paradigm;
    const struct node *node = &p->nodes[i];
    const struct metric *metric = &p->metrics[node->metric];
    const struct judged *m = &r->d->metrics[node->metric];
    const struct conclusion *c = &r->d->conclusions[i];

    portolan_text_add(r->out, "  %s: ", title_of(r, &node->item));
    if (metric->unit == UNIT_TIME) {
        add_time(r, m->measured.value);
        portolan_text_add(r->out, ", ");
        add_percent(r, m->share);
        portolan_text_add(r->out, " of %s",
                          metric->base == HERCULE_NONE
                              ? "run time"
                              : title_of(r, &p->metrics[metric->base].item));
    } else
        portolan_text_add(r->out, "%.4g", m->measured.value);
    portolan_text_add(r->out, "\n    %s = %s\n    %zu sample%s, %s, experiment %d (%s)\n",
                      metric->item.name, metric->formula.text, m->measured.samples,
                      m->measured.samples == 1 ? "" : "s", metric->item.place.file,
                      metric->experiment + 1, experiment_titles[metric->experiment]);
    portolan_text_add(r->out, "    rule %s: ", c->rule ? c->rule : "none");
    add_percent(r, m->of_run);
    portolan_text_add(r->out, " of run time, threshold %s %g %%", node->threshold_name,
                      c->threshold * 100);
    if (*node->condition.text)
        portolan_text_add(r->out, "; and %s", node->condition.text);
    portolan_text_add(r->out, "\n");
}

/* From the root down to NODE, by the branch that holds. */
static void add_path(struct report *r, size_t node)
{
    const struct node *n = &r->d->paradigm->nodes[node];

    for (size_t u = 0; u < n->n_under; u++)
        if (r->d->conclusions[n->parents[u]].holds) {
            add_path(r, n->parents[u]);
            break;
        }
    add_step(r, node);
}

enum portolan_status portolan_diagnosis_why(const struct portolan_diagnosis *diagnosis,
                                            size_t number, int digits, char **text,
                                            struct portolan_error *err)
{
    struct portolan_text out = {0};
    struct report r = {(const struct diagnosis *)diagnosis, &out, {0}, digits};
    const struct portolan_finding *f;

    *text = NULL;
    if (!number || number > diagnosis->n_findings)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no finding %zu; there are %zu",
                                  number, diagnosis->n_findings);
    f = &diagnosis->findings[number - 1];
    portolan_text_add(&out, "%zu %s\n", number, f->text);
    add_path(&r, r.d->found[number - 1]);
    if (isfinite(f->gain)) {
        portolan_text_add(&out, "  gain: ");
        add_percent(&r, f->gain);
        portolan_text_add(&out, " of ");
        add_time(&r, diagnosis->run_ns);
        portolan_text_add(&out, ", by replay without it\n");
    }
    portolan_text_add(&out, "  factor %s: remedy: %s\n", f->factor, f->remedy);
    out.failed |= r.arena.failed;
    portolan_arena_clear(&r.arena);
    return portolan_text_take(&out, text, err);
}
