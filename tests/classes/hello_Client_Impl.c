/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          hello_Client_Impl.c
 * Symbol:        hello.Client-v0.5
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for hello.Client
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

/*
 * DEVELOPERS ARE EXPECTED TO PROVIDE IMPLEMENTATIONS
 * FOR THE FOLLOWING METHODS BETWEEN SPLICER PAIRS.
 */

/*
 * Symbol "hello.Client" (version 0.5)
 */

#include "hello_Client_Impl.h"
#include "sidl_NotImplementedException.h"
#include "sidl_Exception.h"
#ifndef included_sidl_MemAllocException_h
#include "sidl_MemAllocException.h"
#endif

/* DO-NOT-DELETE splicer.begin(hello.Client._includes) */
#include <stdio.h>
#include "hello_Producer.h"
#include "sidl_String.h"
#include "sidl_Exception.h"
/* DO-NOT-DELETE splicer.end(hello.Client._includes) */

#define SIDL_IOR_MAJOR_VERSION 2
#define SIDL_IOR_MINOR_VERSION 0
/*
 * Static class initializer called exactly once before any user-defined method is dispatched
 */

#undef __FUNC__
#define __FUNC__ "impl_hello_Client__load"

#ifdef __cplusplus
extern "C"
#endif
void
impl_hello_Client__load(
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(hello.Client._load) */
    /* DO-NOT-DELETE splicer.end(hello.Client._load) */
  }
}
/*
 * Class constructor called when the class is created.
 */

#undef __FUNC__
#define __FUNC__ "impl_hello_Client__ctor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_hello_Client__ctor(
  /* in */ hello_Client self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(hello.Client._ctor) */
    struct hello_Client__data* data =
      (struct hello_Client__data*) malloc(sizeof(struct hello_Client__data));
    data->services = NULL;
    hello_Client__set_data(self, data);
    /* DO-NOT-DELETE splicer.end(hello.Client._ctor) */
  }
}

/*
 * Special Class constructor called when the user wants to wrap his own private data.
 */

#undef __FUNC__
#define __FUNC__ "impl_hello_Client__ctor2"

#ifdef __cplusplus
extern "C"
#endif
void
impl_hello_Client__ctor2(
  /* in */ hello_Client self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(hello.Client._ctor2) */
    /* DO-NOT-DELETE splicer.end(hello.Client._ctor2) */
  }
}
/*
 * Class destructor called when the class is deleted.
 */

#undef __FUNC__
#define __FUNC__ "impl_hello_Client__dtor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_hello_Client__dtor(
  /* in */ hello_Client self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(hello.Client._dtor) */
    struct hello_Client__data* data = hello_Client__get_data(self);
    if (data->services != NULL) {
      gov_cca_Services_deleteRef(data->services, _ex);
    }
    free((void*) data);
    hello_Client__set_data(self, NULL);
    /* DO-NOT-DELETE splicer.end(hello.Client._dtor) */
  }
}

/*
 * Method:  setServices[]
 */

#undef __FUNC__
#define __FUNC__ "impl_hello_Client_setServices"

#ifdef __cplusplus
extern "C"
#endif
void
impl_hello_Client_setServices(
  /* in */ hello_Client self,
  /* in */ gov_cca_Services services,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(hello.Client.setServices) */
    struct hello_Client__data* data = hello_Client__get_data(self);
    gov_cca_Port gp = NULL;
    data->services = services;
    gov_cca_Services_addRef(services, _ex); SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "producer", "hello.Producer", NULL, _ex);
    SIDL_CHECK(*_ex);
    gp = gov_cca_Port__cast(self, _ex); SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, gp, "go", "gov.cca.ports.GoPort", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Port_deleteRef(gp, _ex); SIDL_CHECK(*_ex);
    EXIT:;
    /* DO-NOT-DELETE splicer.end(hello.Client.setServices) */
  }
}

/*
 * Method:  go[]
 */

#undef __FUNC__
#define __FUNC__ "impl_hello_Client_go"

#ifdef __cplusplus
extern "C"
#endif
int32_t
impl_hello_Client_go(
  /* in */ hello_Client self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(hello.Client.go) */
    struct hello_Client__data* data = hello_Client__get_data(self);
    gov_cca_Port port = gov_cca_Services_getPort(data->services, "producer", _ex); SIDL_CHECK(*_ex);
    {
      hello_Producer hello = hello_Producer__cast(port, _ex); SIDL_CHECK(*_ex);
      {
        char* saying = hello_Producer_get(hello, _ex); SIDL_CHECK(*_ex);
        printf("%s\n", saying);
        sidl_String_free(saying);
        gov_cca_Services_releasePort(data->services, "producer", _ex); SIDL_CHECK(*_ex);
        hello_Producer_deleteRef(hello, _ex); SIDL_CHECK(*_ex);
        gov_cca_Port_deleteRef(port, _ex); SIDL_CHECK(*_ex);
      }
    }
    return 0;
    EXIT:
    return -1;
    /* DO-NOT-DELETE splicer.end(hello.Client.go) */
  }
}
/* Babel internal methods, Users should not edit below this line. */

/* DO-NOT-DELETE splicer.begin(_misc) */
/* Insert-Code-Here {_misc} (miscellaneous code) */
/* DO-NOT-DELETE splicer.end(_misc) */

