/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/base.h>

#include <stdlib.h>
#include <string.h>

#include "sidl.h"

const struct sidl__array_vtable sidl__array_vtables[12] = {
    [sidl_bool_array] = {sidl_bool_array, sizeof(sidl_bool)},
    [sidl_char_array] = {sidl_char_array, sizeof(char)},
    [sidl_dcomplex_array] = {sidl_dcomplex_array, sizeof(struct sidl_dcomplex)},
    [sidl_double_array] = {sidl_double_array, sizeof(double)},
    [sidl_fcomplex_array] = {sidl_fcomplex_array, sizeof(struct sidl_fcomplex)},
    [sidl_float_array] = {sidl_float_array, sizeof(float)},
    [sidl_int_array] = {sidl_int_array, sizeof(int32_t)},
    [sidl_long_array] = {sidl_long_array, sizeof(int64_t)},
    [sidl_opaque_array] = {sidl_opaque_array, sizeof(void *)},
    [sidl_string_array] = {sidl_string_array, sizeof(char *)},
    [sidl_interface_array] = {sidl_interface_array, sizeof(void *)},
};

/* Every reference-counted array is such a block; rarrays on a stub's stack are not. */
struct block {
    struct sidl__array metadata;
    void *first;
    void *data; /* owned, of COUNT elements; NULL when borrowed or a slice */
    size_t count;
    struct sidl__array *shared; /* the array that a slice keeps alive */
    int32_t bounds[3 * SIDL_MAX_DIMENSION];
};

/* Every typed array has the address of its first element at this place. */
static char *first_of(const struct sidl__array *array)
{
    char *first;

    memcpy(&first, (const char *)array + offsetof(struct block, first), sizeof first);
    return first;
}

static bool is_owned(enum sidl_array_type type)
{
    return type == sidl_string_array || type == sidl_interface_array;
}

static size_t element_size(const struct sidl__array *array)
{
    return array->d_vtable->d_element_size_bytes;
}

void *sidl__array_take(enum sidl_array_type type, void *element)
{
    if (type == sidl_string_array)
        return portolan_strdup(element);
    sidl_reference_add(element, NULL);
    return element;
}

void sidl__array_put(enum sidl_array_type type, void *slot, void *element)
{
    void *old, *taken = element ? sidl__array_take(type, element) : NULL;

    memcpy(&old, slot, sizeof old);
    memcpy(slot, &taken, sizeof taken);
    if (type == sidl_string_array)
        free(old);
    else
        sidl_reference_delete(old, NULL);
}

static struct block *block_create(enum sidl_array_type type, int32_t dimen)
{
    struct block *block;

    if (type < sidl_bool_array || type > sidl_interface_array || dimen < 1 ||
        dimen > SIDL_MAX_DIMENSION || !(block = portolan_calloc(1, sizeof *block)))
        return NULL;
    block->metadata.d_lower = block->bounds;
    block->metadata.d_upper = block->bounds + SIDL_MAX_DIMENSION;
    block->metadata.d_stride = block->bounds + 2 * SIDL_MAX_DIMENSION;
    block->metadata.d_vtable = &sidl__array_vtables[type];
    block->metadata.d_dimen = dimen;
    block->metadata.d_refcount = 1;
    return block;
}

/* Sets bounds and strides, and *COUNT to the number of elements; false when a lower bound exceeds
 * the upper one by more than 1, or the product overflows. */
static bool set_bounds(struct sidl__array *array, const int32_t lower[], const int32_t upper[],
                       enum sidl_array_ordering order, size_t *count)
{
    const int32_t n = array->d_dimen;
    int32_t stride = 1;

    for (int32_t k = 0; k < n; k++) {
        const int32_t i = order == sidl_row_major_order ? n - 1 - k : k;
        int32_t length;

        if (__builtin_sub_overflow(upper[i], lower[i], &length) || length < -1 ||
            __builtin_add_overflow(length, 1, &length))
            return false;
        array->d_lower[i] = lower[i];
        array->d_upper[i] = upper[i];
        array->d_stride[i] = stride;
        if (__builtin_mul_overflow(stride, length, &stride))
            return false;
    }
    *count = (size_t)stride;
    return true;
}

struct sidl__array *sidl__array_create(enum sidl_array_type type, int32_t dimen,
                                       const int32_t lower[], const int32_t upper[],
                                       enum sidl_array_ordering order)
{
    struct block *block = block_create(type, dimen);

    if (!block || !set_bounds(&block->metadata, lower, upper, order, &block->count))
        goto failed;
    block->data = portolan_calloc(block->count ? block->count : 1, element_size(&block->metadata));
    if (!block->data)
        goto failed;
    block->first = block->data;
    return &block->metadata;
failed:
    free(block);
    return NULL;
}

struct sidl__array *sidl__array_create_by_extents(enum sidl_array_type type, int32_t dimen,
                                                  int32_t first, int32_t second,
                                                  enum sidl_array_ordering order)
{
    const int32_t lower[] = {0, 0};
    const int32_t upper[] = {first - 1, second - 1};

    return first < 0 || second < 0 ? NULL : sidl__array_create(type, dimen, lower, upper, order);
}

struct sidl__array *sidl__array_create_filled(enum sidl_array_type type, int32_t len,
                                              const void *data)
{
    struct sidl__array *array =
        sidl__array_create_by_extents(type, 1, len, 1, sidl_column_major_order);
    void *const *owned = data;

    if (array && !data)
        return array;
    if (array && !is_owned(type))
        memcpy(first_of(array), data, (size_t)len * element_size(array));
    else if (array)
        for (int32_t i = 0; i < len; i++)
            sidl__array_put(type, first_of(array) + (size_t)i * sizeof(void *), owned[i]);
    return array;
}

struct sidl__array *sidl__array_borrow(enum sidl_array_type type, void *first, int32_t dimen,
                                       const int32_t lower[], const int32_t upper[],
                                       const int32_t stride[])
{
    struct block *block = block_create(type, dimen);

    if (!block)
        return NULL;
    for (int32_t i = 0; i < dimen; i++) {
        block->metadata.d_lower[i] = lower[i];
        block->metadata.d_upper[i] = upper[i];
        block->metadata.d_stride[i] = stride[i];
    }
    block->first = first;
    return &block->metadata;
}

void sidl__array_addRef(struct sidl__array *array)
{
    if (array && __atomic_load_n(&array->d_refcount, __ATOMIC_RELAXED) >= 0)
        __atomic_add_fetch(&array->d_refcount, 1, __ATOMIC_RELAXED);
}

void sidl__array_deleteRef(struct sidl__array *array)
{
    struct block *block = (struct block *)array;

    if (!array || __atomic_load_n(&array->d_refcount, __ATOMIC_RELAXED) < 0 ||
        __atomic_sub_fetch(&array->d_refcount, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (block->data && is_owned(array->d_vtable->d_type))
        for (size_t i = 0; i < block->count; i++)
            sidl__array_put(array->d_vtable->d_type, (void **)block->data + i, NULL);
    sidl__array_deleteRef(block->shared);
    free(block->data);
    free(block);
}

/* The array that owns ARRAY's elements, or NULL if they are borrowed. */
static struct sidl__array *owner_of(struct sidl__array *array)
{
    struct block *block = (struct block *)array;

    if (array->d_refcount < 0)
        return NULL;
    return block->data ? array : block->shared;
}

static struct sidl__array *copy_in_order(struct sidl__array *src, enum sidl_array_ordering order)
{
    struct sidl__array *copy =
        sidl__array_create(src->d_vtable->d_type, src->d_dimen, src->d_lower, src->d_upper, order);

    if (copy)
        sidl__array_copy(src, copy);
    return copy;
}

struct sidl__array *sidl__array_smartCopy(struct sidl__array *src)
{
    if (!src)
        return NULL;
    if (!owner_of(src))
        return copy_in_order(src, sidl__array_isRowOrder(src) ? sidl_row_major_order
                                                              : sidl_column_major_order);
    sidl__array_addRef(src);
    return src;
}

struct sidl__array *sidl__array_slice(struct sidl__array *src, int32_t dimen,
                                      const int32_t num_elem[], const int32_t *src_start,
                                      const int32_t *src_stride, const int32_t *new_start)
{
    struct block *block = src ? block_create(src->d_vtable->d_type, dimen) : NULL;
    ptrdiff_t offset = 0;
    int32_t kept = 0;

    if (!block)
        return NULL;
    for (int32_t i = 0; i < src->d_dimen; i++) {
        const int32_t start = src_start ? src_start[i] : src->d_lower[i];
        const int32_t step = src_stride ? src_stride[i] : 1;
        const int64_t end = start + ((int64_t)num_elem[i] - (num_elem[i] > 0)) * step;

        if (num_elem[i] < 0 || start < src->d_lower[i] || start > src->d_upper[i] ||
            end < src->d_lower[i] || end > src->d_upper[i] || (num_elem[i] && kept == dimen))
            goto failed;
        offset += (ptrdiff_t)(start - src->d_lower[i]) * src->d_stride[i];
        if (num_elem[i] == 0)
            continue;
        block->metadata.d_lower[kept] = new_start ? new_start[kept] : start;
        block->metadata.d_upper[kept] = block->metadata.d_lower[kept] + num_elem[i] - 1;
        block->metadata.d_stride[kept++] = src->d_stride[i] * step;
    }
    if (kept != dimen)
        goto failed;
    block->first = first_of(src) + offset * (ptrdiff_t)element_size(src);
    block->shared = owner_of(src);
    sidl__array_addRef(block->shared);
    return &block->metadata;
failed:
    free(block);
    return NULL;
}

static bool has_order(const struct sidl__array *array, int ordering)
{
    return ordering == sidl_general_order ||
           (ordering == sidl_column_major_order && sidl__array_isColumnOrder(array)) ||
           (ordering == sidl_row_major_order && sidl__array_isRowOrder(array));
}

struct sidl__array *sidl__array_ensure(struct sidl__array *src, int32_t dimen, int ordering)
{
    if (!src || src->d_dimen != dimen)
        return NULL;
    if (!has_order(src, ordering))
        return copy_in_order(src, (enum sidl_array_ordering)ordering);
    sidl__array_addRef(src);
    return src;
}

struct sidl__array *sidl__array_in_order(struct sidl__array *array, int32_t dimen,
                                         enum sidl_array_ordering ordering)
{
    if (!array || array->d_dimen != dimen)
        return NULL;
    return has_order(array, ordering) ? array : copy_in_order(array, ordering);
}

struct sidl__array *sidl__array_put_in_order(struct sidl__array *array, int32_t dimen,
                                             enum sidl_array_ordering ordering)
{
    struct sidl__array *ordered = sidl__array_in_order(array, dimen, ordering);

    if (ordered != array)
        sidl__array_deleteRef(array);
    return ordered;
}

/* Steps INDEX through LOWER..UPPER, first dimension fastest; false after the last. */
static bool next_index(int32_t dimen, int32_t index[], const int32_t lower[], const int32_t upper[])
{
    for (int32_t i = 0; i < dimen; i++) {
        if (index[i]++ < upper[i])
            return true;
        index[i] = lower[i];
    }
    return false;
}

static char *element_at(const struct sidl__array *array, const int32_t index[])
{
    ptrdiff_t offset = 0;

    for (int32_t i = 0; i < array->d_dimen; i++)
        offset += (ptrdiff_t)(index[i] - array->d_lower[i]) * array->d_stride[i];
    return first_of(array) + offset * (ptrdiff_t)element_size(array);
}

void sidl__array_copy(const struct sidl__array *src, struct sidl__array *dest)
{
    int32_t lower[SIDL_MAX_DIMENSION], upper[SIDL_MAX_DIMENSION], index[SIDL_MAX_DIMENSION];
    bool in_runs; /* elements that lie side by side in both are copied together */

    if (!src || !dest || src == dest || src->d_dimen != dest->d_dimen ||
        src->d_vtable->d_type != dest->d_vtable->d_type)
        return;
    for (int32_t i = 0; i < src->d_dimen; i++) {
        lower[i] = src->d_lower[i] > dest->d_lower[i] ? src->d_lower[i] : dest->d_lower[i];
        upper[i] = src->d_upper[i] < dest->d_upper[i] ? src->d_upper[i] : dest->d_upper[i];
        if (lower[i] > upper[i])
            return;
        index[i] = lower[i];
    }
    in_runs = src->d_stride[0] == 1 && dest->d_stride[0] == 1;
    do {
        char *from = element_at(src, index), *to = element_at(dest, index);
        void *owned;

        if (!is_owned(src->d_vtable->d_type)) {
            size_t n = in_runs ? (size_t)(upper[0] - lower[0]) + 1 : 1;

            memmove(to, from, n * element_size(src));
            index[0] += (int32_t)n - 1;
            continue;
        }
        memcpy(&owned, from, sizeof owned);
        sidl__array_put(src->d_vtable->d_type, to, owned);
    } while (next_index(src->d_dimen, index, lower, upper));
}

int32_t sidl__array_dimen(const struct sidl__array *array)
{
    return array ? array->d_dimen : 0;
}

static bool has_dimension(const struct sidl__array *array, int32_t ind)
{
    return array && ind >= 0 && ind < array->d_dimen;
}

int32_t sidl__array_lower(const struct sidl__array *array, int32_t ind)
{
    return has_dimension(array, ind) ? array->d_lower[ind] : 0;
}

int32_t sidl__array_upper(const struct sidl__array *array, int32_t ind)
{
    return has_dimension(array, ind) ? array->d_upper[ind] : -1;
}

int32_t sidl__array_length(const struct sidl__array *array, int32_t ind)
{
    return sidl__array_upper(array, ind) - sidl__array_lower(array, ind) + 1;
}

int32_t sidl__array_stride(const struct sidl__array *array, int32_t ind)
{
    return has_dimension(array, ind) ? array->d_stride[ind] : 0;
}

/* Returns whether ARRAY's elements lie without gaps in the given order. */
static sidl_bool is_dense(const struct sidl__array *array, enum sidl_array_ordering order)
{
    int64_t stride = 1;

    if (!array)
        return FALSE;
    for (int32_t k = 0; k < array->d_dimen; k++) {
        const int32_t i = order == sidl_row_major_order ? array->d_dimen - 1 - k : k;

        if (array->d_stride[i] != stride)
            return FALSE;
        stride *= sidlLength(array, i);
    }
    return TRUE;
}

sidl_bool sidl__array_isColumnOrder(const struct sidl__array *array)
{
    return is_dense(array, sidl_column_major_order);
}

sidl_bool sidl__array_isRowOrder(const struct sidl__array *array)
{
    return is_dense(array, sidl_row_major_order);
}

int32_t sidl__array_type(const struct sidl__array *array)
{
    return array ? array->d_vtable->d_type : sidl_undefined_array;
}

struct sidl__array *sidl__array_of_type(struct sidl__array *array, enum sidl_array_type type)
{
    return sidl__array_type(array) == (int32_t)type ? array : NULL;
}

void *sidl__array_address(const struct sidl__array *array, int32_t dimen, const int32_t indices[])
{
    if (!array || array->d_dimen != dimen)
        return NULL;
    for (int32_t i = 0; i < dimen; i++)
        if (indices[i] < array->d_lower[i] || indices[i] > array->d_upper[i])
            return NULL;
    return element_at(array, indices);
}
