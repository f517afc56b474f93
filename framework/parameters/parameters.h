/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parameter ports: what a parameter port factory keeps about one TypeMap. It is itself the object
 * that is added as gov.cca.ports.ParameterPort.
 */
#ifndef PORTOLAN_FRAMEWORK_PARAMETERS_H
#define PORTOLAN_FRAMEWORK_PARAMETERS_H

#include "typemap.h"

struct services;

#define PARAMETER_RESERVED "gcpPPF."

struct parameter_group {
    struct parameter_group *next;
    char *name, *title;
};

struct parameter {
    struct parameter *next;
    char *key, *help, *prompt;
    struct parameter_group *group;
    enum gov_cca_Type__enum type;
    /* "default" of that type; "low" and "high", or "choices", of its elements' type. */
    gov_cca_TypeMap facts;
};

struct parameter_listener {
    struct parameter_listener *next;
    gov_cca_ports_ParameterGetListener get; /* either this or `set`, the other is NULL; ours */
    gov_cca_ports_ParameterSetListener set;
};

struct parameters {
    struct sidl_object object;
    struct parameters *next;
    struct services *services;                /* NULL once the component is gone */
    gov_cca_TypeMap data;                     /* the component's map; our reference */
    char *port_name, *title;                  /* title NULL: the port's name */
    struct parameter_group *groups, *current; /* in order of naming */
    struct parameter *first;                  /* in order of addition */
    struct parameter_listener *listeners;     /* in order of registration */
};

/* -- parameters.c: the model -- */

/* EBADPROPERTIES, naming KEY, when an element is out of bounds or not among the choices. */
enum portolan_status parameter_check(gov_cca_TypeMap map, const char *map_key,
                                     gov_cca_TypeMap facts, const char *key,
                                     struct portolan_error *err);
/* *SAME: whether two entries of the same type are equal. */
enum portolan_status parameter_compare(gov_cca_TypeMap a, gov_cca_TypeMap b, const char *key,
                                       bool *same, struct portolan_error *err);

/* The parameters in LIST that belong to DATA; EINVAL without a call of initParameterData for it. */
enum portolan_status parameters_find(struct parameters *list, gov_cca_TypeMap data,
                                     struct parameters **found, struct portolan_error *err);
/* Adds parameters of S for DATA to LIST, or clears those that are there. */
enum portolan_status parameters_begin(struct parameters **list, struct services *s,
                                      gov_cca_TypeMap data, const char *port_name,
                                      struct portolan_error *err);
/* Empties LIST: the component is gone. */
void parameters_retire(struct parameters **list);
struct parameter *parameters_get(const struct parameters *p, const char *key);
struct parameter_group *parameters_group(const struct parameters *p, const char *name);
enum portolan_status parameters_set_group(struct parameters *p, const char *name, const char *title,
                                          struct portolan_error *err);
void parameters_clear(struct parameters *p);
enum portolan_status parameters_listen(struct parameters *p, gov_cca_ports_ParameterGetListener get,
                                       gov_cca_ports_ParameterSetListener set,
                                       struct portolan_error *err);

/* FACTS is copied. The map's value stays if it is valid, else it becomes the default. */
enum portolan_status parameters_add(struct parameters *p, const char *key, const char *help,
                                    const char *prompt, gov_cca_TypeMap facts,
                                    struct portolan_error *err);
/* Sets a list of choices instead of bounds; APPEND adds them after the existing ones. */
enum portolan_status parameters_set_choices(struct parameters *p, const char *key,
                                            gov_cca_TypeMap choices, bool append,
                                            struct portolan_error *err);
/* Fails unless defaults are among the choices; sets values that are not to the default. */
enum portolan_status parameters_settle(struct parameters *p, struct portolan_error *err);

/* -- parameter_port.c -- */

extern const struct sidl_class parameters_class;

#endif
