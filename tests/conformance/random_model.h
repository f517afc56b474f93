/* SPDX-License-Identifier: BSD-3-Clause */
/* What a random sequence knows of the framework's state, and what it expects of an operation. */
#ifndef CONFORMANCE_RANDOM_MODEL_H
#define CONFORMANCE_RANDOM_MODEL_H

#include "world.h"

enum { COMPONENTS = 4, PORTS = 4, CONNECTIONS = 24, LOG_MAX = 8000 };

/* What an operation is going to do; a CCAExceptionType is another answer. */
enum { SUCCEED = 0, ANY = 1000, EITHER = 1001, EXTRA_RELEASE = 1002 };

struct model_port {
    enum { NO_PORT, USES, PROVIDES } kind;
    bool is_odd;    /* uses: of a type that no port here is */
    int limit;      /* provides: MAX_CONNECTIONS, 0 for none */
    int held;       /* getPort minus releasePort */
    bool fetched;   /* ever */
    int connection; /* uses: index or -1 */
};

struct model_component {
    bool alive, listens;
    bool lets_go; /* it listens, and releases a port when it hears DisconnectPending */
    gov_cca_Services listens_on; /* borrowed: those of the instance that listens */
    const char *class_name;
    gov_cca_Services services; /* of an image that getServices made, ours; NULL for others */
    gov_cca_ComponentID id;    /* ours; of a dead component, too; NULL when there never was one */
    gov_cca_ports_ConnectionEventListener listener; /* ours, or NULL */
    struct model_port ports[PORTS];
};

struct model_connection {
    bool alive;
    gov_cca_ConnectionID id; /* ours; of a dead connection, too, or NULL */
    int user, uses, provider, provides;
};

struct model {
    struct world *w;
    uint64_t state; /* of the random numbers */
    struct model_component components[COMPONENTS];
    struct model_connection connections[CONNECTIONS];
    int replacing;               /* the component whose new instance must have its ports, or -1 */
    unsigned long done, refused; /* by the operation that runs */
    char log[LOG_MAX];
};

extern const char *const component_names[COMPONENTS], *const port_names[PORTS];

extern struct model *model_running;

uint32_t random_number(struct model *m, uint32_t below);
/* Notes an operation in the log. */
void model_log(struct model *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Fails the test with the log unless w->ex is as EXPECTED; clears it. True: the call succeeded. */
bool model_check(struct model *m, int expected);
void model_fail(struct model *m, const char *what);

/* -- the state -- */

int model_count(const struct model *m, int provider, int provides);
/* Whether another component holds a port that connects it to one of PROVIDER's: 0 no, 1 yes, 2 yes,
 * but all that do listen for events. PROVIDES -1: any of its ports. ARE_TOLD: those that let go
 * when they hear of it don't count. */
int model_is_held_by_others(const struct model *m, int provider, int provides, bool are_told);
/* The connection is no more. */
void model_break(struct model *m, int connection);
/* Whether the framework says the same about names, connections and uses; fails the test if not. */
void model_compare(struct model *m);

/* -- operations (random_operations.c); each does nothing where it would make no sense -- */

void do_create(struct model *m);
void do_destroy(struct model *m);
void do_image(struct model *m);
void do_replace(struct model *m);
void do_register(struct model *m);
void do_add(struct model *m);
void do_unregister(struct model *m);
void do_remove(struct model *m);
void do_get(struct model *m);
void do_poll(struct model *m);
void do_release(struct model *m);
void do_connect(struct model *m);
void do_disconnect(struct model *m);
void do_disconnect_all(struct model *m);
void do_listen(struct model *m);
void do_compare(struct model *m);

/* Ends an image: releases the ports that it holds, then its Services. */
void end_image(struct model *m, int component);

/* -- behaviour of the suite's components while sequences run (random_model.c) -- */

void model_begin_part(struct part *p, gov_cca_Services services, void *arg, sidl_BaseInterface *ex);
/* For on_event: what a component that lets go does. */
void model_hear(const char *component);
void model_end_part(struct part *p, gov_cca_Services services, void *arg, sidl_BaseInterface *ex);
void model_add_port(struct model *m, gov_cca_Services services, int port,
                    const struct model_port *p, sidl_BaseInterface *_ex);

#endif
