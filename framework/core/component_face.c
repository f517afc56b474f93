/* SPDX-License-Identifier: BSD-3-Clause */
/* The object behind those service ports of which every component has its own. */
#include "services.h"

static const struct sidl_implements face_implements[] = {
    {&gov_cca_ports_ServiceRegistry__type, &registry_epv},
    {&gov_cca_ports_ConnectionEventService__type, &events_epv},
    {&portolan_ports_ParameterFactory__type, &parameter_factory_epv},
};

static const struct sidl_class face_class = {
    .name = "portolan.ComponentServices",
    .version = "0.1",
    .size = sizeof(struct component_face),
    .implements = face_implements,
    .n_implements = sizeof face_implements / sizeof *face_implements,
};

gov_cca_Port component_face_port(struct services *s, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;

    if (!s->face) {
        s->face = exception_or_object(&face_class, &ex);
        if (portolan_catch(&ex, err) != PORTOLAN_OK)
            return NULL;
        s->face->services = s;
    }
    return sidl_object_facet(s->face, "gov.cca.Port");
}

struct services *component_face_services(void *self, sidl_BaseInterface *_ex)
{
    struct services *s = ((struct component_face *)self)->services;

    if (!s)
        portolan_throw(_ex, PORTOLAN_EINVAL, "the component of this service port was destroyed");
    return s;
}

void component_face_retire(struct services *s)
{
    if (!s->face)
        return;
    s->face->services = NULL;
    sidl_object_release(s->face);
    s->face = NULL;
}
