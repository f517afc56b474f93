/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls.h"

#include <portolan/probe.h>

static struct portolan_probe_port go_port, solve_port;
static struct portolan_probe_binding go_binding, solve_binding;

void calls_connect(void)
{
    static const struct portolan_probe_connection go = {.provider = "driver",
                                                        .provides = "go",
                                                        .provider_class = "test.Driver",
                                                        .port_type = "gov.cca.ports.GoPort"};
    static const struct portolan_probe_connection solve = {.user = "driver",
                                                           .uses = "solver",
                                                           .provider = "solver",
                                                           .provides = "solve",
                                                           .provider_class = "test.Solver",
                                                           .port_type = "test.Solve"};
    static const struct portolan_probe_method go_method = {.name = "go"};
    static const struct portolan_probe_method solve_method = {
        .name = "solve", .n_context = 1, .context = {"n"}};

    portolan_probe_methods_register(&go, &go_method, 1, &go_binding.first_method_handle, NULL);
    portolan_probe_methods_register(&solve, &solve_method, 1, &solve_binding.first_method_handle,
                                    NULL);
    portolan_probe_port_init(&go_port, &go_binding, PORTOLAN_PROBE_MONITORED);
    portolan_probe_port_init(&solve_port, &solve_binding, PORTOLAN_PROBE_MONITORED);
}

void calls_count(bool on)
{
    portolan_probe_port_set_flags(&solve_port,
                                  PORTOLAN_PROBE_MONITORED | (on ? PORTOLAN_PROBE_COUNTERS : 0));
}

void calls_note_rows(bool on)
{
    portolan_probe_port_set_flags(&solve_port,
                                  PORTOLAN_PROBE_MONITORED | (on ? PORTOLAN_PROBE_ROWS : 0));
}

void calls_note_roots(bool on)
{
    portolan_probe_port_set_flags(&go_port,
                                  PORTOLAN_PROBE_MONITORED | (on ? PORTOLAN_PROBE_ROWS : 0));
}

void calls_sample_roots(uint32_t one_in)
{
    portolan_probe_port_set_sampling(&go_port, one_in);
}

__attribute__((noinline)) void calls_solve(int64_t n)
{
    struct portolan_probe_context context[1] = {portolan_probe_context_int(n)};
    struct portolan_probe_call call;

    portolan_probe_enter(&call, &solve_port, 0, context, 1);
    portolan_probe_clock_advance(10 * (uint64_t)n);
    portolan_probe_note_accuracy(&call, 0.5);
    portolan_probe_leave(&call);
}

__attribute__((noinline)) void calls_fail(void *n)
{
    struct portolan_probe_context context[1] = {portolan_probe_context_int(*(int64_t *)n)};
    struct portolan_probe_call call;

    portolan_probe_enter(&call, &solve_port, 0, context, 1);
    portolan_probe_clock_advance(3);
    portolan_probe_leave_failed(&call);
}

__attribute__((noinline)) void calls_go(int times, int64_t n, void (*inside)(void *arg), void *arg)
{
    struct portolan_probe_call call;

    portolan_probe_enter(&call, &go_port, 0, NULL, 0);
    portolan_probe_clock_advance(1);
    for (int i = 0; i < times; ++i)
        calls_solve(n);
    if (inside)
        inside(arg);
    portolan_probe_leave(&call);
}
