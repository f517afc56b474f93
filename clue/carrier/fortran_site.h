/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds calls that come through MPI's bindings for Fortran. */
#ifndef CLUE_CARRIER_FORTRAN_SITE_H
#define CLUE_CARRIER_FORTRAN_SITE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether CODE belongs to a binding; *KEY is its place, the same in all ranks. */
bool caller_is_binding(const void *code, uint64_t *key);
/* Returns whether NAME is the file of a library of bindings. */
bool caller_names_bindings(const char *name);

#endif
