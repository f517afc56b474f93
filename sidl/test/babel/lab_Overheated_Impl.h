/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          lab_Overheated_Impl.h
 * Symbol:        lab.Overheated-v2.1
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for lab.Overheated
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

#ifndef included_lab_Overheated_Impl_h
#define included_lab_Overheated_Impl_h

#ifndef included_sidl_header_h
#include "sidl_header.h"
#endif
#ifndef included_lab_Overheated_h
#include "lab_Overheated.h"
#endif
#ifndef included_lab_Trouble_h
#include "lab_Trouble.h"
#endif
#ifndef included_sidl_BaseClass_h
#include "sidl_BaseClass.h"
#endif
#ifndef included_sidl_BaseException_h
#include "sidl_BaseException.h"
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
#ifndef included_sidl_SIDLException_h
#include "sidl_SIDLException.h"
#endif
/* DO-NOT-DELETE splicer.begin(lab.Overheated._hincludes) */
/* DO-NOT-DELETE splicer.end(lab.Overheated._hincludes) */

/*
 * Private data for class lab.Overheated
 */

struct lab_Overheated__data {
  /* DO-NOT-DELETE splicer.begin(lab.Overheated._data) */
  int ignore; /* dummy to force non-empty struct; remove if you add data */
  /* DO-NOT-DELETE splicer.end(lab.Overheated._data) */
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Access functions for class private data and built-in methods
 */

extern struct lab_Overheated__data*
lab_Overheated__get_data(
  lab_Overheated);

extern void
lab_Overheated__set_data(
  lab_Overheated,
  struct lab_Overheated__data*);

extern
void
impl_lab_Overheated__load(
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Overheated__ctor(
  /* in */ lab_Overheated self,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Overheated__ctor2(
  /* in */ lab_Overheated self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Overheated__dtor(
  /* in */ lab_Overheated self,
  /* out */ sidl_BaseInterface *_ex);

/*
 * User-defined object methods
 */

#ifdef WITH_RMI
extern struct sidl_BaseInterface__object* 
  impl_lab_Overheated_fconnect_sidl_BaseInterface(const char* url, sidl_bool ar, 
  sidl_BaseInterface *_ex);
#endif /*WITH_RMI*/
/* DO-NOT-DELETE splicer.begin(_hmisc) */
/* Insert-Code-Here {_hmisc} (miscellaneous things) */
/* DO-NOT-DELETE splicer.end(_hmisc) */

#ifdef __cplusplus
}
#endif
#endif
