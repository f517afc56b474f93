/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <portolan/export.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct options {
    const char *store;
    const char **paths;
    struct portolan_import_options import;
};

static const struct cli_option options[] = {
    {"store", 'd', "FILE", "the experiment store, made where there is none (default: portolan.db)",
     INTO(struct options, store)},
    {"name", 'N', "NAME", "the trial's name (default: that of the first folder)",
     INTO(struct options, import.name)},
    {.key = CLI_WORD, INTO_LIST(struct options, paths, import.n_paths)},
    {.key = CLI_END,
     .doc = "name TAU profiles, or folders of them",
     INTO(struct options, import.n_paths)},
    {0},
};

/* A store that was made for an import that failed is of no use. */
static void remove_new(const char *store)
{
    static const char *const parts[] = {"", "-wal", "-shm", "-journal"};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *file = portolan_asprintf("%s%s", store, parts[i]);

        if (file)
            unlink(file);
        free(file);
    }
}

static bool is_empty(struct portolan_store *store)
{
    struct portolan_sample_set *set = NULL;
    bool empty = store && portolan_store_read(store, NULL, false, &set, NULL) == PORTOLAN_OK &&
                 set->n_trials == 0;

    portolan_sample_set_destroy(set);
    return empty;
}

int command_import(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "PATH...",
        .doc =
            "Store TAU profiles (files profile.N.C.T, or folders of them or of MULTI__METRIC) as "
            "one trial.",
        .options = options,
    };
    struct options o = {.store = "portolan.db"};
    struct portolan_diagnostics d = {.report = print_diagnostic};
    struct portolan_error err = {0};
    struct portolan_store *store = NULL;
    enum portolan_status status;
    bool is_new;
    int64_t id = 0;

    parse_line(&line, argc, argv, 0, &o);
    o.import.paths = o.paths;
    is_new = !portolan_store_is_server(o.store) && access(o.store, F_OK) != 0;
    status = portolan_store_open(o.store, PORTOLAN_STORE_WRITE, &store, &err);
    if (status == PORTOLAN_OK)
        status = portolan_import_tau(store, &o.import, &id, &d, &err);
    is_new = is_new && is_empty(store);
    portolan_store_close(store);
    if (status != PORTOLAN_OK && is_new)
        remove_new(o.store);
    free(o.paths);
    if (status == PORTOLAN_OK)
        printf("trial %" PRId64 "\n", id);
    else if (d.count == 0)
        print_error(&err);
    return close_output(status == PORTOLAN_OK ? 0 : EXIT_BAD_INPUT);
}
