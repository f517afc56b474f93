/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking at what the probe recorded, for the tests of proxies at work. */
#ifndef TEST_RECORDS_H
#define TEST_RECORDS_H

#include <portolan/framework.h>
#include <portolan/probe.h>
#include <unit_test.h>

/* A monitor that only remembers who is attached to it. */
struct test_monitor {
    struct sidl_object object;
    struct portolan_probe_port *attached;
    int attaches, detaches;
    bool refuses;
};
struct test_monitor *test_monitor_create(void);
gov_cca_Port test_monitor_port(struct test_monitor *monitor);

/* The manual clock, empty records. */
void records_begin(void);
/* The sum over all nodes of METHOD whose connection has this class (NULL: any) behind it. */
struct portolan_probe_record records_of(const char *method, const char *provider_class);
/* The records of METHOD, one by one: node number INDEX; calls = 0 when there is none. */
struct portolan_probe_record records_node(const char *method, size_t index);

/* portolan.Rebindable of a component: binds "use" to PORT as INSTANCE of CLASS; throws like it. */
void bind_use(gov_cca_Component proxy, void *port, const char *instance, const char *class_name,
              sidl_BaseInterface *_ex);
void bind_monitor(gov_cca_Component proxy, struct test_monitor *monitor, sidl_BaseInterface *_ex);

/* Asserts that there is no exception, or that there is one with these words, and clears it. */
void assert_no_exception(sidl_BaseInterface *_ex);
void assert_exception(sidl_BaseInterface *_ex, enum portolan_status status, const char *words);

#endif
