/* SPDX-License-Identifier: BSD-3-Clause */
/** Shared between the emitter's files for C++: names, types, signatures. */
#ifndef SIDL_EMIT_CXX_H
#define SIDL_EMIT_CXX_H

#include "emit.h"

/* emit_cxx.c */
/* A name that C++ allows. */
const char *cxx_name(struct portolan_arena *a, const char *name);
/* "::heat::Solver" */
const char *cxx_qualified(struct portolan_arena *a, const struct portolan_sidl_symbol *s);
/* A value's type in C++. */
const char *cxx_type(struct portolan_arena *a, const struct portolan_sidl_type *type);
/* A method's name among those of S: its short name, unless another one would have the same
 * signature. */
const char *cxx_method(struct portolan_arena *a, const struct portolan_sidl_symbol *s,
                       const struct portolan_sidl_method *m);
/* "RESULT NAME(PARAMETERS)" */
const char *cxx_head(struct portolan_arena *a, const struct portolan_sidl_method *m,
                     const char *name);
/* The function that passes values of that type: FUNCTION is in, give or take. */
const char *cxx_binding(struct portolan_arena *a, const struct portolan_sidl_type *type,
                        const char *function);
/* Adds a local NAME__ for each out and inout argument, of class sidl::out SUFFIX, or inout. */
void cxx_holders(struct emitter *e, struct portolan_text *t, const struct portolan_sidl_method *m,
                 const char *suffix, int indent);
/* PACKAGE.hxx */
void emit_cxx_client(struct emitter *e, const struct portolan_sidl_symbol *package);

/* emit_cxx_impl.c: A_B_C_Impl.hxx and .cxx, A_B_C_Skel.hxx */
void emit_cxx_impl(struct emitter *e, const struct portolan_sidl_symbol *s);

#endif
