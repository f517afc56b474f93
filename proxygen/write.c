/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes what was made. */
#include "proxygen_internal.h"

#include <portolan/command.h>

enum portolan_status proxygen_write_outputs(struct run *run, char *const *names)
{
    struct portolan_made_file *made = NULL;
    size_t n = 0;

    for (const struct output *o = run->outputs; o; o = o->next) {
        made = portolan_arena_grow(&run->arena, made, n, sizeof *made);
        if (!made)
            return portolan_no_memory(run->err);
        made[n] = (struct portolan_made_file){names[n], o->text.bytes, o->text.length, false};
        n++;
    }
    return portolan_files_write(&run->arena, run->options->folder, made, n, run->err);
}
