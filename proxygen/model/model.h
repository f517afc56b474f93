/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internals of the generator: read (SIDL or C) -> model -> check -> emit. Everything a run
 * allocates lives in one arena. The arena remembers a failure, which is checked once, before
 * writing.
 */
#ifndef PROXYGEN_MODEL_H
#define PROXYGEN_MODEL_H

#include <stdio.h>

#include <portolan/proxygen.h>

/* ------------------------------------------------------------------ text */

/* Text in the arena; "" when memory runs out, never NULL. */
const char *proxygen_print(struct portolan_arena *arena, const char *format, ...)
    PORTOLAN_PRINTF(2, 3);
/* TEXT with '@' replaced by WITH; in the arena. */
const char *proxygen_replace(struct portolan_arena *arena, const char *text, const char *with);
/* Dots become underscores. */
const char *proxygen_c_name(struct portolan_arena *arena, const char *dotted);

/* Adds an item to ITEMS, which hold N; without memory they stay as they are: see arena.failed. */
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

/* Returns whether WORD is one of N words. */
bool proxygen_is_among(const char *word, const char *const *words, size_t n);
#define PROXYGEN_IS_AMONG(WORD, WORDS)                                                             \
    proxygen_is_among(WORD, WORDS, sizeof(WORDS) / sizeof *(WORDS))

/* Letters, digits and '_'. */
bool proxygen_is_word_byte(char c);
/* Length of the name that TEXT begins with (0 for a digit); and whether all of TEXT is a name. */
size_t proxygen_name_length(const char *text);
bool proxygen_is_name(const char *text);
/* Finds the whole word WORD in TEXT, at FROM or after it; NULL: it is not there. */
const char *proxygen_find_word(const char *text, const char *from, const char *word);
/* TEXT with each WORD replaced by WITH. */
const char *proxygen_replace_word(struct portolan_arena *arena, const char *text, const char *word,
                                  const char *with);

/* ------------------------------------------------------------------ model */

/* A place in the input, for messages; file NULL: none. */
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

/* C: the form of a parameter's type. */
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
    const char *type;        /* C: the canonical type, for comparing; NULL: not known */
    bool has_own_name;       /* the header gives it one */
    const char *declaration; /* C: "const double *@", the name's place marked */
    const char *value;       /* expression for the context's value; NULL: not known */
    enum argument_role role;
    enum value_kind kind;
    enum type_form form;
    bool input;                  /* has a value before the call */
    bool reads_integer;          /* C: points to a constant whole number, like Fortran's "n" */
    bool context;                /* part of the call's context */
    const char *holder;          /* C: in the struct it points to, the member of the port's type */
    const char *size_of;         /* C: the argument whose extent this one is; NULL: none is known */
    bool size_guessed;           /* by its name and neighbour, not by the side file */
    const struct method *callee; /* C: the function that it points to; NULL: none can stand in */
    bool callback;               /* C: time in this function is its caller's */
    const char *gives;           /* C: the port type of the object that comes back through it */
    const struct port *gift;     /* that port; its object is in the caller's storage at depth 1, */
    int depth;                   /* and comes back as a pointer at depth 2 */
    const char *record;          /* C: plain name of the struct that DEPTH pointers lead to */
    bool is_sized;               /* C++: a container, whose context is its size() */
    bool is_guessable;           /* C++: …which may be guessed to be a context */
    bool is_moved;               /* C++: passed on by std::move() */
    bool accuracy;
    struct place place;
};

/* A context that is no argument: "m = *m". */
struct expression {
    const char *name;
    const char *text;     /* as written */
    const char *value;    /* the same, 0 where a pointer is NULL */
    enum value_kind kind; /* set by proxygen_judge_expressions() */
    bool guessed;
    bool is_result; /* known after the call; `return` in it is what the method returns */
    struct place place;
};

/* One number of a call's context. */
struct context {
    const char *name, *value;
    enum value_kind kind;
};

/*
 * The way in which a method may return the object itself; users of a proxy must then get the proxy.
 */
enum cxx_self { CXX_SELF_NONE, CXX_SELF_REFERENCE, CXX_SELF_POINTER };

/* C++: how to override a method and how to call it on the target. */
struct cxx_method {
    const char *owner;      /* the class that declares it */
    const char *path;       /* the object as that class, the port's object marked by '@' */
    const char *list;       /* the parameters' types */
    const char *suffix;     /* " const &" */
    const char *qualifiers; /* the same with " noexcept" */
    const char *pointer;    /* "int (heat::Solver::*@)(int) const" */
    bool is_direct;         /* a call by its name reaches it */
    bool is_open;           /* public */
    bool is_rvalue;         /* "&&" */
    enum cxx_self self;
};

struct method {
    const char *name;        /* as measured: "solve" */
    const char *member;      /* in the table or entry-point vector: "solve", "f_solve" */
    const char *result_type; /* C: the canonical type */
    const char *result;      /* C: "int @", the declared name's place marked */
    const char *head;        /* of the forwarding function, the function's name marked by '@' */
    const char *declared;    /* the head as the header has it; NULL: it is `head` */
    const char *pass;       /* the arguments that are passed on; SIDL: after the object, ", n, b" */
    const char *convention; /* C: the attribute for how it is called, part of the head; or NULL */
    const char *parameters; /* C: as declared: "int n, double *b" */
    const char *returning;  /* C: the head without parameters: "int @" */
    bool returns;           /* something */
    enum value_kind result_kind;
    struct argument *arguments;
    size_t n_arguments;
    struct expression *expressions; /* contexts, after those that are arguments */
    size_t n_expressions;
    bool accuracy;           /* the result is the accuracy reached */
    bool status;             /* the result is 0, or says that the call failed */
    bool no_return;          /* never comes back: the clock stops before the call */
    bool destroys;           /* ends its object, which must not be read afterwards */
    const char *own;         /* C structs: the object it is called on; NULL: none */
    bool described;          /* an annotation or the side file said something: nothing is guessed */
    bool variadic;           /* ends in "..." */
    const char *twin;        /* variadic: the method that takes a va_list instead; NULL: none */
    struct place twin_place; /* where the side file names it */
    const char *forward;     /* the twin's member; NULL: its own */
    const char *gives;       /* C: the port type of the object that is returned; NULL: no port's */
    long since;              /* C: from this version of the table on; 0: always */
    const struct port *gift; /* C: the port of the object that is returned */
    const char *result_record; /* C: the struct that the returned pointer points to */
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

/* The way in which a table states its own length. */
enum version_kind {
    VERSION_NONE,  /* nothing: it is as long as the header declares it */
    VERSION_SIZE,  /* its size in bytes */
    VERSION_NUMBER /* a version; method.since says which methods it has */
};

enum member_kind {
    MEMBER_DATA,     /* copied between face and target when one of them changes it */
    MEMBER_FUNCTION, /* the proxy has its own */
    MEMBER_TABLE,    /* the pointer to the table */
    MEMBER_LINK,     /* to another object of the same kind: the user of the face sets it */
    MEMBER_NAME      /* not copied either, but the face starts with the implementation's value */
};

/* A member of the struct that users hold; bit-fields may have no name. */
struct member {
    const char *name;
    enum member_kind kind;
};

/* SHAPE_FUNCTIONS: a shared object that implements the port. */
struct provider {
    const char *name; /* of its class, after the port's type */
    const char *file;
    bool is_given; /* the name */
    bool clashes;
};

struct port {
    enum shape shape;
    const char *type;           /* the port type's name, with dots */
    const char *c_type;         /* the same with underscores */
    const char *prefix;         /* of all names in the generated file: "heat_LinearSolverProxy" */
    const char *include;        /* the text after #include */
    struct unseen_call *unseen; /* headers: what callers may use instead of a method */
    size_t n_unseen;
    const char *flags_from; /* headers: the compile command that gave the flags; NULL: none */
    const char *flags;      /* headers: flags that change what it declares, for a comment */
    const char *defines;    /* headers: the same as lines for the preprocessor */
    struct method *methods;
    size_t n_methods;
    struct place place;
    /* SHAPE_TABLE, SHAPE_STRUCT (where the table is the object) */
    bool only_clang;          /* gcc lacks one of the calling conventions */
    const char *object;       /* "struct solver" */
    const char *table;        /* "struct solver_ops" */
    const char *table_member; /* "ops" */
    enum version_kind version_kind;
    const char *version_member; /* of the table */
    bool version_guessed;       /* by its name, not by the side file */
    const char **table_numbers; /* members of the table that are whole numbers */
    size_t n_table_numbers;
    const char *word;       /* the name that the user gave */
    const char *record;     /* the object's canonical name, without typedefs */
    bool selfless;          /* SHAPE_STRUCT: no function takes the struct */
    struct member *members; /* of the object */
    size_t n_members;
    bool has_deprecated;  /* C++: something in the header has the attribute deprecated */
    bool is_cxx;          /* a struct of a header in C++: so is the generated file */
    bool has_data;        /* the object has members that are copied (MEMBER_DATA) */
    bool has_expressions; /* some method has contexts that are expressions */
    /* SHAPE_CLASS; `object` is the class */
    bool has_virtual_end;     /* a destructor that is virtual */
    bool on_trial;            /* contexts are not judged yet, so they are left out */
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
    struct port *
        *given; /* C: types of objects that methods hand out, each before the ports that do */
    size_t n_given;
    struct port *port;  /* the port that a phase works on; between phases the main one */
    struct place whole; /* the first file given, for messages about no single line */
    struct output *outputs, **last_output;
    struct portolan_text report;
    const char *const *flags; /* C: with which the header was read */
    size_t n_flags;
    bool is_cxx; /* the header was read as C++ */
};

/* Reports a problem of the input at PLACE; without run->diagnostics it is noted in run->err. */
enum portolan_status proxygen_fail(struct run *run, enum portolan_status status,
                                   const struct place *place, const char *format, ...)
    PORTOLAN_PRINTF(4, 5);

/* ------------------------------------------------------------------ the model's helpers */

/* Another method of the run's port, zeroed; NULL when memory runs out. */
struct method *proxygen_add_method(struct run *run);
/* Makes port number I of the run the current one; the ports of objects handed out come first.
 * False when there are no more; then the main port is current. */
bool proxygen_use_port(struct run *run, size_t i);
/* Returns whether NAME means TYPE, which may begin with "struct ". */
bool proxygen_is_named(const char *type, const char *name);
/* The port among those of the run that NAME means; NULL when none does. */
struct port *proxygen_find_port(struct run *run, const char *name);

/* Makes c_type and prefix of the port's type, or says what is wrong with it. */
enum portolan_status proxygen_name_port(struct run *run);
/* True for names that are macros after the port's header is included. */
bool proxygen_is_macro(const struct port *port, const char *name);
/* C: names for parameters that the header leaves without one: argument_1, … by position. */
void proxygen_name_arguments(struct run *run, struct method *m);
/* Local variables of a forwarding function, by names that clash with nothing. */
struct locals {
    const char *proxy, *call, *context, *to, *result, *list;
};
struct locals proxygen_locals(struct run *run, const struct method *m);
/* Prefix of the names of the stand-ins for argument A of M. */
const char *proxygen_callback_name(struct run *run, const struct method *m,
                                   const struct argument *a);

/* Joins what ITEM makes of each argument of M by commas. */
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
/* How many of them are results, which come last. */
size_t proxygen_count_results(const struct method *m);

/* ------------------------------------------------------------------ phases */

/* Read: the port from a header or from SIDL, then what the side file (LINES) says of it. */
enum portolan_status proxygen_read_header(struct run *run);
enum portolan_status proxygen_read_sidl(struct run *run);
enum portolan_status proxygen_read_side_file(struct run *run);
enum portolan_status proxygen_read_side_lines(struct run *run, char *lines);

/* Check: applies the rest of the side file, and guesses what it leaves out. */
enum portolan_status proxygen_apply_hints(struct run *run);
/* Asks the compiler for the types and faults of all expressions. */
enum portolan_status proxygen_judge_expressions(struct run *run);
/* Has the compiler find errors in TEXT, the class of a C++ proxy, after the header. */
enum portolan_status proxygen_judge_class(struct run *run, const char *text);
/* Checks methods, contexts and names, whichever reader made them; renames clashing parameters. */
enum portolan_status proxygen_check_port(struct run *run);

/* Declares the functions that expressions may call. */
#define PROXYGEN_EXPRESSION_INCLUDES "#include <string.h>\n"

/* Emit: a C++ proxy class with all methods, complete enough for a compiler to check it. */
void proxygen_emit_cxx_trial(struct run *run, struct portolan_text *out);
/* All files of the port's shape, the source and the description first; and the report. */
void proxygen_emit(struct run *run);
void proxygen_emit_report(const struct run *run, struct portolan_text *out);

#endif
