/* SPDX-License-Identifier: BSD-3-Clause */
#include "internal.h"

enum portolan_status settings_read(struct portolan_arena *arena, const char *file,
                                   struct settings *s, struct portolan_error *err)
{
    const struct portolan_setting settings[] = {
        {"compiler", &s->compiler, false, true}, {"ld", &s->ld, false, true},
        {"objcopy", &s->objcopy, false, true},   {"flags", &s->flags, false, false},
        {"include", &s->includes, true, false},  {"archive", &s->archives, true, true},
        {"libs", &s->libs, false, false},        {"static-libs", &s->static_libs, false, false},
    };

    *s = (struct settings){0};
    return portolan_settings_read(arena, file, settings, sizeof settings / sizeof *settings, err);
}
