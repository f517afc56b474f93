/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared between the files of this room: a project that is being changed. */
#ifndef PROJECT_H
#define PROJECT_H

#include <portolan/command.h>
#include <portolan/project.h>
#include <portolan/sidl.h>

/* What lists the ports and components of a project: its Makefile, its meson.build, or both. */
struct build_file {
    const char *name;
    const char *text; /* NULL: the project has none */
};

struct change {
    struct portolan_project *project;
    struct portolan_error *err;
    struct portolan_arena arena; /* all texts of a change */
    struct build_file builds[PORTOLAN_BUILDS];
    struct portolan_words ports; /* as they are built: "my.Smoother", "my.ops=a.h:ops" */
    struct portolan_words components;
    struct portolan_made_file *files; /* to be written */
    size_t n_files;
    char *scratch; /* a temporary folder, removed at the end; NULL: not made yet */
};

/* change.c */
/* A change of a folder that is no project yet. */
void change_open(struct change *c, struct portolan_project *p, struct portolan_error *err);
/* Reads the build files. ENOTFOUND: the folder is no project. */
enum portolan_status change_begin(struct change *c, struct portolan_project *p,
                                  struct portolan_error *err);
/* Frees all. Writes the files if STATUS is PORTOLAN_OK, and returns what came of it. */
enum portolan_status change_end(struct change *c, enum portolan_status status);
/* The change's scratch folder; NULL with an error. */
const char *change_scratch(struct change *c);
/* FILE's path in the project. */
const char *change_path(struct change *c, const char *file);
/* FILE's text; NULL: there is none, or, with an error, it cannot be read. */
const char *change_read(struct change *c, const char *file);
/* Notes a file to be written. EEXISTS: it is there already; INSTEAD says what would be right. */
enum portolan_status change_make(struct change *c, const char *file, const char *text,
                                 const char *instead);
/* The same for a file that exists or not: the text is an extension of it. */
void change_extend(struct change *c, const char *file, const char *text);
/*
 * Adds a line to the build files, after others of its kind: "PORTS += my.Smoother" to a Makefile,
 * "ports += 'my.Smoother'" to a meson.build. CLASS: whose "SOURCES" or "LIBS" they are, else NULL.
 */
void change_add_line(struct change *c, const char *kind, const char *class_name, const char *words);
/* A line for people. */
void change_say(struct change *c, const char *format, ...) PORTOLAN_PRINTF(2, 3);
/* TEMPLATE with each '@' replaced by NAME, in the arena. */
const char *change_fill(struct change *c, const char *text, const char *name);
#define CHANGE_PRINT(C, ...) portolan_arena_printf(&(C)->arena, __VA_ARGS__)

/* sidl.c */
/* EINVAL unless TYPE is PACKAGE.NAME as SIDL allows it. WHAT: "a port type". */
enum portolan_status sidl_check_name(struct change *c, const char *type, const char *what);
/* Adds DECLARATION to the package of TYPE, whose file is made if it is missing; *MODEL is it all.
 */
enum portolan_status sidl_declare(struct change *c, const char *type, const char *declaration,
                                  struct portolan_sidl_model **model);
/* The next sidl_declare() also requires this type's package, unless it is known without that. */
enum portolan_status sidl_require(struct change *c, const char *package, const char *type);
/* Makes the Impl files of CLASS_NAME; BLOCKS has splicer blocks that its author need not write. */
enum portolan_status sidl_implement(struct change *c, const struct portolan_sidl_model *model,
                                    const char *class_name, const char *blocks);
/* Whether TYPE is a port in SIDL. ENOTFOUND with the nearest type if it is no port at all. */
enum portolan_status sidl_find_port(struct change *c, const char *type, bool *is_in_c);

/* language.c: what differs between languages of components */
/* Lines of a driver about a port that it uses; '@' is the port. */
struct port_texts {
    const char *variable; /* format: "struct " or "", type, port twice; NULL: cannot be used */
    const char *get;      /* format: the port's type */
    const char *release;
};
struct language {
    const char *name;       /* in SIDL; NULL: need not be stated */
    const char *endings[2]; /* of Impl files, the author's code first; or NULL */
    const char *comment, *comment_end, *indent; /* around splicer comments */
    const char *include;                        /* of a package; '@' is its name in C */
    const char *include_port;                   /* what a driver needs for ports, or NULL */
    bool includes_all;     /* nested packages, and those that come with Portolan */
    const char *separator; /* in types */
    struct port_texts in_sidl, in_c;
    /* The driver: GO, STEP (with a SwapPoint), variables, BEGIN, ports, STEPS or NO_STEPS, LEAVE,
     * releases, END. '@' is the class, in STEPS the SwapPoint. */
    const char *go, *step, *begin, *steps, *no_steps, *leave, *end;
};
const struct language *language_get(enum portolan_sidl_language language);

/* python.c */
/* Makes the module of a component in Python, whose class MODEL has. */
enum portolan_status python_implement(struct change *c, const struct portolan_sidl_model *model,
                                      const struct portolan_new_component *of);

/* header.c */
struct header_port {
    const char *file, *name; /* of the struct */
    const char *type;        /* the port's */
    bool is_new;             /* no build file has it yet */
};
/* Reads "FILE:STRUCT" and looks for the struct; PACKAGE is that of a port type made of it. */
enum portolan_status header_find(struct change *c, const char *text, const char *type,
                                 const char *package, struct header_port *h);
/* Whether the header writes "struct NAME": else NAME is a typedef. */
bool header_is_tag(struct change *c, const struct header_port *h);
/* An expression for the address of the only object that the header declares. */
enum portolan_status header_find_object(struct change *c, const struct header_port *h,
                                        const char **expression);
/* The port of the build files with that type; false: none. */
bool header_known(struct change *c, const char *type, struct header_port *h);

#endif
