/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          lab_Meter_Impl.h
 * Symbol:        lab.Meter-v2.1
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for lab.Meter
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

#ifndef included_lab_Meter_Impl_h
#define included_lab_Meter_Impl_h

#ifndef included_sidl_header_h
#include "sidl_header.h"
#endif
#ifndef included_lab_Counter_h
#include "lab_Counter.h"
#endif
#ifndef included_lab_Meter_h
#include "lab_Meter.h"
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
/* DO-NOT-DELETE splicer.begin(lab.Meter._hincludes) */
/* DO-NOT-DELETE splicer.end(lab.Meter._hincludes) */

/*
 * Private data for class lab.Meter
 */

struct lab_Meter__data {
  /* DO-NOT-DELETE splicer.begin(lab.Meter._data) */
  int32_t d_number;
  /* DO-NOT-DELETE splicer.end(lab.Meter._data) */
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Access functions for class private data and built-in methods
 */

extern struct lab_Meter__data*
lab_Meter__get_data(
  lab_Meter);

extern void
lab_Meter__set_data(
  lab_Meter,
  struct lab_Meter__data*);

extern
void
impl_lab_Meter__load(
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Meter__ctor(
  /* in */ lab_Meter self,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Meter__ctor2(
  /* in */ lab_Meter self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Meter__dtor(
  /* in */ lab_Meter self,
  /* out */ sidl_BaseInterface *_ex);

/*
 * User-defined object methods
 */

extern struct lab_Counter__object* impl_lab_Meter_fconnect_lab_Counter(const
  char* url, sidl_bool ar, sidl_BaseInterface *_ex);
extern struct lab_Counter__object* impl_lab_Meter_fcast_lab_Counter(void* bi,
  sidl_BaseInterface* _ex);
extern struct sidl_BaseClass__object* impl_lab_Meter_fconnect_sidl_BaseClass(
  const char* url, sidl_bool ar, sidl_BaseInterface *_ex);
extern struct sidl_BaseClass__object* impl_lab_Meter_fcast_sidl_BaseClass(void*
  bi, sidl_BaseInterface* _ex);
#ifdef WITH_RMI
extern struct sidl_BaseInterface__object* 
  impl_lab_Meter_fconnect_sidl_BaseInterface(const char* url, sidl_bool ar, 
  sidl_BaseInterface *_ex);
#endif /*WITH_RMI*/
extern
lab_Meter
impl_lab_Meter_startAt(
  /* in */ int32_t number,
  /* out */ sidl_BaseInterface *_ex);

extern
int32_t
impl_lab_Meter_mark(
  /* in */ lab_Meter self,
  /* in */ const char* what,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Meter_reset(
  /* in */ lab_Meter self,
  /* out */ sidl_BaseInterface *_ex);

/* DO-NOT-DELETE splicer.begin(_hmisc) */
/* Insert-Code-Here {_hmisc} (miscellaneous things) */
/* DO-NOT-DELETE splicer.end(_hmisc) */

#ifdef __cplusplus
}
#endif
#endif
