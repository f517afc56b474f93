/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of knowledge/ as the library contains them; embed.sh makes the table. */
#ifndef HERCULE_BUILTIN_H
#define HERCULE_BUILTIN_H

#include <stddef.h>

struct builtin_file {
    const char *name, *text; /* TEXT ends with NUL, which SIZE does not count */
    size_t size;
};
extern const struct builtin_file builtin_files[];
extern const size_t n_builtin_files;

#endif
