/* SPDX-License-Identifier: BSD-3-Clause */
/* Setting a field of a parameter port from text, as assemblies and scripts do. */
#include <portolan/framework.h>

#include <stdlib.h>

/* ENOTFOUND with the nearest field. */
static enum portolan_status unknown_field(gov_cca_ports_BasicParameterPort port, const char *field,
                                          struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    struct sidl_string__array *keys =
        gov_cca_ports_BasicParameterPort_readConfigurationKeys(port, &ex);
    int32_t n = !ex && keys ? sidl_string__array_length(keys, 0) : 0;
    const char **names = portolan_calloc((size_t)n + 1, sizeof *names), *near;

    SIDL_CLEAR(ex);
    for (int32_t i = 0; names && i < n; i++) /* get1 copies; the array keeps the original */
        names[i] = sidlArrayElem1(keys, sidl_string__array_lower(keys, 0) + i);
    near = names ? portolan_nearest_word(field, names, (size_t)n) : NULL;
    portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no field '%s'%s", field,
                       portolan_did_you_mean(near).text);
    free(names);
    if (keys)
        sidl_string__array_deleteRef(keys);
    return PORTOLAN_ENOTFOUND;
}

static enum portolan_status write_field(gov_cca_ports_BasicParameterPort port, const char *field,
                                        const char *text, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap map = gov_cca_ports_BasicParameterPort_readConfigurationMap(port, &ex);
    enum gov_cca_Type__enum type = gov_cca_Type_NoType;
    enum portolan_status status;

    if (!ex && map)
        type = gov_cca_TypeMap_typeOf(map, field, &ex);
    status = portolan_catch(&ex, err);
    if (status == PORTOLAN_OK && type == gov_cca_Type_NoType)
        status = unknown_field(port, field, err);
    else if (status == PORTOLAN_OK) {
        status = portolan_typemap_put_text(map, field, type, text, err);
        if (status != PORTOLAN_OK)
            portolan_error_prefix(err, "field '%s'", field);
    }
    if (status == PORTOLAN_OK) {
        gov_cca_ports_BasicParameterPort_writeConfigurationMap(port, map, &ex);
        status = portolan_catch(&ex, err);
    }
    gov_cca_TypeMap_deleteRef(map, NULL);
    return status;
}

enum portolan_status portolan_parameters_write(gov_cca_Port port, const char *field,
                                               const char *text, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ports_BasicParameterPort parameters = gov_cca_ports_BasicParameterPort__cast(port, &ex);
    enum portolan_status status = portolan_catch(&ex, err);

    if (status != PORTOLAN_OK)
        return status;
    if (!parameters)
        return portolan_error_set(err, PORTOLAN_EBADPORTTYPE,
                                  "this is no parameter port (gov.cca.ports.BasicParameterPort)");
    status = write_field(parameters, field, text, err);
    gov_cca_ports_BasicParameterPort_deleteRef(parameters, NULL);
    return status;
}
