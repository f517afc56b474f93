/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates as tables of functions, in components that hand them out. */
#include "table.h"

#include "driver.h"
#include "law.h"

const char *const harm_type = "harm.Table";
const int harm_is_foreign = 1;

double harm_forward(void *port, int n, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return ((const struct harm_table *)port)->work(n);
}

#define CANDIDATE(NAME)                                                                            \
    static double NAME##_work(int n)                                                               \
    {                                                                                              \
        return harm_call(HARM_##NAME, n);                                                          \
    }                                                                                              \
    struct harm_table NAME##_table = {NAME##_work};                                                \
    static void NAME##_start(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)       \
    {                                                                                              \
        gov_cca_Port port = portolan_foreign_create(&NAME##_table, harm_type, _ex);                \
                                                                                                   \
        (void)self;                                                                                \
        SIDL_CHECK(*_ex);                                                                          \
        harm_pass(HARM_##NAME, "start");                                                           \
        gov_cca_Services_addProvidesPort(services, port, "part", harm_type, NULL, _ex);            \
    EXIT:                                                                                          \
        sidl_reference_delete(port, NULL);                                                         \
    }                                                                                              \
    static const struct gov_cca_Component__epv NAME##_epv = {.f_setServices = NAME##_start};       \
    static const struct sidl_implements NAME##_implements[] = {                                    \
        {&gov_cca_Component__type, &NAME##_epv}};                                                  \
    static const struct sidl_class NAME##_class = {.name = "harm." #NAME,                          \
                                                   .version = "1.0",                               \
                                                   .size = sizeof(struct sidl_object),             \
                                                   .implements = NAME##_implements,                \
                                                   .n_implements = 1};                             \
    static gov_cca_Component NAME##_create(sidl_BaseInterface *_ex)                                \
    {                                                                                              \
        return sidl_object_facet(sidl_object_create(&NAME##_class, _ex), "gov.cca.Component");     \
    }                                                                                              \
    PORTOLAN_COMPONENT(harm_##NAME, "harm." #NAME, NAME##_create)

CANDIDATE(A);
CANDIDATE(B);
CANDIDATE(C);
