/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * SIDL run time: functions for generated checks of contracts (require, ensure and invariant clauses
 * of Babel 2.0's SIDL). Only generated C files include it; users switch checks with sidl.EnfPolicy
 * and A_B_C__set_contracts. Functions may be called from any thread.
 */
#ifndef SIDL_CONTRACT_H
#define SIDL_CONTRACT_H
#ifndef __cplusplus

#include "sidl.h"

/*
 * A wrapper is in the slot of a method. It enters, checks its clauses of before the call and the
 * invariants, calls the function that sidl_check_enter returned, unless there is an exception by
 * then, checks again, and on a violation releases what the caller will not look at. In wrappers,
 * _check is the struct sidl_check_call.
 */
enum sidl_clause_kind { SIDL_INVARIANT = 1, SIDL_PRECONDITION = 2, SIDL_POSTCONDITION = 4 };

struct sidl_clause {
    enum sidl_clause_kind kind;
    const char *label; /* after a blank, or "" */
    const char *text;  /* as written */
    const char *file;
    int line;
};

/* The kind of a thing that must be released. */
enum sidl_kept_kind { SIDL_KEPT_STRING, SIDL_KEPT_OBJECT, SIDL_KEPT_ARRAY };

/*
 * A thing that a method called by a clause returned or threw; it lives until the clause is judged.
 */
struct sidl_kept {
    struct sidl_kept *next;
    enum sidl_kept_kind kind;
    void *value;
    sidl_BaseInterface thrown;
};

/* One call; private to the run time. */
struct sidl_check_call {
    const struct sidl_check_link *link;
    sidl_BaseInterface *_ex; /* the caller's */
    struct sidl_kept *kept;  /* the latest first */
    sidl_bool divided_by_zero;
};

/** The function that the wrapper of CHECK must call; SELF is NULL for a static method. */
SIDL_API sidl_slot_fn sidl_check_enter(struct sidl_check_call *call, void *self,
                                       const struct sidl_check *check, sidl_BaseInterface *_ex);
/** Checks the invariants of all types of the object, in the first of a method's wrappers only. */
SIDL_API void sidl_check_invariants(struct sidl_check_call *call, void *self);
/** Returns whether the clause must be checked; then sidl_check_judge follows. */
SIDL_API sidl_bool sidl_check_wants(const struct sidl_check_call *call,
                                    const struct sidl_clause *clause);
SIDL_API void sidl_check_judge(struct sidl_check_call *call, const struct sidl_clause *clause,
                               sidl_bool holds);

#define SIDL_CLAUSE(KIND, LABEL, TEXT, FILE, LINE, CONDITION)                                      \
    do {                                                                                           \
        static const struct sidl_clause _clause = {SIDL_##KIND, LABEL, TEXT, FILE, LINE};          \
                                                                                                   \
        if (sidl_check_wants(_check, &_clause))                                                    \
            sidl_check_judge(_check, &_clause, (CONDITION));                                       \
    } while (0)

/** TYPE's table in the class of the object, without checks and hooks. */
SIDL_API const void *sidl_check_plain(struct sidl_check_call *call, const struct sidl_type *type);
/** A method that a clause calls, of the object or static; its own clauses are not checked. */
#define SIDL_METHOD(TYPE, SLOT)                                                                    \
    (((const struct TYPE##__epv *)sidl_check_plain(_check, &TYPE##__type))->SLOT)
#define SIDL_STATIC(TYPE, SLOT) SIDL_STATIC_SLOT(TYPE##__statics(SIDL_THROWN), SLOT)

/** Keeps what such a method returns or throws. */
SIDL_API struct sidl_kept *sidl_check_keep(struct sidl_check_call *call, struct sidl_kept *room);
#define SIDL_THROWN (&sidl_check_keep(_check, &(struct sidl_kept){.value = NULL})->thrown)
#define SIDL_KEEP(KIND, VALUE)                                                                     \
    (sidl_check_keep(_check, &(struct sidl_kept){NULL, SIDL_KEPT_##KIND, (VALUE), NULL})->value)
/** REFERENCE as one of that type, for arguments; NULL when it is not. */
#define SIDL_CAST(REFERENCE, TYPE) SIDL_KEEP(OBJECT, sidl_reference_cast((REFERENCE), (TYPE), NULL))

/* Arithmetic: 64-bit integers that wrap around. */
#define SIDL_INT(OPERATOR, A, B) ((int64_t)((uint64_t)(A)OPERATOR(uint64_t)(B)))

static inline int64_t sidl_int_div(struct sidl_check_call *call, int64_t a, int64_t b)
{
    call->divided_by_zero |= b == 0;
    return b == 0 ? 0 : b == -1 ? SIDL_INT(-, 0, a) : a / b;
}

/* The remainder with the sign of A … */
static inline int64_t sidl_int_rem(struct sidl_check_call *call, int64_t a, int64_t b)
{
    return SIDL_INT(-, a, SIDL_INT(*, b, sidl_int_div(call, a, b)));
}

/* … and of B. */
static inline int64_t sidl_int_mod(struct sidl_check_call *call, int64_t a, int64_t b)
{
    const int64_t rest = sidl_int_rem(call, a, b);

    return rest && (rest < 0) != (b < 0) ? rest + b : rest;
}

/** NULL strings count as "". */
static inline int sidl_string_compare(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* The built-in functions. */

/** A number, or an array as an argument. */
struct sidl_operand {
    sidl_bool is_array, is_integer;
    const struct sidl__array *array; /* NULL: no elements */
    int64_t integer;
    double value;
};

static inline struct sidl_operand sidl_operand_array(const void *array)
{
    return (struct sidl_operand){TRUE, FALSE, (const struct sidl__array *)array, 0, 0};
}

static inline struct sidl_operand sidl_operand_integer(int64_t value)
{
    return (struct sidl_operand){FALSE, TRUE, NULL, value, (double)value};
}

static inline struct sidl_operand sidl_operand_number(double value)
{
    return (struct sidl_operand){FALSE, FALSE, NULL, 0, value};
}

/*
 * They use all elements of arrays of any dimension, order and stride. Arrays are compared index by
 * index from their lower bounds on; when the shapes differ, nothing is equal, less or greater.
 * A NULL array has no elements: all and none hold, any does not, sums and extrema are 0. RELATION
 * is an operator as written: "<="; or "~", |a - b| <= TOLERANCE.
 */
SIDL_API int64_t sidl_contract_count(const char *relation, struct sidl_operand a,
                                     struct sidl_operand b, double tolerance);
SIDL_API sidl_bool sidl_contract_all(const char *relation, struct sidl_operand a,
                                     struct sidl_operand b, double tolerance);
/** Returns whether LOW - TOLERANCE <= element <= HIGH + TOLERANCE for all elements of A. */
SIDL_API sidl_bool sidl_contract_range(struct sidl_operand a, struct sidl_operand low,
                                       struct sidl_operand high, struct sidl_operand tolerance);
/** Returns whether RELATION holds for no element and the next one, in the order of a column-major
 * array. */
SIDL_API sidl_bool sidl_contract_nowhere(const char *relation, struct sidl_operand a);
/** The sum of the elements for "+", the least for "<", the greatest for ">". */
SIDL_API struct sidl_operand sidl_contract_fold(const char *how, struct sidl_operand a);

/* These release outputs that the caller will not read. */
SIDL_API void sidl_release(enum sidl_kept_kind kind, void *value);
#define SIDL_DROP(KIND, PLACE) (sidl_release(SIDL_KEPT_##KIND, (PLACE)), (PLACE) = NULL)
#define SIDL_DROP_STRUCT(TYPE, PLACE)                                                              \
    do {                                                                                           \
        sidl_BaseInterface sidl__ignored = NULL;                                                   \
        TYPE##__destroy((PLACE), &sidl__ignored);                                                  \
        SIDL_CLEAR(sidl__ignored);                                                                 \
        memset((PLACE), 0, sizeof *(PLACE));                                                       \
    } while (0)

#endif
#endif
