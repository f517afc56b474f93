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
struct sidl_kept {
    struct sidl_kept *next;
    enum sidl_kept_kind kind;
    void *value;
};

/* While clauses are looked at, what they call is not checked: it could go round for ever. */
static _Thread_local int in_clauses;

/* While constructors run, an object may have the tables of a class that its own one extends. */
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

static void release(enum sidl_kept_kind kind, void *value)
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
        release(kept->kind, kept->value);
        free(kept);
    }
    call->kept = NULL;
}

void sidl_check_judge(struct sidl_check_call *call, const struct sidl_clause *clause,
                      sidl_bool holds)
{
    collect(call);
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

/* Of the class itself or of one that it extends. */
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
        release(kind, value);
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
