/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter and what its commands share. */
#ifndef PORTOLAN_CCAFFEINE_INTERPRETER_H
#define PORTOLAN_CCAFFEINE_INTERPRETER_H

#include <portolan/framework.h>

#include "script.h"

/* A property set for an instance that does not exist yet. */
struct pending {
    struct pending *next;
    const char *instance, *key, *text;
};

struct portolan_interpreter {
    struct portolan_interpreter_options options;
    struct portolan_cohort *cohort;
    struct portolan_palette *palette;
    struct portolan_framework *framework;
    gov_cca_ports_BuilderService builder; /* borrowed */
    gov_cca_Services services;            /* the console's; NULL until it is needed */
    struct portolan_arena arena;          /* holds the members below */
    struct portolan_words path;           /* what the script's `path` shows */
    struct portolan_words got;            /* names of the classes that were got */
    struct pending *pending;
    bool has_defaults; /* the palette holds the default folders' classes */
    bool has_ended;    /* by `exit`, or because the ranks differ */
    bool has_stopped;  /* the script, because of a failure */
    int exit_code;
};

/* One command, its arguments checked. ARENA lives as long as the command. */
struct command {
    struct portolan_interpreter *in;
    const struct command_form *form;
    const struct portolan_script_command *words;
    struct portolan_arena *arena;
    struct portolan_error *err;
};

/* The INDEX-th argument, or NULL. */
const char *verb_argument(const struct command *c, size_t index);

/* Shows text (whole lines) on rank 0. `say` is for confirmations, which are dropped when quiet. */
void interpreter_print(const struct portolan_interpreter *in, const char *format, ...)
    PORTOLAN_PRINTF(2, 3);
void interpreter_say(const struct portolan_interpreter *in, const char *format, ...)
    PORTOLAN_PRINTF(2, 3);
void interpreter_warn(const struct portolan_interpreter *in, const char *format, ...)
    PORTOLAN_PRINTF(2, 3);

/* -- session.c: instances and their ports, from the builder service ---------------------------- */

/* The instances in the order of their creation, without the console. */
enum portolan_status arena_instances(struct command *c, struct portolan_words *names);
/* The name of the instance that WORD means. */
enum portolan_status arena_find(struct command *c, const char *word, const char **name);
/* A new reference; NULL with an error. */
gov_cca_ComponentID arena_id(struct command *c, const char *name);
/* The class of an instance, in the arena. */
enum portolan_status arena_class(struct command *c, const char *name, const char **class_name);
enum portolan_status arena_ports(struct command *c, const char *instance, bool provides,
                                 struct portolan_words *names);
/* The type of a port, in the arena. */
enum portolan_status arena_port_type(struct command *c, const char *instance, const char *port,
                                     const char **type);
/* A connection; its texts are in the arena. */
struct link {
    const char *user, *uses, *provider, *provides;
    gov_cca_ConnectionID id; /* borrowed from the list */
};

struct links {
    struct gov_cca_ConnectionID__array *ids;
    size_t n;
    struct link *all;
};

/* All connections; the caller drops `ids`, also after an error. */
enum portolan_status links_list(struct command *c, struct links *links);
/* Copies the texts of an array, which may be NULL, and releases the array. */
enum portolan_status names_take(struct command *c, struct sidl_string__array *texts,
                                struct portolan_words *names);

/* Ccaffeine's repository (classes that were found) and pallet (classes that were got). */

/* Adds the classes of a folder, or (NULL) of the default ones. */
enum portolan_status classes_add(struct portolan_interpreter *in, const char *folder,
                                 struct portolan_error *err);
/*
 * The class that WORD means: by exact name, else by loose matching. GOT_FIRST searches the classes
 * that were got before the others.
 */
enum portolan_status classes_find(struct command *c, const char *word, bool got_first,
                                  const struct portolan_class_description **class);
/* All classes that were found, or only those that were got. */
enum portolan_status classes_list(struct command *c, bool only_got, struct portolan_words *names);
/* Notes that a class was got, if that is not known yet. */
enum portolan_status classes_note(struct command *c, const char *class_name);
/* Loads a class if it is in a shared object, and notes that it was got. */
enum portolan_status classes_get(struct command *c, const struct portolan_class_description *class,
                                 bool is_global, bool is_lazy);

/* The interpreter as a component among the others. */

/* The provides port of an instance, connected to the console; only one use at a time. */
struct console_use {
    gov_cca_ConnectionID connection;
    gov_cca_Port port; /* borrowed by the caller */
};

enum portolan_status console_open(struct command *c, const char *instance, const char *port,
                                  struct console_use *use);
/* Keeps the first error: returns ERR's status or, if there is none, that of closing. */
enum portolan_status console_close(struct command *c, struct console_use *use);
void console_end(struct portolan_interpreter *in);

/* -- the commands ---------------------------------------------------------------------------- */

/* ComponentPropertyList lines; for `display state`. */
enum portolan_status show_properties(struct command *c, const char *instance);

/* EINVAL with a text that lists the command's subcommands. */
enum portolan_status verb_unknown_word(struct command *c, const char *word);

enum portolan_status verb_help(struct command *c);
enum portolan_status verb_exit(struct command *c);
enum portolan_status verb_debug(struct command *c);
enum portolan_status verb_shell(struct command *c);
enum portolan_status verb_nothing(struct command *c);
enum portolan_status verb_end(struct command *c);
enum portolan_status verb_display(struct command *c);
enum portolan_status verb_pallet(struct command *c);
enum portolan_status verb_arena(struct command *c);
enum portolan_status verb_links(struct command *c);
enum portolan_status verb_instantiate(struct command *c);
enum portolan_status verb_connect(struct command *c);
enum portolan_status verb_disconnect(struct command *c);
enum portolan_status verb_remove(struct command *c);
enum portolan_status verb_nuke(struct command *c);
enum portolan_status verb_configure(struct command *c);
enum portolan_status verb_go(struct command *c);
enum portolan_status verb_property(struct command *c);
enum portolan_status verb_port_property(struct command *c);
enum portolan_status verb_repository(struct command *c);
enum portolan_status verb_path(struct command *c);

#endif
