/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          lab_Meter_Impl.c
 * Symbol:        lab.Meter-v2.1
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for lab.Meter
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

/*
 * DEVELOPERS ARE EXPECTED TO PROVIDE IMPLEMENTATIONS
 * FOR THE FOLLOWING METHODS BETWEEN SPLICER PAIRS.
 */

/*
 * Symbol "lab.Meter" (version 2.1)
 */

#include "lab_Meter_Impl.h"
#include "sidl_NotImplementedException.h"
#include "sidl_Exception.h"
#ifndef included_sidl_MemAllocException_h
#include "sidl_MemAllocException.h"
#endif

/* DO-NOT-DELETE splicer.begin(lab.Meter._includes) */
#include <stdlib.h>
#include <string.h>
/* DO-NOT-DELETE splicer.end(lab.Meter._includes) */

#define SIDL_IOR_MAJOR_VERSION 2
#define SIDL_IOR_MINOR_VERSION 0
/*
 * Static class initializer called exactly once before any user-defined method is dispatched
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Meter__load"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Meter__load(
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Meter._load) */
    /*
     * This method has not been implemented
     */
    /* DO-DELETE-WHEN-IMPLEMENTING exception.begin() */
    SIDL_THROW(*_ex, sidl_NotImplementedException,     "This method has not been implemented");
  EXIT:;
    /* DO-DELETE-WHEN-IMPLEMENTING exception.end() */
    /* DO-NOT-DELETE splicer.end(lab.Meter._load) */
  }
}
/*
 * Class constructor called when the class is created.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Meter__ctor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Meter__ctor(
  /* in */ lab_Meter self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Meter._ctor) */
    struct lab_Meter__data *data =
      (struct lab_Meter__data *) malloc(sizeof(struct lab_Meter__data));
    if (data) {
      data->d_number = 0;
      lab_Meter__set_data(self, data);
    }
    else {
      SIDL_THROW(*_ex, sidl_MemAllocException, "no memory for the data of a Meter");
    }
    EXIT:;
    /* DO-NOT-DELETE splicer.end(lab.Meter._ctor) */
  }
}

/*
 * Special Class constructor called when the user wants to wrap his own private data.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Meter__ctor2"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Meter__ctor2(
  /* in */ lab_Meter self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Meter._ctor2) */
    ((struct lab_Meter__data *) private_data)->d_number += 1000;
    /* DO-NOT-DELETE splicer.end(lab.Meter._ctor2) */
  }
}
/*
 * Class destructor called when the class is deleted.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Meter__dtor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Meter__dtor(
  /* in */ lab_Meter self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Meter._dtor) */
    struct lab_Meter__data *data = lab_Meter__get_data(self);
    if (data) {
      free(data);
      lab_Meter__set_data(self, NULL);
    }
    /* DO-NOT-DELETE splicer.end(lab.Meter._dtor) */
  }
}

/*
 * Method:  startAt[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Meter_startAt"

#ifdef __cplusplus
extern "C"
#endif
lab_Meter
impl_lab_Meter_startAt(
  /* in */ int32_t number,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Meter.startAt) */
    struct lab_Meter__data *data =
      (struct lab_Meter__data *) malloc(sizeof(struct lab_Meter__data));
    data->d_number = number;
    return lab_Meter__wrapObj(data, _ex);
    /* DO-NOT-DELETE splicer.end(lab.Meter.startAt) */
  }
}

/*
 * Method:  mark[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Meter_mark"

#ifdef __cplusplus
extern "C"
#endif
int32_t
impl_lab_Meter_mark(
  /* in */ lab_Meter self,
  /* in */ const char* what,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Meter.mark) */
    struct lab_Meter__data *data = lab_Meter__get_data(self);
    data->d_number += (int32_t) strlen(what);
    return data->d_number;
    /* DO-NOT-DELETE splicer.end(lab.Meter.mark) */
  }
}

/*
 * Method:  reset[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Meter_reset"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Meter_reset(
  /* in */ lab_Meter self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Meter.reset) */
    lab_Meter__get_data(self)->d_number = 0;
    /* DO-NOT-DELETE splicer.end(lab.Meter.reset) */
  }
}
/* Babel internal methods, Users should not edit below this line. */
struct lab_Counter__object* impl_lab_Meter_fconnect_lab_Counter(const char* url,
  sidl_bool ar, sidl_BaseInterface *_ex) {
  return lab_Counter__connectI(url, ar, _ex);
}
struct lab_Counter__object* impl_lab_Meter_fcast_lab_Counter(void* bi,
  sidl_BaseInterface* _ex) {
  return lab_Counter__cast(bi, _ex);
}
struct sidl_BaseClass__object* impl_lab_Meter_fconnect_sidl_BaseClass(const
  char* url, sidl_bool ar, sidl_BaseInterface *_ex) {
  return sidl_BaseClass__connectI(url, ar, _ex);
}
struct sidl_BaseClass__object* impl_lab_Meter_fcast_sidl_BaseClass(void* bi,
  sidl_BaseInterface* _ex) {
  return sidl_BaseClass__cast(bi, _ex);
}

/* DO-NOT-DELETE splicer.begin(_misc) */
/* Insert-Code-Here {_misc} (miscellaneous code) */
/* DO-NOT-DELETE splicer.end(_misc) */

