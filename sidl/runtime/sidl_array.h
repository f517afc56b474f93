/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * SIDL run time: arrays. Include <sidl.h>, not this file.
 *
 * One implementation serves all element types (array.c); the typed functions below are made from
 * one macro. Arrays are reference counted; create, borrow, slice, ensure and smartCopy return a
 * reference that deleteRef gives back. Elements that are strings or objects are owned by their
 * array: get returns a copy (a new reference), set stores one. NULL arrays are legal arguments:
 * dimension 0, nothing to copy. Out of memory or bad bounds: NULL. An array of objects holds
 * references of its element type and must not be used as an array of another type.
 *
 * Names and behaviour are those of Babel 2.0's C binding. Bounds, lengths and strides count
 * elements, not bytes; dimensions are 1 to 7. Reference counts are atomic; elements are not locked.
 */
#ifndef SIDL_ARRAY_H
#define SIDL_ARRAY_H

#include <string.h>

#include "sidl_object.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sidl_array_type {
    sidl_undefined_array = 0,
    sidl_bool_array = 1,
    sidl_char_array = 2,
    sidl_dcomplex_array = 3,
    sidl_double_array = 4,
    sidl_fcomplex_array = 5,
    sidl_float_array = 6,
    sidl_int_array = 7,
    sidl_long_array = 8,
    sidl_opaque_array = 9,
    sidl_string_array = 10,
    sidl_interface_array = 11
};

enum sidl_array_ordering {
    sidl_general_order = 0,
    sidl_column_major_order = 1,
    sidl_row_major_order = 2
};

#define SIDL_MAX_ARRAY_DIMENSION 7
enum { SIDL_MAX_DIMENSION = SIDL_MAX_ARRAY_DIMENSION };

struct sidl__array_vtable {
    int32_t d_type; /* enum sidl_array_type */
    size_t d_element_size_bytes;
};

/** The head of all arrays; the address of the first element follows it in every typed array. */
struct sidl__array {
    int32_t *d_lower;
    int32_t *d_upper;
    int32_t *d_stride; /* in elements */
    const struct sidl__array_vtable *d_vtable;
    int32_t d_dimen;
    int32_t d_refcount; /* negative: on the caller's stack (rarray), not counted */
};

/** Indexed by enum sidl_array_type. */
SIDL_API extern const struct sidl__array_vtable sidl__array_vtables[12];

/** Any typed array as a generic one; NULL stays NULL. */
#define sidl_array_cast(array) ((void)sizeof((array)->d_metadata), (struct sidl__array *)(array))

#define sidlLower(array, ind)  (((const struct sidl__array *)(array))->d_lower[(ind)])
#define sidlUpper(array, ind)  (((const struct sidl__array *)(array))->d_upper[(ind)])
#define sidlStride(array, ind) (((const struct sidl__array *)(array))->d_stride[(ind)])
#define sidlLength(array, ind) (sidlUpper(array, ind) - sidlLower(array, ind) + 1)
#define sidlArrayDim(array)    (((const struct sidl__array *)(array))->d_dimen)

/* Unchecked access, as lvalues. Arguments are used more than once. */
#define sidlArrayDimCalc(array, ind, var)                                                          \
    ((ptrdiff_t)sidlStride(array, ind) * ((var)-sidlLower(array, ind)))
#define sidlArrayAddr1(array, i1)     ((array)->d_firstElement + sidlArrayDimCalc(array, 0, i1))
#define sidlArrayAddr2(array, i1, i2) (sidlArrayAddr1(array, i1) + sidlArrayDimCalc(array, 1, i2))
#define sidlArrayAddr3(array, i1, i2, i3)                                                          \
    (sidlArrayAddr2(array, i1, i2) + sidlArrayDimCalc(array, 2, i3))
#define sidlArrayAddr4(array, i1, i2, i3, i4)                                                      \
    (sidlArrayAddr3(array, i1, i2, i3) + sidlArrayDimCalc(array, 3, i4))
#define sidlArrayAddr5(array, i1, i2, i3, i4, i5)                                                  \
    (sidlArrayAddr4(array, i1, i2, i3, i4) + sidlArrayDimCalc(array, 4, i5))
#define sidlArrayAddr6(array, i1, i2, i3, i4, i5, i6)                                              \
    (sidlArrayAddr5(array, i1, i2, i3, i4, i5) + sidlArrayDimCalc(array, 5, i6))
#define sidlArrayAddr7(array, i1, i2, i3, i4, i5, i6, i7)                                          \
    (sidlArrayAddr6(array, i1, i2, i3, i4, i5, i6) + sidlArrayDimCalc(array, 6, i7))
#define sidlArrayElem1(array, i1)                 (*sidlArrayAddr1(array, i1))
#define sidlArrayElem2(array, i1, i2)             (*sidlArrayAddr2(array, i1, i2))
#define sidlArrayElem3(array, i1, i2, i3)         (*sidlArrayAddr3(array, i1, i2, i3))
#define sidlArrayElem4(array, i1, i2, i3, i4)     (*sidlArrayAddr4(array, i1, i2, i3, i4))
#define sidlArrayElem5(array, i1, i2, i3, i4, i5) (*sidlArrayAddr5(array, i1, i2, i3, i4, i5))
#define sidlArrayElem6(array, i1, i2, i3, i4, i5, i6)                                              \
    (*sidlArrayAddr6(array, i1, i2, i3, i4, i5, i6))
#define sidlArrayElem7(array, i1, i2, i3, i4, i5, i6, i7)                                          \
    (*sidlArrayAddr7(array, i1, i2, i3, i4, i5, i6, i7))

/* Raw arrays: column-major, from 0; LENk is the extent of dimension k. */
#define RarrayAddr1(array, i1)           ((array) + (i1))
#define RarrayAddr2(array, i1, i2, len1) (RarrayAddr1(array, i1) + (ptrdiff_t)(i2) * (len1))
#define RarrayAddr3(array, i1, i2, i3, len1, len2)                                                 \
    (RarrayAddr2(array, i1, i2, len1) + (ptrdiff_t)(i3) * (len1) * (len2))
#define RarrayAddr4(array, i1, i2, i3, i4, len1, len2, len3)                                       \
    (RarrayAddr3(array, i1, i2, i3, len1, len2) + (ptrdiff_t)(i4) * (len1) * (len2) * (len3))
#define RarrayAddr5(array, i1, i2, i3, i4, i5, len1, len2, len3, len4)                             \
    (RarrayAddr4(array, i1, i2, i3, i4, len1, len2, len3) +                                        \
     (ptrdiff_t)(i5) * (len1) * (len2) * (len3) * (len4))
#define RarrayAddr6(array, i1, i2, i3, i4, i5, i6, len1, len2, len3, len4, len5)                   \
    (RarrayAddr5(array, i1, i2, i3, i4, i5, len1, len2, len3, len4) +                              \
     (ptrdiff_t)(i6) * (len1) * (len2) * (len3) * (len4) * (len5))
#define RarrayAddr7(array, i1, i2, i3, i4, i5, i6, i7, len1, len2, len3, len4, len5, len6)         \
    (RarrayAddr6(array, i1, i2, i3, i4, i5, i6, len1, len2, len3, len4, len5) +                    \
     (ptrdiff_t)(i7) * (len1) * (len2) * (len3) * (len4) * (len5) * (len6))
#define RarrayElem1(array, i1)                     (*RarrayAddr1(array, i1))
#define RarrayElem2(array, i1, i2, len1)           (*RarrayAddr2(array, i1, i2, len1))
#define RarrayElem3(array, i1, i2, i3, len1, len2) (*RarrayAddr3(array, i1, i2, i3, len1, len2))
#define RarrayElem4(array, i1, i2, i3, i4, len1, len2, len3)                                       \
    (*RarrayAddr4(array, i1, i2, i3, i4, len1, len2, len3))
#define RarrayElem5(array, i1, i2, i3, i4, i5, len1, len2, len3, len4)                             \
    (*RarrayAddr5(array, i1, i2, i3, i4, i5, len1, len2, len3, len4))
#define RarrayElem6(array, i1, i2, i3, i4, i5, i6, len1, len2, len3, len4, len5)                   \
    (*RarrayAddr6(array, i1, i2, i3, i4, i5, i6, len1, len2, len3, len4, len5))
#define RarrayElem7(array, i1, i2, i3, i4, i5, i6, i7, len1, len2, len3, len4, len5, len6)         \
    (*RarrayAddr7(array, i1, i2, i3, i4, i5, i6, i7, len1, len2, len3, len4, len5, len6))

/* The common functions of all element types; use the typed names. */
SIDL_API struct sidl__array *sidl__array_create(enum sidl_array_type type, int32_t dimen,
                                                const int32_t lower[], const int32_t upper[],
                                                enum sidl_array_ordering order);
SIDL_API struct sidl__array *sidl__array_create_by_extents(enum sidl_array_type type, int32_t dimen,
                                                           int32_t first, int32_t second,
                                                           enum sidl_array_ordering order);
SIDL_API struct sidl__array *sidl__array_create_filled(enum sidl_array_type type, int32_t len,
                                                       const void *data);
SIDL_API struct sidl__array *sidl__array_borrow(enum sidl_array_type type, void *first,
                                                int32_t dimen, const int32_t lower[],
                                                const int32_t upper[], const int32_t stride[]);
SIDL_API struct sidl__array *sidl__array_slice(struct sidl__array *src, int32_t dimen,
                                               const int32_t num_elem[], const int32_t *src_start,
                                               const int32_t *src_stride, const int32_t *new_start);
SIDL_API struct sidl__array *sidl__array_ensure(struct sidl__array *src, int32_t dimen,
                                                int ordering);
SIDL_API struct sidl__array *sidl__array_smartCopy(struct sidl__array *src);
/** ARRAY itself if it has that dimension and order (without a new reference), else as ensure. */
SIDL_API struct sidl__array *sidl__array_in_order(struct sidl__array *array, int32_t dimen,
                                                  enum sidl_array_ordering ordering);
/** The same for the caller's reference ARRAY, which is released if another array is returned. */
SIDL_API struct sidl__array *sidl__array_put_in_order(struct sidl__array *array, int32_t dimen,
                                                      enum sidl_array_ordering ordering);
SIDL_API void sidl__array_copy(const struct sidl__array *src, struct sidl__array *dest);
SIDL_API void sidl__array_addRef(struct sidl__array *array);
SIDL_API void sidl__array_deleteRef(struct sidl__array *array);
SIDL_API int32_t sidl__array_dimen(const struct sidl__array *array);
SIDL_API int32_t sidl__array_lower(const struct sidl__array *array, int32_t ind);
SIDL_API int32_t sidl__array_upper(const struct sidl__array *array, int32_t ind);
SIDL_API int32_t sidl__array_length(const struct sidl__array *array, int32_t ind);
SIDL_API int32_t sidl__array_stride(const struct sidl__array *array, int32_t ind);
SIDL_API sidl_bool sidl__array_isColumnOrder(const struct sidl__array *array);
SIDL_API sidl_bool sidl__array_isRowOrder(const struct sidl__array *array);
/** The element type's code, 0 for NULL. */
SIDL_API int32_t sidl__array_type(const struct sidl__array *array);
/** ARRAY if its elements are of that type, else NULL; no new reference. */
SIDL_API struct sidl__array *sidl__array_of_type(struct sidl__array *array,
                                                 enum sidl_array_type type);
/** The address of an element; NULL when INDICES (DIMEN of them) are out of bounds. */
SIDL_API void *sidl__array_address(const struct sidl__array *array, int32_t dimen,
                                   const int32_t indices[]);
/* take: a copy of a string, or a new reference; put: replaces a slot's content by such a copy. */
SIDL_API void *sidl__array_take(enum sidl_array_type type, void *element);
SIDL_API void sidl__array_put(enum sidl_array_type type, void *slot, void *element);

/** Describes a raw array of DIMEN EXTENTS in A, without allocation; BOUNDS holds 3 × DIMEN. */
static inline void sidl__array_init_rarray(struct sidl__array *a, enum sidl_array_type type,
                                           int32_t dimen, const int32_t extents[], int32_t bounds[])
{
    int32_t stride = 1;
    int32_t i;

    a->d_lower = bounds;
    a->d_upper = bounds + dimen;
    a->d_stride = bounds + 2 * dimen;
    for (i = 0; i < dimen; i++) {
        a->d_lower[i] = 0;
        a->d_upper[i] = extents[i] - 1;
        a->d_stride[i] = stride;
        stride *= extents[i];
    }
    a->d_vtable = &sidl__array_vtables[type];
    a->d_dimen = dimen;
    a->d_refcount = -1;
}

/* The elements of an `in` array are only read; the array type has no const variant. */
static inline void sidl__array_set_first(struct sidl__array *a, const void *first)
{
    memcpy(a + 1, &first, sizeof first); /* d_firstElement follows the head in typed arrays */
}

/** Describes a column-major array from 0 up to UPPER in A; LOWER and STRIDE are filled in. */
static inline void sidl__array_init(struct sidl__array *a, enum sidl_array_type type, int32_t dimen,
                                    int32_t lower[], int32_t upper[], int32_t stride[])
{
    int32_t step = 1;
    int32_t i;

    for (i = 0; i < dimen; i++) {
        lower[i] = 0;
        stride[i] = step;
        step *= upper[i] + 1;
    }
    a->d_lower = lower;
    a->d_upper = upper;
    a->d_stride = stride;
    a->d_vtable = &sidl__array_vtables[type];
    a->d_dimen = dimen;
    a->d_refcount = -1;
}

/** In stubs: declares NAME__array, a sidl array around the raw array NAME with these extents. */
#define SIDL_RARRAY(TYPE, NAME, ...)                                                               \
    const int32_t NAME##__extents[] = {__VA_ARGS__};                                               \
    int32_t NAME##__bounds[3 * sizeof NAME##__extents / sizeof(int32_t)];                          \
    struct sidl_##TYPE##__array NAME##__array;                                                     \
    sidl__array_init_rarray(&NAME##__array.d_metadata, sidl_##TYPE##_array,                        \
                            (int32_t)(sizeof NAME##__extents / sizeof(int32_t)), NAME##__extents,  \
                            NAME##__bounds);                                                       \
    sidl__array_set_first(&NAME##__array.d_metadata, NAME)

/* The functions of all element types; GET and PUT copy an element out of and into the array. */
#define SIDL_ARRAY_API(P, CTYPE, PARAMETER, CODE, GET, PUT)                                        \
    struct P##__array {                                                                            \
        struct sidl__array d_metadata;                                                             \
        CTYPE *d_firstElement;                                                                     \
    };                                                                                             \
    static inline struct P##__array *P##__array_createCol(int32_t dimen, const int32_t lower[],    \
                                                          const int32_t upper[])                   \
    {                                                                                              \
        return (struct P##__array *)sidl__array_create(CODE, dimen, lower, upper,                  \
                                                       sidl_column_major_order);                   \
    }                                                                                              \
    static inline struct P##__array *P##__array_createRow(int32_t dimen, const int32_t lower[],    \
                                                          const int32_t upper[])                   \
    {                                                                                              \
        return (struct P##__array *)sidl__array_create(CODE, dimen, lower, upper,                  \
                                                       sidl_row_major_order);                      \
    }                                                                                              \
    static inline struct P##__array *P##__array_create1d(int32_t len)                              \
    {                                                                                              \
        return (struct P##__array *)sidl__array_create_by_extents(CODE, 1, len, 1,                 \
                                                                  sidl_column_major_order);        \
    }                                                                                              \
    static inline struct P##__array *P##__array_create1dInit(int32_t len, PARAMETER const *data)   \
    {                                                                                              \
        return (struct P##__array *)sidl__array_create_filled(CODE, len, data);                    \
    }                                                                                              \
    static inline struct P##__array *P##__array_create2dCol(int32_t m, int32_t n)                  \
    {                                                                                              \
        return (struct P##__array *)sidl__array_create_by_extents(CODE, 2, m, n,                   \
                                                                  sidl_column_major_order);        \
    }                                                                                              \
    static inline struct P##__array *P##__array_create2dRow(int32_t m, int32_t n)                  \
    {                                                                                              \
        return (struct P##__array *)sidl__array_create_by_extents(CODE, 2, m, n,                   \
                                                                  sidl_row_major_order);           \
    }                                                                                              \
    /* the elements stay the caller's and must outlive the array */                                \
    static inline struct P##__array *P##__array_borrow(                                            \
        CTYPE *first, int32_t dimen, const int32_t lower[], const int32_t upper[],                 \
        const int32_t stride[])                                                                    \
    {                                                                                              \
        return (struct P##__array *)sidl__array_borrow(CODE, first, dimen, lower, upper, stride);  \
    }                                                                                              \
    /* shares the elements; a NUM_ELEM of 0 drops that dimension */                                \
    static inline struct P##__array *P##__array_slice(                                             \
        struct P##__array *src, int32_t dimen, const int32_t num_elem[], const int32_t *src_start, \
        const int32_t *src_stride, const int32_t *new_start)                                       \
    {                                                                                              \
        return (struct P##__array *)sidl__array_slice((struct sidl__array *)src, dimen, num_elem,  \
                                                      src_start, src_stride, new_start);           \
    }                                                                                              \
    /* describes the elements at FIRST, which stay the caller's, in ARRAY and the three lists, of  \
       which only UPPER is given: column-major from 0. Not counted. */                             \
    static inline void P##__array_init(CTYPE const *first, struct P##__array *array,               \
                                       int32_t dimen, int32_t lower[], int32_t upper[],            \
                                       int32_t stride[])                                           \
    {                                                                                              \
        sidl__array_init(&array->d_metadata, CODE, dimen, lower, upper, stride);                   \
        sidl__array_set_first(&array->d_metadata, first);                                          \
    }                                                                                              \
    /* ARRAY itself, no new reference; NULL when its elements are of another type */               \
    static inline struct P##__array *P##__array_cast(struct sidl__array *array)                    \
    {                                                                                              \
        return (struct P##__array *)sidl__array_of_type(array, CODE);                              \
    }                                                                                              \
    /* a new reference; a copy where the elements are borrowed */                                  \
    static inline struct P##__array *P##__array_smartCopy(struct P##__array *array)                \
    {                                                                                              \
        return (struct P##__array *)sidl__array_smartCopy((struct sidl__array *)array);            \
    }                                                                                              \
    /* a new reference of the wanted order, copied where need be; NULL on another dimension */     \
    static inline struct P##__array *P##__array_ensure(struct P##__array *src, int32_t dimen,      \
                                                       int ordering)                               \
    {                                                                                              \
        return (struct P##__array *)sidl__array_ensure((struct sidl__array *)src, dimen,           \
                                                       ordering);                                  \
    }                                                                                              \
    /* the part where the index ranges overlap */                                                  \
    static inline void P##__array_copy(const struct P##__array *src, struct P##__array *dest)      \
    {                                                                                              \
        sidl__array_copy((const struct sidl__array *)src, (struct sidl__array *)dest);             \
    }                                                                                              \
    static inline void P##__array_addRef(struct P##__array *array)                                 \
    {                                                                                              \
        sidl__array_addRef((struct sidl__array *)array);                                           \
    }                                                                                              \
    static inline void P##__array_deleteRef(struct P##__array *array)                              \
    {                                                                                              \
        sidl__array_deleteRef((struct sidl__array *)array);                                        \
    }                                                                                              \
    static inline int32_t P##__array_dimen(const struct P##__array *array)                         \
    {                                                                                              \
        return sidl__array_dimen((const struct sidl__array *)array);                               \
    }                                                                                              \
    static inline int32_t P##__array_lower(const struct P##__array *array, int32_t ind)            \
    {                                                                                              \
        return sidl__array_lower((const struct sidl__array *)array, ind);                          \
    }                                                                                              \
    static inline int32_t P##__array_upper(const struct P##__array *array, int32_t ind)            \
    {                                                                                              \
        return sidl__array_upper((const struct sidl__array *)array, ind);                          \
    }                                                                                              \
    static inline int32_t P##__array_length(const struct P##__array *array, int32_t ind)           \
    {                                                                                              \
        return sidl__array_length((const struct sidl__array *)array, ind);                         \
    }                                                                                              \
    static inline int32_t P##__array_stride(const struct P##__array *array, int32_t ind)           \
    {                                                                                              \
        return sidl__array_stride((const struct sidl__array *)array, ind);                         \
    }                                                                                              \
    static inline sidl_bool P##__array_isColumnOrder(const struct P##__array *array)               \
    {                                                                                              \
        return sidl__array_isColumnOrder((const struct sidl__array *)array);                       \
    }                                                                                              \
    static inline sidl_bool P##__array_isRowOrder(const struct P##__array *array)                  \
    {                                                                                              \
        return sidl__array_isRowOrder((const struct sidl__array *)array);                          \
    }                                                                                              \
    static inline CTYPE *P##__array_first(const struct P##__array *array)                          \
    {                                                                                              \
        return array ? array->d_firstElement : NULL;                                               \
    }                                                                                              \
    static inline CTYPE P##__array__at(const struct P##__array *array, int32_t dimen,              \
                                       const int32_t indices[])                                    \
    {                                                                                              \
        CTYPE *place =                                                                             \
            (CTYPE *)sidl__array_address((const struct sidl__array *)array, dimen, indices);       \
        CTYPE none;                                                                                \
        if (place)                                                                                 \
            return GET(CTYPE, CODE, *place);                                                       \
        memset(&none, 0, sizeof none);                                                             \
        return none;                                                                               \
    }                                                                                              \
    static inline void P##__array__put(const struct P##__array *array, int32_t dimen,              \
                                       const int32_t indices[], PARAMETER value)                   \
    {                                                                                              \
        CTYPE *place =                                                                             \
            (CTYPE *)sidl__array_address((const struct sidl__array *)array, dimen, indices);       \
        if (place)                                                                                 \
            PUT(CODE, place, value);                                                               \
    }                                                                                              \
    static inline CTYPE P##__array_get(const struct P##__array *array, const int32_t indices[])    \
    {                                                                                              \
        return P##__array__at(array, P##__array_dimen(array), indices);                            \
    }                                                                                              \
    static inline void P##__array_set(struct P##__array *array, const int32_t indices[],           \
                                      PARAMETER value)                                             \
    {                                                                                              \
        P##__array__put(array, P##__array_dimen(array), indices, value);                           \
    }                                                                                              \
    SIDL_ARRAY_ACCESS(P, CTYPE, PARAMETER, 1, (int32_t i1), (i1))                                  \
    SIDL_ARRAY_ACCESS(P, CTYPE, PARAMETER, 2, (int32_t i1, int32_t i2), (i1, i2))                  \
    SIDL_ARRAY_ACCESS(P, CTYPE, PARAMETER, 3, (int32_t i1, int32_t i2, int32_t i3), (i1, i2, i3))  \
    SIDL_ARRAY_ACCESS(P, CTYPE, PARAMETER, 4, (int32_t i1, int32_t i2, int32_t i3, int32_t i4),    \
                      (i1, i2, i3, i4))                                                            \
    SIDL_ARRAY_ACCESS(P, CTYPE, PARAMETER, 5,                                                      \
                      (int32_t i1, int32_t i2, int32_t i3, int32_t i4, int32_t i5),                \
                      (i1, i2, i3, i4, i5))                                                        \
    SIDL_ARRAY_ACCESS(P, CTYPE, PARAMETER, 6,                                                      \
                      (int32_t i1, int32_t i2, int32_t i3, int32_t i4, int32_t i5, int32_t i6),    \
                      (i1, i2, i3, i4, i5, i6))                                                    \
    SIDL_ARRAY_ACCESS(                                                                             \
        P, CTYPE, PARAMETER, 7,                                                                    \
        (int32_t i1, int32_t i2, int32_t i3, int32_t i4, int32_t i5, int32_t i6, int32_t i7),      \
        (i1, i2, i3, i4, i5, i6, i7))

#define SIDL__UNWRAP(...) __VA_ARGS__
#define SIDL_ARRAY_ACCESS(P, CTYPE, PARAMETER, N, DECLARED, INDICES)                               \
    static inline CTYPE P##__array_get##N(const struct P##__array *array, SIDL__UNWRAP DECLARED)   \
    {                                                                                              \
        const int32_t indices[] = {SIDL__UNWRAP INDICES};                                          \
        return P##__array__at(array, N, indices);                                                  \
    }                                                                                              \
    static inline void P##__array_set##N(struct P##__array *array, SIDL__UNWRAP DECLARED,          \
                                         PARAMETER value)                                          \
    {                                                                                              \
        const int32_t indices[] = {SIDL__UNWRAP INDICES};                                          \
        P##__array__put(array, N, indices, value);                                                 \
    }

#define SIDL__GET_PLAIN(CTYPE, CODE, ELEMENT) (ELEMENT)
#define SIDL__PUT_PLAIN(CODE, PLACE, VALUE)   (*(PLACE) = (VALUE))
#define SIDL__GET_OWNED(CTYPE, CODE, ELEMENT) ((CTYPE)sidl__array_take(CODE, ELEMENT))
#define SIDL__PUT_OWNED(CODE, PLACE, VALUE)   sidl__array_put(CODE, PLACE, (void *)(VALUE))

#define SIDL_PLAIN_ARRAY_API(P, CTYPE, CODE)                                                       \
    SIDL_ARRAY_API(P, CTYPE, CTYPE, CODE, SIDL__GET_PLAIN, SIDL__PUT_PLAIN)

/** Arrays of an interface type A_B_C: struct A_B_C__array and its functions. */
#define SIDL_OBJECT_ARRAY_API(P)                                                                   \
    SIDL_ARRAY_API(P, P, P, sidl_interface_array, SIDL__GET_OWNED, SIDL__PUT_OWNED)

SIDL_PLAIN_ARRAY_API(sidl_bool, sidl_bool, sidl_bool_array)
SIDL_PLAIN_ARRAY_API(sidl_char, char, sidl_char_array)
SIDL_PLAIN_ARRAY_API(sidl_dcomplex, struct sidl_dcomplex, sidl_dcomplex_array)
SIDL_PLAIN_ARRAY_API(sidl_double, double, sidl_double_array)
SIDL_PLAIN_ARRAY_API(sidl_fcomplex, struct sidl_fcomplex, sidl_fcomplex_array)
SIDL_PLAIN_ARRAY_API(sidl_float, float, sidl_float_array)
SIDL_PLAIN_ARRAY_API(sidl_int, int32_t, sidl_int_array)
SIDL_PLAIN_ARRAY_API(sidl_long, int64_t, sidl_long_array)
SIDL_PLAIN_ARRAY_API(sidl_opaque, void *, sidl_opaque_array)
SIDL_ARRAY_API(sidl_string, char *, const char *, sidl_string_array, SIDL__GET_OWNED,
               SIDL__PUT_OWNED)
SIDL_ARRAY_API(sidl_interface, sidl_BaseInterface, sidl_BaseInterface, sidl_interface_array,
               SIDL__GET_OWNED, SIDL__PUT_OWNED)
SIDL_OBJECT_ARRAY_API(sidl_BaseInterface)
SIDL_OBJECT_ARRAY_API(sidl_BaseClass)

#ifdef __cplusplus
}
#endif
#endif
