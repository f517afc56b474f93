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
#include <math.h>

#include "sidl.h"

#undef I /* of complex.h: arguments may have these names */
#undef complex

/*
 * A wrapper is in the slot of a method and does this (without `self` when the method is static):
 *
 *   struct sidl_check_call _call, *const _check = &_call;
 *   const sidl_slot_fn _next = sidl_check_enter(_check, self, &T__checks[0], _ex);
 *   SIDL_CLAUSE(_check, &T__clauses[0], CONDITION);
 *   sidl_check_invariants(_check, self);
 *   if (*_ex)
 *       return _retval;
 *   _retval = (…_next)(self, …, _ex);
 *   if (*_ex)
 *       return _retval;
 *   … what must hold afterwards …
 *   if (*_ex) {
 *       … release what the caller will not look at …
 *   }
 *   return _retval;
 */
enum sidl_clause_kind { SIDL_INVARIANT, SIDL_PRECONDITION, SIDL_POSTCONDITION };

struct sidl_clause {
    const char *label; /* NULL: it has none */
    const char *text;  /* as written */
    const char *file;
    int line;
    enum sidl_clause_kind kind;
};

/* One call; private to the run time. */
struct sidl_check_call {
    const struct sidl_check *check;
    const struct sidl_check_link *link;
    sidl_BaseInterface *_ex;        /* the caller's */
    sidl_BaseInterface thrown;      /* by a method that a clause called */
    sidl_BaseInterface throwing[8]; /* one for each such call, used in turn */
    unsigned n_calls;
    const char *problem;    /* why a clause has no value */
    struct sidl_kept *kept; /* results of such methods */
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

#define SIDL_CLAUSE(CALL, CLAUSE, CONDITION)                                                       \
    do {                                                                                           \
        if (sidl_check_wants((CALL), (CLAUSE)))                                                    \
            sidl_check_judge((CALL), (CLAUSE), (CONDITION));                                       \
    } while (0)

/* The methods that clauses call, of the object itself or static, without checks and hooks. */
SIDL_API sidl_slot_fn sidl_check_method(struct sidl_check_call *call, const struct sidl_type *type,
                                        size_t slot);
SIDL_API sidl_slot_fn sidl_check_static(struct sidl_check_call *call, const struct sidl_type *type,
                                        size_t slot);
/** Room for the exception of such a method. */
SIDL_API sidl_BaseInterface *sidl_check_ex(struct sidl_check_call *call);
/** Keeps the result of such a method until the clause has been checked. */
enum sidl_kept_kind { SIDL_KEPT_STRING, SIDL_KEPT_OBJECT, SIDL_KEPT_ARRAY };
SIDL_API void *sidl_check_keep(struct sidl_check_call *call, enum sidl_kept_kind kind, void *value);
/** REFERENCE as one of that type, for arguments; NULL when it is not. */
SIDL_API void *sidl_check_cast(struct sidl_check_call *call, void *reference, const char *type);

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

static inline sidl_bool sidl_check_divides(struct sidl_check_call *call, int64_t b)
{
    if (b == 0)
        call->problem = "division by zero";
    return b != 0;
}

static inline int64_t sidl_int_div(struct sidl_check_call *call, int64_t a, int64_t b)
{
    if (!sidl_check_divides(call, b))
        return 0;
    return b == -1 ? SIDL_INT(-, 0, a) : a / b;
}

/* The remainder with the sign of A … */
static inline int64_t sidl_int_rem(struct sidl_check_call *call, int64_t a, int64_t b)
{
    return sidl_check_divides(call, b) && b != -1 ? a % b : 0;
}

/* … and of B. */
static inline int64_t sidl_int_mod(struct sidl_check_call *call, int64_t a, int64_t b)
{
    const int64_t rest = sidl_int_rem(call, a, b);

    return rest && (rest < 0) != (b < 0) ? rest + b : rest;
}

static inline double sidl_real_mod(double a, double b)
{
    return a - b * floor(a / b);
}

/* fmod() and pow() under names that no argument can have. */
static inline double sidl_real_rem(double a, double b)
{
    return fmod(a, b);
}

static inline double sidl_real_pow(double a, double b)
{
    return pow(a, b);
}

/** NULL strings count as "". */
SIDL_API int sidl_string_compare(const char *a, const char *b);

static inline double _Complex sidl_complex(double re, double im)
{
    union {
        double parts[2];
        double _Complex value;
    } u;

    u.parts[0] = re;
    u.parts[1] = im;
    return u.value;
}

static inline double _Complex sidl_dcomplex_value(struct sidl_dcomplex z)
{
    return sidl_complex(z.real, z.imaginary);
}

static inline double _Complex sidl_fcomplex_value(struct sidl_fcomplex z)
{
    return sidl_complex((double)z.real, (double)z.imaginary);
}

static inline struct sidl_dcomplex sidl_dcomplex_of(double _Complex z)
{
    struct sidl_dcomplex value = {creal(z), cimag(z)};

    return value;
}

static inline struct sidl_fcomplex sidl_fcomplex_of(double _Complex z)
{
    struct sidl_fcomplex value = {(float)creal(z), (float)cimag(z)};

    return value;
}

/* The built-in functions. */

struct sidl_number {
    sidl_bool is_integer;
    int64_t integer;
    double _Complex value;
};

/** An argument of a built-in function: an array, or one number. */
struct sidl_operand {
    sidl_bool is_array;
    const struct sidl__array *array; /* NULL: no elements */
    struct sidl_number number;
};

static inline struct sidl_operand sidl_operand_array(const void *array)
{
    struct sidl_operand o = {TRUE, (const struct sidl__array *)array, {FALSE, 0, 0}};

    return o;
}

static inline struct sidl_operand sidl_operand_integer(int64_t value)
{
    struct sidl_operand o = {FALSE, NULL, {TRUE, value, (double)value}};

    return o;
}

static inline struct sidl_operand sidl_operand_number(double _Complex value)
{
    struct sidl_operand o = {FALSE, NULL, {FALSE, 0, value}};

    return o;
}

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
SIDL_API sidl_bool sidl_contract_range(struct sidl_operand a, double low, double high,
                                       double tolerance);
SIDL_API sidl_bool sidl_contract_irange(struct sidl_operand a, int64_t low, int64_t high);
/** Whether |a - b| <= TOLERANCE, element by element. */
SIDL_API sidl_bool sidl_contract_near_equal(struct sidl_operand a, struct sidl_operand b,
                                            double tolerance);
/** Whether RELATION holds for no element and the next one, in the order of a column-major array. */
SIDL_API sidl_bool sidl_contract_nowhere(const char *relation, struct sidl_operand a);
/** The first element in the order RELATION: the least for "<", the greatest for ">". */
SIDL_API struct sidl_number sidl_contract_first(const char *relation, struct sidl_operand a);
SIDL_API struct sidl_number sidl_contract_sum(struct sidl_operand a);

/* These release outputs that the caller will not read. */
#define SIDL_DROP_STRING(PLACE)                                                                    \
    do {                                                                                           \
        sidl_String_free(PLACE);                                                                   \
        (PLACE) = NULL;                                                                            \
    } while (0)
#define SIDL_DROP_OBJECT(PLACE)                                                                    \
    do {                                                                                           \
        sidl_reference_delete((void *)(PLACE), NULL);                                              \
        (PLACE) = NULL;                                                                            \
    } while (0)
#define SIDL_DROP_STRUCT(TYPE, PLACE)                                                              \
    do {                                                                                           \
        sidl_BaseInterface sidl__ignored = NULL;                                                   \
        TYPE##__destroy((PLACE), &sidl__ignored);                                                  \
        SIDL_CLEAR(sidl__ignored);                                                                 \
        memset((PLACE), 0, sizeof *(PLACE));                                                       \
    } while (0)
#define SIDL_DROP_ARRAY(PLACE)                                                                     \
    do {                                                                                           \
        sidl__array_deleteRef((struct sidl__array *)(PLACE));                                      \
        (PLACE) = NULL;                                                                            \
    } while (0)

#endif
#endif
