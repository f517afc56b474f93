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
static struct class_settings *settings;

/* NULL when memory is out. */
static struct class_settings *settings_of(const char *class_name)
{
    struct class_settings *s = settings;

    while (s && strcmp(s->class_name, class_name) != 0)
        s = s->next;
    if (!s && (s = portolan_calloc(1, sizeof *s + strlen(class_name) + 1))) {
        strcpy(s->class_name, class_name);
        s->next = settings;
        settings = s;
    }
    return s;
}

static bool contracts_are_on(const struct sidl_guard *guard)
{
    const enum setting of_class = guard->settings->contracts;

    return policy_setting() != OFF &&
           (of_class == ON || (of_class == FOLLOW && policy_setting() == ON));
}

/* Tables */

static bool is_by_hand(const struct sidl_class *cls)
{
    return cls->type == &sidl_BaseClass__type; /* see guard_adopt */
}

/*
 * The first contract of a method, NULL when it has none. Contracts of one method have the same
 * function, which in a class of SIDL has one purpose only (perhaps under another name in an
 * interface), in one written by hand also the same name.
 */
static struct sidl_check_link *first_link(const struct sidl_guard *guard, const char *method,
                                          sidl_slot_fn plain)
{
    for (size_t i = 0; plain && i < guard->n_links; i++)
        if (guard->links[i].plain == plain &&
            (!is_by_hand(guard->cls) || strcmp(guard->links[i].check->method, method) == 0))
            return &guard->links[i];
    return NULL;
}

/* The wrapper of the class in the chain whose function it is. */
static sidl_slot_fn hook_of(const struct sidl_guard *guard, sidl_slot_fn plain)
{
    for (size_t i = 0; plain && i <= guard->state.depth; i++) {
        const struct sidl_class *cls = guard->state.chain[i];

        for (size_t k = 0; cls && k < cls->n_hooks; k++) {
            const sidl_slot_fn *own =
                cls->hooks[k].is_static ? cls->statics : cls->implements[0].epv;

            if (own[cls->hooks[k].slot] == plain)
                return cls->hooks[k].wrapper;
        }
    }
    return NULL;
}

static void set_slot(const struct sidl_guard *guard, sidl_slot_fn *live, const char *method,
                     sidl_slot_fn plain, bool contracts, bool hooks)
{
    const struct sidl_check_link *link = contracts ? first_link(guard, method, plain) : NULL;
    const sidl_slot_fn hook = hooks ? hook_of(guard, plain) : NULL;

    __atomic_store_n(live, link ? link->check->wrapper : hook ? hook : plain, __ATOMIC_RELEASE);
}

static void set_guard(const struct sidl_guard *guard)
{
    const bool contracts = contracts_are_on(guard), hooks = guard->settings->hooks == ON;

    for (size_t i = 0; i < guard->n_links; i++)
        if (guard->links[i].is_last)
            set_slot(guard, &guard->links[i].next, "", guard->links[i].plain, false, hooks);
    for (size_t t = 0; t < guard->state.n_tables; t++) {
        const struct sidl_table *table = &guard->state.tables[t];

        for (size_t i = 0; i < table->type->n_methods; i++)
            set_slot(guard, &table->live[i], table->type->methods[i].name, table->plain[i],
                     contracts, hooks);
    }
    for (size_t i = 0; guard->statics && i < guard->cls->n_statics; i++)
        set_slot(guard, &guard->statics[i], "", ((const sidl_slot_fn *)guard->cls->statics)[i],
                 contracts, hooks);
}

void guard_set_all(void)
{
    class_lock();
    for (const struct sidl_guard *guard = guards; guard; guard = guard->next)
        set_guard(guard);
    class_unlock();
}

const void *guard_statics(const struct sidl_class *cls)
{
    const struct sidl_guard *guard = cls->state ? cls->state->guard : NULL;

    return guard && guard->statics ? (const void *)guard->statics : cls->statics;
}

/* Making guards */

bool guard_is_needed(const struct sidl_facet *facets, size_t n_facets)
{
    for (size_t i = 0; i < n_facets; i++)
        if (facets[i].type->n_checks)
            return true;
    return false;
}

static bool has_hooks(const struct sidl_class_state *state)
{
    for (size_t i = 0; i <= state->depth; i++)
        if (state->chain[i] && state->chain[i]->n_hooks)
            return true;
    return false;
}

static void add_link(struct sidl_guard *guard, struct sidl_check *check, sidl_slot_fn plain)
{
    struct sidl_check_link *link = first_link(guard, check->method, plain), *before = NULL;

    for (; link && link < guard->links + guard->n_links; link++)
        if (link->plain == plain)
            before = link;
    link = &guard->links[guard->n_links++];
    *link = (struct sidl_check_link){check, guard, plain, plain, !before, true};
    if (before) {
        before->next = check->wrapper;
        before->is_last = false;
    }
    if (check->is_static)
        __atomic_store_n(&check->of_static, link, __ATOMIC_RELEASE);
}

/* The contracts of all types that the class has, those of parents first. */
static void add_links(struct sidl_guard *guard)
{
    for (size_t i = guard->state.n_facets; i-- > 0;) {
        const struct sidl_facet *facet = &guard->state.facets[i];
        const sidl_slot_fn *slots = guard->state.tables[facet->table].plain;
        const sidl_slot_fn *statics = i == 0 ? guard->cls->statics : NULL; /* its own type's */

        for (size_t k = 0; k < facet->type->n_checks; k++) {
            struct sidl_check *check = &facet->type->checks[k];
            const sidl_slot_fn *plain = check->is_static ? statics : slots;

            if (plain && plain[check->slot])
                add_link(guard, check, plain[check->slot]);
        }
    }
}

static void destroy_guard(struct sidl_guard *guard)
{
    if (!guard)
        return;
    free(guard->statics);
    free(guard->links);
    free(guard);
}

bool guard_make(const struct sidl_class *cls, struct sidl_class_state *state)
{
    struct sidl_guard *guard;
    size_t n_checks = 0;

    if (!guard_is_needed(state->facets, state->n_facets) && !has_hooks(state))
        return true;
    for (size_t i = 0; i < state->n_facets; i++)
        n_checks += state->facets[i].type->n_checks;
    guard = portolan_calloc(1, sizeof *guard);
    if (!guard || !(guard->links = portolan_calloc(n_checks + 1, sizeof *guard->links)) ||
        !(guard->statics = portolan_calloc(cls->n_statics + 1, sizeof *guard->statics)) ||
        !(guard->settings = settings_of(cls->name))) {
        destroy_guard(guard);
        return false;
    }
    guard->cls = cls;
    guard->state = *state;
    add_links(guard);
    set_guard(guard);
    guard->next = guards;
    guards = guard;
    state->guard = guard;
    return true;
}

/* A class written by hand, as a class of SIDL that has neither constructors nor a parent. */
struct adopted {
    struct adopted *next;
    struct sidl_class cls;
    struct sidl_class_state state;
    char name[];
};

static bool is_same_class(const struct sidl_class *a, const struct sidl_class *b)
{
    bool same = strcmp(a->name, b->name) == 0 && a->size == b->size && a->cast == b->cast &&
                a->destroy == b->destroy && a->n_implements == b->n_implements;

    for (size_t i = 0; same && i < a->n_implements; i++)
        same = a->implements[i].type == b->implements[i].type &&
               a->implements[i].epv == b->implements[i].epv;
    return same;
}

static struct adopted *new_adopted(const struct sidl_class *cls)
{
    struct adopted *a = portolan_calloc(1, sizeof *a + strlen(cls->name) + 1);
    struct sidl_implements *implements = portolan_calloc(cls->n_implements, sizeof *implements);

    if (!a || !implements) {
        free(a);
        free(implements);
        return NULL;
    }
    memcpy(implements, cls->implements, cls->n_implements * sizeof *implements);
    a->cls = *cls;
    a->cls.name = strcpy(a->name, cls->name);
    a->cls.implements = implements;
    a->cls.type = &sidl_BaseClass__type;
    a->cls.state = &a->state;
    return a;
}

const struct sidl_class *guard_adopt(const struct sidl_class *cls)
{
    static struct adopted *all;
    struct adopted *a;

    class_lock();
    for (a = all; a && !is_same_class(&a->cls, cls);)
        a = a->next;
    if (!a && (a = new_adopted(cls))) {
        a->next = all;
        all = a;
    }
    class_unlock();
    return a ? &a->cls : NULL;
}

/* Switching. FOLLOW: left as it is */

static void set_class(const char *class_name, enum setting contracts, enum setting hooks,
                      sidl_BaseInterface *_ex)
{
    struct class_settings *s;

    class_lock();
    s = settings_of(class_name);
    if (!s)
        sidl_exception_throw_no_memory(_ex);
    if (s && contracts != FOLLOW)
        s->contracts = contracts;
    if (s && hooks != FOLLOW)
        s->hooks = hooks;
    for (const struct sidl_guard *guard = guards; s && guard; guard = guard->next)
        if (guard->settings == s)
            set_guard(guard);
    class_unlock();
}

void sidl_class_set_contracts(const char *class_name, sidl_bool enable, const char *estimates,
                              sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    if (estimates)
        sidl_exception_throw_text(_ex,
                                  "estimates of times are not read (%s): contracts that are "
                                  "on are checked in every call, pass NULL",
                                  estimates);
    else
        set_class(class_name, enable ? ON : OFF, FOLLOW, _ex);
}

void sidl_class_set_hooks(const char *class_name, sidl_bool enable, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    set_class(class_name, FOLLOW, enable ? ON : OFF, _ex);
}
