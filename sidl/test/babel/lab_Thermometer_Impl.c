/* SPDX-License-Identifier: BSD-3-Clause */
/* Splicer blocks; portolan sidl writes the rest of the file. */
/* DO-NOT-DELETE splicer.begin(lab.Thermometer._includes) */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "lab_Overheated.h"
#include "sidl_String.h"

static const double s_limit = 100.0;
/* DO-NOT-DELETE splicer.end(lab.Thermometer._includes) */
    /* DO-NOT-DELETE splicer.begin(lab.Thermometer._load) */
    /* DO-NOT-DELETE splicer.end(lab.Thermometer._load) */
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
    /* DO-NOT-DELETE splicer.begin(lab.Thermometer._ctor2) */
    /* DO-NOT-DELETE splicer.end(lab.Thermometer._ctor2) */
    /* DO-NOT-DELETE splicer.begin(lab.Thermometer._dtor) */
    struct lab_Thermometer__data *data = lab_Thermometer__get_data(self);
    if (data) {
      free(data);
      lab_Thermometer__set_data(self, NULL);
    }
    /* DO-NOT-DELETE splicer.end(lab.Thermometer._dtor) */
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
    /* DO-NOT-DELETE splicer.begin(lab.Thermometer.heatBy) */
    lab_Thermometer__get_data(self)->d_temperature += degrees;
    /* DO-NOT-DELETE splicer.end(lab.Thermometer.heatBy) */
    /* DO-NOT-DELETE splicer.begin(lab.Thermometer.heatTo) */
    lab_Thermometer__get_data(self)->d_temperature = temperature;
    /* DO-NOT-DELETE splicer.end(lab.Thermometer.heatTo) */
/* DO-NOT-DELETE splicer.begin(_misc) */
/* Insert-Code-Here {_misc} (miscellaneous code) */
/* DO-NOT-DELETE splicer.end(_misc) */
