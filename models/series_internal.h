/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PORTOLAN_SERIES_INTERNAL_H
#define PORTOLAN_SERIES_INTERNAL_H

#include <portolan/series.h>

/* dip.c: of N > 0 values in ascending order */
enum portolan_status series_dip(size_t n, const double *sorted, double *dip);
double series_dip_probability(size_t n, double dip);

#endif
