/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * project: creates and extends a user's project of components, for `portolan new`. The files belong
 * to the user from then on: no existing file is replaced; lines are only added to build files and
 * to SIDL files. Each function writes all of its files or none.
 *
 * A project is a folder with a Makefile that includes portolan.mk, or a meson.build that uses
 * portolan; PORTOLAN_ENOTFOUND: it is not one. Other errors: EINVAL for names and options,
 * ENOTFOUND for unknown types (with the nearest known one), EEXISTS for what exists already,
 * ESYNTAX when the SIDL file or header has mistakes, which go to D, EIO, ENOMEM. One thread at a
 * time.
 */
#ifndef PORTOLAN_PROJECT_H
#define PORTOLAN_PROJECT_H

#include <portolan/command.h>
#include <portolan/sidl.h>

/** The folder, and the output. */
struct portolan_project {
    const char *folder;             /**< of the project; for a new one, the folder around it */
    struct portolan_diagnostics *d; /**< mistakes in the user's files */
    struct portolan_text said; /**< gets lines of text: what was written, and what to do next */
};

/** The build system of a new project; an existing one has one of these, or both. */
enum portolan_project_build { PORTOLAN_BUILD_MAKE, PORTOLAN_BUILD_MESON, PORTOLAN_BUILDS };

struct portolan_new_port {
    const char *type;               /**< "my.Smoother" */
    struct portolan_words methods;  /**< in SIDL; without a result they return nothing */
    struct portolan_words contexts; /**< names of arguments that a call's cost depends on */
    const char *header; /**< "FILE:STRUCT" instead of methods: the port is in C; or NULL */
};

struct portolan_new_component {
    const char *class_name; /**< "my.Jacobi" */
    /** Each "NAME:TYPE"; parameters "NAME:TYPE=DEFAULT". */
    struct portolan_words provides, uses, parameters;
    const char *header; /**< "FILE:STRUCT": it provides an object that a C header declares */
    const char *object; /**< with HEADER: an expression for its address; NULL: the only one there */
    struct portolan_words sources;        /**< C files of its own */
    const char *libs;                     /**< flags of the linker; or NULL */
    enum portolan_sidl_language language; /**< of its code */
};

struct portolan_new_assembly {
    const char *name;   /**< NULL: that of the driver's package */
    const char *driver; /**< the class with the go port */
};

/** A folder NAME with a port, two implementations, a driver, an assembly, a build file and a test.
 */
enum portolan_status portolan_project_create(struct portolan_project *p, const char *name,
                                             enum portolan_project_build build,
                                             struct portolan_error *err);
enum portolan_status portolan_project_add_port(struct portolan_project *p,
                                               const struct portolan_new_port *port,
                                               struct portolan_error *err);
enum portolan_status portolan_project_add_component(struct portolan_project *p,
                                                    const struct portolan_new_component *c,
                                                    struct portolan_error *err);
/**
 * Connects ports: for each uses port of the driver, and of what is connected, the classes of the
 * project that provide its type; of several, the first is used and the others are alternatives.
 */
enum portolan_status portolan_project_add_assembly(struct portolan_project *p,
                                                   const struct portolan_new_assembly *a,
                                                   struct portolan_error *err);

#endif
