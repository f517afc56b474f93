/* SPDX-License-Identifier: BSD-3-Clause */
#include "vocabulary.h"

#include <string.h>

static const char *const component_words[] = {"communication", "computation", NULL};
static const char *const unit_words[] = {"time", "ratio", "count", "bytes", NULL};
const char *const experiment_words[] = {"profile", "operations", "trace", NULL};
/* They are in the order of enum portolan_removal_kind. */
static const char *const removal_words[] = {"none",       "time",      "imbalance", "static",
                                            "excess",     "variation", "messages",  "cost",
                                            "dependence", "distance",  "network",   NULL};
const char *const node_words[] = {"symptom", "observation", "cause", NULL};

#define AT(fact, member) offsetof(struct fact, member)
#define HEAD(fact, list)                                                                           \
#fact, sizeof(struct fact), offsetof(struct paradigm, list), offsetof(struct paradigm, n_##list)
#define SLOT(slot, fact, member) .name = slot, .to = AT(fact, member)
#define NAME(fact)               SLOT("name", fact, item.name)
#define TEXT(fact)               SLOT("text", fact, item.text), .otherwise = ""
#define NAMES(slot, fact, list)                                                                    \
    SLOT(slot, fact, list), .type = SLOT_NAMES, .more = AT(fact, n_##list)
#define FORMULA(slot, fact, member) SLOT(slot, fact, member), .type = SLOT_FORMULA
#define PLACED(slot, fact, member)                                                                 \
    SLOT(slot, fact, member), .type = SLOT_PLACED, .more = AT(fact, member##_place)
#define ONE_OF(slot, fact, member, list)                                                           \
    SLOT(slot, fact, member), .type = SLOT_WORD, .words = list, .otherwise
#define REFERS(kind, fact, member) .refers = kind, .found = AT(fact, member)

const struct fact_kind fact_kinds[] = {
    /* Rules are no facts, but they are listed, inherited and composed like them. */
    {HEAD(rule, rules), false, {{0}}},
    {HEAD(component, components),
     true,
     {{NAME(component)},
      {TEXT(component)},
      {ONE_OF("kind", component, kind, component_words) = "communication"},
      {SLOT("within", component, within_name), .otherwise = "",
       REFERS("component", component, within)},
      {NAMES("mpi", component, mpi), .otherwise = ""},
      {SLOT("tag", component, tag), .type = SLOT_INTEGER, .otherwise = "-1"},
      {SLOT("to", component, to), .otherwise = ""},
      {SLOT("phase", component, phase), .otherwise = ""},
      {NAMES("values", component, values), .otherwise = ""}}},
    {HEAD(event, events),
     true,
     {{NAME(event)},
      {TEXT(event)},
      {PLACED("expression", event, expression)},
      {PLACED("constraints", event, constraints), .otherwise = ""}}},
    {HEAD(attribute, attributes),
     true,
     {{SLOT("event", attribute, event_name), REFERS("event", attribute, event)},
      {NAME(attribute)},
      {TEXT(attribute)},
      {FORMULA("formula", attribute, formula)}}},
    {HEAD(related, related),
     true,
     {{SLOT("event", related, event_name), REFERS("event", related, event)},
      {SLOT("to", related, to_name), REFERS("event", related, to)},
      {NAMES("by", related, by)},
      {SLOT("as", related, item.name)}}},
    {HEAD(composed, composed),
     false,
     {{SLOT("event", composed, event_name), .otherwise = "", REFERS("event", composed, event)},
      {SLOT("metric", composed, metric_name), .otherwise = "", REFERS("metric", composed, metric)},
      {SLOT("view", composed, view), .otherwise = ""},
      {NAMES("of", composed, of)},
      {SLOT("rest", composed, rest), .otherwise = "unexplained"}}},
    {HEAD(metric, metrics),
     true,
     {{NAME(metric)},
      {TEXT(metric)},
      {FORMULA("formula", metric, formula)},
      {SLOT("base", metric, base_name), .otherwise = "run", REFERS("metric", metric, base)},
      {ONE_OF("unit", metric, unit, unit_words) = "time"},
      {ONE_OF("experiment", metric, experiment, experiment_words) = "trace"}}},
    {HEAD(node, nodes),
     false,
     {{NAME(node)},
      {TEXT(node)},
      {NAMES("under", node, under), .otherwise = "", REFERS("node", node, parents)},
      {ONE_OF("kind", node, kind, node_words) = "symptom"},
      {SLOT("metric", node, metric_name), REFERS("metric", node, metric)},
      {SLOT("threshold", node, threshold_name), .otherwise = "", .refers = "threshold"},
      {FORMULA("condition", node, condition), .otherwise = ""},
      {FORMULA("most", node, most), .otherwise = ""},
      {SLOT("factor", node, factor_name), .otherwise = "", REFERS("factor", node, factor)}}},
    {HEAD(factor, factors),
     false,
     {{NAME(factor)},
      {TEXT(factor)},
      {ONE_OF("removal", factor, removal, removal_words) = "none"},
      {NAMES("of", factor, of), .otherwise = "", REFERS("component", factor, components)},
      {FORMULA("by", factor, by), .otherwise = ""},
      {NAMES("evidence", factor, evidence), .otherwise = ""},
      {PLACED("remedy", factor, remedy)}}},
    {HEAD(threshold, thresholds),
     false,
     {{NAME(threshold)},
      {TEXT(threshold)},
      {SLOT("value", threshold, value), .type = SLOT_NUMBER}}},
    {HEAD(nest, nests),
     false,
     {{SLOT("component", nest, item.name)}, {SLOT("paradigm", nest, paradigm_name)}}},
    {HEAD(weave, weaves),
     false,
     {{SLOT("paradigm", weave, paradigm_name)},
      {SLOT("as", weave, item.name), .otherwise = ""},
      {PLACED("expression", weave, expression)}}},
    /* The last row is the paradigm, which contains the others. */
    {"paradigm",
     sizeof(struct paradigm),
     0,
     0,
     false,
     {{NAME(paradigm)}, {TEXT(paradigm)}, {NAMES("is-a", paradigm, is_a), .otherwise = ""}}},
};
const size_t n_fact_kinds = sizeof fact_kinds / sizeof *fact_kinds - 1;

const struct fact_kind *fact_kind_find(const char *name)
{
    for (size_t i = 0; i <= n_fact_kinds; i++)
        if (strcmp(fact_kinds[i].name, name) == 0)
            return &fact_kinds[i];
    return NULL;
}

void **kind_list(const struct fact_kind *kind, struct paradigm *paradigm)
{
    return (void **)((char *)paradigm + kind->list);
}

size_t *kind_count(const struct fact_kind *kind, const struct paradigm *paradigm)
{
    return (size_t *)((char *)paradigm + kind->n);
}

struct item *kind_item(const struct fact_kind *kind, const struct paradigm *paradigm, size_t i)
{
    char *items = *(char *const *)((const char *)paradigm + kind->list);

    return (struct item *)(items + i * kind->size);
}

size_t kind_find_item(const struct fact_kind *kind, const struct paradigm *paradigm,
                      const char *name)
{
    for (size_t i = 0; i < *kind_count(kind, paradigm); i++)
        if (strcmp(kind_item(kind, paradigm, i)->name, name) == 0)
            return i;
    return HERCULE_NONE;
}

size_t paradigm_item(const struct paradigm *paradigm, const char *kind, const char *name)
{
    return kind_find_item(fact_kind_find(kind), paradigm, name);
}

const char *paradigm_nearest(const struct paradigm *paradigm, const char *kind_name,
                             const char *name)
{
    const struct fact_kind *kind = fact_kind_find(kind_name);
    const struct item *first = kind_item(kind, paradigm, 0);
    size_t n = *kind_count(kind, paradigm);

    return n ? portolan_nearest_member(name, strchr(name, '.') ? &first->name : &first->local, n,
                                       kind->size)
             : NULL;
}
