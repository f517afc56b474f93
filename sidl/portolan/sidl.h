/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * sidl: the SIDL compiler. It reads SIDL files into a model (the whole language), checks it, and
 * emits headers and tables in Babel's C binding; proxygen/ reads the same model.
 *
 *   struct portolan_sidl_model *model;
 *   portolan_sidl_read(&options, &diagnostics, &model, &err);
 *   const struct portolan_sidl_symbol *port = portolan_sidl_find(model, "heat.LinearSolver");
 *   for (size_t i = 0; i < port->n_slots; i++)
 *       … port->slots[i] …
 *   portolan_sidl_destroy(model);
 *
 * The language is SIDL as Babel 2.0 reads it (Babel User's Guide); portolan-sidl(5) lists where
 * Portolan differs. All strings and structs belong to the model and live until it is destroyed.
 * Nothing here prints. Different models may be used by different threads.
 */
#ifndef PORTOLAN_SIDL_H
#define PORTOLAN_SIDL_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct portolan_sidl_symbol;
struct portolan_sidl_expr;

/** A place in a file; lines and columns count from 1. */
struct portolan_sidl_place {
    const char *file;
    int line;
    int column;
};

/** One entry of %attrib{name, name="text"}. */
struct portolan_sidl_attribute {
    const char *name;
    const char *value; /**< NULL when written without one */
    struct portolan_sidl_place place;
};

enum portolan_sidl_kind {
    PORTOLAN_SIDL_VOID,
    PORTOLAN_SIDL_BOOL,
    PORTOLAN_SIDL_CHAR,
    PORTOLAN_SIDL_DCOMPLEX,
    PORTOLAN_SIDL_DOUBLE,
    PORTOLAN_SIDL_FCOMPLEX,
    PORTOLAN_SIDL_FLOAT,
    PORTOLAN_SIDL_INT,
    PORTOLAN_SIDL_LONG,
    PORTOLAN_SIDL_OPAQUE,
    PORTOLAN_SIDL_STRING,
    PORTOLAN_SIDL_ARRAY, /**< element NULL: the generic array<> */
    PORTOLAN_SIDL_RARRAY,
    PORTOLAN_SIDL_ENUM, /**< this and the two below: `symbol` says which */
    PORTOLAN_SIDL_STRUCT,
    PORTOLAN_SIDL_OBJECT, /**< an interface or a class */
};

enum portolan_sidl_order {
    PORTOLAN_SIDL_ANY_ORDER,
    PORTOLAN_SIDL_COLUMN_MAJOR,
    PORTOLAN_SIDL_ROW_MAJOR,
};

/** A type as used somewhere. */
struct portolan_sidl_type {
    enum portolan_sidl_kind kind;
    const struct portolan_sidl_symbol *symbol; /**< NULL unless ENUM, STRUCT or OBJECT */
    const char *name;                          /**< as written */
    struct portolan_sidl_type *element;        /**< ARRAY and RARRAY */
    int dimension;                             /**< ARRAY and RARRAY: 1 … 7 */
    enum portolan_sidl_order order;            /**< ARRAY */
    struct portolan_sidl_expr **extents;       /**< RARRAY */
    size_t n_extents;
    bool is_all; /**< as a parent: named after implements-all */
    struct portolan_sidl_place place;
};

enum portolan_sidl_mode { PORTOLAN_SIDL_IN, PORTOLAN_SIDL_OUT, PORTOLAN_SIDL_INOUT };

struct portolan_sidl_argument {
    const char *name;
    enum portolan_sidl_mode mode;
    struct portolan_sidl_type *type;
    struct portolan_sidl_attribute *attributes;
    size_t n_attributes;
    bool copy;
    /**
     * The argument alone is the extent of an rarray. The stub has it, but not the entry-point
     * table, whose sidl array knows its extents; portolan_sidl_epv_value gets the value from there.
     * (An argument that occurs only in a formula could not be recovered, so it stays in the table.)
     */
    bool is_extent;
    const char *comment; /**< as a method's */
    struct portolan_sidl_place place;
};

/** Modifiers, or'ed together. */
enum portolan_sidl_flag {
    PORTOLAN_SIDL_ABSTRACT = 1,
    PORTOLAN_SIDL_FINAL = 2,
    PORTOLAN_SIDL_STATIC = 4,
    PORTOLAN_SIDL_ONEWAY = 8,
    PORTOLAN_SIDL_LOCAL = 16,
    PORTOLAN_SIDL_NONBLOCKING = 32,
    PORTOLAN_SIDL_COPY = 64,
};

/** One clause of a contract: require, ensure or invariant. */
struct portolan_sidl_clause {
    const char *label; /**< NULL when it has none */
    const char *text;  /**< the condition as written, but on one line */
    struct portolan_sidl_expr *condition;
    struct portolan_sidl_place place;
};

struct portolan_sidl_method {
    const char *name;      /**< short name */
    const char *extension; /**< without brackets; "" when it has none */
    const char *slot_name; /**< name and extension: A_B_C_<slot_name>, f_<slot_name> */
    const struct portolan_sidl_symbol *owner; /**< the type that declares it */
    unsigned flags;
    struct portolan_sidl_type *result;
    struct portolan_sidl_argument *arguments;
    size_t n_arguments;
    struct portolan_sidl_type **throws; /**< kind OBJECT */
    size_t n_throws;
    const char *from; /**< "Scope.method" that this one implements under its own name, or NULL */
    const char *from_extension;           /**< the [extension] after it, or NULL */
    struct portolan_sidl_type *from_type; /**< its Scope */
    struct portolan_sidl_place from_place;
    /** The method of an interface above this type that `from` names; NULL without `from`. */
    const struct portolan_sidl_method *renames;
    struct portolan_sidl_attribute *attributes;
    size_t n_attributes;
    struct portolan_sidl_clause *requires, *ensures;
    size_t n_requires, n_ensures;
    const char *comment; /**< text of the doc comment, lines without decoration; NULL if none */
    struct portolan_sidl_place place;
};

enum portolan_sidl_symbol_kind {
    PORTOLAN_SIDL_PACKAGE,
    PORTOLAN_SIDL_INTERFACE,
    PORTOLAN_SIDL_CLASS,
    PORTOLAN_SIDL_ENUMERATION,
    PORTOLAN_SIDL_STRUCTURE,
};

struct portolan_sidl_enumerator {
    const char *name;
    int64_t value;
    bool is_explicit;
    const char *comment;
    struct portolan_sidl_place place;
};

struct portolan_sidl_field {
    const char *name;
    struct portolan_sidl_type *type;
    const char *comment;
    struct portolan_sidl_place place;
};

/** A package or a user type. */
struct portolan_sidl_symbol {
    enum portolan_sidl_symbol_kind kind;
    const char *name;      /**< "Services" */
    const char *full_name; /**< "gov.cca.Services" */
    const char *c_name;    /**< "gov_cca_Services" */
    /** A package's own or that of the package around it; for a type, its package's. NULL: none. */
    const char *version;
    const char *comment;
    unsigned flags;
    struct portolan_sidl_attribute *attributes;
    size_t n_attributes;
    struct portolan_sidl_symbol *package; /**< around this one; NULL for the global scope */
    bool is_requested; /**< declared (for a package: at least one type) in one of FILES */
    struct portolan_sidl_place place;

    /* packages */
    struct portolan_sidl_symbol **children;
    size_t n_children;

    /* interfaces and classes */
    struct portolan_sidl_type **extends;    /**< a class extends at most one */
    struct portolan_sidl_type **implements; /**< classes */
    size_t n_extends, n_implements;
    struct portolan_sidl_method **methods; /**< declared here */
    size_t n_methods;
    struct portolan_sidl_clause *invariants;
    size_t n_invariants;
    /**
     * All methods except static ones, inherited first, in the order of the entry-point table. Those
     * of a class begin with those of the class it extends. A method that `from` renames has no slot
     * of its old name: portolan_sidl_implementation() finds the method that implements it.
     */
    const struct portolan_sidl_method **slots;
    size_t n_slots;
    const struct portolan_sidl_method **statics; /**< static methods, inherited ones first */
    size_t n_statics;
    bool is_exception; /**< it is or inherits sidl.BaseException */

    struct portolan_sidl_enumerator *enumerators;
    size_t n_enumerators;
    struct portolan_sidl_field *fields;
    size_t n_fields;

    /** Private to the compiler. */
    struct {
        int state, depth;
        size_t visit;
        bool is_detached; /* in no package: its name was taken, or unreadable */
        bool is_broken;   /* a part of it was unreadable, so nothing is reported as missing */
        bool is_astray;   /* braces do not match: it may have been meant for a package */
        bool is_rootless; /* a parent, here or above, is unknown */
        bool is_serializable, has_rarray;
        bool has_invariants; /* here or above */
        /* methods with `from`, here and above, nearest first */
        const struct portolan_sidl_method **renaming;
        size_t n_renaming;
        bool *has_body; /* a class's slots */
    } own;
};

enum portolan_sidl_op {
    PORTOLAN_SIDL_OP_NAME,    /**< argument, field or attribute: `text` */
    PORTOLAN_SIDL_OP_INTEGER, /**< literals, `text` as written; `integer` holds the value */
    PORTOLAN_SIDL_OP_REAL,
    PORTOLAN_SIDL_OP_COMPLEX,
    PORTOLAN_SIDL_OP_STRING,
    PORTOLAN_SIDL_OP_CHARACTER,
    PORTOLAN_SIDL_OP_BOOLEAN,
    PORTOLAN_SIDL_OP_NULL,
    PORTOLAN_SIDL_OP_RESULT,
    PORTOLAN_SIDL_OP_PURE,
    PORTOLAN_SIDL_OP_CALL,  /**< `text` applied to the operands */
    PORTOLAN_SIDL_OP_UNARY, /**< `text` is the operator, in SIDL's spelling */
    PORTOLAN_SIDL_OP_BINARY,
};

struct portolan_sidl_expr {
    enum portolan_sidl_op op;
    const char *text;
    int64_t integer;
    struct portolan_sidl_expr **operands;
    size_t n_operands;
    struct portolan_sidl_place place;
};

/** Classes in Python need no code but their module, A_B_C_Impl.py; nor do callers. */
enum portolan_sidl_language {
    PORTOLAN_SIDL_C,
    PORTOLAN_SIDL_CXX,
    PORTOLAN_SIDL_F03,
    PORTOLAN_SIDL_PYTHON
};

/** The language of that name ("C++", "Fortran"; case does not matter); false when there is none. */
PORTOLAN_API bool portolan_sidl_language_find(const char *name,
                                              enum portolan_sidl_language *language);
/** Whether Python reserves NAME, so that it cannot name a method or an argument there. */
PORTOLAN_API bool portolan_sidl_is_python_word(const char *name);

struct portolan_sidl_options {
    const char *const *files; /**< SIDL files to compile */
    size_t n_files;
    /**
     * Folders where `require` and `import` of a package a.b.c look for a.b.c.sidl, c.sidl, then
     * a.sidl. The folder of the requiring file comes before them; after them come the built-in
     * specifications (sidl, gov.cca, portolan).
     */
    const char *const *include_dirs;
    size_t n_include_dirs;
    const char *output_dir; /**< for portolan_sidl_emit; made if it is missing */
    const char *impl_dir;   /**< for Impl files, must exist; NULL: OUTPUT_DIR */
    /**
     * Of the code for callers, in addition to C's, and of the Impl files of classes that do not
     * state theirs (%attrib{language}). Impl files bring the code for callers in their language.
     */
    enum portolan_sidl_language client_language, server_language;
    /** Also emit implementations: their skeletons, and files for their authors to fill in. */
    bool server;
    /** Only PACKAGE.pyi for type checkers of Python, of all packages that the files need, except
     * sidl. */
    bool stubs;
    bool hooks; /**< implementations get a function before and after each method */
    /**
     * OPTIONAL: receives notes that are not errors: code of removed methods, a built-in
     * specification used for another version, a thrown interface that is not an exception.
     */
    struct portolan_diagnostics *notes;
};

struct portolan_sidl_model;

/**
 * Reads and checks FILES and what they require. Problems go to D, in the order of the text; when
 * there are any the result is PORTOLAN_ESYNTAX and no model. ENOMEM when memory runs out.
 */
PORTOLAN_API enum portolan_status portolan_sidl_read(const struct portolan_sidl_options *options,
                                                     struct portolan_diagnostics *d,
                                                     struct portolan_sidl_model **model,
                                                     struct portolan_error *err);

/** The same with the text of one file in memory, called NAME in messages. */
PORTOLAN_API enum portolan_status
portolan_sidl_read_text(const struct portolan_sidl_options *options, const char *name,
                        const char *text, size_t size, struct portolan_diagnostics *d,
                        struct portolan_sidl_model **model, struct portolan_error *err);

/** NULL is legal. */
PORTOLAN_API void portolan_sidl_destroy(struct portolan_sidl_model *model);

/** A package or type by its full name ("gov.cca.Port"), NULL when there is none. */
PORTOLAN_API const struct portolan_sidl_symbol *
portolan_sidl_find(const struct portolan_sidl_model *model, const char *full_name);

/** The model's type whose name is nearest to FULL_NAME, for "did you mean"; NULL if none is. */
PORTOLAN_API const char *portolan_sidl_nearest(const struct portolan_sidl_model *model,
                                               const char *full_name);

/**
 * The method of TYPE's slots that implements METHOD, a slot of an interface that TYPE inherits:
 * the slot of the same name, unless `from` gave it another. NULL when TYPE has none.
 */
PORTOLAN_API const struct portolan_sidl_method *
portolan_sidl_implementation(const struct portolan_sidl_symbol *type,
                             const struct portolan_sidl_method *method);

/** The attribute of that name in a list, NULL when there is none. */
PORTOLAN_API const struct portolan_sidl_attribute *
portolan_sidl_attribute(const struct portolan_sidl_attribute *list, size_t count, const char *name);

/**
 * Pieces of C, as texts in the arena, whose `failed` is set if memory ran out.
 *
 * _result: the type that the method returns ("void", "struct sidl_double__array *"). _slot: a
 * function of the entry-point table: "RESULT NAME(void *self, …, sidl_BaseInterface *_ex)".
 * _slot_arguments: what a forwarding function passes after the object: ", a, b, _ex". _epv_value:
 * the value of an `in` argument inside such a function: its name, or for an extent, its
 *   array's length ("sidlLength(x, 0)"), which is only meaningful when the array is not NULL.
 */
PORTOLAN_API const char *portolan_sidl_c_result(struct portolan_arena *a,
                                                const struct portolan_sidl_method *method);
PORTOLAN_API const char *portolan_sidl_c_slot(struct portolan_arena *a,
                                              const struct portolan_sidl_method *method,
                                              const char *name);
PORTOLAN_API const char *portolan_sidl_c_slot_arguments(struct portolan_arena *a,
                                                        const struct portolan_sidl_method *method);
PORTOLAN_API const char *portolan_sidl_epv_value(struct portolan_arena *a,
                                                 const struct portolan_sidl_method *method,
                                                 const struct portolan_sidl_argument *argument);

/**
 * Emits the packages declared in the model's FILES into OUTPUT_DIR. In C: per type A.B.C a header
 * A_B_C.h, per package A.B the headers A_B.h (all of it, nested packages included) and A_B__types.h
 * (forward declarations and enums), and A_B.c (tables); for a server also, per class, A_B_C_Skel.c,
 * A_B_C_Impl.h and A_B_C_Impl.c, and the build files. The author's text between splicer comments of
 * an existing Impl file is kept byte for byte. A file is written only if its content changes. If
 * something cannot be emitted, it is reported to D, nothing is written, and the result is
 * EUNSUPPORTED. Other errors: EIO, ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_sidl_emit(const struct portolan_sidl_model *model,
                                                     const struct portolan_sidl_options *options,
                                                     struct portolan_diagnostics *d,
                                                     struct portolan_error *err);

/** Calls EACH with the name (no folder) of every file that portolan_sidl_emit would write. Errors
 * as there. */
PORTOLAN_API enum portolan_status portolan_sidl_list_outputs(
    const struct portolan_sidl_model *model, const struct portolan_sidl_options *options,
    struct portolan_diagnostics *d, void (*each)(void *arg, const char *name), void *arg,
    struct portolan_error *err);

/** Reads, checks and emits. Errors of portolan_sidl_read() and portolan_sidl_emit(). */
PORTOLAN_API enum portolan_status portolan_sidl_compile(const struct portolan_sidl_options *options,
                                                        struct portolan_diagnostics *d,
                                                        struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
