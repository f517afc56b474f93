/* SPDX-License-Identifier: BSD-3-Clause */
/** What the compiler's passes share beyond the public model. */
#ifndef SIDL_MODEL_H
#define SIDL_MODEL_H

#include <portolan/sidl.h>

#include <setjmp.h>

/*
 * One arena per compile run. Running out of memory leaves through a longjmp, so that no caller
 * between has to test anything; nothing but arena memory may be held across a call.
 */

/* The arena's no_memory hook; ARG is the jmp_buf to leave through. */
void arena_leave(void *arg);

/* The bytes of a file at the end of TEXT; false with errno. Leaves when the file is closed. */
bool arena_read_file(struct portolan_text *text, const char *path, size_t most_bytes);

/* Appends an item to the array LIST of N. */
#define ARENA_PUSH(A, LIST, N, ...)                                                                \
    ((LIST) = portolan_arena_grow((A), (LIST), (N), sizeof *(LIST)), (LIST)[(N)++] = __VA_ARGS__)

/*
 * A table from names to what they mean, so that no check compares all names with all. Start it as
 * {.arena = …}.
 */
struct names {
    struct portolan_arena *arena;
    struct name *table;
    size_t round; /* entries of older rounds do not count */
};

/* Forgets all names, at no cost. */
void names_clear(struct names *n);
/*
 * Where the meaning of TEXT is kept: holds NULL when it is new. TEXT is copied; LENGTH bytes of it
 * count.
 */
const void **names_add(struct names *n, const char *text, size_t length);
/* The meaning of TEXT, or NULL. */
const void *names_find(const struct names *n, const char *text, size_t length);

/* The constant that limits recursion: nesting of packages, expressions, inheritance. */
enum { MAX_DEPTH = 100 };

struct import {
    const char *name;    /* of a package */
    const char *version; /* NULL if any will do */
    bool is_done;
    bool is_import; /* else require: pinned, but not searched */
    struct portolan_sidl_place place;
};

struct file {
    const char *name;
    bool is_requested;
    bool is_on_disk; /* else it is built in, or a text in memory */
    struct import *imports;
    size_t n_imports;
    struct names unresolved; /* reported once each */
    bool hides_names;        /* what it imports was not found */
    bool is_unbalanced;      /* more } than { */
};

/* A name that resolve.c looks up when all files are read. */
struct pending {
    struct portolan_sidl_type *type;
    struct portolan_sidl_symbol *scope;
    struct file *file;
};

struct portolan_sidl_model {
    struct portolan_arena arena;
    struct portolan_arena scratch; /* of the file that is read now */
    struct portolan_sidl_symbol *global;
    struct names symbols;    /* by full name */
    struct names lower_case; /* the same, in small letters */
    /* Words in unreadable text: a type of such a name may have been declared there. */
    struct names lost;
    bool is_all_lost;       /* … or any type */
    struct names specified; /* full names of the specifications' types; see resolve.c */
    struct file **files;
    size_t n_files;
    struct pending *pending;
    size_t n_pending;
};

/* A specification that comes with Portolan, from sidl/spec/; read.c has their texts. */
#define BUILTIN_FOLDER "(built in)/" /* in front of their files' names */
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
/* What NAME (a, or a.b) means directly inside PACKAGE; NULL. */
struct portolan_sidl_symbol *symbol_child(struct portolan_sidl_model *model,
                                          const struct portolan_sidl_symbol *package,
                                          const char *name);
/* A new child; its name is not taken yet. PACKAGE NULL: it stands nowhere and cannot be found. */
struct portolan_sidl_symbol *symbol_add(struct portolan_sidl_model *model,
                                        struct portolan_sidl_symbol *package,
                                        enum portolan_sidl_symbol_kind kind, const char *name,
                                        struct portolan_sidl_place place);
struct portolan_sidl_symbol *symbol_find(const struct portolan_sidl_model *model,
                                         const char *full_name);
const char *symbol_kind_text(enum portolan_sidl_symbol_kind kind); /* "an interface" */
bool symbol_is_object(const struct portolan_sidl_symbol *symbol);
/* Where SYMBOL has the slot of that name; its n_slots when it has none. */
size_t symbol_slot(const struct portolan_sidl_symbol *symbol, const char *slot_name);
/* The method of that name that SYMBOL declares itself; NULL. */
const struct portolan_sidl_method *symbol_method(const struct portolan_sidl_symbol *symbol,
                                                 const char *slot_name);
/* The method, declared here or above, that gives METHOD another name by `from`; NULL. */
const struct portolan_sidl_method *symbol_renaming(const struct portolan_sidl_symbol *symbol,
                                                   const struct portolan_sidl_method *method);
/* It declares static methods itself. */
bool symbol_has_statics(const struct portolan_sidl_symbol *symbol);
/* Whether SYMBOL or one above it has that name. */
bool symbol_inherits(const struct portolan_sidl_symbol *symbol, const char *full_name);
/*
 * A number for a walk through types that may be reached on many ways: note it in own.visit, and
 * each is visited once.
 */
size_t walk_begin(void);
bool method_is_static(const struct portolan_sidl_method *method);
bool method_same_signature(const struct portolan_sidl_method *a,
                           const struct portolan_sidl_method *b);
/* The nearest version: its own or that of a package around it; NULL. */
const char *symbol_version(const struct portolan_sidl_symbol *symbol);
/* The parents, extended ones first. */
size_t symbol_n_parents(const struct portolan_sidl_symbol *symbol);
const struct portolan_sidl_type *symbol_parent(const struct portolan_sidl_symbol *symbol, size_t i);
/* A type whose name means nothing equals all. */
bool type_equal(const struct portolan_sidl_type *a, const struct portolan_sidl_type *b);
bool type_is_unknown(const struct portolan_sidl_type *type);

/* parser.c: what the file declares goes into the model. */
void parser_read(struct portolan_sidl_model *model, struct file *file, const char *text,
                 size_t size, struct portolan_diagnostics *d);

/* resolve.c */
void resolve_names(struct portolan_sidl_model *model, struct portolan_diagnostics *d);

/* slots.c: the methods of every type in entry-point order, and what clashes there. */
void slots_build(struct portolan_sidl_model *model, struct portolan_diagnostics *d);

/* check.c: everything else that is wrong with the model. */
void check_model(struct portolan_sidl_model *model, struct portolan_diagnostics *d,
                 struct portolan_diagnostics *notes);

/* Parts of check_model. */
struct check_run {
    struct portolan_sidl_model *model;
    struct portolan_diagnostics *d, *notes;
    struct names words, values; /* of what is checked just now */
};

/* check.c */
void check_attributes(const struct portolan_sidl_attribute *list, size_t count,
                      struct portolan_diagnostics *d);
void check_identifier(const char *name, const struct portolan_sidl_place *place, const char *what,
                      struct portolan_diagnostics *d);

/* Reports an array of structs, which Babel does not have. */
void check_element(const struct portolan_sidl_type *type, struct portolan_diagnostics *d);

/* check_method.c */
struct extent_scope { /* where the names in an rarray's extents are looked up */
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
void check_invariants(const struct portolan_sidl_symbol *of, struct portolan_diagnostics *d);

#endif
