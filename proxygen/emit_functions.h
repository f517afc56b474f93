/* SPDX-License-Identifier: BSD-3-Clause */
/* What the generated files for lists of functions have in common. */
#ifndef PROXYGEN_EMIT_FUNCTIONS_H
#define PROXYGEN_EMIT_FUNCTIONS_H

#include "proxygen_internal.h"

/* The members of the port's C type: measured functions, then those that are passed on. */
struct functions {
    struct run *run;
    const struct port *port;
    struct method **members;
    size_t n, n_measured;
};

/* `#undef` for functions that macros hide. */
void functions_emit_undefines(const struct functions *f, struct portolan_text *out);

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
    const char *again; /* the short way's: what measures */
    bool list_given;   /* where there is a twin, its va_list is a parameter */
};

/* The body of a function, from "{" on. */
void functions_emit_body(const struct functions *f, const struct method *m,
                         const struct functions_body *body, struct portolan_text *out);

/* Around a call that takes a va_list instead of "…": nothing where M has no twin. */
void functions_emit_list(const struct method *m, const struct locals *l, struct portolan_text *out);
void functions_emit_start(const struct method *m, const struct locals *l,
                          struct portolan_text *out);
void functions_emit_end(const struct method *m, const struct locals *l, struct portolan_text *out);

void functions_emit_proxy(const struct functions *f, struct portolan_text *out);
void functions_emit_front(const struct functions *f, struct portolan_text *out);
void functions_emit_providers(const struct functions *f);
void functions_emit_front_component(const struct functions *f);

#endif
