/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs an assembly on all ranks, prints their messages, and ends all ranks together. */
#include "cli.h"

#include <portolan/control.h>
#include <portolan/mpi.h>
#include <portolan/progress.h>
#include <portolan/record.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* How long a rank that failed waits for the others before it aborts the job. */
static const double patience_s = 2;

/* The current job. */
static struct job *running;

void wait_for_reader(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int unread = 0;

    for (int i = 0; i < 1000 && ioctl(STDERR_FILENO, FIONREAD, &unread) == 0 && unread > 0; i++)
        nanosleep(&pause, NULL);
}

/* Wrong options may end the process after MPI was started; no rank may be left waiting then. */
static void end_early(int status, void *arg)
{
    (void)arg;
    if (!running)
        return;
    if (running->cohort->size > 1) {
        wait_for_reader();
        portolan_mpi_abort(status);
    }
    job_end(running);
}

int job_begin(struct job *job, const char *command)
{
    struct portolan_error err = {0};
    /* The ranks agree if maximum and minimum of the hash, which a double holds exactly, agree. */
    double hash = (double)(uint32_t)portolan_hash(command, strlen(command), 0);
    double range[2] = {hash, -hash};

    if (portolan_record_configure_by_environment(&job->is_recorded, &err) != PORTOLAN_OK ||
        portolan_mpi_observe(portolan_record_observer(), &err) != PORTOLAN_OK ||
        portolan_mpi_init(&err) != PORTOLAN_OK ||
        portolan_mpi_cohort_create(&job->cohort, &err) != PORTOLAN_OK)
        return print_error(&err);
    running = job;
    portolan_control_set_node(job->cohort->rank, job->cohort->size);
    on_exit(end_early, NULL);
    if (job->cohort->max(job->cohort, range, 2) == PORTOLAN_OK && range[0] + range[1] == 0.0)
        return 0;
    portolan_error_set(
        &err, PORTOLAN_EMISMATCH,
        "the ranks were started with different commands; start all with the same one");
    return job_fail(job, &err);
}

void job_drop_recorder(struct job *job)
{
    if (!job->is_recorded)
        portolan_mpi_observe(NULL, NULL);
}

void job_end(struct job *job)
{
    running = NULL;
    if (job->cohort != portolan_cohort_alone())
        portolan_mpi_cohort_destroy(job->cohort);
    portolan_mpi_finalize();
}

bool job_leave_mpi(struct job *job)
{
    bool is_first = job->cohort->rank == 0;

    job_end(job);
    job->cohort = portolan_cohort_alone();
    return is_first;
}

int job_fail(struct job *job, const struct portolan_error *err)
{
    if (job->cohort->rank == 0)
        print_error(err);
    job_end(job);
    return EXIT_BAD_INPUT;
}

enum portolan_status job_settle(struct job *job, enum portolan_status status,
                                struct portolan_error *err)
{
    if (portolan_mpi_verdict(job->cohort, &status, patience_s, err))
        return status;
    portolan_error_prefix(err, "rank %d", job->cohort->rank);
    print_error(err);
    if (isatty(STDERR_FILENO) == 0)
        wait_for_reader();
    portolan_mpi_abort(EXIT_BAD_INPUT);
}

enum portolan_status job_execute(struct job *job, const struct workbench *w, int *result,
                                 struct portolan_error *err)
{
    struct portolan_framework *framework = NULL;
    enum portolan_status status =
        portolan_framework_create(w->palette, job->cohort, &framework, err);

    if (status == PORTOLAN_OK)
        status = portolan_mpi_serve(framework, err);
    if (status == PORTOLAN_OK)
        status = portolan_framework_build(framework, w->assembly, err);
    if (status == PORTOLAN_OK) {
        status = portolan_framework_go(framework, result, err);
        status = job_settle(job, status, err);
        if (status != PORTOLAN_OK) /* another rank may have failed */
            portolan_framework_fail(framework, err->text);
    }
    portolan_framework_destroy(framework);
    return status;
}

static void go_on(int number)
{
    (void)number;
}

void outlive_file_limits(void)
{
    struct sigaction now;

    if (sigaction(SIGXFSZ, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        signal(SIGXFSZ, go_on);
}

/* ------------------------------------------------------------------------------ what is printed */

struct listener {
    bool quiet, debug;
    int rank;
};

static struct listener listener;

static void print_message(void *arg, enum portolan_log_level level, const char *area,
                          const char *text)
{
    const struct listener *l = arg;

    portolan_progress_hide();
    if (level == PORTOLAN_LOG_WARNING) {
        fprintf(stderr, "rank %d: %s: warning: %s\n", l->rank, area, text);
    } else if (level == PORTOLAN_LOG_NOTICE && !l->quiet && l->rank == 0) {
        printf("%s: %s\n", area, text);
        fflush(stdout);
    } else if (level < PORTOLAN_LOG_NOTICE && l->debug) {
        fprintf(stderr, "rank %d: %s: %s\n", l->rank, area, text);
    }
}

void print_log(bool quiet, int rank)
{
    listener = (struct listener){.quiet = quiet, .rank = rank};
    if (rank)
        portolan_progress_set_handler(NULL);
    portolan_log_set_handler(print_message, &listener);
    if (portolan_mpi_yields())
        portolan_log(PORTOLAN_LOG_NOTICE, "mpi", "%s", portolan_mpi_describe_waits());
}

void print_debug(bool on)
{
    listener.debug = on;
}

/* Prints TEXT; names and labels of a store are not to command a terminal. */
static bool print_text(const char *text)
{
    char *clean = isatty(STDOUT_FILENO) ? portolan_strdup(text) : NULL;
    bool good;

    portolan_clean_text(clean, "\n\t");
    good = fputs(clean ? clean : text, stdout) != EOF && fflush(stdout) != EOF;
    free(clean);
    return good;
}

int write_text(const char *file, const char *text)
{
    struct portolan_error err = {0};

    portolan_progress_hide();
    if (file)
        return portolan_replace_file(file, text, strlen(text), &err) ? print_error(&err) : 0;
    if (print_text(text))
        return 0;
    fprintf(stderr, "portolan: error: cannot write 'output': %s\n", strerror(errno));
    return EXIT_BAD_INPUT;
}

int print_made(char *text, const struct portolan_error *err)
{
    int result = text ? write_text(NULL, text) : print_error(err);

    free(text);
    return result;
}

/* Writing fails on a full disk or a closed pipe. */
int close_output(int result)
{
    if (fflush(stdout) == EOF || ferror(stdout)) {
        fprintf(stderr, "portolan: error: cannot write to standard output\n");
        return result ? result : EXIT_BAD_INPUT;
    }
    return result;
}
