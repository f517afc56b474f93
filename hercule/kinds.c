/* SPDX-License-Identifier: BSD-3-Clause */
#include "kinds.h"

#include <string.h>

static const char *const component_words[] = {"communication", "computation", NULL};
static const char *const unit_words[] = {"time", "ratio", "count", "bytes", NULL};
static const char *const experiment_words[] = {"profile", "operations", "trace", NULL};
/* In the order of enum portolan_removal_kind. */
static const char *const removal_words[] = {"none",      "time",     "imbalance", "excess",
                                            "variation", "messages", "cost",      "dependence",
                                            "distance",  "network",  NULL};
static const char *const node_words[] = {"symptom", "observation", "cause", NULL};

#define AT(type, member) offsetof(struct type, member)
#define HEAD(type, list)                                                                           \
#type, sizeof(struct type), offsetof(struct paradigm, list), offsetof(struct paradigm, n_##list)
#define NAME(type)                                                                                 \
    {                                                                                              \
        "name", SLOT_TEXT, true, AT(type, item.name), 0, NULL                                      \
    }
#define TEXT(type)                                                                                 \
    {                                                                                              \
        "text", SLOT_TEXT, false, AT(type, item.text), 0, NULL                                     \
    }
#define WORD(type, slot, member, needed)                                                           \
    {                                                                                              \
        slot, SLOT_TEXT, needed, AT(type, member), 0, NULL                                         \
    }
#define NAMES(type, slot, list, needed)                                                            \
    {                                                                                              \
        slot, SLOT_NAMES, needed, AT(type, list), AT(type, n_##list), NULL                         \
    }
#define FORMULA(type, slot, member, needed)                                                        \
    {                                                                                              \
        slot, SLOT_FORMULA, needed, AT(type, member), 0, NULL                                      \
    }
#define PLACED(type, slot, member, needed)                                                         \
    {                                                                                              \
        slot, SLOT_PLACED, needed, AT(type, member), AT(type, member##_place), NULL                \
    }
#define ONE_OF(type, slot, member, words)                                                          \
    {                                                                                              \
        slot, SLOT_WORD, false, AT(type, member), 0, words                                         \
    }

const struct fact_kind fact_kinds[] = {
    {HEAD(component, components),
     true,
     {NAME(component),
      TEXT(component),
      ONE_OF(component, "kind", kind, component_words),
      WORD(component, "within", within_name, false),
      NAMES(component, "mpi", mpi, false),
      {"tag", SLOT_INTEGER, false, AT(component, tag), 0, NULL},
      WORD(component, "to", to, false),
      WORD(component, "phase", phase, false)}},
    {HEAD(event, events),
     true,
     {NAME(event), TEXT(event), PLACED(event, "expression", expression, true),
      PLACED(event, "constraints", constraints, false)}},
    {HEAD(attribute, attributes),
     true,
     {WORD(attribute, "event", event_name, true), NAME(attribute), TEXT(attribute),
      FORMULA(attribute, "formula", formula, true)}},
    {HEAD(related, related),
     true,
     {WORD(related, "event", event_name, true), WORD(related, "to", to_name, true),
      NAMES(related, "by", by, true), WORD(related, "as", item.name, true)}},
    {HEAD(composed, composed),
     false,
     {WORD(composed, "event", event_name, false), WORD(composed, "metric", metric_name, false),
      WORD(composed, "view", view, false), NAMES(composed, "of", of, true),
      WORD(composed, "rest", rest, false)}},
    {HEAD(metric, metrics),
     true,
     {NAME(metric), TEXT(metric), FORMULA(metric, "formula", formula, true),
      WORD(metric, "base", base_name, false), ONE_OF(metric, "unit", unit, unit_words),
      ONE_OF(metric, "experiment", experiment, experiment_words)}},
    {HEAD(node, nodes),
     false,
     {NAME(node), TEXT(node), NAMES(node, "under", under, false),
      ONE_OF(node, "kind", kind, node_words), WORD(node, "metric", metric_name, true),
      WORD(node, "threshold", threshold_name, false), FORMULA(node, "condition", condition, false),
      WORD(node, "factor", factor_name, false)}},
    {HEAD(factor, factors),
     false,
     {NAME(factor), TEXT(factor), ONE_OF(factor, "removal", removal, removal_words),
      NAMES(factor, "of", of, false), FORMULA(factor, "by", by, false),
      PLACED(factor, "remedy", remedy, true)}},
    {HEAD(threshold, thresholds),
     false,
     {NAME(threshold),
      TEXT(threshold),
      {"value", SLOT_NUMBER, true, AT(threshold, value), 0, NULL}}},
    {HEAD(nest, nests),
     false,
     {WORD(nest, "component", item.name, true), WORD(nest, "paradigm", paradigm_name, true)}},
    {HEAD(weave, weaves),
     false,
     {WORD(weave, "paradigm", paradigm_name, true), WORD(weave, "as", item.name, false),
      PLACED(weave, "expression", expression, true)}},
    {"paradigm",
     0,
     0,
     0,
     false,
     {{"name", SLOT_TEXT, true, AT(paradigm, item.name), 0, NULL},
      {"text", SLOT_TEXT, false, AT(paradigm, item.text), 0, NULL},
      NAMES(paradigm, "is-a", is_a, false)}},
    /* Rules are no facts, but are listed, inherited and composed like them. */
    {HEAD(rule, rules), false, {{0}}},
};
const size_t n_fact_kinds = sizeof fact_kinds / sizeof *fact_kinds;

const struct fact_kind *fact_kind_find(const char *name)
{
    for (size_t i = 0; i < n_fact_kinds; i++)
        if (strcmp(fact_kinds[i].name, name) == 0)
            return &fact_kinds[i];
    return NULL;
}

const struct slot_kind *slot_kind_find(const struct fact_kind *kind, const char *name)
{
    for (size_t i = 0; i < MOST_SLOTS && kind->slots[i].name; i++)
        if (strcmp(kind->slots[i].name, name) == 0)
            return &kind->slots[i];
    return NULL;
}

void **kind_list(const struct fact_kind *kind, struct paradigm *paradigm)
{
    return (void **)((char *)paradigm + kind->list);
}

size_t *kind_count(const struct fact_kind *kind, struct paradigm *paradigm)
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
    size_t n = *(const size_t *)((const char *)paradigm + kind->n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(kind_item(kind, paradigm, i)->name, name) == 0)
            return i;
    return HERCULE_NONE;
}
