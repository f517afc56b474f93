/* SPDX-License-Identifier: BSD-3-Clause */
/* A client with a listener that this test plays: who is asked, whose answer counts, who is late. */
#include <portolan/control_client.h>

#include "unit_test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

static void a_process_says_how_it_listens(void **state)
{
    static const char text[] = "file /tmp/a b\nsignal 10 toggle\n";
    int fd = memfd_create("portolan-control", MFD_CLOEXEC);
    char pid[20], *card, *line;

    snprintf(pid, sizeof pid, "%d", (int)getpid());
    assert_true(portolan_write_all(fd, text, sizeof text - 1));
    assert_non_null(card = portolan_control_card(pid));
    assert_string_equal(card, text);
    assert_string_equal(line = portolan_control_card_line(card, "file "), "/tmp/a b");
    assert_null(portolan_control_card_line(card, "folder "));
    free(line);
    free(card);
    close(fd);
    assert_null(portolan_control_card(pid));
    assert_null(portolan_control_card("0"));
}

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
    (void)number;
    signals++;
}

static void signals_are_commands(void **state)
{
    char card[60], pid[20];
    struct portolan_error err = {0};

    snprintf(pid, sizeof pid, "%d", (int)getpid());
    snprintf(card, sizeof card, "signal %d flush\nsignal %d toggle", SIGUSR2, SIGUSR1);
    signal(SIGUSR1, count_signal);
    assert_int_equal(portolan_control_signal(pid, card, "toggle", &err), PORTOLAN_OK);
    assert_int_equal(signals, 1);
    assert_int_equal(portolan_control_signal(pid, card, "off", &err), PORTOLAN_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "no signal has the command 'off'"));
}

/* Answers the request in the file "control", once it is there, as the two ranks of a program; an
 * answer to another request, which is there before, does not count. */
static void *listen_as_two_ranks(void *arg)
{
    struct portolan_text request = {0};
    char *second = strdup(test_file("control.reply.1")),
         *first = strdup(test_file("control.reply"));
    char text[300];

    (void)arg;
    while (!portolan_text_add_file(&request, test_file("control"), SIZE_MAX))
        portolan_text_clear(&request);
    snprintf(text, sizeof text, "%.*s\nnodes 2\nstatus failed\nno such port\n",
             (int)strcspn(request.bytes + 2, "\n"), request.bytes + 2);
    portolan_replace_file(first, text, strlen(text), NULL);
    snprintf(text, sizeof text, "%.*s\nnode 1\nstatus ok\ndone\n",
             (int)strcspn(request.bytes + 2, "\n"), request.bytes + 2);
    portolan_replace_file(second, text, strlen(text), NULL);
    free(first);
    free(second);
    return request.bytes;
}

static void all_ranks_answer_this_request(void **state)
{
    char *file = strdup(test_file("control"));
    struct portolan_control_answers answers;
    struct portolan_error err = {0};
    pthread_t listener;
    void *request;

    test_file_write("control.reply", "request of another\nnodes 1\nstatus ok\nold\n");
    assert_int_equal(pthread_create(&listener, NULL, listen_as_two_ranks, NULL), 0);
    if (portolan_control_send(file, "off", 60, &answers, &err))
        fail_msg("%s", err.text);
    pthread_join(listener, &request);
    assert_non_null(strstr(request, "\noff\n"));
    assert_int_equal(answers.n, 2);
    assert_true(answers.list[0].failed);
    assert_string_equal(answers.list[0].text, "no such port\n");
    assert_false(answers.list[1].failed);
    assert_string_equal(answers.list[1].text, "done\n");
    portolan_control_answers_clear(&answers);
    free(request);
    free(file);
}

static void nobody_replies_in_time(void **state)
{
    struct portolan_control_answers answers;
    struct portolan_error err = {0};

    assert_int_equal(portolan_control_send(test_file("nobody"), "off", 0, &answers, &err),
                     PORTOLAN_ETIMEOUT);
    assert_non_null(strstr(err.text, "no program replies in"));
    assert_int_equal(answers.n, 0);
    portolan_control_answers_clear(&answers);
    assert_int_equal(portolan_control_send(test_file("no/where"), "off", 0, &answers, NULL),
                     PORTOLAN_EIO);
    portolan_control_answers_clear(&answers);
}

static void answers_are_text(void **state)
{
    char port[] = "port\tsolver\tmy.Solver\tmastermind\ton\tyes\tA\tA\tB\n", same[] = "2 ports\n",
         none[] = "no such port\n";
    struct portolan_control_answers one = {1, &(struct portolan_control_answer){port, false}},
                                    alike = {2, (struct portolan_control_answer[]){{same, false},
                                                                                   {same, false}}},
                                    other = {2, (struct portolan_control_answer[]){{same, false},
                                                                                   {none, true}}};
    struct portolan_text good = {0}, bad = {0};

    assert_true(portolan_control_answers_write(&one, &good, &bad));
    assert_string_equal(good.bytes,
                        "solver                    my.Solver             mastermind  on\n"
                        "    * A\n      B\n");
    portolan_text_clear(&good);
    assert_true(portolan_control_answers_write(&alike, &good, &bad));
    assert_string_equal(good.bytes, "2 ports\n");
    assert_int_equal(bad.length, 0);
    portolan_text_clear(&good);
    assert_false(portolan_control_answers_write(&other, &good, &bad));
    assert_string_equal(good.bytes, "rank 0:\nrank 0: 2 ports\nrank 1:\n");
    assert_string_equal(bad.bytes, "rank 1: no such port\n");
    portolan_text_clear(&good);
    portolan_text_clear(&bad);
}

UNIT_TESTS_BETWEEN(test_folder_make, test_folder_remove,
                   cmocka_unit_test(a_process_says_how_it_listens),
                   cmocka_unit_test(signals_are_commands),
                   cmocka_unit_test(all_ranks_answer_this_request),
                   cmocka_unit_test(nobody_replies_in_time), cmocka_unit_test(answers_are_text))
