/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private procedures of a module that describe a contiguous array of Fortran to C, or the other way
 * round. They are in each module that needs them, so that compilers can inline them; other layouts
 * are left to sidl_arrays.
 */
#include "emit_fortran.h"

#include <string.h>

/* "x(1), x(2)" for the dimensions FIRST to LAST: each '#' of PATTERN becomes the dimension's
 * number. */
static const char *range(struct portolan_arena *a, int first, int last, const char *pattern)
{
    struct portolan_text t = {.arena = a};

    for (int i = first; i <= last; i++) {
        portolan_text_add(&t, "%s", i > first ? ", " : "");
        for (const char *at = pattern; *at; at++)
            if (*at == '#')
                portolan_text_add(&t, "%d", i);
            else
                portolan_text_add_bytes(&t, at, 1);
    }
    return t.bytes;
}

static const char *each(struct portolan_arena *a, int rank, const char *pattern)
{
    return range(a, 1, rank, pattern);
}

/* Sets bounds and the rest of a%, and strides but the first from the extents LENGTH, '#' as above.
 */
static void put_description(struct portolan_text *t, int rank, const char *element,
                            const char *lower, const char *upper, const char *length)
{
    struct portolan_arena *a = t->arena;

    f_line(t, 4, "a%%d_lower = c_loc(a%%bounds(1))");
    f_line(t, 4, "a%%d_upper = c_loc(a%%bounds(8))");
    f_line(t, 4, "a%%d_stride = c_loc(a%%bounds(15))");
    f_line(t, 4, "a%%d_vtable = sidl_vtables(sidl_%s_array)", element);
    f_line(t, 4, "a%%d_dimen = %d", rank);
    f_line(t, 4, "a%%d_refcount = -1");
    f_line(t, 4, "a%%bounds(:%d) = [%s]", rank, each(a, rank, lower));
    f_line(t, 4, "a%%bounds(8:%d) = [%s]", 7 + rank, each(a, rank, upper));
    for (int i = 2; i <= rank; i++)
        f_line(t, 4, "a%%bounds(%d) = a%%bounds(%d) * %s", 14 + i, 13 + i,
               range(a, i - 1, i - 1, length));
}

static void put_describe(struct portolan_text *t, const char *name,
                         const struct portolan_sidl_type *type)
{
    portolan_text_add(t, "\n");
    f_line(t, 2, "subroutine describe_%s(x, a, p)", name);
    f_line(t, 4, "%s, pointer, intent(in) :: x(%s)", f_type(t->arena, type),
           f_colons(t->arena, type->dimension));
    f_line(t, 4, "type(sidl_array_c), intent(out), target :: a");
    f_line(t, 4, "type(c_ptr), intent(out) :: p");
    f_line(t, 4, "if (is_contiguous(x) .and. associated(x)) then");
    f_line(t, 6, "a%%d_first = c_loc(x)");
    f_line(t, 6, "a%%bounds(15) = 1");
    if (type->dimension == 1) { /* the stride is the distance between two elements */
        f_line(t, 4, "else if (associated(x) .and. size(x) > 1) then");
        f_line(t, 6, "a%%d_first = c_loc(x(lbound(x, 1)))");
        f_line(t, 6,
               "a%%bounds(15) = int((transfer(c_loc(x(lbound(x, 1) + 1)), 0_c_intptr_t) - "
               "transfer(a%%d_first, 0_c_intptr_t)) / (storage_size(x) / 8))");
    }
    f_line(t, 4, "else");
    f_line(t, 6, "call sidl_describe_%s(x, a, p)", name);
    f_line(t, 6, "return");
    f_line(t, 4, "end if");
    put_description(t, type->dimension, f_element(type), "lbound(x, #)", "ubound(x, #)",
                    "size(x, #)");
    f_line(t, 4, "p = c_loc(a)");
    f_line(t, 2, "end subroutine");
}

/* An rarray, column-major from 0. */
static void put_describe_raw(struct portolan_text *t, const char *name,
                             const struct portolan_sidl_type *type)
{
    portolan_text_add(t, "\n");
    f_line(t, 2, "subroutine raw_%s(first, %s, a)", name, each(t->arena, type->dimension, "n#"));
    f_line(t, 4, "type(c_ptr), intent(in) :: first");
    f_line(t, 4, "integer, intent(in) :: %s", each(t->arena, type->dimension, "n#"));
    f_line(t, 4, "type(sidl_array_c), intent(out), target :: a");
    f_line(t, 4, "a%%bounds(15) = 1");
    put_description(t, type->dimension, f_element(type), "0", "n# - 1", "n#");
    f_line(t, 4, "a%%d_first = first");
    f_line(t, 2, "end subroutine");
}

static void put_view(struct portolan_text *t, const char *name,
                     const struct portolan_sidl_type *type)
{
    const int rank = type->dimension;
    struct portolan_text contiguous = {.arena = t->arena};

    for (int i = 2; i <= rank; i++)
        portolan_text_add(&contiguous, " .and. s(%d) == s(%d) * (u(%d) - l(%d) + 1)", i, i - 1,
                          i - 1, i - 1);
    portolan_text_add(t, "\n");
    f_line(t, 2, "subroutine view_%s(p, x, e, what)", name);
    f_line(t, 4, "type(c_ptr), intent(in) :: p");
    f_line(t, 4, "%s, pointer, intent(out) :: x(%s)", f_type(t->arena, type),
           f_colons(t->arena, rank));
    f_line(t, 4, "type(c_ptr), intent(inout) :: e");
    f_line(t, 4, "character(len=*), intent(in) :: what");
    f_line(t, 4, "%s, pointer :: y(%s)", f_type(t->arena, type), f_colons(t->arena, rank));
    f_line(t, 4, "type(sidl_array_c), pointer :: a");
    f_line(t, 4, "integer(c_int32_t), pointer :: l(:), u(:), s(:)");
    f_line(t, 4, "if (c_associated(p)) then");
    f_line(t, 6, "call c_f_pointer(p, a)");
    f_line(
        t, 6,
        "if (a%%d_dimen == %d .and. c_associated(a%%d_vtable, sidl_vtables(sidl_%s_array))) then",
        rank, f_element(type));
    f_line(t, 8, "call c_f_pointer(a%%d_lower, l, [%d])", rank);
    f_line(t, 8, "call c_f_pointer(a%%d_upper, u, [%d])", rank);
    f_line(t, 8, "call c_f_pointer(a%%d_stride, s, [%d])", rank);
    f_line(t, 8, "if (s(1) == 1%s) then", contiguous.bytes ? contiguous.bytes : "");
    f_line(t, 10, "call c_f_pointer(a%%d_first, x, [%s])", each(t->arena, rank, "u(#) - l(#) + 1"));
    f_line(t, 10, "x(%s) => x", each(t->arena, rank, "l(#):"));
    if (rank == 1) {
        f_line(t, 10, "return");
        f_line(t, 8, "else if (s(1) > 1) then");
        f_line(t, 10, "call c_f_pointer(a%%d_first, x, [(u(1) - l(1)) * s(1) + 1])");
        f_line(t, 10, "x(l(1):) => x(::s(1))");
    }
    f_line(t, 10, "return");
    f_line(t, 8, "end if");
    f_line(t, 6, "end if");
    f_line(t, 4, "end if");
    /* Not x itself: the compiler keeps that in registers if nobody has its address. */
    f_line(t, 4, "call sidl_view_%s(p, y, e, what)", name);
    f_line(t, 4, "x => y");
    f_line(t, 2, "end subroutine");
}

void f_array_procedures(struct portolan_text *t, struct names *done, struct portolan_text *list,
                        const struct portolan_sidl_method *m, enum f_side side)
{
    for (size_t i = 0; i < m->n_arguments; i++) {
        const struct portolan_sidl_type *type = m->arguments[i].type;
        const bool is_raw = type->kind == PORTOLAN_SIDL_RARRAY;
        const void **meaning;
        const char *name;

        if ((type->kind != PORTOLAN_SIDL_ARRAY || f_is_any(type) ||
             m->arguments[i].mode != PORTOLAN_SIDL_IN) &&
            !(is_raw && side == F_CALLER))
            continue;
        name = portolan_arena_printf(t->arena, "%s_%d", f_element(type), type->dimension);
        meaning = names_add(done, portolan_arena_printf(t->arena, "%d%d%s", side, is_raw, name),
                            strlen(name) + 2);
        if (*meaning)
            continue;
        *meaning = m;
        portolan_text_add(list, ", %s_%s",
                          is_raw             ? "raw"
                          : side == F_CALLER ? "describe"
                                             : "view",
                          name);
        (is_raw ? put_describe_raw : side == F_CALLER ? put_describe : put_view)(t, name, type);
    }
}
