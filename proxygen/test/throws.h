/* SPDX-License-Identifier: BSD-3-Clause */
/* Implementations that leave their calls by a C++ exception, and callers that catch it. */
#ifndef THROWS_H
#define THROWS_H

#include "headers/bmi.h"
#include "test_Plain_proxy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Throws in every call, 4 ns after its beginning. */
int throws_update(Bmi *model);
int throws_add(struct plain *object, int a, int b);

/* What the exception said that the call threw; 0: it threw nothing. */
int catches_update(Bmi *model);
int catches_add(struct plain *object, int a, int b);

#ifdef __cplusplus
}
#endif
#endif
