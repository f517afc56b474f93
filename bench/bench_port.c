/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench_port.h"

static int64_t plain_work(struct bench_object *self, int64_t n)
{
    (void)self;
    __asm__ volatile("" : "+r"(n));
    return n;
}

static const struct bench_ops plain_ops = {plain_work};
static struct bench_object plain = {&plain_ops};

/* About 100 ns in which every unit of the processor has something to do. */
static int64_t busy_work(struct bench_object *self, int64_t n)
{
    int64_t a = n, b = n + 1, c = n + 2, d = n + 3;

    (void)self;
    for (int i = 0; i < 256; i++) {
        a += i;
        b ^= i;
        c -= i;
        d |= i;
        __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    }
    return a + b + c + d;
}

static const struct bench_ops busy_ops = {busy_work};
static struct bench_object busy = {&busy_ops};

struct bench_object *bench_busy(void)
{
    return &busy;
}

struct bench_object *bench_plain(void)
{
    return &plain;
}

/* ------------------------------------------------- what is written by hand */

struct floor_node {
    uint64_t calls, inclusive, exclusive, min, max;
    double squares;
};

static struct floor_node floor_nodes[4] = {{0, 0, 0, UINT64_MAX, 0, 0.0}};
static uint64_t floor_child;

struct bench_shell {
    struct bench_object base;
    struct bench_object *target;
    struct portolan_probe_port port;
};

static int64_t floor_work(struct bench_object *self, int64_t n)
{
    struct bench_object *target = ((struct bench_shell *)self)->target;
    struct floor_node *node = &floor_nodes[0];
    uint64_t outside = floor_child, start, elapsed;
    int64_t result;

    floor_child = 0;
    start = portolan_probe_counter();
    result = target->ops->work(target, n);
    elapsed = portolan_probe_counter() - start;
    node->calls++;
    node->inclusive += elapsed;
    node->exclusive += elapsed - floor_child;
    if (elapsed < node->min)
        node->min = elapsed;
    if (elapsed > node->max)
        node->max = elapsed;
    node->squares += (double)(int64_t)elapsed * (double)(int64_t)elapsed;
    floor_child = outside + elapsed;
    return result;
}

static const struct bench_ops floor_ops = {floor_work};
static struct bench_shell floor_shell = {.base = {&floor_ops}, .target = &plain};

static struct bench_shell floor_busy_shell = {.base = {&floor_ops}, .target = &busy};

struct bench_object *bench_floor(void)
{
    return &floor_shell.base;
}

struct bench_object *bench_floor_busy(void)
{
    return &floor_busy_shell.base;
}

/* ------------------------------------------------- what proxygen writes */

static PORTOLAN_PROBE_MEASURING int64_t measured_work(struct bench_object *self, int64_t n)
{
    struct portolan_probe_context context[1] = {portolan_probe_context_int(n)};
    struct portolan_probe_binding *b;
    struct bench_object *target;
    int64_t result;
    PORTOLAN_PROBE_CALL(call);

    b = portolan_probe_enter(&call, &((struct bench_shell *)self)->port, 0, context, 1);
    target = b->target;
    result = target->ops->work(target, n);
    portolan_probe_leave(&call);
    return result;
}

static PORTOLAN_PROBE_FORWARDING int64_t proxy_work(struct bench_object *self, int64_t n)
{
    PORTOLAN_PROBE_PASS(call, &((struct bench_shell *)self)->port, return measured_work(self, n));
    struct bench_object *target = call.binding->target;

    return target->ops->work(target, n);
}

static int64_t pathonly_work(struct bench_object *self, int64_t n)
{
    struct portolan_probe_call call;
    struct portolan_probe_binding *b =
        portolan_probe_enter(&call, &((struct bench_shell *)self)->port, 1, NULL, 0);
    struct bench_object *target = b->target;
    int64_t result = target->ops->work(target, n);

    portolan_probe_leave(&call);
    return result;
}

static struct portolan_probe_binding plain_binding = {.target = &plain};
static struct portolan_probe_binding forward_binding = {.target = &plain};
static struct portolan_probe_binding rows_binding = {.target = &plain};
static struct portolan_probe_binding sampled_binding = {.target = &plain};
static struct portolan_probe_binding busy_binding = {.target = &busy};

static void bind(struct bench_shell *shell, struct portolan_probe_binding *binding, uint32_t flags)
{
    static const struct portolan_probe_connection connection = {.user = "bench",
                                                                .port_type = "bench.Port"};
    static const struct portolan_probe_method methods[2] = {
        {.name = "work", .n_context = 1, .context = {"n"}}, {.name = "pathonly"}};

    if (portolan_probe_methods_register(&connection, methods, 2, &binding->first_method_handle,
                                        NULL) != PORTOLAN_OK)
        binding->first_method_handle = PORTOLAN_PROBE_HANDLE_OTHER;
    portolan_probe_port_init(&shell->port, binding, flags);
}

static const struct bench_ops proxy_ops = {proxy_work};
static const struct bench_ops pathonly_ops = {pathonly_work};

static struct bench_shell forward_shell = {.base = {&proxy_ops}};

struct bench_object *bench_forward(void)
{
    return &forward_shell.base;
}

struct portolan_probe_port *bench_forward_port(void)
{
    bind(&forward_shell, &forward_binding, 0);
    return &forward_shell.port;
}

struct bench_object *bench_monitored(void)
{
    static struct bench_shell shell = {.base = {&proxy_ops}};

    bind(&shell, &plain_binding, PORTOLAN_PROBE_MONITORED);
    return &shell.base;
}

struct bench_object *bench_rows(void)
{
    static struct bench_shell shell = {.base = {&proxy_ops}};

    bind(&shell, &rows_binding, PORTOLAN_PROBE_MONITORED | PORTOLAN_PROBE_ROWS);
    return &shell.base;
}

struct bench_object *bench_sampled(void)
{
    static struct bench_shell shell = {.base = {&proxy_ops}};

    bind(&shell, &sampled_binding, PORTOLAN_PROBE_MONITORED);
    portolan_probe_port_set_sampling(&shell.port, 16);
    return &shell.base;
}

struct bench_object *bench_monitored_busy(void)
{
    static struct bench_shell shell = {.base = {&proxy_ops}};

    bind(&shell, &busy_binding, PORTOLAN_PROBE_MONITORED);
    return &shell.base;
}

struct bench_object *bench_pathonly(void)
{
    static struct bench_shell shell = {.base = {&pathonly_ops}};

    bind(&shell, &plain_binding, PORTOLAN_PROBE_MONITORED);
    return &shell.base;
}

/* ------------------------------------------------- a SIDL port without a proxy */

static int64_t sidl_work(void *self, int64_t n, sidl_BaseInterface *ex)
{
    (void)self;
    (void)ex; /* the stub has cleared it */
    __asm__ volatile("" : "+r"(n));
    return n;
}

static const struct bench_Port__epv sidl_epv = {sidl_work};
static struct bench_Port__object sidl_port = {&sidl_epv, &plain};

bench_Port bench_sidl(void)
{
    return &sidl_port;
}
