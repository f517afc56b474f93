/* SPDX-License-Identifier: BSD-3-Clause */
/* Splicer blocks; portolan sidl writes the rest of the file. */
/* DO-NOT-DELETE splicer.begin(hello.Client._includes) */
#include <stdio.h>
#include "hello_Producer.h"
#include "sidl_String.h"
#include "sidl_Exception.h"
/* DO-NOT-DELETE splicer.end(hello.Client._includes) */
    /* DO-NOT-DELETE splicer.begin(hello.Client._load) */
    /* DO-NOT-DELETE splicer.end(hello.Client._load) */
    /* DO-NOT-DELETE splicer.begin(hello.Client._ctor) */
    struct hello_Client__data* data =
      (struct hello_Client__data*) malloc(sizeof(struct hello_Client__data));
    data->services = NULL;
    hello_Client__set_data(self, data);
    /* DO-NOT-DELETE splicer.end(hello.Client._ctor) */
    /* DO-NOT-DELETE splicer.begin(hello.Client._ctor2) */
    /* DO-NOT-DELETE splicer.end(hello.Client._ctor2) */
    /* DO-NOT-DELETE splicer.begin(hello.Client._dtor) */
    struct hello_Client__data* data = hello_Client__get_data(self);
    if (data->services != NULL) {
      gov_cca_Services_deleteRef(data->services, _ex);
    }
    free((void*) data);
    hello_Client__set_data(self, NULL);
    /* DO-NOT-DELETE splicer.end(hello.Client._dtor) */
    /* DO-NOT-DELETE splicer.begin(hello.Client.setServices) */
    struct hello_Client__data* data = hello_Client__get_data(self);
    gov_cca_Port gp = NULL;
    data->services = services;
    gov_cca_Services_addRef(services, _ex); SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "producer", "hello.Producer", NULL, _ex);
    SIDL_CHECK(*_ex);
    gp = gov_cca_Port__cast(self, _ex); SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, gp, "go", "gov.cca.ports.GoPort", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Port_deleteRef(gp, _ex); SIDL_CHECK(*_ex);
    EXIT:;
    /* DO-NOT-DELETE splicer.end(hello.Client.setServices) */
    /* DO-NOT-DELETE splicer.begin(hello.Client.go) */
    struct hello_Client__data* data = hello_Client__get_data(self);
    gov_cca_Port port = gov_cca_Services_getPort(data->services, "producer", _ex); SIDL_CHECK(*_ex);
    {
      hello_Producer hello = hello_Producer__cast(port, _ex); SIDL_CHECK(*_ex);
      {
        char* saying = hello_Producer_get(hello, _ex); SIDL_CHECK(*_ex);
        printf("%s\n", saying);
        sidl_String_free(saying);
        gov_cca_Services_releasePort(data->services, "producer", _ex); SIDL_CHECK(*_ex);
        hello_Producer_deleteRef(hello, _ex); SIDL_CHECK(*_ex);
        gov_cca_Port_deleteRef(port, _ex); SIDL_CHECK(*_ex);
      }
    }
    return 0;
    EXIT:
    return -1;
    /* DO-NOT-DELETE splicer.end(hello.Client.go) */
/* DO-NOT-DELETE splicer.begin(_misc) */
/* Insert-Code-Here {_misc} (miscellaneous code) */
/* DO-NOT-DELETE splicer.end(_misc) */
