/* SPDX-License-Identifier: BSD-3-Clause */
/** What the transforms of this example share: each plans a size and executes the plan. */
#ifndef FFTS_TRANSFORM_H
#define FFTS_TRANSFORM_H

#include <portolan/framework.h>

struct ffts_transform;

struct ffts_kind {
    struct sidl_class cls; /**< see FFTS_CLASS */
    /** Makes `plan` for N; VALUES, N pairs, may be overwritten. EINVAL: it cannot do that size. */
    enum portolan_status (*make)(struct ffts_transform *t, int n, double *values,
                                 struct portolan_error *err);
    void (*execute)(struct ffts_transform *t, double *values);
    void (*discard)(struct ffts_transform *t);
};

struct ffts_transform {
    struct sidl_object object;
    const struct ffts_kind *kind;
    int n; /**< for which `plan` is; 0: there is none */
    void *plan, *work;
};

extern const struct sidl_implements ffts_implements[2];
void ffts_destroy(void *self);
gov_cca_Component ffts_create(const struct ffts_kind *kind, sidl_BaseInterface *_ex);

/** The component ffts.NAME, of these functions. */
#define FFTS_COMPONENT(NAME, MAKE, EXECUTE, DISCARD)                                               \
    static gov_cca_Component create_##NAME(sidl_BaseInterface *_ex)                                \
    {                                                                                              \
        static const struct ffts_kind kind = {.cls = {.name = "ffts." #NAME,                       \
                                                      .version = "1.0",                            \
                                                      .size = sizeof(struct ffts_transform),       \
                                                      .implements = ffts_implements,               \
                                                      .n_implements = 2,                           \
                                                      .destroy = ffts_destroy},                    \
                                              .make = (MAKE),                                      \
                                              .execute = (EXECUTE),                                \
                                              .discard = (DISCARD)};                               \
                                                                                                   \
        return ffts_create(&kind, _ex);                                                            \
    }                                                                                              \
    PORTOLAN_COMPONENT(ffts_##NAME, "ffts." #NAME, create_##NAME)

#endif
