/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to the framework: shared by its parts. All functions are hidden. */
#ifndef PORTOLAN_FRAMEWORK_INTERNAL_H
#define PORTOLAN_FRAMEWORK_INTERNAL_H

#include "parameters/typemap.h"

#include <portolan/doing.h>

#include <stdio.h>

struct instance;
struct services;

/*
 * A service that uses ports of its type are connected to when they are registered, without a
 * request: one of four kinds.
 */
struct service {
    struct service *next;
    char *type;
    gov_cca_Port port;                      /* one port for all users; our reference */
    bool per_component;                     /* a facet of the component's own face object */
    struct portolan_service maker;          /* `create` not NULL: makes a port for each uses port */
    gov_cca_ports_ServiceProvider provider; /* makes its component's port for a user; ours */
    struct services *owner;                 /* who registered it; NULL: the program */
};

struct port {
    struct port *prev, *next; /* utlist */
    struct services *services;
    char *name, *type;
    gov_cca_TypeMap properties; /* never NULL */
    int max, min;               /* MAX_CONNECTIONS (-1: unlimited), MIN_CONNECTIONS */
    bool no_proxy;              /* ABLE_TO_PROXY says false */
    /* Provides: the component's object (our reference), else NULL. */
    gov_cca_Port provided;
    /* Uses: what getPort returns, borrowed from the provider; NULL when not connected. */
    gov_cca_Port target;
    struct connection *connection; /* uses; also NULL for a service that is not a component */
    struct service *service;       /* uses: the service of `target`, unless connected */
    /* Uses: made by the service for this port, or a target kept in doubt; ours, or NULL. */
    gov_cca_Port made;
    struct port *base; /* uses, further connection: the port it is of */
    int held;          /* getPort minus releasePort; atomic */
};

/* An object that was given to registerForRelease. */
struct release {
    struct release *next;
    gov_cca_ComponentRelease callback; /* ours */
};

struct listener {
    struct listener *next;
    unsigned types; /* 1 << type for each event type that the listener wants */
    gov_cca_ports_ConnectionEventListener listener; /* ours */
};

/* The SIDL object gov.cca.Services: one per component, so a swap gives the instance a new one. */
struct services {
    struct sidl_object object;
    struct services *prev, *next;  /* utlist: all services that are not retired */
    struct portolan_framework *fw; /* NULL once retired: calls throw */
    struct instance *instance;
    const struct portolan_class_description *class; /* NULL: the framework itself, or an image */
    char *image_class;                /* the class name that an image gave itself, or NULL */
    gov_cca_Component component;      /* NULL for an image; the references below are ours */
    portolan_Rebindable rebindable;   /* or NULL */
    portolan_Suspendable suspendable; /* or NULL */
    bool in_doubt; /* a swap to it was undone while calls were inside: kept until they have ended */
    bool gives_no_state;      /* its exportState has failed */
    struct release *releases; /* in order of registration */
    gov_cca_TypeMap properties;
    struct port *ports;
    struct component_face *face; /* NULL until a service port is asked for */
    struct listener *listeners;
    struct parameters *parameters; /* what the component's parameter port factory keeps */
};

/* The SIDL object that implements the service ports that each component has for itself. */
struct component_face {
    struct sidl_object object;
    struct services *services; /* NULL once the component is gone */
};

struct component_id {
    struct sidl_object object;
    struct instance *instance; /* NULL once destroyed */
    char *name;
};

struct instance {
    struct instance *prev, *next; /* utlist, in order of creation */
    struct portolan_framework *fw;
    char *name;       /* "" for the framework itself as a user */
    bool is_starting; /* in setServices */
    bool is_ending;   /* being destroyed: must not be destroyed again */
    struct services *services;
    struct component_id *id;
    /* A proxy: the instance and port that it represents; NULL: not a proxy. */
    char *stands_for, *stands_for_port;
};

struct connection_id {
    struct sidl_object object;
    struct connection *connection; /* NULL once undone */
};

struct connection {
    struct connection *prev, *next; /* utlist, in order of making */
    struct port *uses, *provides;
    gov_cca_TypeMap properties; /* NULL until requested */
    struct connection_id *id;
    bool is_quiet;     /* both ends have heard DisconnectPending, and the port is not held */
    bool is_moving;    /* about to leave `provides`, so it does not count there */
    bool is_suspended; /* calls of the user wait */
    gov_cca_ports_ServiceProvider served; /* made the provides port for this connection; ours */
};

/* The initial measurement settings of a proxy, if the assembly states them. */
struct proxy_start {
    const char *variant; /* or NULL; not owned, never freed */
    bool has_rows;
    unsigned one_in; /* 0: not stated */
};

/* A connection that the assembly wants but whose uses port the user's present class lacks. */
struct dormant {
    struct dormant *next;
    struct instance *user, *provider;
    char *uses, *provides;
    bool needs_proxy, monitored;
    struct proxy_start start; /* of the proxy */
};

/* The SIDL object that implements the framework's own service ports. */
struct face {
    struct sidl_object object;
    struct portolan_framework *fw; /* NULL once the framework is gone */
};

struct portolan_framework {
    const struct portolan_palette *palette;
    struct portolan_cohort *cohort;
    const struct portolan_assembly *assembly; /* NULL before build */
    struct instance *instances;
    struct instance *self; /* the framework as user of the go port; not among the instances */
    struct services *all_services;
    struct connection *connections;
    struct dormant *dormants;
    struct service *services;
    struct face *face;
    struct portolan_error failure; /* the service portolan.Failure */
    unsigned long n_named;         /* for names that the framework chooses */
    bool is_ending;                /* all instances go, even if ports are held */
    int telling;                   /* listeners are being called: no changes */
    double swap_wait_s;            /* how long a swap waits for calls that are running */
};

/* -- service_ports.c: ports that are connected without a request ------------------------------- */

/* A new service of that type for the caller to fill in; NULL with EEXISTS or ENOMEM in ERR. */
struct service *service_add(struct portolan_framework *fw, const char *type, struct services *owner,
                            struct portolan_error *err);
struct service *service_find(const struct portolan_framework *fw, const char *type);
/* Removes a service and leaves its uses ports unconnected; NULL is legal. */
void service_remove(struct portolan_framework *fw, struct service *s);
/* Removes all services that a component registered; OWNER NULL: all services. */
void service_remove_all(struct portolan_framework *fw, const struct services *owner);
/* If a service has the type of a uses port about to be registered, connects them. */
enum portolan_status service_attach(struct port *uses, struct portolan_error *err);
/* Undoes service_attach(), unless that made a connection. */
void service_detach(struct port *uses);

/* S's own service ports, one object, borrowed; NULL with ERR set. */
gov_cca_Port component_face_port(struct services *s, struct portolan_error *err);
/* The component that a facet belongs to; NULL with an exception once it is gone. */
struct services *component_face_services(void *self, sidl_BaseInterface *_ex);
void component_face_retire(struct services *s);
extern const struct gov_cca_ports_ConnectionEventService__epv events_epv;
extern const struct portolan_ports_ParameterFactory__epv parameter_factory_epv;

/*
 * Notifies the listeners of both ends: the provider's first when a connection is made, the user's
 * first when it is undone. Exceptions that they throw are logged.
 */
void events_notify(const struct port *uses, const struct port *provides,
                   enum gov_cca_ports_EventType__enum type);
void events_forget(struct services *s);
/* EBUSY while listeners are being called. */
enum portolan_status events_check_quiet(const struct portolan_framework *fw,
                                        struct portolan_error *err);

/* -- objects.c --------------------------------------------------------------------------------- */

struct component_id *component_id_create(struct instance *instance, struct portolan_error *err);
/* New references. */
gov_cca_ComponentID component_id_reference(struct component_id *id);
gov_cca_ConnectionID connection_id_reference(struct connection_id *id);
struct connection_id *connection_id_create(struct connection *c, struct portolan_error *err);
/* The instance or connection of FW that a reference means, whoever implements the reference. */
enum portolan_status component_id_resolve(struct portolan_framework *fw, gov_cca_ComponentID id,
                                          struct instance **instance, struct portolan_error *err);
enum portolan_status connection_id_resolve(struct portolan_framework *fw, gov_cca_ConnectionID id,
                                           struct connection **c, struct portolan_error *err);
/* A new gov.cca.ComponentClassDescription. */
gov_cca_ComponentClassDescription class_description_create(const char *class_name,
                                                           sidl_BaseInterface *_ex);

/* -- load.c ----------------------------------------------------------------------------------- */

/* The descriptor that the class's shared object exports. */
enum portolan_status library_load(const struct portolan_class_description *class,
                                  const struct portolan_component **component,
                                  struct portolan_error *err);

/* load_python.c: the same for a class in Python; its library is the file of its module. */
enum portolan_status python_load(const struct portolan_class_description *class,
                                 const struct portolan_component **component,
                                 struct portolan_error *err);

/* Returns whether the class is in Python. */
static inline bool palette_is_python(const struct portolan_class_description *class)
{
    const char *dot = class->library ? strrchr(class->library, '.') : NULL;

    return dot && !strcmp(dot, ".py");
}

/* -- services.c ------------------------------------------------------------------------------- */

/* A Services object without a component; CLASS NULL for the framework itself. */
struct services *services_create(struct instance *instance,
                                 const struct portolan_class_description *class,
                                 gov_cca_TypeMap properties, struct portolan_error *err);
/* A borrowed reference. */
gov_cca_Services services_reference(struct services *s);
/* "heat.Cholmod"; "" for the framework itself. */
const char *services_class_name(const struct services *s);
/* Calls releaseServices, once; what it throws is logged. */
void services_notify_release(struct services *s);
/* Logs ports that were not released, then drops all members and the reference to the object. */
void services_retire(struct services *s);
extern const struct sidl_class services_class;

/* "instance 'solver'"; returns BUFFER. */
const char *services_label(const struct services *s, char *buffer, size_t size);
/* EPORTNOTDEFINED with the nearest name. */
enum portolan_status services_no_port(const struct services *s, const char *name, bool provides,
                                      struct portolan_error *err);

/* -- ports.c ----------------------------------------------------------------------------------- */

struct port *services_find(const struct services *s, const char *name);
/* The uses port of that name; makes the slot of a further connection ("name[2]") if needed. */
struct port *services_find_uses(struct services *s, const char *name);
enum portolan_status services_register_uses(struct services *s, const char *name, const char *type,
                                            gov_cca_TypeMap properties, struct portolan_error *err);
/* *PORT: a new reference, or NULL when the port is not connected. */
enum portolan_status services_get(struct services *s, const char *name, gov_cca_Port *port,
                                  struct portolan_error *err);
enum portolan_status services_release(struct services *s, const char *name,
                                      struct portolan_error *err);
bool port_is_held(const struct port *p);
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
/* Returns whether an object may serve as a port of TYPE; for foreign ports their type name decides.
 */
bool services_is_of_type(gov_cca_Port object, const char *type);
void port_free(struct port *p);
/* *PORT stays, or becomes a free slot of it when it is connected and allows several connections. */
enum portolan_status port_take_slot(struct port **uses, struct portolan_error *err);
/* The name by which the component knows the port. */
const char *port_name(const struct port *p);

/* -- instances.c ------------------------------------------------------------------------------- */

/* A component of that class with setServices called. PROPERTIES may be NULL. */
enum portolan_status instance_start(struct instance *instance, const char *class_name,
                                    gov_cca_TypeMap properties, struct services **services,
                                    struct portolan_error *err);
/* A new instance at the end of the list; NAME "" or NULL: the framework chooses. */
enum portolan_status instance_create(struct portolan_framework *fw, const char *name,
                                     const char *class_name, gov_cca_TypeMap properties,
                                     struct instance **instance, struct portolan_error *err);
/*
 * Undoes its connections and frees it. Refused with EPORTINUSE when a user still holds its ports
 * after TIMEOUT_S seconds.
 */
enum portolan_status instance_destroy(struct instance *instance, double timeout_s,
                                      struct portolan_error *err);
/* A new instance without a component, for a program that appears as a component. */
enum portolan_status instance_create_image(struct portolan_framework *fw, const char *name,
                                           const char *class_name, gov_cca_TypeMap properties,
                                           struct instance **instance, struct portolan_error *err);
/* Like instance_destroy(), even if its ports are held. */
void instance_withdraw(struct instance *instance);
struct instance *instance_find(const struct portolan_framework *fw, const char *name);
/* An instance without a component, in no list: the framework as user. */
struct instance *instance_create_self(struct portolan_framework *fw, struct portolan_error *err);
/* Frees the rest of an instance whose services are retired. */
void instance_free(struct instance *instance);
/* Destroys all instances in reverse order, even if ports are held. */
void instance_destroy_all(struct portolan_framework *fw);

/* -- connections.c ----------------------------------------------------------------------------- */

/* EBADPORTTYPE with the words "uses port … has type …, but … provides …". */
enum portolan_status connect_check_types(const struct port *uses, const struct port *provides,
                                         struct portolan_error *err);
enum portolan_status connect_find_ports(struct instance *user, const char *uses,
                                        struct instance *provider, const char *provides,
                                        struct port **uses_port, struct port **provides_port,
                                        struct portolan_error *err);
enum portolan_status connect_make(struct port *uses, struct port *provides, struct connection **c,
                                  struct portolan_error *err);
/* Points a uses port at PROVIDES (NULL: nothing), and notifies a Rebindable user before that. */
enum portolan_status connect_rebind(struct port *uses, struct port *provides,
                                    struct portolan_error *err);
/*
 * Lets the user release the port: listeners hear DisconnectPending, other threads have TIMEOUT_S
 * seconds. EPORTINUSE when the port is still held and its user is not Rebindable.
 */
enum portolan_status connect_quiet(struct connection *c, double timeout_s,
                                   struct portolan_error *err);
/* Cancels connect_quiet(): the connection stays. */
void connect_unquiet(struct connection *c);
/* Like connect_quiet(), and then undoes the connection. */
enum portolan_status connect_undo(struct connection *c, double timeout_s,
                                  struct portolan_error *err);
/* Undoes the connection even if it is held; what a Rebindable user throws is logged. */
void connect_drop(struct connection *c);
/* Drops all connections of a provides port that its component withdraws. */
void connect_drop_all(const struct port *provides);
/* Frees the connection without notifying its user. */
void connect_forget(struct connection *c);

/* Dormant connections come and go with the ports of the class that their user has at present. */
/* Makes the connection, with a proxy if it needs one (*PROXY, else NULL). */
enum portolan_status link_make(const struct dormant *wanted, struct connection **c,
                               struct instance **proxy, struct portolan_error *err);
/* A copy of WANTED, in no list. */
struct dormant *link_create_dormant(const struct dormant *wanted, struct portolan_error *err);
void link_free_dormant(struct dormant *d);
/* Forgets all dormant connections of an instance (NULL: of all). */
void link_forget(struct portolan_framework *fw, const struct instance *instance);

/* -- interpose.c ------------------------------------------------------------------------------- */

/* How a proxy's uses ports other than "use" are connected. */
enum wiring {
    WIRE_IF_FOUND, /* connected to the only instance that provides the type, if there is one */
    WIRE_ALL       /* the same, and it is an error if there is none */
};

/*
 * Puts a proxy between the ends of C. CLASS_NAME NULL: the palette's proxy for the uses port's
 * type. The members of START become the proxy's properties "portolan.variant", "portolan.rows" and
 * "portolan.sample".
 */
enum portolan_status interpose_proxy(struct connection *c, const char *class_name,
                                     const struct proxy_start *start, enum wiring wiring,
                                     struct instance **proxy, struct portolan_error *err);

/* -- build.c ----------------------------------------------------------------------------------- */

/* The parameters of an alternative as a new TypeMap; NULL with ERR set. */
gov_cca_TypeMap build_properties(const struct portolan_assembly_alternative *alternative,
                                 struct portolan_error *err);

/* -- replace.c --------------------------------------------------------------------------------- */

/* Collective over the cohort. If the properties are null and the assembly lists the class as an
 * alternative, the alternative's parameters are used. */
enum portolan_status replace_instance(struct portolan_framework *fw, const char *instance,
                                      const char *class_name, gov_cca_TypeMap properties,
                                      struct portolan_error *err);
/* Releases components that were kept in doubt: of INSTANCE, or all (NULL), quiet or not. */
void replace_forget_doubts(struct portolan_framework *fw, const struct instance *instance);

/* -- quiet.c: users of an instance held up while it is replaced -------------------------------- */

/* Returns whether C joins a user other than S's own instance to S. */
bool quiet_is_user(const struct connection *c, const struct services *s);
/* Suspends all users of S that can be; with MUST, those that cannot are an error. */
enum portolan_status quiet_suspend(const struct services *s, bool must, struct portolan_error *err);
/* Waits until no call is running: see Suspendable.drain. The bound is for all together. */
enum portolan_status quiet_drain(const struct services *s, double seconds,
                                 struct portolan_error *err);
/* Lets users go on. Exceptions that a user throws are logged. */
void quiet_resume(const struct services *s);
/* Returns whether a call may have gone to S: false only if all users know that they have made none.
 */
bool quiet_was_called(const struct services *s);

/* -- state.c: what an instance keeps between calls --------------------------------------------- */

/* The ports by which the state of OLD can go over to NEW; both NULL if it does not. */
struct state_path {
    struct port *from, *to;
};

/*
 * How the state of OLD goes over to NEW. EUNSUPPORTED when something is kept that cannot go over,
 * unless OLD has not been called or it MAY be lost.
 */
enum portolan_status state_find_path(const struct services *old, const struct services *new,
                                     bool may_lose, struct state_path *path,
                                     struct portolan_error *err);
/* Returns whether either keeps state, so that users must have stopped before it is known what to
 * do. */
bool state_matters(const struct services *old, const struct services *new);
enum portolan_status state_move(const struct state_path *path, struct portolan_error *err);
/* The same question for a class that is only described: OK, or EUNSUPPORTED. */
enum portolan_status state_check(const struct services *old,
                                 const struct portolan_class_description *class,
                                 struct portolan_error *err);

/* -- framework_ports.c, builder.c: the framework's own service ports --------------------------- */

struct face *face_create(struct portolan_framework *fw, struct portolan_error *err);
/* Throws and returns NULL once the framework is gone. */
struct portolan_framework *face_framework(void *self, sidl_BaseInterface *_ex);
/* Throws what ERR holds unless STATUS is OK. */
void face_finish(sidl_BaseInterface *_ex, enum portolan_status status,
                 const struct portolan_error *err);
extern const struct gov_cca_ports_BuilderService__epv builder_epv;

/* embed.c: an assembly inside a program, from a file or a text. */
struct embedded_source {
    const char *file, *text; /* TEXT NULL: the file's */
    /* OPTIONAL: adds classes that are in the program, before all others. */
    enum portolan_status (*add_classes)(void *arg, struct portolan_palette *p,
                                        struct portolan_error *err);
    void *arg;
    const struct portolan_component *proxy; /* OPTIONAL: another one */
    const char *proxy_description;
};
struct portolan_embedded;
enum portolan_status embedded_open(const struct embedded_source *source,
                                   struct portolan_cohort *cohort, struct portolan_embedded **out,
                                   struct portolan_error *err);

#endif
