/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The generator inside: read (SIDL or C) -> model -> check -> emit. Everything a run allocates
 * lives in one arena, whose failure is sticky and is looked at once, before anything is written.
 */
#ifndef PROXYGEN_INTERNAL_H
#define PROXYGEN_INTERNAL_H

#include <stdio.h>

#include <portolan/proxygen.h>

/* ------------------------------------------------------------------ text */

/* Text in the arena; "" when memory is out, never NULL. */
const char *proxygen_print(struct portolan_arena *arena, const char *format, ...)
    PORTOLAN_PRINTF(2, 3);
/* TEMPLATE with every '$' replaced by NAME. */
void proxygen_add_template(struct portolan_text *text, const char *name, const char *template);

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
    ROLE_OBJECT,
    /* C: the object the method is called on */ ROLE_HANDLE, /* C: where the pointer to the object
                                                                is that the method ends: free(&x) */
    ROLE_HOLDER, /* C: to a struct with a member that points to the object the method is called on
                  */
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
    bool is_data;              /* C++: a member listed as not intercepted */
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
    struct port port;
    struct port **given; /* C: types of objects that methods hand out, each before its givers */
    size_t n_given;
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

/* Dots become underscores. */
const char *proxygen_c_name(struct portolan_arena *arena, const char *dotted);

/* ------------------------------------------------------------------ phases */

enum portolan_status proxygen_read_header(struct run *run);
/* The port among those of the run that NAME means; NULL when none does. */
struct port *proxygen_find_port(struct run *run, const char *name);
/* Exchanges the run's port with PORT: what works on the run's port works on that one meanwhile. */
void proxygen_swap_port(struct run *run, struct port *port);
enum portolan_status proxygen_read_sidl(struct run *run);
/* The providers that options->libraries ask for. */
enum portolan_status proxygen_read_libraries(struct run *run);
/* True for names that are macros behind the port's header. */
bool proxygen_is_macro(const struct port *port, const char *name);
/* C: names for parameters that the header leaves without one: argument_1, … by position. */
void proxygen_name_arguments(struct run *run, struct method *m);
/* Applies the side file's lines to the model. */
enum portolan_status proxygen_read_side_file(struct run *run);
/* The same, of a file that is open; options->context is what messages call it. */
enum portolan_status proxygen_read_side_lines(struct run *run, FILE *file);
/*
 * The context of a call of M: fills LIST, which has room for PORTOLAN_PROBE_CONTEXTS, and returns
 * how many there are, which may be more.
 */
size_t proxygen_contexts(const struct method *m, struct context *list);
/* How many of them are results, which stand last. */
size_t proxygen_count_results(const struct method *m);
/* Letters, digits and '_'. */
bool proxygen_is_name(const char *text);
/*
 * "NAME = EXPRESSION", or an expression that names itself, becomes a context of M, which is known
 * before the call or, with IS_RESULT, after it.
 */
enum portolan_status proxygen_read_expression(struct run *run, struct method *m, char *word,
                                              bool is_result, const struct place *place);
/* What A points to becomes a context of M. */
void proxygen_guess_dereference(struct run *run, struct method *m, const struct argument *a);
/* Has the compiler tell types and faults of all expressions. */
enum portolan_status proxygen_judge_expressions(struct run *run);
/* What expressions may call. */
#define PROXYGEN_EXPRESSION_INCLUDES "#include <string.h>\n"
/* Makes the rest of what the side file said, and guesses what it did not. */
enum portolan_status proxygen_apply_hints(struct run *run);
/* What must hold whatever the reader: methods, contexts, names; renames clashing parameters. */
enum portolan_status proxygen_check_port(struct run *run);
/* Makes c_type and prefix of the port's type, or says what is wrong with it. */
enum portolan_status proxygen_name_port(struct run *run);

/* Local variables of a forwarding function, by names that clash with nothing. */
struct locals {
    const char *proxy, *call, *context, *to, *result, *list;
};

/* Another file NAME for the output, empty; never NULL (arena.failed tells). */
struct portolan_text *proxygen_add_output(struct run *run, const char *name);
/* C++: the class of a proxy with all methods, enough for a compiler to judge it. */
void proxygen_emit_cxx_trial(struct run *run, struct portolan_text *out);
void proxygen_emit_cxx(struct run *run, struct portolan_text *out);
/* Makes all files of the port's shape, the source and the description first. */
void proxygen_emit(struct run *run);
void proxygen_emit_source(struct run *run, struct portolan_text *out);
void proxygen_emit_description(const struct run *run, struct portolan_text *out);
void proxygen_emit_report(const struct run *run, struct portolan_text *out);
/* The forwarding functions and tables, which depend on the shape. */
void proxygen_emit_sidl(struct run *run, struct portolan_text *out);
void proxygen_emit_table(struct run *run, struct portolan_text *out);
/* Lists of functions: all their files; and the end of the report. */
void proxygen_emit_functions(struct run *run);
void proxygen_report_functions(const struct run *run, struct portolan_text *out);

/* #undef for macros of the header that have names which all generated code uses. */
void proxygen_emit_freed_names(const struct run *run, struct portolan_text *out);

/*
 * How every generated C or C++ file begins: what it is, how the header was read, the macros that it
 * was read with, INCLUDES (whole lines), the header.
 */
void proxygen_emit_prologue(const struct port *port, const char *what, const char *includes,
                            struct portolan_text *out);

/* Faces in programs without a framework: the header, and the functions it declares. */
void proxygen_emit_wrap_header(struct run *run, struct portolan_text *out);
void proxygen_emit_wrap(const struct port *port, struct portolan_text *out);

/* Callbacks that are stood in for: the functions that do it, for all of the port's methods. */
bool proxygen_has_callbacks(const struct port *port);
void proxygen_emit_callbacks(struct run *run, struct portolan_text *out);
/* What the names of those for argument A of M begin with. */
const char *proxygen_callback_name(struct run *run, const struct method *m,
                                   const struct argument *a);

/* Behind the header: what its types and attributes make compilers say is its own business. */
void proxygen_emit_quiet(struct portolan_text *out);
/* Names of PORT's members mean the members, not macros that the header defines of the same name. */
void proxygen_emit_undefines(struct run *run, const struct port *port, struct portolan_text *out);

/* Shared by the shapes. */
/* The methods as the probe gets to know them. */
void proxygen_emit_methods(const struct port *port, const char *prefix, struct portolan_text *out);
/* What the run time gets to know of the port. */
void proxygen_emit_port_description(const struct port *port, struct portolan_text *out);
/* The component class, with its destroy hook; what the framework looks up in the plug-in. */
void proxygen_emit_class(const struct port *port, const char *destroy, struct portolan_text *out);
void proxygen_emit_component(const struct port *port, struct portolan_text *out);
struct locals proxygen_locals(struct run *run, const struct method *m);
/* "static HEAD\n{\n" and the declarations of context, call and result. */
void proxygen_emit_head(const struct method *m, const struct locals *l, struct portolan_text *out);
/* `portolan_probe_enter(…)->target`, the method being number NUMBER. */
void proxygen_emit_enter(const struct method *m, const struct locals *l, size_t number,
                         struct portolan_text *out);
/* The declaration of the context, if there is one. */
void proxygen_emit_context(const struct method *m, const struct locals *l,
                           struct portolan_text *out);
/* `portolan_probe_enter(…)` alone. */
void proxygen_emit_enter_call(const struct method *m, const struct locals *l, size_t number,
                              struct portolan_text *out);
/*
 * Calls that are not measured have a function of their own, short and without what measuring needs
 * (probe.h: PORTOLAN_PROBE_PASS), which hands all others on to the one that measures. Not for
 * methods that are rarely called or cannot hand on their arguments.
 */
bool proxygen_has_short_way(const struct method *m);
/* "$_do_solve", or "$_measure_solve" where that is the one that measures. */
const char *proxygen_function_name(struct run *run, const char *prefix, const struct method *m,
                                   bool is_short);
/* What stands in front of the function's type. */
const char *proxygen_function_attribute(const struct method *m, bool is_short);
/* Begins the call, or hands on to AGAIN: "$_measure_solve(self, n)". */
void proxygen_emit_pass(const struct method *m, const struct locals *l, const char *again,
                        struct portolan_text *out);
/* Ends the call: as failed after an exception, or a status that says so. */
void proxygen_emit_leave(struct run *run, const struct method *m, const struct locals *l,
                         struct portolan_text *out);

/* Notes the accuracy, where the method has one. */
void proxygen_emit_accuracy(const struct method *m, const struct locals *l, const char *condition,
                            struct portolan_text *out);
/* "self, n, b": the arguments as they came. */
const char *proxygen_argument_names(struct run *run, const struct method *m);
/* TEXT with '@' replaced by WITH; in the arena. */
const char *proxygen_replace(struct portolan_arena *arena, const char *text, const char *with);

#endif
