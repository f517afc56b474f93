/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan.ForeignPort: a C pointer with its type's name, as a port. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct foreign {
    struct sidl_object object;
    void *pointer;
    char *type;
};

static void *foreign_get_pointer(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return ((struct foreign *)self)->pointer;
}

static char *foreign_get_type(void *self, sidl_BaseInterface *_ex)
{
    return exception_or_text(((struct foreign *)self)->type, _ex);
}

static void foreign_destroy(void *self)
{
    free(((struct foreign *)self)->type);
}

static const struct portolan_ForeignPort__epv foreign_epv = {
    .f_getPointer = foreign_get_pointer,
    .f_getTypeName = foreign_get_type,
};

static const struct sidl_class foreign_class = SIDL_CLASS(
    "portolan.ForeignPortImpl", "0.1", foreign, portolan_ForeignPort, foreign_epv, foreign_destroy);

gov_cca_Port portolan_foreign_create(void *pointer, const char *type, sidl_BaseInterface *_ex)
{
    struct foreign *f = exception_or_object(&foreign_class, _ex);

    if (!f)
        return NULL;
    f->pointer = pointer;
    if (!(f->type = portolan_strdup(type))) {
        sidl_object_release(f);
        exception_no_memory(_ex);
        return NULL;
    }
    return sidl_object_facet(f, "gov.cca.Port");
}

void *portolan_foreign_get(gov_cca_Services services, const char *uses_port, const char *type,
                           sidl_BaseInterface *_ex)
{
    gov_cca_Port port = gov_cca_Services_getPort(services, uses_port, _ex);
    portolan_ForeignPort foreign = NULL;
    sidl_BaseInterface later = NULL;
    void *pointer = NULL;
    char *name = NULL;

    if (*_ex)
        return NULL;
    foreign = portolan_ForeignPort__cast(port, _ex);
    if (foreign)
        name = portolan_ForeignPort_getTypeName(foreign, _ex);
    if (name && !strcmp(name, type))
        pointer = portolan_ForeignPort_getPointer(foreign, _ex);
    else if (!*_ex)
        portolan_throw(_ex, PORTOLAN_EBADPORTTYPE,
                       "uses port '%s' is connected to a port of type %s, not %s", uses_port,
                       name ? name : "other than portolan.ForeignPort", type);
    sidl_String_free(name);
    portolan_ForeignPort_deleteRef(foreign, NULL);
    gov_cca_Port_deleteRef(port, NULL);
    if (*_ex) {
        gov_cca_Services_releasePort(services, uses_port, &later);
        SIDL_CLEAR(later);
        return NULL;
    }
    return pointer;
}
