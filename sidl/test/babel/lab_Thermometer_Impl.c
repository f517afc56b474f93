/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          lab_Thermometer_Impl.c
 * Symbol:        lab.Thermometer-v2.1
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for lab.Thermometer
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

/*
 * DEVELOPERS ARE EXPECTED TO PROVIDE IMPLEMENTATIONS
 * FOR THE FOLLOWING METHODS BETWEEN SPLICER PAIRS.
 */

/*
 * Symbol "lab.Thermometer" (version 2.1)
 */

#include "lab_Thermometer_Impl.h"
#include "sidl_NotImplementedException.h"
#include "sidl_Exception.h"
#ifndef included_sidl_MemAllocException_h
#include "sidl_MemAllocException.h"
#endif

/* DO-NOT-DELETE splicer.begin(lab.Thermometer._includes) */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "lab_Overheated.h"
#include "sidl_String.h"

static const double s_limit = 100.0;
/* DO-NOT-DELETE splicer.end(lab.Thermometer._includes) */

#define SIDL_IOR_MAJOR_VERSION 2
#define SIDL_IOR_MINOR_VERSION 0
static const struct lab_Instrument__epv* superEPV = NULL;

void lab_Thermometer__superEPV(
struct lab_Instrument__epv* parentEPV){
  superEPV = parentEPV;
}
/*
 * Method:  describe[]
 */

static char*
super_describe(
  /* in */ lab_Thermometer self,
  /* out */ sidl_BaseInterface *_ex)
{
  return (*superEPV->f_describe)((struct lab_Instrument__object*)
    self,
    _ex);
}

/*
 * Static class initializer called exactly once before any user-defined method is dispatched
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Thermometer__load"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Thermometer__load(
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Thermometer._load) */
    /* DO-NOT-DELETE splicer.end(lab.Thermometer._load) */
  }
}
/*
 * Class constructor called when the class is created.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Thermometer__ctor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Thermometer__ctor(
  /* in */ lab_Thermometer self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Thermometer._ctor) */
    struct lab_Thermometer__data *data =
      (struct lab_Thermometer__data *) malloc(sizeof(struct lab_Thermometer__data));
    if (data) {
      data->d_temperature = 20.0;
      lab_Thermometer__set_data(self, data);
    }
    else {
      SIDL_THROW(*_ex, sidl_MemAllocException, "no memory for the data of a Thermometer");
    }
    EXIT:;
    /* DO-NOT-DELETE splicer.end(lab.Thermometer._ctor) */
  }
}

/*
 * Special Class constructor called when the user wants to wrap his own private data.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Thermometer__ctor2"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Thermometer__ctor2(
  /* in */ lab_Thermometer self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Thermometer._ctor2) */
    /* DO-NOT-DELETE splicer.end(lab.Thermometer._ctor2) */
  }
}
/*
 * Class destructor called when the class is deleted.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Thermometer__dtor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Thermometer__dtor(
  /* in */ lab_Thermometer self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Thermometer._dtor) */
    struct lab_Thermometer__data *data = lab_Thermometer__get_data(self);
    if (data) {
      free(data);
      lab_Thermometer__set_data(self, NULL);
    }
    /* DO-NOT-DELETE splicer.end(lab.Thermometer._dtor) */
  }
}

/*
 * Method:  describe[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Thermometer_describe"

#ifdef __cplusplus
extern "C"
#endif
char*
impl_lab_Thermometer_describe(
  /* in */ lab_Thermometer self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Thermometer.describe) */
    char *parent = super_describe(self, _ex); SIDL_CHECK(*_ex);
    {
      char *result = sidl_String_concat2("a thermometer, ", parent);
      sidl_String_free(parent);
      return result;
    }
    EXIT:
    return NULL;
    /* DO-NOT-DELETE splicer.end(lab.Thermometer.describe) */
  }
}

/*
 * Method:  read[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Thermometer_read"

#ifdef __cplusplus
extern "C"
#endif
double
impl_lab_Thermometer_read(
  /* in */ lab_Thermometer self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Thermometer.read) */
    struct lab_Thermometer__data *data = lab_Thermometer__get_data(self);
    if (data->d_temperature > s_limit) {
      sidl_BaseInterface throwaway;
      char note[80];
      lab_Overheated ex = lab_Overheated__create(_ex); SIDL_CHECK(*_ex);
      sprintf(note, "%g degrees are too many", data->d_temperature);
      lab_Overheated_setNote(ex, note, &throwaway);
      lab_Overheated_setCode(ex, 451, &throwaway);
      lab_Overheated_add(ex, __FILE__, __LINE__, "lab.Thermometer.read", &throwaway);
      *_ex = sidl_BaseInterface__cast(ex, &throwaway);
      lab_Overheated_deleteRef(ex, &throwaway);
      return 0.0;
    }
    lab_Thermometer_noteRead(self, _ex); SIDL_CHECK(*_ex);
    return data->d_temperature;
    EXIT:
    return 0.0;
    /* DO-NOT-DELETE splicer.end(lab.Thermometer.read) */
  }
}

/*
 * Method:  heatBy[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Thermometer_heatBy"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Thermometer_heatBy(
  /* in */ lab_Thermometer self,
  /* in */ int32_t degrees,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Thermometer.heatBy) */
    lab_Thermometer__get_data(self)->d_temperature += degrees;
    /* DO-NOT-DELETE splicer.end(lab.Thermometer.heatBy) */
  }
}

/*
 * Method:  heatTo[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Thermometer_heatTo"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Thermometer_heatTo(
  /* in */ lab_Thermometer self,
  /* in */ double temperature,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Thermometer.heatTo) */
    lab_Thermometer__get_data(self)->d_temperature = temperature;
    /* DO-NOT-DELETE splicer.end(lab.Thermometer.heatTo) */
  }
}
/* Babel internal methods, Users should not edit below this line. */

/* DO-NOT-DELETE splicer.begin(_misc) */
/* Insert-Code-Here {_misc} (miscellaneous code) */
/* DO-NOT-DELETE splicer.end(_misc) */

