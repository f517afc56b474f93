/* SPDX-License-Identifier: BSD-3-Clause */
#include "lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ users */

static const char *list_type;
static struct user *users;

struct user {
    struct sidl_object object;
    gov_cca_Services services;
    char *name;
    struct user *next;
};

static void user_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct user *u = self;
    gov_cca_ComponentID id = gov_cca_Services_getComponentID(services, _ex);

    u->services = services; /* outlives the component's use of it */
    u->name = gov_cca_ComponentID_getInstanceName(id, _ex);
    gov_cca_ComponentID_deleteRef(id, _ex);
    u->next = users;
    users = u;
    gov_cca_Services_registerUsesPort(services, "list", list_type, NULL, _ex);
}

static void user_destroy(void *self)
{
    struct user **link = &users;

    while (*link && *link != self)
        link = &(*link)->next;
    if (*link)
        *link = (*link)->next;
    sidl_String_free(((struct user *)self)->name);
}

static const struct gov_cca_Component__epv user_epv = {.f_setServices = user_set_services};
static const struct sidl_implements user_implements[] = {{&gov_cca_Component__type, &user_epv}};
static const struct sidl_class user_class = {.name = "test.User",
                                             .version = "1.0",
                                             .size = sizeof(struct user),
                                             .implements = user_implements,
                                             .n_implements = 1,
                                             .destroy = user_destroy};

static gov_cca_Component user_create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&user_class, _ex), "gov.cca.Component");
}

/* ------------------------------------------------------------------ a monitor */

struct watch {
    struct sidl_object object;
    struct test_monitor *monitor;
};

static void watch_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_Services_addProvidesPort(services, test_monitor_port(((struct watch *)self)->monitor),
                                     "monitor", "portolan.ports.Monitor", NULL, _ex);
}

static void watch_destroy(void *self)
{
    sidl_object_release(((struct watch *)self)->monitor);
}

static const struct gov_cca_Component__epv watch_epv = {.f_setServices = watch_set_services};
static const struct sidl_implements watch_implements[] = {{&gov_cca_Component__type, &watch_epv}};
static const struct sidl_class watch_class = {.name = "test.Watch",
                                              .version = "1.0",
                                              .size = sizeof(struct watch),
                                              .implements = watch_implements,
                                              .n_implements = 1,
                                              .destroy = watch_destroy};

static gov_cca_Component watch_create(sidl_BaseInterface *_ex)
{
    struct watch *w = sidl_object_create(&watch_class, _ex);

    w->monitor = test_monitor_create();
    return sidl_object_facet(w, "gov.cca.Component");
}

/* ------------------------------------------------------------------ the assembly */

static const struct portolan_component user = {sizeof user, PORTOLAN_COMPONENT_ABI, "test.User",
                                               user_create, NULL};
static const struct portolan_component watch = {sizeof watch, PORTOLAN_COMPONENT_ABI, "test.Watch",
                                                watch_create, NULL};

static void good(struct lists *l, enum portolan_status status)
{
    if (status != PORTOLAN_OK)
        fail_msg("%s", l->err.text);
}

static struct portolan_assembly *read_text(struct lists *l, const char *xml)
{
    char file[] = "/tmp/portolan-lists-XXXXXX";
    int fd = mkstemp(file);
    struct portolan_assembly *a = NULL;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, xml, strlen(xml)), strlen(xml));
    close(fd);
    good(l, portolan_assembly_read(file, NULL, &a, &l->err));
    unlink(file);
    return a;
}

enum portolan_status lists_build(struct lists *l, const char *path, const char *type,
                                 const char *xml)
{
    static char description[200];

    memset(l, 0, sizeof *l);
    records_begin();
    list_type = type;
    snprintf(description, sizeof description,
             "<component class='test.User'><uses port='list' type='%s' optional='true'/>"
             "</component>",
             type);
    good(l, portolan_palette_create(&l->palette, &l->err));
    good(l, portolan_palette_add_path(l->palette, path, NULL, &l->err));
    good(l, portolan_palette_add_builtin(l->palette, &user, description, &l->err));
    good(l, portolan_palette_add_builtin(l->palette, &watch,
                                         "<component class='test.Watch'><provides port='monitor' "
                                         "type='portolan.ports.Monitor'/></component>",
                                         &l->err));
    good(l, portolan_framework_create(l->palette, NULL, &l->fw, &l->err));
    l->assembly = read_text(l, xml);
    return portolan_framework_build(l->fw, l->assembly, &l->err);
}

void lists_destroy(struct lists *l)
{
    portolan_framework_destroy(l->fw);
    portolan_assembly_destroy(l->assembly);
    portolan_palette_destroy(l->palette);
}

const void *lists_get(struct lists *l, const char *instance)
{
    sidl_BaseInterface _ex = NULL;
    const struct user *u = users;
    const void *list;

    (void)l;
    while (u && strcmp(u->name, instance) != 0)
        u = u->next;
    assert_non_null(u);
    list = portolan_foreign_get(u->services, "list", list_type, &_ex);
    assert_no_exception(&_ex);
    gov_cca_Services_releasePort(u->services, "list", &_ex);
    assert_no_exception(&_ex);
    return list;
}

enum portolan_status lists_replace(struct lists *l, const char *instance, const char *class_name)
{
    sidl_BaseInterface _ex = NULL;

    l->err = (struct portolan_error){0};
    portolan_ports_Builder_replace(portolan_framework_peek_extension(l->fw), instance, class_name,
                                   NULL, &_ex);
    return _ex ? portolan_catch(&_ex, &l->err) : PORTOLAN_OK;
}
