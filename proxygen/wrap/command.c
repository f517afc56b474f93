/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands to the processes that are measured: from a file, and by signals to this one. */
#include "internal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ signals */

static void wait_with(struct wrap_run *run, char *command)
{
    if (command && run->n_waiting < sizeof run->waiting / sizeof *run->waiting)
        run->waiting[run->n_waiting++] = command;
    else
        free(command); /* more than anybody can mean */
}

bool wrap_signal_take(struct wrap_run *run, int number)
{
    for (size_t i = 0; i < run->n_signals; i++)
        if (run->signals[i].number == number) {
            wait_with(run, portolan_strdup(run->signals[i].command));
            return true;
        }
    return false;
}

/* ------------------------------------------------------------------ the file */

/* Looked at, not waited for: it works the same wherever the file lies. */
static void look_at_file(struct wrap_run *run)
{
    struct portolan_error err = {0};
    bool is_first = !run->has_looked;
    char *text = run->options->control
                     ? portolan_control_file_take(run->options->control, &run->control, &err)
                     : NULL;

    run->has_looked = true;
    if (err.status != PORTOLAN_OK)
        portolan_log(PORTOLAN_LOG_WARNING, "wrap", "warning: %s", err.text);
    if (is_first && text && portolan_control_is_request(text))
        free(text); /* `portolan control` meant it for who ran then */
    else if (text)
        wait_with(run, text);
}

/* ------------------------------------------------------------------ giving */

static bool is_obeyed(const struct wrap_run *run)
{
    const struct wrap_orders *o = &run->shared->orders;

    for (size_t i = 0; i < o->n_areas; i++) {
        const struct wrap_area *a = &run->shared->areas[i];
        unsigned state = __atomic_load_n(&a->state, __ATOMIC_ACQUIRE);

        if (state == WRAP_STARTED &&
            __atomic_load_n(&a->answer_number, __ATOMIC_ACQUIRE) != o->command_number)
            return false;
    }
    return __atomic_load_n(&run->shared->areas[0].state, __ATOMIC_ACQUIRE) != 0 ||
           !o->command_number;
}

static void give_next(struct wrap_run *run)
{
    struct wrap_orders *o = &run->shared->orders;
    char *command = run->waiting[0];

    strncpy(o->command, command, sizeof o->command - 1);
    __atomic_store_n(&o->command_number, o->command_number + 1, __ATOMIC_RELEASE);
    free(command);
    memmove(run->waiting, run->waiting + 1, --run->n_waiting * sizeof *run->waiting);
    run->is_answered = false;
    wrap_wake(run);
}

/* Whoever does not look at the answer is to know of a mistake, too: it is the answer's last line.
 */
static void tell_mistake(const struct wrap_run *run)
{
    const struct wrap_orders *o = &run->shared->orders;
    char text[WRAP_ANSWER_BYTES], *end;

    if (portolan_control_is_request(o->command))
        return; /* `portolan control` tells who asked */
    for (size_t i = 0; i < o->n_areas; i++) {
        const struct wrap_area *a = &run->shared->areas[i];

        if (!a->process || a->answer_number != o->command_number || !a->answer_status)
            continue;
        memcpy(text, a->answer, sizeof text);
        text[sizeof text - 1] = '\0';
        for (end = text + strlen(text); end > text && end[-1] == '\n';)
            *--end = '\0';
        end = strrchr(text, '\n');
        portolan_log(PORTOLAN_LOG_WARNING, "wrap", "%s", end ? end + 1 : text);
        return; /* the others have the same to say */
    }
}

/* The lines by which `portolan control` knows its answer, and how it went. */
static void add_head(const struct wrap_run *run, struct portolan_text *t)
{
    const struct wrap_orders *o = &run->shared->orders;
    bool failed = false;

    for (size_t i = 0; i < o->n_areas; i++) {
        const struct wrap_area *a = &run->shared->areas[i];

        failed = failed || (a->process && a->answer_number == o->command_number &&
                            a->answer_status != PORTOLAN_OK);
    }
    portolan_control_add_head(t, o->command, 1, failed);
}

/* FILE.reply, as a whole: what all processes answered. */
static void write_reply(const struct wrap_run *run)
{
    const struct wrap_orders *o = &run->shared->orders;
    char *path = portolan_asprintf("%s.reply", run->options->control);
    struct portolan_text t = {0};
    struct portolan_error err = {0};

    add_head(run, &t);
    for (size_t i = 0; i < o->n_areas; i++) {
        const struct wrap_area *a = &run->shared->areas[i];

        if (a->process && a->answer_number == o->command_number)
            portolan_text_add(&t, "%.*s", WRAP_ANSWER_BYTES, a->answer);
    }
    if (!path || t.failed)
        portolan_no_memory(&err);
    else
        portolan_replace_file(path, t.bytes, t.length, &err);
    if (err.status != PORTOLAN_OK)
        portolan_log(PORTOLAN_LOG_WARNING, "wrap", "warning: a command is not answered: %s",
                     err.text);
    free(path);
    portolan_text_clear(&t);
}

void wrap_command(struct wrap_run *run)
{
    look_at_file(run);
    if (!is_obeyed(run))
        return;
    if (!run->is_answered && run->shared->orders.command_number) {
        tell_mistake(run);
        if (run->options->control)
            write_reply(run);
    }
    run->is_answered = true;
    if (run->n_waiting)
        give_next(run);
}
