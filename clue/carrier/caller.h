/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether code belongs to MPI's bindings for Fortran. */
#ifndef CLUE_CARRIER_CALLER_H
#define CLUE_CARRIER_CALLER_H

#include <stdbool.h>
#include <stdint.h>

/* *KEY: the place in the binding, for all ranks the same. */
bool caller_is_binding(const void *code, uint64_t *key);
/* The name of a library's file. */
bool caller_names_bindings(const char *name);

#endif
