/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports: from all processes to process 0, and there into a file or the experiment store. */
/* What is written at process 0, and where to. */
#include "internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

/* What came in and was not written, since that failed: the next report has it. */
static struct cll_block *waiting;
static size_t n_waiting;
static bool was_reported;

bool cll_was_reported(void)
{
    return was_reported;
}

struct cll_output {
    char *path; /* NULL: no file */
    enum portolan_cll_form form;
    bool overwrite;
    const char *store; /* NULL: none; borrowed */
};

/* ------------------------------------------------------------------ facts */

static bool add(struct portolan_cll_report *report, const char *name, const char *value)
{
    return portolan_cll_report_add_header(report, name, value) == PORTOLAN_OK;
}

static bool add_machine(struct portolan_cll_report *report)
{
    struct utsname m;

    if (uname(&m) != 0)
        return true;
    return add(report, "NODE_NAME", m.nodename) && add(report, "SYSNAME", m.sysname) &&
           add(report, "RELEASE", m.release) && add(report, "VERSION", m.version);
}

static bool add_date(struct portolan_cll_report *report)
{
    time_t now = time(NULL);
    struct tm utc;
    char text[40];

    return !gmtime_r(&now, &utc) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) ||
           add(report, "DATE", text);
}

static bool add_count(struct portolan_cll_report *report, const char *name,
                      const struct cll_packed_experiment *e, uint64_t count)
{
    char *text = count ? portolan_asprintf("%s %" PRIu64, e->like.name, count) : NULL;
    bool good = !count || (text && add(report, name, text));

    free(text);
    return good;
}

static bool add_facts(struct portolan_cll_report *report, const char *driver, const char *program)
{
    char cost[32];

    snprintf(cost, sizeof cost, "%.3g", cll_cost());
    return add(report, "CALL_VERSION", portolan_version()) && add(report, "PROGRAM", program) &&
           add_machine(report) && add(report, "PARALLEL_ID", driver) && add_date(report) &&
           add(report, "COST_SECONDS", cost);
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

/* What is filed already is left out. */
static enum portolan_status write_file(const struct cll_run *run, const struct cll_output *output,
                                       struct portolan_error *err)
{
    struct portolan_cll_report *report = portolan_cll_report_create();
    bool good = report && add_facts(report, run->driver, run->program);
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
    static const char here; /* in this library */
    Dl_info own;
    const char *slash;

    if (!dladdr(&here, &own) || !own.dli_fname || !(slash = strrchr(own.dli_fname, '/')))
        return portolan_strdup(name);
    return portolan_asprintf("%.*s/%s", (int)(slash - own.dli_fname), own.dli_fname, name);
}

/* Never unloaded. */
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

/* Adds a trial, all of it or nothing. */
static enum portolan_status store_put(const struct cll_run *run, const char *path,
                                      struct portolan_error *err)
{
    static cll_store_put_fn *put; /* under the lock of reports */

    if (!put && !(put = load_store(err)))
        return err->status;
    return put(run, path, err);
}

static enum portolan_status put_into_store(struct cll_run *run, const char *path,
                                           struct portolan_error *err)
{
    struct portolan_cll_report *facts = portolan_cll_report_create();
    enum portolan_status status;

    if (facts && add_facts(facts, run->driver, run->program)) {
        run->facts = facts;
        status = store_put(run, path, err);
    } else {
        status = portolan_no_memory(err);
    }
    portolan_cll_report_destroy(facts);
    return status;
}

/* ------------------------------------------------------------------ where it goes */

bool cll_is_on(const char *name)
{
    const char *text = getenv(name);

    return text && *text && strcmp(text, "0") != 0;
}

static bool set_form(struct cll_output *o)
{
    const char *form = getenv("CLL_FORMAT");

    o->form = PORTOLAN_CLL_TEXT;
    if (!form || !*form || !strcmp(form, "text"))
        return true;
    if (!strcmp(form, "json"))
        o->form = PORTOLAN_CLL_JSON;
    else
        cll_warn("CLL_FORMAT is '%s'; use text or json; text is written", form);
    return true;
}

/* By the environment; false: out of memory. */
static bool choose_output(const char *program, struct cll_output *o)
{
    const char *path = getenv("CLL_OUTPUT"), *store = getenv("CLL_STORE");
    bool asked = (path && *path) || cll_is_on("CLL_FORMAT");

    *o = (struct cll_output){.overwrite = cll_is_on("CLL_OVERWRITE")};
    o->store = store && *store ? store : NULL;
    if (o->store && !asked)
        return true;
    o->path = path && *path ? portolan_strdup(path) : portolan_asprintf("%s.cll.dat", program);
    return o->path && set_form(o);
}

/* ------------------------------------------------------------------ gathering */

/* Only the first N go on waiting. */
static void forget_blocks(size_t n)
{
    while (n_waiting > n) {
        struct cll_block *block = &waiting[--n_waiting];

        portolan_arena_clear(&block->arena);
        free(block->bytes);
    }
}

/* ARG: how many ranks there are. */
static int take(void *arg, int rank, const void *bytes, size_t n)
{
    const int *n_ranks = arg;
    struct cll_block *more, *block;

    if (n == 0)
        return 0; /* a process that had no memory for more */
    more = portolan_reallocarray(waiting, n_waiting + 1, sizeof *more);
    if (!more)
        return -1;
    waiting = more;
    block = &more[n_waiting];
    *block = (struct cll_block){.rank = rank, .n_ranks = *n_ranks, .bytes = portolan_calloc(n, 1)};
    if (!block->bytes)
        return -1;
    memcpy(block->bytes, bytes, n);
    n_waiting++;
    if (cll_unpack(block, n))
        return 0;
    forget_blocks(n_waiting - 1);
    return -1;
}

/* At process 0: to where it is to go; what is in one place already does not go there again. */
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

/* Who reports; the other lock is free while processes wait for each other. */
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
    /* collective, so also where there is nothing to give */
    if (driver->gather(machine, bytes ? bytes : "", size, take, &n_ranks) != 0) {
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

/* Programs that end early have no name by their report. */
static char *named;

static void report_alone(int rank, int n_ranks)
{
    struct portolan_error err = {0};
    char *bytes = NULL;
    size_t size = 0;

    if (cll_pack(NULL, &bytes, &size, &err) != PORTOLAN_OK ||
        take(&n_ranks, rank, bytes, size) != 0)
        cll_warn("process %d reports nothing: out of memory", rank);
    else
        cll_take_packed();
    free(bytes);
    if (n_waiting > 0)
        publish("none: the program ended before its report",
                named ? named : program_invocation_short_name);
}

bool cll_report_rest(int rank, int n_ranks)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    if (pthread_mutex_timedlock(&report_lock, &until) != 0)
        return false; /* who reports may be waiting for another process for ever */
    if (cll_is_unreported() || n_waiting > 0)
        report_alone(rank, n_ranks);
    pthread_mutex_unlock(&report_lock);
    return true;
}

void cll_report_forget(void)
{
    pthread_mutex_init(&report_lock, NULL);
    forget_blocks(0);
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
