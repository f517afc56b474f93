/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          lab_Trouble_Impl.c
 * Symbol:        lab.Trouble-v2.1
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for lab.Trouble
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

/*
 * DEVELOPERS ARE EXPECTED TO PROVIDE IMPLEMENTATIONS
 * FOR THE FOLLOWING METHODS BETWEEN SPLICER PAIRS.
 */

/*
 * Symbol "lab.Trouble" (version 2.1)
 */

#include "lab_Trouble_Impl.h"
#include "sidl_NotImplementedException.h"
#include "sidl_Exception.h"
#ifndef included_sidl_MemAllocException_h
#include "sidl_MemAllocException.h"
#endif

/* DO-NOT-DELETE splicer.begin(lab.Trouble._includes) */
#include <stdlib.h>
/* DO-NOT-DELETE splicer.end(lab.Trouble._includes) */

#define SIDL_IOR_MAJOR_VERSION 2
#define SIDL_IOR_MINOR_VERSION 0
/*
 * Static class initializer called exactly once before any user-defined method is dispatched
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Trouble__load"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Trouble__load(
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Trouble._load) */
    /* DO-NOT-DELETE splicer.end(lab.Trouble._load) */
  }
}
/*
 * Class constructor called when the class is created.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Trouble__ctor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Trouble__ctor(
  /* in */ lab_Trouble self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Trouble._ctor) */
    struct lab_Trouble__data *data =
      (struct lab_Trouble__data *) malloc(sizeof(struct lab_Trouble__data));
    if (data) {
      data->d_code = -1;
      lab_Trouble__set_data(self, data);
    }
    else {
      SIDL_THROW(*_ex, sidl_MemAllocException, "no memory for the data of a Trouble");
    }
    EXIT:;
    /* DO-NOT-DELETE splicer.end(lab.Trouble._ctor) */
  }
}

/*
 * Special Class constructor called when the user wants to wrap his own private data.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Trouble__ctor2"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Trouble__ctor2(
  /* in */ lab_Trouble self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Trouble._ctor2) */
    /* DO-NOT-DELETE splicer.end(lab.Trouble._ctor2) */
  }
}
/*
 * Class destructor called when the class is deleted.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Trouble__dtor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Trouble__dtor(
  /* in */ lab_Trouble self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Trouble._dtor) */
    struct lab_Trouble__data *data = lab_Trouble__get_data(self);
    if (data) {
      free(data);
      lab_Trouble__set_data(self, NULL);
    }
    /* DO-NOT-DELETE splicer.end(lab.Trouble._dtor) */
  }
}

/*
 * Method:  getCode[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Trouble_getCode"

#ifdef __cplusplus
extern "C"
#endif
int32_t
impl_lab_Trouble_getCode(
  /* in */ lab_Trouble self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Trouble.getCode) */
    return lab_Trouble__get_data(self)->d_code;
    /* DO-NOT-DELETE splicer.end(lab.Trouble.getCode) */
  }
}

/*
 * Method:  setCode[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Trouble_setCode"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Trouble_setCode(
  /* in */ lab_Trouble self,
  /* in */ int32_t code,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Trouble.setCode) */
    lab_Trouble__get_data(self)->d_code = code;
    /* DO-NOT-DELETE splicer.end(lab.Trouble.setCode) */
  }
}
/* Babel internal methods, Users should not edit below this line. */

/* DO-NOT-DELETE splicer.begin(_misc) */
/* Insert-Code-Here {_misc} (miscellaneous code) */
/* DO-NOT-DELETE splicer.end(_misc) */

