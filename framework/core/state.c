/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves the state that an instance keeps between calls to the class that takes its place. */
#include "internal.h"

#include <string.h>
#include <utlist.h>

static const char *const any_format = "portolan.ports.Stateful";

/* One side of a replacement. */
struct side {
    const char *class_name;
    const char *format; /* the type of its Stateful port; NULL: it has none */
    bool keeps;         /* something that must not be lost */
};

/*
 * Returns the port for the state by the description, because one object may implement many types.
 */
static const struct portolan_port_description *
described_port(const struct portolan_class_description *class)
{
    for (size_t i = 0; class && i < class->n_provides; i++)
        if (portolan_port_is(&class->provides[i], any_format))
            return &class->provides[i];
    return NULL;
}

static struct port *state_port(const struct services *s)
{
    const struct portolan_port_description *d = described_port(s->class);
    struct port *p = d ? services_find(s, d->name) : NULL;

    return p && p->provided && services_is_of_type(p->provided, any_format) ? p : NULL;
}

/* The assembly's word on the instance of S before the class's; without both, the port decides. */
static bool keeps_something(const struct services *s,
                            const struct portolan_class_description *class, bool has_port)
{
    const struct portolan_assembly *a = s->fw->assembly;
    const struct portolan_assembly_instance *i =
        a ? portolan_assembly_peek_instance(a, s->instance->name) : NULL;

    if (i && i->stateful != PORTOLAN_STATEFUL_UNSTATED)
        return i->stateful == PORTOLAN_STATEFUL_YES;
    if (class && class->stateful != PORTOLAN_STATEFUL_UNSTATED)
        return class->stateful == PORTOLAN_STATEFUL_YES;
    return has_port;
}

static struct side running_side(const struct services *s)
{
    const struct port *p = state_port(s);

    return (struct side){services_class_name(s), p ? p->type : NULL,
                         keeps_something(s, s->class, p != NULL)};
}

/* CLASS in the place of the instance of S. */
static struct side described_side(const struct services *s,
                                  const struct portolan_class_description *class)
{
    const struct portolan_port_description *p = described_port(class);

    return (struct side){class->class_name, p ? p->type : NULL,
                         keeps_something(s, class, p != NULL)};
}

/* A format without an interface of its own is that of one class. */
static bool is_readable(const struct side *from, const struct side *to, bool reads_type)
{
    return from->format && to->format &&
           (strcmp(from->format, any_format) ? reads_type
                                             : !strcmp(from->class_name, to->class_name));
}

static enum portolan_status lost(const struct services *old, const struct side *from,
                                 const struct side *to, struct portolan_error *err)
{
    char why[600];

    if (from->format && !strcmp(from->format, any_format))
        snprintf(why, sizeof why, "whose format has no interface, and only that class reads it");
    else if (from->format)
        snprintf(why, sizeof why, "of format %s, and %s provides no port of that type",
                 from->format, to->class_name);
    else
        snprintf(why, sizeof why, "and provides no %s", any_format);
    if (!from->keeps)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "%s keeps state between calls, and it cannot get that of the "
                                  "calls that %s has had (the assembly may allow this with "
                                  "<instance name=\"%s\" stateful=\"no\">)",
                                  to->class_name, from->class_name, old->instance->name);
    return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                              "%s keeps state between calls, %s; the state would be lost (the "
                              "assembly may allow this with <instance name=\"%s\" "
                              "stateful=\"no\">)",
                              from->class_name, why, old->instance->name);
}

/* OK when nothing that must be kept is lost where no state moves. */
static enum portolan_status check_loss(const struct services *old, const struct side *from,
                                       const struct side *to, struct portolan_error *err)
{
    if ((!from->keeps && !to->keeps) || !quiet_was_called(old))
        return PORTOLAN_OK;
    return lost(old, from, to, err);
}

bool state_matters(const struct services *old, const struct services *new)
{
    struct side from = running_side(old), to = running_side(new);

    return from.keeps || to.keeps || (from.format && to.format);
}

enum portolan_status state_find_path(const struct services *old, const struct services *new,
                                     bool may_lose, struct state_path *path,
                                     struct portolan_error *err)
{
    struct side from = running_side(old), to = running_side(new);
    struct port *writer = state_port(old), *reader = state_port(new);

    *path = (struct state_path){0};
    if (!is_readable(&from, &to,
                     writer && reader && services_is_of_type(reader->provided, writer->type)))
        return may_lose ? PORTOLAN_OK : check_loss(old, &from, &to, err);
    *path = (struct state_path){writer, reader};
    return PORTOLAN_OK;
}

enum portolan_status state_check(const struct services *old,
                                 const struct portolan_class_description *class,
                                 struct portolan_error *err)
{
    struct side from = running_side(old), to = described_side(old, class);
    const struct portolan_port_description *reader = described_port(class);

    if (old->gives_no_state)
        return portolan_error_set(err, PORTOLAN_ECOMPONENT,
                                  "%s stays in instance '%s': its exportState failed",
                                  from.class_name, old->instance->name);
    if (is_readable(&from, &to, from.format && reader && portolan_port_is(reader, from.format)))
        return PORTOLAN_OK;
    return check_loss(old, &from, &to, err);
}

/* -- Moving it. -- */

static portolan_ports_Stateful stateful_of(const struct port *p)
{
    return p ? portolan_ports_Stateful__cast(p->provided, NULL) : NULL;
}

/* The newest version that both sides know. */
static int32_t common_version(portolan_ports_Stateful from, portolan_ports_Stateful to,
                              struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    int32_t written = portolan_ports_Stateful_getVersion(from, &ex), read = 0;

    if (!ex)
        read = portolan_ports_Stateful_getVersion(to, &ex);
    if (portolan_catch(&ex, err) != PORTOLAN_OK)
        return 0;
    if (written < 1 || read < 1)
        portolan_error_set(err, PORTOLAN_ECOMPONENT,
                           "versions of a state begin with 1, not with %d",
                           (int)(written < 1 ? written : read));
    return written < read ? written : read;
}

/* Assigns what happens from now on to the component of S. */
static struct portolan_doing let_do(const struct services *s)
{
    return portolan_doing_set((struct portolan_doing){s->instance->name, services_class_name(s)});
}

static enum portolan_status export_and_import(const struct state_path *path,
                                              portolan_ports_Stateful from,
                                              portolan_ports_Stateful to, gov_cca_TypeMap state,
                                              struct portolan_error *err)
{
    struct portolan_doing before = let_do(path->from->services);
    int32_t version = common_version(from, to, err);
    sidl_BaseInterface ex = NULL;
    enum portolan_status status = version < 1 ? err->status : PORTOLAN_OK;

    if (status == PORTOLAN_OK) {
        portolan_ports_Stateful_exportState(from, version, state, &ex);
        if ((status = portolan_catch(&ex, err)) != PORTOLAN_OK)
            portolan_error_prefix(err, "exportState (version %d) failed", (int)version);
        path->from->services->gives_no_state = status != PORTOLAN_OK;
    }
    if (status == PORTOLAN_OK) {
        let_do(path->to->services);
        portolan_ports_Stateful_importState(to, version, state, &ex);
        if ((status = portolan_catch(&ex, err)) != PORTOLAN_OK)
            portolan_error_prefix(err, "importState (version %d) failed", (int)version);
    }
    portolan_doing_set(before);
    return status;
}

enum portolan_status state_move(const struct state_path *path, struct portolan_error *err)
{
    portolan_ports_Stateful from = stateful_of(path->from), to = stateful_of(path->to);
    struct portolan_error cause = {0};
    gov_cca_TypeMap state;
    enum portolan_status status = PORTOLAN_OK;

    if (!from || !to)
        return PORTOLAN_OK;
    state = typemap_copy(NULL, &cause);
    status = state ? export_and_import(path, from, to, state, &cause) : cause.status;
    if (status != PORTOLAN_OK)
        portolan_error_set(err, status,
                           "the state of instance '%s' does not go over from %s to "
                           "%s: %s",
                           path->from->services->instance->name,
                           services_class_name(path->from->services),
                           services_class_name(path->to->services), cause.text);
    sidl_reference_delete(state, NULL);
    sidl_reference_delete(from, NULL);
    sidl_reference_delete(to, NULL);
    return status;
}
