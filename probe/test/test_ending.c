/* SPDX-License-Identifier: BSD-3-Clause */
/* How a process ends, and steps that take too long: who hears of it, and that it ends as it would.
 */
#include <portolan/doing.h>
#include <portolan/ending.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unit_test.h>

/* What the observer in a child heard comes through a pipe. */
static int heard[2];
static char text[200];

static void write_down(void *arg, const struct portolan_ending *e)
{
    char line[200];
    int n = snprintf(line, sizeof line, "%s %ld step %d%s%s", e->how, e->number, e->step,
                     e->n ? " in " : "", e->n ? e->inside[0].class_name : "");

    (void)arg;
    if (write(heard[1], line, (size_t)n) != n)
        _exit(9);
}

/* The wait status of a child that observes its end, which LAST brings about. */
static int end_of(void (*last)(void))
{
    int status;
    pid_t child;
    ssize_t n;

    assert_int_equal(pipe(heard), 0);
    if ((child = fork()) == 0) {
        signal(SIGSEGV, SIG_DFL); /* cmocka has handlers */
        signal(SIGABRT, SIG_DFL);
        portolan_ending_step(7);
        portolan_ending_observe(write_down, heard);
        last();
        _exit(0);
    }
    close(heard[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    n = read(heard[0], text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    close(heard[0]);
    return status;
}

static void crash(void)
{
    portolan_doing_set((struct portolan_doing){"f", "test.Bad"});
    raise(SIGSEGV);
}

static void call_exit(void)
{
    exit(3);
}

static void say_nothing(void)
{
    portolan_ending_forget(heard);
    raise(SIGABRT);
}

static volatile sig_atomic_t survived;

static void survive(int number)
{
    (void)number;
    survived = 1;
}

static void have_own_handler(void)
{
    raise(SIGFPE);
    if (!survived)
        _exit(8);
}

static void fork_and_exit(void)
{
    pid_t child = fork();

    if (child == 0)
        exit(3);
    waitpid(child, NULL, 0);
}

static void a_process_ends_as_it_would_have(void **state)
{
    int status = end_of(crash);

    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    assert_string_equal(text, "signal 11 step 7 in test.Bad");
    status = end_of(call_exit);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    assert_string_equal(text, "exit 3 step 7");
    status = end_of(say_nothing);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_string_equal(text, "");
}

static void handlers_of_the_program_are_called(void **state)
{
    signal(SIGFPE, survive);
    assert_int_equal(end_of(have_own_handler), 0);
    assert_string_equal(text, "signal 8 step 7");
    signal(SIGFPE, SIG_DFL);
}

static void a_forked_process_is_not_observed(void **state)
{
    assert_int_equal(end_of(fork_and_exit), 0);
    assert_string_equal(text, "");
}

/* ------------------------------------------------------------------ steps */

static volatile sig_atomic_t n_slow, n_limits, step_told;

static void count(void *arg, const struct portolan_ending *e)
{
    (void)arg;
    n_slow += !strcmp(e->how, "slow");
    n_limits += !strcmp(e->how, "limit");
    step_told = e->step;
}

static void a_step_that_takes_far_longer_is_told_once_and_at_its_limit(void **state)
{
    portolan_ending_watch(count, NULL, 0.01, 0.05);
    for (int step = 0; step < 4; step++)
        portolan_ending_step(step);
    while (!n_limits) /* else the test's time limit ends it */
        ;
    assert_int_equal(n_slow, 1);
    assert_int_equal(step_told, 3);
    portolan_ending_step(-1);
    portolan_ending_watch(NULL, NULL, 0, 0);
}

UNIT_TESTS(cmocka_unit_test(a_process_ends_as_it_would_have),
           cmocka_unit_test(handlers_of_the_program_are_called),
           cmocka_unit_test(a_forked_process_is_not_observed),
           cmocka_unit_test(a_step_that_takes_far_longer_is_told_once_and_at_its_limit))
