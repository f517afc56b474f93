/* SPDX-License-Identifier: BSD-3-Clause */
/* From the text of a file to what it says, before inheritance. */
#ifndef HERCULE_READ_H
#define HERCULE_READ_H

#include "kinds.h"

/* What FILE, from LINE on, says in SIZE bytes of TEXT, which ends with NUL: a paradigm, whose name
   is "" when the file only has thresholds. All mistakes are reported; what is faulty is left out.
   NULL: no memory.
 */
struct paradigm *paradigm_read(struct knowledge *knowledge, const char *file, int line,
                               const char *text, size_t size, struct portolan_diagnostics *d);

#endif
