/* SPDX-License-Identifier: BSD-3-Clause */
/* Run by mpiexec with any number of ranks. argv[1] is the plug-in. */
#include <dlfcn.h>
#include <portolan/mpi.h>
#include <portolan/probe.h>
#include <unit_test.h>

static const char *plugin_path;
static struct portolan_cohort *cohort;

static struct portolan_probe_traffic total_of(const char *routine)
{
    struct portolan_probe_traffic *rows, found = {0};
    size_t count;

    assert_int_equal(portolan_probe_traffic_take(&rows, &count), PORTOLAN_OK);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].routine, routine) == 0) {
            found.calls += rows[i].calls;
            found.time_ns += rows[i].time_ns;
            found.bytes += rows[i].received ? 0 : rows[i].bytes;
        }
    free(rows);
    return found;
}

static void own_messages_are_no_mpi_time(void **state)
{
    double x = 1.0;

    assert_int_equal(cohort->sum(cohort, &x, 1), PORTOLAN_OK);
    assert_true(x == cohort->size);
    assert_int_equal(total_of("MPI_Allreduce").calls, 0);
}

static void cohort_takes_maximum_entry_by_entry(void **state)
{
    double x[2] = {cohort->rank, -cohort->rank};

    assert_int_equal(cohort->max(cohort, x, 2), PORTOLAN_OK);
    assert_true(x[0] == cohort->size - 1);
    assert_true(x[1] == 0.0);
}

static void cohort_broadcasts_from_any_rank(void **state)
{
    int last = cohort->size - 1;
    char text[16] = "nobody";

    if (cohort->rank == last)
        strcpy(text, "the last");
    assert_int_equal(cohort->bcast(cohort, text, sizeof text, last), PORTOLAN_OK);
    assert_string_equal(text, "the last");
    assert_int_equal(cohort->bcast(cohort, text, sizeof text, cohort->size), PORTOLAN_EINVAL);
}

/* Rank r gives r × STEP bytes of value r + 1: rank 0 nothing, the last one the most. */
static void gather_of(size_t step)
{
    size_t *sizes = calloc((size_t)cohort->size, sizeof *sizes), at = 0;
    size_t mine = (size_t)cohort->rank * step;
    char *bytes = malloc(mine + 1);
    void *all = &all;

    assert_non_null(sizes);
    assert_non_null(bytes);
    memset(bytes, cohort->rank + 1, mine + 1);
    assert_int_equal(cohort->gather(cohort, bytes, mine, &all, sizes), PORTOLAN_OK);
    if (cohort->rank != 0) {
        assert_null(all);
    } else {
        for (int r = 0; r < cohort->size; r++) {
            assert_int_equal(sizes[r], (size_t)r * step);
            for (size_t i = 0; i < sizes[r]; i++)
                assert_int_equal(((char *)all)[at++], r + 1);
        }
        free(all);
    }
    free(bytes);
    free(sizes);
}

static void gather_keeps_rank_order_and_sizes(void **state)
{
    gather_of(0);
    gather_of(3);
    gather_of(100000); /* beyond what MPI sends without asking */
}

static void gather_without_memory_fails_and_leaves_nobody_waiting(void **state)
{
    enum portolan_status status;
    void *all = &all;
    char byte = 1;

    if (cohort->rank == cohort->size - 1)
        portolan_alloc_fail_at(1);
    status = cohort->gather(cohort, &byte, 1, &all, NULL);
    portolan_alloc_fail_at(0);
    assert_int_equal(status, PORTOLAN_ENOMEM);
    assert_null(all);
    gather_of(5);
}

static void gather_without_memory_on_the_way_up_fails_at_the_root(void **state)
{
    char bytes[1000] = {0};
    void *all = &all;
    enum portolan_status status;

    if (cohort->rank == 0)
        portolan_alloc_fail_at(3); /* the first merge, with the first child */
    status = cohort->gather(cohort, bytes, sizeof bytes, &all, NULL);
    portolan_alloc_fail_at(0);
    if (cohort->rank == 0 && cohort->size > 1) {
        assert_int_equal(status, PORTOLAN_ENOMEM);
        assert_null(all);
    } else {
        assert_int_equal(status, PORTOLAN_OK);
        free(all);
    }
    gather_of(5);
}

/* Joins two texts; ARG points to the calls left until one is to fail. */
static enum portolan_status join(void *arg, const void *mine, size_t mine_bytes, const void *theirs,
                                 size_t theirs_bytes, void **out, size_t *out_bytes)
{
    int *left = arg;
    char *both;

    if (left && (*left)-- == 0)
        return PORTOLAN_EFOREIGN;
    both = malloc(mine_bytes + theirs_bytes + 1);
    memcpy(both, mine, mine_bytes);
    memcpy(both + mine_bytes, theirs, theirs_bytes);
    *out = both;
    *out_bytes = mine_bytes + theirs_bytes;
    return PORTOLAN_OK;
}

/* Rank r has r × LENGTH letters, 'a' + r; all of them joined stand in the order of the ranks. */
static enum portolan_status reduce_of(size_t length, int *fails, void **bytes, size_t *size)
{
    *size = (size_t)cohort->rank * length;
    *bytes = malloc(*size + 1);
    memset(*bytes, 'a' + cohort->rank, *size);
    return cohort->reduce(cohort, bytes, size, join, fails);
}

static void reduce_merges_in_the_order_of_the_ranks(void **state)
{
    static const size_t lengths[] = {0, 3, 100000};

    for (size_t k = 0; k < 3; k++) {
        void *bytes;
        size_t size, at = 0;

        assert_int_equal(reduce_of(lengths[k], NULL, &bytes, &size), PORTOLAN_OK);
        if (cohort->rank != 0) {
            assert_null(bytes);
            continue;
        }
        for (int r = 0; r < cohort->size; r++)
            for (size_t i = 0; i < (size_t)r * lengths[k]; i++)
                assert_int_equal(((char *)bytes)[at++], 'a' + r);
        assert_int_equal(size, at);
        free(bytes);
    }
}

static void a_merge_that_fails_is_told_at_rank_0_and_leaves_nobody_waiting(void **state)
{
    /* the last rank's block meets its first merge there */
    int fails = cohort->rank == ((cohort->size - 2) & ~1) ? 0 : 10;
    enum portolan_status status;
    void *bytes;
    size_t size;

    status = reduce_of(50000, &fails, &bytes, &size);
    if (cohort->rank == 0 && cohort->size > 1) {
        assert_int_equal(status, PORTOLAN_EFOREIGN);
        assert_null(bytes);
    } else if (cohort->rank == 0) {
        free(bytes);
    }
    assert_int_equal(reduce_of(5, NULL, &bytes, &size), PORTOLAN_OK);
    free(bytes);
}

static void reduce_without_memory_fails_at_rank_0_and_leaves_nobody_waiting(void **state)
{
    enum portolan_status status;
    void *bytes;
    size_t size;

    if (cohort->rank == 0)
        portolan_alloc_fail_at(1); /* room for the first child's block */
    status = reduce_of(50000, NULL, &bytes, &size);
    portolan_alloc_fail_at(0);
    assert_int_equal(status, cohort->rank == 0 && cohort->size > 1 ? PORTOLAN_ENOMEM : PORTOLAN_OK);
    free(bytes);
    assert_int_equal(reduce_of(5, NULL, &bytes, &size), PORTOLAN_OK);
    free(bytes);
}

static void ranks_agree_on_the_first_failure(void **state)
{
    struct portolan_error err = {0};
    enum portolan_status status = PORTOLAN_OK;

    if (cohort->rank == cohort->size - 1)
        status = portolan_error_set(&err, PORTOLAN_EIO, "the disk is full");
    assert_int_equal(portolan_cohort_agree(cohort, status, &err), PORTOLAN_EIO);
    assert_non_null(strstr(err.text, "the disk is full"));
}

/* A port whose method calls MPI inside a plug-in that was loaded RTLD_LOCAL. */
typedef int (*talk_fn)(double *);

__attribute__((noinline)) static int proxied_talk(struct portolan_probe_port *port, double *sum)
{
    struct portolan_probe_call call;
    struct portolan_probe_binding *b = portolan_probe_enter(&call, port, 0, NULL, 0);
    int result = (*(talk_fn *)b->target)(sum);

    portolan_probe_leave(&call);
    return result;
}

static void a_failure_of_one_rank_is_everybodys_verdict(void **state)
{
    struct portolan_error err = {0};
    enum portolan_status status = PORTOLAN_OK;

    assert_true(portolan_mpi_verdict(cohort, &status, 5, &err));
    assert_int_equal(status, PORTOLAN_OK);
    if (cohort->rank == cohort->size - 1)
        status = portolan_error_set(&err, PORTOLAN_ECOMPONENT, "solver failed");
    assert_true(portolan_mpi_verdict(cohort, &status, 5, &err));
    assert_int_equal(status, PORTOLAN_ECOMPONENT);
    assert_non_null(strstr(err.text, "solver failed"));
}

static void mpi_time_of_plugins_is_charged_to_the_port_call(void **state)
{
    static const struct portolan_probe_connection connection = {.user = "u", .uses = "talk"};
    static const struct portolan_probe_method method = {.name = "talk"};
    struct portolan_probe_binding binding = {0};
    struct portolan_probe_snapshot snap = {0};
    struct portolan_probe_port port;
    void *plugin = dlopen(plugin_path, RTLD_NOW | RTLD_LOCAL);
    talk_fn talk;
    double sum = 0.0, root_mpi_ns = 0.0;
    bool found = false;

    assert_non_null(plugin);
    *(void **)&talk = dlsym(plugin, "plugin_talk");
    assert_non_null(talk);
    binding.target = &talk;
    assert_int_equal(portolan_probe_methods_register(&connection, &method, 1,
                                                     &binding.first_method_handle, NULL),
                     PORTOLAN_OK);
    portolan_probe_port_init(&port, &binding, PORTOLAN_PROBE_MONITORED);
    assert_int_equal(portolan_probe_snapshot_take(&snap, NULL), PORTOLAN_OK);
    root_mpi_ns = snap.count ? snap.records[0].mpi_ns : 0.0;

    assert_int_equal(proxied_talk(&port, &sum), 0);
    assert_true(sum == cohort->size);
    assert_int_equal(total_of("MPI_Allreduce").calls, 1);
    assert_int_equal(total_of("MPI_Allreduce").bytes, 8);
    assert_int_equal(total_of("MPI_Sendrecv").bytes, 40);

    assert_int_equal(portolan_probe_snapshot_take(&snap, NULL), PORTOLAN_OK);
    assert_true(snap.records[0].mpi_ns == root_mpi_ns);
    for (size_t i = 0; i < snap.count; i++)
        if (snap.records[i].handle == binding.first_method_handle) {
            found = true;
            assert_true(snap.records[i].mpi_ns > 0.0);
            assert_true(snap.records[i].mpi_ns <= snap.records[i].exclusive_ns);
        }
    assert_true(found);
    portolan_probe_snapshot_clear(&snap);
    dlclose(plugin);
}

static int call_plugin(const char *name)
{
    void *plugin = dlopen(plugin_path, RTLD_NOW | RTLD_LOCAL);
    int (*function)(void), result;

    assert_non_null(plugin);
    *(void **)&function = dlsym(plugin, name);
    assert_non_null(function);
    result = function();
    dlclose(plugin);
    return result;
}

static void nonblocking_routines_are_counted(void **state)
{
    bool is_narrow = strcmp(PORTOLAN_MPI, "mpich") != 0; /* MPI 3: one routine for both widths */

    assert_int_equal(call_plugin("plugin_ring"), 0);
    assert_int_equal(total_of("MPI_Isend").calls, is_narrow ? 2 : 1);
    assert_int_equal(total_of("MPI_Isend").bytes, is_narrow ? 80 : 40);
    assert_int_equal(total_of("MPI_Isend_c").bytes, is_narrow ? 0 : 40);
    assert_int_equal(total_of("MPI_Waitall").calls, 1);
    assert_true(total_of("MPI_Waitall").time_ns >= 0);
    assert_true(total_of("MPI_Testall").calls >= 1);
    assert_int_equal(total_of("MPI_Comm_dup").calls, 1);
}

static void components_may_begin_and_end_mpi_without_effect(void **state)
{
    double one = 1.0;

    assert_int_equal(call_plugin("plugin_begin_and_end"), 0);
    assert_true(portolan_mpi_is_running());
    assert_int_equal(total_of("MPI_Finalize").calls, 0);
    assert_int_equal(cohort->sum(cohort, &one, 1), PORTOLAN_OK);
}

static void description_names_the_library(void **state)
{
    assert_non_null(
        strstr(portolan_mpi_describe(), strcmp(PORTOLAN_MPI, "mpich") == 0 ? "MPICH" : "Open MPI"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_messages_are_no_mpi_time),
        cmocka_unit_test(cohort_takes_maximum_entry_by_entry),
        cmocka_unit_test(cohort_broadcasts_from_any_rank),
        cmocka_unit_test(gather_keeps_rank_order_and_sizes),
        cmocka_unit_test(gather_without_memory_fails_and_leaves_nobody_waiting),
        cmocka_unit_test(gather_without_memory_on_the_way_up_fails_at_the_root),
        cmocka_unit_test(reduce_merges_in_the_order_of_the_ranks),
        cmocka_unit_test(a_merge_that_fails_is_told_at_rank_0_and_leaves_nobody_waiting),
        cmocka_unit_test(reduce_without_memory_fails_at_rank_0_and_leaves_nobody_waiting),
        cmocka_unit_test(ranks_agree_on_the_first_failure),
        cmocka_unit_test(a_failure_of_one_rank_is_everybodys_verdict),
        cmocka_unit_test(mpi_time_of_plugins_is_charged_to_the_port_call),
        cmocka_unit_test(nonblocking_routines_are_counted),
        cmocka_unit_test(components_may_begin_and_end_mpi_without_effect),
        cmocka_unit_test(description_names_the_library),
    };
    struct portolan_error err = {0};
    int failed;

    plugin_path = argc > 1 ? argv[1] : "";
    if (portolan_mpi_init(&err) != PORTOLAN_OK ||
        portolan_mpi_cohort_create(&cohort, &err) != PORTOLAN_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    failed = cmocka_run_group_tests_name("ranks", tests, NULL, NULL);
    portolan_mpi_cohort_destroy(cohort);
    portolan_mpi_finalize();
    return failed;
}
