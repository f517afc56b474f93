/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * link: makes one program of an assembly. The components that the assembly may use, their proxies
 * and Portolan are linked in from static archives; the assembly and the descriptions of the
 * classes are texts in the program. It loads no shared object of a component, and behaves as
 * `portolan run` on the assembly does. One thread at a time; options are borrowed for the call.
 */
#ifndef PORTOLAN_LINK_H
#define PORTOLAN_LINK_H

#include <portolan/palette.h>

#ifdef __cplusplus
extern "C" {
#endif

struct portolan_link_options {
    const char *output;   /**< REQUIRED: the program's file; replaced only when all went well */
    const char *keep;     /**< folder for intermediate files, which are then kept; or NULL */
    const char *compiler; /**< command instead of the settings' compiler, or NULL */
    bool is_static;       /**< take static archives of all libraries */
    size_t n_classes;     /**< classes needed in addition to those that the assembly names */
    const char *const *classes;
    size_t n_archives; /**< "CLASS=FILE": archives instead of those that descriptions name */
    const char *const *archives;
    size_t n_flags; /**< passed to the compiler after Portolan's archives: objects, -L, -l */
    const char *const *flags;
};

struct portolan_link_result {
    size_t n_classes, n_archives; /**< linked in */
    char *log; /**< what the tools said, warnings too; "" or NULL if nothing. The caller frees it */
};

/**
 * Links A, which must be without problems on PALETTE. SETTINGS is the file, written by Portolan's
 * build, that says where its archives are and which tools to use (see README.md). Problems of
 * classes go to D.
 * Errors: ESYNTAX when D received anything or SETTINGS is wrong, EINVAL for bad options, EIO for
 * files that can't be read or written, ENOTFOUND when a tool cannot be started, EFOREIGN when one
 * failed (RESULT->log has its output), ENOMEM.
 */
enum portolan_status portolan_link(const struct portolan_assembly *a,
                                   const struct portolan_palette *palette, const char *settings,
                                   const struct portolan_link_options *o,
                                   struct portolan_link_result *result,
                                   struct portolan_diagnostics *d, struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
