/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * options: the combinations of options with which a program may run (struct
 * portolan_assembly_program in <portolan/assembly.h>).
 *
 * An option is used if the command, a file, a variable or the words of a chosen value of a used
 * option has its placeholder, or if none has it (then its words end the command). The values of the
 * options that are used, in the order of the file, are the combination: "ksp=cg pc=jacobi" is the
 * class of an alternative of the program's only instance. Alternative [0] is the combination as
 * written; others exist once they are offered here. One thread at a time; what is added is the
 * assembly's.
 */
#ifndef PORTOLAN_OPTIONS_H
#define PORTOLAN_OPTIONS_H

#include <portolan/assembly.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes the combination of the options' selected values the only alternative; called when the
 * assembly is read, and by those who select, pin or forbid a value. If a condition excludes it, the
 * first allowed combination takes its place. Errors: EINFEASIBLE if none is allowed, ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_options_settle(struct portolan_assembly *a,
                                                          struct portolan_error *err);

/** How many combinations are allowed; not counted beyond MOST. */
PORTOLAN_API size_t portolan_options_count(const struct portolan_assembly *a, size_t most);

/**
 * Adds the combination TEXT, unless it is there; one that is pinned out or forbidden is marked so.
 * Errors: ENOTFOUND if it is none of this program, ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_options_offer(struct portolan_assembly *a, const char *text, struct portolan_error *err);
/** Adds all allowed combinations. Errors: ENOMEM. */
PORTOLAN_API enum portolan_status portolan_options_offer_all(struct portolan_assembly *a,
                                                             struct portolan_error *err);
/**
 * Adds those allowed combinations that differ from ALTERNATIVE in N_CHANGES options, unless they
 * are more than MOST; where a value needs other options, with these as written. Of options whose
 * values are in order only the next and the previous value. Errors: ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_options_offer_changes(struct portolan_assembly *a,
                                                                 size_t alternative,
                                                                 size_t n_changes, size_t most,
                                                                 struct portolan_error *err);

/**
 * Adds a combination at random that is not offered yet. Which one follows from how many are; none,
 * if all of some hundreds that were drawn are offered or not allowed. Errors: ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_options_offer_drawn(struct portolan_assembly *a,
                                                               struct portolan_error *err);

/** Adds a condition, as of <applies if=…>, to a combination. Errors: ENOMEM. */
PORTOLAN_API enum portolan_status portolan_options_restrict(struct portolan_assembly *a,
                                                            size_t alternative,
                                                            const char *condition,
                                                            struct portolan_error *err);

/**
 * TEXT, a template of the program, with the words of ALTERNATIVE's options and the present
 * parameters, in ARENA. NULL: no memory.
 */
PORTOLAN_API char *portolan_options_expand(const struct portolan_assembly *a, size_t alternative,
                                           const char *text, struct portolan_arena *arena);
/** The same for the whole command, with the words that are not placed at its end. */
PORTOLAN_API char *portolan_options_command(const struct portolan_assembly *a, size_t alternative,
                                            struct portolan_arena *arena);

/**
 * The next word of a command *AT, as a shell would split it: blanks separate, quotes '…' and "…"
 * hold together, a backslash protects the next character. In ARENA; NULL at the end, or with
 * arena->failed.
 */
PORTOLAN_API const char *portolan_options_next_word(struct portolan_arena *arena, const char **at);

#ifdef __cplusplus
}
#endif
#endif
