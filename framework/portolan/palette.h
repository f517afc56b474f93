/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * framework: the palette, the component classes that can be loaded, with their ports and
 * parameters, from the XML descriptions that lie next to the plug-ins (docs/portolan-component.5)
 * or from components linked into the program. Nothing is loaded but by portolan_class_load().
 *
 * A palette may be read by several threads at a time and changed by one. What it returns belongs to
 * it and lives as long as it does.
 */
#ifndef PORTOLAN_PALETTE_H
#define PORTOLAN_PALETTE_H

#include <portolan/assembly.h>

#ifdef __cplusplus
extern "C" {
#endif

struct portolan_component; /* <portolan/framework.h> */
struct portolan_palette;

struct portolan_port_description {
    const char *name, *type;
    /** Provides: further types that the port is (its type's parents), blank-separated, or NULL. */
    const char *also;
    bool optional; /**< uses: may stay unconnected */
    int line;
};

struct portolan_parameter_description {
    const char *name;
    enum portolan_value_type type;
    bool is_array;
    const char *default_text; /**< checked to be of the type; NULL = none */
    const char *summary;      /**< never NULL */
    int line;
};

struct portolan_class_description {
    const char *class_name;
    const char *library; /**< path of the shared object; NULL for one linked into the program */
    const struct portolan_component *builtin; /**< NULL for a shared object */
    const char *proxy_for;                    /**< port type, or NULL */
    const char *summary;                      /**< never NULL */
    size_t n_provides;
    const struct portolan_port_description *provides;
    size_t n_uses;
    const struct portolan_port_description *uses;
    size_t n_parameters;
    const struct portolan_parameter_description *parameters;
    const char *file; /**< the description's */
    int line;
    /** Path of the static archive with the same code; may be missing. NULL for one linked in. */
    const char *archive;
    /** Flags for linking the archive, blank-separated, never NULL. STATIC_LIBS replaces LIBS in
     * programs that take only archives, where a library does not bring in what it needs. */
    const char *libs, *static_libs;
    const char *applies; /**< the condition for its use, as in <portolan/assembly.h>; or NULL */
    bool has_query;      /**< its descriptor has the function `applies`, which may be asked */
    /** Unstated: it keeps something if it provides a portolan.ports.Stateful. */
    enum portolan_stateful stateful;
};

/** An empty palette, the caller's to destroy. Errors: ENOMEM. */
PORTOLAN_API enum portolan_status portolan_palette_create(struct portolan_palette **p,
                                                          struct portolan_error *err);
/** NULL is legal. */
PORTOLAN_API void portolan_palette_destroy(struct portolan_palette *p);

/**
 * Adds the descriptions (*.xml with root <component>) in the directories of PATH, which are
 * separated by colons. Other XML files are ignored. A class that exists already stays: the first
 * directory wins. Problems go to D; the classes without problems are still added. Errors: ESYNTAX
 * when D received anything, EIO for a directory that can't be read, ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_palette_add_path(struct portolan_palette *p,
                                                            const char *path,
                                                            struct portolan_diagnostics *d,
                                                            struct portolan_error *err);

/** Adds the directories that the assembly's <path> elements name. Errors: as add_path. */
PORTOLAN_API enum portolan_status portolan_palette_add_assembly(struct portolan_palette *p,
                                                                const struct portolan_assembly *a,
                                                                struct portolan_diagnostics *d,
                                                                struct portolan_error *err);

/**
 * Adds the directories of the environment variable PORTOLAN_PATH, then the folder `portolan` next
 * to libportolan.so, wherever that has been moved. Directories that don't exist are skipped with a
 * warning in the log. Errors: ESYNTAX, EIO, ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_palette_add_defaults(struct portolan_palette *p,
                                                                struct portolan_diagnostics *d,
                                                                struct portolan_error *err);

/**
 * Adds a component linked into the program; DESCRIPTION is the text of its XML description (its
 * `library` is ignored). Both must outlive the palette. A built-in replaces a class found on a
 * path. Errors: ESYNTAX with the first problem in ERR, ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_palette_add_builtin(struct portolan_palette *p, const struct portolan_component *component,
                             const char *description, struct portolan_error *err);

/** The class of that name, or NULL. */
PORTOLAN_API const struct portolan_class_description *
portolan_palette_find(const struct portolan_palette *p, const char *class_name);

/** The class whose name is nearest to a misspelt one, or NULL. */
PORTOLAN_API const char *portolan_palette_nearest(const struct portolan_palette *p,
                                                  const char *class_name);

/** The class after PREVIOUS in the order of addition (NULL: the first); NULL at the end. */
PORTOLAN_API const struct portolan_class_description *
portolan_palette_next(const struct portolan_palette *p,
                      const struct portolan_class_description *previous);

/** The same, but only classes that provide a port of TYPE and are not proxies. */
PORTOLAN_API const struct portolan_class_description *
portolan_palette_next_provider(const struct portolan_palette *p, const char *type,
                               const struct portolan_class_description *previous);

/** The same, only proxies for TYPE. */
PORTOLAN_API const struct portolan_class_description *
portolan_palette_next_proxy(const struct portolan_palette *p, const char *type,
                            const struct portolan_class_description *previous);

/** The class's port or parameter of that name, or NULL. */
PORTOLAN_API const struct portolan_port_description *
portolan_class_provides(const struct portolan_class_description *c, const char *port);
PORTOLAN_API const struct portolan_port_description *
portolan_class_uses(const struct portolan_class_description *c, const char *port);
PORTOLAN_API const struct portolan_parameter_description *
portolan_class_parameter(const struct portolan_class_description *c, const char *parameter);

/**
 * Loads the code of a class as a run does, and leaves it loaded: the constructors of its plug-in
 * run in this process. Errors: ENOTFOUND (no code), EFOREIGN (another MPI, undefined symbols, no
 * component, another ABI), EUNSUPPORTED (this program loads nothing); the text says what helps.
 */
PORTOLAN_API enum portolan_status portolan_class_load(const struct portolan_class_description *c,
                                                      struct portolan_error *err);

/** Returns whether a provides port is of TYPE or, by its description, of a type that extends it. */
PORTOLAN_API bool portolan_port_is(const struct portolan_port_description *provides,
                                   const char *type);

#ifdef __cplusplus
}
#endif
#endif
