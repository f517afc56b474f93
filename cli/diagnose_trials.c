/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and stores the trials of diagnoses: with their traces next to the store, and as profiles.
 */
#include "diagnose.h"
#include "trial_store.h"

#include <portolan/command.h>
#include <portolan/list.h>
#include <portolan/recorder.h>
#include <portolan/store.h>
#include <portolan/trace.h>

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define TOKEN "environment PORTOLAN_EXPERIMENT"

/* ------------------------------------------------- folders of traces */

static char *traces_folder(struct subject *s)
{
    return portolan_store_is_server(s->store)
               ? portolan_arena_strdup(&s->arena, "portolan.traces")
               : portolan_arena_printf(&s->arena, "%s.traces", s->store);
}

/* Traces of processes of this HOST that were killed. */
static void remove_orphans(struct subject *s, const char *all, const char *host)
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

char *diagnose_new_folder(struct subject *s, struct portolan_error *err)
{
    struct utsname u = {.nodename = ""};
    char *all = traces_folder(s);
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
static void take_facts(struct subject *s, const struct portolan_trial *t)
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

static enum portolan_status put_trace(struct subject *s, const char *path,
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

enum portolan_status diagnose_keep_trace(struct subject *s, const char *folder, bool keep,
                                         struct portolan_error *err)
{
    char *all = traces_folder(s), *place, *slash;

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

/* The caller destroys *SET. A store that is not there has no trials. PORTOLAN_ENOTFOUND: the trial
 * that QUERY wants. */
static enum portolan_status read_trials(struct subject *s, const struct portolan_store_query *query,
                                        bool with_samples, struct portolan_sample_set **set,
                                        struct portolan_error *err)
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

enum portolan_status diagnose_read_trial(struct subject *s, int64_t trial,
                                         struct portolan_error *err)
{
    const struct portolan_store_query query = {.trial = trial};
    const struct portolan_assembly *a = s->bench.assembly;
    struct portolan_sample_set *set;
    char *folder = NULL;
    enum portolan_status status = read_trials(s, &query, false, &set, err);

    if (!status) {
        take_facts(s, &set->trials[0]);
        status = trial_store_trace(&(struct trial_store){.path = s->store}, &set->trials[0],
                                   &folder, err);
    }
    if (!status && a && strcmp(a->name, set->trials[0].assembly) != 0)
        fprintf(stderr, "portolan: warning: trial %lld is one of '%s', not of '%s'\n",
                (long long)trial, set->trials[0].assembly, a->name);
    portolan_sample_set_destroy(set);
    if (folder)
        status = diagnose_read_assembly(s, folder, err);
    if (folder && !status)
        status = diagnose_analyse(s, err);
    s->shares_cores &= folder && !status && is_on_one_host(s->trace); /* whose cores are known */
    if (folder && !status)
        status = diagnose_settle_trace(s, err);
    free(folder);
    return status;
}

enum portolan_status diagnose_find_run(struct subject *s, const char *token,
                                       struct portolan_error *err)
{
    const struct portolan_store_query query = {.assembly = s->bench.assembly->name};
    struct portolan_sample_set *set;
    enum portolan_status status = read_trials(s, &query, false, &set, err);

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

static const char *name_of_program(const struct diagnose_options *o)
{
    const char *slash = strrchr(o->program[0], '/');

    return slash && slash[1] ? slash + 1 : o->program[0];
}

enum portolan_status diagnose_store_program(struct subject *s, const struct diagnose_options *o,
                                            struct portolan_error *err)
{
    struct portolan_text command = {.arena = &s->arena};
    struct portolan_facts facts = {0};
    struct portolan_store *store = NULL;
    struct portolan_trial t = {
        .assembly = name_of_program(o), .purpose = "fixed", .ranks = s->trace->n_ranks};
    enum portolan_status status;

    for (char **word = o->program; *word; word++)
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

double diagnose_expect_ns(struct subject *s, const struct diagnose_options *o)
{
    const struct portolan_store_query query = {.assembly = o->program ? name_of_program(o)
                                                                      : s->bench.assembly->name,
                                               .ranks = o->ranks,
                                               .outcome = "finished"};
    struct portolan_sample_set *set;
    double ns = NAN;

    if (!read_trials(s, &query, false, &set, NULL) && set->n_trials)
        ns = set->trials[set->n_trials - 1].elapsed_ns;
    portolan_sample_set_destroy(set);
    return ns;
}

/* ------------------------------------------------- trials as profiles */

static bool is_or_lacks(const char *wanted, const char *text)
{
    return !wanted || !strcmp(wanted, text);
}

static bool is_part(const struct portolan_part *p, const struct portolan_sample *s)
{
    if (p->mpi || p->phase || p->tag >= 0 || p->to >= 0 || !(p->uses || p->region))
        return false;
    return is_or_lacks(p->user, s->user) && is_or_lacks(p->uses, s->uses) &&
           is_or_lacks(p->method, s->method) && is_or_lacks(p->region, s->method);
}

/* IN[i]: sample i is in a call of part P, and, where that works within another component, in a call
   of this one's part. */
static void find_calls(const struct subject *s, const struct portolan_part *p,
                       const struct portolan_sample_set *set, bool *in)
{
    const char *dot = strrchr(p->component, '.');
    bool has_context = false;

    for (size_t k = 0; dot && k < s->n_parts; k++)
        if (strlen(s->parts[k].component) == (size_t)(dot - p->component) &&
            !strncmp(s->parts[k].component, p->component, (size_t)(dot - p->component))) {
            find_calls(s, &s->parts[k], set, in);
            has_context = true;
            break;
        }
    for (size_t i = 0; i < set->n_samples; i++) { /* callers stand before what they call */
        const struct portolan_sample *x = &set->samples[i];

        in[i] = (!has_context || in[i]) && (is_part(p, x) || (x->parent >= 0 && in[x->parent]));
    }
}

static double estimate(const struct portolan_sample *x, double sum)
{
    return portolan_estimate_all(sum, (double)x->calls, portolan_sample_timed(x));
}

static bool is_mpi(const struct portolan_sample *x)
{
    return !strncmp(x->method, "MPI_", 4);
}

/* TAU writes "MPI_Barrier()". */
static bool is_collective(const char *method)
{
    char routine[64];

    snprintf(routine, sizeof routine, "%.*s", (int)strcspn(method, "("), method);
    switch (portolan_trace_classify(routine, NULL)) {
    case PORTOLAN_ROUTINE_BARRIER:
    case PORTOLAN_ROUTINE_N_TO_N:
    case PORTOLAN_ROUTINE_ONE_TO_N:
    case PORTOLAN_ROUTINE_N_TO_ONE:
    case PORTOLAN_ROUTINE_SCAN:
    case PORTOLAN_ROUTINE_NEIGHBOUR:
        return true;
    default:
        return false;
    }
}

static void add_quantity(struct subject *s, struct diagnose_profile *p, const char *component,
                         const char *quantity, double value)
{
    const struct portolan_quantity q = {component, quantity, value, 0, 1};

    portolan_arena_append(&s->arena, &p->quantities, &p->n, &q, sizeof q);
}

/* Sums over the samples that are IN; all of them where it is NULL. */
static void add_sums(struct subject *s, struct diagnose_profile *p, const char *component,
                     const struct portolan_sample_set *set, const bool *in)
{
    double mpi = 0, collective = 0, time = 0, count = 0;

    for (size_t i = 0; i < set->n_samples; i++) {
        const struct portolan_sample *x = &set->samples[i];
        double own = estimate(x, is_mpi(x) ? x->exclusive_ns : x->mpi_ns);

        if (in && !in[i])
            continue;
        mpi += own;
        collective += is_mpi(x) && is_collective(x->method) ? own : 0;
        if (x->parent >= 0 && (!in || in[x->parent]))
            continue;
        time += estimate(x, x->inclusive_ns);
        count += (double)x->calls;
    }
    if (in && !count)
        return;
    add_quantity(s, p, component, "mpi", mpi);
    if (collective > 0)
        add_quantity(s, p, component, "collective", collective);
    if (in) {
        add_quantity(s, p, component, "time", time);
        add_quantity(s, p, component, "count", count);
    }
}

static enum portolan_status add_parts(struct subject *s, struct diagnose_profile *p,
                                      const struct portolan_sample_set *set,
                                      struct portolan_error *err)
{
    bool *in = portolan_calloc(set->n_samples + 1, sizeof *in);

    if (!in)
        return portolan_no_memory(err);
    for (size_t k = 0; k < s->n_parts; k++) {
        memset(in, 0, set->n_samples * sizeof *in);
        find_calls(s, &s->parts[k], set, in);
        add_sums(s, p, s->parts[k].component, set, in);
    }
    free(in);
    return s->arena.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

enum portolan_status diagnose_read_profile(struct subject *s, int64_t trial,
                                           struct diagnose_profile *p, struct portolan_error *err)
{
    const struct portolan_store_query query = {.trial = trial, .with_partial = true};
    struct portolan_sample_set *set;
    enum portolan_status status = read_trials(s, &query, true, &set, err);

    *p = (struct diagnose_profile){0};
    if (!status) {
        p->run_ns = set->trials[0].elapsed_ns;
        for (size_t i = 0; i < set->n_samples; i++)
            if (set->samples[i].step > p->n_steps) /* the last is what follows the last step */
                p->n_steps = set->samples[i].step;
        add_quantity(s, p, "", "P", set->trials[0].ranks);
        add_quantity(s, p, "", "T", p->run_ns);
        add_sums(s, p, "", set, NULL);
        p->n_of_run = p->n;
        status = add_parts(s, p, set, err);
    }
    portolan_sample_set_destroy(set);
    return status;
}

/* ------------------------------------------------- trials that need not be repeated */

static bool has_value(const struct portolan_name_value *pairs, size_t n, const char *name,
                      const char *value)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(pairs[i].name, name))
            return !strcmp(pairs[i].value, value);
    return false;
}

/* The same classes with the same parameters, wherever the trial is stored. */
static bool is_same_assembly(struct subject *s, const struct portolan_trial *t)
{
    const struct portolan_assembly *a = s->bench.assembly;
    size_t n = 0;

    for (size_t i = 0; i < t->n_parameters; i++)
        n += fnmatch("*.store", t->parameters[i].name, 0) != 0;
    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_assembly_instance *x = &a->instances[i];
        const struct portolan_assembly_alternative *chosen = &x->alternatives[x->selected];

        if (!has_value(t->implementations, t->n_implementations, x->name, chosen->class_name))
            return false;
        for (size_t k = 0; k < chosen->n_parameters; k++) {
            const char *name =
                portolan_arena_printf(&s->arena, "%s.%s", x->name, chosen->parameters[k].name);

            if (!name || !fnmatch("*.store", name, 0))
                continue;
            if (!has_value(t->parameters, t->n_parameters, name, chosen->parameters[k].text))
                return false;
            n--;
        }
    }
    return n == 0;
}

/* Nothing that it ran of was built since. */
static bool is_same_build(const struct portolan_trial *t)
{
    struct tm began = {0};
    struct utsname u;

    if (uname(&u) || !has_value(t->metadata, t->n_metadata, "host", u.nodename) ||
        !strptime(t->started, "%Y-%m-%dT%H:%M:%SZ", &began))
        return false;
    for (size_t i = 0; i < t->n_metadata; i++) {
        struct stat status;

        if (!strncmp(t->metadata[i].name, "object ", 7) &&
            (stat(t->metadata[i].value, &status) || status.st_mtime >= timegm(&began)))
            return false;
    }
    return true;
}

bool diagnose_is_part(const struct subject *s, const char *component)
{
    for (size_t i = 0; i < s->n_parts; i++)
        if (!strcmp(s->parts[i].component, component))
            return true;
    return false;
}

bool diagnose_has_components(const struct subject *s, const struct diagnose_run *r,
                             const struct diagnose_profile *p)
{
    for (size_t c = 0; c < r->n_components; c++) {
        bool is_there = !diagnose_is_part(s, r->components[c]);

        for (size_t i = 0; i < p->n && !is_there; i++)
            is_there = !strcmp(p->quantities[i].component, r->components[c]);
        if (!is_there)
            return false;
    }
    return true;
}

enum portolan_status diagnose_find_profile(struct subject *s, const struct diagnose_options *o,
                                           const struct diagnose_run *r, int64_t *trial,
                                           struct portolan_error *err)
{
    const struct portolan_store_query query = {.assembly = s->bench.assembly->name,
                                               .ranks = o->ranks,
                                               .purpose = "fixed",
                                               .outcome = "finished"};
    struct portolan_sample_set *set;
    enum portolan_status status = read_trials(s, &query, false, &set, err);

    *trial = 0;
    for (size_t i = status ? 0 : set->n_trials; i-- > 0 && !status && !*trial;) {
        const struct portolan_trial *t = &set->trials[i];
        struct diagnose_profile p;

        if (portolan_trial_peek_fact(t, PORTOLAN_STORE_DISTURBED) ||
            portolan_trial_peek_fact(t, PORTOLAN_STORE_TRACE) || !is_same_assembly(s, t) ||
            !is_same_build(t))
            continue;
        status = diagnose_read_profile(s, t->id, &p, err);
        if (!status && p.n_steps > 0 && diagnose_has_components(s, r, &p)) /* with the go port */
            *trial = t->id;
    }
    portolan_sample_set_destroy(set);
    return status;
}
