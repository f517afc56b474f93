/* SPDX-License-Identifier: BSD-3-Clause */
/* What is taken away is missed; `portolan`, which examinations start, is this program. */
#include "unit_test.h"

#include <portolan/examine.h>

static struct portolan_error no_error;

static const struct portolan_finding *find(const struct portolan_health *h, const char *name)
{
    for (size_t i = 0; i < h->n; i++)
        if (!strcmp(h->findings[i].name, name))
            return &h->findings[i];
    fail_msg("nothing was found of '%s'", name);
    return NULL;
}

static struct portolan_health examine(const char *store, const struct portolan_error *mpi)
{
    struct portolan_cohort alone = *portolan_cohort_alone();
    struct portolan_health h = {0};

    alone.medium = "one process";
    portolan_examine(&(struct portolan_examine_options){&alone, mpi, .ranks = 1, store}, &h);
    return h;
}

static void commands_answer_for_what_they_use(void **state)
{
    struct portolan_health h = examine(test_file("new.db"), &no_error);

    assert_int_equal(h.n, 15);
    assert_int_equal(find(&h, "MPI")->state, PORTOLAN_HEALTH_FINE);
    assert_int_equal(find(&h, "store")->state, PORTOLAN_HEALTH_FINE);
    assert_int_equal(find(&h, "virtual time")->state, PORTOLAN_HEALTH_FINE); /* it ends with 0 */
    assert_int_equal(find(&h, "libclang")->state, PORTOLAN_HEALTH_NOTE);     /* it ends with 1 */
    portolan_arena_clear(&h.arena);
}

static void what_is_missing_is_found(void **state)
{
    struct portolan_error mpi = {.status = PORTOLAN_EFOREIGN, .text = "no daemon"};
    struct portolan_health h;

    setenv("PORTOLAN_PATH", "/nowhere", 1);
    h = examine(test_file_write("text.db", "no store"), &mpi);
    assert_int_equal(find(&h, "components")->state, PORTOLAN_HEALTH_LACK);
    assert_int_equal(find(&h, "store")->state, PORTOLAN_HEALTH_LACK);
    assert_string_equal(find(&h, "MPI")->found, "no daemon");
    assert_true(h.n_lacks >= 3);
    portolan_arena_clear(&h.arena);
}

static enum portolan_status gather_self(struct portolan_cohort *c, const void *mine, size_t size,
                                        void **all, size_t *sizes)
{
    (void)c, (void)mine, (void)size, (void)sizes;
    *all = NULL;
    return PORTOLAN_OK;
}

static void only_the_first_rank_examines(void **state)
{
    struct portolan_cohort second = *portolan_cohort_alone();
    struct portolan_health h = {0};

    second.rank = 1;
    second.size = 2;
    second.gather = gather_self;
    portolan_examine(&(struct portolan_examine_options){&second, &no_error, 0, "x.db"}, &h);
    assert_int_equal(h.n, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_answer_for_what_they_use),
        cmocka_unit_test(what_is_missing_is_found),
        cmocka_unit_test(only_the_first_rank_examines),
    };

    if (argc > 1)
        return strcmp(argv[1], "clue") ? 1 : 0;
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
