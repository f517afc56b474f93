/* SPDX-License-Identifier: BSD-3-Clause */
/* The SIDL object behind the framework's service ports, and gov.cca.ports.ComponentRepository. */
#include "internal.h"

struct portolan_framework *face_framework(void *self, sidl_BaseInterface *_ex)
{
    struct portolan_framework *fw = ((struct face *)self)->fw;

    if (!fw)
        portolan_throw(_ex, PORTOLAN_EINVAL, "the framework of this port was destroyed");
    return fw;
}

void face_finish(sidl_BaseInterface *_ex, enum portolan_status status,
                 const struct portolan_error *err)
{
    if (status != PORTOLAN_OK)
        exception_from_error(_ex, err);
}

static struct gov_cca_ComponentClassDescription__array *
repository_getAvailableComponentClasses(void *self, sidl_BaseInterface *_ex)
{
    struct portolan_framework *fw = face_framework(self, _ex);
    const struct portolan_class_description *c = NULL;
    struct gov_cca_ComponentClassDescription__array *array;
    int32_t count = 0;

    if (!fw)
        return NULL;
    while ((c = portolan_palette_next(fw->palette, c)))
        count++;
    if (!(array = gov_cca_ComponentClassDescription__array_create1d(count))) {
        exception_no_memory(_ex);
        return NULL;
    }
    for (int32_t i = 0; (c = portolan_palette_next(fw->palette, c)) && !*_ex; i++) {
        gov_cca_ComponentClassDescription d = class_description_create(c->class_name, _ex);

        gov_cca_ComponentClassDescription__array_set1(array, i, d);
        sidl_reference_delete(d, NULL);
    }
    if (!*_ex)
        return array;
    gov_cca_ComponentClassDescription__array_deleteRef(array);
    return NULL;
}

const struct gov_cca_ports_ComponentRepository__epv repository_epv = {
    .f_getAvailableComponentClasses = repository_getAvailableComponentClasses,
};

static const struct sidl_implements face_implements[] = {
    {&gov_cca_ports_BuilderService__type, &builder_epv},
    {&portolan_ports_Builder__type, &extension_epv},
    {&gov_cca_ports_ComponentRepository__type, &repository_epv},
};

static const struct sidl_class face_class = {
    .name = "portolan.Framework",
    .version = "0.1",
    .size = sizeof(struct face),
    .implements = face_implements,
    .n_implements = sizeof face_implements / sizeof *face_implements,
};

struct face *face_create(struct portolan_framework *fw, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    struct face *face = exception_or_object(&face_class, &ex);

    if (portolan_catch(&ex, err) != PORTOLAN_OK)
        return NULL;
    face->fw = fw;
    return face;
}
