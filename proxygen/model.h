/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The generator inside: read (SIDL or C) -> model -> check -> emit. Everything a run allocates
 * lives in one arena, whose failure is sticky and is looked at once, before anything is written.
 */
#ifndef PROXYGEN_MODEL_H
#define PROXYGEN_MODEL_H

#include <stdio.h>

#include <portolan/proxygen.h>

/* ------------------------------------------------------------------ text */

/* Text in the arena; "" when memory is out, never NULL. */
const char *proxygen_print(struct portolan_arena *arena, const char *format, ...)
    PORTOLAN_PRINTF(2, 3);
/* TEXT with '@' replaced by WITH; in the arena. */
const char *proxygen_replace(struct portolan_arena *arena, const char *text, const char *with);
/* Dots become underscores. */
const char *proxygen_c_name(struct portolan_arena *arena, const char *dotted);

/* Adds an item to ITEMS, which hold N; without memory they stay, and the arena remembers. */
#define PROXYGEN_APPEND(ARENA, ITEMS, N, ...)                                                      \
    do {                                                                                           \
        void *grown_ = portolan_arena_grow(ARENA, ITEMS, N, sizeof *(ITEMS));                      \
                                                                                                   \
        if (grown_) {                                                                              \
            (ITEMS) = grown_;                                                                      \
            (ITEMS)[N] = __VA_ARGS__;                                                              \
            ++(N);                                                                                 \
        }                                                                                          \
    } while (0)

/* Whether WORD is one of N words. */
bool proxygen_is_among(const char *word, const char *const *words, size_t n);
#define PROXYGEN_IS_AMONG(WORD, WORDS)                                                             \
    proxygen_is_among(WORD, WORDS, sizeof(WORDS) / sizeof *(WORDS))

/* Letters, digits and '_'. */
bool proxygen_is_word_byte(char c);
/* How much of TEXT is a name, which does not begin with a digit; and whether all of it is. */
size_t proxygen_name_length(const char *text);
bool proxygen_is_name(const char *text);
/* Where WORD stands in TEXT, at FROM or behind it, and not as part of another; NULL: nowhere. */
const char *proxygen_find_word(const char *text, const char *from, const char *word);
/* TEXT with WITH for each WORD. */
const char *proxygen_replace_word(struct portolan_arena *arena, const char *text, const char *word,
                                  const char *with);

/* ------------------------------------------------------------------ model */

/* Where something stands, for messages; file NULL: nowhere. */
struct place {
    const char *file;
    int line, column;
};

enum value_kind {
    VALUE_OTHER, /* cannot be a context */
    VALUE_INTEGER,
    VALUE_REAL,
    VALUE_REAL_POINTER /* *argument may hold an accuracy after the call */
};

/* C: what more one has to know of a parameter's type. */
enum type_form {
    FORM_PLAIN,
    FORM_POINTER,  /* to data, arrays included */
    FORM_FUNCTION, /* a function, or a pointer to one */
    FORM_VA_LIST
};

enum argument_role {
    ROLE_PLAIN,
    ROLE_OBJECT, /* C: the object the method is called on */
    ROLE_HANDLE, /* C: points to the pointer to the object that the method ends: free(&x) */
    ROLE_HOLDER, /* C: points to a struct with a member that points to the method's object */
    ROLE_PEER    /* C: another object of the same type, possibly a proxy's */
};

struct argument {
    const char *name;
    const char *type;        /* C: the type without what the declaration alone has, for comparing */
    bool has_own_name;       /* the header gives it one */
    const char *declaration; /* C: "const double *@", the name's place marked */
    const char *value;       /* what the context's value is; NULL: it cannot be told */
    enum argument_role role;
    enum value_kind kind;
    enum type_form form;
    bool input;                  /* has a value before the call */
    bool reads_integer;          /* C: points to a whole number that stays, as Fortran's "n" does */
    bool context;                /* part of the call's context */
    const char *holder;          /* C: the member of what it points to that is of the port's type */
    const char *size_of;         /* C: the argument whose extent this one is; NULL: none is known */
    bool size_guessed;           /* by its name and neighbour, not by the side file */
    const struct method *callee; /* C: the function that it is or points to; NULL: cannot be had */
    bool callback;               /* C: time in this function is its caller's */
    const char *gives;           /* C: the port type of the object that comes back through it */
    const struct port *gift;     /* that port; its object is in the caller's storage at depth 1, */
    int depth;                   /* and comes back as a pointer at depth 2 */
    const char *record;          /* C: the struct behind that many pointers, by its plain name */
    bool is_sized;               /* C++: a container, whose context is its size() */
    bool is_guessable;           /* C++: …which may be guessed to matter */
    bool is_moved;               /* C++: handed on as a value that may be moved from */
    bool accuracy;
    struct place place;
};

/* A context that is no argument: "m = *m". */
struct expression {
    const char *name;
    const char *text;     /* as written */
    const char *value;    /* the same, 0 where a pointer is NULL */
    enum value_kind kind; /* once the compiler has told */
    bool guessed;
    bool is_result; /* known after the call; `return` in it is what the method returns */
    struct place place;
};

/* One number of a call's context. */
struct context {
    const char *name, *value;
    enum value_kind kind;
};

/* What a method returns that is the object itself, so that users of a proxy must get the proxy. */
enum cxx_self { CXX_SELF_NONE, CXX_SELF_REFERENCE, CXX_SELF_POINTER };

/* C++: how to override a method and how to call it on the object behind. */
struct cxx_method {
    const char *owner;      /* the class that declares it */
    const char *path;       /* the object as that class, the port's object marked by '@' */
    const char *list;       /* the parameters' types */
    const char *suffix;     /* " const &" */
    const char *qualifiers; /* the same with " noexcept" */
    const char *pointer;    /* "int (heat::Solver::*@)(int) const" */
    bool is_direct;         /* a call by name means this one */
    bool is_open;           /* public */
    bool is_rvalue;         /* "&&" */
    enum cxx_self self;
};

struct method {
    const char *name;        /* as measured: "solve" */
    const char *member;      /* in the table or entry-point vector: "solve", "f_solve" */
    const char *result_type; /* C: the type behind all names */
    const char *result;      /* C: "int @", the declared name's place marked */
    const char *head;        /* of the forwarding function, the function's name marked by '@' */
    const char *pass;        /* what is handed on behind the object: ", n, b" */
    const char *convention;  /* C: the attribute for how it is called, part of the head; or NULL */
    const char *parameters;  /* C: as declared: "int n, double *b" */
    const char *returning;   /* C: what head is without them: "int @" */
    bool returns;            /* something */
    enum value_kind result_kind;
    struct argument *arguments;
    size_t n_arguments;
    struct expression *expressions; /* contexts, behind those that are arguments */
    size_t n_expressions;
    bool accuracy;           /* the result is the accuracy reached */
    bool status;             /* the result is 0, or says that the call failed */
    bool no_return;          /* never comes back: the clock stops before the call */
    bool destroys;           /* ends its object, which must not be looked at afterwards */
    const char *own;         /* C structs: the object it is called on; NULL: none */
    bool described;          /* an annotation or the side file said something: nothing is guessed */
    bool variadic;           /* ends in "..." */
    const char *twin;        /* variadic: the method that takes a va_list instead; NULL: none */
    struct place twin_place; /* where that is said */
    const char *forward;     /* the twin's member; NULL: its own */
    const char *gives;       /* C: the port type of the object that is returned; NULL: no port's */
    long since;              /* C: from this version of the table on; 0: always */
    const struct port *gift; /* C: the port of the object that is returned */
    const char *result_record; /* C: the struct that a pointer to is returned */
    const char *symbol;        /* SHAPE_FUNCTIONS: its name in shared objects */
    bool present;              /* SHAPE_FUNCTIONS: has a member in the port's C type… */
    size_t position;           /* …at this place */
    const char *skip;          /* not intercepted, because…; NULL: intercepted */
    bool is_pure;              /* C++: a proxy must have it */
    struct cxx_method *cxx;    /* C++; NULL for what is listed only */
    struct place place;
};

enum shape {
    SHAPE_SIDL,      /* an interface: entry-point vector and data */
    SHAPE_TABLE,     /* struct x { const struct x_ops *ops; … } */
    SHAPE_STRUCT,    /* struct x { int (*f)(struct x *); … } */
    SHAPE_FUNCTIONS, /* a list of functions */
    SHAPE_CLASS      /* an abstract class of C++ */
};

/* An inline function or a macro of the header, compiled into its callers. */
struct unseen_call {
    const char *name;
    bool is_macro;
    struct place place;
};

/* What a table says about its own length. */
enum version_kind {
    VERSION_NONE,  /* nothing: it is as long as the header has it */
    VERSION_SIZE,  /* its size in bytes */
    VERSION_NUMBER /* a version; method.since says which methods it has */
};

enum member_kind {
    MEMBER_DATA,     /* follows both sides */
    MEMBER_FUNCTION, /* the proxy has its own */
    MEMBER_TABLE,    /* the pointer to the table */
    MEMBER_LINK,     /* to another object of the same kind: whoever holds the face sets it */
    MEMBER_NAME      /* the same, but the face begins with the implementation's */
};

/* A member of the struct that users hold; bit-fields may have no name. */
struct member {
    const char *name;
    enum member_kind kind;
};

/* SHAPE_FUNCTIONS: a shared object that implements the port. */
struct provider {
    const char *name; /* of its class, behind the port's type */
    const char *file;
    bool is_given; /* the name */
    bool clashes;
};

struct port {
    enum shape shape;
    const char *type;           /* the port type's name, with dots */
    const char *c_type;         /* the same with underscores */
    const char *prefix;         /* of all names in the generated file: "heat_LinearSolverProxy" */
    const char *include;        /* what stands behind #include */
    struct unseen_call *unseen; /* headers: what callers may use instead of a method */
    size_t n_unseen;
    const char *flags_from; /* headers: which compile command the flags are of; NULL: none */
    const char *flags;      /* headers: those that change what it declares, for a comment */
    const char *defines;    /* headers: the same as lines for the preprocessor */
    struct method *methods;
    size_t n_methods;
    struct place place;
    /* SHAPE_TABLE, SHAPE_STRUCT (where the table is the object) */
    bool only_clang;          /* gcc has not all the calling conventions */
    const char *object;       /* "struct solver" */
    const char *table;        /* "struct solver_ops" */
    const char *table_member; /* "ops" */
    enum version_kind version_kind;
    const char *version_member; /* of the table */
    bool version_guessed;       /* by its name, not by the side file */
    const char **table_numbers; /* its members that are whole numbers */
    size_t n_table_numbers;
    const char *word;       /* what the user called it */
    const char *record;     /* the object's plain name, whatever it was typedef'ed to */
    bool selfless;          /* SHAPE_STRUCT: no function takes the struct */
    struct member *members; /* of the object */
    size_t n_members;
    bool has_deprecated;  /* C++: attributes say so of anything in the header */
    bool has_data;        /* the object has members that follow both sides */
    bool has_expressions; /* contexts of some method */
    /* SHAPE_CLASS; `object` is the class */
    bool has_virtual_end;     /* a destructor that is virtual */
    bool on_trial;            /* contexts are yet to be judged, so they are left out */
    const char **names_taken; /* all macros, sorted: names to keep clear of */
    size_t n_names_taken;
    /* SHAPE_FUNCTIONS */
    struct provider *providers;
    size_t n_providers;
};

/* A file to be written into the folder of the output. */
struct output {
    const char *name;
    struct portolan_text text; /* in the arena */
    struct output *next;
};

/* One run. */
struct run {
    struct portolan_arena arena;
    const struct portolan_proxygen_options *options;
    struct portolan_diagnostics *diagnostics;
    struct portolan_error *err;
    struct port main_port;
    struct port **given; /* C: types of objects that methods hand out, each before its givers */
    size_t n_given;
    struct port *port;  /* one of these: what a phase works on; between phases the main one */
    struct place whole; /* the file that was given first, for what is wrong with all of it */
    struct output *outputs, **last_output;
    struct portolan_text report;
    const char *const *flags; /* C: with which the header was read */
    size_t n_flags;
    bool is_cxx; /* the header was read as C++ */
};

/* Reports a problem of the input at PLACE, or notes it in run->err where nobody hears reports. */
enum portolan_status proxygen_fail(struct run *run, enum portolan_status status,
                                   const struct place *place, const char *format, ...)
    PORTOLAN_PRINTF(4, 5);

/* ------------------------------------------------------------------ the model's helpers */

/* Another method of the run's port, zeroed; NULL without memory. */
struct method *proxygen_add_method(struct run *run);
/* Makes port number I of the run the one that is worked on: those that methods hand out come first.
 * False when there are no more; then it is the main one. */
bool proxygen_use_port(struct run *run, size_t i);
/* Whether NAME means TYPE, which may begin with "struct ". */
bool proxygen_is_named(const char *type, const char *name);
/* The port among those of the run that NAME means; NULL when none does. */
struct port *proxygen_find_port(struct run *run, const char *name);

/* True for names that are macros behind the port's header. */
bool proxygen_is_macro(const struct port *port, const char *name);
/* C: names for parameters that the header leaves without one: argument_1, … by position. */
void proxygen_name_arguments(struct run *run, struct method *m);
/* Local variables of a forwarding function, by names that clash with nothing. */
struct locals {
    const char *proxy, *call, *context, *to, *result, *list;
};
struct locals proxygen_locals(struct run *run, const struct method *m);
/* What the names of the stand-ins for argument A of M begin with. */
const char *proxygen_callback_name(struct run *run, const struct method *m,
                                   const struct argument *a);

/* What ITEM makes of each argument of M, with commas between. */
typedef const char *proxygen_item_fn(struct run *run, const struct method *m,
                                     const struct argument *a);
const char *proxygen_list(struct run *run, const struct method *m, proxygen_item_fn *item);
/* "self, n, b" and "struct x *self, int n, double *b". */
const char *proxygen_argument_names(struct run *run, const struct method *m);
const char *proxygen_parameters(struct run *run, const struct method *m);

/*
 * The context of a call of M: fills LIST, which has room for PORTOLAN_PROBE_CONTEXTS, and returns
 * how many there are, which may be more.
 */
size_t proxygen_contexts(const struct method *m, struct context *list);
/* How many of them are results, which stand last. */
size_t proxygen_count_results(const struct method *m);

/* ------------------------------------------------------------------ phases */

/* Read: the port from a header or from SIDL, then what the side file (LINES) says of it. */
enum portolan_status proxygen_read_header(struct run *run);
enum portolan_status proxygen_read_sidl(struct run *run);
enum portolan_status proxygen_read_side_file(struct run *run);
enum portolan_status proxygen_read_side_lines(struct run *run, char *lines);

/* Check: makes the rest of what the side file said, and guesses what it did not. */
enum portolan_status proxygen_apply_hints(struct run *run);
/* Has the compiler tell types and faults of all expressions. */
enum portolan_status proxygen_judge_expressions(struct run *run);
/* Has the compiler tell what stands against a class of C++, which TEXT behind the header has. */
enum portolan_status proxygen_judge_class(struct run *run, const char *text);
/* What must hold whatever the reader: methods, contexts, names; renames clashing parameters. */
enum portolan_status proxygen_check_port(struct run *run);
/* Makes c_type and prefix of the port's type, or says what is wrong with it. */
enum portolan_status proxygen_name_port(struct run *run);

/* What expressions may call. */
#define PROXYGEN_EXPRESSION_INCLUDES "#include <string.h>\n"

/* Emit: C++, the class of a proxy with all methods, enough for a compiler to judge it. */
void proxygen_emit_cxx_trial(struct run *run, struct portolan_text *out);
/* All files of the port's shape, the source and the description first; and the report. */
void proxygen_emit(struct run *run);
void proxygen_emit_report(const struct run *run, struct portolan_text *out);

#endif
