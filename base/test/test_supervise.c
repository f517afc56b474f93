/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that end in every way. */
#include <unit_test.h>

#include <portolan/supervise.h>

#include <unistd.h>

struct seen {
    struct portolan_text lines; /* E or O, and what was written */
    struct portolan_error err;
    int number;
};

static void note_line(void *arg, bool is_error, const char *text)
{
    portolan_text_add(&((struct seen *)arg)->lines, "%c:%s|", is_error ? 'E' : 'O', text);
}

/* Runs SCRIPT in a shell. */
static enum portolan_status run(struct seen *s, const char *script, double limit_s, bool is_silent)
{
    const struct portolan_supervision how = {
        .limit_s = limit_s, .is_silent = is_silent, .line = note_line, .arg = s};
    struct portolan_arena arena = {0};
    enum portolan_status status;

    portolan_text_clear(&s->lines);
    s->err = (struct portolan_error){0};
    status =
        portolan_supervise(&arena, PORTOLAN_WORDS("sh", "-c", script), &how, &s->number, &s->err);
    portolan_arena_clear(&arena);
    return status;
}

static void ends(const char *script, enum portolan_status status, const char *why,
                 const char *lines)
{
    struct seen s = {0};

    if (run(&s, script, 0, false) != status || strcmp(s.err.text, why) != 0)
        fail_msg("%s: '%s', not '%s'", script, s.err.text, why);
    assert_string_equal(s.lines.bytes ? s.lines.bytes : "", lines);
    assert_int_equal(s.number, 0);
    portolan_text_clear(&s.lines);
}

static void what_it_writes_is_passed_on_by_lines(void **state)
{
    ends("echo one; printf two", PORTOLAN_OK, "", "O:one|O:two|");
    ends("echo one >&2; echo >&2", PORTOLAN_OK, "", "E:one|E:|");
}

static void a_line_without_an_end_comes_in_pieces(void **state)
{
    struct seen s = {0};

    assert_int_equal(run(&s, "head -c 200000 /dev/zero | tr '\\0' x", 0, false), PORTOLAN_OK);
    assert_true(s.lines.length > 200000 + 2 * 3); /* "O:", "|" of at least three */
    portolan_text_clear(&s.lines);
}

static void what_a_command_does_is_measured_and_limited(void **state)
{
    char *variables[] = {(char[]){"TUNED=7"}, NULL};
    struct portolan_arena arena = {0};
    struct portolan_usage usage;
    struct seen s = {0};
    struct portolan_supervision how = {
        .line = note_line, .arg = &s, .usage = &usage, .folder = "/usr", .environment = variables};

    assert_int_equal(portolan_supervise(&arena,
                                        PORTOLAN_WORDS("sh", "-c", "pwd; echo $TUNED; exit 3"),
                                        &how, &s.number, &s.err),
                     PORTOLAN_EFOREIGN);
    assert_string_equal(s.lines.bytes, "O:/usr|O:7|");
    assert_int_equal(usage.status, 3);
    assert_false(usage.is_late);
    assert_true(usage.elapsed_s > 0 && usage.memory_bytes > 0);
    how.memory_bytes = 32e6;
    portolan_text_clear(&s.lines);
    assert_int_equal(
        portolan_supervise(
            &arena, PORTOLAN_WORDS("sh", "-c", "x=$(head -c 100000000 /dev/zero | tr '\\0' x)"),
            &how, &s.number, &s.err),
        PORTOLAN_EFOREIGN);
    how.memory_bytes = 0;
    how.limit_s = 0.1;
    assert_int_equal(
        portolan_supervise(&arena, PORTOLAN_WORDS("sleep", "100"), &how, &s.number, &s.err),
        PORTOLAN_EFOREIGN);
    assert_true(usage.is_late && usage.status == -1 && usage.elapsed_s >= 0.1);
    portolan_text_clear(&s.lines);
    portolan_arena_clear(&arena);
}

static void standard_output_may_be_dropped(void **state)
{
    struct seen s = {0};

    assert_int_equal(run(&s, "echo one; echo two >&2", 0, true), PORTOLAN_OK);
    assert_string_equal(s.lines.bytes, "E:two|");
    portolan_text_clear(&s.lines);
}

static void how_it_failed_is_the_reason(void **state)
{
    ends("exit 3", PORTOLAN_EFOREIGN, "its processes ended with status 3", "");
    ends("kill -KILL $$", PORTOLAN_EFOREIGN, "a process ended by Killed (signal 9)", "");
    ends("echo 'portolan: error: first' >&2; echo 'portolan: error: second' >&2; exit 1",
         PORTOLAN_EFOREIGN, "first", ""); /* each rank says it */
}

static void what_a_launcher_says_of_a_rank_is_the_reason(void **state)
{
    ends("echo '=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES'; echo 'YOUR APPLICATION "
         "TERMINATED WITH THE EXIT STRING: Aborted (signal 6)'; exit 134",
         PORTOLAN_EFOREIGN, "a process ended by Aborted (signal 6)", "");
    ends("echo 'mpirun: rank 0 exited on signal 6 (Aborted).' >&2; exit 134", PORTOLAN_EFOREIGN,
         "a process ended by signal 6 (Aborted).",
         "E:mpirun: rank 0 exited on signal 6 (Aborted).|");
}

static void one_that_takes_too_long_is_ended_with_all_that_it_started(void **state)
{
    struct seen s = {0};
    char script[200], file[] = "/tmp/portolan-supervise-XXXXXX";
    int fd = mkstemp(file);

    snprintf(script, sizeof script, "sleep 100 & echo $! >%s; wait", file);
    assert_int_equal(run(&s, script, 0.2, false), PORTOLAN_EFOREIGN);
    assert_string_equal(s.err.text, "still running at its limit of 0.2 s");
    snprintf(script, sizeof script, "! kill -0 $(cat %s) 2>/dev/null", file);
    assert_int_equal(run(&s, script, 0, false), PORTOLAN_OK);
    portolan_text_clear(&s.lines);
    close(fd);
    unlink(file);
}

static void a_signal_to_this_process_ends_it(void **state)
{
    struct seen s = {0};

    assert_int_equal(run(&s, "kill -TERM $PPID; sleep 100", 0, false), PORTOLAN_EFOREIGN);
    assert_int_equal(s.number, 15);
    assert_string_equal(s.err.text, "ended from outside by Terminated");
    assert_int_equal(run(&s, "true", 0, false), PORTOLAN_OK); /* and the next one runs */
    assert_int_equal(s.number, 0);
    portolan_text_clear(&s.lines);
}

static void variables_of_launchers_are_not_inherited(void **state)
{
    setenv("PMI_RANK", "1", 1);
    setenv("OMPI_COMM_WORLD_RANK", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    ends("echo $PMI_RANK $OMPI_COMM_WORLD_RANK $OMP_NUM_THREADS", PORTOLAN_OK, "", "O:1|");
    assert_string_equal(getenv("PMI_RANK"), "1");
}

static void a_program_that_is_not_there_is_an_error_of_its_own(void **state)
{
    const struct portolan_supervision how = {.line = note_line};
    struct portolan_arena arena = {0};
    struct portolan_error err = {0};
    int number;

    assert_int_equal(
        portolan_supervise(&arena, PORTOLAN_WORDS("portolan-no-such-program"), &how, &number, &err),
        PORTOLAN_ENOTFOUND);
    assert_string_equal(err.text,
                        "cannot run 'portolan-no-such-program': No such file or directory");
    portolan_arena_clear(&arena);
}

static void settings_lie_next_to_the_program(void **state)
{
    char *self = realpath("/proc/self/exe", NULL), *file;
    struct portolan_error err = {0};

    assert_int_equal(portolan_settings_find("none.conf", strrchr(self, '/') + 1, &file, &err), 0);
    assert_string_equal(file, self);
    free(file);
    assert_int_equal(portolan_settings_find("none.conf", "../lib/none.conf", &file, &err),
                     PORTOLAN_ENOTFOUND);
    assert_null(file);
    assert_non_null(strstr(err.text, "/../lib/none.conf; in a build folder run make"));
    free(self);
}

UNIT_TESTS(cmocka_unit_test(what_it_writes_is_passed_on_by_lines),
           cmocka_unit_test(a_line_without_an_end_comes_in_pieces),
           cmocka_unit_test(what_a_command_does_is_measured_and_limited),
           cmocka_unit_test(standard_output_may_be_dropped),
           cmocka_unit_test(how_it_failed_is_the_reason),
           cmocka_unit_test(what_a_launcher_says_of_a_rank_is_the_reason),
           cmocka_unit_test(one_that_takes_too_long_is_ended_with_all_that_it_started),
           cmocka_unit_test(a_signal_to_this_process_ends_it),
           cmocka_unit_test(variables_of_launchers_are_not_inherited),
           cmocka_unit_test(a_program_that_is_not_there_is_an_error_of_its_own),
           cmocka_unit_test(settings_lie_next_to_the_program))
