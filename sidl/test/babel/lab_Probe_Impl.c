/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          lab_Probe_Impl.c
 * Symbol:        lab.Probe-v2.1
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for lab.Probe
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

/*
 * DEVELOPERS ARE EXPECTED TO PROVIDE IMPLEMENTATIONS
 * FOR THE FOLLOWING METHODS BETWEEN SPLICER PAIRS.
 */

/*
 * Symbol "lab.Probe" (version 2.1)
 */

#include "lab_Probe_Impl.h"
#include "sidl_NotImplementedException.h"
#include "sidl_Exception.h"
#ifndef included_sidl_MemAllocException_h
#include "sidl_MemAllocException.h"
#endif

/* DO-NOT-DELETE splicer.begin(lab.Probe._includes) */
#include <stdlib.h>
#include "sidl_String.h"
/* DO-NOT-DELETE splicer.end(lab.Probe._includes) */

#define SIDL_IOR_MAJOR_VERSION 2
#define SIDL_IOR_MINOR_VERSION 0
static const struct lab_Thermometer__epv* superEPV = NULL;

void lab_Probe__superEPV(
struct lab_Thermometer__epv* parentEPV){
  superEPV = parentEPV;
}
/*
 * Method:  describe[]
 */

static char*
super_describe(
  /* in */ lab_Probe self,
  /* out */ sidl_BaseInterface *_ex)
{
  return (*superEPV->f_describe)((struct lab_Thermometer__object*)
    self,
    _ex);
}

/*
 * Static class initializer called exactly once before any user-defined method is dispatched
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Probe__load"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Probe__load(
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Probe._load) */
    /* DO-NOT-DELETE splicer.end(lab.Probe._load) */
  }
}
/*
 * Class constructor called when the class is created.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Probe__ctor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Probe__ctor(
  /* in */ lab_Probe self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Probe._ctor) */
    struct lab_Probe__data *data =
      (struct lab_Probe__data *) malloc(sizeof(struct lab_Probe__data));
    if (data) {
      data->d_label = NULL;
      lab_Probe__set_data(self, data);
    }
    else {
      SIDL_THROW(*_ex, sidl_MemAllocException, "no memory for the data of a Probe");
    }
    EXIT:;
    /* DO-NOT-DELETE splicer.end(lab.Probe._ctor) */
  }
}

/*
 * Special Class constructor called when the user wants to wrap his own private data.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Probe__ctor2"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Probe__ctor2(
  /* in */ lab_Probe self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Probe._ctor2) */
    /* DO-NOT-DELETE splicer.end(lab.Probe._ctor2) */
  }
}
/*
 * Class destructor called when the class is deleted.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Probe__dtor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Probe__dtor(
  /* in */ lab_Probe self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Probe._dtor) */
    struct lab_Probe__data *data = lab_Probe__get_data(self);
    if (data) {
      if (data->d_label) sidl_String_free(data->d_label);
      free(data);
      lab_Probe__set_data(self, NULL);
    }
    /* DO-NOT-DELETE splicer.end(lab.Probe._dtor) */
  }
}

/*
 * Method:  describe[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Probe_describe"

#ifdef __cplusplus
extern "C"
#endif
char*
impl_lab_Probe_describe(
  /* in */ lab_Probe self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Probe.describe) */
    char *parent = super_describe(self, _ex); SIDL_REPORT(*_ex);
    {
      char *result = sidl_String_concat3("a probe (", parent, ")");
      sidl_String_free(parent);
      return result;
    }
    EXIT:
    return NULL;
    /* DO-NOT-DELETE splicer.end(lab.Probe.describe) */
  }
}

/*
 * Method:  getLabel[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Probe_getLabel"

#ifdef __cplusplus
extern "C"
#endif
char*
impl_lab_Probe_getLabel(
  /* in */ lab_Probe self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Probe.getLabel) */
    return sidl_String_strdup(lab_Probe__get_data(self)->d_label);
    /* DO-NOT-DELETE splicer.end(lab.Probe.getLabel) */
  }
}

/*
 * Method:  setLabel[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Probe_setLabel"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Probe_setLabel(
  /* in */ lab_Probe self,
  /* in */ const char* label,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Probe.setLabel) */
    struct lab_Probe__data *data = lab_Probe__get_data(self);
    if (data->d_label) sidl_String_free(data->d_label);
    data->d_label = sidl_String_strdup(label);
    /* DO-NOT-DELETE splicer.end(lab.Probe.setLabel) */
  }
}
/* Babel internal methods, Users should not edit below this line. */

/* DO-NOT-DELETE splicer.begin(_misc) */
/* Insert-Code-Here {_misc} (miscellaneous code) */
/* DO-NOT-DELETE splicer.end(_misc) */

