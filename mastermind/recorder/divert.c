/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes what the store does not take at the end of a trial into a file next to it. */
#include "recorder_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *recorder_path(const char *path)
{
    char *folder, *whole;

    if (!*path || *path == '/' || !strcmp(path, ":memory:") || portolan_store_is_server(path) ||
        !(folder = realpath(".", NULL)))
        return portolan_strdup(path);
    whole = portolan_asprintf("%s/%s", folder, path);
    free(folder);
    return whole;
}

/* Rank 0. The file has the whole trial if its part in the store cannot be read. */
static enum portolan_status open_file(struct portolan_recorder *r, const char *file,
                                      struct portolan_error *err)
{
    struct portolan_store *to = NULL;
    enum portolan_status status = portolan_store_open(file, PORTOLAN_STORE_WRITE, &to, err);
    int64_t id = 0;

    if (status)
        return status;
    if (r->trial && portolan_store_check(r->store, NULL) &&
        portolan_store_copy_trial(r->store, r->trial, to, &id, NULL))
        id = 0; /* its first bytes are gone, too */
    if (r->trial) {
        char number[24];

        snprintf(number, sizeof number, "%lld", (long long)r->trial);
        portolan_facts_put(&r->facts, PORTOLAN_STORE_RECOVERS, number);
    }
    portolan_store_close(r->store);
    r->store = to;
    r->trial = id;
    return PORTOLAN_OK;
}

/* Rank 0. */
static enum portolan_status open_recovery(struct portolan_recorder *r,
                                          const struct portolan_error *why)
{
    const char *path = r->state->path;
    char *file = portolan_store_recovery_file(path);
    struct portolan_error err = {0};
    enum portolan_status status;

    if (!file)
        return PORTOLAN_EUNSUPPORTED;
    status = open_file(r, file, &err);
    if (status)
        portolan_log(PORTOLAN_LOG_WARNING, "mastermind",
                     "the end of the trial can go neither into the store nor beside it: %s",
                     err.text);
    else
        portolan_log(PORTOLAN_LOG_WARNING, "mastermind",
                     "%s; what is not stored of the trial goes into '%s': 'portolan trials "
                     "--recover %s' adds it",
                     why->text, file, portolan_store_is_server(path) ? "STORE" : path);
    free(file);
    return status;
}

enum portolan_status recorder_divert(struct portolan_recorder *r, const struct portolan_error *why)
{
    struct recorder_state *s = r->state;
    enum portolan_status status = PORTOLAN_OK;

    if (s->is_diverted)
        return PORTOLAN_EBUSY;
    if (r->store)
        status = open_recovery(r, why);
    status = recorder_share_trial(r, status, NULL);
    if (status)
        return status;
    recorder_end_note(s);
    s->is_diverted = true;
    return r->trial ? PORTOLAN_OK : recorder_begin(r, NULL);
}
