/* SPDX-License-Identifier: BSD-3-Clause */
/* What services.c, port.c, hold.c, their SIDL face and the builder share. */
#ifndef PORTOLAN_FRAMEWORK_SERVICES_H
#define PORTOLAN_FRAMEWORK_SERVICES_H

#include "internal.h"

#include <stdio.h>

extern const struct sidl_class services_class; /* services_face.c */

/* "instance 'solver'"; returns BUFFER. */
const char *services_label(const struct services *s, char *buffer, size_t size);
/* EPORTNOTDEFINED with the nearest name. */
enum portolan_status services_no_port(const struct services *s, const char *name, bool provides,
                                      struct portolan_error *err);
enum portolan_status services_add_release(struct services *s, gov_cca_ComponentRelease callback,
                                          struct portolan_error *err);

/* -- port.c -- */

/* EBADPROPERTIES when a key of the specification has a value that it cannot have. */
enum portolan_status services_set_port_properties(struct port *p, gov_cca_TypeMap properties,
                                                  struct portolan_error *err);
enum portolan_status services_unregister_uses(struct services *s, const char *name,
                                              struct portolan_error *err);
enum portolan_status services_add_provides(struct services *s, gov_cca_Port object,
                                           const char *name, const char *type,
                                           gov_cca_TypeMap properties, struct portolan_error *err);
enum portolan_status services_remove_provides(struct services *s, const char *name,
                                              struct portolan_error *err);
/* Whether an object may serve as a port of TYPE, foreign ones by the name they carry. */
bool services_is_of_type(gov_cca_Port object, const char *type);
void port_free(struct port *p);

/* -- port_limits.c -- */

/* Reads the keys of the specification into P; EBADPROPERTIES. */
enum portolan_status port_read_limits(struct port *p, gov_cca_TypeMap properties, bool provides,
                                      struct portolan_error *err);

#endif
