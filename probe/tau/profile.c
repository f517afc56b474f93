/* SPDX-License-Identifier: BSD-3-Clause */
/* TAU profiles as files: profile.N.C.T, a folder per metric when there are several. */
#include "internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

struct writer {
    const struct portolan_probe_dump *dump;
    const char *folder;
    char stamp[80]; /* after the prefix */
    int node;
    bool with_paths;
    unsigned n_metrics;
    const char *metrics[TAU_METRICS];
    struct portolan_text facts; /* the metadata after the metric's name */
    size_t files;
};

/* ------------------------------------------------- metadata */

/* The words of the command line, which are divided by NULs. */
static void command_line_fact(struct portolan_text *t)
{
    char words[4096];
    FILE *f = fopen("/proc/self/cmdline", "re");
    size_t n = f ? fread(words, 1, sizeof words - 1, f) : 0;

    if (f)
        fclose(f);
    while (n > 0 && !words[n - 1])
        n--;
    for (size_t i = 0; i < n; i++)
        if (!words[i])
            words[i] = ' ';
    words[n] = '\0';
    portolan_tau_fact(t, "Command Line", words);
}

static void machine_facts(struct portolan_text *t)
{
    struct utsname machine;
    char text[4096];
    time_t now = time(NULL);
    struct tm utc;
    ssize_t length = readlink("/proc/self/exe", text, sizeof text - 1);

    text[length > 0 ? length : 0] = '\0';
    portolan_tau_fact(t, "Executable", text);
    command_line_fact(t);
    if (uname(&machine) == 0) {
        portolan_tau_fact(t, "Hostname", machine.nodename);
        portolan_tau_fact(t, "OS Name", machine.sysname);
        portolan_tau_fact(t, "OS Release", machine.release);
        portolan_tau_fact(t, "OS Machine", machine.machine);
    }
    snprintf(text, sizeof text, "%ld", (long)getpid());
    portolan_tau_fact(t, "pid", text);
    if (gmtime_r(&now, &utc) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc))
        portolan_tau_fact(t, "UTC Time", text);
}

static void collect_facts(const struct portolan_probe_dump *dump, struct portolan_text *t)
{
    static const char *const clocks[] = {[PORTOLAN_PROBE_CLOCK_TSC] = "tsc",
                                         [PORTOLAN_PROBE_CLOCK_MONOTONIC] = "clock_gettime",
                                         [PORTOLAN_PROBE_CLOCK_MANUAL] = "manual"};
    enum portolan_probe_clock clock = portolan_probe_clock_get();
    struct portolan_probe_cost cost;
    char text[100];

    portolan_tau_fact(t, "Portolan Version", portolan_version());
    portolan_tau_fact(t, "Clock", clocks[clock]);
    if (clock != PORTOLAN_PROBE_CLOCK_MANUAL) {
        cost = portolan_probe_cost();
        snprintf(text, sizeof text, "%.1f (spread %.1f)", cost.mean_ns, cost.spread_ns);
        portolan_tau_fact(t, "Cost of a Measured Call (ns)", text);
    }
    machine_facts(t);
    if (dump->add_facts)
        dump->add_facts(t);
}

/* ------------------------------------------------- one file */

static char *metric_folder(const struct writer *w, unsigned m)
{
    return w->n_metrics == 1 ? portolan_strdup(w->folder)
                             : portolan_tau_metric_folder(w->folder, w->metrics[m]);
}

static char *file_of(const struct writer *w, const char *folder, uint32_t thread)
{
    return portolan_asprintf("%s/%s%s.%d.0.%" PRIu32, folder, w->dump->prefix, w->stamp, w->node,
                             thread);
}

static enum portolan_status write_profile(struct writer *w, const struct portolan_tau_rows *rows,
                                          const struct tau_events *events, unsigned m,
                                          uint32_t thread, struct portolan_error *err)
{
    char *folder = metric_folder(w, m);
    char *path = folder ? file_of(w, folder, thread) : NULL;
    struct portolan_text t = {0};
    enum portolan_status status = PORTOLAN_ENOMEM;

    portolan_tau_write(&t, rows, m, w->metrics[m], w->facts.bytes, events->events, events->n);
    if (!path || t.failed)
        portolan_error_set(err, status, "out of memory");
    else if ((status = tau_make_folder(folder, err)) == PORTOLAN_OK)
        status = portolan_replace_file(path, t.bytes, t.length, err);
    if (status == PORTOLAN_OK)
        w->files++;
    portolan_text_clear(&t);
    free(path);
    free(folder);
    return status;
}

/* Removes files of an earlier run with more threads: readers would take them for ours. */
static void remove_stale(const struct writer *w, uint32_t threads)
{
    for (unsigned m = 0; m < w->n_metrics; m++) {
        char *folder = metric_folder(w, m);
        bool more = folder != NULL;

        for (uint32_t t = threads; more; t++) {
            char *path = file_of(w, folder, t);

            more = path && unlink(path) == 0;
            free(path);
        }
        free(folder);
    }
}

/* ------------------------------------------------- all files */

/* The root and the timers that were asked for, if any were. */
static void choose_rows(const struct portolan_probe_dump *dump, struct portolan_tau_rows *rows)
{
    size_t kept = 0;

    for (size_t i = 0; i < rows->n; i++) {
        bool chosen = !dump->n_timers || rows->rows[i].is_root;

        for (size_t k = 0; k < dump->n_timers && !chosen; k++)
            chosen = rows->rows[i].kind == PORTOLAN_TAU_FLAT &&
                     !strcmp(rows->rows[i].name, dump->timers[k]);
        if (chosen)
            rows->rows[kept++] = rows->rows[i];
    }
    rows->n = kept;
}

static enum portolan_status write_thread(struct writer *w, const struct tau_source *source,
                                         uint32_t thread, struct portolan_error *err)
{
    struct tau_nodes nodes = {0};
    struct tau_events events = {0};
    struct portolan_tau_rows rows = {0};
    enum portolan_status status = tau_nodes_make(&nodes, source, thread, err);

    if (status == PORTOLAN_OK && !w->dump->n_timers)
        status = tau_events_make(&events, source, thread, &nodes, w->with_paths, err);
    if (status == PORTOLAN_OK)
        status = portolan_tau_make_rows(&rows, nodes.nodes, nodes.n, nodes.n_metrics, err);
    if (status == PORTOLAN_OK)
        choose_rows(w->dump, &rows);
    for (unsigned m = 0; m < w->n_metrics && status == PORTOLAN_OK; m++)
        status = write_profile(w, &rows, &events, m, thread, err);
    portolan_arena_clear(&rows.arena);
    portolan_arena_clear(&events.arena);
    portolan_arena_clear(&nodes.arena);
    return status;
}

/* TAU's: the words of ctime(3), "__Sat-Nov-21-18:23:45-2026__". */
static void set_stamp(struct writer *w)
{
    char text[64], *rest = NULL;
    time_t now = time(NULL);
    size_t n = 0;

    if (!ctime_r(&now, text))
        strcpy(text, "");
    for (char *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
        n += (size_t)snprintf(w->stamp + n, sizeof w->stamp - n, "%s%s", n ? "-" : "__", word);
    snprintf(w->stamp + n, sizeof w->stamp - n, "__");
}

static void choose(struct writer *w)
{
    const char *paths = getenv("PORTOLAN_PROFILE_EVENT_PATHS");

    w->folder = tau_folder(w->dump->folder);
    w->with_paths = paths && *paths;
    w->metrics[0] = "TIME";
    w->n_metrics = 1;
    for (size_t i = 0; i < portolan_probe_counter_slots(); i++)
        w->metrics[w->n_metrics++] = portolan_probe_counter_slot_peek_name(i);
    if (w->dump->is_stamped)
        set_stamp(w);
}

static enum portolan_status write_all(struct writer *w, const struct tau_source *source,
                                      struct portolan_error *err)
{
    enum portolan_status status;

    collect_facts(w->dump, &w->facts);
    if (w->facts.failed)
        return portolan_no_memory(err);
    status = tau_make_folder(w->folder, err);
    for (uint32_t t = 0; t < source->snapshot.threads && status == PORTOLAN_OK; t++)
        status = write_thread(w, source, t, err);
    if (status == PORTOLAN_OK)
        remove_stale(w, source->snapshot.threads);
    return status;
}

enum portolan_status portolan_probe_dump_tau(const struct portolan_probe_dump *dump, int node,
                                             size_t *files, struct portolan_error *err)
{
    struct writer w = {.dump = dump, .node = node};
    struct tau_source source = {0};
    enum portolan_status status;
    uint64_t count;

    if (files)
        *files = 0;
    if (!*dump->prefix || strpbrk(dump->prefix, "/\n"))
        return portolan_error_set(err, PORTOLAN_EINVAL, "'%s' does not begin a file's name",
                                  dump->prefix);
    status = tau_source_take(&source, err);
    count = status == PORTOLAN_OK ? tau_count(&source) : 0;
    if (count && !(dump->written && *dump->written == count)) {
        choose(&w);
        status = write_all(&w, &source, err);
    }
    if (status == PORTOLAN_OK && dump->written)
        *dump->written = count;
    if (files)
        *files = w.files;
    portolan_text_clear(&w.facts);
    tau_source_clear(&source);
    return status;
}
