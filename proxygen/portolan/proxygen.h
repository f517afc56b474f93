/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * proxygen: from a C header or a SIDL file, one timing proxy per port.
 *
 * A proxy is a component that provides and uses a port of the same type; every call is timed by the
 * probe and forwarded. Code that all proxies share is in a run time (<portolan/proxy.h>); generated
 * are only one forwarding function per method and a table that describes the port.
 *
 * The generator reads headers with libclang, which is loaded at the first use and never unloaded.
 * Functions here may be called from one thread at a time.
 */
#ifndef PORTOLAN_PROXYGEN_H
#define PORTOLAN_PROXYGEN_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The input, the output, and options of generating. Strings are borrowed for the call. */
struct portolan_proxygen_options {
    /** REQUIRED. SIDL files (names ending in ".sidl", as many as are needed) or one header. */
    const char *const *files;
    size_t n_files;
    /**
     * REQUIRED. The port: a SIDL interface by its full name, a C struct by its tag or typedef name,
     * or, with FUNCTIONS, any name. "struct_name=heat.Solver" also says under which type name the
     * struct travels as a portolan.ForeignPort; without it the struct's name as given is the type
     * name.
     */
    const char *port;
    /** REQUIRED. Folder for the output; made if it is missing (its parent must exist). */
    const char *folder;
    /** OPTIONAL. Side file that names contexts and more; see portolan_proxygen_generate(). */
    const char *context;
    /** OPTIONAL, C only. How generated code includes the header: "<sundials/x.h>", "solver.h". */
    const char *include;
    /**
     * OPTIONAL. C: compiler flags the header needs ("-I…", "-D…", "-std=…"). SIDL: "-IDIR" where
     * required packages may lie.
     */
    const char *const *flags;
    size_t n_flags;
    /** OPTIONAL, C only. Patterns ("cblas_*"): the port is all functions that match one of them. */
    const char *const *functions;
    size_t n_functions;
    /**
     * With FUNCTIONS. Shared objects that implement them, one provider component for each: "FILE",
     * or "NAME=FILE" for component "TYPE_NAME".
     */
    const char *const *libraries;
    size_t n_libraries;
    /** With FUNCTIONS. Makes the front, too: a library that stands in for these functions. */
    bool front;
    /**
     * OPTIONAL. Pattern for paths of headers (leading folders may be left out): declarations in
     * those count, and no others. NULL: only the header itself counts, not what it includes.
     */
    const char *from;
    /** OPTIONAL. A compile_commands.json or the folder it is in: the flags come from there, too. */
    const char *compile_commands;
};

/** The generated files. Free it with portolan_proxygen_result_clear(); start it as `{0}`. */
struct portolan_proxygen_result {
    char *report;     /**< for people: what is intercepted, what is not, and why; ends in newline */
    char *class_name; /**< class of the proxy: the port's type name followed by "Proxy" */
    char **files;     /**< what was made, the C source first, then the palette description */
    size_t n_files;
    char **flags; /**< C: flags the header was read with, with those of compile_commands */
    size_t n_flags;
};

/**
 * Writes the C source of the proxy and its palette description. A file is touched only if its
 * content changes; the output holds no date and no path, so equal input gives equal output.
 *
 * The parameters that form a call's context are those with `%attrib{context}` in SIDL and with
 * `__attribute__((annotate("portolan.context")))` in C, and those of the side file, whose lines
 * read
 *
 *     method: argument, argument     # contexts of the method, at most four; parameters without
 *                                    # a name are argument_0, argument_1, … by position
 *     method.accuracy: argument      # where the call leaves the accuracy it reached; or "return"
 *
 * and, for headers,
 *
 *     method: *m, A->n, strlen(s), work = n * *k   # contexts that are expressions over arguments
 *     method.results: *its, return   # contexts that are known after the call, as their means
 *     method.destroys:               # the method ends its object
 *     method.size-of: x = n          # n is the extent of x, and a context; empty: none is guessed
 *     method.variadic: vmethod       # vmethod is the same with a va_list for the "..."
 *     method.callback: argument      # the time in this function is its caller's
 *     method.gives: argument TYPE    # an object of port TYPE comes back there; or "return TYPE"
 *     method.since: 2                # the table has it from version 2 on
 *     TYPE.version: member           # the table's version or size in bytes (TYPE: the port's)
 *
 * Problems in the input are reported to DIAGNOSTICS with file and line (1 where the whole file is
 * meant), and ERR says how many there are; where DIAGNOSTICS is NULL, ERR has the first one's text.
 * The function then returns PORTOLAN_ESYNTAX for files that do not parse, PORTOLAN_ENOTFOUND for a
 * port that is not there (with the nearest name), PORTOLAN_EUNSUPPORTED for one that cannot be
 * proxied, PORTOLAN_EIO when a file cannot be read or written, PORTOLAN_EINVAL for bad options,
 * PORTOLAN_ENOMEM. Nothing is written in such cases.
 * RESULT may be NULL.
 */
enum portolan_status portolan_proxygen_generate(const struct portolan_proxygen_options *options,
                                                struct portolan_proxygen_result *result,
                                                struct portolan_diagnostics *diagnostics,
                                                struct portolan_error *err);

/** Frees what RESULT holds. */
void portolan_proxygen_result_clear(struct portolan_proxygen_result *result);

#ifdef __cplusplus
}
#endif
#endif
