/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports: from all processes to process 0, and there into a file or the experiment store. If a
 * program ends before it reports and CLL_FLUSH is set, each process writes its own samples, on exit
 * or when a signal is about to end it. A thread that waits for the signal does the writing, because
 * signal handlers must do next to nothing. Without CLL_FLUSH the user is warned.
 */
#include "internal.h"

#include <portolan/list.h>

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* Blocks that could not be written; the next report includes them. */
static struct cll_block *waiting;
static size_t n_waiting;
static bool was_reported;

struct cll_output {
    char *path; /* NULL: no file */
    enum portolan_cll_form form;
    bool overwrite;
    const char *store; /* NULL: none; borrowed */
};

/* ------------------------------------------------------------------ facts */

static bool add_header(struct portolan_cll_report *report, const char *name, const char *value)
{
    return portolan_cll_report_add_header(report, name, value) == PORTOLAN_OK;
}

static bool add_machine(struct portolan_cll_report *report)
{
    struct utsname m;

    if (uname(&m) != 0)
        return true;
    return add_header(report, "NODE_NAME", m.nodename) &&
           add_header(report, "SYSNAME", m.sysname) && add_header(report, "RELEASE", m.release) &&
           add_header(report, "VERSION", m.version);
}

static bool add_date(struct portolan_cll_report *report)
{
    time_t now = time(NULL);
    struct tm utc;
    char text[40];

    return !gmtime_r(&now, &utc) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) ||
           add_header(report, "DATE", text);
}

static bool add_count(struct portolan_cll_report *report, const char *name,
                      const struct cll_packed_experiment *e, uint64_t count)
{
    char *text = count ? portolan_asprintf("%s %" PRIu64, e->like.name, count) : NULL;
    bool good = !count || (text && add_header(report, name, text));

    free(text);
    return good;
}

/* A report with only the facts of its head; NULL when memory is out. */
static struct portolan_cll_report *begin_report(const struct cll_run *run)
{
    struct portolan_cll_report *r = portolan_cll_report_create();
    char cost[32];

    snprintf(cost, sizeof cost, "%.3g", run->cost);
    if (r && add_header(r, "CALL_VERSION", portolan_version()) &&
        add_header(r, "PROGRAM", run->program) && add_machine(r) &&
        add_header(r, "PARALLEL_ID", run->driver) && add_date(r) &&
        add_header(r, "COST_SECONDS", cost))
        return r;
    portolan_cll_report_destroy(r);
    return NULL;
}

/* ------------------------------------------------------------------ rows */

static bool add_node(struct portolan_cll_report *report, const struct cll_block *block,
                     const struct portolan_cll_sample *like, const struct cll_packed_node *node)
{
    size_t width = like->n_identifiers + like->n_observables;
    struct portolan_cll_sample *s;
    double *row;

    if (portolan_cll_report_join(report, like, &s) != PORTOLAN_OK ||
        !(row = portolan_cll_sample_add_rows(s, node->n_rows)))
        return false;
    for (size_t i = 0; i < node->n_rows; i++, row += width + PORTOLAN_CLL_FIXED_COLUMNS) {
        row[0] = block->rank;
        row[1] = block->n_ranks;
        memcpy(row + PORTOLAN_CLL_FIXED_COLUMNS, node->rows + i * (ROW_FIRST + width) + ROW_FIRST,
               width * sizeof *row);
    }
    return true;
}

static bool add_block(struct portolan_cll_report *report, const struct cll_block *block)
{
    struct portolan_cll_sample *ignored;
    bool good = true;

    for (size_t i = 0; good && i < block->n_experiments; i++)
        if (block->experiments[i].wanted) {
            const struct cll_packed_experiment *e = &block->experiments[i];

            good = portolan_cll_report_join(report, &e->like, &ignored) == PORTOLAN_OK &&
                   add_count(report, "LOST", e, e->lost) &&
                   add_count(report, "UNMATCHED_END", e, e->unmatched) &&
                   add_count(report, "CROSSED_END", e, e->crossed);
        }
    for (size_t i = 0; good && i < block->n_nodes; i++)
        if (block->nodes[i].n_rows > 0)
            good = add_node(report, block, &block->experiments[block->nodes[i].experiment].like,
                            &block->nodes[i]);
    return good;
}

/* Leaves out blocks that were filed before. */
static enum portolan_status write_file(const struct cll_run *run, const struct cll_output *output,
                                       struct portolan_error *err)
{
    struct portolan_cll_report *report = begin_report(run);
    bool good = report;
    enum portolan_status status;

    for (size_t i = 0; good && i < n_waiting; i++)
        good = waiting[i].is_filed || add_block(report, &waiting[i]);
    if (good)
        status =
            portolan_cll_report_save(report, output->form, output->path, output->overwrite, err);
    else
        status = portolan_no_memory(err);
    portolan_cll_report_destroy(report);
    for (size_t i = 0; status == PORTOLAN_OK && i < n_waiting; i++)
        waiting[i].is_filed = true;
    return status;
}

/* ------------------------------------------------------------------ the store */

static char *path_beside(const char *name)
{
    static const char here; /* its address identifies this library */
    Dl_info own;
    const char *slash;

    if (!dladdr(&here, &own) || !own.dli_fname || !(slash = strrchr(own.dli_fname, '/')))
        return portolan_strdup(name);
    return portolan_asprintf("%.*s/%s", (int)(slash - own.dli_fname), own.dli_fname, name);
}

/* The library is never unloaded. */
static cll_store_put_fn *load_store(struct portolan_error *err)
{
    char *path = path_beside(CLL_STORE_LIBRARY);
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    cll_store_put_fn *put = NULL;

    if (!path)
        portolan_no_memory(err);
    else if (!library || !(*(void **)&put = dlsym(library, "portolan_cll_store_put")))
        portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                           "the library for the experiment store cannot be loaded: %s", dlerror());
    free(path);
    return put;
}

static enum portolan_status put_into_store(struct cll_run *run, const char *path,
                                           struct portolan_error *err)
{
    static cll_store_put_fn *put; /* under the lock of reports */
    struct portolan_cll_report *facts = begin_report(run);
    enum portolan_status status;

    run->facts = facts;
    if (!facts)
        status = portolan_no_memory(err);
    else if (!put && !(put = load_store(err)))
        status = err->status;
    else
        status = put(run, path, err);
    portolan_cll_report_destroy(facts);
    return status;
}

/* ------------------------------------------------------------------ where it goes */

static bool is_on(const char *name)
{
    const char *text = getenv(name);

    return text && *text && strcmp(text, "0") != 0;
}

static enum portolan_cll_form choose_form(void)
{
    const char *form = getenv("CLL_FORMAT");

    if (form && !strcmp(form, "json"))
        return PORTOLAN_CLL_JSON;
    if (form && *form && strcmp(form, "text") != 0)
        cll_warn("CLL_FORMAT is '%s'; use text or json; text is written", form);
    return PORTOLAN_CLL_TEXT;
}

/* Follows the environment; false when memory is out. */
static bool choose_output(const char *program, struct cll_output *o)
{
    const char *path = getenv("CLL_OUTPUT"), *store = getenv("CLL_STORE");
    bool asked = (path && *path) || is_on("CLL_FORMAT");

    *o = (struct cll_output){.overwrite = is_on("CLL_OVERWRITE")};
    o->store = store && *store ? store : NULL;
    if (o->store && !asked)
        return true;
    o->path = path && *path ? portolan_strdup(path) : portolan_asprintf("%s.cll.dat", program);
    o->form = choose_form();
    return o->path;
}

/* ------------------------------------------------------------------ gathering */

/* Drops all but the first N blocks. */
static void forget_blocks(size_t n)
{
    while (n_waiting > n) {
        struct cll_block *block = &waiting[--n_waiting];

        portolan_arena_clear(&block->arena);
        free(block->bytes);
    }
}

/* ARG is the number of ranks. */
static int take_block(void *arg, int rank, const void *bytes, size_t n)
{
    const int *n_ranks = arg;
    struct cll_block added = {.rank = rank, .n_ranks = *n_ranks}, *block;

    if (n == 0)
        return 0; /* that process had no memory */
    added.bytes = portolan_calloc(n, 1);
    block = added.bytes ? portolan_append(&waiting, &n_waiting, &added, sizeof added) : NULL;
    if (!block) {
        free(added.bytes);
        return -1;
    }
    memcpy(block->bytes, bytes, n);
    if (cll_unpack(block, n))
        return 0;
    forget_blocks(n_waiting - 1);
    return -1;
}

/* At process 0: writes to all outputs, but not again where an earlier try succeeded. */
static int publish(const char *driver, const char *program)
{
    struct cll_run run = {driver, program, n_waiting, waiting, NULL, cll_cost()};
    struct portolan_error err = {0};
    struct cll_output output;
    enum portolan_status status = PORTOLAN_OK;

    if (!choose_output(program, &output))
        status = portolan_no_memory(&err);
    if (status == PORTOLAN_OK && output.path)
        status = write_file(&run, &output, &err);
    if (status == PORTOLAN_OK && output.store)
        status = put_into_store(&run, output.store, &err);
    free(output.path);
    if (status != PORTOLAN_OK) {
        cll_warn("the report of '%s' is not written: %s", program, err.text);
        return -1;
    }
    forget_blocks(0);
    return 0;
}

/* For reports. The other lock stays free while processes wait for each other. */
static pthread_mutex_t report_lock = PTHREAD_MUTEX_INITIALIZER;

static int report(const struct portolan_cll_driver *driver, void *machine, const char *program,
                  const char *name)
{
    struct portolan_error err = {0};
    int n_ranks = driver->size(machine);
    size_t size = 0, before = n_waiting;
    char *bytes = NULL;
    int result = cll_pack(name, &bytes, &size, &err) == PORTOLAN_OK ? 0 : -1, published = 0;

    if (result)
        cll_warn("process %d reports nothing: %s", driver->rank(machine), err.text);
    if (name && driver->rank(machine) == 0 && !cll_is_known(name))
        cll_warn("there is no experiment '%s' to report", name);
    /* collective, so every process takes part, even with nothing to give */
    if (driver->gather(machine, bytes ? bytes : "", size, take_block, &n_ranks) != 0) {
        cll_warn("the samples did not come to process 0");
        forget_blocks(before);
        result = -1;
    } else if (bytes) {
        cll_take_packed();
    }
    free(bytes);
    if (driver->rank(machine) == 0 && n_waiting > 0)
        published = publish(driver->name, program);
    return result ? result : published;
}

/* The program's name from its last report, for programs that end early. */
static char *named;

static void report_alone(int rank, int n_ranks)
{
    struct portolan_error err = {0};
    char *bytes = NULL;
    size_t size = 0;

    if (cll_pack(NULL, &bytes, &size, &err) != PORTOLAN_OK ||
        take_block(&n_ranks, rank, bytes, size) != 0)
        cll_warn("process %d reports nothing: out of memory", rank);
    else
        cll_take_packed();
    free(bytes);
    if (n_waiting > 0)
        publish("none: the program ended before its report",
                named ? named : program_invocation_short_name);
}

/* Reports for this process alone when its program ends; false if another report is under way. */
static bool report_rest(int rank, int n_ranks)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    if (pthread_mutex_timedlock(&report_lock, &until) != 0)
        return false; /* that report may be waiting for another process for ever */
    if (cll_is_unreported() || n_waiting > 0)
        report_alone(rank, n_ranks);
    pthread_mutex_unlock(&report_lock);
    return true;
}

int portolan_cll_report(const struct portolan_cll_driver *driver, void *machine,
                        const char *program, const char *name)
{
    int result;

    if (!program || !*program)
        program = program_invocation_short_name;
    portolan_probe_ticks_to_ns(1);
    cll_cost();
    pthread_mutex_lock(&report_lock);
    free(named);
    named = portolan_strdup(program);
    was_reported = true;
    result = report(driver ? driver : &portolan_cll_seq, machine, program, name);
    pthread_mutex_unlock(&report_lock);
    return result;
}

/* ------------------------------------------------------------------ one process */

static int rank_0(void *machine)
{
    (void)machine;
    return 0;
}

static int size_1(void *machine)
{
    (void)machine;
    return 1;
}

static void no_barrier(void *machine, void *argument)
{
    (void)machine, (void)argument;
}

static int take_own(void *machine, const void *bytes, size_t n,
                    int (*take)(void *arg, int rank, const void *bytes, size_t n), void *arg)
{
    (void)machine;
    return take(arg, 0, bytes, n);
}

const struct portolan_cll_driver portolan_cll_seq = {
    .name = "SEQ",
    .rank = rank_0,
    .size = size_1,
    .sync = no_barrier,
    .gather = take_own,
};

void portolan_cll_sync(const struct portolan_cll_driver *driver, void *machine, void *argument)
{
    if (driver && driver->sync)
        driver->sync(machine, argument);
}

/* ----------------------------------------------------------------------- the end of the program */

static bool flushes;
static sem_t wake;
static volatile sig_atomic_t caught;
/* Signals that end programs, unless the program handles them. */
static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGXCPU};
#define SIGNALS (sizeof signals / sizeof *signals)
static bool is_watched[SIGNALS];

/* Launchers put rank and size in the environment; the driver may no longer be available. */
static int number_in(const char *const *names, int otherwise)
{
    for (; *names; names++) {
        int64_t value;

        if (portolan_read_int64(getenv(*names), &value) && value >= 0 && value < 1 << 30)
            return (int)value;
    }
    return otherwise;
}

int cll_launched_rank(void)
{
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK", NULL};

    return number_in(names, 0);
}

static int launched_size(void)
{
    static const char *const names[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", NULL};
    int size = number_in(names, 1);

    return size > cll_launched_rank() ? size : cll_launched_rank() + 1;
}

static void flush(void)
{
    if (!report_rest(cll_launched_rank(), launched_size()))
        cll_warn("what was measured is not written: a report is under way");
}

static void at_exit(void)
{
    if (flushes)
        flush();
    else if (!was_reported && cll_launched_rank() == 0 && cll_is_unreported())
        cll_warn("the program ends without a report of what it measured; with CLL_FLUSH=1 in the "
                 "environment it is written all the same");
}

/* ------------------------------------------------------------------ forks */

static void before_fork(void)
{
    pthread_mutex_lock(&cll_lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&cll_lock);
}

/* The samples so far belong to the parent, and so does the thread that waits for signals. */
static void in_child(void)
{
    for (size_t i = 0; i < SIGNALS; i++)
        if (is_watched[i])
            signal(signals[i], SIG_DFL);
    cll_forget_samples();
    pthread_mutex_init(&report_lock, NULL);
    forget_blocks(0);
    pthread_mutex_unlock(&cll_lock);
}

/* ------------------------------------------------------------------ signals */

static void on_signal(int number)
{
    caught = number;
    sem_post(&wake);
}

static void *wait_for_signal(void *arg)
{
    (void)arg;
    while (sem_wait(&wake) != 0)
        continue;
    flush();
    signal(caught, SIG_DFL);
    kill(getpid(), caught);
    return NULL;
}

static void watch_signals(void)
{
    sigset_t all, before;
    pthread_t thread;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    if (sem_init(&wake, 0, 0) == 0 && pthread_create(&thread, NULL, wait_for_signal, NULL) == 0) {
        pthread_detach(thread);
        for (size_t i = 0; i < SIGNALS; i++) {
            struct sigaction old, own = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

            if (sigaction(signals[i], NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
                old.sa_handler == SIG_DFL)
                is_watched[i] = sigaction(signals[i], &own, NULL) == 0;
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void cll_exit_watch(void)
{
    static bool watches;

    if (watches)
        return;
    watches = true;
    atexit(at_exit);
    pthread_atfork(before_fork, after_fork, in_child);
    flushes = is_on("CLL_FLUSH");
    if (flushes)
        watch_signals();
}
