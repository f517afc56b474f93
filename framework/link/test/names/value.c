/* SPDX-License-Identifier: BSD-3-Clause */
/* Implements vals.Value. */
#include "vals_Value_Impl.h"

void impl_vals_Value__load(sidl_BaseInterface *_ex)
{
    *_ex = NULL;
}

void impl_vals_Value__ctor(vals_Value self, sidl_BaseInterface *_ex)
{
    (void)self;
    *_ex = NULL;
}

void impl_vals_Value__ctor2(vals_Value self, void *private_data, sidl_BaseInterface *_ex)
{
    (void)self;
    (void)private_data;
    *_ex = NULL;
}

void impl_vals_Value__dtor(vals_Value self, sidl_BaseInterface *_ex)
{
    (void)self;
    *_ex = NULL;
}

int32_t impl_vals_Value_get(vals_Value self, sidl_BaseInterface *_ex)
{
    (void)self;
    *_ex = NULL;
    return WHICH;
}
