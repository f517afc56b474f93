/* SPDX-License-Identifier: BSD-3-Clause */
/* How a session of `measure` begins: who else uses the machine, and how trials will be started. */
#include "measure.h"

#include <portolan/machine.h>

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------ the machine */

/* Shortest observation. */
static const double look_s = 0.25;

static void print_machine(const struct measurement *m, const struct portolan_machine_verdict *v)
{
    double mhz = portolan_machine_frequency_mhz();
    char text[400], name[80], clock[32] = "";

    portolan_machine_processor(name, sizeof name);
    if (mhz > 0)
        snprintf(clock, sizeof clock, ", %.2f GHz", 1e-3 * mhz);
    snprintf(text, sizeof text, "%d core%s (%s), idle %.0f %%, steal %.1f %%%s: %s%s", v->cores,
             v->cores == 1 ? "" : "s", name, fmax(0, 100 - v->others_percent - v->steal_percent),
             v->steal_percent, clock,
             v->is_disturbed    ? v->reason
             : v->others > 0.25 ? "other processes leave enough cores"
                                : "quiet",
             v->is_disturbed ? "; expect disturbed times" : "");
    measure_say(m, text);
}

/* Collective: reports who used the cores since BEFORE. While rank 0 sleeps, the others wait. */
static enum portolan_status look_at_machine(struct measurement *m,
                                            struct portolan_machine_reading *before,
                                            struct portolan_error *err)
{
    struct portolan_cohort *c = m->job->cohort;
    double missing_s = c->rank == 0 && !m->quiet ? look_s + m->began_s - portolan_now_s() : 0;
    struct timespec pause = {.tv_nsec = missing_s > 0 ? (long)(1e9 * missing_s) : 0};
    struct portolan_machine_reading now;
    struct portolan_machine_verdict verdict;
    size_t *sizes = portolan_calloc((size_t)c->size, sizeof *sizes);
    void *all = NULL;
    enum portolan_status status;

    nanosleep(&pause, NULL);
    status = portolan_cohort_agree(c, sizes ? PORTOLAN_OK : PORTOLAN_ENOMEM, err);
    portolan_machine_read(&now);
    portolan_machine_subtract(before, &now);
    if (status == PORTOLAN_OK)
        status = c->gather(c, before, sizeof *before, &all, sizes);
    if (status == PORTOLAN_OK && c->rank == 0) {
        portolan_machine_judge(all, (size_t)c->size, &verdict);
        print_machine(m, &verdict);
        m->n_hosts = portolan_machine_count_hosts(all, (size_t)c->size, NULL);
    }
    free(all);
    free(sizes);
    return status;
}

/* ------------------------------------------------------------------ jobs of their own */

/* Rank 0 may use all cores of the ranks, whose launcher bound each to some: trials inherit them. */
static enum portolan_status join_cores(struct portolan_cohort *c, struct portolan_error *err)
{
    size_t *sizes = portolan_calloc((size_t)c->size, sizeof *sizes);
    cpu_set_t own, joined;
    void *all = NULL;
    enum portolan_status status =
        portolan_cohort_agree(c, sizes ? PORTOLAN_OK : PORTOLAN_ENOMEM, err);

    CPU_ZERO(&own);
    CPU_ZERO(&joined);
    sched_getaffinity(0, sizeof own, &own);
    if (!status)
        status = c->gather(c, &own, sizeof own, &all, sizes);
    for (int i = 0; !status && all && i < c->size; i++)
        CPU_OR(&joined, &joined, (cpu_set_t *)all + i);
    if (!status && all && !CPU_EQUAL(&joined, &own))
        sched_setaffinity(0, sizeof joined, &joined);
    free(all);
    free(sizes);
    return status;
}

bool measure_word_trials(struct measurement *m, const struct measure_options *o)
{
    struct portolan_arena *a = &m->arena;
    struct portolan_words *start = &m->start, *rest = &m->rest;
    const struct assembly_options *x = &o->assembly;
    char *self = realpath("/proc/self/exe", NULL);
    bool good = self;

    if (good && o->launcher)
        good = portolan_words_split(a, start, o->launcher);
    else if (good && m->n_ranks > 1)
        good = portolan_words_append(
            a, start, PORTOLAN_WORDS(MPIEXEC, "-n", portolan_arena_printf(a, "%d", m->n_ranks)));
    good = good && portolan_words_append(
                       a, start, PORTOLAN_WORDS(portolan_arena_strdup(a, self), "run", "--quiet"));
    free(self);
    if (good && x->path)
        good = portolan_words_add(a, rest, portolan_arena_printf(a, "--path=%s", x->path));
    if (good && x->n_cases)
        good = portolan_words_add(a, start, portolan_arena_printf(a, "--case=%s", x->cases[0]));
    for (size_t i = 0; good && i < x->n_sets; i++)
        good = portolan_words_add(a, start, portolan_arena_printf(a, "--set=%s", x->sets[i]));
    return good && portolan_words_add(a, rest, x->file);
}

/* A line of orders, "select INSTANCE CLASS" or "set INSTANCE PARAMETER VALUE", as an option. */
static bool add_order(struct portolan_arena *arena, struct portolan_words *words, char *line)
{
    char *verb = strsep(&line, " "), *instance = strsep(&line, " "), *parameter;

    if (!strcmp(verb, "select"))
        return portolan_words_add(arena, words,
                                  portolan_arena_printf(arena, "--select=%s=%s", instance, line));
    parameter = strsep(&line, " ");
    return portolan_words_add(
        arena, words, portolan_arena_printf(arena, "--set=%s.%s=%s", instance, parameter, line));
}

bool measure_word_trial(const struct measurement *m, const char *orders,
                        struct portolan_arena *arena, struct portolan_words *words)
{
    char *lines = portolan_arena_strdup(arena, orders);
    bool good = lines && portolan_words_append(arena, words, &m->start) &&
                portolan_words_append(
                    arena, words,
                    PORTOLAN_WORDS("--fixed",
                                   portolan_arena_printf(arena, "--purpose=%s",
                                                         m->session.w->assembly->purpose),
                                   portolan_arena_printf(arena, "--store=%s", m->session.store)));

    for (char *line; good && (line = strsep(&lines, "\n"));)
        good = !*line || add_order(arena, words, line);
    return good && portolan_words_append(arena, words, &m->rest);
}

/*
 * Collective: from here on rank 0 is alone and without MPI, since launchers do not start jobs below
 * a rank; *GOES_ON is false on the others. On several hosts all ranks stay: how processes are
 * started there is not known.
 */
static enum portolan_status leave_job(struct measurement *m, const struct measure_options *o,
                                      bool *goes_on, struct portolan_error *err)
{
    double hosts = m->n_hosts;
    enum portolan_status status = m->job->cohort->max(m->job->cohort, &hosts, 1);
    char text[256];

    m->is_together = hosts > 1 && !o->launcher;
    *goes_on = true;
    if (status || m->is_together) {
        snprintf(text, sizeof text,
                 "the ranks are on %.0f hosts: trials run in these processes, and one that crashes "
                 "ends all; --launcher COMMAND starts each in processes of its own",
                 hosts);
        measure_say(m, text);
        return status;
    }
    if ((status = join_cores(m->job->cohort, err)))
        return status;
    *goes_on = job_leave_mpi(m->job);
    return PORTOLAN_OK;
}

enum portolan_status measure_begin(struct measurement *m, const struct measure_options *o,
                                   struct portolan_machine_reading *before, bool *goes_on,
                                   struct portolan_error *err)
{
    const struct portolan_assembly *a = m->session.w->assembly;
    enum portolan_status status;

    if (a->program && (o->machine || m->n_ranks > 1))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  o->machine
                                      ? "--machine is for assemblies of components"
                                      : "the trials of a program start its ranks: state them "
                                        "as ranks=\"%d\", and start this without mpiexec",
                                  m->n_ranks);
    if (!o->machine) {
        status = look_at_machine(m, before, err);
        return status ? status : leave_job(m, o, goes_on, err);
    }
    if (m->n_ranks > 1)
        return portolan_error_set(
            err, PORTOLAN_EINVAL,
            "measure --machine runs its ranks itself; start it without mpiexec");
    m->virtual.file = o->machine;
    m->virtual.n_ranks = o->n ? o->n : 1;
    status = virtual_trials_open(&m->virtual, m->session.w, o->assembly.file, err);
    m->fact = (struct portolan_name_value){PORTOLAN_STORE_VIRTUAL, m->virtual.name};
    if (!status)
        status = virtual_trials_word(&m->virtual, &m->arena, &m->start, err);
    return status;
}
