/* SPDX-License-Identifier: BSD-3-Clause */
/* The built-in functions of contracts. */
#include "sidl_contract.h"

#include <stdbool.h>
#include <string.h>

int sidl_string_compare(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* One number: of an array, or the operand itself. */
struct number {
    bool is_integer;
    int64_t integer;
    double re, im;
};

/* A walk over all indices, the first one fastest. */
struct walk {
    const struct sidl__array *shape; /* NULL: one step only */
    int32_t offset[SIDL_MAX_DIMENSION];
    bool is_over;
};

static struct walk walk_begin(const struct sidl__array *shape, bool is_number)
{
    struct walk w = {.shape = shape, .is_over = !shape && !is_number};

    for (int32_t i = 0; shape && i < shape->d_dimen; i++)
        w.is_over |= sidlLength(shape, i) <= 0;
    return w;
}

static void walk_on(struct walk *w)
{
    const int32_t n = w->shape ? w->shape->d_dimen : 0;
    int32_t i = 0;

    while (i < n && ++w->offset[i] == sidlLength(w->shape, i))
        w->offset[i++] = 0;
    w->is_over = i == n;
}

static const void *element(const struct sidl__array *array, const int32_t offset[])
{
    ptrdiff_t at = 0;

    for (int32_t i = 0; i < array->d_dimen; i++)
        at += (ptrdiff_t)offset[i] * array->d_stride[i];
    return (const char *)((const struct sidl_char__array *)array)->d_firstElement +
           at * (ptrdiff_t)array->d_vtable->d_element_size_bytes;
}

static struct number integer_number(int64_t value)
{
    return (struct number){true, value, (double)value, 0};
}

static struct number real_number(double re, double im)
{
    return (struct number){false, 0, re, im};
}

/* Elements that are no numbers count as 0: generic arrays are only known here. */
static struct number read_element(const struct sidl__array *array, const int32_t offset[])
{
    const void *at = element(array, offset);
    const struct sidl_fcomplex *f = at;
    const struct sidl_dcomplex *d = at;

    switch (array->d_vtable->d_type) {
    case sidl_bool_array:
        return integer_number(*(const sidl_bool *)at != 0);
    case sidl_char_array:
        return integer_number(*(const char *)at);
    case sidl_int_array:
        return integer_number(*(const int32_t *)at);
    case sidl_long_array:
        return integer_number(*(const int64_t *)at);
    case sidl_float_array:
        return real_number((double)*(const float *)at, 0);
    case sidl_double_array:
        return real_number(*(const double *)at, 0);
    case sidl_fcomplex_array:
        return real_number((double)f->real, (double)f->imaginary);
    case sidl_dcomplex_array:
        return real_number(d->real, d->imaginary);
    default:
        return integer_number(0);
    }
}

static struct number read_operand(const struct sidl_operand *o, const int32_t offset[])
{
    if (o->kind == SIDL_OPERAND_ARRAY)
        return read_element(o->array, offset);
    return (struct number){o->kind == SIDL_OPERAND_INTEGER, o->integer, o->re, o->im};
}

static bool is_number(const struct sidl_operand *o)
{
    return o->kind != SIDL_OPERAND_ARRAY;
}

static bool is_equal(const struct number *a, const struct number *b)
{
    if (a->is_integer && b->is_integer)
        return a->integer == b->integer;
    return a->re == b->re && a->im == b->im;
}

static bool is_less(const struct number *a, const struct number *b)
{
    return a->is_integer && b->is_integer ? a->integer < b->integer : a->re < b->re;
}

static bool holds(enum sidl_relation relation, const struct number *a, const struct number *b)
{
    switch (relation) {
    case SIDL_EQ:
        return is_equal(a, b);
    case SIDL_NE:
        return !is_equal(a, b);
    case SIDL_LT:
        return is_less(a, b);
    case SIDL_LE:
        return is_less(a, b) || is_equal(a, b);
    case SIDL_GT:
        return is_less(b, a);
    default:
        return is_less(b, a) || is_equal(a, b);
    }
}

static int64_t n_elements(const struct sidl__array *array)
{
    int64_t n = array != NULL;

    for (int32_t i = 0; array && i < array->d_dimen; i++)
        n *= sidlLength(array, i) > 0 ? sidlLength(array, i) : 0;
    return n;
}

static bool same_shape(const struct sidl_operand *a, const struct sidl_operand *b)
{
    if (is_number(a) || is_number(b))
        return true;
    if (n_elements(a->array) == 0 || n_elements(b->array) == 0)
        return n_elements(a->array) == n_elements(b->array);
    if (a->array->d_dimen != b->array->d_dimen)
        return false;
    for (int32_t i = 0; i < a->array->d_dimen; i++)
        if (sidlLength(a->array, i) != sidlLength(b->array, i))
            return false;
    return true;
}

static struct walk walk_both(const struct sidl_operand *a, const struct sidl_operand *b)
{
    return walk_begin(is_number(a) ? b->array : a->array, is_number(a) && is_number(b));
}

int64_t sidl_contract_count(enum sidl_relation relation, struct sidl_operand a,
                            struct sidl_operand b)
{
    int64_t n = 0;

    if (!same_shape(&a, &b))
        return 0;
    for (struct walk w = walk_both(&a, &b); !w.is_over; walk_on(&w)) {
        const struct number x = read_operand(&a, w.offset), y = read_operand(&b, w.offset);

        n += holds(relation, &x, &y);
    }
    return n;
}

sidl_bool sidl_contract_all(enum sidl_relation relation, struct sidl_operand a,
                            struct sidl_operand b)
{
    return same_shape(&a, &b) &&
           sidl_contract_count(relation, a, b) == n_elements(is_number(&a) ? b.array : a.array);
}

sidl_bool sidl_contract_any(enum sidl_relation relation, struct sidl_operand a,
                            struct sidl_operand b)
{
    return sidl_contract_count(relation, a, b) > 0;
}

sidl_bool sidl_contract_none(enum sidl_relation relation, struct sidl_operand a,
                             struct sidl_operand b)
{
    return sidl_contract_count(relation, a, b) == 0;
}

static struct walk walk_one(const struct sidl_operand *a)
{
    return walk_begin(a->array, is_number(a));
}

sidl_bool sidl_contract_range(struct sidl_operand a, double low, double high, double tolerance)
{
    for (struct walk w = walk_one(&a); !w.is_over; walk_on(&w)) {
        const double value = read_operand(&a, w.offset).re;

        if (!(low - tolerance <= value && value <= high + tolerance))
            return FALSE;
    }
    return TRUE;
}

sidl_bool sidl_contract_irange(struct sidl_operand a, int64_t low, int64_t high)
{
    for (struct walk w = walk_one(&a); !w.is_over; walk_on(&w)) {
        const struct number x = read_operand(&a, w.offset);

        if (x.is_integer ? x.integer < low || x.integer > high
                         : !(x.re >= (double)low && x.re <= (double)high))
            return FALSE;
    }
    return TRUE;
}

sidl_bool sidl_contract_near_equal(struct sidl_operand a, struct sidl_operand b, double tolerance)
{
    if (!same_shape(&a, &b))
        return FALSE;
    for (struct walk w = walk_both(&a, &b); !w.is_over; walk_on(&w)) {
        const struct number x = read_operand(&a, w.offset), y = read_operand(&b, w.offset);

        if (!(hypot(x.re - y.re, x.im - y.im) <= tolerance))
            return FALSE;
    }
    return TRUE;
}

/* No element is less than the one before, or with DECREASING, greater. */
static sidl_bool is_monotonic(const struct sidl_operand *a, bool decreasing)
{
    struct number before = {0};
    bool is_first = true;

    for (struct walk w = walk_one(a); !w.is_over; walk_on(&w)) {
        const struct number x = read_operand(a, w.offset);

        if (!is_first && (decreasing ? is_less(&before, &x) : is_less(&x, &before)))
            return FALSE;
        before = x;
        is_first = false;
    }
    return TRUE;
}

sidl_bool sidl_contract_non_decr(struct sidl_operand a)
{
    return is_monotonic(&a, false);
}

sidl_bool sidl_contract_non_incr(struct sidl_operand a)
{
    return is_monotonic(&a, true);
}

static struct number extremum(const struct sidl_operand *a, bool greatest)
{
    struct number best = {0};
    bool is_first = true;

    for (struct walk w = walk_one(a); !w.is_over; walk_on(&w)) {
        const struct number x = read_operand(a, w.offset);

        if (is_first || (greatest ? is_less(&best, &x) : is_less(&x, &best)))
            best = x;
        is_first = false;
    }
    return best;
}

int64_t sidl_contract_min_integer(struct sidl_operand a)
{
    return extremum(&a, false).integer;
}

int64_t sidl_contract_max_integer(struct sidl_operand a)
{
    return extremum(&a, true).integer;
}

double sidl_contract_min_real(struct sidl_operand a)
{
    return extremum(&a, false).re;
}

double sidl_contract_max_real(struct sidl_operand a)
{
    return extremum(&a, true).re;
}

int64_t sidl_contract_sum_integer(struct sidl_operand a)
{
    int64_t sum = 0;

    for (struct walk w = walk_one(&a); !w.is_over; walk_on(&w))
        sum = sidl_int_add(sum, read_operand(&a, w.offset).integer);
    return sum;
}

double sidl_contract_sum_real(struct sidl_operand a)
{
    double sum = 0;

    for (struct walk w = walk_one(&a); !w.is_over; walk_on(&w))
        sum += read_operand(&a, w.offset).re;
    return sum;
}

double _Complex sidl_contract_sum_complex(struct sidl_operand a)
{
    double re = 0, im = 0;

    for (struct walk w = walk_one(&a); !w.is_over; walk_on(&w)) {
        const struct number x = read_operand(&a, w.offset);

        re += x.re;
        im += x.im;
    }
    return sidl_complex(re, im);
}
