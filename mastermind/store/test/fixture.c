/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include "heat.h"
#include "internal.h"

#include <ftw.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef PORTOLAN_WITH_POSTGRES
#include <libpq-fe.h>
#endif

static const char *server(void)
{
    return getenv("PORTOLAN_TEST_POSTGRES");
}

#ifdef PORTOLAN_WITH_POSTGRES
static PGresult *ask_server(const char *path, const char *statements)
{
    PGconn *c = PQconnectdb(path);
    PGresult *r;

    if (PQstatus(c) != CONNECTION_OK)
        fail_msg("%s", PQerrorMessage(c));
    PQclear(PQexec(c, "SET client_min_messages = warning"));
    r = PQexec(c, statements);
    if (PQresultStatus(r) != PGRES_COMMAND_OK && PQresultStatus(r) != PGRES_TUPLES_OK)
        fail_msg("%s", PQerrorMessage(c));
    PQfinish(c);
    return r;
}

static void server_execute(const char *path, const char *statements)
{
    PQclear(ask_server(path, statements));
}

static int64_t server_count(const char *path, const char *query)
{
    PGresult *r = ask_server(path, query);
    int64_t n = (int64_t)strtod(PQgetvalue(r, 0, 0), NULL);

    PQclear(r);
    return n;
}

/* "…?host=FOLDER" with a schema of its own. */
static char *make_server_schema(void)
{
    static int made;
    char *path, *statement;

    statement = portolan_asprintf("CREATE SCHEMA t%d_%d", (int)getpid(), ++made);
    server_execute(server(), statement);
    path = portolan_asprintf("%s&options=-csearch_path%%3D%s", server(),
                             statement + strlen("CREATE SCHEMA "));
    free(statement);
    return path;
}

static void remove_server_schema(const char *path)
{
    char *statement = portolan_asprintf("DROP SCHEMA %s CASCADE", strstr(path, "%3D") + 3);

    server_execute(server(), statement);
    free(statement);
}
#else
static void server_execute(const char *path, const char *statements)
{
    (void)path, (void)statements;
}

static int64_t server_count(const char *path, const char *query)
{
    (void)path, (void)query;
    return -1;
}

static char *make_server_schema(void)
{
    return NULL;
}

static void remove_server_schema(const char *path)
{
    (void)path;
}
#endif

static int setup_file(void **state)
{
    const char *tmp = getenv("TMPDIR");
    char *folder = portolan_asprintf("%s/store-XXXXXX", tmp ? tmp : "/tmp");

    if (!folder || !mkdtemp(folder))
        return -1;
    *state = portolan_asprintf("%s/portolan.db", folder);
    free(folder);
    return *state ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *f)
{
    (void)s, (void)type, (void)f;
    return remove(path);
}

int setup_folder(void **state)
{
    if (!server())
        return setup_file(state);
    *state = make_server_schema();
    return *state ? 0 : -1;
}

int teardown_folder(void **state)
{
    char *path = *state, *slash = path;

    if (server()) {
        remove_server_schema(path);
        free(path);
        return 0;
    }
    for (char *p = path; *p; ++p)
        slash = *p == '/' ? p : slash;
    *slash = '\0';
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(path);
    return 0;
}

struct portolan_store *open_or_fail(const char *path, enum portolan_store_mode mode)
{
    struct portolan_error err = {0};
    struct portolan_store *store = NULL;

    if (portolan_store_open(path, mode, &store, &err))
        fail_msg("%s", err.text);
    return store;
}

struct portolan_sample_set *read_or_fail(struct portolan_store *store,
                                         const struct portolan_store_query *query)
{
    struct portolan_sample_set *set = NULL;
    struct portolan_error err = {0};

    if (portolan_store_read(store, query, true, &set, &err))
        fail_msg("%s", err.text);
    return set;
}

size_t count_samples(const char *path)
{
    struct portolan_store *store = open_or_fail(path, PORTOLAN_STORE_READ);
    struct portolan_sample_set *set = read_or_fail(store, NULL);
    size_t n = set->n_samples;

    portolan_sample_set_destroy(set);
    portolan_store_close(store);
    return n;
}

int64_t begin_plate(struct portolan_store *store)
{
    static const struct portolan_name_value parameters[] = {{"driver.steps", "4"},
                                                            {"driver.n", "32"}};
    static const struct portolan_name_value implementations[] = {{"solver", "heat.Cholmod"}};
    static const struct portolan_name_value metadata[] = {{"host", "brig"}};
    const struct portolan_trial trial = {
        .assembly = "plate",
        .purpose = "run",
        .ranks = 2,
        .started = "2006-09-28T12:00:00Z",
        .n_parameters = 2,
        .parameters = parameters,
        .n_implementations = 1,
        .implementations = implementations,
        .n_metadata = 1,
        .metadata = metadata,
    };
    struct portolan_error err = {0};
    int64_t id = 0;

    if (portolan_store_begin_trial(store, &trial, &id, &err))
        fail_msg("%s", err.text);
    return id;
}

void make_step(int step, struct portolan_sample samples[STEP_SAMPLES])
{
    const struct portolan_sample go = {.parent = -1,
                                       HEAT_GO,
                                       .calls = 0,
                                       .subroutines = 3,
                                       .inclusive_ns = 1000.0 + step,
                                       .exclusive_ns = 400,
                                       .quality = NAN};
    struct portolan_sample solve = {.parent = 0,
                                    HEAT_SOLVE,
                                    .n_context = 2,
                                    .context_name = {"n", "bandwidth"},
                                    .context = {1024, 32},
                                    .calls = INT64_C(5000000000),
                                    .inclusive_ns = 500,
                                    .exclusive_ns = 500,
                                    .mpi_ns = 25.5,
                                    .min_ns = 100,
                                    .max_ns = 300,
                                    .sum_squares_ns2 = 9e4,
                                    .quality = 1e-9,
                                    .n_counters = 2,
                                    .counter_name = {"perf::PAGE-FAULTS", "PAPI_FP_OPS"},
                                    .counter = {12, 3e15}};

    samples[0] = samples[3] = go;
    samples[1] = samples[2] = samples[4] = solve;
    samples[2].context[0] = 2048.5;
    samples[2].binned = true;
    samples[2].mpi_ns = 0;
    samples[3].rank = samples[4].rank = 1;
    samples[4].parent = 3;
}

void put_steps(struct portolan_store *store, int64_t trial, int first, int last)
{
    struct portolan_sample samples[STEP_SAMPLES];
    struct portolan_error err = {0};

    for (int step = first; step <= last; ++step) {
        make_step(step, samples);
        if (portolan_store_put_step(store, trial, step, samples, STEP_SAMPLES, &err))
            fail_msg("%s", err.text);
    }
}

static sqlite3 *open_file(const char *path)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    return db;
}

static int64_t count_in_file(const char *path, const char *query)
{
    sqlite3 *db = open_file(path);
    sqlite3_stmt *s = NULL;
    int64_t n;

    if (sqlite3_prepare_v2(db, query, -1, &s, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(db));
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    n = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return n;
}

int64_t count_in(const char *path, const char *query)
{
    return server() ? server_count(path, query) : count_in_file(path, query);
}

void execute_in(const char *path, const char *statements)
{
    sqlite3 *db;

    if (server()) {
        server_execute(path, statements);
        return;
    }
    db = open_file(path);
    assert_int_equal(sqlite3_exec(db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL), SQLITE_OK);
    if (sqlite3_exec(db, statements, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

struct portolan_error refusal_of(const char *path, enum portolan_store_mode mode,
                                 enum portolan_status status)
{
    struct portolan_store *store = (void *)1;
    struct portolan_error err = {0};

    assert_int_equal(portolan_store_open(path, mode, &store, &err), status);
    assert_null(store);
    return err;
}

void meet_a_lock(const char *path)
{
    struct portolan_store *store = NULL, *other = open_or_fail(path, PORTOLAN_STORE_WRITE);
    struct portolan_sample samples[STEP_SAMPLES];
    struct portolan_error err = {0};
    int64_t trial = begin_plate(other);

    make_step(0, samples);
    assert_int_equal(store_open(path, PORTOLAN_STORE_WRITE, 1, &store, &err), PORTOLAN_OK);
    assert_int_equal(portolan_store_begin(other, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_put_step(other, trial, 0, samples, STEP_SAMPLES, NULL),
                     PORTOLAN_OK);
    make_step(1, samples);
    assert_int_equal(portolan_store_put_step(store, trial, 1, samples, STEP_SAMPLES, &err),
                     PORTOLAN_EBUSY);
    assert_non_null(strstr(err.text, "step 1 of trial 1 was not stored"));
    assert_non_null(strstr(err.text, "locked; try again"));
    assert_int_equal(portolan_store_commit(other, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_put_step(store, trial, 1, samples, STEP_SAMPLES, NULL),
                     PORTOLAN_OK);
    portolan_store_close(store);
    portolan_store_close(other);
}
