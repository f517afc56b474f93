/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One function for each thing that Portolan uses: it tries it, or asks the room that uses it. The
 * table at the end has their order.
 */
#include <portolan/command.h>
#include <portolan/examine.h>
#include <portolan/machine.h>
#include <portolan/palette.h>
#include <portolan/probe.h>
#include <portolan/progress.h>
#include <portolan/store.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FINE PORTOLAN_HEALTH_FINE
#define NOTE PORTOLAN_HEALTH_NOTE
#define LACK PORTOLAN_HEALTH_LACK

struct examination {
    const struct portolan_examine_options *how;
    int n_hosts;
    struct portolan_health *health;
};

/* The child that execs it is a copy of this program. */
#define SELF "/proc/self/exe"

/* ------------------------------------------------------------------ ranks and cores */

static void examine_mpi(struct examination *x)
{
    portolan_health_add_result(x->health, "MPI", x->how->mpi, x->how->cohort->medium, LACK,
                               "no assembly runs",
                               "start Portolan with " MPIEXEC ", or without a launcher");
}

static void examine_launcher(struct examination *x)
{
    if (x->how->cohort->size == 1)
        portolan_health_add_command(
            x->health, "launcher", (const char *const[]){MPIEXEC, "-n", "2", "true", NULL},
            MPIEXEC " starts ranks", LACK,
            "runs have only one rank; portolan diagnose -n cannot start ranks",
            "install the MPI that has " MPIEXEC "; name this host in /etc/hosts");
    else
        portolan_health_add(
            x->health, "launcher", FINE,
            portolan_arena_printf(&x->health->arena, "%d ranks were started, on %d host%s",
                                  x->how->cohort->size, x->n_hosts, x->n_hosts == 1 ? "" : "s"),
            NULL, NULL);
}

static void examine_cores(struct examination *x)
{
    portolan_health_examine_cores(x->health);
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

static void examine_threads(struct examination *x)
{
    const char *name = NULL;
    int n = blas_threads(&name);

    portolan_health_examine_threads(x->health, getenv("OMP_NUM_THREADS"), name, n);
}

/* ------------------------------------------------------------------ measuring */

static void examine_clock(struct examination *x)
{
    struct portolan_probe_cost cost = portolan_probe_cost();
    bool is_counter = portolan_probe_clock_get() == PORTOLAN_PROBE_CLOCK_TSC;

    portolan_health_add(
        x->health, "clock", is_counter ? FINE : NOTE,
        portolan_arena_printf(&x->health->arena, "%s; measuring a call takes %.0f ns",
                              is_counter ? "the processor's time stamp counter" : "clock_gettime()",
                              cost.mean_ns),
        "measuring a call takes longer than with the processor's counter",
        "use a processor whose counter is invariant, and clocksource=tsc of the kernel");
}

static void examine_counters(struct examination *x)
{
    portolan_health_examine_counters(x->health, portolan_probe_counters_describe());
}

static void examine_swaps(struct examination *x)
{
    struct portolan_probe_binding nothing = {0};
    struct portolan_probe_port port;
    struct portolan_error err = {0};
    const uint64_t second_ns = 1000000000U;

    portolan_probe_port_init(&port, &nothing, 0);
    portolan_probe_port_wait_quiet(&port, second_ns, &err);
    portolan_health_add_result(
        x->health, "swaps", &err, "the kernel has membarrier(2)", LACK,
        "implementations cannot be exchanged while a program runs",
        "allow membarrier in the container's seccomp profile; Linux 4.14 or later has it");
}

/* ------------------------------------------------------------------ what is installed */

static void examine_components(struct examination *x)
{
    struct portolan_palette *p = NULL;
    struct portolan_error err = {0};
    enum portolan_status status = portolan_palette_create(&p, &err);

    if (!status)
        status = portolan_palette_add_defaults(p, NULL, &err);
    if (!status && !portolan_palette_find(p, "portolan.Mastermind"))
        portolan_error_set(&err, PORTOLAN_ENOTFOUND, "portolan.Mastermind is not found");
    portolan_palette_destroy(p);
    portolan_health_add_result(
        x->health, "components", &err, "Portolan's own are found", LACK,
        "assemblies that measure or choose cannot run",
        "reinstall Portolan, or name the folder of its components in PORTOLAN_PATH");
}

static void examine_compiler(struct examination *x)
{
    portolan_health_add_command(
        x->health, "compiler", (const char *const[]){DOCTOR_COMPILER, "--version", NULL},
        DOCTOR_COMPILER, NOTE, "portolan wrap and portolan link do not work",
        "install " DOCTOR_COMPILER ", or name another one with --cc");
}

/* Judges a file of C, as `portolan call` does. */
static void examine_libclang(struct examination *x)
{
    static const char text[] = "#include <stddef.h>\nsize_t x;\n", found[] = "C is read",
                      costs[] = "portolan call and wrap, and proxygen on headers, do not work",
                      remedy[] = "install libclang, as the message says, and its headers (Debian: "
                                 "libclang-common-14-dev)";
    struct portolan_error err = {0};
    const char *folder = portolan_temporary_folder(&x->health->arena, &err);
    const char *file = portolan_arena_printf(&x->health->arena, "%s/x.c", folder ? folder : "");

    if (folder && !portolan_replace_file(file, text, sizeof text - 1, &err))
        portolan_health_add_command(x->health, "libclang",
                                    (const char *const[]){SELF, "call", "--check", file, NULL},
                                    found, NOTE, costs, remedy);
    else
        portolan_health_add_result(x->health, "libclang", &err, found, NOTE, costs, remedy);
    if (folder)
        portolan_folder_remove(folder);
}

static void examine_otf2(struct examination *x)
{
    portolan_health_add(
        x->health, "OTF2", DOCTOR_HAS_OTF2 ? FINE : NOTE,
        DOCTOR_HAS_OTF2 ? "traces of OTF2 are read and written" : "built without",
        "portolan cannot read traces of other tools, and portolan export has no format otf2",
        "build Portolan with libopen-trace-format2-dev");
}

static void examine_postgres(struct examination *x)
{
    portolan_health_add(x->health, "PostgreSQL", DOCTOR_HAS_POSTGRES ? FINE : NOTE,
                        DOCTOR_HAS_POSTGRES ? "stores may be on servers" : "built without",
                        "experiment stores can only be files, not on servers",
                        "build Portolan with libpq-dev");
}

static void examine_pages(struct examination *x)
{
    portolan_health_add(x->health, "pages", DOCTOR_HAS_PAGES ? FINE : NOTE,
                        DOCTOR_HAS_PAGES ? "portolan watch serves pages" : "built without",
                        "no page follows a run: portolan watch, portolan run --watch",
                        "build Portolan with libmicrohttpd-dev");
}

/* Two ranks of a program that does nothing. */
static void examine_virtual_time(struct examination *x)
{
    portolan_health_add_command(
        x->health, "virtual time",
        (const char *const[]){SELF, "clue", "run", "--no-trial", "--quiet", "-n", "2", "--", "true",
                              NULL},
        "programs run in one process", NOTE,
        "portolan clue run does not work, nor do choices for other machines",
        "allow programs to map executable memory; sysctl vm.max_map_count limits the number of "
        "ranks");
}

static void examine_store(struct examination *x)
{
    const char *path = x->how->store;
    bool is_server = portolan_store_is_server(path);
    struct portolan_store *store = NULL;
    struct portolan_error err = {0};
    const char *slash = strrchr(path, '/');

    if (is_server || !access(path, F_OK))
        portolan_store_open(path, PORTOLAN_STORE_READ, &store, &err);
    portolan_store_close(store);
    if (is_server || err.status) {
        portolan_health_add_result(x->health, "store", &err, "the server answers", LACK,
                                   "measurements cannot be stored",
                                   "name another store with --store");
    } else {
        portolan_health_examine_folder(
            x->health, !slash ? "."
                              : portolan_arena_strndup(&x->health->arena, path,
                                                       slash == path ? 1 : (size_t)(slash - path)));
    }
}

/* ------------------------------------------------------------------ all of it */

/* Counts the hosts of the job and, unless they are given, the ranks on rank 0's. */
static void count_ranks(struct examination *x)
{
    struct portolan_cohort *c = x->how->cohort;
    struct portolan_machine_reading mine, *all = NULL;
    int here = 0;

    portolan_machine_read(&mine);
    x->health->n_cores = mine.cores;
    x->health->n_ranks = x->how->ranks;
    if (c->size == 1 || c->gather(c, &mine, sizeof mine, (void **)&all, NULL) || !all)
        return;
    x->n_hosts = portolan_machine_count_hosts(all, (size_t)c->size, &here);
    if (!x->how->ranks)
        x->health->n_ranks = here;
    free(all);
}

void portolan_examine(const struct portolan_examine_options *o, struct portolan_health *h)
{
    static void (*const examinations[])(struct examination * x) = {
        examine_mpi,      examine_launcher,     examine_cores, examine_threads,
        examine_clock,    examine_counters,     examine_swaps, examine_components,
        examine_compiler, examine_libclang,     examine_otf2,  examine_postgres,
        examine_pages,    examine_virtual_time, examine_store,
    };
    const size_t n = sizeof examinations / sizeof *examinations;
    struct examination x = {.how = o, .health = h};

    count_ranks(&x);
    for (size_t i = 0; o->cohort->rank == 0 && i < n; i++) {
        portolan_progress("examinations", i, n, false);
        examinations[i](&x);
    }
}
