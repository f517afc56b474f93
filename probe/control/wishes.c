/* SPDX-License-Identifier: BSD-3-Clause */
/* Wishes of users to the Optimizer: checked when they are made, kept until the next swap point. */
#include "internal.h"

#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>

/* Under the lock. */
static portolan_control_check_fn check_fn;
static void *check_arg;
static char **wishes;
static size_t n_wishes;

void portolan_control_set_check(portolan_control_check_fn check, void *arg)
{
    control_lock();
    check_fn = check;
    check_arg = arg;
    control_unlock();
}

char *portolan_control_take_wish(void)
{
    char *first = NULL;

    control_lock();
    if (n_wishes) {
        first = wishes[0];
        memmove(wishes, wishes + 1, --n_wishes * sizeof *wishes);
    }
    if (!n_wishes) {
        free(wishes);
        wishes = NULL;
    }
    control_unlock();
    return first;
}

enum portolan_status control_wish_check(const char *wish, struct portolan_error *err)
{
    return check_fn ? check_fn(check_arg, wish, err) : PORTOLAN_OK;
}

enum portolan_status control_wish_keep(char *wish, struct portolan_text *reply,
                                       struct portolan_error *err)
{
    bool kept;

    control_lock();
    portolan_text_add(reply, "%s: %s\n", wish,
                      check_fn ? "at the next swap point"
                               : "there is no Optimizer yet; the command applies to a later one");
    kept = portolan_append(&wishes, &n_wishes, &wish, sizeof wish);
    control_unlock();
    if (!kept)
        free(wish);
    return kept ? PORTOLAN_OK : portolan_no_memory(err);
}
