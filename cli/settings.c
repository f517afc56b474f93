/* SPDX-License-Identifier: BSD-3-Clause */
/* Where this build's, or this installation's, files lie. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum portolan_status find_settings(const char *name, const char *installed, char **file,
                                   struct portolan_error *err)
{
    const char *const places[] = {name, installed};
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    char *slash;

    path[length > 0 ? length : 0] = '\0';
    if ((slash = strrchr(path, '/')))
        slash[1] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        *file = portolan_asprintf("%s%s", path, places[i]);
        if (!*file)
            return portolan_no_memory(err);
        if (access(*file, R_OK) == 0)
            return PORTOLAN_OK;
        if (i + 1 < sizeof places / sizeof *places)
            free(*file);
    }
    portolan_error_set(err, PORTOLAN_ENOTFOUND,
                       "there is no %s: this Portolan was installed without what the command needs",
                       *file);
    free(*file);
    *file = NULL;
    return PORTOLAN_ENOTFOUND;
}
