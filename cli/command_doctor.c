/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <portolan/examine.h>
#include <portolan/mpi.h>

struct doctor {
    int ranks; /* on this host; 0: as many as were started */
    const char *store;
    bool json;
};

static const struct cli_option options[] = {
    {"ranks", 'n', "N", "check for N ranks on this machine (default: those that were started)",
     INTO(struct doctor, ranks), .least = 1, .wanted = "a number of ranks"},
    {"store", 'd', "FILE", "the experiment store (default: portolan.db)",
     INTO(struct doctor, store)},
    {"json", 'j', NULL, "print JSON", INTO(struct doctor, json)},
    {0},
};

/* Returns the exit status. */
static int print_findings(const struct portolan_health *h, bool as_json)
{
    struct portolan_text out = {0};
    int result;

    (as_json ? portolan_health_write_json : portolan_health_write)(h, &out);
    result = out.bytes && !out.failed ? write_text(NULL, out.bytes) : EXIT_BAD_INPUT;
    portolan_text_clear(&out);
    return result ? result : h->n_lacks ? EXIT_BAD_INPUT : 0;
}

int command_doctor(int argc, char **argv)
{
    static const struct cli_line line = {
        .doc = "Report which of the things that Portolan uses this machine has, what each lack "
               "costs, and the remedy. Under mpiexec it checks for that number of ranks.\vThe exit "
               "status is 1 if something that Portolan needs is missing.",
        .options = options,
    };
    struct doctor d = {.store = "portolan.db"};
    struct portolan_error mpi = {0};
    struct portolan_cohort *cohort = portolan_cohort_alone();
    struct portolan_health health = {0};
    bool has_ranks;
    int result = 0;

    parse_line(&line, argc, argv, 0, &d);
    has_ranks = !portolan_mpi_init(&mpi) && !portolan_mpi_cohort_create(&cohort, &mpi);
    portolan_examine(&(struct portolan_examine_options){cohort, &mpi, d.ranks, d.store}, &health);
    if (cohort->rank == 0)
        result = print_findings(&health, d.json);
    if (has_ranks) {
        portolan_mpi_cohort_destroy(cohort);
        portolan_mpi_finalize();
    }
    portolan_arena_clear(&health.arena);
    return result;
}
