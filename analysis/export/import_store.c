/* SPDX-License-Identifier: BSD-3-Clause */
/* TAU profiles go into a store that may be new: one that was made for an import that failed is
 * removed. */
#include <portolan/export.h>

#include <stdlib.h>
#include <unistd.h>

static void remove_store(const char *path)
{
    static const char *const parts[] = {"", "-wal", "-shm", "-journal"};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *file = portolan_asprintf("%s%s", path, parts[i]);

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

enum portolan_status portolan_import_tau_at(const char *path,
                                            const struct portolan_import_options *o, int64_t *id,
                                            struct portolan_diagnostics *d,
                                            struct portolan_error *err)
{
    bool is_new = !portolan_store_is_server(path) && access(path, F_OK) != 0;
    struct portolan_store *store = NULL;
    enum portolan_status status = portolan_store_open(path, PORTOLAN_STORE_WRITE, &store, err);

    if (status == PORTOLAN_OK)
        status = portolan_import_tau(store, o, id, d, err);
    is_new = is_new && is_empty(store); /* another process may have stored a trial meanwhile */
    portolan_store_close(store);
    if (status != PORTOLAN_OK && is_new)
        remove_store(path);
    return status;
}
