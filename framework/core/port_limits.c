/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MAX_CONNECTIONS, MIN_CONNECTIONS and ABLE_TO_PROXY. The specification writes their values as
 * strings; numbers and bools are understood as well.
 */
#include <limits.h>
#include <string.h>

#include "services.h"

static enum portolan_status bad_value(const struct port *p, const char *key, const char *wanted,
                                      struct portolan_error *err)
{
    char label[300];

    return portolan_error_set(err, PORTOLAN_EBADPROPERTIES, "%s: port '%s': %s must be %s",
                              services_label(p->services, label, sizeof label), p->name, key,
                              wanted);
}

/* The value under KEY as text, the caller's, whatever its type; NULL where there is none. */
static enum portolan_status read_text(gov_cca_TypeMap map, const char *key, char **text,
                                      struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;

    *text = NULL;
    switch (gov_cca_TypeMap_typeOf(map, key, &ex)) {
    case gov_cca_Type_NoType:
        return portolan_catch(&ex, err);
    case gov_cca_Type_String:
        *text = gov_cca_TypeMap_getString(map, key, NULL, &ex);
        break;
    case gov_cca_Type_Int:
        *text = portolan_asprintf("%d", gov_cca_TypeMap_getInt(map, key, 0, &ex));
        break;
    case gov_cca_Type_Long:
        *text = portolan_asprintf("%lld", (long long)gov_cca_TypeMap_getLong(map, key, 0, &ex));
        break;
    case gov_cca_Type_Bool:
        *text = portolan_strdup(gov_cca_TypeMap_getBool(map, key, 0, &ex) ? "true" : "false");
        break;
    default:
        *text = portolan_strdup("");
    }
    if (!ex && !*text)
        return portolan_no_memory(err);
    return portolan_catch(&ex, err);
}

static enum portolan_status read_count(const struct port *p, gov_cca_TypeMap map, const char *key,
                                       bool may_be_unlimited, int *count,
                                       struct portolan_error *err)
{
    enum portolan_status status;
    int64_t number;
    char *text;

    if ((status = read_text(map, key, &text, err)) != PORTOLAN_OK || !text)
        return status;
    if (may_be_unlimited && !strcmp(text, "unlimited"))
        *count = -1;
    else if (portolan_read_int64(text, &number) && number >= 0 && number <= INT_MAX)
        *count = (int)number;
    else
        status = bad_value(
            p, key, may_be_unlimited ? "a number from 0 or \"unlimited\"" : "a number from 0", err);
    sidl_String_free(text);
    return status;
}

static enum portolan_status read_able_to_proxy(const struct port *p, gov_cca_TypeMap map,
                                               bool *no_proxy, struct portolan_error *err)
{
    enum portolan_status status;
    char *text;

    *no_proxy = false;
    if ((status = read_text(map, "ABLE_TO_PROXY", &text, err)) != PORTOLAN_OK || !text)
        return status;
    *no_proxy = !strcmp(text, "false");
    if (!*no_proxy && strcmp(text, "true") != 0)
        status = bad_value(p, "ABLE_TO_PROXY", "\"true\" or \"false\"", err);
    sidl_String_free(text);
    return status;
}

enum portolan_status port_read_limits(struct port *p, gov_cca_TypeMap properties, bool provides,
                                      struct portolan_error *err)
{
    int max = provides ? -1 : 1, min = 0;
    bool no_proxy;
    enum portolan_status status = read_count(p, properties, "MAX_CONNECTIONS", true, &max, err);

    if (status == PORTOLAN_OK)
        status = read_count(p, properties, "MIN_CONNECTIONS", false, &min, err);
    if (status == PORTOLAN_OK && max >= 0 && min > max)
        status = bad_value(p, "MIN_CONNECTIONS", "at most MAX_CONNECTIONS", err);
    if (status == PORTOLAN_OK)
        status = read_able_to_proxy(p, properties, &no_proxy, err);
    if (status != PORTOLAN_OK)
        return status;
    p->max = max;
    p->min = min;
    p->no_proxy = no_proxy;
    return PORTOLAN_OK;
}
