/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands from outside: libraries exchanged, measuring turned off and on, snapshots on demand. Who
 * measures watches the control file and takes the signals, and hands commands over by the shared
 * file: here is no descriptor, and no handler that the program could miss its own for.
 */
#include "inside.h"

#include <portolan/control.h>
#include <stdlib.h>
#include <string.h>

static struct portolan_control_port port;

static enum portolan_status use(void *self, const char *name, struct portolan_error *err)
{
    const char *from = inside_implementation(inside_used());
    enum portolan_status status = PORTOLAN_ENOTFOUND;

    (void)self;
    for (size_t i = 0; i < inside_implementations(); i++)
        if (!strcmp(inside_implementation(i), name)) {
            const char *texts[4] = {inside_port_name(), from, name, "done"};

            inside_end_turns();
            status = inside_use(i, err);
            if (status == PORTOLAN_OK) {
                inside_log(WRAP_SWITCH, texts, 4);
                port.selected = name;
            }
            return status;
        }
    return portolan_error_set(err, status, "no library is called '%s'", name);
}

static enum portolan_status flush(void *unused, struct portolan_error *err)
{
    (void)unused, (void)err;
    inside_publish();
    return PORTOLAN_OK;
}

bool inside_add_port(void)
{
    size_t n = inside_implementations();
    const char **names = portolan_calloc(n, sizeof *names);

    if (!names) {
        inside_note("out of memory");
        return false;
    }
    for (size_t i = 0; i < n; i++)
        names[i] = inside_implementation(i);
    port = (struct portolan_control_port){
        .name = inside_port_name(),
        .type = inside_front()->description->type,
        .port = &inside_front()->port,
        .variant = inside_orders->profile ? PORTOLAN_VARIANT_PROFILE : PORTOLAN_VARIANT_MASTERMIND,
        .has_mastermind = !inside_orders->profile,
        .one_in = inside_orders->one_in,
        .select = use,
        .implementations = names,
        .n_implementations = n,
        .selected = names[0],
    };
    portolan_control_set_flush(flush, NULL);
    portolan_control_add(&port);
    return true;
}

/* The command of number NUMBER; NULL when it is overwritten meanwhile. */
static char *copy_command(uint32_t number)
{
    char *copy = portolan_calloc(1, sizeof inside_orders->command);

    if (!copy)
        return NULL;
    memcpy(copy, inside_orders->command, sizeof inside_orders->command - 1);
    if (__atomic_load_n(&inside_orders->command_number, __ATOMIC_ACQUIRE) == number)
        return copy;
    free(copy);
    return NULL;
}

static void answer(uint32_t number, enum portolan_status status, const char *text)
{
    struct wrap_area *a = inside_area;

    strncpy(a->answer, text, sizeof a->answer - 1);
    a->answer_status = status;
    __atomic_store_n(&a->answer_number, number, __ATOMIC_RELEASE);
}

void inside_obey(void)
{
    uint32_t number = __atomic_load_n(&inside_orders->command_number, __ATOMIC_ACQUIRE);
    struct portolan_text reply = {0};
    struct portolan_error err = {0};
    enum portolan_status status;
    char *command;

    if (number == inside_area->answer_number || !(command = copy_command(number)))
        return;
    status = portolan_control_execute(command, inside_order(WRAP_ORDER_CONTROL), &reply, &err);
    if (status != PORTOLAN_OK)
        portolan_text_add(&reply, "%s\n", err.text);
    answer(number, status, reply.bytes ? reply.bytes : "");
    portolan_text_clear(&reply);
    free(command);
}

static void note_gap(void *unused, const char *name, unsigned count, double away_ns)
{
    (void)unused;
    inside_note("measuring of %s was off %u time%s, %.3g s in all", name, count,
                count == 1 ? "" : "s", away_ns * 1e-9);
}

void inside_note_gaps(void)
{
    if (inside_is_measured())
        portolan_control_visit_gaps(port.variant == PORTOLAN_VARIANT_PROFILE
                                        ? PORTOLAN_VARIANT_PROFILE
                                        : PORTOLAN_VARIANT_MASTERMIND,
                                    note_gap, NULL);
}
