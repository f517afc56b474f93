/* SPDX-License-Identifier: BSD-3-Clause */
/* The framework's own service ports: the object that implements them, ComponentRepository, and
 * portolan.ports.Builder, which offers what the CCA specification lacks. */
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

static const struct gov_cca_ports_ComponentRepository__epv repository_epv = {
    .f_getAvailableComponentClasses = repository_getAvailableComponentClasses,
};

/* -- portolan.ports.Builder: what the CCA specification lacks. -- */

static void extension_replace(void *self, const char *instance, const char *class_name,
                              gov_cca_TypeMap properties, sidl_BaseInterface *_ex)
{
    struct portolan_framework *fw = face_framework(self, _ex);
    struct portolan_error err = {0};

    if (fw)
        face_finish(_ex,
                    replace_instance(fw, instance ? instance : "", class_name ? class_name : "",
                                     properties, &err),
                    &err);
}

static gov_cca_ComponentID extension_interpose(void *self, gov_cca_ConnectionID connection,
                                               const char *class_name, sidl_BaseInterface *_ex)
{
    struct portolan_framework *fw = face_framework(self, _ex);
    struct portolan_error err = {0};
    static const struct proxy_start nothing_said;
    struct instance *proxy = NULL;
    enum portolan_status status;
    struct connection *c;

    if (!fw)
        return NULL;
    status = connection_id_resolve(fw, connection, &c, &err);
    if (status == PORTOLAN_OK)
        status = interpose_proxy(c, class_name ? class_name : "", &nothing_said, WIRE_IF_FOUND,
                                 &proxy, &err);
    face_finish(_ex, status, &err);
    return proxy ? component_id_reference(proxy->id) : NULL;
}

typedef const struct portolan_class_description *(*next_class_fn)(
    const struct portolan_palette *palette, const char *type,
    const struct portolan_class_description *previous);

static struct sidl_string__array *class_names(void *self, const char *type, next_class_fn next,
                                              sidl_BaseInterface *_ex)
{
    struct portolan_framework *fw = face_framework(self, _ex);
    const struct portolan_class_description *c = NULL;
    struct sidl_string__array *names;
    int32_t n = 0;

    if (!fw)
        return NULL;
    while (type && (c = next(fw->palette, type, c)))
        n++;
    if (!(names = sidl_string__array_create1d(n))) {
        exception_no_memory(_ex);
        return NULL;
    }
    for (n = 0; type && (c = next(fw->palette, type, c));)
        sidl_string__array_set1(names, n++, c->class_name);
    return names;
}

static struct sidl_string__array *extension_getProviders(void *self, const char *type,
                                                         sidl_BaseInterface *_ex)
{
    return class_names(self, type, portolan_palette_next_provider, _ex);
}

static struct sidl_string__array *extension_getProxies(void *self, const char *type,
                                                       sidl_BaseInterface *_ex)
{
    return class_names(self, type, portolan_palette_next_proxy, _ex);
}

static char *extension_getClassName(void *self, const char *instance, sidl_BaseInterface *_ex)
{
    struct portolan_framework *fw = face_framework(self, _ex);
    struct instance *i = fw && instance ? instance_find(fw, instance) : NULL;

    if (fw && !i)
        portolan_throw(_ex, PORTOLAN_ENOTFOUND, "there is no instance '%s'",
                       instance ? instance : "");
    return i ? exception_or_text(services_class_name(i->services), _ex) : NULL;
}

static char *extension_getObstacle(void *self, const char *instance, const char *class_name,
                                   sidl_BaseInterface *_ex)
{
    struct portolan_framework *fw = face_framework(self, _ex);
    struct instance *i = fw && instance ? instance_find(fw, instance) : NULL;
    const struct portolan_class_description *class =
        fw && class_name ? portolan_palette_find(fw->palette, class_name) : NULL;
    struct portolan_error err = {0};

    if (fw && !(i && class))
        portolan_throw(_ex, PORTOLAN_ENOTFOUND, "there is no %s '%s'", i ? "class" : "instance",
                       i ? class_name : instance);
    if (!i || !class)
        return NULL;
    state_check(i->services, class, &err);
    return exception_or_text(err.text, _ex);
}

static const struct portolan_ports_Builder__epv extension_epv = {
    .f_replace = extension_replace,
    .f_getObstacle = extension_getObstacle,
    .f_interpose = extension_interpose,
    .f_getProviders = extension_getProviders,
    .f_getProxies = extension_getProxies,
    .f_getClassName = extension_getClassName,
};

/* -- the object -- */

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
