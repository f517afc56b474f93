/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates as components of SIDL, whose state can go over. */
#include "driver.h"
#include "harm.h"
#include "law.h"

const char *const harm_type = "harm.Part";
const int harm_is_foreign = 0;

double harm_forward(void *port, int n, sidl_BaseInterface *_ex)
{
    return harm_Part_work(port, n, _ex);
}

static int32_t get_version(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    *_ex = NULL;
    return 1;
}

static void provide(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "harm.Part"), "part",
                                     "harm.Part", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "harm.State"), "state",
                                     "harm.State", NULL, _ex);
EXIT:;
}

#define CANDIDATE(NAME)                                                                            \
    static double NAME##_work(void *self, int32_t n, sidl_BaseInterface *_ex)                      \
    {                                                                                              \
        (void)self;                                                                                \
        *_ex = NULL;                                                                               \
        return harm_call(HARM_##NAME, n);                                                          \
    }                                                                                              \
    static void NAME##_start(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)       \
    {                                                                                              \
        harm_pass(HARM_##NAME, "start");                                                           \
        provide(self, services, _ex);                                                              \
    }                                                                                              \
    static void NAME##_export(void *self, int32_t version, gov_cca_TypeMap state,                  \
                              sidl_BaseInterface *_ex)                                             \
    {                                                                                              \
        (void)self, (void)version;                                                                 \
        harm_pass(HARM_##NAME, "export");                                                          \
        gov_cca_TypeMap_putInt(state, "nothing", 0, _ex);                                          \
    }                                                                                              \
    static void NAME##_import(void *self, int32_t version, gov_cca_TypeMap state,                  \
                              sidl_BaseInterface *_ex)                                             \
    {                                                                                              \
        (void)self, (void)version, (void)state;                                                    \
        *_ex = NULL;                                                                               \
        harm_pass(HARM_##NAME, "import");                                                          \
    }                                                                                              \
    static const struct harm_Part__epv NAME##_part = {.f_work = NAME##_work};                      \
    static const struct harm_State__epv NAME##_state = {.f_getVersion = get_version,               \
                                                        .f_exportState = NAME##_export,            \
                                                        .f_importState = NAME##_import};           \
    PORTOLAN_COMPONENT_CLASS(harm_##NAME, "harm." #NAME, struct sidl_object, NAME##_start, NULL,   \
                             {&harm_Part__type, &NAME##_part}, {&harm_State__type, &NAME##_state})

CANDIDATE(A);
CANDIDATE(B);
CANDIDATE(C);
