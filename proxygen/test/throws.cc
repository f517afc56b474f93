/* SPDX-License-Identifier: BSD-3-Clause */
#include "throws.h"

#include <portolan/probe.h>

int throws_update(Bmi *)
{
    portolan_probe_clock_advance(4);
    throw 17;
}

int throws_add(struct plain *, int a, int b)
{
    portolan_probe_clock_advance(4);
    throw a + b;
}

int catches_update(Bmi *model)
{
    try {
        model->update(model);
    } catch (int what) {
        return what;
    }
    return 0;
}

int catches_add(struct plain *object, int a, int b)
{
    try {
        object->methods->add(object, a, b);
    } catch (int what) {
        return what;
    }
    return 0;
}
