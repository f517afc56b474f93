/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies items between their places and a dense row of bytes. */
#include "internal.h"

/* Copies the blocks of a run. For usual sizes, the compiler knows BYTES. */
static inline __attribute__((always_inline)) char *
copy_blocks(const struct mpi_run *run, char *item, char *row, bool is_packing, size_t bytes)
{
    char *at = item + run->offset;

    for (MPI_Count i = 0; i < run->count; i++, at += run->stride, row += bytes)
        memcpy(is_packing ? row : at, is_packing ? at : row, bytes);
    return row;
}

static inline char *copy_run(const struct mpi_run *run, char *item, char *row, bool is_packing)
{
    switch (run->bytes) {
    case 4:
        return copy_blocks(run, item, row, is_packing, 4);
    case 8:
        return copy_blocks(run, item, row, is_packing, 8);
    case 16:
        return copy_blocks(run, item, row, is_packing, 16);
    default:
        return copy_blocks(run, item, row, is_packing, (size_t)run->bytes);
    }
}

void mpi_pack(const struct mpi_type *type, const void *buf, MPI_Count count, void *to)
{
    char *item = (char *)buf, *row = to;

    if (type->is_contiguous) {
        if (count && type->size)
            memcpy(row, item + type->true_lb, (size_t)(count * type->size));
        return;
    }
    for (; count > 0; count--, item += type->extent)
        for (size_t k = 0; k < type->n_runs; k++)
            row = copy_run(&type->runs[k], item, row, true);
}

/* Unpacks the first BYTES of an item. */
static void unpack_part(const struct mpi_type *type, char *item, const char *row, MPI_Count bytes)
{
    for (size_t k = 0; bytes > 0 && k < type->n_runs; k++) {
        const struct mpi_run *run = &type->runs[k];
        char *at = item + run->offset;

        for (MPI_Count i = 0; bytes > 0 && i < run->count; i++, at += run->stride) {
            MPI_Count n = bytes < run->bytes ? bytes : run->bytes;

            memcpy(at, row, (size_t)n);
            row += n;
            bytes -= n;
        }
    }
}

void mpi_unpack(const struct mpi_type *type, void *buf, MPI_Count count, const void *from,
                MPI_Count bytes)
{
    char *item = buf, *row = (char *)from;

    if (type->is_contiguous || !type->size) {
        if (bytes && type->size)
            memcpy(item + type->true_lb, row, (size_t)bytes);
        return;
    }
    for (; count > 0 && bytes >= type->size; count--, item += type->extent, bytes -= type->size)
        for (size_t k = 0; k < type->n_runs; k++)
            row = copy_run(&type->runs[k], item, row, false);
    if (count > 0)
        unpack_part(type, item, row, bytes);
}

int mpi_copy_items(struct mpi_task *t, const void *from, MPI_Count from_count,
                   const struct mpi_type *from_type, void *to, MPI_Count to_count,
                   const struct mpi_type *to_type)
{
    MPI_Count bytes = from_count * from_type->size, room = to_count * to_type->size;
    MPI_Count n = bytes < room ? bytes : room;
    void *row;

    if (from_type->is_contiguous) {
        mpi_unpack(to_type, to, to_count, (const char *)from + from_type->true_lb, n);
    } else if (to_type->is_contiguous && bytes <= room) {
        mpi_pack(from_type, from, from_count, (char *)to + to_type->true_lb);
    } else {
        row = mpi_alloc((size_t)bytes, 1);
        mpi_pack(from_type, from, from_count, row);
        mpi_unpack(to_type, to, to_count, row, n);
        free(row);
    }
    return bytes > room
               ? mpi_error(t, MPI_ERR_TRUNCATE, "%ld bytes for a buffer of %ld", bytes, room)
               : MPI_SUCCESS;
}

/* ---------------------------------------------------------------- MPI_Pack */

static int check_room(struct mpi_task *t, MPI_Count bytes, MPI_Count position, MPI_Count room)
{
    return position >= 0 && position + bytes <= room
               ? MPI_SUCCESS
               : mpi_error(t, MPI_ERR_ARG, "%ld bytes from position %ld on, but the buffer has %ld",
                           bytes, position, room);
}

int do_Pack(struct mpi_task *t, const void *in, MPI_Count count, MPI_Datatype handle, void *out,
            MPI_Count room, MPI_Count *position, MPI_Comm comm)
{
    const struct mpi_type *type = mpi_type(t, handle);
    MPI_Count bytes = count * type->size;
    int code;

    (void)comm;
    if ((code = check_room(t, bytes, *position, room)))
        return code;
    mpi_pack(type, in, count, (char *)out + *position);
    *position += bytes;
    return MPI_SUCCESS;
}

int do_Unpack(struct mpi_task *t, const void *in, MPI_Count size, MPI_Count *position, void *out,
              MPI_Count count, MPI_Datatype handle, MPI_Comm comm)
{
    const struct mpi_type *type = mpi_type(t, handle);
    MPI_Count bytes = count * type->size;
    int code;

    (void)comm;
    if ((code = check_room(t, bytes, *position, size)))
        return code;
    mpi_unpack(type, out, count, (const char *)in + *position, bytes);
    *position += bytes;
    return MPI_SUCCESS;
}

/* ---------------------------------------------------------------- external32 */

/* Returns how many bytes are swapped: big endian is the external form, where long has 4 bytes. */
static int swapped_bytes(uint32_t basic)
{
    const struct mpi_type *type = mpi_builtin_type((MPI_Datatype)basic);

    return type->handle == MPI_REAL16 || type->handle == MPI_COMPLEX32 ? 16 : type->align;
}

static bool is_external32(struct mpi_task *t, const char *representation, int *code)
{
    *code = strcmp(representation, "external32")
                ? mpi_error(t, MPI_ERR_ARG, "unknown data representation '%s'", representation)
                : MPI_SUCCESS;
    return *code == MPI_SUCCESS;
}

static int external_bytes(uint32_t basic, int unit)
{
    return basic == (uint32_t)MPI_LONG || basic == (uint32_t)MPI_UNSIGNED_LONG ? unit / 2 : unit;
}

static MPI_Count external_size(const struct mpi_type *type, MPI_Count count)
{
    MPI_Count size = 0;

    for (size_t k = 0; k < type->n_runs; k++) {
        int unit = swapped_bytes(type->runs[k].basic);

        size += type->runs[k].bytes * type->runs[k].count / unit *
                external_bytes(type->runs[k].basic, unit);
    }
    return count * size;
}

static bool is_long_double(uint32_t basic)
{
    return basic == (uint32_t)MPI_LONG_DOUBLE || basic == (uint32_t)MPI_C_LONG_DOUBLE_COMPLEX ||
           basic == (uint32_t)MPI_CXX_LONG_DOUBLE_COMPLEX;
}

/* The external form of long double, if this processor's differs. */
#if defined __x86_64__
typedef __float128 quadruple;
#else
typedef long double quadruple;
#endif

/* Converts a number of UNIT bytes from or to its external form of N, which loses what does not
 * fit. */
static void convert(uint32_t basic, char *own, int unit, char *external, int n, bool is_out)
{
    char bytes[16];
    long double ours;
    quadruple theirs;

    if (is_out) {
        memcpy(bytes, own, (size_t)unit);
        if (is_long_double(basic)) {
            memcpy(&ours, own, sizeof ours);
            theirs = (quadruple)ours;
            memcpy(bytes, &theirs, sizeof theirs);
        }
        for (int i = 0; i < n; i++)
            external[i] = bytes[n - 1 - i];
        return;
    }
    for (int i = 0; i < n; i++)
        bytes[i] = external[n - 1 - i];
    memset(bytes + n, basic == (uint32_t)MPI_LONG && bytes[n - 1] < 0 ? -1 : 0, (size_t)(unit - n));
    if (is_long_double(basic)) {
        memcpy(&theirs, bytes, sizeof theirs);
        ours = (long double)theirs;
        memset(bytes, 0, sizeof bytes);
        memcpy(bytes, &ours, 10);
    }
    memcpy(own, bytes, (size_t)unit);
}

/* Converts between packed items of TYPE at ROW and their external form. */
static void convert_items(const struct mpi_type *type, MPI_Count count, char *row, char *external,
                          bool is_out)
{
    for (MPI_Count item = 0; item < count; item++) {
        for (size_t k = 0; k < type->n_runs; k++) {
            uint32_t basic = type->runs[k].basic;
            int unit = swapped_bytes(basic), n = external_bytes(basic, unit);
            char *end = row + type->runs[k].bytes * type->runs[k].count;

            for (; row < end; row += unit, external += n)
                convert(basic, row, unit, external, n, is_out);
        }
    }
}

int do_Pack_external_size(struct mpi_task *t, const char *representation, MPI_Count count,
                          MPI_Datatype handle, MPI_Count *size)
{
    int code;

    if (is_external32(t, representation, &code))
        *size = external_size(mpi_type(t, handle), count);
    return code;
}

static int external(struct mpi_task *t, const char *representation, void *items, MPI_Count count,
                    MPI_Datatype handle, char *packed, MPI_Count room, MPI_Count *position,
                    bool is_out)
{
    const struct mpi_type *type = mpi_type(t, handle);
    MPI_Count bytes = external_size(type, count);
    char *row;
    int code;

    if (!is_external32(t, representation, &code))
        return code;
    if ((code = check_room(t, bytes, *position, room)))
        return code;
    row = mpi_alloc((size_t)(count * type->size), 1);
    if (is_out)
        mpi_pack(type, items, count, row);
    convert_items(type, count, row, packed + *position, is_out);
    if (!is_out)
        mpi_unpack(type, items, count, row, count * type->size);
    free(row);
    *position += bytes;
    return MPI_SUCCESS;
}

int do_Pack_external(struct mpi_task *t, const char *representation, const void *in,
                     MPI_Count count, MPI_Datatype handle, void *out, MPI_Count room,
                     MPI_Count *position)
{
    return external(t, representation, (void *)in, count, handle, out, room, position, true);
}

int do_Unpack_external(struct mpi_task *t, const char *representation, const void *in,
                       MPI_Count size, MPI_Count *position, void *out, MPI_Count count,
                       MPI_Datatype handle)
{
    return external(t, representation, out, count, handle, (char *)in, size, position, false);
}
