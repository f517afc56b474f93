/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_BASE_MEMORY_H
#define PORTOLAN_BASE_MEMORY_H

#include <stdbool.h>

/* Counts one allocation for portolan_alloc_fail_at: true when it is the one to fail. */
bool portolan_alloc_fails_now(void);

#endif
