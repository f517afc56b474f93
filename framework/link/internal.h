/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_LINK_INTERNAL_H
#define PORTOLAN_LINK_INTERNAL_H

#include <portolan/command.h>
#include <portolan/link.h>

/* Settings that Portolan's build writes. Paths are absolute or relative to the current folder. */
struct settings {
    struct portolan_words compiler, ld, objcopy; /* commands */
    struct portolan_words flags;                 /* for the compiler */
    struct portolan_words includes, archives;    /* paths; archives in the order of linking */
    struct portolan_words libs, static_libs;
};

enum portolan_status settings_read(struct portolan_arena *arena, const char *file,
                                   struct settings *s, struct portolan_error *err);

/* The classes of one archive become one object whose only global names are their descriptors. */
struct unit {
    const char *archive, *object;
    struct portolan_words symbols;
};

struct needed {
    size_t n_classes, n_units;
    const struct portolan_class_description **classes;
    const char **symbols; /* of their descriptors */
    struct unit *units;
};

/*
 * All classes that the assembly, its alternatives or O may instantiate, including proxies, with
 * their archives. Problems go to D.
 */
enum portolan_status needed_find(struct portolan_arena *arena, const struct portolan_assembly *a,
                                 const struct portolan_palette *palette,
                                 const struct portolan_link_options *o, struct needed *needed,
                                 struct portolan_diagnostics *d, struct portolan_error *err);

/* The C text of the program's main function, in the arena; reads the assembly's and the
 * descriptions' files. */
enum portolan_status emit_main(struct portolan_arena *arena, const struct portolan_assembly *a,
                               const struct needed *needed, const char **text,
                               struct portolan_error *err);

/* The libraries that the linker's log says are missing, as "libx.a, liby.a"; or NULL. */
const char *tool_missing_libraries(struct portolan_arena *arena, const char *log, const char *end);

#endif
