/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          lab_Calculator_Impl.h
 * Symbol:        lab.Calculator-v2.1
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for lab.Calculator
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

#ifndef included_lab_Calculator_Impl_h
#define included_lab_Calculator_Impl_h

#ifndef included_sidl_header_h
#include "sidl_header.h"
#endif
#ifndef included_lab_Calculator_h
#include "lab_Calculator.h"
#endif
#ifndef included_lab_Device_h
#include "lab_Device.h"
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
/* DO-NOT-DELETE splicer.begin(lab.Calculator._hincludes) */
/* DO-NOT-DELETE splicer.end(lab.Calculator._hincludes) */

/*
 * Private data for class lab.Calculator
 */

struct lab_Calculator__data {
  /* DO-NOT-DELETE splicer.begin(lab.Calculator._data) */
  int ignore; /* dummy to force non-empty struct; remove if you add data */
  /* DO-NOT-DELETE splicer.end(lab.Calculator._data) */
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Access functions for class private data and built-in methods
 */

extern struct lab_Calculator__data*
lab_Calculator__get_data(
  lab_Calculator);

extern void
lab_Calculator__set_data(
  lab_Calculator,
  struct lab_Calculator__data*);

extern
void
impl_lab_Calculator__load(
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Calculator__ctor(
  /* in */ lab_Calculator self,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Calculator__ctor2(
  /* in */ lab_Calculator self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Calculator__dtor(
  /* in */ lab_Calculator self,
  /* out */ sidl_BaseInterface *_ex);

/*
 * User-defined object methods
 */

#ifdef WITH_RMI
extern struct sidl_BaseInterface__object* 
  impl_lab_Calculator_fconnect_sidl_BaseInterface(const char* url, sidl_bool ar, 
  sidl_BaseInterface *_ex);
#endif /*WITH_RMI*/
extern
double
impl_lab_Calculator_dot(
  /* in rarray[n] */ double* x,
  /* in rarray[n] */ double* y,
  /* in */ int32_t n,
  /* out */ sidl_BaseInterface *_ex);

extern
int64_t
impl_lab_Calculator_worst(
  /* in */ enum lab_Grade__enum a,
  /* in */ enum lab_Grade__enum b,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Calculator_scale(
  /* in */ lab_Calculator self,
  /* inout rarray[m,n] */ double* a,
  /* in */ int32_t m,
  /* in */ int32_t n,
  /* in */ double factor,
  /* out */ sidl_BaseInterface *_ex);

extern
int32_t
impl_lab_Calculator_area(
  /* in */ lab_Calculator self,
  /* in rarray[2*k,k+1] */ int32_t* a,
  /* in */ int32_t k,
  /* out */ sidl_BaseInterface *_ex);

extern
struct sidl_int__array*
impl_lab_Calculator_range(
  /* in */ lab_Calculator self,
  /* in */ int32_t n,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Calculator_table(
  /* in */ lab_Calculator self,
  /* in */ int32_t m,
  /* in */ int32_t n,
  /* out array<double,2,column-major> */ struct sidl_double__array** a,
  /* out */ sidl_BaseInterface *_ex);

extern
double
impl_lab_Calculator_corner(
  /* in */ lab_Calculator self,
  /* in array<double,2,row-major> */ struct sidl_double__array* a,
  /* out */ sidl_bool* wasRow,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Calculator_flip(
  /* in */ lab_Calculator self,
  /* inout array<string> */ struct sidl_string__array** names,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Calculator_turn(
  /* in */ lab_Calculator self,
  /* inout array<int,2,column-major> */ struct sidl_int__array** a,
  /* out */ sidl_BaseInterface *_ex);

extern
struct sidl__array*
impl_lab_Calculator_any(
  /* in */ lab_Calculator self,
  /* in array<> */ struct sidl__array* a,
  /* out */ int32_t* type,
  /* out */ int32_t* dimension,
  /* out */ sidl_BaseInterface *_ex);

extern
struct lab_Grade__array*
impl_lab_Calculator_better(
  /* in */ lab_Calculator self,
  /* in array<lab.Grade> */ struct lab_Grade__array* grades,
  /* out */ sidl_BaseInterface *_ex);

extern
struct lab_Device__array*
impl_lab_Calculator_pick(
  /* in */ lab_Calculator self,
  /* in array<lab.Device> */ struct lab_Device__array* all,
  /* in */ int32_t every,
  /* out */ sidl_BaseInterface *_ex);

extern
int64_t
impl_lab_Calculator_next(
  /* in */ lab_Calculator self,
  /* in */ enum lab_Grade__enum grade,
  /* out */ enum lab_Grade__enum* before,
  /* inout */ enum lab_Grade__enum* twice,
  /* out */ sidl_BaseInterface *_ex);

extern
struct sidl_fcomplex
impl_lab_Calculator_mix(
  /* in */ lab_Calculator self,
  /* in */ struct sidl_dcomplex a,
  /* inout */ struct sidl_fcomplex* b,
  /* out */ int64_t* l,
  /* in */ float f,
  /* in */ char c,
  /* in */ void* p,
  /* out */ sidl_BaseInterface *_ex);

extern
struct lab_Sample__data
impl_lab_Calculator_exchange(
  /* in */ lab_Calculator self,
  /* in */ const struct lab_Sample__data* a,
  /* out */ struct lab_Sample__data* b,
  /* inout */ struct lab_Sample__data* c,
  /* out */ sidl_BaseInterface *_ex);

extern
struct lab_Batch__data
impl_lab_Calculator_collect(
  /* in */ lab_Calculator self,
  /* in */ lab_Device source,
  /* in array<double> */ struct sidl_double__array* values,
  /* out */ sidl_BaseInterface *_ex);

extern
int32_t
impl_lab_Calculator_check(
  /* in */ lab_Calculator self,
  /* in */ const struct lab_Batch__data* batch,
  /* out */ sidl_BaseInterface *_ex);

extern
void
impl_lab_Calculator_slide(
  /* in */ lab_Calculator self,
  /* inout */ struct lab_Window__data* w,
  /* out */ sidl_BaseInterface *_ex);

extern
double
impl_lab_Calculator_dig(
  /* in */ lab_Calculator self,
  /* in */ lab_Device d,
  /* in */ int32_t depth,
  /* out */ sidl_BaseInterface *_ex);

extern
char*
impl_lab_Calculator_attempt(
  /* in */ lab_Calculator self,
  /* in */ lab_Device d,
  /* out */ sidl_BaseInterface *_ex);

/* DO-NOT-DELETE splicer.begin(_hmisc) */
/* Insert-Code-Here {_hmisc} (miscellaneous things) */
/* DO-NOT-DELETE splicer.end(_hmisc) */

#ifdef __cplusplus
}
#endif
#endif
