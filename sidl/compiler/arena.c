/* SPDX-License-Identifier: BSD-3-Clause */
#include "arena.h"

void arena_leave(void *arg)
{
    longjmp(*(jmp_buf *)arg, 1);
}
