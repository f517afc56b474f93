/* SPDX-License-Identifier: BSD-3-Clause */
/* What the test components write into: a foreign framework service "portolan.TestLog". */
#ifndef PORTOLAN_TEST_LOG_H
#define PORTOLAN_TEST_LOG_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct test_log {
    char text[4000]; /* one word per event, a blank behind each */
    double consumed;
};

static inline void test_log_add(struct test_log *log, const char *who, const char *what)
{
    size_t used = log ? strlen(log->text) : 0;

    if (log)
        snprintf(log->text + used, sizeof log->text - used, "%s:%s ", who, what);
}

#endif
