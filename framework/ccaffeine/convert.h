/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion between scripts and assemblies. It follows a script without loading components. */
#ifndef PORTOLAN_CCAFFEINE_CONVERT_H
#define PORTOLAN_CCAFFEINE_CONVERT_H

#include <portolan/index.h>

#include "script.h"

void convert_report(struct portolan_conversion *c, const char *file, int line, bool loses,
                    const char *format, ...) PORTOLAN_PRINTF(5, 6);

/* "plate" of "dir/plate.xml", in the arena; DEFAULT_NAME when FILE is NULL. NULL: out of memory. */
const char *convert_stem(struct portolan_arena *arena, const char *file, const char *default_name);

/* The type of a class's parameter according to the palette; false when the palette lacks it. */
bool convert_type(const struct portolan_palette *palette, const char *class_name,
                  const char *parameter, enum portolan_value_type *type, bool *is_array);

/* -- a script that is followed: its result so far -- */

/* A property of an instance that does not exist yet. */
struct promise {
    const char *instance, *key, *text;
    int line;
    bool kept;
};

/* An instance whose name is not valid in an assembly. */
struct alias {
    const char *written, *plain;
};

struct follower {
    const struct portolan_script *s;
    const struct portolan_palette *palette;
    struct portolan_conversion *c;
    struct portolan_diagnostics *d;
    struct portolan_arena *arena;
    struct portolan_assembly a;
    struct portolan_words got; /* classes */
    struct promise *promises;
    size_t n_promises;
    struct alias *aliases;
    size_t n_aliases;
    /* By name, and by user and uses port; they are filled when needed, and emptied by a removal */
    struct portolan_index instances, connections;
    size_t n_instances, n_connections; /* that are indexed */
    bool has_drop, has_ended;
    int drop_x, drop_y;
};

/* The current command. */
struct step {
    struct follower *f;
    const struct command_form *form;
    const struct portolan_script_command *words;
    int line;
};

#define STEP_NOTE(S, ...) convert_report((S)->f->c, (S)->f->s->file, (S)->line, false, __VA_ARGS__)
/* Reports a command that cannot work. */
#define STEP_FAULT(S, ...) portolan_diagnose((S)->f->d, (S)->f->s->file, (S)->line, 0, __VA_ARGS__)
#define STEP_LOSS(S, ...)  convert_report((S)->f->c, (S)->f->s->file, (S)->line, true, __VA_ARGS__)

/* Grows a list of the follower by one. Returns from the caller if memory runs out (see arena). */
#define GROW(F, LIST, N)                                                                           \
    ((LIST) = portolan_arena_grow((F)->arena, (LIST), (N), sizeof *(LIST)), (LIST) != NULL)

/* Frees and empties the indexes of places, which changed. */
void follow_forget_places(struct follower *f);

/* The INDEX-th argument, or NULL. */
const char *step_argument(const struct step *s, size_t index);
/* Notes that an assembly cannot express a command, but that nothing is lost by leaving it out. */
void step_only_shows(const struct step *s);
/* The instance that a word, or an argument, means. Errors go to ERR, or are reported. */
struct portolan_assembly_instance *step_find(const struct step *s, const char *word,
                                             struct portolan_error *err);
struct portolan_assembly_instance *step_instance(const struct step *s, size_t index);
/*
 * The class that a word means: the class of exactly that name; else by loose matching, which is
 * reported, one that was got (unless IS_GET) or one of the palette; else the word as it stands.
 * NULL after a report: the word is ambiguous, or not exact where it must be.
 */
const char *step_class(const struct step *s, const char *word, bool is_get);

/* The functions for commands, in follow_arena.c, follow_values.c and convert_script.c. */
void follow_instantiate(const struct step *s);
void follow_move(const struct step *s);
void follow_connect(const struct step *s);
void follow_disconnect(const struct step *s);
void follow_remove(const struct step *s);

void follow_configure(const struct step *s);
void follow_property(const struct step *s);
void follow_path(const struct step *s);
void follow_repository(const struct step *s);
void follow_go(const struct step *s);
void follow_exit(const struct step *s);
void follow_end(const struct step *s);
void follow_port_property(const struct step *s);
void follow_nuke(const struct step *s);
void follow_shell(const struct step *s);
void follow_layout(const struct step *s);

#endif
