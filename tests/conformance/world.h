/* SPDX-License-Identifier: BSD-3-Clause */
/* What every test of the suite finds, and its small helpers. A helper that fails ends the test. */
#ifndef CONFORMANCE_WORLD_H
#define CONFORMANCE_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance.h"
#include "parts.h"

#define GO_TYPE     "gov.cca.ports.GoPort"
#define PART        "suite.Part"
#define T(NAME)     gov_cca_Type_##NAME
#define CCA(NAME)   gov_cca_CCAExceptionType_##NAME
#define EVENT(NAME) gov_cca_ports_EventType_##NAME

enum { KEPT_MAX = 200 };

struct world {
    const struct conformance_sentence *sentence; /* the one that is tested */
    sidl_BaseInterface ex;                       /* of the call just made */
    gov_cca_AbstractFramework fw;
    gov_cca_Services services; /* of the program itself, the component "program" */
    gov_cca_ports_BuilderService builder;
    bool is_down; /* the test has shut the framework down */
    void *kept[KEPT_MAX];
    size_t n_kept;
    const char *held[10]; /* ports of the program to be released at the end */
    size_t n_held;
};

/* cmocka fixtures: *STATE is a sentence, then a new world; its end, after which none of the suite's
 * objects lives. */
int world_setup(void **state);
int world_teardown(void **state);
/* Their parts, for w->fw: the program becomes a component; everything is given back (false: objects
 * of the suite are left). */
void world_enter(struct world *w);
bool world_leave(struct world *w);
/* For tests that end the framework by themselves; references are given back before. */
void world_shut_down(struct world *w);
/* The service port of the program that TYPE names, under that port name: new references. */
gov_cca_Port world_service(struct world *w, const char *name, const char *type);
/* The program's getPort on PORT, released at the end of the test; the reference is kept. */
gov_cca_Port world_hold(struct world *w, const char *port);
/* Drops a reference at the end of the test; returns it. */
void *world_keep(struct world *w, void *reference);

/* -- the call just made … -- */

/* … threw nothing. */
#define good(W) world_good(W, __FILE__, __LINE__)
/* … threw a CCAException, of that type. */
#define refused(W, TYPE) world_refused(W, CCA(TYPE), __FILE__, __LINE__)
/* … threw a CCAException, whose type the specification doesn't say. */
#define refused_somehow(W) world_refused_somehow(W, __FILE__, __LINE__)
/* … threw a TypeMismatchException of those types. */
#define mismatched(W, REQUESTED, ACTUAL)                                                           \
    world_mismatched(W, (enum gov_cca_Type__enum)(REQUESTED), (enum gov_cca_Type__enum)(ACTUAL),   \
                     __FILE__, __LINE__)
void world_good(struct world *w, const char *file, int line);
void world_refused(struct world *w, enum gov_cca_CCAExceptionType__enum type, const char *file,
                   int line);
void world_refused_somehow(struct world *w, const char *file, int line);
void world_mismatched(struct world *w, enum gov_cca_Type__enum requested,
                      enum gov_cca_Type__enum actual, const char *file, int line);
/* The type of the exception in *EX, which is cleared; 0 for none, -100 for one that is no
 * CCAException. */
int exception_type(sidl_BaseInterface *ex);

/* -- components and ports; references that these return are kept -- */

/* A new instance of suite.Part. */
struct part *make(struct world *w, const char *name);
gov_cca_Services services_of(const char *name);
gov_cca_ComponentID id_of(struct world *w, const char *name);
/* Registers uses port, adds provides port, both of GO_TYPE and without properties. */
void uses(struct world *w, const char *instance, const char *port);
void provides(struct world *w, const char *instance, const char *port);
void provides_as(struct world *w, const char *instance, const char *port, const char *type,
                 gov_cca_TypeMap properties);
gov_cca_ConnectionID join(struct world *w, const char *user, const char *uses_port,
                          const char *provider, const char *provides_port);
/* The same; what was thrown stays in w->ex, the result is not kept. */
gov_cca_ConnectionID try_join(struct world *w, const char *user, const char *uses_port,
                              const char *provider, const char *provides_port);
/* "user" with uses port "in", "provider" with provides port "out", connected. */
gov_cca_ConnectionID make_pair(struct world *w);
/* A ComponentID whose component is no more. */
gov_cca_ComponentID dead_id(struct world *w);
/* Whether getPortNonblocking returns a port; it is released. */
bool is_connected(struct world *w, const char *instance, const char *port);
/* getPort and releasePort; call_go calls go() and returns what it did. */
gov_cca_Port get(struct world *w, const char *instance, const char *port);
void release(struct world *w, const char *instance, const char *port);
int call_go(struct world *w, gov_cca_Port port);
gov_cca_TypeMap new_map(struct world *w);
/* A map with one int or string. */
gov_cca_TypeMap map_with_int(struct world *w, const char *key, int32_t value);
gov_cca_TypeMap map_with_string(struct world *w, const char *key, const char *value);

/* -- comparing -- */

/* An owned string is VALUE; frees it. */
void same_text(char *text, const char *value);
bool same_object(void *a, void *b);
/* The names, sorted, each with a blank behind it; drops the array. */
void same_names(struct sidl_string__array *names, const char *expected);
bool has_name(struct sidl_string__array *names, const char *name);
/* The journal, which is emptied. */
void expect_journal(const char *expected);

#endif
