/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROXY_INTERNAL_H
#define PROXY_INTERNAL_H

#include <pthread.h>

#include <portolan/proxy.h>

/* A binding and what it keeps alive. */
struct proxy_record {
    struct portolan_probe_binding binding; /* first: the probe hands back its address */
    struct proxy_record *next;             /* in the list of those that are no longer in force */
    void *reference;                       /* SIDL reference to what is behind, ours; or NULL */
    void *table;                           /* of operations, for C ports */
    bool in_doubt; /* published in vain: calls may be using it until the port is quiet */
};

struct portolan_proxy_state {
    pthread_mutex_t lock; /* guards `current` for casts, which bypass the probe */
    struct proxy_record *current;
    struct proxy_record *old;
    portolan_ports_Monitor monitor; /* ours, or NULL */
    bool face_given;                /* somebody holds the face */
};

/* A record for what PORT (NULL: nothing) gives access to, with handles registered. */
enum portolan_status proxy_record_create(struct portolan_proxy *proxy, gov_cca_Port port,
                                         const struct portolan_probe_connection *connection,
                                         struct proxy_record **record, struct portolan_error *err);
void proxy_record_destroy(struct proxy_record *record);

/* Puts RECORD, which becomes PROXY's, in force; on failure it stays the caller's or is in doubt. */
enum portolan_status proxy_bind(struct portolan_proxy *proxy, struct proxy_record *record,
                                struct portolan_error *err);

/* MONITOR NULL: leaves the present one. */
void proxy_monitor(struct portolan_proxy *proxy, gov_cca_Port port, sidl_BaseInterface *_ex);

#endif
