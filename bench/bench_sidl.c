/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the SIDL compiler costs: packages of growing size are read, checked and emitted, each in a
 * process of its own, whose peak memory is reported too. A cost that grows linearly shows as a
 * ratio of 1 in the last column: cost per unit, against the smallest package of its kind.
 * Goal: 200 interfaces of 20 methods in under 1 second and 100 MiB.
 */
#include "bench_short.h"

#include <portolan/sidl.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { METHODS = 20, REPEATS = 5 };

struct cost {
    double read_ms, emit_ms; /* CPU time, the least of the repeats */
    double peak_mib;
    size_t source_bytes;
};

static double cpu_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec * 1e-6;
}

static void methods(struct portolan_text *t, int n)
{
    for (int i = 0; i < n; i++)
        portolan_text_add(
            t,
            "    /** Does what its name says, and returns how often it did. */\n"
            "    int method%d(in int n, in rarray<double> values(n), in string name,\n"
            "                 inout array<double,2> matrix, out long count)\n"
            "      throws sidl.SIDLException;\n",
            i);
}

static void interfaces(struct portolan_text *t, int n)
{
    for (int i = 0; i < n; i++) {
        portolan_text_add(t, "  /** Interface %d. */\n  interface Port%d {\n", i, i);
        methods(t, METHODS);
        portolan_text_add(t, "  }\n");
    }
}

/* Trees of classes: each extends the one that has half its number, 8 deep at most. */
static void classes(struct portolan_text *t, int n)
{
    portolan_text_add(t, "  interface Port {\n");
    methods(t, METHODS / 4);
    portolan_text_add(t, "  }\n");
    for (int i = 0; i < n; i++) {
        portolan_text_add(t, "  class Class%d %s", i, i % 50 ? "" : "implements-all Port ");
        if (i % 50)
            portolan_text_add(t, "extends Class%d ", i / 50 * 50 + i % 50 / 2);
        portolan_text_add(t, "{\n    int own%d(in int n);\n    static int made%d();\n", i, i);
        if (i % 50 && i % 3 == 0)
            methods(t, METHODS / 8);
        portolan_text_add(t, "  }\n");
    }
}

/* The slots of all grow with the square of the depth, so the unit is the slot. */
static void chain(struct portolan_text *t, int n)
{
    for (int i = 0; i < n; i++) {
        portolan_text_add(t, "  interface Deep%d ", i);
        if (i > 0)
            portolan_text_add(t, "extends Deep%d ", i - 1);
        portolan_text_add(t, "{\n    void own%d(in int n);\n    int more%d();\n  }\n", i, i);
    }
}

static void enumerators(struct portolan_text *t, int n)
{
    portolan_text_add(t, "  enum Many {\n");
    for (int i = 0; i < n; i++)
        portolan_text_add(t, i % 3 ? "    value%d,\n" : "    value%d = %d,\n", i, 7 * i);
    portolan_text_add(t, "  }\n");
}

static void arguments(struct portolan_text *t, int n)
{
    portolan_text_add(t, "  interface Wide {\n    void wide(\n");
    for (int i = 0; i < n; i += 2)
        portolan_text_add(t, "      in rarray<double> array%d(extent%d), in int extent%d%s\n", i, i,
                          i, i + 2 < n ? "," : "");
    portolan_text_add(t, "    );\n  }\n");
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type, (void)where;
    return remove(path);
}

static bool compile_once(const struct portolan_text *t, const char *dir, bool server,
                         struct cost *cost)
{
    struct portolan_sidl_options options = {.output_dir = dir, .server = server};
    struct portolan_sidl_model *model;
    double start = cpu_ms(), read;
    bool good;

    if (portolan_sidl_read_text(&options, "bench.sidl", t->bytes, t->length, NULL, &model, NULL))
        return false;
    read = cpu_ms() - start;
    cost->read_ms = read < cost->read_ms ? read : cost->read_ms;
    start = cpu_ms();
    good = portolan_sidl_emit(model, &options, NULL, NULL) == PORTOLAN_OK;
    cost->emit_ms = cpu_ms() - start < cost->emit_ms ? cpu_ms() - start : cost->emit_ms;
    portolan_sidl_destroy(model);
    return good;
}

/* In a child, since peak memory never falls again. */
static bool compile(void (*make)(struct portolan_text *, int), int n, bool server,
                    struct cost *cost)
{
    char dir[] = "/tmp/bench_sidl_XXXXXX", out[64];
    struct portolan_text t = {0};
    struct rusage usage;
    bool good = true;

    portolan_text_add(&t, "package bench version 1.0 {\n");
    make(&t, n);
    portolan_text_add(&t, "}\n");
    *cost = (struct cost){.read_ms = 1e9, .emit_ms = 1e9, .source_bytes = t.length};
    if (t.failed || !mkdtemp(dir))
        return false;
    for (int i = 0; i < bench_times(REPEATS) && good; i++) {
        /* in a folder of its own, since files with the same content are not written again */
        snprintf(out, sizeof out, "%s/%d", dir, i);
        good = compile_once(&t, out, server, cost);
    }
    getrusage(RUSAGE_SELF, &usage);
    cost->peak_mib = (double)usage.ru_maxrss / 1024;
    nftw(dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    portolan_text_clear(&t);
    return good;
}

static bool measure(void (*make)(struct portolan_text *, int), int n, bool server,
                    struct cost *cost)
{
    int ends[2], status = 1;
    bool good;
    pid_t child;

    if (pipe(ends))
        return false;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        good = compile(make, n, server, cost) && write(ends[1], cost, sizeof *cost) == sizeof *cost;
        _exit(!good);
    }
    close(ends[1]);
    good = child > 0 && read(ends[0], cost, sizeof *cost) == sizeof *cost;
    close(ends[0]);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 && good;
}

int main(void)
{
    static const struct {
        const char *what, *unit;
        void (*make)(struct portolan_text *t, int n);
        int sizes[4];
        bool is_square; /* units are n² */
        bool server;    /* implementations are emitted too */
    } kinds[] = {
        {"interfaces of 20 methods", "interface", interfaces, {50, 100, 200, 400}, false, false},
        {"classes in trees", "class", classes, {50, 100, 200, 400}, false, false},
        {"… and their Impl files", "class", classes, {50, 100, 200, 400}, false, true},
        {"interfaces in a chain", "slot", chain, {25, 50, 99, 0}, true, false},
        {"enumerators", "enumerator", enumerators, {500, 1000, 2000, 4000}, false, false},
        {"arguments of one method", "argument", arguments, {250, 500, 1000, 2000}, false, false},
    };
    int failed = 0;

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        double first = 0;

        printf("%-26s %9s %9s %9s %9s %12s %6s\n", kinds[k].what, "source", "read", "emit", "peak",
               "per unit", "ratio");
        for (int i = 0; i < 4 && kinds[k].sizes[i]; i++) {
            const int n = kinds[k].sizes[i];
            const double units = kinds[k].is_square ? (double)n * n : n;
            struct cost cost;
            double per_unit;

            if (!measure(kinds[k].make, n, kinds[k].server, &cost)) {
                printf("%26d could not be compiled\n", n);
                failed = 1;
                continue;
            }
            per_unit = (cost.read_ms + cost.emit_ms) * 1e3 / units;
            first = first > 0 ? first : per_unit;
            printf("%26d %5zu KiB %6.1f ms %6.1f ms %5.1f MiB %9.2f us %6.2f\n", n,
                   cost.source_bytes / 1024, cost.read_ms, cost.emit_ms, cost.peak_mib, per_unit,
                   per_unit / first);
        }
    }
    return failed;
}
