/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan as plain text for a terminal of 100 columns. */
#include "plan_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_point(struct portolan_text *out, const struct survey *s, const char *const *texts)
{
    for (size_t d = 0; d < s->n_dims; d++)
        portolan_text_add(out, "%s%s=%s", d ? " " : "", s->dims[d].name,
                          texts ? texts[d] : s->dims[d].target);
}

/* Writes why a branch is kept or dropped, also by the rules that are not selected. */
static void put_marks(struct portolan_text *out, const struct portolan_plan_node *n, int indent)
{
    char why[120], other[120];
    bool is_kept = n->mark.rule == PORTOLAN_KEPT;

    portolan_callgraph_explain(&n->mark, why, sizeof why);
    portolan_callgraph_explain(&n->other_mark, other, sizeof other);
    if (why[0])
        portolan_text_add(out, "%*s  %s, %s\n", indent, "", is_kept ? "kept" : "x pruned", why);
    if (other[0] && n->mark.rule != PORTOLAN_PRUNE_BELOW)
        portolan_text_add(out, "%*s  (the other way: %s, %s)\n", indent, "",
                          n->other_mark.rule == PORTOLAN_KEPT ? "kept" : "pruned", other);
}

static void put_node(struct portolan_text *out, const struct portolan_plan_node *n, int path_width)
{
    const double ns[] = {n->inclusive_ns, n->exclusive_ns, n->mpi_ns};
    const char *who = n->implementation;
    char path[300], time[32];
    int indent = 2 * n->depth < path_width / 2 ? 2 * n->depth : path_width / 2;

    snprintf(path, sizeof path, "%*s%s.%s%s%s%s", indent, "", n->instance, n->method,
             who[0] ? " [" : "", who, who[0] ? "]" : "");
    portolan_text_add(out, "%-*.*s%9.0f", path_width, path_width, path, n->calls);
    for (int i = 0; i < 3; i++) {
        portolan_format_time(ns[i], 3, time, sizeof time);
        portolan_text_add(out, "%11s", time);
    }
    portolan_text_add(out, "%7.1f %%\n", 100 * n->share);
    if (n->seen_with[0])
        portolan_text_add(out, "%*s  (occurs with %s)\n", indent, "", n->seen_with);
    put_marks(out, n, indent);
}

/* Writes the nodes along the tree, children below their parent; in the array they are in order of
 * first appearance. */
static void put_tree(struct portolan_text *out, const struct portolan_plan *p, int path_width)
{
    const struct survey_node *nodes = p->s.nodes;
    size_t at = p->n_nodes ? 0 : NONE;

    while (at != NONE) {
        put_node(out, &p->graph[at], path_width);
        if (nodes[at].first_child != NONE) {
            at = nodes[at].first_child;
            continue;
        }
        while (nodes[at].next_sibling == NONE && nodes[at].parent >= 0)
            at = (size_t)nodes[at].parent;
        at = nodes[at].next_sibling;
    }
}

enum portolan_status portolan_plan_report_callgraph(const struct portolan_plan *p, char **text,
                                                    struct portolan_error *err)
{
    static const int width = 48;
    struct portolan_text out = {0};

    portolan_text_add(&out, "Call graph by call path of '%s'", p->s.a->name);
    if (p->graph_trial != NONE) {
        portolan_text_add(&out, ", trial %lld (", (long long)p->s.trials[p->graph_trial].trial->id);
        put_point(&out, &p->s, p->s.trials[p->graph_trial].texts);
        portolan_text_add(&out, "%son %d rank%s, slowest: %d)", p->s.n_dims ? " " : "", p->s.ranks,
                          p->s.ranks == 1 ? "" : "s", p->s.trials[p->graph_trial].rank);
    }
    if (p->s.a->epsilon > 0)
        portolan_text_add(&out, "\nepsilon %g (bounded; beside it: alpha %g, beta %g)\n",
                          p->s.a->epsilon, p->s.a->alpha, p->s.a->beta);
    else
        portolan_text_add(&out, "\nalpha %g, beta %g (two rules; beside them: epsilon %g)\n",
                          p->s.a->alpha, p->s.a->beta, PORTOLAN_ASSEMBLY_EPSILON);
    portolan_text_add(&out, "%-*s%9s%11s%11s%11s%9s\n", width, "call path", "calls", "inclusive",
                      "exclusive", "MPI", "share");
    put_tree(&out, p, width);
    return portolan_text_take(&out, text, err);
}

static void range_text(const struct portolan_model *m, char *text, size_t size_bytes)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t k = 0; k < portolan_model_n_params(m) && used < size_bytes; k++) {
        const struct portolan_model_range *range = portolan_model_peek_range(m, k);

        used += (size_t)snprintf(text + used, size_bytes - used, "%s%s %.4g..%.4g", k ? ", " : "",
                                 portolan_model_peek_param(m, k), range->min, range->max);
    }
    if (!text[0])
        snprintf(text, size_bytes, "constant");
}

static const char *quantity_word(const char *quantity)
{
    return strcmp(quantity, "exclusive_ns") == 0   ? "time"
           : strcmp(quantity, "exclusive_us") == 0 ? "time, us"
           : strcmp(quantity, "exclusive_ms") == 0 ? "time, ms"
           : strcmp(quantity, "exclusive_s") == 0  ? "time, s"
           : strcmp(quantity, "setup_ns") == 0     ? "set-up"
                                                   : quantity;
}

/* Writes a formula, each of its pieces on its own line. */
static void put_formula(struct portolan_text *out, const struct portolan_plan_model *m,
                        const char *residual, const char *range)
{
    const char *formula = portolan_model_peek_formula(m->model);
    bool several = portolan_model_n_pieces(m->model) > 1;
    size_t length = several ? strcspn(formula, ";") : strlen(formula);
    int room = strlen(quantity_word(m->quantity)) < 7 ? 7 : 9;

    portolan_text_add(out, " %-*s%-*.*s", room, quantity_word(m->quantity), 39 - room, (int)length,
                      formula);
    if (length > (size_t)(39 - room))
        portolan_text_add(out, "\n  %-28s %-7s%-32s", "", "", "");
    portolan_text_add(out, "%7s  %s\n", residual, range);
    while (several && formula[length]) {
        formula += length + strspn(formula + length, "; ");
        length = strcspn(formula, ";");
        portolan_text_add(out, "  %-28s %-7s%.*s\n", "", "", (int)length, formula);
    }
}

static void put_model(struct portolan_text *out, const struct portolan_plan_model *m)
{
    const struct portolan_model_summary *summary = portolan_model_peek_summary(m->model);
    char name[256], range[160], residual[32] = "-";

    snprintf(name, sizeof name, "%s%s%s%s%s%s",
             m->implementation[0] ? m->implementation : "(fixed)", m->scope[0] ? " (" : "",
             m->scope, m->scope[0] ? ")" : "", m->file ? " " : "", m->file ? m->file : "");
    if (summary->n_points > 1 && !isnan(summary->rms))
        snprintf(residual, sizeof residual, "%.2g%s", 100 * summary->rms,
                 summary->weighting == PORTOLAN_MODEL_RELATIVE ? " %" : "e-2");
    range_text(m->model, range, sizeof range);
    if (strlen(name) > 28)
        portolan_text_add(out, "  %s\n  %-28s", name, "");
    else
        portolan_text_add(out, "  %-28s", name);
    put_formula(out, m, residual, range);
}

/* Returns whether the same line was written before, because often all implementations have the same
 * counts. */
static bool said_before(const struct portolan_plan *p, size_t at)
{
    const struct portolan_plan_model *m = &p->models[at];

    if (strcmp(m->quantity, "calls") != 0)
        return false;
    for (size_t i = at; i-- > 0 && strcmp(p->models[i].path, m->path) == 0;)
        if (strcmp(p->models[i].quantity, "calls") == 0 &&
            strcmp(portolan_model_peek_formula(p->models[i].model),
                   portolan_model_peek_formula(m->model)) == 0)
            return true;
    return false;
}

enum portolan_status portolan_plan_report_models(const struct portolan_plan *p, char **text,
                                                 struct portolan_error *err)
{
    struct portolan_text out = {0};
    const struct portolan_plan_model *models;
    const char *path = "";
    size_t hidden = 0, n = portolan_plan_peek_models(p, &models);

    portolan_text_add(
        &out,
        "Models of the core of '%s': exclusive time per call in ns, calls per call of "
        "the caller\n",
        p->s.a->name);
    portolan_text_add(&out, "  %-28s %-7s%-32s%7s  %s\n", "implementation", "of", "formula",
                      "error", "valid for");
    for (size_t i = 0; i < n; i++) {
        const struct portolan_plan_model *m = &models[i];

        /* Set-up costs are in the prediction; here they would hide the models that decide. */
        bool shown = m->core && strcmp(m->quantity, "setup_ns") != 0;

        hidden += !shown;
        if (!shown || said_before(p, i))
            continue;
        if (strcmp(path, m->path) != 0)
            portolan_text_add(&out, "%s\n", path = m->path);
        put_model(&out, m);
    }
    if (hidden)
        portolan_text_add(&out, "(not shown: %zu model%s of set-up and of pruned call paths)\n",
                          hidden, hidden == 1 ? "" : "s");
    return portolan_text_take(&out, text, err);
}

/* ------------------------------------------------- vetoes */

static bool is_bad(const struct portolan_plan *p, const struct survey_quality *q)
{
    double wanted = plan_wanted(p, q->node);

    return q->failed > 0 || (wanted > 0 && q->value > wanted);
}

static void put_veto(const struct survey *s, const struct survey_quality *q,
                     struct portolan_text *out)
{
    const struct survey_node *n = &s->nodes[q->node];

    portolan_text_add(out, "%s=%s  %s(", n->instance, survey_class(s, q->node, q->own), n->method);
    for (int i = 0; i < n->n_context; i++)
        portolan_text_add(out, "%s%s = %g", i ? ", " : "", n->context_name[i], q->context[i]);
    if (q->failed > 0)
        portolan_text_add(out, ") failed");
    else
        portolan_text_add(out, ") had accuracy %.3g", q->value);
    portolan_text_add(out, " in trial %lld\n",
                      (long long)s->trials[s->rows[q->row].trial].trial->id);
}

/* Returns whether two vetoes give the same line, such as those of other steps and ranks of one
 * trial. */
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
    char *blames = NULL;
    enum portolan_status status = portolan_plan_report_blames(s->data, s->a, &blames, err);

    if (status)
        return status;
    portolan_text_add(&out, "%s", blames);
    free(blames);

    for (size_t i = 0; i < s->n_qualities; i++) {
        const struct survey_quality *q = &s->qualities[i];

        if (s->nodes[q->node].variable == NONE || !is_bad(p, q) || plan_is_lifted(p, q) ||
            (last && same_line(s, last, q)))
            continue;
        put_veto(s, q, &out);
        last = q;
    }
    if (!last && !out.length)
        portolan_text_add(&out, "no veto: no failure counts\n");
    return portolan_text_take(&out, text, err);
}
