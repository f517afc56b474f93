/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Files in Babel's format that say which library has which class:
 *
 *   <scl>
 *     <library uri="/lib/libheat.so" scope="global" resolution="now">
 *       <class name="heat.Cholmod" desc="ior/impl"/>
 *     </library>
 *   </scl>
 *
 * scope is "local" (the default) or "global", resolution "lazy" (the default) or "now"; md5, sha1
 * and other elements are ignored. An scl element may also be part of another document (.cca).
 */
#ifndef SIDL_SCL_H
#define SIDL_SCL_H

#include <portolan/base.h>

struct scl_library {
    char *uri;  /* a relative name of a file in the .scl file's folder gets that folder's path */
    char *file; /* the .scl file that names it */
    bool is_global;
    bool is_now;
};

/*
 * Looks for a class with that description ("ior/impl") in PATH: .scl and .cca files, and folders of
 * them (sorted by name), separated by ';' or ':', each perhaps with "file:" before it. The first
 * one that names the class wins and fills in LIBRARY. STORY (may be NULL) says which places were
 * searched and what could not be read. NOTFOUND when no file names the class; ENOMEM.
 */
enum portolan_status scl_search(const char *path, const char *class_name, const char *desc,
                                struct scl_library *library, struct portolan_text *story);
void scl_library_clear(struct scl_library *library);

#endif
