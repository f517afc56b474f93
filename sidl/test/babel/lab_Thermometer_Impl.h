/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          lab_Thermometer_Impl.h
 * Symbol:        lab.Thermometer-v2.1
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for lab.Thermometer
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

#ifndef included_lab_Thermometer_Impl_h
#define included_lab_Thermometer_Impl_h

#ifndef included_sidl_header_h
#include "sidl_header.h"
#endif
#ifndef included_lab_Thermometer_IOR_h
#include "lab_Thermometer_IOR.h"
#endif
#ifndef included_lab_Device_h
#include "lab_Device.h"
#endif
#ifndef included_lab_Instrument_h
#include "lab_Instrument.h"
#endif
#ifndef included_lab_Thermometer_h
#include "lab_Thermometer.h"
#endif
#ifndef included_lab_Trouble_h
#include "lab_Trouble.h"
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
/* DO-NOT-DELETE splicer.begin(lab.Thermometer._hincludes) */
/* DO-NOT-DELETE splicer.end(lab.Thermometer._hincludes) */

/*
 * Private data for class lab.Thermometer
 */

struct lab_Thermometer__data {
  /* DO-NOT-DELETE splicer.begin(lab.Thermometer._data) */
  double d_temperature;
  /* DO-NOT-DELETE splicer.end(lab.Thermometer._data) */
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Access functions for class private data and built-in methods
 */

extern struct lab_Thermometer__data*
lab_Thermometer__get_data(
  lab_Thermometer);

extern void
lab_Thermometer__set_data(
  lab_Thermometer,
  struct lab_Thermometer__data*);

extern void lab_Thermometer__superEPV(
struct lab_Instrument__epv*);

extern
void
impl_lab_Thermometer__load(
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Thermometer__ctor(
  /* in */ lab_Thermometer self,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Thermometer__ctor2(
  /* in */ lab_Thermometer self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Thermometer__dtor(
  /* in */ lab_Thermometer self,
  /* out */ sidl_BaseInterface *_ex);

/*
 * User-defined object methods
 */

#ifdef WITH_RMI
extern struct sidl_BaseInterface__object* 
  impl_lab_Thermometer_fconnect_sidl_BaseInterface(const char* url, sidl_bool ar, 
  sidl_BaseInterface *_ex);
#endif /*WITH_RMI*/
extern
char*
impl_lab_Thermometer_describe(
  /* in */ lab_Thermometer self,
  /* out */ sidl_BaseInterface *_ex);

extern
double
impl_lab_Thermometer_read(
  /* in */ lab_Thermometer self,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Thermometer_heatBy(
  /* in */ lab_Thermometer self,
  /* in */ int32_t degrees,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Thermometer_heatTo(
  /* in */ lab_Thermometer self,
  /* in */ double temperature,
  /* out */ sidl_BaseInterface *_ex);

/* DO-NOT-DELETE splicer.begin(_hmisc) */
/* Insert-Code-Here {_hmisc} (miscellaneous things) */
/* DO-NOT-DELETE splicer.end(_hmisc) */

#ifdef __cplusplus
}
#endif
#endif
