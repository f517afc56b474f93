/* SPDX-License-Identifier: BSD-3-Clause */
/* Splicer blocks; portolan sidl writes the rest of the file. */
/* DO-NOT-DELETE splicer.begin(lab.Instrument._includes) */
#include <stdlib.h>
#include <string.h>
#include "sidl_String.h"

static int32_t s_created = -1;
static int32_t s_alive = 0;
/* DO-NOT-DELETE splicer.end(lab.Instrument._includes) */
    /* DO-NOT-DELETE splicer.begin(lab.Instrument._load) */
    s_created = 0;
    /* DO-NOT-DELETE splicer.end(lab.Instrument._load) */
    /* DO-NOT-DELETE splicer.begin(lab.Instrument._ctor) */
    struct lab_Instrument__data *data =
      (struct lab_Instrument__data *) malloc(sizeof(struct lab_Instrument__data));
    memset(data, 0, sizeof(struct lab_Instrument__data));
    data->d_vendor = sidl_String_strdup("Fahrenheit & Sons");
    lab_Instrument__set_data(self, data);
    ++s_created;
    ++s_alive;
    /* DO-NOT-DELETE splicer.end(lab.Instrument._ctor) */
    /* DO-NOT-DELETE splicer.begin(lab.Instrument._ctor2) */
    /* DO-NOT-DELETE splicer.end(lab.Instrument._ctor2) */
    /* DO-NOT-DELETE splicer.begin(lab.Instrument._dtor) */
    struct lab_Instrument__data *data = lab_Instrument__get_data(self);
    if (data) {
      sidl_String_free(data->d_vendor);
      --s_alive;
      free(data);
      lab_Instrument__set_data(self, NULL);
    }
    /* DO-NOT-DELETE splicer.end(lab.Instrument._dtor) */
    /* DO-NOT-DELETE splicer.begin(lab.Instrument.getCreated) */
    return s_created;
    /* DO-NOT-DELETE splicer.end(lab.Instrument.getCreated) */
    /* DO-NOT-DELETE splicer.begin(lab.Instrument.getAlive) */
    return s_alive;
    /* DO-NOT-DELETE splicer.end(lab.Instrument.getAlive) */
    /* DO-NOT-DELETE splicer.begin(lab.Instrument.describe) */
    return sidl_String_strdup("an instrument");
    /* DO-NOT-DELETE splicer.end(lab.Instrument.describe) */
    /* DO-NOT-DELETE splicer.begin(lab.Instrument.getReads) */
    return lab_Instrument__get_data(self)->d_reads;
    /* DO-NOT-DELETE splicer.end(lab.Instrument.getReads) */
    /* DO-NOT-DELETE splicer.begin(lab.Instrument.noteRead) */
    ++(lab_Instrument__get_data(self)->d_reads);
    /* DO-NOT-DELETE splicer.end(lab.Instrument.noteRead) */
    /* DO-NOT-DELETE splicer.begin(lab.Instrument.getVendor) */
    return sidl_String_strdup(lab_Instrument__get_data(self)->d_vendor);
    /* DO-NOT-DELETE splicer.end(lab.Instrument.getVendor) */
/* DO-NOT-DELETE splicer.begin(_misc) */
/* Insert-Code-Here {_misc} (miscellaneous code) */
/* DO-NOT-DELETE splicer.end(_misc) */
