/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve.h"

#include <portolan/list.h>

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "compose.h"
#include "event_expression.h"

#define REPORT(r, place, ...)                                                                      \
    portolan_diagnose((r)->d, (place).file, (place).line, (place).column, __VA_ARGS__)

size_t resolve_name(const struct resolver *r, const char *kind_name, const struct item *item,
                    const char *name)
{
    const struct fact_kind *kind = fact_kind_find(kind_name);
    size_t at = resolve_outward(r, kind_name, item->context, name), n;
    const char **known;

    if (at != HERCULE_NONE)
        return at;
    n = *kind_count(kind, r->paradigm);
    known = portolan_arena_alloc(&r->knowledge->arena, n, sizeof *known);
    for (size_t i = 0; known && i < n; i++)
        known[i] = kind_item(kind, r->paradigm, i)->local;
    REPORT(r, item->place, "there is no %s '%s'%s", kind_name, name + (*name == '.'),
           portolan_did_you_mean(portolan_nearest_word(name, known, known ? n : 0)).text);
    return HERCULE_NONE;
}

/* "": none. */
static size_t resolve_optional(const struct resolver *r, const char *kind, const struct item *item,
                               const char *name)
{
    return *name ? resolve_name(r, kind, item, name) : HERCULE_NONE;
}

static size_t *resolve_names(const struct resolver *r, const char *kind, const struct item *item,
                             const char *const *names, size_t n)
{
    size_t *found = portolan_arena_alloc(&r->knowledge->arena, n, sizeof *found);

    for (size_t i = 0; found && i < n; i++)
        found[i] = resolve_name(r, kind, item, names[i]);
    return found;
}

/* ------------------------------------------------- circles */

/* The next ones of item I, by number from 0; HERCULE_NONE ends them. */
typedef size_t (*next_fn)(const struct paradigm *paradigm, size_t i, size_t which);

static bool walk_circle(const struct resolver *r, const struct fact_kind *kind, next_fn next,
                        size_t i, char *state)
{
    size_t to;

    state[i] = 1;
    for (size_t which = 0; (to = next(r->paradigm, i, which)) != HERCULE_NONE; which++) {
        if (state[to] == 1) {
            REPORT(r, kind_item(kind, r->paradigm, i)->place,
                   "%s '%s' goes in a circle: '%s' depends on it", kind->name,
                   kind_item(kind, r->paradigm, i)->local, kind_item(kind, r->paradigm, to)->local);
            return false;
        }
        if (!state[to] && !walk_circle(r, kind, next, to, state))
            return false;
    }
    state[i] = 2;
    return true;
}

static bool check_circles(const struct resolver *r, const char *kind_name, next_fn next)
{
    const struct fact_kind *kind = fact_kind_find(kind_name);
    size_t n = *kind_count(kind, r->paradigm);
    char *state = portolan_arena_alloc(&r->knowledge->arena, n, 1);

    for (size_t i = 0; state && i < n; i++)
        if (!state[i] && !walk_circle(r, kind, next, i, state))
            return false;
    return true;
}

static size_t next_component(const struct paradigm *p, size_t i, size_t which)
{
    return which ? HERCULE_NONE : p->components[i].within;
}

static size_t next_node(const struct paradigm *p, size_t i, size_t which)
{
    for (; which < p->nodes[i].n_under; which++)
        if (p->nodes[i].parents[which] != HERCULE_NONE)
            return p->nodes[i].parents[which];
    return HERCULE_NONE;
}

static size_t next_base(const struct paradigm *p, size_t i, size_t which)
{
    return which ? HERCULE_NONE : p->metrics[i].base;
}

static size_t next_metric(const struct paradigm *p, size_t i, size_t which)
{
    const struct expression *formula = &p->metrics[i].formula;

    for (size_t k = 0; k < formula->n_references; k++)
        if (formula->references[k].kind == REFERENCE_METRIC &&
            formula->references[k].index != HERCULE_NONE && !which--)
            return formula->references[k].index;
    return HERCULE_NONE;
}

/* ------------------------------------------------- kinds of facts */

static void resolve_behaviour(const struct resolver *r)
{
    struct paradigm *p = r->paradigm;

    for (size_t i = 0; i < p->n_components; i++) {
        struct component *c = &p->components[i];

        c->within = resolve_optional(r, "component", &c->item, c->within_name);
        if (kind_find_item(fact_kind_find("event"), p, c->item.name) != HERCULE_NONE)
            REPORT(r, c->item.place, "'%s' is a component and an event; formulas could mean either",
                   c->item.local);
    }
    for (size_t i = 0; i < p->n_related; i++) {
        struct related *x = &p->related[i];

        x->event = resolve_name(r, "event", &x->item, x->event_name);
        x->to = resolve_name(r, "event", &x->item, x->to_name);
        x->sender = x->receiver = HERCULE_NONE;
        if (x->n_by == 2) {
            x->sender = resolve_name(r, "component", &x->item, x->by[0]);
            x->receiver = resolve_name(r, "component", &x->item, x->by[1]);
        } else if (x->n_by != 1 || !portolan_has_word(" ordinal before after ", x->by[0]))
            REPORT(r, x->item.place,
                   "by names two components (by send receive), or is ordinal, before or after");
    }
    for (size_t i = 0; i < p->n_attributes; i++)
        p->attributes[i].event =
            resolve_name(r, "event", &p->attributes[i].item, p->attributes[i].event_name);
    for (size_t i = 0; i < p->n_attributes; i++)
        if (p->attributes[i].event != HERCULE_NONE) {
            struct event *event = &p->events[p->attributes[i].event];

            portolan_arena_append(&r->knowledge->arena, &event->attributes, &event->n_attributes,
                                  &i, sizeof i);
            expression_resolve(r, &p->attributes[i].item, &p->attributes[i].formula,
                               p->attributes[i].event);
        }
}

static void resolve_metrics(const struct resolver *r)
{
    struct paradigm *p = r->paradigm;

    for (size_t i = 0; i < p->n_metrics; i++) {
        struct metric *m = &p->metrics[i];

        m->base = strcmp(m->base_name, "run") == 0
                      ? HERCULE_NONE
                      : resolve_name(r, "metric", &m->item, m->base_name);
        expression_resolve(r, &m->item, &m->formula, HERCULE_NONE);
    }
    for (size_t i = 0; i < p->n_metrics; i++) {
        const struct metric *base =
            p->metrics[i].base == HERCULE_NONE ? NULL : &p->metrics[p->metrics[i].base];

        if (base && base->formula.formula && !base->formula.n_references &&
            portolan_formula_value(base->formula.formula, NULL) == 0)
            REPORT(r, p->metrics[i].item.place,
                   "the base '%s' is always 0, and nothing is a share of it", base->item.local);
    }
}

static void check_event_names(const struct resolver *r, const struct item *item,
                              const struct event_expression *e, const char *const *names, size_t n)
{
    if (e->kind == EXPRESSION_NAME &&
        resolve_outward(r, "component", item->context, e->name) == HERCULE_NONE &&
        resolve_outward(r, "event", item->context, e->name) == HERCULE_NONE)
        portolan_diagnose(r->d, e->file, e->line, e->column, "there is no component '%s'%s",
                          e->name,
                          portolan_did_you_mean(portolan_nearest_word(e->name, names, n)).text);
    for (const struct event_expression *part = e->parts; part; part = part->next)
        check_event_names(r, item, part, names, n);
}

static bool is_in_name(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_-.", c));
}

/* The expression with full names, as the recogniser wants it. */
static const char *with_full_names(const struct resolver *r, const struct event *e)
{
    struct portolan_text text = {.arena = &r->knowledge->arena};

    for (const char *at = e->expression, *end; *at; at = end) {
        const char *name;
        size_t found;

        for (end = at + 1; is_in_name(*at) && is_in_name(*end); end++)
            ;
        name = portolan_arena_strndup(text.arena, at, (size_t)(end - at));
        if (!name)
            break;
        if (is_in_name(*at) &&
            (found = resolve_outward(r, "component", e->item.context, name)) != HERCULE_NONE)
            name = r->paradigm->components[found].item.name;
        else if (is_in_name(*at) &&
                 (found = resolve_outward(r, "event", e->item.context, name)) != HERCULE_NONE)
            name = r->paradigm->events[found].item.name;
        portolan_text_add(&text, "%s", name);
    }
    return text.bytes ? text.bytes : "";
}

/* Expressions are made into automata when a trace is recognised; here, for what is wrong with them.
   Names of an event in a context are looked for there, then around it. */
static void resolve_events(const struct resolver *r)
{
    struct paradigm *p = r->paradigm;
    struct portolan_arena *arena = &r->knowledge->arena;
    const char **names = portolan_arena_alloc(arena, p->n_components + p->n_events, sizeof *names);
    size_t n = 0;

    for (size_t i = 0; names && i < p->n_components; i++)
        names[n++] = p->components[i].item.local;
    for (size_t i = 0; names && i < p->n_events; i++)
        names[n++] = p->events[i].item.local;
    for (size_t i = 0; i < p->n_events; i++) {
        struct event *e = &p->events[i];
        const struct event_expression *parsed = NULL;

        if (!event_expression_parse(e->expression, e->expression_place.file,
                                    e->expression_place.line, e->expression_place.column, arena,
                                    r->d, &parsed, NULL))
            check_event_names(r, &e->item, parsed, names, n);
        e->expression = with_full_names(r, e);
    }
}

/* The names of a composition's parts: its whole's attributes are given without the event. */
static void resolve_composed(const struct resolver *r, struct composed *c)
{
    struct portolan_arena *arena = &r->knowledge->arena;

    c->event = resolve_optional(r, "event", &c->item, c->event_name);
    c->metric = strcmp(c->metric_name, "run") == 0
                    ? HERCULE_NONE
                    : resolve_optional(r, "metric", &c->item, c->metric_name);
    if (!*c->event_name == !*c->metric_name)
        REPORT(r, c->item.place, "composed wants an event or a metric");
    if (*c->metric_name) {
        c->parts = resolve_names(r, "metric", &c->item, c->of, c->n_of);
        return;
    }
    c->parts = portolan_arena_alloc(arena, c->n_of, sizeof *c->parts);
    for (size_t i = 0; c->parts && i < c->n_of; i++)
        c->parts[i] =
            resolve_name(r, "attribute", &c->item, context_join(arena, c->event_name, c->of[i]));
}

static void check_remedy(const struct resolver *r, const struct factor *f)
{
    for (const char *at = f->remedy; (at = strchr(at, '{'));) {
        size_t n = strcspn(++at, "}");
        char *name = portolan_arena_strndup(&r->knowledge->arena, at, n);
        struct item item = f->item;

        item.place = f->remedy_place;
        item.place.column += (int)(at - f->remedy);
        if (name)
            resolve_name(r, "metric", &item, name);
    }
}

static void resolve_factor(const struct resolver *r, struct factor *f)
{
    f->components = resolve_names(r, "component", &f->item, f->of, f->n_of);
    expression_resolve(r, &f->item, &f->by, HERCULE_NONE);
    check_remedy(r, f);
}

static const char *threshold_of(const struct node *node)
{
    static const char *const by_kind[] = {"symptom", "observation", "cause"};

    return *node->threshold_name ? node->threshold_name : by_kind[node->kind];
}

static void resolve_nodes(const struct resolver *r)
{
    struct paradigm *p = r->paradigm;
    size_t n_leaves = 0;

    for (size_t i = 0; i < p->n_nodes; i++) {
        struct node *node = &p->nodes[i];

        node->threshold_name = threshold_of(node);
        resolve_name(r, "threshold", &node->item, node->threshold_name);
        node->parents = resolve_names(r, "node", &node->item, node->under, node->n_under);
        node->metric = resolve_name(r, "metric", &node->item, node->metric_name);
        node->factor = resolve_optional(r, "factor", &node->item, node->factor_name);
        expression_resolve(r, &node->item, &node->condition, HERCULE_NONE);
        if (node->kind == NODE_CAUSE && !*node->factor_name)
            REPORT(r, node->item.place,
                   "cause '%s' has no factor, so nothing could be done about it", node->item.local);
        n_leaves += node->kind == NODE_CAUSE;
    }
    if (p->n_nodes && !n_leaves)
        REPORT(r, p->item.place, "the tree of '%s' has no leaf: no node is of kind cause",
               p->item.name);
}

void paradigm_resolve(struct knowledge *knowledge, struct paradigm *paradigm,
                      struct portolan_diagnostics *d)
{
    struct resolver r = {knowledge, paradigm, d};
    int before = d->count;

    resolve_behaviour(&r);
    resolve_events(&r);
    resolve_metrics(&r);
    for (size_t i = 0; i < paradigm->n_composed; i++)
        resolve_composed(&r, &paradigm->composed[i]);
    for (size_t i = 0; i < paradigm->n_factors; i++)
        resolve_factor(&r, &paradigm->factors[i]);
    resolve_nodes(&r);
    if (d->count > before || knowledge->arena.failed)
        return;
    check_circles(&r, "component", next_component);
    check_circles(&r, "metric", next_base);
    check_circles(&r, "metric", next_metric);
    check_circles(&r, "node", next_node);
}
