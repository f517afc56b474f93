/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contracts and hooks: the switches, the live tables of classes that have any, and the check of one
 * call. While both are off, slots of live tables hold the implementations themselves, so that a
 * call costs nothing more. Switching stores pointers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <portolan/base.h>

#include "runtime_internal.h"
#include "sidl_ContractClass.h"
#include "sidl_EnfPolicy.h"
#include "sidl_InvViolation.h"
#include "sidl_PostViolation.h"
#include "sidl_PreViolation.h"
#include "sidl_contract.h"

/* The contract of one type for one method in the objects of one class. */
struct sidl_check_link {
    const struct sidl_check *check;
    const struct sidl_guard *guard;
    sidl_slot_fn plain;     /* the implementation */
    sidl_slot_fn next;      /* the next contract's wrapper, the hooks', or PLAIN; atomic */
    bool is_first, is_last; /* among the contracts of one method */
};

/* The setting of a class; FOLLOW: nothing was set, so the policy for all classes holds. */
enum setting { FOLLOW, OFF, ON };

/* The settings of a class, which may be made before it is first used. */
struct class_settings {
    struct class_settings *next;
    enum setting contracts, hooks;
    char class_name[];
};

/* A class with contracts or hooks. */
struct sidl_guard {
    struct sidl_guard *next;
    const struct sidl_class *cls;
    struct sidl_class_state state; /* a copy that shares the class's tables */
    struct sidl_check_link *links; /* those of one method in the order of calls */
    size_t n_links;
    sidl_slot_fn *statics;
    const struct class_settings *settings;
};

/* The policy for all classes */

/* The kinds of clauses in each contract class, as bits; 0: no class has this number. */
enum {
    INVARIANTS = 1 << SIDL_INVARIANT,
    PRECONDITIONS = 1 << SIDL_PRECONDITION,
    POSTCONDITIONS = 1 << SIDL_POSTCONDITION,
    ALL = INVARIANTS | PRECONDITIONS | POSTCONDITIONS
};
static const unsigned kinds[] = {
    [sidl_ContractClass_ALLCLASSES] = ALL,
    [sidl_ContractClass_INVARIANTS] = INVARIANTS,
    [sidl_ContractClass_INVPOST] = INVARIANTS | POSTCONDITIONS,
    [sidl_ContractClass_INVPRE] = INVARIANTS | PRECONDITIONS,
    [sidl_ContractClass_POSTCONDS] = POSTCONDITIONS,
    [sidl_ContractClass_PRECONDS] = PRECONDITIONS,
    [sidl_ContractClass_PREPOST] = PRECONDITIONS | POSTCONDITIONS,
};

/* A contract class, or one of these; atomic. */
enum { NOTHING_SET = -2, NEVER = -1 };
static int32_t policy = NOTHING_SET;

/* FOLLOW: nothing was set for all classes. OFF overrides the setting of a class. */
static enum setting policy_setting(void)
{
    const int32_t p = __atomic_load_n(&policy, __ATOMIC_RELAXED);

    return p == NOTHING_SET ? FOLLOW : p == NEVER ? OFF : ON;
}

static bool policy_takes(enum sidl_clause_kind kind)
{
    const int32_t p = __atomic_load_n(&policy, __ATOMIC_RELAXED);

    return kinds[p < 0 ? sidl_ContractClass_ALLCLASSES : p] >> kind & 1;
}

/* Guarded by the classes' lock, which is also held when slots are stored, but not for reading. */
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
    return cls->type == &sidl_BaseClass__type; /* see adopt_class() in object.c */
}

/*
 * The first contract of a method, NULL when it has none. A method is identified by its function. In
 * a class of SIDL it may have another name in an interface; in a class written by hand, one
 * function may serve several methods, so the names must also agree.
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

/* The hooks' wrapper from the class in the chain that implements PLAIN. */
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

static void set_all_guards(void)
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

/* Adds the contracts of all types of the class, those of parents first. */
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

/* Switching. FOLLOW: leaves the setting unchanged */

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

/* The class sidl.EnfPolicy, which has static methods only */

static void set_policy(int32_t wanted)
{
    __atomic_store_n(&policy, wanted, __ATOMIC_RELAXED);
    set_all_guards();
}

/* Babel's argument clear_stats is ignored, since there are no statistics. */
static void set_all(enum sidl_ContractClass__enum cls, sidl_bool clear_stats,
                    sidl_BaseInterface *_ex)
{
    (void)clear_stats;
    if ((unsigned)cls < sizeof kinds / sizeof *kinds && kinds[cls])
        set_policy((int32_t)cls);
    else
        sidl_exception_throw_text(_ex, "%d is no sidl.ContractClass", (int)cls);
}

static void set_none(sidl_bool clear_stats, sidl_BaseInterface *_ex)
{
    (void)clear_stats;
    (void)_ex;
    set_policy(NEVER);
}

static sidl_bool are_enforcing(sidl_BaseInterface *_ex)
{
    (void)_ex;
    return policy_setting() == ON;
}

static enum sidl_ContractClass__enum get_class(sidl_BaseInterface *_ex)
{
    const int32_t p = __atomic_load_n(&policy, __ATOMIC_RELAXED);

    (void)_ex;
    return p < 0 ? sidl_ContractClass_ALLCLASSES : (enum sidl_ContractClass__enum)p;
}

static const struct sidl_EnfPolicy__sepv statics = {
    .f_setEnforceAll = set_all,
    .f_setEnforceNone = set_none,
    .f_areEnforcing = are_enforcing,
    .f_getContractClass = get_class,
};

static const struct sidl_EnfPolicy__epv no_slots;
RUNTIME_CLASS(sidl_EnfPolicy, "sidl.EnfPolicy", no_slots, .statics = &statics)

/* One call */

/* The result of a method that a clause called. */
struct sidl_kept {
    struct sidl_kept *next;
    enum sidl_kept_kind kind;
    void *value;
};

/*
 * While a clause is evaluated, the methods that it calls are not checked: their contracts could
 * call this method again, without end.
 */
static _Thread_local int in_clauses;

/* While constructors run, an object may have the tables of a class that its own class extends. */
static const struct sidl_guard *guard_in_use(const struct sidl_object *object)
{
    const struct sidl_class_state *state = object->cls->state;
    const void *own = object->self.d_epv;

    for (size_t level = 0; level < state->depth; level++) {
        const struct sidl_class *cls = state->chain[level];

        if (cls && (const void *)cls->state->tables[0].live == own)
            return cls->state->guard;
    }
    return state->guard;
}

static const struct sidl_check_link *find_link(const struct sidl_guard *guard,
                                               const struct sidl_check *check)
{
    const struct sidl_check_link *link = guard->links;

    while (link->check != check)
        link++;
    return link;
}

sidl_slot_fn sidl_check_enter(struct sidl_check_call *call, void *self,
                              const struct sidl_check *check, sidl_BaseInterface *_ex)
{
    memset(call, 0, sizeof *call);
    call->check = check;
    call->_ex = _ex;
    call->link = self ? find_link(guard_in_use(self), check)
                      : __atomic_load_n(&check->of_static, __ATOMIC_ACQUIRE);
    return __atomic_load_n(&call->link->next, __ATOMIC_ACQUIRE);
}

void sidl_check_invariants(struct sidl_check_call *call, void *self)
{
    const struct sidl_class_state *state = &call->link->guard->state;

    for (size_t i = state->n_facets; call->link->is_first && i-- > 0;)
        if (state->facets[i].type->invariants)
            state->facets[i].type->invariants(call, self);
}

sidl_bool sidl_check_wants(const struct sidl_check_call *call, const struct sidl_clause *clause)
{
    if (in_clauses || *call->_ex || !policy_takes(clause->kind))
        return FALSE;
    in_clauses++;
    return TRUE;
}

/* Keeps the first exception of the methods that a clause called, and drops the others. */
static void collect_exceptions(struct sidl_check_call *call)
{
    for (size_t i = 0; i < sizeof call->throwing / sizeof *call->throwing; i++) {
        if (!call->thrown)
            call->thrown = call->throwing[i];
        else
            SIDL_CLEAR(call->throwing[i]);
        call->throwing[i] = NULL;
    }
}

sidl_BaseInterface *sidl_check_ex(struct sidl_check_call *call)
{
    const unsigned n = sizeof call->throwing / sizeof *call->throwing;

    if (call->n_calls && call->n_calls % n == 0)
        collect_exceptions(call);
    return &call->throwing[call->n_calls++ % n];
}

static void throw_violation(struct sidl_check_call *call, const struct sidl_clause *clause)
{
    static const char *const names[] = {"invariant", "precondition", "postcondition"};
    static const struct sidl_type *const types[] = {
        &sidl_InvViolation__type, &sidl_PreViolation__type, &sidl_PostViolation__type};
    sidl_BaseInterface failed = NULL;
    void *violation = sidl_exception_create(types[clause->kind], &failed);
    char *method = portolan_asprintf("%s.%s", call->check->type->name, call->check->method);
    char *note = portolan_asprintf("%s: %s%s%s violated: %s%s%s%s (%s:%d)", method ? method : "",
                                   names[clause->kind], clause->label ? " " : "",
                                   clause->label ? clause->label : "", clause->text,
                                   call->problem ? " [" : "", call->problem ? call->problem : "",
                                   call->problem ? "]" : "", clause->file, clause->line);

    if (violation && note)
        failed = sidl_exception_fill(violation, note, clause->file, clause->line, method);
    else if (violation)
        failed = violation;
    *call->_ex = failed;
    free(method);
    free(note);
}

static void release_value(enum sidl_kept_kind kind, void *value)
{
    if (kind == SIDL_KEPT_STRING)
        sidl_String_free(value);
    else if (kind == SIDL_KEPT_OBJECT)
        sidl_reference_delete(value, NULL);
    else
        sidl__array_deleteRef(value);
}

static void release_kept(struct sidl_check_call *call)
{
    struct sidl_kept *next;

    for (struct sidl_kept *kept = call->kept; kept; kept = next) {
        next = kept->next;
        release_value(kept->kind, kept->value);
        free(kept);
    }
    call->kept = NULL;
}

void sidl_check_judge(struct sidl_check_call *call, const struct sidl_clause *clause,
                      sidl_bool holds)
{
    collect_exceptions(call);
    release_kept(call);
    in_clauses--;
    if (call->thrown)
        *call->_ex = call->thrown;
    else if (!holds || call->problem)
        throw_violation(call, clause);
    call->thrown = NULL;
    call->problem = NULL;
}

sidl_slot_fn sidl_check_method(struct sidl_check_call *call, const struct sidl_type *type,
                               size_t slot)
{
    const struct sidl_class_state *state = &call->link->guard->state;

    return state->tables[layout_find(state->facets, state->n_facets, type->name)->table]
        .plain[slot];
}

/* A static method of the class itself or of one that it extends. */
sidl_slot_fn sidl_check_static(struct sidl_check_call *call, const struct sidl_type *type,
                               size_t slot)
{
    const struct sidl_class_state *state = &call->link->guard->state;

    for (size_t i = 0; i <= state->depth; i++)
        if (state->chain[i] && strcmp(state->chain[i]->name, type->name) == 0)
            return ((const sidl_slot_fn *)state->chain[i]->statics)[slot];
    return NULL;
}

void *sidl_check_keep(struct sidl_check_call *call, enum sidl_kept_kind kind, void *value)
{
    struct sidl_kept *kept = value ? portolan_calloc(1, sizeof *kept) : NULL;

    if (!value)
        return NULL;
    if (!kept) {
        call->problem = "out of memory";
        release_value(kind, value);
        return NULL;
    }
    *kept = (struct sidl_kept){call->kept, kind, value};
    call->kept = kept;
    return value;
}

void *sidl_check_cast(struct sidl_check_call *call, void *reference, const char *type)
{
    return sidl_check_keep(call, SIDL_KEPT_OBJECT, sidl_reference_cast(reference, type, NULL));
}
