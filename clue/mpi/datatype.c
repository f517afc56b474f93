/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the built-in data types, and answers questions about any: sizes, names, contents. */
#include "internal.h"

#include <stdio.h>

/* ---------------------------------------------------------------- built-in types */

/* clang-format off */
#define BASIC_TYPES(X)                                                                             \
    X(CHAR) X(SIGNED_CHAR) X(UNSIGNED_CHAR) X(BYTE) X(WCHAR) X(SHORT) X(UNSIGNED_SHORT) X(INT)     \
    X(UNSIGNED) X(LONG) X(UNSIGNED_LONG) X(FLOAT) X(DOUBLE) X(LONG_DOUBLE) X(LONG_LONG_INT)        \
    X(UNSIGNED_LONG_LONG) X(PACKED) X(COMPLEX) X(DOUBLE_COMPLEX) X(LOGICAL) X(REAL)                \
    X(DOUBLE_PRECISION) X(INTEGER) X(CHARACTER) X(REAL4) X(REAL8) X(REAL16) X(COMPLEX8)            \
    X(COMPLEX16) X(COMPLEX32) X(INTEGER1) X(INTEGER2) X(INTEGER4) X(INTEGER8) X(INT8_T)            \
    X(INT16_T) X(INT32_T) X(INT64_T) X(UINT8_T) X(UINT16_T) X(UINT32_T) X(UINT64_T) X(C_BOOL)      \
    X(C_FLOAT_COMPLEX) X(C_DOUBLE_COMPLEX) X(C_LONG_DOUBLE_COMPLEX) X(AINT) X(OFFSET) X(COUNT)     \
    X(CXX_BOOL) X(CXX_FLOAT_COMPLEX) X(CXX_DOUBLE_COMPLEX) X(CXX_LONG_DOUBLE_COMPLEX) \
    X(LB) X(UB)
/* Pairs of two values, of which the second (or both) is at OFFSET. */
#define PAIR_TYPES(X)                                                                              \
    X(FLOAT_INT, FLOAT, INT, 4) X(DOUBLE_INT, DOUBLE, INT, 8) X(LONG_INT, LONG, INT, 8)            \
    X(SHORT_INT, SHORT, INT, 4)                                                                    \
    X(LONG_DOUBLE_INT, LONG_DOUBLE, INT, 16) X(2INT, INT, INT, 4)                                  \
    X(2INTEGER, INTEGER, INTEGER, 4) X(2REAL, REAL, REAL, 4)                                       \
    X(2DOUBLE_PRECISION, DOUBLE_PRECISION, DOUBLE_PRECISION, 8)
/* clang-format on */

static struct mpi_type basics[256], direct_pairs[MPI_FIRST_TYPE];
static struct mpi_run basic_runs[256][2], pair_runs[MPI_FIRST_TYPE][2];

static int size_of(MPI_Datatype basic)
{
    return (int)((uint32_t)basic >> 8 & 255);
}

/* Returns the alignment: complex numbers are as their parts; MPICH does not align quadruple
 * ones. */
static int alignment_of(MPI_Datatype basic)
{
    int size = size_of(basic);

    switch (basic) {
    case MPI_COMPLEX:
    case MPI_DOUBLE_COMPLEX:
    case MPI_COMPLEX8:
    case MPI_COMPLEX16:
    case MPI_C_FLOAT_COMPLEX:
    case MPI_C_DOUBLE_COMPLEX:
    case MPI_C_LONG_DOUBLE_COMPLEX:
    case MPI_CXX_FLOAT_COMPLEX:
    case MPI_CXX_DOUBLE_COMPLEX:
    case MPI_CXX_LONG_DOUBLE_COMPLEX:
        return size / 2;
    case MPI_REAL16:
    case MPI_COMPLEX32:
    case MPI_LB:
    case MPI_UB:
        return 1;
    default:
        return size;
    }
}

static void fill(struct mpi_type *type, struct mpi_run *runs, MPI_Datatype handle, const char *name,
                 MPI_Datatype first, MPI_Datatype second, MPI_Aint offset)
{
    int align = alignment_of(first);

    *type = (struct mpi_type){.handle = handle,
                              .refs = 1,
                              .is_builtin = true,
                              .is_committed = true,
                              .combiner = MPI_COMBINER_NAMED,
                              .runs = runs};
    snprintf(type->object.name, sizeof type->object.name, "MPI_%s", name);
    runs[0] = (struct mpi_run){.bytes = size_of(first), .count = 1, .basic = first};
    type->n_runs = type->n_elements = second ? 2 : 1;
    type->basic = handle;
    type->size = type->true_extent = size_of(first);
    if (second) {
        align = alignment_of(second) > align ? alignment_of(second) : align;
        runs[1] = (struct mpi_run){
            .offset = offset, .bytes = size_of(second), .count = 1, .basic = second};
        type->size += size_of(second);
        type->true_extent = offset + size_of(second);
    }
    type->align = align;
    type->extent = (type->true_extent + align - 1) / align * align;
    type->is_dense = type->size == type->true_extent;
    type->is_contiguous = type->is_dense && type->size == type->extent;
}

static void fill_pair(MPI_Datatype handle, const char *name, MPI_Datatype first,
                      MPI_Datatype second, MPI_Aint offset)
{
    int i = handle & 255;

    if ((uint32_t)handle >> 30 == 2)
        fill(&direct_pairs[i], pair_runs[i], handle, name, first, second, offset);
    else
        fill(&basics[i], basic_runs[i], handle, name, first, second, offset);
}

static void fill_all(void)
{
#define FILL(name)                                                                                 \
    fill(&basics[MPI_##name & 255], basic_runs[MPI_##name & 255], MPI_##name, #name, MPI_##name,   \
         0, 0);
    BASIC_TYPES(FILL)
#define FILL_PAIR(name, first, second, offset)                                                     \
    fill_pair(MPI_##name, #name, MPI_##first, MPI_##second, offset);
    PAIR_TYPES(FILL_PAIR)
    strcpy(basics[MPI_C_FLOAT_COMPLEX & 255].object.name, "MPI_C_COMPLEX");
}

struct mpi_type *mpi_builtin_type(MPI_Datatype handle)
{
    struct mpi_type *type = &basics[handle & 255];

    return (uint32_t)handle >> 16 == 0x4c00 && type->handle == handle ? type : NULL;
}

struct mpi_type *mpi_basic_type(const struct mpi_type *type)
{
    return (uint32_t)type->basic >> 30 == 2 ? &direct_pairs[type->basic & 255]
                                            : mpi_builtin_type(type->basic);
}

void mpi_types_begin(struct mpi_task *t)
{
    if (!basics[MPI_INT & 255].refs)
        fill_all();
    for (int i = 0; i < MPI_FIRST_TYPE; i++)
        mpi_handle(t, MPI_KIND_TYPE, &direct_pairs[i]);
}

/* ---------------------------------------------------------------- lives */

void mpi_type_retain(struct mpi_type *type)
{
    if (!type->is_builtin)
        type->refs++;
}

void mpi_type_release(struct mpi_type *type)
{
    if (!type || type->is_builtin || --type->refs)
        return;
    for (size_t i = 0; i < type->n_types; i++)
        mpi_type_release(type->types[i]);
    free(type->runs);
    free(type->counts);
    free(type->addresses);
    free(type->types);
    free(type);
}

int do_Type_free(struct mpi_task *t, MPI_Datatype *handle)
{
    struct mpi_type *type = mpi_type(t, *handle);
    int code;

    if (!type || type->is_builtin)
        return mpi_error(t, MPI_ERR_TYPE, "0x%x is no type made by the program", *handle);
    code = mpi_attributes_delete(*handle, &type->object);
    if (code != MPI_SUCCESS)
        return code;
    mpi_handle_free(t, *handle);
    mpi_type_release(type);
    *handle = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

/* ---------------------------------------------------------------- sizes */

MPI_Count mpi_elements_in(const struct mpi_type *type, MPI_Count bytes)
{
    MPI_Count n = type->size ? bytes / type->size * type->n_elements : 0;
    MPI_Count left = type->size ? bytes % type->size : 0;

    for (size_t i = 0; left > 0 && i < type->n_runs; i++) {
        MPI_Count run = type->runs[i].bytes * type->runs[i].count;
        MPI_Count part = run < left ? run : left;

        n += part / size_of((MPI_Datatype)type->runs[i].basic);
        left -= part;
    }
    return n;
}

/* ---------------------------------------------------------------- how a type was made */

int mpi_type_contents(struct mpi_task *t, const struct mpi_type *type, MPI_Count room_counts,
                      MPI_Count room_addresses, MPI_Count room_types, int *counts,
                      MPI_Aint *addresses, MPI_Datatype *types)
{
    if (type->combiner == MPI_COMBINER_NAMED)
        return mpi_error(t, MPI_ERR_TYPE, "%s is built in", type->object.name);
    if (room_counts < (MPI_Count)type->n_counts || room_addresses < (MPI_Count)type->n_addresses ||
        room_types < (MPI_Count)type->n_types)
        return mpi_error(t, MPI_ERR_ARG, "the arrays are too short");
    for (size_t i = 0; i < type->n_counts; i++)
        counts[i] = (int)type->counts[i];
    for (size_t i = 0; i < type->n_addresses; i++)
        addresses[i] = type->addresses[i];
    for (size_t i = 0; i < type->n_types; i++) {
        struct mpi_type *old = type->types[i];

        types[i] = old->handle;
        if (old->is_builtin)
            continue;
        mpi_type_retain(old);
        types[i] = mpi_handle(t, MPI_KIND_TYPE, old);
    }
    return MPI_SUCCESS;
}
