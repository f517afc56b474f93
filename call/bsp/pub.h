/* SPDX-License-Identifier: BSD-3-Clause */
/* The name under which programs written for PUB include it. */
#ifndef PUB_H
#define PUB_H
#include <portolan/pub.h>
#endif
