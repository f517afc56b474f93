/* SPDX-License-Identifier: BSD-3-Clause */
/* What a store that changes is said to have: old trials are no news, steps come once, a trial ends.
 */
#include <portolan/follow.h>
#include <portolan/store.h>

#include "unit_test.h"

/* Events as lines "EVENT JSON". */
static void note(void *arg, const char *event, const char *json)
{
    portolan_text_add(arg, "%s %s", event, json);
}

static int64_t begin(struct portolan_store *store)
{
    const struct portolan_trial t = {.assembly = "plate", .purpose = "explore", .ranks = 1};
    int64_t id;

    assert_int_equal(portolan_store_begin_trial(store, &t, &id, NULL), PORTOLAN_OK);
    return id;
}

static void put_step(struct portolan_store *store, int64_t trial, int step, double ns)
{
    struct portolan_sample s = {.instance = "solver",
                                .implementation = "Solver",
                                .port = "solve",
                                .method = "solve",
                                .user = "driver",
                                .uses = "solver",
                                .parent = -1,
                                .step = step,
                                .calls = 1,
                                .inclusive_ns = ns,
                                .exclusive_ns = ns};
    struct portolan_error err = {0};

    if (portolan_store_put_step(store, trial, step, &s, 1, &err))
        fail_msg("%s", err.text);
}

/* Looks; what was sent must be TEXT. */
static void sees(struct portolan_follower *f, const char *path, const char *text)
{
    struct portolan_text *sent = f->arg;

    portolan_text_clear(sent);
    portolan_follow(f, path);
    assert_string_equal(sent->bytes ? sent->bytes : "", text);
}

static void steps_are_sent_once(void **state)
{
    const char *path = test_file("watched.db");
    struct portolan_text sent = {0};
    struct portolan_follower f = {.send = note, .arg = &sent, PORTOLAN_FOLLOWER_BEGINS};
    struct portolan_store *store;
    int64_t id;

    sees(&f, path, ""); /* there is no store yet */
    f.has_looked = false;
    assert_int_equal(portolan_store_open(path, PORTOLAN_STORE_WRITE, &store, NULL), PORTOLAN_OK);
    id = begin(store);
    put_step(store, id, 0, 5e6);
    sees(&f, path,
         "trial {\"trial\":1,\"assembly\":\"plate\",\"purpose\":\"explore\",\"outcome\":"
         "\"running\"}\nstep {\"trial\":1,\"step\":0,\"ns\":5000000}\n");
    assert_true(f.is_running && f.is_stale && f.has_turned);
    f.is_stale = f.has_turned = false;
    sees(&f, path, "");
    assert_false(f.is_stale);
    put_step(store, id, 1, 7e6);
    sees(&f, path, "step {\"trial\":1,\"step\":1,\"ns\":7000000}\n");
    assert_true(f.is_stale && !f.has_turned);
    put_step(store, id, 2, 8e6);
    assert_int_equal(portolan_store_end_trial(store, id, "finished", 2e7, NULL), PORTOLAN_OK);
    sees(&f, path, /* its last steps are news, too */
         "step {\"trial\":1,\"step\":2,\"ns\":8000000}\n"
         "trial {\"trial\":1,\"assembly\":\"plate\",\"purpose\":\"explore\",\"outcome\":"
         "\"finished\"}\n");
    assert_true(!f.is_running && f.has_turned);
    portolan_store_close(store);
    portolan_text_clear(&sent);
}

static void steps_of_old_trials_are_no_news(void **state)
{
    const char *path = test_file("old.db");
    struct portolan_text sent = {0};
    struct portolan_follower f = {.send = note, .arg = &sent, PORTOLAN_FOLLOWER_BEGINS};
    struct portolan_store *store;
    int64_t id;

    assert_int_equal(portolan_store_open(path, PORTOLAN_STORE_WRITE, &store, NULL), PORTOLAN_OK);
    id = begin(store);
    put_step(store, id, 0, 5e6);
    assert_int_equal(portolan_store_end_trial(store, id, "finished", 5e6, NULL), PORTOLAN_OK);
    portolan_store_close(store);
    portolan_follow(&f, path);
    assert_null(strstr(sent.bytes, "step {"));
    assert_false(f.is_running);
    portolan_text_clear(&sent);
}

UNIT_TESTS_BETWEEN(test_folder_make, test_folder_remove, cmocka_unit_test(steps_are_sent_once),
                   cmocka_unit_test(steps_of_old_trials_are_no_news))
