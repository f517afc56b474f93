/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a header: header.c parses it, collects what all kinds of ports need, and calls the reader
 * of the port's kind.
 */
#ifndef PROXYGEN_READ_H
#define PROXYGEN_READ_H

#include "model.h"

#include <portolan/libclang.h>

/* A function or macro of the header whose calls no proxy sees. */
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

/* A message of the compiler about a header. */
struct message {
    CXSourceLocation location;
    struct place place; /* for messages about the main file, which includes it, the header */
    int main_line;      /* line in the main file; -1: the message is about another file */
    bool is_error;
    const char *text, *option;
};

/* One header being read. */
struct header {
    struct run *run;
    const struct portolan_libclang *clang;
    CXIndex index;
    CXTranslationUnit unit;
    struct cursors top;       /* its top-level declarations, macros included */
    bool is_cxx;              /* read as C++ */
    const char *const *flags; /* the flags of the run, those of compile commands included */
    size_t n_flags;           /* (borrowed from the options or in the arena) */
    CXFile file;              /* the header itself */
    CXFile last_file;         /* last argument of proxygen_header_counts(), and the answer */
    bool last_counts;
    CXType held;             /* the port's struct if no function takes it, else invalid */
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
/* The compiler's *N messages about UNIT, in the arena; and the first error, or NULL. */
const struct message *proxygen_header_messages(struct header *h, CXTranslationUnit unit, size_t *n);
const struct message *proxygen_header_first_error(struct header *h, CXTranslationUnit unit);

/* The children of CURSOR in the header's order: all, or those of KIND. */
struct cursors proxygen_children(struct header *h, CXCursor cursor);
struct cursors proxygen_children_of(struct header *h, CXCursor cursor, enum CXCursorKind kind);
/* The canonical type that TYPE points to; of kind CXType_Invalid if it is no pointer. */
CXType proxygen_pointee(struct header *h, CXType type);

/* ------------------------------------------------------------------ types */

/*
 * One step from *TYPE to the type that it points to or is an alias of. *DEFINITION becomes the
 * typedef of that step, else the null cursor. False for all other types.
 */
bool proxygen_step_through(struct header *h, CXType *type, CXCursor *definition);

/* A declaration of INNER (a name, or a declarator around one) with TYPE: "double (*x)[3]". */
const char *proxygen_declare(struct header *h, CXType type, const char *inner);

/*
 * The attribute for the calling convention of this function type; NULL: the default one. KNOWN is
 * false for conventions that no attribute of C names.
 */
const char *proxygen_calling_convention(struct header *h, CXType function, bool *known);

/* The function type that a member or parameter of TYPE points to, else invalid. */
CXType proxygen_pointed_function(struct header *h, CXType type);

/*
 * The cursors of the COUNT parameters of the function that MEMBER points to; n is 0 when there are
 * none, so that only types are known.
 */
struct cursors proxygen_find_parameters(struct header *h, CXCursor member, int count);

/*
 * The canonical name of the struct that TYPE leads to through one or two pointers, and how many
 * they are; NULL for other types.
 */
const char *proxygen_record_behind(struct header *h, CXType type, int *depth);

enum value_kind proxygen_type_value_kind(struct header *h, CXType type);
enum type_form proxygen_type_form(struct header *h, CXType type);

/* ------------------------------------------------------------------ the readers */

/* A struct with a pointer to a table of functions, or that holds its functions itself. */
enum portolan_status proxygen_read_struct(struct header *h);
/* Returns whether a header in C++ has the port as such a struct, which nothing makes a class. */
bool proxygen_is_struct_of_functions(struct header *h);
/* The functions whose names match options->functions, and the shared objects that have them. */
enum portolan_status proxygen_read_functions(struct header *h);

/* An abstract class of C++. */
enum portolan_status proxygen_read_class(struct header *h);

/* ------------------------------------------------------------------ for all of them */

/*
 * C++: parses the header again, followed by MORE, without access control. *UNIT is the caller's to
 * dispose of, also on failure. Errors are reported at the header, with HINT, unless NULL, as the
 * name that may be meant.
 */
enum portolan_status proxygen_header_parse_more(struct header *h, const char *more,
                                                const char *hint, CXTranslationUnit *unit);

/*
 * Reads the run's header again in the same way, followed by MORE, with FLAG after the flags. The
 * caller closes *H; MORE begins in line *LINE of the main file. Errors are not reported.
 */
enum portolan_status proxygen_header_again(struct run *run, const char *more, const char *flag,
                                           struct header *h, int *line);
void proxygen_header_close(struct header *h);
/*
 * True for declarations that count: those of the header itself, or of the files that options->from
 * names. A struct that the user names as a port may be in any file.
 */
bool proxygen_header_counts(struct header *h, CXCursor cursor);

/* Records how generated code includes the header, and the macros that the flags define. */
void proxygen_record_inclusion(struct header *h);

/* The text of options->port before '=', without a leading "struct ". */
const char *proxygen_header_word(struct header *h);
/* The port type that options->port asks for: the text after '=', or else the word. */
const char *proxygen_header_type(struct header *h);

/* ------------------------------------------------------------------ attributes */

struct annotations {
    bool context, accuracy, destroys, status;
};
struct annotations proxygen_read_annotations(struct header *h, CXCursor cursor);

/* The declaration CURSOR as clang prints it if it has attributes without a kind in libclang. */
const char *proxygen_print_attributes(struct header *h, CXCursor cursor);

/* Notes that a message calls the attribute at LOCATION unknown; TEXT has its name in quotes. */
void proxygen_note_unknown_attribute(struct header *h, CXSourceLocation location, const char *text);
/* An unknown attribute of the declaration CURSOR or of a typedef it uses; NULL: none. */
const struct unknown_attribute *proxygen_unknown_attribute(struct header *h, CXCursor cursor);

/* ------------------------------------------------------------------ the side file */

/*
 * Calls TAKE with each type that the side file says methods hand out, and its place, until one
 * fails. This comes before the rest of the side file, while the header is open for reading them.
 */
typedef enum portolan_status proxygen_take_type_fn(struct header *h, const char *type,
                                                   const struct place *place);
enum portolan_status proxygen_side_gives(struct header *h, proxygen_take_type_fn *take);

/*
 * Makes "NAME = EXPRESSION", or an expression that implies its name, a context of M, which is known
 * before the call or, with IS_RESULT, after it.
 */
enum portolan_status proxygen_read_expression(struct run *run, struct method *m, char *word,
                                              bool is_result, const struct place *place);

/* ------------------------------------------------------------------ methods */

/* Adds a method that CURSOR declares and that is not intercepted; the report says WHY. */
struct method *proxygen_add_skipped(struct header *h, CXCursor cursor, const char *why);

/* Name, place and annotations of argument A of M, which CURSOR declares. */
void proxygen_describe_argument(struct header *h, CXCursor cursor, struct method *m,
                                struct argument *a);
/* Returns whether libclang spells a type without a name, which generated code cannot repeat. */
bool proxygen_is_nameless(const char *declaration);

/* True for a pointer, const or not, to the port's struct OBJECT. */
bool proxygen_is_object(struct header *h, CXType type, CXType object);

/*
 * Reads the function type FUNCTION of CURSOR (a member or a function) into M, which is zeroed.
 * OBJECT is the port's struct; of kind CXType_Invalid if there is none, as in lists of functions.
 */
enum portolan_status proxygen_read_method(struct header *h, CXCursor cursor, CXType function,
                                          CXType object, struct method *m);

/*
 * Makes the model's methods from the members FIELDS of the table of operations; PATHS are their
 * names in it ("group.member").
 */
enum portolan_status proxygen_read_methods(struct header *h, const CXCursor *fields,
                                           const char *const *paths, size_t n_fields,
                                           CXType object);

#endif
