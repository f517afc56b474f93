/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiler flags for a file from a compile_commands.json. */
#ifndef PORTOLAN_COMPILE_COMMANDS_H
#define PORTOLAN_COMPILE_COMMANDS_H

#include <portolan/libclang.h>

/* One entry: what is compiled, in which folder, with which of its flags a file is read. */
struct compile_command {
    const char *file;   /* absolute */
    const char **flags; /* folders absolute */
    size_t n_flags;
    size_t distance; /* folders between it and the file */
};

/* True when the source of COMMAND includes HEADER, itself or through what it includes. */
bool libclang_includes(struct portolan_arena *arena, const struct compile_command *command,
                       const char *header);

#endif
