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

/* A wrapper of one method in the objects of one class. */
struct sidl_check_link {
    const struct sidl_check *check;
    const struct sidl_guard *guard;
    sidl_slot_fn plain; /* the implementation */
    sidl_slot_fn next;  /* what the wrapper of a contract calls; atomic */
    bool is_first;      /* among the wrappers of one method */
};

/* The setting of a class; FOLLOW: nothing was set, so the policy for all classes holds. */
enum setting { FOLLOW, OFF, ON };

/* The settings of a class, which may be made before it is first used. */
struct class_settings {
    struct class_settings *next;
    enum setting of[2]; /* by enum sidl_wrapper */
    char class_name[];
};

/* A class with contracts or hooks. */
struct sidl_guard {
    struct sidl_guard *next;
    const struct sidl_class *cls;
    struct sidl_class_state state; /* a copy that shares the class's tables */
    const struct class_settings *settings;
    sidl_slot_fn *statics; /* after the links */
    size_t n_links;
    struct sidl_check_link links[]; /* contracts of parents first, hooks last */
};

/* The policy for all classes; OFF overrides the settings of classes. Both are atomic. */
static int32_t policy = FOLLOW;
static int32_t policy_class = sidl_ContractClass_ALLCLASSES;

/* Which kinds of clauses each contract class has; none: no class has this number. */
static const unsigned kinds[] = {
    [sidl_ContractClass_ALLCLASSES] = SIDL_INVARIANT | SIDL_PRECONDITION | SIDL_POSTCONDITION,
    [sidl_ContractClass_INVARIANTS] = SIDL_INVARIANT,
    [sidl_ContractClass_INVPOST] = SIDL_INVARIANT | SIDL_POSTCONDITION,
    [sidl_ContractClass_INVPRE] = SIDL_INVARIANT | SIDL_PRECONDITION,
    [sidl_ContractClass_POSTCONDS] = SIDL_POSTCONDITION,
    [sidl_ContractClass_PRECONDS] = SIDL_PRECONDITION,
    [sidl_ContractClass_PREPOST] = SIDL_PRECONDITION | SIDL_POSTCONDITION,
};

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

static bool is_on(const struct sidl_guard *guard, enum sidl_wrapper what)
{
    const enum setting of_class = guard->settings->of[what];
    const int32_t of_all = what == SIDL_HOOKS ? FOLLOW : __atomic_load_n(&policy, __ATOMIC_RELAXED);

    return of_class == ON ? of_all != OFF : of_class == FOLLOW && of_all == ON;
}

/* Tables */

/*
 * Returns whether LINK is one of METHOD. A method is identified by its function. In a class of SIDL
 * it may have another name in an interface; in a class written by hand (see adopt_class() in
 * object.c), one function may serve several methods, so the names must also agree.
 */
static bool is_link_of(const struct sidl_check_link *link, const char *method, sidl_slot_fn plain)
{
    return plain && link->plain == plain &&
           (link->guard->cls->type != &sidl_BaseClass__type ||
            strcmp(link->check->method, method) == 0);
}

/* Sets *SLOT to the first wrapper from FROM on that is switched on, or to the implementation. */
static void set_slot(const struct sidl_guard *guard, sidl_slot_fn *slot, const char *method,
                     sidl_slot_fn plain, const struct sidl_check_link *from)
{
    const struct sidl_check_link *const end = guard->links + guard->n_links;

    while (from < end && !(is_link_of(from, method, plain) &&
                           is_on(guard, from->check->type ? SIDL_CONTRACTS : SIDL_HOOKS)))
        from++;
    __atomic_store_n(slot, from < end ? from->check->wrapper : plain, __ATOMIC_RELEASE);
}

static void set_guard(struct sidl_guard *guard)
{
    const sidl_slot_fn *statics = guard->cls->statics;

    for (struct sidl_check_link *l = guard->links; l < guard->links + guard->n_links; l++)
        set_slot(guard, &l->next, l->check->method, l->plain, l + 1);
    for (size_t t = 0; t < guard->state.n_tables; t++) {
        const struct sidl_table *table = &guard->state.tables[t];

        for (size_t i = 0; i < table->type->n_methods; i++)
            set_slot(guard, &table->live[i], table->type->methods[i].name, table->plain[i],
                     guard->links);
    }
    for (size_t i = 0; i < guard->cls->n_statics; i++)
        set_slot(guard, &guard->statics[i], "", statics[i], guard->links);
}

static void set_guards(void)
{
    class_lock();
    for (struct sidl_guard *guard = guards; guard; guard = guard->next)
        set_guard(guard);
    class_unlock();
}

/* Making guards */

size_t guard_count_checks(const struct sidl_facet *facets, size_t n_facets)
{
    size_t n = 0;

    for (size_t i = 0; i < n_facets; i++)
        n += facets[i].type->n_checks;
    return n;
}

/* Adds CHECK for the method in its slot of TABLE, unless there is none. */
static void add_link(struct sidl_guard *guard, struct sidl_check *check, const sidl_slot_fn *table)
{
    struct sidl_check_link *link = &guard->links[guard->n_links], *other = guard->links;
    const sidl_slot_fn plain = table ? table[check->slot] : NULL;

    if (!plain)
        return;
    while (other < link && !is_link_of(other, check->method, plain))
        other++;
    *link = (struct sidl_check_link){check, guard, plain, plain, other == link};
    guard->n_links++;
    if (check->is_static)
        __atomic_store_n(&check->of_static, link, __ATOMIC_RELEASE);
}

/* Adds the contracts of all types of the class, those of parents first, and then the hooks. */
static void add_links(struct sidl_guard *guard)
{
    const struct sidl_class_state *state = &guard->state;

    for (size_t i = state->n_facets; i-- > 0;) {
        const struct sidl_type *type = state->facets[i].type;
        const sidl_slot_fn *plain = state->tables[state->facets[i].table].plain;

        for (size_t k = 0; k < type->n_checks; k++)
            add_link(guard, &type->checks[k],
                     !type->checks[k].is_static ? plain
                     : i == 0                   ? guard->cls->statics
                                                : NULL);
    }
    for (size_t i = 0; i <= state->depth; i++) {
        const struct sidl_class *cls = state->chain[i];

        for (size_t k = 0; cls && k < cls->n_hooks; k++)
            add_link(guard, &cls->hooks[k],
                     cls->hooks[k].is_static ? cls->statics : cls->implements[0].epv);
    }
}

bool guard_make(const struct sidl_class *cls, struct sidl_class_state *state)
{
    size_t n = guard_count_checks(state->facets, state->n_facets);
    struct sidl_guard *guard;

    for (size_t i = 0; i <= state->depth; i++)
        n += state->chain[i] ? state->chain[i]->n_hooks : 0;
    if (!n)
        return true;
    guard = portolan_calloc(1, sizeof *guard + n * sizeof *guard->links +
                                   cls->n_statics * sizeof *guard->statics);
    if (!guard || !(guard->settings = settings_of(cls->name))) {
        free(guard);
        return false;
    }
    guard->cls = cls;
    guard->state = *state;
    guard->statics = (sidl_slot_fn *)(guard->links + n);
    add_links(guard);
    set_guard(guard);
    guard->next = guards;
    guards = guard;
    state->statics = guard->statics;
    memcpy(state->tables[0].live - 1, &guard, sizeof guard);
    return true;
}

void sidl_class_switch(const char *class_name, enum sidl_wrapper what, sidl_bool enable,
                       sidl_BaseInterface *_ex)
{
    struct class_settings *s;

    *_ex = NULL;
    class_lock();
    if ((s = settings_of(class_name)))
        s->of[what] = enable ? ON : OFF;
    else
        sidl_exception_throw_no_memory(_ex);
    set_guards();
    class_unlock();
}

/* The class sidl.EnfPolicy, which has static methods only */

static void set_policy(enum setting of_all, enum sidl_ContractClass__enum cls)
{
    __atomic_store_n(&policy_class, (int32_t)cls, __ATOMIC_RELAXED);
    __atomic_store_n(&policy, (int32_t)of_all, __ATOMIC_RELAXED);
    set_guards();
}

/* Babel's argument clear_stats is ignored, since there are no statistics. */
static void set_all(enum sidl_ContractClass__enum cls, sidl_bool clear_stats,
                    sidl_BaseInterface *_ex)
{
    (void)clear_stats;
    if ((unsigned)cls < sizeof kinds / sizeof *kinds && kinds[cls])
        set_policy(ON, cls);
    else
        sidl_exception_throw_text(_ex, "%d is not a sidl.ContractClass", (int)cls);
}

static void set_none(sidl_bool clear_stats, sidl_BaseInterface *_ex)
{
    (void)clear_stats;
    (void)_ex;
    set_policy(OFF, sidl_ContractClass_ALLCLASSES);
}

static sidl_bool are_enforcing(sidl_BaseInterface *_ex)
{
    (void)_ex;
    return __atomic_load_n(&policy, __ATOMIC_RELAXED) == ON;
}

static enum sidl_ContractClass__enum get_class(sidl_BaseInterface *_ex)
{
    (void)_ex;
    return (enum sidl_ContractClass__enum)__atomic_load_n(&policy_class, __ATOMIC_RELAXED);
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

/*
 * While a clause is evaluated, the methods that it calls are not checked: their contracts could
 * call this method again, without end.
 */
static _Thread_local int in_clauses;

sidl_slot_fn sidl_check_enter(struct sidl_check_call *call, void *self,
                              const struct sidl_check *check, sidl_BaseInterface *_ex)
{
    /* The guard is kept before the table: while constructors run, that is an extended class's. */
    const struct sidl_check_link *link =
        self ? ((struct sidl_guard *const *)((struct sidl_object *)self)->self.d_epv)[-1]->links
             : __atomic_load_n(&check->of_static, __ATOMIC_ACQUIRE);

    while (link->check != check)
        link++;
    *call = (struct sidl_check_call){.link = link, ._ex = _ex};
    return __atomic_load_n(&link->next, __ATOMIC_ACQUIRE);
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
    if (in_clauses || *call->_ex ||
        !(kinds[__atomic_load_n(&policy_class, __ATOMIC_RELAXED)] & clause->kind))
        return FALSE;
    in_clauses++;
    return TRUE;
}

static void throw_violation(struct sidl_check_call *call, const struct sidl_clause *clause)
{
    static const char *const names[] = {"invariant", "precondition", "postcondition"};
    static const struct sidl_type *const types[] = {
        &sidl_InvViolation__type, &sidl_PreViolation__type, &sidl_PostViolation__type};
    const unsigned kind = clause->kind / 2; /* of 1, 2, 4 */
    const struct sidl_check *check = call->link->check;
    void *violation = sidl_exception_create(types[kind], call->_ex);
    char *method = portolan_asprintf("%s.%s", check->type->name, check->method);
    char *note = portolan_asprintf("%s: %s%s violated: %s%s (%s:%d)", method ? method : "",
                                   names[kind], clause->label, clause->text,
                                   call->divided_by_zero ? " [division by zero]" : "", clause->file,
                                   clause->line);

    if (violation)
        *call->_ex = sidl_exception_fill(violation, note, clause->file, clause->line, method);
    free(method);
    free(note);
}

void sidl_release(enum sidl_kept_kind kind, void *value)
{
    if (kind == SIDL_KEPT_STRING)
        sidl_String_free(value);
    else if (kind == SIDL_KEPT_OBJECT)
        sidl_reference_delete(value, NULL);
    else
        sidl__array_deleteRef(value);
}

struct sidl_kept *sidl_check_keep(struct sidl_check_call *call, struct sidl_kept *room)
{
    room->next = call->kept;
    return call->kept = room;
}

void sidl_check_judge(struct sidl_check_call *call, const struct sidl_clause *clause,
                      sidl_bool holds)
{
    for (const struct sidl_kept *kept = call->kept; kept; kept = kept->next) {
        sidl_release(kept->kind, kept->value);
        if (kept->thrown) { /* the first one is passed on */
            SIDL_CLEAR(*call->_ex);
            *call->_ex = kept->thrown;
        }
    }
    call->kept = NULL;
    in_clauses--;
    if (!*call->_ex && (!holds || call->divided_by_zero))
        throw_violation(call, clause);
    call->divided_by_zero = FALSE;
}

const void *sidl_check_plain(struct sidl_check_call *call, const struct sidl_type *type)
{
    const struct sidl_class_state *state = &call->link->guard->state;

    return state->tables[layout_find(state->facets, state->n_facets, type->name)->table].plain;
}
