/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiler flags for a header from a compile_commands.json. */
#ifndef PROXYGEN_COMPILE_COMMANDS_H
#define PROXYGEN_COMPILE_COMMANDS_H

#include "declare.h"

/* One entry: what is compiled, in which folder, with which of its flags a header is read. */
struct compile_command {
    const char *file;   /* absolute */
    const char **flags; /* folders absolute */
    size_t n_flags;
    size_t distance; /* folders between it and the header */
};

/*
 * Puts the flags of the entry that compiles the header, or of the nearest source that includes it,
 * in front of HEADER's, and says in the report which entry that was. PORTOLAN_EIO when the database
 * cannot be read, PORTOLAN_ENOTFOUND when nothing in it has to do with the header.
 */
enum portolan_status proxygen_find_compile_command(struct header *header);

/* True when the source of COMMAND includes HEADER, itself or through what it includes. */
bool proxygen_includes(struct portolan_arena *arena, const struct compile_command *command,
                       const char *header);

#endif
