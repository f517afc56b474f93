/* SPDX-License-Identifier: BSD-3-Clause */
/* What failed or was not accurate enough, and so is not chosen where nothing tells places apart. */
#include "plan_internal.h"

static const char *class_of(const struct survey *s, const struct survey_quality *q)
{
    size_t v = s->nodes[q->node].variable;

    return q->own == NONE ? "" : s->variables[v].instance->alternatives[q->own].class_name;
}

static bool is_bad(const struct portolan_plan *p, const struct survey_quality *q)
{
    return q->failed > 0 || (p->s.a->accuracy > 0 && q->value > p->s.a->accuracy);
}

static void put_veto(const struct survey *s, const struct survey_quality *q,
                     struct portolan_text *out)
{
    const struct survey_node *n = &s->nodes[q->node];

    portolan_text_add(out, "%s=%s  %s(", n->instance, class_of(s, q), n->method);
    for (int i = 0; i < n->n_context; i++)
        portolan_text_add(out, "%s%s = %g", i ? ", " : "", n->context_name[i], q->context[i]);
    if (q->failed > 0)
        portolan_text_add(out, ") failed");
    else
        portolan_text_add(out, ") had accuracy %.3g", q->value);
    portolan_text_add(out, " in trial %lld\n",
                      (long long)s->trials[s->rows[q->row].trial].trial->id);
}

/* Steps and ranks of one trial say it once. */
static bool same_line(const struct survey *s, const struct survey_quality *a,
                      const struct survey_quality *b)
{
    bool same = a->node == b->node && a->own == b->own && (a->failed > 0) == (b->failed > 0) &&
                s->rows[a->row].trial == s->rows[b->row].trial;

    for (int i = 0; i < s->nodes[a->node].n_context; i++)
        same = same && a->context[i] == b->context[i];
    return same;
}

enum portolan_status portolan_plan_report_vetoes(const struct portolan_plan *p, char **text,
                                                 struct portolan_error *err)
{
    const struct survey *s = &p->s;
    const struct survey_quality *last = NULL;
    struct portolan_text out = {0};

    for (size_t i = 0; i < s->n_qualities; i++) {
        const struct survey_quality *q = &s->qualities[i];

        if (s->nodes[q->node].variable == NONE || !is_bad(p, q) || plan_is_lifted(p, q) ||
            (last && same_line(s, last, q)))
            continue;
        put_veto(s, q, &out);
        last = q;
    }
    if (!last)
        portolan_text_add(&out, "no veto: nothing failed that counts\n");
    return portolan_text_take(&out, text, err);
}
