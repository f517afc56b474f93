/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials of a program side by side: each in a process of its own, on cores of its own. */
#include "parallel.h"

#include <portolan/cores.h>
#include <portolan/recorder.h>
#include <portolan/store.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Trials together that take so many times as long as alone disturb each other. */
static const double disturbing = 1.1;

/* In the child, which has a connection of its own to the store: that has what is to be said. */
static void run_apart(struct measure_session *s, int slot, double limit_s)
{
    struct portolan_error err = {0};
    int number;

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    cores_take_part(s->parallel, slot);
    s->program.open = NULL;
    if (tune_run_trial(&s->program, limit_s, &number, &err) && err.status != PORTOLAN_ECOMPONENT &&
        !number)
        s->say(s, err.text);
    portolan_store_close(s->program.open);
    _exit(err.status && err.status != PORTOLAN_ECOMPONENT);
}

static bool note_running(struct running_trial *r, const struct portolan_assembly *a)
{
    struct portolan_facts parameters = {0}, implementations = {0};

    portolan_facts_put_choices(a, &parameters, &implementations);
    r->as_if = (struct portolan_trial){.id = INT64_MAX,
                                       .assembly = a->name,
                                       .purpose = a->purpose,
                                       .ranks = a->program->ranks,
                                       .started = "",
                                       .outcome = "stopped",
                                       .elapsed_ns = 1,
                                       .n_parameters = parameters.n,
                                       .parameters = parameters.pairs,
                                       .n_implementations = implementations.n,
                                       .implementations = implementations.pairs};
    return !parameters.failed && !implementations.failed;
}

static void forget(struct running_trial *r)
{
    struct portolan_facts p = {.n = r->as_if.n_parameters, .pairs = (void *)r->as_if.parameters},
                          i = {.n = r->as_if.n_implementations,
                               .pairs = (void *)r->as_if.implementations};

    portolan_facts_clear(&p);
    portolan_facts_clear(&i);
    *r = (struct running_trial){0};
}

bool parallel_wait(struct measure_session *s)
{
    int status = 0;
    pid_t pid;

    while (s->n_running && (pid = waitpid(-1, &status, 0)) > 0)
        for (int i = 0; i < s->parallel; i++)
            if (s->running[i].pid == pid) {
                forget(&s->running[i]);
                s->n_running--;
                s->is_broken = s->is_broken || !WIFEXITED(status) || WEXITSTATUS(status);
                return true;
            }
    return false;
}

enum portolan_status parallel_start(struct measure_session *s, double limit_s,
                                    struct portolan_error *err)
{
    int slot = 0;

    if (s->n_running == s->parallel)
        parallel_wait(s);
    if (s->is_broken)
        return portolan_error_set(err, PORTOLAN_EFOREIGN, "a trial could not be run");
    while (s->running[slot].pid)
        slot++;
    fflush(NULL);
    if (!note_running(&s->running[slot], s->w->assembly))
        return portolan_no_memory(err);
    if (!(s->running[slot].pid = fork()))
        run_apart(s, slot, limit_s);
    if (s->running[slot].pid < 0) {
        forget(&s->running[slot]);
        return portolan_error_set(err, PORTOLAN_EIO, "cannot start a process for a trial");
    }
    s->n_running++;
    return PORTOLAN_OK;
}

const struct portolan_sample_set *parallel_show(struct measure_session *s)
{
    size_t n = 0;

    free(s->shown.trials);
    s->shown = *s->set;
    s->shown.trials = portolan_calloc(s->set->n_trials + MOST_PARALLEL, sizeof *s->set->trials);
    if (!s->shown.trials)
        return NULL;
    for (size_t i = 0; i < s->set->n_trials; i++) /* what runs stands below */
        if (strcmp(s->set->trials[i].outcome, "running") != 0)
            s->shown.trials[n++] = s->set->trials[i];
    for (int i = 0; i < s->parallel; i++)
        if (s->running[i].pid)
            s->shown.trials[n++] = s->running[i].as_if;
    s->shown.n_trials = n;
    return &s->shown;
}

enum portolan_status parallel_judge(struct measure_session *s, double limit_s,
                                    struct portolan_error *err)
{
    const struct portolan_sample_set *set = NULL;
    double alone = 0, together = 0;
    enum portolan_status status = parallel_start(s, limit_s, err);
    char text[200];

    while (parallel_wait(s))
        ;
    for (int i = 0; !status && i < s->parallel; i++)
        status = parallel_start(s, limit_s, err);
    while (parallel_wait(s))
        ;
    if (status || (status = s->read(s, false, &set, err)))
        return status;
    for (size_t i = 0; i < set->n_trials; i++)
        if (!strcmp(set->trials[i].outcome, "finished"))
            *(i ? &together : &alone) += set->trials[i].elapsed_ns;
    together /= s->parallel;
    if (set->n_trials == (size_t)s->parallel + 1 && alone > 0 && together > disturbing * alone) {
        snprintf(text, sizeof text,
                 "%d trials together take %.2g times as long as one alone: they disturb each other",
                 s->parallel, together / alone);
        s->say(s, text);
    }
    return PORTOLAN_OK;
}
