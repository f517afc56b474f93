/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROXY_INTERNAL_H
#define PROXY_INTERNAL_H

#include <pthread.h>

#include <portolan/control.h>
#include <portolan/proxy.h>

/* A binding and what it keeps alive. */
struct proxy_record {
    struct portolan_probe_binding binding; /* first: the probe hands back its address */
    struct proxy_record *next;             /* in the list of those that are no longer in force */
    void *reference;                       /* our SIDL reference to the target; or NULL */
    void *table;    /* C ports: the target's table with our functions in it */
    void *original; /* in place: a copy of the table that was replaced */
    bool in_doubt;  /* calls may be using it until the port is quiet */
};

enum proxy_kind {
    PROXY_COMPONENT, /* in a framework */
    PROXY_WRAPPED,   /* a face that a program asked for */
    PROXY_GIVEN,     /* a face for an object that a call handed out */
    PROXY_IN_PLACE   /* no face: objects of the program have our table */
};

struct portolan_proxy_state {
    pthread_mutex_t lock; /* guards `current` for casts, which bypass the probe */
    struct proxy_record *current;
    struct proxy_record *old;
    portolan_ports_Monitor monitor;       /* ours, or NULL */
    void *measurement;                    /* our reference, so it outlives our last call; or NULL */
    struct portolan_control_port control; /* in the registry while there is a name */
    char *name;
    bool face_given; /* somebody holds the face */
    bool shown;      /* the face has been filled */
    enum proxy_kind kind;
    int slot; /* of the face's functions, if the struct holds them itself; or -1 */
    /* Outside a framework; guarded by the registry's lock. */
    struct portolan_proxy *next, **link;
    struct portolan_proxy *giver; /* the proxy whose call handed it out; NULL: none, or gone */
    const void *key;              /* the target, or the table that was replaced */
    uint32_t giver_handle;        /* of the giver's binding */
};

/* ------------------------------------------------------------------ bind.c */

/* What PORT, a portolan.ForeignPort, gives access to, which must be a TYPE; and a reference to it,
 * which is the caller's, on failure, too. */
enum portolan_status proxy_foreign_target(gov_cca_Port port, const char *type, void **reference,
                                          void **target, struct portolan_error *err);

/* A record for the object that PORT (NULL: none) gives access to, with handles registered. */
enum portolan_status proxy_record_create(struct portolan_proxy *proxy, gov_cca_Port port,
                                         const struct portolan_probe_connection *connection,
                                         struct proxy_record **record, struct portolan_error *err);
void proxy_record_destroy(struct proxy_record *record);

/* Puts RECORD in force; PROXY owns it from now on. On failure it is freed, or kept if in doubt.
 * Where the port's gate is shut, does not wait for calls in the old target. */
enum portolan_status proxy_bind(struct portolan_proxy *proxy, struct proxy_record *record,
                                struct portolan_error *err);

/* Waits until no call is in a former target, or, while the gate is shut, in any. */
enum portolan_status proxy_drain(struct portolan_proxy *proxy, double seconds,
                                 struct portolan_error *err);
/* The same for a port that keeps nothing. */
enum portolan_status proxy_port_drain(struct portolan_probe_port *port, double seconds,
                                      struct portolan_error *err);

/* ------------------------------------------------------------------ table.c */

/* Aims RECORD at the C object TARGET, whose table is TABLE. */
enum portolan_status proxy_table_aim(struct portolan_proxy *proxy, struct proxy_record *record,
                                     void *target, const void *table, struct portolan_error *err);
void proxy_table_destroy(void *table);
/* The table of OBJECT. */
const void *proxy_table_of(const struct portolan_proxy_table *t, const void *object);
size_t proxy_table_length(const struct portolan_proxy_table *t, const void *table);
/* Gives PROXY's face the functions and data of RECORD's target. */
void proxy_table_show(struct portolan_proxy *proxy, const struct proxy_record *record);
/* Replaces the functions that TABLE has by ours. */
void proxy_table_fill(const struct portolan_proxy_table *t, int slot, void *table);
/* True if OBJECT's functions are ours. */
bool proxy_table_is_ours(const struct portolan_proxy_table *t, const void *object);
/* Gives back PROXY's slot, if it has one. */
void proxy_table_leave(struct portolan_proxy *proxy);

/* ------------------------------------------------------------------ proxy.c */

struct portolan_proxy_state *proxy_state_create(enum proxy_kind kind, struct portolan_error *err);
/* Frees PROXY's state and records. */
void proxy_state_destroy(struct portolan_proxy *proxy);

/* From now on commands reach PROXY as "USER.USES" or, without USER, as "USES". */
enum portolan_status proxy_control_enter(struct portolan_proxy *proxy, const char *user,
                                         const char *uses, struct portolan_error *err);
/* From now on commands do not reach PROXY. */
void proxy_control_leave(struct portolan_proxy *proxy);

/* Attaches PROXY to the monitor that PORT is; NULL: leaves the present one. */
void proxy_monitor(struct portolan_proxy *proxy, gov_cca_Port port, sidl_BaseInterface *_ex);

/* ------------------------------------------------------------------ wrap.c */

/* Sets FLAGS of PROXY and of all objects that its calls handed out. */
void proxy_set_flags(struct portolan_proxy *proxy, uint32_t flags);
/* PROXY is about to end: objects that it handed out now belong to its own giver, if it has one. */
void proxy_orphan(struct portolan_proxy *proxy);

#endif
