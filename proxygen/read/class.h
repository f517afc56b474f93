/* SPDX-License-Identifier: BSD-3-Clause */
/* C++ classes as ports: what the readers of a class share. */
#ifndef PROXYGEN_CLASS_H
#define PROXYGEN_CLASS_H

#include "read.h"

/* One class of the port's hierarchy, the port itself or a base, once for each object of it. */
struct cxx_class {
    CXType type;
    CXCursor definition; /* of an instance of a template: the template's */
    CXCursor members;    /* its children are the methods: the definition, or a mirror of it */
    const char *name;    /* "heat::Solver<double>" */
    const char *path;    /* an expression for this base, the port's object marked by '@' */
    size_t derived;      /* the class that has it as a base; its own number for the port */
    bool is_mirrored;
    bool is_virtual;  /* a virtual base, here or on the way */
    bool is_repeated; /* there is another base object of the same class */
    bool is_hidden;   /* through private or protected inheritance */
    bool is_again;    /* another way to a virtual base, and nothing else */
};

/* A class being read. */
struct cxx_reader {
    struct header *h;
    CXTranslationUnit unit;    /* the header, followed by an alias for the port */
    struct cxx_class *classes; /* the port first, bases after the classes derived from them */
    size_t n_classes;
    struct portolan_text mirrors; /* text that stands in for instances of templates */
    size_t n_mirrors;
    bool has_new_mirrors;
    const char *hint; /* the nearest class if the one asked for does not exist; or NULL */
};

/* A declaration of INNER with TYPE; like the names below, it means the same in any scope. */
const char *proxygen_cxx_declare(const struct cxx_reader *r, CXType type, const char *inner);

/* "heat::Solver" of a class, template or namespace that is no member of a class. */
const char *proxygen_cxx_name(const struct cxx_reader *r, CXCursor cursor);

/* True for an extern "C" block, of which libclang has two kinds; it is no scope of names. */
bool proxygen_cxx_is_linkage(enum CXCursorKind kind);

/* TEXT, with "::" before namespaces that have the same name as a class of the port's hierarchy. */
const char *proxygen_cxx_anchor(const struct cxx_reader *r, const char *text);

/* True for methods and conversions, which proxies may have to forward. */
bool proxygen_cxx_is_method(const struct cxx_reader *r, CXCursor cursor);

/* Returns whether a class or method is marked so that nothing can be derived from it. */
bool proxygen_cxx_is_final(struct cxx_reader *r, CXCursor cursor);

/*
 * Adds to the mirrors, once, a class that is derived from INSTANCE, an instance of the template
 * DEFINITION, and that declares the same methods with the template's arguments in their places:
 * libclang shows the methods of templates only. *MIRROR is its cursor, or null when it must be
 * parsed first.
 */
enum portolan_status proxygen_cxx_mirror(struct cxx_reader *r, CXType instance, CXCursor definition,
                                         CXCursor *mirror);

/* Makes the model's methods of the virtual methods of all classes, and lists the others. */
enum portolan_status proxygen_read_class_methods(struct cxx_reader *r);

#endif
