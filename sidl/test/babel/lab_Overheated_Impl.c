/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          lab_Overheated_Impl.c
 * Symbol:        lab.Overheated-v2.1
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for lab.Overheated
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

/*
 * DEVELOPERS ARE EXPECTED TO PROVIDE IMPLEMENTATIONS
 * FOR THE FOLLOWING METHODS BETWEEN SPLICER PAIRS.
 */

/*
 * Symbol "lab.Overheated" (version 2.1)
 */

#include "lab_Overheated_Impl.h"
#include "sidl_NotImplementedException.h"
#include "sidl_Exception.h"
#ifndef included_sidl_MemAllocException_h
#include "sidl_MemAllocException.h"
#endif

/* DO-NOT-DELETE splicer.begin(lab.Overheated._includes) */
/* DO-NOT-DELETE splicer.end(lab.Overheated._includes) */

#define SIDL_IOR_MAJOR_VERSION 2
#define SIDL_IOR_MINOR_VERSION 0
/*
 * Static class initializer called exactly once before any user-defined method is dispatched
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Overheated__load"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Overheated__load(
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Overheated._load) */
    /* DO-NOT-DELETE splicer.end(lab.Overheated._load) */
  }
}
/*
 * Class constructor called when the class is created.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Overheated__ctor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Overheated__ctor(
  /* in */ lab_Overheated self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Overheated._ctor) */
    /* DO-NOT-DELETE splicer.end(lab.Overheated._ctor) */
  }
}

/*
 * Special Class constructor called when the user wants to wrap his own private data.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Overheated__ctor2"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Overheated__ctor2(
  /* in */ lab_Overheated self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Overheated._ctor2) */
    /* DO-NOT-DELETE splicer.end(lab.Overheated._ctor2) */
  }
}
/*
 * Class destructor called when the class is deleted.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Overheated__dtor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Overheated__dtor(
  /* in */ lab_Overheated self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Overheated._dtor) */
    /* DO-NOT-DELETE splicer.end(lab.Overheated._dtor) */
  }
}
/* Babel internal methods, Users should not edit below this line. */

/* DO-NOT-DELETE splicer.begin(_misc) */
/* Insert-Code-Here {_misc} (miscellaneous code) */
/* DO-NOT-DELETE splicer.end(_misc) */

