/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          hello_Server_Impl.h
 * Symbol:        hello.Server-v0.5
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for hello.Server
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

#ifndef included_hello_Server_Impl_h
#define included_hello_Server_Impl_h

#ifndef included_sidl_header_h
#include "sidl_header.h"
#endif
#ifndef included_gov_cca_CCAException_h
#include "gov_cca_CCAException.h"
#endif
#ifndef included_gov_cca_Component_h
#include "gov_cca_Component.h"
#endif
#ifndef included_gov_cca_Port_h
#include "gov_cca_Port.h"
#endif
#ifndef included_gov_cca_Services_h
#include "gov_cca_Services.h"
#endif
#ifndef included_hello_Producer_h
#include "hello_Producer.h"
#endif
#ifndef included_hello_Server_h
#include "hello_Server.h"
#endif
#ifndef included_sidl_BaseClass_h
#include "sidl_BaseClass.h"
#endif
#ifndef included_sidl_BaseInterface_h
#include "sidl_BaseInterface.h"
#endif
#ifndef included_sidl_ClassInfo_h
#include "sidl_ClassInfo.h"
#endif
#ifndef included_sidl_RuntimeException_h
#include "sidl_RuntimeException.h"
#endif
/* DO-NOT-DELETE splicer.begin(hello.Server._hincludes) */
/* DO-NOT-DELETE splicer.end(hello.Server._hincludes) */

/*
 * Private data for class hello.Server
 */

struct hello_Server__data {
  /* DO-NOT-DELETE splicer.begin(hello.Server._data) */
  int ignore; /* dummy to force non-empty struct; remove if you add data */
  /* DO-NOT-DELETE splicer.end(hello.Server._data) */
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Access functions for class private data and built-in methods
 */

extern struct hello_Server__data*
hello_Server__get_data(
  hello_Server);

extern void
hello_Server__set_data(
  hello_Server,
  struct hello_Server__data*);

extern
void
impl_hello_Server__load(
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_hello_Server__ctor(
  /* in */ hello_Server self,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_hello_Server__ctor2(
  /* in */ hello_Server self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_hello_Server__dtor(
  /* in */ hello_Server self,
  /* out */ sidl_BaseInterface *_ex);

/*
 * User-defined object methods
 */

#ifdef WITH_RMI
extern struct sidl_BaseInterface__object* 
  impl_hello_Server_fconnect_sidl_BaseInterface(const char* url, sidl_bool ar, 
  sidl_BaseInterface *_ex);
#endif /*WITH_RMI*/
extern
void
impl_hello_Server_setServices(
  /* in */ hello_Server self,
  /* in */ gov_cca_Services services,
  /* out */ sidl_BaseInterface *_ex);

extern
char*
impl_hello_Server_get(
  /* in */ hello_Server self,
  /* out */ sidl_BaseInterface *_ex);

/* DO-NOT-DELETE splicer.begin(_hmisc) */
/* Insert-Code-Here {_hmisc} (miscellaneous things) */
/* DO-NOT-DELETE splicer.end(_hmisc) */

#ifdef __cplusplus
}
#endif
#endif
