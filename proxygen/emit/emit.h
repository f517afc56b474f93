/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to the emitters: shared by them. */
#ifndef PROXYGEN_EMIT_H
#define PROXYGEN_EMIT_H

#include "model.h"

/* ------------------------------------------------------------------ files */

/* Adds an empty file, by its name, to the output; never NULL (arena.failed is set instead). */
struct portolan_text *proxygen_add_output(struct run *run, const char *format, ...)
    PORTOLAN_PRINTF(2, 3);
/* TEMPLATE with every '$' replaced by NAME. */
void proxygen_add_template(struct portolan_text *text, const char *name, const char *template);
/* The same with P's prefix; '@', OBJECT, TABLE and MEMBER become P's type and names, too. */
void proxygen_emit_port(const struct port *p, struct portolan_text *out, const char *template);

/*
 * How every generated C file begins: what it is, how the header was read, the macros that it was
 * read with, INCLUDES (whole lines).
 */
void proxygen_emit_prologue(const struct port *port, const char *what, const char *includes,
                            struct portolan_text *out);
/* The header's include, once in a translation unit: it may have no guard. */
void proxygen_emit_include(const struct port *port, struct portolan_text *out);
/* #undef for macros of the header that have names which all generated code uses. */
void proxygen_emit_freed_names(const struct run *run, struct portolan_text *out);
/* After the include of the header: pragmas against warnings that its declarations cause. */
void proxygen_emit_quiet(struct portolan_text *out);
/* The palette's description of the proxy. */
void proxygen_emit_description(const struct run *run, struct portolan_text *out);

/* ------------------------------------------------------------------ the port */

/* The table of methods for the probe. */
void proxygen_emit_methods(const struct port *port, const char *prefix, struct portolan_text *out);
/* The description of the port for the run time. */
void proxygen_emit_port_description(const struct port *port, struct portolan_text *out);
/* The component class, with its destroy hook; what the framework looks up in the plug-in. */
void proxygen_emit_class(const struct port *port, const char *destroy, struct portolan_text *out);
void proxygen_emit_component(const struct port *port, struct portolan_text *out);

/* The files of a shape; those of others are made by proxygen_emit(). */
void proxygen_emit_cxx(struct run *run, struct portolan_text *out);
void proxygen_emit_functions(struct run *run);
/* C structs: the forwarding functions and tables, and faces for programs without a framework. */
void proxygen_emit_table(struct run *run, struct portolan_text *out);
void proxygen_emit_wrap(const struct port *port, struct portolan_text *out);
void proxygen_emit_wrap_header(struct run *run, struct portolan_text *out);
/* What <portolan/choose.hpp> asks of a type: which proxy measures it. */
void proxygen_emit_chosen_type(const struct port *p, struct portolan_text *out);

/* The proxy's struct with the face in it, its data, and the ways in and out of a call. */
void proxygen_emit_object(const struct port *p, struct portolan_text *out);
/* The function that returns the target of a proxy that is passed as an argument. */
void proxygen_emit_behind(const struct port *p, struct portolan_text *out);

/* The stand-ins for callbacks of all of the port's methods. */
bool proxygen_has_callbacks(const struct port *port);
void proxygen_emit_callbacks(struct run *run, struct portolan_text *out);

/* ------------------------------------------------------------------ forwarding functions */

/* "{\n" and the declarations of call and context; the context alone, if there is one. */
void proxygen_emit_head(const struct method *m, const struct locals *l, struct portolan_text *out);
void proxygen_emit_context(const struct method *m, const struct locals *l,
                           struct portolan_text *out);
/* `portolan_probe_enter(…)`, the method being number NUMBER; and "to = that->target". */
void proxygen_emit_enter_call(const struct method *m, const struct locals *l, size_t number,
                              struct portolan_text *out);
void proxygen_emit_enter(const struct method *m, const struct locals *l, size_t number,
                         struct portolan_text *out);
/*
 * Returns whether a method has two functions: a short one for calls that are not measured (probe.h:
 * PORTOLAN_PROBE_PASS), which passes measured calls to a second one. Methods that are rarely called
 * or cannot pass on their arguments have one.
 */
bool proxygen_has_short_way(const struct method *m);
/* "$_do_solve", or "$_measure_solve" for the measuring half of a method with a short way. */
const char *proxygen_function_name(struct run *run, const char *prefix, const struct method *m,
                                   bool is_short);
/* The attribute before the function's type. */
const char *proxygen_function_attribute(const struct method *m, bool is_short);
/* Begins the call, or passes it to AGAIN: "$_measure_solve(self, n)". */
void proxygen_emit_pass(const struct method *m, const struct locals *l, const char *again,
                        struct portolan_text *out);
/* Notes the accuracy, where the method has one. */
void proxygen_emit_accuracy(const struct method *m, const struct locals *l, const char *condition,
                            struct portolan_text *out);
/* Ends the call: as failed after an exception, or a status that says so. */
void proxygen_emit_leave(struct run *run, const struct method *m, const struct locals *l,
                         struct portolan_text *out);

/* Around a call that takes a va_list instead of "…": nothing where M has no twin. */
void proxygen_emit_list(const struct method *m, const struct locals *l, struct portolan_text *out);
void proxygen_emit_list_start(const struct method *m, const struct locals *l,
                              struct portolan_text *out);
void proxygen_emit_list_end(const struct method *m, const struct locals *l,
                            struct portolan_text *out);

/*
 * For proxies that each have functions of their own: the parameters with the proxy added ("int n,
 * double *x, va_list list, struct portolan_proxy *proxy"), and the function HEAD that passes SLOT.
 */
const char *proxygen_slot_parameters(struct run *run, const struct method *m,
                                     const struct locals *l);
void proxygen_emit_slot_entry(struct run *run, const struct method *m, const char *head,
                              const char *slot, struct portolan_text *out);

/* ------------------------------------------------------------------ lists of functions */

/* The members of the port's C type: measured functions, then those that are passed on. */
struct functions {
    struct run *run;
    const struct port *port;
    struct method **members;
    size_t n, n_measured;
};

/* `#undef` for functions that macros hide. */
void functions_emit_undefines(const struct functions *f, struct portolan_text *out);

/* The name of the type that M has with the hidden lengths of texts: see `declared`. */
const char *functions_with_lengths(const struct functions *f, const struct method *m);

/* "static const char *const PREFIX_symbols[]". */
void functions_emit_symbols(const struct functions *f, const char *prefix,
                            struct portolan_text *out);

/*
 * How a function reaches what it forwards to. Texts have '@' for the local variable they declare.
 * CALLEE and EARLY name macros of (proxy, to, member, number): the function to call after entering
 * (NULL: the member), and, before that and instead, if UNBOUND(proxy) (NULL: never).
 */
struct functions_body {
    const char *proxy; /* "struct x *@ = …"; NULL: a parameter of that name */
    const char *callee, *early;
    const char *again; /* short way only: the call of the function that measures */
    bool list_given;   /* the twin's va_list is a parameter */
};

/* The body of a function, from "{" on. */
void functions_emit_body(const struct functions *f, const struct method *m,
                         const struct functions_body *body, struct portolan_text *out);

void functions_emit_proxy(const struct functions *f, struct portolan_text *out);

#endif
