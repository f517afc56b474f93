/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the meanings of names in formulas. */
#include <portolan/list.h>

#include <ctype.h>
#include <string.h>

#include "clp_source.h"
#include "compose.h"
#include "resolve.h"

static const char *const quantity_words[] = {
#define WORD(name, word) #word,
    HERCULE_QUANTITIES(WORD)};
static const char *const aggregate_words[] = {HERCULE_AGGREGATES(WORD)};
static const char *const global_words[] = {HERCULE_GLOBALS(WORD)
#undef WORD
};
#define COUNT(words) (sizeof(words) / sizeof *(words))

static size_t find_word(const char *const *words, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return HERCULE_NONE;
}

size_t quantity_of_word(const char *word)
{
    return find_word(quantity_words, COUNT(quantity_words), word);
}

size_t global_of_word(const char *word)
{
    return find_word(global_words, COUNT(global_words), word);
}

size_t resolve_outward(const struct resolver *r, const char *kind, const char *context,
                       const char *name)
{
    return paradigm_find(&r->knowledge->arena, r->paradigm, kind, context, name);
}

/* ------------------------------------------------- one name */

struct lookup {
    const struct resolver *r;
    const struct item *item; /* the item whose formula it is */
    size_t event;            /* the event of an attribute */
    const char *name;
    struct reference *found;
};

/* In a nested paradigm, replaces what is of the run by that of the component around it. */
static void localize(const struct lookup *l)
{
    static const enum quantity quantities[N_GLOBALS] = {
        [GLOBAL_MPI_TIME] = QUANTITY_MPI,
        [GLOBAL_MPI_WAIT] = QUANTITY_WAIT,
        [GLOBAL_MPI_COLLECTIVE] = QUANTITY_COLLECTIVE,
    };
    enum quantity quantity = quantities[l->found->index];
    size_t component = paradigm_item(l->r->paradigm, "component", l->item->context);

    if (quantity && component != HERCULE_NONE)
        *l->found = (struct reference){REFERENCE_COMPONENT, component, HERCULE_NONE, quantity,
                                       AGGREGATE_SUM};
}

static size_t attribute_of(const struct lookup *l, size_t event, const char *local)
{
    const struct paradigm *p = l->r->paradigm;

    return paradigm_item(p, "attribute",
                         context_join(&l->r->knowledge->arena, p->events[event].item.name, local));
}

/* Finds a name without a dot, or a metric's name, which may have one. */
static bool find_whole(const struct lookup *l)
{
    size_t at = global_of_word(l->name);

    *l->found =
        (struct reference){REFERENCE_GLOBAL, at, HERCULE_NONE, QUANTITY_VALUE, N_AGGREGATES};
    if (at != HERCULE_NONE) {
        localize(l);
        return true;
    }
    if (l->event != HERCULE_NONE) {
        l->found->attribute = attribute_of(l, l->event, l->name);
        l->found->kind =
            l->found->attribute == HERCULE_NONE ? REFERENCE_EVENT : REFERENCE_ATTRIBUTE;
        l->found->index = l->event;
        at = quantity_of_word(l->name);
        if (at != HERCULE_NONE && l->found->attribute == HERCULE_NONE)
            l->found->quantity = (enum quantity)at;
        return l->found->attribute != HERCULE_NONE || at != HERCULE_NONE;
    }
    l->found->kind = REFERENCE_METRIC;
    l->found->index = resolve_outward(l->r, "metric", l->item->context, l->name);
    return l->found->index != HERCULE_NONE;
}

/* Finds the relation, event or component of that name. */
static bool find_owner(const struct lookup *l, const char *name)
{
    const struct paradigm *p = l->r->paradigm;
    struct reference *found = l->found;

    found->kind = REFERENCE_RELATED;
    found->index = l->event == HERCULE_NONE
                       ? HERCULE_NONE
                       : paradigm_item(p, "related",
                                       context_join(&l->r->knowledge->arena,
                                                    p->events[l->event].item.name, name));
    for (int i = 0; i < 2 && found->index == HERCULE_NONE; i++) {
        found->kind = i ? REFERENCE_COMPONENT : REFERENCE_EVENT;
        found->index = resolve_outward(l->r, i ? "component" : "event", l->item->context, name);
    }
    return found->index != HERCULE_NONE;
}

/* Finds what of the owner is meant: REST is QUANTITY or ATTRIBUTE, and may have an aggregate. */
static bool find_rest(const struct lookup *l, char *rest)
{
    struct reference *found = l->found;
    char *dot = strchr(rest, '.');
    size_t event = found->kind == REFERENCE_EVENT     ? found->index
                   : found->kind == REFERENCE_RELATED ? l->r->paradigm->related[found->index].to
                                                      : HERCULE_NONE;
    size_t aggregate = N_AGGREGATES, quantity;

    if (dot) {
        *dot = 0;
        aggregate = find_word(aggregate_words, COUNT(aggregate_words), dot + 1);
        if (aggregate == HERCULE_NONE)
            return false;
    } else if (l->event == HERCULE_NONE)
        aggregate = AGGREGATE_SUM;
    found->aggregate = (enum aggregate)aggregate;
    found->attribute = event == HERCULE_NONE ? HERCULE_NONE : attribute_of(l, event, rest);
    quantity = quantity_of_word(rest);
    if (found->kind == REFERENCE_COMPONENT && quantity == HERCULE_NONE) {
        const struct component *c = &l->r->paradigm->components[found->index];

        found->attribute = find_word(c->values, c->n_values, rest);
    }
    found->quantity = found->attribute != HERCULE_NONE || quantity == HERCULE_NONE
                          ? QUANTITY_VALUE
                          : (enum quantity)quantity;
    if (found->attribute != HERCULE_NONE && found->kind == REFERENCE_EVENT)
        found->kind = REFERENCE_ATTRIBUTE;
    return found->attribute != HERCULE_NONE || quantity != HERCULE_NONE;
}

/* Finds OWNER.REST, the longest owner first: components of nested paradigms have dots. */
static bool find_parts(const struct lookup *l, bool *has_owner)
{
    struct portolan_arena *arena = &l->r->knowledge->arena;

    for (size_t n = strlen(l->name); n-- > 1;) {
        char *name = l->name[n] == '.' ? portolan_arena_strdup(arena, l->name) : NULL;

        if (!name)
            continue;
        name[n] = 0;
        if (!find_owner(l, name))
            continue;
        *has_owner = true;
        return find_rest(l, name + n + 1);
    }
    return false;
}

/* ------------------------------------------------- messages */

/* Returns the word of NAME that is wrong: the one after its owner, else the first. */
static const char *wrong_word(const struct lookup *l, bool has_owner)
{
    char *word = portolan_arena_strdup(&l->r->knowledge->arena, l->name), *dot;

    while (has_owner && word && (dot = strrchr(word, '.'))) {
        if (find_word(aggregate_words, COUNT(aggregate_words), dot + 1) == HERCULE_NONE)
            return dot + 1;
        *dot = 0;
    }
    if (word)
        word[strcspn(word, ".")] = 0;
    return word ? word : "";
}

/* Returns the word nearest to WRONG of all that are possible there. */
static const char *nearest(const struct lookup *l, const char *wrong, bool has_owner)
{
    static const char *const kinds[] = {"component", "event", "metric"};
    const struct paradigm *p = l->r->paradigm;
    const char *near = NULL;

    if (has_owner)
        near = portolan_nearest_word(wrong, quantity_words, COUNT(quantity_words));
    for (size_t i = 0; has_owner && !near && i < p->n_attributes; i++) {
        const char *local = strrchr(p->attributes[i].item.local, '.') + 1;

        near = portolan_nearest_word(wrong, &local, 1);
    }
    for (size_t k = strchr(l->name, '.') ? 0 : 2; k < COUNT(kinds) && !has_owner && !near; k++)
        near = paradigm_nearest(p, kinds[k], wrong);
    return near;
}

static bool is_in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Returns the place of NAME in the formula. */
static struct place place_in(const struct expression *expression, const char *name)
{
    size_t n = strlen(name);
    const char *text = expression->text, *at = text;

    while ((at = strstr(at, name)) && ((at > text && is_in_name(at[-1])) || is_in_name(at[n])))
        at += n;
    return place_after(expression->place, text, at ? (size_t)(at - text) : 0);
}

static void report(const struct lookup *l, const struct expression *expression, bool has_owner)
{
    const char *wrong = wrong_word(l, has_owner), *near = nearest(l, wrong, has_owner);
    struct place place = place_in(expression, l->name);

    if (has_owner)
        REPORT_AT(l->r->d, place, "'%s': there is no quantity, attribute or aggregate '%s'%s",
                  l->name, wrong, portolan_did_you_mean(near).text);
    else
        REPORT_AT(l->r->d, place, "there is no %s '%s'%s",
                  strchr(l->name, '.') ? "component or event" : "metric", wrong,
                  portolan_did_you_mean(near).text);
}

/* ------------------------------------------------- formulas */

void expression_parse(struct knowledge *knowledge, struct expression *expression,
                      struct portolan_diagnostics *d)
{
    const struct place *place = &expression->place;

    if (expression->formula || !expression->text || !*expression->text)
        return;
    if (portolan_formula_parse(expression->text, strlen(expression->text), place->file, place->line,
                               place->column, d, &expression->formula, NULL) == PORTOLAN_ENOMEM)
        knowledge->arena.failed = true;
    if (expression->formula && !portolan_append(&knowledge->formulas, &knowledge->n_formulas,
                                                &expression->formula, sizeof expression->formula)) {
        portolan_formula_destroy(expression->formula);
        expression->formula = NULL;
        knowledge->arena.failed = true;
    }
}

void expression_resolve(const struct resolver *r, const struct item *item,
                        struct expression *expression, size_t event)
{
    size_t n;

    expression_parse(r->knowledge, expression, r->d);
    if (!expression->formula)
        return;
    n = portolan_formula_n_names(expression->formula);
    expression->references =
        portolan_arena_alloc(&r->knowledge->arena, n, sizeof *expression->references);
    expression->n_references = expression->references ? n : 0;
    for (size_t i = 0; i < expression->n_references; i++) {
        struct lookup l = {r, item, event, portolan_formula_peek_name(expression->formula, i),
                           &expression->references[i]};
        bool has_owner = false;

        if (!find_whole(&l) && !find_parts(&l, &has_owner))
            report(&l, expression, has_owner);
    }
}
