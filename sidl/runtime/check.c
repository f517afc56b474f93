/* SPDX-License-Identifier: BSD-3-Clause */
/* One call of a method whose contract is looked at. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract_internal.h"
#include "sidl_InvViolation.h"
#include "sidl_PostViolation.h"
#include "sidl_PreViolation.h"

/* What a method returned to a clause. */
enum kept_kind { KEPT_STRING, KEPT_OBJECT, KEPT_ARRAY };

struct sidl_kept {
    struct sidl_kept *next;
    enum kept_kind kind;
    void *value;
};

/* While clauses are looked at, what they call is not checked: it could go round for ever. */
static _Thread_local int in_clauses;

static void start(struct sidl_check_call *call, const struct sidl_check *check,
                  sidl_BaseInterface *_ex)
{
    memset(call, 0, sizeof *call);
    call->check = check;
    call->_ex = _ex;
    call->is_first = TRUE;
    call->method_us = -1;
    for (int i = 0; i < 3; i++)
        call->part_us[i] = -1;
    call->is_silent = in_clauses > 0 || policy_is_never();
    call->is_timed = !call->is_silent && policy_is_timed();
}

static sidl_slot_fn below(const struct sidl_check_link *link, bool hooks_are_on)
{
    if (link->next)
        return link->next->check->wrapper;
    return link->hook && hooks_are_on ? link->hook : link->plain;
}

sidl_slot_fn sidl_check_enter(struct sidl_check_call *call, void *self,
                              const struct sidl_check *check, sidl_BaseInterface *_ex)
{
    const struct sidl_object *object = self;

    start(call, check, _ex);
    call->guard = guard_of_checked(object);
    for (size_t i = 0; i < call->guard->n_links && !call->link; i++)
        if (call->guard->links[i].check == check)
            call->link = &call->guard->links[i];
    return below(call->link, guard_hooks_are_on(call->guard, object));
}

sidl_slot_fn sidl_check_enter_static(struct sidl_check_call *call, const struct sidl_check *check,
                                     sidl_BaseInterface *_ex)
{
    start(call, check, _ex);
    call->link = __atomic_load_n(check->link, __ATOMIC_ACQUIRE);
    call->guard = call->link->guard;
    return below(call->link, guard_static_hooks_are_on(call->guard));
}

sidl_bool sidl_check_begin(struct sidl_check_call *call, const struct sidl_clause *clauses,
                           size_t n)
{
    bool wanted = false;

    if (call->is_silent || *call->_ex)
        return FALSE;
    for (size_t i = 0; i < n && !wanted; i++)
        wanted = policy_takes(&clauses[i]);
    if (!wanted || !policy_is_due(call->link, clauses[0].kind, call->is_first))
        return FALSE;
    call->is_first = FALSE;
    call->part = clauses[0].kind;
    __atomic_add_fetch(&call->link->tries, 1, __ATOMIC_RELAXED);
    if (call->is_timed)
        call->since_us = policy_now_us();
    in_clauses++;
    return TRUE;
}

/* The first exception of a clause's methods is kept. */
static void collect(struct sidl_check_call *call)
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
        collect(call);
    return &call->throwing[call->n_calls++ % n];
}

sidl_bool sidl_check_wants(const struct sidl_check_call *call, const struct sidl_clause *clause)
{
    return !*call->_ex && !call->thrown && policy_takes(clause);
}

static void *new_violation(enum sidl_clause_kind kind, sidl_BaseInterface *_ex)
{
    switch (kind) {
    case SIDL_PRECONDITION:
        return sidl_PreViolation__create(_ex);
    case SIDL_POSTCONDITION:
        return sidl_PostViolation__create(_ex);
    default:
        return sidl_InvViolation__create(_ex);
    }
}

static void throw_violation(struct sidl_check_call *call, const struct sidl_clause *clause)
{
    static const char *const kinds[] = {"invariant", "precondition", "postcondition"};
    sidl_BaseInterface failed = NULL;
    void *violation = new_violation(clause->kind, &failed);
    char *method = portolan_asprintf("%s.%s", call->check->type->name, call->check->method);
    char *note = portolan_asprintf("%s: %s%s%s violated: %s%s%s%s (%s:%d)", method ? method : "",
                                   kinds[clause->kind], clause->label ? " " : "",
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

void sidl_check_judge(struct sidl_check_call *call, const struct sidl_clause *clause,
                      sidl_bool holds)
{
    collect(call);
    if (!call->thrown && (!holds || call->problem)) {
        __atomic_add_fetch(&call->link->failures, 1, __ATOMIC_RELAXED);
        throw_violation(call, clause);
    }
    call->problem = NULL;
}

static void release(enum kept_kind kind, void *value)
{
    if (kind == KEPT_STRING)
        sidl_String_free(value);
    else if (kind == KEPT_OBJECT)
        sidl_reference_delete(value, NULL);
    else
        sidl__array_deleteRef(value);
}

static void release_kept(struct sidl_check_call *call)
{
    struct sidl_kept *next;

    for (struct sidl_kept *kept = call->kept; kept; kept = next) {
        next = kept->next;
        release(kept->kind, kept->value);
        free(kept);
    }
    call->kept = NULL;
}

void sidl_check_end(struct sidl_check_call *call)
{
    release_kept(call);
    in_clauses--;
    if (call->is_timed)
        call->part_us[call->part] =
            (call->part_us[call->part] > 0 ? call->part_us[call->part] : 0) + policy_now_us() -
            call->since_us;
    if (call->thrown && !*call->_ex)
        *call->_ex = call->thrown;
    else
        SIDL_CLEAR(call->thrown);
    call->thrown = NULL;
}

sidl_bool sidl_check_go(struct sidl_check_call *call)
{
    if (*call->_ex)
        return FALSE;
    if (call->is_timed)
        call->since_us = policy_now_us();
    return TRUE;
}

sidl_bool sidl_check_back(struct sidl_check_call *call)
{
    if (call->is_timed)
        call->method_us = policy_now_us() - call->since_us;
    if (*call->_ex)
        __atomic_add_fetch(&call->link->exceptions, 1, __ATOMIC_RELAXED);
    call->is_returned = !*call->_ex;
    return call->is_returned;
}

sidl_bool sidl_check_leave(struct sidl_check_call *call)
{
    if (call->is_timed)
        policy_note(call->link, call->method_us, call->part_us);
    return call->is_returned && *call->_ex;
}

sidl_slot_fn sidl_check_method(struct sidl_check_call *call, size_t slot)
{
    const struct sidl_guard *guard = call->guard;
    const struct sidl_facet *facet =
        layout_find(guard->facets, guard->n_facets, call->check->type->name);

    return guard->tables[facet->table].plain[slot];
}

/* Of the class itself or of one that it extends. */
sidl_slot_fn sidl_check_static(struct sidl_check_call *call, const struct sidl_type *type,
                               size_t slot)
{
    for (size_t i = 0; i < call->guard->n_chain; i++) {
        const struct sidl_class *cls = call->guard->chain[i];

        if (cls && strcmp(cls->name, type->name) == 0)
            return ((const sidl_slot_fn *)cls->statics)[slot];
    }
    return NULL;
}

static void *keep(struct sidl_check_call *call, enum kept_kind kind, void *value)
{
    struct sidl_kept *kept = value ? portolan_calloc(1, sizeof *kept) : NULL;

    if (!value)
        return NULL;
    if (!kept) {
        call->problem = "out of memory";
        release(kind, value);
        return NULL;
    }
    kept->kind = kind;
    kept->value = value;
    kept->next = call->kept;
    call->kept = kept;
    return value;
}

const char *sidl_check_keep_string(struct sidl_check_call *call, char *text)
{
    return keep(call, KEPT_STRING, text);
}

void *sidl_check_keep_object(struct sidl_check_call *call, void *reference)
{
    return keep(call, KEPT_OBJECT, reference);
}

void *sidl_check_keep_array(struct sidl_check_call *call, void *array)
{
    return keep(call, KEPT_ARRAY, array);
}

void *sidl_check_cast(struct sidl_check_call *call, void *reference, const char *type)
{
    return keep(call, KEPT_OBJECT, sidl_reference_cast(reference, type, NULL));
}
