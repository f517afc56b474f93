/* SPDX-License-Identifier: BSD-3-Clause */
/* The content of a script, command by command. */
#ifndef PORTOLAN_CCAFFEINE_SCRIPT_H
#define PORTOLAN_CCAFFEINE_SCRIPT_H

#include <portolan/ccaffeine.h>
#include <portolan/command.h>

#define SCRIPT_MAGIC "#!ccaffeine"
#define SCRIPT_RULE  "# ------- don't change anything ABOVE this line.-------------"
#define SCRIPT_NAME  " assembly="
enum { SCRIPT_MAGIC_BYTES = 11 };

/* The words of one line, in the arena; false when memory runs out. */
bool script_split(struct portolan_arena *arena, const char *line,
                  struct portolan_script_command *command);

/* Splits a list of folders at colons, without a leading "NAME="; false when memory runs out. */
bool script_split_path(struct portolan_arena *arena, const char *list,
                       struct portolan_words *folders);

/* The kind of an argument of a command, by which its presence is checked and help is written. */
enum argument {
    ARGUMENT_NONE,
    ARGUMENT_WORD,
    ARGUMENT_CLASS,
    ARGUMENT_INSTANCE,
    ARGUMENT_USES,       /* a uses port of the instance before it */
    ARGUMENT_PROVIDES,   /* a provides port of the instance before it */
    ARGUMENT_PORT,       /* any port of it */
    ARGUMENT_GO,         /* a port that starts it */
    ARGUMENT_PARAMETERS, /* a parameter port of it */
    ARGUMENT_FIELD,      /* a field of the parameter port before it */
    ARGUMENT_KEY,        /* a property of the instance before it */
    ARGUMENT_TYPE,       /* of a property's value */
    ARGUMENT_COMMAND,
    ARGUMENT_SUBCOMMAND, /* one of the command's own words */
    ARGUMENT_FOLDER,
    ARGUMENT_REST, /* all that follows, joined by single blanks */
};

enum { MAX_ARGUMENTS = 6, MAX_NAMES = 4 };

/* The fate of a command that comes after `go` in a script being converted. */
enum after_go { AFTER_GO_FOLLOWED, AFTER_GO_LOST, AFTER_GO_LEFT_OUT, AFTER_GO_IF_KNOWN };

struct command; /* of a running session: interpreter.h */
struct step;    /* of a script being converted: convert.h */

struct command_form {
    const char *names[MAX_NAMES + 1]; /* messages use the first */
    enum portolan_status (*run)(struct command *c);
    void (*follow)(const struct step *s);
    const char *help;
    size_t n_required;
    enum argument arguments[MAX_ARGUMENTS]; /* ends with ARGUMENT_NONE */
    const char *const *subcommands;         /* ends with NULL; NULL: none */
    enum after_go after_go;
    bool is_gui; /* a command of the graphical builder: only its whole names are known */
};

extern const struct command_form command_forms[];
extern const size_t n_command_forms;

/*
 * The command that WORD, a name or the unambiguous beginning of one, means. ENOTFOUND with the
 * nearest name, EINVAL with the candidates when it is ambiguous.
 */
enum portolan_status verb_find(const char *word, const struct command_form **form,
                               struct portolan_error *err);

/* Checks the number of arguments of C; EINVAL with the arguments that FORM takes. */
enum portolan_status verb_check(const struct command_form *form,
                                const struct portolan_script_command *c,
                                struct portolan_error *err);

/* The words of C from the INDEX-th argument on (0: all after the command), joined by blanks. */
char *verb_rest(struct portolan_arena *arena, const struct portolan_script_command *c,
                size_t index);

size_t verb_count_arguments(const struct command_form *form);
/* "<instance> <port> [type]", as `help` and errors name the arguments. */
void verb_add_arguments(const struct command_form *form, struct portolan_text *text);

/*
 * Ccaffeine's loose matching of instances and classes: the exact name, then without regard to case,
 * then the beginning of one, then any part of one. The match is one of NAMES. ENOTFOUND (with the
 * nearest name) or EINVAL (with the candidates); KIND is "instance" or "class".
 */
enum portolan_status match_name(const char *word, const char *const *names, size_t n,
                                const char *kind, const char **match, struct portolan_error *err);
/* The class of exactly that name, else by loose matching, first among GOT (may be NULL). */
enum portolan_status match_class(const char *word, const struct portolan_words *got,
                                 const struct portolan_words *all, const char **match,
                                 struct portolan_error *err);
/* The last word of the class's name with the first free number, like Ccaffeine; NULL: no memory. */
const char *match_free_name(struct portolan_arena *arena, const char *class_name,
                            const struct portolan_words *taken);
bool match_is_among(const char *name, const struct portolan_words *names);

#endif
