/* SPDX-License-Identifier: BSD-3-Clause */
/* A framework with the test components, and what they and the log said. */
#ifndef PORTOLAN_TEST_FIXTURE_H
#define PORTOLAN_TEST_FIXTURE_H

#include <portolan/framework.h>
#include <unit_test.h>

#include "components/test_log.h"

struct fixture {
    struct portolan_palette *palette;
    struct portolan_framework *fw;
    struct portolan_assembly *assembly;
    struct test_log log;
    struct heard warnings;
    struct portolan_error err;
};

/* The palette of the test components; BUILTIN: those linked into the test program. */
struct portolan_palette *fixture_palette(bool builtin);
struct portolan_assembly *fixture_read(const char *xml);
/* A framework without an assembly, the log offered; warnings are kept in F. */
void fixture_open(struct fixture *f);
enum portolan_status fixture_build(struct fixture *f, const char *xml);
/* The same; fails the test when it doesn't work. */
void fixture_run(struct fixture *f, const char *xml);
void fixture_close(struct fixture *f);
/* One go; its result must be 0. */
void fixture_go(struct fixture *f);
/* The log so far must be EXPECTED; it is emptied. */
void fixture_expect_log(struct fixture *f, const char *expected);
/* portolan.ports.Builder.replace, with its error in F. */
enum portolan_status fixture_replace(struct fixture *f, const char *instance, const char *class);
/* The class of an instance, valid until the next call. */
char *fixture_class_of(struct fixture *f, const char *instance);
void fixture_expect_error(struct fixture *f, enum portolan_status status,
                          enum portolan_status expected, const char *text);

#define ASSEMBLY(...) "<assembly name='test'>\n" __VA_ARGS__ "\n</assembly>\n"
#define DRIVER        "<instance name='driver' class='test.Driver'/>\n"
#define WORKER        "<instance name='worker' class='test.Worker'/>\n"
#define WIRE          "<connect user='driver' uses='work' provider='worker' provides='work'/>\n"
#define AIDE          "<instance name='aide' class='test.Worker'/>\n"
#define HELPER        "<connect user='worker' uses='helper' provider='aide' provides='work'/>\n"
#define GO            "<go instance='driver' port='go'/>\n"

#endif
