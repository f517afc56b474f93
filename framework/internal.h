/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the framework know of each other. All functions are hidden. */
#ifndef PORTOLAN_FRAMEWORK_INTERNAL_H
#define PORTOLAN_FRAMEWORK_INTERNAL_H

#include <portolan/framework.h>

struct instance;
struct services;

/* A service port of the framework: not an instance, connected without being asked. */
struct service {
    struct service *next;
    char *type;
    gov_cca_Port port; /* ours */
};

struct port {
    struct port *prev, *next; /* utlist */
    struct services *services;
    char *name, *type;
    gov_cca_TypeMap properties; /* never NULL */
    /* Provides: the component's object (our reference), else NULL. */
    gov_cca_Port provided;
    /* Uses: what getPort returns, borrowed from the provider; NULL when not connected. */
    gov_cca_Port target;
    struct connection *connection; /* uses; NULL for a service, too */
    bool is_service;               /* uses: the target is one of the framework's */
    int held;                      /* getPort minus releasePort; atomic */
};

/* Somebody to be told before the component goes. */
struct release {
    struct release *next;
    gov_cca_ComponentRelease callback; /* ours */
};

/* The SIDL object gov.cca.Services: one per component, while the instance's name stays. */
struct services {
    struct sidl_object object;
    struct portolan_framework *fw; /* NULL once retired: calls throw */
    struct instance *instance;
    const struct portolan_class_description *class; /* NULL: the framework itself, or an image */
    char *image_class;              /* the class name that an image gave itself, or NULL */
    gov_cca_Component component;    /* NULL for an image; the references below are ours */
    portolan_Rebindable rebindable; /* or NULL */
    struct release *releases;
    gov_cca_TypeMap properties;
    struct port *ports;
};

struct component_id {
    struct sidl_object object;
    struct instance *instance; /* NULL once destroyed */
    char *name;
};

struct instance {
    struct instance *prev, *next; /* utlist, in order of creation */
    struct portolan_framework *fw;
    char *name; /* "" for the framework itself as a user */
    struct services *services;
    struct component_id *id;
    /* A proxy: names of whom it stands in for; NULL: it is none. */
    char *stands_for, *stands_for_port;
};

struct connection_id {
    struct sidl_object object;
    struct connection *connection; /* NULL once undone */
};

struct connection {
    struct connection *prev, *next; /* utlist, in order of making */
    struct port *uses, *provides;
    gov_cca_TypeMap properties; /* NULL until somebody asks */
    struct connection_id *id;
    bool is_moving; /* about to leave `provides`: not counted there */
};

/* A connection that was asked for but whose uses port the user's class of the moment lacks. */
struct dormant {
    struct dormant *next;
    struct instance *user, *provider;
    char *uses, *provides;
    bool needs_proxy, monitored;
};

/* The SIDL object behind the framework's own service ports. */
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
    struct connection *connections;
    struct dormant *dormants;
    struct service *services;
    struct face *face;
    unsigned long n_named; /* for names that the framework chooses */
    bool is_ending;        /* all instances are being released: held ports stop nobody */
};

/* -- framework.c ------------------------------------------------------------------------------ */

/* Takes back a service of portolan_framework_provide; nobody may be connected to it. */
void framework_withdraw(struct portolan_framework *fw, const char *type);

/* -- cca_exception.c: the one place where status and exception meet ------------------------ */

/* Throws what ERR holds (EINTERNAL when it holds nothing). */
void exception_from_error(sidl_BaseInterface *_ex, const struct portolan_error *err);
/* A gov.cca.TypeMismatchException. */
void exception_type_mismatch(sidl_BaseInterface *_ex, enum gov_cca_Type__enum requested,
                             enum gov_cca_Type__enum actual, const char *key);

/* -- typemap.c, typemap_text.c ---------------------------------------------------------------- */

/* A copy of MAP (NULL: an empty one); NULL with ERR set. */
gov_cca_TypeMap typemap_copy(gov_cca_TypeMap map, struct portolan_error *err);
/* Puts the value that TEXT, checked to be of the type, means. */
enum portolan_status typemap_put_text(gov_cca_TypeMap map, const char *key,
                                      enum portolan_value_type type, bool is_array,
                                      const char *text, struct portolan_error *err);
enum gov_cca_Type__enum typemap_type_of_value(enum portolan_value_type type, bool is_array);
const char *typemap_type_word(enum gov_cca_Type__enum type);
/* Values that the class's description declares, where PROPERTIES has none; wrong types: error. */
enum portolan_status typemap_add_defaults(gov_cca_TypeMap properties,
                                          const struct portolan_class_description *class,
                                          struct portolan_error *err);

/* -- ids.c ------------------------------------------------------------------------------------- */

struct component_id *component_id_create(struct instance *instance, struct portolan_error *err);
/* New references. */
gov_cca_ComponentID component_id_reference(struct component_id *id);
gov_cca_ConnectionID connection_id_reference(struct connection_id *id);
struct connection_id *connection_id_create(struct connection *c, struct portolan_error *err);
/* The instance or connection of FW that a reference of any implementation names. */
enum portolan_status component_id_resolve(struct portolan_framework *fw, gov_cca_ComponentID id,
                                          struct instance **instance, struct portolan_error *err);
enum portolan_status connection_id_resolve(struct portolan_framework *fw, gov_cca_ConnectionID id,
                                           struct connection **c, struct portolan_error *err);
/* A new gov.cca.ComponentClassDescription. */
gov_cca_ComponentClassDescription class_description_create(const char *class_name,
                                                           sidl_BaseInterface *_ex);

/* -- library.c -------------------------------------------------------------------------------- */

/* Loads the class's shared object when it has one, and checks the descriptor. */
enum portolan_status library_find(const struct portolan_class_description *class,
                                  const struct portolan_component **component,
                                  struct portolan_error *err);

/* -- load.c ----------------------------------------------------------------------------------- */

/* The descriptor that the class's shared object exports. */
enum portolan_status library_load(const struct portolan_class_description *class,
                                  const struct portolan_component **component,
                                  struct portolan_error *err);

/* -- services.c ------------------------------------------------------------------------------- */

/* A Services object without a component; CLASS NULL for the framework itself. */
struct services *services_create(struct instance *instance,
                                 const struct portolan_class_description *class,
                                 gov_cca_TypeMap properties, struct portolan_error *err);
/* A borrowed reference. */
gov_cca_Services services_reference(struct services *s);
/* "heat.Cholmod"; "" for the framework itself. */
const char *services_class_name(const struct services *s);
struct port *services_find(const struct services *s, const char *name);
enum portolan_status services_register_uses(struct services *s, const char *name, const char *type,
                                            gov_cca_TypeMap properties, struct portolan_error *err);
/* *PORT: a new reference, or NULL when the port is not connected. */
enum portolan_status services_get(struct services *s, const char *name, gov_cca_Port *port,
                                  struct portolan_error *err);
enum portolan_status services_release(struct services *s, const char *name,
                                      struct portolan_error *err);
/* Calls all callbacks for release, once; what they throw is logged. */
void services_tell_release(struct services *s);
/* Logs ports that were not released, drops everything, and the reference to the object. */
void services_retire(struct services *s);

/* -- instance.c, destroy.c -------------------------------------------------------------------- */

/* A component of that class with setServices called. PROPERTIES may be NULL. */
enum portolan_status instance_start(struct instance *instance, const char *class_name,
                                    gov_cca_TypeMap properties, struct services **services,
                                    struct portolan_error *err);
/* A new instance at the end of the list; NAME "" or NULL: the framework chooses. */
enum portolan_status instance_create(struct portolan_framework *fw, const char *name,
                                     const char *class_name, gov_cca_TypeMap properties,
                                     struct instance **instance, struct portolan_error *err);
/* Undoes its connections and frees it; refused (EPORTINUSE) while a user holds its ports. */
enum portolan_status instance_destroy(struct instance *instance, struct portolan_error *err);
/* A new instance without a component, for a program that wants to look like one. */
enum portolan_status instance_create_image(struct portolan_framework *fw, const char *name,
                                           const char *class_name, gov_cca_TypeMap properties,
                                           struct instance **instance, struct portolan_error *err);
/* The same without asking who holds its ports. */
void instance_withdraw(struct instance *instance);
struct instance *instance_find(const struct portolan_framework *fw, const char *name);
/* An instance without a component, in no list: the framework as user. */
struct instance *instance_create_self(struct portolan_framework *fw, struct portolan_error *err);
/* Frees what is left of one whose services are retired. */
void instance_free(struct instance *instance);
/* All instances at once, in reverse order, whoever holds what. */
void instance_destroy_all(struct portolan_framework *fw);

/* -- connect.c --------------------------------------------------------------------------------- */

/* EBADPORTTYPE with the words "uses port … has type …, but … provides …". */
enum portolan_status connect_check_types(const struct port *uses, const struct port *provides,
                                         struct portolan_error *err);
enum portolan_status connect_find_ports(struct instance *user, const char *uses,
                                        struct instance *provider, const char *provides,
                                        struct port **uses_port, struct port **provides_port,
                                        struct portolan_error *err);
enum portolan_status connect_make(struct port *uses, struct port *provides, struct connection **c,
                                  struct portolan_error *err);
/* Points a uses port at PROVIDES (NULL: nothing) and tells a Rebindable user first. */
enum portolan_status connect_rebind(struct port *uses, struct port *provides,
                                    struct portolan_error *err);
/* EPORTINUSE when the user holds the port and is not Rebindable. */
enum portolan_status connect_undo(struct connection *c, struct portolan_error *err);
/* The same whoever holds it; what a Rebindable user throws is logged. */
void connect_drop(struct connection *c);
/* Frees the connection without telling its user. */
void connect_forget(struct connection *c);
bool connect_may_move(const struct port *uses);

/* -- interpose.c ------------------------------------------------------------------------------- */

/* What becomes of a proxy's uses ports other than "use". */
enum wiring {
    WIRE_NONE,     /* the proxy only forwards */
    WIRE_IF_FOUND, /* connected to the only instance that provides the type, if there is one */
    WIRE_ALL       /* the same, and it is an error if there is none */
};

/*
 * Puts a proxy between the ends of C. CLASS_NAME NULL: the palette's proxy for the uses port's
 * type.
 */
enum portolan_status interpose_proxy(struct connection *c, const char *class_name,
                                     enum wiring wiring, struct instance **proxy,
                                     struct portolan_error *err);

/* -- link.c: connections that may be dormant ------------------------------------------------- */

/* Makes the connection, with a proxy if it needs one (*PROXY, else NULL). */
enum portolan_status link_make(const struct dormant *wanted, struct connection **c,
                               struct instance **proxy, struct portolan_error *err);
/* A copy of WANTED, in no list. */
struct dormant *link_create_dormant(const struct dormant *wanted, struct portolan_error *err);
void link_free_dormant(struct dormant *d);
/* Forgets all dormant connections of an instance (NULL: of all). */
void link_forget(struct portolan_framework *fw, const struct instance *instance);

/* -- build.c ----------------------------------------------------------------------------------- */

/* The parameters of an alternative as a new TypeMap; NULL with ERR set. */
gov_cca_TypeMap build_properties(const struct portolan_assembly_alternative *alternative,
                                 struct portolan_error *err);

/* -- replace.c --------------------------------------------------------------------------------- */

/* Collective over the cohort. Null properties: those of the assembly's alternative, if it is one.
 */
enum portolan_status replace_instance(struct portolan_framework *fw, const char *instance,
                                      const char *class_name, gov_cca_TypeMap properties,
                                      struct portolan_error *err);

/* -- face.c, builder.c, extension.c: the SIDL faces ------------------------------------------- */

struct face *face_create(struct portolan_framework *fw, struct portolan_error *err);
/* Throws and returns NULL once the framework is gone. */
struct portolan_framework *face_framework(void *self, sidl_BaseInterface *_ex);
/* Throws what ERR holds unless STATUS is OK. */
void face_finish(sidl_BaseInterface *_ex, enum portolan_status status,
                 const struct portolan_error *err);
extern const struct gov_cca_ports_BuilderService__epv builder_epv;
extern const struct portolan_ports_Builder__epv extension_epv;
extern const struct gov_cca_ports_ComponentRepository__epv repository_epv;

#endif
