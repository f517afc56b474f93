/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constructors of data types. A type is flattened into runs at once: blocks that touch become one,
 * equal blocks at equal distances become a series, so a vector or a face of a cube consists of few
 * runs.
 */
#include "internal.h"

struct builder {
    struct mpi_type *type;
    size_t room;
    bool is_empty;
    MPI_Count ub, true_ub;
};

static void begin(struct builder *b, int combiner)
{
    *b = (struct builder){.type = mpi_alloc(1, sizeof *b->type), .is_empty = true};
    b->type->refs = 1;
    b->type->align = 1;
    b->type->combiner = combiner;
}

/* ---------------------------------------------------------------- runs */

/* Returns whether RUN begins where LAST ends; if so, it becomes a part of it. */
static bool is_joined(struct mpi_run *last, const struct mpi_run *run)
{
    if (last->basic != run->basic)
        return false;
    if (last->count == 1 && run->count == 1 && last->offset + last->bytes == run->offset) {
        last->bytes += run->bytes;
        return true;
    }
    if (last->bytes != run->bytes)
        return false;
    if (last->count == 1 && (run->count == 1 || run->stride == run->offset - last->offset))
        last->stride = run->offset - last->offset;
    else if (last->offset + last->count * last->stride != run->offset ||
             (run->count > 1 && run->stride != last->stride))
        return false;
    last->count += run->count;
    return true;
}

static void add_run(struct builder *b, struct mpi_run run)
{
    struct mpi_type *type = b->type;

    if (!run.bytes || !run.count)
        return;
    if (run.count > 1 && run.stride == run.bytes) {
        run.bytes *= run.count;
        run.count = 1;
    }
    if (type->n_runs && is_joined(&type->runs[type->n_runs - 1], &run))
        return;
    if (!portolan_reserve(&type->runs, &b->room, type->n_runs + 1, sizeof *type->runs))
        clue_fail("out of memory");
    type->runs[type->n_runs++] = run;
}

/* Adds COUNT items of OLD, from displacement AT on. */
static void add(struct builder *b, const struct mpi_type *old, MPI_Count at, MPI_Count count)
{
    struct mpi_type *type = b->type;
    MPI_Count span = (count - 1) * old->extent, low, high, true_low, true_high;

    if (count <= 0)
        return;
    low = at + old->lb + (span < 0 ? span : 0);
    high = at + old->lb + old->extent + (span > 0 ? span : 0);
    true_low = at + old->true_lb + (span < 0 ? span : 0);
    true_high = at + old->true_lb + old->true_extent + (span > 0 ? span : 0);
    if (b->is_empty || low < type->lb)
        type->lb = low;
    if (b->is_empty || high > b->ub)
        b->ub = high;
    if (!type->size || true_low < type->true_lb)
        type->true_lb = true_low;
    if (!type->size || true_high > b->true_ub)
        b->true_ub = true_high;
    type->basic = b->is_empty || type->basic == old->basic ? old->basic : MPI_DATATYPE_NULL;
    b->is_empty = false;
    type->size += count * old->size;
    type->n_elements += count * old->n_elements;
    if (old->align > type->align)
        type->align = old->align;
    if (old->n_runs == 1 && old->runs[0].count == 1) {
        add_run(b, (struct mpi_run){.offset = at + old->runs[0].offset,
                                    .bytes = old->runs[0].bytes,
                                    .count = count,
                                    .stride = old->extent,
                                    .basic = old->runs[0].basic});
        return;
    }
    for (MPI_Count i = 0; i < count; i++) {
        for (size_t k = 0; k < old->n_runs; k++) {
            struct mpi_run run = old->runs[k];

            run.offset += at + i * old->extent;
            add_run(b, run);
        }
    }
}

static bool is_dense(const struct mpi_type *type)
{
    MPI_Aint at = type->true_lb;

    for (size_t i = 0; i < type->n_runs; i++) {
        if (type->runs[i].offset != at || type->runs[i].count > 1)
            return false;
        at += type->runs[i].bytes;
    }
    return true;
}

static struct mpi_type *end(struct builder *b)
{
    struct mpi_type *type = b->type;

    type->extent = b->ub - type->lb;
    type->true_extent = b->true_ub - type->true_lb;
    type->is_dense = is_dense(type);
    type->is_contiguous = type->is_dense && type->size == type->extent;
    return type;
}

/* ---------------------------------------------------------------- contents */

static void note_counts(struct mpi_type *type, size_t n, const MPI_Count *counts)
{
    type->counts = portolan_reallocarray(type->counts, type->n_counts + n, sizeof *counts);
    if (!type->counts)
        clue_fail("out of memory");
    memcpy(type->counts + type->n_counts, counts, n * sizeof *counts);
    type->n_counts += n;
}
#define NOTE(type, ...)                                                                            \
    note_counts(type, sizeof((MPI_Count[]){__VA_ARGS__}) / sizeof(MPI_Count),                      \
                (MPI_Count[]){__VA_ARGS__})

static void note_addresses(struct mpi_type *type, size_t n, const MPI_Count *addresses)
{
    type->addresses = mpi_copy_of(addresses, n, sizeof *addresses);
    type->n_addresses = n;
}

static void note_type(struct mpi_type *type, struct mpi_type *old)
{
    if (!portolan_append(&type->types, &type->n_types, &old, sizeof old))
        clue_fail("out of memory");
    mpi_type_retain(old);
}

static int publish(struct mpi_task *t, struct mpi_type *type, MPI_Datatype *handle)
{
    *handle = type->handle = mpi_handle(t, MPI_KIND_TYPE, type);
    return MPI_SUCCESS;
}

/* ---------------------------------------------------------------- series and lists */

int do_Type_contiguous(struct mpi_task *t, MPI_Count count, MPI_Datatype old, MPI_Datatype *handle)
{
    struct mpi_type *type = mpi_type(t, old);
    struct builder b;

    begin(&b, MPI_COMBINER_CONTIGUOUS);
    add(&b, type, 0, count);
    NOTE(b.type, count);
    note_type(b.type, type);
    return publish(t, end(&b), handle);
}

static int blocklength_error(struct mpi_task *t, MPI_Count length)
{
    return mpi_error(t, MPI_ERR_COUNT, "block length is %ld", length);
}

int mpi_type_vector(struct mpi_task *t, int combiner, MPI_Count count, MPI_Count length,
                    MPI_Count stride, MPI_Datatype old, MPI_Datatype *handle)
{
    struct mpi_type *type = mpi_type(t, old);
    bool is_bytes = combiner == MPI_COMBINER_HVECTOR;
    struct builder b;

    if (length < 0)
        return blocklength_error(t, length);
    begin(&b, combiner);
    for (MPI_Count i = 0; i < count; i++)
        add(&b, type, i * stride * (is_bytes ? 1 : type->extent), length);
    NOTE(b.type, count, length);
    if (is_bytes)
        note_addresses(b.type, 1, &stride);
    else
        NOTE(b.type, stride);
    note_type(b.type, type);
    return publish(t, end(&b), handle);
}

int mpi_type_indexed(struct mpi_task *t, int combiner, MPI_Count count, const MPI_Count *lengths,
                     size_t step, const MPI_Count *displacements, bool is_bytes, MPI_Datatype old,
                     MPI_Datatype *handle)
{
    struct mpi_type *type = mpi_type(t, old);
    struct builder b;

    for (MPI_Count i = 0; i < count; i++)
        if (lengths[(size_t)i * step] < 0)
            return blocklength_error(t, lengths[(size_t)i * step]);
    begin(&b, combiner);
    for (MPI_Count i = 0; i < count; i++)
        add(&b, type, displacements[i] * (is_bytes ? 1 : type->extent), lengths[(size_t)i * step]);
    NOTE(b.type, count);
    note_counts(b.type, step ? (size_t)count : 1, lengths);
    if (is_bytes)
        note_addresses(b.type, (size_t)count, displacements);
    else
        note_counts(b.type, (size_t)count, displacements);
    note_type(b.type, type);
    return publish(t, end(&b), handle);
}

/* Returns whether a type of MPI-1 only marks where a struct begins or ends, and has no data. */
static bool is_marker(MPI_Datatype type)
{
    return type == MPI_LB || type == MPI_UB;
}

int do_Type_create_struct(struct mpi_task *t, MPI_Count count, const MPI_Count lengths[],
                          const MPI_Count displacements[], const MPI_Datatype types[],
                          MPI_Datatype *handle)
{
    MPI_Count n_blocks = 0;
    struct builder b;

    for (MPI_Count i = 0; i < count; i++) {
        if (lengths[i] < 0)
            return blocklength_error(t, lengths[i]);
        if (!mpi_type(t, types[i]))
            return mpi_error(t, MPI_ERR_TYPE, "type %ld is 0x%x", i, types[i]);
    }
    begin(&b, MPI_COMBINER_STRUCT);
    NOTE(b.type, count);
    note_counts(b.type, (size_t)count, lengths);
    note_addresses(b.type, (size_t)count, displacements);
    for (MPI_Count i = 0; i < count; i++) {
        if (!is_marker(types[i]))
            add(&b, mpi_type(t, types[i]), displacements[i], lengths[i]);
        note_type(b.type, mpi_type(t, types[i]));
    }
    end(&b);
    /* Pads as a compiler pads a struct; MPICH does not if a single block is left. */
    for (MPI_Count i = 0; i < count; i++)
        n_blocks += lengths[i] > 0 && !is_marker(types[i]);
    if (n_blocks > 1)
        b.type->extent = (b.type->extent + b.type->align - 1) / b.type->align * b.type->align;
    b.ub = b.type->lb + b.type->extent;
    for (MPI_Count i = 0; i < count; i++)
        if (is_marker(types[i]))
            *(types[i] == MPI_LB ? &b.type->lb : &b.ub) = displacements[i];
    b.type->extent = b.ub - b.type->lb;
    b.type->is_contiguous = b.type->is_dense && b.type->size == b.type->extent;
    return publish(t, b.type, handle);
}

/* ---------------------------------------------------------------- others */

int do_Type_create_resized(struct mpi_task *t, MPI_Datatype old, MPI_Count lb, MPI_Count extent,
                           MPI_Datatype *handle)
{
    struct mpi_type *type = mpi_type(t, old);
    struct builder b;

    begin(&b, MPI_COMBINER_RESIZED);
    add(&b, type, 0, 1);
    note_addresses(b.type, 2, (MPI_Count[]){lb, extent});
    note_type(b.type, type);
    b.type->lb = lb;
    b.ub = lb + extent;
    return publish(t, end(&b), handle);
}

int do_Type_dup(struct mpi_task *t, MPI_Datatype old, MPI_Datatype *handle)
{
    struct mpi_type *type = mpi_type(t, old);
    struct builder b;
    int code;

    begin(&b, MPI_COMBINER_DUP);
    add(&b, type, 0, 1);
    note_type(b.type, type);
    end(&b)->is_committed = type->is_committed;
    code = mpi_attributes_copy(old, &type->object, &b.type->object);
    if (code != MPI_SUCCESS) {
        *handle = MPI_DATATYPE_NULL;
        mpi_type_release(b.type);
        return code;
    }
    return publish(t, b.type, handle);
}

/* Returns the D-th dimension of an array in the order from the fastest on. */
static int fastest(int d, int n, int order)
{
    return order == MPI_ORDER_FORTRAN ? d : n - 1 - d;
}

/* Publishes a type that has PART of an array at displacement AT; its size is BYTES. */
static int publish_part(struct mpi_task *t, struct builder *b, struct mpi_type *part, MPI_Count at,
                        MPI_Count bytes, struct mpi_type *old, MPI_Datatype *handle)
{
    add(b, part, at, 1);
    note_type(b->type, old);
    b->type->lb = 0;
    b->ub = bytes;
    mpi_type_release(part);
    return publish(t, end(b), handle);
}

/* Returns the items of PART, STRIDE apart, that process COORD of SIZE has of N. */
static struct mpi_type *distribute(const struct mpi_type *part, MPI_Count stride, MPI_Count n,
                                   int distribution, MPI_Count block, int coord, int size)
{
    struct builder b;

    if (distribution == MPI_DISTRIBUTE_NONE) {
        size = 1;
        coord = 0;
    }
    if (block == MPI_DISTRIBUTE_DFLT_DARG)
        block = distribution == MPI_DISTRIBUTE_CYCLIC ? 1 : (n + size - 1) / size;
    begin(&b, 0);
    for (MPI_Count first = coord * block; first < n; first += size * block) {
        for (MPI_Count i = first; i < first + block && i < n; i++)
            add(&b, part, i * stride, 1);
        if (distribution != MPI_DISTRIBUTE_CYCLIC)
            break;
    }
    return end(&b);
}

int do_Type_create_subarray(struct mpi_task *t, int n, const MPI_Count sizes[],
                            const MPI_Count subsizes[], const MPI_Count starts[], int order,
                            MPI_Datatype old, MPI_Datatype *handle)
{
    struct mpi_type *type = mpi_type(t, old), *part = type;
    MPI_Count stride = type->extent, at = 0;
    struct builder b;

    if (n < 1 || (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN))
        return mpi_error(t, MPI_ERR_ARG, "ndims is %d, order %d", n, order);
    for (int i = 0; i < n; i++)
        if (subsizes[i] < 1 || starts[i] < 0 || starts[i] + subsizes[i] > sizes[i])
            return mpi_error(t, MPI_ERR_ARG, "dimension %d: %ld from %ld on of %ld", i, subsizes[i],
                             starts[i], sizes[i]);
    mpi_type_retain(part);
    for (int i = 0; i < n; i++) {
        int d = fastest(i, n, order);
        struct mpi_type *line = distribute(part, stride, subsizes[d], MPI_DISTRIBUTE_NONE,
                                           MPI_DISTRIBUTE_DFLT_DARG, 0, 1);

        mpi_type_release(part);
        part = line;
        at += starts[d] * stride;
        stride *= sizes[d];
    }
    begin(&b, MPI_COMBINER_SUBARRAY);
    NOTE(b.type, n);
    note_counts(b.type, (size_t)n, sizes);
    note_counts(b.type, (size_t)n, subsizes);
    note_counts(b.type, (size_t)n, starts);
    NOTE(b.type, order);
    return publish_part(t, &b, part, at, stride, type, handle);
}

int do_Type_create_darray(struct mpi_task *t, int size, int rank, int n, const MPI_Count gsizes[],
                          const int distribs[], const int dargs[], const int psizes[], int order,
                          MPI_Datatype old, MPI_Datatype *handle)
{
    struct mpi_type *type = mpi_type(t, old), *part = type;
    MPI_Count stride = type->extent;
    struct builder b;
    int *coords, left = rank;

    if (n < 1 || rank < 0 || rank >= size)
        return mpi_error(t, MPI_ERR_ARG, "ndims is %d, rank %d of %d", n, rank, size);
    coords = mpi_alloc((size_t)n, sizeof *coords);
    for (int i = n - 1; i >= 0; left /= psizes[i--])
        coords[i] = left % psizes[i];
    mpi_type_retain(part);
    for (int i = 0; i < n; i++) {
        int d = fastest(i, n, order);
        struct mpi_type *line =
            distribute(part, stride, gsizes[d], distribs[d], dargs[d], coords[d], psizes[d]);

        mpi_type_release(part);
        part = line;
        stride *= gsizes[d];
    }
    free(coords);
    begin(&b, MPI_COMBINER_DARRAY);
    NOTE(b.type, size, rank, n);
    note_counts(b.type, (size_t)n, gsizes);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++)
            NOTE(b.type, (k == 0 ? distribs : k == 1 ? dargs : psizes)[i]);
    NOTE(b.type, order);
    return publish_part(t, &b, part, 0, stride, type, handle);
}

/* ---------------------------------------------------------------- Fortran 90 */

/* Types by decimal digits and exponents, the smallest first. SIZED: the name with the size. */
#define FORTRAN(kind, p, r, type, sized)                                                           \
    {                                                                                              \
        MPI_TYPECLASS_##kind, MPI_COMBINER_F90_##kind, p, r, MPI_##type, MPI_##sized               \
    }
static const struct {
    int class, combiner, p, r;
    MPI_Datatype type, sized;
} fortran_types[] = {FORTRAN(INTEGER, 0, 2, INTEGER1, INTEGER1),
                     FORTRAN(INTEGER, 0, 4, INTEGER2, INTEGER2),
                     FORTRAN(INTEGER, 0, 9, INTEGER, INTEGER4),
                     FORTRAN(INTEGER, 0, 18, INTEGER8, INTEGER8),
                     FORTRAN(REAL, 6, 37, REAL, REAL4),
                     FORTRAN(REAL, 15, 307, DOUBLE_PRECISION, REAL8),
                     FORTRAN(REAL, 33, 4931, REAL16, REAL16),
                     FORTRAN(COMPLEX, 6, 37, COMPLEX, COMPLEX8),
                     FORTRAN(COMPLEX, 15, 307, DOUBLE_COMPLEX, COMPLEX16),
                     FORTRAN(COMPLEX, 33, 4931, COMPLEX32, COMPLEX32)};
enum { FORTRAN_TYPES = sizeof fortran_types / sizeof *fortran_types };

int do_Type_match_size(struct mpi_task *t, int class, int size, MPI_Datatype *handle)
{
    for (size_t i = 0; i < FORTRAN_TYPES; i++)
        if (fortran_types[i].class == class &&
            mpi_builtin_type(fortran_types[i].type)->size == size) {
            *handle = fortran_types[i].sized;
            return MPI_SUCCESS;
        }
    return mpi_error(t, MPI_ERR_ARG, "no type of this class has %d bytes", size);
}

int mpi_type_f90(struct mpi_task *t, int combiner, int p, int r, MPI_Datatype *handle)
{
    struct builder b;
    size_t i = 0;

    while (i < FORTRAN_TYPES && (fortran_types[i].combiner != combiner || p > fortran_types[i].p ||
                                 r > fortran_types[i].r))
        i++;
    if (i == FORTRAN_TYPES)
        return mpi_error(t, MPI_ERR_ARG, "no type has this precision or range");
    begin(&b, combiner);
    add(&b, mpi_builtin_type(fortran_types[i].type), 0, 1);
    if (combiner != MPI_COMBINER_F90_INTEGER)
        NOTE(b.type, p);
    NOTE(b.type, r);
    end(&b)->is_committed = true;
    return publish(t, b.type, handle);
}
