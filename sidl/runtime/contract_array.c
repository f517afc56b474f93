/* SPDX-License-Identifier: BSD-3-Clause */
/* The built-in functions of contracts. */
#include "sidl_contract.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static int64_t length_of(const struct sidl__array *array, int32_t i)
{
    return sidlLength(array, i) > 0 ? sidlLength(array, i) : 0;
}

static int64_t n_elements(const struct sidl_operand *o)
{
    int64_t n = !o->is_array || o->array;

    for (int32_t i = 0; i < sidl__array_dimen(o->array); i++)
        n *= length_of(o->array, i);
    return n;
}

/* The I-th element, where the first index varies fastest. */
static const void *element_at(const struct sidl__array *array, int64_t i)
{
    int32_t index[SIDL_MAX_DIMENSION];

    for (int32_t d = 0; d < array->d_dimen; d++) {
        index[d] = array->d_lower[d] + (int32_t)(i % length_of(array, d));
        i /= length_of(array, d);
    }
    return sidl__array_address(array, array->d_dimen, index);
}

/* Elements that are no numbers count as 0: generic arrays are checked only at run time. */
static struct sidl_operand number_at(const struct sidl_operand *o, int64_t i)
{
    const void *at = o->is_array ? element_at(o->array, i) : NULL;

    switch (at ? o->array->d_vtable->d_type : 0) {
    case 0:
        return *o;
    case sidl_bool_array:
        return sidl_operand_integer(*(const sidl_bool *)at != 0);
    case sidl_char_array:
        return sidl_operand_integer(*(const char *)at);
    case sidl_int_array:
        return sidl_operand_integer(*(const int32_t *)at);
    case sidl_long_array:
        return sidl_operand_integer(*(const int64_t *)at);
    case sidl_float_array:
        return sidl_operand_number(*(const float *)at);
    case sidl_double_array:
        return sidl_operand_number(*(const double *)at);
    default:
        return sidl_operand_integer(0);
    }
}

static bool relation_holds(const char *relation, struct sidl_operand a, struct sidl_operand b,
                           double tolerance)
{
    const bool exact = a.is_integer && b.is_integer;
    const bool equal = exact ? a.integer == b.integer : a.value == b.value;
    const bool less = exact ? a.integer < b.integer : a.value < b.value;
    const bool greater = exact ? a.integer > b.integer : a.value > b.value;

    if (*relation == '!')
        return !equal;
    if (*relation == '~')
        return fabs(a.value - b.value) <= tolerance;
    return (equal && relation[1] == '=') || (less && *relation == '<') ||
           (greater && *relation == '>');
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

int64_t sidl_contract_count(const char *relation, struct sidl_operand a, struct sidl_operand b,
                            double tolerance)
{
    const int64_t n = n_pairs(&a, &b);
    int64_t count = 0;

    for (int64_t i = 0; i < n; i++)
        count += relation_holds(relation, number_at(&a, i), number_at(&b, i), tolerance);
    return count;
}

sidl_bool sidl_contract_all(const char *relation, struct sidl_operand a, struct sidl_operand b,
                            double tolerance)
{
    return sidl_contract_count(relation, a, b, tolerance) == n_pairs(&a, &b);
}

static struct sidl_operand plus(struct sidl_operand a, int64_t sign, struct sidl_operand b)
{
    return (struct sidl_operand){.is_integer = a.is_integer && b.is_integer,
                                 .integer = SIDL_INT(+, a.integer, SIDL_INT(*, sign, b.integer)),
                                 .value = a.value + (double)sign * b.value};
}

sidl_bool sidl_contract_range(struct sidl_operand a, struct sidl_operand low,
                              struct sidl_operand high, struct sidl_operand tolerance)
{
    return sidl_contract_all(">=", a, plus(low, -1, tolerance), 0) &&
           sidl_contract_all("<=", a, plus(high, 1, tolerance), 0);
}

sidl_bool sidl_contract_nowhere(const char *relation, struct sidl_operand a)
{
    const int64_t n = n_elements(&a);

    for (int64_t i = 1; i < n; i++)
        if (relation_holds(relation, number_at(&a, i - 1), number_at(&a, i), 0))
            return FALSE;
    return TRUE;
}

struct sidl_operand sidl_contract_fold(const char *how, struct sidl_operand a)
{
    const int64_t n = n_elements(&a);
    struct sidl_operand result = n ? number_at(&a, 0) : sidl_operand_integer(0);

    for (int64_t i = 1; i < n; i++) {
        const struct sidl_operand element = number_at(&a, i);

        if (*how == '+')
            result = plus(result, 1, element);
        else if (relation_holds(how, element, result, 0))
            result = element;
    }
    return result;
}
