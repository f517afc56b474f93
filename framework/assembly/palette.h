/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_FRAMEWORK_PALETTE_H
#define PORTOLAN_FRAMEWORK_PALETTE_H

#include <portolan/palette.h>

#include <portolan/xml.h>

struct palette_class {
    struct portolan_class_description public; /* first: the public pointer is to this */
    struct palette_class *next;
};

struct portolan_palette {
    struct portolan_arena arena;
    struct palette_class *first, *last;
};

extern const struct xml_rule palette_component_rule;

/*
 * Makes a class from a description's tree, which must live in ARENA. NULL when something was
 * reported to D, or when memory runs out (ARENA says so).
 */
struct palette_class *palette_class_read(struct portolan_arena *arena,
                                         const struct xml_element *root, const char *file,
                                         struct portolan_diagnostics *d);

#endif
