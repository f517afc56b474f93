/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <portolan/mpi.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct listener {
    bool quiet, debug;
    int rank;
};

static struct listener listener;

static void print_message(void *arg, enum portolan_log_level level, const char *area,
                          const char *text)
{
    const struct listener *l = arg;

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
    portolan_log_set_handler(print_message, &listener);
    if (portolan_mpi_yields())
        portolan_log(PORTOLAN_LOG_NOTICE, "mpi", "%s", portolan_mpi_describe_waits());
}

void print_debug(bool on)
{
    listener.debug = on;
}

int write_text(const char *file, const char *text)
{
    FILE *f = file ? fopen(file, "w") : stdout;

    if (!f || fputs(text, f) == EOF || (file ? fclose(f) : fflush(f)) == EOF) {
        fprintf(stderr, "portolan: error: cannot write '%s': %s\n", file ? file : "output",
                strerror(errno));
        return EXIT_BAD_INPUT;
    }
    return 0;
}

int print_made(char *text, const struct portolan_error *err)
{
    int result = text ? write_text(NULL, text) : print_error(err);

    free(text);
    return result;
}

/* A full disk, a closed pipe. */
int close_output(int result)
{
    if (fflush(stdout) == EOF || ferror(stdout)) {
        fprintf(stderr, "portolan: error: cannot write to standard output\n");
        return result ? result : EXIT_BAD_INPUT;
    }
    return result;
}
