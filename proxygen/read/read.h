/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a header: header.c parses it, collects what holds for every kind of port, and hands
 * it to the reader of the port's kind.
 */
#ifndef PROXYGEN_READ_H
#define PROXYGEN_READ_H

#include "../model.h"

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

/* A list of cursors in the arena. */
struct cursors {
    CXCursor *items;
    size_t n;
};

/* What the compiler says of something in a header. */
struct message {
    CXSourceLocation location;
    struct place place; /* the header, where it is in the main file, which includes it */
    int main_line;      /* its line in the main file; -1: it is in another one */
    bool is_error;
    const char *text, *option;
};

/* One header being read. */
struct header {
    struct run *run;
    const struct portolan_libclang *clang;
    CXIndex index;
    CXTranslationUnit unit;
    struct cursors top;       /* what stands in it at the top, macros included */
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

/* TYPE as the compiler spells it. */
const char *proxygen_header_type_text(struct header *h, CXType type);
/* All that the compiler says of UNIT, in the arena: *N messages; and the first error, or NULL. */
const struct message *proxygen_header_messages(struct header *h, CXTranslationUnit unit, size_t *n);
const struct message *proxygen_header_first_error(struct header *h, CXTranslationUnit unit);

/* The children of CURSOR, in the header's order; those of KIND alone. */
struct cursors proxygen_children(struct header *h, CXCursor cursor);
struct cursors proxygen_children_of(struct header *h, CXCursor cursor, enum CXCursorKind kind);
/* What TYPE points to, both without names that stand for others; of kind CXType_Invalid: nothing.
 */
CXType proxygen_pointee(struct header *h, CXType type);

/* ------------------------------------------------------------------ types */

/*
 * One step from *TYPE to what it points to or is another name for. *DEFINITION becomes the typedef
 * that was gone through, else the null cursor. False for all other types.
 */
bool proxygen_step_through(struct header *h, CXType *type, CXCursor *definition);

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
 * The cursors of the COUNT parameters of the function behind MEMBER; n is 0 when they cannot be
 * had, so that only types are known.
 */
struct cursors proxygen_find_parameters(struct header *h, CXCursor member, int count);

/*
 * The plain name of the struct behind one or two pointers, and how many they are; NULL for other
 * types.
 */
const char *proxygen_record_behind(struct header *h, CXType type, int *depth);

enum value_kind proxygen_type_value_kind(struct header *h, CXType type);
enum type_form proxygen_type_form(struct header *h, CXType type);

/* ------------------------------------------------------------------ the readers */

/* A struct with a pointer to a table of functions, or that holds its functions itself. */
enum portolan_status proxygen_read_struct(struct header *h);
/* The functions whose names match options->functions, and the shared objects that have them. */
enum portolan_status proxygen_read_functions(struct header *h);

/* An abstract class of C++. */
enum portolan_status proxygen_read_class(struct header *h);

/* ------------------------------------------------------------------ for all of them */

/*
 * C++: parses the header again with MORE behind it, what is private counting as public, and leaves
 * the result, which is the caller's also on failure, in *UNIT. What is wrong is reported as the
 * header's, with HINT, unless NULL, as the name that may be meant.
 */
enum portolan_status proxygen_header_parse_more(struct header *h, const char *more,
                                                const char *hint, CXTranslationUnit *unit);

/*
 * Reads the run's header again, as it was read, with MORE behind it and FLAG behind the flags. *H
 * is to be closed; MORE begins in line *LINE of the main file. What is wrong is not reported.
 */
enum portolan_status proxygen_header_again(struct run *run, const char *more, const char *flag,
                                           struct header *h, int *line);
void proxygen_header_close(struct header *h);
/*
 * True for declarations that count: those of the header itself, or of the files that options->from
 * names. What a user names (a port's struct) is taken from anywhere.
 */
bool proxygen_header_counts(struct header *h, CXCursor cursor);

/* Keeps how generated code includes the header, and what the flags define. */
void proxygen_record_inclusion(struct header *h);

/* The word of options->port: what stands before '=', without a leading "struct ". */
const char *proxygen_header_word(struct header *h);
/* The port type that options->port asks for: what stands behind '=', or the word. */
const char *proxygen_header_type(struct header *h);

/* ------------------------------------------------------------------ attributes */

struct annotations {
    bool context, accuracy, destroys, status;
};
struct annotations proxygen_read_annotations(struct header *h, CXCursor cursor);

/* The declaration CURSOR as clang writes it if it has attributes that libclang does not name. */
const char *proxygen_print_attributes(struct header *h, CXCursor cursor);

/* A diagnostic says that an attribute at LOCATION is unknown; TEXT has its name in quotes. */
void proxygen_note_unknown_attribute(struct header *h, CXSourceLocation location, const char *text);
/* One that the declaration CURSOR, or a typedef behind it, has; NULL: none. */
const struct unknown_attribute *proxygen_unknown_attribute(struct header *h, CXCursor cursor);

/* ------------------------------------------------------------------ the side file */

/*
 * Only the side file says which structs methods hand out, and only while the header is open can
 * they be read: TAKE gets each type with its place, until one fails, before all else is applied.
 */
typedef enum portolan_status proxygen_take_type_fn(struct header *h, const char *type,
                                                   const struct place *place);
enum portolan_status proxygen_side_gives(struct header *h, proxygen_take_type_fn *take);

/*
 * "NAME = EXPRESSION", or an expression that names itself, becomes a context of M, which is known
 * before the call or, with IS_RESULT, after it.
 */
enum portolan_status proxygen_read_expression(struct run *run, struct method *m, char *word,
                                              bool is_result, const struct place *place);

/* ------------------------------------------------------------------ methods */

/* A method that CURSOR declares and that only the report has, which says WHY. */
struct method *proxygen_add_skipped(struct header *h, CXCursor cursor, const char *why);

/* Name, place and annotations of argument A of M, which CURSOR declares. */
void proxygen_describe_argument(struct header *h, CXCursor cursor, struct method *m,
                                struct argument *a);
/* As libclang spells types that nobody can write down again. */
bool proxygen_is_nameless(const char *declaration);

/* True for a pointer, const or not, to the port's struct OBJECT. */
bool proxygen_is_object(struct header *h, CXType type, CXType object);

/*
 * Reads the function type FUNCTION of CURSOR (a member or a function) into M, which is zeroed.
 * OBJECT is the port's struct; of kind CXType_Invalid where there is none, as in lists of
 * functions.
 */
enum portolan_status proxygen_read_method(struct header *h, CXCursor cursor, CXType function,
                                          CXType object, struct method *m);

/*
 * Makes the model's methods of the members of the table of operations; PATHS is how they are
 * reached from it.
 */
enum portolan_status proxygen_read_methods(struct header *h, const CXCursor *fields,
                                           const char *const *paths, size_t n_fields,
                                           CXType object);

#endif
