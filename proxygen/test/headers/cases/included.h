/* SPDX-License-Identifier: BSD-3-Clause */
/* A struct that another header declares, and a list of functions that others declare, too. */
#ifndef CASES_INCLUDED_H
#define CASES_INCLUDED_H
#include "parts/part.h"
#include <stdlib.h>
int included_own(int x);
#endif
