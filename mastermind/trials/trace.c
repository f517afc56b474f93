/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the trace of a trial lies. */
#include <portolan/trials.h>

#include <string.h>

enum portolan_status portolan_trial_trace(const struct portolan_trial *trial, const char *path,
                                          char **folder, struct portolan_error *err)
{
    const char *fact = portolan_trial_peek_fact(trial, PORTOLAN_STORE_TRACE);
    const char *slash = portolan_store_is_server(path) ? NULL : strrchr(path, '/');
    int length = slash && fact && *fact != '/' ? (int)(slash - path) + 1 : 0;

    *folder = NULL;
    if (!fact || !*fact)
        return PORTOLAN_OK;
    *folder = portolan_asprintf("%.*s%s", length, path, fact);
    return *folder ? PORTOLAN_OK : portolan_no_memory(err);
}
