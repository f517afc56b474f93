/* SPDX-License-Identifier: BSD-3-Clause */
/* A port of two methods with a proxy written as proxygen writes them, and look-up of records. */
#ifndef PROBE_TEST_FIXTURE_H
#define PROBE_TEST_FIXTURE_H

#include <math.h>
#include <portolan/probe.h>
#include <unit_test.h>

struct worker {
    void (*work)(struct worker *self, int64_t n);
    void (*scale)(struct worker *self, double x, int64_t m);
    void *arg;
};

enum { METHOD_WORK, METHOD_SCALE, N_METHODS };

static const struct portolan_probe_method worker_methods[N_METHODS] = {
    {.name = "work", .n_context = 1, .context = {"n"}},
    {.name = "scale", .n_context = 2, .context = {"x", "m"}, .real_contexts = 1U}};

__attribute__((noinline, unused)) static void measure_work(struct portolan_probe_port *port,
                                                           int64_t n)
{
    PORTOLAN_PROBE_CALL(call);
    struct portolan_probe_context context[1] = {portolan_probe_context_int(n)};
    struct portolan_probe_binding *b = portolan_probe_enter(&call, port, METHOD_WORK, context, 1);
    struct worker *w = b->target;

    w->work(w, n);
    portolan_probe_leave(&call);
}

PORTOLAN_PROBE_FORWARDING __attribute__((unused)) static void
proxy_work(struct portolan_probe_port *port, int64_t n)
{
    struct worker *w;

    PORTOLAN_PROBE_PASS(call, port, {
        measure_work(port, n);
        return;
    });
    w = call.binding->target;
    w->work(w, n);
}

__attribute__((noinline, unused)) static void proxy_scale(struct portolan_probe_port *port,
                                                          double x, int64_t m, double accuracy)
{
    struct portolan_probe_context context[2] = {portolan_probe_context_real(x),
                                                portolan_probe_context_int(m)};
    PORTOLAN_PROBE_CALL(call);
    struct portolan_probe_binding *b = portolan_probe_enter(&call, port, METHOD_SCALE, context, 2);
    struct worker *w = b->target;

    w->scale(w, x, m);
    portolan_probe_note_accuracy(&call, accuracy);
    portolan_probe_leave(&call);
}

__attribute__((unused)) static void bind_worker(struct portolan_probe_binding *b,
                                                struct worker *worker, const char *user,
                                                const char *provider, const char *class_name)
{
    struct portolan_probe_connection connection = {.user = user,
                                                   .uses = "worker",
                                                   .provider = provider,
                                                   .provides = "work",
                                                   .provider_class = class_name,
                                                   .port_type = "test.Worker"};

    b->target = worker;
    b->extra = NULL;
    assert_int_equal(portolan_probe_methods_register(&connection, worker_methods, N_METHODS,
                                                     &b->first_method_handle, NULL),
                     PORTOLAN_OK);
}

__attribute__((unused)) static uint32_t register_timer(const char *name, const char *group,
                                                       enum portolan_probe_kind kind)
{
    struct portolan_probe_connection connection = {.port_type = group};
    struct portolan_probe_method method = {.name = name, .kind = kind};
    uint32_t handle;

    assert_int_equal(portolan_probe_methods_register(&connection, &method, 1, &handle, NULL),
                     PORTOLAN_OK);
    return handle;
}

__attribute__((unused)) static struct portolan_probe_snapshot snap;

__attribute__((unused)) static void take_snapshot(void)
{
    assert_int_equal(portolan_probe_snapshot_take(&snap, NULL), PORTOLAN_OK);
}

/* The record below PARENT (NULL: of this method anywhere) whose first context is VALUE. */
__attribute__((unused)) static const struct portolan_probe_record *
find_record(const struct portolan_probe_record *parent, uint32_t handle, int64_t value)
{
    for (size_t i = 0; i < snap.count; i++) {
        const struct portolan_probe_record *r = &snap.records[i];

        if (r->handle == handle && r->context[0].exact && r->context[0].value == value &&
            (!parent || r->parent == parent - snap.records))
            return r;
    }
    return NULL;
}

#endif
