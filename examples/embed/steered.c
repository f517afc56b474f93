/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with its own main and time steps that lets Portolan swap what it calls, and tells the
 * Optimizer what it wants. It is no component: it opens an assembly and takes ports by name.
 *
 *   ./steered steered.xml
 */
#include <portolan/embed.h>

#include <stdio.h>

#include "paper.h"

enum { STEPS = 8 };

struct ports {
    paper_Function function;
    portolan_ports_SwapPoint swap;
    portolan_ports_Optimizer optimizer;
    struct portolan_error err; /* of the simulation */
};

static int simulate(void *arg)
{
    struct ports *p = arg;
    sidl_BaseInterface ex = NULL, *_ex = &ex;
    char *text = NULL;

    portolan_ports_Optimizer_pin(p->optimizer, "a", "paper.A1", _ex);
    SIDL_CHECK(*_ex);
    for (int step = 0; step < STEPS; step++) {
        if (step == STEPS / 2)
            portolan_ports_Optimizer_pin(p->optimizer, "a", "paper.A2", _ex);
        SIDL_CHECK(*_ex);
        portolan_ports_SwapPoint_reached(p->swap, step, _ex);
        SIDL_CHECK(*_ex);
        paper_Function_evaluate(p->function, 1.5, _ex);
        SIDL_CHECK(*_ex);
    }
    portolan_ports_SwapPoint_reached(p->swap, STEPS, _ex);
    SIDL_CHECK(*_ex);
    text = portolan_ports_Optimizer_explain(p->optimizer, _ex);
    SIDL_CHECK(*_ex);
    printf("%s", text);
EXIT:
    sidl_String_free(text);
    return portolan_catch(_ex, &p->err) == PORTOLAN_OK ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct portolan_error err = {0};
    struct portolan_embedded *e = NULL;
    struct ports p = {0};
    int result = 0;

    if (argc != 2) {
        fprintf(stderr, "usage: steered ASSEMBLY.xml\n");
        return 2;
    }
    if (portolan_embedded_open(argv[1], NULL, &e, &err) == PORTOLAN_OK &&
        (p.function = portolan_embedded_use(e, "a", "function", &err)) &&
        (p.swap = portolan_embedded_use(e, "swappoint", "swappoint", &err)) &&
        (p.optimizer = portolan_embedded_use(e, "optimizer", "optimizer", &err)) &&
        portolan_embedded_run(e, simulate, &p, &result, &err) == PORTOLAN_OK && result)
        err = p.err;
    portolan_embedded_close(e);
    if (err.status != PORTOLAN_OK)
        fprintf(stderr, "steered: error: %s\n", err.text);
    return err.status != PORTOLAN_OK;
}
