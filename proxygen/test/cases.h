/* SPDX-License-Identifier: BSD-3-Clause */
/* Proxies for the headers in headers/cases, each for one object, with a monitor. */
#ifndef TEST_CASES_H
#define TEST_CASES_H

#include "records.h"

/* Begins the records anew; what a test makes is gone after it. */
int cases_begin(void **state);
int cases_end(void **state);

/* What a user of OBJECT, a port of TYPE, holds when COMPONENT is between them. */
void *cases_face(const struct portolan_component *component, const char *type, void *object);

/* The parent of METHOD's only record, as a method's name; "" where it has none. */
const char *cases_parent(const char *method);

#define CASE(name) cmocka_unit_test_setup_teardown(name, cases_begin, cases_end)

#endif
