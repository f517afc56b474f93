/* SPDX-License-Identifier: BSD-3-Clause */
/* What Portolan gives the suite: frameworks to which the suite's classes are built in. */
#include <portolan/framework.h>

#include <stdio.h>
#include <stdlib.h>

#include "conformance.h"
#include "portolan_parts.h"

enum { CLASSES_MAX = 20, DESCRIPTION_MAX = 400 };

static struct portolan_palette *palette;
static struct portolan_component components[CLASSES_MAX];
static char descriptions[CLASSES_MAX][DESCRIPTION_MAX];
static size_t n_components;

static void add(const char *name, gov_cca_Component (*create)(sidl_BaseInterface *),
                const char *attributes, const char *ports, struct portolan_error *err)
{
    struct portolan_component *c = &components[n_components];
    char *text = descriptions[n_components++];

    *c = (struct portolan_component){sizeof *c, PORTOLAN_COMPONENT_ABI, name, create, NULL};
    snprintf(text, DESCRIPTION_MAX, "<component class='%s'%s>%s</component>", name, attributes,
             ports);
    portolan_palette_add_builtin(palette, c, text, err);
}

gov_cca_AbstractFramework conformance_framework(sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};

    n_components = 0;
    if (portolan_palette_create(&palette, &err) != PORTOLAN_OK)
        goto FAILED;
    for (size_t i = 0; i < conformance_n_classes; i++)
        add(conformance_classes[i].name, conformance_classes[i].create, "", "", &err);
    for (size_t i = 0; i < portolan_n_parts; i++)
        add(portolan_parts[i].name, portolan_parts[i].create, portolan_parts[i].attributes,
            portolan_parts[i].ports, &err);
    if (!err.status)
        return portolan_framework_abstract(palette, NULL, _ex);
FAILED:
    portolan_throw(_ex, err.status, "%s", err.text);
    return NULL;
}

void conformance_framework_end(void)
{
    portolan_palette_destroy(palette);
    palette = NULL;
}

static void replace(gov_cca_Services services, const char *instance, const char *class_name,
                    sidl_BaseInterface *_ex)
{
    portolan_ports_Builder builder;
    gov_cca_Port port;

    port = gov_cca_Services_getPort(services, "extension", _ex);
    if (SIDL_CATCH(*_ex, "gov.cca.CCAException")) { /* not yet registered */
        SIDL_CLEAR(*_ex);
        gov_cca_Services_registerUsesPort(services, "extension", "portolan.ports.Builder", NULL,
                                          _ex);
        SIDL_CHECK(*_ex);
        port = gov_cca_Services_getPort(services, "extension", _ex);
    }
    SIDL_CHECK(*_ex);
    builder = portolan_ports_Builder__cast(port, _ex);
    gov_cca_Port_deleteRef(port, NULL);
    portolan_ports_Builder_replace(builder, instance, class_name, NULL, _ex);
    portolan_ports_Builder_deleteRef(builder, NULL);
    if (!*_ex)
        gov_cca_Services_releasePort(services, "extension", _ex);
    else
        gov_cca_Services_releasePort(services, "extension", &(sidl_BaseInterface){NULL});
EXIT:;
}

extern const struct conformance_group conformance_extension, conformance_decisions, conformance_mpi;
static const struct conformance_group *const groups[] = {&conformance_extension,
                                                         &conformance_decisions, &conformance_mpi};

const struct conformance_extras conformance_extras = {
    .groups = groups, .n_groups = 3, .replace = replace};
