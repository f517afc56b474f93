/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `portolan doctor`: what this machine has of what Portolan uses, what each lack costs, and what
 * would help. It tries things where it can, and else asks the room that uses them.
 */
#include "cli.h"

#include <portolan/command.h>
#include <portolan/json.h>
#include <portolan/machine.h>
#include <portolan/mpi.h>
#include <portolan/probe.h>
#include <portolan/progress.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* A LACK is of something that Portolan needs. */
enum state { FINE, NOTE, LACK };
static const char *const state_words[] = {"fine", "note", "lack"};

struct finding {
    enum state state;
    const char *found, *costs, *remedy; /* all in the arena, or static */
};

struct doctor {
    /* options */
    int n_ranks; /* on this host; 0: as many as were started */
    const char *store;
    bool json;
    /* what several examinations ask */
    struct portolan_arena arena;
    struct portolan_cohort *cohort;
    struct portolan_error mpi; /* why it does not run */
    int n_cores, n_hosts;
};

static const struct cli_option options[] = {
    {"ranks", 'n', "N", "check for N ranks on this machine (default: those that were started)",
     INTO(struct doctor, n_ranks), .least = 1, .wanted = "a number of ranks"},
    {"store", 'd', "FILE", "the experiment store (default: portolan.db)",
     INTO(struct doctor, store)},
    {"json", 'j', NULL, "print JSON", INTO(struct doctor, json)},
    {0},
};

/* The child that execs it is a copy of this program. */
#define SELF "/proc/self/exe"

static void set(struct finding *f, enum state state, const char *costs, const char *remedy)
{
    f->state = state;
    f->costs = costs;
    f->remedy = remedy;
}

/* Keeps the text of ERR, which says what was found. */
static void set_error(struct doctor *d, struct finding *f, const struct portolan_error *err)
{
    f->found = portolan_arena_strdup(&d->arena, err->text);
}

/* Runs the words up to NULL; what they print is the first line of ERR's text if they fail. */
static bool runs(struct doctor *d, const char *const *words, struct portolan_error *err)
{
    struct portolan_words all = {0};
    const char *folder = portolan_temporary_folder(&d->arena, err), *said = "", *file;
    size_t size = 0;

    if (!folder)
        return false;
    file = portolan_arena_printf(&d->arena, "%s/out", folder);
    while (*words)
        portolan_words_add(&d->arena, &all, *words++);
    if (portolan_command_run(&d->arena, &all, file, err) &&
        !portolan_file_read(&d->arena, file, &said, &size, NULL) && size > 0)
        snprintf(err->text, sizeof err->text, "%s: %.*s", all.word[0], (int)strcspn(said, "\n"),
                 said);
    portolan_folder_remove(folder);
    return err->status == PORTOLAN_OK;
}

/* ------------------------------------------------------------------ ranks and cores */

static void examine_mpi(struct doctor *d, struct finding *f)
{
    if (d->mpi.status == PORTOLAN_OK) {
        f->found = d->cohort->medium;
        return;
    }
    set_error(d, f, &d->mpi);
    set(f, LACK, "no assembly runs", "start Portolan with " MPIEXEC ", or without a launcher");
}

static void examine_launcher(struct doctor *d, struct finding *f)
{
    struct portolan_error err = {0};

    if (d->cohort->size > 1) {
        f->found = portolan_arena_printf(&d->arena, "%d ranks were started, on %d host%s",
                                         d->cohort->size, d->n_hosts, d->n_hosts == 1 ? "" : "s");
    } else if (runs(d, (const char *const[]){MPIEXEC, "-n", "2", "true", NULL}, &err)) {
        f->found = MPIEXEC " starts ranks";
    } else {
        set_error(d, f, &err);
        set(f, LACK, "runs have only one rank; portolan diagnose -n cannot start ranks",
            "install the MPI that has " MPIEXEC "; name this host in /etc/hosts");
    }
}

static void examine_cores(struct doctor *d, struct finding *f)
{
    f->found = portolan_arena_printf(&d->arena, d->n_ranks > 0 ? "%d for %d ranks" : "%d",
                                     d->n_cores, d->n_ranks);
    if (d->n_ranks > d->n_cores)
        set(f, NOTE,
            "ranks wait for cores: times include this waiting, and trials are marked as disturbed",
            portolan_arena_printf(&d->arena, "start at most %d ranks on this host", d->n_cores));
}

/* How many threads the loaded BLAS starts, and its name; 0: not known. */
static int blas_threads(const char **name)
{
    static const char *const known[][2] = {{"openblas_get_num_threads", "OpenBLAS"},
                                           {"MKL_Get_Max_Threads", "MKL"}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int (*threads)(void) = NULL;

        *(void **)&threads = dlsym(RTLD_DEFAULT, known[i][0]);
        *name = known[i][1];
        if (threads)
            return threads();
    }
    return 0;
}

static void examine_threads(struct doctor *d, struct finding *f)
{
    const char *openmp = getenv("OMP_NUM_THREADS"), *name = NULL;
    int64_t each = d->n_cores;
    int of_blas = blas_threads(&name), ranks = d->n_ranks > 0 ? d->n_ranks : 1;

    if (openmp)
        portolan_read_int64(openmp, &each);
    if (of_blas > each)
        each = of_blas;
    f->found = portolan_arena_printf(
        &d->arena, "OMP_NUM_THREADS is %s%s", openmp ? openmp : "not set",
        of_blas ? portolan_arena_printf(&d->arena, "; %s has %d of its own", name, of_blas) : "");
    if (each * ranks > d->n_cores && each > 1)
        set(f, NOTE,
            portolan_arena_printf(&d->arena,
                                  "implementations with OpenMP or a threaded BLAS start %lld "
                                  "threads in each rank and share cores",
                                  (long long)each),
            portolan_arena_printf(&d->arena, "export OMP_NUM_THREADS=%d",
                                  ranks < d->n_cores ? d->n_cores / ranks : 1));
}

/* ------------------------------------------------------------------ measuring */

static void examine_clock(struct doctor *d, struct finding *f)
{
    struct portolan_probe_cost cost = portolan_probe_cost();
    bool is_counter = portolan_probe_clock_get() == PORTOLAN_PROBE_CLOCK_TSC;

    f->found = portolan_arena_printf(
        &d->arena, "%s; measuring a call takes %.0f ns",
        is_counter ? "the processor's time stamp counter" : "clock_gettime()", cost.mean_ns);
    if (!is_counter)
        set(f, NOTE, "measuring a call takes longer than with the processor's counter",
            "use a processor whose counter is invariant, and clocksource=tsc of the kernel");
}

static void examine_counters(struct doctor *d, struct finding *f)
{
    (void)d;
    f->found = portolan_probe_counters_describe();
    if (strstr(f->found, "user mode only"))
        set(f, NOTE, "context switches and other work of the kernel are not counted",
            "sysctl kernel.perf_event_paranoid=1, or less (as root)");
    if (strncmp(f->found, "hardware counters: available", 28) != 0)
        set(f, NOTE, "times are measured, but no cache misses or operations",
            "build with PAPI on a machine, or a virtual one, that shows its counters to users "
            "(sysctl kernel.perf_event_paranoid)");
}

static void examine_swaps(struct doctor *d, struct finding *f)
{
    struct portolan_probe_binding nothing = {0};
    struct portolan_probe_port port;
    struct portolan_error err = {0};
    const uint64_t second_ns = 1000000000U;

    portolan_probe_port_init(&port, &nothing, 0);
    f->found = "the kernel has membarrier(2)";
    if (portolan_probe_port_wait_quiet(&port, second_ns, &err)) {
        set_error(d, f, &err);
        set(f, LACK, "implementations cannot be exchanged while a program runs",
            "allow membarrier in the container's seccomp profile; Linux 4.14 or later has it");
    }
}

/* ------------------------------------------------------------------ what is installed */

static void examine_components(struct doctor *d, struct finding *f)
{
    struct portolan_palette *p = NULL;
    struct portolan_error err = {0};
    enum portolan_status status = portolan_palette_create(&p, &err);

    if (!status)
        status = portolan_palette_add_defaults(p, NULL, &err);
    f->found = "Portolan's own are found";
    if (status || !portolan_palette_find(p, "portolan.Mastermind")) {
        f->found = "portolan.Mastermind is not found";
        if (status)
            set_error(d, f, &err);
        set(f, LACK, "assemblies that measure or choose cannot run",
            "reinstall Portolan, or name the folder of its components in PORTOLAN_PATH");
    }
    portolan_palette_destroy(p);
}

static void examine_compiler(struct doctor *d, struct finding *f)
{
    struct portolan_error err = {0};

    f->found = DOCTOR_COMPILER;
    if (!runs(d, (const char *const[]){DOCTOR_COMPILER, "--version", NULL}, &err)) {
        set_error(d, f, &err);
        set(f, NOTE, "portolan wrap and portolan link do not work",
            "install " DOCTOR_COMPILER ", or name another one with --cc");
    }
}

/* Judges a file of C, as `portolan call` does. */
static void examine_libclang(struct doctor *d, struct finding *f)
{
    static const char text[] = "#include <stddef.h>\nsize_t x;\n";
    struct portolan_error err = {0};
    const char *folder = portolan_temporary_folder(&d->arena, &err);
    const char *file = portolan_arena_printf(&d->arena, "%s/x.c", folder ? folder : "");

    f->found = "C is read";
    if (!folder || portolan_replace_file(file, text, sizeof text - 1, &err) ||
        !runs(d, (const char *const[]){SELF, "call", "--check", file, NULL}, &err)) {
        set_error(d, f, &err);
        set(f, NOTE, "portolan call and wrap, and proxygen on headers, do not work",
            "install libclang, as the message says, and its headers (Debian: "
            "libclang-common-14-dev)");
    }
    if (folder)
        portolan_folder_remove(folder);
}

static void examine_otf2(struct doctor *d, struct finding *f)
{
    (void)d;
    f->found = DOCTOR_HAS_OTF2 ? "traces of OTF2 are read and written" : "built without";
    if (!DOCTOR_HAS_OTF2)
        set(f, NOTE,
            "portolan cannot read traces of other tools, and portolan export has no format otf2",
            "build Portolan with libopen-trace-format2-dev");
}

static void examine_postgres(struct doctor *d, struct finding *f)
{
    (void)d;
    f->found = DOCTOR_HAS_POSTGRES ? "stores may be on servers" : "built without";
    if (!DOCTOR_HAS_POSTGRES)
        set(f, NOTE, "experiment stores can only be files, not on servers",
            "build Portolan with libpq-dev");
}

static void examine_pages(struct doctor *d, struct finding *f)
{
    (void)d;
    f->found = DOCTOR_HAS_PAGES ? "portolan watch serves pages" : "built without";
    if (!DOCTOR_HAS_PAGES)
        set(f, NOTE, "no page follows a run: portolan watch, portolan run --watch",
            "build Portolan with libmicrohttpd-dev");
}

/* Two ranks of a program that does nothing. */
static void examine_virtual_time(struct doctor *d, struct finding *f)
{
    struct portolan_error err = {0};
    const char *const words[] = {SELF, "clue", "run", "--no-trial", "--quiet",
                                 "-n", "2",    "--",  "true",       NULL};

    f->found = "programs run in one process";
    if (!runs(d, words, &err)) {
        set_error(d, f, &err);
        set(f, NOTE, "portolan clue run does not work, nor do choices for other machines",
            "allow programs to map executable memory; sysctl vm.max_map_count limits the number of "
            "ranks");
    }
}

/* ------------------------------------------------------------------ the store */

static void judge_disk(struct doctor *d, struct finding *f, const char *folder)
{
    const double least = 1 << 30;
    struct statvfs disk;
    double free_bytes = 0;

    if (access(folder, W_OK | X_OK) || statvfs(folder, &disk)) {
        f->found =
            portolan_arena_printf(&d->arena, "'%s' cannot be written: %s", folder, strerror(errno));
        set(f, LACK, "measurements cannot be stored", "name another place with --store");
        return;
    }
    free_bytes = (double)disk.f_bavail * (double)disk.f_frsize;
    f->found =
        portolan_arena_printf(&d->arena, "'%s' has room, %.1f GiB", folder, free_bytes / (1 << 30));
    if (portolan_machine_shares(folder))
        set(f, NOTE, "the store is on a network file system: writers wait longer for each other",
            "keep it on a disk of this machine, or on a PostgreSQL server");
    if (free_bytes < least)
        set(f, NOTE,
            "if a run fills the disk, its earlier measurements remain and later ones are lost",
            "delete trials (portolan trials --delete), or name another place with --store");
}

static void examine_store(struct doctor *d, struct finding *f)
{
    const char *path = d->store ? d->store : "portolan.db";
    struct portolan_store *store = NULL;
    struct portolan_error err = {0};
    char *folder;

    if ((portolan_store_is_server(path) || !access(path, F_OK)) &&
        portolan_store_open(path, PORTOLAN_STORE_READ, &store, &err)) {
        set_error(d, f, &err);
        set(f, LACK, "measurements cannot be stored", "name another store with --store");
    } else if (portolan_store_is_server(path)) {
        f->found = "the server answers";
    } else if ((folder = folder_of(path))) {
        judge_disk(d, f, folder);
        free(folder);
    }
    portolan_store_close(store);
}

/* ------------------------------------------------------------------ all of it */

static const struct examination {
    const char *name;
    void (*examine)(struct doctor *d, struct finding *f);
} examinations[] = {
    {"MPI", examine_mpi},
    {"launcher", examine_launcher},
    {"cores", examine_cores},
    {"threads", examine_threads},
    {"clock", examine_clock},
    {"counters", examine_counters},
    {"swaps", examine_swaps},
    {"components", examine_components},
    {"compiler", examine_compiler},
    {"libclang", examine_libclang},
    {"OTF2", examine_otf2},
    {"PostgreSQL", examine_postgres},
    {"pages", examine_pages}, /* of portolan watch */
    {"virtual time", examine_virtual_time},
    {"store", examine_store},
};
enum { EXAMINATIONS = sizeof examinations / sizeof *examinations };

static void write_finding(struct portolan_text *out, const char *name, const struct finding *f)
{
    portolan_text_add(out, "%-13s %s  %s\n", name, state_words[f->state], f->found);
    if (f->state != FINE)
        portolan_text_add(out, "%20scosts:  %s\n%20sremedy: %s\n", "", f->costs, "", f->remedy);
}

static void write_json(struct portolan_text *out, const struct finding *findings, int n_lacks)
{
    struct portolan_json j = {.out = out};

    portolan_json_open(&j, NULL, '{');
    portolan_json_text(&j, "portolan", portolan_version());
    portolan_json_number(&j, "lacks", n_lacks);
    portolan_json_open(&j, "findings", '[');
    for (size_t i = 0; i < EXAMINATIONS; i++) {
        portolan_json_open(&j, NULL, '{');
        portolan_json_text(&j, "name", examinations[i].name);
        portolan_json_text(&j, "state", state_words[findings[i].state]);
        portolan_json_text(&j, "found", findings[i].found);
        portolan_json_text(&j, "costs", findings[i].costs);
        portolan_json_text(&j, "remedy", findings[i].remedy);
        portolan_json_close(&j, '}');
    }
    portolan_json_close(&j, ']');
    portolan_json_close(&j, '}');
}

/* Returns the exit status. */
static int examine(struct doctor *d)
{
    struct finding findings[EXAMINATIONS] = {{0}};
    struct portolan_text out = {0};
    int n_lacks = 0, result;

    for (size_t i = 0; i < EXAMINATIONS; i++) {
        portolan_progress("examinations", i, EXAMINATIONS, false);
        examinations[i].examine(d, &findings[i]);
        n_lacks += findings[i].state == LACK;
    }
    if (d->json)
        write_json(&out, findings, n_lacks);
    for (size_t i = 0; i < EXAMINATIONS && !d->json; i++)
        write_finding(&out, examinations[i].name, &findings[i]);
    result =
        out.bytes && !out.failed && !d->arena.failed ? write_text(NULL, out.bytes) : EXIT_BAD_INPUT;
    portolan_text_clear(&out);
    return result ? result : n_lacks ? EXIT_BAD_INPUT : 0;
}

/* Counts the hosts of the job and, unless told, the ranks on rank 0's. */
static void count_ranks(struct doctor *d)
{
    struct portolan_cohort *c = d->cohort;
    struct portolan_machine_reading mine, *all = NULL;
    int here = 0;

    portolan_machine_read(&mine);
    d->n_cores = mine.cores;
    if (c->size == 1 || c->gather(c, &mine, sizeof mine, (void **)&all, NULL) || !all)
        return;
    for (int i = 0; i < c->size; i++) {
        int k = 0;

        while (strcmp(all[k].host, all[i].host) != 0)
            k++;
        d->n_hosts += k == i;
        here += k == 0;
    }
    if (!d->n_ranks)
        d->n_ranks = here;
    free(all);
}

int command_doctor(int argc, char **argv)
{
    static const struct cli_line line = {
        .doc = "Report which of the things that Portolan uses this machine has, what each lack "
               "costs, and the remedy. Under mpiexec it checks for that number of ranks.\vThe exit "
               "status is 1 if something that Portolan needs is missing.",
        .options = options,
    };
    struct doctor d = {.cohort = portolan_cohort_alone()};
    bool has_ranks;
    int result = 0;

    parse_line(&line, argc, argv, 0, &d);
    has_ranks = !portolan_mpi_init(&d.mpi) && !portolan_mpi_cohort_create(&d.cohort, &d.mpi);
    count_ranks(&d);
    if (d.cohort->rank == 0)
        result = examine(&d);
    if (has_ranks) {
        portolan_mpi_cohort_destroy(d.cohort);
        portolan_mpi_finalize();
    }
    portolan_arena_clear(&d.arena);
    return result;
}
