/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversions between enum portolan_status and gov.cca exceptions. All functions are hidden. */
#ifndef PORTOLAN_FRAMEWORK_STATUS_H
#define PORTOLAN_FRAMEWORK_STATUS_H

#include <portolan/framework.h>

/* sidl_object_create, with a gov.cca.CCAException when memory runs out. */
void *exception_or_object(const struct sidl_class *cls, sidl_BaseInterface *_ex);
/* A copy that SIDL frees; NULL with an exception when memory runs out. */
char *exception_or_text(const char *text, sidl_BaseInterface *_ex);
/* Throws the gov.cca.CCAException OutOfMemory, which needs no memory. */
void exception_no_memory(sidl_BaseInterface *_ex);
/*
 * For methods that declare no exception: turns an exception of this file in *_ex into a
 * sidl.RuntimeException as well, which every method may throw.
 */
void exception_undeclared(sidl_BaseInterface *_ex);
/* Throws what ERR holds (EINTERNAL when it holds nothing). */
void exception_from_error(sidl_BaseInterface *_ex, const struct portolan_error *err);
/* A gov.cca.TypeMismatchException. */
void exception_type_mismatch(sidl_BaseInterface *_ex, enum gov_cca_Type__enum requested,
                             enum gov_cca_Type__enum actual, const char *key);

#endif
