/* SPDX-License-Identifier: BSD-3-Clause */
/* What components of several examples share: one provided port, and ports that they use. */
#ifndef COMPONENT_H
#define COMPONENT_H

#include <portolan/framework.h>

enum { COMPONENT_USES = 3 };

struct component_use {
    const char *name, *type;
    void *port; /* fetched when first used */
};

/* First in the struct of a component. */
struct component {
    struct sidl_object object;
    gov_cca_Services services;
    struct component_use uses[COMPONENT_USES];
};

/* For setServices: registers the port PROVIDES of type TYPE, and USES. */
void component_register(struct component *c, gov_cca_Services services, const char *provides,
                        const char *type, const struct component_use uses[COMPONENT_USES],
                        sidl_BaseInterface *_ex);

/* The port C's use number K is connected to, cast to its type; NULL with an exception. Borrowed. */
void *component_port(struct component *c, int k, sidl_BaseInterface *_ex);

/* The number that the parameter NAME of the component is set to, or USUAL. */
double component_parameter(struct component *c, const char *name, double usual,
                           sidl_BaseInterface *_ex);

/* For a component's struct sidl_implements. */
extern const struct gov_cca_ComponentRelease__epv component_release_epv;

#endif
