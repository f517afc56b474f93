/* SPDX-License-Identifier: BSD-3-Clause */
/* A component "owner" that makes parameter ports, and the program, which reads and writes them. */
#ifndef CONFORMANCE_PARAMS_H
#define CONFORMANCE_PARAMS_H

#include "world.h"

#define F(METHOD) gov_cca_ports_ParameterPortFactory_##METHOD
#define P(METHOD) gov_cca_ports_ParameterPort_##METHOD

/* References are kept by the world. */
struct params {
    gov_cca_ports_ParameterPortFactory factory; /* the owner's */
    gov_cca_TypeMap map;                        /* the owner's portData */
    gov_cca_ports_ParameterPort port;           /* as the program sees it; NULL until published */
};

/* The owner and its factory, on first call; a port of that name is begun on MAP (NULL: a new one).
 */
void params_begin(struct world *w, struct params *p, gov_cca_TypeMap map, const char *port);
/* addParameterPort, and the program gets the port. */
void params_publish(struct world *w, struct params *p, const char *port);
/* Begins "CONFIG" and adds, each with help "<name> help" and prompt "<name>?": group "numbers" with
 * i = 5 in 0..10, l, f and d alike, group "words" with b = true, s = "red"; publishes. */
void params_usual(struct world *w, struct params *p);
/* The same without publishing. */
void params_define(struct world *w, struct params *p);
/* The program writes one value; what is thrown stays in w->ex. */
void params_write_int(struct world *w, struct params *p, const char *key, int32_t value);
void params_write_string(struct world *w, struct params *p, const char *key, const char *value);

#endif
