/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          lab_Trouble_Impl.h
 * Symbol:        lab.Trouble-v2.1
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for lab.Trouble
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

#ifndef included_lab_Trouble_Impl_h
#define included_lab_Trouble_Impl_h

#ifndef included_sidl_header_h
#include "sidl_header.h"
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
#ifndef included_sidl_io_Deserializer_h
#include "sidl_io_Deserializer.h"
#endif
#ifndef included_sidl_io_Serializable_h
#include "sidl_io_Serializable.h"
#endif
#ifndef included_sidl_io_Serializer_h
#include "sidl_io_Serializer.h"
#endif
/* DO-NOT-DELETE splicer.begin(lab.Trouble._hincludes) */
/* DO-NOT-DELETE splicer.end(lab.Trouble._hincludes) */

/*
 * Private data for class lab.Trouble
 */

struct lab_Trouble__data {
  /* DO-NOT-DELETE splicer.begin(lab.Trouble._data) */
  int32_t d_code;
  /* DO-NOT-DELETE splicer.end(lab.Trouble._data) */
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Access functions for class private data and built-in methods
 */

extern struct lab_Trouble__data*
lab_Trouble__get_data(
  lab_Trouble);

extern void
lab_Trouble__set_data(
  lab_Trouble,
  struct lab_Trouble__data*);

extern
void
impl_lab_Trouble__load(
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Trouble__ctor(
  /* in */ lab_Trouble self,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Trouble__ctor2(
  /* in */ lab_Trouble self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Trouble__dtor(
  /* in */ lab_Trouble self,
  /* out */ sidl_BaseInterface *_ex);

/*
 * User-defined object methods
 */

#ifdef WITH_RMI
extern struct sidl_BaseInterface__object* 
  impl_lab_Trouble_fconnect_sidl_BaseInterface(const char* url, sidl_bool ar, 
  sidl_BaseInterface *_ex);
#endif /*WITH_RMI*/
extern
int32_t
impl_lab_Trouble_getCode(
  /* in */ lab_Trouble self,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Trouble_setCode(
  /* in */ lab_Trouble self,
  /* in */ int32_t code,
  /* out */ sidl_BaseInterface *_ex);

/* DO-NOT-DELETE splicer.begin(_hmisc) */
/* Insert-Code-Here {_hmisc} (miscellaneous things) */
/* DO-NOT-DELETE splicer.end(_hmisc) */

#ifdef __cplusplus
}
#endif
#endif
