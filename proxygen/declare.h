/* SPDX-License-Identifier: BSD-3-Clause */
/* C declarations from libclang's types: the reader's lower half. */
#ifndef PROXYGEN_DECLARE_H
#define PROXYGEN_DECLARE_H

#include "proxygen_internal.h"

#include <portolan/libclang.h>

/* A function or macro that stands in the header and that no proxy sees the calls of. */
struct unseen {
    const char *name;
    CXCursor cursor; /* FunctionDecl (static inline) or MacroDefinition (function-like) */
};

struct unknown_attribute {
    struct place place;
    CXFile file;
    unsigned offset; /* of its name in the file */
    const char *name;
};

/* One header being read. */
struct header {
    struct run *run;
    const struct portolan_libclang *clang;
    CXIndex index;
    const char *hint; /* the nearest class, where the one asked for is not among them; or NULL */
    CXTranslationUnit unit;
    bool is_cxx;              /* read as C++ */
    const char *const *flags; /* with which it is read, language and compile command included */
    size_t n_flags;           /* (borrowed from the options or in the arena) */
    CXFile file;              /* the header itself */
    CXFile last_file;         /* the last one asked for, and whether its declarations count */
    bool last_counts;
    CXType held;             /* the port's struct, where no function takes it; else invalid */
    bool in_list;            /* declaring parameters that have no names */
    struct place *invisible; /* types first mentioned in a parameter list */
    size_t n_invisible;
    struct unknown_attribute *unknown; /* that could change how a function is called */
    size_t n_unknown;
    struct unseen *unseen; /* of the declarations that count, in the header's order */
    size_t n_unseen;
};

/* The text of S in the arena; disposes of S. */
const char *proxygen_header_text(struct header *h, CXString s);
const char *proxygen_header_spelling(struct header *h, CXCursor cursor);
struct place proxygen_header_place(struct header *h, CXSourceLocation location);
struct place proxygen_header_cursor_place(struct header *h, CXCursor cursor);

/* A declaration of INNER (a name, or a declarator around one) with TYPE: "double (*x)[3]". */
const char *proxygen_declare(struct header *h, CXType type, const char *inner);

/*
 * The attribute that says how a function of this type is called, NULL: as all are. KNOWN is false
 * for conventions that no attribute of C names.
 */
const char *proxygen_calling_convention(struct header *h, CXType function, bool *known);

/* The function type behind a member or parameter of type pointer to function, else invalid. */
CXType proxygen_pointed_function(struct header *h, CXType type);

/*
 * The parameters of a function as the header declares them: DECLARATION is the member, or what its
 * type's typedef leads to. Returns false when their cursors cannot be had, so that only types are
 * known.
 */
bool proxygen_find_parameters(struct header *h, CXCursor member, int count, CXCursor *parameters);

/*
 * The plain name of the struct behind one or two pointers, and how many they are; NULL for other
 * types.
 */
const char *proxygen_record_behind(struct header *h, CXType type, int *depth);

enum value_kind proxygen_type_value_kind(struct header *h, CXType type);
enum type_form proxygen_type_form(struct header *h, CXType type);

#endif
