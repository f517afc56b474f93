/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          lab_Calculator_Impl.c
 * Symbol:        lab.Calculator-v2.1
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for lab.Calculator
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

/*
 * DEVELOPERS ARE EXPECTED TO PROVIDE IMPLEMENTATIONS
 * FOR THE FOLLOWING METHODS BETWEEN SPLICER PAIRS.
 */

/*
 * Symbol "lab.Calculator" (version 2.1)
 */

#include "lab_Calculator_Impl.h"
#include "sidl_NotImplementedException.h"
#include "sidl_Exception.h"
#ifndef included_sidl_MemAllocException_h
#include "sidl_MemAllocException.h"
#endif
#ifndef included_lab_Sample_h
#include "lab_Sample.h"
#endif
#ifndef included_lab_Batch_h
#include "lab_Batch.h"
#endif
#ifndef included_lab_Window_h
#include "lab_Window.h"
#endif

/* DO-NOT-DELETE splicer.begin(lab.Calculator._includes) */
#include <stdlib.h>
#include <string.h>
#include "lab_Calculator_IOR.h"
#include "lab_Grade.h"
#include "lab_Overheated.h"
#include "sidl_BaseException.h"
#include "sidl_String.h"
/* DO-NOT-DELETE splicer.end(lab.Calculator._includes) */

#define SIDL_IOR_MAJOR_VERSION 2
#define SIDL_IOR_MINOR_VERSION 0
/*
 * Static class initializer called exactly once before any user-defined method is dispatched
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator__load"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Calculator__load(
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator._load) */
    /* DO-NOT-DELETE splicer.end(lab.Calculator._load) */
  }
}
/*
 * Class constructor called when the class is created.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator__ctor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Calculator__ctor(
  /* in */ lab_Calculator self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator._ctor) */
    /* DO-NOT-DELETE splicer.end(lab.Calculator._ctor) */
  }
}

/*
 * Special Class constructor called when the user wants to wrap his own private data.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator__ctor2"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Calculator__ctor2(
  /* in */ lab_Calculator self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator._ctor2) */
    /* DO-NOT-DELETE splicer.end(lab.Calculator._ctor2) */
  }
}
/*
 * Class destructor called when the class is deleted.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator__dtor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Calculator__dtor(
  /* in */ lab_Calculator self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator._dtor) */
    /* DO-NOT-DELETE splicer.end(lab.Calculator._dtor) */
  }
}

/*
 * Method:  dot[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_dot"

#ifdef __cplusplus
extern "C"
#endif
double
impl_lab_Calculator_dot(
  /* in rarray[n] */ double* x,
  /* in rarray[n] */ double* y,
  /* in */ int32_t n,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.dot) */
    double sum = 0.0;
    int32_t i;
    for (i = 0; i < n; ++i) {
      sum += x[i] * y[i];
    }
    return sum;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.dot) */
  }
}

/*
 * Method:  worst[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_worst"

#ifdef __cplusplus
extern "C"
#endif
int64_t
impl_lab_Calculator_worst(
  /* in */ enum lab_Grade__enum a,
  /* in */ enum lab_Grade__enum b,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.worst) */
    return a < b ? a : b;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.worst) */
  }
}

/*
 * Method:  scale[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_scale"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Calculator_scale(
  /* in */ lab_Calculator self,
  /* inout rarray[m,n] */ double* a,
  /* in */ int32_t m,
  /* in */ int32_t n,
  /* in */ double factor,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.scale) */
    int32_t i, j;
    for (j = 0; j < n; ++j) {
      for (i = 0; i < m; ++i) {
        RarrayElem2(a, i, j, m) *= factor;
      }
    }
    /* DO-NOT-DELETE splicer.end(lab.Calculator.scale) */
  }
}

/*
 * Method:  area[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_area"

#ifdef __cplusplus
extern "C"
#endif
int32_t
impl_lab_Calculator_area(
  /* in */ lab_Calculator self,
  /* in rarray[2*k,k+1] */ int32_t* a,
  /* in */ int32_t k,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.area) */
    int32_t i, sum = 0;
    for (i = 0; i < 2 * k * (k + 1); ++i) {
      sum += a[i];
    }
    return sum;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.area) */
  }
}

/*
 * Method:  range[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_range"

#ifdef __cplusplus
extern "C"
#endif
struct sidl_int__array*
impl_lab_Calculator_range(
  /* in */ lab_Calculator self,
  /* in */ int32_t n,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.range) */
    struct sidl_int__array *result = sidl_int__array_create1d(n);
    int32_t i;
    for (i = 0; i < n; ++i) {
      sidl_int__array_set1(result, i, i);
    }
    return result;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.range) */
  }
}

/*
 * Method:  table[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_table"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Calculator_table(
  /* in */ lab_Calculator self,
  /* in */ int32_t m,
  /* in */ int32_t n,
  /* out array<double,2,column-major> */ struct sidl_double__array** a,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.table) */
    /* in the other order than the caller is promised */
    int32_t i, j;
    *a = sidl_double__array_create2dRow(m, n);
    for (i = 0; i < m; ++i) {
      for (j = 0; j < n; ++j) {
        sidlArrayElem2(*a, i, j) = 10.0 * i + j;
      }
    }
    /* DO-NOT-DELETE splicer.end(lab.Calculator.table) */
  }
}

/*
 * Method:  corner[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_corner"

#ifdef __cplusplus
extern "C"
#endif
double
impl_lab_Calculator_corner(
  /* in */ lab_Calculator self,
  /* in array<double,2,row-major> */ struct sidl_double__array* a,
  /* out */ sidl_bool* wasRow,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.corner) */
    int32_t lower[2];
    *wasRow = sidl_double__array_isRowOrder(a);
    lower[0] = sidl_double__array_lower(a, 0);
    lower[1] = sidl_double__array_upper(a, 1);
    return sidl_double__array_get(a, lower);
    /* DO-NOT-DELETE splicer.end(lab.Calculator.corner) */
  }
}

/*
 * Method:  flip[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_flip"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Calculator_flip(
  /* in */ lab_Calculator self,
  /* inout array<string> */ struct sidl_string__array** names,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.flip) */
    const int32_t n = sidl_string__array_length(*names, 0);
    struct sidl_string__array *flipped = sidl_string__array_create1d(n);
    int32_t i;
    for (i = 0; i < n; ++i) {
      char *name = sidl_string__array_get1(*names, i);
      sidl_string__array_set1(flipped, n - 1 - i, name);
      sidl_String_free(name);
    }
    sidl_string__array_deleteRef(*names);
    *names = flipped;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.flip) */
  }
}

/*
 * Method:  turn[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_turn"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Calculator_turn(
  /* in */ lab_Calculator self,
  /* inout array<int,2,column-major> */ struct sidl_int__array** a,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.turn) */
    const int32_t m = sidl_int__array_length(*a, 0), n = sidl_int__array_length(*a, 1);
    struct sidl_int__array *turned = sidl_int__array_create2dRow(n, m);
    int32_t i, j;
    if (!sidl_int__array_isColumnOrder(*a)) {
      SIDL_THROW(*_ex, sidl_SIDLException, "the array is not in order");
    }
    for (i = 0; i < m; ++i) {
      for (j = 0; j < n; ++j) {
        sidl_int__array_set2(turned, j, i, sidl_int__array_get2(*a, i, j));
      }
    }
    sidl_int__array_deleteRef(*a);
    *a = turned;
    EXIT:;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.turn) */
  }
}

/*
 * Method:  any[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_any"

#ifdef __cplusplus
extern "C"
#endif
struct sidl__array*
impl_lab_Calculator_any(
  /* in */ lab_Calculator self,
  /* in array<> */ struct sidl__array* a,
  /* out */ int32_t* type,
  /* out */ int32_t* dimension,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.any) */
    *type = sidl__array_type(a);
    *dimension = sidl__array_dimen(a);
    if (sidl__array_type(a) == sidl_double_array) {
      struct sidl_double__array *d = (struct sidl_double__array *) a;
      return (struct sidl__array *) sidl_double__array_smartCopy(d);
    }
    return NULL;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.any) */
  }
}

/*
 * Method:  better[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_better"

#ifdef __cplusplus
extern "C"
#endif
struct lab_Grade__array*
impl_lab_Calculator_better(
  /* in */ lab_Calculator self,
  /* in array<lab.Grade> */ struct lab_Grade__array* grades,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.better) */
    const int32_t n = lab_Grade__array_length(grades, 0);
    struct lab_Grade__array *result = lab_Grade__array_create1d(n);
    int32_t i;
    for (i = 0; i < n; ++i) {
      lab_Grade__array_set1(result, i,
                            lab_Grade__array_get1(grades, i) == lab_Grade_poor
                            ? lab_Grade_fair : lab_Grade_good);
    }
    return result;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.better) */
  }
}

/*
 * Method:  pick[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_pick"

#ifdef __cplusplus
extern "C"
#endif
struct lab_Device__array*
impl_lab_Calculator_pick(
  /* in */ lab_Calculator self,
  /* in array<lab.Device> */ struct lab_Device__array* all,
  /* in */ int32_t every,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.pick) */
    int32_t numElem[1], start[1], stride[1];
    struct lab_Device__array *slice = NULL, *result;
    numElem[0] = (lab_Device__array_length(all, 0) + every - 1) / every;
    start[0] = lab_Device__array_lower(all, 0);
    stride[0] = every;
    slice = lab_Device__array_slice(all, 1, numElem, start, stride, NULL);
    result = lab_Device__array_create1d(numElem[0]);
    lab_Device__array_copy(slice, result);
    lab_Device__array_deleteRef(slice);
    return result;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.pick) */
  }
}

/*
 * Method:  next[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_next"

#ifdef __cplusplus
extern "C"
#endif
int64_t
impl_lab_Calculator_next(
  /* in */ lab_Calculator self,
  /* in */ enum lab_Grade__enum grade,
  /* out */ enum lab_Grade__enum* before,
  /* inout */ enum lab_Grade__enum* twice,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.next) */
    *before = (grade == lab_Grade_good) ? lab_Grade_fair : lab_Grade_poor;
    *twice = (*twice == lab_Grade_poor) ? lab_Grade_good : lab_Grade_poor;
    return (grade == lab_Grade_poor) ? lab_Grade_fair : lab_Grade_good;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.next) */
  }
}

/*
 * Method:  mix[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_mix"

#ifdef __cplusplus
extern "C"
#endif
struct sidl_fcomplex
impl_lab_Calculator_mix(
  /* in */ lab_Calculator self,
  /* in */ struct sidl_dcomplex a,
  /* inout */ struct sidl_fcomplex* b,
  /* out */ int64_t* l,
  /* in */ float f,
  /* in */ char c,
  /* in */ void* p,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.mix) */
    struct sidl_fcomplex result = *b;
    b->real = (float) a.real;
    b->imaginary = f;
    *l = p ? ((int64_t) c) << 32 : 0;
    return result;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.mix) */
  }
}

/*
 * Method:  exchange[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_exchange"

#ifdef __cplusplus
extern "C"
#endif
struct lab_Sample__data
impl_lab_Calculator_exchange(
  /* in */ lab_Calculator self,
  /* in */ const struct lab_Sample__data* a,
  /* out */ struct lab_Sample__data* b,
  /* inout */ struct lab_Sample__data* c,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.exchange) */
    struct lab_Sample__data result;
    lab_Sample__init(&result);
    lab_Sample__copy(a, b, _ex); SIDL_CHECK(*_ex);
    result = *c;
    lab_Sample__copy(a, c, _ex); SIDL_CHECK(*_ex);
    c->value = -c->value;
    EXIT:
    return result;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.exchange) */
  }
}

/*
 * Method:  collect[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_collect"

#ifdef __cplusplus
extern "C"
#endif
struct lab_Batch__data
impl_lab_Calculator_collect(
  /* in */ lab_Calculator self,
  /* in */ lab_Device source,
  /* in array<double> */ struct sidl_double__array* values,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.collect) */
    struct lab_Batch__data batch;
    lab_Batch__init(&batch);
    batch.first.label = sidl_String_strdup("first");
    batch.first.grade = lab_Grade_fair;
    batch.first.value = sidl_double__array_get1(values, sidlLower(values, 0));
    batch.owner = sidl_BaseClass__cast(self, _ex); SIDL_CHECK(*_ex);
    lab_Device_addRef(source, _ex); SIDL_CHECK(*_ex);
    batch.source = source;
    batch.values = sidl_double__array_smartCopy(values);
    batch.names = sidl_string__array_create1d(2);
    sidl_string__array_set1(batch.names, 0, "one");
    sidl_string__array_set1(batch.names, 1, "two");
    EXIT:
    return batch;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.collect) */
  }
}

/*
 * Method:  check[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_check"

#ifdef __cplusplus
extern "C"
#endif
int32_t
impl_lab_Calculator_check(
  /* in */ lab_Calculator self,
  /* in */ const struct lab_Batch__data* batch,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.check) */
    int32_t good = 0;
    char *name = sidl_string__array_get1(batch->names, 1);
    good += strcmp(name, "two") == 0;
    sidl_String_free(name);
    good += strcmp(batch->first.label, "first") == 0;
    good += lab_Calculator_isSame(self, (sidl_BaseInterface) batch->owner, _ex); SIDL_CHECK(*_ex);
    good += lab_Device_isType(batch->source, "lab.Probe", _ex); SIDL_CHECK(*_ex);
    good += sidlArrayElem1(batch->values, sidlLower(batch->values, 0)) == batch->first.value;
    EXIT:
    return good;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.check) */
  }
}

/*
 * Method:  slide[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_slide"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Calculator_slide(
  /* in */ lab_Calculator self,
  /* inout */ struct lab_Window__data* w,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.slide) */
    int32_t i;
    const double first = w->raw[0];
    for (i = 1; i < w->n; ++i) {
      w->raw[i - 1] = w->raw[i];
    }
    w->raw[w->n - 1] = first;
    for (i = 0; i < 3; ++i) {
      w->fixed[i] += 1.0;
    }
    /* DO-NOT-DELETE splicer.end(lab.Calculator.slide) */
  }
}

/*
 * Method:  dig[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_dig"

#ifdef __cplusplus
extern "C"
#endif
double
impl_lab_Calculator_dig(
  /* in */ lab_Calculator self,
  /* in */ lab_Device d,
  /* in */ int32_t depth,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.dig) */
    double result = 0.0;
    if (depth == 0) {
      result = lab_Device_read(d, _ex); SIDL_CHECK(*_ex);
    }
    else {
      result = lab_Calculator_dig(self, d, depth - 1, _ex); SIDL_CHECK(*_ex);
    }
    return result;
    EXIT:
    return -1.0;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.dig) */
  }
}

/*
 * Method:  attempt[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Calculator_attempt"

#ifdef __cplusplus
extern "C"
#endif
char*
impl_lab_Calculator_attempt(
  /* in */ lab_Calculator self,
  /* in */ lab_Device d,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Calculator.attempt) */
    char *note = NULL;
    sidl_BaseInterface ex = NULL, throwaway = NULL;
    lab_Device_read(d, &ex);
    if (SIDL_CATCH(ex, "lab.Overheated")) {
      sidl_BaseException be = sidl_BaseException__cast(ex, &throwaway);
      note = sidl_BaseException_getNote(be, &throwaway);
      sidl_BaseException_deleteRef(be, &throwaway);
      SIDL_CLEAR(ex);
    }
    SIDL_CHECK(ex);
    return note;
    EXIT:
    *_ex = ex;
    return NULL;
    /* DO-NOT-DELETE splicer.end(lab.Calculator.attempt) */
  }
}
/* Babel internal methods, Users should not edit below this line. */

/* DO-NOT-DELETE splicer.begin(_misc) */
/* Insert-Code-Here {_misc} (miscellaneous code) */
/* DO-NOT-DELETE splicer.end(_misc) */

