/* SPDX-License-Identifier: BSD-3-Clause */
/* The component classes of Portolan's own group: they have ports by their descriptions. */
#ifndef CONFORMANCE_PORTOLAN_PARTS_H
#define CONFORMANCE_PORTOLAN_PARTS_H

#include <portolan/framework.h>

struct portolan_part {
    const char *name;
    gov_cca_Component (*create)(sidl_BaseInterface *_ex);
    const char *attributes, *ports; /* of the description, in XML */
};
extern const struct portolan_part portolan_parts[];
extern const size_t portolan_n_parts;

/*
 * suite.Worker provides GoPort "out" and uses GoPort "in"; its go() writes "work".
 * suite.Proxy stands before a GoPort; its go() writes "proxy" and goes on, rebind writes its
 * arguments, and throws when PROXY_REFUSES is set.
 */
extern bool proxy_refuses;

#endif
