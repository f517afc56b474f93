/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a program with a combination of its options as a trial: what it takes, and what it says. It
 * succeeds if its exit status is the expected one, no line of its output tells of a failure, and
 * all numbers that are looked for were found: only numbers count, not what a program thinks of its
 * result.
 */
#include "trial.h"
#include "output.h"

#include <portolan/machine.h>
#include <portolan/recorder.h>
#include <portolan/supervise.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* Shorter trials are not judged: the kernel counts the use of cores in units of 10 ms. */
static const double least_judged_s = 0.5;

/* A trial may fill this part of the free space with one file. */
static const double share_of_space = 0.5;

/* A running trial. */
struct run {
    struct tune_session *session;
    const struct portolan_assembly_program *p;
    struct prepared prepared;
    struct output said;
    struct portolan_usage usage;
    char why[1000]; /* it does not count; "": it does */
};

/* Finds the reason why the trial does not count, if there is one. */
static void judge(struct run *r, const struct portolan_error *end)
{
    const struct portolan_usage *u = &r->usage;
    char *why = r->why;

    if (u->is_late || (end->status && u->status < 0) || (end->status && r->p->status == 0))
        snprintf(why, sizeof r->why, "%s", end->text);
    else if (u->status != r->p->status)
        snprintf(why, sizeof r->why, "exit status %d instead of %d", u->status, r->p->status);
    if (!why[0] && r->said.failed_line[0])
        snprintf(why, sizeof r->why, "it said '%s'", r->said.failed_line);
    for (size_t i = 0; !why[0] && i < r->said.n_wanted; i++)
        if (!r->said.wanted[i].found)
            snprintf(why, sizeof r->why, "its output has no number for the %s%s",
                     r->said.wanted[i].what,
                     output_was_cut(&r->said) ? " in its first 64 MiB" : "");
}

/* What other processes did meanwhile; what the program did is its own. */
static void note_disturbance(const struct run *r, struct portolan_machine_reading *before,
                             struct portolan_facts *facts)
{
    struct portolan_machine_reading after;
    struct portolan_machine_verdict verdict;

    if (r->usage.elapsed_s < least_judged_s)
        return;
    portolan_machine_read(&after);
    after.own_ns += 1e9 * r->usage.processor_s;
    portolan_machine_subtract(before, &after);
    portolan_machine_judge(before, 1, &verdict);
    if (verdict.is_disturbed)
        portolan_facts_put(facts, PORTOLAN_STORE_DISTURBED, verdict.reason);
}

static void put_number(struct portolan_facts *facts, const char *name, double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.17g", value);
    portolan_facts_put(facts, name, text);
}

/* The one call of the trial: the whole process. */
static enum portolan_status put_sample(const struct run *r, struct portolan_store *store,
                                       int64_t id, struct portolan_error *err)
{
    const struct portolan_assembly_instance *i = r->session->a->instances;
    struct portolan_sample x = {.step = 0,
                                .parent = -1,
                                .user = "",
                                .uses = "",
                                .instance = i->name,
                                .port = "main",
                                .implementation = i->alternatives[i->selected].class_name,
                                .port_type = "portolan.Program",
                                .method = "main",
                                .calls = 1,
                                .inclusive_ns = 1e9 * r->usage.elapsed_s,
                                .quality = NAN};

    for (size_t k = 0; k < r->said.n_wanted; k++) {
        const struct wanted *w = &r->said.wanted[k];

        if (!strcmp(w->what, "accuracy") && r->p->accuracy.regex && !k)
            x.quality = fabs(w->value);
        else if (!strcmp(w->what, "time") && r->p->time.regex && k <= 1)
            x.inclusive_ns = 1e9 * w->value;
        else if (x.n_context < PORTOLAN_CONTEXT_MAX) {
            x.context_name[x.n_context] = w->what;
            x.context[x.n_context++] = w->value;
        }
    }
    x.exclusive_ns = x.min_ns = x.max_ns = x.inclusive_ns;
    x.sum_squares_ns2 = x.inclusive_ns * x.inclusive_ns;
    return portolan_store_put_step(store, id, 0, &x, 1, err);
}

static enum portolan_status begin_trial(const struct run *r, int64_t *id,
                                        struct portolan_error *err)
{
    const struct portolan_assembly *a = r->session->a;
    struct portolan_facts parameters = {0}, implementations = {0};
    enum portolan_status status;

    portolan_facts_put_choices(a, &parameters, &implementations);
    status = parameters.failed || implementations.failed
                 ? portolan_no_memory(err)
                 : portolan_store_begin_trial(
                       r->session->open,
                       &(struct portolan_trial){.assembly = a->name,
                                                .purpose = a->purpose,
                                                .ranks = r->p->ranks,
                                                .n_parameters = parameters.n,
                                                .parameters = parameters.pairs,
                                                .n_implementations = implementations.n,
                                                .implementations = implementations.pairs,
                                                .n_metadata = r->session->facts->n,
                                                .metadata = r->session->facts->pairs},
                       id, err);
    portolan_facts_clear(&parameters);
    portolan_facts_clear(&implementations);
    return status;
}

static enum portolan_status end_trial(struct run *r, int64_t id, struct portolan_facts *facts,
                                      struct portolan_error *err)
{
    struct portolan_store *store = r->session->open;
    enum portolan_status status = PORTOLAN_OK;
    bool is_good = !r->why[0];
    const char *last = is_good ? NULL : output_last_lines(&r->said);

    put_number(facts, "processor time", 1e9 * r->usage.processor_s);
    put_number(facts, "memory", r->usage.memory_bytes);
    put_number(facts, "exit status", r->usage.status);
    if (!is_good) {
        portolan_facts_put(facts, "failure", r->why);
        portolan_facts_put(facts, "last lines", last ? last : "");
    }
    if (facts->failed)
        return portolan_no_memory(err);
    status = portolan_store_begin(store, err);
    if (!status && is_good)
        status = put_sample(r, store, id, err);
    if (!status)
        status = portolan_store_put_metadata(store, id, facts->pairs, facts->n, err);
    if (!status)
        status = portolan_store_end_trial(store, id,
                                          r->usage.is_late ? "stopped"
                                          : is_good        ? "finished"
                                                           : "failed",
                                          1e9 * r->usage.elapsed_s, err);
    if (status)
        portolan_store_rollback(store);
    return status ? status : portolan_store_commit(store, err);
}

/* ------------------------------------------------------------------ files */

static double free_bytes(const char *folder)
{
    struct statvfs info;

    return statvfs(folder ? folder : ".", &info) ? 0
                                                 : (double)info.f_bavail * (double)info.f_frsize;
}

/* The files that the command names, as they are: INFO has an entry for each word. */
static struct stat *look_at_files(struct prepared *p)
{
    struct stat *info = portolan_arena_alloc(&p->arena, p->words.n, sizeof *info);

    for (size_t i = 0; info && i < p->words.n; i++)
        if (p->folder || stat(p->words.word[i], &info[i]) || !S_ISREG(info[i].st_mode))
            info[i].st_mode = 0;
    return info;
}

/* Notes the first file that is another than BEFORE. */
static void find_changed(struct run *r, const struct stat *before)
{
    const struct portolan_words *words = &r->prepared.words;
    struct stat now;

    for (size_t i = 0; before && i < words->n && !r->session->changed; i++)
        if (before[i].st_mode && (stat(words->word[i], &now) || now.st_size != before[i].st_size ||
                                  now.st_mtim.tv_sec != before[i].st_mtim.tv_sec ||
                                  now.st_mtim.tv_nsec != before[i].st_mtim.tv_nsec))
            r->session->changed = portolan_arena_strdup(&r->session->arena, words->word[i]);
}

/* Runs it; *SIGNAL_NUMBER: this process was told to end. */
static enum portolan_status run_program(struct run *r, double limit_s, struct portolan_facts *facts,
                                        int *signal_number, struct portolan_error *err)
{
    struct prepared *p = &r->prepared;
    const struct portolan_supervision how = {.limit_s = limit_s,
                                             .line = output_take_line,
                                             .arg = &r->said,
                                             .usage = &r->usage,
                                             .memory_bytes = r->p->memory,
                                             .file_bytes = share_of_space * free_bytes(p->folder),
                                             .folder = p->folder,
                                             .environment = p->environment};
    const struct stat *files = look_at_files(p);
    struct portolan_machine_reading before;
    struct portolan_error end = {0};
    enum portolan_status status;

    portolan_machine_read(&before);
    status = portolan_supervise(&p->arena, &p->words, &how, signal_number, &end);
    if (status && status != PORTOLAN_EFOREIGN) {
        *err = end;
        return status;
    }
    find_changed(r, files);
    judge(r, &end);
    note_disturbance(r, &before, facts);
    return PORTOLAN_OK;
}

/* The reason, with the end of the output, which often has the cause. */
static enum portolan_status report(struct run *r, struct portolan_error *err)
{
    const char *last = r->said.n_lines ? r->said.last[(r->said.n_lines - 1) % LAST_LINES] : "";

    if (!*last || strstr(r->why, last))
        return portolan_error_set(err, PORTOLAN_ECOMPONENT, "%s", r->why);
    return portolan_error_set(err, PORTOLAN_ECOMPONENT, "%s; its last line is '%s'", r->why, last);
}

/* Opens the store, and finds what all trials have in common, once. */
static enum portolan_status open_store(struct tune_session *s, struct portolan_error *err)
{
    if (s->open)
        return PORTOLAN_OK;
    if (!s->facts && !(s->facts = portolan_calloc(1, sizeof *s->facts)))
        return portolan_no_memory(err);
    portolan_facts_put_machine(s->facts);
    portolan_facts_put(s->facts, s->build.name, s->build.value);
    portolan_facts_put(s->facts, PORTOLAN_ASSEMBLY_TEXT, s->text);
    return s->facts->failed ? portolan_no_memory(err)
                            : portolan_store_open(s->store, PORTOLAN_STORE_WRITE, &s->open, err);
}

enum portolan_status tune_run_trial(struct tune_session *s, double limit_s, int *signal_number,
                                    struct portolan_error *err)
{
    struct run r = {.session = s, .p = s->a->program, .said.arena = &r.prepared.arena};
    struct portolan_facts facts = {0};
    int64_t id = 0;
    enum portolan_status status = open_store(s, err);

    *signal_number = 0;
    if (!status)
        status = prepare(&r.prepared, s, err);
    if (!status && !output_begin(&r.said, r.p))
        status = portolan_no_memory(err);
    if (!status)
        status = begin_trial(&r, &id, err);
    if (!status)
        status = run_program(&r, limit_s, &facts, signal_number, err);
    if (*signal_number || (status && id))
        portolan_store_delete_trial(s->open, id, NULL);
    else if (!status)
        status = end_trial(&r, id, &facts, err);
    if (!status && r.why[0])
        status = report(&r, err);
    portolan_facts_clear(&facts);
    output_end(&r.said);
    prepared_release(&r.prepared);
    return status;
}

enum portolan_status trial_keep(struct tune_session *s, const struct portolan_usage *usage,
                                struct portolan_error *err)
{
    struct run r = {
        .session = s, .p = s->a->program, .said.arena = &r.prepared.arena, .usage = *usage};
    struct portolan_facts facts = {0};
    int64_t id = 0;
    enum portolan_status status = open_store(s, err);

    judge(&r, &(struct portolan_error){0});
    if (!status)
        status = begin_trial(&r, &id, err);
    if (!status)
        status = end_trial(&r, id, &facts, err);
    portolan_facts_clear(&facts);
    portolan_arena_clear(&r.prepared.arena);
    return status;
}
