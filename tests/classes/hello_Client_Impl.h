/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          hello_Client_Impl.h
 * Symbol:        hello.Client-v0.5
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for hello.Client
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

#ifndef included_hello_Client_Impl_h
#define included_hello_Client_Impl_h

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
#ifndef included_gov_cca_ports_GoPort_h
#include "gov_cca_ports_GoPort.h"
#endif
#ifndef included_hello_Client_h
#include "hello_Client.h"
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
/* DO-NOT-DELETE splicer.begin(hello.Client._hincludes) */
/* DO-NOT-DELETE splicer.end(hello.Client._hincludes) */

/*
 * Private data for class hello.Client
 */

struct hello_Client__data {
  /* DO-NOT-DELETE splicer.begin(hello.Client._data) */
  gov_cca_Services services;
  /* DO-NOT-DELETE splicer.end(hello.Client._data) */
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Access functions for class private data and built-in methods
 */

extern struct hello_Client__data*
hello_Client__get_data(
  hello_Client);

extern void
hello_Client__set_data(
  hello_Client,
  struct hello_Client__data*);

extern
void
impl_hello_Client__load(
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_hello_Client__ctor(
  /* in */ hello_Client self,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_hello_Client__ctor2(
  /* in */ hello_Client self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_hello_Client__dtor(
  /* in */ hello_Client self,
  /* out */ sidl_BaseInterface *_ex);

/*
 * User-defined object methods
 */

#ifdef WITH_RMI
extern struct sidl_BaseInterface__object* 
  impl_hello_Client_fconnect_sidl_BaseInterface(const char* url, sidl_bool ar, 
  sidl_BaseInterface *_ex);
#endif /*WITH_RMI*/
extern
void
impl_hello_Client_setServices(
  /* in */ hello_Client self,
  /* in */ gov_cca_Services services,
  /* out */ sidl_BaseInterface *_ex);

extern
int32_t
impl_hello_Client_go(
  /* in */ hello_Client self,
  /* out */ sidl_BaseInterface *_ex);

/* DO-NOT-DELETE splicer.begin(_hmisc) */
/* Insert-Code-Here {_hmisc} (miscellaneous things) */
/* DO-NOT-DELETE splicer.end(_hmisc) */

#ifdef __cplusplus
}
#endif
#endif
