/* SPDX-License-Identifier: BSD-3-Clause */
/* A script followed command by command, without any component: what it amounts to so far. */
#ifndef PORTOLAN_CCAFFEINE_FOLLOW_H
#define PORTOLAN_CCAFFEINE_FOLLOW_H

#include "convert.h"

/* A property of an instance that is not there yet. */
struct promise {
    const char *instance, *key, *text;
    int line;
    bool kept;
};

/* An instance whose name an assembly cannot have. */
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
    const char **got; /* classes */
    size_t n_got;
    struct promise *promises;
    size_t n_promises;
    struct alias *aliases;
    size_t n_aliases;
    bool has_drop, has_ended;
    int drop_x, drop_y;
};

/* The command at hand. */
struct step {
    struct follower *f;
    const struct command_form *form;
    const struct portolan_script_command *words;
    int line;
};

#define NOTE(S, ...) convert_tell((S)->f->c, (S)->f->s->file, (S)->line, false, __VA_ARGS__)
#define LOSS(S, ...) convert_tell((S)->f->c, (S)->f->s->file, (S)->line, true, __VA_ARGS__)

/* Grows a list of the follower by one; leaves when memory is out, which the arena remembers. */
#define GROW(F, LIST, N)                                                                           \
    ((LIST) = portolan_arena_grow((F)->arena, (LIST), (N), sizeof *(LIST)), (LIST) != NULL)

/* The INDEX-th argument, or NULL. */
const char *step_argument(const struct step *s, size_t index);
/* Reports what cannot work. */
void step_fault(const struct step *s, const struct portolan_error *err);
/* Tells that a command has no place in an assembly, but does nothing that would be missed. */
void step_only_shows(const struct step *s);
/* The instance that a word, or an argument, means; what is wrong goes to ERR, or is told. */
struct portolan_assembly_instance *step_find(const struct step *s, const char *word,
                                             struct portolan_error *err);
struct portolan_assembly_instance *step_instance(const struct step *s, size_t index);
/*
 * The class that a word means: of just that name, else one that was got (unless it is just being
 * got) or one of the palette by loose matching, which is told, else the word as it stands. NULL:
 * ambiguous, or not exact where it is to be; told.
 */
const char *step_class(const struct step *s, const char *word, bool is_get);

/* follow_arena.c */
void follow_instantiate(const struct step *s);
void follow_move(const struct step *s);
void follow_connect(const struct step *s);
void follow_disconnect(const struct step *s);
void follow_remove(const struct step *s);

/* follow_values.c */
void follow_configure(const struct step *s);
void follow_property(const struct step *s);
void follow_path(const struct step *s);
void follow_repository(const struct step *s);
void follow_go(const struct step *s);

#endif
