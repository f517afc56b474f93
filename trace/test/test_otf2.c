/* SPDX-License-Identifier: BSD-3-Clause */
/* OTF2: what is written is read again; archives that are cut or wrong are reported. */
#include "../files/otf2.h"

#include <otf2/otf2.h>
#include <portolan/waits.h>

#include <unit_test.h>

#include <unistd.h>

enum { N_RANKS = 3 };

static char folder[] = "/tmp/portolan-otf2-XXXXXX";
static int64_t now;

static void put(struct portolan_trace *t, int rank, struct portolan_trace_event event)
{
    now += 10;
    event.ns = now;
    assert_true(portolan_trace_add(t, rank, 0, &event));
}

static void begin(struct portolan_trace *t, int rank, const char *routine)
{
    put(t, rank,
        (struct portolan_trace_event){.kind = PORTOLAN_TRACE_BEGIN,
                                      .what =
                                          (uint32_t)portolan_trace_routine(t, routine) & 0xffffff});
}

static void end(struct portolan_trace *t, int rank, const char *routine)
{
    put(t, rank,
        (struct portolan_trace_event){.kind = PORTOLAN_TRACE_END,
                                      .what =
                                          (uint32_t)portolan_trace_routine(t, routine) & 0xffffff});
}

static void call(struct portolan_trace *t, int rank, const char *routine,
                 struct portolan_trace_event event)
{
    begin(t, rank, routine);
    put(t, rank, event);
    end(t, rank, routine);
}

/* Makes a communicator of ranks 2 and 0, in this order. */
static uint32_t pair(struct portolan_trace *t)
{
    static const int members[] = {2, 0};
    struct portolan_trace_comm comm = {.id = 7, .n_members = 2, .members = members};

    return (uint32_t)portolan_trace_comm(t, &comm);
}

static uint32_t bridge(struct portolan_trace *t)
{
    static const int members[] = {0}, remote[] = {2, 1};
    struct portolan_trace_comm comm = {
        .id = 8, .n_members = 1, .members = members, .n_remote = 2, .remote = remote};

    return (uint32_t)portolan_trace_comm(t, &comm);
}

static uint32_t window(struct portolan_trace *t)
{
    static const int members[] = {2, 0};
    struct portolan_trace_comm comm = {.id = 3, .n_members = 2, .members = members};

    return (uint32_t)portolan_trace_window(t, &comm);
}

#define E(KIND, ...)                                                                               \
    (struct portolan_trace_event)                                                                  \
    {                                                                                              \
        .kind = PORTOLAN_TRACE_##KIND, __VA_ARGS__                                                 \
    }

/* Puts a region with N values of one name. */
static void put_region(struct portolan_trace *t, int rank, int n_values)
{
    struct portolan_trace_region region = {PORTOLAN_TRACE_FUNCTION, "solve", "", "", ""};
    uint32_t what = (uint32_t)portolan_trace_region(t, &region) & 0xffffff;
    double n = 640;
    struct portolan_trace_event value =
        E(VALUE, .what = (uint32_t)portolan_trace_name(t, "n") & 0xffffff);

    memcpy(&value.bytes, &n, sizeof n);
    put(t, rank, E(ENTER, .what = what));
    value.ns = now;
    for (int i = 0; i < n_values; i++)
        assert_true(portolan_trace_add(t, rank, 0, &value));
    put(t, rank, E(LEAVE, .what = what));
}

/* Every kind of event that OTF2 has a record for. */
static struct portolan_trace *make_trace(void)
{
    struct portolan_trace *t = portolan_trace_create(N_RANKS, "test");
    uint32_t two = pair(t), both = bridge(t), win = window(t);
    struct portolan_error err = {0};

    now = -10;
    put_region(t, 0, 1);
    call(t, 0, "MPI_Send", E(SEND, .peer = 1, .tag = 5, .bytes = 4096));
    call(t, 0, "MPI_Isend", E(SEND, .what = two, .peer = 2, .tag = 1, .bytes = 8, .request = 1));
    call(t, 0, "MPI_Wait", E(SEND_DONE, .request = 1));
    call(t, 0, "MPI_Send", E(SEND, .what = both, .peer = 1, .bytes = 16));
    call(t, 1, "MPI_Recv", E(RECV, .peer = 0, .tag = 5, .bytes = 4096));
    call(t, 1, "MPI_Recv", E(RECV, .what = both, .peer = 0, .bytes = 16));
    call(t, 2, "MPI_Irecv", E(RECV_POST, .what = two, .peer = 0, .tag = 1, .request = 1));
    call(t, 2, "MPI_Wait", E(RECV, .what = two, .peer = 0, .tag = 1, .bytes = 8, .request = 1));
    call(t, 2, "MPI_Irecv", E(RECV_POST, .peer = -2, .tag = -2, .request = 2));
    call(t, 2, "MPI_Wait", E(CANCELLED, .request = 2));
    for (int rank = 0; rank < N_RANKS; rank++) {
        call(t, rank, "MPI_Allreduce", E(COLLECTIVE, .peer = -1, .bytes = 8));
        call(t, rank, "MPI_Ibcast", E(COLLECTIVE, .peer = 1, .bytes = 64, .request = 9));
        call(t, rank, "MPI_Wait", E(COLLECTIVE_DONE, .request = 9));
    }
    put(t, 0, E(GAP));
    call(t, 0, "MPI_Win_fence", E(EPOCH, .what = win));
    call(t, 2, "MPI_Win_fence", E(EPOCH, .what = win));
    begin(t, 0, "MPI_Win_start");
    put(t, 0, E(ACCESS, .what = win, .peer = 2));
    now -= 10; /* the archive has one record for the group and the epoch */
    put(t, 0, E(EPOCH, .what = win));
    end(t, 0, "MPI_Win_start");
    call(t, 0, "MPI_Put", E(TRANSFER, .what = win, .peer = 2, .bytes = 32));
    call(t, 0, "MPI_Win_complete", E(EPOCH, .what = win));
    assert_int_equal(portolan_trace_finish(t, &err), PORTOLAN_OK);
    return t;
}

static void assert_same_ranks(const int *a, const int *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(a[i], b[i]);
}

static void assert_same_event(const struct portolan_trace *a, const struct portolan_trace *b,
                              size_t i)
{
    const struct portolan_trace_event *x = &a->events[i], *y = &b->events[i];

    assert_int_equal(x->ns, y->ns);
    assert_int_equal(x->kind, y->kind);
    assert_int_equal(x->peer, y->peer);
    assert_int_equal(x->tag, y->tag);
    assert_int_equal(x->bytes, y->bytes);
    assert_int_equal(!x->request, !y->request);
    switch (x->kind) {
    case PORTOLAN_TRACE_BEGIN:
    case PORTOLAN_TRACE_END:
        assert_string_equal(a->routines[x->what], b->routines[y->what]);
        break;
    case PORTOLAN_TRACE_ENTER:
    case PORTOLAN_TRACE_LEAVE:
        assert_string_equal(a->regions[x->what].name, b->regions[y->what].name);
        break;
    case PORTOLAN_TRACE_VALUE:
        assert_string_equal(a->names[x->what], b->names[y->what]);
        break;
    case PORTOLAN_TRACE_TRANSFER:
    case PORTOLAN_TRACE_EPOCH:
    case PORTOLAN_TRACE_ACCESS:
        assert_int_equal(a->windows[x->what].n_members, b->windows[y->what].n_members);
        break;
    default:
        assert_int_equal(a->comms[x->what].n_members, b->comms[y->what].n_members);
        assert_same_ranks(a->comms[x->what].members, b->comms[y->what].members,
                          a->comms[x->what].n_members);
    }
}

static void test_round_trip(void **state)
{
    struct portolan_trace *written = make_trace(), *read = NULL;
    struct portolan_error err = {0};
    char path[64];

    snprintf(path, sizeof path, "%s/trace.otf2", folder);
    assert_int_equal(portolan_trace_write_otf2(written, path, NULL, &err), PORTOLAN_OK);
    assert_int_equal(trace_read_otf2(path, NULL, &read, &err), PORTOLAN_OK);
    assert_int_equal(read->n_ranks, N_RANKS);
    assert_int_equal(read->n_locations, written->n_locations);
    assert_int_equal(read->n_events, written->n_events);
    for (size_t i = 0; i < read->n_locations; i++)
        assert_false(read->locations[i].is_cut);
    for (size_t i = 0; i < read->n_events; i++)
        assert_same_event(written, read, i);
    portolan_trace_destroy(read);
    /* The folder holds an archive. */
    assert_int_equal(portolan_trace_write_otf2(written, path, NULL, &err), PORTOLAN_EIO);
    portolan_trace_destroy(written);
}

/* As on ManualClock, whose time may stand still: a region has an attribute of each name. */
static void test_equal_names(void **state)
{
    struct portolan_trace *written = portolan_trace_create(1, "equal"), *read = NULL;
    struct portolan_error err = {0};
    char path[64];

    snprintf(path, sizeof path, "%s/equal/trace.otf2", folder);
    put_region(written, 0, 2);
    assert_int_equal(portolan_trace_finish(written, &err), PORTOLAN_OK);
    assert_int_equal(portolan_trace_write_otf2(written, path, NULL, &err), PORTOLAN_OK);
    assert_int_equal(trace_read_otf2(path, NULL, &read, &err), PORTOLAN_OK);
    assert_int_equal(read->n_events, 3); /* the second value is a metric, which is not read */
    for (size_t i = 0; i < 2; i++)
        assert_same_event(written, read, i);
    assert_int_equal(read->events[2].kind, PORTOLAN_TRACE_LEAVE);
    portolan_trace_destroy(read);
    portolan_trace_destroy(written);
}

/* A rank of which nothing is known leaves the others theirs. */
static void test_missing_rank(void **state)
{
    struct portolan_trace *written = portolan_trace_create(2, "missing"), *read = NULL;
    struct portolan_error err = {0};
    char path[64];

    snprintf(path, sizeof path, "%s/missing/trace.otf2", folder);
    begin(written, 0, "MPI_Barrier");
    end(written, 0, "MPI_Barrier");
    assert_int_equal(portolan_trace_finish(written, &err), PORTOLAN_OK);
    assert_int_equal(portolan_trace_write_otf2(written, path, NULL, &err), PORTOLAN_OK);
    assert_int_equal(trace_read_otf2(path, NULL, &read, &err), PORTOLAN_OK);
    assert_int_equal(read->n_ranks, 2);
    assert_int_equal(read->n_locations, 1);
    assert_int_equal(read->locations[0].rank, 0);
    portolan_trace_destroy(read);
    portolan_trace_destroy(written);
}

/* In the file of definitions, the last group without members becomes that of MPI_COMM_SELF. */
static void make_self(const char *file)
{
    static const uint8_t empty[] = {0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0};
    uint8_t bytes[1 << 14];
    FILE *f = fopen(file, "r+");
    size_t n, at;

    assert_non_null(f);
    n = fread(bytes, 1, sizeof bytes, f);
    for (at = n - sizeof empty; at > 0 && memcmp(bytes + at, empty, sizeof empty) != 0;)
        at--;
    assert_true(at > 0);
    fseek(f, (long)at + 1, SEEK_SET);
    fputc(OTF2_GROUP_TYPE_COMM_SELF, f);
    fclose(f);
}

/* Score-P's archives have one group without members for all of MPI_COMM_SELF; of others the members
   may be missing: ranks 0 and 2 use this one. */
static void test_no_members(void **state)
{
    static const struct portolan_trace_comm unknown = {.id = 4}, self = {.id = 5};
    struct portolan_trace *written = portolan_trace_create(N_RANKS, "members"), *read = NULL;
    uint32_t pair_of = (uint32_t)portolan_trace_comm(written, &unknown) & 0xffffff;
    uint32_t own = (uint32_t)portolan_trace_comm(written, &self) & 0xffffff;
    struct portolan_matching *m = NULL;
    struct portolan_error err = {0};
    char path[64];

    for (int rank = 0; rank < N_RANKS; rank++) {
        call(written, rank, "MPI_Isend", E(SEND, .what = own, .peer = rank, .request = 1));
        call(written, rank, "MPI_Recv", E(RECV, .what = own, .peer = rank));
        call(written, rank, "MPI_Wait", E(SEND_DONE, .request = 1));
        call(written, rank, "MPI_Bcast", E(COLLECTIVE, .what = own, .peer = rank));
        if (rank != 1)
            call(written, rank, "MPI_Barrier", E(COLLECTIVE, .what = pair_of, .peer = -1));
    }
    assert_int_equal(portolan_trace_finish(written, &err), PORTOLAN_OK);
    snprintf(path, sizeof path, "%s/members/trace.otf2", folder);
    assert_int_equal(portolan_trace_write_otf2(written, path, NULL, &err), PORTOLAN_OK);
    snprintf(path, sizeof path, "%s/members/trace.def", folder);
    make_self(path);
    snprintf(path, sizeof path, "%s/members/trace.otf2", folder);
    assert_int_equal(trace_read_otf2(path, NULL, &read, &err), PORTOLAN_OK);
    assert_int_equal(read->n_events, written->n_events);
    assert_int_equal(portolan_matching_create(read, &m, &err), PORTOLAN_OK);
    assert_int_equal(m->n_messages, N_RANKS);
    assert_int_equal(m->n_unmatched_sends + m->n_unmatched_recvs, 0);
    assert_int_equal(m->n_collectives, N_RANKS + 1);
    assert_int_equal(m->n_incomplete, 0);
    portolan_matching_destroy(m);
    portolan_trace_destroy(read);
    portolan_trace_destroy(written);
}

static int n_reports;

static void count_report(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg, (void)file, (void)line, (void)column, (void)text;
    n_reports++;
}

/* OTF2's reader leaks the archive when its anchor file is damaged. */
PORTOLAN_API const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:otf2_file_posix_open\n";
}

/* FILE of the archive with LENGTH of its bytes, and byte FLIPPED (if it has it) inverted. */
static void read_damaged(const char *file, const uint8_t *bytes, size_t length, size_t flipped)
{
    struct portolan_diagnostics diagnostics = {.report = count_report};
    struct portolan_trace *trace = NULL;
    struct portolan_error err = {0};
    char path[64];
    FILE *f = fopen(file, "w");

    assert_non_null(f);
    for (size_t i = 0; i < length; i++)
        fputc(i == flipped ? bytes[i] ^ 0xff : bytes[i], f);
    fclose(f);
    snprintf(path, sizeof path, "%s/trace.otf2", folder);
    if (trace_read_otf2(path, &diagnostics, &trace, &err))
        assert_true(!trace && err.text[0]);
    portolan_trace_destroy(trace);
}

/* Cuts each file at every byte, and changes every byte: the result is a trace or an error. */
static void test_damaged(void **state)
{
    static const char *const names[] = {"trace.otf2", "trace.def", "trace/0.def", "trace/0.evt"};

    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        uint8_t bytes[1 << 16];
        char file[64];
        size_t size;
        FILE *f;

        snprintf(file, sizeof file, "%s/%s", folder, names[n]);
        f = fopen(file, "r");
        assert_non_null(f);
        size = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        for (size_t i = 0; i < size; i++) {
            read_damaged(file, bytes, i, size);
            if (i % 16 == 0)
                read_damaged(file, bytes, size, i);
        }
        read_damaged(file, bytes, size, size);
    }
}

static void test_cut(void **state)
{
    struct portolan_diagnostics diagnostics = {.report = count_report};
    struct portolan_trace *trace = NULL;
    struct portolan_error err = {0};
    char path[64], file[64];

    n_reports = 0;
    snprintf(path, sizeof path, "%s/trace.otf2", folder);
    snprintf(file, sizeof file, "%s/trace/0.evt", folder);
    assert_int_equal(truncate(file, 100), 0);
    assert_int_equal(trace_read_otf2(path, &diagnostics, &trace, &err), PORTOLAN_OK);
    assert_int_equal(n_reports, 1);
    assert_true(trace->locations[0].is_cut);
    assert_false(trace->locations[1].is_cut);
    portolan_trace_destroy(trace);
    snprintf(file, sizeof file, "%s/trace/1.evt", folder);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(trace_read_otf2(path, &diagnostics, &trace, &err), PORTOLAN_OK);
    assert_int_equal(n_reports, 3);
    portolan_trace_destroy(trace);
}

static void test_wrong(void **state)
{
    struct portolan_trace *trace = NULL;
    struct portolan_error err = {0};
    char path[64];
    FILE *file;

    snprintf(path, sizeof path, "%s/wrong.otf2", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("no archive\n", file);
    fclose(file);
    assert_int_equal(trace_read_otf2(path, NULL, &trace, &err), PORTOLAN_ESYNTAX);
    assert_non_null(strstr(err.text, "is not a readable OTF2 archive"));
}

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[64];

    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

UNIT_TESTS_BETWEEN(make_folder, remove_folder, cmocka_unit_test(test_round_trip),
                   cmocka_unit_test(test_equal_names), cmocka_unit_test(test_missing_rank),
                   cmocka_unit_test(test_damaged), cmocka_unit_test(test_cut),
                   cmocka_unit_test(test_wrong), cmocka_unit_test(test_no_members))
