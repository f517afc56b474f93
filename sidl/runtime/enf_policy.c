/* SPDX-License-Identifier: BSD-3-Clause */
/* The class sidl.EnfPolicy, which has static methods only: what is enforced in all classes. */
#include "contract_internal.h"
#include "sidl_ContractClass.h"
#include "sidl_EnfPolicy.h"

/* Bits of the kinds of clauses in each class; 0: there is no such class. */
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

enum setting policy_setting(void)
{
    const int32_t p = __atomic_load_n(&policy, __ATOMIC_RELAXED);

    return p == NOTHING_SET ? FOLLOW : p == NEVER ? OFF : ON;
}

bool policy_takes(enum sidl_clause_kind kind)
{
    const int32_t p = __atomic_load_n(&policy, __ATOMIC_RELAXED);

    return kinds[p < 0 ? sidl_ContractClass_ALLCLASSES : p] >> kind & 1;
}

static void set(int32_t wanted)
{
    __atomic_store_n(&policy, wanted, __ATOMIC_RELAXED);
    guard_set_all();
}

/* Babel's argument clear_stats means nothing: there are no statistics. */
static void set_all(enum sidl_ContractClass__enum cls, sidl_bool clear_stats,
                    sidl_BaseInterface *_ex)
{
    (void)clear_stats;
    if ((unsigned)cls < sizeof kinds / sizeof *kinds && kinds[cls])
        set((int32_t)cls);
    else
        sidl_exception_throw_text(_ex, "%d is no sidl.ContractClass", (int)cls);
}

static void set_none(sidl_bool clear_stats, sidl_BaseInterface *_ex)
{
    (void)clear_stats;
    (void)_ex;
    set(NEVER);
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
static const struct sidl_implements implements[] = {{&sidl_EnfPolicy__type, &no_slots}};
static const struct sidl_class class = {.name = "sidl.EnfPolicy",
                                        .version = SIDL_RUNTIME_VERSION,
                                        .size = sizeof(struct sidl_object),
                                        .implements = implements,
                                        .n_implements = 1,
                                        .statics = &statics};

SIDL_API const struct sidl_class *sidl_EnfPolicy__externals(void);

const struct sidl_class *sidl_EnfPolicy__externals(void)
{
    return &class;
}
