/* SPDX-License-Identifier: BSD-3-Clause */
/** Shared between the emitter's files for Fortran: names, types, lines, and stubs. */
#ifndef SIDL_EMIT_FORTRAN_H
#define SIDL_EMIT_FORTRAN_H

#include "emit.h"

/* emit_fortran.c */

/* What a kind of type is in Fortran. */
struct f_kind {
    char letter;         /* in the names of abstract interfaces: how values pass in calls of C */
    const char *element; /* the element's part of names: "double" */
    const char *declaration; /* of basic types */
    const char *zero;        /* the first value of an out argument; NULL: its type sets it */
    const char *in_c; /* how C passes a value that Fortran has in another form; NULL: as it is */
};
extern const struct f_kind f_kinds[PORTOLAN_SIDL_OBJECT + 1];

/* NAME as Fortran takes it: names longer than 63 characters are cut and end in a hash. */
const char *f_name(struct portolan_arena *a, const char *format, ...) PORTOLAN_PRINTF(2, 3);
/* An argument's name, with "_" at its end if generated code uses the word itself. */
const char *f_word(struct portolan_arena *a, const char *name);
/* The type of a value: "real(sidl_double)", "type(a_b_C_t)"; of an array, that of its elements. */
const char *f_type(struct portolan_arena *a, const struct portolan_sidl_type *type);
/* The element type's part of names ("double") and its code in enum sidl_array_type. */
const char *f_element(const struct portolan_sidl_type *array);
/* The derived type of an array that is owned: "type(sidl_double_2d)". */
const char *f_array(struct portolan_arena *a, const struct portolan_sidl_type *type);
/* ":,:" for that many dimensions. */
const char *f_colons(struct portolan_arena *a, int dimension);
/* "(0:m-1,0:n-1)" for an rarray. */
const char *f_extents(struct portolan_arena *a, const struct portolan_sidl_type *rarray);
/* The type by which C returns a struct: its own or, if that has parts unknown to C, its mirror. */
const char *f_returned(struct portolan_arena *a, const struct portolan_sidl_symbol *structure);
bool f_is_interoperable(const struct portolan_sidl_symbol *structure);
/* Returns whether the array's type is array<>. */
bool f_is_any(const struct portolan_sidl_type *type);
/* Adds a line, continued where it is too long. */
void f_line(struct portolan_text *t, int indent, const char *format, ...) PORTOLAN_PRINTF(3, 4);
/* Adds COMMENT (may be NULL), each line after "!> ". */
void f_comment(struct portolan_text *t, const char *comment, int indent);
/* Declares the arguments of M as the user of Fortran sees them, the result among them. */
void f_declare_arguments(struct portolan_text *t, const struct portolan_sidl_method *m, int indent);
/* "subroutine NAME(SELF, a, b, retval, ex)" */
void f_subroutine(struct portolan_text *t, const struct portolan_sidl_method *m, const char *name);
/* The name of the abstract interface of M's function in C, which starts with PREFIX. */
const char *f_slot(struct portolan_arena *a, const char *prefix,
                   const struct portolan_sidl_method *m);
/* Adds the abstract interface of M's function, unless NAMES has it. */
void f_slot_interface(struct portolan_text *t, struct names *names, const char *prefix,
                      const struct portolan_sidl_method *m);
/* The subject of messages about an argument of M, as a text of Fortran. */
const char *f_what(struct portolan_arena *a, const struct portolan_sidl_method *m,
                   const char *argument);
/* The types that these symbols' parents, methods and fields have. */
struct seen f_used_types(struct emitter *e, const struct portolan_sidl_symbol *const *symbols,
                         size_t n);
/* "use PACKAGE, only: …" for all types of other packages in these symbols' methods and fields. */
void f_use_types(struct emitter *e, struct portolan_text *t,
                 const struct portolan_sidl_symbol *const *symbols, size_t n,
                 const struct portolan_sidl_symbol *own_package);

/* emit_fortran_array.c */
enum f_side { F_CALLER, F_IMPL };
/*
 * Adds the private procedures by which the arrays of M are passed, unless DONE has them, and ",
 * NAME" of each to LIST.
 */
void f_array_procedures(struct portolan_text *t, struct names *done, struct portolan_text *list,
                        const struct portolan_sidl_method *m, enum f_side side);

/* emit_fortran_stub.c */
/*
 * A procedure NAME that calls M at slot INDEX of TABLE ("self%d_ref%d_epv"). SELF is its
 * declaration, PREFIX that of f_slot().
 */
void f_stub(struct portolan_text *t, const struct portolan_sidl_method *m, const char *name,
            const char *self, const char *prefix, const char *table, size_t index);
/* What an Impl file calls: S_get_data, S_set_data and, with described ports, S_register and
 * S_parameters. */
void f_data_access(struct portolan_text *t, const struct portolan_sidl_symbol *s);

/* emit_fortran_module.c: PACKAGE_mod.f90 of every package, those that others use first. */
void emit_fortran_modules(struct emitter *e);

/* emit_fortran_impl.c: A_B_C_Impl.F90 */
void emit_fortran_impl(struct emitter *e, const struct portolan_sidl_symbol *s);

#endif
