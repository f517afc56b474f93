/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_FRAMEWORK_ASSEMBLY_H
#define PORTOLAN_FRAMEWORK_ASSEMBLY_H

#include <portolan/assembly.h>

#include "xml.h"

/* What portolan_assembly.impl points to. */
struct assembly_impl {
    struct portolan_arena arena;
};

extern const struct xml_rule assembly_rule;

/* Checks references between the elements of an assembly, whatever the classes are. */
void assembly_check_references(const struct portolan_assembly *a, struct portolan_diagnostics *d);

const struct portolan_assembly_parameter *
assembly_parameter(const struct portolan_assembly_alternative *alternative, const char *name);

/* Whether the instance element itself held the parameter (so that all alternatives have it). */
bool assembly_is_inherited(const struct portolan_assembly_instance *instance,
                           const struct portolan_assembly_parameter *parameter);

/* The type of an instance's parameter in any alternative, or NULL when none states it. */
const struct portolan_assembly_parameter *
assembly_any_parameter(const struct portolan_assembly_instance *instance, const char *name);

const char *assembly_nearest_instance(const struct portolan_assembly *a, const char *name);

#endif
