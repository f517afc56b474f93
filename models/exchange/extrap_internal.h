/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the readers of Extra-P's forms. */
#ifndef PORTOLAN_EXTRAP_INTERNAL_H
#define PORTOLAN_EXTRAP_INTERNAL_H

#include "formula_internal.h"

#include <portolan/extrap.h>

enum { EXTRAP_PARAMS = PORTOLAN_MEASUREMENTS_MAX_PARAMS };

/* Measurements while they are being read. */
struct collector {
    struct portolan_measurements *m;
    struct portolan_arena arena; /* of the reader; calls collector_no_memory() when it fails */
    struct formula_place place;
    enum portolan_status status;
};

void collector_no_memory(void *collector);
/* Reports a problem at LINE and COLUMN, both from 1; returns false. The first one ends reading. */
bool collector_complain(struct collector *c, size_t line, size_t column, const char *format, ...)
    PORTOLAN_PRINTF(4, 5);
/* Adds a parameter and returns NULL; or returns what is wrong with its name. */
const char *collector_add_param(struct collector *c, const char *name, size_t length);
/* The index of that item, which is added if it is missing; m->n after a failure. */
size_t collector_find(struct collector *c, const char *callpath, const char *metric);
bool collector_add_row(struct collector *c, size_t item, const double *x, double y);
bool text_is_utf8(const char *text, size_t length);

bool extrap_read_json(struct collector *c, const char *text, size_t size);

#endif
