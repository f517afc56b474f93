/* SPDX-License-Identifier: BSD-3-Clause */
/* The built-in functions of contracts. */
#include "sidl_contract.h"

#include <stdbool.h>
#include <string.h>

int sidl_string_compare(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int64_t length_of(const struct sidl__array *array, int32_t i)
{
    return sidlLength(array, i) > 0 ? sidlLength(array, i) : 0;
}

static int64_t n_elements(const struct sidl_operand *o)
{
    int64_t n = !o->is_array || o->array;

    for (int32_t i = 0; o->is_array && o->array && i < o->array->d_dimen; i++)
        n *= length_of(o->array, i);
    return n;
}

/* The I-th element, where the first index varies fastest. */
static const void *element_at(const struct sidl__array *array, int64_t i)
{
    ptrdiff_t at = 0;

    for (int32_t d = 0; d < array->d_dimen; d++) {
        at += (ptrdiff_t)(i % length_of(array, d)) * array->d_stride[d];
        i /= length_of(array, d);
    }
    return (const char *)((const struct sidl_char__array *)array)->d_firstElement +
           at * (ptrdiff_t)array->d_vtable->d_element_size_bytes;
}

/* Elements that are no numbers count as 0: generic arrays are checked only at run time. */
static struct sidl_number number_at(const struct sidl_operand *o, int64_t i)
{
    const void *at = o->is_array ? element_at(o->array, i) : NULL;

    switch (at ? o->array->d_vtable->d_type : 0) {
    case 0:
        return o->number;
    case sidl_bool_array:
        return sidl_operand_integer(*(const sidl_bool *)at != 0).number;
    case sidl_char_array:
        return sidl_operand_integer(*(const char *)at).number;
    case sidl_int_array:
        return sidl_operand_integer(*(const int32_t *)at).number;
    case sidl_long_array:
        return sidl_operand_integer(*(const int64_t *)at).number;
    case sidl_float_array:
        return sidl_operand_number((double)*(const float *)at).number;
    case sidl_double_array:
        return sidl_operand_number(*(const double *)at).number;
    case sidl_fcomplex_array:
        return sidl_operand_number(sidl_fcomplex_value(*(const struct sidl_fcomplex *)at)).number;
    case sidl_dcomplex_array:
        return sidl_operand_number(sidl_dcomplex_value(*(const struct sidl_dcomplex *)at)).number;
    default:
        return sidl_operand_integer(0).number;
    }
}

static bool is_equal(const struct sidl_number *a, const struct sidl_number *b)
{
    return a->is_integer && b->is_integer ? a->integer == b->integer : a->value == b->value;
}

static bool is_less(const struct sidl_number *a, const struct sidl_number *b)
{
    return a->is_integer && b->is_integer ? a->integer < b->integer
                                          : creal(a->value) < creal(b->value);
}

static bool relation_holds(const char *relation, const struct sidl_number *a,
                           const struct sidl_number *b)
{
    const bool strict = relation[1] == '\0';

    switch (*relation) {
    case '=':
        return is_equal(a, b);
    case '!':
        return !is_equal(a, b);
    case '<':
        return is_less(a, b) || (!strict && is_equal(a, b));
    default:
        return is_less(b, a) || (!strict && is_equal(a, b));
    }
}

/* How many pairs of numbers there are; -1 when the shapes differ. */
static int64_t n_pairs(const struct sidl_operand *a, const struct sidl_operand *b)
{
    const int64_t n = n_elements(a->is_array ? a : b);

    if (!a->is_array || !b->is_array || (n == 0 && n_elements(b) == 0))
        return n;
    if (n != n_elements(b) || a->array->d_dimen != b->array->d_dimen)
        return -1;
    for (int32_t i = 0; i < a->array->d_dimen; i++)
        if (length_of(a->array, i) != length_of(b->array, i))
            return -1;
    return n;
}

int64_t sidl_contract_count(const char *relation, struct sidl_operand a, struct sidl_operand b)
{
    const int64_t n = n_pairs(&a, &b);
    int64_t count = 0;

    for (int64_t i = 0; i < n; i++) {
        const struct sidl_number x = number_at(&a, i), y = number_at(&b, i);

        count += relation_holds(relation, &x, &y);
    }
    return count;
}

sidl_bool sidl_contract_all(const char *relation, struct sidl_operand a, struct sidl_operand b)
{
    return sidl_contract_count(relation, a, b) == n_pairs(&a, &b);
}

sidl_bool sidl_contract_range(struct sidl_operand a, double low, double high, double tolerance)
{
    return sidl_contract_all(">=", a, sidl_operand_number(low - tolerance)) &&
           sidl_contract_all("<=", a, sidl_operand_number(high + tolerance));
}

sidl_bool sidl_contract_irange(struct sidl_operand a, int64_t low, int64_t high)
{
    return sidl_contract_all(">=", a, sidl_operand_integer(low)) &&
           sidl_contract_all("<=", a, sidl_operand_integer(high));
}

sidl_bool sidl_contract_near_equal(struct sidl_operand a, struct sidl_operand b, double tolerance)
{
    const int64_t n = n_pairs(&a, &b);

    for (int64_t i = 0; i < n; i++)
        if (!(cabs(number_at(&a, i).value - number_at(&b, i).value) <= tolerance))
            return FALSE;
    return n >= 0;
}

sidl_bool sidl_contract_nowhere(const char *relation, struct sidl_operand a)
{
    const int64_t n = n_elements(&a);

    for (int64_t i = 1; i < n; i++) {
        const struct sidl_number x = number_at(&a, i - 1), y = number_at(&a, i);

        if (relation_holds(relation, &x, &y))
            return FALSE;
    }
    return TRUE;
}

struct sidl_number sidl_contract_first(const char *relation, struct sidl_operand a)
{
    struct sidl_number first = {0};
    const int64_t n = n_elements(&a);

    for (int64_t i = 0; i < n; i++) {
        const struct sidl_number x = number_at(&a, i);

        if (i == 0 || relation_holds(relation, &x, &first))
            first = x;
    }
    return first;
}

struct sidl_number sidl_contract_sum(struct sidl_operand a)
{
    struct sidl_number sum = {0};
    const int64_t n = n_elements(&a);

    for (int64_t i = 0; i < n; i++) {
        const struct sidl_number x = number_at(&a, i);

        sum.integer = SIDL_INT(+, sum.integer, x.integer);
        sum.value += x.value;
    }
    return sum;
}
