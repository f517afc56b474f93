/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve.h"
#include "clp_source.h"

#include <portolan/list.h>

#include <ctype.h>
#include <string.h>

#include "compose.h"
#include "event_expression.h"

size_t resolve_name(const struct resolver *r, const char *kind, const struct item *item,
                    const char *name)
{
    size_t at = resolve_outward(r, kind, item->context, name);

    if (at == HERCULE_NONE)
        REPORT_AT(r->d, item->place, "there is no %s '%s'%s", kind, name + (*name == '.'),
                  portolan_did_you_mean(paradigm_nearest(r->paradigm, kind, name)).text);
    return at;
}

static size_t *resolve_names(const struct resolver *r, const char *kind, const struct item *item,
                             const char *const *names, size_t n)
{
    size_t *found = portolan_arena_alloc(&r->knowledge->arena, n, sizeof *found);

    for (size_t i = 0; found && i < n; i++)
        found[i] = resolve_name(r, kind, item, names[i]);
    return found;
}

/* ------------------------------------------------- slots */

typedef void slot_fn(const struct resolver *r, const struct fact_kind *kind,
                     const struct slot_kind *slot, struct item *item);

static void for_each_slot(const struct resolver *r, slot_fn *function)
{
    for (const struct fact_kind *kind = fact_kinds; kind < fact_kinds + n_fact_kinds; kind++)
        for (size_t i = 0; i < *kind_count(kind, r->paradigm); i++)
            for (size_t s = 0; s < MOST_SLOTS && kind->slots[s].name; s++)
                function(r, kind, &kind->slots[s], kind_item(kind, r->paradigm, i));
}

/* Resolves a slot. An empty name, and run where a metric is optional, refer to nothing. */
static void resolve_slot(const struct resolver *r, const struct fact_kind *kind,
                         const struct slot_kind *slot, struct item *item)
{
    char *to = (char *)item + slot->to, *found = (char *)item + slot->found;
    size_t at = HERCULE_NONE;
    const char *name;

    (void)kind;
    if (!slot->refers)
        return;
    if (slot->type == SLOT_NAMES) {
        *(size_t **)found = resolve_names(r, slot->refers, item, *(const char ***)to,
                                          *(size_t *)((char *)item + slot->more));
        return;
    }
    name = *(const char **)to;
    if (!slot->otherwise ||
        (*name && (strcmp(slot->refers, "metric") != 0 || strcmp(name, "run") != 0)))
        at = resolve_name(r, slot->refers, item, name);
    if (slot->found)
        *(size_t *)found = at;
}

static void resolve_formula(const struct resolver *r, const struct fact_kind *kind,
                            const struct slot_kind *slot, struct item *item)
{
    bool is_attribute = strcmp(kind->name, "attribute") == 0;
    size_t event = is_attribute ? ((struct attribute *)item)->event : HERCULE_NONE;

    if (slot->type == SLOT_FORMULA && (!is_attribute || event != HERCULE_NONE))
        expression_resolve(r, item, (struct expression *)((char *)item + slot->to), event);
}

/* ------------------------------------------------- circles */

/* Returns the items of its own kind that SLOT of ITEM names, from number 0; HERCULE_NONE: no
 * more. */
static size_t next_of(const struct slot_kind *slot, struct item *item, size_t which)
{
    const struct expression *formula = (void *)((char *)item + slot->to);
    char *found = (char *)item + slot->found;

    if (slot->type == SLOT_NAMES)
        return which < *(size_t *)((char *)item + slot->more) ? (*(size_t **)found)[which]
                                                              : HERCULE_NONE;
    if (slot->type != SLOT_FORMULA)
        return which ? HERCULE_NONE : *(size_t *)found;
    for (size_t k = 0; k < formula->n_references; k++)
        if (formula->references[k].kind == REFERENCE_METRIC && !which--)
            return formula->references[k].index;
    return HERCULE_NONE;
}

static bool walk_circle(const struct resolver *r, const struct fact_kind *kind,
                        const struct slot_kind *slot, size_t i, char *state)
{
    struct item *item = kind_item(kind, r->paradigm, i);
    size_t to;

    state[i] = 1;
    for (size_t which = 0; (to = next_of(slot, item, which)) != HERCULE_NONE; which++) {
        if (state[to] == 1) {
            REPORT_AT(r->d, item->place, "%s '%s' depends on itself, through '%s'", kind->name,
                      item->local, kind_item(kind, r->paradigm, to)->local);
            return false;
        }
        if (!state[to] && !walk_circle(r, kind, slot, to, state))
            return false;
    }
    state[i] = 2;
    return true;
}

/* Checks for circles: slots that name facts of their own kind, and metrics' formulas. */
static void check_circles(const struct resolver *r, const struct fact_kind *kind)
{
    for (size_t s = 0; s < MOST_SLOTS && kind->slots[s].name; s++) {
        const struct slot_kind *slot = &kind->slots[s];
        bool is_of_own_kind = slot->refers && strcmp(slot->refers, kind->name) == 0;
        size_t n = *kind_count(kind, r->paradigm);
        char *state = portolan_arena_alloc(&r->knowledge->arena, n, 1);
        bool is_good =
            is_of_own_kind || (slot->type == SLOT_FORMULA && strcmp(kind->name, "metric") == 0);

        for (size_t i = 0; is_good && state && i < n; i++)
            is_good = state[i] || walk_circle(r, kind, slot, i, state);
    }
}

/* ------------------------------------------------- behaviour */

static void resolve_related(const struct resolver *r, struct related *x)
{
    x->sender = x->receiver = HERCULE_NONE;
    if (x->n_by == 2) {
        x->sender = resolve_name(r, "component", &x->item, x->by[0]);
        x->receiver = resolve_name(r, "component", &x->item, x->by[1]);
    } else if (x->n_by != 1 || !portolan_has_word(" ordinal before after ", x->by[0]))
        REPORT_AT(r->d, x->item.place,
                  "by names two components (by send receive), or is ordinal, before or after");
}

/* Resolves names of an expression, those of an event in a context there, then around it. */
static void resolve_expression(const struct resolver *r, const struct item *item,
                               struct event_expression *e)
{
    static const char *const kinds[] = {"component", "event"};
    const char *near = NULL;

    if (e->kind == EXPRESSION_NAME) {
        e->component = resolve_outward(r, "component", item->context, e->name);
        if (e->component == HERCULE_NONE)
            e->event = resolve_outward(r, "event", item->context, e->name);
        for (size_t i = 0; i < 2 && !near; i++)
            near = paradigm_nearest(r->paradigm, kinds[i], e->name);
        if (e->component == HERCULE_NONE && e->event == HERCULE_NONE)
            REPORT_AT(r->d, e->place, "there is no component '%s'%s", e->name,
                      portolan_did_you_mean(near).text);
    }
    for (struct event_expression *part = e->parts; part; part = part->next)
        resolve_expression(r, item, part);
}

/* Returns the attribute that a constraint of EVENT names; HERCULE_NONE. */
static size_t find_attribute(const struct paradigm *p, size_t event, const char *name, bool is_same)
{
    for (size_t i = 0; i < p->n_attributes; i++) {
        const struct attribute *a = &p->attributes[i];

        if ((a->event != event) == is_same && strcmp(strrchr(a->item.local, '.') + 1, name) == 0 &&
            strcmp(a->item.context, p->events[event].item.context) == 0)
            return i;
    }
    return HERCULE_NONE;
}

static void resolve_constraints(const struct resolver *r, size_t event)
{
    struct event *e = &r->paradigm->events[event];
    struct portolan_arena *arena = &r->knowledge->arena;

    for (const char *at = e->constraints; *(at += strspn(at, " ,\n\t"));) {
        size_t n = strcspn(at, ",");
        const char *after = at + n, *name;
        struct constraint c = {HERCULE_NONE, false};
        struct place place = e->constraints_place;

        place.column += (int)(at - e->constraints);
        while (isspace((unsigned char)at[n - 1]))
            n--;
        c.is_same = n > 6 && strncmp(at, "same(", 5) == 0 && at[n - 1] == ')';
        name = c.is_same ? portolan_arena_strndup(arena, at + 5, n - 6)
                         : portolan_arena_strndup(arena, at, n);
        if (name)
            c.attribute = find_attribute(r->paradigm, event, name, c.is_same);
        if (c.attribute == HERCULE_NONE)
            REPORT_AT(
                r->d, place,
                "'%.*s' is not a constraint; write the name of an attribute of event '%s', or "
                "same(NAME) of one of an event within",
                (int)n, at, e->item.name);
        portolan_arena_append(arena, &e->keeps, &e->n_keeps, &c, sizeof c);
        at = after;
    }
}

static void resolve_events(const struct resolver *r)
{
    struct paradigm *p = r->paradigm;

    for (size_t i = 0; i < p->n_events; i++) {
        struct event *e = &p->events[i];

        if (paradigm_item(p, "component", e->item.name) != HERCULE_NONE)
            REPORT_AT(r->d, e->item.place,
                      "'%s' is a component and an event; formulas could mean either",
                      e->item.local);
        e->parsed =
            event_expression_parse(e->expression, e->expression_place, &r->knowledge->arena, r->d);
        if (e->parsed)
            resolve_expression(r, &e->item, e->parsed);
        resolve_constraints(r, i);
    }
}

static bool is_used(const struct event_expression *e, size_t event)
{
    bool is = e->event == event;

    for (const struct event_expression *part = e->parts; part && !is; part = part->next)
        is = is_used(part, event);
    return is;
}

/* Makes automata of events that no other one uses; these are looked for in traces. */
static void make_automata(const struct resolver *r)
{
    const struct paradigm *p = r->paradigm;

    for (size_t i = 0; i < p->n_events && p->n_components <= AUTOMATON_COMPONENTS; i++) {
        struct event *e = &p->events[i];
        bool is_within_others = false;

        for (size_t k = 0; k < p->n_events; k++)
            is_within_others |= k != i && is_used(p->events[k].parsed, i);
        if (!is_within_others &&
            (e->automaton = portolan_arena_alloc(&r->knowledge->arena, 1, sizeof *e->automaton)))
            automaton_make(p->events, i, r->d, e->automaton);
    }
}

/* ------------------------------------------------- checks */

static void check_metrics(const struct resolver *r)
{
    const struct paradigm *p = r->paradigm;

    for (size_t i = 0; i < p->n_metrics; i++) {
        const struct metric *base =
            p->metrics[i].base == HERCULE_NONE ? NULL : &p->metrics[p->metrics[i].base];

        if (base && base->formula.formula && !portolan_formula_n_names(base->formula.formula) &&
            portolan_formula_value(base->formula.formula, NULL) == 0)
            REPORT_AT(r->d, p->metrics[i].item.place,
                      "the base '%s' is always 0, and nothing is a share of it", base->item.local);
    }
}

/* Resolves the parts of a composition, which are metrics, or attributes of its event. */
static void resolve_parts(const struct resolver *r, struct composed *c)
{
    struct portolan_arena *arena = &r->knowledge->arena;
    const char *kind = *c->event_name ? "attribute" : "metric";

    if (!*c->event_name == !*c->metric_name)
        REPORT_AT(r->d, c->item.place, "composed needs an event or a metric");
    c->parts = portolan_arena_alloc(arena, c->n_of, sizeof *c->parts);
    for (size_t i = 0; c->parts && i < c->n_of; i++)
        c->parts[i] = resolve_name(r, kind, &c->item, context_join(arena, c->event_name, c->of[i]));
}

/* Checks the metrics that TEXT, which is at PLACE, shows. */
static void check_text(const struct resolver *r, const struct factor *f, const char *text,
                       struct place place)
{
    for (const char *at = text; (at = strchr(at, '{'));) {
        size_t n = strcspn(++at, "}");
        char *name = portolan_arena_strndup(&r->knowledge->arena, at, n);
        struct item item = f->item;

        item.place = place;
        item.place.column += (int)(at - text);
        if (name)
            resolve_name(r, "metric", &item, name);
    }
}

static void check_nodes(const struct resolver *r)
{
    const struct paradigm *p = r->paradigm;
    size_t n_leaves = 0;

    for (size_t i = 0; i < p->n_nodes; i++) {
        struct node *node = &p->nodes[i];

        if (!*node->threshold_name)
            node->threshold_name = node_words[node->kind];
        n_leaves += node->kind == NODE_CAUSE;
        if (node->kind == NODE_CAUSE && !*node->factor_name)
            REPORT_AT(r->d, node->item.place,
                      "cause '%s' has no factor; name the design decision that it comes from",
                      node->item.local);
    }
    if (p->n_nodes && !n_leaves)
        REPORT_AT(r->d, p->item.place, "the tree of '%s' has no leaf: no node is of kind cause",
                  p->item.name);
}

/* Checks the nodes that a rule of this paradigm names. If the paradigm is nested or woven, the rule
 * may be about nodes of others. */
static void check_rule(const struct resolver *r, const struct rule *rule)
{
    const struct source s = {.arena = &r->knowledge->arena,
                             .file = rule->item.place.file,
                             .first_line = rule->item.place.line,
                             .text = rule->source,
                             .size = strlen(rule->source)};

    for (size_t at = clp_next(&s, 0), value; at < s.size;
         at = clp_next(&s, clp_token_end(&s, at))) {
        struct item item = rule->item;
        const char *name;

        if (s.text[at] != '(' || strcmp(clp_head(&s, at, &value), "node") != 0)
            continue;
        name = clp_token(&s, value);
        item.place = clp_place(&s, value);
        item.place.column = 0; /* columns are unknown, because the rule's name has become longer */
        if (name && !strpbrk(name, "?$&|~:=()\""))
            resolve_name(r, "node", &item, name);
    }
}

void paradigm_resolve(struct knowledge *knowledge, struct paradigm *p,
                      struct portolan_diagnostics *d)
{
    const struct resolver r = {knowledge, p, d};
    int before = d->count;

    for_each_slot(&r, resolve_slot);
    for (size_t i = 0; i < p->n_related; i++)
        resolve_related(&r, &p->related[i]);
    for_each_slot(&r, resolve_formula);
    resolve_events(&r);
    check_metrics(&r);
    for (size_t i = 0; i < p->n_composed; i++)
        resolve_parts(&r, &p->composed[i]);
    for (size_t i = 0; i < p->n_factors; i++) {
        const struct factor *f = &p->factors[i];

        check_text(&r, f, f->remedy, f->remedy_place);
        for (size_t k = 0; k < f->n_evidence; k++)
            check_text(&r, f, f->evidence[k], f->item.place);
    }
    check_nodes(&r);
    for (size_t i = 0; i < p->n_rules; i++)
        if (!strcmp(p->rules[i].item.origin, p->item.name))
            check_rule(&r, &p->rules[i]);
    if (d->count > before || knowledge->arena.failed)
        return;
    for (size_t k = 0; k < n_fact_kinds; k++)
        check_circles(&r, &fact_kinds[k]);
    make_automata(&r);
}
