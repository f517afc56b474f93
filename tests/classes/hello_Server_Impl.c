/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          hello_Server_Impl.c
 * Symbol:        hello.Server-v0.5
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for hello.Server
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

/*
 * DEVELOPERS ARE EXPECTED TO PROVIDE IMPLEMENTATIONS
 * FOR THE FOLLOWING METHODS BETWEEN SPLICER PAIRS.
 */

/*
 * Symbol "hello.Server" (version 0.5)
 */

#include "hello_Server_Impl.h"
#include "sidl_NotImplementedException.h"
#include "sidl_Exception.h"
#ifndef included_sidl_MemAllocException_h
#include "sidl_MemAllocException.h"
#endif

/* DO-NOT-DELETE splicer.begin(hello.Server._includes) */
#include "sidl_String.h"
/* DO-NOT-DELETE splicer.end(hello.Server._includes) */

#define SIDL_IOR_MAJOR_VERSION 2
#define SIDL_IOR_MINOR_VERSION 0
/*
 * Static class initializer called exactly once before any user-defined method is dispatched
 */

#undef __FUNC__
#define __FUNC__ "impl_hello_Server__load"

#ifdef __cplusplus
extern "C"
#endif
void
impl_hello_Server__load(
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(hello.Server._load) */
    /* DO-NOT-DELETE splicer.end(hello.Server._load) */
  }
}
/*
 * Class constructor called when the class is created.
 */

#undef __FUNC__
#define __FUNC__ "impl_hello_Server__ctor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_hello_Server__ctor(
  /* in */ hello_Server self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(hello.Server._ctor) */
    /* DO-NOT-DELETE splicer.end(hello.Server._ctor) */
  }
}

/*
 * Special Class constructor called when the user wants to wrap his own private data.
 */

#undef __FUNC__
#define __FUNC__ "impl_hello_Server__ctor2"

#ifdef __cplusplus
extern "C"
#endif
void
impl_hello_Server__ctor2(
  /* in */ hello_Server self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(hello.Server._ctor2) */
    /* DO-NOT-DELETE splicer.end(hello.Server._ctor2) */
  }
}
/*
 * Class destructor called when the class is deleted.
 */

#undef __FUNC__
#define __FUNC__ "impl_hello_Server__dtor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_hello_Server__dtor(
  /* in */ hello_Server self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(hello.Server._dtor) */
    /* DO-NOT-DELETE splicer.end(hello.Server._dtor) */
  }
}

/*
 * Method:  setServices[]
 */

#undef __FUNC__
#define __FUNC__ "impl_hello_Server_setServices"

#ifdef __cplusplus
extern "C"
#endif
void
impl_hello_Server_setServices(
  /* in */ hello_Server self,
  /* in */ gov_cca_Services services,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(hello.Server.setServices) */
    gov_cca_Port port = gov_cca_Port__cast(self, _ex); SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, port, "producer", "hello.Producer", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Port_deleteRef(port, _ex); SIDL_CHECK(*_ex);
    EXIT:;
    /* DO-NOT-DELETE splicer.end(hello.Server.setServices) */
  }
}

/*
 * Method:  get[]
 */

#undef __FUNC__
#define __FUNC__ "impl_hello_Server_get"

#ifdef __cplusplus
extern "C"
#endif
char*
impl_hello_Server_get(
  /* in */ hello_Server self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(hello.Server.get) */
    return sidl_String_strdup("Hello World!");
    /* DO-NOT-DELETE splicer.end(hello.Server.get) */
  }
}
/* Babel internal methods, Users should not edit below this line. */

/* DO-NOT-DELETE splicer.begin(_misc) */
/* Insert-Code-Here {_misc} (miscellaneous code) */
/* DO-NOT-DELETE splicer.end(_misc) */

