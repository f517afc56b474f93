/* SPDX-License-Identifier: BSD-3-Clause */
/** Shared by the compiler's passes, in addition to the public model. */
#ifndef SIDL_MODEL_H
#define SIDL_MODEL_H

#include <portolan/sidl.h>

#include <setjmp.h>

/*
 * One arena per compile run. When memory is out, a longjmp leaves the run, so that no function in
 * between has to test for it; only memory of the arena may be held across a call.
 */

/* The arena's no_memory hook; ARG is the jmp_buf to jump to. */
void arena_leave(void *arg);

/* Adds the bytes of a file to TEXT; false with errno. Without memory, jumps after closing it. */
bool arena_read_file(struct portolan_text *text, const char *path, size_t most_bytes);

/* Appends an item to the array LIST of N. */
#define ARENA_PUSH(A, LIST, N, ...)                                                                \
    ((LIST) = portolan_arena_grow((A), (LIST), (N), sizeof *(LIST)), (LIST)[(N)++] = __VA_ARGS__)

/*
 * A hash table from names to their meaning. Start it as {.arena = …}.
 */
struct names {
    struct portolan_arena *arena;
    struct name *table;
    size_t round; /* entries of older rounds do not count */
};

/* Forgets all names, at no cost. */
void names_clear(struct names *n);
/*
 * The address of the meaning of TEXT, which is NULL when TEXT is new. TEXT has LENGTH bytes and is
 * copied.
 */
const void **names_add(struct names *n, const char *text, size_t length);
/* The meaning of TEXT, or NULL. */
const void *names_find(const struct names *n, const char *text, size_t length);

/* Limit of recursion: nesting of packages and expressions, inheritance. */
enum { MAX_DEPTH = 100 };

struct import {
    const char *name;    /* of a package */
    const char *version; /* NULL: any */
    bool is_done;
    bool is_import; /* names are searched in it; else require: only its version is fixed */
    struct portolan_sidl_place place;
};

struct file {
    const char *name;
    bool is_requested;
    bool is_on_disk; /* else it is built in, or a text in memory */
    struct import *imports;
    size_t n_imports;
    struct names unresolved; /* names reported as unknown, each once */
    bool hides_names;        /* an import was not found, and may declare any name */
    bool is_unbalanced;      /* more } than { */
};

/* A name that resolve.c looks up after all files are read. */
struct pending {
    struct portolan_sidl_type *type;
    struct portolan_sidl_symbol *scope;
    struct file *file;
};

struct portolan_sidl_model {
    struct portolan_arena arena;
    struct portolan_arena scratch; /* for the file that is being read */
    struct portolan_sidl_symbol *global;
    struct names symbols;    /* by full name */
    struct names lower_case; /* the same, in lower case */
    /* Words in unreadable text, where types with such names may have been declared. */
    struct names lost;
    bool is_all_lost;       /* types with any name may have been declared there */
    struct names specified; /* full names of the specifications' types; see resolve.c */
    struct file **files;
    size_t n_files;
    struct pending *pending;
    size_t n_pending;
};

/* A specification that comes with Portolan, from sidl/spec/; read.c has their texts. */
#define BUILTIN_FOLDER "(built in)/" /* prefix of their files' names */
struct builtin_spec {
    const char *package;
    const char *file;
    const char *text;
    size_t size;
};
extern const struct builtin_spec builtin_specs[];
extern const size_t n_builtin_specs;

/* WORDS ends with NULL. */
bool word_is_one_of(const char *word, const char *const *words);

/* Reports a problem at PLACE; if D is NULL, nothing happens. */
void diagnose_at(struct portolan_diagnostics *d, const struct portolan_sidl_place *place,
                 const char *format, ...) PORTOLAN_PRINTF(3, 4);

/* model.c */
/* The symbol NAME (a, or a.b) directly inside PACKAGE; NULL: none. */
struct portolan_sidl_symbol *symbol_child(struct portolan_sidl_model *model,
                                          const struct portolan_sidl_symbol *package,
                                          const char *name);
/* A new child; its name must be free. If PACKAGE is NULL, it cannot be found by name. */
struct portolan_sidl_symbol *symbol_add(struct portolan_sidl_model *model,
                                        struct portolan_sidl_symbol *package,
                                        enum portolan_sidl_symbol_kind kind, const char *name,
                                        struct portolan_sidl_place place);
struct portolan_sidl_symbol *symbol_find(const struct portolan_sidl_model *model,
                                         const char *full_name);
const char *symbol_kind_text(enum portolan_sidl_symbol_kind kind); /* "an interface" */
bool symbol_is_object(const struct portolan_sidl_symbol *symbol);
/* The index of SYMBOL's slot of that name; n_slots when it has none. */
size_t symbol_slot(const struct portolan_sidl_symbol *symbol, const char *slot_name);
/* The method of that name that SYMBOL declares itself; NULL. */
const struct portolan_sidl_method *symbol_method(const struct portolan_sidl_symbol *symbol,
                                                 const char *slot_name);
/* The method, declared here or above, that gives METHOD another name by `from`; NULL. */
const struct portolan_sidl_method *symbol_renaming(const struct portolan_sidl_symbol *symbol,
                                                   const struct portolan_sidl_method *method);
/* Returns whether SYMBOL itself declares static methods. */
bool symbol_has_statics(const struct portolan_sidl_symbol *symbol);
/* Returns whether SYMBOL or a type that it inherits has that full name. */
bool symbol_inherits(const struct portolan_sidl_symbol *symbol, const char *full_name);
/* An item of the attributes that describe a component class (describe.c). */
struct described {
    const char *name, *type, *value; /* "n:int=100"; VALUE may be NULL */
};
/* The attribute's list; "" when there is none. */
const char *described_list(const struct portolan_sidl_symbol *s, const char *kind);
/* Takes the next item of such a list at *AT; false at its end. */
bool described_next(struct portolan_arena *a, const char **at, struct described *item);
/*
 * A new number for a walk through types that can be reached on several ways. Note it in own.visit
 * to visit each type once.
 */
size_t walk_begin(void);
bool method_is_static(const struct portolan_sidl_method *method);
bool method_same_signature(const struct portolan_sidl_method *a,
                           const struct portolan_sidl_method *b);
/* The version of SYMBOL or of the nearest package around it; NULL: none. */
const char *symbol_version(const struct portolan_sidl_symbol *symbol);
/* The parents, extended ones first. */
size_t symbol_n_parents(const struct portolan_sidl_symbol *symbol);
const struct portolan_sidl_type *symbol_parent(const struct portolan_sidl_symbol *symbol, size_t i);
/* A type with an unknown name equals all types. */
bool type_equal(const struct portolan_sidl_type *a, const struct portolan_sidl_type *b);
bool type_is_unknown(const struct portolan_sidl_type *type);

/* parser.c: adds the declarations of a file to the model. */
void parser_read(struct portolan_sidl_model *model, struct file *file, const char *text,
                 size_t size, struct portolan_diagnostics *d);

/* resolve.c */
void resolve_names(struct portolan_sidl_model *model, struct portolan_diagnostics *d);

/* slots.c: the methods of every type in entry-point order; reports clashes. */
void slots_build(struct portolan_sidl_model *model, struct portolan_diagnostics *d);

/* check.c: all other checks of the model. */
void check_model(struct portolan_sidl_model *model, struct portolan_diagnostics *d,
                 struct portolan_diagnostics *notes);

/* Parts of check_model. */
struct check_run {
    struct portolan_sidl_model *model;
    struct portolan_diagnostics *d, *notes;
    struct names words, values; /* of the symbol or method being checked */
};

/* check.c */
void check_attributes(const struct portolan_sidl_attribute *list, size_t count,
                      struct portolan_diagnostics *d);
void check_identifier(const char *name, const struct portolan_sidl_place *place, const char *what,
                      struct portolan_diagnostics *d);
/* The same for what stands in generated C as it is: macros and types would change its meaning. */
void check_variable(const char *name, const struct portolan_sidl_place *place, const char *what,
                    struct portolan_diagnostics *d);

/* Reports an array of structs, which Babel does not have. */
void check_element(const struct portolan_sidl_type *type, struct portolan_diagnostics *d);

/* check_method.c */
struct extent_scope { /* scope of the names in an rarray's extents */
    const char *of;   /* "f" or "struct S" */
    struct portolan_sidl_argument *arguments;
    size_t n_arguments;
    const struct portolan_sidl_field *fields;
    size_t n_fields;
    const struct names *words; /* each name's argument or field */
};
void check_rarray(const struct extent_scope *scope, const struct portolan_sidl_type *type,
                  const char *name, const struct portolan_sidl_place *place,
                  struct portolan_diagnostics *d);
void check_method(struct check_run *c, struct portolan_sidl_method *m);
void check_invariants(struct check_run *c, const struct portolan_sidl_symbol *of);

#endif
