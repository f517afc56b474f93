/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands from outside: control file, signals, forks, ends; and switching under running calls. */
#include "fixture.h"

#include <portolan/control.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/portolan-listen-XXXXXX";
static char file[100], reply[120];
static struct portolan_probe_port port;
static struct portolan_probe_binding binding;
static struct portolan_control_port control;
static struct portolan_error err;

static void work(struct worker *self, int64_t n)
{
    (void)self, (void)n;
}

static struct worker worker = {work, NULL, NULL};

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");

    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* The reply once it has WORDS, or a failure after ten seconds. */
static const char *answer_with(const char *words)
{
    static char text[4000];

    for (int i = 0; i < 1000; i++) {
        FILE *f = fopen(reply, "r");
        size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

        if (f)
            fclose(f);
        text[n] = '\0';
        if (strstr(text, words))
            return text;
        poll(NULL, 0, 10);
    }
    fail_msg("no answer with '%s', but '%s'", words, text);
    return NULL;
}

static int fresh(void **state)
{
    err = (struct portolan_error){0};
    mkdir(folder, 0777);
    portolan_control_apply("on *", "test", NULL);
    portolan_control_apply("mastermind *", "test", NULL);
    bind_worker(&binding, &worker, "driver", "worker", "test.Worker");
    portolan_probe_port_init(&port, &binding, 0);
    control = (struct portolan_control_port){.name = "driver.worker",
                                             .type = "test.Worker",
                                             .port = &port,
                                             .variant = PORTOLAN_VARIANT_MASTERMIND,
                                             .has_mastermind = true};
    portolan_control_add(&control);
    return 0;
}

static int leave(void **state)
{
    portolan_control_stop();
    portolan_control_remove(&control);
    unlink(file);
    unlink(reply);
    return 0;
}

static void listen_to(const char *signals)
{
    assert_int_equal(portolan_control_listen(file, signals, &err), PORTOLAN_OK);
}

static bool is_measured(void)
{
    return portolan_probe_port_flags(&port) & PORTOLAN_PROBE_MONITORED;
}

/* ------------------------------------------------------------------ the file */

static void a_file_is_obeyed_when_it_is_written(void **state)
{
    listen_to(NULL);
    write_file(file, "# request one\noff *\n");
    assert_string_equal(answer_with("request one"),
                        "request one\nnodes 1\nstatus ok\noff *: 1 port\n");
    assert_false(is_measured());
    write_file(file, "# request two\non *\n");
    answer_with("request two");
    assert_true(is_measured());
}

static void a_file_is_obeyed_when_it_is_renamed_to_its_name(void **state)
{
    char other[120];

    snprintf(other, sizeof other, "%s.other", file);
    listen_to(NULL);
    write_file(other, "# request renamed\noff *\n");
    assert_int_equal(rename(other, file), 0);
    answer_with("request renamed");
    assert_false(is_measured());
}

static void a_file_that_is_there_is_obeyed_at_once(void **state)
{
    write_file(file, "off *\n");
    listen_to(NULL);
    assert_false(is_measured());
}

static void what_was_asked_of_another_program_is_not_obeyed(void **state)
{
    write_file(file, "# request old\noff *\n");
    listen_to(NULL);
    assert_true(is_measured());
}

static void a_file_that_goes_changes_nothing_and_may_come_again(void **state)
{
    listen_to(NULL);
    write_file(file, "# request 1\noff *\n");
    answer_with("request 1");
    unlink(file);
    write_file(file, "# request 2\nlist\n");
    answer_with("request 2");
    assert_false(is_measured());
}

static void mistakes_are_answered_and_nothing_is_obeyed(void **state)
{
    char expected[400];

    listen_to(NULL);
    write_file(file, "off *\nfrobnicate\n");
    snprintf(expected, sizeof expected,
             "nodes 1\nstatus error\n%s:2: error: unknown command 'frobnicate'; ", file);
    assert_memory_equal(answer_with("status error"), expected, strlen(expected));
    assert_true(is_measured());
}

static void what_another_user_wrote_is_not_obeyed(void **state)
{
    char other[120];

    snprintf(other, sizeof other, "%s.other", file);
    write_file(file, "# request theirs\noff *\n");
    if (chown(file, geteuid() + 1, (gid_t)-1) != 0)
        skip(); /* only root can */
    listen_to(NULL);
    write_file(other, "# request ours\nlist\n");
    assert_int_equal(rename(other, file), 0);
    answer_with("request ours");
    assert_true(is_measured());
}

static void what_is_no_text_is_refused(void **state)
{
    FILE *f;

    listen_to(NULL);
    f = fopen(file, "w");
    assert_int_equal(fwrite("off *\n\0", 1, 7, f), 7);
    fclose(f);
    answer_with("is no text");
    f = fopen(file, "w");
    for (int i = 0; i < 70000; i++)
        fputc('#', f);
    fclose(f);
    answer_with("is longer than 65536 bytes");
    assert_true(is_measured());
}

static void a_folder_that_is_replaced_is_found_again(void **state)
{
    char away[100];

    snprintf(away, sizeof away, "%s.away", folder);
    listen_to(NULL);
    write_file(file, "# request before\nlist\n");
    answer_with("request before");
    assert_int_equal(rename(folder, away), 0);
    assert_int_equal(mkdir(folder, 0777), 0);
    write_file(file, "# request after\noff *\n");
    answer_with("request after");
    assert_false(is_measured());
    snprintf(away, sizeof away, "rm -r %s.away", folder);
    assert_int_equal(system(away), 0);
}

static void a_folder_that_is_not_there_is_refused(void **state)
{
    assert_int_equal(portolan_control_listen("/nonexistent/ctl", NULL, &err), PORTOLAN_EIO);
    assert_non_null(strstr(err.text, "/nonexistent/ctl"));
    err = (struct portolan_error){0};
    assert_int_equal(portolan_control_listen("/tmp/", NULL, &err), PORTOLAN_EIO);
    assert_int_equal(portolan_control_listen(NULL, NULL, NULL), PORTOLAN_EINVAL);
}

static void there_is_one_listener(void **state)
{
    listen_to(NULL);
    assert_int_equal(portolan_control_listen(file, NULL, &err), PORTOLAN_EEXISTS);
    portolan_control_stop();
    listen_to(NULL);
}

static void the_environment_is_asked_once(void **state)
{
    assert_int_equal(portolan_control_listen_environment(&err), PORTOLAN_OK);
    setenv("PORTOLAN_CONTROL", file, 1);
    write_file(file, "off *\n");
    assert_int_equal(portolan_control_listen_environment(&err), PORTOLAN_OK);
    assert_int_equal(portolan_control_listen_environment(&err), PORTOLAN_OK);
    unsetenv("PORTOLAN_CONTROL");
    assert_false(is_measured());
}

/* ------------------------------------------------------------------ signals */

static volatile sig_atomic_t handled;

static void handle(int number)
{
    handled = number;
}

static void wait_until_measured(bool wanted)
{
    for (int i = 0; i < 1000 && is_measured() != wanted; i++)
        poll(NULL, 0, 10);
    assert_true(is_measured() == wanted);
}

static void a_signal_switches_off_and_on(void **state)
{
    listen_to("SIGUSR1,RTMIN+3:dump");
    raise(SIGUSR1);
    wait_until_measured(false);
    raise(SIGUSR1);
    wait_until_measured(true);
}

static void a_handler_that_was_there_is_called_too(void **state)
{
    struct sigaction action = {.sa_handler = handle}, before, after;

    sigaction(SIGUSR2, &action, &before);
    listen_to("USR2");
    raise(SIGUSR2);
    wait_until_measured(false);
    assert_int_equal(handled, SIGUSR2);
    portolan_control_stop();
    sigaction(SIGUSR2, &before, &after);
    assert_ptr_equal(after.sa_handler, handle);
}

static void wrong_signals_are_refused(void **state)
{
    static const char *const bad[] = {"KILL", "USR1:frob", "USR1,USR1", "RTMIN+999", "9"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = (struct portolan_error){0};
        assert_int_equal(portolan_control_listen(file, bad[i], &err), PORTOLAN_EINVAL);
        assert_true(err.text[0]);
    }
}

/* ------------------------------------------------------------------ processes and ends */

static int count_threads(void)
{
    char line[200];
    FILE *f = fopen("/proc/self/status", "r");
    int n = 0;

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Threads: %d", &n) == 1)
            break;
    if (f)
        fclose(f);
    return n;
}

static int wait_for(pid_t child)
{
    int status = -1;

    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* As its exit status. */
static int count_threads_of_child(bool is_raising)
{
    pid_t child = fork();

    if (child == 0) {
        if (is_raising)
            raise(SIGUSR1);
        _exit(count_threads());
    }
    return wait_for(child);
}

static void a_forked_child_has_no_listener(void **state)
{
    int without = count_threads_of_child(false); /* 1; QEMU has one of its own */

    listen_to("USR1");
    assert_int_equal(count_threads_of_child(true), without);
    write_file(file, "# request after\nlist\n");
    answer_with("request after");
    assert_true(is_measured()); /* the child's signal was the child's */
}

static void a_process_that_listens_ends(void **state)
{
    pid_t child = fork();

    if (child == 0) {
        alarm(20);
        if (portolan_control_listen(file, "USR1", NULL) != PORTOLAN_OK)
            _exit(1);
        exit(0); /* exit handlers and all */
    }
    assert_int_equal(wait_for(child), 0);
}

/* ------------------------------------------------------------------ under running calls */

enum { THREADS = 3, CALLS = 20000, SWITCHES = 300 };
static bool go_on;

static void *call_all_the_time(void *arg)
{
    (void)arg;
    while (__atomic_load_n(&go_on, __ATOMIC_RELAXED))
        proxy_work(&port, 1);
    return NULL;
}

static void *call_often(void *arg)
{
    (void)arg;
    for (int i = 0; i < CALLS; i++)
        proxy_work(&port, 1);
    return NULL;
}

static uint64_t calls_of(bool profiled)
{
    uint64_t calls = 0;

    take_snapshot();
    for (size_t i = 0; i < snap.count; i++)
        if (snap.records[i].handle == binding.first_method_handle &&
            snap.records[i].profiled == profiled)
            calls += snap.records[i].calls;
    return calls;
}

static void run_threads(void *(*body)(void *), void (*meanwhile)(void))
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, body, NULL), 0);
    meanwhile();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void switch_all_the_time(void)
{
    static const char *const commands[] = {"profile *",    "off *",  "on *",  "forward *",
                                           "mastermind *", "toggle", "toggle"};
    char dumps[120];

    snprintf(dumps, sizeof dumps, "dump %s/profiles", folder);
    for (int i = 0; i < SWITCHES; i++) {
        assert_int_equal(portolan_control_apply(commands[i % 7], "test", NULL), PORTOLAN_OK);
        if (i % 100 == 50)
            assert_int_equal(portolan_control_apply(dumps, "test", NULL), PORTOLAN_OK);
    }
    __atomic_store_n(&go_on, false, __ATOMIC_RELAXED);
}

static void nothing(void)
{
}

static void calls_run_on_while_they_are_switched(void **state)
{
    uint64_t stored, profiled;

    go_on = true;
    run_threads(call_all_the_time, switch_all_the_time);
    portolan_control_apply("on *", "test", NULL);
    portolan_control_apply("profile *", "test", NULL);
    stored = calls_of(false);
    profiled = calls_of(true);
    run_threads(call_often, nothing);
    assert_int_equal(calls_of(true), profiled + THREADS * CALLS);
    assert_int_equal(calls_of(false), stored);
}

static int remove_folder(void **state)
{
    char line[100];

    portolan_probe_snapshot_clear(&snap);
    snprintf(line, sizeof line, "rm -rf %s", folder);
    return system(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, leave)
        TEST(a_file_is_obeyed_when_it_is_written),
        TEST(a_file_is_obeyed_when_it_is_renamed_to_its_name),
        TEST(a_file_that_is_there_is_obeyed_at_once),
        TEST(what_was_asked_of_another_program_is_not_obeyed),
        TEST(a_file_that_goes_changes_nothing_and_may_come_again),
        TEST(mistakes_are_answered_and_nothing_is_obeyed),
        TEST(what_another_user_wrote_is_not_obeyed),
        TEST(what_is_no_text_is_refused),
        TEST(a_folder_that_is_replaced_is_found_again),
        TEST(a_folder_that_is_not_there_is_refused),
        TEST(there_is_one_listener),
        TEST(the_environment_is_asked_once),
        TEST(a_signal_switches_off_and_on),
        TEST(a_handler_that_was_there_is_called_too),
        TEST(wrong_signals_are_refused),
        TEST(a_forked_child_has_no_listener),
        TEST(a_process_that_listens_ends),
        TEST(calls_run_on_while_they_are_switched),
    };

    if (!mkdtemp(folder))
        return 99;
    snprintf(file, sizeof file, "%s/ctl", folder);
    snprintf(reply, sizeof reply, "%s/ctl.reply", folder);
    setenv("PORTOLAN_PROFILE_DIR", folder, 1);
    return cmocka_run_group_tests_name("listen", tests, NULL, remove_folder);
}
