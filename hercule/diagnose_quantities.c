/* SPDX-License-Identifier: BSD-3-Clause */
/* Diagnoses a run from quantities of profiles. */
#include <math.h>
#include <string.h>

#include "diagnosis.h"
#include "knowledge.h"
#include "resolve.h"

struct table {
    const struct portolan_quantity *quantities;
    size_t n;
};

/* Looks up the row that REFERENCE means; later rows replace earlier ones. The run is P times T. */
static bool look_up(void *arg, const struct paradigm *p, const struct reference *reference,
                    struct measured *value)
{
    const struct table *t = arg;
    bool is_global = reference->kind == REFERENCE_GLOBAL;
    const char *component = is_global ? "" : p->components[reference->index].item.name;

    if (!is_global &&
        (reference->kind != REFERENCE_COMPONENT || reference->aggregate != AGGREGATE_SUM))
        return false;
    if (is_global && reference->index == GLOBAL_RUN) {
        const struct reference count = {.index = GLOBAL_P}, time = {.index = GLOBAL_T};
        struct measured ranks;

        if (!look_up(arg, p, &count, &ranks) || !look_up(arg, p, &time, value))
            return false;
        value->value *= ranks.value;
        return true;
    }
    for (size_t i = t->n; i-- > 0;) {
        const struct portolan_quantity *q = &t->quantities[i];

        if (strcmp(q->component, component) != 0 ||
            (is_global ? global_of_word(q->quantity) != reference->index
                       : quantity_of_word(q->quantity) != reference->quantity))
            continue;
        *value = (struct measured){q->value, q->spread, q->samples ? q->samples : 1, true, NULL};
        return isfinite(q->value);
    }
    return false;
}

static enum portolan_status check_quantity(const struct paradigm *p,
                                           const struct portolan_quantity *q,
                                           struct portolan_error *err)
{
    if (*q->component && paradigm_item(p, "component", q->component) == HERCULE_NONE)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "paradigm '%s' has no component '%s'",
                                  p->item.name, q->component);
    if ((*q->component ? quantity_of_word(q->quantity) : global_of_word(q->quantity)) ==
        HERCULE_NONE)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no quantity '%s'",
                                  q->quantity);
    return PORTOLAN_OK;
}

enum portolan_status
portolan_diagnosis_of_quantities(const struct portolan_knowledge *knowledge, const char *paradigm,
                                 const struct portolan_quantity *quantities, size_t n,
                                 const struct portolan_threshold *settings, size_t n_settings,
                                 struct portolan_diagnosis **diagnosis, struct portolan_error *err)
{
    struct table table = {quantities, n};
    const struct portolan_diagnosis_options options = {.settings = settings,
                                                       .n_settings = n_settings};
    const struct diagnosis_sources sources = {
        .lookup = look_up, .arg = &table, .options = &options};
    const struct paradigm *p = knowledge_need(knowledge, paradigm, err);
    enum portolan_status status = p ? PORTOLAN_OK : PORTOLAN_ENOTFOUND;

    *diagnosis = NULL;
    for (size_t i = 0; i < n && !status; i++)
        status = check_quantity(p, &quantities[i], err);
    return status ? status : diagnosis_make(p, &sources, diagnosis, err);
}
