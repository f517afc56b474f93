/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * proxy: what all generated proxies share. Only code that `portolan proxygen` made includes this
 * header; it fills in a description of its port, forwarding functions and a component class, and
 * everything else is here: creation, ports, rebinding (the swap), monitoring, casts.
 *
 * A proxy provides port "provide", uses port "use" (both of the port's type) and uses port
 * "monitor" (portolan.ports.Monitor). It measures while a monitor is connected and only forwards
 * otherwise. It is Rebindable: the framework moves what is behind it, also while it is in use;
 * calls that are running end where they began, and rebind returns when the last of them has.
 *
 * SIDL ports: who casts a proxy to a type that it does not have asks the object behind it, and then
 * holds that object itself: calls through such a reference are neither measured nor moved.
 */
#ifndef PORTOLAN_PROXY_H
#define PORTOLAN_PROXY_H

#include <stddef.h>
#include <string.h>

#include <portolan/framework.h>
#include <portolan/probe.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PORTOLAN_PROXY_INLINE static inline __attribute__((unused))

/** Equal functions, whatever qualifiers their types have. */
#define PORTOLAN_PROXY_SAME(A, B) ((void (*)(void))(A) == (void (*)(void))(B))

struct portolan_proxy;
struct portolan_proxy_state;

/**
 * Ports that are a C struct with a pointer to a table of operations. Users hold the proxy's own
 * struct, its face, which has a table of its own: made anew for each object that comes behind,
 * because entries that are NULL there must be NULL here.
 */
struct portolan_proxy_table {
    size_t size_bytes;   /**< of the table of operations */
    const size_t *slots; /**< where in the table each method's entry is */
    /** Fills TABLE (zeroed) for TARGET: its own table with our functions in the place of its. */
    void (*fill)(void *table, const void *target);
    /** Gives PROXY's face this table and TARGET's data (NULL: leaves the data as it is). */
    void (*show)(struct portolan_proxy *proxy, void *table, const void *target);
    size_t face_offset; /**< of the face in the proxy's struct */
};

/** What proxygen knows of a port. */
struct portolan_proxy_description {
    size_t size;      /**< sizeof this struct where the proxy was compiled */
    const char *type; /**< the port's type name */
    const struct portolan_probe_method *methods;
    size_t n_methods;
    const struct portolan_proxy_table *table; /**< NULL: a SIDL port */
};

/** A proxy's implementation starts with this. */
struct portolan_proxy {
    struct sidl_object object;
    struct portolan_probe_port port;
    const struct portolan_proxy_description *description;
    struct portolan_proxy_state *state;
};

/** The interfaces that every proxy has, behind that of its port. */
extern PORTOLAN_API const struct portolan_Rebindable__epv portolan_proxy_rebindable;
extern PORTOLAN_API const struct gov_cca_Component__epv portolan_proxy_component;
extern PORTOLAN_API const struct gov_cca_ComponentRelease__epv portolan_proxy_release;
/** That of the port, where it is a C object. */
extern PORTOLAN_API const struct portolan_ForeignPort__epv portolan_proxy_foreign;

#define PORTOLAN_PROXY_IMPLEMENTS                                                                  \
    {&portolan_Rebindable__type, &portolan_proxy_rebindable},                                      \
        {&gov_cca_Component__type, &portolan_proxy_component},                                     \
    {                                                                                              \
        &gov_cca_ComponentRelease__type, &portolan_proxy_release                                   \
    }

/** A proxy of class CLS, not connected; the caller's reference. Both arguments are kept. */
PORTOLAN_API gov_cca_Component portolan_proxy_create(
    const struct sidl_class *cls, const struct portolan_proxy_description *description,
    sidl_BaseInterface *_ex);

/**
 * The same where only so many proxies can be: SLOTS has COUNT places, of which the proxy takes one
 * and notes its number (from 1; 0: none) in its struct, an int OFFSET bytes from the beginning.
 * leave_slot is for its destroy hook.
 */
PORTOLAN_API gov_cca_Component portolan_proxy_create_in_slot(
    const struct sidl_class *cls, const struct portolan_proxy_description *description,
    struct portolan_proxy **slots, int count, size_t offset, sidl_BaseInterface *_ex);
PORTOLAN_API void portolan_proxy_leave_slot(struct portolan_proxy **slots, int slot);

/** Copies SIZE bytes of function pointers to FACE, from which others may be reading. */
PORTOLAN_API void portolan_proxy_show_functions(void *face, const void *functions, size_t size);

/** The destroy and cast hooks of a proxy's class. */
PORTOLAN_API void portolan_proxy_destroy(void *self);
PORTOLAN_API void *portolan_proxy_cast(void *self, const char *type);

/** Throws a gov.cca.CCAException (PortNotConnected) that names type and method. */
PORTOLAN_API void portolan_proxy_throw_unconnected(struct portolan_proxy *proxy, size_t method,
                                                   sidl_BaseInterface *_ex) __attribute__((cold));

#ifdef __cplusplus
}
#endif
#endif
