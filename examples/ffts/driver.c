/* SPDX-License-Identifier: BSD-3-Clause */
/* ffts.Driver: transforms n complex numbers `repeat` times in each step. */
#include "ffts.h"
#include "steps.h"

#include <stdlib.h>

struct driver {
    struct steps steps;
    int n, factor, repeat;
    bool tell; /* the factor */
    double *values;
};

static int largest_factor(int n)
{
    int largest = 1;

    for (int p = 2; n > 1; p = p * p > n ? n : p + 1)
        while (n % p == 0) {
            largest = p;
            n /= p;
        }
    return largest;
}

static enum portolan_status prepare(struct steps *s, gov_cca_TypeMap properties,
                                    struct portolan_error *err)
{
    struct driver *d = (struct driver *)s;
    sidl_BaseInterface ex = NULL;

    d->n = gov_cca_TypeMap_getInt(properties, "n", 0, &ex);
    SIDL_CHECK(ex);
    d->repeat = gov_cca_TypeMap_getInt(properties, "repeat", 1, &ex);
    SIDL_CHECK(ex);
    d->tell = gov_cca_TypeMap_getBool(properties, "factor", false, &ex);
    SIDL_CHECK(ex);
    if (d->n < 1 || d->n > 10000000)
        return portolan_error_set(err, PORTOLAN_EBADPROPERTIES,
                                  "parameter 'n': %d is not between 1 and 10000000", d->n);
    d->values = portolan_calloc(2 * (size_t)d->n, sizeof *d->values);
    if (!d->values)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for %d numbers", d->n);
    d->factor = largest_factor(d->n);
    s->contexts[0].name = "n";
    s->contexts[0].value = d->n;
    s->contexts[1].name = d->tell ? "factor" : NULL;
    s->contexts[1].value = d->factor;
EXIT:
    return portolan_catch(&ex, err);
}

static double step(struct steps *s, void *port, sidl_BaseInterface *_ex)
{
    struct driver *d = (struct driver *)s;

    for (int k = 0; k < d->repeat; k++) {
        for (int i = 0; i < 2 * d->n; i++)
            d->values[i] = i % 7 - 3; /* anew: without a factor they grow */
        if (d->tell)
            ffts_Transform_executeFactored(port, d->values, 2 * d->n, d->n, d->factor, _ex);
        else
            ffts_Transform_execute(port, d->values, 2 * d->n, d->n, _ex);
        SIDL_CHECK(*_ex);
    }
EXIT:
    return 0;
}

static void finish(struct steps *s)
{
    struct driver *d = (struct driver *)s;

    free(d->values);
    d->values = NULL;
}

static const struct steps_kind kind = {.cls = STEPS_CLASS("ffts.Driver", struct driver),
                                       .port = "transform",
                                       .type = "ffts.Transform",
                                       .prepare = prepare,
                                       .step = step,
                                       .finish = finish};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return steps_create(&kind, _ex);
}

PORTOLAN_COMPONENT(ffts_Driver, "ffts.Driver", create);
