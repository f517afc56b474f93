/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * proxy: the code that all generated proxies share. Only code that `portolan proxygen` made
 * includes this header. That code has a description of its port, forwarding functions and a
 * component class; everything else is here: creation, ports, rebinding (the swap), monitoring,
 * casts.
 *
 * A proxy provides port "provide" and uses port "use" (both of the port's type), and uses the ports
 * "monitor" (portolan.ports.Monitor) and "measurement" (portolan.ports.Measurement), which may stay
 * unconnected. It measures for the monitor, for TAU profiles, or not at all, according to its
 * property "portolan.variant" and to commands (<portolan/control.h>, where its name is
 * "user.uses"); if no monitor is connected, nothing is measured for one. It is Suspendable:
 * the framework exchanges its target, also while it is in use. Running calls end in the target they
 * began in, and rebind returns when the last of them has ended, or drain does if it is suspended.
 *
 * SIDL ports: casting a proxy to a type that it does not have casts the target, and returns a
 * reference to the target itself. Calls through such a reference are neither measured nor rebound.
 *
 * Threads: any thread may call a proxy's methods, also during a rebind; for all else the rules of
 * <portolan/framework.h> hold.
 */
#ifndef PORTOLAN_PROXY_H
#define PORTOLAN_PROXY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <portolan/framework.h>
#include <portolan/probe.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PORTOLAN_PROXY_INLINE static inline __attribute__((unused))

/** Compares two functions, regardless of their types' qualifiers. */
#define PORTOLAN_PROXY_SAME(A, B) ((void (*)(void))(A) == (void (*)(void))(B))

struct portolan_proxy;
struct portolan_proxy_state;

/** The offset where MEMBER ends; the next member begins there or later. */
#define PORTOLAN_PROXY_BEHIND(TYPE, MEMBER)                                                        \
    (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)NULL)->MEMBER))
/** The bytes FROM … TO of two structs: whether they differ; and a copy from B to A. */
#define PORTOLAN_PROXY_DIFFER(A, B, FROM, TO)                                                      \
    (memcmp((const char *)(A) + (FROM), (const char *)(B) + (FROM), (TO) - (FROM)) != 0)
#define PORTOLAN_PROXY_COPY(A, B, FROM, TO)                                                        \
    memcpy((char *)(A) + (FROM), (const char *)(B) + (FROM), (TO) - (FROM))
/** OFFSET, but no further than LENGTH, which is where an older struct ends. */
#define PORTOLAN_PROXY_WITHIN(OFFSET, LENGTH) ((OFFSET) < (LENGTH) ? (OFFSET) : (LENGTH))

/** How many proxies a struct that holds its functions itself can have at a time: see `slots`. */
#define PORTOLAN_PROXY_SLOTS 16

#define PORTOLAN_PROXY_EACH_SLOT(X)                                                                \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

/**
 * Ports that are a C struct with functions. Users hold the proxy's own struct, its face. The face
 * gets a new table for each target, because entries that are NULL in the target's table must be
 * NULL in the face's.
 *
 * A struct that points to a table (`own` false): before the face's table stands a pointer to the
 * proxy. So functions find the proxy by the table of the object they are called on: the face, a
 * copy of it, or an object whose table was replaced in place.
 *
 * A struct that holds its functions itself (`own` true) is its table. There is a set of functions
 * for each of PORTOLAN_PROXY_SLOTS proxies, so a function knows its proxy without its arguments.
 */
struct portolan_proxy_table {
    bool own;
    size_t size_bytes;     /**< of the table of operations */
    const size_t *entries; /**< where in the table each method's entry is */
    size_t n_entries;
    /** The entry that each is forwarded to: for variadic ones the twin; NULL: each to itself. */
    const size_t *forwards;
    const void *functions; /**< our own table, or one for each slot */
    /** How many bytes of a table exist, as its version says. NULL: all. */
    size_t (*length)(const void *table);
    struct portolan_proxy **slots; /**< `own`: the proxy of each slot; else NULL */
    size_t proxy_size;             /**< of the proxy's struct */
    size_t face_offset;            /**< of the face in it */
    size_t object_size;            /**< of the face */
    size_t table_offset;           /**< of the pointer to the table in the face, unless `own` */
    const size_t *links; /**< pointers in the face to objects of its kind; at first NULL */
    size_t n_links;
    /** Copies TARGET's data into the face; NULL if the struct has no data. */
    void (*follow)(struct portolan_proxy *proxy, const void *target);
    /** Only for lists of functions, which also need size_bytes, entries and face_offset. */
    void (*fill)(void *table, const void *target);
    void (*show)(struct portolan_proxy *proxy, void *table, const void *target);
};

/** A port, described by proxygen. */
struct portolan_proxy_description {
    size_t size;      /**< sizeof this struct where the proxy was compiled */
    const char *type; /**< the port's type name */
    const struct portolan_probe_method *methods;
    size_t n_methods;
    const struct portolan_proxy_table *table; /**< NULL: a SIDL port or a C++ class */
    /** C++: the object that users hold instead of the target; NULL for other ports. */
    void *(*face)(struct portolan_proxy *proxy);
};

/** A proxy's implementation starts with this. */
struct portolan_proxy {
    struct sidl_object object;
    struct portolan_probe_port port;
    const struct portolan_proxy_description *description;
    struct portolan_proxy_state *state;
    size_t length; /* bytes of the target that exist, if it holds its functions itself */
};

/** The interfaces that every proxy has in addition to its port. */
extern PORTOLAN_API const struct portolan_Suspendable__epv portolan_proxy_suspendable;
extern PORTOLAN_API const struct gov_cca_Component__epv portolan_proxy_component;
extern PORTOLAN_API const struct gov_cca_ComponentRelease__epv portolan_proxy_release;
/** The interface of the port, if it is a C object. */
extern PORTOLAN_API const struct portolan_ForeignPort__epv portolan_proxy_foreign;

#define PORTOLAN_PROXY_IMPLEMENTS                                                                  \
    {&portolan_Suspendable__type, &portolan_proxy_suspendable},                                    \
        {&gov_cca_Component__type, &portolan_proxy_component},                                     \
    {                                                                                              \
        &gov_cca_ComponentRelease__type, &portolan_proxy_release                                   \
    }

/** A proxy of class CLS, not connected: the caller's reference, or NULL with an exception in *_ex.
 * CLS and DESCRIPTION are borrowed and must outlive it. */
PORTOLAN_API gov_cca_Component portolan_proxy_create(
    const struct sidl_class *cls, const struct portolan_proxy_description *description,
    sidl_BaseInterface *_ex);

/**
 * The same for ports with at most COUNT proxies: the proxy takes one of the COUNT places in SLOTS
 * and notes its number (from 1; 0: none) in its struct, in an int OFFSET bytes from the beginning.
 * leave_slot is for its destroy hook.
 */
PORTOLAN_API gov_cca_Component portolan_proxy_create_in_slot(
    const struct sidl_class *cls, const struct portolan_proxy_description *description,
    struct portolan_proxy **slots, int count, size_t offset, sidl_BaseInterface *_ex);
PORTOLAN_API void portolan_proxy_leave_slot(struct portolan_proxy **slots, int slot);

/** Copies SIZE bytes of function pointers to FACE, which other threads may be reading. */
PORTOLAN_API void portolan_proxy_show_functions(void *face, const void *functions, size_t size);

/** The destroy and cast hooks of a proxy's class. */
PORTOLAN_API void portolan_proxy_destroy(void *self);
PORTOLAN_API void *portolan_proxy_cast(void *self, const char *type);

/** Throws a gov.cca.CCAException (PortNotConnected) that names type and method. */
PORTOLAN_API void portolan_proxy_throw_unconnected(struct portolan_proxy *proxy, size_t method,
                                                   sidl_BaseInterface *_ex) __attribute__((cold));

/* ------------------------------------------------------------------ C objects */

/** True if TABLE, of which there are LENGTH bytes, has an entry at OFFSET. */
PORTOLAN_PROXY_INLINE bool portolan_proxy_has(const void *table, size_t offset, size_t length)
{
    void (*entry)(void);

    if (offset + sizeof entry > length)
        return false;
    memcpy(&entry, (const char *)table + offset, sizeof entry);
    return entry != NULL;
}

/** True if TABLE is one that a proxy of this kind made (not for `own`). */
PORTOLAN_PROXY_INLINE bool portolan_proxy_is_ours(const struct portolan_proxy_table *t,
                                                  const void *table)
{
    size_t length = t->length ? t->length(table) : t->size_bytes;

    for (size_t i = 0; i < t->n_entries; i++) {
        void (*entry)(void);

        if (t->entries[i] + sizeof entry > length)
            continue;
        memcpy(&entry, (const char *)table + t->entries[i], sizeof entry);
        if (entry && t->forwards && !portolan_proxy_has(table, t->forwards[i], length))
            continue;
        if (entry)
            return memcmp(&entry, (const char *)t->functions + t->entries[i], sizeof entry) == 0;
    }
    return false;
}

/**
 * A face for OBJECT in a program without framework: calls through it are measured as NAME.
 * NULL on failure; portolan_proxy_wrap_error() says why. End it with portolan_proxy_unwrap();
 * OBJECT is borrowed until then, NAME for the call.
 */
PORTOLAN_API void *portolan_proxy_wrap(const struct portolan_proxy_description *description,
                                       void *object, const char *name);

/** Ends FACE, which came from wrap, and returns its target; NULL if it is no face. */
PORTOLAN_API void *portolan_proxy_unwrap(const struct portolan_proxy_description *description,
                                         void *face);

/** The error of this thread's last wrap or unwrap; "" if it succeeded. */
PORTOLAN_API const char *portolan_proxy_wrap_error(void);

/** A method has destroyed the target: a face outside a framework ends with it. */
PORTOLAN_API void portolan_proxy_end(struct portolan_proxy *proxy);

/**
 * For an OBJECT (may be NULL) of the kind of DESCRIPTION that a call of PROXY handed out while
 * BINDING was in force: returns a face for it, each time the same, or OBJECT itself if none can be
 * made.
 */
PORTOLAN_API void *portolan_proxy_give(struct portolan_proxy *proxy,
                                       const struct portolan_probe_binding *binding,
                                       const struct portolan_proxy_description *description,
                                       void *object);

/**
 * The same for an OBJECT in the caller's storage: its table is replaced in place by one that
 * forwards to the original; there is one for each original. Its calls are measured, never rebound.
 */
PORTOLAN_API void portolan_proxy_give_in_place(struct portolan_proxy *proxy,
                                               const struct portolan_probe_binding *binding,
                                               const struct portolan_proxy_description *description,
                                               void *object);

#ifdef __cplusplus
}
#endif
#endif
