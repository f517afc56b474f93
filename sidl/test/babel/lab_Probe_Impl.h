/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          lab_Probe_Impl.h
 * Symbol:        lab.Probe-v2.1
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for lab.Probe
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

#ifndef included_lab_Probe_Impl_h
#define included_lab_Probe_Impl_h

#ifndef included_sidl_header_h
#include "sidl_header.h"
#endif
#ifndef included_lab_Probe_IOR_h
#include "lab_Probe_IOR.h"
#endif
#ifndef included_lab_Device_h
#include "lab_Device.h"
#endif
#ifndef included_lab_Instrument_h
#include "lab_Instrument.h"
#endif
#ifndef included_lab_Named_h
#include "lab_Named.h"
#endif
#ifndef included_lab_Probe_h
#include "lab_Probe.h"
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
/* DO-NOT-DELETE splicer.begin(lab.Probe._hincludes) */
/* DO-NOT-DELETE splicer.end(lab.Probe._hincludes) */

/*
 * Private data for class lab.Probe
 */

struct lab_Probe__data {
  /* DO-NOT-DELETE splicer.begin(lab.Probe._data) */
  char *d_label;
  /* DO-NOT-DELETE splicer.end(lab.Probe._data) */
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Access functions for class private data and built-in methods
 */

extern struct lab_Probe__data*
lab_Probe__get_data(
  lab_Probe);

extern void
lab_Probe__set_data(
  lab_Probe,
  struct lab_Probe__data*);

extern void lab_Probe__superEPV(
struct lab_Thermometer__epv*);

extern
void
impl_lab_Probe__load(
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Probe__ctor(
  /* in */ lab_Probe self,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Probe__ctor2(
  /* in */ lab_Probe self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Probe__dtor(
  /* in */ lab_Probe self,
  /* out */ sidl_BaseInterface *_ex);

/*
 * User-defined object methods
 */

#ifdef WITH_RMI
extern struct sidl_BaseInterface__object* 
  impl_lab_Probe_fconnect_sidl_BaseInterface(const char* url, sidl_bool ar, 
  sidl_BaseInterface *_ex);
#endif /*WITH_RMI*/
extern
char*
impl_lab_Probe_describe(
  /* in */ lab_Probe self,
  /* out */ sidl_BaseInterface *_ex);

extern
char*
impl_lab_Probe_getLabel(
  /* in */ lab_Probe self,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Probe_setLabel(
  /* in */ lab_Probe self,
  /* in */ const char* label,
  /* out */ sidl_BaseInterface *_ex);

/* DO-NOT-DELETE splicer.begin(_hmisc) */
/* Insert-Code-Here {_hmisc} (miscellaneous things) */
/* DO-NOT-DELETE splicer.end(_hmisc) */

#ifdef __cplusplus
}
#endif
#endif
