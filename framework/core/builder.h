/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of gov.cca.ports.BuilderService. */
#ifndef PORTOLAN_FRAMEWORK_BUILDER_H
#define PORTOLAN_FRAMEWORK_BUILDER_H

#include "services.h"

/* NULL with an exception. */
struct instance *builder_resolve(void *self, gov_cca_ComponentID id, sidl_BaseInterface *_ex);

gov_cca_ConnectionID builder_connect(void *self, gov_cca_ComponentID user_id, const char *uses_name,
                                     gov_cca_ComponentID provider_id, const char *provides_name,
                                     sidl_BaseInterface *_ex);
struct gov_cca_ConnectionID__array *
builder_getConnectionIDs(void *self, struct gov_cca_ComponentID__array *list,
                         sidl_BaseInterface *_ex);
gov_cca_TypeMap builder_getConnectionProperties(void *self, gov_cca_ConnectionID id,
                                                sidl_BaseInterface *_ex);
void builder_setConnectionProperties(void *self, gov_cca_ConnectionID id, gov_cca_TypeMap map,
                                     sidl_BaseInterface *_ex);
void builder_disconnect(void *self, gov_cca_ConnectionID id, float timeout,
                        sidl_BaseInterface *_ex);
void builder_disconnectAll(void *self, gov_cca_ComponentID id1, gov_cca_ComponentID id2,
                           float timeout, sidl_BaseInterface *_ex);

#endif
