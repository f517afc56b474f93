/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          lab_Instrument_Impl.h
 * Symbol:        lab.Instrument-v2.1
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for lab.Instrument
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

#ifndef included_lab_Instrument_Impl_h
#define included_lab_Instrument_Impl_h

#ifndef included_sidl_header_h
#include "sidl_header.h"
#endif
#ifndef included_lab_Device_h
#include "lab_Device.h"
#endif
#ifndef included_lab_Instrument_h
#include "lab_Instrument.h"
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
/* DO-NOT-DELETE splicer.begin(lab.Instrument._hincludes) */
/* DO-NOT-DELETE splicer.end(lab.Instrument._hincludes) */

/*
 * Private data for class lab.Instrument
 */

struct lab_Instrument__data {
  /* DO-NOT-DELETE splicer.begin(lab.Instrument._data) */
  int32_t d_reads;
  char *d_vendor;
  /* DO-NOT-DELETE splicer.end(lab.Instrument._data) */
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Access functions for class private data and built-in methods
 */

extern struct lab_Instrument__data*
lab_Instrument__get_data(
  lab_Instrument);

extern void
lab_Instrument__set_data(
  lab_Instrument,
  struct lab_Instrument__data*);

extern
void
impl_lab_Instrument__load(
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Instrument__ctor(
  /* in */ lab_Instrument self,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Instrument__ctor2(
  /* in */ lab_Instrument self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Instrument__dtor(
  /* in */ lab_Instrument self,
  /* out */ sidl_BaseInterface *_ex);

/*
 * User-defined object methods
 */

#ifdef WITH_RMI
extern struct sidl_BaseInterface__object* 
  impl_lab_Instrument_fconnect_sidl_BaseInterface(const char* url, sidl_bool ar, 
  sidl_BaseInterface *_ex);
#endif /*WITH_RMI*/
extern
int32_t
impl_lab_Instrument_getCreated(
  /* out */ sidl_BaseInterface *_ex);

extern
int32_t
impl_lab_Instrument_getAlive(
  /* out */ sidl_BaseInterface *_ex);

extern
char*
impl_lab_Instrument_describe(
  /* in */ lab_Instrument self,
  /* out */ sidl_BaseInterface *_ex);

extern
int32_t
impl_lab_Instrument_getReads(
  /* in */ lab_Instrument self,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Instrument_noteRead(
  /* in */ lab_Instrument self,
  /* out */ sidl_BaseInterface *_ex);

extern
char*
impl_lab_Instrument_getVendor(
  /* in */ lab_Instrument self,
  /* out */ sidl_BaseInterface *_ex);

/* DO-NOT-DELETE splicer.begin(_hmisc) */
/* Insert-Code-Here {_hmisc} (miscellaneous things) */
/* DO-NOT-DELETE splicer.end(_hmisc) */

#ifdef __cplusplus
}
#endif
#endif
