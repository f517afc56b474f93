/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Live tables of classes with contracts or hooks. While both are off, their slots hold the
 * implementations themselves, so that a call costs nothing more. Switching stores pointers.
 */
#include <stdlib.h>
#include <string.h>

#include "contract_internal.h"

/* Guarded by the classes' lock; slots are stored under it, and read without. */
static struct sidl_guard *guards;

/* What was set for a class, perhaps before it was first used. */
struct wish {
    struct wish *next;
    enum setting contracts, hooks;
    char class_name[];
};
static struct wish *wishes;

static struct wish *find_wish(const char *class_name)
{
    struct wish *wish = wishes;

    while (wish && strcmp(wish->class_name, class_name) != 0)
        wish = wish->next;
    return wish;
}

/* What is on */

static bool contracts_are_on(const struct sidl_guard *guard, enum setting of_object)
{
    const enum setting s = of_object != FOLLOW ? of_object : guard->contracts;

    return !policy_is_never() && (s == ON || (s == FOLLOW && policy_was_set()));
}

static bool hooks_are_on(const struct sidl_guard *guard, enum setting of_object)
{
    return (of_object != FOLLOW ? of_object : guard->hooks) == ON;
}

static sidl_slot_fn choose(const struct guard_cell *cell, sidl_slot_fn plain, bool contracts,
                           bool hooks)
{
    if (contracts && cell->link)
        return cell->link->check->wrapper;
    return hooks && cell->hook ? cell->hook : plain;
}

static void set_variant(struct sidl_guard *guard, int variant)
{
    const bool contracts = contracts_are_on(guard, variant / 3);
    const bool hooks = hooks_are_on(guard, variant % 3);

    for (size_t t = 0; t < guard->n_tables; t++)
        for (size_t i = 0; i < guard->tables[t].type->n_methods; i++)
            __atomic_store_n(
                &guard->variants[variant][t][i],
                choose(&guard->cells[t][i], guard->tables[t].plain[i], contracts, hooks),
                __ATOMIC_RELEASE);
}

static void set_guard(struct sidl_guard *guard)
{
    for (int v = 0; v < N_VARIANTS; v++)
        if (guard->variants[v])
            set_variant(guard, v);
    for (size_t i = 0; i < guard->n_statics; i++)
        __atomic_store_n(&guard->live_statics[i],
                         choose(&guard->static_cells[i], guard->statics[i],
                                contracts_are_on(guard, FOLLOW), hooks_are_on(guard, FOLLOW)),
                         __ATOMIC_RELEASE);
}

void guard_set_all(void)
{
    class_lock();
    for (struct sidl_guard *guard = guards; guard; guard = guard->next)
        set_guard(guard);
    class_unlock();
}

/* Making and finding guards */

/* In front of every live table lies whose it is. */
static void sign(sidl_slot_fn *live, const struct sidl_guard *guard)
{
    memcpy(live - 1, &guard, sizeof guard);
}

static struct sidl_guard *signature(const void *live)
{
    struct sidl_guard *guard;

    memcpy(&guard, (const sidl_slot_fn *)live - 1, sizeof guard);
    return guard;
}

static void clear_guard(struct sidl_guard *guard)
{
    for (size_t t = 0; guard->cells && t < guard->n_tables; t++)
        free(guard->cells[t]);
    free(guard->cells);
    free(guard->links);
    free(guard->variants[0]);
    free(guard->live_statics);
    free(guard->static_cells);
    free(guard->class_name);
    free(guard);
}

/* Tables and facets are in; the rest is computed here. Takes GUARD over, even on failure. */
static bool finish(struct sidl_guard *guard, const struct sidl_type *type)
{
    const struct wish *wish;

    guard->variants[0] = portolan_calloc(guard->n_tables, sizeof *guard->variants[0]);
    if (!guard->variants[0] || !guard->class_name || !guard_fill(guard, type))
        goto failed;
    for (size_t t = 0; t < guard->n_tables; t++) {
        guard->variants[0][t] = guard->tables[t].live;
        sign(guard->tables[t].live, guard);
    }
    class_lock();
    if ((wish = find_wish(guard->class_name))) {
        guard->contracts = wish->contracts;
        guard->hooks = wish->hooks;
    }
    guard->next = guards;
    guards = guard;
    set_guard(guard);
    class_unlock();
    return true;
failed:
    clear_guard(guard);
    return false;
}

bool guard_make(const struct sidl_class *cls, struct sidl_class_state *state)
{
    struct sidl_guard *guard;

    if (!guard_is_needed(state->facets, state->n_facets) && !guard_has_hooks(state))
        return true;
    guard = portolan_calloc(1, sizeof *guard);
    if (!guard)
        return false;
    guard->class_name = portolan_strdup(cls->name);
    guard->cls = cls;
    guard->chain = state->chain;
    guard->n_chain = state->depth + 1;
    guard->tables = state->tables;
    guard->n_tables = state->n_tables;
    guard->facets = state->facets;
    guard->n_facets = state->n_facets;
    if (!finish(guard, cls->type ? cls->type : cls->implements[0].type))
        return false;
    state->guard = guard;
    return true;
}

/* A copy of the layout that outlives the object it was made for. */
static bool copy_layout(struct sidl_guard *guard, const struct layout *layout)
{
    struct sidl_facet *facets = portolan_calloc(layout->n_facets, sizeof *facets);

    guard->facets = facets;
    guard->tables = portolan_calloc(layout->n_tables, sizeof *guard->tables);
    if (!facets || !guard->tables)
        return false;
    memcpy(facets, layout->facets, layout->n_facets * sizeof *facets);
    guard->n_facets = layout->n_facets;
    guard->n_tables = layout->n_tables;
    for (size_t i = layout->n_facets; i-- > 0;)
        guard->tables[facets[i].table].type = facets[i].type;
    for (size_t t = 0; t < layout->n_tables; t++) {
        struct sidl_table *table = &guard->tables[t];
        const size_t n = table->type->n_methods;
        sidl_slot_fn *slots = portolan_calloc(2 * n + 1, sizeof *slots);

        if (!slots)
            return false;
        table->live = slots + 1;
        table->plain = table->live + n;
        memcpy(table->live + n, t ? (const void *)layout->others[t - 1].d_epv : layout->own,
               n * sizeof *slots);
    }
    return true;
}

static void free_layout(const struct sidl_guard *guard)
{
    for (size_t t = 0; guard->tables && t < guard->n_tables; t++)
        if (guard->tables[t].live)
            free(guard->tables[t].live - 1);
    free(guard->tables);
    free((void *)guard->facets);
}

static bool is_same_class(const struct sidl_guard *guard, const struct sidl_class *cls)
{
    if (guard->cls || guard->n_implements != cls->n_implements ||
        strcmp(guard->class_name, cls->name) != 0)
        return false;
    for (size_t i = 0; i < cls->n_implements; i++)
        if (guard->implements[i].type != cls->implements[i].type ||
            guard->implements[i].epv != cls->implements[i].epv)
            return false;
    return true;
}

static struct sidl_guard *new_by_hand(const struct sidl_class *cls, const struct layout *layout)
{
    struct sidl_guard *guard = portolan_calloc(1, sizeof *guard);
    struct sidl_implements *implements = portolan_calloc(cls->n_implements, sizeof *implements);

    if (!guard || !implements || !copy_layout(guard, layout)) {
        if (guard)
            free_layout(guard);
        free(guard);
        free(implements);
        return NULL;
    }
    memcpy(implements, cls->implements, cls->n_implements * sizeof *implements);
    guard->implements = implements;
    guard->n_implements = cls->n_implements;
    guard->class_name = portolan_strdup(cls->name);
    return guard;
}

bool guard_by_hand(const struct sidl_class *cls, struct layout *layout)
{
    struct sidl_guard *guard;

    class_lock();
    for (guard = guards; guard && !is_same_class(guard, cls);)
        guard = guard->next;
    if (!guard && (guard = new_by_hand(cls, layout))) {
        const struct sidl_guard copy = *guard;

        if (!finish(guard, cls->implements[0].type)) {
            free_layout(&copy);
            free((void *)copy.implements);
            guard = NULL;
        }
    }
    class_unlock();
    for (size_t t = 0; guard && t < guard->n_tables; t++) {
        if (t == 0)
            layout->own = guard->tables[t].live;
        else
            layout->others[t - 1].d_epv = (const void *)guard->tables[t].live;
    }
    return guard != NULL;
}

const void *guard_statics(const struct sidl_class *cls)
{
    const struct sidl_guard *guard = cls->state ? cls->state->guard : NULL;

    return guard && guard->live_statics ? (const void *)guard->live_statics : cls->statics;
}

/* While constructors run, an object may have the table of a class that its own one extends. */
struct sidl_guard *guard_of_checked(const struct sidl_object *object)
{
    struct sidl_guard *guard = signature(__atomic_load_n(&object->self.d_epv, __ATOMIC_ACQUIRE));

    return guard ? guard : object->cls->state->guard;
}

static struct sidl_guard *guard_of(const struct sidl_object *object)
{
    struct sidl_guard *guard;

    if (!object)
        return NULL;
    if (object->cls->state)
        return object->cls->state->guard;
    for (guard = guards; guard && !is_same_class(guard, object->cls);)
        guard = guard->next;
    return guard;
}

/* Objects */

static int variant_of(const struct sidl_guard *guard, const struct sidl_object *object)
{
    const void *own = __atomic_load_n(&object->self.d_epv, __ATOMIC_ACQUIRE);

    for (int v = 1; v < N_VARIANTS; v++)
        if (guard->variants[v] && (const void *)guard->variants[v][0] == own)
            return v;
    return 0;
}

bool guard_hooks_are_on(const struct sidl_guard *guard, const struct sidl_object *object)
{
    return hooks_are_on(guard, variant_of(guard, object) % 3);
}

bool guard_static_hooks_are_on(const struct sidl_guard *guard)
{
    return hooks_are_on(guard, FOLLOW);
}

static bool make_variant(struct sidl_guard *guard, int variant)
{
    sidl_slot_fn **tables, *slots;
    size_t n = guard->n_tables;

    if (guard->variants[variant])
        return true;
    for (size_t t = 0; t < guard->n_tables; t++)
        n += guard->tables[t].type->n_methods;
    tables = portolan_calloc(guard->n_tables, sizeof *tables);
    slots = portolan_calloc(n, sizeof *slots);
    if (!tables || !slots) {
        free(tables);
        free(slots);
        return false;
    }
    for (size_t t = 0; t < guard->n_tables; t++) {
        tables[t] = slots + 1;
        sign(tables[t], guard);
        slots += 1 + guard->tables[t].type->n_methods;
    }
    __atomic_store_n(&guard->variants[variant], tables, __ATOMIC_RELEASE);
    set_variant(guard, variant);
    return true;
}

/* -1: not changed. */
static bool set_object(struct sidl_guard *guard, struct sidl_object *object, int contracts,
                       int hooks)
{
    int variant = variant_of(guard, object);

    variant = (contracts < 0 ? variant / 3 : contracts) * 3 + (hooks < 0 ? variant % 3 : hooks);
    if (!make_variant(guard, variant))
        return false;
    __atomic_store_n(&object->self.d_epv, (const void *)guard->variants[variant][0],
                     __ATOMIC_RELEASE);
    for (size_t t = 1; t < guard->n_tables; t++)
        __atomic_store_n(&object->others[t - 1].d_epv, (const void *)guard->variants[variant][t],
                         __ATOMIC_RELEASE);
    return true;
}

static void clear_counters(struct sidl_guard *guard)
{
    for (size_t i = 0; i < guard->n_links; i++) {
        __atomic_store_n(&guard->links[i].tries, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&guard->links[i].failures, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&guard->links[i].exceptions, 0, __ATOMIC_RELAXED);
    }
}

void guard_clear_all_counters(void)
{
    class_lock();
    for (struct sidl_guard *guard = guards; guard; guard = guard->next)
        clear_counters(guard);
    class_unlock();
}

static void set_counters(struct sidl_guard *guard, bool reset, const char *estimates,
                         sidl_BaseInterface *_ex)
{
    if (reset)
        clear_counters(guard);
    if (estimates)
        report_read_estimates(guard, estimates, _ex);
}

void sidl_object_set_contracts(void *reference, sidl_bool enable, const char *estimates,
                               sidl_bool reset_counters, sidl_BaseInterface *_ex)
{
    struct sidl_object *object = sidl_reference_peek(reference);
    struct sidl_guard *guard;

    *_ex = NULL;
    class_lock();
    guard = guard_of(object);
    if (guard && !set_object(guard, object, enable ? ON : OFF, -1))
        sidl_exception_throw_no_memory(_ex);
    else if (guard)
        set_counters(guard, reset_counters, estimates, _ex);
    class_unlock();
}

void sidl_object_set_hooks(void *reference, sidl_bool enable, sidl_BaseInterface *_ex)
{
    struct sidl_object *object = sidl_reference_peek(reference);
    struct sidl_guard *guard;

    *_ex = NULL;
    class_lock();
    guard = guard_of(object);
    if (guard && !set_object(guard, object, -1, enable ? ON : OFF))
        sidl_exception_throw_no_memory(_ex);
    class_unlock();
}

void sidl_object_dump_stats(void *reference, const char *file, const char *prefix,
                            sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    class_lock();
    report_dump(guard_of(sidl_reference_peek(reference)), file, prefix, _ex);
    class_unlock();
}

/* Classes */

static struct wish *get_wish(const char *class_name, sidl_BaseInterface *_ex)
{
    struct wish *wish = find_wish(class_name);

    if (wish)
        return wish;
    wish = portolan_calloc(1, sizeof *wish + strlen(class_name) + 1);
    if (!wish) {
        sidl_exception_throw_no_memory(_ex);
        return NULL;
    }
    strcpy(wish->class_name, class_name);
    wish->next = wishes;
    wishes = wish;
    return wish;
}

void sidl_class_set_contracts(const char *class_name, sidl_bool enable, const char *estimates,
                              sidl_bool reset_counters, sidl_BaseInterface *_ex)
{
    struct wish *wish;

    *_ex = NULL;
    class_lock();
    if ((wish = get_wish(class_name, _ex)))
        wish->contracts = enable ? ON : OFF;
    for (struct sidl_guard *guard = guards; wish && guard; guard = guard->next) {
        if (strcmp(guard->class_name, class_name) != 0)
            continue;
        guard->contracts = wish->contracts;
        set_guard(guard);
        if (!*_ex)
            set_counters(guard, reset_counters, estimates, _ex);
    }
    class_unlock();
}

void sidl_class_set_hooks(const char *class_name, sidl_bool enable, sidl_BaseInterface *_ex)
{
    struct wish *wish;

    *_ex = NULL;
    class_lock();
    if ((wish = get_wish(class_name, _ex)))
        wish->hooks = enable ? ON : OFF;
    for (struct sidl_guard *guard = guards; wish && guard; guard = guard->next) {
        if (strcmp(guard->class_name, class_name) != 0)
            continue;
        guard->hooks = wish->hooks;
        set_guard(guard);
    }
    class_unlock();
}

void sidl_class_dump_stats(const char *class_name, const char *file, const char *prefix,
                           sidl_BaseInterface *_ex)
{
    struct sidl_guard *guard;

    *_ex = NULL;
    class_lock();
    for (guard = guards; guard && strcmp(guard->class_name, class_name) != 0;)
        guard = guard->next;
    report_dump(guard, file, prefix, _ex);
    class_unlock();
}
