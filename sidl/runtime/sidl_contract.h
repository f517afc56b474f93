/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * SIDL run time: functions for generated checks of contracts (require, ensure and invariant clauses
 * of Babel 2.0's SIDL). Only generated C files include it; users switch checks with sidl.EnfPolicy
 * and A_B_C__set_contracts. Functions may be called from any thread.
 */
#ifndef SIDL_CONTRACT_H
#define SIDL_CONTRACT_H
#ifndef __cplusplus /* complex numbers are those of C */

#include <complex.h>

#include "sidl.h"

#undef I /* of complex.h: arguments may have these names */
#undef complex

/*
 * A wrapper is in the slot of a method. It enters, checks its clauses of before the call and the
 * invariants, calls the function that sidl_check_enter returned, unless there is an exception by
 * then, checks again, and on a violation releases what the caller will not look at. In wrappers,
 * _check is the struct sidl_check_call.
 */
enum sidl_clause_kind { SIDL_INVARIANT, SIDL_PRECONDITION, SIDL_POSTCONDITION };

struct sidl_clause {
    enum sidl_clause_kind kind;
    const char *label; /* after a blank, or "" */
    const char *text;  /* as written */
    const char *file;
    int line;
};

/* What must be released. */
enum sidl_kept_kind { SIDL_KEPT_STRING, SIDL_KEPT_OBJECT, SIDL_KEPT_ARRAY };

/* What a method that a clause called returned or threw; it lives until the clause is judged. */
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
/** Whether the clause must be checked; then sidl_check_judge follows. */
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

/** A method that a clause calls, of the object itself or static, without checks and hooks. */
SIDL_API sidl_slot_fn sidl_check_method(struct sidl_check_call *call, const struct sidl_type *type,
                                        sidl_bool is_static, size_t slot);
#define SIDL_METHOD(TYPE, SLOT) SIDL_IN_TABLE(TYPE, SLOT, struct TYPE##__epv, FALSE)
#define SIDL_STATIC(TYPE, SLOT) SIDL_IN_TABLE(TYPE, SLOT, struct TYPE##__sepv, TRUE)
#define SIDL_IN_TABLE(TYPE, SLOT, TABLE, IS_STATIC)                                                \
    ((__typeof__(((TABLE *)NULL)->SLOT))sidl_check_method(                                         \
        _check, &TYPE##__type, IS_STATIC, offsetof(TABLE, SLOT) / sizeof(sidl_slot_fn)))

/** Keep the exception and the result of such a method in ROOM. */
SIDL_API sidl_BaseInterface *sidl_check_thrown(struct sidl_check_call *call,
                                               struct sidl_kept *room);
SIDL_API void *sidl_check_keep(struct sidl_check_call *call, struct sidl_kept *room, void *value);
#define SIDL_THROWN sidl_check_thrown(_check, &(struct sidl_kept){.value = NULL})
#define SIDL_KEEP(KIND, VALUE)                                                                     \
    sidl_check_keep(_check, &(struct sidl_kept){.kind = SIDL_KEPT_##KIND}, (VALUE))
/** REFERENCE as one of that type, for arguments; NULL when it is not. */
#define SIDL_CAST(REFERENCE, TYPE) SIDL_KEEP(OBJECT, sidl_reference_cast((REFERENCE), (TYPE), NULL))

/* Arithmetic: 64-bit integers that wrap around; shifts that are defined. */
#define SIDL_INT(OPERATOR, A, B) ((int64_t)((uint64_t)(A)OPERATOR(uint64_t)(B)))

static inline int64_t sidl_int_shl(int64_t a, int64_t n)
{
    return n < 0 || n > 63 ? 0 : (int64_t)((uint64_t)a << n);
}

/* Arithmetic shift: the sign is kept. */
static inline int64_t sidl_int_shr(int64_t a, int64_t n)
{
    return n < 0 || n > 63 ? (a < 0 ? -1 : 0) : a >> n;
}

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

static inline double sidl_real_mod(double a, double b)
{
    return a - b * __builtin_floor(a / b);
}

/** NULL strings count as "". */
SIDL_API int sidl_string_compare(const char *a, const char *b);

/* SIDL's complex numbers are laid out as C's. */
union sidl_dcomplex_layout {
    struct sidl_dcomplex pair;
    double _Complex value;
};
union sidl_fcomplex_layout {
    struct sidl_fcomplex pair;
    float _Complex value;
};
#define SIDL_COMPLEX(TYPE, PAIR) ((double _Complex)((union TYPE##_layout){.pair = (PAIR)}).value)
#define SIDL_PAIR(TYPE, COMPLEX) (((union TYPE##_layout){.value = (COMPLEX)}).pair)

/* The built-in functions. */

/** A number, or an array as an argument. */
struct sidl_operand {
    sidl_bool is_array, is_integer;
    const struct sidl__array *array; /* NULL: no elements */
    int64_t integer;
    double _Complex value;
};
SIDL_API struct sidl_operand sidl_operand_array(const void *array);
SIDL_API struct sidl_operand sidl_operand_integer(int64_t value);
SIDL_API struct sidl_operand sidl_operand_number(double _Complex value);

/*
 * They use all elements of arrays of any dimension, order and stride. Arrays are compared index by
 * index from their lower bounds on; when the shapes differ, nothing is equal, less or greater.
 * A NULL array has no elements: all and none hold, any does not, sums and extrema are 0. RELATION
 * is an operator as written: "<=".
 */
SIDL_API int64_t sidl_contract_count(const char *relation, struct sidl_operand a,
                                     struct sidl_operand b);
SIDL_API sidl_bool sidl_contract_all(const char *relation, struct sidl_operand a,
                                     struct sidl_operand b);
/** Whether LOW - TOLERANCE <= element <= HIGH + TOLERANCE for all elements of A. */
SIDL_API sidl_bool sidl_contract_range(struct sidl_operand a, struct sidl_operand low,
                                       struct sidl_operand high, struct sidl_operand tolerance);
/** Whether |a - b| <= TOLERANCE, element by element. */
SIDL_API sidl_bool sidl_contract_near_equal(struct sidl_operand a, struct sidl_operand b,
                                            double tolerance);
/** Whether RELATION holds for no element and the next one, in the order of a column-major array. */
SIDL_API sidl_bool sidl_contract_nowhere(const char *relation, struct sidl_operand a);
/** The first element in the order RELATION: the least for "<", the greatest for ">". */
SIDL_API struct sidl_operand sidl_contract_first(const char *relation, struct sidl_operand a);
SIDL_API struct sidl_operand sidl_contract_sum(struct sidl_operand a);

/* These release outputs that the caller will not read. */
SIDL_API void sidl_release(enum sidl_kept_kind kind, void *value);
#define SIDL_DROP_STRING(PLACE) (sidl_release(SIDL_KEPT_STRING, (PLACE)), (PLACE) = NULL)
#define SIDL_DROP_OBJECT(PLACE) (sidl_release(SIDL_KEPT_OBJECT, (PLACE)), (PLACE) = NULL)
#define SIDL_DROP_ARRAY(PLACE)  (sidl_release(SIDL_KEPT_ARRAY, (PLACE)), (PLACE) = NULL)
#define SIDL_DROP_STRUCT(TYPE, PLACE)                                                              \
    do {                                                                                           \
        sidl_BaseInterface sidl__ignored = NULL;                                                   \
        TYPE##__destroy((PLACE), &sidl__ignored);                                                  \
        SIDL_CLEAR(sidl__ignored);                                                                 \
        memset((PLACE), 0, sizeof *(PLACE));                                                       \
    } while (0)

#endif
#endif
