/* SPDX-License-Identifier: BSD-3-Clause */
/* The file in which Portolan's build tells what a front is made with. */
#include "internal.h"

enum portolan_status wrap_settings_read(struct portolan_arena *arena, const char *file,
                                        struct wrap_settings *s, struct portolan_error *err)
{
    const struct portolan_setting settings[] = {
        {"compiler", &s->compiler, false, true}, {"archive", &s->archive, true, true},
        {"exits", &s->exits, true, true},        {"include", &s->includes, true, true},
        {"papi", &s->papi, true, false},
    };

    *s = (struct wrap_settings){0};
    return portolan_settings_read(arena, file, settings, sizeof settings / sizeof *settings, err);
}
