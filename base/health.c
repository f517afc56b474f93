/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/command.h>
#include <portolan/health.h>
#include <portolan/json.h>
#include <portolan/machine.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char *const state_words[] = {"fine", "note", "lack"};

void portolan_health_add(struct portolan_health *h, const char *name,
                         enum portolan_health_state state, const char *found, const char *costs,
                         const char *remedy)
{
    if (h->n == PORTOLAN_HEALTH_MOST)
        return;
    h->n_lacks += state == PORTOLAN_HEALTH_LACK;
    h->findings[h->n++] =
        (struct portolan_finding){name, state, portolan_arena_strdup(&h->arena, found),
                                  state == PORTOLAN_HEALTH_FINE ? NULL : costs,
                                  state == PORTOLAN_HEALTH_FINE ? NULL : remedy};
}

void portolan_health_add_result(struct portolan_health *h, const char *name,
                                const struct portolan_error *err, const char *found,
                                enum portolan_health_state state, const char *costs,
                                const char *remedy)
{
    if (err->status)
        portolan_health_add(h, name, state, err->text, costs, remedy);
    else
        portolan_health_add(h, name, PORTOLAN_HEALTH_FINE, found, NULL, NULL);
}

void portolan_health_add_command(struct portolan_health *h, const char *name,
                                 const char *const *words, const char *found,
                                 enum portolan_health_state state, const char *costs,
                                 const char *remedy)
{
    struct portolan_words all = {0};
    struct portolan_error err = {0};
    const char *folder = portolan_temporary_folder(&h->arena, &err), *said = "", *file;
    size_t size = 0;

    if (folder) {
        file = portolan_arena_printf(&h->arena, "%s/out", folder);
        while (*words)
            portolan_words_add(&h->arena, &all, *words++);
        if (portolan_command_run(&h->arena, &all, file, &err) &&
            !portolan_file_read(&h->arena, file, &said, &size, NULL) && size > 0)
            snprintf(err.text, sizeof err.text, "%s: %.*s", all.word[0], (int)strcspn(said, "\n"),
                     said);
        portolan_folder_remove(folder);
    }
    portolan_health_add_result(h, name, &err, found, state, costs, remedy);
}

void portolan_health_examine_cores(struct portolan_health *h)
{
    const char *found = portolan_arena_printf(&h->arena, h->n_ranks > 0 ? "%d for %d rank%s" : "%d",
                                              h->n_cores, h->n_ranks, h->n_ranks == 1 ? "" : "s");

    if (h->n_ranks <= h->n_cores)
        portolan_health_add(h, "cores", PORTOLAN_HEALTH_FINE, found, NULL, NULL);
    else
        portolan_health_add(
            h, "cores", PORTOLAN_HEALTH_NOTE, found,
            "ranks wait for cores: times include this waiting, and trials are marked as disturbed",
            portolan_arena_printf(&h->arena, "start at most %d ranks on this host", h->n_cores));
}

void portolan_health_examine_threads(struct portolan_health *h, const char *openmp,
                                     const char *blas, int n_blas)
{
    int64_t each = h->n_cores;
    int ranks = h->n_ranks > 0 ? h->n_ranks : 1;
    const char *found = portolan_arena_printf(
        &h->arena, "OMP_NUM_THREADS is %s%s", openmp ? openmp : "not set",
        n_blas ? portolan_arena_printf(&h->arena, "; %s has %d of its own", blas, n_blas) : "");

    if (openmp)
        portolan_read_int64(openmp, &each);
    if (n_blas > each)
        each = n_blas;
    if (each <= 1 || each * ranks <= h->n_cores)
        portolan_health_add(h, "threads", PORTOLAN_HEALTH_FINE, found, NULL, NULL);
    else
        portolan_health_add(
            h, "threads", PORTOLAN_HEALTH_NOTE, found,
            portolan_arena_printf(&h->arena,
                                  "implementations with OpenMP or a threaded BLAS start %lld "
                                  "threads in each rank and share cores",
                                  (long long)each),
            portolan_arena_printf(&h->arena, "export OMP_NUM_THREADS=%d",
                                  ranks < h->n_cores ? h->n_cores / ranks : 1));
}

void portolan_health_examine_counters(struct portolan_health *h, const char *description)
{
    static const char available[] = "hardware counters: available";

    if (strncmp(description, available, sizeof available - 1) != 0)
        portolan_health_add(h, "counters", PORTOLAN_HEALTH_NOTE, description,
                            "times are measured, but no cache misses or operations",
                            "build with PAPI on a machine, or a virtual one, that shows its "
                            "counters to users (sysctl kernel.perf_event_paranoid)");
    else if (strstr(description, "user mode only"))
        portolan_health_add(h, "counters", PORTOLAN_HEALTH_NOTE, description,
                            "context switches and other work of the kernel are not counted",
                            "sysctl kernel.perf_event_paranoid=1, or less (as root)");
    else
        portolan_health_add(h, "counters", PORTOLAN_HEALTH_FINE, description, NULL, NULL);
}

void portolan_health_examine_folder(struct portolan_health *h, const char *folder)
{
    const double least = 1 << 30;
    struct statvfs disk;
    double free_bytes;
    const char *found;

    if (access(folder, W_OK | X_OK) || statvfs(folder, &disk)) {
        found =
            portolan_arena_printf(&h->arena, "'%s' cannot be written: %s", folder, strerror(errno));
        portolan_health_add(h, "store", PORTOLAN_HEALTH_LACK, found,
                            "measurements cannot be stored", "name another place with --store");
        return;
    }
    free_bytes = (double)disk.f_bavail * (double)disk.f_frsize;
    found =
        portolan_arena_printf(&h->arena, "'%s' has room, %.1f GiB", folder, free_bytes / (1 << 30));
    if (free_bytes < least)
        portolan_health_add(
            h, "store", PORTOLAN_HEALTH_NOTE, found,
            "if a run fills the disk, its earlier measurements remain and later ones are lost",
            "delete trials (portolan trials --delete), or name another place with --store");
    else if (portolan_machine_shares(folder))
        portolan_health_add(
            h, "store", PORTOLAN_HEALTH_NOTE, found,
            "the store is on a network file system: writers wait longer for each other",
            "keep it on a disk of this machine, or on a PostgreSQL server");
    else
        portolan_health_add(h, "store", PORTOLAN_HEALTH_FINE, found, NULL, NULL);
}

/* ------------------------------------------------------------------ as text */

void portolan_health_write(const struct portolan_health *h, struct portolan_text *out)
{
    for (size_t i = 0; i < h->n; i++) {
        const struct portolan_finding *f = &h->findings[i];

        portolan_text_add(out, "%-13s %s  %s\n", f->name, state_words[f->state], f->found);
        if (f->state != PORTOLAN_HEALTH_FINE)
            portolan_text_add(out, "%20scosts:  %s\n%20sremedy: %s\n", "", f->costs, "", f->remedy);
    }
    out->failed = out->failed || h->arena.failed;
}

void portolan_health_write_json(const struct portolan_health *h, struct portolan_text *out)
{
    struct portolan_json j = {.out = out};

    portolan_json_open(&j, NULL, '{');
    portolan_json_text(&j, "portolan", portolan_version());
    portolan_json_number(&j, "lacks", (double)h->n_lacks);
    portolan_json_open(&j, "findings", '[');
    for (size_t i = 0; i < h->n; i++) {
        const struct portolan_finding *f = &h->findings[i];

        portolan_json_open(&j, NULL, '{');
        portolan_json_text(&j, "name", f->name);
        portolan_json_text(&j, "state", state_words[f->state]);
        portolan_json_text(&j, "found", f->found);
        portolan_json_text(&j, "costs", f->costs);
        portolan_json_text(&j, "remedy", f->remedy);
        portolan_json_close(&j, '}');
    }
    portolan_json_close(&j, ']');
    portolan_json_close(&j, '}');
    out->failed = out->failed || h->arena.failed;
}
