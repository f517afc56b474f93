/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * One arena per compile run. Running out of memory leaves through a longjmp, so that no caller
 * between has to test anything; nothing but arena memory may be held across a call.
 */
#ifndef SIDL_ARENA_H
#define SIDL_ARENA_H

#include <portolan/base.h>

#include <setjmp.h>

/* The arena's no_memory hook; ARG is the jmp_buf to leave through. */
void arena_leave(void *arg);

/* Appends an item to the array LIST of N. */
#define ARENA_PUSH(A, LIST, N, ...)                                                                \
    ((LIST) = portolan_arena_grow((A), (LIST), (N), sizeof *(LIST)), (LIST)[(N)++] = __VA_ARGS__)

#endif
