/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports: from all processes to process 0, and there into a file or the experiment store. */
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

/* What came in and was not written, since that failed: the next report has it. */
static struct cll_blocks waiting;
static bool was_reported;

bool cll_was_reported(void)
{
    return was_reported;
}

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
    struct cll_unpacked u;
    struct portolan_cll_sample *ignored;
    bool good = cll_unpack(block, &u);

    for (size_t i = 0; good && i < u.n_experiments; i++)
        if (u.experiments[i].wanted) {
            const struct cll_packed_experiment *e = &u.experiments[i];

            good = portolan_cll_report_join(report, &e->like, &ignored) == PORTOLAN_OK &&
                   add_count(report, "LOST", e, e->lost) &&
                   add_count(report, "UNMATCHED_END", e, e->unmatched) &&
                   add_count(report, "CROSSED_END", e, e->crossed);
        }
    for (size_t i = 0; good && i < u.n_nodes; i++)
        if (u.nodes[i].n_rows > 0)
            good = add_node(report, block, &u.experiments[u.nodes[i].experiment].like, &u.nodes[i]);
    cll_unpacked_clear(&u);
    return good;
}

/* What is filed already is left out. */
static enum portolan_status write_file(const struct cll_run *run, const struct cll_output *output,
                                       struct portolan_error *err)
{
    struct portolan_cll_report *report = portolan_cll_report_create();
    bool good = report && add_facts(report, run->driver, run->program);
    enum portolan_status status;

    for (size_t i = 0; good && i < run->blocks->n; i++)
        good = run->blocks->blocks[i].is_filed || add_block(report, &run->blocks->blocks[i]);
    if (good)
        status =
            portolan_cll_report_save(report, output->form, output->path, output->overwrite, err);
    else
        status = portolan_no_memory(err);
    portolan_cll_report_destroy(report);
    for (size_t i = 0; status == PORTOLAN_OK && i < run->blocks->n; i++)
        run->blocks->blocks[i].is_filed = true;
    return status;
}

static enum portolan_status put_into_store(struct cll_run *run, const char *path,
                                           struct portolan_error *err)
{
    struct portolan_cll_report *facts = portolan_cll_report_create();
    enum portolan_status status;

    if (facts && add_facts(facts, run->driver, run->program)) {
        run->facts = facts;
        status = cll_store_put(run, path, err);
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

bool cll_output_choose(const char *program, struct cll_output *o)
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

void cll_blocks_clear(struct cll_blocks *b)
{
    for (size_t i = 0; i < b->n; i++)
        free(b->blocks[i].bytes);
    free(b->blocks);
    *b = (struct cll_blocks){0};
}

struct gathering {
    struct cll_blocks *blocks;
    int n_ranks;
};

static int take(void *arg, int rank, const void *bytes, size_t n)
{
    struct gathering *g = arg;
    struct cll_block *more;
    char *copy;

    if (n == 0)
        return 0; /* a process that had no memory for more */
    more = portolan_reallocarray(g->blocks->blocks, g->blocks->n + 1, sizeof *more);
    if (!more)
        return -1;
    g->blocks->blocks = more;
    copy = portolan_calloc(n, 1);
    if (!copy)
        return -1;
    memcpy(copy, bytes, n);
    more[g->blocks->n++] = (struct cll_block){rank, g->n_ranks, false, n, copy};
    return 0;
}

/* At process 0: to where it is to go; what is in one place already does not go there again. */
static int publish(const char *driver, const char *program)
{
    struct cll_run run = {driver, program, &waiting, NULL, cll_cost()};
    struct portolan_error err = {0};
    struct cll_output output;
    enum portolan_status status = PORTOLAN_OK;

    if (!cll_output_choose(program, &output))
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
    cll_blocks_clear(&waiting);
    return 0;
}

/* Who reports; the other lock is free while processes wait for each other. */
static pthread_mutex_t report_lock = PTHREAD_MUTEX_INITIALIZER;

static int report(const struct portolan_cll_driver *driver, void *machine, const char *program,
                  const char *name)
{
    struct portolan_error err = {0};
    struct gathering g = {&waiting, driver->size(machine)};
    size_t size = 0, before = waiting.n;
    char *bytes = NULL;
    int result = cll_pack(name, &bytes, &size, &err) == PORTOLAN_OK ? 0 : -1, published = 0;

    if (result)
        cll_warn("process %d reports nothing: %s", driver->rank(machine), err.text);
    if (name && driver->rank(machine) == 0 && !cll_is_known(name))
        cll_warn("there is no experiment '%s' to report", name);
    /* collective, so also where there is nothing to give */
    if (driver->gather(machine, bytes ? bytes : "", size, take, &g) != 0) {
        cll_warn("the samples did not come to process 0");
        while (waiting.n > before)
            free(waiting.blocks[--waiting.n].bytes);
        result = -1;
    } else if (bytes) {
        cll_take_packed();
    }
    free(bytes);
    if (driver->rank(machine) == 0 && waiting.n > 0)
        published = publish(driver->name, program);
    return result ? result : published;
}

/* Programs that end early have no name by their report. */
static char *named;

static void report_alone(int rank, int n_ranks)
{
    struct portolan_error err = {0};
    struct gathering g = {&waiting, n_ranks};
    char *bytes = NULL;
    size_t size = 0;

    if (cll_pack(NULL, &bytes, &size, &err) != PORTOLAN_OK || take(&g, rank, bytes, size) != 0)
        cll_warn("process %d reports nothing: out of memory", rank);
    else
        cll_take_packed();
    free(bytes);
    if (waiting.n > 0)
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
    if (cll_is_unreported() || waiting.n > 0)
        report_alone(rank, n_ranks);
    pthread_mutex_unlock(&report_lock);
    return true;
}

void cll_report_forget(void)
{
    pthread_mutex_init(&report_lock, NULL);
    cll_blocks_clear(&waiting);
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
