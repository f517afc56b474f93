/* SPDX-License-Identifier: BSD-3-Clause */
/* What both directions of conversion share. */
#ifndef PORTOLAN_CCAFFEINE_CONVERT_H
#define PORTOLAN_CCAFFEINE_CONVERT_H

#include "script.h"

void convert_tell(struct portolan_conversion *c, const char *file, int line, bool loses,
                  const char *format, ...) PORTOLAN_PRINTF(5, 6);

/* "plate" of "dir/plate.xml", in the arena; DEFAULT_NAME when FILE is NULL. NULL: out of memory. */
const char *convert_stem(struct portolan_arena *arena, const char *file, const char *default_name);

/* The type of a class's parameter by the palette; false when that does not know it. */
bool convert_type(const struct portolan_palette *palette, const char *class_name,
                  const char *parameter, enum portolan_value_type *type, bool *is_array);

#endif
