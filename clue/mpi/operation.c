/* SPDX-License-Identifier: BSD-3-Clause */
/* Built-in operations. Results are MPICH's bit by bit: the order of operands matters for reals that
 * are NaN, or zeros of both signs. */
#include "operation.h"

#include <complex.h>
#include <limits.h>

enum { MAX = 1, MIN, SUM, PROD, LAND, BAND, LOR, BOR, LXOR, BXOR, MINLOC, MAXLOC, REPLACE, NO_OP };

/* Groups of types for which operations are defined, as bits of a set. */
enum {
    INTEGER = 1,
    REAL = 2,
    COMPLEX = 4,
    LOGICAL = 8,
    BYTE = 16,
    PAIR = 32,
};

static const struct {
    const char *name;
    unsigned groups;
} operations[] = {
    [MAX] = {"MPI_MAX", INTEGER | REAL},
    [MIN] = {"MPI_MIN", INTEGER | REAL},
    [SUM] = {"MPI_SUM", INTEGER | REAL | COMPLEX},
    [PROD] = {"MPI_PROD", INTEGER | REAL | COMPLEX},
    [LAND] = {"MPI_LAND", INTEGER | LOGICAL},
    [BAND] = {"MPI_BAND", INTEGER | BYTE},
    [LOR] = {"MPI_LOR", INTEGER | LOGICAL},
    [BOR] = {"MPI_BOR", INTEGER | BYTE},
    [LXOR] = {"MPI_LXOR", INTEGER | LOGICAL | REAL},
    [BXOR] = {"MPI_BXOR", INTEGER | BYTE},
    [MINLOC] = {"MPI_MINLOC", PAIR},
    [MAXLOC] = {"MPI_MAXLOC", PAIR},
    [REPLACE] = {"MPI_REPLACE", 0},
    [NO_OP] = {"MPI_NO_OP", 0},
};
enum { N_OPERATIONS = NO_OP + 1 };

#define BUILTIN(n)                                                                                 \
    {                                                                                              \
        .handle = 0x58000000 + (n), .is_builtin = true, .is_commutative = (n) < REPLACE            \
    }
static struct mpi_op builtin[] = {
    BUILTIN(0),    BUILTIN(MAX),    BUILTIN(MIN),    BUILTIN(SUM),     BUILTIN(PROD),
    BUILTIN(LAND), BUILTIN(BAND),   BUILTIN(LOR),    BUILTIN(BOR),     BUILTIN(LXOR),
    BUILTIN(BXOR), BUILTIN(MINLOC), BUILTIN(MAXLOC), BUILTIN(REPLACE), BUILTIN(NO_OP),
};

/* ---------------------------------------------------------------- loops */

/* Computes A = A op B; A: the present value, B: the value that comes in. */
#define EACH(expression)                                                                           \
    for (MPI_Count i = 0; i < n; i++)                                                              \
        a[i] = (expression);                                                                       \
    return

#define ORDERED                                                                                    \
    case MAX:                                                                                      \
        EACH(a[i] > b[i] ? a[i] : b[i]);                                                           \
    case MIN:                                                                                      \
        EACH(a[i] < b[i] ? a[i] : b[i])
#define ARITHMETIC                                                                                 \
    case SUM:                                                                                      \
        EACH(a[i] + b[i]);                                                                         \
    case PROD:                                                                                     \
        EACH(a[i] * b[i])
#define BITS                                                                                       \
    case BAND:                                                                                     \
        EACH(a[i] & b[i]);                                                                         \
    case BOR:                                                                                      \
        EACH(a[i] | b[i]);                                                                         \
    case BXOR:                                                                                     \
        EACH(a[i] ^ b[i])
#define EXCLUSIVE                                                                                  \
    case LXOR:                                                                                     \
        EACH(!a[i] != !b[i])
#define TRUTHS                                                                                     \
    case LAND:                                                                                     \
        EACH(a[i] && b[i]);                                                                        \
    case LOR:                                                                                      \
        EACH(a[i] || b[i]);                                                                        \
        EXCLUSIVE

#define LOOPS(name, type, cases)                                                                   \
    static void name##_loop(int op, const void *in, void *inout, MPI_Count n)                      \
    {                                                                                              \
        type *a = inout;                                                                           \
        const type *b = in;                                                                        \
                                                                                                   \
        switch (op) {                                                                              \
            cases;                                                                                 \
        default:                                                                                   \
            return;                                                                                \
        }                                                                                          \
    }
#define COMMA_FREE_INTEGER                                                                         \
    ORDERED;                                                                                       \
    ARITHMETIC;                                                                                    \
    BITS;                                                                                          \
    TRUTHS
#define COMMA_FREE_REAL                                                                            \
    ORDERED;                                                                                       \
    ARITHMETIC;                                                                                    \
    EXCLUSIVE

/* Of equal values, that with the lowest index counts. */
#define PAIRS(name, value_type, index_type)                                                        \
    static void name##_loop(int op, const void *in, void *inout, MPI_Count n)                      \
    {                                                                                              \
        struct {                                                                                   \
            value_type value;                                                                      \
            index_type index;                                                                      \
        } *a = inout;                                                                              \
        const __typeof__(*a) *b = in;                                                              \
                                                                                                   \
        for (MPI_Count i = 0; i < n; i++)                                                          \
            if (a[i].value == b[i].value)                                                          \
                a[i].index = a[i].index < b[i].index ? a[i].index : b[i].index;                    \
            else if (op == MAXLOC ? a[i].value < b[i].value : a[i].value > b[i].value)             \
                a[i] = b[i];                                                                       \
    }

LOOPS(int8, int8_t, COMMA_FREE_INTEGER)
LOOPS(int16, int16_t, COMMA_FREE_INTEGER)
LOOPS(int32, int32_t, COMMA_FREE_INTEGER)
LOOPS(int64, int64_t, COMMA_FREE_INTEGER)
LOOPS(uint8, uint8_t, COMMA_FREE_INTEGER)
LOOPS(uint16, uint16_t, COMMA_FREE_INTEGER)
LOOPS(uint32, uint32_t, COMMA_FREE_INTEGER)
LOOPS(uint64, uint64_t, COMMA_FREE_INTEGER)
LOOPS(float, float, COMMA_FREE_REAL)
LOOPS(double, double, COMMA_FREE_REAL)
LOOPS(long_double, long double, COMMA_FREE_REAL)
LOOPS(float_complex, float complex, ARITHMETIC)
LOOPS(double_complex, double complex, ARITHMETIC)
LOOPS(long_double_complex, long double complex, ARITHMETIC)
LOOPS(bool, bool, TRUTHS)
LOOPS(logical, int32_t, TRUTHS)
PAIRS(float_int, float, int)
PAIRS(double_int, double, int)
PAIRS(long_int, long, int)
PAIRS(short_int, short, int)
PAIRS(int_int, int, int)
PAIRS(long_double_int, long double, int)
PAIRS(float_float, float, float)
PAIRS(double_double, double, double)

/* ---------------------------------------------------------------- types */

typedef void loop_fn(int op, const void *in, void *inout, MPI_Count n);

static const struct elements {
    unsigned group;
    loop_fn *loop;
    MPI_Datatype types[8]; /* 0 ends the list */
} elements[] = {
    {INTEGER, int8_loop, {MPI_CHAR, MPI_SIGNED_CHAR, MPI_INT8_T, MPI_INTEGER1, MPI_CHARACTER}},
    {INTEGER, uint8_loop, {MPI_UNSIGNED_CHAR, MPI_UINT8_T}},
    {BYTE, uint8_loop, {MPI_BYTE}},
    {INTEGER, int16_loop, {MPI_SHORT, MPI_INT16_T, MPI_INTEGER2}},
    {INTEGER, uint16_loop, {MPI_UNSIGNED_SHORT, MPI_UINT16_T}},
    {INTEGER, int32_loop, {MPI_INT, MPI_INT32_T, MPI_INTEGER, MPI_INTEGER4}},
    {INTEGER, uint32_loop, {MPI_UNSIGNED, MPI_UINT32_T}},
    {INTEGER,
     int64_loop,
     {MPI_LONG, MPI_LONG_LONG_INT, MPI_INT64_T, MPI_AINT, MPI_OFFSET, MPI_COUNT, MPI_INTEGER8}},
    {INTEGER, uint64_loop, {MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG, MPI_UINT64_T}},
    {REAL, float_loop, {MPI_FLOAT, MPI_REAL, MPI_REAL4}},
    {REAL, double_loop, {MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_REAL8}},
    {REAL, long_double_loop, {MPI_LONG_DOUBLE, MPI_REAL16}},
    {COMPLEX,
     float_complex_loop,
     {MPI_C_FLOAT_COMPLEX, MPI_COMPLEX, MPI_COMPLEX8, MPI_CXX_FLOAT_COMPLEX}},
    {COMPLEX,
     double_complex_loop,
     {MPI_C_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX16, MPI_CXX_DOUBLE_COMPLEX}},
    {COMPLEX,
     long_double_complex_loop,
     {MPI_C_LONG_DOUBLE_COMPLEX, MPI_COMPLEX32, MPI_CXX_LONG_DOUBLE_COMPLEX}},
    {LOGICAL, bool_loop, {MPI_C_BOOL, MPI_CXX_BOOL}},
    {LOGICAL, logical_loop, {MPI_LOGICAL}},
    {PAIR, float_int_loop, {MPI_FLOAT_INT}},
    {PAIR, double_int_loop, {MPI_DOUBLE_INT}},
    {PAIR, long_int_loop, {MPI_LONG_INT}},
    {PAIR, short_int_loop, {MPI_SHORT_INT}},
    {PAIR, int_int_loop, {MPI_2INT, MPI_2INTEGER}},
    {PAIR, long_double_int_loop, {MPI_LONG_DOUBLE_INT}},
    {PAIR, float_float_loop, {MPI_2REAL}},
    {PAIR, double_double_loop, {MPI_2DOUBLE_PRECISION}},
};

/* Finds a type's row. Low bytes of handles are different, except those of pairs, 0 to 4. */
static const struct elements *elements_of(MPI_Datatype type)
{
    static struct {
        MPI_Datatype type;
        const struct elements *elements;
    } known[2][256]; /* shared by all ranks */
    unsigned is_pair = (unsigned)type >> 30 == 2;

    if (!known[0][MPI_CHAR & 0xff].type)
        for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
            for (const MPI_Datatype *e = elements[i].types; *e; e++) {
                known[(unsigned)*e >> 30 == 2][*e & 0xff].type = *e;
                known[(unsigned)*e >> 30 == 2][*e & 0xff].elements = &elements[i];
            }
    return known[is_pair][type & 0xff].type == type ? known[is_pair][type & 0xff].elements : NULL;
}

/* ---------------------------------------------------------------- use */

static int number_of(const struct mpi_op *op)
{
    return op->handle & 0xff;
}

int operation_check(struct mpi_task *t, const struct mpi_op *op, const struct mpi_type *type)
{
    const struct elements *e = elements_of(type->handle);

    if (!op->is_builtin || (e && e->group & operations[number_of(op)].groups))
        return MPI_SUCCESS;
    return mpi_error(t, MPI_ERR_OP, "%s is not defined for this datatype",
                     operations[number_of(op)].name);
}

static void call_function(const struct mpi_op *op, void *in, void *inout, MPI_Count count,
                          struct mpi_type *type)
{
    MPI_Datatype handle = type->handle;

    if (op->function_c) {
        op->function_c(in, inout, &count, &handle);
        return;
    }
    while (count > 0) {
        int n = count < INT_MAX ? (int)count : INT_MAX;

        if (op->cxx)
            op->cxx(in, inout, n, handle, op->function);
        else
            op->function(in, inout, &n, &handle);
        count -= n;
        in = (char *)in + n * type->extent;
        inout = (char *)inout + n * type->extent;
    }
}

void operation_apply(struct mpi_task *t, const struct mpi_op *op, void *in, void *inout,
                     MPI_Count count, struct mpi_type *type)
{
    const struct elements *e;

    if (!op->is_builtin)
        call_function(op, in, inout, count, type);
    else if (number_of(op) == REPLACE)
        mpi_copy_items(t, in, count, type, inout, count, type);
    else if (number_of(op) != NO_OP && (e = elements_of(type->handle)))
        e->loop(number_of(op), in, inout, count);
}

/* ---------------------------------------------------------------- handles */

struct mpi_op *mpi_op(const struct mpi_task *t, MPI_Op handle)
{
    unsigned n = (unsigned)handle - 0x58000000U;

    return n > 0 && n < N_OPERATIONS ? &builtin[n] : mpi_item(t, MPI_KIND_OP, handle);
}

void operation_retain(struct mpi_op *op)
{
    op->refs++;
}

void operation_release(struct mpi_op *op)
{
    if (op && !op->is_builtin && op->refs-- == 0)
        free(op);
}

int operation_create(struct mpi_task *t, MPI_User_function *function,
                     MPI_User_function_c *function_c, int is_commutative, MPI_Op *handle)
{
    struct mpi_op *op = mpi_alloc(1, sizeof *op);

    *handle = mpi_handle(t, MPI_KIND_OP, op);
    *op = (struct mpi_op){.handle = *handle,
                          .is_commutative = is_commutative,
                          .function = function,
                          .function_c = function_c};
    return MPI_SUCCESS;
}

/* Called by libmpichcxx. */
PORTOLAN_API void MPII_Op_set_cxx(MPI_Op op, void (*call)(void))
{
    struct mpi_op *o = mpi_op(mpi_task(), op);

    if (o && !o->is_builtin)
        o->cxx = (operation_cxx_fn *)call;
}
