/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File:          lab_Instrument_Impl.c
 * Symbol:        lab.Instrument-v2.1
 * Symbol Type:   class
 * Babel Version: 2.0.0
 * Description:   Server-side implementation for lab.Instrument
 * 
 * WARNING: Automatically generated; only changes within splicers preserved
 * 
 */

/*
 * DEVELOPERS ARE EXPECTED TO PROVIDE IMPLEMENTATIONS
 * FOR THE FOLLOWING METHODS BETWEEN SPLICER PAIRS.
 */

/*
 * Symbol "lab.Instrument" (version 2.1)
 */

#include "lab_Instrument_Impl.h"
#include "sidl_NotImplementedException.h"
#include "sidl_Exception.h"
#ifndef included_sidl_MemAllocException_h
#include "sidl_MemAllocException.h"
#endif

/* DO-NOT-DELETE splicer.begin(lab.Instrument._includes) */
#include <stdlib.h>
#include <string.h>
#include "sidl_String.h"

static int32_t s_created = -1;
static int32_t s_alive = 0;
/* DO-NOT-DELETE splicer.end(lab.Instrument._includes) */

#define SIDL_IOR_MAJOR_VERSION 2
#define SIDL_IOR_MINOR_VERSION 0
/*
 * Static class initializer called exactly once before any user-defined method is dispatched
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Instrument__load"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Instrument__load(
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Instrument._load) */
    s_created = 0;
    /* DO-NOT-DELETE splicer.end(lab.Instrument._load) */
  }
}
/*
 * Class constructor called when the class is created.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Instrument__ctor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Instrument__ctor(
  /* in */ lab_Instrument self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Instrument._ctor) */
    struct lab_Instrument__data *data =
      (struct lab_Instrument__data *) malloc(sizeof(struct lab_Instrument__data));
    memset(data, 0, sizeof(struct lab_Instrument__data));
    data->d_vendor = sidl_String_strdup("Fahrenheit & Sons");
    lab_Instrument__set_data(self, data);
    ++s_created;
    ++s_alive;
    /* DO-NOT-DELETE splicer.end(lab.Instrument._ctor) */
  }
}

/*
 * Special Class constructor called when the user wants to wrap his own private data.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Instrument__ctor2"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Instrument__ctor2(
  /* in */ lab_Instrument self,
  /* in */ void* private_data,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Instrument._ctor2) */
    /* DO-NOT-DELETE splicer.end(lab.Instrument._ctor2) */
  }
}
/*
 * Class destructor called when the class is deleted.
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Instrument__dtor"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Instrument__dtor(
  /* in */ lab_Instrument self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Instrument._dtor) */
    struct lab_Instrument__data *data = lab_Instrument__get_data(self);
    if (data) {
      sidl_String_free(data->d_vendor);
      --s_alive;
      free(data);
      lab_Instrument__set_data(self, NULL);
    }
    /* DO-NOT-DELETE splicer.end(lab.Instrument._dtor) */
  }
}

/*
 * Method:  getCreated[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Instrument_getCreated"

#ifdef __cplusplus
extern "C"
#endif
int32_t
impl_lab_Instrument_getCreated(
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Instrument.getCreated) */
    return s_created;
    /* DO-NOT-DELETE splicer.end(lab.Instrument.getCreated) */
  }
}

/*
 * Method:  getAlive[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Instrument_getAlive"

#ifdef __cplusplus
extern "C"
#endif
int32_t
impl_lab_Instrument_getAlive(
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Instrument.getAlive) */
    return s_alive;
    /* DO-NOT-DELETE splicer.end(lab.Instrument.getAlive) */
  }
}

/*
 * Method:  describe[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Instrument_describe"

#ifdef __cplusplus
extern "C"
#endif
char*
impl_lab_Instrument_describe(
  /* in */ lab_Instrument self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Instrument.describe) */
    return sidl_String_strdup("an instrument");
    /* DO-NOT-DELETE splicer.end(lab.Instrument.describe) */
  }
}

/*
 * Method:  getReads[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Instrument_getReads"

#ifdef __cplusplus
extern "C"
#endif
int32_t
impl_lab_Instrument_getReads(
  /* in */ lab_Instrument self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Instrument.getReads) */
    return lab_Instrument__get_data(self)->d_reads;
    /* DO-NOT-DELETE splicer.end(lab.Instrument.getReads) */
  }
}

/*
 * Method:  noteRead[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Instrument_noteRead"

#ifdef __cplusplus
extern "C"
#endif
void
impl_lab_Instrument_noteRead(
  /* in */ lab_Instrument self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Instrument.noteRead) */
    ++(lab_Instrument__get_data(self)->d_reads);
    /* DO-NOT-DELETE splicer.end(lab.Instrument.noteRead) */
  }
}

/*
 * Method:  getVendor[]
 */

#undef __FUNC__
#define __FUNC__ "impl_lab_Instrument_getVendor"

#ifdef __cplusplus
extern "C"
#endif
char*
impl_lab_Instrument_getVendor(
  /* in */ lab_Instrument self,
  /* out */ sidl_BaseInterface *_ex)
{
  *_ex = 0;
  {
    /* DO-NOT-DELETE splicer.begin(lab.Instrument.getVendor) */
    return sidl_String_strdup(lab_Instrument__get_data(self)->d_vendor);
    /* DO-NOT-DELETE splicer.end(lab.Instrument.getVendor) */
  }
}
/* Babel internal methods, Users should not edit below this line. */

/* DO-NOT-DELETE splicer.begin(_misc) */
/* Insert-Code-Here {_misc} (miscellaneous code) */
/* DO-NOT-DELETE splicer.end(_misc) */

