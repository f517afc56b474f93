/* SPDX-License-Identifier: BSD-3-Clause */
/* A diagnosis for programs. */
#include <portolan/json.h>

#include <math.h>

#include "diagnosis.h"

static void add_metrics(struct portolan_json *j, const struct diagnosis *d)
{
    static const char *const units[] = {"ns", "ratio", "count", "bytes"};

    portolan_json_open(j, "metrics", '[');
    for (size_t i = 0; i < d->paradigm->n_metrics; i++) {
        const struct metric *metric = &d->paradigm->metrics[i];
        const struct judged *m = &d->metrics[i];

        if (!m->measured.samples)
            continue;
        portolan_json_open(j, NULL, '{');
        portolan_json_text(j, "name", metric->item.name);
        portolan_json_number(j, "value", m->measured.value);
        portolan_json_text(j, "unit", units[metric->unit]);
        portolan_json_text(
            j, "base",
            metric->base == HERCULE_NONE ? "run" : d->paradigm->metrics[metric->base].item.name);
        portolan_json_number(j, "share", m->share);
        portolan_json_number(j, "of_run", m->of_run);
        portolan_json_number(j, "spread", m->measured.spread);
        portolan_json_number(j, "samples", (double)m->measured.samples);
        portolan_json_text(j, "formula", metric->formula.text);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
}

static void add_nodes(struct portolan_json *j, const struct diagnosis *d)
{
    portolan_json_open(j, "nodes", '[');
    for (size_t i = 0; i < d->paradigm->n_nodes; i++) {
        const struct node *node = &d->paradigm->nodes[i];
        const struct conclusion *c = &d->conclusions[i];

        if (!c->is_reached)
            continue;
        portolan_json_open(j, NULL, '{');
        portolan_json_text(j, "name", node->item.name);
        portolan_json_text(j, "kind", node_words[node->kind]);
        portolan_json_text(j, "metric", d->paradigm->metrics[node->metric].item.name);
        portolan_json_number(j, "threshold", c->threshold);
        portolan_json_bool(j, "holds", c->holds);
        portolan_json_text(j, "rule", c->rule);
        portolan_json_text(j, "cannot_tell", c->why);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
}

static void add_findings(struct portolan_json *j, const struct portolan_diagnosis *d)
{
    portolan_json_open(j, "findings", '[');
    for (size_t i = 0; i < d->n_findings; i++) {
        const struct portolan_finding *f = &d->findings[i];

        portolan_json_open(j, NULL, '{');
        portolan_json_text(j, "cause", f->cause);
        portolan_json_text(j, "text", f->text);
        portolan_json_text(j, "factor", f->factor);
        portolan_json_text(j, "remedy", f->remedy);
        portolan_json_text(j, "where", f->where);
        portolan_json_text(j, "instance", f->instance);
        portolan_json_text(j, "port", f->port);
        portolan_json_number(j, "share", f->share);
        portolan_json_number(j, "spread", f->spread);
        portolan_json_number(j, "without_ns", f->without_ns);
        portolan_json_number(j, "gain", f->gain);
        portolan_json_number(j, "gain_low", f->low);
        portolan_json_number(j, "gain_high", f->high);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
}

static void add_experiments(struct portolan_json *j, const struct portolan_experiment *experiments)
{
    portolan_json_open(j, "experiments", '[');
    for (int e = 0; experiments && e < N_EXPERIMENTS; e++) {
        if (!experiments[e].title)
            continue;
        portolan_json_open(j, NULL, '{');
        portolan_json_number(j, "number", e + 1);
        portolan_json_text(j, "title", experiments[e].title);
        portolan_json_number(j, "trial", (double)experiments[e].trial);
        portolan_json_number(j, "run_ns", experiments[e].run_ns);
        portolan_json_number(j, "overhead", experiments[e].overhead);
        portolan_json_close(j, '}');
    }
    portolan_json_close(j, ']');
}

enum portolan_status portolan_diagnosis_json(const struct portolan_diagnosis *diagnosis,
                                             const struct portolan_experiment experiments[3],
                                             char **text, struct portolan_error *err)
{
    const struct diagnosis *d = (const struct diagnosis *)diagnosis;
    struct portolan_text out = {0};
    struct portolan_json j = {.out = &out};

    portolan_json_open(&j, NULL, '{');
    portolan_json_text(&j, "verdict", portolan_verdict_word(diagnosis->verdict));
    portolan_json_text(&j, "why", diagnosis->why);
    portolan_json_text(&j, "misfit", diagnosis->misfit);
    portolan_json_text(&j, "paradigm", diagnosis->paradigm);
    portolan_json_number(&j, "ranks", diagnosis->n_ranks);
    portolan_json_number(&j, "run_ns", diagnosis->run_ns);
    portolan_json_number(&j, "unexplained", diagnosis->unexplained);
    add_findings(&j, diagnosis);
    portolan_json_number(&j, "together_ns", d->together.is_known ? d->together.without_ns : NAN);
    portolan_json_open(&j, "wanted", '[');
    for (size_t i = 0; i < diagnosis->n_wanted; i++)
        portolan_json_text(&j, NULL, diagnosis->wanted[i].text);
    portolan_json_close(&j, ']');
    portolan_json_text(&j, "disagreement", diagnosis->disagreement);
    add_experiments(&j, experiments);
    add_nodes(&j, d);
    add_metrics(&j, d);
    portolan_json_close(&j, '}');
    return portolan_text_take(&out, text, err);
}
