/* SPDX-License-Identifier: BSD-3-Clause */
/* The suite's own objects: components, ports and listeners that do what a test tells them. */
#ifndef CONFORMANCE_PARTS_H
#define CONFORMANCE_PARTS_H

#include <stdbool.h>

#include "conformance.h"

/* An instance of one of conformance_classes, from its creation until its last reference goes. */
struct part {
    struct part *next;
    char name[100];            /* the instance's, from setServices on */
    char class_name[60];       /* the same */
    gov_cca_Services services; /* what setServices brought; ours until releaseServices */
    int n_set, n_released;     /* calls of setServices and releaseServices */
    bool null_set, null_released, other_released; /* with null, with other services than set */
};

/*
 * What tests set up before they create instances; parts_reset puts everything to rest. BEGIN and
 * END run in setServices and releaseServices; suite.Part does nothing by itself but to
 * register for release. What they throw reaches the framework.
 */
struct behaviour {
    void (*begin)(struct part *p, gov_cca_Services services, void *arg, sidl_BaseInterface *_ex);
    void (*end)(struct part *p, gov_cca_Services services, void *arg, sidl_BaseInterface *_ex);
    void *arg;
    bool not_for_release; /* suite.Part doesn't register */
};
extern struct behaviour behaviour;

/* What happened, a word each with a blank behind it: "a:set b:release go Connected:in ". */
extern char journal[2000];
void journal_add(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Objects of the suite's classes that are not yet destroyed. */
extern int parts_alive;
void parts_reset(void);
/* The living instance of that name, or NULL; the newest when there are two. */
struct part *part_find(const char *instance);

/* Gives a reference of any type back; NULL is legal. */
static inline void drop(void *reference)
{
    sidl_BaseInterface ignored = NULL;

    if (reference)
        sidl_BaseInterface_deleteRef((sidl_BaseInterface)reference, &ignored);
}

/* -- new references -- */

/* A GoPort whose go() writes WORD and returns RESULT. */
gov_cca_Port go_create(const char *word, int result, sidl_BaseInterface *_ex);

/*
 * Writes PREFIX:Connected:port for an event, then PREFIX:type of the port when ON_INFO is set, and
 * calls ON_EVENT with PREFIX. parts_reset clears both.
 */
extern bool on_info;
extern void (*on_event)(const char *prefix);
gov_cca_ports_ConnectionEventListener listener_create(const char *prefix, sidl_BaseInterface *_ex);

/* A release callback that isn't a component; writes WORD:release. */
gov_cca_ComponentRelease release_create(const char *word, sidl_BaseInterface *_ex);

/* Makes a go port on SERVICES for each createService, and writes what it is asked. */
gov_cca_ports_ServiceProvider provider_create(gov_cca_Services services, sidl_BaseInterface *_ex);

/* What a parameter listener is told goes to the journal; ON_GET may change the port. */
typedef bool (*on_get_fn)(const char *port, void *arg);
gov_cca_ports_ParameterGetListener get_listener_create(on_get_fn on_get, void *arg,
                                                       sidl_BaseInterface *_ex);
gov_cca_ports_ParameterSetListener set_listener_create(sidl_BaseInterface *_ex);

/* -- for the Impl files ------------------------------------------------------------------------ */

void parts_add(struct part *p);
void parts_remove(struct part *p);

#endif
