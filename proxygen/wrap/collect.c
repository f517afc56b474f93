/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores what the processes publish as steps of trials: a trial for each process, and one for the
 * ranks of a job, some of which may run under another `portolan wrap`.
 */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* ------------------------------------------------------------------ the recorder's source */

static enum portolan_status take_snapshot(void *self, struct portolan_probe_snapshot *snapshot,
                                          struct portolan_error *err)
{
    return wrap_snapshot_take(self, snapshot, err);
}

static const struct portolan_probe_method_info *peek_method(void *self, uint32_t handle)
{
    return wrap_method_peek(self, handle);
}

static const char *peek_counter(void *self, size_t index)
{
    (void)self;
    return portolan_probe_counter_slot_peek_name(
        index); /* both processes define the same counters */
}

/* Measured here, so as not to disturb the program, which runs the same code on this machine. */
static struct portolan_probe_cost cost(void *self)
{
    (void)self;
    return portolan_probe_cost();
}

static void put_objects(void *self, struct portolan_facts *facts)
{
    const struct wrap_process *p = self;

    for (size_t i = 0; i < p->objects.n; i++)
        portolan_facts_put(facts, p->objects.pairs[i].name, p->objects.pairs[i].value);
}

/* ------------------------------------------------------------------ facts */

static void put_words(struct portolan_facts *facts, const char *name, const char *const *words,
                      size_t n)
{
    struct portolan_text text = {0};

    for (size_t i = 0; i < n; i++)
        portolan_text_add(&text, "%s%s", i ? " " : "", words[i]);
    portolan_facts_put(facts, name, text.bytes ? text.bytes : "");
    portolan_text_clear(&text);
}

static void put_number(struct portolan_facts *facts, const char *name, int64_t number)
{
    char text[32];

    snprintf(text, sizeof text, "%lld", (long long)number);
    portolan_facts_put(facts, name, text);
}

static void put_library(struct portolan_facts *facts, const struct wrap_library *library,
                        const char *file)
{
    char *name = portolan_asprintf("library %s", library->name);

    if (name)
        portolan_facts_put(facts, name, file);
    free(name);
}

static bool is_of_one_rank(const struct wrap_process *p, const struct wrap_process *q)
{
    return p->area->job.rank == q->area->job.rank &&
           strcmp(p->area->job.name, q->area->job.name) == 0;
}

/*
 * A rank may have several processes, for example a shell that started it. The first one that made
 * calls stands for the rank, or else the first of all.
 */
static bool stands_for_rank(const struct wrap_process *p)
{
    const struct wrap_run *run = p->run;

    if (!p->area->job.size)
        return false;
    for (size_t i = 0; i < run->shared->orders.n_areas; i++) {
        const struct wrap_process *q = run->processes[i];
        bool calls = q && q->calls > 0;

        if (!q || q == p || !is_of_one_rank(p, q))
            continue;
        if (q->recorder.job || calls > (p->calls > 0) ||
            (calls == (p->calls > 0) && q->area < p->area))
            return false;
    }
    return true;
}

/* The program is part of the name: a job may run several, one after the other. */
static void join_job(struct wrap_process *p)
{
    const struct wrap_job *job = &p->area->job;

    snprintf(p->job_name, sizeof p->job_name, "%s %s", job->name, p->run->trial);
    p->job = (struct portolan_recorder_job){p->job_name, job->rank, job->size};
    p->recorder.job = &p->job;
}

static void put_facts(struct wrap_process *p)
{
    const struct portolan_wrap_options *o = p->run->options;
    struct portolan_facts *facts = &p->recorder.facts;
    size_t n = 0;

    while (o->program[n])
        n++;
    put_words(facts, "command", (const char *const *)o->program, n);
    p->area->program[sizeof p->area->program - 1] = '\0';
    portolan_facts_put(facts, "program", p->area->program);
    if (!p->recorder.job)
        put_number(facts, "process", p->area->process);
    if (p->area != &p->run->shared->areas[0] && !p->recorder.job)
        put_number(facts, "parent process", p->area->parent);
    if (o->rotate_s > 0)
        portolan_facts_put(facts, PORTOLAN_STORE_IN_TURN, "libraries");
    if (o->one_in > 1)
        put_number(facts, "sampling", o->one_in);
    portolan_facts_put(facts, "header", o->header);
    put_words(facts, "functions", o->functions, o->n_functions);
    for (size_t i = 0; i < p->run->n_libraries; i++)
        if (*p->run->libraries[i].file)
            put_library(facts, &p->run->libraries[i], p->run->libraries[i].file);
    portolan_facts_put(facts, PORTOLAN_ASSEMBLY_TEXT, p->run->assembly_text);
}

/* ------------------------------------------------------------------ steps */

static void note_failure(struct wrap_run *run, const struct portolan_error *err)
{
    if (err->status != PORTOLAN_OK)
        portolan_error_set(&run->failed, err->status, "%s", err->text);
}

/* Opens the recorder before the first step; false when that failed, which is noted. */
static bool has_recorder(struct wrap_process *p)
{
    const struct portolan_wrap_options *o = p->run->options;
    struct portolan_error err = {0};

    if (p->is_open)
        return true;
    if (portolan_recorder_open(&p->recorder, portolan_cohort_alone(), p->run->assembly,
                               o->store ? o->store : "portolan.db", &err) != PORTOLAN_OK) {
        note_failure(p->run, &err);
        return false;
    }
    p->recorder.source = &p->source;
    p->recorder.step = 0;
    p->is_open = true;
    if (stands_for_rank(p))
        join_job(p);
    put_facts(p);
    return true;
}

static uint64_t count_calls(const struct portolan_probe_snapshot *s)
{
    uint64_t calls = 0;

    for (size_t i = 0; i < s->count; i++)
        if (s->records[i].handle > PORTOLAN_PROBE_HANDLE_OWN &&
            s->records[i].handle < WRAP_HANDLE_THREAD)
            calls += s->records[i].calls + s->records[i].failed_calls;
    return calls;
}

static void store_swaps(struct wrap_process *p, struct portolan_error *err)
{
    for (; p->recorder.trial && p->n_swaps_stored < p->n_swaps; p->n_swaps_stored++) {
        p->swaps[p->n_swaps_stored].trial = p->recorder.trial;
        if (portolan_store_put_swap(p->recorder.store, &p->swaps[p->n_swaps_stored], err))
            return;
    }
}

/* Stores a step if there was a call since the last one. */
static void cut(struct wrap_process *p)
{
    struct portolan_error err = {0};

    if (p->calls == p->calls_stored || p->run->options->profile || !has_recorder(p))
        return;
    portolan_recorder_cut(&p->recorder, p->recorder.step + 1, &err);
    p->calls_stored = p->calls;
    store_swaps(p, &err);
    note_failure(p->run, &err);
}

/* Reads what a process has published since the last time; false: no new snapshot. */
static bool look(struct wrap_process *p)
{
    uint64_t published = __atomic_load_n(&p->area->published, __ATOMIC_SEQ_CST);
    struct portolan_error err = {0};

    wrap_log_read(p);
    if (published >> 2 == p->number)
        return false;
    if (wrap_snapshot_take(p, &p->latest, &err) != PORTOLAN_OK)
        note_failure(p->run, &err);
    p->calls = count_calls(&p->latest);
    return true;
}

/* ------------------------------------------------------------------ processes */

static struct portolan_probe_method_info program_method(const struct wrap_run *run, uint32_t handle,
                                                        const char *name)
{
    struct portolan_probe_method_info info = wrap_unknown_method;

    info.handle = handle;
    info.connection = (struct portolan_probe_connection){
        .user = "",
        .uses = "",
        .provider = run->user,
        .provides = WRAP_MAIN,
        .provider_class = run->assembly->instances[0].alternatives[0].class_name,
        .port_type = "",
    };
    info.method.name = name;
    return info;
}

static struct wrap_process *add_process(struct wrap_run *run, size_t number)
{
    struct wrap_process *p = portolan_calloc(1, sizeof *p);

    if (!p) {
        portolan_no_memory(&run->failed);
        return NULL;
    }
    *p = (struct wrap_process){
        .run = run,
        .area = &run->shared->areas[number],
        .source = {.take = take_snapshot,
                   .peek_method = peek_method,
                   .peek_counter = peek_counter,
                   .put_objects = put_objects,
                   .cost = cost,
                   .self = p},
        .main = program_method(run, WRAP_HANDLE_MAIN, WRAP_MAIN),
        .thread = program_method(run, WRAP_HANDLE_THREAD, WRAP_THREAD),
    };
    run->processes[number] = p;
    return p;
}

static struct wrap_process *process_at(struct wrap_run *run, size_t number)
{
    struct wrap_orders *o = &run->shared->orders;

    if (run->processes[number] || !__atomic_load_n(&o->processes[number], __ATOMIC_SEQ_CST))
        return run->processes[number];
    return add_process(run, number);
}

void wrap_collect(struct wrap_run *run)
{
    for (size_t i = 0; i < run->shared->orders.n_areas; i++) {
        struct wrap_process *p = process_at(run, i);

        if (p && look(p))
            cut(p);
    }
}

/* Notes how the process ended, as far as that is known. */
static void put_end(struct wrap_process *p)
{
    struct portolan_facts *facts = &p->recorder.facts;
    unsigned state = __atomic_load_n(&p->area->state, __ATOMIC_ACQUIRE);
    int status = p->run->wait_status;
    char text[40], name[40] = "ended by";

    if (p->recorder.job)
        snprintf(name, sizeof name, "rank %d ended by", p->job.rank);

    if (p->area == &p->run->shared->areas[0]) {
        if (WIFSIGNALED(status))
            snprintf(text, sizeof text, "signal %d (%s)", WTERMSIG(status),
                     sigabbrev_np(WTERMSIG(status)));
        else
            snprintf(text, sizeof text, "exit status %d", WEXITSTATUS(status));
        portolan_facts_put(facts, name, text);
        p->recorder.failed = WIFSIGNALED(status);
    } else if (state == WRAP_STARTED) {
        portolan_facts_put(facts, name, "unknown");
    }
    if (state == WRAP_REPLACED)
        portolan_facts_put(facts, "replaced", "by exec");
}

/* Notes the file of library "own", which is known only after the program has loaded it. */
static void put_own(struct wrap_process *p)
{
    for (size_t i = 0; i < p->run->n_libraries; i++) {
        const struct wrap_library *l = &p->run->libraries[i];
        const char *file = *l->file ? NULL : wrap_provider(p->run, p);

        if (file)
            put_library(&p->recorder.facts, l, file);
    }
}

static void end(struct wrap_process *p)
{
    struct portolan_error err = {0};

    look(p);
    p->has_ended = true;
    if (p->run->options->profile || (!p->calls && !stands_for_rank(p)) || !has_recorder(p))
        return;
    put_own(p);
    put_end(p);
    portolan_recorder_end(&p->recorder, &err);
    store_swaps(p, &err);
    note_failure(p->run, &err);
}

void wrap_collect_end(struct wrap_run *run)
{
    for (size_t i = 0; i < run->shared->orders.n_areas; i++) {
        struct wrap_process *p = process_at(run, i);

        if (p)
            end(p);
    }
}

bool wrap_was_refused(const struct wrap_run *run)
{
    return __atomic_load_n(&run->shared->areas[0].state, __ATOMIC_ACQUIRE) == WRAP_REFUSED;
}

void wrap_collect_clear(struct wrap_run *run)
{
    for (size_t i = 0; i < WRAP_AREAS; i++) {
        struct wrap_process *p = run->processes[i];

        if (!p)
            continue;
        portolan_recorder_close(&p->recorder);
        portolan_facts_clear(&p->objects);
        portolan_probe_snapshot_clear(&p->latest);
        portolan_arena_clear(&p->arena);
        free(p);
        run->processes[i] = NULL;
    }
}
