/* SPDX-License-Identifier: BSD-3-Clause */
/* What the components of this example share: one provided port, and ports that they use. */
#ifndef AMR_COMPONENT_H
#define AMR_COMPONENT_H

#include <portolan/framework.h>

#include "amr.h"

enum { AMR_USES = 3 };

struct amr_use {
    const char *name, *type;
    void *port; /* fetched when first used */
};

/* First in the struct of a component. */
struct amr_component {
    struct sidl_object object;
    gov_cca_Services services;
    struct amr_use uses[AMR_USES];
};

/* For setServices: registers the port PROVIDES of type TYPE, and USES. */
void amr_register(struct amr_component *c, gov_cca_Services services, const char *provides,
                  const char *type, const struct amr_use uses[AMR_USES], sidl_BaseInterface *_ex);

/* The port C's use number K is connected to, cast to its type; NULL with an exception. Borrowed. */
void *amr_port(struct amr_component *c, int k, sidl_BaseInterface *_ex);

/* The number that the parameter NAME of the component is set to, or USUAL. */
double amr_parameter(struct amr_component *c, const char *name, double usual,
                     sidl_BaseInterface *_ex);

/* For a component's struct sidl_implements. */
extern const struct gov_cca_ComponentRelease__epv amr_release_epv;

#endif
