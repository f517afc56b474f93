/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What process this is, where its files go, and when recording can begin: when there is a folder,
 * and MPI or portolan_record_start() has said which rank this is.
 */
#include "internal.h"

#include <portolan/probe.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Processor time where ranks have cores of their own. */
#define CPU_EVERY_NS 10e6
/* Between two calls that look in vain: no more than a loop takes; the longest sleep. */
#define GAP_SHORT_NS 10e3
#define GAP_MOST_NS  100e6

struct record_process record_process;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void set_times(void)
{
    double tick_ns = portolan_probe_ticks_to_ns(1U << 30) / (1U << 30);

    tick_ns = tick_ns > 0 ? tick_ns : 1;
    record_process.cpu_every = (uint64_t)(CPU_EVERY_NS / tick_ns);
    record_process.gap_short = (uint64_t)(GAP_SHORT_NS / tick_ns);
    record_process.gap_most = (uint64_t)(GAP_MOST_NS / tick_ns);
}

/* Hosts may have one name and other clocks, and containers other names and one clock. */
static void name_counter(void)
{
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

    if (f && fgets(record_process.counter, sizeof record_process.counter, f))
        record_process.counter[strcspn(record_process.counter, "\n")] = 0;
    if (f)
        fclose(f);
}

/* As in `sh -c 'first; second'`: the second has the folder 2 in that of the first. */
static void follow_programs(void)
{
    char *first = record_process.folder, *folder = portolan_strdup(first), *file;

    for (int n = 2; folder; n++) {
        bool is_taken;

        file = portolan_asprintf("%s/%d.0.trace", folder, record_process.rank);
        is_taken = file && !access(file, F_OK);
        free(file);
        if (!is_taken)
            break;
        free(folder);
        folder = portolan_asprintf("%s/%d", first, n);
        if (folder)
            mkdir(folder, 0777);
    }
    if (folder) {
        record_process.folder = folder;
        free(first);
    }
}

/* When there is a folder and it is known what process this is. */
static void begin(void)
{
    struct record_process *p = &record_process;

    pthread_mutex_lock(&lock);
    if (!p->has_begun && !p->has_ended && p->is_running && p->folder) {
        p->has_begun = true;
        follow_programs();
        set_times();
        p->cost_names[0] = portolan_record_name(PORTOLAN_TRACE_COST_BEFORE);
        p->cost_names[1] = portolan_record_name(PORTOLAN_TRACE_COST_AFTER);
        p->block_cost = portolan_record_name(PORTOLAN_TRACE_COST_BLOCK);
        p->polls_name = portolan_record_name(PORTOLAN_TRACE_POLLS);
        unsetenv("PORTOLAN_TRACE"); /* programs that this one starts have files of the same names */
    }
    pthread_mutex_unlock(&lock);
    window_change(WINDOW_BEGUN, p->has_begun && !p->has_ended);
}

void record_run_as(int rank, int n_ranks, unsigned flags, bool on_shared_cores)
{
    struct record_process *p = &record_process;

    pthread_mutex_lock(&lock);
    if (!p->is_running) {
        p->is_running = true;
        p->rank = rank;
        p->n_ranks = n_ranks;
        p->flags = flags;
        p->shares_cores = on_shared_cores;
        gethostname(p->host, sizeof p->host - 1);
        name_counter();
    }
    pthread_mutex_unlock(&lock);
    begin();
}

void portolan_record_start(int rank, int n_ranks)
{
    record_run_as(rank, n_ranks, 0, false);
}

enum portolan_status portolan_record_configure(const struct portolan_record_settings *settings,
                                               struct portolan_error *err)
{
    enum portolan_status status = portolan_record_window(settings->window, err);
    char *folder;

    if (status)
        return status;
    if (mkdir(settings->folder, 0777) != 0 && errno != EEXIST)
        return portolan_error_set(err, PORTOLAN_EIO, "cannot make the folder %s for traces: %s",
                                  settings->folder, strerror(errno));
    /* The program may change its working directory. */
    if (!(folder = realpath(settings->folder, NULL)))
        return portolan_error_set(err, PORTOLAN_EIO, "%s: %s", settings->folder, strerror(errno));
    pthread_mutex_lock(&lock);
    free(record_process.folder);
    record_process.folder = folder;
    __atomic_add_fetch(&record_process.folder_number, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    begin();
    return PORTOLAN_OK;
}

const char *portolan_record_peek_folder(void)
{
    return record_process.folder;
}

enum portolan_status portolan_record_configure_by_environment(bool *is_wanted,
                                                              struct portolan_error *err)
{
    const struct portolan_record_settings settings = {.folder = getenv("PORTOLAN_TRACE"),
                                                      .window = getenv("PORTOLAN_TRACE_WINDOW")};
    bool has_folder = settings.folder && *settings.folder;

    if (is_wanted)
        *is_wanted = has_folder;
    return has_folder ? portolan_record_configure(&settings, err) : PORTOLAN_OK;
}

bool portolan_record_is_possible(void)
{
    return record_process.is_running && !record_process.has_ended;
}
