/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and stores the trials of diagnoses, with their traces next to the store. */
#include "internal.h"

#include <portolan/command.h>
#include <portolan/list.h>
#include <portolan/recorder.h>
#include <portolan/trials.h>

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define TOKEN "environment PORTOLAN_EXPERIMENT"

/* ------------------------------------------------- folders of traces */

/* Traces of processes of this HOST that were killed. */
static void remove_orphans(struct portolan_subject *s, const char *all, const char *host)
{
    DIR *dir = opendir(all);
    char owner[sizeof((struct utsname *)0)->nodename], *path;
    int pid;

    for (struct dirent *e; dir && (e = readdir(dir));)
        if (sscanf(e->d_name, "new-%d-%*[0-9]-%64s", &pid, owner) == 2 && !strcmp(owner, host) &&
            kill(pid, 0) && errno == ESRCH &&
            (path = portolan_arena_printf(&s->arena, "%s/%s", all, e->d_name)))
            portolan_folder_remove(path);
    if (dir)
        closedir(dir);
}

char *trial_new_folder(struct portolan_subject *s, struct portolan_error *err)
{
    struct utsname u = {.nodename = ""};
    char *all = portolan_store_traces(&s->arena, s->store);
    char *new = all && !uname(&u)
                    ? portolan_arena_printf(&s->arena, "%s/new-%d-%.0f-%s", all, (int)getpid(),
                                            1e6 * portolan_now_s(), u.nodename)
                    : NULL;

    if (!new)
        portolan_no_memory(err);
    else if (mkdir(all, 0777) && errno != EEXIST) {
        portolan_error_set(err, PORTOLAN_EIO, "cannot make the folder %s for traces: %s", all,
                           strerror(errno));
        return NULL;
    }
    if (new)
        remove_orphans(s, all, u.nodename);
    return new;
}

/* Takes the facts about the run that were stored with it. */
static void take_facts(struct portolan_subject *s, const struct portolan_trial *t)
{
    const char *disturbed = portolan_trial_peek_fact(t, PORTOLAN_STORE_DISTURBED),
               *window = portolan_trial_peek_fact(t, "environment PORTOLAN_TRACE_WINDOW"),
               *cores = portolan_trial_peek_fact(t, "processors allowed");
    int64_t n;

    s->shares_cores = cores && portolan_read_int64(cores, &n) && t->ranks > n;
    s->trial = t->id;
    s->n_ranks = t->ranks;
    s->run_ns = t->elapsed_ns;
    s->is_cut = strcmp(t->outcome, "finished") != 0;
    s->knows_processors = cores;
    s->machine.is_disturbed = disturbed;
    snprintf(s->machine.reason, sizeof s->machine.reason, "%s", disturbed ? disturbed : "");
    if (!window || sscanf(window, "steps=%d", &s->first_step) != 1)
        s->first_step = 0;
}

static enum portolan_status put_trace(struct portolan_subject *s, const char *path,
                                      struct portolan_error *err)
{
    const struct portolan_name_value pair = {PORTOLAN_STORE_TRACE, path};
    struct portolan_store *store = NULL;
    enum portolan_status status = portolan_store_open(s->store, PORTOLAN_STORE_WRITE, &store, err);

    if (!status)
        status = portolan_store_put_metadata(store, s->trial, &pair, 1, err);
    portolan_store_close(store);
    return status;
}

enum portolan_status trial_keep_trace(struct portolan_subject *s, const char *folder, bool keep,
                                      struct portolan_error *err)
{
    char *all = portolan_store_traces(&s->arena, s->store), *place, *slash;

    if (keep) {
        char *real = realpath(folder, NULL);
        enum portolan_status status = put_trace(s, real ? real : folder, err);

        free(real);
        return status;
    }
    place = all ? portolan_arena_printf(&s->arena, "%s/%lld", all, (long long)s->trial) : NULL;
    if (!place)
        return portolan_no_memory(err);
    /* The trial is new: what lies there is of a store that was here before. */
    if (access(place, F_OK) == 0)
        portolan_folder_remove(place);
    if (rename(folder, place))
        return portolan_error_set(err, PORTOLAN_EIO, "cannot move the trace to %s: %s", place,
                                  strerror(errno));
    slash = portolan_store_is_server(s->store) ? NULL : strrchr(s->store, '/');
    return put_trace(s, slash ? place + (slash + 1 - s->store) : place, err);
}

/* ------------------------------------------------- runs as trials */

enum portolan_status trials_read(struct portolan_subject *s,
                                 const struct portolan_store_query *query, bool with_samples,
                                 struct portolan_sample_set **set, struct portolan_error *err)
{
    struct portolan_store *store = NULL;
    enum portolan_status status;

    *set = NULL;
    if (!portolan_store_is_server(s->store) && access(s->store, F_OK))
        status = portolan_sample_set_create(set);
    else if (!(status = portolan_store_open(s->store, PORTOLAN_STORE_READ, &store, err)))
        status = portolan_store_read(store, query, with_samples, set, err);
    portolan_store_close(store);
    if (!status && query->trial && !(*set)->n_trials)
        status = portolan_error_set(err, PORTOLAN_ENOTFOUND, "store '%s' has no trial %lld",
                                    s->store, (long long)query->trial);
    return status;
}

static bool is_on_one_host(const struct portolan_trace *t)
{
    for (size_t i = 1; i < t->n_locations; i++)
        if (strcmp(t->locations[i].host, t->locations[0].host) != 0)
            return false;
    return true;
}

enum portolan_status trial_read_trace(struct portolan_subject *s, const char *folder,
                                      struct portolan_error *err)
{
    struct portolan_store *store = NULL;
    struct portolan_trace_rows *rows = NULL;
    enum portolan_status status = portolan_trace_read(folder, &s->d, &s->trace, err);

    if (!status)
        status = portolan_store_open(s->store, PORTOLAN_STORE_READ, &store, err);
    if (!status)
        status = portolan_trace_rows_create(s->trace, &rows, err);
    if (!status) {
        status = portolan_store_visit_invocations(store, s->trial, NULL, portolan_trace_rows_take,
                                                  rows, err);
        status = portolan_trace_rows_join(rows, status, &s->trace, err);
    }
    portolan_store_close(store);
    return status;
}

enum portolan_status portolan_subject_read_trial(struct portolan_subject *s, int64_t trial,
                                                 struct portolan_error *err)
{
    const struct portolan_store_query query = {.trial = trial};
    const struct portolan_assembly *a = s->assembly;
    struct portolan_sample_set *set;
    char *folder = NULL;
    enum portolan_status status = trials_read(s, &query, false, &set, err);

    if (!status) {
        take_facts(s, &set->trials[0]);
        status = portolan_trial_trace(&set->trials[0], s->store, &folder, err);
    }
    if (!status && a && strcmp(a->name, set->trials[0].assembly) != 0)
        subject_report(s, "warning", "trial %lld is one of '%s', not of '%s'", (long long)trial,
                       set->trials[0].assembly, a->name);
    portolan_sample_set_destroy(set);
    if (folder)
        status = trial_read_trace(s, folder, err);
    if (folder && !status)
        status = subject_analyse(s, err);
    s->shares_cores &= folder && !status && is_on_one_host(s->trace); /* whose cores are known */
    if (folder && !status)
        status = subject_settle_trace(s, err);
    free(folder);
    return status;
}

enum portolan_status trial_find_run(struct portolan_subject *s, const char *token,
                                    struct portolan_error *err)
{
    const struct portolan_store_query query = {.assembly = s->assembly->name};
    struct portolan_sample_set *set;
    enum portolan_status status = trials_read(s, &query, false, &set, err);

    s->trial = 0;
    for (size_t i = set ? set->n_trials : 0; i-- > 0 && !s->trial;) {
        const char *value = portolan_trial_peek_fact(&set->trials[i], TOKEN);

        if (value && !strcmp(value, token)) {
            s->trial = set->trials[i].id;
            s->run_ns = set->trials[i].elapsed_ns;
        }
    }
    portolan_sample_set_destroy(set);
    if (!status && !s->trial)
        status = portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                    "store '%s' has no trial of the run: has the assembly a "
                                    "Mastermind, and was it connected?",
                                    s->store);
    return status;
}

static const char *name_of_program(const struct portolan_experiment_options *o)
{
    const char *slash = strrchr(o->program[0], '/');

    return slash && slash[1] ? slash + 1 : o->program[0];
}

enum portolan_status trial_store_program(struct portolan_subject *s,
                                         const struct portolan_experiment_options *o,
                                         struct portolan_error *err)
{
    struct portolan_text command = {.arena = &s->arena};
    struct portolan_facts facts = {0};
    struct portolan_store *store = NULL;
    struct portolan_trial t = {
        .assembly = name_of_program(o), .purpose = "fixed", .ranks = s->trace->n_ranks};
    enum portolan_status status;

    for (char *const *word = o->program; *word; word++)
        portolan_text_add(&command, "%s%s", word > o->program ? " " : "", *word);
    portolan_facts_put_machine(&facts);
    portolan_facts_put(&facts, "command", command.bytes ? command.bytes : "");
    if (s->machine.is_disturbed)
        portolan_facts_put(&facts, PORTOLAN_STORE_DISTURBED, s->machine.reason);
    t.metadata = facts.pairs;
    t.n_metadata = facts.n;
    s->run_ns = (double)s->waits->run_ns;
    status = facts.failed ? portolan_no_memory(err)
                          : portolan_store_open(s->store, PORTOLAN_STORE_WRITE, &store, err);
    if (!status)
        status = portolan_store_begin_trial(store, &t, &s->trial, err);
    if (!status)
        status = portolan_store_end_trial(store, s->trial, s->is_cut ? "failed" : "finished",
                                          s->run_ns, err);
    portolan_store_close(store);
    portolan_facts_clear(&facts);
    return status;
}

double trial_expect_ns(struct portolan_subject *s, const struct portolan_experiment_options *o)
{
    const struct portolan_store_query query = {.assembly = o->program ? name_of_program(o)
                                                                      : s->assembly->name,
                                               .ranks = o->ranks,
                                               .outcome = "finished"};
    struct portolan_sample_set *set;
    double ns = NAN;

    if (!trials_read(s, &query, false, &set, NULL) && set->n_trials)
        ns = set->trials[set->n_trials - 1].elapsed_ns;
    portolan_sample_set_destroy(set);
    return ns;
}
