/* SPDX-License-Identifier: BSD-3-Clause */
/* From a palette entry to the component's descriptor. */
#include "assembly/assembly.h"
#include "internal.h"

#include <string.h>

static enum portolan_status check_descriptor(const struct portolan_class_description *class,
                                             const struct portolan_component *c,
                                             struct portolan_error *err)
{
    const char *where = class->library ? class->library : "the program";

    if (c->abi != PORTOLAN_COMPONENT_ABI)
        return portolan_error_set(
            err, PORTOLAN_EFOREIGN,
            "class '%s': %s was built for component ABI %u, but this Portolan "
            "has %u; rebuild it with this Portolan's headers",
            class->class_name, where, (unsigned)c->abi, (unsigned)PORTOLAN_COMPONENT_ABI);
    if (c->size < offsetof(struct portolan_component, applies) || !c->create)
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "class '%s': the descriptor in %s is incomplete (%zu bytes, %zu "
                                  "expected); rebuild it with this Portolan's headers",
                                  class->class_name, where, c->size, sizeof *c);
    if (!c->class_name || strcmp(c->class_name, class->class_name))
        return portolan_error_set(
            err, PORTOLAN_EFOREIGN, "class '%s': the descriptor in %s is of class '%s'; correct %s",
            class->class_name, where, c->class_name ? c->class_name : "", class->file);
    return PORTOLAN_OK;
}

static portolan_applies_fn query_of(const struct portolan_component *c)
{
    return c->size >= sizeof *c ? c->applies : NULL;
}

/* Weak: a program with everything linked in has no loader of shared objects in it. */
#pragma weak library_load

enum portolan_status library_find(const struct portolan_class_description *class,
                                  const struct portolan_component **component,
                                  struct portolan_error *err)
{
    enum portolan_status status;

    *component = class->builtin;
    if (!class->library && !class->builtin)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "class '%s' is described, but has no code (%s)",
                                  class->class_name, class->file);
    if (class->library && !library_load)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "class '%s' is not linked into this program, and it loads no "
                                  "shared objects; link it again with that class",
                                  class->class_name);
    if (class->library && (status = library_load(class, component, err)) != PORTOLAN_OK)
        return status;
    status = check_descriptor(class, *component, err);
    if (!status && query_of(*component) && !class->has_query)
        portolan_log(PORTOLAN_LOG_WARNING, "framework",
                     "%s:%d: class '%s' can say where it applies and is not asked; add <applies "
                     "query=\"true\"/>",
                     class->file, class->line, class->class_name);
    return status;
}

portolan_applies_fn library_find_query(const struct portolan_class_description *class)
{
    const struct portolan_component *component;
    struct portolan_error err = {0};
    enum portolan_status status = library_find(class, &component, &err);

    if (!status && !query_of(component))
        status = portolan_error_set(&err, PORTOLAN_ENOTFOUND,
                                    "%s:%d says that class '%s' can be asked, but its descriptor "
                                    "has no function 'applies'",
                                    class->file, class->line, class->class_name);
    if (!status)
        return query_of(component);
    portolan_log(PORTOLAN_LOG_WARNING, "framework", "not asked where it applies: %s", err.text);
    return NULL;
}
