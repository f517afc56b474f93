/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver (driver.c), which is the same for all kinds of candidates, and what a kind has for it.
 */
#ifndef HARM_DRIVER_H
#define HARM_DRIVER_H

#include <portolan/framework.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The type of the port, and one call of what is connected there. */
extern const char *const harm_type;
extern const int harm_is_foreign;
double harm_forward(void *port, int n, sidl_BaseInterface *_ex);

#ifdef __cplusplus
}
#endif

#endif
