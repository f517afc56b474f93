/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast the store takes in samples and single calls, beside a bare loop of SQLite inserts of as
 * many columns in the same run; and how fast the summary of a large trial is read.
 *
 *   bench_store                      all figures, in a temporary folder
 *   bench_store FILE RANKS PATHS     makes a trial of that size in FILE, rows and summary, and
 *                                    leaves it there
 *   tests/postgres_server.sh bench_store     the same figures on a PostgreSQL server, too, beside a
 *                                    bare binary COPY of as many columns, with a primary key, there
 *
 * Goals: 200,000 samples and 200,000 single calls per second; the summary of 1,000 ranks × 10,000
 * call paths in well under 1 second.
 */
#include "bench_short.h"

#include <portolan/store.h>

#include <endian.h>
#include <ftw.h>
#ifdef PORTOLAN_WITH_POSTGRES
#include <libpq-fe.h>
#endif
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COLUMNS = 28, BLOCK = 100000, BRANCHES = 4 };

struct watch {
    double wall, cpu;
};

static struct watch now(void)
{
    struct timespec wall, cpu;

    clock_gettime(CLOCK_MONOTONIC, &wall);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    return (struct watch){(double)wall.tv_sec + 1e-9 * (double)wall.tv_nsec,
                          (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec};
}

static struct watch since(struct watch start)
{
    struct watch t = now();

    return (struct watch){t.wall - start.wall, t.cpu - start.cpu};
}

static void check(enum portolan_status status, const struct portolan_error *err)
{
    if (!status)
        return;
    fprintf(stderr, "bench_store: %s\n", err->text);
    exit(1);
}

/*
 * Rows per second of elapsed and of processor time, and how many times the bare loop's cost: in
 * processor time, or where others work as well (`cpu` 0), elapsed.
 */
static void report(const char *what, double rows, struct watch t, const struct watch *bare)
{
    printf("%-38s %9.0f rows/s   %9.0f per second of processor time", what, rows / t.wall,
           rows / t.cpu);
    if (bare)
        printf("   %.2f x bare", bare->cpu > 0 ? t.cpu / bare->cpu : t.wall / bare->wall);
    printf("\n");
    fflush(stdout);
}

/* -------------------------------------------------------------------------- what is stored */

/* Call paths of one rank: a tree, parents first; the names are made once. */
static struct portolan_sample *make_rank(int rank, size_t paths, char (*names)[32])
{
    struct portolan_sample *s = portolan_calloc(paths, sizeof *s);

    for (size_t i = 0; s && i < paths; ++i) {
        s[i] = (struct portolan_sample){
            .rank = rank,
            .parent = i ? (int64_t)((i - 1) / BRANCHES) : -1,
            .user = i ? names[(i - 1) / BRANCHES % 64] : "",
            .uses = i ? "solver" : "",
            .instance = names[i % 64],
            .port = "solver",
            .implementation = "heat.Cholmod",
            .port_type = "heat.LinearSolver",
            .method = names[i],
            .n_context = 2,
            .context_name = {"n", "bandwidth"},
            .context = {(double)(i % 128), 32},
            .calls = 100 + rank % 7,
            .subroutines = BRANCHES,
            .exclusive_ns = 1e5 + (double)rank * 0.5,
            .mpi_ns = rank % 2 ? 12.25 : 0,
            .min_ns = 900.5,
            .max_ns = 12345.25,
            .sum_squares_ns2 = 1.5e10,
            .quality = NAN,
        };
    }
    /* A caller has its own time and that of its callees. */
    for (size_t i = paths; s && i-- > 0;) {
        s[i].inclusive_ns += s[i].exclusive_ns;
        if (i)
            s[s[i].parent].inclusive_ns += s[i].inclusive_ns;
    }
    return s;
}

static char (*make_names(size_t paths))[32]
{
    char(*names)[32] = portolan_calloc(paths < 64 ? 64 : paths, sizeof *names);

    for (size_t i = 0; names && i < (paths < 64 ? 64 : paths); ++i)
        snprintf(names[i], sizeof names[i], "method_%zu", i);
    return names;
}

static int64_t begin(struct portolan_store *store, int ranks)
{
    const struct portolan_trial trial = {.assembly = "bench", .purpose = "run", .ranks = ranks};
    struct portolan_error err = {0};
    int64_t id = 0;

    check(portolan_store_begin_trial(store, &trial, &id, &err), &err);
    return id;
}

/* One step of all ranks, in blocks of whole ranks as a recorder brings them. */
static double put_trial(struct portolan_store *store, int64_t trial, int ranks, size_t paths,
                        int step)
{
    char(*names)[32] = make_names(paths);
    struct portolan_error err = {0};
    int block = BLOCK / (int)paths > 0 ? BLOCK / (int)paths : 1;
    struct portolan_sample *all = portolan_calloc((size_t)block * paths, sizeof *all);

    for (int first = 0; first < ranks; first += block) {
        int n = ranks - first < block ? ranks - first : block;

        for (int r = 0; r < n; ++r) {
            struct portolan_sample *one = make_rank(first + r, paths, names);

            for (size_t i = 0; i < paths; ++i) {
                one[i].parent += one[i].parent < 0 ? 0 : r * (int64_t)paths;
                all[(size_t)r * paths + i] = one[i];
            }
            free(one);
        }
        check(portolan_store_put_step(store, trial, step, all, (size_t)n * paths, &err), &err);
    }
    free(all);
    free(names);
    return (double)ranks * (double)paths;
}

static double put_calls(struct portolan_store *store, int64_t trial, size_t paths, size_t n)
{
    char(*names)[32] = make_names(paths);
    struct portolan_sample *samples = make_rank(0, paths, names);
    struct portolan_invocation *rows = portolan_calloc(BLOCK, sizeof *rows);
    struct portolan_error err = {0};

    for (size_t done = 0; done < n; done += BLOCK) {
        for (size_t i = 0; i < BLOCK; ++i)
            rows[i] = (struct portolan_invocation){.path = (int64_t)(i * 7 % paths),
                                                   .step = 1,
                                                   .ordinal = (int64_t)i,
                                                   .start_ns = 1000.25 * (double)(done + i),
                                                   .inclusive_ns = 900.5 + (double)(i % 100),
                                                   .exclusive_ns = 900.5,
                                                   .quality = NAN,
                                                   .context = {32.5, 64},
                                                   .one_in = 1};
        check(portolan_store_put_invocations(store, trial, samples, paths, rows, BLOCK, &err),
              &err);
    }
    free(rows);
    free(samples);
    free(names);
    return (double)n;
}

/* ---------------------------------------------------------------------------- the reference */

static void must(sqlite3 *db, int rc)
{
    if (rc == SQLITE_OK || rc == SQLITE_DONE)
        return;
    fprintf(stderr, "bench_store: %s\n", sqlite3_errmsg(db));
    exit(1);
}

/* N rows of REALS reals, the rest integers, through one bound statement, BLOCK per transaction. */
static struct watch bare(const char *folder, const char *name, int columns, int reals, int nulls,
                         size_t n)
{
    char *path = portolan_asprintf("%s/%s.db", folder, name);
    struct portolan_text make = {0}, put = {0};
    sqlite3_stmt *s = NULL;
    sqlite3 *db = NULL;
    struct watch start;

    portolan_text_add(&make, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                             " CREATE TABLE t (id INTEGER PRIMARY KEY");
    portolan_text_add(&put, "INSERT INTO t VALUES (?");
    for (int i = 1; i < columns; ++i) {
        portolan_text_add(&make, ", c%d %s", i, i < columns - reals ? "INTEGER" : "REAL");
        portolan_text_add(&put, ", ?");
    }
    portolan_text_add(&make, ")");
    portolan_text_add(&put, ")");
    must(db, sqlite3_open(path, &db));
    must(db, sqlite3_exec(db, make.bytes, NULL, NULL, NULL));
    must(db, sqlite3_prepare_v2(db, put.bytes, -1, &s, NULL));
    start = now();
    for (size_t i = 0; i < n; ++i) {
        if (i % BLOCK == 0)
            must(db, sqlite3_exec(db, "BEGIN", NULL, NULL, NULL));
        for (int c = 0; c < columns; ++c) {
            if (c >= columns - nulls)
                sqlite3_bind_null(s, c + 1);
            else if (c >= columns - reals)
                sqlite3_bind_double(s, c + 1, 1e6 + 0.25 * (double)(i + (size_t)c));
            else
                sqlite3_bind_int64(s, c + 1, c ? c : (sqlite3_int64)i + 1);
        }
        must(db, sqlite3_step(s));
        sqlite3_reset(s);
        if (i % BLOCK == BLOCK - 1)
            must(db, sqlite3_exec(db, "COMMIT", NULL, NULL, NULL));
    }
    start = since(start);
    sqlite3_finalize(s);
    sqlite3_close(db);
    portolan_text_clear(&make);
    portolan_text_clear(&put);
    unlink(path);
    free(path);
    return start;
}

#ifdef PORTOLAN_WITH_POSTGRES
static void must_copy(PGconn *c, bool good)
{
    if (good)
        return;
    fprintf(stderr, "bench_store: %s\n", PQerrorMessage(c));
    exit(1);
}

static void put_number(struct portolan_text *t, uint64_t bits, bool is_null)
{
    const uint32_t length = htobe32(is_null ? UINT32_MAX : 8);

    bits = htobe64(bits);
    portolan_text_add_bytes(t, (const char *)&length, sizeof length);
    if (!is_null)
        portolan_text_add_bytes(t, (const char *)&bits, sizeof bits);
}

/* BLOCK rows, as binary COPY wants them. */
static void make_block(struct portolan_text *t, size_t first, int columns, int nulls)
{
    const uint16_t n = htobe16((uint16_t)columns), end = UINT16_MAX;

    t->length = 0;
    portolan_text_add_bytes(t, "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0", 19);
    for (size_t i = first; i < first + BLOCK; ++i) {
        portolan_text_add_bytes(t, (const char *)&n, sizeof n);
        for (int c = 0; c < columns; ++c) /* any bits are a number */
            put_number(t, c ? i + (size_t)c : i + 1, c >= columns - nulls);
    }
    portolan_text_add_bytes(t, (const char *)&end, sizeof end);
}

/* As bare(), through COPY; a block is made before the watch runs. */
static struct watch bare_copy(const char *server, int columns, int reals, int nulls, size_t n)
{
    struct portolan_text text = {0};
    PGconn *c = PQconnectdb(server);
    struct watch all = {0};

    portolan_text_add(&text, "CREATE TABLE bare (id BIGINT PRIMARY KEY");
    for (int i = 1; i < columns; ++i)
        portolan_text_add(&text, ", c%d %s", i, i < columns - reals ? "BIGINT" : "FLOAT8");
    portolan_text_add(&text, ")");
    PQclear(PQexec(c, text.bytes));
    for (size_t done = 0; done < n; done += BLOCK) {
        struct watch start;

        make_block(&text, done, columns, nulls);
        start = now();
        PQclear(PQexec(c, "COPY bare FROM STDIN (FORMAT binary)"));
        must_copy(c, PQputCopyData(c, text.bytes, (int)text.length) == 1 &&
                         PQputCopyEnd(c, NULL) == 1);
        for (PGresult *r; (r = PQgetResult(c)) != NULL; PQclear(r))
            must_copy(c, PQresultStatus(r) == PGRES_COMMAND_OK);
        all.wall += since(start).wall;
    }
    PQclear(PQexec(c, "DROP TABLE bare"));
    PQfinish(c);
    portolan_text_clear(&text);
    printf("%-38s %9.0f rows/s\n",
           columns == COLUMNS ? "bare COPY of a sample's columns" : "bare COPY of a call's columns",
           (double)n / all.wall);
    return all;
}
#endif

/* --------------------------------------------------------------------------- large trials */

static struct portolan_statistics statistics(int ranks, double value)
{
    return (struct portolan_statistics){value * ranks, value, value - 1, value + 1, 0.5, 1};
}

static void put_summary(struct portolan_store *store, int64_t trial, int ranks, size_t paths)
{
    char(*names)[32] = make_names(paths);
    struct portolan_sample *s = make_rank(0, paths, names);
    struct portolan_path_summary *rows = portolan_calloc(paths, sizeof *rows);
    struct portolan_error err = {0};

    for (size_t i = 0; i < paths; ++i)
        rows[i] = (struct portolan_path_summary){.parent = s[i].parent,
                                                 .user = s[i].user,
                                                 .uses = s[i].uses,
                                                 .instance = s[i].instance,
                                                 .port = s[i].port,
                                                 .implementation = s[i].implementation,
                                                 .port_type = s[i].port_type,
                                                 .method = s[i].method,
                                                 .n_ranks = ranks,
                                                 .n_threads = ranks,
                                                 .calls = statistics(ranks, 100),
                                                 .inclusive = statistics(ranks, 1e6),
                                                 .exclusive = statistics(ranks, 1e5),
                                                 .mpi = statistics(ranks, 12)};
    check(portolan_store_put_summary(store, trial, rows, paths, &err), &err);
    free(rows);
    free(s);
    free(names);
}

static void read_summary(struct portolan_store *store, int64_t trial, const char *what)
{
    struct portolan_summary_set *set = NULL;
    struct portolan_error err = {0};
    struct watch start = now();
    bool stored = false;

    check(portolan_store_read_summary(store, trial, &set, &stored, &err), &err);
    start = since(start);
    printf("%-38s %.3f s (%.3f s of processor time), %zu call paths of %d ranks%s\n", what,
           start.wall, start.cpu, set->n, set->ranks, stored ? "" : ", computed");
    portolan_summary_set_destroy(set);
}

static int count(void *arg, const struct portolan_sample *path,
                 const struct portolan_invocation *row)
{
    (void)path, (void)row;
    ++*(double *)arg;
    return 0;
}

/* All single calls by start, and the samples of one rank among many. */
static void read_back(struct portolan_store *store, int64_t trial)
{
    const int rank = 500;
    const struct portolan_store_query query = {.trial = trial, .rank = &rank};
    struct portolan_sample_set *set = NULL;
    struct portolan_error err = {0};
    struct watch start = now();
    double n = 0;

    check(portolan_store_visit_invocations(store, trial, NULL, count, &n, &err), &err);
    report("reading the single calls", n, since(start), NULL);
    start = now();
    check(portolan_store_read(store, &query, true, &set, &err), &err);
    start = since(start);
    printf("%-38s %.3f s (%.3f s of processor time), %zu samples\n", "reading one rank of 1,000",
           start.wall, start.cpu, set->n_samples);
    portolan_sample_set_destroy(set);
}

static void summarise(struct portolan_store *store, int64_t trial, double rows)
{
    struct portolan_error err = {0};
    struct watch start = now();

    check(portolan_store_summarise(store, trial, &err), &err);
    report("summarising stored samples", rows, since(start), NULL);
}

/* FILE for `portolan profile` to read. */
static int make(const char *path, int ranks, size_t paths)
{
    struct portolan_store *store = NULL;
    struct portolan_error err = {0};
    struct watch start = now();
    int64_t trial;
    double rows;

    check(portolan_store_open(path, PORTOLAN_STORE_WRITE, &store, &err), &err);
    trial = begin(store, ranks);
    rows = put_trial(store, trial, ranks, paths, 0);
    report("samples, with making them up", rows, since(start), NULL);
    summarise(store, trial, rows);
    check(portolan_store_end_trial(store, trial, "finished", 1e9, &err), &err);
    read_summary(store, trial, "reading the stored summary");
    portolan_store_close(store);
    return 0;
}

static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *f)
{
    (void)s, (void)type, (void)f;
    return remove(path);
}

/* Of each of 1,000 ranks; in the short form all their samples fill one block. */
static size_t n_paths(void)
{
    return 100 * (size_t)bench_times(10);
}

/* What one store takes in, beside the bare loops. */
static void figures(const char *path, const struct watch *sample, const struct watch *call)
{
    struct portolan_store *store = NULL;
    struct portolan_error err = {0};
    const double rows = 1000.0 * (double)n_paths();
    struct watch start;
    int64_t trial;

    check(portolan_store_open(path, PORTOLAN_STORE_WRITE, &store, &err), &err);
    trial = begin(store, 1000);
    start = now();
    put_trial(store, trial, 1000, n_paths(), 0);
    report("samples of 1,000 ranks x 1,000 paths", rows, since(start), sample);
    summarise(store, trial, rows);
    start = now();
    put_calls(store, trial, 1000, (size_t)rows);
    report("single calls", rows, since(start), call);
    read_back(store, trial);
    trial = begin(store, 1000);
    start = now();
    put_summary(store, trial, 1000, 10000);
    report("summary of 1,000 x 10,000, storing", 10000, since(start), NULL);
    read_summary(store, trial, "reading it");
    portolan_store_close(store);
}

int main(int argc, char **argv)
{
    const char *tmp = getenv("TMPDIR");
#ifdef PORTOLAN_WITH_POSTGRES
    const char *server = getenv("PORTOLAN_TEST_POSTGRES");
#endif
    char *folder = portolan_asprintf("%s/bench-store-XXXXXX", tmp ? tmp : "/tmp"), *path;
    const size_t rows = 1000 * n_paths();
    struct watch sample, call;

    if (argc == 4)
        return make(argv[1], atoi(argv[2]), (size_t)atol(argv[3]));
    if (!folder || !mkdtemp(folder))
        return 1;
    path = portolan_asprintf("%s/portolan.db", folder);
    sample = bare(folder, "samples", COLUMNS, 19, 11, rows);
    report("bare inserts of a sample's columns", (double)rows, sample, NULL);
    call = bare(folder, "calls", 23, 18, 11, rows);
    report("bare inserts of a call's columns", (double)rows, call, NULL);
    figures(path, &sample, &call);
#ifdef PORTOLAN_WITH_POSTGRES
    if (server) {
        puts("on a PostgreSQL server (processor time: the client's alone; x bare: elapsed)");
        sample = bare_copy(server, COLUMNS, 19, 11, rows);
        call = bare_copy(server, 23, 18, 11, rows);
        figures(server, &sample, &call);
    }
#endif
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(path);
    free(folder);
    return 0;
}
