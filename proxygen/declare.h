/* SPDX-License-Identifier: BSD-3-Clause */
/* C declarations from libclang's types: the reader's lower half. */
#ifndef PROXYGEN_DECLARE_H
#define PROXYGEN_DECLARE_H

#include "libclang.h"
#include "proxygen_internal.h"

/* One header being read. */
struct header {
    struct run *run;
    const struct libclang *clang;
    CXTranslationUnit unit;
    struct place *invisible; /* types first mentioned in a parameter list */
    size_t n_invisible;
};

/* The text of S in the arena; disposes of S. */
const char *proxygen_header_text(struct header *h, CXString s);
const char *proxygen_header_spelling(struct header *h, CXCursor cursor);
struct place proxygen_header_place(struct header *h, CXSourceLocation location);
struct place proxygen_header_cursor_place(struct header *h, CXCursor cursor);

/* A declaration of INNER (a name, or a declarator around one) with TYPE: "double (*x)[3]". */
const char *proxygen_declare(struct header *h, CXType type, const char *inner);

/* The function type behind a member or parameter of type pointer to function, else invalid. */
CXType proxygen_pointed_function(struct header *h, CXType type);

/*
 * The parameters of a function as the header declares them: DECLARATION is the member, or what its
 * type's typedef leads to. Returns false when their cursors cannot be had, so that only types are
 * known.
 */
bool proxygen_find_parameters(struct header *h, CXCursor member, int count, CXCursor *parameters);

enum value_kind proxygen_type_value_kind(struct header *h, CXType type);

#endif
