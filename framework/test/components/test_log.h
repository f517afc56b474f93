/* SPDX-License-Identifier: BSD-3-Clause */
/* What the test components write into: a foreign framework service "portolan.TestLog". */
#ifndef PORTOLAN_TEST_LOG_H
#define PORTOLAN_TEST_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct test_log {
    char text[4000]; /* one word per event, a blank behind each */
    double consumed;
    const char *fault; /* what is to fail next, once; NULL: nothing */
    int inside;        /* so often it seems that a call is still inside a provider */
    void *services;    /* gov.cca.Services of a counter, when "keep services" was wanted */
};

static inline bool test_log_fails(struct test_log *log, const char *what)
{
    if (!log || !log->fault || strcmp(log->fault, what) != 0)
        return false;
    log->fault = NULL;
    return true;
}

static inline void test_log_add(struct test_log *log, const char *who, const char *what)
{
    size_t used = log ? strlen(log->text) : 0;

    if (log)
        snprintf(log->text + used, sizeof log->text - used, "%s:%s ", who, what);
}

#endif
